/* Scenes built in memory, without files: definitions with defaults, in the terms of the scene
 * format.
 *
 *     abut_scene_def def = abut_default_scene_def();
 *     def.step = 0.01, def.end = 1, def.has_ground = true;
 *     abut_scene *scene;
 *     abut_scene_create(&def, &scene, &error);
 *     abut_material_def jelly = abut_default_material_def();
 *     jelly.young = 1e5, jelly.poisson = 0.4;
 *     abut_scene_add_material(scene, "jelly", &jelly, &error);
 *     abut_body_def body = abut_default_body_def();
 *     body.material = "jelly", body.mesh = mesh, body.translate[1] = 0.5;
 *     abut_scene_add_body(scene, &body, &error);
 *     abut_sim_create_from(scene, NULL, &sim, &error);
 *
 * Every member is a key of scenes; docs/scene-reference.md has unit, limits and meaning, and the
 * same table gives the defaults. Words are those of scenes ("shell", "neo-hookean"). A string that
 * is NULL, a number whose default is not a value of the key (0, or negative) and an empty array are
 * not given. Everything is copied by the call that takes it. What a definition says is checked when
 * the simulation is made, with the messages that a scene file gets. */
#ifndef ABUT_DEFINE_H
#define ABUT_DEFINE_H

#include <abut/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A length, or, where it is relative, a multiple of the size of the scene. */
typedef struct abut_length {
    double value;
    bool relative;
} abut_length;

/* `contact` of scenes. */
typedef struct abut_contact_def {
    bool enabled;
    abut_length dhat; /* m */
    double friction;
    double stiffness; /* 0: chosen and adapted */
    bool area_weighted;
    abut_length eps_v; /* m/s */
    int friction_iterations;
    bool stick_anchors; /* friction at rest holds a displacement */
    const char *ccd;
} abut_contact_def;

/* `solver` of scenes. */
typedef struct abut_solver_def {
    abut_length tolerance; /* m/s */
    int max_iterations;
    const char *linear;
    double linear_tolerance;
} abut_solver_def;

/* What holds for all bodies. */
typedef struct abut_scene_def {
    const char *name;
    double step;            /* s */
    double end;             /* s; the time until when motions are checked, and runs go */
    const char *integrator; /* `time.integrator` */
    double gravity[3];      /* m/s^2 */
    bool planar;
    const char *stepper;
    abut_contact_def contact;
    abut_solver_def solver;
    bool has_ground;
    double ground; /* m */
} abut_scene_def;

/* An entry of `materials`. */
typedef struct abut_material_def {
    const char *model;
    double young, poisson; /* Pa, 1 */
    double density;        /* kg/m^3 */
    double damping;        /* s */
    double c1, c2, bulk;   /* Pa; Mooney-Rivlin, and Ogden */
    double barrier;        /* Pa; against inversion */
    double barrier_below;
} abut_material_def;

/* Vertices with tetrahedra, triangles, edges, or nothing else (points). Indices are from 0. */
typedef struct abut_mesh_def {
    const double *vertices; /* 3 each, m */
    size_t vertex_count;
    const int32_t *tetrahedra;
    size_t tetrahedron_count;
    int tetrahedron_nodes;    /* of each, in Gmsh's order: 4 (also for 0), 10, 20 or 35 */
    const int32_t *triangles; /* 3 each */
    size_t triangle_count;
    const int32_t *edges; /* 2 each */
    size_t edge_count;
} abut_mesh_def;

/* `mesh.fill` of a body: a surface, given or of a file, becomes a solid. */
typedef struct abut_fill_def {
    bool given;  /* the surface is filled; a member with another value than its default says so, too
                  */
    int cells;   /* along its longest side */
    double size; /* of the cells, m; 0: by `cells` */
    double winding; /* inside is where the winding number is larger */
    double close;   /* holes up to this, relative to the diagonal, are closed; 0: none */
    const char *method, *collide;
} abut_fill_def;

/* An entry of `bodies`. */
typedef struct abut_body_def {
    const char *name;
    const char *type;
    abut_mesh_def mesh;
    const char *file;                         /* of the mesh, instead of `mesh` */
    double scale[3], rotate[3], translate[3]; /* applied in this order; degrees, m */
    const char *material;                     /* name of an entry of the scene */
    double density;                           /* kg/m^3; 0: that of the material */
    double total_mass;                        /* kg; rigid and affine bodies; 0: by density */
    int order;                                /* of the displacements of solids; 0: of the mesh */
    double velocity[3], angular_velocity[3];  /* at the start; m/s, deg/s */
    double friction;                          /* negative: that of the scene */
    double offset;                            /* m */
    int collision_group;                      /* negative: none */
    double thickness;                         /* m; shells */
    double diameter;                          /* m; rods */
    double radius;                            /* m; particles */
    abut_fill_def fill;
} abut_body_def;

