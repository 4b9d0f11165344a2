/* Script kinds that move whole obstacles: rollers, presses, plates. Where the reference program
 * turns or stops by the position of obstacles, the time follows from the script alone and is worked
 * out here. */
#include "scene/import_ipc.h"

#include <string.h>

static abut_status need_shapes(const ipc_script *s, size_t count, abut_error *err)
{
    if (s->shapes.count >= count) return ABUT_OK;
    return ipc_kind_error(s, ABUT_ERROR_INPUT, err,
                          "it needs at least %zu shapes, but there are %zu", count,
                          s->shapes.count);
}

static abut_status need_colliders(const ipc_script *s, size_t count, abut_error *err)
{
    if (s->colliders.count >= count) return ABUT_OK;
    return ipc_kind_error(s, ABUT_ERROR_INPUT, err,
                          "it needs at least %zu meshCO obstacles, but there are %zu", count,
                          s->colliders.count);
}

static void shape_bounds(const ipc_shape *shape, vec3 *low, vec3 *high)
{
    for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++) {
        *low = vec3_min(*low, shape->placed.position[v]);
        *high = vec3_max(*high, shape->placed.position[v]);
    }
}

static void empty_bounds(vec3 *low, vec3 *high)
{
    *low = vec3_make(INFINITY, INFINITY, INFINITY);
    *high = vec3_neg(*low);
}

/* Turns the first shapes about their centres; rates in degrees per second. */
static abut_status rotate_shapes(ipc_script *s, const vec3 *rates, size_t count, abut_error *err)
{
    TRY(need_shapes(s, count + 1, err));
    for (size_t i = 0; i < count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        ipc_motion motion =
            ipc_rotation(0, INFINITY, ipc_spin(rates[i], s->step), ipc_center(shape));
        TRY(ipc_move_shape(shape, &motion, 1, err));
    }
    return ABUT_OK;
}

static abut_status rotate_cylinders(ipc_script *s, abut_error *err)
{
    static const vec3 rates[] = {{90, 0, 0}, {-90, 0, 0}, {0, 0, -90}, {0, 0, 90}};
    return rotate_shapes(s, rates, 4, err);
}

static abut_status rotate_verschoor(ipc_script *s, abut_error *err)
{
    static const double radians[6][3] = {{0, 0, -4}, {0, 0, -2}, {0, 0, 2},
                                         {0, 0, 4},  {2, 0, 0},  {-2, 0, 0}};
    vec3 rates[6];
    for (int i = 0; i < 6; i++)
        rates[i] = vec3_scale(180 / 3.14159265358979323846, vec3_load(radians[i]));
    return rotate_shapes(s, rates, 6, err);
}

/* Pairs of obstacles come together at 1 m/s each until the first two are closer than `gap`, and go
 * apart again from then on. */
