#include "remesh/surround.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Facets over more boxes of the grid than this are kept in a list. */
enum { MAX_BOXES = 64, MAX_QUERY_BOXES = 4096 };

static void add_point(surround_box *box, vec3 p)
{
    box->low = vec3_min(box->low, p);
    box->high = vec3_max(box->high, p);
}

void surround_add_vertex(const surround *s, int32_t vertex, surround_box *box)
{
    const remesh_problem *p = s->problem;
    add_point(box, *local_field(s->mesh, vertex, p->field_x));
    if (p->field_start >= 0) add_point(box, *local_field(s->mesh, vertex, p->field_start));
    if (p->field_safe > 0) add_point(box, *local_field(s->mesh, vertex, p->field_safe));
}

static surround_box facet_box(const surround *s, surround_kind kind, int32_t facet)
{
    surround_box box = surround_empty();
    const local_mesh *m = s->mesh;
    if (kind == SURROUND_LOCAL) {
        const local_cell *c = &m->cells.data[facet / 4];
        for (int k = 0; k <= m->dimension; k++)
            if (k != facet % 4) surround_add_vertex(s, c->vertex[k], &box);
        return box;
    }
    const collision_surface *surface = &s->problem->scene->surface;
    int count = kind == SURROUND_TRIANGLE ? 3 : kind == SURROUND_EDGE ? 2 : 1;
    for (int k = 0; k < count; k++) {
        size_t at = (size_t)count * (size_t)facet + (size_t)k;
        int32_t v = kind == SURROUND_TRIANGLE ? surface->triangles.data[at]
                    : kind == SURROUND_EDGE   ? surface->edges.data[at]
                                              : facet;
        add_point(&box, s->now[v]);
        add_point(&box, s->start[v]);
    }
    return box;
}

typedef struct grid_range {
    int64_t low[3], high[3];
    double boxes; /* number; not exact for very many */
} grid_range;

static grid_range range_of(const surround *s, const surround_box *box)
{
    grid_range r = {.boxes = 1};
    for (int axis = 0; axis < 3; axis++) {
        double low = floor(vec3_get(box->low, axis) / s->size);
        double high = floor(vec3_get(box->high, axis) / s->size);
        r.boxes *= high - low + 1;
        r.low[axis] = fabs(low) < 1e15 ? (int64_t)low : 0;
        r.high[axis] = fabs(high) < 1e15 ? (int64_t)high : 0;
    }
    return r;
}

static uint64_t hash_box(int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 29)) + (uint64_t)y * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 31)) + (uint64_t)z * 0x94D049BB133111EBu;
    return h ^ (h >> 32);
}

static abut_status rehash(surround *s, size_t slots, abut_error *err)
{
    if (!array_resize(&s->slots, slots)) return error_memory(err, "sorting facets");
    memset(s->slots.data, 0xff, slots * sizeof *s->slots.data);
    for (size_t i = 0; i < s->entries.count; i++) {
        surround_entry *e = &s->entries.data[i];
        int32_t *slot = &s->slots.data[e->box & (slots - 1)];
        e->next = *slot;
        *slot = (int32_t)i;
    }
    return ABUT_OK;
}

static abut_status enter_facet(surround *s, surround_kind kind, int32_t facet, abut_error *err)
{
    surround_box box = facet_box(s, kind, facet);
    grid_range r = range_of(s, &box);
    if (!(r.boxes <= MAX_BOXES)) {
        if (!array_push(&s->large, (int32_t)kind) || !array_push(&s->large, facet))
            return error_memory(err, "sorting facets");
        return ABUT_OK;
    }
    for (int64_t z = r.low[2]; z <= r.high[2]; z++)
        for (int64_t y = r.low[1]; y <= r.high[1]; y++)
            for (int64_t x = r.low[0]; x <= r.high[0]; x++) {
                if (s->entries.count >= s->slots.count) TRY(rehash(s, 2 * s->slots.count, err));
                uint64_t hash = hash_box(x, y, z);
                int32_t *slot = &s->slots.data[hash & (s->slots.count - 1)];
                surround_entry e = {hash, facet, (int32_t)kind, *slot};
                if (!array_push(&s->entries, e)) return error_memory(err, "sorting facets");
                *slot = (int32_t)s->entries.count - 1;
            }
    return ABUT_OK;
}

