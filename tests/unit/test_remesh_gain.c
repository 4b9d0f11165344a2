/* What a split is worth at first sight, and patches without contact: against the same by finite
 * differences, and against the patch of all terms. */
#include "remesh/local_internal.h"
#include "remesh/memory.h"
#include "remesh/quick_patch.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { X, PREDICTOR, FIELDS };

static uint64_t state = 88172645463325252u;

static double draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0 - 0.5;
}

static const remesh_material rubber = {
    .material = {.model = ELASTIC_NEO_HOOKEAN, .mu = 3e3, .lambda = 5e3}, .density = 1000};
static const remesh_traction pull = {.flag = 3, .traction = {20, -300, 50}};

static remesh_problem make_problem(void)
{
    return (remesh_problem){.material_count = 1,
                            .materials = &rubber,
                            .mass_factor = 1,
                            .force_factor = 1e-4,
                            .gravity = {1, -9.81, 2},
                            .traction_count = 1,
                            .tractions = &pull,
                            .field_x = X,
                            .field_predictor = PREDICTOR,
                            .field_start = -1,
                            .tolerance = 1e-12};
}

/* Cells around an edge, randomly strained: tets around the edge 0 1, or two triangles. */
static void make_star(int dimension, local_mesh *out)
{
    enum { RING = 5 };
    vec3 rest[RING + 2] = {{0, 0, -0.5}, {0, 0, 0.5}}, x[RING + 2], predictor[RING + 2];
    int32_t cells[4 * RING];
    uint64_t flags[RING + 2];
    size_t vertices = 4, count = 2;
    if (dimension == 3) {
        vertices = RING + 2;
        count = RING;
        for (int k = 0; k < RING; k++) {
            double angle = 6.283185307179586 * k / RING;
            rest[k + 2] = (vec3){cos(angle), sin(angle), 0.1 * k};
            int32_t cell[4] = {0, 1, 2 + k, 2 + (k + 1) % RING};
            memcpy(cells + 4 * k, cell, sizeof cell);
        }
    } else {
        rest[0] = (vec3){0, -0.5, 0};
        rest[1] = (vec3){0, 0.5, 0};
        rest[2] = (vec3){1, 0.1, 0};
        rest[3] = (vec3){-0.8, 0, 0};
        int32_t two[6] = {0, 2, 1, 1, 3, 0};
        memcpy(cells, two, sizeof two);
    }
    for (size_t i = 0; i < vertices; i++) {
        flags[i] = i % 2 ? 1u << 3 : (1u << 3 | 1u);
        x[i] = vec3_add(rest[i], vec3_scale(0.3, (vec3){draw(), draw(), draw()}));
        predictor[i] = vec3_add(x[i], vec3_scale(0.01, (vec3){draw(), draw(), draw()}));
        if (dimension == 2) x[i].z = predictor[i].z = 0;
    }
    const vec3 *fields[FIELDS] = {x, predictor};
    bool position[FIELDS] = {true, false};
    local_definition def = {.dimension = dimension,
                            .vertex_count = vertices,
                            .cell_count = count,
                            .rest = rest,
                            .cells = cells,
                            .flags = flags,
                            .field_count = FIELDS,
                            .fields = fields,
                            .is_position = position};
    abut_error err;
    CHECK_OK(local_mesh_import(out, &def, &err), err);
}

static double total_energy(const local_mesh *m, const remesh_problem *q)
{
    double sum = 0;
    for (size_t i = 0; i < m->cells.count; i++)
        if (m->cells.data[i].alive) sum += quick_cell_energy(m, q, (int32_t)i);
    return sum;
}

static middle_terms measure(const local_mesh *m, const remesh_problem *q)
{
    middle_terms sum = {0};
    for (size_t i = 0; i < m->cells.count; i++) {
        const local_cell *c = &m->cells.data[i];
        cell_terms terms;
        cell_terms_make(m, q, (int32_t)i, &terms);
        cell_terms_middle(m, &terms, local_corner_of(m, c, 0), local_corner_of(m, c, 1), &sum);
    }
    return sum;
}

