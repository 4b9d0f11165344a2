#include "gradient/integrator_map.h"

#include "base/memory.h"

abut_status integrator_map_make(const motion_state *of, double h, integrator_map *out,
                                abut_error *err)
{
    motion_state unit;
    state_array arrays[MAP_MAX_ARRAYS];
    double tilde[MAP_MAX_ARRAYS + 2] = {0}, fresh[MAP_MAX_ARRAYS + 2] = {0};
    TRY(motion_init(&unit, of->kind, of->beta, of->gamma, MAP_MAX_ARRAYS + 2, err));
    unit.steps = of->steps;
    *out = (integrator_map){.arrays = motion_arrays(&unit, "", arrays, MAP_MAX_ARRAYS)};
    size_t n = out->arrays;
    for (size_t k = 0; k < n; k++) arrays[k].doubles[k] = 1;
    motion_predict(&unit, h, tilde);
    for (size_t k = 0; k < n; k++) {
        out->predict[k] = tilde[k];
        tilde[k] = 0;
    }
    tilde[n] = 1;
    fresh[n + 1] = 1;
    motion_advance(&unit, h, tilde, fresh);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n + 2; j++) out->advance[i][j] = arrays[i].doubles[j];
    motion_free(&unit);
    return ABUT_OK;
}

void integrator_pull_advance(const integrator_map *map, motion_state *bar, const uint8_t *used,
                             double *tilde, double *fresh)
{
    state_array arrays[MAP_MAX_ARRAYS];
    size_t n = motion_arrays(bar, "", arrays, MAP_MAX_ARRAYS);
    for (size_t s = 0; s < bar->scalars; s++) {
        double sum[MAP_MAX_ARRAYS + 2] = {0};
        if (used && !used[s]) continue;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n + 2; j++) sum[j] += map->advance[i][j] * arrays[i].doubles[s];
        for (size_t j = 0; j < n; j++) arrays[j].doubles[s] = sum[j];
        tilde[s] += sum[n];
        fresh[s] += sum[n + 1];
    }
}

void integrator_pull_predict(const integrator_map *map, motion_state *bar, const uint8_t *used,
                             const double *tilde)
{
    state_array arrays[MAP_MAX_ARRAYS];
    size_t n = motion_arrays(bar, "", arrays, MAP_MAX_ARRAYS);
    for (size_t s = 0; s < bar->scalars; s++)
        for (size_t j = 0; (!used || used[s]) && j < n; j++)
            arrays[j].doubles[s] += map->predict[j] * tilde[s];
}
