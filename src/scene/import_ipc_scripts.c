/* Script kinds that fix or move nodes by their position, and the kind "null", whose conditions
 * stand in the lines of the shapes. */
#include "scene/import_ipc.h"

#include "base/file.h"
#include "math/rotation.h"
#include "mesh/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* --- Helpers --- */

abut_status ipc_kind_error(const ipc_script *s, abut_status code, abut_error *err,
                           const char *format, ...)
{
    char place[256], message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "%.200s:%d", s->path, s->kind.line);
    return error_set(err, code, place, "script %s: %s", s->kind.word, message);
}

double ipc_steps_for(double distance, double speed, double step)
{
    return fmax(0, ceil(distance / (speed * step) - 1e-9));
}

/* Axis of a rotation times its angle in degrees. */
static vec3 degrees_of(mat3 r)
{
    vec3 axis = {r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0], r.m[1][0] - r.m[0][1]};
    double sine = 0.5 * vec3_norm(axis);
    double cosine = 0.5 * (r.m[0][0] + r.m[1][1] + r.m[2][2] - 1);
    return vec3_scale(atan2(sine, cosine) * 180 / PI, vec3_normalize(axis));
}

vec3 ipc_spin(vec3 rates, double step)
{
    int axes = (rates.x != 0) + (rates.y != 0) + (rates.z != 0);
    if (axes <= 1) return rates;
    vec3 angles = vec3_scale(PI / 180 * step, rates);
    mat3 x = rotation_matrix(vec3_make(angles.x, 0, 0));
    mat3 y = rotation_matrix(vec3_make(0, angles.y, 0));
    mat3 z = rotation_matrix(vec3_make(0, 0, angles.z));
    return vec3_scale(1 / step, degrees_of(mat3_mul(mat3_mul(x, y), z)));
}

static json_t *motions_json(const ipc_motion *motions, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (vec3_norm2(motions[i].velocity) > 0 || vec3_norm2(motions[i].spin) > 0)
            json_array_append_new(list, ipc_json_motion(&motions[i]));
    return list;
}

typedef struct prescription {
    const ipc_motion *motions;
    size_t motion_count;
    double from, until;
} prescription;

static json_t *holding_json(const prescription *h, json_t *nodes)
{
    json_t *fix = json_object(), *motions = motions_json(h->motions, h->motion_count);
    json_object_set_new(fix, "nodes", nodes);
    if (h->from > 0) json_object_set_new(fix, "from", json_real(h->from));
    if (isfinite(h->until)) json_object_set_new(fix, "until", json_real(h->until));
    if (json_array_size(motions) > 0) json_object_set(fix, "motion", motions);
    json_decref(motions);
    return fix;
}

/* Prescribes the nodes that are marked (all when marked is NULL). */
static abut_status prescribe(const ipc_script *s, ipc_shape *shape, const bool *marked,
                             const prescription *h, abut_error *err)
{
    json_t *list = json_array();
    size_t count = 0;
    for (size_t v = 0; marked && v < shape->placed.mesh.vertex_count; v++)
        if (marked[v]) {
            json_array_append_new(list, json_integer((json_int_t)v));
            count++;
        }
    bool all = !marked || count == shape->placed.mesh.vertex_count;
    abut_status status = ABUT_OK;
    if (shape->dimension < 3) {
        json_t *motions = motions_json(h->motions, h->motion_count);
        if (all)
            json_array_extend(shape->motions, motions);
        else if (count > 0 && json_array_size(motions) > 0)
            status = ipc_kind_error(s, ABUT_ERROR_UNSUPPORTED, err,
                                    "it moves a part of an obstacle (line %d); only whole "
                                    "obstacles can move",
                                    shape->line);
        json_decref(motions);
    } else if (all || count > 0) {
        json_t *nodes = all ? json_string("all") : json_pack("{s: O}", "list", list);
        json_array_append_new(shape->fixes, holding_json(h, nodes));
    }
    json_decref(list);
    return status;
}

abut_status ipc_move_shape(ipc_shape *shape, const ipc_motion *motions, size_t count,
                           abut_error *err)
{
    return prescribe(NULL, shape, NULL, &(prescription){motions, count, 0, INFINITY}, err);
}

static void shift(ipc_script *s, vec3 by)
{
    for (size_t i = 0; i < s->shapes.count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++)
            shape->placed.position[v] = vec3_add(shape->placed.position[v], by);
        shape->placed.offset = vec3_add(shape->placed.offset, by);
    }
    ipc_update_bounds(s);
}

