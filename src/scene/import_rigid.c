#include "scene/import_rigid.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the program assumes where a fixture says nothing. */
static const double DEFAULT_STEP = 0.01, DEFAULT_DHAT = 1e-3, DEFAULT_EPS_V = 1e-3,
                    DEFAULT_TOLERANCE = 1e-2;
enum { DEFAULT_STEPS = 1000, DEFAULT_NEWTON = 3000 };

/* What stands outside of rigid_body_problem, checked. */
typedef struct fixture_options {
    double dhat, eps_v, friction, tolerance;
    bool tolerance_is_absolute, newmark;
    int friction_iterations; /* native: 0 is until converged */
    int newton_iterations;
    vec3 gravity;
} fixture_options;

static const char *const nothing[] = {NULL};

static const json_t *section(const json_t *root, const char *key)
{
    return json_object_get(root, key);
}

static abut_status check_sections(const fixture *f, const json_t *root)
{
    static const char *const known[] = {"scene_type",
                                        "solver",
                                        "timestep",
                                        "max_time",
                                        "max_iterations",
                                        "rigid_body_problem",
                                        "distance_barrier_constraint",
                                        "friction_constraints",
                                        "ipc_solver",
                                        "newton_solver",
                                        NULL};
    /* Of the viewer and of other solvers; the last one is misspelt in a published fixture, so that
     * its values never had an effect. */
    static const char *const ignored[] = {"viewport_bbox",
                                          "homotopy_solver",
                                          "ncp_solver",
                                          "barrier_newton_solver",
                                          "volume_constraint",
                                          "distance_barrier_constraints",
                                          NULL};
    static const char *const objects[] = {"rigid_body_problem",   "distance_barrier_constraint",
                                          "friction_constraints", "ipc_solver",
                                          "newton_solver",        NULL};
    TRY(fixture_check_keys(f, "", root, known, ignored));
    for (int i = 0; objects[i]; i++) {
        const json_t *value = section(root, objects[i]);
        if (value && !json_is_object(value))
            return fixture_wrong(f, "", objects[i], "an object", value);
    }
    static const char *const scenes[] = {"distance_barrier_rb_problem",
                                         "split_distance_barrier_rb_problem", NULL};
    static const char *const solvers[] = {"ipc_solver", NULL};
    int word;
    TRY(fixture_word(f, "", root, "scene_type", scenes, &word));
    return fixture_word(f, "", root, "solver", solvers, &word);
}

static abut_status read_time(fixture *f, const json_t *root)
{
    double end = -1, most = -1;
    f->step = DEFAULT_STEP;
    TRY(fixture_number(f, "", root, "timestep", &f->step));
    TRY(fixture_number(f, "", root, "max_time", &end));
    TRY(fixture_number(f, "", root, "max_iterations", &most));
    if (!(f->step > 0))
        return fixture_wrong(f, "", "timestep", "a number > 0", section(root, "timestep"));
    double steps = end >= 0 ? ceil(end / f->step * (1 - 1e-12)) : most >= 0 ? most : DEFAULT_STEPS;
    if (end >= 0 && most >= 0) steps = fmin(steps, most);
    f->steps = (int64_t)fmin(steps, 2e9);
    return ABUT_OK;
}

