/* SPDX-License-Identifier: MIT */
#include "sampler/gpu.h"

#include <stdio.h>

#include "base/file.h"
#include "support/expect.h"

enum { FIXTURE_MAX = 1 << 20 };

struct cards {
    struct gpu_list list;
    struct arena arena;
    struct error err;
};

static void read_fixture(const char *name, struct buf *out)
{
    struct error err;
    char path[1024];
    (void)snprintf(path, sizeof(path), "%s/sampler/nvidia/%s", TEST_FIXTURES, name);
    buf_init(out, FIXTURE_MAX);
    if (file_read(path, out, &err)) {
        expect_fail("%s", err.text);
    }
}

static void read_all(struct cards *cards)
{
    struct buf text;
    *cards = (struct cards){0};
    read_fixture("cards.csv", &text);
    expect_int(gpu_read_cards(&cards->list, buf_str(&text), &cards->arena, &cards->err), 0);
    buf_release(&text);
    read_fixture("uses.csv", &text);
    expect_int(gpu_read_uses(&cards->list, buf_str(&text), &cards->arena, &cards->err), 0);
    buf_release(&text);
    read_fixture("pmon.txt", &text);
    expect_int(gpu_read_pmon(&cards->list, buf_str(&text), &cards->err), 0);
    buf_release(&text);
}

#define NO INT64_MIN /* absent, in these tests */

static void expect_all(const struct look_values *values, const int64_t *want, size_t count)
{
    for (unsigned i = 0; i < count; i++) {
        if (look_has(values, i) != (want[i] != NO) ||
            (want[i] != NO && values->at[i] != want[i])) {
            expect_fail("value %u is %lld (%s), not %lld", i, (long long)values->at[i],
                        look_has(values, i) ? "known" : "absent", (long long)want[i]);
        }
    }
}

static void what_a_card_does_not_tell_is_absent(void **state)
{
    (void)state;
    static const int64_t want[][GPU_FIELD_COUNT] = {
        {[GPU_index] = 0,
         [GPU_failing] = 0,
         [GPU_fan] = 37,
         [GPU_performance_state] = 4,
         [GPU_memory] = 5122048,
         [GPU_ce_util] = 94,
         [GPU_memory_util] = 53,
         [GPU_temperature] = 61,
         [GPU_power] = 191,
         [GPU_power_limit] = 250,
         [GPU_ce_clock] = 1785,
         [GPU_memory_clock] = 6800},
        {[GPU_index] = 1,
         [GPU_failing] = 0,
         [GPU_fan] = NO,
         [GPU_performance_state] = 2,
         [GPU_memory] = 0,
         [GPU_ce_util] = 0,
         [GPU_memory_util] = 0,
         [GPU_temperature] = 27,
         [GPU_power] = 2,
         [GPU_power_limit] = 250,
         [GPU_ce_clock] = 300,
         [GPU_memory_clock] = 405},
        {[GPU_index] = 2,
         [GPU_failing] = 0,
         [GPU_fan] = NO,
         [GPU_performance_state] = 2,
         [GPU_memory] = 1048576,
         [GPU_ce_util] = NO,
         [GPU_memory_util] = NO,
         [GPU_temperature] = 47,
         [GPU_power] = NO,
         [GPU_power_limit] = NO,
         [GPU_ce_clock] = NO,
         [GPU_memory_clock] = 2619},
        {[GPU_index] = 3,
         [GPU_failing] = 1,
         [GPU_fan] = NO,
         [GPU_performance_state] = NO,
         [GPU_memory] = NO,
         [GPU_ce_util] = NO,
         [GPU_memory_util] = NO,
         [GPU_temperature] = NO,
         [GPU_power] = NO,
         [GPU_power_limit] = NO,
         [GPU_ce_clock] = NO,
         [GPU_memory_clock] = NO},
    };
    struct cards cards;
    read_all(&cards);
    expect_uint(cards.list.count, COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        expect_all(&cards.list.cards[i].values, want[i], GPU_FIELD_COUNT);
        expect_true(cards.list.cards[i].uuid.ptr != NULL);
    }
    expect_text_n(cards.list.cards[1].compute_mode.ptr, cards.list.cards[1].compute_mode.len,
                  "Exclusive_Process");
    expect_true(cards.list.cards[3].compute_mode.ptr == NULL);
    arena_release(&cards.arena);
}

static void uses_have_their_card_and_pmon_their_share(void **state)
{
    (void)state;
    static const int64_t want[][GPU_USE_VALUE_COUNT] = {
        {[GPU_USE_index] = 0,
         [GPU_USE_gpu_util] = 64,
         [GPU_USE_gpu_memory] = 5017600,
         [GPU_USE_pid] = 701},
        {[GPU_USE_index] = 2,
         [GPU_USE_gpu_util] = NO,
         [GPU_USE_gpu_memory] = NO,
         [GPU_USE_pid] = 701},
        {[GPU_USE_index] = NO,
         [GPU_USE_gpu_util] = NO,
         [GPU_USE_gpu_memory] = 12288,
         [GPU_USE_pid] = 77777},
    };
    struct cards cards;
    read_all(&cards);
    expect_uint(cards.list.use_count, COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        expect_all(&cards.list.uses[i].values, want[i], GPU_USE_VALUE_COUNT);
    }
    expect_text_n(cards.list.uses[2].uuid.ptr, cards.list.uses[2].uuid.len,
                  "MIG-22222222-aaaa-bbbb-cccc-000000000000");
    arena_release(&cards.arena);
}

