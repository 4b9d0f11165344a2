/* Ten thousand random operations on local meshes, many of them undone: topology, orientation,
 * volumes per attribute, areas per tag and per flag stay what they were; what is undone leaves the
 * mesh bit for bit as it was. */
#include "base/memory.h"
#include "mesh/generate.h"
#include "remesh/local_mesh.h"
#include "test.h"

enum { FIELDS = 3, OPERATIONS = 10000 };

static uint64_t random_state = 88172645463325252u;
static uint32_t draw(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % below;
}

/* A smooth map without inversions, and a linear one. */
static vec3 deformed(vec3 p, bool planar)
{
    return vec3_make(p.x + 0.15 * sin(2 * p.y) + 0.02 * p.z, 0.9 * p.y + 0.1 * sin(3 * p.x),
                     planar ? 0 : 1.1 * p.z + 0.1 * p.x * p.y);
}
static vec3 linear(vec3 p) { return vec3_make(p.x + 2 * p.y, 3 * p.y - p.z, p.x + p.z); }

/* Tag by the side of the box, attribute by the half, flag 1 on the side x = -1, flag 2 below. */
typedef struct box_case {
    local_mesh mesh;
    double area[7], flagged[2], volume[2];
    long euler;
} box_case;

static int32_t side_of(const vec3 *p, int count, double half_y, double half_z, int dimension)
{
    for (int axis = 0; axis < dimension; axis++)
        for (int sign = 0; sign < 2; sign++) {
            double at = (axis == 0 ? 1 : axis == 1 ? half_y : half_z) * (sign ? 1 : -1);
            bool all = true;
            for (int k = 0; k < count; k++)
                if (fabs(vec3_get(p[k], axis) - at) > 1e-9) all = false;
            if (all) return 1 + 2 * axis + sign;
        }
    return 0;
}

static void make_mesh(int dimension, mesh *out)
{
    abut_error err;
    if (dimension == 3) {
        CHECK_OK(generate_box(vec3_make(2, 1, 1), (int[]){4, 2, 2}, out, &err), err);
    } else {
        CHECK_OK(generate_grid(2, 1, (int[]){8, 4}, out, &err), err);
        /* From the x-z plane into x-y, with positive orientation. */
        mesh_transform(out, vec3_make(1, 1, 1), vec3_make(90, 0, 0), vec3_make(0, 0, 0));
        for (size_t i = 0; i < out->vertex_count; i++) out->vertices[i].z = 0;
        cell_block *b = &out->blocks[0];
        for (size_t i = 0; i < b->count; i++) {
            int32_t *v = b->nodes + 3 * i;
            vec3 p = out->vertices[v[0]], q = out->vertices[v[1]], r = out->vertices[v[2]];
            if ((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) > 0) continue;
            int32_t t = v[1];
            v[1] = v[2];
            v[2] = t;
        }
    }
}

static double facet_measure(const local_export *e, size_t facet)
{
    const int32_t *v = e->facets + facet * (size_t)e->dimension;
    vec3 along = vec3_sub(e->rest[v[1]], e->rest[v[0]]);
    if (e->dimension == 2) return vec3_norm(along);
    return 0.5 * vec3_norm(vec3_cross(along, vec3_sub(e->rest[v[2]], e->rest[v[0]])));
}

