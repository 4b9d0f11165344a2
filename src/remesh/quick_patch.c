#include "remesh/quick_patch.h"

#include "remesh/local_internal.h"

#include <math.h>
#include <string.h>

void quick_patch_free(quick_patch *p)
{
    array_free(&p->cells);
    array_free(&p->vertices);
    array_free(&p->unknown);
    number_map_free(&p->number);
    number_map_free(&p->inside);
    array_free(&p->x);
    array_free(&p->before);
    array_free(&p->predictor);
    array_free(&p->matrix);
    array_free(&p->gradient);
    array_free(&p->step);
}

/* --- cells ---------------------------------------------------------------------------------- */

static void set_loads(const local_mesh *m, const remesh_problem *q, const local_cell *c,
                      quick_cell *out)
{
    double mass = q->materials[c->attribute].density * out->volume;
    out->weight = vec3_scale(q->force_factor * mass / (m->dimension + 1), q->gravity);
    for (int k = 0; k <= m->dimension; k++) {
        out->traction[k] = (vec3){0};
        if (c->facet[k] < 0 || q->traction_count == 0) continue;
        flag_set common = local_common_flags(m, c, k);
        double share = q->force_factor * local_facet_area(m, c, k) / m->dimension;
        for (size_t i = 0; i < q->traction_count; i++)
            if (remesh_is_loaded(q, m, &q->tractions[i], c, common))
                out->traction[k] = vec3_mul_add(out->traction[k], share, q->tractions[i].traction);
    }
    for (int k = 0; k <= m->dimension; k++) {
        out->load[k] = out->weight;
        for (int j = 0; j <= m->dimension; j++)
            if (j != k) out->load[k] = vec3_add(out->load[k], out->traction[j]);
    }
}

/* Everything but the numbers of the corners. */
static void make_cell(const local_mesh *m, const remesh_problem *q, int32_t cell, quick_cell *out)
{
    const local_cell *c = &m->cells.data[cell];
    vec3 p[4], third = {0, 0, 1};
    for (int k = 0; k <= m->dimension; k++) p[k] = m->vertices.data[c->vertex[k]].rest;
    if (m->dimension == 3) third = vec3_sub(p[3], p[0]);
    mat3 edges = mat3_from_columns(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]), third);
    mat3 inverse = mat3_inverse(edges);
    vec3 sum = {0};
    for (int k = 1; k <= m->dimension; k++) {
        out->slope[k] = vec3_make(inverse.m[k - 1][0], inverse.m[k - 1][1], inverse.m[k - 1][2]);
        sum = vec3_add(sum, out->slope[k]);
    }
    out->slope[0] = vec3_scale(-1, sum);
    double d = m->dimension;
    const remesh_material *material = &q->materials[c->attribute];
    out->cell = cell;
    out->volume = mat3_determinant(edges) / (m->dimension == 3 ? 6 : 2);
    out->inertia = q->mass_factor * material->density * out->volume / ((d + 1) * (d + 2));
    out->material = &material->material;
    set_loads(m, q, c, out);
}

/* F from positions of the corners. */
static mat3 gradient_of(const quick_cell *c, const vec3 *x, int dimension)
{
    mat3 f = {0};
    if (dimension == 2) f.m[2][2] = 1;
    for (int k = 0; k <= dimension; k++)
        for (int j = 0; j < 3; j++) {
            double slope = vec3_get(c->slope[k], j);
            f.m[0][j] += x[k].x * slope;
            f.m[1][j] += x[k].y * slope;
            f.m[2][j] += x[k].z * slope;
        }
    return f;
}

static double energy_at(const quick_cell *c, const remesh_problem *q, const vec3 *x,
                        const vec3 *predictor, int dimension)
{
    vec3 total = {0};
    double squares = 0, work = 0;
    for (int k = 0; k <= dimension; k++) {
        vec3 off = vec3_sub(x[k], predictor[k]);
        total = vec3_add(total, off);
        squares += vec3_norm2(off);
        work += vec3_dot(c->load[k], x[k]);
    }
    double elastic = elastic_energy(c->material, gradient_of(c, x, dimension));
    return q->force_factor * c->volume * elastic +
           0.5 * c->inertia * (squares + vec3_norm2(total)) - work;
}

double quick_cell_energy(const local_mesh *m, const remesh_problem *q, int32_t cell)
{
    quick_cell c;
    vec3 x[4], predictor[4];
    make_cell(m, q, cell, &c);
    for (int k = 0; k <= m->dimension; k++) {
        int32_t v = m->cells.data[cell].vertex[k];
        x[k] = *local_field(m, v, q->field_x);
        predictor[k] = *local_field(m, v, q->field_predictor);
    }
    return energy_at(&c, q, x, predictor, m->dimension);
}

