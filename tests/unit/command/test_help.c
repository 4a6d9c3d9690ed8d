/* SPDX-License-Identifier: MIT */

/*
 * Help, manual pages and completion are loops over tables: what a good row gives, for every row.
 */
#include "command/help.h"

#include <stdio.h>

#include "command/globals.h"
#include "report/catalog.h"
#include "service/core/service.h"
#include "support/expect.h"

enum { WIDTH = 100, ALL_MAX = 1 << 20 };

/* Lines people read fit their screens, and end where their text does. */
static void expect_readable(struct str text)
{
    expect_true(text.len > 0 && text.ptr[text.len - 1] == '\n');
    for (struct str rest = text; rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        if (str_width(line) > WIDTH) {
            expect_fail("too long: %.*s", STR_ARG(line));
        }
        expect_false(line.len > 0 && line.ptr[line.len - 1] == ' ');
        expect_true(memchr(line.ptr, '\t', line.len) == NULL);
    }
}

static void the_overview_names_every_command(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out, ALL_MAX);
    help_overview(&out);
    expect_readable(buf_str(&out));
    for (size_t i = 0; operations[i]; i++) {
        expect_contains(out.ptr, operations[i]->name);
        expect_contains(out.ptr, operations[i]->summary);
    }
    for (size_t i = 0; i < global_param_count; i++) {
        expect_contains(out.ptr, global_params[i].name);
    }
    buf_release(&out);
}

static void the_help_of_a_command_has_all_its_options(void **state)
{
    (void)state;
    for (size_t k = 0; operations[k]; k++) {
        struct buf out;
        struct param param;
        buf_init(&out, ALL_MAX);
        help_operation(&out, operations[k]);
        for (size_t i = 0; operation_param(operations[k], i, &param); i++) {
            char option[64];
            if (operations[k]->brief && i >= operations[k]->param_count && !param.letter) {
                continue; /* those are in the help of report, and in the manual */
            }
            (void)snprintf(option, sizeof option, "--%s", param.name);
            expect_contains(out.ptr, param.positional ? param.value : option);
        }
        expect_contains(out.ptr, "Examples:\n  ");
        buf_release(&out);
    }
}

static void the_help_of_a_command_is_readable(void **state)
{
    (void)state;
    for (size_t k = 0; operations[k]; k++) {
        struct buf out;
        buf_init(&out, ALL_MAX);
        help_operation(&out, operations[k]);
        expect_readable(buf_str(&out));
        buf_release(&out);
    }
}

/* What they do without --from: unit/report and the tests of each command hold that. */
static void the_default_of_a_period_is_that_of_the_command(void **state)
{
    static const struct {
        const char *command, *from;
    } rows[] = {
        {"usage", "default 30 days ago"},
        {"jobs", "default 30 days ago; with -j, any time"},
        {"history", "default the first of --years"},
        {"forecast", "default this-year"},
        {"check", "default the first record in the store"},
        {"demo", "default 365 days ago"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct operation *operation = operation_find(str_of(rows[i].command));
        struct param param = {0};
        size_t p = 0;
        while (operation_param(operation, p++, &param) && strcmp(param.name, "from") != 0) {
        }
        expect_contains(param.help, rows[i].from);
    }
}

static void the_help_of_report_has_every_measure(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out, ALL_MAX);
    help_operation(&out, operation_find(STR("report")));
    for (size_t i = 0; i < measure_count; i++) {
        expect_contains(out.ptr, measures[i].id);
    }
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (dimension_is(&run_fields[i])) {
            expect_contains(out.ptr, run_fields[i].id);
        }
    }
    buf_release(&out);
}

