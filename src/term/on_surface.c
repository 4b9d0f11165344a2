#include "term/on_surface.h"

#include "base/parallel.h"

abut_status on_surface_begin(on_surface_term *t, const term_class *class, const model *m,
                             const on_surface_functions *functions, abut_error *err)
{
    size_t vertices = m->surface.rows.count;
    t->base = (term){.class = class};
    t->model = m;
    t->functions = functions;
    t->y = mem_calloc(vertices + 1, sizeof *t->y);
    t->start = mem_calloc(vertices + 1, sizeof *t->start);
    return t->y && t->start ? ABUT_OK : error_memory(err, "adding loads on surfaces");
}

static abut_status add(on_surface_term *t, const int32_t *vertex, int count, int32_t source,
                       abut_error *err)
{
    surface_element made = {.count = count, .source = source};
    for (int k = 0; k < count; k++) made.vertex[k] = vertex[k];
    row_item item = {count, (int32_t)t->elements.count};
    if (!array_push(&t->elements, made)) return error_memory(err, "adding loads on surfaces");
    return row_stencils_add(&t->stencils, &t->model->surface, item, vertex, count, err);
}

abut_status on_surface_add_body(on_surface_term *t, int32_t body, bool thin, int32_t source,
                                abut_error *err)
{
    const collision_surface *s = &t->model->surface;
    const body_surface *part = &t->model->bodies.data[body].surface;
    for (size_t i = 0; i < part->triangle_count; i++)
        TRY(add(t, s->triangles.data + 3 * (part->first_triangle + i), 3, source, err));
    size_t last = part->first_edge + part->edge_count;
    for (size_t i = part->free_edge_first; thin && i < last; i++)
        TRY(add(t, s->edges.data + 2 * i, 2, source, err));
    for (size_t i = 0; thin && i < part->vertex_count; i++) {
        int32_t vertex = (int32_t)(part->first_vertex + i);
        if (!s->vertex_on_edge.data[vertex]) TRY(add(t, &vertex, 1, source, err));
    }
    return ABUT_OK;
}

abut_status on_surface_finish(on_surface_term *t, abut_error *err)
{
    (void)err;
    t->base.group_count = ROW_GROUPS;
    row_stencils_publish(&t->stencils, &t->base, 0);
    return ABUT_OK;
}

void on_surface_free(on_surface_term *t)
{
    row_stencils_free(&t->stencils);
    array_free(&t->elements);
    array_free(&t->poses);
    mem_free(t->y);
    mem_free(t->start);
}

abut_status on_surface_update(term *base, const double *x, abut_error *err)
{
    on_surface_term *t = (on_surface_term *)base;
    collision_surface_positions(&t->model->surface, x, t->y);
    return rigid_pose_list_update(&t->poses, &t->model->surface, x, err);
}

void on_surface_begin_step(on_surface_term *t, const double *x)
{
    collision_surface_positions(&t->model->surface, x, t->start);
}

static void load(const on_surface_term *t, size_t e, vec3 *y)
{
    const surface_element *at = &t->elements.data[e];
    for (int k = 0; k < at->count; k++) y[k] = t->y[at->vertex[k]];
}

typedef struct sum_work {
    const on_surface_term *t;
    const evaluation *ev;
} sum_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const sum_work *w = context;
    double sum = 0;
    for (size_t e = begin; e < end; e++) {
        vec3 y[3];
        load(w->t, e, y);
        sum += w->t->functions->energy(w->t, w->ev, e, y);
    }
    return sum;
}

double on_surface_value(const term *base, const evaluation *ev, const double *x)
{
    (void)x;
    const on_surface_term *t = (const on_surface_term *)base;
    sum_work work = {t, ev};
    return ev->force_factor * parallel_sum(t->elements.count, energy_range, &work);
}

void on_surface_derivatives(const term *base, const evaluation *ev, int group, const double *x,
                            size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)x;
    const on_surface_term *t = (const on_surface_term *)base;
    const stencil_group *stencils = &base->groups[group];
    size_t width = (size_t)stencils->width, pairs = width * (width + 1) / 2;
    for (size_t i = begin; i < end; i++) {
        size_t e = (size_t)t->stencils.items[group].data[i].index;
        const surface_element *at = &t->elements.data[e];
        double g[9], h[81];
        vec3 y[3];
        load(t, e, y);
        t->functions->derivatives(t, ev, e, y, g, h);
        for (int k = 0; k < 3 * at->count; k++) g[k] *= ev->force_factor;
        for (int k = 0; k < 9 * at->count * at->count; k++) h[k] *= ev->force_factor;
        row_chain_rule(&t->model->surface, &t->poses, at->vertex, at->count,
                       stencils->blocks + width * i, (int)width, g, hessian ? h : NULL, !ev->exact,
                       gradient ? gradient + 3 * width * (i - begin) : NULL,
                       hessian ? hessian + 9 * pairs * (i - begin) : NULL);
    }
}
