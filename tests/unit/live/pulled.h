/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A store that a test pulls into from a scheduler it writes down, and what the facts are then.
 */

#include "support/facts_at.h"
#include "unit/ingest/own_toy.h"
#include "unit/live/scripted.h"

#define AT(second) ((SCRIPT_EPOCH + (second)) * SECOND_US)
#define SHORT_FACTS                                                                            \
    "SELECT job, task, state, class, (start - 1767225600000000) // 1000000, (\"end\" - "       \
    "1767225600000000) // 1000000, (seen - 1767225600000000) // 1000000, flags & 1024 FROM "   \
    "runs ORDER BY ALL"

static struct zone *utc;

/* A store of its own for each test; the clock at 0. */
static inline int set_up(void **state)
{
    struct error err;
    (void)make_toy(state);
    script = (struct script){0};
    script_clock = AT(0);
    return zone_open("UTC", &utc, &err);
}

static inline int tear_down(void **state)
{
    zone_close(utc);
    return close_toy(state);
}

static inline int pull_into(struct pull_summary *summary, struct error *err)
{
    struct pull pull = {.cluster = "alder", .zone = utc, .now = script_now};
    return live_pull(&pull, &scripted_driver, &(struct session){.folder = toy.store}, summary,
                     err);
}

/* Opens the store for reading, which is cheaper. */
static inline void look(struct toy *at)
{
    struct error err = {0};
    if (facts_at(at->store, FACTS_READ, &at->facts, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

/* Who follows by the change feed has the same runs after every pull. */
static inline void follow_pull(void)
{
    look(&toy);
    toy_follow(&toy);
    toy_away(&toy);
}

/* A pull that must succeed; returns how many rows changed. */
static inline int64_t pull_at(int64_t second)
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
    follow_pull();
    return changed;
}

static inline void pull_fails(int64_t second, const char *says)
{
    struct pull_summary summary;
    struct error err = {0};
    script_clock = AT(second);
    expect_true(pull_into(&summary, &err) != 0);
    expect_contains(err.text, says);
    pull_summary_release(&summary);
}

static inline void expect_facts(const char *want)
{
    look(&toy);
    toy_expect(&toy, SHORT_FACTS, want);
    toy_away(&toy);
}

static inline void expect_number(const char *sql, int64_t want)
{
    look(&toy);
    expect_int(toy_number(&toy, sql), want);
    toy_away(&toy);
}

#define PENDING "7|2026-01-01T00:00:10|Unknown|Unknown|PENDING|0|ann\n"
#define RUNNING "7|2026-01-01T00:00:10|2026-01-01T00:00:20|Unknown|RUNNING|4|ann\n"
#define ENDED   "7|2026-01-01T00:00:10|2026-01-01T00:00:20|2026-01-01T00:00:50|COMPLETED|4|ann\n"