static double cell_measure(const local_export *e, size_t cell)
{
    const int32_t *v = e->cells + cell * (size_t)(e->dimension + 1);
    vec3 p = vec3_sub(e->rest[v[1]], e->rest[v[0]]), q = vec3_sub(e->rest[v[2]], e->rest[v[0]]);
    if (e->dimension == 2) return 0.5 * (p.x * q.y - p.y * q.x);
    return vec3_dot(vec3_cross(p, q), vec3_sub(e->rest[v[3]], e->rest[v[0]])) / 6;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

/* Vertices - edges + faces - cells, from the exported cells alone. */
static long euler_number(const local_export *e)
{
    size_t n = e->cell_count, corners = (size_t)e->dimension + 1;
    uint64_t *keys = mem_alloc(n * 6, sizeof *keys);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < corners; a++)
            for (size_t b = 0; b < a; b++) {
                uint32_t p = (uint32_t)e->cells[i * corners + a];
                uint32_t q = (uint32_t)e->cells[i * corners + b];
                keys[count++] = (uint64_t)(p < q ? p : q) << 32 | (p < q ? q : p);
            }
    qsort(keys, count, sizeof *keys, compare_u64);
    long edges = 0;
    for (size_t i = 0; i < count; i++) edges += i == 0 || keys[i] != keys[i - 1];
    mem_free(keys);
    if (e->dimension == 2) return (long)e->vertex_count - edges + (long)n;
    long faces = ((long)(4 * n) + (long)e->facet_count) / 2;
    return (long)e->vertex_count - edges + faces - (long)n;
}

static void measure(const local_mesh *m, box_case *out)
{
    local_export e;
    abut_error err;
    CHECK_OK(local_mesh_export(m, &e, &err), err);
    memset(out->area, 0, sizeof out->area);
    out->flagged[0] = out->flagged[1] = out->volume[0] = out->volume[1] = 0;
    for (size_t i = 0; i < e.facet_count; i++) {
        const int32_t *v = e.facets + i * (size_t)e.dimension;
        uint64_t common = ~(uint64_t)0;
        vec3 p[3];
        for (int k = 0; k < e.dimension; k++) {
            common &= e.flags[v[k]];
            p[k] = e.rest[v[k]];
        }
        double size = facet_measure(&e, i);
        out->area[e.facet_tags[i]] += size;
        for (int f = 0; f < 2; f++)
            if (common & 1u << f) out->flagged[f] += size;
        CHECK(side_of(p, e.dimension, 0.5, 0.5, e.dimension) == e.facet_tags[i]);
    }
    for (size_t i = 0; i < e.cell_count; i++) {
        out->volume[e.attribute[i]] += cell_measure(&e, i);
        vec3 center = {0};
        for (int k = 0; k <= e.dimension; k++)
            center = vec3_add(center, e.rest[e.cells[i * (size_t)(e.dimension + 1) + (size_t)k]]);
        CHECK((center.x < 0) == (e.attribute[i] == 0)); /* cells stay in their half */
    }
    /* The linear field is linear still. */
    for (size_t i = 0; i < e.vertex_count; i++)
        CHECK(vec3_norm(vec3_sub(e.fields[1][i], linear(e.rest[i]))) < 1e-12);
    out->euler = euler_number(&e);
    local_export_free(&e);
}

