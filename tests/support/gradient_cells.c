#include "support/gradient_cells.h"

#include <abut/gradient.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the table: quick ones first in every group. */
#define CELL(body, contact, rule, kind, name, scalar, quick)                                       \
    {body, contact, rule, kind, name, scalar, quick},
#define ALL_CONTACTS(body, rule, kind, name, scalar)                                               \
    CELL(body, 0, rule, kind, name, scalar, false)                                                 \
    CELL(body, 1, rule, kind, name, scalar, false)                                                 \
    CELL(body, 2, rule, kind, name, scalar, true)
#define E "implicit-euler"
#define YOUNG "bodies[0].material.young"
#define POISSON "bodies[0].material.poisson"
#define DENSITY "bodies[0].material.density"

/* clang-format off */
const gradient_cell gradient_cells[] = {
    ALL_CONTACTS("tet", E, "key", "gravity[1]", 0)
    ALL_CONTACTS( "tet", E, "key", "bodies[0].velocity[0]", 0)
    ALL_CONTACTS("tet", E, "initial_positions", "thing", 4)
    ALL_CONTACTS("tet", E, "initial_velocities", "thing", 4)
    ALL_CONTACTS("tet", E, "rest_positions", "thing", 7)
    ALL_CONTACTS("tet", E, "shape", "thing", 7)
    ALL_CONTACTS("tet", E, "forces", "thing", 3)
    CELL("tet", 1, E, "key", YOUNG, 0, false)
    CELL("tet", 2, E, "key", YOUNG, 0, true)
    CELL( "tet", 1, E, "key", POISSON, 0, false)
    CELL("tet", 2, E, "key", POISSON, 0, true)
    CELL("tet", 2, E, "key", DENSITY, 0, true)
    CELL("tet", 2, E, "key", "contact.friction", 0, true)
    CELL( "tet", 2, E, "key", "contact.eps_v", 0, false)
    CELL("tet", 2, E, "key", "contact.dhat", 0, false)
    CELL("tet", 2, E, "key", "bodies[floor].motion[0].velocity[1]", 0, true)
    CELL( "tet", 2, E, "key", "bodies[floor].motion[0].angular_velocity[2]", 0, false)
    CELL("tet", 2, "bdf2", "initial_velocities", "thing", 5, true)
    CELL("tet", 2, "bdf2", "key", YOUNG, 0, false)
    CELL("tet", 2, "bdf3", "key", YOUNG, 0, false)
    CELL( "tet", 2, "newmark", "initial_positions", "thing", 5, true)
    CELL("tet", 2, "newmark", "key", YOUNG, 0, true)
    CELL("tet", 2, "newmark", "rest_positions", "thing", 5, false)
    CELL( "tet", 0, "newmark", "forces", "thing", 5, false)
    ALL_CONTACTS("p2", E, "key", "gravity[1]", 0)
    ALL_CONTACTS("p2", E, "initial_positions", "thing", 14)
    CELL("p2", 2, E, "young", "thing", 2, true)
    CELL("p2", 2, E, "poisson", "thing", 1, true)
    CELL("p2", 2, "bdf2", "young", "thing", 3, false)
    CELL("p2", 2, E, "key", DENSITY, 0, false)
    CELL("rigid", 1, E, "key", "bodies[0].angular_velocity[1]", 0, false)
    CELL("rigid", 2, E, "key", "bodies[0].angular_velocity[1]", 0, true)
    ALL_CONTACTS("rigid", E, "initial_positions", "thing", 1)
    CELL("rigid", 0, "bdf2", "initial_velocities", "thing", 1, false)
    CELL("rigid", 1, "bdf2", "initial_velocities", "thing", 4, false)
    CELL("rigid", 2, "bdf2", "initial_velocities", "thing", 4, true)
    CELL("rigid", 2, E, "key", "bodies[0].density", 0, true)
    CELL("rigid", 2, E, "key", "contact.friction", 0, false)
    CELL( "rigid", 2, E, "initial_positions", "thing", 4, true)
    ALL_CONTACTS("affine", E, "key", "bodies[0].velocity[2]", 0)
    CELL("affine", 2, E, "key", "bodies[0].density", 0, false)
    CELL( "affine", 2, E, "initial_positions", "thing", 5, false)
    ALL_CONTACTS("shell", E, "key", "gravity[1]", 0)
    ALL_CONTACTS( "shell", E, "initial_positions", "thing", 8)
    CELL("shell", 2, E, "key", YOUNG, 0, true)
    CELL("shell", 2, E, "key", "bodies[0].shell." "thickness", 0, true)
    CELL( "shell", 2, "newmark", "initial_velocities", "thing", 7, false)
    CELL("shell", 2, "quasi-static", "initial_" "positions", "thing", 16, false)
    ALL_CONTACTS( "rod", E, "initial_velocities", "thing", 3)
    CELL("rod", 2, E, "key", YOUNG, 0, true)
    CELL("rod", 2, E, "key", "bodies[0].rod." "diameter", 0, false)
    CELL("rod", 2, E, "key", DENSITY, 0, false)
    ALL_CONTACTS( "particles", E, "key", "gravity[" "1]", 0)
    ALL_CONTACTS( "partic" "les", E, "initia" "l_" "veloci" "ties", "thing", 3)
    ALL_CONTACTS("hinge", E, "key", "gravity[1]", 0)
    ALL_CONTACTS("hinge", E, "key", "joints[0].turn.drive.position", 0)
    CELL("hinge", 0, E, "key", "joints[0].point[1]", 0, true)
    CELL("hinge", 2, E, "key", "joints[0].axis[0]", 0, false)
    CELL("hinge", 2, E, "key", "joints[0].turn.damping", 0, false)
    CELL("hinge", 2, E, "key", "joints[0].turn.friction", 0, false)
    CELL("hinge", 2, E, "key", "bodies[0].density", 0, true)
    CELL("hinge", 2, "bdf2", "key", "bodies[0].angular_velocity[2]", 0, false)
    CELL("hinge", 2, E, "initial_positions", "thing", 4, true)
    CELL("hinge", 0, E, "initial_positions", "thing", 4, true)
    ALL_CONTACTS("linkage", E, "key", "joints[1].turn.drive.position", 0)
    CELL("linkage", 2, E, "key", "joints[0].point[0]", 0, true)
    CELL("linkage", 0, "bdf2", "key", "gravity[0]", 0, false)
    CELL("linkage", 2, E, "initial_velocities", "thing", 1, false)
    ALL_CONTACTS("attached", E, "key", "gravity[1]", 0)
    ALL_CONTACTS("attached", E, "initial_velocities", "base", 4)
    CELL("attached", 2, E, "key", YOUNG, 0, true)
    CELL("attached", 2, E, "initial_positions", "thing", 4, false)
    CELL("attached", 2, "bdf2", "forces", "thing", 3, false)
    CELL("driven", 2, E, "key", "bodies[base].motion[0].velocity[0]", 0, true)
    CELL("driven", 2, E, "key", "bodies[base].motion[0].angular_velocity[2]", 0, false)
    CELL("carried", 0, E, "key", "bodies[base].motion[0].velocity[0]", 0, true)
    CELL("pushed", 0, E, "key", "bodies[0].fix[0].motion[0].velocity[0]", 0, true)
    CELL("pulled", 2, E, "key", "attachments[0].stiffness", 0, true)
    CELL("pulled", 2, E, "key", "attachments[0].damping", 0, false)
    CELL("pulled", 1, "bdf2", "initial_velocities", "base", 1, false)
};
/* clang-format on */
const size_t gradient_cell_count = sizeof gradient_cells / sizeof gradient_cells[0];

