/* The table: joints, drives and attachments. */
#include "constraint/joint_kind.h"
#include "scene/scene.h"
#include "scene/schema_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const collide_words[] = {COLLIDE_CHOICES(WORD_TEXT) NULL};

static const schema_field drive_fields[] = {
    {"position", SCHEMA_EXPRESSION, SCHEMA_CHOICE, AT(drive_def, target), .unit = "degrees or m",
     .doc = "Where the coordinate should be, in t. Without `stiffness` it is kept there exactly, "
            "whatever effort that takes."},
    {"velocity", SCHEMA_EXPRESSION, SCHEMA_CHOICE, AT(drive_def, target),
     .unit = "degrees/s or m/s",
     .doc = "How fast it should change, in t; `damping` is the effort per speed that it is off."},
    {"effort", SCHEMA_EXPRESSION, SCHEMA_CHOICE, AT(drive_def, target), .unit = "N m or N",
     .doc = "Torque or force, in t."},
    {"stiffness", SCHEMA_NUMBER, AT(drive_def, stiffness), .initial = "0", AT_LEAST(0),
     .unit = "N m/rad or N/m", .doc = "Effort of a position drive per distance from its target."},
    {"damping", SCHEMA_NUMBER, AT(drive_def, damping), .initial = "0", AT_LEAST(0),
     .unit = "N m s/rad or N s/m",
     .doc = "Effort against the speed of a position drive, or towards that of a velocity drive."},
    {"max_effort", SCHEMA_NUMBER, AT(drive_def, max_effort), .otherwise = INFINITY,
     .absent = "no limit", ABOVE(0), .unit = "N m or N",
     .doc = "Limit of the effort of a position or velocity drive. It is approached smoothly: at "
            "a third of it the drive is 5 % softer."},
};

static void rule_drive(schema_walk *walk, const json_t *object)
{
    bool exact = json_object_get(object, "position") &&
                 json_number_value(json_object_get(object, "stiffness")) == 0;
    bool velocity = json_object_get(object, "velocity") != NULL;
    if (exact && json_object_get(object, "max_effort"))
        schema_rule_problem(walk, "max_effort",
                            "needs a `stiffness`: a position that is kept exactly has no limit");
    if (exact && json_number_value(json_object_get(object, "damping")) > 0)
        schema_rule_problem(walk, "damping", "needs a `stiffness` beside it");
    if (velocity && !(json_number_value(json_object_get(object, "damping")) > 0))
        schema_rule_problem(walk, "damping", "is missing; a velocity drive needs it");
    if (!json_object_get(object, "position") &&
        json_number_value(json_object_get(object, "stiffness")) > 0)
        schema_rule_problem(walk, "stiffness", "is for drives of a `position`");
}

static const schema_type drive_type = {
    .name = "drive",
    .doc = "A motor. Expressions are in t, the time at the end of the step.",
    FIELDS(drive_fields),
    STRUCT(drive_def),
    CHOSEN(drive_def, kind),
    .rule = rule_drive,
    .rule_doc = "A drive of a velocity needs `damping`; `max_effort` needs a drive that is not "
                "exact.",
};

static const schema_field axis_fields[] = {
    {"limits", SCHEMA_VECTOR, AT(joint_axis_def, limits), GIVEN(joint_axis_def, limited),
     .count = 2, .absent = "none", .unit = "degrees or m",
     .doc = "Lowest and highest value, never reached. Turns are counted."},
    {"start", SCHEMA_NUMBER, AT(joint_axis_def, start), .initial = "0", .unit = "degrees or m",
     .doc = "Value of the coordinate at the start of the scene."},
    {"friction", SCHEMA_NUMBER, AT(joint_axis_def, friction), .initial = "0", AT_LEAST(0),
     .unit = "N m or N",
     .doc = "Constant friction; below a thousandth of a radian (or of l) per second it counts as "
            "static."},
    {"damping", SCHEMA_NUMBER, AT(joint_axis_def, damping), .initial = "0", AT_LEAST(0),
     .unit = "N m s/rad or N s/m", .doc = "Effort against the speed."},
    {"stiffness", SCHEMA_NUMBER, AT(joint_axis_def, stiffness), .initial = "0", AT_LEAST(0),
     .unit = "N m/rad or N/m", .doc = "Of a spring."},
    {"rest", SCHEMA_NUMBER, AT(joint_axis_def, rest), .initial = "0", .unit = "degrees or m",
     .doc = "Where that spring is at rest."},
    {"drive", SCHEMA_OBJECT, AT(joint_axis_def, drive), GIVEN(joint_axis_def, driven),
     .type = &drive_type, .absent = "none", .doc = "A motor."},
};

