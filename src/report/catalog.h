/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What can be asked. A report is a question, not a program: measures x dimensions x period x
 * bucket x filters. A new measure is a new row of `measures` in catalog.c; everything else
 * (SQL, help, column heads, docs) follows from the row.
 *
 * Dimensions are the fields of the run that are not bookkeeping, and a few that are worked out
 * from them: rows of DERIVED_DIMENSIONS in catalog.c.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "record/run.h"

/* Which runs a measure looks at, and when they count. */
enum measure_kind {
    MEASURE_AT_SUBMIT, /* aggregate over runs, at the instant they were submitted */
    MEASURE_AT_START,  /* ... at the instant they started */
    MEASURE_AT_END,    /* ... that started, at the instant they ended */
    MEASURE_AT_WITHDRAWAL, /* ... that never started, when they were withdrawn; else at submission */
    MEASURE_OVERLAP,       /* rate x time that the run overlaps the period or bucket */
    MEASURE_USED,          /* what a run used, prorated where it crosses an edge */
    MEASURE_ACTIVE,        /* number of runs that overlap it */
    MEASURE_DISTINCT,      /* number of different values among the runs that overlap it */
    MEASURE_PEAK,          /* highest sum of rates at one instant */
    MEASURE_SIZE,          /* what clusters had: no run is looked at */
    MEASURE_KINDS,
};

/* What an amount is divided by once it is summed. */
enum measure_per {
    PER_NOTHING,
    PER_TIME, /* the length of the period, as far as it has passed: a mean over time */
    PER_CPUS, /* the cpus that were there, over the same time */
    PER_GPUS,
};

/*
 * What of a cluster's size a measure is about. A node is in one of those between SIZE_ALL and
 * SIZE_LEFT.
 */
enum size_part {
    SIZE_ALL,
    SIZE_DOWN,     /* broken, or does not answer */
    SIZE_PLANNED,  /* taken out of use by people: drained, under maintenance */
    SIZE_RESERVED, /* held by a reservation, not in use */
    SIZE_UNKNOWN,  /* in an unknown state */
    SIZE_PARTS,
    SIZE_LEFT =
        SIZE_PARTS, /* what none of these took, and no run; below zero where runs had more */
};

/*
 * A number that a run has, or that follows from several it has; absent where one of these is.
 * How each is written in SQL is in report/sql/quantity.c.
 */
enum quantity {
    QUANTITY_NONE,
    QUANTITY_ONE,  /* 1: the run itself */
    QUANTITY_CPUS, /* allocated, as are those down to QUANTITY_BILLING */
    QUANTITY_GPUS,
    QUANTITY_NODES,
    QUANTITY_MEMORY,
    QUANTITY_DISK,
    QUANTITY_BILLING,
    QUANTITY_CPU_USED,
    QUANTITY_CPU_USER,
    QUANTITY_CPU_SYSTEM,
    QUANTITY_CPU_BOTH, /* user and system */
    QUANTITY_GPU_USED,
    QUANTITY_ENERGY,
    QUANTITY_MEMORY_PEAK,
    QUANTITY_MEMORY_WHOLE,  /* the same, absent where it is only a lower bound */
    QUANTITY_WAIT,          /* from submission to start, never below zero */
    QUANTITY_WAIT_ELIGIBLE, /* from when it could have started */
    QUANTITY_WALL,          /* from start to end without suspension, never below zero */
    QUANTITY_CPU_TIME,      /* allocated cpus x wall */
    QUANTITY_GPU_TIME,
    QUANTITY_MEMORY_ASKED, /* memory allocated, or else asked for */
    QUANTITY_TIME_LIMIT,
    QUANTITY_SU,   /* the price by the rates of the bank, in millionths of an SU */
    QUANTITY_COST, /* the same in a currency */
    QUANTITY_COUNT,
};

/* What is made of the runs that a measure of MEASURE_AT_* looks at. */
enum aggregate {
    AGGREGATE_NONE,  /* not of this kind */
    AGGREGATE_RUNS,  /* how many */
    AGGREGATE_TASKS, /* how many, a record of array tasks that wait together for each of them */
    AGGREGATE_CLASS, /* how many of a class */
    AGGREGATE_RATE,  /* share that is of a class */
    AGGREGATE_SUM,   /* of the quantity, as below */
    AGGREGATE_MEAN,  /* a real number */
    AGGREGATE_MIN,
    AGGREGATE_MAX,
    AGGREGATE_QUANTILE, /* `percent` in 100 runs have no more */
    AGGREGATE_SHARE,    /* sum / sum of `whole`, of the runs that tell both */
    AGGREGATE_KNOWN, /* how much of the sum of `whole` belongs to runs that tell the quantity */
};

