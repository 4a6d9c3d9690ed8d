/* SPDX-License-Identifier: MIT */

/*
 * A *guest* is a connection, a *visit* one request on it. A visit is held by the library's thread from the first byte to
 * the last of its reply, and by a worker while that handles it; the last of the two frees it. All calls into the
 * library about a connection are made by its own thread, but for waking one that rests.
 */

#include "serve/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/await.h"
#include "base/library.h"
#include "base/limit.h"
#include "base/mem.h"
#include "serve/flow.h"
#include "serve/problem.h"
#include "serve/socket.h"
#include "serve/workers.h"

enum {
    LOOK_US = 100000,            /* how often is looked who has left */
    CONNECTION_BYTES = 48 << 10, /* for the head of a request and buffers */
    BLOCK = 32 << 10,
    READ_US = 60000000, /* a client that reads nothing of its reply for so long is gone */
    READ_RATE =
        4096, /* bytes a second that a client reads at least of a reply that is sent as a whole */
    LAST_US = 5000000,    /* for what is left when the server stops */
    BACKLOG_US = 2000000, /* for connections that nobody looked at yet */
    BACKLOG_LOOK_US = 5000,
    FULL_PERCENT = 75, /* of the connections: beyond it those that ask nothing make room */
    ROOM_PERCENT = 50, /* until no more than so many are left */
    NEW_US = 1000000,  /* but not who came just now: what it asks may be on its way */
};

/* Older versions have known weaknesses, and the library would accept them. */
#define TLS_VERSIONS "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* --- the library ---------------------------------------------------------------------------------- */

/* Every function that is used; a missing one is found at load, not at use. */
#define HTTP_FUNCTIONS(X)                                                                      \
    X(start_daemon)                                                                            \
    X(quiesce_daemon)                                                                          \
    X(stop_daemon)                                                                             \
    X(suspend_connection)                                                                      \
    X(resume_connection)                                                                       \
    X(get_connection_info)                                                                     \
    X(get_connection_values)                                                                   \
    X(create_response_from_buffer)                                                             \
    X(create_response_from_callback)                                                           \
    X(add_response_header)                                                                     \
    X(destroy_response)                                                                        \
    X(queue_response)                                                                          \
    X(is_feature_supported)

/* Filled by load_library, read-only afterwards. */
static struct http_functions {
#define X(name) __typeof__(MHD_##name) *name;
    HTTP_FUNCTIONS(X)
#undef X
} mhd;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static const struct library_function functions[] = {
#define X(name) {"MHD_" #name, offsetof(struct http_functions, name)},
    HTTP_FUNCTIONS(X)
#undef X
};

static const struct library library = {
    .names = {"libmicrohttpd.so.12"},
    .what = "libmicrohttpd",
    .needed_for = "stint serve needs libmicrohttpd",
    .package = "libmicrohttpd12",
    .version = "0.9.73",
    .functions = functions,
    .function_count = COUNT_OF(functions),
};

static int load_library(struct error *err)
{
    pthread_mutex_lock(&load_lock);
    int failed = loaded ? 0 : library_load(&library, &mhd, err);
    loaded = !failed;
    pthread_mutex_unlock(&load_lock);
    return failed;
}

/* --- guests and visits ---------------------------------------------------------------------------- */

struct visit;

struct guest {
    int fd;
    int64_t since_us;    /* when it came, or was last answered */
    char *target;        /* of the request that is arriving, as it came */
    bool arriving;       /* a part of a request is there */
    struct visit *visit; /* whose request is there as a whole; NULL: it has yet to ask */
    struct guest *next, **link;
};

enum visit_state {
    VISIT_ARRIVES,  /* the request is not there as a whole */
    VISIT_HANDLED,  /* by a worker; the connection rests */
    VISIT_ANSWERED, /* there is a reply, or its beginning */
    VISIT_REPLIED,  /* it was given to the library */
};

struct visit {
    struct http_serving *serving;
    struct MHD_Connection *connection;
    struct exchange exchange;
    struct str target;
    struct buf body;
    bool too_large;
    /* where it ends can be understood in two ways: nothing more is read from its connection */
    bool ambiguous;
    bool crowded;      /* others bring too much already */
    size_t body_bytes; /* what it has of those of the server */
    atomic_int holders;

