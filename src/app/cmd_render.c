/* `abut render`: pictures of a run, a frame or a mesh, without a display. */
#include "app/commands.h"
#include "app/scene_hints.h"
#include "base/file.h"
#include "base/memory.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"
#include "output/render.h"
#include "output/series.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

typedef enum frame_choice { FRAME_LAST, FRAME_FIRST, FRAME_ALL, FRAME_STEP } frame_choice;

typedef struct render_command {
    const char *input, *output;
    frame_choice choice;
    int64_t step;
    render_options options;
    bool ground_given, up_given, camera_given;
    scene_hints hints;
} render_command;

/* ---- the command line ---- */

static bool read_number(const char **at, double *value)
{
    char *end;
    *value = strtod(*at, &end);
    if (end == *at || !isfinite(*value)) return false;
    *at = end;
    return true;
}

static bool parse_positive(const char *text, double *value)
{
    return read_number(&text, value) && *text == 0 && *value > 0.0;
}

static bool parse_frame(render_command *r, const char *text)
{
    char *end;
    if (strcmp(text, "last") == 0) {
        r->choice = FRAME_LAST;
    } else if (strcmp(text, "first") == 0) {
        r->choice = FRAME_FIRST;
    } else if (strcmp(text, "all") == 0) {
        r->choice = FRAME_ALL;
    } else {
        r->choice = FRAME_STEP;
        r->step = strtoll(text, &end, 10);
        return end != text && *end == 0 && r->step >= 0;
    }
    return true;
}

static bool parse_size(render_command *r, const char *text)
{
    char extra;
    return sscanf(text, "%dx%d%c", &r->options.width, &r->options.height, &extra) == 2;
}

static bool parse_camera(render_command *r, const char *text)
{
    render_options *o = &r->options;
    r->camera_given = true;
    if (!read_number(&text, &o->yaw) || *text++ != ',' || !read_number(&text, &o->pitch))
        return false;
    if (*text == 0) return true;
    return *text++ == ',' && read_number(&text, &o->distance) && *text == 0;
}

static bool parse_ground(render_command *r, const char *text)
{
    if (strcmp(text, "auto") == 0) return true;
    r->ground_given = true;
    r->options.ground = strcmp(text, "none") != 0;
    return !r->options.ground || (read_number(&text, &r->options.ground_height) && *text == 0);
}

static bool parse_up(render_command *r, const char *text)
{
    r->up_given = true;
    r->options.up_negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    if (*text < 'x' || *text > 'z' || text[1] != 0) return false;
    r->options.up_axis = *text - 'x';
    return true;
}

static bool parse_samples(render_command *r, const char *text)
{
    char extra;
    return sscanf(text, "%d%c", &r->options.samples, &extra) == 1;
}

static bool parse_color(render_command *r, const char *text)
{
    r->options.color = text;
    return text[0] != 0;
}

static bool parse_output(render_command *r, const char *text)
{
    r->output = text;
    return strcasecmp(path_extension(text), "png") == 0;
}

static bool parse_line_width(render_command *r, const char *text)
{
    return parse_positive(text, &r->options.line_width);
}

static bool parse_point_size(render_command *r, const char *text)
{
    return parse_positive(text, &r->options.point_size);
}

/* Values of options, and what is said when they are wrong. */
static const struct {
    const char *name;
    bool (*parse)(render_command *r, const char *text);
    const char *expected;
} values[] = {
    {"--output", parse_output, "a name that ends in .png"},
    {"--frame", parse_frame, "the number of a step, first, last or all"},
    {"--size", parse_size, "width x height in pixels, like 1280x720"},
    {"--camera", parse_camera, "yaw,pitch or yaw,pitch,distance, like 30,18,1.2"},
    {"--color", parse_color, "body or the name of a field"},
    {"--samples", parse_samples, "a whole number"},
    {"--ground", parse_ground, "auto, none or a height"},
    {"--up", parse_up, "x, y, z, -x, -y or -z"},
    {"--line-width", parse_line_width, "a positive fraction of the scene's size"},
    {"--point-size", parse_point_size, "a positive fraction of the scene's size"},
};

