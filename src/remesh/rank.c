/* Ranks of edges by elastic and contact energy (digest 2.4). */
#include "base/sort.h"
#include "contact/barrier_stencil.h"
#include "remesh/remesher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mat3 edge_matrix(const local_mesh *m, int32_t cell, int field)
{
    const local_cell *c = &m->cells.data[cell];
    vec3 p[4], third = {0, 0, 1};
    for (int k = 0; k <= m->dimension; k++)
        p[k] =
            field < 0 ? m->vertices.data[c->vertex[k]].rest : *local_field(m, c->vertex[k], field);
    if (m->dimension == 3) third = vec3_sub(p[3], p[0]);
    return mat3_from_columns(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]), third);
}

double cell_elastic_energy(const remesher *r, int32_t cell)
{
    const local_mesh *m = r->mesh;
    mat3 rest = edge_matrix(m, cell, -1), now = edge_matrix(m, cell, r->problem->field_x);
    mat3 f = mat3_mul(now, mat3_inverse(rest));
    const remesh_material *material = &r->problem->materials[m->cells.data[cell].attribute];
    return local_cell_volume(m, cell, -1) * elastic_energy(&material->material, f);
}

double cell_potential(const remesher *r, int32_t cell)
{
    const local_mesh *m = r->mesh;
    const local_cell *c = &m->cells.data[cell];
    vec3 total = {0};
    double squares = 0, d = m->dimension;
    for (int k = 0; k <= m->dimension; k++) {
        vec3 off = vec3_sub(*local_field(m, c->vertex[k], r->problem->field_x),
                            *local_field(m, c->vertex[k], r->problem->field_predictor));
        total = vec3_add(total, off);
        squares += vec3_norm2(off);
    }
    double mass = r->problem->materials[c->attribute].density * local_cell_volume(m, cell, -1);
    double inertia =
        0.5 * r->problem->mass_factor * mass / ((d + 1) * (d + 2)) * (squares + vec3_norm2(total));
    return cell_elastic_energy(r, cell) + inertia / r->problem->force_factor;
}

/* Vertices that are not nodes belong to bodies that are not remeshed. */
static int32_t vertex_of(const surface_row *rows, int32_t vertex, const int32_t *vertex_of_block)
{
    return rows[vertex].kind == ROW_NODE ? vertex_of_block[rows[vertex].block] : -1;
}

/* Shares of the vertices of a mesh in the energy of contact, J, and which of them take part in it.
 * vertex_of_block: of the blocks of the term's model. */
static void share_contact(remesher *r, const contact_term *t, const int32_t *vertex_of_block,
                          double *share)
{
    double factor = r->problem->kappa / r->problem->force_factor;
    double dhat = t->options.dhat, shat = dhat * dhat;
    barrier_law law = {t->options.barrier, shat, factor};
    const surface_row *rows = t->model->surface.rows.data;
    for (int list = 0; list < STENCIL_LISTS; list++)
        for (size_t i = 0; i < t->active.lists[list].count; i++) {
            const contact_stencil *s = &t->active.lists[list].data[i];
            int width = stencil_list_width[list];
            double energy = barrier_stencil_value(&law, (stencil_list)list, s, t->y) / width;
            for (int k = 0; k < width; k++) {
                int32_t v = vertex_of(rows, s->vertex[k], vertex_of_block);
                if (v < 0) continue;
                share[v] += energy;
            }
        }
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        int32_t v = vertex_of(rows, c->vertex, vertex_of_block);
        double s = stencil_offset2(c->distance * c->distance, c->thickness);
        double reach2 = stencil_reach2(shat, c->thickness);
        if (v < 0) continue;
        share[v] += factor * c->weight * barrier_thickness_scale(t->options.barrier, shat, reach2) *
                    barrier_value(t->options.barrier, s, reach2);
    }
}

typedef struct thresholds {
    double top, bottom;
} thresholds;

/* Top: the highest edges by number, or all above that share of the range, whichever are more.
 * Bottom: by the range alone. */
static thresholds find_thresholds(const remesh_options *o, const double *energy, size_t count,
                                  double *sorted)
{
    memcpy(sorted, energy, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_double);
    double low = sorted[0], range = sorted[count - 1] - low;
    thresholds t = {.bottom = low + o->collapse_threshold * range};
    double quantile = sorted[(size_t)(fmin(1, fmax(0, o->split_threshold)) * (double)(count - 1))];
    t.top = fmin(low + o->split_threshold * range, quantile);
    t.top = fmax(t.top, fmin(1e-12, o->split_tolerance));
    if (o->split_threshold <= 0) t.top = -INFINITY;
    if (o->collapse_threshold >= 1) t.bottom = INFINITY;
    return t;
}

