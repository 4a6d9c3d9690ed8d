/* SPDX-License-Identifier: MIT */
#include "report/queries/missing_fields.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/rollup/rollup.h"
#include "report/sql/missing_rollup.h"
#include "report/sql/sql_build.h"

/* The columns of a statement before those of its measures, and how many a measure has. */
enum { COLUMN_RUNS, COLUMN_TIME, COLUMN_UNENDED, COLUMN_FIRST, COLUMNS_EACH = 2 };

/* Which runs of a stretch are counted: each is once in all stretches of a period. */
enum counts {
    COUNTS_ALL,
    COUNTS_STARTED, /* those that started in it */
};

struct stretch {
    struct sql_segment sql;
    enum counts counts;
};

enum { STRETCHES_MAX = 4 };

struct stretches {
    struct stretch rows[STRETCHES_MAX];
    size_t count;
};

/* A question, and the same without measures and dimensions, whose runs are looked at. */
struct look {
    const struct question *question;
    struct question runs;
    bool by_cluster; /* each by itself */
    struct store_state standing;
    struct period days;                   /* those that lie in the period */
    bool complete[QUESTION_MEASURES_MAX]; /* no run of these days is left out of it */
    struct sql_plan plan;
    struct build build;
};

/*
 * The quantity without which a run is left out. Of ratios with a coverage: that which the
 * coverage is of.
 */
static enum quantity needed(const struct measure *m)
{
    const struct measure *coverage = measure_coverage(m);
    return coverage                          ? coverage->whole
           : m->aggregate == AGGREGATE_KNOWN ? m->whole
                                             : m->quantity;
}

bool missing_fields_counts_ended(const struct measure *m)
{
    return m->kind == MEASURE_AT_END &&
           (m->aggregate == AGGREGATE_RUNS || m->aggregate == AGGREGATE_RATE);
}

bool missing_fields_is_asked(const struct measure *m)
{
    return missing_fields_counts_ended(m) ||
           (m->kind != MEASURE_SIZE && m->kind != MEASURE_ACTIVE &&
            (m->kind == MEASURE_DISTINCT || needed(m) != QUANTITY_NONE));
}

/*
 * Whether something may be said of a measure: runs can be left out of it, and roll-ups do not
 * know better.
 */
static bool is_open(const struct look *look, size_t index)
{
    return missing_fields_is_asked(look->question->measures[index]) && !look->complete[index];
}

/*
 * Which runs a measure looks at: those that overlap the period, or have an instant in it. Runs
 * whose end is not recorded can only be found by their start.
 */
static enum piece looked_at(const struct look *look, const struct measure *m)
{
    const bool over_time = m->kind == MEASURE_OVERLAP || m->kind == MEASURE_USED ||
                           m->kind == MEASURE_PEAK || m->kind == MEASURE_DISTINCT;
    return over_time                        ? PIECE_OVERLAP
           : missing_fields_counts_ended(m) ? PIECE_START
                                            : sql_piece_of(&look->build, m);
}

static bool is_asked(const struct look *look, size_t index, enum piece piece)
{
    return is_open(look, index) && looked_at(look, look->question->measures[index]) == piece;
}

/* The field that different values are counted of: a person is there where a login is. */
static const struct field *value_of(const struct measure *m)
{
    return m->value->member ? m->value : &run_fields[RUN_user];
}

static void add_absent(struct statement *sql, enum quantity quantity)
{
    statement_add(sql, "(");
    quantity_add(sql, quantity, false);
    statement_add(sql, ") IS NULL");
}

/* An amount over time is known where a run's end is: see sql_add_rate. */
static bool needs_end(const struct measure *m)
{
    return m->kind == MEASURE_OVERLAP || m->kind == MEASURE_PEAK;
}

