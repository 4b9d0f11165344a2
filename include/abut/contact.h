/* The toolkit layer: contact for programs with a simulator of their own.
 *
 * Everything works on plain arrays: positions are 3 doubles per vertex, edges and triangles are 2
 * and 3 vertex indices each. A typical time step of a foreign simulator:
 *
 *     abut_collision_free_step(mesh, x, x_new, NULL, &step, error);   // how far may I go?
 *     for (i = 0; i < 3 * n; i++) x[i] += step * (x_new[i] - x[i]);   // never intersects
 *
 * and of one that minimises an energy with contact in it (Incremental Potential Contact):
 *
 *     abut_active_set_build(set, mesh, x, dhat, NULL, NULL, error);   // what is close
 *     abut_barrier_gradient(set, &barrier, gradient, error);          // to add to your own
 *     abut_barrier_hessian(set, &barrier, NULL, matrix, error);       // sparse, semi-definite
 *     ... solve for a direction, abut_collision_free_step, line search with abut_barrier_value ...
 *
 * Functions that can fail return a status and fill the error object, which may be NULL. Arrays that
 * are passed in are only read, and only during the call, unless said. Work is shared between
 * threads; results do not depend on their number. One mesh must not be used by two calls
 * at the same time; different meshes may. */
#ifndef ABUT_CONTACT_H
#define ABUT_CONTACT_H

#include <abut/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pairs ---------------------------------------------------------------------------------- */

/* Two primitives, and the order in which their vertices are given. */
typedef enum abut_pair_kind {
    ABUT_POINT_POINT,    /* p, q */
    ABUT_POINT_EDGE,     /* p, a, b */
    ABUT_POINT_TRIANGLE, /* p, a, b, c */
    ABUT_EDGE_EDGE       /* a, b, c, d: edges ab and cd */
} abut_pair_kind;

/* Number of vertices of a pair: 2, 3, 4, 4; 0 for a number that is no kind. */
ABUT_API int abut_pair_vertex_count(abut_pair_kind kind);

/* Squared distance of the closest points of a pair. x holds 3 doubles per vertex (n vertices).
 * Where not NULL are filled: weights[n], with which sum_i weights_i x_i leads from the closest
 * point of the second primitive to that of the first; gradient[3n]; hessian[3n * 3n], row by row.
 * The derivatives are those of the feature that is closest (a corner, an edge, the inside). NaN for
 * positions that are not finite or a wrong kind. */
ABUT_API double abut_distance_squared(abut_pair_kind kind, const double *x, double *weights,
                                      double *gradient, double *hessian);

/* ---- Continuous collision detection of pairs ------------------------------------------------ */

typedef enum abut_ccd_method {
    ABUT_CCD_TIGHT_INCLUSION, /* certified search; the default */
    ABUT_CCD_ADDITIVE         /* certified advancement by gap over closing speed */
} abut_ccd_method;

/* The words that scenes and Python have for the constants, in their order; they end with NULL. */
ABUT_API const char *const *abut_ccd_method_words(void);

typedef struct abut_ccd_options {
    abut_ccd_method method;
    double tolerance;       /* how far apart (beyond the separation) a reported hit may be */
    double separation;      /* a hit is coming closer than this (Euclidean), >= 0 */
    double t_max;           /* only times up to this count, 0 .. 1 */
    int64_t max_iterations; /* then a hit is reported as found so far; 0: no limit */
} abut_ccd_options;

/* Tight inclusion, tolerance 1e-6, no separation, t_max 1, a million iterations. */
ABUT_API abut_ccd_options abut_default_ccd_options(void);

typedef struct abut_ccd_result {
    bool hit;         /* false: proved to stay apart (by more than the separation) */
    double time;      /* not later than the first impact; infinite without a hit */
    double tolerance; /* at that time the pair is within separation + this */
    int64_t iterations;
} abut_ccd_result;

/* The vertices of one pair move along straight lines from start to end (3 doubles per vertex) while
 * the time goes from 0 to 1. No collision is ever missed, whatever the rounding. */
ABUT_API abut_status abut_ccd_pair(abut_pair_kind kind, const double *start, const double *end,
                                   const abut_ccd_options *options, abut_ccd_result *out,
                                   abut_error *error);

