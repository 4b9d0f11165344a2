/* A simulation that goes on beside the server of `abut view --play`: it is paused, stepped, put
 * back to its start, and pulled at by hand. Its latest frames are kept in memory.
 *
 * Simulated time follows the clock at the chosen speed, or falls behind where steps take longer;
 * the clock decides when a step begins and nothing about its result. A pull is a spring and a
 * damper at one point (constraint/pull_term.h) with the mass m of the body: k = m / tau^2 and
 * c = 2 m / tau, critically damped, where tau is a tenth of a second on the screen, so that a body
 * follows the hand in any scene at any speed. */
#ifndef APP_PLAY_H
#define APP_PLAY_H

#include "math/vec3.h"
#include "output/frame.h"

#include <abut/sim.h>
#include <jansson.h>

enum { PLAY_MAX_NODES = 2000 };

/* What is known of a kept frame. */
typedef struct play_entry {
    int64_t step;
    double time;
    int64_t version;
} play_entry;

typedef struct play play;

/* Takes the simulation over, also on failure. Refuses what cannot be played, with the reason.
 * folder: where steps.csv is written. It begins paused. */
abut_status play_start(abut_sim *sim, const char *folder, play **out, abut_error *err);
void play_stop(play *p);

/* The kept frames, oldest first: calls note for each until it returns false. */
bool play_list(play *p, bool (*note)(void *user, const play_entry *entry), void *user);
/* A copy of one of them; ABUT_ERROR_INPUT when it is not kept any more. */
abut_status play_frame(play *p, int64_t step, stored_frame *out, abut_error *err);
/* paused, step, time, speed, rate (simulated seconds per second of late), mouse force in N
 * (null: none), nodes, message (why it has stopped). */
json_t *play_state(play *p);

void play_go(play *p, bool on);
void play_step(play *p); /* and pauses */
void play_reset(play *p);
abut_status play_speed(play *p, double speed, abut_error *err);
/* point: of the frames. Refuses bodies whose motion is given. */
abut_status play_pull(play *p, size_t point, vec3 target, abut_error *err);
void play_release(play *p);

#endif
