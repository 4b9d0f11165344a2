#include "support/dense_oracle.h"

#include <float.h>

static void sort_ascending(int n, long double *x)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j - 1] > x[j]; j--) {
            long double t = x[j];
            x[j] = x[j - 1];
            x[j - 1] = t;
        }
}

/* tan of the Jacobi angle for [[p, o], [o, q]]. */
static long double jacobi_tangent(long double p, long double o, long double q)
{
    long double theta = (q - p) / (2 * o);
    return (theta >= 0 ? 1 : -1) / (fabsl(theta) + sqrtl(1 + theta * theta));
}

void oracle_eigenvalues(int n, const double *a, long double *values)
{
    long double m[ORACLE_MAX][ORACLE_MAX];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) m[i][j] = a[i * n + j];
    for (int sweep = 0; sweep < 60; sweep++) {
        long double off = 0, all = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                all = fmaxl(all, fabsl(m[i][j]));
                if (i != j) off = fmaxl(off, fabsl(m[i][j]));
            }
        if (off <= all * LDBL_EPSILON * 0.01L) break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (m[p][q] == 0) continue;
                long double t = jacobi_tangent(m[p][p], m[p][q], m[q][q]);
                long double c = 1 / sqrtl(1 + t * t), s = c * t;
                for (int k = 0; k < n; k++) {
                    long double x = m[k][p], y = m[k][q];
                    m[k][p] = c * x - s * y;
                    m[k][q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    long double x = m[p][k], y = m[q][k];
                    m[p][k] = c * x - s * y;
                    m[q][k] = s * x + c * y;
                }
            }
    }
    for (int i = 0; i < n; i++) values[i] = m[i][i];
    sort_ascending(n, values);
}

void oracle_singular_values(int rows, int columns, const double *a, long double *values)
{
    long double m[ORACLE_MAX][3];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) m[i][j] = a[i * columns + j];
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < columns; p++)
            for (int q = p + 1; q < columns; q++) {
                long double pp = 0, qq = 0, pq = 0;
                for (int k = 0; k < rows; k++) {
                    pp += m[k][p] * m[k][p];
                    qq += m[k][q] * m[k][q];
                    pq += m[k][p] * m[k][q];
                }
                if (fabsl(pq) <= 0.5L * LDBL_EPSILON * sqrtl(pp) * sqrtl(qq)) continue;
                long double t = jacobi_tangent(pp, pq, qq);
                long double c = 1 / sqrtl(1 + t * t), s = c * t;
                for (int k = 0; k < rows; k++) {
                    long double x = m[k][p], y = m[k][q];
                    m[k][p] = c * x - s * y;
                    m[k][q] = s * x + c * y;
                }
            }
    for (int j = 0; j < columns; j++) {
        long double sum = 0;
        for (int k = 0; k < rows; k++) sum += m[k][j] * m[k][j];
        values[j] = -sqrtl(sum);
    }
    sort_ascending(columns, values);
    for (int j = 0; j < columns; j++) values[j] = -values[j];
}

long double oracle_determinant3(mat3 a)
{
    long double m[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[i][j] = a.m[i][j];
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

double oracle_orthogonality(int n, const double *q)
{
    long double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            long double sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++) sum += (long double)q[k * n + i] * q[k * n + j];
            if (!(fabsl(sum) <= worst)) worst = fabsl(sum);
        }
    return (double)worst;
}

double oracle_svd_residual(mat3 a, mat3 u, const double *s, mat3 v)
{
    long double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            long double sum = -(long double)a.m[i][j];
            for (int k = 0; k < 3; k++) sum += (long double)u.m[i][k] * s[k] * v.m[j][k];
            if (!(fabsl(sum) <= worst)) worst = fabsl(sum);
        }
    return (double)worst;
}

double oracle_eigen_residual(int n, const double *a, const double *values, const double *v)
{
    long double worst = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            long double sum = -(long double)values[k] * v[i * n + k];
            for (int j = 0; j < n; j++) sum += (long double)a[i * n + j] * v[j * n + k];
            if (!(fabsl(sum) <= worst)) worst = fabsl(sum);
        }
    return (double)worst;
}

mat3 oracle_random_rotation(random_state *r)
{
    double q[4], norm2 = 0;
    do {
        norm2 = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = random_range(r, -1, 1);
            norm2 += q[k] * q[k];
        }
    } while (norm2 < 0.01 || norm2 > 1);
    double s = 2 / norm2, w = q[0], x = q[1], y = q[2], z = q[3];
    return (mat3){{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                   {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                   {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}}};
}

mat3 oracle_random_matrix(random_state *r, double size)
{
    mat3 a;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] = random_range(r, -size, size);
    return a;
}
