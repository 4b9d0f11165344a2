#include "fem/tet4.h"

#include "math/polynomial.h"

#include <float.h>
#include <stddef.h>

static inline mat3 edge_matrix(const vec3 x[4])
{
    return mat3_from_columns(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]), vec3_sub(x[3], x[0]));
}

bool tet4_rest_make(const vec3 x[4], tet4_rest *rest)
{
    mat3 dm = edge_matrix(x);
    double determinant = mat3_determinant(dm);
    if (!(determinant > 0.0) || !isfinite(determinant)) return false;
    rest->volume = determinant / 6.0;
    rest->dm_inverse = mat3_inverse(dm);
    return isfinite(mat3_norm2(rest->dm_inverse));
}

mat3 tet4_deformation(const tet4_rest *rest, const vec3 x[4])
{
    return mat3_mul(edge_matrix(x), rest->dm_inverse);
}

double tet4_energy(const tet4_rest *rest, const elastic_parameters *material, const vec3 x[4])
{
    return rest->volume * elastic_energy(material, tet4_deformation(rest, x));
}

/* gradient_k = volume P (grad N_k) */
static void scatter_stress(const tet4_rest *rest, const mat3 *stress, vec3 gradient[4])
{
    mat3 h = mat3_mul(mat3_scale(rest->volume, *stress), mat3_transpose(rest->dm_inverse));
    for (int k = 0; k < 3; k++) gradient[k + 1] = mat3_column(h, k);
    gradient[0] = vec3_neg(vec3_add(gradient[1], vec3_add(gradient[2], gradient[3])));
}

/* Block between nodes with shape gradients g and h, both turned by V^T, in the frame of U. */
static inline mat3 turned_block(const elastic_spectrum *s, const double g[3], const double h[3])
{
    mat3 b;
    double gh[3] = {g[0] * h[0], g[1] * h[1], g[2] * h[2]};
    for (int a = 0; a < 3; a++) {
        int c = (a + 1) % 3, d = (a + 2) % 3;
        b.m[a][a] = s->diagonal.m[a][a] * gh[a] + (s->same[d] * gh[c] + s->same[c] * gh[d]);
        b.m[a][c] = s->diagonal.m[a][c] * (g[a] * h[c]) + s->swapped[d] * (g[c] * h[a]);
        b.m[c][a] = s->diagonal.m[a][c] * (g[c] * h[a]) + s->swapped[d] * (g[a] * h[c]);
    }
    return b;
}

static inline mat3 symmetric_part(mat3 a)
{
    a.m[0][1] = a.m[1][0];
    a.m[0][2] = a.m[2][0];
    a.m[1][2] = a.m[2][1];
    return a;
}

/* -(a + b + c) */
static inline mat3 negative_sum(const mat3 *a, const mat3 *b, const mat3 *c)
{
    mat3 sum;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum.m[i][j] = -((a->m[i][j] + b->m[i][j]) + c->m[i][j]);
    return sum;
}

/* The 9x9 matrix dP/dF between two shape gradients is U B U^T with B from few products, because
 * dP/dF is sparse in the frame of the singular vectors: it is never formed. */
