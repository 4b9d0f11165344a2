/* Gmsh files: versions 2.2 and 4.1, text and binary in both byte orders, and what is refused. */
#include "support/mesh_cases.h"
#include "test.h"

static abut_error error;

/* Sparse node numbers out of order, two physical groups, a triangle, an unused node. */
static const char text_2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                             "$PhysicalNames\n1\n3 7 \"jelly\"\n$EndPhysicalNames\n"
                             "$Nodes\n6\n"
                             "10 0 0 0\n20 1 0 0\n15 0 1 0\n5 0 0 1\n1000000 1 1 1\n7 9 9 9\n"
                             "$EndNodes\n"
                             "$Elements\n3\n"
                             "1 4 2 7 1 10 20 15 5\n"
                             "2 4 3 8 1 0 20 15 5 1000000\n"
                             "3 2 0 10 15 20\n"
                             "$EndElements\n";

static const char text_4[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                             "$Entities\n1 0 1 2\n"
                             "1 0 0 0 0\n"
                             "4 0 0 0 1 1 1 0 1 2\n"
                             "1 0 0 0 1 1 1 2 7 9 1 4\n"
                             "2 0 0 0 1 1 1 1 -8 0\n"
                             "$EndEntities\n"
                             "$Nodes\n2 6 5 1000000\n"
                             "0 1 0 1\n10\n0 0 0\n"
                             "2 4 1 5\n20\n15\n5\n1000000\n7\n"
                             "1 0 0 0.5 0.5\n0 1 0 0.5 0.5\n0 0 1 0 0\n1 1 1 1 1\n9 9 9 0 0\n"
                             "$EndNodes\n"
                             "$Elements\n3 3 1 3\n"
                             "3 1 4 1\n1 10 20 15 5\n"
                             "3 2 4 1\n2 20 15 5 1000000\n"
                             "2 4 2 1\n3 10 15 20\n"
                             "$EndElements\n"
                             "$Surface\n1\n1 2 3\n$EndSurface\n";

static void check_sample(const mesh *m)
{
    static const int32_t tets[] = {0, 1, 2, 3, 1, 2, 3, 4}, triangle[] = {0, 2, 1};
    CHECK(m->vertex_count == 6 && m->block_count == 2);
    if (m->vertex_count != 6 || m->block_count != 2) return;
    CHECK(m->vertices[3].z == 1 && m->vertices[4].x == 1 && m->vertices[5].y == 9);
    CHECK(m->blocks[0].kind == CELL_TET && m->blocks[0].order == 1 && m->blocks[0].count == 2);
    CHECK(memcmp(m->blocks[0].nodes, tets, sizeof tets) == 0);
    CHECK(m->blocks[0].tags && m->blocks[0].tags[0] == 7 && m->blocks[0].tags[1] == 8);
    CHECK(m->blocks[1].kind == CELL_TRIANGLE && m->blocks[1].count == 1 && !m->blocks[1].tags);
    CHECK(memcmp(m->blocks[1].nodes, triangle, sizeof triangle) == 0);
}

TEST(text)
{
    mesh m;
    CHECK_OK(read_text(MESH_FORMAT_MSH, text_2, strlen(text_2), &m, &error), error);
    check_sample(&m);
    mesh_free(&m);
    CHECK_OK(read_text(MESH_FORMAT_MSH, text_4, strlen(text_4), &m, &error), error);
    check_sample(&m);
    mesh_free(&m);
}

static const int64_t node_tags[] = {10, 20, 15, 5, 1000000, 7};
static const double node_points[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 1, 1}, {9, 9, 9}};

