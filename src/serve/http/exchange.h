/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One HTTP request and its reply, as a handler sees them. Nothing here knows how bytes arrive
 * or leave (serve/http/http_server.h does), so that handlers can be tested, and fuzzed, without
 * a socket.
 *
 *     static int show_time(struct exchange *exchange, struct error *err)
 *     {
 *         exchange_type(exchange, "text/plain; charset=utf-8");
 *         return exchange_write(exchange, STR("noon\n"), err);
 *     }
 *
 * A handler runs in a worker thread, may take as long as `stop` allows, and either writes a
 * reply (status 200 unless it sets another) or fails: the router writes the reply to a failure
 * (serve/http/route.h). The first EXCHANGE_WHOLE_MAX bytes of a reply are buffered and can be
 * discarded; beyond that it streams, and a failure cuts it short.
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
#include "serve/http/listener.h"
#include "service/core/caller.h"

/* Methods are bits, so that a route can take several. */
enum exchange_method {
    METHOD_NONE = 0,
    METHOD_GET = 1,
    METHOD_HEAD = 2,
    METHOD_POST = 4,
    METHOD_OPTIONS = 8,
};

enum exchange_method exchange_method_of(struct str name); /* METHOD_NONE: not supported */

/* "GET, HEAD": for the Allow header. */
void exchange_methods(struct buf *out, unsigned methods);

enum {
    EXCHANGE_TARGET_MAX = 16 << 10, /* bytes of a request's target, as received */
    EXCHANGE_PAIRS_MAX = 512,       /* parameters of one request */
    EXCHANGE_BODY_MAX = 1 << 20,    /* bytes of a request's body */
    EXCHANGE_PARTS_MAX = 4,         /* variable parts of a path */
    EXCHANGE_HEADERS_MAX = 64,      /* of one request */
    EXCHANGE_WHOLE_MAX = 256 << 10, /* a longer reply streams */
};

/* A name and its value, decoded. Names of headers are compared ignoring case. */
struct exchange_pair {
    struct str name, value;
};

struct exchange_pairs {
    struct exchange_pair *rows;
    size_t count;
};

struct gzip_reply;

struct exchange {
    /* The request. Text lives as long as the exchange. */
    enum exchange_method method;
    struct str target; /* path and query as received */
    struct str path;   /* as received, without the server's prefix: encoded */
    struct exchange_pairs query, form,
        headers;           /* `form`: the parameters in the body of a form */
    bool too_many_headers; /* there were more than EXCHANGE_HEADERS_MAX */
    struct str body;
    /* values of the variables in the route's path, decoded */
    struct str parts[EXCHANGE_PARTS_MAX];

    /* Where it came from. */
    enum listener_kind listener; /* how its callers are identified */
    /* for logs and limits: an address, as of the client where a trusted proxy reports it */
    const char *peer;
    struct str forwarded_host; /* that the client asked a trusted proxy for; or null */
    bool secure;               /* encrypted up to us, or up to a trusted proxy */
    bool urgent;               /* has workers of its own */
    uint64_t party;            /* whose request it is, for the turns of the workers */
    bool on_socket;            /* through a Unix socket, by this user of the machine: */
    unsigned uid;

    /* Who asks, once identified. */
    struct caller caller;
    /*
     * what forms must repeat, see serve/auth/identify.h; null: the caller is anyone, or has a
     * token
     */
    struct str session;
    /*
     * a browser may send the request without its user knowing: by cookie, or by what a proxy or
     * the kernel adds to it
     */
    bool by_browser;

    void *world; /* struct server_context of serve/daemon/server_context.h */
    struct stop stop;
    struct arena arena; /* for what must live as long as the exchange */

    /* The reply. */
    int status;
    struct exchange_pairs reply_headers;
    struct buf reply;  /* written and not yet sent */
    size_t whole_max;  /* a longer reply streams */
    bool streaming;    /* headers and part of the body have been sent */
    bool compressible; /* contains no secret beside text that the client chose */
    struct gzip_reply *deflating;

    /*
     * Sends bytes of a long reply, headers before the first of them; may block. Set by the
     * creator of the exchange.
     */
    int (*send)(void *sender, struct str bytes, struct error *err);
    void *sender;
};

void exchange_init(struct exchange *exchange);
void exchange_release(struct exchange *exchange);

/* --- the request -------------------------------------------------------------------------- */

/*
 * Parses a target as received, "/stint/api/v1/report?measure=jobs", into path and query.
 * `prefix` ("" or "/stint") is what a proxy puts before all paths; a target without it is used
 * unchanged. ERROR_INPUT: it is not a path, not UTF-8, wrongly encoded, contains "..", or has
 * too many parameters.
 */
int exchange_read_target(struct exchange *exchange, struct str target, const char *prefix,
                         struct error *err) MUST_CHECK;

/* Parses the body into `form`, if it is that of a form. */
int exchange_read_form(struct exchange *exchange, struct error *err) MUST_CHECK;

void exchange_add_header(struct exchange *exchange, struct str name, struct str value);

/* How many headers have this name. */
size_t exchange_header_count(const struct exchange *exchange, const char *name);

/*
 * Whether the headers have only one meaning: those that say where a request ends, which host it
 * is for and who sends it must not be repeated, and names and values must be well-formed. A
 * proxy in front may have read them differently. ERROR_USAGE if they are not; ERROR_LIMIT:
 * there are more headers than a request may have.
 */
int exchange_check_head(const struct exchange *exchange, struct error *err) MUST_CHECK;

/*
 * The last header of this name, or the null string: the one that the nearest proxy has added.
 */
struct str exchange_last_header(const struct exchange *exchange, const char *name);

/* Each returns the null string if it is absent, and the first one of several. */
struct str exchange_header(const struct exchange *exchange, const char *name);
struct str exchange_query(const struct exchange *exchange, const char *name);
struct str exchange_form(const struct exchange *exchange, const char *name);
struct str exchange_cookie(const struct exchange *exchange, const char *name);

/*
 * Which of `types` ("text/html", "application/json", ...) the client prefers by its Accept
 * header; the first of them if it has no preference. -1: none of them.
 */
int exchange_accepts(const struct exchange *exchange, const char *const *types, size_t count);

/* --- the reply ---------------------------------------------------------------------------- */

void exchange_set(struct exchange *exchange, const char *name,
                  const char *value); /* a header */
void exchange_setf(struct exchange *exchange, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);
void exchange_type(struct exchange *exchange, const char *type); /* Content-Type */
struct str exchange_get(const struct exchange *exchange,
                        const char *name); /* as set; or null */

/* Adds to the body. Fails once the client is gone: the handler should then return. */
int exchange_write(struct exchange *exchange, struct str bytes, struct error *err) MUST_CHECK;

/* Redirects to `where`, with `status`: 303, 301, ... */
void exchange_redirect(struct exchange *exchange, int status, const char *where);

/*
 * Discards what was written, headers included, so that another reply can be written; false: too
 * late.
 */
bool exchange_reset(struct exchange *exchange);

/*
 * The headers that every reply has: no cache keeps it unless the handler has set Cache-Control
 * (only for what is the same for everybody), what it depends on, and, over an encrypted
 * connection, that the next one is to be encrypted too. Called by exchange_finish, and for a
 * reply that no handler has written.
 */
void exchange_seal(struct exchange *exchange);

/* After the handler: compresses a buffered reply, or ends the stream. */
int exchange_finish(struct exchange *exchange, struct error *err) MUST_CHECK;
