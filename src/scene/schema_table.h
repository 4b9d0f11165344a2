/* The object types of the native scene format. */
#ifndef SCENE_SCHEMA_TABLE_H
#define SCENE_SCHEMA_TABLE_H

#include "body/kind.h"
#include "scene/schema.h"

#define FIELDS(list) .fields = (list), .field_count = sizeof(list) / sizeof((list)[0])

extern const char *const remesh_method_words[]; /* remesh_method */
extern const char *const collide_words[];

extern const schema_type schema_body;
extern const schema_type schema_mesh;
extern const schema_type schema_boundary;
extern const schema_type schema_fix, schema_force, schema_half_space;
extern const schema_type schema_material;
extern const schema_type schema_shell;
extern const schema_type schema_rod;
extern const schema_type schema_particles;
extern const schema_type schema_surface, schema_region, schema_surface_load; /* of solids */
extern const schema_type schema_place_sphere, schema_place_cylinder, schema_place_side;
extern const schema_type schema_remesh;
extern const schema_type schema_selector;
extern const schema_type schema_viscous_branch, schema_plastic_flow, schema_fibre_family;
extern const schema_type schema_joint, schema_attachment;
extern const schema_type schema_probe;
extern const schema_type schema_cavity;
extern const schema_type schema_interface;
extern const schema_type schema_wind, schema_water;
extern const schema_type schema_optimize;

/* Rules over several fields (schema_rules.c). */
void rule_time(schema_walk *walk, const json_t *object);
void rule_fix(schema_walk *walk, const json_t *object);
void rule_interval(schema_walk *walk, const json_t *object);
void rule_body(schema_walk *walk, const json_t *object);
void rule_inertial(schema_walk *walk, const json_t *object);
void rule_shell(schema_walk *walk, const json_t *object);
void rule_strain_limit(schema_walk *walk, const json_t *object);
void rule_given(schema_walk *walk, const json_t *object);
void rule_mesh_size(schema_walk *walk, const json_t *object);
/* Parameters of the own of a law or a kind of body (what, word): given whole, within their limits,
 * and nothing else. */
void rule_parameters(schema_walk *walk, const json_t *object, const char *what, const char *word,
                     const law_parameter *list, int count);
void rule_material(schema_walk *walk, const json_t *object);
/* Part of rule_material: what there is beside the law (schema_table_parts.c). */
void rule_material_parts(schema_walk *walk, const json_t *object);
/* Whether a resolved material has some, and the key of the first. */
bool material_document_has_parts(const json_t *material, const char **key);
void rule_surface(schema_walk *walk, const json_t *object);
void rule_half_space(schema_walk *walk, const json_t *object);
void rule_scene(schema_walk *walk, const json_t *object);
void rule_remesh(schema_walk *walk, const json_t *scene); /* schema_table_remesh.c */
/* Whether a body of this name is a piece of one of the other name, which was split: "chain.3" of
 * "chain". */
bool schema_piece_of(const char *piece, const char *whole);
/* Part of rule_scene: options of the other stepper (schema_rules_stepper.c). */
void check_stepper(schema_walk *walk, const json_t *scene);
/* Part of rule_scene: names in joints and attachments (schema_table_joint.c). */
void check_joints(schema_walk *walk, const json_t *scene);
/* Part of rule_scene: names in probes (schema_table_probe.c). */
void check_probes(schema_walk *walk, const json_t *scene);

#endif
