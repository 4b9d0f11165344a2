/* Finding a given surface in the cells of a body: Algorithm 1 of High-Order IPC with an inverse map
 * by damped Newton, all barycentric coordinates in its choice, and tolerances relative to the
 * cells. */
#include "body/proxy_build.h"
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
    proxy boundary;           /* sampled, for vertices outside */
    ARRAY(int32_t) part_cell; /* cell (in `cells`) of every triangle or edge of the boundary */
} search;

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

static bool in_box(const found_cell *c, vec3 v)
{
    return v.x >= c->low.x && v.x <= c->high.x && v.y >= c->low.y && v.y <= c->high.y &&
           v.z >= c->low.z && v.z <= c->high.z;
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
static int32_t find_inside(const search *s, vec3 v, double xi[3])
{
    int32_t best = -1;
    double least = INFINITY;
    for (size_t i = 0; i < s->cells.count && least > 1; i++) {
        const found_cell *c = &s->cells.data[i];
        if (!in_box(c, v)) continue;
        vec3 nodes[CELL_MAX_NODES];
        double at[3];
        proxy_cell_nodes(s->shape, c->block, c->cell, nodes);
        if (!locate(s, c, nodes, v, at)) continue;
        double sum = spread(block_of(s, c)->kind, at);
        if (sum > INSIDE || sum >= least) continue;
        least = sum;
        best = (int32_t)i;
        memcpy(xi, at, sizeof at);
    }
    return best;
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

/* Where the nearest boundary point is in its cell, the extrapolated place of v there, and the
 * distance. Among cells that are equally near, the one in which v is least outside. */
static int32_t find_outside(const search *s, vec3 v, double xi[3], double *distance)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < part_count(s); i++)
        nearest = fmin(nearest, vec3_norm(vec3_sub(v, nearest_on_part(s, i, v))));
    int32_t best = -1, last = -1;
    double least = INFINITY;
    for (size_t i = 0; i < part_count(s); i++) {
        vec3 point = nearest_on_part(s, i, v);
        if (vec3_norm(vec3_sub(v, point)) > nearest * (1 + 1e-6) + DBL_MIN) continue;
        int32_t number = s->part_cell.data[i];
        if (number == last) continue;
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
    return best;
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
            if (!array_push(&s->cells, cell)) return error_memory(err, "finding a surface");
        }
    }
    return ABUT_OK;
}

/* The cell of every part of the sampled boundary: the one that has the middle of the part nearest
 * to its inside. */
static abut_status assign_parts(search *s, abut_error *err)
{
    for (size_t i = 0; i < part_count(s); i++) {
        const vec3 *x = s->boundary.vertices.data;
        vec3 middle;
        if (s->dimension == 2) {
            const int32_t *e = s->boundary.edges.data[i];
            middle = vec3_scale(0.5, vec3_add(x[e[0]], x[e[1]]));
        } else {
            const int32_t *n = s->boundary.triangles.data[i];
            middle = vec3_scale(1.0 / 3, vec3_add(x[n[0]], vec3_add(x[n[1]], x[n[2]])));
        }
        int32_t best = -1;
        double least = INFINITY;
        for (size_t c = 0; c < s->cells.count; c++) {
            if (!in_box(&s->cells.data[c], middle)) continue;
            vec3 nodes[CELL_MAX_NODES];
            double at[3];
            proxy_cell_nodes(s->shape, s->cells.data[c].block, s->cells.data[c].cell, nodes);
            if (!locate(s, &s->cells.data[c], nodes, middle, at)) continue;
            double sum = spread(block_of(s, &s->cells.data[c])->kind, at);
            if (sum >= least) continue;
            least = sum;
            best = (int32_t)c;
        }
        if (best < 0) best = 0;
        if (!array_push(&s->part_cell, best)) return error_memory(err, "finding a surface");
    }
    return ABUT_OK;
}

static abut_status find_vertex(search *s, const mesh *surface, size_t v, proxy *out,
                               abut_error *err)
{
    vec3 position = surface->vertices[v];
    double xi[3], distance = 0;
    int32_t cell = find_inside(s, position, xi);
    if (cell < 0) {
        if (s->boundary.vertices.count == 0) {
            TRY(proxy_of_boundary(s->shape, s->nodes, s->dimension,
                                  s->shape->blocks[s->cells.data[0].block].order > 1 ? 4 : 1, 0,
                                  &s->boundary, err));
            TRY(assign_parts(s, err));
        }
        cell = find_outside(s, position, xi, &distance);
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

abut_status proxy_of_surface(const mesh *shape, const mesh *nodes, int dimension,
                             const mesh *surface, proxy *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    search s = {.shape = shape, .nodes = nodes, .dimension = dimension};
    abut_status status = list_cells(&s, err);
    if (status == ABUT_OK && s.cells.count == 0)
        status = error_set(err, ABUT_ERROR_INPUT, "", "the body has no cells");
    for (size_t v = 0; status == ABUT_OK && v < surface->vertex_count; v++)
        status = find_vertex(&s, surface, v, out, err);
    if (status == ABUT_OK) status = proxy_take_cells(out, surface, dimension, err);
    array_free(&s.cells);
    array_free(&s.part_cell);
    proxy_free(&s.boundary);
    if (status != ABUT_OK) proxy_free(out);
    return status;
}
