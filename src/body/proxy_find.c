/* Finding a given surface in the cells of a body: Algorithm 1 of High-Order IPC with an inverse map
 * by damped Newton, all barycentric coordinates in its choice, and tolerances relative to the
 * cells. */
#include "body/proxy_build.h"
#include "geometry/box_tree.h"
#include "geometry/distance.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Extrapolated weights beyond this in sum are noise: the nearest point of the cell serves instead.
 */
static const double MOST_WEIGHT = 20;

typedef struct found_cell {
    int32_t block;
    size_t cell;
    vec3 low, high; /* box of the nodes, a little larger where the cell is curved */
    bool affine;
} found_cell;

typedef struct search {
    const mesh *shape, *nodes;
    int dimension;
    ARRAY(found_cell) cells;
    box_tree cell_tree;
    proxy boundary;           /* sampled, for vertices outside */
    ARRAY(int32_t) part_cell; /* cell of every triangle or edge of the boundary; -1: unknown */
    box_tree part_tree;
    box_list near; /* scratch */
    const int32_t *cell_part;
    int32_t *node_part;
    int32_t wanted; /* part of the vertex that is looked for */
} search;

static bool other_part(const search *s, int32_t cell)
{
    return s->cell_part && s->cell_part[cell] != s->wanted;
}

static bool is_cube(cell_kind kind) { return kind == CELL_QUAD || kind == CELL_HEX; }

static const cell_block *block_of(const search *s, const found_cell *c)
{
    return &s->shape->blocks[c->block];
}

/* Sum of the absolute barycentric coordinates: 1 inside, more outside. Cubes: the same idea. */
static double spread(cell_kind kind, const double *xi)
{
    double sum = 0, first = 1;
    for (int k = 0; k < cell_dimension(kind); k++) {
        if (is_cube(kind)) {
            sum = fmax(sum, fabs(xi[k]) + fabs(1 - xi[k]));
        } else {
            sum += fabs(xi[k]);
            first -= xi[k];
        }
    }
    return is_cube(kind) ? sum : sum + fabs(first);
}

static vec3 residual(const search *s, const found_cell *c, const vec3 *nodes, const double *xi,
                     vec3 target, mat3 *jacobian)
{
    const cell_block *b = block_of(s, c);
    vec3 r = vec3_sub(lagrange_position(b->kind, b->order, nodes, xi, jacobian), target);
    if (s->dimension == 2) {
        r.z = 0;
        if (jacobian) {
            jacobian->m[2][0] = jacobian->m[2][1] = jacobian->m[0][2] = jacobian->m[1][2] = 0;
            jacobian->m[2][2] = 1;
        }
    }
    return r;
}

/* Solves g(xi) = target from the given start; false when it does not converge. */
static bool invert_map(const search *s, const found_cell *c, const vec3 *nodes, vec3 target,
                       double xi[3])
{
    double size = vec3_norm(vec3_sub(c->high, c->low));
    mat3 j;
    vec3 r = residual(s, c, nodes, xi, target, &j);
    for (int k = 0; k < 60; k++) {
        double before = vec3_norm(r);
        if (before <= 1e-13 * size) return true;
        double determinant = mat3_determinant(j);
        if (!(fabs(determinant) > 1e-300)) return false;
        vec3 step = mat3_mul_vec(mat3_inverse(j), r);
        double length = vec3_norm(step), t = length > 1 ? 1 / length : 1;
        bool better = false;
        for (int halving = 0; halving < 20 && !better; halving++, t /= 2) {
            double at[3] = {xi[0] - t * step.x, xi[1] - t * step.y, xi[2] - t * step.z};
            mat3 trial_j;
            vec3 trial = residual(s, c, nodes, at, target, &trial_j);
            if (!(vec3_norm(trial) < before)) continue;
            memcpy(xi, at, sizeof at);
            r = trial;
            j = trial_j;
            better = true;
        }
        if (!better) return before <= 1e-10 * size;
    }
    return vec3_norm(r) <= 1e-10 * size;
}

/* Middle of the reference cell. */
static void center_of(cell_kind kind, double xi[3])
{
    for (int k = 0; k < 3; k++)
        xi[k] = k >= cell_dimension(kind) ? 0
                : is_cube(kind)           ? 0.5
                                          : 1.0 / (cell_dimension(kind) + 1);
}