static double entry(const json_t *object, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(object, key), i));
}

static void rule_axis(schema_walk *walk, const json_t *object)
{
    if (json_object_get(object, "limits") &&
        !(entry(object, "limits", 0) < entry(object, "limits", 1)))
        schema_rule_problem(walk, "limits", "the first must be below the second, found %g and %g",
                            entry(object, "limits", 0), entry(object, "limits", 1));
    double start = json_number_value(json_object_get(object, "start"));
    if (json_object_get(object, "limits") &&
        !(entry(object, "limits", 0) < start && start < entry(object, "limits", 1)))
        schema_rule_problem(walk, "start", "%g is not between the limits %g and %g", start,
                            entry(object, "limits", 0), entry(object, "limits", 1));
}

static const schema_type axis_type = {
    .name = "joint_axis",
    .doc =
        "What acts along a coordinate of a joint: the angle about its axis, or the slide along it.",
    FIELDS(axis_fields),
    STRUCT(joint_axis_def),
    .rule = rule_axis,
    .rule_doc = "The first of `limits` must be below the second, and `start` between them.",
};

static json_t *joint_name(const char *file, size_t index)
{
    (void)file;
    return json_sprintf("joint%zu", index);
}

static json_t *attachment_name(const char *file, size_t index)
{
    (void)file;
    return json_sprintf("attachment%zu", index);
}

static const schema_field joint_fields[] = {
    {"name", SCHEMA_STRING, SCHEMA_IS_NAME, AT(joint_def, name), .make_initial = joint_name,
     .absent = "`joint0`, `joint1`, ... by position", .doc = "Name in messages and output."},
    {"type", SCHEMA_WORD, SCHEMA_REQUIRED, AT(joint_def, type), .words = joint_kind_words,
     .doc = "What is constrained (docs/joints.md)."},
    {"body", SCHEMA_STRING, AT(joint_def, body), .absent = "see below",
     .doc = "A rigid or affine body; coordinates count its motion relative to `to`."},
    {"to", SCHEMA_STRING, AT(joint_def, to), .initial = "\"world\"",
     .doc = "The other rigid or affine body, an obstacle that stays where it is, or `world`."},
    {"point", SCHEMA_VECTOR, AT(joint_def, point), .count = 3, .initial = "[0, 0, 0]", .unit = "m",
     .doc = "Where the joint is at the start."},
    {"to_point", SCHEMA_VECTOR, AT(joint_def, to_point), GIVEN(joint_def, has_to_point), .count = 3,
     .absent = "`point`", .unit = "m",
     .doc = "The point of `to` at the start, for joints of two points."},
    {"axis", SCHEMA_VECTOR, AT(joint_def, axis), GIVEN(joint_def, has_axis), .count = 3,
     .absent = "see below",
     .doc = "Direction of the axis at the start; its length does not matter."},
    {"axis2", SCHEMA_VECTOR, AT(joint_def, axis2), GIVEN(joint_def, has_axis2), .count = 3,
     .absent = "see below", .doc = "Universal joints: the axis of `body`; `axis` is that of `to`."},
    {"length", SCHEMA_NUMBER, AT(joint_def, length), GIVEN(joint_def, has_length),
     .absent = "that at the start", AT_LEAST(0), .unit = "m",
     .doc = "Length that `distance` keeps, and from which the slide of a `spring` counts."},
    {"lead", SCHEMA_NUMBER, AT(joint_def, lead), .absent = "see below", .bounds = NOT_ZERO,
     .unit = "m", .doc = "Slide of a screw per turn; negative: left-handed."},
    {"turn", SCHEMA_OBJECT, AT(joint_def, turn), GIVEN(joint_def, has_turn), .type = &axis_type,
     .absent = "free", .doc = "What acts along the angle about the axis."},
    {"slide", SCHEMA_OBJECT, AT(joint_def, slide), GIVEN(joint_def, has_slide), .type = &axis_type,
     .absent = "free", .doc = "What acts along the axis, or between two points."},
    {"first", SCHEMA_STRING, AT(joint_def, first), .absent = "see below",
     .doc = "Gears: name of a joint; its coordinate is `ratio` times that of `second` plus "
            "`offset`. Angles go before slides."},
    {"second", SCHEMA_STRING, AT(joint_def, second), .absent = "see below",
     .doc = "Gears: name of the other joint."},
    {"ratio", SCHEMA_NUMBER, AT(joint_def, ratio), .initial = "1", .bounds = NOT_ZERO,
     .doc = "Gears: with angles in radians; a rack has the radius of its pinion (m)."},
    {"offset", SCHEMA_NUMBER, AT(joint_def, offset), .initial = "0", .unit = "degrees or m",
     .doc = "Gears."},
    {"break_force", SCHEMA_NUMBER, AT(joint_def, break_force), .otherwise = INFINITY,
     .absent = "it never breaks", ABOVE(0), .unit = "N",
     .doc = "The joint is gone after a step in which its force is above this."},
    {"break_torque", SCHEMA_NUMBER, AT(joint_def, break_torque), .otherwise = INFINITY,
     .absent = "it never breaks", ABOVE(0), .unit = "N m", .doc = "The same with its torque."},
    {"collide", SCHEMA_WORD, AT(joint_def, collide), .words = collide_words, .initial = "\"auto\"",
     .doc = "Whether the two bodies collide: `auto` if they are further apart than dhat at the "
            "start."},
};

