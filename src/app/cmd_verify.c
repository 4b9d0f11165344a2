#include "app/commands.h"
#include "app/scene_summary.h"
#include "base/json_text.h"
#include "verify/verify_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 20, KEPT = 100000 };

static size_t file_faults(const run_verification *v)
{
    return v->missing.count + v->strange.count + v->broken.count;
}

static size_t violations(const run_verification *v)
{
    return v->intersections + v->inverted + v->behind_planes + v->inside + v->too_close +
           v->strained + v->meetings + file_faults(v) + (v->paths ? v->between : 0);
}

static void print_frames(const run_verification *v)
{
    printf("%10s %12s %14s %9s %14s %7s %16s\n", "step", "time", "intersections", "inverted",
           "behind planes", "inside", "distance");
    for (size_t i = 0; i < v->frames.count; i++) {
        const verify_result *r = &v->frames.data[i];
        printf("%10lld %12.6g %14zu %9zu %14zu %7zu ", (long long)r->step, r->time,
               r->intersections, r->inverted, r->behind_planes, r->inside);
        if (isfinite(r->min_distance))
            printf("%16.6g\n", r->min_distance);
        else
            printf("%16s\n", "far");
    }
}

static void print_problems(const run_verification *v, bool all)
{
    size_t shown = all || v->problems.count < SHOWN ? v->problems.count : SHOWN;
    for (size_t i = 0; i < shown; i++) {
        char text[400];
        verify_describe(&v->problems.data[i], v->verifier.names, text, sizeof text);
        printf("%s %lld: %s\n", v->problems.data[i].on_path ? "on the path to step" : "step",
               (long long)v->problems.data[i].step, text);
    }
    for (size_t i = 0; i < v->missing.count; i++)
        printf("step %lld: its frame is missing, which steps.csv and output.every ask for\n",
               (long long)v->missing.data[i]);
    for (size_t i = 0; i < v->strange.count; i++)
        printf("step %lld: its frame does not belong to a row of steps.csv\n",
               (long long)v->strange.data[i]);
    for (size_t i = 0; i < v->broken.count; i++)
        printf("step %lld: the path that is kept with its frame does not lead there from the frame "
               "before\n",
               (long long)v->broken.data[i]);
    size_t rest = violations(v) - shown - file_faults(v);
    if (rest > 0) printf("and %zu more%s\n", rest, all ? "" : " (--all lists them)");
}

static bool has_limits(const run_verification *v)
{
    for (size_t b = 0; b < v->verifier.setup.body_count; b++)
        if (verify_limit_exists(&v->verifier.setup.limits[b])) return true;
    return false;
}

static bool has_thickness(const run_verification *v)
{
    for (size_t b = 0; b < v->verifier.setup.body_count; b++)
        if (v->verifier.setup.thickness[b] > 0) return true;
    return false;
}

static void print_summary(const run_verification *v)
{
    const verify_result *first = &v->frames.data[0], *last = &v->frames.data[v->frames.count - 1];
    printf("scene             %s\n", v->scene->name);
    printf("frames            %zu, step %lld (%g s) to step %lld (%g s)\n", v->frames.count,
           (long long)first->step, first->time, (long long)last->step, last->time);
    if (v->missing.count + v->strange.count > 0)
        printf("steps.csv         %zu frames missing, %zu that are not of it\n", v->missing.count,
               v->strange.count);
    printf("inverted tets     %zu\n", v->inverted);
    if (v->allowed_inverted > 0)
        printf("allowed           %zu inverted tets of materials that allow it, %zu nodes in tets "
               "of their bodies\n",
               v->allowed_inverted, v->allowed_inside);
    if (has_limits(v)) printf("beyond limits     %zu triangles\n", v->strained);
    if (!v->verifier.setup.contact) {
        printf("contact           off, nothing else to check\n");
    } else {
        printf("intersections     %zu\n", v->intersections);
        printf("behind planes     %zu\n", v->behind_planes);
        printf("inside bodies     %zu\n", v->inside);
        if (has_thickness(v)) printf("within thickness  %zu pairs\n", v->too_close);
        if (isfinite(v->min_distance))
            printf("smallest distance %.6g m, at step %lld (dhat is %.6g m)\n", v->min_distance,
                   (long long)v->min_distance_step, v->verifier.dhat);
        else
            printf("smallest distance more than %.6g m, twice dhat\n", v->verifier.setup.radius);
    }
    if (v->moments > 0) {
        printf("%s %zu intersections at %zu moments",
               v->paths ? "along the paths  " : "between frames   ", v->between, v->moments);
        printf(v->between > 0 ? ", up to %.3g m deep\n" : "\n", v->between_depth);
    }
    if (v->pieces > 0)
        printf("along the paths   %zu of %zu pairs not kept apart, on %zu pieces\n", v->meetings,
               v->pairs, v->pieces);
    if (v->verifier.setup.contact && v->frames.count > 1 && !v->paths)
        printf("paths             none kept: what happened between frames was not checked\n");
    if (v->changed_meshes > 0)
        printf("changed meshes    in %zu steps; what lies between meshes is no part of a path\n",
               v->changed_meshes);
    printf("result            %s\n", violations(v) == 0 ? "clean" : "violated");
}

