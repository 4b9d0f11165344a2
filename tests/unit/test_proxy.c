/* Collision surfaces of bodies of any order: sampling, finding, given maps, and what they do to
 * forces. */
#include "base/memory.h"
#include "base/random.h"
#include "body/proxy.h"
#include "body/solid.h"
#include "fem/change_order.h"
#include "mesh/generate.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"
#include "test.h"

static vec3 bent(vec3 x)
{
    return (vec3){x.x + 0.1 * x.y * x.y, x.y + 0.08 * x.x * x.z, x.z - 0.06 * x.x * x.x};
}

/* A box of tets of order q, bent where q > 1, and its nodes of order p. */
static void make_box(int cells, int p, int q, mesh *shape, mesh *nodes)
{
    mesh box;
    abut_error err;
    CHECK_OK(generate_box((vec3){1, 1, 1}, (int[3]){cells, cells, cells}, &box, &err), err);
    CHECK_OK(mesh_change_order(&box, q, shape, NULL, &err), err);
    for (size_t v = 0; q > 1 && v < shape->vertex_count; v++)
        shape->vertices[v] = bent(shape->vertices[v]);
    CHECK_OK(mesh_change_order(shape, p, nodes, NULL, &err), err);
    mesh_free(&box);
}

static vec3 row_times(const proxy *s, size_t v, const vec3 *x)
{
    vec3 sum = {0};
    for (size_t k = s->row_start.data[v]; k < s->row_start.data[v + 1]; k++)
        sum = vec3_mul_add(sum, s->weight.data[k], x[s->node.data[k]]);
    return sum;
}

static void check_rows(const proxy *s, const mesh *nodes, bool reproduces, double tolerance)
{
    CHECK(s->row_start.count == s->vertices.count + 1);
    for (size_t v = 0; v < s->vertices.count; v++) {
        double sum = 0;
        for (size_t k = s->row_start.data[v]; k < s->row_start.data[v + 1]; k++)
            sum += s->weight.data[k];
        CHECK_NEAR(sum, 1, 1e-12);
        if (!reproduces) continue;
        vec3 d = vec3_sub(row_times(s, v, nodes->vertices), s->vertices.data[v]);
        CHECK(vec3_norm(d) < tolerance);
    }
}

/* Closed, consistently oriented, outward: every edge once in each direction, positive volume. */
static void check_closed(const proxy *s)
{
    size_t corners = 3 * s->triangles.count;
    CHECK(2 * s->edges.count == corners);
    CHECK(s->vertices.count == s->triangles.count / 2 + 2);
    double volume = 0;
    for (size_t t = 0; t < s->triangles.count; t++) {
        const int32_t *n = s->triangles.data[t];
        volume += vec3_dot(s->vertices.data[n[0]],
                           vec3_cross(s->vertices.data[n[1]], s->vertices.data[n[2]])) /
                  6;
    }
    CHECK(volume > 0.5 && volume < 20);
}

TEST(boundary_is_sampled)
{
    for (int p = 1; p <= 4; p++)
        for (int q = 1; q <= 4; q++)
            for (int segments = 1; segments <= 9; segments += 4) {
                mesh shape, nodes;
                make_box(1, p, q, &shape, &nodes);
                proxy s;
                abut_error err;
                CHECK_OK(proxy_of_boundary(&shape, &nodes, 3, segments, 0, &s, &err), err);
                CHECK(s.triangles.count == 12u * (unsigned)(segments * segments));
                check_closed(&s);
                check_rows(&s, &nodes, p >= q, 1e-13);
                size_t most = 0; /* only the nodes of a face */
                for (size_t v = 0; v < s.vertices.count; v++)
                    most = (size_t)fmax((double)most,
                                        (double)(s.row_start.data[v + 1] - s.row_start.data[v]));
                CHECK(most <= (size_t)((p + 1) * (p + 2) / 2));
                proxy_free(&s);
                mesh_free(&shape);
                mesh_free(&nodes);
            }
}

