#include "remesh/local_internal.h"

#include <math.h>
#include <string.h>

/* Cells flatter than this share of the power of their longest edge have no volume. */
static const double FLAT = 1e-14;
/* Volumes per attribute before and after an operation agree to this share. */
static const double VOLUME_NOISE = 1e-9;

/* --- geometry ------------------------------------------------------------------------------- */

double local_simplex_volume(int dimension, const vec3 *p)
{
    vec3 u = vec3_sub(p[1], p[0]), v = vec3_sub(p[2], p[0]);
    if (dimension == 2) return 0.5 * (u.x * v.y - u.y * v.x);
    return vec3_dot(vec3_cross(u, v), vec3_sub(p[3], p[0])) / 6;
}

static double squared_edges(int dimension, const vec3 *p, double *longest2)
{
    double sum = 0;
    *longest2 = 0;
    for (int i = 0; i <= dimension; i++)
        for (int k = 0; k < i; k++) {
            double length2 = vec3_norm2(vec3_sub(p[i], p[k]));
            sum += length2;
            if (length2 > *longest2) *longest2 = length2;
        }
    return sum;
}

double local_simplex_quality(int dimension, const vec3 *p)
{
    double longest2, sum = squared_edges(dimension, p, &longest2);
    double volume = local_simplex_volume(dimension, p);
    if (!(sum > 0)) return 0;
    if (dimension == 2) return 4 * sqrt(3) * volume / sum;
    double size = 3 * fabs(volume);
    return copysign(12 * cbrt(size * size) / sum, volume);
}

static void cell_points(const local_mesh *m, int32_t cell, int field, vec3 *p)
{
    const local_cell *c = &m->cells.data[cell];
    for (int k = 0; k <= m->dimension; k++)
        p[k] =
            field < 0 ? m->vertices.data[c->vertex[k]].rest : *local_field(m, c->vertex[k], field);
}

double local_cell_volume(const local_mesh *m, int32_t cell, int field)
{
    vec3 p[4];
    cell_points(m, cell, field, p);
    return local_simplex_volume(m->dimension, p);
}

double local_cell_quality(const local_mesh *m, int32_t cell)
{
    vec3 p[4];
    cell_points(m, cell, -1, p);
    return local_simplex_quality(m->dimension, p);
}

double local_edge_length(const local_mesh *m, int32_t a, int32_t b)
{
    return vec3_norm(vec3_sub(m->vertices.data[a].rest, m->vertices.data[b].rest));
}

bool local_barycentric(int dimension, const vec3 *corner, vec3 point, double *weight)
{
    double whole = local_simplex_volume(dimension, corner);
    if (!(fabs(whole) > 0)) return false;
    for (int k = 0; k <= dimension; k++) {
        vec3 p[4];
        memcpy(p, corner, (size_t)(dimension + 1) * sizeof *p);
        p[k] = point;
        weight[k] = local_simplex_volume(dimension, p) / whole;
    }
    return true;
}

flag_set local_common_flags(const local_mesh *m, const local_cell *c, int without)
{
    int first = without == 0;
    flag_set common = m->vertices.data[c->vertex[first]].flags;
    for (int k = first + 1; k <= m->dimension; k++)
        if (k != without)
            common = flag_sets_common(m->flags, common, m->vertices.data[c->vertex[k]].flags);
    return common;
}

double local_facet_area(const local_mesh *m, const local_cell *c, int corner)
{
    vec3 x[3];
    int n = 0;
    for (int k = 0; k <= m->dimension; k++)
        if (k != corner) x[n++] = m->vertices.data[c->vertex[k]].rest;
    vec3 along = vec3_sub(x[1], x[0]);
    if (m->dimension == 2) return vec3_norm(along);
    return 0.5 * vec3_norm(vec3_cross(along, vec3_sub(x[2], x[0])));
}

/* --- rings and the log ---------------------------------------------------------------------- */