void missing_fields_condition(struct statement *sql, const struct measure *m)
{
    if (m->kind == MEASURE_DISTINCT) {
        column_add(sql, value_of(m));
        statement_add(sql, " IS NULL");
        if (dimension_is_spread(m->value)) { /* of several, all are in the list */
            statement_add(sql, " AND ");
            column_add(sql, &run_fields[RUN_nodes]);
            statement_add(sql, " IS NULL");
        }
        return;
    }
    if (missing_fields_counts_ended(m)) {
        statement_add(sql, "until < start");
        return;
    }
    add_absent(sql, needed(m));
    if (m->aggregate == AGGREGATE_SHARE && !measure_coverage(m)) {
        statement_add(sql, " OR ");
        add_absent(sql, m->whole);
    }
    if (needs_end(m)) {
        statement_add(sql, " OR until < start");
    }
}

/* What stands first in every SELECT, and last behind its rows. */
static void add_cluster(const struct look *look)
{
    statement_add(look->build.sql, look->by_cluster ? "SELECT cluster, " : "SELECT ");
}

static void add_group(const struct look *look)
{
    statement_add(look->build.sql, look->by_cluster ? " GROUP BY cluster" : "");
}

/* --- what is looked at -------------------------------------------------------------------- */

static void add_time(struct build *b)
{
    statement_add(b->sql, "until < start AS unended, greatest(least(");
    sql_add_until(b, EXPRESSION("until"));
    statement_add(b->sql, ", %" PRId64 ") - greatest(start, %" PRId64 "), 0) AS time FROM ",
                  b->q->period.to, b->q->period.from);
}

/* The runs of a stretch: how long each took in it, and which measures it cannot enter. */
static void add_rows(struct look *look, const struct stretch *stretch, enum piece piece)
{
    static const enum runs_source_instant instants[] = {
        [PIECE_SUBMIT] = RUNS_SOURCE_AT_SUBMIT, [PIECE_START] = RUNS_SOURCE_AT_START,
        [PIECE_END] = RUNS_SOURCE_AT_END,       [PIECE_WITHDRAWAL] = RUNS_SOURCE_AT_WITHDRAWAL,
        [PIECE_OVERLAP] = RUNS_SOURCE_CLIPPED,
    };
    struct build *b = &look->build;
    add_cluster(look);
    if (look->plan.moves) { /* a run has a row for each metagroup it was in */
        statement_expression(b->sql, runs_source_row(b->q));
        statement_add(b->sql, " AS run, ");
    }
    statement_add(b->sql,
                  stretch->counts == COUNTS_STARTED ? "start >= %" PRId64 " AS new, "
                                                    : "true AS new, ",
                  stretch->sql.period.from);
    for (size_t i = 0; i < look->question->measure_count; i++) {
        if (is_asked(look, i, piece)) {
            missing_fields_condition(b->sql, look->question->measures[i]);
            statement_add(b->sql, " AS o%zu, ", i);
        }
    }
    if (piece == PIECE_OVERLAP) {
        add_time(b);
    } else {
        statement_add(b->sql, "false AS unended, 0 AS time FROM ");
    }
    sql_add_runs(b, instants[piece]);
    statement_add(b->sql, " WHERE ");
    (piece == PIECE_OVERLAP ? sql_add_overlapping(b) : sql_add_in_period(b, piece));
    sql_add_filter(b);
}

/* "runs, time, unended, o3, t3, ...": sums over the runs of a stretch. */
static void add_sums(struct look *look, enum piece piece)
{
    struct statement *sql = look->build.sql;
    const bool moves = look->plan.moves;
    add_cluster(look);
    statement_add(sql, moves ? "@long(count(DISTINCT run) FILTER (new)) AS runs"
                             : "@long(count(*) FILTER (new)) AS runs");
    statement_add(sql,
                  ", @real(sum(time)) AS time, @long(count(*) FILTER (new AND unended)) AS "
                  "unended");
    for (size_t i = 0; i < look->question->measure_count; i++) {
        if (is_asked(look, i, piece)) {
            statement_add(sql,
                          moves ? ", @long(count(DISTINCT run) FILTER (new AND o%zu)) AS o%zu"
                                : ", @long(count(*) FILTER (new AND o%zu)) AS o%zu",
                          i, i);
            statement_add(sql, ", @real(sum(time) FILTER (o%zu)) AS t%zu", i, i);
        }
    }
}

