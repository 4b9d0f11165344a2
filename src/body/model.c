#include "base/ranks.h"
#include "body/model_build.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

void model_free(model *m)
{
    for (size_t i = 0; i < m->bodies.count; i++) {
        mem_free(m->bodies.data[i].name);
        mem_free(m->bodies.data[i].block_of_vertex);
    }
    array_free(&m->bodies);
    array_free(&m->rest);
    array_free(&m->mass);
    array_free(&m->body);
    array_free(&m->tets);
    array_free(&m->tet_rest);
    array_free(&m->tet_body);
    array_free(&m->rigids);
    for (size_t i = 0; i < m->sets.count; i++) element_set_free(&m->sets.data[i]);
    array_free(&m->sets);
    array_free(&m->load_mass);
    array_free(&m->added_mass);
    codim_elements_free(&m->codim);
    for (size_t i = 0; i < m->joints.count; i++) joint_free(&m->joints.data[i]);
    array_free(&m->joints);
    for (size_t i = 0; i < m->cavities.count; i++) cavity_free(&m->cavities.data[i]);
    array_free(&m->cavities);
    for (size_t i = 0; i < m->winds.count; i++) wind_free(&m->winds.data[i]);
    array_free(&m->winds);
    for (size_t i = 0; i < m->waters.count; i++) water_free(&m->waters.data[i]);
    array_free(&m->waters);
    collision_surface_free(&m->surface);
    memset(m, 0, sizeof *m);
}

abut_status model_begin_body(model *m, const char *name, body_kind kind, const mesh *shape,
                             model_body **out, abut_error *err)
{
    model_body body = {.kind = kind,
                       .first_block = (int32_t)m->rest.count,
                       .first_tet = m->tet_count,
                       .surface.first_triangle = m->surface.triangles.count / 3,
                       .surface.first_edge = m->surface.edges.count / 2,
                       .surface.first_vertex = m->surface.rows.count,
                       .friction = -1,
                       .nodal = true,
                       .rigid = -1,
                       .collision_group = -1,
                       .limit = strain_limit_none(),
                       .mesh_vertex_count = shape->vertex_count};
    body.name = mem_strdup(name);
    body.block_of_vertex = mem_alloc(shape->vertex_count, sizeof *body.block_of_vertex);
    if (!body.name || !body.block_of_vertex || !array_push(&m->bodies, body)) {
        mem_free(body.name);
        mem_free(body.block_of_vertex);
        return error_memory(err, "adding a body");
    }
    for (size_t i = 0; i < shape->vertex_count; i++) body.block_of_vertex[i] = -1;
    *out = &m->bodies.data[m->bodies.count - 1];
    return ABUT_OK;
}

abut_status model_add_block(model *m, vec3 start, double mass, int32_t *block, abut_error *err)
{
    *block = (int32_t)m->rest.count;
    if (!array_push(&m->rest, start) || !array_push(&m->mass, mass) ||
        !array_push(&m->body, (int32_t)(m->bodies.count - 1)))
        return error_memory(err, "adding nodes");
    m->bodies.data[m->bodies.count - 1].block_count++;
    return ABUT_OK;
}

abut_status model_add_nodes(model *m, model_body *body, const mesh *shape, const uint8_t *used,
                            abut_error *err)
{
    for (size_t i = 0; i < shape->vertex_count; i++) {
        if (!used[i]) continue;
        TRY(model_add_block(m, shape->vertices[i], 0.0, &body->block_of_vertex[i], err));
    }
    return ABUT_OK;
}

static abut_status add_tet(model *m, model_body *body, const int32_t *nodes, size_t number,
                           abut_error *err)
{
    vec3 x[4];
    for (int k = 0; k < 4; k++) {
        int32_t block = body->block_of_vertex[nodes[k]];
        x[k] = m->rest.data[block];
        if (!array_push(&m->tets, block)) return error_memory(err, "adding elements");
    }
    tet4_rest rest;
    if (!tet4_rest_make(x, &rest))
        return error_set(err, ABUT_ERROR_INFEASIBLE, body->name,
                         "tet %zu is inverted or flat; all volumes must be positive", number);
    if (!array_push(&m->tet_rest, rest) ||
        !array_push(&m->tet_body, (int32_t)(m->bodies.count - 1)))
        return error_memory(err, "adding elements");
    for (int k = 0; k < 4; k++)
        m->mass.data[body->block_of_vertex[nodes[k]]] += body->density * rest.volume / 4;
    m->tet_count++;
    return ABUT_OK;
}

