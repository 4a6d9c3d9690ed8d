/* SPDX-License-Identifier: MIT */

/*
 * One statement, in steps: `pair` has both rows as structs, n and o; `weighed` what is known of each; `chosen` which of
 * the two is the record with more weight (by_new) and which says how the run stands (of_new); `kept` whether each
 * field (k<number>) is the older row's; `mixed` the merged row beside both.
 */

#include "facts/duckdb/merge.h"

#include <inttypes.h>

#include "base/limit.h"
#include "facts/duckdb/facts_internal.h"
#include "record/precedence.h"
#include "record/run.h"

static const char *name_of(enum run_field field)
{
    return run_fields[field].member;
}

void merge_add_standing_origin(struct buf *sql, const char *of)
{
    buf_addf(sql, "coalesce(substr(%s.field_origins, %d, 1), %s.origin::VARCHAR)", of,
             (int)RUN_class + 1, of);
}

void merge_add_learns(struct buf *sql)
{
    const char * or = "(";
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const enum precedence precedence = precedence_of((enum run_field)i);
        if (precedence == PRECEDENCE_VALUE || precedence == PRECEDENCE_USE) {
            buf_addf(sql, "%s(o.\"%s\" IS NULL AND n.\"%s\" IS NOT NULL)", or,
                     run_fields[i].member, run_fields[i].member);
            or = " OR ";
        }
    }
    buf_addc(sql, ')');
}

/* How much a record knows of how the run stands; the next tells observations of one that goes on apart. */
static void add_known(struct buf *sql, const char *of)
{
    buf_addf(sql,
             "CASE WHEN %s.\"end\" IS NOT NULL AND %s.flags & %d = 0 THEN 3 "
             "WHEN %s.until = %" PRId64 " OR %s.\"end\" IS NOT NULL THEN 1 WHEN ",
             of, of, RUN_FLAG_VANISHED, of, RUN_GOES_ON, of);
    merge_add_standing_origin(sql, of);
    buf_addf(sql, " <> '%d' AND %s.class IN (", ORIGIN_LISTING, of);
    facts_add_classes_over(sql);
    buf_addf(sql, ") THEN 2 ELSE 0 END AS %s_known, ", of);
}

/* When a listing that says how the run stands was made; `seen` may be later, by another source. */
static void add_listed(struct buf *sql, const char *of)
{
    buf_addf(sql,
             "coalesce(TRY_CAST(split_part(%s.field_origins, '" PRECEDENCE_MOMENT
             "', 2) AS BIGINT), %s.seen, -1)",
             of, of);
}

static void add_moment(struct buf *sql, const char *of)
{
    buf_addf(sql, "CASE WHEN %s_known <> 1 THEN -1 WHEN %s_stands = '%d' THEN ", of, of,
             ORIGIN_LISTING);
    add_listed(sql, of);
    buf_addf(sql, " ELSE coalesce(%s.start, %s.submit, -1) END AS %s_moment, ", of, of, of);
}

/* The weight of the use that a record has of its own. */
static void add_use(struct buf *sql, const char *of)
{
    buf_addf(sql,
             "CASE WHEN %s.flags & %d <> 0 THEN '" PRECEDENCE_PARTIAL
             "' ELSE %s.origin::VARCHAR END AS %s_use, %s.origin::VARCHAR AS %s_own, ",
             of, RUN_FLAG_TOLD_IN_PART, of, of, of, of);
}

/* Some of the pairs: from the first to the last older row, and newer row, that they have. */
struct slice {
    int64_t old_first, old_last, new_first, new_last;
};

/*
 * The rows of a slice, each as one value. They are found before they are joined, so that only these are held whole. (No
 * temporary table: what was in one stays in memory until the transaction ends.)
 */
