#include "contact/friction_by_lag.h"

#include "contact/barrier_stencil.h"

#include <math.h>

/* A number with its derivatives by the coordinates of up to four vertices. */
enum { COORDINATES = 12 };
typedef struct dual {
    double v, d[COORDINATES];
} dual;
typedef struct dual3 {
    dual c[3];
} dual3;

/* f(a, b) with the derivatives fa, fb. */
static dual chain(double v, double fa, const dual *a, double fb, const dual *b)
{
    dual out = {.v = v};
    for (int i = 0; i < COORDINATES; i++) out.d[i] = fa * a->d[i] + fb * b->d[i];
    return out;
}

static dual add(dual a, dual b) { return chain(a.v + b.v, 1, &a, 1, &b); }
static dual sub(dual a, dual b) { return chain(a.v - b.v, 1, &a, -1, &b); }
static dual mul(dual a, dual b) { return chain(a.v * b.v, b.v, &a, a.v, &b); }
static dual over(dual a, dual b) { return chain(a.v / b.v, 1 / b.v, &a, -a.v / (b.v * b.v), &b); }
static dual root(dual a) { return chain(sqrt(a.v), 0.5 / sqrt(a.v), &a, 0, &a); }
static dual constant(double v) { return (dual){.v = v}; }
static dual negative(dual a) { return chain(-a.v, -1, &a, 0, &a); }

static dual3 vertex_of(vec3 x, int index)
{
    dual3 out = {{constant(x.x), constant(x.y), constant(x.z)}};
    for (int k = 0; k < 3; k++) out.c[k].d[3 * index + k] = 1;
    return out;
}

static dual3 difference(const dual3 *a, const dual3 *b)
{
    return (dual3){{sub(a->c[0], b->c[0]), sub(a->c[1], b->c[1]), sub(a->c[2], b->c[2])}};
}

static dual dot(const dual3 *a, const dual3 *b)
{
    return add(mul(a->c[0], b->c[0]), add(mul(a->c[1], b->c[1]), mul(a->c[2], b->c[2])));
}

static dual3 cross(const dual3 *a, const dual3 *b)
{
    dual3 out;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out.c[k] = sub(mul(a->c[i], b->c[j]), mul(a->c[j], b->c[i]));
    }
    return out;
}

static dual3 scaled(dual s, const dual3 *a)
{
    return (dual3){{mul(s, a->c[0]), mul(s, a->c[1]), mul(s, a->c[2])}};
}

static dual3 unit(const dual3 *a) { return scaled(over(constant(1), root(dot(a, a))), a); }

/* sum of weight_k a_k, a_k constants. */
static dual3 weighted(const dual *weight, const vec3 *a, int count)
{
    dual3 sum = {{constant(0), constant(0), constant(0)}};
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 3; i++)
            sum.c[i] = add(sum.c[i], mul(weight[k], constant(vec3_get(a[k], i))));
    return sum;
}

/* What friction takes from the positions of a contact. */
typedef struct contact_geometry {
    dual weight[4];
    dual3 normal;
    dual distance2;
} contact_geometry;

static void point_point(const dual3 *x, contact_geometry *out)
{
    dual3 r = difference(&x[0], &x[1]);
    out->weight[0] = constant(1), out->weight[1] = constant(-1);
    out->normal = unit(&r);
    out->distance2 = dot(&r, &r);
}

static void point_edge(const dual3 *x, contact_geometry *out)
{
    dual3 e = difference(&x[2], &x[1]), a = difference(&x[0], &x[1]);
    dual t = over(dot(&a, &e), dot(&e, &e));
    dual3 along = scaled(t, &e), r = difference(&a, &along);
    out->weight[0] = constant(1);
    out->weight[1] = sub(t, constant(1));
    out->weight[2] = negative(t);
    out->normal = unit(&r);
    out->distance2 = dot(&r, &r);
}

