/* Gmsh's binary formats in the byte order of the machine. Cells keep their order: each run of equal
 * tags is a block of its own, and each tag a physical group with one model entity.
 */
#include "base/array.h"
#include "mesh/gmsh_cells.h"
#include "mesh/write.h"

#include <stdlib.h>

static void put_int(FILE *file, int32_t value) { fwrite(&value, sizeof value, 1, file); }
static void put_size(FILE *file, uint64_t value) { fwrite(&value, sizeof value, 1, file); }
static void put_doubles(FILE *file, const double *values, size_t count)
{
    fwrite(values, sizeof *values, count, file);
}

static int dimension_of(cell_kind kind)
{
    switch (kind) {
    case CELL_POINT: return 0;
    case CELL_EDGE: return 1;
    case CELL_TRIANGLE:
    case CELL_QUAD: return 2;
    case CELL_TET:
    case CELL_HEX: return 3;
    }
    return 0;
}

static int32_t tag_of(const cell_block *block, size_t cell)
{
    return block->tags ? block->tags[cell] : 0;
}

/* The end of the run of equal tags that starts at `first`. */
static size_t run_end(const cell_block *block, size_t first)
{
    size_t last = first + 1;
    while (last < block->count && tag_of(block, last) == tag_of(block, first)) last++;
    return last;
}

static size_t cell_total(const mesh *m)
{
    size_t total = 0;
    for (int b = 0; b < m->block_count; b++) total += m->blocks[b].count;
    return total;
}

static abut_status check_types(const mesh *m, abut_error *err)
{
    for (int b = 0; b < m->block_count; b++)
        if (gmsh_cell_type(m->blocks[b].kind, m->blocks[b].order) == 0)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                             "MSH files have no %s cells of order %d",
                             cell_kind_name(m->blocks[b].kind), m->blocks[b].order);
    return ABUT_OK;
}

static void put_format(FILE *file, const char *version)
{
    fprintf(file, "$MeshFormat\n%s 1 8\n", version);
    put_int(file, 1);
    fputs("\n$EndMeshFormat\n", file);
}

/* ---- 4.1 ----------------------------------------------------------------------------------- */

typedef struct entity {
    int dimension;
    int32_t tag;
    int32_t number; /* from 1 on within the dimension */
} entity;

typedef ARRAY(entity) entity_list;

static int compare_entities(const void *a, const void *b)
{
    const entity *x = a, *y = b;
    if (x->dimension != y->dimension) return x->dimension - y->dimension;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

/* The pairs of dimension and tag that occur, sorted, once each. */
static bool collect_entities(const mesh *m, entity_list *list)
{
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        for (size_t c = 0; c < block->count; c = run_end(block, c)) {
            entity e = {dimension_of(block->kind), tag_of(block, c), 1};
            if (!array_push(list, e)) return false;
        }
    }
    if (list->count == 0) return array_push(list, (entity){0, 0, 1});
    qsort(list->data, list->count, sizeof *list->data, compare_entities);
    size_t kept = 1;
    for (size_t i = 1; i < list->count; i++) {
        entity before = list->data[kept - 1], *e = &list->data[i];
        if (compare_entities(e, &before) == 0) continue;
        e->number = e->dimension == before.dimension ? before.number + 1 : 1;
        list->data[kept++] = *e;
    }
    list->count = kept;
    return true;
}

static int32_t entity_number(const entity_list *list, int dimension, int32_t tag)
{
    entity wanted = {dimension, tag, 0};
    const entity *found =
        bsearch(&wanted, list->data, list->count, sizeof *list->data, compare_entities);
    return found ? found->number : 0;
}