/* Without a split: the derivatives are those of the split mesh with respect to its new vertex. */
static void compare_with_split(int dimension)
{
    local_mesh m = {0};
    remesh_problem q = make_problem();
    abut_error err;
    make_star(dimension, &m);
    middle_terms terms = measure(&m, &q);
    double before = total_energy(&m, &q);
    local_change change;
    CHECK_OK(local_mesh_split(&m, 0, 1, &change, &err), err);
    CHECK(change.outcome == LOCAL_DONE);
    double split = total_energy(&m, &q), h = 1e-5;
    CHECK_NEAR(split, before, 1e-12 * fabs(before) + 1e-15);
    vec3 *x = local_field(&m, change.vertex, X), at = *x;
    for (int i = 0; i < dimension; i++) {
        double side[2];
        for (int k = 0; k < 2; k++) {
            vec3 off = {i == 0, i == 1, i == 2};
            *x = vec3_mul_add(at, k ? h : -h, off);
            side[k] = total_energy(&m, &q);
        }
        *x = at;
        double slope = (side[1] - side[0]) / (2 * h);
        double curve = (side[1] + side[0] - 2 * split) / (h * h);
        CHECK_NEAR(slope, vec3_get(terms.gradient, i), 1e-5 * vec3_norm(terms.gradient));
        /* The Hessian is projected, so it may be larger. */
        CHECK(terms.hessian.m[i][i] > curve - 2e-2 * fabs(curve));
    }
    local_mesh_free(&m);
}

TEST(middles_in_the_plane)
{
    for (int k = 0; k < 20; k++) compare_with_split(2);
}

TEST(middles_in_space)
{
    for (int k = 0; k < 20; k++) compare_with_split(3);
}

/* The gain promised is what a small step of Newton finds, where the energy is nearly quadratic. */
TEST(gain_is_what_the_patch_finds)
{
    local_mesh m = {0};
    remesh_problem q = make_problem();
    q.force_factor = 1e-9; /* inertia rules */
    abut_error err;
    make_star(3, &m);
    middle_terms terms = measure(&m, &q);
    double gain = middle_gain(&terms, 0), found;
    CHECK(middle_gain(&terms, 7) == 0 && middle_gain(&terms, 1) <= gain);
    local_change change;
    CHECK_OK(local_mesh_split(&m, 0, 1, &change, &err), err);
    local_list cells = {0};
    for (size_t i = 0; i < m.cells.count; i++)
        if (m.cells.data[i].alive) CHECK(array_push(&cells, (int32_t)i));
    uint8_t held[7] = {1, 1, 1, 1, 1, 1, 1};
    quick_patch small = {0};
    size_t used = 0;
    CHECK_OK(quick_open(&small, &m, &q, &cells, held, 7, false, &err), err);
    CHECK(small.unknowns == 3 && small.free_vertices == 1);
    CHECK_OK(quick_relax(&small, 1, &found, &used, &err), err);
    CHECK(gain > 0 && used == 1);
    CHECK_NEAR(found, gain, 1e-2 * gain);
    CHECK_OK(quick_open(&small, &m, &q, &cells, held, 7, true, &err), err);
    CHECK(small.unknowns == 3); /* inside */
    /* All vertices but those that flags hold find more. */
    uint8_t axes[64] = {7};
    q.flag_axes = axes;
    CHECK_OK(quick_open(&small, &m, &q, &cells, NULL, 0, false, &err), err);
    CHECK(small.free_vertices == 4);
    double more;
    CHECK_OK(quick_relax(&small, 1, &more, &used, &err), err);
    CHECK(more > found);
    quick_patch_free(&small);
    array_free(&cells);
    local_mesh_free(&m);
}

TEST(memory_forgets_what_is_not_seen)
{
    remesh_memory m = {0};
    abut_error err;
    CHECK(remesh_memory_find(&m, 5) == NULL);
    for (uint64_t k = 1; k <= 1000; k++)
        CHECK_OK(remesh_memory_put(&m, k * 977, (double)k, &err), err);
    CHECK(m.count == 1000);
    remesh_memory_begin(&m);
    for (uint64_t k = 1; k <= 1000; k += 2) {
        const double *found = remesh_memory_find(&m, k * 977);
        CHECK(found && *found == (double)k);
    }
    CHECK_OK(remesh_memory_put(&m, 977, -1, &err), err);
    CHECK_OK(remesh_memory_end(&m, &err), err);
    CHECK(m.count == 500 && !remesh_memory_find(&m, 2 * 977));
    CHECK(*remesh_memory_find(&m, 977) == -1);
    remesh_memory_list list = {0};
    CHECK_OK(remesh_memory_write(&m, &list, &err), err);
    CHECK(list.keys.count == 500 && list.strengths.count == 500);
    array_free(&list.keys);
    array_free(&list.strengths);
    remesh_memory_free(&m);
}

int main(void)
{
    RUN(middles_in_the_plane);
    RUN(middles_in_space);
    RUN(gain_is_what_the_patch_finds);
    RUN(memory_forgets_what_is_not_seen);
    return TEST_END();
}
