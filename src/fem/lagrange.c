#include "fem/lagrange.h"

#include <stddef.h>

int cell_dimension(cell_kind kind)
{
    static const int dimensions[] = {0, 1, 2, 2, 3, 3};
    return dimensions[kind];
}

/* Silvester's polynomial of degree m, prod_{r < m} (k l - r)/(r + 1), and its derivative. */
static void silvester(int m, int order, double l, double *value, double *slope)
{
    double s = 1, d = 0;
    for (int r = 0; r < m; r++) {
        double factor = (order * l - r) / (r + 1);
        d = d * factor + s * order / (r + 1);
        s *= factor;
    }
    *value = s;
    *slope = d;
}

/* The polynomial of one axis that is 1 at node/order and 0 at the other nodes of the axis. */
static void axis_function(int node, int order, double x, double *value, double *slope)
{
    double s = 1, d = 0;
    for (int r = 0; r <= order; r++) {
        if (r == node) continue;
        double factor = (order * x - r) / (node - r);
        d = d * factor + s * order / (node - r);
        s *= factor;
    }
    *value = s;
    *slope = d;
}

enum { MAX_ORDER = 4 };

/* Factors of the basis functions: by coordinate and by steps along it. */
typedef struct factor_table {
    double value[4][MAX_ORDER + 1], slope[4][MAX_ORDER + 1];
} factor_table;

static void simplex_function(int dimension, int order, const int *node, const factor_table *f,
                             double *value, double *gradient)
{
    double s[4], d[4], along[4]; /* derivative by each barycentric coordinate */
    int first = order;
    for (int k = 0; k < dimension; k++) {
        first -= node[k];
        s[k + 1] = f->value[k + 1][node[k]];
        d[k + 1] = f->slope[k + 1][node[k]];
    }
    s[0] = f->value[0][first];
    d[0] = f->slope[0][first];
    if (value) {
        *value = 1;
        for (int k = 0; k <= dimension; k++) *value *= s[k];
    }
    if (!gradient) return;
    for (int k = 0; k <= dimension; k++) {
        along[k] = d[k];
        for (int j = 0; j <= dimension; j++)
            if (j != k) along[k] *= s[j];
    }
    for (int k = 0; k < 3; k++) gradient[k] = k < dimension ? along[k + 1] - along[0] : 0.0;
}

static void cube_function(int dimension, int order, const int *node, const factor_table *f,
                          double *value, double *gradient)
{
    (void)order;
    double s[3] = {1, 1, 1}, d[3] = {0, 0, 0};
    for (int k = 0; k < dimension; k++) {
        s[k] = f->value[k][node[k]];
        d[k] = f->slope[k][node[k]];
    }
    if (value) *value = s[0] * s[1] * s[2];
    if (!gradient) return;
    gradient[0] = d[0] * s[1] * s[2];
    gradient[1] = s[0] * d[1] * s[2];
    gradient[2] = s[0] * s[1] * d[2];
}

void lagrange_evaluate(cell_kind kind, int order, const double xi[3], double *value,
                       double (*gradient)[3])
{
    int lattice[CELL_MAX_NODES][3], dimension = cell_dimension(kind);
    int count = cell_lattice(kind, order, lattice);
    if (count == 0) return;
    bool cube = kind == CELL_QUAD || kind == CELL_HEX;
    factor_table f;
    double l[4] = {1};
    for (int k = 0; k < dimension; k++) {
        l[0] -= xi[k];
        l[k + 1] = xi[k];
    }
    for (int m = 0; m <= order; m++)
        for (int k = 0; k <= dimension; k++) {
            if (cube && k < dimension)
                axis_function(m, order, xi[k], &f.value[k][m], &f.slope[k][m]);
            if (!cube) silvester(m, order, l[k], &f.value[k][m], &f.slope[k][m]);
        }
    for (int a = 0; a < count; a++)
        (cube ? cube_function : simplex_function)(dimension, order, lattice[a], &f,
                                                  value ? &value[a] : NULL,
                                                  gradient ? gradient[a] : NULL);
}

vec3 lagrange_position(cell_kind kind, int order, const vec3 *nodes, const double xi[3],
                       mat3 *jacobian)
{
    double value[CELL_MAX_NODES], gradient[CELL_MAX_NODES][3];
    lagrange_evaluate(kind, order, xi, value, jacobian ? gradient : NULL);
    int count = cell_node_count(kind, order);
    vec3 x = {0};
    for (int a = 0; a < count; a++) x = vec3_mul_add(x, value[a], nodes[a]);
    if (!jacobian) return x;
    *jacobian = mat3_zero();
    for (int a = 0; a < count; a++)
        for (int k = 0; k < 3; k++) {
            jacobian->m[0][k] += nodes[a].x * gradient[a][k];
            jacobian->m[1][k] += nodes[a].y * gradient[a][k];
            jacobian->m[2][k] += nodes[a].z * gradient[a][k];
        }
    return x;
}

bool lagrange_is_affine(cell_kind kind, int order, const vec3 *nodes)
{
    int lattice[CELL_MAX_NODES][3], dimension = cell_dimension(kind);
    int count = cell_lattice(kind, order, lattice);
    /* The corners next to corner 0 along each axis. */
    int axis[3] = {1, kind == CELL_QUAD || kind == CELL_HEX ? 3 : 2, kind == CELL_HEX ? 4 : 3};
    double size = 0;
    for (int a = 1; a < count; a++) size = fmax(size, vec3_norm(vec3_sub(nodes[a], nodes[0])));
    for (int a = 1; a < count; a++) {
        vec3 x = nodes[0];
        for (int k = 0; k < dimension; k++)
            x = vec3_mul_add(x, (double)lattice[a][k] / order, vec3_sub(nodes[axis[k]], nodes[0]));
        if (!(vec3_norm(vec3_sub(x, nodes[a])) <= 1e-12 * size)) return false;
    }
    return true;
}
