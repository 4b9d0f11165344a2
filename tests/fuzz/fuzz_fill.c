/* libFuzzer entry: bytes as a surface that is to be filled. The first four choose the options, then
 * every two are a coordinate of up to 20 vertices, and the rest corners of triangles. What is made
 * must be sound, what is refused must say why.
 *     fuzz_fill -rss_limit_mb=512 WORKING_FOLDER
 * Built with ABUT_FUZZ_STANDALONE it is a program of its own that takes random bytes:
 * fuzz_fill_standalone SECONDS [FIRST_SEED] */
#include "base/memory.h"
#include "base/parallel.h"
#include "fill/fill.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_made(const fill_result *r)
{
    const cell_block *block = &r->solid.blocks[0];
    if (block->count == 0 || r->cage.quality.inverted) abort();
    if (!(r->cage.quality.smallest > 9.3 && r->cage.quality.largest < 165)) abort();
    for (size_t i = 0; i < 4 * block->count; i++)
        if (block->nodes[i] < 0 || (size_t)block->nodes[i] >= r->solid.vertex_count) abort();
    for (size_t i = 0; r->share && i < block->count; i++)
        if (!(r->share[i] > 0)) abort();
    if (r->cage.embedded && r->cage.crossings) abort();
}

static void take_bytes(const uint8_t *data, size_t size, mesh *m)
{
    static const double steps[] = {1e-3, 1, 1e3, 0.1};
    size_t vertices = 4 + data[0] % 17, n = 0;
    double step = steps[data[1] % 4];
    cell_block *block;
    if (mesh_init(m, vertices, NULL) != ABUT_OK) abort();
    for (size_t i = 0; i < 3 * vertices; i++) {
        double x = n + 2 < size ? step * (data[n] % 16) + 1e-3 * (data[n + 1] % 4) : 0;
        ((double *)m->vertices)[i] = x;
        n += 2;
    }
    size_t count = n + 3 <= size ? (size - n) / 3 : 0;
    if (count > 60) count = 60;
    if (mesh_add_block(m, CELL_TRIANGLE, 1, count, false, &block, NULL) != ABUT_OK) abort();
    for (size_t i = 0; i < 3 * count; i++) block->nodes[i] = data[n + i] % (int)(vertices + 1);
    bool bad = data[2] & 1; /* indices out of range are met, too */
    for (size_t i = 0; !bad && i < 3 * count; i++) block->nodes[i] %= (int32_t)vertices;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 8) return 0;
    mesh m;
    fill_options o = fill_defaults();
    fill_result r;
    abut_error err = {ABUT_OK, "", ""};
    parallel_set_threads(1);
    take_bytes(data + 4, size - 4, &m);
    o.cells = 1 + data[0] % 12;
    o.collide = (fill_collide)(data[1] % 3);
    o.graded = data[2] & 1;
    o.close = data[2] & 2 ? 10 : 0;
    o.winding = 0.1 + 0.8 * data[3] / 255;
    abut_status status = fill_surface(&m, &o, &r, &err);
    if (status == ABUT_OK) {
        check_made(&r);
        fill_free(&r);
    } else if (status != ABUT_ERROR_INPUT || !err.message[0] || r.solid.vertices || r.share) {
        abort();
    }
    mesh_free(&m);
    return 0;
}

#ifdef ABUT_FUZZ_STANDALONE

#include "base/random.h"
#include "base/timer.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 2.0;
    random_state r = {argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    size_t runs = 0;
    for (double start = timer_now(); timer_now() - start < seconds; runs++) {
        size_t size = 20 + random_below(&r, 200);
        uint8_t *data = malloc(size);
        for (size_t i = 0; i < size; i++) data[i] = (uint8_t)random_u64(&r);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    printf("%zu runs, nothing wrong\n", runs);
    return 0;
}

#endif
