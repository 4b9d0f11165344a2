#include "support/ccd_oracle.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Polynomials with integer coefficients, degree at most 3
 * ------------------------------------------------------------------------------------------- */

enum { MAX_DEGREE = 3, MAX_ROOTS = 32 };

typedef struct poly {
    mpz_t c[MAX_DEGREE + 1]; /* c[i] t^i; coefficients above the degree are zero */
} poly;

static void poly_init(poly *p)
{
    for (int i = 0; i <= MAX_DEGREE; i++) mpz_init(p->c[i]);
}

static void poly_clear(poly *p)
{
    for (int i = 0; i <= MAX_DEGREE; i++) mpz_clear(p->c[i]);
}

static void poly_set(poly *p, const poly *q)
{
    for (int i = 0; i <= MAX_DEGREE; i++) mpz_set(p->c[i], q->c[i]);
}

static int poly_degree(const poly *p) /* -1 for zero */
{
    int degree = MAX_DEGREE;
    while (degree >= 0 && mpz_sgn(p->c[degree]) == 0) degree--;
    return degree;
}

/* A root in [0, 1]: k / 2^m exactly, or the only root of f in the open cell from k to k + 1. */
typedef struct root {
    const poly *f; /* square-free */
    mpz_t k;
    unsigned long m;
    bool exact;
} root;

struct ccd_oracle {
    poly square_free[MAX_ROOTS]; /* storage that roots refer to */
    int polys;
    root candidate[MAX_ROOTS]; /* valid times of touching of the last query */
    int count;
    poly x[4][3]; /* positions as linear polynomials, integers after scaling by 2^-scale */
    long scale;
    poly work[40]; /* named by the functions that use them */
    mpz_t z[16];
    mpq_t q[40];
};

ccd_oracle *ccd_oracle_new(void)
{
    ccd_oracle *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    for (int i = 0; i < MAX_ROOTS; i++) {
        poly_init(&o->square_free[i]);
        mpz_init(o->candidate[i].k);
    }
    for (int i = 0; i < 12; i++) poly_init(&o->x[i / 3][i % 3]);
    for (int i = 0; i < 40; i++) poly_init(&o->work[i]);
    for (int i = 0; i < 16; i++) mpz_init(o->z[i]);
    for (int i = 0; i < 40; i++) mpq_init(o->q[i]);
    return o;
}

void ccd_oracle_free(ccd_oracle *o)
{
    if (!o) return;
    for (int i = 0; i < MAX_ROOTS; i++) {
        poly_clear(&o->square_free[i]);
        mpz_clear(o->candidate[i].k);
    }
    for (int i = 0; i < 12; i++) poly_clear(&o->x[i / 3][i % 3]);
    for (int i = 0; i < 40; i++) poly_clear(&o->work[i]);
    for (int i = 0; i < 16; i++) mpz_clear(o->z[i]);
    for (int i = 0; i < 40; i++) mpq_clear(o->q[i]);
    free(o);
}

/* value = p(k / 2^m) 2^(m degree) */
static void poly_at(mpz_t value, const poly *p, int degree, const mpz_t k, unsigned long m)
{
    mpz_set_ui(value, 0);
    if (degree < 0) return;
    mpz_set(value, p->c[degree]);
    mpz_t term;
    mpz_init(term);
    for (int i = degree - 1; i >= 0; i--) {
        mpz_mul(value, value, k);
        mpz_mul_2exp(term, p->c[i], m * (unsigned long)(degree - i));
        mpz_add(value, value, term);
    }
    mpz_clear(term);
}

static int poly_sign_at(ccd_oracle *o, const poly *p, const mpz_t k, unsigned long m)
{
    poly_at(o->z[0], p, poly_degree(p), k, m);
    return mpz_sgn(o->z[0]);
}

