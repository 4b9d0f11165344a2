/* The solver that costs least, system by system: a factorisation, or conjugate gradients with an
 * incomplete factor or with multigrid (docs/theory/linear-solvers.md).
 *
 * What a method will cost is counted work (linear/work.h). That of a factorisation follows from the
 * pattern with the contacts that there are; that of an iteration from what it has taken so far, and
 * before that from the least it could take. An iteration that goes beyond what another method would
 * have taken is given up, and is not tried again for a while, twice as long each time. Nothing
 * depends on a clock, and what was learned is part of a checkpoint. */
#include "linear/solver.h"
#include "linear/work.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { METHODS = 3, DIRECT = 0, INCOMPLETE = 1, MULTIGRID = 2 };

static const linear_class *const classes[METHODS] = {&linear_direct, &linear_ic, &linear_multigrid};

/* Blocks below which a factorisation takes no longer than assembling the matrix. */
enum { SMALL_SYSTEM = 500 };

/* What is known of an iterative method, per block of the matrix, so that it holds for other sizes,
 * too. */
typedef struct method_record {
    double setup; /* work of making its preconditioner; 0: not tried yet */
    double share; /* of the solves that make one */
    double rate;  /* work of the iterations for each digit of the residual */
    double age;   /* systems since the last try */
    double fails; /* in a row */
} method_record;

/* The least that a method could take, by which it is worth a first try (bench/linear). That a
 * factor is ordered before it is counted is not in it: once for all. */
static const method_record least[METHODS] = {
    [DIRECT] = {.setup = 300, .share = 1},
    [INCOMPLETE] = {.setup = 100, .share = 1, .rate = 60},
    [MULTIGRID] = {.setup = 600, .share = 0.5, .rate = 120}};

/* Weight of the last solve in the means; how what was found wears off with each system: an
 * iteration that would take twice as long is tried again after some 25. */
static const double LAST = 0.3, SHARE_LAST = 0.1, WEAR = 0.97;
/* Another method must promise that much less than the one in use, and keep to that share of what is
 * proven when it is tried. */
static const double GAIN = 0.87, TRIAL = 0.75;

typedef struct solver_auto {
    linear_options options;
    void *selves[METHODS];
    bool in_step[METHODS]; /* was used in this step */
    bool resting[METHODS]; /* was not used in the last one, and has no memory */
    uint64_t solves[METHODS];
    int used;           /* last; what other right sides go to */
    double blocks;      /* of the last system */
    double direct_work; /* of a factor with the contacts that were there when it was counted, or */
    double direct_size; /* 0: not counted; in scalars */
    method_record records[METHODS];
} solver_auto;

static void destroy(void *self)
{
    solver_auto *s = self;
    for (int m = 0; m < METHODS; m++)
        if (s->selves[m]) classes[m]->destroy(s->selves[m]);
    mem_free(s);
}

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    solver_auto *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the linear solver");
    s->options = *options;
    for (int m = 0; m < METHODS; m++) {
        abut_status status = classes[m]->create(options, &s->selves[m], err);
        if (status == ABUT_OK) continue;
        destroy(s);
        return status;
    }
    *self = s;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* What a solve will cost                                                                         */

typedef struct demand {
    double blocks; /* of the matrix */
    double digits; /* of the residual */
} demand;

static demand demand_of(const solver_auto *s, const linear_system *system)
{
    double tolerance = system->tolerance > 0 ? system->tolerance : s->options.tolerance;
    if (!(tolerance > 0)) tolerance = 1e-8;
    return (demand){system->a->column_start[system->a->size], fmax(1, -log10(tolerance))};
}

static double record_work(const method_record *r, demand d)
{
    return d.blocks * (r->setup * r->share + r->rate * d.digits);
}

static double expected_work(const solver_auto *s, int m, demand d)
{
    if (m == DIRECT && s->direct_size > 0)
        return linear_factor_fits(&s->options, s->direct_size) ? s->direct_work : INFINITY;
    const method_record *r = &s->records[m];
    double bound = record_work(&least[m], d);
    return r->setup > 0 ? fmax(bound, record_work(r, d) * pow(WEAR, r->age)) : bound;
}

/* The cheapest that was not tried; -1: none. */
static int cheapest(const solver_auto *s, demand d, const bool *tried)
{
    int best = -1;
    double work = INFINITY;
    for (int m = 0; m < METHODS; m++) {
        double own = tried[m] ? INFINITY : expected_work(s, m, d);
        if (m == s->used) own *= GAIN;
        if (own < work) {
            work = own;
            best = m;
        }
    }
    return best;
}

/* Counts a factorisation with the contacts that there are. */
static abut_status count_direct(solver_auto *s, const block_matrix *a,
                                linear_statistics *statistics, abut_error *err)
{
    return direct_estimate(s->selves[DIRECT], a, statistics, &s->direct_size, &s->direct_work, err);
}

