/* Surfaces of frames, colours, cameras, pictures. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/generate.h"
#include "output/color.h"
#include "output/drawing.h"
#include "output/legend.h"
#include "output/render.h"
#include "output/surface.h"

#include <png.h>
#include <unistd.h>

/* OSMesa keeps some hundred bytes per context that it never gives back. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libOSMesa\nleak:libLLVM\n"; }

static char folder[64], path[100];

static frame frame_of(const mesh *m)
{
    return (frame){.point_count = m->vertex_count,
                   .points = m->vertices,
                   .block_count = (size_t)m->block_count,
                   .blocks = m->blocks};
}

static double signed_volume(const frame *f, const surface *s)
{
    double volume = 0.0;
    for (size_t i = 0; i < s->triangles.count; i++) {
        const int32_t *n = s->triangles.data[i].nodes;
        volume += vec3_dot(f->points[n[0]], vec3_cross(f->points[n[1]], f->points[n[2]])) / 6.0;
    }
    return volume;
}

TEST(surface_of_a_box_encloses_its_volume)
{
    abut_error err;
    mesh m = {0};
    surface s = {0};
    CHECK_OK(generate_box(vec3_make(1, 2, 3), (int[3]){2, 3, 4}, &m, &err), err);
    frame f = frame_of(&m);
    CHECK_OK(surface_extract(&s, &f, &err), err);
    CHECK(s.triangles.count == 2 * 2 * (2 * 3 + 3 * 4 + 2 * 4));
    CHECK_NEAR(signed_volume(&f, &s), 6.0, 1e-12);
    for (size_t i = 0; i < s.triangles.count; i++) CHECK(s.triangles.data[i].hidden == 0);
    surface_free(&s);
    mesh_free(&m);
}

/* A straight tet of any order has the volume 1/6 and order^2 pieces per face. */
TEST(curved_faces_are_cut_through_all_nodes)
{
    abut_error err;
    for (int order = 1; order <= 4; order++) {
        const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
        const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}};
        vec3 p[35] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        int n = 4;
        for (int e = 0; e < 6; e++)
            for (int i = 1; i < order; i++, n++)
                p[n] = vec3_mul_add(vec3_scale(1.0 - (double)i / order, p[edges[e][0]]),
                                    (double)i / order, p[edges[e][1]]);
        for (int f = 0; f < 4 && order > 2; f++)
            for (int i = 0; i < (order == 3 ? 1 : 3); i++, n++)
                for (int k = 0; k < 3; k++)
                    p[n] = vec3_mul_add(p[n], (k == i ? order - 2.0 : 1.0) / order, p[faces[f][k]]);
        if (order == 4) p[n++] = vec3_make(0.25, 0.25, 0.25);
        int32_t nodes[35];
        for (int i = 0; i < n; i++) nodes[i] = i;
        cell_block block = {CELL_TET, order, n, 1, nodes, NULL};
        frame f = {.point_count = (size_t)n, .points = p, .block_count = 1, .blocks = &block};
        surface s = {0};
        CHECK_OK(surface_extract(&s, &f, &err), err);
        CHECK(s.triangles.count == (size_t)(4 * order * order));
        CHECK_NEAR(signed_volume(&f, &s), 1.0 / 6.0, 1e-14);
        int shown = 0;
        double area = 0.5 / (order * order);
        for (size_t i = 0; i < s.triangles.count; i++) {
            const surface_triangle *t = &s.triangles.data[i];
            for (int k = 0; k < 3; k++) shown += !(t->hidden >> k & 1);
            vec3 a = p[t->nodes[0]];
            double twice =
                vec3_norm(vec3_cross(vec3_sub(p[t->nodes[1]], a), vec3_sub(p[t->nodes[2]], a)));
            CHECK(fabs(0.5 * twice - area) < 1e-14 || fabs(0.5 * twice - area * sqrt(3)) < 1e-14);
        }
        CHECK(shown == 12 * order); /* each of the 6 edges, from two faces, in `order` parts */
        surface_free(&s);
    }
}

