#include "fem/node_fit.h"

#include <math.h>
#include <string.h>

enum { MAX_TERMS = 20 }; /* polynomials of degree 3 in space */

/* Products of powers of the axes with a sum of at most `degree`; returns their number. */
static int monomials(int dimension, int degree, const double *xi, double *out)
{
    int count = 0;
    for (int i = 0; i <= degree; i++)
        for (int j = 0; i + j <= degree; j++)
            for (int k = 0; i + j + k <= degree && (dimension == 3 || k == 0); k++)
                out[count++] = pow(xi[0], i) * pow(xi[1], j) * (k ? pow(xi[2], k) : 1);
    return count;
}

/* L L^T = a, in place; the matrix is definite: a rule that integrates stiffness has more points
 * than the polynomial has terms. */
static void factor(double a[MAX_TERMS][MAX_TERMS], int n)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
}

static void solve(double l[MAX_TERMS][MAX_TERMS], int n, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= l[i][k] * b[k];
        b[i] /= l[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= l[k][i] * b[k];
        b[i] /= l[i][i];
    }
}

static int fit_degree(const element_set *s)
{
    bool cube = s->kind == CELL_QUAD || s->kind == CELL_HEX;
    return cube ? s->order : s->order - 1;
}

bool node_fit_make(const element_set *s, double *fit)
{
    int points = s->elastic_points, terms = 0, degree = fit_degree(s);
    double gram[MAX_TERMS][MAX_TERMS] = {{0}};
    double(*at)[MAX_TERMS] = mem_alloc((size_t)points, sizeof *at);
    if (!at) return false;
    for (int i = 0; i < points; i++) {
        terms = monomials(s->dimension, degree, s->rule.points[i], at[i]);
        for (int a = 0; a < terms; a++)
            for (int b = 0; b < terms; b++) gram[a][b] += s->rule.weights[i] * at[i][a] * at[i][b];
    }
    factor(gram, terms);
    for (int a = 0; a < s->nodes; a++) {
        double c[MAX_TERMS];
        monomials(s->dimension, degree, s->node_position[a], c);
        solve(gram, terms, c);
        for (int i = 0; i < points; i++) {
            double sum = 0;
            for (int k = 0; k < terms; k++) sum += c[k] * at[i][k];
            fit[a * points + i] = s->rule.weights[i] * sum;
        }
    }
    mem_free(at);
    return true;
}
