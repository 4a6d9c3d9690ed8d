/* SPDX-License-Identifier: MIT */
#include "report/queries/timeline.h"

#include <inttypes.h>

#include "base/attribute.h"
#include "facts/statement.h"
#include "report/sql/quantity.h"
#include "report/use/use_looks.h"

/* --- what can be asked -------------------------------------------------------------------- */

/* What one look has: of a gauge its value, of a counter its rise since the look before. */
enum reading { READING_GAUGE, READING_COUNTER };

/* How values of several nodes, cards or jobs become one. */
enum joining { JOIN_SUM, JOIN_MEAN };

/* A rise is divided by microseconds. */
#define PER_SECOND "1e-6"

static const struct measure_row {
    const char *id, *label;
    struct expression kinds; /* which samples it is of */
    enum reading reading;
    struct expression value;   /* of a look */
    struct expression divided; /* by this, of the same look */
    enum joining joining;
    enum cell_type type;
    enum unit unit;
} measure_rows[] = {
    {"cpu",
     "CPU use",
     {"kind = 'node'"},
     READING_COUNTER,
     {"sum(cpu_time_us)"},
     {"nullif(max(cpus), 0)"},
     JOIN_MEAN,
     CELL_REAL,
     UNIT_RATIO},
    {"memory",
     "Memory use",
     {"kind = 'node'"},
     READING_GAUGE,
     {"sum(coalesce(mem_used_bytes, " QUANTITY_SQL_SAMPLED_MEMORY "))"},
     {"nullif(@real(sum(mem_total_bytes)), 0)"},
     JOIN_MEAN,
     CELL_REAL,
     UNIT_RATIO},
    {"gpu",
     "GPU use",
     {"kind = 'gpu'"},
     READING_GAUGE,
     {"sum(gpu_util_ppm)"},
     {"1e6"},
     JOIN_MEAN,
     CELL_REAL,
     UNIT_RATIO},
    {"gpu_memory",
     "GPU memory",
     {"kind = 'gpu'"},
     READING_GAUGE,
     {"sum(gpu_mem_bytes)"},
     {"1"},
     JOIN_SUM,
     CELL_INT,
     UNIT_BYTES},
    {"job_cpus",
     "CPUs at work",
     {"(kind IS NULL OR kind = 'job')"},
     READING_COUNTER,
     {"sum(cpu_time_us)"},
     {"1"},
     JOIN_SUM,
     CELL_REAL,
     UNIT_NONE},
    {"job_memory",
     "Memory of jobs",
     {"(kind IS NULL OR kind = 'job')"},
     READING_GAUGE,
     {"sum(" QUANTITY_SQL_SAMPLED_MEMORY ")"},
     {"1"},
     JOIN_SUM,
     CELL_INT,
     UNIT_BYTES},
    {"job_io",
     "Read and written a second",
     {"(kind IS NULL OR kind = 'job')"},
     READING_COUNTER,
     {"sum(read_bytes) + sum(written_bytes)"},
     {PER_SECOND},
     JOIN_SUM,
     CELL_INT,
     UNIT_BYTES},
    {"network",
     "Received and sent a second",
     {"kind = 'node'"},
     READING_COUNTER,
     {"sum(received_bytes) + sum(sent_bytes) + coalesce(sum(ib_received_bytes) + "
      "sum(ib_sent_bytes), 0)"},
     {PER_SECOND},
     JOIN_SUM,
     CELL_INT,
     UNIT_BYTES},
};

static const struct name_row {
    const char *id, *label;
    struct expression name; /* of a stream; {NULL}: none */
    bool of_cluster;        /* others of the same name may be of other clusters */
} name_rows[] = {
    {"node", "Node", {"node"}, true},
    {"card", "Card", {"node || ' ' || coalesce(card, '?')"}, true},
    {"user", "User", {"\"user\""}, false},
    {"job", "Job", {"@text(job)"}, true},
    {"cluster", "Cluster", {"cluster"}, false},
    {"all", "All", {NULL}, false},
};

