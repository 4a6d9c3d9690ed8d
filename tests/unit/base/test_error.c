/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "support/expect.h"

static void error_set_fills_kind_and_text(void **state)
{
    (void)state;
    struct error err = {0};
    expect_int(error_set(&err, ERROR_INPUT, "cannot read '%s'", "x"), ERROR_INPUT);
    expect_int(err.kind, ERROR_INPUT);
    expect_text(err.text, "cannot read 'x'");
}

static void error_set_without_an_error_returns_the_kind(void **state)
{
    (void)state;
    expect_int(error_set(NULL, ERROR_LIMIT, "too %s", "much"), ERROR_LIMIT);
}

static void error_text_is_cut_and_terminated(void **state)
{
    (void)state;
    char text[3 * ERROR_TEXT_MAX];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    struct error err = {0};
    error_set(&err, ERROR_IO, "%s", text);
    expect_uint(strlen(err.text), ERROR_TEXT_MAX - 1);
    error_prepend(&err, "%s", text);
    expect_uint(strlen(err.text), ERROR_TEXT_MAX - 1);
    errno = EIO;
    error_errno(&err, "%s", text);
    expect_uint(strlen(err.text), ERROR_TEXT_MAX - 1);
}

static void error_set_may_use_the_old_text(void **state)
{
    (void)state;
    struct error err = {0};
    error_set(&err, ERROR_IO, "inner");
    error_set(&err, ERROR_STORE, "outer (%s)", err.text);
    expect_text(err.text, "outer (inner)");
}

static void a_sentence_is_utf8_whatever_it_quotes(void **state)
{
    (void)state;
    struct error err = {0};
    error_set(&err, ERROR_INPUT, "no number: '%s'", "caf\xe9 \xc3\xa9 \xff");
    expect_text(err.text, "no number: 'caf\\xe9 \xc3\xa9 \\xff'");
    error_prepend(&err, "%s", "\xe9: ");
    expect_text(err.text, "\\xe9: no number: 'caf\\xe9 \xc3\xa9 \\xff'");
    char text[2 * ERROR_TEXT_MAX];
    for (size_t i = 0; i + 1 < sizeof(text); i += 2) {
        memcpy(text + i, "\xc3\xa9", 2);
    }
    text[sizeof(text) - 1] = '\0';
    error_set(&err, ERROR_INPUT, "%s", text); /* cut between characters */
    expect_true(str_is_utf8(str_of(err.text)));
    expect_uint(strlen(err.text), ERROR_TEXT_MAX - 2);
}

struct errno_row {
    const char *name;
    int number;
    enum error_kind kind;
    const char *text;
};

static const struct errno_row errno_rows[] = {
    {"ENOENT", ENOENT, ERROR_MISSING, "cannot open 'x': No such file or directory"},
    {"EACCES", EACCES, ERROR_DENIED, "cannot open 'x': Permission denied"},
    {"EPERM", EPERM, ERROR_DENIED, "cannot open 'x': Operation not permitted"},
    {"ENOSPC", ENOSPC, ERROR_IO, "cannot open 'x': No space left on device"},
    {"EIO", EIO, ERROR_IO, "cannot open 'x': Input/output error"},
};

static void error_errno_says_what_the_system_said(void **state)
{
    const struct errno_row *row = *state;
    struct error err = {0};
    errno = row->number;
    expect_int(error_errno(&err, "cannot open '%s'", "x"), row->kind);
    expect_int(err.kind, row->kind);
    expect_text(err.text, row->text);
    expect_int(errno, row->number);
    expect_int(error_errno(NULL, "cannot open '%s'", "x"), row->kind);
}

static void error_prepend_puts_context_first(void **state)
{
    (void)state;
    struct error err = {0};
    error_set(&err, ERROR_MISSING, "no such zone");
    expect_int(error_prepend(&err, "line %d: ", 3), ERROR_MISSING);
    expect_text(err.text, "line 3: no such zone");
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, error_set_fills_kind_and_text);
    SUITE_TEST(&suite, error_set_without_an_error_returns_the_kind);
    SUITE_TEST(&suite, error_text_is_cut_and_terminated);
    SUITE_TEST(&suite, error_set_may_use_the_old_text);
    SUITE_TEST(&suite, a_sentence_is_utf8_whatever_it_quotes);
    SUITE_ROWS(&suite, error_errno_says_what_the_system_said, errno_rows);
    SUITE_TEST(&suite, error_prepend_puts_context_first);
    return suite_run(&suite, "error");
}
