/* SPDX-License-Identifier: MIT */

/*
 * stint thin: old samples at longer intervals, as the site says.
 */

#include <inttypes.h>

#include "base/calendar.h"
#include "facts/samples.h"
#include "facts/waits.h"
#include "service/core/operations.h"

#define SHORT_US (INT64_C(300) * SECOND_US)

static const struct heading headings[] = {
    {"older_than", "Older than", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
    {"one_each", "One each", CELL_INT, UNIT_SECONDS, COLUMN_BESIDE},
    {"removed", "Removed", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
};

static int64_t kept(const struct service *service, enum config_samples_key key)
{
    const struct config_section *section =
        service->config ? config_find(service->config, STR("samples"), (struct str){0}) : NULL;
    return config_number(section, &config_samples_keys[key], 0);
}

static int thin(struct service *service, struct facts *facts, int64_t age, int64_t width,
                struct table *out, struct error *err)
{
    const int64_t before = service->now() - age;
    int64_t removed = 0;
    int failed = samples_thin(facts, before, width, service->stop, &removed, err);
    if (!failed) {
        const size_t row = table_row(out);
        table_set_int(out, 0, row, before);
        table_set_int(out, 1, row, width);
        table_set_int(out, 2, row, removed);
    }
    return failed;
}

/* What jobs waited for is kept, unless the site says how long. */
static int forget_waits(struct service *service, struct facts *facts, struct answer *answer,
                        struct error *err)
{
    const int64_t age = kept(service, CONFIG_SAMPLES_WAITS);
    int64_t removed = 0;
    if (age <= 0) {
        return 0;
    }
    int failed = waits_forget(facts, service->now() - age, &removed, err);
    if (!failed) {
        answer_note(answer, NOTE_RESULT, "%" PRId64 " period%s of waiting removed", removed,
                    removed == 1 ? "" : "s");
    }
    return failed;
}

static int run_thin(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    (void)request;
    struct facts *facts = NULL;
    int failed = service->config ? config_check_plain(service->config, err) : 0;
    const int64_t raw = failed ? 0 : kept(service, CONFIG_SAMPLES_RAW),
                  brief = failed ? 0 : kept(service, CONFIG_SAMPLES_SHORT);
    table_columns(&answer->table, headings, COUNT_OF(headings));
    (void)(failed || (failed = session_facts(service->session, FACTS_WRITE, &facts, err)) ||
           (failed = thin(service, facts, brief > raw ? brief : raw, HOUR_US, &answer->table,
                          err)) ||
           (failed = thin(service, facts, raw, SHORT_US, &answer->table, err)) ||
           (failed = forget_waits(service, facts, answer, err)));
    return failed;
}

const struct operation operation_thin = {
    .name = "thin",
    .summary = "keep old samples at longer intervals",
    .description =
        "Samples older than `raw` in [samples] of stint.conf (default 30 days) are "
        "reduced to one per 5 minutes, those older than `short` (default one year) to "
        "one per hour: the last value of counters, the mean of shares, the maximum of "
        "memory. It works on whole days and can be interrupted; running it again "
        "changes nothing. A server that receives samples from agents does this once a "
        "day. Files that were imported before are not read again, except with "
        "--again, which would restore what was removed. Periods of waiting jobs (stint waits) "
        "that ended longer ago than `waits` are removed; by default they are kept.",
    .examples = "stint thin # with the settings of stint.conf",
    .rights = RIGHT_CHORES | RIGHT_ALL,
    .stoppable = true,
    .run = run_thin,
};
