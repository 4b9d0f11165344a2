/* Nodes that follow others exactly: the term that leads their forces on. */
#include "step/followers.h"

#include "step/stepper_internal.h"

#include "body/follower.h"
#include "constraint/led_term.h"

#include <string.h>

static const term_row followers_row = {.needed = model_has_followers};

static abut_status check_conditions(const stepper *s, abut_error *err)
{
    const model *m = s->model;
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++) {
        const condition *c = &s->dirichlet.conditions.data[k];
        for (size_t i = 0; i < c->nodes.count; i++)
            if (model_follower_of(m, c->nodes.data[i]) >= 0)
                return error_set(err, ABUT_ERROR_INPUT, "",
                                 "a node of \"%.60s\" is attached exactly and prescribed as well",
                                 m->bodies.data[m->body.data[c->nodes.data[i]]].name);
    }
    return ABUT_OK;
}

abut_status stepper_lead_followers(stepper *s, abut_error *err)
{
    made_term made = {NULL, &followers_row};
    if (!model_has_followers(s->model) || stepper_find_term(s, "followers")) return ABUT_OK;
    TRY(check_conditions(s, err));
    TRY(led_create(s->model, s->problem.terms, s->problem.term_count, &made.term, err));
    if (!array_push(&s->terms, made)) {
        made.term->class->destroy(made.term);
        return error_memory(err, "attaching nodes");
    }
    return problem_add_term(&s->problem, made.term, err);
}

void stepper_fix_followers(stepper *s)
{
    const model *m = s->model;
    for (size_t i = 0; i < m->joints.count; i++)
        if (joint_follows(&m->joints.data[i]))
            memset(s->dirichlet.fixed + 3 * (size_t)follower_block(&m->joints.data[i]),
                   FIXED_FOLLOWS, 3);
}
