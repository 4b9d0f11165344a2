#include "app/scene_summary.h"

#include "base/memory.h"
#include "constraint/joint_kind.h"
#include "fill/quality.h"
#include "scene/body_mesh.h"
#include "scene/schema_table.h"
#include "scene/select.h"
#include "scene/start.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- problems ------------------------------------------------------------------------------ */

static void print_log(void *user, abut_log_level level, const char *message)
{
    (void)user;
    fprintf(stderr, "abut: %s%s\n", level == ABUT_LOG_WARNING ? "warning: " : "", message);
}

logger stderr_log(void) { return (logger){print_log, NULL, ABUT_LOG_WARNING}; }

void summary_error(scene_summary *summary, const abut_error *found)
{
    if (summary->error_count++ == 0) {
        summary->status = found->code;
        summary->first = *found;
    } else
        fprintf(stderr, "abut: %s: %s\n", found->place, found->message);
}

void summary_warning(scene_summary *summary, const char *format, ...)
{
    summary->warning_count++;
    fprintf(stderr, "abut: warning: ");
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* Counts a problem of the scene; hands back what the scene is not to blame for. */
static abut_status note(scene_summary *summary, abut_status status, abut_error *err)
{
    if (status == ABUT_OK || status == ABUT_ERROR_MEMORY || status == ABUT_ERROR_INTERNAL)
        return status;
    summary_error(summary, err);
    return ABUT_OK;
}

/* ---- bodies -------------------------------------------------------------------------------- */

static void warn_of_nothing(scene_summary *summary, size_t body, const char *place)
{
    vec3 low, high;
    mesh_bounds(&summary->meshes[body], &low, &high);
    summary_warning(summary,
                    "%s: selects no node of \"%s\", whose nodes are from (%.6g, %.6g, %.6g) to "
                    "(%.6g, %.6g, %.6g)",
                    place, summary->scene->bodies[body].name, low.x, low.y, low.z, high.x, high.y,
                    high.z);
}

/* Selects the nodes of a condition and warns when there are none. marks, if not NULL, has an entry
 * per vertex that is set for selected ones. */
static abut_status look_at_nodes(scene_summary *summary, size_t body, const char *list,
                                 size_t index, const selector_def *nodes, bool *marks,
                                 abut_error *err)
{
    int32_t *selected;
    size_t count;
    char place[200];
    snprintf(place, sizeof place, "%.120s: bodies[%zu].%s[%zu].nodes", summary->scene->path, body,
             list, index);
    abut_status status = select_nodes(nodes, &summary->scene->bodies[body], &summary->meshes[body],
                                      &selected, &count, err);
    if (status != ABUT_OK) return note(summary, error_add_place(err, place, status), err);
    if (count == 0) warn_of_nothing(summary, body, place);
    for (size_t i = 0; marks && i < count; i++) marks[selected[i]] = true;
    mem_free(selected);
    return ABUT_OK;
}

static abut_status look_at_conditions(scene_summary *summary, size_t body, abut_error *err)
{
    const body_def *b = &summary->scene->bodies[body];
    size_t node_count = summary->meshes[body].vertex_count;
    bool *fixed = mem_calloc(node_count, sizeof *fixed);
    if (!fixed) return error_memory(err, "looking at the scene");
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < b->dirichlet.fix_count && status == ABUT_OK; i++)
        status = look_at_nodes(summary, body, "fix", i, &b->dirichlet.fixes[i].nodes,
                               b->dirichlet.fixes[i].from <= 0 ? fixed : NULL, err);
    for (size_t i = 0; i < b->loads.force_count && status == ABUT_OK; i++)
        status = look_at_nodes(summary, body, "force", i, &b->loads.forces[i].nodes, NULL, err);
    for (size_t v = 0; v < node_count; v++) summary->bodies[body].fixed_count += fixed[v];
    mem_free(fixed);
    return status;
}

static abut_status look_at_body(scene_summary *summary, size_t body, abut_error *err)
{
    const body_row *row = body_rows[summary->scene->bodies[body].type];
    body_summary *s = &summary->bodies[body];
    mesh *m = &summary->meshes[body];
    s->mass = NAN;
    abut_status status = body_mesh_load(summary->scene, body, m, err);
    if (status != ABUT_OK) {
        memset(m, 0, sizeof *m);
        return note(summary, status, err);
    }
    TRY(note(summary, body_mesh_check(summary->scene, body, m, err), err));
    TRY(mesh_measure(m, &s->measures, err));
    if (row->weigh) TRY(row->weigh(summary->scene, body, m, s->measures.volume, &s->mass, err));
    return look_at_conditions(summary, body, err);
}

abut_status summary_make(const scene_def *scene, scene_summary *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    out->scene = scene;
    out->bodies = mem_calloc(scene->body_count, sizeof *out->bodies);
    out->meshes = mem_calloc(scene->body_count, sizeof *out->meshes);
    if (!out->bodies || !out->meshes) return error_memory(err, "looking at the scene");
    for (size_t i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].enabled) TRY(look_at_body(out, i, err));
    out->size = start_size(scene, out->meshes);
    return ABUT_OK;
}

