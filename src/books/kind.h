/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The kinds of things that people decide, each described once: its name and its columns.
 * Commands with their options, lists, import and export, history, dump and restore are loops
 * over this table.
 *
 * To add a kind: a row of `kinds` with its columns, a migration in sql/books/schema that makes
 * its table, an operation of the same name in service/. To add a column: its row, and a
 * migration.
 *
 * In memory a value is text in one canonical spelling, or absent (the null string). An empty
 * text that somebody gives means absent, too.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"

enum kind_type {
    KIND_NAME,      /* one line */
    KIND_TEXT,      /* may have several */
    KIND_GLOB,      /* a pattern with * and ? */
    KIND_CHOICE,    /* one of `choices` */
    KIND_DATE,      /* 2025-03-01, in the site's calendar */
    KIND_TIME,      /* a date, or an instant: 2025-03-01T12:00:00Z */
    KIND_AMOUNT,    /* a number with up to six decimals, not negative */
    KIND_LOGINS,    /* comma-separated: login, or cluster:login */
    KIND_MEASURE,   /* id of a measure */
    KIND_DIMENSION, /* id of a dimension */
};

enum kind_flag {
    KIND_KEY = 1,      /* no two rows have the same values in all of these */
    KIND_REQUIRED = 2, /* not absent */
    KIND_WORD = 4,     /* given as a word, not as an option */
    KIND_FIRST = 8,    /* first day (or instant) it holds; a longer span means its start */
    KIND_LAST = 16,    /* last day it holds, itself included; a longer span means its end */
    KIND_FILTER = 32,  /* of a target: which runs it is about */
    KIND_OF_RUNS =
        64, /* a value of the run's field of that name; what no run has is noted, not refused */
    KIND_OWNER = 128, /* whose row it is: who adds it; others do not see it, but for admins */
    KIND_SHARE = 256, /* the least role of others who see it */
    KIND_OF_BANK =
        512, /* an account of the bank; one that the bank does not have is noted, not refused */
};

struct kind_column {
    const char *id;    /* in machine formats, options and the database */
    const char *label; /* heading for people */
    enum kind_type type;
    unsigned flags;
    const char *doc;     /* one line */
    const char *choices; /* blank-separated, of a KIND_CHOICE; else NULL */
    const char *refers;  /* table of the kind whose key it must be; or NULL */
    char letter;         /* -x, or 0 */
};

enum { KIND_COLUMNS_MAX = 32 };

struct books;
struct kind_row;

struct kind {
    int since;         /* schema of the books that brought it, if not the first */
    const char *name;  /* of the command */
    const char *table; /* in the database and in documents */
    const char *one;   /* "a metagroup", as messages call it */
    const struct kind_column *columns;
    size_t column_count;
    /* What must hold of one row beyond its columns; NULL: nothing. */
    int (*check_row)(const struct kind *kind, const struct kind_row *row, struct error *err);
    /* What must hold of all rows together, asked before every commit; NULL: nothing. */
    int (*check_all)(struct books *books, struct error *err);
};

extern const struct kind kinds[];
extern const size_t kind_count;

const struct kind *kind_find(struct str name);               /* by command; NULL: unknown */
const struct kind *kind_of_table(struct str table);          /* by table; NULL: unknown */
size_t kind_column(const struct kind *kind, const char *id); /* index; column_count if none */

/* A row: cells as many as the kind has columns. */
struct kind_row {
    int64_t id; /* number in the books; 0: not there yet */
    struct str cells[KIND_COLUMNS_MAX];
};

struct str kind_cell(const struct kind *kind, const struct kind_row *row, const char *id);

/* What values are read with. */
struct kind_world {
    const struct zone *zone;                   /* of dates */
    int64_t now;                               /* for words such as today */
    const char *(*measure_at)(size_t index);   /* measures there are, until NULL; NULL: any */
    const char *(*dimension_at)(size_t index); /* dimensions there are; NULL: any */
};

/*
 * Brings a value into its one spelling, copied into `arena`: "2024" as the end of something
 * becomes 2024-12-31, "1e3" 1000. Text that is not UTF-8, too long, or not what the column is,
 * is ERROR_USAGE.
 */
int kind_read(const struct kind_world *world, const struct kind_column *column,
              struct str given, struct arena *arena, struct str *out,
              struct error *err) MUST_CHECK;

/*
 * The instant a canonical date or time stands for: of a KIND_LAST column, the end of that day.
 */
int64_t kind_instant(const struct zone *zone, const struct kind_column *column,
                     struct str text);

/*
 * [from, to) of a row's KIND_FIRST and KIND_LAST columns; absent ends reach as far as instants
 * do.
 */
void kind_period(const struct kind *kind, const struct kind_row *row, const struct zone *zone,
                 int64_t *from, int64_t *to);

/*
 * The same in words: "from 2025-01-01 to 2025-06-30", "until 2025-06-30", "always". In `arena`.
 */
const char *kind_when(const struct kind *kind, const struct kind_row *row, struct arena *arena);

/* Amounts as the database has them, in millionths, and as text. */
int64_t kind_micro(struct str amount);
struct str kind_amount(struct arena *arena, int64_t micro);

/* "user ann": the words that tell a row from others, for messages. Copied into `arena`. */
struct str kind_title(const struct kind *kind, const struct kind_row *row, struct arena *arena);

/* ERROR_USAGE "no <what> is called 'x'", with the nearest of the names if one is near. */
int kind_unknown(const char *what, struct str text, const struct str *names, size_t count,
                 const char *see, struct error *err);
