#include "support/surface_maker.h"

#include "base/memory.h"
#include "base/random.h"
#include "mesh/generate.h"
#include "mesh/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct surface_maker {
    random_state random;
    char *text;
} surface_maker;

static void say(surface_maker *m, const char *format, ...)
{
    size_t used = strlen(m->text);
    va_list list;
    va_start(list, format);
    vsnprintf(m->text + used, MADE_TEXT - used, format, list);
    va_end(list);
}

static void must(abut_status status)
{
    if (status != ABUT_OK) abort();
}

static int level_for(size_t triangles)
{
    int level = 0;
    for (size_t n = 20; n * 4 <= triangles && level < 7; n *= 4) level++;
    return level;
}

static void of_solid(mesh *solid, mesh *out)
{
    must(mesh_extract_surface(solid, out, NULL));
    mesh_free(solid);
}

/* A closed, oriented surface of about unit size. */
static void make_shape(surface_maker *m, size_t triangles, mesh *out)
{
    random_state *r = &m->random;
    mesh solid;
    int n = (int)fmax(1, fmin(90, sqrt((double)triangles / 12)));
    switch (random_below(r, 5)) {
    case 0:
        say(m, "sphere");
        must(generate_icosphere(0.5, level_for(triangles), out, NULL));
        break;
    case 1:
        say(m, "box");
        must(generate_box(vec3_make(1, random_range(r, 0.05, 1), random_range(r, 0.02, 1)),
                          (int[3]){n, n, n > 12 ? 12 : n}, &solid, NULL));
        of_solid(&solid, out);
        break;
    case 2:
        say(m, "torus");
        must(generate_torus(0.4, random_range(r, 0.03, 0.3), n < 4 ? 4 : 3 * n, n < 5 ? 5 : n,
                            &solid, NULL));
        of_solid(&solid, out);
        break;
    case 3:
        say(m, "rod");
        must(generate_rod(1, random_range(r, 0.02, 0.4), 2 * n, n > 12 ? 12 : n, &solid, NULL));
        of_solid(&solid, out);
        break;
    default: { /* a lump: a sphere whose radius wanders */
        double a = random_range(r, 0, 0.35), b = random_range(r, 1, 7), c = random_range(r, 1, 7);
        say(m, "lump");
        must(generate_icosphere(0.5, level_for(triangles), out, NULL));
        for (size_t v = 0; v < out->vertex_count; v++) {
            vec3 x = out->vertices[v];
            double s = 1 + a * sin(b * 2 * x.x + c * x.y) * cos(c * 2 * x.z - b * x.x);
            out->vertices[v] = vec3_scale(s, x);
        }
    }
    }
}

static int32_t *triangle(mesh *m, size_t i) { return m->blocks[0].nodes + 3 * i; }

static void turn(mesh *m, size_t i)
{
    int32_t *t = triangle(m, i), swap = t[1];
    t[1] = t[2];
    t[2] = swap;
}

static vec3 middle(const mesh *m, size_t i)
{
    const int32_t *t = m->blocks[0].nodes + 3 * i;
    vec3 sum = vec3_add(m->vertices[t[0]], vec3_add(m->vertices[t[1]], m->vertices[t[2]]));
    return vec3_scale(1.0 / 3, sum);
}

/* Drops triangles: scattered ones, or all in a ball. */
static void make_holes(surface_maker *maker, mesh *m)
{
    random_state *r = &maker->random;
    bool scattered = random_below(r, 2);
    double share = random_range(r, 0, 0.3), radius = random_range(r, 0.02, 0.35);
    vec3 at = middle(m, random_below(r, m->blocks[0].count));
    size_t kept = 0;
    say(maker, ", %s", scattered ? "scattered holes" : "a hole");
    for (size_t i = 0; i < m->blocks[0].count; i++) {
        bool drop =
            scattered ? random_unit(r) < share : vec3_norm(vec3_sub(middle(m, i), at)) < radius;
        if (!drop) memmove(triangle(m, kept++), triangle(m, i), 3 * sizeof(int32_t));
    }
    m->blocks[0].count = kept > 0 ? kept : 1;
}

static void make_flips(surface_maker *maker, mesh *m)
{
    random_state *r = &maker->random;
    double share = random_unit(r);
    bool patch = random_below(r, 2);
    say(maker, ", flipped %.2f%s", share, patch ? " in a patch" : "");
    size_t count = m->blocks[0].count;
    for (size_t i = 0; i < count; i++)
        if (patch ? (double)i < share * (double)count : random_unit(r) < share) turn(m, i);
}

