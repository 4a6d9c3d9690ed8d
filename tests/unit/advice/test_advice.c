/* SPDX-License-Identifier: MIT */
#include "advice/advice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attribute.h"
#include "support/chance.h"
#include "support/expect.h"

#define SECOND 1e6
#define HOUR   (3600 * SECOND)
#define MIB    (1024.0 * 1024)
#define GIB    (1024 * MIB)

/* --- cases, with answers worked out by hand ----------------------------------------------------------- */

/*
 * A run as words: how it stands, then what is known of it. What is not named is not known. Amounts are of the whole run. `top` is the
 * peak of memory; `counted` by the kernel, without which it is the highest look; `seen` of it until that share.
 */
struct advice_case {
    const char *name;
    const char *run;
    const char *requests; /* what is to be requested, in order; "": nothing */
    /* what a line says that requests nothing, or of a request; NULL: there is no such line */
    const char *says;
};

static const struct advice_case advice_cases[] = {
    /* memory: less */
    {"a counted peak far below", "completed wall=2h mem=16G top=3G counted", "memory=3840M",
     NULL},
    {"a counted peak with the cache", "completed wall=2h mem=16G top=5G counted cache",
     "memory=6144M", "file cache included"},
    {"what was not seen is stated", "completed wall=2h mem=16G top=3G counted seen=0.96",
     "memory=3840M", "its last 4 % were not seen"},
    {"a small peak is not less than a step", "completed wall=2h mem=16G top=10M counted",
     "memory=256M", NULL},
    {"four nodes together", "completed wall=2h nodes=4 mem=64G top=8G counted", "memory=10240M",
     NULL},
    {"the highest look is no bound", "completed wall=2h mem=16G top=3G", "",
     "a peak between two looks"},
    {"a minute's job by looks", "completed wall=1m mem=16G top=100M", "", "between two looks"},
    {"a lower bound is the basis of nothing", "completed wall=2h mem=16G top=3G counted least",
     "", "at least 3.0 GiB"},
    {"a counter that saw half", "completed wall=2h mem=16G top=3G counted seen=0.5", "",
     "in the 50 % of its time that were seen"},
    {"more than half is in use", "completed wall=2h mem=16G top=9G counted", "", NULL},
    {"exactly half is in use", "completed wall=2h mem=16G top=8G counted", "", NULL},
    {"two GiB are not worth a word", "completed wall=2h mem=2G top=100M counted", "", NULL},
    {"the cache filled it", "completed wall=2h mem=16G top=16G counted cache", "", NULL},
    {"nothing is known of its peak", "completed wall=2h mem=16G", "", NULL},
    {"nothing is known of what it had", "completed wall=2h top=1G counted", "", NULL},
    {"a failed run does not show what it needs", "failed wall=2h mem=16G top=1G counted", "",
     NULL},
    {"a cancelled run neither", "cancelled wall=2h mem=16G top=1G counted", "", NULL},
    {"a run that goes on neither", "running wall=2h mem=16G top=1G counted", "", NULL},
    {"one that reached its limit neither",
     "timeout wall=2h limit=2h cpus=4 work=4 mem=16G top=1G counted", "time=03:00", NULL},

    /* memory: more */
    {"out of memory by its state", "oom wall=1h mem=4G top=4G", "memory=6144M",
     "ran out of memory"},
    {"out of memory, seen below its limit", "oom wall=1h mem=4G top=1G", "memory=6144M", NULL},
    {"out of memory, of unknown size", "oom wall=1h top=2G", "memory=3072M",
     "as it was seen to have"},
    {"out of memory, and nothing else is known", "oom wall=1h", "", "it ran out of memory"},
    {"processes killed in a run that failed", "failed wall=1h mem=4G top=3G kills=2",
     "memory=6144M", "2 of its processes were killed for lack of memory"},
    {"a process killed in a run that completed",
     "completed wall=1h mem=4G top=1G counted kills=1", "memory=6144M", "though it completed"},
    {"exit 137 with its memory full", "failed exit=137 wall=1h mem=4G top=3900M",
     "memory=6144M", "nearly full"},
    {"signal 9 with its memory full", "failed signal=9 wall=1h mem=4G top=4G", "memory=6144M",
     "nearly full"},
    {"exit 137 far below, by looks", "failed exit=137 wall=1h mem=4G top=500M", "",
     "that it did is not recorded"},
    {"exit 137 far below, counted", "failed exit=137 wall=1h mem=4G top=500M counted", "",
     "not for lack of memory"},
    {"exit 137 and nothing known of memory", "failed exit=137 wall=1h", "", "not recorded"},
    {"exit 1 is a matter of the program", "failed exit=1 wall=1h mem=4G top=4G", "", NULL},
    {"a cancelled run that was killed", "cancelled signal=9 wall=1h mem=4G top=4G", "", NULL},

    /* time */
    {"at work until its limit", "timeout wall=8h limit=8h cpus=16 work=15", "time=12:00", NULL},
    {"one cpu at work until its limit", "timeout wall=1h limit=1h cpus=1 work=1", "time=01:30",
     NULL},
    {"0.8 of 16 cpus until its limit", "timeout wall=8h limit=8h cpus=16 work=0.8", "",
     "0.8 of 16 cpus at work"},
    {"one cpu idle until its limit", "timeout wall=8h limit=8h cpus=1 work=0.02", "",
     "find out what it waited for"},
    {"worked, then hung", "timeout wall=9h limit=9h cpus=4 work=2 idle=4h", "",
     "did nothing for the last 04:00:00"},
    {"a short rest at the end", "timeout wall=9h limit=9h cpus=4 work=3.5 idle=1h",
     "time=13:30", NULL},
    {"serial on four cpus until its limit", "timeout wall=2h limit=2h cpus=4 work=1",
     "time=03:00", NULL},
    {"GPUs work while cpus wait", "timeout wall=2h limit=2h cpus=16 work=0.5 gpus=4 busy=3.9",
     "time=03:00", NULL},
    {"GPUs and cpus wait", "timeout wall=2h limit=2h cpus=16 work=0.5 gpus=4 busy=0 unused=4",
     "", "its GPUs did nothing"},
    {"nothing is known of what it did", "timeout wall=2h limit=2h cpus=16", "",
     "whether it worked until then is not known"},
    {"samples of a part of it", "timeout wall=2h limit=2h cpus=16 work=15 covered=0.1", "",
     "whether it worked until then is not known"},
    {"idle cpus beside GPUs of which nothing is known",
     "timeout wall=2h limit=2h cpus=16 work=0.5 gpus=2", "",
     "whether it worked until then is not known"},
    {"cpus at work beside such GPUs", "timeout wall=2h limit=2h cpus=16 work=12 gpus=2",
     "time=03:00", NULL},
    {"ended by a deadline or a limit of cpu time", "timeout wall=2h limit=10h cpus=4 work=4",
     "", "another limit than that of its time"},
    {"ended by a deadline after a rest", "timeout wall=4h limit=10h cpus=4 work=2 idle=2h", "",
     "did nothing for the last 02:00:00: find out"},
    {"ended a little before its limit", "timeout wall=96m limit=100m cpus=4 work=4",
     "time=02:30", NULL},
    {"a limit far too long", "completed wall=1h limit=24h cpus=4 work=4", "time=02:00", NULL},
    {"minutes are rounded up", "completed wall=10m limit=2h cpus=4 work=4", "time=00:30", NULL},
    {"a limit that fits", "completed wall=1h limit=3h cpus=4 work=4", "", NULL},
    {"a quarter of the limit", "completed wall=6h limit=24h cpus=4 work=4", "", NULL},
    {"a short limit", "completed wall=1m limit=1h cpus=4 work=4", "", NULL},
    {"no limit", "completed wall=1h cpus=4 work=4", "", NULL},
    {"a failed run with a long limit", "failed exit=1 wall=1m limit=24h", "", NULL},

    /* cpus and nodes */
    {"one cpu, used", "completed wall=2h cpus=1 work=1", "", NULL},
    {"one cpu, idle", "completed wall=2h cpus=1 work=0.01", "", NULL},
    {"all cpus at work", "completed wall=2h cpus=64 work=63", "", NULL},
    {"half of them at work", "completed wall=2h cpus=8 work=4", "", NULL},
    {"a serial program", "completed wall=2h cpus=16 work=1 most=1", "cpus=1", "it is serial"},
    {"serial by accounting", "completed wall=2h cpus=16 work=1", "cpus=1",
     "as with a serial program"},
    {"serial with little time left takes more of it",
     "completed wall=2h limit=3h cpus=16 work=1 most=1", "cpus=1+04:00", "it is serial"},
    {"serial with time enough", "completed wall=2h limit=5h cpus=16 work=1 most=1", "cpus=1",
     "up to 2.0 times as long"},
    {"three of sixteen at most", "completed wall=2h cpus=16 work=2.5 most=3", "cpus=3",
     "never more than 3.0"},
    {"on average by accounting", "completed wall=2h cpus=16 work=4", "cpus=5",
     "4.0 of its 16 cpus worked on average"},
    {"bursts on all cpus", "completed wall=2h cpus=64 work=25.8 most=63", "", "in bursts"},
    {"a coarse look at bursts", "completed wall=2h cpus=64 work=25.8", "cpus=29", NULL},
    {"an agent on one of twelve nodes",
     "completed wall=2h cpus=48 nodes=12 work=4 covered=0.083", "", "samples cover 8 %"},
    {"a run of a moment by accounting", "completed wall=30s cpus=16 work=0.1", "", NULL},
    {"one idle node of four", "completed wall=2h cpus=128 nodes=4 work=96 most=96 resting=1",
     "nodes=3", "1 of its 4 nodes did nothing"},
    {"three idle nodes of four", "completed wall=2h cpus=128 nodes=4 work=32 most=32 resting=3",
     "nodes=1", NULL},
    {"four nodes with little to do", "completed wall=2h cpus=128 nodes=4 work=35 most=36", "",
     "on 4 nodes"},
    {"a serial program with a long limit", "completed wall=1h limit=24h cpus=8 work=1 most=1",
     "cpus=1 time=02:30", "serial"},
    {"and the time that it then takes", "completed wall=1h limit=24h cpus=8 work=1 most=1",
     "cpus=1 time=02:30", "2.5 times what it took, with room for fewer cpus"},
    {"cpu time is not known", "completed wall=2h cpus=16", "", NULL},
    {"whole nodes for one cpu", "completed wall=2h cpus=64 asked=1 work=1 most=1", "",
     "though it asked for 1"},
    {"both threads of a core for one cpu", "completed wall=2h cpus=2 asked=1 work=0.9", "",
     NULL},
    {"more than was needed, and more than was asked for",
     "completed wall=2h cpus=64 asked=8 work=1 most=1", "cpus=1", "serial"},
    {"its last tenth was not seen", "completed wall=2h cpus=8 work=1 most=1 covered=0.9",
     "cpus=1", "10 % of its time were not seen"},
    {"its last ninth was not seen", "completed wall=2h cpus=8 work=1 most=1 covered=0.89", "",
     "samples cover 89 %"},
    {"an idle node of a moment", "completed wall=20s cpus=8 nodes=4 work=6 resting=1", "",
     NULL},
    {"a failed run with idle cpus", "failed exit=1 wall=2h cpus=16 work=1 most=1", "", NULL},

    /* GPUs */
    {"two of four cards idle", "completed wall=2h gpus=4 busy=2 unused=2 looks=120", "gpus=2",
     "by 120 looks"},
    {"the only card idle", "completed wall=2h gpus=1 busy=0 unused=1 looks=120", "gpus=0",
     NULL},
    {"all cards work a little", "completed wall=2h gpus=4 busy=0.4 unused=0 looks=120", "",
     NULL},
    {"nearly all of the run was looked at",
     "completed wall=2h gpus=2 busy=1 unused=1 looks=120 cards=0.95", "gpus=1",
     "5 % of its time were not seen"},
    {"five looks are few", "completed wall=2h gpus=1 busy=0 unused=1 looks=5", "", NULL},
    {"looks at a part of the run",
     "completed wall=2h gpus=1 busy=0 unused=1 looks=120 cards=0.4", "", NULL},
    {"cards that report nothing", "completed wall=2h gpus=4", "", NULL},
    {"more idle cards than it held", "completed wall=2h gpus=1 busy=0 unused=2 looks=120", "",
     NULL},
    {"a failed run with idle cards", "failed exit=1 wall=2h gpus=2 busy=0 unused=2 looks=120",
     "", NULL},

    /* while it runs */
    {"four cards idle for 14 hours", "running wall=14h gpus=4 busy=0 unused=4 looks=840", "",
     "its GPUs did nothing in 14:00:00"},
    {"one of two cards idle", "running wall=14h gpus=2 busy=1 unused=1 looks=840", "",
     "1 of its 2 GPUs did nothing"},
    {"cards idle since ten minutes", "running wall=10m gpus=4 busy=0 unused=4 looks=10", "",
     NULL},
    {"cards nobody looked at", "running wall=14h gpus=4", "", NULL},
    {"memory near its limit", "running wall=1h mem=16G now=15G", "",
     "reached 15.0 GiB of 16.0 GiB"},
    {"memory in its limit", "running wall=1h mem=16G now=8G", "", NULL},
    {"a cache at its limit", "running wall=1h mem=16G now=2G top=16G counted cache", "", NULL},
    {"time near its limit", "running wall=23h limit=24h", "", "01:00:00 of its time limit"},
    {"time enough", "running wall=3h limit=24h cpus=4 work=4", "", NULL},
    {"nothing for three hours", "running wall=9h cpus=4 work=2 idle=3h", "", "it may hang"},
    {"nothing for ten minutes", "running wall=9h cpus=4 work=2 idle=10m", "", NULL},
    {"killed processes while it runs", "running wall=1h mem=4G now=1G kills=1", "",
     "killed for lack of memory"},
    {"it waits", "pending mem=512G limit=240h cpus=64", "", NULL},
};

