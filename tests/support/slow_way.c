/* SPDX-License-Identifier: MIT */
#include "support/slow_way.h"

#include <stdlib.h>

#include "base/mem.h"
#include "support/expect.h"

/* --- runs and nodes --------------------------------------------------------------------------- */

/* The lists that tests have, and what they say; no other list can be read. */
static const struct {
    const char *list;
    const char *names[SLOW_NODES_MAX];
    int64_t cpus[SLOW_NODES_MAX];
} lists[] = {
    {"n1", {"n1"}, {0}},
    {"n[1-3]", {"n1", "n2", "n3"}, {0}},
    {"n4,n2", {"n2", "n4"}, {0}},
    {"n[3-4],n[2-3]", {"n2", "n3", "n4"}, {0}},
    {"n4*2,n[1-2]*1", {"n1", "n2", "n4"}, {1, 1, 2}},
    {"n3*0,n1*3,n3*1", {"n1", "n3"}, {3, 1}},
};

size_t slow_names(const struct run *run, struct str names[SLOW_NODES_MAX])
{
    for (size_t i = 0; RUN_HAS(run, nodes) && i < COUNT_OF(lists); i++) {
        size_t count = 0;
        for (; str_eq(run->nodes, str_of(lists[i].list)) && lists[i].names[count]; count++) {
            names[count] = str_of(lists[i].names[count]);
        }
        if (count > 0) {
            return count;
        }
    }
    names[0] = run->node;
    return RUN_HAS(run, node);
}

static bool is_listed(const struct run *run)
{
    bool listed = false;
    for (size_t i = 0; RUN_HAS(run, nodes) && i < COUNT_OF(lists); i++) {
        listed |= str_eq(run->nodes, str_of(lists[i].list));
    }
    return listed;
}

/* Of x things dealt out, the hand that is dealt last has its part of them, the one before what is then left, and so on. */
static wide_int dealt(const struct slow_hands *part, wide_int x)
{
    wide_int sum = 0;
    for (int64_t hand = part->first; hand < part->first + part->count; hand++) {
        const wide_int left = x * (part->hands - hand) / part->hands;
        sum += left - x * (part->hands - hand - 1) / part->hands;
    }
    return sum;
}

/* A peak of one task or process, unless the run has one cpu; a part has the word for what its run is. */
static bool is_lower_bound(const struct run *run)
{
    if (!RUN_HAS(run, mem_basis)) {
        return false;
    }
    return str_eq(run->mem_basis, STR("at-least")) ||
           ((str_eq(run->mem_basis, STR("task-rss")) ||
             str_eq(run->mem_basis, STR("process-rss"))) &&
            !(RUN_HAS(run, cpus) && run->cpus == 1));
}

static void deal(struct slow_part *part)
{
    static const struct {
        enum run_field field;
        bool by_cpus;
    } fields[] = {
        {RUN_cpus, true},           {RUN_cpu_used_us, true},    {RUN_cpu_user_us, true},
        {RUN_cpu_system_us, true},  {RUN_gpus, false},          {RUN_node_count, false},
        {RUN_mem_bytes, false},     {RUN_req_mem_bytes, false}, {RUN_disk_bytes, false},
        {RUN_billing, false},       {RUN_gpu_used_us, false},   {RUN_energy_mj, false},
        {RUN_mem_peak_bytes, false}};

    RUN_SET(&part->run, mem_basis,
            is_lower_bound(&part->run) ? STR("at-least") : STR("job-rss"));
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        const enum run_field field = fields[i].field;
        int64_t *number = (int64_t *)(void *)((char *)&part->run + run_fields[field].offset);
        if (part->even.count == 0) { /* nobody knows how much */
            part->run.has[(unsigned)field / 64] &= ~(UINT64_C(1) << (unsigned)field % 64);
        } else {
            *number = (int64_t)dealt(fields[i].by_cpus ? &part->cpus : &part->even, *number);
        }
    }
}