/* The same for many pairs of one kind: start and end hold the vertices of all pairs one after the
 * other, results has `count` entries. */
ABUT_API abut_status abut_ccd_pairs(abut_pair_kind kind, size_t count, const double *start,
                                    const double *end, const abut_ccd_options *options,
                                    abut_ccd_result *results, abut_error *error);

/* ---- Collision mesh ------------------------------------------------------------------------- */

typedef struct abut_collision_mesh abut_collision_mesh;

enum {
    ABUT_GROUP_NO_SELF = 1,  /* primitives of this group do not collide with each other */
    ABUT_GROUP_KINEMATIC = 2 /* vertices of this group follow a script; see `kinematic` */
};

/* What collides. Made by abut_default_collision_mesh(); the arrays are copied. */
typedef struct abut_collision_mesh_definition {
    size_t vertex_count;
    const int32_t *edges; /* 2 per edge; edges of the triangles need not be given */
    size_t edge_count;
    const int32_t *triangles; /* 3 per triangle */
    size_t triangle_count;
    const int32_t *points; /* vertices that take part; NULL: all */
    size_t point_count;
    const int32_t *group;       /* per vertex; NULL: all in group 0 */
    const uint8_t *group_flags; /* ABUT_GROUP_* bits per group; NULL: none */
    size_t group_count;
    const uint8_t *kinematic; /* per vertex; pairs of which all vertices are kinematic are left out.
                                 NULL: none */
    const double *thickness;  /* per vertex: radius of matter around it, >= 0. NULL: none */
    bool planar;              /* all in the plane z = 0: only points against edges */
    const double *rest;       /* 3 per vertex, at rest: which edges count as parallel and how much
                                 area a vertex has is measured there. Needed by active sets only */
    /* How the vertices follow the unknowns of the simulator, where these are not the vertices
     * themselves (surfaces of higher order or embedded, affine bodies, reduced models):
     * y = offset + map q, a matrix with 3 rows per vertex in compressed rows. Positions are always
     * those of the vertices; gradients and Hessians of potentials are those in q. */
    size_t dof_count;             /* length of q; 0: q is y */
    const int32_t *map_row_start; /* 3 vertex_count + 1 */
    const int32_t *map_columns;
    const double *map_values;
    const double *map_offset; /* 3 per vertex; NULL: zero */
} abut_collision_mesh_definition;

ABUT_API abut_collision_mesh_definition abut_default_collision_mesh(void);

ABUT_API abut_status abut_collision_mesh_create(const abut_collision_mesh_definition *definition,
                                                abut_collision_mesh **out, abut_error *error);
ABUT_API void abut_collision_mesh_destroy(abut_collision_mesh *mesh); /* NULL is fine */

/* The edges that pairs are numbered by: those given and those of the triangles, each once, lower
 * vertex first, sorted. The array belongs to the mesh. */
ABUT_API const int32_t *abut_collision_mesh_edges(const abut_collision_mesh *mesh, size_t *count);

/* Length of gradients and number of rows of Hessians: 3 per vertex, or those of the map. */
ABUT_API size_t abut_collision_mesh_dofs(const abut_collision_mesh *mesh);
/* Deprecated: the former name of abut_collision_mesh_dofs. */
ABUT_API size_t abut_collision_mesh_freedoms(const abut_collision_mesh *mesh);

/* positions = offset + map q; without a map a copy. */
ABUT_API void abut_collision_mesh_positions(const abut_collision_mesh *mesh, const double *q,
                                            double *positions);

/* ---- Candidates ----------------------------------------------------------------------------- */

/* Two primitives of a mesh by number: of a triangle, of an edge (see above), or of a vertex. */
typedef struct abut_pair {
    abut_pair_kind kind;
    int32_t first, second;
} abut_pair;

/* The vertices of a pair of this mesh, in the order of its kind; returns how many (0 when a number
 * is out of range). */
ABUT_API int abut_pair_vertices(const abut_collision_mesh *mesh, abut_pair pair,
                                int32_t vertices[4]);

typedef struct abut_candidates abut_candidates;

ABUT_API abut_status abut_candidates_create(abut_candidates **out, abut_error *error);
ABUT_API void abut_candidates_destroy(abut_candidates *candidates); /* NULL is fine */

