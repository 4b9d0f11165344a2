#include "scene/import_polyfem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- */
/* Time                                                                                           */

static abut_status set_integrator(const polyfem_scene *s, json_t *time, abut_error *err)
{
    const json_t *value = polyfem_get(s->document, "time/integrator");
    const char *name =
        json_string_value(json_is_object(value) ? polyfem_get(value, "type") : value);
    char word[32] = "implicit-euler";
    if (polyfem_flag(s->document, "time/quasistatic", false)) {
        strcpy(word, "quasi-static");
    } else if (name && strncmp(name, "BDF", 3) == 0) {
        int steps = name[3] ? name[3] - '0' : (int)polyfem_number(value, "steps", 1);
        if (steps < 1 || steps > 6)
            return polyfem_error(s, ABUT_ERROR_INPUT, "/time/integrator",
                                 "BDF has 1 to 6 steps, found %d", err, steps);
        if (steps > 1) snprintf(word, sizeof word, "bdf%d", steps);
    } else if (name && strcmp(name, "ImplicitNewmark") == 0) {
        strcpy(word, "newmark");
        json_object_set_new(time, "newmark_beta", json_real(polyfem_number(value, "beta", 0.25)));
        json_object_set_new(time, "newmark_gamma", json_real(polyfem_number(value, "gamma", 0.5)));
        json_object_set_new(time, "newmark_contact", json_string("plain"));
    } else if (name && strcmp(name, "ImplicitEuler") != 0) {
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/time/integrator",
                             "\"%s\" is not supported", err, name);
    }
    json_object_set_new(time, "integrator", json_string(word));
    return ABUT_OK;
}

double polyfem_time_step(const polyfem_scene *s)
{
    const json_t *time = polyfem_get(s->document, "time");
    double step = polyfem_number(time, "dt", NAN);
    if (isnan(step))
        step = polyfem_number(time, "tend", NAN) / polyfem_number(time, "time_steps", NAN);
    return time ? step : 1;
}

static abut_status set_time(const polyfem_scene *s, json_t *native, abut_error *err)
{
    const json_t *from = polyfem_get(s->document, "time");
    json_t *time = json_object();
    json_object_set_new(native, "time", time);
    if (!from) { /* a static problem: one step to equilibrium */
        json_object_set_new(time, "step", json_real(1));
        json_object_set_new(time, "steps", json_integer(1));
        json_object_set_new(time, "integrator", json_string("quasi-static"));
        return ABUT_OK;
    }
    double t0 = polyfem_number(from, "t0", 0), end = polyfem_number(from, "tend", NAN);
    double step = polyfem_time_step(s), steps = polyfem_number(from, "time_steps", NAN);
    if (t0 != 0) return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/time/t0", "must be 0", err);
    if (isnan(steps)) steps = round(end / step);
    if (!(step > 0) || !(steps >= 0 && steps <= 2e9))
        return polyfem_error(s, ABUT_ERROR_INPUT, "/time", "needs two of tend, dt and time_steps",
                             err);
    json_object_set_new(time, "step", json_real(step));
    json_object_set_new(time, "steps", json_integer((json_int_t)steps));
    return set_integrator(s, time, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Contact and solver                                                                             */

static void set_contact(const polyfem_scene *s, json_t *native)
{
    const json_t *from = polyfem_get(s->document, "contact");
    /* The first switches the other three on, which are true unless said otherwise. */
    bool convergent = polyfem_flag(from, "use_convergent_formulation", false);
    json_t *contact = json_object();
    json_object_set_new(native, "contact", contact);
    bool on = polyfem_flag(from, "enabled", false);
    json_object_set_new(contact, "enabled", json_boolean(on));
    if (!on) return;
    json_object_set_new(contact, "dhat", json_real(polyfem_number(from, "dhat", 1e-3)));
    json_object_set_new(contact, "eps_v", json_real(polyfem_number(from, "epsv", 1e-3)));
    json_object_set_new(contact, "friction",
                        json_real(polyfem_number(from, "friction_coefficient", 0)));
    json_object_set_new(contact, "area_weighted",
                        json_boolean(convergent && polyfem_flag(from, "use_area_weighting", true)));
    /* Norms of short runs depend on the stiffness: theirs is expected. */
    json_object_set_new(
        contact, "stiffness_rule",
        json_string(polyfem_get(s->document, "time") ? "polyfem" : "polyfem-static"));
    json_object_set_new(
        contact, "physical",
        json_boolean(convergent && polyfem_flag(from, "use_physical_barrier", true)));
    json_object_set_new(
        contact, "improved_max",
        json_boolean(convergent && polyfem_flag(from, "use_improved_max_operator", true)));
    double passes = polyfem_number(s->document, "solver/contact/friction_iterations", 1);
    json_object_set_new(contact, "friction_iterations",
                        json_integer(passes < 0 ? 0 : (json_int_t)fmin(passes, 10000)));
    const json_t *stiffness = polyfem_get(s->document, "solver/contact/barrier_stiffness");
    if (json_is_number(stiffness) && json_number_value(stiffness) > 0)
        json_object_set_new(contact, "stiffness", json_real(json_number_value(stiffness)));
}

static abut_status set_gravity(const polyfem_scene *s, json_t *native, abut_error *err)
{
    static const char path[] = "boundary_conditions/rhs";
    const json_t *rhs = polyfem_get(s->document, path);
    for (size_t k = 0; k < json_array_size(rhs); k++) {
        const json_t *item = json_array_get(rhs, k);
        if (!json_is_number(item) && !json_is_string(item))
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/boundary_conditions/rhs",
                                 "must be numbers or expressions", err);
    }
    /* Their body force stands on the other side of the equation. Expressions go to the bodies. */
    vec3 gravity = polyfem_vector_has_text(rhs) ? (vec3){0} : polyfem_vector(rhs, 0);
    json_object_set_new(native, "gravity", polyfem_json_vector(vec3_scale(-1, gravity)));
    return ABUT_OK;
}

static abut_status refuse_rest(const polyfem_scene *s, abut_error *err)
{
    const char *basis = json_string_value(polyfem_get(s->document, "space/basis_type"));
    if (basis && strcmp(basis, "Lagrange") != 0)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/space/basis_type",
                             "only \"Lagrange\" is supported, found \"%s\"", err, basis);
    return ABUT_OK;
}