static void link_corner(local_mesh *m, int32_t cell, int corner)
{
    local_cell *c = &m->cells.data[cell];
    local_vertex *v = &m->vertices.data[c->vertex[corner]];
    c->before[corner] = -1;
    c->next[corner] = v->first;
    if (v->first >= 0) m->cells.data[v->first / 4].before[v->first % 4] = 4 * cell + corner;
    v->first = 4 * cell + corner;
}

static void unlink_corner(local_mesh *m, int32_t cell, int corner)
{
    const local_cell *c = &m->cells.data[cell];
    int32_t before = c->before[corner], next = c->next[corner];
    if (before >= 0)
        m->cells.data[before / 4].next[before % 4] = next;
    else
        m->vertices.data[c->vertex[corner]].first = next;
    if (next >= 0) m->cells.data[next / 4].before[next % 4] = before;
}

/* The inverse of unlink_corner while the neighbours are those that it left. */
static void relink_corner(local_mesh *m, int32_t cell, int corner)
{
    const local_cell *c = &m->cells.data[cell];
    int32_t before = c->before[corner], next = c->next[corner], own = 4 * cell + corner;
    if (before >= 0)
        m->cells.data[before / 4].next[before % 4] = own;
    else
        m->vertices.data[c->vertex[corner]].first = own;
    if (next >= 0) m->cells.data[next / 4].before[next % 4] = own;
}

abut_status local_cell_birth(local_mesh *m, const int32_t *vertex, const int32_t *facet,
                             int32_t attribute, int32_t origin, int32_t *out, abut_error *err)
{
    local_cell c = {.attribute = attribute, .origin = origin, .alive = true};
    int32_t cell = (int32_t)m->cells.count;
    memcpy(c.vertex, vertex, (size_t)local_corners(m) * sizeof *vertex);
    memcpy(c.facet, facet, (size_t)local_corners(m) * sizeof *facet);
    if (m->dimension == 2) {
        c.vertex[3] = -1;
        c.facet[3] = LOCAL_INTERIOR;
    }
    if (m->cells.count >= INT32_MAX / 4 || !array_reserve(&m->log, m->log.count + 1) ||
        !array_push(&m->cells, c))
        return error_memory(err, "changing a mesh");
    m->log.data[m->log.count++] = (local_record){.kind = RECORD_CELL_BORN, .index = cell};
    for (int k = 0; k <= m->dimension; k++) link_corner(m, cell, k);
    if (out) *out = cell;
    return ABUT_OK;
}

abut_status local_cell_death(local_mesh *m, int32_t cell, abut_error *err)
{
    if (!array_push(&m->log, (local_record){.kind = RECORD_CELL_DEAD, .index = cell}))
        return error_memory(err, "changing a mesh");
    for (int k = 0; k <= m->dimension; k++) unlink_corner(m, cell, k);
    m->cells.data[cell].alive = false;
    return ABUT_OK;
}

abut_status local_vertex_birth(local_mesh *m, int32_t part, vec3 rest, flag_set flags, int32_t *out,
                               abut_error *err)
{
    local_vertex v = {
        .rest = rest, .flags = flags, .origin = -1, .part = part, .first = -1, .alive = true};
    size_t fields = m->fields.count + (size_t)m->field_count;
    *out = (int32_t)m->vertices.count;
    if (m->flags->failed || m->vertices.count >= INT32_MAX ||
        !array_reserve(&m->log, m->log.count + 1) || !array_reserve(&m->fields, fields) ||
        !array_push(&m->vertices, v))
        return error_memory(err, "changing a mesh");
    m->fields.count = fields;
    m->log.data[m->log.count++] = (local_record){.kind = RECORD_VERTEX_BORN, .index = *out};
    return ABUT_OK;
}

