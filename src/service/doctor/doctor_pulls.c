/* SPDX-License-Identifier: MIT */
#include "service/doctor/doctor.h"

#include <stdio.h>

#include "facts/pull_state.h"
#include "live/live.h"
#include "service/core/params.h"

enum { GAPS_SHOWN = 5 };

static int64_t int_of(const struct table *table, size_t row, size_t column)
{
    return table_has(table, column, row) ? (int64_t)table_wide(table, column, row) : 0;
}

static int check_pull_gaps(struct doctor *doctor, struct str cluster, const char *check,
                           int64_t slack, struct error *err)
{
    struct table gaps = {0};
    int failed = pull_query_gaps(doctor->facts, cluster, slack, &gaps, err);
    for (size_t row = 0; !failed && row < gaps.row_count && row < GAPS_SHOWN; row++) {
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        doctor_add(
            doctor, NOTICE, check,
            "nobody asked between %s and %s: what came and went without a record is not known",
            params_print(doctor->service->zone, int_of(&gaps, row, 0), from),
            params_print(doctor->service->zone, int_of(&gaps, row, 1), to));
    }
    if (!failed && gaps.row_count > GAPS_SHOWN) {
        doctor_add(doctor, NOTICE, check, "and %zu more such gaps",
                   gaps.row_count - GAPS_SHOWN);
    }
    table_release(&gaps);
    return failed;
}

/*
 * When it was last pulled (0: never), and how far what is known of it reaches, which cannot be
 * ahead of the clock.
 */
static void check_age(struct doctor *doctor, const struct config_section *section,
                      struct str cluster, int64_t good, int64_t reaches)
{
    const int64_t now = doctor->service->now();
    const int64_t ahead = (good > reaches ? good : reaches) - now;
    char check[160], ago[32];
    snprintf(check, sizeof(check), "%.*s (pull)", STR_ARG(cluster));
    if (ahead > PULL_STATE_AHEAD_US) {
        doctor_add(
            doctor, TROUBLE, check,
            "the last pull is dated %s ahead of this machine's clock: a clock was wrong; the "
            "next pull asks for what was missed: stint pull %.*s",
            doctor_age(ahead, ago), STR_ARG(cluster));
    } else if (good == 0) {
        doctor_add(doctor, NOTICE, check, "was never pulled: stint pull %.*s",
                   STR_ARG(cluster));
    } else {
        const bool old = section && now - good > live_slack(section);
        doctor_add(doctor, old ? TROUBLE : FINE, check, "last pull %s ago%s",
                   doctor_age(now - good, ago),
                   old ? ": it is wanted more often; does stint pull --every run?" : "");
    }
}

/*
 * A cluster that is pulled, or should be: how long ago, what went wrong since, and when nobody
 * asked.
 */
static int check_pull(struct doctor *doctor, struct str cluster, const struct table *marks,
                      struct error *err)
{
    enum { CLUSTER, WHAT, SEEN_TO, GOOD, FAILED, FAILURE };
    const struct config *config = doctor->service->config;
    const struct config_section *section =
        config ? config_find(config, STR("cluster"), cluster) : NULL;
    const int64_t slack = live_slack(section), now = doctor->service->now();
    char check[160], ago[32];
    struct str failure = {0};
    int64_t good = 0, failed_at = 0, ahead = 0;
    snprintf(check, sizeof(check), "%.*s (pull)", STR_ARG(cluster));
    for (size_t row = 0; row < marks->row_count; row++) {
        if (!str_eq(marks->columns[CLUSTER].cells[row].text, cluster)) {
            continue;
        }
        good = int_of(marks, row, GOOD) > good ? int_of(marks, row, GOOD) : good;
        ahead = int_of(marks, row, SEEN_TO) > ahead ? int_of(marks, row, SEEN_TO) : ahead;
        if (table_has(marks, FAILURE, row) && int_of(marks, row, FAILED) > failed_at) {
            failed_at = int_of(marks, row, FAILED);
            failure = marks->columns[FAILURE].cells[row].text;
        }
    }
    check_age(doctor, section, cluster, good, ahead);
    if (failure.ptr) {
        doctor_add(doctor, TROUBLE, check, "%s ago a pull failed: %.*s",
                   doctor_age(now - failed_at, ago), STR_ARG(failure));
    }
    return check_pull_gaps(doctor, cluster, check, slack, err);
}

/* All clusters that were ever pulled, and those of stint.conf. */
int doctor_check_pulls(struct doctor *doctor, struct error *err)
{
    const struct config *config = doctor->service->config;
    struct table marks = {0};
    struct str last = {0};
    int failed = pull_states_overview(doctor->facts, &marks, err);
    for (size_t row = 0; !failed && row < marks.row_count; row++) {
        const struct str cluster = marks.columns[0].cells[row].text;
        if (!str_eq(cluster, last)) {
            failed = check_pull(doctor, cluster, &marks, err);
        }
        last = cluster;
    }
    for (size_t i = 0; !failed && config && i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        bool known = !str_eq(section->kind, STR("cluster"));
        for (size_t row = 0; row < marks.row_count && !known; row++) {
            known = str_eq(marks.columns[0].cells[row].text, section->name);
        }
        if (!known) {
            failed = check_pull(doctor, section->name, &marks, err);
        }
    }
    table_release(&marks);
    return failed;
}
