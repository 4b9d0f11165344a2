/* From surfaces to tetrahedra: the cages of known solids, of surfaces with holes and flipped or
 * missing triangles, and what is refused. */
#include "test.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "fill/cage.h"
#include "fill/fill.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "support/fill_check.h"

static abut_error err;

static mesh sphere(double radius, int level)
{
    mesh m;
    CHECK_OK(generate_icosphere(radius, level, &m, &err), err);
    return m;
}

static mesh box_surface(vec3 size, int n)
{
    mesh box, m;
    CHECK_OK(generate_box(size, (int[3]){n, n, n}, &box, &err), err);
    CHECK_OK(mesh_extract_surface(&box, &m, &err), err);
    mesh_free(&box);
    return m;
}

static fill_options cage_of(double size, bool graded)
{
    fill_options o = fill_defaults();
    o.size = size;
    o.collide = FILL_COLLIDE_CAGE;
    o.graded = graded;
    return o;
}

/* Triangles with three vertices of their own each, as in an STL file. */
static mesh unwelded(const mesh *m)
{
    mesh out;
    cell_block *block;
    size_t n = 3 * m->blocks[0].count;
    CHECK_OK(mesh_init(&out, n, &err), err);
    CHECK_OK(mesh_add_block(&out, CELL_TRIANGLE, 1, n / 3, false, &block, &err), err);
    for (size_t i = 0; i < n; i++) {
        out.vertices[i] = m->vertices[m->blocks[0].nodes[i]];
        block->nodes[i] = (int32_t)i;
    }
    return out;
}

static void turn(mesh *m, size_t triangle)
{
    int32_t *t = m->blocks[0].nodes + 3 * triangle, swap = t[1];
    t[1] = t[2];
    t[2] = swap;
}

static bool same_solid(const mesh *a, const mesh *b)
{
    return a->vertex_count == b->vertex_count && a->blocks[0].count == b->blocks[0].count &&
           memcmp(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices) == 0 &&
           memcmp(a->blocks[0].nodes, b->blocks[0].nodes,
                  4 * a->blocks[0].count * sizeof(int32_t)) == 0;
}

static void check_sound(const fill_result *r, double smallest, double largest)
{
    cage_check c;
    check_cage(&r->solid, 0, &c);
    CHECK(c.inverted == 0);
    CHECK(c.torn == 0);
    CHECK(c.smallest > smallest);
    CHECK(c.largest < largest);
    CHECK_NEAR(c.smallest, r->cage.quality.smallest, 1e-6);
    CHECK_NEAR(c.largest, r->cage.quality.largest, 1e-6);
    CHECK_NEAR(c.volume, r->cage.quality.volume, 1e-12 * c.volume);
}

static size_t boundary_faces(const mesh *m)
{
    int32_t(*faces)[3];
    size_t count = 0;
    CHECK_OK(surface_of_tets(m->blocks[0].nodes, 4, m->blocks[0].count, &faces, &count, &err), err);
    mem_free(faces);
    return count;
}

/* Volume errors and numbers of tets of uniform cages of a ball: measured elsewhere, with another
 * program and other cuts. */
TEST(ball)
{
    static const struct {
        double cells, tets, volume_error;
    } expected[] = {{4, 3520, -0.0159}, {8, 26821, -0.00409}, {16, 211387, -0.000997}};
    const double exact = 4 * 3.14159265358979323846 / 3;
    mesh m = sphere(1, 6);
    size_t faces[2] = {0};
    for (int i = 0; i < 5; i++) { /* the first two uniform, then all with larger cells inside */
        bool graded = i >= 2;
        int k = graded ? i - 2 : i;
        double loss = expected[k].volume_error;
        fill_options o = cage_of(1 / expected[k].cells, graded);
        fill_result r;
        CHECK_OK(fill_surface(&m, &o, &r, &err), err);
        check_sound(&r, 10.7, 164.8);
        CHECK_NEAR(r.cage.quality.volume / exact - 1, loss, 0.15 * fabs(loss));
        double tets = (double)r.cage.quality.count;
        if (!graded) CHECK_NEAR(tets, expected[k].tets, 0.02 * expected[k].tets);
        /* No cracks inside: larger cells change nothing at the boundary. */
        if (!graded) faces[k] = boundary_faces(&r.solid);
        if (graded && k < 2) CHECK(boundary_faces(&r.solid) == faces[k]);
        if (k == 2) CHECK(tets < 0.7 * expected[k].tets);
        fill_free(&r);
    }
    mesh_free(&m);
}

