#include "support/rational.h"

void rational3_init(rational3 *a)
{
    for (int i = 0; i < 3; i++) mpq_init(a->c[i]);
}

void rational3_clear(rational3 *a)
{
    for (int i = 0; i < 3; i++) mpq_clear(a->c[i]);
}

void rational3_set(rational3 *a, vec3 value)
{
    for (int i = 0; i < 3; i++) mpq_set_d(a->c[i], vec3_get(value, i));
}

void rational3_sub(rational3 *out, const rational3 *a, const rational3 *b)
{
    for (int i = 0; i < 3; i++) mpq_sub(out->c[i], a->c[i], b->c[i]);
}

void rational3_mul_add(rational3 *out, const rational3 *a, const mpq_t t, const rational3 *b)
{
    mpq_t product;
    mpq_init(product);
    for (int i = 0; i < 3; i++) {
        mpq_mul(product, t, b->c[i]);
        mpq_add(out->c[i], a->c[i], product);
    }
    mpq_clear(product);
}

void rational3_cross(rational3 *out, const rational3 *a, const rational3 *b)
{
    mpq_t product;
    mpq_init(product);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        mpq_mul(out->c[i], a->c[j], b->c[k]);
        mpq_mul(product, a->c[k], b->c[j]);
        mpq_sub(out->c[i], out->c[i], product);
    }
    mpq_clear(product);
}

void rational3_dot(mpq_t out, const rational3 *a, const rational3 *b)
{
    mpq_t product, sum;
    mpq_inits(product, sum, NULL);
    for (int i = 0; i < 3; i++) {
        mpq_mul(product, a->c[i], b->c[i]);
        mpq_add(sum, sum, product);
    }
    mpq_set(out, sum);
    mpq_clears(product, sum, NULL);
}

static void init_all(rational3 *a, int n)
{
    for (int i = 0; i < n; i++) rational3_init(&a[i]);
}

static void clear_all(rational3 *a, int n)
{
    for (int i = 0; i < n; i++) rational3_clear(&a[i]);
}

static void set_min(mpq_t best, const mpq_t candidate)
{
    if (mpq_cmp(candidate, best) < 0) mpq_set(best, candidate);
}

/* The parameter of the foot of p on a + t (b - a), clamped; 0 for a segment without length. */
void rational_point_segment(mpq_t out, const rational3 *p, const rational3 *a, const rational3 *b)
{
    rational3 v[3];
    mpq_t t, length2;
    init_all(v, 3);
    mpq_inits(t, length2, NULL);
    rational3_sub(&v[0], b, a);
    rational3_sub(&v[1], p, a);
    rational3_dot(t, &v[0], &v[1]);
    rational3_dot(length2, &v[0], &v[0]);
    if (mpq_sgn(length2) == 0 || mpq_sgn(t) < 0)
        mpq_set_ui(t, 0, 1);
    else
        mpq_div(t, t, length2);
    if (mpq_cmp_ui(t, 1, 1) > 0) mpq_set_ui(t, 1, 1);
    mpq_neg(t, t);
    rational3_mul_add(&v[2], &v[1], t, &v[0]);
    rational3_dot(out, &v[2], &v[2]);
    clear_all(v, 3);
    mpq_clears(t, length2, NULL);
}

/* Solves w = a u + b v + (rest orthogonal to both); false when u and v are parallel. */
static bool plane_coordinates(mpq_t a, mpq_t b, const rational3 *u, const rational3 *v,
                              const rational3 *w)
{
    mpq_t uu, uv, vv, uw, vw, det, x;
    mpq_inits(uu, uv, vv, uw, vw, det, x, NULL);
    rational3_dot(uu, u, u);
    rational3_dot(uv, u, v);
    rational3_dot(vv, v, v);
    rational3_dot(uw, u, w);
    rational3_dot(vw, v, w);
    mpq_mul(det, uu, vv);
    mpq_mul(x, uv, uv);
    mpq_sub(det, det, x);
    bool regular = mpq_sgn(det) != 0;
    if (regular) {
        mpq_mul(a, uw, vv);
        mpq_mul(x, vw, uv);
        mpq_sub(a, a, x);
        mpq_div(a, a, det);
        mpq_mul(b, vw, uu);
        mpq_mul(x, uw, uv);
        mpq_sub(b, b, x);
        mpq_div(b, b, det);
    }
    mpq_clears(uu, uv, vv, uw, vw, det, x, NULL);
    return regular;
}