/* --- The kind "null": conditions of the shapes --- */

/* Nodes on the surface, in a box relative to the bounding box of the mesh file. */
static abut_status mark_box(const ipc_shape *shape, const ipc_condition *c, bool *marked,
                            abut_error *err)
{
    const mesh *m = &shape->placed.mesh;
    mesh solid = *m; /* borrowed */
    const cell_block *tets = mesh_find(m, CELL_TET);
    if (shape->dimension == 3) {
        solid.block_count = 1;
        solid.blocks[0] = *tets;
    }
    vec3 low, high;
    mesh_bounds(m, &low, &high);
    vec3 size = vec3_sub(high, low);
    surface_parts parts;
    TRY(mesh_surface(&solid, &parts, err));
    for (size_t i = 0; i < parts.point_count; i++) {
        vec3 x = m->vertices[parts.points[i]];
        bool in = true;
        for (int axis = 0; axis < 3; axis++) {
            double from = vec3_get(size, axis) * vec3_get(c->low, axis) + vec3_get(low, axis);
            double to = vec3_get(size, axis) * vec3_get(c->high, axis) + vec3_get(low, axis);
            in = in && vec3_get(x, axis) >= from && vec3_get(x, axis) <= to;
        }
        marked[parts.points[i]] = in;
    }
    surface_parts_free(&parts);
    return ABUT_OK;
}

static void add_force(ipc_shape *shape, const bool *marked, const ipc_condition *c, double from,
                      double until)
{
    json_t *list = json_array(), *force = json_object();
    for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++)
        if (marked[v]) json_array_append_new(list, json_integer((json_int_t)v));
    if (json_array_size(list) > 0 && shape->dimension == 3) {
        json_object_set_new(force, "nodes", json_pack("{s: O}", "list", list));
        if (from > 0) json_object_set_new(force, "from", json_real(from));
        if (isfinite(until)) json_object_set_new(force, "until", json_real(until));
        json_object_set_new(force, "acceleration", ipc_json_vector(c->velocity));
        json_array_append(shape->forces, force);
    }
    json_decref(list);
    json_decref(force);
}

static abut_status apply_condition(const ipc_script *s, ipc_shape *shape, const ipc_condition *c,
                                   abut_error *err)
{
    bool *marked = mem_calloc(shape->placed.mesh.vertex_count, sizeof *marked);
    if (!marked) return error_memory(err, "reading a script");
    abut_status status = mark_box(shape, c, marked, err);
    double from = fmax(c->from, c->force ? s->force.from : s->fix.from);
    double until = fmin(c->until, c->force ? s->force.until : s->fix.until);
    ipc_motion motion = ipc_translation(from, until, c->velocity);
    motion.spin = ipc_spin(c->spin, s->step);
    size_t count = 0;
    for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++) count += marked[v];
    if (status == ABUT_OK && count == 0)
        log_message(s->log, ABUT_LOG_WARNING, "%s:%d: %s: the box contains no nodes", s->path,
                    shape->line, c->force ? "NBC" : "DBC");
    else if (status == ABUT_OK && until > from && c->force)
        add_force(shape, marked, c, from, until);
    else if (status == ABUT_OK && until > from)
        status = prescribe(s, shape, marked, &(prescription){&motion, 1, from, until}, err);
    mem_free(marked);
    return status;
}

/* Lumped centre of mass: of a mesh with one density that is the mean of the tets' centres. */
static vec3 center_of_mass(const ipc_shape *shape)
{
    const cell_block *tets = mesh_find(&shape->placed.mesh, CELL_TET);
    vec3 sum = {0};
    double volume = 0;
    for (size_t t = 0; t < tets->count; t++) {
        const int32_t *n = tets->nodes + t * (size_t)tets->nodes_per_cell;
        vec3 middle = {0};
        for (int k = 0; k < 4; k++)
            middle = vec3_mul_add(middle, 0.25, shape->placed.position[n[k]]);
        double v = tet_volume(shape->placed.position[n[0]], shape->placed.position[n[1]],
                              shape->placed.position[n[2]], shape->placed.position[n[3]]);
        sum = vec3_mul_add(sum, v, middle);
        volume += v;
    }
    return volume != 0 ? vec3_scale(1 / volume, sum) : ipc_center(shape);
}