/* The hands of each cpu, if all nodes are listed and their cpus are those of the run. */
static void deal_cpus(const struct run *run, int64_t all, int64_t node, struct slow_hands *out)
{
    for (size_t i = 0; RUN_HAS(run, nodes) && i < COUNT_OF(lists); i++) {
        struct slow_hands hands = {0};
        int64_t names = 0;
        for (; str_eq(run->nodes, str_of(lists[i].list)) && lists[i].names[names]; names++) {
            hands.first += names < node ? lists[i].cpus[names] : 0;
            hands.count += names == node ? lists[i].cpus[names] : 0;
            hands.hands += lists[i].cpus[names];
        }
        if (hands.hands > 0 && names == all && RUN_HAS(run, cpus) && run->cpus == hands.hands) {
            *out = hands;
        }
    }
}

size_t slow_on_nodes(const struct run *run, struct slow_part on[SLOW_NODES_MAX])
{
    struct str names[SLOW_NODES_MAX];
    const int64_t recorded = (int64_t)slow_names(run, names);
    int64_t all = RUN_HAS(run, node_count) ? run->node_count : 0;
    all = is_listed(run) && all < recorded ? recorded : all;
    const int64_t count = recorded + (all > recorded || all == 0);
    for (int64_t i = 0; i < count; i++) {
        struct slow_part *part = &on[i];
        const bool named = i < recorded;
        struct slow_hands hands = {all, i, named ? all > 0 : all - recorded};
        if (all == 0 && !named) {
            hands = (struct slow_hands){1, 0, 1};
        }
        *part = (struct slow_part){*run, run, hands, hands};
        deal_cpus(run, all, i, &part->cpus);
        RUN_CLEAR(&part->run, nodes);
        RUN_CLEAR(&part->run, node);
        if (named) {
            RUN_SET(&part->run, node, names[i]);
        }
        deal(part);
    }
    return (size_t)count;
}

/* --- runs and time --------------------------------------------------------------------------- */

/* A number of a run; false if it is unknown. */
typedef bool number_of(const struct run *run, wide_int *out);

#define MEMBER(name, member)                                                                   \
    static bool name(const struct run *run, wide_int *out)                                     \
    {                                                                                          \
        *out = run->member;                                                                    \
        return RUN_HAS(run, member);                                                           \
    }
MEMBER(cpus, cpus)
MEMBER(gpus, gpus)
MEMBER(nodes, node_count)
MEMBER(memory, mem_bytes)
MEMBER(disk, disk_bytes)
MEMBER(billing, billing)
MEMBER(limit, req_wall_us)
MEMBER(cpu_used, cpu_used_us)
MEMBER(cpu_user, cpu_user_us)
MEMBER(cpu_system, cpu_system_us)
MEMBER(gpu_used, gpu_used_us)
MEMBER(mem_peak, mem_peak_bytes)

static bool mem_whole(const struct run *run, wide_int *out)
{
    return mem_peak(run, out) && !is_lower_bound(run);
}

static bool energy(const struct run *run, wide_int *out)
{
    *out = run->energy_mj;
    return RUN_HAS(run, energy_mj);
}

static bool not_recorded(const struct run *run, wide_int *out)
{
    (void)run;
    *out = 0;
    return false;
}

static bool one(const struct run *run, wide_int *out)
{
    (void)run;
    *out = 1;
    return true;
}

static int64_t at_least_zero(int64_t n)
{
    return n > 0 ? n : 0;
}

static int64_t suspended(const struct run *run)
{
    return RUN_HAS(run, suspended_us) ? run->suspended_us : 0;
}

/* From start to end, without suspension; of runs that have both. */
static bool wall(const struct run *run, wide_int *out)
{
    *out = at_least_zero(at_least_zero(run->end - run->start) - suspended(run));
    return RUN_HAS(run, start) && RUN_HAS(run, end);
}

static bool wait(const struct run *run, wide_int *out)
{
    *out = at_least_zero(run->start - run->submit);
    return RUN_HAS(run, start) && RUN_HAS(run, submit);
}

static bool wait_eligible(const struct run *run, wide_int *out)
{
    *out = at_least_zero(run->start - run->eligible);
    return RUN_HAS(run, start) && RUN_HAS(run, eligible);
}