static bool is_zero(const json_t *object, const char *key)
{
    return entry(object, key, 0) == 0 && entry(object, key, 1) == 0 && entry(object, key, 2) == 0;
}

/* A key that must, or must not, be there for this kind. */
static void want(schema_walk *walk, const json_t *object, const char *key, bool wanted,
                 const char *type)
{
    bool given = json_object_get(object, key) != NULL;
    if (wanted && !given)
        schema_rule_problem(walk, key, "is missing; a joint of type \"%s\" needs it", type);
    if (!wanted && given) schema_rule_problem(walk, key, "is not for joints of type \"%s\"", type);
}

static void refuse(schema_walk *walk, const json_t *object, const char *key, bool possible,
                   const char *type)
{
    if (!possible && json_object_get(object, key))
        schema_rule_problem(walk, key, "is not for joints of type \"%s\"", type);
}

static void rule_joint(schema_walk *walk, const json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    const joint_kind *kind = &joint_kinds[joint_kind_named(type)];
    bool gear = kind->holds & HOLDS_COUPLED;
    want(walk, object, "body", !gear, type);
    want(walk, object, "first", gear, type);
    want(walk, object, "second", gear, type);
    want(walk, object, "axis", kind->has & NEEDS_AXIS, type);
    want(walk, object, "axis2", kind->has & NEEDS_AXIS2, type);
    want(walk, object, "lead", kind->has & NEEDS_LEAD, type);
    refuse(walk, object, "turn", kind->has & HAS_TURN, type);
    refuse(walk, object, "slide", kind->has & (HAS_SLIDE | HAS_LENGTH), type);
    bool two = (kind->holds & HOLDS_LENGTH) || (kind->has & HAS_LENGTH);
    refuse(walk, object, "length", two, type);
    refuse(walk, object, "to_point", two, type);
    for (int k = 0; k < 2; k++) {
        const char *key = k == 0 ? "axis" : "axis2";
        if (json_object_get(object, key) && is_zero(object, key))
            schema_rule_problem(walk, key, "must not be the zero vector");
    }
    const char *body = json_string_value(json_object_get(object, "body"));
    if (body && strcmp(body, json_string_value(json_object_get(object, "to"))) == 0)
        schema_rule_problem(walk, "to", "is \"%.60s\" as well; a joint has two sides", body);
}

