/* What is understood of PolyFEM's keys. A key that is not in the table is refused by name; one that
 * is ignored does not change what is computed. */
#include "scene/import_polyfem.h"

#include <stdio.h>
#include <string.h>

typedef enum key_use {
    KEY_USED,           /* the whole value below it too */
    KEY_WITHOUT_EFFECT, /* output, and how PolyFEM solves: no effect on the result here */
    KEY_ONLY_OFF        /* no effect while it is false, 0 or empty; else refused */
} key_use;

/* * stands for any index of a list. */
static const struct {
    const char *path;
    key_use use;
} keys[] = {
    {"/boundary_conditions/dirichlet_boundary/*/dimension", KEY_USED},
    {"/boundary_conditions/dirichlet_boundary/*/id", KEY_USED},
    {"/boundary_conditions/dirichlet_boundary/*/interpolation", KEY_USED},
    {"/boundary_conditions/dirichlet_boundary/*/value", KEY_USED},
    {"/boundary_conditions/neumann_boundary/*/id", KEY_USED},
    {"/boundary_conditions/neumann_boundary/*/interpolation", KEY_USED},
    {"/boundary_conditions/neumann_boundary/*/value", KEY_USED},
    {"/boundary_conditions/normal_aligned_neumann_boundary/*/id", KEY_USED},
    {"/boundary_conditions/normal_aligned_neumann_boundary/*/interpolation", KEY_USED},
    {"/boundary_conditions/normal_aligned_neumann_boundary/*/value", KEY_USED},
    {"/boundary_conditions/obstacle_displacements/*/id", KEY_USED},
    {"/boundary_conditions/obstacle_displacements/*/interpolation", KEY_USED},
    {"/boundary_conditions/obstacle_displacements/*/value", KEY_USED},
    {"/boundary_conditions/periodic_boundary", KEY_ONLY_OFF},
    {"/boundary_conditions/pressure_boundary/*/id", KEY_USED},
    {"/boundary_conditions/pressure_boundary/*/interpolation", KEY_USED},
    {"/boundary_conditions/pressure_boundary/*/value", KEY_USED},
    {"/boundary_conditions/rhs", KEY_USED},
    {"/contact/adhesion/adhesion_enabled", KEY_ONLY_OFF},
    {"/contact/alpha_n", KEY_WITHOUT_EFFECT}, /* of the formulation that is refused when on */
    {"/contact/alpha_t", KEY_WITHOUT_EFFECT},
    {"/contact/beta_n", KEY_WITHOUT_EFFECT},
    {"/contact/beta_t", KEY_WITHOUT_EFFECT},
    {"/contact/collision_mesh/enabled", KEY_USED},
    {"/contact/collision_mesh/linear_map", KEY_USED},
    {"/contact/collision_mesh/max_edge_length", KEY_USED},
    {"/contact/collision_mesh/mesh", KEY_USED},
    {"/contact/collision_mesh/position", KEY_USED},
    {"/contact/collision_mesh/rotation", KEY_USED},
    {"/contact/collision_mesh/scale", KEY_USED},
    {"/contact/collision_mesh/tessellation_type", KEY_WITHOUT_EFFECT}, /* always regular */
    {"/contact/dhat", KEY_USED},
    {"/contact/dhat_percentage", KEY_WITHOUT_EFFECT}, /* of an optimisation of shapes */
    {"/contact/enabled", KEY_USED},
    {"/contact/epsv", KEY_USED},
    {"/contact/friction_coefficient", KEY_USED},
    {"/contact/min_distance_ratio", KEY_WITHOUT_EFFECT},
    {"/contact/periodic", KEY_ONLY_OFF},
    {"/contact/use_adaptive_dhat", KEY_ONLY_OFF},
    {"/contact/use_area_weighting", KEY_USED},
    {"/contact/use_convergent_formulation", KEY_USED},
    {"/contact/use_gcp_formulation", KEY_ONLY_OFF},
    {"/contact/use_improved_max_operator", KEY_USED},
    {"/contact/use_physical_barrier", KEY_USED},
    {"/geometry/*/array", KEY_USED},
    {"/geometry/*/advanced/force_linear_geometry", KEY_ONLY_OFF},
    {"/geometry/*/advanced/normalize_mesh", KEY_USED},
    {"/geometry/*/enabled", KEY_USED},
    {"/geometry/*/extract", KEY_USED},
    {"/geometry/*/fps", KEY_USED},
    {"/geometry/*/height", KEY_USED},
    {"/geometry/*/is_obstacle", KEY_USED},
    {"/geometry/*/mesh", KEY_USED},
    {"/geometry/*/mesh_sequence", KEY_USED},
    {"/geometry/*/n_refs", KEY_USED},
    {"/geometry/*/normal", KEY_USED},
    {"/geometry/*/point", KEY_USED},
    {"/geometry/*/point_selection", KEY_USED},
    {"/geometry/*/surface_selection", KEY_USED},
    {"/geometry/*/transformation/dimensions", KEY_USED},
    {"/geometry/*/transformation/rotation", KEY_USED},
    {"/geometry/*/transformation/rotation_mode", KEY_USED},
    {"/geometry/*/transformation/scale", KEY_USED},
    {"/geometry/*/transformation/translation", KEY_USED},
    {"/geometry/*/type", KEY_USED},
    {"/geometry/*/unit", KEY_USED},
    {"/geometry/*/volume_selection", KEY_USED},
    {"/initial_conditions/velocity/*/id", KEY_USED},
    {"/initial_conditions/velocity/*/value", KEY_USED},
    {"/materials", KEY_USED}, /* checked where they are read */
    {"/output/advanced", KEY_WITHOUT_EFFECT},
    {"/output/data", KEY_WITHOUT_EFFECT},
    {"/output/directory", KEY_WITHOUT_EFFECT},
    {"/output/json", KEY_WITHOUT_EFFECT},
    {"/output/log", KEY_WITHOUT_EFFECT},
    {"/output/paraview/skip_frame", KEY_USED},
    {"/output/paraview/file_name", KEY_WITHOUT_EFFECT},
    {"/output/paraview/fields", KEY_WITHOUT_EFFECT},
    {"/output/paraview/high_order_mesh", KEY_WITHOUT_EFFECT},
    {"/output/paraview/options", KEY_WITHOUT_EFFECT},
    {"/output/paraview/points", KEY_WITHOUT_EFFECT},
    {"/output/paraview/surface", KEY_WITHOUT_EFFECT},
    {"/output/paraview/vismesh_rel_area", KEY_WITHOUT_EFFECT},
    {"/output/paraview/volume", KEY_WITHOUT_EFFECT},
    {"/output/paraview/wireframe", KEY_WITHOUT_EFFECT},
    {"/output/reference", KEY_WITHOUT_EFFECT},
    {"/output/restart_json", KEY_WITHOUT_EFFECT},
    {"/output/stats", KEY_WITHOUT_EFFECT},
    {"/solver/advanced/cache_size", KEY_WITHOUT_EFFECT},
    {"/solver/advanced/characteristic_force_density", KEY_WITHOUT_EFFECT},
    {"/solver/advanced/check_inversion", KEY_WITHOUT_EFFECT}, /* always conservative */
    {"/solver/advanced/jacobian_threshold", KEY_WITHOUT_EFFECT},
    {"/solver/advanced/lagged_regularization_iterations", KEY_USED},
    {"/solver/advanced/lagged_regularization_weight", KEY_USED},
    {"/solver/advanced/lump_mass_matrix", KEY_USED},
    {"/solver/augmented_lagrangian", KEY_WITHOUT_EFFECT},
    {"/solver/contact/CCD", KEY_WITHOUT_EFFECT},
    {"/solver/contact/barrier_stiffness", KEY_USED},
    {"/solver/contact/friction_convergence_tol", KEY_WITHOUT_EFFECT},
    {"/solver/contact/friction_iterations", KEY_USED},
    {"/solver/contact/initial_barrier_stiffness", KEY_WITHOUT_EFFECT},
    {"/solver/linear", KEY_WITHOUT_EFFECT},
    {"/solver/max_threads", KEY_WITHOUT_EFFECT},
    {"/solver/nonlinear", KEY_WITHOUT_EFFECT}, /* the tolerance is chosen below theirs */
    {"/solver/rayleigh_damping", KEY_USED},
    {"/space/advanced/bc_method", KEY_WITHOUT_EFFECT},         /* sampled at the nodes */
    {"/space/advanced/count_flipped_els", KEY_WITHOUT_EFFECT}, /* always */
    {"/space/advanced/count_flipped_els_continuous", KEY_WITHOUT_EFFECT},
    {"/space/advanced/isoparametric", KEY_ONLY_OFF},
    {"/space/advanced/n_boundary_samples", KEY_WITHOUT_EFFECT},
    {"/space/advanced/use_corner_quadrature", KEY_ONLY_OFF},
    {"/space/use_p_ref", KEY_ONLY_OFF},
    {"/space/advanced/quadrature_order", KEY_WITHOUT_EFFECT},
    {"/space/advanced/mass_quadrature_order", KEY_WITHOUT_EFFECT},
    {"/space/basis_type", KEY_USED},
    {"/space/discr_order", KEY_USED},
    {"/space/remesh", KEY_USED},
    {"/tests", KEY_WITHOUT_EFFECT}, /* read by the conformance tests */
    {"/time/dt", KEY_USED},
    {"/time/integrator", KEY_USED},
    {"/time/quasistatic", KEY_USED},
    {"/time/t0", KEY_USED},
    {"/time/tend", KEY_USED},
    {"/time/time_steps", KEY_USED},
    {"/units", KEY_USED},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* 2: the path is in the table; 1: it leads to one that is; 0: neither. */
static int find_key(const char *path, key_use *use)
{
    size_t length = strlen(path);
    int found = 0;
    for (int i = 0; i < KEY_COUNT; i++) {
        if (strncmp(keys[i].path, path, length) != 0) continue;
        if (keys[i].path[length] == '/') found = found ? found : 1;
        if (keys[i].path[length]) continue;
        *use = keys[i].use;
        return 2;
    }
    return found;
}

/* Nothing is switched on: false, 0, "", and lists and objects of nothing but such. */
static bool is_off(const json_t *value)
{
    const char *key;
    json_t *item;
    if (json_is_boolean(value)) return json_is_false(value);
    if (json_is_number(value)) return json_number_value(value) == 0;
    if (json_is_string(value)) return json_string_value(value)[0] == 0;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!is_off(json_array_get(value, i))) return false;
    json_object_foreach((json_t *)value, key, item)
    {
        if (strcmp(key, "enabled") == 0 && json_is_false(item)) return true;
    }
    json_object_foreach((json_t *)value, key, item)
    {
        if (!is_off(item)) return false;
    }
    return true;
}

