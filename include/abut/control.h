/* Control of a simulation while it runs: what it is told between steps, what it feels, and copies
 * of it.
 *
 *     double *target = abut_sim_targets(sim);             // NAN everywhere
 *     target[3 * node + 1] = 0.2;                         // its height at the end of the next step
 *     abut_sim_step(sim, &error);
 *     const abut_pair_force *pairs;
 *     size_t count;
 *     abut_sim_pair_forces(sim, &pairs, &count, &error);  // who touches whom, and how hard
 *
 * Functions that change the scene change what abut_sim_scene gives as well: a saved state belongs
 * to the scene at that moment, and both together go on with the same bits. */
#ifndef ABUT_CONTROL_H
#define ABUT_CONTROL_H

#include <abut/define.h>
#include <abut/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What the next steps do ----------------------------------------------------------------- */

/* Where coordinates are to be at the end of the next step: 3 numbers per node, in the coordinates
 * of abut_sim_positions; NAN, as at first: as the scene says. Any node can be taken so, and
 * released again by NAN. Numbers stay until they are written again. A step that is divided goes
 * there along a straight line. A rigid body has two such blocks, its centre and its rotation
 * vector, all three numbers of which mean the nearest path to that orientation. Other bodies are
 * pushed away, never passed: a target behind something prescribed ends the step
 * (ABUT_ERROR_OVERLAP). They are no part of the state. NULL when there is no memory, and for scenes
 * with `remesh`. */
ABUT_API double *abut_sim_targets(abut_sim *sim);

ABUT_API abut_status abut_sim_set_gravity(abut_sim *sim, const double gravity[3],
                                          abut_error *error);
/* Coefficients of friction: of the scene; of a body (negative: that of the scene); of a pair, which
 * goes before the others. */
ABUT_API abut_status abut_sim_set_friction(abut_sim *sim, double friction, abut_error *error);
ABUT_API abut_status abut_sim_set_body_friction(abut_sim *sim, const char *body, double friction,
                                                abut_error *error);
ABUT_API abut_status abut_sim_set_pair_friction(abut_sim *sim, const char *first,
                                                const char *second, double friction,
                                                abut_error *error);

/* The scene is built anew and the state carried over, body by body, by name. What cannot be carried
 * is refused, and the simulation stays as it was: a body whose mesh or type is another than before
 * (give it another name), another step or integrator, the stepper "mlcp", scenes with `remesh`,
 * prescribed motion of a new body that begins before now. Positions that intersect are
 * ABUT_ERROR_INFEASIBLE. Lengths that are relative to the size of the scene stay what they are.
 * Numbers of bodies and nodes may be others afterwards. Arrays of the simulation are others
 * (abut_sim_positions, ...); those handed out before can still be read, but nothing follows them:
 * they are kept until the simulation is destroyed, some 100 bytes per node and change. */
ABUT_API abut_status abut_sim_set_material(abut_sim *sim, const char *name,
                                           const abut_material_def *def, abut_error *error);
/* The body must have a name of its own. It comes last, and starts as its definition says. */
ABUT_API abut_status abut_sim_add_body(abut_sim *sim, const abut_body_def *def, abut_error *error);
ABUT_API abut_status abut_sim_remove_body(abut_sim *sim, const char *name, abut_error *error);
/* Any other change: a native scene (JSON, `length` bytes) that replaces the present one.
 */
ABUT_API abut_status abut_sim_change(abut_sim *sim, const char *text, size_t length,
                                     abut_error *error);

/* ---- What it feels -------------------------------------------------------------------------- */

/* Of the last step. The arrays belong to the simulation and live until the next call of any
 * function that takes it and is not about contacts. Bodies are numbers; as the second, -1 - k is
 * half-space k of the scene, the ground being the last one. The stepper "mlcp" has no such lists:
 * ABUT_ERROR_UNSUPPORTED. */

