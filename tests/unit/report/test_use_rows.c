/* SPDX-License-Identifier: MIT */

/*
 * What runs used by accounting and samples: cases worked out by hand, then runs and samples by chance against a slow and
 * obvious computation that walks through every second of every node.
 */
#include "report/use/use_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "facts/samples.h"
#include "report/queries/listing.h"
#include "report/sql/column.h"
#include "support/chance.h"
#include "support/expect.h"
#include "support/runs.h"
#include "unit/report/ask.h"

#define MIB (INT64_C(1024) * 1024)

static struct runs_store store;
static struct zone *utc;

/* --- samples, as they are written and as the slow way reads them ------------------------------------------ */

enum { SHOTS_MAX = 60000, NAME_MAX_BYTES = 16 };

/* A sample; a value below 0 is absent. Times are seconds after `noon`. */
struct shot {
    size_t run;
    int64_t job;
    int node;
    const char *kind;    /* job, gpu; NULL: a process */
    const char *sampler; /* its version */
    int64_t pid;
    int card;
    int64_t at;
    int64_t cpu_us, mem, kept, cache, in, out, busy_ppm, gpu_mem;
    int64_t life; /* generation */
};

static struct shot shots[SHOTS_MAX];
static size_t shot_count, shot_next;
static char node_names[64][NAME_MAX_BYTES], card_names[64][NAME_MAX_BYTES];
static int64_t noon;

static struct shot *take_shot(void)
{
    if (shot_count == SHOTS_MAX) {
        expect_fail("too many samples for the test");
    }
    shots[shot_count] = (struct shot){.cpu_us = -1,
                                      .mem = -1,
                                      .kept = -1,
                                      .cache = -1,
                                      .in = -1,
                                      .out = -1,
                                      .busy_ppm = -1,
                                      .gpu_mem = -1,
                                      .life = -1,
                                      .sampler = "1.0"};
    return &shots[shot_count++];
}

#define SET_IF(sample, member, value)                                                          \
    do {                                                                                       \
        if ((value) >= 0) {                                                                    \
            SAMPLE_SET(sample, member, value);                                                 \
        }                                                                                      \
    } while (0)

static void fill_sample(const struct shot *shot, struct sample *sample)
{
    *sample = (struct sample){0};
    SAMPLE_SET(sample, cluster, STR("toy"));
    SAMPLE_SET(sample, node, str_of(node_names[shot->node]));
    SAMPLE_SET(sample, time, noon + shot->at * SECOND_US);
    SAMPLE_SET(sample, job, shot->job);
    SAMPLE_SET(sample, epoch, 0);
    SAMPLE_SET(sample, version, str_of(shot->sampler));
    if (shot->kind) {
        SAMPLE_SET(sample, kind, str_of(shot->kind));
    } else {
        SAMPLE_SET(sample, pid, shot->pid);
    }
    if (shot->busy_ppm >= 0 || shot->gpu_mem >= 0) {
        SAMPLE_SET(sample, command, str_of(card_names[shot->card]));
        SAMPLE_SET(sample, mem_total_bytes, 80 * MIB);
    } else {
        SAMPLE_SET(sample, command, STR("fit"));
    }
    SET_IF(sample, cpu_time_us, shot->cpu_us);
    SET_IF(sample, rss_bytes, shot->mem);
    SET_IF(sample, mem_peak_bytes, shot->kept);
    SET_IF(sample, mem_file_bytes, shot->cache);
    SET_IF(sample, read_bytes, shot->in);
    SET_IF(sample, written_bytes, shot->out);
    SET_IF(sample, gpu_util_ppm, shot->busy_ppm);
    SET_IF(sample, gpu_mem_bytes, shot->gpu_mem);
    SET_IF(sample, generation, shot->life);
}

static int next_shots(void *context, struct sample *samples, size_t max, size_t *count,
                      struct error *err)
{
    (void)context;
    (void)err;
    for (*count = 0; *count < max && shot_next < shot_count; ++*count) {
        fill_sample(&shots[shot_next++], &samples[*count]);
    }
    return 0;
}