static void add_pairs(struct buf *sql, const char *table, const struct slice *slice)
{
    buf_addf(sql,
             "WITH part AS (FROM wanted WHERE old_row BETWEEN %" PRId64 " AND %" PRId64 "), ",
             slice->old_first, slice->old_last);
    buf_addf(sql,
             "older AS MATERIALIZED (SELECT o.rowid AS old_row, o FROM runs o WHERE o.rowid "
             "BETWEEN %" PRId64 " AND %" PRId64 " AND o.rowid IN (SELECT old_row FROM part)), ",
             slice->old_first, slice->old_last);
    buf_addf(sql,
             "newer AS MATERIALIZED (SELECT n.rowid AS new_row, n FROM %s n WHERE n.rowid "
             "BETWEEN %" PRId64 " AND %" PRId64 " AND n.rowid IN (SELECT new_row FROM part)), ",
             table, slice->new_first, slice->new_last);
    buf_addz(sql, "pair AS (SELECT old_row, new_row, n, o FROM part JOIN older USING (old_row) "
                  "JOIN newer USING (new_row)), ");
}

static void add_weighed(struct buf *sql)
{
    static const char *const both[] = {"n", "o"};
    buf_addz(sql, "weighed AS (SELECT *, ");
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        add_known(sql, both[i]);
        add_use(sql, both[i]);
        merge_add_standing_origin(sql, both[i]);
        buf_addf(sql, " AS %s_stands, ", both[i]);
    }
    buf_addf(sql, "NOT (n.origin = %d AND coalesce(n.seen, -1) < ", ORIGIN_LISTING);
    add_listed(sql, "o");
    buf_addz(sql,
             ") AS newer, n.file IS NOT DISTINCT FROM o.file AND n.origin = o.origin AS again "
             "FROM pair), ");
}

static void add_chosen(struct buf *sql)
{
    buf_addz(sql, "timed AS (SELECT *, ");
    add_moment(sql, "n");
    add_moment(sql, "o");
    buf_addf(sql,
             "(n.flags | o.flags) & %d <> 0 AS in_parts FROM weighed), chosen AS (SELECT *, "
             "n.origin > o.origin OR (n.origin = o.origin AND newer) AS by_new, "
             "CASE WHEN n_known <> o_known THEN n_known > o_known WHEN n_moment <> o_moment "
             "THEN n_moment > o_moment WHEN n_stands <> o_stands THEN n_stands > o_stands ELSE "
             "newer END AS of_new FROM timed), ",
             RUN_FLAG_MERGED);
}

/* Fields whose origin is kept. */
static bool is_chosen(enum run_field field)
{
    const enum precedence precedence = precedence_of(field);
    return precedence == PRECEDENCE_VALUE || precedence == PRECEDENCE_USE || field == RUN_start;
}

/* What a peak measures goes with the peak. */
static enum run_field goes_with(enum run_field field)
{
    return field == RUN_mem_basis ? RUN_mem_peak_bytes : field;
}

/* Fields that have a weight of their own. */
static bool is_weighed(enum run_field field)
{
    return is_chosen(field) && goes_with(field) == field;
}

/* The weight of a field of the newer row, and (l<number>) of the older one, which may have been merged before. */
static const char *new_weight(enum run_field field)
{
    return precedence_of(field) == PRECEDENCE_USE ? "n_use" : "n_own";
}

static void add_old_weights(struct buf *sql)
{
    buf_addz(sql, "lettered AS (SELECT *");
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (is_weighed((enum run_field)i)) {
            buf_addf(sql, ", coalesce(substr(o.field_origins, %u, 1), %s) AS l%u", i + 1,
                     precedence_of((enum run_field)i) == PRECEDENCE_USE ? "o_use" : "o_own", i);
        }
    }
    buf_addz(sql, " FROM chosen), ");
}

/* "..." of a field: whether it stays that of the older row, by weight. */
static void add_keeps(struct buf *sql, enum run_field field)
{
    const char *name = name_of(field), *weight = new_weight(field);
    buf_addf(sql,
             "o.\"%s\" IS NOT NULL AND CASE WHEN l%d = %s THEN CASE WHEN n.\"%s\" IS NULL THEN "
             "NOT again ELSE NOT newer END ELSE n.\"%s\" IS NULL OR l%d > %s END",
             name, (int)field, weight, name, name, (int)field, weight);
}