/* initVel turns about the centre of the bounding box, the native form about that of mass. */
static void set_start_velocity(ipc_shape *shape)
{
    vec3 arm = vec3_sub(center_of_mass(shape), ipc_center(shape));
    shape->placed.spin = shape->initial_spin;
    shape->placed.velocity =
        vec3_add(shape->initial_velocity, vec3_cross(shape->initial_spin, arm));
}

/* Numbered meshes, one per step; vertices are taken as they are in the files. Segments and points
 * may come from OBJ files. */
static json_t *sequence_json(const char *folder, const ipc_shape *shape, int first)
{
    static const char *const extensions[] = {"pt", "seg", "obj", "msh"};
    const char *extension = extensions[shape->dimension];
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/%d.%s", folder, first, extension);
    if (!file_exists(path) && shape->dimension < 2) extension = "obj";
    return json_pack("{s: s, s: s, s: i}", "folder", folder, "extension", extension, "first",
                     first);
}

static abut_status apply_null(ipc_script *s, abut_error *err)
{
    for (size_t i = 0; i < s->shapes.count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        ipc_motion motion = {
            0, INFINITY, shape->velocity, ipc_spin(shape->spin, s->step), true, ipc_center(shape)};
        if (shape->has_velocity || shape->has_spin)
            TRY(prescribe(s, shape, NULL, &(prescription){&motion, 1, 0, INFINITY}, err));
        if (shape->has_initial && shape->dimension == 3) set_start_velocity(shape);
        if (shape->sequence) shape->frames = sequence_json(shape->sequence, shape, 0);
        for (size_t c = 0; c < shape->conditions.count; c++)
            TRY(apply_condition(s, shape, &shape->conditions.data[c], err));
    }
    return ABUT_OK;
}

/* --- Kinds that follow a table --- */

/* What a rule does after a while. */
typedef enum rule_end { FOREVER, STOP, RELEASE, REVERSE, SWING } rule_end;

/* Nodes strictly inside a box, relative to the bounding box of all shapes (0 to 1), or of a border,
 * or both. */
typedef struct rule {
    int border; /* 1, 2: nodes within handleRatio of the left or right end at rest */
    vec3 low, high;
    vec3 velocity;
    vec3 spin; /* about the middle of the scene, deg/s */
    rule_end end;
    double distance, speed; /* STOP, RELEASE, REVERSE: after distance / speed */
    double lower, upper;    /* SWING: turns back at these displacements */
} rule;

enum { MAX_RULES = 4, SHIFT_FALL = 1, SHIFT_SWING = 2 };

typedef struct kind_def {
    const char *name;
    int shift;
    rule rules[MAX_RULES];
    int rule_count;
} kind_def;

#define FAR INFINITY
/* The box between these values on each axis. */
#define BOX(xl, xh, yl, yh, zl, zh) .low = {xl, yl, zl}, .high = {xh, yh, zh}
#define LEFT(r) .low = {-FAR, -FAR, -FAR}, .high = {r, FAR, FAR}
#define RIGHT(r) .low = {1 - (r), -FAR, -FAR}, .high = {FAR, FAR, FAR}
#define BOTTOM(r) .low = {-FAR, -FAR, -FAR}, .high = {FAR, r, FAR}
#define TOP(r) .low = {-FAR, 1 - (r), -FAR}, .high = {FAR, FAR, FAR}

