/* The contact barrier: kappa sum over the active set of b(d^2 - xi^2), edge pairs times their
 * mollifier, and half-spaces (IPC, equation 2.5; with thickness Codimensional IPC, 5.1). Knows
 * surface vertices and rows only, never what body they are of.
 *
 * Candidates are found once for the cover that the vertices may sweep in a Newton step, inflated,
 * and reused by the CCD, the line search and later iterations for as long as they cover the motion.
 */
#ifndef CONTACT_CONTACT_TERM_H
#define CONTACT_CONTACT_TERM_H

#include "base/words.h"
#include "body/model.h"
#include "ccd/line_search.h"
#include "contact/active_set.h"
#include "contact/barrier.h"
#include "contact/max_operator.h"
#include "contact/near_pairs.h"
#include "contact/part_boxes.h"
#include "contact/stiffness.h"
#include "term/row_stencils.h"
#include "term/term.h"

typedef struct half_space {
    vec3 origin, normal; /* the side that the normal points to is free */
    vec3 velocity;
    double friction;
} half_space;

typedef struct plane_contact {
    int32_t vertex, plane;
    double distance;
    double thickness; /* half of the vertex's: planes have none */
    double weight;    /* 1, or the area of the vertex */
} plane_contact;

/* Who chooses kappa: ourselves (stiffness.h), with pairs that count by the inertia behind them
 * (pair_stiffness.h) or all alike as in the paper; or the rule of PolyFEM (stiffness_polyfem.h), of
 * which static problems are a case of their own. */
#define STIFFNESS_RULES(ROW)                                                                       \
    ROW(STIFFNESS_LOCAL, "local")                                                                  \
    ROW(STIFFNESS_BALANCED, "balanced")                                                            \
    ROW(STIFFNESS_POLYFEM, "polyfem")                                                              \
    ROW(STIFFNESS_POLYFEM_STATIC, "polyfem-static")
typedef enum stiffness_rule { STIFFNESS_RULES(WORD_CONSTANT) } stiffness_rule;
extern const char *const stiffness_rule_words[];

typedef struct contact_options {
    double dhat;
    barrier_kind barrier;
    double stiffness; /* kappa; 0: chosen and adapted */
    stiffness_rule rule;
    bool area_weighted; /* pairs count by area at rest, not once each (see active_set.h) */
    bool physical;      /* the stiffness is that of the barrier scaled to a length: a pressure */
    bool improved_max;  /* pairs that share their closest feature count once (max_operator.h) */
    ccd_method ccd;
    bool always_search; /* find candidates anew along every step (for comparisons) */
} contact_options;

/* Groups of the term: one per list, the half-spaces, then those of row_stencils. */
enum { CONTACT_PLANES = STENCIL_LISTS, CONTACT_ROWS = STENCIL_LISTS + 1 };

/* How a rigid frame moves during max_step. */
typedef struct pose_motion {
    double speed, turn; /* of its origin and of its rotation vector */
    double limit;       /* it goes so many times as far */
    vec3 shift, end;    /* of the origin, up to there; where it is then */
    mat3 rotation;
} pose_motion;

/* Candidates and what finding them needs: kept from one evaluation to the next because that saves
 * searches, not because a result would depend on it. */
typedef struct contact_search {
    candidate_set candidates;
    double reach; /* how far vertices may still move before the candidates must be found again */
    bool have_candidates;
    /* During max_step: where the path begins, its direction over all coordinates; vertices there
     * and their directions (of rigid vertices: the chord). */
    const double *x, *direction;
    const vec3 *y;
    vec3 *start, *p;
    /* Only with rigid vertices: how far each may be off the chord of its path that the candidates
     * were found for. */
    double *deviation;
    ARRAY(pose_motion) motions;
    double motion_limit;
    double *extra; /* only with thickness: what the boxes of the vertices are widened by */
    swept_cover swept_cover; /* the path that the candidates were found for */
    near_pairs near;         /* of the candidates, when these were found with much room: */
    bool wide;
    /* Of the searches for candidates in this step: number, how far beyond what was needed the last
     * one looked, how far others should look at most. */
    int searches;
    double room, most_room;
    double stopped; /* how far the last iteration went until it was stopped; infinite: it was not */
    ARRAY(double) moments;             /* per pair of a list: when it would stop a step */
    size_t ccd_queries, broad_queries; /* statistics */
} contact_search;

/* Two bodies, low <= high. */
typedef struct only_pair {
    int32_t low, high;
} only_pair;

typedef struct pair_measures {
    surface_links links;      /* only with the improved maximum */
    ARRAY(double) compliance; /* only with the rule "local" */
    /* Of adhesion: where there are any, other contacts of bodies do not count; areas of vertices
     * against half-spaces, planes x vertices. */
    ARRAY(only_pair) only;
    ARRAY(double) plane_areas;
} pair_measures;