static bool cpu_time(const struct run *run, wide_int *out)
{
    wide_int time = 0;
    const bool known = wall(run, &time);
    const bool held = cpus(run, out);
    *out *= time;
    return known && held;
}

/* GPUs are held while a run is suspended. */
static bool gpu_time(const struct run *run, wide_int *out)
{
    const bool held = gpus(run, out);
    *out *= at_least_zero(run->end - run->start);
    return held && RUN_HAS(run, start) && RUN_HAS(run, end);
}

static bool memory_given(const struct run *run, wide_int *out)
{
    *out = RUN_HAS(run, mem_bytes) ? run->mem_bytes : run->req_mem_bytes;
    return RUN_HAS(run, mem_bytes) || RUN_HAS(run, req_mem_bytes);
}

static bool cpu_both(const struct run *run, wide_int *out)
{
    *out = (wide_int)run->cpu_user_us + run->cpu_system_us;
    return RUN_HAS(run, cpu_user_us) && RUN_HAS(run, cpu_system_us);
}

static bool has_class(const struct run *run, const char *name)
{
    return RUN_HAS(run, class) && str_eq(run->class, str_of(name));
}

/* Whether nobody knows that it still waits or runs: going by what became of it, and by whether it was listed. */
static bool is_over(const struct run *run)
{
    if (has_class(run, "pending") || has_class(run, "running") || has_class(run, "suspended")) {
        return false;
    }
    return !RUN_HAS(run, seen) || (RUN_HAS(run, class) && !has_class(run, "other"));
}

/* It started, and nobody knows when it ended, nor that it did not. */
static bool is_untimed(const struct run *run)
{
    return !RUN_HAS(run, end) && is_over(run);
}

/*
 * When a run that started stopped taking time, as far as anybody knows: of one without an end when it was last
 * seen; never before its start.
 */
static int64_t stop_of(const struct run *run, int64_t now)
{
    int64_t stop = run->start;
    if (RUN_HAS(run, end)) {
        stop = run->end;
    } else if (!is_untimed(run) && RUN_HAS(run, seen)) {
        stop = run->seen < now ? run->seen : now;
    }
    return stop > run->start ? stop : run->start;
}

static bool is_within(struct slow_time time, int64_t instant)
{
    for (size_t i = 0; i < time.count; i++) {
        if (instant >= time.stretches[i].from && instant < time.stretches[i].to) {
            return true;
        }
    }
    return false;
}

/* The instants of a stretch that a run takes up; false if there are none. */
static bool overlap(const struct run *run, struct period stretch, int64_t now, int64_t *from,
                    int64_t *to)
{
    int64_t stop = stop_of(run, now);
    *from = run->start > stretch.from ? run->start : stretch.from;
    *to = stop < stretch.to ? stop : stretch.to;
    return RUN_HAS(run, start) && *from < *to;
}

static bool takes_time(const struct run *run, struct slow_time time)
{
    int64_t from, to;
    for (size_t i = 0; i < time.count; i++) {
        if (overlap(run, time.stretches[i], time.now, &from, &to)) {
            return true;
        }
    }
    return false;
}

/* A run that takes no time is there at its instant. */
static bool is_active(const struct run *run, struct slow_time time)
{
    return RUN_HAS(run, start) &&
           (stop_of(run, time.now) == run->start ? is_within(time, run->start)
                                                 : takes_time(run, time));
}

/* What has been reached at `at` of `whole`, which comes evenly from start to stop: rounded down. */
static wide_int reached(const struct run *run, wide_int whole, int64_t at, int64_t now)
{
    return whole * (at - run->start) / (stop_of(run, now) - run->start);
}

/* The share of `whole` that lies in the time; all of it for a run that takes none. */
static wide_int share(const struct run *run, wide_int whole, struct slow_time time)
{
    wide_int sum = 0;
    int64_t from, to;
    if (stop_of(run, time.now) == run->start) {
        return whole;
    }
    for (size_t i = 0; i < time.count; i++) {
        if (overlap(run, time.stretches[i], time.now, &from, &to)) {
            sum += reached(run, whole, to, time.now) - reached(run, whole, from, time.now);
        }
    }
    return sum;
}

