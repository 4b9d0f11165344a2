#include "scene/build.h"

#include "body/follower.h"

#include "scene/body_shapes.h"
#include "scene/body_source.h"
#include "scene/build_cavity.h"
#include "scene/build_check.h"
#include "scene/build_flow.h"
#include "scene/build_interface.h"
#include "scene/build_joint.h"
#include "scene/motion.h"
#include "scene/select.h"
#include "scene/sequence.h"
#include "scene/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void body_transform(char *out, size_t size, const scene_def *scene, size_t body,
                           const char *field)
{
    snprintf(out, size, "%s: bodies[%zu]%s%s", scene->path, body, field[0] ? "." : "", field);
}

/* Disabled bodies are not built: number of the model's body for body i of the scene. */
static size_t built_index(const scene_def *scene, size_t i)
{
    size_t index = 0;
    for (size_t k = 0; k < i; k++)
        if (scene->bodies[k].enabled) index++;
    return index;
}

static abut_status add_body(const scene_def *scene, size_t i, mesh *shape, bool numbered, model *m,
                            const logger *log, abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    char place[256];
    body_transform(place, sizeof place, scene, i, "mesh");
    body_source from = {scene, i, def, shape, numbered, place, log};
    TRY(body_rows[def->type]->add(&from, m, err));
    model_body *body = &m->bodies.data[m->bodies.count - 1];
    body->kind = def->type;
    body->damping = def->damping;
    body->bend_damping = def->bending_damping;
    body->friction = def->friction;
    body->offset = def->offset;
    body->collision_group = def->collision_group;
    return ABUT_OK;
}

typedef ARRAY(int32_t) node_list;

/* The nodes that a body which has been remeshed remembers for a condition or load. */
static abut_status remembered_blocks(const body_shape *now, const model_body *built, size_t number,
                                     node_list *out, abut_error *err)
{
    for (size_t v = 0; v < now->shape.vertex_count; v++)
        if (shape_vertex_in(now, v, number) && !array_push(out, built->block_of_vertex[v]))
            return error_memory(err, "selecting nodes");
    return ABUT_OK;
}

/* Appends the blocks of the selected vertices of a body; vertices that no cell uses have none. */
static abut_status select_blocks(const scene_def *scene, size_t body, const mesh *shape,
                                 const model_body *built, const selector_def *selector,
                                 const char *field, node_list *out, abut_error *err)
{
    int32_t *nodes = NULL;
    size_t count = 0;
    char place[256];
    body_transform(place, sizeof place, scene, body, field);
    abut_status status = select_nodes(selector, &scene->bodies[body], shape, &nodes, &count, err);
    if (status != ABUT_OK) return error_add_place(err, place, status);
    for (size_t i = 0; status == ABUT_OK && i < count; i++)
        if (built->block_of_vertex[nodes[i]] >= 0 &&
            !array_push(out, built->block_of_vertex[nodes[i]]))
            status = error_memory(err, "selecting nodes");
    mem_free(nodes);
    return status;
}

/* Extra masses, before anything depends on the masses. */
static abut_status add_weights(const scene_def *scene, size_t i, const mesh *shape, model *m,
                               abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    for (size_t k = 0; k < def->weight_count; k++) {
        char field[48];
        snprintf(field, sizeof field, "weights[%zu].nodes", k);
        node_list nodes = {0};
        abut_status status = select_blocks(scene, i, shape, &m->bodies.data[m->bodies.count - 1],
                                           &def->weights[k].nodes, field, &nodes, err);
        for (size_t n = 0; status == ABUT_OK && n < nodes.count; n++)
            status = model_add_mass(m, nodes.data[n], def->weights[k].mass, err);
        array_free(&nodes);
        TRY(status);
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Conditions and loads                                                                           */

static vec3 center_of_nodes(const model *m, const int32_t *nodes, size_t count)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        low = vec3_min(low, m->rest.data[nodes[i]]);
        high = vec3_max(high, m->rest.data[nodes[i]]);
    }
    return count ? vec3_scale(0.5, vec3_add(low, high)) : (vec3){0};
}

