/* A scene as the rest of the program sees it: plain definition structs, filled from a validated
 * native JSON document by the rows of the table (schema_table*.c), which name a member for every
 * key. Importers of foreign formats translate to that JSON and never come here. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "base/expression.h"
#include "base/log.h"
#include "base/status.h"
#include "base/words.h"
#include "body/kind.h"
#include "fill/fill.h"
#include "material/elastic.h"
#include "material/parts.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "scene/joint_def.h"
#include "scene/schema_place.h"
#include "step/options.h"

#include <jansson.h>

/* How the change of volume of an element counts. */
#define DILATATIONS(ROW) ROW(DILATATION_POINTS, "pointwise") ROW(DILATATION_MEAN, "mean")
typedef enum dilatation_form { DILATATIONS(WORD_CONSTANT) } dilatation_form;

typedef struct material_def {
    bool given;
    const char *name;
    elastic_model model;
    double young, poisson, density; /* Pa, 1, kg/m^3 */
    dilatation_form dilatation;
    double damping;       /* s */
    double barrier;       /* Pa; against inversion, 0: none */
    double barrier_below; /* of det F */
    double c1, c2, bulk;  /* Mooney-Rivlin, Pa; bulk: Ogden, too */
    int terms;            /* Ogden */
    double coefficient[OGDEN_MAX_TERMS], exponent[OGDEN_MAX_TERMS];
    double own[LAW_MAX_PARAMETERS]; /* of the law */
    material_parts parts;
} material_def;

/* Measures of a part of space, by its kind: box corners; centre; axis ends; point and normal. */
typedef struct place_def {
    vec3 a, b;
    double radius;
} place_def;

/* Which boundary faces get a number; the first entry that contains a face's centre decides. */
typedef enum boundary_kind {
    BOUNDARY_ALL,
    BOUNDARY_BOX,
    BOUNDARY_SPHERE,
    BOUNDARY_CYLINDER,
    BOUNDARY_SIDE,
    BOUNDARY_NODES /* faces with all corners in a list */
} boundary_kind;

typedef struct boundary_def {
    int32_t number;
    boundary_kind kind;
    place_def place;
    size_t node_count;
    int32_t *nodes;
} boundary_def;

/* Cells of another material than the body: with a tag, with their centre in a part of space, or
 * from a list of numbers. */
typedef struct region_def {
    boundary_def part; /* kind BOUNDARY_ALL: by tag; BOUNDARY_NODES: numbers of cells */
    int32_t tag;
    material_def material;
} region_def;

/* A load on a part of the boundary: dead tractions per area at rest, along axes or normals at rest,
 * or a pressure that follows the deformed surface. */
typedef enum surface_load_kind { LOAD_TRACTION, LOAD_NORMAL, LOAD_PRESSURE } surface_load_kind;

typedef struct surface_load_def {
    bool on_part;   /* else: on the whole boundary */
    int32_t number; /* of the part */
    double from, until;
    surface_load_kind kind;
    expression *value[3]; /* Pa; of the last two kinds one */
} surface_load_def;

/* Elements and collision surface of a deformable body. */
typedef struct solid_def {
    int order;                /* of the basis; 0: that of the mesh */
    int segments;             /* of the sampled boundary per edge; 0: by the orders */
    double max_edge;          /* m; 0: no limit */
    const char *surface_path; /* resolved; NULL: the boundary */
    int surface_piece;        /* connected piece of that file, from 0; -1: all of it */
    const char *map_path;     /* of the surface: HDF5; NULL: it is found in the cells */
    const char *like_path;    /* mesh whose mass and centre the densities are fitted to, or NULL */
    const char *densities_path; /* one number per cell; NULL: the material's */
    size_t region_count;
    region_def *regions;
} solid_def;

#define REMESH_METHODS(ROW)                                                                        \
    ROW(REMESH_ENERGY, "energy")                                                                   \
    ROW(REMESH_SIZING_FIELD, "sizing-field")                                                       \
    ROW(REMESH_UNIFORM, "uniform")