/* One proximal term; more of them would be solved one after the other. */
static abut_status set_solver(const polyfem_scene *s, json_t *native, abut_error *err)
{
    /* Newton's method stops there by the gradient; this is below what that amounts to, and below
     * the speeds at which friction sticks: slopes creep by less than that. */
    json_t *solver = json_pack("{s:s}", "tolerance", "1e-8 l");
    json_object_set_new(solver, "look_ahead",
                        json_false()); /* its iterates decide how some bounce */
    json_object_set_new(solver, "warm_start", json_false());
    json_object_set_new(native, "solver", solver);
    const json_t *advanced = polyfem_get(s->document, "solver/advanced");
    double weight = polyfem_number(advanced, "lagged_regularization_weight", 0);
    double passes = polyfem_number(advanced, "lagged_regularization_iterations", 1);
    if (weight > 0 && passes > 1)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED,
                             "/solver/advanced/lagged_regularization_iterations",
                             "only 1 is supported, found %g", err, passes);
    if (weight > 0) json_object_set_new(solver, "proximal_weight", json_real(weight));
    return ABUT_OK;
}

/* Numbers stay as they are: the equations are the same in any consistent units. */
static void mention_units(const polyfem_scene *s)
{
    static const char *const keys[][2] = {
        {"units/length", "m"}, {"units/mass", "kg"}, {"units/time", "s"}};
    for (int i = 0; i < 3; i++) {
        const char *unit = json_string_value(polyfem_get(s->document, keys[i][0]));
        if (unit && strcmp(unit, keys[i][1]) != 0)
            log_message(s->log, ABUT_LOG_WARNING,
                        "%s: everything is in the units of the scene (\"%s\" instead of %s)",
                        s->path, unit, keys[i][1]);
    }
}

/* A single object stands for a list of one. */
static void make_list(json_t *document, const char *key)
{
    json_t *value = json_object_get(document, key);
    if (json_is_object(value)) json_object_set_new(document, key, json_pack("[O]", value));
}

static abut_status fill(polyfem_scene *s, json_t *native, abut_error *err)
{
    TRY(polyfem_read(s, err));
    polyfem_upgrade(s->document);
    make_list(s->document, "geometry");
    make_list(s->document, "materials");
    TRY(polyfem_check_keys(s, err));
    TRY(refuse_rest(s, err));
    mention_units(s);
    json_object_set_new(native, "abut", json_integer(1));
    TRY(set_time(s, native, err));
    TRY(set_gravity(s, native, err));
    set_contact(s, native);
    TRY(polyfem_set_remesh(s, native, err));
    TRY(set_solver(s, native, err));
    TRY(polyfem_add_geometry(s, err));
    if (s->dimension == 2) json_object_set_new(native, "planar", json_true());
    json_object_set(native, "bodies", s->bodies);
    if (json_array_size(s->half_spaces) > 0) json_object_set(native, "half_spaces", s->half_spaces);
    double skip = polyfem_number(s->document, "output/paraview/skip_frame", 1);
    if (skip > 1)
        json_object_set_new(native, "output", json_pack("{s:i}", "every", (int)fmin(skip, 2e9)));
    return ABUT_OK;
}

abut_status import_polyfem(const char *path, const logger *log, json_t **native, abut_error *err)
{
    polyfem_scene s = {.path = path,
                       .log = log,
                       .bodies = json_array(),
                       .half_spaces = json_array(),
                       .names = json_object(),
                       .matched = json_object()};
    *native = json_object();
    abut_status status = *native && s.bodies && s.half_spaces && s.names && s.matched
                             ? fill(&s, *native, err)
                             : error_memory(err, "reading the scene");
    if (status != ABUT_OK) {
        json_decref(*native);
        *native = NULL;
    }
    json_decref(s.document);
    json_decref(s.folders);
    json_decref(s.bodies);
    json_decref(s.half_spaces);
    json_decref(s.names);
    json_decref(s.matched);
    return status;
}
