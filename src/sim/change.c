#include "sim/change.h"

#include "base/ranks.h"
#include "constraint/joint_term.h"
#include "define/definition.h"
#include "define/document.h"
#include "scene/load.h"
#include "sim/carry_bodies.h"
#include "sim/contacts.h"
#include "verify/verify_positions.h"

#include <math.h>
#include <string.h>

static abut_status no_memory(abut_error *err) { return error_memory(err, "changing the scene"); }

/* ---- Building anew ---- */

/* Lengths relative to the size of the scene stay what they are while bodies come and go. */
static bool keep_length(const json_t *old, json_t *now, const char *part, const char *key,
                        double value)
{
    const json_t *before = json_object_get(json_object_get(old, part), key);
    json_t *object = json_object_get(now, part), *at = json_object_get(object, key);
    bool given = json_is_string(at) && json_is_string(before) && json_equal(at, before);
    if (object && at && !given) return true;
    if (!json_is_string(before)) return true;
    if (!object) {
        if (json_object_set_new(now, part, json_object()) != 0) return false;
        object = json_object_get(now, part);
    }
    return json_object_set_new(object, key, json_real(value)) == 0;
}

static abut_status keep_lengths(const abut_sim *sim, json_t *document, abut_error *err)
{
    const json_t *old = sim->scene->resolved;
    const stepper_options *o = &sim->stepper->options;
    if (!keep_length(old, document, "contact", "dhat", o->contact_options.dhat) ||
        !keep_length(old, document, "contact", "eps_v", o->eps_v) ||
        !keep_length(old, document, "solver", "tolerance", o->tolerance))
        return no_memory(err);
    return ABUT_OK;
}

static abut_status check_possible(const abut_sim *sim, abut_error *err)
{
    if (sim->remesh)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "remesh",
                         "a scene that is remeshed cannot change while it runs");
    if (sim->stepper->mlcp.solver)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "stepper",
                         "a scene of the stepper \"mlcp\" cannot change while it runs");
    if (ranks_divided())
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "ranks",
                         "a scene that runs on several ranks cannot change while it runs");
    return ABUT_OK;
}

static abut_status check_kept(const scene_def *old, const scene_def *now, abut_error *err)
{
    const stepper_options *a = &old->options, *b = &now->options;
    if (a->h != b->h)
        return error_set(err, ABUT_ERROR_INPUT, "time.step",
                         "cannot change while the scene runs: it is %g s", a->h);
    if (a->integrator != b->integrator)
        return error_set(err, ABUT_ERROR_INPUT, "time.integrator",
                         "cannot change while the scene runs: it is \"%s\"",
                         integrator_words[a->integrator]);
    if (now->remesh.on || b->use_mlcp || old->planar != now->planar)
        return error_set(err, ABUT_ERROR_INPUT,
                         now->remesh.on ? "remesh"
                         : b->use_mlcp  ? "stepper"
                                        : "planar",
                         "cannot change while the scene runs");
    return ABUT_OK;
}

static bool retire(abut_sim *sim, void *pointer)
{
    return !pointer || array_push(&sim->retired, pointer);
}

/* What the caller may have pointers to is kept; the rest of the old stepper goes. Without memory
 * for the list, such an array stays for good. */
static void retire_stepper(abut_sim *sim, stepper *old)
{
    model *m = old->model;
    bool kept = retire(sim, old->state.x) && retire(sim, old->state.v) &&
                retire(sim, old->loads.user) && retire(sim, old->dirichlet.user) &&
                retire(sim, m->mass.data) && retire(sim, m->surface.edges.data) &&
                retire(sim, m->surface.triangles.data) && retire(sim, m->tets.data);
    for (size_t i = 0; i < m->bodies.count; i++) {
        kept = kept && retire(sim, m->bodies.data[i].name);
        m->bodies.data[i].name = NULL;
    }
    for (size_t i = 0; i < m->joints.count; i++) {
        kept = kept && retire(sim, m->joints.data[i].name);
        m->joints.data[i].name = NULL;
    }
    joint_term *joints = (joint_term *)stepper_find_term(old, "joints");
    if (joints) {
        kept = kept && retire(sim, joints->commands.data);
        joints->commands.data = NULL;
    }
    (void)kept;
    old->state.x = old->state.v = old->loads.user = old->dirichlet.user = NULL;
    m->mass.data = NULL;
    m->surface.edges.data = m->surface.triangles.data = m->tets.data = NULL;
    stepper_destroy(old);
}

/* Pointers of the caller's follow their bodies. */
static abut_status carry_users(abut_sim *sim, const model *from, const model *to, abut_error *err)
{
    void **now = mem_calloc(to->bodies.count + 1, sizeof *now);
    if (!now) return no_memory(err);
    for (size_t i = 0; i < to->bodies.count; i++)
        for (size_t k = 0; k < sim->users.count && k < from->bodies.count; k++)
            if (strcmp(to->bodies.data[i].name, from->bodies.data[k].name) == 0)
                now[i] = sim->users.data[k];
    bool ok = array_resize(&sim->users, to->bodies.count);
    if (ok && to->bodies.count > 0) memcpy(sim->users.data, now, to->bodies.count * sizeof *now);
    mem_free(now);
    return ok ? ABUT_OK : no_memory(err);
}