#define TET                                                                                        \
    "\"mesh\": {\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, 1]}}, \"material\": "       \
    "{\"model\": \"neo-hookean\", \"young\": 3e4, \"poisson\": 0.35, \"density\": 800}"
#define RIGID                                                                                      \
    "\"type\": \"rigid\", \"density\": 800, \"angular_velocity\": [50, 30, -40], \"mesh\": "       \
    "{\"box\": {\"size\": [0.2, 0.2, 0.2]}}"
#define BASE                                                                                       \
    ", {\"name\": \"base\", \"type\": \"rigid\", \"density\": 800, \"translate\": [0, 0.45, 0], "  \
    "\"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1]}}"

static const struct {
    const char *name, *text;
    double height, stiffness;
    const char *more, *joints; /* other bodies; what joins them */
} bodies[] = {
    {"tet", TET, 0.1, 1e5, "", ""},
    {"p2",
     "\"order\": 2, \"mesh\": {\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, 1]}}, "
     "\"material\": {\"model\": \"neo-hookean\", \"young\": 3e4, \"poisson\": 0.35, \"density\": "
     "800}",
     0.1, 1e5, "", ""},
    {"rigid", RIGID, 0.1, 1e5, "", ""},
    {"affine",
     "\"type\": \"affine\", \"density\": 800, \"mesh\": {\"box\": {\"size\": [0.2, 0.2, 0.2]}}",
     0.1, 1e5, "", ""},
    {"shell",
     "\"type\": \"shell\", \"mesh\": {\"grid\": {\"size\": [0.3, 0.3], \"cells\": [3, 3]}}, "
     "\"material\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 500}, \"shell\": "
     "{\"thickness\": 0.002}",
     0, 1e3, "", ""},
    {"rod",
     "\"type\": \"rod\", \"mesh\": {\"polyline\": {\"from\": [-0.2, 0, 0], \"to\": [0.2, 0, 0.05], "
     "\"segments\": 5}}, \"material\": {\"young\": 1e6, \"poisson\": 0.3, \"density\": 1000}, "
     "\"rod\": {\"diameter\": 0.01}",
     0, 1e3, "", ""},
    {"particles",
     "\"type\": \"particles\", \"density\": 1000, \"particles\": {\"radius\": 0.02}, \"mesh\": "
     "{\"lattice\": {\"counts\": [2, 1, 2], \"spacing\": [0.1, 0.1, 0.1]}}",
     0, 1e3, "", ""},
    {"hinge", RIGID, 0.1, 1e5, "",
     "\"joints\": [{\"type\": \"hinge\", \"body\": \"thing\", \"point\": [0.1, 0.3, 0], \"axis\": "
     "[0.1, 0, 1], \"turn\": {\"stiffness\": 2, \"damping\": 0.1, \"friction\": 0.05, \"limits\": "
     "[-40, 40], \"drive\": {\"position\": 20, \"stiffness\": 5, \"damping\": 0.2, \"max_effort\": "
     "3}}}],"},
    {"linkage", RIGID, 0.1, 1e5, BASE "}",
     "\"joints\": [{\"type\": \"ball\", \"body\": \"thing\", \"to\": \"base\", \"point\": [0.1, "
     "0.3, "
     "0]}, {\"type\": \"hinge\", \"body\": \"base\", \"point\": [0, 0.5, 0], \"axis\": [0, 0, 1], "
     "\"turn\": {\"drive\": {\"position\": 2}}}],"},
    {"carried", RIGID, 0.1, 1e5, BASE ", \"motion\": {\"velocity\": [0.3, 0, 0]}}",
     "\"joints\": [{\"type\": \"ball\", \"body\": \"thing\", \"to\": \"base\", \"point\": "
     "[0.1, 0.3, 0]}],"},
    {"pushed",
     TET ", \"fix\": {\"nodes\": {\"box\": [[-1, -1, -1], [1, 0.1, 1]]}, \"motion\": "
         "{\"velocity\": [0.2, 0, 0]}}",
     0.1, 1e5, BASE "}",
     "\"attachments\": [{\"body\": \"thing\", \"nodes\": {\"box\": [[-1, 0.15, -1], [1, 1, 1]]}, "
     "\"to\": \"base\"}],"},
    {"attached", TET, 0.1, 1e5, BASE "}",
     "\"attachments\": [{\"body\": \"thing\", \"nodes\": {\"box\": [[-1, 0.15, -1], [1, 1, 1]]}, "
     "\"to\": \"base\"}],"},
    {"driven", TET, 0.1, 1e5,
     BASE ", \"motion\": {\"velocity\": [0.3, 0, 0], \"angular_velocity\": [0, 0, 30]}}",
     "\"attachments\": [{\"body\": \"thing\", \"nodes\": {\"box\": [[-1, 0.15, -1], [1, 1, 1]]}, "
     "\"to\": \"base\"}],"},
    {"pulled", TET, 0.1, 1e5, BASE "}",
     "\"attachments\": [{\"body\": \"thing\", \"nodes\": {\"box\": [[-1, 0.15, -1], [1, 1, 1]]}, "
     "\"to\": \"base\", \"stiffness\": 500, \"damping\": 5}],"},
};

