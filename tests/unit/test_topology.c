/* Surfaces, edges, components, orientation; sorting and the node order of cells underneath. */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "mesh/cell.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "support/mesh_check.h"

static abut_error error;

TEST(radix_sort_sorts_and_is_stable)
{
    enum { N = 5000 };
    static uint64_t keys[N], spare[N];
    static uint32_t values[N], spare_values[N];
    random_state r = {3};
    for (int n = 0; n < N; n += n < 100 ? 7 : 977) {
        for (int i = 0; i < n; i++) {
            keys[i] = random_u64(&r) & (n % 2 ? 0xff00ff0fu : UINT64_MAX);
            if (i % 3 == 0) keys[i] = keys[i / 2];
            values[i] = (uint32_t)i;
        }
        uint64_t sum = 0, after = 0;
        for (int i = 0; i < n; i++) sum += keys[i] * 31 + values[i];
        sort_u64_with_u32(keys, values, spare, spare_values, (size_t)n);
        for (int i = 0; i < n; i++) after += keys[i] * 31 + values[i];
        CHECK(sum == after);
        for (int i = 1; i < n; i++)
            CHECK(keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i]));
    }
    uint64_t few[6] = {5, 1, 5, 5, 0, 1}, room[6];
    CHECK(sort_unique_u64(few, room, 6) == 3 && few[0] == 0 && few[1] == 1 && few[2] == 5);
    CHECK(sort_unique_u64(few, room, 0) == 0);
}

/* The lattice of every cell has the right number of distinct points inside the cell, corners first;
 * reversing twice gives the identity and a mirrored cell. */
TEST(cell_node_orders)
{
    for (int kind = CELL_POINT; kind <= CELL_HEX; kind++)
        for (int order = 1; order <= 4; order++) {
            int p[CELL_MAX_NODES][3], reverse[CELL_MAX_NODES];
            int n = cell_lattice((cell_kind)kind, order, p);
            CHECK(n == cell_node_count((cell_kind)kind, order));
            CHECK(cell_reversal((cell_kind)kind, order, reverse) == n);
            for (int i = 0; i < n; i++) {
                CHECK(reverse[reverse[i]] == i);
                bool simplex = kind != CELL_QUAD && kind != CELL_HEX;
                CHECK(p[i][0] >= 0 && p[i][1] >= 0 && p[i][2] >= 0);
                CHECK(p[i][0] <= order && p[i][1] <= order && p[i][2] <= order);
                CHECK(!simplex || p[i][0] + p[i][1] + p[i][2] <= order);
                for (int j = 0; j < i; j++)
                    CHECK(p[i][0] != p[j][0] || p[i][1] != p[j][1] || p[i][2] != p[j][2]);
            }
        }
    /* Gmsh's quadratic tet: nodes 8 and 9 lie between corners 2, 3 and 1, 3. */
    int p[CELL_MAX_NODES][3];
    cell_lattice(CELL_TET, 2, p);
    CHECK(p[8][0] == 0 && p[8][1] == 1 && p[8][2] == 1);
    CHECK(p[9][0] == 1 && p[9][1] == 0 && p[9][2] == 1);
    int reverse[CELL_MAX_NODES];
    cell_reversal(CELL_TRIANGLE, 2, reverse);
    const int expected[6] = {0, 2, 1, 5, 4, 3};
    for (int i = 0; i < 6; i++) CHECK(reverse[i] == expected[i]);
}

TEST(one_tet_has_four_outward_faces)
{
    const int32_t tet[4] = {0, 1, 2, 3};
    const vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int32_t(*triangles)[3];
    size_t count;
    CHECK_OK(surface_of_tets(tet, 4, 1, &triangles, &count, &error), error);
    CHECK(count == 4);
    for (size_t t = 0; t < count; t++) {
        vec3 a = x[triangles[t][0]], b = x[triangles[t][1]], c = x[triangles[t][2]];
        vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        CHECK(vec3_dot(normal, vec3_sub(a, vec3_make(0.25, 0.25, 0.25))) > 0);
    }
    mem_free(triangles);
    CHECK_OK(surface_of_tets(tet, 4, 0, &triangles, &count, &error), error);
    CHECK(count == 0);
    mem_free(triangles);
}

