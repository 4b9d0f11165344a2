#include "app/play.h"

#include "base/array.h"
#include "base/file.h"
#include "base/signals.h"
#include "base/timer.h"
#include "body/kind.h"
#include "constraint/follow.h"
#include "constraint/pull_term.h"
#include "measure/frame_fields.h"
#include "output/frame_copy.h"
#include "output/table.h"
#include "run/run_row.h"
#include "sim/sim.h"
#include "sim/sim_memory.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Bytes of frames that are kept, and how many. When these are reached, the older quarter goes at
 * once: what the page knows of all frames is found anew then. */
#define KEPT_BYTES ((size_t)64 << 20)
enum { KEPT_FRAMES = 800 };

static const double HAND_SECONDS = 0.1;
/* A machine that is further behind than this does not try to catch up. */
static const double MOST_BEHIND = 0.25;
static const double SLOWEST = 1e-4, FASTEST = 100;

typedef struct kept_frame {
    play_entry entry;
    frame_copy copy; /* its cells are those of `shown` */
} kept_frame;

/* What is asked of the simulation between two steps. */
typedef struct play_orders {
    bool paused, reset, quit;
    int steps; /* to be made while it is paused */
    double speed;
    bool pulling;
    joint_side side;
    int32_t body;
    vec3 target;
} play_orders;

struct play {
    /* The thread's own. */
    abut_sim *sim;
    term *pull;
    model_frame shown;
    frame_fields fields;
    step_table table;
    char table_path[4096];
    void *start; /* state of the start, for a reset */
    size_t start_size;
    bool started;
    pthread_t thread;
    atomic_bool quit; /* asked within steps */
    /* Shared, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    play_orders orders;
    ARRAY(kept_frame) kept;
    size_t kept_bytes;
    int64_t version;
    int64_t step;
    double time, rate, force;
    char message[sizeof((abut_error *)0)->message];
};

/* ---- frames ---- */

static void drop_frames(play *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        p->kept_bytes -= p->kept.data[i].copy.bytes.count;
        frame_copy_free(&p->kept.data[i].copy);
    }
    p->kept.count -= count;
    if (p->kept.count > 0) /* before the first frame there is no list */
        memmove(p->kept.data, p->kept.data + count, p->kept.count * sizeof *p->kept.data);
}

/* Keeps the present state. */
static abut_status keep_frame(play *p, bool anew, abut_error *err)
{
    frame now;
    kept_frame next = {0};
    const stepper *s = p->sim->stepper;
    model_frame_take(&p->shown, s, &now);
    TRY(frame_fields_choose(&p->fields, &p->shown, s, p->sim->scene->output.frame_fields, &now,
                            err));
    TRY(frame_copy_take(&next.copy, &now, err));
    pthread_mutex_lock(&p->lock);
    if (anew) drop_frames(p, p->kept.count);
    next.entry = (play_entry){s->state.steps, s->time, ++p->version};
    p->step = next.entry.step;
    p->time = next.entry.time;
    bool good = array_push(&p->kept, next);
    if (good) p->kept_bytes += next.copy.bytes.count;
    if (p->kept.count > KEPT_FRAMES || (p->kept_bytes > KEPT_BYTES && p->kept.count > 8))
        drop_frames(p, p->kept.count / 4);
    pthread_mutex_unlock(&p->lock);
    if (good) return ABUT_OK;
    frame_copy_free(&next.copy);
    return error_memory(err, "keeping a frame");
}

/* ---- the thread ---- */

static double mass_of(const model *m, int32_t body)
{
    const model_body *b = &m->bodies.data[body];
    if (b->rigid >= 0) return m->rigids.data[b->rigid].mass;
    double sum = 0;
    for (int32_t k = 0; k < b->block_count; k++) sum += m->mass.data[b->first_block + k];
    return sum;
}

static void take_pull(play *p, const play_orders *orders)
{
    const model *m = p->sim->stepper->model;
    pull now = {.active = orders->pulling, .side = orders->side, .target = orders->target};
    if (now.active) {
        double mass = mass_of(m, orders->body), tau = HAND_SECONDS * orders->speed;
        now.stiffness = mass / (tau * tau);
        now.damping = 2 * mass / tau;
    }
    pull_set(p->pull, &now);
}

/* Of the spring alone. */
static double force_of(const play *p, const play_orders *orders)
{
    const model *m = p->sim->stepper->model;
    if (!orders->pulling) return 0;
    double tau = HAND_SECONDS * orders->speed;
    vec3 at = side_position(m, &orders->side, p->sim->stepper->state.x);
    return mass_of(m, orders->body) / (tau * tau) * vec3_norm(vec3_sub(orders->target, at));
}

static abut_status new_table(play *p, abut_error *err)
{
    if (p->table.stream) TRY(table_close(&p->table, err));
    return table_open(&p->table, p->table_path, TABLE_NEW, err);
}