static void put_shots(void)
{
    const struct sample_feed feed = {NULL, next_shots};
    struct samples_counts counts;
    struct error err = {0};
    shot_next = 0;
    if (facts_begin(store.facts, &err) || samples_append(store.facts, &feed, &counts, &err) ||
        facts_commit(store.facts, &err)) {
        expect_fail("%s", err.text);
    }
}

static void clear(void)
{
    struct error err = {0};
    runs_clear(&store);
    if (facts_execute(store.facts, "DELETE FROM samples", (struct facts_values){0}, NULL,
                      &err)) {
        expect_fail("%s", err.text);
    }
    shot_count = 0;
}

/* All runs by job number. */
static void list_runs(struct table *out)
{
    struct listing listing = {.zone = utc,
                              .now = noon + 400 * HOUR_US,
                              .sort = &run_fields[RUN_job],
                              .ascending = true};
    struct error err = {0};
    for (struct str rest = str_of(USE_FIELDS); rest.ptr;) {
        listing.fields[listing.field_count++] = column_find(str_cut(&rest, ','));
    }
    if (listing_ask(store.facts, &listing, out, &err)) {
        expect_fail("%s", err.text);
    }
}

static struct use *read_uses(struct table *table)
{
    struct error err = {0};
    struct use *uses = mem_alloc(table->row_count + 1, sizeof(*uses));
    if (use_rows_read(store.facts, table, noon + 400 * HOUR_US, uses, &err)) {
        expect_fail("%s", err.text);
    }
    return uses;
}

/* --- by hand ---------------------------------------------------------------------------------------------- */

static struct run plain_run(int64_t minutes, int64_t nodes, int64_t cpus)
{
    struct run run = {0};
    RUN_SET(&run, start, noon);
    RUN_SET(&run, end, noon + minutes * 60 * SECOND_US);
    RUN_SET(&run, class, STR("completed"));
    RUN_SET(&run, node_count, nodes);
    RUN_SET(&run, cpus, cpus);
    return run;
}

/* Looks of the control group of job 1 on a node: from minute to minute, every so many, with so many cpus at work. */
static void look(int node, int64_t from, int64_t to, int64_t every, double cpus)
{
    for (int64_t minute = from; minute <= to; minute += every) {
        struct shot *shot = take_shot();
        shot->job = 1;
        shot->kind = "job";
        shot->node = node;
        shot->at = minute * 60;
        shot->cpu_us = (int64_t)(cpus * (double)(minute * 60 * SECOND_US));
        shot->mem = 100 * MIB;
    }
}

/* What was read of the only run. */
static struct use use_of(const struct run *run)
{
    struct table table = {0};
    runs_add(&store, run, 1);
    put_shots();
    list_runs(&table);
    struct use *uses = read_uses(&table);
    const struct use use = uses[0];
    free(uses);
    table_release(&table);
    return use;
}

static void one_node_of_twelve_does_not_speak_for_the_run(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(600, 12, 48);
    RUN_SET(&run, cpu_used_us, (int64_t)(0.979 * 48 * 600 * 60 * SECOND_US));
    look(0, 10, 600, 10, 4);
    const struct use use = use_of(&run);
    expect_double(use.of[USE_CPU].coverage, 1. / 12, 1e-9);
    expect_text(use_basis_name(use.of[USE_CPU].basis), "scheduler");
    expect_double(use_share(&use.of[USE_CPU], 48 * use.wall_us), 0.979, 1e-6);
    expect_true(use.of[USE_MEMORY].at_least);
    expect_double(use.interval_us, 600e6, 0);
}

