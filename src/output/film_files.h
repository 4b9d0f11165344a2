/* A run as files that many programs read: a sequence of OBJ or PLY files, one per frame, or for
 * every body a point cache (PC2) and the OBJ file of the shape that it moves. */
#ifndef OUTPUT_FILM_FILES_H
#define OUTPUT_FILM_FILES_H

#include "output/body_poses.h"

/* Of "film.obj" and "film.ply": film_000000.obj, ... with an object per body (OBJ), or the number
 * of the body as the property `body` of every vertex (PLY). Of "film.pc2": film_0_NAME.pc2 and
 * film_0_NAME.obj for body 0 and so on. names may be NULL; *files: how many were written. Each file
 * appears when it is complete. */
abut_status film_write_obj(const body_poses *poses, const char *const *names, const char *path,
                           size_t *files, abut_error *err);
abut_status film_write_ply(const body_poses *poses, const char *const *names, const char *path,
                           size_t *files, abut_error *err);
abut_status film_write_pc2(const body_poses *poses, const char *const *names, const char *path,
                           size_t *files, abut_error *err);

#endif