/* pattern: with * for indices; field: as it is written. */
static abut_status check(const polyfem_scene *s, const json_t *value, const char *pattern,
                         const char *field, abut_error *err)
{
    key_use use = KEY_USED;
    int found = pattern[0] ? find_key(pattern, &use) : 1;
    if (!found)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "this key of PolyFEM is not supported", err);
    if (found == 2 && use == KEY_ONLY_OFF && !is_off(value))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "this key of PolyFEM is supported only when it is off", err);
    if (found == 2) return ABUT_OK;
    char next_pattern[300], next_field[300];
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            snprintf(next_pattern, sizeof next_pattern, "%.250s/*", pattern);
            snprintf(next_field, sizeof next_field, "%.250s/%zu", field, i);
            TRY(check(s, json_array_get(value, i), next_pattern, next_field, err));
        }
    } else if (json_is_object(value)) {
        const char *key;
        json_t *item;
        json_object_foreach((json_t *)value, key, item)
        {
            if (key[0] == '#') continue; /* a key that is commented out */
            snprintf(next_pattern, sizeof next_pattern, "%.150s/%.100s", pattern, key);
            snprintf(next_field, sizeof next_field, "%.150s/%.100s", field, key);
            TRY(check(s, item, next_pattern, next_field, err));
        }
    } else if (!json_is_null(value)) {
        return polyfem_error(s, ABUT_ERROR_INPUT, field, "an object or a list is expected", err);
    }
    return ABUT_OK;
}

abut_status polyfem_check_keys(const polyfem_scene *s, abut_error *err)
{
    if (!json_object_get(s->document, "geometry"))
        return polyfem_error(s, ABUT_ERROR_INPUT, "/geometry",
                             "is missing; a file for \"common\" of other scenes is no scene itself",
                             err);
    return check(s, s->document, "", "", err);
}
