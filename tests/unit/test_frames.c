/* Frames: what is written is read back bit for bit; damage, full disks and lack of memory are
 * errors; the list of frames survives a crash and a resume. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "mesh/mesh_io.h"
#include "output/series.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

enum { POINTS = 44, TETS = 3, TRIANGLES = 2, EDGES = 2 };

/* A mixed frame: cubic and linear tets, triangles, edges and a point, with fields of every sort. */
typedef struct sample {
    vec3 points[POINTS];
    int32_t cubic[20], tets[TETS * 4], triangles[TRIANGLES * 3], edges[EDGES * 2], lone[1];
    cell_block blocks[5];
    double velocity[3 * POINTS], stress[9];
    int32_t body[9];
    frame frame;
} sample;

static cell_block block(cell_kind kind, int order, size_t count, int32_t *nodes)
{
    return (cell_block){kind, order, cell_node_count(kind, order), count, nodes, NULL};
}

static void fill_ints(int32_t *to, size_t n, random_state *r)
{
    for (size_t i = 0; i < n; i++) to[i] = (int32_t)random_below(r, POINTS);
}

static void make_sample(sample *s, int64_t step)
{
    random_state r = {(uint64_t)step + 5};
    memset(s, 0, sizeof *s);
    for (int i = 0; i < POINTS; i++)
        s->points[i] =
            vec3_make(random_range(&r, -1, 1), random_unit(&r) * 1e-300, 1e300 / (i + 1));
    for (int i = 0; i < 3 * POINTS; i++) s->velocity[i] = random_range(&r, -5, 5);
    s->velocity[4] = -0.0;
    s->velocity[5] = INFINITY;
    fill_ints(s->cubic, 20, &r);
    fill_ints(s->tets, TETS * 4, &r);
    fill_ints(s->triangles, TRIANGLES * 3, &r);
    fill_ints(s->edges, EDGES * 2, &r);
    s->lone[0] = POINTS - 1;
    s->blocks[0] = block(CELL_TET, 3, 1, s->cubic);
    s->blocks[1] = block(CELL_TET, 1, TETS, s->tets);
    s->blocks[2] = block(CELL_TRIANGLE, 1, TRIANGLES, s->triangles);
    s->blocks[3] = block(CELL_EDGE, 1, EDGES, s->edges);
    s->blocks[4] = block(CELL_POINT, 1, 1, s->lone);
    for (int i = 0; i < 9; i++) {
        s->body[i] = i - 4;
        s->stress[i] = exp(i);
    }
    s->frame = (frame){.time = 0.1 * (double)step,
                       .step = step,
                       .point_count = POINTS,
                       .points = s->points,
                       .block_count = 5,
                       .blocks = s->blocks};
    frame_add_doubles(&s->frame, FRAME_POINTS, FIELD_VELOCITY, 3, s->velocity);
    frame_add_ints(&s->frame, FRAME_CELLS, FIELD_BODY, 1, s->body);
    frame_add_doubles(&s->frame, FRAME_CELLS, "a \"<&>\" name", 1, s->stress);
}

static void check_same(const frame *a, const frame *b)
{
    CHECK(a->time == b->time && a->step == b->step);
    CHECK(a->point_count == b->point_count && a->block_count == b->block_count);
    CHECK(a->field_count == b->field_count);
    if (test_failures_) return;
    CHECK(memcmp(a->points, b->points, a->point_count * sizeof *a->points) == 0);
    for (size_t i = 0; i < a->block_count; i++) {
        const cell_block *p = &a->blocks[i], *q = &b->blocks[i];
        CHECK(p->kind == q->kind && p->order == q->order && p->count == q->count);
        CHECK(p->nodes_per_cell == q->nodes_per_cell);
        CHECK(memcmp(p->nodes, q->nodes, p->count * (size_t)p->nodes_per_cell * sizeof(int32_t)) ==
              0);
    }
    for (size_t i = 0; i < a->field_count; i++) {
        const frame_field *p = &a->fields[i];
        const frame_field *q = frame_find(b, p->place, p->name);
        CHECK(q && p->components == q->components && !p->doubles == !q->doubles);
        size_t n = (p->place == FRAME_POINTS ? a->point_count : frame_cell_count(a)) *
                   (size_t)p->components;
        if (q && p->doubles) CHECK(memcmp(p->doubles, q->doubles, n * sizeof(double)) == 0);
        if (q && p->ints) CHECK(memcmp(p->ints, q->ints, n * sizeof(int32_t)) == 0);
    }
}