static abut_status squash(ipc_script *s, size_t count, double gap, abut_error *err)
{
    static const vec3 velocities[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    TRY(need_shapes(s, count + 1, err));
    vec3 low0, high0, low1, high1;
    empty_bounds(&low0, &high0);
    empty_bounds(&low1, &high1);
    shape_bounds(&s->shapes.data[0], &low0, &high0);
    shape_bounds(&s->shapes.data[1], &low1, &high1);
    /* The first step that starts closer than the gap goes back. */
    double steps = ipc_steps_for(low1.x - high0.x - gap, 2, s->step);
    if (low1.x - high0.x - 2 * steps * s->step >= gap - 1e-12) steps++;
    double turn = steps * s->step;
    for (size_t i = 0; i < count; i++) {
        ipc_motion motions[2] = {ipc_translation(0, turn, velocities[i]),
                                 ipc_translation(turn, INFINITY, vec3_neg(velocities[i]))};
        size_t first = turn > 0 ? 0 : 1;
        TRY(ipc_move_shape(&s->shapes.data[i], motions + first, 2 - first, err));
    }
    return ABUT_OK;
}

static abut_status squash_2(ipc_script *s, abut_error *err) { return squash(s, 2, 0.1, err); }
static abut_status squash_6(ipc_script *s, abut_error *err) { return squash(s, 6, 0.1, err); }

static abut_status keep_obstacles(ipc_script *s, abut_error *err)
{
    (void)s;
    (void)err;
    return ABUT_OK; /* obstacles that nothing moves stay where they are */
}

/* The obstacles in the second half of the list come down at 1 m/s until they are 0.1 above those of
 * the first half. */
static abut_status press_bed(ipc_script *s, abut_error *err)
{
    size_t half = (s->shapes.count + 1) / 2;
    double top = INFINITY, bottom = -INFINITY;
    for (size_t i = 0; i < s->shapes.count; i++) {
        vec3 low, high;
        if (s->shapes.data[i].dimension == 3) continue;
        empty_bounds(&low, &high);
        shape_bounds(&s->shapes.data[i], &low, &high);
        if (i >= half)
            top = fmin(top, low.y);
        else
            bottom = fmax(bottom, high.y);
    }
    double turn = INFINITY;
    if (isfinite(top) && isfinite(bottom))
        turn = ipc_steps_for(top - bottom - 0.1, 1, s->step) * s->step;
    ipc_motion motion = ipc_translation(0, turn, vec3_make(0, -1, 0));
    for (size_t i = half; i < s->shapes.count && turn > 0; i++)
        if (s->shapes.data[i].dimension < 3)
            TRY(ipc_move_shape(&s->shapes.data[i], &motion, 1, err));
    return ABUT_OK;
}

/* The first obstacle pushes down at 0.3 m/s into the second one. */
static abut_status squeeze_out(ipc_script *s, abut_error *err)
{
    TRY(need_shapes(s, 2, err));
    ipc_shape *plate = &s->shapes.data[0];
    if (plate->dimension == 3) return ABUT_OK;
    vec3 low, high, tube_low, tube_high;
    empty_bounds(&low, &high);
    empty_bounds(&tube_low, &tube_high);
    shape_bounds(plate, &low, &high);
    shape_bounds(&s->shapes.data[1], &tube_low, &tube_high);
    double stop = tube_low.y + (tube_high.y - tube_low.y) / 3.8 * 0.9;
    double turn = ipc_steps_for(high.y - stop, 0.3, s->step) * s->step;
    ipc_motion motion = ipc_translation(0, turn, vec3_make(0, -0.3, 0));
    return turn > 0 ? ipc_move_shape(plate, &motion, 1, err) : ABUT_OK;
}

/* The second shape turns like a hammer until its lowest point is at 0.05. */
static abut_status hammer(ipc_script *s, abut_error *err)
{
    TRY(need_shapes(s, 2, err));
    ipc_shape *shape = &s->shapes.data[1];
    vec3 low, high;
    empty_bounds(&low, &high);
    shape_bounds(shape, &low, &high);
    vec3 center = {high.x, low.y, 0.5 * (low.z + high.z)};
    double angle = 0, steps = 0, lowest = low.y, rate = 3.14159265358979323846 / 6;
    while (lowest > 0.05 && steps * s->step < s->duration) {
        angle = ++steps * rate * s->step;
        lowest = INFINITY;
        for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++) {
            vec3 arm = vec3_sub(shape->placed.position[v], center);
            lowest = fmin(lowest, center.y + sin(angle) * arm.x + cos(angle) * arm.y);
        }
    }
    ipc_motion motion = ipc_rotation(0, steps * s->step, vec3_make(0, 0, 30), center);
    return steps > 0 ? ipc_move_shape(shape, &motion, 1, err) : ABUT_OK;
}

/* The second shape goes down and back until its lowest point is at 0.001. */
static abut_status cut(ipc_script *s, abut_error *err)
{
    TRY(need_shapes(s, 2, err));
    vec3 low, high;
    empty_bounds(&low, &high);
    shape_bounds(&s->shapes.data[1], &low, &high);
    double turn = ipc_steps_for(low.y - 0.001, 1, s->step) * s->step;
    ipc_motion motion = ipc_translation(0, turn, vec3_make(0, -1, -1));
    return turn > 0 ? ipc_move_shape(&s->shapes.data[1], &motion, 1, err) : ABUT_OK;
}

/* All solids fly along x with the first parameter as speed (1000 m/s without one). */
static abut_status hit_wall(ipc_script *s, abut_error *err)
{
    (void)err;
    double speed = s->kind.parameters.count > 0 ? s->kind.parameters.data[0] : 1000;
    for (size_t i = 0; i < s->shapes.count; i++)
        s->shapes.data[i].placed.velocity = vec3_make(speed, 0, 0);
    return ABUT_OK;
}

/* --- meshCO obstacles --- */

static void move_collider(ipc_collider *c, ipc_motion motion)
{
    json_array_append_new(c->motions, ipc_json_motion(&motion));
}

