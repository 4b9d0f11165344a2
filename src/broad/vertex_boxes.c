#include "broad/vertex_boxes.h"

#include "base/parallel.h"

#include <math.h>

enum { CHUNK = 512 };

void vertex_boxes_free(vertex_boxes *boxes)
{
    array_free(&boxes->stored);
    array_free(&boxes->stored_diagonals);
    array_free(&boxes->exact);
    array_free(&boxes->exact_diagonals);
    array_free(&boxes->chunks);
}

typedef struct box_context {
    vertex_boxes *boxes;
    const broad_query *query;
    box_frame frame;
    bool store; /* stored boxes, else exact ones */
} box_context;

static float to_stored(double x)
{
    double limit = (double)BOX8_LIMIT;
    x = x < -limit ? -limit : x;
    x = x > limit ? limit : x;
    return (float)x;
}

static inline void store_box(const box_frame *frame, const exact_box *box, vertex_box *out)
{
    for (int d = 0; d < 3; d++) {
        out->low[d] = to_stored((box->low[d] - frame->origin[d]) * frame->scale);
        out->high[d] = to_stored((box->high[d] - frame->origin[d]) * frame->scale);
    }
    out->low[3] = out->high[3] = 0.0f;
}

static inline void store_diagonals(const double origin[8], double scale, const exact_diagonals *box,
                                   vertex_diagonals *out)
{
    for (int d = 0; d < 8; d++) {
        out->low[d] = to_stored((box->low[d] - origin[d]) * scale);
        out->high[d] = to_stored((box->high[d] - origin[d]) * scale);
    }
}

/* Bounds of the positions, and the first vertex where something is not finite: the sum of the
 * differences x - x is 0 exactly when all are finite. */
static chunk_bounds chunk_positions(const broad_query *q, size_t begin, size_t end)
{
    chunk_bounds c = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, -1};
    for (size_t v = begin; v < end; v++) {
        double from[4], to[4], wrong = 0.0;
        query_path(q, v, from, to);
        for (int d = 0; d < 3; d++) {
            wrong += (from[d] - from[d]) + (to[d] - to[d]);
            c.low[d] = box_lesser(box_lesser(from[d], to[d]), c.low[d]);
            c.high[d] = box_greater(box_greater(from[d], to[d]), c.high[d]);
        }
        if (q->extra) wrong += (q->extra[v] - q->extra[v]) + (q->extra[v] < 0.0 ? 1.0 : 0.0);
        if (wrong != 0.0 && c.bad < 0) c.bad = (int64_t)v;
    }
    return c;
}

static void diagonal_chunk(const box_context *c, size_t begin, size_t end)
{
    double origin[8];
    diagonal_coordinates(c->frame.origin, origin);
    for (size_t v = begin; v < end; v++) {
        exact_diagonals box = vertex_exact_diagonals(c->query, v);
        if (c->store)
            store_diagonals(origin, c->frame.scale, &box, &c->boxes->stored_diagonals.data[v]);
        else
            c->boxes->exact_diagonals.data[v] = box;
    }
}

static void box_chunk(void *context, size_t begin, size_t end)
{
    box_context *c = context;
    c->boxes->chunks.data[begin / CHUNK] = chunk_positions(c->query, begin, end);
    for (size_t v = begin; v < end; v++) {
        exact_box box = vertex_exact_box(c->query, v);
        if (c->store)
            store_box(&c->frame, &box, &c->boxes->stored.data[v]);
        else
            c->boxes->exact.data[v] = box;
    }
    if (c->query->tight) diagonal_chunk(c, begin, end);
}

static abut_status refuse_vertex(const broad_query *q, size_t v, abut_error *err)
{
    if (!vec3_is_finite(q->y[v]))
        return error_set(err, ABUT_ERROR_INPUT, "", "vertex %zu is at (%g, %g, %g), not finite", v,
                         q->y[v].x, q->y[v].y, q->y[v].z);
    if (q->extra && !(isfinite(q->extra[v]) && q->extra[v] >= 0.0))
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "vertex %zu has the thickness %g, allowed: >= 0", v, q->extra[v]);
    double from[4], to[4];
    query_path(q, v, from, to);
    return error_set(err, ABUT_ERROR_INPUT, "", "vertex %zu moves to (%g, %g, %g), not finite", v,
                     to[0], to[1], to[2]);
}

