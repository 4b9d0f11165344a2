/* Making collision meshes, and the map from the unknowns of a simulator to their vertices. */
#include "toolkit/collision_mesh.h"

#include "mesh/topology.h"

#include <math.h>
#include <string.h>

/* ---- Creation ------------------------------------------------------------------------------- */

abut_collision_mesh_definition abut_default_collision_mesh(void)
{
    return (abut_collision_mesh_definition){0};
}

void abut_collision_mesh_destroy(abut_collision_mesh *m)
{
    if (!m) return;
    broad_destroy(m->broad);
    candidate_set_free(&m->candidates);
    mem_free(m->edges);
    mem_free(m->triangles);
    mem_free(m->points);
    mem_free(m->group);
    mem_free(m->group_flags);
    mem_free(m->kinematic);
    mem_free(m->thickness);
    mem_free(m->rest);
    mem_free(m->map_offset);
    array_free(&m->surface.edge_length2); /* edges and triangles are those above */
    array_free(&m->surface.thickness);
    surface_areas_free(&m->areas);
    csr_free(&m->map);
    csr_free(&m->map_transposed);
    array_free(&m->pairs);
    array_free(&m->distances);
    mem_free(m);
}

static abut_status check_vertices(const int32_t *indices, size_t count, size_t per_item,
                                  size_t vertex_count, const char *field, abut_error *error)
{
    if (count > 0 && !indices)
        return error_set(error, ABUT_ERROR_INPUT, field, "%zu are announced, but there is no array",
                         count);
    for (size_t i = 0; i < count * per_item; i++)
        if (indices[i] < 0 || (size_t)indices[i] >= vertex_count)
            return error_set(error, ABUT_ERROR_INPUT, field,
                             "number %zu has vertex %d, allowed: 0 to %lld", i / per_item,
                             (int)indices[i], (long long)vertex_count - 1);
    return ABUT_OK;
}

static abut_status check_definition(const abut_collision_mesh_definition *d, abut_error *error)
{
    TRY(check_vertices(d->edges, d->edge_count, 2, d->vertex_count, "edges", error));
    TRY(check_vertices(d->triangles, d->triangle_count, 3, d->vertex_count, "triangles", error));
    if (d->points)
        TRY(check_vertices(d->points, d->point_count, 1, d->vertex_count, "points", error));
    for (size_t v = 0; d->group && v < d->vertex_count; v++)
        if (d->group[v] < 0 || (d->group_flags && (size_t)d->group[v] >= d->group_count))
            return error_set(error, ABUT_ERROR_INPUT, "group",
                             "vertex %zu is in group %d, allowed: 0 to %lld", v, (int)d->group[v],
                             (long long)d->group_count - 1);
    for (size_t i = 0; d->rest && i < 3 * d->vertex_count; i++)
        if (!isfinite(d->rest[i]))
            return error_set(error, ABUT_ERROR_INPUT, "rest", "vertex %zu is not finite", i / 3);
    for (size_t v = 0; d->thickness && v < d->vertex_count; v++)
        if (!(isfinite(d->thickness[v]) && d->thickness[v] >= 0.0))
            return error_set(error, ABUT_ERROR_INPUT, "thickness",
                             "vertex %zu has %g, allowed: finite and >= 0", v, d->thickness[v]);
    return ABUT_OK;
}

/* A copy of an array, or NULL when there is none; *ok becomes false without memory. */
static void *copy_array(const void *from, size_t count, size_t size, bool *ok)
{
    if (!from || !*ok) return NULL;
    void *copy = mem_alloc(count, size);
    if (copy && count > 0) memcpy(copy, from, count * size);
    *ok = copy != NULL;
    return copy;
}

static abut_status copy_definition(abut_collision_mesh *m, const abut_collision_mesh_definition *d,
                                   abut_error *error)
{
    bool ok = true;
    m->vertex_count = d->vertex_count;
    m->triangle_count = d->triangle_count;
    m->group_count = d->group_count;
    m->planar = d->planar;
    m->triangles = copy_array(d->triangles, d->triangle_count, sizeof *m->triangles, &ok);
    m->rest = copy_array(d->rest, 3 * d->vertex_count, sizeof *m->rest, &ok);
    m->group = copy_array(d->group, d->vertex_count, sizeof *m->group, &ok);
    m->group_flags = copy_array(d->group_flags, d->group_count, 1, &ok);
    m->kinematic = copy_array(d->kinematic, d->vertex_count, 1, &ok);
    m->thickness = copy_array(d->thickness, d->vertex_count, sizeof *m->thickness, &ok);
    m->point_count = d->points ? d->point_count : d->vertex_count;
    m->points = copy_array(d->points, d->point_count, sizeof *m->points, &ok);
    if (ok && !d->points) {
        m->points = mem_alloc(d->vertex_count, sizeof *m->points);
        ok = m->points != NULL;
        for (size_t v = 0; ok && v < d->vertex_count; v++) m->points[v] = (int32_t)v;
    }
    if (!ok) return error_memory(error, "making a collision mesh");
    for (size_t v = 0; m->thickness && v < m->vertex_count; v++)
        m->largest_thickness = fmax(m->largest_thickness, m->thickness[v]);
    return unique_edges((const int32_t(*)[3])m->triangles, m->triangle_count,
                        (const int32_t(*)[2])(const void *)d->edges, d->edge_count, &m->edges,
                        &m->edge_count, error);
}