    pthread_mutex_t guard; /* of all below */
    pthread_cond_t taken;
    enum visit_state state;
    bool resting;             /* the connection is suspended */
    bool gone;                /* the library has ended it: nobody reads */
    struct flow flow;         /* bytes of a stream */
    _Atomic(int64_t) read_us; /* when the client last read; 0: there is nothing to read yet */
    int64_t patience_us;      /* how long it may read nothing */
    bool ended, cut;          /* no more bytes come; and what came is not all */
};

/* A listener, as the library serves it. */
struct daemon {
    struct http_serving *serving;
    enum listener_kind kind;
    int fd;                    /* a copy of the listener's */
    struct MHD_Daemon *handle; /* NULL: not started */
};

struct http_serving {
    struct http_options options;
    struct daemon *daemons;           /* one for each listener of the options */
    struct workers *workers, *urgent; /* each with a queue of its own */
    pthread_t looker;
    bool looks;
    atomic_bool stopping; /* connections are closed after their reply */
    atomic_bool retired;  /* no new connections are taken */
    atomic_uint_fast64_t requests, refused, failed;
    atomic_size_t body_bytes;  /* of all visits */
    _Atomic(uint64_t) spilled; /* bytes of replies in files */
    pthread_mutex_t guard;     /* of all below */
    pthread_cond_t changed;
    pthread_cond_t came; /* a guest, for the looker; or it is to end */
    bool ending;
    struct guest *guests;
    size_t guest_count;
    size_t under_way; /* requests that workers have, or are to have */
    size_t visits;    /* requests whose reply has not been sent as a whole */
};

/* What it has brought is not wanted any more. */
static void drop_body(struct visit *visit)
{
    atomic_fetch_sub(&visit->serving->body_bytes, visit->body_bytes);
    visit->body_bytes = 0;
}

/* A piece of what the request brings; all of it goes where that is too much, and the rest too. */
static void take_body(struct visit *visit, struct str piece)
{
    struct http_serving *serving = visit->serving;
    if (visit->crowded || visit->too_large) {
        return;
    }
    visit->body_bytes += piece.len;
    visit->crowded = atomic_fetch_add(&serving->body_bytes, piece.len) + piece.len >
                     serving->options.bodies_max;
    buf_add(&visit->body, piece);
    visit->too_large = visit->body.overflow;
    if (visit->crowded || visit->too_large) {
        buf_release(&visit->body);
        buf_init(&visit->body, 0);
        drop_body(visit);
    }
}

static void visit_drop(struct visit *visit)
{
    if (atomic_fetch_sub(&visit->holders, 1) == 1) {
        drop_body(visit);
        buf_release(&visit->body);
        flow_release(&visit->flow);
        exchange_release(&visit->exchange);
        pthread_cond_destroy(&visit->taken);
        pthread_mutex_destroy(&visit->guard);
        free(visit);
    }
}

/* Under its guard. */
static void rest(struct visit *visit)
{
    visit->resting = true;
    mhd.suspend_connection(visit->connection);
}

static void wake(struct visit *visit)
{
    if (visit->resting && !visit->gone) {
        visit->resting = false;
        mhd.resume_connection(visit->connection);
    }
}

static struct guest *guest_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void set_visit(struct http_serving *serving, struct guest *guest, struct visit *visit)
{
    if (guest) {
        pthread_mutex_lock(&serving->guard);
        serving->visits += (visit != NULL) - (size_t)(guest->visit != NULL);
        guest->visit = visit;
        guest->arriving = false;
        guest->since_us = stop_clock();
        pthread_cond_broadcast(&serving->changed);
        pthread_mutex_unlock(&serving->guard);
    }
}

static void on_connection(void *owner, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct http_serving *serving = owner;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        struct guest *guest = mem_alloc(1, sizeof(*guest));
        *guest = (struct guest){.fd = info->connect_fd, .since_us = stop_clock()};
        *context = guest;
        pthread_mutex_lock(&serving->guard);
        guest->next = serving->guests;
        guest->link = &serving->guests;
        if (guest->next) {
            guest->next->link = &guest->next;
        }
        serving->guests = guest;
        serving->guest_count++;
        if (!guest->next) {
            pthread_cond_signal(&serving->came);
        }
        pthread_mutex_unlock(&serving->guard);
        return;
    }
    struct guest *guest = *context;
    pthread_mutex_lock(&serving->guard);
    *guest->link = guest->next;
    if (guest->next) {
        guest->next->link = guest->link;
    }
    serving->guest_count--;
    pthread_mutex_unlock(&serving->guard);
    free(guest->target);
    free(guest);
    *context = NULL;
}

