/* Tangent frames: orthonormal, normal to the gap, weights of the closest points, sliding of rigid
 * and deforming motions, degenerate stencils. */
#include "test.h"

#include "base/random.h"
#include "geometry/tangent.h"

static vec3 random_vec3(random_state *r)
{
    double x = random_range(r, -1, 1), y = random_range(r, -1, 1);
    return vec3_make(x, y, random_range(r, -1, 1));
}

static void check_orthonormal(const tangent_frame *f)
{
    CHECK_NEAR(vec3_norm(f->column[0]), 1.0, 1e-14);
    CHECK_NEAR(vec3_norm(f->column[1]), 1.0, 1e-14);
    CHECK_NEAR(vec3_norm(f->normal), 1.0, 1e-14);
    CHECK_NEAR(vec3_dot(f->column[0], f->column[1]), 0.0, 1e-14);
    CHECK_NEAR(vec3_dot(f->column[0], f->normal), 0.0, 1e-14);
    CHECK_NEAR(vec3_dot(f->column[1], f->normal), 0.0, 1e-14);
}

TEST(frame_follows_the_gap)
{
    random_state r = {21};
    for (int trial = 0; trial < 500; trial++)
        for (int kind = 0; kind < STENCIL_KINDS; kind++) {
            vec3 x[4], gap = {0, 0, 0};
            for (int i = 0; i < 4; i++) x[i] = random_vec3(&r);
            tangent_frame f = tangent_frame_of((stencil_kind)kind, x);
            CHECK(f.count == stencil_size((stencil_kind)kind));
            check_orthonormal(&f);
            double sum = 0.0;
            for (int i = 0; i < f.count; i++) {
                sum += f.weight[i];
                gap = vec3_mul_add(gap, f.weight[i], x[i]);
            }
            double d2 = stencil_distance2((stencil_kind)kind, x), size = 0.0;
            for (int i = 0; i < f.count; i++) size = fmax(size, fabs(f.weight[i]));
            CHECK_NEAR(sum, 0.0, 1e-14 * size);
            CHECK_NEAR(vec3_norm2(gap), d2, 1e-11 * size * size);
            CHECK_NEAR(vec3_dot(gap, f.normal), sqrt(d2), 1e-11 * size);
        }
}

/* First columns of the table: the edge, resp. the first triangle edge. */
TEST(columns_of_the_paper)
{
    random_state r = {22};
    for (int trial = 0; trial < 100; trial++) {
        vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = random_vec3(&r);
        tangent_frame f = tangent_frame_of(STENCIL_EE, x);
        CHECK_NEAR(vec3_dot(f.column[0], vec3_normalize(vec3_sub(x[1], x[0]))), 1.0, 1e-14);
        f = tangent_frame_of(STENCIL_PT, x);
        vec3 u = vec3_sub(x[2], x[1]), v = vec3_sub(x[3], x[1]);
        CHECK_NEAR(vec3_dot(f.column[0], vec3_normalize(u)), 1.0, 1e-14);
        vec3 n = vec3_normalize(vec3_cross(u, v));
        CHECK_NEAR(fabs(vec3_dot(f.column[1], vec3_normalize(vec3_cross(n, u)))), 1.0, 1e-12);
        f = tangent_frame_of(STENCIL_PE, x);
        vec3 across = vec3_normalize(vec3_cross(u, vec3_sub(x[0], x[1])));
        CHECK_NEAR(vec3_dot(f.column[0], vec3_normalize(u)), 1.0, 1e-14);
        CHECK_NEAR(fabs(vec3_dot(f.column[1], across)), 1.0, 1e-12);
    }
}