/* An entry of `fix` of a body: nodes that are fixed, or moved. */
typedef struct abut_fix_def {
    const int32_t *nodes; /* of the mesh; NULL: all */
    size_t node_count;
    double from, until;                      /* s */
    const char *axes;                        /* out of "xyz" */
    double velocity[3], angular_velocity[3]; /* m/s, deg/s */
} abut_fix_def;

/* An entry of `force` of a body: a load on nodes during a time. */
typedef struct abut_force_def {
    const int32_t *nodes; /* of the mesh; NULL: all */
    size_t node_count;
    double from, until;     /* s */
    double acceleration[3]; /* m/s^2 */
    double force[3];        /* N, in all */
    double torque[3];       /* N m; rigid and affine bodies */
} abut_force_def;

/* `turn` (degrees) or `slide` (m) of a joint: what acts along this coordinate. */
typedef struct abut_axis_def {
    double limits[2]; /* equal: none */
    double start;
    double friction, damping, stiffness, rest;
    /* A motor: one of the three, an expression of the time t ("90 * sin(t)"). */
    const char *position, *velocity, *effort;
    double drive_stiffness, drive_damping, max_effort;
} abut_axis_def;

/* An entry of `joints`. Bodies and joints go by their names. */
typedef struct abut_joint_def {
    const char *name;
    const char *type;
    const char *body, *to;
    double point[3]; /* m */
    bool has_to_point;
    double to_point[3];       /* m; joints of two points */
    double axis[3], axis2[3]; /* 0: none */
    bool has_length;
    double length; /* m; joints of two points */
    double lead;   /* m; screws */
    abut_axis_def turn, slide;
    const char *first, *second; /* gears: names of joints */
    double ratio, offset;
    double break_force, break_torque; /* N, N m */
    const char *collide;
} abut_joint_def;

/* An entry of `attachments`: nodes of a body that are attached to another one, or to the world. */
typedef struct abut_attachment_def {
    const char *name;
    const char *body, *to;
    const int32_t *nodes; /* of the mesh of `body`; NULL: all */
    size_t node_count;
    abut_length within;        /* m; 0: however far away */
    double stiffness, damping; /* N/m, N s/m; 0: exact */
    bool close;
    double break_force; /* N */
} abut_attachment_def;

/* An entry of `half_spaces`. */
typedef struct abut_half_space_def {
    double origin[3], normal[3];
    double friction; /* negative: that of the scene */
    double velocity[3];
} abut_half_space_def;

ABUT_API abut_scene_def abut_default_scene_def(void);
ABUT_API abut_material_def abut_default_material_def(void);
ABUT_API abut_body_def abut_default_body_def(void);
ABUT_API abut_fix_def abut_default_fix_def(void);
ABUT_API abut_force_def abut_default_force_def(void);
ABUT_API abut_joint_def abut_default_joint_def(void);
ABUT_API abut_attachment_def abut_default_attachment_def(void);
ABUT_API abut_half_space_def abut_default_half_space_def(void);

typedef struct abut_scene abut_scene;

ABUT_API abut_status abut_scene_create(const abut_scene_def *def, abut_scene **out,
                                       abut_error *error);
ABUT_API void abut_scene_destroy(abut_scene *scene); /* NULL is fine */

ABUT_API abut_status abut_scene_add_material(abut_scene *scene, const char *name,
                                             const abut_material_def *def, abut_error *error);
/* Bodies are numbered from 0 in the order in which they are added. */
ABUT_API abut_status abut_scene_add_body(abut_scene *scene, const abut_body_def *def,
                                         abut_error *error);
/* body: number of the body; ABUT_ERROR_INPUT when there is none. */
ABUT_API abut_status abut_scene_add_fix(abut_scene *scene, size_t body, const abut_fix_def *def,
                                        abut_error *error);
ABUT_API abut_status abut_scene_add_force(abut_scene *scene, size_t body, const abut_force_def *def,
                                          abut_error *error);
ABUT_API abut_status abut_scene_add_joint(abut_scene *scene, const abut_joint_def *def,
                                          abut_error *error);
ABUT_API abut_status abut_scene_add_attachment(abut_scene *scene, const abut_attachment_def *def,
                                               abut_error *error);
ABUT_API abut_status abut_scene_add_half_space(abut_scene *scene, const abut_half_space_def *def,
                                               abut_error *error);

/* The scene so far as JSON that abut_sim_create and the command read. It belongs to the caller:
 * free(). NULL when there is no memory. */
ABUT_API char *abut_scene_text(const abut_scene *scene);

/* Builds the simulation, with the bits that a scene file of the same content gives. The scene is
 * not changed and may be used again. options may be NULL. */
ABUT_API abut_status abut_sim_create_from(const abut_scene *scene, const abut_sim_options *options,
                                          abut_sim **out, abut_error *error);

#ifdef __cplusplus
}
#endif

#endif
