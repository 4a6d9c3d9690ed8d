/* SPDX-License-Identifier: MIT */

/*
 * stint pull: asks the schedulers that stint.conf names. Once, or again and again.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/stop.h"
#include "live/live.h"
#include "service/bank/bank.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/import/rollup_update.h"

/* A cluster that fails is asked ever more seldom, up to this many times its interval. */
enum { PATIENCE_MAX = 32 };

enum { SLEEP_MS = 200 };

enum pull_column {
    CLUSTER_C,
    WHAT_C,
    VIA_C,
    TOOK_C,
    BYTES_C,
    RECORDS_C,
    ADDED_C,
    REPLACED_C,
    UNCHANGED_C,
    REJECTED_C,
    VANISHED_C
};

static const struct heading headings[] = {
    [CLUSTER_C] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [WHAT_C] = {"what", "What", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [VIA_C] = {"via", "Via", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [TOOK_C] = {"took", "Took", CELL_INT, UNIT_SECONDS, COLUMN_MEASURE},
    [BYTES_C] = {"bytes", "Bytes", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    [RECORDS_C] = {"records", "Records", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [ADDED_C] = {"added", "Added", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [REPLACED_C] = {"replaced", "Replaced", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [UNCHANGED_C] = {"unchanged", "Unchanged", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [REJECTED_C] = {"rejected", "Rejected", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [VANISHED_C] = {"vanished", "Vanished", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
};

static void add_pull_row(struct table *table, const char *cluster, const struct pull_row *from)
{
    const size_t row = table_row(table);
    const int64_t numbers[] = {from->took_us,  from->bytes,     from->records,  from->added,
                               from->replaced, from->unchanged, from->rejected, from->vanished};
    table_set_text(table, CLUSTER_C, row, str_of(cluster));
    table_set_text(table, WHAT_C, row, str_of(from->what));
    table_set_text(table, VIA_C, row, str_of(from->via));
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        table_set_int(table, TOOK_C + i, row, numbers[i]);
    }
}

/* A cluster that is to be asked. */
struct target {
    const struct config_section *section;
    const struct live_driver *driver;
    struct zone *zone; /* its own; NULL: the site's */

    /* when it is asked again and again */
    int64_t every_us, due_us;
    int64_t patience;  /* times every_us until it is asked again */
    struct error said; /* the last failure that was spoken of; empty: none */
};

struct pulling {
    struct service *service;
    struct answer *answer;
    struct target *targets;
    size_t count;
    int64_t changed; /* runs, since the roll-ups were made */
};

static void print_pull_line(const struct service *service, const char *line)
{
    if (service->say) {
        service->say(service->watcher, line);
    }
}

static bool stopping(const struct service *service)
{
    return stop_is_set(service->stop);
}

static struct pull begin_pull(const struct pulling *pulling, const struct target *target)
{
    const struct service *service = pulling->service;
    return (struct pull){
        .cluster = target->section->name.ptr,
        .section = target->section,
        .zone = target->zone ? target->zone : service->zone,
        .now = service->now,
        .stop = service->stop,
        .watcher = service->watcher,
        .say = service->say,
    };
}

/* Pulls one cluster; rows of what went well are kept even where the end did not. */
static int pull_one(struct pulling *pulling, const struct target *target,
                    struct pull_summary *summary, struct error *err)
{
    struct pull pull = begin_pull(pulling, target);
    int failed = live_pull(&pull, target->driver, pulling->service->session, summary, err);
    for (size_t i = 0; i < summary->count; i++) {
        pulling->changed +=
            summary->rows[i].added + summary->rows[i].replaced + summary->rows[i].vanished;
        if (summary->rows[i].rejected > 0) {
            pulling->answer->status = 1;
        }
    }
    if (summary->mended.text[0]) {
        answer_note_about(pulling->answer, NOTE_WARNING, target->section->name, "%s: %s",
                          target->section->name.ptr, summary->mended.text);
    }
    if (summary->odd.text[0]) {
        answer_note_about(pulling->answer, NOTE_REJECTED, target->section->name, "%s: %s",
                          target->section->name.ptr, summary->odd.text);
    }
    if (failed && failed != ERROR_STOPPED) {
        error_prepend(err, "%s: ", target->section->name.ptr);
    }
    return failed;
}

static void refresh_rollups(struct pulling *pulling)
{
    rollup_update_follow(pulling->service, pulling->changed, pulling->answer);
    bank_follow(pulling->service, pulling->answer);
    session_close(pulling->service->session);
    pulling->changed = 0;
}

/* Every cluster in turn. One that fails does not keep the others out, but is not forgotten. */
static int pull_all(struct pulling *pulling, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; i < pulling->count && !stopping(pulling->service); i++) {
        struct pull_summary summary;
        struct error one;
        int kind = pull_one(pulling, &pulling->targets[i], &summary, &one);
        for (size_t k = 0; k < summary.count; k++) {
            add_pull_row(&pulling->answer->table, pulling->targets[i].section->name.ptr,
                         &summary.rows[k]);
        }
        if (summary.first_reject.text[0]) {
            answer_note_about(pulling->answer, NOTE_REJECTED, pulling->targets[i].section->name,
                              "%s: %s; see them with: stint quarantine",
                              pulling->targets[i].section->name.ptr, summary.first_reject.text);
        }
        pull_summary_release(&summary);
        if (kind && !failed) {
            failed = kind;
            *err = one;
        } else if (kind) {
            print_pull_line(pulling->service, one.text);
        }
    }
    refresh_rollups(pulling);
    return failed;
}

/* --- again and again ---------------------------------------------------------------------- */

/* What a pull brought, if it brought anything. */
static void say_news(const struct pulling *pulling, const struct target *target,
                     const struct pull_summary *summary)
{
    int64_t added = 0, replaced = 0, rejected = 0, vanished = 0, took = 0;
    for (size_t i = 0; i < summary->count; i++) {
        added += summary->rows[i].added;
        replaced += summary->rows[i].replaced;
        rejected += summary->rows[i].rejected;
        vanished += summary->rows[i].vanished;
        took += summary->rows[i].took_us;
    }
    if (added + replaced + rejected + vanished == 0) {
        return;
    }
    char line[256];
    snprintf(line, sizeof(line),
             "%.100s: added %" PRId64 ", replaced %" PRId64 ", vanished %" PRId64
             ", rejected %" PRId64 "; asking took %" PRId64 " ms",
             target->section->name.ptr, added, replaced, vanished, rejected, took / 1000);
    print_pull_line(pulling->service, line);
}

static void say_mended(const struct pulling *pulling, const struct target *target,
                       const struct pull_summary *summary)
{
    if (summary->mended.text[0]) {
        struct error line = summary->mended;
        error_prepend(&line, "%s: ", target->section->name.ptr);
        print_pull_line(pulling->service, line.text);
    }
}

static void on_failure(const struct pulling *pulling, struct target *target,
                       const struct error *why)
{
    if (strcmp(why->text, target->said.text) != 0) {
        print_pull_line(pulling->service, why->text);
        target->said = *why;
    }
    target->patience =
        target->patience * 2 < PATIENCE_MAX ? target->patience * 2 : PATIENCE_MAX;
}

static void on_success(const struct pulling *pulling, struct target *target)
{
    if (target->said.text[0]) {
        char line[256];
        snprintf(line, sizeof(line), "%.100s: answers again", target->section->name.ptr);
        print_pull_line(pulling->service, line);
    }
    target->said.text[0] = '\0';
    target->patience = 1;
}

/* Pulls a cluster whose time has come, and decides when that is again. */
static int pull_due(struct pulling *pulling, struct target *target, struct error *err)
{
    struct pull_summary summary;
    const int64_t began = stop_clock();
    int failed = pull_one(pulling, target, &summary, err);
    if (!failed) {
        on_success(pulling, target);
        say_mended(pulling, target, &summary);
        say_news(pulling, target, &summary);
    } else if (failed != ERROR_STOPPED) {
        on_failure(pulling, target, err);
    }
    pull_summary_release(&summary);
    target->due_us = began + target->every_us * target->patience;
    return failed == ERROR_STOPPED ? failed : 0;
}

static int pull_forever(struct pulling *pulling, struct error *err)
{
    int failed = 0;
    while (!failed && !stopping(pulling->service)) {
        for (size_t i = 0; i < pulling->count && !failed; i++) {
            if (pulling->targets[i].due_us <= stop_clock() && !stopping(pulling->service)) {
                failed = pull_due(pulling, &pulling->targets[i], err);
            }
        }
        refresh_rollups(pulling);
        note_release(&pulling->answer->notes); /* nobody is there to read them at the end */
        const struct timespec pause = {.tv_nsec = SLEEP_MS * 1000000L};
        nanosleep(&pause, NULL);
    }
    pulling->answer->status = 0;
    return failed == ERROR_STOPPED ? 0 : failed; /* that is how it is ended */
}

/* --- what to ask -------------------------------------------------------------------------- */

static int show_plan(struct pulling *pulling, struct error *err)
{
    struct buf *out = &pulling->answer->document;
    int failed = 0;
    buf_init(out, LIMIT_OUTPUT);
    for (size_t i = 0; i < pulling->count && !failed; i++) {
        const struct target *target = &pulling->targets[i];
        struct pull pull = begin_pull(pulling, target);
        buf_addf(out, "%s: %s\n", target->section->name.ptr, target->driver->summary);
        failed = live_plan(&pull, target->driver, pulling->service->session, out, err);
    }
    return failed;
}

static int open_target(const struct config *config, const struct config_section *section,
                       int64_t every_us, struct target *out, struct error *err)
{
    *out = (struct target){.section = section, .patience = 1};
    int failed = live_check_section(config, section, &out->driver, err);
    if (failed) {
        return failed;
    }
    const struct str zone = config_text(section, live_key("zone"));
    out->every_us = every_us ? every_us : config_number(section, live_key("every"), 0);
    return zone.ptr ? zone_open(zone.ptr, &out->zone, err) : 0;
}

/* The cluster of the config that is called so; else what may have been meant. */
static int find_section(const struct config *config, struct str name,
                        const struct config_section **out, struct error *err)
{
    *out = config_find(config, STR("cluster"), name);
    if (*out) {
        return 0;
    }
    struct buf all;
    buf_init(&all, ERROR_TEXT_MAX / 2);
    for (size_t i = 0; i < config->section_count; i++) {
        if (str_eq(config->sections[i].kind, STR("cluster"))) {
            buf_addf(&all, "%s%s", all.len ? ", " : "", config->sections[i].name.ptr);
        }
    }
    error_set(err, ERROR_USAGE, "'%s' has no [cluster %.*s]; there are: %s", config->path,
              STR_ARG(name), all.ptr);
    buf_release(&all);
    return ERROR_USAGE;
}

static int find_targets(struct pulling *pulling, const struct request *request,
                        int64_t every_us, struct error *err)
{
    const struct config *config = pulling->service->config;
    struct str name;
    int failed = 0;
    pulling->targets =
        mem_alloc(config->section_count + request->count + 1, sizeof(*pulling->targets));
    for (size_t i = 0; !failed && request_each(request, "cluster", i, &name); i++) {
        const struct config_section *section;
        failed = find_section(config, name, &section, err);
        if (!failed) {
            failed = open_target(config, section, every_us, &pulling->targets[pulling->count++],
                                 err);
        }
    }
    for (size_t i = 0; !failed && !request_has(request, "cluster") && i < config->section_count;
         i++) {
        if (str_eq(config->sections[i].kind, STR("cluster"))) {
            failed = open_target(config, &config->sections[i], every_us,
                                 &pulling->targets[pulling->count++], err);
        }
    }
    return failed;
}

static int run_pull(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    struct pulling pulling = {.service = service, .answer = answer};
    const struct config *config = service->config;
    int64_t every = 0;
    int failed = request_number(request, "every", 0, &every, err);
    if (failed) {
        return failed;
    }
    if (!config || !config_find(config, STR("cluster"), (struct str){0})) {
        return service_no_config(service, err);
    }
    failed = find_targets(&pulling, request, every * SECOND_US, err);
    if (!failed && request_flag(request, "dry-run")) {
        failed = show_plan(&pulling, err);
    } else if (!failed && request_has(request, "every")) {
        failed = pull_forever(&pulling, err);
    } else if (!failed) {
        table_columns(&answer->table, headings, COUNT_OF(headings));
        failed = pull_all(&pulling, err);
    }
    if (!failed && service->caller->same_host) {
        answer_note(answer, NOTE_READING,
                    "queried by the server that has the store, as '%s' says", config->path);
    }
    for (size_t i = 0; i < pulling.count; i++) {
        zone_close(pulling.targets[i].zone);
    }
    free(pulling.targets);
    return failed;
}

static const struct param params[] = {
    {
        .name = "cluster",
        .type = PARAM_TEXT,
        .value = "CLUSTER",
        .help = "clusters in stint.conf; default all",
        .positional = true,
        .repeated = true,
    },
    {
        .name = "every",
        .type = PARAM_NUMBER,
        .value = "SECONDS",
        .help = "keep pulling at this interval until interrupted; 0: at the intervals in "
                "stint.conf",
    },
    {.name = "dry-run",
     .letter = 'n',
     .type = PARAM_FLAG,
     .help = "show the queries without running them"},
};

const struct operation operation_pull = {
    .name = "pull",
    .summary = "query the schedulers in stint.conf",
    .description =
        "Queries the schedulers in stint.conf for waiting and running jobs, for "
        "jobs that ended since the last pull, and for nodes. How far each scheduler "
        "was queried is stored together with its answers: if a pull fails or is "
        "killed, the next one asks for the same period again.\n"
        "Waiting and running jobs are stored like other runs and updated when they "
        "change. A run that the scheduler no longer lists and whose end was never "
        "recorded is marked as ended when it was last seen, and flagged.\n"
        "While a server has the store, the server queries them, as its own stint.conf "
        "says.\n"
        "With --every it keeps running until it is interrupted. A cluster that "
        "fails is queried at longer intervals, up to 32 times its own, and does not "
        "delay the others; each problem is reported once.",
    .examples = "stint pull # all clusters, once\n"
                "stint pull alder --dry-run # what would be queried?\n"
                "stint pull --every 60 # as a service",
    .rights = RIGHT_CHORES | RIGHT_ALL,
    .local = true,
    .configured = true,
    .stoppable = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_pull,
};