typedef enum remesh_method { REMESH_METHODS(WORD_CONSTANT) } remesh_method;

/* How the meshes of deformable bodies change within the steps. */
typedef struct remesh_def {
    bool on;
    remesh_method method;
    int every;
    bool split, collapse, swap, smooth;
    double split_tolerance, collapse_tolerance; /* J */
    double screening;
    double least_gain; /* of the energy of the bodies */
    double split_threshold, collapse_threshold;
    int depth;
    double min_edge; /* m */
    double max_edge; /* times the shortest edge at the start */
    double quality;
    int max_cells;
    int step, levels;                   /* uniform */
    double stretch_change, contact_gap; /* sizing field */
} remesh_def;

/* Which nodes of a body a condition applies to. */
typedef enum selector_kind {
    SELECT_ALL,
    SELECT_BOX,          /* absolute box, after the body's transform */
    SELECT_RELATIVE_BOX, /* box in [0,1]^3 of the body's bounding box */
    SELECT_SPHERE,
    SELECT_LIST,
    SELECT_TAG,     /* nodes of the cells with this physical tag */
    SELECT_BOUNDARY /* nodes of the boundary faces that the body gives this number */
} selector_kind;

typedef struct selector_def {
    selector_kind kind;
    place_def place; /* boxes, sphere */
    size_t count;
    int32_t *list;
    int32_t tag;
} selector_def;

/* Prescribed motion during [from, until): constant linear velocity, and rotation about an axis
 * through a centre. The centre moves with the linear motion. */
typedef struct motion_def {
    double from, until;
    vec3 velocity;         /* m/s */
    vec3 angular_velocity; /* degrees per second about x, y, z (a vector) */
    vec3 center;
    bool center_given; /* else: the centre of the selected nodes' bounding box at the start */
} motion_def;

/* Dirichlet condition: the selected nodes are fixed (no motion) or moved, from `from` until
 * `until`. */
typedef struct fix_def {
    selector_def nodes;
    double from, until;
    bool axes[3];          /* which components are prescribed */
    bool rotation_axes[3]; /* rigid and affine bodies */
    size_t motion_count;
    motion_def *motions;
    expression *displacement[3]; /* instead of motions; NULL: none */
    bool takes_over;             /* nodes of entries before it */
    bool has_release;            /* for good, when all simulated nodes are beyond this coordinate */
    int release_axis;
    double release_beyond;
} fix_def;

/* Constant force on selected nodes: acceleration (per mass) or total force shared equally. */
typedef struct force_def {
    selector_def nodes;
    double from, until;
    vec3 acceleration;    /* m/s^2 */
    expression *field[3]; /* m/s^2, added; NULL: none */
    vec3 force;           /* N over all selected nodes */
    vec3 torque;          /* N m; rigid and affine bodies */
} force_def;

/* Of a rigid or affine body at the end of a step, relative to the start. */
typedef struct pose_def {
    vec3 translate; /* m */
    vec3 turn;      /* rotation vector in degrees */
} pose_def;

typedef enum mesh_source {
    MESH_FILE,
    MESH_BOX,
    MESH_MAT,
    MESH_ROD,
    MESH_BALL,
    MESH_TORUS,
    MESH_GRID,
    MESH_SPHERE,
    MESH_CONE,
    MESH_TUBE,
    MESH_POLYLINE,
    MESH_LATTICE,
    MESH_HELIX,
    MESH_BUNDLE,
    MESH_GIVEN
} mesh_source;

/* How the quads of a grid are cut. */
#define GRID_DIAGONALS(ROW) ROW(DIAGONALS_ALTERNATING, "alternating") ROW(DIAGONALS_SAME, "same")
typedef enum grid_diagonals { GRID_DIAGONALS(WORD_CONSTANT) } grid_diagonals;

/* What counts of a mesh. */
#define MESH_PARTS(ROW) ROW(MESH_ALL, "all") ROW(MESH_EDGES, "edges") ROW(MESH_POINTS, "points")
typedef enum mesh_only { MESH_PARTS(WORD_CONSTANT) } mesh_only;

