/* SPDX-License-Identifier: MIT */

/*
 * A batch goes into a temporary table first, in its order. What in it repeats an earlier row of
 * it, and what is in the store already, within the span of time of the batch, is found by
 * joins; the rest is then inserted. So the store's own table is only ever appended to, but for
 * the few rows that a line read again replaces.
 */

#include "facts/samples.h"

#include <stdlib.h>

#include "base/mem.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "facts/statement.h"

enum { GROUP = 256 };

/* Calls `add` for each field that has one of `flags`. */
static void add_each(struct statement *sql, unsigned flags, struct expression separator,
                     void (*add)(struct statement *sql, struct identifier member))
{
    bool any = false;
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        if (sample_fields[i].flags & flags) {
            if (any) {
                statement_expression(sql, separator);
            }
            any = true;
            add(sql, identifier_of(&sample_fields[i]));
        }
    }
}

static void add_if_rolled(struct statement *sql, struct identifier member)
{
    statement_add(sql, "CASE WHEN pid IS NULL THEN ");
    statement_name(sql, member);
    statement_add(sql, " END");
}

static void add_equal(struct statement *sql, struct identifier member)
{
    statement_add(sql, "@same(n.");
    statement_name(sql, member);
    statement_add(sql, ", o.");
    statement_name(sql, member);
    statement_add(sql, ")");
}

/* The columns of the identity, as a list. */
static void add_identity(struct statement *sql)
{
    add_each(sql, FIELD_KEY, EXPRESSION(", "), statement_name);
    statement_add(sql, ", ");
    add_each(sql, SAMPLE_KEY_ROLLED, EXPRESSION(", "), add_if_rolled);
}

/* A hash of all that a sample says of a process, without where it was read. */
static void add_content(struct statement *sql, struct expression of)
{
    bool any = false;
    statement_add(sql, "hash(");
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        if (!(sample_fields[i].flags & FIELD_INTERNAL)) {
            statement_add(sql, any ? ", " : "");
            any = true;
            statement_expression(sql, of);
            statement_name(sql, identifier_of(&sample_fields[i]));
        }
    }
    statement_add(sql, ")");
}

/* --- into the temporary table ------------------------------------------------------------- */

static void set_values(const struct sample *sample, struct facts_value *values)
{
    for (unsigned i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        values[i] = !sample_has(sample, i)               ? FACTS_NULL
                    : sample_fields[i].type == FIELD_INT ? FACTS_INT(sample_int(sample, i))
                                                         : FACTS_TEXT(sample_text(sample, i));
    }
}

/* What goes by. */
struct passage {
    struct sample samples[GROUP];
    struct facts_value values[GROUP * SAMPLE_FIELD_COUNT];
    int64_t rows;
};

static void note_times(const struct sample *samples, size_t count,
                       struct samples_counts *counts)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t time = samples[i].time;
        if (!counts->last_time || time < counts->first_time) {
            counts->first_time = time;
        }
        if (time > counts->last_time) {
            counts->last_time = time;
        }
    }
}

static int pass_rows(struct facts_loader *loader, const struct sample_feed *feed,
                     struct passage *passage, struct samples_counts *counts, struct error *err)
{
    size_t count;
    int failed;
    do {
        count = 0;
        failed = feed->next(feed->context, passage->samples, GROUP, &count, err);
        for (size_t i = 0; !failed && i < count; i++) {
            set_values(&passage->samples[i], &passage->values[i * SAMPLE_FIELD_COUNT]);
        }
        if (!failed && count > 0) {
            const struct facts_values rows = {passage->values, count * SAMPLE_FIELD_COUNT};
            failed = facts_loader_add(loader, rows, err);
        }
        note_times(passage->samples, failed ? 0 : count, counts);
        passage->rows += (int64_t)count;
    } while (!failed && count > 0);
    return failed;
}

/*
 * All of the feed into the temporary table `incoming`; its row ids ascend in the feed's order.
 */
static int fill_incoming(struct facts *facts, const struct sample_feed *feed, int64_t *rows,
                         struct samples_counts *counts, struct error *err)
{
    struct facts_loader loader = {.facts = facts, .columns = SAMPLE_FIELD_COUNT};
    struct passage *passage = mem_alloc(1, sizeof(*passage));
    int failed;
    (void)((failed = facts_execute(facts, SQL_SAMPLES_MAKE_INCOMING, (struct facts_values){0},
                                   NULL, err)) ||
           (failed = facts_loader_open(facts, "incoming", &loader, err)) ||
           (failed = pass_rows(&loader, feed, passage, counts, err)));
    struct error ignored;
    int closed = facts_loader_close(&loader, failed ? &ignored : err);
    *rows = passage->rows;
    free(passage);
    return failed ? failed : closed;
}

