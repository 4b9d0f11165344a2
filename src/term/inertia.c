#include "term/inertia.h"

#include "base/parallel.h"

#include <string.h>

/* Consistent mass of a linear tet: m / 20 (1 + delta_ab). */
static double pair_mass(double mass, int a, int b) { return mass / 20 * (a == b ? 2 : 1); }

typedef struct value_work {
    const inertia_term *t;
    const evaluation *ev;
    const double *x;
} value_work;

static double node_energy(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        size_t at = 3 * (size_t)w->t->nodes.data[i];
        vec3 x = vec3_load(w->x + at);
        vec3 d = vec3_sub(x, vec3_load(w->t->x_tilde + at));
        sum += 0.5 * w->ev->mass_factor * w->t->lumped.data[i] * vec3_norm2(d);
        sum -= w->ev->load_factor * vec3_dot(vec3_load(w->t->force + at), x);
    }
    return sum;
}

static double tet_energy(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        vec3 d[4], total = {0};
        double squares = 0;
        for (int k = 0; k < 4; k++) {
            size_t at = 3 * (size_t)w->t->element_nodes.data[4 * i + (size_t)k];
            d[k] = vec3_sub(vec3_load(w->x + at), vec3_load(w->t->x_tilde + at));
            total = vec3_add(total, d[k]);
            squares += vec3_norm2(d[k]);
        }
        sum +=
            0.5 * w->ev->mass_factor * w->t->tet_mass.data[i] / 20 * (squares + vec3_norm2(total));
    }
    return sum;
}

typedef struct set_work {
    const inertia_term *t;
    const evaluation *ev;
    const element_set *s;
    const double *x;
} set_work;

/* Differences from the predictor at the nodes of an element. */
static void differences(const inertia_term *t, const element_set *s, size_t e, const double *x,
                        vec3 *d)
{
    for (int a = 0; a < s->nodes; a++) {
        size_t at = 3 * (size_t)s->blocks.data[e * (size_t)s->nodes + (size_t)a];
        d[a] = vec3_sub(vec3_load(x + at), vec3_load(t->x_tilde + at));
    }
}

/* Bodies of linear elements may have lumped mass, which is that of their nodes. */
static bool has_mass(const inertia_term *t, const element_set *s, size_t e)
{
    return t->model->bodies.data[s->body.data[e]].consistent_mass;
}

static double set_energy(void *context, size_t begin, size_t end)
{
    const set_work *w = context;
    double sum = 0;
    for (size_t e = begin; e < end; e++) {
        vec3 d[ELEMENT_MAX_NODES];
        if (!has_mass(w->t, w->s, e)) continue;
        differences(w->t, w->s, e, w->x, d);
        for (int a = 0; a < w->s->nodes; a++) {
            sum += 0.5 * element_mass(w->s, e, a, a) * vec3_norm2(d[a]);
            for (int b = a + 1; b < w->s->nodes; b++)
                sum += element_mass(w->s, e, a, b) * vec3_dot(d[a], d[b]);
        }
    }
    return w->ev->mass_factor * sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    const inertia_term *t = (const inertia_term *)base;
    value_work work = {t, ev, x};
    double sum = parallel_sum(t->nodes.count, node_energy, &work) +
                 parallel_sum(t->tet_mass.count, tet_energy, &work);
    for (size_t i = 0; i < t->model->sets.count; i++) {
        set_work set = {t, ev, &t->model->sets.data[i], x};
        sum += parallel_sum(set.s->count, set_energy, &set);
    }
    return sum;
}

static void node_derivatives(const inertia_term *t, const evaluation *ev, const double *x,
                             size_t begin, size_t end, double *gradient, double *hessian)
{
    for (size_t i = begin; i < end; i++) {
        size_t at = 3 * (size_t)t->nodes.data[i], out = 3 * (i - begin);
        double mass = ev->mass_factor * t->lumped.data[i];
        double load = ev->load_factor;
        for (size_t c = 0; gradient && c < 3; c++)
            gradient[out + c] = mass * (x[at + c] - t->x_tilde[at + c]) - load * t->force[at + c];
        if (!hessian) continue;
        double *h = hessian + 9 * (i - begin);
        memset(h, 0, 9 * sizeof *h);
        h[0] = h[4] = h[8] = mass;
    }
}