/* "3G", "256M", "2h", "10m", "0.96": in bytes, microseconds, as they are */
static double amount(const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    switch (*end) {
    case 'G':
        return number * GIB;
    case 'M':
        return number * MIB;
    case 'h':
        return number * HOUR;
    case 'm':
        return number * 60 * SECOND;
    case 's':
        return number * SECOND;
    default:
        return number;
    }
}

static struct advice_run nothing_known(void)
{
    return (struct advice_run){
        .stage = ADVICE_ENDED,
        .oom_kills = -1,
        .wall = -1,
        .cpu_covered = 1,
        .nodes = 1,
        .idle_end = -1,
        .nodes_idle = -1,
        .peak = -1,
        .peak_covered = 1,
        .mem_now = -1,
        .gpu_covered = 1,
        .gpu_looks = 100,
        .seen = {.nodes = 1,
                 .at_work = -1,
                 .peak = -1,
                 .alone = -1,
                 .least_node = -1,
                 .io_stall = -1,
                 .mem_stall = -1,
                 .cpu_stall = -1,
                 .throttled = -1,
                 .gpus_at_work = -1,
                 .gpus_unused = -1},
    };
}

static void set_number(struct advice_run *run, const char *key, const char *text)
{
    const struct {
        const char *key;
        double *to;
    } numbers[] = {
        {"kills", &run->oom_kills},
        {"wall", &run->wall},
        {"limit", &run->time_limit},
        {"cpus", &run->seen.cpus},
        {"asked", &run->asked_cpus},
        {"work", &run->seen.at_work},
        {"most", &run->seen.peak},
        {"covered", &run->cpu_covered},
        {"nodes", &run->nodes},
        {"idle", &run->idle_end},
        {"resting", &run->nodes_idle},
        {"mem", &run->mem},
        {"top", &run->peak},
        {"seen", &run->peak_covered},
        {"now", &run->mem_now},
        {"gpus", &run->seen.gpus},
        {"busy", &run->seen.gpus_at_work},
        {"unused", &run->seen.gpus_unused},
        {"looks", &run->gpu_looks},
        {"cards", &run->gpu_covered},
    };

    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        if (strcmp(numbers[i].key, key) == 0) {
            *numbers[i].to = amount(text);
            return;
        }
    }
    expect_fail("no number is called '%s'", key);
}