/*
 * Where connections get scarce, the oldest of those that ask nothing are closed, so that a crowd that only holds them keeps
 * nobody out. Under the guard.
 */
static void make_room(struct http_serving *serving)
{
    const size_t most =
        serving->options.connections_max; /* of one listener: all may be on it */
    if (serving->guest_count * 100 <= most * FULL_PERCENT) {
        return;
    }
    const int64_t now = stop_clock();
    size_t keep = most * ROOM_PERCENT / 100;
    for (struct guest *guest = serving->guests; guest; guest = guest->next) { /* newest first */
        if (!guest->visit && keep == 0 && now - guest->since_us > NEW_US) {
            shutdown(guest->fd, SHUT_RDWR);
        }
        keep -= keep > 0;
    }
}

/* Whether there is a reply, and its client does not read it. */
static bool is_unread(const struct visit *visit, int64_t now)
{
    const int64_t read_us = atomic_load(&visit->read_us);
    return read_us > 0 && now - read_us > visit->patience_us;
}

/* Ends requests whose askers have left, and closes connections that ask nothing. Under the guard. */
static void look(struct http_serving *serving)
{
    const int64_t now = stop_clock();
    const bool stopping = atomic_load(&serving->stopping);
    for (struct guest *guest = serving->guests; guest; guest = guest->next) {
        struct pollfd left = {.fd = guest->fd, .events = POLLRDHUP};
        const int64_t idle_us =
            stopping && !guest->arriving ? NEW_US : serving->options.idle_us;
        if (!guest->visit && now - guest->since_us > idle_us) {
            shutdown(guest->fd, SHUT_RDWR);
        } else if (guest->visit && poll(&left, 1, 0) > 0 &&
                   left.revents & (POLLRDHUP | POLLHUP | POLLERR)) {
            stop_ask(&guest->visit->exchange.stop);
        } else if (guest->visit && is_unread(guest->visit, now)) {
            shutdown(guest->fd, SHUT_RDWR);
        }
    }
    make_room(serving);
}

/* Under the guard: while nobody is there it rests. */
static void await_guests(struct http_serving *serving)
{
    const int64_t until = stop_clock() + LOOK_US;
    while (!serving->guests && !serving->ending) {
        pthread_cond_wait(&serving->came, &serving->guard);
    }
    while (!serving->ending && await_until(&serving->came, &serving->guard, until)) {
    }
}

static void *looker_main(void *data)
{
    struct http_serving *serving = data;
    pthread_mutex_lock(&serving->guard);
    while (!serving->ending) {
        look(serving);
        await_guests(serving);
    }
    pthread_mutex_unlock(&serving->guard);
    return NULL;
}

/* --- a long reply --------------------------------------------------------------------------------- */

static bool is_unwanted(const struct visit *visit)
{
    return visit->gone || stop_is_set(&visit->exchange.stop);
}

/*
 * By a worker, where a client reads too slowly for what may be kept for it: another worker takes its place meanwhile. False:
 * it did not read for so long that it is gone.
 */
static bool await_reader(struct visit *visit)
{
    const int64_t until = stop_clock() + READ_US;
    struct workers *lane =
        visit->exchange.urgent ? visit->serving->urgent : visit->serving->workers;
    const bool out = workers_step_out(lane);
    bool late = false;
    while (!flow_fits(&visit->flow) && !is_unwanted(visit) && !late) {
        late = !await_until(&visit->taken, &visit->guard, until);
    }
    if (out) {
        workers_step_in(lane);
    }
    return !late;
}

/* By a worker: adds to what is to be read. Under the visit's guard, which it leaves while it writes to the file. */
static bool keep_bytes(struct visit *visit, struct str bytes)
{
    struct error ignored;
    if (!flow_fits(&visit->flow) && flow_reserve(&visit->flow, bytes.len)) {
        pthread_mutex_unlock(&visit->guard);
        const bool failed = flow_spill(&visit->flow, bytes, &ignored) != 0;
        pthread_mutex_lock(&visit->guard);
        flow_commit(&visit->flow, bytes.len, failed);
        if (!failed) {
            return true;
        }
    }
    if (!flow_fits(&visit->flow) && !await_reader(visit)) {
        return false;
    }
    flow_keep(&visit->flow, bytes);
    return true;
}