static void four_looks_in_the_last_minutes_cover_these(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(600, 1, 4);
    look(0, 597, 600, 1, 4);
    const struct use use = use_of(&run);
    expect_double(use.of[USE_CPU].coverage, 3. / 600, 1e-9);
    expect_true(use.of[USE_CPU].at_least && !use.of[USE_CPU].concludes);
    expect_double(use_share(&use.of[USE_CPU], 4 * use.wall_us), -1, 0);
    /* the counter itself knows all of it, which is a lower bound of the run */
    expect_double(use.of[USE_CPU].used, 4 * 600 * 60e6, 1);
}

static void a_counter_that_was_reset_goes_on(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(60, 1, 4);
    look(0, 1, 60, 1, 4);
    for (size_t i = 30; i < shot_count; i++) { /* from minute 31 on it counts from minute 30 */
        shots[i].cpu_us -= 4 * 30 * 60 * SECOND_US;
    }
    const struct use use = use_of(&run);
    expect_double(use.of[USE_CPU].used / use.wall_us, 4.0, 1e-9);
    expect_double(use.of[USE_CPU].coverage, 1, 1e-9);
    expect_double(use.cpus_peak, 4, 1e-9);
}

/* From minute 20 on in another group, whose counter is past the older one's by the next look. */
static void a_group_that_was_created_again_counts_from_zero(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(50, 1, 4);
    look(0, 10, 20, 10, 4);
    look(0, 50, 50, 10, 4);
    for (size_t i = 0; i < shot_count; i++) {
        shots[i].life = i < 2 ? 7 : 8;
    }
    shots[2].cpu_us -= 4 * 20 * 60 * SECOND_US;
    const struct use use = use_of(&run);
    expect_double(use.of[USE_CPU].used / use.wall_us, 4.0, 1e-9);
    expect_double(use.of[USE_CPU].coverage, 1, 1e-9);
}

/* Suspended for 40 of 60 minutes: its cpus worked in the 20 others, its GPU was held in all of them. */
static void a_suspended_run_holds_its_gpus_and_not_its_cpus(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(60, 1, 4);
    RUN_SET(&run, suspended_us, 40 * 60 * SECOND_US);
    RUN_SET(&run, gpus, 1);
    RUN_SET(&run, cpu_used_us, 4 * 20 * 60 * SECOND_US);
    RUN_SET(&run, gpu_used_us, 15 * 60 * SECOND_US);
    const struct use use = use_of(&run);
    expect_double(use_share(&use.of[USE_CPU], 4 * use_time(&use, USE_CPU)), 1, 1e-9);
    expect_double(use_share(&use.of[USE_GPU], use_time(&use, USE_GPU)), 0.25, 1e-9);
    expect_double(use_mean(&use, USE_CPU), 4, 1e-9);
    expect_double(use_mean(&use, USE_GPU), 0.25, 1e-9);
}

static void the_peak_that_the_kernel_kept_counts_between_looks(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(60, 1, 1);
    RUN_SET(&run, mem_peak_bytes, 150 * MIB);
    RUN_SET(&run, mem_basis, STR("job-rss"));
    look(0, 1, 60, 1, 1);
    for (size_t i = 0; i < shot_count; i++) {
        shots[i].kept = i < 20 ? 100 * MIB : 2000 * MIB;
        shots[i].cache = 700 * MIB;
    }
    const struct use use = use_of(&run);
    expect_double(use.of[USE_MEMORY].used, (double)(2000 * MIB), 0);
    expect_text(use_basis_name(use.of[USE_MEMORY].basis), "kernel");
    expect_true(use.of[USE_MEMORY].with_cache && use.of[USE_MEMORY].kept);
    expect_double(use.node_memory, (double)(2000 * MIB), 0);
    expect_double(use.memory_held, (double)(100 * MIB), 0);
}

static void the_largest_task_of_several_is_shown_as_at_least(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(60, 1, 8);
    RUN_SET(&run, mem_peak_bytes, 150 * MIB);
    RUN_SET(&run, mem_basis, STR("task-rss"));
    const struct use use = use_of(&run);
    expect_true(use.of[USE_MEMORY].at_least && !use.of[USE_MEMORY].concludes);
    expect_double(use.of[USE_MEMORY].used, (double)(150 * MIB), 0);
}

