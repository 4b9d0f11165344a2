/* Cook's membrane: the adaptive mesh reaches the converged displacement and potential from both
 * diagonals of a coarse mesh, and the criterion's bookkeeping agrees with the potential of the
 * whole mesh. Lengths in mm, forces in N. */
#include "base/memory.h"
#include "base/parallel.h"
#include "remesh/criterion.h"
#include "test.h"

enum { FIELD_X, FIELD_PREDICTOR, FIELDS };
enum { FLAG_FIXED, FLAG_LOADED };

static const double TIP_UY = 13.6, POTENTIAL = -8.07; /* limit of uniform refinement */

static vec3 membrane(double s, double t)
{
    /* left side 44 high, right side from 44 to 60 */
    double low = 44 * s, high = 44 + 16 * s;
    return vec3_make(48 * s, low + t * (high - low), 0);
}

/* n x n quads, cut along one diagonal or the other. */
static void make_membrane(int n, bool other, local_mesh *out)
{
    size_t vertices = (size_t)((n + 1) * (n + 1)), cells = (size_t)(2 * n * n);
    vec3 *rest = mem_alloc(vertices, sizeof *rest);
    uint64_t *flags = mem_calloc(vertices, sizeof *flags);
    int32_t *tri = mem_alloc(3 * cells, sizeof *tri);
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            size_t v = (size_t)(j * (n + 1) + i);
            rest[v] = membrane((double)i / n, (double)j / n);
            if (i == 0) flags[v] |= 1u << FLAG_FIXED;
            if (i == n) flags[v] |= 1u << FLAG_LOADED;
        }
    size_t at = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 2, d = a + n + 1;
            /* Top left to bottom right as in the published scene, or the other one. */
            int32_t cut[2][6] = {{a, b, d, b, c, d}, {a, b, c, a, c, d}};
            memcpy(tri + at, cut[other], sizeof cut[other]);
            at += 6;
        }
    const vec3 *fields[FIELDS] = {rest, rest};
    bool positions[FIELDS] = {true, false};
    local_definition def = {.dimension = 2,
                            .vertex_count = vertices,
                            .cell_count = cells,
                            .rest = rest,
                            .cells = tri,
                            .flags = flags,
                            .field_count = FIELDS,
                            .fields = fields,
                            .is_position = positions};
    abut_error err;
    CHECK_OK(local_mesh_import(out, &def, &err), err);
    mem_free(rest);
    mem_free(flags);
    mem_free(tri);
}

static remesh_material material;
static const uint8_t axes[64] = {[FLAG_FIXED] = 7};
static const remesh_traction traction = {.flag = FLAG_LOADED, .traction = {0, 1.0 / 16, 0}};

static remesh_problem make_problem(void)
{
    material = (remesh_material){.material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1.0985, 0.3),
                                 .density = 1};
    return (remesh_problem){.material_count = 1,
                            .materials = &material,
                            .mass_factor = 0,
                            .force_factor = 1,
                            .traction_count = 1,
                            .tractions = &traction,
                            .flag_axes = axes,
                            .field_x = FIELD_X,
                            .field_predictor = FIELD_PREDICTOR,
                            .field_start = -1,
                            .tolerance = 1e-6};
}

static vec3 tip(const local_mesh *m)
{
    for (size_t i = 0; i < m->vertices.count; i++) {
        const local_vertex *v = &m->vertices.data[i];
        if (v->alive && fabs(v->rest.x - 48) < 1e-9 && fabs(v->rest.y - 60) < 1e-9)
            return vec3_sub(*local_field(m, (int32_t)i, FIELD_X), v->rest);
    }
    return (vec3){0};
}