static int send_bytes(void *sender, struct str bytes, struct error *err)
{
    struct visit *visit = sender;
    pthread_mutex_lock(&visit->guard);
    const bool lost = is_unwanted(visit) || !keep_bytes(visit, bytes) || is_unwanted(visit);
    if (!lost) {
        int64_t nothing = 0;
        visit->state = visit->state == VISIT_HANDLED ? VISIT_ANSWERED : visit->state;
        (void)atomic_compare_exchange_strong(&visit->read_us, &nothing, stop_clock());
        wake(visit);
    }
    pthread_mutex_unlock(&visit->guard);
    return lost ? error_set(err, ERROR_STOPPED, "nobody reads the answer any more") : 0;
}

/* By the library: takes what is there; where there is nothing yet, the connection rests. */
static ssize_t give_bytes(void *data, uint64_t at, char *to, size_t room)
{
    struct visit *visit = data;
    (void)at;
    pthread_mutex_lock(&visit->guard);
    ssize_t given = flow_take(&visit->flow, to, room);
    if (given > 0) {
        atomic_store(&visit->read_us, stop_clock());
        pthread_cond_signal(&visit->taken);
    } else if (given < 0) {
        given = MHD_CONTENT_READER_END_WITH_ERROR;
    } else if (visit->ended) {
        given =
            visit->cut ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        atomic_store(&visit->read_us, 0);
        rest(visit);
    }
    pthread_mutex_unlock(&visit->guard);
    return given;
}

static void give_back(void *data)
{
    visit_drop(data);
}

/* --- a request ------------------------------------------------------------------------------------ */

/* By a worker. */
static void handle(void *data)
{
    struct visit *visit = data;
    struct http_serving *serving = visit->serving;
    struct exchange *exchange = &visit->exchange;
    struct error err = {0};
    int failed = serving->options.handle(serving->options.owner, exchange, &err);
    failed = failed ? failed : exchange_finish(exchange, &err);
    if (failed || exchange->status >= 500) {
        atomic_fetch_add(&serving->failed, 1);
    }
    pthread_mutex_lock(&visit->guard);
    visit->ended = true;
    visit->cut = failed != 0;
    visit->state = visit->state == VISIT_HANDLED ? VISIT_ANSWERED : visit->state;
    wake(visit);
    pthread_mutex_unlock(&visit->guard);
    visit_drop(visit);
    pthread_mutex_lock(&serving->guard);
    serving->under_way--;
    pthread_cond_broadcast(&serving->changed);
    pthread_mutex_unlock(&serving->guard);
}

/* A reply that no handler made. */
static void refuse(struct visit *visit, int status, const struct error *err)
{
    struct exchange *exchange = &visit->exchange;
    (void)exchange_reset(exchange);
    problem_write(exchange, status, err);
    exchange_seal(exchange);
    visit->ended = true;
    visit->state = VISIT_ANSWERED;
}

static enum MHD_Result add_header(void *data, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    (void)kind;
    exchange_add_header(data, str_of(name), str_of(value ? value : ""));
    return MHD_YES;
}

/* Where it comes from, as the kernel says. */
static void find_peer(struct visit *visit)
{
    struct exchange *exchange = &visit->exchange;
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(visit->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof(address);
    char text[INET6_ADDRSTRLEN] = "";
    if (getpeername(info->connect_fd, (struct sockaddr *)&address, &size) == 0 &&
        address.ss_family == AF_UNIX) {
        exchange->on_socket = socket_peer(info->connect_fd, &exchange->uid);
        snprintf(text, sizeof(text), "uid %u", exchange->uid);
    } else if (address.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)&address)->sin6_addr, text,
                  sizeof(text));
    } else if (address.ss_family == AF_INET) {
        inet_ntop(AF_INET, &((const struct sockaddr_in *)&address)->sin_addr, text,
                  sizeof(text));
    }
    exchange->peer = arena_text(&exchange->arena, str_of(text));
    exchange->secure =
        mhd.get_connection_info(visit->connection, MHD_CONNECTION_INFO_PROTOCOL) != NULL;
}