/* A control group counts block devices: of a network file system it has 0, and its processes know. */
static void bytes_are_those_of_whoever_saw_more(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(60, 1, 1);
    RUN_SET(&run, io_bytes, 30 * MIB);
    look(0, 10, 60, 10, 1);
    const size_t groups = shot_count;
    for (size_t i = 0; i < groups; i++) {
        shots[i].in = shots[i].out = 0;
        struct shot *process = take_shot();
        *process = shots[i];
        process->kind = NULL;
        process->pid = 77;
        process->in = (int64_t)(i + 1) * 10 * MIB;
        process->out = (int64_t)(i + 1) * MIB;
    }
    const struct use use = use_of(&run);
    expect_double(use.of[USE_READ].used, (double)(60 * MIB), 0);
    expect_double(use.of[USE_WRITTEN].used, (double)(6 * MIB), 0);
    expect_double(use.of[USE_IO].used, (double)(66 * MIB), 0);
    expect_text(use_basis_name(use.of[USE_IO].basis), "processes");
    expect_text(use_basis_name(use.of[USE_CPU].basis), "cgroup");
}

static void the_schedulers_bytes_count_where_samples_saw_fewer(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(60, 1, 1);
    RUN_SET(&run, io_bytes, 30 * MIB);
    look(0, 10, 60, 10, 1);
    for (size_t i = 0; i < shot_count; i++) {
        shots[i].in = shots[i].out = 0;
    }
    const struct use use = use_of(&run);
    expect_double(use.of[USE_IO].used, (double)(30 * MIB), 0);
    expect_text(use_basis_name(use.of[USE_IO].basis), "scheduler");
}

static void a_run_without_an_end_is_known_up_to_its_last_look(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(60, 1, 4);
    RUN_CLEAR(&run, end);
    RUN_SET(&run, class, STR("running"));
    RUN_SET(&run, seen, noon + 20 * 60 * SECOND_US);
    look(0, 1, 30, 1, 2);
    const struct use use = use_of(&run);
    expect_true(use.so_far);
    expect_double(use.wall_us, 30 * 60e6, 0);
    expect_double(use.of[USE_CPU].used / use.wall_us, 2, 1e-9);
}

/* Nobody recorded how many nodes an SGE job with 16 slots had: looks at one of them say nothing of the others. */
static void an_unknown_number_of_nodes_is_not_covered(void **state)
{
    (void)state;
    clear();
    struct run run = plain_run(60, 1, 16);
    RUN_CLEAR(&run, node_count);
    look(0, 1, 60, 1, 2);
    const struct use use = use_of(&run);
    expect_true(use.of[USE_CPU].at_least);
    expect_double(use.of[USE_CPU].coverage, 0, 0);
}

/* --- the slow way ----------------------------------------------------------------------------------------- */

enum { RUNS = 24, LOOKS_MAX = 4000 };

struct story {
    int64_t from, to; /* seconds after noon */
    int nodes, cards;
    int64_t cpus_a_node;
    int first_node, first_card;
    struct run run;
};

struct slow_look {
    int64_t at, cpu, in, out, busy;
};

