/* SPDX-License-Identifier: MIT */
#include "unit/source/sge_reader.h"

struct class_row {
    const char *name;
    struct sge_end end;
    enum run_class class;
};

static const struct class_row class_rows[] = {
    {"ran well", {.failed = 0, .exit_status = 0}, CLASS_COMPLETED},
    {"ended with an error", {.failed = 0, .exit_status = 1}, CLASS_FAILED},
    {"could not be started", {.failed = 1, .exit_status = 0}, CLASS_FAILED},
    {"the prolog failed", {.failed = 8, .exit_status = 0}, CLASS_NODE_FAIL},
    {"the host lost it", {.failed = 22, .exit_status = 0}, CLASS_NODE_FAIL},
    {"migrating", {.failed = 24, .exit_status = 137}, CLASS_REQUEUED},
    {"rescheduled", {.failed = 25, .exit_status = 0}, CLASS_REQUEUED},
    {"rescheduled and deleted", {.failed = 25, .deleted = true}, CLASS_REQUEUED},
    {"no such folder", {.failed = 28, .exit_status = 0}, CLASS_FAILED},
    {"application error", {.failed = 30, .exit_status = 100}, CLASS_FAILED},
    {"a limit, not said which", {.failed = 37, .exit_status = 137}, CLASS_TIMEOUT},
    {"a limit on time", {.failed = 37, .exit_status = 137, .over_time = true}, CLASS_TIMEOUT},
    {"a limit on memory", {.failed = 37, .exit_status = 137, .over_memory = true}, CLASS_OOM},
    {"killed", {.failed = 100, .exit_status = 137}, CLASS_FAILED},
    {"killed over time",
     {.failed = 100, .exit_status = 138, .over_time = true, .over_memory = true},
     CLASS_TIMEOUT},
    {"killed over memory", {.failed = 100, .exit_status = 137, .over_memory = true}, CLASS_OOM},
    {"killed inside, over memory",
     {.failed = 0, .exit_status = 137, .over_memory = true},
     CLASS_OOM},
    {"an error near the limits",
     {.failed = 0, .exit_status = 1, .over_time = true, .over_memory = true},
     CLASS_FAILED},
    {"soft cpu limit", {.failed = 100, .exit_status = 152}, CLASS_TIMEOUT},
    {"deleted", {.failed = 100, .exit_status = 137, .deleted = true}, CLASS_CANCELLED},
    {"deleted too late", {.failed = 0, .exit_status = 0, .deleted = true}, CLASS_COMPLETED},
    {"a code nobody told us of", {.failed = 77, .exit_status = 0}, CLASS_OTHER},
    {"the code after the last", {.failed = 39, .exit_status = 0}, CLASS_OTHER},
};

static void class_of_an_end(void **state)
{
    const struct class_row *row = *state;
    struct str got = run_class_name(sge_code_class(&row->end));
    expect_text_n(got.ptr, got.len, run_class_name(row->class).ptr);
}

static void every_code_but_0_has_a_reason(void **state)
{
    (void)state;
    expect_true(sge_code_reason(0).ptr == NULL);
    for (int64_t code = 1; code <= 100; code++) {
        struct str reason = sge_code_reason(code);
        expect_true(reason.len > 0 && str_is_utf8(reason));
        expect_true(reason.ptr[reason.len - 1] != '.');
    }
    expect_true(sge_code_reason(INT64_MAX).len > 0);
    expect_true(sge_code_reason(-1).len > 0);
}

static void signals_are_128_and_more(void **state)
{
    (void)state;
    expect_int(sge_code_signal(0), 0);
    expect_int(sge_code_signal(127), 0);
    expect_int(sge_code_signal(128), 0);
    expect_int(sge_code_signal(129), 1);
    expect_int(sge_code_signal(137), 9);
    expect_int(sge_code_signal(192), 64);
    expect_int(sge_code_signal(193), 0);
    expect_int(sge_code_signal(255), 0);
    expect_int(sge_code_signal(-1), 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, class_of_an_end, class_rows);
    SUITE_TEST(&suite, every_code_but_0_has_a_reason);
    SUITE_TEST(&suite, signals_are_128_and_more);
    return suite_run(&suite, "sge_code");
}