static abut_status squash_colliders(ipc_script *s, abut_error *err)
{
    TRY(need_colliders(s, 2, err));
    ipc_collider *a = &s->colliders.data[0], *b = &s->colliders.data[1];
    double distance = b->origin.x - a->origin.x;
    double steps = ipc_steps_for(distance - 1.5, 2, s->step);
    if (distance - 2 * steps * s->step >= 1.5 - 1e-12) steps++;
    double turn = steps * s->step;
    vec3 v = {1, 0, 0};
    if (turn > 0) {
        move_collider(a, ipc_translation(0, turn, v));
        move_collider(b, ipc_translation(0, turn, vec3_neg(v)));
    }
    move_collider(a, ipc_translation(turn, INFINITY, vec3_neg(v)));
    move_collider(b, ipc_translation(turn, INFINITY, v));
    return ABUT_OK;
}

static abut_status rotate_two_colliders(ipc_script *s, abut_error *err)
{
    TRY(need_colliders(s, 2, err));
    for (int i = 0; i < 2; i++) {
        ipc_collider *c = &s->colliders.data[i];
        vec3 center = c->origin;
        center.y += (i == 0 ? 0.5 : -0.5) * c->scale;
        move_collider(c, ipc_rotation(0, INFINITY, vec3_make(0, 0, 180), center));
    }
    return ABUT_OK;
}

static abut_status rotate_four_colliders(ipc_script *s, abut_error *err)
{
    static const vec3 rates[] = {{90, 0, 0}, {-90, 0, 0}, {0, 0, -90}, {0, 0, 90}};
    TRY(need_colliders(s, 4, err));
    for (int i = 0; i < 4; i++) {
        ipc_collider *c = &s->colliders.data[i];
        move_collider(c, ipc_rotation(0, INFINITY, rates[i], c->origin));
    }
    return ABUT_OK;
}

/* --- half spaces --- */

/* The first two move towards each other at 1 m/s each until less than `least` is between them; then
 * each follows its own motion. */
static abut_status close_planes(ipc_script *s, double least, vec3 first, vec3 second,
                                abut_error *err)
{
    if (s->planes.count < 2)
        return ipc_kind_error(s, ABUT_ERROR_INPUT, err,
                              "it needs at least 2 half spaces, but there are %zu",
                              s->planes.count);
    ipc_plane *a = &s->planes.data[0], *b = &s->planes.data[1];
    double distance = b->origin.x - a->origin.x,
           steps = ipc_steps_for(distance - least, 2, s->step);
    if (distance - 2 * steps * s->step >= least - 1e-12) steps++;
    ipc_motion motions[2][2] = {
        {ipc_translation(0, steps * s->step, vec3_make(1, 0, 0)),
         ipc_translation(steps * s->step, INFINITY, first)},
        {ipc_translation(0, steps * s->step, vec3_make(-1, 0, 0)),
         ipc_translation(steps * s->step, INFINITY, second)},
    };
    for (int i = 0; i < 2; i++) {
        s->planes.data[i].motions = json_array();
        for (int k = steps > 0 ? 0 : 1; k < 2; k++)
            json_array_append_new(s->planes.data[i].motions, ipc_json_motion(&motions[i][k]));
    }
    return ABUT_OK;
}

static abut_status squash_planes(ipc_script *s, abut_error *err)
{
    return close_planes(s, 0.1, vec3_make(-1, 0, 0), vec3_make(1, 0, 0), err);
}

static abut_status squash_and_shear_planes(ipc_script *s, abut_error *err)
{
    return close_planes(s, 0.8, vec3_make(0, 0, 0), vec3_make(0, 1, 0), err);
}

ipc_kind ipc_obstacle_kind(const char *word)
{
    static const struct {
        const char *name;
        ipc_kind apply;
    } kinds[] = {
        {"DCORotCylinders", rotate_cylinders},
        {"DCOVerschoorRoller", rotate_verschoor},
        {"DCOSquash", squash_2},
        {"DCOSquash6", squash_6},
        {"DCOFix", keep_obstacles},
        {"DCOSegBedSquash", press_bed},
        {"DCOSqueezeOut", squeeze_out},
        {"DCOHammerWalnut", hammer},
        {"DCOCut", cut},
        {"DCOBallHitWall", hit_wall},
        {"ACOSquash", squash_planes},
        {"ACOSquashShear", squash_and_shear_planes},
        {"MCOSquash", squash_colliders},
        {"MCORotSquash", rotate_two_colliders},
        {"MCORotCylinders", rotate_four_colliders},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(word, kinds[k].name) == 0) return kinds[k].apply;
    return NULL;
}