/* The surface as a mesh, to measure it with the slow checker. */
static mesh surface_mesh(const mesh *m, const surface_parts *s)
{
    mesh out;
    cell_block *block;
    CHECK_OK(mesh_init(&out, m->vertex_count, &error), error);
    for (size_t v = 0; v < m->vertex_count; v++) out.vertices[v] = m->vertices[v];
    CHECK_OK(mesh_add_block(&out, CELL_TRIANGLE, 1, s->triangle_count, false, &block, &error),
             error);
    memcpy(block->nodes, s->triangles, s->triangle_count * sizeof *s->triangles);
    return out;
}

TEST(surfaces_of_solids)
{
    for (int shape = 0; shape < 3; shape++) {
        mesh m;
        abut_status status = shape == 0   ? generate_ball(1, 7, &m, &error)
                             : shape == 1 ? generate_torus(1, 0.3, 30, 20, &m, &error)
                                          : generate_rod(1, 0.2, 5, 3, &m, &error);
        CHECK_OK(status, error);
        mesh_facts solid = mesh_facts_of(&m);
        surface_parts s;
        CHECK_OK(mesh_surface(&m, &s, &error), error);
        mesh skin = surface_mesh(&m, &s);
        mesh_facts f = mesh_facts_of(&skin);
        CHECK(f.bad_edges == 0 && s.triangle_count == solid.boundary_faces);
        CHECK_NEAR(f.enclosed, solid.volume, 1e-12);
        CHECK_NEAR(f.area, solid.area, 1e-12);
        CHECK(s.edge_count == solid.boundary_edges && s.free_edge_first == s.edge_count);
        CHECK(s.point_count == solid.boundary_vertices);
        for (size_t e = 0; e < s.edge_count; e++) {
            CHECK(s.edges[e][0] < s.edges[e][1]);
            if (e > 0)
                CHECK(s.edges[e - 1][0] < s.edges[e][0] ||
                      (s.edges[e - 1][0] == s.edges[e][0] && s.edges[e - 1][1] < s.edges[e][1]));
        }
        for (size_t p = 1; p < s.point_count; p++) CHECK(s.points[p - 1] < s.points[p]);
        surface_parts_free(&s);
        mesh_free(&skin);
        mesh_free(&m);
    }
}

/* One vertex with thousands of faces takes the heap sort instead of the insertion sort. */
TEST(a_vertex_with_very_many_faces)
{
    mesh ball, m;
    CHECK_OK(generate_icosphere(1, 4, &ball, &error), error);
    const cell_block *skin = mesh_find(&ball, CELL_TRIANGLE);
    cell_block *tets;
    CHECK_OK(mesh_init(&m, ball.vertex_count + 1, &error), error);
    CHECK_OK(mesh_add_block(&m, CELL_TET, 1, skin->count, false, &tets, &error), error);
    m.vertices[0] = vec3_make(0, 0, 0);
    for (size_t v = 0; v < ball.vertex_count; v++) m.vertices[v + 1] = ball.vertices[v];
    for (size_t t = 0; t < skin->count; t++) {
        tets->nodes[4 * t] = 0;
        for (int i = 0; i < 3; i++) tets->nodes[4 * t + 1 + i] = skin->nodes[3 * t + i] + 1;
    }
    int32_t(*triangles)[3];
    size_t count;
    CHECK_OK(surface_of_tets(tets->nodes, 4, tets->count, &triangles, &count, &error), error);
    CHECK(count == skin->count);
    for (size_t t = 0; t < count; t++) /* the order follows the tets */
        CHECK(triangles[t][0] + triangles[t][1] + triangles[t][2] ==
              skin->nodes[3 * t] + skin->nodes[3 * t + 1] + skin->nodes[3 * t + 2] + 3);
    mem_free(triangles);
    mesh_free(&m);
    mesh_free(&ball);
}