static abut_status append_row(play *p, double wall, abut_error *err)
{
    step_row row = run_row(p->sim, wall);
    return table_append(&p->table, &row, err);
}

static bool quit_asked(void *user) { return atomic_load(&((play *)user)->quit); }

static abut_status one_step(play *p, const play_orders *orders, abut_error *err)
{
    double before = timer_now();
    take_pull(p, orders);
    p->sim->stepper->scratch.stop = (stop_request){quit_asked, p};
    abut_status status = sim_step(p->sim, err);
    p->sim->stepper->scratch.stop = (stop_request){0};
    TRY(status);
    double wall = timer_now() - before;
    TRY(append_row(p, wall, err));
    TRY(keep_frame(p, false, err));
    double rate = abut_sim_time_step(p->sim) / fmax(wall, 1e-9), force = force_of(p, orders);
    pthread_mutex_lock(&p->lock);
    p->rate = p->rate > 0 ? 0.9 * p->rate + 0.1 * rate : rate;
    p->force = force;
    pthread_mutex_unlock(&p->lock);
    return ABUT_OK;
}

static abut_status back_to_start(play *p, abut_error *err)
{
    TRY(sim_restore_memory(p->sim, p->start, p->start_size, err));
    TRY(new_table(p, err));
    return keep_frame(p, true, err);
}

/* Waits, under the lock, until there is something to do; false at the end. */
static bool wait_for_work(play *p, double *due)
{
    for (;;) {
        double now = timer_now();
        if (p->orders.quit) return false;
        if (p->orders.reset || p->orders.steps > 0) return true;
        if (p->orders.paused) {
            pthread_cond_wait(&p->changed, &p->lock);
            *due = timer_now();
            continue;
        }
        if (*due < now - MOST_BEHIND) *due = now;
        if (*due <= now) return true;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        int64_t nanoseconds = until.tv_nsec + (int64_t)(1e9 * fmin(*due - now, 1.0));
        until.tv_sec += nanoseconds / 1000000000;
        until.tv_nsec = nanoseconds % 1000000000;
        pthread_cond_timedwait(&p->changed, &p->lock, &until);
    }
}

/* A step that fails pauses it: the state is that before the step, and the page says why. */
static void finish_work(play *p, abut_status status, const abut_error *err)
{
    if (status == ABUT_OK) {
        p->message[0] = 0;
        return;
    }
    if (status != ABUT_INTERRUPTED) snprintf(p->message, sizeof p->message, "%s", err->message);
    p->orders.paused = true;
    p->orders.steps = 0;
}

static void *work(void *user)
{
    play *p = user;
    double due = timer_now();
    pthread_mutex_lock(&p->lock);
    while (wait_for_work(p, &due)) {
        abut_error err = {0};
        play_orders orders = p->orders;
        if (orders.reset)
            p->orders.reset = false;
        else if (orders.paused)
            p->orders.steps--;
        pthread_mutex_unlock(&p->lock);
        abut_status status = orders.reset ? back_to_start(p, &err) : one_step(p, &orders, &err);
        due += abut_sim_time_step(p->sim) / orders.speed;
        pthread_mutex_lock(&p->lock);
        finish_work(p, status, &err);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- start and stop ---- */

static abut_status refuse(const abut_sim *sim, abut_error *err)
{
    size_t nodes = (size_t)model_block_count(sim->stepper->model);
    if (sim->remesh)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "--play",
                         "scenes with 'remesh' cannot be played; 'abut run SCENE --view' shows "
                         "them while they run");
    if (nodes > PLAY_MAX_NODES)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "--play",
                         "the scene has %zu nodes, and up to %d can be played; 'abut run SCENE "
                         "--view' shows larger ones while they run",
                         nodes, PLAY_MAX_NODES);
    return ABUT_OK;
}

static abut_status prepare(play *p, const char *folder, abut_error *err)
{
    TRY(refuse(p->sim, err));
    path_join(p->table_path, sizeof p->table_path, folder, "steps.csv");
    TRY(pull_create(p->sim->stepper->model, &p->pull, err));
    TRY(stepper_add_term(p->sim->stepper, p->pull, &pull_row, err));
    TRY(sim_save_memory(p->sim, &p->start, &p->start_size, err));
    TRY(model_frame_init(&p->shown, p->sim->stepper->model, err));
    TRY(new_table(p, err));
    return keep_frame(p, true, err);
}

static abut_status start_thread(play *p, abut_error *err)
{
    sigset_t before;
    signals_begin_threads(&before);
    int reason = pthread_create(&p->thread, NULL, work, p);
    signals_end_threads(&before);
    if (reason != 0)
        return error_set(err, ABUT_ERROR_IO, "--play", "cannot start a thread: %s",
                         strerror(reason));
    p->started = true;
    return ABUT_OK;
}

