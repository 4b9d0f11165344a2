/* Procedural meshes: counts, Euler characteristics, volumes and areas, orientation, quality, and
 * the messages for wrong arguments. */
#include "test.h"

#include "base/memory.h"
#include "mesh/generate.h"
#include "support/mesh_check.h"

#include <limits.h>

static const double pi = 3.14159265358979323846;
static abut_error error;

/* Conforming, positive, closed and facing outward; boundary of the given Euler characteristic. */
static mesh_facts check_solid(const mesh *m, const char *name, long surface_euler)
{
    CHECK_OK(mesh_validate(m, &error), error);
    mesh_facts f = mesh_facts_of(m);
    CHECK(f.used_vertices == m->vertex_count);
    CHECK(f.nonpositive_tets == 0);
    CHECK(f.overused_faces == 0);
    CHECK(f.bad_edges == 0);
    CHECK(boundary_euler(&f) == surface_euler);
    CHECK(mesh_euler(&f) == surface_euler / 2);
    CHECK_NEAR(f.enclosed, f.volume, 1e-12 * (1.0 + fabs(f.volume)));
    printf("     %s: %zu vertices, %zu tets, dihedral angles %.1f to %.1f degrees\n", name,
           m->vertex_count, f.tets, f.min_dihedral, f.max_dihedral);
    return f;
}

TEST(box)
{
    mesh m;
    CHECK_OK(generate_box(vec3_make(1, 2, 3), (const int[3]){2, 3, 4}, &m, &error), error);
    CHECK(m.vertex_count == 3 * 4 * 5 && m.blocks[0].count == 6 * 24);
    mesh_facts f = check_solid(&m, "box", 2);
    CHECK_NEAR(f.volume, 6, 1e-12);
    CHECK_NEAR(f.area, 2 * (2 + 3 + 6), 1e-12);
    CHECK(f.boundary_faces == 4 * (2 * 3 + 3 * 4 + 2 * 4));
    vec3 low, high;
    mesh_bounds(&m, &low, &high);
    CHECK(low.x == -0.5 && high.x == 0.5 && low.y == -1 && high.y == 1 && high.z == 1.5);
    mesh_free(&m);
    CHECK_OK(generate_box(vec3_make(1, 1, 1), (const int[3]){1, 1, 1}, &m, &error), error);
    CHECK(m.vertex_count == 8 && m.blocks[0].count == 6);
    check_solid(&m, "unit cube", 2);
    mesh_free(&m);
}

TEST(mat_has_the_reference_counts)
{
    mesh m;
    int n = 20;
    CHECK_OK(generate_mat(vec3_make(1, 0.013, 1), n, n, &m, &error), error);
    CHECK(m.vertex_count == (size_t)(2 * n * n));
    CHECK(m.blocks[0].count == (size_t)(6 * (n - 1) * (n - 1)));
    mesh_facts f = check_solid(&m, "mat 20 x 20", 2);
    CHECK(f.boundary_faces == (size_t)(4 * (n - 1) * (n - 1) + 8 * (n - 1)));
    CHECK_NEAR(f.volume, 0.013, 1e-12);
    mesh_free(&m);
}

TEST(rod)
{
    for (int rings = 1; rings <= 6; rings++) {
        mesh m;
        CHECK_OK(generate_rod(1, 0.2, 5 * rings, rings, &m, &error), error);
        CHECK(m.vertex_count == (size_t)((5 * rings + 1) * (1 + 3 * rings * (rings + 1))));
        CHECK(m.blocks[0].count == (size_t)(18 * 5 * rings * rings * rings));
        mesh_facts f = check_solid(&m, "rod", 2);
        /* A regular polygon of n sides has the area n/2 sin(2 pi/n) r^2. */
        int sides = 6 * rings;
        double section = 0.5 * sides * sin(2 * pi / sides) * 0.2 * 0.2;
        CHECK_NEAR(f.volume, section, 1e-12);
        CHECK_NEAR(f.area, 2 * section + 2 * sides * sin(pi / sides) * 0.2, 1e-12);
        CHECK(f.min_dihedral > 20);
        mesh_free(&m);
    }
}