/* |w - a u - b v|^2 */
static void plane_rest(mpq_t out, const rational3 *u, const rational3 *v, const rational3 *w,
                       const mpq_t a, const mpq_t b)
{
    rational3 r[2];
    mpq_t minus;
    init_all(r, 2);
    mpq_init(minus);
    mpq_neg(minus, a);
    rational3_mul_add(&r[0], w, minus, u);
    mpq_neg(minus, b);
    rational3_mul_add(&r[1], &r[0], minus, v);
    rational3_dot(out, &r[1], &r[1]);
    mpq_clear(minus);
    clear_all(r, 2);
}

static bool between(const mpq_t x, long low, long high)
{
    return mpq_cmp_si(x, low, 1) >= 0 && mpq_cmp_si(x, high, 1) <= 0;
}

void rational_point_triangle(mpq_t out, const rational3 *p, const rational3 t[3])
{
    rational3 v[3];
    mpq_t a, b, sum, candidate;
    init_all(v, 3);
    mpq_inits(a, b, sum, candidate, NULL);
    rational_point_segment(out, p, &t[0], &t[1]);
    rational_point_segment(candidate, p, &t[1], &t[2]);
    set_min(out, candidate);
    rational_point_segment(candidate, p, &t[2], &t[0]);
    set_min(out, candidate);
    rational3_sub(&v[0], &t[1], &t[0]);
    rational3_sub(&v[1], &t[2], &t[0]);
    rational3_sub(&v[2], p, &t[0]);
    if (plane_coordinates(a, b, &v[0], &v[1], &v[2])) {
        mpq_add(sum, a, b);
        if (mpq_sgn(a) >= 0 && mpq_sgn(b) >= 0 && mpq_cmp_ui(sum, 1, 1) <= 0) {
            plane_rest(candidate, &v[0], &v[1], &v[2], a, b);
            set_min(out, candidate);
        }
    }
    clear_all(v, 3);
    mpq_clears(a, b, sum, candidate, NULL);
}

void rational_segment_segment(mpq_t out, const rational3 a[2], const rational3 b[2])
{
    rational3 v[3];
    mpq_t s, t, candidate;
    init_all(v, 3);
    mpq_inits(s, t, candidate, NULL);
    rational_point_segment(out, &a[0], &b[0], &b[1]);
    rational_point_segment(candidate, &a[1], &b[0], &b[1]);
    set_min(out, candidate);
    rational_point_segment(candidate, &b[0], &a[0], &a[1]);
    set_min(out, candidate);
    rational_point_segment(candidate, &b[1], &a[0], &a[1]);
    set_min(out, candidate);
    rational3_sub(&v[0], &a[1], &a[0]);
    rational3_sub(&v[1], &b[1], &b[0]);
    rational3_sub(&v[2], &a[0], &b[0]);
    /* a0 - b0 = -s u + t v + rest */
    if (plane_coordinates(s, t, &v[0], &v[1], &v[2]) && between(s, -1, 0) && between(t, 0, 1)) {
        plane_rest(candidate, &v[0], &v[1], &v[2], s, t);
        set_min(out, candidate);
    }
    clear_all(v, 3);
    mpq_clears(s, t, candidate, NULL);
}

bool rational_feature(mpq_t out, const vec3 *x, int n, bool edges)
{
    rational3 p[4], v[3];
    mpq_t a, b;
    init_all(p, 4);
    init_all(v, 3);
    mpq_inits(a, b, NULL);
    for (int i = 0; i < n; i++) rational3_set(&p[i], x[i]);
    bool regular = true;
    if (n == 2) {
        rational3_sub(&v[0], &p[0], &p[1]);
        rational3_dot(out, &v[0], &v[0]);
    } else if (n == 3) {
        rational3_sub(&v[0], &p[2], &p[1]);
        rational3_sub(&v[2], &p[0], &p[1]);
        rational3_dot(b, &v[0], &v[0]);
        regular = mpq_sgn(b) != 0;
        if (regular) {
            rational3_dot(a, &v[0], &v[2]);
            mpq_div(a, a, b);
            mpq_set_ui(b, 0, 1);
            plane_rest(out, &v[0], &v[1], &v[2], a, b);
        }
    } else {
        rational3_sub(&v[0], &p[edges ? 1 : 2], &p[edges ? 0 : 1]);
        rational3_sub(&v[1], &p[3], &p[edges ? 2 : 1]);
        rational3_sub(&v[2], &p[0], &p[edges ? 2 : 1]);
        regular = plane_coordinates(a, b, &v[0], &v[1], &v[2]);
        if (regular) plane_rest(out, &v[0], &v[1], &v[2], a, b);
    }
    clear_all(p, 4);
    clear_all(v, 3);
    mpq_clears(a, b, NULL);
    return regular;
}