typedef struct contact_term {
    term base;
    const model *model;
    contact_options options;
    double kappa_min, kappa_max;
    double persistent_contact; /* grows with every step that begins with a gap far below dhat */
    double stiffness_backoff,
        max_stiffness_backoff; /* powers of two by which kappa_min is too high, and may be */
    ARRAY(half_space) planes;
    broad_phase *broad;       /* NULL with `parts` */
    broad_parts *parts;       /* used instead when no body meets itself; else NULL */
    uint8_t *group_flags;     /* per body, for the broad phase */
    uint8_t *kinematic;       /* per vertex: cannot respond in this step */
    ARRAY(uint8_t) dirichlet; /* `kinematic` without the restriction; empty: there is none */
    contact_search *search;
    active_set active;
    surface_areas areas;    /* only with weights by area */
    pair_measures measures; /* the others that weights are made of */
    pair_weights weights;   /* of the pairs of this scene: what there is of these */
    ARRAY(plane_contact) plane_contacts;
    ARRAY(int32_t) blocks[STENCIL_LISTS + 1]; /* per list; the last: half-spaces */
    /* In every list the stencils of nodes come first; the others are in `rows` as well. */
    row_stencils rows;
    rigid_pose_list poses;
    ARRAY(contact_stencil) others; /* scratch of the sorting */
    ARRAY(plane_contact) other_planes;
    vec3 *y;           /* vertices at the x of the last update */
    double edge;       /* mean length */
    close_pairs close; /* for the stiffness rule */
    double min_distance;
    double min_gap; /* the same beyond the thickness; must stay positive */
} contact_term;

abut_status contact_create(const model *m, const contact_options *options, contact_term **out,
                           abut_error *err);
abut_status contact_add_half_space(contact_term *t, half_space plane, abut_error *err);
/* fixed: 3 flags per block. Pairs of which no vertex can move are not contacts. */
void contact_set_fixed(contact_term *t, const uint8_t *fixed);

/* After arms of rigid rows have changed: the parts that rigid bodies are cut into are in their
 * frames. */
abut_status contact_renew_poses(contact_term *t, abut_error *err);
/* True when all coordinates that a vertex follows are fixed. */
bool contact_vertex_is_fixed(const contact_term *t, size_t vertex, const uint8_t *fixed);

/* Forgets the candidates, so that a step depends on its start only. */
void contact_begin_step(contact_term *t);

/* The active set at x with pairs that count so; the term's own `update` takes t->weights. */
abut_status contact_update(contact_term *t, const double *x, pair_weights weights, abut_error *err);

/* With the rule "local": pairs count by the inertia behind them, by this mass. Not where kappa is
 * given, and not with the improved maximum, whose corrections are for equal pairs. */
abut_status contact_weigh_pairs(contact_term *t, double mean_mass, abut_error *err);
/* Lower and upper bound of kappa for a mean mass of the coordinate blocks (IPC supplement 6). The
 * lower one is made for nodes. A block that carries the mass of many vertices makes it so high that
 * all forces arise in a thin shell below dhat, which Newton's method hardly hits: there it may fall
 * to what the mass per vertex asks for (contact_end_step). Returns the kappa to begin with. */
double contact_set_stiffness_bounds(contact_term *t, double mean_mass, double vertex_mass);
/* At the beginning of a step: kappa from balancing the contact gradient g_c (at kappa = 1) against
 * the rest of the gradient; more when gaps have been below dhat / 10 for some steps. Under lasting
 * loads the barrier is so steep there, and the path to the next collision so short, that Newton's
 * method crawls; an impact does not last as long and keeps its stiffness. With the rule "local"
 * the upper bound is that of the paper or `before`, kappa at the end of the last step: what that
 * step has found out is kept for as long as the gaps say so. */
double contact_balance_stiffness(const contact_term *t, const double *contact_gradient,
                                 const double *other_gradient, size_t scalars, double before);
/* Lowers the bound for the next step when all gaps are wide and the step took many Newton
 * iterations nevertheless; raises it again when a gap is narrow. */
void contact_end_step(contact_term *t, int iterations);
/* True where gaps have been narrow at the ends of so many steps that it is no impact. */
bool contact_under_lasting_load(const contact_term *t);
/* After an iteration: doubles kappa when a tiny distance has shrunk again; under the rule "local"
 * tiny is a hundredth of dhat. True when it changed. */
bool contact_adapt_stiffness(contact_term *t, double *kappa);

size_t contact_count(const contact_term *t);

/* xi of a vertex against half-spaces, which have no thickness themselves. */
static inline double contact_plane_thickness(const contact_term *t, size_t vertex)
{
    const collision_surface *s = &t->model->surface;
    return s->thickness.count > 0 ? 0.5 * s->thickness.data[vertex] : 0;
}

#endif
