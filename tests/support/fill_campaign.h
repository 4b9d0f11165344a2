/* Fills surfaces of surface_maker.h and checks what comes out. */
#ifndef SUPPORT_FILL_CAMPAIGN_H
#define SUPPORT_FILL_CAMPAIGN_H

#include <stddef.h>
#include <stdint.h>

typedef struct fill_tally {
    size_t embedded, caged, refused;
    size_t failures;          /* each is printed */
    double smallest, largest; /* dihedral angles */
    double largest_weight;    /* sum of a row's weights without signs */
    size_t outside;           /* vertices outside of their cage */
} fill_tally;

/* Surface number `seed` with about so many triangles, with `cells` along its longest side. */
void fill_campaign(uint64_t seed, size_t triangles, int cells, fill_tally *tally);

#endif
