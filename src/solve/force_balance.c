#include "solve/force_balance.h"

#include "base/parallel.h"
#include "linear/scatter.h"

#include <math.h>
#include <string.h>

void force_balance_free(force_balance *f)
{
    array_free(&f->sum);
    array_free(&f->buffer);
}

enum { TASK = 64 }; /* stencils */

typedef struct piece {
    const term *t;
    const evaluation *ev;
    const double *x;
    double *gradient;
    size_t first;
    int group;
} piece;

static void evaluate(void *context, size_t begin, size_t end)
{
    const piece *w = context;
    size_t scalars = 3 * (size_t)w->t->groups[w->group].width;
    w->t->class->derivatives(w->t, w->ev, w->group, w->x, w->first + begin, w->first + end,
                             w->gradient + begin * scalars, NULL);
}

static abut_status add_group(force_balance *f, const evaluation *ev, const term *t, int group,
                             const double *x, abut_error *err)
{
    const stencil_group *g = &t->groups[group];
    size_t width = (size_t)g->width, size = scatter_chunk(g->width);
    if (!array_resize(&f->buffer, (g->count < size ? g->count : size) * 3 * width))
        return error_memory(err, "measuring forces");
    for (size_t first = 0; first < g->count; first += size) {
        size_t n = g->count - first < size ? g->count - first : size;
        piece work = {t, ev, x, f->buffer.data, first, group};
        parallel_for(n, TASK, evaluate, &work);
        for (size_t i = 0; i < n * width; i++) {
            int32_t block = g->blocks[first * width + i];
            for (size_t c = 0; block >= 0 && c < 3; c++)
                f->sum.data[3 * (size_t)block + c] += fabs(f->buffer.data[3 * i + c]);
        }
    }
    return ABUT_OK;
}

/* N per unit of the block's coordinates. */
static double lever(const problem *p, int32_t block) { return p->lengths ? p->lengths[block] : 1; }

abut_status force_balance_measure(force_balance *f, const problem *p, const evaluation *ev,
                                  const double *x, double *share, abut_error *err)
{
    double largest = 0, unbalanced = 0;
    if (!array_resize(&f->sum, 3 * (size_t)p->block_count))
        return error_memory(err, "measuring forces");
    memset(f->sum.data, 0, f->sum.count * sizeof *f->sum.data);
    for (int i = 0; i < p->term_count; i++) {
        if (ev->without & term_bit(p->terms[i])) continue;
        for (int g = 0; g < p->terms[i]->group_count; g++)
            TRY(add_group(f, ev, p->terms[i], g, x, err));
    }
    for (size_t i = 0; i < f->sum.count; i++)
        largest = fmax(largest, f->sum.data[i] / lever(p, (int32_t)(i / 3)));
    for (size_t i = 0; i < 3 * (size_t)p->free_count; i++)
        unbalanced = fmax(unbalanced, fabs(p->gradient[i]) / lever(p, p->free_block[i / 3]));
    *share = unbalanced > 0 ? unbalanced / largest : 0;
    return ABUT_OK;
}
