#include "remesh/overlap.h"

#include "remesh/simplex_cut.h"

#include <math.h>
#include <string.h>

/* Cells of the two meshes that share less than this part of the smaller one share nothing. */
static const double SLIVER = 1e-14;
static const double MAX_MISSING = 1e-6;

double simplex_measure(const simplex_mesh *m, size_t c, const vec3 *x)
{
    const int32_t *n = m->cells + c * (size_t)(m->dimension + 1);
    vec3 corners[4];
    for (int k = 0; k <= m->dimension; k++) corners[k] = x[n[k]];
    return simplex_size(m->dimension, corners);
}

void simplex_barycentric(const simplex_mesh *m, size_t c, vec3 point, double *out)
{
    const int32_t *n = m->cells + c * (size_t)(m->dimension + 1);
    vec3 corners[4];
    for (int k = 0; k <= m->dimension; k++) corners[k] = m->vertices[n[k]];
    simplex_coordinates(m->dimension, corners, point, out);
}

/* ---- interpolation ---- */

static void locate(const simplex_mesh *from, const cell_list *near, vec3 point,
                   interpolation_row *best, double *least)
{
    for (size_t i = 0; i < near->count; i++) {
        double weight[4] = {0}, smallest = INFINITY;
        simplex_barycentric(from, (size_t)near->data[i], point, weight);
        for (int k = 0; k <= from->dimension; k++) smallest = fmin(smallest, weight[k]);
        if (!(smallest > *least)) continue;
        *least = smallest;
        best->cell = near->data[i];
        memcpy(best->weight, weight, sizeof weight);
    }
}

/* Rounding puts vertices of a boundary slightly outside; their weights are made a mean again. */
static void clamp(const simplex_mesh *from, interpolation_row *row)
{
    double sum = 0;
    for (int k = 0; k <= from->dimension; k++) {
        /* A vertex that both meshes have keeps its value to the last bit. */
        if (row->weight[k] < 1e-12) row->weight[k] = 0;
        if (row->weight[k] > 1 - 1e-12) row->weight[k] = 1;
        sum += row->weight[k];
    }
    for (int k = 0; k <= from->dimension; k++) row->weight[k] /= sum;
}

static abut_status locate_all(const simplex_mesh *from, const simplex_mesh *to,
                              const cell_tree *tree, cell_list *near, interpolation *out,
                              abut_error *err)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < from->vertex_count; i++) {
        low = vec3_min(low, from->vertices[i]);
        high = vec3_max(high, from->vertices[i]);
    }
    double extent = vec3_norm(vec3_sub(high, low));
    for (size_t i = 0; i < to->vertex_count; i++) {
        double least = -INFINITY;
        interpolation_row *row = &out->rows.data[i];
        vec3 p = to->vertices[i];
        for (double reach = 1e-12 * extent; least == -INFINITY && reach < extent; reach *= 100) {
            vec3 pad = {reach, reach, reach};
            TRY(cell_tree_find(tree, from, vec3_sub(p, pad), vec3_add(p, pad), near, err));
            locate(from, near, p, row, &least);
        }
        if (least == -INFINITY)
            return error_set(err, ABUT_ERROR_INPUT, "", "vertex %zu is in no cell", i);
        out->farthest = fmax(out->farthest, -least);
        clamp(from, row);
    }
    return ABUT_OK;
}

abut_status interpolation_make(const simplex_mesh *from, const simplex_mesh *to, interpolation *out,
                               abut_error *err)
{
    *out = (interpolation){0};
    cell_tree tree;
    cell_list near = {0};
    TRY(cell_tree_build(&tree, from, err));
    abut_status status = array_resize(&out->rows, to->vertex_count)
                             ? locate_all(from, to, &tree, &near, out, err)
                             : error_memory(err, "interpolating");
    array_free(&near);
    cell_tree_free(&tree);
    if (status != ABUT_OK) interpolation_free(out);
    return status;
}

void interpolation_free(interpolation *i) { array_free(&i->rows); }

void interpolate(const interpolation *i, const simplex_mesh *from, const double *values,
                 double *out)
{
    for (size_t r = 0; r < i->rows.count; r++) {
        const interpolation_row *row = &i->rows.data[r];
        const int32_t *n = from->cells + (size_t)row->cell * (size_t)(from->dimension + 1);
        vec3 sum = {0};
        for (int k = 0; k <= from->dimension; k++)
            if (row->weight[k] != 0)
                sum = vec3_mul_add(sum, row->weight[k], vec3_load(values + 3 * (size_t)n[k]));
        vec3_store(out + 3 * r, sum);
    }
}

/* ---- the cross mass matrix ---- */