static void assemble_blocks(const tet4_rest *rest, const elastic_spectrum *spectrum,
                            mat3 hessian[TET4_BLOCKS])
{
    elastic_spectrum s = *spectrum;
    s.diagonal = mat3_scale(rest->volume, s.diagonal);
    for (int k = 0; k < 3; k++) {
        s.same[k] *= rest->volume;
        s.swapped[k] *= rest->volume;
    }
    mat3 turned = mat3_mul(rest->dm_inverse, s.v); /* row k is V^T grad N_k */
    mat3 ut = mat3_transpose(s.u);
    for (int a = 1; a < 4; a++)
        for (int b = a; b < 4; b++) {
            mat3 block = turned_block(&s, turned.m[a - 1], turned.m[b - 1]);
            hessian[tet4_block(a, b)] = mat3_mul(mat3_mul(s.u, block), ut);
        }
    mat3 *h11 = &hessian[4], *h12 = &hessian[5], *h13 = &hessian[6];
    mat3 *h22 = &hessian[7], *h23 = &hessian[8], *h33 = &hessian[9];
    *h11 = symmetric_part(*h11);
    *h22 = symmetric_part(*h22);
    *h33 = symmetric_part(*h33);
    mat3 h21 = mat3_transpose(*h12), h31 = mat3_transpose(*h13), h32 = mat3_transpose(*h23);
    hessian[1] = negative_sum(h11, &h21, &h31);
    hessian[2] = negative_sum(h12, h22, &h32);
    hessian[3] = negative_sum(h13, h23, h33);
    hessian[0] = symmetric_part(negative_sum(&hessian[1], &hessian[2], &hessian[3]));
}

double tet4_evaluate(const tet4_rest *rest, const elastic_parameters *material, const vec3 x[4],
                     bool project, vec3 gradient[4], mat3 hessian[TET4_BLOCKS])
{
    mat3 f = tet4_deformation(rest, x), stress;
    double energy;
    elastic_spectrum spectrum;
    elastic_evaluate(material, f, project, &energy, gradient ? &stress : NULL,
                     hessian ? &spectrum : NULL);
    if (gradient) scatter_stress(rest, &stress, gradient);
    if (hessian) assemble_blocks(rest, &spectrum, hessian);
    return rest->volume * energy;
}

static inline mat3 magnitudes(mat3 a)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] = fabs(a.m[i][j]);
    return a;
}

/* The coefficients of det(a + t b). */
static inline void determinant_cubic(mat3 a, mat3 b, double c[4])
{
    mat3 ca = mat3_cofactor(a), cb = mat3_cofactor(b);
    c[0] = c[1] = c[2] = c[3] = 0.0;
    for (int j = 0; j < 3; j++) {
        c[0] += a.m[0][j] * ca.m[0][j];
        c[3] += b.m[0][j] * cb.m[0][j];
        for (int i = 0; i < 3; i++) {
            c[1] += b.m[i][j] * ca.m[i][j];
            c[2] += a.m[i][j] * cb.m[i][j];
        }
    }
}

/* The same with every product taken by magnitude: what the round-off of c is proportional to. */
static inline void determinant_cubic_size(mat3 a, mat3 b, double c[4])
{
    mat3 p[2] = {magnitudes(a), magnitudes(b)}, cofactor[2];
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double *r = p[q].m[(i + 1) % 3], *s = p[q].m[(i + 2) % 3];
                cofactor[q].m[i][j] =
                    r[(j + 1) % 3] * s[(j + 2) % 3] + r[(j + 2) % 3] * s[(j + 1) % 3];
            }
    c[0] = c[1] = c[2] = c[3] = 0.0;
    for (int j = 0; j < 3; j++) {
        c[0] += p[0].m[0][j] * cofactor[0].m[0][j];
        c[3] += p[1].m[0][j] * cofactor[1].m[0][j];
        for (int i = 0; i < 3; i++) {
            c[1] += p[1].m[i][j] * cofactor[0].m[i][j];
            c[2] += p[0].m[i][j] * cofactor[1].m[i][j];
        }
    }
}

double tet4_max_step(const vec3 x[4], const vec3 direction[4], double fraction)
{
    mat3 a = edge_matrix(x), b = edge_matrix(direction);
    double c[4], size[4];
    determinant_cubic(a, b, c);
    determinant_cubic_size(a, b, size);
    /* Three rounded edges, two products and at most nine additions make 8 ulps at most. */
    double volume = c[0];
    for (int k = 0; k < 4; k++) c[k] -= 8.0 * DBL_EPSILON * size[k];
    c[0] -= fraction * volume;
    if (!(c[0] > 0.0)) return 0.0;
    return fmin(cubic_first_root(c), 1.0);
}