/* r = a mod b up to a non-zero factor, with the content removed. deg b >= 0. */
static void poly_remainder(ccd_oracle *o, poly *r, const poly *a, const poly *b)
{
    int db = poly_degree(b), dr;
    poly_set(r, a);
    while ((dr = poly_degree(r)) >= db) {
        mpz_set(o->z[1], r->c[dr]);
        for (int i = 0; i <= dr; i++) mpz_mul(r->c[i], r->c[i], b->c[db]);
        for (int i = 0; i <= db; i++) mpz_submul(r->c[i + dr - db], o->z[1], b->c[i]);
    }
    mpz_set_ui(o->z[1], 0);
    for (int i = 0; i <= MAX_DEGREE; i++) mpz_gcd(o->z[1], o->z[1], r->c[i]);
    if (mpz_cmp_ui(o->z[1], 1) > 0)
        for (int i = 0; i <= MAX_DEGREE; i++) mpz_divexact(r->c[i], r->c[i], o->z[1]);
}

/* Greatest common divisor up to a constant; at most one argument is zero. Uses work[36..38]. */
static void poly_gcd(ccd_oracle *o, poly *g, const poly *a, const poly *b)
{
    poly *x = &o->work[36], *y = &o->work[37], *r = &o->work[38];
    poly_set(x, a);
    poly_set(y, b);
    while (poly_degree(y) >= 0) {
        poly_remainder(o, r, x, y);
        poly_set(x, y);
        poly_set(y, r);
    }
    poly_set(g, x);
}

