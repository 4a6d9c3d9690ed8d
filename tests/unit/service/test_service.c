/* SPDX-License-Identifier: MIT */

/*
 * Requests and answers, and the table of operations itself.
 */
#include "service/core/service.h"

#include "support/expect.h"

static const char *const colours[] = {"red", "green", NULL};

static const char *colour_at(size_t index)
{
    return colours[index];
}

static const struct param toy_params[] = {
    {.name = "thing", .type = PARAM_TEXT, .value = "THING", .help = "what", .positional = true},
    {.name = "size", .type = PARAM_NUMBER, .value = "N", .fallback = "7", .help = "how large"},
    {.name = "loud", .type = PARAM_FLAG, .help = "noise"},
    {.name = "colour",
     .type = PARAM_TEXT,
     .value = "COLOUR",
     .name_at = colour_at,
     .help = "hue",
     .repeated = true},
};

static const struct operation toy = {
    .name = "toy",
    .params = toy_params,
    .param_count = COUNT_OF(toy_params),
    .sets = PARAMS_PERIOD,
};

static struct request request_of(const struct request_value *values, size_t count)
{
    return (struct request){&toy, values, count, NULL};
}

static void expect_str(struct str got, const char *want)
{
    expect_true((got.ptr != NULL) == (want != NULL));
    if (want) {
        expect_text_n(got.ptr, got.len, want);
    }
}

static void absent_values_have_fallbacks(void **state)
{
    (void)state;
    struct request request = request_of(NULL, 0);
    struct error err = {0};
    int64_t number = 0;
    expect_str(request_text(&request, "thing"), NULL);
    expect_str(request_text(&request, "size"), "7");
    expect_false(request_flag(&request, "loud"));
    expect_false(request_has(&request, "size"));
    expect_int(request_number(&request, "size", 5, &number, &err), 0);
    expect_int(number, 7);
    expect_int(request_number(&request, "from", 5, &number, &err), 0);
    expect_int(number, 5);
}

static void the_last_value_counts(void **state)
{
    (void)state;
    const struct request_value values[] = {
        {"size", STR("1")}, {"thing", STR("a")}, {"size", STR("2")}, {"loud", STR("yes")}};
    struct request request = request_of(values, COUNT_OF(values));
    struct error err = {0};
    int64_t number = 0;
    expect_int(request_number(&request, "size", 5, &number, &err), 0);
    expect_int(number, 2);
    expect_str(request_text(&request, "thing"), "a");
    expect_true(request_flag(&request, "loud"));
}

static void repeated_values_come_in_order(void **state)
{
    (void)state;
    const struct request_value values[] = {{"colour", STR("red")},
                                           {"size", STR("1")},
                                           {"colour", STR("")},
                                           {"colour", STR("green")}};
    struct request request = request_of(values, COUNT_OF(values));
    struct str got = {0};
    expect_true(request_each(&request, "colour", 0, &got));
    expect_str(got, "red");
    expect_true(request_each(&request, "colour", 1, &got));
    expect_str(got, "");
    expect_true(request_each(&request, "colour", 2, &got));
    expect_str(got, "green");
    expect_false(request_each(&request, "colour", 3, &got));
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    "x", "-1", "1.5", "1 ", "99999999999999999999",
                                      "0x10"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const struct request_value value = {"size", str_of(bad[i])};
        struct request request = request_of(&value, 1);
        struct error err = {0};
        int64_t number = 0;
        expect_int(request_number(&request, "size", 5, &number, &err), ERROR_USAGE);
        expect_contains(err.text, "--size needs a whole number");
    }
}

static void parameters_are_the_operations_own_then_those_of_its_sets(void **state)
{
    (void)state;
    struct param param;
    expect_true(operation_param(&toy, 0, &param));
    expect_text(param.name, "thing");
    expect_true(operation_param(&toy, 4, &param));
    expect_text(param.name, "from");
    expect_true(operation_param(&toy, 5, &param));
    expect_text(param.name, "to");
    expect_false(operation_param(&toy, 6, &param));
}