static abut_status read_line(render_command *r, const command_line *line, abut_error *err)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const char *text = line_value(line, values[i].name);
        if (text && !values[i].parse(r, text))
            return error_set(err, ABUT_ERROR_INPUT, "render", "%s '%s' must be %s", values[i].name,
                             text, values[i].expected);
    }
    if (!r->output)
        return error_set(err, ABUT_ERROR_INPUT, "render",
                         "where to? the option --output (-o) PICTURE.png is missing");
    r->input = line->arguments[0];
    r->options.edges = line_has(line, "--edges");
    r->options.smooth = !line_has(line, "--flat");
    return ABUT_OK;
}

/* ---- one mesh or frame ---- */

/* The parts of a mesh get different colours, unless it is a heap of crumbs. */
static abut_status number_parts(const mesh *m, int32_t *part, abut_error *err)
{
    size_t count = 0;
    TRY(connected_components(m, part, &count, err));
    if (count > 64) memset(part, 0, m->vertex_count * sizeof *part);
    return ABUT_OK;
}

/* What lies in the x-y plane is looked at from the front, unless the user wants otherwise; edges
 * take the place of shading. */
static void face_plane(render_command *r, const frame *f)
{
    if (r->camera_given || f->point_count == 0) return;
    for (size_t i = 1; i < f->point_count; i++)
        if (f->points[i].z != f->points[0].z) return;
    r->options.yaw = r->options.pitch = 0.0;
    r->options.edges = true;
    if (!r->ground_given) r->options.ground = false;
}

static abut_status draw_one(render_command *r, const frame *f, abut_error *err)
{
    face_plane(r, f);
    render_scope scope;
    renderer *painter = NULL;
    image picture = {0};
    TRY(render_scope_start(&scope, &r->options, err));
    render_scope_add(&scope, f, &r->options);
    abut_status status = renderer_create(&painter, &r->options, &scope, err);
    if (status == ABUT_OK) status = image_init(&picture, r->options.width, r->options.height, err);
    if (status == ABUT_OK) status = renderer_draw(painter, f, &picture, err);
    if (status == ABUT_OK) status = image_write_png(&picture, r->output, err);
    image_free(&picture);
    renderer_free(painter);
    return status;
}

static abut_status render_mesh(render_command *r, abut_error *err)
{
    mesh m = {0};
    TRY(mesh_read(r->input, NULL, &m, err));
    frame f = {.step = -1,
               .point_count = m.vertex_count,
               .points = m.vertices,
               .block_count = (size_t)m.block_count,
               .blocks = m.blocks};
    int32_t *part = mem_alloc(m.vertex_count, sizeof *part);
    abut_status status =
        part ? number_parts(&m, part, err) : error_memory(err, "finding the parts of a mesh");
    if (status == ABUT_OK) {
        frame_add_ints(&f, FRAME_POINTS, FIELD_BODY, 1, part);
        status = draw_one(r, &f, err);
    }
    mem_free(part);
    mesh_free(&m);
    return status;
}

/* A VTU file is one of our frames with its fields, or just a mesh of somebody else. */
static abut_status render_file(render_command *r, abut_error *err)
{
    stored_frame stored;
    if (strcasecmp(path_extension(r->input), "vtu") != 0 ||
        frame_read(r->input, &stored, NULL) != ABUT_OK)
        return render_mesh(r, err);
    abut_status status = draw_one(r, &stored.frame, err);
    stored_frame_free(&stored);
    return status;
}

/* ---- a run ---- */

static abut_status choose_frames(const render_command *r, const frame_series *series, size_t *first,
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
    char path[PATH_SIZE];
    series_path(series, i, path, sizeof path);
    return frame_read(path, f, err);
}