static void make_case(int dimension, box_case *out)
{
    mesh shape;
    abut_error err;
    make_mesh(dimension, &shape);
    const cell_block *cells = mesh_find(&shape, dimension == 3 ? CELL_TET : CELL_TRIANGLE);
    size_t n = shape.vertex_count, corners = (size_t)dimension + 1;
    vec3 *fields[FIELDS];
    for (int f = 0; f < FIELDS; f++) fields[f] = mem_alloc(n, sizeof(vec3));
    uint64_t *flags = mem_calloc(n, sizeof *flags);
    for (size_t i = 0; i < n; i++) {
        vec3 p = shape.vertices[i];
        fields[0][i] = deformed(p, dimension == 2);
        fields[1][i] = linear(p);
        fields[2][i] = p;
        if (fabs(p.x + 1) < 1e-9) flags[i] |= 1;
        if (fabs(p.y + 0.5) < 1e-9) flags[i] |= 2;
    }
    int32_t *attribute = mem_calloc(cells->count, sizeof *attribute);
    for (size_t i = 0; i < cells->count; i++)
        for (size_t k = 0; k < corners; k++)
            if (shape.vertices[cells->nodes[i * corners + k]].x > 1e-9) attribute[i] = 1;
    bool positions[FIELDS] = {true, false, true};
    local_definition def = {.dimension = dimension,
                            .vertex_count = n,
                            .cell_count = cells->count,
                            .rest = shape.vertices,
                            .cells = cells->nodes,
                            .attribute = attribute,
                            .flags = flags,
                            .field_count = FIELDS,
                            .fields = (const vec3 *const *)fields,
                            .is_position = positions};
    CHECK_OK(local_mesh_import(&out->mesh, &def, &err), err);
    /* Tags need the boundary: once more with those of all facets. */
    local_export e;
    CHECK_OK(local_mesh_export(&out->mesh, &e, &err), err);
    for (size_t i = 0; i < e.facet_count; i++) {
        vec3 p[3];
        for (int k = 0; k < dimension; k++) p[k] = e.rest[e.facets[i * (size_t)dimension + k]];
        e.facet_tags[i] = side_of(p, dimension, 0.5, 0.5, dimension);
    }
    def.facet_count = e.facet_count;
    def.facets = e.facets;
    def.facet_tags = e.facet_tags;
    local_mesh_free(&out->mesh);
    CHECK_OK(local_mesh_import(&out->mesh, &def, &err), err);
    local_export_free(&e);
    for (int f = 0; f < FIELDS; f++) mem_free(fields[f]);
    mem_free(flags);
    mem_free(attribute);
    mesh_free(&shape);
    measure(&out->mesh, out);
}

static void check_measures(const local_mesh *m, const box_case *start)
{
    box_case now = {0};
    measure(m, &now);
    for (int i = 0; i < 7; i++) CHECK_NEAR(now.area[i], start->area[i], 1e-11);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(now.flagged[i], start->flagged[i], 1e-11);
        CHECK_NEAR(now.volume[i], start->volume[i], 1e-11);
    }
    CHECK(now.euler == start->euler);
    abut_error err;
    CHECK_OK(local_mesh_check(m, &err), err);
}

/* A copy of all that operations may change. */
typedef struct snapshot {
    local_vertex *vertices;
    vec3 *fields;
    local_cell *cells;
    size_t vertex_count, cell_count;
} snapshot;

static snapshot take_snapshot(const local_mesh *m)
{
    snapshot s = {.vertex_count = m->vertices.count, .cell_count = m->cells.count};
    s.vertices = mem_alloc(m->vertices.count, sizeof *s.vertices);
    s.fields = mem_alloc(m->fields.count, sizeof *s.fields);
    s.cells = mem_alloc(m->cells.count, sizeof *s.cells);
    memcpy(s.vertices, m->vertices.data, m->vertices.count * sizeof *s.vertices);
    memcpy(s.fields, m->fields.data, m->fields.count * sizeof *s.fields);
    memcpy(s.cells, m->cells.data, m->cells.count * sizeof *s.cells);
    return s;
}

/* Links of dead cells are left over from the time when they died and mean nothing. */
static bool same_cell(const local_cell *a, const local_cell *b)
{
    if (a->alive != b->alive || memcmp(a->vertex, b->vertex, sizeof a->vertex) != 0 ||
        memcmp(a->facet, b->facet, sizeof a->facet) != 0 || a->attribute != b->attribute ||
        a->origin != b->origin)
        return false;
    return !a->alive || (memcmp(a->next, b->next, sizeof a->next) == 0 &&
                         memcmp(a->before, b->before, sizeof a->before) == 0);
}

static bool same_vertex(const local_vertex *a, const local_vertex *b)
{
    return a->alive == b->alive && memcmp(&a->rest, &b->rest, sizeof a->rest) == 0 &&
           a->flags == b->flags && a->origin == b->origin && a->first == b->first;
}

