/* Forces that do not depend on the unknowns: gravity, loads on nodes and surfaces. */
#include "step/stepper_internal.h"

abut_status stepper_add_surface_load(stepper *s, surface_load added, const mesh *m,
                                     const side_list *sides, const int32_t *block_of_vertex,
                                     abut_error *err)
{
    if (!s->loads.surfaces) {
        TRY(surface_load_create(s->model, &s->loads.surfaces, err));
        TRY(problem_add_term(&s->problem, &s->loads.surfaces->base, err));
    }
    return surface_load_add(s->loads.surfaces, added, m, sides, block_of_vertex, err);
}

abut_status stepper_add_adhesion(stepper *s, adhesion_term *added, abut_error *err)
{
    if (!array_push(&s->loads.adhesions, added)) {
        added->base.class->destroy(&added->base);
        return error_memory(err, "adding adhesion");
    }
    return problem_add_term(&s->problem, &added->base, err);
}

static vec3 load_field(const load *l, vec3 x, double time)
{
    if (!l->field[0]) return (vec3){0};
    return (vec3){expression_value(l->field[0], x.x, x.y, x.z, time),
                  expression_value(l->field[1], x.x, x.y, x.z, time),
                  expression_value(l->field[2], x.x, x.y, x.z, time)};
}

/* Gravity and loads of the step from `time` to `end`. */
void stepper_set_forces(stepper *s, double time, double end)
{
    double *f = s->inertia->force;
    for (size_t i = 0; i < s->model->rest.count; i++)
        vec3_store(f + 3 * i, vec3_scale(s->model->load_mass.data[i], s->options.gravity));
    for (size_t k = 0; k < s->loads.nodes.count; k++) {
        const load *l = &s->loads.nodes.data[k];
        if (!time_within(time, l->from, l->until)) continue;
        for (size_t i = 0; i < l->nodes.count; i++) {
            size_t at = (size_t)l->nodes.data[i];
            vec3 force = l->share.count ? vec3_scale(l->share.data[i], l->force) : l->force;
            vec3 acceleration =
                vec3_add(l->acceleration, load_field(l, s->model->rest.data[at], end));
            force = vec3_mul_add(force, s->model->load_mass.data[at], acceleration);
            vec3_store(f + 3 * at, vec3_add(vec3_load(f + 3 * at), force));
        }
    }
    for (size_t i = 0; s->loads.user && i < 3 * s->model->rest.count; i++) f[i] += s->loads.user[i];
    if (s->loads.surfaces) surface_load_begin_step(s->loads.surfaces, s->state.x, time, end, f);
}
