#include "sim/rank_agreement.h"

#include "base/file.h"
#include "base/ranks.h"
#include "sim/sim_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