static bool is_same(const local_mesh *m, const snapshot *s)
{
    if (m->vertices.count != s->vertex_count || m->cells.count != s->cell_count) return false;
    for (size_t i = 0; i < s->vertex_count; i++)
        if (!same_vertex(&m->vertices.data[i], &s->vertices[i])) return false;
    for (size_t i = 0; i < s->cell_count; i++)
        if (!same_cell(&m->cells.data[i], &s->cells[i])) return false;
    return memcmp(m->fields.data, s->fields, m->fields.count * sizeof *s->fields) == 0;
}

static void free_snapshot(snapshot *s)
{
    mem_free(s->vertices);
    mem_free(s->fields);
    mem_free(s->cells);
}

enum { SPLIT, COLLAPSE, SWAP, SMOOTH, KINDS };

static int32_t living_cell(const local_mesh *m)
{
    for (;;) {
        int32_t cell = (int32_t)draw((uint32_t)m->cells.count);
        if (m->cells.data[cell].alive) return cell;
    }
}

static int random_operation(local_mesh *m, size_t living, local_change *change)
{
    abut_error err;
    int32_t cell = living_cell(m);
    int corners = local_corners(m), i = (int)draw((uint32_t)corners);
    int k = (i + 1 + (int)draw((uint32_t)corners - 1)) % corners;
    int32_t a = m->cells.data[cell].vertex[i], b = m->cells.data[cell].vertex[k];
    /* Around a target size: more splits when there are few cells, more collapses with many. */
    uint32_t split_share = living < 400 ? 40 : living < 1500 ? 25 : 5;
    uint32_t dice = draw(100);
    int kind = dice < split_share ? SPLIT : dice < 65 ? COLLAPSE : dice < 90 ? SWAP : SMOOTH;
    bool improve = draw(2) == 0;
    switch (kind) {
    case SPLIT: CHECK_OK(local_mesh_split(m, a, b, change, &err), err); break;
    case COLLAPSE: CHECK_OK(local_mesh_collapse(m, a, b, change, &err), err); break;
    case SWAP: CHECK_OK(local_mesh_swap_edge(m, a, b, improve, change, &err), err); break;
    default: CHECK_OK(local_mesh_smooth(m, a, change, &err), err);
    }
    return kind;
}

static size_t count_living(const local_mesh *m)
{
    size_t living = 0;
    for (size_t i = 0; i < m->cells.count; i++) living += m->cells.data[i].alive;
    return living;
}

static void run_operations(int dimension)
{
    box_case c = {0};
    make_case(dimension, &c);
    c.mesh.min_quality = 0.05;
    int done[KINDS] = {0}, undone = 0, refused = 0;
    size_t living = count_living(&c.mesh);
    snapshot before = take_snapshot(&c.mesh);
    local_mark mark = local_mesh_mark(&c.mesh);
    int group = 1 + (int)draw(12);
    for (int n = 0; n < OPERATIONS; n++) {
        local_change change;
        int kind = random_operation(&c.mesh, living, &change);
        if (change.outcome == LOCAL_DONE) {
            done[kind]++;
            if (draw(3) == 0) {
                /* A relaxation that moves something, which is undone as well. */
                abut_error err;
                int32_t v = c.mesh.cells.data[living_cell(&c.mesh)].vertex[0];
                vec3 x = *local_field(&c.mesh, v, 2);
                CHECK_OK(local_mesh_set_field(&c.mesh, v, 2, vec3_scale(1 + 1e-9, x), &err), err);
            }
        } else {
            refused++;
            CHECK(change.vertex == -1);
        }
        if (n % 200 == 0) check_measures(&c.mesh, &c);
        if (--group > 0) continue;
        if (draw(2) == 0) { /* the whole group is taken back */
            local_mesh_rollback(&c.mesh, mark);
            CHECK(is_same(&c.mesh, &before));
            undone++;
        } else {
            local_mesh_commit(&c.mesh);
            free_snapshot(&before);
            before = take_snapshot(&c.mesh);
        }
        mark = local_mesh_mark(&c.mesh);
        group = 1 + (int)draw(12);
        living = count_living(&c.mesh);
    }
    check_measures(&c.mesh, &c);
    printf("  %dD: %d splits, %d collapses, %d swaps, %d smoothed, %d refused, %d groups undone, "
           "%zu cells\n",
           dimension, done[SPLIT], done[COLLAPSE], done[SWAP], done[SMOOTH], refused, undone,
           count_living(&c.mesh));
    for (int k = 0; k < KINDS; k++) CHECK(done[k] > 50);
    CHECK(undone > 100);
    free_snapshot(&before);
    local_mesh_free(&c.mesh);
}

