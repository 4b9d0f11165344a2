/* Animated glTF: rigid motion found again from frames; the file as its format wants it. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "output/gltf.h"
#include "support/scratch.h"

#include <jansson.h>

static abut_error err;
static char folder[200];

enum { FRAMES = 40, CUBES = 3, CORNERS = 8 };

/* Cube 0 turns and flies, cube 1 stands, cube 2 rests for the first half and then moves. */
static void place_cubes(int f, vec3 *x)
{
    for (int b = 0; b < CUBES; b++) {
        double t = b == 0 ? f : b == 2 && f > FRAMES / 2 ? f - FRAMES / 2 : 0;
        mat3 turn = rotation_matrix(vec3_scale(0.3 * t, vec3_make(0.6, 0, 0.8)));
        vec3 at = vec3_make(3 * b + 0.1 * t, 0.05 * t * t, -b);
        for (int i = 0; i < CORNERS; i++) {
            vec3 corner = {i & 1 ? 0.5 : -0.5, i & 2 ? 0.4 : -0.4, i & 4 ? 0.3 : -0.3};
            x[CORNERS * b + i] = vec3_add(at, mat3_mul_vec(turn, corner));
        }
    }
}

static int32_t triangles[CUBES * 12 * 3], bodies[CUBES * CORNERS + 4];

