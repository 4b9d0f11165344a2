/* What the readers of robots (URDF, MJCF) share. Errors name file and line. */
#ifndef SCENE_ROBOT_READER_H
#define SCENE_ROBOT_READER_H

#include "scene/robot.h"
#include "scene/xml.h"

typedef struct robot_reader {
    const char *path;
    xml_document xml;
    robot *robot;
    const logger *log;
    abut_error *err;
} robot_reader;

/* ABUT_ERROR_INPUT at the line of an element; name: in quotes behind what, or NULL. */
abut_status robot_bad(const robot_reader *r, int32_t element, const char *what, const char *name);

/* The numbers of an attribute's text, `most` at most. */
abut_status robot_read_list(const robot_reader *r, int32_t element, const char *key,
                            const char *text, int most, double *out, int *count);
abut_status robot_copy_text(const robot_reader *r, const char *text, char **out);

/* By name; -1: there is none. */
int32_t robot_find_link(const robot *r, const char *name);
int32_t robot_find_joint(const robot *r, const char *name);
abut_status robot_add_link(robot_reader *r, const char *name, int32_t *out);

/* Mass and inertia of a link about `at`, checked; kind: what messages call a link. */
abut_status robot_set_inertial(const robot_reader *r, int32_t element, const char *kind,
                               double mass, robot_frame at, mat3 tensor, robot_link *link);

typedef abut_status robot_read_function(const char *path, const file_bytes *bytes,
                                        const logger *log, robot *out, abut_error *err);
/* An importer of scene/load.h. */
abut_status robot_import(const char *path, robot_read_function *read, const logger *log,
                         json_t **native, abut_error *err);

#endif