TEST(operations_in_space) { run_operations(3); }
TEST(operations_in_the_plane) { run_operations(2); }

/* The same seed gives the same mesh. */
TEST(order_is_deterministic)
{
    snapshot first = {0};
    for (int pass = 0; pass < 2; pass++) {
        box_case c = {0};
        make_case(3, &c);
        random_state = 12345;
        for (int n = 0; n < 500; n++) {
            local_change change;
            random_operation(&c.mesh, count_living(&c.mesh), &change);
        }
        if (pass == 0)
            first = take_snapshot(&c.mesh);
        else
            CHECK(is_same(&c.mesh, &first));
        local_mesh_free(&c.mesh);
    }
    free_snapshot(&first);
}

/* Coarsening a refined box ends near the coarsest mesh that the box has. */
TEST(collapses_remove_what_splits_added)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        box_case c = {0};
        abut_error err;
        make_case(dimension, &c);
        local_list edges = {0};
        size_t removed = 1;
        while (removed > 0) {
            removed = 0;
            array_clear(&edges);
            CHECK_OK(local_mesh_edges(&c.mesh, &edges, &err), err);
            for (size_t i = 0; i + 1 < edges.count; i += 2) {
                local_change change;
                CHECK_OK(
                    local_mesh_collapse(&c.mesh, edges.data[i], edges.data[i + 1], &change, &err),
                    err);
                removed += change.outcome == LOCAL_DONE;
            }
            local_mesh_commit(&c.mesh);
        }
        check_measures(&c.mesh, &c);
        local_export e;
        CHECK_OK(local_mesh_export(&c.mesh, &e, &err), err);
        /* Corners of the box and of the interface in its middle. */
        CHECK(e.vertex_count <= (dimension == 2 ? 8u : 20u));
        CHECK(!e.nested);
        local_export_free(&e);
        array_free(&edges);
        local_mesh_free(&c.mesh);
    }
}

TEST(splits_are_nested)
{
    box_case c = {0};
    abut_error err;
    make_case(3, &c);
    local_list edges = {0};
    CHECK_OK(local_mesh_edges(&c.mesh, &edges, &err), err);
    for (size_t i = 0; i + 1 < edges.count; i += 6) {
        local_change change;
        CHECK_OK(local_mesh_split(&c.mesh, edges.data[i], edges.data[i + 1], &change, &err), err);
        CHECK(change.outcome == LOCAL_DONE);
    }
    local_export e;
    CHECK_OK(local_mesh_export(&c.mesh, &e, &err), err);
    CHECK(e.nested);
    /* Every cell lies in its origin: volumes of the children add up. */
    double *volume = mem_calloc(c.mesh.imported_cells, sizeof *volume);
    for (size_t i = 0; i < e.cell_count; i++) volume[e.cell_origin[i]] += cell_measure(&e, i);
    for (size_t i = 0; i < c.mesh.imported_cells; i++)
        CHECK_NEAR(volume[i], local_cell_volume(&c.mesh, (int32_t)i, -1), 1e-15);
    mem_free(volume);
    local_export_free(&e);
    array_free(&edges);
    local_mesh_free(&c.mesh);
}