double rational_point_segment_d(vec3 p, vec3 a, vec3 b)
{
    rational3 v[3];
    mpq_t out;
    init_all(v, 3);
    mpq_init(out);
    rational3_set(&v[0], p);
    rational3_set(&v[1], a);
    rational3_set(&v[2], b);
    rational_point_segment(out, &v[0], &v[1], &v[2]);
    double result = mpq_get_d(out);
    mpq_clear(out);
    clear_all(v, 3);
    return result;
}

double rational_point_triangle_d(vec3 p, vec3 t0, vec3 t1, vec3 t2)
{
    rational3 v[4];
    mpq_t out;
    init_all(v, 4);
    mpq_init(out);
    rational3_set(&v[0], t0);
    rational3_set(&v[1], t1);
    rational3_set(&v[2], t2);
    rational3_set(&v[3], p);
    rational_point_triangle(out, &v[3], v);
    double result = mpq_get_d(out);
    mpq_clear(out);
    clear_all(v, 4);
    return result;
}

double rational_segment_segment_d(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    rational3 v[4];
    mpq_t out;
    init_all(v, 4);
    mpq_init(out);
    rational3_set(&v[0], a0);
    rational3_set(&v[1], a1);
    rational3_set(&v[2], b0);
    rational3_set(&v[3], b1);
    rational_segment_segment(out, v, v + 2);
    double result = mpq_get_d(out);
    mpq_clear(out);
    clear_all(v, 4);
    return result;
}

int rational_orient3d(vec3 a, vec3 b, vec3 c, vec3 d)
{
    const vec3 x[4] = {a, b, c, d};
    rational3 p[4], v[3], n;
    mpq_t det;
    init_all(p, 4);
    init_all(v, 3);
    rational3_init(&n);
    mpq_init(det);
    for (int i = 0; i < 4; i++) rational3_set(&p[i], x[i]);
    for (int i = 0; i < 3; i++) rational3_sub(&v[i], &p[i + 1], &p[0]);
    rational3_cross(&n, &v[0], &v[1]);
    rational3_dot(det, &n, &v[2]);
    int sign = mpq_sgn(det);
    clear_all(p, 4);
    clear_all(v, 3);
    rational3_clear(&n);
    mpq_clear(det);
    return sign;
}

int rational_orient2d(double ax, double ay, double bx, double by, double cx, double cy)
{
    vec3 up = {ax, ay, 1.0};
    return rational_orient3d(vec3_make(ax, ay, 0.0), vec3_make(bx, by, 0.0), vec3_make(cx, cy, 0.0),
                             up);
}

/* Where the line pq crosses the plane of t, as a point; false when it is parallel to the plane or
 * crosses outside the segment. */
static bool plane_crossing(rational3 *out, const rational3 x[5])
{
    rational3 v[4], n;
    mpq_t rate, start;
    init_all(v, 4);
    rational3_init(&n);
    mpq_inits(rate, start, NULL);
    rational3_sub(&v[0], &x[3], &x[2]);
    rational3_sub(&v[1], &x[4], &x[2]);
    rational3_cross(&n, &v[0], &v[1]);
    rational3_sub(&v[2], &x[1], &x[0]);
    rational3_sub(&v[3], &x[2], &x[0]);
    rational3_dot(rate, &n, &v[2]);
    rational3_dot(start, &n, &v[3]);
    bool crosses = mpq_sgn(rate) != 0;
    if (crosses) {
        mpq_div(start, start, rate);
        crosses = between(start, 0, 1);
        rational3_mul_add(out, &x[0], start, &v[2]);
    }
    clear_all(v, 4);
    rational3_clear(&n);
    mpq_clears(rate, start, NULL);
    return crosses;
}

bool rational_segment_hits_triangle(vec3 p, vec3 q, vec3 t0, vec3 t1, vec3 t2)
{
    const vec3 given[5] = {p, q, t0, t1, t2};
    rational3 x[5], edge[2], crossing;
    mpq_t d;
    init_all(x, 5);
    init_all(edge, 2);
    rational3_init(&crossing);
    mpq_init(d);
    for (int i = 0; i < 5; i++) rational3_set(&x[i], given[i]);
    bool hit = false;
    for (int i = 0; i < 2 && !hit; i++) {
        rational_point_triangle(d, &x[i], x + 2);
        hit = mpq_sgn(d) == 0;
    }
    for (int i = 0; i < 3 && !hit; i++) {
        rational3_set(&edge[0], given[2 + i]);
        rational3_set(&edge[1], given[2 + (i + 1) % 3]);
        rational_segment_segment(d, x, edge);
        hit = mpq_sgn(d) == 0;
    }
    if (!hit && plane_crossing(&crossing, x)) {
        rational_point_triangle(d, &crossing, x + 2);
        hit = mpq_sgn(d) == 0;
    }
    clear_all(x, 5);
    clear_all(edge, 2);
    rational3_clear(&crossing);
    mpq_clear(d);
    return hit;
}