TEST(published_counts)
{
    /* The bending beam: 8 unit cubes, nine segments per edge. */
    mesh beam;
    abut_error err;
    proxy s;
    CHECK_OK(generate_box((vec3){1, 8, 1}, (int[3]){1, 8, 1}, &beam, &err), err);
    CHECK_OK(proxy_of_boundary(&beam, &beam, 3, 9, 0, &s, &err), err);
    CHECK(s.vertices.count == 2756);
    CHECK(s.triangles.count == 5508);
    proxy_free(&s);
    mesh_free(&beam);
    const char *folder = test_data_folder();
    if (!folder) return;
    char path[4096];
    snprintf(path, sizeof path, "%s/high-order-ipc/meshes/sphere/P4-coarse.msh", folder);
    mesh ball, nodes;
    CHECK_OK(mesh_read(path, NULL, &ball, &err), err);
    CHECK_OK(mesh_change_order(&ball, 2, &nodes, NULL, &err), err);
    CHECK_OK(proxy_of_boundary(&ball, &nodes, 3, 9, 0, &s, &err), err);
    CHECK(s.vertices.count == 1217);
    CHECK(s.triangles.count == 2430);
    double off = 0; /* the quartic ball is nearly round */
    for (size_t v = 0; v < s.vertices.count; v++)
        off = fmax(off, fabs(vec3_norm(s.vertices.data[v]) - 1));
    CHECK(off < 0.01);
    check_rows(&s, &nodes, false, 0);
    proxy_free(&s);
    mesh_free(&ball);
    mesh_free(&nodes);
}

TEST(edges_are_short_enough)
{
    mesh shape, nodes;
    make_box(1, 2, 3, &shape, &nodes);
    for (double limit = 2; limit > 0.05; limit *= 0.6) {
        proxy s;
        abut_error err;
        CHECK_OK(proxy_of_boundary(&shape, &nodes, 3, 1, limit, &s, &err), err);
        double longest = 0;
        for (size_t e = 0; e < s.edges.count; e++)
            longest = fmax(longest, vec3_norm(vec3_sub(s.vertices.data[s.edges.data[e][0]],
                                                       s.vertices.data[s.edges.data[e][1]])));
        CHECK(longest <= limit);
        CHECK(longest > 0.4 * limit || s.triangles.count == 12);
        proxy_free(&s);
    }
    proxy s;
    abut_error err;
    CHECK(proxy_of_boundary(&shape, &nodes, 3, 1, 1e-5, &s, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "segments per edge") != NULL);
    mesh_free(&shape);
    mesh_free(&nodes);
}

/* Nodes are rows of their own where a sample is a node: linear bodies are as without a proxy. */
TEST(nodes_stay_nodes)
{
    mesh shape, nodes;
    make_box(2, 2, 1, &shape, &nodes);
    model m = {0};
    abut_error err;
    solid_definition def = {.shape = &shape,
                            .nodes = &nodes,
                            .density = 1000,
                            .material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.3)};
    CHECK_OK(model_add_solid(&m, "box", &def, &err), err);
    CHECK_OK(model_finish(&m, &err), err);
    CHECK(!m.surface.general);
    CHECK(m.surface.triangles.count == 3 * 6 * 2 * 4 * 4);
    CHECK(m.sets.count == 1 && m.sets.data[0].count == 48);
    double mass = 0, load = 0;
    for (size_t i = 0; i < m.mass.count; i++) {
        CHECK(m.mass.data[i] > 0);
        mass += m.mass.data[i];
        load += m.load_mass.data[i];
    }
    CHECK_NEAR(mass, 1000, 1e-9);
    CHECK_NEAR(load, 1000, 1e-9);
    model_free(&m);
    mesh_free(&nodes);
    mesh_free(&shape);
}

typedef int32_t triple[3];