/* The same of what a run used; of its nodes each has its part of what was used by an instant. */
static wide_int share_of_part(const struct slow_part *part, number_of *use, wide_int whole,
                              struct slow_time time)
{
    const struct run *run = &part->run;
    const bool by_cpus = use == cpu_used || use == cpu_user || use == cpu_system;
    const struct slow_hands *hands = by_cpus ? &part->cpus : &part->even;
    wide_int sum = 0;
    int64_t from, to;
    if (stop_of(run, time.now) == run->start) {
        return dealt(hands, whole);
    }
    for (size_t i = 0; i < time.count; i++) {
        if (overlap(run, time.stretches[i], time.now, &from, &to)) {
            sum += dealt(hands, reached(run, whole, to, time.now)) -
                   dealt(hands, reached(run, whole, from, time.now));
        }
    }
    return sum;
}

/* How long a run held a resource in the time; cpus and its own time pause while it is suspended. */
static int64_t held(const struct run *run, struct slow_time time, bool pauses)
{
    int64_t whole = stop_of(run, time.now) - run->start;
    int64_t off = suspended(run) < whole ? suspended(run) : whole;
    int64_t sum = 0;
    int64_t from, to;
    for (size_t i = 0; i < time.count; i++) {
        sum += overlap(run, time.stretches[i], time.now, &from, &to) ? to - from : 0;
    }
    return whole > 0 ? sum - (pauses ? (int64_t)share(run, off, time) : 0) : 0;
}

/* --- what a measure looks at ----------------------------------------------------------------- */

/* The moment of a run that counts. */
enum moment { SUBMITTED, STARTED, ENDED, GIVEN_UP, ACTIVE, TAKING_TIME, NO_RUN_AT_ALL };

static bool is_at(const struct run *run, enum moment moment, struct slow_time time)
{
    switch (moment) {
    case SUBMITTED:
        return RUN_HAS(run, submit) && is_within(time, run->submit);
    case STARTED:
        return RUN_HAS(run, start) && is_within(time, run->start);
    case ENDED:
        return RUN_HAS(run, start) && RUN_HAS(run, end) && is_within(time, run->end);
    case GIVEN_UP:
        if (RUN_HAS(run, start) || (!RUN_HAS(run, end) && !is_over(run))) {
            return false;
        }
        return RUN_HAS(run, end) ? is_within(time, run->end)
                                 : RUN_HAS(run, submit) && is_within(time, run->submit);
    case ACTIVE:
        return is_active(run, time);
    case NO_RUN_AT_ALL:
        return false;
    case TAKING_TIME:
        return takes_time(run, time);
    }
    return false;
}

struct slow_row;

/* Works out a value from the runs that count. */
typedef struct slow_value slow_way(const struct slow_row *row, struct slow_runs runs,
                                   struct slow_time time);

struct slow_row {
    const char *id;
    enum moment moment;
    slow_way *way;
    number_of *part, *whole;
    const char *class;
    int percent; /* of quantiles */
    size_t text; /* offset of the text that is counted */
    enum run_field field;
};

static const struct slow_value unknown = {0};

static struct slow_value number(wide_int n)
{
    return (struct slow_value){.known = true, .number = n};
}

static struct slow_value ratio(wide_int part, wide_int whole)
{
    return whole == 0 ? unknown
                      : (struct slow_value){.known = true,
                                            .is_real = true,
                                            .real = (double)part / (double)whole};
}

static slow_way count, count_ratio, sum, mean_real, least, most, quantile, efficiency, coverage,
    amount, amount_per_time, never, used, different, different_nodes, peak;

static wide_int count_class(const struct slow_row *row, struct slow_runs runs)
{
    wide_int n = 0;
    for (size_t i = 0; i < runs.count; i++) {
        const struct run *run = runs.runs[i];
        n += !row->class || (RUN_HAS(run, class) && str_eq(run->class, str_of(row->class)));
    }
    return n;
}

static struct slow_value count(const struct slow_row *row, struct slow_runs runs,
                               struct slow_time time)
{
    (void)time;
    return number(count_class(row, runs));
}