/* A line of roff that begins with a dot or an apostrophe is a request: only ours may be. */
static void expect_roff(const char *text)
{
    static const char *const requests[] = {".TH ", ".SH ", ".TP", ".B ", ".BR ", ".I ", ".PP"};
    expect_true(strncmp(text, ".TH STINT", 9) == 0);
    for (struct str rest = str_of(text); rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        bool known = line.len == 0 || (line.ptr[0] != '.' && line.ptr[0] != '\'');
        for (size_t i = 0; !known && i < COUNT_OF(requests); i++) {
            known = str_starts(line, str_of(requests[i]));
        }
        if (!known) {
            expect_fail("not one of our requests: %.*s", STR_ARG(line));
        }
        /* a backslash hides a dash, a dot at the start, or is \e itself */
        for (size_t i = 0; i + 1 < line.len; i++) {
            if (line.ptr[i] == '\\') {
                expect_true(strchr("-&e", line.ptr[i + 1]) != NULL);
                i++;
            }
        }
    }
}

static void manuals_are_roff(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out, ALL_MAX);
    help_manual(&out, NULL);
    expect_roff(out.ptr);
    expect_contains(out.ptr, ".SH EXIT STATUS");
    for (size_t k = 0; operations[k]; k++) {
        buf_clear(&out);
        help_manual(&out, operations[k]);
        expect_roff(out.ptr);
        expect_contains(out.ptr, ".SH NAME\nstint\\-");
        expect_contains(out.ptr, ".SH EXAMPLES\n");
    }
    buf_release(&out);
}

static void texts_of_operations_suit_where_they_go(void **state)
{
    (void)state;
    for (size_t k = 0; operations[k]; k++) {
        const struct operation *operation = operations[k];
        expect_true(operation->run && operation->examples && operation->description);
        expect_true(strlen(operation->summary) < 70);
        /* it stands between apostrophes in fish's completion */
        expect_true(strchr(operation->summary, '\'') == NULL);
        expect_true(operation->summary[strlen(operation->summary) - 1] != '.');
        struct param param;
        for (size_t i = 0; operation_param(operation, i, &param); i++) {
            expect_true(param.help && strlen(param.help) > 0);
            expect_true(!str_ends(str_of(param.help), STR(".")) ||
                        str_ends(str_of(param.help), STR("...")));
            expect_true((param.type == PARAM_FLAG) == (param.value == NULL));
            expect_true(param.type != PARAM_CHOICE || param.choices || param.name_at);
        }
    }
}

static void completion_knows_three_shells(void **state)
{
    (void)state;
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (size_t i = 0; i < COUNT_OF(shells); i++) {
        struct buf out;
        struct error err = {0};
        buf_init(&out, ALL_MAX);
        expect_int(help_completion(&out, str_of(shells[i]), &err), 0);
        for (size_t k = 0; operations[k]; k++) {
            expect_contains(out.ptr, operations[k]->name);
        }
        expect_contains(out.ptr, "cpu_hours");
        expect_contains(out.ptr, "markdown");
        buf_release(&out);
    }
}

static void another_shell_is_refused(void **state)
{
    (void)state;
    struct buf out;
    struct error err = {0};
    buf_init(&out, ALL_MAX);
    expect_int(help_completion(&out, STR("tcsh"), &err), ERROR_USAGE);
    expect_text(err.text, "there is no completion for 'tcsh': choose one of: bash zsh fish");
    expect_int(help_completion(&out, STR(""), &err), ERROR_USAGE);
    expect_text(err.text, "completion needs a shell: bash, zsh or fish");
    expect_uint(out.len, 0);
    buf_release(&out);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, the_overview_names_every_command);
    SUITE_TEST(&suite, the_help_of_a_command_has_all_its_options);
    SUITE_TEST(&suite, the_help_of_a_command_is_readable);
    SUITE_TEST(&suite, the_default_of_a_period_is_that_of_the_command);
    SUITE_TEST(&suite, the_help_of_report_has_every_measure);
    SUITE_TEST(&suite, manuals_are_roff);
    SUITE_TEST(&suite, texts_of_operations_suit_where_they_go);
    SUITE_TEST(&suite, completion_knows_three_shells);
    SUITE_TEST(&suite, another_shell_is_refused);
    return suite_run(&suite, "help");
}