/* A pair of primitives that is closer than dhat. */
typedef struct abut_contact_point {
    int32_t first, second; /* first <= second, unless that is a half-space */
    double point[3];       /* on the first body; that of the second is at point - distance normal */
    double normal[3];      /* unit vector from the second body to the first */
    double distance, gap;  /* m; the gap is what is left beyond the thickness of both */
    double force;          /* N, along the normal on the first body */
    double pressure;       /* Pa, of the first body's surface there (`contact_pressure`) */
} abut_contact_point;
ABUT_API abut_status abut_sim_contacts(abut_sim *sim, const abut_contact_point **out, size_t *count,
                                       abut_error *error);

/* Two bodies in contact, or one with itself: forces on the first, those on the second are opposite.
 */
typedef struct abut_pair_force {
    int32_t first, second;
    size_t contacts;               /* pairs of primitives */
    double normal[3], friction[3]; /* N */
    double gap;                    /* m, the smallest */
} abut_pair_force;
/* Sorted by first, then second. */
ABUT_API abut_status abut_sim_pair_forces(abut_sim *sim, const abut_pair_force **out, size_t *count,
                                          abut_error *error);
/* The sum of all contacts of a body, N. */
ABUT_API abut_status abut_sim_body_force(abut_sim *sim, size_t body, double normal[3],
                                         double friction[3], abut_error *error);

/* A pair of bodies that touches since the last step, or does not any more. */
typedef struct abut_contact_event {
    int32_t first, second;
    bool begins;
} abut_contact_event;
ABUT_API abut_status abut_sim_events(abut_sim *sim, const abut_contact_event **out, size_t *count,
                                     abut_error *error);

/* ---- Energies of your own ------------------------------------------------------------------- */

/* A sum over stencils, each of a few nodes. */
typedef struct abut_energy_def {
    const char *name;     /* for messages */
    const int32_t *nodes; /* `width` per stencil */
    int width;            /* 1 .. 8 */
    size_t count;
    /* For `count` stencils from `first` on, with x their positions (3 width numbers each), fills
     * what is not NULL: energy, one per stencil, J (INFINITY where positions are not allowed);
     * gradient, 3 width each; hessian, (3 width)^2 each, row by row, symmetric. False: it has
     * failed, and the step ends with ABUT_ERROR_INPUT. Several threads call it at the same time. */
    bool (*evaluate)(void *user, size_t first, size_t count, const double *x, double *energy,
                     double *gradient, double *hessian);
    void *user;
    bool convex; /* Hessians are positive semi-definite already; others are projected */
} abut_energy_def;

/* Adds it to the potential of all later steps; nodes are copied. It counts as elastic energy. Not
 * for scenes with `remesh`, whose nodes change. It is no part of saved states. */
ABUT_API abut_status abut_sim_add_energy(abut_sim *sim, const abut_energy_def *def,
                                         abut_error *error);

/* ---- Copies --------------------------------------------------------------------------------- */

/* A simulation of its own in the same state, with targets, forces and energies (whose functions
 * both call then); it goes on with the same bits. */
ABUT_API abut_status abut_sim_copy(abut_sim *sim, abut_sim **out, abut_error *error);
/* Back to the start of the scene as it is now. Targets, forces and energies stay. */
ABUT_API abut_status abut_sim_reset(abut_sim *sim, abut_error *error);
/* The state as in the file that abut_sim_save writes, in memory of the caller's: free(). */
ABUT_API abut_status abut_sim_save_memory(abut_sim *sim, void **bytes, size_t *size,
                                          abut_error *error);
ABUT_API abut_status abut_sim_restore_memory(abut_sim *sim, const void *bytes, size_t size,
                                             abut_error *error);

/* A pointer of your own per body, which follows the body through changes; NULL at first, and for
 * numbers that no body has. False: no such body, or no memory. */
ABUT_API bool abut_sim_set_user(abut_sim *sim, size_t body, void *user);
ABUT_API void *abut_sim_user(const abut_sim *sim, size_t body);

#ifdef __cplusplus
}
#endif

#endif
