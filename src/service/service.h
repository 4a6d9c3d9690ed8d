/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The door through which everything is asked: a table of operations.
 *
 * An operation has a name, parameters, the role it needs, a function and the shape of its answer.
 * Command-line options, help, shell completion, manual pages and the routes of the server are loops over this
 * table. So a question asked in a terminal and elsewhere is the
 * same operation and gives the same number. Nothing here knows how a request arrived or how an
 * answer is shown.
 *
 * To add an operation: a file in this folder that ends with its `const struct operation`, its
 * declaration in operations.h, a row in operations.c, a test. Help, completion and the manual page
 * follow.
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
#include "service/caller.h"
#include "service/inputs.h"
#include "service/note.h"
#include "table/table.h"

enum param_type {
    PARAM_FLAG, /* given or not */
    PARAM_TEXT,
    PARAM_NUMBER, /* a whole number, not negative */
    PARAM_CHOICE, /* one of `choices`, or of the names of `name_at` */
    PARAM_INPUT,  /* what an input of the request is called: see service/inputs.h */
};

struct param {
    const char *name;     /* --name; a positional one is shown in capitals */
    char letter;          /* -x, or 0 */
    const char *synonyms; /* what other tools call it, for the command line; blanks between */
    enum param_type type;
    const char *value;   /* what the help calls its value; NULL for flags */
    const char *choices; /* blank-separated, for PARAM_CHOICE and completion; else NULL */
    const char *(*name_at)(
        size_t index);    /* names it takes, until NULL, for completion and messages; or NULL */
    const char *fallback; /* value when not given; NULL: absent */
    const char *help;     /* one line */
    bool positional, required, repeated;
    bool changes; /* given, the request changes something */
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
    ACTION_LOCAL = 1, /* works with files or programs of this machine: see struct operation */
    /* what changes something is posted, with the word of a form where a browser sends it */
    ACTION_CHANGES = 2,
};

/* What an operation that does several things can do: the values of its first parameter. */
struct operation_action {
    const char *name;
    const char *summary; /* one line */
    enum role role;
    unsigned traits;   /* of enum action_trait */
    const char *input; /* the parameter whose values name inputs in this action; or NULL */
};

struct operation {
    const char *name;
    const char *summary;                    /* one line */
    const char *description;                /* paragraphs for the manual */
    const char *examples;                   /* lines "command # what it does" */
    enum role role;                         /* of an operation with actions, each has its own */
    const struct operation_action *actions; /* or NULL: it does one thing */
    size_t action_count;
    /* by its nature works with files or programs of this machine: not for callers elsewhere */
    bool local;
    /* the action whose document is a copy to keep: a file is replaced by it only with --replace; or NULL */
    const char *keeps;
    bool stoppable; /* heeds service->stop: may be ended in good order */
    unsigned sets;  /* of enum param_set */
    const char
        *from_help; /* of --from, where the default is not that of other operations; or NULL */
    bool brief;     /* its help names the filters that have a letter only; the manual has all */
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
const struct operation *operation_find(struct str name); /* NULL if there is none */

/* Parameter `index` of an operation, its own first, then those of its sets; false beyond the last. */
bool operation_param(const struct operation *operation, size_t index, struct param *out);

/* Adds the values a parameter can take, where they are known, with blanks between. */
void param_words(struct buf *out, const struct param *param);

/* What operations work with: the caller's world, passed in. */
struct service {
    const char *store;       /* folder */
    struct session *session; /* in it: session_facts gives what is read and written */
    struct books_session
        *books; /* those of the store, while a request is answered: see service_books */
    /* of whoever puts several requests that only read, and closes them afterwards; NULL: each request opens its own */
    struct books_session *shared_books;
    const struct config *config; /* stint.conf; NULL or one without a path: there is none */
    const struct zone *zone;
    int64_t (*now)(void);
    const struct caller *caller; /* who asks */
    const struct stop *stop;     /* of this request; may be NULL */
    /* where browsers reach the server that answers, such as "https://stint.example.org"; NULL: there is none */
    const char *address;
    void *watcher; /* given back to the functions below, all of which may be NULL */
    void (*progress)(void *watcher, const char *what, uint64_t done, uint64_t total,
                     int64_t records);
    void (*say)(void *watcher, const char *line); /* news during a long operation */

