#include "material/strain_limit.h"

#include "math/svd.h"

#include <stddef.h>

/* One side: a = shat - sigma, c = s - sigma, u = s - shat; b = -(a/u)^2 ln(c/u) beyond shat. The
 * lower limit is the same with all signs turned. */
typedef struct side {
    double a, c, u;
    bool active;
} side;

static side upper_side(const strain_limit *l, double sigma)
{
    if (!isfinite(l->upper) || sigma <= l->upper_start) return (side){0};
    return (side){l->upper_start - sigma, l->upper - sigma, l->upper - l->upper_start, true};
}

static side lower_side(const strain_limit *l, double sigma)
{
    if (!(l->lower > 0) || sigma >= l->lower_start) return (side){0};
    return (side){sigma - l->lower_start, sigma - l->lower, l->lower_start - l->lower, true};
}

static double side_value(side k)
{
    if (!k.active) return 0;
    if (!(k.c > 0)) return INFINITY;
    return -(k.a / k.u) * (k.a / k.u) * log(k.c / k.u);
}

static double side_first(side k)
{
    return k.active ? (2 * k.a * log(k.c / k.u) + k.a * k.a / k.c) / (k.u * k.u) : 0;
}

static double side_second(side k)
{
    return k.active ? (-2 * log(k.c / k.u) + k.a / k.c * (k.a / k.c - 4)) / (k.u * k.u) : 0;
}

double strain_limit_value(const strain_limit *l, double sigma)
{
    return side_value(upper_side(l, sigma)) + side_value(lower_side(l, sigma));
}

double strain_limit_first(const strain_limit *l, double sigma)
{
    return side_first(upper_side(l, sigma)) - side_first(lower_side(l, sigma));
}

double strain_limit_second(const strain_limit *l, double sigma)
{
    return side_second(upper_side(l, sigma)) + side_second(lower_side(l, sigma));
}

/* Whether both singular values are certainly below `sigma`, by the signs of the minors of
 * sigma^2 - F^T F: no root, no eigenvectors. */
static bool all_below(double sigma, vec3 f0, vec3 f1)
{
    double bound = sigma * sigma * (1 - 1e-12);
    double a = bound - vec3_norm2(f0), b = bound - vec3_norm2(f1), c = vec3_dot(f0, f1);
    return a > 0 && b > 0 && a * b > c * c;
}

/* The lower limit is asked for rarely. */
static bool nothing_to_do(const strain_limit *l, vec3 f0, vec3 f1)
{
    return l->lower <= 0 && all_below(l->upper_start, f0, f1);
}

double strain_limit_energy(const strain_limit *l, vec3 f0, vec3 f1)
{
    double s[2];
    if (nothing_to_do(l, f0, f1)) return 0;
    svd32_values(f0, f1, s);
    return strain_limit_value(l, s[0]) + strain_limit_value(l, s[1]);
}

/* (b'(s0) - b'(s1)) / (s0 - s1); the curvature in the middle when they are too close for that. */
static double divided_difference(const strain_limit *l, const double s[2], const double first[2])
{
    double width = s[0] - s[1], room = INFINITY;
    if (isfinite(l->upper)) room = l->upper - s[0];
    if (l->lower > 0) room = fmin(room, s[1] - l->lower);
    if (width < 1e-4 * room) return strain_limit_second(l, 0.5 * (s[0] + s[1]));
    return (first[0] - first[1]) / width;
}

bool strain_limit_derivatives(const strain_limit *l, vec3 f0, vec3 f1, vec3 stress[2],
                              membrane_spectrum *out)
{
    mat3 u;
    double s[2], v[4], first[2];
    if (nothing_to_do(l, f0, f1)) return false;
    svd32(f0, f1, &u, s, v);
    for (int i = 0; i < 2; i++) first[i] = strain_limit_first(l, s[i]);
    if (first[0] == 0 && first[1] == 0) return false;
    if (stress) {
        vec3 u0 = vec3_scale(first[0], mat3_column(u, 0));
        vec3 u1 = vec3_scale(first[1], mat3_column(u, 1));
        stress[0] = vec3_add(vec3_scale(v[0], u0), vec3_scale(v[1], u1));
        stress[1] = vec3_add(vec3_scale(v[2], u0), vec3_scale(v[3], u1));
    }
    if (!out) return true;
    *out = (membrane_spectrum){.u = u, .v = {v[0], v[1], v[2], v[3]}};
    out->diagonal[0] = strain_limit_second(l, s[0]);
    out->diagonal[2] = strain_limit_second(l, s[1]);
    out->twist = (first[0] + first[1]) / (s[0] + s[1]);
    out->flip = divided_difference(l, s, first);
    for (int i = 0; i < 2; i++) out->normal[i] = s[i] > 0 ? first[i] / s[i] : 0;
    return true;
}

double strain_limit_room(const strain_limit *l, vec3 f0, vec3 f1)
{
    double s[2], room = INFINITY;
    svd32_values(f0, f1, s);
    if (isfinite(l->upper)) room = (l->upper - s[0]) / (l->upper - l->upper_start);
    if (l->lower > 0) room = fmin(room, (s[1] - l->lower) / (l->lower_start - l->lower));
    return room;
}

static void singular_values(vec3 f0, vec3 f1, vec3 d0, vec3 d1, double t, double s[2])
{
    svd32_values(vec3_mul_add(f0, t, d0), vec3_mul_add(f1, t, d1), s);
}

/* The chord between a feasible and an infeasible time lies above the convex function: where it
 * crosses the target, the function is below it. */
static double upper_step(const strain_limit *l, vec3 f0, vec3 f1, vec3 d0, vec3 d1, double keep,
                         double limit)
{
    double s[2], t = 0, now, target;
    singular_values(f0, f1, d0, d1, 0, s);
    now = s[0];
    target = l->upper - keep * (l->upper - now);
    if (now + limit * sqrt(vec3_norm2(d0) + vec3_norm2(d1)) < target) return limit;
    singular_values(f0, f1, d0, d1, limit, s);
    if (s[0] <= target) return limit;
    double beyond = limit, there = s[0];
    for (int k = 0; k < 24 && target - now > 0.05 * (l->upper - target); k++) {
        /* Chords are safe, bisection makes sure that they gain ground. */
        double share = k % 2 == 0 ? (target - now) / (there - now) : 0.5;
        double next = t + (beyond - t) * share;
        if (!(next > t && next < beyond)) break;
        singular_values(f0, f1, d0, d1, next, s);
        if (s[0] > target) {
            beyond = next;
            there = s[0];
        } else {
            t = next;
            now = s[0];
        }
    }
    return t;
}

double strain_limit_max_step(const strain_limit *l, vec3 f0, vec3 f1, vec3 d0, vec3 d1, double keep,
                             double limit)
{
    if (isfinite(l->upper)) limit = upper_step(l, f0, f1, d0, d1, keep, limit);
    if (!(l->lower > 0)) return limit;
    double s[2];
    singular_values(f0, f1, d0, d1, 0, s);
    double target = l->lower + keep * (s[1] - l->lower);
    for (int k = 0; k < 60; k++, limit *= 0.5) {
        singular_values(f0, f1, d0, d1, limit, s);
        if (s[1] >= target) break;
    }
    return limit;
}