TEST(hexes_quads_lines_and_points)
{
    abut_error err;
    vec3 p[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int32_t hex[8] = {0, 1, 2, 3, 4, 5, 6, 7}, line[3] = {0, 1, 4}, lone[2] = {3, 5};
    cell_block blocks[3] = {{CELL_HEX, 1, 8, 1, hex, NULL},
                            {CELL_EDGE, 2, 3, 1, line, NULL},
                            {CELL_POINT, 1, 1, 2, lone, NULL}};
    frame f = {.point_count = 8, .points = p, .block_count = 3, .blocks = blocks};
    surface s = {0};
    CHECK_OK(surface_extract(&s, &f, &err), err);
    CHECK(s.triangles.count == 12);
    CHECK_NEAR(signed_volume(&f, &s), 1.0, 1e-14);
    CHECK(s.lines.count == 2 && s.lines.data[0].nodes[1] == 4 && s.lines.data[1].nodes[1] == 1);
    CHECK(s.points.count == 2 && s.points.data[1].node == 5 && s.points.data[1].cell == 3);
    surface_free(&s);
}

/* Inside a face of a box all normals agree; across its edges they do not. A ball is smooth. */
TEST(normals_follow_the_crease_angle)
{
    abut_error err;
    mesh m = {0};
    drawing d = {0};
    drawing_style style = {.color = "body", .crease_cosine = cos(40.0 * 3.14159265358979 / 180)};
    CHECK_OK(generate_box(vec3_make(2, 2, 2), (int[3]){3, 3, 3}, &m, &err), err);
    frame f = frame_of(&m);
    CHECK_OK(drawing_make(&d, &f, &style, &err), err);
    for (size_t i = 0; i < d.vertices.count; i++) {
        const float *n = d.vertices.data[i].normal, *p = d.vertices.data[i].position;
        double along = 0.0;
        for (int k = 0; k < 3; k++) along = fmax(along, fabs((double)n[k]));
        CHECK_NEAR(along, 1.0, 1e-6);
        CHECK_NEAR((double)(n[0] * p[0] + n[1] * p[1] + n[2] * p[2]), 1.0, 1e-6); /* outward */
    }
    mesh_free(&m);
    CHECK_OK(generate_icosphere(1.0, 3, &m, &err), err);
    f = frame_of(&m);
    CHECK_OK(drawing_make(&d, &f, &style, &err), err);
    for (size_t i = 0; i < d.vertices.count; i++)
        for (int k = 0; k < 3; k++)
            CHECK_NEAR((double)d.vertices.data[i].normal[k], (double)d.vertices.data[i].position[k],
                       0.02);
    mesh_free(&m);
    drawing_free(&d);
}

TEST(colors_differ_and_are_ordered)
{
    for (int i = 0; i < 30; i++)
        for (int j = 0; j < i; j++) {
            color a = color_of_body(i), b = color_of_body(j);
            int far = abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b);
            CHECK(far > (i < 8 ? 50 : 0));
        }
    int before = -1;
    for (int i = 0; i <= 20; i++) {
        color c = color_of_value(i / 20.0);
        int light = 2 * c.r + 7 * c.g + c.b;
        CHECK(light > before); /* lighter and lighter, also in grey */
        before = light;
    }
    color low = color_of_value(-5.0), start = color_of_value(0.0);
    CHECK(low.r == start.r && low.g == start.g && low.b == start.b);
    color white = color_oklch(1.0, 0.0, 0.0);
    CHECK(white.r == 255 && white.g == 255 && white.b == 255);
}

/* Every point is inside the picture, and on each axis one is near its border or the other axis is
 * the tighter one. */
TEST(the_camera_has_everything_in_the_picture)
{
    mat3 axes = mat3_identity();
    for (int yaw = -180; yaw < 180; yaw += 37)
        for (int pitch = -90; pitch <= 90; pitch += 30) {
            camera_view view;
            double left_margin = yaw % 2 ? 0.0 : 0.2;
            view_start(&view, &axes, yaw, pitch, 1.5, left_margin);
            vec3 points[8];
            for (int i = 0; i < 8; i++) {
                points[i] = vec3_make(10 + (i & 1), (i & 2) * 2.0, (i & 4) * 0.1);
                view_add(&view, points[i]);
            }
            camera c = camera_fit(&view, 0.0, 1.0);
            matrix4 matrix = camera_matrix(&c, left_margin, 0.0);
            double largest = 0.0;
            for (int i = 0; i < 8; i++) {
                double clip[4];
                for (int row = 0; row < 4; row++)
                    clip[row] = (double)matrix.m[row] * points[i].x +
                                (double)matrix.m[4 + row] * points[i].y +
                                (double)matrix.m[8 + row] * points[i].z +
                                (double)matrix.m[12 + row];
                CHECK(clip[3] > 0.0 && fabs(clip[2]) < clip[3]);
                double x = (clip[0] / clip[3] - left_margin) / (1.0 - left_margin);
                largest = fmax(largest, fmax(fabs(x), fabs(clip[1] / clip[3])));
            }
            CHECK_NEAR(largest, 1.0 / 1.06, 1e-3);
        }
}

/* ---- pictures ---- */

