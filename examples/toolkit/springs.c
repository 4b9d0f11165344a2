/* Contact with friction for somebody else's simulator.
 *
 * The first half of this file is a complete simulator of masses and springs as people write it:
 * implicit time steps, solved by Newton's method with conjugate gradients. It knows nothing of
 * contact, except that its solver calls four functions of a guest: without them two blocks of jelly
 * would fall through each other and through the ground.
 *
 * The second half is the guest. The energy of a time step gets two more terms, barrier and
 * friction, whose values, gradients and Hessians come from the toolkit, and no step goes further
 * than it is free of collisions. */
#include <abut/abut.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 3, /* masses along a side of a block */
    BLOCK = SIDE * SIDE * SIDE,
    MASSES = 2 * BLOCK,
    N = 3 * MASSES, /* unknowns: the masses come first, the ground after them */
    VERTICES = MASSES + 4,
    SPRINGS_MAX = MASSES * 13,
    TRIANGLES_MAX = 2 * 12 * (SIDE - 1) * (SIDE - 1) + 2,
    STEPS = 50
};

/* ---- The foreign simulator ------------------------------------------------------------------ */

static const double H = 0.02, MASS = 0.05, STIFFNESS = 400, GRAVITY = -9.81;
static double x[3 * VERTICES], v[N], predicted[N];
static int springs[SPRINGS_MAX][2], spring_count;
static double rest_length[SPRINGS_MAX];

static double length_of(const double *p, int a, int b, double d[3])
{
    for (int i = 0; i < 3; i++) d[i] = p[3 * a + i] - p[3 * b + i];
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void make_block(int first, double offset_x, double offset_y, double turn)
{
    const double cell = 0.15;
    for (int k = 0; k < BLOCK; k++) {
        double a = cell * (k % SIDE), b = cell * (k / SIDE / SIDE), *p = x + 3 * (first + k);
        p[0] = offset_x + a * cos(turn) - b * sin(turn);
        p[1] = offset_y + cell * (k / SIDE % SIDE);
        p[2] = a * sin(turn) + b * cos(turn);
    }
    for (int a = first; a < first + BLOCK; a++)
        for (int b = first; b < a; b++) {
            double d[3], length = length_of(x, a, b, d);
            if (length > 1.8 * cell) continue; /* sides and diagonals of the cells */
            springs[spring_count][0] = a;
            springs[spring_count][1] = b;
            rest_length[spring_count++] = length;
        }
}

/* Energy of a time step: inertia and h^2 times that of the springs. */
static double energy(const double *p)
{
    double sum = 0, d[3];
    for (int i = 0; i < N; i++) sum += 0.5 * MASS * (p[i] - predicted[i]) * (p[i] - predicted[i]);
    for (int s = 0; s < spring_count; s++) {
        double stretch = length_of(p, springs[s][0], springs[s][1], d) - rest_length[s];
        sum += H * H * 0.5 * STIFFNESS * stretch * stretch;
    }
    return sum;
}

static void gradient(const double *p, double *g)
{
    for (int i = 0; i < N; i++) g[i] = MASS * (p[i] - predicted[i]);
    for (int s = 0; s < spring_count; s++) {
        int a = springs[s][0], b = springs[s][1];
        double d[3], length = length_of(p, a, b, d);
        for (int i = 0; i < 3; i++) {
            double f = H * H * STIFFNESS * (1 - rest_length[s] / length) * d[i];
            g[3 * a + i] += f;
            g[3 * b + i] -= f;
        }
    }
}

/* out = Hessian times direction; springs under pressure give their stiff part only. */
static void multiply(const double *p, const double *direction, double *out)
{
    for (int i = 0; i < N; i++) out[i] = MASS * direction[i];
    for (int s = 0; s < spring_count; s++) {
        int a = springs[s][0], b = springs[s][1];
        double d[3], e[3], length = length_of(p, a, b, d), along = 0;
        length_of(direction, a, b, e);
        for (int i = 0; i < 3; i++) along += d[i] * e[i] / length;
        double across = fmax(0, 1 - rest_length[s] / length);
        for (int i = 0; i < 3; i++) {
            double u = along * d[i] / length;
            double f = H * H * STIFFNESS * (u + across * (e[i] - u));
            out[3 * a + i] += f;
            out[3 * b + i] -= f;
        }
    }
}

/* What a guest adds to energy, gradient and matrix, and how far it lets a step go. */
static double guest_energy(const double *p);
static void guest_gradient(const double *p, double *g);
static void guest_multiply(const double *direction, double *out);
static double guest_step(const double *p, const double *direction);

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i] * b[i];
    return sum;
}