/* A motion begins with its condition at the earliest: what is not prescribed does not move. */
static abut_status add_motions(condition *c, const model *m, const motion_def *motions,
                               size_t count, abut_error *err)
{
    vec3 center = center_of_nodes(m, c->nodes.data, c->nodes.count);
    for (size_t k = 0; k < count; k++) {
        motion move = motion_of(&motions[k], center);
        move.from = fmax(move.from, c->from);
        if (!array_push(&c->motions, move)) return error_memory(err, "adding motions");
    }
    return ABUT_OK;
}

static abut_status copy_expressions(expression *const from[3], expression *to[3], abut_error *err)
{
    for (int k = 0; k < 3 && from[k]; k++) {
        to[k] = expression_copy(from[k]);
        if (!to[k]) return error_memory(err, "adding conditions");
    }
    return ABUT_OK;
}

static abut_status add_fixes(const scene_def *scene, size_t i, const mesh *shape,
                             const body_shape *now, stepper *s, const logger *log, abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    for (size_t k = 0; k < def->dirichlet.fix_count; k++) {
        const fix_def *fix = &def->dirichlet.fixes[k];
        if (!array_push(&s->dirichlet.conditions, (condition){0}))
            return error_memory(err, "adding conditions");
        condition *c = &s->dirichlet.conditions.data[s->dirichlet.conditions.count - 1];
        c->from = fix->from;
        c->until = fix->until;
        c->body = (int32_t)built_index(scene, i);
        c->source = (int32_t)k;
        c->axes = axis_bits(fix->axes);
        c->takes_over = fix->takes_over;
        c->has_release = fix->has_release;
        c->release_axis = fix->release_axis;
        c->release_beyond = fix->release_beyond;
        char field[48];
        snprintf(field, sizeof field, "fix[%zu].nodes", k);
        node_list nodes = {0};
        const model_body *built = &s->model->bodies.data[built_index(scene, i)];
        abut_status status =
            now ? remembered_blocks(now, built, k, &nodes, err)
                : select_blocks(scene, i, shape, built, &fix->nodes, field, &nodes, err);
        memcpy(&c->nodes, &nodes, sizeof nodes);
        TRY(status);
        if (nodes.count == 0)
            log_message(log, ABUT_LOG_WARNING, "%s: bodies[%zu].%s selects no nodes", scene->path,
                        i, field);
        TRY(copy_expressions(fix->displacement, c->displacement, err));
        TRY(add_motions(c, s->model, fix->motions, fix->motion_count, err));
    }
    return ABUT_OK;
}

/* Obstacles, and bodies whose positions come from files, are prescribed as a whole. */
static abut_status add_obstacle_motion(const scene_def *scene, size_t i, stepper *s,
                                       abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    const model_body *body = &s->model->bodies.data[built_index(scene, i)];
    if (!body_rows[def->type]->obstacle && !def->sequence.given) return ABUT_OK;
    if (!array_push(&s->dirichlet.conditions,
                    (condition){.until = INFINITY, .axes = 7, .source = -1}))
        return error_memory(err, "adding conditions");
    condition *c = &s->dirichlet.conditions.data[s->dirichlet.conditions.count - 1];
    c->body = (int32_t)built_index(scene, i);
    for (int32_t b = 0; b < body->block_count; b++)
        if (!array_push(&c->nodes, body->first_block + b))
            return error_memory(err, "adding conditions");
    if (def->sequence.given) return sequence_load(scene, i, body, c, err);
    TRY(copy_expressions(def->dirichlet.displacement, c->displacement, err));
    return add_motions(c, s->model, def->dirichlet.motions, def->dirichlet.motion_count, err);
}

