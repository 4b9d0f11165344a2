/* Reading and writing mesh files. The format is recognised from the extension and the content. */
#ifndef MESH_MESH_IO_H
#define MESH_MESH_IO_H

#include "mesh/mesh.h"

typedef struct mesh_read_options {
    bool weld;             /* merge vertices at equal positions; those of STL files always are */
    double weld_tolerance; /* relative to the bounding box diagonal; 0 = exactly equal */
} mesh_read_options;

/* MSH 2.2/4.1 ASCII and binary, OBJ, PLY, STL, OFF, legacy VTK, VTU, Medit .mesh, IPC .seg.
 * options may be NULL. Errors name file and line (or byte). */
abut_status mesh_read(const char *path, const mesh_read_options *options, mesh *out,
                      abut_error *err);

/* VTU, OBJ, PLY, MSH (4.1, or 2.2 for the extension "msh2") by extension of the path; atomic. */
abut_status mesh_write(const char *path, const mesh *m, abut_error *err);

#endif