/* q = a / b up to a constant, b divides a. Uses work[39]. */
static void poly_quotient(ccd_oracle *o, poly *q, const poly *a, const poly *b)
{
    poly *r = &o->work[39];
    int db = poly_degree(b), dr;
    poly_set(r, a);
    for (int i = 0; i <= MAX_DEGREE; i++) mpz_set_ui(q->c[i], 0);
    while ((dr = poly_degree(r)) >= db) {
        mpz_set(o->z[1], r->c[dr]);
        for (int i = 0; i <= MAX_DEGREE; i++) {
            mpz_mul(q->c[i], q->c[i], b->c[db]);
            mpz_mul(r->c[i], r->c[i], b->c[db]);
        }
        mpz_add(q->c[dr - db], q->c[dr - db], o->z[1]);
        for (int i = 0; i <= db; i++) mpz_submul(r->c[i + dr - db], o->z[1], b->c[i]);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Roots in [0, 1]
 * ------------------------------------------------------------------------------------------- */

/* Number of sign changes of the Bernstein coefficients of p on the cell from k/2^m to (k+1)/2^m:
 * an upper bound of the number of roots inside, of the same parity (Descartes). */
static int sign_changes(ccd_oracle *o, const poly *p, const mpz_t k, unsigned long m)
{
    int degree = poly_degree(p), changes = 0, last = 0;
    mpz_t *a = &o->z[2]; /* z[2..5]: Taylor coefficients in s, t = (k + s) / 2^m, times 2^(m deg) */
    for (int i = 0; i <= degree; i++) mpz_mul_2exp(a[i], p->c[i], m * (unsigned long)(degree - i));
    for (int i = 0; i < degree; i++) /* Taylor shift by k */
        for (int j = degree - 1; j >= i; j--) mpz_addmul(a[j], a[j + 1], k);
    /* Bernstein coefficient b_i = sum_j binomial(i, j) / binomial(degree, j) a_j. */
    static const unsigned long binomial[4][4] = {
        {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 2, 1, 0}, {1, 3, 3, 1}};
    for (int i = 0; i <= degree; i++) {
        mpz_set_ui(o->z[0], 0);
        for (int j = 0; j <= i; j++) /* times 3, so that the quotients are integers */
            mpz_addmul_ui(o->z[0], a[j],
                          binomial[i][j] * (degree == 2 ? 2 : 3) / binomial[degree][j]);
        int sign = mpz_sgn(o->z[0]);
        if (sign && last && sign != last) changes++;
        if (sign) last = sign;
    }
    return changes;
}

static root *add_root(ccd_oracle *o, root *list, int *count, const poly *f, const mpz_t k,
                      unsigned long m, bool exact)
{
    (void)o;
    if (*count >= MAX_ROOTS) abort();
    root *r = &list[(*count)++];
    r->f = f;
    r->m = m;
    r->exact = exact;
    mpz_set(r->k, k);
    return r;
}

static void isolate(ccd_oracle *o, const poly *f, const mpz_t k, unsigned long m, root *list,
                    int *count)
{
    int changes = sign_changes(o, f, k, m);
    if (changes == 0) return;
    if (changes == 1) {
        add_root(o, list, count, f, k, m, false);
        return;
    }
    mpz_t child;
    mpz_init(child);
    mpz_mul_2exp(child, k, 1);
    isolate(o, f, child, m + 1, list, count);
    mpz_add_ui(child, child, 1);
    if (poly_sign_at(o, f, child, m + 1) == 0) add_root(o, list, count, f, child, m + 1, true);
    isolate(o, f, child, m + 1, list, count);
    mpz_clear(child);
}

/* All distinct roots of p (not zero) in [0, 1], ascending. */
static int find_roots(ccd_oracle *o, const poly *p, root *list)
{
    int count = 0;
    if (poly_degree(p) < 1) return 0;
    if (o->polys >= MAX_ROOTS) abort();
    poly *f = &o->square_free[o->polys++], *derivative = &o->work[35], *g = &o->work[34];
    for (int i = 0; i < MAX_DEGREE; i++)
        mpz_mul_ui(derivative->c[i], p->c[i + 1], (unsigned long)i + 1);
    mpz_set_ui(derivative->c[MAX_DEGREE], 0);
    poly_gcd(o, g, p, derivative);
    if (poly_degree(g) > 0)
        poly_quotient(o, f, p, g);
    else
        poly_set(f, p);
    mpz_t k;
    mpz_init(k);
    if (poly_sign_at(o, f, k, 0) == 0) add_root(o, list, &count, f, k, 0, true);
    isolate(o, f, k, 0, list, &count);
    mpz_set_ui(k, 1);
    if (poly_sign_at(o, f, k, 0) == 0) add_root(o, list, &count, f, k, 0, true);
    mpz_clear(k);
    return count;
}

/* Halves the cell of an inexact root. */
static void refine(ccd_oracle *o, root *r)
{
    if (r->exact) return;
    /* The sign just right of the lower end: that of f there, or of the derivative at a root of f
     * (f is square-free), which is the opposite of the sign at the upper end otherwise. */
    mpz_mul_2exp(r->k, r->k, 1);
    r->m++;
    mpz_add_ui(r->k, r->k, 1);
    if (poly_sign_at(o, r->f, r->k, r->m) == 0) {
        r->exact = true;
        return;
    }
    /* r->k is now the middle: the root is to the right iff the right half has a sign change. */
    if (sign_changes(o, r->f, r->k, r->m) == 0) mpz_sub_ui(r->k, r->k, 1);
}

/* Whether all Bernstein coefficients of h on the root's cell have one strict sign; that sign. */
static int constant_sign(ccd_oracle *o, const poly *h, const root *r)
{
    mpz_t upper;
    int low = poly_sign_at(o, h, r->k, r->m);
    mpz_init(upper);
    mpz_add_ui(upper, r->k, 1);
    int high = poly_sign_at(o, h, upper, r->m);
    mpz_clear(upper);
    if (low == 0 || high != low || sign_changes(o, h, r->k, r->m) != 0) return 0;
    return low;
}

/* Sign of h at the root. Refines the root as needed. Uses work[33]. */
static int sign_at(ccd_oracle *o, const poly *h, root *r)
{
    int degree = poly_degree(h);
    if (degree < 0) return 0;
    if (degree == 0) return mpz_sgn(h->c[0]);
    bool may_vanish = true;
    for (int round = 0;; round++) {
        if (r->exact) return poly_sign_at(o, h, r->k, r->m);
        int sign = constant_sign(o, h, r);
        if (sign) return sign;
        if (round == 12 && may_vanish) { /* perhaps h has the very same root */
            poly *g = &o->work[33];
            poly_gcd(o, g, r->f, h);
            if (poly_degree(g) > 0 && sign_changes(o, g, r->k, r->m) % 2 == 1) return 0;
            may_vanish = false;
        }
        refine(o, r);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Vectors of polynomials
 * ------------------------------------------------------------------------------------------- */

static void linear_sub(poly d[3], const poly a[3], const poly b[3])
{
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i <= MAX_DEGREE; i++) mpz_sub(d[axis].c[i], a[axis].c[i], b[axis].c[i]);
}

/* p += sign a b; the degrees add up to at most 3. */
static void poly_addmul(poly *p, const poly *a, const poly *b, int sign)
{
    for (int i = 0; i <= MAX_DEGREE; i++) {
        if (mpz_sgn(a->c[i]) == 0) continue;
        for (int j = 0; i + j <= MAX_DEGREE; j++)
            if (sign > 0)
                mpz_addmul(p->c[i + j], a->c[i], b->c[j]);
            else
                mpz_submul(p->c[i + j], a->c[i], b->c[j]);
    }
}

static void poly_zero(poly *p)
{
    for (int i = 0; i <= MAX_DEGREE; i++) mpz_set_ui(p->c[i], 0);
}

static void vector_cross(poly c[3], const poly a[3], const poly b[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        poly_zero(&c[axis]);
        poly_addmul(&c[axis], &a[i], &b[j], 1);
        poly_addmul(&c[axis], &a[j], &b[i], -1);
    }
}

static void vector_dot(poly *d, const poly a[3], const poly b[3])
{
    poly_zero(d);
    for (int axis = 0; axis < 3; axis++) poly_addmul(d, &a[axis], &b[axis], 1);
}

/* ---------------------------------------------------------------------------------------------
 * Contact conditions at a root
 * ------------------------------------------------------------------------------------------- */

/* Whether point p is on the segment ab at the root: (a-p) x (b-p) = 0 and (a-p).(b-p) <= 0.
 * Uses work[20..29]. */
static bool on_segment(ccd_oracle *o, int p, int a, int b, root *r)
{
    poly *pa = &o->work[20], *pb = &o->work[23], *cross = &o->work[26], *dot = &o->work[29];
    linear_sub(pa, o->x[a], o->x[p]);
    linear_sub(pb, o->x[b], o->x[p]);
    vector_dot(dot, pa, pb);
    if (sign_at(o, dot, r) > 0) return false;
    vector_cross(cross, pa, pb);
    for (int axis = 0; axis < 3; axis++)
        if (sign_at(o, &cross[axis], r) != 0) return false;
    return true;
}

/* Pairs point on edge whose union decides a contact in degenerate position. */
static const int triangle_pairs[3][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}};
static const int edge_pairs[4][3] = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}};

