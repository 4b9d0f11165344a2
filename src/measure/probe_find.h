/* The points that a probe follows. */
#ifndef MEASURE_PROBE_FIND_H
#define MEASURE_PROBE_FIND_H

#include "measure/probe_list.h"

/* Fills points and weights of p. */
abut_status probe_find_points(probe *p, const model_frame *surface, const volume_frame *volume,
                              const model *m, abut_error *err);

#endif