static void make_topology(void)
{
    static const int32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                         {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                         {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int b = 0; b < CUBES; b++) {
        for (int i = 0; i < CORNERS; i++) bodies[CORNERS * b + i] = b;
        for (int k = 0; k < 36; k++) triangles[36 * b + k] = CORNERS * b + faces[k / 3][k % 3];
    }
}

static void write_run(int frames)
{
    frame_series series = {0};
    vec3 x[CUBES * CORNERS];
    cell_block block = {CELL_TRIANGLE, 1, 3, CUBES * 12, triangles, NULL};
    CHECK_OK(series_open(&series, folder, SERIES_NEW, &err), err);
    for (int f = 0; f < frames; f++) {
        place_cubes(f, x);
        frame out = {.time = 0.01 * f,
                     .step = f,
                     .point_count = CUBES * CORNERS,
                     .points = x,
                     .block_count = 1,
                     .blocks = &block};
        frame_add_ints(&out, FRAME_POINTS, FIELD_BODY, 1, bodies);
        CHECK_OK(series_add(&series, &out, &err), err);
    }
    series_close(&series);
}

static void read_poses(body_poses *poses)
{
    frame_series series = {0};
    CHECK_OK(series_find(&series, folder, &err), err);
    CHECK_OK(body_poses_read(&series, poses, &err), err);
    series_close(&series);
}

TEST(poses_are_found_again)
{
    body_poses poses;
    write_run(FRAMES);
    read_poses(&poses);
    CHECK(poses.body_count == CUBES && poses.frame_count == FRAMES);
    CHECK_NEAR(poses.times[FRAMES - 1], 0.01 * (FRAMES - 1), 1e-12);
    for (int f = 0; f < FRAMES; f++) {
        mat3 expected = rotation_matrix(vec3_scale(0.3 * f, vec3_make(0.6, 0, 0.8)));
        mat3 found = rotation_from_quaternion(poses.tracks[0].poses[f].turn);
        CHECK(mat3_norm2(mat3_sub(expected, found)) < 1e-24);
        CHECK_NEAR(poses.tracks[0].poses[f].center.x, 0.1 * f, 1e-12);
    }
    for (int b = 0; b < CUBES; b++) {
        CHECK(body_track_is_rigid(&poses.tracks[b]) && poses.tracks[b].residual < 1e-12);
        CHECK_NEAR(poses.tracks[b].size, sqrt(0.25 + 0.16 + 0.09), 1e-12);
    }
    body_poses_free(&poses);
}

/* Every accessor lies within its view, every view within the buffer; animations name nodes that
 * are there; outputs are as long as inputs. */
static void check_document(const json_t *root, size_t bytes)
{
    const json_t *views = json_object_get(root, "bufferViews"), *view;
    const json_t *accessors = json_object_get(root, "accessors"), *a;
    size_t i;
    CHECK(strcmp(json_string_value(json_object_get(json_object_get(root, "asset"), "version")),
                 "2.0") == 0);
    CHECK(json_integer_value(json_object_get(json_array_get(json_object_get(root, "buffers"), 0),
                                             "byteLength")) == (json_int_t)bytes);
    json_array_foreach(views, i, view)
    {
        json_int_t begin = json_integer_value(json_object_get(view, "byteOffset"));
        json_int_t length = json_integer_value(json_object_get(view, "byteLength"));
        CHECK(begin % 4 == 0 && begin >= 0 && length > 0 && (size_t)(begin + length) <= bytes);
    }
    json_array_foreach(accessors, i, a)
    {
        const char *type = json_string_value(json_object_get(a, "type"));
        size_t width = strcmp(type, "SCALAR") == 0 ? 1 : strcmp(type, "VEC3") == 0 ? 3 : 4;
        size_t count = (size_t)json_integer_value(json_object_get(a, "count"));
        view = json_array_get(views, (size_t)json_integer_value(json_object_get(a, "bufferView")));
        CHECK(json_integer_value(json_object_get(view, "byteLength")) ==
              (json_int_t)(4 * width * count));
    }
    const json_t *animation = json_array_get(json_object_get(root, "animations"), 0);
    const json_t *samplers = json_object_get(animation, "samplers"), *sampler;
    json_array_foreach(samplers, i, sampler)
    {
        size_t in = (size_t)json_integer_value(json_object_get(sampler, "input"));
        size_t out = (size_t)json_integer_value(json_object_get(sampler, "output"));
        CHECK(json_object_get(json_array_get(accessors, in), "max"));
        CHECK(json_integer_value(json_object_get(json_array_get(accessors, in), "count")) ==
              json_integer_value(json_object_get(json_array_get(accessors, out), "count")));
    }
    CHECK(json_array_size(json_object_get(root, "nodes")) == CUBES);
}

static uint32_t number_at(const file_bytes *bytes, size_t at)
{
    uint32_t x;
    memcpy(&x, bytes->data + at, 4);
    return x;
}

TEST(binary_files)
{
    const char *names[CUBES] = {"flies", "stands", NULL};
    body_poses poses;
    gltf_report report;
    file_bytes bytes;
    char path[300];
    snprintf(path, sizeof path, "%s/run.glb", folder);
    read_poses(&poses);
    CHECK_OK(gltf_write(&poses, names, path, &report, &err), err);
    CHECK(report.bodies == CUBES && report.moving == 2 && report.deforming == 0);
    CHECK(report.keys < 2 * FRAMES && report.keys > FRAMES + FRAMES / 2 - 3);
    CHECK_OK(file_read(path, &bytes, &err), err);
    CHECK(memcmp(bytes.data, "glTF", 4) == 0 && number_at(&bytes, 4) == 2);
    CHECK(number_at(&bytes, 8) == bytes.size);
    uint32_t json_size = number_at(&bytes, 12);
    CHECK(memcmp(bytes.data + 16, "JSON", 4) == 0 && json_size % 4 == 0);
    CHECK(memcmp(bytes.data + 24 + json_size, "BIN", 4) == 0);
    CHECK(28 + json_size + number_at(&bytes, 20 + json_size) == bytes.size);
    json_t *root = json_loadb(bytes.data + 20, json_size, 0, NULL);
    CHECK(root != NULL);
    check_document(root, report.bytes);
    const json_t *node = json_array_get(json_object_get(root, "nodes"), 0);
    CHECK(strcmp(json_string_value(json_object_get(node, "name")), "flies") == 0);
    json_decref(root);
    file_free(&bytes);
    body_poses_free(&poses);
}

TEST(text_files)
{
    body_poses poses;
    gltf_report report;
    char path[300];
    snprintf(path, sizeof path, "%s/run.gltf", folder);
    read_poses(&poses);
    CHECK_OK(gltf_write(&poses, NULL, path, &report, &err), err);
    json_t *root = json_load_file(path, 0, NULL);
    CHECK(root != NULL);
    check_document(root, report.bytes);
    const char *uri = json_string_value(
        json_object_get(json_array_get(json_object_get(root, "buffers"), 0), "uri"));
    const char *data = strchr(uri, ',') + 1;
    CHECK(strncmp(uri, "data:application/octet-stream;base64,", 37) == 0);
    CHECK(strlen(data) == (report.bytes + 2) / 3 * 4);
    json_decref(root);
    body_poses_free(&poses);
}

/* A body that deforms: shapes and weights put every corner where it is in every frame. */
TEST(bodies_that_deform)
{
    body_poses poses;
    gltf_report report;
    char path[300];
    snprintf(path, sizeof path, "%s/soft.gltf", folder);
    read_poses(&poses);
    poses.tracks[0].residual = 0.1;
    CHECK_OK(gltf_write(&poses, NULL, path, &report, &err), err);
    CHECK(report.deforming == 1 && report.moving == 1 && report.bodies == CUBES);
    json_t *root = json_load_file(path, 0, NULL);
    json_t *mesh0 = json_array_get(json_object_get(root, "meshes"), 0);
    json_t *targets =
        json_object_get(json_array_get(json_object_get(mesh0, "primitives"), 0), "targets");
    CHECK(json_array_size(targets) == FRAMES - 1);
    CHECK(json_array_size(json_object_get(mesh0, "weights")) == FRAMES - 1);
    json_t *accessors = json_object_get(root, "accessors");
    for (size_t f = 1; f < FRAMES; f++) {
        json_t *target = json_array_get(targets, f - 1);
        json_t *a = json_array_get(accessors,
                                   (size_t)json_integer_value(json_object_get(target, "POSITION")));
        vec3 first[CUBES * CORNERS], now[CUBES * CORNERS];
        place_cubes(0, first);
        place_cubes((int)f, now);
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < CORNERS; i++) {
            low = fmin(low, now[i].y - first[i].y);
            high = fmax(high, now[i].y - first[i].y);
        }
        CHECK(json_integer_value(json_object_get(a, "count")) == CORNERS);
        CHECK_NEAR(json_number_value(json_array_get(json_object_get(a, "min"), 1)), low, 1e-5);
        CHECK_NEAR(json_number_value(json_array_get(json_object_get(a, "max"), 1)), high, 1e-5);
    }
    json_t *channel = json_array_get(
        json_object_get(json_array_get(json_object_get(root, "animations"), 0), "channels"), 0);
    json_t *target = json_object_get(channel, "target");
    CHECK(strcmp(json_string_value(json_object_get(target, "path")), "weights") == 0);
    json_decref(root);
    for (int b = 0; b < CUBES; b++) poses.tracks[b].residual = 0.1;
    CHECK_OK(gltf_write(&poses, NULL, path, &report, &err), err);
    CHECK(report.deforming == CUBES && report.moving == 0);
    body_poses_free(&poses);
}

int main(void)
{
    char command[300];
    snprintf(folder, sizeof folder, "%s/gltf", test_scratch());
    CHECK_OK(directory_create(folder, &err), err);
    make_topology();
    RUN(poses_are_found_again);
    RUN(binary_files);
    RUN(text_files);
    RUN(bodies_that_deform);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    return TEST_END();
}