TEST(ball)
{
    double before = 1;
    for (int cells = 1; cells <= 16; cells++) {
        mesh m;
        CHECK_OK(generate_ball(0.5, cells, &m, &error), error);
        CHECK(m.vertex_count == (size_t)((cells + 1) * (cells + 1) * (cells + 1)));
        CHECK(m.blocks[0].count == (size_t)(6 * cells * cells * cells));
        mesh_facts f = check_solid(&m, "ball", 2);
        CHECK(f.min_dihedral > 26 && f.max_dihedral < 120);
        /* The boundary is inscribed; its defects fall as 1/cells^2. */
        double exact = 4.0 / 3.0 * pi * 0.125, defect = 1 - f.volume / exact;
        CHECK(defect > 0 && defect < before && defect < 3.0 / (cells * cells));
        CHECK(f.area < pi && f.area > pi * (1 - 3.0 / (cells * cells)));
        before = defect;
        for (size_t v = 0; v < m.vertex_count; v++)
            CHECK(vec3_norm(m.vertices[v]) < 0.5 * (1 + 1e-15));
        mesh_free(&m);
    }
}

/* Volume of the swept polygon: the section's area times the polygon of the ring (Pappus). */
static double torus_volume(double ring_radius, double tube_radius, int ring, int tube)
{
    double section = 0.5 * tube * sin(2 * pi / tube) * tube_radius * tube_radius;
    return section * ring * sin(2 * pi / ring) * ring_radius;
}

TEST(torus_link_of_the_reference)
{
    mesh m;
    CHECK_OK(generate_torus(0.4, 0.1, 20, 10, &m, &error), error);
    CHECK(m.vertex_count == 200 && m.blocks[0].count == 480);
    mesh_facts f = check_solid(&m, "torus 20 x 10", 0);
    CHECK(f.boundary_faces == 400 && f.boundary_vertices == 200);
    CHECK(f.min_dihedral > 6);
    CHECK_NEAR(f.volume, torus_volume(0.4, 0.1, 20, 10), 5e-4);
    vec3 low, high;
    mesh_bounds(&m, &low, &high);
    CHECK_NEAR(high.x, 0.5, 1e-15);
    CHECK(high.y < 0.1 + 1e-15 && high.y > 0.095);
    mesh_free(&m);
}

TEST(torus)
{
    for (int tube = 3; tube <= 40; tube++) {
        mesh m;
        CHECK_OK(generate_torus(1, 0.25, 60, tube, &m, &error), error);
        mesh_facts f = check_solid(&m, "torus", 0);
        CHECK(f.boundary_vertices == (size_t)(60 * tube));
        CHECK(tube > TORUS_MAX_FLAT_TUBE || m.vertex_count == (size_t)(60 * tube));
        CHECK(tube <= TORUS_MAX_FLAT_TUBE || m.vertex_count > (size_t)(60 * tube));
        double expected = torus_volume(1, 0.25, 60, tube);
        CHECK_NEAR(f.volume, expected, 0.02 * expected);
        CHECK(f.min_dihedral > 6);
        mesh_free(&m);
    }
}

TEST(grid)
{
    mesh m;
    CHECK_OK(generate_grid(2, 3, (const int[2]){4, 5}, &m, &error), error);
    CHECK(m.vertex_count == 30 && m.blocks[0].count == 40);
    mesh_facts f = mesh_facts_of(&m);
    CHECK_NEAR(f.area, 6, 1e-14);
    CHECK(boundary_euler(&f) == 1);
    CHECK(f.bad_edges == 2 * (4 + 5)); /* the border, and nothing else */
    int directions[2] = {0, 0};
    for (size_t t = 0; t < m.blocks[0].count; t++) {
        vec3 x[3];
        for (int i = 0; i < 3; i++) x[i] = m.vertices[m.blocks[0].nodes[3 * t + i]];
        vec3 n = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]));
        CHECK(n.y > 0 && n.x == 0 && n.z == 0);
        for (int i = 0; i < 3; i++) {
            vec3 e = vec3_sub(x[(i + 1) % 3], x[i]);
            if (e.x != 0 && e.z != 0) directions[e.x * e.z > 0]++;
        }
    }
    CHECK(directions[0] == 20 && directions[1] == 20); /* diagonals alternate */
    mesh_free(&m);
}

