/* The low level of writing VTU files (VTK's XML unstructured grids): arrays are compressed as they
 * are added (raw appended binary, zlib), and the file is written in one go, atomically. Used for
 * plain meshes and for the frames of a run.
 *
 *     vtu_stream vtu = {0};
 *     vtu_add(&vtu, VTU_POINTS, "Points", VTU_FLOAT64, 3, n, positions, err);
 *     vtu_add_cells(&vtu, blocks, block_count, err);
 *     vtu_add(&vtu, VTU_POINT_DATA, "velocity", VTU_FLOAT64, 3, n, velocity, err);
 *     vtu_write(&vtu, path, err);
 *     vtu_free(&vtu);
 */
#ifndef MESH_VTU_STREAM_H
#define MESH_VTU_STREAM_H

#include "base/array.h"
#include "mesh/mesh.h"

typedef enum vtu_type { VTU_FLOAT64, VTU_INT32, VTU_INT64, VTU_UINT8 } vtu_type;

typedef enum vtu_section {
    VTU_FIELD_DATA,
    VTU_POINT_DATA,
    VTU_CELL_DATA,
    VTU_POINTS,
    VTU_CELLS,
    VTU_SECTION_COUNT
} vtu_section;

enum { VTU_NAME_SIZE = 64 };

typedef struct vtu_array {
    vtu_section section;
    char name[VTU_NAME_SIZE];
    vtu_type type;
    int components;
    size_t tuples;
    unsigned char *bytes; /* block header and compressed blocks */
    size_t size;
    bool borrowed; /* the bytes belong to somebody else */
} vtu_array;

typedef struct vtu_stream {
    size_t point_count, cell_count;
    ARRAY(vtu_array) arrays;
} vtu_stream;

/* Compresses tuples * components values. Names longer than VTU_NAME_SIZE - 1 are refused. */
abut_status vtu_add(vtu_stream *vtu, vtu_section section, const char *name, vtu_type type,
                    int components, size_t tuples, const void *data, abut_error *err);

/* Adds connectivity, offsets and types of the blocks, in VTK's node order. */
abut_status vtu_add_cells(vtu_stream *vtu, const cell_block *blocks, size_t block_count,
                          abut_error *err);

/* Adds an array that another stream has compressed already and keeps. */
abut_status vtu_add_packed(vtu_stream *vtu, const vtu_array *array, abut_error *err);

/* Writes everything that was added. The stream may be written again, elsewhere. */
abut_status vtu_write(const vtu_stream *vtu, const char *path, abut_error *err);
void vtu_free(vtu_stream *vtu);

#endif