static int by_time(const void *left, const void *right)
{
    const struct slow_look *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

static int by_number(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The longest interval that is covered: by the lower median of all intervals between looks. */
static int64_t longest_gap(const struct slow_look *looks, size_t count)
{
    static int64_t gaps[LOOKS_MAX];
    size_t gap_count = 0;
    for (size_t i = 1; i < count; i++) {
        gaps[gap_count++] = looks[i].at - looks[i - 1].at;
    }
    qsort(gaps, gap_count, sizeof(*gaps), by_number);
    const int64_t usual = gap_count > 0 ? gaps[(gap_count - 1) / 2] : 0;
    return 3 * usual > 15 * 60 ? 3 * usual : 15 * 60;
}

/* Seconds of the story that are covered, one by one; and what rose in them. */
static int64_t slow_covered(const struct story *story, const struct slow_look *looks,
                            size_t count, double *cpu, double *busy)
{
    const int64_t longest = longest_gap(looks, count);
    int64_t covered = 0;
    for (int64_t second = story->from; second < story->to; second++) {
        size_t next = 0;
        while (next < count && looks[next].at <= second) {
            next++;
        }
        const int64_t before = next > 0 ? looks[next - 1].at : story->from;
        if (next == count || looks[next].at - before > longest) {
            continue;
        }
        const double length = (double)(looks[next].at - before);
        const int64_t had = next > 0 ? looks[next - 1].cpu : 0;
        const int64_t rise = looks[next].cpu >= had ? looks[next].cpu - had : looks[next].cpu;
        *cpu += (double)rise / length;
        *busy += (double)looks[next].busy;
        covered++;
    }
    return covered;
}

/* What a counter rose by between all looks, however far apart. */
static double slow_counted(const struct slow_look *looks, size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t had = i > 0 ? looks[i - 1].cpu : 0;
        all += (double)(looks[i].cpu >= had ? looks[i].cpu - had : looks[i].cpu);
    }
    return all;
}

/* Looks of a node by its control group, or of a card, in the order of time. */
static size_t slow_looks(size_t run, const struct story *story, const char *kind, int node,
                         int card, struct slow_look *out)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < shot_count; i++) {
        const struct shot *s = &shots[i];
        if (s->run == run && s->kind && strcmp(s->kind, kind) == 0 && s->node == node &&
            (card < 0 || s->card == card) && s->at >= story->from && s->at <= story->to) {
            out[count++] = (struct slow_look){s->at, s->cpu_us, s->in, s->out, s->busy_ppm};
        }
    }
    if (count > 0) {
        qsort(out, count, sizeof(*out), by_time);
    }
    for (size_t i = 0; i < count; i++) { /* two agents at one moment */
        if (kept == 0 || out[kept - 1].at != out[i].at) {
            out[kept++] = out[i];
        }
    }
    return kept;
}

/* --- by chance -------------------------------------------------------------------------------------------- */

static void tell_cards(struct chance *chance, size_t run, const struct story *story,
                       int64_t every, int64_t phase)
{
    for (int card = 0; card < story->cards; card++) {
        if (chance_of(chance, 20)) {
            continue;
        }
        for (int64_t at = story->from + phase; at <= story->to; at += every) {
            struct shot *shot = take_shot();
            shot->run = run;
            shot->job = (int64_t)run + 1;
            shot->kind = "gpu";
            shot->node = story->first_node;
            shot->card = story->first_card + card;
            shot->at = at;
            shot->busy_ppm = chance_below(chance, 1000001);
            shot->gpu_mem = chance_below(chance, 80) * MIB;
        }
    }
}

/* An agent on a node: looks at its interval, with gaps; its counter may be reset. */
static void tell_node(struct chance *chance, size_t run, const struct story *story, int node,
                      int64_t every)
{
    const int agents = chance_of(chance, 25) ? 2 : 1;
    const int64_t reset = chance_of(chance, 20)
                              ? story->from + chance_below(chance, story->to - story->from)
                              : story->to + 1;
    const int64_t rate = chance_below(chance, story->cpus_a_node * SECOND_US + 1);
    for (int agent = 0; agent < agents; agent++) {
        const int64_t phase = chance_below(chance, every);
        const int64_t gap_from = story->from + chance_below(chance, story->to - story->from);
        const int64_t gap_to =
            gap_from + (chance_of(chance, 40) ? chance_below(chance, 6 * 3600) : 0);
        for (int64_t at = story->from + phase; at <= story->to; at += every) {
            if (at >= gap_from && at < gap_to) {
                continue;
            }
            struct shot *shot = take_shot();
            shot->run = run;
            shot->job = (int64_t)run + 1;
            shot->kind = "job";
            shot->node = story->first_node + node;
            shot->at = at;
            shot->cpu_us = rate * (at - (at > reset ? reset : story->from));
            shot->mem = (50 + at % 100) * MIB; /* of two agents at one moment the same */
            shot->kept = node % 2 ? 200 * MIB : -1;
        }
    }
}

