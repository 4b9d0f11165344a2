/* The broad phase by parts finds exactly the pairs of the one by primitives, and the boxes of parts
 * of rigid bodies hold the paths of all their vertices. */
#include "support/rigid_world.h"
#include "support/scene_makers.h"

#include "base/parallel.h"
#include "broad/parts.h"
#include "ccd/curved.h"
#include "contact/part_boxes.h"

/* Not all of the scenes are used here. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "support/broad_cases.h"

static abut_error err;

/* Sheets, rods and particles that do not meet themselves, and one body of two kinds. */
static void make_bodies(random_state *r, bool planar)
{
    clear_scene();
    for (int i = 0; i < 6; i++)
        add_sheet(r, 9, random_vec3(r, 0.5), 0.1, 0.02, BROAD_GROUP_NO_SELF);
    for (int i = 0; i < 4; i++) add_rod(r, 60, random_vec3(r, 0.4), 0.06, BROAD_GROUP_NO_SELF);
    for (int i = 0; i < 3; i++) add_particles(r, 70, 0.6, BROAD_GROUP_NO_SELF);
    set_motion(r, 0.05);
    for (size_t v = 0; v < s.vertices; v++) /* one body cannot respond at all */
        if (s.group[v] == 1) s.kinematic[v] = 1;
    s.planar = planar;
    for (size_t v = 0; planar && v < s.vertices; v++) s.y[v].z = s.p[v].z = 0;
}

static void fill_from_vertices(broad_parts *parts, const broad_query *q)
{
    for (size_t i = 0; i < broad_parts_count(parts); i++) {
        size_t count;
        const int32_t *v = broad_parts_vertices(parts, i, &count);
        exact_box box = brute_box(q, v, (int)count);
        broad_parts_boxes(parts)[i] = (part_box){vec3_load(box.low), vec3_load(box.high)};
    }
}

static bool same(const pair_list *a, const pair_list *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->data, b->data, a->count * sizeof *a->data) == 0);
}

TEST(pairs_are_those_of_the_trees)
{
    random_state r = {.state = 5};
    candidate_set one = {0}, two = {0};
    pair_list crossing = {0}, crossing_by_parts = {0};
    size_t found[4] = {0}, crossings = 0;
    for (int n = 0; n < 24; n++) {
        make_bodies(&r, n % 3 == 2);
        broad_surface shape = surface();
        broad_phase *broad;
        broad_parts *parts;
        CHECK_OK(broad_create(&shape, &broad, &err), err);
        CHECK_OK(broad_parts_create(&shape, s.group, s.y, &parts, &err), err);
        for (int k = 0; k < 4; k++) {
            broad_query q = {.y = s.y,
                             .p = k > 0 ? s.p : NULL,
                             .alpha = 0.4 * k,
                             .inflation = k == 1 ? 0 : 0.02,
                             .extra = k == 3 ? s.extra : NULL,
                             .tight = k % 2 == 0};
            if (k == 2) { /* another body cannot respond any more */
                for (size_t v = 0; v < s.vertices; v++)
                    if (s.group[v] == 7) s.kinematic[v] = 1;
                broad_update_filter(broad);
                broad_parts_update_filter(parts);
            }
            CHECK_OK(broad_candidates(broad, &q, &one, &err), err);
            fill_from_vertices(parts, &q);
            parallel_set_threads(1 + (n + k) % 3);
            CHECK_OK(broad_parts_candidates(parts, &q, &two, &err), err);
            CHECK(same(&one.vt, &two.vt) && same(&one.ee, &two.ee));
            CHECK(same(&one.ve, &two.ve) && same(&one.vv, &two.vv));
            CHECK(one.inflation == two.inflation);
            found[0] += two.vt.count, found[1] += two.ee.count;
            found[2] += two.ve.count, found[3] += two.vv.count;
        }
        broad_query still = {.y = s.y};
        fill_from_vertices(parts, &still);
        CHECK_OK(broad_parts_crossings(parts, s.y, &crossing_by_parts, &err), err);
        if (!s.planar) {
            CHECK_OK(broad_crossing_candidates(broad, s.y, &crossing, &err), err);
            CHECK(same(&crossing, &crossing_by_parts));
            crossings += crossing.count;
        }
        broad_destroy(broad);
        broad_parts_destroy(parts);
    }
    for (int k = 0; k < 4; k++) CHECK(found[k] > 50); /* every kind was tested */
    CHECK(crossings > 100);
    candidate_set_free(&one);
    candidate_set_free(&two);
    array_free(&crossing);
    array_free(&crossing_by_parts);
}

