/* The functions of contact.h on matrices. */
#include "toolkit/stencil_assembly.h"

abut_status abut_matrix_create(abut_matrix **out, abut_error *error)
{
    *out = mem_calloc(1, sizeof **out);
    return *out ? ABUT_OK : error_memory(error, "making a matrix");
}

void abut_matrix_destroy(abut_matrix *matrix)
{
    if (!matrix) return;
    csr_free(&matrix->csr);
    mem_free(matrix);
}

abut_csr abut_matrix_view(const abut_matrix *matrix)
{
    const csr_matrix *m = &matrix->csr;
    return (abut_csr){.rows = m->rows,
                      .nonzeros = csr_nonzeros(m),
                      .row_start = m->row_start.data,
                      .columns = m->column.data,
                      .values = m->value.data};
}