/* q, the sides e1, e2 and n = e1 x e2, from which the coordinates of the contact follow. */
static void contact_vectors(ccd_oracle *o, bool triangle, poly q[3], poly e1[3], poly e2[3],
                            poly n[3])
{
    linear_sub(e1, triangle ? o->x[2] : o->x[1], triangle ? o->x[1] : o->x[0]);
    linear_sub(e2, o->x[3], triangle ? o->x[1] : o->x[2]);
    linear_sub(q, triangle ? o->x[0] : o->x[2], triangle ? o->x[1] : o->x[0]);
    vector_cross(n, e1, e2);
}

/* Whether the primitives touch at a time at which the four points are coplanar. The vectors are in
 * work[0..11] (q, e1, e2, n). Uses work[12..19]. */
static bool touches(ccd_oracle *o, bool triangle, root *r)
{
    poly *q = &o->work[0], *e1 = &o->work[3], *e2 = &o->work[6], *n = &o->work[9];
    poly *qe2 = &o->work[12], *qe1 = &o->work[15], *rest = &o->work[18];
    int axis = 0, orientation = 0;
    for (; axis < 3; axis++)
        if ((orientation = sign_at(o, &n[axis], r)) != 0) break;
    if (orientation == 0) { /* parallel edges, a triangle without area */
        for (int i = 0; i < (triangle ? 3 : 4); i++) {
            const int *pair = triangle ? triangle_pairs[i] : edge_pairs[i];
            if (on_segment(o, pair[0], pair[1], pair[2], r)) return true;
        }
        return false;
    }
    /* q = u e1 + v e2 (triangle) or u e1 - v e2 (edges): u n = q x e2, v n = +-(e1 x q). */
    vector_cross(qe2, q, e2);
    if (sign_at(o, &qe2[axis], r) * orientation < 0) return false;
    vector_cross(qe1, q, e1);
    if (triangle)
        for (int i = 0; i <= MAX_DEGREE; i++) mpz_neg(qe1[axis].c[i], qe1[axis].c[i]);
    if (sign_at(o, &qe1[axis], r) * orientation < 0) return false;
    for (int i = 0; i <= MAX_DEGREE; i++) { /* n - u n (- v n for the triangle) */
        mpz_sub(rest->c[i], n[axis].c[i], qe2[axis].c[i]);
        if (triangle) mpz_sub(rest->c[i], rest->c[i], qe1[axis].c[i]);
    }
    if (sign_at(o, rest, r) * orientation < 0) return false;
    if (triangle) return true;
    for (int i = 0; i <= MAX_DEGREE; i++) mpz_sub(rest->c[i], n[axis].c[i], qe1[axis].c[i]);
    return sign_at(o, rest, r) * orientation >= 0;
}