/* The normal from a cross product: no cancellation where the gap is tiny. */
static void take_plane(const dual3 *u, const dual3 *v, const dual3 *gap, contact_geometry *out)
{
    dual3 n = cross(u, v);
    out->normal = unit(&n);
    dual d = dot(gap, &out->normal);
    out->distance2 = mul(d, d);
}

static void point_triangle(const dual3 *x, contact_geometry *out)
{
    dual3 u = difference(&x[2], &x[1]), v = difference(&x[3], &x[1]), p = difference(&x[0], &x[1]);
    dual uu = dot(&u, &u), uv = dot(&u, &v), vv = dot(&v, &v), pu = dot(&p, &u), pv = dot(&p, &v);
    dual determinant = sub(mul(uu, vv), mul(uv, uv));
    dual a = over(sub(mul(vv, pu), mul(uv, pv)), determinant);
    dual b = over(sub(mul(uu, pv), mul(uv, pu)), determinant);
    out->weight[0] = constant(1);
    out->weight[1] = sub(add(a, b), constant(1));
    out->weight[2] = negative(a);
    out->weight[3] = negative(b);
    take_plane(&u, &v, &p, out);
}

static void edge_edge(const dual3 *x, contact_geometry *out)
{
    dual3 u = difference(&x[1], &x[0]), v = difference(&x[3], &x[2]), p = difference(&x[0], &x[2]);
    dual uu = dot(&u, &u), uv = dot(&u, &v), vv = dot(&v, &v), pu = dot(&p, &u), pv = dot(&p, &v);
    dual determinant = sub(mul(uu, vv), mul(uv, uv));
    dual s = over(sub(mul(uv, pv), mul(vv, pu)), determinant);
    dual t = over(sub(mul(uu, pv), mul(uv, pu)), determinant);
    out->weight[0] = sub(constant(1), s);
    out->weight[1] = s;
    out->weight[2] = sub(t, constant(1));
    out->weight[3] = negative(t);
    take_plane(&u, &v, &p, out);
}

/* The size of the normal force as a function of the squared distance, and its derivative. */
static void normal_force(const contact_term *c, double kappa, double distance2, double thickness,
                         double multiplicity, double *force, double *derivative)
{
    double shat = c->options.dhat * c->options.dhat, d = sqrt(distance2);
    barrier_kind kind = c->options.barrier;
    double s = stencil_offset2(distance2, thickness), reach = stencil_reach2(shat, thickness);
    double factor = kappa * multiplicity * barrier_thickness_scale(kind, shat, reach);
    double first = barrier_first(kind, s, reach), second = barrier_second(kind, s, reach);
    *force = -factor * first * 2 * d;
    *derivative = -factor * (2 * d * second + first / d);
}

/* f1(|u|) / |u| */
static dual law_of(const friction_term *t, const dual3 *u)
{
    dual square = dot(u, u);
    if (!(square.v > 0)) return constant(friction_f1_over_y(t->kind, 0, t->eps));
    dual y = root(square);
    double value = friction_f1_over_y(t->kind, y.v, t->eps);
    double slope = (friction_f1_prime(t->kind, y.v, t->eps) - value) / y.v;
    return chain(value, slope, &y, 0, &y);
}

static void add_stencil(const friction_term *t, double kappa, stencil_kind kind,
                        const contact_stencil *s, double mu, const vec3 *moved,
                        const vec3 *direction, vec3 *out)
{
    const contact_term *c = t->contact;
    int width = stencil_size(kind);
    vec3 m[4], w[4];
    dual3 x[4];
    contact_geometry at;
    for (int k = 0; k < width; k++) {
        x[k] = vertex_of(c->y[s->vertex[k]], k);
        m[k] = moved[s->vertex[k]];
        w[k] = direction[s->vertex[k]];
    }
    switch (kind) {
    case STENCIL_PP: point_point(x, &at); break;
    case STENCIL_PE: point_edge(x, &at); break;
    case STENCIL_PT: point_triangle(x, &at); break;
    case STENCIL_EE: edge_edge(x, &at); break;
    }
    double force, slope;
    normal_force(c, kappa, s->distance2, s->thickness, s->multiplicity, &force, &slope);
    dual lambda = chain(mu * force, mu * slope, &at.distance2, 0, &at.distance2);
    dual3 r = weighted(at.weight, m, width), rw = weighted(at.weight, w, width);
    dual3 across = scaled(dot(&at.normal, &r), &at.normal), u = difference(&r, &across);
    dual work = mul(mul(lambda, law_of(t, &u)), dot(&u, &rw));
    for (int k = 0; k < width; k++)
        out[s->vertex[k]] = vec3_add(out[s->vertex[k]], vec3_load(work.d + 3 * k));
}