/* Bounds of all chunks; the first bad vertex is an error. */
static abut_status merge_chunks(vertex_boxes *boxes, const broad_query *q, size_t chunks,
                                abut_error *err)
{
    for (int d = 0; d < 3; d++) {
        boxes->low[d] = INFINITY;
        boxes->high[d] = -INFINITY;
    }
    for (size_t i = 0; i < chunks; i++) {
        const chunk_bounds *c = &boxes->chunks.data[i];
        if (c->bad >= 0) return refuse_vertex(q, (size_t)c->bad, err);
        for (int d = 0; d < 3; d++) {
            boxes->low[d] = box_lesser(boxes->low[d], c->low[d]);
            boxes->high[d] = box_greater(boxes->high[d], c->high[d]);
        }
    }
    return ABUT_OK;
}

static abut_status run_chunks(box_context *c, size_t count, abut_error *err)
{
    const broad_query *q = c->query;
    if (!(isfinite(q->inflation) && q->inflation >= 0.0))
        return error_set(err, ABUT_ERROR_INPUT, "", "the inflation is %g, allowed: finite and >= 0",
                         q->inflation);
    size_t chunks = (count + CHUNK - 1) / CHUNK;
    if (!array_resize(&c->boxes->chunks, chunks))
        return error_memory(err, "computing the boxes of vertices");
    parallel_for(count, CHUNK, box_chunk, c);
    return merge_chunks(c->boxes, q, chunks, err);
}

/* Whether the frame still suits the scene: floats lose precision when the scene has left the frame
 * or become much smaller than it. */
static bool frame_suits(const box_frame *frame, const vertex_boxes *boxes)
{
    if (frame->scale == 0.0) return false;
    double extent = 0.0;
    for (int d = 0; d < 3; d++) {
        double low = (boxes->low[d] - frame->origin[d]) * frame->scale;
        double high = (boxes->high[d] - frame->origin[d]) * frame->scale;
        if (!(low >= -4.0 && high <= 4.0)) return false;
        extent = box_greater(extent, high - low);
    }
    return extent > 0.125 || frame->scale >= 0x1p900;
}

static void choose_frame(box_frame *frame, const vertex_boxes *boxes)
{
    double extent = 0.0;
    for (int d = 0; d < 3; d++) {
        frame->origin[d] = 0.5 * boxes->low[d] + 0.5 * boxes->high[d];
        extent = box_greater(extent, boxes->high[d] - boxes->low[d]);
    }
    int exponent = 1000;
    if (extent < INFINITY) frexp(extent, &exponent);
    if (extent == 0.0 || exponent < -900) exponent = -900;
    frame->scale = ldexp(1.0, 1 - exponent);
}

abut_status vertex_boxes_store(vertex_boxes *boxes, const broad_query *query, size_t count,
                               abut_error *err)
{
    if (!array_resize(&boxes->stored, count) ||
        (query->tight && !array_resize(&boxes->stored_diagonals, count)))
        return error_memory(err, "computing the boxes of vertices");
    box_context c = {boxes, query, boxes->frame, true};
    TRY(run_chunks(&c, count, err));
    if (count == 0 || frame_suits(&boxes->frame, boxes)) return ABUT_OK;
    choose_frame(&boxes->frame, boxes);
    c.frame = boxes->frame;
    return run_chunks(&c, count, err);
}

abut_status vertex_boxes_exact(vertex_boxes *boxes, const broad_query *query, size_t count,
                               abut_error *err)
{
    if (!array_resize(&boxes->exact, count) ||
        (query->tight && !array_resize(&boxes->exact_diagonals, count)))
        return error_memory(err, "computing the boxes of vertices");
    box_context c = {boxes, query, {{0}, 0.0}, false};
    return run_chunks(&c, count, err);
}
