/* What `abut info` says about meshes, and surfaces as meshes of their own. */
#include "test.h"

#include "base/memory.h"
#include "mesh/generate.h"
#include "mesh/measure.h"
#include "mesh/topology.h"
#include "support/mesh_check.h"

static abut_error error;

TEST(a_ball_is_closed_and_sound)
{
    mesh m;
    mesh_measures s;
    CHECK_OK(generate_ball(1, 6, &m, &error), error);
    mesh_transform(&m, vec3_make(1, 1, 1), vec3_make(0, 0, 0), vec3_make(100, 0, 0));
    mesh_facts f = mesh_facts_of(&m);
    CHECK_OK(mesh_measure(&m, &s, &error), error);
    CHECK_NEAR(s.volume, f.volume, 1e-12);
    CHECK_NEAR(s.area, f.area, 1e-12);
    CHECK_NEAR(s.low.x, 99, 1e-12);
    CHECK_NEAR(s.high.y, 1, 1e-12);
    CHECK_NEAR(s.diagonal, sqrt(12), 1e-12);
    CHECK(s.closed && s.oriented && s.components == 1 && s.unused_vertices == 0);
    CHECK(s.inverted == 0 && s.degenerate == 0 && s.free_edges == 0);
    CHECK(s.surface_triangles == f.boundary_faces && s.surface_edges == f.boundary_edges);
    CHECK(s.surface_points == f.boundary_vertices);
    CHECK(s.min_edge > 0.1 && s.max_edge < 0.8 && s.min_edge < s.max_edge);
    mesh_free(&m);
}

TEST(faults_are_counted)
{
    mesh m, sphere;
    mesh_measures s;
    CHECK_OK(generate_box(vec3_make(1, 1, 1), (const int[3]){1, 1, 1}, &m, &error), error);
    int32_t *tet = m.blocks[0].nodes, keep = tet[0];
    tet[0] = tet[1];
    tet[1] = keep; /* now inverted */
    CHECK_OK(mesh_measure(&m, &s, &error), error);
    CHECK(s.inverted == 1 && s.degenerate == 0);
    for (int v = 0; v < 8; v++) m.vertices[v].y = 0;
    CHECK_OK(mesh_measure(&m, &s, &error), error);
    CHECK(s.inverted == 0 && s.degenerate == 6);
    mesh_free(&m);

    CHECK_OK(generate_icosphere(1, 1, &sphere, &error), error);
    CHECK_OK(mesh_measure(&sphere, &s, &error), error);
    CHECK(s.closed && s.oriented);
    CHECK_NEAR(s.volume, mesh_facts_of(&sphere).enclosed, 1e-12);
    int32_t *triangle = sphere.blocks[0].nodes;
    keep = triangle[0];
    triangle[0] = triangle[1];
    triangle[1] = keep;
    CHECK_OK(mesh_measure(&sphere, &s, &error), error);
    CHECK(s.closed && !s.oriented && s.unoriented_edges == 3 && isnan(s.volume));
    sphere.blocks[0].count--;
    CHECK_OK(mesh_measure(&sphere, &s, &error), error);
    CHECK(!s.closed && s.border_edges == 3 && s.nonmanifold_edges == 0);
    mesh_free(&sphere);
}

/* A hex of volume 2, once as it should be and once inside out; three triangles on one edge. */
TEST(hexes_and_fins)
{
    mesh m;
    cell_block *block;
    mesh_measures s;
    CHECK_OK(mesh_init(&m, 8, &error), error);
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int v = 0; v < 8; v++)
        m.vertices[v] = vec3_make(corner[v][0], corner[v][1], 2 * corner[v][2]);
    CHECK_OK(mesh_add_block(&m, CELL_HEX, 1, 1, false, &block, &error), error);
    for (int i = 0; i < 8; i++) block->nodes[i] = i;
    CHECK_OK(mesh_measure(&m, &s, &error), error);
    CHECK_NEAR(s.volume, 2, 1e-14);
    CHECK_NEAR(s.area, 10, 1e-14);
    CHECK(s.inverted == 0 && s.degenerate == 0 && s.closed && s.oriented);
    CHECK(s.min_edge == 1 && s.max_edge == 2);
    for (int i = 0; i < 8; i++) block->nodes[i] = (i + 4) % 8;
    CHECK_OK(mesh_measure(&m, &s, &error), error);
    CHECK(s.inverted == 1);
    mesh_free(&m);

    CHECK_OK(mesh_init(&m, 6, &error), error);
    for (int v = 0; v < 6; v++) m.vertices[v] = vec3_make(v, v * v, v % 2);
    CHECK_OK(mesh_add_block(&m, CELL_TRIANGLE, 1, 3, true, &block, &error), error);
    const int32_t fins[9] = {0, 1, 2, 0, 1, 3, 0, 1, 4};
    memcpy(block->nodes, fins, sizeof fins);
    block->tags[0] = 7;
    block->tags[1] = -2;
    block->tags[2] = 7;
    CHECK_OK(mesh_measure(&m, &s, &error), error);
    CHECK(s.nonmanifold_edges == 1 && s.border_edges == 6 && s.unused_vertices == 1);
    CHECK(s.components == 1 && !s.closed);
    tag_count *tags;
    size_t count;
    CHECK_OK(block_tags(block, &tags, &count, &error), error);
    CHECK(count == 2 && tags[0].tag == -2 && tags[0].cells == 1);
    CHECK(tags[1].tag == 7 && tags[1].cells == 2);
    mem_free(tags);
    mesh_free(&m);
}

