#include "contact/contact_term.h"

#include "base/parallel.h"
#include "contact/contact_step.h"
#include "geometry/distance_psd.h"
#include "geometry/mollifier.h"
#include "math/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLANES = STENCIL_LISTS };

static const int list_width[STENCIL_LISTS] = {2, 3, 4, 4, 4};
static const stencil_kind list_kind[STENCIL_LISTS] = {STENCIL_PP, STENCIL_PE, STENCIL_PT,
                                                      STENCIL_EE, STENCIL_EE};

/* ---------------------------------------------------------------------------------------------- */
/* Update                                                                                         */

static abut_status find_plane_contacts(contact_term *t, abut_error *err)
{
    array_clear(&t->plane_contacts);
    size_t vertices = t->model->surface.rows.count;
    for (size_t k = 0; k < t->planes.count; k++) {
        const half_space *plane = &t->planes.data[k];
        for (size_t i = 0; i < vertices; i++) {
            if (t->kinematic[i]) continue;
            double d = half_space_distance(t->y[i], plane->origin, plane->normal);
            t->min_distance = fmin(t->min_distance, d);
            if (d < t->options.dhat &&
                !array_push(&t->plane_contacts, (plane_contact){(int32_t)i, (int32_t)k, d}))
                return error_memory(err, "finding contacts with half-spaces");
        }
    }
    return ABUT_OK;
}

/* Coordinate blocks of every stencil. */
static abut_status set_groups(contact_term *t, abut_error *err)
{
    const surface_row *rows = t->model->surface.rows.data;
    for (int k = 0; k < STENCIL_LISTS; k++) {
        const stencil_array *list = &t->active.lists[k];
        size_t width = (size_t)list_width[k];
        if (!array_resize(&t->blocks[k], list->count * width + 1))
            return error_memory(err, "listing contacts");
        for (size_t i = 0; i < list->count; i++)
            for (size_t a = 0; a < width; a++)
                t->blocks[k].data[i * width + a] = rows[list->data[i].vertex[a]].block;
        t->base.groups[k] = (stencil_group){list_width[k], list->count, t->blocks[k].data};
    }
    if (!array_resize(&t->blocks[PLANES], t->plane_contacts.count + 1))
        return error_memory(err, "listing contacts");
    for (size_t i = 0; i < t->plane_contacts.count; i++)
        t->blocks[PLANES].data[i] = rows[t->plane_contacts.data[i].vertex].block;
    t->base.groups[PLANES] = (stencil_group){1, t->plane_contacts.count, t->blocks[PLANES].data};
    return ABUT_OK;
}

