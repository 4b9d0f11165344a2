/* A small world for tests of the toolkit layer: two rough sheets, a wire and two particles, as a
 * collision mesh with its active set. */
#ifndef SUPPORT_CONTACT_WORLD_H
#define SUPPORT_CONTACT_WORLD_H

#include "base/random.h"
#include "test.h"

#include <abut/contact.h>

enum {
    SIDE = 4,
    SHEET = SIDE * SIDE,
    WIRE = 2 * SHEET, /* first vertex of the wire */
    PARTICLES = WIRE + 3,
    VERTICES = PARTICLES + 2,
    N = 3 * VERTICES,
    TRIANGLES = 4 * (SIDE - 1) * (SIDE - 1)
};
static const double DHAT = 0.05;

typedef struct world {
    double x[N], rest[N];
    int32_t triangles[3 * TRIANGLES], edges[4], group[VERTICES];
    abut_collision_mesh_definition definition;
    abut_collision_mesh *mesh;
    abut_active_set *set;
} world;

static inline void make_sheet(world *w, int first, double height, double turn, random_state *r)
{
    for (int i = 0; i < SHEET; i++) {
        double a = (double)(i / SIDE) / (SIDE - 1) - 0.5, b = (double)(i % SIDE) / (SIDE - 1) - 0.5;
        double *x = w->x + 3 * (first + i);
        x[0] = a * cos(turn) - b * sin(turn);
        x[1] = height + random_range(r, -0.012, 0.012);
        x[2] = a * sin(turn) + b * cos(turn);
    }
    int32_t *t = w->triangles + (first > 0 ? 3 * TRIANGLES / 2 : 0);
    for (int i = 0; i + 1 < SIDE; i++)
        for (int j = 0; j + 1 < SIDE; j++) {
            int v = first + i * SIDE + j;
            const int corners[6] = {v, v + 1, v + SIDE + 1, v, v + SIDE + 1, v + SIDE};
            for (int k = 0; k < 6; k++) *t++ = corners[k];
        }
}

static inline void make_world(world *w, uint64_t seed)
{
    random_state r = {seed};
    abut_error err;
    memset(w, 0, sizeof *w);
    make_sheet(w, 0, 0, 0, &r);
    make_sheet(w, SHEET, 0.035, 0.3, &r);
    const double wire[9] = {-0.6, 0.075, 0.01, 0.03, 0.071, 0.02, 0.7, 0.073, -0.03};
    const double particles[6] = {0.31, 0.1, 0.0, 0.32, 0.11, 0.02};
    memcpy(w->x + 3 * WIRE, wire, sizeof wire);
    memcpy(w->x + 3 * PARTICLES, particles, sizeof particles);
    for (int i = 0; i < N; i++) w->rest[i] = w->x[i] + random_range(&r, -0.01, 0.01);
    for (int i = 0; i < 4; i++) w->edges[i] = WIRE + (i + 1) / 2;
    for (int v = 0; v < VERTICES; v++)
        w->group[v] = v < SHEET ? 0 : v < WIRE ? 1 : v < PARTICLES ? 2 : 3;
    w->definition = abut_default_collision_mesh();
    w->definition.vertex_count = VERTICES;
    w->definition.triangles = w->triangles;
    w->definition.triangle_count = TRIANGLES;
    w->definition.edges = w->edges;
    w->definition.edge_count = 2;
    w->definition.rest = w->rest;
    w->definition.group = w->group;
    w->definition.group_count = 4;
    CHECK_OK(abut_collision_mesh_create(&w->definition, &w->mesh, &err), err);
    CHECK_OK(abut_active_set_create(&w->set, &err), err);
    CHECK_OK(abut_active_set_build(w->set, w->mesh, w->x, DHAT, NULL, NULL, &err), err);
}

static inline void free_world(world *w)
{
    abut_active_set_destroy(w->set);
    abut_collision_mesh_destroy(w->mesh);
}

#endif