static abut_status read_barrier(fixture *f, const json_t *root, fixture_options *o)
{
    static const char place[] = "distance_barrier_constraint";
    static const char *const known[] = {"initial_barrier_activation_distance",
                                        "minimum_separation_distance",
                                        "detection_method",
                                        "trajectory_type",
                                        "barrier_type",
                                        NULL};
    static const char *const ignored[] = {"use_distance_hashgrid", "custom_hashgrid_cellsize",
                                          "extend_collision_set", "use_log_barrier", NULL};
    static const char *const methods[] = {"bvh", "hash_grid", "brute_force", NULL};
    /* Whatever is asked for, the paths are those of piecewise_linear, which is always safe. */
    static const char *const paths[] = {"piecewise_linear", "rigid", "redon", "linear", NULL};
    static const char *const barriers[] = {"ipc", "poly_log", "spline", NULL};
    const json_t *object = section(root, place);
    int word;
    TRY(fixture_check_keys(f, place, object, known, ignored));
    TRY(fixture_number(f, place, object, known[0], &o->dhat));
    if (!(o->dhat > 0))
        return fixture_wrong(f, place, known[0], "a number > 0", section(object, known[0]));
    TRY(fixture_number(f, place, object, known[1], &f->separation));
    if (!(f->separation >= 0))
        return fixture_wrong(f, place, known[1], "a number >= 0", section(object, known[1]));
    TRY(fixture_word(f, place, object, "detection_method", methods, &word));
    TRY(fixture_word(f, place, object, "trajectory_type", paths, &word));
    TRY(fixture_word(f, place, object, "barrier_type", barriers, &word));
    if (word != 0)
        return fixture_refuse(f, place, "barrier_type", "only the barrier \"ipc\" is supported");
    return ABUT_OK;
}

static abut_status read_friction(const fixture *f, const json_t *root, fixture_options *o)
{
    static const char place[] = "friction_constraints";
    static const char *const known[] = {"static_friction_speed_bound", "iterations", NULL};
    const json_t *object = section(root, place);
    double iterations = 1;
    TRY(fixture_check_keys(f, place, object, known, nothing));
    TRY(fixture_number(f, place, object, "static_friction_speed_bound", &o->eps_v));
    if (!(o->eps_v > 0))
        return fixture_wrong(f, place, known[0], "a number > 0", section(object, known[0]));
    TRY(fixture_number(f, place, object, "iterations", &iterations));
    if (iterations == 0) o->friction = 0;
    o->friction_iterations = iterations < 0 ? 0 : (int)fmax(1, fmin(iterations, 10000));
    return ABUT_OK;
}

/* Values of newton_solver are the defaults of ipc_solver. */
static abut_status read_solver(const fixture *f, const json_t *root, const char *place,
                               fixture_options *o)
{
    static const char *const known[] = {"velocity_conv_tol", "is_velocity_conv_tol_abs",
                                        "max_iterations", "convergence_criteria", NULL};
    static const char *const ignored[] = {"energy_conv_tol", "line_search_lower_bound",
                                          "dhat_epsilon",    "min_barrier_stiffness_scale",
                                          "linear_solver",   NULL};
    static const char *const criteria[] = {"velocity", "energy", NULL};
    const json_t *object = section(root, place);
    double iterations = o->newton_iterations;
    int word;
    TRY(fixture_check_keys(f, place, object, known, ignored));
    TRY(fixture_number(f, place, object, "velocity_conv_tol", &o->tolerance));
    if (!(o->tolerance > 0))
        return fixture_wrong(f, place, known[0], "a number > 0", section(object, known[0]));
    TRY(fixture_bool(f, place, object, "is_velocity_conv_tol_abs", &o->tolerance_is_absolute));
    TRY(fixture_number(f, place, object, "max_iterations", &iterations));
    o->newton_iterations = (int)fmax(1, fmin(iterations, 1e6));
    TRY(fixture_word(f, place, object, "convergence_criteria", criteria, &word));
    if (word != 0)
        return fixture_refuse(f, place, "convergence_criteria",
                              "only the criterion \"velocity\" is supported");
    return ABUT_OK;
}

