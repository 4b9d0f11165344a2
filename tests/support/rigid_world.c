#include "support/rigid_world.h"

#include "geometry/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(abut_status status, const abut_error *err)
{
    if (status == ABUT_OK) return;
    fprintf(stderr, "cannot make the test scene: %s: %s\n", err->place, err->message);
    exit(EXIT_FAILURE);
}

mesh world_mesh(const double (*vertices)[3], size_t vertex_count, const int32_t (*triangles)[3],
                size_t triangle_count)
{
    abut_error err;
    mesh out;
    cell_block *block;
    need(mesh_init(&out, vertex_count, &err), &err);
    for (size_t i = 0; i < vertex_count; i++) out.vertices[i] = vec3_load(vertices[i]);
    need(mesh_add_block(&out, CELL_TRIANGLE, 1, triangle_count, false, &block, &err), &err);
    memcpy(block->nodes, triangles, triangle_count * sizeof *triangles);
    return out;
}

mesh world_cube(void)
{
    abut_error err;
    mesh out;
    need(generate_box((vec3){1, 1, 1}, (const int[3]){1, 1, 1}, &out, &err), &err);
    return out;
}

mesh world_plane(void)
{
    static const double v[4][3] = {{-5, 0, -5}, {-5, 0, 5}, {5, 0, 5}, {5, 0, -5}};
    static const int32_t t[2][3] = {{0, 1, 2}, {0, 2, 3}};
    return world_mesh(v, 4, t, 2);
}

mesh world_sphere(double radius)
{
    abut_error err;
    mesh out;
    need(generate_icosphere(radius, 2, &out, &err), &err);
    return out;
}

world_body *world_add(world *w, mesh shape, vec3 translate, vec3 rotate)
{
    if (w->count == WORLD_MOST_BODIES) exit(EXIT_FAILURE);
    world_body *b = &w->bodies[w->count++];
    *b = (world_body){.shape = shape,
                      .scale = {1, 1, 1},
                      .rotate = rotate,
                      .translate = translate,
                      .density = 1000};
    return b;
}

static void add_body(model *m, world_body *b, size_t number)
{
    abut_error err;
    char name[40];
    snprintf(name, sizeof name, "body%zu", number);
    mesh_transform(&b->shape, b->scale, b->rotate, b->translate);
    rigid_options options = {.density = b->density, .stiffness = 1e5};
    if (b->density == 0)
        need(model_add_obstacle(m, name, &b->shape, &err), &err);
    else if (b->affine)
        need(model_add_affine(m, name, &b->shape, &options, &err), &err);
    else
        need(model_add_rigid(m, name, &b->shape, &options, &err), &err);
    mesh_free(&b->shape);
}

/* Conditions, force and velocity of a rigid body; an obstacle is fixed node by node. */
static void set_body(stepper *s, const world_body *b, size_t number, double *velocity)
{
    const model_body *body = &s->model->bodies.data[number];
    if (body->rigid < 0) {
        condition hold = {.until = INFINITY, .axes = 7};
        for (int32_t i = 0; i < body->block_count; i++)
            if (!array_push(&hold.nodes, body->first_block + i)) exit(EXIT_FAILURE);
        if (!array_push(&s->dirichlet.conditions, hold)) exit(EXIT_FAILURE);
        return;
    }
    const rigid_body *r = &s->model->rigids.data[body->rigid];
    rigid_set_velocity(r, s->state.x, b->velocity, b->spin, velocity);
    rigid_condition hold = {.path = {.until = INFINITY, .axes = b->fixed ? 7 : b->axes},
                            .rigid = body->rigid,
                            .rotation_axes = b->fixed ? 7 : b->rotation_axes};
    if (hold.path.axes + hold.rotation_axes > 0 && !array_push(&s->rigid.conditions, hold))
        exit(EXIT_FAILURE);
    load push = {.until = INFINITY, .force = b->force};
    if (vec3_norm2(b->force) > 0 &&
        !(array_push(&push.nodes, r->block) && array_push(&s->loads.nodes, push)))
        exit(EXIT_FAILURE);
}