const char *timeline_measure_at(size_t index)
{
    return index < COUNT_OF(measure_rows) ? measure_rows[index].id : NULL;
}

const char *timeline_name_at(size_t index)
{
    return index < COUNT_OF(name_rows) ? name_rows[index].id : NULL;
}

static const struct measure_row *find_measure(struct str id)
{
    size_t i = 0;
    while (i < COUNT_OF(measure_rows) && !str_eq(id, str_of(measure_rows[i].id))) {
        i++;
    }
    return i < COUNT_OF(measure_rows) ? &measure_rows[i] : NULL;
}

static const struct name_row *find_name(struct str id)
{
    size_t i = 0;
    while (i < COUNT_OF(name_rows) && !str_eq(id, str_of(name_rows[i].id))) {
        i++;
    }
    return i < COUNT_OF(name_rows) ? &name_rows[i] : NULL;
}

/* --- stretches ---------------------------------------------------------------------------- */

struct stretches {
    int64_t from, width;
};

/* Minutes that a clock and a calendar are cut into; beyond a day, as many days as it takes. */
static int64_t round_width(int64_t least)
{
    static const int minutes[] = {1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440};
    const int64_t minute = 60 * SECOND_US;
    size_t i = 0;
    while (i < COUNT_OF(minutes) && minutes[i] * minute < least) {
        i++;
    }
    return i < COUNT_OF(minutes) ? minutes[i] * minute : (least + DAY_US - 1) / DAY_US * DAY_US;
}

/* Counted from midnight before the period. */
static struct stretches cut(const struct timeline *q, int64_t interval)
{
    const int64_t length = q->period.to - q->period.from;
    const int64_t by_points = length / (int64_t)(q->points ? q->points : 1) + 1;
    struct civil day = zone_civil(q->zone, q->period.from);
    day.hour = day.minute = day.second = day.micro = 0;
    const int64_t midnight = zone_instant(q->zone, day);
    const int64_t width = round_width(by_points > interval ? by_points : interval);
    return (struct stretches){midnight + (q->period.from - midnight) / width * width, width};
}

/* --- the statement ------------------------------------------------------------------------ */

/*
 * Those before the period are read too: of the first look in it, the interval reaches back to
 * one of them.
 */
static void add_samples(struct statement *sql, const struct timeline *q,
                        const struct measure_row *measure)
{
    statement_add(sql, " FROM samples WHERE ");
    statement_expression(sql, measure->kinds);
    statement_add(sql, " AND \"time\" >= %" PRId64 " AND \"time\" < %" PRId64,
                  q->period.from - USE_GAP_LEAST_US, q->period.to);
    filter_sql(&q->filter, q->zone, q->now, sql);
}

/* How far apart looks are, so that no stretch is shorter; 0: there are too few to say. */
static int find_interval(struct facts *facts, const struct timeline *q,
                         const struct measure_row *measure, int64_t *out, struct error *err)
{
    struct statement sql;
    struct table found = {0};
    statement_init(&sql);
    statement_add(&sql, "WITH streams AS (SELECT @real(max(\"time\") - min(\"time\")) / "
                        "(count(DISTINCT \"time\") - 1) AS gap");
    add_samples(&sql, q, measure);
    statement_add(&sql, " GROUP BY cluster, node HAVING count(DISTINCT \"time\") > 1) SELECT "
                        "@long(coalesce(avg(gap), 0)) FROM streams");
    int failed = statement_query(facts, &sql, &found, err);
    *out = !failed && found.row_count > 0 ? (int64_t)table_wide(&found, 0, 0) : 0;
    *out += *out / 2; /* looks that are a little late still meet theirs */
    table_release(&found);
    statement_release(&sql);
    return failed;
}

/*
 * "looks": a row for each moment of a stream, which is a node, a card, or a job on a node. Of a
 * job that has both, its control group counts, and not its processes.
 */