/* An old count may be one without contacts: a factorisation is counted again before it is taken. */
static abut_status choose(solver_auto *s, const linear_system *system,
                          linear_statistics *statistics, int *method, abut_error *err)
{
    static const bool none[METHODS] = {false};
    demand d = demand_of(s, system);
    *method = DIRECT;
    if (s->options.factor || system->a->size < SMALL_SYSTEM) return ABUT_OK;
    *method = cheapest(s, d, none);
    if (*method == DIRECT) {
        TRY(count_direct(s, system->a, statistics, err));
        *method = cheapest(s, d, none);
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* What a solve has cost                                                                          */

/* `share` is where the mean of that begins. */
static void note_success(method_record *r, demand d, double share, const linear_statistics *before,
                         const linear_statistics *after)
{
    bool first = r->setup == 0 || r->fails > 0;
    double setup = (after->setup_work - before->setup_work) / d.blocks;
    double rate = (after->iteration_work - before->iteration_work) / (d.blocks * d.digits);
    double weight = first ? 1 : LAST;
    if (setup > 0) r->setup = setup;
    r->share = first ? share : r->share + SHARE_LAST * ((setup > 0) - r->share);
    r->rate += weight * (rate - r->rate);
    r->fails = 0;
    r->age = 0;
}

/* It would have taken more than `other`: how much is unknown. */
static void note_failure(method_record *r, demand d, double other)
{
    enum { MOST = 10 };
    double work = ldexp(other / d.blocks, (int)r->fails + 1);
    r->fails = fmin(r->fails + 1, MOST);
    r->setup = r->share = 1;
    r->rate = work / d.digits;
    r->age = 0;
}

static abut_status solve_by(solver_auto *s, int m, const linear_system *system, double *x,
                            linear_statistics *statistics, abut_error *err)
{
    s->used = m;
    s->in_step[m] = true;
    s->solves[m]++;
    statistics->exact = !classes[m]->iterative;
    return classes[m]->solve(s->selves[m], system, x, statistics, err);
}

/* What the best other method takes for certain: a factor that was counted, an iteration that has
 * served. INFINITY: unknown. */
static double proven_work(const solver_auto *s, int except, demand d)
{
    bool counted = except != DIRECT && s->direct_size > 0;
    double least_work = counted ? expected_work(s, DIRECT, d) : INFINITY;
    for (int m = 1; m < METHODS; m++)
        if (m != except && s->records[m].setup > 0 && s->records[m].fails == 0)
            least_work = fmin(least_work, record_work(&s->records[m], d));
    return least_work;
}

/* What the methods that nothing is known of could take for this system. */
static double hoped_work(const solver_auto *s, int except, demand d)
{
    double least_work = INFINITY;
    for (int m = 0; m < METHODS; m++) {
        if (m == except || s->records[m].setup > 0 || (m == DIRECT && s->direct_size > 0)) continue;
        method_record first = least[m];
        first.share = 1;
        if (m == DIRECT) first.setup += WORK_ORDER;
        least_work = fmin(least_work, record_work(&first, d));
    }
    return least_work;
}

/* Levels that cost more than the trial, divided by the weight of a solve in the mean share of those
 * that make them, could not pay before that share is forgotten. An iteration on trial may take most
 * of what another method takes, or as much as one that nothing is known of could take; one that has
 * served before twice of what it took. */
static abut_status solve_by_iteration(solver_auto *s, int m, const linear_system *system, double *x,
                                      linear_statistics *statistics, abut_error *err)
{
    demand d = demand_of(s, system);
    method_record *r = &s->records[m];
    double other = proven_work(s, m, d), limit = fmin(TRIAL * other, hoped_work(s, m, d));
    if (r->setup > 0 && r->fails == 0) limit = 2 * fmax(other, record_work(r, d));
    linear_system limited = *system;
    limited.work_limit = isfinite(limit) ? limit : 0;
    limited.setup_limit = limited.work_limit / SHARE_LAST;
    linear_statistics before = *statistics;
    abut_status status = solve_by(s, m, &limited, x, statistics, err);
    if (status == ABUT_OK)
        note_success(r, d, least[m].share, &before, statistics);
    else if (status == ABUT_ERROR_NOT_CONVERGED) {
        note_failure(r, d, isfinite(limit) ? limit : record_work(&least[m], d));
        classes[m]->rest(s->selves[m]); /* the next method needs the room */
    }
    return status;
}

/* What has not been tried for this system, the cheapest first. The matrix may not be definite: a
 * factorisation tells for sure. */
static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    solver_auto *s = self;
    int method;
    bool tried[METHODS] = {false};
    if (system->a->size == 0) return ABUT_OK;
    s->blocks = system->a->size;
    for (int m = 0; m < METHODS; m++) s->records[m].age++;
    TRY(choose(s, system, statistics, &method, err));
    for (;;) {
        abut_status status = method == DIRECT
                                 ? solve_by(s, DIRECT, system, x, statistics, err)
                                 : solve_by_iteration(s, method, system, x, statistics, err);
        bool no_room = method == DIRECT && status == ABUT_ERROR_MEMORY && !s->options.factor &&
                       system->a->size >= SMALL_SYSTEM;
        if (no_room) s->direct_work = INFINITY; /* there is less memory than was thought */
        tried[method] = true;
        if (!no_room && (method == DIRECT || status != ABUT_ERROR_NOT_CONVERGED)) return status;
        method = cheapest(s, demand_of(s, system), tried);
        if (method < 0) return status;
        if (method == DIRECT) TRY(count_direct(s, system->a, statistics, err));
        statistics->fallbacks++;
    }
}

static void solve_again(void *self, const double *b, double *x)
{
    solver_auto *s = self;
    classes[s->used]->solve_again(s->selves[s->used], b, x);
}

/* ---------------------------------------------------------------------------------------------- */
/* Memory                                                                                         */

static void save(const void *self, int32_t *order, size_t capacity, double *numbers)
{
    linear_direct.save(((const solver_auto *)self)->selves[DIRECT], order, capacity, numbers);
}

static abut_status load(void *self, const int32_t *order, const double *numbers, abut_error *err)
{
    return linear_direct.load(((solver_auto *)self)->selves[DIRECT], order, numbers, err);
}

enum { RECORD_NUMBERS = 5, FIRST_RECORD = 4 };
_Static_assert(FIRST_RECORD + (METHODS - 1) * RECORD_NUMBERS <= LINEAR_CHOICE, "room for records");

static void save_choice(const void *self, double *choice)
{
    const solver_auto *s = self;
    choice[0] = s->used;
    choice[1] = s->blocks;
    choice[2] = s->direct_work;
    choice[3] = s->direct_size;
    for (int m = 1; m < METHODS; m++)
        memcpy(choice + FIRST_RECORD + (m - 1) * RECORD_NUMBERS, &s->records[m],
               RECORD_NUMBERS * sizeof *choice);
}

static abut_status load_choice(void *self, const double *choice, abut_error *err)
{
    solver_auto *s = self;
    bool good = choice[0] >= 0 && choice[0] < METHODS;
    for (int k = 0; k < LINEAR_CHOICE; k++) good = good && choice[k] >= 0;
    if (!good)
        return error_set(err, ABUT_ERROR_INPUT, "linear_methods", "not a state of this scene");
    s->used = (int)choice[0];
    s->blocks = choice[1];
    s->direct_work = choice[2];
    s->direct_size = choice[3];
    for (int m = 1; m < METHODS; m++)
        memcpy(&s->records[m], choice + FIRST_RECORD + (m - 1) * RECORD_NUMBERS,
               RECORD_NUMBERS * sizeof *choice);
    return ABUT_OK;
}

static void lend(void *self, void *to)
{
    linear_direct.lend(((solver_auto *)self)->selves[DIRECT], ((solver_auto *)to)->selves[DIRECT]);
}

static void begin_step(void *self)
{
    solver_auto *s = self;
    for (int m = 0; m < METHODS; m++)
        if (classes[m]->begin_step) classes[m]->begin_step(s->selves[m]);
}

/* What was not used in a step gives its memory back. */
static void rest(void *self)
{
    solver_auto *s = self;
    for (int m = 0; m < METHODS; m++) {
        if (!s->in_step[m] && !s->resting[m]) classes[m]->rest(s->selves[m]);
        s->resting[m] = !s->in_step[m];
        s->in_step[m] = false;
    }
}

static const char *describe(const void *self, char *reason, size_t capacity)
{
    const solver_auto *s = self;
    int most = s->used;
    for (int m = 0; m < METHODS; m++)
        if (s->solves[m] > s->solves[most]) most = m;
    if (s->blocks == 0) {
        snprintf(reason, capacity, "auto: no system was solved");
    } else if (s->options.factor || s->blocks < SMALL_SYSTEM) {
        snprintf(reason, capacity, "auto: %.0f blocks%s", s->blocks,
                 s->options.factor ? ", exact solutions are needed" : " are few");
    } else {
        double all = 0, size = 1e-9 * sizeof(double) * s->direct_size;
        for (int m = 0; m < METHODS; m++) all += (double)s->solves[m];
        size_t at = (size_t)snprintf(reason, capacity, "auto: %.0f blocks, %s", s->blocks,
                                     linear_factor_fits(&s->options, s->direct_size)
                                         ? "a factor fits"
                                         : "a factor takes more than half of the memory");
        at += (size_t)snprintf(reason + at, capacity - at, " (%.3g GB, %.3g s of counted work);",
                               size, 1e-9 * s->direct_work);
        for (int m = 0; m < METHODS && at < capacity; m++)
            at += (size_t)snprintf(reason + at, capacity - at, " %s %.0f %%%s", classes[m]->name,
                                   all > 0 ? 100 * (double)s->solves[m] / all : 0,
                                   m + 1 < METHODS ? "," : " of the solves");
    }
    return classes[most]->name;
}

const linear_class linear_auto = {.name = "auto",
                                  .iterative = true,
                                  .create = create,
                                  .solve = solve,
                                  .solve_again = solve_again,
                                  .save = save,
                                  .load = load,
                                  .save_choice = save_choice,
                                  .load_choice = load_choice,
                                  .describe = describe,
                                  .lend = lend,
                                  .rest = rest,
                                  .begin_step = begin_step,
                                  .destroy = destroy};
