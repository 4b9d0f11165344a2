#include "verify/verify_steps.h"

#include "base/file.h"
#include "output/table.h"

/* Whether the row needs a frame. The last state of a run that came to its end has one, whatever its
 * number; the last row of a run that was killed (no summary) may be without the frame after it. */
static bool needs_frame(const run_verification *v, const step_row *rows, size_t count, size_t i,
                        bool ended)
{
    bool last = i + 1 == count;
    if (rows[i].step % v->scene->output.frame_every == 0) return !last || ended;
    return last && ended && rows[i].time >= v->scene->end_time * (1 - 1e-9);
}

static abut_status compare(run_verification *v, const step_row *rows, size_t count,
                           const frame_series *series, bool ended, abut_error *err)
{
    size_t at = 0, frames = series->entries.count;
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        for (; ok && at < frames && series->entries.data[at].step < rows[i].step; at++)
            ok = array_push(&v->strange, series->entries.data[at].step);
        bool here = at < frames && series->entries.data[at].step == rows[i].step;
        if (here && v->frames.data[at].time != rows[i].time)
            ok = array_push(&v->strange, rows[i].step);
        if (!here && needs_frame(v, rows, count, i, ended))
            ok = array_push(&v->missing, rows[i].step);
        at += here;
    }
    for (; ok && at < frames; at++) ok = array_push(&v->strange, series->entries.data[at].step);
    return ok ? ABUT_OK : error_memory(err, "comparing frames with steps");
}

abut_status verify_steps(run_verification *v, const char *folder, const frame_series *series,
                         abut_error *err)
{
    char path[4096];
    step_row *rows;
    size_t count;
    if (v->scene->output.frame_every == 0) return ABUT_OK;
    path_join(path, sizeof path, folder, "steps.csv");
    if (!file_exists(path))
        return error_set(err, ABUT_ERROR_INPUT, folder,
                         "no folder of results: it has no steps.csv to tell which frames belong "
                         "to it");
    TRY(table_read(path, &rows, &count, err));
    path_join(path, sizeof path, folder, "run.json");
    abut_status status = compare(v, rows, count, series, file_exists(path), err);
    mem_free(rows);
    return status;
}
