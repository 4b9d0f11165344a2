/* Pictures of frames without a display: OpenGL by OSMesa or EGL. One picture is the mean of
 * many passes; each pass moves the camera by a fraction of a pixel and takes one direction of the
 * sun's disc and one of the sky, both with shadows. Smooth edges, soft shadows and the darkening in
 * corners and gaps come out of that at once. The same input gives the same picture. */
#ifndef OUTPUT_RENDER_H
#define OUTPUT_RENDER_H

#include "output/camera.h"
#include "output/frame.h"
#include "output/image.h"

typedef struct render_options {
    int width, height;
    int samples;       /* passes, 1..1024 */
    double yaw, pitch; /* degrees; yaw 0 looks from +z (y up), pitch 90 from above */
    double distance;   /* as a multiple of the distance at which everything is in the picture */
    const char *color; /* "body" or the name of a field */
    bool edges;        /* lines along the edges of the mesh */
    bool smooth;       /* false: flat triangles */
    int up_axis;       /* 0, 1, 2 */
    bool up_negative;  /* up is the negative axis */
    bool ground;
    double ground_height; /* along up; NAN: under the lowest point of all frames */
    double line_width;    /* diameter of lines and points, as fractions of the size; 0: default */
    double point_size;
    const bool *neutral;    /* bodies to be drawn in grey (obstacles), or NULL */
    const double *diameter; /* per body: of its lines and points, 0: default; or NULL */
    size_t neutral_count;   /* bodies that the two arrays know */
    double range[2];        /* values at the ends of the colour scale; NAN: those of all frames */
    bool white;             /* plain white behind everything, for print */
} render_options;

render_options render_defaults(void);

/* What all pictures of one run share, so that the camera and the colours stay the same. */
typedef struct render_scope {
    vec3 low, high;
    double range[2]; /* of the coloured field */
    bool has_field;
    camera_view view;
} render_scope;

/* Checks the options. They are the same in all calls. */
abut_status render_scope_start(render_scope *scope, const render_options *options, abut_error *err);
void render_scope_add(render_scope *scope, const frame *f, const render_options *options);
/* Only the values of the coloured field: for frames that are not in the picture. */
void render_scope_add_values(render_scope *scope, const frame *f, const render_options *options);

typedef struct renderer renderer;

abut_status renderer_create(renderer **out, const render_options *options,
                            const render_scope *scope, abut_error *err);
/* picture: made by image_init with the size of the options. */
abut_status renderer_draw(renderer *r, const frame *f, image *picture, abut_error *err);
void renderer_free(renderer *r);

/* From now on the camera is on a circle around the middle of this frame, at a distance from which
 * all of it is seen from every angle. yaw: degrees. */
void renderer_orbit(renderer *r, const frame *f, double yaw);

#endif
