/* SPDX-License-Identifier: MIT */

/*
 * What the screen of a job says that it waited for: times in which nobody asked the scheduler are said, and belong to no reason.
 */

#include "base/calendar.h"
#include "report/queries/wait_causes.h"
#include "service/jobs/job_screen.h"
#include "support/expect.h"

enum { STRETCHES_MAX = 8 };

/* Stretches in minutes since the job was submitted; ended by one without a reason. */
struct story {
    const char *name;

    struct {
        int64_t from, until;
        const char *reason;
    } stretches[STRETCHES_MAX];

    const char *says;
};

static const struct story stories[] = {
    {"one after the other",
     {{0, 180, "Priority"}, {180, 220, "Resources"}},
     "3 hours for Priority, then 40 minutes for Resources"},
    {"an expected start that moved is no other reason",
     {{0, 60, "Priority"}, {60, 180, "Priority"}},
     "3 hours for Priority"},
    {"it was first seen late",
     {{60, 180, "Priority"}},
     "1 hour for what was not seen, then 2 hours for Priority"},
    {"nobody asked in between, and the reason is the same again",
     {{0, 60, "Priority"}, {600, 660, "Priority"}},
     "1 hour for Priority, then 9 hours for what was not seen, then 1 hour for "
     "Priority"},
    {"nobody asked in between, and the reason is another",
     {{0, 60, "Priority"}, {600, 660, "Resources"}},
     "1 hour for Priority, then 9 hours for what was not seen, then 1 hour for "
     "Resources"},
    {"a few minutes are not worth a word",
     {{2, 60, "Priority"}, {63, 120, "Resources"}},
     "58 minutes for Priority, then 57 minutes for Resources"},
};

static void fill_runs(struct table *runs)
{
    static const struct heading headings[] = {
        {"submit", "Submitted", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
        {"start", "Started", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    };
    table_columns(runs, headings, 2);
    table_set_int(runs, 0, table_row(runs), 60 * SECOND_US);
}

static void fill_waits(const struct story *story, struct table *waits)
{
    struct heading headings[WAIT_CAUSES_COLUMNS];
    for (size_t i = 0; i < WAIT_CAUSES_COLUMNS; i++) {
        headings[i] =
            (struct heading){"column", "Column", i == WAIT_CAUSES_REASON ? CELL_TEXT : CELL_INT,
                             UNIT_NONE, COLUMN_BESIDE};
    }
    table_columns(waits, headings, WAIT_CAUSES_COLUMNS);
    for (size_t i = 0; i < STRETCHES_MAX && story->stretches[i].reason; i++) {
        const size_t row = table_row(waits);
        table_set_int(waits, WAIT_CAUSES_FROM, row,
                      (story->stretches[i].from + 1) * 60 * SECOND_US);
        table_set_int(waits, WAIT_CAUSES_UNTIL, row,
                      (story->stretches[i].until + 1) * 60 * SECOND_US);
        table_set_text(waits, WAIT_CAUSES_REASON, row, str_of(story->stretches[i].reason));
    }
}

static void the_screen_says(void **state)
{
    const struct story *story = *state;
    struct table runs = {0}, waits = {0}, out = {0};
    static const struct heading lines[] = {
        {"label", "", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        {"text", "", CELL_TEXT, UNIT_NONE, COLUMN_PROSE},
    };
    struct job_screen screen = {.runs = &runs, .waits = &waits, .out = &out};
    buf_init(&screen.text, 1 << 16);
    table_columns(&out, lines, 2);
    fill_runs(&runs);
    fill_waits(story, &waits);
    job_waits(&screen, 0);
    expect_uint(out.row_count, 1);
    expect_text_n(out.columns[0].cells[0].text.ptr, out.columns[0].cells[0].text.len, "Waited");
    expect_text_n(out.columns[1].cells[0].text.ptr, out.columns[1].cells[0].text.len,
                  story->says);
    buf_release(&screen.text);
    table_release(&out);
    table_release(&waits);
    table_release(&runs);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, the_screen_says, stories);
    return suite_run(&suite, "job_waits");
}