static abut_status add_loads(const scene_def *scene, size_t i, const mesh *shape,
                             const body_shape *now, stepper *s, abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    for (size_t k = 0; k < def->loads.force_count; k++) {
        const force_def *force = &def->loads.forces[k];
        if (!array_push(&s->loads.nodes, (load){0})) return error_memory(err, "adding loads");
        load *l = &s->loads.nodes.data[s->loads.nodes.count - 1];
        l->from = force->from;
        l->until = force->until;
        l->acceleration = force->acceleration;
        TRY(copy_expressions(force->field, l->field, err));
        char field[48];
        snprintf(field, sizeof field, "force[%zu].nodes", k);
        node_list nodes = {0};
        const model_body *built = &s->model->bodies.data[built_index(scene, i)];
        abut_status status =
            now ? remembered_blocks(now, built, def->dirichlet.fix_count + k, &nodes, err)
                : select_blocks(scene, i, shape, built, &force->nodes, field, &nodes, err);
        memcpy(&l->nodes, &nodes, sizeof nodes);
        TRY(status);
        if (nodes.count) l->force = vec3_scale(1 / (double)nodes.count, force->force);
        if (now) TRY(share_by_area(now, s->model->planar, def->dirichlet.fix_count + k, l, err));
    }
    return ABUT_OK;
}

static abut_status add_surface_load(const scene_def *scene, size_t i, size_t k, const mesh *shape,
                                    const body_shape *now, stepper *s, const logger *log,
                                    abut_error *err)
{
    static const traction_kind kinds[] = {TRACTION_VECTOR, TRACTION_NORMAL, TRACTION_PRESSURE};
    const surface_load_def *def = &scene->bodies[i].loads.surface_loads[k];
    const model_body *body = &s->model->bodies.data[built_index(scene, i)];
    side_list sides = {0};
    surface_load added = {.kind = kinds[def->kind], .from = def->from, .until = def->until};
    abut_status status = now ? remembered_sides(now, s->model->planar,
                                                scene->bodies[i].dirichlet.fix_count +
                                                    scene->bodies[i].loads.force_count + k,
                                                &sides, err)
                             : select_sides(&scene->bodies[i], shape,
                                            def->on_part ? &def->number : NULL, &sides, err);
    if (status == ABUT_OK) status = copy_expressions(def->value, added.value, err);
    if (status == ABUT_OK && sides.count == 0)
        log_message(log, ABUT_LOG_WARNING, "%s: bodies[%zu].surface_loads[%zu] is on no face",
                    scene->path, i, k);
    if (status == ABUT_OK)
        status = stepper_add_surface_load(s, added, shape, &sides, body->block_of_vertex, err);
    array_free(&sides);
    return status;
}

/* Rigid initial motion about the centre of mass. */
static void set_velocity(const scene_def *scene, size_t i, const model *m, double *velocity)
{
    const body_def *def = &scene->bodies[i];
    const model_body *body = &m->bodies.data[built_index(scene, i)];
    vec3 center = {0};
    double mass = 0;
    for (int32_t b = body->first_block; b < body->first_block + body->block_count; b++) {
        center = vec3_mul_add(center, m->load_mass.data[b], m->rest.data[b]);
        mass += m->load_mass.data[b];
    }
    center = vec3_scale(mass > 0 ? 1 / mass : 0, center);
    vec3 spin = vec3_scale(DEGREE, def->angular_velocity);
    for (int32_t b = body->first_block; b < body->first_block + body->block_count; b++) {
        vec3 arm = vec3_sub(m->rest.data[b], center);
        vec3 v = vec3_add(def->velocity, vec3_cross(spin, arm)), x = m->rest.data[b];
        if (def->velocity_field[0])
            v = vec3_add(v, (vec3){expression_value(def->velocity_field[0], x.x, x.y, x.z, 0),
                                   expression_value(def->velocity_field[1], x.x, x.y, x.z, 0),
                                   expression_value(def->velocity_field[2], x.x, x.y, x.z, 0)});
        vec3_store(velocity + 3 * (size_t)b, v);
    }
    for (size_t e = 0; body->angle_count > 0 && e < m->codim.angle_rest.count; e++) {
        const int32_t *angle = m->codim.angles.data + 3 * e; /* sections turn with the body */
        if (&m->bodies.data[m->body.data[angle[0]]] != body) continue;
        vec3 edge = vec3_sub(m->rest.data[angle[2]], m->rest.data[angle[1]]);
        velocity[3 * (size_t)angle[0]] = vec3_dot(spin, vec3_normalize(edge));
    }
}

/* ---------------------------------------------------------------------------------------------- */