/* "...": whether this record is a listing's of a run that waits, and has not started */
static void add_waits(struct buf *sql, const char *of)
{
    buf_addf(sql,
             "(%s_known = 1 AND %s_stands = '%d' AND %s.start IS NULL AND %s.class = '%s')", of,
             of, ORIGIN_LISTING, of, of, run_class_name(CLASS_PENDING).ptr);
}

static void add_kept(struct buf *sql)
{
    buf_addz(sql, "kept AS (SELECT *, CASE WHEN of_new THEN ");
    add_waits(sql, "n");
    buf_addz(sql, " ELSE ");
    add_waits(sql, "o");
    buf_addz(sql, " END AS waits");
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const enum run_field field = (enum run_field)i;
        if (!is_weighed(field)) {
            continue;
        }
        buf_addz(sql, ", ");
        if (precedence_of(field) == PRECEDENCE_USE) {
            buf_addz(sql, "CASE WHEN in_parts THEN NOT by_new ELSE ");
            add_keeps(sql, field);
            buf_addz(sql, " END");
        } else {
            add_keeps(sql, field);
        }
        buf_addf(sql, " AS k%u", i);
    }
    buf_addz(sql, " FROM lettered), ");
}

/* "CASE WHEN of_new THEN n.x ELSE o.x END" */
static void add_of(struct buf *sql, const char *new_when, enum run_field field)
{
    buf_addf(sql, "CASE WHEN %s THEN n.\"%s\" ELSE o.\"%s\" END", new_when, name_of(field),
             name_of(field));
}

/* One that waits again has no start; one that two listings saw start has the earlier one. */
static void add_start(struct buf *sql)
{
    const int field = RUN_start;
    buf_addf(sql,
             "CASE WHEN waits THEN NULL WHEN NOT again AND n_own = '%d' AND l%d = '%d' THEN "
             "least(n.start, o.start) WHEN k%d THEN o.start ELSE n.start END",
             ORIGIN_LISTING, field, ORIGIN_LISTING, field);
}

/* Oddities stay noticed. Whether it vanished goes with the standing, whether parts were added with the use. */
static void add_flags(struct buf *sql)
{
    const int apart = RUN_FLAG_VANISHED | RUN_FLAG_MERGED | RUN_FLAG_TOLD_IN_PART;
    buf_addf(
        sql,
        "CASE WHEN again THEN n.flags & ~%d ELSE (n.flags | o.flags) & ~%d END | CASE WHEN "
        "of_new THEN n.flags & %d ELSE o.flags & %d END | CASE WHEN by_new THEN n.flags & "
        "%d ELSE o.flags & %d END | n.flags & CASE WHEN again THEN %d ELSE o.flags & %d "
        "END",
        apart, apart, RUN_FLAG_VANISHED, RUN_FLAG_VANISHED, RUN_FLAG_MERGED, RUN_FLAG_MERGED,
        RUN_FLAG_TOLD_IN_PART, RUN_FLAG_TOLD_IN_PART);
}

static void add_derived(struct buf *sql, enum run_field field)
{
    if (field == RUN_start) {
        add_start(sql);
    } else if (field == RUN_flags) {
        add_flags(sql);
    } else if (field == RUN_seen) { /* what is over is no sighting */
        buf_addz(sql, "CASE WHEN CASE WHEN of_new THEN n_known ELSE o_known END = 1 THEN "
                      "greatest(CASE WHEN n_known = 1 THEN n.seen END, CASE WHEN o_known = 1 "
                      "THEN o.seen END) WHEN of_new THEN n.seen ELSE o.seen END");
    } else if (field ==
               RUN_until) { /* that of the record; add_done makes it follow from the rest */
        add_of(sql, "of_new", field);
    } else {
        buf_addf(sql, "n.\"%s\"", name_of(field));
    }
}

