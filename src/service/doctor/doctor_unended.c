/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/zone.h"
#include "report/queries/unended.h"
#include "service/core/params.h"
#include "service/doctor/doctor.h"

static void report_unended(struct doctor *doctor, const struct table *t, size_t row)
{
    char first[INSTANT_TEXT_MAX], last[INSTANT_TEXT_MAX];
    const struct zone *zone = doctor->service->zone;
    const int64_t runs = (int64_t)table_wide(t, UNENDED_RUNS, row);
    const struct str cluster = t->columns[UNENDED_COUNT].cells[row].text;
    doctor_add(
        doctor, NOTICE, "runs without an end",
        "%" PRId64 " of %.*s, last seen running from %s to %s: they count up to then. "
        "Import the records of their end; list them: stint jobs --cluster %.*s -s running",
        runs, STR_ARG(cluster),
        params_print(zone, (int64_t)table_wide(t, UNENDED_SEEN, row), first),
        params_print(zone, (int64_t)table_wide(t, UNENDED_SEEN_TO, row), last),
        STR_ARG(cluster));
}

int doctor_check_unended(struct doctor *doctor, struct error *err)
{
    struct question *question = mem_alloc(1, sizeof(*question));
    struct table table = {0};
    question->zone = doctor->service->zone;
    question->now = doctor->service->now();
    question->period = (struct period){0, question->now};
    int failed = unended_ask(doctor->facts, question, true, &table, err);
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        report_unended(doctor, &table, row);
    }
    table_release(&table);
    free(question);
    return failed;
}