static bool set_word(struct advice_run *run, const char *word)
{
    static const struct {
        const char *word;
        enum advice_stage stage;
        enum advice_end end;
    } ends[] = {
        {"completed", ADVICE_ENDED, ADVICE_COMPLETED},
        {"failed", ADVICE_ENDED, ADVICE_FAILED},
        {"timeout", ADVICE_ENDED, ADVICE_TIMEOUT},
        {"oom", ADVICE_ENDED, ADVICE_OUT_OF_MEMORY},
        {"cancelled", ADVICE_ENDED, ADVICE_OTHER},
        {"running", ADVICE_RUNNING, ADVICE_OTHER},
        {"pending", ADVICE_PENDING, ADVICE_OTHER},
    };

    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        if (strcmp(ends[i].word, word) == 0) {
            run->stage = ends[i].stage;
            run->end = ends[i].end;
            return true;
        }
    }
    run->peak_counted = run->peak_counted || strcmp(word, "counted") == 0;
    run->peak_at_least = run->peak_at_least || strcmp(word, "least") == 0;
    run->peak_cache = run->peak_cache || strcmp(word, "cache") == 0;
    return strcmp(word, "counted") == 0 || strcmp(word, "least") == 0 ||
           strcmp(word, "cache") == 0;
}

static struct advice_run read_run(const char *words)
{
    char copy[256], *place = NULL;
    struct advice_run run = nothing_known();
    (void)snprintf(copy, sizeof(copy), "%s", words);
    for (char *word = strtok_r(copy, " ", &place); word; word = strtok_r(NULL, " ", &place)) {
        char *value = strchr(word, '=');
        if (value) {
            *value++ = '\0';
        }
        if (value && strcmp(word, "exit") == 0) {
            run.exit_code = (int)amount(value);
        } else if (value && strcmp(word, "signal") == 0) {
            run.signal = (int)amount(value);
        } else if (value) {
            set_number(&run, word, value);
        } else if (!set_word(&run, word)) {
            expect_fail("no word is '%s'", word);
        }
    }
    return run;
}