/* The request is here: makes an exchange of it. 0, or the status it is refused with. */
static int read_request(struct visit *visit, const char *method, struct error *err)
{
    struct exchange *exchange = &visit->exchange;
    exchange->method = exchange_method_of(str_of(method));
    mhd.get_connection_values(visit->connection, MHD_HEADER_KIND, add_header, exchange);
    find_peer(visit);
    exchange->body = buf_str(&visit->body);
    if (exchange_check_head(exchange, err) != 0) {
        visit->ambiguous = true;
        return err->kind == ERROR_LIMIT ? 431 : 400;
    }
    if (exchange->method == METHOD_NONE) {
        error_set(err, ERROR_USAGE, "the method is not one of GET, HEAD, POST and OPTIONS");
        return 501;
    }
    if (visit->crowded) {
        error_set(err, ERROR_CONFLICT, "too much is sent at once; try again");
        atomic_fetch_add(&visit->serving->refused, 1);
        return 503;
    }
    if (visit->too_large) {
        error_set(err, ERROR_LIMIT, "a request brings %d bytes at most", EXCHANGE_BODY_MAX);
        return 413;
    }
    if (exchange_read_target(exchange, visit->target, visit->serving->options.prefix, err) !=
            0 ||
        exchange_read_form(exchange, err) != 0) {
        return err->kind == ERROR_LIMIT ? 414 : 400;
    }
    return 0;
}

/*
 * Whose request it is, for the order in which workers take them: that of the client, and behind a proxy of the one that it names.
 * What a client claims here changes its place in the queue only.
 */
static uint64_t client_of(const struct visit *visit)
{
    const struct exchange *exchange = &visit->exchange;
    const struct str forwarded = exchange->listener == LISTENER_PROXY
                                     ? exchange_last_header(exchange, "X-Forwarded-For")
                                     : (struct str){0};
    return str_hash(forwarded.ptr ? forwarded : str_of(exchange->peer), 0);
}

/* Has a worker handle it, and the connection rests: true. Or refuses it. Under the visit's guard. */
static bool begin(struct visit *visit, const char *method)
{
    struct http_serving *serving = visit->serving;
    struct error err = {0};
    atomic_fetch_add(&serving->requests, 1);
    const int status = read_request(visit, method, &err);
    if (status) {
        refuse(visit, status, &err);
        return false;
    }
    pthread_mutex_lock(&serving->guard);
    serving->under_way++;
    pthread_mutex_unlock(&serving->guard);
    visit->exchange.stop.deadline_us = stop_clock() + serving->options.request_us;
    visit->exchange.send = send_bytes;
    visit->exchange.sender = visit;
    visit->state = VISIT_HANDLED;
    atomic_fetch_add(&visit->holders, 1);
    set_visit(serving, guest_of(visit->connection), visit);
    rest(visit);
    visit->exchange.urgent = serving->urgent && serving->options.is_urgent(&visit->exchange);
    struct workers *lane = visit->exchange.urgent ? serving->urgent : serving->workers;
    if (!workers_submit(lane, client_of(visit), handle, visit)) {
        error_set(&err, ERROR_CONFLICT, "too much is asked at once; try again");
        refuse(visit, 503, &err);
        wake(visit);
        atomic_fetch_sub(&visit->holders, 1);
        atomic_fetch_add(&serving->refused, 1);
        pthread_mutex_lock(&serving->guard);
        serving->under_way--;
        pthread_mutex_unlock(&serving->guard);
    }
    return true;
}

/* What the library is to send. NULL: it cannot. */
static struct MHD_Response *response_of(struct visit *visit)
{
    struct exchange *exchange = &visit->exchange;
    struct MHD_Response *response;
    if (!exchange->streaming) {
        const size_t length = exchange->reply.len;
        return mhd.create_response_from_buffer(length, buf_take(&exchange->reply),
                                               MHD_RESPMEM_MUST_FREE);
    }
    atomic_fetch_add(&visit->holders, 1);
    response = mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, give_bytes, visit,
                                                 give_back);
    if (!response) {
        atomic_fetch_sub(&visit->holders, 1);
    }
    return response;
}

/*
 * Gives the reply to the library. Not under the visit's guard: the library locks the response, and asks for more of it
 * (give_bytes) with that lock held.
 */
static enum MHD_Result reply(struct visit *visit)
{
    const struct exchange *exchange = &visit->exchange;
    if (!exchange->streaming) {
        visit->patience_us += (int64_t)(exchange->reply.len / READ_RATE) * INT64_C(1000000);
    }
    atomic_store(&visit->read_us, stop_clock());
    struct MHD_Response *response = response_of(visit);
    if (!response) {
        return MHD_NO;
    }
    for (size_t i = 0; i < exchange->reply_headers.count; i++) {
        const struct exchange_pair *header = &exchange->reply_headers.rows[i];
        (void)mhd.add_response_header(response, header->name.ptr, header->value.ptr);
    }
    if (visit->ambiguous || atomic_load(&visit->serving->stopping)) {
        (void)mhd.add_response_header(response, "Connection", "close");
    }
    const enum MHD_Result queued =
        mhd.queue_response(visit->connection, (unsigned)exchange->status, response);
    mhd.destroy_response(response);
    return queued;
}