/* A mesh as arrays. */
typedef struct given_mesh {
    size_t vertex_count, edge_count, triangle_count, tetrahedron_count;
    double (*vertices)[3];
    int32_t (*edges)[2], (*triangles)[3], *tetrahedra;
    int tetrahedron_nodes; /* of each: 4, 10, 20 or 35 */
} given_mesh;

/* A surface that is to be filled with tetrahedra. */
typedef struct fill_def {
    bool given;
    fill_options options;
} fill_def;

typedef struct mesh_def {
    mesh_source source;
    mesh_only only;
    int component;    /* the only connected piece that counts; -1: all */
    const char *path; /* MESH_FILE: resolved against the scene's folder */
    bool weld;
    int refine;
    vec3 size;                      /* box, mat */
    double sheet[2];                /* grid: lengths in x and z */
    int order, level;               /* ball of a level: of the cells; level is -1 without one */
    int cells[3];                   /* box; mat (n, m); grid; lattice counts; sphere level in [0] */
    double radius, radius2, length; /* ball, rod, torus (ring, tube), cone (bottom, top, height) */
    vec3 from, to;                  /* polyline ends; lattice spacing in `to` */
    grid_diagonals diagonals;       /* grid */
    double jitter;                  /* lattice */
    int counts[3];                  /* bundle, and its spacing */
    vec3 spacing;
    bool round; /* bundle */
    given_mesh given;
    fill_def fill;
} mesh_def;

#define REST_SHAPES(ROW) ROW(REST_MESH, "mesh") ROW(REST_FLAT, "flat") ROW(REST_PATTERN, "pattern")
typedef enum rest_shape { REST_SHAPES(WORD_CONSTANT) } rest_shape;

/* Largest and smallest stretch of a sheet; INFINITY and 0: none. */
typedef struct limit_def {
    double upper, upper_start, lower, lower_start;
} limit_def;

/* A sheet as it is given, and, when its body is complete, with the preset put in. */
typedef struct shell_def {
    int preset;                                /* row of cloth_table; -1: none */
    double young, poisson, density, thickness; /* by material and preset */
    membrane_model membrane;
    double membrane_scale, bending_scale;
    bool has_membrane, has_stiffness, has_strains, has_limit;
    double stiffness[4], strains[3];
    vec3 warp;
    limit_def limit;
    rest_shape rest;
    double stitch;
    double damping, bending_damping; /* s; negative: the material's, and `damping` */
} shell_def;

typedef struct rod_def {
    double diameter, stretch_scale, bending_scale, twist_scale;
    double damping, bending_damping; /* s; negative: the material's, and `damping` */
} rod_def;

typedef struct weight_def {
    selector_def nodes;
    double mass; /* kg per node */
} weight_def;

/* Prescribed positions of nodes. */
typedef struct dirichlet_def {
    size_t fix_count;
    fix_def *fixes;
    size_t motion_count; /* obstacles */
    motion_def *motions;
    expression *displacement[3]; /* obstacles, instead of motions; NULL: none */
} dirichlet_def;

/* Forces on a body. */
typedef struct loads_def {
    size_t force_count;
    force_def *forces;
    size_t surface_load_count; /* deformable bodies */
    surface_load_def *surface_loads;
    size_t boundary_count; /* parts of the boundary with numbers, which loads and fixes name */
    boundary_def *boundaries;
} loads_def;

/* Mass, centre and inertia as they are given. */
typedef struct inertial_def {
    double mass; /* kg */
    vec3 center;
    double inertia[6]; /* xx, yy, zz, xy, xz, yz about the centre, kg m^2 */
} inertial_def;

/* Mass and poses of rigid and affine bodies. */
typedef struct rigid_def {
    double total_mass; /* 0: by density */
    inertial_def inertial;
    bool has_inertial; /* then by no density */
    rigid_weigh weigh;
    double orthogonality; /* J/kg */
    size_t pose_count;
    pose_def *poses;
} rigid_def;