/* --- edges ---------------------------------------------------------------------------------- */

static void evaluate(const quick_cell *c, const remesh_problem *q, mat3 f, mat3 *stress,
                     double hessian[81])
{
    elastic_spectrum spectrum;
    elastic_evaluate(c->material, f, true, NULL, stress, &spectrum);
    elastic_spectrum_expand(&spectrum, hessian);
    double factor = q->force_factor * c->volume;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) stress->m[i][k] *= factor;
    for (int i = 0; i < 81; i++) hessian[i] *= factor;
}

void cell_terms_make(const local_mesh *m, const remesh_problem *q, int32_t cell, cell_terms *out)
{
    vec3 x[4];
    make_cell(m, q, cell, &out->cell);
    out->total = (vec3){0};
    for (int k = 0; k <= m->dimension; k++) {
        int32_t v = m->cells.data[cell].vertex[k];
        x[k] = *local_field(m, v, q->field_x);
        out->offset[k] = vec3_sub(x[k], *local_field(m, v, q->field_predictor));
        out->total = vec3_add(out->total, out->offset[k]);
    }
    evaluate(&out->cell, q, gradient_of(&out->cell, x, m->dimension), &out->stress, out->hessian);
}

void cell_terms_middle(const local_mesh *m, const cell_terms *c, int a, int b, middle_terms *sum)
{
    const quick_cell *cell = &c->cell;
    vec3 both = vec3_add(cell->slope[a], cell->slope[b]);
    sum->gradient = vec3_add(sum->gradient, mat3_mul_vec(c->stress, both));
    vec3 ends = vec3_add(c->offset[a], c->offset[b]);
    sum->gradient =
        vec3_mul_add(sum->gradient, 0.5 * cell->inertia, vec3_add(vec3_scale(2, c->total), ends));
    sum->gradient = vec3_sub(sum->gradient, cell->weight);
    for (int k = 0; k <= m->dimension; k++) /* facets that have the edge */
        if (k != a && k != b) sum->gradient = vec3_sub(sum->gradient, cell->traction[k]);
    mat3 halves = mat3_add(elastic_between(c->hessian, cell->slope[a], cell->slope[a]),
                           elastic_between(c->hessian, cell->slope[b], cell->slope[b]));
    sum->hessian = mat3_add(sum->hessian, mat3_scale(2, halves));
    for (int i = 0; i < 3; i++) sum->hessian.m[i][i] += 2 * cell->inertia;
}

vec3 cell_terms_corner(const cell_terms *c, int corner)
{
    vec3 g = mat3_mul_vec(c->stress, c->cell.slope[corner]);
    g = vec3_mul_add(g, c->cell.inertia, vec3_add(c->offset[corner], c->total));
    return vec3_sub(g, c->cell.load[corner]);
}

/* Solves with the Cholesky factor of a small symmetric matrix (lower half used); false when it is
 * not positive definite. */
static bool solve_dense(double *a, size_t n, double *right)
{
    for (size_t j = 0; j < n; j++) {
        double *row = a + j * n;
        for (size_t k = 0; k <= j; k++) {
            double value = row[k];
            const double *other = a + k * n;
            for (size_t i = 0; i < k; i++) value -= row[i] * other[i];
            if (k < j)
                row[k] = value / other[k];
            else if (!(value > 0))
                return false;
            else
                row[j] = sqrt(value);
        }
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < j; i++) right[j] -= a[j * n + i] * right[i];
        right[j] /= a[j * n + j];
    }
    for (size_t j = n; j-- > 0;) {
        right[j] /= a[j * n + j];
        for (size_t i = 0; i < j; i++) right[i] -= a[j * n + i] * right[j];
    }
    return true;
}

double middle_gain(const middle_terms *t, int axes)
{
    double a[9], right[3], g[3] = {t->gradient.x, t->gradient.y, t->gradient.z}, gain = 0;
    size_t n = 0;
    int free_axis[3];
    for (int i = 0; i < 3; i++)
        if (!(axes & 1 << i)) free_axis[n++] = i;
    for (size_t i = 0; i < n; i++) {
        right[i] = g[free_axis[i]];
        for (size_t k = 0; k < n; k++) a[i * n + k] = t->hessian.m[free_axis[i]][free_axis[k]];
    }
    if (n == 0 || !solve_dense(a, n, right)) return 0;
    for (size_t i = 0; i < n; i++) gain += 0.5 * right[i] * g[free_axis[i]];
    return gain;
}

