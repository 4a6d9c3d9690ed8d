/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One request over HTTP and its reply, as whoever answers it sees them. Nothing here knows how bytes arrive or leave
 * (serve/http.h does), so that handlers can be tested, and attacked, without a socket.
 *
 *     static int show_time(struct exchange *exchange, struct error *err)
 *     {
 *         exchange_type(exchange, "text/plain; charset=utf-8");
 *         return exchange_write(exchange, STR("noon\n"), err);
 *     }
 *
 * A handler is called in a thread of its own, may take as long as `stop` allows, and either writes a reply (status 200
 * unless it says otherwise) or fails: what the failure looks like is the router's business (serve/route.h). Up to
 * EXCHANGE_WHOLE_MAX bytes a reply can still be taken back; beyond that it streams, and a failure cuts it short.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "service/caller.h"

/* Methods are bits, so that a route can take several. */
enum exchange_method {
    METHOD_NONE = 0,
    METHOD_GET = 1,
    METHOD_HEAD = 2,
    METHOD_POST = 4,
    METHOD_OPTIONS = 8,
};

enum exchange_method exchange_method_of(struct str name); /* METHOD_NONE: one we do not take */

/* "GET, HEAD": for the header Allow. */
void exchange_methods(struct buf *out, unsigned methods);

enum {
    EXCHANGE_TARGET_MAX = 16 << 10, /* bytes of a request's target, as it came */
    EXCHANGE_PAIRS_MAX = 512,       /* parameters of one request */
    EXCHANGE_BODY_MAX = 1 << 20,    /* bytes that a request may bring */
    EXCHANGE_PARTS_MAX = 4,         /* variable parts of a path */
    EXCHANGE_HEADERS_MAX = 64,      /* of one request */
    EXCHANGE_WHOLE_MAX = 256 << 10, /* a longer reply streams */
};

/* A name and its value, decoded. Of headers, names are compared without regard to case. */
struct exchange_pair {
    struct str name, value;
};

struct exchange_pairs {
    struct exchange_pair *rows;
    size_t count;
};

struct deflating;

struct exchange {
    /* What was asked. Text lives as long as the exchange. */
    enum exchange_method method;
    struct str target; /* path and query as they came */
    struct str path;   /* as it came, below the server's prefix: encoded */
    struct exchange_pairs query, form, headers; /* `form` is what the body of a form says */
    struct str body;
    struct str parts
        [EXCHANGE_PARTS_MAX]; /* what stands for the variables of the route's path, decoded */

    /* Where it came from. */
    const char *peer; /* address, for logs and limits */
    bool secure;      /* encrypted up to us, or up to a proxy that we trust */
    bool on_socket;   /* by a Unix socket, by this user of the machine: */
    unsigned uid;

    /* Who asks, once that was found out. */
    struct caller caller;
    struct str session; /* of a log-in: what forms must repeat, see serve/identify.h; or null */

    void *world; /* struct world of serve/world.h */
    struct stop stop;
    struct arena arena; /* for whatever is to live as long as the exchange */

    /* The reply. */
    int status;
    struct exchange_pairs reply_headers;
    struct buf reply;  /* what was written and not sent */
    size_t whole_max;  /* a longer reply streams */
    bool streaming;    /* part of it has gone out, with the headers */
    bool compressible; /* may be compressed: says nothing secret beside what the client gave */
    struct deflating *deflating;

    /* Sends bytes of a long reply, headers before the first of them; may wait. Set by whoever made the exchange. */
    int (*send)(void *sender, struct str bytes, struct error *err);
    void *sender;
};

void exchange_init(struct exchange *exchange);
void exchange_release(struct exchange *exchange);

/* --- what was asked ------------------------------------------------------------------------------- */

/*
 * Reads a target as it came, "/stint/api/v1/report?measure=jobs": path and query. `prefix` ("" or "/stint") is what a
 * proxy puts before all paths; a target that has it not is taken as it is. ERROR_INPUT: it is no path, not UTF-8, badly
 * encoded, climbs up, or has too many parameters.
 */
int exchange_read_target(struct exchange *exchange, struct str target, const char *prefix,
                         struct error *err) MUST_CHECK;

/* Reads the body into `form`, if it is one of a form. */
int exchange_read_form(struct exchange *exchange, struct error *err) MUST_CHECK;

void exchange_add_header(struct exchange *exchange, struct str name, struct str value);

/* How often a header is there. */
size_t exchange_header_count(const struct exchange *exchange, const char *name);

/*
 * Whether the headers can be understood in one way only: what says where a request ends, whom it is for and who sends it is there once.
 * A proxy in front may have understood the other way. ERROR_USAGE if not.
 */
int exchange_check_head(const struct exchange *exchange, struct error *err) MUST_CHECK;

/* Each the null string if there is none; the first one if there are several. */
struct str exchange_header(const struct exchange *exchange, const char *name);
struct str exchange_query(const struct exchange *exchange, const char *name);
struct str exchange_form(const struct exchange *exchange, const char *name);
struct str exchange_cookie(const struct exchange *exchange, const char *name);

/*
 * Which of `types` ("text/html", "application/json", ...) the client likes best by its Accept header; the first of them
 * where it has no preference. -1: none of them.
 */
int exchange_accepts(const struct exchange *exchange, const char *const *types, size_t count);

/* --- the reply ------------------------------------------------------------------------------------ */

void exchange_set(struct exchange *exchange, const char *name,
                  const char *value); /* a header */
void exchange_setf(struct exchange *exchange, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);
void exchange_type(struct exchange *exchange, const char *type); /* Content-Type */
struct str exchange_get(const struct exchange *exchange,
                        const char *name); /* as was set; or null */

/* Adds to the body. Fails when nobody reads it any more: the handler ends then. */
int exchange_write(struct exchange *exchange, struct str bytes, struct error *err) MUST_CHECK;

/* An answer elsewhere: 303, or `status`. */
void exchange_redirect(struct exchange *exchange, int status, const char *where);

/* Forgets what was written, headers too, so that something else can be said; false: too late. */
bool exchange_reset(struct exchange *exchange);

/* After the handler: compresses what is whole, or ends the stream. */
int exchange_finish(struct exchange *exchange, struct error *err) MUST_CHECK;
