#include "body/codim.h"

#include "base/sort.h"
#include "body/model_build.h"
#include "fem/hinge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

void codim_elements_free(codim_elements *e)
{
    array_free(&e->triangles);
    array_free(&e->triangle_rest);
    array_free(&e->triangle_body);
    array_free(&e->hinges);
    array_free(&e->hinge_rest);
    array_free(&e->segments);
    array_free(&e->segment_rest);
    array_free(&e->joints);
    array_free(&e->joint_stiffness);
    array_free(&e->angles);
    array_free(&e->angle_rest);
    array_free(&e->twists);
    array_free(&e->twist_rest);
    array_free(&e->stitches);
    array_free(&e->stitch_rest);
    array_free(&e->pattern);
    memset(e, 0, sizeof *e);
}

/* Numbers of bad cells for a message: "3, 17, 18, ...". */
typedef struct bad_cells {
    size_t count;
    char list[120];
} bad_cells;

static void bad_cell(bad_cells *bad, size_t number)
{
    size_t used = strlen(bad->list);
    if (bad->count++ < 5)
        snprintf(bad->list + used, sizeof bad->list - used, "%s%zu", used ? ", " : "", number);
    else if (bad->count == 6)
        snprintf(bad->list + used, sizeof bad->list - used, ", ...");
}

/* ---------------------------------------------------------------------------------------------- */
/* Shells                                                                                         */

shell_definition shell_from_young(membrane_model kind, double young, double poisson, double density,
                                  double thickness)
{
    return (shell_definition){.membrane = membrane_from_young(kind, young, poisson),
                              .limit = strain_limit_none(),
                              .density = density,
                              .thickness = thickness,
                              .rigidity =
                                  young * pow(thickness, 3) / (12 * (1 - poisson * poisson)),
                              .warp = {1, 0, 0}};
}

static abut_status add_triangles(model *m, const model_body *body, const surface_parts *parts,
                                 const vec3 *rest, const shell_definition *def, abut_error *err)
{
    codim_elements *e = &m->codim;
    bad_cells flat = {0}, stretched = {0};
    for (size_t i = 0; i < parts->triangle_count; i++) {
        const int32_t *n = parts->triangles[i];
        vec3 x[3] = {rest[n[0]], rest[n[1]], rest[n[2]]}, now[3], f[2];
        tri3_rest shape;
        if (!tri3_rest_make(x, def->warp, def->thickness, &shape)) {
            bad_cell(&flat, i);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            int32_t block = body->block_of_vertex[n[k]];
            now[k] = m->rest.data[block];
            m->mass.data[block] += def->density * shape.volume / 3;
            if (!array_push(&e->triangles, block)) return error_memory(err, "adding a shell");
        }
        tri3_deformation(&shape, now, f);
        double room = strain_limit_exists(&def->limit) ? strain_limit_room(&def->limit, f[0], f[1])
                                                       : INFINITY;
        if (!isfinite(membrane_energy(&def->membrane, f[0], f[1]))) room = -1;
        if (!(room > 0)) bad_cell(&stretched, i);
        if (!array_push(&e->triangle_rest, shape) ||
            !array_push(&e->triangle_body, (int32_t)(m->bodies.count - 1)))
            return error_memory(err, "adding a shell");
    }
    if (flat.count > 0)
        return error_set(err, ABUT_ERROR_INFEASIBLE, body->name,
                         "%zu of %zu triangles have no area at rest: %s", flat.count,
                         parts->triangle_count, flat.list);
    if (stretched.count > 0)
        return error_set(err, ABUT_ERROR_INFEASIBLE, body->name,
                         "%zu of %zu triangles are collapsed or beyond the strain limit at the "
                         "start: %s",
                         stretched.count, parts->triangle_count, stretched.list);
    return ABUT_OK;
}

static abut_status add_hinge(model *m, const model_body *body, const vec3 *rest, const int32_t v[4],
                             const shell_definition *def, abut_error *err)
{
    vec3 x[4];
    hinge_rest hinge;
    for (int k = 0; k < 4; k++) x[k] = rest[v[k]];
    if (!hinge_stiffness(x, def->rigidity, &hinge.stiffness)) return ABUT_OK;
    hinge.angle = def->flat || def->pattern ? 0 : hinge_angle(x);
    bool ok = array_push(&m->codim.hinge_rest, hinge);
    for (int k = 0; ok && k < 4; k++)
        ok = array_push(&m->codim.hinges, body->block_of_vertex[v[k]]);
    return ok ? ABUT_OK : error_memory(err, "adding hinges");
}