static abut_status update(term *base, const double *x, abut_error *err)
{
    contact_term *t = (contact_term *)base;
    collision_surface_positions(&t->model->surface, x, t->y);
    TRY(contact_cover_point(t, err));
    TRY(active_set_build(&t->active, &t->model->surface, &t->candidates, t->y, t->options.dhat,
                         err));
    t->min_distance = sqrt(t->active.min_distance2);
    TRY(find_plane_contacts(t, err));
    return set_groups(t, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Energy                                                                                         */

typedef struct list_work {
    const contact_term *t;
    int list;
} list_work;

static double list_energy(void *context, size_t begin, size_t end)
{
    const list_work *w = context;
    const contact_term *t = w->t;
    double shat = t->options.dhat * t->options.dhat, sum = 0;
    for (size_t i = begin; i < end; i++) {
        const contact_stencil *c = &t->active.lists[w->list].data[i];
        double b = c->multiplicity * barrier_value(t->options.barrier, c->distance2, shat);
        if (w->list == LIST_EE_MOLLIFIED) {
            vec3 x[4];
            stencil_positions(c, 4, t->y, x);
            b *= edge_mollifier(x[0], x[1], x[2], x[3], c->threshold);
        }
        sum += b;
    }
    return sum;
}

static double value(term *base, const double *x)
{
    (void)x;
    contact_term *t = (contact_term *)base;
    double shat = t->options.dhat * t->options.dhat, sum = 0;
    if (!(t->min_distance > 0)) return INFINITY;
    for (int k = 0; k < STENCIL_LISTS; k++) {
        list_work work = {t, k};
        sum += parallel_sum(t->active.lists[k].count, list_energy, &work);
    }
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        double d = t->plane_contacts.data[i].distance;
        sum += barrier_value(t->options.barrier, d * d, shat);
    }
    return base->weight * t->kappa * sum;
}

/* Copies the blocks a <= b of a dense row-major matrix in the order that terms deliver them. */
static void store_blocks(int width, const double *dense, double *out)
{
    int n = 3 * width;
    for (int a = 0; a < width; a++)
        for (int b = a; b < width; b++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) *out++ = dense[(3 * a + r) * n + 3 * b + c];
}

static void plain_derivatives(const contact_term *t, int list, size_t begin, size_t end,
                              double *gradient, double *hessian)
{
    int width = list_width[list], n = 3 * width, pairs = width * (width + 1) / 2;
    double shat = t->options.dhat * t->options.dhat;
    for (size_t i = begin; i < end; i++) {
        const contact_stencil *c = &t->active.lists[list].data[i];
        double factor = t->base.weight * t->kappa * c->multiplicity;
        double g[12], h[144];
        vec3 x[4];
        stencil_positions(c, width, t->y, x);
        double s = c->distance2;
        double first = factor * barrier_first(t->options.barrier, s, shat);
        if (gradient) {
            stencil_gradient(list_kind[list], x, g);
            for (int k = 0; k < n; k++)
                gradient[(i - begin) * (size_t)n + (size_t)k] = first * g[k];
        }
        if (!hessian) continue;
        double second = factor * barrier_second(t->options.barrier, s, shat);
        stencil_psd_hessian(list_kind[list], x, first, second, h);
        store_blocks(width, h, hessian + (i - begin) * 9 * (size_t)pairs);
    }
}

/* Distance derivatives of a mollified pair, spread from the closest features to all four vertices.
 */
static double spread_distance(const contact_stencil *c, const vec3 *x, double *g, double *h)
{
    const feature_stencil *f = &edge_edge_features[c->type];
    vec3 part[4];
    double small_g[12], small_h[144];
    for (int k = 0; k < f->count; k++) part[k] = x[f->vertex[k]];
    double s = stencil_hessian(f->kind, part, small_g, small_h);
    memset(g, 0, 12 * sizeof *g);
    memset(h, 0, 144 * sizeof *h);
    int n = 3 * f->count;
    for (int i = 0; i < n; i++) {
        int row = 3 * f->vertex[i / 3] + i % 3;
        g[row] = small_g[i];
        for (int j = 0; j < n; j++) h[12 * row + 3 * f->vertex[j / 3] + j % 3] = small_h[n * i + j];
    }
    return s;
}

/* Energy e(c) b(s): both factors vary. */
static void mollified_derivatives(const contact_term *t, size_t begin, size_t end, double *gradient,
                                  double *hessian)
{
    double shat = t->options.dhat * t->options.dhat;
    for (size_t i = begin; i < end; i++) {
        const contact_stencil *c = &t->active.lists[LIST_EE_MOLLIFIED].data[i];
        double factor = t->base.weight * t->kappa * c->multiplicity;
        double gs[12], hs[144], ge[12], he[144];
        vec3 x[4];
        stencil_positions(c, 4, t->y, x);
        double s = fmin(spread_distance(c, x, gs, hs), c->distance2);
        double e = edge_mollifier_hessian(x[0], x[1], x[2], x[3], c->threshold, ge, he);
        double b = barrier_value(t->options.barrier, s, shat);
        double b1 = barrier_first(t->options.barrier, s, shat);
        double b2 = barrier_second(t->options.barrier, s, shat);
        if (gradient)
            for (int k = 0; k < 12; k++)
                gradient[(i - begin) * 12 + (size_t)k] = factor * (b * ge[k] + e * b1 * gs[k]);
        if (!hessian) continue;
        for (int k = 0; k < 12; k++)
            for (int l = 0; l < 12; l++)
                he[12 * k + l] =
                    factor * (b * he[12 * k + l] + b1 * (ge[k] * gs[l] + gs[k] * ge[l]) +
                              e * (b2 * gs[k] * gs[l] + b1 * hs[12 * k + l]));
        psd_project(12, he);
        store_blocks(4, he, hessian + (i - begin) * 90);
    }
}

static void plane_derivatives(const contact_term *t, size_t begin, size_t end, double *gradient,
                              double *hessian)
{
    double shat = t->options.dhat * t->options.dhat;
    for (size_t i = begin; i < end; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        vec3 n = t->planes.data[c->plane].normal;
        double d = c->distance, factor = t->base.weight * t->kappa;
        double b1 = barrier_first(t->options.barrier, d * d, shat);
        double b2 = barrier_second(t->options.barrier, d * d, shat);
        if (gradient) vec3_store(gradient + 3 * (i - begin), vec3_scale(factor * b1 * 2 * d, n));
        if (!hessian) continue;
        double curvature = fmax(0, factor * (4 * d * d * b2 + 2 * b1));
        mat3 h = mat3_scale(curvature, mat3_outer(n, n));
        memcpy(hessian + 9 * (i - begin), h.m, sizeof h.m);
    }
}

static void derivatives(const term *base, int group, const double *x, size_t begin, size_t end,
                        double *gradient, double *hessian)
{
    (void)x;
    const contact_term *t = (const contact_term *)base;
    if (group == PLANES)
        plane_derivatives(t, begin, end, gradient, hessian);
    else if (group == LIST_EE_MOLLIFIED)
        mollified_derivatives(t, begin, end, gradient, hessian);
    else
        plain_derivatives(t, group, begin, end, gradient, hessian);
}

/* ---------------------------------------------------------------------------------------------- */
/* Stiffness (IPC supplement 6)                                                                   */

void contact_set_stiffness_bounds(contact_term *t, double mean_mass)
{
    double l = t->model->extent, shat = t->options.dhat * t->options.dhat;
    double s = 1e-16 * l * l;
    /* The rule looks at a distance of 1e-8 l; a dhat that small itself needs a closer look. */
    if (s > 1e-4 * shat) s = 1e-4 * shat;
    double curvature = 4 * s * barrier_second(t->options.barrier, s, shat);
    t->kappa_min = 1e11 * mean_mass / curvature;
    t->kappa_max = 100 * t->kappa_min;
    if (!(t->kappa > 0)) t->kappa = t->kappa_min;
}

void contact_balance_stiffness(contact_term *t, const double *contact_gradient,
                               const double *other_gradient, size_t scalars)
{
    double dot = 0, square = 0;
    for (size_t i = 0; i < scalars; i++) {
        dot += contact_gradient[i] * other_gradient[i];
        square += contact_gradient[i] * contact_gradient[i];
    }
    double balanced = square > 0 ? -dot / square : 0;
    t->kappa = fmin(t->kappa_max, fmax(t->kappa_min, balanced));
}

static abut_status push_close(contact_term *t, const contact_stencil *c, double limit2)
{
    if (c->distance2 >= limit2) return ABUT_OK;
    close_pair pair = {.distance2 = c->distance2};
    memcpy(pair.vertex, c->vertex, sizeof pair.vertex);
    return array_push(&t->close_now, pair) ? ABUT_OK : ABUT_ERROR_MEMORY;
}

bool contact_adapt_stiffness(contact_term *t)
{
    double limit = 1e-9 * t->model->extent, limit2 = limit * limit;
    bool grow = false;
    array_clear(&t->close_now);
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < t->active.lists[k].count; i++)
            if (push_close(t, &t->active.lists[k].data[i], limit2) != ABUT_OK) return false;
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        contact_stencil stencil = {.vertex = {c->vertex, -2 - c->plane, -1, -1},
                                   .distance2 = c->distance * c->distance};
        if (push_close(t, &stencil, limit2) != ABUT_OK) return false;
    }
    for (size_t i = 0; i < t->close_now.count && !grow; i++)
        for (size_t j = 0; j < t->close_before.count && !grow; j++) {
            const close_pair *now = &t->close_now.data[i], *before = &t->close_before.data[j];
            grow = memcmp(now->vertex, before->vertex, sizeof now->vertex) == 0 &&
                   now->distance2 < before->distance2;
        }
    close_pair *swap = t->close_before.data;
    size_t capacity = t->close_before.capacity;
    t->close_before.data = t->close_now.data;
    t->close_before.count = t->close_now.count;
    t->close_before.capacity = t->close_now.capacity;
    t->close_now.data = swap;
    t->close_now.capacity = capacity;
    t->close_now.count = 0;
    if (!grow || t->kappa >= t->kappa_max) return false;
    t->kappa = fmin(t->kappa_max, 2 * t->kappa);
    return true;
}

