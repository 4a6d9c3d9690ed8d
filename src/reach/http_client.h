/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Asks an HTTP server and keeps its answer in a spool.
 *
 * libcurl does the work; it is loaded on first use (reach/curl.c), so that commands which ask
 * nobody do not pay for it. Only http and https, redirects are not followed, proxies of the
 * environment are not used for Unix sockets. Certificates are always checked: by the
 * authorities that the system trusts, or by the one that the operator names instead.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/spool.h"
#include "base/stop.h"
#include "base/str.h"

struct http_header {
    const char *name;
    const char *value;
};

/*
 * Where to ask: the same for all questions to one server. Texts are borrowed, NULL where not
 * used.
 */
struct http_server {
    const char *address;     /* "http://host:port", "https://..." or "unix:/path" */
    const char *authority;   /* file of the certificates to trust instead of the system's */
    const char *certificate; /* our own, with its key */
    const char *key;
    /* the name the server's certificate must have, if not the address's */
    const char *server_name;
    const struct http_header *headers; /* ended by a NULL name */
    int64_t timeout_us;                /* for a whole answer; 0: none */
    uint64_t limit;                    /* most bytes of one answer */
    const struct stop *stop;           /* may be NULL */
};

/* A connection that is kept between questions. */
struct http;
int http_open(const struct http_server *server, struct http **out,
              struct error *err) MUST_CHECK;
void http_close(struct http *http);

struct http_answer {
    int status;    /* 200 ... */
    int64_t index; /* of the header X-Nomad-Index; -1: no such header */
    struct spool body;
};

/*
 * Asks for `path` ("/slurm/v0.0.38/jobs?x=y", escaped by the caller: http_escape). Any status
 * is an answer; no answer is an error whose sentence names the address and says what
 * to look at. `timeout_us` over 0 replaces the server's (a blocking query is meant to take
 * long).
 */
int http_get(struct http *http, const char *path, int64_t timeout_us, struct http_answer *out,
             struct error *err) MUST_CHECK;

/*
 * The same with something to say: POST, the body as it is. Its type is a header of the
 * server's, Content-Type.
 */
int http_post(struct http *http, const char *path, struct str body, struct http_answer *out,
              struct error *err) MUST_CHECK;

/* Takes an answer while it comes. */
struct http_taker {
    void *context;
    /*
     * A part of it; a failure ends the question. May ask elsewhere meanwhile, by another
     * connection.
     */
    int (*take)(void *context, struct str bytes, struct error *err);
    /*
     * Called now and then: false ends the question, as the server's `stop` would, which is not
     * looked at.
     */
    bool (*look)(void *context);
};

/*
 * As http_post, but an answer with status 200 goes to the taker, and none of it into the spool.
 */
int http_post_to(struct http *http, const char *path, struct str body,
                 const struct http_taker *taker, struct http_answer *out,
                 struct error *err) MUST_CHECK;

/* Adds text so that it can stand in a path or query. */
void http_escape(struct buf *out, struct str text);