static const kind_def kinds[] = {
    {"fall", SHIFT_FALL, {{0}}, 0},
    {"fallNoShift", 0, {{0}}, 0},
    {"hang2", 0, {{TOP(0.01)}}, 1},
    {"hangTopLeft",
     0,
     {{.border = 1, BOX(-FAR, FAR, 0.99, FAR, 0.99, FAR)},
      {.border = 1, BOX(-FAR, FAR, 0.99, FAR, -FAR, 0.01)}},
     2},
    {"stampTopLeft", 0, {{.border = 1, TOP(0.01)}}, 1},
    {"swing", SHIFT_SWING, {{LEFT(0.05)}}, 1},
    {"stamp", 0, {{.border = 1}}, 1},
    {"hangLeft", 0, {{.border = 1}}, 1},
    {"stampBoth", 0, {{.border = 1}, {.border = 2}}, 2},
    {"stand", 0, {{BOTTOM(0.01)}}, 1},
    {"topbottomfix", 0, {{BOTTOM(0.02)}, {TOP(0.02)}}, 2},
    {"fixLowerHalf", 0, {{BOTTOM(0.5)}}, 1},
    {"corner", 0, {{LEFT(0.01)}, {BOTTOM(0.01)}, {BOX(-FAR, FAR, -FAR, FAR, -FAR, 0.01)}}, 3},
    {"push",
     0,
     {{BOTTOM(0.01)},
      {TOP(0.01), .velocity = {0, -1, 0}, .end = STOP, .distance = 0.5, .speed = 1}},
     2},
    {"tear",
     0,
     {{BOTTOM(0.01)},
      {TOP(0.01), .velocity = {-5, 0, 0}, .end = REVERSE, .distance = 4, .speed = 5}},
     2},
    {"upndown",
     0,
     {{.border = 1, .velocity = {0, 1.8, 0}, .end = SWING, .lower = -0.6, .upper = 0.6},
      {.border = 2, .velocity = {0, -1.8, 0}, .end = SWING, .lower = -0.6, .upper = 0.6}},
     2},
    {"undstamp",
     0,
     {{.border = 1, .velocity = {0, 1.8, 0}, .end = SWING, .lower = -0.6, .upper = 0.6}},
     1},
    {"stretch",
     0,
     {{.border = 1, .velocity = {-0.1, 0, 0}}, {.border = 2, .velocity = {0.1, 0, 0}}},
     2},
    {"squash",
     0,
     {{.border = 1, .velocity = {0.03, 0, 0}}, {.border = 2, .velocity = {-0.03, 0, 0}}},
     2},
    {"stretchnsquash",
     0,
     {{.border = 1, .velocity = {-0.9, 0, 0}, .end = SWING, .lower = -0.8, .upper = 0.4},
      {.border = 2, .velocity = {0.9, 0, 0}, .end = SWING, .lower = -0.8, .upper = 0.4}},
     2},
    {"twist", 0, {{.border = 1, .spin = {-72, 0, 0}}, {.border = 2, .spin = {72, 0, 0}}}, 2},
    {"twistnstretch",
     0,
     {{.border = 1, .spin = {-18, 0, 0}, .velocity = {-0.1, 0, 0}},
      {.border = 2, .spin = {18, 0, 0}, .velocity = {0.1, 0, 0}}},
     2},
    {"twistnsns",
     0,
     {{.border = 1,
       .spin = {-72, 0, 0},
       .velocity = {-1.2, 0, 0},
       .end = SWING,
       .lower = -1.2,
       .upper = 0.4},
      {.border = 2,
       .spin = {72, 0, 0},
       .velocity = {1.2, 0, 0},
       .end = SWING,
       .lower = -1.2,
       .upper = 0.4}},
     2},
    {"twistnsns_old",
     0,
     {{.border = 1,
       .spin = {-72, 0, 0},
       .velocity = {-0.9, 0, 0},
       .end = SWING,
       .lower = -0.8,
       .upper = 0.4},
      {.border = 2,
       .spin = {72, 0, 0},
       .velocity = {0.9, 0, 0},
       .end = SWING,
       .lower = -0.8,
       .upper = 0.4}},
     2},
    {"rubberBandPull",
     0,
     {{BOTTOM(0.02), .velocity = {0, -0.2, 0}, .end = STOP, .distance = 5, .speed = 2.5},
      {TOP(0.02), .velocity = {0, 0.2, 0}, .end = STOP, .distance = 5, .speed = 2.5},
      {BOX(-FAR, FAR, 0.48, 0.52, -FAR, FAR), .velocity = {-2.5, 0, 0}, .end = RELEASE,
       .distance = 5, .speed = 2.5}},
     3},
    {"fourLegPull",
     0,
     {{BOX(-FAR, 0.16, 0.871, FAR, -FAR, FAR)},
      {BOX(0.84, FAR, 0.84, FAR, -FAR, FAR), .velocity = {2.5, 0, 0}, .end = RELEASE, .distance = 5,
       .speed = 3.5},
      {BOX(0.75, FAR, -FAR, 0.02, -FAR, FAR), .velocity = {2.5, -3.5, 0}, .end = RELEASE,
       .distance = 5, .speed = 3.5},
      {BOX(-FAR, 0.25, -FAR, 0.02, -FAR, FAR), .velocity = {0, -3.5, 0}, .end = RELEASE,
       .distance = 5, .speed = 3.5}},
     4},
    {"headTailPull",
     0,
     {{BOX(-FAR, FAR, -FAR, FAR, -FAR, 0.02), .velocity = {3.5, 0, 0}, .end = RELEASE,
       .distance = 4.5, .speed = 3.5},
      {BOX(-FAR, FAR, -FAR, FAR, 0.98, FAR), .velocity = {3.5, 0, 0}, .end = RELEASE,
       .distance = 4.5, .speed = 3.5},
      {BOX(-FAR, FAR, -FAR, FAR, 0.46, 0.54)}},
     3},
    {"dragdown",
     SHIFT_FALL,
     {{BOX(0.42, 0.52, -FAR, 0.1, -FAR, FAR), .velocity = {0, -1.5, 0}}},
     1},
    {"toggleTop",
     0,
     {{TOP(0.02), .velocity = {-0.5, 0, 0}, .end = RELEASE, .distance = 0.1, .speed = 0.5}},
     1},
};