/* All pairs that may come within `distance` of each other (on top of their thickness) while the
 * vertices move from start to end; end may be NULL: no motion. Pairs with a common vertex, and
 * those that the groups leave out, are not listed. What was in `candidates` before is replaced; its
 * memory is used again. */
ABUT_API abut_status abut_find_candidates(abut_collision_mesh *mesh, const double *start,
                                          const double *end, double distance,
                                          abut_candidates *candidates, abut_error *error);

/* The list of one kind: 2 numbers per pair (edge-edge: lower edge first; the others: vertex first),
 * sorted. It belongs to `candidates` and lives until that is filled again. */
ABUT_API const int32_t *abut_candidates_list(const abut_candidates *candidates, abut_pair_kind kind,
                                             size_t *count);

/* ---- Whole meshes --------------------------------------------------------------------------- */

typedef struct abut_step_options {
    abut_ccd_method method;
    double keep;            /* part of each gap that a step must leave, 0 < keep < 1 */
    double cap;             /* but not more than this distance; also how far pairs are looked for */
    double tolerance;       /* of the collision detection, > 0 */
    int64_t max_iterations; /* per pair; 0: no limit */
} abut_step_options;

/* Tight inclusion, keep 0.2, cap 1e-4, tolerance 1e-6, a million iterations. */
ABUT_API abut_step_options abut_default_step_options(void);

typedef struct abut_step_report {
    bool limited;       /* a pair, not the end of the path, limits the step */
    abut_pair limiting; /* that pair */
    size_t touching;    /* pairs without a gap at the start: the step is 0 */
    size_t candidates;  /* pairs that were looked at */
    int64_t iterations; /* in all of them */
} abut_step_report;

/* The largest step in 0 .. 1 such that the vertices can move from start to start + step (end -
 * start) without any pair losing more than its gap allows (see the options, which may be NULL). The
 * gap is the distance minus the thickness of both. report may be NULL. Repeated steps approach a
 * contact without ever getting stuck at zero. */
ABUT_API abut_status abut_collision_free_step(abut_collision_mesh *mesh, const double *start,
                                              const double *end, const abut_step_options *options,
                                              double *step, abut_step_report *report,
                                              abut_error *error);

/* Primitives that intersect or touch at these positions, decided exactly: every edge against every
 * triangle, and what has no triangle against each other. Groups count, `kinematic` does not. */
typedef enum abut_intersection_kind {
    ABUT_INTERSECT_EDGE_TRIANGLE,
    ABUT_INTERSECT_EDGE_EDGE,
    ABUT_INTERSECT_POINT_TRIANGLE,
    ABUT_INTERSECT_POINT_EDGE,
    ABUT_INTERSECT_POINT_POINT
} abut_intersection_kind;

typedef struct abut_intersection {
    abut_intersection_kind kind;
    int32_t first, second;
} abut_intersection;

/* *count is the number of all of them; the first `capacity` are written to `found`, which may be
 * NULL when capacity is 0. */
ABUT_API abut_status abut_find_intersections(const abut_collision_mesh *mesh,
                                             const double *positions, abut_intersection *found,
                                             size_t capacity, size_t *count, abut_error *error);

/* Smallest distance between primitives that may collide and share no vertex, where it is at most
 * `radius`; infinite when nothing is that near. pair may be NULL. */
ABUT_API abut_status abut_smallest_distance(abut_collision_mesh *mesh, const double *positions,
                                            double radius, double *distance, abut_pair *pair,
                                            abut_error *error);

/* ---- Active set ----------------------------------------------------------------------------- */

/* All pairs whose gap (distance minus the thickness of both) is below dhat at some positions,
 * reduced to the features that are closest (corner to corner, corner to edge, ...). It remembers
 * the positions: the barrier is evaluated there. It refers to its mesh, which must live as long as
 * the set is used. */
typedef struct abut_active_set abut_active_set;

typedef struct abut_active_set_options {
    /* Weigh pairs by the area at rest that their vertices and edges stand for, so that forces do
     * not depend on the resolution of the meshes; otherwise every pair counts once. Edges and
     * points without triangles are twice their thickness wide, or else (beside triangles) as wide
     * as the mean edge is long. */
    bool area_weighted;
} abut_active_set_options;
ABUT_API abut_active_set_options abut_default_active_set_options(void);