static double edge_mean(const remesher *r, int32_t a, int32_t b)
{
    const local_mesh *m = r->mesh;
    double sum = 0;
    size_t count = 0;
    for (int32_t at = m->vertices.data[a].first; at >= 0; at = m->cells.data[at / 4].next[at % 4]) {
        const local_cell *c = &m->cells.data[at / 4];
        for (int k = 0; k <= m->dimension; k++)
            if (c->vertex[k] == b) {
                sum += r->cell_energy[at / 4];
                count++;
            }
    }
    return count ? sum / (double)count : 0;
}

static abut_status note_ranks(remesher *r, const local_list *edges, const double *elastic,
                              const double *contact, double *sorted, abut_error *err)
{
    size_t count = edges->count / 2;
    thresholds by_elastic = find_thresholds(r->options, elastic, count, sorted), by_contact = {0};
    if (contact) by_contact = find_thresholds(r->options, contact, count, sorted);
    for (size_t i = 0; i < count; i++) {
        edge_note *note = edge_table_note(&r->edges, edges->data[2 * i], edges->data[2 * i + 1]);
        if (!note) return error_memory(err, "ranking edges");
        bool top = elastic[i] >= by_elastic.top, bottom = elastic[i] <= by_elastic.bottom;
        if (contact) {
            top = top || contact[i] >= by_contact.top;
            bottom = bottom && contact[i] <= by_contact.bottom;
        }
        note->rank = (uint8_t)((top ? RANK_TOP : 0) | (bottom ? RANK_BOTTOM : 0));
    }
    return ABUT_OK;
}

/* Contact energy of edges: of their ends on the surface. */
static void measure_contact(const local_list *edges, const double *share, double *contact)
{
    for (size_t i = 0; i < edges->count / 2; i++)
        contact[i] = 0.5 * (share[edges->data[2 * i]] + share[edges->data[2 * i + 1]]);
}

abut_status rank_edges(remesher *r, abut_error *err)
{
    const local_mesh *m = r->mesh;
    local_list edges = {0}, all = {0};
    abut_status status = local_mesh_edges(m, &edges, err);
    size_t count = edges.count / 2;
    r->cell_energy = mem_calloc(m->cells.count, sizeof *r->cell_energy);
    double *share = mem_calloc(m->vertices.count + 1, sizeof *share);
    double *work = mem_alloc(3 * count + 1, sizeof *work);
    if (status == ABUT_OK && !(r->cell_energy && share && work))
        status = error_memory(err, "ranking edges");
    for (size_t i = 0; i < m->cells.count && status == ABUT_OK; i++) {
        if (!m->cells.data[i].alive) continue;
        r->cell_energy[i] = cell_elastic_energy(r, (int32_t)i);
        if (!array_push(&all, (int32_t)i)) status = error_memory(err, "ranking edges");
    }
    const contact_term *contact = NULL;
    const int32_t *vertex_of_block = r->problem->vertex_of_block;
    if (status == ABUT_OK && r->contact && vertex_of_block)
        contact = r->problem->contact;
    else if (status == ABUT_OK && r->contact) { /* look for it on the whole surface */
        surround_box where = surround_empty();
        double energy;
        patch *whole = &r->workers[0].before;
        status = patch_open(whole, &all, &where, err);
        if (status == ABUT_OK) status = patch_energy(whole, &energy, err);
        contact = whole->contact;
        vertex_of_block = whole->vertices.data;
    }
    if (contact && contact_count(contact) == 0) contact = NULL;
    if (status == ABUT_OK && contact) share_contact(r, contact, vertex_of_block, share);
    if (status == ABUT_OK && count > 0) {
        for (size_t i = 0; i < count; i++)
            work[i] = edge_mean(r, edges.data[2 * i], edges.data[2 * i + 1]);
        measure_contact(&edges, share, work + count);
        status = note_ranks(r, &edges, work, contact ? work + count : NULL, work + 2 * count, err);
    }
    if (status == ABUT_OK && contact) status = measure_contact_at(r, contact, vertex_of_block, err);
    mem_free(share);
    mem_free(work);
    array_free(&edges);
    array_free(&all);
    return status;
}