static void write_time(char *out, size_t room, double us)
{
    const long minutes = lround(advice_round_time(us) / SECOND / 60);
    (void)snprintf(out, room, "%02ld:%02ld", minutes / 60, minutes % 60);
}

/* "memory=3840M cpus=1+04:00": what is requested, as schedulers would take it. */
static void write_requests(const struct advice *rows, size_t count, char *out, size_t room)
{
    static const char *const names[] = {
        [ADVICE_SAY] = "",      [ADVICE_MEMORY] = "memory", [ADVICE_TIME] = "time",
        [ADVICE_CPUS] = "cpus", [ADVICE_NODES] = "nodes",   [ADVICE_GPUS] = "gpus",
    };
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char value[32], with[16] = "";
        if (rows[i].what == ADVICE_SAY) {
            continue;
        }
        if (rows[i].what == ADVICE_MEMORY) {
            (void)snprintf(value, sizeof(value), "%.0fM",
                           advice_round_memory(rows[i].wanted) / MIB);
        } else if (rows[i].what == ADVICE_TIME) {
            write_time(value, sizeof(value), rows[i].wanted);
        } else {
            (void)snprintf(value, sizeof(value), "%.0f", rows[i].wanted);
        }
        if (rows[i].time > 0) {
            with[0] = '+';
            write_time(with + 1, sizeof(with) - 1, rows[i].time);
        }
        const size_t length = strlen(out);
        (void)snprintf(out + length, room - length, "%s%s=%s%s", length > 0 ? " " : "",
                       names[rows[i].what], value, with);
    }
}

