/* SPDX-License-Identifier: MIT */
#include "advice/carbon.h"

#include "base/attribute.h"
#include "base/zone.h"
#include "support/expect.h"

#define DAY      (INT64_C(1767225600) * SECOND_US) /* 2026-01-01 */
#define HOURS(n) (DAY + (n)*HOUR_US)

static const char series[] = "time,g_per_kwh\n# of the grid\n2026-01-01T00:00:00Z,100\n\n"
                             "2026-01-01T06:00:00Z, 300.5\r\n2026-01-01T12:00:00Z,50\n";

static void a_mean_is_weighted_by_time(void **state)
{
    (void)state;

    static const struct {
        int64_t from, to;
        double want;
    } rows[] = {
        {HOURS(1), HOURS(2), 100},
        {HOURS(5), HOURS(7), 200.25},
        {HOURS(3), HOURS(15), (3 * 100 + 6 * 300.5 + 3 * 50) / 12},
        {HOURS(20), HOURS(200), 50}, /* the last one holds for ever */
        {HOURS(6), HOURS(6), 300.5}, /* no length at all */
        {HOURS(-1), HOURS(1), -1},   /* before the first */
    };
    struct carbon carbon;
    struct error err;
    struct zone *zone = NULL;
    expect_int(zone_open("UTC", &zone, &err), 0);
    expect_int(carbon_read(STR(series), zone, &carbon, &err), 0);
    expect_uint(carbon.count, 3);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_double(carbon_mean(&carbon, rows[i].from, rows[i].to), rows[i].want, 1e-9);
    }
    carbon_release(&carbon);
    zone_close(zone);
}

static void a_file_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "time,grams\n",
        "2026-01-01,100\nnonsense\n",
        "2026-01-01,100\n2026-01-02,-5\n",
        "2026-01-02,100\n2026-01-01,90\n",
        "2026-01-02,100\n2026-01-02,90\n",
    };
    struct error err;
    struct zone *zone = NULL;
    expect_int(zone_open("UTC", &zone, &err), 0);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct carbon carbon;
        expect_int(carbon_read(str_of(texts[i]), zone, &carbon, &err), ERROR_INPUT);
        carbon_release(&carbon);
    }
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_mean_is_weighted_by_time);
    SUITE_TEST(&suite, a_file_that_makes_no_sense_is_refused);
    return suite_run(&suite, "carbon");
}
