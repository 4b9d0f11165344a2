/* One saved moment of a run: positions, cells and named fields. A frame only borrows its arrays, so
 * the simulator describes what it has and hands it over; nothing is copied. On disk it is a VTU
 * file with Float64 positions, so that a frame is exact. */
#ifndef OUTPUT_FRAME_H
#define OUTPUT_FRAME_H

#include "mesh/mesh.h"

typedef enum frame_location { FRAME_POINTS, FRAME_CELLS } frame_location;

enum { FRAME_MAX_FIELDS = 32 };

/* One value (or vector) per point or per cell; exactly one of the two arrays is set, or none where
 * a reader was not asked for the values. */
typedef struct frame_field {
    const char *name;
    frame_location place;
    int components; /* 1, 3 (vectors), 6 or 9 (tensors) */
    const double *doubles;
    const int32_t *ints;
} frame_field;

/* The path since the frame before; output/frame_path.h reads it. Without steps: not noted. */
typedef struct frame_paths {
    const double *numbers; /* of all configurations, one after the other */
    size_t number_count;
    const int32_t *configurations; /* per step, or per stretch of one: how many */
    size_t step_count;
    const int32_t *kinds; /* per body: path_kind */
    size_t body_count;
    const int32_t *near; /* points of bodies of PATH_NEAR that are given, ascending */
    size_t near_count;
} frame_paths;

typedef struct frame {
    double time; /* s */
    int64_t step;
    size_t point_count;
    const vec3 *points;
    size_t block_count;
    const cell_block *blocks; /* cells are counted through the blocks in order; tags are not used */
    size_t field_count;
    frame_field fields[FRAME_MAX_FIELDS];
    frame_paths path;
} frame;

/* Common names of fields. The renderer and the viewer know them. */
#define FIELD_BODY "body"                   /* int32 per point or cell: index of the body */
#define FIELD_VELOCITY "velocity"           /* 3 doubles per point */
#define FIELD_DISPLACEMENT "displacement"   /* 3 doubles per point */
#define FIELD_PATTERN "pattern"             /* 3 doubles per point: rest shape of flat patterns */
#define FIELD_STRESS "stress"               /* 1 double per cell: von Mises */
#define FIELD_STRETCH "stretch"             /* 1 double per cell: largest singular value of F */
#define FIELD_CONTACT_FORCE "contact_force" /* 3 doubles per point: contact and friction, N */
#define FIELD_CONTACT_PRESSURE "contact_pressure"   /* 1 double per point, Pa */
#define FIELD_FRICTION_TRACTION "friction_traction" /* 3 doubles per point, Pa */
#define FIELD_GAP "gap"                             /* 1 double per point, m; NaN beyond dhat */
#define FIELD_CONTACT_STATE "contact_state"         /* 1 double per point: 0, 1 stick, 2 slip */

#define FIELD_CAUCHY_STRESS "cauchy_stress"             /* 6 doubles per point and cell, Pa */
#define FIELD_SECOND_PIOLA_STRESS "second_piola_stress" /* 6 doubles per point and cell, Pa */
#define FIELD_PRINCIPAL_STRETCHES "principal_stretches" /* 3 doubles per point and cell */
#define FIELD_ENERGY_DENSITY "energy_density"           /* 1 double per point and cell, J/m^3 */
#define FIELD_VON_MISES "von_mises"                     /* 1 double per point and cell, Pa */
#define FIELD_PLASTIC_STRAIN "plastic_strain"           /* 1 double per point and cell */
#define FIELD_DISSIPATED_ENERGY "dissipated_energy"     /* 1 double per point and cell, J/m^3 */

/* A field beyond FRAME_MAX_FIELDS is a programming error (asserted). */
void frame_add_doubles(frame *f, frame_location place, const char *name, int components,
                       const double *data);
void frame_add_ints(frame *f, frame_location place, const char *name, int components,
                    const int32_t *data);
/* NULL when there is no such field there. */
const frame_field *frame_find(const frame *f, frame_location place, const char *name);
size_t frame_cell_count(const frame *f);

/* Writes the frame as VTU, atomically. */
abut_status frame_write_vtu(const frame *f, const char *path, abut_error *err);
/* The same for the frames of a run: cells that are those of the frame before are not compressed
 * again. *cells is NULL at first; free it at the end. */
typedef struct frame_cells frame_cells;
abut_status frame_write_next_vtu(const frame *f, frame_cells **cells, const char *path,
                                 abut_error *err);
void frame_cells_free(frame_cells *cells);
/* Writes all points and the surface (boundary of solids, triangles, free edges, free points) as
 * OBJ, atomically. Points keep their numbers from frame to frame. */
abut_status frame_write_obj(const frame *f, const char *path, abut_error *err);

/* A frame with the memory it points to. */
typedef struct stored_frame {
    frame frame;
    vec3 *points;
    cell_block *blocks; /* NULL where they are borrowed */
    void *arrays[FRAME_MAX_FIELDS];
    char names[FRAME_MAX_FIELDS][64];
    void *path[4]; /* numbers, configurations, kinds, near */
} stored_frame;

/* Reads a VTU file that frame_write_vtu (or mesh_write) wrote: appended raw data, zlib, one piece.
 * Other dialects of VTU, damaged and cut files are ABUT_ERROR_INPUT with the reason; nothing in the
 * file is trusted. */
abut_status frame_read(const char *path, stored_frame *out, abut_error *err);
/* Reads the frames of a run one after the other: cells that are stored as those of the frame before
 * are not unpacked again. *reader is NULL at first; free it at the end. The frame borrows its cells
 * from it until the next call. Of the fields `body` and those that are named have values, all with
 * names = NULL; paths are left out. */
typedef struct frame_reader frame_reader;
abut_status frame_read_next(frame_reader **reader, const char *path, const char *const *names,
                            size_t name_count, stored_frame *out, abut_error *err);
void frame_reader_free(frame_reader *reader);
void stored_frame_free(stored_frame *f);
/* A frame with memory of its own, cells included, without the path. */
abut_status stored_frame_copy(const frame *f, stored_frame *out, abut_error *err);
/* Reads only time and step (0 and -1 when the file does not have them). */
abut_status frame_read_time(const char *path, double *time, int64_t *step, abut_error *err);

#endif
