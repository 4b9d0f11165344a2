/* The functions of sim.h on joints. */
#include "constraint/joint_term.h"
#include "sim/sim_state.h"

#include <string.h>

static joint_term *joints_of(const abut_sim *sim)
{
    return (joint_term *)stepper_find_term(sim->stepper, "joints");
}

size_t abut_sim_joint_count(const abut_sim *sim) { return sim->stepper->model->joints.count; }

bool abut_sim_joint(const abut_sim *sim, size_t index, abut_joint *out)
{
    const model *m = sim->stepper->model;
    if (index >= m->joints.count) return false;
    const joint_term *t = joints_of(sim);
    const model_joint *j = &m->joints.data[index];
    const joint_memory *memory = &t->memory.data[index];
    vec3 force, torque;
    joint_reaction(t, index, sim->stepper->state.x, &force, &torque);
    bool coupling = item_is_coupling(j);
    *out = (abut_joint){.name = j->name,
                        .kind = joint_kinds[j->kind].name,
                        .turns = !coupling && joint_has(j, JOINT_TURN),
                        .slides = !coupling && joint_has(j, JOINT_SLIDE),
                        .broken = memory->broken != 0};
    memcpy(out->position, memory->position, sizeof out->position);
    memcpy(out->velocity, memory->rate, sizeof out->velocity);
    memcpy(out->effort, memory->effort, sizeof out->effort);
    vec3_store(out->force, force);
    vec3_store(out->torque, torque);
    return true;
}

double *abut_sim_joint_targets(abut_sim *sim)
{
    joint_term *t = joints_of(sim);
    return t ? t->commands.data : NULL;
}
