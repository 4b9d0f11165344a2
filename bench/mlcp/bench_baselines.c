/* Other solvers on the complementarity problems of real steps of the stepper "mlcp": minimal
 * residuals in place of conjugate residuals, staggered projections, iterative constraint
 * anticipation, and what it takes to form the Delassus operator (Verschoor and Jalba 2019, sections
 * 6 and 7).
 *
 *   bench_baselines [SCENE STEP...]
 *
 * Runs a scene (default: the rings of the examples), and after each of the steps takes matrix,
 * right side and rows as its last pass had them. Every solver starts from what the step started
 * from
 * (`warm`: velocities, states and multipliers of the step before) and from nothing (`cold`), and
 * has the same matrix, rows and tolerances. `ended`: by its own test; `right`: residual and
 * Fischer-Burmeister errors, measured here, are within the tolerances. */
#include "base/parallel.h"
#include "linear/solver.h"
#include "mlcp/solver.h"
#include "scene/build.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static abut_error err;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "%s: %s %s\n", what, err.place, err.message);
    exit(1);
}

static double *numbers(size_t count)
{
    double *memory = mem_calloc(count + 1, sizeof *memory);
    need(memory != NULL, "memory");
    return memory;
}

/* ---------------------------------------------------------------------------------------------- */
/* The problem of a step                                                                          */

/* Which rows a system has; staggered projections take them apart. */
typedef enum part { ALL_ROWS, NORMALS, FRICTION } part;

/* A solver under test: a copy of the stepper's that borrows matrix and diagonal. */
typedef struct attempt {
    mlcp_solver s;
    part part;
    bool early;        /* states change while the iteration runs */
    bool minimal;      /* minimal residuals, not conjugate ones */
    double scale;      /* of the right side */
    int products;      /* with the matrix */
    mlcp_vector own_r; /* what s.r and s.unloaded were at first */
    double *own_unloaded;
} attempt;

static mlcp_vector vector_of(const mlcp_solver *s)
{
    return (mlcp_vector){numbers(s->n), numbers(3 * s->contacts.count)};
}

static void vector_free(mlcp_vector v)
{
    mem_free(v.u);
    mem_free(v.c);
}

static double dot(const mlcp_solver *s, mlcp_vector a, mlcp_vector b)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) sum += a.u[i] * b.u[i];
    for (size_t i = 0; i < 3 * s->contacts.count; i++) sum += a.c[i] * b.c[i];
    return sum;
}

/* to = f to + g from */
static void combine(const mlcp_solver *s, double f, mlcp_vector to, double g, mlcp_vector from)
{
    for (size_t i = 0; i < s->n; i++) to.u[i] = f * to.u[i] + g * from.u[i];
    for (size_t i = 0; i < 3 * s->contacts.count; i++) to.c[i] = f * to.c[i] + g * from.c[i];
}

