/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The one entry point for every request: a table of operations.
 *
 * An operation has a name, parameters, the rights it needs, a function and the shape of its
 * answer. Command-line options, help, shell completion, manual pages and the API of the server
 * are loops over this table. So a question asked in a terminal and one asked elsewhere are the
 * same operation and give the same number. Nothing here knows how a request arrived or how an
 * answer is shown.
 *
 * To add an operation: a file below this folder that ends with its `const struct operation`,
 * its declaration in operations.h, a row in operations.c, tests; see "Add an operation" in
 * ARCHITECTURE.md.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "base/text_sink.h"
#include "base/zone.h"
#include "books/books_session.h"
#include "config/config.h"
#include "facts/session.h"
#include "service/core/caller.h"
#include "service/core/inputs.h"
#include "service/core/note.h"
#include "table/table.h"

enum param_type {
    PARAM_FLAG, /* given or not */
    PARAM_TEXT,
    PARAM_NUMBER, /* a whole number, not negative */
    PARAM_CHOICE, /* one of `choices`, or of the names of `name_at` */
    PARAM_INPUT,  /* the name of an input of the request: see service/core/inputs.h */
};

struct param {
    const char *name; /* --name; a positional one is shown in capitals */
    char letter;      /* -x, or 0 */
    /* its names in other tools, for the command line; separated by blanks */
    const char *synonyms;
    enum param_type type;
    const char *value;   /* name of its value in the help; NULL for flags */
    const char *choices; /* separated by blanks, for PARAM_CHOICE and completion; else NULL */
    /* names it accepts, until NULL, for completion and messages; or NULL */
    const char *(*name_at)(size_t index);
    const char *fallback; /* value if not given; NULL: absent */
    const char *help;     /* one line */
    bool positional, required, repeated;
    bool changes; /* a request with it changes something */
};

/* Groups of parameters that several operations share. */
enum param_set {
    PARAMS_PERIOD = 1,  /* --from, --to */
    PARAMS_FILTERS = 2, /* one for each field of the run */
    PARAMS_SAMPLES = 8, /* one for each column of samples */
    PARAMS_KIND =
        4, /* one for each column of the kind of the books with the operation's name */
};

struct service;
struct request;
struct answer;

enum action_trait {
    ACTION_LOCAL = 1, /* uses files or programs of this machine: see struct operation */
    /* changes something: must be POSTed, by browsers with the token of a form */
    ACTION_CHANGES = 2,
    /* with ACTION_LOCAL: only those that stint.conf names, see struct operation */
    ACTION_CONFIGURED = 4,
};

/* One of several things that an operation can do: a value of its first parameter. */
struct operation_action {
    const char *name;
    const char *summary; /* one line */
    unsigned rights;     /* that it needs, of enum right */
    unsigned traits;     /* of enum action_trait */
    const char *input;   /* the parameter whose values name inputs of this action; or NULL */
};

struct operation {
    const char *name;
    const char *summary;                    /* one line */
    const char *description;                /* paragraphs for the manual */
    const char *examples;                   /* lines "command # what it does" */
    unsigned rights;                        /* that it needs; with actions, each has its own */
    const struct operation_action *actions; /* or NULL: it does one thing */
    size_t action_count;
    /* uses files or programs of this machine: not for callers on others */
    bool local;
    /*
     * local, but only stint.conf names what it uses: the process that has the store does it for
     * callers of this machine
     */
    bool configured;
    /*
     * the action whose document is a backup: it overwrites a file only with --replace; or NULL
     */
    const char *keeps;
    bool stoppable; /* checks service->stop, so that it can be ended cleanly */
    bool reloads;   /* reads its settings again on SIGHUP, by service->reload */
    unsigned sets;  /* of enum param_set */
    /* help of --from, if its default differs from that of other operations; or NULL */
    const char *from_help;
    bool brief; /* its help lists only the filters with a letter; the manual page has all */
    const struct param *params;
    size_t param_count;
    int (*run)(struct service *service, const struct request *request, struct answer *answer,
               struct error *err) MUST_CHECK;
};