TEST(wrong_solids_name_their_tets)
{
    const int32_t three[12] = {0, 1, 2, 3, 0, 2, 1, 4, 1, 2, 0, 5},
                  twice[8] = {4, 5, 6, 7, 5, 4, 7, 6};
    const int32_t negative[4] = {0, 1, -2, 3};
    int32_t(*triangles)[3];
    size_t count;
    CHECK(surface_of_tets(three, 4, 3, &triangles, &count, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "tets 0, 1 and 2 share the face of vertices 0, 1 and 2"));
    CHECK(surface_of_tets(twice, 4, 2, &triangles, &count, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "tets 0 and 1 have the same four vertices"));
    CHECK(surface_of_tets(negative, 4, 1, &triangles, &count, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "tet 0 uses vertex -2"));
}

TEST(unique_edges_are_sorted)
{
    const int32_t triangles[2][3] = {{4, 2, 7}, {2, 4, 1}}, extra[3][2] = {{9, 0}, {7, 4}, {0, 9}};
    const int32_t expected[6][2] = {{0, 9}, {1, 2}, {1, 4}, {2, 4}, {2, 7}, {4, 7}};
    int32_t(*edges)[2];
    size_t count;
    CHECK_OK(unique_edges(triangles, 2, extra, 3, &edges, &count, &error), error);
    CHECK(count == 6 && memcmp(edges, expected, sizeof expected) == 0);
    mem_free(edges);
    const int32_t loop[1][2] = {{3, 3}}, negative[1][3] = {{0, 1, -1}};
    CHECK(unique_edges(NULL, 0, loop, 1, &edges, &count, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "edge 0 uses vertex 3 twice"));
    CHECK(unique_edges(negative, 1, NULL, 0, &edges, &count, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "triangle 0 uses vertex -1"));
}

static cell_block *add_cells(mesh *m, cell_kind kind, size_t count, const int32_t *nodes)
{
    cell_block *block;
    CHECK_OK(mesh_add_block(m, kind, 1, count, false, &block, &error), error);
    memcpy(block->nodes, nodes, count * (size_t)block->nodes_per_cell * sizeof *nodes);
    return block;
}

/* A tet whose own faces, edges and corners are listed again as cells (as mesh generators do), one
 * inner triangle listed twice, a sheet, a whisker, a grain, and vertices that nothing uses. */
TEST(surface_of_a_mixed_mesh)
{
    mesh m;
    CHECK_OK(mesh_init(&m, 16, &error), error);
    for (int v = 0; v < 16; v++) m.vertices[v] = vec3_make(v, v * v, v * v * v);
    add_cells(&m, CELL_POINT, 3, (const int32_t[]){0, 12, 12});
    add_cells(&m, CELL_EDGE, 4, (const int32_t[]){1, 0, 10, 9, 5, 6, 9, 10});
    add_cells(&m, CELL_TRIANGLE, 5, (const int32_t[]){0, 1, 2, 1, 2, 3, 5, 6, 7, 7, 5, 6, 8, 7, 6});
    add_cells(&m, CELL_TET, 2, (const int32_t[]){0, 1, 2, 3, 1, 2, 3, 4});
    surface_parts s;
    CHECK_OK(mesh_surface(&m, &s, &error), error);
    CHECK(s.triangle_count == 6 + 2);
    CHECK(s.triangles[6][0] == 5 && s.triangles[6][1] == 6 && s.triangles[6][2] == 7);
    CHECK(s.triangles[7][0] == 8);
    CHECK(s.free_edge_first == 9 + 5 && s.edge_count == 9 + 5 + 1);
    CHECK(s.edges[14][0] == 9 && s.edges[14][1] == 10);
    const int32_t points[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12};
    CHECK(s.point_count == 12 && memcmp(s.points, points, sizeof points) == 0);
    surface_parts_free(&s);
    mesh_free(&m);
}

TEST(points_without_cells)
{
    mesh m;
    surface_parts s;
    CHECK_OK(mesh_init(&m, 3, &error), error);
    for (int v = 0; v < 3; v++) m.vertices[v] = vec3_make(v, 0, 0);
    CHECK_OK(mesh_surface(&m, &s, &error), error);
    CHECK(s.point_count == 3 && s.edge_count == 0 && s.triangle_count == 0);
    surface_parts_free(&s);
    mesh_free(&m);
    CHECK_OK(mesh_init(&m, 0, &error), error);
    CHECK_OK(mesh_surface(&m, &s, &error), error);
    CHECK(s.point_count == 0);
    surface_parts_free(&s);
    mesh_free(&m);
}