const schema_type schema_joint = {
    .name = "joint",
    .doc = "A joint between two rigid or affine bodies, or one and the world.",
    FIELDS(joint_fields),
    STRUCT(joint_def),
    .rule = rule_joint,
    .rule_doc =
        "All types but `gear` need `body`; `gear` needs `first` and `second`. `hinge`, "
        "`slider`, `cylindrical`, `screw`, `universal`, `planar`, `point-on-line`, "
        "`point-on-plane` and `free` need `axis`, `screw` a `lead`, `universal` an `axis2`.",
};

static const schema_field attachment_fields[] = {
    {"name", SCHEMA_STRING, SCHEMA_IS_NAME, AT(attachment_def, name),
     .make_initial = attachment_name, .absent = "`attachment0`, `attachment1`, ... by position",
     .doc = "Name in messages and output."},
    {"body", SCHEMA_STRING, SCHEMA_REQUIRED, AT(attachment_def, body), .doc = "A body with nodes."},
    {"nodes", SCHEMA_OBJECT, AT(attachment_def, nodes), .type = &schema_selector,
     .initial = "\"all\"", .doc = "Which of its nodes."},
    {"to", SCHEMA_STRING, AT(attachment_def, to), .initial = "\"world\"",
     .doc = "What they are attached to: a rigid or affine body, the nearest places of the surface "
            "of another body with nodes, or `world`."},
    {"within", SCHEMA_LENGTH, AT(attachment_def, within), GIVEN(attachment_def, has_within),
     .absent = "all of them", ABOVE(0), .unit = "m",
     .doc = "Only nodes that are nearer than this to the surface of `to`."},
    {"stiffness", SCHEMA_NUMBER, AT(attachment_def, stiffness), .absent = "exact", ABOVE(0),
     .unit = "N/m", .doc = "Of a spring per node that takes the place of an exact attachment."},
    {"damping", SCHEMA_NUMBER, AT(attachment_def, damping), .initial = "0", AT_LEAST(0),
     .unit = "N s/m", .doc = "Of these springs: force per speed at which the two points part."},
    {"close", SCHEMA_BOOL, AT(attachment_def, close), .initial = "false",
     .doc = "Whether nodes are pulled onto the surface, as by sewing, instead of kept where they "
            "are relative to it. Needs a `stiffness`."},
    {"break_force", SCHEMA_NUMBER, AT(attachment_def, break_force), .otherwise = INFINITY,
     .absent = "it never breaks", ABOVE(0), .unit = "N",
     .doc = "The attachment of a node is gone after a step in which its force is above this."},
};

static void rule_attachment(schema_walk *walk, const json_t *object)
{
    if (json_is_true(json_object_get(object, "close")) && !json_object_get(object, "stiffness"))
        schema_rule_problem(walk, "close", "needs a `stiffness`");
    if (json_number_value(json_object_get(object, "damping")) > 0 &&
        !json_object_get(object, "stiffness"))
        schema_rule_problem(walk, "damping", "needs a `stiffness`");
}

const schema_type schema_attachment = {
    .name = "attachment",
    .doc = "Nodes of a body that are attached to another one, or to the world.",
    FIELDS(attachment_fields),
    STRUCT(attachment_def),
    .rule = rule_attachment,
    .rule_doc = "`close` and `damping` need a `stiffness`.",
};

/* ---------------------------------------------------------------------------------------------- */
/* Names across the scene                                                                         */

static const char *word_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const json_t *find_named(const json_t *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word_of(json_array_get(list, i), "name"), name) == 0)
            return json_array_get(list, i);
    return NULL;
}

/* An obstacle is as good as the world, if it does not move. */
static void check_still(schema_walk *walk, const json_t *body, const char *place, const char *name)
{
    if (json_array_size(json_object_get(body, "motion")) > 0 ||
        json_object_get(body, "displacement") || json_object_get(body, "sequence"))
        schema_rule_problem(walk, place,
                            "the obstacle \"%.60s\" moves; joints need a rigid body with a motion "
                            "instead",
                            name);
}

