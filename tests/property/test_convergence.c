/* Linear tets against known solutions on refined meshes: a manufactured displacement (second order
 * in L2, first in H1), and the cantilever of the examples against beam theory. */
#include "base/memory.h"
#include "support/scene_makers.h"
#include "test.h"

#include <abut/sim.h>

static abut_error err;
static const double PI = 3.14159265358979323846;

/* ---------------------------------------------------------------------------------------------- */
/* Quadrature                                                                                     */

/* Gauss points of the unit cube folded into the tet: exact for polynomials of degree 3. */
enum { POINTS = 27 };
typedef struct tet_point {
    double bary[4], weight; /* weights add up to 1 */
} tet_point;

static void make_points(tet_point *out)
{
    static const double node[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (int k = 0; k < POINTS; k++) {
        double a = node[k / 9], b = node[k / 3 % 3], c = node[k % 3];
        double w = weight[k / 9] * weight[k / 3 % 3] * weight[k % 3];
        tet_point *p = &out[k];
        p->bary[1] = a;
        p->bary[2] = (1 - a) * b;
        p->bary[3] = (1 - a) * (1 - b) * c;
        p->bary[0] = 1 - p->bary[1] - p->bary[2] - p->bary[3];
        p->weight = 6 * w * (1 - a) * (1 - a) * (1 - b);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Manufactured solution: u = A (sin sin sin, 0, 0) in the unit cube, 0 on its boundary           */

static const double AMPLITUDE = 1e-3;

static vec3 solution(vec3 p)
{
    return (vec3){AMPLITUDE * sin(PI * p.x) * sin(PI * p.y) * sin(PI * p.z), 0, 0};
}

static vec3 solution_gradient(vec3 p) /* of the x component */
{
    double sx = sin(PI * p.x), sy = sin(PI * p.y), sz = sin(PI * p.z);
    return vec3_scale(AMPLITUDE * PI, (vec3){cos(PI * p.x) * sy * sz, sx * cos(PI * p.y) * sz,
                                             sx * sy * cos(PI * p.z)});
}

/* The force density that it needs: -(mu Laplacian u + (lambda + mu) grad div u). */
static vec3 body_force(const elastic_parameters *m, vec3 p)
{
    double sx = sin(PI * p.x), sy = sin(PI * p.y), sz = sin(PI * p.z);
    double cx = cos(PI * p.x), cy = cos(PI * p.y), cz = cos(PI * p.z);
    double a = AMPLITUDE * PI * PI, l = m->lambda + m->mu;
    return (vec3){a * (3 * m->mu + l) * sx * sy * sz, -a * l * cx * cy * sz, -a * l * cx * sy * cz};
}

/* The generated box lies around the origin. */
static vec3 in_cube(vec3 p) { return vec3_add(p, (vec3){0.5, 0.5, 0.5}); }

static void element_nodes(const model *m, size_t e, vec3 *x)
{
    for (size_t k = 0; k < 4; k++) x[k] = in_cube(m->rest.data[m->tets.data[4 * e + k]]);
}

static vec3 at_point(const vec3 *x, const tet_point *q)
{
    vec3 p = {0};
    for (int k = 0; k < 4; k++) p = vec3_mul_add(p, q->bary[k], x[k]);
    return p;
}

/* One load per node: the integral of the force density times its hat function. */
static void add_body_force(stepper *s, const tet_point *points)
{
    const model *m = s->model;
    for (size_t i = 0; i < m->rest.count; i++) {
        CHECK(array_push(&s->loads.nodes, (load){.until = INFINITY}));
        CHECK(array_push(&s->loads.nodes.data[i].nodes, (int32_t)i));
    }
    for (size_t e = 0; e < m->tet_count; e++) {
        vec3 x[4];
        element_nodes(m, e, x);
        for (int q = 0; q < POINTS; q++) {
            vec3 f = vec3_scale(points[q].weight * m->tet_rest.data[e].volume,
                                body_force(&m->bodies.data[0].material, at_point(x, &points[q])));
            for (size_t k = 0; k < 4; k++) {
                load *l = &s->loads.nodes.data[m->tets.data[4 * e + k]];
                l->force = vec3_mul_add(l->force, points[q].bary[k], f);
            }
        }
    }
}

static void add_boundary(stepper *s)
{
    CHECK(array_push(&s->dirichlet.conditions, (condition){.until = INFINITY, .axes = 7}));
    for (size_t i = 0; i < s->model->rest.count; i++)
        if (vec3_max_abs(s->model->rest.data[i]) > 0.5 - 1e-9)
            CHECK(array_push(&s->dirichlet.conditions.data[0].nodes, (int32_t)i));
}

typedef struct errors {
    double l2, h1;
} errors;

static errors measure(const stepper *s, const tet_point *points)
{
    const model *m = s->model;
    errors sum = {0};
    for (size_t e = 0; e < m->tet_count; e++) {
        vec3 x[4], u[4];
        element_nodes(m, e, x);
        for (size_t k = 0; k < 4; k++) {
            size_t node = (size_t)m->tets.data[4 * e + k];
            u[k] = vec3_sub(vec3_load(s->state.x + 3 * node), m->rest.data[node]);
        }
        mat3 du = mat3_mul(
            mat3_from_columns(vec3_sub(u[1], u[0]), vec3_sub(u[2], u[0]), vec3_sub(u[3], u[0])),
            m->tet_rest.data[e].dm_inverse);
        for (int q = 0; q < POINTS; q++) {
            vec3 p = at_point(x, &points[q]), g = solution_gradient(p);
            double w = points[q].weight * m->tet_rest.data[e].volume;
            sum.l2 += w * vec3_norm2(vec3_sub(at_point(u, &points[q]), solution(p)));
            mat3 d = du;
            d.m[0][0] -= g.x;
            d.m[0][1] -= g.y;
            d.m[0][2] -= g.z;
            sum.h1 += w * mat3_norm2(d);
        }
    }
    return (errors){sqrt(sum.l2), sqrt(sum.h1)};
}

static errors solve_cube(int cells, elastic_model elastic)
{
    tet_point points[POINTS];
    make_points(points);
    model *m = make_box_model((vec3){1, 1, 1}, cells, cells, cells, elastic);
    stepper_options options = maker_options(INTEGRATE_QUASI_STATIC, 1);
    options.tolerance = 1e-12;
    stepper *s = make_stepper(m, &options);
    add_body_force(s, points);
    add_boundary(s);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    step_statistics statistics;
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    errors result = measure(s, points);
    stepper_destroy(s);
    return result;
}

TEST(manufactured_solution)
{
    errors e[3];
    for (int k = 0; k < 3; k++) {
        e[k] = solve_cube(4 << k, ELASTIC_LINEAR);
        printf("  %2d cells: L2 %.3e, H1 %.3e", 4 << k, e[k].l2, e[k].h1);
        if (k)
            printf(", orders %.2f and %.2f", log2(e[k - 1].l2 / e[k].l2),
                   log2(e[k - 1].h1 / e[k].h1));
        printf("\n");
    }
    CHECK_NEAR(log2(e[1].l2 / e[2].l2), 2, 0.15);
    CHECK_NEAR(log2(e[1].h1 / e[2].h1), 1, 0.1);
    CHECK(log2(e[0].l2 / e[1].l2) > 1.7 && log2(e[0].h1 / e[1].h1) > 0.85);
    /* |u| is about 3.5e-4 in L2. */
    CHECK(e[2].l2 < 0.02 * 3.5e-4);
}

/* For small displacements the nonlinear materials are the linear one. */
TEST(materials_agree_when_small)
{
    errors linear = solve_cube(4, ELASTIC_LINEAR);
    static const elastic_model models[] = {ELASTIC_NEO_HOOKEAN, ELASTIC_FIXED_COROTATED};
    for (int k = 0; k < 2; k++) {
        errors other = solve_cube(4, models[k]);
        CHECK_NEAR(other.l2, linear.l2, 0.02 * linear.l2);
        CHECK_NEAR(other.h1, linear.h1, 0.02 * linear.h1);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* examples/elastic/cantilever.json, made a thousand times stiffer so that beam theory applies    */

/* Mean sag of the nodes at the free end, with n cells across and 10 n along. */
static double cantilever_sag(int n)
{
    char cells[80];
    snprintf(cells, sizeof cells, "bodies[0].mesh.box.cells=[%d, %d, %d]", 10 * n, n, n);
    const char *overrides[] = {"materials.rubber.young=1e9", "time.integrator=quasi-static",
                               "solver.tolerance=1e-10", cells};
    abut_sim_options options = abut_default_sim_options();
    options.overrides = overrides;
    options.override_count = 4;
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_load("examples/elastic/cantilever.json", &options, &sim, &err), err);
    if (!sim) return 0;
    size_t nodes = abut_sim_node_count(sim), count = 0;
    double *start = mem_alloc(3 * nodes, sizeof *start), sag = 0;
    memcpy(start, abut_sim_positions(sim), 3 * nodes * sizeof *start);
    CHECK_OK(abut_sim_step(sim, &err), err);
    for (size_t i = 0; i < nodes; i++) {
        if (start[3 * i] < 0.5 - 1e-9) continue;
        sag += start[3 * i + 1] - abut_sim_positions(sim)[3 * i + 1];
        count++;
    }
    mem_free(start);
    abut_sim_destroy(sim);
    return sag / (double)count;
}

TEST(cantilever)
{
    /* Length 1 m, square section of 0.1 m, 1000 kg/m^3, 1 GPa, Poisson's ratio 0.4. */
    const double L = 1, H = 0.1, E = 1e9, nu = 0.4, weight = 1000 * 9.81 * H * H;
    const double I = H * H * H * H / 12, G = E / (2 * (1 + nu));
    double bending = weight * L * L * L * L / (8 * E * I);
    double shear = weight * L * L / (2 * (5.0 / 6) * G * H * H);
    double expected = bending + shear, sag[3];
    for (int k = 0; k < 3; k++) {
        sag[k] = cantilever_sag(2 << k);
        printf("  %d cells across: sag %.4e m, %.1f %% below the beam's %.4e m\n", 2 << k, sag[k],
               100 * (1 - sag[k] / expected), expected);
    }
    /* Linear tets are too stiff in bending: with n cells across by a factor of about 1 + 7 / n^2
     * for this Poisson's ratio. That is the expected error of the discretisation. */
    for (int k = 0; k < 3; k++) {
        double n = 2 << k, stiffening = 7 / (n * n);
        CHECK_NEAR(expected / sag[k] - 1, stiffening, 0.25 * stiffening);
    }
    /* Extrapolated to cells of no size, the two agree. */
    double limit = sag[2] + (sag[2] - sag[1]) * 0.5;
    CHECK_NEAR(limit, expected, 0.05 * expected);
}

int main(void)
{
    RUN(manufactured_solution);
    RUN(materials_agree_when_small);
    RUN(cantilever);
    return TEST_END();
}
