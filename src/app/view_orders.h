/* What the page of `abut view --play` orders, as the words of an address: do=go, pause, step,
 * reset, release; do=speed&value=0.5; do=pull&topology=ID&point=N&x=&y=&z= with the number of a
 * point of the surface and a target in the scene. */
#ifndef APP_VIEW_ORDERS_H
#define APP_VIEW_ORDERS_H

#include "app/view_source.h"

/* Gives the word of a name, or NULL. */
typedef const char *(*order_word)(void *user, const char *name);

/* ABUT_ERROR_INPUT with the reason for what is no order. The source must have a play. */
abut_status view_order(view_source *s, order_word word, void *user, abut_error *err);

#endif