/* Entries of rho int phi_a phi_b over a simplex at whose corners the functions have values f, g. */
static void add_product(int d, double size, double f[4][4], double g[4][4], double *a)
{
    double factor = size / (d == 2 ? 12 : 20);
    for (int i = 0; i <= d; i++)
        for (int j = 0; j <= d; j++) {
            double products = 0, sum_f = 0, sum_g = 0;
            for (int k = 0; k <= d; k++) {
                products += f[k][i] * g[k][j];
                sum_f += f[k][i];
                sum_g += g[k][j];
            }
            a[4 * i + j] += factor * (products + sum_f * sum_g);
        }
}

/* The same cell in both meshes: fills `match` with the corner of `n` that is corner k of `o`. */
static bool same_cell(const simplex_mesh *from, size_t o, const simplex_mesh *to, size_t n,
                      int *match)
{
    int corners = from->dimension + 1;
    const int32_t *a = from->cells + o * (size_t)corners, *b = to->cells + n * (size_t)corners;
    for (int k = 0; k < corners; k++) {
        match[k] = -1;
        for (int j = 0; j < corners; j++)
            if (memcmp(&from->vertices[a[k]], &to->vertices[b[j]], sizeof(vec3)) == 0) match[k] = j;
        if (match[k] < 0) return false;
    }
    return true;
}

static void mass_block(int d, double mass, const int *match, double *a)
{
    double factor = mass / ((d + 1) * (d + 2));
    for (int k = 0; k <= d; k++)
        for (int i = 0; i <= d; i++) a[4 * i + k] = factor * (i == match[k] ? 2 : 1);
}

/* Cuts cell `o` of one mesh out of cell `n` of the other and integrates; returns what they share.
 */
static double cut_block(const simplex_mesh *from, size_t o, const simplex_mesh *to, size_t n,
                        double *a)
{
    int d = from->dimension;
    vec3 inner[4], outer[4];
    for (int k = 0; k <= d; k++) {
        inner[k] = to->vertices[to->cells[n * (size_t)(d + 1) + (size_t)k]];
        outer[k] = from->vertices[from->cells[o * (size_t)(d + 1) + (size_t)k]];
    }
    simplex_pieces pieces;
    simplex_cut(d, inner, outer, &pieces);
    double shared = 0;
    for (int p = 0; p < pieces.count; p++) {
        double f[4][4], g[4][4], size = fabs(simplex_size(d, pieces.corner[p]));
        for (int k = 0; k <= d; k++) {
            simplex_coordinates(d, inner, pieces.corner[p][k], f[k]);
            simplex_coordinates(d, outer, pieces.corner[p][k], g[k]);
        }
        add_product(d, size, f, g, a);
        shared += size;
    }
    return shared;
}

static abut_status overlap_cell(const simplex_mesh *from, const simplex_mesh *to, size_t n,
                                const cell_tree *tree, cell_list *near, mesh_overlap *out,
                                abut_error *err)
{
    const int32_t *corners = to->cells + n * (size_t)(to->dimension + 1);
    vec3 low = to->vertices[corners[0]], high = low;
    for (int k = 1; k <= to->dimension; k++) {
        low = vec3_min(low, to->vertices[corners[k]]);
        high = vec3_max(high, to->vertices[corners[k]]);
    }
    TRY(cell_tree_find(tree, from, low, high, near, err));
    double size = simplex_measure(to, n, to->vertices), covered = 0;
    for (size_t i = 0; i < near->count; i++) {
        int match[4];
        size_t o = (size_t)near->data[i];
        if (!same_cell(from, o, to, n, match)) continue;
        overlap_block block = {(int32_t)n, (int32_t)o, {0}};
        mass_block(from->dimension, size * (from->density ? from->density[o] : 1), match, block.a);
        return array_push(&out->blocks, block) ? ABUT_OK : error_memory(err, "projecting");
    }
    for (size_t i = 0; i < near->count; i++) {
        size_t o = (size_t)near->data[i];
        overlap_block block = {(int32_t)n, (int32_t)o, {0}};
        double shared = cut_block(from, o, to, n, block.a);
        double other = simplex_measure(from, o, from->vertices);
        if (!(shared > SLIVER * fmin(size, other))) continue;
        covered += shared;
        for (int k = 0; from->density && k < 16; k++) block.a[k] *= from->density[o];
        out->cut++;
        if (!array_push(&out->blocks, block)) return error_memory(err, "projecting");
    }
    out->missing = fmax(out->missing, fabs(1 - covered / size));
    if (!(out->missing <= MAX_MISSING))
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "the two meshes do not cover the same region: cell %zu of %g is covered "
                         "to %g by the other",
                         n, size, covered);
    return ABUT_OK;
}

abut_status mesh_overlap_make(const simplex_mesh *from, const simplex_mesh *to, mesh_overlap *out,
                              abut_error *err)
{
    *out = (mesh_overlap){0};
    cell_tree tree;
    cell_list near = {0};
    TRY(cell_tree_build(&tree, from, err));
    abut_status status = ABUT_OK;
    for (size_t n = 0; status == ABUT_OK && n < to->cell_count; n++)
        status = overlap_cell(from, to, n, &tree, &near, out, err);
    array_free(&near);
    cell_tree_free(&tree);
    if (status != ABUT_OK) mesh_overlap_free(out);
    return status;
}

