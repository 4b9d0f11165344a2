#include "measure/thin_cells.h"

#include <stdlib.h>

/* Nodes of a shell's triangle or a rod's segment in ascending order (the third of a segment is -1),
 * and its number. */
typedef struct element_key {
    int32_t nodes[3], element;
} element_key;

static element_key make_key(const int32_t *nodes, int count, int32_t element)
{
    element_key key = {{-1, -1, -1}, element};
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && key.nodes[k - 1] > nodes[i]; k--) key.nodes[k] = key.nodes[k - 1];
        key.nodes[k] = nodes[i];
    }
    return key;
}

static int compare_keys(const void *a, const void *b)
{
    const element_key *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p->nodes[i] != q->nodes[i]) return p->nodes[i] < q->nodes[i] ? -1 : 1;
    return 0;
}

bool thin_cells_find(const model_frame *mf, const model *m, int corners, int32_t *element)
{
    const codim_elements *c = &m->codim;
    const int32_t *nodes = corners == 3 ? c->triangles.data : c->segments.data;
    size_t elements = (corners == 3 ? c->triangles.count : c->segments.count) / (size_t)corners;
    const int32_t *drawn = corners == 3 ? mf->triangles.data : mf->edges.data;
    size_t cells = (corners == 3 ? mf->triangles.count : mf->edges.count) / (size_t)corners;
    for (size_t i = 0; i < cells; i++) element[i] = -1;
    if (elements == 0 || cells == 0) return true;
    element_key *keys = mem_alloc(elements, sizeof *keys);
    if (!keys) return false;
    for (size_t e = 0; e < elements; e++)
        keys[e] = make_key(nodes + (size_t)corners * e, corners, (int32_t)e);
    qsort(keys, elements, sizeof *keys, compare_keys);
    for (size_t i = 0; i < cells; i++) {
        int32_t blocks[3];
        for (int k = 0; k < corners; k++)
            blocks[k] = mf->source.data[drawn[(size_t)corners * i + (size_t)k]];
        element_key wanted = make_key(blocks, corners, 0);
        const element_key *found = bsearch(&wanted, keys, elements, sizeof *keys, compare_keys);
        if (found) element[i] = found->element;
    }
    mem_free(keys);
    return true;
}

size_t frame_first_cell(const model_frame *mf, const int32_t *nodes)
{
    size_t cell = 0;
    for (size_t b = 0; b < mf->block_count; b++) {
        if (mf->blocks[b].nodes == nodes) return cell;
        cell += mf->blocks[b].count;
    }
    return cell;
}
