#include "term/rigid_inertia.h"

#include "base/parallel.h"
#include "math/eigen.h"
#include "math/rotation.h"

#include <string.h>

/* Curvatures below this share of the largest one are lifted to it: where the potential is not
 * convex, or a body has no inertia, Newton's matrix stays definite. */
static const double LEAST_CURVATURE = 1e-6;

/* Turn of a Newton step, rad. From |theta| <= pi, where iterates begin, it leads to |theta| < 2 pi,
 * where the rotation vector would be no chart (Rigid IPC, appendix D). */
static const double MOST_TURN = 1.5707963267948966;

/* tr(a b) */
static double trace_product(mat3 a, mat3 b)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += a.m[i][j] * b.m[j][i];
    return sum;
}

typedef struct value_work {
    const rigid_inertia_term *t;
    const evaluation *ev;
    const double *x;
} value_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    const rigid_inertia_term *t = w->t;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        mat3 q = rotation_matrix(vec3_load(w->x + 3 * (size_t)t->blocks.data[i]));
        mat3 d = mat3_sub(q, t->predicted.data[i]);
        mat3 moment = t->model->rigids.data[t->rigids.data[i]].moment;
        sum += 0.5 * w->ev->mass_factor * trace_product(mat3_mul(d, moment), mat3_transpose(d));
        sum += trace_product(q, t->load.data[i]);
    }
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    value_work work = {(const rigid_inertia_term *)base, ev, x};
    return parallel_sum(work.t->blocks.count, energy_range, &work);
}

/* The symmetric matrix with its eigenvalues lifted to a small positive share of the largest, and so
 * far that -h^-1 gradient turns by at most MOST_TURN about each of its axes: the potential of a
 * rotation is bounded, and no quadratic model of it means anything beyond. Near a minimum, where
 * the gradient vanishes, nothing is lifted. */
static mat3 definite(mat3 h, vec3 gradient)
{
    double values[3], largest = 0;
    mat3 vectors, out = mat3_zero();
    eigen3(h, values, &vectors);
    for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(values[k]));
    for (int k = 0; k < 3; k++) {
        vec3 v = mat3_column(vectors, k);
        double least = fmax(LEAST_CURVATURE * largest, fabs(vec3_dot(gradient, v)) / MOST_TURN);
        out = mat3_add(out, mat3_scale(fmax(values[k], least), mat3_outer(v, v)));
    }
    return out;
}

/* dE/dtheta_k = -tr(R_k G), G = J (Q_tilde - Q)^T - M; the part of J Q^T vanishes, and leaving it
 * out keeps the digits. */
static void add_gradient(const rigid_inertia_term *t, const evaluation *ev, size_t i, vec3 theta,
                         double *out)
{
    mat3 first[3];
    rotation_first(theta, first);
    mat3 moment = mat3_scale(ev->mass_factor, t->model->rigids.data[t->rigids.data[i]].moment);
    mat3 d = mat3_sub(t->predicted.data[i], rotation_matrix(theta));
    mat3 g = mat3_sub(mat3_mul(moment, mat3_transpose(d)), t->load.data[i]);
    for (int k = 0; k < 3; k++) out[k] = -trace_product(first[k], g);
}

/* d2E/dtheta_k dtheta_l = -tr(R_kl (J Q_tilde^T - M)). */
static void add_hessian(const rigid_inertia_term *t, const evaluation *ev, size_t i, vec3 theta,
                        double *out)
{
    mat3 second[3][3], h;
    rotation_second(theta, second);
    mat3 moment = mat3_scale(ev->mass_factor, t->model->rigids.data[t->rigids.data[i]].moment);
    mat3 g = mat3_sub(mat3_mul(moment, mat3_transpose(t->predicted.data[i])), t->load.data[i]);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l <= k; l++) h.m[k][l] = h.m[l][k] = -trace_product(second[k][l], g);
    if (!ev->exact) {
        double gradient[3];
        add_gradient(t, ev, i, theta, gradient);
        h = definite(h, vec3_load(gradient));
    }
    memcpy(out, h.m, sizeof h.m);
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)group;
    const rigid_inertia_term *t = (const rigid_inertia_term *)base;
    for (size_t i = begin; i < end; i++) {
        vec3 theta = vec3_load(x + 3 * (size_t)t->blocks.data[i]);
        if (gradient) add_gradient(t, ev, i, theta, gradient + 3 * (i - begin));
        if (hessian) add_hessian(t, ev, i, theta, hessian + 9 * (i - begin));
    }
}

/* What is prescribed goes as far as its motion says. */
static bool is_prescribed(const rigid_inertia_term *t, size_t i)
{
    const uint8_t *fixed = t->fixed ? t->fixed + 3 * (size_t)t->blocks.data[i] : NULL;
    return fixed && (fixed[0] || fixed[1] || fixed[2]);
}

static abut_status max_step(const term *base, const double *x, const double *p, double limit,
                            step_bound *bound, stage_timer *timer, abut_error *err)
{
    (void)x, (void)timer, (void)err;
    const rigid_inertia_term *t = (const rigid_inertia_term *)base;
    bound->alpha = limit;
    for (size_t i = 0; i < t->blocks.count; i++) {
        double turn = vec3_norm(vec3_load(p + 3 * (size_t)t->blocks.data[i]));
        if (turn * bound->alpha > MOST_TURN && !is_prescribed(t, i))
            bound->alpha = MOST_TURN / turn;
    }
    return ABUT_OK;
}

bool rigid_inertia_wrap(const rigid_inertia_term *t, double *x)
{
    static const double HALF_TURN2 = 9.869604401089358; /* pi^2 */
    bool changed = false;
    for (size_t i = 0; i < t->blocks.count; i++) {
        double *theta = x + 3 * (size_t)t->blocks.data[i];
        if (vec3_norm2(vec3_load(theta)) <= HALF_TURN2 || is_prescribed(t, i)) continue;
        vec3_store(theta, rotation_wrap(vec3_load(theta)));
        changed = true;
    }
    return changed;
}

static void destroy(term *base)
{
    rigid_inertia_term *t = (rigid_inertia_term *)base;
    array_free(&t->blocks);
    array_free(&t->rigids);
    array_free(&t->predicted);
    array_free(&t->load);
    mem_free(t);
}

static const term_class rigid_inertia_class = {.name = "rigid inertia",
                                               .value = value,
                                               .derivatives = derivatives,
                                               .max_step = max_step,
                                               .destroy = destroy};

abut_status rigid_inertia_create(const model *m, rigid_inertia_term **out, abut_error *err)
{
    rigid_inertia_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the inertia of rigid bodies");
    t->base = (term){.class = &rigid_inertia_class, .group_count = 1};
    t->model = m;
    bool ok = true;
    for (size_t i = 0; ok && i < m->rigids.count; i++) {
        if (m->rigids.data[i].affine) continue;
        ok = array_push(&t->blocks, m->rigids.data[i].block + 1) &&
             array_push(&t->rigids, (int32_t)i) && array_push(&t->predicted, mat3_identity()) &&
             array_push(&t->load, mat3_zero());
    }
    if (!ok) {
        destroy(&t->base);
        return error_memory(err, "creating the inertia of rigid bodies");
    }
    t->base.groups[0] = (stencil_group){1, t->blocks.count, t->blocks.data};
    *out = t;
    return ABUT_OK;
}

mat3 rigid_torque_load(mat3 frame, vec3 torque, double factor)
{
    return mat3_scale(0.5 * factor, mat3_mul(mat3_transpose(frame), mat3_cross(torque)));
}
