/* probes.csv: values of fields at points, over regions and across cuts, one row per step (measure/
 * probe_list.h). */
#include "base/file.h"
#include "run/run_internal.h"

#include <stdio.h>

enum { COLUMN_NAME = 80 };

static abut_status open_table(run *r, const char *path, int64_t last, abut_error *err)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < r->probes.list.items.count; i++)
        count += (size_t)r->probes.list.items.data[i].components;
    char(*text)[COLUMN_NAME] = mem_alloc(count + 1, sizeof *text);
    const char **names = mem_alloc(count + 1, sizeof *names);
    abut_status status = error_memory(err, "opening probes.csv");
    if (text && names) {
        for (size_t i = 0; i < r->probes.list.items.count; i++)
            for (int k = 0; k < r->probes.list.items.data[i].components; k++, at++) {
                probe_column(&r->probes.list.items.data[i], k, text[at], sizeof text[at]);
                names[at] = text[at];
            }
        status = named_table_open(&r->probes.table, path, names, count, last, err);
    }
    mem_free(names);
    mem_free(text);
    return status;
}

abut_status run_probes_open(run *r, int64_t last, abut_error *err)
{
    if (r->sim->scene->output.probe_count == 0 || !r->frames.writes) return ABUT_OK;
    char path[4096];
    path_join(path, sizeof path, r->options->folder, "probes.csv");
    TRY(probe_list_init(&r->probes.list, r->sim->scene, r->sim->stepper, err));
    TRY(open_table(r, path, last, err));
    return last == NAMED_TABLE_NEW ? run_probes_append(r, err) : ABUT_OK;
}

abut_status run_probes_append(run *r, abut_error *err)
{
    const stepper *s = r->sim->stepper;
    if (!r->probes.table.stream) return ABUT_OK;
    TRY(probe_list_measure(&r->probes.list, s, err));
    return named_table_append(&r->probes.table, s->state.steps, s->time, r->probes.list.values.data,
                              err);
}

abut_status run_probes_close(run *r, abut_error *err)
{
    abut_status status = named_table_close(&r->probes.table, err);
    probe_list_free(&r->probes.list);
    return status;
}
