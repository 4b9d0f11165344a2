/* The connected pieces of a mesh. */
#include "mesh/components.h"

#include "base/memory.h"
#include "mesh/generate.h"
#include "test.h"

static abut_error err;

/* Two boxes, a wire and a vertex of no cell. */
static mesh pieces(void)
{
    mesh all, more;
    CHECK_OK(generate_box((vec3){1, 1, 1}, (const int[3]){1, 1, 1}, &all, &err), err);
    CHECK_OK(generate_box((vec3){2, 2, 2}, (const int[3]){2, 1, 1}, &more, &err), err);
    mesh_transform(&more, (vec3){1, 1, 1}, (vec3){0}, (vec3){5, 0, 0});
    CHECK_OK(mesh_append(&all, &more, &err), err);
    mesh_free(&more);
    CHECK_OK(generate_polyline((vec3){0, 9, 0}, (vec3){1, 9, 0}, 3, &more, &err), err);
    CHECK_OK(mesh_append(&all, &more, &err), err);
    mesh_free(&more);
    CHECK_OK(mesh_init(&more, 1, &err), err);
    more.vertices[0] = (vec3){7, 7, 7};
    CHECK_OK(mesh_append(&all, &more, &err), err);
    mesh_free(&more);
    return all;
}

TEST(counts)
{
    size_t count;
    mesh all = pieces();
    CHECK_OK(mesh_count_components(&all, &count, &err), err);
    CHECK(count == 3);
    mesh_free(&all);
    CHECK_OK(generate_lattice((const int[3]){2, 3, 1}, (vec3){1, 1, 1}, &all, &err), err);
    CHECK_OK(mesh_count_components(&all, &count, &err), err);
    CHECK(count == 6);
    mesh_free(&all);
}

TEST(splits)
{
    static const struct {
        size_t vertices, cells;
        double low_x, high_x;
    } expected[] = {{8, 6, -0.5, 0.5}, {12, 12, 4, 6}, {4, 3, 0, 1}};
    for (size_t k = 0; k < 3; k++) {
        mesh whole = pieces();
        mesh_pieces split;
        CHECK_OK(mesh_split(&whole, &split, &err), err);
        CHECK(split.count == 3);
        mesh_free(&whole);
        mesh all = split.meshes[k];
        CHECK(all.vertex_count == expected[k].vertices && all.block_count == 1);
        CHECK(all.blocks[0].count == expected[k].cells);
        vec3 low, high;
        mesh_bounds(&all, &low, &high);
        CHECK_NEAR(low.x, expected[k].low_x, 1e-12);
        CHECK_NEAR(high.x, expected[k].high_x, 1e-12);
        CHECK_OK(mesh_validate(&all, &err), err);
        mesh_pieces_free(&split);
    }
}

int main(void)
{
    RUN(counts);
    RUN(splits);
    return TEST_END();
}
