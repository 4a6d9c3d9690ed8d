/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What runs cost, as somebody wrote it down: the kind `rate`. bank/price.h works out the price
 * of a run by them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "books/membership.h"

struct books;
struct kind;
struct kind_row;

/* Which runs a rate is for, by fields of theirs. */
enum rate_pattern {
    RATE_CLUSTER,
    RATE_PARTITION,
    RATE_QOS,
    RATE_GPU_TYPE,
    RATE_ACCOUNT,
    RATE_GROUP,
    RATE_METAGROUP,
    RATE_PATTERNS
};

/* What a run pays for: an hour of each, and its energy. */
enum rate_weight { RATE_CPU, RATE_GPU, RATE_MEM, RATE_NODE, RATE_KWH, RATE_WEIGHTS };

/* Other resources that a run pays for, by the scheduler's names: gres/shard, license/matlab. */
struct rate_resource {
    struct str name;
    const char *text;      /* the same */
    int64_t weight;        /* millionths of a unit an hour */
    const char *not_known; /* says that a record does not tell how many there were */
};

enum { RATE_RESOURCES = 8 };

enum rate_how {
    RATE_SUM,      /* all weights together */
    RATE_MAX,      /* the largest of them */
    RATE_RECORDED, /* billing units as the scheduler recorded them, an SU an hour each */
};

struct rate {
    int64_t id;
    struct str name, unit;              /* unit: "SU", or a currency */
    struct str patterns[RATE_PATTERNS]; /* the null string: any, absent ones included */
    struct period period;               /* it is for runs that start then */
    int first_hour,
        last_hour; /* of the day a run starts at, [first, last); -1: any. 22, 6 is a night */
    unsigned days; /* bit 0 Monday; 0: any */
    enum rate_how how;
    int64_t weights[RATE_WEIGHTS]; /* millionths of a unit; -1: not said */
    struct rate_resource resources[RATE_RESOURCES];
    size_t resource_count;
    int64_t factor;   /* millionths; 1000000 where nobody said */
    int64_t least;    /* a run that is charged costs at least that much */
    struct str free;  /* comma-separated classes and states that are not charged */
    int64_t under_us; /* runs shorter than that are not charged */
};

struct rate_list {
    struct rate *rows; /* in the order they are tried: the first that fits holds */
    size_t count;
    bool by_metagroup;              /* some are for metagroups */
    struct membership_list members; /* of today, if so: who is in which metagroup when */
    struct arena arena;
};

/* Whether a rate is for runs of a metagroup: that one, or one that it is in. NULL: of none. */
bool rate_is_for(const struct rate *rate, const struct membership *member);

/*
 * Those with more patterns come first (hours and days of the week count as one each), among
 * equals those whose first day is later, then the older ones. `out` is released also when it
 * fails.
 */
int books_rates(struct books *books, const struct zone *zone, struct rate_list *out,
                struct error *err) MUST_CHECK;
/* The same as they were after change `epoch` of the history (books.h). */
int books_rates_of(struct books *books, const struct zone *zone, int64_t epoch,
                   struct rate_list *out, struct error *err) MUST_CHECK;
/* The same of rows that are not in the books, whose cells kind_read and rate_check_row took. */
void rates_of_rows(const struct kind_row *rows, size_t count, const struct zone *zone,
                   struct rate_list *out);
void rate_list_release(struct rate_list *list);

/* The rate of this number, or NULL. */
const struct rate *rate_list_find(const struct rate_list *list, int64_t id);

/* "cpu", "gpu", "mem", "node", "kwh": its column. */
const char *rate_weight_name(enum rate_weight weight);

/* Hours, days and resources can be read, and there is something to pay. For kind.c. */
int rate_check_row(const struct kind *kind, const struct kind_row *row, struct error *err);
