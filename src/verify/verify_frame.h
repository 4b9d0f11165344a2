/* Independent check of a saved moment: exact intersections of the collision surface, inverted tets,
 * nodes behind half-spaces, the smallest distance. It works on a frame, that is, on what was
 * written to disk, and uses the checker of geometry/check.h only; nothing of the solver's contact
 * code. */
#ifndef VERIFY_VERIFY_FRAME_H
#define VERIFY_VERIFY_FRAME_H

#include "base/array.h"
#include "geometry/check_path.h"
#include "output/frame.h"

#include <math.h>

typedef struct verify_plane {
    vec3 origin, normal; /* unit length, to the free side */
} verify_plane;

/* Limits of the deformation of a sheet, and what is needed to measure it. */
typedef struct verify_limit {
    double upper, lower; /* of the singular values; INFINITY and 0: none */
    double strains[3];   /* of the Green strains of warp, weft and shear; INFINITY: none */
    vec3 warp;
    bool pattern; /* rest shape in the frame's field "pattern"; otherwise the start */
} verify_limit;

static inline bool verify_limit_exists(const verify_limit *l)
{
    return isfinite(l->upper) || l->lower > 0 || isfinite(l->strains[0]);
}

/* What the frames cannot tell. Bodies are counted as in the field "body" of the frames. */
typedef struct verify_setup {
    bool contact; /* without contact only inversions are looked for */
    size_t body_count;
    uint8_t *body_flags;    /* CHECK_BODY_* */
    int32_t *body_group;    /* bodies that do not collide; -1: none */
    int32_t (*excluded)[2]; /* pairs of such, by joints; the lesser first */
    size_t excluded_count;
    uint8_t *invertible; /* per body: its material allows inverted tets; NULL: none does */
    size_t plane_count;
    verify_plane *planes;
    double radius;        /* distances are measured up to this; 0: not at all */
    double *thickness;    /* per body: pairs must stay further apart than their mean; NULL: none */
    verify_limit *limits; /* per body; NULL: none */
    /* Only for several moments with the same cells: their surface, and the only pairs that can
     * intersect (from verify_candidates). NULL: found anew. */
    const struct surface_parts *parts;
    const check_pair *candidates;
    size_t candidate_count;
    const uint8_t *only; /* per point: pairs without a marked one are not looked at; or NULL */
    bool surface_only;   /* not the tets, whose inner nodes are not known at that moment */
} verify_setup;

typedef enum verify_kind {
    VERIFY_INTERSECTION,
    VERIFY_INVERTED,
    VERIFY_BEHIND_PLANE,
    VERIFY_INSIDE,    /* a surface node in the interior of a tet */
    VERIFY_TOO_CLOSE, /* a pair within its thickness */
    VERIFY_STRAINED,  /* a triangle at or beyond a limit */
    VERIFY_MEETING    /* a pair that is not proven to be apart along a path */
} verify_kind;

typedef struct verify_problem {
    verify_kind kind;
    check_kind pair; /* of an intersection */
    int64_t step;
    bool on_path;                /* to that step: at a moment between frames */
    int32_t first[4], second[4]; /* points of the frame: of a tet, or of the two primitives */
    size_t first_count, second_count;
    int32_t first_body, second_body; /* the latter: number of the plane, -1 for a tet */
    int32_t tet;                     /* number among all tets, of an inverted one */
    vec3 position;
    double depth; /* m; of a tet: minus its volume in m^3; of a triangle: stretch or strain */
} verify_problem;

typedef ARRAY(verify_problem) verify_problems;

typedef struct verify_result {
    int64_t step;
    double time;
    size_t intersections, inverted, behind_planes, inside, too_close, strained;
    /* Tets of materials that allow it are inverted, and nodes are in tets of a body that has such
     * ones: its interior is not where its surface is. No violations. */
    size_t allowed_inverted, allowed_inside;
    double min_distance; /* INFINITY beyond the radius, 0 when something intersects */
} verify_result;

/* Checks one frame; problems are appended to the list until it holds `most`. */
abut_status verify_frame(const frame *f, const verify_setup *setup, size_t most,
                         verify_result *result, verify_problems *problems, abut_error *err);

/* The surface of a frame, to be freed with surface_parts_free. */
abut_status verify_surface(const frame *f, struct surface_parts *out, abut_error *err);
/* The pairs of it that can intersect while every point stays in its box low..high, allocated with
 * mem_alloc. */
abut_status verify_candidates(const frame *f, const verify_setup *setup,
                              const struct surface_parts *parts, const vec3 *low, const vec3 *high,
                              check_pair **pairs, size_t *count, abut_error *err);

/* The pairs of the surface that are not proven to be apart along the path of all points, at whose
 * end the frame is: as in geometry/check_path.h. The path's thickness is that of the setup. */
abut_status verify_meetings(const frame *f, const verify_setup *setup,
                            const struct surface_parts *parts, const check_path *path,
                            check_meeting **meetings, size_t *count, size_t *looked_at,
                            abut_error *err);
/* Appends problems for the meetings until the list holds `most`. */
abut_status verify_list_meetings(const frame *f, const verify_setup *setup,
                                 const struct surface_parts *parts, const check_path *path,
                                 const check_meeting *meetings, size_t count, size_t most,
                                 verify_problems *problems, abut_error *err);
/* Vertices of a meeting, at most six; returns how many. */
size_t verify_meeting_points(const struct surface_parts *parts, const check_meeting *meeting,
                             int32_t points[6]);

/* "edge 3 7 of "ball" meets triangle 1 2 9 of "mat" at (0, 1, 2), 0.01 m deep"; names: of the
 * bodies.
 */
void verify_describe(const verify_problem *problem, const char *const *names, char *text,
                     size_t size);

#endif
