#include "term/surface_load.h"

#include "base/parallel.h"
#include "fem/lagrange.h"
#include "material/elastic.h"

#include <math.h>
#include <string.h>

/* A point of a side: position, and tangents along the coordinates of the side. In the plane the
 * second is the unit vector along z. */
typedef struct side_point {
    vec3 x, u, v;
} side_point;

static const double *point_values(const load_sides *s, int point)
{
    return s->value + (size_t)point * (size_t)s->nodes;
}

static const double (*point_gradients(const load_sides *s, int point))[3]
{
    return (const double(*)[3])(s->gradient + (size_t)point * (size_t)s->nodes);
}

static side_point locate(const load_sides *s, size_t number, int point, const double *x)
{
    const int32_t *blocks = s->blocks.data + number * (size_t)s->nodes;
    const double *value = point_values(s, point);
    const double(*gradient)[3] = point_gradients(s, point);
    side_point at = {0};
    for (int a = 0; a < s->nodes; a++) {
        vec3 node = vec3_load(x + 3 * (size_t)blocks[a]);
        at.x = vec3_mul_add(at.x, value[a], node);
        at.u = vec3_mul_add(at.u, gradient[a][0], node);
        at.v = vec3_mul_add(at.v, gradient[a][1], node);
    }
    if (s->kind == CELL_EDGE) at.v = (vec3){0, 0, 1};
    return at;
}

static double share(const load_sides *s) { return s->kind == CELL_EDGE ? 0.5 : 1.0 / 3; }

/* ---------------------------------------------------------------------------------------------- */
/* Pressure                                                                                       */

typedef struct value_work {
    const surface_load_term *t;
    const load_sides *s;
    const double *x;
} value_work;

static double side_energy(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        for (int q = 0; q < w->s->rule.count; q++) {
            double p = w->s->pressure.data[i * (size_t)w->s->rule.count + (size_t)q];
            if (p == 0) continue;
            side_point at = locate(w->s, i, q, w->x);
            vec3 arm = vec3_sub(at.x, w->t->center);
            sum += p * share(w->s) * vec3_dot(arm, vec3_cross(at.u, at.v));
        }
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    const surface_load_term *t = (const surface_load_term *)base;
    double sum = 0;
    for (int g = 0; g < base->group_count; g++) {
        value_work work = {t, &t->sides[g], x};
        sum += parallel_sum(t->sides[g].load.count, side_energy, &work);
    }
    return ev->force_factor * sum;
}

/* Derivatives of arm . (u x v) in the three vectors. */
static void triple_gradient(vec3 arm, side_point at, vec3 out[3])
{
    out[0] = vec3_cross(at.u, at.v);
    out[1] = vec3_cross(at.v, arm);
    out[2] = vec3_cross(arm, at.u);
}

/* Hessian of factor arm . (u x v) in the three vectors: that of a determinant, whose
 * columns they are; projected where asked for. In the plane v does not move, and the Hessian has
 * two blocks A = -factor [v]x off its diagonal: their singular values are |factor| |v|, twice, and
 * 0. */
static void triple_hessian(vec3 arm, side_point at, double factor, bool planar, bool project,
                           double *out)
{
    memset(out, 0, 81 * sizeof *out);
    if (planar) {
        vec3 w = at.v;
        double length = vec3_norm(w), half = project ? 0.5 * factor : 0, along[3] = {w.x, w.y, w.z};
        const double cross[3][3] = {{0, w.z, -w.y}, {-w.z, 0, w.x}, {w.y, -w.x, 0}};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                double across =
                    (r == c) - (length > 0 ? along[r] * along[c] / (length * length) : 0);
                out[9 * r + c] = out[9 * (3 + r) + 3 + c] = fabs(half) * length * across;
                out[9 * r + 3 + c] = out[9 * (3 + c) + r] = (factor - half) * cross[r][c];
            }
        return;
    }
    elastic_spectrum spectrum;
    double by_entry[81];
    determinant_spectrum(mat3_from_columns(arm, at.u, at.v), factor, 0, project, &spectrum);
    elastic_spectrum_expand(&spectrum, by_entry);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) /* entry (row, column) is component `row` of vector `column` */
            out[9 * (3 * (i % 3) + i / 3) + 3 * (j % 3) + j / 3] = by_entry[9 * i + j];
}

