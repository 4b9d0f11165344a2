#include "scene/linear_map.h"

#include "base/file.h"
#include "base/memory.h"

#include <hdf5.h>
#include <string.h>

void linear_map_free(linear_map *map)
{
    mem_free(map->row);
    mem_free(map->column);
    mem_free(map->value);
    memset(map, 0, sizeof *map);
}

/* A one-dimensional data set as doubles or 32-bit integers. */
static abut_status read_list(hid_t group, const char *name, hid_t type, size_t item, void **out,
                             size_t *count, const char *path, abut_error *err)
{
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0)
        return error_set(err, ABUT_ERROR_INPUT, path, "weight_triplets has no data set \"%s\"",
                         name);
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    abut_status status = ABUT_OK;
    if (points < 0 || points > INT32_MAX) {
        status = error_set(err, ABUT_ERROR_INPUT, path, "\"%s\" cannot be read", name);
    } else {
        *count = (size_t)points;
        *out = mem_alloc(*count + 1, item);
        if (!*out) status = error_memory(err, "reading a linear map");
    }
    if (status == ABUT_OK && *count > 0 &&
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0)
        status = error_set(err, ABUT_ERROR_INPUT, path, "\"%s\" is not a list of numbers", name);
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    return status;
}

static abut_status read_shape(hid_t group, linear_map *out, const char *path, abut_error *err)
{
    int64_t shape[2] = {-1, -1};
    bool good = H5Aexists(group, "shape") > 0;
    hid_t attribute = good ? H5Aopen(group, "shape", H5P_DEFAULT) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    good = space >= 0 && H5Sget_simple_extent_npoints(space) == 2 &&
           H5Aread(attribute, H5T_NATIVE_INT64, shape) >= 0 && shape[0] >= 0 && shape[1] >= 0;
    if (space >= 0) H5Sclose(space);
    if (attribute >= 0) H5Aclose(attribute);
    if (!good)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "weight_triplets needs the attribute \"shape\" with two numbers");
    out->rows = (size_t)shape[0];
    out->columns = (size_t)shape[1];
    return ABUT_OK;
}

static abut_status read_group(hid_t group, linear_map *out, const char *path, abut_error *err)
{
    size_t rows = 0, columns = 0;
    TRY(read_shape(group, out, path, err));
    TRY(read_list(group, "values", H5T_NATIVE_DOUBLE, sizeof(double), (void **)&out->value,
                  &out->count, path, err));
    TRY(read_list(group, "rows", H5T_NATIVE_INT32, sizeof(int32_t), (void **)&out->row, &rows, path,
                  err));
    TRY(read_list(group, "cols", H5T_NATIVE_INT32, sizeof(int32_t), (void **)&out->column, &columns,
                  path, err));
    if (rows != out->count || columns != out->count)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "values, rows and cols have %zu, %zu and %zu entries; they must agree",
                         out->count, rows, columns);
    return ABUT_OK;
}

abut_status linear_map_read(const char *path, linear_map *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    if (!file_exists(path)) return error_set(err, ABUT_ERROR_IO, path, "there is no such file");
    if (!file_is_regular(path)) return error_set(err, ABUT_ERROR_IO, path, "is not a regular file");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* errors are ours to report */
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return error_set(err, ABUT_ERROR_INPUT, path, "not an HDF5 file");
    abut_status status;
    if (H5Lexists(file, "weight_triplets", H5P_DEFAULT) <= 0) {
        status = error_set(err, ABUT_ERROR_INPUT, path, "has no group \"weight_triplets\"");
    } else {
        hid_t group = H5Gopen2(file, "weight_triplets", H5P_DEFAULT);
        status = group < 0
                     ? error_set(err, ABUT_ERROR_INPUT, path, "\"weight_triplets\" is not a group")
                     : read_group(group, out, path, err);
        if (group >= 0) H5Gclose(group);
    }
    H5Fclose(file);
    if (status != ABUT_OK) linear_map_free(out);
    return status;
}
