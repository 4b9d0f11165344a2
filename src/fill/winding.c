#include "fill/winding.h"

#include "geometry/distance.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 4 };

void winding_free(winding_tree *t)
{
    array_free(&t->triangles);
    array_free(&t->nodes);
}

/* ---- building ---- */

static int compare_places(vec3 a, vec3 b)
{
    if (a.x != b.x) return a.x < b.x ? -1 : 1;
    if (a.y != b.y) return a.y < b.y ? -1 : 1;
    return a.z < b.z ? -1 : a.z > b.z;
}

static int compare_triangles(const void *left, const void *right)
{
    const winding_triangle *a = left, *b = right;
    for (int k = 0; k < 3; k++) {
        int order = compare_places(a->corner[k], b->corner[k]);
        if (order) return order;
    }
    return 0;
}

static double sum_along(const winding_triangle *t, int axis)
{
    return vec3_get(t->corner[0], axis) + vec3_get(t->corner[1], axis) +
           vec3_get(t->corner[2], axis);
}

static bool before(const winding_triangle *a, const winding_triangle *b, int axis)
{
    double x = sum_along(a, axis), y = sum_along(b, axis);
    return x != y ? x < y : compare_triangles(a, b) < 0;
}

/* Puts the smaller half of [begin, end) along an axis before `middle`. */
static void halve(winding_triangle *t, size_t begin, size_t middle, size_t end, int axis)
{
    while (end - begin > 1) {
        winding_triangle pivot = t[begin + (end - begin) / 2];
        size_t i = begin, j = end - 1;
        for (;;) {
            while (before(&t[i], &pivot, axis)) i++;
            while (before(&pivot, &t[j], axis)) j--;
            if (i >= j) break;
            winding_triangle swap = t[i];
            t[i++] = t[j];
            t[j--] = swap;
        }
        size_t cut = before(&t[i], &pivot, axis) ? i + 1 : i;
        if (cut == begin || cut == end) return; /* all equal */
        if (middle < cut)
            end = cut;
        else
            begin = cut;
    }
}

static void measure(winding_node *node, const winding_triangle *t)
{
    vec3 center = {0, 0, 0}, middle = {0, 0, 0};
    node->low = node->high = t[node->begin].corner[0];
    for (int32_t i = node->begin; i < node->end; i++) {
        const vec3 *c = t[i].corner;
        for (int k = 0; k < 3; k++) {
            node->low = vec3_min(node->low, c[k]);
            node->high = vec3_max(node->high, c[k]);
        }
        vec3 n = vec3_scale(0.5, vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0])));
        double area = vec3_norm(n);
        node->normal = vec3_add(node->normal, n);
        node->area += area;
        center = vec3_mul_add(center, area / 3, vec3_add(c[0], vec3_add(c[1], c[2])));
    }
    middle = vec3_scale(0.5, vec3_add(node->low, node->high));
    node->center = node->area > 0 ? vec3_scale(1 / node->area, center) : middle;
    for (int32_t i = node->begin; i < node->end; i++) {
        const vec3 *c = t[i].corner;
        vec3 n = vec3_scale(0.5, vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0])));
        vec3 d = vec3_sub(vec3_scale(1.0 / 3, vec3_add(c[0], vec3_add(c[1], c[2]))), node->center);
        double *m = node->moment;
        m[0] += d.x * n.x;
        m[1] += d.y * n.y;
        m[2] += d.z * n.z;
        m[3] += 0.5 * (d.y * n.z + d.z * n.y);
        m[4] += 0.5 * (d.z * n.x + d.x * n.z);
        m[5] += 0.5 * (d.x * n.y + d.y * n.x);
        for (int k = 0; k < 3; k++)
            node->radius = fmax(node->radius, vec3_norm(vec3_sub(c[k], node->center)));
    }
}

