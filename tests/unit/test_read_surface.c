/* PLY, STL, OFF and Medit files, and the welding of vertices. */
#include "support/mesh_cases.h"
#include "test.h"

static abut_error error;

/* ---- PLY ----------------------------------------------------------------------------------- */

static const char ply_text[] = "ply\nformat ascii 1.0\ncomment a square and more\nobj_info x\n"
                               "element vertex 5\nproperty float x\nproperty uchar red\n"
                               "property double y\nproperty float z\n"
                               "element face 3\nproperty int flag\n"
                               "property list uchar int vertex_indices\n"
                               "property list uint8 float32 texcoord\n"
                               "element edge 1\nproperty int vertex1\nproperty int vertex2\n"
                               "element extra 1\nproperty char a\nend_header\n"
                               "0 255 0 0\n1 255 0 0\n1 0 1 0\n0 nan 1 0\n5 1 5 5.5\n"
                               "7 4 0 1 2 3 2 0.5 0.5\n7 3 4 1 0 0\n7 2 3 4 0\n"
                               "0 4\n3\n";

static byte_list ply_binary(bool big)
{
    bool swap = big != machine_is_big_endian();
    byte_list b = {0};
    bytes_text(&b, big ? "ply\r\nformat binary_big_endian 1.0\r\n"
                       : "ply\nformat binary_little_endian 1.0\n");
    bytes_text(&b, "element vertex 5\nproperty float x\nproperty uchar red\nproperty double y\n"
                   "property float z\nelement face 3\nproperty short flag\n"
                   "property list uchar int vertex_index\nproperty list ushort float t\n"
                   "element edge 1\nproperty uint vertex2\nproperty ushort vertex1\nend_header\n");
    static const float points[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {5, 5, 5.5f}};
    for (int v = 0; v < 5; v++) {
        bytes_float(&b, points[v][0], swap);
        bytes_raw(&b, "\377", 1);
        bytes_double(&b, (double)points[v][1], swap);
        bytes_float(&b, points[v][2], swap);
    }
    static const int faces[3][5] = {{4, 0, 1, 2, 3}, {3, 4, 1, 0, 0}, {2, 3, 4, 0, 0}};
    for (int f = 0; f < 3; f++) {
        char count = (char)faces[f][0];
        bytes_short(&b, -1, swap);
        bytes_raw(&b, &count, 1);
        for (int i = 1; i <= count; i++) bytes_int(&b, faces[f][i], swap);
        bytes_short(&b, 1, swap);
        bytes_float(&b, NAN, swap);
    }
    bytes_int(&b, 4, swap);
    bytes_short(&b, 0, swap);
    return b;
}

static void check_ply(const mesh *m)
{
    static const int32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 1, 0}, edges[] = {3, 4, 0, 4};
    CHECK(m->vertex_count == 5 && m->block_count == 2);
    if (m->vertex_count != 5 || m->block_count != 2) return;
    CHECK(m->vertices[2].y == 1 && m->vertices[4].z == 5.5);
    CHECK(m->blocks[0].kind == CELL_TRIANGLE && m->blocks[0].count == 3);
    CHECK(memcmp(m->blocks[0].nodes, triangles, sizeof triangles) == 0);
    CHECK(m->blocks[1].kind == CELL_EDGE && m->blocks[1].count == 2);
    CHECK(memcmp(m->blocks[1].nodes, edges, sizeof edges) == 0);
}

TEST(ply)
{
    for (int variant = 0; variant < 3; variant++) {
        byte_list b = {0};
        mesh m;
        if (variant == 2)
            bytes_text(&b, ply_text);
        else
            b = ply_binary(variant == 1);
        CHECK(mesh_recognize("x", b.data, b.size) == MESH_FORMAT_PLY);
        CHECK_OK(read_text(MESH_FORMAT_PLY, b.data, b.size, &m, &error), error);
        check_ply(&m);
        mesh_free(&m);
        CHECK(exhaust_memory(MESH_FORMAT_PLY, b.data, b.size) > 4);
        /* Of the text, the last line and its newline may be missing digits. */
        CHECK(count_accepted_beginnings(MESH_FORMAT_PLY, b.data, b.size) == (variant == 2));
        bytes_free(&b);
    }
}

