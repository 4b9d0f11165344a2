/* Gradients against the complex step: the same run written again in complex numbers, where a
 * parameter has an imaginary part of 1e-100 and the derivative is that of the result, without any
 * difference of two runs. A soft cube that lands on a rough plane with some speed along it. */
#include "step/stepper.h"
#include "support/scene_text.h"

#include <abut/gradient.h>

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex number;

enum { NODES = 8, N = 3 * NODES, TETS = 6, STEPS = 3, NUMBERS = 7 };
static const double H = 0.01, DHAT = 0.03, EPS_V = 0.05, STIFFNESS = 2e4, TINY = 1e-100;
static const double TARGET[3] = {0.1, 0.2, -0.1};

static const char *const scene_text =
    "{'abut': 1, 'time': {'step': 0.01, 'steps': 3}, 'gravity': [0.3, -9.8, 0.2], 'ground': 0, "
    "'contact': {'dhat': 0.03, 'stiffness': 2e4, 'friction': 0.3, 'eps_v': 0.05, "
    "'friction_iterations': 1}, 'bodies': [{'name': 'thing', 'velocity': [0.1, -0.6, 0.05], "
    "'translate': [0, 0.125, 0], 'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}, "
    "'material': {'model': 'neo-hookean', 'young': 3e4, 'poisson': 0.35, 'density': 800}}]}";

/* The numbers by which it is differentiated, and where the scene has them. */
enum { YOUNG, POISSON, DENSITY, FRICTION, GRAVITY, SPEED, VELOCITY };
static const struct {
    const char *kind, *name;
    size_t scalar;
    double value;
} numbers[NUMBERS] = {
    {"key", "bodies[0].material.young", 0, 3e4},
    {"key", "bodies[0].material.poisson", 0, 0.35},
    {"key", "bodies[0].material.density", 0, 800},
    {"key", "contact.friction", 0, 0.3},
    {"key", "gravity[1]", 0, -9.8},
    {"key", "bodies[0].velocity[0]", 0, 0.1},
    {"initial_velocities", "thing", 4, -0.6},
};

/* What the run is made of, taken from the program: mesh and masses at density 1. */
typedef struct body {
    size_t tets;
    int tet[TETS][4];
    double rest[N], volume[NODES];
} body;

typedef struct course {
    const body *b;
    number p[NUMBERS], kappa;
    number x[N], v[N];
} course;

static number lame(const number *p, bool second)
{
    number mu = p[YOUNG] / (2 * (1 + p[POISSON]));
    return second ? p[YOUNG] * p[POISSON] / ((1 + p[POISSON]) * (1 - 2 * p[POISSON])) : mu;
}

static number invert(number a[3][3], number out[3][3])
{
    number det = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a1 = (i + 1) % 3, a2 = (i + 2) % 3, b1 = (j + 1) % 3, b2 = (j + 2) % 3;
            out[j][i] = a[a1][b1] * a[a2][b2] - a[a1][b2] * a[a2][b1];
        }
    for (int j = 0; j < 3; j++) det += a[0][j] * out[j][0];
    for (int i = 0; i < 9; i++) out[i / 3][i % 3] /= det;
    return det;
}

static void edges(const int *tet, const number *x, number out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[i][k] = x[3 * tet[k + 1] + i] - x[3 * tet[0] + i];
}

/* g += h^2 dPsi/dx, Psi = mu/2 (|F|^2 - 3) - mu ln J + lambda/2 (ln J)^2 */
static void add_elastic(const course *c, const number *y, number *g)
{
    number rest[N], mu = lame(c->p, false), lambda = lame(c->p, true);
    for (int i = 0; i < N; i++) rest[i] = c->b->rest[i];
    for (size_t e = 0; e < c->b->tets; e++) {
        const int *tet = c->b->tet[e];
        number dm[3][3], dm_inverse[3][3], ds[3][3], f[3][3] = {{0}}, f_inverse[3][3];
        edges(tet, rest, dm);
        edges(tet, y, ds);
        number volume = invert(dm, dm_inverse) / 6;
        for (int i = 0; i < 27; i++)
            f[i / 9][i / 3 % 3] += ds[i / 9][i % 3] * dm_inverse[i % 3][i / 3 % 3];
        number j = invert(f, f_inverse);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                number force = 0;
                for (int l = 0; l < 3; l++) {
                    number p =
                        mu * (f[i][l] - f_inverse[l][i]) + lambda * clog(j) * f_inverse[l][i];
                    force += H * H * volume * p * dm_inverse[k][l];
                }
                g[3 * tet[k + 1] + i] += force;
                g[3 * tet[0] + i] -= force;
            }
    }
}

/* Of -(s - shat)^2 ln(s / shat) by s, in s = d^2. */
static number barrier_slope(number s)
{
    double shat = DHAT * DHAT;
    if (creal(s) >= shat) return 0;
    return (shat - s) * (2 * clog(s / shat) - shat / s + 1);
}

/* Barrier and lagged friction of the plane y = 0. */
static void add_contact(const course *c, const number *y, number *g)
{
    for (int i = 0; i < NODES; i++) {
        const number *start = c->x + 3 * i;
        g[3 * i + 1] += c->kappa * barrier_slope(y[3 * i + 1] * y[3 * i + 1]) * 2 * y[3 * i + 1];
        number normal = -c->kappa * barrier_slope(start[1] * start[1]) * 2 * start[1];
        number u[2] = {y[3 * i] - start[0], y[3 * i + 2] - start[2]};
        number size = csqrt(u[0] * u[0] + u[1] * u[1]), eps = EPS_V * H;
        number share = creal(size) >= creal(eps) ? 1 / size : (2 - size / eps) / eps;
        g[3 * i] += c->p[FRICTION] * normal * share * u[0];
        g[3 * i + 2] += c->p[FRICTION] * normal * share * u[1];
    }
}

