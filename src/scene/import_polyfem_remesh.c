/* PolyFEM's `space.remesh`: its tolerances are on the potential, as ours. */
#include "scene/import_polyfem.h"

#include <stdio.h>
#include <string.h>

/* Numbers that mean the same here. */
static const struct {
    const char *from, *to;
    double factor;
} numbers[] = {
    {"split/acceptance_tolerance", "split_tolerance", 1},
    {"split/culling_threshold", "split_threshold", 1},
    {"split/min_edge_length", "min_edge", 1},
    {"collapse/acceptance_tolerance", "collapse_tolerance", -1},
    {"collapse/culling_threshold", "collapse_threshold", 1},
    {"collapse/rel_max_edge_length", "max_edge", 1},
};
static const char *const switches[][2] = {{"split/enabled", "split"},
                                          {"collapse/enabled", "collapse"},
                                          {"swap/enabled", "swap"},
                                          {"smooth/enabled", "smooth"}};
/* Limits of how it tries operations, for which there are values of our own. */
static const char *const without_effect[] = {"enabled",
                                             "type",
                                             "split/max_depth",
                                             "collapse/max_depth",
                                             "swap/max_depth",
                                             "smooth/max_iters",
                                             "swap/acceptance_tolerance",
                                             "smooth/acceptance_tolerance",
                                             "collapse/abs_max_edge_length",
                                             "local_relaxation/local_mesh_n_ring",
                                             "local_relaxation/local_mesh_rel_area",
                                             "local_relaxation/max_nl_iterations"};

static bool known(const char *path)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].from, path) == 0) return true;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strcmp(switches[i][0], path) == 0) return true;
    for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++)
        if (strcmp(without_effect[i], path) == 0) return true;
    return false;
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

abut_status polyfem_set_remesh(const polyfem_scene *s, json_t *native, abut_error *err)
{
    const json_t *from = polyfem_get(s->document, "space/remesh");
    if (!polyfem_flag(from, "enabled", false)) return ABUT_OK;
    TRY(check_keys(s, from, "", err));
    json_t *to = json_object();
    json_object_set_new(native, "remesh", to);
    const char *type = json_string_value(polyfem_get(from, "type"));
    if (type && strcmp(type, "sizing_field") == 0)
        json_object_set_new(to, "method", json_string("sizing-field"));
    else if (type && strcmp(type, "physics") != 0)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/space/remesh/type",
                             "only \"physics\" and \"sizing_field\" are supported, found \"%s\"",
                             err, type);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const json_t *value = polyfem_get(from, numbers[i].from);
        if (json_is_number(value))
            json_object_set_new(to, numbers[i].to,
                                json_real(numbers[i].factor * json_number_value(value)));
    }
    bool by_energy = !json_object_get(to, "method");
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        const json_t *value = polyfem_get(from, switches[i][0]);
        bool only_by_energy =
            strcmp(switches[i][1], "swap") == 0 || strcmp(switches[i][1], "smooth") == 0;
        if (only_by_energy && !by_energy && json_is_true(value)) {
            log_message(s->log, ABUT_LOG_WARNING,
                        "%s: /space/remesh/%s: the sizing field here only splits and collapses",
                        s->path, switches[i][0]);
            continue;
        }
        if (json_is_boolean(value)) json_object_set(to, switches[i][1], (json_t *)value);
    }
    return ABUT_OK;
}
