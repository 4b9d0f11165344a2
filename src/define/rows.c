/* The members of the public definitions, and the keys of scenes that they are. */
#include "define/definition.h"
#include "scene/schema_table.h"

#include <abut/define.h>

#define ROW(owner, key, name)                                                                      \
    {                                                                                              \
        .path = (key), .place = PLACE_OF(owner, name)                                              \
    }
#define ARRAY_ROW(owner, key, name, number)                                                        \
    {                                                                                              \
        .path = (key), AT_LIST(owner, name, number)                                                \
    }
#define DEFINITION(of, list, owner)                                                                \
    {                                                                                              \
        .type = &(of), .rows = (list), .row_count = sizeof(list) / sizeof((list)[0]),              \
        .size = sizeof(owner)                                                                      \
    }

#define SCENE(path, name) ROW(abut_scene_def, path, name)
static const definition_row scene_rows[] = {
    SCENE("name", name),
    SCENE("time.step", step),
    SCENE("time.end", end),
    SCENE("time.integrator", integrator),
    SCENE("gravity", gravity),
    SCENE("planar", planar),
    SCENE("stepper", stepper),
    SCENE("contact.enabled", contact.enabled),
    SCENE("contact.dhat", contact.dhat),
    SCENE("contact.friction", contact.friction),
    SCENE("contact.stiffness", contact.stiffness),
    SCENE("contact.area_weighted", contact.area_weighted),
    SCENE("contact.eps_v", contact.eps_v),
    SCENE("contact.friction_iterations", contact.friction_iterations),
    SCENE("contact.stick_anchors", contact.stick_anchors),
    SCENE("contact.ccd", contact.ccd),
    SCENE("solver.tolerance", solver.tolerance),
    SCENE("solver.max_iterations", solver.max_iterations),
    SCENE("solver.linear", solver.linear),
    SCENE("solver.linear_tolerance", solver.linear_tolerance),
};
const definition scene_definition = DEFINITION(schema_scene, scene_rows, abut_scene_def);

#define MATERIAL(name) ROW(abut_material_def, #name, name)
static const definition_row material_rows[] = {
    MATERIAL(model), MATERIAL(young), MATERIAL(poisson), MATERIAL(density), MATERIAL(damping),
    MATERIAL(c1),    MATERIAL(c2),    MATERIAL(bulk),    MATERIAL(barrier), MATERIAL(barrier_below),
};
const definition material_definition =
    DEFINITION(schema_material, material_rows, abut_material_def);

#define BODY(path, name) ROW(abut_body_def, path, name)
#define CELLS(path, name, number) ARRAY_ROW(abut_body_def, path, mesh.name, mesh.number)
static const definition_row body_rows_of_keys[] = {
    BODY("name", name),
    BODY("type", type),
    CELLS("mesh.given.vertices", vertices, vertex_count),
    {.path = "mesh.given.tetrahedra",
     AT_ROWS(abut_body_def, mesh.tetrahedra, mesh.tetrahedron_count, mesh.tetrahedron_nodes),
     .default_width = 4},
    CELLS("mesh.given.triangles", triangles, triangle_count),
    CELLS("mesh.given.edges", edges, edge_count),
    BODY("mesh.file", file),
    BODY("scale", scale),
    BODY("rotate", rotate),
    BODY("translate", translate),
    BODY("material", material),
    BODY("density", density),
    BODY("total_mass", total_mass),
    BODY("order", order),
    BODY("velocity", velocity),
    BODY("angular_velocity", angular_velocity),
    BODY("friction", friction),
    BODY("offset", offset),
    BODY("collision_group", collision_group),
    BODY("shell.thickness", thickness),
    BODY("rod.diameter", diameter),
    BODY("particles.radius", radius),
};
const definition body_definition = DEFINITION(schema_body, body_rows_of_keys, abut_body_def);

#define FIX(path, name) ROW(abut_fix_def, path, name)
static const definition_row fix_rows[] = {
    ARRAY_ROW(abut_fix_def, "nodes.list", nodes, node_count),
    FIX("from", from),
    FIX("until", until),
    FIX("axes", axes),
    FIX("motion.velocity", velocity),
    FIX("motion.angular_velocity", angular_velocity),
};
const definition fix_definition = DEFINITION(schema_fix, fix_rows, abut_fix_def);

#define PLANE(name) ROW(abut_half_space_def, #name, name)
static const definition_row half_space_rows[] = {PLANE(origin), PLANE(normal), PLANE(friction),
                                                 PLANE(velocity)};
const definition half_space_definition =
    DEFINITION(schema_half_space, half_space_rows, abut_half_space_def);