static void add_looks(struct statement *sql, const struct timeline *q,
                      const struct measure_row *measure)
{
    statement_add(
        sql, "WITH readings AS (SELECT cluster, node, job, task, \"user\", kind, CASE WHEN "
             "kind = 'gpu' THEN gpus END AS card, \"time\" AS moment, ");
    statement_expression(sql, measure->value);
    statement_add(sql, " AS reading, @real(");
    statement_expression(sql, measure->divided);
    statement_add(sql, ") AS divisor, CASE WHEN min(generation) = max(generation) THEN "
                       "max(generation) END AS life");
    add_samples(sql, q, measure);
    statement_add(
        sql,
        " GROUP BY 1, 2, 3, 4, 5, 6, 7, 8), grouped AS (SELECT DISTINCT cluster, node, job "
        "FROM "
        "readings WHERE kind = 'job'), looks AS (SELECT t.* FROM readings t LEFT JOIN grouped "
        "g ON "
        "g.cluster = t.cluster AND g.node = t.node AND g.job = t.job WHERE t.kind IS NOT NULL "
        "OR g.node IS NULL), ");
}

#define STREAM "cluster, node, job, task, \"user\", kind, card"

/*
 * "spans": looks with the interval before them (earlier, gap), and whether that is covered, as
 * report/use/use_looks.h defines it. In one generation a counter has risen by what it has more
 * than at all looks before; the first look of another has its value. Where the generation is
 * not known, a counter that fell was reset; the sum over processes falls when some end. Where a
 * clock that was set put looks out of order, it is not known when a counter rose.
 */
static void add_spans(struct statement *sql)
{
    statement_add(
        sql,
        "seen AS (SELECT *, lag(moment) OVER w AS earlier, CASE WHEN reading IS NULL OR "
        "lag(moment) OVER w IS NULL THEN NULL WHEN kind IS NOT NULL AND life IS NOT NULL THEN "
        "greatest(0, reading - coalesce(max(reading) OVER l, 0)) WHEN reading >= lag(reading) "
        "OVER w THEN reading - "
        "lag(reading) OVER w WHEN reading < lag(reading) OVER w THEN CASE WHEN kind IS "
        "NULL THEN 0 ELSE reading END END AS rise, NOT coalesce(kind IS NOT NULL AND life IS "
        "NOT NULL AND (reading < max(reading) OVER l OR reading > min(reading) OVER a), false) "
        "AS ordered FROM looks WINDOW w AS (PARTITION BY " STREAM
        " ORDER BY moment), l AS (PARTITION BY " STREAM
        ", life ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), a AS "
        "(PARTITION BY " STREAM
        ", life ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)), ");
    statement_add(
        sql,
        "timed AS (SELECT *, moment - earlier AS gap, @quantile(moment - earlier, 0.5) "
        "OVER (PARTITION BY " STREAM
        ") AS usual, ordered AND coalesce(lag(ordered) OVER (PARTITION BY " STREAM
        " ORDER BY moment), true) AS dated FROM seen), spans AS (SELECT *, coalesce(gap > 0 "
        "AND gap <= "
        "greatest(%d * usual, %" PRId64 "), false) AS joined FROM timed), ",
        USE_GAP_TIMES, USE_GAP_LEAST_US);
}

/*
 * "valued": what a look says of the interval before it, from `since` on. Of a counter that is
 * its rate; of the first look, and after a gap, nothing. A gauge stands for the interval, or
 * for the moment alone.
 */
static void add_valued(struct statement *sql, const struct timeline *q,
                       const struct measure_row *measure)
{
    const bool counts = measure->reading == READING_COUNTER;
    statement_add(sql,
                  "valued AS (SELECT *, CASE WHEN joined THEN greatest(earlier, %" PRId64
                  ") ELSE moment END AS since, ",
                  q->period.from);
    statement_add(sql, counts ? "@real(rise) / gap / divisor" : "@real(reading) / divisor");
    statement_add(sql, " AS value FROM spans WHERE moment >= %" PRId64, q->period.from);
    if (counts) { /* an interval that ends with the beginning of the period lies before it */
        statement_add(sql, " AND joined AND dated AND moment > %" PRId64, q->period.from);
    }
    statement_add(sql, "), ");
}

/*
 * "slotted": the mean of each stream in each stretch, by the time that its intervals have
 * there.
 */
