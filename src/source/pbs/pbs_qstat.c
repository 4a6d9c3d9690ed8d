/* SPDX-License-Identifier: MIT */

/*
 * What waits and runs, and what has ended, as `qstat -t -f -F json` lists it, without and with
 * -x. A job is made a record as the accounting file has them, so that what it asked for and got
 * is understood by the same code; then what only one of the two has is set or taken out.
 *
 * Arrays. "123[].head" stands for the whole, "123[4].head" for each of its jobs. Those that
 * wait are one run: how many they are is in array_state_count. Those that run or have ended are
 * runs of their own.
 */

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "source/common/record_text.h"
#include "source/pbs/pbs.h"
#include "source/pbs/pbs_document.h"
#include "source/pbs/pbs_record.h"

struct qstat_format {
    const struct zone *zone;
    int64_t seen;
    bool ended; /* jobs that have ended are listed as well */
};

/* What was read of one job. */
struct listed {
    struct pbs_record record;
    const struct zone *zone;
    struct arena *arena;
    struct buf request;
    struct str id, state, hold, depend, comment, counts, expected;
    struct str over[3]; /* when it was over, by what is known of that: the first counts */
    struct error err;
    bool refused;
};

/* --- reading ------------------------------------------------------------------------------ */

/* Members that are pairs of the accounting file under another name. */
static const struct {
    const char *member, *key;
    bool is_time;
} pairs[] = {
    {"Job_Name", "jobname", false},     {"Job_Owner", "owner", false},
    {"euser", "user", false},           {"egroup", "group", false},
    {"Account_Name", "account", false}, {"project", "project", false},
    {"queue", "queue", false},          {"reserve_ID", "resvID", false},
    {"exec_host", "exec_host", false},  {"exec_vnode", "exec_vnode", false},
    {"run_count", "run_count", false},  {"Exit_status", "Exit_status", false},
    {"ctime", "ctime", true},           {"qtime", "qtime", true},
    {"etime", "etime", true},           {"stime", "start", true},
};

static void refuse(struct listed *job, struct str name, struct str text)
{
    enum { SHOW_MAX = 60 };

    job->refused = true;
    error_set(&job->err, ERROR_INPUT, "%.*s '%.*s' is not a time", STR_ARG(name),
              (int)(text.len < SHOW_MAX ? text.len : SHOW_MAX), text.ptr);
}

static void keep(struct listed *job, struct str key, struct str text)
{
    job->refused = job->refused || !pbs_record_keep(&job->record, key, text, &job->err);
}

/* Times stand in the accounting file as seconds. */
static void keep_time(struct listed *job, struct str key, struct str name, struct str text)
{
    int64_t at = 0;
    if (job->refused || text.len == 0) {
        return;
    }
    if (!pbs_time(text, job->zone, &at)) {
        refuse(job, name, text);
        return;
    }
    keep(job, key, str_of(arena_printf(job->arena, "%lld", (long long)(at / SECOND_US))));
}

static bool keep_pair(struct listed *job, const struct pbs_member *member)
{
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        if (str_eq(member->name, str_of(pairs[i].member))) {
            if (pairs[i].is_time) {
                keep_time(job, str_of(pairs[i].key), member->name, member->text);
            } else {
                keep(job, str_of(pairs[i].key), member->text);
            }
            return true;
        }
    }
    return false;
}

static void keep_resource(struct listed *job, const struct pbs_member *member)
{
    const char *key =
        arena_printf(job->arena, "%.*s.%.*s", STR_ARG(member->group), STR_ARG(member->name));
    if (member->group.ptr[0] == 'R') {
        buf_addf(&job->request, "%s%s=%.*s", job->request.len > 0 ? " " : "", key,
                 STR_ARG(member->text));
    }
    keep(job, str_of(key), member->text);
}

/* The first of a name is believed, as of texts in the accounting file. */
static void keep_first(struct str *out, struct str text)
{
    if (!out->ptr) {
        *out = text;
    }
}

