/* Which rows are on, which stick and which slide (Algorithms 2 and 3, with the rules of acceptance
 * that docs/mlcp.md derives). */
#include "mlcp/solver.h"

#include <math.h>

static const double ALIGNED = 0.99978069; /* cos 1.2 degrees */
/* Slips smaller than this part of the tolerance do not decide that a contact sticks. */
static const double STICK = 1e-3;
static const double FIRST_TURN = 0.01, MOST_TURN = 0.5;
/* After this many rounds in one pass states no longer change during the iteration. */
enum { CAREFUL_ROUND = 6, FREE_FLIPS = 4, FIRST_CREDIT = 4 };

static double dot2(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }
static double norm2(const double *a) { return hypot(a[0], a[1]); }

static void set_direction(mlcp_slide *d, const double *along)
{
    double length = norm2(along);
    d->has_direction = length > 0;
    for (int i = 0; i < 2; i++) d->direction[i] = length > 0 ? along[i] / length : 0;
}

static void clear_friction(mlcp_contact *c)
{
    c->gamma[0] = c->gamma[1] = c->slide.force[0] = c->slide.force[1] = 0;
    c->slide.history_count = 0;
    c->slide.has_direction = false;
    c->slide.turn = FIRST_TURN;
    c->slide.last_turn = 0;
}

/* While a system is not solved yet a multiplier may pull; friction is no less than none. */
static void remember(mlcp_slide *d, double lambda)
{
    d->history[d->history_count % 2] = fmax(0, lambda);
    d->history_count++;
}

static double smoothed(const mlcp_slide *d)
{
    if (d->history_count == 0) return 0;
    return d->history_count == 1 ? d->history[0] : 0.5 * (d->history[0] + d->history[1]);
}

/* Whether the direction has to follow the slip. */
static bool misaligned(const mlcp_slide *d, const double slip[2], double tolerance)
{
    double length = norm2(slip), along = dot2(d->direction, slip) / length;
    return length > tolerance && along > 0 && along < ALIGNED;
}

/* The direction follows the slip by small turns; a turn that overshoots is halved. */
static void align(mlcp_slide *d, const double slip[2], double tolerance)
{
    if (!misaligned(d, slip, tolerance)) return;
    double length = norm2(slip);
    double side = d->direction[0] * slip[1] - d->direction[1] * slip[0];
    if (d->last_turn != 0) d->turn *= side * d->last_turn < 0 ? 0.5 : 1.3;
    d->turn = fmin(MOST_TURN, d->turn);
    d->last_turn = side;
    double turned[2];
    for (int i = 0; i < 2; i++)
        turned[i] = d->direction[i] + d->turn * (slip[i] / length - d->direction[i]);
    set_direction(d, turned);
}

/* A contact that keeps changing between sticking and sliding needs a reason that grows. */
static double margin(const mlcp_contact *c)
{
    return c->flips <= FREE_FLIPS ? 1e-6 : fmin(0.05, 1e-6 * pow(4, c->flips - FREE_FLIPS));
}

typedef enum transition { STAYS, TURNS_ON, TURNS_OFF, STARTS_TO_SLIDE, STARTS_TO_STICK } transition;

