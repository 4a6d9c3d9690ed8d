/* SPDX-License-Identifier: MIT */
#include "enforce/limit_plan.h"

#include <stdlib.h>

#include "base/mem.h"
#include "table/table.h"

#define SU INT64_C(1000000)

/*
 * ROUNDED_MIN: minutes by which two readings of one limit may differ, as usage and room are
 * rounded each.
 */
enum { DEPTH_MAX = 64, MINUTE_S = 60, ROUNDED_MIN = 2 };

const char *limit_plan_action_name(enum limit_plan_action action)
{
    static const char *const names[PLAN_ACTIONS] = {[PLAN_NONE] = "none",
                                                    [PLAN_SET] = "set",
                                                    [PLAN_RESTORE] = "restore",
                                                    [PLAN_FORGET] = "leave"};
    return names[action];
}

const char *limit_plan_outcome_name(enum limit_plan_outcome outcome)
{
    static const char *const names[PLAN_OUTCOMES] = {[PLAN_SHOWN] = "planned",
                                                     [PLAN_DONE] = "done",
                                                     [PLAN_FAILED] = "failed",
                                                     [PLAN_NOT_TRIED] = "not tried",
                                                     [PLAN_WITHHELD] = "withheld"};
    return names[outcome];
}

bool limit_plan_is_step(const struct limit_plan_row *row)
{
    return row->action != PLAN_NONE;
}

/* --- amounts ------------------------------------------------------------------------------ */

/* Billing minutes that are gone, or may still go, without a new start. */
static wide_int committed(const struct enforce_state *state)
{
    return (wide_int)(state->used_s / MINUTE_S) + state->running_min;
}

/* Micro-SU as billing minutes, rounded down. */
static wide_int minutes_of(int64_t micro)
{
    const wide_int minutes = (wide_int)micro * MINUTE_S;
    return minutes >= 0 ? minutes / SU : -((-minutes + SU - 1) / SU);
}

