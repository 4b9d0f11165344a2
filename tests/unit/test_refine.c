/* Uniform refinement: measures are kept, cells stay positive, the surface stays closed. */
#include "test.h"

#include "mesh/generate.h"
#include "mesh/refine.h"
#include "mesh/topology.h"

static abut_error err;

static double volume_of(const mesh *m, double *smallest)
{
    const cell_block *tets = mesh_find(m, CELL_TET);
    double sum = 0;
    *smallest = INFINITY;
    for (size_t i = 0; i < tets->count; i++) {
        const int32_t *n = tets->nodes + 4 * i;
        double v =
            tet_volume(m->vertices[n[0]], m->vertices[n[1]], m->vertices[n[2]], m->vertices[n[3]]);
        *smallest = fmin(*smallest, v);
        sum += v;
    }
    return sum;
}

TEST(tets)
{
    mesh m;
    CHECK_OK(generate_ball(1, 4, &m, &err), err);
    double smallest, before = volume_of(&m, &smallest);
    size_t count = mesh_find(&m, CELL_TET)->count;
    surface_parts coarse, fine;
    CHECK_OK(mesh_surface(&m, &coarse, &err), err);
    CHECK_OK(mesh_refine(&m, &err), err);
    CHECK(mesh_find(&m, CELL_TET)->count == 8 * count);
    CHECK_NEAR(volume_of(&m, &smallest), before, 1e-12);
    CHECK(smallest > 0);
    CHECK_OK(mesh_validate(&m, &err), err);
    CHECK_OK(mesh_surface(&m, &fine, &err), err);
    CHECK(fine.triangle_count == 4 * coarse.triangle_count);
    surface_parts_free(&coarse);
    surface_parts_free(&fine);
    mesh_free(&m);
}

TEST(sheets_and_edges)
{
    mesh m;
    const int cells[2] = {3, 2};
    CHECK_OK(generate_grid(1, 2, cells, &m, &err), err);
    size_t count = mesh_find(&m, CELL_TRIANGLE)->count;
    CHECK_OK(mesh_refine(&m, &err), err);
    const cell_block *t = mesh_find(&m, CELL_TRIANGLE);
    CHECK(t->count == 4 * count);
    double area = 0;
    for (size_t i = 0; i < t->count; i++) {
        const int32_t *n = t->nodes + 3 * i;
        area += 0.5 * vec3_norm(vec3_cross(vec3_sub(m.vertices[n[1]], m.vertices[n[0]]),
                                           vec3_sub(m.vertices[n[2]], m.vertices[n[0]])));
    }
    CHECK_NEAR(area, 2, 1e-12);
    mesh_free(&m);
    CHECK_OK(generate_polyline((vec3){0}, (vec3){1, 0, 0}, 3, &m, &err), err);
    CHECK_OK(mesh_refine(&m, &err), err);
    CHECK(mesh_find(&m, CELL_EDGE)->count == 6 && m.vertex_count == 7);
    mesh_free(&m);
}

TEST(curved_cells_are_refused)
{
    mesh m;
    cell_block *block;
    CHECK_OK(mesh_init(&m, 10, &err), err);
    CHECK_OK(mesh_add_block(&m, CELL_TET, 2, 1, false, &block, &err), err);
    CHECK(mesh_refine(&m, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(m.vertex_count == 10 && m.block_count == 1);
    mesh_free(&m);
}

int main(void)
{
    RUN(tets);
    RUN(sheets_and_edges);
    RUN(curved_cells_are_refused);
    return TEST_END();
}