TEST(icosphere)
{
    for (int level = 0, power = 1; level <= 5; level++, power *= 4) {
        mesh m;
        CHECK_OK(generate_icosphere(2, level, &m, &error), error);
        CHECK(m.vertex_count == (size_t)(10 * power + 2));
        CHECK(m.blocks[0].count == (size_t)(20 * power));
        mesh_facts f = mesh_facts_of(&m);
        CHECK(boundary_euler(&f) == 2 && f.bad_edges == 0);
        CHECK(f.enclosed > 0);
        CHECK_NEAR(f.enclosed, 32 * pi / 3, 32 * pi / 3 * 0.56 / power);
        CHECK_NEAR(f.area, 16 * pi, 16 * pi * 0.31 / power);
        for (size_t v = 0; v < m.vertex_count; v++) CHECK_NEAR(vec3_norm(m.vertices[v]), 2, 1e-14);
        mesh_free(&m);
    }
}

/* Every triangle's normal points away from the given axis (0 = x, 1 = y). */
static bool faces_away(const mesh *m, int axis)
{
    for (size_t t = 0; t < m->blocks[0].count; t++) {
        vec3 x[3];
        for (int i = 0; i < 3; i++) x[i] = m->vertices[m->blocks[0].nodes[3 * t + i]];
        vec3 n = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]));
        vec3 c = vec3_add(x[0], vec3_add(x[1], x[2]));
        if (axis == 0) c.x = 0;
        if (axis == 1) c.y = 0;
        if (!(vec3_dot(n, c) > 0)) return false;
    }
    return true;
}

TEST(cone_and_tube)
{
    mesh m;
    CHECK_OK(generate_cone(2, 1, 3, 100, 4, &m, &error), error);
    CHECK(m.vertex_count == 500 && m.blocks[0].count == 800);
    mesh_facts f = mesh_facts_of(&m);
    CHECK(boundary_euler(&f) == 0 && f.bad_edges == 200);
    CHECK_NEAR(f.area, pi * 3 * sqrt(10), pi * 3 * sqrt(10) * 1e-3);
    CHECK(faces_away(&m, 1));
    mesh_free(&m);
    for (int top = 0; top < 2; top++) {
        CHECK_OK(generate_cone(top ? 1 : 0, top ? 0 : 1, 2, 64, 3, &m, &error), error);
        CHECK(m.vertex_count == 3 * 64 + 1 && m.blocks[0].count == 64 * 5);
        CHECK_OK(mesh_validate(&m, &error), error);
        f = mesh_facts_of(&m);
        CHECK(boundary_euler(&f) == 1 && f.bad_edges == 64 && faces_away(&m, 1));
        CHECK_NEAR(f.area, pi * sqrt(5), pi * sqrt(5) * 3e-3);
        mesh_free(&m);
    }
    CHECK_OK(generate_cone(1, 0, 2, 5, 1, &m, &error), error);
    CHECK(m.vertex_count == 6 && m.blocks[0].count == 5);
    mesh_free(&m);
    CHECK_OK(generate_tube(0.25, 1, 80, 10, &m, &error), error);
    CHECK(m.vertex_count == 880 && m.blocks[0].count == 1600 && faces_away(&m, 0));
    f = mesh_facts_of(&m);
    CHECK(boundary_euler(&f) == 0 && f.bad_edges == 160);
    CHECK_NEAR(f.area, 80 * 2 * 0.25 * sin(pi / 80), 1e-12);
    vec3 low, high;
    mesh_bounds(&m, &low, &high);
    CHECK(low.x == -0.5 && high.x == 0.5);
    mesh_free(&m);
}