TEST(points_only)
{
    mesh m;
    mesh_measures s;
    CHECK_OK(generate_lattice((const int[3]){2, 2, 2}, vec3_make(1, 1, 1), &m, &error), error);
    CHECK_OK(mesh_measure(&m, &s, &error), error);
    CHECK(s.components == 8 && s.surface_points == 8 && s.surface_edges == 0);
    CHECK(isnan(s.min_edge) && isnan(s.volume) && !s.closed);
    mesh_free(&m);
}

TEST(extracted_surface_is_compact)
{
    mesh m, line, skin;
    CHECK_OK(generate_ball(1, 4, &m, &error), error);
    CHECK_OK(generate_polyline(vec3_make(2, 0, 0), vec3_make(3, 0, 0), 4, &line, &error), error);
    CHECK_OK(mesh_append(&m, &line, &error), error);
    mesh_free(&line);
    CHECK_OK(generate_lattice((const int[3]){3, 1, 1}, vec3_make(1, 0, 0), &line, &error), error);
    CHECK_OK(mesh_append(&m, &line, &error), error);
    mesh_free(&line);
    m.stitch_count = 2; /* one on the surface, one at the ball's centre */
    m.stitch_vertices = mem_alloc(2, sizeof *m.stitch_vertices);
    m.stitch_ratio = mem_alloc(2, sizeof *m.stitch_ratio);
    const int32_t stitches[2][3] = {{62, 0, 1}, {0, 125, 126}};
    memcpy(m.stitch_vertices, stitches, sizeof stitches);
    m.stitch_ratio[0] = 0.5;
    m.stitch_ratio[1] = 0.25;
    CHECK(vec3_norm(m.vertices[62]) == 0);
    mesh_facts before = mesh_facts_of(&m);
    CHECK_OK(mesh_extract_surface(&m, &skin, &error), error);
    CHECK_OK(mesh_validate(&skin, &error), error);
    mesh_facts after = mesh_facts_of(&skin);
    CHECK(skin.vertex_count == before.boundary_vertices + 5 + 3);
    CHECK(mesh_find(&skin, CELL_TRIANGLE)->count == before.boundary_faces);
    CHECK(mesh_find(&skin, CELL_EDGE)->count == 4 && mesh_find(&skin, CELL_POINT)->count == 3);
    CHECK(mesh_find(&skin, CELL_TET) == NULL);
    CHECK_NEAR(after.enclosed, before.volume, 1e-12);
    CHECK(skin.stitch_count == 1 && skin.stitch_ratio[0] == 0.25);
    CHECK(skin.vertices[skin.stitch_vertices[0][1]].x == 2);
    mesh_free(&skin);
    int failures = 0;
    for (int n = 0;; n++) {
        mem_fail_after(n);
        abut_status status = mesh_extract_surface(&m, &skin, &error);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (failed ? ABUT_ERROR_MEMORY : ABUT_OK));
        mesh_free(&skin);
        if (!failed) break;
        failures++;
    }
    CHECK(failures > 15);
    mesh_free(&m);
}

int main(void)
{
    RUN(a_ball_is_closed_and_sound);
    RUN(faults_are_counted);
    RUN(hexes_and_fins);
    RUN(points_only);
    RUN(extracted_surface_is_compact);
    return TEST_END();
}