static void put_entities(FILE *file, const mesh *m, const entity_list *list)
{
    vec3 low, high;
    mesh_bounds(m, &low, &high);
    double box[6];
    vec3_store(box, low);
    vec3_store(box + 3, high);
    uint64_t counts[4] = {0};
    for (size_t i = 0; i < list->count; i++) counts[list->data[i].dimension]++;
    fputs("$Entities\n", file);
    for (int d = 0; d < 4; d++) put_size(file, counts[d]);
    for (size_t i = 0; i < list->count; i++) {
        const entity *e = &list->data[i];
        put_int(file, e->number);
        put_doubles(file, box, e->dimension == 0 ? 3 : 6);
        put_size(file, e->tag != 0);
        if (e->tag != 0) put_int(file, e->tag);
        if (e->dimension > 0) put_size(file, 0);
    }
    fputs("\n$EndEntities\n", file);
}

/* All nodes belong to the last entity, one of the highest dimension. */
static void put_nodes_4(FILE *file, const mesh *m, const entity_list *list)
{
    const entity *owner = &list->data[list->count - 1];
    uint64_t n = m->vertex_count;
    fputs("$Nodes\n", file);
    put_size(file, 1);
    put_size(file, n);
    put_size(file, 1);
    put_size(file, n);
    put_int(file, owner->dimension);
    put_int(file, owner->number);
    put_int(file, 0);
    put_size(file, n);
    for (uint64_t i = 0; i < n; i++) put_size(file, i + 1);
    put_doubles(file, (const double *)m->vertices, 3 * m->vertex_count);
    fputs("\n$EndNodes\n", file);
}

static void put_elements_4(FILE *file, const mesh *m, const entity_list *list)
{
    uint64_t runs = 0, number = 1, total = cell_total(m);
    for (int b = 0; b < m->block_count; b++)
        for (size_t c = 0; c < m->blocks[b].count; c = run_end(&m->blocks[b], c)) runs++;
    fputs("$Elements\n", file);
    put_size(file, runs);
    put_size(file, total);
    put_size(file, total > 0);
    put_size(file, total);
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        size_t nodes = (size_t)block->nodes_per_cell;
        for (size_t c = 0; c < block->count;) {
            size_t end = run_end(block, c);
            put_int(file, dimension_of(block->kind));
            put_int(file, entity_number(list, dimension_of(block->kind), tag_of(block, c)));
            put_int(file, gmsh_cell_type(block->kind, block->order));
            put_size(file, end - c);
            for (; c < end; c++) {
                put_size(file, number++);
                for (size_t i = 0; i < nodes; i++)
                    put_size(file, (uint64_t)block->nodes[c * nodes + i] + 1);
            }
        }
    }
    fputs("\n$EndElements\n", file);
}

abut_status write_msh(FILE *file, const mesh *m, abut_error *err)
{
    TRY(check_types(m, err));
    entity_list list = {0};
    if (!collect_entities(m, &list)) {
        array_free(&list);
        return error_memory(err, "writing a mesh");
    }
    put_format(file, "4.1");
    put_entities(file, m, &list);
    put_nodes_4(file, m, &list);
    put_elements_4(file, m, &list);
    array_free(&list);
    return ABUT_OK;
}

/* ---- 2.2 ----------------------------------------------------------------------------------- */

abut_status write_msh2(FILE *file, const mesh *m, abut_error *err)
{
    TRY(check_types(m, err));
    put_format(file, "2.2");
    fprintf(file, "$Nodes\n%zu\n", m->vertex_count);
    for (size_t v = 0; v < m->vertex_count; v++) {
        put_int(file, (int32_t)v + 1);
        put_doubles(file, (const double *)&m->vertices[v], 3);
    }
    fprintf(file, "\n$EndNodes\n$Elements\n%zu\n", cell_total(m));
    int32_t number = 1;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        size_t nodes = (size_t)block->nodes_per_cell;
        if (block->count == 0) continue;
        put_int(file, gmsh_cell_type(block->kind, block->order));
        put_int(file, (int32_t)block->count);
        put_int(file, 2);
        for (size_t c = 0; c < block->count; c++) {
            put_int(file, number++);
            put_int(file, tag_of(block, c));
            put_int(file, tag_of(block, c) ? tag_of(block, c) : 1); /* the model entity */
            for (size_t i = 0; i < nodes; i++) put_int(file, block->nodes[c * nodes + i] + 1);
        }
    }
    fputs("\n$EndElements\n", file);
    return ABUT_OK;
}
