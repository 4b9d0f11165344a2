#include "linear/order.h"

#include "base/memory.h"
#include "base/signals.h"

#include <amd.h>
#include <metis.h>

/* Below this many blocks minimum degree is as good as nested dissection and much cheaper. */
enum { SMALL_SYSTEM = 600 };

/* Both halves of the symmetric pattern without the diagonal. */
static void list_neighbours(const block_matrix *a, idx_t *start, idx_t *neighbours)
{
    for (int32_t j = 0; j < a->size; j++)
        for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++) {
            start[j + 2]++;
            start[a->row[k] + 2]++;
        }
    for (int32_t j = 0; j < a->size; j++) start[j + 2] += start[j + 1];
    for (int32_t j = 0; j < a->size; j++)
        for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++) {
            neighbours[start[j + 1]++] = a->row[k];
            neighbours[start[a->row[k] + 1]++] = j;
        }
}

abut_status order_by_dissection(const block_matrix *a, int32_t *order, abut_error *err)
{
    idx_t n = a->size;
    size_t entries = 2 * (size_t)(a->column_start[n] - n);
    idx_t *start = mem_calloc((size_t)n + 2, sizeof *start);
    idx_t *neighbours = mem_alloc(entries + 1, sizeof *neighbours);
    idx_t *inverse = mem_alloc((size_t)n, sizeof *inverse);
    bool ok = start && neighbours && inverse;
    if (ok) {
        list_neighbours(a, start, neighbours);
        idx_t options[METIS_NOPTIONS];
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;
        signal_guard guard;
        signal_guard_begin(&guard);
        ok = METIS_NodeND(&n, start, neighbours, NULL, options, order, inverse) == METIS_OK;
        signal_guard_end(&guard);
    }
    mem_free(start);
    mem_free(neighbours);
    mem_free(inverse);
    return ok ? ABUT_OK : error_memory(err, "ordering the sparse matrix");
}

abut_status order_by_minimum_degree(const block_matrix *a, int32_t *order, abut_error *err)
{
    int result = amd_order(a->size, a->column_start, a->row, order, NULL, NULL);
    return result == AMD_OK ? ABUT_OK : error_memory(err, "ordering the sparse matrix");
}

abut_status order_blocks(const block_matrix *a, int32_t *order, abut_error *err)
{
    /* METIS refuses a graph without edges. */
    bool dissect = a->size > SMALL_SYSTEM && a->column_start[a->size] > a->size;
    if (dissect && order_by_dissection(a, order, NULL) == ABUT_OK) return ABUT_OK;
    return order_by_minimum_degree(a, order, err);
}