static byte_list binary_2(bool swap)
{
    byte_list b = {0};
    bytes_text(&b, "$MeshFormat\n2.2 1 8\n");
    bytes_int(&b, 1, swap);
    bytes_text(&b, "$EndMeshFormat\n$Nodes\n6\n");
    for (int i = 0; i < 6; i++) {
        bytes_int(&b, (int32_t)node_tags[i], swap);
        for (int k = 0; k < 3; k++) bytes_double(&b, node_points[i][k], swap);
    }
    bytes_text(&b, "$EndNodes\n$Elements\n3\n");
    static const int32_t tets[] = {4, 2, 2, 1, 7, 1, 10, 20, 15, 5, 2, 8, 1, 20, 15, 5, 1000000};
    static const int32_t triangle[] = {2, 1, 0, 3, 10, 15, 20};
    for (size_t i = 0; i < sizeof tets / sizeof *tets; i++) bytes_int(&b, tets[i], swap);
    for (size_t i = 0; i < sizeof triangle / sizeof *triangle; i++)
        bytes_int(&b, triangle[i], swap);
    bytes_text(&b, "\n$EndElements\n$ElementData\n1\n\"x\"\n$EndElementData\n");
    return b;
}

static void size_value(byte_list *b, int64_t value, bool swap, int size)
{
    if (size == 8)
        bytes_long(b, value, swap);
    else
        bytes_int(b, (int32_t)value, swap);
}

static void element_block(byte_list *b, const int32_t header[3], const int64_t *values,
                          size_t nodes, bool swap, int size)
{
    for (int i = 0; i < 3; i++) bytes_int(b, header[i], swap);
    size_value(b, 1, swap, size);
    for (size_t i = 0; i < nodes + 1; i++) size_value(b, values[i], swap, size);
}

