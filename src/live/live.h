/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Pulling: querying a live scheduler, and storing its answers in the facts.
 *
 * A pull consists of rounds. In a round, a driver first *asks*: it runs programs or sends HTTP
 * requests and leaves the answers in `pull->answers`; the store is not held meanwhile. Then the
 * round is *taken*: the store is opened, each answer is stored with its mark, and the store is
 * closed. A round that fails stores nothing, so that whatever happens (the scheduler dies or
 * answers nonsense, we are killed) the next pull asks for the same again. A driver that wants
 * to split its queries (years of history, a day at a time) sets `more`. What vanished is looked
 * for only in the last round, by the listing of that round: so a driver asks for the listing in
 * every round, or in the last.
 *
 * Order in a round. What waits and runs now (the listing) is asked for and stored before the
 * history. So a run that ends in between is in both, and the ended record stays; a run that
 * ended before is in the history. A run that is open according to the facts and missing from
 * the listing has *vanished*: `again` asks for these by number, and what is still open then
 * ends at its last sighting and is flagged (RUN_FLAG_VANISHED). A waiting run that vanished is
 * removed if another run of its job is stored (it has started), else it is over. A true record
 * that arrives later replaces it in either case. While a record of the listing cannot be read,
 * no run has vanished: that record may be the run's.
 *
 * The mark is how far the history has been queried. It is set by the driver, but never later
 * than the newest submission, start or end in the answers: our clock may be ahead, and earlier
 * events may still be reported. A mark ahead of the clock was set while a clock was wrong; the
 * history is then queried as if there were no mark.
 *
 * A listing is weaker than the history: for a run that is stored in the same state and with the
 * same start, only the sighting is recorded. So a pull that finds nothing new writes next to
 * nothing.
 *
 * To add a scheduler: a folder here with a file that ends with its `const struct live_driver`,
 * a row in live_drivers.c, its part of docs/sources/<name>.md, a test against the real
 * scheduler; see "Add a live scheduler" in ARCHITECTURE.md.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/spool.h"
#include "base/stop.h"
#include "base/str.h"
#include "base/zone.h"
#include "config/config.h"
#include "facts/facts.h"
#include "facts/pull_state.h"
#include "facts/session.h"
#include "record/inventory_item.h"
#include "source/source.h"

/* A run that is waiting or running according to the facts, and is missing from the listing. */
struct missing {
    int64_t job, job_raw, task; /* -1: has none */
    struct str job_key;
    int64_t submit, start; /* -1: none */
};

enum answer_kind {
    ANSWER_LISTING, /* runs: all that wait and run at `at` */
    ANSWER_HISTORY, /* runs: everything that happened from the mark to `to`, as the source reports it */
    ANSWER_FILE, /* a growing file of the scheduler, imported from where the last import ended */
    ANSWER_THINGS, /* all things of a kind, as of `at` */
};

struct pull_answer {
    enum answer_kind kind;
    const char *via; /* a literal: "sacct", "squeue", "slurmrestd", ... */
    int64_t at;      /* when it was asked */
    int64_t took_us; /* how long that took */

    /* runs: bytes for a driver of source/ */
    const struct source_driver *source;
    struct source_options options;
    struct spool spool; /* closed when the answer is taken */
    const char *path;   /* of ANSWER_FILE */

    /*
     * of ANSWER_HISTORY: what the mark becomes, at most; of ANSWER_FILE: what it becomes, 0:
     * when it was asked
     */
    struct pull_state mark;
    /* of ANSWER_HISTORY: the beginning of the very first query, from which the mark starts */
    int64_t from;

    /* things */
    enum inventory_item_kind thing;
    struct inventory_item_list things; /* text in the pull's arena */
};

enum { PULL_ANSWERS_MAX = 16 };

struct pull {
    /* set by the caller */
    const char *cluster;
    const struct config_section *section; /* of stint.conf; checked */
    const struct zone *zone;              /* the cluster's */
    int64_t (*now)(void);
    const struct stop *stop; /* may be NULL */
    void *watcher;
    void (*say)(void *watcher, const char *line); /* may be NULL */

