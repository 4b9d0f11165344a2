/* The table: air and water around bodies. */
#include "scene/scene.h"
#include "scene/schema_table.h"

static const schema_field wind_fields[] = {
    {"body", SCHEMA_STRING, AT(wind_def, body), .absent = "all simulated bodies",
     .doc = "Name of the body that the air acts on."},
    {"velocity", SCHEMA_EXPRESSIONS, AT(wind_def, velocity), .count = 3, .initial = "[0, 0, 0]",
     .unit = "m/s",
     .doc = "Of the air, by the position `x`, `y`, `z` and the time `t`. Air at rest only brakes."},
    {"density", SCHEMA_NUMBER, AT(wind_def, density), .initial = "1.2", ABOVE(0), .unit = "kg/m^3",
     .doc = "Of the air."},
    {"drag", SCHEMA_NUMBER, AT(wind_def, drag), .initial = "1.2", AT_LEAST(0),
     .doc =
         "Coefficient for the part of the flow across triangles and rods, and for all of it at "
         "grains: the force is density / 2 x coefficient x area x speed^2. 1.2 is that of plates "
         "and cylinders across the flow, 0.47 that of spheres."},
    {"skin_drag", SCHEMA_NUMBER, AT(wind_def, skin), .initial = "0", AT_LEAST(0),
     .doc = "Coefficient for the part of the flow along triangles and rods."},
};

const schema_type schema_wind = {
    .name = "wind",
    .doc = "Air that flows past bodies (docs/theory/loads.md).",
    FIELDS(wind_fields),
    STRUCT(wind_def),
};

static const schema_field water_fields[] = {
    {"body", SCHEMA_STRING, AT(water_def, body), .absent = "all simulated bodies with triangles",
     .doc = "Name of the body that floats; its surface must be closed."},
    {"density", SCHEMA_NUMBER, AT(water_def, density), .initial = "1000", ABOVE(0),
     .unit = "kg/m^3", .doc = "Of the water."},
    {"level", SCHEMA_EXPRESSION, AT(water_def, level), .initial = "0", .unit = "m",
     .doc = "Height of the water by the time `t`, against the direction of `gravity`, from the "
            "origin."},
};

const schema_type schema_water = {
    .name = "water",
    .doc = "Water at rest that bodies float in (docs/theory/loads.md).",
    FIELDS(water_fields),
    STRUCT(water_def),
};
