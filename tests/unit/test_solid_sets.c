/* A model with every combination of cells, order of the basis and shape that there is: none is too
 * many. */
#include "test.h"

#include "body/solid.h"
#include "fem/change_order.h"
#include "solve/problem.h"
#include "support/evaluation.h"
#include "term/damping.h"
#include "term/elastic.h"
#include "term/inertia.h"

static abut_error err;

/* One cell at a place of its own, bent where it has nodes beyond its corners (or, order 1: where
 * `bent`). */
static void add_cell(model *m, cell_kind kind, int shape_order, bool bent, int order)
{
    static const double tet[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double hex[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    mesh corners = {0}, shape, nodes;
    int count = kind == CELL_TET ? 4 : 8;
    double(*at)[3] = (double(*)[3])(kind == CELL_TET ? tet : hex);
    vec3 vertices[8];
    int32_t numbers[8];
    for (int i = 0; i < count; i++) {
        vertices[i] = (vec3){at[i][0] + 3 * (double)m->bodies.count, at[i][1], at[i][2]};
        numbers[i] = i;
    }
    cell_block block = {
        .kind = kind, .order = 1, .nodes_per_cell = count, .count = 1, .nodes = numbers};
    corners.vertices = vertices;
    corners.vertex_count = (size_t)count;
    corners.blocks[0] = block;
    corners.block_count = 1;
    CHECK_OK(mesh_change_order(&corners, shape_order, &shape, NULL, &err), err);
    if (bent) shape.vertices[shape.vertex_count - 1].z += 0.02;
    CHECK_OK(mesh_change_order(&shape, order, &nodes, NULL, &err), err);
    solid_definition def = {.shape = &shape,
                            .nodes = &nodes,
                            .density = 1000,
                            .material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.3)};
    CHECK_OK(model_add_solid(m, "cell", &def, &err), err);
    mesh_free(&shape);
    mesh_free(&nodes);
}

static void add_all(model *m)
{
    for (int order = 1; order <= 4; order++) {
        if (order > 1) add_cell(m, CELL_TET, 1, false, order);
        for (int shape = 2; shape <= 4; shape++) add_cell(m, CELL_TET, shape, true, order);
    }
    for (int order = 1; order <= 2; order++) {
        add_cell(m, CELL_HEX, 1, false, order);
        for (int shape = 1; shape <= 2; shape++) add_cell(m, CELL_HEX, shape, true, order);
    }
}

TEST(all_kinds_of_elements_in_one_model)
{
    model m = {0};
    add_all(&m);
    CHECK_OK(model_finish(&m, &err), err);
    /* Affine linear tets are no set unless their material varies. */
    CHECK(m.sets.count == ELEMENT_MAX_SETS - 1);
    for (size_t b = 0; b < m.bodies.count; b++) m.bodies.data[b].consistent_mass = true;
    elastic_term *elastic;
    inertia_term *inertia;
    damping_term *damping;
    CHECK_OK(elastic_create(&m, &elastic, &err), err);
    CHECK_OK(inertia_create(&m, &inertia, &err), err);
    CHECK_OK(damping_create(&m, elastic, &damping, &err), err);
    problem p;
    stage_timer timer = {0};
    CHECK_OK(problem_init(&p, (int32_t)m.rest.count, &timer, &err), err);
    CHECK_OK(problem_add_term(&p, &elastic->base, &err), err);
    CHECK_OK(problem_add_term(&p, &inertia->base, &err), err);
    CHECK_OK(problem_add_term(&p, &damping->base, &err), err);
    /* Everything is stretched by a tenth along y: each body has elastic forces, and they balance.
     */
    double *x = mem_alloc(3 * m.rest.count, sizeof *x);
    for (size_t i = 0; i < m.rest.count; i++) {
        vec3 r = m.rest.data[i];
        vec3_store(x + 3 * i, (vec3){r.x, 1.1 * r.y, r.z});
        vec3_store(inertia->x_tilde + 3 * i, (vec3){r.x, 1.1 * r.y, r.z});
    }
    CHECK_OK(problem_derivatives(&p, &test_evaluation, x, true, &err), err);
    for (size_t b = 0; b < m.bodies.count; b++) {
        double sum = 0, size = 0;
        for (int32_t i = 0; i < m.bodies.data[b].block_count; i++) {
            double y = p.gradient[3 * (m.bodies.data[b].first_block + i) + 1];
            sum += y;
            size += fabs(y);
        }
        CHECK(size > 100 && fabs(sum) < 1e-9 * size);
    }
    mem_free(x);
    problem_free(&p);
    elastic->base.class->destroy(&elastic->base);
    inertia->base.class->destroy(&inertia->base);
    damping->base.class->destroy(&damping->base);
    model_free(&m);
}

int main(void)
{
    RUN(all_kinds_of_elements_in_one_model);
    return TEST_END();
}