static void add_value(struct buf *sql, enum run_field field)
{
    switch (precedence_of(field)) {
    case PRECEDENCE_IDENTITY:
        buf_addf(sql, "o.\"%s\"", name_of(field));
        break;
    case PRECEDENCE_VALUE:
    case PRECEDENCE_USE:
        buf_addf(sql, "CASE WHEN k%d THEN o.\"%s\" ELSE n.\"%s\" END", (int)goes_with(field),
                 name_of(field), name_of(field));
        break;
    case PRECEDENCE_STANDING:
        add_of(sql, "of_new", field);
        break;
    case PRECEDENCE_RECORD:
        add_of(sql, "by_new", field);
        break;
    case PRECEDENCE_DERIVED:
        add_derived(sql, field);
        break;
    }
}

/* The letter of a field: that of whose value it is, where there is one. */
static void add_letter(struct buf *sql, enum run_field field)
{
    const enum run_field with = goes_with(field);
    if (precedence_of(field) == PRECEDENCE_STANDING) {
        buf_addz(sql, "CASE WHEN of_new THEN n_stands ELSE o_stands END");
    } else if (!is_chosen(field)) {
        buf_addz(sql, "'" PRECEDENCE_ABSENT "'");
    } else {
        buf_addf(sql,
                 "CASE WHEN %sk%d THEN l%d WHEN n.\"%s\" IS NULL THEN '" PRECEDENCE_ABSENT
                 "' ELSE %s END",
                 field == RUN_start ? "waits THEN '" PRECEDENCE_ABSENT "' WHEN " : "",
                 (int)with, (int)with, name_of(with), new_weight(with));
    }
}

/* Whether nothing of the older row is in the merged one. */
static void add_none_kept(struct buf *sql)
{
    buf_addz(sql, "of_new AND by_new AND NOT waits");
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (is_weighed((enum run_field)i)) {
            buf_addf(sql, " AND NOT k%u", i);
        }
    }
    buf_addz(sql, " AS none_kept, ");
}

static void add_mixed(struct buf *sql)
{
    buf_addz(sql, "mixed AS (SELECT old_row, new_row, n, o, ");
    add_none_kept(sql);
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (i != RUN_field_origins) {
            add_value(sql, (enum run_field)i);
            buf_addf(sql, " AS \"%s\", ", name_of((enum run_field)i));
        }
    }
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        buf_addz(sql, i ? " || " : "");
        add_letter(sql, (enum run_field)i);
    }
    buf_addf(sql,
             " AS letters, CASE WHEN of_new AND n_stands = '%d' THEN '" PRECEDENCE_MOMENT
             "' || n_moment WHEN NOT of_new AND o_stands = '%d' THEN '" PRECEDENCE_MOMENT
             "' || o_moment ELSE '' END AS moment FROM kept), ",
             ORIGIN_LISTING, ORIGIN_LISTING);
}

/* `until` follows from the rest; the origins of fields are kept where they are not all the row's. */
static void add_done(struct buf *sql)
{
    buf_addf(sql,
             "done AS (SELECT * EXCLUDE (letters, moment) REPLACE (CASE WHEN \"end\" IS NOT "
             "NULL THEN "
             "greatest(\"end\", start) WHEN until = %" PRId64
             " THEN until ELSE start - 1 END AS until), CASE WHEN replace(replace(letters, "
             "origin::VARCHAR, ''), '" PRECEDENCE_ABSENT
             "', '') <> '' THEN letters || moment END AS field_origins FROM mixed) ",
             RUN_GOES_ON);
}

/* "d.\"cluster\" IS NOT DISTINCT FROM o.\"cluster\" AND ...", of every field but the batch */
static void add_equal(struct buf *sql)
{
    const char *and = "";
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (i != RUN_batch) {
            buf_addf(sql, "%sd.\"%s\" IS NOT DISTINCT FROM o.\"%s\"", and,
                     name_of((enum run_field)i), name_of((enum run_field)i));
            and = " AND ";
        }
    }
}