static void in_folder(char *out, const char *name) { path_join(out, 200, folder, name); }

TEST(a_frame_comes_back_bit_for_bit)
{
    abut_error err;
    char path[200];
    sample s;
    stored_frame back;
    make_sample(&s, 7);
    in_folder(path, "one.vtu");
    CHECK_OK(frame_write_vtu(&s.frame, path, &err), err);
    CHECK_OK(frame_read(path, &back, &err), err);
    check_same(&s.frame, &back.frame);
    CHECK(frame_find(&back.frame, FRAME_POINTS, FIELD_BODY) == NULL);
    stored_frame_free(&back);
    double time;
    int64_t step;
    CHECK_OK(frame_read_time(path, &time, &step, &err), err);
    CHECK(time == s.frame.time && step == 7);
    unlink(path);
}

static void check_equal_files(const char *a, const char *b)
{
    abut_error err;
    file_bytes x, y;
    CHECK_OK(file_read(a, &x, &err), err);
    CHECK_OK(file_read(b, &y, &err), err);
    CHECK(x.size == y.size && memcmp(x.data, y.data, x.size) == 0);
    file_free(&x);
    file_free(&y);
}

/* A file does not show whether its cells were packed for it or for a frame before. */
TEST(kept_cells_make_no_difference)
{
    abut_error err;
    char first[200], second[200];
    frame_cells *cells = NULL;
    sample s, t;
    in_folder(first, "first.vtu");
    in_folder(second, "second.vtu");
    make_sample(&s, 1);
    make_sample(&t, 2); /* with other cells */
    uint64_t packed = 0, kept = 0;
    for (int i = 0; i < 4; i++) {
        const frame *f = i < 3 ? &s.frame : &t.frame;
        s.points[i].x += 1.0;
        CHECK_OK(frame_write_vtu(f, first, &err), err);
        uint64_t before = mem_allocation_count();
        CHECK_OK(frame_write_next_vtu(f, &cells, second, &err), err);
        *(i == 0 ? &packed : &kept) = mem_allocation_count() - before;
        if (i == 1 || i == 2) CHECK(kept < packed);
        check_equal_files(first, second);
    }
    for (int i = 0;; i++) {
        mem_fail_after(i);
        abut_status status = frame_write_next_vtu(&s.frame, &cells, second, &err);
        bool injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        if (!injected) break;
        frame_cells_free(cells);
        cells = NULL;
    }
    frame_cells_free(cells);
    unlink(first);
    unlink(second);
}

TEST(an_empty_frame_is_fine)
{
    abut_error err;
    char path[200];
    in_folder(path, "empty.vtu");
    frame empty = {.step = 1};
    stored_frame back;
    CHECK_OK(frame_write_vtu(&empty, path, &err), err);
    CHECK_OK(frame_read(path, &back, &err), err);
    CHECK(back.frame.point_count == 0 && back.frame.block_count == 0);
    stored_frame_free(&back);
    unlink(path);
}

/* Every prefix is refused; every flipped byte gives an error or a frame, never a crash. */
TEST(damaged_frames_are_refused)
{
    abut_error err;
    char path[200];
    sample s;
    stored_frame back;
    make_sample(&s, 3);
    in_folder(path, "bad.vtu");
    CHECK_OK(frame_write_vtu(&s.frame, path, &err), err);
    file_bytes bytes;
    CHECK_OK(file_read(path, &bytes, &err), err);
    unsigned char *copy = mem_alloc(bytes.size, 1);
    memcpy(copy, bytes.data, bytes.size);
    size_t size = bytes.size;
    file_free(&bytes);
    char *end = memmem(copy, size, "\n  </AppendedData>", 18);
    CHECK(end != NULL);
    for (size_t cut = 0; cut < (size_t)(end - (char *)copy); cut += 37) {
        FILE *f = fopen(path, "wb");
        fwrite(copy, 1, cut, f);
        fclose(f);
        CHECK(frame_read(path, &back, &err) == ABUT_ERROR_INPUT);
        CHECK(strcmp(err.place, path) == 0 && err.message[0]);
    }
    int refused = 0;
    for (size_t at = 0; at < size; at += 3) {
        copy[at] ^= 0x15;
        FILE *f = fopen(path, "wb");
        fwrite(copy, 1, size, f);
        fclose(f);
        copy[at] ^= 0x15;
        abut_status status = frame_read(path, &back, &err);
        CHECK(status == ABUT_OK || status == ABUT_ERROR_INPUT);
        refused += status != ABUT_OK;
        stored_frame_free(&back);
    }
    CHECK(refused > (int)(size / 6));
    mem_free(copy);
    unlink(path);
}