void gradient_cell_scene(const gradient_cell *c, char *text, size_t capacity)
{
    size_t b = 0;
    while (strcmp(bodies[b].name, c->body) != 0) b++;
    char floor[600] = "", contact[300] = "";
    if (c->contact > 0) {
        snprintf(floor, sizeof floor,
                 ", {\"name\": \"floor\", \"type\": \"obstacle\", \"mesh\": {\"box\": {\"size\": "
                 "[2, 0.2, 2], \"cells\": [2, 1, 2]}}, \"translate\": [0.05, -0.1, 0.03], "
                 "\"rotate\": [2, 0, -3], \"motion\": {\"velocity\": [0, 0.05, 0], "
                 "\"angular_velocity\": [0, 0, 2]}}");
        snprintf(contact, sizeof contact,
                 "\"contact\": {\"dhat\": 0.03, \"stiffness\": %g, \"friction\": %g, \"eps_v\": "
                 "0.02, \"friction_iterations\": 2},",
                 bodies[b].stiffness, c->contact == 2 ? 0.3 : 0.0);
    }
    snprintf(
        text, capacity,
        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 4, \"integrator\": \"%s\"}, "
        "\"gravity\": [0.3, -9.8, 0.2], %s %s \"bodies\": [{\"name\": \"thing\", \"velocity\": "
        "[0.6, -0.4, 0.2], \"translate\": [0.013, %g, 0.017], \"rotate\": [7, 11, 5], %s}%s%s]}",
        c->integrator, contact, bodies[b].joints, bodies[b].height + 0.034, bodies[b].text,
        bodies[b].more, floor);
}

