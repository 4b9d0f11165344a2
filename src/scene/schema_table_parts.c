/* The table, part on what materials have beside their elastic law. */
#include "scene/schema_table.h"

#include "material/plastic.h"
#include "scene/scene.h"

#include <string.h>

static const schema_field branch_fields[] = {
    {"shear", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(viscous_branch, shear), ABOVE(0), .unit = "Pa",
     .doc = "Shear modulus G_i of the spring."},
    {"time", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(viscous_branch, time), ABOVE(0), .unit = "s",
     .doc = "Time of relaxation."},
};
const schema_type schema_viscous_branch = {
    .name = "viscous_branch",
    .doc =
        "A spring and a damper in series, for changes of shape: G_i exp(-t/time) is added to the "
        "shear modulus of the elastic law, which is the long-term one.",
    FIELDS(branch_fields),
    STRUCT(viscous_branch),
};

static const schema_field plastic_fields[] = {
    {"yield", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(plastic_flow, yield), ABOVE(0), .unit = "Pa",
     .doc = "Yield stress of the virgin material."},
    {"hardening", SCHEMA_NUMBER, AT(plastic_flow, hardening), .initial = "0", AT_LEAST(0),
     .unit = "Pa", .doc = "Linear hardening modulus H by the equivalent plastic strain a."},
    {"saturation", SCHEMA_NUMBER, AT(plastic_flow, saturation), ABOVE(0), .unit = "Pa",
     .absent = "none",
     .doc = "Stress that exponential hardening goes to: (saturation - yield) (1 - "
            "exp(-rate a)) is added to the yield stress."},
    {"rate", SCHEMA_NUMBER, AT(plastic_flow, rate), ABOVE(0), .absent = "none",
     .needs = "saturation", .doc = "How fast it does."},
    {"viscosity", SCHEMA_NUMBER, AT(plastic_flow, viscosity), .initial = "0", AT_LEAST(0),
     .unit = "Pa s", .doc = "Overstress by the rate of the equivalent plastic strain."},
};
const schema_type schema_plastic_flow = {
    .name = "plastic_flow",
    .doc = "Von Mises plasticity with isotropic hardening, at any strain.",
    FIELDS(plastic_fields),
    STRUCT(plastic_flow),
};

static const schema_field fibre_fields[] = {
    {"direction", SCHEMA_EXPRESSIONS, SCHEMA_REQUIRED, AT(fibre_family, direction), .count = 3,
     .doc =
         "Direction at rest, by the position at rest (the mean of an element's nodes); its length "
         "does not matter."},
    {"stiffness", SCHEMA_NUMBER, AT(fibre_family, stiffness), .initial = "0", AT_LEAST(0),
     .unit = "Pa", .doc = "Modulus k1."},
    {"exponent", SCHEMA_NUMBER, AT(fibre_family, exponent), .initial = "0", AT_LEAST(0),
     .doc = "Exponent k2, how fast fibres stiffen; 0: not."},
    {"dispersion", SCHEMA_NUMBER, AT(fibre_family, dispersion), .initial = "0", FROM_TO(0, 1.0 / 3),
     .doc = "Dispersion kappa: 0 all along the direction, 1/3 in all directions alike."},
    {"active", SCHEMA_EXPRESSION, AT(fibre_family, active), .unit = "Pa", .absent = "none",
     .doc = "Tension by the time `t`, force per area at rest along the fibre: 0 or more."},
};
const schema_type schema_fibre_family = {
    .name = "fibre_family",
    .doc =
        "Fibres of Holzapfel, Gasser and Ogden, k1/(2 k2) (exp(k2 E^2) - 1) with E = kappa (I1 - "
        "3) + (1 - 3 kappa) (I4 - 1) where stretched, and an active tension.",
    FIELDS(fibre_fields),
    STRUCT(fibre_family),
};

static void rule_plastic(schema_walk *walk, const json_t *object, const json_t *plastic)
{
    double young = json_number_value(json_object_get(object, "young"));
    double poisson = json_number_value(json_object_get(object, "poisson"));
    plastic_flow flow = {.yield = json_number_value(json_object_get(plastic, "yield")),
                         .hardening = json_number_value(json_object_get(plastic, "hardening")),
                         .saturation = json_number_value(json_object_get(plastic, "saturation")),
                         .rate = json_number_value(json_object_get(plastic, "rate"))};
    double least = -3 * young / (2 * (1 + poisson)), slope = plastic_least_slope(&flow);
    if (!schema_has_word(object, "model", "hencky"))
        schema_rule_problem(walk, "plasticity", "is for the model \"hencky\", not \"%s\"",
                            json_string_value(json_object_get(object, "model")));
    if (!(slope > least))
        schema_rule_problem(walk, "plasticity",
                            "softens by %g Pa, faster than the material unloads; the slope of the "
                            "yield stress must be above -3 G = %g Pa",
                            slope, least);
    if (flow.saturation > 0 && !(flow.rate > 0))
        schema_rule_problem(walk, "plasticity", "\"saturation\" needs a \"rate\" above 0");
}

static void rule_count(schema_walk *walk, const json_t *object, const char *key, size_t most)
{
    size_t count = json_array_size(json_object_get(object, key));
    if (count > most)
        schema_rule_problem(walk, key, "has %zu entries; at most %zu are allowed", count, most);
}

bool material_document_has_parts(const json_t *material, const char **key)
{
    static const char *const keys[] = {"viscous", "plasticity", "fibres", "growth", NULL};
    for (int k = 0; keys[k]; k++) {
        const json_t *value = json_object_get(material, keys[k]);
        if (json_is_object(value) || json_array_size(value) > 0) {
            *key = keys[k];
            return true;
        }
    }
    return false;
}

void rule_material_parts(schema_walk *walk, const json_t *object)
{
    const char *key;
    const json_t *plastic = json_object_get(object, "plasticity");
    rule_count(walk, object, "viscous", MATERIAL_MAX_BRANCHES);
    rule_count(walk, object, "fibres", MATERIAL_MAX_FAMILIES);
    if (json_is_object(plastic)) rule_plastic(walk, object, plastic);
    if (!material_document_has_parts(object, &key)) return;
    if (json_number_value(json_object_get(object, "barrier")) > 0)
        schema_rule_problem(walk, "barrier", "is not for materials with \"%s\"", key);
}
