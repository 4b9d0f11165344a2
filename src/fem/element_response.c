#include "fem/element_response.h"

#include "fem/elements.h"
#include "material/spectrum.h"
#include "math/pack4_math.h"

#include <math.h>
#include <string.h>

const int response_pairs[RESPONSE_PAIRS][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

void four_materials_set(four_materials *m, const elastic_parameters *const each[4])
{
    m->plain = m->parts = 0;
    for (int l = 0; l < 4; l++) {
        m->each[l] = each[l];
        m->mu[l] = each[l]->mu;
        m->lambda[l] = each[l]->lambda;
        if (elastic_is_plain_neo_hookean(each[l])) m->plain |= 1 << l;
        if (each[l]->parts) m->parts |= 1 << l;
    }
}

/* ---- matrices ---- */

static inline void cofactor(const mat3x4 *f, pack4 factor, mat3x4 *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            out->m[i][j] = factor * (f->m[i1][j1] * f->m[i2][j2] - f->m[i1][j2] * f->m[i2][j1]);
        }
}

static inline pack4 determinant(const mat3x4 *f)
{
    const pack4(*m)[3] = f->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* a b^T */
static inline void multiply_transposed(const mat3x4 *a, const mat3x4 *b, mat3x4 *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->m[i][j] =
                a->m[i][0] * b->m[j][0] + a->m[i][1] * b->m[j][1] + a->m[i][2] * b->m[j][2];
}

/* A symmetric matrix: 00, 11, 22, 01, 02, 12. */
typedef struct symmetric4 {
    pack4 m[6];
} symmetric4;

/* F^T F - I */
static inline symmetric4 green(const mat3x4 *f)
{
    symmetric4 g;
    for (int k = 0; k < 6; k++) {
        int i = response_pairs[k][0], j = response_pairs[k][1];
        g.m[k] = f->m[0][i] * f->m[0][j] + f->m[1][i] * f->m[1][j] + f->m[2][i] * f->m[2][j];
        if (k < 3) g.m[k] -= 1.0;
    }
    return g;
}

static inline pack4 symmetric_determinant(const symmetric4 *g)
{
    const pack4 *m = g->m;
    return m[0] * (m[1] * m[2] - m[5] * m[5]) - m[3] * (m[3] * m[2] - m[5] * m[4]) +
           m[4] * (m[3] * m[5] - m[1] * m[4]);
}

/* ln det F; near rest from G = F^T F - I, as ln(det(I + G))/2, for the reason that
 * material/elastic.c gives. */
static inline pack4 log_determinant(const symmetric4 *g, pack4 j)
{
    const pack4 *m = g->m;
    pack4 diagonal = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    pack4_mask near = diagonal + 2.0 * (m[3] * m[3] + m[4] * m[4] + m[5] * m[5]) < 0.1;
    pack4 minors =
        (m[0] * m[1] - m[3] * m[3]) + (m[0] * m[2] - m[4] * m[4]) + (m[1] * m[2] - m[5] * m[5]);
    pack4 above = (m[0] + m[1] + m[2]) + (minors + symmetric_determinant(g)), one = 1.0 + above;
    pack4 rest = pack4_select(near, above - (one - 1.0), pack4_all(0));
    pack4 log = pack4_log(pack4_select(near, one, j), rest);
    return pack4_select(near, 0.5 * log, log);
}

/* ---- eigenvectors of symmetric matrices ---- */

/* The largest root of b^3 - 3 b - d for 0 <= d <= 2, between sqrt(3) and 2: a cubic through both
 * ends with their slopes, then two steps of Halley's method, each with three times the digits. */
static inline pack4 largest_root(pack4 d)
{
    pack4 b = 1.7320508 + d * (1.0 / 6 + d * (-0.02126 + d * 0.002457));
    for (int step = 0; step < 2; step++) {
        pack4 square = b * b, value = b * (square - 3.0) - d, slope = 3.0 * square - 3.0;
        b -= value * slope / (slope * slope - 3.0 * b * value);
    }
    return b;
}

/* Columns of v: orthonormal eigenvectors, in no order. The traceless part of g, scaled to a squared
 * norm of 6, has the eigenvalues of the cubic above; the sign is chosen so that the largest one is
 * far from both others. Its eigenvector is a column of the adjugate; the plane across it is turned
 * by one rotation of Jacobi's method. */
static inline void eigenvectors(const symmetric4 *g, pack4 v[3][3])
{
    pack4 mean = (g->m[0] + g->m[1] + g->m[2]) * (1.0 / 3);
    symmetric4 b = *g;
    for (int k = 0; k < 3; k++) b.m[k] -= mean;
    pack4 square = b.m[0] * b.m[0] + b.m[1] * b.m[1] + b.m[2] * b.m[2] +
                   2.0 * (b.m[3] * b.m[3] + b.m[4] * b.m[4] + b.m[5] * b.m[5]);
    pack4 scale = 1.0 / (pack4_root(square * (1.0 / 6)) + 1e-100);
    for (int k = 0; k < 6; k++) b.m[k] *= scale;
    pack4 d = symmetric_determinant(&b);
    pack4 sign = pack4_select(d < 0.0, pack4_all(-1), pack4_all(1));
    for (int k = 0; k < 6; k++) b.m[k] *= sign;
    pack4 root = largest_root(pack4_min(sign * d, pack4_all(2)));

    pack4 x = b.m[0] - root, y = b.m[1] - root, z = b.m[2] - root;
    pack4 xx = y * z - b.m[5] * b.m[5], yy = x * z - b.m[4] * b.m[4], zz = x * y - b.m[3] * b.m[3];
    pack4 xy = b.m[4] * b.m[5] - b.m[3] * z, xz = b.m[3] * b.m[5] - b.m[4] * y;
    pack4 yz = b.m[3] * b.m[4] - b.m[5] * x;
    pack4_mask first = (xx >= yy) & (xx >= zz), second = ~first & (yy >= zz);
    pack4 w[3] = {pack4_select(first, xx, pack4_select(second, xy, xz)),
                  pack4_select(first, xy, pack4_select(second, yy, yz)),
                  pack4_select(first, xz, pack4_select(second, yz, zz))};
    pack4 shorten = 1.0 / pack4_root(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int k = 0; k < 3; k++) w[k] *= shorten;

    /* Two more unit vectors across w (Duff and others, 2017). */
    pack4 side = pack4_select(w[2] < 0.0, pack4_all(-1), pack4_all(1));
    pack4 a = -1.0 / (side + w[2]), c = w[0] * w[1] * a;
    pack4 p[3] = {1.0 + side * w[0] * w[0] * a, side * c, -side * w[0]};
    pack4 q[3] = {c, side + w[1] * w[1] * a, -w[1]};
    pack4 bq[3] = {b.m[0] * q[0] + b.m[3] * q[1] + b.m[4] * q[2],
                   b.m[3] * q[0] + b.m[1] * q[1] + b.m[5] * q[2],
                   b.m[4] * q[0] + b.m[5] * q[1] + b.m[2] * q[2]};
    pack4 qq = q[0] * bq[0] + q[1] * bq[1] + q[2] * bq[2];
    pack4 off = p[0] * bq[0] + p[1] * bq[1] + p[2] * bq[2];
    pack4 apart = 2.0 * qq + root; /* minus that of p, as the trace is 0 */
    pack4 turn = pack4_select(apart >= 0.0, pack4_all(1), pack4_all(-1));
    pack4 sum = turn * apart + pack4_root(apart * apart + 4.0 * off * off);
    pack4 t = 2.0 * turn * off / (sum + 1e-300);
    pack4 cosine = 1.0 / pack4_root(1.0 + t * t), sine = cosine * t;
    for (int k = 0; k < 3; k++) {
        v[k][0] = w[k];
        v[k][1] = cosine * p[k] - sine * q[k];
        v[k][2] = sine * p[k] + cosine * q[k];
    }
}

/* ---- neo-Hookean materials ---- */

/* What raises negative eigenvalues to zero, for pairs i = j only from the diagonal upward. The
 * eigenvalues mu - alpha/(s_a s_b) = mu - alpha s_k/J of u_a v_b^T - u_b v_a^T are the only ones
 * that can be negative while alpha = mu - lambda ln J is not. Adds it to c and returns a bit for
 * each element for which that is all. */
static inline int add_projection(const mat3x4 *f, const mat3x4 *inverse, const symmetric4 *g,
                                 pack4 by_volume, pack4 mu, pack4 alpha, pack4 (*c)[9])
{
    pack4 v[3][3], u[3][3], w[3][3], s[3];
    eigenvectors(g, v);
    for (int k = 0; k < 3; k++) {
        pack4 square = pack4_all(0);
        for (int i = 0; i < 3; i++) {
            u[i][k] = f->m[i][0] * v[0][k] + f->m[i][1] * v[1][k] + f->m[i][2] * v[2][k];
            w[i][k] = inverse->m[i][0] * v[0][k] + inverse->m[i][1] * v[1][k] +
                      inverse->m[i][2] * v[2][k];
            square += u[i][k] * u[i][k];
        }
        s[k] = pack4_root(square);
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        pack4 inverse_stretch = s[a] * s[b] * by_volume;
        for (int i = 0; i < 3; i++) u[i][k] *= inverse_stretch;
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        pack4 lift = 0.5 * pack4_max(alpha * s[k] * by_volume - mu, pack4_all(0));
        pack4 y[9], lifted[9];
        for (int i = 0; i < 3; i++)
            for (int m = 0; m < 3; m++) {
                y[3 * i + m] = u[i][a] * w[m][b] - u[i][b] * w[m][a];
                lifted[3 * i + m] = lift * y[3 * i + m];
            }
        for (int pair = 0; pair < RESPONSE_PAIRS; pair++)
            for (int m = 0; m < 9; m++)
                if (pair > 2 || m / 3 <= m % 3)
                    c[pair][m] += lifted[3 * response_pairs[pair][0] + m / 3] *
                                  y[3 * response_pairs[pair][1] + m % 3];
    }
    pack4 least = pack4_min(s[0], pack4_min(s[1], s[2]));
    pack4 most = pack4_max(s[0], pack4_max(s[1], s[2]));
    return pack4_bits((least > 1e-3 * most) & (alpha >= 0.0));
}

/* P = mu (F - F^-T) + lambda ln J F^-T, and with A = F^-T J^-T the derivative
 *   mu J^-1 J^-T where i = j, + lambda A_ik A_jl + (mu - lambda ln J) A_jk A_il.
 * Returns a bit for each element that is done. */
static int evaluate_plain(const four_materials *materials, const mat3x4 *f, const mat3x4 *inverse,
                          pack4 measure, bool project, mat3x4 *stress, pack4 (*c)[9])
{
    pack4 j = determinant(f), by_volume = 1.0 / j;
    symmetric4 g = green(f);
    pack4 mu = measure * materials->mu, lambda = measure * materials->lambda;
    pack4 alpha = mu - lambda * log_determinant(&g, j);
    int done = materials->plain & pack4_bits(j > 0.0);
    mat3x4 against, a, metric;
    cofactor(f, by_volume, &against);
    if (stress) {
        mat3x4 p;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) p.m[i][k] = mu * f->m[i][k] - alpha * against.m[i][k];
        multiply_transposed(&p, inverse, stress);
    }
    if (!c) return done;
    multiply_transposed(&against, inverse, &a);
    multiply_transposed(inverse, inverse, &metric);
    mat3x4 of_lambda, of_alpha;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            of_lambda.m[i][k] = lambda * a.m[i][k];
            of_alpha.m[i][k] = alpha * a.m[i][k];
        }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int m = k; m < 3; m++)
                c[i][3 * k + m] =
                    (of_lambda.m[i][k] + of_alpha.m[i][k]) * a.m[i][m] + mu * metric.m[k][m];
    for (int pair = 3; pair < RESPONSE_PAIRS; pair++) {
        int i = response_pairs[pair][0], l = response_pairs[pair][1];
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 3; m++)
                c[pair][3 * k + m] = of_lambda.m[i][k] * a.m[l][m] + of_alpha.m[l][k] * a.m[i][m];
    }
    if (project) done &= add_projection(f, inverse, &g, by_volume, mu, alpha, c);
    for (int i = 0; i < 3; i++) { /* these blocks are symmetric */
        c[i][3] = c[i][1];
        c[i][6] = c[i][2];
        c[i][7] = c[i][5];
    }
    return done;
}