/* Whatever the signs and cuts: what is near random triangles as small as the cells. */
TEST(any_signs)
{
    random_state random = {7};
    double smallest = 180, largest = 0;
    for (int round = 0; round < 8; round++) {
        enum { TRIANGLES = 400 };
        vec3 x[3 * TRIANGLES];
        int32_t t[TRIANGLES][3];
        for (int i = 0; i < TRIANGLES; i++) {
            double at[3];
            for (int k = 0; k < 3; k++) at[k] = random_unit(&random);
            for (int c = 0; c < 3; c++) {
                double to[3];
                for (int k = 0; k < 3; k++) to[k] = at[k] + random_range(&random, -0.15, 0.15);
                x[3 * i + c] = vec3_load(to);
                t[i][c] = 3 * i + c;
            }
        }
        stuffing s = {0};
        cage_options o = {0.12, 0.02 + 0.01 * round, 0.5, round % 2};
        CHECK_OK(cage_add(x, (const int32_t(*)[3])t, TRIANGLES, false, &o, &s, &err), err);
        CHECK(s.tets.count > 200);
        mesh cage;
        cell_block *block;
        CHECK_OK(mesh_init(&cage, s.vertices.count, &err), err);
        memcpy(cage.vertices, s.vertices.data, s.vertices.count * sizeof(vec3));
        CHECK_OK(mesh_add_block(&cage, CELL_TET, 1, s.tets.count, false, &block, &err), err);
        memcpy(block->nodes, s.tets.data, s.tets.count * sizeof *s.tets.data);
        cage_check c;
        check_cage(&cage, 0, &c);
        CHECK(c.inverted == 0);
        CHECK(c.torn == 0);
        smallest = fmin(smallest, c.smallest);
        largest = fmax(largest, c.largest);
        mesh_free(&cage);
        stuffing_free(&s);
    }
    printf("angles from %.2f to %.2f degrees\n", smallest, largest);
    CHECK(smallest > 9.3);
    CHECK(largest < 164.8);
}

/* Twice the same bits: without welded vertices, in another order, turned, on more threads. */
TEST(order_does_not_matter)
{
    mesh m = box_surface(vec3_make(1.8, 1.2, 0.8), 3), loose = unwelded(&m);
    fill_options o = cage_of(0.2, true);
    fill_result a, b;
    CHECK_OK(fill_surface(&m, &o, &a, &err), err);
    CHECK_OK(fill_surface(&loose, &o, &b, &err), err);
    CHECK(b.taken.vertices == m.vertex_count);
    CHECK(same_solid(&a.solid, &b.solid));
    fill_free(&b);
    random_state random = {3};
    int32_t *t = loose.blocks[0].nodes;
    for (size_t i = loose.blocks[0].count; i > 1; i--) {
        size_t k = (size_t)random_below(&random, i);
        for (int c = 0; c < 3; c++) {
            int32_t swap = t[3 * (i - 1) + (size_t)c];
            t[3 * (i - 1) + (size_t)c] = t[3 * k + (size_t)((c + 1) % 3)];
            t[3 * k + (size_t)((c + 1) % 3)] = swap;
        }
    }
    parallel_set_threads(3);
    CHECK_OK(fill_surface(&loose, &o, &b, &err), err);
    parallel_set_threads(1);
    CHECK(same_solid(&a.solid, &b.solid));
    check_sound(&a, 10.7, 164.8);
    CHECK_NEAR(a.cage.quality.volume, 1.728, 0.06 * 1.728);
    fill_free(&a);
    fill_free(&b);
    mesh_free(&m);
    mesh_free(&loose);
}

