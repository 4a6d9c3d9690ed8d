/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The pages: each answers an address of the site with HTML that is complete without script. A
 * page is a row of a table (pages.c): a path, a template of web/pages/, and panels, which are
 * questions to the door with a way to show their answers. The address is the question, in the
 * words of the command line: /explore/cpu_hours?by=group&from=2025.
 *
 * Nothing here knows of HTTP or of who asks: the service has its caller, and what they may not
 * see does not come.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "service/core/service.h"

/* A table of the server itself, not of an operation: what it is called and what it says. */
struct page_table {
    const char *title;
    const struct table *table;
};

struct page_request {
    struct str path;      /* as sent, without the prefix: "/user/bo%20b" */
    struct str query;     /* as sent, without the ?; may be the null string */
    const char *prefix;   /* that the site has at a reverse proxy: "" or "/stint" */
    const char *login;    /* of who asks, for the top of the page; NULL: nobody */
    struct str token;     /* that the forms of a logged-in user repeat; or null */
    const char *provider; /* of log-ins, that the page for logging in names; NULL: none */
    /* asks for sums over everybody, which are for anyone to see; NULL: they are not */
    const struct caller *public_caller;
    const char *failure; /* of what was tried before this page; NULL: nothing */
    /* what the page shows besides, as /inside and /done do */
    const struct page_table *tables;
    size_t table_count;
};

struct page_reply {
    int failed;           /* why it is a page that says so: an ERROR_kind; 0: it is not */
    const char *type;     /* of the body */
    const char *location; /* where to go instead, of a redirect; NULL else */
    const char *etag;     /* of a file that stays the same; NULL else */
    struct buf body;
    struct arena arena; /* of what the reply points to */
};

/*
 * Answers. What a page cannot show (a job nobody has, a measure there is not) is a page that
 * says so, with its kind of error; the result is not 0 only where no page can be made. The
 * caller zeroes the reply before, and releases it.
 */
int page_answer(struct service *service, const struct page_request *request,
                struct page_reply *reply, struct error *err) MUST_CHECK;
void page_release(struct page_reply *reply);
