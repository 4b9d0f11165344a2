/* The table, third part: what shells, rods and particles have beyond other bodies. */
#include "scene/cloth.h"
#include "scene/scene.h"
#include "scene/schema_table.h"

static const char *const rest_shape_words[] = {REST_SHAPES(WORD_TEXT) NULL};

static const schema_field limit_fields[] = {
    {"upper", SCHEMA_NUMBER, AT(limit_def, upper), ABOVE(1), .absent = "that of the preset",
     .doc = "Largest stretch, which is never reached; 1.001 allows 0.1 %."},
    {"upper_start", SCHEMA_NUMBER, AT(limit_def, upper_start), .initial = "1", ABOVE(0),
     .doc = "Stretch from which the barrier acts."},
    {"lower", SCHEMA_NUMBER, AT(limit_def, lower), BETWEEN(0, 1), .absent = "none",
     .doc = "Smallest stretch, which is never reached."},
    {"lower_start", SCHEMA_NUMBER, AT(limit_def, lower_start), .initial = "1", ABOVE(0),
     .needs = "lower", .doc = "Stretch below which the lower barrier acts."},
};
static const schema_type limit_type = {
    .name = "strain_limit",
    .doc = "Hard limits of the two singular values of the deformation of each triangle.",
    FIELDS(limit_fields),
    STRUCT(limit_def),
    .rule = rule_strain_limit,
    .rule_doc = "`upper` must be above `upper_start`, `lower` below `lower_start`.",
};

static const schema_field shell_fields[] = {
    {"preset", SCHEMA_WORD, AT(shell_def, preset), .otherwise = -1, .words = cloth_words,
     .absent = "none",
     .doc = "A measured fabric: density, thickness and stiffness where they are not given, and the "
            "numbers of its strain limit."},
    {"thickness", SCHEMA_NUMBER, AT(shell_def, thickness), ABOVE(0), .absent = "that of the preset",
     .unit = "m",
     .doc = "Thickness of the material, for mass and stiffness (not for contact: see `offset`)."},
    {"membrane", SCHEMA_WORD, AT(shell_def, membrane), GIVEN(shell_def, has_membrane),
     .words = membrane_model_words,
     .absent = "`neo-hookean`, or `data-driven` for orthotropic presets",
     .doc = "Energy of stretch and shear within the sheet."},
    {"membrane_scale", SCHEMA_NUMBER, AT(shell_def, membrane_scale), .initial = "1", ABOVE(0),
     .doc = "Factor on the stiffness against stretch and shear."},
    {"bending_scale", SCHEMA_NUMBER, AT(shell_def, bending_scale), .initial = "1", AT_LEAST(0),
     .doc = "Factor on the stiffness against bending; 0: none."},
    {"stiffness", SCHEMA_VECTOR, AT(shell_def, stiffness), GIVEN(shell_def, has_stiffness),
     .count = 4, .unit = "Pa", .absent = "that of the preset",
     .doc = "Orthotropic sheets: a11, a22, a12 and G12 of the energy a11/2 E11^2 + a22/2 E22^2 + "
            "a12 E11 E22 + G12 E12^2 of the Green strains of warp and weft."},
    {"strains", SCHEMA_VECTOR, AT(shell_def, strains), GIVEN(shell_def, has_strains), .count = 3,
     ABOVE(0), .absent = "those of the preset",
     .doc = "Data-driven sheets: Green strains of warp, weft and shear that are never reached."},
    {"warp", SCHEMA_VECTOR, AT(shell_def, warp), .count = 3, .initial = "[1, 0, 0]",
     .doc = "Direction of the warp in the rest shape."},
    {"strain_limit", SCHEMA_OBJECT, AT(shell_def, limit), GIVEN(shell_def, has_limit),
     .type = &limit_type, .absent = "none",
     .doc = "Limits of the stretch; `{}` takes that of the preset."},
    {"rest", SCHEMA_WORD, AT(shell_def, rest), .words = rest_shape_words, .initial = "\"mesh\"",
     .doc = "Rest shape: the mesh; the mesh, but flat as to bending; or the pattern in the texture "
            "coordinates of the mesh file, with the mesh as the start only."},
    {"damping", SCHEMA_NUMBER, AT(shell_def, damping), .otherwise = -1, AT_LEAST(0),
     .absent = "that of the material", .unit = "s",
     .doc = "Damping of stretch, shear and bending, proportional to their stiffness (Rayleigh's "
            "beta)."},
    {"bending_damping", SCHEMA_NUMBER, AT(shell_def, bending_damping), .otherwise = -1, AT_LEAST(0),
     .absent = "`damping`", .unit = "s",
     .doc = "Damping of bending where it differs from `damping`."},
    {"stitch_stiffness", SCHEMA_NUMBER, AT(shell_def, stitch), .initial = "10", AT_LEAST(0),
     .unit = "N/m", .doc = "Springs along the `stitch` lines of an OBJ file; 0: none."},
};
const schema_type schema_shell = {
    .name = "shell",
    .doc = "The sheet of a body of type `shell`: a plate of triangles that resists stretch, shear "
           "and bending.",
    FIELDS(shell_fields),
    STRUCT(shell_def),
    .rule = rule_shell,
    .rule_doc = "Without a preset, `thickness` is needed, `strain_limit` needs `upper` or `lower`, "
                "orthotropic sheets need `stiffness` and data-driven ones `strains`.",
};

static const schema_field rod_fields[] = {
    {"diameter", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(rod_def, diameter), ABOVE(0), .unit = "m",
     .doc = "Diameter of the material, for mass and stiffness (not for contact: see `offset`)."},
    {"stretch_scale", SCHEMA_NUMBER, AT(rod_def, stretch_scale), .initial = "1", ABOVE(0),
     .doc = "Factor on the stiffness against stretch."},
    {"bending_scale", SCHEMA_NUMBER, AT(rod_def, bending_scale), .initial = "1", AT_LEAST(0),
     .doc = "Factor on the stiffness against bending; 0: none."},
    {"twist_scale", SCHEMA_NUMBER, AT(rod_def, twist_scale), .initial = "0", AT_LEAST(0),
     .doc = "Factor on the stiffness against twist, E / (2 (1 + nu)) pi d^4 / 32; 0: none, which "
            "saves an unknown per edge."},
    {"damping", SCHEMA_NUMBER, AT(rod_def, damping), .otherwise = -1, AT_LEAST(0),
     .absent = "that of the material", .unit = "s",
     .doc = "Damping of stretch and bending, proportional to their stiffness (Rayleigh's beta)."},
    {"bending_damping", SCHEMA_NUMBER, AT(rod_def, bending_damping), .otherwise = -1, AT_LEAST(0),
     .absent = "`damping`", .unit = "s",
     .doc = "Damping of bending and twist where it differs from `damping`."},
};
const schema_type schema_rod = {
    .name = "thin_rod",
    .doc = "The section of a body of type `rod`: thin elastic rods along the edges of the mesh, "
           "straight at rest.",
    FIELDS(rod_fields),
    STRUCT(rod_def),
};

static const schema_field particles_fields[] = {
    {"radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(body_def, radius), ABOVE(0), .unit = "m",
     .doc = "Radius of the material, for the mass (not for contact: see `offset`)."},
};
const schema_type schema_particles = {
    .name = "particles",
    .doc = "The grains of a body of type `particles`: one per vertex of the mesh.",
    FIELDS(particles_fields),
    STRUCT(body_def),
};
