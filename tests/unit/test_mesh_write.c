/* Written meshes read back the same, in every format, for every kind and order of cells; failing
 * disks and allocations leave nothing behind. */
#include "support/mesh_cases.h"
#include "test.h"

#include "base/random.h"
#include "mesh/generate.h"
#include "mesh/topology.h"

#include <dirent.h>
#include <unistd.h>

static abut_error error;
static char folder[256];

static const char *path_of(const char *name)
{
    static char path[512];
    path_join(path, sizeof path, folder, name);
    return path;
}

static void fill_block(mesh *m, cell_kind kind, int order, size_t count, bool tags, random_state *r)
{
    cell_block *block;
    CHECK_OK(mesh_add_block(m, kind, order, count, tags, &block, &error), error);
    for (size_t c = 0; c < count; c++) {
        /* Different nodes, so that the cell is valid; a random start and step do it. */
        size_t start = random_below(r, m->vertex_count);
        for (int i = 0; i < block->nodes_per_cell; i++)
            block->nodes[c * (size_t)block->nodes_per_cell + (size_t)i] =
                (int32_t)((start + 7 * (size_t)i) % m->vertex_count);
        if (tags) block->tags[c] = (int32_t)random_below(r, 3);
    }
    if (tags) block->tags[0] = 5;
}

/* 101 vertices (a prime, so that the steps above do not repeat). */
static mesh random_vertices(random_state *r)
{
    mesh m;
    CHECK_OK(mesh_init(&m, 101, &error), error);
    for (size_t v = 0; v < m.vertex_count; v++)
        m.vertices[v] = vec3_make(random_range(r, -1, 1), random_range(r, -1e-5, 1e5),
                                  random_below(r, 10) ? random_unit(r) * 1e-300 : -0.0);
    return m;
}

static bool same_mesh(const mesh *a, const mesh *b)
{
    bool same = a->vertex_count == b->vertex_count && a->block_count == b->block_count;
    same = same && memcmp(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices) == 0;
    same = same && !a->rest == !b->rest && a->stitch_count == b->stitch_count;
    if (same && a->rest) same = memcmp(a->rest, b->rest, a->vertex_count * sizeof *a->rest) == 0;
    for (size_t s = 0; same && s < a->stitch_count; s++)
        same = a->stitch_ratio[s] == b->stitch_ratio[s] &&
               memcmp(a->stitch_vertices[s], b->stitch_vertices[s], 12) == 0;
    for (int i = 0; same && i < a->block_count; i++) {
        const cell_block *x = &a->blocks[i], *y = &b->blocks[i];
        same = x->kind == y->kind && x->order == y->order && x->count == y->count;
        same = same && !x->tags == !y->tags;
        size_t nodes = x->count * (size_t)x->nodes_per_cell;
        same = same && memcmp(x->nodes, y->nodes, nodes * sizeof *x->nodes) == 0;
        if (same && x->tags) same = memcmp(x->tags, y->tags, x->count * sizeof *x->tags) == 0;
    }
    return same;
}

static void check_round_trip(const char *name, const mesh *m)
{
    mesh again = {0};
    CHECK_OK(mesh_write(path_of(name), m, &error), error);
    CHECK_OK(mesh_read(path_of(name), NULL, &again, &error), error);
    CHECK(same_mesh(m, &again));
    mesh_free(&again);
    unlink(path_of(name));
}

TEST(all_kinds_and_orders)
{
    static const char *const names[] = {"a.vtu", "a.msh", "a.msh2", "A.VTU"};
    static const int highest[] = {1, 4, 4, 2, 4, 2};
    random_state r = {1};
    for (int kind = CELL_POINT; kind <= CELL_HEX; kind++)
        for (int order = 1; order <= highest[kind]; order++)
            for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
                mesh m = random_vertices(&r);
                fill_block(&m, (cell_kind)kind, order, 20, f % 2 == 0, &r);
                check_round_trip(names[f], &m);
                mesh_free(&m);
            }
}

TEST(mixed_blocks)
{
    static const char *const names[] = {"a.vtu", "a.msh", "a.msh2"};
    random_state r = {2};
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        mesh m = random_vertices(&r);
        fill_block(&m, CELL_TET, 1, 30, true, &r);
        fill_block(&m, CELL_TRIANGLE, 2, 9, false, &r);
        fill_block(&m, CELL_EDGE, 1, 8, true, &r);
        fill_block(&m, CELL_POINT, 1, 2, false, &r);
        fill_block(&m, CELL_HEX, 2, 4, true, &r);
        check_round_trip(names[f], &m);
        mesh_free(&m);
        m = random_vertices(&r); /* no cells at all */
        check_round_trip(names[f], &m);
        mesh_free(&m);
    }
}

TEST(surfaces)
{
    random_state r = {3};
    mesh m = random_vertices(&r);
    fill_block(&m, CELL_TRIANGLE, 1, 50, false, &r);
    fill_block(&m, CELL_EDGE, 1, 20, false, &r);
    check_round_trip("a.ply", &m);
    fill_block(&m, CELL_POINT, 1, 7, false, &r);
    m.rest = mem_alloc(m.vertex_count, sizeof *m.rest);
    for (size_t v = 0; v < m.vertex_count; v++)
        m.rest[v] = vec3_make(random_unit(&r), random_unit(&r), 0);
    m.stitch_count = 2;
    m.stitch_vertices = mem_calloc(2, sizeof *m.stitch_vertices);
    m.stitch_ratio = mem_calloc(2, sizeof *m.stitch_ratio);
    m.stitch_vertices[1][2] = 100;
    m.stitch_ratio[1] = 1.0 / 3.0;
    check_round_trip("a.obj", &m);
    m.stitch_count = 0; /* VTU has no place for stitches */
    check_round_trip("a.vtu", &m);
    m.stitch_count = 2;
    mesh_free(&m);
}

