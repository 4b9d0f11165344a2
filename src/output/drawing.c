#include "output/drawing.h"

#include "base/parallel.h"
#include "output/color.h"
#include "output/outline.h"
#include "output/surface.h"

#include <string.h>

/* ---- colours ---- */

static double field_value(const frame_field *field, size_t index)
{
    if (field->ints) return field->ints[index * (size_t)field->components];
    const double *values = field->doubles + index * (size_t)field->components;
    if (field->components == 1) return values[0];
    double sum = 0.0;
    for (int k = 0; k < field->components; k++) sum += values[k] * values[k];
    return sqrt(sum);
}

static const frame_field *find_anywhere(const frame *f, const char *name)
{
    const frame_field *field = frame_find(f, FRAME_POINTS, name);
    return field ? field : frame_find(f, FRAME_CELLS, name);
}

bool drawing_field_range(const frame *f, const char *name, double range[2])
{
    const frame_field *field = find_anywhere(f, name);
    if (!field) return false;
    size_t n = field->place == FRAME_POINTS ? f->point_count : frame_cell_count(f);
    for (size_t i = 0; i < n; i++) {
        double value = field_value(field, i);
        if (!isfinite(value)) continue;
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
    return true;
}

/* Where the colour of a corner comes from. */
typedef struct painter {
    const drawing_style *style;
    const frame_field *field;
    bool bodies;
} painter;

static painter make_painter(const frame *f, const drawing_style *style)
{
    bool bodies = strcmp(style->color, FIELD_BODY) == 0;
    return (painter){style, find_anywhere(f, style->color), bodies};
}

static color paint(const painter *p, int32_t node, int32_t cell)
{
    if (!p->field) return p->bodies ? color_of_body(0) : color_neutral();
    double value = field_value(p->field, (size_t)(p->field->place == FRAME_POINTS ? node : cell));
    if (p->bodies) {
        int body = (int)value;
        bool neutral =
            body >= 0 && (size_t)body < p->style->neutral_count && p->style->neutral[body];
        return neutral ? color_neutral() : color_of_body(body);
    }
    double low = p->style->range[0], high = p->style->range[1];
    return color_of_value(high > low ? (value - low) / (high - low) : 0.5);
}

/* ---- normals ---- */

/* Triangles around each point: those of point i are list[start[i]] .. list[start[i + 1] - 1]. */
typedef struct fans {
    uint32_t *start, *list;
    vec3 *normals; /* of the triangles; the length is twice the area */
} fans;

static void fans_free(fans *a)
{
    mem_free(a->start);
    mem_free(a->list);
    mem_free(a->normals);
}

static vec3 triangle_normal(const frame *f, const surface_triangle *t)
{
    vec3 a = f->points[t->nodes[0]];
    return vec3_cross(vec3_sub(f->points[t->nodes[1]], a), vec3_sub(f->points[t->nodes[2]], a));
}

static bool fans_build(fans *a, const frame *f, const surface *s)
{
    size_t n = s->triangles.count;
    *a = (fans){mem_calloc(f->point_count + 2, sizeof *a->start), mem_alloc(3 * n, sizeof *a->list),
                mem_alloc(n, sizeof *a->normals)};
    if (!a->start || !a->list || !a->normals) return false;
    /* Counts go two entries further, so that filling moves them to where they belong. */
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) a->start[s->triangles.data[i].nodes[k] + 2]++;
    for (size_t i = 2; i < f->point_count + 2; i++) a->start[i] += a->start[i - 1];
    for (size_t i = 0; i < n; i++) {
        const surface_triangle *t = &s->triangles.data[i];
        for (int k = 0; k < 3; k++) a->list[a->start[t->nodes[k] + 1]++] = (uint32_t)i;
        a->normals[i] = triangle_normal(f, t);
    }
    return true;
}

/* Mean normal of the triangles around a node that are nearly in the plane of this one. Their
 * orientation may be opposite: sheets are often not oriented. */
static vec3 corner_normal(const fans *a, size_t triangle, int32_t node, double crease_cosine)
{
    vec3 own = vec3_normalize(a->normals[triangle]), sum = {0, 0, 0};
    for (uint32_t i = a->start[node]; i < a->start[node + 1]; i++) {
        vec3 other = a->normals[a->list[i]];
        double cosine = vec3_dot(own, vec3_normalize(other));
        if (fabs(cosine) >= crease_cosine) sum = vec3_mul_add(sum, cosine < 0 ? -1.0 : 1.0, other);
    }
    return vec3_normalize(sum);
}

/* ---- triangles ---- */

static draw_vertex make_vertex(vec3 position, vec3 normal, color c)
{
    return (draw_vertex){{(float)position.x, (float)position.y, (float)position.z},
                         {(float)normal.x, (float)normal.y, (float)normal.z},
                         {c.r, c.g, c.b, 255},
                         {255, 255, 255, 255}};
}

typedef struct triangle_job {
    const frame *frame;
    const surface *surface;
    const fans *fans;
    painter painter;
    draw_vertex *out;
} triangle_job;