static void gradient(const course *c, const number *y, number *g)
{
    number gravity[3] = {0.3, c->p[GRAVITY], 0.2};
    for (int i = 0; i < N; i++) {
        number mass = c->p[DENSITY] * c->b->volume[i / 3];
        g[i] = mass * (y[i] - c->x[i] - H * c->v[i] - H * H * gravity[i % 3]);
    }
    add_elastic(c, y, g);
    add_contact(c, y, g);
}

/* Newton's method with the Jacobian by complex steps of the real part. */
static void newton(const course *c, number *y)
{
    course real = *c;
    number g[N], matrix[N][N + 1], column[N], at[N];
    for (int i = 0; i < N; i++) real.x[i] = creal(c->x[i]), real.v[i] = creal(c->v[i]);
    for (int i = 0; i < NUMBERS; i++) real.p[i] = creal(c->p[i]);
    gradient(c, y, g);
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) at[i] = creal(y[i]) + (i == k ? TINY * I : 0);
        gradient(&real, at, column);
        for (int i = 0; i < N; i++) matrix[i][k] = cimag(column[i]) / TINY;
    }
    for (int i = 0; i < N; i++) matrix[i][N] = g[i];
    for (int k = 0; k < N; k++) { /* symmetric and definite: no pivoting */
        for (int i = k + 1; i < N; i++) {
            number factor = matrix[i][k] / matrix[k][k];
            for (int j = k; j <= N; j++) matrix[i][j] -= factor * matrix[k][j];
        }
    }
    for (int i = N; i-- > 0;) {
        for (int k = i + 1; k < N; k++) matrix[i][N] -= matrix[i][k] * matrix[k][N];
        matrix[i][N] /= matrix[i][i];
        y[i] -= matrix[i][N];
    }
}

/* Half the squared distance of all nodes from TARGET at the end. */
static number run(const body *b, double kappa, int by)
{
    course c = {.b = b, .kappa = kappa};
    number sum = 0, y[N];
    for (int i = 0; i < NUMBERS; i++) c.p[i] = numbers[i].value;
    if (by >= 0) c.p[by] += TINY * I;
    for (int i = 0; i < N; i++) {
        c.x[i] = b->rest[i];
        c.v[i] = (number[]){c.p[SPEED], -0.6, 0.05}[i % 3];
    }
    c.v[numbers[VELOCITY].scalar] = c.p[VELOCITY];
    for (int step = 0; step < STEPS; step++) {
        enum { ITERATIONS = 25 };
        memcpy(y, c.x, sizeof y);
        for (int k = 0; k < ITERATIONS; k++) newton(&c, y);
        for (int i = 0; i < N; i++) {
            c.v[i] = (y[i] - c.x[i]) / H;
            c.x[i] = y[i];
        }
    }
    for (int i = 0; i < N; i++) sum += 0.5 * (c.x[i] - TARGET[i % 3]) * (c.x[i] - TARGET[i % 3]);
    return sum;
}

static bool take_body(body *b, double *kappa)
{
    abut_error err = {0};
    scene_def *scene;
    stepper *s = build_scene(scene_text, &scene);
    if (!s) return false;
    const model *m = s->model;
    CHECK(m->tet_count <= TETS && m->rest.count == NODES);
    b->tets = m->tet_count;
    for (size_t i = 0; i < 4 * m->tet_count; i++) b->tet[i / 4][i % 4] = m->tets.data[i];
    for (size_t i = 0; i < NODES; i++) {
        vec3_store(b->rest + 3 * i, m->rest.data[i]);
        b->volume[i] = m->mass.data[i] / 800;
    }
    step_statistics statistics;
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    *kappa = s->evaluation.kappa; /* of STIFFNESS, in the units of the potential */
    CHECK(*kappa > 0 && STIFFNESS > 0);
    drop_scene(s, scene);
    return true;
}

static double derivative_by(int k, double *value)
{
    char text[2000];
    abut_error err = {0};
    abut_gradient *g = NULL;
    abut_objective o = abut_default_objective();
    double slope[N];
    o.body = "thing", o.target = TARGET, o.target_count = 3;
    snprintf(text, sizeof text, "%s", scene_text);
    use_double_quotes(text);
    CHECK_OK(abut_gradient_create_text(text, strlen(text), NULL, NULL, &g, &err), err);
    CHECK_OK(abut_gradient_add_objective(g, &o, &err), err);
    CHECK_OK(abut_gradient_add_parameter(g, numbers[k].kind, numbers[k].name, &err), err);
    CHECK_OK(abut_gradient_evaluate(g, NULL, value, slope, &err), err);
    abut_gradient_destroy(g);
    return slope[numbers[k].scalar];
}

TEST(adjoint_against_complex_step)
{
    body b = {0};
    double kappa;
    if (!take_body(&b, &kappa)) return;
    for (int k = 0; k < NUMBERS; k++) {
        double value, slope = derivative_by(k, &value);
        number result = run(&b, kappa, k);
        double exact = cimag(result) / TINY;
        if (!(fabs(slope - exact) <= 1e-9 * fabs(exact)))
            printf("%s: %.15g, exactly %.15g\n", numbers[k].name, slope, exact);
        CHECK_NEAR(value, creal(result), 1e-12);
        CHECK(exact != 0);
        CHECK_NEAR(slope, exact, 1e-9 * fabs(exact));
    }
}

int main(void)
{
    RUN(adjoint_against_complex_step);
    return TEST_END();
}