/* Help of --from, up to its default. */
#define PARAM_FROM_HELP                                                                        \
    "start of the period: 2025-03-01, 2025-03, 2025-Q1, 2025, 7d, today, last-month; default "

/* All operations, NULL-terminated, in the order of the help. */
extern const struct operation *const operations[];
const struct operation *operation_find(struct str name); /* NULL: unknown */

/*
 * Parameter `index` of an operation, its own first, then those of its sets; false beyond the
 * last.
 */
bool operation_param(const struct operation *operation, size_t index, struct param *out);

/* Adds the values that a parameter accepts, if they are known, separated by blanks. */
void param_words(struct buf *out, const struct param *param);

/* Settings that are read again while a server runs: see struct service's `reload`. */
struct service_reload {
    struct stop *asked; /* set (stop_ask) when they are to be read again */
    void *owner;        /* passed to `read` */
    /*
     * reads and checks stint.conf; the caller releases `config`, also after a failure, and
     * closes `zone`
     */
    int (*read)(void *owner, struct config *config, struct zone **zone, struct error *err);
};

/* What operations work with. Everything is passed in. */
struct service {
    const char *store;       /* folder */
    struct session *session; /* in the store: see session_facts */
    /* of the store, while a request is answered: see service_books */
    struct books_session *books;
    /*
     * of a caller that makes several reading requests, and closes them afterwards; NULL: each
     * request opens its own
     */
    struct books_session *shared_books;
    const struct config *config; /* stint.conf; NULL or one without a path: none */
    const struct zone *zone;
    int64_t (*now)(void);
    const struct caller *caller; /* who asks */
    const struct stop *stop;     /* of this request; may be NULL */
    /* URL of the server for browsers, such as "https://stint.example.org"; NULL: none */
    const char *address;
    void *watcher; /* passed to the functions below, all of which may be NULL */
    void (*progress)(void *watcher, const char *what, uint64_t done, uint64_t total,
                     int64_t records);
    void (*say)(void *watcher, const char *line); /* a message during a long operation */

    /* implements `stint serve`; NULL: not available here */
    int (*serve)(struct service *service, const struct request *request, struct answer *answer,
                 struct error *err);
    const struct service_reload *reload; /* for `serve`; NULL: settings are read once */
};

/* Replaces the settings by those of `from`: config, zone and address. */
void service_adopt(struct service *service, const struct service *from);

/*
 * The books of the service's store, in the caller's name: one handle per request, shared by all
 * its parts and closed when the request has been answered, or when all requests that share it
 * have.
 */
int service_books(const struct service *service, enum books_mode mode, struct books **out,
                  struct error *err) MUST_CHECK;

/* The same outside a request: opened and closed by the caller. */
struct books_session service_books_session(const struct service *service);

/* The error of operations that need stint.conf, or a cluster in it: says how to begin one. */
int service_no_config(const struct service *service, struct error *err);

/* A request: values by parameter name, in the order given. Text is borrowed. */
struct request_value {
    const char *name;
    struct str text;
};

struct request {
    const struct operation *operation;
    const struct request_value *values;
    size_t count;
    const struct inputs *inputs; /* that the caller offers; NULL: none */
};

enum { REQUEST_VALUES_MAX = 4096 };

/*
 * Carries out a request: the only way in, for every caller. Checks the request against the
 * operation's row (ERROR_USAGE says what is wrong), then the caller's permission
 * (ERROR_DENIED), and restricts the operation to what the caller may see of the store. The
 * session and its books are closed afterwards.
 */
int service_call(struct service *service, const struct request *request, struct answer *answer,
                 struct error *err) MUST_CHECK;

/* The checks of service_call, without carrying out the request. */
int service_check(const struct service *service, const struct request *request,
                  struct error *err) MUST_CHECK;

/*
 * Whether the operation understands the request: no unknown parameter, none missing, no invalid
 * value.
 */
int request_check(const struct request *request, struct error *err) MUST_CHECK;
int param_check(const struct param *param, struct str value, struct error *err) MUST_CHECK;