TEST(polyline_and_lattice)
{
    mesh m;
    vec3 a = vec3_make(1, 0, 0), b = vec3_make(1, 4, 0);
    CHECK_OK(generate_polyline(a, b, 8, &m, &error), error);
    CHECK(m.vertex_count == 9 && mesh_find(&m, CELL_EDGE)->count == 8);
    CHECK(m.vertices[0].y == 0 && m.vertices[8].y == 4 && m.vertices[3].y == 1.5);
    CHECK_OK(mesh_validate(&m, &error), error);
    mesh_free(&m);
    CHECK_OK(generate_lattice((const int[3]){2, 3, 1}, vec3_make(1, 0.5, 0), &m, &error), error);
    CHECK(m.vertex_count == 6 && mesh_find(&m, CELL_POINT)->count == 6);
    CHECK(m.vertices[0].x == -0.5 && m.vertices[0].y == -0.5 && m.vertices[0].z == 0);
    CHECK(m.vertices[5].x == 0.5 && m.vertices[5].y == 0.5);
    mesh_free(&m);
}

TEST(transform_keeps_orientation)
{
    mesh m;
    CHECK_OK(generate_ball(1, 4, &m, &error), error);
    mesh_transform(&m, vec3_make(1, -2, 3), vec3_make(20, 30, 40), vec3_make(5, 6, 7));
    mesh_facts f = check_solid(&m, "mirrored ball", 2);
    mesh unit;
    CHECK_OK(generate_ball(1, 4, &unit, &error), error);
    CHECK_NEAR(f.volume, 6 * mesh_facts_of(&unit).volume, 1e-10);
    mesh_free(&m);
    mesh_free(&unit);
    CHECK_OK(generate_icosphere(1, 1, &m, &error), error);
    mesh_transform(&m, vec3_make(-1, 1, 1), vec3_make(0, 0, 0), vec3_make(0, 0, 0));
    CHECK(mesh_facts_of(&m).enclosed > 0);
    mesh_free(&m);
}

TEST(rotation_order_is_x_then_y_then_z)
{
    mat3 r = rotation_from_degrees(vec3_make(90, 90, 0));
    vec3 y = mat3_mul_vec(r, vec3_make(0, 1, 0)); /* x turns y to z, then y turns z to x */
    CHECK(y.x == 1 && y.y == 0 && y.z == 0);
    r = rotation_from_degrees(vec3_make(0, 90, 90));
    vec3 z = mat3_mul_vec(r, vec3_make(0, 0, 1)); /* y turns z to x, then z turns x to y */
    CHECK(z.x == 0 && z.y == 1 && z.z == 0);
    r = rotation_from_degrees(vec3_make(17, -230, 1000));
    CHECK_NEAR(mat3_determinant(r), 1, 1e-15);
    CHECK(mat3_norm2(mat3_sub(mat3_mul(r, mat3_transpose(r)), mat3_identity())) < 1e-30);
}

#define REFUSED(call, text)                                                                        \
    do {                                                                                           \
        error = (abut_error){0};                                                                   \
        CHECK((call) == ABUT_ERROR_INPUT);                                                         \
        if (!strstr(error.message, text) || !error.place[0])                                       \
            printf("%s: %s\n", error.place, error.message);                                        \
        CHECK(strstr(error.message, text) && error.place[0]);                                      \
        CHECK(m.vertices == NULL && m.block_count == 0);                                           \
    } while (0)

