/* `abut render`: pictures of a run, a frame or a mesh, without a display. */
#include "app/commands.h"
#include "app/render_run.h"
#include "base/file.h"
#include "base/memory.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

static bool parse_range(render_command *r, const char *text)
{
    double *range = r->options.range;
    return read_number(&text, &range[0]) && *text++ == ',' && read_number(&text, &range[1]) &&
           *text == 0 && range[0] < range[1];
}

static bool parse_background(render_command *r, const char *text)
{
    r->options.white = strcmp(text, "white") == 0;
    return r->options.white || strcmp(text, "sky") == 0;
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
    static const char *const extensions[] = {"png", "jpg", "gif", "mp4", "webm"};
    r->output = text;
    for (int i = 0; i < 5; i++) {
        if (strcasecmp(path_extension(text), extensions[i]) != 0) continue;
        r->format = (picture_format)i;
        return true;
    }
    return false;
}

static bool parse_fit(render_command *r, const char *text)
{
    r->fit_run = strcmp(text, "run") == 0;
    return r->fit_run || strcmp(text, "frame") == 0;
}

static bool parse_sheet(render_command *r, const char *text)
{
    char extra;
    return sscanf(text, "%dx%d%c", &r->columns, &r->rows, &extra) == 2 && r->columns >= 1 &&
           r->rows >= 1 && r->columns <= 20 && r->rows <= 20;
}

static bool parse_turntable(render_command *r, const char *text)
{
    return parse_positive(text, &r->turntable) && r->turntable <= 600.0;
}

static bool parse_fps(render_command *r, const char *text)
{
    return parse_positive(text, &r->frames_per_second) && r->frames_per_second <= 100.0;
}

static bool parse_speed(render_command *r, const char *text)
{
    return parse_positive(text, &r->speed);
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
    {"--output", parse_output, "a name that ends in .png, .jpg, .gif, .mp4 or .webm"},
    {"--frame", parse_frame, "the number of a step, first, last or all"},
    {"--size", parse_size, "width x height in pixels, like 1280x720"},
    {"--camera", parse_camera, "yaw,pitch or yaw,pitch,distance, like 30,18,1.2"},
    {"--color", parse_color, "body or the name of a field"},
    {"--range", parse_range, "two numbers LOW,HIGH, the second larger"},
    {"--background", parse_background, "sky or white"},
    {"--samples", parse_samples, "a whole number"},
    {"--ground", parse_ground, "auto, none or a height"},
    {"--up", parse_up, "x, y, z, -x, -y or -z"},
    {"--line-width", parse_line_width, "a positive fraction of the scene's size"},
    {"--point-size", parse_point_size, "a positive fraction of the scene's size"},
    {"--fit", parse_fit, "frame or run"},
    {"--sheet", parse_sheet, "columns x rows, like 4x2, each at most 20"},
    {"--turntable", parse_turntable, "the seconds of a full turn, at most 600"},
    {"--fps", parse_fps, "a positive number, at most 100"},
    {"--speed", parse_speed, "a positive number"},
};

/* "cube-stack.run" gives cube-stack.png, in the working folder; a turntable is a GIF. */
static void choose_name(render_command *r)
{
    char input[RENDER_PATH_SIZE];
    snprintf(input, sizeof input, "%s", r->input);
    for (size_t n = strlen(input); n > 1 && input[n - 1] == '/'; n--) input[n - 1] = 0;
    const char *name = path_name(input), *extension = path_extension(name);
    size_t stem = strlen(name) - (*extension ? strlen(extension) + 1 : 0);
    r->format = r->turntable > 0.0 ? PICTURE_GIF : PICTURE_PNG;
    snprintf(r->named, sizeof r->named, "%.*s.%s", (int)(stem > 0 ? stem : strlen(name)), name,
             r->turntable > 0.0 ? "gif" : "png");
    r->output = r->named;
}

static abut_status read_line(render_command *r, const command_line *line, abut_error *err)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const char *text = line_value(line, values[i].name);
        if (text && !values[i].parse(r, text))
            return error_set(err, ABUT_ERROR_INPUT, "render", "%s '%s' must be %s", values[i].name,
                             text, values[i].expected);
    }
    r->input = line->arguments[0];
    if (!r->output) choose_name(r);
    if ((!is_still(r->format) || r->columns > 0) && !file_is_directory(r->input))
        return error_set(err, ABUT_ERROR_INPUT, r->input,
                         "%s needs the folder of a run; a single picture is a .png file",
                         r->columns > 0 ? "a contact sheet" : "an animation");
    if (r->columns > 0 && (!is_still(r->format) || r->turntable > 0.0))
        return error_set(err, ABUT_ERROR_INPUT, "render",
                         "a contact sheet is one picture: .png or .jpg, and no --turntable");
    if (r->turntable > 0.0 && (is_still(r->format) || r->choice == FRAME_ALL))
        return error_set(err, ABUT_ERROR_INPUT, "render",
                         "a turntable is a film (.gif, .mp4 or .webm) of one frame");
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
    if (status == ABUT_OK) status = write_picture(&picture, r->format, r->output, err);
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

