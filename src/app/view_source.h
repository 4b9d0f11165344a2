/* What `abut view` may read: the list of frames, frames as packets, and three files of one run
 * folder. Nothing else is reachable through it, and no link that leads out of the folder. The
 * folder may still be empty, and may be written to at any time. A folder without frames that has a
 * start_problems.vtu (a start that was refused) has that as its only frame. */
#ifndef APP_VIEW_SOURCE_H
#define APP_VIEW_SOURCE_H

#include "app/play.h"
#include "app/view_series.h"

typedef struct view_entry {
    int64_t step;
    double time;
    int64_t version; /* changes when the file is written again */
    char name[32];
} view_entry;

typedef struct view_source view_source;
struct view_source {
    char folder[4096];
    ARRAY(view_entry) entries; /* of the last look, by step */
    view_surface surface;
    struct {
        int64_t step, version;
    } surface_of; /* the frame that the surface was made for; version 0: none */
    frame_reader *reader;
    grid_memory grids;
    vec3 origin; /* middle of the first frame that was seen */
    bool have_origin;
    const char *problem; /* why the start cannot be simulated, or NULL; not owned */
    const char *other;   /* name of the run to compare with, or NULL; not owned */
    play *play;          /* whose frames are shown, or NULL: those of the folder; not owned */
    view_scans scans;
};

abut_status view_source_open(view_source *s, const char *folder, abut_error *err);
void view_source_close(view_source *s);

/* The state of the run as JSON: folder, frames (step, time, version), versions of the files,
 * whether it is finished, and seconds since anything changed. The caller frees *text with free().
 */
abut_status view_source_state(view_source *s, char **text, abut_error *err);

/* Lists the frames again. Then one of them with its surface, with values of the named fields; to be
 * freed by stored_frame_free before the next is read. */
abut_status view_source_look(view_source *s, abut_error *err);
abut_status view_source_read(view_source *s, int64_t step, const char *const *names,
                             size_t name_count, stored_frame *out, abut_error *err);

/* What a page asks for. */
typedef struct view_wish {
    int64_t step;
    const char *fields;  /* names joined by commas, or NULL */
    int64_t grid_beyond; /* positions on a grid in frames of more points than that; -1: never */
    uint64_t base;       /* a frame that the page has (output/view_grid.h), 0: none */
} view_wish;

/* Packets of a step; ABUT_ERROR_INPUT when there is no such frame. */
abut_status view_source_frame(view_source *s, const view_wish *wish, packet *out, abut_error *err);
abut_status view_source_topology(view_source *s, int64_t step, packet *out, abut_error *err);

/* Pulls a point of the surface with this identity to a position in the scene. */
abut_status view_source_pull(view_source *s, const char *topology, size_t point, vec3 target,
                             abut_error *err);

/* One of the files scene.json, run.json, steps.csv; ABUT_ERROR_INPUT for any other name. */
abut_status view_source_file(view_source *s, const char *name, packet *out, abut_error *err);

#endif
