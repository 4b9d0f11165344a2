#include "step/step_record.h"

#include <string.h>

abut_status step_record_pass(step_record *r, const double *x, size_t scalars, double kappa,
                             bool attached, abut_error *err)
{
    if (!r) return ABUT_OK;
    size_t at = r->positions.count;
    if (!array_resize(&r->positions, at + scalars) || !array_push(&r->kappa, kappa))
        return error_memory(err, "recording a step");
    memcpy(r->positions.data + at, x, scalars * sizeof *x);
    r->scalars = scalars;
    r->attached = r->attached || attached;
    return ABUT_OK;
}