/* Looks whether there is a reply to give, once it was asked for. */
enum readiness {
    READY_NOT, /* a worker has it */
    READY,
    READY_LOST, /* nothing of a stream has gone out, and nothing will: the connection ends */
};

static enum readiness look_for_reply(struct visit *visit, const char *method)
{
    enum readiness found = READY_NOT;
    pthread_mutex_lock(&visit->guard);
    if ((visit->state != VISIT_ARRIVES || !begin(visit, method)) &&
        visit->state == VISIT_ANSWERED) {
        const bool lost =
            visit->exchange.streaming && visit->cut && flow_is_empty(&visit->flow);
        visit->state = VISIT_REPLIED;
        found = lost ? READY_LOST : READY;
    }
    pthread_mutex_unlock(&visit->guard);
    return found;
}

/* The beginning of a request: its target, as it came. It is kept with the guest, since not every beginning becomes a request. */
static void *on_target(void *owner, const char *target, struct MHD_Connection *connection)
{
    struct http_serving *serving = owner;
    struct guest *guest = guest_of(connection);
    if (guest) {
        free(guest->target);
        guest->target = mem_text(target);
        pthread_mutex_lock(&serving->guard);
        guest->arriving = true;
        pthread_mutex_unlock(&serving->guard);
    }
    return NULL;
}

static struct visit *new_visit(const struct daemon *daemon, struct MHD_Connection *connection)
{
    const struct guest *guest = guest_of(connection);
    struct visit *visit = mem_alloc(1, sizeof(*visit));
    visit->serving = daemon->serving;
    visit->connection = connection;
    visit->state = VISIT_ARRIVES;
    visit->patience_us = READ_US;
    atomic_init(&visit->holders, 1);
    pthread_mutex_init(&visit->guard, NULL);
    pthread_cond_init(&visit->taken, NULL);
    buf_init(&visit->body, EXCHANGE_BODY_MAX);
    flow_init(&visit->flow, &daemon->serving->spilled);
    exchange_init(&visit->exchange);
    visit->exchange.listener = daemon->kind;
    visit->target =
        arena_copy(&visit->exchange.arena, str_of(guest && guest->target ? guest->target : ""));
    return visit;
}

/* Called for the head, for pieces of the body, when that is all, and again when a connection wakes. */
static enum MHD_Result on_request(void *owner, struct MHD_Connection *connection,
                                  const char *url, const char *method, const char *version,
                                  const char *bytes, size_t *size, void **context)
{
    struct visit *visit = *context;
    (void)url, (void)version;
    if (!visit) {
        *context = new_visit(owner, connection);
        return MHD_YES;
    }
    if (*size > 0) {
        take_body(visit, (struct str){bytes, *size});
        *size = 0;
        return MHD_YES;
    }
    switch (look_for_reply(visit, method)) {
    case READY:
        return reply(visit);
    case READY_LOST:
        return MHD_NO;
    case READY_NOT:
    default:
        return MHD_YES;
    }
}

static void on_completed(void *owner, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode code)
{
    struct http_serving *serving = owner;
    struct visit *visit = *context;
    (void)code;
    if (!visit) {
        return;
    }
    set_visit(serving, guest_of(connection), NULL);
    pthread_mutex_lock(&visit->guard);
    visit->gone = true;
    if (!visit->ended) {
        stop_ask(&visit->exchange.stop);
    }
    pthread_cond_broadcast(&visit->taken);
    pthread_mutex_unlock(&visit->guard);
    *context = NULL;
    visit_drop(visit);
}

/* Targets are decoded by us: as they came. */
static size_t keep_encoded(void *owner, struct MHD_Connection *connection, char *text)
{
    (void)owner, (void)connection;
    return strlen(text);
}

/* --- life ----------------------------------------------------------------------------------------- */

static void log_nothing(void *owner, const char *format, va_list args)
{
    (void)owner, (void)format, (void)args;
}

