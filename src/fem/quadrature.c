#include "fem/quadrature.h"

#include "base/memory.h"
#include "fem/lagrange.h"

#include <math.h>
#include <string.h>

/* ---- Gauss-Jacobi ---- */

/* Jacobi's polynomial of degree n with weight (1 - t)^a on [-1, 1], and the one of degree n - 1. */
static void jacobi(int n, int a, double t, double *value, double *before)
{
    double previous = 1, current = n == 0 ? 1 : 0.5 * ((a + 2) * t + a);
    for (int k = 2; k <= n; k++) {
        double c = 2.0 * k + a;
        double next = ((c - 1) * (c * (c - 2) * t + (double)a * a) * current -
                       2.0 * (k + a - 1) * (k - 1) * c * previous) /
                      (2.0 * k * (k + a) * (c - 2));
        previous = current;
        current = next;
    }
    *value = current;
    *before = previous;
}

static double jacobi_slope(int n, int a, double t, double value, double before)
{
    double c = 2.0 * n + a;
    return (n * (a - c * t) * value + 2.0 * (n + a) * n * before) / (c * (1 - t * t));
}

void gauss_jacobi(int n, int alpha, double *points, double *weights)
{
    for (int i = 0; i < n; i++) {
        double t = -cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5 + 0.5 * alpha));
        if (i > 0 && t <= 2 * points[i - 1] - 1) t = points[i - 1];
        double value, before;
        for (int k = 0; k < 100; k++) { /* Newton, with the roots found so far divided out */
            jacobi(n, alpha, t, &value, &before);
            double slope = jacobi_slope(n, alpha, t, value, before), taken = 0;
            for (int j = 0; j < i; j++) taken += 1 / (t - (2 * points[j] - 1));
            double change = value / (slope - value * taken);
            t -= change;
            if (fabs(change) < 1e-16) break;
        }
        double next;
        jacobi(n, alpha, t, &value, &before);
        double slope = jacobi_slope(n, alpha, t, value, before);
        jacobi(n + 1, alpha, t, &next, &before);
        points[i] = 0.5 * (1 + t);
        weights[i] =
            -(2.0 * n + alpha + 2) / ((double)(n + alpha + 1) * (n + 1)) / (2 * slope * next);
    }
}

/* ---- symmetric rules on simplices ---- */

/* All points that are permutations of the barycentric coordinates named by the kind. Weights are
 * those of one point; over a rule they sum to 1. */
typedef enum orbit_kind {
    CENTER,      /* all equal */
    ONE_DIFFERS, /* (a, a, a, 1 - 3 a); triangles (a, a, 1 - 2 a) */
    TWO_AND_TWO, /* (a, a, 1/2 - a, 1/2 - a) */
    TWO_DIFFER,  /* (a, a, b, 1 - 2 a - b) */
    ALL_DIFFER   /* triangles: (a, b, 1 - a - b) */
} orbit_kind;

typedef struct orbit {
    orbit_kind kind;
    double weight, a, b;
} orbit;

enum { MAX_ORBITS = 7 };

typedef struct symmetric_rule {
    cell_kind kind;
    int degree, orbit_count;
    orbit orbits[MAX_ORBITS];
} symmetric_rule;

/* Found by solving the moment equations of each combination of orbits; sorted by degree. The tests
 * integrate every monomial. */