/* What the three vectors depend on a node by. */
static void node_factors(const load_sides *s, int point, int node, double out[3])
{
    out[0] = point_values(s, point)[node];
    out[1] = point_gradients(s, point)[node][0];
    out[2] = s->kind == CELL_EDGE ? 0 : point_gradients(s, point)[node][1];
}

static void add_hessian(const load_sides *s, int point, const double *local, double *hessian)
{
    for (int a = 0; a < s->nodes; a++) {
        double fa[3], fb[3];
        node_factors(s, point, a, fa);
        for (int b = a; b < s->nodes; b++, hessian += 9) {
            node_factors(s, point, b, fb);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double f = fa[i] * fb[j];
                    if (f == 0) continue;
                    for (int r = 0; r < 3; r++)
                        for (int c = 0; c < 3; c++)
                            hessian[3 * r + c] += f * local[9 * (3 * i + r) + 3 * j + c];
                }
        }
    }
}

/* Of V without the border's part. */
static void side_gradient(const surface_load_term *t, const load_sides *s, size_t number,
                          const double *x, double *out)
{
    memset(out, 0, 3 * (size_t)s->nodes * sizeof *out);
    for (int q = 0; q < s->rule.count; q++) {
        double p = s->pressure.data[number * (size_t)s->rule.count + (size_t)q];
        if (p == 0) continue;
        side_point at = locate(s, number, q, x);
        vec3 part[3];
        triple_gradient(vec3_sub(at.x, t->center), at, part);
        for (int a = 0; a < s->nodes; a++) {
            double f[3];
            node_factors(s, q, a, f);
            vec3 sum = vec3_scale(f[0], part[0]);
            sum = vec3_mul_add(sum, f[1], part[1]);
            sum = vec3_mul_add(sum, f[2], part[2]);
            vec3_store(out + 3 * a, vec3_mul_add(vec3_load(out + 3 * a), p * share(s), sum));
        }
    }
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const surface_load_term *t = (const surface_load_term *)base;
    const load_sides *s = &t->sides[group];
    size_t width = (size_t)s->nodes, pairs = width * (width + 1) / 2;
    for (size_t i = begin; i < end; i++) {
        if (gradient) {
            double *g = gradient + 3 * width * (i - begin);
            side_gradient(t, s, i, x, g);
            for (size_t k = 0; k < 3 * width; k++) g[k] *= ev->force_factor;
        }
        if (!hessian) continue;
        double *h = hessian + 9 * pairs * (i - begin), local[81];
        memset(h, 0, 9 * pairs * sizeof *h);
        for (int q = 0; q < s->rule.count; q++) {
            double p = s->pressure.data[i * (size_t)s->rule.count + (size_t)q];
            if (p == 0) continue;
            side_point at = locate(s, i, q, x);
            triple_hessian(vec3_sub(at.x, t->center), at, ev->force_factor * p * share(s),
                           s->kind == CELL_EDGE, !ev->exact, local);
            add_hessian(s, q, local, h);
        }
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* A step                                                                                         */

static vec3 evaluate(const surface_load *load, vec3 x, double time)
{
    double v[3] = {0};
    for (int k = 0; k < 3 && load->value[k]; k++)
        v[k] = expression_value(load->value[k], x.x, x.y, x.z, time);
    return (vec3){v[0], v[1], v[2]};
}

/* Whether a load acts in a step. */
static bool acts(const surface_load *load, double start, double end)
{
    double slack = 1e-9 * (end - start);
    return start >= load->from - slack && start < load->until - slack;
}

/* Point values of the pressure. */
static void set_pressures(const surface_load_term *t, load_sides *s, double start, double end)
{
    const double *rest = (const double *)t->model->rest.data;
    double *p = s->pressure.data;
    for (size_t i = 0; i < s->load.count; i++) {
        const surface_load *load = &t->loads.data[s->load.data[i]];
        bool now = acts(load, start, end);
        for (int q = 0; q < s->rule.count; q++, p++)
            *p = now ? s->rule.weights[q] * evaluate(load, locate(s, i, q, rest).x, end).x : 0;
    }
}

static void add_tractions(const surface_load_term *t, const load_sides *s, double start, double end,
                          double *force)
{
    const double *rest = (const double *)t->model->rest.data;
    for (size_t i = 0; i < s->load.count; i++) {
        const surface_load *load = &t->loads.data[s->load.data[i]];
        if (!acts(load, start, end)) continue;
        for (int q = 0; q < s->rule.count; q++) {
            side_point at = locate(s, i, q, rest);
            vec3 now = evaluate(load, at.x, end), area = vec3_cross(at.u, at.v);
            vec3 traction = load->kind == TRACTION_NORMAL ? vec3_scale(now.x, area)
                                                          : vec3_scale(vec3_norm(area), now);
            for (int a = 0; a < s->nodes; a++) {
                double *f = force + 3 * (size_t)s->blocks.data[i * (size_t)s->nodes + (size_t)a];
                double factor = s->rule.weights[q] * point_values(s, q)[a];
                vec3_store(f, vec3_mul_add(vec3_load(f), factor, traction));
            }
        }
    }
}

/* Middle of the sides under pressure. */
static vec3 loaded_center(const surface_load_term *t, const double *x)
{
    vec3 sum = {0};
    double count = 0;
    for (int g = 0; g < t->base.group_count; g++) {
        const load_sides *s = &t->sides[g];
        for (size_t i = 0; i < s->blocks.count; i++)
            sum = vec3_add(sum, vec3_load(x + 3 * (size_t)s->blocks.data[i]));
        count += (double)s->blocks.count;
    }
    return count > 0 ? vec3_scale(1 / count, sum) : sum;
}

/* What the gradient of p V has beyond p n da. */
static void add_border(const surface_load_term *t, const load_sides *s, const double *x,
                       double *force)
{
    for (size_t i = 0; i < s->load.count; i++) {
        double g[3 * CELL_MAX_NODES];
        side_gradient(t, s, i, x, g);
        for (int q = 0; q < s->rule.count; q++) {
            double p = s->pressure.data[i * (size_t)s->rule.count + (size_t)q];
            side_point at = locate(s, i, q, x);
            vec3 area = vec3_cross(at.u, at.v);
            for (int a = 0; a < s->nodes; a++) {
                double f = -p * point_values(s, q)[a];
                vec3_store(g + 3 * a, vec3_mul_add(vec3_load(g + 3 * a), f, area));
            }
        }
        for (int a = 0; a < s->nodes; a++) {
            double *b = force + 3 * (size_t)s->blocks.data[i * (size_t)s->nodes + (size_t)a];
            vec3_store(b, vec3_add(vec3_load(b), vec3_load(g + 3 * a)));
        }
    }
}

void surface_load_begin_step(surface_load_term *t, const double *start, double start_time,
                             double end_time, double *force)
{
    t->center = loaded_center(t, start);
    for (int g = 0; g < t->dead_count; g++)
        add_tractions(t, &t->dead[g], start_time, end_time, force);
    for (int g = 0; g < t->base.group_count; g++) {
        set_pressures(t, &t->sides[g], start_time, end_time);
        add_border(t, &t->sides[g], start, force);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Lifecycle                                                                                      */

static void load_free(surface_load *load)
{
    for (int k = 0; k < 3; k++) expression_free(load->value[k]);
}

static void sides_free(load_sides *s)
{
    quadrature_free(&s->rule);
    mem_free(s->value);
    mem_free(s->gradient);
    array_free(&s->blocks);
    array_free(&s->load);
    array_free(&s->pressure);
}

static void destroy(term *base)
{
    surface_load_term *t = (surface_load_term *)base;
    for (size_t i = 0; i < t->loads.count; i++) load_free(&t->loads.data[i]);
    array_free(&t->loads);
    for (int g = 0; g < SURFACE_LOAD_GROUPS; g++) {
        sides_free(&t->sides[g]);
        sides_free(&t->dead[g]);
    }
    mem_free(t);
}

static const term_class surface_load_class = {
    .name = "surface load", .value = value, .derivatives = derivatives, .destroy = destroy};

abut_status surface_load_create(const model *m, surface_load_term **out, abut_error *err)
{
    surface_load_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "adding surface loads");
    t->base = (term){.class = &surface_load_class};
    t->model = m;
    *out = t;
    return ABUT_OK;
}

/* Tables of a new group. The load, a basis function and an area of order 2 (p - 1) are integrated
 * exactly for loads up to order p. */
static abut_status make_tables(load_sides *s, cell_kind kind, int order, abut_error *err)
{
    int lattice[CELL_MAX_NODES][3];
    s->kind = kind;
    s->order = order;
    s->nodes = cell_lattice(kind, order, lattice);
    TRY(quadrature_make(kind, order == 1 ? 2 : 4 * order - 2, &s->rule, err));
    size_t size = (size_t)s->rule.count * (size_t)s->nodes;
    s->value = mem_calloc(size, sizeof *s->value);
    s->gradient = mem_calloc(size, sizeof *s->gradient);
    if (!s->value || !s->gradient) return error_memory(err, "adding surface loads");
    for (int q = 0; q < s->rule.count; q++)
        lagrange_evaluate(kind, order, s->rule.points[q], s->value + (size_t)q * (size_t)s->nodes,
                          s->gradient + (size_t)q * (size_t)s->nodes);
    return ABUT_OK;
}

static abut_status find_group(surface_load_term *t, bool pressure, cell_kind kind, int order,
                              load_sides **out, abut_error *err)
{
    load_sides *list = pressure ? t->sides : t->dead;
    int *count = pressure ? &t->base.group_count : &t->dead_count;
    for (int g = 0; g < *count; g++) {
        *out = &list[g];
        if ((*out)->kind == kind && (*out)->order == order) return ABUT_OK;
    }
    if (*count == SURFACE_LOAD_GROUPS)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "", "too many kinds of loaded faces");
    *out = &list[*count];
    TRY(make_tables(*out, kind, order, err));
    ++*count;
    return ABUT_OK;
}

abut_status surface_load_add(surface_load_term *t, surface_load load, const mesh *m,
                             const side_list *sides, const int32_t *block_of_vertex,
                             abut_error *err)
{
    if (!array_push(&t->loads, load)) {
        load_free(&load);
        return error_memory(err, "adding surface loads");
    }
    for (size_t i = 0; i < sides->count; i++) {
        const cell_side *f = &sides->data[i];
        const cell_block *block = &m->blocks[f->block];
        const int32_t *cell = block->nodes + f->cell * (size_t)block->nodes_per_cell;
        int local[CELL_MAX_NODES];
        int count = side_nodes(block->kind, block->order, f->face, local);
        load_sides *s;
        bool pressure = load.kind == TRACTION_PRESSURE;
        TRY(find_group(t, pressure, side_kind(block->kind), block->order, &s, err));
        bool ok = array_push(&s->load, (int32_t)(t->loads.count - 1));
        for (int k = 0; ok && k < count; k++)
            ok = array_push(&s->blocks, block_of_vertex[cell[local[k]]]);
        if (ok && pressure) ok = array_resize(&s->pressure, s->load.count * (size_t)s->rule.count);
        if (!ok) return error_memory(err, "adding surface loads");
    }
    for (int g = 0; g < t->base.group_count; g++) {
        const load_sides *s = &t->sides[g];
        t->base.groups[g] = (stencil_group){s->nodes, s->load.count, s->blocks.data};
    }
    return ABUT_OK;
}
