/* reactions.csv: forces of supports, bodies and half-spaces, one row per step (measure/
 * reaction_list.h). */
#include "base/file.h"
#include "run/run_internal.h"

#include <stdio.h>

enum { COMPONENTS = 6, COLUMN_NAME = 112 };
static const char *const component[COMPONENTS] = {"fx", "fy", "fz", "mx", "my", "mz"};

static abut_status open_table(run *r, const char *path, int64_t last, abut_error *err)
{
    size_t rows = r->reactions.list.rows.count, count = COMPONENTS * rows;
    char(*text)[COLUMN_NAME] = mem_alloc(count + 1, sizeof *text);
    const char **names = mem_alloc(count + 1, sizeof *names);
    abut_status status = error_memory(err, "opening reactions.csv");
    if (text && names) {
        for (size_t i = 0; i < count; i++) {
            snprintf(text[i], sizeof text[i], "%s.%s",
                     r->reactions.list.rows.data[i / COMPONENTS].name, component[i % COMPONENTS]);
            names[i] = text[i];
        }
        status = named_table_open(&r->reactions.table, path, names, count, last, err);
    }
    mem_free(names);
    mem_free(text);
    return status;
}

abut_status run_reactions_open(run *r, int64_t last, abut_error *err)
{
    const stepper *s = r->sim->stepper;
    if (!r->sim->scene->output.reactions || !r->frames.writes) return ABUT_OK;
    char path[4096];
    path_join(path, sizeof path, r->options->folder, "reactions.csv");
    TRY(reaction_list_measure(&r->reactions.list, s, err));
    return open_table(r, path, last, err);
}

abut_status run_reactions_append(run *r, abut_error *err)
{
    const stepper *s = r->sim->stepper;
    if (!r->reactions.table.stream) return ABUT_OK;
    TRY(reaction_list_measure(&r->reactions.list, s, err));
    array_clear(&r->reactions.values);
    for (size_t i = 0; i < r->reactions.list.rows.count; i++) {
        const reaction *v = &r->reactions.list.rows.data[i].value;
        const double numbers[COMPONENTS] = {v->force.x,  v->force.y,  v->force.z,
                                            v->moment.x, v->moment.y, v->moment.z};
        for (int k = 0; k < COMPONENTS; k++)
            if (!array_push(&r->reactions.values, numbers[k]))
                return error_memory(err, "writing reactions.csv");
    }
    return named_table_append(&r->reactions.table, s->state.steps, s->time,
                              r->reactions.values.data, err);
}

abut_status run_reactions_close(run *r, abut_error *err)
{
    abut_status status = named_table_close(&r->reactions.table, err);
    reaction_list_free(&r->reactions.list);
    array_free(&r->reactions.values);
    return status;
}
