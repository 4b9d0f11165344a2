#include "scene/build_interface.h"

#include <math.h>

static abut_status check_possible(const scene_def *scene, const stepper *s,
                                  const interface_def *def, abut_error *err)
{
    const char *what = scene->options.use_mlcp                ? "the stepper \"mlcp\""
                       : scene->remesh.on                     ? "remeshing"
                       : scene->options.friction_form.anchors ? "contact.stick_anchors"
                                                              : NULL;
    if (what) return error_set(err, ABUT_ERROR_UNSUPPORTED, "interface", "not with %s", what);
    if (def->cohesion == 0) return ABUT_OK;
    if (!s->contact->options.area_weighted || s->contact->weights.compliance)
        return error_set(err, ABUT_ERROR_INPUT, "interface.cohesion",
                         "is a traction: it needs `contact.area_weighted`, and in dynamics a "
                         "`contact.stiffness` or the `stiffness_rule` \"balanced\"");
    return ABUT_OK;
}

/* Without surfaces that are a thickness away, along which areas differ. */
static abut_status check_adhesion(const interface_def *def, const stepper *s, abut_error *err)
{
    double range = 2 * def->work / def->strength, dhat = s->contact->options.dhat;
    if (s->model->surface.thickness.count > 0)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "interface.adhesion",
                         "not in scenes whose bodies have an `offset`");
    if (!(range >= 2 * dhat))
        return error_set(
            err, ABUT_ERROR_INPUT, "interface.adhesion",
            "has the range 2 work / strength = %g m; it must be at least 2 dhat = %g m", range,
            2 * dhat);
    return ABUT_OK;
}

abut_status build_adhesion(const interface_def *def, stepper *s, adhesion_term **out,
                           abut_error *err)
{
    *out = NULL;
    if (def->work == 0) return ABUT_OK;
    TRY(check_adhesion(def, s, err));
    adhesion_term *made;
    TRY(adhesion_create(s->model, def->strength, def->work, &made, err));
    *out = made;
    return stepper_add_adhesion(s, made, err);
}

static abut_status check_table(const interface_def *def, abut_error *err)
{
    for (size_t i = 0; i < def->table_count; i++) {
        double before = i > 0 ? def->table[i - 1][0] : 0;
        if (!(def->table[i][0] > before))
            return error_set(err, ABUT_ERROR_INPUT, "interface.table",
                             "row %zu: the speed %g must be above %g", i, def->table[i][0], before);
        if (!(def->table[i][1] >= 0))
            return error_set(err, ABUT_ERROR_INPUT, "interface.table",
                             "row %zu: the coefficient %g must be at least 0", i, def->table[i][1]);
    }
    if (def->table_count > 0 && def->kinetic >= 0)
        return error_set(err, ABUT_ERROR_INPUT, "interface.kinetic",
                         "is given, and so is `table`, which has it");
    return ABUT_OK;
}

static abut_status check_coefficients(const interface_def *def, double coefficient, abut_error *err)
{
    bool directed = vec3_norm(def->direction) > 0;
    if (def->kinetic > coefficient)
        return error_set(err, ABUT_ERROR_INPUT, "interface.kinetic",
                         "%g must be at most the coefficient at rest, %g", def->kinetic,
                         coefficient);
    if (directed != (def->across >= 0))
        return error_set(err, ABUT_ERROR_INPUT,
                         directed ? "interface.across" : "interface.direction",
                         "is missing; `direction` and `across` go together");
    if (directed && !(coefficient > 0))
        return error_set(err, ABUT_ERROR_INPUT, "interface.across",
                         "needs a coefficient along the direction above 0");
    return check_table(def, err);
}

abut_status build_interface(const scene_def *scene, const interface_def *def, double coefficient,
                            stepper *s, int32_t *number, abut_error *err)
{
    TRY(check_possible(scene, s, def, err));
    TRY(check_coefficients(def, coefficient, err));
    friction_interface made = {.kinetic = def->kinetic,
                               .ratio = def->across > 0 ? def->across / coefficient : 1,
                               .direction = def->direction,
                               .cohesion = def->cohesion};
    if (def->table_count > 0)
        TRY(friction_table_make(&made.table, coefficient, &def->table[0][0], def->table_count,
                                err));
    *number = (int32_t)s->friction->interfaces.count;
    return friction_add_interface(s->friction, made, err);
}