#define PLY_HEAD "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
#define PLY_FACE "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
#define PLY_VERTICES "0 0\n1 0\n0 1\n"
#define PLY_BINARY                                                                                 \
    "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"

TEST(bad_ply)
{
    static const bad_file files[] = {
        {"", "file:1", "expected ply", 0},
        {"ply\n", "file:2", "no end_header", 0},
        {"ply\nend_header\n", "file:2", "no line \"format\"", 0},
        {"ply\nformat ascii 1.0\nend_header\n", "file:4", "no vertices", 0},
        {"ply\nformat morse 1.0\n", "file:2", "the format is 'morse'", 0},
        {"ply\nformat ascii 1.0\nproperty float x\n", "file:3", "before any element", 0},
        {"ply\nformat ascii 1.0\nelement vertex -1\n", "file:3", "allowed are 0 to", 0},
        {"ply\nformat ascii 1.0\nelement vertex 9999999999999999999\n", "file:3", "allowed are", 0},
        {"ply\nformat ascii 1.0\nelement vertex x\n", "file:3", "expected a whole number", 0},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\n", "file:4", "found 'quad'", 0},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int x\n", "file:4",
         "must be a whole number", 0},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", "file:3",
         "need the properties x and y", 0},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float x\n"
         "property float y\nend_header\n1 1 1\n",
         "file:3", "once each", 0},
        {"ply\nformat ascii 1.0\nfoo\n", "file:3", "found 'foo'", 0},
        {"ply\nformat ascii 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\n"
         "end_header\n0 0\n",
         "file:3", "has only 4 bytes", 0},
        {PLY_HEAD PLY_FACE PLY_VERTICES "3 0 1 3\n", "file:12", "vertex 3 (counted from 0)", 0},
        {PLY_HEAD PLY_FACE PLY_VERTICES "3 0 1 -1\n", "file:12", "vertex index is -1", 0},
        {PLY_HEAD PLY_FACE PLY_VERTICES "3 0 1 1.5\n", "file:12", "vertex index is 1.5", 0},
        {PLY_HEAD PLY_FACE PLY_VERTICES "0 1 2 3\n", "file:12", "a face has no vertices", 0},
        {PLY_HEAD PLY_FACE PLY_VERTICES "-3 1 2 3\n", "file:11", "length of a list is -3", 0},
        {PLY_HEAD PLY_FACE PLY_VERTICES "1000 1 2 3\n", "file:11", "bytes", 0},
        {PLY_HEAD PLY_FACE "0 0\n1 nan\n0 1\n3 0 1 2\n", "file:10", "finite", 0},
        {PLY_HEAD PLY_FACE "0 0\n1 inf\n0 1\n3 0 1 2\n", "file:10", "finite", 0},
        {PLY_HEAD "element face 1\nproperty int a\nend_header\n" PLY_VERTICES "1\n", "file:6",
         "list vertex_indices", 0},
        {PLY_HEAD "element edge 1\nproperty int a\nend_header\n" PLY_VERTICES "1\n", "file:6",
         "vertex1 and vertex2", 0},
        {PLY_HEAD "element tristrips 1\nproperty int a\nend_header\n" PLY_VERTICES "1\n", "file:6",
         "triangle strips", 0},
        {PLY_BINARY "end_header\n1234567", "file: byte 51", "has only 7 bytes", 0},
        {PLY_BINARY "end_header\n1234\xff\xff\xff\xff", "file: byte 102", "finite", 0},
    };
    CHECK(count_accepted(MESH_FORMAT_PLY, files, sizeof files / sizeof *files) == 0);
}

/* ---- STL ----------------------------------------------------------------------------------- */

#define FACET(a, b, c)                                                                             \
    " facet normal nan 0 1\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c          \
    "\n  endloop\n endfacet\n"

static const char stl_text[] = "solid two words\n" FACET(
    "0 0 0", "1 0 0", "0 1 0") "endsolid two words\n"
                               "SOLID\n FACET NORMAL 0 0 1\n OUTER LOOP VERTEX 1 0 0 VERTEX 1 1 -0 "
                               "VERTEX 0 1 0 ENDLOOP "
                               "ENDFACET\nENDSOLID\n";

