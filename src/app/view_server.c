#include "app/view_server.h"

#include "base/status.h"

#ifndef ABUT_HAVE_MICROHTTPD

abut_status view_server_start(const view_options *options, view_server **out, abut_error *err)
{
    (void)options;
    *out = NULL;
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "view",
                     "abut was built without a web server; install libmicrohttpd-dev and build "
                     "again, or open frames/frames.pvd in ParaView");
}

void view_server_stop(view_server *server) { (void)server; }

const char *view_server_address(const view_server *server)
{
    (void)server;
    return "";
}

bool view_server_is_open(const view_server *server)
{
    (void)server;
    return false;
}

#else

#include "app/http.h"
#include "app/http_text.h"
#include "app/view_orders.h"
#include "app/view_source.h"
#include "app/viewer_page.h"
#include "base/file.h"
#include "base/signals.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { TOKEN_BYTES = 16, TOKEN_SIZE = 2 * TOKEN_BYTES + 1 };
/* Seconds that a connection may be idle before it has shown the word, and after; how many there may
 * be, and how many from one address (browsers use six). */
enum { UNKNOWN_SECONDS = 5, KNOWN_SECONDS = 60, ALL_CONNECTIONS = 64, ADDRESS_CONNECTIONS = 8 };

struct view_server {
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* of the source */
    view_source source;
    view_source other; /* its folder is "" when there is none */
    file_bytes page;
    char token[TOKEN_SIZE];
    char address[160];
    bool open;
};

