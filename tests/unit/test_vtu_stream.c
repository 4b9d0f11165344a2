/* VTK's cell types and node orders, and the low-level VTU writer. */
#include "test.h"

#include "base/file.h"
#include "mesh/vtk_cells.h"
#include "mesh/vtu_stream.h"

#include <unistd.h>
#include <zlib.h>

static const struct {
    cell_kind kind;
    int max_order;
} kinds[] = {{CELL_POINT, 1}, {CELL_EDGE, 4}, {CELL_TRIANGLE, 4},
             {CELL_QUAD, 2},  {CELL_TET, 4},  {CELL_HEX, 2}};

TEST(cell_types_round_trip)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int order = 1; order <= kinds[i].max_order; order++) {
            cell_kind kind;
            int back, type = vtk_cell_type(kinds[i].kind, order);
            CHECK(type > 0);
            CHECK(vtk_cell_kind(type, cell_node_count(kinds[i].kind, order), &kind, &back));
            CHECK(kind == kinds[i].kind && back == order);
        }
    cell_kind kind;
    int order;
    CHECK(vtk_cell_type(CELL_TET, 5) == 0);
    CHECK(!vtk_cell_kind(10, 5, &kind, &order));
    CHECK(!vtk_cell_kind(71, 11, &kind, &order));
    CHECK(!vtk_cell_kind(13, 6, &kind, &order)); /* a wedge */
}

TEST(node_orders_are_permutations)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int order = 1; order <= kinds[i].max_order; order++) {
            int permutation[VTK_MAX_NODES], seen[VTK_MAX_NODES] = {0};
            vtk_node_order(kinds[i].kind, order, permutation);
            int n = cell_node_count(kinds[i].kind, order);
            for (int k = 0; k < n; k++) {
                CHECK(permutation[k] >= 0 && permutation[k] < n);
                seen[permutation[k]]++;
            }
            for (int k = 0; k < n; k++) CHECK(seen[k] == 1);
        }
}

/* Known from both manuals: of a quadratic tet only the last two nodes differ. */
TEST(quadratic_tet_swaps_its_last_nodes)
{
    int permutation[VTK_MAX_NODES];
    vtk_node_order(CELL_TET, 2, permutation);
    for (int i = 0; i < 8; i++) CHECK(permutation[i] == i);
    CHECK(permutation[8] == 9 && permutation[9] == 8);
    /* Order 3: edges 3-0 and its fellows run in the other direction, face (0,1,3) comes first. */
    vtk_node_order(CELL_TET, 3, permutation);
    CHECK(permutation[10] == 11 && permutation[11] == 10);
    CHECK(permutation[12] == 15 && permutation[13] == 14);
    CHECK(permutation[14] == 13 && permutation[15] == 12);
    CHECK(permutation[16] == 17 && permutation[17] == 19);
    CHECK(permutation[18] == 18 && permutation[19] == 16);
}

static char folder[64];

/* More than one block, so that joining is tested: 80000 doubles are 640 kB. */
TEST(blocks_unpack_to_what_was_added)
{
    enum { N = 80000 };
    abut_error err;
    double *values = mem_alloc(N, sizeof *values);
    for (int i = 0; i < N; i++) values[i] = sin(i) * 1e-7;
    vtu_stream vtu = {0};
    CHECK_OK(vtu_add(&vtu, VTU_POINT_DATA, "a<b", VTU_FLOAT64, 1, N, values, &err), err);
    const vtu_array *array = &vtu.arrays.data[0];
    uint64_t header[6];
    memcpy(header, array->bytes, sizeof header);
    CHECK(header[0] == 3 && header[1] == 262144 && header[2] == N * 8 - 2 * 262144);
    unsigned char *plain = mem_alloc(N, sizeof *values);
    size_t from = sizeof header, to = 0;
    for (int b = 0; b < 3; b++) {
        uLongf room = N * sizeof *values - to;
        CHECK(uncompress(plain + to, &room, array->bytes + from, header[3 + b]) == Z_OK);
        from += header[3 + b];
        to += room;
    }
    CHECK(to == N * sizeof *values && memcmp(plain, values, to) == 0 && from == array->size);

    char path[128];
    path_join(path, sizeof path, folder, "a.vtu");
    CHECK_OK(vtu_write(&vtu, path, &err), err);
    file_bytes text;
    CHECK_OK(file_read(path, &text, &err), err);
    CHECK(strstr(text.data, "Name=\"a&lt;b\" NumberOfComponents=\"1\" format=\"appended\"") !=
          NULL);
    CHECK(strstr(text.data, "byte_order=\"LittleEndian\"") != NULL);
    file_free(&text);
    unlink(path);
    mem_free(plain);
    mem_free(values);
    vtu_free(&vtu);
}

TEST(refused_arrays)
{
    abut_error err;
    vtu_stream vtu = {0};
    char name[100];
    memset(name, 'n', sizeof name);
    name[99] = 0;
    double x = 0;
    CHECK(vtu_add(&vtu, VTU_POINT_DATA, name, VTU_FLOAT64, 1, 1, &x, &err) == ABUT_ERROR_INPUT);
    cell_block wrong = {.kind = CELL_HEX, .order = 4, .nodes_per_cell = 125};
    CHECK(vtu_add_cells(&vtu, &wrong, 1, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(err.place, "hex") != NULL && strstr(err.message, "order 4") != NULL);
    vtu_free(&vtu);
}

static abut_status write_tet(const char *path, abut_error *err)
{
    double points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int32_t nodes[4] = {0, 1, 2, 3};
    cell_block block = {
        .kind = CELL_TET, .order = 1, .nodes_per_cell = 4, .count = 1, .nodes = nodes};
    vtu_stream vtu = {0};
    abut_status status = vtu_add(&vtu, VTU_POINTS, "Points", VTU_FLOAT64, 3, 4, points, err);
    if (status == ABUT_OK) status = vtu_add_cells(&vtu, &block, 1, err);
    if (status == ABUT_OK) status = vtu_write(&vtu, path, err);
    vtu_free(&vtu);
    return status;
}

TEST(faults_leave_no_file)
{
    abut_error err;
    char path[128];
    path_join(path, sizeof path, folder, "b.vtu");
    int failures = 0;
    for (;; failures++) {
        mem_fail_after(failures);
        abut_status status = write_tet(path, &err);
        bool injected = mem_failure_happened();
        mem_fail_after(-1);
        if (!injected) {
            CHECK_OK(status, err);
            break;
        }
        CHECK(status == ABUT_ERROR_MEMORY);
        CHECK(!file_exists(path));
    }
    CHECK(failures > 10);
    unlink(path);
    file_fail_after_bytes(200);
    CHECK(write_tet(path, &err) == ABUT_ERROR_IO);
    file_fail_after_bytes(-1);
    CHECK(!file_exists(path));
}

int main(void)
{
    strcpy(folder, "/tmp/abut-test-vtu-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    RUN(cell_types_round_trip);
    RUN(node_orders_are_permutations);
    RUN(quadratic_tet_swaps_its_last_nodes);
    RUN(blocks_unpack_to_what_was_added);
    RUN(refused_arrays);
    RUN(faults_leave_no_file);
    CHECK(rmdir(folder) == 0);
    return TEST_END();
}
