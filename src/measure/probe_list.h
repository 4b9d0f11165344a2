/* Values of fields at points, over regions and across cuts after a step, by name: what
 * `output.probes` of a scene asks for, one or several columns of probes.csv each.
 *
 * A point is followed by the cell of the body that holds it at rest, with the cell's basis
 * functions as weights; bodies without volume cells give their nearest node. The resultant of a cut
 * is the force that the part behind the plane exerts on the part in front of it: the nodal forces,
 * on the nodes in front, of all elements with nodes on both sides at rest. */
#ifndef MEASURE_PROBE_LIST_H
#define MEASURE_PROBE_LIST_H

#include "measure/frame_fields.h"
#include "scene/scene.h"

typedef struct probe {
    const probe_def *def;
    int32_t body;
    bool volume; /* points are those of the volume frame */
    int components;
    ARRAY(int32_t) points;
    ARRAY(double) weights; /* of a point in a cell; empty: a region */
} probe;

typedef struct probe_list {
    model_frame surface;
    volume_frame volume;
    frame_fields fields;
    unsigned wanted; /* fields of frames */
    ARRAY(probe) items;
    ARRAY(double) values; /* of all columns, after probe_list_measure */
} probe_list;

/* Finds points and nodes. ABUT_ERROR_INPUT, naming the probe, where a point is in no cell or a
 * region holds nothing. */
abut_status probe_list_init(probe_list *list, const scene_def *scene, const stepper *s,
                            abut_error *err);
/* Fills values with the state of s. */
abut_status probe_list_measure(probe_list *list, const stepper *s, abut_error *err);
/* Column k of an item: "NAME", "NAME.x", "NAME.fx", ... */
void probe_column(const probe *p, int k, char *text, size_t size);
void probe_list_free(probe_list *list);

#endif