/* ---- answers ---- */

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned code,
                                     const char *type, struct MHD_Response *response)
{
    static const char *const headers[][2] = {
        {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"X-Frame-Options", "DENY"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
         "img-src data: blob:; connect-src 'self'; worker-src blob:; base-uri 'none'; "
         "form-action 'none'"},
    };
    if (!response) return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned code, const char *text)
{
    return send_response(
        connection, code, "text/plain; charset=utf-8",
        MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result send_error(struct MHD_Connection *connection, abut_status status,
                                  const abut_error *err)
{
    bool missing = status == ABUT_ERROR_INPUT || status == ABUT_ERROR_IO;
    return send_text(connection, missing ? MHD_HTTP_NOT_FOUND : MHD_HTTP_INTERNAL_SERVER_ERROR,
                     err->message);
}

static enum MHD_Result send_packet(struct MHD_Connection *connection, const char *type, packet p)
{
    http_range range;
    const char *wanted =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_RANGE);
    http_range_kind kind = http_range_parse(wanted, p.size, &range);
    if (kind == HTTP_RANGE_OUTSIDE) {
        mem_free(p.bytes);
        return send_text(connection, MHD_HTTP_RANGE_NOT_SATISFIABLE, "nothing there\n");
    }
    if (kind == HTTP_RANGE_PART) memmove(p.bytes, p.bytes + range.first, range.length);
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback(range.length, p.bytes, mem_free);
    if (!response) {
        mem_free(p.bytes);
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
    if (kind == HTTP_RANGE_PART) {
        char text[96];
        snprintf(text, sizeof text, "bytes %zu-%zu/%zu", range.first,
                 range.first + range.length - 1, p.size);
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_RANGE, text);
    }
    return send_response(connection,
                         kind == HTTP_RANGE_PART ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK, type,
                         response);
}

/* text: from malloc, or NULL when status tells of an error. */
static enum MHD_Result send_json(struct MHD_Connection *connection, abut_status status, char *text,
                                 const abut_error *err)
{
    if (status != ABUT_OK) return send_error(connection, status, err);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
    if (!response) free(text);
    return send_response(connection, MHD_HTTP_OK, "application/json", response);
}

static enum MHD_Result send_state(view_server *server, view_source *source,
                                  struct MHD_Connection *connection)
{
    char *text;
    abut_error err;
    pthread_mutex_lock(&server->lock);
    abut_status status = view_source_state(source, &text, &err);
    pthread_mutex_unlock(&server->lock);
    return send_json(connection, status, text, &err);
}

static const char *query(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/* A whole number of the address, at least 0; -1 where there is none. */
static bool query_number(struct MHD_Connection *connection, const char *name, long long *value)
{
    const char *text = query(connection, name);
    char *end = NULL;
    *value = text ? strtoll(text, &end, 10) : -1;
    return text && end != text && *end == 0 && *value >= 0;
}

static enum MHD_Result send_step(view_server *server, view_source *source,
                                 struct MHD_Connection *connection, bool topology)
{
    long long step, beyond, base;
    if (!query_number(connection, "step", &step))
        return send_text(connection, MHD_HTTP_BAD_REQUEST, "step must be a number\n");
    if ((query(connection, "grid") && !query_number(connection, "grid", &beyond)) ||
        (query(connection, "base") && !query_number(connection, "base", &base)))
        return send_text(connection, MHD_HTTP_BAD_REQUEST, "grid and base must be numbers\n");
    query_number(connection, "grid", &beyond);
    view_wish wish = {step, query(connection, "fields"), beyond,
                      query_number(connection, "base", &base) ? (uint64_t)base : 0};
    packet p;
    abut_error err;
    pthread_mutex_lock(&server->lock);
    abut_status status = topology ? view_source_topology(source, step, &p, &err)
                                  : view_source_frame(source, &wish, &p, &err);
    pthread_mutex_unlock(&server->lock);
    if (status != ABUT_OK) return send_error(connection, status, &err);
    return send_packet(connection, "application/octet-stream", p);
}

static enum MHD_Result send_range(view_server *server, view_source *source,
                                  struct MHD_Connection *connection)
{
    const char *field = query(connection, "field");
    char *text;
    abut_error err;
    if (!field) return send_text(connection, MHD_HTTP_BAD_REQUEST, "which field?\n");
    pthread_mutex_lock(&server->lock);
    abut_status status =
        view_source_range(source, field, query(connection, "component"), &text, &err);
    pthread_mutex_unlock(&server->lock);
    return send_json(connection, status, text, &err);
}

static enum MHD_Result send_history(view_server *server, view_source *source,
                                    struct MHD_Connection *connection)
{
    long long point, from;
    const char *topology = query(connection, "topology");
    char *text;
    abut_error err;
    if (!topology || !query_number(connection, "point", &point) ||
        !query_number(connection, "from", &from))
        return send_text(connection, MHD_HTTP_BAD_REQUEST,
                         "point and from must be numbers, topology a word\n");
    pthread_mutex_lock(&server->lock);
    abut_status status = view_source_history(
        source, (size_t)point, topology, query(connection, "fields"), (size_t)from, &text, &err);
    pthread_mutex_unlock(&server->lock);
    return send_json(connection, status, text, &err);
}

static enum MHD_Result send_file(view_server *server, view_source *source,
                                 struct MHD_Connection *connection, const char *name)
{
    packet p;
    abut_error err;
    pthread_mutex_lock(&server->lock);
    abut_status status = view_source_file(source, name, &p, &err);
    pthread_mutex_unlock(&server->lock);
    if (status != ABUT_OK)
        return send_text(connection, MHD_HTTP_NOT_FOUND, "there is nothing of this name\n");
    return send_packet(connection,
                       strcmp(path_extension(name), "json") == 0 ? "application/json"
                                                                 : "text/csv; charset=utf-8",
                       p);
}

static enum MHD_Result send_page(view_server *server, struct MHD_Connection *connection)
{
    return send_response(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
                         MHD_create_response_from_buffer(server->page.size, server->page.data,
                                                         MHD_RESPMEM_PERSISTENT));
}

/* The time of the comparison does not tell how much of the word was right. */
static bool token_matches(const view_server *server, const char *path)
{
    size_t length = TOKEN_SIZE - 1;
    if (strnlen(path, length + 2) < length + 1 || path[length] != '/') return false;
    unsigned difference = 0;
    for (size_t i = 0; i < length; i++) difference |= (unsigned)(path[i] ^ server->token[i]);
    return difference == 0;
}

/* A page of somebody else may point a name of its own at this machine, but then it asks for that
 * name: only addresses, localhost and the name of this machine are answered. */
static bool host_is_ours(struct MHD_Connection *connection)
{
    const char *given =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    char name[256], machine[256];
    return given && http_host_name(given, name, sizeof name) &&
           (http_is_address(name) || strcmp(name, "localhost") == 0 ||
            (gethostname(machine, sizeof machine) == 0 && strcmp(name, machine) == 0));
}

static enum MHD_Result answer_name(view_server *server, struct MHD_Connection *connection,
                                   const char *name)
{
    static const char other[] = "other/";
    view_source *source = &server->source;
    if (*name == 0) return send_page(server, connection);
    if (server->other.folder[0] && strncmp(name, other, sizeof other - 1) == 0) {
        source = &server->other;
        name += sizeof other - 1;
    }
    if (strcmp(name, "state") == 0) return send_state(server, source, connection);
    if (strcmp(name, "frame") == 0) return send_step(server, source, connection, false);
    if (strcmp(name, "topology") == 0) return send_step(server, source, connection, true);
    if (strcmp(name, "range") == 0) return send_range(server, source, connection);
    if (strcmp(name, "history") == 0) return send_history(server, source, connection);
    return send_file(server, source, connection, name);
}

/* ---- orders ---- */

static const char *word_of_query(void *user, const char *name) { return query(user, name); }

/* The first call for a request comes before its body, of which nothing is used. */
static enum MHD_Result answer_order(view_server *server, struct MHD_Connection *connection,
                                    size_t *upload_size, void **state)
{
    static char begun;
    abut_error err;
    if (!*state) {
        *state = &begun;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    pthread_mutex_lock(&server->lock);
    abut_status status = view_order(&server->source, word_of_query, connection, &err);
    pthread_mutex_unlock(&server->lock);
    if (status != ABUT_OK) return send_text(connection, MHD_HTTP_CONFLICT, err.message);
    return send_text(connection, MHD_HTTP_OK, "done\n");
}

/* Only these names exist; nothing in an address is used as a path. */
static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    (void)version, (void)upload;
    view_server *server = user;
    if (!host_is_ours(connection) || url[0] != '/' || !token_matches(server, url + 1))
        return send_text(connection, MHD_HTTP_FORBIDDEN,
                         "wrong address: use the one that abut printed\n");
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)KNOWN_SECONDS);
    const char *name = url + 1 + TOKEN_SIZE;
    bool order = strcmp(method, MHD_HTTP_METHOD_POST) == 0 && strcmp(name, "order") == 0;
    if (order && server->source.play) return answer_order(server, connection, upload_size, state);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only reading is possible\n");
    return answer_name(server, connection, name);
}

