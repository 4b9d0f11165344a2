/* Derivatives of the stress of four points at a time, for the material that most scenes have. */
#include "fem/element_response.h"

#include "math/pack4.h"

#include <math.h>
#include <string.h>

typedef pack4 lane;
typedef long long lane_mask __attribute__((vector_size(32)));

static inline lane all(double x) { return (lane){x, x, x, x}; }

static inline lane root(lane x) { return (lane){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }

static inline lane select(lane_mask yes, lane a, lane b)
{
    return (lane)((yes & (lane_mask)a) | (~yes & (lane_mask)b));
}

static inline lane at_least_zero(lane x) { return select(x > all(0), x, all(0)); }

/* One rotation of Jacobi's method on the symmetric matrix g, and on the columns of v. */
static inline void turn(lane g[3][3], lane v[3][3], int p, int q)
{
    int r = 3 - p - q;
    lane off = g[p][q], apart = g[q][q] - g[p][p];
    lane side = select(apart >= all(0), all(1), all(-1));
    lane sum = side * apart + root(apart * apart + 4 * off * off);
    lane t = 2 * side * off / (sum + all(1e-300)); /* 0 where there is nothing to turn */
    lane c = 1 / root(1 + t * t), s = c * t;
    g[p][p] -= t * off;
    g[q][q] += t * off;
    g[p][q] = g[q][p] = all(0);
    lane rp = g[r][p], rq = g[r][q];
    g[r][p] = g[p][r] = c * rp - s * rq;
    g[r][q] = g[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; k++) {
        lane vp = v[k][p], vq = v[k][q];
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}

/* F = U diag(s) V^T from the eigenvectors of F^T F, in no order. */
static inline void decompose(lane f[3][3], lane u[3][3], lane s[3], lane v[3][3])
{
    enum { SWEEPS = 4 }; /* it converges quadratically; what is left after that is rounding */
    lane g[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            g[i][j] = f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j];
            v[i][j] = all(i == j);
        }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        turn(g, v, 0, 1);
        turn(g, v, 0, 2);
        turn(g, v, 1, 2);
    }
    for (int k = 0; k < 3; k++) {
        lane b[3], square = all(0);
        for (int i = 0; i < 3; i++) {
            b[i] = f[i][0] * v[0][k] + f[i][1] * v[1][k] + f[i][2] * v[2][k];
            square += b[i] * b[i];
        }
        s[k] = root(square);
        lane inverse = 1 / s[k];
        for (int i = 0; i < 3; i++) u[i][k] = inverse * b[i];
    }
}

/* C = (U x W) D (U x W)^T with W = J^-1 V, one factor after the other, for the blocks i <= j. */
static inline void expand(lane u[3][3], lane w[3][3], lane diagonal[3][3], lane same[3],
                          lane swapped[3], lane out[9][9])
{
    lane dyad[9][9], y[9][9], z[9][9];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++) dyad[3 * a + b][3 * j + l] = u[j][a] * w[l][b];
    for (int m = 0; m < 9; m++)
        for (int a = 0; a < 3; a++) {
            int i = (a + 1) % 3, j = (a + 2) % 3, ij = 3 * i + j, ji = 3 * j + i;
            y[4 * a][m] = diagonal[a][0] * dyad[0][m] + diagonal[a][1] * dyad[4][m] +
                          diagonal[a][2] * dyad[8][m];
            y[ij][m] = same[a] * dyad[ij][m] + swapped[a] * dyad[ji][m];
            y[ji][m] = same[a] * dyad[ji][m] + swapped[a] * dyad[ij][m];
        }
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 9; m++)
                z[3 * a + k][m] =
                    w[k][0] * y[3 * a][m] + w[k][1] * y[3 * a + 1][m] + w[k][2] * y[3 * a + 2][m];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int m = 3 * i; m < 9; m++)
                out[3 * i + k][m] =
                    u[i][0] * z[k][m] + u[i][1] * z[3 + k][m] + u[i][2] * z[6 + k][m];
}

bool element_response_possible(const elastic_parameters *material)
{
    return material->model == ELASTIC_NEO_HOOKEAN && material->barrier == 0 &&
           !(material->extrapolate_below > 0);
}

int element_response4(const elastic_parameters *material, const mat3 f[4], const mat3 inverse[4],
                      const double measure[4], bool project, double *c[4])
{
    lane deformation[3][3], to_reference[3][3], u[3][3], v[3][3], w[3][3], s[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            deformation[i][j] = (lane){f[0].m[i][j], f[1].m[i][j], f[2].m[i][j], f[3].m[i][j]};
            to_reference[i][j] = (lane){inverse[0].m[i][j], inverse[1].m[i][j], inverse[2].m[i][j],
                                        inverse[3].m[i][j]};
        }
    decompose(deformation, u, s, v);
    lane volume = s[0] * s[1] * s[2], weight = {measure[0], measure[1], measure[2], measure[3]};
    lane logarithm;
    int done = 0;
    for (int l = 0; l < 4; l++) {
        logarithm[l] = log(volume[l]);
        double least = fmin(s[0][l], fmin(s[1][l], s[2][l]));
        double most = fmax(s[0][l], fmax(s[1][l], s[2][l]));
        /* With a negative alpha the first three directions may need a projection, too. */
        bool simple = !project || material->mu - material->lambda * logarithm[l] >= 0;
        if (mat3_determinant(f[l]) > 0 && least > 1e-3 * most && simple) done |= 1 << l;
    }
    /* P = mu (F - F^-T) + lambda ln J F^-T; its derivative in the frame of the singular vectors. */
    lane mu = weight * material->mu, lambda = weight * material->lambda;
    lane alpha = mu - lambda * logarithm, diagonal[3][3], same[3], swapped[3], by[3];
    for (int k = 0; k < 3; k++) by[k] = 1 / s[k];
    for (int a = 0; a < 3; a++) {
        int i = (a + 1) % 3, j = (a + 2) % 3;
        for (int b = 0; b < 3; b++) diagonal[a][b] = lambda * by[a] * by[b];
        diagonal[a][a] += mu + alpha * by[a] * by[a];
        lane pair = alpha * by[i] * by[j], plus = mu + pair, minus = mu - pair;
        if (project) plus = at_least_zero(plus);
        if (project) minus = at_least_zero(minus);
        same[a] = 0.5 * (plus + minus);
        swapped[a] = 0.5 * (plus - minus);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            w[i][j] = to_reference[i][0] * v[0][j] + to_reference[i][1] * v[1][j] +
                      to_reference[i][2] * v[2][j];
    lane out[9][9];
    expand(u, w, diagonal, same, swapped, out);
    for (int l = 0; l < 4; l++)
        for (int r = 0; r < 9; r++)
            for (int m = 3 * (r / 3); m < 9; m++) c[l][RESPONSE_STRIDE * r + m] = out[r][m][l];
    return done;
}
