#include "measure/cut.h"

#include <string.h>

typedef struct cut_work {
    const stepper *s;
    int32_t body;
    vec3 point, normal;
    double *out;
} cut_work;

static bool in_front(const cut_work *w, int32_t block)
{
    return vec3_dot(vec3_sub(w->s->model->rest.data[block], w->point), w->normal) > 0;
}

/* Whether a stencil has nodes of the body on both sides. */
static bool is_cut(const cut_work *w, const int32_t *blocks, int width)
{
    bool front = false, back = false;
    for (int k = 0; k < width; k++) {
        if (blocks[k] < 0 || w->s->model->body.data[blocks[k]] != w->body ||
            !model_block_is_position(w->s->model, (size_t)blocks[k]))
            continue;
        *(in_front(w, blocks[k]) ? &front : &back) = true;
    }
    return front && back;
}

static abut_status add_term(const cut_work *w, const term *t, abut_error *err)
{
    evaluation ev = evaluation_unit();
    ev.h = w->s->evaluation.h;
    ev.kappa = w->s->evaluation.kappa;
    for (int g = 0; g < t->group_count; g++) {
        const stencil_group *group = &t->groups[g];
        double *gradient = mem_alloc(3 * (size_t)group->width, sizeof *gradient);
        if (!gradient) return error_memory(err, "measuring a cut");
        for (size_t e = 0; e < group->count; e++) {
            const int32_t *blocks = group->blocks + e * (size_t)group->width;
            if (!is_cut(w, blocks, group->width)) continue;
            t->class->derivatives(t, &ev, g, w->s->state.x, e, e + 1, gradient, NULL);
            for (int k = 0; k < group->width; k++) {
                if (blocks[k] < 0 || w->s->model->body.data[blocks[k]] != w->body ||
                    !model_block_is_position(w->s->model, (size_t)blocks[k]) ||
                    !in_front(w, blocks[k]))
                    continue;
                vec3 force = vec3_neg(vec3_load(gradient + 3 * k));
                vec3 moment = vec3_cross(vec3_load(w->s->state.x + 3 * (size_t)blocks[k]), force);
                const double add[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
                for (int c = 0; c < 6; c++) w->out[c] += add[c];
            }
        }
        mem_free(gradient);
    }
    return ABUT_OK;
}

abut_status cut_resultant(const stepper *s, int32_t body, vec3 point, vec3 normal, double out[6],
                          abut_error *err)
{
    cut_work work = {s, body, point, normal, out};
    memset(out, 0, 6 * sizeof *out);
    TRY(add_term(&work, &s->elastic->base, err));
    for (size_t i = 0; i < s->terms.count; i++)
        if (!s->terms.data[i].term->dynamic) TRY(add_term(&work, s->terms.data[i].term, err));
    return ABUT_OK;
}