static double load(const local_mesh *m)
{
    double sum = 0; /* u . f, to go from f . x to f . u */
    for (size_t i = 0; i < m->cells.count; i++) {
        const local_cell *c = &m->cells.data[i];
        for (int k = 0; c->alive && k < 3; k++) {
            const local_vertex *a = &m->vertices.data[c->vertex[(k + 1) % 3]];
            const local_vertex *b = &m->vertices.data[c->vertex[(k + 2) % 3]];
            if (c->facet[k] >= 0 && flag_sets_have(m->flags, a->flags, FLAG_LOADED) &&
                flag_sets_have(m->flags, b->flags, FLAG_LOADED))
                sum += traction.traction.y * vec3_norm(vec3_sub(a->rest, b->rest)) * 0.5 *
                       (a->rest.y + b->rest.y);
        }
    }
    return sum;
}

/* The potential in terms of displacements, as in the table. */
static double solve(local_mesh *m, const remesh_problem *q)
{
    double potential;
    abut_error err;
    CHECK_OK(remesh_potential(m, q, true, &potential, &err), err);
    return potential + load(m);
}

TEST(uniform_meshes_agree_with_the_table)
{
    const struct {
        int n;
        bool other;
        double ux, uy, norm, potential;
    } rows[] = {{2, false, -5.725, 8.957, 10.630, -4.71744},
                {4, false, -9.764, 11.731, 15.263, -6.57797},
                {8, false, -12.164, 12.995, 17.800, -7.55708},
                {16, false, -13.175, 13.421, 18.807, -7.91289},
                {4, true, 0, 0, 9.421, -4.29926},
                {16, true, 0, 0, 17.407, -7.38195}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        local_mesh m;
        remesh_problem q = make_problem();
        make_membrane(rows[i].n, rows[i].other, &m);
        double potential = solve(&m, &q);
        vec3 u = tip(&m);
        CHECK_NEAR(potential, rows[i].potential, 2e-5);
        CHECK_NEAR(vec3_norm(u), rows[i].norm, 1e-3);
        if (rows[i].ux != 0) {
            CHECK_NEAR(u.x, rows[i].ux, 1e-3);
            CHECK_NEAR(u.y, rows[i].uy, 1e-3);
        }
        local_mesh_free(&m);
    }
}

static double solve_adaptive(bool other, const remesh_options *options, int rounds, vec3 *u,
                             size_t *vertices)
{
    local_mesh m;
    remesh_problem q = make_problem();
    make_membrane(4, other, &m);
    double potential = solve(&m, &q);
    for (int round = 0; round < rounds; round++) {
        remesh_report report;
        abut_error err;
        double before = potential;
        CHECK_OK(remesh_step(&m, &q, options, NULL, &report, &err), err);
        CHECK_OK(local_mesh_check(&m, &err), err);
        double not_relaxed;
        CHECK_OK(remesh_potential(&m, &q, false, &not_relaxed, &err), err);
        /* What the patches gained is what the whole has gained. */
        double gained = report.split.gained + report.collapse.gained + report.swap.gained +
                        report.smooth.gained;
        CHECK_NEAR(before - gained, not_relaxed + load(&m), 1e-8);
        potential = solve(&m, &q);
        CHECK(potential <= before + 1e-6);
        printf(
            "  round %d: %zu splits of %zu, %zu collapses of %zu, %zu swaps of %zu, %zu smoothed, "
            "%zu vertices, potential %.5f, tip %.3f, %zu iterations, %.2f s\n",
            round, report.split.accepted, report.split.tried, report.collapse.accepted,
            report.collapse.tried, report.swap.accepted, report.swap.tried, report.smooth.accepted,
            report.vertices_after, potential, tip(&m).y, report.newton_iterations, report.seconds);
        *vertices = report.vertices_after;
        if (report.split.accepted + report.swap.accepted == 0) break;
    }
    *u = tip(&m);
    local_mesh_free(&m);
    return potential;
}