/* "sum(here) FILTER (...) AS o3": of the rows of the roll-up that have a bit. */
static void add_of_bit(struct statement *sql, struct expression column, int bit)
{
    statement_add(sql, ", @long(sum(");
    statement_expression(sql, column);
    statement_add(sql, ") FILTER (");
    missing_rollup_add_bit(sql, bit);
    statement_add(sql, "))");
}

/*
 * The same from the roll-up. Where nothing comes before, runs that were running when it begins
 * count too.
 */
static void add_rolled(struct look *look, const struct stretch *stretch, enum piece piece)
{
    struct build *b = &look->build;
    const int64_t from = stretch->counts == COUNTS_ALL ? b->q->period.from : INSTANT_MAX;
    add_cluster(look);
    statement_add(b->sql, "@long(sum(here)) AS runs, @real(sum(time)) AS time");
    add_of_bit(b->sql, EXPRESSION("here"), MISSING_ROLLUP_UNENDED);
    statement_add(b->sql, " AS unended");
    for (size_t i = 0; i < look->question->measure_count; i++) {
        if (is_asked(look, i, piece)) {
            const int bit = missing_rollup_bit(look->question->measures[i]);
            add_of_bit(b->sql, EXPRESSION("here"), bit);
            statement_add(b->sql, " AS o%zu", i);
            add_of_bit(b->sql, EXPRESSION("time"), bit);
            statement_add(b->sql, " AS t%zu", i);
        }
    }
    statement_add(b->sql,
                  " FROM (SELECT *, runs + CASE WHEN begins = %" PRId64
                  " THEN carried ELSE 0 END AS here FROM ",
                  from);
    statement_name(b->sql, MISSING_ROLLUP_TABLE);
    statement_add(b->sql, " WHERE begins >= %" PRId64 " AND begins < %" PRId64,
                  b->q->period.from, b->q->period.to);
    sql_add_filter(b);
    statement_add(b->sql, ")");
    add_group(look);
}

static void add_stretch(struct look *look, const struct stretch *stretch, enum piece piece)
{
    look->build.segment = &stretch->sql;
    look->runs.period = stretch->sql.period;
    if (stretch->sql.table.name) {
        add_rolled(look, stretch, piece);
        return;
    }
    add_sums(look, piece);
    statement_add(look->build.sql, " FROM (");
    add_rows(look, stretch, piece);
    statement_add(look->build.sql, ")");
    add_group(look);
}

/* --- from what ---------------------------------------------------------------------------- */

static bool is_rolled(const struct look *look, enum piece piece)
{
    const struct filter *filter = &look->question->filter;
    bool all = look->standing.omissions && look->question->path == PATH_ANY &&
               !look->plan.moves && !look->runs.rules &&
               (piece == PIECE_OVERLAP || piece == PIECE_START);
    for (size_t i = 0; all && i < filter->count; i++) {
        all = filter->conditions[i].field == &run_fields[RUN_cluster];
    }
    for (size_t i = 0; all && i < look->question->measure_count; i++) {
        all = !is_asked(look, i, piece) || missing_rollup_bit(look->question->measures[i]) >= 0;
    }
    return all && look->days.from < look->days.to;
}

static void put(struct stretches *out, struct period period, struct identifier table,
                enum counts counts)
{
    if (period.from < period.to) {
        out->rows[out->count++] =
            (struct stretch){{.period = period, .table = table, .runs = RUNS_CLOSED}, counts};
    }
}

/*
 * Whole days from the roll-up, what is before and after them from the runs. A run counts where
 * it starts, or at the beginning of the period.
 */