/* ---------------------------------------------------------------------------------------------
 * Queries
 * ------------------------------------------------------------------------------------------- */

static const unsigned char source[4][4] = {
    [CCD_POINT_POINT] = {0, 0, 1, 1},
    [CCD_POINT_EDGE] = {0, 0, 1, 2},
    [CCD_POINT_TRIANGLE] = {0, 1, 2, 3},
    [CCD_EDGE_EDGE] = {0, 1, 2, 3},
};

/* Exponent of the lowest bit that any coordinate has. */
static long lowest_bit(const vec3 *p, int count, long lowest)
{
    for (int i = 0; i < 3 * count; i++) {
        double x = ((const double *)p)[i];
        int exponent;
        if (x == 0.0) continue;
        double mantissa = ldexp(frexp(x, &exponent), 53);
        long bit = exponent - 53 + __builtin_ctzll((unsigned long long)llabs((long long)mantissa));
        if (bit < lowest) lowest = bit;
    }
    return lowest;
}

static void set_scaled(mpz_t z, double x, long scale)
{
    int exponent;
    double mantissa = ldexp(frexp(x, &exponent), 53);
    mpz_set_d(z, mantissa);
    long shift = exponent - 53 - scale;
    if (x == 0.0) return;
    if (shift >= 0)
        mpz_mul_2exp(z, z, (unsigned long)shift);
    else
        mpz_tdiv_q_2exp(z, z, (unsigned long)-shift); /* exact */
}

static void load(ccd_oracle *o, ccd_kind kind, const vec3 *start, const vec3 *end)
{
    int count = ccd_vertex_count(kind);
    o->scale = lowest_bit(end, count, lowest_bit(start, count, 0));
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < 3; axis++) {
            poly *p = &o->x[i][axis];
            set_scaled(p->c[0], vec3_get(start[source[kind][i]], axis), o->scale);
            set_scaled(p->c[1], vec3_get(end[source[kind][i]], axis), o->scale);
            mpz_sub(p->c[1], p->c[1], p->c[0]);
        }
}

static void keep_candidate(ccd_oracle *o, const root *r)
{
    add_root(o, o->candidate, &o->count, r->f, r->k, r->m, r->exact);
}

/* Times at which point p comes to lie on edge ab. Uses work[20..29] through on_segment too. */
static void point_edge_events(ccd_oracle *o, int p, int a, int b, root *list)
{
    poly *pa = &o->work[20], *pb = &o->work[23], *cross = &o->work[26], *dot = &o->work[29];
    linear_sub(pa, o->x[a], o->x[p]);
    linear_sub(pb, o->x[b], o->x[p]);
    vector_cross(cross, pa, pb);
    vector_dot(dot, pa, pb);
    int axis = 0;
    while (axis < 3 && poly_degree(&cross[axis]) < 0) axis++;
    const poly *event = axis < 3 ? &cross[axis] : dot;
    if (poly_degree(event) < 0) return;
    int count = find_roots(o, event, list);
    for (int i = 0; i < count; i++)
        if (on_segment(o, p, a, b, &list[i])) keep_candidate(o, &list[i]);
}

