/* What splits are worth to second order, from derivatives of the potential at the middles of edges.
 *
 * Where the surface is in contact, the force of contact at the middle is not known without the
 * split. At its two ends it is what balances everything else. Spread evenly, the middle takes a
 * quarter (2D) or a sixth (3D) of both; pushed at by a corner or an edge, up to a half of what is
 * at the ends or more. The largest value of these is taken: such splits are decided by a trial. */
#include "remesh/local_internal.h"
#include "remesh/remesher.h"

#include <math.h>

bool is_touched(const remesher *r, int32_t vertex)
{
    return (size_t)vertex < r->touched.count && r->touched.data[vertex];
}

bool edge_is_touched(const remesher *r, int32_t a, int32_t b)
{
    return (is_touched(r, a) || is_touched(r, b)) && local_edge_on_boundary(r->mesh, a, b, false);
}

abut_status note_touched(remesher *r, int32_t vertex, int32_t a, int32_t b, abut_error *err)
{
    if (!r->contact || (!is_touched(r, a) && !is_touched(r, b)) ||
        !local_vertex_on_boundary(r->mesh, vertex, false))
        return ABUT_OK;
    size_t before = r->touched.count, needed = (size_t)vertex + 1;
    if (needed > before) {
        if (!array_resize(&r->touched, needed) || !array_resize(&r->push, needed))
            return error_memory(err, "remeshing");
        for (size_t i = before; i < needed; i++) {
            r->touched.data[i] = 0;
            r->push.data[i] = (vec3){0};
        }
    }
    r->touched.data[vertex] = 1;
    r->push.data[vertex] = vec3_scale(0.25, vec3_add(r->push.data[a], r->push.data[b]));
    return ABUT_OK;
}

static double gain_of(const remesher *r, const middle_terms *t, int32_t a, int32_t b,
                      uint64_t flags)
{
    int axes = remesh_held_axes(r->problem, flags, r->mesh->dimension);
    double gain = middle_gain(t, axes);
    if (!edge_is_touched(r, a, b)) return gain;
    vec3 push = {0};
    if (is_touched(r, a)) push = vec3_add(push, r->push.data[a]);
    if (is_touched(r, b)) push = vec3_add(push, r->push.data[b]);
    const double shares[2] = {r->mesh->dimension == 2 ? 1.0 / 4 : 1.0 / 6, 0.5};
    for (int i = 0; i < 2; i++) {
        middle_terms with = *t;
        with.gradient = vec3_mul_add(t->gradient, -shares[i], push);
        gain = fmax(gain, middle_gain(&with, axes));
    }
    return gain;
}

double noted_gain(remesher *r, size_t note, int32_t a, int32_t b)
{
    uint64_t flags = r->mesh->vertices.data[a].flags & r->mesh->vertices.data[b].flags;
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

abut_status measure_middles(remesher *r, abut_error *err)
{
    const local_mesh *m = r->mesh;
    size_t count = r->edges.notes.count, vertices = m->vertices.count;
    if (!array_resize(&r->middles, count) || !array_resize(&r->push, vertices) ||
        !array_resize(&r->touched, vertices))
        return error_memory(err, "measuring edges");
    for (size_t i = 0; i < count; i++) r->middles.data[i] = (middle_terms){0};
    for (size_t i = 0; i < vertices; i++) r->push.data[i] = (vec3){0};
    for (size_t i = 0; i < m->cells.count; i++) {
        const local_cell *c = &m->cells.data[i];
        if (!c->alive) continue;
        cell_terms terms;
        cell_terms_make(m, r->problem, (int32_t)i, &terms);
        for (int a = 0; a <= m->dimension; a++) {
            if (r->touched.data[c->vertex[a]])
                r->push.data[c->vertex[a]] =
                    vec3_add(r->push.data[c->vertex[a]], cell_terms_corner(&terms, a));
            for (int b = 0; b < a; b++) {
                const edge_note *note = edge_table_find(&r->edges, c->vertex[a], c->vertex[b]);
                if (!note) continue;
                cell_terms_middle(m, &terms, a, b, &r->middles.data[note - r->edges.notes.data]);
            }
        }
    }
    return ABUT_OK;
}