ABUT_API abut_status abut_active_set_create(abut_active_set **out, abut_error *error);
ABUT_API void abut_active_set_destroy(abut_active_set *set); /* NULL is fine */

/* Fills the set. candidates may be NULL: found here; otherwise they must hold all pairs within dhat
 * (abut_find_candidates along a whole step serves all positions on it). options may be NULL.
 * ABUT_ERROR_INFEASIBLE when a pair touches or is closer than its thickness. */
ABUT_API abut_status abut_active_set_build(abut_active_set *set, abut_collision_mesh *mesh,
                                           const double *positions, double dhat,
                                           const abut_candidates *candidates,
                                           const abut_active_set_options *options,
                                           abut_error *error);

/* One contact of the set. */
typedef struct abut_contact {
    abut_pair_kind kind; /* after reduction to the closest features */
    int32_t vertices[4]; /* in the order of the kind; -1 where there are fewer */
    double weight;       /* number of pairs that reduce to it, or their area */
    double distance;
    double thickness; /* what the distance must exceed: the thickness of both */
    double mollifier; /* 1; less for nearly parallel edges, whose energy is multiplied by it */
} abut_contact;

ABUT_API size_t abut_active_set_count(const abut_active_set *set);
/* Number `index` of 0 .. count - 1; false when out of range. */
ABUT_API bool abut_active_set_get(const abut_active_set *set, size_t index, abut_contact *out);
/* Smallest distance of the contacts; infinite without any. */
ABUT_API double abut_active_set_min_distance(const abut_active_set *set);

/* ---- Sparse matrices ------------------------------------------------------------------------ */

/* A symmetric matrix in compressed rows, columns ascending. Its memory is used again when it is
 * filled again. */
typedef struct abut_matrix abut_matrix;

typedef struct abut_csr {
    size_t rows, nonzeros;
    const int32_t *row_start; /* rows + 1 */
    const int32_t *columns;
    const double *values;
} abut_csr;

ABUT_API abut_status abut_matrix_create(abut_matrix **out, abut_error *error);
ABUT_API void abut_matrix_destroy(abut_matrix *matrix); /* NULL is fine */
/* The arrays belong to the matrix and live until it is filled again. */
ABUT_API abut_csr abut_matrix_view(const abut_matrix *matrix);

typedef struct abut_hessian_options {
    bool exact; /* the true Hessian; otherwise the sum of semi-definite ones of all contacts */
    bool upper; /* only entries with column >= row; otherwise all */
} abut_hessian_options;

/* ---- Barrier -------------------------------------------------------------------------------- */

typedef enum abut_barrier_kind {
    ABUT_BARRIER_C2, /* -(s - shat)^2 ln(s / shat), s the squared distance; the default */
    ABUT_BARRIER_C1,
    ABUT_BARRIER_C0
} abut_barrier_kind;

/* Words, as abut_ccd_method_words. */
ABUT_API const char *const *abut_barrier_kind_words(void);

typedef struct abut_barrier {
    abut_barrier_kind kind;
    double stiffness; /* kappa: factor on everything. Where energies are multiplied by h^2, as in
                         incremental potentials, multiply it, too */
    bool physical;    /* give the barrier the unit of a length: with area weights, the stiffness is
                         a pressure and does not depend on dhat */
} abut_barrier;
ABUT_API abut_barrier abut_default_barrier(void); /* C2, stiffness 1 */

/* kappa sum_contacts weight mollifier b(distance^2 - thickness^2), its gradient
 * (abut_collision_mesh_dofs values, overwritten), and its Hessian (options may be NULL:
 * semi-definite, all entries). */
ABUT_API abut_status abut_barrier_value(const abut_active_set *set, const abut_barrier *barrier,
                                        double *value, abut_error *error);
ABUT_API abut_status abut_barrier_gradient(abut_active_set *set, const abut_barrier *barrier,
                                           double *gradient, abut_error *error);
ABUT_API abut_status abut_barrier_hessian(abut_active_set *set, const abut_barrier *barrier,
                                          const abut_hessian_options *options, abut_matrix *matrix,
                                          abut_error *error);

