#include "output/summary.h"

#include "base/file.h"
#include "base/json_text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char *state_name(abut_status result)
{
    switch (result) {
    case ABUT_OK: return "ok";
    case ABUT_ERROR_NOT_CONVERGED: return "not_converged";
    case ABUT_INTERRUPTED: return "interrupted";
    case ABUT_ERROR_OVERLAP: return "overlap";
    default: return "error";
    }
}

/* JSON has no infinity. */
static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *vector(vec3 v) { return json_pack("[o, o, o]", real(v.x), real(v.y), real(v.z)); }

static json_t *box(const body_summary *b)
{
    return json_pack("[o, o]", vector(b->low), vector(b->high));
}

static json_t *text_or_null(const char *value)
{
    if (!value) return json_null();
    json_t *string = json_string(value);
    return string ? string : json_string("(not UTF-8)");
}

static json_t *stages(const double seconds[STAGE_COUNT])
{
    json_t *object = json_object();
    for (int i = 0; i < STAGE_COUNT; i++)
        if (json_object_set_new(object, stage_names[i], real(seconds[i])) != 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

/* In the scene's order. */
static int add_bodies(json_t *root, const run_summary *s)
{
    json_t *bodies = json_array();
    int failed = 0;
    for (size_t i = 0; i < s->body_count; i++) {
        const body_summary *b = &s->bodies[i];
        failed |= json_array_append_new(
            bodies, json_pack("{s: o, s: o, s: o, s: o}", "name", text_or_null(b->name), "type",
                              text_or_null(b->type), "center_of_mass", vector(b->center_of_mass),
                              "bounds", box(b)));
    }
    failed |= json_object_set_new(root, "bodies", bodies);
    return failed;
}

static int add_accuracy(json_t *root, const run_summary *s)
{
    if (s->accuracy.steps == 0) return 0;
    json_t *o = json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "measured_steps", (json_int_t)s->accuracy.steps,
        "momentum_residual", real(s->accuracy.momentum), "min_normal_force",
        real(s->accuracy.smallest_force), "max_normal_force", real(s->accuracy.largest_force),
        "complementarity", real(s->accuracy.complementarity), "slackness",
        real(s->accuracy.slackness), "min_volume_ratio", real(s->accuracy.min_volume_ratio),
        "admissible", (int)s->accuracy.admissible);
    return json_object_set_new(root, "accuracy", o);
}

static int add_remesh(json_t *root, const run_summary *s)
{
    if (!s->remesh.on) return 0;
    json_t *o = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "splits",
        (json_int_t)s->remesh.splits, "collapses", (json_int_t)s->remesh.collapses, "swaps",
        (json_int_t)s->remesh.swaps, "smoothings", (json_int_t)s->remesh.smoothings, "attempts",
        (json_int_t)s->remesh.attempts, "projections", (json_int_t)s->remesh.projections,
        "changed_steps", (json_int_t)s->remesh.changed_steps, "max_unknowns",
        (json_int_t)s->remesh.max_unknowns, "mean_unknowns", real(s->remesh.mean_unknowns),
        "seconds", real(s->remesh.seconds));
    return json_object_set_new(root, "remesh", o);
}

static json_t *errors(const double e[3])
{
    return json_pack("{s:o, s:o, s:o}", "normal", real(e[0]), "stick", real(e[1]), "slide",
                     real(e[2]));
}

static int add_mlcp(json_t *root, const run_summary *s)
{
    if (!s->mlcp.used) return 0;
    json_t *o = json_pack(
        "{s:I, s:I, s:I, s:o, s:o}", "unconverged_steps", (json_int_t)s->mlcp.unconverged_steps,
        "halvings", (json_int_t)s->mlcp.halvings, "passes", (json_int_t)s->mlcp.passes,
        "largest_errors", errors(s->mlcp.worst), "mean_errors", errors(s->mlcp.mean));
    return json_object_set_new(root, "mlcp", o);
}

static int add_linear(json_t *root, const run_summary *s)
{
    if (!s->linear.name) return 0;
    const linear_statistics *t = &s->linear.statistics;
    json_t *o = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "solver", s->linear.name,
        "reason", s->linear.reason, "solves", (json_int_t)t->solves, "analyses",
        (json_int_t)t->analyses, "factorizations", (json_int_t)t->factorizations, "iterations",
        (json_int_t)t->iterations, "most_iterations", (json_int_t)t->most_iterations, "fallbacks",
        (json_int_t)t->fallbacks, "factor_entries", (json_int_t)t->factor_entries, "subset_solves",
        (json_int_t)s->linear.subset_solves, "true_hessians", (json_int_t)s->linear.true_hessians,
        "true_products", (json_int_t)s->linear.true_products);
    return json_object_set_new(root, "linear", o);
}

