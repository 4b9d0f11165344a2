#include "support/ccd_check.h"

#include <stdio.h>

const char *ccd_fault_name(ccd_fault fault)
{
    static const char *const names[] = {"none", "missed", "late", "too far", "malformed"};
    return names[fault];
}

ccd_fault ccd_check_result(ccd_oracle *oracle, bool truth, ccd_kind kind, const vec3 *start,
                           const vec3 *end, const ccd_options *options, const ccd_result *result,
                           bool check_distance)
{
    if (!result->hit) {
        if (result->toi != INFINITY || result->status != CCD_MISS) return CCD_FAULT_MALFORMED;
        /* With a shorter step only contacts up to t_max count. */
        if (truth && !(options->t_max < 1.0 && ccd_oracle_not_later(oracle, options->t_max)))
            return CCD_FAULT_MISSED;
        return CCD_FAULT_NONE;
    }
    if (!(result->toi >= 0.0 && result->toi <= 1.0) || result->status == CCD_MISS ||
        !(result->tolerance >= (options->no_zero_toi ? 0.0 : options->tolerance)) ||
        result->checks < 0)
        return CCD_FAULT_MALFORMED;
    if (truth && !ccd_oracle_not_later(oracle, result->toi)) return CCD_FAULT_LATE;
    if (check_distance && !ccd_oracle_within(oracle, kind, start, end, result->toi,
                                             result->tolerance + options->separation))
        return CCD_FAULT_FAR;
    return CCD_FAULT_NONE;
}

void ccd_print_query(ccd_kind kind, const vec3 *start, const vec3 *end, const ccd_options *options,
                     const ccd_result *result)
{
    printf("kind %d, {", kind);
    for (int i = 0; i < 2 * ccd_vertex_count(kind); i++) {
        const vec3 *p = i < ccd_vertex_count(kind) ? &start[i] : &end[i - ccd_vertex_count(kind)];
        printf("%s{%a, %a, %a}",
               i == 0                        ? ""
               : i == ccd_vertex_count(kind) ? "}, {"
                                             : ", ",
               p->x, p->y, p->z);
    }
    printf("}\n  tolerance %g separation %g checks %lld t_max %.17g -> %s toi %.17g tolerance %g "
           "checks %lld\n",
           options->tolerance, options->separation, (long long)options->max_checks, options->t_max,
           ccd_status_name(result->status), result->toi, result->tolerance,
           (long long)result->checks);
}
