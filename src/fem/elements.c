#include "fem/elements.h"

#include "fem/lagrange.h"

#include <math.h>
#include <string.h>

static int padded(int n) { return (n + 3) / 4 * 4; }

static size_t pair_count(int nodes) { return (size_t)nodes * (size_t)(nodes + 1) / 2; }

static size_t pair_index(int nodes, int a, int b)
{
    if (a > b) return pair_index(nodes, b, a);
    return (size_t)a * (size_t)(2 * nodes - a - 1) / 2 + (size_t)b;
}

/* ---- tables of a set ---- */

static abut_status fill_gradients(element_set *s, abut_error *err)
{
    size_t rows = (size_t)(s->dimension * s->rule.count);
    s->gradients = mem_calloc(rows * (size_t)s->stride, sizeof *s->gradients);
    if (!s->gradients) return error_memory(err, "preparing elements");
    for (int i = 0; i < s->rule.count; i++) {
        double g[CELL_MAX_NODES][3];
        lagrange_evaluate(s->kind, s->order, s->rule.points[i], NULL, g);
        for (int k = 0; k < s->dimension; k++)
            for (int a = 0; a < s->nodes; a++) {
                int row = s->dimension * i + k;
                s->gradients[row * s->stride + a] = g[a][k];
            }
    }
    return ABUT_OK;
}

/* Adds weight x phi_a phi_b at a point to the entries of the upper triangle. */
static void add_mass_point(const element_set *s, const double *xi, double weight, double *mass)
{
    double value[CELL_MAX_NODES];
    lagrange_evaluate(s->kind, s->order, xi, value, NULL);
    for (int a = 0; a < s->nodes; a++)
        for (int b = a; b < s->nodes; b++, mass++) *mass += weight * value[a] * value[b];
}

static abut_status fill_reference_mass(element_set *s, abut_error *err)
{
    quadrature rule;
    TRY(quadrature_make(s->kind, quadrature_degree_mass(s->kind, s->order, 0), &rule, err));
    s->reference_mass = mem_calloc(pair_count(s->nodes), sizeof *s->reference_mass);
    for (int i = 0; s->reference_mass && i < rule.count; i++)
        add_mass_point(s, rule.points[i], rule.weights[i], s->reference_mass);
    quadrature_free(&rule);
    return s->reference_mass ? ABUT_OK : error_memory(err, "preparing elements");
}

/* Values of the basis at the nodes of the geometry, for q > p. */
static abut_status fill_to_geometry(element_set *s, abut_error *err)
{
    if (s->order >= s->geometry_order) return ABUT_OK;
    int count = cell_node_count(s->kind, s->geometry_order), lattice[CELL_MAX_NODES][3];
    cell_lattice(s->kind, s->geometry_order, lattice);
    s->to_geometry = mem_alloc((size_t)count * (size_t)s->nodes, sizeof *s->to_geometry);
    if (!s->to_geometry) return error_memory(err, "preparing elements");
    for (int b = 0; b < count; b++) {
        double xi[3];
        for (int k = 0; k < 3; k++) xi[k] = (double)lattice[b][k] / s->geometry_order;
        lagrange_evaluate(s->kind, s->order, xi, s->to_geometry + b * s->nodes, NULL);
    }
    return ABUT_OK;
}

/* Appends the inversion-barrier points to the rule: nodes of the cell of the next order (at most 4,
 * quads and hexes 2), with equal shares of the volume. */
static abut_status add_barrier_points(element_set *s, abut_error *err)
{
    s->elastic_points = s->rule.count;
    bool cube = s->kind == CELL_QUAD || s->kind == CELL_HEX;
    if (s->order == 1 && s->affine && !cube) return ABUT_OK; /* det F is the same everywhere */
    int barrier_points = cube ? 2 : s->positive.order < 4 ? s->positive.order + 1 : 4;
    int lattice[CELL_MAX_NODES][3], count = cell_lattice(s->kind, barrier_points, lattice);
    double volume = 0;
    for (int i = 0; i < s->rule.count; i++) volume += s->rule.weights[i];
    size_t total = (size_t)(s->rule.count + count);
    double(*points)[3] = mem_realloc(s->rule.points, total, sizeof *points);
    if (points) s->rule.points = points;
    double *weights = mem_realloc(s->rule.weights, total, sizeof *weights);
    if (weights) s->rule.weights = weights;
    if (!points || !weights) return error_memory(err, "preparing elements");
    for (int a = 0; a < count; a++) {
        int at = s->rule.count++;
        for (int k = 0; k < 3; k++) points[at][k] = (double)lattice[a][k] / barrier_points;
        weights[at] = volume / count;
    }
    return ABUT_OK;
}