/* tolerance: of slips */
static transition change_state(mlcp_contact *c, double gap, const double slip[2], double tolerance)
{
    if (c->state != MLCP_OFF && gap >= 0 && c->lambda <= 0) {
        c->state = MLCP_OFF;
        c->lambda = 0;
        clear_friction(c);
        return TURNS_OFF;
    }
    if (c->state == MLCP_OFF) {
        if (gap > 0 || c->left) return STAYS;
        c->state = MLCP_SLIDES;
        c->lambda = 0;
        clear_friction(c);
        if (norm2(slip) > tolerance) set_direction(&c->slide, slip);
        return TURNS_ON;
    }
    if (!(c->mu > 0)) return STAYS;
    transition result = STAYS;
    if (c->state == MLCP_STICKS) {
        /* The slip of a row that is solved is noise, which says nothing about its direction. */
        bool forward = dot2(slip, c->gamma) > 0 || norm2(slip) < tolerance;
        if (!(norm2(c->gamma) > (1 + margin(c)) * c->mu * fmax(0, c->lambda) && forward))
            return STAYS;
        c->state = MLCP_SLIDES;
        c->flips++;
        set_direction(&c->slide, c->gamma);
        c->slide.history_count = 0;
        remember(&c->slide, norm2(c->gamma) / c->mu);
        for (int i = 0; i < 2; i++) {
            c->slide.force[i] = c->gamma[i];
            c->gamma[i] = 0;
        }
        result = STARTS_TO_SLIDE;
    } else {
        if (!c->slide.has_direction && norm2(slip) > tolerance) set_direction(&c->slide, slip);
        /* Slower than can be told from rest: it goes on sliding, with a force that is up to date.
         */
        double least = fmin(1, STICK * 1e6 * margin(c)) * tolerance;
        if (dot2(slip, c->slide.direction) <= 0 && norm2(slip) > least) {
            c->state = MLCP_STICKS;
            c->flips++;
            for (int i = 0; i < 2; i++) {
                c->gamma[i] = c->slide.force[i];
                c->slide.force[i] = 0;
            }
            return STARTS_TO_STICK;
        }
    }
    if (!c->slide.has_direction) return result;
    remember(&c->slide, c->lambda);
    align(&c->slide, slip, tolerance);
    for (int i = 0; i < 2; i++)
        c->slide.force[i] = c->mu * smoothed(&c->slide) * c->slide.direction[i];
    return result;
}

/* A sliding force is right when it fits the present normal force and slip. How far an update moves
 * it says nothing: the mean of the last two normal forces may stay where it is and be wrong. */
static bool sliding_fits(const mlcp_contact *c, const double slip[2], double band, double tolerance)
{
    if (c->state != MLCP_SLIDES || !c->slide.has_direction) return true;
    double off = norm2(c->slide.force) - c->mu * fmax(0, c->lambda);
    return fmax(c->scale_t[0], c->scale_t[1]) * fabs(off) <= band &&
           !misaligned(&c->slide, slip, tolerance);
}

/* Whether the change matters: by the distances that it implies. */
static bool accepted(const mlcp_contact *before, const mlcp_contact *after, transition kind,
                     double gap, const double slip[2], double tolerance, double patience)
{
    double normal = after->scale_n * (after->lambda - before->lambda), tangential[2];
    for (int i = 0; i < 2; i++)
        tangential[i] = after->scale_t[i] * (after->gamma[i] + after->slide.force[i] -
                                             before->gamma[i] - before->slide.force[i]);
    double change = hypot(normal, norm2(tangential));
    /* A fixed dead band would keep friction at zero for light nodes and short steps. */
    double weight = after->scale_n * fabs(before->lambda) * (after->mu > 0 ? after->mu : 1);
    double band = patience * fmax(1e-12, fmin(tolerance, 1e-3 * weight));
    return change > band || !sliding_fits(before, slip, band, patience * tolerance) ||
           (kind == TURNS_ON && -gap > 0.25 * tolerance) || kind == STARTS_TO_STICK ||
           (kind == TURNS_OFF && gap > patience * tolerance);
}

static int interval(const mlcp_solver *s, double residual, int iteration)
{
    double ratio = residual / s->options.residual;
    double digits = ratio > 1 ? log10(ratio) : 0;
    /* Every change starts the iteration anew, and a method that is started anew all the time has no
     * memory: the longer a step takes, the more rarely states are looked at. */
    return (int)fmax(1, floor(digits * digits / 3)) + iteration / 40;
}

static double patience(const mlcp_solver *s)
{
    /* A set of states that cycles must not do so for ever: what counts as a change grows. */
    int rounds = s->pass + s->round;
    return rounds < 20 ? 1 : 0.0025 * rounds * rounds;
}