abut_status surround_enter(surround *s, int32_t cell, abut_error *err)
{
    const local_cell *c = &s->mesh->cells.data[cell];
    for (int k = 0; k <= s->mesh->dimension; k++)
        if (c->facet[k] >= 0) TRY(enter_facet(s, SURROUND_LOCAL, 4 * cell + k, err));
    return ABUT_OK;
}

/* --- the scene's surface -------------------------------------------------------------------- */

static uint64_t edge_key(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

/* Marks the edges that belong to triangles: those come with them. */
static abut_status mark_edges(surround *s, abut_error *err)
{
    const collision_surface *surface = &s->problem->scene->surface;
    size_t triangles = surface->triangles.count / 3, edges = surface->edges.count / 2;
    s->in_triangle = mem_calloc(edges + 1, 1);
    uint64_t *keys = mem_alloc(3 * triangles + 1, sizeof *keys);
    if (!keys || !s->in_triangle) {
        mem_free(keys);
        return error_memory(err, "sorting facets");
    }
    for (size_t t = 0; t < triangles; t++)
        for (size_t k = 0; k < 3; k++)
            keys[3 * t + k] = edge_key(surface->triangles.data[3 * t + k],
                                       surface->triangles.data[3 * t + (k + 1) % 3]);
    qsort(keys, 3 * triangles, sizeof *keys, compare_uint64);
    bool ok = array_resize(&s->edges, edges);
    for (size_t e = 0; ok && e < edges; e++) {
        uint64_t key = edge_key(surface->edges.data[2 * e], surface->edges.data[2 * e + 1]);
        s->edges.data[e] = (scene_edge){key, (int32_t)e};
        s->in_triangle[e] =
            bsearch(&key, keys, 3 * triangles, sizeof *keys, compare_uint64) != NULL;
    }
    mem_free(keys);
    if (!ok) return error_memory(err, "sorting facets");
    if (edges > 0) qsort(s->edges.data, edges, sizeof *s->edges.data, compare_uint64);
    return ABUT_OK;
}

int32_t surround_scene_edge(const surround *s, int32_t a, int32_t b)
{
    uint64_t key = edge_key(a, b);
    const scene_edge *found = s->edges.count > 0 ? bsearch(&key, s->edges.data, s->edges.count,
                                                           sizeof *found, compare_uint64)
                                                 : NULL;
    return found ? found->edge : -1;
}

static bool is_remeshed(const surround *s, int32_t vertex)
{
    return s->problem->remeshed[s->problem->scene->surface.vertex_body.data[vertex]] != 0;
}

static abut_status enter_scene(surround *s, abut_error *err)
{
    const collision_surface *surface = &s->problem->scene->surface;
    for (size_t i = 0; i < surface->triangles.count / 3; i++)
        if (!is_remeshed(s, surface->triangles.data[3 * i]))
            TRY(enter_facet(s, SURROUND_TRIANGLE, (int32_t)i, err));
    for (size_t i = 0; i < surface->edges.count / 2; i++)
        if (!is_remeshed(s, surface->edges.data[2 * i]) && !s->in_triangle[i])
            TRY(enter_facet(s, SURROUND_EDGE, (int32_t)i, err));
    for (size_t i = 0; i < surface->rows.count; i++)
        if (!is_remeshed(s, (int32_t)i) && !surface->vertex_on_edge.data[i])
            TRY(enter_facet(s, SURROUND_POINT, (int32_t)i, err));
    return ABUT_OK;
}

/* Boxes of twice the mean extent of the facets of the local mesh. */
static double choose_size(const surround *s)
{
    const local_mesh *m = s->mesh;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < m->cells.count; i++)
        for (int k = 0; m->cells.data[i].alive && k <= m->dimension; k++) {
            if (m->cells.data[i].facet[k] < 0) continue;
            surround_box box = facet_box(s, SURROUND_LOCAL, (int32_t)(4 * i) + k);
            sum += vec3_max_abs(vec3_sub(box.high, box.low));
            count++;
        }
    double size = count > 0 ? 2 * sum / (double)count : 1;
    return fmax(size, 4 * s->problem->contact->options.dhat);
}