typedef struct sequence_file {
    const char *path; /* resolved */
} sequence_file;

/* Prescribed positions of all nodes, one file per step: folder/N.extension, N from `first`. */
typedef struct sequence_def {
    bool given;
    const char *folder; /* resolved; NULL: files */
    const char *extension;
    int first;
    size_t file_count;
    sequence_file *files;
    double fps; /* 0: one per step */
    bool transform;
} sequence_def;

typedef struct body_def {
    const char *name;
    body_kind type;
    mesh_def mesh;
    vec3 scale, rotate, translate; /* applied in this order; degrees */
    material_def material;
    double density; /* instead of the material's; 0: that */
    bool enabled;
    vec3 velocity, angular_velocity; /* initial; m/s and degrees/s about the centre of mass */
    expression *velocity_field[3];   /* initial, added; NULL: none */
    dirichlet_def dirichlet;
    loads_def loads;
    double friction; /* negative: the scene's */
    bool consistent_mass;
    bool remesh;         /* deformable bodies of scenes that are remeshed */
    solid_def solid;     /* deformable bodies */
    rigid_def rigid;     /* rigid and affine bodies */
    int collision_group; /* -1: none */
    sequence_def sequence;
    double offset;                   /* xi: thickness in contact, m */
    double damping, bending_damping; /* s; the material's where the body does not say */
    double own[BODY_MAX_PARAMETERS]; /* parameters of the kind */
    shell_def shell;                 /* shells */
    rod_def rod;                     /* rods */
    double radius;                   /* particles */
    size_t weight_count;
    weight_def *weights;
} body_def;

/* Nodes of a body that are attached to another one, or to the world. */
typedef struct attachment_def {
    const char *name, *body, *to;
    selector_def nodes;
    length_def within;
    bool has_within;
    double stiffness; /* 0: exact */
    double damping;   /* N s/m; of the springs */
    bool close;
    double break_force;
} attachment_def;

/* What a contact has beside a coefficient of friction. */
typedef struct interface_def {
    bool given;
    double kinetic, across; /* coefficients; negative: as at rest, as along */
    vec3 direction;
    double cohesion;       /* Pa */
    double strength, work; /* of adhesion, Pa and J/m^2; work 0: none */
    size_t table_count;
    double (*table)[2]; /* speed, coefficient */
} interface_def;

typedef struct half_space_def {
    vec3 origin, normal;
    double friction; /* negative: the scene's */
    interface_def interface;
    vec3 velocity;
} half_space_def;

typedef struct piece_cache piece_cache; /* scene/body_mesh.h */

/* Friction between two bodies, or the pieces of such (scene_names). */
typedef struct friction_pair_def {
    const char *first, *second;
    double coefficient;
    interface_def interface;
} friction_pair_def;

/* Whether frames keep the path of the steps since the frame before. */
#define KEPT_PATHS(ROW) ROW(PATHS_AUTO, "auto") ROW(PATHS_ALL, "all") ROW(PATHS_NONE, "none")
typedef enum kept_paths { KEPT_PATHS(WORD_CONSTANT) } kept_paths;

/* Formats of frames: bits of output_def.formats. The volume is that of high-order bodies, as
 * Lagrange cells. */
#define FRAME_FORMATS(ROW)                                                                         \
    ROW(FORMAT_VTU, "vtu") ROW(FORMAT_OBJ, "obj") ROW(FORMAT_VOLUME, "volume")
typedef enum frame_format { FRAME_FORMATS(WORD_CONSTANT) } frame_format;

