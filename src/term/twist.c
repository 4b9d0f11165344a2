#include "term/twist.h"
#include "term/term_row.h"

#include "fem/rod.h"
#include "fem/twist.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

static void edges_of(const double *x, const int32_t *blocks, vec3 e[2])
{
    vec3 v[3];
    for (int k = 0; k < 3; k++) v[k] = vec3_load(x + 3 * (size_t)blocks[k]);
    e[0] = vec3_sub(v[1], v[0]);
    e[1] = vec3_sub(v[2], v[1]);
}

static const int32_t *blocks_of(const element_term *t, size_t joint)
{
    return t->base.groups[0].blocks + TWIST_WIDTH * joint;
}

/* Angle between the sections of the two edges, with derivatives of its geometric part. */
static double twist_angle(const twist_term *t, const double *x, size_t joint, vec3 gradient[2],
                          mat3 hessian[3])
{
    const int32_t *blocks = blocks_of(&t->element, joint);
    const twist_rest *rest = &t->element.model->codim.twist_rest.data[joint];
    vec3 e[2];
    edges_of(x, blocks, e);
    return rest->sign[1] * x[3 * (size_t)blocks[4]] - rest->sign[0] * x[3 * (size_t)blocks[3]] +
           t->psi[joint] + twist_change(t->before[joint], e, gradient, hessian);
}

static double energy(const element_term *base, const double *x, size_t joint)
{
    const twist_term *t = (const twist_term *)base;
    const twist_rest *rest = &base->model->codim.twist_rest.data[joint];
    double angle = twist_angle(t, x, joint, NULL, NULL);
    vec3 v[TWIST_WIDTH];
    element_term_positions(base, x, joint, v);
    return 0.5 * rest->stiffness * angle * angle + bend_energy(v, rest->bending);
}

/* Node i moves edge k by MOVES[k][i]. */
static const double MOVES[2][3] = {{-1, 1, 0}, {0, -1, 1}};

/* Scalars of a joint: those of its nodes, then the two angles. */
enum { NODES = 9, SCALARS = 11 };

/* hessian += factor h for the Hessian h over the two edges; on the nodes only. */
static void add_by_edges(double factor, const mat3 h[3], double hessian[SCALARS * SCALARS])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    hessian[SCALARS * (3 * i + r) + 3 * j + c] +=
                        factor * (MOVES[0][i] * MOVES[0][j] * h[0].m[r][c] +
                                  MOVES[0][i] * MOVES[1][j] * h[1].m[r][c] +
                                  MOVES[1][i] * MOVES[0][j] * h[1].m[c][r] +
                                  MOVES[1][i] * MOVES[1][j] * h[2].m[r][c]);
}

/* The blocks of a stencil from its scalars; the others of the angles' blocks are zero. */
static void store_blocks(const double hessian[SCALARS * SCALARS], double *out)
{
    enum { N = 3 * TWIST_WIDTH };
    static const int index[SCALARS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12};
    double dense[N * N] = {0};
    for (int i = 0; i < SCALARS; i++)
        for (int j = 0; j < SCALARS; j++) dense[N * index[i] + index[j]] = hessian[SCALARS * i + j];
    stencil_store_blocks(TWIST_WIDTH, dense, out);
}

static void evaluate(const element_term *base, const double *x, size_t joint, double factor,
                     bool project, double *gradient, double *hessian)
{
    const twist_term *t = (const twist_term *)base;
    const twist_rest *rest = &base->model->codim.twist_rest.data[joint];
    vec3 g[2], v[TWIST_WIDTH], bend_gradient[3];
    mat3 h[3];
    double angle = twist_angle(t, x, joint, g, hessian ? h : NULL), bend_hessian[NODES * NODES];
    double stiffness = factor * rest->stiffness, slope[SCALARS];
    element_term_positions(base, x, joint, v);
    bend_evaluate(v, factor * rest->bending, bend_gradient, hessian ? bend_hessian : NULL);
    for (int i = 0; i < 3; i++)
        vec3_store(slope + 3 * i,
                   vec3_add(vec3_scale(MOVES[0][i], g[0]), vec3_scale(MOVES[1][i], g[1])));
    slope[NODES] = -rest->sign[0];
    slope[NODES + 1] = rest->sign[1];
    if (gradient) {
        memset(gradient, 0, 3 * TWIST_WIDTH * sizeof *gradient);
        for (int i = 0; i < NODES; i++)
            gradient[i] = stiffness * angle * slope[i] + ((const double *)bend_gradient)[i];
        for (int k = 0; k < 2; k++) gradient[NODES + 3 * k] = stiffness * angle * slope[NODES + k];
    }
    if (!hessian) return;
    double all[SCALARS * SCALARS];
    for (int i = 0; i < SCALARS; i++)
        for (int j = 0; j < SCALARS; j++)
            all[SCALARS * i + j] = stiffness * slope[i] * slope[j] +
                                   (i < NODES && j < NODES ? bend_hessian[NODES * i + j] : 0);
    add_by_edges(stiffness * angle, h, all);
    if (project) psd_project(SCALARS, all);
    store_blocks(all, hessian);
}

static void destroy(term *base)
{
    twist_term *t = (twist_term *)base;
    mem_free(t->psi);
    mem_free(t->before);
    mem_free(t);
}

static void end_step(term *base, const double *x) { twist_carry((twist_term *)base, x); }

static void restart(term *base, const double *x) { twist_set_start((twist_term *)base, x); }

static term_state state(term *base)
{
    return (term_state){"twist", ((twist_term *)base)->psi, base->groups[0].count};
}

static const term_class twist_class = {.name = "rod bending and twist",
                                       .value = element_term_value,
                                       .derivatives = element_term_derivatives,
                                       .end_step = end_step,
                                       .restart = restart,
                                       .state = state,
                                       .destroy = destroy};

abut_status twist_create(const model *m, twist_term **out, abut_error *err)
{
    static const element_functions functions = {energy, evaluate, NULL};
    size_t joints = m->codim.twist_rest.count;
    twist_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the term of twist");
    t->psi = mem_calloc(joints, sizeof *t->psi);
    t->before = mem_calloc(joints, sizeof *t->before);
    element_term_init(&t->element, &twist_class, m, &functions, TWIST_WIDTH, joints,
                      m->codim.twists.data);
    if (!t->psi || !t->before) {
        destroy(&t->element.base);
        return error_memory(err, "creating the term of twist");
    }
    twist_set_start(t, (const double *)m->rest.data);
    *out = t;
    return ABUT_OK;
}

void twist_set_start(twist_term *t, const double *x)
{
    for (size_t i = 0; i < t->element.base.groups[0].count; i++) {
        vec3 e[2];
        edges_of(x, blocks_of(&t->element, i), e);
        for (int k = 0; k < 2; k++) t->before[i][k] = vec3_normalize(e[k]);
    }
}

void twist_carry(twist_term *t, const double *x)
{
    for (size_t i = 0; i < t->element.base.groups[0].count; i++) {
        vec3 e[2];
        edges_of(x, blocks_of(&t->element, i), e);
        t->psi[i] += twist_change(t->before[i], e, NULL, NULL);
    }
    twist_set_start(t, x);
}

static bool needed(const model *m) { return m->codim.twist_rest.count > 0; }

static abut_status create_term(const model *m, term **out, abut_error *err)
{
    twist_term *t = NULL;
    TRY(twist_create(m, &t, err));
    *out = &t->element.base;
    return ABUT_OK;
}

const term_row twist_row = {
    .needed = needed, .create = create_term, .damping = TERM_DAMPED_BENDING};
