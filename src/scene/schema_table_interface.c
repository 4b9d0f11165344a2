/* The table: what contacts have beside a coefficient of friction. */
#include "scene/scene.h"
#include "scene/schema_table.h"

static const schema_field adhesion_fields[] = {
    {"work", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(interface_def, work), ABOVE(0), .unit = "J/m^2",
     .doc = "Work of separation per area."},
    {"strength", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(interface_def, strength), ABOVE(0),
     .unit = "Pa",
     .doc = "Largest traction. The range 2 `work` / `strength` must be at least 2 dhat."},
};

static const schema_type adhesion_type = {
    .name = "adhesion",
    .doc =
        "Attraction of surfaces: the traction rises linearly with the distance to the strength at "
        "half of the range and falls to 0 at the range.",
    FIELDS(adhesion_fields),
    STRUCT(interface_def),
};

static const schema_field interface_fields[] = {
    {"kinetic", SCHEMA_NUMBER, AT(interface_def, kinetic), .otherwise = -1, AT_LEAST(0),
     .absent = "that at rest",
     .doc = "Coefficient of friction of what slides at 5 `eps_v` or faster, at most that at rest, "
            "which acts at `eps_v`; in between it falls smoothly."},
    {"table", SCHEMA_ROWS, AT_LIST(interface_def, table, table_count), .count = 2, .initial = "[]",
     .doc =
         "Instead: rows of sliding speed (m/s) and coefficient, by rising speeds above 0; linear "
         "between them and from the coefficient at rest, the last one beyond."},
    {"direction", SCHEMA_VECTOR, AT(interface_def, direction), .count = 3, .initial = "[0, 0, 0]",
     .doc =
         "A direction in space (of grooves, of grain), which does not turn with the bodies; only "
         "what it has along the surface counts. The coefficients are those along it."},
    {"across", SCHEMA_NUMBER, AT(interface_def, across), .otherwise = -1, ABOVE(0),
     .absent = "that along",
     .doc = "Coefficient of friction across `direction`; friction forces are within an ellipse."},
    {"cohesion", SCHEMA_NUMBER, AT(interface_def, cohesion), .initial = "0", AT_LEAST(0),
     .unit = "Pa",
     .doc = "Shear traction that contacts bear besides friction, whatever the pressure. With "
            "`contact.area_weighted`."},
    {"adhesion", SCHEMA_OBJECT, IN_PLACE, .type = &adhesion_type, .absent = "none",
     .doc = "Attraction of surfaces that are near."},
};

const schema_type schema_interface = {
    .name = "interface",
    .doc = "What contacts have beside a coefficient of friction (docs/materials.md).",
    FIELDS(interface_fields),
    STRUCT(interface_def),
};
