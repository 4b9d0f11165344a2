#include "contact/friction_slip.h"

#include "base/memory.h"

#include <math.h>

abut_status friction_table_make(friction_table *t, double at_rest, const double *rows, size_t count,
                                abut_error *err)
{
    *t = (friction_table){.count = count + 1};
    t->speed = mem_calloc(3 * (count + 1), sizeof *t->speed);
    if (!t->speed) return error_memory(err, "reading a table of friction");
    t->coefficient = t->speed + count + 1;
    t->integral = t->coefficient + count + 1;
    t->coefficient[0] = at_rest;
    for (size_t i = 1; i <= count; i++) {
        t->speed[i] = rows[2 * i - 2];
        t->coefficient[i] = rows[2 * i - 1];
        t->integral[i] = t->integral[i - 1] + 0.5 * (t->coefficient[i - 1] + t->coefficient[i]) *
                                                  (t->speed[i] - t->speed[i - 1]);
    }
    return ABUT_OK;
}

void friction_table_free(friction_table *t)
{
    mem_free(t->speed);
    *t = (friction_table){0};
}

/* Coefficient at a speed, its derivative, and its integral from 0. */
static slip_energy look_up(const friction_table *t, double speed)
{
    size_t last = t->count - 1, i = 0;
    double over = speed - t->speed[last];
    if (over >= 0)
        return (slip_energy){t->integral[last] + t->coefficient[last] * over, t->coefficient[last],
                             0};
    while (t->speed[i + 1] <= speed) i++;
    double bend = (t->coefficient[i + 1] - t->coefficient[i]) / (t->speed[i + 1] - t->speed[i]);
    double s = speed - t->speed[i];
    return (slip_energy){t->integral[i] + s * (t->coefficient[i] + 0.5 * bend * s),
                         t->coefficient[i] + bend * s, bend};
}

slip_energy friction_slip_energy(const friction_slip *s, double y, double eps)
{
    static const double SPAN = 4; /* eps, over which mu falls: narrower is harder for Newton */
    double beyond = y - eps, length = SPAN * eps, t = fmin(beyond / length, 1);
    if (beyond <= 0) return (slip_energy){0, 0, 0};
    if (s->table) {
        slip_energy at = look_up(s->table, beyond / s->h);
        double at_rest = s->table->coefficient[0];
        return (slip_energy){s->normal * (s->h * at.value - at_rest * beyond),
                             s->normal * (at.slope - at_rest), s->normal * at.bend / s->h};
    }
    if (s->drop == 0) return (slip_energy){0, 0, 0};
    double g = length * t * t * t * (1 - 0.5 * t) + fmax(0, beyond - length);
    return (slip_energy){-s->drop * g, -s->drop * t * t * (3 - 2 * t),
                         -s->drop * 6 * t * (1 - t) / length};
}
