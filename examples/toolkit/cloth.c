/* Contact for a foreign simulator in a few lines: a square of cloth, made of springs, falls on a
 * ball and never passes through it nor through itself.
 *
 * The simulator is deliberately plain (explicit steps). Two functions show the toolkit at work:
 * push_apart() finds the pairs that are close and gives them a force along the gradient of their
 * distance; advance() asks how far the mesh may go, and goes there. The second is what guarantees
 * that nothing ever intersects, however crude the first. */
#include <abut/abut.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 16, /* vertices along a side of the cloth */
    CLOTH = SIDE * SIDE,
    AROUND = 16, /* vertices around the ball, and rings from pole to pole */
    RINGS = 7,
    BALL = AROUND * RINGS + 2,
    VERTICES = CLOTH + BALL,
    TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) + 2 * AROUND * RINGS,
    STEPS = 250
};

static double x[VERTICES][3], target[VERTICES][3], velocity[CLOTH][3];
static int32_t triangles[TRIANGLES][3];
static int triangle_count;

static void add_triangle(int a, int b, int c)
{
    int32_t *t = triangles[triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static void make_cloth(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double *v = x[i * SIDE + j];
            v[0] = (double)i / (SIDE - 1) - 0.5;
            v[1] = 0.35;
            v[2] = (double)j / (SIDE - 1) - 0.5;
        }
    for (int i = 0; i + 1 < SIDE; i++)
        for (int j = 0; j + 1 < SIDE; j++) {
            int v = i * SIDE + j;
            add_triangle(v, v + 1, v + SIDE + 1);
            add_triangle(v, v + SIDE + 1, v + SIDE);
        }
}

static void make_ball(void)
{
    const double pi = 3.14159265358979323846, radius = 0.3;
    for (int r = 0; r < RINGS; r++)
        for (int k = 0; k < AROUND; k++) {
            double *v = x[CLOTH + r * AROUND + k];
            double polar = pi * (r + 1) / (RINGS + 1), around = 2 * pi * k / AROUND;
            v[0] = radius * sin(polar) * cos(around);
            v[1] = radius * cos(polar);
            v[2] = radius * sin(polar) * sin(around);
        }
    int top = VERTICES - 2, bottom = VERTICES - 1;
    x[top][1] = radius;
    x[bottom][1] = -radius;
    for (int k = 0; k < AROUND; k++) {
        int next = (k + 1) % AROUND, last = CLOTH + (RINGS - 1) * AROUND;
        add_triangle(top, CLOTH + next, CLOTH + k);
        add_triangle(bottom, last + k, last + next);
        for (int r = 0; r + 1 < RINGS; r++) {
            int a = CLOTH + r * AROUND + k, b = CLOTH + r * AROUND + next;
            add_triangle(a, b, b + AROUND);
            add_triangle(a, b + AROUND, a + AROUND);
        }
    }
}

static void add_spring(double force[CLOTH][3], int a, int b, double rest, double stiffness)
{
    double d[3], length = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = x[b][i] - x[a][i];
        length += d[i] * d[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; i++) {
        double f = stiffness * (length - rest) * d[i] / length;
        force[a][i] += f;
        force[b][i] -= f;
    }
}

/* Pairs closer than REACH push each other apart, with a force that grows to STIFFNESS * REACH. */
static const double REACH = 0.02, STIFFNESS = 60;

static abut_status push_apart(abut_collision_mesh *mesh, abut_candidates *candidates,
                              double force[CLOTH][3], abut_error *error)
{
    abut_status status = abut_find_candidates(mesh, x[0], NULL, REACH, candidates, error);
    const abut_pair_kind kinds[2] = {ABUT_POINT_TRIANGLE, ABUT_EDGE_EDGE};
    for (int k = 0; k < 2 && status == ABUT_OK; k++) {
        size_t count;
        const int32_t *list = abut_candidates_list(candidates, kinds[k], &count);
        for (size_t i = 0; i < count; i++) {
            abut_pair pair = {kinds[k], list[2 * i], list[2 * i + 1]};
            int32_t v[4];
            double corners[12], gradient[12];
            int n = abut_pair_vertices(mesh, pair, v);
            for (int c = 0; c < n; c++) memcpy(corners + 3 * c, x[v[c]], 3 * sizeof(double));
            double d = sqrt(abut_distance_squared(pair.kind, corners, NULL, gradient, NULL));
            if (d >= REACH) continue;
            double strength =
                STIFFNESS * (REACH - d) / (2 * d); /* gradient of d is that of d^2 / 2d */
            for (int c = 0; c < n; c++)
                for (int a = 0; a < 3 && v[c] < CLOTH; a++)
                    force[v[c]][a] += strength * gradient[3 * c + a];
        }
    }
    return status;
}

/* Where the simulator would like the cloth to be after a time step. */
static abut_status set_target(abut_collision_mesh *mesh, abut_candidates *candidates, double dt,
                              abut_error *error)
{
    static double force[CLOTH][3];
    const double cell = 1.0 / (SIDE - 1), mass = 1e-3;
    memset(force, 0, sizeof force);
    abut_status status = push_apart(mesh, candidates, force, error);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int v = i * SIDE + j;
            if (i + 1 < SIDE) add_spring(force, v, v + SIDE, cell, 10);
            if (j + 1 < SIDE) add_spring(force, v, v + 1, cell, 10);
            if (i + 1 < SIDE && j + 1 < SIDE) add_spring(force, v, v + SIDE + 1, cell * sqrt(2), 5);
        }
    memcpy(target, x, sizeof x);
    for (int v = 0; v < CLOTH; v++)
        for (int i = 0; i < 3; i++) {
            double gravity = i == 1 ? -9.81 : 0;
            velocity[v][i] += dt * (force[v][i] / mass + gravity - 2 * velocity[v][i]);
            target[v][i] += dt * velocity[v][i];
        }
    return status;
}