    /* of this round */
    struct arena arena;
    struct pull_state history; /* where to continue; seen_to -1: never queried before */
    struct pull_answer answers[PULL_ANSWERS_MAX];
    size_t answer_count;
    bool more; /* ask for another round at once */

    /* for `again` */
    const struct missing *missing;
    size_t missing_count;

    void *state; /* of the driver, kept between rounds (a connection); released with `end` */
};

struct live_driver {
    const char *name;              /* `scheduler = NAME` */
    const char *summary;           /* one line */
    const struct config_key *keys; /* of its [cluster] section, besides those of live_keys */
    size_t key_count;
    const char *no_since; /* why it does not use `since`; NULL: it does, see pull_since */

    /* Asks: fills pull->answers. */
    int (*ask)(struct pull *pull, struct error *err) MUST_CHECK;

    /*
     * Asks for what is missing, by number; answers are of ANSWER_HISTORY without moving the
     * mark. NULL: cannot.
     */
    int (*again)(struct pull *pull, struct error *err) MUST_CHECK;

    /*
     * Adds a line, indented by two blanks, for each command line and each address that `ask`
     * would use. NULL: cannot.
     */
    int (*plan)(struct pull *pull, struct buf *out, struct error *err) MUST_CHECK;

    void (*end)(struct pull *pull); /* releases pull->state; may be NULL */
};

/* All drivers, NULL-terminated. */
extern const struct live_driver *const live_drivers[];
const struct live_driver *live_find(struct str name); /* NULL: unknown */

/* Keys that every [cluster] section may have: scheduler, zone, every, since, ... */
extern const struct config_key live_keys[];
extern const size_t live_key_count;

const struct config_key *live_key(const char *name); /* of live_keys; NULL: unknown */

/* All keys that mean something to a scheduler, live_keys first; freed by the caller. */
struct config_key *live_all_keys(const struct live_driver *driver, size_t *count);

/*
 * Holds one [cluster] section against the keys of its scheduler, which is *driver afterwards.
 */
int live_check_section(const struct config *config, const struct config_section *section,
                       const struct live_driver **driver, struct error *err) MUST_CHECK;

/* The most bytes that one answer may have: the section's setting, and no more than `most`. */
uint64_t live_answer_limit(const struct config_section *section, uint64_t most);

/*
 * How long a cluster may go without being asked and still be taken to be as it was: ten times
 * its interval.
 */
int64_t live_slack(const struct config_section *section);

/* What one asking came to: a row of what `stint pull` shows. */
struct pull_row {
    const char *what, *via;
    int64_t took_us, bytes, records;
    int64_t added, replaced, unchanged, rejected; /* runs; of things: appeared, changed, -, - */
    int64_t vanished;
};

struct pull_summary {
    struct pull_row *rows;
    size_t count, room;
    struct error first_reject;
    struct error odd;    /* a thing that could not be recorded whole */
    struct error mended; /* a sentence, where the mark of the cluster was wrong */
};

void pull_summary_release(struct pull_summary *summary);

/*
 * One whole pull of one cluster: rounds until there is no more. The session is closed whenever
 * the scheduler is asked, and afterwards. On failure the rounds before stay, and the failure is
 * noted in the facts (if they can be opened) and in *err.
 */
int live_pull(struct pull *pull, const struct live_driver *driver, struct session *session,
              struct pull_summary *summary, struct error *err) MUST_CHECK;

/* What live_pull would ask in its first round, without asking. */
int live_plan(struct pull *pull, const struct live_driver *driver, struct session *session,
              struct buf *out, struct error *err) MUST_CHECK;

/*
 * Asks the scheduler once, for what waits and runs and for the last hour of its history, and
 * takes nothing of it: whether it can be reached and answers. How many answers there were goes
 * to *answers.
 */
int live_try(struct pull *pull, const struct live_driver *driver, size_t *answers,
             struct error *err) MUST_CHECK;

/*
 * For drivers: the instant that `since` of the section stands for; INT64_MIN where it is not
 * there.
 */
int pull_since(const struct pull *pull, int64_t *out, struct error *err) MUST_CHECK;

/* For drivers: the next free answer; spool and things empty. Asserts that there is room. */
struct pull_answer *pull_add(struct pull *pull, enum answer_kind kind, const char *via);