abut_status local_vertex_death(local_mesh *m, int32_t vertex, abut_error *err)
{
    if (!array_push(&m->log, (local_record){.kind = RECORD_VERTEX_DEAD, .index = vertex}))
        return error_memory(err, "changing a mesh");
    m->vertices.data[vertex].alive = false;
    return ABUT_OK;
}

abut_status local_mesh_set_field(local_mesh *m, int32_t vertex, int field, vec3 value,
                                 abut_error *err)
{
    vec3 *at = local_field(m, vertex, field);
    if (!array_push(
            &m->log,
            (local_record){.kind = RECORD_FIELD, .index = vertex, .field = field, .value = *at}))
        return error_memory(err, "changing a mesh");
    *at = value;
    return ABUT_OK;
}

local_mark local_mesh_mark(const local_mesh *m)
{
    return (local_mark){m->log.count, m->vertices.count, m->cells.count};
}

static void undo(local_mesh *m, const local_record *r)
{
    switch (r->kind) {
    case RECORD_CELL_BORN:
        for (int k = m->dimension; k >= 0; k--) unlink_corner(m, r->index, k);
        m->cells.count--;
        break;
    case RECORD_CELL_DEAD:
        m->cells.data[r->index].alive = true;
        for (int k = m->dimension; k >= 0; k--) relink_corner(m, r->index, k);
        break;
    case RECORD_VERTEX_BORN:
        m->vertices.count--;
        m->fields.count -= (size_t)m->field_count;
        break;
    case RECORD_VERTEX_DEAD: m->vertices.data[r->index].alive = true; break;
    case RECORD_FIELD: *local_field(m, r->index, r->field) = r->value; break;
    }
}

void local_mesh_rollback(local_mesh *m, local_mark mark)
{
    while (m->log.count > mark.log) undo(m, &m->log.data[--m->log.count]);
}

void local_mesh_commit(local_mesh *m) { array_clear(&m->log); }

abut_status local_mesh_removed_since(const local_mesh *m, local_mark mark, local_list *out,
                                     abut_error *err)
{
    for (size_t i = mark.log; i < m->log.count; i++) {
        const local_record *r = &m->log.data[i];
        if (r->kind != RECORD_CELL_DEAD || (size_t)r->index >= mark.cells) continue;
        if (!array_push(out, r->index)) return error_memory(err, "changing a mesh");
    }
    return ABUT_OK;
}

/* --- neighbours ----------------------------------------------------------------------------- */

abut_status local_mesh_star(const local_mesh *m, int32_t vertex, local_list *out, abut_error *err)
{
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r))
        if (!array_push(out, r / 4)) return error_memory(err, "reading a mesh");
    return ABUT_OK;
}

abut_status local_mesh_edge_star(const local_mesh *m, int32_t a, int32_t b, local_list *out,
                                 abut_error *err)
{
    for (int32_t r = m->vertices.data[a].first; r >= 0; r = local_next(m, r))
        if (local_corner_of(m, &m->cells.data[r / 4], b) >= 0 && !array_push(out, r / 4))
            return error_memory(err, "reading a mesh");
    return ABUT_OK;
}

/* Puts a number into an ascending list from `first` on, once. */
static bool insert_once(local_list *list, size_t first, int32_t value)
{
    size_t at = list->count;
    while (at > first && list->data[at - 1] > value) at--;
    if (at > first && list->data[at - 1] == value) return true;
    if (!array_push(list, value)) return false;
    memmove(list->data + at + 1, list->data + at, (list->count - 1 - at) * sizeof *list->data);
    list->data[at] = value;
    return true;
}

abut_status local_mesh_neighbours(const local_mesh *m, int32_t vertex, local_list *out,
                                  abut_error *err)
{
    size_t first = out->count;
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r))
        for (int k = 0; k <= m->dimension; k++)
            if (k != r % 4 && !insert_once(out, first, m->cells.data[r / 4].vertex[k]))
                return error_memory(err, "reading a mesh");
    return ABUT_OK;
}