static byte_list binary_4(bool swap, int size)
{
    byte_list b = {0};
    bytes_text(&b, size == 8 ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4.1 1 4\n");
    bytes_int(&b, 1, swap);
    bytes_text(&b, "\n$EndMeshFormat\n$Entities\n");
    for (int d = 0; d < 4; d++) size_value(&b, d == 0 ? 1 : d == 3 ? 2 : 0, swap, size);
    bytes_int(&b, 1, swap); /* a point */
    for (int k = 0; k < 3; k++) bytes_double(&b, 0, swap);
    size_value(&b, 0, swap, size);
    for (int volume = 1; volume <= 2; volume++) {
        bytes_int(&b, volume, swap);
        for (int k = 0; k < 6; k++) bytes_double(&b, k, swap);
        size_value(&b, 1, swap, size);
        bytes_int(&b, volume + 6, swap);
        size_value(&b, 0, swap, size);
    }
    bytes_text(&b, "\n$EndEntities\n$Nodes\n");
    static const int64_t head[] = {1, 6, 5, 1000000};
    for (int i = 0; i < 4; i++) size_value(&b, head[i], swap, size);
    for (int i = 0; i < 3; i++) bytes_int(&b, i == 0 ? 3 : i == 1, swap); /* 3, 1, 0 */
    size_value(&b, 6, swap, size);
    for (int i = 0; i < 6; i++) size_value(&b, node_tags[i], swap, size);
    for (int i = 0; i < 18; i++) bytes_double(&b, node_points[i / 3][i % 3], swap);
    bytes_text(&b, "\n$EndNodes\n$Elements\n");
    static const int64_t element_head[] = {3, 3, 1, 3};
    for (int i = 0; i < 4; i++) size_value(&b, element_head[i], swap, size);
    element_block(&b, (int32_t[]){3, 1, 4}, (int64_t[]){1, 10, 20, 15, 5}, 4, swap, size);
    element_block(&b, (int32_t[]){3, 2, 4}, (int64_t[]){2, 20, 15, 5, 1000000}, 4, swap, size);
    element_block(&b, (int32_t[]){2, 4, 2}, (int64_t[]){3, 10, 15, 20}, 3, swap, size);
    bytes_text(&b, "\n$EndElements\n");
    return b;
}

static byte_list binary_sample(int variant)
{
    return variant < 2 ? binary_2(variant == 1) : binary_4(variant % 2 == 1, variant < 4 ? 8 : 4);
}

TEST(binary)
{
    for (int variant = 0; variant < 6; variant++) {
        byte_list b = binary_sample(variant);
        mesh m;
        CHECK_OK(read_text(MESH_FORMAT_MSH, b.data, b.size, &m, &error), error);
        check_sample(&m);
        mesh_free(&m);
        bytes_free(&b);
    }
}

TEST(orders)
{
    static const struct {
        int type;
        cell_kind kind;
        int order;
    } types[] = {{15, CELL_POINT, 1},   {1, CELL_EDGE, 1},      {8, CELL_EDGE, 2},
                 {26, CELL_EDGE, 3},    {27, CELL_EDGE, 4},     {2, CELL_TRIANGLE, 1},
                 {9, CELL_TRIANGLE, 2}, {21, CELL_TRIANGLE, 3}, {23, CELL_TRIANGLE, 4},
                 {3, CELL_QUAD, 1},     {10, CELL_QUAD, 2},     {4, CELL_TET, 1},
                 {11, CELL_TET, 2},     {29, CELL_TET, 3},      {30, CELL_TET, 4},
                 {5, CELL_HEX, 1},      {12, CELL_HEX, 2}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        int nodes = cell_node_count(types[t].kind, types[t].order);
        char text[4096];
        int n =
            snprintf(text, sizeof text, "$MeshFormat 2.2 0 8 $EndMeshFormat $Nodes %d\n", nodes);
        for (int i = 0; i < nodes; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%d %d 0 0\n", i + 1, i);
        n += snprintf(text + n, sizeof text - (size_t)n, "$EndNodes $Elements 1\n1 %d 1 -3",
                      types[t].type);
        for (int i = 0; i < nodes; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, " %d", nodes - i);
        n += snprintf(text + n, sizeof text - (size_t)n, " $EndElements");
        mesh m;
        CHECK_OK(read_text(MESH_FORMAT_MSH, text, (size_t)n, &m, &error), error);
        CHECK(m.block_count == 1 && m.blocks[0].kind == types[t].kind &&
              m.blocks[0].order == types[t].order && m.blocks[0].nodes_per_cell == nodes);
        CHECK(m.blocks[0].nodes[0] == nodes - 1 && m.blocks[0].nodes[nodes - 1] == 0);
        CHECK(m.blocks[0].tags && m.blocks[0].tags[0] == -3);
        mesh_free(&m);
    }
}

#define HEAD_2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD_4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES_2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"

TEST(bad_text)
{
    static const bad_file files[] = {
        {"", "file:1", "expected $MeshFormat, found the end of the file", 0},
        {"hello", "file:1", "expected $MeshFormat, found 'hello'", 0},
        {"$MeshFormat\n1.0 0 8\n", "file:2", "version 1 of the MSH format", 0},
        {"$MeshFormat\n4.0 0 8\n", "file:2", "2.2 and 4.1 can", 0},
        {"$MeshFormat\n2.2 3 8\n", "file:2", "file type", 0},
        {"$MeshFormat\n2.2 0 5\n", "file:2", "must be 4 or 8", 0},
        {"$MeshFormat\n2.2 0 8\n$Nodes", "file:3", "expected $EndMeshFormat", 0},
        {HEAD_2, "file:4", "no section $Nodes", 0},
        {HEAD_2 NODES_2, "file:10", "no section $Elements", 0},
        {HEAD_2 "nonsense\n", "file:4", "expected a section such as $Nodes, found 'nonsense'", 0},
        {HEAD_2 "$Mystery\n1 2 3\n", "file:4", "section '$Mystery' has no end", 0},
        {HEAD_2 "$Elements\n0\n$EndElements\n", "file:4", "before $Nodes", 0},
        {HEAD_2 NODES_2 NODES_2, "file:10", "a second section $Nodes", 0},
        {HEAD_2 "$Nodes\n-4\n", "file:5", "allowed are 0", 0},
        {HEAD_2 "$Nodes\n1000000000\n1 0 0 0\n", "file:5", "has only 9 bytes", 0},
        {HEAD_2 "$Nodes\n99999999999999999999999\n", "file:5", "allowed are 0", 0},
        {HEAD_2 "$Nodes\n0\n$EndNodes\n", "file:4", "the mesh has no nodes", 0},
        {HEAD_2 "$Nodes\n2\n1 0 0 0\n2 0 0 nan\n", "file:7", "must be finite", 0},
        {HEAD_2 "$Nodes\n2\n1 0 0 0\n2 0 zero 0\n", "file:7", "found 'zero'", 0},
        {HEAD_2 "$Nodes\n2\n1 0.25 0 0\n2 0 0", "file:7", "found the end of the file", 0},
        {HEAD_2 "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "file:4", "given to two nodes", 0},
        {HEAD_2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "file:7", "expected $EndNodes", 0},
        {HEAD_2 NODES_2 "$Elements\n1\n1 2 0 1 2 4\n", "file:12", "node 4, which is not", 0},
        {HEAD_2 NODES_2 "$Elements\n1\n1 2 0 1 2 -3\n", "file:12", "allowed are 0", 0},
        {HEAD_2 NODES_2 "$Elements\n1\n1 99 0 1 2 3\n", "file:12", "not one of Gmsh's", 0},
        {HEAD_2 NODES_2 "$Elements\n1\n1 6 0 1 2 3\n", "file:12", "type 6 (prism)", 0},
        {HEAD_2 NODES_2 "$Elements\n1\n1 2 -1 1 2 3\n", "file:12", "number of tags", 0},
        {HEAD_2 NODES_2 "$Elements\n1\n1 2 99999 1 2 3\n", "file:13", "end of the file", 0},
        {HEAD_2 NODES_2 "$Elements\n2\n1 2 0 1 2 3\n$EndElements\n", "file:13",
         "expected a whole number (element number), found '$EndElements'", 0},
        {HEAD_2 NODES_2 "$Elements\n1000000\n1 2 0 1 2 3\n", "file:11", "bytes", 0},
        {HEAD_4 "$Nodes\n1 -1 1 1\n", "file:5", "must not be negative", 0},
        {HEAD_4 "$Nodes\n4000000000 1 1 1\n", "file:5", "at most", 0},
        {HEAD_4 "$Nodes\n1 400 1 1\n", "file:5", "bytes", 0},
        {HEAD_4 "$Nodes\n1 1 1 1\n0 1 0 2\n1\n2\n0 0 0\n0 0 0\n", "file:6", "only 1 of the", 0},
        {HEAD_4 "$Nodes\n1 2 1 1\n0 1 0 1\n1\n0 0 0\n$EndNodes\n", "file:8", "2 were announced", 0},
        {HEAD_4 "$Nodes\n1 1 1 1\n5 1 0 1\n1\n0 0 0\n", "file:6", "dimension of an entity", 0},
        {HEAD_4 "$Nodes\n1 1 1 1\n0 1 2 1\n1\n0 0 0\n", "file:6", "parametric", 0},
        {HEAD_4 "$Entities\n-1 0 0 0\n", "file:5", "must not be negative", 0},
        {HEAD_4 "$Entities\n1000 0 0 0\n", "file:5", "bytes", 0},
    };
    CHECK(count_accepted(MESH_FORMAT_MSH, files, sizeof files / sizeof *files) == 0);
}

/* One number of a binary file is changed; the reader must say where. */
static void spoil(int variant, const char *after, size_t offset, int32_t value, const char *words)
{
    byte_list b = binary_sample(variant);
    char *found = memmem(b.data, b.size, after, strlen(after));
    CHECK(found != NULL);
    size_t at = (size_t)(found - b.data) + strlen(after) + offset;
    memcpy(b.data + at, &value, 4);
    mesh m;
    CHECK(read_text(MESH_FORMAT_MSH, b.data, b.size, &m, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.place, "file: byte ") == error.place);
    if (!strstr(error.message, words)) printf("     %s: %s\n", error.place, error.message);
    CHECK(strstr(error.message, words) != NULL);
    bytes_free(&b);
}

TEST(bad_binary)
{
    spoil(0, "2.2 1 8\n", 0, 77, "byte order");
    spoil(0, "$Nodes\n6\n", 8, -1, "must be finite"); /* upper half of a double: nan */
    spoil(0, "$Nodes\n6\n", 0, 20, "given to two nodes");
    spoil(0, "$Elements\n3\n", 0, 4444, "not one of Gmsh's");
    spoil(0, "$Elements\n3\n", 4, 0, "number of elements in a block is 0");
    spoil(0, "$Elements\n3\n", 4, 2000000000, "bytes");
    spoil(0, "$Elements\n3\n", 8, 2000000000, "bytes");
    spoil(0, "$Elements\n3\n", 24, 11, "node 11");
    spoil(2, "$Nodes\n", 12, 5, "at most");
    spoil(2, "$Nodes\n", 8, 5000, "bytes");
    spoil(2, "$Nodes\n", 8, 7, "7 were announced");
    spoil(2, "$Nodes\n", 32, 9, "dimension");
    spoil(2, "$Nodes\n", 48, -1, "must not be negative");
    spoil(2, "$Elements\n", 8, -1, "at most");
    spoil(2, "$Elements\n", 8, 4, "4 were announced");
    spoil(2, "$Elements\n", 60, 11, "node 11");
    spoil(2, "$Entities\n", 0, -1, "at most");
    spoil(2, "$Entities\n", 60, 100000, "bytes");
}

TEST(cut_short_anywhere)
{
    /* All but the last newline are needed; the skipped sections at the end are not. */
    int needed = (int)(strstr(text_4, "$Surface") - text_4);
    CHECK(count_accepted_beginnings(MESH_FORMAT_MSH, text_2, strlen(text_2)) == 1);
    CHECK(count_accepted_beginnings(MESH_FORMAT_MSH, text_4, (size_t)needed) == 1);
    for (int variant = 0; variant < 6; variant++) {
        byte_list b = binary_sample(variant);
        const char *end = memmem(b.data, b.size, "$EndElements", 12);
        int accepted = count_accepted_beginnings(MESH_FORMAT_MSH, b.data,
                                                 (size_t)(end - b.data) + strlen("$EndElements"));
        CHECK(accepted == 0);
        bytes_free(&b);
    }
}

TEST(failing_allocations)
{
    CHECK(exhaust_memory(MESH_FORMAT_MSH, text_2, strlen(text_2)) > 5);
    CHECK(exhaust_memory(MESH_FORMAT_MSH, text_4, strlen(text_4)) > 5);
    for (int variant = 0; variant < 6; variant++) {
        byte_list b = binary_sample(variant);
        CHECK(exhaust_memory(MESH_FORMAT_MSH, b.data, b.size) > 5);
        bytes_free(&b);
    }
}

/* Any byte replaced by others: nothing may crash, and what is accepted must be sound. */
TEST(changed_bytes)
{
    for (int variant = 0; variant < 8; variant++) {
        byte_list b = {0};
        if (variant < 6)
            b = binary_sample(variant);
        else
            bytes_text(&b, variant == 6 ? text_2 : text_4);
        for (size_t i = 0; i < b.size; i++) {
            char before = b.data[i];
            static const char values[] = {0, 1, -1, 127, -128, '9', '-', ' '};
            for (size_t k = 0; k < sizeof values; k++) {
                b.data[i] = values[k];
                mesh m;
                if (read_text(MESH_FORMAT_MSH, b.data, b.size, &m, NULL) != ABUT_OK) continue;
                bool in_range = true;
                for (int j = 0; j < m.block_count; j++)
                    for (size_t n = 0; n < m.blocks[j].count * (size_t)m.blocks[j].nodes_per_cell;
                         n++)
                        in_range &= m.blocks[j].nodes[n] >= 0 &&
                                    (size_t)m.blocks[j].nodes[n] < m.vertex_count;
                CHECK(in_range);
                mesh_free(&m);
            }
            b.data[i] = before;
        }
        bytes_free(&b);
    }
}

int main(void)
{
    RUN(text);
    RUN(binary);
    RUN(orders);
    RUN(bad_text);
    RUN(bad_binary);
    RUN(cut_short_anywhere);
    RUN(failing_allocations);
    RUN(changed_bytes);
    return TEST_END();
}