TEST(foreign_files_are_named)
{
    abut_error err;
    char path[200];
    stored_frame back;
    in_folder(path, "foreign.vtu");
    CHECK(frame_read(path, &back, &err) == ABUT_ERROR_IO);
    const char *texts[][2] = {
        {"hello", "not a VTU"},
        {"<VTKFile type=\"PolyData\"><AppendedData>_", "UnstructuredGrid"},
        {"<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt32\">"
         "<AppendedData>_",
         "header_type is \"UInt32\""},
    };
    for (int i = 0; i < 3; i++) {
        CHECK_OK(atomic_write(path, texts[i][0], strlen(texts[i][0]), &err), err);
        CHECK(frame_read(path, &back, &err) == ABUT_ERROR_INPUT);
        CHECK(strstr(err.message, texts[i][1]) != NULL);
    }
    unlink(path);
}

TEST(lack_of_memory_is_an_error)
{
    abut_error err;
    char path[200];
    sample s;
    stored_frame back;
    make_sample(&s, 3);
    in_folder(path, "memory.vtu");
    int writes = 0, reads = 0;
    for (bool injected = true; injected; writes++) {
        mem_fail_after(writes);
        abut_status status = frame_write_vtu(&s.frame, path, &err);
        injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        CHECK(file_exists(path) == !injected);
    }
    for (bool injected = true; injected; reads++) {
        mem_fail_after(reads);
        abut_status status = frame_read(path, &back, &err);
        injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        stored_frame_free(&back);
    }
    CHECK(writes > 20 && reads > 15);
    unlink(path);
}

static size_t count_lines(const char *path, const char *word)
{
    file_bytes bytes;
    abut_error err;
    if (file_read(path, &bytes, &err) != ABUT_OK) return 0;
    size_t count = 0;
    for (const char *at = bytes.data; (at = strstr(at, word)); at++) count++;
    file_free(&bytes);
    return count;
}

static void add_frames(frame_series *series, int64_t from, int64_t to)
{
    abut_error err;
    for (int64_t step = from; step <= to; step++) {
        sample s;
        make_sample(&s, step);
        CHECK_OK(series_add(series, &s.frame, &err), err);
    }
}

static void remove_run(const char *run)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", run);
    CHECK(system(command) == 0);
}

TEST(a_series_goes_on_after_a_crash)
{
    abut_error err;
    char run[200], path[300], list[300];
    frame_series series;
    in_folder(run, "run");
    snprintf(list, sizeof list, "%s/frames/frames.pvd", run);
    CHECK_OK(series_open(&series, run, SERIES_NEW, &err), err);
    add_frames(&series, 0, 9);
    series_close(&series);
    CHECK(count_lines(list, "<DataSet ") == 10);
    CHECK(count_lines(list, "timestep=\"0.9\" part=\"0\" file=\"frame_000009.vtu\"") == 1);
    /* The crash: a list cut in half, a temporary file, and frames after the checkpoint. */
    CHECK_OK(atomic_write(list, "<VTKFile", 8, &err), err);
    CHECK_OK(series_open(&series, run, 6, &err), err);
    CHECK(series.entries.count == 7 && series.entries.data[6].time == 0.1 * 6.0);
    CHECK(count_lines(list, "<DataSet ") == 7);
    snprintf(path, sizeof path, "%s/frames/frame_000007.vtu", run);
    CHECK(!file_exists(path));
    add_frames(&series, 7, 7);
    add_frames(&series, 7, 7); /* written twice: one entry */
    CHECK(count_lines(list, "<DataSet ") == 8);
    series_close(&series);

    CHECK_OK(series_find(&series, run, &err), err);
    CHECK(series.entries.count == 8);
    series_path(&series, 7, path, sizeof path);
    stored_frame back;
    sample s;
    make_sample(&s, 7);
    CHECK_OK(frame_read(path, &back, &err), err);
    check_same(&s.frame, &back.frame);
    stored_frame_free(&back);
    series_close(&series);

    CHECK_OK(series_open(&series, run, SERIES_NEW, &err), err);
    CHECK(series.entries.count == 0 && count_lines(list, "<DataSet ") == 0);
    series_close(&series);
    CHECK(series_find(&series, run, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "no frames") != NULL);
    remove_run(run);
    CHECK(series_find(&series, run, &err) == ABUT_ERROR_IO);
}