TEST(holes_and_flips)
{
    const double exact = 4 * 3.14159265358979323846 / 3;
    mesh m = sphere(1, 4);
    random_state random = {11};
    cell_block *block = &m.blocks[0];
    size_t kept = 0;
    for (size_t i = 0; i < block->count; i++)
        if (random_unit(&random) > 0.1)
            memmove(block->nodes + 3 * kept++, block->nodes + 3 * i, 3 * sizeof(int32_t));
    block->count = kept;
    for (size_t i = 0; i < kept / 2; i++) turn(&m, i);
    fill_options o = cage_of(0.125, true);
    fill_result r;
    CHECK_OK(fill_surface(&m, &o, &r, &err), err);
    CHECK_NEAR(r.cage.quality.volume, exact, 0.03 * exact);
    CHECK(r.shells.flipped >= kept / 3);
    check_sound(&r, 10.7, 164.8);
    CHECK(r.cage.edges.border > 0);
    fill_free(&r);
    o.collide = FILL_COLLIDE_AUTO;
    CHECK_OK(fill_surface(&m, &o, &r, &err), err);
    CHECK(r.cage.embedded);
    check_sound(&r, 10.7, 164.8);
    CHECK_NEAR(r.cage.solid_volume, exact, 0.06 * exact);
    fill_free(&r);
    o.close = 0.3;
    CHECK_OK(fill_repair(&m, &o, &r, &err), err);
    CHECK(r.cage.edges.border == 0);
    CHECK(r.cage.edges.unbalanced == 0);
    CHECK(r.holes.closed == r.holes.loops && r.holes.loops > 50);
    fill_free(&r);
    mesh_free(&m);
}

TEST(missing_face)
{
    mesh m = box_surface(vec3_make(1, 1, 1), 4);
    cell_block *block = &m.blocks[0];
    size_t kept = 0;
    for (size_t i = 0; i < block->count; i++) {
        bool top = true;
        for (int k = 0; k < 3; k++)
            top = top && m.vertices[block->nodes[3 * i + (size_t)k]].y > 0.49;
        if (!top) memmove(block->nodes + 3 * kept++, block->nodes + 3 * i, 3 * sizeof(int32_t));
    }
    block->count = kept;
    winding_tree tree;
    CHECK_OK(winding_build(&tree, m.vertices, surface_triangles(&m), kept, &err), err);
    CHECK_NEAR(winding_exact(&tree, vec3_make(0, 0, 0)), 5.0 / 6, 1e-12);
    winding_free(&tree);
    fill_options o = cage_of(0.1, true);
    fill_result r;
    CHECK_OK(fill_surface(&m, &o, &r, &err), err);
    CHECK_NEAR(r.cage.quality.volume, 1, 0.04); /* closed by a flat patch */
    check_sound(&r, 10.7, 164.8);
    fill_free(&r);
    o.close = 10;
    CHECK_OK(fill_repair(&m, &o, &r, &err), err);
    CHECK(r.holes.loops == 1 && r.holes.closed == 1 && r.holes.added == 14);
    CHECK_NEAR(r.holes.cap_area, 1, 1e-12);
    CHECK(r.cage.edges.border == 0 && r.cage.edges.unbalanced == 0);
    fill_free(&r);
    mesh_free(&m);
}

