/* Measured fabrics: the presets of shells. Sources: Penava and others 2014 (isotropic), Clyde 2017
 * (orthotropic, with the largest strains), as listed with Codimensional IPC. */
#ifndef SCENE_CLOTH_H
#define SCENE_CLOTH_H

#include <stdbool.h>

typedef struct cloth {
    const char *name;
    double density, thickness; /* kg/m^3, m */
    double young, poisson;     /* Pa; of an orthotropic fabric for bending only */
    double limit;              /* largest stretch; isotropic fabrics */
    bool orthotropic;
    double stiffness[4]; /* a11, a22, a12, G12 in Pa */
    double strains[3];   /* Green strains of warp, weft and shear that are not reached */
} cloth;

extern const cloth cloth_table[];
extern const char *const cloth_words[]; /* the names, in order, and NULL */

#endif