/* Sorted keys (lower vertex, upper vertex) with the triangle's corner 3 t + k opposite the edge. */
typedef struct edge_corners {
    size_t count;
    uint64_t *keys;
    uint32_t *corners;
} edge_corners;

static abut_status sort_edges(const surface_parts *parts, edge_corners *out, abut_error *err)
{
    size_t n = 3 * parts->triangle_count;
    out->count = n;
    out->keys = mem_alloc(2 * n + 1, sizeof *out->keys);
    out->corners = mem_alloc(2 * n + 1, sizeof *out->corners);
    if (!out->keys || !out->corners) return error_memory(err, "adding hinges");
    for (size_t i = 0; i < n; i++) {
        const int32_t *t = parts->triangles[i / 3];
        uint64_t a = (uint64_t)t[(i + 1) % 3], b = (uint64_t)t[(i + 2) % 3];
        out->keys[i] = a < b ? a << 32 | b : b << 32 | a;
        out->corners[i] = (uint32_t)i;
    }
    sort_u64_with_u32(out->keys, out->corners, out->keys + n, out->corners + n, n);
    return ABUT_OK;
}

/* Every pair of triangles with a common edge. */
static abut_status add_hinges(model *m, const model_body *body, const surface_parts *parts,
                              const vec3 *rest, const shell_definition *def, abut_error *err)
{
    edge_corners edges = {0};
    abut_status status = sort_edges(parts, &edges, err);
    for (size_t i = 0; status == ABUT_OK && i < edges.count; i++)
        for (size_t j = i + 1;
             status == ABUT_OK && j < edges.count && edges.keys[j] == edges.keys[i]; j++) {
            uint32_t a = edges.corners[i], b = edges.corners[j];
            int32_t v[4] = {parts->triangles[a / 3][a % 3], (int32_t)(edges.keys[i] >> 32),
                            (int32_t)(edges.keys[i] & 0xffffffffu), parts->triangles[b / 3][b % 3]};
            status = add_hinge(m, body, rest, v, def, err);
        }
    mem_free(edges.keys);
    mem_free(edges.corners);
    return status;
}

static abut_status add_stitches(model *m, const model_body *body, const mesh *shape,
                                double stiffness, abut_error *err)
{
    for (size_t i = 0; i < shape->stitch_count && stiffness > 0; i++) {
        bool ok =
            array_push(&m->codim.stitch_rest, (stitch_rest){shape->stitch_ratio[i], stiffness});
        for (int k = 0; ok && k < 3; k++) {
            int32_t block = body->block_of_vertex[shape->stitch_vertices[i][k]];
            if (block < 0)
                return error_set(err, ABUT_ERROR_INPUT, body->name,
                                 "stitch %zu uses vertex %d, which is in no triangle", i,
                                 (int)shape->stitch_vertices[i][k]);
            ok = array_push(&m->codim.stitches, block);
        }
        if (!ok) return error_memory(err, "adding stitches");
    }
    return ABUT_OK;
}

/* Blocks of other bodies are zeros in the list. */
static abut_status keep_pattern(model *m, const model_body *body, const mesh *shape,
                                abut_error *err)
{
    size_t before = m->codim.pattern.count;
    if (!array_resize(&m->codim.pattern, m->rest.count)) return error_memory(err, "adding a shell");
    memset(m->codim.pattern.data + before, 0,
           (m->rest.count - before) * sizeof *m->codim.pattern.data);
    for (size_t i = 0; i < shape->vertex_count; i++)
        if (body->block_of_vertex[i] >= 0)
            m->codim.pattern.data[body->block_of_vertex[i]] = shape->rest[i];
    return ABUT_OK;
}