static struct slow_value count_tasks(const struct slow_row *row, struct slow_runs runs,
                                     struct slow_time time)
{
    wide_int n = 0;
    (void)row;
    (void)time;
    for (size_t i = 0; i < runs.count; i++) {
        n += RUN_HAS(runs.runs[i], task_count) ? runs.runs[i]->task_count : 1;
    }
    return number(n);
}

static struct slow_value count_ratio(const struct slow_row *row, struct slow_runs runs,
                                     struct slow_time time)
{
    (void)time;
    return ratio(count_class(row, runs), (wide_int)runs.count);
}

/* The known parts, one after the other; the caller frees them. */
static wide_int *known_parts(const struct slow_row *row, struct slow_runs runs, size_t *n)
{
    wide_int *parts = mem_alloc(runs.count + 1, sizeof(*parts));
    *n = 0;
    for (size_t i = 0; i < runs.count; i++) {
        *n += row->part(runs.runs[i], &parts[*n]);
    }
    return parts;
}

static wide_int sum_parts(const struct slow_row *row, struct slow_runs runs, size_t *n)
{
    wide_int *parts = known_parts(row, runs, n);
    wide_int all = 0;
    for (size_t i = 0; i < *n; i++) {
        all += parts[i];
    }
    free(parts);
    return all;
}

static struct slow_value sum(const struct slow_row *row, struct slow_runs runs,
                             struct slow_time time)
{
    (void)time;
    size_t n;
    wide_int all = sum_parts(row, runs, &n);
    return n > 0 || runs.count == 0 ? number(all) : unknown;
}

static struct slow_value mean_real(const struct slow_row *row, struct slow_runs runs,
                                   struct slow_time time)
{
    (void)time;
    size_t n;
    wide_int all = sum_parts(row, runs, &n);
    return ratio(all, (wide_int)n);
}

static int compare(const void *a, const void *b)
{
    wide_int x = *(const wide_int *)a;
    wide_int y = *(const wide_int *)b;
    return (x > y) - (x < y);
}

/* The smallest value that at least so many in a hundred do not exceed. */
static struct slow_value quantile(const struct slow_row *row, struct slow_runs runs,
                                  struct slow_time time)
{
    (void)time;
    size_t n;
    wide_int *parts = known_parts(row, runs, &n);
    qsort(parts, n, sizeof(*parts), compare);
    size_t rank = (n * (size_t)row->percent + 99) / 100;
    struct slow_value value = n > 0 ? number(parts[rank > 0 ? rank - 1 : 0]) : unknown;
    free(parts);
    return value;
}

static struct slow_value least(const struct slow_row *row, struct slow_runs runs,
                               struct slow_time time)
{
    struct slow_row lowest = *row;
    lowest.percent = 0;
    return quantile(&lowest, runs, time);
}

static struct slow_value most(const struct slow_row *row, struct slow_runs runs,
                              struct slow_time time)
{
    struct slow_row highest = *row;
    highest.percent = 100;
    return quantile(&highest, runs, time);
}

/* Of the runs that tell both. */
static struct slow_value efficiency(const struct slow_row *row, struct slow_runs runs,
                                    struct slow_time time)
{
    (void)time;
    wide_int parts = 0, wholes = 0;
    for (size_t i = 0; i < runs.count; i++) {
        wide_int part, whole;
        const bool has_part = row->part(runs.runs[i], &part);
        if (row->whole(runs.runs[i], &whole) && has_part) {
            parts += part;
            wholes += whole;
        }
    }
    return ratio(parts, wholes);
}

/* How much of the whole is that of runs that tell the part. */
static struct slow_value coverage(const struct slow_row *row, struct slow_runs runs,
                                  struct slow_time time)
{
    (void)time;
    wide_int known = 0, wholes = 0;
    for (size_t i = 0; i < runs.count; i++) {
        wide_int part, whole;
        bool tells = row->part(runs.runs[i], &part);
        if (row->whole(runs.runs[i], &whole)) {
            wholes += whole;
            known += tells ? whole : 0;
        }
    }
    return ratio(known, wholes);
}

