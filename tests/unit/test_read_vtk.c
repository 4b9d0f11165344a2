/* Legacy VTK and VTU files: both layouts of cells, all encodings of data, node orders, and what is
 * refused. */
#include "support/mesh_cases.h"
#include "test.h"

#include <zlib.h>

static abut_error error;

/* ---- legacy VTK ---------------------------------------------------------------------------- */

static const char vtk_text[] = "# vtk DataFile Version 3.0\nany title\nASCII\n"
                               "DATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n"
                               "0 0 0 1 0 0 0 1 0 0 0 1\n1 1 1 9 9 9\n"
                               "CELLS 6 25\n4 0 1 2 3\n4 1 2 3 4\n3 0 2 1\n3 0 1 2\n"
                               "4 0 1 2 4\n1 5\nCELL_TYPES 6\n10\n10\n5\n4\n7\n1\n"
                               "POINT_DATA 6\nSCALARS a double\n";

/* Tets, a triangle, a polygon cut in two, a polyline cut in two, a point. */
static void check_sample(const mesh *m)
{
    static const int32_t tets[] = {0, 1, 2, 3, 1, 2, 3, 4}, edges[] = {0, 1, 1, 2};
    static const int32_t triangles[] = {0, 2, 1, 0, 1, 2, 0, 2, 4};
    CHECK(m->vertex_count == 6 && m->block_count == 4);
    if (m->block_count != 4) return;
    CHECK(m->vertices[3].z == 1 && m->vertices[5].y == 9);
    const cell_block *b = mesh_find(m, CELL_TET);
    CHECK(b && b->count == 2 && memcmp(b->nodes, tets, sizeof tets) == 0);
    b = mesh_find(m, CELL_TRIANGLE);
    CHECK(b && b->count == 3 && memcmp(b->nodes, triangles, sizeof triangles) == 0);
    b = mesh_find(m, CELL_EDGE);
    CHECK(b && b->count == 2 && memcmp(b->nodes, edges, sizeof edges) == 0);
    b = mesh_find(m, CELL_POINT);
    CHECK(b && b->count == 1 && b->nodes[0] == 5);
}

static const int cell_sizes[] = {4, 4, 3, 3, 4, 1}, cell_types[] = {10, 10, 5, 4, 7, 1};
static const int cell_nodes[] = {0, 1, 2, 3, 1, 2, 3, 4, 0, 2, 1, 0, 1, 2, 0, 1, 2, 4, 5};
enum { CELLS = 6, NODES = sizeof cell_nodes / sizeof *cell_nodes };
static const double points[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 1, 1}, {9, 9, 9}};

static byte_list vtk_binary(bool new_layout)
{
    bool swap = !machine_is_big_endian();
    byte_list b = {0};
    bytes_text(&b, new_layout ? "# vtk DataFile Version 5.1\n" : "# vtk DataFile Version 4.2\n");
    bytes_text(&b, "title\nBINARY\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\na 2 1 short\n");
    bytes_short(&b, 1, swap);
    bytes_short(&b, 2, swap);
    bytes_text(&b, "\nPOINTS 6 double\n");
    for (int i = 0; i < 18; i++) bytes_double(&b, points[i / 3][i % 3], swap);
    bytes_text(&b, "\nMETADATA\nINFORMATION 0\n\n");
    if (new_layout) {
        bytes_text(&b, "CELLS 7 19\nOFFSETS vtktypeint64\n");
        int64_t offset = 0;
        bytes_long(&b, 0, swap);
        for (int c = 0; c < CELLS; c++) bytes_long(&b, offset += cell_sizes[c], swap);
        bytes_text(&b, "\nCONNECTIVITY vtktypeint64\n");
        for (int i = 0; i < NODES; i++) bytes_long(&b, cell_nodes[i], swap);
    } else {
        bytes_text(&b, "CELLS 6 25\n");
        for (int c = 0, n = 0; c < CELLS; c++) {
            bytes_int(&b, cell_sizes[c], swap);
            for (int i = 0; i < cell_sizes[c]; i++) bytes_int(&b, cell_nodes[n++], swap);
        }
    }
    bytes_text(&b, "\nCELL_TYPES 6\n");
    for (int c = 0; c < CELLS; c++) bytes_int(&b, cell_types[c], swap);
    bytes_text(&b, "\n");
    return b;
}

