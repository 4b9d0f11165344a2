/* The table: cavities with gas. */
#include "scene/scene.h"
#include "scene/schema_table.h"

static const schema_field cavity_fields[] = {
    {"body", SCHEMA_STRING, SCHEMA_REQUIRED, AT(cavity_def, body),
     .doc = "Name of the body around it: a shell that is closed, or a deformable body of linear "
            "tetrahedra that has an inner boundary."},
    {"pressure", SCHEMA_NUMBER, AT(cavity_def, pressure), .initial = "101325", ABOVE(0),
     .unit = "Pa", .doc = "Absolute pressure of the gas in the shape at rest."},
    {"outside", SCHEMA_NUMBER, AT(cavity_def, outside), .initial = "101325", AT_LEAST(0),
     .unit = "Pa", .doc = "Absolute pressure outside."},
    {"exponent", SCHEMA_NUMBER, AT(cavity_def, exponent), .initial = "1.4", FROM_TO(1, 1.67),
     .doc =
         "Exponent of the gas law, pressure times volume to this power stays: 1 for slow changes "
         "(isothermal), 1.4 for quick ones of air (adiabatic)."},
    {"amount", SCHEMA_EXPRESSION, AT(cavity_def, amount), .absent = "1",
     .doc = "Amount of gas by the time `t`, 1: that at rest; more is pumped in."},
};

const schema_type schema_cavity = {
    .name = "cavity",
    .doc = "Gas in a closed cavity (docs/materials.md).",
    FIELDS(cavity_fields),
    STRUCT(cavity_def),
};