/* Where the nodes of a rule are. */
static bool in_rule(const ipc_script *s, const rule *r, vec3 low, vec3 high, vec3 rest, vec3 x)
{
    vec3 size = vec3_sub(high, low);
    bool in = true;
    if (r->border == 1) in = rest.x < low.x + size.x * s->handle_ratio;
    if (r->border == 2) in = rest.x > high.x - size.x * s->handle_ratio;
    if (r->border && r->low.x == r->high.x) return in; /* no box */
    for (int axis = 0; axis < 3; axis++) {
        double from = vec3_get(low, axis) + vec3_get(size, axis) * vec3_get(r->low, axis);
        double to = vec3_get(low, axis) + vec3_get(size, axis) * vec3_get(r->high, axis);
        if (isinf(vec3_get(r->low, axis))) from = -INFINITY;
        if (isinf(vec3_get(r->high, axis))) to = INFINITY;
        in = in && vec3_get(x, axis) > from && vec3_get(x, axis) < to;
    }
    return in;
}

/* Bounds of all shapes at rest (before rotateModel), for borders. */
static void rest_bounds(const ipc_script *s, vec3 *low, vec3 *high)
{
    *low = vec3_make(INFINITY, INFINITY, INFINITY);
    *high = vec3_neg(*low);
    for (size_t i = 0; i < s->shapes.count; i++)
        for (size_t v = 0; v < s->shapes.data[i].placed.mesh.vertex_count; v++) {
            *low = vec3_min(*low, s->shapes.data[i].placed.rest[v]);
            *high = vec3_max(*high, s->shapes.data[i].placed.rest[v]);
        }
}

static abut_status prescribe_rule(ipc_script *s, const rule *r, const prescription *h,
                                  abut_error *err)
{
    vec3 low = s->placed.low, high = s->placed.high;
    if (r->border) rest_bounds(s, &low, &high);
    for (size_t i = 0; i < s->shapes.count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        bool *marked = mem_calloc(shape->placed.mesh.vertex_count, sizeof *marked);
        if (!marked) return error_memory(err, "reading a script");
        for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++)
            marked[v] = in_rule(s, r, low, high, shape->placed.rest[v], shape->placed.position[v]);
        abut_status status = prescribe(s, shape, marked, h, err);
        mem_free(marked);
        TRY(status);
    }
    return ABUT_OK;
}

typedef ARRAY(ipc_motion) motion_list;

/* Goes forward until the first border has moved past a limit, then back, and so on. */
static bool swing_motions(const ipc_script *s, const rule *r, motion_list *out)
{
    vec3 velocity = r->velocity;
    bool leads = r->border == 1;
    double lead = velocity.x != 0 ? velocity.x : velocity.y; /* of the first border */
    if (!leads) lead = -lead;
    double at = 0, since = 0, total = s->duration / s->step;
    for (double n = 0; n < total; n++) {
        if (at <= r->lower || at >= r->upper) {
            if (n > since &&
                !array_push(out, ipc_translation(since * s->step, n * s->step, velocity)))
                return false;
            since = n;
            velocity = vec3_neg(velocity);
            lead = -lead;
        }
        at += lead * s->step;
    }
    return array_push(out, ipc_translation(since * s->step, INFINITY, velocity));
}