typedef struct scenery {
    mesh mesh;
    int32_t *body;
    double *speed;
    frame frame;
} scenery;

/* A box beside a ball. */
static void make_scenery(scenery *s)
{
    abut_error err;
    mesh ball = {0};
    memset(s, 0, sizeof *s);
    CHECK_OK(generate_box(vec3_make(1, 1, 1), (int[3]){2, 2, 2}, &s->mesh, &err), err);
    size_t first = s->mesh.vertex_count;
    CHECK_OK(generate_icosphere(0.5, 2, &ball, &err), err);
    mesh_transform(&ball, vec3_make(1, 1, 1), vec3_make(0, 0, 0), vec3_make(1.3, 0, 0));
    CHECK_OK(mesh_append(&s->mesh, &ball, &err), err);
    mesh_free(&ball);
    s->body = mem_calloc(s->mesh.vertex_count, sizeof *s->body);
    s->speed = mem_calloc(s->mesh.vertex_count, 3 * sizeof *s->speed);
    for (size_t i = 0; i < s->mesh.vertex_count; i++) {
        s->body[i] = i >= first;
        s->speed[3 * i] = s->mesh.vertices[i].x;
    }
    s->frame = frame_of(&s->mesh);
    frame_add_ints(&s->frame, FRAME_POINTS, FIELD_BODY, 1, s->body);
    frame_add_doubles(&s->frame, FRAME_POINTS, FIELD_VELOCITY, 3, s->speed);
}

static void free_scenery(scenery *s)
{
    mesh_free(&s->mesh);
    mem_free(s->body);
    mem_free(s->speed);
}

static abut_status draw(const frame *f, const render_options *o, image *out, abut_error *err)
{
    render_scope scope;
    renderer *r = NULL;
    TRY(render_scope_start(&scope, o, err));
    render_scope_add(&scope, f, o);
    TRY(renderer_create(&r, o, &scope, err));
    abut_status status = image_init(out, o->width, o->height, err);
    if (status == ABUT_OK) status = renderer_draw(r, f, out, err);
    renderer_free(r);
    return status;
}

static render_options small_options(void)
{
    render_options o = render_defaults();
    o.width = 96;
    o.height = 64;
    o.samples = 4;
    return o;
}

static int count_different(const image *a, const image *b)
{
    int count = 0;
    for (int i = 0; i < a->width * a->height; i++)
        count += memcmp(a->rgb + 3 * i, b->rgb + 3 * i, 3) != 0;
    return count;
}

TEST(a_picture_shows_the_bodies_and_is_reproducible)
{
    abut_error err;
    scenery s;
    image one, two, edges, speed, bare;
    make_scenery(&s);
    render_options o = small_options();
    CHECK_OK(draw(&s.frame, &o, &one, &err), err);
    parallel_set_threads(1);
    CHECK_OK(draw(&s.frame, &o, &two, &err), err);
    parallel_set_threads(2);
    CHECK(count_different(&one, &two) == 0);

    /* Colours of the two bodies cover their share of the picture. */
    int warm = 0, green = 0;
    for (int i = 0; i < o.width * o.height; i++) {
        const unsigned char *c = one.rgb + 3 * i;
        warm += c[0] > c[2] + 40;
        green += c[1] > c[0] + 40;
    }
    CHECK(warm > o.width * o.height / 16);
    CHECK(green > o.width * o.height / 20);

    o.edges = true;
    CHECK_OK(draw(&s.frame, &o, &edges, &err), err);
    CHECK(count_different(&one, &edges) > 100);
    o.edges = false;
    o.color = FIELD_VELOCITY;
    CHECK_OK(draw(&s.frame, &o, &speed, &err), err);
    CHECK(count_different(&one, &speed) > 1000);
    o = small_options();
    o.ground = false;
    CHECK_OK(draw(&s.frame, &o, &bare, &err), err);
    CHECK(count_different(&one, &bare) > 500);
    /* Without ground the left and right corners of a row are plain background. */
    const unsigned char *row = bare.rgb + 3 * 96 * 5;
    CHECK(memcmp(row, row + 3 * 95, 3) == 0);
    image_free(&one);
    image_free(&two);
    image_free(&edges);
    image_free(&speed);
    image_free(&bare);
    free_scenery(&s);
}

