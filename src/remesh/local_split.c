/* Edge split. */
#include "remesh/local_internal.h"

#include <math.h>

flag_set local_middle_flags(const local_mesh *m, int32_t a, int32_t b, const local_list *star)
{
    flag_sets *sets = m->flags;
    flag_set common = 0,
             ends = flag_sets_common(sets, m->vertices.data[a].flags, m->vertices.data[b].flags);
    if (ends == 0) return 0;
    bool outside = local_edge_on_boundary(m, a, b, false), crease = false, have = false;
    vec3 first = {0};
    for (size_t i = 0; i < star->count; i++) {
        const local_cell *c = &m->cells.data[star->data[i]];
        if (!outside) common = flag_sets_union(sets, common, local_common_flags(m, c, -1));
        for (int k = 0; outside && k <= m->dimension; k++) {
            if (c->facet[k] < 0 || c->vertex[k] == a || c->vertex[k] == b) continue;
            common = flag_sets_union(sets, common, local_common_flags(m, c, k));
            if (m->dimension == 2) continue;
            vec3 p[3];
            for (int j = 0, n = 0; j <= 3; j++)
                if (j != k) p[n++] = m->vertices.data[c->vertex[j]].rest;
            vec3 normal = vec3_normalize(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
            if (!have)
                first = normal;
            else if (fabs(vec3_dot(first, normal)) < 0.999)
                crease = true;
            have = true;
        }
    }
    return crease ? ends : flag_sets_common(sets, common, ends);
}

static abut_status cut_cell(local_mesh *m, int32_t cell, int32_t a, int32_t b, int32_t middle,
                            abut_error *err)
{
    TRY(local_cell_death(m, cell, err));
    for (int side = 0; side < 2; side++) {
        local_cell c = m->cells.data[cell];
        int gone = local_corner_of(m, &c, side ? b : a),
            kept = local_corner_of(m, &c, side ? a : b);
        c.vertex[gone] = middle;
        c.facet[kept] = LOCAL_INTERIOR;
        TRY(local_cell_birth(m, c.vertex, c.facet, c.attribute, c.origin, NULL, err));
    }
    return ABUT_OK;
}

static abut_status split(local_mesh *m, int32_t a, int32_t b, const local_list *star,
                         int32_t *middle, abut_error *err)
{
    const local_vertex *p = &m->vertices.data[a], *q = &m->vertices.data[b];
    vec3 rest = vec3_scale(0.5, vec3_add(p->rest, q->rest));
    bool pinched = p->pinched && q->pinched; /* perhaps it is, where the whole edge is */
    TRY(local_vertex_birth(m, p->part, rest, local_middle_flags(m, a, b, star), middle, err));
    m->vertices.data[*middle].pinched = pinched;
    for (int f = 0; f < m->field_count; f++)
        *local_field(m, *middle, f) =
            vec3_scale(0.5, vec3_add(*local_field(m, a, f), *local_field(m, b, f)));
    for (size_t i = 0; i < star->count; i++) TRY(cut_cell(m, star->data[i], a, b, *middle, err));
    return ABUT_OK;
}

abut_status local_mesh_split(local_mesh *m, int32_t a, int32_t b, local_change *out,
                             abut_error *err)
{
    *out = (local_change){LOCAL_NO_SUCH, -1};
    if (!local_mesh_is_edge(m, a, b)) return ABUT_OK;
    local_mark begin = local_mesh_mark(m);
    local_list *star = &m->work[0];
    array_clear(star);
    TRY(local_mesh_edge_star(m, a, b, star, err));
    abut_status status = split(m, a, b, star, &out->vertex, err);
    if (status == ABUT_OK) status = local_finish(m, begin, false, out, err);
    if (status != ABUT_OK) local_mesh_rollback(m, begin);
    return status;
}