/* The options of the scene, with the lengths that only the size of the scene tells. */
static stepper_options options_of(const scene_def *scene, const model *m)
{
    stepper_options options = scene->options;
    options.tolerance = start_length(scene->lengths.tolerance, m->extent);
    options.contact_options.dhat = start_length(scene->lengths.dhat, m->extent);
    options.reactions = scene->output.reactions;
    options.eps_v = start_length(scene->lengths.eps_v, m->extent);
    return options;
}

/* Its inequalities know no coordinates that follow others. */
static abut_status check_look_ahead(const scene_def *scene, const model *m, abut_error *err)
{
    if (scene->options.look_ahead && model_has_followers(m))
        return error_set(err, ABUT_ERROR_UNSUPPORTED, scene->path,
                         "solver.look_ahead is not for scenes with exact attachments");
    return ABUT_OK;
}

/* What a body looks like now if it is remeshed, else NULL. */
static const body_shape *shape_of(const body_shapes *shapes, size_t i)
{
    return shapes && shapes->bodies[i].shape.vertex_count > 0 ? &shapes->bodies[i] : NULL;
}

static abut_status build_model(const scene_def *scene, const body_shapes *given, mesh *shapes,
                               model *m, const logger *log, abut_error *err)
{
    m->planar = scene->planar;
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!scene->bodies[i].enabled) continue;
        if (shape_of(given, i))
            TRY(mesh_copy(&given->bodies[i].shape, &shapes[i], err));
        else
            TRY(scene_body_mesh(scene, i, &shapes[i], err));
        TRY(add_body(scene, i, &shapes[i], shape_of(given, i) != NULL, m, log, err));
        TRY(add_weights(scene, i, &shapes[i], m, err));
    }
    TRY(model_finish(m, err));
    TRY(build_joints(scene, shapes, m, log, err));
    TRY(build_cavities(scene, m, err));
    return build_flows(scene, m, err);
}

/* Numbers among the built bodies of those that a name means. */
static abut_status named_bodies(const scene_def *scene, const char *name, node_list *out,
                                abut_error *err)
{
    int32_t built = 0;
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!scene->bodies[i].enabled) continue;
        if (scene_names(scene, name, i) && !array_push(out, built))
            return error_memory(err, "adding a friction pair");
        built++;
    }
    return ABUT_OK;
}

/* Every piece of a body that was split with every piece of the other. */
static abut_status add_friction_pair(const scene_def *scene, const friction_pair_def *pair,
                                     stepper *s, abut_error *err)
{
    node_list first = {0}, second = {0};
    abut_status status = named_bodies(scene, pair->first, &first, err);
    if (status == ABUT_OK) status = named_bodies(scene, pair->second, &second, err);
    for (size_t i = 0; i < first.count; i++)
        for (size_t k = 0; status == ABUT_OK && k < second.count; k++)
            status = friction_set_pair(s->friction, first.data[i], second.data[k],
                                       pair->coefficient, err);
    int32_t number;
    adhesion_term *glue = NULL;
    bool more = status == ABUT_OK && pair->interface.given;
    if (more) status = build_interface(scene, &pair->interface, pair->coefficient, s, &number, err);
    if (more && status == ABUT_OK) status = build_adhesion(&pair->interface, s, &glue, err);
    for (size_t i = 0; i < first.count && more; i++)
        for (size_t k = 0; status == ABUT_OK && k < second.count; k++) {
            friction_pair_interface(s->friction, first.data[i], second.data[k], number);
            if (glue) status = adhesion_add_pair(glue, first.data[i], second.data[k], err);
        }
    array_free(&first);
    array_free(&second);
    if (status == ABUT_OK) return status;
    char place[300];
    snprintf(place, sizeof place, "%.200s: contact.friction_pairs[%zu]", scene->path,
             (size_t)(pair - scene->friction_pairs));
    return error_add_place(err, place, status);
}