static bool split(winding_tree *t, int32_t begin, int32_t end)
{
    size_t number = t->nodes.count;
    winding_node node = {.begin = begin, .end = end};
    winding_triangle *list = t->triangles.data;
    bool leaf = end - begin <= LEAF;
    if (leaf) qsort(list + begin, (size_t)(end - begin), sizeof *list, compare_triangles);
    vec3 low = list[begin].corner[0], high = low;
    for (int32_t i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            low = vec3_min(low, list[i].corner[k]);
            high = vec3_max(high, list[i].corner[k]);
        }
    vec3 size = vec3_sub(high, low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    int32_t middle = begin + (end - begin) / 2;
    if (!array_push(&t->nodes, node)) return false;
    if (!leaf) {
        halve(list, (size_t)begin, (size_t)middle, (size_t)end, axis);
        if (!split(t, begin, middle)) return false;
        int32_t right = (int32_t)t->nodes.count;
        if (!split(t, middle, end)) return false;
        t->nodes.data[number].right = right;
    }
    measure(&t->nodes.data[number], list); /* after the leaves: their order is settled now */
    return true;
}

abut_status winding_build(winding_tree *t, const vec3 *vertices, const int32_t (*triangles)[3],
                          size_t count, abut_error *err)
{
    *t = (winding_tree){0};
    if (count > INT32_MAX / 2)
        return error_set(err, ABUT_ERROR_INPUT, "", "%zu triangles are too many", count);
    bool ok = array_resize(&t->triangles, count);
    for (size_t i = 0; ok && i < count; i++) {
        vec3 c[3];
        for (int k = 0; k < 3; k++) c[k] = vertices[triangles[i][k]];
        int first = compare_places(c[1], c[0]) < 0 ? 1 : 0;
        if (compare_places(c[2], c[first]) < 0) first = 2;
        for (int k = 0; k < 3; k++) t->triangles.data[i].corner[k] = c[(first + k) % 3];
    }
    ok = ok && array_reserve(&t->nodes, count);
    if (ok && count > 0) ok = split(t, 0, (int32_t)count);
    if (ok) return ABUT_OK;
    winding_free(t);
    return error_memory(err, "sorting triangles");
}

/* ---- winding numbers ---- */

static const double FOUR_PI = 12.566370614359172954;

static double solid_angle(const winding_triangle *t, vec3 q)
{
    vec3 a = vec3_sub(t->corner[0], q), b = vec3_sub(t->corner[1], q),
         c = vec3_sub(t->corner[2], q);
    double la = vec3_norm(a), lb = vec3_norm(b), lc = vec3_norm(c);
    double above = vec3_dot(a, vec3_cross(b, c));
    double below = la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(b, c) * la + vec3_dot(c, a) * lb;
    return 2 * atan2(above, below);
}

double winding_exact(const winding_tree *t, vec3 q)
{
    double sum = 0;
    for (size_t i = 0; i < t->triangles.count; i++) sum += solid_angle(&t->triangles.data[i], q);
    return sum / FOUR_PI;
}

/* Safe for what was sampled on curved and noisy patches (tests/property/test_winding.c): an error
 * of up to this times (radius/distance)^2 area/distance^2. */
static const double FIRST_ORDER_ERROR = 0.5;

double winding_number(const winding_tree *t, vec3 q, double far, double *error)
{
    double sum = 0, doubt = 0;
    const winding_node *nodes = t->nodes.data;
    int32_t stack[128];
    int depth = 0;
    if (t->nodes.count) stack[depth++] = 0;
    while (depth > 0) {
        int32_t number = stack[--depth];
        const winding_node *n = &nodes[number];
        vec3 r = vec3_sub(n->center, q);
        double r2 = vec3_norm2(r), reach = far * n->radius;
        if (r2 > reach * reach) {
            double inverse = 1 / r2, cube = inverse / sqrt(r2);
            const double *m = n->moment;
            double quadratic = m[0] * r.x * r.x + m[1] * r.y * r.y + m[2] * r.z * r.z +
                               2 * (m[3] * r.y * r.z + m[4] * r.z * r.x + m[5] * r.x * r.y);
            sum += cube * (vec3_dot(n->normal, r) + m[0] + m[1] + m[2] - 3 * inverse * quadratic);
            doubt += FIRST_ORDER_ERROR * n->area * inverse * (n->radius * n->radius * inverse);
        } else if (n->right) {
            stack[depth++] = n->right;
            stack[depth++] = number + 1;
        } else {
            for (int32_t i = n->begin; i < n->end; i++)
                sum += solid_angle(&t->triangles.data[i], q);
        }
    }
    if (error) *error = doubt / FOUR_PI;
    return sum / FOUR_PI;
}

bool winding_inside(const winding_tree *t, vec3 q, double threshold)
{
    for (double far = 2; far < 40; far *= 2) {
        double error, w = winding_number(t, q, far, &error);
        if (fabs(w - threshold) > error) return w > threshold;
    }
    return winding_exact(t, q) > threshold;
}

/* ---- distances ---- */

static double box_distance2(const winding_node *n, vec3 q)
{
    vec3 d = vec3_sub(q, vec3_max(n->low, vec3_min(n->high, q)));
    return vec3_norm2(d);
}

double winding_distance(const winding_tree *t, vec3 q, double bound)
{
    const winding_node *nodes = t->nodes.data;
    double best = bound * bound;
    struct {
        int32_t node;
        double distance2;
    } stack[128];
    int depth = 0;
    if (t->nodes.count) {
        stack[depth].node = 0;
        stack[depth++].distance2 = box_distance2(&nodes[0], q);
    }
    while (depth > 0) {
        int32_t number = stack[--depth].node;
        if (stack[depth].distance2 >= best) continue;
        const winding_node *n = &nodes[number];
        if (!n->right) {
            for (int32_t i = n->begin; i < n->end; i++) {
                const vec3 *c = t->triangles.data[i].corner;
                double d2 = point_triangle_true_distance2(q, c[0], c[1], c[2]);
                if (d2 < best) best = d2;
            }
            continue;
        }
        int32_t near = number + 1, other = n->right;
        double d_near = box_distance2(&nodes[near], q), d_other = box_distance2(&nodes[other], q);
        if (d_other < d_near) {
            int32_t swap = near;
            near = other;
            other = swap;
            double d = d_near;
            d_near = d_other;
            d_other = d;
        }
        stack[depth].node = other;
        stack[depth++].distance2 = d_other;
        stack[depth].node = near;
        stack[depth++].distance2 = d_near;
    }
    return sqrt(best);
}