static int add_ranks(json_t *root, const run_summary *s)
{
    json_t *rss = json_array();
    int failed = json_object_set_new(root, "ranks", json_integer(s->ranks > 0 ? s->ranks : 1));
    for (int r = 0; s->rank_rss && r < s->ranks; r++)
        failed |= json_array_append_new(rss, json_integer((json_int_t)s->rank_rss[r]));
    if (s->rank_rss) failed |= json_object_set(root, "rank_rss_bytes", rss);
    json_decref(rss);
    return failed;
}

static int add_surface(json_t *root, const run_summary *s)
{
    return json_object_set_new(
        root, "surface",
        json_pack("{s:I, s:I, s:I}", "vertices", (json_int_t)s->surface.vertices, "edges",
                  (json_int_t)s->surface.edges, "triangles", (json_int_t)s->surface.triangles));
}

static int add_point_norms(json_t *root, const run_summary *s)
{
    return json_object_set_new(root, "norms_at_points",
                               json_pack("{s:o, s:o, s:o, s:o}", "l2", real(s->norms_at_points.l2),
                                         "h1", real(s->norms_at_points.h1), "h1_semi",
                                         real(s->norms_at_points.h1_semi), "linf",
                                         real(s->norms_at_points.linf)));
}

static json_t *build(const run_summary *s)
{
    json_t *root = json_pack(
        "{s:s, s:o, s:s, s:o, s:I, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:I, s:i, "
        "s:o, "
        "s:{s:o, s:o, s:o, s:o}}",
        "status", state_name(s->result), "message", text_or_null(s->message), "abut",
        abut_version(), "scene", text_or_null(s->scene), "steps", (json_int_t)s->steps,
        "simulated_seconds", real(s->simulated_seconds), "wall_seconds", real(s->wall_seconds),
        "newton_iterations", (json_int_t)s->newton_iterations, "friction_not_converged_steps",
        (json_int_t)s->contact.friction_not_converged_steps, "max_contact_count",
        (json_int_t)s->contact.max_count, "mean_contact_count", real(s->contact.mean_count),
        "min_distance", real(s->contact.min_distance), "max_stretch", real(s->max_stretch),
        "intersections", (json_int_t)s->contact.intersections, "inverted_elements",
        (json_int_t)s->inverted_elements, "peak_rss_bytes", (json_int_t)s->peak_rss_bytes,
        "threads", s->threads, "stage_seconds", stages(s->stage_seconds), "norms", "l2",
        real(s->norms.l2), "h1", real(s->norms.h1), "h1_semi", real(s->norms.h1_semi), "linf",
        real(s->norms.linf));
    if (root &&
        (json_object_set_new(root, "divided_steps", json_integer((json_int_t)s->divided_steps)) !=
             0 ||
         json_object_set_new(root, "substeps", json_integer((json_int_t)s->substeps)) != 0 ||
         json_object_set_new(root, "truncated_steps",
                             json_integer((json_int_t)s->truncated_steps)) != 0 ||
         json_object_set_new(root, "dirichlet_overlap_steps",
                             json_integer((json_int_t)s->contact.overlap_steps)) != 0 ||
         json_object_set_new(root, "elements", json_integer((json_int_t)s->elements)) != 0 ||
         add_surface(root, s) != 0 || add_point_norms(root, s) != 0 || add_bodies(root, s) != 0 ||
         add_accuracy(root, s) != 0 || add_remesh(root, s) != 0 || add_mlcp(root, s) != 0 ||
         add_linear(root, s) != 0 || add_ranks(root, s) != 0)) {
        json_decref(root);
        root = NULL;
    }
    return root;
}

abut_status summary_write(const char *path, const run_summary *summary, abut_error *err)
{
    json_t *root = build(summary);
    char *text = root ? json_text(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (!text) return error_memory(err, "describing a run");
    size_t length = strlen(text);
    text[length] = '\n'; /* in place of the terminating 0, which is not written */
    abut_status status = atomic_write(path, text, length + 1, err);
    free(text);
    return status;
}

uint64_t summary_peak_rss(void)
{
    /* getrusage also counts the memory of the program that started this one, between fork and exec.
     */
    unsigned long long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %llu", &kilobytes) == 1) break;
    if (status) fclose(status);
    if (kilobytes > 0) return (uint64_t)kilobytes * 1024;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return (uint64_t)usage.ru_maxrss * 1024; /* Linux counts in kB */
}
