/* SPDX-License-Identifier: MIT */
#include "report/queries/sample_listing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/sql/column.h"

/* A statement while it is built. */
struct draft {
    const struct sample_listing *question;
    struct statement sql;
};

static void add_period(struct draft *draft, int64_t around)
{
    const struct period period = draft->question->period;
    if (period.from < period.to) {
        statement_add(&draft->sql, " AND \"time\" >= %" PRId64 " AND \"time\" < %" PRId64,
                      period.from - around, period.to + around);
    }
}

/* Whether anything in the question has to be worked out from several samples. */
static bool wants_derived(const struct sample_listing *question)
{
    bool wants = question->sort && sample_column_is_derived(question->sort);
    for (size_t i = 0; i < question->column_count; i++) {
        wants |= sample_column_is_derived(question->columns[i]);
    }
    for (size_t i = 0; i < question->filter.count; i++) {
        wants |= sample_column_is_derived(question->filter.conditions[i].field);
    }
    return wants;
}

/*
 * "cluster, node, ...": what samples of one process have in common; the rest counts where it
 * has no number.
 */
static void add_stream(struct statement *sql)
{
    bool any = false;
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        const struct field *field = &sample_fields[i];
        const bool rolled = !(field->flags & SAMPLE_STREAM);
        if (rolled && !(field->flags & SAMPLE_KEY_ROLLED)) {
            continue;
        }
        statement_add(sql, any ? ", " : "");
        any = true;
        statement_add(sql, rolled ? "CASE WHEN pid IS NULL THEN " : "");
        statement_name(sql, identifier_of(field));
        statement_add(sql, rolled ? " END" : "");
    }
}

/*
 * Conditions that hold for all samples of a process or for none are looked at first: the others
 * would tear gaps.
 */
static void add_stream_filter(struct draft *draft)
{
    struct filter *filter = mem_alloc(1, sizeof(*filter));
    const struct sample_listing *q = draft->question;
    for (size_t i = 0; i < q->filter.count; i++) {
        const struct field *field = q->filter.conditions[i].field;
        if (!sample_column_is_derived(field) && field->flags & SAMPLE_STREAM) {
            filter->conditions[filter->count++] = q->filter.conditions[i];
        }
    }
    filter_sql(filter, q->zone, q->now, &draft->sql);
    free(filter);
}

/*
 * Processes, unless another kind is asked for: what a job used is in the samples of its
 * processes and in its own.
 */
static void add_kind(struct draft *draft)
{
    const struct filter *filter = &draft->question->filter;
    bool asked = false;
    for (size_t i = 0; i < filter->count; i++) {
        asked = asked || filter->conditions[i].field == &sample_fields[SAMPLE_kind];
    }
    statement_add(&draft->sql, asked ? "" : " AND kind IS NULL");
}

/*
 * The samples with cpu_util: `readings` has each with its neighbours, `steady` says which is a
 * dip below both, `used` has each with the one before it that is not one.
 */
static void add_derived(struct draft *draft)
{
    struct statement *sql = &draft->sql;
    statement_add(sql,
                  "(WITH readings AS (SELECT *, lag(cpu_time_us) OVER moments AS cpu_before, "
                  "lead(cpu_time_us) OVER moments AS cpu_after FROM samples WHERE true");
    add_kind(draft);
    add_period(draft, SAMPLE_LISTING_AROUND_US);
    add_stream_filter(draft);
    statement_add(sql, " WINDOW moments AS (PARTITION BY ");
    add_stream(sql);
    statement_add(sql,
                  " ORDER BY \"time\")), steady AS (SELECT *, coalesce(cpu_time_us < "
                  "cpu_before AND cpu_after >= cpu_before, false) AS dip FROM readings), used "
                  "AS (SELECT *, lag(cpu_time_us) OVER moments AS cpu_last, lag(\"time\") "
                  "OVER moments AS time_last FROM steady WINDOW moments AS (PARTITION BY ");
    add_stream(sql);
    statement_add(sql, ", dip ORDER BY \"time\")) SELECT *, CASE WHEN dip THEN NULL WHEN "
                       "cpu_time_us IS NULL OR cpu_last IS NULL THEN cpu_avg_ppm / 1e6 WHEN "
                       "cpu_time_us >= cpu_last THEN (cpu_time_us - cpu_last) / "
                       "@real(nullif(\"time\" - time_last, 0)) END AS cpu_util FROM used)");
}

static void add_order(struct draft *draft)
{
    const struct sample_listing *q = draft->question;
    statement_add(&draft->sql, " ORDER BY ");
    column_add(&draft->sql, q->sort ? q->sort : &sample_fields[SAMPLE_time]);
    statement_add(&draft->sql, q->ascending ? " ASC" : " DESC");
    statement_add(&draft->sql, " NULLS LAST, \"time\", cluster, node, job, pid, command, ppid, "
                               "\"user\"");
    if (q->limit > 0) {
        statement_add(&draft->sql, " LIMIT %" PRId64, q->limit);
    }
}

static void write_question(struct draft *draft)
{
    const struct sample_listing *q = draft->question;
    statement_add(&draft->sql, "SELECT ");
    for (size_t i = 0; i < q->column_count; i++) {
        statement_add(&draft->sql, i ? ", " : "");
        column_add(&draft->sql, q->columns[i]);
        statement_add(&draft->sql, " AS f%zu", i);
    }
    statement_add(&draft->sql, " FROM ");
    if (wants_derived(q)) {
        add_derived(draft);
    } else {
        statement_add(&draft->sql, "samples");
    }
    statement_add(&draft->sql, " WHERE true");
    add_period(draft, 0);
    add_kind(draft);
    filter_sql(&q->filter, q->zone, q->now, &draft->sql);
    add_order(draft);
}

static void name_columns(const struct sample_listing *question, struct heading *headings)
{
    for (size_t i = 0; i < question->column_count; i++) {
        const struct field *f = question->columns[i];
        headings[i] = (struct heading){
            .id = f->id,
            .label = f->label,
            .unit = f->unit,
            .role = f->unit == UNIT_NONE || f->unit == UNIT_INSTANT ? COLUMN_DIMENSION
                                                                    : COLUMN_MEASURE,
        };
    }
}

int sample_listing_each(struct facts *facts, const struct sample_listing *question,
                        const struct table_sink *sink, struct error *err)
{
    struct draft draft = {.question = question};
    struct heading headings[SAMPLE_LISTING_COLUMNS_MAX];
    struct table_renaming renaming = {headings, sink};
    name_columns(question, headings);
    statement_init(&draft.sql);
    write_question(&draft);
    int failed = statement_query_each(facts, &draft.sql,
                                      &(struct table_sink){&renaming, table_rename}, err);
    statement_release(&draft.sql);
    return failed;
}

int sample_listing_ask(struct facts *facts, const struct sample_listing *question,
                       struct table *answer, struct error *err)
{
    return sample_listing_each(facts, question, &(struct table_sink){answer, table_collect},
                               err);
}