TEST(wrong_arguments_are_input_errors)
{
    mesh m;
    vec3 one = vec3_make(1, 1, 1);
    const int good[3] = {1, 1, 1}, zero[3] = {1, 0, 1}, huge[3] = {2000, 2000, 2000};
    const int most[3] = {INT_MAX, INT_MAX, INT_MAX};
    REFUSED(generate_box(one, zero, &m, &error), "cells y is 0; it must be at least 1");
    REFUSED(generate_box(vec3_make(1, 1, -2), good, &m, &error), "size z is -2");
    REFUSED(generate_box(vec3_make(NAN, 1, 1), good, &m, &error), "size x");
    REFUSED(generate_box(one, huge, &m, &error), "too many");
    REFUSED(generate_box(one, most, &m, &error), "too many");
    REFUSED(generate_mat(one, 1, 5, &m, &error), "at least 2");
    REFUSED(generate_mat(one, 50000, 50000, &m, &error), "too many");
    REFUSED(generate_rod(0, 1, 1, 1, &m, &error), "length");
    REFUSED(generate_rod(1, INFINITY, 1, 1, &m, &error), "radius");
    REFUSED(generate_rod(1, 1, 0, 1, &m, &error), "cells");
    REFUSED(generate_rod(1, 1, 1, -3, &m, &error), "rings is -3");
    REFUSED(generate_rod(1, 1, 1000, 1000, &m, &error), "too many");
    REFUSED(generate_rod(1, 1, INT_MAX, INT_MAX, &m, &error), "too many");
    REFUSED(generate_ball(1, 0, &m, &error), "cells");
    REFUSED(generate_ball(-1, 2, &m, &error), "radius is -1");
    REFUSED(generate_ball(1, INT_MAX, &m, &error), "too many");
    REFUSED(generate_torus(1, 1, 20, 10, &m, &error), "less than the ring radius");
    REFUSED(generate_torus(1, 0.5, 2, 10, &m, &error), "ring is 2");
    REFUSED(generate_torus(1, 0.5, 10, 2, &m, &error), "tube is 2");
    REFUSED(generate_torus(1, 0.5, INT_MAX, 10, &m, &error), "too many");
    REFUSED(generate_torus(1, 0.5, 20000, 20000, &m, &error), "too many");
    REFUSED(generate_grid(1, 0, good, &m, &error), "size z");
    REFUSED(generate_grid(1, 1, zero, &m, &error), "cells z is 0");
    REFUSED(generate_grid(1, 1, most, &m, &error), "too many");
    REFUSED(generate_icosphere(1, -1, &m, &error), "level");
    REFUSED(generate_icosphere(1, 40, &m, &error), "too many");
    REFUSED(generate_icosphere(0, 1, &m, &error), "radius");
    REFUSED(generate_cone(0, 0, 1, 8, 1, &m, &error), "both radii");
    REFUSED(generate_cone(1, -1, 1, 8, 1, &m, &error), "top radius");
    REFUSED(generate_cone(1, 1, 1, 2, 1, &m, &error), "around");
    REFUSED(generate_cone(1, 1, 1, INT_MAX, INT_MAX, &m, &error), "too many");
    REFUSED(generate_tube(1, 1, 8, 0, &m, &error), "along");
    REFUSED(generate_tube(1, -1, 8, 1, &m, &error), "length");
    REFUSED(generate_polyline(one, one, 3, &m, &error), "distance");
    REFUSED(generate_polyline(one, vec3_make(0, 0, 0), 0, &m, &error), "segments");
    REFUSED(generate_polyline(one, vec3_make(NAN, 0, 0), 1, &m, &error), "finite");
    REFUSED(generate_polyline(one, vec3_make(0, 0, 0), INT_MAX, &m, &error), "segments");
    REFUSED(generate_lattice(zero, one, &m, &error), "counts y is 0");
    REFUSED(generate_lattice((const int[3]){2, 1, 1}, vec3_make(0, 0, 0), &m, &error), "spacing x");
    REFUSED(generate_lattice(huge, one, &m, &error), "too many");
}

TEST(failing_allocations_leave_nothing_behind)
{
    int failures = 0;
    for (int shape = 0; shape < 3; shape++)
        for (int n = 0;; n++) {
            mesh m;
            mem_fail_after(n);
            abut_status status = shape == 0   ? generate_icosphere(1, 2, &m, &error)
                                 : shape == 1 ? generate_torus(1, 0.2, 8, 20, &m, &error)
                                              : generate_box(vec3_make(1, 1, 1),
                                                             (const int[3]){1, 1, 1}, &m, &error);
            bool failed = mem_failure_happened();
            mem_fail_after(-1);
            CHECK(status == (failed ? ABUT_ERROR_MEMORY : ABUT_OK));
            CHECK(!failed || m.vertices == NULL);
            mesh_free(&m);
            if (!failed) break;
            failures++;
        }
    CHECK(failures > 10);
}

int main(void)
{
    RUN(box);
    RUN(mat_has_the_reference_counts);
    RUN(rod);
    RUN(ball);
    RUN(torus_link_of_the_reference);
    RUN(torus);
    RUN(grid);
    RUN(icosphere);
    RUN(cone_and_tube);
    RUN(polyline_and_lattice);
    RUN(transform_keeps_orientation);
    RUN(rotation_order_is_x_then_y_then_z);
    RUN(wrong_arguments_are_input_errors);
    RUN(failing_allocations_leave_nothing_behind);
    return TEST_END();
}