static const symmetric_rule symmetric_rules[] = {
    {CELL_TRIANGLE, 1, 1, {{CENTER, 1, 0, 0}}},
    {CELL_TRIANGLE, 2, 1, {{ONE_DIFFERS, 1.0 / 3, 1.0 / 6, 0}}},
    {CELL_TRIANGLE,
     4,
     2,
     {{ONE_DIFFERS, 0.10995174365532188465, 0.091576213509770743038, 0},
      {ONE_DIFFERS, 0.22338158967801144406, 0.44594849091596489021, 0}}},
    {CELL_TRIANGLE,
     5,
     3,
     {{CENTER, 0.225, 0, 0},
      {ONE_DIFFERS, 0.12593918054482744484, 0.10128650732345649554, 0},
      {ONE_DIFFERS, 0.13239415278850460989, 0.4701420641051157201, 0}}},
    {CELL_TRIANGLE,
     6,
     3,
     {{ONE_DIFFERS, 0.050844906370206423285, 0.063089014491501824167, 0},
      {ONE_DIFFERS, 0.1167862757263794099, 0.24928674517091001239, 0},
      {ALL_DIFFER, 0.082851075618373737353, 0.31035245103378417131, 0.0531450498448171188}}},
    {CELL_TRIANGLE,
     8,
     5,
     {{CENTER, 0.14431560767777412702, 0, 0},
      {ONE_DIFFERS, 0.10321737053471789769, 0.17056930775175227488, 0},
      {ONE_DIFFERS, 0.032458497623198863391, 0.050547228317031109301, 0},
      {ONE_DIFFERS, 0.095091634267292779459, 0.45929258829271540909, 0},
      {ALL_DIFFER, 0.027230314174432872915, 0.26311282963466064988, 0.0083947774099485342886}}},
    {CELL_TET, 1, 1, {{CENTER, 1, 0, 0}}},
    {CELL_TET, 2, 1, {{ONE_DIFFERS, 0.25, 0.13819660112501052, 0}}},
    {CELL_TET,
     3,
     2,
     {{ONE_DIFFERS, 0.12778654077220547025, 0.11408208126306589036, 0},
      {ONE_DIFFERS, 0.1222134592277945575, 0.32908168122147923862, 0}}},
    {CELL_TET,
     5,
     3,
     {{ONE_DIFFERS, 0.073493043116361949, 0.092735250310891226, 0},
      {ONE_DIFFERS, 0.11268792571801585, 0.31088591926330061, 0},
      {TWO_AND_TWO, 0.042546020777081466, 0.045503704125649649, 0}}},
    {CELL_TET,
     6,
     4,
     {{ONE_DIFFERS, 0.039922750258167820359, 0.21460287125915178397, 0},
      {ONE_DIFFERS, 0.010077211055320686381, 0.040673958534611469318, 0},
      {ONE_DIFFERS, 0.055357181543654432332, 0.32233789014227565151, 0},
      {TWO_DIFFER, 0.04821428571428569565, 0.063661001875017525498, 0.26967233145831592811}}},
    {CELL_TET,
     8,
     7,
     {{ONE_DIFFERS, 0.0064514673793559613665, 0.039812294053194356713, 0},
      {ONE_DIFFERS, 0.02438978782436187695, 0.10226059160472704412, 0},
      {ONE_DIFFERS, 0.054747225440668498275, 0.18423464454331414664, 0},
      {ONE_DIFFERS, 0.040263045667716268472, 0.31447435357607539386, 0},
      {TWO_AND_TWO, 0.035745775743879472375, 0.063481253261525219522, 0},
      {TWO_DIFFER, 0.0071813658054216836582, 0.021676339159080348917, 0.71981922114150587166},
      {TWO_DIFFER, 0.016328570885271054963, 0.20446164152663098834, 0.010346217406742895875}}},
};

static int orbit_points(cell_kind cell, const orbit *o, double (*out)[4])
{
    int corners = cell == CELL_TET ? 4 : 3, count = 0;
    switch (o->kind) {
    case CENTER:
        for (int k = 0; k < corners; k++) out[0][k] = 1.0 / corners;
        return 1;
    case ONE_DIFFERS:
        for (int i = 0; i < corners; i++, count++)
            for (int k = 0; k < corners; k++)
                out[count][k] = k == i ? 1 - (corners - 1) * o->a : o->a;
        return count;
    case TWO_AND_TWO:
        for (int i = 0; i < 4; i++)
            for (int j = i + 1; j < 4; j++, count++)
                for (int k = 0; k < 4; k++) out[count][k] = k == i || k == j ? o->a : 0.5 - o->a;
        return count;
    case TWO_DIFFER:
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                if (i == j) continue;
                for (int k = 0; k < 4; k++)
                    out[count][k] = k == i ? o->b : k == j ? 1 - 2 * o->a - o->b : o->a;
                count++;
            }
        return count;
    case ALL_DIFFER:
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                if (i == j) continue;
                for (int k = 0; k < 3; k++)
                    out[count][k] = k == i ? o->a : k == j ? o->b : 1 - o->a - o->b;
                count++;
            }
        return count;
    }
    return 0;
}