abut_status surround_init(surround *s, const local_mesh *m, const remesh_problem *problem,
                          abut_error *err)
{
    *s = (surround){.problem = problem, .mesh = m};
    const collision_surface *surface = &problem->scene->surface;
    size_t vertices = surface->rows.count;
    s->now = mem_alloc(vertices + 1, sizeof *s->now);
    s->start = mem_alloc(vertices + 1, sizeof *s->start);
    s->rest = mem_alloc(vertices + 1, sizeof *s->rest);
    abut_status status =
        s->now && s->start && s->rest ? ABUT_OK : error_memory(err, "preparing local contacts");
    if (status == ABUT_OK) {
        collision_surface_positions(surface, problem->x, s->now);
        collision_surface_positions(surface, problem->start, s->start);
        collision_surface_positions(surface, (const double *)problem->scene->rest.data, s->rest);
        s->size = choose_size(s);
        status = rehash(s, 1024, err);
    }
    if (status == ABUT_OK) status = mark_edges(s, err);
    if (status == ABUT_OK) status = enter_scene(s, err);
    for (size_t i = 0; i < m->cells.count && status == ABUT_OK; i++)
        if (m->cells.data[i].alive) status = surround_enter(s, (int32_t)i, err);
    if (status != ABUT_OK) surround_free(s);
    return status;
}

void surround_free(surround *s)
{
    mem_free(s->now);
    mem_free(s->start);
    mem_free(s->rest);
    array_free(&s->edges);
    mem_free(s->in_triangle);
    array_free(&s->entries);
    array_free(&s->slots);
    array_free(&s->large);
    for (int k = 0; k < SURROUND_KINDS; k++) array_free(&s->stamps[k]);
    memset(s, 0, sizeof *s);
}

/* --- finding -------------------------------------------------------------------------------- */

static bool boxes_meet(const surround_box *a, const surround_box *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static abut_status look_at(surround *s, int32_t kind, int32_t facet, const surround_box *where,
                           surround_near *out, abut_error *err)
{
    local_list *stamps = &s->stamps[kind];
    size_t before = stamps->count, needed = (size_t)facet + 1;
    if (needed > before) {
        if (needed < 2 * before) needed = 2 * before;
        if (!array_resize(stamps, needed)) return error_memory(err, "finding facets");
        memset(stamps->data + before, 0, (needed - before) * sizeof *stamps->data);
    }
    if (stamps->data[facet] == s->query) return ABUT_OK;
    stamps->data[facet] = s->query;
    if (kind == SURROUND_LOCAL) {
        /* Numbers of cells that were taken back may have been given again. */
        if ((size_t)(facet / 4) >= s->mesh->cells.count) return ABUT_OK;
        const local_cell *c = &s->mesh->cells.data[facet / 4];
        if (!c->alive || c->facet[facet % 4] < 0) return ABUT_OK;
    }
    surround_box box = facet_box(s, (surround_kind)kind, facet);
    if (!boxes_meet(&box, where)) return ABUT_OK;
    if (!array_push(&out->found[kind], facet)) return error_memory(err, "finding facets");
    return ABUT_OK;
}

abut_status surround_find(surround *s, surround_box where, surround_near *out, abut_error *err)
{
    for (int k = 0; k < SURROUND_KINDS; k++) array_clear(&out->found[k]);
    s->query++;
    grid_range r = range_of(s, &where);
    if (!(r.boxes <= MAX_QUERY_BOXES))
        for (size_t i = 0; i < s->entries.count; i++)
            TRY(look_at(s, s->entries.data[i].kind, s->entries.data[i].facet, &where, out, err));
    else
        for (int64_t z = r.low[2]; z <= r.high[2]; z++)
            for (int64_t y = r.low[1]; y <= r.high[1]; y++)
                for (int64_t x = r.low[0]; x <= r.high[0]; x++) {
                    uint64_t hash = hash_box(x, y, z);
                    int32_t at = s->slots.data[hash & (s->slots.count - 1)];
                    for (; at >= 0; at = s->entries.data[at].next) {
                        const surround_entry *e = &s->entries.data[at];
                        if (e->box == hash) TRY(look_at(s, e->kind, e->facet, &where, out, err));
                    }
                }
    for (size_t i = 0; i + 1 < s->large.count; i += 2)
        TRY(look_at(s, s->large.data[i], s->large.data[i + 1], &where, out, err));
    for (int k = 0; k < SURROUND_KINDS; k++)
        if (out->found[k].count > 1)
            qsort(out->found[k].data, out->found[k].count, sizeof(int32_t), compare_int32);
    return ABUT_OK;
}

void surround_near_free(surround_near *n)
{
    for (int k = 0; k < SURROUND_KINDS; k++) array_free(&n->found[k]);
}
