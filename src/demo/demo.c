/* SPDX-License-Identifier: MIT */
#include "demo/demo.h"

#include <stdlib.h>

#include "base/buf.h"
#include "demo/demo_clock.h"
#include "demo/demo_cluster.h"
#include "demo/demo_people.h"
#include "demo/demo_writer.h"

enum { DEFAULT_RUNS = 100000, DEFAULT_USERS = 120, DEFAULT_DAYS = 365 };

struct demo_plan demo_plan_default(int64_t now)
{
    return (struct demo_plan){
        .seed = 1,
        .runs = DEFAULT_RUNS,
        .users = DEFAULT_USERS,
        .period = {now - DEFAULT_DAYS * DAY_US, now},
        .format = "sge",
    };
}

static int unknown_format(const char *name, struct error *err)
{
    struct buf names;
    buf_init(&names, 256);
    for (const struct demo_format *const *format = demo_formats; *format; format++) {
        buf_addf(&names, "%s%s", names.len > 0 ? ", " : "", (*format)->name);
    }
    int rc =
        error_set(err, ERROR_USAGE, "there is no demo format '%s', only %s", name, names.ptr);
    buf_release(&names);
    return rc;
}

static int check(const struct demo_plan *plan, struct error *err)
{
    if (plan->runs < 1 || plan->runs > DEMO_RUNS_MAX) {
        return error_set(err, ERROR_USAGE, "a demo has 1 to %lld runs, not %lld",
                         (long long)DEMO_RUNS_MAX, (long long)plan->runs);
    }
    if (plan->users < DEMO_USERS_MIN || plan->users > DEMO_USERS_MAX) {
        return error_set(err, ERROR_USAGE, "a demo has %d to %d users, not %d", DEMO_USERS_MIN,
                         DEMO_USERS_MAX, plan->users);
    }
    /* A day after 1970, so that no zone makes it negative. */
    if (plan->period.from < DAY_US || plan->period.to > INSTANT_MAX - DAY_US) {
        return error_set(err, ERROR_USAGE, "the period of a demo must lie in 1970 to 2261");
    }
    int64_t length = plan->period.to - plan->period.from;
    if (length < HOUR_US || length > DEMO_YEARS_MAX * (366 * DAY_US)) {
        return error_set(
            err, ERROR_USAGE,
            "the period of a demo must be at least an hour and at most %d years long",
            DEMO_YEARS_MAX);
    }
    if (plan->runs / (length / HOUR_US) > DEMO_RUNS_PER_HOUR_MAX) {
        return error_set(err, ERROR_USAGE,
                         "%lld runs are too many for this short period: at most %d per hour",
                         (long long)plan->runs, DEMO_RUNS_PER_HOUR_MAX);
    }
    return demo_format_find(plan->format) ? 0 : unknown_format(plan->format, err);
}

/* Runs of each cluster: its share, and what is lost in rounding goes to the last. */
static int64_t runs_of(const struct demo_plan *plan, size_t cluster)
{
    int64_t rest = plan->runs;
    for (size_t i = 0; i < cluster; i++) {
        rest -= plan->runs * demo_site_clusters[i].share / 1000;
    }
    return cluster + 1 < DEMO_CLUSTERS ? plan->runs * demo_site_clusters[cluster].share / 1000
                                       : rest;
}

static int write_cluster(const struct demo_plan *plan, struct demo_cluster_plan *part,
                         struct demo_cluster_summary *summary, struct error *err)
{
    struct demo_writer writer;
    int rc = demo_writer_open(&writer, plan->folder, demo_site_clusters[part->cluster].name,
                              demo_format_find(plan->format), err);
    if (rc != 0) {
        return rc;
    }
    part->writer = &writer;
    if ((rc = demo_cluster_live(part, summary, err)) == 0 &&
        (rc = demo_writer_finish(&writer, err)) == 0) {
        summary->path = writer.path;
        writer.path = NULL;
        summary->bytes = writer.bytes;
    }
    demo_writer_close(&writer);
    return rc;
}

int demo_write(const struct demo_plan *plan, demo_progress *progress, void *context,
               struct demo_summary *summary, struct error *err)
{
    *summary = (struct demo_summary){0};
    int rc = check(plan, err);
    if (rc != 0) {
        return rc;
    }
    struct demo_people people;
    struct demo_clock clock;
    demo_people_init(&people, plan->seed, (size_t)plan->users);
    demo_clock_init(&clock, plan->period, plan->zone);
    int64_t done = 0;
    for (size_t i = 0; i < DEMO_CLUSTERS && rc == 0; i++) {
        struct demo_cluster_plan part = {
            .cluster = i,
            .seed = plan->seed,
            .runs = runs_of(plan, i),
            .people = &people,
            .clock = &clock,
            .progress = progress,
            .context = context,
            .done = done,
            .total = plan->runs,
        };
        rc = write_cluster(plan, &part, &summary->clusters[i], err);
        done += part.runs;
        summary->count = i + 1;
    }
    if (rc == 0 && progress) {
        progress(context, done, plan->runs);
    }
    demo_clock_release(&clock);
    demo_people_release(&people);
    if (rc != 0) {
        demo_summary_release(summary);
    }
    return rc;
}

void demo_summary_release(struct demo_summary *summary)
{
    for (size_t i = 0; i < summary->count; i++) {
        free(summary->clusters[i].path);
    }
    *summary = (struct demo_summary){0};
}
