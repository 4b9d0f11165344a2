/* Classification of pairs to their closest features, closest points, true distances. */
#include "geometry/distance.h"

#include <stddef.h>

const feature_stencil point_edge_features[PE_TYPES] = {
    [PE_P_E0] = {STENCIL_PP, 2, {0, 1}},
    [PE_P_E1] = {STENCIL_PP, 2, {0, 2}},
    [PE_P_E] = {STENCIL_PE, 3, {0, 1, 2}},
};

const feature_stencil point_triangle_features[PT_TYPES] = {
    [PT_P_T0] = {STENCIL_PP, 2, {0, 1}},      [PT_P_T1] = {STENCIL_PP, 2, {0, 2}},
    [PT_P_T2] = {STENCIL_PP, 2, {0, 3}},      [PT_P_E01] = {STENCIL_PE, 3, {0, 1, 2}},
    [PT_P_E12] = {STENCIL_PE, 3, {0, 2, 3}},  [PT_P_E20] = {STENCIL_PE, 3, {0, 3, 1}},
    [PT_P_T] = {STENCIL_PT, 4, {0, 1, 2, 3}},
};

const feature_stencil edge_edge_features[EE_TYPES] = {
    [EE_A0_B0] = {STENCIL_PP, 2, {0, 2}},     [EE_A0_B1] = {STENCIL_PP, 2, {0, 3}},
    [EE_A1_B0] = {STENCIL_PP, 2, {1, 2}},     [EE_A1_B1] = {STENCIL_PP, 2, {1, 3}},
    [EE_A_B0] = {STENCIL_PE, 3, {2, 0, 1}},   [EE_A_B1] = {STENCIL_PE, 3, {3, 0, 1}},
    [EE_A0_B] = {STENCIL_PE, 3, {0, 2, 3}},   [EE_A1_B] = {STENCIL_PE, 3, {1, 2, 3}},
    [EE_A_B] = {STENCIL_EE, 4, {0, 1, 2, 3}},
};

static const double parallel_sine2 = DISTANCE_PARALLEL_SINE * DISTANCE_PARALLEL_SINE;
static const double true_sine2 = 1e-26;

/* Whether the directions u and v with cross product n span a plane whose normal can be trusted; the
 * second limit keeps lengths below 1e-70, whose products vanish, away from the divisions. */
static inline bool spans_plane(vec3 u, vec3 v, vec3 n, double sine2)
{
    double n2 = vec3_norm2(n);
    return n2 > sine2 * vec3_norm2(u) * vec3_norm2(v) && n2 > 1e-280;
}

/* ---- Point and edge ---- */

point_edge_type point_edge_classify(vec3 p, vec3 e0, vec3 e1)
{
    vec3 e = vec3_sub(e1, e0);
    double along = vec3_dot(vec3_sub(p, e0), e);
    if (!(along > 0.0)) return PE_P_E0;
    return along < vec3_norm2(e) ? PE_P_E : PE_P_E1;
}

static inline double point_edge_type_distance2(point_edge_type type, vec3 p, vec3 e0, vec3 e1)
{
    if (type == PE_P_E) return point_edge_distance2(p, e0, e1);
    return point_point_distance2(p, type == PE_P_E0 ? e0 : e1);
}

static void weights_zero(int n, double *weight)
{
    for (int i = 0; i < n; i++) weight[i] = 0.0;
}

/* Weights of the closest points of a reduced stencil, spread over the n vertices of the pair. */
static void feature_weights(const feature_stencil *feature, const vec3 *x, int n, double *weight)
{
    double local[4] = {1.0, -1.0};
    const int *v = feature->vertex;
    switch (feature->kind) {
    case STENCIL_PP: break;
    case STENCIL_PE: point_edge_weights(x[v[0]], x[v[1]], x[v[2]], local); break;
    case STENCIL_PT: point_triangle_weights(x[0], x[1], x[2], x[3], local); break;
    case STENCIL_EE: edge_edge_weights(x[0], x[1], x[2], x[3], local); break;
    }
    weights_zero(n, weight);
    for (int i = 0; i < feature->count; i++) weight[v[i]] = local[i];
}

