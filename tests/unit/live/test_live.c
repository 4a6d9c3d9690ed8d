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
    expect_number("SELECT seen_to FROM marks WHERE what = 'history'", AT(15));
    expect_number("SELECT count(*) FROM askings WHERE failure = 'cannot reach slurmctld'", 1);
    script.fails = NULL;
    script.queue = "";
    script.history = ENDED;
    pull_at(60);
    expect_int(script.history_from, AT(15));
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

static void a_long_history_comes_in_rounds(void **state)
{
    (void)state;
    script.history = ENDED;
    script.rounds_left = 3;
    pull_at(60);
    expect_int(script.asked, 4);
    expect_int(script.history_from, AT(60));
    expect_number("SELECT count(*) FROM runs", 1);
}

static void nodes_become_stretches(void **state)
{
    (void)state;
    struct thing_list nodes = {0};
    THING_SET_TEXT(thing_list_add(&nodes), NODE_node, STR("n1"));
    THING_SET_INT(&nodes.rows[0], NODE_cpus, 64);
    script.nodes = &nodes;
    expect_int(pull_at(10), 1);
    expect_int(pull_at(20), 0);
    THING_SET_INT(&nodes.rows[0], NODE_cpus, 32);
    expect_int(pull_at(30), 1);
    expect_number("SELECT count(*) FROM nodes", 2);
    expect_number("SELECT count(*) FROM askings WHERE what = 'node' AND via = 'sinfo'", 3);
    thing_list_release(&nodes);
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
