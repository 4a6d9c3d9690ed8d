/* SPDX-License-Identifier: MIT */

/*
 * What waits and runs, as `qstat -u '*' -r -xml` lists it:
 *
 *     <job_list state="running">
 *       <JB_job_number>7</JB_job_number>
 *       <JB_name>mesh</JB_name>
 *       <JB_owner>ann</JB_owner>
 *       <state>r</state>
 *       <JAT_start_time>2026-03-01T10:00:00</JAT_start_time>
 *       <queue_name>all.q@n1</queue_name>
 *       <slots>4</slots>
 *       <tasks>3</tasks>
 *       <full_job_name>mesh</full_job_name>
 *       <granted_pe name="smp">4</granted_pe>
 *       <hard_request name="h_rt" ...>600</hard_request>
 *     </job_list>
 *
 * One that waits has JB_submission_time instead of a start, and all waiting tasks of an array
 * in one element, "7-39:2". A job is written as a row of the accounting file, so that what it
 * asked for is understood by the same code; then what only an ended job has is taken out again.
 *
 * Identity. A running job is identified by its start, as in the accounting file, whose clock
 * may differ by a second: what remains of a listing then is taken away when the job's own
 * record is there (facts/live_jobs.h). One that waits has no start, and the same number as long
 * as it waits.
 */

#include <stdlib.h>

#include "base/buf.h"
#include "base/calendar.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "source/common/record_text.h"
#include "source/common/xml.h"
#include "source/sge/sge.h"
#include "source/sge/sge_row.h"

enum { REQUEST_PARTS = 3 };

static const struct str list_end = {"</job_list>", 11};

/* What was read of one job_list. */
struct listed {
    struct str columns[SGE_COLUMN_COUNT];
    struct str state, start, submit, tasks;
    bool follows; /* other jobs */
    /* -q, -l, -pe: in the order the accounting file has them */
    struct buf request[REQUEST_PARTS];
};

struct qstat_format {
    const struct zone *zone;
    int64_t seen;
};

static int qstat_open(struct str head, const struct source_options *options, void **format,
                      struct error *err)
{
    (void)head;
    (void)err;
    struct qstat_format *f = mem_alloc(1, sizeof(*f));
    *f = (struct qstat_format){.zone = options->zone, .seen = options->seen};
    *format = f;
    return 0;
}

static int qstat_recognise(struct str head)
{
    return memmem(head.ptr, head.len, "<job_info", 9) ? 100 : 0;
}

static size_t qstat_cut(const void *format, struct str data, bool last)
{
    (void)format;
    size_t cut = 0;
    const char *found;
    while ((found = memmem(data.ptr + cut, data.len - cut, list_end.ptr, list_end.len)) !=
           NULL) {
        cut = (size_t)(found - data.ptr) + list_end.len;
    }
    return last ? data.len : cut;
}

/* "all.q@n1": the queue, and the node the job began on. */
static void set_queue(struct listed *job, struct str text)
{
    struct str rest = text;
    job->columns[SGE_QNAME] = str_cut(&rest, '@');
    job->columns[SGE_HOSTNAME] = rest.ptr ? rest : (struct str){0};
}

static void add_request(struct buf *part, const char *option, struct str value)
{
    buf_addz(part, part->len ? "," : option);
    buf_add(part, value);
}

/* Elements that are columns as they stand. */
static bool set_column(struct listed *job, const struct xml_tag *tag, struct str text)
{
    static const struct {
        const char *name;
        enum sge_column column;
    } columns[] = {
        {"JB_job_number", SGE_JOB_NUMBER},
        {"JB_name", SGE_JOB_NAME},
        {"full_job_name", SGE_JOB_NAME},
        {"JB_owner", SGE_OWNER},
        {"JB_project", SGE_PROJECT},
        {"JB_department", SGE_DEPARTMENT},
        {"slots", SGE_SLOTS},
    };

    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        if (str_eq(tag->name, str_of(columns[i].name)) && text.len > 0) {
            job->columns[columns[i].column] = text;
            return true;
        }
    }
    return false;
}

