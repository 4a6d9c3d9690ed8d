/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Inside of the CSV driver: the map, and what its lines make of values.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "record/run.h"
#include "source/source.h"

enum {
    CSV_RULES_MOST = 64,
    CSV_WORDS_MOST = 64,
    CSV_COLUMNS_MOST = 1024, /* of a table; what lies beyond is not looked at */
};

/* One line of the map: a field, and where its value comes from. */
#define CSV_THOUSANDTHS INT64_C(-1000)

struct csv_rule {
    enum run_field field;
    bool constant;      /* the value is `text`; else `text` is the column's name */
    struct str text;    /* in the format's arena */
    struct str pattern; /* "as %d.%m.%Y": how a time is written; null if it is not said */
    /* "in MB": what the column's 1 is in the field's unit, or CSV_THOUSANDTHS; 0 if not said */
    int64_t unit;
    unsigned column; /* of a table */
};

/* A word of the class or state column, and the class it means. */
struct csv_word {
    struct str text;
    enum run_class class;
};

/* The map, set against the file's titles: the driver's format. */
struct csv_format {
    struct csv_rule rules[CSV_RULES_MOST];
    size_t rule_count;
    struct csv_word words[CSV_WORDS_MOST];
    size_t word_count;
    struct str absent[CSV_WORDS_MOST]; /* values that mean "not known", beside the empty one */
    size_t absent_count;
    char separator; /* 0: not said */
    bool json;
    const struct zone *zone;
    struct zone *own_zone; /* UTC, where the caller gave none */
    struct arena arena;
};

/* --- csv_map.c ---------------------------------------------------------------------------- */

/* Reads a map into a zeroed format. ERROR_USAGE with line and reason if it cannot be read. */
int csv_map_read(struct str map, struct csv_format *format, struct error *err) MUST_CHECK;

/* --- csv_value.c -------------------------------------------------------------------------- */

/*
 * Gives a field of the run what a column says. False, with a sentence in *err, if it is not
 * what the field wants.
 */
bool csv_value_set(const struct csv_format *format, const struct csv_rule *rule,
                   struct str value, struct run *run, struct error *err);

/* What follows from the fields together: identity, class. False if there is no job. */
bool csv_value_finish(const struct csv_format *format, struct arena *arena, struct run *run,
                      struct error *err);

/* A time as the pattern has it: %Y %y %m %b %d %H %M %S %f %z, and bytes that must be there. */
bool csv_value_time(struct str text, struct str pattern, const struct zone *zone, int64_t *out);
