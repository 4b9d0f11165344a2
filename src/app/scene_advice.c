#include "app/scene_advice.h"

#include "fill/quality.h"
#include "scene/start.h"

#include <math.h>

static vec3 extent(const body_summary *s) { return vec3_sub(s->measures.high, s->measures.low); }

/* A bar that hangs is strained by density x gravity x length / young at its upper end. */
static void advise_units(scene_summary *summary, size_t i)
{
    const scene_def *scene = summary->scene;
    const body_def *b = &scene->bodies[i];
    if (!body_rows[b->type]->solid || !(b->material.young > 0)) return;
    vec3 g = scene->options.gravity, size = extent(&summary->bodies[i]);
    double height =
        vec3_norm(g) > 0
            ? (fabs(g.x) * size.x + fabs(g.y) * size.y + fabs(g.z) * size.z) / vec3_norm(g)
            : 0;
    double strain = b->material.density * vec3_norm(g) * height / b->material.young;
    if (strain > 1)
        summary_warning(summary,
                        "%s: body \"%s\" cannot carry itself: gravity alone strains it by about "
                        "%.2g; it is %.3g m high, has a Young's modulus of %g Pa and %g kg/m3. "
                        "Are these its units?",
                        scene->path, b->name, strain, height, b->material.young,
                        b->material.density);
}

/* How far a body goes in a step, by its velocity and by falling from rest to its own height. */
static void advise_step(scene_summary *summary, size_t i)
{
    const scene_def *scene = summary->scene;
    const body_def *b = &scene->bodies[i];
    if (body_rows[b->type]->obstacle) return;
    double size = vec3_norm(extent(&summary->bodies[i])), h = scene->options.h;
    double speed = vec3_norm(b->velocity), fall = vec3_norm(scene->options.gravity) * h * h;
    double path = speed * h + fall;
    if (size > 0 && path > 10 * size)
        summary_warning(summary,
                        "%s: body \"%s\" is %.3g m large and goes %.3g m in a step of %g s "
                        "(%.3g m/s, and gravity); are these its units?",
                        scene->path, b->name, size, path, h, speed);
}

static void advise_distance(scene_summary *summary, size_t i, double dhat)
{
    const body_def *b = &summary->scene->bodies[i];
    vec3 size = extent(&summary->bodies[i]);
    double thinnest = fmin(size.x, fmin(size.y, size.z));
    if (!body_rows[b->type]->solid || summary->scene->planar || !(dhat > thinnest)) return;
    summary_warning(summary,
                    "%s: dhat is %.3g m and body \"%s\" only %.3g m thick; contact would begin "
                    "from further away than that",
                    summary->scene->path, dhat, b->name, thinnest);
}

static void advise_shape(scene_summary *summary, size_t i)
{
    const body_def *b = &summary->scene->bodies[i];
    tet_quality q;
    if (!body_rows[b->type]->solid) return;
    mesh_tet_quality(&summary->meshes[i], &q);
    if (q.count > 0 && q.inverted == 0 && q.smallest < 1)
        summary_warning(summary,
                        "%s: body \"%s\" has nearly flat tetrahedra (smallest dihedral angle "
                        "%.2g degrees); steps may converge slowly",
                        summary->scene->path, b->name, q.smallest);
}

/* Triangles that share no vertex at all, as in files that list every corner for itself. */
static void advise_weld(scene_summary *summary, size_t i)
{
    enum { FEW = 4 };
    const mesh_measures *m = &summary->bodies[i].measures;
    if (m->surface_triangles < FEW || m->border_edges < 3 * m->surface_triangles) return;
    summary_warning(summary,
                    "%s: body \"%s\" is %zu triangles that have no vertex in common; its mesh is "
                    "not welded (`abut mesh IN OUT --repair` does that)",
                    summary->scene->path, summary->scene->bodies[i].name, m->surface_triangles);
}

static void advise_end(scene_summary *summary)
{
    const scene_def *scene = summary->scene;
    double h = scene->options.h, steps = scene->end_time / h, whole = ceil(steps - 1e-9);
    if (scene->steps > 0 || !isfinite(steps) || fabs(steps - round(steps)) <= 1e-6 * steps) return;
    summary_warning(summary,
                    "%s: time.end is %g s, no multiple of time.step (%g s); the last step ends at "
                    "%g s",
                    scene->path, scene->end_time, h, whole * h);
}

void scene_advise(scene_summary *summary)
{
    const scene_def *scene = summary->scene;
    double dhat = scene->options.contact ? start_length(scene->lengths.dhat, summary->size) : 0;
    advise_end(summary);
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!scene->bodies[i].enabled || summary->meshes[i].vertex_count == 0) continue;
        advise_units(summary, i);
        advise_step(summary, i);
        advise_distance(summary, i, dhat);
        advise_shape(summary, i);
        advise_weld(summary, i);
    }
}
