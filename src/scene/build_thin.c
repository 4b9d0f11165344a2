#include "scene/build_thin.h"

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

abut_status build_thin_body(const body_def *def, const mesh *shape, model *m, abut_error *err)
{
    const material_def *material = &def->material;
    switch (def->type) {
    case BODY_SHELL: {
        shell_definition shell = shell_of(&def->shell);
        return model_add_shell(m, def->name, shape, &shell, err);
    }
    case BODY_ROD: {
        rod_definition rod = {.young = material->young,
                              .poisson = material->poisson,
                              .density = material->density,
                              .diameter = def->rod.diameter,
                              .stretch_scale = def->rod.stretch_scale,
                              .bend_scale = def->rod.bending_scale,
                              .twist_scale = def->rod.twist_scale};
        return model_add_rod(m, def->name, shape, &rod, err);
    }
    case BODY_PARTICLES:
        return model_add_particles(m, def->name, shape, material->density, def->radius, err);
    default: return error_set(err, ABUT_ERROR_INTERNAL, def->name, "no thin body");
    }
}