static abut_status add_half_space(const scene_def *scene, size_t k, stepper *s, abut_error *err)
{
    const half_space_def *def = &scene->half_spaces[k];
    half_space plane = {def->origin, def->normal, def->velocity, def->friction};
    TRY(contact_add_half_space(s->contact, plane, err));
    if (!def->interface.given) return ABUT_OK;
    double coefficient = def->friction >= 0 ? def->friction : scene->options.friction;
    int32_t number;
    abut_status status = build_interface(scene, &def->interface, coefficient, s, &number, err);
    adhesion_term *glue = NULL;
    if (status == ABUT_OK) status = build_adhesion(&def->interface, s, &glue, err);
    if (status == ABUT_OK && glue) status = adhesion_add_half_space(glue, plane, err);
    if (status == ABUT_OK) return friction_plane_interface(s->friction, (int32_t)k, number, err);
    char place[300];
    snprintf(place, sizeof place, "%.200s: half_spaces[%zu]", scene->path, k);
    return error_add_place(err, place, status);
}

static abut_status build_stepper(const scene_def *scene, const body_shapes *given,
                                 const mesh *shapes, const logger *log, stepper *s, abut_error *err)
{
    double *velocity = mem_calloc(s->state.scalars, sizeof *velocity);
    if (!velocity) return error_memory(err, "building the scene");
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < scene->body_count; i++) {
        if (!scene->bodies[i].enabled) continue;
        const body_row *row = body_rows[scene->bodies[i].type];
        if (row->condition) {
            char place[256];
            body_transform(place, sizeof place, scene, i, "");
            status = row->condition(scene, &scene->bodies[i], built_index(scene, i), place, s,
                                    velocity, err);
            continue;
        }
        status = add_fixes(scene, i, &shapes[i], shape_of(given, i), s, log, err);
        if (status == ABUT_OK) status = add_obstacle_motion(scene, i, s, err);
        if (status == ABUT_OK) status = add_loads(scene, i, &shapes[i], shape_of(given, i), s, err);
        for (size_t k = 0; status == ABUT_OK && k < scene->bodies[i].loads.surface_load_count; k++)
            status = add_surface_load(scene, i, k, &shapes[i], shape_of(given, i), s, log, err);
        if (!row->obstacle) set_velocity(scene, i, s->model, velocity);
    }
    for (size_t k = 0; status == ABUT_OK && s->contact && k < scene->half_space_count; k++)
        status = add_half_space(scene, k, s, err);
    for (size_t k = 0; status == ABUT_OK && s->contact && k < scene->friction_pair_count; k++)
        status = add_friction_pair(scene, &scene->friction_pairs[k], s, err);
    if (status == ABUT_OK) status = stepper_start(s, velocity, err);
    if (status == ABUT_OK) status = check_conditions(scene, s, err);
    if (status == ABUT_OK && !given) status = report_joints(s, log, err);
    if (status == ABUT_OK && !given) status = warn_of_free_bodies(scene, s, log, err);
    mem_free(velocity);
    return status;
}

abut_status scene_build(const scene_def *scene, const logger *log, stepper **out, abut_error *err)
{
    return scene_build_shapes(scene, NULL, log, out, err);
}

abut_status scene_build_shapes(const scene_def *scene, const body_shapes *given, const logger *log,
                               stepper **out, abut_error *err)
{
    mesh *shapes = mem_calloc(scene->body_count + 1, sizeof *shapes);
    model *m = mem_calloc(1, sizeof *m);
    abut_status status = shapes && m ? ABUT_OK : error_memory(err, "building the scene");
    stepper *s = NULL;
    if (status == ABUT_OK) status = build_model(scene, given, shapes, m, log, err);
    if (status == ABUT_OK) status = check_look_ahead(scene, m, err);
    if (status == ABUT_OK) status = check_material_parts(scene, m, err);
    if (status == ABUT_OK) status = check_dilatation(scene, m, err);
    if (status == ABUT_OK) {
        stepper_options options = options_of(scene, m);
        model *handed = m;
        m = NULL; /* the stepper owns it now */
        status = stepper_create(handed, &options, log, &s, err);
    }
    if (status == ABUT_OK) status = build_stepper(scene, given, shapes, log, s, err);
    for (size_t i = 0; shapes && i < scene->body_count; i++) mesh_free(&shapes[i]);
    mem_free(shapes);
    if (m) model_free(m);
    mem_free(m);
    if (status != ABUT_OK) {
        stepper_destroy(s);
        return status;
    }
    *out = s;
    return ABUT_OK;
}