static void add_outcome(struct buf *sql)
{
    buf_addz(sql, "SELECT d.* EXCLUDE (n, o, none_kept), ");
    add_equal(sql);
    buf_addz(
        sql,
        " AS is_old, none_kept AND d.field_origins IS NULL AND d.seen IS NOT DISTINCT FROM "
        "n.seen AND d.start IS NOT DISTINCT FROM n.start AND d.flags = n.flags AS is_new, "
        "o.\"end\" IS NULL AND d.\"end\" IS NOT NULL AS ends, d.\"end\" IS DISTINCT FROM "
        "o.\"end\" OR d.class IS DISTINCT FROM o.class OR d.start IS DISTINCT FROM o.start OR "
        "d.task_count IS DISTINCT FROM o.task_count AS moves FROM done d");
}

static int execute(struct facts *facts, const char *sql, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

/* What is to be had of pairs, for merge_in_slices. */
static const char outcomes[] =
    "INSERT INTO outcomes BY NAME SELECT old_row, new_row, " MERGE_OUTCOME " FROM (";
static const char rows[] =
    "INSERT INTO merged BY NAME SELECT * EXCLUDE (" MERGE_OUTCOME ") FROM (";

static int merge_slice(struct facts *facts, const char *into, const char *table,
                       const struct slice *slice, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, into);
    add_pairs(&sql, table, slice);
    add_weighed(&sql);
    add_chosen(&sql);
    add_old_weights(&sql);
    add_kept(&sql);
    add_mixed(&sql);
    add_done(&sql);
    add_outcome(&sql);
    buf_addc(&sql, ')');
    int failed = execute(facts, sql.ptr, err);
    buf_release(&sql);
    return failed;
}

/* Two whole rows a pair are held while they are merged: in slices, so that any number of pairs fits into memory. */
static int merge_in_slices(struct facts *facts, const char *into, const char *table,
                           struct error *err)
{
    enum { SLICE = 20000 };

    const struct facts_value size = FACTS_INT(SLICE);
    struct table found = {0};
    int failed =
        facts_query(facts,
                    "SELECT min(old_row), max(old_row), min(new_row), max(new_row) "
                    "FROM (SELECT old_row, new_row, row_number() OVER (ORDER BY "
                    "old_row) - 1 AS place FROM wanted) GROUP BY place // ? ORDER BY 1",
                    (struct facts_values){&size, 1}, &found, err);
    for (size_t row = 0; !failed && row < found.row_count; row++) {
        const struct slice slice = {
            found.columns[0].cells[row].integer, found.columns[1].cells[row].integer,
            found.columns[2].cells[row].integer, found.columns[3].cells[row].integer};
        failed = merge_slice(facts, into, table, &slice, err);
    }
    table_release(&found);
    return failed;
}

int merge_pairs(struct facts *facts, const char *table, struct error *err)
{
    int failed;
    (void)((failed = facts_grow(facts, err)) ||
           (failed =
                execute(facts,
                        "CREATE OR REPLACE TEMP TABLE outcomes AS SELECT old_row, new_row, "
                        "false AS is_old, false AS is_new, false AS ends, false AS moves "
                        "FROM pairs LIMIT 0",
                        err)) ||
           (failed = execute(facts,
                             "CREATE OR REPLACE TEMP TABLE merged AS SELECT rowid AS old_row, "
                             "rowid AS new_row, * FROM runs LIMIT 0",
                             err)) ||
           (failed =
                execute(facts, "CREATE OR REPLACE TEMP TABLE wanted AS FROM pairs", err)) ||
           (failed = merge_in_slices(facts, outcomes, table, err)) ||
           (failed = execute(facts,
                             "CREATE OR REPLACE TEMP TABLE wanted AS SELECT old_row, new_row "
                             "FROM outcomes WHERE NOT is_old AND NOT is_new",
                             err)) ||
           (failed = merge_in_slices(facts, rows, table, err)));
    return failed;
}
