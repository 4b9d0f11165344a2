#include "fem/tri3.h"

#include "math/eigen.h"

#include <stddef.h>
#include <string.h>

bool tri3_rest_make(const vec3 x[3], vec3 warp, double thickness, tri3_rest *rest)
{
    vec3 a = vec3_sub(x[1], x[0]), b = vec3_sub(x[2], x[0]), n = vec3_cross(a, b);
    double twice = vec3_norm(n);
    /* Below this the normal is a matter of rounding. */
    if (!(twice > 1e-14 * (vec3_norm2(a) + vec3_norm2(b))) || !isfinite(twice)) return false;
    n = vec3_scale(1 / twice, n);
    vec3 first = vec3_mul_add(warp, -vec3_dot(warp, n), n);
    if (!(vec3_norm(first) > 1e-6 * vec3_norm(warp))) first = a;
    first = vec3_normalize(first);
    vec3 second = vec3_cross(n, first);
    double d00 = vec3_dot(a, first), d01 = vec3_dot(b, first);
    double d10 = vec3_dot(a, second), d11 = vec3_dot(b, second), det = d00 * d11 - d01 * d10;
    rest->dm_inverse[0] = d11 / det;
    rest->dm_inverse[1] = -d01 / det;
    rest->dm_inverse[2] = -d10 / det;
    rest->dm_inverse[3] = d00 / det;
    rest->area = 0.5 * twice;
    rest->volume = rest->area * thickness;
    return isfinite(rest->dm_inverse[0] + rest->dm_inverse[3]) && rest->volume > 0;
}

void tri3_deformation(const tri3_rest *rest, const vec3 x[3], vec3 f[2])
{
    vec3 a = vec3_sub(x[1], x[0]), b = vec3_sub(x[2], x[0]);
    for (int k = 0; k < 2; k++)
        f[k] = vec3_add(vec3_scale(rest->dm_inverse[k], a), vec3_scale(rest->dm_inverse[2 + k], b));
}

double tri3_energy(const tri3_rest *rest, const membrane_parameters *material, const vec3 x[3])
{
    vec3 f[2];
    tri3_deformation(rest, x, f);
    return rest->volume * membrane_energy(material, f[0], f[1]);
}

static void spread_stress(const tri3_rest *rest, double factor, const vec3 stress[2],
                          vec3 gradient[3])
{
    for (int k = 0; k < 2; k++) {
        vec3 sum = vec3_add(vec3_scale(rest->dm_inverse[2 * k], stress[0]),
                            vec3_scale(rest->dm_inverse[2 * k + 1], stress[1]));
        gradient[k + 1] = vec3_scale(factor, sum);
    }
    gradient[0] = vec3_neg(vec3_add(gradient[1], gradient[2]));
}

static mat3 symmetric_part(mat3 a)
{
    a.m[0][1] = a.m[1][0];
    a.m[0][2] = a.m[2][0];
    a.m[1][2] = a.m[2][1];
    return a;
}

/* Blocks of node 0 from those of the others: rows and columns sum to zero. */
static void complete_blocks(mat3 hessian[TRI3_BLOCKS])
{
    mat3 *h11 = &hessian[3], *h12 = &hessian[4], *h22 = &hessian[5];
    *h11 = symmetric_part(*h11);
    *h22 = symmetric_part(*h22);
    hessian[1] = mat3_scale(-1, mat3_add(*h11, mat3_transpose(*h12)));
    hessian[2] = mat3_scale(-1, mat3_add(*h12, *h22));
    hessian[0] = symmetric_part(mat3_scale(-1, mat3_add(hessian[1], hessian[2])));
}

/* Block between nodes with shape gradients g and h, turned by V^T, in the frame of U. */
static mat3 turned_block(const membrane_spectrum *s, const double g[2], const double h[2])
{
    double same = 0.5 * (s->flip + s->twist), swapped = 0.5 * (s->flip - s->twist);
    mat3 b = mat3_zero();
    b.m[0][0] = s->diagonal[0] * g[0] * h[0] + same * g[1] * h[1];
    b.m[1][1] = s->diagonal[2] * g[1] * h[1] + same * g[0] * h[0];
    b.m[0][1] = s->diagonal[1] * g[0] * h[1] + swapped * g[1] * h[0];
    b.m[1][0] = s->diagonal[1] * g[1] * h[0] + swapped * g[0] * h[1];
    b.m[2][2] = s->normal[0] * g[0] * h[0] + s->normal[1] * g[1] * h[1];
    return b;
}