static int64_t clamp(wide_int value)
{
    return value < 0 ? 0 : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

int64_t limit_plan_tolerance(enum enforce_mode mode, int64_t micro)
{
    const int64_t least = mode == ENFORCE_LIMIT ? ROUNDED_MIN * SU / MINUTE_S + 1 : 0;
    return micro > least ? micro : least;
}

/* Whether nothing may start by this limit. */
static bool stops(enum enforce_mode mode, struct enforce_value value,
                  const struct enforce_state *state)
{
    if (!value.is || mode != ENFORCE_LIMIT) {
        return value.is && value.n == 0;
    }
    return state && state->counted && value.n <= committed(state);
}

bool limit_plan_stops_now(const struct limit_plan_row *row)
{
    return stops(row->mode, row->now, row->state);
}

bool limit_plan_enforced(const struct limit_plan_row *row, int64_t *out)
{
    *out = 0;
    if (row->mode != ENFORCE_LIMIT) {
        return limit_plan_stops_now(row);
    }
    if (!row->now.is || !row->state || !row->state->counted) {
        return false;
    }
    const wide_int seconds =
        ((wide_int)row->now.n - row->state->running_min) * MINUTE_S - row->state->used_s;
    *out = clamp(seconds * SU / (MINUTE_S * MINUTE_S));
    return true;
}

bool limit_plan_drift(const struct limit_plan_row *row, int64_t *out)
{
    int64_t enforced = 0;
    *out = 0;
    if (!row->demand || row->demand->unlimited || row->untouched) {
        return false;
    }
    const int64_t room = row->demand->room;
    if (row->mode == ENFORCE_LIMIT) {
        const bool is = limit_plan_enforced(row, &enforced);
        *out = enforced - (room > 0 ? room : 0);
        return is;
    }
    *out = limit_plan_stops_now(row) == (room <= 0) ? 0 : room == INT64_MIN ? INT64_MAX : -room;
    return true;
}

bool limit_plan_drift_left(const struct limit_plan_row *row, int64_t *out)
{
    struct limit_plan_row left = *row;
    if (row->asked) {
        left.now = row->found;
    } else if (row->outcome == PLAN_DONE) {
        left.now = row->to;
    }
    return limit_plan_drift(&left, out);
}

/* --- what is left alone ------------------------------------------------------------------- */

static bool is_among(struct str patterns, struct str name)
{
    size_t at = 0;
    while (name.ptr && at < patterns.len) {
        size_t end = at;
        while (end < patterns.len && patterns.ptr[end] != ',' && patterns.ptr[end] != ' ' &&
               patterns.ptr[end] != '\t') {
            end++;
        }
        if (end > at && str_glob((struct str){patterns.ptr + at, end - at}, name)) {
            return true;
        }
        at = end + 1;
    }
    return false;
}

/*
 * Demands by kind and name, and for each state the one below it that draws on another account.
 */
struct making {
    const struct limit_plan_question *question;
    struct limit_plan *plan;
    const struct limit_plan_demand **sorted;
    const struct enforce_state **others;
    bool *kept_used;
    unsigned *modes_used; /* of each state: bit 1 << mode of which there is a row */
};

static int compare_demand(const struct limit_plan_demand *a, const struct limit_plan_demand *b)
{
    const int by_kind = (a->kind > b->kind) - (a->kind < b->kind);
    return by_kind ? by_kind : str_compare(a->name, b->name);
}

static int compare_demands(const void *a, const void *b)
{
    return compare_demand(*(const struct limit_plan_demand *const *)a,
                          *(const struct limit_plan_demand *const *)b);
}

static const struct limit_plan_demand *demand_of(const struct making *making,
                                                 enum enforce_kind kind, struct str name)
{
    const struct limit_plan_demand wanted = {.kind = kind, .name = name};
    const struct limit_plan_demand *key = &wanted;
    const struct limit_plan_demand **found =
        making->question->demand_count
            ? bsearch(&key, making->sorted, making->question->demand_count,
                      sizeof(*making->sorted), compare_demands)
            : NULL;
    return found ? *found : NULL;
}

static bool is_paid_by(const struct limit_plan_demand *own, struct str account)
{
    return str_eq(own->account, account) || str_eq(own->parent, account);
}

/*
 * Marks the accounts above a state that draw on another account than it does: a limit there
 * would stop it as well. Where that is its parent, it has nothing to start by then either.
 */
static void mark_above(struct making *making, const struct enforce_state *state)
{
    const struct enforce_states *states = making->question->states;
    const bool user = state->target.kind == ENFORCE_USER;
    const struct limit_plan_demand *own =
        demand_of(making, state->target.kind, state->target.name);
    struct str above = user ? state->target.under : state->parent;
    if (user && !own) {
        return; /* as its account */
    }
    for (int depth = 0; above.ptr && depth < DEPTH_MAX; depth++) {
        const struct enforce_target target = {ENFORCE_ACCOUNT, above, {0}};
        const struct enforce_state *found = enforce_states_find(states, &target);
        const struct limit_plan_demand *theirs = demand_of(making, ENFORCE_ACCOUNT, above);
        if (!found) {
            return;
        }
        if (theirs && !(own && is_paid_by(own, theirs->account))) {
            making->others[found - states->rows] = state;
        }
        above = found->parent;
    }
}

static const char *why_untouched(struct making *making, const struct limit_plan_row *row)
{
    const struct limit_plan_question *question = making->question;
    const struct enforce_target *target = &row->target;
    if (question->release) {
        return NULL;
    }
    if (str_eq(target->name, STR("root"))) {
        return "root is never touched";
    }
    if (is_among(question->never, target->name) || is_among(question->never, target->under) ||
        is_among(question->never, row->demand->account)) {
        return "stint.conf lists it under 'never'";
    }
    if (!(question->driver->kinds & 1U << target->kind)) {
        return arena_printf(&making->plan->arena, "%s has no limit for one %s",
                            question->driver->name, enforce_kind_name(target->kind));
    }
    if (question->driver->lists_all && !row->state) {
        return "the scheduler does not know it";
    }
    if (row->mode == ENFORCE_LIMIT && !row->demand->unlimited &&
        (!row->state || !row->state->counted)) {
        return "the scheduler does not say what it has used";
    }
    const struct enforce_state *other =
        row->state ? making->others[row->state - question->states->rows] : NULL;
    return other
               ? arena_printf(&making->plan->arena,
                              "%s '%.*s' in it draws on another account or on none, and would "
                              "be stopped as well",
                              enforce_kind_name(other->target.kind),
                              STR_ARG(other->target.name))
               : NULL;
}

/* --- what is to be done ------------------------------------------------------------------- */

/*
 * What the site itself has set comes back; a mark is taken away also where the limit is theirs
 * already.
 */
static void decide_restore(struct limit_plan_row *row, bool lists_all)
{
    const struct owner *owner = &row->owner;
    row->to = owner->before;
    row->action = PLAN_FORGET;
    if (lists_all && !row->state) {
        row->why = "the scheduler does not list it any more";
        return;
    }
    if (!owner->own) {
        row->why = enforce_value_eq(row->now, row->kept ? row->kept->before : row->now)
                       ? "it is as it was before already"
                       : "somebody else has set another limit since, which stays";
    }
    if (owner->marked || (owner->own && !enforce_value_eq(row->now, owner->before))) {
        row->action = PLAN_RESTORE;
    }
}

/* A limit of before there were marks gets one. */
static void decide_mark(const struct limit_plan_question *question, struct limit_plan_row *row)
{
    if (question->driver->marks && row->owner.own && !row->owner.marked) {
        row->action = PLAN_SET;
        row->to = row->now;
        row->why = "to mark it as set by stint";
    }
}

static void decide_hold(const struct limit_plan_question *question, struct limit_plan_row *row)
{
    if (limit_plan_stops_now(row)) {
        decide_mark(question, row);
        return;
    }
    row->action = PLAN_SET;
    row->to = (struct enforce_value){true, 0};
    row->stops = row->tightens = true;
}

/* Of the site's own limit and what the balance allows, the lower one. */
static void decide_limit(const struct limit_plan_question *question, struct limit_plan_row *row)
{
    const int64_t room = row->demand->room;
    const struct enforce_value before = row->owner.before;
    const wide_int gone = committed(row->state);
    const int64_t wanted = clamp(
        gone +
        (room > 0 || question->ends_running || question->states->safe ? minutes_of(room) : 0));
    const bool will_stop = wanted <= gone, stops_now = limit_plan_stops_now(row);
    const wide_int apart = (wide_int)wanted - row->now.n;
    const wide_int most = minutes_of(limit_plan_tolerance(ENFORCE_LIMIT, question->tolerance));
    row->stricter = before.is && before.n < wanted;
    if (row->stricter) {
        if (row->owner.claimed) {
            decide_restore(row, question->driver->lists_all);
        }
        return;
    }
    if (row->now.is && will_stop == stops_now && (apart < 0 ? -apart : apart) <= most) {
        decide_mark(question, row);
        return;
    }
    row->action = PLAN_SET;
    row->to = (struct enforce_value){true, wanted};
    row->tightens = !row->now.is || apart < 0;
    row->stops = will_stop && !stops_now;
}

/* Two limits make jobs wait. */
static bool is_hold(enum enforce_mode mode)
{
    return mode == ENFORCE_HOLD || mode == ENFORCE_JOBS;
}

/*
 * The limit that a mode sets on one target. Where a quality of service has the limit of a hold
 * itself, jobs in it are not held by that of their account, but by a number of jobs.
 */
static enum enforce_mode mode_for(const struct limit_plan_question *question,
                                  const struct enforce_state *state)
{
    const bool other = question->mode == ENFORCE_HOLD && state &&
                       question->driver->modes & 1U << ENFORCE_JOBS &&
                       state->overrides[ENFORCE_HOLD].ptr &&
                       !state->overrides[ENFORCE_JOBS].ptr;
    return other ? ENFORCE_JOBS : question->mode;
}

static bool is_due(const struct limit_plan_question *question, const struct limit_plan_row *row)
{
    const struct limit_plan_demand *demand = row->demand;
    const bool same =
        row->mode == question->mode || (is_hold(question->mode) && is_hold(row->mode));
    return !question->release && demand && !row->untouched && same && !demand->unlimited &&
           (row->mode == ENFORCE_LIMIT || demand->room <= 0);
}

/* By which limit that nobody claims nothing may start, though there is room. */
static enum enforce_mode foreign_stop(const struct limit_plan_question *question,
                                      const struct limit_plan_row *row)
{
    const struct limit_plan_demand *demand = row->demand;
    unsigned mode = 0;
    if (question->release || !demand || row->untouched || !row->state ||
        (!demand->unlimited && demand->room <= 0)) {
        return ENFORCE_MODES;
    }
    while (mode < ENFORCE_MODES &&
           (!stops(mode, row->state->values[mode], row->state) || row->state->marks[mode].is ||
            saved_limits_list_find(question->kept, &row->target, mode))) {
        mode++;
    }
    return mode;
}

static void decide(struct making *making, struct limit_plan_row *row)
{
    const struct limit_plan_question *question = making->question;
    const enum enforce_mode mode = mode_for(question, row->state);
    row->foreign = row->mode == mode ? foreign_stop(question, row) : ENFORCE_MODES;
    if (!is_due(question, row)) {
        if (row->owner.claimed) {
            decide_restore(row, question->driver->lists_all);
        }
    } else if (row->mode == ENFORCE_LIMIT) {
        decide_limit(question, row);
    } else if (row->mode == mode) {
        decide_hold(question, row);
    }
    if (row->demand && !row->demand->unlimited && row->state && row->mode == mode) {
        row->override = row->state->overrides[mode];
    }
}

/* --- rows --------------------------------------------------------------------------------- */

static struct enforce_value value_now(const struct limit_plan_question *question,
                                      const struct limit_plan_row *row)
{
    if (!question->driver->ask) {
        return row->kept && row->kept->known ? row->kept->value : (struct enforce_value){0};
    }
    return row->state ? row->state->values[row->mode] : (struct enforce_value){0};
}

static void add_plan_row(struct making *making, const struct limit_plan_demand *demand,
                         struct enforce_target target, enum enforce_mode mode)
{
    const struct limit_plan_question *question = making->question;
    struct limit_plan *plan = making->plan;
    if ((plan->count & (plan->count - 1)) == 0) {
        plan->rows =
            mem_resize(plan->rows, plan->count ? 2 * plan->count : 1, sizeof(*plan->rows));
    }
    struct limit_plan_row *row = &plan->rows[plan->count++];
    *row = (struct limit_plan_row){
        .demand = demand,
        .target = target,
        .mode = mode,
        .state = enforce_states_find(question->states, &target),
        .kept = saved_limits_list_find(question->kept, &target, mode),
    };
    if (row->kept) {
        making->kept_used[row->kept - question->kept->rows] = true;
    }
    if (row->state) {
        making->modes_used[row->state - question->states->rows] |= 1U << mode;
    }
    row->now = value_now(question, row);
    row->owner = owner_of(question->driver, row->state, row->kept, mode, row->now);
    row->untouched = demand ? why_untouched(making, row) : NULL;
    decide(making, row);
}

/* The place of the first state that is not before the target. */
static size_t first_state(const struct enforce_states *states,
                          const struct enforce_target *target)
{
    size_t low = 0, high = states->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (enforce_target_compare(&states->rows[middle].target, target) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A user is in several accounts, with a limit in each. */
static void add_rows(struct making *making, const struct limit_plan_demand *demand)
{
    const struct limit_plan_question *question = making->question;
    const struct enforce_states *states = question->states;
    const struct enforce_target target = {demand->kind, demand->name, {0}};
    size_t added = 0;
    if (demand->kind == ENFORCE_USER && question->driver->lists_all) {
        for (size_t i = first_state(states, &target);
             i < states->count && states->rows[i].target.kind == ENFORCE_USER &&
             str_eq(states->rows[i].target.name, demand->name);
             i++, added++) {
            add_plan_row(making, demand, states->rows[i].target,
                         mode_for(question, &states->rows[i]));
        }
    }
    if (added == 0) {
        add_plan_row(making, demand, target,
                     mode_for(question, enforce_states_find(states, &target)));
    }
}

static bool is_wanted(const struct limit_plan_question *question, struct str account,
                      struct str name)
{
    return !question->account.ptr || str_eq(question->account, account) ||
           str_eq(question->account, name);
}

/*
 * Limits with stint's mark that the books do not know of: these are older, or were made
 * elsewhere.
 */
static void add_marked(struct making *making)
{
    const struct limit_plan_question *question = making->question;
    for (size_t i = 0; i < question->states->count; i++) {
        const struct enforce_state *state = &question->states->rows[i];
        const struct limit_plan_demand *demand =
            demand_of(making, state->target.kind, state->target.name);
        for (unsigned mode = 0; mode < ENFORCE_MODES; mode++) {
            if (state->marks[mode].is && !(making->modes_used[i] & 1U << mode) &&
                is_wanted(question, demand ? demand->account : (struct str){0},
                          state->target.name)) {
                add_plan_row(making, demand, state->target, mode);
            }
        }
    }
}

/* Limits that stint has set in another mode, or for what draws on no account any more. */
static void add_left_over(struct making *making)
{
    const struct limit_plan_question *question = making->question;
    for (size_t i = 0; i < question->kept->count; i++) {
        const struct saved_limits *kept = &question->kept->rows[i];
        const struct limit_plan_demand *demand =
            demand_of(making, kept->target.kind, kept->target.name);
        if (!making->kept_used[i] &&
            is_wanted(question, demand ? demand->account : (struct str){0},
                      kept->target.name)) {
            add_plan_row(making, demand, kept->target, kept->mode);
        }
    }
}

void limit_plan_make(const struct limit_plan_question *question, struct limit_plan *out)
{
    *out = (struct limit_plan){0};
    struct making making = {
        .question = question,
        .plan = out,
        .sorted = mem_alloc(question->demand_count + 1, sizeof(*making.sorted)),
        .others = mem_alloc(question->states->count + 1, sizeof(*making.others)),
        .kept_used = mem_alloc(question->kept->count + 1, sizeof(*making.kept_used)),
        .modes_used = mem_alloc(question->states->count + 1, sizeof(*making.modes_used)),
    };
    for (size_t i = 0; i < question->demand_count; i++) {
        making.sorted[i] = &question->demands[i];
    }
    qsort(making.sorted, question->demand_count, sizeof(*making.sorted), compare_demands);
    for (size_t i = 0; i < question->states->count; i++) {
        mark_above(&making, &question->states->rows[i]);
    }
    for (size_t i = 0; i < question->demand_count; i++) {
        const struct limit_plan_demand *demand = &question->demands[i];
        if (is_wanted(question, demand->account, demand->name)) {
            add_rows(&making, demand);
        }
    }
    for (size_t i = 0; i < question->cap_count; i++) {
        const struct limit_plan_demand *cap = &question->caps[i];
        const struct enforce_target target = {ENFORCE_USER, cap->name, cap->under};
        if (is_wanted(question, cap->account, cap->name)) {
            add_plan_row(&making, cap, target,
                         mode_for(question, enforce_states_find(question->states, &target)));
        }
    }
    add_left_over(&making);
    add_marked(&making);
    free(making.sorted);
    free(making.others);
    free(making.kept_used);
    free(making.modes_used);
}

void limit_plan_release(struct limit_plan *plan)
{
    free(plan->rows);
    arena_release(&plan->arena);
    *plan = (struct limit_plan){0};
}