static void add_slotted(struct statement *sql, const struct stretches *at)
{
    const int64_t from = at->from, width = at->width;
    statement_add(sql,
                  "cut AS (SELECT *, @each(@slot(since, %" PRId64 ", %" PRId64
                  "), @slot(greatest(moment - 1, since), %" PRId64 ", %" PRId64
                  ") + 1) AS slot FROM valued WHERE value IS NOT NULL), pieces AS (SELECT *, "
                  "@real(greatest(1, least(moment, %" PRId64 " + (slot + 1) * %" PRId64
                  ") - greatest(since, %" PRId64 " + slot * %" PRId64 "))) AS part FROM cut), ",
                  from, width, from, width, from, width, from, width);
    statement_add(sql,
                  "slotted AS (SELECT slot, " STREAM
                  ", sum(value * part) / sum(part) AS value FROM pieces GROUP BY slot, " STREAM
                  ") ");
}

static void add_question(struct statement *sql, const struct timeline *q,
                         const struct measure_row *measure, const struct name_row *name,
                         const struct stretches *at)
{
    add_looks(sql, q, measure);
    add_spans(sql);
    add_valued(sql, q, measure);
    add_slotted(sql, at);
    statement_add(sql, "SELECT @long(%" PRId64 " + slot * %" PRId64 ") AS begins, ", at->from,
                  at->width);
    if (name->name.text) {
        statement_expression(sql, name->name);
        statement_add(sql, " AS name, ");
    }
    statement_add(sql, name->of_cluster ? "cluster AS place, " : "");
    statement_add(sql, measure->type == CELL_INT ? "@long(round(" : "@real((");
    statement_add(sql, measure->joining == JOIN_SUM ? "sum(value)" : "avg(value)");
    statement_add(sql, ")) FROM slotted GROUP BY ALL ORDER BY ALL");
}

enum {
    PLACE = 2
}; /* column of the engine's answer that has the cluster, where the name is one of its cluster */

static bool has_several_places(const struct table *from)
{
    const union cell *places = from->columns[PLACE].cells;
    bool several = false;
    for (size_t row = 1; !several && row < from->row_count; row++) {
        several = !str_eq(places[row].text, places[0].text);
    }
    return several;
}

/*
 * The answer under its own names; with the cluster where rows of several would have the same
 * names.
 */
static void name_columns(const struct table *from, const struct measure_row *measure,
                         const struct name_row *name, struct table *out)
{
    const bool places = name->of_cluster && has_several_places(from);
    const size_t time =
        table_column(out, "time", "Time", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION);
    table_picture(out, time, "Time", false);
    if (name->name.text) {
        table_column(out, name->id, name->label, CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    if (places) {
        table_column(out, "cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    table_column(out, measure->id, measure->label, measure->type, measure->unit,
                 COLUMN_MEASURE);
    for (size_t row = 0; row < from->row_count; row++) {
        const size_t to_row = table_row(out);
        for (size_t c = 0, to = 0; c < from->column_count; c++) {
            if (c != PLACE || !name->of_cluster || places) {
                table_copy_cell(from, c, row, out, to++, to_row);
            }
        }
    }
}

int timeline_ask(struct facts *facts, const struct timeline *question, struct table *out,
                 struct error *err)
{
    const struct measure_row *measure = find_measure(question->of);
    const struct name_row *name = find_name(question->by);
    struct statement sql;
    struct table found = {0};
    int64_t interval = 0;
    if (!measure || !name) {
        return error_set(err, ERROR_USAGE, "there is no timeline of '%.*s' by '%.*s'",
                         STR_ARG(question->of), STR_ARG(question->by));
    }
    int failed = find_interval(facts, question, measure, &interval, err);
    if (failed) {
        return failed;
    }
    const struct stretches at = cut(question, interval);
    statement_init(&sql);
    add_question(&sql, question, measure, name, &at);
    failed = statement_query(facts, &sql, &found, err);
    if (!failed) {
        name_columns(&found, measure, name, out);
    }
    table_release(&found);
    statement_release(&sql);
    return failed;
}
