/* What `abut view` may read: the list of frames, frames as packets, and three files of one run
 * folder. Nothing else is reachable through it, and no link that leads out of the folder. The
 * folder may still be empty, and may be written to at any time. */
#ifndef APP_VIEW_SOURCE_H
#define APP_VIEW_SOURCE_H

#include "output/view_packet.h"

typedef struct view_entry {
    int64_t step;
    double time;
    int64_t version; /* changes when the file is written again */
    char name[32];
} view_entry;

typedef struct view_source {
    char folder[4096];
    ARRAY(view_entry) entries; /* of the last look, by step */
    view_surface surface;
    vec3 origin; /* middle of the first frame that was seen */
    bool have_origin;
} view_source;

abut_status view_source_open(view_source *s, const char *folder, abut_error *err);
void view_source_close(view_source *s);

/* The state of the run as JSON: folder, frames (step, time, version), versions of the files,
 * whether it is finished, and seconds since anything changed. The caller frees *text with free().
 */
abut_status view_source_state(view_source *s, char **text, abut_error *err);

/* Packets of a step; ABUT_ERROR_INPUT when there is no such frame. fields: names joined by commas,
 * or NULL. */
abut_status view_source_frame(view_source *s, int64_t step, const char *fields, packet *out,
                              abut_error *err);
abut_status view_source_topology(view_source *s, int64_t step, packet *out, abut_error *err);

/* One of the files scene.json, run.json, steps.csv; ABUT_ERROR_INPUT for any other name. */
abut_status view_source_file(view_source *s, const char *name, packet *out, abut_error *err);

#endif