abut_status play_start(abut_sim *sim, const char *folder, play **out, abut_error *err)
{
    *out = NULL;
    play *p = mem_calloc(1, sizeof *p);
    if (!p) {
        abut_sim_destroy(sim);
        return error_memory(err, "playing a scene");
    }
    p->sim = sim;
    p->orders = (play_orders){.paused = true, .speed = 1};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    abut_status status = prepare(p, folder, err);
    if (status == ABUT_OK) status = start_thread(p, err);
    if (status == ABUT_OK)
        *out = p;
    else
        play_stop(p);
    return status;
}

void play_stop(play *p)
{
    if (!p) return;
    atomic_store(&p->quit, true);
    if (p->started) {
        pthread_mutex_lock(&p->lock);
        p->orders.quit = true;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->thread, NULL);
    }
    if (p->table.stream) (void)table_close(&p->table, NULL);
    drop_frames(p, p->kept.count);
    array_free(&p->kept);
    model_frame_free(&p->shown);
    frame_fields_free(&p->fields);
    free(p->start);
    abut_sim_destroy(p->sim);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}

/* ---- what the server asks ---- */

bool play_list(play *p, bool (*note)(void *user, const play_entry *entry), void *user)
{
    bool good = true;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; good && i < p->kept.count; i++) good = note(user, &p->kept.data[i].entry);
    pthread_mutex_unlock(&p->lock);
    return good;
}

abut_status play_frame(play *p, int64_t step, stored_frame *out, abut_error *err)
{
    abut_status status = ABUT_ERROR_INPUT;
    bool found = false;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; !found && i < p->kept.count; i++) {
        if (p->kept.data[i].entry.step != step) continue;
        found = true;
        status = stored_frame_copy(&p->kept.data[i].copy.frame, out, err);
    }
    pthread_mutex_unlock(&p->lock);
    if (!found)
        return error_set(err, ABUT_ERROR_INPUT, "step", "the frame of step %lld is not kept",
                         (long long)step);
    return status;
}

json_t *play_state(play *p)
{
    pthread_mutex_lock(&p->lock);
    json_t *state = json_pack(
        "{s:b,s:I,s:f,s:f,s:f,s:I,s:s}", "paused", p->orders.paused && p->orders.steps == 0, "step",
        (json_int_t)p->step, "time", p->time, "speed", p->orders.speed, "rate", p->rate, "nodes",
        (json_int_t)model_block_count(p->sim->stepper->model), "message", p->message);
    json_object_set_new(state, "force", p->orders.pulling ? json_real(p->force) : json_null());
    pthread_mutex_unlock(&p->lock);
    return state;
}

static void order_done(play *p)
{
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void play_go(play *p, bool on)
{
    pthread_mutex_lock(&p->lock);
    p->orders.paused = !on;
    p->orders.steps = 0;
    order_done(p);
}

void play_step(play *p)
{
    pthread_mutex_lock(&p->lock);
    p->orders.paused = true;
    p->orders.steps++;
    order_done(p);
}

void play_reset(play *p)
{
    pthread_mutex_lock(&p->lock);
    p->orders.reset = true;
    p->orders.paused = true;
    p->orders.steps = 0;
    p->orders.pulling = false;
    order_done(p);
}

abut_status play_speed(play *p, double speed, abut_error *err)
{
    if (!(speed >= SLOWEST && speed <= FASTEST))
        return error_set(err, ABUT_ERROR_INPUT, "speed", "%g; %g to %g are possible", speed,
                         SLOWEST, FASTEST);
    pthread_mutex_lock(&p->lock);
    p->orders.speed = speed;
    order_done(p);
    return ABUT_OK;
}

abut_status play_pull(play *p, size_t point, vec3 target, abut_error *err)
{
    const model *m = p->sim->stepper->model; /* constant */
    joint_side side;
    if (point >= p->shown.source.count || !vec3_is_finite(target))
        return error_set(err, ABUT_ERROR_INPUT, "point", "there is no point %zu, or no target",
                         point);
    int32_t source = p->shown.source.data[point];
    const model_body *body = &m->bodies.data[p->shown.body.data[point]];
    if (body_rows[body->kind]->obstacle)
        return error_set(err, ABUT_ERROR_INPUT, body->name, "its motion is given by the scene");
    if (!pull_side(m, source, source < 0 ? -1 - source : -1, &side))
        return error_set(err, ABUT_ERROR_INPUT, body->name,
                         "this point is fixed, or follows too many nodes to be pulled");
    pthread_mutex_lock(&p->lock);
    p->orders.pulling = true;
    p->orders.side = side;
    p->orders.body = p->shown.body.data[point];
    p->orders.target = target;
    order_done(p);
    return ABUT_OK;
}

void play_release(play *p)
{
    pthread_mutex_lock(&p->lock);
    p->orders.pulling = false;
    order_done(p);
}
