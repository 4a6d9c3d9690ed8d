/* SPDX-License-Identifier: MIT */

/*
 * stint import: files into the store.
 */

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/buf.h"
#include "base/limit.h"
#include "facts/journal.h"
#include "ingest/ingest.h"
#include "service/bank/bank.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/import/rollup_update.h"
#include "service/query/at_option.h"
#include "source/source.h"

enum { FOLLOW_PAUSE_MS = 1000 };

static const char *source_name_at(size_t index)
{
    size_t count = 0;
    while (source_drivers[count]) {
        count++;
    }
    return index < count ? source_drivers[index]->name : index == count ? "auto" : NULL;
}

static int find_driver(struct str name, const struct source_driver **driver, struct error *err)
{
    *driver = source_find(name);
    if (*driver || str_eq(name, STR("auto"))) {
        return 0;
    }
    struct buf names;
    buf_init(&names, LIMIT_ARGUMENT);
    buf_addz(&names, "the sources are:");
    for (size_t i = 0; source_name_at(i); i++) {
        buf_addf(&names, " %s", source_name_at(i));
    }
    const int failed = params_unknown("source", name, source_name_at, names.ptr, err);
    buf_release(&names);
    return failed;
}

enum import_column {
    FILE_C,
    STATE_C,
    READ_C,
    ADDED_C,
    REPLACED_C,
    UNCHANGED_C,
    PARTS_C,
    REJECTED_C,
    FROM_C,
    TO_C,
    SECONDS_C
};

