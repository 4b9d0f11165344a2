/* Filling outlines: areas, holes, and that triangles stay inside. */
#include "test.h"

#include "output/outline.h"

static double area_of(const flat_triangles *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        vec3 u = vec3_sub(t->data[i].corner[1], t->data[i].corner[0]);
        vec3 v = vec3_sub(t->data[i].corner[2], t->data[i].corner[0]);
        sum += 0.5 * (u.x * v.y - u.y * v.x);
    }
    return sum;
}

static size_t add_loop(vec3 (*lines)[2], size_t at, const vec3 *corner, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lines[at + i][0] = corner[i];
        lines[at + i][1] = corner[(i + 1) % count];
    }
    return at + count;
}

TEST(concave_with_a_hole)
{
    static const vec3 outer[] = {{0, 0, 0}, {4, 0, 0}, {4, 3, 0}, {2, 1.5, 0}, {0, 3, 0}};
    static const vec3 hole[] = {{0.5, 0.5, 0}, {0.5, 1, 0}, {1, 1, 0}, {1, 0.5, 0}};
    vec3 lines[9][2];
    size_t count = add_loop(lines, 0, outer, 5);
    flat_triangles inside = {0};
    CHECK(outline_fill((const vec3(*)[2])lines, count, &inside));
    CHECK_NEAR(area_of(&inside), 12 - 3, 1e-12); /* the notch is a triangle of 3 */
    count = add_loop(lines, count, hole, 4);
    array_clear(&inside);
    CHECK(outline_fill((const vec3(*)[2])lines, count, &inside));
    CHECK_NEAR(area_of(&inside), 9 - 0.25, 1e-12);
    for (size_t i = 0; i < inside.count; i++) CHECK(inside.data[i].line < count);
    array_free(&inside);
}

TEST(nothing)
{
    flat_triangles inside = {0};
    CHECK(outline_fill(NULL, 0, &inside) && inside.count == 0);
    array_free(&inside);
}

int main(void)
{
    RUN(concave_with_a_hole);
    RUN(nothing);
    return TEST_END();
}