/* ---- one by one ---- */

static void rows_to_lane(const row9 rows[9], double measure, int lane, pack4 (*c)[9])
{
    const double(*hessian)[12] = (const double(*)[12])rows;
    for (int pair = 0; pair < RESPONSE_PAIRS; pair++)
        for (int m = 0; m < 9; m++)
            c[pair][m][lane] =
                measure *
                hessian[3 * response_pairs[pair][0] + m / 3][3 * response_pairs[pair][1] + m % 3];
}

/* Writes U D U^T of a spectrum, weighted and in reference coordinates, to a lane of c. */
static void expand_to_lane(const elastic_spectrum *spectrum, const mat3 *inverse, double measure,
                           int lane, pack4 (*c)[9])
{
    elastic_spectrum turned = *spectrum;
    row9 rows[9];
    turned.v = mat3_mul(*inverse, spectrum->v); /* no rotation any more, which nothing asks for */
    turned.diagonal = mat3_scale(measure, spectrum->diagonal);
    for (int k = 0; k < 3; k++) {
        turned.same[k] *= measure;
        turned.swapped[k] *= measure;
    }
    spectrum_expand(&turned, rows);
    rows_to_lane(rows, 1, lane, c);
}

static void stress_to_lane(mat3 p, const mat3 *inverse, double measure, int lane, mat3x4 *stress)
{
    p = mat3_mul(mat3_scale(measure, p), mat3_transpose(*inverse));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) stress->m[i][k][lane] = p.m[i][k];
}