/* ---- JSON ---- */

static json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_points(const int32_t *points, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_integer(points[i]));
    return list;
}

static json_t *json_problem(const run_verification *v, const verify_problem *p)
{
    static const char *const kinds[] = {"intersection", "inverted", "behind_plane", "inside",
                                        "too_close",    "strained", "meeting"};
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_string(kinds[p->kind]));
    json_object_set_new(o, "step", json_integer(p->step));
    if (p->on_path) json_object_set_new(o, "on_path", json_true());
    json_object_set_new(o, "body", json_string(v->verifier.names[p->first_body]));
    json_object_set_new(o, "points", json_points(p->first, p->first_count));
    bool pair =
        p->kind == VERIFY_INTERSECTION || p->kind == VERIFY_TOO_CLOSE || p->kind == VERIFY_MEETING;
    if (pair) json_object_set_new(o, "pair", json_string(check_kind_name(p->pair)));
    if (pair || p->kind == VERIFY_INSIDE) {
        json_object_set_new(o, "other_body", json_string(v->verifier.names[p->second_body]));
        json_object_set_new(o, "other_points", json_points(p->second, p->second_count));
    }
    if (p->kind == VERIFY_BEHIND_PLANE)
        json_object_set_new(o, "plane", json_integer(p->second_body));
    json_object_set_new(o, "position",
                        json_pack("[f, f, f]", p->position.x, p->position.y, p->position.z));
    if (p->kind == VERIFY_INVERTED)
        json_object_set_new(o, "volume", json_number(-p->depth));
    else if (p->kind == VERIFY_STRAINED)
        json_object_set_new(o, "strain", json_number(p->depth));
    else if (p->kind == VERIFY_TOO_CLOSE)
        json_object_set_new(o, "thickness", json_number(p->depth));
    else if (p->kind != VERIFY_INSIDE && p->kind != VERIFY_MEETING)
        json_object_set_new(o, "depth", json_number(p->depth));
    return o;
}

static json_t *json_frame(const verify_result *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "step", json_integer(r->step));
    json_object_set_new(o, "time", json_number(r->time));
    json_object_set_new(o, "intersections", json_integer((json_int_t)r->intersections));
    json_object_set_new(o, "inverted_elements", json_integer((json_int_t)r->inverted));
    json_object_set_new(o, "allowed_inverted", json_integer((json_int_t)r->allowed_inverted));
    json_object_set_new(o, "behind_planes", json_integer((json_int_t)r->behind_planes));
    json_object_set_new(o, "inside", json_integer((json_int_t)r->inside));
    json_object_set_new(o, "too_close", json_integer((json_int_t)r->too_close));
    json_object_set_new(o, "strained", json_integer((json_int_t)r->strained));
    json_object_set_new(o, "min_distance", json_number(r->min_distance));
    return o;
}

static json_t *json_steps(const int64_t *steps, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_integer(steps[i]));
    return list;
}

