/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "facts/listings.h"
#include "service/core/params.h"
#include "service/doctor/doctor.h"

enum { GAPS_SHOWN = 5 };

static int64_t int_of(const struct table *table, size_t row, size_t column)
{
    return table_has(table, column, row) ? (int64_t)table_wide(table, column, row) : 0;
}

/* How often a cluster was looked at, and whether that has stopped. */
static void check_listing(struct doctor *doctor, const struct table *t, size_t row)
{
    enum { CLUSTER, LISTINGS, FIRST, LAST, USUAL };

    char check[160], usual[32], ago[32];
    const struct str cluster = t->columns[CLUSTER].cells[row].text;
    const int64_t age = doctor->service->now() - int_of(t, row, LAST);
    const int64_t count = int_of(t, row, LISTINGS);
    snprintf(check, sizeof(check), "%.*s (snapshots)", STR_ARG(cluster));
    if (!table_has(t, USUAL, row)) {
        doctor_add(doctor, FINE, check, "%" PRId64 ", the newest of %s ago", count,
                   doctor_age(age, ago));
        return;
    }
    const bool stale = age > 2 * int_of(t, row, USUAL);
    doctor_add(doctor, stale ? NOTICE : FINE, check,
               "%" PRId64 ", usually every %s; the newest is of %s ago%s", count,
               doctor_age(int_of(t, row, USUAL), usual), doctor_age(age, ago),
               stale ? ": are they still taken, and imported?" : "");
}

int doctor_check_snapshots(struct doctor *doctor, struct error *err)
{
    struct table listings = {0}, gaps = {0};
    int failed;
    (void)((failed = listings_overview(doctor->facts, &listings, err)) ||
           (failed = listings_gaps(doctor->facts, &gaps, err)));
    for (size_t row = 0; !failed && row < listings.row_count; row++) {
        check_listing(doctor, &listings, row);
    }
    for (size_t row = 0; !failed && row < gaps.row_count && row < GAPS_SHOWN; row++) {
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        doctor_add(
            doctor, NOTICE, "gap",
            "no snapshot of %.*s between %s and %s: what began and ended in between was not "
            "seen",
            STR_ARG(gaps.columns[0].cells[row].text),
            params_print(doctor->service->zone, int_of(&gaps, row, 1), from),
            params_print(doctor->service->zone, int_of(&gaps, row, 2), to));
    }
    if (!failed && gaps.row_count > GAPS_SHOWN) {
        doctor_add(doctor, NOTICE, "gap", "and %zu more between snapshots",
                   gaps.row_count - GAPS_SHOWN);
    }
    table_release(&listings);
    table_release(&gaps);
    return failed;
}