/* Two bodies of one group have parts of their own. */
TEST(parts_are_of_one_body)
{
    random_state r = {.state = 6};
    make_bodies(&r, false);
    int32_t body[MAX_VERTICES];
    memcpy(body, s.group, sizeof body);
    for (size_t v = 0; v < s.vertices; v++) s.group[v] /= 2;
    broad_surface shape = surface();
    broad_parts *parts;
    CHECK_OK(broad_parts_create(&shape, body, s.y, &parts, &err), err);
    size_t vertices = 0;
    for (size_t i = 0; i < broad_parts_count(parts); i++) {
        size_t count;
        const int32_t *v = broad_parts_vertices(parts, i, &count);
        CHECK(count > 0);
        for (size_t k = 0; k < count; k++) CHECK(body[v[k]] == body[v[0]]);
        vertices += count;
    }
    CHECK(vertices >= s.vertices);
    broad_parts_destroy(parts);
}

/* ---- boxes of rigid parts ---- */

static void check_boxes(const world *w, broad_parts *parts, random_state *r, double turn)
{
    const collision_surface *c = &w->stepper->model->surface;
    size_t scalars = w->stepper->state.scalars, n = c->rows.count;
    double x[64], direction[64], *extra = mem_alloc(n, sizeof *extra);
    vec3 *y = mem_alloc(n, sizeof *y), *p = mem_calloc(n, sizeof *p);
    CHECK(scalars <= 64 && y && p && extra);
    for (size_t i = 0; i < scalars; i++) {
        x[i] = random_range(r, -4, 4);
        direction[i] = random_range(r, -turn, turn);
    }
    vec3 drift = random_vec3(r, turn);
    double alpha = random_range(r, 0.1, 1);
    collision_surface_positions(c, x, y);
    for (size_t i = 0; i < n; i++) {
        const surface_row *row = &c->rows.data[i];
        size_t at = 3 * (size_t)row->block;
        ccd_path path = {.y = vec3_load(x + at),
                         .p = vec3_load(direction + at),
                         .theta = vec3_load(x + at + 3),
                         .dtheta = vec3_load(direction + at + 3),
                         .arm = c->arms.data[i],
                         .curved = true};
        p[i] = vec3_sub(vec3_scale(1 / alpha, vec3_sub(ccd_path_at(&path, alpha), y[i])), drift);
        extra[i] = ccd_path_deviation(&path, 0, alpha);
    }
    broad_query q = {.y = y, .p = p, .alpha = alpha, .inflation = 0.01, .extra = extra};
    part_boxes_fill(parts, c, &q, x, direction, drift);
    size_t loose = 0;
    for (size_t i = 0; i < broad_parts_count(parts); i++) {
        size_t count;
        const int32_t *v = broad_parts_vertices(parts, i, &count);
        exact_box box = brute_box(&q, v, (int)count);
        part_box has = broad_parts_boxes(parts)[i];
        CHECK(has.low.x <= box.low[0] && has.low.y <= box.low[1] && has.low.z <= box.low[2]);
        CHECK(has.high.x >= box.high[0] && has.high.y >= box.high[1] && has.high.z >= box.high[2]);
        loose += has.high.x - has.low.x > 3 * (box.high[0] - box.low[0]) + 0.1;
    }
    CHECK(loose <= broad_parts_count(parts) / 10);
    mem_free(y);
    mem_free(p);
    mem_free(extra);
}

TEST(boxes_hold_the_paths_of_rigid_bodies)
{
    random_state r = {.state = 7};
    static world w;
    for (int i = 0; i < 4; i++)
        world_add(&w, i < 2 ? world_cube() : world_sphere(0.5), vec3_make(3.0 * i, 0, 0.3),
                  vec3_make(10 * i, 20, 30));
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.01);
    options.contact = true;
    options.contact_options = (contact_options){.dhat = 0.01};
    world_start(&w, &options, NULL, 0);
    CHECK(w.stepper->contact->parts != NULL);
    for (int n = 0; n < 200; n++)
        check_boxes(&w, w.stepper->contact->parts, &r, n % 2 == 0 ? 0.05 : 2);
    world_free(&w);
}

int main(void)
{
    RUN(pairs_are_those_of_the_trees);
    RUN(parts_are_of_one_body);
    RUN(boxes_hold_the_paths_of_rigid_bodies);
    return TEST_END();
}
