/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "base/zone.h"
#include "facts/samples.h"
#include "service/core/params.h"
#include "service/doctor/doctor.h"

/* Samples are taken every few minutes at least: what is older than this has stopped coming. */
#define STALE_US  (2 * DAY_US)
#define FUTURE_US HOUR_US

static void check_source(struct doctor *doctor, const struct table *t, size_t row)
{
    enum { CLUSTER, SOURCE, SAMPLES, NODES, FIRST, LAST, REACH };

    char check[160], first[INSTANT_TEXT_MAX], last[INSTANT_TEXT_MAX], ago[32];
    const struct zone *zone = doctor->service->zone;
    const int64_t to = t->columns[REACH].cells[row].integer, now = doctor->service->now();
    const int64_t nodes = t->columns[NODES].cells[row].integer;
    snprintf(check, sizeof(check), "%.*s (samples)",
             STR_ARG(t->columns[CLUSTER].cells[row].text));
    doctor_add(doctor, FINE, check,
               "%" PRId64 " samples of processes on %" PRId64 " node%s, from %s to %s",
               t->columns[SAMPLES].cells[row].integer, nodes, nodes == 1 ? "" : "s",
               params_print(zone, t->columns[FIRST].cells[row].integer, first),
               params_print(zone, t->columns[LAST].cells[row].integer, last));
    if (to > now + FUTURE_US) {
        doctor_add(doctor, TROUBLE, check, "some are of %s from now: compare the clocks",
                   doctor_age(to - now, ago));
    } else if (now - to > STALE_US) {
        doctor_add(doctor, NOTICE, check,
                   "the newest sample is %s old: are samples still taken and imported?",
                   doctor_age(now - to, ago));
    }
}

int doctor_check_samples(struct doctor *doctor, struct error *err)
{
    struct table table = {0};
    int failed = samples_overview(doctor->facts, &table, err);
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        check_source(doctor, &table, row);
    }
    table_release(&table);
    return failed;
}