static struct slow_value amount(const struct slow_row *row, struct slow_runs runs,
                                struct slow_time time)
{
    wide_int all = 0;
    bool any = runs.count == 0;
    for (size_t i = 0; i < runs.count; i++) {
        wide_int rate;
        if (!is_untimed(runs.runs[i]) && row->part(runs.runs[i], &rate)) {
            all += rate * held(runs.runs[i], time, row->part == cpus || row->part == one);
            any = true;
        }
    }
    return any ? number(all) : unknown;
}

/* Over the time that has passed. */
static struct slow_value amount_per_time(const struct slow_row *row, struct slow_runs runs,
                                         struct slow_time time)
{
    struct slow_value value = amount(row, runs, time);
    int64_t passed = 0;
    for (size_t i = 0; i < time.count; i++) {
        int64_t to = time.stretches[i].to < time.now ? time.stretches[i].to : time.now;
        passed += at_least_zero(to - time.stretches[i].from);
    }
    return value.known ? ratio(value.number, passed) : unknown;
}

/* Nobody has told how much there is to be used. */
static struct slow_value never(const struct slow_row *row, struct slow_runs runs,
                               struct slow_time time)
{
    (void)row, (void)runs, (void)time;
    return unknown;
}

static wide_int share_of(const struct slow_row *row, struct slow_runs runs, size_t index,
                         struct slow_time time)
{
    const struct slow_part *part =
        runs.on_nodes ? (const struct slow_part *)(const void *)runs.runs[index] : NULL;
    wide_int whole = 0;
    (void)row->part(part ? part->whole : runs.runs[index], &whole);
    return part ? share_of_part(part, row->part, whole, time)
                : share(runs.runs[index], whole, time);
}

static struct slow_value used(const struct slow_row *row, struct slow_runs runs,
                              struct slow_time time)
{
    wide_int all = 0;
    bool any = runs.count == 0;
    for (size_t i = 0; i < runs.count; i++) {
        wide_int whole;
        if (row->part(runs.runs[i], &whole)) {
            all += share_of(row, runs, i, time);
            any = true;
        }
    }
    return any ? number(all) : unknown;
}

static struct str text_of(const struct slow_row *row, const struct run *run)
{
    const char *member = (const char *)run + row->text;
    return run_has(run, row->field) ? *(const struct str *)(const void *)member
                                    : (struct str){0};
}

static struct slow_value different(const struct slow_row *row, struct slow_runs runs,
                                   struct slow_time time)
{
    (void)time;
    wide_int n = 0;
    for (size_t i = 0; i < runs.count; i++) {
        struct str text = text_of(row, runs.runs[i]);
        bool seen = !text.ptr;
        for (size_t before = 0; before < i && !seen; before++) {
            seen = str_eq(text, text_of(row, runs.runs[before]));
        }
        n += !seen;
    }
    return n > 0 || runs.count == 0 ? number(n) : unknown;
}

/* Different nodes, of the lists of runs. */
static struct slow_value different_nodes(const struct slow_row *row, struct slow_runs runs,
                                         struct slow_time time)
{
    (void)row, (void)time;
    struct str seen[SLOW_NODES_MAX * SLOW_NODES_MAX], names[SLOW_NODES_MAX];
    struct str clusters[COUNT_OF(seen)];
    wide_int n = 0;
    for (size_t i = 0; i < runs.count; i++) {
        for (size_t left = slow_names(runs.runs[i], names); left > 0; left--) {
            bool known = false;
            for (wide_int before = 0; before < n; before++) {
                known |= str_eq(seen[before], names[left - 1]) &&
                         str_eq(clusters[before], runs.runs[i]->cluster);
            }
            if (!known) {
                clusters[n] = runs.runs[i]->cluster;
                seen[n++] = names[left - 1];
            }
        }
    }
    return n > 0 || runs.count == 0 ? number(n) : unknown;
}

/* The sum of rates at one instant. */
static wide_int level(const struct slow_row *row, struct slow_runs runs, struct slow_time time,
                      int64_t at)
{
    wide_int all = 0;
    for (size_t i = 0; i < runs.count; i++) {
        wide_int rate;
        if (runs.runs[i]->start <= at && at < stop_of(runs.runs[i], time.now) &&
            row->part(runs.runs[i], &rate)) {
            all += rate;
        }
    }
    return all;
}

