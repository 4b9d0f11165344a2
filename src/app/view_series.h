/* What the page asks about all frames of a run: the range of a field, and one point over time. Both
 * read frames until some work is done and tell how far they came, so that a large run does not keep
 * the other answers waiting; the page asks again. */
#ifndef APP_VIEW_SERIES_H
#define APP_VIEW_SERIES_H

#include "output/view_packet.h"

enum { SCAN_NAME_SIZE = 64, SCAN_COUNT = 6 };

/* Values of one field in the frames looked at so far. */
typedef struct field_scan {
    char field[SCAN_NAME_SIZE];
    int component;  /* of vectors; -1: their length */
    size_t done;    /* frames from the first on */
    uint64_t stamp; /* of these frames; another one means that they were written again */
    double low, high;
    float_values samples; /* evenly spread over the points of each frame, for the percentiles */
} field_scan;

typedef struct view_scans {
    field_scan scan[SCAN_COUNT];
    size_t next; /* the one that a new field takes */
} view_scans;

struct view_source;

/* JSON: done, frames, low, high, p2, p98 (values below which 2 and 98 % lie). *text is freed with
 * free(). component: "length" (also NULL), "0", "1" or "2". */
abut_status view_source_range(struct view_source *s, const char *field, const char *component,
                              char **text, abut_error *err);

/* JSON: rows of step, time, position and one value per field (vectors: their length), from frame
 * number `from` on, and next, the number to ask for then. Frames of another topology have no rows.
 */
abut_status view_source_history(struct view_source *s, size_t point, const char *topology,
                                const char *fields, size_t from, char **text, abut_error *err);

void view_scans_free(view_scans *scans);

#endif
