/* What the page of `abut view` gets of a frame. A packet is the four letters "ABUT", the length of
 * a JSON header (uint32), the header, padding to a multiple of four bytes, then arrays of numbers,
 * all little-endian; the header lists the arrays (name, type, components, count, offset from the
 * first array). Only what can be seen is sent: the points of the visible surface, in single
 * precision around an origin. The surface itself (the topology) has an identity and is sent once
 * for all frames that share it. */
#ifndef OUTPUT_VIEW_PACKET_H
#define OUTPUT_VIEW_PACKET_H

#include "output/surface.h"
#include "output/view_grid.h"

enum { VIEW_ID_SIZE = 17 };

/* The visible part of frames with the same cells. */
typedef struct view_surface {
    surface surface;
    ARRAY(int32_t) points;   /* node of every point that is sent, ascending */
    ARRAY(int32_t) index_of; /* inverse of that; -1 for nodes that are not sent */
    ARRAY(int32_t) bodies;   /* of every point that is sent; 0 where the frame has none */
    char id[VIEW_ID_SIZE];   /* hexadecimal; "" before the first update */
} view_surface;

/* Makes *s the surface of the frame; cheap when cells and bodies are those of the last call. */
abut_status view_surface_update(view_surface *s, const frame *f, abut_error *err);
void view_surface_free(view_surface *s);

typedef ARRAY(float) float_values;

typedef struct packet {
    unsigned char *bytes; /* from mem_alloc */
    size_t size;
} packet;

/* Arrays: `body` per point, `triangles`, `hidden` (see surface_triangle), `lines`, `dots`. */
abut_status view_topology_packet(const view_surface *s, packet *out, abut_error *err);

/* Values of a field at the points that are sent, `components` per point; values of cells become
 * means over the cells around a point. false: the frame has no such field (0 components), or out of
 * memory. */
bool view_field_values(const view_surface *s, const frame *f, const char *name, int *components,
                       float_values *out);

/* Arrays: those of the named fields that the frame has (vectors as they are; values of cells become
 * means over the cells around a point) and `points` minus the origin. The header also has step,
 * time, origin, topology, bounds and the list of all fields. With a memory of grids the points are
 * of type "grid" (output/view_grid.h), and the header has `grid`, its low and high corner, `sent`,
 * the name under which it is kept, and, if they are changes against another frame, `base`, the name
 * of that one. */
typedef struct view_request {
    const char *const *fields;
    size_t field_count;
    grid_memory *grids; /* NULL: points in single precision */
    uint64_t base;      /* a frame that the page has, 0: none */
} view_request;

abut_status view_frame_packet(const view_surface *s, const frame *f, vec3 origin,
                              const view_request *request, packet *out, abut_error *err);

#endif
