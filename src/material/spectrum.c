#include "material/spectrum.h"

/* With the columns of u and v as Kronecker
 * factors, C = (U x V) D (U x V)^T for the sparse D of the spectrum, one factor after the other. */
void spectrum_expand(const elastic_spectrum *s, row9 out[9])
{
    _Alignas(32) double dyad[9][12] = {{0}};
    row9 y[9], z[9];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++)
                    dyad[3 * a + b][3 * j + l] = s->u.m[j][a] * s->v.m[l][b];
    const row9 *d = (const row9 *)dyad;
    for (int a = 0; a < 3; a++) {
        y[4 * a] = row9_scale(s->diagonal.m[a][0], &d[0]);
        y[4 * a] = row9_add(y[4 * a], s->diagonal.m[a][1], &d[4]);
        y[4 * a] = row9_add(y[4 * a], s->diagonal.m[a][2], &d[8]);
        int i = (a + 1) % 3, j = (a + 2) % 3, ij = 3 * i + j, ji = 3 * j + i;
        y[ij] = row9_add(row9_scale(s->same[a], &d[ij]), s->swapped[a], &d[ji]);
        y[ji] = row9_add(row9_scale(s->same[a], &d[ji]), s->swapped[a], &d[ij]);
    }
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            z[3 * a + k] = row9_scale(s->v.m[k][0], &y[3 * a]);
            z[3 * a + k] = row9_add(z[3 * a + k], s->v.m[k][1], &y[3 * a + 1]);
            z[3 * a + k] = row9_add(z[3 * a + k], s->v.m[k][2], &y[3 * a + 2]);
        }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            row9 sum = row9_scale(s->u.m[i][0], &z[k]);
            sum = row9_add(sum, s->u.m[i][1], &z[3 + k]);
            out[3 * i + k] = row9_add(sum, s->u.m[i][2], &z[6 + k]);
        }
}