static void cut(const struct look *look, enum piece piece, struct stretches *out)
{
    const struct period all = look->question->period, days = look->days;
    const struct identifier none = {NULL};
    *out = (struct stretches){0};
    if (!is_rolled(look, piece)) {
        put(out, all, none, COUNTS_ALL);
        out->rows[0].sql.runs = look->standing.open ? RUNS_ALL : RUNS_ALL_ENDED;
        return;
    }
    put(out, (struct period){all.from, days.from}, none, COUNTS_ALL);
    put(out, days, MISSING_ROLLUP_TABLE,
        all.from == days.from && piece == PIECE_OVERLAP ? COUNTS_ALL : COUNTS_STARTED);
    out->rows[out->count - 1].sql.runs = RUNS_ALL; /* there are no others in it */
    put(out, (struct period){days.to, all.to}, none, COUNTS_STARTED);
    if (look->standing.open) {
        put(out, all, none, COUNTS_ALL);
        out->rows[out->count - 1].sql.runs = RUNS_OPEN;
    }
}

/* False: no measure of the question looks at these runs. */
static bool add_statement(struct look *look, enum piece piece)
{
    struct statement *sql = look->build.sql;
    struct stretches stretches;
    bool any = false;
    add_cluster(look);
    statement_add(sql, "@long(sum(runs)), @real(sum(time)), @long(sum(unended))");
    for (size_t i = 0; i < look->question->measure_count; i++) {
        if (is_asked(look, i, piece)) {
            statement_add(sql, ", @long(sum(o%zu)), @real(sum(t%zu))", i, i);
            any = true;
        }
    }
    statement_add(sql, " FROM (");
    cut(look, piece, &stretches);
    for (size_t i = 0; i < stretches.count; i++) {
        statement_add(sql, i ? " UNION ALL " : "");
        add_stretch(look, &stretches.rows[i], piece);
    }
    statement_add(sql, ")");
    add_group(look);
    return any;
}

static double real_or_zero(const struct table *table, size_t column)
{
    return table_has(table, column, 0) ? table_real(table, column, 0) : 0;
}

static int64_t int_or_zero(const struct table *table, size_t column)
{
    return table_has(table, column, 0) ? (int64_t)table_wide(table, column, 0) : 0;
}

static void take_piece(const struct look *look, enum piece piece, const struct table *found,
                       struct missing_fields *out)
{
    size_t column = COLUMN_FIRST;
    for (size_t i = 0; i < look->question->measure_count; i++) {
        if (is_asked(look, i, piece)) {
            out[i] = (struct missing_fields){
                .runs = int_or_zero(found, column),
                .of = int_or_zero(found, COLUMN_RUNS),
                .time = piece == PIECE_OVERLAP ? real_or_zero(found, column + 1) : 0,
                .time_of = piece == PIECE_OVERLAP ? real_or_zero(found, COLUMN_TIME) : 0,
                .unended = missing_fields_counts_ended(look->question->measures[i]) ||
                           (needs_end(look->question->measures[i]) &&
                            int_or_zero(found, COLUMN_UNENDED) > 0),
            };
            column += COLUMNS_EACH;
        }
    }
}

static int ask_piece(struct facts *facts, struct look *look, enum piece piece,
                     struct missing_fields *out, struct error *err)
{
    struct statement sql;
    struct table found = {0};
    statement_init(&sql);
    look->build.sql = &sql;
    const bool any = add_statement(look, piece);
    int failed = any ? statement_query_kept(facts, &sql, &found, err) : 0;
    if (any && !failed) {
        take_piece(look, piece, &found, out);
    }
    table_release(&found);
    statement_release(&sql);
    return failed;
}

/*
 * Of most measures nothing is missing: the roll-up says so for all runs that overlap the days
 * of the period, whatever filters there are. Runs that have not ended are not in it, and few.
 * The bits of all measures are asked for at once, so that the questions of a page have one
 * answer.
 */