/* What active sets need to know of the rest shape. */
static abut_status measure_rest(abut_collision_mesh *m, abut_error *error)
{
    collision_surface *s = &m->surface;
    s->edges.data = m->edges ? m->edges[0] : NULL;
    s->edges.count = 2 * m->edge_count;
    s->triangles.data = m->triangles ? m->triangles[0] : NULL;
    s->triangles.count = 3 * m->triangle_count;
    for (size_t v = 0; m->thickness && v < m->vertex_count; v++) /* twice the radius */
        if (!array_push(&s->thickness, 2 * m->thickness[v]))
            return error_memory(error, "making a collision mesh");
    if (!m->rest) return ABUT_OK;
    const vec3 *rest = as_vectors(m->rest);
    if (!array_resize(&s->edge_length2, m->edge_count))
        return error_memory(error, "making a collision mesh");
    for (size_t e = 0; e < m->edge_count; e++)
        s->edge_length2.data[e] = vec3_norm2(vec3_sub(rest[m->edges[e][0]], rest[m->edges[e][1]]));
    return surface_areas_measure(&m->areas, s, rest, m->vertex_count, error);
}

static abut_status check_map(const abut_collision_mesh_definition *d, abut_error *error)
{
    size_t rows = 3 * d->vertex_count;
    if (!d->map_row_start || !d->map_columns || !d->map_values)
        return error_set(error, ABUT_ERROR_INPUT, "map",
                         "%zu degrees of freedom are announced, but an array of the map is missing",
                         d->dof_count);
    if (d->dof_count > INT32_MAX)
        return error_set(error, ABUT_ERROR_INPUT, "freedom_count", "%zu is more than %d",
                         d->dof_count, INT32_MAX);
    if (d->map_row_start[0] != 0)
        return error_set(error, ABUT_ERROR_INPUT, "map_row_start", "begins with %d, not 0",
                         (int)d->map_row_start[0]);
    for (size_t r = 0; r < rows; r++)
        if (d->map_row_start[r + 1] < d->map_row_start[r])
            return error_set(error, ABUT_ERROR_INPUT, "map_row_start",
                             "row %zu ends before it begins", r);
    for (int32_t k = 0; k < d->map_row_start[rows]; k++) {
        if (d->map_columns[k] < 0 || (size_t)d->map_columns[k] >= d->dof_count)
            return error_set(error, ABUT_ERROR_INPUT, "map_columns",
                             "number %d is %d, allowed: 0 to %lld", (int)k, (int)d->map_columns[k],
                             (long long)d->dof_count - 1);
        if (!isfinite(d->map_values[k]))
            return error_set(error, ABUT_ERROR_INPUT, "map_values", "number %d is not finite",
                             (int)k);
    }
    return ABUT_OK;
}

static abut_status copy_map(abut_collision_mesh *m, const abut_collision_mesh_definition *d,
                            abut_error *error)
{
    bool ok = true;
    m->dof_count = d->dof_count;
    if (d->dof_count == 0) return ABUT_OK;
    TRY(check_map(d, error));
    m->map_offset = copy_array(d->map_offset, 3 * d->vertex_count, sizeof *m->map_offset, &ok);
    if (!ok) return error_memory(error, "making a collision mesh");
    csr_matrix given = {.rows = 3 * d->vertex_count,
                        .columns = d->dof_count,
                        .row_start.data = (int32_t *)d->map_row_start,
                        .column.data = (int32_t *)d->map_columns,
                        .value.data = (double *)d->map_values};
    /* Twice transposed: the columns of a row are in order, whatever was given. */
    TRY(csr_transpose(&given, &m->map_transposed, error));
    return csr_transpose(&m->map_transposed, &m->map, error);
}

static abut_status fill_mesh(abut_collision_mesh *m, const abut_collision_mesh_definition *d,
                             abut_error *error)
{
    TRY(check_definition(d, error));
    TRY(copy_definition(m, d, error));
    TRY(measure_rest(m, error));
    TRY(copy_map(m, d, error));
    broad_surface surface = {.vertex_count = m->vertex_count,
                             .point_count = m->point_count,
                             .points = m->points,
                             .edge_count = m->edge_count,
                             .edges = (const int32_t(*)[2])m->edges,
                             .triangle_count = m->triangle_count,
                             .triangles = (const int32_t(*)[3])m->triangles,
                             .group = m->group,
                             .group_count = m->group_count,
                             .group_flags = m->group_flags,
                             .kinematic = m->kinematic,
                             .planar = m->planar};
    return broad_create(&surface, &m->broad, error);
}

abut_status abut_collision_mesh_create(const abut_collision_mesh_definition *definition,
                                       abut_collision_mesh **out, abut_error *error)
{
    *out = NULL;
    abut_collision_mesh *m = mem_calloc(1, sizeof *m);
    if (!m) return error_memory(error, "making a collision mesh");
    abut_status status = fill_mesh(m, definition, error);
    if (status == ABUT_OK)
        *out = m;
    else
        abut_collision_mesh_destroy(m);
    return status;
}

const int32_t *abut_collision_mesh_edges(const abut_collision_mesh *m, size_t *count)
{
    if (count) *count = m->edge_count;
    return m->edge_count > 0 ? m->edges[0] : NULL;
}

size_t abut_collision_mesh_dofs(const abut_collision_mesh *m)
{
    return m->dof_count > 0 ? m->dof_count : 3 * m->vertex_count;
}

size_t abut_collision_mesh_freedoms(const abut_collision_mesh *m)
{
    return abut_collision_mesh_dofs(m);
}

void abut_collision_mesh_positions(const abut_collision_mesh *m, const double *q, double *positions)
{
    size_t n = 3 * m->vertex_count;
    if (m->dof_count == 0) {
        if (n > 0) memcpy(positions, q, n * sizeof *q);
        return;
    }
    csr_apply(&m->map, q, positions);
    for (size_t i = 0; m->map_offset && i < n; i++) positions[i] += m->map_offset[i];
}
