/* Materials of PolyFEM, and the damping that its solver adds. */
#include "scene/import_polyfem.h"

#include <math.h>
#include <string.h>

static bool same_id(const json_t *material, int id)
{
    const json_t *ids = polyfem_get(material, "id");
    if (!ids) return true; /* one for all */
    if (json_is_integer(ids)) return json_integer_value(ids) == id;
    for (size_t i = 0; i < json_array_size(ids); i++)
        if (json_integer_value(json_array_get(ids, i)) == id) return true;
    return false;
}

/* Keys of a material that are understood. */
static const char *unknown_key(const json_t *material)
{
    static const char *const known[] = {
        "type", "id", "E",  "nu", "lambda", "mu", "rho",    "density",           "phi",
        "psi",  "c1", "c2", "k",  "c",      "m",  "models", "JBarrierThreshold", "comment",
        NULL};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)material, key, value)
    {
        int i = 0;
        while (known[i] && strcmp(known[i], key) != 0) i++;
        if (!known[i] && key[0] != '#') return key;
    }
    return NULL;
}

static const char *model_of(const char *type)
{
    static const struct {
        const char *theirs, *ours;
    } names[] = {{"NeoHookean", "neo-hookean"},
                 {"LinearElasticity", "linear"},
                 {"FixedCorotational", "fixed-corotated"},
                 {"SaintVenant", "saint-venant-kirchhoff"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(type, names[i].theirs) == 0) return names[i].ours;
    return NULL;
}

/* lambda and mu as PolyFEM has them; in the plane it takes those of plane stress. */
static bool lame_of(const polyfem_scene *s, const json_t *material, double *lambda, double *mu)
{
    double young = polyfem_number(material, "E", NAN), nu = polyfem_number(material, "nu", NAN);
    *lambda = polyfem_number(material, "lambda", NAN);
    *mu = polyfem_number(material, "mu", NAN);
    if (!isnan(young) && !isnan(nu)) {
        *mu = young / (2 * (1 + nu));
        *lambda =
            s->dimension == 2 ? nu * young / (1 - nu * nu) : young * nu / ((1 + nu) * (1 - 2 * nu));
    }
    return isfinite(*lambda) && isfinite(*mu) && *mu > 0;
}

/* What the parts of a material add up to: energies that are linear in their coefficients. */
typedef struct material_sum {
    const char *model; /* native; NULL: none yet */
    double lambda, mu; /* models with Lame's parameters */
    json_t *coefficients, *exponents;
    double bulk;
    double barrier, below;
} material_sum;

static void sum_free(material_sum *sum)
{
    json_decref(sum->coefficients);
    json_decref(sum->exponents);
}

static abut_status refuse(const polyfem_scene *s, int id, const char *what, const char *type,
                          abut_error *err)
{
    return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/materials", "%s \"%s\" (id %d)%s", err, what,
                         type, id, " is not supported");
}

static void add_terms(material_sum *sum, const json_t *factors, const json_t *powers)
{
    size_t count = json_is_array(factors) ? json_array_size(factors) : 1;
    for (size_t i = 0; i < count; i++) {
        double c = json_number_value(json_is_array(factors) ? json_array_get(factors, i) : factors);
        double m = json_number_value(json_is_array(powers) ? json_array_get(powers, i) : powers);
        json_array_append_new(sum->coefficients, json_real(c));
        json_array_append_new(sum->exponents, json_real(m));
    }
}

/* MooneyRivlin and IncompressibleOgden: both are Ogden's energy here. */
static bool add_ogden(material_sum *sum, const json_t *part, const char *type)
{
    const json_t *c = polyfem_get(part, "c"), *m = polyfem_get(part, "m");
    double bulk = polyfem_number(part, "k", NAN);
    if (!isfinite(bulk)) return false;
    sum->bulk += bulk;
    if (strcmp(type, "IncompressibleOgden") == 0) {
        bool lists = json_is_array(c) && json_array_size(c) == json_array_size(m);
        if (!lists && !(json_is_number(c) && json_is_number(m))) return false;
        add_terms(sum, c, m);
        return true;
    }
    double c1 = polyfem_number(part, "c1", NAN), c2 = polyfem_number(part, "c2", NAN);
    if (!isfinite(c1) || !isfinite(c2)) return false;
    json_t *factors = json_pack("[f, f]", 4 * c1, 4 * c2), *powers = json_pack("[f, f]", 2.0, -2.0);
    add_terms(sum, factors, powers);
    json_decref(factors);
    json_decref(powers);
    return true;
}