    /* what `stint serve` does, given by whoever can; NULL: not from here */
    int (*serve)(struct service *service, const struct request *request, struct answer *answer,
                 struct error *err);
};

/*
 * The books of the service's store, in the name of who asks: one handle a request, whichever parts of it ask, closed when
 * the request is answered, or when all are that share it.
 */
int service_books(const struct service *service, enum books_mode mode, struct books **out,
                  struct error *err) MUST_CHECK;

/* The same for whoever works outside a request: to be opened and closed by the caller. */
struct books_session service_books_session(const struct service *service);

/* For operations that cannot do without stint.conf, or without a cluster in it: says how to begin one. */
int service_no_config(const struct service *service, struct error *err);

/* A call: values by parameter name, in the order given. Text is borrowed. */
struct request_value {
    const char *name;
    struct str text;
};

struct request {
    const struct operation *operation;
    const struct request_value *values;
    size_t count;
    const struct inputs *inputs; /* what is offered to be read; NULL: nothing */
};

enum { REQUEST_VALUES_MAX = 4096 };

/*
 * Does what is asked: the one way in, whoever asks and however. Checks the request against the operation's row (ERROR_USAGE
 * says what is wrong), then whether the caller may (ERROR_DENIED), and lets the operation see of the store what the
 * caller may see. The session and its books are closed afterwards.
 */
int service_call(struct service *service, const struct request *request, struct answer *answer,
                 struct error *err) MUST_CHECK;

/* What service_call looks at before it does anything: the request, then whether the caller may. */
int service_check(const struct service *service, const struct request *request,
                  struct error *err) MUST_CHECK;

/* Whether a request is one that the operation understands: no name it does not have, nothing missing, no value it cannot take. */
int request_check(const struct request *request, struct error *err) MUST_CHECK;
int param_check(const struct param *param, struct str value, struct error *err) MUST_CHECK;

/*
 * Adds what is asked for people without their saying so, to values that have room for one more: targets, of operations that
 * have them. Returns how many values there are.
 */
size_t request_for_people(const struct operation *operation, struct request_value *values,
                          size_t count);

/* The action that the request asks for; NULL of an operation without. */
const struct operation_action *request_action(const struct request *request);
enum role request_role(const struct request *request); /* that it needs */

/* Whether it asks for sums over everybody, at most by cluster, which say nothing of anybody. */
bool request_is_total(const struct request *request);
bool request_is_local(
    const struct request *request); /* whether only a caller on this machine may ask it */
bool request_changes(
    const struct request *request); /* whether something may be another afterwards */

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
 * What comes back, the same for people and programs: views pick what is for them (table_seen). The caller zeroes it before, but for
 * `sink`, `pieces`, `bare` and `noteless`, and releases it after.
 *
 * A listing of any length goes to the sink of a caller who gives one, in chunks, as it is found; `table` then has its
 * columns and no rows. Everything else, and all for a caller without a sink, is in `table`.
 */
struct answer {
    const struct table_sink *sink;  /* NULL: rows are collected */
    const struct text_sink *pieces; /* takes a document piece by piece; NULL: it is collected */
    bool bare;          /* totals and what else is arranged for people are not wanted */
    bool noteless;      /* nor are notes that take a question of their own to find */
    uint64_t row_count; /* of a listing, wherever its rows went */
    struct table table;
    struct table shown; /* what people see instead, where that has another shape; else empty */
    bool as_records;    /* shown one field a line rather than as columns */
    /* shown one row after the other: the first cell, then the others as sentences */
    bool as_list;
    struct buf document;    /* shown as it is, whatever the format, in place of the table */
    struct period period;   /* what it is about, if that is a period; from == to: it is not */
    struct period covered;  /* that there are data of; from == to: not said */
    int64_t as_of;          /* what lies after it had not happened; 0: not said */
    struct note_list notes; /* what is to be said about it */
    int status; /* exit status when all went well: 0, or 1 if something was rejected */
};

/* The answer as people or programs are to see it (table_seen). Borrows from it; released by answer_seen_release only. */
void answer_seen(const struct answer *answer, enum column_audience by, struct answer *out);
void answer_seen_release(struct answer *seen);

/* The sink through which an operation gives a listing: to the caller's, or into the table. `context` is the answer. */
int answer_take(void *context, const struct table *chunk, struct error *err) MUST_CHECK;

/* The sink through which an operation gives a document that may be long: to the caller's, or into `document`. Likewise. */
int answer_take_piece(void *context, struct str piece, struct error *err) MUST_CHECK;

/* Adds a note; `about` names what it is about; the null string: nothing by name. */
void answer_note(struct answer *answer, enum note_kind kind, const char *format, ...)
    PRINTF_LIKE(3, 4);
void answer_note_about(struct answer *answer, enum note_kind kind, struct str about,
                       const char *format, ...) PRINTF_LIKE(4, 5);
void answer_release(struct answer *answer);
