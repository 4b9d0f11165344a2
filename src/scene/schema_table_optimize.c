/* The table, part on optimisation: objectives, parameters, and the method. */
#include "scene/scene.h"
#include "scene/schema_table.h"

#include <stdio.h>

static const char *const objective_words[] = {OBJECTIVE_KINDS(WORD_TEXT) NULL};
static const char *const method_words[] = {OPTIMIZE_METHODS(WORD_TEXT) NULL};

static const schema_field objective_fields[] = {
    {"kind", SCHEMA_WORD, AT(objective_def, kind), .words = objective_words,
     .initial = "\"positions\"",
     .doc = "What is measured: half the squared distance of positions or velocities of nodes, of a "
            "centre of mass or of the force of contact from their targets, or of every node from "
            "the nearest of the targets (`cloud`); energies; a smooth maximum of the stress in a "
            "body of linear tetrahedra (`stress`)."},
    {"body", SCHEMA_STRING, AT(objective_def, body), .absent = "all bodies",
     .doc = "Name of the body."},
    {"weight", SCHEMA_NUMBER, AT(objective_def, weight), .initial = "1",
     .doc = "Factor; the objective of a run is the sum of all."},
    {"targets", SCHEMA_ROWS, AT_LIST(objective_def, targets, target_count), .count = 3,
     .initial = "[]", .doc = "Points, or vectors: one, or one per node. None: 0."},
    {"trajectory", SCHEMA_ROWS, AT_LIST(objective_def, trajectory, trajectory_count), .count = 4,
     .initial = "[]",
     .doc = "Instead: rows of time, x, y, z. Each counts at the step that ends nearest to its time "
            "(s)."},
    {"from", SCHEMA_NUMBER, AT(objective_def, from), GIVEN(objective_def, has_from),
     .absent = "the end of the run only", .unit = "s",
     .doc = "First time at which it counts; it is then summed over steps."},
    {"until", SCHEMA_NUMBER, AT(objective_def, until), GIVEN(objective_def, has_until),
     .absent = "the end", .unit = "s", .doc = "Last time at which it counts."},
};

static void rule_objective(schema_walk *walk, const json_t *object)
{
    if (json_array_size(json_object_get(object, "trajectory")) == 0) return;
    static const char *const others[] = {"from", "until"};
    if (json_array_size(json_object_get(object, "targets")) > 0)
        schema_rule_problem(walk, "targets", "does not go with `trajectory`");
    for (size_t i = 0; i < 2; i++)
        if (json_object_get(object, others[i]))
            schema_rule_problem(walk, others[i], "does not go with `trajectory`");
}

static const schema_type objective_type = {
    .name = "objective",
    .doc = "A number that is read off a run ([gradients](gradients.md)).",
    FIELDS(objective_fields),
    STRUCT(objective_def),
    .rule = rule_objective,
    .rule_doc = "`trajectory` has its own times and targets.",
};

static const schema_field parameter_fields[] = {
    {"key", SCHEMA_STRING, SCHEMA_CHOICE, AT(parameter_def, name),
     .doc = "Path of any number of the scene, such as `bodies[ball].velocity[0]`."},
    {"initial_positions", SCHEMA_STRING, SCHEMA_CHOICE, AT(parameter_def, name),
     .doc = "Of the body of this name: 3 per block."},
    {"initial_velocities", SCHEMA_STRING, SCHEMA_CHOICE, AT(parameter_def, name),
     .doc = "The same of velocities."},
    {"rest_positions", SCHEMA_STRING, SCHEMA_CHOICE, AT(parameter_def, name),
     .doc = "Rest positions of the nodes of a solid of linear tetrahedra."},
    {"shape", SCHEMA_STRING, SCHEMA_CHOICE, AT(parameter_def, name),
     .doc = "The same, and the positions at the start with them."},
    {"young", SCHEMA_STRING, SCHEMA_CHOICE, AT(parameter_def, name),
     .doc = "Young's moduli, one per element of a solid."},
    {"poisson", SCHEMA_STRING, SCHEMA_CHOICE, AT(parameter_def, name),
     .doc = "Poisson's ratios, the same."},
    {"forces", SCHEMA_STRING, SCHEMA_CHOICE, AT(parameter_def, name),
     .doc = "Constant forces, 3 per node."},
    {"min", SCHEMA_NUMBER, AT(parameter_def, low), .otherwise = -INFINITY, .absent = "none",
     .doc = "Least value."},
    {"max", SCHEMA_NUMBER, AT(parameter_def, high), .otherwise = INFINITY, .absent = "none",
     .doc = "Largest value."},
    {"change", SCHEMA_NUMBER, AT(parameter_def, change), .otherwise = INFINITY, ABOVE(0),
     .absent = "any", .doc = "Largest change of each number from its value in the scene."},
    {"size", SCHEMA_NUMBER, AT(parameter_def, size), ABOVE(0), .otherwise = 0,
     .absent = "the value in the scene, or 1 where that is 0; of fields the largest",
     .doc = "What counts as a notable change: methods work on the value divided by this."},
    {"log", SCHEMA_BOOL, AT(parameter_def, log), .initial = "false",
     .doc = "Methods work on the logarithm: for moduli, densities and stiffnesses."},
};