static abut_status add_part(const polyfem_scene *s, int id, const json_t *part, material_sum *sum,
                            abut_error *err)
{
    const char *type = json_string_value(polyfem_get(part, "type"));
    if (!type) type = "";
    const char *model = model_of(type), *unknown = unknown_key(part);
    bool ogden = strcmp(type, "MooneyRivlin") == 0 || strcmp(type, "IncompressibleOgden") == 0;
    bool barrier = strcmp(type, "InversionBarrier") == 0;
    double lambda = 0, mu = 0;
    if (unknown)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/materials",
                             "the key \"%s\" of the material with id %d is not supported", err,
                             unknown, id);
    if (!model && !ogden && !barrier) return refuse(s, id, "the material", type, err);
    if (polyfem_number(part, "phi", 0) != 0 || polyfem_number(part, "psi", 0) != 0)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/materials",
                             "viscous damping (phi, psi) of id %d is not supported", err, id);
    if (ogden && s->dimension == 2) return refuse(s, id, "in the plane, the material", type, err);
    if (!ogden && !lame_of(s, part, &lambda, &mu))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/materials",
                             "id %d needs E and nu, or lambda and mu, as numbers", err, id);
    if (barrier) {
        double below = polyfem_number(part, "JBarrierThreshold", 0.5);
        if (sum->barrier > 0 && below != sum->below)
            return refuse(s, id, "a second threshold of the material", type, err);
        sum->barrier += mu;
        sum->below = below;
        return ABUT_OK;
    }
    if (ogden) model = "ogden";
    if (sum->model && strcmp(sum->model, model) != 0)
        return refuse(s, id, "a sum of another material and", type, err);
    sum->model = model;
    if (ogden && !add_ogden(sum, part, type))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/materials",
                             "id %d needs c1, c2 and k, or c, m and k, as numbers", err, id);
    sum->lambda += lambda;
    sum->mu += mu;
    return ABUT_OK;
}

/* Rayleigh damping of elasticity: their stiffness times K times the velocity. */
static abut_status damping_of(const polyfem_scene *s, double *out, abut_error *err)
{
    const json_t *list = polyfem_get(s->document, "solver/rayleigh_damping");
    *out = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *form = json_string_value(polyfem_get(item, "form"));
        if (!form || strcmp(form, "elasticity") != 0)
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/solver/rayleigh_damping",
                                 "entry %zu damps \"%s\"; only \"elasticity\" is supported", err, i,
                                 form ? form : "");
        double ratio = polyfem_number(item, "stiffness_ratio", NAN);
        double stiffness = polyfem_number(item, "stiffness", 0);
        double h = polyfem_time_step(s);
        *out += isnan(ratio) ? stiffness : 0.75 * ratio * h * h * h;
    }
    return ABUT_OK;
}

static json_t *material_json(const material_sum *sum, double density, double damping)
{
    json_t *out;
    if (strcmp(sum->model, "ogden") == 0)
        out = json_pack("{s:s, s:O, s:O, s:f}", "model", "ogden", "coefficients", sum->coefficients,
                        "exponents", sum->exponents, "bulk", sum->bulk);
    else
        out = json_pack("{s:s, s:f, s:f}", "model", sum->model, "young",
                        sum->mu * (3 * sum->lambda + 2 * sum->mu) / (sum->lambda + sum->mu),
                        "poisson", sum->lambda / (2 * (sum->lambda + sum->mu)));
    json_object_set_new(out, "density", json_real(density));
    if (damping > 0) json_object_set_new(out, "damping", json_real(damping));
    if (sum->barrier > 0) {
        json_object_set_new(out, "barrier", json_real(sum->barrier));
        json_object_set_new(out, "barrier_below", json_real(sum->below));
    }
    return out;
}

abut_status polyfem_material(const polyfem_scene *s, int id, const char *field, json_t **out,
                             abut_error *err)
{
    const json_t *list = polyfem_get(s->document, "materials"), *found = NULL;
    for (size_t i = 0; !found && i < json_array_size(list); i++)
        if (same_id(json_array_get(list, i), id)) found = json_array_get(list, i);
    if (!found)
        return polyfem_error(s, ABUT_ERROR_INPUT, field, "there is no material with the id %d", err,
                             id);
    const char *type = json_string_value(polyfem_get(found, "type"));
    bool is_sum = type && strcmp(type, "MaterialSum") == 0;
    const json_t *models = polyfem_get(found, "models");
    double damping = 0, density = polyfem_number(found, "rho", polyfem_number(found, "density", 1));
    material_sum sum = {.coefficients = json_array(), .exponents = json_array()};
    abut_status status = damping_of(s, &damping, err);
    for (size_t i = 0; status == ABUT_OK && i < (is_sum ? json_array_size(models) : 1); i++)
        status = add_part(s, id, is_sum ? json_array_get(models, i) : found, &sum, err);
    if (status == ABUT_OK && !sum.model) status = refuse(s, id, "the material", type, err);
    if (status == ABUT_OK) {
        *out = material_json(&sum, density, damping);
        if (!*out) status = error_memory(err, "reading the scene");
    }
    sum_free(&sum);
    return status;
}
