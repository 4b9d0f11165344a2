#include "measure/probe_list.h"

#include "measure/cut.h"
#include "measure/probe_find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const axes[] = {"x", "y", "z"};
static const char *const tensor[] = {"xx", "yy", "zz", "xy", "yz", "xz"};
static const char *const resultant[] = {"fx", "fy", "fz", "mx", "my", "mz"};

/* By probe_field. */
static const struct {
    const char *name; /* in frames; NULL: the points */
    unsigned flag;
    int components;
    bool elements; /* nodes have it, not only the collision surface */
} rows[PROBE_FIELDS] = {
    [PROBE_POSITION] = {NULL, 0, 3, true},
    [PROBE_VELOCITY] = {FIELD_VELOCITY, FRAME_VELOCITY, 3, true},
    [PROBE_DISPLACEMENT] = {FIELD_DISPLACEMENT, FRAME_DISPLACEMENT, 3, true},
    [PROBE_CONTACT_FORCE] = {FIELD_CONTACT_FORCE, FRAME_CONTACT_FORCE, 3, false},
    [PROBE_CONTACT_PRESSURE] = {FIELD_CONTACT_PRESSURE, FRAME_CONTACT_FIRST << CONTACT_PRESSURE, 1,
                                false},
    [PROBE_FRICTION_TRACTION] = {FIELD_FRICTION_TRACTION, FRAME_CONTACT_FIRST << CONTACT_TRACTION,
                                 3, false},
    [PROBE_GAP] = {FIELD_GAP, FRAME_CONTACT_FIRST << CONTACT_GAP, 1, false},
    [PROBE_CAUCHY] = {FIELD_CAUCHY_STRESS, FRAME_STRESS_FIRST << STRESS_CAUCHY, 6, true},
    [PROBE_SECOND_PIOLA] = {FIELD_SECOND_PIOLA_STRESS, FRAME_STRESS_FIRST << STRESS_SECOND_PIOLA, 6,
                            true},
    [PROBE_STRETCHES] = {FIELD_PRINCIPAL_STRETCHES, FRAME_STRESS_FIRST << STRESS_STRETCHES, 3,
                         true},
    [PROBE_ENERGY] = {FIELD_ENERGY_DENSITY, FRAME_STRESS_FIRST << STRESS_ENERGY, 1, true},
    [PROBE_PLASTIC_STRAIN] = {FIELD_PLASTIC_STRAIN, FRAME_STRESS_FIRST << STRESS_PLASTIC, 1, true},
    [PROBE_DISSIPATED] = {FIELD_DISSIPATED_ENERGY, FRAME_STRESS_FIRST << STRESS_DISSIPATED, 1,
                          true},
    [PROBE_VON_MISES] = {FIELD_VON_MISES, FRAME_STRESS_FIRST << STRESS_VON_MISES, 1, true},
};

void probe_column(const probe *p, int k, char *text, size_t size)
{
    const char *const *names = p->def->kind == PROBE_CUT ? resultant
                               : p->components == 6      ? tensor
                                                         : axes;
    if (p->components == 1)
        snprintf(text, size, "%.60s", p->def->name);
    else
        snprintf(text, size, "%.60s.%s", p->def->name, names[k]);
    for (char *c = text; *c; c++)
        if (*c == ',' || *c == '"') *c = '_';
}

static int32_t find_body(const model *m, const char *name)
{
    for (size_t b = 0; b < m->bodies.count; b++)
        if (strcmp(m->bodies.data[b].name, name) == 0) return (int32_t)b;
    return -1;
}

