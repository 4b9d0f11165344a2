#include "scene/build_joint.h"

#include "base/ranks.h"
#include "body/follower.h"
#include "broad/attached.h"
#include "broad/pairs.h"
#include "constraint/joint_kind.h"
#include "constraint/joint_make.h"
#include "constraint/joint_rank.h"
#include "constraint/joint_rows.h"
#include "math/rotation.h"
#include "scene/attached.h"
#include "scene/build_attachment.h"
#include "scene/joined.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;

int32_t build_find_body(const model *m, const char *name)
{
    for (size_t i = 0; i < m->bodies.count; i++)
        if (strcmp(m->bodies.data[i].name, name) == 0) return (int32_t)i;
    return -1;
}

/* Number among the rigid and affine bodies; -1: the world. */
static int32_t rigid_named(const model *m, const char *name)
{
    int32_t body = build_find_body(m, name);
    return body < 0 ? -1 : m->bodies.data[body].rigid;
}

static abut_status read_drive(const drive_def *def, double unit, joint_drive *out, abut_error *err)
{
    static const drive_kind kinds[] = {DRIVE_POSITION, DRIVE_VELOCITY, DRIVE_EFFORT};
    *out = (joint_drive){.kind = kinds[def->kind],
                         .target = expression_copy(def->target),
                         .stiffness = def->stiffness,
                         .damping = def->damping,
                         .most = def->max_effort,
                         .unit = kinds[def->kind] == DRIVE_EFFORT ? 1 : unit};
    return out->target ? ABUT_OK : error_memory(err, "adding a drive");
}

static abut_status read_axis(const joint_axis_def *def, double unit, joint_axis *out,
                             abut_error *err)
{
    if (def->limited) {
        out->lower = unit * def->limits[0];
        out->upper = unit * def->limits[1];
    }
    out->friction = def->friction;
    out->damping = def->damping;
    out->stiffness = def->stiffness;
    out->rest = unit * def->rest;
    return def->driven ? read_drive(&def->drive, unit, &out->drive, err) : ABUT_OK;
}

/* Two directions across the axis, and the axis; the second axis of a universal joint is the first
 * of them. */
static abut_status make_triad(const joint_def *def, mat3 *out, abut_error *err)
{
    *out = def->has_axis ? joint_triad(def->axis) : mat3_identity();
    if (!def->has_axis2) return ABUT_OK;
    vec3 a = mat3_column(*out, 2), n = vec3_normalize(def->axis2);
    if (fabs(vec3_dot(a, n)) > 1e-6)
        return error_set(err, ABUT_ERROR_INPUT, "axis2",
                         "must be at a right angle to `axis`; it is at %.6g degrees",
                         acos(fmax(-1, fmin(1, vec3_dot(a, n)))) / DEGREE);
    n = vec3_normalize(vec3_mul_add(n, -vec3_dot(a, n), a));
    *out = mat3_from_columns(n, vec3_cross(a, n), a);
    return ABUT_OK;
}

/* Both sides where the bodies are at the start, so that every row is 0 there. */
static abut_status place_sides(const joint_def *def, const model *m, model_joint *j,
                               abut_error *err)
{
    mat3 triad;
    TRY(make_triad(def, &triad, err));
    vec3 axis = mat3_column(triad, 2);
    double turn = DEGREE * def->turn.start;
    vec3 other =
        def->has_to_point ? def->to_point : vec3_mul_add(def->point, -def->slide.start, axis);
    mat3 turned = mat3_mul(rotation_matrix(vec3_scale(turn, axis)), triad);
    j->side[0] = joint_side_at(m, rigid_named(m, def->to), other, triad);
    j->side[1] =
        joint_side_at(m, rigid_named(m, def->body), def->point, turn != 0 ? turned : triad);
    double apart = vec3_norm(vec3_sub(def->point, other));
    j->length = def->has_length ? def->length : apart;
    bool distance = joint_kinds[j->kind].holds & HOLDS_LENGTH;
    if (distance && !(apart > 0))
        return error_set(err, ABUT_ERROR_INPUT, "to_point",
                         "must differ from `point`: a distance of 0 is a joint of type \"ball\"");
    if (distance && fabs(apart - j->length) > 1e-8 * m->extent)
        return error_set(err, ABUT_ERROR_INPUT, "length",
                         "is %.9g m, but the points are %.9g m apart at the start", j->length,
                         apart);
    return ABUT_OK;
}

static void read_coupling(const joint_def *def, const model *m, model_joint *j)
{
    const char *const names[] = {def->first, def->second};
    for (int k = 0; k < 2; k++) {
        j->coupled[k] = model_find_joint(m, names[k]);
        const model_joint *other = &m->joints.data[j->coupled[k]];
        j->coordinate[k] = joint_has(other, JOINT_TURN) ? JOINT_TURN : JOINT_SLIDE;
    }
    j->ratio = def->ratio;
    j->offset = def->offset * (j->coordinate[0] == JOINT_TURN ? DEGREE : 1);
}

