#include "support/scene_makers.h"

#include "mesh/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(abut_status status, const abut_error *err)
{
    if (status == ABUT_OK) return;
    fprintf(stderr, "cannot make the test scene: %s\n", err->message);
    exit(EXIT_FAILURE);
}

static model *new_model(void)
{
    model *m = mem_calloc(1, sizeof *m);
    if (!m) exit(EXIT_FAILURE);
    return m;
}

static model *deformable(const mesh *shape, elastic_model elastic)
{
    abut_error err;
    model *m = new_model();
    need(model_add_deformable(m, "body", shape,
                              elastic_from_young(elastic, MAKER_YOUNG, MAKER_POISSON),
                              MAKER_DENSITY, &err),
         &err);
    need(model_finish(m, &err), &err);
    return m;
}

model *make_box_model(vec3 size, int nx, int ny, int nz, elastic_model elastic)
{
    abut_error err;
    mesh shape;
    const int cells[3] = {nx, ny, nz};
    need(generate_box(size, cells, &shape, &err), &err);
    model *m = deformable(&shape, elastic);
    mesh_free(&shape);
    return m;
}

model *make_tet_model(elastic_model elastic)
{
    abut_error err;
    mesh shape;
    cell_block *block;
    need(mesh_init(&shape, 4, &err), &err);
    for (int i = 0; i < 4; i++) shape.vertices[i] = (vec3){i == 1, i == 2, i == 3};
    need(mesh_add_block(&shape, CELL_TET, 1, 1, false, &block, &err), &err);
    for (int i = 0; i < 4; i++) block->nodes[i] = i;
    model *m = deformable(&shape, elastic);
    mesh_free(&shape);
    return m;
}

model *make_stacked_model(double size, int cells, double gap)
{
    abut_error err;
    model *m = new_model();
    const int counts[3] = {cells, cells, cells};
    for (int k = 0; k < 2; k++) {
        mesh shape;
        need(generate_box((vec3){size, size, size}, counts, &shape, &err), &err);
        /* Turned a little, so that no edges of the two are parallel. */
        mesh_transform(&shape, (vec3){1, 1, 1}, (vec3){0, k ? 10 : 0, 0},
                       (vec3){0, k ? size + gap : 0, 0});
        need(model_add_deformable(
                 m, k ? "upper" : "lower", &shape,
                 elastic_from_young(ELASTIC_NEO_HOOKEAN, MAKER_YOUNG, MAKER_POISSON), MAKER_DENSITY,
                 &err),
             &err);
        mesh_free(&shape);
    }
    need(model_finish(m, &err), &err);
    return m;
}

model *make_obstacle_model(const int counts[2], const vec3 *x)
{
    static const cell_kind kinds[] = {CELL_POINT, CELL_POINT, CELL_EDGE, CELL_TRIANGLE};
    abut_error err;
    model *m = new_model();
    for (int k = 0, first = 0; k < 2; first += counts[k++]) {
        if (counts[k] == 0) continue;
        mesh shape;
        cell_block *block;
        need(mesh_init(&shape, (size_t)counts[k], &err), &err);
        memcpy(shape.vertices, x + first, (size_t)counts[k] * sizeof *x);
        need(mesh_add_block(&shape, kinds[counts[k]], 1, 1, false, &block, &err), &err);
        for (int i = 0; i < counts[k]; i++) block->nodes[i] = i;
        need(model_add_obstacle(m, k ? "second" : "first", &shape, &err), &err);
        mesh_free(&shape);
    }
    need(model_finish(m, &err), &err);
    return m;
}

void free_model(model *m)
{
    model_free(m);
    mem_free(m);
}

stepper_options maker_options(integrator kind, double h)
{
    return (stepper_options){.h = h,
                             .integrator = kind,
                             .newmark_beta = 0.25,
                             .newmark_gamma = 0.5,
                             .tolerance = 1e-9,
                             .max_iterations = 200,
                             .linear = {.name = "direct", .tolerance = 1e-10, .reproducible = true},
                             .eps_v = 1e-3,
                             .friction_iterations = 1};
}

stepper *make_stepper(model *m, const stepper_options *options)
{
    abut_error err;
    stepper *s = NULL;
    need(stepper_create(m, options, NULL, &s, &err), &err);
    return s;
}

condition *add_condition(stepper *s, vec3 low, vec3 high, double from, double until)
{
    if (!array_push(&s->dirichlet.conditions, (condition){.from = from, .until = until, .axes = 7}))
        exit(EXIT_FAILURE);
    condition *c = &s->dirichlet.conditions.data[s->dirichlet.conditions.count - 1];
    for (size_t i = 0; i < s->model->rest.count; i++) {
        vec3 p = s->model->rest.data[i];
        bool inside = p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x &&
                      p.y <= high.y && p.z <= high.z;
        if (inside && model_block_is_position(s->model, i) && !array_push(&c->nodes, (int32_t)i))
            exit(EXIT_FAILURE);
    }
    return c;
}

double smallest_volume(const model *m, const double *x)
{
    double smallest = INFINITY;
    for (size_t e = 0; e < m->tet_count; e++) {
        const int32_t *n = m->tets.data + 4 * e;
        long double a[3], b[3], c[3];
        for (int k = 0; k < 3; k++) {
            a[k] = (long double)x[3 * n[1] + k] - x[3 * n[0] + k];
            b[k] = (long double)x[3 * n[2] + k] - x[3 * n[0] + k];
            c[k] = (long double)x[3 * n[3] + k] - x[3 * n[0] + k];
        }
        long double volume =
            (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
             a[2] * (b[0] * c[1] - b[1] * c[0])) /
            6;
        smallest = volume < smallest ? (double)volume : smallest;
    }
    return smallest;
}
