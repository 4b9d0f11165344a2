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

void view_start(camera_view *view, const mat3 *world, double yaw, double pitch, double aspect,
                double left_margin)
{
    const double half_angle = 14.0 * degree, margin = 1.06;
    double cy = cos(yaw * degree), sy = sin(yaw * degree);
    double cp = cos(pitch * degree), sp = sin(pitch * degree);
    vec3 right = mat3_column(*world, 0), up = mat3_column(*world, 1),
         front = mat3_column(*world, 2);
    vec3 flat = vec3_mul_add(vec3_scale(cy, front), sy, right);
    view->forward = vec3_neg(vec3_mul_add(vec3_scale(cp, flat), sp, up));
    view->right = vec3_mul_add(vec3_scale(cy, right), -sy, front);
    view->up = vec3_cross(view->right, view->forward);
    view->tangent_y = tan(half_angle) / fmax(1.0, 1.0 / aspect) / margin;
    view->tangent_x = view->tangent_y * aspect * (1.0 - left_margin);
    view->left_margin = left_margin;
    for (int i = 0; i < 4; i++) view->reach[i] = -INFINITY;
    view->nearest = INFINITY;
    view->farthest = -INFINITY;
}

void view_add(camera_view *view, vec3 point)
{
    double x = vec3_dot(point, view->right), y = vec3_dot(point, view->up);
    double z = vec3_dot(point, view->forward);
    double *reach = view->reach;
    reach[0] = fmax(reach[0], x - z * view->tangent_x);
    reach[1] = fmax(reach[1], -x - z * view->tangent_x);
    reach[2] = fmax(reach[2], y - z * view->tangent_y);
    reach[3] = fmax(reach[3], -y - z * view->tangent_y);
    view->nearest = fmin(view->nearest, z);
    view->farthest = fmax(view->farthest, z);
}

/* A point is in the picture when |x - eye_x| <= (z - eye_z) tx, the same for y. The reaches turn
 * that into: reach[0] <= eye_x - eye_z tx and reach[1] <= -eye_x - eye_z tx. */
camera camera_fit(const camera_view *view, double radius, double distance)
{
    const double *reach = view->reach;
    double tx = view->tangent_x, ty = view->tangent_y, margin = 1.06;
    double x = 0.5 * (reach[0] - reach[1]), y = 0.5 * (reach[2] - reach[3]);
    double grow_x = radius * sqrt(1.0 + tx * tx), grow_y = radius * sqrt(1.0 + ty * ty);
    double z = fmin(-(0.5 * (reach[0] + reach[1]) + grow_x) / tx,
                    -(0.5 * (reach[2] + reach[3]) + grow_y) / ty);
    double near = view->nearest - radius, far = view->farthest + radius, depth = far - near;
    z = fmin(z, near - 1e-3 * depth);
    double middle = 0.5 * (near + far);
    z = middle - distance * (middle - z);
    camera c = {.right = view->right,
                .up = view->up,
                .forward = view->forward,
                .tangent_x = tx * margin / (1.0 - view->left_margin),
                .tangent_y = ty * margin};
    c.eye = vec3_mul_add(vec3_mul_add(vec3_scale(x, c.right), y, c.up), z, c.forward);
    c.near = fmin(0.9 * (near - z), 0.02 * (middle - z)); /* the ground comes close */
    c.far = 2.0 * (far - z) + 20.0 * (depth + (middle - z) * tx);
    return c;
}

double camera_orbit_distance(const mat3 *world, double pitch, double aspect, vec3 offset)
{
    /* While the angle goes round, a point moves on a circle: sideways, and to and fro. */
    camera_view view;
    view_start(&view, world, 0.0, pitch, aspect, 0.0);
    vec3 up = mat3_column(*world, 1);
    double height = vec3_dot(offset, up);
    double radius = vec3_norm(vec3_mul_add(offset, -height, up));
    double cp = cos(pitch * degree), sp = sin(pitch * degree), least = 0.0;
    for (int i = 0; i < 72; i++) {
        double angle = 5.0 * degree * i, side = radius * sin(angle), front = radius * cos(angle);
        double x = fabs(side), y = fabs(height * cp - front * sp);
        double z = -(height * sp + front * cp); /* away from the eye */
        least = fmax(least, fmax(x / view.tangent_x - z, y / view.tangent_y - z));
    }
    return least;
}

camera camera_orbit(const mat3 *world, double yaw, double pitch, vec3 center, double distance,
                    double aspect, double reach)
{
    const double margin = 1.06;
    camera_view view;
    view_start(&view, world, yaw, pitch, aspect, 0.0);
    camera c = {.eye = vec3_mul_add(center, -distance, view.forward),
                .right = view.right,
                .up = view.up,
                .forward = view.forward,
                .tangent_x = view.tangent_x * margin,
                .tangent_y = view.tangent_y * margin};
    c.near = fmin(0.9 * fmax(distance - reach, 0.02 * distance), 0.02 * distance);
    c.far = 2.0 * (distance + reach) + 20.0 * (2.0 * reach + distance * view.tangent_x);
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