/* Inverse map from the middle, then from the corners' neighbourhood. */
static bool locate(const search *s, const found_cell *c, const vec3 *nodes, vec3 v, double xi[3])
{
    const cell_block *b = block_of(s, c);
    int lattice[CELL_MAX_NODES][3];
    cell_lattice(b->kind, 1, lattice);
    double middle[3];
    center_of(b->kind, middle);
    memcpy(xi, middle, sizeof middle);
    if (invert_map(s, c, nodes, v, xi)) return true;
    if (c->affine) return false;
    for (int k = 0; k < cell_corner_count(b->kind); k++) {
        for (int a = 0; a < 3; a++) xi[a] = 0.4 * middle[a] + 0.6 * lattice[k][a];
        if (invert_map(s, c, nodes, v, xi)) return true;
    }
    return false;
}

static const double INSIDE = 1 + 1e-9;

/* The cell that contains v, and where; -1 when there is none. */
static abut_status find_inside(search *s, vec3 v, double xi[3], int32_t *found, abut_error *err)
{
    int32_t best = -1;
    double least = INFINITY;
    TRY(box_tree_find(&s->cell_tree, v, v, &s->near, err));
    for (size_t k = 0; k < s->near.count && least > 1; k++) {
        int32_t i = s->near.data[k];
        if (other_part(s, i)) continue;
        const found_cell *c = &s->cells.data[i];
        vec3 nodes[CELL_MAX_NODES];
        double at[3];
        proxy_cell_nodes(s->shape, c->block, c->cell, nodes);
        if (!locate(s, c, nodes, v, at)) continue;
        double sum = spread(block_of(s, c)->kind, at);
        if (sum > INSIDE || sum >= least) continue;
        least = sum;
        best = i;
        memcpy(xi, at, sizeof at);
    }
    *found = best;
    return ABUT_OK;
}

/* ---- outside ---- */

/* Nearest point of part `part` of the sampled boundary. */
static vec3 nearest_on_part(const search *s, size_t part, vec3 v)
{
    const vec3 *x = s->boundary.vertices.data;
    if (s->dimension == 2) {
        const int32_t *e = s->boundary.edges.data[part];
        vec3 along = vec3_sub(x[e[1]], x[e[0]]);
        double t = vec3_dot(vec3_sub(v, x[e[0]]), along) / vec3_norm2(along);
        return vec3_mul_add(x[e[0]], fmin(1, fmax(0, t)), along);
    }
    const int32_t *n = s->boundary.triangles.data[part];
    double weight[4]; /* of v and, negative, of the corners */
    point_triangle_closest(v, x[n[0]], x[n[1]], x[n[2]], NULL, weight);
    vec3 point = vec3_scale(-weight[1], x[n[0]]);
    point = vec3_mul_add(point, -weight[2], x[n[1]]);
    return vec3_mul_add(point, -weight[3], x[n[2]]);
}

static size_t part_count(const search *s)
{
    return s->dimension == 2 ? s->boundary.edges.count : s->boundary.triangles.count;
}

typedef struct distance_query {
    const search *s;
    vec3 v;
} distance_query;

static double part_distance(const void *context, size_t part)
{
    const distance_query *q = context;
    int32_t cell = q->s->part_cell.data[part];
    if (cell < 0 || other_part(q->s, cell)) return INFINITY;
    return vec3_norm(vec3_sub(q->v, nearest_on_part(q->s, part, q->v)));
}

/* Where the nearest boundary point is in its cell, the extrapolated position of v there, and the
 * distance. Among cells that are equally near, the one in which v is least outside. */
