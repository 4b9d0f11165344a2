#include "toolkit/stencil_assembly.h"

#include "base/parallel.h"

#include <string.h>

/* Stencils per task when a chunk's derivatives are computed. */
enum { TASK = 32 };

void stencil_assembly_free(stencil_assembly *a)
{
    array_free(&a->buffer);
    array_free(&a->vertex_gradient);
    array_free(&a->number);
    array_free(&a->used);
    array_free(&a->renumbered);
    array_free(&a->keys);
    array_free(&a->missing);
    scatter_map_free(&a->map);
    block_matrix_free(&a->matrix);
    csr_free(&a->vertex_matrix);
    csr_free(&a->product);
}

/* ---- Chunks of contributions ---------------------------------------------------------------- */

typedef struct chunk_work {
    const stencil_source *source;
    int group;
    size_t first;
    double *gradient, *blocks;
} chunk_work;

static void evaluate(void *context, size_t begin, size_t end)
{
    const chunk_work *w = context;
    size_t width = (size_t)w->source->groups[w->group].width, pairs = width * (width + 1) / 2;
    w->source->derivatives(w->source->context, w->group, w->first + begin, w->first + end,
                           w->gradient ? w->gradient + begin * 3 * width : NULL,
                           w->blocks ? w->blocks + begin * 9 * pairs : NULL);
}

/* Computes the contributions of a group chunk by chunk and adds them to a gradient or to
 * a->matrix. The map of the group must have been made. */
static abut_status add_group(stencil_assembly *a, const stencil_source *source, int group,
                             double *gradient, abut_error *error)
{
    const source_group *g = &source->groups[group];
    size_t width = (size_t)g->width;
    size_t size = scatter_chunk(g->width), room = g->count < size ? g->count : size;
    size_t each = gradient ? 3 * width : 9 * (width * (width + 1) / 2);
    if (!array_resize(&a->buffer, room * each)) return error_memory(error, "adding up contacts");
    for (size_t first = 0, chunk = 0; first < g->count; first += size, chunk++) {
        size_t n = g->count - first < size ? g->count - first : size;
        chunk_work work = {source, group, first, gradient ? a->buffer.data : NULL,
                           gradient ? NULL : a->buffer.data};
        parallel_for(n, TASK, evaluate, &work);
        if (gradient)
            scatter_add_gradient(&a->map, chunk, a->buffer.data, gradient);
        else
            scatter_add_matrix(&a->map, chunk, a->buffer.data, &a->matrix);
    }
    return ABUT_OK;
}

/* ---- Gradient ------------------------------------------------------------------------------- */

abut_status assemble_gradient(stencil_assembly *a, const stencil_source *source,
                              const abut_collision_mesh *mesh, double *gradient, abut_error *error)
{
    size_t n = 3 * mesh->vertex_count;
    double *sum = gradient;
    if (mesh->dof_count > 0) {
        if (!array_resize(&a->vertex_gradient, n)) return error_memory(error, "adding up contacts");
        sum = a->vertex_gradient.data;
    }
    if (n > 0) memset(sum, 0, n * sizeof *sum);
    for (int g = 0; g < source->group_count; g++) {
        const source_group *group = &source->groups[g];
        TRY(scatter_map_gradient(&a->map, group->width, group->count, group->vertices, error));
        TRY(add_group(a, source, g, sum, error));
    }
    if (mesh->dof_count > 0) csr_apply(&mesh->map_transposed, sum, gradient);
    return ABUT_OK;
}

/* ---- Matrix --------------------------------------------------------------------------------- */

/* Numbers the vertices that occur in stencils, in their order; others have no rows with entries. */
static abut_status number_vertices(stencil_assembly *a, const stencil_source *source,
                                   size_t vertex_count, abut_error *error)
{
    if (!array_resize(&a->number, vertex_count) || !array_resize(&a->used, vertex_count))
        return error_memory(error, "numbering contacts");
    for (size_t v = 0; v < vertex_count; v++) a->number.data[v] = -1;
    for (int g = 0; g < source->group_count; g++) {
        const source_group *group = &source->groups[g];
        for (size_t i = 0; i < group->count * (size_t)group->width; i++)
            a->number.data[group->vertices[i]] = 0;
    }
    a->used.count = 0;
    for (size_t v = 0; v < vertex_count; v++)
        if (a->number.data[v] == 0) {
            a->number.data[v] = (int32_t)a->used.count;
            a->used.data[a->used.count++] = (int32_t)v;
        }
    return ABUT_OK;
}

static abut_status renumber(stencil_assembly *a, const source_group *g, abut_error *error)
{
    size_t n = g->count * (size_t)g->width;
    if (!array_resize(&a->renumbered, n)) return error_memory(error, "numbering contacts");
    for (size_t i = 0; i < n; i++) a->renumbered.data[i] = a->number.data[g->vertices[i]];
    return ABUT_OK;
}

