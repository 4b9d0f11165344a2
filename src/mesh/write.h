/* The writers of single mesh formats. Each fills an open file; errors of the disk show when it is
 * committed. */
#ifndef MESH_WRITE_H
#define MESH_WRITE_H

#include "base/file.h"
#include "mesh/mesh.h"

/* What formats for surfaces hold: polygons of 3 or 4 corners, edges, points. */
typedef struct flat_cells {
    const cell_block *triangles, *quads, *edges, *points;
    cell_block owned[3]; /* the surface of a solid, which was computed */
} flat_cells;

/* The cells of the mesh, or, when it has tets or hexes, its collision surface.
 * ABUT_ERROR_UNSUPPORTED for cells of higher order. */
abut_status flat_cells_of(const mesh *m, const char *format, flat_cells *out, abut_error *err);
void flat_cells_free(flat_cells *cells);

abut_status write_obj(FILE *file, const mesh *m, abut_error *err);
abut_status write_ply(FILE *file, const mesh *m, abut_error *err);
/* Binary; version 4.1, or 2.2. */
abut_status write_msh(FILE *file, const mesh *m, abut_error *err);
abut_status write_msh2(FILE *file, const mesh *m, abut_error *err);

#endif