static byte_list stl_binary(const char *header)
{
    static const float points[2][3][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                          {{1, 0, 0}, {1, 1, -0.0f}, {0, 1, 0}}};
    bool swap = machine_is_big_endian();
    byte_list b = {0};
    char head[80] = {0};
    snprintf(head, sizeof head, "%s", header);
    bytes_raw(&b, head, sizeof head);
    bytes_int(&b, 2, swap);
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 3; k++) bytes_float(&b, NAN, swap);
        for (int k = 0; k < 9; k++) bytes_float(&b, points[t][k / 3][k % 3], swap);
        bytes_short(&b, 0, swap);
    }
    return b;
}

static void check_stl(const mesh *m)
{
    CHECK(m->vertex_count == 4 && m->block_count == 1 && m->blocks[0].count == 2); /* welded */
    CHECK(m->blocks[0].kind == CELL_TRIANGLE && m->blocks[0].nodes[5] < 4);
    vec3 corner = m->vertices[m->blocks[0].nodes[4]];
    CHECK(m->vertices[2].y == 1 && corner.x == 1 && corner.y == 1);
}

TEST(stl)
{
    for (int variant = 0; variant < 3; variant++) {
        byte_list b = {0};
        mesh m;
        if (variant == 2)
            bytes_text(&b, stl_text);
        else
            b = stl_binary(variant ? "solid but binary" : "binary");
        CHECK(mesh_recognize("x", b.data, b.size) == MESH_FORMAT_STL);
        CHECK_OK(read_text(MESH_FORMAT_STL, b.data, b.size, &m, &error), error);
        check_stl(&m);
        mesh_free(&m);
        CHECK(exhaust_memory(MESH_FORMAT_STL, b.data, b.size) > 1);
        /* A text is complete after each solid: with the first newline, blank or end. */
        int accepted = count_accepted_beginnings(MESH_FORMAT_STL, b.data, b.size);
        CHECK(variant == 2 ? accepted > 0 && accepted < 20 : accepted == 0);
        bytes_free(&b);
    }
}

TEST(bad_stl)
{
    static const char short_header[] = "binary, but far too short";
    static const char solid[] = "solid x\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n";
    static const bad_file files[] = {
        {short_header, "file: byte 0", "ends within the header", 0},
        {"solid x\n", "file:2", "expected facet or endsolid, found the end of the file", 0},
        {"solid x\nendsolid\n", "file:3", "no triangles", 0},
        {"solid x\nfacet normal 0 0\n", "file:3", "ends within a facet", 0},
        {"solid x\nfacet norm 0 0 1\n", "file:2", "expected normal, found 'norm'", 0},
        {solid, "file:5", "expected vertex", 0},
        {"solid x\n facet normal 0 0 1\n outer loop\n vertex 0 nan 0\n", "file:4", "finite", 0},
        {"solid x\n facet normal 0 0 1\n outer loop\n vertex 0 a 0\n", "file:4", "found 'a'", 0},
        {"solid x\n" FACET("0 0 0", "1 0 0", "0 1 0") "oops\n", "file:9", "found 'oops'", 0},
    };
    CHECK(count_accepted(MESH_FORMAT_STL, files, sizeof files / sizeof *files) == 0);
    byte_list b = stl_binary("x");
    mesh m;
    int32_t count = 2000000000;
    memcpy(b.data + 80, &count, 4);
    CHECK(read_text(MESH_FORMAT_STL, b.data, b.size, &m, &error) == ABUT_ERROR_INPUT);
    CHECK(strcmp(error.place, "file: byte 80") == 0 && strstr(error.message, "2000000000"));
    count = 0;
    memcpy(b.data + 80, &count, 4);
    CHECK(read_text(MESH_FORMAT_STL, b.data, 84, &m, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "no triangles") != NULL);
    count = 2;
    memcpy(b.data + 80, &count, 4);
    uint32_t nan_bits = 0x7fc00000;
    memcpy(b.data + 84 + 50 + 12, &nan_bits, 4);
    CHECK(read_text(MESH_FORMAT_STL, b.data, b.size, &m, &error) == ABUT_ERROR_INPUT);
    CHECK(strcmp(error.place, "file: byte 146") == 0 && strstr(error.message, "finite"));
    bytes_free(&b);
}