static double nested_volume(bool turn_inner, bool mix, size_t *cavities)
{
    mesh m = sphere(1, 4), inner = sphere(0.5, 4);
    size_t n = inner.blocks[0].count;
    for (size_t i = 0; i < n; i++)
        if (turn_inner || (mix && i % 7 == 0)) turn(&inner, i);
    CHECK_OK(mesh_append(&m, &inner, &err), err);
    fill_options o = cage_of(0.1, true);
    fill_result r;
    CHECK_OK(fill_surface(&m, &o, &r, &err), err);
    check_sound(&r, 10.7, 164.8);
    double volume = r.cage.quality.volume;
    *cavities = r.shells.cavities;
    fill_free(&r);
    mesh_free(&m);
    mesh_free(&inner);
    return volume;
}

TEST(nested)
{
    size_t cavities;
    CHECK_NEAR(nested_volume(true, false, &cavities), 3.665, 0.03 * 3.665);
    CHECK(cavities == 1);
    CHECK_NEAR(nested_volume(false, false, &cavities), 4.189, 0.02 * 4.189);
    CHECK(cavities == 0);
    CHECK_NEAR(nested_volume(false, true, &cavities), 3.665, 0.03 * 3.665);
    CHECK(cavities == 1);
}

/* Two plates closer than a cell: they lie in cages of their own. */
TEST(plates)
{
    mesh m = box_surface(vec3_make(1, 0.1, 1), 4), other = box_surface(vec3_make(1, 0.1, 1), 4);
    mesh_transform(&other, vec3_make(1, 1, 1), vec3_make(0, 0, 0), vec3_make(0, 0.13, 0));
    CHECK_OK(mesh_append(&m, &other, &err), err);
    fill_options o = fill_defaults();
    o.size = 0.1;
    fill_result r;
    CHECK_OK(fill_surface(&m, &o, &r, &err), err);
    CHECK(r.shells.groups == 2);
    CHECK(r.cage.pieces == 2);
    CHECK(r.tet_group && r.vertex_group);
    CHECK_NEAR(r.cage.solid_volume, 0.2, 1e-12);
    double mass = 0;
    for (size_t i = 0; i < r.solid.blocks[0].count; i++) {
        const int32_t *n = r.solid.blocks[0].nodes + 4 * i;
        const vec3 *x = r.solid.vertices;
        mass += r.share[i] * tet_volume(x[n[0]], x[n[1]], x[n[2]], x[n[3]]);
    }
    CHECK_NEAR(mass, 0.2, 1e-12);
    check_sound(&r, 10.7, 164.8);
    fill_free(&r);
    mesh_free(&m);
    mesh_free(&other);
}

TEST(crossing)
{
    mesh m = sphere(1, 3), other = sphere(1, 3);
    mesh_transform(&other, vec3_make(1, 1, 1), vec3_make(0, 20, 0), vec3_make(1, 0, 0));
    CHECK_OK(mesh_append(&m, &other, &err), err);
    fill_options o = fill_defaults();
    fill_result r;
    CHECK_OK(fill_surface(&m, &o, &r, &err), err);
    CHECK(!r.cage.embedded && r.cage.crossings > 0);
    check_sound(&r, 10.7, 164.8);
    cage_check c;
    check_cage(&r.solid, 1, &c);
    CHECK(c.crossings == 0);
    CHECK_NEAR(r.cage.quality.volume, 2 * 4.18879 - 4.18879 * 5 / 16, 0.06 * 8);
    fill_free(&r);
    o.collide = FILL_COLLIDE_SURFACE;
    CHECK(fill_surface(&m, &o, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "crosses or touches itself"));
    mesh_free(&m);
    mesh_free(&other);
}

TEST(repeated_triangles)
{
    mesh m = sphere(1, 2), other = sphere(1, 2);
    for (size_t i = 0; i < 10; i++) turn(&other, i);
    other.blocks[0].count = 30;
    CHECK_OK(mesh_append(&m, &other, &err), err);
    fill_options o = fill_defaults();
    fill_result r;
    CHECK_OK(fill_repair(&m, &o, &r, &err), err);
    CHECK(r.taken.repeated == 20);
    CHECK(r.taken.cancelled == 20);
    CHECK(r.taken.triangles == 320 - 10);
    fill_free(&r);
    mesh_free(&m);
    mesh_free(&other);
}

