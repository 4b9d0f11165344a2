#include "fem/density_fit.h"

#include "base/memory.h"
#include "fem/lagrange.h"
#include "fem/quadrature.h"

#include <math.h>
#include <string.h>

static cell_moment moment_of(const cell_block *block, const vec3 *nodes, const quadrature *rule)
{
    cell_moment sum = {0};
    for (int i = 0; i < rule->count; i++) {
        mat3 j;
        vec3 x = lagrange_position(block->kind, block->order, nodes, rule->points[i], &j);
        if (cell_dimension(block->kind) == 2) j.m[2][2] = 1;
        double weight = rule->weights[i] * mat3_determinant(j);
        sum.volume += weight;
        sum.first = vec3_mul_add(sum.first, weight, x);
    }
    return sum;
}

abut_status cell_moments(const mesh *m, int dimension, cell_moment **out, size_t *count,
                         abut_error *err)
{
    *count = 0;
    for (int b = 0; b < m->block_count; b++)
        if (cell_dimension(m->blocks[b].kind) == dimension) *count += m->blocks[b].count;
    *out = mem_alloc(*count + 1, sizeof **out);
    if (!*out) return error_memory(err, "measuring cells");
    size_t number = 0;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        if (cell_dimension(block->kind) != dimension) continue;
        quadrature rule;
        /* A position times det J, per axis or in all. */
        abut_status status =
            quadrature_make(block->kind, (dimension + 1) * block->order, &rule, err);
        if (status != ABUT_OK) {
            mem_free(*out);
            *out = NULL;
            return status;
        }
        for (size_t c = 0; c < block->count; c++) {
            vec3 nodes[CELL_MAX_NODES];
            for (int a = 0; a < block->nodes_per_cell; a++)
                nodes[a] = m->vertices[block->nodes[c * (size_t)block->nodes_per_cell + (size_t)a]];
            (*out)[number++] = moment_of(block, nodes, &rule);
        }
        quadrature_free(&rule);
    }
    return ABUT_OK;
}

/* Solves the symmetric 4x4 system by elimination with pivoting; zero pivots leave the unknown at 0
 * (planar bodies do not determine the third component). */
static void solve4(double a[4][5], double *x)
{
    double size = 0;
    for (int i = 0; i < 4; i++) size = fmax(size, fabs(a[i][i]));
    int row_of[4] = {-1, -1, -1, -1}, used = 0;
    for (int c = 0; c < 4; c++) {
        int pivot = -1;
        for (int r = used; r < 4; r++)
            if (fabs(a[r][c]) > 1e-13 * size && (pivot < 0 || fabs(a[r][c]) > fabs(a[pivot][c])))
                pivot = r;
        if (pivot < 0) continue;
        for (int k = 0; k < 5; k++) {
            double t = a[used][k];
            a[used][k] = a[pivot][k];
            a[pivot][k] = t;
        }
        for (int r = 0; r < 4; r++) {
            if (r == used) continue;
            double factor = a[r][c] / a[used][c];
            for (int k = c; k < 5; k++) a[r][k] -= factor * a[used][k];
        }
        row_of[c] = used++;
    }
    for (int c = 0; c < 4; c++) x[c] = row_of[c] < 0 ? 0 : a[row_of[c]][4] / a[row_of[c]][c];
}

abut_status fit_densities(const cell_moment *cells, size_t count, double density, double mass,
                          vec3 moment, double *out, abut_error *err)
{
    double volume = 0;
    for (size_t i = 0; i < count; i++) volume += cells[i].volume;
    double floor = 0.05 * mass / volume;
    if (!(volume > 0) || !(mass > 0))
        return error_set(err, ABUT_ERROR_INPUT, "", "bodies without volume have no densities");
    uint8_t *at_bound = mem_calloc(count + 1, 1);
    if (!at_bound) return error_memory(err, "fitting densities");
    double left_mass = mass;
    vec3 left = moment, middle = vec3_scale(1 / mass, moment);
    bool good = false;
    for (int pass = 0; pass < 100 && !good; pass++) {
        double a[4][5] = {{0}}, x[4];
        for (size_t i = 0; i < count; i++) {
            if (at_bound[i]) continue;
            vec3 c = vec3_sub(vec3_scale(1 / cells[i].volume, cells[i].first), middle);
            double e[4] = {1, c.x, c.y, c.z};
            for (int r = 0; r < 4; r++) {
                for (int k = 0; k < 4; k++) a[r][k] += cells[i].volume * e[r] * e[k];
                a[r][4] -= cells[i].volume * e[r] * density;
            }
        }
        vec3 rest = vec3_mul_add(left, -left_mass, middle);
        a[0][4] += left_mass;
        a[1][4] += rest.x;
        a[2][4] += rest.y;
        a[3][4] += rest.z;
        solve4(a, x);
        good = true;
        for (size_t i = 0; i < count; i++) {
            if (at_bound[i]) continue;
            vec3 c = vec3_sub(vec3_scale(1 / cells[i].volume, cells[i].first), middle);
            out[i] = density + x[0] + x[1] * c.x + x[2] * c.y + x[3] * c.z;
            if (out[i] >= floor) continue;
            out[i] = floor; /* from now on it stays there, and the others make up for it */
            at_bound[i] = 1;
            good = false;
            left_mass -= floor * cells[i].volume;
            left = vec3_mul_add(left, -floor, cells[i].first);
        }
    }
    mem_free(at_bound);
    double found = 0;
    vec3 first = {0};
    for (size_t i = 0; i < count; i++) {
        found += out[i] * cells[i].volume;
        first = vec3_mul_add(first, out[i], cells[i].first);
    }
    double miss = vec3_norm(vec3_sub(first, moment)) / mass, size = cbrt(volume);
    if (!good || !(fabs(found - mass) < 1e-8 * mass) || !(miss < 1e-8 * size))
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "no positive densities of the cells have the mass %g and the centre "
                         "(%g, %g, %g)",
                         mass, middle.x, middle.y, middle.z);
    return ABUT_OK;
}
