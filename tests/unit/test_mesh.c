/* The mesh container: node counts, copying, appending, validation messages, failing allocations. */
#include "test.h"

#include "base/memory.h"
#include "mesh/mesh.h"

static abut_error error;

/* One linear tet with tags, one edge, a rest shape and a stitch. */
static mesh small_mesh(bool with_tags)
{
    mesh m;
    cell_block *tets, *edges;
    CHECK_OK(mesh_init(&m, 4, &error), error);
    for (int i = 0; i < 4; i++) m.vertices[i] = vec3_make(i == 1, i == 2, i == 3);
    CHECK_OK(mesh_add_block(&m, CELL_TET, 1, 1, with_tags, &tets, &error), error);
    for (int i = 0; i < 4; i++) tets->nodes[i] = i;
    if (with_tags) tets->tags[0] = 7;
    CHECK_OK(mesh_add_block(&m, CELL_EDGE, 1, 1, false, &edges, &error), error);
    edges->nodes[0] = 2;
    edges->nodes[1] = 3;
    return m;
}

static void add_stitch(mesh *m)
{
    m->stitch_vertices = mem_alloc(1, sizeof *m->stitch_vertices);
    m->stitch_ratio = mem_alloc(1, sizeof *m->stitch_ratio);
    m->stitch_count = 1;
    for (int k = 0; k < 3; k++) m->stitch_vertices[0][k] = k;
    m->stitch_ratio[0] = 0.25;
}

TEST(node_counts)
{
    CHECK(cell_node_count(CELL_POINT, 1) == 1 && cell_node_count(CELL_POINT, 2) == 0);
    CHECK(cell_node_count(CELL_EDGE, 4) == 5);
    CHECK(cell_node_count(CELL_TRIANGLE, 1) == 3 && cell_node_count(CELL_TRIANGLE, 4) == 15);
    CHECK(cell_node_count(CELL_TET, 1) == 4 && cell_node_count(CELL_TET, 2) == 10);
    CHECK(cell_node_count(CELL_TET, 3) == 20 && cell_node_count(CELL_TET, 4) == 35);
    CHECK(cell_node_count(CELL_TET, 5) == 0 && cell_node_count(CELL_TET, 0) == 0);
    CHECK(cell_node_count(CELL_QUAD, 2) == 9 && cell_node_count(CELL_HEX, 2) == 27);
    CHECK(cell_node_count(CELL_HEX, 3) == 0);
    CHECK(cell_corner_count(CELL_HEX) == 8 && cell_corner_count(CELL_EDGE) == 2);
    CHECK(strcmp(cell_kind_name(CELL_TET), "tet") == 0);
}

TEST(copy_is_deep)
{
    mesh m = small_mesh(true), copy;
    add_stitch(&m);
    CHECK_OK(mesh_copy(&m, &copy, &error), error);
    m.vertices[1].x = 9;
    m.blocks[0].nodes[0] = 3;
    m.blocks[0].tags[0] = 1;
    m.stitch_vertices[0][0] = 3;
    CHECK(copy.vertices[1].x == 1 && copy.blocks[0].nodes[0] == 0 && copy.blocks[0].tags[0] == 7);
    CHECK(copy.block_count == 2 && copy.stitch_count == 1 && copy.stitch_vertices[0][0] == 0);
    CHECK(copy.stitch_ratio[0] == 0.25 && copy.rest == NULL);
    CHECK_OK(mesh_validate(&copy, &error), error);
    mesh_free(&m);
    mesh_free(&copy);
    CHECK(m.vertices == NULL && m.block_count == 0);
}

TEST(append_merges_blocks_and_shifts_indices)
{
    mesh a = small_mesh(false), b = small_mesh(true);
    add_stitch(&b);
    b.rest = mem_alloc(4, sizeof *b.rest);
    for (int i = 0; i < 4; i++) b.rest[i] = vec3_make(i, 0, 0);
    cell_block *points;
    CHECK_OK(mesh_add_block(&b, CELL_POINT, 1, 1, false, &points, &error), error);
    points->nodes[0] = 1;
    CHECK_OK(mesh_append(&a, &b, &error), error);
    CHECK(a.vertex_count == 8 && a.block_count == 3);
    const cell_block *tets = mesh_find(&a, CELL_TET);
    CHECK(tets && tets->count == 2 && tets->nodes[4] == 4 && tets->nodes[7] == 7);
    CHECK(tets->tags && tets->tags[0] == 0 && tets->tags[1] == 7);
    CHECK(mesh_find(&a, CELL_POINT) && mesh_find(&a, CELL_POINT)->nodes[0] == 5);
    CHECK(mesh_find(&a, CELL_HEX) == NULL);
    CHECK(a.rest && a.rest[1].x == 1 && a.rest[7].x == 3);
    CHECK(a.stitch_count == 1 && a.stitch_vertices[0][2] == 6);
    CHECK_OK(mesh_validate(&a, &error), error);
    CHECK_OK(mesh_append(&a, &a, &error), error);
    CHECK(a.vertex_count == 16 && mesh_find(&a, CELL_TET)->count == 4);
    CHECK(mesh_find(&a, CELL_TET)->nodes[15] == 15);
    mesh_free(&a);
    mesh_free(&b);
}

