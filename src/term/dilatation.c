#include "term/dilatation.h"

#include "base/parallel.h"
#include "material/law.h"

#include <math.h>
#include <string.h>

/* The elements of a set that have a mean. */
typedef struct mean_group {
    const element_set *set;
    ARRAY(size_t) element;
    ARRAY(int32_t) blocks; /* elements x nodes */
} mean_group;

typedef struct dilatation_term {
    term base;
    const model *model;
    mean_group groups[ELEMENT_MAX_SETS];
} dilatation_term;

static bool is_linear(const elastic_parameters *m) { return elastic_laws[m->model]->small_strain; }

/* The mean of det F, or 1 + that of the strain, and the volume. */
static double mean_of(const element_set *s, size_t e, const double *u, double *volume)
{
    bool linear = is_linear(&s->material.data[e]);
    double sum = 0;
    *volume = 0;
    for (int i = 0; i < s->elastic_points; i++) {
        mat3 f = element_deformation(s, e, u, i);
        double w = element_measure(s, e, i);
        sum += w * (linear ? f.m[0][0] + f.m[1][1] + f.m[2][2] - 2 : mat3_determinant(f));
        *volume += w;
    }
    return sum / *volume;
}

/* U and its derivatives. */
typedef struct volume_law {
    double value, first, second;
} volume_law;

static volume_law law_at(const elastic_parameters *m, double theta)
{
    double lambda = m->mean_lambda;
    if (is_linear(m))
        return (volume_law){0.5 * lambda * (theta - 1) * (theta - 1), lambda * (theta - 1), lambda};
    if (!(theta > 0)) return (volume_law){INFINITY, NAN, NAN};
    double log_theta = log(theta);
    return (volume_law){0.5 * lambda * log_theta * log_theta, lambda * log_theta / theta,
                        lambda * (1 - log_theta) / (theta * theta)};
}

static volume_law law_of_element(const element_set *s, size_t e, const double *x, const vec3 *rest,
                                 double *volume)
{
    double u[3 * ELEMENT_MAX_STRIDE];
    element_gather(s, e, x, rest, u);
    return law_at(&s->material.data[e], mean_of(s, e, u, volume));
}

double dilatation_pressure(const element_set *s, size_t e, const double *x, const vec3 *rest)
{
    double volume;
    if (s->material.data[e].mean_lambda == 0) return 0;
    return law_of_element(s, e, x, rest, &volume).first;
}

double dilatation_energy(const element_set *s, size_t e, const double *x, const vec3 *rest)
{
    double volume;
    if (s->material.data[e].mean_lambda == 0) return 0;
    return law_of_element(s, e, x, rest, &volume).value;
}

typedef struct value_work {
    const dilatation_term *t;
    const mean_group *group;
    const double *x;
} value_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    double sum = 0, volume;
    for (size_t i = begin; i < end; i++) {
        volume_law law = law_of_element(w->group->set, w->group->element.data[i], w->x,
                                        w->t->model->rest.data, &volume);
        sum += volume * law.value;
    }
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    const dilatation_term *t = (const dilatation_term *)base;
    double sum = 0;
    for (int k = 0; k < base->group_count; k++) {
        value_work work = {t, &t->groups[k], x};
        sum += parallel_sum(t->groups[k].element.count, energy_range, &work);
    }
    return ev->force_factor * sum;
}

/* Gradients of the shape functions at a point, by the rest position. */
static void shape_gradients(const element_set *s, size_t e, int point, vec3 *out)
{
    size_t at = s->affine ? e : e * (size_t)s->rule.count + (size_t)point;
    mat3 inverse = s->points.data[at].inverse;
    for (int a = 0; a < s->nodes; a++) {
        double n[3] = {0};
        for (int k = 0; k < s->dimension; k++) {
            double slope = s->gradients[(s->dimension * point + k) * s->stride + a];
            for (int m = 0; m < 3; m++) n[m] += slope * inverse.m[k][m];
        }
        out[a] = vec3_load(n);
    }
}

/* dTheta/dx. */
static void mean_gradient(const element_set *s, size_t e, const double *u, double volume, vec3 *out)
{
    bool linear = is_linear(&s->material.data[e]);
    memset(out, 0, (size_t)s->nodes * sizeof *out);
    for (int i = 0; i < s->elastic_points; i++) {
        vec3 n[ELEMENT_MAX_NODES];
        mat3 f = element_deformation(s, e, u, i);
        mat3 cofactor = linear ? mat3_identity() : mat3_cofactor(f);
        shape_gradients(s, e, i, n);
        for (int a = 0; a < s->nodes; a++)
            out[a] = vec3_mul_add(out[a], element_measure(s, e, i) / volume,
                                  mat3_mul_vec(cofactor, n[a]));
    }
}

