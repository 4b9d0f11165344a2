#include "gradient/nlopt_library.h"

#include "base/library.h"

#include <math.h>
#include <stdlib.h>

typedef struct nlopt_functions {
    library lib;
    int (*find)(const char *name); /* number of an algorithm */
    void *(*create)(int algorithm, unsigned n);
    void (*destroy)(void *opt);
    int (*set_function)(void *opt, nlopt_function f, void *data);
    int (*set_low)(void *opt, const double *low);
    int (*set_high)(void *opt, const double *high);
    int (*set_tolerance)(void *opt, double tolerance);
    int (*set_goal)(void *opt, double goal);
    int (*set_evaluations)(void *opt, int most);
    int (*optimize)(void *opt, double *z, double *value);
} nlopt_functions;

/* Results of nlopt_optimize (nlopt.h). */
enum {
    OUT_OF_MEMORY = -3,
    ROUNDING = -4,
    STOPPED = -5,
    GOAL = 2,
    VALUE_TOLERANCE = 3,
    STEP_TOLERANCE = 4,
    EVALUATIONS = 5
};

static abut_status load(nlopt_functions *f, abut_error *err)
{
    const char *given = getenv("ABUT_NLOPT_LIBRARY");
    library *l = &f->lib;
    library_open(l, given ? given : "libnlopt.so.0", given ? NULL : "libnlopt.so");
    library_need(l, "nlopt_algorithm_from_string", &f->find);
    library_need(l, "nlopt_create", &f->create);
    library_need(l, "nlopt_destroy", &f->destroy);
    library_need(l, "nlopt_set_min_objective", &f->set_function);
    library_need(l, "nlopt_set_lower_bounds", &f->set_low);
    library_need(l, "nlopt_set_upper_bounds", &f->set_high);
    library_need(l, "nlopt_set_ftol_rel", &f->set_tolerance);
    library_need(l, "nlopt_set_stopval", &f->set_goal);
    library_need(l, "nlopt_set_maxeval", &f->set_evaluations);
    library_need(l, "nlopt_optimize", &f->optimize);
    if (!l->failure[0]) return ABUT_OK;
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "optimize.method",
                     "needs the library NLopt (Debian: libnlopt0), which cannot be used: %s",
                     l->failure);
}

static const char *word_of(int result)
{
    switch (result) {
    case GOAL: return "goal";
    case VALUE_TOLERANCE:
    case STEP_TOLERANCE: return "tolerance";
    case EVALUATIONS: return "evaluations";
    case STOPPED: return "stopped";
    default: return "rounding"; /* a line search that finds nothing better, too */
    }
}

abut_status nlopt_minimise(const nlopt_problem *p, double *z, const char **reason, abut_error *err)
{
    nlopt_functions f = {0};
    double value;
    TRY(load(&f, err));
    int algorithm = f.find(p->method);
    void *opt = algorithm >= 0 ? f.create(algorithm, p->n) : NULL;
    if (!opt)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "optimize.method",
                         "this NLopt has no method %s", p->method);
    bool set = f.set_function(opt, p->function, p->data) > 0 && f.set_low(opt, p->low) > 0 &&
               f.set_high(opt, p->high) > 0 && f.set_tolerance(opt, p->tolerance) > 0 &&
               f.set_goal(opt, p->goal) > 0 && f.set_evaluations(opt, p->evaluations) > 0;
    int result = set ? f.optimize(opt, z, &value) : OUT_OF_MEMORY;
    f.destroy(opt);
    *reason = word_of(result);
    return result == OUT_OF_MEMORY ? error_memory(err, "optimising") : ABUT_OK;
}