abut_status model_add_shell(model *m, const char *name, const mesh *shape,
                            const shell_definition *def, abut_error *err)
{
    if (def->pattern && !shape->rest)
        return error_set(err, ABUT_ERROR_INPUT, name,
                         "the mesh has no texture coordinates that could be the rest shape");
    model_body *body = NULL;
    surface_parts parts;
    TRY(model_begin_body(m, name, BODY_SHELL, shape, &body, err));
    body->membrane = def->membrane;
    body->limit = def->limit;
    body->density = def->density;
    TRY(mesh_surface(shape, &parts, err));
    const vec3 *rest = def->pattern ? shape->rest : shape->vertices;
    abut_status status = parts.triangle_count > 0
                             ? ABUT_OK
                             : error_set(err, ABUT_ERROR_INPUT, name, "a shell needs triangles");
    if (status == ABUT_OK) status = model_add_parts(m, body, shape, &parts, err);
    if (status == ABUT_OK) status = add_triangles(m, body, &parts, rest, def, err);
    if (status == ABUT_OK && def->rigidity > 0)
        status = add_hinges(m, body, &parts, rest, def, err);
    if (status == ABUT_OK) status = add_stitches(m, body, shape, def->stitch, err);
    if (status == ABUT_OK && def->pattern) status = keep_pattern(m, body, shape, err);
    surface_parts_free(&parts);
    return status;
}

/* ---------------------------------------------------------------------------------------------- */
/* Rods                                                                                           */

static abut_status add_segments(model *m, const model_body *body, const surface_parts *parts,
                                const rod_definition *def, abut_error *err)
{
    double area = PI * def->diameter * def->diameter / 4;
    bad_cells bad = {0};
    for (size_t i = 0; i < parts->edge_count; i++) {
        int32_t ends[2] = {body->block_of_vertex[parts->edges[i][0]],
                           body->block_of_vertex[parts->edges[i][1]]};
        double length = vec3_norm(vec3_sub(m->rest.data[ends[1]], m->rest.data[ends[0]]));
        if (!(length > 1e-12 * def->diameter)) {
            bad_cell(&bad, i);
            continue;
        }
        segment_rest rest = {length, def->stretch_scale * def->young * area / length};
        for (int k = 0; k < 2; k++) m->mass.data[ends[k]] += 0.5 * def->density * area * length;
        if (!array_push(&m->codim.segments, ends[0]) || !array_push(&m->codim.segments, ends[1]) ||
            !array_push(&m->codim.segment_rest, rest))
            return error_memory(err, "adding a rod");
    }
    if (bad.count > 0)
        return error_set(err, ABUT_ERROR_INFEASIBLE, body->name,
                         "%zu of %zu edges have no length: %s", bad.count, parts->edge_count,
                         bad.list);
    return ABUT_OK;
}

/* A block per edge behind the nodes of the body, for the angle of its section; its mass is the
 * moment of inertia about the edge. */
static abut_status add_angles(model *m, model_body *body, const surface_parts *parts,
                              const rod_definition *def, abut_error *err)
{
    double moment = def->density * PI * pow(def->diameter, 4) / 32;
    int32_t nodes = body->block_count;
    bool ok = true;
    for (size_t i = 0; ok && i < parts->edge_count; i++) {
        int32_t ends[2] = {body->block_of_vertex[parts->edges[i][0]],
                           body->block_of_vertex[parts->edges[i][1]]},
                block;
        double length = vec3_norm(vec3_sub(m->rest.data[ends[1]], m->rest.data[ends[0]]));
        TRY(model_add_block(m, (vec3){0}, moment * length, &block, err));
        ok = array_push(&m->codim.angles, block) && array_push(&m->codim.angles, ends[0]) &&
             array_push(&m->codim.angles, ends[1]) &&
             array_push(&m->codim.angle_rest, (angle_rest){0.5 * def->diameter});
    }
    body->block_count = nodes;
    body->angle_count = (int32_t)parts->edge_count;
    return ok ? ABUT_OK : error_memory(err, "adding a rod");
}

/* Joint of the edges whose ends (2 e + k) meet: it passes the first one towards its end, the second
 * one away from it. */
static bool add_twist(model *m, const model_body *body, const int32_t v[3], const uint32_t end[2],
                      double stiffness, double bending)
{
    twist_rest rest = {stiffness, bending, {end[0] % 2 ? 1 : -1, end[1] % 2 ? -1 : 1}};
    bool ok = array_push(&m->codim.twist_rest, rest);
    for (int k = 0; ok && k < 3; k++) ok = array_push(&m->codim.twists, v[k]);
    for (int k = 0; ok && k < 2; k++)
        ok = array_push(&m->codim.twists,
                        body->first_block + body->block_count + (int32_t)(end[k] / 2));
    return ok;
}

