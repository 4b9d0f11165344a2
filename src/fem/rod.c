#include "fem/rod.h"

#include <stddef.h>

double segment_energy(const vec3 x[2], double rest_length, double stiffness)
{
    double change = vec3_norm(vec3_sub(x[1], x[0])) - rest_length;
    return 0.5 * stiffness * change * change;
}

void segment_evaluate(const vec3 x[2], double rest_length, double stiffness, double factor,
                      bool project, vec3 gradient[2], mat3 hessian[3])
{
    vec3 e = vec3_sub(x[1], x[0]);
    double length = vec3_norm(e), force = factor * stiffness * (length - rest_length);
    vec3 unit = vec3_scale(1 / length, e);
    if (gradient) {
        gradient[1] = vec3_scale(force, unit);
        gradient[0] = vec3_neg(gradient[1]);
    }
    if (!hessian) return;
    double along = factor * stiffness, across = force / length;
    if (project && !(across > 0)) across = 0;
    mat3 outer = mat3_outer(unit, unit);
    mat3 block = mat3_add(mat3_scale(along - across, outer), mat3_scale(across, mat3_identity()));
    hessian[0] = hessian[2] = block;
    hessian[1] = mat3_scale(-1, block);
}

double bend_energy(const vec3 x[3], double stiffness)
{
    vec3 e0 = vec3_sub(x[1], x[0]), e1 = vec3_sub(x[2], x[1]);
    double sum = vec3_norm(e0) * vec3_norm(e1) + vec3_dot(e0, e1);
    if (!(sum > 0)) return INFINITY;
    return stiffness * 4 * vec3_norm2(vec3_cross(e0, e1)) / (sum * sum);
}

/* |kb|^2 = 4 (a - c) / (a + c) with a = |e0||e1|, c = e0 e1: derivatives by the chain rule over a
 * and c, first with respect to the two edges, then to the nodes. */
void bend_evaluate(const vec3 x[3], double stiffness, vec3 gradient[3], double *hessian)
{
    vec3 e[2] = {vec3_sub(x[1], x[0]), vec3_sub(x[2], x[1])};
    double n[2] = {vec3_norm(e[0]), vec3_norm(e[1])};
    vec3 unit[2] = {vec3_scale(1 / n[0], e[0]), vec3_scale(1 / n[1], e[1])};
    double a = n[0] * n[1], c = vec3_dot(e[0], e[1]), sum = a + c;
    double by_a = stiffness * 8 * c / (sum * sum), by_c = -stiffness * 8 * a / (sum * sum);
    vec3 da[2] = {vec3_scale(n[1], unit[0]), vec3_scale(n[0], unit[1])}, dc[2] = {e[1], e[0]};
    vec3 g[2];
    for (int k = 0; k < 2; k++) g[k] = vec3_add(vec3_scale(by_a, da[k]), vec3_scale(by_c, dc[k]));
    if (gradient) {
        gradient[0] = vec3_neg(g[0]);
        gradient[1] = vec3_sub(g[0], g[1]);
        gradient[2] = g[1];
    }
    if (!hessian) return;
    double cube = sum * sum * sum, by_aa = -stiffness * 16 * c / cube;
    double by_cc = stiffness * 16 * a / cube, by_ac = stiffness * 8 * (a - c) / cube;
    mat3 h[2][2];
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++) {
            mat3 curve = k == l
                             ? mat3_scale(n[1 - k] / n[k],
                                          mat3_sub(mat3_identity(), mat3_outer(unit[k], unit[k])))
                             : mat3_outer(unit[k], unit[l]);
            h[k][l] = mat3_scale(by_a, curve);
            if (k != l) h[k][l] = mat3_add(h[k][l], mat3_scale(by_c, mat3_identity()));
            h[k][l] = mat3_add(h[k][l], mat3_scale(by_aa, mat3_outer(da[k], da[l])));
            h[k][l] = mat3_add(h[k][l], mat3_scale(by_cc, mat3_outer(dc[k], dc[l])));
            h[k][l] = mat3_add(h[k][l], mat3_scale(by_ac, mat3_add(mat3_outer(da[k], dc[l]),
                                                                   mat3_outer(dc[k], da[l]))));
        }
    /* Node i moves edge k by sign[k][i]. */
    static const double sign[2][3] = {{-1, 1, 0}, {0, -1, 1}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int r = 0; r < 3; r++)
                for (int q = 0; q < 3; q++) {
                    double entry = 0;
                    for (int k = 0; k < 2; k++)
                        for (int l = 0; l < 2; l++)
                            entry += sign[k][i] * sign[l][j] * h[k][l].m[r][q];
                    hessian[9 * (3 * i + r) + 3 * j + q] = entry;
                }
}