static double length_of(const double *a, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

static attempt attempt_of(const mlcp_solver *from, const double *u, const mlcp_contact *contacts)
{
    attempt a = {.s = {.model = from->model, .problem = from->problem, .options = from->options}};
    mlcp_solver *s = &a.s;
    s->matrix = from->matrix;
    s->h = from->h;
    s->n = from->n;
    s->diagonal = from->diagonal;
    s->b = numbers(s->n);
    s->u = numbers(s->n);
    s->scratch = numbers(s->n);
    s->cr.unloaded = numbers(s->n);
    memcpy(s->b, from->b, s->n * sizeof *s->b);
    memcpy(s->u, u, s->n * sizeof *s->u);
    a.scale = length_of(s->b, s->n);
    need(array_resize(&s->contacts, from->contacts.count), "memory");
    memcpy(s->contacts.data, contacts, s->contacts.count * sizeof *contacts);
    a.own_r = s->cr.r = vector_of(s);
    a.own_unloaded = s->cr.unloaded;
    need(mlcp_prepare_rows(s, &err) == ABUT_OK, "rows");
    return a;
}

static void attempt_free(attempt *a)
{
    mlcp_solver *s = &a->s;
    mem_free(s->b);
    mem_free(s->u);
    mem_free(s->scratch);
    mem_free(a->own_unloaded);
    vector_free(a->own_r);
    array_free(&s->contacts);
    for (int k = 0; k < 2 * MLCP_VECTORS; k++) array_free(&s->cr.memory[k]);
    array_free(&s->cr.products);
    array_free(&s->index.start);
    array_free(&s->index.contacts);
    array_free(&s->index.mark);
}

/* ---------------------------------------------------------------------------------------------- */
/* Systems with given states                                                                      */

static void keep_part(const attempt *a, mlcp_vector v)
{
    for (size_t k = 0; a->part == FRICTION && k < a->s.contacts.count; k++) v.c[3 * k] = 0;
}

static void apply(attempt *a, mlcp_vector in, double *product, mlcp_vector out)
{
    mlcp_apply(&a->s, &in, product, &out);
    keep_part(a, out);
    a->products++;
}

static void precondition(const attempt *a, mlcp_vector in, mlcp_vector out)
{
    mlcp_precondition(&a->s, MLCP_DIAGONAL, &in, &out);
    keep_part(a, out);
}

static void residual(attempt *a)
{
    mlcp_residual(&a->s);
    keep_part(a, a->s.cr.r);
}

/* y += step p; r -= step B p */
static void advance(attempt *a, double step, mlcp_vector p, const double *ap, mlcp_vector bp)
{
    mlcp_solver *s = &a->s;
    for (size_t i = 0; i < s->n; i++) {
        s->u[i] += step * p.u[i];
        s->cr.unloaded[i] -= step * ap[i];
    }
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        if (c->state == MLCP_OFF) continue;
        c->lambda += step * p.c[3 * k];
        for (size_t i = 0; i < 2 && c->state == MLCP_STICKS; i++)
            c->gamma[i] += step * p.c[3 * k + 1 + i];
    }
    combine(s, 1, s->cr.r, -step, bp);
}

static double relative_residual(const attempt *a)
{
    return length_of(a->s.cr.r.u, a->s.n) / a->scale;
}

static bool solved(const attempt *a)
{
    double rows = 0;
    for (size_t i = 0; i < 3 * a->s.contacts.count; i++) rows = fmax(rows, fabs(a->s.cr.r.c[i]));
    return relative_residual(a) <= a->s.options.residual && rows <= 0.25 * a->s.options.tolerance;
}

/* As the stepper does it. */
enum { MOST_RESTARTS = 20, MOST_ROUNDS = 200 };

static bool states_change(attempt *a, int *restarts)
{
    if (!a->early || *restarts >= MOST_RESTARTS) return false;
    if (!mlcp_evaluate(&a->s, relative_residual(a), a->products)) return false;
    ++*restarts;
    return true;
}

/* What minimal residuals (Paige and Saunders) remember. w, its product with B, that with A alone.
 */
typedef struct lanczos {
    mlcp_vector before, last, now, v, bv, w[3], bw[3];
    double *av, *aw[3];
    double beta_before, beta, cosine, sine, diagonal, above, phi;
} lanczos;

static lanczos lanczos_of(const mlcp_solver *s)
{
    lanczos l = {.before = vector_of(s),
                 .last = vector_of(s),
                 .now = vector_of(s),
                 .v = vector_of(s),
                 .bv = vector_of(s)};
    for (int k = 0; k < 3; k++) {
        l.w[k] = vector_of(s);
        l.bw[k] = vector_of(s);
        l.aw[k] = numbers(s->n);
    }
    l.av = numbers(s->n);
    return l;
}

static void lanczos_free(lanczos *l)
{
    mlcp_vector all[] = {l->before, l->last, l->now, l->v, l->bv};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) vector_free(all[k]);
    for (int k = 0; k < 3; k++) {
        vector_free(l->w[k]);
        vector_free(l->bw[k]);
        mem_free(l->aw[k]);
    }
    mem_free(l->av);
}

static void lanczos_begin(attempt *a, lanczos *l)
{
    const mlcp_solver *s = &a->s;
    residual(a);
    combine(s, 0, l->last, 1, s->cr.r);
    combine(s, 0, l->before, 0, s->cr.r);
    precondition(a, l->last, l->now);
    l->beta = l->phi = sqrt(fmax(dot(s, l->last, l->now), 0));
    l->beta_before = 1;
    l->cosine = -1;
    l->sine = l->diagonal = l->above = 0;
    for (int k = 0; k < 3; k++) {
        combine(s, 0, l->w[k], 0, s->cr.r);
        combine(s, 0, l->bw[k], 0, s->cr.r);
        memset(l->aw[k], 0, s->n * sizeof *l->aw[k]);
    }
}