/* --- patches -------------------------------------------------------------------------------- */

static abut_status add_vertex(quick_patch *p, const local_mesh *m, int32_t v, int *number,
                              abut_error *err)
{
    *number = number_map_get(&p->number, v);
    if (*number >= 0) return ABUT_OK;
    *number = (int)p->vertices.count;
    if (!array_push(&p->vertices, v) || !number_map_set(&p->number, v, *number) ||
        !array_push(&p->x, *local_field(m, v, p->problem->field_x)) ||
        !array_push(&p->predictor, *local_field(m, v, p->problem->field_predictor)))
        return error_memory(err, "preparing a patch");
    return ABUT_OK;
}

static bool all_inside(const quick_patch *p, const local_mesh *m, int32_t v)
{
    for (int32_t r = m->vertices.data[v].first; r >= 0; r = local_next(m, r))
        if (number_map_get(&p->inside, r / 4) < 0) return false;
    return true;
}

int remesh_fixed_axes(const remesh_problem *q, const local_mesh *m, int32_t v, flag_set flags)
{
    int axes = m->dimension == 2 ? 4 : 0;
    if (!flags || !q->flag_axes) return axes;
    const local_cell *c = &m->cells.data[m->vertices.data[v].first / 4];
    const uint8_t *flag_axes = q->flag_axes + q->materials[c->attribute].first_flag;
    const uint64_t *bits = flag_sets_bits(m->flags, flags);
    for (size_t word = 0; word < m->flags->words; word++)
        for (size_t f = 0; bits[word] >> f; f++) {
            if (bits[word] >> f & 1) axes |= flag_axes[64 * word + f];
            if (f == 63) break;
        }
    return axes;
}

bool remesh_is_loaded(const remesh_problem *q, const local_mesh *m, const remesh_traction *t,
                      const local_cell *c, flag_set flags)
{
    return flag_sets_have(m->flags, flags, t->flag) && q->materials[c->attribute].body == t->body;
}

abut_status quick_open(quick_patch *p, const local_mesh *m, const remesh_problem *q,
                       const local_list *cells, const uint8_t *fixed, size_t fixed_count,
                       bool fix_surface, abut_error *err)
{
    p->problem = q;
    p->dimension = m->dimension;
    p->unknowns = p->free_vertices = 0;
    array_clear(&p->cells);
    array_clear(&p->vertices);
    array_clear(&p->x);
    array_clear(&p->predictor);
    number_map_clear(&p->number);
    number_map_clear(&p->inside);
    for (size_t i = 0; i < cells->count; i++) {
        quick_cell c;
        make_cell(m, q, cells->data[i], &c);
        for (int k = 0; k <= m->dimension; k++)
            TRY(add_vertex(p, m, m->cells.data[cells->data[i]].vertex[k], &c.corner[k], err));
        if (!array_push(&p->cells, c) || !number_map_set(&p->inside, cells->data[i], 0))
            return error_memory(err, "preparing a patch");
    }
    if (!array_resize(&p->unknown, 3 * p->vertices.count) ||
        !array_resize(&p->before, p->vertices.count))
        return error_memory(err, "preparing a patch");
    for (size_t i = 0; i < p->vertices.count; i++) {
        int32_t v = p->vertices.data[i];
        int axes = 7;
        bool stays = fixed && (size_t)v < fixed_count && fixed[v];
        if (!stays && all_inside(p, m, v) &&
            !(fix_surface && local_vertex_on_boundary(m, v, false)))
            axes = remesh_fixed_axes(q, m, v, m->vertices.data[v].flags);
        p->free_vertices += axes != 7;
        for (int k = 0; k < 3; k++)
            p->unknown.data[3 * i + (size_t)k] = axes & 1 << k ? -1 : (int32_t)p->unknowns++;
    }
    return ABUT_OK;
}

static void gather(const quick_patch *p, const quick_cell *c, vec3 *x, vec3 *predictor)
{
    for (int k = 0; k <= p->dimension; k++) {
        x[k] = p->x.data[c->corner[k]];
        predictor[k] = p->predictor.data[c->corner[k]];
    }
}

static double cell_energy_now(const quick_patch *p, const quick_cell *c)
{
    vec3 x[4], predictor[4];
    gather(p, c, x, predictor);
    return energy_at(c, p->problem, x, predictor, p->dimension);
}