static abut_status print_json(const run_verification *v, abut_error *err)
{
    json_t *o = json_object(), *frames = json_array(), *problems = json_array();
    for (size_t i = 0; i < v->frames.count; i++)
        json_array_append_new(frames, json_frame(&v->frames.data[i]));
    for (size_t i = 0; i < v->problems.count; i++)
        json_array_append_new(problems, json_problem(v, &v->problems.data[i]));
    json_object_set_new(o, "scene", json_string(v->scene->name));
    json_object_set_new(o, "clean", json_boolean(violations(v) == 0));
    json_object_set_new(o, "intersections", json_integer((json_int_t)v->intersections));
    json_object_set_new(o, "inverted_elements", json_integer((json_int_t)v->inverted));
    json_object_set_new(o, "allowed_inverted", json_integer((json_int_t)v->allowed_inverted));
    json_object_set_new(o, "allowed_inside", json_integer((json_int_t)v->allowed_inside));
    json_object_set_new(o, "behind_planes", json_integer((json_int_t)v->behind_planes));
    json_object_set_new(o, "inside", json_integer((json_int_t)v->inside));
    json_object_set_new(o, "too_close", json_integer((json_int_t)v->too_close));
    json_object_set_new(o, "strained", json_integer((json_int_t)v->strained));
    json_object_set_new(o, "missing_frames", json_steps(v->missing.data, v->missing.count));
    json_object_set_new(o, "broken_paths", json_steps(v->broken.data, v->broken.count));
    json_object_set_new(o, "strange_frames", json_steps(v->strange.data, v->strange.count));
    json_object_set_new(o, "paths", json_boolean(v->paths));
    json_object_set_new(o, "moments_between", json_integer((json_int_t)v->moments));
    json_object_set_new(o, "intersections_between", json_integer((json_int_t)v->between));
    json_object_set_new(o, "path_pieces", json_integer((json_int_t)v->pieces));
    json_object_set_new(o, "path_pairs", json_integer((json_int_t)v->pairs));
    json_object_set_new(o, "path_meetings", json_integer((json_int_t)v->meetings));
    json_object_set_new(o, "changed_meshes", json_integer((json_int_t)v->changed_meshes));
    json_object_set_new(o, "depth_between", json_number(v->between_depth));
    json_object_set_new(o, "min_distance", json_number(v->min_distance));
    json_object_set_new(o, "min_distance_step", json_integer(v->min_distance_step));
    json_object_set_new(o, "dhat", json_number(v->verifier.dhat));
    json_object_set_new(o, "problems", problems);
    json_object_set_new(o, "frames", frames);
    char *text = json_text(o, JSON_INDENT(2));
    json_decref(o);
    if (!text) return error_memory(err, "printing the result");
    printf("%s\n", text);
    free(text);
    return ABUT_OK;
}

static abut_status run(const command_line *line, abut_error *err)
{
    logger log = stderr_log();
    const char *folder = line->arguments[0];
    int64_t moments = -1;
    TRY(line_integer(line, "--between", 0, 1000, &moments, err));
    run_verification v;
    TRY(verify_run_between(folder, KEPT, (int)moments, &log, &v, err));
    abut_status status = ABUT_OK;
    if (line_has(line, "--json")) {
        status = print_json(&v, err);
    } else {
        if (line_has(line, "--frames")) print_frames(&v);
        print_problems(&v, line_has(line, "--all"));
        print_summary(&v);
    }
    fflush(stdout);
    if (status == ABUT_OK && violations(&v) > 0)
        status =
            error_set(err, ABUT_ERROR_INFEASIBLE, folder, "%zu violation%s in %zu of %zu frames",
                      violations(&v), violations(&v) == 1 ? "" : "s", v.bad_frames, v.frames.count);
    run_verification_free(&v);
    return status;
}

static const option_def options[] = {
    {"--json", NULL, NULL, "print one JSON object instead of human-readable lines",
     COMPLETE_NOTHING},
    {"--frames", NULL, NULL, "print one line per frame, too", COMPLETE_NOTHING},
    {"--between", NULL, "N",
     "look at N moments of every piece of the path between frames (3 where the frames keep it)",
     COMPLETE_NOTHING},
    {"--all", NULL, NULL, "list all problems instead of the first 20", COMPLETE_NOTHING},
};

const command_def command_verify = {
    .name = "verify",
    .summary = "check every frame of a finished run",
    .arguments = "DIR",
    .details =
        "Looks at every frame in the folder of a run, with exact arithmetic and apart from the "
        "code "
        "that simulated it: pairs of edges, triangles and points that intersect or touch, inverted "
        "tetrahedra, nodes behind half spaces or in the interior of a body, pairs that are closer "
        "than the thickness of their bodies, triangles beyond their strain limits, and the "
        "smallest "
        "distance. Pairs of obstacles are "
        "not looked at; inverted tetrahedra of materials that allow it (fixed corotated, linear, "
        "SVK) are "
        "counted apart and are no violation; without contact in the scene only inversions are.\n"
        "Frames that steps.csv asks for must be there.\n"
        "Frames keep the path of the solver's iterates from one to the next (output.paths): places "
        "between which all coordinates change linearly, so that bodies turn along curves. Every "
        "pair is proven to be apart at all times of it. With --between, frames "
        "without paths are interpolated: bodies turn rigidly from one frame to the next, and "
        "deform "
        "linearly. That is not the path of the solver's iterations, which its collision detection "
        "guarantees, so that what is found there is counted apart.\n"
        "The exit code is 0 when all frames are clean, 4 when something is violated (what, where "
        "and how deep is listed, with the numbers that points have in the frames), 2 or 5 for a "
        "folder that is no result of a run or cannot be read.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .complete = COMPLETE_FOLDER,
    .run = run,
};
