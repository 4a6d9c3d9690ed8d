/* SPDX-License-Identifier: MIT */

/*
 * What a job waited for, one thing after the other, and what the scheduler expected: lines of
 * the screen of a job.
 */

#include "report/queries/wait_causes.h"
#include "service/core/params.h"
#include "service/jobs/job_screen.h"
#include "service/query/at_option.h"

enum { SHOWN_MAX = 6 };

/*
 * Before a listing first had the job, and while none was made, it is not known what it waited
 * for; a few minutes are not worth a word.
 */
#define UNSEEN_US (300 * SECOND_US)

static int64_t number_at(const struct table *waits, size_t column, size_t row)
{
    return (int64_t)table_wide(waits, column, row);
}

static bool same_reason(const struct table *waits, size_t a, size_t b)
{
    const bool has = table_has(waits, WAIT_CAUSES_REASON, a);
    return has == table_has(waits, WAIT_CAUSES_REASON, b) &&
           (!has || str_eq(waits->columns[WAIT_CAUSES_REASON].cells[a].text,
                           waits->columns[WAIT_CAUSES_REASON].cells[b].text));
}

/* The time before a stretch in which nobody looked. */
static int64_t unseen_before(const struct table *waits, size_t row, int64_t submit)
{
    const int64_t last = row > 0 ? number_at(waits, WAIT_CAUSES_UNTIL, row - 1) : submit;
    const int64_t unseen = number_at(waits, WAIT_CAUSES_FROM, row) - last;
    return unseen > UNSEEN_US ? unseen : 0;
}

/*
 * "3 hours for Priority" of the stretches from `row` on that have one reason; returns the one
 * behind them.
 */
static size_t say_reason(struct job_screen *screen, size_t row)
{
    const struct table *waits = screen->waits;
    const size_t first = row;
    char length[AT_OPTION_TEXT_MAX];
    while (row + 1 < waits->row_count && same_reason(waits, first, row + 1) &&
           unseen_before(waits, row + 1, 0) == 0) {
        row++;
    }
    const int64_t waited =
        number_at(waits, WAIT_CAUSES_UNTIL, row) - number_at(waits, WAIT_CAUSES_FROM, first);
    buf_addz(&screen->text, at_option_length(waited, length));
    if (table_has(waits, WAIT_CAUSES_REASON, first)) {
        buf_addf(&screen->text, " for %.*s",
                 STR_ARG(waits->columns[WAIT_CAUSES_REASON].cells[first].text));
    } else {
        buf_addz(&screen->text, " without a reason");
    }
    return row + 1;
}

static void say_reasons(struct job_screen *screen, size_t row)
{
    const struct table *waits = screen->waits;
    const int64_t submit = (int64_t)job_number(screen, "submit", row);
    char length[AT_OPTION_TEXT_MAX];
    size_t said = 0;
    for (size_t i = 0; i < waits->row_count;) {
        const int64_t unseen = unseen_before(waits, i, submit);
        if (said >= SHOWN_MAX) {
            buf_addz(&screen->text, ", and so on");
            break;
        }
        if (unseen > 0) {
            buf_addf(&screen->text, "%s%s for what was not seen", said++ ? ", then " : "",
                     at_option_length(unseen, length));
        }
        buf_addz(&screen->text, said++ ? ", then " : "");
        i = say_reason(screen, i);
    }
    job_line(screen, "Waited");
}

/* What the scheduler first expected, and of a job that waits still, what it expects now. */
static void say_expected(struct job_screen *screen, size_t row)
{
    const struct table *waits = screen->waits;
    const bool started = job_has(screen, "start", row);
    char at[INSTANT_TEXT_MAX], said[INSTANT_TEXT_MAX], length[AT_OPTION_TEXT_MAX];
    size_t first = 0, last = waits->row_count - 1;
    while (first < waits->row_count && !table_has(waits, WAIT_CAUSES_EXPECTED_FIRST, first)) {
        first++;
    }
    if (first == waits->row_count) {
        return;
    }
    const int64_t expected = number_at(waits, WAIT_CAUSES_EXPECTED_FIRST, first);
    buf_addf(
        &screen->text, "%s, as the scheduler said at %s",
        params_print(screen->zone, expected, at),
        params_print(screen->zone, number_at(waits, WAIT_CAUSES_EXPECTED_AT, first), said));
    if (started) {
        const int64_t late = (int64_t)job_number(screen, "start", row) - expected;
        buf_addf(&screen->text, "; it started %s %s",
                 at_option_length(late < 0 ? -late : late, length),
                 late < 0 ? "earlier" : "later");
    } else if (table_has(waits, WAIT_CAUSES_EXPECTED_LAST, last)) {
        buf_addf(
            &screen->text, "; now %s",
            params_print(screen->zone, number_at(waits, WAIT_CAUSES_EXPECTED_LAST, last), at));
    }
    job_line(screen, "Expected");
}

void job_waits(struct job_screen *screen, size_t row)
{
    if (screen->waits && screen->waits->row_count > 0) {
        say_reasons(screen, row);
        say_expected(screen, row);
    }
}