static abut_status apply_rule(ipc_script *s, const rule *r, abut_error *err)
{
    motion_list motions = {0};
    vec3 low, high;
    rest_bounds(s, &low, &high);
    double turn = r->speed > 0 ? ipc_steps_for(r->distance, r->speed, s->step) * s->step : INFINITY;
    ipc_motion main = {.until = INFINITY, .velocity = r->velocity, .spin = r->spin};
    main.has_center = true;
    main.center = vec3_scale(0.5, vec3_add(low, high));
    if (r->end == STOP || r->end == REVERSE) main.until = turn;
    bool ok = true;
    if (r->end == SWING) {
        ok = swing_motions(s, r, &motions);
        main.velocity = (vec3){0};
    }
    ok = ok && array_push(&motions, main);
    if (r->end == REVERSE)
        ok = ok && array_push(&motions, ipc_translation(turn, INFINITY, vec3_neg(r->velocity)));
    double until = r->end == RELEASE ? turn : INFINITY;
    abut_status status = ABUT_OK;
    if (!ok)
        status = error_memory(err, "reading a script");
    else if (until > 0)
        status = prescribe_rule(s, r, &(prescription){motions.data, motions.count, 0, until}, err);
    array_free(&motions);
    return status;
}

static abut_status apply_table(ipc_script *s, const kind_def *kind, abut_error *err)
{
    vec3 size = vec3_sub(s->placed.high, s->placed.low);
    if (kind->shift == SHIFT_FALL) shift(s, vec3_make(0, 0.5 * vec3_norm(size), 0));
    if (kind->shift == SHIFT_SWING) shift(s, vec3_make(0, 1.3 * size.y, 0));
    for (int i = 0; i < kind->rule_count; i++) TRY(apply_rule(s, &kind->rules[i], err));
    return ABUT_OK;
}

/* --- Kinds with something of their own --- */

/* Moves the right end; releases it when everything has passed the meshCO obstacles. */
static abut_status apply_dragright(ipc_script *s, abut_error *err)
{
    shift(s, vec3_make(0, 0.5 * vec3_norm(vec3_sub(s->placed.high, s->placed.low)), 0));
    if (s->colliders.count == 0) return ABUT_OK; /* passed at once */
    s->placed.release_beyond = -INFINITY;
    for (size_t i = 0; i < s->colliders.count; i++)
        s->placed.release_beyond = fmax(s->placed.release_beyond, s->colliders.data[i].high.x);
    rule right = {RIGHT(0.04), .velocity = {0.5, 0, 0}};
    TRY(apply_rule(s, &right, err));
    for (size_t i = 0; i < s->shapes.count; i++) {
        size_t k;
        json_t *fix;
        json_array_foreach(s->shapes.data[i].fixes, k, fix) json_object_set_new(
            fix, "release",
            json_pack("{s: s, s: f}", "axis", "x", "beyond", s->placed.release_beyond));
    }
    return ABUT_OK;
}

static abut_status prescribe_node(ipc_script *s, size_t shape, size_t vertex, vec3 velocity,
                                  abut_error *err)
{
    ipc_shape *of = &s->shapes.data[shape];
    bool *marked = mem_calloc(of->placed.mesh.vertex_count, sizeof *marked);
    if (!marked) return error_memory(err, "reading a script");
    marked[vertex] = true;
    ipc_motion motion = ipc_translation(0, INFINITY, velocity);
    abut_status status = prescribe(s, of, marked, &(prescription){&motion, 1, 0, INFINITY}, err);
    mem_free(marked);
    return status;
}

/* Fixes or moves the first node, in the order of the file, at the right end. */
static abut_status prescribe_rightmost(ipc_script *s, vec3 velocity, abut_error *err)
{
    double beyond = s->placed.high.x - 1e-3 * (s->placed.high.x - s->placed.low.x);
    for (size_t i = 0; i < s->shapes.count; i++)
        for (size_t v = 0; v < s->shapes.data[i].placed.mesh.vertex_count; v++)
            if (s->shapes.data[i].placed.position[v].x > beyond)
                return prescribe_node(s, i, v, velocity, err);
    return ABUT_OK;
}

/* The last node of a border in the order of the files; false when it is empty. */
static bool last_of_border(const ipc_script *s, int border, size_t *shape, size_t *vertex)
{
    vec3 low, high;
    rest_bounds(s, &low, &high);
    bool found = false;
    for (size_t i = 0; i < s->shapes.count; i++)
        for (size_t v = 0; v < s->shapes.data[i].placed.mesh.vertex_count; v++)
            if (in_rule(s, &(rule){.border = border}, low, high, s->shapes.data[i].placed.rest[v],
                        s->shapes.data[i].placed.position[v])) {
                *shape = i;
                *vertex = v;
                found = true;
            }
    return found;
}