TEST(obj_files_hold_the_surface)
{
    abut_error err;
    char run[200], path[300];
    frame_series series;
    sample s;
    mesh m = {0};
    in_folder(run, "obj");
    CHECK_OK(series_open(&series, run, SERIES_NEW, &err), err);
    series.write_obj = true;
    vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1.0 / 3.0, 5, 5}};
    int32_t tet[4] = {0, 1, 2, 3}, edge[2] = {3, 4};
    cell_block blocks[2] = {block(CELL_TET, 1, 1, tet), block(CELL_EDGE, 1, 1, edge)};
    frame f = {.step = 4, .point_count = 5, .points = points, .block_count = 2, .blocks = blocks};
    CHECK_OK(series_add(&series, &f, &err), err);
    series_close(&series);
    snprintf(path, sizeof path, "%s/frames/frame_000004.obj", run);
    CHECK_OK(mesh_read(path, NULL, &m, &err), err);
    CHECK(m.vertex_count == 5 && memcmp(m.vertices, points, sizeof points) == 0);
    const cell_block *triangles = mesh_find(&m, CELL_TRIANGLE), *edges = mesh_find(&m, CELL_EDGE);
    CHECK(triangles && triangles->count == 4 && edges && edges->count == 1);
    mesh_free(&m);
    /* Resuming before that step removes both files. */
    CHECK_OK(series_open(&series, run, 3, &err), err);
    CHECK(!file_exists(path));
    series_close(&series);
    make_sample(&s, 1);
    for (int i = 0;; i++) {
        mem_fail_after(i);
        abut_status status = frame_write_obj(&s.frame, path, &err);
        bool injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        CHECK(file_exists(path) == !injected);
        if (!injected) break;
    }
    remove_run(run);
}

TEST(a_full_disk_leaves_the_list_as_it_was)
{
    abut_error err;
    char run[200], list[300], path[300];
    frame_series series;
    in_folder(run, "full");
    snprintf(list, sizeof list, "%s/frames/frames.pvd", run);
    CHECK_OK(series_open(&series, run, SERIES_NEW, &err), err);
    add_frames(&series, 0, 1);
    sample s;
    make_sample(&s, 2);
    file_fail_after_bytes(1000);
    CHECK(series_add(&series, &s.frame, &err) == ABUT_ERROR_IO);
    file_fail_after_bytes(-1);
    CHECK(count_lines(list, "<DataSet ") == 2);
    snprintf(path, sizeof path, "%s/frames/frame_000002.vtu", run);
    CHECK(!file_exists(path));
    add_frames(&series, 2, 2); /* there is room again */
    CHECK(count_lines(list, "<DataSet ") == 3);
    series_close(&series);
    for (int i = 0;; i++) {
        mem_fail_after(i);
        abut_status status = series_open(&series, run, 5, &err);
        bool injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        if (!injected) break;
        CHECK(count_lines(list, "<DataSet ") == 3);
    }
    series_close(&series);
    remove_run(run);
}

/* Written beside the caller, who changes everything at once: the bits are those that were given;
 * a full disk is told by the next wait, once. */
TEST(a_frame_is_written_beside)
{
    abut_error err;
    char run[200], path[300];
    frame_series series;
    stored_frame back;
    parallel_set_threads(2);
    in_folder(run, "beside");
    CHECK_OK(series_open(&series, run, SERIES_NEW, &err), err);
    for (int64_t step = 0; step < 6; step++) {
        sample given, kept;
        make_sample(&given, step);
        make_sample(&kept, step);
        double numbers[6] = {1, 2, 3, 4, 5, (double)step};
        int32_t counts[2] = {1, 1};
        given.frame.path = (frame_paths){
            .numbers = numbers, .number_count = 6, .configurations = counts, .step_count = 2};
        CHECK_OK(series_add_beside(&series, &given.frame, &err), err);
        memset(given.points, 0, sizeof given.points);
        memset(given.velocity, 0, sizeof given.velocity);
        memset(given.body, 0, sizeof given.body);
        memset(numbers, 0, sizeof numbers);
        memset(counts, 0, sizeof counts);
        CHECK_OK(series_wait(&series, &err), err);
        series_path(&series, (size_t)step, path, sizeof path);
        CHECK_OK(frame_read(path, &back, &err), err);
        check_same(&kept.frame, &back.frame);
        CHECK(back.frame.path.number_count == 6 && back.frame.path.numbers[5] == (double)step);
        CHECK(back.frame.path.step_count == 2 && back.frame.path.configurations[1] == 1);
        stored_frame_free(&back);
    }
    sample s;
    make_sample(&s, 6);
    file_fail_after_bytes(1000);
    CHECK_OK(series_add_beside(&series, &s.frame, &err), err);
    CHECK(series_wait(&series, &err) == ABUT_ERROR_IO && strstr(err.place, "frame_000006"));
    file_fail_after_bytes(-1);
    CHECK_OK(series_wait(&series, &err), err);
    CHECK(series.entries.count == 6);
    series_close(&series);
    parallel_set_threads(1);
    remove_run(run);
}

