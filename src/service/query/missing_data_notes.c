/* SPDX-License-Identifier: MIT */
#include "service/query/missing_data_notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "report/queries/missing_fields.h"
#include "service/query/query_context.h"
#include "view/number.h"

/* A number as tables have it. */
static void add_number(struct buf *out, enum unit unit, double value)
{
    struct table one = {0};
    const bool ratio = unit == UNIT_RATIO;
    table_column(&one, "", "", ratio ? CELL_REAL : CELL_INT, unit, COLUMN_MEASURE);
    table_row(&one);
    if (ratio) {
        table_set_real(&one, 0, 0, value);
    } else {
        table_set_int(&one, 0, 0, (int64_t)value);
    }
    number_human(out, &one, 0, 0, NULL);
    table_release(&one);
}

/*
 * "11,610 of 19,233 runs are not included (node_count not recorded): 60.4 % of the wall time"
 */
static void add_line(struct buf *out, int64_t runs, int64_t of, const char *fields, double time,
                     double time_of)
{
    add_number(out, UNIT_COUNT, (double)runs);
    buf_addz(out, " of ");
    add_number(out, UNIT_COUNT, (double)of);
    buf_addf(out, " runs %s not included (%s not recorded): ", runs == 1 ? "is" : "are",
             fields);
    add_number(out, UNIT_RATIO, time_of > 0 ? time / time_of : (double)runs / (double)of);
    buf_addz(out, time_of > 0 ? " of the wall time" : " of them");
}

/* Of runs whose time is not recorded the share of the time is not known. */
static void add_what(struct buf *out, const struct measure *measure,
                     const struct missing_fields *omitted)
{
    const struct field *fields[MISSING_FIELDS_FIELDS_MAX];
    const bool timeless = omitted->unended && omitted->time <= 0;
    struct buf names;
    buf_init(&names, LIMIT_ARGUMENT);
    missing_fields_fields(measure, omitted, fields);
    for (size_t i = 0; fields[i]; i++) {
        buf_addf(&names, "%s%s", i ? " or " : "", fields[i]->id);
    }
    add_line(out, omitted->runs, omitted->of, names.ptr, omitted->time,
             timeless ? 0 : omitted->time_of);
    buf_release(&names);
}

void missing_data_note_jobs(struct answer *answer, const char *columns, const char *field,
                            struct missing_data_jobs jobs)
{
    struct buf line;
    if (jobs.omitted == 0 || jobs.omitted == jobs.all) {
        return;
    }
    buf_init(&line, LIMIT_ARGUMENT);
    add_line(&line, jobs.omitted, jobs.all, field, jobs.time, jobs.time_all);
    answer_note(answer, NOTE_COVERAGE, "%s: %s", columns, line.ptr);
    buf_release(&line);
}

/* Measures that the same is to be said of have one line. */
static void note_all(const struct question *question, const char *name,
                     const struct missing_fields *omitted, struct answer *answer)
{
    struct buf what[QUESTION_MEASURES_MAX], names;
    buf_init(&names, LIMIT_ARGUMENT);
    for (size_t i = 0; i < question->measure_count; i++) {
        buf_init(&what[i], LIMIT_ARGUMENT);
        if (omitted[i].runs > 0 && omitted[i].runs < omitted[i].of) {
            add_what(&what[i], question->measures[i], &omitted[i]);
        }
    }
    for (size_t i = 0; i < question->measure_count; i++) {
        if (what[i].len == 0) {
            continue;
        }
        buf_clear(&names);
        buf_addz(&names, name ? name : question->measures[i]->id);
        for (size_t k = i + 1; k < question->measure_count; k++) {
            if (what[k].len > 0 && strcmp(what[i].ptr, what[k].ptr) == 0) {
                buf_addf(&names, ", %s", question->measures[k]->id);
                buf_clear(&what[k]);
            }
        }
        answer_note_about(answer, NOTE_COVERAGE, str_of(question->measures[i]->id), "%s: %s",
                          names.ptr, what[i].ptr);
    }
    for (size_t i = 0; i < question->measure_count; i++) {
        buf_release(&what[i]);
    }
    buf_release(&names);
}

int missing_data_note(const struct service *service, struct facts *facts,
                      const struct question *question, const char *name, struct answer *answer,
                      struct error *err)
{
    if (answer->noteless || answer->table.row_count == 0) {
        return 0;
    }
    struct question *asked = mem_alloc(1, sizeof(*asked));
    struct missing_fields *omitted = mem_alloc(QUESTION_MEASURES_MAX, sizeof(*omitted));
    struct query_context with;
    *asked = *question;
    int failed;
    (void)((failed = query_context_read(service, facts, asked, &with, err)) ||
           (failed = missing_fields_ask(facts, asked, omitted, err)));
    if (!failed) {
        note_all(question, name, omitted, answer);
    }
    query_context_release(&with);
    free(omitted);
    free(asked);
    return failed;
}
