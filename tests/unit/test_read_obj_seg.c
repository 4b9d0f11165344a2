/* OBJ and SEG files: what is read, what is refused and with which words. */
#include "support/mesh_cases.h"
#include "test.h"

#include <unistd.h>

static abut_error error;

static const char obj_sample[] = "# a square, a triangle and more\r\n"
                                 "mtllib none.mtl\r\n"
                                 "o thing\n"
                                 "v 0 0 0\r\n"
                                 "v 1 0 0 # right\n"
                                 "  v 1.0 1e0 0 0.5 0.5 0.5\n"
                                 "v 0 1\n"
                                 "vn 0 0 1\n"
                                 "s off\n"
                                 "f 1//1 2//1 3//1 4//1\n"
                                 "v 5 5 5\n"
                                 "v 6 6 6\n"
                                 "f -6 2 -4\n"
                                 "l 1 2 3\n"
                                 "l 5 -1\n"
                                 "p 5 6\n"
                                 "f 1 2 7\n"
                                 "v 2 2 2";

TEST(obj)
{
    mesh m;
    CHECK_OK(read_text(MESH_FORMAT_OBJ, obj_sample, strlen(obj_sample), &m, &error), error);
    CHECK(m.vertex_count == 7 && m.block_count == 3 && !m.rest && m.stitch_count == 0);
    CHECK(m.vertices[2].x == 1 && m.vertices[2].y == 1 && m.vertices[3].z == 0);
    const cell_block *triangles = mesh_find(&m, CELL_TRIANGLE), *edges = mesh_find(&m, CELL_EDGE);
    static const int32_t expected[] = {0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 1, 6};
    CHECK(triangles && triangles->count == 4 && !triangles->tags);
    CHECK(memcmp(triangles->nodes, expected, sizeof expected) == 0);
    static const int32_t expected_edges[] = {0, 1, 1, 2, 4, 5};
    CHECK(edges && edges->count == 3);
    CHECK(memcmp(edges->nodes, expected_edges, sizeof expected_edges) == 0);
    const cell_block *points = mesh_find(&m, CELL_POINT);
    CHECK(points && points->count == 2 && points->nodes[0] == 4 && points->nodes[1] == 5);
    CHECK_OK(mesh_validate(&m, &error), error);
    mesh_free(&m);
}

static bool has_rest(const char *text, mesh *m)
{
    CHECK_OK(read_text(MESH_FORMAT_OBJ, text, strlen(text), m, &error), error);
    return m->rest != NULL;
}

TEST(obj_texture_is_rest_shape)
{
    mesh m;
    /* One per vertex, in the same order. */
    CHECK(has_rest("v 0 0 1\nv 1 0 1\nv 0 1 1\nvt 0 0\nvt 3 0\nvt 0 4 0.5\nf 1 2 3\n", &m));
    CHECK(m.rest[1].x == 3 && m.rest[2].y == 4 && m.rest[2].z == 0.5 && m.vertices[2].z == 1);
    mesh_free(&m);
    /* By the indices of the faces. */
    CHECK(has_rest("v 0 0 1\nv 1 0 1\nv 0 1 1\nvt 9 9\nvt 3 0\nvt 0 4\nvt 7 7\nf 1/3 2/2 3/-1\n",
                   &m));
    CHECK(m.rest[0].y == 4 && m.rest[1].x == 3 && m.rest[2].x == 7);
    mesh_free(&m);
    /* A seam, a vertex without one, too few: no rest shape. */
    CHECK(!has_rest("v 0 0 1\nv 1 0 1\nv 0 1 1\nvt 9 9\nvt 3 0\nvt 0 4\nvt 7 7\n"
                    "f 1/3 2/2 3/1\nf 3/1 2/4 1/3\n",
                    &m));
    mesh_free(&m);
    CHECK(!has_rest("v 0 0 1\nv 1 0 1\nv 0 1 1\nv 3 3 3\nvt 9 9\nvt 3 0\nvt 1 1\nf 1/1 2/2 3/3\n",
                    &m));
    mesh_free(&m);
    CHECK(!has_rest("v 0 0 1\nv 1 0 1\nv 0 1 1\nvt 9 9\nf 1 2 3\n", &m));
    mesh_free(&m);
}

TEST(obj_stitches)
{
    mesh m;
    const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nstitch 0 1 2 0.25\nstitch 2 0 1 1\n";
    CHECK_OK(read_text(MESH_FORMAT_OBJ, text, strlen(text), &m, &error), error);
    CHECK(m.stitch_count == 2 && m.stitch_ratio[0] == 0.25 && m.stitch_ratio[1] == 1);
    CHECK(m.stitch_vertices[0][0] == 0 && m.stitch_vertices[0][2] == 2);
    CHECK(m.stitch_vertices[1][0] == 2);
    mesh_free(&m);
}

