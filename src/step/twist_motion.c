#include "step/twist_motion.h"

#include "fem/twist.h"

void twist_set_lengths(const model *m, double *lengths)
{
    for (size_t i = 0; i < m->codim.angle_rest.count; i++)
        lengths[m->codim.angles.data[3 * i]] = m->codim.angle_rest.data[i].radius;
}

static bool all_fixed(const uint8_t *fixed, int32_t block)
{
    const uint8_t *at = fixed + 3 * (size_t)block;
    return at[0] && at[1] && at[2];
}

void twist_prescribe(const model *m, const condition *conditions, size_t condition_count,
                     const double *x, double time, double end, int32_t *condition_of,
                     uint8_t *fixed, double *target)
{
    for (size_t i = 0; i < m->rest.count; i++) condition_of[i] = -1;
    for (size_t k = 0; k < condition_count; k++) {
        const condition *c = &conditions[k];
        if (!condition_active(c, time)) continue;
        for (size_t i = 0; i < c->nodes.count; i++) condition_of[c->nodes.data[i]] = (int32_t)k;
    }
    for (size_t i = 0; i < m->codim.angle_rest.count; i++) {
        const int32_t *angle = m->codim.angles.data + 3 * i; /* its block, the edge's nodes */
        size_t at = 3 * (size_t)angle[0];
        fixed[at + 1] = fixed[at + 2] = 1;
        if (!all_fixed(fixed, angle[1]) || !all_fixed(fixed, angle[2])) continue;
        fixed[at] = 1;
        int32_t number = condition_of[angle[1]];
        if (number < 0 || condition_of[angle[2]] != number) continue;
        vec3 edge =
            vec3_sub(vec3_load(x + 3 * (size_t)angle[2]), vec3_load(x + 3 * (size_t)angle[1]));
        mat3 turn = mat3_mul(condition_rotation(&conditions[number], end),
                             mat3_transpose(condition_rotation(&conditions[number], time)));
        target[at] += twist_of_rotation(turn, vec3_normalize(edge));
    }
}
