/* Reading the weights of a collision surface from an HDF5 file, as the tools of High-Order IPC
 * write them: group weight_triplets with the data sets values, rows, cols and the attribute shape.
 */
#ifndef SCENE_LINEAR_MAP_H
#define SCENE_LINEAR_MAP_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct linear_map {
    size_t rows, columns, count;
    int32_t *row, *column;
    double *value;
} linear_map;

abut_status linear_map_read(const char *path, linear_map *out, abut_error *err);
void linear_map_free(linear_map *map);

#endif
