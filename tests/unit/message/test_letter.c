/* SPDX-License-Identifier: MIT */
#include "message/letter.h"

#include <string.h>

#include "support/expect.h"

static struct buf written;

static int write(struct message message)
{
    struct error err;
    buf_clear(&written);
    return letter_write(&message, STR("stint@example.org"), 0, "\n", &written, &err);
}

static void a_plain_mail_is_readable_as_it_is(void **state)
{
    (void)state;
    expect_int(
        write((struct message){STR("ann@example.org"), STR("90 % used"), STR("chem\n.\nlast")}),
        0);
    expect_text(written.ptr, "From: stint@example.org\n"
                             "To: ann@example.org\n"
                             "Subject: 90 % used\n"
                             "Date: Thu, 1 Jan 1970 00:00:00 +0000\n"
                             "Auto-Submitted: auto-generated\n"
                             "MIME-Version: 1.0\n"
                             "Content-Type: text/plain; charset=utf-8\n"
                             "Content-Transfer-Encoding: 7bit\n"
                             "\n"
                             "chem\n.\nlast\n");
}

static void text_beyond_ascii_is_encoded(void **state)
{
    (void)state;
    expect_int(write((struct message){STR("ann@example.org"), STR("für"), STR("é\n")}), 0);
    expect_contains(written.ptr, "Subject: =?UTF-8?B?ZsO8cg==?=\n");
    expect_contains(written.ptr, "Content-Transfer-Encoding: base64\n\nw6kK\n");
}

/* Encoded words have whole characters, and lines of a mail are short. */
static void a_long_subject_is_cut_between_characters(void **state)
{
    (void)state;
    char subject[201];
    for (size_t i = 0; i < 200; i += 2) {
        memcpy(&subject[i], "\xc3\xa9", 2);
    }
    expect_int(write((struct message){STR("ann@example.org"), {subject, 200}, STR("\n")}), 0);
    size_t longest = 0, line = 0;
    for (size_t i = 0; i < written.len; i++) {
        line = written.ptr[i] == '\n' ? 0 : line + 1;
        longest = line > longest ? line : longest;
    }
    expect_true(longest < 90);
    expect_contains(written.ptr, "w6k=?=\n =?UTF-8?B?w6nDqcOp");
}

static void a_line_too_long_for_mail_is_encoded(void **state)
{
    (void)state;
    char body[2000];
    memset(body, 'x', sizeof(body));
    expect_int(write((struct message){STR("ann@example.org"), STR("s"), {body, sizeof(body)}}),
               0);
    expect_contains(written.ptr, "Content-Transfer-Encoding: base64\n\neHh4");
}

struct refused_row {
    const char *name, *to, *subject, *body;
};

static const struct refused_row refused_rows[] = {
    {"two addresses", "ann@example.org,bob@example.org", "s", "b"},
    {"an address with a line break", "ann@example.org\nBcc: all@example.org", "s", "b"},
    {"an option", "-bs@example.org", "s", "b"},
    {"a login", "ann", "s", "b"},
    {"nothing before @", "@example.org", "s", "b"},
    {"a name and an address", "Ann <ann@example.org>", "s", "b"},
    {"a subject with a line break", "ann@example.org", "s\nBcc: all@example.org", "b"},
    {"a text that is not UTF-8", "ann@example.org", "s", "\xff"},
};

static void what_could_be_more_than_it_says_is_refused(void **state)
{
    const struct refused_row *row = *state;
    expect_int(
        write((struct message){str_of(row->to), str_of(row->subject), str_of(row->body)}),
        ERROR_INPUT);
}

int main(void)
{
    struct suite suite = {0};
    buf_init(&written, 1 << 20);
    SUITE_TEST(&suite, a_plain_mail_is_readable_as_it_is);
    SUITE_TEST(&suite, text_beyond_ascii_is_encoded);
    SUITE_TEST(&suite, a_long_subject_is_cut_between_characters);
    SUITE_TEST(&suite, a_line_too_long_for_mail_is_encoded);
    SUITE_ROWS(&suite, what_could_be_more_than_it_says_is_refused, refused_rows);
    const int failed = suite_run(&suite, "letter");
    buf_release(&written);
    return failed;
}
