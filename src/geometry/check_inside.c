#include "geometry/check.h"

#include "geometry/box_tree.h"
#include "geometry/check_exact.h"

#include <math.h>

typedef struct tet_set {
    const vec3 *vertices;
    const int32_t *nodes;
    size_t stride, count;
} tet_set;

static tree_box tet_box(const tet_set *tets, size_t i)
{
    const int32_t *v = tets->nodes + i * tets->stride;
    tree_box box = {tets->vertices[v[0]], tets->vertices[v[0]]};
    for (int k = 1; k < 4; k++) {
        box.low = vec3_min(box.low, tets->vertices[v[k]]);
        box.high = vec3_max(box.high, tets->vertices[v[k]]);
    }
    return box;
}

/* Strictly inside, exactly; never for a corner, an inverted tet or a flat one. */
static bool inside_tet(const tet_set *tets, size_t i, int32_t point)
{
    const int32_t *v = tets->nodes + i * tets->stride;
    const vec3 *x = tets->vertices;
    /* Most tets near a point are its own, where only exact arithmetic could tell that it is 0. */
    if (v[0] == point || v[1] == point || v[2] == point || v[3] == point) return false;
    vec3 p = x[point];
    vec3 a = x[v[0]], b = x[v[1]], c = x[v[2]], d = x[v[3]];
    return check_volume_sign(p, b, c, d) > 0 && check_volume_sign(a, p, c, d) > 0 &&
           check_volume_sign(a, b, p, d) > 0 && check_volume_sign(a, b, c, p) > 0;
}

typedef ARRAY(check_inside) inside_list;

static bool search_points(const tet_set *tets, const box_tree *tree, const int32_t *points,
                          size_t point_count, box_list *near, inside_list *found)
{
    for (size_t i = 0; i < point_count; i++) {
        vec3 p = tets->vertices[points[i]];
        array_clear(near);
        const tree_box where = {p, p};
        if (!box_tree_collect(tree, &where, 0, near)) return false;
        int32_t in = -1;
        for (size_t k = 0; k < near->count; k++)
            if (inside_tet(tets, (size_t)near->data[k], points[i]) &&
                (in < 0 || near->data[k] < in))
                in = near->data[k];
        if (in >= 0 && !array_push(found, (check_inside){points[i], in})) return false;
    }
    return true;
}

abut_status check_points_inside(const vec3 *vertices, const int32_t *points, size_t point_count,
                                const int32_t *nodes, size_t stride, size_t tet_count,
                                check_inside **found, size_t *count, abut_error *err)
{
    *found = NULL;
    *count = 0;
    tet_set tets = {vertices, nodes, stride, tet_count};
    box_tree tree = {0};
    inside_list list = {0};
    box_list near = {0};
    abut_status status = ABUT_OK;
    if (!array_resize(&tree.boxes, tet_count)) return error_memory(err, "checking points in tets");
    for (size_t i = 0; i < tet_count; i++) tree.boxes.data[i] = tet_box(&tets, i);
    if (tet_count > 0) {
        status = box_tree_build(&tree, err);
        if (status == ABUT_OK && (!search_points(&tets, &tree, points, point_count, &near, &list) ||
                                  !array_reserve(&list, 1)))
            status = error_memory(err, "checking points in tets");
    }
    box_tree_free(&tree);
    array_free(&near);
    if (status != ABUT_OK) {
        array_free(&list);
        return status;
    }
    *found = list.data;
    *count = list.count;
    return ABUT_OK;
}
