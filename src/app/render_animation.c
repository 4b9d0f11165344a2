#include "app/movie_pipe.h"
#include "app/render_run.h"
#include "base/array.h"
#include "output/gif.h"

#include <math.h>
#include <string.h>

/* A frame of the run and for how many pictures of the animation it is shown. */
typedef struct shown_frame {
    size_t entry;
    int ticks;
} shown_frame;

typedef ARRAY(shown_frame) schedule;

/* Each picture shows the last frame at or before its time. Runs whose frames have no times show
 * every frame once. The last one stays for a second. */
static abut_status make_schedule(const render_command *r, const frame_series *series,
                                 schedule *shown, abut_error *err)
{
    const series_entry *entries = series->entries.data;
    size_t count = series->entries.count, entry = 0;
    double start = entries[0].time, length = entries[count - 1].time - start;
    double tick = r->speed / r->frames_per_second;
    size_t pictures = length > 0.0 ? (size_t)floor(length / tick + 1e-6) + 1 : count;
    if (pictures > 100000)
        return error_set(err, ABUT_ERROR_INPUT, "render",
                         "the animation would have %zu pictures; choose a higher --speed",
                         pictures);
    for (size_t i = 0; i < pictures; i++) {
        double time = start + (double)i * tick + 1e-6 * tick;
        if (length > 0.0)
            while (entry + 1 < count && entries[entry + 1].time <= time) entry++;
        else
            entry = i;
        if (shown->count > 0 && shown->data[shown->count - 1].entry == entry)
            shown->data[shown->count - 1].ticks++;
        else if (!array_push(shown, (shown_frame){entry, 1}))
            return error_memory(err, "planning an animation");
    }
    shown->data[shown->count - 1].ticks += (int)ceil(r->frames_per_second) - 1;
    return ABUT_OK;
}

/* Colours for all pictures, from a few of them spread over the run. */
static abut_status sample_colors(const frame_series *series, const schedule *shown,
                                 renderer *painter, image *picture, palette *colors,
                                 abut_error *err)
{
    size_t samples = shown->count < 6 ? shown->count : 6;
    for (size_t i = 0; i < samples; i++) {
        size_t index = samples > 1 ? i * (shown->count - 1) / (samples - 1) : 0;
        TRY(draw_entry(series, shown->data[index].entry, painter, picture, err));
        palette_sample(colors, picture);
    }
    return palette_choose(colors, err);
}

static abut_status add_gif_pictures(const render_command *r, const frame_series *series,
                                    const schedule *shown, renderer *painter, image *picture,
                                    gif_writer *gif, abut_error *err)
{
    double time = 0.0, hundredth = 100.0 / r->frames_per_second;
    for (size_t i = 0; i < shown->count; i++) {
        TRY(draw_entry(series, shown->data[i].entry, painter, picture, err));
        double next = time + shown->data[i].ticks;
        int delay = (int)(lrint(next * hundredth) - lrint(time * hundredth));
        TRY(gif_add(gif, picture, delay, err));
        time = next;
        show_count(i + 1, shown->count);
    }
    return ABUT_OK;
}

/* Closes a GIF whose pictures were added with this status, or removes it. */
static abut_status end_gif(gif_writer *gif, abut_status added, abut_error *err)
{
    if (added == ABUT_OK) return gif_close(gif, err);
    gif_discard(gif);
    return added;
}

static abut_status write_gif(const render_command *r, const frame_series *series,
                             const schedule *shown, renderer *painter, image *picture,
                             abut_error *err)
{
    palette colors;
    gif_writer *gif = NULL;
    TRY(palette_init(&colors, err));
    abut_status status = sample_colors(series, shown, painter, picture, &colors, err);
    if (status == ABUT_OK)
        status = gif_open(&gif, r->output, picture->width, picture->height, &colors, err);
    if (status == ABUT_OK)
        status = end_gif(gif, add_gif_pictures(r, series, shown, painter, picture, gif, err), err);
    palette_free(&colors);
    return status;
}