abut_status model_node_row(collision_surface *s, const void *context, int32_t vertex,
                           abut_error *err)
{
    const model_body *body = context;
    return surface_add_node(s, body->block_of_vertex[vertex], err);
}

abut_status model_add_surface(model *m, model_body *body, const surface_parts *parts,
                              const vec3 *positions, row_maker make_row, const void *context,
                              abut_error *err)
{
    collision_surface *s = &m->surface;
    int32_t *vertex_of = mem_alloc((size_t)body->mesh_vertex_count, sizeof *vertex_of);
    bool ok = vertex_of != NULL;
    for (size_t i = 0; ok && i < parts->point_count; i++) {
        vertex_of[parts->points[i]] = (int32_t)s->rows.count;
        abut_status status = make_row(s, context, parts->points[i], err);
        if (status != ABUT_OK) {
            mem_free(vertex_of);
            return status;
        }
        ok = array_push(&s->vertex_body, (int32_t)(m->bodies.count - 1)) &&
             array_push(&s->vertex_on_edge, (uint8_t)0);
    }
    for (size_t i = 0; ok && i < parts->edge_count; i++) {
        const int32_t *edge = parts->edges[i];
        for (int k = 0; ok && k < 2; k++) {
            s->vertex_on_edge.data[vertex_of[edge[k]]] = 1;
            ok = array_push(&s->edges, vertex_of[edge[k]]);
        }
        vec3 along = vec3_sub(positions[edge[0]], positions[edge[1]]);
        ok = ok && array_push(&s->edge_length2, vec3_norm2(along));
    }
    for (size_t i = 0; ok && i < parts->triangle_count; i++)
        for (int k = 0; ok && k < 3; k++)
            ok = array_push(&s->triangles, vertex_of[parts->triangles[i][k]]);
    mem_free(vertex_of);
    if (!ok) return error_memory(err, "adding the collision surface");
    body->surface.vertex_count = parts->point_count;
    body->surface.edge_count = parts->edge_count;
    body->surface.free_edge_first = body->surface.first_edge + parts->free_edge_first;
    body->surface.triangle_count = parts->triangle_count;
    return ABUT_OK;
}

abut_status model_add_parts(model *m, model_body *body, const mesh *shape,
                            const surface_parts *parts, abut_error *err)
{
    uint8_t *used = mem_calloc(shape->vertex_count + 1, 1);
    if (!used) return error_memory(err, "adding a body");
    for (size_t i = 0; i < parts->point_count; i++) used[parts->points[i]] = 1;
    abut_status status = model_add_nodes(m, body, shape, used, err);
    mem_free(used);
    return status == ABUT_OK
               ? model_add_surface(m, body, parts, shape->vertices, model_node_row, body, err)
               : status;
}

abut_status model_add_tets(model *m, model_body *body, const mesh *shape, const cell_block *tets,
                           abut_error *err)
{
    uint8_t *used = mem_calloc(shape->vertex_count, 1);
    if (!used) return error_memory(err, "adding a body");
    for (size_t i = 0; i < 4 * tets->count; i++) used[tets->nodes[i]] = 1;
    abut_status status = model_add_nodes(m, body, shape, used, err);
    mem_free(used);
    for (size_t i = 0; status == ABUT_OK && i < tets->count; i++)
        status = add_tet(m, body, tets->nodes + 4 * i, i, err);
    body->tet_count = m->tet_count - body->first_tet;
    return status;
}