static const char *measure_of(const body_def *b, const model *m, const model_body *body)
{
    const body_row *row = body_rows[b->type];
    if (b->rigid.total_mass > 0) return "total_mass";
    return row->measure ? row->measure(m, body) : NULL;
}

void summary_weigh(scene_summary *summary, const model *built)
{
    const scene_def *scene = summary->scene;
    const model_body *body = built->bodies.data;
    for (size_t i = 0; i < scene->body_count; i++) {
        body_summary *s = &summary->bodies[i];
        if (!scene->bodies[i].enabled) continue;
        s->measure = measure_of(&scene->bodies[i], built, body);
        s->mass = s->measure ? 0 : NAN;
        for (int32_t k = 0; k < body->block_count; k++)
            s->mass += built->load_mass.data[body->first_block + k];
        body++;
    }
}

void summary_free(scene_summary *summary)
{
    for (size_t i = 0; summary->meshes && i < summary->scene->body_count; i++)
        mesh_free(&summary->meshes[i]);
    mem_free(summary->meshes);
    mem_free(summary->bodies);
}

/* ---- human-readable ----------------------------------------------------------------------------
 */

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static void print_length(const char *name, length_def length, double size, const char *unit)
{
    printf("%s %.6g %s", name, start_length(length, size), unit);
    if (length.relative) printf(" (%g l)", length.value);
}

static void print_options(const scene_summary *summary)
{
    const scene_def *s = summary->scene;
    printf("  time        %.0f steps of %g s, %s\n", ceil(s->end_time / s->options.h - 1e-9),
           s->options.h, integrator_words[s->options.integrator]);
    printf("  gravity     (%g, %g, %g) m/s^2\n", s->options.gravity.x, s->options.gravity.y,
           s->options.gravity.z);
    printf("  size        l = %.6g m\n", summary->size);
    printf("  contact     ");
    if (s->options.contact) {
        print_length("dhat", s->lengths.dhat, summary->size, "m");
        printf(", friction %g", s->options.friction);
        if (s->options.friction > 0)
            print_length(", eps_v", s->lengths.eps_v, summary->size, "m/s");
        printf("\n");
    } else
        printf("off\n");
    printf("  solver      %s, ", s->options.linear.name);
    print_length("tolerance", s->lengths.tolerance, summary->size, "m/s");
    printf("\n");
    for (size_t i = 0; i < s->half_space_count; i++) {
        const half_space_def *h = &s->half_spaces[i];
        printf("  half space  through (%g, %g, %g), normal (%g, %g, %g)\n", h->origin.x,
               h->origin.y, h->origin.z, h->normal.x, h->normal.y, h->normal.z);
    }
}

static void print_counts(const mesh *m)
{
    printf("%zu node%s", m->vertex_count, plural(m->vertex_count));
    for (int b = 0; b < m->block_count; b++)
        if (m->blocks[b].count > 0)
            printf(", %zu %s%s", m->blocks[b].count, cell_kind_name(m->blocks[b].kind),
                   plural(m->blocks[b].count));
}

static void print_body(const body_def *b, const mesh *shape, const body_summary *s)
{
    printf("  body        %s: %s", b->name, body_kind_words[b->type]);
    if (!b->enabled) {
        printf(", not enabled\n");
        return;
    }
    if (shape->vertex_count == 0) {
        printf(", without its mesh\n");
        return;
    }
    printf(", ");
    print_counts(shape);
    if (isfinite(s->mass)) printf(", %.6g kg", s->mass);
    if (isfinite(s->mass) && s->measure) printf(" (by %s)", s->measure);
    if (b->dirichlet.fix_count > 0) printf(", %zu fixed at the start", s->fixed_count);
    const mesh_measures *m = &s->measures;
    printf("\n              bounds (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)\n", m->low.x, m->low.y,
           m->low.z, m->high.x, m->high.y, m->high.z);
    tet_quality q;
    mesh_tet_quality(shape, &q);
    if (q.count > 0)
        printf("              angles of tets %.1f to %.1f degrees, edges %.3g to %.3g m\n",
               q.smallest, q.largest, q.shortest, q.longest);
    if (m->inverted + m->degenerate > 0)
        printf("              %zu inverted, %zu degenerate cell%s\n", m->inverted, m->degenerate,
               plural(m->degenerate));
}

/* ---- joints -------------------------------------------------------------------------------- */

static void print_axis(const char *name, const joint_axis_def *axis, const char *unit)
{
    if (axis->limited) printf(", %s %g to %g %s", name, axis->limits[0], axis->limits[1], unit);
    if (axis->driven) printf(", driven");
}

static void print_joint(const joint_def *j, int depth, bool closes)
{
    printf("  %*s%s  %s \"%s\"", 12 + 2 * depth, "", j->body, joint_kinds[j->type].name, j->name);
    if (j->has_turn) print_axis("turn", &j->turn, "degrees");
    if (j->has_slide) print_axis("slide", &j->slide, "m");
    printf("%s\n", closes ? " (closes a loop)" : "");
}