static abut_status read_problem(fixture *f, const json_t *problem, fixture_options *o)
{
    static const char place[] = "rigid_body_problem";
    static const char *const known[] = {"rigid_bodies", "gravity", "coefficient_friction",
                                        "time_stepper", NULL};
    /* Restitution exists only in an older, two-dimensional problem of that program. */
    static const char *const ignored[] = {"coefficient_restitution", "collision_eps",
                                          "do_intersection_check", NULL};
    static const char *const steppers[] = {"default", "implicit_euler", "implicit_newmark",
                                           "stabilized_newmark", NULL};
    int word;
    TRY(fixture_check_keys(f, place, problem, known, ignored));
    const json_t *gravity = section(problem, "gravity");
    double g[3] = {0, 0, 0};
    for (size_t i = 0; i < json_array_size(gravity) && i < (f->planar ? 2u : 3u); i++)
        g[i] = json_number_value(json_array_get(gravity, i));
    if (gravity && json_array_size(gravity) < 2)
        return fixture_wrong(f, place, "gravity", "a list of numbers", gravity);
    o->gravity = vec3_load(g);
    TRY(fixture_number(f, place, problem, "coefficient_friction", &o->friction));
    if (!(o->friction >= 0))
        return fixture_wrong(f, place, "coefficient_friction", "a number >= 0",
                             section(problem, "coefficient_friction"));
    TRY(fixture_word(f, place, problem, "time_stepper", steppers, &word));
    if (word == 3)
        return fixture_refuse(f, place, "time_stepper", "\"stabilized_newmark\" is not supported");
    o->newmark = word == 2;
    return ABUT_OK;
}

/* Two coordinates anywhere make a planar scene. */
static bool is_planar(const json_t *bodies)
{
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        const json_t *body = json_array_get(bodies, i);
        const json_t *vertex = json_array_get(json_object_get(body, "vertices"), 0);
        if (json_array_size(vertex) == 2 ||
            json_array_size(json_object_get(body, "position")) == 2 ||
            json_array_size(json_object_get(body, "linear_velocity")) == 2)
            return true;
    }
    return false;
}

static bool does_not_move_freely(const json_t *body)
{
    const char *type = json_string_value(json_object_get(body, "type"));
    const json_t *fixed = json_object_get(body, "is_dof_fixed");
    bool all = json_is_true(fixed) || json_array_size(fixed) > 0;
    for (size_t i = 0; i < json_array_size(fixed); i++)
        all = all && json_is_true(json_array_get(fixed, i));
    return all || (type && strcmp(type, "dynamic") != 0);
}

/* Bodies that name the group of a static body join all static bodies. */
static void find_shared_groups(fixture *f, const json_t *bodies)
{
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        const json_t *body = json_array_get(bodies, i), *id = json_object_get(body, "group_id");
        char key[40];
        if (!json_is_integer(id) || json_integer_value(id) < 0 || !does_not_move_freely(body))
            continue;
        snprintf(key, sizeof key, "%lld", (long long)json_integer_value(id));
        json_object_set_new(f->shared_group, key, json_true());
    }
}

static abut_status read_bodies(fixture *f, const json_t *problem)
{
    const json_t *bodies = section(problem, "rigid_bodies");
    if (!json_is_array(bodies) || json_array_size(bodies) == 0)
        return fixture_wrong(f, "rigid_body_problem", "rigid_bodies", "a list of bodies", bodies);
    find_shared_groups(f, bodies);
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        const json_t *body = json_array_get(bodies, i);
        char key[40];
        snprintf(key, sizeof key, "rigid_bodies[%zu]", i);
        if (!json_is_object(body))
            return fixture_wrong(f, "rigid_body_problem", key, "an object", body);
        TRY(fixture_body_import(f, body, i));
    }
    if (json_array_size(f->bodies) == 0)
        return fixture_refuse(f, "rigid_body_problem", "rigid_bodies", "no body is enabled");
    return ABUT_OK;
}

/* --- Native JSON --- */

