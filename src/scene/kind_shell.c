/* Shells: sheets of the triangles of the mesh. */
#include "scene/body_source.h"
#include "scene/cloth.h"
#include "scene/complete.h"

#include <math.h>
#include <string.h>

/* What the preset says where nothing is given. A limit without numbers is that of the preset. */
static void complete_limit(limit_def *limit, bool given, const cloth *fabric)
{
    if (!given) *limit = (limit_def){.upper = INFINITY, .upper_start = 1};
    bool has_upper = limit->upper > 0 || (fabric->limit > 0 && !(limit->lower > 0));
    if (!has_upper)
        limit->upper = INFINITY;
    else if (!(limit->upper > 0))
        limit->upper = fabric->limit;
}

static void complete(body_def *body)
{
    static const cloth nothing = {0};
    shell_def *shell = &body->shell;
    const material_def *material = &body->material;
    const cloth *fabric = shell->preset >= 0 ? &cloth_table[shell->preset] : &nothing;
    shell->young = material->given ? material->young : fabric->young;
    shell->poisson = material->given ? material->poisson : fabric->poisson;
    shell->density = material->density > 0 ? material->density : fabric->density;
    if (!(shell->thickness > 0)) shell->thickness = fabric->thickness;
    if (!shell->has_membrane && fabric->orthotropic) shell->membrane = MEMBRANE_DATA_DRIVEN;
    if (!shell->has_stiffness) memcpy(shell->stiffness, fabric->stiffness, sizeof shell->stiffness);
    if (!shell->has_strains) memcpy(shell->strains, fabric->strains, sizeof shell->strains);
    shell->has_stiffness = shell->has_stiffness || fabric->orthotropic;
    complete_limit(&shell->limit, shell->has_limit, fabric);
    complete_thin_damping(body, shell->damping, shell->bending_damping);
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
    shell_definition def =
        shell_from_young(s->membrane, s->young, s->poisson, s->density, s->thickness);
    if (s->has_stiffness) {
        def.membrane.a11 = s->stiffness[0];
        def.membrane.a22 = s->stiffness[1];
        def.membrane.a12 = s->stiffness[2];
        def.membrane.g12 = s->stiffness[3];
    }
    if (s->membrane == MEMBRANE_DATA_DRIVEN)
        for (int k = 0; k < 3; k++) def.membrane.limit[k] = s->strains[k];
    def.membrane = scaled(def.membrane, s->membrane_scale);
    def.rigidity *= s->bending_scale;
    def.limit =
        (strain_limit){s->limit.upper, s->limit.upper_start, s->limit.lower, s->limit.lower_start};
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
                             .complete = complete,
                             .add = add,
                             .measure = measure};