/* Goes towards the target as far as is free of contact. */
static abut_status advance(abut_collision_mesh *mesh, double dt, double *step, abut_error *error)
{
    abut_status status = abut_collision_free_step(mesh, x[0], target[0], NULL, step, NULL, error);
    if (status != ABUT_OK) return status;
    for (int v = 0; v < CLOTH; v++)
        for (int i = 0; i < 3; i++) {
            double moved = *step * (target[v][i] - x[v][i]);
            x[v][i] += moved;
            if (*step < 1) velocity[v][i] = moved / dt;
        }
    return ABUT_OK;
}

int main(void)
{
    make_cloth();
    make_ball();
    uint8_t kinematic[VERTICES] = {0};
    memset(kinematic + CLOTH, 1, BALL); /* the ball need not be tested against itself */

    abut_collision_mesh_definition definition = abut_default_collision_mesh();
    definition.vertex_count = VERTICES;
    definition.triangles = triangles[0];
    definition.triangle_count = (size_t)triangle_count;
    definition.kinematic = kinematic;
    abut_error error;
    abut_collision_mesh *mesh = NULL;
    abut_candidates *candidates = NULL;
    abut_status status = abut_collision_mesh_create(&definition, &mesh, &error);
    if (status == ABUT_OK) status = abut_candidates_create(&candidates, &error);

    const double dt = 2e-3;
    double step = 1;
    int stopped = 0;
    size_t intersections = 0;
    for (int n = 0; n < STEPS && status == ABUT_OK; n++) {
        status = set_target(mesh, candidates, dt, &error);
        if (status == ABUT_OK) status = advance(mesh, dt, &step, &error);
        stopped += step < 1;
        size_t count = 0;
        if (status == ABUT_OK)
            status = abut_find_intersections(mesh, x[0], NULL, 0, &count, &error);
        intersections += count;
    }
    double distance = 0;
    abut_pair pair;
    if (status == ABUT_OK)
        status = abut_smallest_distance(mesh, x[0], 1.0, &distance, &pair, &error);
    if (status != ABUT_OK)
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    else
        printf("%d steps, %d of them shortened by contact, %zu intersections, gap %g\n", STEPS,
               stopped, intersections, distance);
    double middle = x[CLOTH / 2 + SIDE / 2][1], corner = x[0][1];
    printf("the middle of the cloth rests at %g on the ball, a corner hangs at %g\n", middle,
           corner);
    abut_candidates_destroy(candidates);
    abut_collision_mesh_destroy(mesh);
    return status == ABUT_OK && intersections == 0 && distance > 0 && middle > 0.3 && corner < 0.2
               ? 0
               : 1;
}
