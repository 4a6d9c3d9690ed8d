/* SPDX-License-Identifier: MIT */
#include "live/live.h"

#include "unit/ingest/toy_store.h"
#include "unit/live/scripted.h"

#define AT(second) ((SCRIPT_EPOCH + (second)) * SECOND_US)
#define SHORT_FACTS                                                                            \
    "SELECT job, task, state, class, (start - 1767225600000000) // 1000000, (\"end\" - "       \
    "1767225600000000) // 1000000, (seen - 1767225600000000) // 1000000, flags & 1024 FROM "    \
    "runs ORDER BY ALL"

static struct toy toy;
static struct zone *utc;

/* A store of its own for each test; the clock at 0. */
static int set_up(void **state)
{
    struct error err;
    (void)state;
    toy_make(&toy);
    script = (struct script){0};
    script_clock = AT(0);
    return zone_open("UTC", &utc, &err);
}

static int tear_down(void **state)
{
    (void)state;
    zone_close(utc);
    toy_close(&toy);
    return 0;
}

static int pull_into(struct pull_summary *summary, struct error *err)
{
    struct pull pull = {.cluster = "alder", .zone = utc, .now = script_now};
    return live_pull(&pull, &scripted_driver, toy.store, summary, err);
}

/* A pull that must succeed; returns how many rows changed. */
static int64_t pull_at(int64_t second)
{
    struct pull_summary summary;
    struct error err = {0};
    script_clock = AT(second);
    if (pull_into(&summary, &err) != 0) {
        expect_fail("%s", err.text);
    }
    int64_t changed = 0;
    for (size_t i = 0; i < summary.count; i++) {
        changed += summary.rows[i].added + summary.rows[i].replaced + summary.rows[i].vanished;
        expect_int(summary.rows[i].rejected, 0);
    }
    pull_summary_release(&summary);
    return changed;
}

static void pull_fails(int64_t second, const char *says)
{
    struct pull_summary summary;
    struct error err = {0};
    script_clock = AT(second);
    expect_true(pull_into(&summary, &err) != 0);
    expect_contains(err.text, says);
    pull_summary_release(&summary);
}

static void expect_facts(const char *want)
{
    toy_back(&toy);
    toy_expect(&toy, SHORT_FACTS, want);
    toy_away(&toy);
}

static void expect_number(const char *sql, int64_t want)
{
    toy_back(&toy);
    expect_int(toy_number(&toy, sql), want);
    toy_away(&toy);
}

#define PENDING "7|2026-01-01T00:00:10|Unknown|Unknown|PENDING|0|ann\n"
#define RUNNING "7|2026-01-01T00:00:10|2026-01-01T00:00:20|Unknown|RUNNING|4|ann\n"
#define ENDED   "7|2026-01-01T00:00:10|2026-01-01T00:00:20|2026-01-01T00:00:50|COMPLETED|4|ann\n"

static void a_run_moves_on(void **state)
{
    (void)state;
    script.queue = PENDING;
    script.history = "";
    expect_int(pull_at(15), 1);
    expect_int(script.history_from, -1);
    expect_facts("7|---|PENDING|pending|---|---|15|0\n");
    expect_int(pull_at(18), 0);
    expect_int(script.history_from, AT(15));
    expect_facts("7|---|PENDING|pending|---|---|18|0\n");
    script.queue = RUNNING;
    expect_int(pull_at(30), 1);
    expect_facts("7|---|RUNNING|running|20|---|30|0\n");
    script.queue = "";
    script.history = ENDED;
    expect_int(pull_at(60), 1);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
    expect_int(script.asked_again, 0);
    expect_int(pull_at(70), 0);
    expect_number("SELECT seen_to FROM marks WHERE what = 'queue'", AT(70));
    expect_number("SELECT seen_to FROM marks WHERE what = 'history'", AT(70));
    expect_number("SELECT count(*) FROM askings WHERE failure IS NULL", 10);
}

static void a_listing_is_weaker_than_the_history(void **state)
{
    (void)state;
    script.queue = "7|2026-01-01T00:00:10|2026-01-01T00:00:20|Unknown|RUNNING|3|ann\n";
    script.history = RUNNING;
    expect_int(pull_at(30), 2); /* the listing's, then the history's in its place */
    expect_number("SELECT cpus FROM runs", 4);
    expect_number("SELECT seen FROM runs", AT(30));
    expect_int(pull_at(40), 0);
    expect_number("SELECT cpus FROM runs", 4);
    expect_number("SELECT seen FROM runs", AT(40));
    script.history = ENDED; /* it ended between the listing and the history */
    expect_int(pull_at(50), 1);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
    expect_int(pull_at(60), 0);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
}

static void a_lagging_history_does_not_take_a_start_back(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = PENDING;
    expect_int(pull_at(30), 1);
    expect_facts("7|---|RUNNING|running|20|---|30|0\n");
    expect_int(pull_at(40), 0);
    expect_facts("7|---|RUNNING|running|20|---|40|0\n");
}

