/* Parts of `abut render`: what the command line asks for, drawing the frames of a run, animations.
 */
#ifndef APP_RENDER_RUN_H
#define APP_RENDER_RUN_H

#include "app/scene_hints.h"
#include "output/render.h"
#include "output/series.h"

enum { RENDER_PATH_SIZE = 4096 };

typedef enum frame_choice { FRAME_LAST, FRAME_FIRST, FRAME_ALL, FRAME_STEP } frame_choice;
typedef enum picture_format { PICTURE_PNG, PICTURE_GIF, PICTURE_MP4 } picture_format;

typedef struct render_command {
    const char *input, *output;
    picture_format format;
    frame_choice choice;
    int64_t step;
    double frames_per_second, speed; /* of animations */
    render_options options;
    bool ground_given, up_given, camera_given;
    scene_hints hints;
} render_command;

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