/* One iteration; false where nothing is left to minimise. */
static bool lanczos_step(attempt *a, lanczos *l, int k)
{
    const mlcp_solver *s = &a->s;
    if (!(l->beta > 0)) return false;
    combine(s, 0, l->v, 1 / l->beta, l->now);
    apply(a, l->v, l->av, l->bv);
    combine(s, 0, l->now, 1, l->bv);
    combine(s, 1, l->now, k == 0 ? 0 : -l->beta / l->beta_before, l->before);
    double alpha = dot(s, l->v, l->now);
    combine(s, 1, l->now, -alpha / l->beta, l->last);
    combine(s, 0, l->before, 1, l->last);
    combine(s, 0, l->last, 1, l->now);
    precondition(a, l->last, l->now);
    l->beta_before = l->beta;
    l->beta = sqrt(fmax(dot(s, l->last, l->now), 0));
    double second = l->above, first = l->cosine * l->diagonal + l->sine * alpha;
    double bar = l->sine * l->diagonal - l->cosine * alpha, gamma = hypot(bar, l->beta);
    if (!(gamma > 0)) return false;
    l->above = l->sine * l->beta;
    l->diagonal = -l->cosine * l->beta;
    l->cosine = bar / gamma;
    l->sine = l->beta / gamma;
    int to = k % 3, one = (k + 2) % 3, two = (k + 1) % 3;
    combine(s, 0, l->w[to], 1 / gamma, l->v);
    combine(s, 0, l->bw[to], 1 / gamma, l->bv);
    /* w[two] is the older one; to is neither. */
    combine(s, 1, l->w[to], -first / gamma, l->w[one]);
    combine(s, 1, l->w[to], -second / gamma, l->w[two]);
    combine(s, 1, l->bw[to], -first / gamma, l->bw[one]);
    combine(s, 1, l->bw[to], -second / gamma, l->bw[two]);
    for (size_t i = 0; i < s->n; i++)
        l->aw[to][i] = (l->av[i] - first * l->aw[one][i] - second * l->aw[two][i]) / gamma;
    double step = l->cosine * l->phi;
    l->phi *= l->sine;
    advance(a, step, l->w[to], l->aw[to], l->bw[to]);
    return true;
}

static bool minimal_residuals(attempt *a)
{
    lanczos l = lanczos_of(&a->s);
    int restarts = 0;
    bool good = false, going = true;
    mlcp_unload(&a->s);
    a->products++;
    lanczos_begin(a, &l);
    for (int k = 0; going && a->products < a->s.options.max_iterations; k++) {
        good = solved(a);
        if (good) break;
        going = lanczos_step(a, &l, k);
        if (!states_change(a, &restarts)) continue;
        lanczos_begin(a, &l);
        k = -1;
    }
    lanczos_free(&l);
    return good;
}

typedef struct residuals {
    mlcp_vector z, bz, p, bp, q;
    double *az, *ap;
} residuals;

static void conjugate_begin(attempt *a, residuals *c)
{
    residual(a);
    precondition(a, a->s.cr.r, c->z);
    apply(a, c->z, c->az, c->bz);
    combine(&a->s, 0, c->p, 1, c->z);
    combine(&a->s, 0, c->bp, 1, c->bz);
    memcpy(c->ap, c->az, a->s.n * sizeof *c->ap);
}

/* Where z.Bz = 0 a step along C^-1 B z gets on (solve.c). */
static bool past_breakdown(attempt *a, residuals *c)
{
    precondition(a, c->bz, c->p);
    apply(a, c->p, c->ap, c->bp);
    precondition(a, c->bp, c->q);
    double step = dot(&a->s, c->z, c->bp) / dot(&a->s, c->bp, c->q);
    if (!isfinite(step) || step == 0) return false;
    advance(a, step, c->p, c->ap, c->bp);
    conjugate_begin(a, c);
    return true;
}