static abut_status read_joint(const joint_def *def, const model *m, model_joint *j, abut_error *err)
{
    j->kind = (int)def->type;
    j->break_force = def->break_force;
    j->break_torque = def->break_torque;
    j->lead = def->lead;
    if (joint_kinds[j->kind].holds & HOLDS_COUPLED) {
        read_coupling(def, m, j);
        return ABUT_OK;
    }
    TRY(place_sides(def, m, j, err));
    TRY(read_axis(&def->turn, DEGREE, &j->axis[JOINT_TURN], err));
    return read_axis(&def->slide, 1, &j->axis[JOINT_SLIDE], err);
}

/* Bodies that do not collide because they are joined. */
static abut_status exclude_pairs(const scene_def *scene, model *m, abut_error *err)
{
    body_pair_list apart = {0};
    abut_status status = scene_joined_built(scene, &apart, err);
    for (size_t i = 0; status == ABUT_OK && i < apart.count; i++)
        if (!array_push(&m->surface.excluded,
                        broad_pair(apart.data[i].first, apart.data[i].second)))
            status = error_memory(err, "adding joints");
    array_free(&apart);
    return status;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

/* Vertices that do not collide with what they are attached to. */
static abut_status exclude_attached(const scene_def *scene, model *m, abut_error *err)
{
    attached_node_list nodes = {0};
    abut_status status = scene_attached_nodes(scene, m->extent, &nodes, err);
    for (size_t i = 0; status == ABUT_OK && i < nodes.count; i++) {
        const attached_node *a = &nodes.data[i];
        const model_body *body = &m->bodies.data[build_find_body(m, scene->bodies[a->body].name)];
        int32_t to = build_find_body(m, scene->bodies[a->to].name);
        for (size_t k = 0; k < body->surface.vertex_count; k++) {
            size_t v = body->surface.first_vertex + k;
            if (surface_vertex_node(&m->surface, v) == body->block_of_vertex[a->node] &&
                !array_push(&m->surface.excluded, broad_attached((int32_t)v, to)))
                status = error_memory(err, "adding attachments");
        }
    }
    array_free(&nodes);
    if (m->surface.excluded.count > 1)
        qsort(m->surface.excluded.data, m->surface.excluded.count, sizeof(uint64_t), compare_keys);
    return status;
}

static abut_status refuse_ranks(const scene_def *scene, abut_error *err)
{
    char place[300];
    snprintf(place, sizeof place, "%.200s: joints", scene->path);
    return error_set(err, ABUT_ERROR_UNSUPPORTED, place,
                     "joints and attachments do not run on several ranks yet");
}

abut_status build_joints(const scene_def *scene, const mesh *meshes, model *m, const logger *log,
                         abut_error *err)
{
    if (scene->joint_count + scene->attachment_count == 0) return ABUT_OK;
    if (ranks_divided()) return refuse_ranks(scene, err);
    for (size_t i = 0; i < scene->joint_count; i++) {
        model_joint j = joint_plain();
        abut_status status = read_joint(&scene->joints[i], m, &j, err);
        if (status != ABUT_OK) {
            char place[300];
            snprintf(place, sizeof place, "%.200s: joints[%zu]", scene->path, i);
            joint_free(&j);
            return error_add_place(err, place, status);
        }
        TRY(model_add_joint(m, scene->joints[i].name, &j, err));
    }
    for (size_t i = 0; i < scene->attachment_count; i++)
        TRY(build_attachment(scene, i, meshes, m, log, err));
    TRY(model_lead_surface(m, err));
    TRY(exclude_pairs(scene, m, err));
    return scene->options.contact ? exclude_attached(scene, m, err) : ABUT_OK;
}

/* Bodies whose motion is prescribed at the start. */
static void find_prescribed(const stepper *s, uint8_t *prescribed)
{
    for (size_t i = 0; i < s->rigid.conditions.count; i++) {
        const rigid_condition *c = &s->rigid.conditions.data[i];
        if (c->path.axes == 7 && c->rotation_axes == 7 && condition_active(&c->path, 0))
            prescribed[c->rigid] = 1;
    }
}

static void tell_rank(const model *m, const joint_rank *r, const logger *log)
{
    log_message(log, ABUT_LOG_INFO,
                "joints: %zu DOFs of bodies, rank %zu of the constraints, mobility %zu%s", r->dofs,
                r->rank, r->mobility,
                r->complete ? "" : " (loops of too many bodies were not looked at)");
    for (size_t i = 0; i < r->redundant.count; i++) {
        const redundant_joint *j = &r->redundant.data[i];
        log_message(log, ABUT_LOG_WARNING,
                    "joint \"%.60s\" is redundant at the start: %d of the %d motions that it "
                    "prevents are prevented by joints before it; how reactions are divided between "
                    "them is not unique",
                    m->joints.data[j->joint].name, j->redundant, j->rank);
    }
}

abut_status report_joints(const stepper *s, const logger *log, abut_error *err)
{
    const model *m = s->model;
    joint_rank rank;
    if (m->joints.count == 0 || m->rigids.count == 0) return ABUT_OK;
    uint8_t *prescribed = mem_calloc(m->rigids.count + 1, 1);
    if (!prescribed) return error_memory(err, "looking for redundant joints");
    find_prescribed(s, prescribed);
    abut_status status = joint_rank_find(m, s->state.x, prescribed, &rank, err);
    mem_free(prescribed);
    TRY(status);
    tell_rank(m, &rank, log);
    joint_rank_free(&rank);
    return ABUT_OK;
}