static int find_complete(struct facts *facts, struct look *look, struct error *err)
{
    struct statement sql;
    struct table found = {0};
    statement_init(&sql);
    statement_add(&sql, "SELECT bit_or(mask) FROM (SELECT mask FROM ");
    statement_name(&sql, MISSING_ROLLUP_TABLE);
    statement_add(&sql, " WHERE begins > %" PRId64 " AND begins < %" PRId64,
                  look->question->period.from - 2 * DAY_US, look->question->period.to);
    if (look->standing.open) {
        statement_add(&sql, " UNION ALL SELECT ");
        missing_rollup_add_mask(&sql);
        statement_add(&sql, " FROM runs WHERE until = %" PRId64, RUN_NOT_ENDED);
    }
    statement_add(&sql, ")");
    int failed = statement_query_kept(facts, &sql, &found, err);
    const int64_t missing = failed ? 0 : int_or_zero(&found, 0);
    for (size_t i = 0; !failed && i < look->question->measure_count; i++) {
        const int bit = missing_rollup_bit(look->question->measures[i]);
        look->complete[i] = bit >= 0 && !(missing & INT64_C(1) << bit);
    }
    table_release(&found);
    statement_release(&sql);
    return failed;
}

/* Which runs measures look at, in the order they are asked about. */
static const enum piece pieces[] = {PIECE_SUBMIT, PIECE_START, PIECE_END, PIECE_WITHDRAWAL,
                                    PIECE_OVERLAP};

/* Whether what a measure leaves out can be seen from the rows of runs alone. */
static bool is_plain(const struct look *look, size_t index, enum piece piece)
{
    return is_asked(look, index, piece) &&
           missing_rollup_bit(look->question->measures[index]) >= 0;
}

/*
 * "(SELECT count(*) ...)": 1 if there is any run of a piece that some measure leaves out.
 * False: no measure looks at these.
 */
static bool add_any_missing(struct look *look, enum piece piece, bool first)
{
    struct statement *sql = look->build.sql;
    size_t count = 0;
    for (size_t i = 0; i < look->question->measure_count; i++) {
        if (is_plain(look, i, piece)) {
            statement_add(sql, count++ ? " OR "
                               : first ? "(SELECT count(*) FROM (SELECT 1 FROM runs WHERE ("
                                       : ", (SELECT count(*) FROM (SELECT 1 FROM runs WHERE (");
            missing_fields_condition(sql, look->question->measures[i]);
        }
    }
    if (count > 0) {
        statement_add(sql, ") AND ");
        (piece == PIECE_OVERLAP ? sql_add_overlapping(&look->build)
                                : sql_add_in_period(&look->build, piece));
        statement_add(sql, " LIMIT 1))");
    }
    return count > 0;
}

static void set_complete(struct look *look, enum piece piece)
{
    for (size_t i = 0; i < look->question->measure_count; i++) {
        look->complete[i] = look->complete[i] || is_plain(look, i, piece);
    }
}

/*
 * The same without roll-ups: whether there is any run that a measure leaves out, whatever
 * filters there are. Most often there is none, and to look for one costs a quarter of summing
 * up what is missing.
 */
static int find_any(struct facts *facts, struct look *look, struct error *err)
{
    const struct sql_segment segment = {.period = look->question->period,
                                        .runs =
                                            look->standing.open ? RUNS_ALL : RUNS_ALL_ENDED};
    enum piece asked[COUNT_OF(pieces)];
    struct table found = {0};
    struct statement sql;
    size_t count = 0;
    statement_init(&sql);
    look->build.sql = &sql;
    look->build.segment = &segment;
    statement_add(&sql, "SELECT ");
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        if (add_any_missing(look, pieces[i], count == 0)) {
            asked[count++] = pieces[i];
        }
    }
    int failed = count > 0 ? statement_query_kept(facts, &sql, &found, err) : 0;
    for (size_t i = 0; !failed && i < count; i++) {
        if (int_or_zero(&found, i) == 0) {
            set_complete(look, asked[i]);
        }
    }
    look->build.segment = NULL;
    table_release(&found);
    statement_release(&sql);
    return failed;
}

static struct look *look_new(const struct question *question)
{
    struct look *look = mem_alloc(1, sizeof(*look));
    look->question = question;
    look->runs = *question;
    look->runs.priced = question_has_prices(question);
    look->runs.measure_count = 0;
    look->runs.dimension_count = 0;
    look->runs.bucket = BUCKET_NONE;
    look->runs.on_nodes = false;
    look->plan.moves = question_joins(&look->runs, JOINED_MOVES);
    look->build = (struct build){.q = &look->runs, .plan = &look->plan};
    return look;
}