static bool conjugate_step(attempt *a, residuals *c, int *restarts)
{
    const mlcp_solver *s = &a->s;
    double rho = dot(s, c->z, c->bz);
    precondition(a, c->bp, c->q);
    double below = dot(s, c->bp, c->q);
    double lengths = sqrt(dot(s, c->z, c->z) * dot(s, c->bz, c->bz));
    if (lengths == 0) return false;
    if (!(fabs(rho) > 1e-10 * lengths) || below == 0) return past_breakdown(a, c);
    double alpha = rho / below;
    advance(a, alpha, c->p, c->ap, c->bp);
    if (alpha > 0 && states_change(a, restarts)) {
        conjugate_begin(a, c);
        return true;
    }
    combine(s, 1, c->z, -alpha, c->q);
    apply(a, c->z, c->az, c->bz);
    double beta = dot(s, c->z, c->bz) / rho;
    combine(s, beta, c->p, 1, c->z);
    combine(s, beta, c->bp, 1, c->bz);
    for (size_t i = 0; i < s->n; i++) c->ap[i] = c->az[i] + beta * c->ap[i];
    return true;
}

static bool conjugate_residuals(attempt *a)
{
    const mlcp_solver *s = &a->s;
    residuals c = {vector_of(s), vector_of(s),  vector_of(s), vector_of(s),
                   vector_of(s), numbers(s->n), numbers(s->n)};
    int restarts = 0;
    bool good = false, going = true;
    mlcp_unload(&a->s);
    a->products++;
    conjugate_begin(a, &c);
    while (going && a->products < s->options.max_iterations) {
        good = solved(a);
        if (good) break;
        going = conjugate_step(a, &c, &restarts);
    }
    mlcp_vector all[] = {c.z, c.bz, c.p, c.bp, c.q};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) vector_free(all[k]);
    mem_free(c.az);
    mem_free(c.ap);
    return good;
}

