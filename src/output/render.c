#include "output/render.h"

#include "base/memory.h"
#include "output/canvas.h"
#include "output/legend.h"

#include <string.h>

static const double pi = 3.14159265358979324;
static const double LEGEND_MARGIN = 0.1; /* of the width */

struct renderer {
    render_options options;
    render_scope scope;
    drawing_style style;
    drawing drawing;
    canvas *canvas;
    camera camera;
    vec3 up;
    double size; /* diagonal of everything */
    double ground_height;
    double orbit_distance; /* 0 before the first renderer_orbit */
    float *rgba;
};

render_options render_defaults(void)
{
    return (render_options){.width = 1280,
                            .height = 720,
                            .samples = 48,
                            .yaw = 30.0,
                            .pitch = 18.0,
                            .distance = 1.0,
                            .color = FIELD_BODY,
                            .smooth = true,
                            .up_axis = 1,
                            .ground = true,
                            .ground_height = NAN,
                            .range = {NAN, NAN}};
}

/* ---- what all pictures share ---- */

/* Axes right, up and front of the world. */
static mat3 world_axes(const render_options *o)
{
    static const double fronts[3][3] = {{0, 0, 1}, {0, 0, 1}, {0, -1, 0}};
    double up[3] = {0, 0, 0};
    up[o->up_axis] = o->up_negative ? -1.0 : 1.0;
    vec3 u = vec3_load(up), front = vec3_load(fronts[o->up_axis]);
    return mat3_from_columns(vec3_cross(u, front), u, front);
}

static abut_status check_options(const render_options *o, abut_error *err)
{
    if (o->width < 16 || o->width > 8192 || o->height < 16 || o->height > 8192)
        return error_set(err, ABUT_ERROR_INPUT, "size",
                         "a picture of %d x %d pixels; each side must be 16 to 8192", o->width,
                         o->height);
    if (o->samples < 1 || o->samples > 1024)
        return error_set(err, ABUT_ERROR_INPUT, "samples", "%d; must be 1 to 1024", o->samples);
    if (!(fabs(o->yaw) <= 1e6) || !(fabs(o->pitch) <= 90.0) || !(o->distance > 0.0) ||
        !(o->distance <= 1e3))
        return error_set(err, ABUT_ERROR_INPUT, "camera",
                         "yaw %g, pitch %g, distance %g; pitch must be -90 to 90 degrees, distance "
                         "positive and at most 1000",
                         o->yaw, o->pitch, o->distance);
    return ABUT_OK;
}

static bool has_legend(const render_options *o)
{
    return strcmp(o->color, FIELD_BODY) != 0 && o->height >= LEGEND_MIN_HEIGHT;
}

abut_status render_scope_start(render_scope *scope, const render_options *options, abut_error *err)
{
    TRY(check_options(options, err));
    scope->low = vec3_make(INFINITY, INFINITY, INFINITY);
    scope->high = vec3_neg(scope->low);
    scope->range[0] = INFINITY;
    scope->range[1] = -INFINITY;
    scope->has_field = false;
    mat3 axes = world_axes(options);
    view_start(&scope->view, &axes, options->yaw, options->pitch,
               (double)options->width / options->height, has_legend(options) ? LEGEND_MARGIN : 0.0);
    return ABUT_OK;
}

void render_scope_add(render_scope *scope, const frame *f, const render_options *options)
{
    for (size_t i = 0; i < f->point_count; i++) {
        if (!vec3_is_finite(f->points[i])) continue;
        scope->low = vec3_min(scope->low, f->points[i]);
        scope->high = vec3_max(scope->high, f->points[i]);
        view_add(&scope->view, f->points[i]);
    }
    render_scope_add_values(scope, f, options);
}

void render_scope_add_values(render_scope *scope, const frame *f, const render_options *options)
{
    if (drawing_field_range(f, options->color, scope->range)) scope->has_field = true;
}

static abut_status check_scope(const render_options *o, const render_scope *scope, abut_error *err)
{
    if (!(scope->high.x >= scope->low.x))
        return error_set(err, ABUT_ERROR_INPUT, "", "there is nothing to draw");
    if (strcmp(o->color, FIELD_BODY) != 0 && !scope->has_field)
        return error_set(err, ABUT_ERROR_INPUT, "color", "the frames have no field \"%s\"",
                         o->color);
    return ABUT_OK;
}

/* Everything is drawn around the middle of the scope. */
static void place_camera(renderer *r)
{
    const render_options *o = &r->options;
    double radius = fmax(r->style.line_radius, r->style.point_radius);
    for (size_t i = 0; o->diameter && i < o->neutral_count; i++)
        radius = fmax(radius, 0.5 * o->diameter[i]);
    r->up = mat3_column(world_axes(o), 1);
    r->camera = camera_fit(&r->scope.view, radius, o->distance);
    r->camera.eye = vec3_sub(r->camera.eye, r->style.origin);
    double half_height = 0.5 * fabs(vec3_dot(vec3_sub(r->scope.high, r->scope.low), r->up));
    r->ground_height = isnan(o->ground_height)
                           ? -half_height - 1e-4 * r->size
                           : o->ground_height - vec3_dot(r->style.origin, r->up);
}