bool ccd_oracle_hit(ccd_oracle *o, ccd_kind kind, const vec3 *start, const vec3 *end)
{
    bool triangle = kind == CCD_POINT_TRIANGLE;
    poly *q = &o->work[0], *e1 = &o->work[3], *e2 = &o->work[6], *n = &o->work[9];
    poly *f = &o->work[30];
    root list[MAX_ROOTS];
    for (int i = 0; i < MAX_ROOTS; i++) mpz_init(list[i].k);
    o->count = o->polys = 0;
    load(o, kind, start, end);
    contact_vectors(o, triangle, q, e1, e2, n);
    vector_dot(f, n, q);
    if (poly_degree(f) >= 0) {
        int count = find_roots(o, f, list);
        for (int i = 0; i < count && o->count == 0; i++)
            if (touches(o, triangle, &list[i])) keep_candidate(o, &list[i]);
    } else {
        root now = {.f = f, .exact = true}; /* t = 0 */
        mpz_init(now.k);
        if (touches(o, triangle, &now)) keep_candidate(o, &now);
        mpz_clear(now.k);
        bool at_start = o->count > 0;
        for (int i = 0; i < (triangle ? 3 : 4) && !at_start; i++) {
            const int *pair = triangle ? triangle_pairs[i] : edge_pairs[i];
            point_edge_events(o, pair[0], pair[1], pair[2], list);
        }
    }
    for (int i = 0; i < MAX_ROOTS; i++) mpz_clear(list[i].k);
    return o->count > 0;
}

/* Sign of (root - t). */
static int compare_with(ccd_oracle *o, root *r, double t)
{
    mpq_t *time = &o->q[0], *low = &o->q[1], *high = &o->q[2];
    mpq_set_d(*time, t);
    for (;;) {
        mpq_set_z(*low, r->k);
        mpq_div_2exp(*low, *low, r->m);
        int from_low = mpq_cmp(*low, *time);
        if (r->exact || from_low >= 0) return r->exact ? from_low : 1;
        mpz_add_ui(o->z[6], r->k, 1);
        mpq_set_z(*high, o->z[6]);
        mpq_div_2exp(*high, *high, r->m);
        if (mpq_cmp(*high, *time) <= 0) return -1;
        refine(o, r);
    }
}

bool ccd_oracle_not_later(ccd_oracle *o, double t)
{
    for (int i = 0; i < o->count; i++)
        if (compare_with(o, &o->candidate[i], t) < 0) return false;
    return o->count > 0;
}

double ccd_oracle_toi(ccd_oracle *o)
{
    double best = INFINITY;
    for (int i = 0; i < o->count; i++) {
        root *r = &o->candidate[i];
        while (!r->exact && r->m < 60) refine(o, r);
        mpq_set_z(o->q[0], r->k);
        mpq_div_2exp(o->q[0], o->q[0], r->m);
        double t = mpq_get_d(o->q[0]);
        if (t < best) best = t;
    }
    return best;
}

/* ---------------------------------------------------------------------------------------------
 * Distance at one time: clips the (u, v) domain by the six conditions |F| <= distance
 * ------------------------------------------------------------------------------------------- */

enum { MAX_CORNERS = 16 };

typedef struct polygon {
    mpq_t u[MAX_CORNERS], v[MAX_CORNERS];
    int count;
} polygon;

static void polygon_init(polygon *p)
{
    for (int i = 0; i < MAX_CORNERS; i++) {
        mpq_init(p->u[i]);
        mpq_init(p->v[i]);
    }
    p->count = 0;
}

static void polygon_clear(polygon *p)
{
    for (int i = 0; i < MAX_CORNERS; i++) {
        mpq_clear(p->u[i]);
        mpq_clear(p->v[i]);
    }
}

/* value = c + u gu + v gv at corner i. Uses q[10]. */
static void plane_at(ccd_oracle *o, mpq_t value, const mpq_t c, const mpq_t gu, const mpq_t gv,
                     const polygon *p, int i)
{
    mpq_mul(value, gu, p->u[i]);
    mpq_mul(o->q[10], gv, p->v[i]);
    mpq_add(value, value, o->q[10]);
    mpq_add(value, value, c);
}

static void interpolate(ccd_oracle *o, mpq_t out, const mpq_t s, const mpq_t a, const mpq_t b)
{
    mpq_sub(o->q[11], b, a);
    mpq_mul(o->q[11], o->q[11], s);
    mpq_add(out, a, o->q[11]);
}