/* Solves and changes states until they fit each other: the stepper's own rules. */
static bool settle(attempt *a)
{
    mlcp_solver *s = &a->s;
    s->pivoting = (mlcp_pivoting){.best = SIZE_MAX};
    for (s->round = 0; s->round < MOST_ROUNDS; s->round++) {
        if (!(a->minimal ? minimal_residuals(a) : conjugate_residuals(a))) return false;
        bool references_moved = mlcp_renew_references(s);
        if (!mlcp_evaluate_solved(s) && !references_moved) return true;
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------- */
/* Errors                                                                                         */

typedef struct errors {
    double residual, normal, stick, slide;
} errors;

static double burmeister(double a, double b) { return fabs(a + b - hypot(a, b)); }

static const double *friction_of(const mlcp_contact *c)
{
    return c->state == MLCP_STICKS ? c->gamma : c->slide.force;
}

/* As the stepper measures itself (solve.c), with the residual of a product of its own. */
static errors measure(attempt *a)
{
    mlcp_solver *s = &a->s;
    errors e = {0};
    mlcp_unload(s);
    mlcp_residual(s);
    e.residual = relative_residual(a);
    for (size_t k = 0; k < s->contacts.count; k++) {
        const mlcp_contact *c = &s->contacts.data[k];
        double slip[2];
        mlcp_slip(s, c, slip);
        if (c->left) continue;
        e.normal = fmax(e.normal, burmeister(c->scale_n * c->lambda, mlcp_gap(s, c)));
        if (c->state == MLCP_OFF || !(c->mu > 0)) continue;
        const double *g = friction_of(c);
        double slack =
            fmax(c->scale_t[0], c->scale_t[1]) * (c->mu * fmax(0, c->lambda) - hypot(g[0], g[1]));
        if (c->state == MLCP_STICKS)
            e.stick = fmax(e.stick, burmeister(slack, hypot(slip[0], slip[1])));
        else
            e.slide =
                fmax(e.slide, c->slide.has_direction ? fabs(slack)
                                                     : burmeister(slack, hypot(slip[0], slip[1])));
    }
    return e;
}

static bool right(const attempt *a, errors e)
{
    double largest = fmax(e.normal, fmax(e.stick, e.slide));
    return e.residual <= 1.01 * a->s.options.residual && largest <= a->s.options.tolerance;
}

/* ---------------------------------------------------------------------------------------------- */
/* Staggered projections (Kaufman et al. 2008)                                                    */

static vec3 along_tangents(const mlcp_contact *c, const double g[2])
{
    return vec3_mul_add(vec3_scale(g[0], c->tangent[0]), g[1], c->tangent[1]);
}

static void add_force(const mlcp_contact *c, double factor, vec3 force, double *u)
{
    for (int k = 0; k < c->count; k++) {
        if (c->unknown[k] < 0) continue;
        double *to = u + 3 * (size_t)c->unknown[k];
        vec3_store(to, vec3_mul_add(vec3_load(to), factor * c->weight[k], force));
    }
}

/* Normal forces with friction as it is, which goes to the right side. */
static bool project_normals(attempt *a, const double *b)
{
    mlcp_solver *s = &a->s;
    size_t count = s->contacts.count;
    mlcp_contact *whole = s->contacts.data;
    mlcp_contact *kept = mem_calloc(count + 1, sizeof *kept);
    need(kept != NULL, "memory");
    memcpy(kept, whole, count * sizeof *kept);
    for (size_t k = 0; k < count; k++) {
        mlcp_contact *c = &whole[k];
        if (c->state != MLCP_OFF) add_force(c, -1, along_tangents(c, friction_of(c)), s->b);
        if (c->state != MLCP_OFF) c->state = MLCP_SLIDES;
        c->mu = c->gamma[0] = c->gamma[1] = c->slide.force[0] = c->slide.force[1] = 0;
        c->slide.has_direction = false;
    }
    a->part = NORMALS;
    bool good = settle(a);
    for (size_t k = 0; k < count; k++) {
        mlcp_contact solved_row = whole[k];
        whole[k] = kept[k];
        whole[k].lambda = solved_row.lambda;
        whole[k].reference[0] = solved_row.reference[0];
        if (solved_row.state == MLCP_OFF) {
            mlcp_leave(&whole[k]);
            whole[k].left = kept[k].left;
        } else if (kept[k].state == MLCP_OFF)
            whole[k].state = MLCP_STICKS;
    }
    memcpy(s->b, b, s->n * sizeof *b);
    mem_free(kept);
    return good;
}

/* Friction with the normal forces as they are. */
static bool project_friction(attempt *a)
{
    mlcp_solver *s = &a->s;
    size_t count = s->contacts.count;
    bool *left = mem_calloc(count + 1, sizeof *left);
    need(left != NULL, "memory");
    for (size_t k = 0; k < count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        left[k] = c->left;
        if (!(c->lambda > 0)) mlcp_leave(c); /* no cone: not to be touched */
        c->flips = 0;
        if (c->state != MLCP_SLIDES) continue;
        c->slide.history[0] = c->lambda;
        c->slide.history_count = 1;
        for (int i = 0; i < 2; i++)
            c->slide.force[i] =
                c->slide.has_direction ? c->mu * c->lambda * c->slide.direction[i] : 0;
    }
    a->part = FRICTION;
    bool good = settle(a);
    for (size_t k = 0; k < count; k++) s->contacts.data[k].left = left[k];
    a->part = ALL_ROWS;
    return good;
}

/* Alternates until both halves agree within the tolerance. */
static bool staggered(attempt *a)
{
    double *b = numbers(a->s.n);
    memcpy(b, a->s.b, a->s.n * sizeof *b);
    bool done = false;
    for (int turn = 0; !done && turn < 1000 && a->products < a->s.options.max_iterations; turn++) {
        if (!project_normals(a, b) || !project_friction(a)) break;
        done = right(a, measure(a));
    }
    mem_free(b);
    return done;
}

static bool staggered_active_set(attempt *a)
{
    a->minimal = true;
    return staggered(a);
}

static bool staggered_residuals(attempt *a)
{
    a->early = true;
    return staggered(a);
}

/* ---------------------------------------------------------------------------------------------- */
/* Iterative constraint anticipation (Otaduy et al. 2009)                                         */

static void diagonal_inverses(const mlcp_matrix *m, mat3 *inverse)
{
    for (size_t i = 0; i < m->size; i++)
        for (int32_t k = m->start.data[i]; k < m->start.data[i + 1]; k++) {
            if (m->column.data[k] != (int32_t)i) continue;
            mat3 d;
            memcpy(d.m, m->value.data + 9 * (size_t)k, sizeof d.m);
            inverse[i] = mat3_inverse(d);
        }
}

/* Right side with the present forces. */
static void loaded(const mlcp_solver *s, double *out)
{
    memcpy(out, s->b, s->n * sizeof *out);
    for (size_t k = 0; k < s->contacts.count; k++) {
        const mlcp_contact *c = &s->contacts.data[k];
        vec3 force = vec3_scale(c->lambda, c->normal);
        add_force(c, 1, vec3_sub(force, along_tangents(c, c->gamma)), out);
    }
}

/* u of each block from the others: with the newest values (Gauss-Seidel), or all with the old. */
static void relax(const mlcp_solver *s, const mat3 *inverse, const double *b, const double *from,
                  double *to)
{
    const mlcp_matrix *m = &s->matrix;
    for (size_t i = 0; i < m->size; i++) {
        vec3 sum = vec3_load(b + 3 * i);
        for (int32_t k = m->start.data[i]; k < m->start.data[i + 1]; k++) {
            size_t column = (size_t)m->column.data[k];
            mat3 block;
            if (column == i) continue;
            memcpy(block.m, m->value.data + 9 * (size_t)k, sizeof block.m);
            sum = vec3_sub(sum, mat3_mul_vec(block, vec3_load(from + 3 * column)));
        }
        vec3_store(to + 3 * i, mat3_mul_vec(inverse[i], sum));
    }
}

static double compliance(const mlcp_contact *c, const mat3 *inverse, vec3 d)
{
    double sum = 0;
    for (int k = 0; k < c->count; k++)
        if (c->unknown[k] >= 0)
            sum +=
                c->weight[k] * c->weight[k] * vec3_dot(d, mat3_mul_vec(inverse[c->unknown[k]], d));
    return sum;
}

/* Forces change by `change`; displacements follow through the diagonal blocks alone. */
static void push(mlcp_solver *s, const mlcp_contact *c, const mat3 *inverse, vec3 change)
{
    for (int k = 0; k < c->count; k++) {
        if (c->unknown[k] < 0) continue;
        double *to = s->u + 3 * (size_t)c->unknown[k];
        vec3 move = mat3_mul_vec(inverse[c->unknown[k]], change);
        vec3_store(to, vec3_mul_add(vec3_load(to), c->weight[k], move));
    }
}

/* One projected Gauss-Seidel sweep over the contacts; largest change as a distance. */
static double sweep_contacts(mlcp_solver *s, const mat3 *inverse)
{
    double largest = 0;
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        if (c->left) continue;
        double normal = compliance(c, inverse, c->normal), old = c->lambda, slip[2];
        if (!(normal > 0)) continue;
        c->lambda = fmax(0, old - mlcp_gap(s, c) / normal);
        push(s, c, inverse, vec3_scale(c->lambda - old, c->normal));
        double across =
            fmax(compliance(c, inverse, c->tangent[0]), compliance(c, inverse, c->tangent[1]));
        double cone = c->mu * c->lambda, g[2];
        mlcp_slip(s, c, slip);
        for (int i = 0; i < 2; i++) g[i] = c->gamma[i] + slip[i] / across;
        double size = hypot(g[0], g[1]), factor = size > cone ? cone / size : 1;
        double change[2];
        for (int i = 0; i < 2; i++) {
            change[i] = factor * g[i] - c->gamma[i];
            c->gamma[i] += change[i];
        }
        push(s, c, inverse, vec3_scale(-1, along_tangents(c, change)));
        c->state = c->lambda > 0 ? MLCP_STICKS : MLCP_OFF;
        c->slide.has_direction = size > cone;
        largest = fmax(largest, normal * fabs(c->lambda - old));
        largest = fmax(largest, across * hypot(change[0], change[1]));
    }
    return largest;
}

/* States as the measure of errors wants them: what is on the cone slides. */
static void name_states(mlcp_solver *s)
{
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        if (c->state == MLCP_OFF || !c->slide.has_direction) continue;
        c->state = MLCP_SLIDES;
        for (int i = 0; i < 2; i++) c->slide.force[i] = c->gamma[i];
    }
}