static abut_status import_tets(size_t vertices, const vec3 *rest, size_t cells, const int32_t *tets,
                               abut_error *err)
{
    local_mesh m;
    local_definition def = {
        .dimension = 3, .vertex_count = vertices, .cell_count = cells, .rest = rest, .cells = tets};
    abut_status status = local_mesh_import(&m, &def, err);
    if (status == ABUT_OK) local_mesh_free(&m);
    return status;
}

TEST(bad_meshes_are_refused)
{
    abut_error err;
    vec3 p[] = {{0, 0, 0},  {1, 0, 0},     {0, 1, 0},   {0, 0, 1},
                {0, 0, -1}, {0.3, 0.3, 2}, {-1, -1, -1}};
    int32_t good[] = {0, 1, 2, 3, 0, 2, 1, 4};
    CHECK_OK(import_tets(7, p, 2, good, &err), err);
    int32_t overlapping[] = {0, 1, 2, 3, 0, 1, 2, 5};
    CHECK(import_tets(7, p, 2, overlapping, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "same side") != NULL);
    int32_t three[] = {0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5};
    CHECK(import_tets(7, p, 3, three, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "share a facet") != NULL);
    int32_t inverted[] = {0, 2, 1, 3};
    CHECK(import_tets(7, p, 1, inverted, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "flat or inverted") != NULL);
    int32_t missing[] = {0, 1, 2, 9};
    CHECK(import_tets(7, p, 1, missing, &err) == ABUT_ERROR_INPUT);
}

/* Cells that hang together in a point or an edge only: the place stays as it is, everything around
 * it can change. */
static void check_pinched(size_t vertices, const vec3 *rest, const int32_t *tets, int pinched)
{
    local_mesh m;
    abut_error err;
    local_definition def = {
        .dimension = 3, .vertex_count = vertices, .cell_count = 2, .rest = rest, .cells = tets};
    CHECK_OK(local_mesh_import(&m, &def, &err), err);
    double before = local_cell_volume(&m, 0, -1) + local_cell_volume(&m, 1, -1), after = 0;
    for (size_t i = 0; i < vertices; i++) CHECK(m.vertices.data[i].pinched == ((int)i < pinched));
    int done[3] = {0};
    for (int i = 0; i < 600; i++) {
        local_list edges = {0};
        local_change change;
        CHECK_OK(local_mesh_edges(&m, &edges, &err), err);
        size_t at = 2 * draw((uint32_t)(edges.count / 2));
        int32_t a = edges.data[at], b = edges.data[at + 1];
        array_free(&edges);
        int what = i % 3;
        if (what == 0) CHECK_OK(local_mesh_split(&m, a, b, &change, &err), err);
        if (what == 1) CHECK_OK(local_mesh_collapse(&m, a, b, &change, &err), err);
        if (what == 2) CHECK_OK(local_mesh_swap_edge(&m, a, b, false, &change, &err), err);
        done[what] += change.outcome == LOCAL_DONE;
        CHECK_OK(local_mesh_check(&m, &err), err);
    }
    for (int what = 0; what < 3; what++) CHECK(done[what] > 5);
    for (int i = 0; i < pinched; i++) CHECK(m.vertices.data[i].alive && m.vertices.data[i].pinched);
    for (size_t i = 0; i < m.cells.count; i++)
        if (m.cells.data[i].alive) after += local_cell_volume(&m, (int32_t)i, -1);
    CHECK_NEAR(after, before, 1e-12);
    local_mesh_free(&m);
}

TEST(pinched_places_stay)
{
    const vec3 apart[] = {{0, 0, 0},  {1, 0, 0},  {0, 1, 0}, {0, 0, 1},
                          {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    check_pinched(7, apart, (int32_t[]){0, 1, 2, 3, 0, 5, 4, 6}, 1);
    const vec3 hinge[] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0.5, 1, 0}, {-1, 0, 0}, {-0.5, -1, 0}};
    check_pinched(6, hinge, (int32_t[]){0, 2, 3, 1, 0, 4, 5, 1}, 2);
}