static abut_status fill_deformable(model *m, model_body *body, const mesh *shape,
                                   const cell_block *tets, abut_error *err)
{
    TRY(model_add_tets(m, body, shape, tets, err));
    mesh volume_only = *shape; /* borrowed: the surface of the tets, whatever else the file lists */
    volume_only.block_count = 1;
    volume_only.blocks[0] = *tets;
    surface_parts parts;
    TRY(mesh_surface(&volume_only, &parts, err));
    abut_status status =
        model_add_surface(m, body, &parts, shape->vertices, model_node_row, body, err);
    surface_parts_free(&parts);
    return status;
}

abut_status model_add_deformable(model *m, const char *name, const mesh *shape,
                                 elastic_parameters material, double density, abut_error *err)
{
    const cell_block *tets = mesh_find(shape, CELL_TET);
    if (!tets)
        return error_set(err, ABUT_ERROR_INPUT, name,
                         "a deformable body needs a mesh of tetrahedra");
    if (tets->order != 1)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, name,
                         "the mesh has tetrahedra of order %d; only order 1 is supported",
                         tets->order);
    model_body *body = NULL;
    TRY(model_begin_body(m, name, BODY_DEFORMABLE, shape, &body, err));
    body->material = material;
    body->density = density;
    return fill_deformable(m, body, shape, tets, err);
}

abut_status model_add_obstacle(model *m, const char *name, const mesh *shape, abut_error *err)
{
    model_body *body = NULL;
    TRY(model_begin_body(m, name, BODY_OBSTACLE, shape, &body, err));
    surface_parts parts;
    TRY(mesh_surface(shape, &parts, err));
    uint8_t *used = mem_calloc(shape->vertex_count, 1);
    abut_status status = used ? ABUT_OK : error_memory(err, "adding an obstacle");
    for (size_t i = 0; used && i < parts.point_count; i++) used[parts.points[i]] = 1;
    if (status == ABUT_OK) status = model_add_nodes(m, body, shape, used, err);
    if (status == ABUT_OK)
        status = model_add_surface(m, body, &parts, shape->vertices, model_node_row, body, err);
    mem_free(used);
    surface_parts_free(&parts);
    return status;
}

/* Mass of obstacle nodes, used to scale the forces that move them: the mean nodal mass. */
static void weigh_obstacles(model *m)
{
    double total = 0;
    size_t count = 0;
    for (size_t i = 0; i < m->mass.count; i++)
        if (m->mass.data[i] > 0 && model_block_is_position(m, i)) {
            total += m->mass.data[i];
            count++;
        }
    double mean = count ? total / (double)count : 1.0;
    for (size_t i = 0; i < m->mass.count; i++)
        if (model_block_is_obstacle(m, i)) m->mass.data[i] = mean;
}

/* A lone particle has no box; it is as large as a ball of its mass. */
static double diameter_by_mass(const model *m)
{
    double volume = 0;
    for (size_t i = 0; i < m->mass.count; i++) {
        double density = m->bodies.data[m->body.data[i]].density;
        if (density > 0) volume += m->mass.data[i] / density;
    }
    return cbrt(6 * volume / PI);
}

static abut_status measure_extent(model *m, abut_error *err)
{
    size_t vertices = m->surface.rows.count;
    vec3 *y = mem_alloc(vertices + 1, sizeof *y);
    if (!y) return error_memory(err, "measuring the scene");
    collision_surface_positions(&m->surface, (const double *)m->rest.data, y);
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    bool simulated = false;
    for (int pass = 0; pass < 2 && !simulated; pass++) /* obstacles only count when alone */
        for (size_t b = 0; b < m->bodies.count; b++) {
            const model_body *body = &m->bodies.data[b];
            if (body_rows[body->kind]->obstacle && pass == 0) continue;
            simulated = true;
            for (size_t i = 0; i < body->surface.vertex_count; i++) {
                low = vec3_min(low, y[body->surface.first_vertex + i]);
                high = vec3_max(high, y[body->surface.first_vertex + i]);
            }
            for (int32_t i = 0; body->nodal && i < body->block_count; i++) {
                low = vec3_min(low, m->rest.data[body->first_block + i]);
                high = vec3_max(high, m->rest.data[body->first_block + i]);
            }
        }
    mem_free(y);
    m->extent = vec3_norm(vec3_sub(high, low));
    if (m->extent == 0) m->extent = diameter_by_mass(m);
    return ABUT_OK;
}

