/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which rates a charge was made by, so that a correction of its run goes by the same ones,
 * whatever became of them since. A line of a charge has the number of a pin in place of a rate:
 * the rate, and the epoch of the rates, which is the number of the last change of one in the
 * history of the books. All changes of rates are there, so the rates of any epoch can be read
 * again.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/zone.h"
#include "books/books.h"
#include "books/packed.h"
#include "books/rate.h"

struct pins {
    struct books *books;
    const struct zone *zone;
    int64_t epoch; /* of the present rates */
    bool changed;  /* some charge was made by others than these */

    struct pins_row {
        int64_t id, rate;
        int64_t epoch; /* -1: as of the round that wrote the line */
    } * rows;          /* by number */

    size_t count, room, written;

    struct pins_rates {
        int64_t epoch;
        struct rate_list list;
    } * read; /* rates of earlier epochs that were asked for */

    size_t read_count, read_room;
    int64_t round, round_epoch; /* that was looked up last */
};

/* `out` is released also when it fails. */
int pins_read(struct books *books, const struct zone *zone, struct pins *out,
              struct error *err) MUST_CHECK;
void pins_release(struct pins *pins);

/* The number of the pin of a rate of an epoch; a new one gets the next. */
int64_t pins_id(struct pins *pins, int64_t epoch, int64_t rate);

/* The rate and the epoch of a line; 0 and the present epoch for a line without a pin. */
int pins_of(struct pins *pins, const struct packed_line *line, int64_t *rate, int64_t *epoch,
            struct error *err) MUST_CHECK;

/* The rates of an epoch, in the order they are tried. */
int pins_rates(struct pins *pins, int64_t epoch, const struct rate_list **out,
               struct error *err) MUST_CHECK;

/*
 * Which version of the rate was in force, from 1; its name is in `arena`, the null string if it
 * is not known.
 */
int pins_version(struct pins *pins, int64_t epoch, int64_t rate, struct arena *arena,
                 struct str *name, int64_t *version, struct error *err) MUST_CHECK;

/* Writes the new ones, inside a transaction of the caller. */
int pins_write(struct pins *pins, struct error *err) MUST_CHECK;
