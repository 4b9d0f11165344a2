#include "output/camera.h"

static const double degree = 0.017453292519943295;

/* Rows are the clip coordinates as functions of (x, y, z, 1). */
static matrix4 matrix_from_rows(double rows[4][4])
{
    matrix4 result;
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            result.m[4 * column + row] = (float)rows[row][column];
    return result;
}

static void set_row(double row[4], double scale, vec3 axis, vec3 origin)
{
    row[0] = scale * axis.x;
    row[1] = scale * axis.y;
    row[2] = scale * axis.z;
    row[3] = -scale * vec3_dot(axis, origin);
}

/* Smallest distance from the middle and best sideways shift so that every corner, at x sideways and
 * z in front of the middle, satisfies |x - shift| <= (distance + z) tangent. */
static double fit_axis(const double x[8], const double z[8], double tangent, double *shift)
{
    double right = -INFINITY, left = -INFINITY;
    for (int i = 0; i < 8; i++) {
        right = fmax(right, x[i] - z[i] * tangent);
        left = fmax(left, -x[i] - z[i] * tangent);
    }
    *shift = 0.5 * (right - left);
    return 0.5 * (right + left) / tangent;
}

camera camera_fit(const mat3 *world, double yaw, double pitch, double distance, double aspect,
                  vec3 low, vec3 high)
{
    const double half_angle = 14.0 * degree, margin = 1.06;
    camera c = {0};
    double cy = cos(yaw * degree), sy = sin(yaw * degree);
    double cp = cos(pitch * degree), sp = sin(pitch * degree);
    vec3 right = mat3_column(*world, 0), up = mat3_column(*world, 1),
         front = mat3_column(*world, 2);
    vec3 flat = vec3_mul_add(vec3_scale(cy, front), sy, right);
    c.forward = vec3_neg(vec3_mul_add(vec3_scale(cp, flat), sp, up));
    c.right = vec3_mul_add(vec3_scale(cy, right), -sy, front);
    c.up = vec3_cross(c.right, c.forward);
    c.tangent_y = tan(half_angle) / fmax(1.0, 1.0 / aspect);
    c.tangent_x = c.tangent_y * aspect;
    vec3 middle = vec3_scale(0.5, vec3_add(low, high));
    double x[8], y[8], z[8], shift_x, shift_y;
    for (int i = 0; i < 8; i++) {
        vec3 corner = {i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z};
        vec3 offset = vec3_sub(corner, middle);
        x[i] = vec3_dot(offset, c.right);
        y[i] = vec3_dot(offset, c.up);
        z[i] = vec3_dot(offset, c.forward);
    }
    double fit_x = fit_axis(x, z, c.tangent_x / margin, &shift_x);
    double fit_y = fit_axis(y, z, c.tangent_y / margin, &shift_y);
    double radius = 0.5 * vec3_norm(vec3_sub(high, low));
    double away = distance * fmax(fmax(fit_x, fit_y), 1e-3 * radius);
    c.eye = vec3_mul_add(vec3_mul_add(middle, shift_x, c.right), shift_y, c.up);
    c.eye = vec3_mul_add(c.eye, -away, c.forward);
    c.near = fmax(away - 1.5 * radius, 0.02 * away);
    c.far = away + 20.0 * radius;
    return c;
}

matrix4 camera_matrix(const camera *c, double shift_x, double shift_y)
{
    double rows[4][4], depth_scale = (c->far + c->near) / (c->far - c->near);
    set_row(rows[0], 1.0 / c->tangent_x, c->right, c->eye);
    set_row(rows[1], 1.0 / c->tangent_y, c->up, c->eye);
    set_row(rows[2], depth_scale, c->forward, c->eye);
    rows[2][3] -= 2.0 * c->far * c->near / (c->far - c->near);
    set_row(rows[3], 1.0, c->forward, c->eye);
    for (int i = 0; i < 4; i++) {
        rows[0][i] += shift_x * rows[3][i];
        rows[1][i] += shift_y * rows[3][i];
    }
    return matrix_from_rows(rows);
}

matrix4 light_matrix(vec3 direction, vec3 center, double radius)
{
    vec3 helper = fabs(direction.x) < 0.6 ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0);
    vec3 right = vec3_normalize(vec3_cross(helper, direction));
    vec3 up = vec3_cross(direction, right);
    double rows[4][4] = {{0}};
    set_row(rows[0], 1.0 / radius, right, center);
    set_row(rows[1], 1.0 / radius, up, center);
    set_row(rows[2], -1.0 / radius, direction, center);
    rows[3][3] = 1.0;
    return matrix_from_rows(rows);
}