/* Vertices of bodies that do not meet share a number, that of the first body of the group. */
static abut_status group_vertices(model *m, abut_error *err)
{
    int32_t *group = mem_alloc(m->bodies.count + 1, sizeof *group);
    bool ok = group && array_resize(&m->surface.vertex_group, m->surface.rows.count);
    for (size_t b = 0; ok && b < m->bodies.count; b++) {
        group[b] = (int32_t)b;
        for (size_t a = 0; m->bodies.data[b].collision_group >= 0 && a < b; a++)
            if (m->bodies.data[a].collision_group == m->bodies.data[b].collision_group) {
                group[b] = group[a];
                break;
            }
    }
    for (size_t i = 0; ok && i < m->surface.rows.count; i++)
        m->surface.vertex_group.data[i] = group[m->surface.vertex_body.data[i]];
    mem_free(group);
    return ok ? ABUT_OK : error_memory(err, "grouping bodies");
}

abut_status model_add_mass(model *m, int32_t block, double mass, abut_error *err)
{
    while (m->added_mass.count < m->mass.count)
        if (!array_push(&m->added_mass, 0.0)) return error_memory(err, "weighing nodes");
    m->added_mass.data[block] += mass;
    m->mass.data[block] += mass;
    return ABUT_OK;
}

static abut_status sum_load_masses(model *m, abut_error *err)
{
    if (!array_resize(&m->load_mass, m->mass.count)) return error_memory(err, "weighing nodes");
    for (size_t i = 0; i < m->mass.count; i++)
        m->load_mass.data[i] = model_block_is_position(m, i) ? m->mass.data[i] : 0;
    for (int pass = 0; pass < 2; pass++) /* blocks of element sets start from what is added */
        for (size_t i = 0; i < m->sets.count; i++) {
            const element_set *s = &m->sets.data[i];
            for (size_t e = 0; e < s->count; e++)
                for (int a = 0; a < s->nodes; a++) {
                    int32_t block = s->blocks.data[e * (size_t)s->nodes + (size_t)a];
                    double *at = &m->load_mass.data[block];
                    if (pass == 0) *at = model_added_mass(m, (size_t)block);
                    for (int b = 0; pass == 1 && b < s->nodes; b++) *at += element_mass(s, e, a, b);
                }
        }
    return ABUT_OK;
}

/* Thickness and width of the surface's vertices, where some body has one. */
static abut_status spread_thickness(model *m, abut_error *err)
{
    collision_surface *s = &m->surface;
    size_t count = s->rows.count;
    bool thick = false, wide = false;
    for (size_t b = 0; b < m->bodies.count; b++) {
        thick = thick || m->bodies.data[b].offset > 0;
        wide = wide || m->bodies.data[b].width > 0;
    }
    if (!array_resize(&s->thickness, thick ? count : 0) ||
        !array_resize(&s->width, wide ? count : 0))
        return error_memory(err, "adding thickness");
    for (size_t i = 0; i < count; i++) {
        const model_body *body = &m->bodies.data[s->vertex_body.data[i]];
        if (thick) s->thickness.data[i] = body->offset;
        if (wide) s->width.data[i] = body->width;
    }
    return ABUT_OK;
}

abut_status model_finish(model *m, abut_error *err)
{
    if (m->rest.count == 0)
        return error_set(err, ABUT_ERROR_INPUT, "bodies", "the scene has no nodes");
    TRY(spread_thickness(m, err));
    TRY(measure_extent(m, err));
    TRY(group_vertices(m, err));
    weigh_obstacles(m);
    TRY(sum_load_masses(m, err));
    if (ranks_divided()) array_free(&m->tet_rest);
    m->built = true;
    return ABUT_OK;
}