TEST(refused)
{
    mesh m;
    fill_result r;
    fill_options o = fill_defaults();
    CHECK_OK(generate_grid(1, 1, (int[2]){5, 5}, &m, &err), err);
    CHECK(fill_surface(&m, &o, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "sheet"));
    o.collide = FILL_COLLIDE_CAGE;
    CHECK(fill_surface(&m, &o, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "sheet"));
    mesh_free(&m);
    CHECK_OK(generate_box(vec3_make(1, 1, 1), (int[3]){2, 2, 2}, &m, &err), err);
    CHECK(fill_surface(&m, &o, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "filled already"));
    mesh_free(&m);
    CHECK_OK(generate_polyline(vec3_make(0, 0, 0), vec3_make(1, 0, 0), 5, &m, &err), err);
    CHECK(fill_surface(&m, &o, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "no triangles"));
    mesh_free(&m);
    m = sphere(1, 2);
    o.size = 1e-3;
    CHECK(fill_surface(&m, &o, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "cubes"));
    o.size = 100;
    CHECK(fill_surface(&m, &o, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "smaller cells"));
    m.vertices[3].x = NAN;
    CHECK(fill_surface(&m, &o, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "vertex 3"));
    for (size_t v = 0; v < m.vertex_count; v++) m.vertices[v] = vec3_make(1, 2, 3);
    CHECK(fill_surface(&m, &o, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "size"));
    mesh_free(&m);
}

TEST(shares)
{
    CHECK_NEAR(positive_share((double[4]){1, 1, 1, 1}), 1, 0);
    CHECK_NEAR(positive_share((double[4]){-1, -1, 0, -1}), 0, 0);
    CHECK_NEAR(positive_share((double[4]){1, -1, -1, -1}), 0.125, 1e-15);
    CHECK_NEAR(positive_share((double[4]){-1, 1, 1, 1}), 0.875, 1e-15);
    CHECK_NEAR(positive_share((double[4]){1, -1, 1, -1}), 0.5, 1e-15);
    random_state random = {5}; /* by counting points */
    for (int round = 0; round < 20; round++) {
        double value[4];
        for (int k = 0; k < 4; k++) value[k] = random_range(&random, -1, 1);
        int inside = 0;
        enum { POINTS = 40000 };
        for (int i = 0; i < POINTS; i++) {
            double e[4], sum = 0, f = 0;
            for (int k = 0; k < 4; k++) sum += e[k] = -log(1 - random_unit(&random));
            for (int k = 0; k < 4; k++) f += value[k] * e[k] / sum;
            inside += f > 0;
        }
        CHECK_NEAR(positive_share(value), inside / (double)POINTS, 0.012);
    }
}

/* Every allocation that fails is an error and leaks nothing (the sanitizers look). */
TEST(out_of_memory)
{
    mesh m = sphere(1, 2);
    fill_options o = fill_defaults();
    o.cells = 5;
    o.close = 1;
    m.blocks[0].count -= 3;
    bool done = false;
    for (int64_t n = 0; !done && n < 3000; n++) {
        fill_result r;
        mem_fail_after(n);
        abut_status status = fill_surface(&m, &o, &r, &err);
        done = !mem_failure_happened();
        mem_fail_after(-1);
        if (status == ABUT_OK)
            fill_free(&r);
        else
            CHECK(status == ABUT_ERROR_MEMORY && !r.share && !r.solid.vertices);
    }
    CHECK(done);
    mesh_free(&m);
}

int main(void)
{
    parallel_set_threads(1);
    RUN(ball);
    RUN(any_signs);
    RUN(order_does_not_matter);
    RUN(holes_and_flips);
    RUN(missing_face);
    RUN(nested);
    RUN(plates);
    RUN(crossing);
    RUN(repeated_triangles);
    RUN(refused);
    RUN(shares);
    RUN(out_of_memory);
    return TEST_END();
}
