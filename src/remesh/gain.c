/* What splits are worth to second order, from derivatives of the potential at the middles of edges.
 *
 * Where the surface is in contact, the force of contact at the middle is not known without the
 * split, but it follows from what acts at present. Forces of pairs that push at an edge or a
 * triangle between its corners act on the middle by the value of its hat function at the nearest
 * point, 2 min(beta_a, beta_b) with the barycentric coordinates beta. What else acts on the ends
 * (as points against other surfaces and half-spaces, friction) is spread over the surface; the
 * middle takes over a quarter (2D) or a sixth (3D) of it, and of its stiffness. What pushes between
 * the ends has no stiffness: the ends move when the middle does. */
#include "contact/barrier_stencil.h"
#include "remesh/local_internal.h"
#include "remesh/remesher.h"

#include <math.h>
#include <string.h>

bool is_touched(const remesher *r, int32_t vertex)
{
    return (size_t)vertex < r->touched.count && r->touched.data[vertex];
}

bool edge_is_touched(const remesher *r, int32_t a, int32_t b)
{
    return (is_touched(r, a) || is_touched(r, b)) && local_edge_on_boundary(r->mesh, a, b, false);
}

static double spread_share(const remesher *r) { return r->mesh->dimension == 2 ? 0.25 : 1.0 / 6; }

/* Room for notes about contact at this vertex. */
static abut_status reserve_touched(remesher *r, size_t needed, abut_error *err)
{
    size_t before = r->touched.count;
    if (needed <= before) return ABUT_OK;
    if (!array_resize(&r->touched, needed) || !array_resize(&r->spread, needed))
        return error_memory(err, "remeshing");
    memset(r->touched.data + before, 0, needed - before);
    memset(r->spread.data + before, 0, (needed - before) * sizeof *r->spread.data);
    return ABUT_OK;
}

static void add_terms(middle_terms *sum, double factor, const middle_terms *t)
{
    sum->gradient = vec3_mul_add(sum->gradient, factor, t->gradient);
    sum->hessian = mat3_add(sum->hessian, mat3_scale(factor, t->hessian));
}

/* What pushes at an edge between its ends; the pointer is valid until the next call. NULL: out of
 * memory. */
static vec3 *pushed_of(remesher *r, const edge_note *note)
{
    size_t at = (size_t)(note - r->edges.notes.data), before = r->pushed.count;
    if (at >= before) {
        size_t size = at + 1 > 2 * before ? at + 1 : 2 * before;
        if (!array_resize(&r->pushed, size)) return NULL;
        memset(r->pushed.data + before, 0, (size - before) * sizeof *r->pushed.data);
    }
    return &r->pushed.data[at];
}

abut_status note_touched(remesher *r, int32_t vertex, int32_t a, int32_t b, abut_error *err)
{
    if (!r->contact || (!is_touched(r, a) && !is_touched(r, b)) ||
        !local_vertex_on_boundary(r->mesh, vertex, false))
        return ABUT_OK;
    TRY(reserve_touched(r, (size_t)vertex + 1, err));
    const edge_note *old = edge_table_find(&r->edges, a, b);
    vec3 pushed = {0};
    if (old && (size_t)(old - r->edges.notes.data) < r->pushed.count)
        pushed = r->pushed.data[old - r->edges.notes.data];
    r->touched.data[vertex] = 1;
    for (int side = 0; side < 2; side++) {
        int32_t end = side ? b : a;
        if (is_touched(r, end))
            add_terms(&r->spread.data[vertex], spread_share(r), &r->spread.data[end]);
        const edge_note *half = edge_table_note(&r->edges, vertex, end);
        vec3 *to = half ? pushed_of(r, half) : NULL;
        if (!to) return error_memory(err, "remeshing");
        *to = vec3_mul_add(*to, 0.5, pushed);
    }
    return ABUT_OK;
}