static bool start_daemon(struct daemon *daemon, const struct http_listener *listener)
{
    struct http_serving *serving = daemon->serving;
    struct MHD_OptionItem items[] = {
        {MHD_OPTION_LISTEN_SOCKET, daemon->fd, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)serving->options.connections_max, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_target, serving},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, serving},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, serving},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)keep_encoded, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL},
        {MHD_OPTION_END, 0, NULL}, /* or: */
        {MHD_OPTION_HTTPS_MEM_CERT, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    if (listener->certificate) {
        struct MHD_OptionItem *end = &items[COUNT_OF(items) - 5];
        char *certificate = (char *)(uintptr_t)listener->certificate;
        char *key = (char *)(uintptr_t)listener->key;
        char *versions = (char *)(uintptr_t)TLS_VERSIONS;
        end[0] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, certificate};
        end[1] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, key};
        end[2] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, versions};
        flags |= MHD_USE_TLS;
    }
    daemon->handle =
        mhd.start_daemon(flags, 0, NULL, NULL, on_request, daemon, MHD_OPTION_EXTERNAL_LOGGER,
                         log_nothing, NULL, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
    return daemon->handle != NULL;
}

static enum MHD_Result refuse_all(void *owner, struct MHD_Connection *connection,
                                  const char *url, const char *method, const char *version,
                                  const char *bytes, size_t *size, void **context)
{
    (void)owner, (void)connection, (void)url, (void)method;
    (void)version, (void)bytes, (void)size, (void)context;
    return MHD_NO;
}

/* Tried without a socket, since the library closes the one of a daemon whose certificate it rejects. */
static int check_certificate(const struct http_listener *listener, struct error *err)
{
    if (!listener->certificate) {
        return 0;
    }
    if (mhd.is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
        return error_set(err, ERROR_MISSING, "this libmicrohttpd was built without TLS");
    }
    struct MHD_Daemon *tried = mhd.start_daemon(
        MHD_USE_NO_LISTEN_SOCKET | MHD_USE_TLS | MHD_USE_ERROR_LOG, 0, NULL, NULL, refuse_all,
        NULL, MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL, MHD_OPTION_HTTPS_MEM_CERT,
        listener->certificate, MHD_OPTION_HTTPS_MEM_KEY, listener->key, MHD_OPTION_END);
    if (!tried) {
        return error_set(err, ERROR_IO,
                         "cannot serve: is the certificate one in PEM, and the key its own?");
    }
    mhd.stop_daemon(tried);
    return 0;
}

static int start_daemons(struct http_serving *serving, struct error *err)
{
    for (size_t i = 0; i < serving->options.listener_count; i++) {
        const struct http_listener *listener = &serving->options.listeners[i];
        int failed = check_certificate(listener, err);
        if (failed) {
            return failed;
        }
        struct daemon *daemon = &serving->daemons[i];
        *daemon = (struct daemon){.serving = serving,
                                  .kind = listener->kind,
                                  .fd = fcntl(listener->fd, F_DUPFD_CLOEXEC, 0)};
        if (daemon->fd < 0 || !start_daemon(daemon, listener)) {
            /* the library may have closed the descriptor: it is not ours any more */
            return error_set(err, ERROR_IO,
                             "cannot serve: the system refuses threads or descriptors");
        }
    }
    serving->looks = pthread_create(&serving->looker, NULL, looker_main, serving) == 0;
    return serving->looks ? 0 : error_set(err, ERROR_IO, "cannot start a thread");
}

int http_start(const struct http_options *options, struct http_serving **out, struct error *err)
{
    int failed = load_library(err);
    if (failed) {
        return failed;
    }
    struct http_serving *serving = mem_alloc(1, sizeof(*serving));
    serving->options = *options;
    serving->daemons = mem_alloc(options->listener_count, sizeof(*serving->daemons));
    pthread_mutex_init(&serving->guard, NULL);
    pthread_cond_init(&serving->changed, NULL);
    pthread_cond_init(&serving->came, NULL);
    *out = serving; /* handlers may want it before this returns */
    failed = workers_start(options->workers, options->queue_max, &serving->workers, err);
    failed =
        failed || !options->is_urgent
            ? failed
            : workers_start(options->urgent_workers, options->queue_max, &serving->urgent, err);
    failed = failed ? failed : start_daemons(serving, err);
    if (failed) {
        http_stop(serving, 0);
        *out = NULL;
    }
    return failed;
}

bool http_step_out(struct http_serving *serving)
{
    return workers_step_out(serving->workers);
}

void http_step_in(struct http_serving *serving)
{
    workers_step_in(serving->workers);
}

void http_count(struct http_serving *serving, struct http_counts *out)
{
    pthread_mutex_lock(&serving->guard);
    *out = (struct http_counts){
        .requests = atomic_load(&serving->requests),
        .refused = atomic_load(&serving->refused),
        .failed = atomic_load(&serving->failed),
        .connections = serving->guest_count,
        .under_way = serving->under_way,
        .body_bytes = atomic_load(&serving->body_bytes),
    };
    pthread_mutex_unlock(&serving->guard);
}