static void draw_triangles(void *context, size_t begin, size_t end)
{
    const triangle_job *job = context;
    const drawing_style *style = job->painter.style;
    for (size_t i = begin; i < end; i++) {
        const surface_triangle *t = &job->surface->triangles.data[i];
        for (int k = 0; k < 3; k++) {
            vec3 position = vec3_sub(job->frame->points[t->nodes[k]], style->origin);
            vec3 normal = corner_normal(job->fans, i, t->nodes[k], style->crease_cosine);
            draw_vertex *v = &job->out[3 * i + (size_t)k];
            *v = make_vertex(position, normal, paint(&job->painter, t->nodes[k], t->cell));
            for (int e = 0; e < 3; e++) v->outline[e] = (t->hidden >> e & 1) || e == k ? 255 : 0;
        }
    }
}

static abut_status add_triangles(drawing *d, const frame *f, const surface *s,
                                 const drawing_style *style, abut_error *err)
{
    fans around = {0};
    abut_status status = ABUT_OK;
    if (!fans_build(&around, f, s) || !array_resize(&d->vertices, 3 * s->triangles.count)) {
        status = error_memory(err, "drawing triangles");
    } else {
        triangle_job job = {f, s, &around, make_painter(f, style), d->vertices.data};
        parallel_for(s->triangles.count, 4096, draw_triangles, &job);
    }
    fans_free(&around);
    return status;
}

/* ---- tubes and balls ---- */

enum { TUBE_SIDES = 12 };

static bool push_corner(drawing *d, vec3 center, vec3 direction, double radius, color c)
{
    return array_push(&d->vertices,
                      make_vertex(vec3_mul_add(center, radius, direction), direction, c));
}

/* An octahedron whose sides are cut into level^2 triangles each, blown up to a sphere. */
static bool push_ball_side(drawing *d, vec3 center, double radius, color c, vec3 x, vec3 y, vec3 z,
                           int level)
{
    for (int j = 0; j < level; j++)
        for (int i = 0; i < 2 * (level - j) - 1; i++) {
            int up = i % 2 == 0, a = i / 2;
            int corners[3][2] = {{a, j}, {a + 1, j}, {a, j + 1}};
            if (!up) {
                corners[0][0] = a + 1;
                corners[1][0] = a + 1, corners[1][1] = j + 1;
            }
            for (int k = 0; k < 3; k++) {
                double u = (double)corners[k][0] / level, v = (double)corners[k][1] / level;
                vec3 direction = vec3_scale(1.0 - u - v, x);
                direction = vec3_mul_add(vec3_mul_add(direction, u, y), v, z);
                if (!push_corner(d, center, vec3_normalize(direction), radius, c)) return false;
            }
        }
    return true;
}

static bool push_ball(drawing *d, vec3 center, double radius, color c, int level)
{
    for (int side = 0; side < 8; side++) {
        vec3 x = {side & 1 ? -1 : 1, 0, 0}, y = {0, side & 2 ? -1 : 1, 0};
        vec3 z = {0, 0, side & 4 ? -1 : 1};
        if (!push_ball_side(d, center, radius, c, x, y, z, level)) return false;
    }
    return true;
}

static bool push_tube(drawing *d, vec3 a, vec3 b, double radius, color ca, color cb)
{
    vec3 axis = vec3_normalize(vec3_sub(b, a));
    vec3 helper = fabs(axis.x) < 0.6 ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0);
    vec3 u = vec3_normalize(vec3_cross(axis, helper)), v = vec3_cross(axis, u);
    for (int i = 0; i < TUBE_SIDES; i++) {
        vec3 side[2];
        for (int k = 0; k < 2; k++) {
            double angle = 2.0 * 3.14159265358979324 * (i + k) / TUBE_SIDES;
            side[k] = vec3_mul_add(vec3_scale(cos(angle), u), sin(angle), v);
        }
        if (!push_corner(d, a, side[0], radius, ca) || !push_corner(d, b, side[0], radius, cb) ||
            !push_corner(d, b, side[1], radius, cb) || !push_corner(d, a, side[0], radius, ca) ||
            !push_corner(d, b, side[1], radius, cb) || !push_corner(d, a, side[1], radius, ca))
            return false;
    }
    return true;
}

/* Radius at a node: that of its body where it has one. */
static double radius_at(const frame *f, const drawing_style *style, int32_t node,
                        double default_radius)
{
    const frame_field *body = frame_find(f, FRAME_POINTS, FIELD_BODY);
    if (!style->diameter || !body || !body->ints) return default_radius;
    int32_t b = body->ints[node];
    bool own = b >= 0 && (size_t)b < style->neutral_count && style->diameter[b] > 0;
    return own ? 0.5 * style->diameter[b] : default_radius;
}