/* rigid: 1 the body must be rigid or affine, 0 it must have nodes, -1 either. */
static void check_body(schema_walk *walk, const json_t *scene, const char *list, size_t i,
                       const char *key, const char *name, int rigid)
{
    char place[80];
    snprintf(place, sizeof place, "%s[%zu].%s", list, i, key);
    const json_t *bodies = json_object_get(scene, "bodies");
    const json_t *body = find_named(bodies, json_array_size(bodies), name);
    if (!body) {
        schema_rule_problem(walk, place, "there is no body \"%.60s\"", name);
        return;
    }
    const body_row *row = body_row_named(word_of(body, "type"));
    if (!json_is_true(json_object_get(body, "enabled")))
        schema_rule_problem(walk, place, "the body \"%.60s\" is not enabled", name);
    else if (json_is_true(json_object_get(body, "split")))
        schema_rule_problem(walk, place,
                            "the body \"%.60s\" is `split`; joints need a body of its own", name);
    else if (row && rigid == 1 && row->obstacle && strcmp(key, "to") == 0)
        check_still(walk, body, place, name);
    else if (row && rigid == 1 && !row->whole)
        schema_rule_problem(walk, place,
                            "\"%.60s\" is \"%s\"; joints are for rigid and affine "
                            "bodies, others have `attachments`",
                            name, word_of(body, "type"));
    else if (row && rigid == 0 && row->whole)
        schema_rule_problem(walk, place,
                            "\"%.60s\" is \"%s\" and has no nodes; it has `joints` instead", name,
                            word_of(body, "type"));
}

static void check_joint(schema_walk *walk, const json_t *scene, const json_t *joints, size_t i)
{
    static const char *const keys[] = {"first", "second"};
    const json_t *joint = json_array_get(joints, i);
    char place[80];
    const char *name = word_of(joint, "name");
    if (find_named(joints, i, name)) {
        snprintf(place, sizeof place, "joints[%zu].name", i);
        schema_rule_problem(walk, place, "\"%.60s\" is already the name of a joint", name);
    }
    for (int k = 0; k < 2; k++) {
        const char *other = word_of(joint, keys[k]);
        if (!other) continue;
        const json_t *found = find_named(joints, i, other);
        snprintf(place, sizeof place, "joints[%zu].%s", i, keys[k]);
        if (!found)
            schema_rule_problem(walk, place, "there is no joint \"%.60s\" before this one", other);
        else if (!(joint_kinds[joint_kind_named(word_of(found, "type"))].has &
                   (HAS_TURN | HAS_SLIDE | HAS_LENGTH)))
            schema_rule_problem(walk, place,
                                "the joint \"%.60s\" is \"%s\", which has no angle "
                                "and no slide",
                                other, word_of(found, "type"));
    }
    const char *body = word_of(joint, "body"), *to = word_of(joint, "to");
    if (body) check_body(walk, scene, "joints", i, "body", body, 1);
    if (body && strcmp(to, "world") != 0) check_body(walk, scene, "joints", i, "to", to, 1);
}

void check_joints(schema_walk *walk, const json_t *scene)
{
    const json_t *joints = json_object_get(scene, "joints");
    const json_t *attachments = json_object_get(scene, "attachments");
    size_t joint_count = json_array_size(joints), count = json_array_size(attachments);
    if (joint_count + count == 0) return;
    const char *key = joint_count > 0 ? "joints" : "attachments";
    if (schema_has_word(scene, "stepper", "mlcp"))
        schema_rule_problem(walk, key, "are for the stepper \"barrier\"");
    if (json_object_get(scene, "remesh"))
        schema_rule_problem(walk, key, "do not go with `remesh` yet");
    for (size_t i = 0; i < joint_count; i++) check_joint(walk, scene, joints, i);
    for (size_t i = 0; i < count; i++) {
        const json_t *a = json_array_get(attachments, i);
        check_body(walk, scene, "attachments", i, "body", word_of(a, "body"), 0);
        if (strcmp(word_of(a, "to"), "world") != 0)
            check_body(walk, scene, "attachments", i, "to", word_of(a, "to"), -1);
        if (strcmp(word_of(a, "to"), word_of(a, "body")) == 0) {
            char place[80];
            snprintf(place, sizeof place, "attachments[%zu].to", i);
            schema_rule_problem(walk, place, "must be another body");
        }
    }
}
