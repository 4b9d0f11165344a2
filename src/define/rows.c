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
    BODY("mesh.fill.cells", fill.cells),
    BODY("mesh.fill.size", fill.size),
    BODY("mesh.fill.winding", fill.winding),
    BODY("mesh.fill.close", fill.close),
    BODY("mesh.fill.method", fill.method),
    BODY("mesh.fill.collide", fill.collide),
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

#define FORCE(name) ROW(abut_force_def, #name, name)
static const definition_row force_rows[] = {
    ARRAY_ROW(abut_force_def, "nodes.list", nodes, node_count),
    FORCE(from),
    FORCE(until),
    FORCE(acceleration),
    FORCE(force),
    FORCE(torque),
};
const definition force_definition = DEFINITION(schema_force, force_rows, abut_force_def);

#define JOINT(name) ROW(abut_joint_def, #name, name)
#define AXIS(name, key, of) ROW(abut_joint_def, #name "." key, name.of)
#define AXIS_ROWS(name)                                                                            \
    AXIS(name, "limits", limits), AXIS(name, "start", start), AXIS(name, "friction", friction),    \
        AXIS(name, "damping", damping), AXIS(name, "stiffness", stiffness),                        \
        AXIS(name, "rest", rest), AXIS(name, "drive.position", position),                          \
        AXIS(name, "drive.velocity", velocity), AXIS(name, "drive.effort", effort),                \
        AXIS(name, "drive.stiffness", drive_stiffness),                                            \
        AXIS(name, "drive.damping", drive_damping), AXIS(name, "drive.max_effort", max_effort)
static const definition_row joint_rows[] = {
    JOINT(name),         JOINT(type),    JOINT(body),  JOINT(to),       JOINT(point),
    JOINT(axis),         JOINT(axis2),   JOINT(lead),  AXIS_ROWS(turn), AXIS_ROWS(slide),
    JOINT(first),        JOINT(second),  JOINT(ratio), JOINT(offset),   JOINT(break_force),
    JOINT(break_torque), JOINT(collide),
};
const definition joint_definition = DEFINITION(schema_joint, joint_rows, abut_joint_def);

#define ATTACHMENT(name) ROW(abut_attachment_def, #name, name)
static const definition_row attachment_rows[] = {
    ATTACHMENT(name),        ATTACHMENT(body),
    ATTACHMENT(to),          ARRAY_ROW(abut_attachment_def, "nodes.list", nodes, node_count),
    ATTACHMENT(within),      ATTACHMENT(stiffness),
    ATTACHMENT(damping),     ATTACHMENT(close),
    ATTACHMENT(break_force),
};
const definition attachment_definition =
    DEFINITION(schema_attachment, attachment_rows, abut_attachment_def);

#define PLANE(name) ROW(abut_half_space_def, #name, name)
static const definition_row half_space_rows[] = {PLANE(origin), PLANE(normal), PLANE(friction),
                                                 PLANE(velocity)};
const definition half_space_definition =
    DEFINITION(schema_half_space, half_space_rows, abut_half_space_def);
