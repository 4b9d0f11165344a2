/* Geometry of a contact that is linearised anew: how far its normal may turn at once. */
#include "test.h"

#include "mlcp/solver.h"

static const double DEGREE = 3.14159265358979323846 / 180;

/* A vertex just above a triangle, or an edge above another. */
static const vec3 above[2][4] = {
    {{0.1, 1e-6, 0.1}, {-1, 0, -1}, {-1, 0, 1}, {2, 0, 0}},
    {{-1, 1e-6, 0}, {1, 1e-6, 0}, {0.1, 0, -1}, {0.1, 0, 1}},
};

static mlcp_contact contact_of(int kind)
{
    mlcp_contact c = {.kind = kind ? CCD_EDGE_EDGE : CCD_POINT_TRIANGLE, .count = 4};
    c.normal = (vec3){0, 1, 0};
    memcpy(c.used, above[kind], sizeof c.used);
    mlcp_set_tangents(&c, (vec3){1, 0, 0});
    return c;
}

static void turned(int kind, double degrees, vec3 out[4])
{
    double s = sin(degrees * DEGREE), c = cos(degrees * DEGREE);
    for (int k = 0; k < 4; k++) {
        vec3 p = above[kind][k];
        out[k] = (vec3){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
    }
}

static double degrees_between(vec3 a, vec3 b)
{
    return atan2(vec3_norm(vec3_cross(a, b)), vec3_dot(a, b)) / DEGREE;
}

TEST(normals_turn_by_at_most_15_degrees)
{
    static const double whole[] = {0, 5, 10, 14.9}, too_far[] = {15.1, 20, 40, 70};
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < 4; k++) {
            vec3 target[4];
            mlcp_contact c = contact_of(kind);
            vec3 up = c.normal;
            turned(kind, whole[k], target);
            CHECK(mlcp_blend_geometry(&c, target));
            CHECK_NEAR(degrees_between(c.normal, up), whole[k], 1e-6);
            c = contact_of(kind);
            turned(kind, too_far[k], target);
            CHECK(mlcp_blend_geometry(&c, target));
            CHECK(degrees_between(c.normal, up) <= 15);
            CHECK(degrees_between(c.normal, up) >= 7); /* as far as it may, up to halving */
        }
}

/* What is further comes in several turns, and arrives. */
TEST(the_rest_follows_in_further_turns)
{
    for (int kind = 0; kind < 2; kind++) {
        vec3 target[4];
        mlcp_contact c = contact_of(kind);
        turned(kind, 70, target);
        int turns = 0;
        for (; turns < 20 && degrees_between(c.normal, (vec3){0, 1, 0}) < 69.9; turns++) {
            vec3 before = c.normal;
            CHECK(mlcp_blend_geometry(&c, target));
            CHECK(degrees_between(c.normal, before) <= 15);
            /* A frame stays a frame. */
            CHECK_NEAR(vec3_dot(c.normal, c.tangent[0]), 0, 1e-12);
            CHECK_NEAR(vec3_dot(c.tangent[0], c.tangent[1]), 0, 1e-12);
        }
        CHECK(turns >= 5 && turns < 20);
    }
}

int main(void)
{
    RUN(normals_turn_by_at_most_15_degrees);
    RUN(the_rest_follows_in_further_turns);
    return TEST_END();
}