/* Keeps the part with c + u gu + v gv >= 0. Uses q[10..15]. */
static void polygon_clip(ccd_oracle *o, polygon *to, const polygon *from, const mpq_t c,
                         const mpq_t gu, const mpq_t gv)
{
    to->count = 0;
    for (int i = 0; i < from->count; i++) {
        int j = i + 1 < from->count ? i + 1 : 0;
        plane_at(o, o->q[12], c, gu, gv, from, i);
        plane_at(o, o->q[13], c, gu, gv, from, j);
        int here = mpq_sgn(o->q[12]), there = mpq_sgn(o->q[13]);
        if (here >= 0) {
            mpq_set(to->u[to->count], from->u[i]);
            mpq_set(to->v[to->count++], from->v[i]);
        }
        if (here * there < 0) {
            mpq_sub(o->q[14], o->q[12], o->q[13]);
            mpq_div(o->q[14], o->q[12], o->q[14]);
            interpolate(o, to->u[to->count], o->q[14], from->u[i], from->u[j]);
            interpolate(o, to->v[to->count++], o->q[14], from->v[i], from->v[j]);
        }
    }
}

/* Coordinate of vertex i at time q[0]. */
static void position(ccd_oracle *o, mpq_t out, ccd_kind kind, const vec3 *start, const vec3 *end,
                     int i, int axis)
{
    mpq_set_d(o->q[8], vec3_get(start[source[kind][i]], axis));
    mpq_set_d(o->q[9], vec3_get(end[source[kind][i]], axis));
    interpolate(o, out, o->q[0], o->q[8], o->q[9]);
}

bool ccd_oracle_within(ccd_oracle *o, ccd_kind kind, const vec3 *start, const vec3 *end, double t,
                       double distance)
{
    bool triangle = kind == CCD_POINT_TRIANGLE;
    static const int corner[2][4][2] = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}},
                                        {{0, 0}, {1, 0}, {0, 1}, {0, 1}}};
    polygon p[2];
    int now = 0;
    if (!isfinite(distance)) return true;
    polygon_init(&p[0]);
    polygon_init(&p[1]);
    p[0].count = triangle ? 3 : 4;
    for (int i = 0; i < p[0].count; i++) {
        mpq_set_ui(p[0].u[i], (unsigned long)corner[triangle][i][0], 1);
        mpq_set_ui(p[0].v[i], (unsigned long)corner[triangle][i][1], 1);
    }
    mpq_set_d(o->q[0], t);
    mpq_set_d(o->q[1], distance);
    for (int axis = 0; axis < 3 && p[now].count > 0; axis++) {
        mpq_t *f = &o->q[2], *gu = &o->q[3], *gv = &o->q[4], *x = &o->q[16];
        for (int i = 0; i < 4; i++) position(o, x[i], kind, start, end, i, axis);
        mpq_sub(*f, x[0], triangle ? x[1] : x[2]);
        mpq_sub(*gu, x[1], triangle ? x[2] : x[0]);
        mpq_sub(*gv, triangle ? x[1] : x[2], x[3]);
        for (int side = 0; side < 2; side++) {
            mpq_add(o->q[5], *f, o->q[1]); /* distance + F >= 0, then distance - F >= 0 */
            polygon_clip(o, &p[1 - now], &p[now], o->q[5], *gu, *gv);
            now = 1 - now;
            mpq_neg(*f, *f);
            mpq_neg(*gu, *gu);
            mpq_neg(*gv, *gv);
        }
    }
    bool within = p[now].count > 0;
    polygon_clear(&p[0]);
    polygon_clear(&p[1]);
    return within;
}

double ccd_oracle_first_within(ccd_oracle *o, ccd_kind kind, const vec3 *start, const vec3 *end,
                               double distance, int moments)
{
    int k = 0;
    while (k <= moments && !ccd_oracle_within(o, kind, start, end, (double)k / moments, distance))
        k++;
    if (k > moments) return INFINITY;
    double apart = (double)(k - 1) / moments, within = (double)k / moments;
    while (k > 0 && within - apart > 0x1p-24) {
        double middle = 0.5 * (apart + within);
        if (ccd_oracle_within(o, kind, start, end, middle, distance))
            within = middle;
        else
            apart = middle;
    }
    return within;
}
