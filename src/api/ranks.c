/* The functions of sim.h that join the ranks of a run. */
#include "base/ranks.h"

#include "base/status.h"
#include "linear/petsc_module.h"

#include <abut/sim.h>

abut_status abut_ranks_start(const char *petsc_options, abut_error *error)
{
    if (petsc_launched_ranks() < 2 && !petsc_options) return ABUT_OK;
    abut_status status = petsc_start(petsc_options, NULL, error);
    if (status != ABUT_OK && petsc_launched_ranks() > 1)
        return error_set(error, ABUT_ERROR_UNSUPPORTED, "mpirun",
                         "started as %d processes, but they cannot find each other: PETSc and MPI "
                         "need the module abut_petsc.so (docs/cluster.md)",
                         petsc_launched_ranks());
    if (status == ABUT_OK && petsc_launched_ranks() > 1 && ranks_count() == 1)
        return error_set(error, ABUT_ERROR_UNSUPPORTED, "mpirun",
                         "started as %d processes, each of which is alone: the launcher belongs to "
                         "another MPI than the module abut_petsc.so",
                         petsc_launched_ranks());
    return status;
}

int abut_rank(void) { return ranks_index(); }
int abut_rank_count(void) { return ranks_count(); }

int abut_ranks_end(int code, bool *speaks)
{
    *speaks = true;
    const rank_transport *t = ranks_transport();
    if (!t || t->count == 1) return code;
    int speaker = 0;
    int all = t->end(code, &speaker);
    *speaks = speaker == t->index;
    return all;
}

void abut_ranks_finish(int code)
{
    const rank_transport *t = ranks_transport();
    if (t && t->count > 1 && !t->all_ended()) t->abort(code);
    petsc_finish();
}
