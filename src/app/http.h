/* The web server library, loaded when a page is served: it brings a TLS library along that costs
 * every run memory. Functions keep their own names through the macros. */
#ifndef APP_HTTP_H
#define APP_HTTP_H

#include "base/status.h"

#include <microhttpd.h>

#define HTTP_FUNCTIONS(X)                                                                          \
    X(MHD_add_response_header)                                                                     \
    X(MHD_create_response_from_buffer)                                                             \
    X(MHD_create_response_from_buffer_with_free_callback)                                          \
    X(MHD_destroy_response)                                                                        \
    X(MHD_get_daemon_info)                                                                         \
    X(MHD_lookup_connection_value)                                                                 \
    X(MHD_queue_response)                                                                          \
    X(MHD_set_connection_option)                                                                   \
    X(MHD_start_daemon)                                                                            \
    X(MHD_stop_daemon)

typedef struct http_functions {
#define HTTP_DECLARE(name) __typeof__(&name) name##_;
    HTTP_FUNCTIONS(HTTP_DECLARE)
#undef HTTP_DECLARE
} http_functions;

extern http_functions http_table;

/* To be called before any of the functions. */
abut_status http_load(abut_error *err);

#define MHD_add_response_header http_table.MHD_add_response_header_
#define MHD_create_response_from_buffer http_table.MHD_create_response_from_buffer_
#define MHD_create_response_from_buffer_with_free_callback                                         \
    http_table.MHD_create_response_from_buffer_with_free_callback_
#define MHD_destroy_response http_table.MHD_destroy_response_
#define MHD_get_daemon_info http_table.MHD_get_daemon_info_
#define MHD_lookup_connection_value http_table.MHD_lookup_connection_value_
#define MHD_queue_response http_table.MHD_queue_response_
#define MHD_set_connection_option http_table.MHD_set_connection_option_
#define MHD_start_daemon http_table.MHD_start_daemon_
#define MHD_stop_daemon http_table.MHD_stop_daemon_

#endif