static abut_status find_outside(search *s, vec3 v, double xi[3], double *distance, int32_t *found,
                                abut_error *err)
{
    distance_query query = {s, v};
    double nearest = box_tree_nearest(&s->part_tree, v, part_distance, &query);
    double reach = nearest * (1 + 1e-6) + DBL_MIN;
    vec3 around = {reach, reach, reach};
    TRY(box_tree_find(&s->part_tree, vec3_sub(v, around), vec3_add(v, around), &s->near, err));
    int32_t best = -1, last = -1;
    double least = INFINITY;
    for (size_t k = 0; k < s->near.count; k++) {
        size_t i = (size_t)s->near.data[k];
        vec3 point = nearest_on_part(s, i, v);
        if (vec3_norm(vec3_sub(v, point)) > reach) continue;
        int32_t number = s->part_cell.data[i];
        if (number == last || number < 0 || other_part(s, number)) continue;
        last = number;
        const found_cell *c = &s->cells.data[number];
        const cell_block *b = &s->nodes->blocks[c->block];
        vec3 nodes[CELL_MAX_NODES];
        double at[3], out[3], weight[CELL_MAX_NODES], size = 0;
        proxy_cell_nodes(s->shape, c->block, c->cell, nodes);
        if (!locate(s, c, nodes, point, at)) continue;
        memcpy(out, at, sizeof out);
        double sum = INFINITY;
        if (invert_map(s, c, nodes, v, out)) {
            lagrange_evaluate(b->kind, b->order, out, weight, NULL);
            for (int a = 0; a < b->nodes_per_cell; a++) size += fabs(weight[a]);
            if (size <= MOST_WEIGHT) sum = spread(b->kind, out);
        }
        if (best >= 0 && sum >= least) continue;
        best = number;
        least = sum;
        memcpy(xi, sum < INFINITY ? out : at, sizeof out);
    }
    *distance = nearest;
    *found = best;
    return ABUT_OK;
}

/* ---- the whole ---- */

static abut_status list_cells(search *s, abut_error *err)
{
    for (int b = 0; b < s->shape->block_count; b++) {
        const cell_block *block = &s->shape->blocks[b];
        if (cell_dimension(block->kind) != s->dimension) continue;
        for (size_t c = 0; c < block->count; c++) {
            vec3 nodes[CELL_MAX_NODES];
            found_cell cell = {.block = b, .cell = c};
            proxy_cell_nodes(s->shape, b, c, nodes);
            cell.low = cell.high = nodes[0];
            for (int a = 1; a < block->nodes_per_cell; a++) {
                cell.low = vec3_min(cell.low, nodes[a]);
                cell.high = vec3_max(cell.high, nodes[a]);
            }
            cell.affine = lagrange_is_affine(block->kind, block->order, nodes);
            double more = (cell.affine ? 1e-9 : 0.2) * vec3_norm(vec3_sub(cell.high, cell.low));
            cell.low = vec3_sub(cell.low, (vec3){more, more, more});
            cell.high = vec3_add(cell.high, (vec3){more, more, more});
            if (!array_push(&s->cells, cell) ||
                !array_push(&s->cell_tree.boxes, ((tree_box){cell.low, cell.high})))
                return error_memory(err, "finding a surface");
        }
    }
    return box_tree_build(&s->cell_tree, err);
}

/* The corners of a part, and the number of them. */
static int part_corners(const search *s, size_t part, vec3 corner[3])
{
    const int32_t *n =
        s->dimension == 2 ? s->boundary.edges.data[part] : s->boundary.triangles.data[part];
    for (int k = 0; k < s->dimension; k++) corner[k] = s->boundary.vertices.data[n[k]];
    return s->dimension;
}

/* The part that a piece of the boundary belongs to: that of a cell with one of its nodes. */
static int32_t part_of_piece(const search *s, size_t piece)
{
    const int32_t *n =
        s->dimension == 2 ? s->boundary.edges.data[piece] : s->boundary.triangles.data[piece];
    return s->node_part[s->boundary.node.data[s->boundary.row_start.data[n[0]]]];
}

static abut_status number_nodes(search *s, abut_error *err)
{
    s->node_part = mem_calloc(s->nodes->vertex_count, sizeof *s->node_part);
    if (!s->node_part) return error_memory(err, "finding a surface");
    for (size_t i = 0; i < s->cells.count; i++) {
        const found_cell *c = &s->cells.data[i];
        const cell_block *b = &s->nodes->blocks[c->block];
        for (int a = 0; a < b->nodes_per_cell; a++)
            s->node_part[b->nodes[c->cell * (size_t)b->nodes_per_cell + (size_t)a]] =
                s->cell_part[i];
    }
    return ABUT_OK;
}

/* The cell of every part of the sampled boundary: the one that has the middle of the part nearest
 * to its inside. */