static bool add_lines(drawing *d, const frame *f, const surface *s, const drawing_style *style)
{
    painter p = make_painter(f, style);
    for (size_t i = 0; i < s->lines.count; i++) {
        const surface_line *line = &s->lines.data[i];
        vec3 ends[2];
        color colors[2];
        double radius = radius_at(f, style, line->nodes[0], style->line_radius);
        for (int k = 0; k < 2; k++) {
            ends[k] = vec3_sub(f->points[line->nodes[k]], style->origin);
            colors[k] = paint(&p, line->nodes[k], line->cell);
            if (!push_ball(d, ends[k], radius, colors[k], 3)) return false;
        }
        if (!push_tube(d, ends[0], ends[1], radius, colors[0], colors[1])) return false;
    }
    return true;
}

static bool add_points(drawing *d, const frame *f, const surface *s, const drawing_style *style)
{
    painter p = make_painter(f, style);
    int level = s->points.count < 2000 ? 8 : s->points.count < 20000 ? 4 : 2;
    for (size_t i = 0; i < s->points.count; i++) {
        const surface_point *point = &s->points.data[i];
        if (!push_ball(d, vec3_sub(f->points[point->node], style->origin),
                       radius_at(f, style, point->node, style->point_radius),
                       paint(&p, point->node, point->cell), level))
            return false;
    }
    return true;
}

/* ---- the drawing ---- */

/* True when everything lies in the x-y plane and has no faces: a planar scene. */
static bool is_flat(const frame *f, const surface *s)
{
    if (s->triangles.count > 0 || s->lines.count == 0) return false;
    for (size_t i = 0; i < f->point_count; i++)
        if (f->points[i].z != 0) return false;
    return true;
}

/* Closed: every node ends two lines. Others, such as an open obstacle, have no inside. */
static bool is_closed(const surface_line *lines, size_t count, int32_t *ends)
{
    for (size_t i = 0; i < 2 * count; i++) ends[lines[i / 2].nodes[i % 2]] = 0;
    for (size_t i = 0; i < 2 * count; i++) ends[lines[i / 2].nodes[i % 2]]++;
    for (size_t i = 0; i < 2 * count; i++)
        if (ends[lines[i / 2].nodes[i % 2]] != 2) return false;
    return true;
}

/* Fills the bodies of a planar scene, one after the other. */
static bool add_insides(drawing *d, const frame *f, const surface *s, const drawing_style *style)
{
    const frame_field *body = frame_find(f, FRAME_POINTS, FIELD_BODY);
    if (!body || !body->ints || !is_flat(f, s)) return true;
    painter p = make_painter(f, style);
    size_t n = s->lines.count;
    vec3(*lines)[2] = mem_alloc(n, sizeof *lines);
    surface_line *own = mem_alloc(n, sizeof *own);
    int32_t *ends = mem_calloc(f->point_count + 1, sizeof *ends), last = 0;
    flat_triangles inside = {0};
    bool ok = lines && own && ends;
    for (size_t i = 0; i < f->point_count; i++) last = body->ints[i] > last ? body->ints[i] : last;
    for (int32_t b = 0; ok && b <= last; b++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (body->ints[s->lines.data[i].nodes[0]] == b) own[count++] = s->lines.data[i];
        if (count == 0 || !is_closed(own, count, ends)) continue;
        for (size_t i = 0; i < 2 * count; i++)
            lines[i / 2][i % 2] = f->points[own[i / 2].nodes[i % 2]];
        array_clear(&inside);
        ok = outline_fill((const vec3(*)[2])lines, count, &inside);
        for (size_t i = 0; ok && i < 3 * inside.count; i++) {
            const flat_triangle *t = &inside.data[i / 3];
            color c = paint(&p, own[t->line].nodes[0], own[t->line].cell);
            vec3 at = vec3_sub(t->corner[i % 3], style->origin);
            ok = array_push(&d->vertices, make_vertex(at, (vec3){0, 0, 1}, c));
        }
    }
    array_free(&inside);
    mem_free(lines);
    mem_free(own);
    mem_free(ends);
    return ok;
}

static void find_bounds(drawing *d)
{
    d->low = vec3_make(INFINITY, INFINITY, INFINITY);
    d->high = vec3_neg(d->low);
    for (size_t i = 0; i < d->vertices.count; i++) {
        const float *p = d->vertices.data[i].position;
        vec3 point = {p[0], p[1], p[2]};
        d->low = vec3_min(d->low, point);
        d->high = vec3_max(d->high, point);
    }
    if (d->vertices.count == 0) d->low = d->high = vec3_make(0, 0, 0);
}

abut_status drawing_make(drawing *d, const frame *f, const drawing_style *style, abut_error *err)
{
    surface s = {0};
    array_clear(&d->vertices);
    abut_status status = surface_extract(&s, f, err);
    if (status == ABUT_OK) status = add_triangles(d, f, &s, style, err);
    if (status == ABUT_OK && (!add_insides(d, f, &s, style) || !add_lines(d, f, &s, style) ||
                              !add_points(d, f, &s, style)))
        status = error_memory(err, "drawing lines and points");
    surface_free(&s);
    if (status == ABUT_OK) find_bounds(d);
    return status;
}

void drawing_free(drawing *d) { array_free(&d->vertices); }