static abut_status describe_nodes(element_set *s, abut_error *err)
{
    int lattice[CELL_MAX_NODES][3];
    cell_lattice(s->kind, s->order, lattice);
    for (int a = 0; a < s->nodes; a++) {
        int sum = lattice[a][0] + lattice[a][1] + lattice[a][2];
        for (int k = 0; k < 3; k++) {
            s->node_position[a][k] = (double)lattice[a][k] / s->order;
            if (lattice[a][k] == s->order && sum == s->order) s->axis[k] = a;
        }
    }
    int barrier_points = s->rule.count - s->elastic_points;
    s->steepness = mem_calloc((size_t)(barrier_points * s->nodes) + 1, sizeof *s->steepness);
    if (!s->steepness) return error_memory(err, "preparing elements");
    for (int i = 0; i < barrier_points; i++) {
        double gradient[CELL_MAX_NODES][3];
        lagrange_evaluate(s->kind, s->order, s->rule.points[s->elastic_points + i], NULL, gradient);
        for (int a = 0; a < s->nodes; a++)
            s->steepness[i * s->nodes + a] =
                vec3_norm((vec3){gradient[a][0], gradient[a][1], gradient[a][2]});
    }
    return ABUT_OK;
}

abut_status element_set_init(element_set *s, cell_kind kind, int order, int geometry_order,
                             bool affine, abut_error *err)
{
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->order = order;
    s->affine = affine;
    s->geometry_order = affine ? 1 : geometry_order;
    s->dimension = cell_dimension(kind);
    s->nodes = cell_node_count(kind, order);
    s->stride = padded(s->nodes);
    if (s->nodes == 0 || s->dimension < 2 || cell_node_count(kind, geometry_order) == 0)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "", "%ss of order %d are not supported",
                         cell_kind_name(kind), s->nodes == 0 ? order : geometry_order);
    int highest = order > s->geometry_order ? order : s->geometry_order;
    int degree = quadrature_degree_stiffness(kind, order, affine ? 0 : geometry_order);
    abut_status status = quadrature_make(kind, degree, &s->rule, err);
    if (status == ABUT_OK) status = positivity_init(&s->positive, kind, highest, err);
    if (status == ABUT_OK) status = add_barrier_points(s, err);
    if (status == ABUT_OK) status = describe_nodes(s, err);
    if (status == ABUT_OK) status = fill_gradients(s, err);
    if (status == ABUT_OK && affine) status = fill_reference_mass(s, err);
    if (status == ABUT_OK) status = fill_to_geometry(s, err);
    if (status != ABUT_OK) element_set_free(s);
    return status;
}

void element_set_free(element_set *s)
{
    quadrature_free(&s->rule);
    mem_free(s->gradients);
    mem_free(s->steepness);
    mem_free(s->reference_mass);
    mem_free(s->to_geometry);
    positivity_free(&s->positive);
    array_free(&s->blocks);
    array_free(&s->points);
    array_free(&s->material);
    array_free(&s->density);
    array_free(&s->body);
    array_free(&s->mass);
    array_free(&s->shape);
    memset(s, 0, sizeof *s);
}

/* ---- adding elements ---- */

/* J^-1 and det J of the rest map at a point; planar cells use x and y. */
static bool rest_point(const element_set *s, const vec3 *shape, int order, const double *xi,
                       mat3 *inverse, double *determinant)
{
    mat3 j;
    lagrange_position(s->kind, order, shape, xi, &j);
    if (s->dimension == 2) {
        j.m[2][0] = j.m[2][1] = j.m[0][2] = j.m[1][2] = 0;
        j.m[2][2] = 1;
    }
    *determinant = mat3_determinant(j);
    if (!(*determinant > 0) || !isfinite(*determinant)) return false;
    *inverse = mat3_inverse(j);
    if (s->dimension == 2) inverse->m[2][2] = 0;
    return isfinite(mat3_norm2(*inverse));
}

static abut_status inverted(abut_error *err)
{
    return error_set(err, ABUT_ERROR_INFEASIBLE, "",
                     "the Jacobian determinant is not positive everywhere");
}

static abut_status add_points(element_set *s, const vec3 *shape, int order, abut_error *err)
{
    int count = s->affine ? 1 : s->rule.count;
    for (int i = 0; i < count; i++) {
        element_point point;
        double determinant;
        if (!rest_point(s, shape, order, s->rule.points[i], &point.inverse, &determinant))
            return inverted(err);
        point.measure = determinant * (s->affine ? 1 : s->rule.weights[i]);
        if (!array_push(&s->points, point)) return error_memory(err, "adding elements");
    }
    return ABUT_OK;
}

/* Mass entries of a curved element, without the density. */
static abut_status add_mass(element_set *s, const vec3 *shape, int order, abut_error *err)
{
    if (s->affine) return ABUT_OK;
    quadrature rule;
    TRY(quadrature_make(s->kind, quadrature_degree_mass(s->kind, s->order, order), &rule, err));
    size_t first = s->mass.count, pairs = pair_count(s->nodes);
    abut_status status = ABUT_OK;
    if (array_resize(&s->mass, first + pairs)) {
        memset(s->mass.data + first, 0, pairs * sizeof *s->mass.data);
        for (int i = 0; status == ABUT_OK && i < rule.count; i++) {
            mat3 inverse;
            double determinant;
            if (!rest_point(s, shape, order, rule.points[i], &inverse, &determinant))
                status = inverted(err);
            else
                add_mass_point(s, rule.points[i], rule.weights[i] * determinant,
                               s->mass.data + first);
        }
    } else {
        status = error_memory(err, "adding elements");
    }
    quadrature_free(&rule);
    return status;
}

