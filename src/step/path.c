#include "step/path.h"

#include <string.h>

void step_path_free(step_path *w)
{
    array_free(&w->configurations);
    array_free(&w->stretches);
    array_free(&w->scratch);
    array_free(&w->kept);
}

static abut_status append(step_path *w, const double *x, abut_error *err)
{
    size_t at = w->configurations.count;
    if (!array_resize(&w->configurations, at + w->scalars))
        return error_memory(err, "recording a path");
    memcpy(w->configurations.data + at, x, w->scalars * sizeof *x);
    return ABUT_OK;
}

abut_status step_path_begin(step_path *w, const double *x, size_t scalars, abut_error *err)
{
    if (!w->enabled) return ABUT_OK;
    w->scalars = scalars;
    if (w->finished < w->stretches.count) {
        w->configurations.count = w->stretches.data[w->finished] * scalars;
        w->stretches.count = w->finished;
    }
    return step_path_break(w, x, err);
}

abut_status step_path_break(step_path *w, const double *x, abut_error *err)
{
    if (!w->enabled) return ABUT_OK;
    if (!array_push(&w->stretches, step_path_count(w)))
        return error_memory(err, "recording a path");
    return append(w, x, err);
}

void step_path_finish(step_path *w, bool substep)
{
    w->finished = substep ? w->stretches.count : 0;
}

size_t step_path_stretch(const step_path *w, size_t stretch)
{
    size_t end =
        stretch + 1 < w->stretches.count ? w->stretches.data[stretch + 1] : step_path_count(w);
    return end - w->stretches.data[stretch];
}

abut_status step_path_add(step_path *w, const double *x, abut_error *err)
{
    if (!w->enabled) return ABUT_OK;
    const double *last = w->configurations.data + w->configurations.count - w->scalars;
    return memcmp(last, x, w->scalars * sizeof *x) == 0 ? ABUT_OK : append(w, x, err);
}

static const double *configuration(const step_path *w, size_t i)
{
    return w->configurations.data + i * w->scalars;
}

/* Whether the straight line between two configurations is free. */
static abut_status is_free(step_path *w, const contact_term *contact, size_t from, size_t to,
                           stage_timer *timer, bool *free, abut_error *err)
{
    const double *a = configuration(w, from), *b = configuration(w, to);
    for (size_t i = 0; i < w->scalars; i++) w->scratch.data[i] = b[i] - a[i];
    return contact_path_is_free(contact, a, w->scratch.data, timer, free, err);
}

/* Marks the configurations between two that are needed. */
static abut_status join(step_path *w, const contact_term *contact, size_t from, size_t to,
                        stage_timer *timer, abut_error *err)
{
    if (to - from < 2) return ABUT_OK;
    bool free = false;
    TRY(is_free(w, contact, from, to, timer, &free, err));
    if (free) return ABUT_OK;
    if (!w->joins) {
        memset(w->kept.data + from, 1, to - from);
        return ABUT_OK;
    }
    size_t middle = from + (to - from) / 2;
    w->kept.data[middle] = 1;
    TRY(join(w, contact, from, middle, timer, err));
    return join(w, contact, middle, to, timer, err);
}

abut_status step_path_join(step_path *w, const contact_term *contact, stage_timer *timer,
                           abut_error *err)
{
    size_t count = step_path_count(w), left = 0;
    if (!w->enabled || count < 3) return ABUT_OK;
    if (!array_resize(&w->kept, count) || !array_resize(&w->scratch, w->scalars))
        return error_memory(err, "joining a path");
    memset(w->kept.data, 0, count);
    for (size_t k = 0; k < w->stretches.count; k++) {
        size_t first = w->stretches.data[k], last = first + step_path_stretch(w, k) - 1;
        if (k < w->finished) /* joined before */
            memset(w->kept.data + first, 1, last - first + 1);
        w->kept.data[first] = w->kept.data[last] = 1;
        if (k >= w->finished) TRY(join(w, contact, first, last, timer, err));
    }
    for (size_t i = 0, k = 0; i < count; i++) {
        if (k < w->stretches.count && w->stretches.data[k] == i) w->stretches.data[k++] = left;
        if (w->kept.data[i])
            memmove(w->configurations.data + left++ * w->scalars, configuration(w, i),
                    w->scalars * sizeof *w->configurations.data);
    }
    w->configurations.count = left * w->scalars;
    return ABUT_OK;
}
