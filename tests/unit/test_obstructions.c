/* Inequalities that describe what stops a step: strain limits, inverted tetrahedra and elements of
 * order 2. A row is the line through the quantity at the moment at which the step is stopped. */
#include "fem/tri3.h"
#include "support/scene_text.h"
#include "term/elastic.h"
#include "term/obstruction_rows.h"
#include "term/strain_limit.h"

#include <math.h>
#include <string.h>

static abut_error err;

#define SOLID(order)                                                                               \
    "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'bodies': [{'order': " order                  \
    ", 'mesh': {'box': {'size': [1, 1, 1], 'cells': [1, 1, 1]}}, 'material': {'young': 1e5, "      \
    "'poisson': 0.3}}]}"
#define SHEET                                                                                      \
    "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'bodies': [{'type': 'shell', 'mesh': "        \
    "{'grid': {'size': [1, 1], 'cells': [1, 1]}}, 'shell': {'preset': 'cotton', 'strain_limit': "  \
    "{'upper': 1.1}}}]}"

/* Some path that is long enough to be stopped. */
static void set_path(const stepper *s, double length, double *p)
{
    for (size_t i = 0; i < s->state.scalars; i++)
        p[i] = length * sin(2.3 * (double)i + 0.7 * (double)(i % 3));
}

static double row_at(const obstruction_list *l, size_t j, const double *q)
{
    const obstruction *row = &l->rows.data[j];
    double sum = 0;
    for (size_t k = row->first; k < row->first + (size_t)row->count; k++)
        for (size_t c = 0; c < 3; c++)
            sum += l->values.data[3 * k + c] * q[3 * (size_t)l->blocks.data[k] + c];
    return sum;
}

/* The quantity on the line of a row, at q. */
static double line_at(const obstruction_list *l, size_t j, const double *q)
{
    return -l->rows.data[j].bound / (1 - OBSTRUCTION_AIM) + row_at(l, j, q);
}

typedef double (*quantity)(const stepper *s, const obstruction *row, const double *x);

static double tet_volume(const stepper *s, const obstruction *row, const double *x)
{
    const int32_t *v = s->model->tets.data + 4 * row->key[1];
    vec3 o = vec3_load(x + 3 * v[0]), a[3];
    for (int k = 0; k < 3; k++) a[k] = vec3_sub(vec3_load(x + 3 * v[k + 1]), o);
    return vec3_dot(a[0], vec3_cross(a[1], a[2]));
}

/* 1.1 minus the largest singular value. */
static double room(const stepper *s, const obstruction *row, const double *x)
{
    const int32_t *v = s->model->codim.triangles.data + 3 * row->key[1];
    vec3 corners[3], f[2];
    for (int k = 0; k < 3; k++) corners[k] = vec3_load(x + 3 * v[k]);
    tri3_deformation(&s->model->codim.triangle_rest.data[row->key[1]], corners, f);
    double a = vec3_norm2(f[0]), b = vec3_dot(f[0], f[1]), d = vec3_norm2(f[1]);
    return 1.1 - sqrt(0.5 * (a + d) + hypot(0.5 * (a - d), b));
}

static const term *term_named(const stepper *s, const char *name)
{
    for (int i = 0; i < s->problem.term_count; i++)
        if (strcmp(s->problem.terms[i]->class->name, name) == 0) return s->problem.terms[i];
    return NULL;
}

/* Value and derivatives of the rows at their moments, by central differences; and the quantity
 * there is what a line search leaves of it. */
static size_t check_rows(stepper *s, const char *name, double length, quantity of, double keep)
{
    size_t n = s->state.scalars;
    double *p = mem_alloc(4 * n, sizeof *p), *at = p + n, *side = p + 2 * n, *q = p + 3 * n;
    obstruction_list rows = {0};
    const term *t = term_named(s, name);
    set_path(s, length, p);
    CHECK_OK(t->class->obstructions(t, s->state.x, p, &rows, &err), err);
    for (size_t j = 0; j < rows.rows.count; j++) {
        const obstruction *row = &rows.rows.data[j];
        CHECK(row->moment > 0 && row->moment < 1 && row->bound < 0);
        for (size_t i = 0; i < n; i++) at[i] = row->moment * p[i];
        for (size_t i = 0; i < n; i++) q[i] = s->state.x[i] + at[i];
        double now = of(s, row, s->state.x), then = of(s, row, q);
        CHECK_NEAR(line_at(&rows, j, at), then, 1e-10);
        CHECK(then > 0 && then < 0.5 * now && then > (keep - 1e-6) * now);
        for (size_t i = 0; i < n; i++) {
            const double step = 1e-6;
            memcpy(side, q, n * sizeof *q);
            side[i] = q[i] + step;
            double high = of(s, row, side);
            side[i] = q[i] - step;
            double slope = (high - of(s, row, side)) / (2 * step);
            memset(side, 0, n * sizeof *side);
            side[i] = 1;
            CHECK_NEAR(row_at(&rows, j, side), slope, 1e-7);
        }
    }
    size_t count = rows.rows.count;
    obstruction_list_free(&rows);
    mem_free(p);
    return count;
}

TEST(inverted_tets)
{
    scene_def *scene;
    stepper *s = build_scene(SOLID("1"), &scene);
    if (!s) return;
    CHECK(check_rows(s, "elastic", 1.5, tet_volume, KEEP_GAP) > 2);
    CHECK(check_rows(s, "elastic", 0.01, tet_volume, KEEP_GAP) == 0);
    drop_scene(s, scene);
}

TEST(strain_limits)
{
    scene_def *scene;
    stepper *s = build_scene(SHEET, &scene);
    if (!s) return;
    CHECK(check_rows(s, "strain limit", 0.5, room, 0.1) == 2);
    CHECK(check_rows(s, "strain limit", 0.01, room, 0.1) == 0);
    drop_scene(s, scene);
}

/* The row refuses the whole path, allows a small part of it, and does not see translations. */
TEST(elements_of_order_two)
{
    scene_def *scene;
    stepper *s = build_scene(SOLID("2"), &scene);
    if (!s) return;
    size_t n = s->state.scalars;
    double *p = mem_alloc(2 * n, sizeof *p), *half = p + n;
    obstruction_list rows = {0};
    const term *t = term_named(s, "elastic");
    set_path(s, 0.5, p);
    CHECK_OK(t->class->obstructions(t, s->state.x, p, &rows, &err), err);
    CHECK(rows.rows.count > 2);
    for (size_t j = 0; j < rows.rows.count; j++) {
        const obstruction *row = &rows.rows.data[j];
        CHECK(row->key[0] == OBSTRUCTION_ELEMENT && row->count == 10 && row->bound < 0);
        CHECK(row_at(&rows, j, p) < row->bound); /* the whole path is refused, */
        for (size_t i = 0; i < n; i++) half[i] = 0.1 * row->moment * p[i];
        CHECK(row_at(&rows, j, half) > row->bound); /* and a small part of it is not */
        /* A translation changes no volume. */
        for (size_t i = 0; i < n; i++) half[i] = i % 3 == 1;
        CHECK_NEAR(row_at(&rows, j, half), 0, 1e-10);
    }
    obstruction_list_free(&rows);
    mem_free(p);
    drop_scene(s, scene);
}

int main(void)
{
    RUN(inverted_tets);
    RUN(strain_limits);
    RUN(elements_of_order_two);
    return TEST_END();
}