static size_t welded(double tolerance, const char *text, mesh *m)
{
    mesh_read_options options = {.weld = true, .weld_tolerance = tolerance};
    abut_status status =
        mesh_read_memory(MESH_FORMAT_STL, "file", text, strlen(text), &options, m, &error);
    CHECK_OK(status, error);
    return m->vertex_count;
}

TEST(welding)
{
    mesh m;
    CHECK(welded(0.0, stl_text, &m) == 4); /* -0 and 0 are the same place */
    static const int32_t expected[] = {0, 1, 2, 1, 3, 2};
    CHECK(memcmp(m.blocks[0].nodes, expected, sizeof expected) == 0 && m.vertices[3].x == 1);
    mesh_free(&m);
    static const char near[] =
        "solid\n" FACET("0 0 0", "1 0 0", "0 1 0") FACET("1.0001 0 0", "1 1 0", "0 0.9999 0")
            FACET("0 0 0", "0.0001 0 0", "1 1 0") "endsolid\n";
    CHECK(welded(0.0, near, &m) == 7 && m.blocks[0].count == 3);
    mesh_free(&m);
    CHECK(welded(1e-3, near, &m) == 4 && m.blocks[0].count == 2); /* the sliver is gone */
    CHECK(memcmp(m.blocks[0].nodes, expected, sizeof expected) == 0);
    mesh_free(&m);
    mesh_read_options options = {.weld = true, .weld_tolerance = -1};
    CHECK(mesh_read_memory(MESH_FORMAT_STL, "file", near, strlen(near), &options, &m, &error) ==
          ABUT_ERROR_INPUT);
    CHECK(strcmp(error.place, "file") == 0 && strstr(error.message, "welding tolerance"));
    options.weld_tolerance = 0;
    for (int round = 0; round < 100; round++) {
        mem_fail_after(round);
        abut_status status =
            mesh_read_memory(MESH_FORMAT_STL, "file", near, strlen(near), &options, &m, &error);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (failed ? ABUT_ERROR_MEMORY : ABUT_OK));
        if (failed) continue;
        CHECK(round > 4);
        mesh_free(&m);
        break;
    }
}

/* ---- OFF ----------------------------------------------------------------------------------- */

static const char off_text[] = "COFF # with colours\n# counts\n4 2 0\n0 0 0 255 0 0 1\n1 0 0\n"
                               "1 1 0 0.5 0.5 0.5\n\n0 1 2.5\n4 0 1 2 3 255 255 0\n3 0 1 3";

TEST(off)
{
    mesh m;
    static const int32_t expected[] = {0, 1, 2, 0, 2, 3, 0, 1, 3};
    CHECK(mesh_recognize("x", off_text, strlen(off_text)) == MESH_FORMAT_OFF);
    CHECK_OK(read_text(MESH_FORMAT_OFF, off_text, strlen(off_text), &m, &error), error);
    CHECK(m.vertex_count == 4 && m.vertices[3].z == 2.5 && m.blocks[0].count == 3);
    CHECK(memcmp(m.blocks[0].nodes, expected, sizeof expected) == 0);
    mesh_free(&m);
    CHECK(exhaust_memory(MESH_FORMAT_OFF, off_text, strlen(off_text)) > 1);
    CHECK(count_accepted_beginnings(MESH_FORMAT_OFF, off_text, strlen(off_text)) == 0);
}

TEST(bad_off)
{
    static const bad_file files[] = {
        {"", "file:1", "expected OFF", 0},
        {"4OFF\n1 0 0\n", "file:1", "found '4OFF'", 0},
        {"OFF BINARY\n", "file:1", "binary OFF", 0},
        {"OFF\n0 0 0\n", "file:1", "no vertices", 0},
        {"OFF\n-1 0 0\n", "file:2", "allowed are 0", 0},
        {"OFF\n1000000000 1 0\n0 0 0\n", "file:2", "bytes", 0},
        {"OFF\n1 1000000000 0\n0 0 0\n", "file:2", "bytes", 0},
        {"OFF\n1 1 0\n0 0 nan\n3 0 0 0\n", "file:3", "finite", 0},
        {"OFF\n1 1 0\n0 0 0\n2 0 0\n", "file:4", "allowed are 3", 0},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "file:4", "allowed are 0 to 0", 0},
        {"OFF\n1 1 0\n0 0 0\n2000000000 0 0 0\n", "file:5", "end of the file", 0},
    };
    CHECK(count_accepted(MESH_FORMAT_OFF, files, sizeof files / sizeof *files) == 0);
}