static abut_status apply_hang(ipc_script *s, abut_error *err)
{
    size_t shape, vertex;
    for (int border = 1; border <= 2; border++)
        if (last_of_border(s, border, &shape, &vertex))
            TRY(prescribe_node(s, shape, vertex, (vec3){0}, err));
    return ABUT_OK;
}

/* Each end turns about z through its last node. */
static abut_status apply_bend(ipc_script *s, abut_error *err)
{
    size_t shape, vertex;
    for (int border = 1; border <= 2; border++) {
        if (!last_of_border(s, border, &shape, &vertex)) continue;
        ipc_motion motion = {.until = INFINITY, .spin = {0, 0, border == 1 ? -9 : 9}};
        motion.has_center = true;
        motion.center = s->shapes.data[shape].placed.position[vertex];
        TRY(prescribe_rule(s, &(rule){.border = border}, &(prescription){&motion, 1, 0, INFINITY},
                           err));
    }
    return ABUT_OK;
}

static abut_status apply_fix_rightmost(ipc_script *s, abut_error *err)
{
    return prescribe_rightmost(s, (vec3){0}, err);
}

static abut_status apply_push_rightmost(ipc_script *s, abut_error *err)
{
    return prescribe_rightmost(s, vec3_make(-0.15, 0, 0), err);
}

static abut_status apply_stretch_and_pause(ipc_script *s, abut_error *err)
{
    /* The last step starts with the left end still right of -0.28. */
    double steps = floor((s->placed.low.x + 0.28) / s->step + 1e-9) + 1;
    if (!(s->placed.low.x >= -0.28)) steps = 0;
    rule left = {LEFT(0.01), .velocity = {-1, 0, 0}, .end = STOP, .distance = steps * s->step,
                 .speed = 1};
    rule right = {RIGHT(0.01), .velocity = {1, 0, 0}, .end = STOP, .distance = steps * s->step,
                  .speed = 1};
    TRY(apply_rule(s, &left, err));
    return apply_rule(s, &right, err);
}

static abut_status apply_drop(ipc_script *s, abut_error *err)
{
    (void)err;
    for (size_t i = 0; i < s->shapes.count; i++)
        s->shapes.data[i].placed.velocity = vec3_make(0, -1, 0);
    return ABUT_OK;
}

static abut_status apply_left_hits_right(ipc_script *s, abut_error *err)
{
    double middle = s->placed.low.x + 0.5 * (s->placed.high.x - s->placed.low.x);
    for (size_t i = 0; i < s->shapes.count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        size_t left = 0;
        for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++)
            left += shape->placed.position[v].x < middle;
        if (left > 0 && left < shape->placed.mesh.vertex_count)
            return ipc_kind_error(s, ABUT_ERROR_UNSUPPORTED, err,
                                  "the shape of line %d is on both sides of the middle; a shape "
                                  "starts with one velocity",
                                  shape->line);
        if (left > 0) shape->placed.velocity = vec3_make(1, 0, 0);
    }
    return ABUT_OK;
}

static abut_status apply_curtain(ipc_script *s, abut_error *err)
{
    for (int pin = 0; pin < 8; pin++) {
        double at = pin / 7.0;
        rule r = {BOX(at - 0.0025, at + 0.0025, 0.995, FAR, -FAR, FAR),
                  .velocity = {0.04 * (7.0 - pin) / 7.0, 0, 0}};
        TRY(apply_rule(s, &r, err));
    }
    return ABUT_OK;
}

/* Fixes the nodes of the first rule and accelerates those of the second. */
static abut_status fix_and_accelerate(ipc_script *s, const rule *fixed, const rule *accelerated,
                                      vec3 acceleration, abut_error *err)
{
    TRY(prescribe_rule(s, fixed, &(prescription){NULL, 0, 0, INFINITY}, err));
    ipc_condition c = {.force = true, .velocity = acceleration};
    for (size_t i = 0; i < s->shapes.count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        bool *marked = mem_calloc(shape->placed.mesh.vertex_count, sizeof *marked);
        if (!marked) return error_memory(err, "reading a script");
        for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++)
            marked[v] = in_rule(s, accelerated, s->placed.low, s->placed.high,
                                shape->placed.rest[v], shape->placed.position[v]);
        add_force(shape, marked, &c, s->force.from, s->force.until);
        mem_free(marked);
    }
    return ABUT_OK;
}