TEST(append_to_nothing)
{
    mesh a = {0}, b = small_mesh(true);
    CHECK_OK(mesh_append(&a, &b, &error), error);
    CHECK(a.vertex_count == 4 && a.block_count == 2 && a.blocks[0].tags[0] == 7);
    mesh_free(&a);
    mesh_free(&b);
}

TEST(bounds)
{
    mesh m = small_mesh(false);
    vec3 low, high;
    m.vertices[2].y = -4;
    mesh_bounds(&m, &low, &high);
    CHECK(low.y == -4 && high.x == 1 && high.y == 0 && low.z == 0);
    mesh_free(&m);
    mesh_bounds(&m, &low, &high);
    CHECK(low.x == 0 && high.z == 0);
}

TEST(validation_names_the_cell)
{
    mesh m = small_mesh(false);
    m.blocks[1].nodes[1] = 4;
    CHECK(mesh_validate(&m, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "edge 0 uses vertex 4") && strstr(error.message, "4 vertices"));
    m.blocks[1].nodes[1] = -1;
    CHECK(mesh_validate(&m, &error) == ABUT_ERROR_INPUT);
    m.blocks[1].nodes[1] = 2;
    CHECK(mesh_validate(&m, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "edge 0 uses vertex 2 twice"));
    m.blocks[1].nodes[1] = 3;
    m.vertices[3].y = NAN;
    CHECK(mesh_validate(&m, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "vertex 3") && strstr(error.message, "finite"));
    m.vertices[3].y = 0;
    m.blocks[0].nodes_per_cell = 3;
    CHECK(mesh_validate(&m, &error) == ABUT_ERROR_INPUT);
    m.blocks[0].nodes_per_cell = 4;
    add_stitch(&m);
    CHECK_OK(mesh_validate(&m, &error), error);
    m.stitch_ratio[0] = 1.5;
    CHECK(mesh_validate(&m, &error) == ABUT_ERROR_INPUT);
    m.stitch_ratio[0] = 1;
    m.stitch_vertices[0][1] = 40;
    CHECK(mesh_validate(&m, &error) == ABUT_ERROR_INPUT && strstr(error.message, "stitch 0"));
    mesh_free(&m);
}

TEST(impossible_blocks_are_refused)
{
    mesh m;
    CHECK(mesh_init(&m, (size_t)INT32_MAX + 1, &error) == ABUT_ERROR_INPUT);
    CHECK_OK(mesh_init(&m, 0, &error), error);
    CHECK(mesh_add_block(&m, CELL_TET, 5, 1, false, NULL, &error) == ABUT_ERROR_INPUT);
    CHECK(mesh_add_block(&m, CELL_TET, 1, SIZE_MAX / 8, false, NULL, &error) == ABUT_ERROR_INPUT);
    for (int b = 0; b < MESH_MAX_BLOCKS; b++)
        CHECK_OK(mesh_add_block(&m, CELL_TET, 1, 0, false, NULL, &error), error);
    CHECK(mesh_add_block(&m, CELL_TET, 1, 0, false, NULL, &error) == ABUT_ERROR_INPUT);
    mesh_free(&m);
}

/* Makes each allocation of an append fail in turn: no leak (the sanitizer build sees it), and the
 * mesh stays as it was. */
TEST(append_survives_failing_allocations)
{
    mesh a = small_mesh(true), b = small_mesh(true);
    add_stitch(&b);
    int failures = 0;
    for (int n = 0; n < 100; n++) {
        mem_fail_after(n);
        abut_status status = mesh_append(&a, &b, &error);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        if (!failed) {
            CHECK(status == ABUT_OK);
            break;
        }
        failures++;
        CHECK(status == ABUT_ERROR_MEMORY);
        CHECK(a.vertex_count == 4 && a.blocks[0].count == 1 && a.stitch_count == 0);
    }
    CHECK(failures >= 5 && a.vertex_count == 8);
    mesh_free(&a);
    mesh_free(&b);
}

int main(void)
{
    RUN(node_counts);
    RUN(copy_is_deep);
    RUN(append_merges_blocks_and_shifts_indices);
    RUN(append_to_nothing);
    RUN(bounds);
    RUN(validation_names_the_cell);
    RUN(impossible_blocks_are_refused);
    RUN(append_survives_failing_allocations);
    return TEST_END();
}