static abut_status run(const command_line *line, abut_error *err)
{
    render_command r = {.options = render_defaults(), .frames_per_second = 25.0, .speed = 1.0};
    if (line_has(line, "--fields")) return list_fields(line->arguments[0], err);
    TRY(read_line(&r, line, err));
    TRY(file_is_directory(r.input) ? render_run(&r, err) : render_file(&r, err));
    if (r.named[0]) printf("%s\n", r.named);
    return ABUT_OK;
}

static const option_def options[] = {
    {"--output", "-o", "FILE",
     "a picture (.png; .jpg if ffmpeg is installed; with --frame all FILE_000012.png and so on), "
     "or "
     "an animation of all frames (.gif; .mp4 and .webm if ffmpeg is installed); default: the name "
     "of the run with .png, in the working folder",
     COMPLETE_FILE},
    {"--frame", NULL, "N", "the frame of step N, or first, last (default) or all",
     COMPLETE_NOTHING},
    {"--size", NULL, "WxH", "width and height in pixels (1280x720)", COMPLETE_NOTHING},
    {"--camera", NULL, "YAW,PITCH[,DISTANCE]",
     "degrees, and the distance as a multiple of the one at which everything is in the picture "
     "(30,18,1)",
     COMPLETE_NOTHING},
    {"--fit", NULL, "WHAT",
     "what is in the picture: frame (default of a single picture) or run (of films and series)",
     COMPLETE_NOTHING},
    {"--sheet", NULL, "COLUMNSxROWS",
     "a contact sheet: so many frames, evenly spread, in one picture; --size is that of each",
     COMPLETE_NOTHING},
    {"--turntable", NULL, "SECONDS", "a film of one frame, seen from all around in this time",
     COMPLETE_NOTHING},
    {"--fields", NULL, NULL, "list the fields that the frames of the run have, and draw nothing",
     COMPLETE_NOTHING},
    {"--color", NULL, "FIELD",
     "body for one colour per body (default), or the values of a field such as velocity, "
     "displacement or stress, on one scale for all frames",
     COMPLETE_NOTHING},
    {"--range", NULL, "LOW,HIGH", "values at the ends of the colour scale (those of all frames)",
     COMPLETE_NOTHING},
    {"--background", NULL, "NAME", "sky (default) or white, for print", COMPLETE_NOTHING},
    {"--edges", NULL, NULL, "draw the edges of the mesh", COMPLETE_NOTHING},
    {"--flat", NULL, NULL, "flat triangles instead of smooth ones where they meet below 40 degrees",
     COMPLETE_NOTHING},
    {"--ground", NULL, "HEIGHT",
     "height of the floor, none, or auto: the scene's, or below everything if there is gravity",
     COMPLETE_NOTHING},
    {"--up", NULL, "AXIS", "x, y, z, -x, -y or -z (against gravity; else y)", COMPLETE_NOTHING},
    {"--line-width", NULL, "FRACTION",
     "diameter of lines relative to the size of everything (that of the scene's rods; else 0.008)",
     COMPLETE_NOTHING},
    {"--point-size", NULL, "FRACTION",
     "diameter of points, likewise (that of the particles; else 0.012)", COMPLETE_NOTHING},
    {"--fps", NULL, "N", "pictures per second of an animation (25)", COMPLETE_NOTHING},
    {"--speed", NULL, "FACTOR", "speed of an animation; 0.5 is slow motion (1)", COMPLETE_NOTHING},
    {"--samples", NULL, "N", "passes per picture: more is smoother and slower (48)",
     COMPLETE_NOTHING},
};

const command_def command_render = {
    .name = "render",
    .summary = "draw a run, a frame or a mesh without a display: PNG, JPG, GIF, MP4 or WebM",
    .arguments = "DIR|FILE",
    .details =
        "DIR is the folder of a run; FILE is a frame (VTU) or a mesh of any format that abut "
        "reads. A single picture shows its own frame with even margins; the pictures of a film, of "
        "--frame all and of --sheet have one camera, and colours one scale for the whole run. "
        "Obstacles are grey, other bodies have a colour each.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .complete = COMPLETE_FILE,
    .run = run,
};
