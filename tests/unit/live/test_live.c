/* SPDX-License-Identifier: MIT */
#include "live/live.h"

#include "unit/live/pulled.h"

static void a_pull_that_fails_has_asked_nothing(void **state)
{
    (void)state;
    script.queue = PENDING;
    script.history = "";
    pull_at(15);
    script.queue = RUNNING;
    script.fails = "cannot reach slurmctld";
    pull_fails(30, "cannot reach slurmctld");
    expect_facts("7|---|PENDING|pending|---|---|15|0\n");
    expect_number("SELECT seen_to FROM marks WHERE what = 'history'", AT(10));
    expect_number("SELECT count(*) FROM askings WHERE failure = 'cannot reach slurmctld'", 1);
    script.fails = NULL;
    script.queue = "";
    script.history = ENDED;
    pull_at(60);
    expect_int(script.history_from, AT(10));
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
}

struct nonsense_row {
    const char *name, *bytes, *says;
};

static const struct nonsense_row nonsense_rows[] = {
    {"a web page", "<html><body>502 Bad Gateway</body></html>\n", "does not look like slurm"},
    {"nothing", "", "is empty"},
    {"half a record", SCRIPT_HEADER RUNNING "8|2026-01-01T00:0", "ends inside a record"},
    {"noise", "\x01\x02\x03\xff\xfe", "does not look like slurm"},
};

static void nonsense_changes_nothing(void **state)
{
    const struct nonsense_row *row = *state;
    set_up(NULL);
    script.history = RUNNING;
    pull_at(15);
    script.raw = row->bytes;
    pull_fails(30, row->says);
    expect_number("SELECT seen_to FROM marks WHERE what = 'history'", AT(15));
    expect_number("SELECT count(*) FROM runs", 1);
    script.raw = NULL;
    script.history = ENDED;
    pull_at(60);
    expect_int(script.history_from, AT(15));
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
    tear_down(NULL);
}

/* The note of a pull that found the marks of an earlier one to be ahead. */
static void expect_mended(int64_t second, const char *says)
{
    struct pull_summary summary;
    struct error err = {0};
    script_clock = AT(second);
    expect_int(pull_into(&summary, &err), 0);
    expect_contains(summary.mended.text, says);
    pull_summary_release(&summary);
    follow_pull();
}

enum { AHEAD = 30 * 86400 };

static void a_clock_ahead_does_not_carry_the_mark_along(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(30);
    pull_at(40 + AHEAD); /* our clock is wrong; the scheduler's is not */
    expect_number("SELECT seen_to FROM marks WHERE what = 'history'", AT(20));
    script.queue = "";
    script.history = ENDED;
    expect_mended(60, "a clock was ahead during an earlier pull");
    expect_int(script.history_from, AT(20));
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
    expect_number("SELECT seen_to FROM marks WHERE what = 'history'", AT(50));
    expect_number("SELECT count(*) FROM askings WHERE \"at\" > 1767225700000000", 0);
    expect_mended(70, "");
}

static void what_a_clock_ahead_saw_is_seen_by_now_at_most(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(40 + AHEAD);
    expect_number("SELECT seen FROM runs", AT(40 + AHEAD));
    expect_mended(60, "a clock was ahead");
    expect_number("SELECT seen FROM runs", AT(60));
    script.queue = "";
    pull_at(70);
    expect_facts("7|---|RUNNING|other|20|60|60|1024\n");
}

static void a_mark_ahead_of_the_clock_is_mended(void **state)
{
    (void)state;
    script.queue = "";
    script.history = "";
    pull_at(30);
    struct error err = {0};
    struct facts *facts = NULL;
    expect_int(facts_at(toy.store, FACTS_WRITE, &facts, &err), 0);
    expect_int(facts_execute(facts,
                             "UPDATE marks SET seen_to = 1800000000000000 WHERE what = "
                             "'history'",
                             (struct facts_values){0}, NULL, &err),
               0);
    facts_leave(facts);
    script.history = ENDED;
    expect_mended(60, "all of its history is asked for again");
    expect_int(script.history_from, -1);
    expect_number("SELECT seen_to FROM marks WHERE what = 'history'", AT(50));
    expect_mended(70, "");
    expect_int(script.history_from, AT(50));
}

static void a_long_history_comes_in_rounds(void **state)
{
    (void)state;
    script.history = ENDED;
    script.rounds_left = 3;
    pull_at(60);
    expect_int(script.asked, 4);
    expect_int(script.history_from, AT(50));
    expect_number("SELECT count(*) FROM runs", 1);
}

static void nodes_become_stretches(void **state)
{
    (void)state;
    struct inventory_item_list nodes = {0};
    INVENTORY_ITEM_SET_TEXT(inventory_item_list_add(&nodes), NODE_node, STR("n1"));
    INVENTORY_ITEM_SET_INT(&nodes.rows[0], NODE_cpus, 64);
    script.nodes = &nodes;
    expect_int(pull_at(10), 1);
    expect_int(pull_at(20), 0);
    INVENTORY_ITEM_SET_INT(&nodes.rows[0], NODE_cpus, 32);
    expect_int(pull_at(30), 1);
    expect_number("SELECT count(*) FROM nodes", 2);
    expect_number("SELECT count(*) FROM askings WHERE what = 'node' AND via = 'sinfo'", 3);
    inventory_item_list_release(&nodes);
}

static void others_clusters_are_left_alone(void **state)
{
    (void)state;
    struct pull_summary summary;
    struct error err;
    struct pull pull = {.cluster = "birch", .zone = utc, .now = script_now};
    script.queue = RUNNING;
    script.history = "";
    script_clock = AT(30);
    expect_int(live_pull(&pull, &scripted_driver, &(struct session){.folder = toy.store},
                         &summary, &err),
               0);
    pull_summary_release(&summary);
    script.queue = "";
    expect_int(pull_at(40), 0);
    expect_facts("7|---|RUNNING|running|20|---|30|0\n");
}

static const struct {
    const char *name;
    CMUnitTestFunction function;
} tests[] = {

#define T(name)                                                                                \
    {                                                                                          \
#        name, name                                                                            \
    }
    T(a_pull_that_fails_has_asked_nothing),
    T(a_clock_ahead_does_not_carry_the_mark_along),
    T(what_a_clock_ahead_saw_is_seen_by_now_at_most),
    T(a_mark_ahead_of_the_clock_is_mended),
    T(a_long_history_comes_in_rounds),
    T(nodes_become_stretches),
    T(others_clusters_are_left_alone),
};

int main(void)
{
    struct suite suite = {0};
    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        suite_test_with(&suite, tests[i].name, tests[i].function, set_up, tear_down, NULL);
    }
    SUITE_ROWS(&suite, nonsense_changes_nothing, nonsense_rows);
    return suite_run(&suite, "live");
}