static void spread_spectrum(const tri3_rest *rest, double factor, const membrane_spectrum *s,
                            mat3 hessian[TRI3_BLOCKS])
{
    double turned[2][2];
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 2; c++)
            turned[k][c] =
                rest->dm_inverse[2 * k] * s->v[c] + rest->dm_inverse[2 * k + 1] * s->v[2 + c];
    mat3 ut = mat3_transpose(s->u), scaled = mat3_scale(factor, s->u);
    static const int index[2][2] = {{3, 4}, {4, 5}};
    for (int a = 0; a < 2; a++)
        for (int b = a; b < 2; b++)
            hessian[index[a][b]] =
                mat3_mul(mat3_mul(scaled, turned_block(s, turned[a], turned[b])), ut);
    complete_blocks(hessian);
}

/* The same from a dense matrix over the entries of F. */
static void spread_dense(const tri3_rest *rest, double factor, const double dense[36],
                         mat3 hessian[TRI3_BLOCKS])
{
    const double *r = rest->dm_inverse;
    static const int index[2][2] = {{3, 4}, {4, 5}};
    for (int a = 0; a < 2; a++)
        for (int b = a; b < 2; b++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double sum = 0;
                    for (int c = 0; c < 2; c++)
                        for (int d = 0; d < 2; d++)
                            sum += r[2 * a + c] * r[2 * b + d] * dense[6 * (3 * c + i) + 3 * d + j];
                    hessian[index[a][b]].m[i][j] = factor * sum;
                }
    complete_blocks(hessian);
}

void tri3_evaluate(const tri3_rest *rest, const membrane_parameters *material, const vec3 x[3],
                   double factor, bool project, vec3 gradient[3], mat3 hessian[TRI3_BLOCKS])
{
    vec3 f[2], stress[2];
    tri3_deformation(rest, x, f);
    factor *= rest->volume;
    if (gradient) {
        membrane_stress(material, f[0], f[1], stress);
        spread_stress(rest, factor, stress, gradient);
    }
    if (!hessian) return;
    if (membrane_is_isotropic(material)) {
        membrane_spectrum spectrum;
        membrane_isotropic_spectrum(material, f[0], f[1], &spectrum);
        if (project) membrane_spectrum_project(&spectrum);
        spread_spectrum(rest, factor, &spectrum, hessian);
    } else {
        double dense[36];
        membrane_orthotropic_hessian(material, f[0], f[1], dense);
        if (project) psd_project(6, dense);
        spread_dense(rest, factor, dense, hessian);
    }
}

double tri3_limit_energy(const tri3_rest *rest, const strain_limit *limit, const vec3 x[3])
{
    vec3 f[2];
    tri3_deformation(rest, x, f);
    return rest->volume * strain_limit_energy(limit, f[0], f[1]);
}

void tri3_limit_evaluate(const tri3_rest *rest, const strain_limit *limit, const vec3 x[3],
                         double factor, bool project, vec3 gradient[3], mat3 hessian[TRI3_BLOCKS])
{
    vec3 f[2], stress[2];
    membrane_spectrum spectrum;
    tri3_deformation(rest, x, f);
    factor *= rest->volume;
    if (!strain_limit_derivatives(limit, f[0], f[1], stress, hessian ? &spectrum : NULL)) {
        if (gradient) memset(gradient, 0, 3 * sizeof *gradient);
        if (hessian) memset(hessian, 0, TRI3_BLOCKS * sizeof *hessian);
        return;
    }
    if (gradient) spread_stress(rest, factor, stress, gradient);
    if (!hessian) return;
    if (project) membrane_spectrum_project(&spectrum);
    spread_spectrum(rest, factor, &spectrum, hessian);
}