int32_t local_mesh_across(const local_mesh *m, int32_t cell, int corner)
{
    const local_cell *c = &m->cells.data[cell];
    if (c->facet[corner] >= 0) return -1;
    int from = corner == 0 ? 1 : 0;
    for (int32_t r = m->vertices.data[c->vertex[from]].first; r >= 0; r = local_next(m, r)) {
        if (r / 4 == cell) continue;
        int shared = 0;
        for (int k = 0; k <= m->dimension; k++)
            if (k != corner && local_corner_of(m, &m->cells.data[r / 4], c->vertex[k]) >= 0)
                shared++;
        if (shared == m->dimension) return r / 4;
    }
    return -1;
}

bool local_mesh_is_edge(const local_mesh *m, int32_t a, int32_t b)
{
    size_t count = m->vertices.count;
    if (a == b || a < 0 || b < 0 || (size_t)a >= count || (size_t)b >= count) return false;
    for (int32_t r = m->vertices.data[a].first; r >= 0; r = local_next(m, r))
        if (local_corner_of(m, &m->cells.data[r / 4], b) >= 0) return true;
    return false;
}

static bool is_outer(int32_t tag, bool interfaces)
{
    return tag >= 0 || (interfaces && tag != LOCAL_INTERIOR);
}

bool local_vertex_on_boundary(const local_mesh *m, int32_t vertex, bool interfaces)
{
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r))
        for (int k = 0; k <= m->dimension; k++)
            if (k != r % 4 && is_outer(m->cells.data[r / 4].facet[k], interfaces)) return true;
    return false;
}

bool local_edge_on_boundary(const local_mesh *m, int32_t a, int32_t b, bool interfaces)
{
    for (int32_t r = m->vertices.data[a].first; r >= 0; r = local_next(m, r)) {
        const local_cell *c = &m->cells.data[r / 4];
        int other = local_corner_of(m, c, b);
        if (other < 0) continue;
        for (int k = 0; k <= m->dimension; k++)
            if (k != r % 4 && k != other && is_outer(c->facet[k], interfaces)) return true;
    }
    return false;
}

abut_status local_mesh_edges(const local_mesh *m, local_list *out, abut_error *err)
{
    local_list near = {0};
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < m->vertices.count && status == ABUT_OK; i++) {
        if (!m->vertices.data[i].alive) continue;
        array_clear(&near);
        status = local_mesh_neighbours(m, (int32_t)i, &near, err);
        for (size_t k = 0; k < near.count && status == ABUT_OK; k++)
            if (near.data[k] > (int32_t)i &&
                (!array_push(out, (int32_t)i) || !array_push(out, near.data[k])))
                status = error_memory(err, "reading a mesh");
    }
    array_free(&near);
    return status;
}

/* --- the end of an operation ---------------------------------------------------------------- */

static bool cell_has_volume(const local_mesh *m, int32_t cell)
{
    vec3 p[4];
    cell_points(m, cell, -1, p);
    double longest2;
    squared_edges(m->dimension, p, &longest2);
    double cube = m->dimension == 2 ? longest2 : longest2 * sqrt(longest2);
    if (!(local_simplex_volume(m->dimension, p) > FLAT * cube)) return false;
    for (int f = 0; f < m->field_count; f++)
        if (m->is_position[f] && !(local_cell_volume(m, cell, f) > 0)) return false;
    return true;
}

/* Volume of the cells of one attribute: that went (from the list), and that came. */
static bool volumes_agree(const local_mesh *m, const local_list *gone, local_mark begin)
{
    for (size_t i = 0; i < gone->count; i++) {
        int32_t attribute = m->cells.data[gone->data[i]].attribute;
        double before = 0, after = 0;
        for (size_t k = 0; k < gone->count; k++)
            if (m->cells.data[gone->data[k]].attribute == attribute)
                before += local_cell_volume(m, gone->data[k], -1);
        for (size_t k = begin.cells; k < m->cells.count; k++)
            if (m->cells.data[k].attribute == attribute)
                after += local_cell_volume(m, (int32_t)k, -1);
        if (fabs(after - before) > VOLUME_NOISE * before) return false;
    }
    return true;
}