void response_evaluate(const four_materials *m, const mat3x4 *f, const mat3x4 *inverse,
                       pack4 measure, bool project, mat3x4 *stress, pack4 (*c)[9])
{
    int done = m->plain ? evaluate_plain(m, f, inverse, measure, project, stress, c) : 0;
    for (int l = 0; l < 4; l++) {
        if (done >> l & 1) continue;
        elastic_spectrum spectrum;
        mat3 p, to_reference = mat3x4_lane(inverse, l);
        if (m->parts >> l & 1) {
            row9 rows[9];
            material_point_evaluate(m->each[l], &m->point[l], mat3x4_lane(f, l), project, NULL,
                                    stress ? &p : NULL, &to_reference, c ? rows : NULL);
            if (stress) stress_to_lane(p, &to_reference, measure[l], l, stress);
            if (c) rows_to_lane(rows, measure[l], l, c);
            continue;
        }
        elastic_evaluate(m->each[l], mat3x4_lane(f, l), project, NULL, stress ? &p : NULL,
                         c ? &spectrum : NULL);
        if (stress) stress_to_lane(p, &to_reference, measure[l], l, stress);
        if (c) expand_to_lane(&spectrum, &to_reference, measure[l], l, c);
    }
}

pack4 response_energy(const four_materials *m, const mat3x4 *f)
{
    pack4 energy = pack4_all(0);
    int done = 0;
    if (m->plain) {
        pack4 j = determinant(f);
        symmetric4 g = green(f);
        pack4 log = log_determinant(&g, j), trace = g.m[0] + g.m[1] + g.m[2];
        energy = 0.5 * m->mu * (trace - 2.0 * log) + 0.5 * m->lambda * (log * log);
        done = m->plain & pack4_bits(j > 0.0);
    }
    for (int l = 0; l < 4; l++) {
        double density;
        if (done >> l & 1) continue;
        if (m->parts >> l & 1)
            material_point_evaluate(m->each[l], &m->point[l], mat3x4_lane(f, l), false, &density,
                                    NULL, NULL, NULL);
        else
            density = elastic_energy(m->each[l], mat3x4_lane(f, l));
        energy[l] = density;
    }
    return energy;
}