static abut_status check_feasible(const scene_def *scene, const stepper *s, abut_error *err)
{
    verify_result r;
    TRY(verify_positions(scene, s->model, s->state.x, &r, err));
    size_t wrong = r.intersections + r.behind_planes + r.inside;
    if (wrong + r.inverted == 0) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INFEASIBLE, "change",
                     "with it there are %zu intersections and %zu inverted elements", wrong,
                     r.inverted);
}

static abut_status build_changed(abut_sim *sim, const scene_def *scene, stepper **out,
                                 abut_error *err)
{
    TRY(check_kept(sim->scene, scene, err));
    if (sim->stepper->elastic->state.parts.count > 0)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "materials",
                         "bodies cannot change while the scene runs with viscous, plastic, fibre "
                         "or growing materials: their states would be lost");
    TRY(scene_build(scene, &sim->log, out, err));
    TRY(carry_bodies(sim->stepper, *out, err));
    TRY(check_feasible(scene, *out, err));
    return carry_users(sim, sim->stepper->model, (*out)->model, err);
}

abut_status sim_change(abut_sim *sim, json_t *document, abut_error *err)
{
    scene_def *scene = NULL;
    stepper *now = NULL;
    abut_status status = check_possible(sim, err);
    if (status == ABUT_OK) status = keep_lengths(sim, document, err);
    if (status != ABUT_OK) {
        json_decref(document);
        return status;
    }
    TRY(scene_from_document(sim->scene->path, document, NULL, 0, &sim->log, &scene, err));
    status = build_changed(sim, scene, &now, err);
    if (status != ABUT_OK) {
        stepper_destroy(now);
        scene_free(scene);
        return status;
    }
    retire_stepper(sim, sim->stepper);
    scene_free(sim->scene);
    sim->scene = scene;
    sim->stepper = now;
    stepper_measure(now, &sim->last);
    return sim_contacts_restart(sim, err);
}

/* ---- Changes of the document ---- */

static json_t *copy_document(const abut_sim *sim) { return json_deep_copy(sim->scene->resolved); }

abut_status sim_set_material(abut_sim *sim, const char *name, const abut_material_def *def,
                             abut_error *err)
{
    json_t *now, *document = copy_document(sim);
    json_t *materials = document ? json_object_get(document, "materials") : NULL;
    abut_status status = document ? ABUT_OK : no_memory(err);
    if (status == ABUT_OK && !json_object_get(materials, name ? name : ""))
        status = error_set(err, ABUT_ERROR_INPUT, "materials",
                           "there is no material of the name \"%.60s\"", name ? name : "");
    if (status == ABUT_OK) status = definition_write(&material_definition, def, &now, err);
    if (status == ABUT_OK && json_object_set_new(materials, name, now) != 0)
        status = no_memory(err);
    if (status == ABUT_OK) return sim_change(sim, document, err);
    json_decref(document);
    return status;
}

/* The body of that name, or NULL; *at: its number. */
static json_t *find_body(const json_t *bodies, const char *name, size_t *at)
{
    json_t *body;
    size_t index;
    json_array_foreach(bodies, index, body)
    {
        const char *own = json_string_value(json_object_get(body, "name"));
        *at = index;
        if (own && name && strcmp(own, name) == 0) return body;
    }
    return NULL;
}

abut_status sim_add_body(abut_sim *sim, const abut_body_def *def, abut_error *err)
{
    json_t *body, *document = copy_document(sim);
    size_t index;
    abut_status status = document ? ABUT_OK : no_memory(err);
    json_t *bodies = document ? json_object_get(document, "bodies") : NULL;
    if (status == ABUT_OK && (!def->name || !def->name[0]))
        status = error_set(err, ABUT_ERROR_INPUT, "name", "a body that is added needs a name");
    if (status == ABUT_OK && find_body(bodies, def->name, &index))
        status = error_set(err, ABUT_ERROR_INPUT, "name",
                           "there is a body of the name \"%.60s\" already", def->name);
    if (status == ABUT_OK) status = document_write_body(def, &body, err);
    if (status == ABUT_OK && json_array_append_new(bodies, body) != 0) status = no_memory(err);
    if (status == ABUT_OK) return sim_change(sim, document, err);
    json_decref(document);
    return status;
}

abut_status sim_remove_body(abut_sim *sim, const char *name, abut_error *err)
{
    json_t *document = copy_document(sim);
    size_t index;
    if (!document) return no_memory(err);
    json_t *bodies = json_object_get(document, "bodies");
    if (find_body(bodies, name, &index)) {
        json_array_remove(bodies, index);
        return sim_change(sim, document, err);
    }
    json_decref(document);
    return error_set(err, ABUT_ERROR_INPUT, "name", "there is no body of the name \"%.60s\"",
                     name ? name : "");
}

