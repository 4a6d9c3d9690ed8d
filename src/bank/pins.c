/* SPDX-License-Identifier: MIT */
#include "bank/pins.h"

#include <stdlib.h>

#include "bank/statements.h"
#include "base/mem.h"
#include "books/query.h"

static const char CANNOT_READ[] = "cannot read the bank";

static int read_rows(struct pins *pins, struct error *err)
{
    struct query q = query_begin(pins->books, SQL_BANK_PINS);
    while (query_row(&q)) {
        pins->rows = mem_grow(pins->rows, pins->count, &pins->room, sizeof(*pins->rows));
        pins->rows[pins->count++] =
            (struct pins_row){query_int_at(&q, 0), query_int_at(&q, 1), query_int_at(&q, 2)};
    }
    pins->written = pins->count;
    return query_finish(&q, CANNOT_READ, err);
}

int pins_read(struct books *books, const struct zone *zone, struct pins *out, struct error *err)
{
    *out = (struct pins){.books = books, .zone = zone, .round = -1};
    struct query q = query_begin(books, SQL_BANK_PIN_EPOCHS);
    if (query_row(&q)) {
        out->epoch = query_int_at(&q, 0);
        out->changed = query_int_at(&q, 1) != 0;
    }
    const int failed = query_finish(&q, CANNOT_READ, err);
    return failed ? failed : read_rows(out, err);
}

void pins_release(struct pins *pins)
{
    for (size_t i = 0; i < pins->read_count; i++) {
        rate_list_release(&pins->read[i].list);
    }
    free(pins->read);
    free(pins->rows);
    *pins = (struct pins){0};
}

int64_t pins_id(struct pins *pins, int64_t epoch, int64_t rate)
{
    for (size_t i = pins->count; i-- > 0;) { /* the newest are asked for most */
        if (pins->rows[i].rate == rate && pins->rows[i].epoch == epoch) {
            return pins->rows[i].id;
        }
    }
    const int64_t id = pins->count ? pins->rows[pins->count - 1].id + 1 : 1;
    pins->rows = mem_grow(pins->rows, pins->count, &pins->room, sizeof(*pins->rows));
    pins->rows[pins->count++] = (struct pins_row){id, rate, epoch};
    return id;
}

static const struct pins_row *find_pin(const struct pins *pins, int64_t id)
{
    size_t low = 0, high = pins->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (pins->rows[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < pins->count && pins->rows[low].id == id ? &pins->rows[low] : NULL;
}

/* The epoch of the rates when a round was made. */
static int epoch_of_round(struct pins *pins, int64_t round, struct error *err)
{
    if (round == pins->round) {
        return 0;
    }
    struct query q = query_begin(pins->books, SQL_BANK_PIN_EPOCH_OF_ROUND);
    query_int(&q, round);
    pins->round_epoch = query_row(&q) ? query_int_at(&q, 0) : 0;
    pins->round = round;
    return query_finish(&q, CANNOT_READ, err);
}

int pins_of(struct pins *pins, const struct packed_line *line, int64_t *rate, int64_t *epoch,
            struct error *err)
{
    const struct pins_row *row = find_pin(pins, line->rate);
    *rate = row ? row->rate : 0;
    *epoch = row ? row->epoch : pins->epoch;
    if (*epoch >= 0) {
        return 0;
    }
    const int failed = epoch_of_round(pins, line->round, err);
    *epoch = pins->round_epoch;
    return failed;
}

int pins_rates(struct pins *pins, int64_t epoch, const struct rate_list **out,
               struct error *err)
{
    for (size_t i = 0; i < pins->read_count; i++) {
        if (pins->read[i].epoch == epoch) {
            *out = &pins->read[i].list;
            return 0;
        }
    }
    pins->read = mem_grow(pins->read, pins->read_count, &pins->read_room, sizeof(*pins->read));
    struct pins_rates *made = &pins->read[pins->read_count++];
    made->epoch = epoch;
    *out = &made->list;
    return books_rates_of(pins->books, pins->zone, epoch, &made->list, err);
}

int pins_version(struct pins *pins, int64_t epoch, int64_t rate, struct arena *arena,
                 struct str *name, int64_t *version, struct error *err)
{
    const struct rate_list *list;
    *name = (struct str){0};
    *version = 0;
    int failed = pins_rates(pins, epoch, &list, err);
    for (size_t i = 0; !failed && i < list->count; i++) {
        if (list->rows[i].id == rate) {
            *name = arena_copy(arena, list->rows[i].name);
        }
    }
    if (failed) {
        return failed;
    }
    struct query q = query_begin(pins->books, SQL_BANK_PIN_VERSION);
    query_int(&q, rate);
    query_int(&q, epoch);
    *version = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_READ, err);
}

int pins_write(struct pins *pins, struct error *err)
{
    struct query q = query_begin(pins->books, SQL_BANK_PIN_ADD);
    for (; pins->written < pins->count; pins->written++) {
        const struct pins_row *row = &pins->rows[pins->written];
        query_int(&q, row->id);
        query_int(&q, row->rate);
        query_int(&q, row->epoch);
        query_run(&q);
        query_again(&q);
    }
    return query_finish(&q, "cannot change the bank", err);
}