static abut_status open_cell(const gradient_cell *c, abut_gradient **g, abut_error *err)
{
    char text[3000];
    double target[3] = {0.1, 0.2, -0.1};
    abut_objective positions = abut_default_objective(), velocities = positions;
    positions.body = velocities.body = "thing";
    positions.target = target;
    positions.target_count = 3;
    velocities.kind = ABUT_OBJECTIVE_VELOCITIES;
    velocities.weight = 0.01;
    velocities.last = false;
    velocities.until = 1;
    gradient_cell_scene(c, text, sizeof text);
    abut_status status = abut_gradient_create_text(text, strlen(text), NULL, NULL, g, err);
    if (status == ABUT_OK) status = abut_gradient_add_objective(*g, &positions, err);
    if (status == ABUT_OK) status = abut_gradient_add_objective(*g, &velocities, err);
    if (status == ABUT_OK) status = abut_gradient_add_parameter(*g, c->kind, c->name, err);
    return status;
}

static double difference(abut_gradient *g, double *values, size_t at, double step, abut_error *err)
{
    double kept = values[at], up = NAN, down = NAN;
    values[at] = kept + step;
    if (abut_gradient_evaluate(g, values, &up, NULL, err) != ABUT_OK) up = NAN;
    values[at] = kept - step;
    if (abut_gradient_evaluate(g, values, &down, NULL, err) != ABUT_OK) down = NAN;
    values[at] = kept;
    return (up - down) / (2 * step);
}

double gradient_cell_error(const gradient_cell *c, char *message, size_t capacity)
{
    static const double STEPS[] = {1e-4, 1e-5, 1e-6};
    abut_error err = {0};
    abut_gradient *g = NULL;
    double best = INFINITY, value = 0;
    abut_status status = open_cell(c, &g, &err);
    size_t n = status == ABUT_OK ? abut_gradient_scalar_count(g) : 0;
    double *values = calloc(n + 1, sizeof *values), *derivative = calloc(n + 1, sizeof *derivative);
    if (status == ABUT_OK) {
        abut_gradient_values(g, values);
        status = abut_gradient_evaluate(g, NULL, &value, derivative, &err);
    }
    for (size_t k = 0; status == ABUT_OK && k < 3; k++) {
        double unit = fmax(fabs(values[c->scalar]), c->kind[0] == 'k' ? 0.01 : 0.1);
        double d = difference(g, values, c->scalar, STEPS[k] * unit, &err);
        /* A derivative of 0 would tell nothing: no cell may have one. */
        double error = d != 0 ? fabs(d - derivative[c->scalar]) / fabs(d) : INFINITY;
        if (error < best) best = error;
    }
    snprintf(message, capacity, "%s %s", err.place, err.message);
    free(values);
    free(derivative);
    abut_gradient_destroy(g);
    return best;
}

double gradient_cell_forward_error(const gradient_cell *c, char *message, size_t capacity)
{
    abut_error err = {0};
    abut_gradient *g = NULL;
    double value, again, most = 1e-3, error = 0;
    abut_status status = open_cell(c, &g, &err);
    size_t n = status == ABUT_OK ? abut_gradient_scalar_count(g) : 0;
    double *backward = calloc(n + 1, sizeof *backward), *forward = calloc(n + 1, sizeof *forward);
    if (status == ABUT_OK) status = abut_gradient_evaluate(g, NULL, &value, backward, &err);
    if (status == ABUT_OK)
        status = abut_gradient_evaluate_forward(g, NULL, &again, forward, NULL, &err);
    if (status == ABUT_OK && !(fabs(value - again) <= 1e-12)) status = ABUT_ERROR_INTERNAL;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(backward[i]));
    for (size_t i = 0; i < n; i++) error = fmax(error, fabs(backward[i] - forward[i]) / most);
    snprintf(message, capacity, "%s %s", err.place, err.message);
    free(backward);
    free(forward);
    abut_gradient_destroy(g);
    return status == ABUT_OK ? error : INFINITY;
}