static void tet_derivatives(const inertia_term *t, const evaluation *ev, const double *x,
                            size_t begin, size_t end, double *gradient, double *hessian)
{
    for (size_t i = begin; i < end; i++) {
        double mass = ev->mass_factor * t->tet_mass.data[i];
        const int32_t *nodes = t->element_nodes.data + 4 * i;
        double *h = hessian ? hessian + 90 * (i - begin) : NULL;
        for (int a = 0; a < 4; a++) {
            vec3 sum = {0};
            for (int b = 0; b < 4; b++) {
                size_t at = 3 * (size_t)nodes[b];
                vec3 d = vec3_sub(vec3_load(x + at), vec3_load(t->x_tilde + at));
                sum = vec3_mul_add(sum, pair_mass(mass, a, b), d);
            }
            if (gradient) vec3_store(gradient + 12 * (i - begin) + 3 * a, sum);
            for (int b = a; h && b < 4; b++, h += 9) {
                memset(h, 0, 9 * sizeof *h);
                h[0] = h[4] = h[8] = pair_mass(mass, a, b);
            }
        }
    }
}

static void set_derivatives(const inertia_term *t, const evaluation *ev, const element_set *s,
                            const double *x, size_t begin, size_t end, double *gradient,
                            double *hessian)
{
    for (size_t e = begin; e < end; e++) {
        double factor = has_mass(t, s, e) ? ev->mass_factor : 0;
        vec3 d[ELEMENT_MAX_NODES];
        differences(t, s, e, x, d);
        for (int a = 0; gradient && a < s->nodes; a++, gradient += 3) {
            vec3 sum = {0};
            for (int b = 0; b < s->nodes; b++)
                sum = vec3_mul_add(sum, factor * element_mass(s, e, a, b), d[b]);
            vec3_store(gradient, sum);
        }
        for (int a = 0; hessian && a < s->nodes; a++)
            for (int b = a; b < s->nodes; b++, hessian += 9) {
                memset(hessian, 0, 9 * sizeof *hessian);
                hessian[0] = hessian[4] = hessian[8] = factor * element_mass(s, e, a, b);
            }
    }
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const inertia_term *t = (const inertia_term *)base;
    if (group == 0)
        node_derivatives(t, ev, x, begin, end, gradient, hessian);
    else if (group == 1)
        tet_derivatives(t, ev, x, begin, end, gradient, hessian);
    else
        set_derivatives(t, ev, &t->model->sets.data[group - 2], x, begin, end, gradient, hessian);
}

static void destroy(term *base)
{
    inertia_term *t = (inertia_term *)base;
    array_free(&t->nodes);
    array_free(&t->lumped);
    array_free(&t->element_nodes);
    array_free(&t->tet_mass);
    mem_free(t->x_tilde);
    mem_free(t->force);
    mem_free(t);
}

static const term_class inertia_class = {
    .name = "inertia", .value = value, .derivatives = derivatives, .destroy = destroy};

abut_status inertia_create(const model *m, inertia_term **out, abut_error *err)
{
    inertia_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the inertia term");
    size_t blocks = m->rest.count;
    t->base = (term){.class = &inertia_class};
    t->model = m;
    t->x_tilde = mem_calloc(3 * blocks, sizeof *t->x_tilde);
    t->force = mem_calloc(3 * blocks, sizeof *t->force);
    bool ok = t->x_tilde && t->force;
    for (size_t i = 0; ok && i < blocks; i++) {
        bool consistent = m->bodies.data[m->body.data[i]].consistent_mass;
        ok = array_push(&t->nodes, (int32_t)i) &&
             array_push(&t->lumped, consistent ? model_added_mass(m, i) : m->mass.data[i]);
    }
    for (size_t i = 0; ok && i < m->tet_count; i++) {
        const model_body *body = &m->bodies.data[m->tet_body.data[i]];
        if (!body->consistent_mass) continue;
        tet4_rest room;
        ok = array_push(&t->tet_mass, body->density * model_tet_rest(m, i, &room)->volume);
        for (size_t k = 0; ok && k < 4; k++)
            ok = array_push(&t->element_nodes, m->tets.data[4 * i + k]);
    }
    if (!ok) {
        destroy(&t->base);
        return error_memory(err, "creating the inertia term");
    }
    t->consistent = t->tet_mass.count > 0 || m->sets.count > 0;
    _Static_assert(2 + ELEMENT_MAX_SETS <= TERM_MAX_GROUPS, "masses of all sets");
    t->base.group_count = t->consistent ? 2 : 1;
    t->base.groups[0] = (stencil_group){1, t->nodes.count, t->nodes.data};
    t->base.groups[1] = (stencil_group){4, t->tet_mass.count, t->element_nodes.data};
    for (size_t i = 0; i < m->sets.count; i++) {
        const element_set *set = &m->sets.data[i];
        t->base.groups[t->base.group_count++] =
            (stencil_group){set->nodes, set->count, set->blocks.data};
    }
    *out = t;
    return ABUT_OK;
}

