/* The readers of single mesh formats, all of them on bytes in memory. */
#ifndef MESH_READ_H
#define MESH_READ_H

#include "mesh/builder.h"
#include "mesh/mesh_io.h"
#include "mesh/scan.h"

typedef enum mesh_format {
    MESH_FORMAT_UNKNOWN = -1,
#define MESH_FORMAT(constant, row) MESH_FORMAT_##constant,
#include "mesh/format_list.h"
    MESH_FORMAT_COUNT
} mesh_format;

enum { MESH_FORMAT_EXTENSIONS = 3, MESH_FORMAT_STARTS = 5 };

typedef struct mesh_format_row {
    const char *name;
    const char *extensions[MESH_FORMAT_EXTENSIONS]; /* of file names, without the dot */
    const char *starts[MESH_FORMAT_STARTS];         /* what files begin with, if that is telling */
    abut_status (*read)(scan *s, mesh_builder *b);
} mesh_format_row;

extern const mesh_format_row *const mesh_formats[]; /* by mesh_format; ends with NULL */

const char *mesh_format_name(mesh_format format); /* "MSH", ... */

/* The format of these bytes, by their beginning where it is telling, else by the extension of the
 * name. */
mesh_format mesh_recognize(const char *name, const char *data, size_t size);

/* Reads a mesh from memory; `name` is for messages. */
abut_status mesh_read_memory(mesh_format format, const char *name, const char *data, size_t size,
                             const mesh_read_options *options, mesh *out, abut_error *err);

/* Merges vertices closer than options->weld_tolerance times the diagonal of the bounding box, keeps
 * the first of each group, and drops edges, triangles and quads that lose a corner by it. */
abut_status mesh_weld(mesh *m, double relative_tolerance, abut_error *err);

abut_status read_msh(scan *s, mesh_builder *b);
abut_status read_obj(scan *s, mesh_builder *b);
abut_status read_seg(scan *s, mesh_builder *b);
abut_status read_ply(scan *s, mesh_builder *b);
abut_status read_stl(scan *s, mesh_builder *b);
abut_status read_off(scan *s, mesh_builder *b);
abut_status read_vtk(scan *s, mesh_builder *b);
abut_status read_vtu(scan *s, mesh_builder *b);
abut_status read_medit(scan *s, mesh_builder *b);

#endif