static void advice_is_as_worked_out(void **state)
{
    const struct advice_case *one = *state;
    const struct advice_run run = read_run(one->run);
    struct advice rows[ADVICE_MAX];
    char requests[256];
    bool said = false;
    size_t silent = 0;
    const size_t count = advice_find(&run, rows);
    write_requests(rows, count, requests, sizeof(requests));
    expect_text(requests, one->requests);
    for (size_t i = 0; i < count; i++) {
        said = said || (one->says && (strstr(rows[i].cause, one->says) ||
                                      strstr(rows[i].reason, one->says)));
        silent += rows[i].what == ADVICE_SAY;
    }
    if (one->says && !said) {
        expect_fail("no line says '%s'; the first says '%s'", one->says,
                    count > 0 ? rows[0].cause : "nothing");
    }
    if (!one->says && silent > 0) {
        expect_fail("a line says '%s'", rows[0].cause);
    }
}

/* At least 60 of them, and a third of them call for nothing at all. */
static void there_are_enough_cases_and_a_third_are_none(void **state)
{
    (void)state;
    size_t none = 0;
    for (size_t i = 0; i < COUNT_OF(advice_cases); i++) {
        none += advice_cases[i].requests[0] == '\0' && !advice_cases[i].says;
    }
    expect_true(COUNT_OF(advice_cases) >= 60);
    expect_true(3 * none >= COUNT_OF(advice_cases));
}