/* Conjugate gradients: direction = - Hessian^-1 g. */
static void solve(const double *p, const double *g, double *direction)
{
    static double r[N], s[N], as[N];
    memset(direction, 0, N * sizeof *direction);
    for (int i = 0; i < N; i++) r[i] = s[i] = -g[i];
    double before = dot(r, r), stop = 1e-8 * before;
    for (int n = 0; n < 4 * N && before > stop; n++) {
        multiply(p, s, as);
        guest_multiply(s, as);
        double alpha = before / dot(s, as);
        for (int i = 0; i < N; i++) direction[i] += alpha * s[i];
        for (int i = 0; i < N; i++) r[i] -= alpha * as[i];
        double after = dot(r, r);
        for (int i = 0; i < N; i++) s[i] = r[i] + after / before * s[i];
        before = after;
    }
}

/* Minimises the energy; returns the number of iterations. */
static int newton(void)
{
    static double g[N], direction[N], trial[3 * VERTICES];
    for (int n = 0; n < 100; n++) {
        gradient(x, g);
        guest_gradient(x, g);
        solve(x, g, direction);
        double largest = 0;
        for (int i = 0; i < N; i++) largest = fmax(largest, fabs(direction[i]));
        if (largest < 1e-3 * H) return n; /* m/s */
        double before = energy(x) + guest_energy(x);
        double alpha = guest_step(x, direction);
        memcpy(trial, x, sizeof trial);
        for (;; alpha /= 2) {
            for (int i = 0; i < N; i++) trial[i] = x[i] + alpha * direction[i];
            if (alpha < 1e-10 || energy(trial) + guest_energy(trial) <= before) break;
        }
        memcpy(x, trial, sizeof trial);
    }
    return 100;
}

/* ---- Contact -------------------------------------------------------------------------------- */

static const double DHAT = 0.01, FRICTION = 0.4, EPS_V = 1e-3;
static abut_collision_mesh *mesh;
static abut_active_set *contacts;
static abut_matrix *barrier_matrix, *friction_matrix;
static abut_friction *friction;
static abut_barrier barrier;
static double start[3 * VERTICES]; /* of the time step: friction sees what moved since */
static abut_error error;

static void need(abut_status status)
{
    if (status == ABUT_OK) return;
    fprintf(stderr, "%s: %s\n", error.place, error.message);
    exit(1);
}

static abut_friction_law law(void) { return (abut_friction_law){ABUT_FRICTION_C1, EPS_V * H}; }

static double guest_energy(const double *p)
{
    double value, rubbing;
    const abut_friction_law l = law();
    need(abut_active_set_build(contacts, mesh, p, DHAT, NULL, NULL, &error));
    need(abut_barrier_value(contacts, &barrier, &value, &error));
    need(abut_friction_value(friction, &l, start, p, &rubbing, &error));
    return value + rubbing;
}

static void guest_gradient(const double *p, double *g)
{
    static double more[2][3 * VERTICES];
    const abut_friction_law l = law();
    need(abut_active_set_build(contacts, mesh, p, DHAT, NULL, NULL, &error));
    need(abut_barrier_gradient(contacts, &barrier, more[0], &error));
    need(abut_friction_gradient(friction, &l, start, p, more[1], &error));
    need(abut_barrier_hessian(contacts, &barrier, NULL, barrier_matrix, &error));
    need(abut_friction_hessian(friction, &l, start, p, NULL, friction_matrix, &error));
    for (int i = 0; i < N; i++) g[i] += more[0][i] + more[1][i];
}

static void guest_multiply(const double *direction, double *out)
{
    const abut_csr matrices[2] = {abut_matrix_view(barrier_matrix),
                                  abut_matrix_view(friction_matrix)};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < N; i++)
            for (int32_t j = matrices[k].row_start[i]; j < matrices[k].row_start[i + 1]; j++)
                if (matrices[k].columns[j] < N) /* the ground does not move */
                    out[i] += matrices[k].values[j] * direction[matrices[k].columns[j]];
}

static double guest_step(const double *p, const double *direction)
{
    static double end[3 * VERTICES];
    double step;
    memcpy(end, p, sizeof end);
    for (int i = 0; i < N; i++) end[i] += direction[i];
    need(abut_collision_free_step(mesh, p, end, NULL, &step, NULL, &error));
    return step;
}

