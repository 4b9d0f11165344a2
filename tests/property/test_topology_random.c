/* Random and degenerate meshes against brute force: the surface of tets, the collision surface of
 * mixed meshes, and orientation after renumbering and random flips. */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "mesh/cell.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "support/mesh_check.h"

static abut_error error;

enum { MOST = 24 };

static bool contains(const int32_t *cell, int n, int32_t v)
{
    for (int i = 0; i < n; i++)
        if (cell[i] == v) return true;
    return false;
}

static bool shares(const int32_t *a, int an, const int32_t *b, int bn)
{
    for (int i = 0; i < an; i++)
        if (!contains(b, bn, a[i])) return false;
    return true;
}

static void random_cell(random_state *r, int vertices, int corners, int32_t *out)
{
    for (int i = 0; i < corners;) {
        out[i] = (int32_t)random_below(r, (uint64_t)vertices);
        if (!contains(out, i, out[i])) i++;
    }
}

/* How many of the tets have all three vertices. */
static int owners(const int32_t *tets, int count, const int32_t face[3])
{
    int n = 0;
    for (int t = 0; t < count; t++) n += shares(face, 3, tets + 4 * t, 4);
    return n;
}

/* Few vertices make many shared faces, some of them wrong. */
TEST(surface_of_random_tets)
{
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}};
    random_state r = {20240};
    int good = 0, bad = 0;
    for (int round = 0; round < 20000; round++) {
        int32_t tets[4 * MOST];
        int count = 1 + (int)random_below(&r, round % 2 ? 3 : MOST);
        int vertices = 4 + (int)random_below(&r, 12);
        for (int t = 0; t < count; t++) random_cell(&r, vertices, 4, tets + 4 * t);
        bool wrong = false;
        int32_t expected[4 * MOST][3];
        size_t expected_count = 0;
        for (int t = 0; t < count; t++) {
            for (int u = 0; u < t; u++) wrong |= shares(tets + 4 * t, 4, tets + 4 * u, 4);
            for (int f = 0; f < 4; f++) {
                int32_t face[3];
                for (int i = 0; i < 3; i++) face[i] = tets[4 * t + faces[f][i]];
                int n = owners(tets, count, face);
                wrong |= n > 2;
                if (n == 1) memcpy(expected[expected_count++], face, sizeof face);
            }
        }
        int32_t(*triangles)[3];
        size_t triangle_count;
        abut_status status =
            surface_of_tets(tets, 4, (size_t)count, &triangles, &triangle_count, &error);
        CHECK(status == (wrong ? ABUT_ERROR_INPUT : ABUT_OK));
        if (status == ABUT_OK) {
            CHECK(triangle_count == expected_count);
            CHECK(memcmp(triangles, expected, triangle_count * sizeof *expected) == 0);
            mem_free(triangles);
        }
        if (wrong)
            bad++;
        else
            good++;
    }
    CHECK(good > 1000 && bad > 1000);
}

/* Random triangles, edges and points on few vertices, checked by definition. */
TEST(surface_of_random_mixtures)
{
    random_state r = {77};
    for (int round = 0; round < 5000; round++) {
        int vertices = 3 + (int)random_below(&r, 10);
        mesh m;
        cell_block *block[3];
        CHECK_OK(mesh_init(&m, (size_t)vertices, &error), error);
        for (int v = 0; v < vertices; v++) m.vertices[v] = vec3_make(v, v * v, 0);
        for (int k = 0; k < 3; k++) { /* points, edges, triangles */
            CHECK_OK(mesh_add_block(&m, (cell_kind)k, 1, (size_t)random_below(&r, 6), false,
                                    &block[k], &error),
                     error);
            for (size_t c = 0; c < block[k]->count; c++)
                random_cell(&r, vertices, k + 1, block[k]->nodes + c * (size_t)(k + 1));
        }
        surface_parts s;
        CHECK_OK(mesh_surface(&m, &s, &error), error);
        size_t expected_edges = 0, free_edges = 0, expected_points = 0;
        bool no_cells = block[0]->count + block[1]->count + block[2]->count == 0;
        for (int32_t a = 0; a < vertices; a++) {
            bool in_larger = false, is_point = false;
            for (size_t c = 0; c < block[0]->count; c++) is_point |= block[0]->nodes[c] == a;
            for (size_t i = 0; i < 2 * block[1]->count; i++) in_larger |= block[1]->nodes[i] == a;
            for (size_t i = 0; i < 3 * block[2]->count; i++) in_larger |= block[2]->nodes[i] == a;
            expected_points += in_larger || is_point || no_cells;
            for (int32_t b = a + 1; b < vertices; b++) {
                const int32_t edge[2] = {a, b};
                bool of_triangle = false, is_cell = false;
                for (size_t c = 0; c < block[2]->count; c++)
                    of_triangle |= shares(edge, 2, block[2]->nodes + 3 * c, 3);
                for (size_t c = 0; c < block[1]->count; c++)
                    is_cell |= shares(edge, 2, block[1]->nodes + 2 * c, 2);
                expected_edges += of_triangle || is_cell;
                free_edges += is_cell && !of_triangle;
            }
        }
        CHECK(s.edge_count == expected_edges && s.edge_count - s.free_edge_first == free_edges);
        CHECK(s.point_count == expected_points);
        surface_parts_free(&s);
        mesh_free(&m);
    }
}

/* Vertices and triangles of closed surfaces in a random order with random orientations. */
TEST(orientation_survives_shuffling)
{
    random_state r = {5};
    for (int round = 0; round < 40; round++) {
        mesh solid, m;
        size_t flipped;
        bool orientable;
        CHECK_OK(round % 2 ? generate_torus(1, 0.3, 12, 8, &solid, &error)
                           : generate_ball(1, 3, &solid, &error),
                 error);
        CHECK_OK(mesh_extract_surface(&solid, &m, &error), error);
        double volume = mesh_facts_of(&solid).volume;
        cell_block *block = &m.blocks[0];
        int reverse[CELL_MAX_NODES];
        cell_reversal(CELL_TRIANGLE, 1, reverse);
        for (size_t i = block->count - 1; i > 0; i--) {
            size_t j = (size_t)random_below(&r, i + 1);
            for (int k = 0; k < 3; k++) {
                int32_t keep = block->nodes[3 * i + k];
                block->nodes[3 * i + k] = block->nodes[3 * j + k];
                block->nodes[3 * j + k] = keep;
            }
            if (random_u64(&r) & 1) cell_reverse(block, i, reverse);
        }
        CHECK_OK(orient_triangles(&m, &flipped, &orientable, &error), error);
        mesh_facts f = mesh_facts_of(&m);
        CHECK(orientable && f.bad_edges == 0);
        CHECK_NEAR(f.enclosed, volume, 1e-12);
        mesh_free(&solid);
        mesh_free(&m);
    }
}

int main(void)
{
    RUN(surface_of_random_tets);
    RUN(surface_of_random_mixtures);
    RUN(orientation_survives_shuffling);
    return TEST_END();
}