/* Gradient, and the lower half of the Hessian. */
static void add_cell_derivatives(quick_patch *p, const quick_cell *c)
{
    vec3 x[4], predictor[4], total = {0};
    mat3 stress;
    double hessian[81];
    size_t n = p->unknowns;
    gather(p, c, x, predictor);
    evaluate(c, p->problem, gradient_of(c, x, p->dimension), &stress, hessian);
    for (int k = 0; k <= p->dimension; k++) total = vec3_add(total, vec3_sub(x[k], predictor[k]));
    for (int k = 0; k <= p->dimension; k++) {
        const int32_t *row = p->unknown.data + 3 * c->corner[k];
        if (row[0] < 0 && row[1] < 0 && row[2] < 0) continue;
        vec3 g = vec3_sub(mat3_mul_vec(stress, c->slope[k]), c->load[k]);
        g = vec3_mul_add(g, c->inertia, vec3_add(vec3_sub(x[k], predictor[k]), total));
        for (int i = 0; i < 3; i++)
            if (row[i] >= 0) p->gradient.data[row[i]] += vec3_get(g, i);
        for (int o = 0; o <= p->dimension; o++) {
            const int32_t *column = p->unknown.data + 3 * c->corner[o];
            if (c->corner[o] > c->corner[k] || (column[0] < 0 && column[1] < 0 && column[2] < 0))
                continue;
            mat3 block = elastic_between(hessian, c->slope[k], c->slope[o]);
            for (int i = 0; i < 3; i++) block.m[i][i] += c->inertia * (o == k ? 2 : 1);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    if (row[i] >= 0 && column[j] >= 0 && column[j] <= row[i])
                        p->matrix.data[(size_t)row[i] * n + (size_t)column[j]] += block.m[i][j];
        }
    }
}

static bool inverts(const quick_patch *p, const quick_cell *c)
{
    vec3 x[4], predictor[4];
    gather(p, c, x, predictor);
    return !(mat3_determinant(gradient_of(c, x, p->dimension)) > 0);
}

/* Energy gained at x against the noted energies; -INFINITY when a cell is inverted. */
static double gained(const quick_patch *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->cells.count; i++) {
        if (inverts(p, &p->cells.data[i])) return -INFINITY;
        sum += p->cells.data[i].energy - cell_energy_now(p, &p->cells.data[i]);
    }
    return sum;
}

static void move(quick_patch *p, double alpha)
{
    for (size_t i = 0; i < p->vertices.count; i++) {
        double at[3] = {p->before.data[i].x, p->before.data[i].y, p->before.data[i].z};
        for (size_t k = 0; k < 3; k++)
            if (p->unknown.data[3 * i + k] >= 0)
                at[k] -= alpha * p->step.data[p->unknown.data[3 * i + k]];
        p->x.data[i] = vec3_make(at[0], at[1], at[2]);
    }
}

/* One step of Newton; *decrease is 0 when none was found. */
static bool iterate(quick_patch *p, double *decrease, double *largest)
{
    size_t n = p->unknowns;
    memset(p->matrix.data, 0, n * n * sizeof *p->matrix.data);
    memset(p->gradient.data, 0, n * sizeof *p->gradient.data);
    for (size_t i = 0; i < p->cells.count; i++) {
        p->cells.data[i].energy = cell_energy_now(p, &p->cells.data[i]);
        add_cell_derivatives(p, &p->cells.data[i]);
    }
    memcpy(p->step.data, p->gradient.data, n * sizeof *p->step.data);
    *decrease = *largest = 0;
    if (!solve_dense(p->matrix.data, n, p->step.data)) return false;
    double slope = 0;
    for (size_t i = 0; i < n; i++) {
        slope += p->step.data[i] * p->gradient.data[i];
        *largest = fmax(*largest, fabs(p->step.data[i]));
    }
    memcpy(p->before.data, p->x.data, p->vertices.count * sizeof *p->x.data);
    for (double alpha = 1; alpha > 1e-3; alpha *= 0.5) {
        move(p, alpha);
        *decrease = gained(p);
        if (*decrease >= 1e-4 * alpha * slope) return true;
    }
    memcpy(p->x.data, p->before.data, p->vertices.count * sizeof *p->x.data);
    *decrease = 0;
    return false;
}

abut_status quick_relax(quick_patch *p, int iterations, double *decrease, size_t *used,
                        abut_error *err)
{
    size_t n = p->unknowns;
    *decrease = 0;
    if (n == 0) return ABUT_OK;
    if (!array_resize(&p->matrix, n * n) || !array_resize(&p->gradient, n) ||
        !array_resize(&p->step, n))
        return error_memory(err, "solving a patch");
    for (int i = 0; i < iterations; i++) {
        double part, largest;
        bool moved = iterate(p, &part, &largest);
        ++*used;
        *decrease += part;
        if (!moved || largest <= p->problem->tolerance) break;
    }
    return ABUT_OK;
}
