/* SPDX-License-Identifier: MIT */

/* Carrying out a plan. */

#include <stdlib.h>

#include "base/mem.h"
#include "enforce/limit_plan.h"

enum { FAILURES_MAX = 2 }; /* in a row, after which the scheduler is left in peace */

static struct enforce_change change_of(const struct limit_plan_row *row,
                                       const struct enforce_driver *driver)
{
    return (struct enforce_change){
        .account = row->demand ? row->demand->account : (struct str){0},
        .target = row->target,
        .mode = row->mode,
        .before = row->owner.before,
        .from = row->now,
        .to = row->to,
        .marked = driver->marks,
        .restores = row->action == PLAN_RESTORE,
    };
}

static bool is_due(const struct limit_plan_row *row)
{
    return limit_plan_is_step(row) && row->outcome != PLAN_WITHHELD;
}

static void fail(struct limit_plan *plan, struct limit_plan_row *row, const struct error *why)
{
    row->outcome = PLAN_FAILED;
    row->why = arena_text(&plan->arena, str_of(why->text));
}

static int begin_step(struct limit_plan_row *row, const struct limit_plan_work *work,
                      struct error *err)
{
    const struct enforce_change change = change_of(row, work->driver);
    return saved_limits_begin(work->books, work->site->cluster, &change, work->now(), work->who,
                              &row->step, err);
}

/* --- one by one --------------------------------------------------------------------------- */

struct carrying {
    struct limit_plan *plan;
    const struct limit_plan_work *work;
    int failures; /* in a row */
};

static int carry_row(struct carrying *carrying, struct limit_plan_row *row, struct error *err)
{
    const struct limit_plan_work *work = carrying->work;
    struct error why;
    if (row->action == PLAN_FORGET) {
        row->outcome = PLAN_DONE;
        return saved_limits_forget(work->books, work->site->cluster, &row->target, row->mode,
                                   err);
    }
    if (carrying->failures >= FAILURES_MAX || stop_is_set(work->site->stop)) {
        row->outcome = PLAN_NOT_TRIED;
        row->why = "steps before it failed; the next run tries it";
        return 0;
    }
    int failed = begin_step(row, work, err);
    if (failed) {
        return failed;
    }
    const struct enforce_change change = change_of(row, work->driver);
    row->outcome = PLAN_DONE;
    if (work->driver->set(work->site, &change, &why) != 0) {
        fail(carrying->plan, row, &why);
    }
    carrying->failures = row->outcome == PLAN_DONE ? 0 : carrying->failures + 1;
    return 0;
}

/*
 * What lets more start before what lets less: if it ends early, nobody is stopped who should
 * not be.
 */
static int carry_each(struct carrying *carrying, struct error *err)
{
    int failed = 0;
    for (int tightens = 0; tightens < 2; tightens++) {
        for (size_t i = 0; !failed && i < carrying->plan->count; i++) {
            struct limit_plan_row *row = &carrying->plan->rows[i];
            if (is_due(row) && row->tightens == (tightens != 0)) {
                failed = carry_row(carrying, row, err);
            }
        }
    }
    return failed;
}

/* --- all at once -------------------------------------------------------------------------- */

static int carry_all(struct carrying *carrying, struct error *err)
{
    const struct limit_plan_work *work = carrying->work;
    struct limit_plan *plan = carrying->plan;
    struct enforce_change *changes = mem_alloc(plan->count + 1, sizeof(*changes));
    struct error why;
    size_t count = 0;
    int failed = 0;
    for (size_t i = 0; !failed && i < plan->count; i++) {
        struct limit_plan_row *row = &plan->rows[i];
        if (is_due(row) && row->action == PLAN_FORGET) {
            failed = carry_row(carrying, row, err);
        } else if (is_due(row)) {
            failed = begin_step(row, work, err);
            changes[count++] = change_of(row, work->driver);
        }
    }
    const bool refused =
        !failed && count > 0 && work->driver->set_all(work->site, changes, count, &why) != 0;
    for (size_t i = 0; !failed && i < plan->count; i++) {
        if (plan->rows[i].step) {
            plan->rows[i].outcome = PLAN_DONE;
            if (refused) {
                fail(plan, &plan->rows[i], &why);
            }
        }
    }
    free(changes);
    return failed;
}

/* --- afterwards --------------------------------------------------------------------------- */

static struct enforce_value value_found(const struct enforce_states *states,
                                        const struct enforce_target *target,
                                        enum enforce_mode mode)
{
    const struct enforce_state *state = enforce_states_find(states, target);
    return state ? state->values[mode] : (struct enforce_value){0};
}

/* What the scheduler says counts more than what the program said that was to change it. */
static int finish_row(struct limit_plan_row *row, const struct limit_plan_work *work,
                      const struct enforce_states *states, struct error *err)
{
    const struct enforce_change change = change_of(row, work->driver);
    if (states) {
        row->asked = true;
        row->found = value_found(states, &row->target, row->mode);
        if (enforce_value_eq(row->found, row->to)) {
            row->outcome = PLAN_DONE;
        } else if (row->outcome == PLAN_DONE) {
            row->outcome = PLAN_FAILED;
            row->why = "the scheduler took it and says something else afterwards";
        }
    }
    const struct saved_limits_end end = {
        .done = row->outcome == PLAN_DONE,
        .restored = row->action == PLAN_RESTORE,
        .asked = row->asked,
        .found = row->found,
        .why = row->why,
        .at = work->now(),
    };
    return saved_limits_finish(work->books, work->site->cluster, row->step, &change, &end, err);
}

static int finish(struct limit_plan *plan, const struct limit_plan_work *work,
                  struct error *err)
{
    struct enforce_states states = {0};
    struct error ignored; /* that it cannot be asked again is recorded with each step */
    bool tried = false;
    int failed = 0;
    for (size_t i = 0; i < plan->count; i++) {
        tried = tried || plan->rows[i].step;
    }
    if (!tried) {
        return 0;
    }
    const bool asked =
        work->driver->ask && work->driver->ask(work->site, &states, &ignored) == 0;
    for (size_t i = 0; !failed && i < plan->count; i++) {
        if (plan->rows[i].step) {
            failed = finish_row(&plan->rows[i], work, asked ? &states : NULL, err);
        }
    }
    enforce_states_release(&states);
    return failed;
}

int limit_plan_apply(struct limit_plan *plan, const struct limit_plan_work *work,
                     struct error *err)
{
    struct carrying carrying = {plan, work, 0};
    int failed = work->driver->set_all ? carry_all(&carrying, err) : carry_each(&carrying, err);
    return failed ? failed : finish(plan, work, err);
}

int limit_plan_recover(const struct limit_plan_work *work, const struct enforce_states *states,
                       struct error *err)
{
    struct saved_limits_steps steps;
    int failed = saved_limits_steps_open(work->books, work->site->cluster, &steps, err);
    for (size_t i = 0; !failed && i < steps.count; i++) {
        const struct enforce_change *change = &steps.rows[i].change;
        const struct enforce_value found = value_found(states, &change->target, change->mode);
        const bool done = work->driver->ask && enforce_value_eq(found, change->to);
        const struct saved_limits_end end = {
            .done = false, /* what is kept stays: the plan decides by it */
            .asked = work->driver->ask != NULL,
            .found = found,
            .why = done ? "interrupted after it was set" : "interrupted before it was set",
            .at = work->now(),
        };
        failed = saved_limits_finish(work->books, work->site->cluster, steps.rows[i].id, change,
                                     &end, err);
    }
    saved_limits_steps_release(&steps);
    return failed;
}
