/* What collision surfaces of high-order bodies cost in the assembly: gradient and matrix of contact
 * are computed for surface vertices and pulled back to the nodes.
 *
 *   bench_proxy [SCENE [STEPS]]
 *
 * Runs a scene (default: the ball of the examples) until a step has contacts, then prints
 * microseconds per assembly: all terms; contact with the pull-back; contact without it; and the
 * share of the pull-back in the assembly. */
#include "contact/barrier_stencil.h"
#include "scene/build.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static abut_error err;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void all_terms(stepper *s)
{
    problem_derivatives(&s->problem, &s->evaluation, s->x, true, &err);
}

/* Contact through the rows, as the assembly asks for it. */
static void with_rows(stepper *s)
{
    static double gradient[3 * 200], hessian[9 * 200 * 201 / 2];
    const term *t = &s->contact->base;
    for (int g = 0; g < t->group_count; g++)
        for (size_t i = 0; i < t->groups[g].count; i++)
            t->class->derivatives(t, &s->evaluation, g, s->x, i, i + 1, gradient, hessian);
}

/* The same stencils for surface vertices only. */
static void without_rows(stepper *s)
{
    double gradient[12], hessian[144];
    const contact_term *c = s->contact;
    barrier_law law = {c->options.barrier, c->options.dhat * c->options.dhat, s->evaluation.kappa};
    for (int l = 0; l < STENCIL_LISTS; l++)
        for (size_t i = 0; i < c->active.lists[l].count; i++)
            barrier_stencil_derivatives(&law, (stencil_list)l, &c->active.lists[l].data[i], c->y,
                                        true, gradient, hessian);
}

/* Smallest of many, in microseconds. */
static double measure(stepper *s, void (*work)(stepper *))
{
    double best = 1e9, start = now();
    while (now() - start < 0.2) {
        double begin = now();
        work(s);
        double each = 1e6 * (now() - begin);
        best = each < best ? each : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && argv[1][0] == '-';
    const char *path = argc > 1 && !quick ? argv[1] : "examples/highorder/ball/scene.json";
    int most = argc > 2 ? atoi(argv[2]) : 200;
    scene_def *scene = NULL;
    stepper *s = NULL;
    abut_status status = scene_load(path, NULL, 0, NULL, &scene, &err);
    if (status == ABUT_OK) status = scene_build(scene, NULL, &s, &err);
    step_statistics statistics = {0};
    for (int i = 0; status == ABUT_OK && i < most && statistics.contacts < 4; i++)
        status = stepper_advance(s, &statistics, &err);
    if (status == ABUT_OK) status = problem_update(&s->problem, &s->evaluation, s->x, &err);
    if (status != ABUT_OK) {
        fprintf(stderr, "%s: %s\n", err.place, err.message);
        return 1;
    }
    double all = measure(s, all_terms), rows = measure(s, with_rows);
    double plain = measure(s, without_rows);
    printf("scene,contacts,assembly_us,contact_us,contact_without_rows_us,share_of_pull_back\n");
    printf("%s,%zu,%.1f,%.1f,%.1f,%.3f\n", path, contact_count(s->contact), all, rows, plain,
           (rows - plain) / all);
    stepper_destroy(s);
    scene_free(scene);
    return 0;
}