static const symmetric_rule *find_rule(cell_kind kind, int degree)
{
    for (size_t i = 0; i < sizeof symmetric_rules / sizeof *symmetric_rules; i++)
        if (symmetric_rules[i].kind == kind && symmetric_rules[i].degree >= degree)
            return &symmetric_rules[i];
    return NULL;
}

/* ---- making rules ---- */

static abut_status allocate(quadrature *q, int count, abut_error *err)
{
    q->count = count;
    q->points = mem_calloc((size_t)count, sizeof *q->points);
    q->weights = mem_calloc((size_t)count, sizeof *q->weights);
    if (q->points && q->weights) return ABUT_OK;
    quadrature_free(q);
    return error_memory(err, "making a quadrature rule");
}

static abut_status symmetric(const symmetric_rule *rule, quadrature *out, abut_error *err)
{
    double points[12][4], measure = rule->kind == CELL_TET ? 1.0 / 6 : 1.0 / 2;
    int count = 0;
    for (int i = 0; i < rule->orbit_count; i++)
        count += orbit_points(rule->kind, &rule->orbits[i], points);
    TRY(allocate(out, count, err));
    count = 0;
    for (int i = 0; i < rule->orbit_count; i++) {
        int n = orbit_points(rule->kind, &rule->orbits[i], points);
        for (int k = 0; k < n; k++, count++) {
            for (int c = 0; c < (rule->kind == CELL_TET ? 3 : 2); c++)
                out->points[count][c] = points[k][c + 1];
            out->weights[count] = measure * rule->orbits[i].weight;
        }
    }
    return ABUT_OK;
}

/* Gauss rules along the axes of the cell; a simplex is a cube whose faces collapsed. */
static abut_status product(cell_kind kind, int degree, quadrature *out, abut_error *err)
{
    enum { MOST = QUADRATURE_MAX_DEGREE / 2 + 1 };
    int dimension = cell_dimension(kind), n = degree / 2 + 1, total = 1;
    bool simplex = kind == CELL_TRIANGLE || kind == CELL_TET;
    double point[3][MOST], weight[3][MOST];
    for (int k = 0; k < dimension; k++) {
        gauss_jacobi(n, simplex ? dimension - 1 - k : 0, point[k], weight[k]);
        total *= n;
    }
    TRY(allocate(out, total, err));
    for (int i = 0; i < total; i++) {
        double left = 1, w = 1;
        for (int k = 0, rest = i; k < dimension; k++, rest /= n) {
            out->points[i][k] = left * point[k][rest % n];
            if (simplex) left *= 1 - point[k][rest % n];
            w *= weight[k][rest % n];
        }
        out->weights[i] = w;
    }
    return ABUT_OK;
}

abut_status quadrature_make(cell_kind kind, int degree, quadrature *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    if (degree < 0 || degree > QUADRATURE_MAX_DEGREE || cell_dimension(kind) == 0)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                         "no quadrature of degree %d on a %s; degrees 0 to %d are supported",
                         degree, cell_kind_name(kind), QUADRATURE_MAX_DEGREE);
    const symmetric_rule *rule = find_rule(kind, degree);
    return rule ? symmetric(rule, out, err) : product(kind, degree, out, err);
}

void quadrature_free(quadrature *q)
{
    mem_free(q->points);
    mem_free(q->weights);
    memset(q, 0, sizeof *q);
}

static bool is_cube(cell_kind kind) { return kind == CELL_QUAD || kind == CELL_HEX; }

int quadrature_degree_stiffness(cell_kind kind, int basis_order, int geometry_order)
{
    int p = basis_order, q = geometry_order, dimension = cell_dimension(kind);
    if (is_cube(kind)) return 2 * p + (q > 0 ? 2 * q : 0);
    int degree = 2 * (p - 1);
    if (q > 1) {
        /* Gradients of functions are polynomials over det J, which cancels one of its factors; the
         * volume itself is to be exact in any case. */
        int volume = dimension * (q - 1);
        degree += (dimension - 1) * (q - 1);
        degree = degree > volume ? degree : volume;
    }
    return degree > 1 ? degree : 1;
}

int quadrature_degree_mass(cell_kind kind, int basis_order, int geometry_order)
{
    int p = basis_order, q = geometry_order, dimension = cell_dimension(kind);
    if (is_cube(kind)) return 2 * p + (q > 0 ? dimension * q - 1 : 0);
    return 2 * p + (q > 0 ? dimension * (q - 1) : 0);
}