static double feature_distance2(const feature_stencil *feature, const vec3 *x)
{
    vec3 y[4];
    for (int i = 0; i < feature->count; i++) y[i] = x[feature->vertex[i]];
    return stencil_distance2(feature->kind, y);
}

double point_edge_closest(vec3 p, vec3 e0, vec3 e1, point_edge_type *type, double weight[3])
{
    const vec3 x[4] = {p, e0, e1, e1};
    point_edge_type found = point_edge_classify(p, e0, e1);
    if (type) *type = found;
    if (weight) feature_weights(&point_edge_features[found], x, 3, weight);
    return point_edge_type_distance2(found, p, e0, e1);
}

double point_edge_true_distance2(vec3 p, vec3 e0, vec3 e1)
{
    return point_edge_type_distance2(point_edge_classify(p, e0, e1), p, e0, e1);
}

/* ---- Point and triangle ---- */

/* Nearest of those edges of the triangle whose bit is set. */
static point_triangle_type nearest_edge(vec3 p, vec3 t0, vec3 t1, vec3 t2, int edges)
{
    static const point_triangle_type names[3][PE_TYPES] = {
        {PT_P_T0, PT_P_T1, PT_P_E01}, {PT_P_T1, PT_P_T2, PT_P_E12}, {PT_P_T2, PT_P_T0, PT_P_E20}};
    const vec3 t[4] = {t0, t1, t2, t0};
    point_triangle_type best = PT_P_T0;
    double best_distance2 = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (!(edges & (1 << k))) continue;
        point_edge_type type = point_edge_classify(p, t[k], t[k + 1]);
        if (edges == 1 << k) return names[k][type];
        double distance2 = point_edge_type_distance2(type, p, t[k], t[k + 1]);
        if (distance2 < best_distance2) {
            best = names[k][type];
            best_distance2 = distance2;
        }
    }
    return best;
}

/* The closest point is in the face, or on one of the edges that have p on their outer side. */
static inline point_triangle_type classify_triangle(vec3 p, vec3 t0, vec3 t1, vec3 t2, double sine2)
{
    vec3 u = vec3_sub(t1, t0), v = vec3_sub(t2, t0), w = vec3_sub(p, t0);
    vec3 n = vec3_cross(u, v);
    if (!spans_plane(u, v, n, sine2)) return nearest_edge(p, t0, t1, t2, 7);
    double inside0 = vec3_dot(n, vec3_cross(u, w));
    double inside1 = vec3_dot(n, vec3_cross(vec3_sub(t2, t1), vec3_sub(p, t1)));
    double inside2 = vec3_dot(n, vec3_cross(w, v));
    int outer = (inside0 > 0.0 ? 0 : 1) | (inside1 > 0.0 ? 0 : 2) | (inside2 > 0.0 ? 0 : 4);
    return outer ? nearest_edge(p, t0, t1, t2, outer) : PT_P_T;
}

point_triangle_type point_triangle_classify(vec3 p, vec3 t0, vec3 t1, vec3 t2)
{
    return classify_triangle(p, t0, t1, t2, parallel_sine2);
}

double point_triangle_closest(vec3 p, vec3 t0, vec3 t1, vec3 t2, point_triangle_type *type,
                              double weight[4])
{
    const vec3 x[4] = {p, t0, t1, t2};
    point_triangle_type found = point_triangle_classify(p, t0, t1, t2);
    if (type) *type = found;
    if (weight) feature_weights(&point_triangle_features[found], x, 4, weight);
    return feature_distance2(&point_triangle_features[found], x);
}

double point_triangle_true_distance2(vec3 p, vec3 t0, vec3 t1, vec3 t2)
{
    const vec3 x[4] = {p, t0, t1, t2};
    point_triangle_type type = classify_triangle(p, t0, t1, t2, true_sine2);
    return feature_distance2(&point_triangle_features[type], x);
}

/* ---- Edge and edge ---- */