static void read_member(void *context, const struct pbs_member *member)
{
    struct listed *job = context;

    const struct {
        const char *name;
        struct str *out;
    } texts[] = {
        {"job_state", &job->state},
        {"Hold_Types", &job->hold},
        {"depend", &job->depend},
        {"comment", &job->comment},
        {"array_state_count", &job->counts},
        {"history_timestamp", &job->over[0]},
        {"obittime", &job->over[1]},
        {"mtime", &job->over[2]},
    };

    if (job->refused) {
        return;
    }
    if (str_eq(member->group, STR("Resource_List")) ||
        str_eq(member->group, STR("resources_used"))) {
        keep_resource(job, member);
        return;
    }
    if (str_eq(member->group, STR("estimated")) && str_eq(member->name, STR("start_time"))) {
        keep_first(&job->expected, member->text);
    }
    if (member->group.ptr || keep_pair(job, member)) {
        return;
    }
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (str_eq(member->name, str_of(texts[i].name))) {
            keep_first(texts[i].out, member->text);
        }
    }
}

/* --- what it is --------------------------------------------------------------------------- */

static bool is_state(const struct listed *job, const char *letters)
{
    return job->state.len == 1 && strchr(letters, job->state.ptr[0]);
}

/* "123[].head": the array as a whole; "123[4].head": one of its jobs. */
static bool is_whole_array(struct str id)
{
    return memmem(id.ptr, id.len, "[]", 2) != NULL;
}

static bool is_of_array(struct str id)
{
    return str_byte(id, '[') && !is_whole_array(id);
}

/*
 * How many jobs of an array wait: "Queued:997 Running:3 Exiting:0 Expired:0 ". -1 if it does
 * not say.
 */
static int64_t count_waiting(struct str counts)
{
    while (counts.ptr) {
        struct str value = str_cut(&counts, ' ');
        const struct str name = str_cut(&value, ':');
        int64_t count = 0;
        if (str_eq(name, STR("Queued")) && scan_int(value, &count) && count >= 0 &&
            count <= RUN_CPUS_MAX) {
            return count;
        }
    }
    return -1;
}

/*
 * What the record of a job is, 0 if it is not one: Q queued, H held, W not before its time, T
 * on its way to another server; R running, E ending, S and U suspended; F finished, X finished
 * and of an array, M gone to another server; B an array of which a job has begun.
 */
static char letter_of(const struct listed *job, bool ended)
{
    const bool began = pbs_has(&job->record, PBS_START);
    if (is_whole_array(job->id)) {
        return is_state(job, "QHWTB") && count_waiting(job->counts) != 0 ? PBS_WAITS : 0;
    }
    if (is_state(job, "RESU")) {
        return began ? 'S'
                     : PBS_WAITS; /* one that is being sent to its nodes has no start yet */
    }
    if (is_state(job, "FX")) {
        return !ended ? 0 : began ? 'E' : PBS_NEVER_BEGAN;
    }
    return is_state(job, "QHWT") && !is_of_array(job->id) ? PBS_WAITS : 0;
}

static bool set_over(struct listed *job)
{
    for (size_t i = 0; i < COUNT_OF(job->over); i++) {
        if (job->over[i].len > 0 && !str_eq(job->over[i], STR("0"))) {
            keep_time(job, STR("end"), STR("end"), job->over[i]);
            return !job->refused;
        }
    }
    job->refused = true;
    error_set(&job->err, ERROR_INPUT, "has ended and does not say when");
    return false;
}

/*
 * The scheduler's sentence, without what changes each time: "... resource: ncpus (R: 8 A: 0 T:
 * 64)".
 */
static struct str reason_of_comment(struct str comment)
{
    static const struct str not_running = {"Not Running: ", 13};
    if (!str_starts(comment, not_running)) {
        return (struct str){0};
    }
    comment.ptr += not_running.len;
    comment.len -= not_running.len;
    const char *amounts = memmem(comment.ptr, comment.len, " (R:", 4);
    if (amounts) {
        comment.len = (size_t)(amounts - comment.ptr);
    }
    return str_trim(comment);
}

