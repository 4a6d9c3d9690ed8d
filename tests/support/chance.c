/* SPDX-License-Identifier: MIT */
#include "support/chance.h"

#include "base/calendar.h"
#include "support/expect.h"

void chance_init(struct chance *chance, uint64_t seed)
{
    chance->state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static uint64_t next(struct chance *chance) /* xorshift64* */
{
    chance->state ^= chance->state >> 12;
    chance->state ^= chance->state << 25;
    chance->state ^= chance->state >> 27;
    return chance->state * UINT64_C(2685821657736338717);
}

int64_t chance_below(struct chance *chance, int64_t limit)
{
    return (int64_t)(next(chance) >> 1) % limit;
}

bool chance_of(struct chance *chance, int percent)
{
    return chance_below(chance, 100) < percent;
}

/* Midnights around which clocks change, years begin and months end, somewhere. */
static const char *const moments[] = {
    "2023-12-31", "2024-01-01", "2024-02-29", "2024-03-10", "2024-03-31", "2024-04-07",
    "2024-06-30", "2024-10-06", "2024-10-27", "2024-11-03", "2024-12-30", "2025-01-01",
};

int64_t chance_instant(struct chance *chance, const struct zone *zone)
{
    struct period span = {0};
    struct error err = {0};
    const char *moment = moments[chance_below(chance, COUNT_OF(moments))];
    if (calendar_span(str_of(moment), zone, 0, &span, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return span.from + (chance_of(chance, 50) ? (chance_below(chance, 72) - 24) * HOUR_US
                                              : chance_below(chance, 40 * DAY_US));
}

static int64_t chance_length(struct chance *chance)
{
    switch (chance_below(chance, 6)) {
    case 0:
        return 0;
    case 1:
        return 1 + chance_below(chance, SECOND_US);
    case 2:
        return (1 + chance_below(chance, 48)) * HOUR_US;
    case 3:
        return (1 + chance_below(chance, 9)) * DAY_US;
    case 4:
        return chance_below(chance, 120 * DAY_US);
    default:
        return chance_below(chance, 2 * DAY_US);
    }
}

/* Texts a field may have; each is absent in one run of ten. */
static const struct {
    enum run_field field;
    const char *words[8];
} texts[] = {
    {RUN_user, {"ann", "bob", "cyd", "dee", "eve"}},
    {RUN_group, {"bio", "geo", "phys"}},
    {RUN_account, {"astro", "bank", "climate"}},
    {RUN_partition, {"short", "long"}},
    {RUN_node, {"n1", "n2", "n3", "n4"}},
    {RUN_nodes,
     {"n1", "n[1-3]", "n4,n2", "n[3-4],n[2-3]", "n[3-", "n1", "n4*2,n[1-2]*1",
      "n3*0,n1*3,n3*1"}},
    {RUN_name, {"sim-1", "sim-2", "a_b", "50%", "x*y"}},
    {RUN_class,
     {"running", "suspended", "completed", "failed", "cancelled", "timeout", "node_fail",
      "other"}},
};

/* Numbers a field may have: below `small` or below `large`, and how often it tells any. */
static const struct {
    enum run_field field;
    int percent;
    int64_t small, large;
} numbers[] = {
    {RUN_cpus, 80, 5, 20000},
    {RUN_gpus, 60, 5, 64},
    {RUN_node_count, 70, 3, 500},
    {RUN_mem_bytes, 70, 1000, INT64_C(1) << 42},
    {RUN_req_mem_bytes, 70, 1000, INT64_C(1) << 42},
    {RUN_disk_bytes, 50, 1000, INT64_C(1) << 50},
    {RUN_billing, 50, 10, 100000},
    {RUN_req_wall_us, 60, HOUR_US, 100 * DAY_US},
    {RUN_suspended_us, 30, 3, 3 * DAY_US},
    {RUN_cpu_user_us, 70, 10, 4000 * DAY_US},
    {RUN_cpu_system_us, 70, 10, 400 * DAY_US},
    {RUN_cpu_used_us, 70, 10, 4000 * DAY_US},
    {RUN_gpu_used_us, 50, 10, 400 * DAY_US},
    {RUN_energy_mj, 50, 10, INT64_C(1) << 50},
    {RUN_mem_peak_bytes, 70, 1000, INT64_C(1) << 42},
};

static void set(struct run *run, enum run_field field)
{
    run->has[(unsigned)field / 64] |= UINT64_C(1) << (unsigned)field % 64;
}

static void set_use(struct chance *chance, struct run *run)
{
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        if (chance_of(chance, numbers[i].percent)) {
            char *member = (char *)run + run_fields[numbers[i].field].offset;
            *(int64_t *)(void *)member = chance_below(
                chance, chance_of(chance, 50) ? numbers[i].small : numbers[i].large);
            set(run, numbers[i].field);
        }
    }
    if (RUN_HAS(run, mem_peak_bytes)) {
        RUN_SET(run, mem_basis, run->mem_peak_bytes % 3 ? STR("job-rss") : STR("task-rss"));
    }
}

static void set_names(struct chance *chance, struct run *run)
{
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        size_t count = 0;
        while (count < COUNT_OF(texts[i].words) && texts[i].words[count]) {
            count++;
        }
        if (chance_of(chance, 90)) {
            char *member = (char *)run + run_fields[texts[i].field].offset;
            *(struct str *)(void *)member =
                str_of(texts[i].words[chance_below(chance, (int64_t)count)]);
            set(run, texts[i].field);
        }
    }
}

struct run chance_run(struct chance *chance, const struct zone *zone)
{
    struct run run = {0};
    int64_t start = chance_instant(chance, zone);
    RUN_SET(&run, cluster, chance_of(chance, 50) ? STR("alder") : STR("birch"));
    set_names(chance, &run);
    set_use(chance, &run);
    if (chance_of(chance, 90)) {
        RUN_SET(&run, submit,
                start - chance_length(chance) + (chance_of(chance, 5) ? DAY_US : 0));
    }
    if (chance_of(chance, 60)) {
        RUN_SET(&run, eligible,
                start - chance_length(chance) + (chance_of(chance, 5) ? DAY_US : 0));
    }
    if (chance_of(chance, 90)) {
        RUN_SET(&run, start, start);
    }
    if (chance_of(chance, 90)) {
        int64_t length = chance_length(chance);
        RUN_SET(&run, end, start + (chance_of(chance, 6) ? -length : length));
    } else if (chance_of(chance, 80)) {
        RUN_SET(&run, seen, start + (chance_of(chance, 6) ? -HOUR_US : chance_length(chance)));
    }
    return run;
}

/* Seen to wait, before it started or again, or to run. */
static void be_listed(struct chance *chance, struct run *run)
{
    RUN_CLEAR(run, end);
    if (chance_of(chance, 30)) {
        RUN_CLEAR(run, start);
        RUN_SET(run, class, STR("pending"));
        RUN_SET(run, seen,
                run->submit + HOUR_US * (chance_of(chance, 60) ? 1 : 2) - 60 * SECOND_US);
    } else {
        RUN_SET(run, class, chance_of(chance, 50) ? STR("running") : STR("suspended"));
        RUN_SET(run, seen, run->start + HOUR_US);
    }
}

/* Ended, still running, still waiting, or in a state nobody knows. */
static void be_recorded(struct chance *chance, struct run *run)
{
    RUN_CLEAR(run, seen);
    const int64_t which = chance_below(chance, 5);
    if (which < 2) {
        RUN_SET(run, end, run->start + HOUR_US * (1 + chance_below(chance, 48)));
        return;
    }
    RUN_CLEAR(run, end);
    if (which == 2) {
        RUN_SET(run, class, STR("running"));
    } else if (which == 3) {
        RUN_CLEAR(run, start);
        RUN_SET(run, class, STR("pending"));
    } else if (chance_of(chance, 50)) {
        RUN_SET(run, class, STR("failed"));
    } else {
        RUN_SET(run, class, STR("other"));
        if (chance_of(chance, 50)) {
            RUN_CLEAR(run, start);
        }
    }
}

struct run chance_record(struct chance *chance, enum run_origin origin, int64_t story,
                         const struct zone *zone)
{
    const int64_t submit = (INT64_C(1700000000) + story * 100000) * SECOND_US;
    struct run run = chance_run(chance, zone);
    RUN_SET(&run, cluster, STR("toy"));
    RUN_SET(&run, job, story);
    RUN_CLEAR(&run, job_key);
    RUN_CLEAR(&run, task);
    RUN_CLEAR(&run, het);
    RUN_CLEAR(&run, part);
    RUN_SET(&run, flags, 0);
    RUN_SET(&run, attempt, submit);
    RUN_SET(&run, submit, submit);
    RUN_SET(&run, start,
            submit + HOUR_US +
                (chance_of(chance, 20) ? chance_below(chance, 100) * SECOND_US : 0));
    RUN_SET(&run, origin, origin);
    RUN_SET(&run, file, (int64_t)origin);
    RUN_SET(&run, digest, story * 10 + (int64_t)origin);
    if (origin == ORIGIN_LISTING) {
        be_listed(chance, &run);
    } else {
        be_recorded(chance, &run);
    }
    return run;
}