static void rule_parameter(schema_walk *walk, const json_t *object)
{
    const json_t *low = json_object_get(object, "min"), *high = json_object_get(object, "max");
    if (low && high && !(json_number_value(low) < json_number_value(high)))
        schema_rule_problem(walk, "min", "is not below `max`");
    if (json_is_true(json_object_get(object, "log")) && low && !(json_number_value(low) > 0))
        schema_rule_problem(walk, "min", "must be above 0 with `log`");
    if (json_is_true(json_object_get(object, "log")) && json_object_get(object, "size"))
        schema_rule_problem(walk, "size", "does not go with `log`");
}

static const schema_type parameter_type = {
    .name = "parameter",
    .doc = "What is changed.",
    FIELDS(parameter_fields),
    STRUCT(parameter_def),
    CHOSEN(parameter_def, field),
    .rule = rule_parameter,
    .rule_doc = "`min` must be below `max`; `log` needs positive numbers, and has no `size`.",
};

static const schema_field optimize_fields[] = {
    {"objectives", SCHEMA_LIST, SCHEMA_REQUIRED | SCHEMA_OR_ONE,
     AT_LIST(optimize_def, objectives, objective_count), .type = &objective_type,
     .doc = "What is made small: their sum."},
    {"parameters", SCHEMA_LIST, SCHEMA_REQUIRED | SCHEMA_OR_ONE,
     AT_LIST(optimize_def, parameters, parameter_count), .type = &parameter_type,
     .doc = "By changing what."},
    {"method", SCHEMA_WORD, AT(optimize_def, method), .words = method_words, .initial = "\"lbfgs\"",
     .doc = "Method: `lbfgs`, quasi-Newton with bounds, for any number of parameters; `slsqp`, the "
            "same "
            "with a dense matrix, for some hundred; `mma`, moving asymptotes, small steps where "
            "the objective has kinks; these are of the library NLopt. `levenberg-marquardt`: "
            "least squares, the fewest runs where the objectives are distances to targets, for at "
            "most 200 numbers."},
    {"evaluations", SCHEMA_INTEGER, AT(optimize_def, evaluations), .initial = "50",
     FROM_TO(1, 1000000), .doc = "Runs at most."},
    {"tolerance", SCHEMA_NUMBER, AT(optimize_def, tolerance), .initial = "1e-6", AT_LEAST(0),
     .doc = "Ends when the objective changes by less, relatively."},
    {"goal", SCHEMA_NUMBER, AT(optimize_def, goal), .otherwise = -INFINITY, .absent = "none",
     .doc = "Ends when the objective is as small as this."},
    {"newton_tolerance", SCHEMA_NUMBER, AT(optimize_def, newton_tolerance), .otherwise = 0,
     ABOVE(0), .absent = "1e-6", .unit = "m/s, or m",
     .doc = "Tolerance of Newton's method, in place of `solver.tolerance`; steps are polished "
            "beyond it."},
    {"snapshots", SCHEMA_INTEGER, AT(optimize_def, snapshots), .initial = "0", FROM_TO(0, 1000000),
     .doc = "States of a run that are kept in memory; others are made again. 0: all are kept."},
};

const schema_type schema_optimize = {
    .name = "optimize",
    .doc = "What `abut optimize` changes, and what it makes small; other commands do not look at "
           "it.",
    FIELDS(optimize_fields),
    STRUCT(optimize_def),
};
