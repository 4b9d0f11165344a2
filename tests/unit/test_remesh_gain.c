/* What a split is worth at first sight, and patches without contact: against the same by finite
 * differences, and against the patch of all terms. */
#include "remesh/local_internal.h"
#include "remesh/memory.h"
#include "remesh/quick_patch.h"
#include "remesh/remesher.h"
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
    uint8_t fixed[7] = {1, 1, 1, 1, 1, 1, 1};
    quick_patch small = {0};
    size_t used = 0;
    CHECK_OK(quick_open(&small, &m, &q, &cells, fixed, 7, false, &err), err);
    CHECK(small.unknowns == 3 && small.free_vertices == 1);
    CHECK_OK(quick_relax(&small, 1, &found, &used, &err), err);
    CHECK(gain > 0 && used == 1);
    CHECK_NEAR(found, gain, 1e-2 * gain);
    CHECK_OK(quick_open(&small, &m, &q, &cells, fixed, 7, true, &err), err);
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

/* ---- contact of a mesh, noted by hand ---- */

enum { SURFACE = 5 }; /* the four vertices of a star in the plane, and one of another body */

/* A remesher of a star in the plane, whose surface touches what a test says. */
typedef struct touching {
    local_mesh mesh;
    remesh_problem problem;
    remesh_options options;
    remesher *r;
    model model;
    contact_term term;
    vec3 y[SURFACE];
    int32_t vertex_of_block[SURFACE];
    surface_row rows[SURFACE];
} touching;

static void touching_make(touching *t)
{
    abut_error err;
    local_list edges = {0};
    *t = (touching){.problem = make_problem()};
    make_star(2, &t->mesh);
    t->r = mem_calloc(1, sizeof *t->r);
    t->r->mesh = &t->mesh;
    t->r->problem = &t->problem;
    t->r->options = &t->options;
    t->r->contact = true;
    for (int i = 0; i < SURFACE; i++) {
        t->y[i] = i < 4 ? *local_field(&t->mesh, i, X) : (vec3){7, 7, 0};
        t->rows[i] = (surface_row){.kind = i < 4 ? ROW_NODE : ROW_RIGID, .block = i};
        t->vertex_of_block[i] = i;
    }
    t->model.surface.rows.data = t->rows;
    t->model.surface.rows.count = SURFACE;
    t->term.model = &t->model;
    t->term.y = t->y;
    t->term.options.dhat = 0.1;
    t->problem.kappa = 2e-3;
    t->problem.contact = &t->term;
    t->problem.vertex_of_block = t->vertex_of_block;
    CHECK_OK(local_mesh_edges(&t->mesh, &edges, &err), err);
    for (size_t i = 0; i < edges.count; i += 2)
        CHECK(edge_table_note(&t->r->edges, edges.data[i], edges.data[i + 1]));
    array_free(&edges);
}

static void touching_free(touching *t)
{
    array_free(&t->term.planes);
    array_free(&t->term.plane_contacts);
    for (int k = 0; k < STENCIL_LISTS; k++) array_free(&t->term.active.lists[k]);
    edge_table_free(&t->r->edges);
    array_free(&t->r->touched);
    array_free(&t->r->spread);
    array_free(&t->r->pushed);
    array_free(&t->r->middles);
    array_free(&t->r->star);
    mem_free(t->r->cell_energy);
    mem_free(t->r);
    local_mesh_free(&t->mesh);
}

static void touch_plane(touching *t, int32_t vertex, double distance)
{
    CHECK(array_push(&t->term.planes, (half_space){.normal = {0.6, 0.8, 0}}));
    CHECK(array_push(&t->term.plane_contacts,
                     (plane_contact){.vertex = vertex, .distance = distance, .weight = 3}));
}

/* Contact balances all other forces: what it does at a vertex is the slope of the potential there,
 * taken in the other direction. */
TEST(contact_balances_the_rest)
{
    touching t;
    abut_error err;
    touching_make(&t);
    touch_plane(&t, 2, 0.05);
    CHECK_OK(measure_contact_at(t.r, &t.term, t.vertex_of_block, &err), err);
    CHECK_OK(measure_middles(t.r, &err), err);
    vec3 *x = local_field(&t.mesh, 2, X), at = *x, found = t.r->spread.data[2].gradient;
    for (int i = 0; i < 2; i++) {
        double side[2], h = 1e-5;
        for (int k = 0; k < 2; k++) {
            *x = vec3_mul_add(at, k ? h : -h, (vec3){i == 0, i == 1, 0});
            side[k] = total_energy(&t.mesh, &t.problem);
        }
        *x = at;
        CHECK_NEAR(vec3_get(found, i), -(side[1] - side[0]) / (2 * h), 1e-5 * vec3_norm(found));
    }
    CHECK(vec3_norm(found) > 0 && vec3_norm(t.r->spread.data[3].gradient) == 0);
    touching_free(&t);
}

/* The stiffness of contact with a plane: the part of the barrier's second derivative along the
 * normal that the change of the force has. */
