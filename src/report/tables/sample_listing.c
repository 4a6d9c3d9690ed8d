/* SPDX-License-Identifier: MIT */
#include "report/tables/sample_listing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"

/* A statement while it is built. */
struct draft {
    const struct sample_listing *question;
    struct buf sql;
    struct filter_values *values;
};

static void add_period(struct draft *draft, int64_t around)
{
    const struct period period = draft->question->period;
    if (period.from < period.to) {
        buf_addf(&draft->sql, " AND \"time\" >= %" PRId64 " AND \"time\" < %" PRId64,
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

/* "cluster, node, ...": what samples of one process have in common; the rest counts where it has no number. */
static void add_stream(struct buf *sql)
{
    const char *comma = "";
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        const struct field *field = &sample_fields[i];
        if (field->flags & SAMPLE_STREAM) {
            buf_addf(sql, "%s\"%s\"", comma, field->member);
            comma = ", ";
        } else if (field->flags & SAMPLE_KEY_ROLLED) {
            buf_addf(sql, "%sCASE WHEN pid IS NULL THEN \"%s\" END", comma, field->member);
            comma = ", ";
        }
    }
}

/* Conditions that hold for all samples of a process or for none are looked at first: the others would tear gaps. */
static int add_stream_filter(struct draft *draft, struct error *err)
{
    struct filter *filter = mem_alloc(1, sizeof(*filter));
    const struct sample_listing *q = draft->question;
    for (size_t i = 0; i < q->filter.count; i++) {
        const struct field *field = q->filter.conditions[i].field;
        if (!sample_column_is_derived(field) && field->flags & SAMPLE_STREAM) {
            filter->conditions[filter->count++] = q->filter.conditions[i];
        }
    }
    int failed = filter_sql(filter, q->zone, q->now, &draft->sql, draft->values, err);
    free(filter);
    return failed;
}

/*
 * The samples with cpu_util: `told` has each with its neighbours, `steady` says which is a dip below both,
 * `used` has each with the one before it that is none.
 */
static int add_derived(struct draft *draft, struct error *err)
{
    struct buf stream, *sql = &draft->sql;
    buf_init(&stream, LIMIT_SQL);
    add_stream(&stream);
    buf_addf(sql, "(WITH told AS (SELECT *, lag(cpu_time_us) OVER moments AS cpu_before, "
                  "lead(cpu_time_us) OVER moments AS cpu_after FROM samples WHERE true");
    add_period(draft, SAMPLE_LISTING_AROUND_US);
    int failed = add_stream_filter(draft, err);
    buf_addf(
        sql,
        " WINDOW moments AS (PARTITION BY %s ORDER BY \"time\")), steady AS (SELECT *, "
        "coalesce(cpu_time_us < cpu_before AND cpu_after >= cpu_before, false) AS dip FROM "
        "told), used AS (SELECT *, lag(cpu_time_us) OVER moments AS cpu_last, "
        "lag(\"time\") OVER moments AS time_last FROM steady WINDOW moments AS (PARTITION "
        "BY %s, dip ORDER BY \"time\")) SELECT *, CASE WHEN dip THEN NULL WHEN cpu_time_us "
        "IS NULL OR cpu_last IS NULL THEN cpu_avg_ppm / 1e6 WHEN cpu_time_us >= cpu_last "
        "THEN (cpu_time_us - cpu_last) / nullif(\"time\" - time_last, 0)::DOUBLE END AS "
        "cpu_util FROM used)",
        stream.ptr, stream.ptr);
    buf_release(&stream);
    return failed;
}

static void add_order(struct draft *draft)
{
    const struct sample_listing *q = draft->question;
    buf_addf(&draft->sql,
             " ORDER BY %s %s NULLS LAST, \"time\", cluster, node, job, pid, command, ppid, "
             "\"user\"",
             q->sort ? sample_column_sql(q->sort) : "\"time\"", q->ascending ? "ASC" : "DESC");
    if (q->limit > 0) {
        buf_addf(&draft->sql, " LIMIT %" PRId64, q->limit);
    }
}

static int write_question(struct draft *draft, struct error *err)
{
    const struct sample_listing *q = draft->question;
    int failed = 0;
    buf_addz(&draft->sql, "SELECT ");
    for (size_t i = 0; i < q->column_count; i++) {
        buf_addf(&draft->sql, "%s%s AS f%zu", i ? ", " : "", sample_column_sql(q->columns[i]),
                 i);
    }
    buf_addz(&draft->sql, " FROM ");
    if (wants_derived(q)) {
        failed = add_derived(draft, err);
    } else {
        buf_addz(&draft->sql, "samples");
    }
    buf_addz(&draft->sql, " WHERE true");
    add_period(draft, 0);
    failed = failed ? failed
                    : filter_sql(&q->filter, q->zone, q->now, &draft->sql, draft->values, err);
    add_order(draft);
    return failed                ? failed
           : draft->sql.overflow ? error_set(err, ERROR_LIMIT, "the question is too large")
                                 : 0;
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
    buf_init(&draft.sql, LIMIT_SQL);
    draft.values = mem_alloc(1, sizeof(*draft.values));
    int failed = write_question(&draft, err);
    if (!failed) {
        failed =
            facts_query_each(facts, draft.sql.ptr,
                             (struct facts_values){draft.values->values, draft.values->count},
                             &(struct table_sink){&renaming, table_rename}, err);
    }
    free(draft.values);
    buf_release(&draft.sql);
    return failed;
}

int sample_listing_ask(struct facts *facts, const struct sample_listing *question,
                       struct table *answer, struct error *err)
{
    return sample_listing_each(facts, question, &(struct table_sink){answer, table_collect},
                               err);
}