static struct str reason_of(const struct listed *job)
{
    const bool held = is_state(job, "H");
    return held && job->depend.len > 0 ? STR("dependency")
           : held                      ? STR("hold")
           : is_state(job, "W")        ? STR("begin time")
                                       : reason_of_comment(job->comment);
}

static void fill_waiting(const struct qstat_format *format, const struct listed *job,
                         struct run *run)
{
    int64_t at = 0;
    SOURCE_SET_TEXT(run, reason, reason_of(job));
    if (is_whole_array(job->id)) {
        const int64_t count = count_waiting(job->counts);
        RUN_SET(run, array_job, run->job);
        if (count > 0) {
            RUN_SET(run, task_count, count);
        }
    }
    if (pbs_time(job->expected, format->zone, &at)) {
        run->start_expected = at;
    }
}

/*
 * What a running job has used so far changes with every listing, and what a waiting one has
 * used is of an earlier attempt: only what was used in the end is kept.
 */
static void clear_use(struct run *run)
{
    RUN_CLEAR(run, cpu_used_us);
    RUN_CLEAR(run, mem_peak_bytes);
    RUN_CLEAR(run, mem_basis);
    RUN_CLEAR(run, vmem_peak_bytes);
}

static void fill_running(const struct listed *job, struct run *run)
{
    if (is_state(job, "SU")) {
        RUN_SET(run, class, run_class_name(CLASS_SUSPENDED));
    }
}

/* "123[].head" as "123": the array's jobs that wait have no index of their own. */
static struct str id_of(struct str id)
{
    const char *bracket = is_whole_array(id) ? str_byte(id, '[') : NULL;
    return bracket ? (struct str){id.ptr, (size_t)(bracket - id.ptr)} : id;
}

static void fill_user(struct pbs_record *record)
{
    struct str owner = record->values[PBS_OWNER];
    if (!pbs_has(record, PBS_USER)) {
        record->values[PBS_USER] = str_cut(&owner, '@');
    }
}

static enum source_step fill_job(const struct qstat_format *format, struct listed *job,
                                 struct arena *arena, struct run *run, struct error *err)
{
    struct pbs_record *record = &job->record;
    record->letter = letter_of(job, format->ended);
    if (record->letter == 0) {
        return SOURCE_SKIP;
    }
    if (record->letter == 'E' || record->letter == PBS_NEVER_BEGAN) {
        if (!set_over(job)) {
            *err = job->err;
            return SOURCE_REJECT;
        }
    } else {
        record->values[PBS_EXIT_STATUS] = (struct str){0}; /* of its last attempt */
    }
    if (record->letter == PBS_WAITS || record->letter == PBS_NEVER_BEGAN) {
        record->values[PBS_START] = (struct str){0};
    }
    record->id = id_of(job->id);
    record->request = arena_copy(arena, buf_str(&job->request));
    fill_user(record);
    if (!pbs_run_fill(record, format->zone, arena, run, err) ||
        source_check_texts(run, err) != 0) {
        return SOURCE_REJECT;
    }
    if (record->letter == PBS_WAITS) {
        fill_waiting(format, job, run);
    } else if (record->letter == 'S') {
        fill_running(job, run);
    }
    if (record->letter != 'E') {
        clear_use(run);
        RUN_SET(run, state, job->state);
    }
    if (record->letter == PBS_WAITS || record->letter == 'S') {
        RUN_SET(run, seen, format->seen);
    }
    return SOURCE_RECORD;
}