static void add_block(double *to, double factor, mat3 block)
{
    for (int i = 0; i < 9; i++) to[i] += factor * block.m[i / 3][i % 3];
}

/* factor x int d2(det F), the blocks a <= b. */
static void add_curvature(const element_set *s, size_t e, const double *u, double factor,
                          bool project, double *hessian)
{
    for (int i = 0; i < s->elastic_points; i++) {
        vec3 n[ELEMENT_MAX_NODES];
        double by_entry[81], *to = hessian;
        elastic_spectrum spectrum;
        determinant_spectrum(element_deformation(s, e, u, i), factor, 0, project, &spectrum);
        elastic_spectrum_expand(&spectrum, by_entry);
        shape_gradients(s, e, i, n);
        for (int a = 0; a < s->nodes; a++)
            for (int b = a; b < s->nodes; b++, to += 9)
                add_block(to, element_measure(s, e, i), elastic_between(by_entry, n[a], n[b]));
    }
}

static void element_parts(const dilatation_term *t, const element_set *s, size_t e,
                          const evaluation *ev, const double *x, double *gradient, double *hessian)
{
    double u[3 * ELEMENT_MAX_STRIDE], volume;
    vec3 slope[ELEMENT_MAX_NODES];
    element_gather(s, e, x, t->model->rest.data, u);
    double theta = mean_of(s, e, u, &volume);
    volume_law law = law_at(&s->material.data[e], theta);
    mean_gradient(s, e, u, volume, slope);
    for (int a = 0; gradient && a < s->nodes; a++)
        vec3_store(gradient + 3 * a, vec3_scale(ev->force_factor * volume * law.first, slope[a]));
    if (!hessian) return;
    double second = ev->force_factor * volume * (ev->exact ? law.second : fmax(0, law.second));
    double *to = hessian;
    for (int a = 0; a < s->nodes; a++)
        for (int b = a; b < s->nodes; b++, to += 9) {
            mat3 block = mat3_scale(second, mat3_outer(slope[a], slope[b]));
            memcpy(to, block.m, sizeof block.m);
        }
    if (!is_linear(&s->material.data[e]))
        add_curvature(s, e, u, ev->force_factor * law.first, !ev->exact, hessian);
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const dilatation_term *t = (const dilatation_term *)base;
    const mean_group *g = &t->groups[group];
    size_t nodes = (size_t)g->set->nodes, pairs = nodes * (nodes + 1) / 2;
    for (size_t i = begin; i < end; i++)
        element_parts(t, g->set, g->element.data[i], ev, x,
                      gradient ? gradient + 3 * nodes * (i - begin) : NULL,
                      hessian ? hessian + 9 * pairs * (i - begin) : NULL);
}

static void destroy(term *base)
{
    dilatation_term *t = (dilatation_term *)base;
    for (int k = 0; k < ELEMENT_MAX_SETS; k++) {
        array_free(&t->groups[k].element);
        array_free(&t->groups[k].blocks);
    }
    mem_free(t);
}

static const term_class dilatation_class = {
    .name = "mean dilatation", .value = value, .derivatives = derivatives, .destroy = destroy};

static abut_status add_elements(mean_group *g, const element_set *s, abut_error *err)
{
    g->set = s;
    for (size_t e = 0; e < s->count; e++) {
        if (s->material.data[e].mean_lambda == 0) continue;
        bool ok = array_push(&g->element, e);
        for (int a = 0; ok && a < s->nodes; a++)
            ok = array_push(&g->blocks, s->blocks.data[e * (size_t)s->nodes + (size_t)a]);
        if (!ok) return error_memory(err, "adding elements with a mean dilatation");
    }
    return ABUT_OK;
}

static abut_status create(const model *m, term **out, abut_error *err)
{
    dilatation_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "adding elements with a mean dilatation");
    t->base = (term){.class = &dilatation_class};
    t->model = m;
    for (size_t i = 0; i < m->sets.count; i++) {
        mean_group *g = &t->groups[t->base.group_count];
        abut_status status = add_elements(g, &m->sets.data[i], err);
        if (status != ABUT_OK) {
            destroy(&t->base);
            return status;
        }
        if (g->element.count == 0) continue;
        t->base.groups[t->base.group_count++] =
            (stencil_group){m->sets.data[i].nodes, g->element.count, g->blocks.data};
    }
    *out = &t->base;
    return ABUT_OK;
}

static bool has_means(const model *m)
{
    for (size_t i = 0; i < m->sets.count; i++)
        for (size_t e = 0; e < m->sets.data[i].count; e++)
            if (m->sets.data[i].material.data[e].mean_lambda > 0) return true;
    return false;
}

const term_row dilatation_row = {.needed = has_means, .create = create};