/* Two hexes side by side, and a quad hanging off them. */
TEST(surface_of_hexes_and_quads)
{
    mesh m;
    CHECK_OK(mesh_init(&m, 14, &error), error);
    for (int v = 0; v < 12; v++) m.vertices[v] = vec3_make(v / 4, v / 2 % 2, v % 2);
    m.vertices[12] = vec3_make(3, 0, 0);
    m.vertices[13] = vec3_make(3, 0, 1);
    add_cells(&m, CELL_HEX, 2, (const int32_t[]){0, 4, 6, 2, 1, 5, 7, 3, 4, 8, 10, 6, 5, 9, 11, 7});
    add_cells(&m, CELL_QUAD, 2, (const int32_t[]){8, 12, 13, 9, 0, 1, 5, 4});
    surface_parts s;
    CHECK_OK(mesh_surface(&m, &s, &error), error);
    CHECK(s.triangle_count == 2 * 10 + 2 && s.point_count == 14);
    mesh skin = surface_mesh(&m, &s);
    skin.blocks[0].count = 20; /* without the quad */
    mesh_facts f = mesh_facts_of(&skin);
    CHECK(f.bad_edges == 0);
    CHECK_NEAR(f.enclosed, 2, 1e-14);
    CHECK_NEAR(f.area, 10, 1e-14);
    surface_parts_free(&s);
    mesh_free(&skin);
    mesh_free(&m);
}

TEST(components)
{
    mesh m, other;
    CHECK_OK(generate_box(vec3_make(1, 1, 1), (const int[3]){2, 2, 2}, &m, &error), error);
    CHECK_OK(generate_grid(1, 1, (const int[2]){3, 3}, &other, &error), error);
    CHECK_OK(mesh_append(&m, &other, &error), error);
    mesh_free(&other);
    CHECK_OK(mesh_init(&other, 2, &error), error);
    other.vertices[0] = other.vertices[1] = vec3_make(0, 0, 0);
    CHECK_OK(mesh_append(&m, &other, &error), error);
    int32_t *component = mem_alloc(m.vertex_count, sizeof *component);
    size_t count;
    CHECK_OK(connected_components(&m, component, &count, &error), error);
    CHECK(count == 4 && m.vertex_count == 27 + 16 + 2);
    for (size_t v = 0; v < m.vertex_count; v++)
        CHECK(component[v] == (v < 27 ? 0 : v < 43 ? 1 : (int32_t)v - 41));
    mem_free(component);
    mesh_free(&other);
    mesh_free(&m);
}

/* Random flips of a closed surface are undone; the result faces outward. */
TEST(triangles_are_oriented)
{
    mesh m, second;
    CHECK_OK(generate_icosphere(1, 3, &m, &error), error);
    CHECK_OK(generate_grid(1, 1, (const int[2]){9, 9}, &second, &error), error);
    double volume = mesh_facts_of(&m).enclosed;
    CHECK_OK(mesh_append(&m, &second, &error), error);
    mesh_free(&second);
    cell_block *block = &m.blocks[0];
    int32_t before[3 * (1280 + 162)];
    CHECK(block->count == 1280 + 162);
    memcpy(before, block->nodes, sizeof before);
    random_state r = {11};
    size_t changed = 0, flipped;
    bool orientable;
    int reverse[CELL_MAX_NODES];
    cell_reversal(CELL_TRIANGLE, 1, reverse);
    for (size_t t = 0; t < block->count; t++) {
        if (random_unit(&r) > (t < 1280 ? 0.8 : 0.3)) continue;
        cell_reverse(block, t, reverse);
        changed++;
    }
    CHECK_OK(orient_triangles(&m, &flipped, &orientable, &error), error);
    CHECK(orientable && flipped == changed);
    CHECK(memcmp(before, block->nodes, sizeof before) == 0);
    block->count = 1280;
    CHECK_NEAR(mesh_facts_of(&m).enclosed, volume, 1e-12);
    mesh_free(&m);
}

