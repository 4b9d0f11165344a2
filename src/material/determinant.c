/* Functions of the determinant in the frame of the singular vectors. */
#include "material/elastic.h"
#include "math/eigen.h"
#include "math/svd.h"

#include <math.h>

void determinant_spectrum(mat3 f, double first, double second, bool project, elastic_spectrum *out)
{
    double s[3];
    svd3(f, &out->u, s, &out->v);
    double area[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        double pair = first * s[a]; /* derivative of the product of the other two stretches */
        out->diagonal.m[a][a] = second * area[a] * area[a];
        out->diagonal.m[b][c] = out->diagonal.m[c][b] = second * area[b] * area[c] + pair;
        double plus = -pair, minus = pair; /* eigenvalues of the 2x2 block */
        if (project) plus = fmax(plus, 0);
        if (project) minus = fmax(minus, 0);
        out->same[a] = 0.5 * (plus + minus);
        out->swapped[a] = 0.5 * (plus - minus);
    }
    if (project) psd_project3(&out->diagonal);
}
