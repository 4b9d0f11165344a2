/* The frames of a run: DIR/frames/frame_000012.vtu for step 12, listed for ParaView in
 * DIR/frames/frames.pvd, which is replaced atomically after each frame. */
#ifndef OUTPUT_SERIES_H
#define OUTPUT_SERIES_H

#include "base/array.h"
#include "base/beside.h"
#include "output/frame_copy.h"

typedef struct series_entry {
    int64_t step;
    double time;
    char name[32]; /* of the file in DIR/frames */
} series_entry;

typedef struct frame_series {
    char *folder;   /* DIR/frames */
    bool write_obj; /* set after opening: an OBJ file of the surface beside each VTU file */
    ARRAY(series_entry) entries;
    frame_cells *cells; /* of the last frame that was written */
    beside writer;      /* and what it writes: */
    frame_copy next;
} frame_series;

enum { SERIES_NEW = -1 };

/* Starts a series in the run folder, creating it. Frames of steps after last_step are removed (all
 * of them for SERIES_NEW), the earlier ones are found again from the files themselves, whatever
 * state frames.pvd is in. */
abut_status series_open(frame_series *series, const char *run_folder, int64_t last_step,
                        abut_error *err);
/* Writes the frame's files, then the list. */
abut_status series_add(frame_series *series, const frame *f, abut_error *err);
/* The same beside what the caller does next. Cells must stay as they are until series_wait. A
 * failure is that of the next call, or of series_wait. */
abut_status series_add_beside(frame_series *series, const frame *f, abut_error *err);
/* All frames are on the disk. */
abut_status series_wait(frame_series *series, abut_error *err);
void series_close(frame_series *series);

/* Finds the frames of a run for reading, sorted by step. A run without frames gives an error. */
abut_status series_find(frame_series *series, const char *run_folder, abut_error *err);
/* Path of an entry's file. */
void series_path(const frame_series *series, size_t entry, char *out, size_t size);

#endif