/* Ends of edges sorted by vertex: edge 2 e + k. */
static abut_status add_joints(model *m, const model_body *body, const surface_parts *parts,
                              const rod_definition *def, abut_error *err)
{
    size_t n = 2 * parts->edge_count;
    uint64_t *keys = mem_alloc(2 * n + 1, sizeof *keys);
    uint32_t *ends = mem_alloc(2 * n + 1, sizeof *ends);
    abut_status status = keys && ends ? ABUT_OK : error_memory(err, "adding joints");
    for (size_t i = 0; status == ABUT_OK && i < n; i++) {
        keys[i] = (uint64_t)parts->edges[i / 2][i % 2];
        ends[i] = (uint32_t)i;
    }
    if (status == ABUT_OK) sort_u64_with_u32(keys, ends, keys + n, ends + n, n);
    double moment = PI * pow(def->diameter, 4) / 64;
    double rigidity = def->bend_scale * def->young * moment;
    double torsion = def->twist_scale * def->young / (1 + def->poisson) * moment; /* G J */
    for (size_t i = 0; status == ABUT_OK && i < n; i++)
        for (size_t j = i + 1; status == ABUT_OK && j < n && keys[j] == keys[i]; j++) {
            int32_t v[3] = {body->block_of_vertex[parts->edges[ends[i] / 2][1 - ends[i] % 2]],
                            body->block_of_vertex[keys[i]],
                            body->block_of_vertex[parts->edges[ends[j] / 2][1 - ends[j] % 2]]};
            const vec3 *x = m->rest.data;
            double length =
                vec3_norm(vec3_sub(x[v[1]], x[v[0]])) + vec3_norm(vec3_sub(x[v[2]], x[v[1]]));
            bool ok = true;
            if (torsion > 0) {
                const uint32_t meeting[2] = {ends[i], ends[j]};
                ok = add_twist(m, body, v, meeting, 2 * torsion / length, rigidity / length);
            } else {
                ok = array_push(&m->codim.joint_stiffness, rigidity / length);
                for (int k = 0; ok && k < 3; k++) ok = array_push(&m->codim.joints, v[k]);
            }
            if (!ok) status = error_memory(err, "adding joints");
        }
    mem_free(keys);
    mem_free(ends);
    return status;
}

abut_status model_add_rod(model *m, const char *name, const mesh *shape, const rod_definition *def,
                          abut_error *err)
{
    model_body *body = NULL;
    surface_parts parts;
    TRY(model_begin_body(m, name, BODY_ROD, shape, &body, err));
    body->density = def->density;
    body->width = def->diameter;
    TRY(mesh_surface(shape, &parts, err));
    abut_status status =
        parts.edge_count > 0 && parts.triangle_count == 0
            ? ABUT_OK
            : error_set(err, ABUT_ERROR_INPUT, name,
                        "a rod needs a mesh of edges; this one has %zu edges and %zu triangles",
                        parts.edge_count, parts.triangle_count);
    if (status == ABUT_OK) status = model_add_parts(m, body, shape, &parts, err);
    if (status == ABUT_OK) status = add_segments(m, body, &parts, def, err);
    if (status == ABUT_OK && def->twist_scale > 0) status = add_angles(m, body, &parts, def, err);
    if (status == ABUT_OK && def->bend_scale + def->twist_scale > 0)
        status = add_joints(m, body, &parts, def, err);
    surface_parts_free(&parts);
    return status;
}

/* ---------------------------------------------------------------------------------------------- */
/* Particles                                                                                      */

abut_status model_add_particles(model *m, const char *name, const mesh *shape, double density,
                                double radius, abut_error *err)
{
    model_body *body = NULL;
    TRY(model_begin_body(m, name, BODY_PARTICLES, shape, &body, err));
    body->density = density;
    body->width = 2 * radius;
    int32_t *points = mem_alloc(shape->vertex_count + 1, sizeof *points);
    if (!points) return error_memory(err, "adding particles");
    for (size_t i = 0; i < shape->vertex_count; i++) points[i] = (int32_t)i;
    surface_parts parts = {.points = points, .point_count = shape->vertex_count};
    abut_status status = model_add_parts(m, body, shape, &parts, err);
    mem_free(points);
    for (int32_t i = 0; i < body->block_count; i++)
        m->mass.data[body->first_block + i] = density * 4.0 / 3.0 * PI * pow(radius, 3);
    return status;
}