TEST(a_moebius_strip_is_not_orientable)
{
    enum { N = 12 };
    mesh m;
    CHECK_OK(mesh_init(&m, 2 * N, &error), error);
    int32_t nodes[6 * N], before[6 * N];
    for (int i = 0; i < N; i++) {
        m.vertices[2 * i] = vec3_make(i, 0, i * i);
        m.vertices[2 * i + 1] = vec3_make(i, 1, i * i);
        int32_t a = 2 * i, b = a + 1, c = 2 * i + 2, d = c + 1;
        if (i == N - 1) {
            c = 1;
            d = 0;
        }
        const int32_t cut[6] = {a, b, c, b, d, c};
        memcpy(nodes + 6 * i, cut, sizeof cut);
    }
    memcpy(before, nodes, sizeof before);
    add_cells(&m, CELL_TRIANGLE, 2 * N, nodes);
    size_t flipped;
    bool orientable;
    CHECK_OK(orient_triangles(&m, &flipped, &orientable, &error), error);
    CHECK(!orientable && flipped == 0);
    CHECK(memcmp(before, m.blocks[0].nodes, sizeof before) == 0);
    mesh_free(&m);
}

/* Quadratic cells: reversing keeps the middle nodes between their corners. */
TEST(orientation_of_quadratic_cells)
{
    mesh m;
    cell_block *tet;
    int p[CELL_MAX_NODES][3];
    cell_lattice(CELL_TET, 2, p);
    CHECK_OK(mesh_init(&m, 10, &error), error);
    for (int i = 0; i < 10; i++) m.vertices[i] = vec3_make(p[i][0], p[i][1], -p[i][2]);
    CHECK_OK(mesh_add_block(&m, CELL_TET, 2, 1, false, &tet, &error), error);
    for (int i = 0; i < 10; i++) tet->nodes[i] = i;
    CHECK(orient_tets(&m) == 1);
    CHECK(orient_tets(&m) == 0);
    static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
    for (int e = 0; e < 6; e++) {
        vec3 a = m.vertices[tet->nodes[ends[e][0]]], b = m.vertices[tet->nodes[ends[e][1]]];
        vec3 middle = m.vertices[tet->nodes[4 + e]];
        CHECK(vec3_norm(vec3_sub(vec3_add(a, b), vec3_scale(2, middle))) == 0);
    }
    mesh_free(&m);
}

TEST(failing_allocations_leave_nothing_behind)
{
    mesh m;
    CHECK_OK(generate_box(vec3_make(1, 1, 1), (const int[3]){2, 2, 2}, &m, &error), error);
    add_cells(&m, CELL_EDGE, 1, (const int32_t[]){0, 26});
    add_cells(&m, CELL_TRIANGLE, 1, (const int32_t[]){0, 26, 3});
    int failures = 0;
    for (int work = 0; work < 2; work++)
        for (int n = 0;; n++) {
            surface_parts s = {0};
            size_t flipped;
            bool orientable;
            mem_fail_after(n);
            abut_status status = work == 0 ? mesh_surface(&m, &s, &error)
                                           : orient_triangles(&m, &flipped, &orientable, &error);
            bool failed = mem_failure_happened();
            mem_fail_after(-1);
            CHECK(status == (failed ? ABUT_ERROR_MEMORY : ABUT_OK));
            surface_parts_free(&s);
            if (!failed) break;
            failures++;
        }
    CHECK(failures > 15);
    mesh_free(&m);
}

int main(void)
{
    RUN(radix_sort_sorts_and_is_stable);
    RUN(cell_node_orders);
    RUN(one_tet_has_four_outward_faces);
    RUN(surfaces_of_solids);
    RUN(a_vertex_with_very_many_faces);
    RUN(wrong_solids_name_their_tets);
    RUN(unique_edges_are_sorted);
    RUN(surface_of_a_mixed_mesh);
    RUN(points_without_cells);
    RUN(surface_of_hexes_and_quads);
    RUN(components);
    RUN(triangles_are_oriented);
    RUN(a_moebius_strip_is_not_orientable);
    RUN(orientation_of_quadratic_cells);
    RUN(failing_allocations_leave_nothing_behind);
    return TEST_END();
}