static double gain_of(const remesher *r, const middle_terms *t, int32_t a, int32_t b,
                      flag_set flags)
{
    int axes = remesh_fixed_axes(r->problem, r->mesh, a, flags);
    if (!edge_is_touched(r, a, b)) return middle_gain(t, axes);
    middle_terms sum = *t;
    const edge_note *note = edge_table_find(&r->edges, a, b);
    if (note && (size_t)(note - r->edges.notes.data) < r->pushed.count)
        sum.gradient = vec3_add(sum.gradient, r->pushed.data[note - r->edges.notes.data]);
    double gain = middle_gain(&sum, axes);
    if (is_touched(r, a)) add_terms(&sum, spread_share(r), &r->spread.data[a]);
    if (is_touched(r, b)) add_terms(&sum, spread_share(r), &r->spread.data[b]);
    return fmax(gain, middle_gain(&sum, axes));
}

double noted_gain(remesher *r, size_t note, int32_t a, int32_t b)
{
    flag_set flags = flag_sets_common(r->mesh->flags, r->mesh->vertices.data[a].flags,
                                      r->mesh->vertices.data[b].flags);
    array_clear(&r->star);
    if (flags && local_mesh_edge_star(r->mesh, a, b, &r->star, NULL) == ABUT_OK)
        flags = local_middle_flags(r->mesh, a, b, &r->star);
    return gain_of(r, &r->middles.data[note], a, b, flags);
}

abut_status split_gain(remesher *r, int32_t a, int32_t b, double *gain, abut_error *err)
{
    const local_mesh *m = r->mesh;
    middle_terms sum = {0};
    array_clear(&r->star);
    TRY(local_mesh_edge_star(m, a, b, &r->star, err));
    for (size_t i = 0; i < r->star.count; i++) {
        cell_terms terms;
        const local_cell *c = &m->cells.data[r->star.data[i]];
        cell_terms_make(m, r->problem, r->star.data[i], &terms);
        cell_terms_middle(m, &terms, local_corner_of(m, c, a), local_corner_of(m, c, b), &sum);
    }
    *gain = gain_of(r, &sum, a, b, local_middle_flags(m, a, b, &r->star));
    return ABUT_OK;
}

/* --- contact as it is ------------------------------------------------------------------------ */

/* One side of a pair: its vertices in the mesh (-1: elsewhere) and the gradients there. */
static abut_status add_side(remesher *r, int count, const int32_t *vertex, const vec3 *gradient,
                            double ratio, abut_error *err)
{
    vec3 total = {0};
    for (int k = 0; k < count; k++) {
        total = vec3_add(total, gradient[k]);
        if (vertex[k] >= 0) r->touched.data[vertex[k]] = 1;
    }
    if (count == 1) { /* the gradient is part of what is left over */
        if (vertex[0] >= 0) {
            mat3 *h = &r->spread.data[vertex[0]].hessian;
            *h = mat3_add(*h, mat3_scale(ratio, mat3_outer(total, total)));
        }
        return ABUT_OK;
    }
    double norm2 = vec3_norm2(total);
    if (!(norm2 > 0)) return ABUT_OK;
    for (int k = 0; k < count; k++) {
        if (vertex[k] < 0) continue;
        vec3 *left = &r->spread.data[vertex[k]].gradient;
        *left = vec3_sub(*left, gradient[k]);
        for (int o = 0; o < k; o++) {
            if (vertex[o] < 0) continue;
            const edge_note *note = edge_table_find(&r->edges, vertex[k], vertex[o]);
            double hat =
                2 * fmin(vec3_dot(gradient[k], total), vec3_dot(gradient[o], total)) / norm2;
            if (!note || !(hat > 0)) continue;
            vec3 *to = pushed_of(r, note);
            if (!to) return error_memory(err, "measuring contact");
            *to = vec3_mul_add(*to, hat, total);
        }
    }
    return ABUT_OK;
}