/* a->matrix over the numbered vertices. */
static abut_status fill_blocks(stencil_assembly *a, const stencil_source *source, abut_error *error)
{
    a->keys.count = 0;
    a->matrix.size = 0;
    if (a->used.count == 0) return ABUT_OK;
    for (int g = 0; g < source->group_count; g++) {
        const source_group *group = &source->groups[g];
        TRY(renumber(a, group, error));
        TRY(scatter_append_keys(&a->keys, group->width, group->count, a->renumbered.data, error));
    }
    key_list_unique(&a->keys);
    TRY(block_matrix_set_pattern(&a->matrix, (int32_t)a->used.count, a->keys.data, a->keys.count,
                                 error));
    block_matrix_clear(&a->matrix);
    for (int g = 0; g < source->group_count; g++) {
        const source_group *group = &source->groups[g];
        TRY(renumber(a, group, error));
        TRY(scatter_map_matrix(&a->map, group->width, group->count, a->renumbered.data, &a->matrix,
                               &a->missing, error));
        TRY(add_group(a, source, g, NULL, error));
    }
    return ABUT_OK;
}

/* Scalar row or column of the collision mesh for one of the numbered blocks. */
static int32_t outer_index(const stencil_assembly *a, int32_t scalar)
{
    return 3 * a->used.data[scalar / 3] + scalar % 3;
}

/* Row lengths into out->row_start[row + 1]. The lower triangle by columns is the upper one by rows.
 */
static void count_rows(const stencil_assembly *a, bool upper, csr_matrix *out)
{
    const block_matrix *m = &a->matrix;
    int32_t *length = out->row_start.data + 1;
    memset(out->row_start.data, 0, (out->rows + 1) * sizeof *length);
    for (int32_t j = 0; j < 3 * m->size; j++)
        for (int32_t k = m->scalar_start[j]; k < m->scalar_start[j + 1]; k++) {
            int32_t i = m->scalar_row[k];
            if (i < j) continue;
            length[outer_index(a, j)]++;
            if (!upper && i > j) length[outer_index(a, i)]++;
        }
}

/* Columns come out in order: what is left of the diagonal of a row is written by the columns before
 * it. next[row] is where the row's next entry goes. */
static void fill_rows(const stencil_assembly *a, bool upper, csr_matrix *out, int32_t *next)
{
    const block_matrix *m = &a->matrix;
    for (int32_t j = 0; j < 3 * m->size; j++) {
        int32_t row = outer_index(a, j);
        for (int32_t k = m->scalar_start[j]; k < m->scalar_start[j + 1]; k++) {
            int32_t i = m->scalar_row[k];
            if (i < j) continue;
            int32_t column = outer_index(a, i), to = next[row]++;
            out->column.data[to] = column;
            out->value.data[to] = m->value[k];
            if (upper || i == j) continue;
            to = next[column]++;
            out->column.data[to] = row;
            out->value.data[to] = m->value[k];
        }
    }
}

static abut_status expand(const stencil_assembly *a, size_t rows, bool upper, csr_matrix *out,
                          abut_error *error)
{
    out->rows = out->columns = rows;
    size_t most = 18 * (size_t)(a->used.count > 0 ? a->matrix.column_start[a->matrix.size] : 0);
    if (most > INT32_MAX)
        return error_set(error, ABUT_ERROR_UNSUPPORTED, "",
                         "a sparse matrix would have more than %d entries", INT32_MAX);
    int32_t *next = mem_alloc(rows + 1, sizeof *next);
    if (!next || !array_resize(&out->row_start, rows + 1)) {
        mem_free(next);
        return error_memory(error, "expanding a sparse matrix");
    }
    count_rows(a, upper, out);
    for (size_t i = 0; i < rows; i++) out->row_start.data[i + 1] += out->row_start.data[i];
    memcpy(next, out->row_start.data, (rows + 1) * sizeof *next);
    size_t n = (size_t)out->row_start.data[rows];
    bool ok = array_resize(&out->column, n) && array_resize(&out->value, n);
    if (ok) fill_rows(a, upper, out, next);
    mem_free(next);
    return ok ? ABUT_OK : error_memory(error, "expanding a sparse matrix");
}

/* Drops what is left of the diagonal. */
static void keep_upper(csr_matrix *m)
{
    int32_t kept = 0, begin = 0;
    for (size_t i = 0; i < m->rows; i++) {
        int32_t end = m->row_start.data[i + 1];
        for (int32_t k = begin; k < end; k++) {
            if (m->column.data[k] < (int32_t)i) continue;
            m->column.data[kept] = m->column.data[k];
            m->value.data[kept++] = m->value.data[k];
        }
        begin = end;
        m->row_start.data[i + 1] = kept;
    }
    m->column.count = m->value.count = (size_t)kept;
}

abut_status assemble_hessian(stencil_assembly *a, const stencil_source *source,
                             const abut_collision_mesh *mesh, bool upper, csr_matrix *out,
                             abut_error *error)
{
    bool mapped = mesh->dof_count > 0;
    TRY(number_vertices(a, source, mesh->vertex_count, error));
    TRY(fill_blocks(a, source, error));
    TRY(expand(a, 3 * mesh->vertex_count, upper && !mapped, mapped ? &a->vertex_matrix : out,
               error));
    if (!mapped) return ABUT_OK;
    TRY(csr_multiply(&mesh->map_transposed, &a->vertex_matrix, &a->product, error));
    TRY(csr_multiply(&a->product, &mesh->map, out, error));
    if (upper) keep_upper(out);
    return ABUT_OK;
}