/* It can only rise where a run starts, or where the time begins. */
static struct slow_value peak(const struct slow_row *row, struct slow_runs runs,
                              struct slow_time time)
{
    wide_int highest = 0;
    bool any = runs.count == 0;
    for (size_t i = 0; i < runs.count; i++) {
        wide_int rate;
        any |= row->part(runs.runs[i], &rate);
        wide_int here = is_within(time, runs.runs[i]->start)
                            ? level(row, runs, time, runs.runs[i]->start)
                            : 0;
        highest = here > highest ? here : highest;
    }
    for (size_t i = 0; i < time.count && runs.count > 0; i++) {
        wide_int here = level(row, runs, time, time.stretches[i].from);
        highest = here > highest ? here : highest;
    }
    return any ? number(highest) : unknown;
}

#define DIFFERENT(id, member)                                                                  \
    {                                                                                          \
        id, ACTIVE, different, .text = offsetof(struct run, member), .field = RUN_##member     \
    }

static const struct slow_row rows[] = {
    {.id = "jobs", ENDED, count},
    {.id = "jobs_submitted", SUBMITTED, count_tasks},
    {.id = "jobs_started", STARTED, count},
    {.id = "jobs_active", ACTIVE, count},
    {.id = "jobs_never_started", GIVEN_UP, count_tasks},
    {.id = "jobs_completed", ENDED, count, .class = "completed"},
    {.id = "jobs_failed", ENDED, count, .class = "failed"},
    {.id = "jobs_cancelled", ENDED, count, .class = "cancelled"},
    {.id = "jobs_timeout", ENDED, count, .class = "timeout"},
    {.id = "jobs_oom", ENDED, count, .class = "oom"},
    {.id = "jobs_node_fail", ENDED, count, .class = "node_fail"},
    {.id = "jobs_requeued", ENDED, count, .class = "requeued"},
    {.id = "success_rate", ENDED, count_ratio, .class = "completed"},
    {.id = "cpu_hours", ACTIVE, amount, cpus},
    {.id = "gpu_hours", ACTIVE, amount, gpus},
    {.id = "node_hours", ACTIVE, amount, nodes},
    {.id = "wall_hours", ACTIVE, amount, one},
    {.id = "mem_gib_hours", ACTIVE, amount, memory},
    {.id = "disk_gib_hours", ACTIVE, amount, disk},
    {.id = "billing_hours", ACTIVE, amount, billing},
    {.id = "cpu_used_hours", ACTIVE, used, cpu_used},
    {.id = "cpu_user_hours", ACTIVE, used, cpu_user},
    {.id = "cpu_system_hours", ACTIVE, used, cpu_system},
    {.id = "gpu_used_hours", ACTIVE, used, gpu_used},
    {.id = "energy", ACTIVE, used, energy},
    {.id = "su", ACTIVE, used, not_recorded}, /* of rates, which these questions have none of */
    {.id = "cost", ACTIVE, used, not_recorded},
    {.id = "wait_hours", STARTED, sum, wait},
    {.id = "wait_avg", STARTED, mean_real, wait},
    {.id = "wait_median", STARTED, quantile, wait, .percent = 50},
    {.id = "wait_p90", STARTED, quantile, wait, .percent = 90},
    {.id = "wait_p99", STARTED, quantile, wait, .percent = 99},
    {.id = "wait_max", STARTED, most, wait},
    {.id = "wait_eligible_hours", STARTED, sum, wait_eligible},
    {.id = "wait_eligible_avg", STARTED, mean_real, wait_eligible},
    {.id = "wait_eligible_median", STARTED, quantile, wait_eligible, .percent = 50},
    {.id = "wait_eligible_p90", STARTED, quantile, wait_eligible, .percent = 90},
    {.id = "wait_eligible_p99", STARTED, quantile, wait_eligible, .percent = 99},
    {.id = "wait_eligible_max", STARTED, most, wait_eligible},
    {.id = "wall_min", ENDED, least, wall},
    {.id = "wall_max", ENDED, most, wall},
    {.id = "wall_avg", ENDED, mean_real, wall},
    {.id = "wall_median", ENDED, quantile, wall, .percent = 50},
    {.id = "mem_peak_avg", ENDED, mean_real, mem_peak},
    {.id = "mem_peak_max", ENDED, most, mem_peak},
    {.id = "cpus_avg", ENDED, mean_real, cpus},
    {.id = "cpus_max", ENDED, most, cpus},
    {.id = "cpus_min", ENDED, least, cpus},
    {.id = "cpu_efficiency", ENDED, efficiency, cpu_used, cpu_time},
    {.id = "cpu_coverage", ENDED, coverage, cpu_used, cpu_time},
    {.id = "mem_efficiency", ENDED, efficiency, mem_whole, memory_given},
    {.id = "mem_coverage", ENDED, coverage, mem_whole, memory_given},
    {.id = "gpu_efficiency", ENDED, efficiency, gpu_used, gpu_time},
    {.id = "gpu_coverage", ENDED, coverage, gpu_used, gpu_time},
    {.id = "time_efficiency", ENDED, efficiency, wall, limit},
    {.id = "time_coverage", ENDED, coverage, limit, wall},
    {.id = "system_ratio", ENDED, efficiency, cpu_system, cpu_both},
    DIFFERENT("users", user),
    DIFFERENT("people", user), /* without books a login is a person */
    DIFFERENT("accounts", account),
    {.id = "nodes", ACTIVE, different_nodes},
    {.id = "utilization", ACTIVE, never},
    {.id = "gpu_utilization", ACTIVE, never},
    {.id = "cpu_hours_capacity", NO_RUN_AT_ALL, never},
    {.id = "cpu_hours_down", NO_RUN_AT_ALL, never},
    {.id = "cpu_hours_planned", NO_RUN_AT_ALL, never},
    {.id = "cpu_hours_reserved", NO_RUN_AT_ALL, never},
    {.id = "cpu_hours_unknown", NO_RUN_AT_ALL, never},
    {.id = "cpu_hours_idle", ACTIVE, never},
    {.id = "gpu_hours_capacity", NO_RUN_AT_ALL, never},
    {.id = "gpu_hours_down", NO_RUN_AT_ALL, never},
    {.id = "gpu_hours_planned", NO_RUN_AT_ALL, never},
    {.id = "gpu_hours_reserved", NO_RUN_AT_ALL, never},
    {.id = "gpu_hours_unknown", NO_RUN_AT_ALL, never},
    {.id = "gpu_hours_idle", ACTIVE, never},
    {.id = "running_avg", ACTIVE, amount_per_time, one},
    {.id = "cpus_running_avg", ACTIVE, amount_per_time, cpus},
    {.id = "running_peak", TAKING_TIME, peak, one},
    {.id = "cpus_running_peak", TAKING_TIME, peak, cpus},
};

static const struct slow_row *find_row(const char *id)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (str_eq(str_of(rows[i].id), str_of(id))) {
            return &rows[i];
        }
    }
    expect_fail("the slow way has no measure '%s': add it to tests/support/slow_way.c", id);
}

struct slow_value slow_answer(const char *id, struct slow_runs runs, struct slow_time time)
{
    const struct slow_row *row = find_row(id);
    const struct run **counting = mem_alloc(runs.count + 1, sizeof(*counting));
    struct slow_runs at = {counting, 0, runs.on_nodes};
    for (size_t i = 0; i < runs.count; i++) {
        if (is_at(runs.runs[i], row->moment, time)) {
            counting[at.count++] = runs.runs[i];
        }
    }
    struct slow_value value = row->way(row, at, time);
    free(counting);
    return value;
}

bool slow_has(const char *id, struct slow_runs runs, struct slow_time time)
{
    const struct slow_row *row = find_row(id);
    for (size_t i = 0; i < runs.count; i++) {
        if (is_at(runs.runs[i], row->moment, time)) {
            return true;
        }
    }
    return false;
}
