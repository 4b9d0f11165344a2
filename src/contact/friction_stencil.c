#include "contact/friction_stencil.h"

#include <math.h>
#include <string.h>

const char *const friction_kind_words[] = {FRICTION_KINDS(WORD_TEXT) NULL};

/* Integral of f1 with f0(eps) = eps. */
double friction_f0(friction_kind kind, double y, double eps)
{
    if (y >= eps) return y;
    double r = y / eps;
    switch (kind) {
    case FRICTION_C0: return eps * (r * r / 2 + 0.5);
    case FRICTION_C2: return eps * (r * r * (r * r / 4 - r + 1.5) + 0.25);
    case FRICTION_C1: break;
    }
    return eps * (r * r * (1 - r / 3) + 1.0 / 3);
}

double friction_f1_over_y(friction_kind kind, double y, double eps)
{
    if (y >= eps) return 1 / y;
    double r = y / eps;
    switch (kind) {
    case FRICTION_C0: return 1 / eps;
    case FRICTION_C2: return (r * r - 3 * r + 3) / eps;
    case FRICTION_C1: break;
    }
    return (2 - r) / eps;
}

double friction_f1_prime(friction_kind kind, double y, double eps)
{
    if (y >= eps) return 0;
    double r = y / eps;
    switch (kind) {
    case FRICTION_C0: return 1 / eps;
    case FRICTION_C2: return 3 * (1 - r) * (1 - r) / eps;
    case FRICTION_C1: break;
    }
    return 2 * (1 - r) / eps;
}

void friction_displacement(const friction_stencil *s, const vec3 *moved, double u[2])
{
    vec3 dx[4];
    for (int k = 0; k < s->frame.count; k++) dx[k] = moved[s->vertex[k]];
    if (s->frame.count == 1) dx[0] = vec3_sub(dx[0], s->slide);
    tangent_displacement(&s->frame, dx, u);
    for (int c = 0; c < 2; c++) u[c] += s->anchor[c];
}

double friction_stencil_value(const friction_law *law, const friction_stencil *s, const vec3 *moved)
{
    double u[2];
    friction_displacement(s, moved, u);
    double y = hypot(u[0], u[1]);
    return law->factor * (s->force * friction_f0(law->kind, y, law->eps) +
                          friction_slip_energy(&s->slip, y, law->eps).value);
}

/* Force by displacement, f1 / y times the normal force. */
static double chord_stiffness(const friction_law *law, const friction_stencil *s, double y)
{
    double beyond = y > law->eps ? friction_slip_energy(&s->slip, y, law->eps).slope / y : 0;
    return law->factor * (s->force * friction_f1_over_y(law->kind, y, law->eps) + beyond);
}

/* The 2x2 tangential stiffness: f1' along u, f1/y across; both are >= 0 for the smoothed laws, and
 * 0 along where friction falls with the speed. Of contacts that have turned f1/y in both
 * directions, at least as stiff as the law is anywhere nearer to the origin. Corrections of sums
 * (max_operator.h) are negative; their curvature is left out. */
static void tangential_stiffness(const friction_law *law, const friction_stencil *s,
                                 const double u[2], double m[4])
{
    double y = hypot(u[0], u[1]);
    double across = fmax(0, chord_stiffness(law, s, y)), along = across;
    if (s->turned == 0)
        along = fmax(0, law->factor * (s->force * friction_f1_prime(law->kind, y, law->eps) +
                                       friction_slip_energy(&s->slip, y, law->eps).bend));
    double cosine = y > 0 ? u[0] / y : 1, sine = y > 0 ? u[1] / y : 0;
    m[0] = along * cosine * cosine + across * sine * sine;
    m[1] = m[2] = (along - across) * cosine * sine;
    m[3] = along * sine * sine + across * cosine * cosine;
}

mat3 friction_stencil_derivatives(const friction_law *law, const friction_stencil *s,
                                  const vec3 *moved, double *gradient)
{
    double u[2], m[4];
    friction_displacement(s, moved, u);
    if (gradient) {
        double factor = chord_stiffness(law, s, hypot(u[0], u[1]));
        double f[2] = {factor * u[0], factor * u[1]};
        tangent_spread(&s->frame, f, gradient);
    }
    tangential_stiffness(law, s, u, m);
    vec3 c0 = s->frame.column[0], c1 = s->frame.column[1];
    return mat3_add(
        mat3_add(mat3_scale(m[0], mat3_outer(c0, c0)), mat3_scale(m[3], mat3_outer(c1, c1))),
        mat3_scale(m[1], mat3_add(mat3_outer(c0, c1), mat3_outer(c1, c0))));
}

void friction_store_blocks(const friction_stencil *s, mat3 core, double *blocks)
{
    for (int a = 0; a < s->frame.count; a++)
        for (int b = a; b < s->frame.count; b++, blocks += 9) {
            mat3 block = mat3_scale(s->frame.weight[a] * s->frame.weight[b], core);
            memcpy(blocks, block.m, sizeof block.m);
        }
}