/* ---- Stiffness ------------------------------------------------------------------------------ */

typedef struct abut_stiffness {
    double value, lowest, highest;
} abut_stiffness;

/* A stiffness that balances the other forces: barrier_gradient is that of the barrier at stiffness
 * 1, other_gradient that of all other energies, both `count` values; without contacts (gradients
 * NULL or zero) it is the lowest. mean_mass is that of a vertex, extent the diagonal of the
 * bounding box. Where energies are multiplied by h^2, leave both as they are: mass and barrier are
 * on the same footing then. */
ABUT_API abut_status abut_initial_stiffness(const abut_barrier *barrier, double dhat, double extent,
                                            double mean_mass, const double *barrier_gradient,
                                            const double *other_gradient, size_t count,
                                            abut_stiffness *out, abut_error *error);

/* To be called once per iteration, after the set was built: doubles the stiffness (up to the
 * highest) when a contact that was closer than 1e-9 of the extent at the last call has come closer
 * still. */
ABUT_API abut_status abut_adapt_stiffness(abut_active_set *set, double extent,
                                          abut_stiffness *stiffness, abut_error *error);

/* ---- Friction ------------------------------------------------------------------------------- */

/* Coulomb friction with normal forces and sliding directions taken from an active set ("lagged"),
 * as a potential of the displacements since some start, usually that of the time step. */
typedef struct abut_friction abut_friction;

typedef enum abut_friction_kind {
    ABUT_FRICTION_C1, /* the default */
    ABUT_FRICTION_C0,
    ABUT_FRICTION_C2
} abut_friction_kind;

/* Words, as abut_ccd_method_words. */
ABUT_API const char *const *abut_friction_kind_words(void);

typedef struct abut_friction_options {
    double coefficient; /* mu of all pairs, >= 0 */
    /* mu of two groups: group_count * group_count values, symmetric; NULL: the same for all. */
    const double *group_coefficients;
} abut_friction_options;

ABUT_API abut_status abut_friction_create(abut_friction **out, abut_error *error);
ABUT_API void abut_friction_destroy(abut_friction *friction); /* NULL is fine */

/* Takes normal forces and frames from the set with this barrier. Nearly parallel edges, whose
 * sliding direction is not defined, have none. The mesh of the set must live as long. */
ABUT_API abut_status abut_friction_lag(abut_friction *friction, const abut_active_set *set,
                                       const abut_barrier *barrier,
                                       const abut_friction_options *options, abut_error *error);

/* One contact with friction. */
typedef struct abut_friction_contact {
    abut_pair_kind kind;
    int32_t vertices[4];
    double force;         /* mu times the normal force: what friction cannot exceed */
    double weights[4];    /* of the vertices in the relative displacement of the closest points */
    double tangent[2][3]; /* orthonormal directions of sliding */
} abut_friction_contact;

ABUT_API size_t abut_friction_count(const abut_friction *friction);
ABUT_API bool abut_friction_get(const abut_friction *friction, size_t index,
                                abut_friction_contact *out);

/* What the displacements are measured with. */
typedef struct abut_friction_law {
    abut_friction_kind kind;
    double eps; /* > 0: displacement below which contacts stick (speed eps_v times time step) */
} abut_friction_law;

/* sum mu lambda f0(|u|), u the sliding of a contact while the vertices go from start to positions
 * (3 values per vertex), its gradient (minus the friction force) and its Hessian, which is
 * semi-definite as it is (options->exact changes nothing). */
ABUT_API abut_status abut_friction_value(abut_friction *friction, const abut_friction_law *law,
                                         const double *start, const double *positions,
                                         double *value, abut_error *error);
ABUT_API abut_status abut_friction_gradient(abut_friction *friction, const abut_friction_law *law,
                                            const double *start, const double *positions,
                                            double *gradient, abut_error *error);
ABUT_API abut_status abut_friction_hessian(abut_friction *friction, const abut_friction_law *law,
                                           const double *start, const double *positions,
                                           const abut_hessian_options *options, abut_matrix *matrix,
                                           abut_error *error);

#ifdef __cplusplus
}
#endif

#endif