static void set_element(struct listed *job, const struct xml_tag *tag, struct str text)
{
    const struct str attribute = xml_attribute(tag, "name");
    if (set_column(job, tag, text)) {
        return;
    }
    if (str_eq(tag->name, STR("state"))) {
        job->state = text;
    } else if (str_eq(tag->name, STR("JAT_start_time"))) {
        job->start = text;
    } else if (str_eq(tag->name, STR("JB_submission_time"))) {
        job->submit = text;
    } else if (str_eq(tag->name, STR("tasks"))) {
        job->tasks = text;
    } else if (str_eq(tag->name, STR("predecessor_jobs"))) {
        job->follows = true;
    } else if (str_eq(tag->name, STR("queue_name")) && text.len > 0) {
        set_queue(job, text);
    } else if (str_eq(tag->name, STR("granted_pe"))) {
        job->columns[SGE_GRANTED_PE] = attribute;
    } else if (str_eq(tag->name, STR("hard_req_queue"))) {
        add_request(&job->request[0], "-q ", text);
    } else if (str_eq(tag->name, STR("hard_request")) && attribute.len > 0) {
        add_request(&job->request[1], "-l ", attribute);
        buf_addc(&job->request[1], '=');
        buf_add(&job->request[1], text);
    } else if (str_eq(tag->name, STR("requested_pe")) && attribute.len > 0) {
        buf_addf(&job->request[2], "-pe %.*s %.*s", STR_ARG(attribute), STR_ARG(text));
    }
}

static void read_elements(struct str record, struct arena *arena, struct listed *job)
{
    struct xml_tag tag;
    struct buf category;
    for (size_t i = 0; i < REQUEST_PARTS; i++) {
        buf_init(&job->request[i], LIMIT_TEXT_FIELD);
    }
    while (xml_next(&record, &tag)) {
        if (!tag.closes) {
            set_element(job, &tag, xml_text(tag.text, arena));
        }
    }
    buf_init(&category, LIMIT_TEXT_FIELD);
    for (size_t i = 0; i < REQUEST_PARTS; i++) {
        if (job->request[i].len > 0) {
            buf_addz(&category, category.len ? " " : "");
            buf_add(&category, buf_str(&job->request[i]));
        }
        buf_release(&job->request[i]);
    }
    job->columns[SGE_CATEGORY] = arena_copy(arena, buf_str(&category));
    buf_release(&category);
}

static bool read_time(struct str text, const struct zone *zone, int64_t *out)
{
    struct period span;
    struct error ignored;
    if (text.len < 19 || calendar_span(text, zone, 0, &span, &ignored) != 0 ||
        span.from != span.to) {
        return false;
    }
    *out = span.from;
    return true;
}

/* How many tasks "1-5:2,9" names; 0 if that cannot be read. */
static int64_t count_tasks(struct str text)
{
    int64_t count = 0;
    while (text.ptr) {
        struct str rest = str_cut(&text, ',');
        struct str range = str_cut(&rest, ':');
        struct str last = range;
        struct str first = str_cut(&last, '-');
        int64_t from = 0, to = 0, step = 1;
        if (!scan_int(first, &from) || !scan_int(last.ptr ? last : first, &to) ||
            (rest.ptr && !scan_int(rest, &step)) || step < 1 || from < 1 || to < from ||
            to > RUN_CPUS_MAX) {
            return 0;
        }
        count += (to - from) / step + 1;
    }
    return count;
}

/*
 * r running, t on its way to a node, R restarted, s S T suspended, d to be deleted; q waiting,
 * h held, E in error: it waits until somebody clears that.
 */
static enum run_class class_of(struct str state, bool started)
{
    const bool halted = str_byte(state, 's') || str_byte(state, 'S') || str_byte(state, 'T');
    return !started ? CLASS_PENDING : halted ? CLASS_SUSPENDED : CLASS_RUNNING;
}

static void fill_tasks(const struct listed *job, struct run *run)
{
    int64_t task = 0;
    if (job->tasks.len == 0) {
        return;
    }
    RUN_SET(run, array_job, run->job);
    if (scan_int(job->tasks, &task)) {
        RUN_SET(run, task, task);
    } else if ((task = count_tasks(job->tasks)) > 0) {
        RUN_SET(run, task_count, task);
    }
}