/* The six sides of a block as triangles. */
static int add_surface(int32_t (*triangles)[3], int count, int first)
{
    const int stride[3] = {1, SIDE, SIDE * SIDE};
    for (int axis = 0; axis < 3; axis++)
        for (int far = 0; far < 2; far++)
            for (int k = 0; k < (SIDE - 1) * (SIDE - 1); k++) {
                int u = stride[(axis + 1) % 3], w = stride[(axis + 2) % 3];
                int a = first + far * (SIDE - 1) * stride[axis] + k % (SIDE - 1) * u +
                        k / (SIDE - 1) * w;
                const int32_t corners[6] = {a, a + u, a + u + w, a, a + u + w, a + w};
                memcpy(triangles[count], corners, sizeof corners);
                count += 2;
            }
    return count;
}

/* Ground, collision mesh and the objects that are filled again and again. */
static void begin_contact(void)
{
    static int32_t triangles[TRIANGLES_MAX][3];
    uint8_t kinematic[VERTICES] = {0};
    const double ground[12] = {-2, 0, -2, -2, 0, 2, 2, 0, 2, 2, 0, -2};
    memcpy(x + N, ground, sizeof ground);
    int count = add_surface(triangles, add_surface(triangles, 0, 0), BLOCK);
    for (int k = 0; k < 2; k++, count++)
        for (int c = 0; c < 3; c++) triangles[count][c] = MASSES + (c == 0 ? 0 : c + k);
    memset(kinematic + MASSES, 1, 4);
    abut_collision_mesh_definition d = abut_default_collision_mesh();
    d.vertex_count = VERTICES;
    d.triangles = triangles[0];
    d.triangle_count = (size_t)count;
    d.kinematic = kinematic;
    d.rest = x;
    need(abut_collision_mesh_create(&d, &mesh, &error));
    need(abut_active_set_create(&contacts, &error));
    need(abut_matrix_create(&barrier_matrix, &error));
    need(abut_matrix_create(&friction_matrix, &error));
    need(abut_friction_create(&friction, &error));
    abut_stiffness stiffness;
    barrier = abut_default_barrier();
    need(abut_initial_stiffness(&barrier, DHAT, 1.0, MASS, NULL, NULL, 0, &stiffness, &error));
    barrier.stiffness = stiffness.highest; /* wide gaps, easy systems */
}

/* Normal forces and directions of friction are those at the start of a step. */
static void begin_step(void)
{
    memcpy(start, x, sizeof x);
    need(abut_active_set_build(contacts, mesh, x, DHAT, NULL, NULL, &error));
    need(abut_friction_lag(friction, contacts, &barrier,
                           &(abut_friction_options){.coefficient = FRICTION}, &error));
}

/* ---- Both ----------------------------------------------------------------------------------- */

int main(void)
{
    make_block(0, 0, 0.02, 0);
    make_block(BLOCK, 0.05, 0.35, 0.3);
    for (int m = 0; m < BLOCK; m++) v[3 * m] = 0.5; /* the lower one slides along the ground */
    begin_contact();
    int iterations = 0;
    size_t intersections = 0, most = 0;
    for (int n = 0; n < STEPS; n++) {
        for (int i = 0; i < N; i++)
            predicted[i] = x[i] + H * v[i] + (i % 3 == 1 ? H * H * GRAVITY : 0);
        begin_step();
        iterations += newton();
        for (int i = 0; i < N; i++) v[i] = (x[i] - start[i]) / H;
        size_t found, count = abut_active_set_count(contacts);
        need(abut_find_intersections(mesh, x, NULL, 0, &found, &error));
        intersections += found;
        most = count > most ? count : most;
    }
    double fastest = 0, lowest = 1;
    for (int i = 0; i < N; i++) fastest = fmax(fastest, fabs(v[i]));
    for (int m = 0; m < MASSES; m++) lowest = fmin(lowest, x[3 * m + 1]);
    double slid = x[0], upper = x[3 * BLOCK + 1];
    printf("%d steps, %d Newton iterations, up to %zu contacts, %zu intersections\n", STEPS,
           iterations, most, intersections);
    printf(
        "the lower block slid by %.3f m and rests %.5f m above the ground, the upper one lies on "
        "it at %.3f m; speed at the end %.2g m/s\n",
        slid, lowest, upper, fastest);
    abut_friction_destroy(friction);
    abut_matrix_destroy(friction_matrix);
    abut_matrix_destroy(barrier_matrix);
    abut_active_set_destroy(contacts);
    abut_collision_mesh_destroy(mesh);
    return intersections == 0 && lowest > 0 && lowest < DHAT && upper > 0.2 && slid > 0.02 &&
                   slid < 0.4
               ? 0
               : 1;
}