static bool anticipation(attempt *a)
{
    enum { MOST_SWEEPS = 50 };
    mlcp_solver *s = &a->s;
    mat3 *inverse = mem_calloc(s->matrix.size + 1, sizeof *inverse);
    need(inverse != NULL, "memory");
    double *b = numbers(s->n), *old = numbers(s->n);
    diagonal_inverses(&s->matrix, inverse);
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        for (int i = 0; i < 2 && c->state == MLCP_SLIDES; i++) c->gamma[i] = c->slide.force[i];
        c->lambda = fmax(0, c->lambda);
    }
    bool good = false;
    while (!good && a->products < s->options.max_iterations) {
        loaded(s, b);
        relax(s, inverse, b, s->u, s->u);
        memcpy(old, s->u, s->n * sizeof *old);
        relax(s, inverse, b, old, s->u);
        a->products += 2;
        for (int i = 0; i < MOST_SWEEPS; i++)
            if (sweep_contacts(s, inverse) < 0.01 * s->options.tolerance) break;
        name_states(s);
        /* The look costs a product that is not counted: the next relaxation could lend it. */
        good = right(a, measure(a));
    }
    name_states(s);
    mem_free(inverse);
    mem_free(b);
    mem_free(old);
    return good;
}

/* ---------------------------------------------------------------------------------------------- */
/* The solvers                                                                                    */