static void add_list(const friction_term *t, double kappa, stencil_list list, stencil_kind kind,
                     const vec3 *moved, const vec3 *direction, vec3 *out)
{
    const contact_term *c = t->contact;
    const int32_t *body = c->model->surface.vertex_body.data;
    int second = kind == STENCIL_EE ? 2 : 1;
    for (size_t i = 0; i < c->active.lists[list].count; i++) {
        const contact_stencil *s = &c->active.lists[list].data[i];
        double mu = friction_between(t, body[s->vertex[0]], body[s->vertex[second]]);
        if (mu > 0) add_stencil(t, kappa, kind, s, mu, moved, direction, out);
    }
}

/* The normal of a half-space is fixed: only the normal force depends on the position. */
static void add_planes(const friction_term *t, double kappa, const vec3 *moved,
                       const vec3 *direction, vec3 *out)
{
    const contact_term *c = t->contact;
    const int32_t *body = c->model->surface.vertex_body.data;
    for (size_t i = 0; i < c->plane_contacts.count; i++) {
        const plane_contact *p = &c->plane_contacts.data[i];
        const half_space *plane = &c->planes.data[p->plane];
        double mu = friction_on_plane(t, body[p->vertex], p->plane), force, slope;
        if (mu <= 0) continue;
        normal_force(c, kappa, p->distance * p->distance, p->thickness, p->weight, &force, &slope);
        vec3 r = vec3_mul_add(moved[p->vertex], -t->h, plane->velocity);
        vec3 u = vec3_mul_add(r, -vec3_dot(r, plane->normal), plane->normal);
        double law = friction_f1_over_y(t->kind, vec3_norm(u), t->eps);
        double work = mu * slope * 2 * p->distance * law * vec3_dot(u, direction[p->vertex]);
        out[p->vertex] = vec3_mul_add(out[p->vertex], work, plane->normal);
    }
}

void friction_by_lag(const friction_term *t, double kappa, const vec3 *moved, const vec3 *direction,
                     vec3 *out)
{
    add_planes(t, kappa, moved, direction, out);
    add_list(t, kappa, LIST_PP, STENCIL_PP, moved, direction, out);
    add_list(t, kappa, LIST_PE, STENCIL_PE, moved, direction, out);
    add_list(t, kappa, LIST_PT, STENCIL_PT, moved, direction, out);
    add_list(t, kappa, LIST_EE, STENCIL_EE, moved, direction, out);
}

void friction_by_start(const friction_term *t, const vec3 *moved, const vec3 *direction, vec3 *out)
{
    friction_law law = {t->kind, t->eps, 1};
    for (int list = 0; list < FRICTION_LISTS; list++)
        for (size_t i = 0; i < t->lists[list].count; i++) {
            const friction_stencil *s = &t->lists[list].data[i];
            mat3 core = friction_stencil_derivatives(&law, s, moved, NULL);
            vec3 w = {0};
            for (int k = 0; k < s->frame.count; k++)
                w = vec3_mul_add(w, s->frame.weight[k], direction[s->vertex[k]]);
            w = mat3_mul_vec(core, w);
            for (int k = 0; k < s->frame.count; k++)
                out[s->vertex[k]] = vec3_mul_add(out[s->vertex[k]], -s->frame.weight[k], w);
        }
}