void mesh_overlap_free(mesh_overlap *o) { array_free(&o->blocks); }

void mesh_overlap_apply(const mesh_overlap *o, const simplex_mesh *from, const simplex_mesh *to,
                        const double *values, double *out)
{
    int d = from->dimension;
    memset(out, 0, 3 * to->vertex_count * sizeof *out);
    for (size_t k = 0; k < o->blocks.count; k++) {
        const overlap_block *block = &o->blocks.data[k];
        const int32_t *i = to->cells + (size_t)block->to * (size_t)(d + 1);
        const int32_t *j = from->cells + (size_t)block->from * (size_t)(d + 1);
        for (int a = 0; a <= d; a++) {
            vec3 sum = vec3_load(out + 3 * (size_t)i[a]);
            for (int b = 0; b <= d; b++)
                sum = vec3_mul_add(sum, block->a[4 * a + b], vec3_load(values + 3 * (size_t)j[b]));
            vec3_store(out + 3 * (size_t)i[a], sum);
        }
    }
}

void simplex_mass_apply(const simplex_mesh *m, const double *values, double *out)
{
    int d = m->dimension;
    memset(out, 0, 3 * m->vertex_count * sizeof *out);
    for (size_t c = 0; c < m->cell_count; c++) {
        const int32_t *n = m->cells + c * (size_t)(d + 1);
        double mass = simplex_measure(m, c, m->vertices) * (m->density ? m->density[c] : 1);
        vec3 sum = {0};
        for (int k = 0; k <= d; k++) sum = vec3_add(sum, vec3_load(values + 3 * (size_t)n[k]));
        for (int k = 0; k <= d; k++) {
            vec3 part = vec3_add(sum, vec3_load(values + 3 * (size_t)n[k]));
            double *at = out + 3 * (size_t)n[k];
            vec3_store(at, vec3_mul_add(vec3_load(at), mass / ((d + 1) * (d + 2)), part));
        }
    }
}

/* ---- projection ---- */

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* The diagonal bounds the condition number by dimension + 2 (Wathen), whatever the cells. */
static void mass_diagonal(const simplex_mesh *m, double *out)
{
    int d = m->dimension;
    memset(out, 0, 3 * m->vertex_count * sizeof *out);
    for (size_t c = 0; c < m->cell_count; c++) {
        double mass = simplex_measure(m, c, m->vertices) * (m->density ? m->density[c] : 1);
        for (int k = 0; k <= d; k++) {
            double *at = out + 3 * (size_t)m->cells[c * (size_t)(d + 1) + (size_t)k];
            for (int axis = 0; axis < 3; axis++) at[axis] += 2 * mass / ((d + 1) * (d + 2));
        }
    }
}

static void conjugate_gradients(const simplex_mesh *m, const uint8_t *fixed, double *work,
                                double *u)
{
    enum { MAX_ITERATIONS = 400 };
    size_t n = 3 * m->vertex_count;
    double *r = work, *z = work + n, *p = work + 2 * n, *q = work + 3 * n, *diagonal = work + 4 * n;
    mass_diagonal(m, diagonal);
    simplex_mass_apply(m, u, q);
    for (size_t i = 0; i < n; i++) {
        bool off = (fixed && fixed[i]) || !(diagonal[i] > 0); /* vertices of no cell stay */
        r[i] = off ? 0 : r[i] - q[i];
        diagonal[i] = off ? 0 : 1 / diagonal[i];
        p[i] = z[i] = diagonal[i] * r[i];
    }
    double rz = dot(r, z, n), enough = 1e-34 * rz;
    for (int k = 0; k < MAX_ITERATIONS && rz > enough; k++) {
        simplex_mass_apply(m, p, q);
        for (size_t i = 0; i < n; i++)
            if (diagonal[i] == 0) q[i] = 0;
        double alpha = rz / dot(p, q, n);
        for (size_t i = 0; i < n; i++) {
            u[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            z[i] = diagonal[i] * r[i];
        }
        double next = dot(r, z, n);
        for (size_t i = 0; i < n; i++) p[i] = z[i] + next / rz * p[i];
        rz = next;
    }
}

abut_status l2_project(const mesh_overlap *o, const simplex_mesh *from, const simplex_mesh *to,
                       const uint8_t *fixed, const double *values, double *u, abut_error *err)
{
    double *work = mem_alloc(5 * 3 * to->vertex_count + 1, sizeof *work);
    if (!work) return error_memory(err, "projecting");
    mesh_overlap_apply(o, from, to, values, work);
    conjugate_gradients(to, fixed, work, u);
    mem_free(work);
    return ABUT_OK;
}
