/* A viewer that was started by a command: prints the address, opens a browser when asked, and waits
 * for the user to interrupt it. Shared by `abut view` and `abut run --view`. */
#ifndef APP_VIEW_SESSION_H
#define APP_VIEW_SESSION_H

#include "app/command.h"
#include "app/view_server.h"

/* The options --host, --port, --page and --open of a command line. */
abut_status view_read_options(const command_line *line, view_options *out, abut_error *err);

/* Starts the server and prints its address to standard output. */
abut_status view_session_start(const view_options *options, bool open_browser, view_server **out,
                               abut_error *err);
/* Returns after SIGINT or SIGTERM. */
void view_session_wait(void);

#define VIEW_OPTION_DEFS                                                                           \
    {"--host", NULL, "ADDRESS",                                                                    \
     "address to listen on; 127.0.0.1 (default) is this machine only, 0.0.0.0 every network",      \
     COMPLETE_NOTHING},                                                                            \
        {"--port", NULL, "N", "port to listen on (any free one)", COMPLETE_NOTHING},               \
        {"--open", NULL, NULL, "open the page in a browser (xdg-open)", COMPLETE_NOTHING},         \
    {                                                                                              \
        "--page", NULL, "FILE", "another page than the one that 'make viewer' built",              \
            COMPLETE_FILE                                                                          \
    }

#endif