/* Areas of the facets of the top with tag 1, and with all vertices flagged. */
static void measure_corner(const local_mesh *m, double area[2])
{
    local_export e;
    abut_error err;
    CHECK_OK(local_mesh_export(m, &e, &err), err);
    area[0] = area[1] = 0;
    for (size_t i = 0; i < e.facet_count; i++) {
        const int32_t *v = e.facets + 3 * i;
        if (e.facet_tags[i] == 1) area[0] += facet_measure(&e, i);
        if (e.flags[v[0]] & e.flags[v[1]] & e.flags[v[2]] & 1) area[1] += facet_measure(&e, i);
    }
    local_export_free(&e);
}

/* A quarter of the top has a tag of its own, or its vertices have a flag: the border of both has a
 * corner within a flat side, which no collapse moves. */
TEST(bent_borders_stay)
{
    for (int flagged = 0; flagged < 2; flagged++) {
        mesh shape;
        abut_error err;
        CHECK_OK(generate_box(vec3_make(1, 1, 1), (const int[]){4, 2, 4}, &shape, &err), err);
        const cell_block *cells = mesh_find(&shape, CELL_TET);
        uint64_t *flags = mem_calloc(shape.vertex_count, sizeof *flags);
        for (size_t i = 0; flagged && i < shape.vertex_count; i++) {
            vec3 p = shape.vertices[i];
            flags[i] = p.y > 0.49 && p.x > -1e-9 && p.z > -1e-9;
        }
        local_definition def = {.dimension = 3,
                                .vertex_count = shape.vertex_count,
                                .cell_count = cells->count,
                                .rest = shape.vertices,
                                .cells = cells->nodes,
                                .flags = flags};
        local_mesh m;
        local_export e;
        CHECK_OK(local_mesh_import(&m, &def, &err), err);
        CHECK_OK(local_mesh_export(&m, &e, &err), err);
        for (size_t i = 0; i < e.facet_count; i++) {
            vec3 c = {0};
            for (int k = 0; k < 3; k++)
                c = vec3_mul_add(c, 1.0 / 3, e.rest[e.facets[3 * i + (size_t)k]]);
            e.facet_tags[i] = !flagged && c.y > 0.49 && c.x > 0 && c.z > 0;
        }
        def.facet_count = e.facet_count;
        def.facets = e.facets;
        def.facet_tags = e.facet_tags;
        local_mesh_free(&m);
        CHECK_OK(local_mesh_import(&m, &def, &err), err);
        local_export_free(&e);
        double before[2], after[2];
        measure_corner(&m, before);
        CHECK_NEAR(before[flagged], 0.25, 1e-12);
        local_list edges = {0};
        CHECK_OK(local_mesh_edges(&m, &edges, &err), err);
        int done = 0;
        for (size_t i = 0; i + 1 < edges.count; i += 2)
            for (int side = 0; side < 2; side++) {
                local_change change;
                local_mark mark = local_mesh_mark(&m);
                int32_t a = edges.data[i + (size_t)side], b = edges.data[i + 1 - (size_t)side];
                CHECK_OK(local_mesh_collapse(&m, a, b, &change, &err), err);
                if (change.outcome != LOCAL_DONE) continue;
                done++;
                measure_corner(&m, after);
                for (int k = 0; k < 2; k++) CHECK_NEAR(after[k], before[k], 1e-12);
                local_mesh_rollback(&m, mark);
            }
        CHECK(done > 20);
        array_free(&edges);
        local_mesh_free(&m);
        mem_free(flags);
        mesh_free(&shape);
    }
}

int main(void)
{
    RUN(bent_borders_stay);
    RUN(operations_in_space);
    RUN(operations_in_the_plane);
    RUN(order_is_deterministic);
    RUN(collapses_remove_what_splits_added);
    RUN(splits_are_nested);
    RUN(bad_meshes_are_refused);
    RUN(pinched_places_stay);
    return TEST_END();
}