/* --- a site that follows all advice ------------------------------------------------------------------- */

enum { STEPS = 400 };

/* What a run truly did, in steps of equal length. */
struct truth {
    double wall, limit, cpus, mem;
    double memory[STEPS], work[STEPS]; /* cpus it could use at that time, if it had them */
};

static double uniform(struct chance *chance, double low, double high)
{
    return low + (high - low) * (double)chance_below(chance, 1000001) / 1e6;
}

/* Steady, growing, with a spike of a step or of some; serial, parallel, in bursts, hung. */
static struct truth chance_truth(struct chance *chance)
{
    struct truth truth = {.wall = uniform(chance, 60, 100000) * SECOND,
                          .cpus = (double)(1 << chance_below(chance, 7))};
    const double base = uniform(chance, 10, 4000) * MIB;
    const int64_t grows = chance_below(chance, 3), works = chance_below(chance, 4);
    const int64_t spike = chance_below(chance, 2) ? chance_below(chance, STEPS) : -1;
    const int64_t length = 1 + chance_below(chance, 5), period = 1 + chance_below(chance, 20);
    double peak = 0;
    for (int64_t i = 0; i < STEPS; i++) {
        const double share = (double)i / STEPS;
        truth.memory[i] = base * (grows == 1 ? 0.2 + share : 1);
        if (spike >= 0 && i >= spike && i < spike + length) {
            truth.memory[i] *= 8;
        }
        truth.work[i] = works == 0   ? 1
                        : works == 1 ? truth.cpus
                        : works == 2 ? (i / period % 4 == 0 ? truth.cpus : 0.2)
                                     : (i < STEPS / 3 ? 1 : 0);
        peak = fmax(peak, truth.memory[i]);
    }
    truth.mem = peak * uniform(chance, 1.01, 20);
    truth.limit = truth.wall * uniform(chance, 1.01, 40);
    return truth;
}