TEST(bad_obj)
{
    static const bad_file files[] = {
        {"", "file:1", "no vertices", 0},
        {"# nothing\nf 1 2 3\n", "file:3", "no vertices", 0},
        {"v 0 0 0\nv 1\n", "file:2", "has 1 numbers; at least 2", 0},
        {"v 0 0 0\nv 1 two 3\n", "file:2", "expected a number (a vertex), found 'two'", 0},
        {"v 0 0 0\nv 1 2 nan\n", "file:2", "'nan'; it must be finite", 0},
        {"v 0 0 0\nv 1 -inf 0\n", "file:2", "it must be finite", 0},
        {"v 0 0 0\nv 1e999 0 0\n", "file:2", "it must be finite", 0},
        {"v 0 0 0x\n", "file:1", "expected a number", 0},
        {"v 0 0 0\nf 1 1\n", "file:2", "a face has 2 vertices; at least 3", 0},
        {"v 0 0 0\nl 1\n", "file:2", "a line has 1 vertices; at least 2", 0},
        {"v 0 0 0\nf 1 1 2\nv 1 1 1\nf 1 2 3\nl 1 2\n", "file:4", "vertex 3 is used", 0},
        {"v 0 0 0\nf 1 0 1\n", "file:2", "the vertex index is '0'", 0},
        {"v 0 0 0\nf 1 -2 1\n", "file:2", "the vertex index is '-2'", 0},
        {"v 0 0 0\nf 1 1 99999999999999999999\n", "file:2", "the vertex index is '9999", 0},
        {"v 0 0 0\nf 1 1 4294967297\n", "file:2", "the vertex index is", 0},
        {"v 0 0 0\nf 1 1 2147483647\n", "file:2", "vertex 2147483647 is used", 0},
        {"v 0 0 0\nf 1/1 1/2 2147483647/1\n", "file:2", "vertex 2147483647 is used", 0},
        {"v 0 0 0\nf a b c\n", "file:2", "expected a vertex index, found 'a'", 0},
        {"v 0 0 0\nf 1.5 1 1\n", "file:2", "expected a vertex index", 0},
        {"v 0 0 0\nvt 0 0\nf 1/1 1/2 1/1\n", "file:3", "texture coordinate 2 is used", 0},
        {"v 0 0 0\nvt 0 0\nf 1/x 1/2 1/1\n", "file:3", "expected a texture index", 0},
        {"v 0 0 0\nvt\n", "file:2", "a texture coordinate has 0 numbers", 0},
        {"v 0 0 0\nstitch 0 0 0\n", "file:2", "it needs 4", 0},
        {"v 0 0 0\nstitch 0 0 1 0.5\n", "file:2", "vertex 1 (counted from 0)", 0},
        {"v 0 0 0\nstitch 0 0 -1 0.5\n", "file:2", "allowed are 0 to", 0},
        {"v 0 0 0\nstitch 0 0 0 1.5\n", "file:2", "must be between 0 and 1", 0},
        {"v 0 0 0\nv 1 1 1\nf 1 2 2\0 1\n", "file:3", "expected a vertex index", 27},
    };
    CHECK(count_accepted(MESH_FORMAT_OBJ, files, sizeof files / sizeof *files) == 0);
}

static const char seg_sample[] = "v -0.5 0 0\nv 0 0 0.25\n# joint\nv 1 0 0\ns 1 2\ns 3 2\n";

TEST(seg)
{
    mesh m;
    CHECK_OK(read_text(MESH_FORMAT_SEG, seg_sample, strlen(seg_sample), &m, &error), error);
    const cell_block *edges = mesh_find(&m, CELL_EDGE);
    CHECK(m.vertex_count == 3 && m.vertices[1].z == 0.25 && edges && edges->count == 2);
    CHECK(edges->nodes[0] == 0 && edges->nodes[1] == 1 && edges->nodes[2] == 2);
    mesh_free(&m);
}

TEST(bad_seg)
{
    static const bad_file files[] = {
        {"", "file:1", "no vertices", 0},
        {"v 0 0\n", "file:1", "a vertex has 2 numbers; 3 are needed", 0},
        {"v 0 0 0 0\n", "file:1", "expected the end of the line, found '0'", 0},
        {"v 0 0 0\ns 1\n", "file:2", "a segment has 1 vertices", 0},
        {"v 0 0 0\ns 1 2\n", "file:2", "vertex 2 is used", 0},
        {"v 0 0 0\ns 0 1\n", "file:2", "vertex of a segment is '0'; allowed are 1", 0},
        {"v 0 0 0\ns 1 9999999999999999999999\n", "file:2", "allowed are 1", 0},
        {"v 0 0 0\nx 1 2\n", "file:2", "found 'x'", 0},
        {"v 0 0 inf\n", "file:1", "finite", 0},
    };
    CHECK(count_accepted(MESH_FORMAT_SEG, files, sizeof files / sizeof *files) == 0);
}