int missing_fields_ask(struct facts *facts, const struct question *question,
                       struct missing_fields out[QUESTION_MEASURES_MAX], struct error *err)
{
    struct look *look = look_new(question);
    for (size_t i = 0; i < question->measure_count; i++) {
        out[i] = (struct missing_fields){0};
    }
    int failed;
    (void)((failed = store_state_read(facts, question->zone, &look->standing, err)) ||
           (failed = rollup_whole_days(question->period, question->zone, &look->days, err)) ||
           (failed = look->standing.omissions ? find_complete(facts, look, err)
                                              : find_any(facts, look, err)) ||
           (failed = runs_source_load(facts, &look->runs, err)));
    for (size_t i = 0; !failed && i < COUNT_OF(pieces); i++) {
        failed = ask_piece(facts, look, pieces[i], out, err);
    }
    free(look);
    return failed;
}

/* Cluster and counts out of the columns that a statement by cluster has. */
static void take_by_cluster(const struct look *look, const struct table *found,
                            struct table *out)
{
    table_column(out, "cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t i = 0; i < look->question->measure_count; i++) {
        const struct measure *m = look->question->measures[i];
        table_column(out, m->id, m->label, CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    }
    for (size_t row = 0; row < found->row_count; row++) {
        (void)table_row(out);
        table_set_text(out, 0, row, found->columns[0].cells[row].text);
        for (size_t i = 0; i < look->question->measure_count; i++) {
            const size_t column = 1 + COLUMN_FIRST + COLUMNS_EACH * i;
            table_set_int(
                out, 1 + i, row,
                table_has(found, column, row) ? (int64_t)table_wide(found, column, row) : 0);
        }
    }
}

/* Whether all measures look at the runs that overlap the period. */
static int check_over_time(const struct look *look, struct error *err)
{
    for (size_t i = 0; i < look->question->measure_count; i++) {
        if (!is_asked(look, i, PIECE_OVERLAP)) {
            return error_set(err, ERROR_USAGE, "%s is no measure over time",
                             look->question->measures[i]->id);
        }
    }
    return 0;
}

int missing_fields_by_cluster(struct facts *facts, const struct question *question,
                              struct table *out, struct error *err)
{
    struct look *look = look_new(question);
    struct table found = {0};
    struct statement sql;
    int failed;
    statement_init(&sql);
    look->build.sql = &sql;
    look->by_cluster = true;
    (void)((failed = check_over_time(look, err)) ||
           (failed = store_state_read(facts, question->zone, &look->standing, err)) ||
           (failed = rollup_whole_days(question->period, question->zone, &look->days, err)) ||
           (failed = runs_source_load(facts, &look->runs, err)));
    if (!failed) {
        (void)add_statement(look, PIECE_OVERLAP);
        statement_add(&sql, " ORDER BY cluster");
        failed = statement_query_kept(facts, &sql, &found, err);
    }
    if (!failed) {
        take_by_cluster(look, &found, out);
    }
    table_release(&found);
    statement_release(&sql);
    free(look);
    return failed;
}

void missing_fields_fields(const struct measure *m, const struct missing_fields *omitted,
                           const struct field *out[MISSING_FIELDS_FIELDS_MAX])
{
    size_t count = 0;
    if (m->kind == MEASURE_DISTINCT) {
        out[count++] = value_of(m);
    } else {
        const enum quantity whole =
            m->aggregate == AGGREGATE_SHARE && !measure_coverage(m) ? m->whole : needed(m);
        for (const enum run_field *f = quantity_fields(whole); *f != RUN_FIELD_COUNT; f++) {
            out[count++] = &run_fields[*f];
        }
    }
    if (omitted->unended) {
        out[count++] = &run_fields[RUN_end];
    }
    out[count] = NULL;
}
