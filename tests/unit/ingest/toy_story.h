/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Made-up accounting logs with everything odd in them, and what they come to.
 *
 * A story is a list of rows in the order of the file: arrays, slave tasks before, after and far from
 * their master, attempts of restarted jobs, jobs that never started, that ended before they started,
 * that still run, the same row twice, the same run with another content, job numbers used again,
 * and bad lines in between. The same seed is the same story.
 *
 * story_users adds up what its users used, from the rows themselves: plainly, and without anything
 * of the program that is tested.
 */

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unit/ingest/toy_log.h"

struct toy_random {
    uint64_t state;
};

/* splitmix64 */
static inline uint64_t toy_next(struct toy_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 .. below - 1 */
static inline int64_t toy_below(struct toy_random *random, int64_t below)
{
    return (int64_t)(toy_next(random) % (uint64_t)below);
}

static inline bool toy_chance(struct toy_random *random, int percent)
{
    return toy_below(random, 100) < percent;
}

/* --- making one up ---------------------------------------------------------------------------- */

enum { STORY_USERS = 5, STORY_HOSTS = 6, STORY_YEAR_S = 366 * 86400 };

static const char *const story_users_names[STORY_USERS] = {"ann", "bob", "cyd", "dan", "eve"};
static const char *const story_hosts[STORY_HOSTS] = {"n01", "n02", "n03", "n04", "n05", "n06"};
static const char *const story_parts[STORY_HOSTS] = {"1.n01", "1.n02", "1.n03",
                                                     "2.n01", "2.n02", "past_usage"};

struct story_row {
    struct toy_row row;
    uint64_t place; /* rows are in this order */
};

struct story {
    struct toy_random random;
    bool distinct; /* no two rows of one run */
    size_t pad;
    struct story_row *rows;
    size_t count, room;
    int64_t next_job;
};

static inline void story_release(struct story *story)
{
    free(story->rows);
}

/* Mostly where it is told, sometimes anywhere. */
static inline void story_add(struct story *story, struct toy_row row)
{
    if (story->count == story->room) {
        story->room = story->room ? story->room * 2 : 256;
        story->rows = mem_resize(story->rows, story->room, sizeof(*story->rows));
    }
    uint64_t here = (story->count + 1) << 32;
    uint64_t place = toy_chance(&story->random, 15) ? toy_next(&story->random) % (2 * here)
                                                    : here + (toy_next(&story->random) >> 30);
    row.pad = story->pad;
    story->rows[story->count++] = (struct story_row){row, place};
}

static inline void story_use(struct story *story, struct toy_row *row)
{
    row->user_us = toy_below(&story->random, INT64_C(86400000000));
    row->system_us = toy_below(&story->random, 1000000000);
    row->cpu_us = row->user_us + row->system_us;
    row->vmem = toy_below(&story->random, INT64_C(1) << 36);
}

/* A run somewhere in the year, whose end is its start. */
static inline struct toy_row story_run(struct story *story)
{
    struct toy_random *random = &story->random;
    int64_t submit = TOY_EPOCH + toy_below(random, STORY_YEAR_S);
    struct toy_row row = {
        .job = story->next_job++,
        .submit = submit,
        .start = submit + toy_below(random, 7200),
        .slots = 1,
        .user = story_users_names[toy_below(random, STORY_USERS)],
        .host = story_hosts[toy_below(random, STORY_HOSTS)],
    };
    row.end = row.start + toy_below(random, 4 * 86400);
    story_use(story, &row);
    return row;
}

/* Slave tasks of a run: one a host at most, each with a start of its own around the master's. */
static inline void story_slaves(struct story *story, const struct toy_row *master)
{
    struct toy_random *random = &story->random;
    for (int i = 0; i < STORY_HOSTS; i++) {
        if (!toy_chance(random, 50)) {
            continue;
        }
        struct toy_row slave = *master;
        slave.part = story_parts[i];
        slave.host = story_hosts[i];
        /* clocks apart, within the run, long after it, or never */
        int64_t length = master->end == 0              ? 20 * INT64_C(86400)
                         : master->end > master->start ? master->end - master->start
                                                       : 0;
        slave.start = master->start - 400 + toy_below(random, 500);
        if (toy_chance(random, 30)) {
            slave.start = master->start + toy_below(random, length + 1000);
        } else if (toy_chance(random, 3)) {
            slave.start = 0;
        }
        slave.end = master->end;
        story_use(story, &slave);
        story_add(story, slave);
        if (!story->distinct && toy_chance(random, 15)) {
            if (toy_chance(random, 50)) {
                story_use(story, &slave); /* another content */
            }
            story_add(story, slave);
        }
    }
}

static inline void story_parallel(struct story *story, int64_t attempts)
{
    struct toy_random *random = &story->random;
    struct toy_row row = story_run(story);
    row.slots = 2 + toy_below(random, 200);
    row.task = toy_chance(random, 20) ? 1 + toy_below(random, 3) : 0;
    for (int64_t i = 0; i < attempts; i++) {
        row.failed = i + 1 < attempts ? 25 : 0;
        if (toy_chance(random, 50)) {
            story_slaves(story, &row);
            story_add(story, row);
        } else {
            story_add(story, row);
            story_slaves(story, &row);
        }
        row.start = row.end + toy_below(random, 3600) + 1;
        row.end = row.start + toy_below(random, 86400);
        story_use(story, &row);
    }
}

/* An earlier row again: as it was, with another content, or its number for another job. */
static inline void story_again(struct story *story)
{
    struct toy_random *random = &story->random;
    struct toy_row row = story->rows[toy_below(random, (int64_t)story->count)].row;
    int64_t kind = toy_below(random, 3);
    if (kind == 2) {
        row.submit += 500 * INT64_C(86400);
        row.start += row.start > 0 ? 500 * INT64_C(86400) : 0;
        row.end += row.end > 0 ? 500 * INT64_C(86400) : 0;
        row.user = story_users_names[toy_below(random, STORY_USERS)];
    } else if (story->distinct) {
        return;
    } else if (kind == 1) {
        row.user = story_users_names[toy_below(random, STORY_USERS)];
        row.slots = row.slots > 1 ? 2 + toy_below(random, 50) : 1;
        if (row.end > 0 && row.start > 0) { /* longer, shorter, or not known yet */
            int64_t by = toy_below(random, 2) ? 2000 : 10 * INT64_C(86400);
            row.end = toy_chance(random, 20) ? 0 : row.end + toy_below(random, by) - by / 2;
        }
        story_use(story, &row);
    }
    story_add(story, row);
}

static inline void story_job(struct story *story)
{
    struct toy_random *random = &story->random;
    struct toy_row row;
    switch (toy_below(random, 12)) {
    case 0: /* an array */
        row = story_run(story);
        for (int64_t task = 1 + toy_below(random, 3), last = task + toy_below(random, 6);
             task <= last; task++) {
            row.task = task;
            row.start += toy_below(random, 100);
            row.end = row.start + toy_below(random, 9000);
            story_use(story, &row);
            story_add(story, row);
        }
        return;
    case 1:
    case 2:
        story_parallel(story, 1);
        return;
    case 3:
        story_parallel(story, 2 + toy_below(random, 2));
        return;
    case 4: /* never started, perhaps on several hosts */
        row = story_run(story);
        row.start = 0;
        row.failed = 1 + toy_below(random, 30);
        for (int64_t host = 0; host <= toy_below(random, 3); host++) {
            row.host = story_hosts[host];
            story_add(story, row);
        }
        return;
    case 5: /* ended before it started */
        row = story_run(story);
        row.end = row.start - 1 - toy_below(random, 5000);
        story_add(story, row);
        return;
    case 6: /* a slave task whose master is in no file */
        row = story_run(story);
        row.part = story_parts[0];
        story_add(story, row);
        return;
    case 7: /* has not ended */
        row = story_run(story);
        row.end = 0;
        if (toy_chance(random, 50)) {
            row.slots = 8;
            story_slaves(story, &row);
        }
        story_add(story, row);
        return;
    case 8:
    case 9:
        if (story->count > 0) {
            story_again(story);
        }
        return;
    default:
        story_add(story, story_run(story));
    }
}

static inline int story_by_place(const void *a, const void *b)
{
    const struct story_row *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/*
 * Whether two rows of one job and task tell of the same thing. An attempt that was given up (25) may
 * be followed by another in the same second.
 */
static inline bool story_same(const struct toy_row *a, const struct toy_row *b)
{
    if (!a->part != !b->part || (a->part && strcmp(a->part, b->part) != 0)) {
        return false;
    }
    if (a->start > 0 || b->start > 0) {
        return a->start == b->start && (a->failed == 25) == (b->failed == 25);
    }
    return strcmp(a->host, b->host) == 0 && a->failed == b->failed && a->submit == b->submit &&
           a->end == b->end;
}

/* Leaves the last row of each run and each part. */
static inline void story_drop_repeats(struct story *story)
{
    size_t kept = 0;
    for (size_t i = 0; i < story->count; i++) {
        const struct toy_row *row = &story->rows[i].row;
        bool again = false;
        for (size_t j = i + 1; j < story->count && !again; j++) {
            const struct toy_row *other = &story->rows[j].row;
            again =
                row->job == other->job && row->task == other->task && story_same(row, other);
        }
        if (!again) {
            story->rows[kept++] = story->rows[i];
        }
    }
    story->count = kept;
}

static inline void story_make(struct story *story, uint64_t seed, int64_t jobs, bool distinct,
                              size_t pad)
{
    *story =
        (struct story){.random = {seed}, .distinct = distinct, .pad = pad, .next_job = 9999};
    for (int64_t i = 0; i < jobs; i++) {
        story_job(story);
    }
    if (story->count > 0) {
        qsort(story->rows, story->count, sizeof(*story->rows), story_by_place);
    }
    if (distinct) {
        story_drop_repeats(story);
    }
}

/* The file of rows `from` .. `to` - 1, with comments and, if wanted, bad lines; returns how many. */
static inline int64_t story_print(struct story *story, size_t from, size_t to, bool bad,
                                  struct buf *out)
{
    int64_t rejected = 0;
    buf_addz(out, TOY_HEADER);
    for (size_t i = from; i < to; i++) {
        toy_row_add(out, &story->rows[i].row);
        if (bad && toy_chance(&story->random, 2)) {
            buf_addf(out, "all.q:n01:staff:line %zu is cut\n", i);
            rejected++;
        } else if (toy_chance(&story->random, 2)) {
            buf_addz(out, toy_chance(&story->random, 50) ? "# a comment\n" : "\n");
        }
    }
    return rejected;
}

/* --- what it comes to ------------------------------------------------------------------------- */

struct story_user {
    const char *name;
    int64_t runs; /* also those that never started */
    int64_t started, jobs;
    int64_t cpu_us, wall_us, used_us;
};

struct story_total {
    struct story_user users[STORY_USERS];
    int64_t runs, parts, waiting;
};

/* Rows of one job and task, by which they are grouped. */
static inline int story_by_job(const void *a, const void *b)
{
    const struct toy_row *x = &((const struct story_row *)a)->row,
                         *y = &((const struct story_row *)b)->row;
    if (x->job != y->job) {
        return x->job < y->job ? -1 : 1;
    }
    if (x->task != y->task) {
        return x->task < y->task ? -1 : 1;
    }
    return story_by_place(a, b);
}

/* A row that another replaces: a later one, unless only one of the two tells the end. */
static inline bool story_is_old(const struct story_row *group, size_t count, size_t i)
{
    const bool ended = group[i].row.end != 0;
    for (size_t j = 0; j < count; j++) {
        const bool other_ended = group[j].row.end != 0;
        if (j != i && story_same(&group[i].row, &group[j].row) &&
            (other_ended == ended ? j > i : other_ended)) {
            return true;
        }
    }
    return false;
}

/* The run a slave task belongs to: the last one to start among those that ran then. */
static inline const struct toy_row *story_master(const struct story_row *group, size_t count,
                                                 const struct toy_row *part)
{
    const struct toy_row *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct toy_row *run = &group[i].row;
        if (run->part || run->start == 0 || part->start == 0 || story_is_old(group, count, i)) {
            continue;
        }
        bool before_end = run->end == 0 || part->start <= run->end + 300;
        if (part->start >= run->start - 300 && before_end &&
            (!best || run->start > best->start)) {
            best = run;
        }
    }
    return best;
}

static inline struct story_user *story_user_of(struct story_total *total, const char *name)
{
    int i = 0;
    while (i < STORY_USERS - 1 && strcmp(story_users_names[i], name) != 0) {
        i++;
    }
    total->users[i].name = name;
    return &total->users[i];
}

static inline void story_count_run(struct story_total *total, const struct toy_row *run)
{
    struct story_user *user = story_user_of(total, run->user);
    total->runs++;
    user->runs++;
    user->used_us += run->cpu_us;
    if (run->start == 0) {
        return;
    }
    /* A row without an end is that of a run that has ended, nobody knows when. */
    int64_t wall = run->end > run->start ? (run->end - run->start) * 1000000 : 0;
    user->started++;
    user->jobs += run->end != 0;
    user->wall_us += wall;
    user->cpu_us += wall * run->slots;
}

static inline void story_count_group(struct story_total *total, const struct story_row *group,
                                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct toy_row *row = &group[i].row;
        if (story_is_old(group, count, i)) {
            continue;
        }
        if (!row->part) {
            story_count_run(total, row);
            continue;
        }
        const struct toy_row *master = story_master(group, count, row);
        total->parts++;
        total->waiting += master == NULL;
        if (master) {
            story_user_of(total, master->user)->used_us += row->cpu_us;
        }
    }
}

static inline struct story_total story_count(const struct story *story)
{
    struct story_total total = {0};
    struct story_row *rows = mem_alloc(story->count + 1, sizeof(*rows));
    memcpy(rows, story->rows, story->count * sizeof(*rows));
    qsort(rows, story->count, sizeof(*rows), story_by_job);
    for (size_t from = 0, to = 0; from < story->count; from = to) {
        while (to < story->count && rows[to].row.job == rows[from].row.job &&
               rows[to].row.task == rows[from].row.task) {
            to++;
        }
        story_count_group(&total, rows + from, to - from);
    }
    free(rows);
    return total;
}