TEST(contact_is_as_stiff_as_its_barrier)
{
    touching t;
    abut_error err;
    double d = 0.03, shat = 0.01, h = 1e-7;
    touching_make(&t);
    touch_plane(&t, 1, d);
    CHECK_OK(measure_contact_at(t.r, &t.term, t.vertex_of_block, &err), err);
    barrier_kind kind = t.term.options.barrier;
    double second =
        (barrier_first(kind, d * d + h, shat) - barrier_first(kind, d * d - h, shat)) / (2 * h);
    mat3 hessian = t.r->spread.data[1].hessian;
    double trace = hessian.m[0][0] + hessian.m[1][1] + hessian.m[2][2];
    CHECK_NEAR(trace, 3 * t.problem.kappa * 4 * d * d * second, 1e-5 * trace);
    CHECK_NEAR(hessian.m[0][1], 0.48 * trace, 1e-12 * trace);
    touching_free(&t);
}

/* What pushes at an edge is divided among its halves. */
TEST(halves_share_what_pushes)
{
    touching t;
    abut_error err;
    touching_make(&t);
    touch_plane(&t, 2, 0.05);
    CHECK_OK(measure_contact_at(t.r, &t.term, t.vertex_of_block, &err), err);
    size_t count = t.r->edges.notes.count;
    CHECK(array_resize(&t.r->pushed, count));
    memset(t.r->pushed.data, 0, count * sizeof *t.r->pushed.data);
    t.r->pushed.data[edge_table_find(&t.r->edges, 0, 2) - t.r->edges.notes.data] = (vec3){4, -2, 0};
    local_change change;
    CHECK_OK(local_mesh_split(&t.mesh, 0, 2, &change, &err), err);
    CHECK(change.outcome == LOCAL_DONE);
    CHECK_OK(note_touched(t.r, change.vertex, 0, 2, &err), err);
    CHECK(is_touched(t.r, change.vertex) && edge_is_touched(t.r, change.vertex, 2));
    for (int32_t end = 0; end <= 2; end += 2) {
        const edge_note *half = edge_table_find(&t.r->edges, change.vertex, end);
        CHECK(half && (size_t)(half - t.r->edges.notes.data) < t.r->pushed.count);
        vec3 pushed = t.r->pushed.data[half - t.r->edges.notes.data];
        CHECK(pushed.x == 2 && pushed.y == -1);
    }
    touching_free(&t);
}

static uint8_t rank_of(const touching *t, int32_t a, int32_t b)
{
    return edge_table_find(&t->r->edges, a, b)->rank;
}

/* The energy of a pair is that of all its vertices together: one that has half of a pair stands
 * behind one that has three quarters as much against a plane. */
TEST(pairs_are_ranked_by_their_shares)
{
    touching t;
    abut_error err;
    touching_make(&t);
    for (int i = 0; i < 4; i++) /* nothing is strained */
        t.y[i] = *local_field(&t.mesh, i, X) = t.mesh.vertices.data[i].rest;
    t.options.split_threshold = 0.9;
    t.options.split_tolerance = 1;
    t.options.collapse_threshold = 0.1;
    t.y[4] = vec3_add(t.y[2], (vec3){0, 0.05, 0});
    CHECK(array_push(
        &t.term.active.lists[LIST_PP],
        (contact_stencil){.vertex = {2, 4, -1, -1}, .multiplicity = 4, .distance2 = 0.05 * 0.05}));
    touch_plane(&t, 3, 0.05);
    CHECK_OK(rank_edges(t.r, &err), err);
    CHECK(rank_of(&t, 0, 3) & RANK_TOP && rank_of(&t, 1, 3) & RANK_TOP);
    CHECK(!(rank_of(&t, 0, 2) & RANK_TOP) && !(rank_of(&t, 0, 1) & RANK_TOP));
    mem_free(t.r->cell_energy);
    /* the pair alone */
    array_clear(&t.term.plane_contacts);
    CHECK_OK(rank_edges(t.r, &err), err);
    CHECK(rank_of(&t, 0, 2) & RANK_TOP && rank_of(&t, 1, 2) & RANK_TOP);
    touching_free(&t);
}

/* A collapse that failed is tried again where the energy has become less, a swap where it has
 * become more. */
TEST(failures_are_remembered_until_there_is_more_to_gain)
{
    touching t;
    abut_error err;
    remesh_memory memory = {0};
    touching_make(&t);
    t.problem.memory = &memory;
    const queue_item item = {.a = 0, .b = 1};
    static const struct {
        operation what;
        double before; /* times what it is now */
        bool remembered;
    } cases[] = {{OPERATION_COLLAPSE, 2, false}, {OPERATION_COLLAPSE, 0.5, true},
                 {OPERATION_SWAP, 2, true},      {OPERATION_SWAP, 0.5, false},
                 {OPERATION_COLLAPSE, 1, true},  {OPERATION_SWAP, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t key;
        double strength = 0;
        is_remembered(t.r, cases[i].what, &item, &key, &strength);
        CHECK(key != 0 && strength > 0);
        CHECK_OK(remesh_memory_put(&memory, key, cases[i].before * strength, &err), err);
        CHECK(is_remembered(t.r, cases[i].what, &item, &key, &strength) == cases[i].remembered);
    }
    remesh_memory_free(&memory);
    touching_free(&t);
}

int main(void)
{
    RUN(contact_balances_the_rest);
    RUN(contact_is_as_stiff_as_its_barrier);
    RUN(halves_share_what_pushes);
    RUN(pairs_are_ranked_by_their_shares);
    RUN(failures_are_remembered_until_there_is_more_to_gain);
    RUN(middles_in_the_plane);
    RUN(middles_in_space);
    RUN(gain_is_what_the_patch_finds);
    RUN(memory_forgets_what_is_not_seen);
    return TEST_END();
}