static bool change_contact(mlcp_solver *s, mlcp_contact *c)
{
    mlcp_contact before = *c;
    double gap = mlcp_gap(s, c), slip[2], tolerance = s->options.tolerance, factor = patience(s);
    mlcp_slip(s, c, slip);
    transition kind = change_state(c, gap, slip, factor * tolerance);
    if (accepted(&before, c, kind, gap, slip, tolerance, factor)) return true;
    *c = before;
    return false;
}

bool mlcp_evaluate(mlcp_solver *s, double residual, int iteration)
{
    if (s->round >= CAREFUL_ROUND || iteration % interval(s, residual, iteration) != 0)
        return false;
    bool changed = false;
    for (size_t k = 0; k < s->contacts.count; k++)
        if (change_contact(s, &s->contacts.data[k])) changed = true;
    return changed;
}

/* --- With the system solved --- */

typedef enum wrong { RIGHT, PULLS, PENETRATES } wrong;

static wrong wrong_state(const mlcp_solver *s, const mlcp_contact *c)
{
    double tolerance = s->options.tolerance;
    if (c->state == MLCP_OFF)
        return !c->left && mlcp_gap(s, c) < -0.25 * tolerance ? PENETRATES : RIGHT;
    return c->lambda * c->scale_n < -0.01 * tolerance ? PULLS : RIGHT;
}

static void correct(mlcp_solver *s, mlcp_contact *c)
{
    bool on = c->state == MLCP_OFF;
    double slip[2];
    mlcp_slip(s, c, slip);
    c->state = on ? MLCP_SLIDES : MLCP_OFF;
    c->lambda = 0;
    clear_friction(c);
    mlcp_set_reference(c);
    if (on && norm2(slip) > s->options.tolerance) set_direction(&c->slide, slip);
}

void mlcp_leave(mlcp_contact *c)
{
    c->state = MLCP_OFF;
    c->left = true;
    c->lambda = 0;
    clear_friction(c);
    mlcp_set_reference(c);
}

/* Rows that pull or penetrate. */
static bool correct_states(mlcp_solver *s)
{
    size_t count = 0, last = 0;
    for (size_t k = 0; k < s->contacts.count; k++)
        if (wrong_state(s, &s->contacts.data[k]) != RIGHT) {
            count++;
            last = k;
        }
    if (count == 0) return false;
    mlcp_pivoting *p = &s->pivoting;
    if (count < p->best) {
        p->best = count;
        p->credit = FIRST_CREDIT;
    } else if (p->credit > 0)
        p->credit--;
    for (size_t k = p->credit > 0 ? 0 : last; k <= last; k++)
        if (wrong_state(s, &s->contacts.data[k]) != RIGHT) correct(s, &s->contacts.data[k]);
    return true;
}

bool mlcp_evaluate_solved(mlcp_solver *s)
{
    if (correct_states(s)) return true;
    bool changed = false;
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        if (c->state != MLCP_OFF && c->mu > 0 && change_contact(s, c)) changed = true;
    }
    return changed;
}

/* --- Proximal term --- */

void mlcp_set_reference(mlcp_contact *c)
{
    c->reference[0] = c->lambda;
    for (int i = 0; i < 2; i++) c->reference[1 + i] = c->gamma[i];
}

bool mlcp_renew_references(mlcp_solver *s)
{
    double most = 0.25 * s->options.tolerance;
    bool far = false;
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        if (c->state == MLCP_OFF) continue;
        double excess = c->scale_n * fabs(c->lambda - c->reference[0]);
        for (int i = 0; i < 2 && c->state == MLCP_STICKS; i++)
            excess = fmax(excess, c->scale_t[i] * fabs(c->gamma[i] - c->reference[1 + i]));
        if (MLCP_PROXIMAL * excess > most) far = true;
        mlcp_set_reference(c);
    }
    return far;
}