static abut_status assign_parts(search *s, abut_error *err)
{
    for (size_t i = 0; i < part_count(s); i++) {
        vec3 corner[3] = {{0}}, middle = {0, 0, 0};
        int corners = part_corners(s, i, corner);
        tree_box box = {corner[0], corner[0]};
        for (int k = 0; k < corners; k++) {
            middle = vec3_mul_add(middle, 1.0 / corners, corner[k]);
            box.low = vec3_min(box.low, corner[k]);
            box.high = vec3_max(box.high, corner[k]);
        }
        int32_t best = -1;
        double least = INFINITY;
        if (s->cell_part) s->wanted = part_of_piece(s, i);
        TRY(box_tree_find(&s->cell_tree, middle, middle, &s->near, err));
        for (size_t k = 0; k < s->near.count; k++) {
            if (other_part(s, s->near.data[k])) continue;
            const found_cell *c = &s->cells.data[s->near.data[k]];
            vec3 nodes[CELL_MAX_NODES];
            double at[3];
            proxy_cell_nodes(s->shape, c->block, c->cell, nodes);
            if (!locate(s, c, nodes, middle, at)) continue;
            double sum = spread(block_of(s, c)->kind, at);
            if (sum >= least) continue;
            least = sum;
            best = s->near.data[k];
        }
        if (!array_push(&s->part_cell, best) || !array_push(&s->part_tree.boxes, box))
            return error_memory(err, "finding a surface");
    }
    return box_tree_build(&s->part_tree, err);
}

static abut_status find_vertex(search *s, const mesh *surface, size_t v, proxy *out,
                               abut_error *err)
{
    vec3 position = surface->vertices[v];
    double xi[3], distance = 0;
    int32_t cell;
    TRY(find_inside(s, position, xi, &cell, err));
    if (cell < 0) {
        if (s->boundary.vertices.count == 0) {
            TRY(proxy_of_boundary(s->shape, s->nodes, s->dimension,
                                  s->shape->blocks[s->cells.data[0].block].order > 1 ? 4 : 1, 0,
                                  &s->boundary, err));
            int32_t wanted = s->wanted;
            if (s->cell_part) TRY(number_nodes(s, err));
            TRY(assign_parts(s, err));
            s->wanted = wanted;
        }
        TRY(find_outside(s, position, xi, &distance, &cell, err));
        out->outside++;
        out->farthest = fmax(out->farthest, distance);
    }
    if (cell < 0)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "vertex %zu of the collision surface at (%g, %g, %g) fits no cell of the "
                         "body",
                         v, position.x, position.y, position.z);
    const found_cell *c = &s->cells.data[cell];
    return proxy_add_vertex(out, s->nodes, c->block, c->cell, xi, position)
               ? ABUT_OK
               : error_memory(err, "finding a surface");
}

abut_status proxy_of_parts(const mesh *shape, const mesh *nodes, int dimension, const mesh *surface,
                           const int32_t *cell_part, const int32_t *vertex_part, proxy *out,
                           abut_error *err)
{
    memset(out, 0, sizeof *out);
    search s = {.shape = shape, .nodes = nodes, .dimension = dimension, .cell_part = cell_part};
    abut_status status = list_cells(&s, err);
    if (status == ABUT_OK && s.cells.count == 0)
        status = error_set(err, ABUT_ERROR_INPUT, "", "the body has no cells");
    for (size_t v = 0; status == ABUT_OK && v < surface->vertex_count; v++) {
        if (vertex_part) s.wanted = vertex_part[v];
        status = find_vertex(&s, surface, v, out, err);
    }
    if (status == ABUT_OK) status = proxy_take_cells(out, surface, dimension, err);
    array_free(&s.cells);
    array_free(&s.part_cell);
    array_free(&s.near);
    mem_free(s.node_part);
    box_tree_free(&s.cell_tree);
    box_tree_free(&s.part_tree);
    proxy_free(&s.boundary);
    if (status != ABUT_OK) proxy_free(out);
    return status;
}

abut_status proxy_of_surface(const mesh *shape, const mesh *nodes, int dimension,
                             const mesh *surface, proxy *out, abut_error *err)
{
    return proxy_of_parts(shape, nodes, dimension, surface, NULL, NULL, out, err);
}