TEST(legacy)
{
    for (int variant = 0; variant < 3; variant++) {
        byte_list b = {0};
        mesh m;
        if (variant == 2)
            bytes_text(&b, vtk_text);
        else
            b = vtk_binary(variant == 1);
        CHECK(mesh_recognize("x.obj", b.data, b.size) == MESH_FORMAT_VTK);
        CHECK_OK(read_text(MESH_FORMAT_VTK, b.data, b.size, &m, &error), error);
        check_sample(&m);
        mesh_free(&m);
        CHECK(exhaust_memory(MESH_FORMAT_VTK, b.data, b.size) > 5);
        size_t needed =
            variant == 2 ? (size_t)(strstr(vtk_text, "CELL_TYPES") - vtk_text) : b.size - 1;
        int accepted = count_accepted_beginnings(MESH_FORMAT_VTK, b.data, needed);
        /* After the points alone, a text is a cloud of points. */
        CHECK(accepted < 30);
        bytes_free(&b);
    }
}

TEST(polydata)
{
    const char *text =
        "# vtk DataFile Version 2.0\n\nASCII\nDATASET POLYDATA\nPOINTS 5 double\n"
        "0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 2 0\nVERTICES 1 3\n2 3 4\nLINES 1 4\n3 0 1 2\n"
        "POLYGONS 1 5\n4 0 1 3 2\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\nCELL_DATA 4\n";
    static const int32_t triangles[] = {0, 1, 3, 0, 3, 2, 0, 1, 2, 2, 1, 3};
    mesh m;
    CHECK_OK(read_text(MESH_FORMAT_VTK, text, strlen(text), &m, &error), error);
    CHECK(m.vertex_count == 5 && m.block_count == 3);
    CHECK(mesh_find(&m, CELL_POINT)->count == 2 && mesh_find(&m, CELL_EDGE)->count == 2);
    CHECK(mesh_find(&m, CELL_TRIANGLE)->count == 4);
    CHECK(memcmp(mesh_find(&m, CELL_TRIANGLE)->nodes, triangles, sizeof triangles) == 0);
    mesh_free(&m);
}