/* Each triangle begins at its lowest block; then they are sorted. */
static int compare_triples(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

static size_t list_triangles(const model *m, triple *out)
{
    const collision_surface *s = &m->surface;
    size_t count = s->triangles.count / 3;
    for (size_t t = 0; t < count; t++) {
        int32_t n[3];
        for (size_t k = 0; k < 3; k++) n[k] = s->rows.data[s->triangles.data[3 * t + k]].block;
        size_t low = n[0] < n[1] && n[0] < n[2] ? 0 : n[1] < n[2] ? 1 : 2;
        for (size_t k = 0; k < 3; k++) out[t][k] = n[(low + k) % 3];
    }
    qsort(out, count, sizeof *out, compare_triples);
    return count;
}

/* With order 1 and one segment per edge the sampled boundary is that of the mesh, and W selects:
 * the same as without a surface of its own, which another part of the program makes. */
TEST(linear_bodies_with_their_boundary_are_plain_ones)
{
    enum { MOST = 400 };
    static triple triangles[2][MOST];
    mesh shape, nodes;
    make_box(3, 1, 1, &shape, &nodes);
    proxy sampled, *surfaces[2] = {NULL, &sampled};
    abut_error err;
    CHECK_OK(proxy_of_boundary(&shape, &nodes, 3, 1, 0, &sampled, &err), err);
    size_t counts[2], edges[2];
    for (int k = 0; k < 2; k++) {
        model m = {0};
        solid_definition def = {.shape = &shape,
                                .nodes = &nodes,
                                .density = 1000,
                                .surface = surfaces[k],
                                .segments = 1,
                                .material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.3)};
        CHECK_OK(model_add_solid(&m, "box", &def, &err), err);
        CHECK_OK(model_finish(&m, &err), err);
        CHECK(!m.surface.general); /* every vertex is a node, with the weight 1 and no offset */
        for (size_t i = 0; i < m.surface.rows.count; i++)
            CHECK(m.surface.rows.data[i].kind == ROW_NODE);
        CHECK(m.surface.triangles.count <= 3 * MOST);
        counts[k] = list_triangles(&m, triangles[k]);
        edges[k] = m.surface.edges.count;
        model_free(&m);
    }
    CHECK(counts[0] == counts[1] && counts[0] == 6 * 2 * 9 && edges[0] == edges[1]);
    CHECK(memcmp(triangles[0], triangles[1], counts[0] * sizeof **triangles) == 0);
    proxy_free(&sampled);
    mesh_free(&nodes);
    mesh_free(&shape);
}

/* A rest position that the weights do not give is kept by an offset; motions have none. */
TEST(offsets_keep_the_rest_shape)
{
    mesh shape, nodes;
    make_box(1, 1, 4, &shape, &nodes);
    model m = {0};
    abut_error err;
    solid_definition def = {.shape = &shape,
                            .nodes = &nodes,
                            .density = 1000,
                            .segments = 5,
                            .material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.3)};
    proxy s;
    CHECK_OK(proxy_of_boundary(&shape, &nodes, 3, 5, 0, &s, &err), err);
    CHECK_OK(model_add_solid(&m, "box", &def, &err), err);
    CHECK_OK(model_finish(&m, &err), err);
    size_t count = m.surface.rows.count;
    CHECK(count == s.vertices.count);
    vec3 *y = mem_alloc(count, sizeof *y), *p = mem_alloc(count, sizeof *p);
    double *x = mem_alloc(3 * m.rest.count, sizeof *x);
    memcpy(x, m.rest.data, 3 * m.rest.count * sizeof *x);
    collision_surface_positions(&m.surface, x, y);
    for (size_t v = 0; v < count; v++) CHECK(vec3_norm(vec3_sub(y[v], s.vertices.data[v])) < 1e-14);
    for (size_t i = 0; i < m.rest.count; i++) vec3_store(x + 3 * i, (vec3){1, 2, 3});
    collision_surface_directions(&m.surface, x, p);
    for (size_t v = 0; v < count; v++) CHECK(vec3_norm(vec3_sub(p[v], (vec3){1, 2, 3})) < 1e-13);
    mem_free(x);
    mem_free(y);
    mem_free(p);
    proxy_free(&s);
    model_free(&m);
    mesh_free(&nodes);
    mesh_free(&shape);
}

/* A sphere inside and around boxes of several orders: affine motions are reproduced for p >= q,
 * inside and extrapolated. */
TEST(surfaces_are_found)
{
    for (int p = 1; p <= 3; p++)
        for (int q = 1; q <= 3; q++)
            for (int around = 0; around < 2; around++) {
                mesh shape, nodes, sphere;
                abut_error err;
                make_box(2, p, q, &shape, &nodes);
                CHECK_OK(generate_icosphere(around ? 0.6 : 0.35, 2, &sphere, &err), err);
                proxy s;
                CHECK_OK(proxy_of_surface(&shape, &nodes, 3, &sphere, &s, &err), err);
                CHECK(s.vertices.count == sphere.vertex_count);
                CHECK(s.triangles.count == sphere.blocks[0].count);
                CHECK(around ? s.outside > 0 : s.outside == 0);
                if (around) CHECK(s.farthest > 0.05 && s.farthest < 0.2);
                check_rows(&s, &nodes, p >= q, 1e-9);
                CHECK(s.largest_weight < 20.1);
                if (!around) CHECK(p > 1 || s.largest_weight < 1 + 1e-8);
                proxy_free(&s);
                mesh_free(&sphere);
                mesh_free(&shape);
                mesh_free(&nodes);
            }
}