static abut_status add_movie_pictures(const frame_series *series, const schedule *shown,
                                      renderer *painter, image *picture, movie_pipe *movie,
                                      abut_error *err)
{
    for (size_t i = 0; i < shown->count; i++) {
        TRY(draw_entry(series, shown->data[i].entry, painter, picture, err));
        for (int k = 0; k < shown->data[i].ticks; k++) TRY(movie_add(movie, picture, err));
        show_count(i + 1, shown->count);
    }
    return ABUT_OK;
}

/* The same for a film. */
static abut_status end_movie(movie_pipe *movie, abut_status added, abut_error *err)
{
    if (added == ABUT_OK) return movie_close(movie, err);
    movie_discard(movie);
    return added;
}

static abut_status write_movie(const render_command *r, const frame_series *series,
                               const schedule *shown, renderer *painter, image *picture,
                               abut_error *err)
{
    movie_pipe movie;
    TRY(movie_open(&movie, r->output, picture->width, picture->height, r->frames_per_second, err));
    return end_movie(&movie, add_movie_pictures(series, shown, painter, picture, &movie, err), err);
}

/* Pictures of a turntable go to a film or, with one palette, to a GIF. */
static abut_status add_turns(const render_command *r, const frame *f, renderer *painter,
                             image *picture, gif_writer *gif, movie_pipe *movie, abut_error *err)
{
    int count = (int)fmax(2.0, rint(r->turntable * r->frames_per_second));
    int delay = (int)fmax(2.0, rint(100.0 / r->frames_per_second));
    for (int i = 0; i < count; i++) {
        renderer_orbit(painter, f, r->options.yaw + 360.0 * i / count);
        TRY(renderer_draw(painter, f, picture, err));
        TRY(gif ? gif_add(gif, picture, delay, err) : movie_add(movie, picture, err));
        show_count((size_t)i + 1, (size_t)count);
    }
    return ABUT_OK;
}

static abut_status turn_gif(const render_command *r, const frame *f, renderer *painter,
                            image *picture, abut_error *err)
{
    palette colors;
    gif_writer *gif = NULL;
    abut_status status = ABUT_OK;
    TRY(palette_init(&colors, err));
    for (int i = 0; status == ABUT_OK && i < 4; i++) {
        renderer_orbit(painter, f, r->options.yaw + 90.0 * i);
        status = renderer_draw(painter, f, picture, err);
        if (status == ABUT_OK) palette_sample(&colors, picture);
    }
    if (status == ABUT_OK) status = palette_choose(&colors, err);
    if (status == ABUT_OK)
        status = gif_open(&gif, r->output, picture->width, picture->height, &colors, err);
    if (status == ABUT_OK)
        status = end_gif(gif, add_turns(r, f, painter, picture, gif, NULL, err), err);
    palette_free(&colors);
    return status;
}

abut_status render_turntable(const render_command *r, const frame_series *series, size_t entry,
                             renderer *painter, image *picture, abut_error *err)
{
    stored_frame f;
    char path[RENDER_PATH_SIZE];
    movie_pipe movie;
    series_path(series, entry, path, sizeof path);
    TRY(frame_read(path, &f, err));
    abut_status status;
    if (r->format == PICTURE_GIF) {
        status = turn_gif(r, &f.frame, painter, picture, err);
    } else {
        status = movie_open(&movie, r->output, picture->width, picture->height,
                            r->frames_per_second, err);
        if (status == ABUT_OK)
            status =
                end_movie(&movie, add_turns(r, &f.frame, painter, picture, NULL, &movie, err), err);
    }
    stored_frame_free(&f);
    return status;
}

abut_status render_animation(const render_command *r, const frame_series *series, renderer *painter,
                             image *picture, abut_error *err)
{
    schedule shown = {0};
    abut_status status = make_schedule(r, series, &shown, err);
    if (status == ABUT_OK)
        status = r->format == PICTURE_GIF ? write_gif(r, series, &shown, painter, picture, err)
                                          : write_movie(r, series, &shown, painter, picture, err);
    array_free(&shown);
    return status;
}