/* --- what is recorded already ------------------------------------------------------------- */

/*
 * Into the table `repeats`: rows that another one of the batch came before. Ordering is costly,
 * so it is done among those whose identity has the hash of another's.
 */
static int find_repeats(struct facts *facts, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "CREATE OR REPLACE TEMP TABLE repeats AS SELECT fresh, content = kept AS "
                  "same FROM (SELECT rowid AS fresh, ");
    add_content(&sql, EXPRESSION(""));
    statement_add(&sql, " AS content, first_value(content) OVER earliest AS kept, row_number() "
                        "OVER earliest AS place FROM incoming WHERE hash(");
    add_identity(&sql);
    statement_add(&sql, ") IN (SELECT h FROM (SELECT hash(");
    add_identity(&sql);
    statement_add(&sql, ") AS h FROM incoming) GROUP BY h HAVING count(*) > 1) WINDOW earliest "
                        "AS (PARTITION BY ");
    add_identity(&sql);
    statement_add(&sql, " ORDER BY rowid)) WHERE place > 1");
    int failed = statement_execute(facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

/*
 * Into the table `twins`: pairs of a row of the batch and one of the store. Rows of the batch
 * that are not recorded by the same line as before have come too late.
 */
static int find_twins(struct facts *facts, const struct samples_counts *counts,
                      struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "CREATE OR REPLACE TEMP TABLE twins AS SELECT n.rowid AS fresh, o.rowid "
                  "AS old, ");
    add_content(&sql, EXPRESSION("n."));
    statement_add(&sql, " = ");
    add_content(&sql, EXPRESSION("o."));
    statement_add(&sql, " AS same, NOT same AND n.file = o.file AND n.line = o.line AS again "
                        "FROM incoming n JOIN samples o ON ");
    add_each(&sql, FIELD_KEY, EXPRESSION(" AND "), add_equal);
    statement_add(&sql, " AND (n.pid IS NOT NULL OR (");
    add_each(&sql, SAMPLE_KEY_ROLLED, EXPRESSION(" AND "), add_equal);
    statement_add(&sql, ")) WHERE o.\"time\" BETWEEN ");
    statement_bind(&sql, FACTS_INT(counts->first_time));
    statement_add(&sql, " AND ");
    statement_bind(&sql, FACTS_INT(counts->last_time));
    statement_add(&sql, " AND n.rowid NOT IN (SELECT fresh FROM repeats)");
    int failed = statement_execute(facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

static int count_samples(struct facts *facts, int64_t rows, struct samples_counts *counts,
                         struct error *err)
{
    struct table found = {0};
    int failed = facts_query(facts, SQL_SAMPLES_COUNT, (struct facts_values){0}, &found, err);
    if (!failed) {
        counts->unchanged = (int64_t)table_wide(&found, 0, 0);
        counts->doubled = (int64_t)table_wide(&found, 1, 0);
        counts->replaced = (int64_t)table_wide(&found, 2, 0);
        counts->added = rows - counts->unchanged - counts->doubled - counts->replaced;
    }
    table_release(&found);
    return failed;
}

/* --- into the store ----------------------------------------------------------------------- */

static int take_new(struct facts *facts, const struct samples_counts *counts, struct error *err)
{
    const struct facts_values none = {0};
    int failed = 0;
    if (counts->replaced > 0) {
        failed = facts_execute(facts, SQL_SAMPLES_DROP_REPLACED, none, NULL, err);
    }
    return failed ? failed : facts_execute(facts, SQL_SAMPLES_INSERT, none, NULL, err);
}

int samples_append(struct facts *facts, const struct sample_feed *feed,
                   struct samples_counts *counts, struct error *err)
{
    int64_t rows = 0;
    *counts = (struct samples_counts){0};
    int failed = fill_incoming(facts, feed, &rows, counts, err);
    if (!failed && rows > 0) {
        (void)((failed = find_repeats(facts, err)) ||
               (failed = find_twins(facts, counts, err)) ||
               (failed = count_samples(facts, rows, counts, err)) ||
               (failed = take_new(facts, counts, err)));
    }
    return failed ? failed
                  : facts_execute(facts, SQL_SAMPLES_DROP_INCOMING, (struct facts_values){0},
                                  NULL, err);
}

int samples_overview(struct facts *facts, struct table *out, struct error *err)
{
    return facts_query(facts, SQL_SAMPLES_OVERVIEW, (struct facts_values){0}, out, err);
}