/* One cell of n nodes, in a file of that version; returns its nodes in our order. */
static mesh one_cell(const char *version, int type, int n)
{
    char text[4096];
    int used = snprintf(text, sizeof text,
                        "# vtk DataFile Version %s\n\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                        "POINTS %d int\n",
                        version, n);
    for (int i = 0; i < n; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%d 0 0\n", i);
    used += snprintf(text + used, sizeof text - (size_t)used, "CELLS 1 %d\n%d", n + 1, n);
    for (int i = 0; i < n; i++) used += snprintf(text + used, sizeof text - (size_t)used, " %d", i);
    used += snprintf(text + used, sizeof text - (size_t)used, "\nCELL_TYPES 1\n%d\n", type);
    mesh m;
    CHECK_OK(read_text(MESH_FORMAT_VTK, text, (size_t)used, &m, &error), error);
    return m;
}

TEST(node_orders)
{
    /* Gmsh's tets of order 2 have the last two edges exchanged. */
    mesh m = one_cell("2.0", 24, 10);
    CHECK(m.blocks[0].kind == CELL_TET && m.blocks[0].order == 2);
    CHECK(m.blocks[0].nodes[7] == 7 && m.blocks[0].nodes[8] == 9 && m.blocks[0].nodes[9] == 8);
    mesh_free(&m);
    /* Pixels and voxels run along the axes. */
    m = one_cell("2.0", 8, 4);
    CHECK(m.blocks[0].kind == CELL_QUAD && m.blocks[0].nodes[2] == 3 && m.blocks[0].nodes[3] == 2);
    mesh_free(&m);
    m = one_cell("2.0", 11, 8);
    CHECK(m.blocks[0].kind == CELL_HEX && m.blocks[0].nodes[1] == 1 && m.blocks[0].nodes[2] == 3 &&
          m.blocks[0].nodes[6] == 7 && m.blocks[0].nodes[7] == 6);
    mesh_free(&m);
    /* Gmsh's nodes 14 and 15 of a hexahedron lie on the edges 2-6 and 3-7, which VTK lists as 18
     * and 19 since version 9, and vice versa before. */
    m = one_cell("5.1", 72, 27);
    CHECK(m.blocks[0].order == 2 && m.blocks[0].nodes[14] == 18 && m.blocks[0].nodes[15] == 19);
    mesh_free(&m);
    m = one_cell("4.2", 72, 27);
    CHECK(m.blocks[0].nodes[14] == 19 && m.blocks[0].nodes[15] == 18);
    mesh_free(&m);
    m = one_cell("4.2", 71, 35);
    CHECK(m.blocks[0].kind == CELL_TET && m.blocks[0].order == 4);
    mesh_free(&m);
}

#define VTK_HEAD "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define VTK_POINTS VTK_HEAD "POINTS 3 double\n0 0 0\n1 0 0\n0 1 0\n"

TEST(bad_legacy)
{
    static const bad_file files[] = {
        {"", "file:1", "expected \"# vtk DataFile Version\"", 0},
        {"# vtk DataFile Version x\n", "file:1", "found 'x'", 0},
        {"# vtk DataFile Version 2.0\nt\nEBCDIC\n", "file:3", "found 'EBCDIC'", 0},
        {"# vtk DataFile Version 2.0\nt\nASCII\nDATASET STRUCTURED_GRID\n", "file:4",
         "UNSTRUCTURED_GRID and POLYDATA", 0},
        {VTK_HEAD, "file:5", "no points", 0},
        {VTK_HEAD "POINTS 0 double\n", "file:6", "no points", 0},
        {VTK_HEAD "POINTS -3 double\n", "file:5", "allowed are 0", 0},
        {VTK_HEAD "POINTS 30000000 double\n0 0 0\n", "file:5", "bytes", 0},
        {VTK_HEAD "POINTS 1 string\n0 0 0\n", "file:5", "found 'string'", 0},
        {VTK_HEAD "POINTS 1 double\n0 nan 0\n", "file:6", "finite", 0},
        {VTK_POINTS "POINTS 1 double\n0 0 0\n", "file:9", "a second section", 0},
        {VTK_POINTS "RUBBISH\n", "file:9", "found 'RUBBISH'", 0},
        {VTK_POINTS "CELLS 1 4\n3 0 1 2\n", "file:11", "CELLS without CELL_TYPES", 0},
        {VTK_POINTS "CELL_TYPES 1\n5\n", "file:9", "before CELLS", 0},
        {VTK_POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 2\n5\n5\n", "file:11", "2 cell types, but 1",
         0},
        {VTK_POINTS "CELLS 1 4\n3 0 1 3\nCELL_TYPES 1\n5\n", "file:9", "uses point 3", 0},
        {VTK_POINTS "CELLS 1 4\n3 0 1 -1\nCELL_TYPES 1\n5\n", "file:9", "uses point -1", 0},
        {VTK_POINTS "CELLS 1 4\n5 0 1 2\nCELL_TYPES 1\n5\n", "file:9", "does not fit", 0},
        {VTK_POINTS "CELLS 1 4\n-5 0 1 2\nCELL_TYPES 1\n5\n", "file:9", "does not fit", 0},
        {VTK_POINTS "CELLS 1 5\n3 0 1 2 0\nCELL_TYPES 1\n5\n", "file:9", "take 4 numbers", 0},
        {VTK_POINTS "CELLS 1 1000000\n3 0 1 2\n", "file:9", "bytes", 0},
        {VTK_POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "file:9", "must have 4", 0},
        {VTK_POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n13\n", "file:9", "(wedge)", 0},
        {VTK_POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n71\n", "file:9", "(Lagrange tetrah", 0},
        {VTK_POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n-3\n", "file:9", "are not known", 0},
        {VTK_POINTS "CELLS 1 2\n1 0\nCELL_TYPES 1\n7\n", "file:9", "at least 3", 0},
        {VTK_POINTS "CELLS 2 3\nOFFSETS int\n0 4\nCONNECTIVITY int\n0 1 2\n", "file:9", "must rise",
         0},
        {VTK_POINTS "CELLS 2 3\nOFFSETS int\n1 3\nCONNECTIVITY int\n0 1 2\n", "file:9",
         "must run from 0", 0},
        {VTK_POINTS "CELLS 2 3\nOFFSETS float\n1 3\n", "file:10", "vtktypeint64 or int", 0},
        {VTK_POINTS "CELLS 2 3\nOFFSETS int\n0 3\nCONN", "file:12", "expected CONNECTIVITY", 0},
        {VTK_HEAD "FIELD f 1\na 100000 100000 int\n1\n", "file:6", "ends within", 0},
    };
    CHECK(count_accepted(MESH_FORMAT_VTK, files, sizeof files / sizeof *files) == 0);
}

/* ---- VTU ----------------------------------------------------------------------------------- */

static const char vtu_text[] =
    "<?xml version=\"1.0\"?>\n<!-- a comment with <tags> -->\n"
    "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
    "<UnstructuredGrid>\n<Piece NumberOfPoints=\"6\" NumberOfCells=\"6\">\n"
    "<PointData><DataArray type=\"Float32\" Name=\"p\" format=\"ascii\">1 2 3 4 5 nan</DataArray>\n"
    "</PointData>\n<CellData Scalars='tag'>\n"
    "<DataArray type='Int32' Name='gmsh:physical' format='ascii'>7 8 0 0 -1 0</DataArray>\n"
    "</CellData>\n"
    "<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n"
    "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 9 9 9\n</DataArray>\n</Points>\n<Cells>\n"
    "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n"
    "0 1 2 3 1 2 3 4 0 2 1 0 1 2 0 1 2 4 5</DataArray>\n"
    "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4 8 11 14 18 19</DataArray>\n"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10 10 5 4 7 1</DataArray>\n"
    "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";

typedef struct vtu_variant {
    bool appended, raw, compressed, big, long_header;
} vtu_variant;

static void header_value(byte_list *b, size_t value, vtu_variant v)
{
    bool swap = v.big != machine_is_big_endian();
    if (v.long_header)
        bytes_long(b, (int64_t)value, swap);
    else
        bytes_int(b, (int32_t)value, swap);
}

static void put_base64(byte_list *out, const byte_list *in)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < in->size; i += 3) {
        unsigned char g[3] = {0};
        size_t n = in->size - i < 3 ? in->size - i : 3;
        memcpy(g, in->data + i, n);
        char text[4] = {digits[g[0] >> 2], digits[(g[0] & 3) << 4 | g[1] >> 4],
                        n > 1 ? digits[(g[1] & 15) << 2 | g[2] >> 6] : '=',
                        n > 2 ? digits[g[2] & 63] : '='};
        bytes_raw(out, text, 4);
    }
}

/* Encodes an array as the variant wants it. Compressed arrays have blocks of 64 bytes, and header
 * and data are padded apart. */
static void put_encoded(byte_list *out, const byte_list *data, vtu_variant v)
{
    byte_list head = {0}, body = {0};
    if (!v.compressed) {
        header_value(&body, data->size, v);
        bytes_raw(&body, data->data, data->size);
    } else {
        size_t block = 64, blocks = (data->size + block - 1) / block;
        header_value(&head, blocks, v);
        header_value(&head, block, v);
        header_value(&head, data->size % block, v);
        for (size_t i = 0; i < data->size; i += block) {
            unsigned char packed[256];
            uLongf length = sizeof packed;
            size_t size = data->size - i < block ? data->size - i : block;
            compress2(packed, &length, (const unsigned char *)data->data + i, size, 6);
            header_value(&head, length, v);
            bytes_raw(&body, packed, length);
        }
    }
    if (v.appended && v.raw) {
        bytes_raw(out, head.data ? head.data : "", head.size);
        bytes_raw(out, body.data, body.size);
    } else {
        if (head.size) put_base64(out, &head);
        put_base64(out, &body);
    }
    bytes_free(&head);
    bytes_free(&body);
}

static void put_array(byte_list *xml, byte_list *appended, const char *attributes,
                      const byte_list *data, vtu_variant v)
{
    char tag[256];
    if (v.appended) {
        snprintf(tag, sizeof tag, "<DataArray %s format=\"appended\" offset=\"%zu\"/>\n",
                 attributes, appended->size);
        bytes_text(xml, tag);
        put_encoded(appended, data, v);
        return;
    }
    snprintf(tag, sizeof tag, "<DataArray %s format=\"binary\">\n  ", attributes);
    bytes_text(xml, tag);
    put_encoded(xml, data, v);
    bytes_text(xml, "\n</DataArray>\n");
}

static byte_list vtu_sample(vtu_variant v)
{
    byte_list xml = {0}, appended = {0}, data = {0};
    bool swap = v.big != machine_is_big_endian();
    char head[512];
    snprintf(head, sizeof head,
             "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" %s %s>\n"
             "<UnstructuredGrid><Piece NumberOfPoints=\"6\" NumberOfCells=\"6\"><Points>\n",
             v.big ? "BigEndian" : "LittleEndian", v.long_header ? "header_type=\"UInt64\"" : "",
             v.compressed ? "compressor=\"vtkZLibDataCompressor\"" : "");
    bytes_text(&xml, head);
    for (int i = 0; i < 18; i++) bytes_float(&data, (float)points[i / 3][i % 3], swap);
    put_array(&xml, &appended, "type=\"Float32\" NumberOfComponents=\"3\"", &data, v);
    bytes_free(&data);
    bytes_text(&xml, "</Points><Cells>\n");
    for (int i = 0; i < NODES; i++) bytes_long(&data, cell_nodes[i], swap);
    put_array(&xml, &appended, "type=\"Int64\" Name=\"connectivity\"", &data, v);
    bytes_free(&data);
    for (int c = 0, offset = 0; c < CELLS; c++) bytes_int(&data, offset += cell_sizes[c], swap);
    put_array(&xml, &appended, "type=\"UInt32\" Name=\"offsets\"", &data, v);
    bytes_free(&data);
    for (int c = 0; c < CELLS; c++) bytes_short(&data, cell_types[c], swap);
    put_array(&xml, &appended, "type=\"Int16\" Name=\"types\"", &data, v);
    bytes_free(&data);
    bytes_text(&xml, "</Cells></Piece></UnstructuredGrid>\n");
    if (v.appended) {
        bytes_text(&xml, v.raw ? "<AppendedData encoding=\"raw\">\n _"
                               : "<AppendedData encoding=\"base64\">_");
        bytes_raw(&xml, appended.data, appended.size);
        bytes_text(&xml, "\n</AppendedData>\n");
        bytes_free(&appended);
    }
    bytes_text(&xml, "</VTKFile>\n");
    return xml;
}

TEST(vtu_as_text)
{
    mesh m;
    CHECK(mesh_recognize("x", vtu_text, strlen(vtu_text)) == MESH_FORMAT_VTU);
    CHECK_OK(read_text(MESH_FORMAT_VTU, vtu_text, strlen(vtu_text), &m, &error), error);
    check_sample(&m);
    const cell_block *tets = mesh_find(&m, CELL_TET), *triangles = mesh_find(&m, CELL_TRIANGLE);
    CHECK(tets && tets->tags && tets->tags[0] == 7 && tets->tags[1] == 8);
    CHECK(triangles && triangles->tags && triangles->tags[0] == 0 && triangles->tags[2] == -1);
    mesh_free(&m);
    CHECK(exhaust_memory(MESH_FORMAT_VTU, vtu_text, strlen(vtu_text)) > 8);
    CHECK(count_accepted_beginnings(MESH_FORMAT_VTU, vtu_text, strlen(vtu_text) - 1) == 0);
}

TEST(vtu_encodings)
{
    for (int bits = 0; bits < 32; bits++) {
        vtu_variant v = {bits & 1, bits & 2, bits & 4, bits & 8, bits & 16};
        byte_list b = vtu_sample(v);
        mesh m;
        CHECK_OK(read_text(MESH_FORMAT_VTU, b.data, b.size, &m, &error), error);
        check_sample(&m);
        mesh_free(&m);
        CHECK(exhaust_memory(MESH_FORMAT_VTU, b.data, b.size) > 5);
        /* Up to the end of the appended data, everything is needed but the last of two '='. */
        const char *stop = v.appended ? "\n</Appended" : "</VTKFile";
        const char *end = memmem(b.data, b.size, stop, strlen(stop));
        size_t needed = (size_t)(end - b.data);
        CHECK(count_accepted_beginnings(MESH_FORMAT_VTU, b.data, needed) <= (v.raw ? 0 : 1));
        bytes_free(&b);
    }
}

TEST(two_pieces)
{
    const char *one =
        "<Piece NumberOfPoints='3' NumberOfCells='1'><PointData><DataArray type='Float64' "
        "Name='rest' NumberOfComponents='3' format='ascii'>0 0 0 2 0 0 0 3 0</DataArray>"
        "</PointData><Points><DataArray type='Int32' NumberOfComponents='3' format='ascii'>"
        "0 0 0 1 0 0 0 1 0</DataArray></Points><Cells><DataArray type='Int32' Name='connectivity' "
        "format='ascii'>0 1 2</DataArray><DataArray type='Int32' Name='offsets' format='ascii'>3"
        "</DataArray><DataArray type='Int32' Name='types' format='ascii'>5</DataArray></Cells>"
        "</Piece>";
    byte_list b = {0};
    mesh m;
    bytes_text(&b, "<VTKFile type='UnstructuredGrid'><UnstructuredGrid>");
    bytes_text(&b, one);
    bytes_text(&b, "<Piece NumberOfPoints='0' NumberOfCells='0'/>");
    bytes_text(&b, one);
    bytes_text(&b, "</UnstructuredGrid></VTKFile>");
    CHECK_OK(read_text(MESH_FORMAT_VTU, b.data, b.size, &m, &error), error);
    CHECK(m.vertex_count == 6 && m.block_count == 1 && m.blocks[0].count == 2);
    CHECK(m.blocks[0].nodes[5] == 5 && m.rest && m.rest[4].x == 2 && m.rest[5].y == 3);
    mesh_free(&m);
    bytes_free(&b);
}

#define VTU_HEAD "<VTKFile type='UnstructuredGrid'>\n<UnstructuredGrid>\n"
#define VTU_TAIL "</UnstructuredGrid>\n</VTKFile>\n"
#define VTU_PIECE(count, data)                                                                     \
    "<Piece NumberOfPoints='" count "' NumberOfCells='0'>\n<Points><DataArray type='Float64' "     \
    "NumberOfComponents='3' " data "</DataArray></Points></Piece>\n"
#define VTU_CELLS(nodes, offsets, types)                                                           \
    VTU_HEAD "<Piece NumberOfPoints='3' NumberOfCells='1'><Points>\n<DataArray type='Float64' "    \
             "NumberOfComponents='3' format='ascii'>0 0 0 1 0 0 0 1 0</DataArray></Points><Cells>" \
             "\n<DataArray type='Int32' Name='connectivity' format='ascii'>" nodes                 \
             "</DataArray>\n<DataArray type='Int32' Name='offsets' format='ascii'>" offsets        \
             "</DataArray>\n<DataArray type='Int32' Name='types' format='ascii'>" types            \
             "</DataArray></Cells></Piece>" VTU_TAIL

TEST(bad_vtu)
{
    static const bad_file files[] = {
        {"", "file:1", "no element VTKFile", 0},
        {"<html>", "file:1", "expected <VTKFile, found '<html>'", 0},
        {"<VTKFile", "file:1", "a tag has no end", 0},
        {"<!-- <VTKFile>", "file:1", "has no end", 0},
        {"<VTKFile type='PolyData'>", "file:1", "is 'PolyData'; only", 0},
        {"<VTKFile type='UnstructuredGrid' compressor='vtkLZ4DataCompressor'>", "file:1",
         "vtkLZ4DataCompressor", 0},
        {VTU_HEAD, "file:3", "ends within the element 'UnstructuredGrid", 0},
        {VTU_HEAD "</Piece>", "file:3", "closes an element that is not open", 0},
        {VTU_HEAD VTU_TAIL, "file:5", "no points", 0},
        {VTU_HEAD "<Piece NumberOfCells='1'/>" VTU_TAIL, "file:3", "NumberOfPoints is missing", 0},
        {VTU_HEAD "<Piece NumberOfPoints='-1' NumberOfCells='1'/>" VTU_TAIL, "file:3", "is '-1'",
         0},
        {VTU_HEAD "<Piece NumberOfPoints='1e3' NumberOfCells='1'/>" VTU_TAIL, "file:3", "1e3", 0},
        {VTU_HEAD "<Piece NumberOfPoints='1' NumberOfCells='0'/>" VTU_TAIL, "file:3", "no points",
         0},
        {VTU_HEAD VTU_PIECE("2000000000", "format='ascii'>1 2 3") VTU_TAIL, "file:4",
         "3 numbers for the points, but 6000000000", 0},
        {VTU_HEAD VTU_PIECE("1", "format='ascii'>1 2") VTU_TAIL, "file:4", "2 numbers", 0},
        {VTU_HEAD VTU_PIECE("1", "format='ascii'>1 2 nan") VTU_TAIL, "file:4", "finite", 0},
        {VTU_HEAD VTU_PIECE("1", "format='ascii'>1 2 x") VTU_TAIL, "file:4", "found 'x'", 0},
        {VTU_HEAD VTU_PIECE("1", "format='hex'>1 2 x") VTU_TAIL, "file:4", "not ascii, binary", 0},
        {VTU_HEAD VTU_PIECE("1", "format='appended' offset='0'>") VTU_TAIL, "file:4",
         "no AppendedData", 0},
        {VTU_HEAD VTU_PIECE("1", "format='appended'>") VTU_TAIL, "file:4", "offset is missing", 0},
        {VTU_HEAD VTU_PIECE("1", "format='binary'>AAAA") VTU_TAIL, "file:4", "cut short", 0},
        {VTU_HEAD VTU_PIECE("1", "format='binary'>////////") VTU_TAIL, "file:4", "cut short", 0},
        {VTU_HEAD VTU_PIECE("1", "format='binary'>AwAAAAAAAA==") VTU_TAIL, "file:4",
         "3 bytes, not a multiple of 8", 0},
        {VTU_HEAD VTU_PIECE(
             "1",
             "format='appended' offset='999'>") "</UnstructuredGrid><AppendedData encoding='raw'>_",
         "file:4", "offset of the points is 999", 0},
        {VTU_HEAD "</UnstructuredGrid><AppendedData encoding='rot13'>_", "file:3", "not raw", 0},
        {VTU_HEAD "</UnstructuredGrid><AppendedData encoding='raw'>x", "file:3", "expected _", 0},
        {VTU_CELLS("0 1 3", "3", "5"), "file:5", "not among 0 to 2", 0},
        {VTU_CELLS("0 1 -1", "3", "5"), "file:5", "not among 0 to 2", 0},
        {VTU_CELLS("0 1 2", "4", "5"), "file:6", "offset of cell 0", 0},
        {VTU_CELLS("0 1 2", "-1", "5"), "file:6", "offset of cell 0", 0},
        {VTU_CELLS("0 1 2", "3 3", "5"), "file:6", "2 numbers for offsets", 0},
        {VTU_CELLS("0 1 2", "3", ""), "file:7", "0 numbers for types", 0},
        {VTU_CELLS("0 1 2", "3", "14"), "file:5", "(pyramid)", 0},
        {VTU_CELLS("0 1 2", "3", "999"), "file:5", "not known", 0},
        {VTU_CELLS("0 1", "2", "5"), "file:5", "must have 3", 0},
    };
    CHECK(count_accepted(MESH_FORMAT_VTU, files, sizeof files / sizeof *files) == 0);
}

/* The tables in front of compressed data lie at various positions. */
TEST(bad_compressed)
{
    static const uint64_t values[] = {0, 1, 3, 1000, 1u << 30, UINT64_MAX, UINT64_MAX / 8 - 2};
    vtu_variant v = {true, true, true, false, true};
    byte_list b = vtu_sample(v);
    char *data = memchr(memmem(b.data, b.size, "<Appended", 9), '_', 100);
    for (int field = 0; field < 5; field++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            char before[8];
            memcpy(before, data + 1 + 8 * field, 8);
            if (memcmp(before, &values[k], 8) == 0) continue;
            memcpy(data + 1 + 8 * field, &values[k], 8);
            mesh m;
            bool refused = read_text(MESH_FORMAT_VTU, b.data, b.size, &m, &error) != ABUT_OK;
            CHECK(refused);
            if (!refused) mesh_free(&m);
            memcpy(data + 1 + 8 * field, before, 8);
        }
    bytes_free(&b);
}

TEST(data_used_too_often)
{
    byte_list b = {0};
    bytes_text(&b, VTU_HEAD);
    for (int i = 0; i < 1000; i++)
        bytes_text(&b, VTU_PIECE("2730", "format='appended' offset='0'>"));
    bytes_text(&b, "</UnstructuredGrid>\n<AppendedData encoding='raw'>_");
    bytes_int(&b, 65520, machine_is_big_endian());
    for (int i = 0; i < 8190; i++) bytes_double(&b, 1, false);
    mesh m;
    CHECK(read_text(MESH_FORMAT_VTU, b.data, b.size, &m, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "used for many arrays") != NULL);
    bytes_free(&b);
}

int main(void)
{
    RUN(legacy);
    RUN(polydata);
    RUN(node_orders);
    RUN(bad_legacy);
    RUN(vtu_as_text);
    RUN(vtu_encodings);
    RUN(two_pieces);
    RUN(bad_vtu);
    RUN(bad_compressed);
    RUN(data_used_too_often);
    return TEST_END();
}