abut_status local_finish(local_mesh *m, local_mark begin, bool improve, local_change *out,
                         abut_error *err)
{
    local_list *gone = &m->work[5];
    array_clear(gone);
    TRY(local_mesh_removed_since(m, begin, gone, err));
    double worst_before = INFINITY, worst = INFINITY;
    for (size_t i = 0; i < gone->count; i++)
        worst_before = fmin(worst_before, local_cell_quality(m, gone->data[i]));
    out->outcome = LOCAL_DONE;
    for (size_t i = begin.cells; i < m->cells.count; i++) {
        if (!cell_has_volume(m, (int32_t)i)) out->outcome = LOCAL_INVERTED;
        worst = fmin(worst, local_cell_quality(m, (int32_t)i));
    }
    if (out->outcome == LOCAL_DONE && !volumes_agree(m, gone, begin)) out->outcome = LOCAL_SURFACE;
    if (out->outcome == LOCAL_DONE && (improve || worst < m->min_quality) &&
        !(worst > worst_before))
        out->outcome = LOCAL_QUALITY;
    if (out->outcome != LOCAL_DONE) {
        local_mesh_rollback(m, begin);
        out->vertex = -1;
    }
    return ABUT_OK;
}

const char *local_outcome_name(local_outcome outcome)
{
    switch (outcome) {
    case LOCAL_DONE: return "done";
    case LOCAL_NO_SUCH: return "no such edge";
    case LOCAL_TOPOLOGY: return "topology";
    case LOCAL_SURFACE: return "surface";
    case LOCAL_INVERTED: return "inverted";
    case LOCAL_QUALITY: return "quality";
    }
    return "?";
}

void local_mesh_free(local_mesh *m)
{
    array_free(&m->vertices);
    array_free(&m->fields);
    array_free(&m->cells);
    array_free(&m->log);
    array_free(&m->part_start);
    if (m->flags) flag_sets_free(m->flags);
    mem_free(m->flags);
    for (size_t i = 0; i < sizeof m->work / sizeof m->work[0]; i++) array_free(&m->work[i]);
    for (size_t i = 0; i < sizeof m->links / sizeof m->links[0]; i++) array_free(&m->links[i]);
    memset(m, 0, sizeof *m);
}

abut_status local_mesh_copy(const local_mesh *from, local_mesh *to, abut_error *err)
{
    *to = (local_mesh){.dimension = from->dimension,
                       .field_count = from->field_count,
                       .imported_vertices = from->imported_vertices,
                       .imported_cells = from->imported_cells,
                       .min_quality = from->min_quality};
    memcpy(to->is_position, from->is_position, sizeof to->is_position);
    to->flags = mem_calloc(1, sizeof *to->flags);
    if (!to->flags || !flag_sets_copy(from->flags, to->flags) ||
        !array_resize(&to->vertices, from->vertices.count) ||
        !array_resize(&to->fields, from->fields.count) ||
        !array_resize(&to->cells, from->cells.count) ||
        !array_resize(&to->part_start, from->part_start.count)) {
        local_mesh_free(to);
        return error_memory(err, "copying a mesh");
    }
    memcpy(to->vertices.data, from->vertices.data, from->vertices.count * sizeof(local_vertex));
    if (from->fields.count)
        memcpy(to->fields.data, from->fields.data, from->fields.count * sizeof(vec3));
    memcpy(to->cells.data, from->cells.data, from->cells.count * sizeof(local_cell));
    memcpy(to->part_start.data, from->part_start.data, from->part_start.count * sizeof(int32_t));
    return ABUT_OK;
}
