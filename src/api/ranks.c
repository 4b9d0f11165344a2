#include "api/ranks.h"

#include "api/sim.h"
#include "api/sim_state.h"
#include "base/file.h"
#include "base/ranks.h"
#include "linear/petsc_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* First 64 bits of a SHA-256 as hexadecimal digits. */
static uint64_t first_bits(const char text[SHA256_TEXT_SIZE])
{
    char digits[17];
    memcpy(digits, text, 16);
    digits[16] = 0;
    return strtoull(digits, NULL, 16);
}

static abut_status compare(uint64_t value, const char *what, abut_error *err)
{
    size_t *all = mem_alloc((size_t)ranks_count(), sizeof *all);
    if (!all) return error_memory(err, "comparing the ranks");
    ranks_gather_counts((size_t)value, all);
    int other = 0;
    for (int r = ranks_count() - 1; r > 0; r--)
        if (all[r] != all[0]) other = r;
    mem_free(all);
    if (other == 0) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "mpirun", "rank %d has %s than rank 0", other, what);
}

abut_status ranks_check_scene(const abut_sim *sim, abut_error *err)
{
    if (!ranks_divided()) return ABUT_OK;
    char hash[SHA256_TEXT_SIZE], *text;
    file_bytes program;
    TRY(file_read("/proc/self/exe", &program, err));
    sha256_of(program.data, program.size, hash);
    file_free(&program);
    TRY(compare(first_bits(hash), "another executable", err));
    TRY(sim_scene_text(sim, &text, hash, err));
    free(text);
    return compare(first_bits(hash), "another scene (or other settings)", err);
}

abut_status ranks_check_state(const abut_sim *sim, const char *when, abut_error *err)
{
    if (!ranks_divided()) return ABUT_OK;
    char hash[SHA256_TEXT_SIZE], what[120];
    const stepper *s = sim->stepper;
    sha256_of(s->state.x, s->state.scalars * sizeof *s->state.x, hash);
    snprintf(what, sizeof what, "other positions %s", when);
    return compare(first_bits(hash), what, err);
}

abut_status ranks_agree_on(abut_status status, abut_error *err)
{
    if (!ranks_any(status != ABUT_OK) || status != ABUT_OK) return status;
    return error_set(err, ABUT_ERROR_INTERNAL, "", "another rank has failed");
}
