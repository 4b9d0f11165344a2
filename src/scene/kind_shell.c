/* Shells: sheets of the triangles of the mesh. */
#include "scene/body_source.h"
#include "scene/cloth.h"
#include "scene/native_get.h"
#include "scene/native_solid.h"
#include "scene/schema_table.h"

#include <math.h>

static void get_numbers(const json_t *object, const char *key, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = json_number_value(json_array_get(get(object, key), i));
}

/* What the preset says, then what is given. */
static void read_shell(const json_t *object, const material_def *material, bool has_material,
                       shell_def *out)
{
    static const cloth nothing = {0};
    bool preset = get(object, "preset") != NULL;
    const cloth *fabric = preset ? &cloth_table[get_word(object, "preset", cloth_words)] : &nothing;
    *out = (shell_def){.young = has_material ? material->young : fabric->young,
                       .poisson = has_material ? material->poisson : fabric->poisson,
                       .density = material->density > 0 ? material->density : fabric->density,
                       .thickness = get_number_or(object, "thickness", fabric->thickness),
                       .membrane_scale = get_number(object, "membrane_scale"),
                       .bending_scale = get_number(object, "bending_scale"),
                       .warp = native_get_vector(object, "warp"),
                       .upper = INFINITY,
                       .upper_start = 1,
                       .rest = (rest_shape_word)get_word(object, "rest", rest_shape_words),
                       .stitch = get_number(object, "stitch_stiffness")};
    out->membrane = fabric->orthotropic ? MEMBRANE_WORD_DATA_DRIVEN : MEMBRANE_WORD_NEO_HOOKEAN;
    if (get(object, "membrane"))
        out->membrane = (membrane_word)get_word(object, "membrane", membrane_words);
    out->has_stiffness = fabric->orthotropic || get(object, "stiffness");
    memcpy(out->stiffness, fabric->stiffness, sizeof out->stiffness);
    memcpy(out->strains, fabric->strains, sizeof out->strains);
    if (get(object, "stiffness")) get_numbers(object, "stiffness", 4, out->stiffness);
    if (get(object, "strains")) get_numbers(object, "strains", 3, out->strains);
    const json_t *limit = get(object, "strain_limit");
    if (!limit) return;
    bool has_upper = get(limit, "upper") || (fabric->limit > 0 && !get(limit, "lower"));
    if (has_upper) out->upper = get_number_or(limit, "upper", fabric->limit);
    out->upper_start = get_number(limit, "upper_start");
    out->lower = get_number_or(limit, "lower", 0);
    out->lower_start = get_number_or(limit, "lower_start", 0);
}

static void read(const json_t *object, body_def *out)
{
    const json_t *shell = get(object, "shell");
    read_shell(shell, &out->material, get(object, "material") != NULL, &out->shell);
    out->damping = get_number_or(shell, "damping", out->damping);
    out->bending_damping = get_number_or(shell, "bending_damping", out->damping);
}

static membrane_parameters scaled(membrane_parameters p, double factor)
{
    p.mu *= factor;
    p.lambda *= factor;
    p.a11 *= factor;
    p.a22 *= factor;
    p.a12 *= factor;
    p.g12 *= factor;
    return p;
}

static shell_definition shell_of(const shell_def *s)
{
    static const membrane_model models[] = {MEMBRANE_NEO_HOOKEAN, MEMBRANE_SVK,
                                            MEMBRANE_ORTHOTROPIC, MEMBRANE_DATA_DRIVEN};
    shell_definition def =
        shell_from_young(models[s->membrane], s->young, s->poisson, s->density, s->thickness);
    if (s->has_stiffness) {
        def.membrane.a11 = s->stiffness[0];
        def.membrane.a22 = s->stiffness[1];
        def.membrane.a12 = s->stiffness[2];
        def.membrane.g12 = s->stiffness[3];
    }
    if (s->membrane == MEMBRANE_WORD_DATA_DRIVEN)
        for (int k = 0; k < 3; k++) def.membrane.limit[k] = s->strains[k];
    def.membrane = scaled(def.membrane, s->membrane_scale);
    def.rigidity *= s->bending_scale;
    def.limit = (strain_limit){s->upper, s->upper_start, s->lower, s->lower_start};
    def.warp = s->warp;
    def.flat = s->rest == REST_FLAT;
    def.pattern = s->rest == REST_PATTERN;
    def.stitch = s->stitch;
    return def;
}

static abut_status add(const body_source *from, model *m, abut_error *err)
{
    shell_definition shell = shell_of(&from->def->shell);
    return error_add_place(err, from->place,
                           model_add_shell(m, from->def->name, from->shape, &shell, err));
}

static const char *measure(const model *m, const model_body *body)
{
    (void)m;
    (void)body;
    return "area and thickness";
}

#define TRIANGLES                                                                                  \
    {                                                                                              \
        1u << CELL_TRIANGLE | 1u << CELL_QUAD, "triangles"                                         \
    }

const body_row shell_kind = {.inelastic = true,
                             .keys = KEYS_MATERIAL | KEYS_DENSITY | KEYS_SIMULATED | KEYS_NODES |
                                     KEYS_BOUNDARY | KEYS_SEQUENCE | KEYS_SHELL,
                             .needs = NEEDS_MATERIAL,
                             .cells = {TRIANGLES, TRIANGLES},
                             .read = read,
                             .add = add,
                             .measure = measure};