static abut_status apply_drag_left(ipc_script *s, abut_error *err)
{
    return fix_and_accelerate(s, &(rule){BOTTOM(0.05)}, &(rule){TOP(0.05)}, vec3_make(-600, 0, 0),
                              err);
}

static abut_status apply_drag_forward(ipc_script *s, abut_error *err)
{
    return fix_and_accelerate(s, &(rule){BOTTOM(0.05)}, &(rule){TOP(0.05)}, vec3_make(0, 0, 600),
                              err);
}

/* The heights are relative to the width of the scene. */
static abut_status apply_utopia(ipc_script *s, abut_error *err)
{
    double r = 1e-4 * (s->placed.high.x - s->placed.low.x) /
               fmax(s->placed.high.y - s->placed.low.y, 1e-300);
    return fix_and_accelerate(s, &(rule){BOTTOM(r)}, &(rule){TOP(r)}, vec3_make(0, -1.5, 0), err);
}

static abut_status apply_sequence(ipc_script *s, abut_error *err)
{
    for (size_t i = 0; i < s->shapes.count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        if (shape->dimension == 3) continue;
        shape->frames = json_pack("{s: s, s: s, s: i}", "folder", s->kind.folder, "extension",
                                  "obj", "first", 1);
        return ABUT_OK; /* the first obstacle only */
    }
    return ipc_kind_error(s, ABUT_ERROR_INPUT, err, "there is no obstacle to move");
}

static abut_status refuse_deformed(ipc_script *s, abut_error *err)
{
    return ipc_kind_error(s, ABUT_ERROR_UNSUPPORTED, err,
                          "it starts from a deformed shape; bodies start at rest here");
}

static abut_status refuse_velocities(ipc_script *s, abut_error *err)
{
    return ipc_kind_error(s, ABUT_ERROR_UNSUPPORTED, err,
                          "parts of a shape start with different velocities; a shape starts with "
                          "one here");
}

static abut_status refuse_planes(ipc_script *s, abut_error *err)
{
    return ipc_kind_error(s, ABUT_ERROR_UNSUPPORTED, err,
                          "it closes a box of half spaces that move; the sheets that stand for "
                          "them here would cross");
}

static const struct {
    const char *name;
    ipc_kind apply;
} own_kinds[] = {
    {"null", apply_null},
    {"dragright", apply_dragright},
    {"hang", apply_hang},
    {"bend", apply_bend},
    {"fixRightMost1", apply_fix_rightmost},
    {"pushRightMost1", apply_push_rightmost},
    {"stretchAndPause", apply_stretch_and_pause},
    {"drop", apply_drop},
    {"leftHitRight", apply_left_hits_right},
    {"curtain", apply_curtain},
    {"NMFixBottomDragLeft", apply_drag_left},
    {"NMFixBottomDragForward", apply_drag_forward},
    {"utopiaComparison", apply_utopia},
    {"meshSeqFromFile", apply_sequence},
    {"scaleF", refuse_deformed},
    {"stampInv", refuse_deformed},
    {"standInv", refuse_deformed},
    {"onepoint", refuse_deformed},
    {"random", refuse_deformed},
    {"XYRotate", refuse_velocities},
    {"ACOSquash6", refuse_planes},
};

/* --- Choosing --- */

static void warn_unused(const ipc_script *s)
{
    for (size_t i = 0; i < s->shapes.count; i++) {
        const ipc_shape *shape = &s->shapes.data[i];
        if (shape->has_velocity || shape->has_spin || shape->has_initial || shape->sequence ||
            shape->conditions.count > 0)
            log_message(s->log, ABUT_LOG_WARNING,
                        "%s:%d: velocities and conditions of a shape have no effect with script %s",
                        s->path, shape->line, s->kind.word);
    }
}

abut_status ipc_apply_kind(ipc_script *s, abut_error *err)
{
    ipc_kind apply = ipc_obstacle_kind(s->kind.word);
    const kind_def *table = NULL;
    for (size_t k = 0; k < sizeof own_kinds / sizeof *own_kinds; k++)
        if (strcmp(s->kind.word, own_kinds[k].name) == 0) apply = own_kinds[k].apply;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(s->kind.word, kinds[k].name) == 0) table = &kinds[k];
    if (!apply && !table)
        return ipc_kind_error(s, ABUT_ERROR_UNSUPPORTED, err, "this kind is not known");
    if (apply != apply_null) warn_unused(s);
    return table ? apply_table(s, table, err) : apply(s, err);
}