static struct story make_story(struct chance *chance, size_t run, int *nodes, int *cards)
{
    struct story story = {.from = chance_below(chance, 3600),
                          .nodes = 1 + (int)chance_below(chance, 3),
                          .cards = chance_of(chance, 30) ? 1 + (int)chance_below(chance, 2) : 0,
                          .cpus_a_node = 1 + chance_below(chance, 8),
                          .first_node = *nodes,
                          .first_card = *cards};
    story.to = story.from + 60 + chance_below(chance, 12 * 3600);
    struct run *r = &story.run;
    RUN_SET(r, job, (int64_t)run + 1);
    RUN_SET(r, start, noon + story.from * SECOND_US);
    RUN_SET(r, end, noon + story.to * SECOND_US);
    RUN_SET(r, class, STR("completed"));
    RUN_SET(r, node_count, story.nodes);
    RUN_SET(r, cpus, story.nodes * story.cpus_a_node);
    RUN_SET(r, gpus, story.cards);
    const int64_t length = story.to - story.from;
    if (chance_of(chance, 40)) {
        RUN_SET(r, cpu_used_us,
                chance_below(chance, story.nodes * story.cpus_a_node * length * SECOND_US + 1));
    }
    if (chance_of(chance, 40)) {
        RUN_SET(r, mem_peak_bytes, (1 + chance_below(chance, 900)) * MIB);
        RUN_SET(r, mem_basis, chance_of(chance, 50) ? STR("job-rss") : STR("task-rss"));
    }
    *nodes = (*nodes + story.nodes) % 60;
    *cards = (*cards + story.cards) % 60;
    return story;
}

static void tell(struct chance *chance, size_t run, const struct story *story)
{
    static const int64_t intervals[] = {60, 300, 600, 1200};
    const int64_t every = intervals[chance_below(chance, 4)];
    for (int node = 0; node < story->nodes; node++) {
        if (!chance_of(chance, 15)) {
            tell_node(chance, run, story, node, every);
        }
    }
    if (story->cards > 0) {
        tell_cards(chance, run, story, every, chance_below(chance, every));
    }
}

static void check_cpu(const struct story *story, size_t run, const struct use *use)
{
    static struct slow_look looks[LOOKS_MAX];
    const double length = (double)(story->to - story->from);
    double cpu = 0, all = 0, ignored = 0;
    int64_t covered = 0;
    for (int node = 0; node < story->nodes; node++) {
        const size_t count = slow_looks(run, story, "job", story->first_node + node, -1, looks);
        covered += slow_covered(story, looks, count, &cpu, &ignored);
        all += slow_counted(looks, count);
    }
    const struct use_figure *found = &use->of[USE_CPU];
    const double share = (double)covered / (story->nodes * length);
    expect_double(found->coverage, share, 1e-9);
    const double most = (double)(story->nodes * story->cpus_a_node) * length * 1e6;
    if (found->concludes && found->basis == USE_CGROUP) {
        expect_true(share >= USE_ENOUGH);
        expect_double(found->used, fmax(cpu / share, all), 1 + 1e-6 * all);
    } else if (found->concludes) {
        expect_int((int64_t)found->used, story->run.cpu_used_us);
    }
    expect_true(found->used < 0 || (found->used >= 0 && found->used <= most + 1));
    expect_true(!found->at_least || fabs(found->used - all) <= 1 + 1e-6 * all);
    expect_true(!(RUN_HAS(&story->run, cpu_used_us) && share < USE_ENOUGH) ||
                found->basis == USE_SCHEDULER);
}