static abut_status add_probe(probe_list *list, const probe_def *def, const stepper *s,
                             abut_error *err)
{
    probe p = {.def = def, .body = find_body(s->model, def->body), .components = 6};
    if (p.body < 0)
        return error_set(err, ABUT_ERROR_INPUT, "output.probes",
                         "the probe \"%s\" is on the body \"%s\", which is not simulated",
                         def->name, def->body);
    if (def->kind != PROBE_CUT) {
        p.components = rows[def->field].components;
        list->wanted |= rows[def->field].flag;
        p.volume = rows[def->field].elements && volume_frame_has(&list->volume, p.body);
    }
    if (!array_push(&list->items, p)) return error_memory(err, "preparing probes");
    probe *kept = &list->items.data[list->items.count - 1];
    if (def->kind == PROBE_CUT) return ABUT_OK;
    return probe_find_points(kept, &list->surface, &list->volume, s->model, err);
}

abut_status probe_list_init(probe_list *list, const scene_def *scene, const stepper *s,
                            abut_error *err)
{
    memset(list, 0, sizeof *list);
    TRY(model_frame_init(&list->surface, s->model, err));
    TRY(volume_frame_init(&list->volume, s->model, err));
    for (size_t i = 0; i < scene->output.probe_count; i++)
        TRY(add_probe(list, &scene->output.probes[i], s, err));
    return ABUT_OK;
}

/* What a probe takes of the values of its points; those that are not numbers do not count. */
static double reduce(const probe *p, const double *values, int component)
{
    double sum = 0, weight = 0, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < p->points.count; i++) {
        double v = values[(size_t)p->components * (size_t)p->points.data[i] + (size_t)component];
        double w = p->weights.count > 0 ? p->weights.data[i] : 1;
        if (isnan(v)) continue;
        sum += w * v;
        weight += w;
        least = fmin(least, v);
        most = fmax(most, v);
    }
    if (weight == 0) return p->def->take == TAKE_SUM ? 0 : NAN;
    switch (p->def->take) {
    case TAKE_MEAN: return sum / weight;
    case TAKE_SUM: return sum;
    case TAKE_MIN: return least;
    case TAKE_MAX: return most;
    }
    return NAN;
}

static bool measure_field(probe_list *list, const probe *p, const frame *surface,
                          const frame *volume)
{
    const frame *f = p->volume ? volume : surface;
    const char *name = rows[p->def->field].name;
    const frame_field *field = name ? frame_find(f, FRAME_POINTS, name) : NULL;
    const double *values = name ? field ? field->doubles : NULL : (const double *)f->points;
    for (int k = 0; k < p->components; k++)
        if (!array_push(&list->values, values ? reduce(p, values, k) : NAN)) return false;
    return true;
}

abut_status probe_list_measure(probe_list *list, const stepper *s, abut_error *err)
{
    frame surface, volume = {0};
    model_frame_take(&list->surface, s, &surface);
    TRY(frame_fields_choose(&list->fields, &list->surface, s,
                            list->wanted | FRAME_VELOCITY | FRAME_DISPLACEMENT, &surface, err));
    if (list->volume.node.count > 0) {
        volume_frame_take(&list->volume, s, &volume);
        TRY(frame_fields_choose_volume(&list->fields, &list->volume, s, list->wanted, &volume,
                                       err));
    }
    array_clear(&list->values);
    bool ok = true;
    for (size_t i = 0; ok && i < list->items.count; i++) {
        const probe *p = &list->items.data[i];
        if (p->def->kind != PROBE_CUT) {
            ok = measure_field(list, p, &surface, &volume);
            continue;
        }
        double sum[6];
        TRY(cut_resultant(s, p->body, p->def->place.a, p->def->place.b, sum, err));
        for (int k = 0; ok && k < 6; k++) ok = array_push(&list->values, sum[k]);
    }
    return ok ? ABUT_OK : error_memory(err, "measuring probes");
}

void probe_list_free(probe_list *list)
{
    for (size_t i = 0; i < list->items.count; i++) {
        array_free(&list->items.data[i].points);
        array_free(&list->items.data[i].weights);
    }
    array_free(&list->items);
    array_free(&list->values);
    model_frame_free(&list->surface);
    volume_frame_free(&list->volume);
    frame_fields_free(&list->fields);
}