void inertia_multiply(const inertia_term *t, const double *x, double *y)
{
    memset(y, 0, 3 * t->model->rest.count * sizeof *y);
    for (size_t i = 0; i < t->nodes.count; i++)
        for (size_t c = 0; c < 3; c++) {
            size_t at = 3 * (size_t)t->nodes.data[i] + c;
            y[at] += t->lumped.data[i] * x[at];
        }
    for (size_t i = 0; i < t->tet_mass.count; i++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                for (size_t c = 0; c < 3; c++) {
                    size_t to = 3 * (size_t)t->element_nodes.data[4 * i + (size_t)a] + c;
                    size_t from = 3 * (size_t)t->element_nodes.data[4 * i + (size_t)b] + c;
                    y[to] += pair_mass(t->tet_mass.data[i], a, b) * x[from];
                }
    for (size_t i = 0; i < t->model->sets.count; i++) {
        const element_set *s = &t->model->sets.data[i];
        for (size_t e = 0; e < s->count; e++) {
            const int32_t *blocks = s->blocks.data + e * (size_t)s->nodes;
            if (!has_mass(t, s, e)) continue;
            for (int a = 0; a < s->nodes; a++)
                for (int b = 0; b < s->nodes; b++)
                    for (size_t c = 0; c < 3; c++)
                        y[3 * (size_t)blocks[a] + c] +=
                            element_mass(s, e, a, b) * x[3 * (size_t)blocks[b] + c];
        }
    }
}

/* Blocks without mass of their own (rotations) are left alone. */
static double over_mass(double value, double mass) { return mass > 0 ? value / mass : 0; }

/* Preconditioned by the lumped masses. */
static void solve_by_gradients(const inertia_term *t, const uint8_t *fixed, double *work, double *x)
{
    size_t n = 3 * t->model->rest.count;
    double *r = work, *z = work + n, *p = work + 2 * n, *q = work + 3 * n;
    const double *mass = t->model->mass.data;
    double rz = 0, target = 0;
    for (size_t i = 0; i < n; i++) {
        z[i] = p[i] = over_mass(r[i], mass[i / 3]);
        rz += r[i] * z[i];
    }
    target = 1e-28 * rz;
    for (int k = 0; k < 1000 && rz > target; k++) {
        inertia_multiply(t, p, q);
        double pq = 0, next = 0;
        for (size_t i = 0; i < n; i++) {
            if (fixed[i]) q[i] = 0;
            pq += p[i] * q[i];
        }
        double alpha = rz / pq;
        for (size_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            z[i] = over_mass(r[i], mass[i / 3]);
            next += r[i] * z[i];
        }
        for (size_t i = 0; i < n; i++) p[i] = z[i] + next / rz * p[i];
        rz = next;
    }
}

abut_status inertia_solve(const inertia_term *t, const uint8_t *fixed, const double *b, double *x,
                          abut_error *err)
{
    size_t n = 3 * t->model->rest.count;
    if (!t->consistent) {
        for (size_t i = 0; i < n; i++)
            x[i] = fixed[i] ? 0 : over_mass(b[i], t->model->mass.data[i / 3]);
        return ABUT_OK;
    }
    double *work = mem_calloc(4 * n, sizeof *work);
    if (!work) return error_memory(err, "solving for accelerations");
    for (size_t i = 0; i < n; i++) {
        work[i] = fixed[i] ? 0 : b[i];
        x[i] = 0;
    }
    solve_by_gradients(t, fixed, work, x);
    mem_free(work);
    return ABUT_OK;
}
