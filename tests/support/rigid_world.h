/* Small scenes of rigid and affine bodies in contact, checked after every step by code that shares
 * nothing with the solver. Functions exit on failure to set up: that is no part of a test. */
#ifndef RIGID_WORLD_H
#define RIGID_WORLD_H

#include "body/rigid.h"
#include "mesh/generate.h"
#include "step/stepper.h"

enum { WORLD_MOST_BODIES = 64 };

typedef struct world_body {
    mesh shape; /* taken over */
    vec3 scale, rotate, translate;
    double density; /* 0: an obstacle */
    bool affine;
    bool fixed;              /* static */
    int axes, rotation_axes; /* fixed */
    vec3 velocity, spin;     /* m/s, rad/s */
    vec3 force;
} world_body;

typedef struct world {
    stepper *stepper;
    size_t count;
    world_body bodies[WORLD_MOST_BODIES];
    int steps, newton_iterations;
    double min_distance;
    size_t intersections;
} world;

/* Vertices as 3 numbers, triangles as 3 indices from 0. */
mesh world_mesh(const double (*vertices)[3], size_t vertex_count, const int32_t (*triangles)[3],
                size_t triangle_count);
mesh world_cube(void);            /* [-1/2, 1/2]^3, 12 triangles */
mesh world_plane(void);           /* 10 x 10 at y = 0, 2 triangles */
mesh world_sphere(double radius); /* 162 vertices */

world_body *world_add(world *w, mesh shape, vec3 translate, vec3 rotate);
void world_start(world *w, const stepper_options *options, const half_space *planes,
                 size_t plane_count);
/* False when the step failed or something intersects. */
bool world_step(world *w, step_statistics *statistics);
vec3 world_center(const world *w, size_t body);
vec3 world_velocity(const world *w, size_t body);
mat3 world_frame(const world *w, size_t body);
void world_free(world *w);

#endif
