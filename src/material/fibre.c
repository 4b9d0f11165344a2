#include "material/fibre.h"

#include <math.h>

/* w and its derivatives. */
static void stretched(double e, double w[3])
{
    const double p = FIBRE_PASSAGE;
    if (e <= 0) {
        w[0] = w[1] = w[2] = 0;
    } else if (e < p) {
        w[0] = e * e * e / (6 * p);
        w[1] = e * e / (2 * p);
        w[2] = e / p;
    } else {
        w[0] = 0.5 * e * e - 0.5 * p * e + p * p / 6;
        w[1] = e - 0.5 * p;
        w[2] = 1;
    }
}

void fibre_energy(const fibre_family *family, double e, double out[3])
{
    double k1 = family->stiffness, k2 = family->exponent, beyond = 0, w[3];
    stretched(e, w);
    if (2 * k2 * w[0] > FIBRE_MAX_EXPONENT) { /* w at its end: (E - p/2)^2/2 + p^2/24 */
        double p = FIBRE_PASSAGE, end = FIBRE_MAX_EXPONENT / (2 * k2);
        double last = 0.5 * p + sqrt(2 * (end - p * p / 24));
        beyond = e - last;
        stretched(last, w);
    }
    if (k2 == 0) {
        for (int k = 0; k < 3; k++) out[k] = k1 * w[k];
        return;
    }
    double grown = exp(2 * k2 * w[0]);
    out[0] = k1 / (2 * k2) * expm1(2 * k2 * w[0]);
    out[1] = k1 * w[1] * grown;
    out[2] = k1 * grown * (w[2] + 2 * k2 * w[1] * w[1]);
    out[0] += beyond * (out[1] + 0.5 * beyond * out[2]);
    out[1] += beyond * out[2];
}

static row9 row_of(const double entries[12])
{
    const pack4_loose *from = (const pack4_loose *)entries;
    return (row9){{from[0], from[1], from[2]}};
}

/* hessian += I x m + factor vec(g) vec(g)^T */
static void add_hessian(mat3 m, double factor, mat3 g, row9 *hessian)
{
    double whole[12] = {0};
    for (int k = 0; k < 9; k++) whole[k] = g.m[k / 3][k % 3];
    row9 row = row_of(whole);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double own[12] = {0};
            for (int l = 0; l < 3; l++) own[3 * i + l] = m.m[j][l];
            row9 block = row_of(own);
            hessian[3 * i + j] = row9_add(hessian[3 * i + j], 1, &block);
            hessian[3 * i + j] = row9_add(hessian[3 * i + j], factor * g.m[i][j], &row);
        }
}

static mat3 congruent(mat3 turn, mat3 a)
{
    return mat3_mul(mat3_mul(turn, a), mat3_transpose(turn));
}

static void add_passive(const fibre_family *family, vec3 a, mat3 f, mat3 turn,
                        const fibre_sums *out)
{
    double kappa = family->dispersion, along = 1 - 3 * kappa, w[3];
    double e = kappa * (mat3_norm2(f) - 3) + along * (vec3_norm2(mat3_mul_vec(f, a)) - 1);
    mat3 tensor =
        mat3_add(mat3_scale(2 * kappa, mat3_identity()), mat3_scale(2 * along, mat3_outer(a, a)));
    fibre_energy(family, e, w);
    if (out->energy) *out->energy += w[0];
    if (w[1] == 0 && w[2] == 0) return;
    mat3 slope = mat3_mul(f, tensor); /* dE/dF */
    if (out->stress) *out->stress = mat3_add(*out->stress, mat3_scale(w[1], slope));
    if (out->hessian)
        add_hessian(mat3_scale(w[1], congruent(turn, tensor)), w[2],
                    mat3_mul(slope, mat3_transpose(turn)), out->hessian);
}

/* T |F a|: P = T d a^T, Hessian T/|F a| (I - d d^T) x a a^T, d = F a / |F a|. */
static void add_active(double tension, vec3 a, mat3 f, mat3 turn, const fibre_sums *out)
{
    vec3 fa = mat3_mul_vec(f, a);
    double length = vec3_norm(fa);
    vec3 d = vec3_scale(1 / length, fa), turned = mat3_mul_vec(turn, a);
    if (out->energy) *out->energy += tension * (length - 1);
    if (out->stress) *out->stress = mat3_add(*out->stress, mat3_scale(tension, mat3_outer(d, a)));
    if (out->hessian)
        add_hessian(mat3_scale(tension / length, mat3_outer(turned, turned)), -tension / length,
                    mat3_outer(d, turned), out->hessian);
}

void fibre_add(const fibre_family *family, vec3 direction, double tension, mat3 f, mat3 turn,
               const fibre_sums *out)
{
    if (family->stiffness > 0) add_passive(family, direction, f, turn, out);
    if (tension > 0) add_active(tension, direction, f, turn, out);
}