/* The rest map as nodes of order positive.order. */
static void rest_map(const element_set *s, const vec3 *shape, int order, vec3 *out)
{
    int lattice[CELL_MAX_NODES][3], r = s->positive.order;
    int count = cell_lattice(s->kind, r, lattice);
    for (int a = 0; a < count; a++) {
        double xi[3];
        for (int k = 0; k < 3; k++) xi[k] = (double)lattice[a][k] / r;
        out[a] = lagrange_position(s->kind, order, shape, xi, NULL);
    }
}

abut_status element_set_add(element_set *s, const int32_t *blocks, const vec3 *shape,
                            int shape_order, const elastic_parameters *material, double density,
                            int32_t body, abut_error *err)
{
    vec3 nodes[CELL_MAX_NODES];
    rest_map(s, shape, shape_order, nodes);
    if (positivity_check(&s->positive, nodes) != POSITIVE) return inverted(err);
    TRY(add_points(s, shape, shape_order, err));
    TRY(add_mass(s, shape, shape_order, err));
    bool ok = array_push(&s->material, *material) && array_push(&s->density, density) &&
              array_push(&s->body, body);
    for (int a = 0; ok && a < s->nodes; a++) ok = array_push(&s->blocks, blocks[a]);
    for (int a = 0; ok && s->to_geometry && a < s->positive.nodes; a++)
        ok = array_push(&s->shape, nodes[a]);
    if (!ok) return error_memory(err, "adding elements");
    s->count++;
    return ABUT_OK;
}

/* ---- measures ---- */

double element_volume(const element_set *s, size_t e)
{
    double sum = 0;
    for (int i = 0; i < s->elastic_points; i++)
        sum += s->affine ? s->rule.weights[i] * s->points.data[e].measure
                         : s->points.data[e * (size_t)s->rule.count + (size_t)i].measure;
    return sum;
}

double element_mass(const element_set *s, size_t e, int a, int b)
{
    size_t at = pair_index(s->nodes, a, b);
    double shape = s->affine ? s->reference_mass[at] * s->points.data[e].measure
                             : s->mass.data[e * pair_count(s->nodes) + at];
    return s->density.data[e] * shape;
}

/* ---- positions ---- */

void element_gather(const element_set *s, size_t e, const double *x, const vec3 *rest, double *u)
{
    const int32_t *blocks = s->blocks.data + e * (size_t)s->nodes;
    memset(u, 0, 3 * (size_t)s->stride * sizeof *u);
    for (int a = 0; a < s->nodes; a++) {
        const double *at = x + 3 * (size_t)blocks[a];
        vec3 from = rest[blocks[a]];
        u[a] = at[0] - from.x;
        u[s->stride + a] = at[1] - from.y;
        u[2 * s->stride + a] = at[2] - from.z;
    }
}

/* From values at the nodes of the basis to values at those of the map. */
static void spread(const element_set *s, const vec3 *value, vec3 *out)
{
    for (int b = 0; b < s->positive.nodes; b++)
        for (int a = 0; a < s->nodes; a++)
            out[b] = vec3_mul_add(out[b], s->to_geometry[b * s->nodes + a], value[a]);
}

void element_map_nodes(const element_set *s, size_t e, const double *x, const vec3 *rest,
                       vec3 *nodes)
{
    const int32_t *blocks = s->blocks.data + e * (size_t)s->nodes;
    vec3 u[CELL_MAX_NODES];
    if (!s->to_geometry) {
        for (int a = 0; a < s->nodes; a++) nodes[a] = vec3_load(x + 3 * (size_t)blocks[a]);
        return;
    }
    for (int a = 0; a < s->nodes; a++)
        u[a] = vec3_sub(vec3_load(x + 3 * (size_t)blocks[a]), rest[blocks[a]]);
    memcpy(nodes, s->shape.data + e * (size_t)s->positive.nodes,
           (size_t)s->positive.nodes * sizeof *nodes);
    spread(s, u, nodes);
}

void element_map_direction(const element_set *s, size_t e, const double *p, vec3 *nodes)
{
    const int32_t *blocks = s->blocks.data + e * (size_t)s->nodes;
    vec3 u[CELL_MAX_NODES];
    vec3 *to = s->to_geometry ? u : nodes;
    for (int a = 0; a < s->nodes; a++) to[a] = vec3_load(p + 3 * (size_t)blocks[a]);
    if (!s->to_geometry) return;
    memset(nodes, 0, (size_t)s->positive.nodes * sizeof *nodes);
    spread(s, u, nodes);
}

void element_map_transpose(const element_set *s, const vec3 *gradient, vec3 *own)
{
    for (int a = 0; a < s->nodes; a++) {
        own[a] = s->to_geometry ? (vec3){0} : gradient[a];
        for (int b = 0; s->to_geometry && b < s->positive.nodes; b++)
            own[a] = vec3_mul_add(own[a], s->to_geometry[b * s->nodes + a], gradient[b]);
    }
}