/* What an agent sees of it that looks at every n-th step, and what counts without a gap counts until its last look. */
static struct advice_run look(const struct truth *truth, int64_t interval, int64_t first,
                              bool counted)
{
    struct advice_run run = nothing_known();
    double used = 0, before = 0, now = 0;
    int64_t last = -1;
    run.end = ADVICE_COMPLETED;
    run.wall = truth->wall;
    run.time_limit = truth->limit;
    run.mem = truth->mem;
    run.seen.cpus = truth->cpus;
    for (int64_t i = 0; i < STEPS; i++) {
        now = counted ? fmax(now, truth->memory[i]) : truth->memory[i];
        used += truth->work[i] / STEPS;
        if (i % interval != first) {
            continue;
        }
        run.peak = fmax(run.peak, now);
        if (last >= 0) {
            run.seen.peak = fmax(run.seen.peak, (used - before) * STEPS / (double)(i - last));
        }
        before = used;
        last = i;
    }
    run.seen.at_work = last >= 0 ? before * STEPS / (double)(last + 1) : -1;
    run.cpu_covered = run.peak_covered = (double)(last + 1) / STEPS;
    run.peak_counted = counted;
    return run;
}

/* How long it takes on so many cpus: of each step what it could use at once. */
static double wall_on(const struct truth *truth, double cpus)
{
    double wall = 0;
    for (size_t i = 0; i < STEPS; i++) {
        wall += truth->wall / STEPS * fmax(1, truth->work[i] / cpus);
    }
    return wall;
}

struct outcome {
    size_t advised, died_of_memory, died_of_time;
    double risk; /* sum of what the advice states */
};

static void resubmit(const struct truth *truth, const struct advice_run *run,
                     struct outcome *out)
{
    struct advice rows[ADVICE_MAX];
    double mem = truth->mem, limit = truth->limit, cpus = truth->cpus, peak = 0;
    const size_t count = advice_find(run, rows);
    for (size_t i = 0; i < count; i++) {
        out->advised += rows[i].what != ADVICE_SAY;
        out->risk += rows[i].risk;
        mem = rows[i].what == ADVICE_MEMORY ? advice_round_memory(rows[i].wanted) : mem;
        cpus = rows[i].what == ADVICE_CPUS ? rows[i].wanted : cpus;
        limit = rows[i].what == ADVICE_TIME ? advice_round_time(rows[i].wanted) : limit;
        limit = rows[i].time > 0 ? fmax(limit, advice_round_time(rows[i].time)) : limit;
    }
    for (size_t i = 0; i < STEPS; i++) {
        peak = fmax(peak, truth->memory[i]);
    }
    out->died_of_memory += peak > mem;
    out->died_of_time += wall_on(truth, cpus) > limit;
}

static void a_site_that_follows_all_advice_loses_no_more_than_is_stated(void **state)
{
    (void)state;
    struct chance chance;
    struct outcome counted = {0}, looked = {0};
    chance_init(&chance, 19);
    for (int i = 0; i < 20000; i++) {
        const struct truth truth = chance_truth(&chance);
        const int64_t interval = 1 + chance_below(&chance, 60);
        const int64_t first = chance_below(&chance, interval);
        const struct advice_run known = look(&truth, interval, first, true),
                                guessed = look(&truth, interval, first, false);
        resubmit(&truth, &known, &counted);
        resubmit(&truth, &guessed, &looked);
    }
    /* It is not by saying nothing. */
    expect_true(counted.advised > 15000);
    expect_true(counted.risk < 0.05 * 20000);
    expect_uint(counted.died_of_time, 0);
    expect_true((double)counted.died_of_memory <= counted.risk);
    /* Of looks alone no memory is taken away. */
    expect_uint(looked.died_of_memory, 0);
    expect_uint(looked.died_of_time, 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, advice_is_as_worked_out, advice_cases);
    SUITE_TEST(&suite, there_are_enough_cases_and_a_third_are_none);
    SUITE_TEST(&suite, a_site_that_follows_all_advice_loses_no_more_than_is_stated);
    return suite_run(&suite, "advice");
}