/* Where a closest point is on its edge. */
typedef enum edge_feature { AT_START, AT_END, INSIDE } edge_feature;

static const edge_edge_type edge_edge_names[3][3] = {
    /* position on A down, position on B across: start, end, inside */
    {EE_A0_B0, EE_A0_B1, EE_A0_B},
    {EE_A1_B0, EE_A1_B1, EE_A1_B},
    {EE_A_B0, EE_A_B1, EE_A_B},
};

static inline edge_feature feature_of(double along, double length2)
{
    if (!(along > 0.0)) return AT_START;
    return along < length2 ? INSIDE : AT_END;
}

/* Parallel edges and edges of no length: the nearest of the four end points. */
static edge_edge_type nearest_end(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    const vec3 ends[4] = {a0, a1, b0, b1};
    edge_edge_type best = EE_A0_B0;
    double best_distance2 = INFINITY;
    for (int k = 0; k < 4; k++) {
        bool of_a = k < 2;
        vec3 e0 = of_a ? b0 : a0, e1 = of_a ? b1 : a1;
        point_edge_type type = point_edge_classify(ends[k], e0, e1);
        double distance2 = point_edge_type_distance2(type, ends[k], e0, e1);
        if (!(distance2 < best_distance2)) continue;
        edge_feature end = k & 1 ? AT_END : AT_START;
        edge_feature other = type == PE_P_E ? INSIDE : type == PE_P_E0 ? AT_START : AT_END;
        best = of_a ? edge_edge_names[end][other] : edge_edge_names[other][end];
        best_distance2 = distance2;
    }
    return best;
}

/* Clamp the parameter on A, find the best one on B for it, clamp that, and if it was clamped find
 * the best one on A again. The parameter on A comes from cross products, not from the determinant
 * of dot products, whose error would grow with the square of 1/sine. */
static inline edge_edge_type classify_edges(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double sine2)
{
    vec3 u = vec3_sub(a1, a0), v = vec3_sub(b1, b0), w = vec3_sub(a0, b0);
    vec3 n = vec3_cross(u, v);
    if (!spans_plane(u, v, n, sine2)) return nearest_end(a0, a1, b0, b1);
    double uu = vec3_norm2(u), vv = vec3_norm2(v), n2 = vec3_norm2(n);

    double on_a = vec3_dot(vec3_cross(v, w), n);
    edge_feature on_first = feature_of(on_a, n2);
    double on_b;
    if (on_first == AT_START)
        on_b = vec3_dot(v, w);
    else if (on_first == AT_END)
        on_b = vec3_dot(v, vec3_sub(a1, b0));
    else
        on_b = vec3_dot(v, vec3_mul_add(w, on_a / n2, u));
    edge_feature on_second = feature_of(on_b, vv);
    if (on_second == AT_START) on_first = feature_of(-vec3_dot(u, w), uu);
    if (on_second == AT_END) on_first = feature_of(vec3_dot(u, vec3_sub(b1, a0)), uu);
    return edge_edge_names[on_first][on_second];
}

edge_edge_type edge_edge_classify(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    return classify_edges(a0, a1, b0, b1, parallel_sine2);
}

double edge_edge_closest(vec3 a0, vec3 a1, vec3 b0, vec3 b1, edge_edge_type *type, double weight[4])
{
    const vec3 x[4] = {a0, a1, b0, b1};
    edge_edge_type found = edge_edge_classify(a0, a1, b0, b1);
    const feature_stencil *feature = &edge_edge_features[found];
    if (type) *type = found;
    if (weight) {
        feature_weights(feature, x, 4, weight);
        /* A reduced stencil starts with its point; here edge A has the positive weights. */
        if (feature->kind == STENCIL_PE && feature->vertex[0] >= 2)
            for (int i = 0; i < 4; i++) weight[i] = -weight[i];
    }
    return feature_distance2(feature, x);
}

double edge_edge_true_distance2(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    const vec3 x[4] = {a0, a1, b0, b1};
    edge_edge_type type = classify_edges(a0, a1, b0, b1, true_sine2);
    return feature_distance2(&edge_edge_features[type], x);
}
