/* Remeshing inside of a time step (In-timestep remeshing, Algorithm 6.1): the step is solved, the
 * meshes of deformable bodies are changed, the state at the start of the step is carried over to
 * the new meshes, and the step is solved again from there.
 *
 * A simulation with other meshes is a new stepper, built from the scene and the meshes
 * (scene/build.h); the old one is kept until the new one has done the step. Should anything go
 * wrong on the path, the result on the old meshes stands. */
#ifndef SIM_REMESH_H
#define SIM_REMESH_H

#include "output/checkpoint.h"
#include "remesh/memory.h"
#include "sim/sim.h"

typedef struct sim_remesh {
    body_shapes shapes;  /* the meshes that the stepper was built with */
    double *shortest;    /* per body of the scene: shortest edge at the start, m */
    remesh_counts total; /* of all steps */
    int64_t changed_steps;
    int64_t unknowns_sum, max_unknowns;
    double seconds;       /* without the first solution of each step */
    uint64_t version;     /* grows with every new stepper */
    remesh_memory memory; /* operations that did not pay */
    int64_t last, next;   /* steps: of the last look at meshes, and of the next */
    int64_t patience;     /* times `every`, in between */
    /* J, at the last look: the potential of the step, and the energy in it that meshes can change.
     */
    double look[2];
    bool pinched;   /* the first meshes have cells that hang together in a point or an edge */
    bool said_kept; /* the message that a step kept its meshes was given */
    bool said_full; /* the message that there are max_cells was given */
    /* What a checkpoint holds, while it is written. */
    int64_t counters[12];
    remesh_memory_list remembered;
} sim_remesh;

/* Builds the stepper of a scene that is remeshed. */
abut_status sim_remesh_create(abut_sim *sim, abut_error *err);
void sim_remesh_destroy(sim_remesh *r);

/* One step. */
abut_status sim_remesh_step(abut_sim *sim, abut_error *err);

/* Meshes and sums to a checkpoint (borrowed until it is written), and back: the stepper is built
 * anew, its state is for the caller to fill. */
abut_status sim_remesh_save(abut_sim *sim, checkpoint_writer *w, abut_error *err);
abut_status sim_remesh_load(abut_sim *sim, const checkpoint_reader *c, abut_error *err);

#endif
