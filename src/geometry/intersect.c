#include "geometry/intersect.h"
#include "geometry/predicates.h"

static inline bool between(double x, double a, double b)
{
    return a <= b ? a <= x && x <= b : b <= x && x <= a;
}

static inline bool in_box_of(vec3 p, vec3 a, vec3 b)
{
    return between(p.x, a.x, b.x) && between(p.y, a.y, b.y) && between(p.z, a.z, b.z);
}

static inline bool intervals_meet(double a0, double a1, double b0, double b1)
{
    return fmax(a0, a1) >= fmin(b0, b1) && fmax(b0, b1) >= fmin(a0, a1);
}

static inline bool boxes_meet(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    return intervals_meet(a0.x, a1.x, b0.x, b1.x) && intervals_meet(a0.y, a1.y, b0.y, b1.y) &&
           intervals_meet(a0.z, a1.z, b0.z, b1.z);
}

/* An axis to drop so that a, b, c do not become collinear; -1 when they are collinear. */
static int projection_axis(vec3 a, vec3 b, vec3 c)
{
    for (int axis = 2; axis >= 0; axis--)
        if (orient2d_dropped(axis, a, b, c) != 0) return axis;
    return -1;
}

bool point_on_segment(vec3 p, vec3 a, vec3 b)
{
    return in_box_of(p, a, b) && projection_axis(p, a, b) < 0;
}

/* No two of the signs are opposite. */
static inline bool all_one_side(int a, int b, int c)
{
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

static bool point_in_projected(int axis, vec3 p, vec3 t0, vec3 t1, vec3 t2)
{
    return all_one_side(orient2d_dropped(axis, t0, t1, p), orient2d_dropped(axis, t1, t2, p),
                        orient2d_dropped(axis, t2, t0, p));
}

/* Segments in one plane that the projection maps one to one. */
static bool segments_meet_projected(int axis, vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    int b0_of_a = orient2d_dropped(axis, a0, a1, b0), b1_of_a = orient2d_dropped(axis, a0, a1, b1);
    int a0_of_b = orient2d_dropped(axis, b0, b1, a0), a1_of_b = orient2d_dropped(axis, b0, b1, a1);
    if (b0_of_a * b1_of_a < 0 && a0_of_b * a1_of_b < 0) return true;
    /* Otherwise they meet only if an end point of one is on the other. */
    return (b0_of_a == 0 && in_box_of(b0, a0, a1)) || (b1_of_a == 0 && in_box_of(b1, a0, a1)) ||
           (a0_of_b == 0 && in_box_of(a0, b0, b1)) || (a1_of_b == 0 && in_box_of(a1, b0, b1));
}

bool segment_hits_segment(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    if (!boxes_meet(a0, a1, b0, b1)) return false;
    if (orient3d(a0, a1, b0, b1) != 0) return false;
    int axis = projection_axis(a0, a1, b0);
    if (axis < 0) axis = projection_axis(a0, a1, b1);
    if (axis < 0) axis = projection_axis(b0, b1, a0); /* a has no length */
    /* All on one line: the boxes meet exactly when the segments do. */
    if (axis < 0) return true;
    return segments_meet_projected(axis, a0, a1, b0, b1);
}

/* Segment in the plane of the triangle, or the triangle has no plane. */
static bool segment_hits_triangle_flat(vec3 p, vec3 q, vec3 t0, vec3 t1, vec3 t2)
{
    int axis = projection_axis(t0, t1, t2);
    if (axis < 0)
        return segment_hits_segment(p, q, t0, t1) || segment_hits_segment(p, q, t1, t2) ||
               segment_hits_segment(p, q, t2, t0);
    return point_in_projected(axis, p, t0, t1, t2) || point_in_projected(axis, q, t0, t1, t2) ||
           segments_meet_projected(axis, p, q, t0, t1) ||
           segments_meet_projected(axis, p, q, t1, t2) ||
           segments_meet_projected(axis, p, q, t2, t0);
}

bool segment_hits_triangle(vec3 p, vec3 q, vec3 t0, vec3 t1, vec3 t2)
{
    int side_p = orient3d(t0, t1, t2, p), side_q = orient3d(t0, t1, t2, q);
    if (side_p * side_q > 0) return false;
    if (side_p == 0 && side_q == 0) return segment_hits_triangle_flat(p, q, t0, t1, t2);
    /* The line pierces the plane in one point of the segment; is it inside the triangle? */
    int turn0 = orient3d(p, q, t0, t1), turn1 = orient3d(p, q, t1, t2);
    if (turn0 * turn1 < 0) return false;
    return all_one_side(turn0, turn1, orient3d(p, q, t2, t0));
}

bool point_on_triangle(vec3 p, vec3 t0, vec3 t1, vec3 t2)
{
    if (orient3d(t0, t1, t2, p) != 0) return false;
    int axis = projection_axis(t0, t1, t2);
    if (axis < 0)
        return point_on_segment(p, t0, t1) || point_on_segment(p, t1, t2) ||
               point_on_segment(p, t2, t0);
    return point_in_projected(axis, p, t0, t1, t2);
}

/* Two triangles that meet do so along a point or segment that ends on an edge of one of them. */
bool triangle_hits_triangle(const vec3 a[3], const vec3 b[3])
{
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if (segment_hits_triangle(a[k], a[next], b[0], b[1], b[2])) return true;
        if (segment_hits_triangle(b[k], b[next], a[0], a[1], a[2])) return true;
    }
    return false;
}
