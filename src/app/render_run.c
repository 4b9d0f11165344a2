#include "app/render_run.h"

#include "app/movie_pipe.h"
#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void face_plane(render_command *r, const frame *f)
{
    if (r->camera_given || f->point_count == 0) return;
    for (size_t i = 1; i < f->point_count; i++)
        if (f->points[i].z != f->points[0].z) return;
    r->options.yaw = r->options.pitch = 0.0;
    r->options.edges = true;
    if (!r->ground_given) r->options.ground = false;
}

abut_status choose_frames(const render_command *r, const frame_series *series, size_t *first,
                          size_t *end, abut_error *err)
{
    size_t count = series->entries.count;
    *first = r->choice == FRAME_LAST ? count - 1 : 0;
    *end = r->choice == FRAME_FIRST ? 1 : count;
    if (r->choice != FRAME_STEP) return ABUT_OK;
    for (size_t i = 0; i < count; i++)
        if (series->entries.data[i].step == r->step) {
            *first = i;
            *end = i + 1;
            return ABUT_OK;
        }
    return error_set(
        err, ABUT_ERROR_INPUT, r->input,
        "has no frame of step %" PRId64 "; there are %zu, from step %" PRId64 " to %" PRId64,
        r->step, count, series->entries.data[0].step, series->entries.data[count - 1].step);
}

static abut_status read_entry(const frame_series *series, size_t i, stored_frame *f,
                              abut_error *err)
{
    char path[RENDER_PATH_SIZE];
    series_path(series, i, path, sizeof path);
    return frame_read(path, f, err);
}

/* A single picture shows its own frame, as large as it can be; films and series show where all
 * frames are. Colours have one scale for all of them. */
static abut_status scan_frames(render_command *r, const frame_series *series, render_scope *scope,
                               abut_error *err)
{
    stored_frame f;
    size_t first = 0, end = series->entries.count;
    TRY(read_entry(series, end - 1, &f, err));
    face_plane(r, &f.frame);
    stored_frame_free(&f);
    bool single = is_still(r->format) && r->choice != FRAME_ALL && r->columns == 0;
    if ((single && !r->fit_run) || r->turntable > 0.0)
        TRY(choose_frames(r, series, &first, &end, err));
    bool colored = strcmp(r->options.color, FIELD_BODY) != 0;
    TRY(render_scope_start(scope, &r->options, err));
    for (size_t i = 0; i < series->entries.count; i++) {
        bool shown = i >= first && i < end;
        if (!shown && !colored) continue;
        TRY(read_entry(series, i, &f, err));
        if (shown)
            render_scope_add(scope, &f.frame, &r->options);
        else
            render_scope_add_values(scope, &f.frame, &r->options);
        stored_frame_free(&f);
    }
    return ABUT_OK;
}

abut_status write_picture(const image *picture, picture_format format, const char *path,
                          abut_error *err)
{
    if (format == PICTURE_PNG) return image_write_png(picture, path, err);
    movie_pipe pipe;
    TRY(movie_open(&pipe, path, picture->width, picture->height, 1.0, err));
    abut_status status = movie_add(&pipe, picture, err);
    if (status == ABUT_OK) return movie_close(&pipe, err);
    movie_discard(&pipe);
    return status;
}

/* out.png becomes out_000012.png in a sequence. */
static void picture_path(const render_command *r, int64_t step, char *out, size_t size)
{
    if (r->choice != FRAME_ALL) {
        snprintf(out, size, "%s", r->output);
        return;
    }
    size_t stem = strlen(r->output) - strlen(path_extension(r->output)) - 1;
    snprintf(out, size, "%.*s_%06" PRId64 ".%s", (int)stem, r->output, step,
             path_extension(r->output));
}

abut_status draw_entry(const frame_series *series, size_t i, renderer *painter, image *picture,
                       abut_error *err)
{
    stored_frame f;
    TRY(read_entry(series, i, &f, err));
    abut_status status = renderer_draw(painter, &f.frame, picture, err);
    stored_frame_free(&f);
    return status;
}

void show_count(size_t done, size_t all)
{
    if (all > 1 && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%zu of %zu%s", done, all, done < all ? "" : "\n");
}

static abut_status draw_pictures(const render_command *r, const frame_series *series,
                                 renderer *painter, image *picture, abut_error *err)
{
    size_t first, end;
    TRY(choose_frames(r, series, &first, &end, err));
    for (size_t i = first; i < end; i++) {
        char path[RENDER_PATH_SIZE];
        picture_path(r, series->entries.data[i].step, path, sizeof path);
        TRY(draw_entry(series, i, painter, picture, err));
        TRY(write_picture(picture, r->format, path, err));
        show_count(i + 1 - first, end - first);
    }
    return ABUT_OK;
}

static abut_status draw_all(const render_command *r, const frame_series *series, renderer *painter,
                            image *picture, abut_error *err)
{
    size_t first, end;
    if (r->columns > 0) return render_sheet(r, series, painter, err);
    if (r->turntable > 0.0) {
        TRY(choose_frames(r, series, &first, &end, err));
        return render_turntable(r, series, first, painter, picture, err);
    }
    return is_still(r->format) ? draw_pictures(r, series, painter, picture, err)
                               : render_animation(r, series, painter, picture, err);
}

static abut_status draw_series(render_command *r, const frame_series *series, abut_error *err)
{
    render_scope scope;
    renderer *painter = NULL;
    image picture = {0};
    TRY(scan_frames(r, series, &scope, err));
    abut_status status = renderer_create(&painter, &r->options, &scope, err);
    if (status == ABUT_OK) status = image_init(&picture, r->options.width, r->options.height, err);
    if (status == ABUT_OK) status = draw_all(r, series, painter, &picture, err);
    image_free(&picture);
    renderer_free(painter);
    return status;
}

/* What the command line leaves open is taken from the scene. */
static void apply_hints(render_command *r)
{
    render_options *o = &r->options;
    const scene_hints *h = &r->hints;
    if (!h->found) return;
    if (!r->up_given) {
        o->up_axis = h->up_axis;
        o->up_negative = h->up_negative;
    }
    if (!r->ground_given) {
        o->ground = h->gravity || h->floor;
        o->ground_height = h->floor ? h->floor_height : NAN;
    }
    o->neutral = h->obstacle;
    if (!(o->line_width > 0) && !(o->point_size > 0)) o->diameter = h->diameter;
    o->neutral_count = h->body_count;
}

abut_status render_run(render_command *r, abut_error *err)
{
    frame_series series;
    TRY(series_find(&series, r->input, err));
    abut_status status = scene_hints_read(&r->hints, r->input, err);
    apply_hints(r);
    if (status == ABUT_OK) status = draw_series(r, &series, err);
    scene_hints_free(&r->hints);
    series_close(&series);
    return status;
}