/* One value in the place of the fan's speed, which is a percentage, or of the temperature. */
struct value_row {
    const char *name;
    const char *text;
    int64_t fan, temperature;
};

static const struct value_row value_rows[] = {
    {"with its unit", "37 %", 37, NO},
    {"without", "37", 37, 37},
    {"zero", "0 %", 0, NO},
    {"zero without", "0", 0, 0},
    {"not available", "[N/A]", NO, NO},
    {"not available, bare", "N/A", NO, NO},
    {"not supported", "[Not Supported]", NO, NO},
    {"unknown", "[Unknown Error]", NO, NO},
    {"not permitted", "[Insufficient Permissions]", NO, NO},
    {"a dash", "-", NO, NO},
    {"nothing", "", NO, NO},
    {"another unit", "37 W", NO, NO},
    {"below zero", "-5", NO, -5},
    {"rounded", "36.5", 37, 37},
    {"beyond all", "99999999999999999999", NO, NO},
    {"large", "99999999999999", NO, NO},
    {"words", "nan", NO, NO},
    {"an error", "ERR!", NO, NO},
};

static const char headings[] =
    "temperature.gpu, fan.speed, index, uuid, compute_mode, pstate, memory.used, "
    "utilization.gpu, "
    "utilization.memory, power.draw, power.limit, clocks.sm, clocks.mem, something.else\n";

static void a_value_is_a_number_or_absent(void **state)
{
    const struct value_row *row = *state;
    struct cards cards = {0};
    char text[2048];
    (void)snprintf(text, sizeof(text), "%s%s, %s, 5, GPU-1\r\n", headings, row->text,
                   row->text);
    expect_int(gpu_read_cards(&cards.list, str_of(text), &cards.arena, &cards.err), 0);
    expect_uint(cards.list.count, 1);
    const struct look_values *values = &cards.list.cards[0].values;
    expect_int(look_has(values, GPU_fan) ? values->at[GPU_fan] : NO, row->fan);
    expect_int(look_has(values, GPU_temperature) ? values->at[GPU_temperature] : NO,
               row->temperature);
    expect_false(look_has(values, GPU_ce_util)); /* a row that is cut off */
    arena_release(&cards.arena);
}

static void a_row_of_no_card_is_said_and_the_others_stay(void **state)
{
    (void)state;
    struct cards cards = {0};
    char text[2048];
    (void)snprintf(text, sizeof(text),
                   "%s1, 2, 0, GPU-1\nUnable to determine the device handle\n1, 2, 1, [N/A]\n",
                   headings);
    expect_int(gpu_read_cards(&cards.list, str_of(text), &cards.arena, &cards.err),
               ERROR_INPUT);
    expect_contains(cards.err.text, "Unable to determine the device handle");
    expect_uint(cards.list.count, 2);
    arena_release(&cards.arena);
}

static void an_answer_that_is_no_table_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "No devices were found\n",
                                        "index, uuid\n0, GPU-1\n"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct cards cards = {0};
        expect_int(gpu_read_cards(&cards.list, str_of(texts[i]), &cards.arena, &cards.err),
                   ERROR_INPUT);
        expect_contains(cards.err.text, "cannot make sense of what nvidia-smi printed");
        expect_int(gpu_read_uses(&cards.list, str_of(texts[i]), &cards.arena, &cards.err),
                   ERROR_INPUT);
        expect_int(gpu_read_pmon(&cards.list, str_of(texts[i]), &cards.err), ERROR_INPUT);
        expect_uint(cards.list.count + cards.list.use_count, 0);
        arena_release(&cards.arena);
    }
}

static void nobody_uses_a_card(void **state)
{
    (void)state;
    struct cards cards = {0};
    expect_int(gpu_read_uses(&cards.list, STR("gpu_uuid, pid, used_gpu_memory [MiB]\n"),
                             &cards.arena, &cards.err),
               0);
    expect_uint(cards.list.use_count, 0);
    arena_release(&cards.arena);
}

static void the_queries_ask_for_every_column(void **state)
{
    (void)state;
    struct buf query;
    buf_init(&query, 1024);
    gpu_card_query(&query);
    expect_text(query.ptr, "--query-gpu=index,uuid,fan.speed,compute_mode,pstate,memory.used,"
                           "utilization.gpu,utilization.memory,temperature.gpu,power.draw,"
                           "power.limit,clocks.sm,clocks.mem");
    buf_clear(&query);
    gpu_use_query(&query);
    expect_text(query.ptr, "--query-compute-apps=gpu_uuid,pid,used_memory");
    buf_release(&query);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, what_a_card_does_not_tell_is_absent);
    SUITE_TEST(&suite, uses_have_their_card_and_pmon_their_share);
    SUITE_ROWS(&suite, a_value_is_a_number_or_absent, value_rows);
    SUITE_TEST(&suite, a_row_of_no_card_is_said_and_the_others_stay);
    SUITE_TEST(&suite, an_answer_that_is_no_table_is_refused);
    SUITE_TEST(&suite, nobody_uses_a_card);
    SUITE_TEST(&suite, the_queries_ask_for_every_column);
    return suite_run(&suite, "gpu");
}