static void operations_are_found_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; operations[i]; i++) {
        expect_true(operation_find(str_of(operations[i]->name)) == operations[i]);
    }
    expect_true(operation_find(STR("")) == NULL);
    expect_true(operation_find(STR("rep")) == NULL);
    expect_true(operation_find(STR("Report")) == NULL);
}

static void notes_are_chosen_by_kind(void **state)
{
    (void)state;
    struct answer answer = {0}, other = {0};
    struct buf lines;
    buf_init(&lines, 1 << 10);
    answer_note(&answer, NOTE_READING, "%d of %s", 3, "them");
    answer_note_about(&other, NOTE_REJECTED, STR("a.log"), "two\nlines");
    note_append(&answer.notes, &other.notes);
    answer_release(&other);
    note_lines(&lines, &answer.notes, NOTE_ALL);
    expect_text(lines.ptr, "3 of them\ntwo lines\n");
    buf_clear(&lines);
    note_lines(&lines, &answer.notes, NOTE_BIT(NOTE_REJECTED));
    expect_text(lines.ptr, "two lines\n");
    expect_text(answer.notes.rows[1].about, "a.log");
    expect_true(answer.notes.rows[0].about == NULL);
    buf_release(&lines);
    answer_release(&answer);
    expect_uint(answer.notes.count, 0);
    answer_release(&answer); /* twice does no harm */
}

/* The names of the actions are the choices of the first parameter, each with a role of its own. */
static void actions_are_the_choices_of_the_first_parameter(void **state)
{
    (void)state;
    size_t with_actions = 0;
    for (size_t k = 0; operations[k]; k++) {
        const struct operation *operation = operations[k];
        if (operation->action_count == 0) {
            continue;
        }
        with_actions++;
        expect_text(operation->params[0].name, "action");
        expect_int(operation->params[0].type, PARAM_CHOICE);
        struct str rest = str_of(operation->params[0].choices);
        for (size_t i = 0; i < operation->action_count; i++) {
            expect_str(str_cut(&rest, ' '), operation->actions[i].name);
            expect_true(operation->actions[i].summary != NULL);
            const struct request_value value = {"action", str_of(operation->actions[i].name)};
            const struct request request = {operation, &value, 1, NULL};
            expect_int(request_rights(&request), operation->actions[i].rights);
        }
        expect_true(rest.ptr == NULL);
    }
    expect_true(with_actions >= 8);
}

struct role_row {
    const char *name, *operation, *action;
    unsigned want;
};

static const struct role_row role_rows[] = {
    {"adding", "metagroup", "add", RIGHT_BOOKS},
    {"listing", "metagroup", "list", RIGHT_OWN},
    {"people", "people", "list", RIGHT_ALL},
    {"syncing", "people", "sync", RIGHT_BOOKS | RIGHT_ALL},
    {"importing", "gap", "import", RIGHT_BOOKS},
    {"a price", "rate", "add", RIGHT_MONEY},
    {"a dump", "books", "dump", RIGHT_BOOKS | RIGHT_ALL},
    {"history", "books", "history", RIGHT_ALL},
    {"restoring", "books", "restore", RIGHT_BOOKS | RIGHT_ACCESS | RIGHT_MONEY | RIGHT_ALL},
    {"without actions", "demo", "", RIGHT_PUBLIC},
};

static void each_action_needs_its_own_rights(void **state)
{
    const struct role_row *row = *state;
    const struct request_value value = {"action", str_of(row->action)};
    const struct request request = {operation_find(str_of(row->operation)), &value, 1, NULL};
    expect_int(request_rights(&request), row->want);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, absent_values_have_fallbacks);
    SUITE_TEST(&suite, the_last_value_counts);
    SUITE_TEST(&suite, repeated_values_come_in_order);
    SUITE_TEST(&suite, what_is_no_number_is_refused);
    SUITE_TEST(&suite, parameters_are_the_operations_own_then_those_of_its_sets);
    SUITE_TEST(&suite, operations_are_found_by_name);
    SUITE_TEST(&suite, actions_are_the_choices_of_the_first_parameter);
    SUITE_ROWS(&suite, each_action_needs_its_own_rights, role_rows);
    SUITE_TEST(&suite, notes_are_chosen_by_kind);
    return suite_run(&suite, "service");
}