/* Camera and colours fit all frames, also when only one is drawn. */
static abut_status scan_frames(render_command *r, const frame_series *series, render_scope *scope,
                               abut_error *err)
{
    stored_frame f;
    TRY(read_entry(series, series->entries.count - 1, &f, err));
    face_plane(r, &f.frame);
    stored_frame_free(&f);
    TRY(render_scope_start(scope, &r->options, err));
    for (size_t i = 0; i < series->entries.count; i++) {
        TRY(read_entry(series, i, &f, err));
        render_scope_add(scope, &f.frame, &r->options);
        stored_frame_free(&f);
    }
    return ABUT_OK;
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

static abut_status draw_entries(const render_command *r, const frame_series *series, size_t first,
                                size_t end, renderer *painter, image *picture, abut_error *err)
{
    for (size_t i = first; i < end; i++) {
        char path[PATH_SIZE];
        stored_frame f;
        TRY(read_entry(series, i, &f, err));
        picture_path(r, series->entries.data[i].step, path, sizeof path);
        abut_status status = renderer_draw(painter, &f.frame, picture, err);
        stored_frame_free(&f);
        if (status == ABUT_OK) status = image_write_png(picture, path, err);
        if (status != ABUT_OK) return status;
        if (end - first > 1 && isatty(STDERR_FILENO))
            fprintf(stderr, "\r%zu of %zu%s", i + 1 - first, end - first, i + 1 < end ? "" : "\n");
    }
    return ABUT_OK;
}

static abut_status draw_series(render_command *r, const frame_series *series, abut_error *err)
{
    size_t first, end;
    render_scope scope;
    renderer *painter = NULL;
    image picture = {0};
    TRY(choose_frames(r, series, &first, &end, err));
    TRY(scan_frames(r, series, &scope, err));
    abut_status status = renderer_create(&painter, &r->options, &scope, err);
    if (status == ABUT_OK) status = image_init(&picture, r->options.width, r->options.height, err);
    if (status == ABUT_OK) status = draw_entries(r, series, first, end, painter, &picture, err);
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
    o->neutral_count = h->body_count;
}

static abut_status render_run(render_command *r, abut_error *err)
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

static abut_status run(const command_line *line, abut_error *err)
{
    render_command r = {.options = render_defaults()};
    TRY(read_line(&r, line, err));
    return file_is_directory(r.input) ? render_run(&r, err) : render_file(&r, err);
}

static const option_def options[] = {
    {"--output", "-o", "FILE",
     "the picture, a PNG file; with --frame all, FILE_000012.png and so on", COMPLETE_FILE},
    {"--frame", NULL, "N", "the frame of step N, or first, last (usual) or all", COMPLETE_NOTHING},
    {"--size", NULL, "WxH", "width and height in pixels (1280x720)", COMPLETE_NOTHING},
    {"--camera", NULL, "YAW,PITCH[,DISTANCE]",
     "degrees, and the distance as a multiple of the one at which all frames are in the picture "
     "(30,18,1)",
     COMPLETE_NOTHING},
    {"--color", NULL, "FIELD",
     "body for one colour per body (usual), or the values of a field such as velocity, "
     "displacement or stress, on one scale for all frames",
     COMPLETE_NOTHING},
    {"--edges", NULL, NULL, "draw the edges of the mesh", COMPLETE_NOTHING},
    {"--flat", NULL, NULL, "flat triangles instead of smooth ones where they meet below 40 degrees",
     COMPLETE_NOTHING},
    {"--ground", NULL, "HEIGHT",
     "height of the floor, none, or auto: the scene's, or below everything if there is gravity",
     COMPLETE_NOTHING},
    {"--up", NULL, "AXIS", "x, y, z, -x, -y or -z (against gravity; else y)", COMPLETE_NOTHING},
    {"--line-width", NULL, "FRACTION",
     "diameter of lines relative to the size of everything (0.008)", COMPLETE_NOTHING},
    {"--point-size", NULL, "FRACTION", "diameter of points, likewise (0.012)", COMPLETE_NOTHING},
    {"--samples", NULL, "N", "passes per picture: more is smoother and slower (48)",
     COMPLETE_NOTHING},
};

const command_def command_render = {
    .name = "render",
    .summary = "draw a run, a frame or a mesh to PNG without a display",
    .arguments = "DIR|FILE",
    .details =
        "DIR is the folder of a run; FILE is a frame (VTU) or a mesh of any format that abut "
        "reads. Camera and colours are the same for all frames of a run, so that pictures of "
        "single frames fit together. Obstacles are grey, other bodies have a colour each.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .complete = COMPLETE_FILE,
    .run = run,
};