static const struct heading headings[] = {
    [FILE_C] = {"file", "File", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [STATE_C] = {"file_state", "File is", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [READ_C] = {"read", "Read", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [ADDED_C] = {"added", "Added", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [REPLACED_C] = {"replaced", "Replaced", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [UNCHANGED_C] = {"unchanged", "Unchanged", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [PARTS_C] = {"parts", "Parts", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [REJECTED_C] = {"rejected", "Rejected", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [FROM_C] = {"from", "From", CELL_INT, UNIT_INSTANT, COLUMN_MEASURE},
    [TO_C] = {"to", "To", CELL_INT, UNIT_INSTANT, COLUMN_MEASURE},
    [SECONDS_C] = {"seconds", "Took", CELL_INT, UNIT_SECONDS, COLUMN_MEASURE},
};

static void add_import_row(struct table *table, const char *path,
                           const struct ingest_summary *summary, bool dry, int64_t took_us)
{
    size_t row = table_row(table);
    table_set_text(table, FILE_C, row, str_of(path));
    table_set_text(table, STATE_C, row, str_of(ingest_verdict_name(summary->verdict)));
    table_set_int(table, READ_C, row, summary->records);
    if (!dry) {
        table_set_int(table, ADDED_C, row, summary->added);
        table_set_int(table, REPLACED_C, row, summary->replaced);
        table_set_int(table, UNCHANGED_C, row, summary->unchanged);
    }
    table_set_int(table, PARTS_C, row, summary->parts);
    table_set_int(table, REJECTED_C, row, summary->rejected);
    if (summary->last_time) {
        table_set_int(table, FROM_C, row, summary->first_time);
        table_set_int(table, TO_C, row, summary->last_time);
    }
    table_set_int(table, SECONDS_C, row, took_us);
}

static void add_notes(struct answer *answer, const char *path,
                      const struct ingest_summary *summary, bool dry)
{
    if (summary->doubled > 0) {
        answer_note_about(answer, NOTE_REJECTED, str_of(path),
                          "%s: %" PRId64 " ignored: same process and time as an earlier sample",
                          path, summary->doubled);
    }
    if (summary->alive > 0) {
        answer_note_about(answer, NOTE_RESULT, str_of(path),
                          "%s: %" PRId64 " heartbeats without a process", path, summary->alive);
    }
    if (summary->rejected > 0) {
        answer_note_about(answer, NOTE_REJECTED, str_of(path),
                          "%s: %" PRId64 " rejected, first at %s%s", path, summary->rejected,
                          summary->first_reject.text,
                          dry ? "" : "; see them with: stint quarantine");
    }
    if (!dry && summary->rejected > summary->rejects_kept) {
        answer_note_about(answer, NOTE_REJECTED, str_of(path),
                          "%s: only %" PRId64 " of the rejected records are kept", path,
                          summary->rejects_kept);
    }
    if (summary->odd.text[0]) {
        answer_note_about(answer, NOTE_REJECTED, str_of(path), "%s: %s", path,
                          summary->odd.text);
    }
    if (summary->things) {
        answer_note_about(answer, NOTE_RESULT, str_of(path), "%s contains %ss, not runs%s",
                          path, summary->things->name,
                          summary->verdict == INGEST_UNCHANGED
                              ? "; the store has newer data, so nothing was imported"
                              : ": see stint nodes, stint reservations");
    }
    if (summary->gone > 0) {
        answer_note_about(answer, NOTE_RESULT, str_of(path),
                          "%s: %" PRId64 " %ss are no longer listed and recorded as removed",
                          path, summary->gone, summary->things->name);
    }
    if (summary->unfinished) {
        answer_note_about(answer, NOTE_REJECTED, str_of(path),
                          "%s: ends within a record, which is left to the next import", path);
    }
}

struct watch {
    const struct service *service;
    const char *path;
};

static void on_progress(void *watcher, const struct ingest_progress *progress)
{
    const struct watch *watch = watcher;
    watch->service->progress(watch->service->watcher, watch->path, progress->done,
                             progress->total, progress->records);
}

/* What the request says, the same for each file. */
struct import_job {
    struct service *service;
    struct ingest_options options;
    struct answer *answer;
    int64_t *changed; /* runs, so far: what roll-ups have to be made again of */
};

static int import_one(const struct import_job *job, struct facts *facts, const char *path,
                      const struct input *input, struct error *err)
{
    struct watch watch = {job->service, path};
    struct ingest_options options = job->options;
    struct ingest_summary summary;
    int64_t begun = job->service->now();
    options.path = path;
    options.now = begun;
    options.watcher = &watch;
    options.progress = job->service->progress ? on_progress : NULL;
    int failed = ingest_input(facts, input, &options, &summary, err);
    if (failed) {
        return failed;
    }
    add_import_row(&job->answer->table, path, &summary, options.dry_run,
                   job->service->now() - begun);
    add_notes(job->answer, path, &summary, options.dry_run);
    *job->changed += summary.driver->next ? summary.added + summary.replaced : 0;
    if (summary.rejected > 0 || (summary.unfinished && summary.records == 0 &&
                                 summary.added == 0 && summary.verdict == INGEST_NEW)) {
        job->answer->status = 1;
    }
    return 0;
}

static void print_import_line(const struct service *service, const char *line)
{
    if (service->say) {
        service->say(service->watcher, line);
    }
}

/*
 * What comes by a pipe is put aside first, all of it: nobody holds the store while somebody
 * else writes.
 */
static int await_all(const struct request *request, struct error *err)
{
    int failed = inputs_await(request, "file", err);
    return failed == ERROR_STOPPED
               ? error_set(err, ERROR_STOPPED,
                           "interrupted before all data had arrived; nothing was imported")
               : failed;
}

static int import_nth(const struct import_job *job, const struct request *request,
                      struct facts *facts, size_t nth, struct str name, struct error *err)
{
    struct input *input = NULL;
    int failed = inputs_open(request, "file", nth, &input, err);
    failed = failed ? failed
                    : import_one(job, facts, arena_text(&job->answer->table.arena, name), input,
                                 err);
    input_close(input);
    return failed;
}

/* Every file in turn. One that fails does not keep the others out, but is not forgotten. */
static int import_all(const struct import_job *job, const struct request *request,
                      struct facts *facts, struct error *err)
{
    int failed = 0;
    struct str name;
    for (size_t i = 0; request_each(request, "file", i, &name); i++) {
        struct error one;
        int kind = import_nth(job, request, facts, i, name, &one);
        if (kind && !failed) {
            failed = kind;
            *err = one;
        } else if (kind) {
            print_import_line(job->service, one.text);
        }
        if (kind == ERROR_STOPPED || kind == ERROR_IO) { /* the others would fare the same */
            break;
        }
    }
    return failed;
}

/* Whether there is anything to read: no store is made for a name that was mistyped. */
static bool any_readable(const struct request *request)
{
    struct str name;
    bool found = false;
    for (size_t i = 0; !found && request_each(request, "file", i, &name); i++) {
        struct input *input = NULL;
        struct error ignored;
        found = inputs_open(request, "file", i, &input, &ignored) == 0;
        input_close(input);
    }
    return found;
}

static void refresh_rollups(const struct import_job *job)
{
    if (!job->options.dry_run) {
        rollup_update_follow(job->service, *job->changed, job->answer);
        bank_follow(job->service, job->answer);
    }
}

static bool stopping(const struct service *service)
{
    return stop_is_set(service->stop);
}

/*
 * Says what one round of following brought; notes, too, for nobody will be there to read them
 * later.
 */
static void say_round(const struct service *service, const char *path,
                      const struct answer *round)
{
    const struct table *t = &round->table;
    char line[256];
    snprintf(line, sizeof(line), "%s: read %" PRId64 ", added %" PRId64 ", rejected %" PRId64,
             path, t->columns[READ_C].cells[0].integer, t->columns[ADDED_C].cells[0].integer,
             t->columns[REJECTED_C].cells[0].integer);
    print_import_line(service, line);
    for (size_t i = 0; i < round->notes.count; i++) {
        print_import_line(service, round->notes.rows[i].text);
    }
}

/* One round: the file as it is now. *busy says that it is to be tried again. */
static int follow_once(const struct import_job *job, const char *path,
                       const struct input *input, bool *busy, struct error *err)
{
    struct answer round = {0};
    struct import_job once = *job;
    int64_t changed = 0;
    struct facts *facts = NULL;
    once.answer = &round;
    once.changed = &changed;
    table_columns(&round.table, headings, COUNT_OF(headings));
    int failed = session_facts(job->service->session, FACTS_WRITE, &facts, err);
    if (!failed) {
        failed = import_one(&once, facts, path, input, err);
        refresh_rollups(&once);
        /* a file in the middle of being rotated: gone, empty, or with half a line in it */
        *busy = failed == ERROR_INPUT || failed == ERROR_MISSING;
    }
    session_close(job->service->session);
    if (!failed) {
        say_round(job->service, path, &round);
        job->answer->status |= round.status;
    } else if (*busy) {
        print_import_line(job->service, err->text);
        failed = 0;
    }
    answer_release(&round);
    return failed;
}

/* A file that is followed. */
struct followed {
    const char *path;
    struct input_about last; /* as it was in the last round that went well */
    bool missed;             /* it was not there, and that was said */
};

static bool has_changed(const struct input_about *now, const struct input_about *last)
{
    return now->size > 0 && (now->size != last->size || now->inode != last->inode ||
                             now->modified_us != last->modified_us);
}

static void say_missed(const struct service *service, struct followed *file)
{
    char line[256];
    if (!file->missed) {
        snprintf(line, sizeof(line), "%s does not exist; waiting for it", file->path);
        print_import_line(service, line);
    }
    file->missed = true;
}

static int look_again(const struct import_job *job, const struct request *request,
                      struct followed *file, struct error *err)
{
    struct input *input = NULL;
    bool busy = false;
    if (inputs_open(request, "file", 0, &input, err) != 0) {
        say_missed(job->service, file);
        return 0;
    }
    file->missed = false;
    int failed = input->about.is_file
                     ? 0
                     : error_set(err, ERROR_USAGE,
                                 "--follow needs a file: a pipe is read to its end anyway");
    if (!failed && has_changed(&input->about, &file->last)) {
        failed = follow_once(job, file->path, input, &busy, err);
        file->last = busy ? (struct input_about){0} : input->about;
    }
    input_close(input);
    return failed;
}

/* Imports again whenever the file grows or is replaced, until reported to stop. */
static int follow(const struct import_job *job, const struct request *request, const char *path,
                  struct error *err)
{
    struct followed file = {.path = path};
    int failed = 0;
    while (!failed && !stopping(job->service)) {
        failed = look_again(job, request, &file, err);
        const struct timespec pause = {.tv_sec = FOLLOW_PAUSE_MS / 1000};
        nanosleep(&pause, NULL);
    }
    return failed;
}

/* What --follow cannot be combined with. */
static int check_follow(const struct request *request, struct str *file, struct error *err)
{
    if (request_each(request, "file", 1, file)) {
        return error_set(err, ERROR_USAGE,
                         "--follow needs exactly one file; start one import for each");
    }
    if (request_flag(request, "dry-run")) {
        return error_set(err, ERROR_USAGE, "--follow and --dry-run exclude each other");
    }
    request_each(request, "file", 0, file);
    return str_eq(*file, STR("-"))
               ? error_set(err, ERROR_USAGE,
                           "--follow needs a file: standard input is read to its end anyway")
               : 0;
}

/* What --map names, for the drivers that want it. */
static int read_map(const struct request *request, struct arena *arena,
                    struct ingest_options *options, struct error *err)
{
    struct buf text;
    if (request_text(request, "map").len == 0) {
        return 0;
    }
    if (!options->driver || !options->driver->by_name) {
        return error_set(err, ERROR_USAGE, "--map is for the source csv, not for %s",
                         options->driver ? options->driver->name : "auto");
    }
    buf_init(&text, LIMIT_MAP);
    int failed = inputs_read(request, "map", INPUTS_LAST, &text, err);
    if (!failed) {
        options->source.map = arena_copy(arena, buf_str(&text));
    }
    buf_release(&text);
    return failed;
}

/* Under which names jobs tell their owners; rows as enum owner_part. */
static const char *const owner_options[OWNER_PARTS] = {"owner", "owner-name", "owner-email"};

static int read_owner_keys(const struct request *request, struct ingest_options *options,
                           struct error *err)
{
    for (size_t i = 0; i < OWNER_PARTS; i++) {
        options->source.owner_keys[i] = request_text(request, owner_options[i]);
        if (options->source.owner_keys[i].len > 0 &&
            (!options->driver || !options->driver->owner_keys)) {
            return error_set(err, ERROR_USAGE,
                             "--%s is for sources whose jobs name their owner under a "
                             "configurable key, such as nomad; not for %s",
                             owner_options[i],
                             options->driver ? options->driver->name : "auto");
        }
    }
    return 0;
}

/*
 * How files are to be read, whichever they are. Texts live in the arena, or with the request.
 */
static int read_options(const struct service *service, const struct request *request,
                        struct arena *arena, struct ingest_options *out, struct error *err)
{
    struct str cluster = request_text(request, "cluster");
    int failed = find_driver(request_text(request, "source"), &out->driver, err);
    if (failed) {
        return failed;
    }
    if (cluster.len == 0) {
        return error_set(err, ERROR_USAGE, "--cluster needs a name");
    }
    out->cluster = arena_text(arena, cluster);
    out->cluster_of_records = !request_has(request, "cluster");
    out->source = (struct source_options){
        .columns = request_text(request, "columns"),
        .delimiter = request_text(request, "delimiter"),
        .zone = service->zone,
    };
    out->on_error = str_eq(request_text(request, "on-error"), STR("stop")) ? INGEST_STOP
                                                                           : INGEST_QUARANTINE;
    out->stop = service->stop;
    (void)((failed = read_map(request, arena, out, err)) ||
           (failed = read_owner_keys(request, out, err)) ||
           (failed = at_option_read(service, request, service->now(), &out->at, err)));
    out->at = out->at < 0 ? 0 : out->at;
    return failed;
}

/* Without --cluster, says which names the runs were counted under. */
static int note_clusters(const struct import_job *job, struct facts *facts, int64_t batch,
                         struct error *err)
{
    enum { NAMED = 5 };

    struct table found = {0};
    struct buf names;
    int failed = facts ? journal_clusters_since(facts, batch, &found, err) : 0;
    buf_init(&names, LIMIT_ARGUMENT);
    for (size_t row = 0; row < found.row_count && row < NAMED; row++) {
        buf_addf(&names, "%s'%.*s'", row ? ", " : "",
                 STR_ARG(found.columns[0].cells[row].text));
    }
    if (found.row_count > NAMED) {
        buf_addf(&names, " and %zu more", found.row_count - NAMED);
    }
    if (found.row_count > 0) {
        answer_note(job->answer, NOTE_RESULT,
                    "no --cluster was given: the runs count under %s, the cluster named in "
                    "their records, else '%s'",
                    names.ptr, job->options.cluster);
    } else if (!failed) {
        answer_note(job->answer, NOTE_RESULT,
                    "no --cluster was given: runs count under the cluster named in their "
                    "records, or under '%s' if none is named",
                    job->options.cluster);
    }
    buf_release(&names);
    table_release(&found);
    return failed;
}

static int run_import(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    int64_t changed = 0, batch = 0;
    struct import_job job = {.service = service, .answer = answer, .changed = &changed};
    struct facts *facts = NULL;
    struct str file;
    int failed = read_options(service, request, &answer->table.arena, &job.options, err);
    if (failed) {
        return failed;
    }
    if (request_flag(request, "follow")) {
        failed = check_follow(request, &file, err);
        return failed ? failed
                      : follow(&job, request, arena_text(&answer->table.arena, file), err);
    }
    if ((failed = await_all(request, err)) != 0) {
        return failed;
    }
    job.options.again = request_flag(request, "again");
    job.options.dry_run = request_flag(request, "dry-run") || !any_readable(request);
    table_columns(&answer->table, headings, COUNT_OF(headings));
    if (!job.options.dry_run) {
        failed = session_facts(service->session, FACTS_WRITE, &facts, err);
        failed = failed ? failed : journal_next_batch(facts, &batch, err);
    }
    if (!failed) {
        failed = import_all(&job, request, facts, err);
        refresh_rollups(&job);
        if (!failed && job.options.cluster_of_records) {
            failed = note_clusters(&job, facts, batch, err);
        }
    }
    return failed;
}

static const struct param params[] = {
    {
        .name = "source",
        .type = PARAM_TEXT,
        .value = "SOURCE",
        .name_at = source_name_at,
        .help = "format of the files, or auto to detect it",
        .positional = true,
        .required = true,
    },
    {
        .name = "file",
        .type = PARAM_INPUT,
        .value = "FILE",
        .help = "accounting file, plain, gzip or zstd; - is standard input",
        .positional = true,
        .required = true,
        .repeated = true,
    },
    {
        .name = "cluster",
        .letter = 'M',
        .type = PARAM_TEXT,
        .value = "NAME",
        .fallback = "default",
        .help = "cluster of all records, overriding any name in them; without it, the cluster "
                "that each record names, if any",
    },
    {
        .name = "columns",
        .type = PARAM_TEXT,
        .value = "NAMES",
        .help = "columns of a table without a header line, separated by commas: JobID,User,...",
    },
    {
        .name = "delimiter",
        .type = PARAM_TEXT,
        .value = "TEXT",
        .help = "separator of the columns of a table; default: detected",
    },
    {
        .name = "map",
        .type = PARAM_INPUT,
        .value = "FILE",
        .help = "for csv: which column holds which field",
    },
    {
        .name = "owner",
        .type = PARAM_TEXT,
        .value = "KEY[,...]",
        .help = "for nomad: Meta key that holds the owner of the job; default owner",
    },
    {
        .name = "owner-name",
        .type = PARAM_TEXT,
        .value = "KEY[,...]",
        .help = "for nomad: Meta key that holds the owner's full name, for stint people sync; "
                "default owner_name",
    },
    {
        .name = "owner-email",
        .type = PARAM_TEXT,
        .value = "KEY[,...]",
        .help =
            "for nomad: Meta key that holds the owner's e-mail address; default owner_email",
    },
    {
        .name = "at",
        .type = PARAM_TEXT,
        .value = "TIME",
        .help = "time at which a listing of nodes, partitions or reservations was taken; "
                "default: when the file was last modified",
    },
    {
        .name = "on-error",
        .type = PARAM_CHOICE,
        .value = "WHAT",
        .choices = "quarantine stop",
        .fallback = "quarantine",
        .help = "what to do with an unreadable record: quarantine it and continue, or stop",
    },
    {.name = "dry-run",
     .letter = 'n',
     .type = PARAM_FLAG,
     .help = "read and check the files without changing the store"},
    {.name = "again",
     .type = PARAM_FLAG,
     .help =
         "read files again from their start and replace records that are read differently now"},
    {.name = "follow",
     .letter = 'f',
     .type = PARAM_FLAG,
     .help = "keep reading as the file grows, until interrupted"},
};

const struct operation operation_import = {
    .name = "import",
    .summary = "read accounting files into the store",
    .description =
        "Reads accounting files into the store. stint records how far each file was read: a "
        "file that has grown is read from where it ended before, a file that was renamed, "
        "rotated or compressed is recognized by its content, and importing the same file again "
        "changes nothing. An import that was interrupted continues where it stopped when it is "
        "run again.\n"
        "A file that lists nodes, partitions or reservations (sinfo --json, scontrol show, "
        "slurmrestd) is stored as a snapshot of the cluster at that moment, as by stint pull.\n"
        "Records that cannot be read are quarantined with their position and the reason (see "
        "stint quarantine); the other records are imported, and the exit status is 1.",
    .examples =
        "stint import sge --cluster alder accounting # one cluster's file\n"
        "zcat accounting.*.gz | stint import sge --cluster alder - # from a pipe\n"
        "sacct -aDP --json -S 2025-03-01 -E now | stint import slurm - # a Slurm cluster\n"
        "stint import sge --cluster alder --follow accounting # keep up with a live file\n"
        "stint import slurm --cluster birch --zone Europe/Oslo sacct.txt # times are local\n"
        "stint import slurm --cluster birch --at 2025-03-01T12:00 sinfo.json # nodes at that "
        "time\n"
        "stint import sonar 2025/03/01/0+sample-*.json # samples of processes\n"
        "stint import auto --dry-run accounting # what is in it?",
    .rights = RIGHT_CHORES | RIGHT_ALL,
    .stoppable = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_import,
};
