/* What the files of the MJCF reader share. Functions that fail name the line. */
#ifndef SCENE_IMPORT_MJCF_H
#define SCENE_IMPORT_MJCF_H

#include "scene/robot_reader.h"

typedef struct mjcf_reader {
    robot_reader base;
    double angle; /* rad per unit of angles */
    const char *euler, *mesh_folder;
    bool automatic_limits, inertia_from_geoms, inertia_never;
    char left_out[400]; /* names of what is not read */
} mjcf_reader;

/* ABUT_ERROR_UNSUPPORTED that names an element, or an attribute by @element.attribute. */
abut_status mjcf_refuse(const mjcf_reader *r, int32_t element, const char *what);
/* Names once what is not read and changes no physics. */
void mjcf_leave_out(mjcf_reader *r, const char *name);
/* list: ends with NULL. */
bool mjcf_is_one_of(const char *word, const char *const *list);
const char *mjcf_name(const mjcf_reader *r, int32_t element);

/* An attribute of an element, or that of its class, or of those around the class; NULL: none. */
const char *mjcf_attribute(const mjcf_reader *r, int32_t element, const char *key);
/* Every attribute of an element and of its class must be known: `read`, or left out. */
abut_status mjcf_check_attributes(mjcf_reader *r, int32_t element, const char *const *read,
                                  const char *const *unused);
/* Up to `most` numbers; *count: how many there are (0: no attribute), at least `least`. */
abut_status mjcf_list(const mjcf_reader *r, int32_t element, const char *key, int least, int most,
                      double *out, int *count);
/* `count` numbers; without the attribute what is there stays. */
abut_status mjcf_numbers(const mjcf_reader *r, int32_t element, const char *key, int count,
                         double *out);
abut_status mjcf_truth(const mjcf_reader *r, int32_t element, const char *key, bool *out);

/* The rotation that takes z to a direction. */
mat3 mjcf_from_z_axis(vec3 z);
/* Position and orientation, in any of MJCF's five forms. */
abut_status mjcf_read_frame(const mjcf_reader *r, int32_t element, robot_frame *out);

/* A shape of a link, or a half-space of the world; *sum: mass properties of the link so far. */
abut_status mjcf_read_geom(mjcf_reader *r, int32_t element, int32_t link, mass_properties *sum);

#endif