static bool has_backlog(const struct http_serving *serving)
{
    bool any = false;
    for (size_t i = 0; i < serving->options.listener_count; i++) {
        struct pollfd waiting = {.fd = serving->daemons[i].fd, .events = POLLIN};
        any = any || (serving->daemons[i].handle && poll(&waiting, 1, 0) > 0 &&
                      waiting.revents & POLLIN);
    }
    return any;
}

/* Somebody whose request, or a part of it, is there, and was not read. Under the guard. */
static bool has_unread(const struct http_serving *serving)
{
    for (const struct guest *guest = serving->guests; guest; guest = guest->next) {
        struct pollfd sent = {.fd = guest->fd, .events = POLLIN};
        if (!guest->visit &&
            (guest->arriving || (poll(&sent, 1, 0) > 0 && sent.revents & POLLIN &&
                                 !(sent.revents & (POLLHUP | POLLERR))))) {
            return true;
        }
    }
    return false;
}

/*
 * Connections that the kernel has accepted would be reset: they are still taken, and answered with the word that they close. Those
 * that go on coming are not waited for.
 */
static void take_backlog(struct http_serving *serving)
{
    const int64_t until = stop_clock() + BACKLOG_US;
    atomic_store(&serving->stopping, true);
    while (has_backlog(serving) && stop_clock() < until) {
        (void)!stop_sleep(NULL, BACKLOG_LOOK_US);
    }
    pthread_mutex_lock(&serving->guard);
    while (has_unread(serving) && stop_clock() < until) {
        (void)!await_until(&serving->changed, &serving->guard, stop_clock() + BACKLOG_LOOK_US);
    }
    pthread_mutex_unlock(&serving->guard);
}

/* Until all requests are answered and the replies read, or that time. */
static void wait_until(struct http_serving *serving, int64_t until)
{
    while (serving->under_way + serving->visits > 0 &&
           await_until(&serving->changed, &serving->guard, until)) {
    }
}

/* Waits for requests under way; those that take longer are ended. */
static void drain(struct http_serving *serving, int64_t grace_us)
{
    const int64_t until = stop_clock() + grace_us;
    pthread_mutex_lock(&serving->guard);
    wait_until(serving, until);
    for (struct guest *guest = serving->guests; guest; guest = guest->next) {
        if (guest->visit) {
            stop_ask(&guest->visit->exchange.stop);
        }
    }
    wait_until(serving, until + LAST_US);
    while (serving->under_way > 0) {
        pthread_cond_wait(&serving->changed, &serving->guard);
    }
    pthread_mutex_unlock(&serving->guard);
}

void http_retire(struct http_serving *serving)
{
    atomic_store(&serving->stopping, true);
    if (atomic_exchange(&serving->retired, true)) {
        return;
    }
    for (size_t i = 0; i < serving->options.listener_count; i++) {
        if (serving->daemons[i].handle) {
            (void)mhd.quiesce_daemon(serving->daemons[i].handle);
        }
    }
}

bool http_is_stopping(struct http_serving *serving)
{
    return atomic_load(&serving->stopping);
}

bool http_is_idle(struct http_serving *serving)
{
    pthread_mutex_lock(&serving->guard);
    const bool idle = serving->guest_count == 0 && serving->under_way == 0;
    pthread_mutex_unlock(&serving->guard);
    return idle;
}

void http_stop(struct http_serving *serving, int64_t grace_us)
{
    if (!serving) {
        return;
    }
    if (grace_us > 0) {
        take_backlog(serving);
    }
    http_retire(serving);
    drain(serving, grace_us);
    workers_stop(serving->workers);
    workers_stop(serving->urgent);
    for (size_t i = 0; i < serving->options.listener_count; i++) {
        if (serving->daemons[i].handle) {
            mhd.stop_daemon(serving->daemons[i].handle);
            close(serving->daemons[i].fd);
        }
    }
    pthread_mutex_lock(&serving->guard);
    serving->ending = true;
    pthread_cond_signal(&serving->came);
    pthread_mutex_unlock(&serving->guard);
    if (serving->looks) {
        pthread_join(serving->looker, NULL);
    }
    pthread_cond_destroy(&serving->changed);
    pthread_cond_destroy(&serving->came);
    pthread_mutex_destroy(&serving->guard);
    free(serving->daemons);
    free(serving);
}