/* What a probe measures, and where. */
#define PROBE_FIELD_WORDS(ROW)                                                                     \
    ROW(PROBE_POSITION, "position")                                                                \
    ROW(PROBE_VELOCITY, "velocity")                                                                \
    ROW(PROBE_DISPLACEMENT, "displacement")                                                        \
    ROW(PROBE_CONTACT_FORCE, "contact_force")                                                      \
    ROW(PROBE_CONTACT_PRESSURE, "contact_pressure")                                                \
    ROW(PROBE_FRICTION_TRACTION, "friction_traction")                                              \
    ROW(PROBE_GAP, "gap")                                                                          \
    ROW(PROBE_CAUCHY, "cauchy_stress")                                                             \
    ROW(PROBE_SECOND_PIOLA, "second_piola_stress")                                                 \
    ROW(PROBE_STRETCHES, "principal_stretches")                                                    \
    ROW(PROBE_ENERGY, "energy_density")                                                            \
    ROW(PROBE_VON_MISES, "von_mises")                                                              \
    ROW(PROBE_PLASTIC_STRAIN, "plastic_strain")                                                    \
    ROW(PROBE_DISSIPATED, "dissipated_energy")
typedef enum probe_field { PROBE_FIELD_WORDS(WORD_CONSTANT) PROBE_FIELDS } probe_field;
#define PROBE_TAKES(ROW)                                                                           \
    ROW(TAKE_MEAN, "mean") ROW(TAKE_MIN, "min") ROW(TAKE_MAX, "max") ROW(TAKE_SUM, "sum")
typedef enum probe_take { PROBE_TAKES(WORD_CONSTANT) } probe_take;
typedef enum probe_kind { PROBE_AT, PROBE_BOX, PROBE_SPHERE, PROBE_ALL, PROBE_CUT } probe_kind;

typedef struct probe_def {
    const char *name, *body;
    probe_kind kind;
    place_def place; /* point and normal of a cut in a and b */
    probe_field field;
    probe_take take;
} probe_def;

/* What a run writes, and how often. */
/* Gas in the space that a body encloses. */
typedef struct cavity_def {
    const char *body;
    double pressure, outside, exponent; /* Pa, Pa, 1 */
    expression *amount;                 /* NULL: 1 */
} cavity_def;

/* Air and water around bodies; body NULL: all. */
typedef struct wind_def {
    const char *body;
    double density, drag, skin;
    expression *velocity[3];
} wind_def;

typedef struct water_def {
    const char *body;
    double density;
    expression *level;
} water_def;

typedef struct flow_defs {
    size_t wind_count, water_count;
    wind_def *winds;
    water_def *waters;
} flow_defs;

typedef struct output_def {
    int frame_every, checkpoint_every;
    bool measures;  /* accuracy of every step */
    bool reactions; /* forces of supports, after every step */
    kept_paths paths;
    unsigned formats;      /* bits 1 << frame_format */
    unsigned frame_fields; /* bit k: the k-th word of output.fields (measure/frame_fields.h) */
    size_t probe_count;
    probe_def *probes;
} output_def;

/* Words of abut_objective_kind, in its order; functions have none in scenes. */
#define OBJECTIVE_KINDS(ROW)                                                                       \
    ROW(OBJECTIVE_POSITIONS, "positions")                                                          \
    ROW(OBJECTIVE_VELOCITIES, "velocities")                                                        \
    ROW(OBJECTIVE_CENTER, "center")                                                                \
    ROW(OBJECTIVE_KINETIC, "kinetic")                                                              \
    ROW(OBJECTIVE_ELASTIC, "elastic")                                                              \
    ROW(OBJECTIVE_CONTACT_FORCE, "contact_force")                                                  \
    ROW(OBJECTIVE_CLOUD, "cloud")                                                                  \
    ROW(OBJECTIVE_STRESS, "stress")
typedef enum objective_kind { OBJECTIVE_KINDS(WORD_CONSTANT) } objective_kind;
/* Kinds of parameters (gradient/parameter.c). */
#define PARAMETER_FIELDS(ROW)                                                                      \
    ROW(PARAMETER_KEY, "key")                                                                      \
    ROW(PARAMETER_INITIAL_POSITIONS, "initial_positions")                                          \
    ROW(PARAMETER_INITIAL_VELOCITIES, "initial_velocities")                                        \
    ROW(PARAMETER_REST_POSITIONS, "rest_positions")                                                \
    ROW(PARAMETER_SHAPE, "shape")                                                                  \
    ROW(PARAMETER_YOUNG, "young")                                                                  \
    ROW(PARAMETER_POISSON, "poisson")                                                              \
    ROW(PARAMETER_FORCES, "forces")