/* ---- inversion-barrier points ---- */

double barrier_point_energy(const elastic_parameters *material, mat3 f)
{
    double j = mat3_determinant(f) / GUARD_BEGINS;
    if (j >= 1 || !elastic_forbids_inversion(material)) return 0;
    return j > 0 ? -material->mu * (1 - j) * (1 - j) * log(j) : INFINITY;
}

bool barrier_point_response(const elastic_parameters *material, mat3 f, bool project, mat3 *stress,
                            elastic_spectrum *out)
{
    double j = mat3_determinant(f) / GUARD_BEGINS;
    if (j >= 1 || !(j > 0) || !elastic_forbids_inversion(material)) return false;
    double first = material->mu / GUARD_BEGINS * (2 * (1 - j) * log(j) - (1 - j) * (1 - j) / j);
    double second = material->mu / (GUARD_BEGINS * GUARD_BEGINS) *
                    (-2 * log(j) + 4 * (1 - j) / j + (1 - j) * (1 - j) / (j * j));
    if (stress) *stress = mat3_scale(first, mat3_cofactor(f));
    if (out) determinant_spectrum(f, first, second, project, out);
    return true;
}

int barrier_points_act(const four_materials *m, const mat3x4 *f)
{
    int act = 15 & ~pack4_bits(determinant(f) >= GUARD_BEGINS);
    for (int l = 0; act && l < 4; l++)
        if (!elastic_forbids_inversion(m->each[l])) act &= ~(1 << l);
    return act;
}

pack4 barrier_points_energy(const four_materials *m, const mat3x4 *f)
{
    pack4 energy = pack4_all(0);
    int act = barrier_points_act(m, f);
    for (int l = 0; l < 4; l++)
        if (act >> l & 1) energy[l] = barrier_point_energy(m->each[l], mat3x4_lane(f, l));
    return energy;
}

void barrier_points_evaluate(const four_materials *m, const mat3x4 *f, const mat3x4 *inverse,
                             pack4 measure, bool project, mat3x4 *stress, pack4 (*c)[9])
{
    if (stress) memset(stress, 0, sizeof *stress);
    if (c) memset(c, 0, RESPONSE_PAIRS * sizeof *c);
    int act = barrier_points_act(m, f);
    for (int l = 0; l < 4; l++) {
        if (!(act >> l & 1)) continue;
        elastic_spectrum spectrum;
        mat3 p, to_reference = mat3x4_lane(inverse, l);
        if (!barrier_point_response(m->each[l], mat3x4_lane(f, l), project, stress ? &p : NULL,
                                    c ? &spectrum : NULL))
            continue;
        if (stress) stress_to_lane(p, &to_reference, measure[l], l, stress);
        if (c) expand_to_lane(&spectrum, &to_reference, measure[l], l, c);
    }
}