/* b'' / (factor b'^2), what makes a curvature of the square of a force. */
static double curvature_ratio(const barrier_law *law, double distance2, double thickness,
                              double weight)
{
    double s = stencil_offset2(distance2, thickness), end = stencil_reach2(law->shat, thickness);
    double scale = barrier_thickness_scale(law->kind, law->shat, end);
    double first = scale * barrier_first(law->kind, s, end);
    double second = scale * barrier_second(law->kind, s, end);
    double force = weight * law->factor * first * first;
    return fabs(force) > 0 ? fmax(0, second / fabs(force)) : 0;
}

abut_status measure_contact_at(remesher *r, const contact_term *t, const int32_t *vertex_of_block,
                               abut_error *err)
{
    static const int first_side[STENCIL_LISTS] = {1, 1, 1, 2, 2};
    const surface_row *rows = t->model->surface.rows.data;
    barrier_law law = {t->options.barrier, t->options.dhat * t->options.dhat, r->problem->kappa};
    TRY(reserve_touched(r, r->mesh->vertices.count, err));
    for (int list = 0; list < STENCIL_LISTS; list++)
        for (size_t i = 0; i < t->active.lists[list].count; i++) {
            const contact_stencil *c = &t->active.lists[list].data[i];
            int width = stencil_list_width[list], one = first_side[list];
            double numbers[12];
            vec3 gradient[4];
            int32_t vertex[4];
            barrier_stencil_derivatives(&law, (stencil_list)list, c, t->y, false, numbers, NULL);
            for (int k = 0; k < width; k++) {
                const surface_row *row = &rows[c->vertex[k]];
                vertex[k] = row->kind == ROW_NODE ? vertex_of_block[row->block] : -1;
                gradient[k] = vec3_load(numbers + 3 * k);
            }
            double ratio = curvature_ratio(&law, c->distance2, c->thickness, c->multiplicity);
            TRY(add_side(r, one, vertex, gradient, ratio, err));
            TRY(add_side(r, width - one, vertex + one, gradient + one, ratio, err));
        }
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        const surface_row *row = &rows[c->vertex];
        int32_t v = row->kind == ROW_NODE ? vertex_of_block[row->block] : -1;
        if (v < 0) continue;
        double d2 = c->distance * c->distance;
        double force = barrier_normal_force(&law, d2, c->thickness, c->weight);
        vec3 f = vec3_scale(-force, t->planes.data[c->plane].normal);
        TRY(add_side(r, 1, &v, &f, curvature_ratio(&law, d2, c->thickness, c->weight), err));
    }
    return ABUT_OK;
}

/* --- all edges ------------------------------------------------------------------------------- */

abut_status measure_middles(remesher *r, abut_error *err)
{
    const local_mesh *m = r->mesh;
    size_t count = r->edges.notes.count;
    TRY(reserve_touched(r, m->vertices.count, err));
    if (!array_resize(&r->middles, count)) return error_memory(err, "measuring edges");
    for (size_t i = 0; i < count; i++) r->middles.data[i] = (middle_terms){0};
    for (size_t i = 0; i < m->cells.count; i++) {
        const local_cell *c = &m->cells.data[i];
        if (!c->alive) continue;
        cell_terms terms;
        cell_terms_make(m, r->problem, (int32_t)i, &terms);
        for (int a = 0; a <= m->dimension; a++) {
            if (r->touched.data[c->vertex[a]]) { /* contact balances everything else */
                vec3 *left = &r->spread.data[c->vertex[a]].gradient;
                *left = vec3_sub(*left, cell_terms_corner(&terms, a));
            }
            for (int b = 0; b < a; b++) {
                const edge_note *note = edge_table_find(&r->edges, c->vertex[a], c->vertex[b]);
                if (!note) continue;
                cell_terms_middle(m, &terms, a, b, &r->middles.data[note - r->edges.notes.data]);
            }
        }
    }
    return ABUT_OK;
}
