/* SPDX-License-Identifier: MIT */
#include "view/metrics/openmetrics.h"

#include "support/expect.h"

struct label_row {
    const char *name;
    const char *value;
    const char *want;
};

/* The value itself has a backslash where a control character was; the format doubles it. */
static const struct label_row label_rows[] = {
    {"plain", "chem", "m{account=\"chem\"} 1\n"},
    {"empty", "", "m{account=\"\"} 1\n"},
    {"quote and backslash", "a\"b\\c", "m{account=\"a\\\"b\\\\c\"} 1\n"},
    {"line break", "a\nb 2", "m{account=\"a\\\\nb 2\"} 1\n"},
    {"escape character", "\x1b[2J", "m{account=\"\\\\x1b[2J\"} 1\n"},
    {"no width", "a\u200bb", "m{account=\"a\\\\u200bb\"} 1\n"},
    {"not UTF-8", "a\xff", "m{account=\"a\xef\xbf\xbd\"} 1\n"},
    {"letters beyond ASCII", "Ærø", "m{account=\"Ærø\"} 1\n"},
};

static void label_is_visible(void **state)
{
    const struct label_row *row = *state;
    const struct openmetrics_family family = {.name = "m", .type = METRIC_GAUGE};
    struct buf out;
    buf_init(&out, 1000);
    openmetrics_begin(&out, &family);
    openmetrics_label(&out, "account", str_of(row->value));
    openmetrics_real(&out, 1);
    expect_text(out.ptr, row->want);
    buf_release(&out);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, label_is_visible, label_rows);
    return suite_run(&suite, "openmetrics");
}