TEST(adaptive_meshes_reach_the_limit)
{
    remesh_options options = remesh_default_options();
    options.swap = options.smooth = true;
    options.split_tolerance = 3e-5; /* N mm */
    options.split_threshold = 0;    /* no culling */
    options.quality_tolerance = 0;
    for (int other = 0; other < 2; other++) {
        vec3 u;
        size_t vertices;
        double potential = solve_adaptive(other, &options, 3, &u, &vertices);
        CHECK_NEAR(u.y, TIP_UY, 0.01 * TIP_UY);
        CHECK_NEAR(potential, POTENTIAL, -0.01 * POTENTIAL);
        /* The uniform grid of 1089 vertices has -8.022 or, with the other diagonal, -7.858. */
        CHECK(vertices < 800);
        CHECK(potential < -8.022);
    }
}

/* A smaller tolerance costs vertices and buys accuracy, of a solution that is known. */
TEST(tolerance_is_the_knob)
{
    double error = INFINITY;
    size_t vertices = 0;
    for (double tolerance = 1e-2; tolerance > 1e-5; tolerance /= 10) {
        remesh_options options = remesh_default_options();
        options.swap = options.smooth = true;
        options.split_tolerance = tolerance;
        options.split_threshold = options.quality_tolerance = 0;
        vec3 u;
        size_t more;
        double off = solve_adaptive(false, &options, 2, &u, &more) - POTENTIAL;
        CHECK(off > 0 && off < 0.7 * error && more > vertices);
        error = off;
        vertices = more;
    }
    CHECK(error < 0.01 * fabs(POTENTIAL));
}

/* Candidates are fewer, the rule is the same: what is kept pays by more than the tolerance. */
TEST(culling_only_leaves_out)
{
    remesh_report report[2];
    for (int culled = 0; culled < 2; culled++) {
        local_mesh m;
        remesh_problem q = make_problem();
        remesh_options options = remesh_default_options();
        abut_error err;
        options.split_tolerance = 1e-3;
        options.split_threshold = culled ? 0.95 : 0;
        make_membrane(8, false, &m);
        solve(&m, &q);
        CHECK_OK(remesh_step(&m, &q, &options, NULL, &report[culled], &err), err);
        const remesh_count *s = &report[culled].split;
        CHECK(s->accepted > 0 && s->gained > (double)s->accepted * options.split_tolerance);
        local_mesh_free(&m);
    }
    CHECK(report[1].split.candidates < report[0].split.candidates / 4);
    CHECK(report[1].split.accepted < report[0].split.accepted);
}

/* Batches of patches give the same mesh for any number of threads. */
TEST(threads_do_not_matter)
{
    local_export first = {0};
    for (int threads = 1; threads <= 4; threads++) {
        local_mesh m;
        local_export e;
        remesh_problem q = make_problem();
        remesh_options options = remesh_default_options();
        remesh_report report;
        abut_error err;
        options.split_threshold = 0.2;
        options.swap = options.smooth = true;
        make_membrane(6, false, &m);
        parallel_set_threads(1);
        solve(&m, &q);
        parallel_set_threads(threads);
        CHECK_OK(remesh_step(&m, &q, &options, NULL, &report, &err), err);
        CHECK_OK(local_mesh_export(&m, &e, &err), err);
        local_mesh_free(&m);
        if (threads == 1) {
            first = e;
            CHECK(report.split.accepted > 20 && report.swap.accepted > 5);
            continue;
        }
        CHECK(e.vertex_count == first.vertex_count && e.cell_count == first.cell_count);
        if (e.vertex_count == first.vertex_count && e.cell_count == first.cell_count) {
            CHECK(memcmp(e.rest, first.rest, e.vertex_count * sizeof *e.rest) == 0);
            CHECK(memcmp(e.cells, first.cells, 3 * e.cell_count * sizeof *e.cells) == 0);
            for (int f = 0; f < FIELDS; f++)
                CHECK(memcmp(e.fields[f], first.fields[f], e.vertex_count * sizeof(vec3)) == 0);
        }
        local_export_free(&e);
    }
    local_export_free(&first);
}

int main(void)
{
    RUN(uniform_meshes_agree_with_the_table);
    RUN(adaptive_meshes_reach_the_limit);
    RUN(tolerance_is_the_knob);
    RUN(culling_only_leaves_out);
    RUN(threads_do_not_matter);
    return TEST_END();
}
