/* Closed cavities with gas in them: the space within a closed surface of triangles between nodes.
 */
#ifndef BODY_CAVITY_H
#define BODY_CAVITY_H

#include "base/array.h"
#include "base/expression.h"
#include "base/status.h"
#include "math/vec3.h"

#include <stdint.h>

/* So many of a model: each is a rank of the Newton matrix of its own. */
enum { MODEL_MAX_CAVITIES = 8 };

typedef struct model_cavity {
    int32_t body;
    ARRAY(int32_t) triangles; /* three blocks each, outward from the gas */
    double volume;            /* at rest, m^3 */
    double pressure, outside; /* Pa, absolute; of the gas at rest */
    double exponent;          /* of p V^exponent: 1 isothermal, 1.4 adiabatic air */
    expression *amount;       /* of gas by time, 1: that at rest; owned, NULL: 1 */
} model_cavity;

void cavity_free(model_cavity *c);

/* Volume within closed triangles at positions x. */
double cavity_volume(const model_cavity *c, const double *x);

/* ABUT_ERROR_INPUT with the first edge that does not have two triangles, on opposite sides. */
abut_status cavity_check_closed(const int32_t *triangles, size_t count, abut_error *err);

/* Keeps the connected pieces whose normals point into the volume they enclose, turned around: the
 * inner boundaries of a solid. block_count: of the model. */
abut_status cavity_keep_inner(model_cavity *c, size_t block_count, const double *x,
                              abut_error *err);

#endif