/* ---- Medit --------------------------------------------------------------------------------- */

static const char medit_text[] = "# made by hand\nMeshVersionFormatted 1\nDimension\n3\n"
                                 "Corners 2\n1\n2\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
                                 "0 0 1 0\n1 1 1.5 3\n\nEdges 1\n1 2 0\nTriangles\n1\n1 3 2 4\n"
                                 "Tetrahedra\n2\n1 2 3 4 7\n2 3 4 5 0\nRidges\n1\n1\nEnd\n";

TEST(medit)
{
    mesh m;
    size_t size = strlen(medit_text);
    CHECK(mesh_recognize("x.msh", medit_text, size) == MESH_FORMAT_MEDIT);
    CHECK_OK(read_text(MESH_FORMAT_MEDIT, medit_text, size, &m, &error), error);
    CHECK(m.vertex_count == 5 && m.vertices[4].z == 1.5 && m.block_count == 3);
    const cell_block *tets = mesh_find(&m, CELL_TET), *triangles = mesh_find(&m, CELL_TRIANGLE);
    CHECK(tets && tets->count == 2 && tets->nodes[7] == 4 && tets->tags && tets->tags[0] == 7);
    CHECK(triangles && triangles->tags[0] == 4 && triangles->nodes[1] == 2);
    CHECK(mesh_find(&m, CELL_EDGE) && !mesh_find(&m, CELL_EDGE)->tags);
    mesh_free(&m);
    CHECK(exhaust_memory(MESH_FORMAT_MEDIT, medit_text, size) > 3);
    count_accepted_beginnings(MESH_FORMAT_MEDIT, medit_text, size);
    const char *flat = "MeshVersionFormatted 2 Dimension 2 Vertices 3 0 0 0 1 0 0 0 1 0 "
                       "Quadrilaterals 0 Triangles 1 1 2 3 0";
    CHECK_OK(read_text(MESH_FORMAT_MEDIT, flat, strlen(flat), &m, &error), error);
    CHECK(m.vertex_count == 3 && m.vertices[2].y == 1 && m.vertices[2].z == 0);
    mesh_free(&m);
}

#define MEDIT_HEAD "MeshVersionFormatted 1\nDimension 3\nVertices 1\n0 0 0 0\n"

TEST(bad_medit)
{
    static const bad_file files[] = {
        {"", "file:1", "expected MeshVersionFormatted", 0},
        {"MeshVersionFormatted 1\n", "file:2", "no vertices", 0},
        {"MeshVersionFormatted 1\nDimension 4\n", "file:2", "allowed are 2 to 3", 0},
        {"MeshVersionFormatted 1\nVertices 1\n0 0 0 0\n", "file:2", "before Dimension", 0},
        {MEDIT_HEAD "Vertices 1\n0 0 0 0\n", "file:5", "a second section Vertices", 0},
        {MEDIT_HEAD "Triangles 1\n1 1 2 0\n", "file:6", "vertex 2 is used", 0},
        {MEDIT_HEAD "Triangles 1\n1 1 0 0\n", "file:6", "allowed are 1", 0},
        {MEDIT_HEAD "Triangles 100000000\n1 1 1 0\n", "file:5", "bytes", 0},
        {MEDIT_HEAD "Triangles -1\n1 1 1 0\n", "file:5", "allowed are 0", 0},
        {MEDIT_HEAD "TrianglesP2 1\n1 1 1 1 1 1 0\n", "file:5", "TrianglesP2 cannot be used", 0},
        {MEDIT_HEAD "Triangles 1\n1 1 1 0 9\n", "file:6", "found '9'", 0},
        {"MeshVersionFormatted 1\nDimension 3\nVertices 1\n0 0 inf 0\n", "file:4", "finite", 0},
    };
    CHECK(count_accepted(MESH_FORMAT_MEDIT, files, sizeof files / sizeof *files) == 0);
}

int main(void)
{
    RUN(ply);
    RUN(bad_ply);
    RUN(stl);
    RUN(bad_stl);
    RUN(welding);
    RUN(off);
    RUN(bad_off);
    RUN(medit);
    RUN(bad_medit);
    return TEST_END();
}