static void what_vanished_is_asked_for_by_number(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(30);
    script.queue = "";
    script.again = ENDED;
    expect_int(pull_at(60), 1);
    expect_int(script.asked_again, 1);
    expect_uint(script.missing_count, 1);
    expect_int(script.missing_job, 7);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
    expect_int(pull_at(70), 0);
    expect_int(script.asked_again, 1);
}

static void what_nobody_knows_of_ends_when_it_was_last_seen(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(30);
    pull_at(40);
    script.queue = "";
    expect_int(pull_at(60), 1);
    expect_facts("7|---|RUNNING|other|20|40|40|1024\n");
    expect_number("SELECT until FROM runs", AT(40));
    expect_number("SELECT count(*) FROM rollup_dirty WHERE last_time >= 1767225640000000", 1);
    script.history = RUNNING; /* the accounting has not heard of its end */
    expect_int(pull_at(70), 0);
    expect_facts("7|---|RUNNING|other|20|40|40|1024\n");
    script.history = ENDED; /* now it has */
    expect_int(pull_at(80), 1);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
}

static void what_comes_back_goes_on(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(30);
    script.queue = "";
    pull_at(40);
    expect_facts("7|---|RUNNING|other|20|30|30|1024\n");
    script.queue = RUNNING;
    expect_int(pull_at(50), 1);
    expect_facts("7|---|RUNNING|running|20|---|50|0\n");
}

static void what_was_never_seen_takes_no_time(void **state)
{
    (void)state;
    script.queue = "";
    script.history = RUNNING; /* a runaway: the scheduler itself does not know it */
    expect_int(pull_at(1000), 1);
    expect_int(pull_at(2000), 1);
    expect_facts("7|---|RUNNING|other|20|20|---|1024\n");
    expect_int(pull_at(3000), 0);
}

static void it_is_not_ended_when_asking_again_fails(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(30);
    script.queue = "";
    script.again_fails = "slurmdbd is away";
    pull_fails(40, "slurmdbd is away");
    expect_facts("7|---|RUNNING|running|20|---|30|0\n");
    script.again_fails = NULL;
    script.again = ENDED;
    expect_int(pull_at(50), 1);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
}

static void a_waiting_one_that_is_another_run_now_is_taken_away(void **state)
{
    (void)state;
    script.queue = PENDING;
    script.history = "";
    pull_at(15);
    script.queue = ""; /* requeued: it has another submit time, hence another identity */
    script.history =
        "7|2026-01-01T00:00:16|2026-01-01T00:00:20|2026-01-01T00:00:30|FAILED|4|ann\n";
    pull_at(40);
    expect_facts("7|---|FAILED|failed|20|30|---|0\n");
}

static void a_waiting_one_that_is_gone_is_over(void **state)
{
    (void)state;
    script.queue = PENDING;
    script.history = "";
    pull_at(15);
    script.queue = "";
    expect_int(pull_at(20), 1);
    expect_facts("7|---|PENDING|other|---|15|15|1024\n");
}

static void tasks_that_wait_together_become_fewer(void **state)
{
    (void)state;
    script.queue = "7_[1-3]|2026-01-01T00:00:10|Unknown|Unknown|PENDING|0|ann\n";
    script.history = "";
    pull_at(15);
    expect_number("SELECT task_count FROM runs", 3);
    script.queue = "7_[2-3]|2026-01-01T00:00:10|Unknown|Unknown|PENDING|0|ann\n"
                   "7_1|2026-01-01T00:00:10|2026-01-01T00:00:20|Unknown|RUNNING|1|ann\n";
    pull_at(25);
    expect_number("SELECT task_count FROM runs WHERE task IS NULL", 2);
    expect_number("SELECT count(*) FROM runs", 2);
    script.queue = "";
    script.history =
        "7_1|2026-01-01T00:00:10|2026-01-01T00:00:20|2026-01-01T00:00:30|COMPLETED|1|ann\n"
        "7_2|2026-01-01T00:00:10|2026-01-01T00:00:26|2026-01-01T00:00:30|COMPLETED|1|ann\n"
        "7_3|2026-01-01T00:00:10|2026-01-01T00:00:26|2026-01-01T00:00:30|COMPLETED|1|ann\n";
    pull_at(40);
    expect_facts("7|1|COMPLETED|completed|20|30|---|0\n"
                 "7|2|COMPLETED|completed|26|30|---|0\n"
                 "7|3|COMPLETED|completed|26|30|---|0\n");
}

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
    expect_int(live_pull(&pull, &scripted_driver, toy.store, &summary, &err), 0);
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
    T(a_run_moves_on),
    T(a_listing_is_weaker_than_the_history),
    T(a_lagging_history_does_not_take_a_start_back),
    T(what_vanished_is_asked_for_by_number),
    T(what_nobody_knows_of_ends_when_it_was_last_seen),
    T(what_comes_back_goes_on),
    T(what_was_never_seen_takes_no_time),
    T(it_is_not_ended_when_asking_again_fails),
    T(a_waiting_one_that_is_another_run_now_is_taken_away),
    T(a_waiting_one_that_is_gone_is_over),
    T(tasks_that_wait_together_become_fewer),
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
