#include "geometry/mollifier.h"

double mollifier_threshold(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    return 1e-3 * vec3_norm2(vec3_sub(a1, a0)) * vec3_norm2(vec3_sub(b1, b0));
}

double edge_cross2(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    return vec3_norm2(vec3_cross(vec3_sub(a1, a0), vec3_sub(b1, b0)));
}

/* With n = u x v: dc/du = 2 v x n, dc/dv = 2 n x u; no cancellation when u and v are parallel. */
double edge_cross2_gradient(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double gradient[12])
{
    vec3 u = vec3_sub(a1, a0), v = vec3_sub(b1, b0), n = vec3_cross(u, v);
    vec3 by_u = vec3_scale(2.0, vec3_cross(v, n)), by_v = vec3_scale(2.0, vec3_cross(n, u));
    vec3_store(gradient, vec3_neg(by_u));
    vec3_store(gradient + 3, by_u);
    vec3_store(gradient + 6, vec3_neg(by_v));
    vec3_store(gradient + 9, by_v);
    return vec3_norm2(n);
}

/* c_uu = 2 (|v|^2 I - v v^T), c_vv = 2 (|u|^2 I - u u^T), c_uv = 4 u v^T - 2 v u^T - 2 (u.v) I;
 * vertices 0 and 1 see u with signs -, +, vertices 2 and 3 see v. */
double edge_cross2_hessian(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double gradient[12],
                           double hessian[144])
{
    vec3 uv = vec3_sub(a1, a0), vv = vec3_sub(b1, b0);
    const double u[3] = {uv.x, uv.y, uv.z}, v[3] = {vv.x, vv.y, vv.z};
    double u2 = 2.0 * vec3_norm2(uv), v2 = 2.0 * vec3_norm2(vv), dot2 = 2.0 * vec3_dot(uv, vv);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            double unit = r == c ? 1.0 : 0.0;
            double c_uu = v2 * unit - 2.0 * v[r] * v[c];
            double c_vv = u2 * unit - 2.0 * u[r] * u[c];
            double c_uv = 4.0 * u[r] * v[c] - 2.0 * v[r] * u[c] - dot2 * unit;
            double c_vu = 4.0 * v[r] * u[c] - 2.0 * u[r] * v[c] - dot2 * unit;
            double *top = hessian + 12 * r + c, *bottom = top + 72;
            top[0] = top[39] = c_uu;
            top[3] = top[36] = -c_uu;
            top[6] = top[45] = c_uv;
            top[9] = top[42] = -c_uv;
            bottom[0] = bottom[39] = c_vu;
            bottom[3] = bottom[36] = -c_vu;
            bottom[6] = bottom[45] = c_vv;
            bottom[9] = bottom[42] = -c_vv;
        }
    return edge_cross2_gradient(a0, a1, b0, b1, gradient);
}

double edge_mollifier(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double threshold)
{
    return mollifier_value(edge_cross2(a0, a1, b0, b1), threshold);
}

double edge_mollifier_gradient(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double threshold,
                               double gradient[12])
{
    double c = edge_cross2_gradient(a0, a1, b0, b1, gradient);
    double first = mollifier_first(c, threshold);
    for (int i = 0; i < 12; i++) gradient[i] *= first;
    return mollifier_value(c, threshold);
}

double edge_mollifier_hessian(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double threshold,
                              double gradient[12], double hessian[144])
{
    double c = edge_cross2_hessian(a0, a1, b0, b1, gradient, hessian);
    double first = mollifier_first(c, threshold), second = mollifier_second(c, threshold);
    for (int i = 0; i < 12; i++) {
        double factor = second * gradient[i];
        for (int j = 0; j < 12; j++)
            hessian[12 * i + j] = factor * gradient[j] + first * hessian[12 * i + j];
    }
    for (int i = 0; i < 12; i++) gradient[i] *= first;
    return mollifier_value(c, threshold);
}
