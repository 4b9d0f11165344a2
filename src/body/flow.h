/* Air and water around the bodies: what is needed to know of them. */
#ifndef BODY_FLOW_H
#define BODY_FLOW_H

#include "base/array.h"
#include "base/expression.h"
#include "math/vec3.h"

#include <stdint.h>

/* Air that moves past bodies (term/wind.h). */
typedef struct model_wind {
    double density;          /* kg/m^3 */
    double drag, skin;       /* coefficients across surfaces and along them */
    expression *velocity[3]; /* m/s, by position and time; owned */
    ARRAY(int32_t) bodies;
} model_wind;

/* Water at rest, below a level (term/buoyancy.h). */
typedef struct model_water {
    double weight;     /* N/m^3 */
    vec3 up;           /* unit vector */
    expression *level; /* m along `up`, by time; owned */
    ARRAY(int32_t) bodies;
} model_water;

static inline void wind_free(model_wind *w)
{
    for (int k = 0; k < 3; k++) expression_free(w->velocity[k]);
    array_free(&w->bodies);
}

static inline void water_free(model_water *w)
{
    expression_free(w->level);
    array_free(&w->bodies);
}

#endif