TEST(recognition_without_extension)
{
    CHECK(mesh_recognize("a", obj_sample, strlen(obj_sample)) == MESH_FORMAT_OBJ);
    CHECK(mesh_recognize("a", seg_sample, strlen(seg_sample)) == MESH_FORMAT_SEG);
    CHECK(mesh_recognize("a.OBJ", "", 0) == MESH_FORMAT_OBJ);
    CHECK(mesh_recognize("a.obj", seg_sample, strlen(seg_sample)) == MESH_FORMAT_OBJ);
    CHECK(mesh_recognize("a.b/seg", "hello", 5) == MESH_FORMAT_UNKNOWN);
    CHECK(mesh_recognize("a", "", 0) == MESH_FORMAT_UNKNOWN);
}

TEST(missing_files)
{
    mesh m;
    CHECK(mesh_read("/does/not/exist.obj", NULL, &m, &error) == ABUT_ERROR_IO);
    CHECK(strcmp(error.place, "/does/not/exist.obj") == 0);
    CHECK(mesh_read("/tmp", NULL, &m, &error) == ABUT_ERROR_IO);
    CHECK(strstr(error.message, "directory") != NULL);
    CHECK(mesh_read("/dev/null", NULL, &m, NULL) == ABUT_ERROR_IO);
}

/* A file of this text, padded by a comment to that many bytes, with that last line. */
static char *make_file(size_t size, const char *last)
{
    static char path[] = "/tmp/abut-read-XXXXXX";
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "wb");
    size_t used = 0;
    while (used + 64 < size) used += (size_t)fprintf(file, "v %zu 0.5 1\n", used);
    while (used + strlen(last) + 1 < size) used += (size_t)fprintf(file, "#");
    fprintf(file, "\n%s", last);
    fclose(file);
    return path;
}

/* The byte behind a file of whole pages is not part of the file's own pages. */
TEST(file_of_whole_pages)
{
    mesh m;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *path = make_file(2 * page, "v 7 8 9");
    CHECK_OK(mesh_read(path, NULL, &m, &error), error);
    CHECK(m.vertex_count > 100 && m.vertices[m.vertex_count - 1].z == 9);
    mesh_free(&m);
    unlink(path);
}

/* Pages are released while a large file is read; an error at its end must still count all lines. */
TEST(error_at_the_end_of_a_large_file)
{
    mesh m;
    char *path = make_file(20000000, "v 7 eight 9\n"), expected[64];
    size_t lines = 1;
    file_bytes bytes;
    CHECK_OK(file_read(path, &bytes, &error), error);
    for (size_t i = 0; i + 1 < bytes.size; i++) lines += bytes.data[i] == '\n';
    file_free(&bytes);
    CHECK(mesh_read(path, NULL, &m, &error) == ABUT_ERROR_INPUT);
    snprintf(expected, sizeof expected, ":%zu", lines);
    CHECK(lines > 1000000 && strstr(error.place, expected) && strstr(error.message, "'eight'"));
    unlink(path);
}

TEST(failing_allocations)
{
    CHECK(exhaust_memory(MESH_FORMAT_OBJ, obj_sample, strlen(obj_sample)) > 3);
    CHECK(exhaust_memory(MESH_FORMAT_SEG, seg_sample, strlen(seg_sample)) > 1);
    const char *rest = "v 0 0 1\nv 1 0 1\nv 0 1 1\nvt 3 0\nf 1/1 2/1 3/1\nstitch 0 1 2 0.5\n";
    CHECK(exhaust_memory(MESH_FORMAT_OBJ, rest, strlen(rest)) > 6);
}

TEST(cut_short_anywhere)
{
    count_accepted_beginnings(MESH_FORMAT_OBJ, obj_sample, strlen(obj_sample));
    count_accepted_beginnings(MESH_FORMAT_SEG, seg_sample, strlen(seg_sample));
    CHECK(count_accepted_beginnings(MESH_FORMAT_SEG, seg_sample, 11) == 1);
}

int main(void)
{
    RUN(obj);
    RUN(obj_texture_is_rest_shape);
    RUN(obj_stitches);
    RUN(bad_obj);
    RUN(seg);
    RUN(bad_seg);
    RUN(recognition_without_extension);
    RUN(missing_files);
    RUN(file_of_whole_pages);
    RUN(error_at_the_end_of_a_large_file);
    RUN(failing_allocations);
    RUN(cut_short_anywhere);
    return TEST_END();
}
