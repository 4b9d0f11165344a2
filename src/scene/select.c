#include "scene/select.h"

#include "base/memory.h"

#include <string.h>

static bool in_box(vec3 p, vec3 low, vec3 high)
{
    return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z &&
           p.z <= high.z;
}

static void mark_box(const mesh *m, vec3 low, vec3 high, bool *marked)
{
    for (size_t i = 0; i < m->vertex_count; i++) marked[i] = in_box(m->vertices[i], low, high);
}

/* The ends of the box at 0 and 1 must take the outermost vertices in spite of rounding. */
static void mark_relative_box(const selector_def *s, const mesh *m, bool *marked)
{
    vec3 low, high;
    mesh_bounds(m, &low, &high);
    vec3 size = vec3_sub(high, low);
    double margin = 1e-9 * vec3_norm(size);
    vec3 slack = {margin, margin, margin};
    vec3 from = {low.x + s->low.x * size.x, low.y + s->low.y * size.y, low.z + s->low.z * size.z};
    vec3 to = {low.x + s->high.x * size.x, low.y + s->high.y * size.y, low.z + s->high.z * size.z};
    mark_box(m, vec3_sub(from, slack), vec3_add(to, slack), marked);
}

static void mark_sphere(const selector_def *s, const mesh *m, bool *marked)
{
    for (size_t i = 0; i < m->vertex_count; i++)
        marked[i] = vec3_norm2(vec3_sub(m->vertices[i], s->center)) <= s->radius * s->radius;
}

static void mark_tag(const selector_def *s, const mesh *m, bool *marked)
{
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        for (size_t c = 0; block->tags && c < block->count; c++) {
            if (block->tags[c] != s->tag) continue;
            const int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
            for (int k = 0; k < block->nodes_per_cell; k++) marked[nodes[k]] = true;
        }
    }
}

static abut_status mark_list(const selector_def *s, const mesh *m, bool *marked, abut_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->list[i] < 0 || (size_t)s->list[i] >= m->vertex_count)
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "entry %zu of the list is node %d, but the mesh has %zu nodes, "
                             "numbered from 0",
                             i, (int)s->list[i], m->vertex_count);
        marked[s->list[i]] = true;
    }
    return ABUT_OK;
}

static abut_status mark(const selector_def *s, const mesh *m, bool *marked, abut_error *err)
{
    switch (s->kind) {
    case SELECT_ALL: memset(marked, true, m->vertex_count * sizeof *marked); break;
    case SELECT_BOX: mark_box(m, s->low, s->high, marked); break;
    case SELECT_RELATIVE_BOX: mark_relative_box(s, m, marked); break;
    case SELECT_SPHERE: mark_sphere(s, m, marked); break;
    case SELECT_LIST: return mark_list(s, m, marked, err);
    case SELECT_TAG: mark_tag(s, m, marked); break;
    }
    return ABUT_OK;
}

static abut_status collect(const bool *marked, size_t vertex_count, int32_t **nodes, size_t *count,
                           abut_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < vertex_count; i++) n += marked[i];
    *nodes = mem_alloc(n, sizeof **nodes);
    if (!*nodes) return error_memory(err, "selecting nodes");
    *count = 0;
    for (size_t i = 0; i < vertex_count; i++)
        if (marked[i]) (*nodes)[(*count)++] = (int32_t)i;
    return ABUT_OK;
}

abut_status select_nodes(const selector_def *selector, const mesh *m, int32_t **nodes,
                         size_t *count, abut_error *err)
{
    *nodes = NULL;
    *count = 0;
    bool *marked = mem_calloc(m->vertex_count, sizeof *marked);
    if (!marked) return error_memory(err, "selecting nodes");
    abut_status status = mark(selector, m, marked, err);
    if (status == ABUT_OK) status = collect(marked, m->vertex_count, nodes, count, err);
    mem_free(marked);
    return status;
}