void world_start(world *w, const stepper_options *options, const half_space *planes,
                 size_t plane_count)
{
    abut_error err;
    model *m = mem_calloc(1, sizeof *m);
    if (!m) exit(EXIT_FAILURE);
    for (size_t i = 0; i < w->count; i++) add_body(m, &w->bodies[i], i);
    need(model_finish(m, &err), &err);
    need(stepper_create(m, options, NULL, &w->stepper, &err), &err);
    double *velocity = mem_calloc(w->stepper->state.scalars, sizeof *velocity);
    if (!velocity) exit(EXIT_FAILURE);
    for (size_t i = 0; i < w->count; i++) set_body(w->stepper, &w->bodies[i], i, velocity);
    for (size_t i = 0; i < plane_count; i++)
        need(contact_add_half_space(w->stepper->contact, planes[i], &err), &err);
    need(stepper_start(w->stepper, velocity, &err), &err);
    mem_free(velocity);
    w->min_distance = INFINITY;
}

static size_t count_intersections(const world *w)
{
    const stepper *s = w->stepper;
    abut_error err;
    const collision_surface *c = &s->model->surface;
    size_t count, vertices = c->rows.count;
    vec3 *y = mem_alloc(vertices, sizeof *y);
    int32_t *points = mem_alloc(vertices, sizeof *points);
    uint8_t *flags = mem_alloc(s->model->bodies.count, 1);
    if (!y || !points || !flags) exit(EXIT_FAILURE);
    collision_surface_positions(c, s->state.x, y);
    for (size_t i = 0; i < vertices; i++) points[i] = (int32_t)i;
    for (size_t b = 0; b < s->model->bodies.count; b++) /* what stands still may overlap */
        flags[b] = (uint8_t)(CHECK_BODY_RIGID | (w->bodies[b].fixed ? CHECK_BODY_OBSTACLE : 0));
    check_surface surface = {.vertices = y,
                             .vertex_count = vertices,
                             .triangles = (const int32_t(*)[3])c->triangles.data,
                             .triangle_count = c->triangles.count / 3,
                             .edges = (const int32_t(*)[2])c->edges.data,
                             .edge_count = c->edges.count / 2,
                             .points = points,
                             .point_count = vertices,
                             .body = c->vertex_body.data,
                             .body_flags = flags};
    check_pair *pairs;
    need(check_intersections(&surface, &pairs, &count, &err), &err);
    mem_free(pairs);
    mem_free(flags);
    mem_free(points);
    mem_free(y);
    return count;
}

bool world_step(world *w, step_statistics *statistics)
{
    abut_error err;
    step_statistics local;
    if (!statistics) statistics = &local;
    abut_status status = stepper_advance(w->stepper, statistics, &err);
    if (status != ABUT_OK) {
        printf("  step %d: %s\n", w->steps, err.message);
        return false;
    }
    w->steps++;
    w->newton_iterations += statistics->newton_iterations;
    w->min_distance = fmin(w->min_distance, statistics->min_distance);
    w->intersections = count_intersections(w);
    return w->intersections == 0;
}

static const model_body *body_of(const world *w, size_t body)
{
    return &w->stepper->model->bodies.data[body];
}

vec3 world_center(const world *w, size_t body)
{
    return vec3_load(w->stepper->state.x + 3 * (size_t)body_of(w, body)->first_block);
}

vec3 world_velocity(const world *w, size_t body)
{
    return vec3_load(w->stepper->state.v + 3 * (size_t)body_of(w, body)->first_block);
}

mat3 world_frame(const world *w, size_t body)
{
    return rigid_frame(&w->stepper->model->rigids.data[body_of(w, body)->rigid],
                       w->stepper->state.x);
}

void world_free(world *w)
{
    stepper_destroy(w->stepper);
    memset(w, 0, sizeof *w);
}