static void choose_style(renderer *r)
{
    const render_options *o = &r->options;
    r->size = vec3_norm(vec3_sub(r->scope.high, r->scope.low));
    if (!(r->size > 0.0)) r->size = 1.0;
    r->style = (drawing_style){
        .origin = vec3_scale(0.5, vec3_add(r->scope.low, r->scope.high)),
        .color = o->color,
        .range = {r->scope.range[0], r->scope.range[1]},
        .neutral = o->neutral,
        .diameter = o->diameter,
        .neutral_count = o->neutral_count,
        .line_radius = 0.5 * r->size * (o->line_width > 0.0 ? o->line_width : 0.008),
        .point_radius = 0.5 * r->size * (o->point_size > 0.0 ? o->point_size : 0.012),
        .crease_cosine = o->smooth ? cos(40.0 * pi / 180.0) : 1.0 - 1e-12,
    };
}

abut_status renderer_create(renderer **out, const render_options *options,
                            const render_scope *scope, abut_error *err)
{
    *out = NULL;
    TRY(check_scope(options, scope, err));
    renderer *r = mem_calloc(1, sizeof *r);
    if (!r) return error_memory(err, "drawing");
    r->options = *options;
    r->scope = *scope;
    for (int k = 0; k < 2; k++)
        if (!isnan(options->range[k])) r->scope.range[k] = options->range[k];
    choose_style(r);
    place_camera(r);
    r->rgba = mem_alloc((size_t)options->width * (size_t)options->height, 4 * sizeof *r->rgba);
    abut_status status = r->rgba ? canvas_create(&r->canvas, options->width, options->height, err)
                                 : error_memory(err, "drawing");
    if (status == ABUT_OK)
        *out = r;
    else
        renderer_free(r);
    return status;
}

void renderer_free(renderer *r)
{
    if (!r) return;
    drawing_free(&r->drawing);
    canvas_free(r->canvas);
    mem_free(r->rgba);
    mem_free(r);
}

void renderer_orbit(renderer *r, const frame *f, double yaw)
{
    const render_options *o = &r->options;
    mat3 axes = world_axes(o);
    double aspect = (double)o->width / o->height, radius = r->style.line_radius;
    if (!(r->orbit_distance > 0.0)) {
        for (size_t i = 0; i < f->point_count; i++) {
            vec3 offset = vec3_sub(f->points[i], r->style.origin);
            if (!vec3_is_finite(offset)) continue;
            double distance = camera_orbit_distance(&axes, o->pitch, aspect, offset);
            r->orbit_distance = fmax(r->orbit_distance, distance + radius);
        }
        r->orbit_distance = o->distance * fmax(r->orbit_distance, 1e-3 * r->size);
    }
    r->camera = camera_orbit(&axes, yaw, o->pitch, vec3_make(0, 0, 0), r->orbit_distance, aspect,
                             0.5 * r->size);
}

/* ---- passes ---- */

/* The i-th point of a sequence that fills the unit square evenly at every length (its steps are the
 * inverse powers of the plastic number). */
static void even_point(int i, double *u, double *v)
{
    double whole;
    *u = modf(0.5 + 0.7548776662466927 * i, &whole);
    *v = modf(0.5 + 0.5698402909980532 * i, &whole);
}

/* Triangle-shaped distribution on -1..1 from an even one on 0..1. */
static double tent(double u) { return u < 0.5 ? sqrt(2.0 * u) - 1.0 : 1.0 - sqrt(2.0 - 2.0 * u); }

/* The sun stands behind the camera's left shoulder, high up, and is a disc of some degrees. */
static vec3 key_direction(const renderer *r, int i)
{
    const camera *c = &r->camera;
    vec3 right = c->right;
    vec3 back = vec3_normalize(vec3_cross(right, r->up));
    vec3 base = vec3_mul_add(vec3_scale(-0.55, right), 0.45, back);
    base = vec3_normalize(vec3_mul_add(base, 1.0, r->up));
    vec3 s = vec3_normalize(vec3_cross(r->up, base)), t = vec3_cross(base, s);
    double radius = 0.12 * sqrt((i + 0.5) / r->options.samples), angle = 2.39996323 * i;
    vec3 moved = vec3_mul_add(base, radius * cos(angle), s);
    return vec3_normalize(vec3_mul_add(moved, radius * sin(angle), t));
}