/*
 * What a waiting job waits for, as far as the listing says: a job that waits for its turn has
 * no reason.
 */
static struct str reason_of(const struct listed *job, bool started)
{
    return started                      ? (struct str){0}
           : str_byte(job->state, 'E')  ? STR("error")
           : !str_byte(job->state, 'h') ? (struct str){0}
           : job->follows               ? STR("dependency")
                                        : STR("hold");
}

static void fill_listed(const struct qstat_format *format, const struct listed *job,
                        struct run *run)
{
    int64_t at = 0;
    const bool started = read_time(job->start, format->zone, &at);
    const enum run_class class = class_of(job->state, started);
    RUN_SET(run, class, run_class_name(class));
    SOURCE_SET_TEXT(run, state, job->state);
    RUN_CLEAR(run, exit_code);
    RUN_CLEAR(run, reason);
    SOURCE_SET_TEXT(run, reason, reason_of(job, started));
    RUN_CLEAR(run, attempt);
    fill_tasks(job, run);
    if (started) {
        RUN_SET(run, start, at);
        RUN_SET(run, attempt, at);
    } else {
        RUN_CLEAR(run, cpus);
        RUN_CLEAR(run, gpus);
        RUN_CLEAR(run, node_count);
        RUN_CLEAR(run, parallel_env);
        if (read_time(job->submit, format->zone, &at)) {
            RUN_SET(run, submit, at);
        }
        /* Tasks of one array may wait for different reasons, each in an element of its own. */
        RUN_SET(run, attempt, -1 - (int64_t)(str_hash(job->tasks, (uint64_t)at) >> 2));
    }
    RUN_SET(run, seen, format->seen);
}

static enum source_step read_job(const struct qstat_format *format, struct str record,
                                 struct arena *arena, struct run *run, struct error *err)
{
    struct listed job = {0};
    struct sge_row row;
    bool recoded = false;
    read_elements(source_utf8(record, arena, &recoded), arena, &job);
    /* A start makes it one that holds what it was given; which, is set below. */
    job.columns[SGE_START_TIME] = job.start.len > 0 ? STR("1") : STR("0");
    job.columns[SGE_END_TIME] = STR("0");
    sge_row_write(job.columns, arena, &row);
    if (!sge_run_fill(&row, run, err) || source_check_texts(run, err) != 0) {
        return SOURCE_REJECT;
    }
    RUN_CLEAR(run, start);
    run->flags |= recoded ? RUN_FLAG_RECODED : 0;
    fill_listed(format, &job, run);
    return SOURCE_RECORD;
}

static size_t lines_in(const char *from, const char *to)
{
    size_t count = 0;
    for (; from < to; from++) {
        count += *from == '\n';
    }
    return count;
}

static enum source_step qstat_next(const void *format, struct source_cursor *cursor,
                                   struct run *run, struct error *err)
{
    const struct str rest = cursor->rest;
    const char *begin = rest.len > 0 ? memmem(rest.ptr, rest.len, "<job_list", 9) : NULL;
    const char *limit = rest.len > 0 ? rest.ptr + rest.len : rest.ptr;
    if (!begin) {
        cursor->next_line += lines_in(rest.ptr, limit);
        cursor->rest = (struct str){limit, 0};
        return SOURCE_END;
    }
    const char *end = memmem(begin, (size_t)(limit - begin), list_end.ptr, list_end.len);
    const char *after = end ? end + list_end.len : limit;
    cursor->record = (struct str){begin, (size_t)(after - begin)};
    cursor->line = cursor->next_line + lines_in(rest.ptr, begin);
    cursor->next_line = cursor->line + lines_in(begin, after);
    cursor->rest = (struct str){after, (size_t)(limit - after)};
    if (!end) {
        error_set(err, ERROR_INPUT, "is a job without an end");
        return SOURCE_REJECT;
    }
    return read_job(format, cursor->record, cursor->arena, run, err);
}

const struct source_driver sge_qstat_driver = {
    .name = "sge",
    .summary = "qstat -u '*' -r -xml",
    .version = 1,
    .recognise = qstat_recognise,
    .open = qstat_open,
    .close = free,
    .cut = qstat_cut,
    .next = qstat_next,
};
