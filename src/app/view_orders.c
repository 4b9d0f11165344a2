#include "app/view_orders.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* Text from an address: a number, all of it. */
static abut_status read_number(order_word word, void *user, const char *name, double *out,
                               abut_error *err)
{
    const char *text = word(user, name);
    const char *at = text, *end = text ? text + strlen(text) : NULL;
    if (text && *text && number_read_double(&at, end, out) == NUMBER_OK && at == end)
        return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, name, "must be a number");
}

static abut_status order_pull(view_source *s, order_word word, void *user, abut_error *err)
{
    const char *topology = word(user, "topology");
    double point;
    vec3 target;
    TRY(read_number(word, user, "point", &point, err));
    TRY(read_number(word, user, "x", &target.x, err));
    TRY(read_number(word, user, "y", &target.y, err));
    TRY(read_number(word, user, "z", &target.z, err));
    if (!topology || !(point >= 0 && point <= 1e9))
        return error_set(err, ABUT_ERROR_INPUT, "point", "there is no such point");
    return view_source_pull(s, topology, (size_t)point, target, err);
}

abut_status view_order(view_source *s, order_word word, void *user, abut_error *err)
{
    const char *order = word(user, "do");
    double value;
    if (!order) order = "";
    if (strcmp(order, "go") == 0)
        play_go(s->play, true);
    else if (strcmp(order, "pause") == 0)
        play_go(s->play, false);
    else if (strcmp(order, "step") == 0)
        play_step(s->play);
    else if (strcmp(order, "reset") == 0)
        play_reset(s->play);
    else if (strcmp(order, "release") == 0)
        play_release(s->play);
    else if (strcmp(order, "pull") == 0)
        return order_pull(s, word, user, err);
    else if (strcmp(order, "speed") == 0) {
        TRY(read_number(word, user, "value", &value, err));
        return play_speed(s->play, value, err);
    } else
        return error_set(err, ABUT_ERROR_INPUT, "do",
                         "'%.40s' is none of go, pause, step, reset, speed, pull, release", order);
    return ABUT_OK;
}