/*
 * Adds what people get without asking, to values that have room for one more: targets, for
 * operations that have them. Returns the number of values.
 */
size_t request_for_people(const struct operation *operation, struct request_value *values,
                          size_t count);

/* The action of the request; NULL for an operation without actions. */
const struct operation_action *request_action(const struct request *request);
unsigned request_rights(const struct request *request); /* that it needs */

/*
 * Whether it asks for sums over everybody, at most by cluster, which reveal nothing about
 * anybody.
 */
bool request_is_total(const struct request *request);

/* Whether only a caller on this machine may ask it. */
bool request_is_local(const struct request *request);

/*
 * Whether such a request may also be answered by another process of this machine, which has the
 * store.
 */
bool request_is_configured(const struct request *request);

/* Whether it may change something. */
bool request_changes(const struct request *request);

/* The last value given, else the fallback, else the null string. */
struct str request_text(const struct request *request, const char *name);
bool request_flag(const struct request *request, const char *name);
bool request_has(const struct request *request, const char *name);

/* A number; ERROR_USAGE if it is not one. Absent gives `otherwise`. */
int request_number(const struct request *request, const char *name, int64_t otherwise,
                   int64_t *out, struct error *err) MUST_CHECK;

/* Value `index` of a repeated parameter; false beyond the last. */
bool request_each(const struct request *request, const char *name, size_t index,
                  struct str *out);

/*
 * The result of a request, the same for people and programs: views pick what they show
 * (table_seen). The caller zeroes it before, except for `sink`, `pieces`, `bare` and
 * `noteless`, and releases it afterwards.
 *
 * If the caller provides a sink, a listing of any length goes to it in chunks, as it is found;
 * `table` then has the columns and no rows. Everything else, and everything for a caller
 * without a sink, is in `table`.
 */
struct answer {
    const struct table_sink *sink;  /* NULL: rows are collected */
    const struct text_sink *pieces; /* takes a document piece by piece; NULL: it is collected */
    bool bare;          /* totals and other arrangements for people are not wanted */
    bool noteless;      /* nor are notes that need a query of their own */
    uint64_t row_count; /* of a listing, wherever its rows went */
    struct table table;
    struct table shown; /* what people see instead, if that has another shape; else empty */
    struct table drawn; /* what pictures show instead, if there is more to see; else empty */
    bool as_records;    /* shown as one field per line rather than as columns */
    /* shown as a list: the first cell, then the others as sentences */
    bool as_list;
    struct buf document;   /* shown unchanged, whatever the format, in place of the table */
    struct period period;  /* that it is about; from == to: none */
    struct period covered; /* for which there are data; from == to: not stated */
    /* the same by cluster, in stretches; none: not stated */
    const struct coverage_stretch *covers;
    size_t cover_count;
    struct arena cover_names;
    int64_t as_of;          /* nothing later was taken into account; 0: not stated */
    struct note_list notes; /* about it */
    bool narrowed; /* about runs that the caller may see, by an operation without filters */
    int status;    /* exit status on success: 0, or 1 if something was rejected */
};

/*
 * The answer as people or programs see it (table_seen). Borrows from it; released only with
 * answer_seen_release.
 */
void answer_seen(const struct answer *answer, enum column_audience by, struct answer *out);
void answer_seen_release(struct answer *seen);

/*
 * The sink for the listing of an operation: to the caller's sink, or into the table. `context`
 * is the answer.
 */
int answer_take(void *context, const struct table *chunk, struct error *err) MUST_CHECK;

/* The same for a document that may be long: to the caller's `pieces`, or into `document`. */
int answer_take_piece(void *context, struct str piece, struct error *err) MUST_CHECK;

/* Adds a note; `about` names what it is about, or is the null string. */
void answer_note(struct answer *answer, enum note_kind kind, const char *format, ...)
    PRINTF_LIKE(3, 4);
void answer_note_about(struct answer *answer, enum note_kind kind, struct str about,
                       const char *format, ...) PRINTF_LIKE(4, 5);
void answer_release(struct answer *answer);