/* ---- Numbers that the steps read anew ---- */

static json_t *vector_json(const double *v) { return json_pack("[f, f, f]", v[0], v[1], v[2]); }

abut_status sim_set_gravity(abut_sim *sim, const double gravity[3], abut_error *err)
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(gravity[k]))
            return error_set(err, ABUT_ERROR_INPUT, "gravity", "is not a finite number");
    if (json_object_set_new(sim->scene->resolved, "gravity", vector_json(gravity)) != 0)
        return no_memory(err);
    sim->scene->options.gravity = sim->stepper->options.gravity = vec3_load(gravity);
    stepper_measure(sim->stepper, &sim->last);
    return ABUT_OK;
}

static abut_status check_friction(const abut_sim *sim, double friction, double least,
                                  abut_error *err)
{
    if (!sim->stepper->friction)
        return error_set(err, ABUT_ERROR_INPUT, "contact.enabled",
                         "the scene has no contact, and so no friction");
    if (!(friction >= least && isfinite(friction)))
        return error_set(err, ABUT_ERROR_INPUT, "friction", "is %g; it must not be negative",
                         friction);
    return ABUT_OK;
}

abut_status sim_set_friction(abut_sim *sim, double friction, abut_error *err)
{
    TRY(check_friction(sim, friction, 0, err));
    json_t *contact = json_object_get(sim->scene->resolved, "contact");
    if (json_object_set_new(contact, "friction", json_real(friction)) != 0) return no_memory(err);
    sim->scene->options.friction = sim->stepper->options.friction = friction;
    sim->stepper->friction->scene_mu = friction;
    return ABUT_OK;
}

/* Pieces of a body that was split count by its name. */
abut_status sim_set_body_friction(abut_sim *sim, const char *body, double friction, abut_error *err)
{
    const scene_def *scene = sim->scene;
    bool found = false;
    TRY(check_friction(sim, friction, -INFINITY, err));
    json_t *bodies = json_object_get(scene->resolved, "bodies");
    for (size_t i = 0, built = 0; i < scene->body_count; i++) {
        bool enabled = scene->bodies[i].enabled;
        if (body && scene_names(scene, body, i)) {
            json_t *object = json_array_get(bodies, i);
            if (friction < 0)
                json_object_del(object, "friction");
            else if (json_object_set_new(object, "friction", json_real(friction)) != 0)
                return no_memory(err);
            scene->bodies[i].friction = friction < 0 ? -1 : friction;
            if (enabled)
                sim->stepper->model->bodies.data[built].friction = scene->bodies[i].friction;
            found = true;
        }
        built += enabled;
    }
    if (found) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "body", "there is no body of the name \"%.60s\"",
                     body ? body : "");
}

/* Friction of the two in the document: the entry that is there, or a new one. */
static abut_status write_pair(json_t *document, const char *first, const char *second,
                              double friction, abut_error *err)
{
    json_t *list = json_object_get(json_object_get(document, "contact"), "friction_pairs"), *entry;
    size_t index;
    json_array_foreach(list, index, entry)
    {
        const char *a = json_string_value(json_object_get(entry, "first"));
        const char *b = json_string_value(json_object_get(entry, "second"));
        bool same = a && b &&
                    ((strcmp(a, first) == 0 && strcmp(b, second) == 0) ||
                     (strcmp(a, second) == 0 && strcmp(b, first) == 0));
        if (same) {
            json_array_remove(list, index);
            break;
        }
    }
    entry =
        json_pack("{s: s, s: s, s: f}", "first", first, "second", second, "coefficient", friction);
    return json_array_append_new(list, entry) == 0 ? ABUT_OK : no_memory(err);
}

abut_status sim_set_pair_friction(abut_sim *sim, const char *first, const char *second,
                                  double friction, abut_error *err)
{
    const scene_def *scene = sim->scene;
    bool found[2] = {false, false};
    TRY(check_friction(sim, friction, 0, err));
    const char *names[2] = {first ? first : "", second ? second : ""};
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < scene->body_count; i++)
            found[side] = found[side] || scene_names(scene, names[side], i);
        if (!found[side])
            return error_set(err, ABUT_ERROR_INPUT, "friction",
                             "there is no body of the name \"%.60s\"", names[side]);
    }
    TRY(write_pair(scene->resolved, names[0], names[1], friction, err));
    for (size_t i = 0, a = 0; i < scene->body_count; a += scene->bodies[i++].enabled)
        for (size_t k = 0, b = 0; k < scene->body_count; b += scene->bodies[k++].enabled)
            if (scene->bodies[i].enabled && scene->bodies[k].enabled &&
                scene_names(scene, names[0], i) && scene_names(scene, names[1], k))
                TRY(friction_set_pair(sim->stepper->friction, (int32_t)a, (int32_t)b, friction,
                                      err));
    return ABUT_OK;
}