TEST(quads_in_surfaces)
{
    random_state r = {4};
    static const char *const names[] = {"a.obj", "a.ply"};
    for (int f = 0; f < 2; f++) {
        mesh m = random_vertices(&r), again;
        fill_block(&m, CELL_QUAD, 1, 5, false, &r);
        CHECK_OK(mesh_write(path_of(names[f]), &m, &error), error);
        CHECK_OK(mesh_read(path_of(names[f]), NULL, &again, &error), error);
        const cell_block *triangles = mesh_find(&again, CELL_TRIANGLE);
        CHECK(triangles && triangles->count == 10);
        CHECK(triangles->nodes[0] == m.blocks[0].nodes[0] &&
              triangles->nodes[5] == m.blocks[0].nodes[3]);
        mesh_free(&m);
        mesh_free(&again);
    }
}

TEST(solids_become_surfaces)
{
    mesh m, again;
    CHECK_OK(generate_box(vec3_make(1, 2, 3), (int[]){2, 2, 2}, &m, &error), error);
    static const char *const names[] = {"a.obj", "a.ply"};
    for (int f = 0; f < 2; f++) {
        CHECK_OK(mesh_write(path_of(names[f]), &m, &error), error);
        CHECK_OK(mesh_read(path_of(names[f]), NULL, &again, &error), error);
        CHECK(again.vertex_count == m.vertex_count && again.block_count == 1);
        CHECK(again.blocks[0].kind == CELL_TRIANGLE && again.blocks[0].count == 48);
        mesh_free(&again);
    }
    mesh_free(&m);
}

TEST(refused)
{
    random_state r = {5};
    mesh m = random_vertices(&r);
    fill_block(&m, CELL_TRIANGLE, 2, 5, false, &r);
    CHECK(mesh_write(path_of("a.obj"), &m, &error) == ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(error.message, "no cells of order 2") && strstr(error.place, "a.obj"));
    CHECK(mesh_write(path_of("a.ply"), &m, &error) == ABUT_ERROR_UNSUPPORTED);
    CHECK(mesh_write(path_of("a.xyz"), &m, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "'xyz'; allowed are vtu") != NULL);
    CHECK(mesh_write("/does/not/exist/a.msh", &m, &error) == ABUT_ERROR_IO);
    CHECK(mesh_write("/does/not/exist/a.vtu", &m, &error) == ABUT_ERROR_IO);
    mesh_free(&m);
}

static int file_count(void)
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void clear_folder(void)
{
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.') unlink(path_of(entry->d_name));
    closedir(directory);
}

TEST(full_disk_leaves_the_old_file)
{
    static const char *const names[] = {"a.vtu", "a.obj", "a.ply", "a.msh", "a.msh2"};
    random_state r = {6};
    clear_folder();
    for (int f = 0; f < 5; f++) {
        mesh m = random_vertices(&r), again;
        fill_block(&m, CELL_TRIANGLE, 1, 5, false, &r);
        CHECK_OK(mesh_write(path_of(names[f]), &m, &error), error);
        m.vertices[0].x = 12345;
        file_fail_after_bytes(100);
        CHECK(mesh_write(path_of(names[f]), &m, &error) == ABUT_ERROR_IO);
        file_fail_after_bytes(-1);
        CHECK_OK(mesh_read(path_of(names[f]), NULL, &again, &error), error);
        CHECK(again.vertices[0].x != 12345);
        CHECK(file_count() == f + 1);
        mesh_free(&again);
        mesh_free(&m);
    }
}

TEST(failing_allocations)
{
    static const char *const names[] = {"a.vtu", "a.obj", "a.ply", "a.msh", "a.msh2"};
    mesh m;
    clear_folder();
    CHECK_OK(generate_box(vec3_make(1, 2, 3), (int[]){2, 2, 2}, &m, &error), error);
    for (int f = 0; f < 5; f++) {
        bool failed = true;
        for (int round = 0; failed && round < 1000; round++) {
            mem_fail_after(round);
            abut_status status = mesh_write(path_of(names[f]), &m, &error);
            failed = mem_failure_happened();
            mem_fail_after(-1);
            CHECK(status == (failed ? ABUT_ERROR_MEMORY : ABUT_OK));
            CHECK(file_count() == (failed ? f : f + 1));
        }
        CHECK(!failed);
    }
    mesh_free(&m);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/abut-mesh-write-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    RUN(all_kinds_and_orders);
    RUN(mixed_blocks);
    RUN(surfaces);
    RUN(quads_in_surfaces);
    RUN(solids_become_surfaces);
    RUN(refused);
    RUN(full_disk_leaves_the_old_file);
    RUN(failing_allocations);
    clear_folder();
    rmdir(folder);
    return TEST_END();
}