static bool by_the_stepper(attempt *a, mlcp_preconditioner kind)
{
    bool good;
    int iterations;
    a->s.options.preconditioner = kind;
    need(mlcp_solve_rows(&a->s, &good, &iterations, &err) == ABUT_OK, "solving");
    a->products = iterations + 2 * (a->s.round + 1); /* two more per new start from outside */
    return good;
}

static bool full(attempt *a) { return by_the_stepper(a, MLCP_FULL); }
static bool diagonal(attempt *a) { return by_the_stepper(a, MLCP_DIAGONAL); }

static bool minres_early(attempt *a)
{
    a->early = a->minimal = true;
    return settle(a);
}

static bool minres_late(attempt *a)
{
    a->minimal = true;
    return settle(a);
}

static bool conjugate_late(attempt *a) { return settle(a); }

static const struct {
    const char *name;
    bool (*solve)(attempt *a);
} methods[] = {{"CR(Full)", full},
               {"CR(Diag)", diagonal},
               {"CR(Diag) states when solved", conjugate_late},
               {"MINRES(Diag)", minres_early},
               {"MINRES(Diag) states when solved", minres_late},
               {"SP(Active Set)", staggered_active_set},
               {"SP(2xCR)", staggered_residuals},
               {"ICA", anticipation}};
enum { METHODS = sizeof methods / sizeof *methods };

/* What a step is about to be solved from. */
typedef struct start {
    const char *name;
    double *u;
    mlcp_contact *contacts;
} start;

static void run_methods(const char *scene, int step, const mlcp_solver *from, const start *begin)
{
    double *first = numbers(from->n);
    for (int m = 0; m < METHODS; m++) {
        attempt a = attempt_of(from, begin->u, begin->contacts);
        double before = now();
        bool ended = methods[m].solve(&a);
        double seconds = now() - before, away = 0;
        errors e = measure(&a);
        if (m == 0) memcpy(first, a.s.u, from->n * sizeof *first);
        for (size_t i = 0; i < from->n; i++) away = fmax(away, fabs(a.s.u[i] - first[i]));
        printf("%s,%d,%s,%zu,%zu,%s,%d,%d,%d,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g\n", scene, step,
               begin->name, from->n, from->contacts.count, methods[m].name, ended, right(&a, e),
               a.products, seconds, e.residual, e.normal, e.stick, e.slide, away);
        fflush(stdout);
        attempt_free(&a);
    }
    mem_free(first);
}

/* L A^-1 L^T of all rows by a factor and one pair of substitutions per row. */
static void run_delassus(const char *scene, int step, const mlcp_solver *from)
{
    linear_options options = {.name = "auto", .tolerance = 1e-10, .reproducible = true};
    linear_solver *solver;
    size_t rows = 0, count = from->contacts.count;
    double *b = numbers(from->n), *x = numbers(from->n), before = now(), sum = 0;
    need(linear_create(&options, &solver, &err) == ABUT_OK, "solver");
    need(linear_solve(solver, &from->problem->matrix, from->b, x, &err) == ABUT_OK, "factor");
    need(linear_can_solve_again(solver), "a solver that keeps its factor");
    double factor = now() - before;
    for (size_t k = 0; k < 3 * count; k++, rows++) {
        const mlcp_contact *c = &from->contacts.data[k / 3];
        memset(b, 0, from->n * sizeof *b);
        add_force(c, 1, k % 3 ? c->tangent[k % 3 - 1] : c->normal, b);
        linear_solve_again(solver, b, x);
        for (size_t l = 0; l < count; l++) {
            const mlcp_contact *d = &from->contacts.data[l];
            for (int i = 0; i < d->count; i++)
                if (d->unknown[i] >= 0) {
                    vec3 at = vec3_load(x + 3 * (size_t)d->unknown[i]);
                    sum += d->weight[i] * (vec3_dot(d->normal, at) + vec3_dot(d->tangent[0], at) +
                                           vec3_dot(d->tangent[1], at));
                }
        }
    }
    double all = now() - before;
    need(isfinite(sum), "the operator");
    printf("%s,%d,,%zu,%zu,factor of A,,,,%.3g,,,,,\n", scene, step, from->n, count, factor);
    printf("%s,%d,,%zu,%zu,Delassus operator,,,%zu,%.3g,,,,,\n", scene, step, from->n, count, rows,
           all);
    linear_destroy(solver);
    mem_free(b);
    mem_free(x);
}