static void check_memory(const struct story *story, size_t run, const struct use *use)
{
    double recorded =
        RUN_HAS(&story->run, mem_peak_bytes) ? (double)story->run.mem_peak_bytes : -1;
    double highest = recorded;
    for (size_t i = 0; i < shot_count; i++) { /* not below what any node was seen with */
        if (shots[i].run == run && strcmp(shots[i].kind, "job") == 0) {
            highest = fmax(highest, fmax((double)shots[i].mem, (double)shots[i].kept));
        }
    }
    expect_true(use->of[USE_MEMORY].used >= highest);
    expect_true(!use->of[USE_MEMORY].at_least || !use->of[USE_MEMORY].concludes);
}

static void check_cards(const struct story *story, size_t run, const struct use *use)
{
    static struct slow_look looks[LOOKS_MAX];
    double ignored = 0, busy = 0;
    int64_t covered = 0;
    for (int card = 0; card < story->cards; card++) {
        const size_t count =
            slow_looks(run, story, "gpu", story->first_node, story->first_card + card, looks);
        covered += slow_covered(story, looks, count, &ignored, &busy);
    }
    const double length = (double)(story->to - story->from);
    const double share = story->cards > 0 ? (double)covered / (story->cards * length) : 0;
    const struct use_figure *found = &use->of[USE_GPU];
    expect_double(found->coverage, share, 1e-9);
    expect_true(found->concludes == (share >= USE_ENOUGH));
    if (found->concludes) {
        expect_double(found->used, busy / share, 1 + 1e-6 * busy);
    }
}

static void check_round(uint64_t seed)
{
    static struct story stories[RUNS];
    struct chance chance;
    struct table table = {0};
    int nodes = 0, cards = 0;
    clear();
    chance_init(&chance, seed);
    for (size_t run = 0; run < RUNS; run++) {
        stories[run] = make_story(&chance, run, &nodes, &cards);
        tell(&chance, run, &stories[run]);
        runs_add(&store, &stories[run].run, 1);
    }
    put_shots();
    list_runs(&table);
    expect_int((int64_t)table.row_count, RUNS);
    struct use *uses = read_uses(&table);
    for (size_t run = 0; run < RUNS; run++) {
        print_message("seed %" PRIu64 ", run %zu\n", seed, run);
        check_cpu(&stories[run], run, &uses[run]);
        check_memory(&stories[run], run, &uses[run]);
        check_cards(&stories[run], run, &uses[run]);
    }
    free(uses);
    table_release(&table);
}

static void coverage_and_use_agree_with_the_slow_way(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        check_round(seed);
    }
}

int main(void)
{
    struct suite suite = {0};
    utc = ask_zone("UTC");
    noon = ask_instant(utc, "2025-03-10T12:00");
    for (size_t i = 0; i < COUNT_OF(node_names); i++) {
        snprintf(node_names[i], NAME_MAX_BYTES, "n%02zu", i);
        snprintf(card_names[i], NAME_MAX_BYTES, "GPU-%02zu", i);
    }
    SUITE_TEST(&suite, one_node_of_twelve_does_not_speak_for_the_run);
    SUITE_TEST(&suite, four_looks_in_the_last_minutes_cover_these);
    SUITE_TEST(&suite, a_counter_that_was_reset_goes_on);
    SUITE_TEST(&suite, a_group_that_was_created_again_counts_from_zero);
    SUITE_TEST(&suite, a_suspended_run_holds_its_gpus_and_not_its_cpus);
    SUITE_TEST(&suite, the_peak_that_the_kernel_kept_counts_between_looks);
    SUITE_TEST(&suite, the_largest_task_of_several_is_shown_as_at_least);
    SUITE_TEST(&suite, bytes_are_those_of_whoever_saw_more);
    SUITE_TEST(&suite, the_schedulers_bytes_count_where_samples_saw_fewer);
    SUITE_TEST(&suite, a_run_without_an_end_is_known_up_to_its_last_look);
    SUITE_TEST(&suite, an_unknown_number_of_nodes_is_not_covered);
    SUITE_TEST(&suite, coverage_and_use_agree_with_the_slow_way);
    const int failed = runs_suite(&suite, &store, "use_rows");
    zone_close(utc);
    return failed;
}