/* Far away, high orders extrapolate wildly: the nearest point of the cells serves instead. */
TEST(far_vertices_do_not_explode)
{
    mesh shape, nodes, sphere;
    abut_error err;
    make_box(1, 4, 1, &shape, &nodes);
    CHECK_OK(generate_icosphere(5, 1, &sphere, &err), err);
    proxy s;
    CHECK_OK(proxy_of_surface(&shape, &nodes, 3, &sphere, &s, &err), err);
    CHECK(s.outside == sphere.vertex_count);
    CHECK(s.largest_weight < 20.1);
    CHECK(s.farthest > 3);
    proxy_free(&s);
    mesh_free(&sphere);
    mesh_free(&shape);
    mesh_free(&nodes);
}

TEST(maps_are_checked)
{
    mesh shape, nodes, sphere;
    abut_error err;
    make_box(1, 1, 1, &shape, &nodes);
    CHECK_OK(generate_icosphere(0.3, 0, &sphere, &err), err);
    int32_t row[12], column[12];
    double value[12];
    for (int k = 0; k < 12; k++) {
        row[k] = k;
        column[k] = k % 8;
        value[k] = 1;
    }
    proxy_map map = {12, 8, 12, row, column, value};
    proxy s;
    CHECK_OK(proxy_of_map(&nodes, &sphere, &map, &s, &err), err);
    CHECK(s.vertices.count == 12 && s.node.count == 12 && s.node.data[9] == 1);
    proxy_free(&s);
    map.columns = 9;
    CHECK(proxy_of_map(&nodes, &sphere, &map, &s, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "9 columns") && strstr(err.message, "8 nodes"));
    map.columns = 8;
    value[3] = NAN;
    CHECK(proxy_of_map(&nodes, &sphere, &map, &s, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "not a number") != NULL);
    value[3] = 0.5;
    CHECK(proxy_of_map(&nodes, &sphere, &map, &s, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "vertex 3 sum to 0.5") != NULL);
    value[3] = 1;
    column[5] = 8;
    CHECK(proxy_of_map(&nodes, &sphere, &map, &s, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "(5, 8)") != NULL);
    mesh_free(&sphere);
    mesh_free(&shape);
    mesh_free(&nodes);
}

/* Inverted curved cells are listed. */
TEST(bad_cells_are_listed)
{
    mesh shape, nodes;
    make_box(2, 2, 2, &shape, &nodes);
    const cell_block *tets = mesh_find(&shape, CELL_TET);
    int32_t middle = tets->nodes[7 * 10 + 4];
    shape.vertices[middle] = shape.vertices[tets->nodes[7 * 10]];
    model m = {0};
    abut_error err;
    solid_definition def = {.shape = &shape,
                            .nodes = &nodes,
                            .density = 1000,
                            .material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.3)};
    CHECK(model_add_solid(&m, "box", &def, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(strstr(err.message, "of 48 cells") && strstr(err.message, "7"));
    model_free(&m);
    mesh_free(&shape);
    mesh_free(&nodes);
}

TEST(no_memory)
{
    mesh shape, nodes, sphere;
    abut_error err;
    make_box(1, 2, 2, &shape, &nodes);
    CHECK_OK(generate_icosphere(0.6, 0, &sphere, &err), err);
    for (int64_t fail = 0; fail < 40; fail++) {
        proxy s;
        mem_fail_after(fail);
        abut_status status = fail % 2 ? proxy_of_boundary(&shape, &nodes, 3, 3, 0, &s, &err)
                                      : proxy_of_surface(&shape, &nodes, 3, &sphere, &s, &err);
        CHECK(mem_failure_happened() == (status == ABUT_ERROR_MEMORY));
        mem_fail_after(-1);
        if (status == ABUT_OK) proxy_free(&s);
    }
    mesh_free(&sphere);
    mesh_free(&shape);
    mesh_free(&nodes);
}

int main(void)
{
    RUN(boundary_is_sampled);
    RUN(published_counts);
    RUN(edges_are_short_enough);
    RUN(nodes_stay_nodes);
    RUN(linear_bodies_with_their_boundary_are_plain_ones);
    RUN(offsets_keep_the_rest_shape);
    RUN(surfaces_are_found);
    RUN(far_vertices_do_not_explode);
    RUN(maps_are_checked);
    RUN(bad_cells_are_listed);
    RUN(no_memory);
    return TEST_END();
}
