/* The web server of `abut view` (libmicrohttpd): the page and one run folder, read only, behind a
 * random word in the address; with --play it takes orders for a simulation. It answers in a thread
 * of its own until it is stopped. */
#ifndef APP_VIEW_SERVER_H
#define APP_VIEW_SERVER_H

#include <abut/base.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct view_options {
    const char *folder;  /* of the run; may appear later */
    const char *other;   /* folder of a run to compare with, or NULL */
    const char *problem; /* why the start that is shown cannot be simulated, or NULL */
    struct play *play;   /* simulation that goes on beside it (app/play.h), or NULL; not owned */
    const char *page;    /* HTML file, NULL: the one that belongs to this program */
    const char *host;    /* address to listen on, NULL: 127.0.0.1 */
    int port;            /* 0: any free one */
} view_options;

typedef struct view_server view_server;

abut_status view_server_start(const view_options *options, view_server **out, abut_error *err);
void view_server_stop(view_server *server);
/* "http://127.0.0.1:40123/0f3c.../" */
const char *view_server_address(const view_server *server);
/* True when other machines may reach it. */
bool view_server_is_open(const view_server *server);

#endif