/* ---------------------------------------------------------------------------------------------- */
/* Steps of a scene                                                                               */

/* State and forces of a contact before the step, in the tangents of now. */
static void take_over(mlcp_contact *c, const mlcp_contact *old)
{
    c->state = old->state;
    c->lambda = old->lambda;
    c->slide.has_direction = old->slide.has_direction;
    c->slide.history_count = old->slide.history_count;
    vec3 gamma = along_tangents(old, old->gamma), force = along_tangents(old, old->slide.force);
    vec3 direction = along_tangents(old, old->slide.direction);
    for (int i = 0; i < 2; i++) {
        c->gamma[i] = vec3_dot(c->tangent[i], gamma);
        c->slide.force[i] = vec3_dot(c->tangent[i], force);
        c->slide.direction[i] = vec3_dot(c->tangent[i], direction);
        c->slide.history[i] = old->slide.history[i];
    }
}

static mlcp_contact *contacts_at_start(const mlcp_solver *s, bool warm)
{
    mlcp_contact *out = mem_calloc(s->contacts.count + 1, sizeof *out);
    need(out != NULL, "memory");
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &out[k];
        *c = s->contacts.data[k];
        bool left = c->left;
        mlcp_leave(c);
        c->left = left;
        c->flips = 0;
        for (size_t l = 0; warm && !left && l < s->before.count; l++) {
            const mlcp_contact *old = &s->before.data[l];
            if (old->kind == c->kind && old->first == c->first && old->second == c->second)
                take_over(c, old);
        }
        mlcp_set_reference(c);
    }
    return out;
}

static void compare(const char *scene, int step, const stepper *st, const double *velocity)
{
    const mlcp_solver *s = st->mlcp.solver;
    double *u = numbers(s->n);
    start cold = {"cold", u, contacts_at_start(s, false)};
    run_methods(scene, step, s, &cold);
    for (size_t i = 0; i < s->n; i++)
        u[i] = s->h * velocity[3 * (size_t)s->problem->free_block[i / 3] + i % 3];
    start warm = {"warm", u, contacts_at_start(s, true)};
    run_methods(scene, step, s, &warm);
    run_delassus(scene, step, s);
    mem_free(cold.contacts);
    mem_free(warm.contacts);
    mem_free(u);
}

/* Of the default scene: rings lie on each other then. */
enum { DEFAULT_STEP = 200 };

int main(int argc, char **argv)
{
    bool given = argc > 2;
    const char *path = given ? argv[1] : "examples/mlcp/rings/scene.json";
    scene_def *scene = NULL;
    stepper *s = NULL;
    parallel_set_threads(1);
    abut_status status = scene_load(path, NULL, 0, NULL, &scene, &err);
    if (status == ABUT_OK) status = scene_build(scene, NULL, &s, &err);
    need(status == ABUT_OK && s->mlcp.solver, "a scene of the stepper \"mlcp\"");
    printf("scene,step,start,unknowns,contacts,method,ended,right,products,seconds,residual,"
           "error_normal_m,error_stick_m,error_slide_m,away_m\n");
    double *velocity = numbers(s->state.scalars);
    for (int k = 2, step = 0; k < argc || (k == 2 && !given); k++) {
        int until = given ? atoi(argv[k]) : DEFAULT_STEP;
        step_statistics statistics;
        for (; step < until; step++) {
            memcpy(velocity, s->state.v, s->state.scalars * sizeof *velocity);
            need(stepper_advance(s, &statistics, &err) == ABUT_OK, "step");
        }
        compare(path, step, s, velocity);
    }
    mem_free(velocity);
    stepper_destroy(s);
    scene_free(scene);
    return 0;
}
