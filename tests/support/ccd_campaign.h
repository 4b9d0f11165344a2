/* Many random queries through every method, each answer checked against the exact oracle. */
#ifndef CCD_CAMPAIGN_H
#define CCD_CAMPAIGN_H

#include <stdint.h>

typedef struct ccd_campaign {
    uint64_t seed;
    int64_t queries;
    int distance_every;  /* check the claimed distance of every n-th hit; it is slow */
    int bisection_every; /* run the reference method on every n-th query; it is slow */
    /* results */
    int64_t hits, answers, false_positives, faults, limits;
    int64_t most_checks; /* of the default method */
    int64_t within;      /* answers that had to be hits because of their separation */
} ccd_campaign;

/* Runs on all threads; prints the first faulty queries. */
void ccd_campaign_run(ccd_campaign *campaign);

#endif