TEST(sliding)
{
    random_state r = {23};
    for (int trial = 0; trial < 200; trial++)
        for (int kind = 0; kind < STENCIL_KINDS; kind++) {
            vec3 x[4], dx[4];
            double t[24], u[2], f2[2] = {random_unit(&r), random_unit(&r)}, force[12];
            for (int i = 0; i < 4; i++) x[i] = random_vec3(&r);
            tangent_frame f = tangent_frame_of((stencil_kind)kind, x);
            double size = 0.0;
            for (int i = 0; i < f.count; i++) size = fmax(size, fabs(f.weight[i]));

            vec3 shift = random_vec3(&r); /* translation of all: no sliding */
            for (int i = 0; i < 4; i++) dx[i] = shift;
            tangent_displacement(&f, dx, u);
            CHECK_NEAR(u[0], 0.0, 1e-14 * size);
            CHECK_NEAR(u[1], 0.0, 1e-14 * size);

            /* The first primitive alone moves by the tangents: u reads them back. */
            int first = kind == STENCIL_EE ? 2 : 1;
            shift = vec3_mul_add(vec3_scale(0.3, f.column[0]), -0.7, f.column[1]);
            shift = vec3_add(shift, f.normal);
            for (int i = 0; i < 4; i++) dx[i] = i < first ? shift : vec3_make(0, 0, 0);
            tangent_displacement(&f, dx, u);
            CHECK_NEAR(u[0], 0.3, 1e-14 * size);
            CHECK_NEAR(u[1], -0.7, 1e-14 * size);

            /* The operator is the matrix of that map, and spreading is its transpose. */
            for (int i = 0; i < 4; i++) dx[i] = random_vec3(&r);
            tangent_displacement(&f, dx, u);
            tangent_operator(&f, t);
            tangent_spread(&f, f2, force);
            double by_matrix[2] = {0, 0}, work = 0.0;
            for (int i = 0; i < 3 * f.count; i++) {
                double d = vec3_get(dx[i / 3], i % 3);
                by_matrix[0] += t[2 * i] * d;
                by_matrix[1] += t[2 * i + 1] * d;
                work += force[i] * d;
            }
            CHECK_NEAR(by_matrix[0], u[0], 1e-13 * size);
            CHECK_NEAR(by_matrix[1], u[1], 1e-13 * size);
            CHECK_NEAR(work, f2[0] * u[0] + f2[1] * u[1], 1e-13 * size);
        }
}

TEST(half_space_frame)
{
    vec3 normals[] = {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}, {0.6, 0.0, 0.8}};
    for (int k = 0; k < 4; k++) {
        tangent_frame f = tangent_frame_half_space(normals[k]);
        check_orthonormal(&f);
        CHECK(f.count == 1 && f.weight[0] == 1.0);
        vec3 dx = {1, 2, 3};
        double u[2], along = vec3_dot(dx, normals[k]);
        tangent_displacement(&f, &dx, u);
        CHECK_NEAR(u[0] * u[0] + u[1] * u[1] + along * along, 14.0, 1e-13);
    }
}

TEST(degenerate_stencils)
{
    vec3 o = {1, 2, 3}, axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int kind = 0; kind < STENCIL_KINDS; kind++)
        for (int a = 0; a < 27;
             a++) { /* every choice that puts vertices 1..3 at o, +axis or -axis */
            vec3 x[4] = {o, o, o, o};
            for (int k = 0, code = a; k < 3; k++, code /= 3)
                x[k + 1] = vec3_mul_add(o, code % 3 - 1, axis[(a + kind) % 3]);
            tangent_frame f = tangent_frame_of((stencil_kind)kind, x);
            check_orthonormal(&f);
            for (int i = 0; i < f.count; i++) CHECK(isfinite(f.weight[i]));
        }
}

/* Tiny gaps: the frame stays accurate although the normal comes from short vectors. */
TEST(tiny_gap)
{
    vec3 x[2] = {{1, 1, 1 + 1e-12}, {1, 1, 1}};
    tangent_frame f = tangent_frame_of(STENCIL_PP, x);
    check_orthonormal(&f);
    CHECK_NEAR(f.normal.z, 1.0, 1e-15);
    vec3 y[3] = {{0.5, 1e-160, 0}, {0, 0, 0}, {1, 0, 0}};
    f = tangent_frame_of(STENCIL_PE, y);
    check_orthonormal(&f);
    for (double gap = 1e-3; gap > 1e-11; gap *= 0.1) { /* beside the edge, far from its start */
        vec3 z[3] = {{0.5, 0.6 * gap, 0.8 * gap}, {0, 0, 0}, {1, 0, 0}};
        f = tangent_frame_of(STENCIL_PE, z);
        check_orthonormal(&f);
        CHECK_NEAR(f.normal.y, 0.6, 1e-15 / gap);
        CHECK_NEAR(f.normal.z, 0.8, 1e-15 / gap);
    }
}

int main(void)
{
    RUN(frame_follows_the_gap);
    RUN(columns_of_the_paper);
    RUN(sliding);
    RUN(half_space_frame);
    RUN(degenerate_stencils);
    RUN(tiny_gap);
    return TEST_END();
}