/* The bodies that joints lead to from one, each with those that joints lead to from it. */
static void print_branches(const scene_def *s, const char *from, bool *printed, bool *reached,
                           int depth)
{
    enum { DEEPEST = 64 };
    for (size_t i = 0; i < s->joint_count; i++) {
        const joint_def *j = &s->joints[i];
        if (!j->body || printed[i] || strcmp(j->to, from) != 0) continue;
        size_t body = 0;
        while (body < s->body_count && strcmp(s->bodies[body].name, j->body) != 0) body++;
        bool closes = body < s->body_count && reached[body];
        printed[i] = true;
        print_joint(j, depth, closes);
        if (body == s->body_count || closes) continue;
        reached[body] = true;
        if (depth < DEEPEST) print_branches(s, j->body, printed, reached, depth + 1);
    }
}

/* The tree of joints from the world, then from bodies that nothing leads to; then the couplings. */
static void print_joints(const scene_def *s)
{
    bool *printed = mem_calloc(s->joint_count + 1, sizeof *printed);
    bool *reached = mem_calloc(s->body_count + 1, sizeof *reached);
    if (printed && reached && s->joint_count > 0) {
        printf("  joints      %zu, attachments %zu\n", s->joint_count, s->attachment_count);
        printf("  %*sworld\n", 10, "");
        print_branches(s, "world", printed, reached, 0);
        for (int pass = 0; pass < 2; pass++) /* first from where no joint leads to */
            for (size_t i = 0; i < s->joint_count; i++) {
                const char *from = s->joints[i].to;
                bool led = false;
                for (size_t k = 0; k < s->joint_count && s->joints[i].body; k++)
                    led = led || (s->joints[k].body && strcmp(s->joints[k].body, from) == 0);
                if (!s->joints[i].body || printed[i] || (led && pass == 0)) continue;
                printf("  %*s%s\n", 10, "", from);
                print_branches(s, from, printed, reached, 0);
            }
        for (size_t i = 0; i < s->joint_count; i++)
            if (!s->joints[i].body)
                printf("  %*s\"%s\" = %g \"%s\"\n", 10, "", s->joints[i].first, s->joints[i].ratio,
                       s->joints[i].second);
    }
    mem_free(printed);
    mem_free(reached);
}

void summary_print(const scene_summary *summary)
{
    printf("%s: scene \"%s\"\n", summary->scene->path, summary->scene->name);
    print_options(summary);
    for (size_t i = 0; i < summary->scene->body_count; i++)
        print_body(&summary->scene->bodies[i], &summary->meshes[i], &summary->bodies[i]);
    print_joints(summary->scene);
    fflush(stdout);
}

/* ---- for programs -------------------------------------------------------------------------- */

static json_t *json_point(vec3 x) { return json_pack("[f, f, f]", x.x, x.y, x.z); }

static json_t *body_json(const body_def *b, const mesh *shape, const body_summary *s)
{
    json_t *body =
        json_pack("{s:s, s:s, s:b, s:I}", "name", b->name, "type", body_kind_words[b->type],
                  "enabled", b->enabled, "vertices", (json_int_t)shape->vertex_count);
    if (!body || shape->vertex_count == 0) return body;
    json_t *more = json_pack(
        "{s:[o, o], s:I, s:I, s:I, s:o}", "bounds", json_point(s->measures.low),
        json_point(s->measures.high), "inverted", (json_int_t)s->measures.inverted, "degenerate",
        (json_int_t)s->measures.degenerate, "fixed", (json_int_t)s->fixed_count, "mass",
        isfinite(s->mass) ? json_real(s->mass) : json_null());
    json_t *cells = json_object();
    bool good = more && cells && json_object_update(body, more) == 0;
    for (int k = 0; good && k < shape->block_count; k++) {
        const cell_block *block = &shape->blocks[k];
        const char *kind = cell_kind_name(block->kind);
        json_int_t before = json_integer_value(json_object_get(cells, kind));
        good =
            json_object_set_new(cells, kind, json_integer(before + (json_int_t)block->count)) == 0;
    }
    if (good) good = json_object_set(body, "cells", cells) == 0;
    json_decref(more);
    json_decref(cells);
    if (good) return body;
    json_decref(body);
    return NULL;
}

json_t *summary_json(const scene_summary *summary)
{
    const scene_def *s = summary->scene;
    json_t *bodies = json_array();
    bool good = bodies != NULL;
    for (size_t i = 0; good && i < s->body_count; i++)
        good = json_array_append_new(
                   bodies, body_json(&s->bodies[i], &summary->meshes[i], &summary->bodies[i])) == 0;
    if (!good) {
        json_decref(bodies);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:o, s:O}", "file", s->path, "type", "scene",
                     "name", s->name, "time_step", s->options.h, "end_time", s->end_time, "size",
                     summary->size, "bodies", bodies, "resolved", s->resolved);
}