typedef enum parameter_field { PARAMETER_FIELDS(WORD_CONSTANT) } parameter_field;
#define OPTIMIZE_METHODS(ROW)                                                                      \
    ROW(OPTIMIZE_LBFGS, "lbfgs")                                                                   \
    ROW(OPTIMIZE_SLSQP, "slsqp")                                                                   \
    ROW(OPTIMIZE_MMA, "mma") ROW(OPTIMIZE_LEVENBERG, "levenberg-marquardt")
typedef enum optimize_method { OPTIMIZE_METHODS(WORD_CONSTANT) } optimize_method;

typedef struct objective_def {
    objective_kind kind;
    const char *body; /* NULL: all */
    double weight;
    size_t target_count, trajectory_count;
    double *targets;    /* 3 each */
    double *trajectory; /* 4 each: time and target */
    bool has_from, has_until;
    double from, until;
} objective_def;

typedef struct parameter_def {
    parameter_field field;
    const char *name; /* path of a key, or a body */
    double low, high, change, size;
    bool log;
} parameter_def;

/* What `abut optimize` does. */
typedef struct optimize_def {
    bool on;
    size_t objective_count, parameter_count;
    objective_def *objectives;
    parameter_def *parameters;
    optimize_method method;
    int evaluations, snapshots;
    double tolerance, goal, newton_tolerance;
} optimize_def;

/* Lengths that may be relative to the size of the scene; they go into the options of the stepper
 * when that is known. */
typedef struct length_options {
    length_def dhat, eps_v, tolerance;
} length_options;

typedef struct scene_def {
    const char *name;
    char *folder;    /* of the scene file */
    double end_time; /* s */
    int steps;       /* until then; 0: where the time is given */
    bool planar;     /* two-dimensional: everything in the x-y plane */
    stepper_options options;
    length_options lengths;
    size_t friction_pair_count;
    friction_pair_def *friction_pairs;
    remesh_def remesh;
    optimize_def optimize;
    output_def output;
    size_t body_count;
    body_def *bodies;
    size_t half_space_count;
    half_space_def *half_spaces;
    size_t joint_count;
    joint_def *joints;
    size_t attachment_count;
    attachment_def *attachments;
    size_t cavity_count;
    cavity_def *cavities;
    flow_defs flows;
    bool has_ground;
    double ground;       /* m: height of a half space more */
    json_t *resolved;    /* the document with all defaults filled in */
    char *path;          /* of the scene file, for messages */
    piece_cache *pieces; /* of the mesh that was split last */
} scene_def;

/* Whether frames are written in a format. */
static inline bool scene_writes(const scene_def *scene, frame_format format)
{
    return scene->output.formats >> format & 1;
}

/* Reads any supported scene file (the kind is recognised from the content) and applies the
 * overrides
 * ("path=value" strings). Errors: file, field, reason. */
abut_status scene_load(const char *path, const char *const *overrides, size_t override_count,
                       const logger *log, scene_def **out, abut_error *err);
void scene_free(scene_def *scene);

/* Whether a name means this body: its own, or, where no body has it, that of the body it is a piece
 * of ("chain" for "chain.0", "chain.1", ...). */
bool scene_names(const scene_def *scene, const char *name, size_t body);

/* The mesh of a body, read or generated, transformed, and checked: cells that the type of the body
 * needs (else ABUT_ERROR_INPUT), positive volumes of the tets of deformable bodies (else
 * ABUT_ERROR_INFEASIBLE). Errors name scene, field and file. */
abut_status scene_body_mesh(const scene_def *scene, size_t body, mesh *out, abut_error *err);

#endif