size_t contact_count(const contact_term *t)
{
    return active_set_count(&t->active) + t->plane_contacts.count;
}

/* ---------------------------------------------------------------------------------------------- */
/* Life                                                                                           */

static void destroy(term *base)
{
    contact_term *t = (contact_term *)base;
    array_free(&t->planes);
    broad_destroy(t->broad);
    mem_free(t->kinematic);
    candidate_set_free(&t->candidates);
    active_set_free(&t->active);
    array_free(&t->plane_contacts);
    for (int k = 0; k <= STENCIL_LISTS; k++) array_free(&t->blocks[k]);
    mem_free(t->y);
    mem_free(t->p);
    mem_free(t->y_base);
    mem_free(t->p_base);
    array_free(&t->scratch);
    array_free(&t->close_before);
    array_free(&t->close_now);
    mem_free(t);
}

static const term_class contact_class = {.name = "contact",
                                         .update = update,
                                         .value = value,
                                         .derivatives = derivatives,
                                         .max_step = contact_max_step,
                                         .destroy = destroy};

abut_status contact_create(const model *m, const contact_options *options, contact_term **out,
                           abut_error *err)
{
    contact_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the contact term");
    size_t vertices = m->surface.rows.count;
    t->base = (term){.class = &contact_class,
                     .weight = 1,
                     .enabled = true,
                     .dynamic = true,
                     .group_count = STENCIL_LISTS + 1};
    for (int k = 0; k < STENCIL_LISTS; k++) t->base.groups[k].width = list_width[k];
    t->base.groups[PLANES].width = 1;
    t->model = m;
    t->options = *options;
    t->min_distance = INFINITY;
    t->kinematic = mem_calloc(vertices, 1);
    t->y = mem_calloc(vertices, sizeof *t->y);
    t->p = mem_calloc(vertices, sizeof *t->p);
    t->y_base = mem_calloc(vertices, sizeof *t->y_base);
    t->p_base = mem_calloc(vertices, sizeof *t->p_base);
    abut_status status = ABUT_OK;
    if (!t->kinematic || !t->y || !t->p || !t->y_base || !t->p_base)
        status = error_memory(err, "creating the contact term");
    broad_surface shape = {.vertex_count = vertices,
                           .edge_count = m->surface.edges.count / 2,
                           .edges = (const int32_t(*)[2])m->surface.edges.data,
                           .triangle_count = m->surface.triangles.count / 3,
                           .triangles = (const int32_t(*)[3])m->surface.triangles.data,
                           .kinematic = t->kinematic};
    if (status == ABUT_OK) status = broad_create(&shape, &t->broad, err);
    if (status != ABUT_OK) {
        destroy(&t->base);
        return status;
    }
    *out = t;
    return ABUT_OK;
}

abut_status contact_add_half_space(contact_term *t, half_space plane, abut_error *err)
{
    plane.normal = vec3_normalize(plane.normal);
    return array_push(&t->planes, plane) ? ABUT_OK : error_memory(err, "adding a half-space");
}

void contact_begin_step(contact_term *t) { t->have_candidates = false; }

void contact_set_fixed(contact_term *t, const uint8_t *fixed)
{
    bool changed = false;
    for (size_t i = 0; i < t->model->surface.rows.count; i++) {
        const uint8_t *f = fixed + 3 * (size_t)t->model->surface.rows.data[i].block;
        uint8_t kinematic = f[0] && f[1] && f[2];
        changed = changed || kinematic != t->kinematic[i];
        t->kinematic[i] = kinematic;
    }
    if (!changed) return;
    broad_update_filter(t->broad);
    t->have_candidates = false;
}
