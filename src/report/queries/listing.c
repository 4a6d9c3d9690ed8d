/* SPDX-License-Identifier: MIT */

/*
 * Runs, a row each, in any number. The engine would sort all rows before it gives the first,
 * with all their columns: so a long listing in the order of time, which is the usual one, is
 * asked for in parts that are short enough to be sorted in memory. Runs lie in the store about
 * in that order, so that each part reads few of them.
 */

#include "report/queries/listing.h"

#include <stdlib.h>

#include "base/mem.h"
#include "report/sql/runs_source.h"
#include "report/sql/sql.h"
#include "report/sql/statements.h"

enum { PART_ROWS = 32768 };

static void name_columns(const struct listing *listing, struct heading *headings)
{
    for (size_t i = 0; i < listing->field_count; i++) {
        const struct field *f = listing->fields[i];
        headings[i] = (struct heading){
            .id = f->id,
            .label = f->label,
            .unit = f->unit,
            .role = f->unit == UNIT_NONE ? COLUMN_DIMENSION : COLUMN_MEASURE,
        };
    }
}

static int ask_statement(struct facts *facts, const struct listing *listing,
                         const struct table_sink *sink, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    sql_listing(listing, &sql);
    int failed = statement_query_each(facts, &sql, sink, err);
    statement_release(&sql);
    return failed;
}

/* --- parts -------------------------------------------------------------------------------- */

struct parts {
    struct listing_part *rows;
    size_t count;
};

static bool may_be_parted(const struct listing *listing)
{
    return (!listing->sort || listing->sort == &run_fields[RUN_start]) &&
           (listing->limit == 0 || listing->limit > PART_ROWS);
}

/*
 * How many runs began in each hour, in order of time; a row without an hour is of those that
 * never did.
 */
static int count_starts(struct facts *facts, const struct listing *listing, struct table *out,
                        struct error *err)
{
    struct statement sql;
    struct listing *starts = mem_alloc(1, sizeof(*starts));
    *starts = *listing;
    starts->fields[0] = &run_fields[RUN_start];
    starts->field_count = 1;
    starts->limit = 0;
    statement_init(&sql);
    sql_listing_starts(starts, HOUR_US, &sql);
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    free(starts);
    return failed;
}

int listing_count(struct facts *facts, const struct listing *listing, int64_t *out,
                  struct error *err)
{
    struct table starts = {0};
    int failed;
    *out = 0;
    (void)((listing->books && (failed = runs_source_load(facts, listing->books, err))) ||
           (failed = count_starts(facts, listing, &starts, err)));
    for (size_t row = 0; !failed && row < starts.row_count; row++) {
        *out += (int64_t)table_wide(&starts, 1, row);
    }
    table_release(&starts);
    return failed;
}

/*
 * Hours, in order, as many to a part as have about PART_ROWS runs; those that never began are
 * the last part.
 */
static void make_parts(const struct table *starts, struct parts *parts)
{
    int64_t rows = PART_ROWS;
    parts->rows = mem_alloc(starts->row_count + 1, sizeof(*parts->rows));
    for (size_t i = 0; i < starts->row_count; i++) {
        const int64_t count = (int64_t)table_wide(starts, 1, i);
        if (!table_has(starts, 0, i)) {
            parts->rows[parts->count++] = (struct listing_part){.kind = PART_UNSTARTED};
            break;
        }
        const int64_t hour = (int64_t)table_wide(starts, 0, i);
        if (rows + count > PART_ROWS) {
            rows = 0;
            parts->rows[parts->count++] = (struct listing_part){
                .kind = PART_STARTED, .started = {.from = hour * HOUR_US}};
        }
        rows += count;
        parts->rows[parts->count - 1].started.to = (hour + 1) * HOUR_US;
    }
}

/* Latest first; what never began stays last. */
static void turn_parts(struct parts *parts)
{
    size_t last = parts->count;
    if (last > 0 && parts->rows[last - 1].kind == PART_UNSTARTED) {
        last--;
    }
    for (size_t i = 0; i < last / 2; i++) {
        const struct listing_part other = parts->rows[i];
        parts->rows[i] = parts->rows[last - 1 - i];
        parts->rows[last - 1 - i] = other;
    }
}

/* Rows on their way, counted for the limit. */
struct counted {
    const struct table_sink *sink;
    int64_t rows;
};

static int pass_counted(void *context, const struct table *chunk, struct error *err)
{
    struct counted *counted = context;
    counted->rows += (int64_t)chunk->row_count;
    return counted->sink->take(counted->sink->context, chunk, err);
}

static int ask_parts(struct facts *facts, const struct listing *listing,
                     const struct parts *parts, const struct table_sink *sink,
                     struct error *err)
{
    struct listing *part = mem_alloc(1, sizeof(*part));
    struct counted counted = {.sink = sink};
    const struct table_sink counting = {&counted, pass_counted};
    int failed = 0;
    *part = *listing;
    for (size_t i = 0; !failed && i < parts->count; i++) {
        part->part = parts->rows[i];
        part->limit = listing->limit > 0 ? listing->limit - counted.rows : 0;
        if (listing->limit > 0 && part->limit <= 0) {
            break;
        }
        failed = ask_statement(facts, part, &counting, err);
    }
    free(part);
    return failed;
}

/* Parts, where there are so many runs that it is worth while; none where there are not. */
static int find_parts(struct facts *facts, const struct listing *listing, struct parts *parts,
                      struct error *err)
{
    struct table starts = {0};
    int64_t runs = 0;
    int failed =
        may_be_parted(listing)
            ? facts_number(facts, SQL_VALUES_RUNS, (struct facts_values){0}, &runs, NULL, err)
            : 0;
    if (failed || runs <= PART_ROWS) {
        return failed;
    }
    failed = count_starts(facts, listing, &starts, err);
    if (!failed) {
        make_parts(&starts, parts);
    }
    if (!listing->ascending) {
        turn_parts(parts);
    }
    table_release(&starts);
    return failed;
}

int listing_each(struct facts *facts, const struct listing *listing,
                 const struct table_sink *sink, struct error *err)
{
    struct heading headings[LISTING_FIELDS_MAX];
    struct table_renaming renaming = {headings, sink};
    const struct table_sink renamed = {&renaming, table_rename};
    struct parts parts = {0};
    name_columns(listing, headings);
    int failed = listing->books ? runs_source_load(facts, listing->books, err) : 0;
    failed = failed ? failed : find_parts(facts, listing, &parts, err);
    if (!failed) {
        failed = parts.count > 1 ? ask_parts(facts, listing, &parts, &renamed, err)
                                 : ask_statement(facts, listing, &renamed, err);
    }
    free(parts.rows);
    return failed;
}

int listing_ask(struct facts *facts, const struct listing *listing, struct table *answer,
                struct error *err)
{
    return listing_each(facts, listing, &(struct table_sink){answer, table_collect}, err);
}
