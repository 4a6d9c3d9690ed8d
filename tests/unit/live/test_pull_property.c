/* SPDX-License-Identifier: MIT */

/*
 * However often a scheduler is asked, and however often that is killed or fails, in the end the facts are those of
 * asking once, but for runs whose end nobody ever told: these are flagged, and end when they were last seen.
 *
 * The scheduler is scripted, with jobs that wait, start, are requeued, cancelled, end and vanish; its accounting lags
 * behind. STINT_PROPERTY_SEEDS=50 tells more such stories than the usual two, STINT_PROPERTY_FIRST=17 others.
 */

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "support/chance.h"
#include "unit/live/pulled.h"

enum {
    JOBS = 40,
    RUNS_MOST = 4 * JOBS,
    STORY = 600,
    LAG_MOST = 20,
    LOOK_BACK = 60,
    PULLS = 15
};

/* Seconds after SCRIPT_EPOCH; 0 is never. */
struct lived {
    int64_t job, submit, start, end, gone; /* gone: since when nobody knows of it */
    const char *state;
};

static struct lived runs[RUNS_MOST];
static size_t run_count;
static int64_t killed, failed_pulls, done;
/* How long the last pull took that was left alone: another is killed within that time. 0: none yet in this store. */
static int64_t took_us;

/* --- a story ---------------------------------------------------------------------------------- */

static void live_job(struct chance *chance, int64_t job)
{
    int64_t at = 1 + chance_below(chance, STORY / 2);
    for (int attempt = 0; attempt < 4; attempt++) {
        struct lived *run = &runs[run_count++];
        *run = (struct lived){.job = job, .submit = at};
        at += chance_below(chance, 60);
        if (chance_of(chance, 10)) {
            run->end = at + 1;
            run->state = "CANCELLED by 1000";
            return;
        }
        run->start = at;
        run->end = at + 1 + chance_below(chance, chance_of(chance, 50) ? 5 : 120);
        at = run->end + 1; /* Slurm sets the submit time anew when it requeues */
        if (chance_of(chance, 15)) {
            run->gone = run->start + chance_below(chance, run->end - run->start + 1);
            return;
        }
        run->state = chance_of(chance, 70) ? "COMPLETED" : "FAILED";
        if (!chance_of(chance, 25) || attempt == 3) {
            return;
        }
        run->state = "REQUEUED";
    }
}

static void tell_story(uint64_t seed, struct chance *chance)
{
    chance_init(chance, seed);
    run_count = 0;
    for (int64_t job = 1; job <= JOBS; job++) {
        live_job(chance, job);
    }
}

/* --- what the scheduler says of it -------------------------------------------------------------- */

static void add_time(struct buf *out, int64_t second, const char *otherwise)
{
    char text[INSTANT_TEXT_MAX];
    if (second > 0) {
        buf_addf(out, "%.19s|", zone_print(utc, AT(second), text));
    } else {
        buf_addf(out, "%s|", otherwise);
    }
}

/* A row of what is known at an instant; nothing before the job was submitted. */
static void add_run(struct buf *out, const struct lived *run, int64_t at, int cpus)
{
    const bool started = run->start > 0 && run->start <= at;
    const bool ended = run->end <= at && !run->gone;
    if (run->submit > at) {
        return;
    }
    buf_addf(out, "%" PRId64 "|", run->job);
    add_time(out, run->submit, "Unknown");
    add_time(out, started ? run->start : 0, ended ? "None" : "Unknown");
    add_time(out, ended ? run->end : 0, "Unknown");
    buf_addf(out, "%s|%d|ann\n",
             ended     ? run->state
             : started ? "RUNNING"
                       : "PENDING",
             started ? cpus : 0);
}

/* The listing counts cpus otherwise, so that its records are not those of the history. */
static void add_listed(struct buf *out, const struct lived *run, int64_t at)
{
    struct lived listed = *run;
    const bool there = run->submit <= at && at < (run->gone ? run->gone : run->end);
    listed.gone = 0;
    listed.end = STORY * 100;
    if (there) {
        add_run(out, &listed, at, 5);
    }
}

/* Everything that was there since the mark, and some time before, as far as the accounting has heard. */
static void add_past(struct buf *out, const struct lived *run, int64_t from, int64_t at,
                     int64_t lag)
{
    if (run->gone || run->end > at - lag || run->end >= from - LOOK_BACK) {
        add_run(out, run, at - lag, 4);
    }
}

/* --- pulling ---------------------------------------------------------------------------------- */

static int64_t mark_of(const struct toy *store)
{
    struct facts *facts = NULL;
    struct error err;
    struct pull_state mark = {0};
    bool known = false;
    if (facts_at(store->store, FACTS_READ, &facts, &err) == 0) {
        expect_int(pull_state_get(facts, STR("alder"), STR("history"), &mark, &known, &err), 0);
    }
    facts_leave(facts);
    return known ? mark.seen_to / SECOND_US - SCRIPT_EPOCH : -LOOK_BACK;
}