/* Frame after frame: cells are read again when they change, damaged files leave nothing behind, of
 * the fields only the ones that are asked for have values. */
TEST(frames_are_read_one_after_the_other)
{
    abut_error err;
    char path[200], bad[200];
    const char *none[] = {"nothing"};
    frame_reader *reader = NULL;
    sample s, other;
    stored_frame back;
    in_folder(path, "next.vtu");
    in_folder(bad, "cut.vtu");
    make_sample(&s, 1);
    CHECK_OK(atomic_write(bad, "<VTKFile", 8, &err), err);
    const cell_block *blocks = NULL;
    for (int64_t i = 0; i < 20; i++) { /* of so many, some need the same number of bytes */
        make_sample(&other, 1);
        if (i > 1) other.cubic[7] = other.tets[5] = (int32_t)i;
        other.points[3].x = (double)i;
        CHECK_OK(frame_write_vtu(&other.frame, path, &err), err);
        CHECK_OK(frame_read_next(&reader, path, NULL, 0, &back, &err), err);
        check_same(&other.frame, &back.frame);
        CHECK(i != 1 || back.frame.blocks == blocks);
        blocks = back.frame.blocks;
        stored_frame_free(&back);
        if (i != 2) continue;
        CHECK(frame_read_next(&reader, bad, NULL, 0, &back, &err) == ABUT_ERROR_INPUT);
        stored_frame_free(&back);
    }
    CHECK_OK(frame_read_next(&reader, path, none, 1, &back, &err), err);
    CHECK(back.frame.field_count == 3);
    CHECK(frame_find(&back.frame, FRAME_CELLS, FIELD_BODY)->ints[3] == other.body[3]);
    CHECK(frame_find(&back.frame, FRAME_POINTS, FIELD_VELOCITY)->doubles == NULL);
    stored_frame_free(&back);
    none[0] = FIELD_VELOCITY;
    CHECK_OK(frame_read_next(&reader, path, none, 1, &back, &err), err);
    CHECK(frame_find(&back.frame, FRAME_POINTS, FIELD_VELOCITY)->doubles[7] == other.velocity[7]);
    stored_frame_free(&back);
    frame_reader_free(reader);
    bool injected = true;
    for (int64_t n = 0; injected; n++) {
        reader = NULL;
        mem_fail_after(n);
        abut_status status = frame_read_next(&reader, path, NULL, 0, &back, &err);
        injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        stored_frame_free(&back);
        if (reader && injected) CHECK_OK(frame_read_next(&reader, path, NULL, 0, &back, &err), err);
        if (reader && injected) check_same(&other.frame, &back.frame);
        stored_frame_free(&back);
        frame_reader_free(reader);
    }
    unlink(path);
    unlink(bad);
}

int main(void)
{
    strcpy(folder, "/tmp/abut-test-frames-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    RUN(a_frame_comes_back_bit_for_bit);
    RUN(frames_are_read_one_after_the_other);
    RUN(kept_cells_make_no_difference);
    RUN(an_empty_frame_is_fine);
    RUN(damaged_frames_are_refused);
    RUN(foreign_files_are_named);
    RUN(lack_of_memory_is_an_error);
    RUN(a_series_goes_on_after_a_crash);
    RUN(obj_files_hold_the_surface);
    RUN(a_frame_is_written_beside);
    RUN(a_full_disk_leaves_the_list_as_it_was);
    CHECK(rmdir(folder) == 0); /* fails when anything was left behind */
    return TEST_END();
}
