/* Parts of `abut render`: what the command line asks for, drawing the frames of a run, animations.
 */
#ifndef APP_RENDER_RUN_H
#define APP_RENDER_RUN_H

#include "app/scene_hints.h"
#include "output/render.h"
#include "output/series.h"

enum { RENDER_PATH_SIZE = 4096 };

typedef enum frame_choice { FRAME_LAST, FRAME_FIRST, FRAME_ALL, FRAME_STEP } frame_choice;
typedef enum picture_format {
    PICTURE_PNG,
    PICTURE_JPG,
    PICTURE_GIF,
    PICTURE_MP4,
    PICTURE_WEBM
} picture_format;

typedef struct render_command {
    const char *input, *output;
    picture_format format;
    frame_choice choice;
    int64_t step;
    double frames_per_second, speed; /* of animations */
    render_options options;
    bool ground_given, up_given, camera_given;
    bool fit_run;      /* also a single picture shows where the whole run takes place */
    int columns, rows; /* of a contact sheet; 0: none */
    double turntable;  /* seconds of a full turn; 0: none */
    char named[4096];  /* the output when none was given */
    scene_hints hints;
} render_command;

static inline bool is_still(picture_format format)
{
    return format == PICTURE_PNG || format == PICTURE_JPG;
}

/* PNG, or JPG through ffmpeg. */
abut_status write_picture(const image *picture, picture_format format, const char *path,
                          abut_error *err);
/* Several frames in one picture, with their times. */
abut_status render_sheet(const render_command *r, const frame_series *series, renderer *painter,
                         abut_error *err);
/* One frame, seen from all around. */
abut_status render_turntable(const render_command *r, const frame_series *series, size_t entry,
                             renderer *painter, image *picture, abut_error *err);
/* The frames that --frame chooses. */
abut_status choose_frames(const render_command *r, const frame_series *series, size_t *first,
                          size_t *end, abut_error *err);
/* Prints the fields that frames of the run have. */
abut_status list_fields(const char *folder, abut_error *err);

/* What lies in the x-y plane is looked at from the front, unless the user wants otherwise; edges
 * replace shading. */
void face_plane(render_command *r, const frame *f);

/* A folder with the frames of a run. */
abut_status render_run(render_command *r, abut_error *err);

/* Reads frame `i` of a run, draws it, and counts on a terminal: "3 of 20". */
abut_status draw_entry(const frame_series *series, size_t i, renderer *painter, image *picture,
                       abut_error *err);
void show_count(size_t done, size_t all);

/* All frames in one file, in real time divided by the speed. */
abut_status render_animation(const render_command *r, const frame_series *series, renderer *painter,
                             image *picture, abut_error *err);

#endif
