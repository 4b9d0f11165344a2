#include "api/verify_way.h"

#include "scene/build.h"

#include <string.h>

/* Two computations of one position may differ by this part of the scene's size. */
static const double SAME_PLACE = 1e-9;

static abut_status build(way_checker *c, const scene_def *scene, abut_error *err)
{
    TRY(scene_build(scene, c->log, &c->stepper, err));
    TRY(model_frame_init(&c->shape, c->stepper->model, err));
    if (!(array_resize(&c->x, c->stepper->state.scalars) &&
          array_resize(&c->points, c->shape.source.count)))
        return error_memory(err, "verifying ways");
    return ABUT_OK;
}

void way_checker_free(way_checker *c)
{
    model_frame_free(&c->shape);
    stepper_destroy(c->stepper);
    array_free(&c->x);
    array_free(&c->points);
    memset(c, 0, sizeof *c);
}

/* Points at the part s of the way from a to b. */
static void place_points(way_checker *c, const double *a, const double *b, double s)
{
    for (size_t i = 0; i < c->x.count; i++) c->x.data[i] = a[i] + s * (b[i] - a[i]);
    model_frame_positions(&c->shape, c->stepper->model, c->x.data, c->points.data);
}

static double distance_to(const way_checker *c, const vec3 *points)
{
    double largest = 0;
    for (size_t i = 0; i < c->points.count; i++) {
        double d = vec3_norm(vec3_sub(points[i], c->points.data[i]));
        if (!(d <= largest)) largest = d;
    }
    return largest;
}

static abut_status check_moment(way_checker *c, run_verification *v, const frame *next, size_t most,
                                abut_error *err)
{
    frame moment = *next;
    moment.points = c->points.data;
    verify_setup setup = v->verifier.setup;
    setup.limits = NULL; /* they belong to frames, whose fields hold the rest shape */
    verify_result found;
    size_t first = v->problems.count;
    TRY(verify_frame(&moment, &setup, most, &found, &v->problems, err));
    v->moments++;
    v->between +=
        found.intersections + found.inverted + found.behind_planes + found.inside + found.too_close;
    for (size_t i = first; i < v->problems.count; i++) {
        verify_problem *p = &v->problems.data[i];
        p->on_way = true;
        if (p->kind == VERIFY_INTERSECTION) v->between_depth = fmax(v->between_depth, p->depth);
    }
    return ABUT_OK;
}

static abut_status check_step(way_checker *c, run_verification *v, const frame *next,
                              const double *way, size_t places, int moments, size_t most,
                              abut_error *err)
{
    size_t n = c->x.count;
    for (size_t i = 0; i + 1 < places; i++) {
        bool meets = i + 2 < places; /* the last place is a frame, or the start of the next step */
        for (int k = 1; k <= moments + meets; k++) {
            double s = (double)k / (moments + 1);
            place_points(c, way + i * n, way + (i + 1) * n, s);
            TRY(check_moment(c, v, next, most, err));
        }
    }
    return ABUT_OK;
}

static abut_status broken(const frame *last, const frame *next, abut_error *err)
{
    return error_set(err, ABUT_ERROR_INPUT, "way",
                     "the way that the frame of step %lld keeps does not lead there from step %lld",
                     (long long)next->step, (long long)last->step);
}

/* Whether the counts fit the scene, before anything is read. */
static bool counts_fit(const way_checker *c, const frame *last, const frame *next)
{
    if (next->point_count != c->points.count || last->point_count != c->points.count) return false;
    if ((int64_t)next->way_steps != next->step - last->step) return false;
    size_t places = 0;
    for (size_t i = 0; i < next->way_steps; i++) {
        if (next->way_places[i] < 1) return false;
        places += (size_t)next->way_places[i];
    }
    return c->x.count > 0 && next->way_length % c->x.count == 0 &&
           next->way_length / c->x.count == places;
}

abut_status way_checker_run(way_checker *c, run_verification *v, const frame *last,
                            const frame *next, int moments, size_t most, abut_error *err)
{
    if (!c->stepper) TRY(build(c, v->scene, err));
    if (!counts_fit(c, last, next)) return broken(last, next, err);
    const double *way = next->way;
    double tolerance = SAME_PLACE * v->verifier.size;
    vec3 *before = mem_alloc(c->points.count + 1, sizeof *before);
    if (!before) return error_memory(err, "verifying ways");
    memcpy(before, last->points, c->points.count * sizeof *before);
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < next->way_steps; i++) {
        size_t places = (size_t)next->way_places[i];
        const double *end = way + (places - 1) * c->x.count;
        place_points(c, way, way, 0);
        if (!(distance_to(c, before) <= tolerance)) status = broken(last, next, err);
        if (status == ABUT_OK) status = check_step(c, v, next, way, places, moments, most, err);
        place_points(c, end, end, 0);
        if (status == ABUT_OK && i + 1 < next->way_steps)
            status = check_moment(c, v, next, most, err);
        memcpy(before, c->points.data, c->points.count * sizeof *before);
        way += places * c->x.count;
    }
    if (status == ABUT_OK && !(distance_to(c, next->points) <= tolerance))
        status = broken(last, next, err);
    mem_free(before);
    return status;
}
