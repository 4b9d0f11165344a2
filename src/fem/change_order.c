#include "fem/change_order.h"

#include "base/array.h"
#include "base/sort.h"
#include "fem/lagrange.h"
#include "fem/node_key.h"

#include <stdlib.h>
#include <string.h>

typedef struct node_use {
    node_key key;
    int32_t block, local;
    int32_t known; /* number of the node where the cell has the wanted order already, else -1 */
    size_t cell;
} node_use;

typedef ARRAY(node_use) use_list;

int mesh_order(const mesh *m)
{
    int order = 1;
    for (int b = 0; b < m->block_count; b++)
        if (m->blocks[b].order > order) order = m->blocks[b].order;
    return order;
}

static bool is_cube(cell_kind kind) { return kind == CELL_QUAD || kind == CELL_HEX; }

static int wanted_order(cell_kind kind, int order)
{
    return kind == CELL_POINT ? 1 : is_cube(kind) && order > 2 ? 2 : order;
}

static int compare_uses(const void *left, const void *right)
{
    const node_use *a = left, *b = right;
    int order = node_key_compare(&a->key, &b->key);
    if (order) return order;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

/* New numbers of the vertices that stay: corners, all nodes of cells that have the wanted order,
 * and vertices that no cell uses. */
static abut_status number_kept(const mesh *from, int order, int32_t *vertex_of, size_t *kept,
                               abut_error *err)
{
    uint8_t *inner = mem_calloc(from->vertex_count + 1, 1);
    if (!inner) return error_memory(err, "changing the order of a mesh");
    for (int pass = 0; pass < 2; pass++) /* first mark what may go, then unmark what stays */
        for (int b = 0; b < from->block_count; b++) {
            const cell_block *block = &from->blocks[b];
            int stay = block->order == wanted_order(block->kind, order)
                           ? block->nodes_per_cell
                           : cell_corner_count(block->kind);
            for (size_t c = 0; c < block->count; c++)
                for (int k = 0; k < block->nodes_per_cell; k++)
                    if ((k < stay) == (pass == 1))
                        inner[block->nodes[c * (size_t)block->nodes_per_cell + (size_t)k]] =
                            pass == 0;
        }
    *kept = 0;
    for (size_t v = 0; v < from->vertex_count; v++)
        vertex_of[v] = inner[v] ? -1 : (int32_t)(*kept)++;
    mem_free(inner);
    return ABUT_OK;
}

static abut_status add_blocks(const mesh *from, int order, mesh *out, abut_error *err)
{
    for (int b = 0; b < from->block_count; b++) {
        const cell_block *old = &from->blocks[b];
        cell_block *block;
        TRY(mesh_add_block(out, old->kind, wanted_order(old->kind, order), old->count,
                           old->tags != NULL, &block, err));
        if (old->tags && old->count) memcpy(block->tags, old->tags, old->count * sizeof *old->tags);
    }
    return ABUT_OK;
}

/* Fills in the corners and lists all other nodes. */
static abut_status list_uses(const mesh *from, mesh *out, const int32_t *vertex_of, use_list *uses,
                             abut_error *err)
{
    for (int b = 0; b < from->block_count; b++) {
        const cell_block *old = &from->blocks[b];
        cell_block *block = &out->blocks[b];
        int lattice[CELL_MAX_NODES][3], corners = cell_corner_count(old->kind);
        cell_lattice(old->kind, block->order, lattice);
        for (size_t c = 0; c < old->count; c++) {
            int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
            for (int k = 0; k < corners; k++)
                nodes[k] = vertex_of[old->nodes[c * (size_t)old->nodes_per_cell + (size_t)k]];
            for (int k = corners; k < block->nodes_per_cell; k++) {
                node_use use = {node_key_make(old->kind, block->order, lattice[k], nodes), b, k, -1,
                                c};
                if (old->order == block->order)
                    use.known = vertex_of[old->nodes[c * (size_t)old->nodes_per_cell + (size_t)k]];
                if (!array_push(uses, use))
                    return error_memory(err, "changing the order of a mesh");
            }
        }
    }
    return ABUT_OK;
}

static vec3 position_of(const mesh *from, const mesh *out, const node_use *use)
{
    const cell_block *old = &from->blocks[use->block];
    int order = out->blocks[use->block].order, lattice[CELL_MAX_NODES][3];
    cell_lattice(old->kind, order, lattice);
    vec3 nodes[CELL_MAX_NODES];
    for (int a = 0; a < old->nodes_per_cell; a++)
        nodes[a] = from->vertices[old->nodes[use->cell * (size_t)old->nodes_per_cell + (size_t)a]];
    double xi[3];
    for (int k = 0; k < 3; k++) xi[k] = (double)lattice[use->local][k] / order;
    return lagrange_position(old->kind, old->order, nodes, xi, NULL);
}

/* Solids decide where a shared node lies: their maps are what is computed with. */
static bool is_better_source(const mesh *m, const node_use *a, const node_use *b)
{
    return cell_dimension(m->blocks[a->block].kind) > cell_dimension(m->blocks[b->block].kind);
}

/* End of the uses of the node that use `first` is of; the number that one of them knows, or -1. */
static size_t end_of_node(const use_list *uses, size_t first, int32_t *known)
{
    size_t end = first;
    *known = -1;
    for (; end < uses->count && node_key_compare(&uses->data[end].key, &uses->data[first].key) == 0;
         end++)
        if (uses->data[end].known >= 0) *known = uses->data[end].known;
    return end;
}

static abut_status make_vertices(const mesh *from, const int32_t *vertex_of, size_t count,
                                 mesh *out, abut_error *err)
{
    if (count > INT32_MAX)
        return error_set(err, ABUT_ERROR_INPUT, "", "the mesh would have more than %d nodes",
                         INT32_MAX);
    out->vertex_count = count;
    out->vertices = mem_alloc(count, sizeof *out->vertices);
    if (!out->vertices) return error_memory(err, "changing the order of a mesh");
    for (size_t v = 0; v < from->vertex_count; v++)
        if (vertex_of[v] >= 0) out->vertices[vertex_of[v]] = from->vertices[v];
    return ABUT_OK;
}

/* Numbers the listed nodes and makes the vertices. */
static abut_status number_nodes(const mesh *from, const int32_t *vertex_of, size_t kept, mesh *out,
                                use_list *uses, abut_error *err)
{
    if (uses->count) qsort(uses->data, uses->count, sizeof *uses->data, compare_uses);
    size_t fresh = 0;
    int32_t known;
    for (size_t i = 0; i < uses->count; fresh += known < 0) i = end_of_node(uses, i, &known);
    TRY(make_vertices(from, vertex_of, kept + fresh, out, err));
    size_t next = kept;
    for (size_t i = 0; i < uses->count;) {
        const node_use *best = &uses->data[i];
        size_t end = end_of_node(uses, i, &known);
        int32_t number = known >= 0 ? known : (int32_t)next++;
        for (; i < end; i++) {
            const node_use *use = &uses->data[i];
            cell_block *block = &out->blocks[use->block];
            block->nodes[use->cell * (size_t)block->nodes_per_cell + (size_t)use->local] =
                use->known >= 0 ? use->known : number;
            if (is_better_source(from, use, best)) best = use;
        }
        if (known < 0) out->vertices[number] = position_of(from, out, best);
    }
    return ABUT_OK;
}

abut_status mesh_change_order(const mesh *from, int order, mesh *out, int32_t **vertex_of,
                              abut_error *err)
{
    memset(out, 0, sizeof *out);
    if (order < 1 || order > 4)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "", "order %d; 1 to 4 are supported", order);
    int32_t *numbers = mem_alloc(from->vertex_count, sizeof *numbers);
    if (!numbers) return error_memory(err, "changing the order of a mesh");
    use_list uses = {0};
    size_t kept = 0;
    abut_status status = number_kept(from, order, numbers, &kept, err);
    if (status == ABUT_OK) status = add_blocks(from, order, out, err);
    if (status == ABUT_OK) status = list_uses(from, out, numbers, &uses, err);
    if (status == ABUT_OK) status = number_nodes(from, numbers, kept, out, &uses, err);
    array_free(&uses);
    if (status != ABUT_OK) mesh_free(out);
    if (status == ABUT_OK && vertex_of)
        *vertex_of = numbers;
    else
        mem_free(numbers);
    return status;
}