/* In a process of its own, that can be killed. It asks what the scheduler says at `at`. */
static void pull_here(const struct toy *store, int64_t at, int64_t lag)
{
    struct buf queue, history, again;
    struct pull pull = {.cluster = "alder", .zone = utc, .now = script_now};
    struct pull_summary summary;
    struct error err = {0};
    const int64_t from = mark_of(store);
    buf_init(&queue, 1 << 20);
    buf_init(&history, 1 << 20);
    buf_init(&again, 1 << 20);
    for (size_t i = 0; i < run_count; i++) {
        add_listed(&queue, &runs[i], at);
        add_past(&history, &runs[i], from, at, lag);
        add_run(&again, &runs[i], at, 4); /* whoever is asked for; more does no harm */
    }
    script.queue = queue.ptr;
    script.history = history.ptr;
    script.again = again.ptr;
    script_clock = AT(at);
    int failed = live_pull(&pull, &scripted_driver, &(struct session){.folder = store->store},
                           &summary, &err);
    if (failed && !script.fails) {
        fprintf(stderr, "%s\n", err.text);
    }
    _exit(failed ? (script.fails ? 3 : 4) : 0);
}

/* kill_after_us < 0: it is left alone. */
static void pull_there(const struct toy *store, int64_t at, int64_t lag, int64_t kill_after_us)
{
    int status = 0;
    const int64_t begun = stop_clock();
    pid_t child = fork();
    expect_true(child >= 0);
    if (child == 0) {
        pull_here(store, at, lag);
    }
    if (kill_after_us >= 0) {
        const struct timespec pause = {kill_after_us / SECOND_US,
                                       kill_after_us % SECOND_US * 1000};
        nanosleep(&pause, NULL);
        (void)kill(child, SIGKILL);
    }
    expect_int(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
        expect_int(WTERMSIG(status), SIGKILL);
        killed++;
    } else {
        expect_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3);
        failed_pulls += WEXITSTATUS(status) == 3;
        done += WEXITSTATUS(status) == 0;
        took_us = kill_after_us < 0 ? stop_clock() - begun : took_us;
    }
}

static void pull_at_random(struct chance *chance, const struct toy *store)
{
    int64_t at = 0;
    for (int i = 0; i < PULLS; i++) {
        at += 1 + chance_below(chance, 2 * STORY / PULLS);
        script.fails = chance_of(chance, 15) ? "slurmctld is away" : NULL;
        pull_there(store, at, chance_below(chance, LAG_MOST),
                   took_us > 0 && chance_of(chance, 40) ? chance_below(chance, took_us) : -1);
    }
    script.fails = NULL;
}

/* --- the same facts --------------------------------------------------------------------------- */

static char *facts_of(struct toy *store, const char *sql)
{
    look(store);
    char *text = toy_query(store, sql);
    toy_away(store);
    return text;
}

static void expect_same(struct toy *often, struct toy *once, const char *sql)
{
    char *got = facts_of(often, sql), *want = facts_of(once, sql);
    expect_text(got, want);
    free(got);
    free(want);
}

/* A run that vanished ended when it was last seen: not before its start, not after it was gone. */
static void check_vanished(struct toy *often)
{
    char *got =
        facts_of(often, "SELECT job, submit // 1000000 - 1767225600, \"end\" // 1000000 - "
                        "1767225600 FROM runs WHERE flags & 1024 <> 0 ORDER BY ALL");
    size_t count = 0;
    for (char *line = got; *line; line += strcspn(line, "\n") + 1, count++) {
        char *rest;
        const int64_t job = strtoll(line, &rest, 10), submit = strtoll(rest + 1, &rest, 10),
                      end = strtoll(rest + 1, &rest, 10);
        for (size_t i = 0; i < run_count; i++) {
            if (runs[i].job == job && runs[i].submit == submit) {
                expect_true(runs[i].gone > 0);
                expect_true(end >= runs[i].start && end <= runs[i].gone);
            }
        }
    }
    free(got);
    for (size_t i = 0; i < run_count; i++) {
        count -= runs[i].gone > 0;
    }
    expect_uint(count, 0);
}

static void asking_often_is_asking_once(void **state)
{
    const char *first = getenv("STINT_PROPERTY_FIRST"), *seeds = getenv("STINT_PROPERTY_SEEDS");
    const int64_t from = first ? strtoll(first, NULL, 10) : 1,
                  to = from + (seeds ? strtoll(seeds, NULL, 10) : 2);
    struct toy once;
    (void)state;
    for (int64_t seed = from; seed < to; seed++) {
        struct chance chance;
        print_message("# seed %" PRId64 "\n", seed);
        set_up(NULL);
        toy_make(&once);
        took_us = 0;
        tell_story((uint64_t)seed, &chance);
        pull_at_random(&chance, &toy);
        for (int i = 1; i <= 2; i++) { /* the second is for what vanished */
            pull_there(&toy, 3 * STORY + 100 * i, 0, -1);
            pull_there(&once, 3 * STORY + 100 * i, 0, -1);
        }
        expect_same(
            &toy, &once,
            "SELECT * EXCLUDE (file, line, batch, seen) FROM runs WHERE flags & 1024 = 0 "
            "ORDER BY ALL");
        expect_same(&toy, &once,
                    "SELECT job, submit, start FROM runs WHERE flags & 1024 <> 0 ORDER BY ALL");
        check_vanished(&toy);
        toy_close(&once);
        tear_down(NULL);
    }
    print_message("# %" PRId64 " pulls done, %" PRId64 " failed, %" PRId64 " killed\n", done,
                  failed_pulls, killed);
    expect_true(done > 0 && failed_pulls > 0 && killed > 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, asking_often_is_asking_once);
    return suite_run(&suite, "pull_property");
}
