/* The functions of contact.h on active sets. */
#include "toolkit/active_set.h"

#include "geometry/mollifier.h"

#include <math.h>
#include <string.h>

/* ---- Building ------------------------------------------------------------------------------- */

abut_active_set_options abut_default_active_set_options(void)
{
    return (abut_active_set_options){0};
}

abut_status abut_active_set_create(abut_active_set **out, abut_error *error)
{
    *out = mem_calloc(1, sizeof **out);
    return *out ? ABUT_OK : error_memory(error, "making an active set");
}

void abut_active_set_destroy(abut_active_set *s)
{
    if (!s) return;
    active_set_free(&s->set);
    array_free(&s->y);
    for (int k = 0; k < STENCIL_LISTS; k++) array_free(&s->vertices[k]);
    candidate_set_free(&s->candidates);
    close_pairs_free(&s->close);
    stencil_assembly_free(&s->assembly);
    mem_free(s);
}

static abut_status check_build(const abut_collision_mesh *mesh, const double *positions,
                               double dhat, abut_error *error)
{
    if (!(isfinite(dhat) && dhat > 0))
        return error_set(error, ABUT_ERROR_INPUT, "dhat", "%g is not allowed, only > 0", dhat);
    if (!mesh->rest)
        return error_set(error, ABUT_ERROR_INPUT, "rest",
                         "an active set needs a collision mesh with rest positions");
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        if (!isfinite(positions[i]))
            return error_set(error, ABUT_ERROR_INPUT, "positions", "vertex %zu is not finite",
                             i / 3);
    return ABUT_OK;
}

/* The vertices of all stencils, list by list. */
static abut_status list_vertices(abut_active_set *s, abut_error *error)
{
    for (int k = 0; k < STENCIL_LISTS; k++) {
        const stencil_array *list = &s->set.lists[k];
        size_t width = (size_t)stencil_list_width[k];
        if (!array_resize(&s->vertices[k], list->count * width))
            return error_memory(error, "listing contacts");
        for (size_t i = 0; i < list->count; i++)
            memcpy(s->vertices[k].data + i * width, list->data[i].vertex, width * sizeof(int32_t));
    }
    return ABUT_OK;
}

/* Names a touching pair. */
static abut_status check_apart(const abut_active_set *s, abut_error *error)
{
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < s->set.lists[k].count; i++) {
            const contact_stencil *c = &s->set.lists[k].data[i];
            if (!(stencil_gap2(c) > 0))
                return error_set(error, ABUT_ERROR_INFEASIBLE, "positions",
                                 "the pair with vertices %d, %d, ... touches, and its barrier is "
                                 "infinite",
                                 (int)c->vertex[0], (int)c->vertex[1]);
        }
    return ABUT_OK;
}

static abut_status build(abut_active_set *s, abut_collision_mesh *mesh, const double *positions,
                         double dhat, const abut_candidates *candidates, pair_weights weights,
                         abut_error *error)
{
    if (!candidates) TRY(collision_mesh_pairs(mesh, positions, NULL, dhat, &s->candidates, error));
    if (!array_resize(&s->y, mesh->vertex_count)) return error_memory(error, "making contacts");
    if (mesh->vertex_count > 0)
        memcpy(s->y.data, positions, mesh->vertex_count * sizeof *s->y.data);
    TRY(active_set_build(&s->set, &mesh->surface, candidates ? &candidates->set : &s->candidates,
                         weights, s->y.data, dhat, error));
    TRY(check_apart(s, error));
    return list_vertices(s, error);
}

abut_status abut_active_set_build(abut_active_set *s, abut_collision_mesh *mesh,
                                  const double *positions, double dhat,
                                  const abut_candidates *candidates,
                                  const abut_active_set_options *options, abut_error *error)
{
    TRY(check_build(mesh, positions, dhat, error));
    s->mesh = mesh;
    s->dhat = dhat;
    pair_weights weights = {.areas = options && options->area_weighted ? &mesh->areas : NULL};
    abut_status status = build(s, mesh, positions, dhat, candidates, weights, error);
    if (status != ABUT_OK) s->mesh = NULL; /* nothing of it can be used */
    return status;
}

/* ---- Looking at it -------------------------------------------------------------------------- */

size_t abut_active_set_count(const abut_active_set *s)
{
    return s->mesh ? active_set_count(&s->set) : 0;
}

abut_pair_kind stencil_pair_kind(stencil_list list)
{
    switch (stencil_list_kind[list]) {
    case STENCIL_PP: return ABUT_POINT_POINT;
    case STENCIL_PE: return ABUT_POINT_EDGE;
    case STENCIL_PT: return ABUT_POINT_TRIANGLE;
    case STENCIL_EE: break;
    }
    return ABUT_EDGE_EDGE;
}

bool active_set_locate(const active_set *set, size_t index, stencil_list *list, size_t *item)
{
    for (int k = 0; k < STENCIL_LISTS; k++) {
        if (index < set->lists[k].count) {
            *list = (stencil_list)k;
            *item = index;
            return true;
        }
        index -= set->lists[k].count;
    }
    return false;
}

bool abut_active_set_get(const abut_active_set *s, size_t index, abut_contact *out)
{
    stencil_list list;
    size_t item;
    if (!s->mesh || !active_set_locate(&s->set, index, &list, &item)) return false;
    const contact_stencil *c = &s->set.lists[list].data[item];
    *out = (abut_contact){.kind = stencil_pair_kind(list),
                          .vertices = {-1, -1, -1, -1},
                          .weight = c->multiplicity,
                          .distance = sqrt(c->distance2),
                          .thickness = c->thickness,
                          .mollifier = 1};
    memcpy(out->vertices, c->vertex, (size_t)stencil_list_width[list] * sizeof *c->vertex);
    if (list == LIST_EE_MOLLIFIED) {
        vec3 x[4];
        stencil_positions(c, 4, s->y.data, x);
        out->mollifier = edge_mollifier(x[0], x[1], x[2], x[3], c->threshold);
    }
    return true;
}

double abut_active_set_min_distance(const abut_active_set *s)
{
    double least = INFINITY;
    for (int k = 0; s->mesh && k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < s->set.lists[k].count; i++)
            least = fmin(least, s->set.lists[k].data[i].distance2);
    return sqrt(least);
}