/* Even over the hemisphere: heights are evenly spread on a sphere. The order of heights is mixed,
 * so that it has nothing to do with the order of the other sequences. */
static vec3 sky_direction(const renderer *r, int i)
{
    int n = r->options.samples;
    double height = (i + 0.5) / n, angle = 2.39996323 * i + 0.7;
    double around = sqrt(1.0 - height * height);
    vec3 side = vec3_normalize(
        vec3_cross(r->up, fabs(r->up.x) < 0.6 ? vec3_make(1, 0, 0) : vec3_make(0, 0, 1)));
    vec3 front = vec3_cross(side, r->up);
    vec3 flat = vec3_mul_add(vec3_scale(around * cos(angle), side), around * sin(angle), front);
    return vec3_normalize(vec3_mul_add(flat, height, r->up));
}

/* 1, 2 or 5 times a power of ten. */
static double round_number(double x)
{
    double power = pow(10.0, floor(log10(x))), digit = x / power;
    return power * (digit < 2.0 ? 1.0 : digit < 5.0 ? 2.0 : 5.0);
}

static canvas_pass make_pass(const renderer *r, int i)
{
    const render_options *o = &r->options;
    vec3 center = vec3_scale(0.5, vec3_add(r->drawing.low, r->drawing.high));
    double radius = 0.51 * vec3_norm(vec3_sub(r->drawing.high, r->drawing.low)) + 1e-6 * r->size;
    double u, v;
    even_point(i, &u, &v);
    canvas_pass pass = {
        .camera = camera_matrix(&r->camera, r->scope.view.left_margin + 2.0 * tent(u) / o->width,
                                2.0 * tent(v) / o->height),
        .eye = r->camera.eye,
        .key_direction = key_direction(r, i),
        .sky_direction = sky_direction(r, i),
        .up = r->up,
        .edges = o->edges,
        .ground = o->ground && vec3_dot(r->camera.eye, r->up) > r->ground_height,
        .ground_height = r->ground_height,
        .ground_radius = 2.2 * r->size,
        .grid = round_number(r->size / 20.0),
        .texel = 2.0 * radius / CANVAS_SHADOW_SIZE,
    };
    pass.key_matrix = light_matrix(pass.key_direction, center, radius);
    pass.sky_matrix = light_matrix(pass.sky_direction, center, radius);
    return pass;
}

/* ---- from light to bytes ---- */

/* Straight up to 0.7, then bending towards 1. */
static double shoulder(double x) { return x < 0.7 ? x : 0.7 + 0.3 * tanh((x - 0.7) / 0.3); }

static unsigned char to_byte(double linear)
{
    double x = shoulder(fmax(linear, 0.0));
    double s = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
    return (unsigned char)lrint(255.0 * fmin(1.0, s));
}

/* White is whiter than the brightest light, so it is mixed in after the shoulder. */
static unsigned char on_white(double light, double cover)
{
    if (!(cover > 1e-4)) return 255;
    return (unsigned char)lrint(cover * to_byte(light / cover) + (1.0 - cover) * 255.0);
}

/* The background gets a little darker towards the top. */
static void develop(const renderer *r, image *picture)
{
    static const double top[3] = {0.66, 0.71, 0.77}, bottom[3] = {0.84, 0.85, 0.86};
    int width = picture->width, height = picture->height;
    for (int y = 0; y < height; y++) {
        const float *row = r->rgba + 4 * (size_t)width * (size_t)(height - 1 - y);
        unsigned char *out = picture->rgb + 3 * (size_t)width * (size_t)y;
        double t = (y + 0.5) / height;
        t = t * t * (3.0 - 2.0 * t);
        for (int x = 0; x < width; x++)
            for (int k = 0; k < 3; k++) {
                double light = (double)row[4 * x + k], cover = (double)row[4 * x + 3];
                double back = top[k] + t * (bottom[k] - top[k]);
                out[3 * x + k] = r->options.white ? on_white(light, cover)
                                                  : to_byte(light + (1.0 - cover) * back);
            }
    }
}

abut_status renderer_draw(renderer *r, const frame *f, image *picture, abut_error *err)
{
    if (picture->width != r->options.width || picture->height != r->options.height)
        return error_set(err, ABUT_ERROR_INTERNAL, "", "the picture has another size");
    TRY(drawing_make(&r->drawing, f, &r->style, err));
    TRY(canvas_begin(r->canvas, &r->drawing, err));
    for (int i = 0; i < r->options.samples; i++) {
        canvas_pass pass = make_pass(r, i);
        canvas_add_pass(r->canvas, &pass);
    }
    TRY(canvas_end(r->canvas, r->rgba, err));
    develop(r, picture);
    if (has_legend(&r->options))
        legend_draw(picture, r->options.color, r->scope.range[0], r->scope.range[1]);
    return ABUT_OK;
}
