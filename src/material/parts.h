/* What a material has beside its elastic law: viscous branches, plastic flow, fibres, growth
 * (docs/materials.md). All numbers are constant; what changes from step to step is the state of
 * each point (material/point.h). */
#ifndef MATERIAL_PARTS_H
#define MATERIAL_PARTS_H

#include "base/expression.h"

#include <stdbool.h>
#include <stddef.h>

enum { MATERIAL_MAX_BRANCHES = 8, MATERIAL_MAX_FAMILIES = 4 };

/* A spring and a damper in series, beside the elastic law (a term of a Prony series). */
typedef struct viscous_branch {
    double shear; /* Pa, G_i */
    double time;  /* s, of relaxation */
} viscous_branch;

/* Von Mises' flow with isotropic hardening:
 * sigma_y(a) = yield + hardening a + (saturation - yield) (1 - exp(-rate a)). */
typedef struct plastic_flow {
    bool given;
    double yield;      /* Pa */
    double hardening;  /* Pa */
    double saturation; /* Pa; 0: the yield stress, no saturation */
    double rate;       /* 1; of the saturation */
    double viscosity;  /* Pa s: overstress by the rate of plastic strain */
} plastic_flow;

/* Fibres of one direction: k1/(2 k2) (exp(2 k2 w(E)) - 1), and an active tension T(t). */
typedef struct fibre_family {
    expression *direction[3]; /* at rest, by position at rest; its length does not matter */
    double stiffness;         /* k1, Pa */
    double exponent;          /* k2, 1 */
    double dispersion;        /* kappa: 0 all along, 1/3 in all directions alike */
    expression *active;       /* T, Pa: force per area at rest along the fibre; NULL: none */
} fibre_family;

typedef struct material_parts {
    viscous_branch *branch;
    size_t branch_count;
    plastic_flow plastic;
    fibre_family *family;
    size_t family_count;
    expression *growth[3]; /* stretches along the axes at rest, by time; NULL: none */
} material_parts;

/* Whether there are any. */
static inline bool material_has_parts(const material_parts *p)
{
    return p->branch_count > 0 || p->plastic.given || p->family_count > 0 || p->growth[0];
}

#endif
