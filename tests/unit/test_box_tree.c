/* The tree over boxes against plain loops. */
#include "test.h"

#include "base/random.h"
#include "geometry/box_tree.h"

#include <string.h>

enum { MOST = 700 };

static abut_error err;

static vec3 random_point(random_state *r, double size)
{
    return (vec3){random_range(r, -size, size), random_range(r, -size, size),
                  random_range(r, -size, size)};
}

typedef struct query {
    const box_tree *t;
    vec3 v;
    int asked;
} query;

static double distance_of(const void *context, size_t i)
{
    query *q = (query *)context;
    const tree_box *b = &q->t->boxes.data[i];
    q->asked++;
    return vec3_norm(vec3_sub(q->v, vec3_max(b->low, vec3_min(b->high, q->v))));
}

static void fill(box_tree *t, random_state *r, int count)
{
    for (int i = 0; i < count; i++) {
        vec3 low = random_point(r, 1), size = random_point(r, 0.05);
        tree_box box = {vec3_min(low, vec3_add(low, size)), vec3_max(low, vec3_add(low, size))};
        if (i % 5 == 0) box.high = box.low; /* points, and many alike */
        if (i % 7 == 0) box = t->boxes.count ? t->boxes.data[0] : box;
        CHECK(array_push(&t->boxes, box));
    }
    CHECK_OK(box_tree_build(t, &err), err);
}

TEST(the_tree_finds_what_loops_find)
{
    static const int counts[] = {0, 1, 4, 5, 9, 64, 333, MOST};
    random_state r = {3};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        box_tree t = {0};
        box_list found = {0};
        fill(&t, &r, counts[c]);
        for (int k = 0; k < 60; k++) {
            vec3 low = random_point(&r, 1.2), high = vec3_add(low, (vec3){0.2, 0.3, 0.1});
            CHECK_OK(box_tree_find(&t, low, high, &found, &err), err);
            size_t at = 0;
            for (int i = 0; i < counts[c]; i++) {
                const tree_box *b = &t.boxes.data[i];
                bool meets = b->low.x <= high.x && low.x <= b->high.x && b->low.y <= high.y &&
                             low.y <= b->high.y && b->low.z <= high.z && low.z <= b->high.z;
                if (meets) CHECK(at < found.count && found.data[at++] == i);
            }
            CHECK(at == found.count);
            query q = {&t, low, 0};
            double nearest = box_tree_nearest(&t, low, distance_of, &q), plain = INFINITY;
            int asked = q.asked;
            for (int i = 0; i < counts[c]; i++) plain = fmin(plain, distance_of(&q, (size_t)i));
            CHECK(nearest == plain);
            CHECK(counts[c] < 300 || asked < counts[c] / 3);
        }
        array_free(&found);
        box_tree_free(&t);
    }
}

int main(void)
{
    RUN(the_tree_finds_what_loops_find);
    return TEST_END();
}