static void make_repeats(surface_maker *maker, mesh *m)
{
    mesh copy;
    must(mesh_copy(m, &copy, NULL));
    copy.blocks[0].count = 1 + random_below(&maker->random, copy.blocks[0].count);
    bool turned = random_below(&maker->random, 2);
    for (size_t i = 0; turned && i < copy.blocks[0].count; i++) turn(&copy, i);
    say(maker, ", %zu %s triangles", copy.blocks[0].count, turned ? "cancelled" : "repeated");
    if (turned && copy.blocks[0].count == m->blocks[0].count) copy.blocks[0].count--;
    must(mesh_append(m, &copy, NULL));
    mesh_free(&copy);
}

static void make_noise(surface_maker *maker, mesh *m)
{
    double size = random_range(&maker->random, 0, 0.05);
    say(maker, ", noise %.3f", size);
    for (size_t v = 0; v < m->vertex_count; v++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = random_range(&maker->random, -size, size);
        m->vertices[v] = vec3_add(m->vertices[v], vec3_load(d));
    }
}

static void make_flat(surface_maker *maker, mesh *m)
{
    double s = pow(10, random_range(&maker->random, -2.5, 0));
    say(maker, ", flattened %.3g", s);
    mesh_transform(m, vec3_make(1, s, 1), vec3_make(0, 0, 0), vec3_make(0, 0, 0));
}

/* Another shell: within, across, or beside. */
static void make_shell(surface_maker *maker, size_t triangles, mesh *m)
{
    random_state *r = &maker->random;
    static const char *const words[] = {"nested", "crossing", "beside", "touching"};
    int how = (int)random_below(r, 4);
    bool turned = random_below(r, 2);
    mesh other;
    say(maker, ", %s%s ", turned ? "turned " : "", words[how]);
    make_shape(maker, triangles / 4, &other);
    double scale = how == 0 ? random_range(r, 0.05, 0.5) : random_range(r, 0.3, 1);
    vec3 to = {how == 0 ? 0 : how == 1 ? random_range(r, 0.2, 0.8) : how == 2 ? 1.3 : 1, 0, 0};
    mesh_transform(&other, vec3_make(scale, scale, scale), vec3_make(0, 0, 0), to);
    for (size_t i = 0; turned && i < other.blocks[0].count; i++) turn(&other, i);
    must(mesh_append(m, &other, NULL));
    mesh_free(&other);
}

static void make_loose(surface_maker *maker, mesh *m)
{
    mesh out;
    cell_block *block;
    size_t n = 3 * m->blocks[0].count;
    say(maker, ", not welded");
    must(mesh_init(&out, n, NULL));
    must(mesh_add_block(&out, CELL_TRIANGLE, 1, n / 3, false, &block, NULL));
    for (size_t i = 0; i < n; i++) {
        out.vertices[i] = m->vertices[m->blocks[0].nodes[i]];
        block->nodes[i] = (int32_t)i;
    }
    mesh_free(m);
    *m = out;
}

static void make_soup(surface_maker *maker, size_t triangles, mesh *out)
{
    cell_block *block;
    say(maker, "soup");
    if (triangles > 3000) triangles = 3000;
    must(mesh_init(out, 3 * triangles, NULL));
    must(mesh_add_block(out, CELL_TRIANGLE, 1, triangles, false, &block, NULL));
    for (size_t i = 0; i < 3 * triangles; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = random_unit(&maker->random);
        out->vertices[i] = vec3_load(x);
        block->nodes[i] = (int32_t)i;
    }
}

void make_surface(uint64_t seed, size_t triangles, mesh *out, char text[MADE_TEXT])
{
    surface_maker m = {{seed * 7919 + 1}, text};
    random_state *r = &m.random;
    text[0] = 0;
    if (random_below(r, 40) == 0) {
        make_soup(&m, triangles, out);
    } else {
        make_shape(&m, triangles, out);
        if (random_below(r, 4) == 0) make_shell(&m, triangles, out);
        if (random_below(r, 8) == 0) make_shell(&m, triangles, out);
        if (random_below(r, 3) == 0) make_holes(&m, out);
        if (random_below(r, 3) == 0) make_flips(&m, out);
        if (random_below(r, 6) == 0) make_repeats(&m, out);
        if (random_below(r, 6) == 0) make_noise(&m, out);
        if (random_below(r, 4) == 0) make_flat(&m, out);
        if (random_below(r, 2) == 0) make_loose(&m, out);
    }
    double scale = pow(10, random_range(r, -3, 3)), turn_by[3];
    for (int k = 0; k < 3; k++) turn_by[k] = random_below(r, 3) ? random_range(r, 0, 360) : 0;
    vec3 away = {random_below(r, 4) ? 0 : 100 * scale, 0, 0};
    mesh_transform(out, vec3_make(scale, scale, scale), vec3_load(turn_by), away);
    say(&m, ", %zu triangles", out->blocks[0].count);
}