/* ---- start and stop ---- */

static abut_status make_token(view_server *server, abut_error *err)
{
    unsigned char random[TOKEN_BYTES];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return error_set(err, ABUT_ERROR_IO, "view", "the system gives no random numbers");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(server->token + 2 * i, 3, "%02x", random[i]);
    return ABUT_OK;
}

typedef union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} any_address;

static abut_status parse_host(const char *host, int port, any_address *out, bool *open,
                              abut_error *err)
{
    memset(out, 0, sizeof *out);
    if (!host || strcmp(host, "localhost") == 0) host = "127.0.0.1";
    if (inet_pton(AF_INET, host, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons((uint16_t)port);
        *open = ntohl(out->v4.sin_addr.s_addr) >> 24 != 127;
        return ABUT_OK;
    }
    if (inet_pton(AF_INET6, host, &out->v6.sin6_addr) == 1) {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons((uint16_t)port);
        *open = !IN6_IS_ADDR_LOOPBACK(&out->v6.sin6_addr);
        return ABUT_OK;
    }
    return error_set(err, ABUT_ERROR_INPUT, "--host",
                     "'%s' is not an address; give one like 127.0.0.1 (this machine only, default) "
                     "or 0.0.0.0 (every machine that can reach this one)",
                     host);
}

static abut_status listen_on(view_server *server, const view_options *options, abut_error *err)
{
    any_address address;
    TRY(parse_host(options->host, options->port, &address, &server->open, err));
    bool v6 = address.any.sa_family == AF_INET6;
    sigset_t before;
    signals_begin_threads(&before);
    errno = 0;
    server->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | (v6 ? MHD_USE_IPv6 : 0), (uint16_t)options->port, NULL,
        NULL, answer, server, MHD_OPTION_SOCK_ADDR, &address.any, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)UNKNOWN_SECONDS, MHD_OPTION_CONNECTION_LIMIT, (unsigned)ALL_CONNECTIONS,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)ADDRESS_CONNECTIONS, MHD_OPTION_END);
    int reason = errno;
    signals_end_threads(&before);
    errno = reason;
    if (!server->daemon)
        return error_set(err, ABUT_ERROR_IO, "view", "cannot listen on %s port %d: %s",
                         options->host ? options->host : "127.0.0.1", options->port,
                         errno ? strerror(errno) : "the web server did not start");
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    const char *host = options->host ? options->host : "127.0.0.1";
    snprintf(server->address, sizeof server->address,
             v6 ? "http://[%s]:%u/%s/" : "http://%s:%u/%s/", host,
             info ? info->port : (unsigned)options->port, server->token);
    return ABUT_OK;
}

abut_status view_server_start(const view_options *options, view_server **out, abut_error *err)
{
    *out = NULL;
    view_server *server = mem_calloc(1, sizeof *server);
    if (!server) return error_memory(err, "starting the viewer");
    pthread_mutex_init(&server->lock, NULL);
    abut_status status = http_load(err);
    if (status == ABUT_OK) status = viewer_page_read(options->page, &server->page, err);
    if (status == ABUT_OK) status = view_source_open(&server->source, options->folder, err);
    if (status == ABUT_OK && options->other)
        status = view_source_open(&server->other, options->other, err);
    server->source.play = options->play;
    server->source.problem = options->problem;
    server->source.other = options->other ? path_name(options->other) : NULL;
    if (status == ABUT_OK) status = make_token(server, err);
    if (status == ABUT_OK) status = listen_on(server, options, err);
    if (status == ABUT_OK)
        *out = server;
    else
        view_server_stop(server);
    return status;
}

void view_server_stop(view_server *server)
{
    if (!server) return;
    if (server->daemon) MHD_stop_daemon(server->daemon);
    view_source_close(&server->source);
    view_source_close(&server->other);
    file_free(&server->page);
    pthread_mutex_destroy(&server->lock);
    mem_free(server);
}

const char *view_server_address(const view_server *server) { return server->address; }

bool view_server_is_open(const view_server *server) { return server->open; }

#endif
