#include "contact/adhesion_term.h"

#include <string.h>

static abut_status update(term *base, const double *x, abut_error *err)
{
    adhesion_term *t = (adhesion_term *)base;
    term *pairs = &t->pairs->base;
    TRY(pairs->class->update(pairs, x, err));
    memcpy(base->groups, pairs->groups, sizeof base->groups);
    return ABUT_OK;
}

/* The pairs know a factor on their energy, the stiffness of contact. Of two surfaces the vertices
 * against the triangles count alone: by a half of their areas each instead of a quarter. */
static evaluation with_strength(const adhesion_term *t, const evaluation *ev)
{
    evaluation out = *ev;
    bool surfaces = t->pairs->planes.count == 0 && !t->pairs->model->planar;
    out.kappa = (surfaces ? 2 : 1) * t->strength * ev->force_factor;
    return out;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    const adhesion_term *t = (const adhesion_term *)base;
    evaluation inner = with_strength(t, ev);
    return t->pairs->base.class->value(&t->pairs->base, &inner, x);
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const adhesion_term *t = (const adhesion_term *)base;
    evaluation inner = with_strength(t, ev);
    t->pairs->base.class->derivatives(&t->pairs->base, &inner, group, x, begin, end, gradient,
                                      hessian);
}

static abut_status restrict_to(term *base, const uint8_t *fixed, abut_error *err)
{
    term *pairs = &((adhesion_term *)base)->pairs->base;
    return pairs->class->restrict_to(pairs, fixed, err);
}

void adhesion_begin_step(adhesion_term *t, const double *x)
{
    contact_term *c = t->pairs;
    size_t vertices = c->model->surface.rows.count;
    collision_surface_positions(&c->model->surface, x, c->y);
    for (size_t k = 0; k < c->planes.count; k++)
        surface_facing_areas(&c->areas, &c->model->surface, c->y, c->planes.data[k].normal,
                             c->measures.plane_areas.data + k * vertices);
    contact_begin_step(c);
}

static void destroy(term *base)
{
    adhesion_term *t = (adhesion_term *)base;
    if (t->pairs) t->pairs->base.class->destroy(&t->pairs->base);
    mem_free(t);
}

static const term_class adhesion_class = {.name = "adhesion",
                                          .update = update,
                                          .value = value,
                                          .derivatives = derivatives,
                                          .restrict_to = restrict_to,
                                          .destroy = destroy};

abut_status adhesion_create(const model *m, double strength, double work, adhesion_term **out,
                            abut_error *err)
{
    contact_options options = {.dhat = 2 * work / strength,
                               .barrier = ADHESION_LAW,
                               .stiffness = strength,
                               .rule = STIFFNESS_BALANCED,
                               .area_weighted = true,
                               .improved_max = !m->planar};
    adhesion_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "adding adhesion");
    t->strength = strength;
    abut_status status = contact_create(m, &options, &t->pairs, err);
    if (status != ABUT_OK) {
        destroy(&t->base);
        return status;
    }
    t->base = t->pairs->base;
    t->base.class = &adhesion_class;
    *out = t;
    return ABUT_OK;
}

abut_status adhesion_add_pair(adhesion_term *t, int32_t a, int32_t b, abut_error *err)
{
    only_pair pair = {a < b ? a : b, a < b ? b : a};
    return array_push(&t->pairs->measures.only, pair) ? ABUT_OK
                                                      : error_memory(err, "adding adhesion");
}

abut_status adhesion_add_half_space(adhesion_term *t, half_space plane, abut_error *err)
{
    contact_term *c = t->pairs;
    TRY(adhesion_add_pair(t, -1, -1, err));
    TRY(contact_add_half_space(c, plane, err));
    if (!array_resize(&c->measures.plane_areas, c->planes.count * c->model->surface.rows.count + 1))
        return error_memory(err, "adding adhesion");
    adhesion_begin_step(t, (const double *)c->model->rest.data);
    return ABUT_OK;
}
