/* PolyFEM's `space.remesh`: its tolerances are on the potential, as ours. A key either means the
 * same here, or a warning names it and what applies instead; unknown ones are refused. */
#include "scene/import_polyfem.h"

#include <stdio.h>
#include <string.h>

/* Keys that mean the same here. */
static const struct {
    const char *from, *to;
    double factor;
    bool by_energy; /* has no meaning for the sizing field */
} numbers[] = {
    {"split/acceptance_tolerance", "split_tolerance", 1, true},
    {"split/culling_threshold", "split_threshold", 1, true},
    {"split/min_edge_length", "min_edge", 1, false},
    {"split/max_depth", "depth", 1, false},
    {"collapse/acceptance_tolerance", "collapse_tolerance", -1, true},
    {"collapse/culling_threshold", "collapse_threshold", 1, true},
    {"collapse/rel_max_edge_length", "max_edge", 1, false},
};
static const struct {
    const char *from, *to;
    bool by_energy;
} switches[] = {{"split/enabled", "split", false},
                {"collapse/enabled", "collapse", false},
                {"swap/enabled", "swap", true},
                {"smooth/enabled", "smooth", true}};

/* Keys that have no effect, and why: a warning says so unless their operation is off (which: a path
 * and whether it is on without being named). same: the native key whose value applies to them, too,
 * so that there is nothing to say when both are equal. */
static const struct {
    const char *from, *operation;
    bool on_by_default;
    const char *same;
    double factor, default_value; /* of `same` */
    const char *instead;
} without_effect[] = {
    {"collapse/max_depth", "collapse/enabled", true, "depth", 1, 3,
     "split/max_depth applies to both"},
    {"collapse/abs_max_edge_length", "collapse/enabled", true, NULL, 0, 0,
     "lengths of collapses are relative to the starting mesh (rel_max_edge_length)"},
    {"swap/acceptance_tolerance", "swap/enabled", false, "collapse_tolerance", -1, 1e-8,
     "the tolerance of collapses applies to swaps"},
    {"swap/max_depth", "swap/enabled", false, NULL, 0, 0, "an edge is tried once in a step"},
    {"smooth/acceptance_tolerance", "smooth/enabled", false, "collapse_tolerance", -1, 1e-8,
     "the tolerance of collapses applies to smoothing"},
    {"smooth/max_iters", "smooth/enabled", false, NULL, 0, 0, "a vertex is tried once in a step"},
    {"local_relaxation/local_mesh_n_ring", NULL, true, NULL, 0, 0, "patches have sizes of our own"},
    {"local_relaxation/local_mesh_rel_area", NULL, true, NULL, 0, 0,
     "patches have sizes of our own"},
    {"local_relaxation/max_nl_iterations", NULL, true, NULL, 0, 0,
     "patches have iterations of our own"},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool known(const char *path)
{
    for (size_t i = 0; i < COUNT(numbers); i++)
        if (strcmp(numbers[i].from, path) == 0) return true;
    for (size_t i = 0; i < COUNT(switches); i++)
        if (strcmp(switches[i].from, path) == 0) return true;
    for (size_t i = 0; i < COUNT(without_effect); i++)
        if (strcmp(without_effect[i].from, path) == 0) return true;
    return strcmp(path, "enabled") == 0 || strcmp(path, "type") == 0;
}

static abut_status check_keys(const polyfem_scene *s, const json_t *object, const char *above,
                              abut_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        char path[200], field[240];
        snprintf(path, sizeof path, "%s%s%.80s", above, above[0] ? "/" : "", key);
        snprintf(field, sizeof field, "/space/remesh/%s", path);
        if (json_is_object(value) && !above[0]) {
            TRY(check_keys(s, value, path, err));
        } else if (!known(path))
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                                 "this key of PolyFEM is not supported", err);
    }
    return ABUT_OK;
}

static void warn(const polyfem_scene *s, const char *path, const char *instead)
{
    log_message(s->log, ABUT_LOG_WARNING, "%s: /space/remesh/%s has no effect: %s", s->path, path,
                instead);
}

/* Numbers and switches that mean the same; those that the sizing field does not have are named. */
static void set_keys(const polyfem_scene *s, const json_t *from, bool by_energy, json_t *to)
{
    for (size_t i = 0; i < COUNT(numbers); i++) {
        const json_t *value = polyfem_get(from, numbers[i].from);
        if (!json_is_number(value)) continue;
        if (numbers[i].by_energy && !by_energy)
            warn(s, numbers[i].from, "the sizing field has no energies");
        else if (json_is_integer(value) && numbers[i].factor == 1)
            json_object_set(to, numbers[i].to, (json_t *)value);
        else
            json_object_set_new(to, numbers[i].to,
                                json_real(numbers[i].factor * json_number_value(value)));
    }
    for (size_t i = 0; i < COUNT(switches); i++) {
        const json_t *value = polyfem_get(from, switches[i].from);
        if (!json_is_boolean(value)) continue;
        if (!switches[i].by_energy || by_energy)
            json_object_set(to, switches[i].to, (json_t *)value);
        else if (json_is_true(value))
            warn(s, switches[i].from, "the sizing field here only splits and collapses");
    }
}

static void mention_without_effect(const polyfem_scene *s, const json_t *from, bool by_energy,
                                   const json_t *to)
{
    for (size_t i = 0; i < COUNT(without_effect); i++) {
        const json_t *value = polyfem_get(from, without_effect[i].from);
        const char *operation = without_effect[i].operation, *same = without_effect[i].same;
        bool tried = by_energy || without_effect[i].on_by_default;
        if (!value || !tried) continue;
        if (operation && !polyfem_flag(from, operation, without_effect[i].on_by_default)) continue;
        if (same && json_number_value(value) ==
                        without_effect[i].factor *
                            polyfem_number(to, same, without_effect[i].default_value))
            continue;
        warn(s, without_effect[i].from, without_effect[i].instead);
    }
}

abut_status polyfem_set_remesh(const polyfem_scene *s, json_t *native, abut_error *err)
{
    const json_t *from = polyfem_get(s->document, "space/remesh");
    if (!polyfem_flag(from, "enabled", false)) return ABUT_OK;
    TRY(check_keys(s, from, "", err));
    json_t *to = json_object();
    json_object_set_new(native, "remesh", to);
    const char *type = json_string_value(polyfem_get(from, "type"));
    bool by_energy = !type || strcmp(type, "physics") == 0;
    if (!by_energy && strcmp(type, "sizing_field") != 0)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/space/remesh/type",
                             "only \"physics\" and \"sizing_field\" are supported, found \"%s\"",
                             err, type);
    if (!by_energy) json_object_set_new(to, "method", json_string("sizing-field"));
    set_keys(s, from, by_energy, to);
    mention_without_effect(s, from, by_energy, to);
    return ABUT_OK;
}