TEST(a_png_file_holds_the_picture)
{
    abut_error err;
    image picture;
    CHECK_OK(image_init(&picture, 33, 17, &err), err);
    for (int i = 0; i < 33 * 17 * 3; i++) picture.rgb[i] = (unsigned char)(i * 7);
    CHECK_OK(image_write_png(&picture, path, &err), err);
    png_image back = {.version = PNG_IMAGE_VERSION};
    CHECK(png_image_begin_read_from_file(&back, path));
    CHECK(back.width == 33 && back.height == 17);
    back.format = PNG_FORMAT_RGB;
    unsigned char pixels[33 * 17 * 3];
    CHECK(png_image_finish_read(&back, NULL, pixels, 0, NULL));
    CHECK(memcmp(pixels, picture.rgb, sizeof pixels) == 0);
    unlink(path);
    file_fail_after_bytes(30);
    CHECK(image_write_png(&picture, path, &err) == ABUT_ERROR_IO);
    file_fail_after_bytes(-1);
    CHECK(!file_exists(path));
    for (int i = 0;; i++) {
        mem_fail_after(i);
        abut_status status = image_write_png(&picture, path, &err);
        bool injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        CHECK(file_exists(path) == !injected);
        if (!injected) break;
    }
    unlink(path);
    image_free(&picture);
}

TEST(the_legend_shows_the_scale)
{
    abut_error err;
    image picture;
    CHECK_OK(image_init(&picture, 300, 200, &err), err);
    memset(picture.rgb, 255, 300 * 200 * 3);
    legend_draw(&picture, "velocity", 0.0, 2.5);
    color low = color_of_value(0.0), high = color_of_value(1.0);
    int x = 14, top = 60, bottom = 60 + 80 - 1, dark = 0;
    const unsigned char *a = picture.rgb + 3 * (300 * top + x);
    const unsigned char *b = picture.rgb + 3 * (300 * bottom + x);
    CHECK(abs(a[0] - high.r) < 8 && abs(a[1] - high.g) < 8 && abs(a[2] - high.b) < 8);
    CHECK(abs(b[0] - low.r) < 8 && abs(b[1] - low.g) < 8 && abs(b[2] - low.b) < 8);
    for (int i = 0; i < 300 * 50; i++) dark += picture.rgb[3 * i] < 128; /* the name is above */
    CHECK(dark > 50);
    /* Narrow signs take less room, and unknown ones leave a gap. */
    double wide = text_draw(&picture, "mmm", 0, 190, 1.0);
    double narrow = text_draw(&picture, "iii", 100, 190, 1.0);
    CHECK(narrow < wide && narrow > 0.0);
    CHECK(text_draw(&picture, "#", 0, 190, 1.0) > 0.0);
    text_draw(&picture, "outside", -1000, 5000, 3.0); /* no harm */
    image_free(&picture);
}

TEST(wrong_options_are_named)
{
    abut_error err;
    scenery s;
    image picture = {0};
    make_scenery(&s);
    render_options o = small_options();
    o.width = 3;
    CHECK(draw(&s.frame, &o, &picture, &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "size") == 0 && strstr(err.message, "16 to 8192") != NULL);
    o = small_options();
    o.samples = 0;
    CHECK(draw(&s.frame, &o, &picture, &err) == ABUT_ERROR_INPUT);
    o = small_options();
    o.pitch = 91;
    CHECK(draw(&s.frame, &o, &picture, &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "camera") == 0);
    o = small_options();
    o.color = "pressure";
    CHECK(draw(&s.frame, &o, &picture, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "no field \"pressure\"") != NULL);
    frame empty = {0};
    o = small_options();
    CHECK(draw(&empty, &o, &picture, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "nothing to draw") != NULL);
    free_scenery(&s);
}

TEST(lack_of_memory_is_an_error)
{
    abut_error err;
    scenery s;
    make_scenery(&s);
    render_options o = small_options();
    o.samples = 1;
    int tries = 0;
    for (bool injected = true; injected; tries++) {
        image picture = {0};
        mem_fail_after(tries);
        abut_status status = draw(&s.frame, &o, &picture, &err);
        injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        image_free(&picture);
    }
    CHECK(tries > 8);
    free_scenery(&s);
}

int main(void)
{
    strcpy(folder, "/tmp/abut-test-render-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    path_join(path, sizeof path, folder, "picture.png");
    RUN(surface_of_a_box_encloses_its_volume);
    RUN(curved_faces_are_cut_through_all_nodes);
    RUN(hexes_quads_lines_and_points);
    RUN(normals_follow_the_crease_angle);
    RUN(colors_differ_and_are_ordered);
    RUN(the_camera_has_everything_in_the_picture);
    RUN(a_picture_shows_the_bodies_and_is_reproducible);
    RUN(a_png_file_holds_the_picture);
    RUN(the_legend_shows_the_scale);
    RUN(wrong_options_are_named);
    RUN(lack_of_memory_is_an_error);
    CHECK(rmdir(folder) == 0);
    return TEST_END();
}
