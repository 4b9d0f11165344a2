/* A kind of body that abut does not have: the vertices of a triangle mesh are nodes of equal mass,
 * its edges springs; its triangles collide. Mass and stiffness are parameters of its own, it has
 * neither material nor density. This file, and one row of bodies.h, is all that it takes: the
 * springs are elements that the model has, for rods. */
#include "body/model_build.h"
#include "scene/body_source.h"

enum { STIFFNESS, NODE_MASS };
static const law_parameter parameters[] = {
    [STIFFNESS] = {"stiffness", "N/m", 0, 1e12, "of every edge"},
    [NODE_MASS] = {"node_mass", "kg", 1e-12, 1e12, "mass of every node"},
};

static abut_status add_spring(model *m, const model_body *body, const int32_t edge[2],
                              double stiffness, abut_error *err)
{
    int32_t ends[2] = {body->block_of_vertex[edge[0]], body->block_of_vertex[edge[1]]};
    double length = vec3_norm(vec3_sub(m->rest.data[ends[1]], m->rest.data[ends[0]]));
    if (!(length > 0))
        return error_set(err, ABUT_ERROR_INFEASIBLE, body->name, "an edge has no length");
    if (!array_push(&m->codim.segments, ends[0]) || !array_push(&m->codim.segments, ends[1]) ||
        !array_push(&m->codim.segment_rest, ((segment_rest){length, stiffness})))
        return error_memory(err, "adding springs");
    return ABUT_OK;
}

static abut_status add_parts(const body_source *from, const surface_parts *parts, model *m,
                             abut_error *err)
{
    const double *own = from->def->own;
    model_body *body;
    TRY(model_begin_body(m, from->def->name, BODY_SPRING_MESH, from->shape, &body, err));
    TRY(model_add_parts(m, body, from->shape, parts, err));
    for (int32_t i = 0; i < body->block_count; i++)
        m->mass.data[body->first_block + i] = own[NODE_MASS];
    for (size_t e = 0; e < parts->edge_count; e++)
        TRY(add_spring(m, body, parts->edges[e], own[STIFFNESS], err));
    return ABUT_OK;
}

static abut_status add(const body_source *from, model *m, abut_error *err)
{
    surface_parts parts;
    TRY(mesh_surface(from->shape, &parts, err));
    abut_status status = add_parts(from, &parts, m, err);
    surface_parts_free(&parts);
    return error_add_place(err, from->place, status);
}

static const char *measure(const model *m, const model_body *body)
{
    (void)m;
    (void)body;
    return "nodes";
}

const body_row spring_mesh_kind = {
    .keys = KEYS_SIMULATED | KEYS_NODES | KEYS_PARAMETERS,
    .cells = {{1u << CELL_TRIANGLE, "triangles"}, {1u << CELL_TRIANGLE, "triangles"}},
    .parameter_count = 2,
    .parameters = parameters,
    .add = add,
    .measure = measure};
