/* SPDX-License-Identifier: MIT */
#include "service/usage/crowd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/zone.h"

/* Shortest lengths, in days. */
static const int bucket_days[] = {
    [BUCKET_NONE] = 36500, [BUCKET_HOUR] = 0,     [BUCKET_DAY] = 1,    [BUCKET_WEEK] = 7,
    [BUCKET_MONTH] = 28,   [BUCKET_QUARTER] = 90, [BUCKET_YEAR] = 365,
};

static bool same_calendar(const struct zone *a, const struct zone *b)
{
    return a == b || (strcmp(zone_name(a), zone_name(b)) == 0 &&
                      zone_year_start(a) == zone_year_start(b));
}

static int64_t day_of(const struct zone *zone, int64_t instant)
{
    const struct civil civil = zone_civil(zone, instant);
    return zone_instant(
        zone, (struct civil){.year = civil.year, .month = civil.month, .day = civil.day});
}

/* Asks for the users, if that was not done; whether it was not. */
static bool add_users(struct question *question)
{
    const struct measure *users = measure_find(STR("users"));
    for (size_t i = 0; i < question->measure_count; i++) {
        if (question->measures[i] == users) {
            return false;
        }
    }
    question->measures[question->measure_count++] = users;
    return true;
}

int crowd_limit(const struct service *service, struct question *question, bool *added,
                struct error *err)
{
    const struct caller_crowd *crowd = &service->caller->crowd;
    struct period *period = &question->period;
    if (crowd->window_us > 0) {
        if (!same_calendar(question->zone, crowd->zone)) {
            return error_set(err, ERROR_DENIED,
                             "without a login, days are those of the site: %s",
                             zone_name(crowd->zone));
        }
        const int64_t days = (crowd->window_us + DAY_US - 1) / DAY_US;
        period->from = day_of(question->zone, period->from);
        period->to = day_of(question->zone, period->to);
        /* the day on which a clock is set forward has an hour less */
        if (period->to - period->from < days * DAY_US - HOUR_US ||
            bucket_days[question->bucket] < days) {
            return error_set(err, ERROR_DENIED,
                             "without a login, only totals of at least %" PRId64
                             " whole %s are shown, up to the beginning of today",
                             days, days == 1 ? "day" : "days");
        }
    }
    if (crowd->users > 1 && question->measure_count == QUESTION_MEASURES_MAX) {
        return error_set(err, ERROR_DENIED, "without a login, %d measures at most are shown",
                         QUESTION_MEASURES_MAX - 1);
    }
    *added = crowd->users > 1 && add_users(question);
    return 0;
}

/*
 * Takes the numbers out of a row, but for those that say that there was nothing; whether there
 * were any.
 */
static bool clear_row(struct table *table, size_t row)
{
    bool any = false;
    for (size_t c = 0; c < table->column_count; c++) {
        struct column *column = &table->columns[c];
        if (column->role == COLUMN_MEASURE && column->present[row] &&
            (column->type == CELL_TEXT || table_real(table, c, row) != 0)) {
            column->present[row] = false;
            any = true;
        }
    }
    return any;
}

/*
 * Without one of its columns. The rest stays where it is: what is said beside the table (covers)
 * may be in its arena.
 */
static void drop_column(struct table *table, size_t column)
{
    free(table->columns[column].cells);
    free(table->columns[column].present);
    free(table->columns[column].names);
    table->column_count--;
    memmove(&table->columns[column], &table->columns[column + 1],
            (table->column_count - column) * sizeof table->columns[0]);
}

void crowd_hide(const struct service *service, bool added, struct answer *answer)
{
    const struct caller_crowd *crowd = &service->caller->crowd;
    struct table *table = &answer->table;
    const size_t users = table_find(table, "users");
    size_t hidden = 0;
    if (crowd->users <= 1 || users == table->column_count) {
        return;
    }
    for (size_t row = 0; row < table->row_count; row++) {
        const bool few =
            !table_has(table, users, row) || table_wide(table, users, row) < crowd->users;
        hidden += few && clear_row(table, row);
    }
    if (added) {
        drop_column(table, users);
    }
    if (hidden > 0) {
        answer_note(answer, NOTE_COVERAGE,
                    "without a login, numbers are shown of at least %" PRId64
                    " users together: %zu row%s %s none",
                    crowd->users, hidden, hidden == 1 ? "" : "s", hidden == 1 ? "has" : "have");
    }
}