static json_t *document_json(const fixture *f, const fixture_options *o)
{
    json_t *out = json_object(), *time = json_object(), *contact = json_object();
    json_t *solver = json_object();
    json_object_set_new(out, "abut", json_integer(1));
    if (f->planar) json_object_set_new(out, "planar", json_true());
    json_object_set_new(time, "step", json_real(f->step));
    json_object_set_new(time, "steps", json_integer(f->steps));
    if (o->newmark) {
        json_object_set_new(time, "integrator", json_string("newmark"));
        json_object_set_new(time, "newmark_contact", json_string("plain"));
    }
    json_object_set_new(out, "time", time);
    json_object_set_new(out, "gravity", fixture_json_vector(o->gravity));
    json_object_set_new(contact, "dhat", json_real(o->dhat));
    json_object_set_new(contact, "stiffness_rule", json_string("balanced"));
    json_object_set_new(contact, "friction", json_real(o->friction));
    json_object_set_new(contact, "eps_v", json_real(o->eps_v));
    json_object_set_new(contact, "friction_iterations", json_integer(o->friction_iterations));
    json_object_set_new(out, "contact", contact);
    double l = o->tolerance_is_absolute ? 1 : vec3_norm(vec3_sub(f->high, f->low));
    json_object_set_new(solver, "tolerance", json_real(o->tolerance * l));
    json_object_set_new(solver, "max_iterations", json_integer(o->newton_iterations));
    json_object_set_new(out, "solver", solver);
    json_object_set(out, "bodies", f->bodies);
    return out;
}

/* --- The importer --- */

/* The folder of the fixture, and every folder "meshes" above it. */
static abut_status find_folders(fixture *f, abut_error *err)
{
    char *real = realpath(f->path, NULL);
    char folder[4096], candidate[4200];
    path_folder(folder, sizeof folder, real ? real : f->path);
    free(real);
    char *copy = mem_strdup(folder);
    bool good = copy && array_push(&f->folders, copy);
    while (good && folder[0]) {
        snprintf(candidate, sizeof candidate, "%s/meshes", folder);
        if (file_is_directory(candidate)) {
            copy = mem_strdup(candidate);
            good = copy && array_push(&f->folders, copy);
        }
        char *slash = strrchr(folder, '/');
        if (!slash) break;
        *slash = 0;
    }
    return good ? ABUT_OK : error_memory(err, "reading a fixture");
}

static abut_status import_document(fixture *f, const json_t *root, json_t **native)
{
    fixture_options o = {.dhat = DEFAULT_DHAT,
                         .eps_v = DEFAULT_EPS_V,
                         .tolerance = DEFAULT_TOLERANCE,
                         .newton_iterations = DEFAULT_NEWTON};
    TRY(check_sections(f, root));
    const json_t *problem = section(root, "rigid_body_problem");
    f->planar = is_planar(section(problem, "rigid_bodies"));
    TRY(read_time(f, root));
    TRY(read_problem(f, problem, &o));
    TRY(read_barrier(f, root, &o));
    TRY(read_friction(f, root, &o));
    TRY(read_solver(f, root, "newton_solver", &o));
    TRY(read_solver(f, root, "ipc_solver", &o));
    TRY(read_bodies(f, problem));
    *native = document_json(f, &o);
    return ABUT_OK;
}

static void free_fixture(fixture *f)
{
    for (size_t i = 0; i < f->meshes.count; i++) {
        mem_free(f->meshes.data[i].path);
        mesh_free(&f->meshes.data[i].shape);
    }
    for (size_t i = 0; i < f->folders.count; i++) mem_free(f->folders.data[i]);
    array_free(&f->meshes);
    array_free(&f->folders);
    json_decref(f->bodies);
    json_decref(f->names);
    json_decref(f->shared_group);
}

abut_status import_rigid(const char *path, const logger *log, json_t **native, abut_error *err)
{
    *native = NULL;
    json_t *root = json_load_file(path, 0, NULL);
    if (!root) return error_set(err, ABUT_ERROR_INPUT, path, "cannot be read as JSON");
    fixture f = {.path = path,
                 .log = log,
                 .err = err,
                 .low = {INFINITY, INFINITY, INFINITY},
                 .high = {-INFINITY, -INFINITY, -INFINITY},
                 .bodies = json_array(),
                 .names = json_object(),
                 .shared_group = json_object()};
    /* A saved run has its fixture under "args". */
    const json_t *args = json_object_get(root, "args");
    abut_status status = find_folders(&f, err);
    if (status == ABUT_OK) status = import_document(&f, json_is_object(args) ? args : root, native);
    free_fixture(&f);
    json_decref(root);
    return status;
}
