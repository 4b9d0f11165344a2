/* Rank, mobility and redundant joints of mechanisms. */
#include "body/rigid.h"
#include "constraint/joint_kind.h"
#include "constraint/joint_make.h"
#include "constraint/joint_rank.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "test.h"

#include <math.h>

static abut_error err;
static const vec3 NONE = {0}, X = {1, 0, 0}, Z = {0, 0, 1};

static int32_t add_bar(model *m, vec3 a, vec3 b)
{
    mesh box;
    const int cells[3] = {1, 1, 1};
    vec3 d = vec3_sub(b, a);
    rigid_options options = {.density = 1000};
    CHECK_OK(generate_box((vec3){vec3_norm(d), 0.1, 0.1}, cells, &box, &err), err);
    mesh_transform(&box, (vec3){1, 1, 1}, (vec3){0, 0, atan2(d.y, d.x) * 180 / M_PI},
                   vec3_scale(0.5, vec3_add(a, b)));
    CHECK_OK(model_add_rigid(m, "bar", &box, &options, &err), err);
    mesh_free(&box);
    return (int32_t)m->rigids.count - 1;
}

static void add(model *m, const char *name, const char *kind, int32_t to, int32_t body, vec3 at)
{
    model_joint j = joint_plain();
    j.kind = joint_kind_named(kind);
    j.side[0] = joint_side_at(m, to, at, joint_triad(Z));
    j.side[1] = joint_side_at(m, body, at, joint_triad(Z));
    CHECK_OK(model_add_joint(m, name, &j, &err), err);
}

static joint_rank rank_of(model *m, const uint8_t *prescribed)
{
    joint_rank r;
    CHECK_OK(joint_rank_find(m, (const double *)m->rest.data, prescribed, &r, &err), err);
    return r;
}

/* Four hinges in a plane: 20 independent rows for 18 dofs, rank 17. */
TEST(four_bar)
{
    model m = {0};
    vec3 b = {cos(M_PI / 6), 0.5, 0}, c = {2.869228182, 1.995720104, 0}, d = {3, 0, 0};
    int32_t crank = add_bar(&m, NONE, b), coupler = add_bar(&m, b, c), rocker = add_bar(&m, d, c);
    CHECK_OK(model_finish(&m, &err), err);
    add(&m, "a", "hinge", -1, crank, NONE);
    add(&m, "b", "hinge", crank, coupler, b);
    add(&m, "c", "hinge", coupler, rocker, c);
    add(&m, "d", "hinge", -1, rocker, d);
    joint_rank r = rank_of(&m, NULL);
    CHECK(r.dofs == 18 && r.rank == 17 && r.mobility == 1 && r.complete);
    CHECK(r.redundant.count == 1 && r.redundant.data[0].joint == 3);
    CHECK(r.redundant.data[0].rank == 5 && r.redundant.data[0].redundant == 3);
    joint_rank_free(&r);
    const uint8_t prescribed[3] = {1, 0, 0};
    r = rank_of(&m, prescribed); /* a crank that is moved: nothing is left to move */
    CHECK(r.dofs == 12 && r.rank == 12 && r.mobility == 0);
    joint_rank_free(&r);
    model_free(&m);
}

/* A door on two hinges of one axis: the second says nothing new. */
TEST(door)
{
    model m = {0};
    int32_t door = add_bar(&m, NONE, X);
    CHECK_OK(model_finish(&m, &err), err);
    add(&m, "lower", "hinge", -1, door, NONE);
    add(&m, "upper", "hinge", -1, door, (vec3){0, 0, 0.5});
    joint_rank r = rank_of(&m, NULL);
    CHECK(r.rank == 5 && r.mobility == 1 && r.redundant.count == 1);
    CHECK(r.redundant.data[0].joint == 1 && r.redundant.data[0].redundant == 5);
    joint_rank_free(&r);
    model_free(&m);
}

/* Trees have none, whatever their length; every kind has the rank of docs/joints.md. */
TEST(trees_and_kinds)
{
    static const struct {
        const char *name;
        size_t rank;
    } kinds[] = {{"fixed", 6},       {"ball", 3},      {"hinge", 5},         {"slider", 5},
                 {"cylindrical", 4}, {"universal", 4}, {"planar", 3},        {"point-on-line", 2},
                 {"screw", 5},       {"free", 0},      {"point-on-plane", 1}};
    model chain = {0};
    for (int k = 0; k < 300; k++) add_bar(&chain, (vec3){k, 0, 0}, (vec3){k + 1, 0, 0});
    CHECK_OK(model_finish(&chain, &err), err);
    for (int k = 0; k < 300; k++) add(&chain, "pin", "hinge", k - 1, k, (vec3){k, 0, 0});
    joint_rank r = rank_of(&chain, NULL);
    CHECK(r.rank == 1500 && r.mobility == 300 && r.redundant.count == 0);
    joint_rank_free(&r);
    model_free(&chain);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int twice = 0; twice < 2; twice++) {
            model m = {0};
            int32_t a = add_bar(&m, NONE, X), b = add_bar(&m, X, (vec3){2, 0, 0});
            CHECK_OK(model_finish(&m, &err), err);
            for (int i = 0; i <= twice; i++) add(&m, "joint", kinds[k].name, a, b, X);
            r = rank_of(&m, NULL);
            CHECK(r.rank == kinds[k].rank);
            CHECK(r.redundant.count == (size_t)(twice && kinds[k].rank > 0));
            joint_rank_free(&r);
            model_free(&m);
        }
}

int main(void)
{
    RUN(four_bar);
    RUN(door);
    RUN(trees_and_kinds);
    return TEST_END();
}