static enum source_step read_job(const struct qstat_format *format, struct str text,
                                 struct arena *arena, struct run *run, struct error *err)
{
    struct listed job = {.zone = format->zone, .arena = arena};
    bool recoded = false;
    text = source_utf8(text, arena, &recoded);
    struct str rest = text;
    (void)pbs_job_line(str_cut(&rest, '\n'), &job.id);
    buf_init(&job.request, LIMIT_TEXT_FIELD);
    if (!pbs_members(text, arena, read_member, &job)) {
        job.record.odd = true;
    }
    enum source_step step = SOURCE_REJECT;
    if (job.refused) {
        *err = job.err;
    } else if (job.state.len == 0) {
        error_set(err, ERROR_INPUT, "has no job_state");
    } else {
        step = fill_job(format, &job, arena, run, err);
    }
    if (step == SOURCE_RECORD && recoded) {
        run->flags |= RUN_FLAG_RECODED;
    }
    buf_release(&job.request);
    return step;
}

/* --- the document ------------------------------------------------------------------------- */

static struct qstat_format *make_format(const struct source_options *options, bool ended)
{
    struct qstat_format *format = mem_alloc(1, sizeof(*format));
    *format = (struct qstat_format){options->zone, options->seen, ended};
    return format;
}

static int qstat_open(struct str head, const struct source_options *options, void **format,
                      struct error *err)
{
    (void)head;
    (void)err;
    *format = make_format(options, false);
    return 0;
}

static int history_open(struct str head, const struct source_options *options, void **format,
                        struct error *err)
{
    (void)head;
    (void)err;
    *format = make_format(options, true);
    return 0;
}

static int qstat_recognise(struct str head)
{
    return memmem(head.ptr, head.len, "\"pbs_version\"", 13) ? 100 : 0;
}

/* The place of the first line from `at` on that begins a job; the end if there is none. */
static size_t find_job(struct str text, size_t at)
{
    while (at < text.len) {
        const char *feed = memchr(text.ptr + at, '\n', text.len - at);
        const size_t end = feed ? (size_t)(feed - text.ptr) : text.len;
        struct str id;
        if (pbs_job_line((struct str){text.ptr + at, end - at}, &id)) {
            return at;
        }
        at = feed ? end + 1 : text.len;
    }
    return text.len;
}

static size_t qstat_cut(const void *format, struct str data, bool last)
{
    (void)format;
    size_t end = last ? 0 : data.len;
    while (end > 0) {
        const char *feed = memrchr(data.ptr, '\n', end);
        const size_t line = feed ? (size_t)(feed - data.ptr) + 1 : 0;
        const char *after = memchr(data.ptr + line, '\n', data.len - line);
        struct str id;
        if (after &&
            pbs_job_line((struct str){data.ptr + line, (size_t)(after - data.ptr) - line},
                         &id)) {
            return line;
        }
        end = feed ? line - 1 : 0;
    }
    return last ? data.len : 0;
}

static enum source_step qstat_next(const void *format, struct source_cursor *cursor,
                                   struct run *run, struct error *err)
{
    const struct str rest = cursor->rest;
    struct str id, line = rest;
    if (rest.len == 0) {
        return SOURCE_END;
    }
    const bool begins = pbs_job_line(str_cut(&line, '\n'), &id);
    const size_t first = line.ptr ? (size_t)(line.ptr - rest.ptr) : rest.len;
    const size_t end = find_job(rest, begins ? first : 0);
    cursor->record = (struct str){rest.ptr, end};
    cursor->line = cursor->next_line;
    cursor->next_line += source_count_lines(cursor->record);
    cursor->rest = (struct str){rest.ptr + end, rest.len - end};
    if (!begins) {
        return SOURCE_SKIP;
    }
    return source_check_record(cursor->record, err) != 0
               ? SOURCE_REJECT
               : read_job(format, cursor->record, cursor->arena, run, err);
}

const struct source_driver pbs_qstat_driver = {
    .name = "pbs",
    .summary = "qstat -t -f -F json",
    .version = 1,
    .recognise = qstat_recognise,
    .open = qstat_open,
    .close = free,
    .cut = qstat_cut,
    .next = qstat_next,
};

const struct source_driver pbs_history_driver = {
    .name = "pbs",
    .summary = "qstat -x -t -f -F json",
    .version = 1,
    .recognise = qstat_recognise,
    .open = history_open,
    .close = free,
    .cut = qstat_cut,
    .next = qstat_next,
};
