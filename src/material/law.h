/* What an elastic law of volumes is to the rest of the program: its energy, what it allows, and the
 * parameters that it has of its own. */
#ifndef MATERIAL_LAW_H
#define MATERIAL_LAW_H

#include "material/elastic.h"

/* A parameter of the law's own, `parameters.NAME` of a material in scenes. */
typedef struct law_parameter {
    const char *name, *unit;
    double least, most; /* allowed, both included */
    const char *doc;
} law_parameter;

struct elastic_law {
    const char *doc;        /* energy density, for the reference */
    bool forbids_inversion; /* infinite energy for J <= 0: steps of elements are filtered */
    bool small_strain;      /* has no sense for large ones, nor a barrier against inversion */
    /* Energy density, stress and spectrum of the Hessian, each where not NULL (elastic.h). */
    void (*evaluate)(const elastic_parameters *m, mat3 f, bool project, double *energy,
                     mat3 *stress, elastic_spectrum *spectrum);
    /* Values in elastic_parameters.own, in this order. All must be given in a scene. */
    int parameter_count;
    const law_parameter *parameters;
};

#endif