struct measure {
    const char *id;
    const char *label;
    const char *doc; /* one line: the definition */
    enum unit unit;
    enum measure_kind kind;
    /* OVERLAP, PEAK: the rate; USED: what is shared out; AT_*: what the aggregate is of */
    enum quantity quantity;
    enum aggregate aggregate;
    enum quantity whole;       /* of AGGREGATE_SHARE and AGGREGATE_KNOWN */
    enum run_class class;      /* of AGGREGATE_CLASS and AGGREGATE_RATE */
    int percent;               /* of AGGREGATE_QUANTILE */
    const struct field *value; /* DISTINCT: what is counted; a dimension */
    enum measure_per per;
    /* of what it is divided by; of MEASURE_SIZE and SIZE_LEFT: its value */
    enum size_part part;
    bool real;     /* a ratio or a mean, not an exact integer */
    bool additive; /* rows and buckets may be summed; see measure_adds_up */
    /* OVERLAP: nothing is counted while a run is suspended; cpus are free then */
    bool pauses;
    const char *detail; /* dimension that says most about where it comes from: drill-down */
};

extern const struct measure measures[];
extern const size_t measure_count;

const struct measure *measure_find(struct str id); /* NULL: unknown */

/* The measure that says what share this one, a ratio, is known of; NULL: none. */
const struct measure *measure_coverage(const struct measure *measure);

/*
 * How many of the small unit one of what people write down is: microseconds of an hour. 0 for
 * what nobody sets a target of.
 */
int64_t measure_scale(const struct measure *measure);

/*
 * The fields of a run that it needs, until RUN_FIELD_COUNT: where one is missing, so is the
 * quantity.
 */
const enum run_field *quantity_fields(enum quantity quantity);

/*
 * Whether it is a part of what the run has that a node of the run has of it. Time, waits and
 * the run itself are not.
 */
bool quantity_is_shared(enum quantity quantity);

/*
 * Whether rows by this dimension add up to the whole. By node only what is shared out does: a
 * run counts on each of its nodes.
 */
bool measure_adds_up(const struct measure *measure, const struct field *dimension);

/* Whether its value has to do with how large clusters are. */
bool measure_is_of_size(const struct measure *measure);

/* Whether nothing gives zero; what is worked out from values of runs is unknown without any. */
bool measure_is_zero_of_nothing(const struct measure *measure);

/*
 * Columns a listing can show beside the fields of the run: worked out from them, so not stored.
 * They have the shape of a field; what they are made of is in catalog.c.
 */
extern const struct field derived_fields[];
extern const size_t derived_field_count;

/* The run's field or derived column with this id, bookkeeping included, or NULL. */
const struct field *column_find(struct str id);

/* What a derived column or dimension is; how it is written in SQL is in report/sql/column.c. */
enum derived {
    DERIVED_ID,
    DERIVED_RUN_ID,
    DERIVED_WALL,
    DERIVED_WAIT,
    DERIVED_CPU_HOURS,
    DERIVED_CPU_EFFICIENCY,
    DERIVED_MEM_EFFICIENCY,
    DERIVED_GPU_EFFICIENCY,
    DERIVED_TIME_EFFICIENCY,
    DERIVED_CPU_BASIS,
    DERIVED_GPU_BASIS,
    DERIVED_IO_BASIS,
    DERIVED_ENERGY_BASIS,
    DERIVED_IO_READ,
    DERIVED_IO_WRITTEN,
    DERIVED_CPU_SAMPLED,
    DERIVED_MEM_SAMPLED,
    DERIVED_GPU_SAMPLED,
    DERIVED_IO_SAMPLED,
    DERIVED_ENERGY_SAMPLED,
    DERIVED_METAGROUP,
    DERIVED_METAGROUP_TOP,
    DERIVED_PERSON,
    DERIVED_SIZE,
    DERIVED_SHAPE,
    DERIVED_WEEKDAY,
    DERIVED_HOUR_OF_DAY,
    DERIVED_COUNT,
};

enum derived column_derived(const struct field *field);

/* Whether only listings know it, by samples: no filter. */
bool column_is_of_samples(const struct field *field);

/*
 * What to group by: any field of the run but bookkeeping, and the derived dimensions. Some of
 * these are numbers with names, in the order of the numbers; two are places in the calendar,
 * for which a run counts in every hour or day that it overlaps.
 */
const struct field *dimension_find(struct str id); /* NULL: unknown */
const struct field *dimension_at(size_t index);    /* NULL beyond the last */
bool dimension_is(const struct field *field);      /* whether a field of the run is one */

enum fold { FOLD_NONE, FOLD_WEEKDAY, FOLD_HOUR };

enum fold dimension_fold(const struct field *field);

/* The name of a number of this dimension; NULL if its numbers are shown as they are. */
const char *dimension_name(const struct field *field, int64_t number);

/*
 * What a run has to be joined with to have it: things that the books decide (see
 * runs_source.h).
 */
enum joined { JOINED_NOT, JOINED_MOVES, JOINED_PEOPLE };

enum joined dimension_joined(const struct field *field);
enum joined measure_joined(const struct measure *measure);

/* Whether a run may have several of it, and counts under each. */
static inline bool dimension_is_spread(const struct field *field)
{
    return (field->flags & FIELD_SPREAD) != 0;
}

/* Whether the books decide it: a run has it only together with what they say. */
bool dimension_is_of_books(const struct field *field);
