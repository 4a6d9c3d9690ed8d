/* SPDX-License-Identifier: MIT */
#include "base/limit.h"
#include "base/scan.h"
#include "source/common/members.h"
#include "source/common/record_text.h"
#include "source/slurm/slurm_row.h"

/*
 * What jobcomp/kafka and jobcomp/elasticsearch send when a job is over: an object a line,
 *
 *     {"jobid": 87, "username": "jg", "@start": "2023-11-20T11:53:40", "@end": "2023-11-20T11:53:47", ...}
 *
 * from a topic, or from an index: then in "_source" of an object of its own, or behind a line
 * {"index": ...} that is passed over. Times are in UTC, whatever the zone of the cluster;
 * time_limit is in seconds. A job and its steps are not told apart: what was used is not in it.
 */

enum { SURE = 100, LINES_TO_RECOGNISE = 20, ID_MAX = 64 };

/* Members that are columns of sacct under another name. */
static const struct {
    const char *name;
    struct slurm_slot slot;
} members[] = {

#define MEMBER(name_, kind_, target_)                                                          \
    {                                                                                          \
        name_,                                                                                 \
        {                                                                                      \
            SLURM_##kind_, SLURM_##target_, 0, name_                                           \
        }                                                                                      \
    }
    MEMBER("username", FREE, USER),
    MEMBER("user_id", COUNT, UID),
    MEMBER("groupname", FREE, GROUP),
    MEMBER("group_id", COUNT, GID),
    MEMBER("@submit", TIME, SUBMIT),
    MEMBER("@eligible", TIME, ELIGIBLE),
    MEMBER("@start", TIME, START),
    MEMBER("@end", TIME, END),
    MEMBER("elapsed", DURATION, ELAPSED),
    MEMBER("time_limit", DURATION, LIMIT),
    MEMBER("partition", FREE, PARTITION),
    MEMBER("nodes", FREE, NODE_LIST),
    MEMBER("total_cpus", COUNT, CPUS),
    MEMBER("total_nodes", COUNT, NODES),
    MEMBER("ntasks", COUNT, TASKS),
    MEMBER("exit_code", EXIT_PAIR, EXIT),
    MEMBER("state", STATE_WORD, STATE),
    MEMBER("cluster", FREE, CLUSTER),
    MEMBER("qos", FREE, QOS),
    MEMBER("account", FREE, ACCOUNT),
    MEMBER("job_name", FREE, NAME),
    MEMBER("work_dir", FREE, WORK_DIR),
    MEMBER("reservation_name", FREE, RESERVATION),
    MEMBER("wc_key", FREE, WCKEY),
    MEMBER("tres_req", TRES_WANT, REQUEST),
    MEMBER("tres_alloc", TRES_ALLOC, UNUSED),
    MEMBER("tres_fmt_alloc_str", TRES_ALLOC, UNUSED), /* the same in 23.11 */
#undef MEMBER
};

/* What is read of one object. */
struct jobcomp {
    const struct slurm_format *format;
    struct arena *arena;
    struct slurm_row row;
    struct str source; /* "_source" of an index */
    struct str job, array_job, array_task, het_job, het_offset;
    bool is_index; /* a line of a bulk file that says where the next goes */
    struct str odd_name, odd_text;
};

/* "cpu=4, mem=1000M" as some write it: without the blanks. */
static struct str without_blanks(struct str text, struct arena *arena)
{
    if (!str_byte(text, ' ')) {
        return text;
    }
    char *out = arena_alloc(arena, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != ' ') {
            out[len++] = text.ptr[i];
        }
    }
    return (struct str){out, len};
}

static bool is_unset(const struct slurm_slot *slot, struct str text)
{
    return str_eq(text, STR("Unknown")) ||
           (slot->kind == SLURM_DURATION && text.len > 0 && text.ptr[0] == '-') ||
           (slot->kind == SLURM_COUNT && slot->target == SLURM_TASKS && str_eq(text, STR("0")));
}

static void read_column(struct jobcomp *job, const struct slurm_slot *slot, struct str text)
{
    if (is_unset(slot, text)) {
        return;
    }
    if (slot->kind == SLURM_TRES_ALLOC || slot->kind == SLURM_TRES_WANT) {
        text = without_blanks(text, job->arena);
    }
    if (!slurm_value_read(job->format, slot, text, job->arena, &job->row) &&
        !job->odd_name.ptr) {
        job->odd_name = str_of(slot->name);
        job->odd_text = text;
    }
}

static void read_member(void *context, struct str name, enum member_kind kind, struct str text)
{
    struct jobcomp *job = context;

    const struct {
        const char *name;
        struct str *out;
    } ids[] = {
        {"jobid", &job->job},
        {"array_job_id", &job->array_job},
        {"array_task_id", &job->array_task},
        {"het_job_id", &job->het_job},
        {"het_job_offset", &job->het_offset},
        {"pack_job_id", &job->het_job}, /* before 20.02 */
        {"pack_job_offset", &job->het_offset},
    };

    if (kind == MEMBER_NESTED) {
        if (str_eq(name, STR("_source"))) {
            job->source = text;
        }
        job->is_index |= str_eq(name, STR("index")) || str_eq(name, STR("create"));
        return;
    }
    if (kind != MEMBER_TEXT && kind != MEMBER_NUMBER) {
        return;
    }
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        if (str_eq(name, str_of(ids[i].name))) {
            *ids[i].out = text;
            return;
        }
    }
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        if (str_eq(name, str_of(members[i].name))) {
            read_column(job, &members[i].slot, text);
            return;
        }
    }
}

/* 87, 87_3, 87+1; a job that is in no heterogeneous one has 0 for it. */
static bool read_id(struct jobcomp *job)
{
    int64_t number = 0, het = 0;
    const char *id = NULL;
    if (!scan_int(job->job, &number) || number < 0) {
        return false;
    }
    slurm_set(&job->row, SLURM_RAW_JOB, number);
    if (job->array_job.len > 0 && job->array_task.len > 0) {
        id = arena_printf(job->arena, "%.*s_%.*s", STR_ARG(job->array_job),
                          STR_ARG(job->array_task));
    } else if (scan_int(job->het_job, &het) && het > 0 && job->het_offset.len > 0) {
        id = arena_printf(job->arena, "%.*s+%.*s", STR_ARG(job->het_job),
                          STR_ARG(job->het_offset));
    }
    return slurm_value_id(id ? str_of(id) : job->job, &job->row.id) && !job->row.id.step.ptr;
}

/* One that was cancelled while it waited begins and ends at that moment, on no node. */
static void forget_start(struct slurm_row *row)
{
    const bool began = slurm_has(row, SLURM_NODE_LIST) || !slurm_knows(row, SLURM_START) ||
                       !slurm_knows(row, SLURM_END) ||
                       row->number[SLURM_START] < row->number[SLURM_END];
    if (!began) {
        row->known &= ~(UINT64_C(1) << SLURM_START | UINT64_C(1) << SLURM_ELAPSED);
    }
}

static bool read_object(struct jobcomp *job, struct str object)
{
    if (!members_read(object, job->arena, read_member, job)) {
        return false;
    }
    const struct str source = job->source;
    job->source = (struct str){0};
    return !source.ptr || members_read(source, job->arena, read_member, job);
}

static enum source_step fill_run(struct jobcomp *job, struct str line, struct run *run,
                                 struct error *err)
{
    const struct slurm_use use = {0};
    if (!read_object(job, line)) {
        error_set(err, ERROR_INPUT, "is not JSON");
        return SOURCE_REJECT;
    }
    if (job->is_index && !job->job.ptr) {
        return SOURCE_SKIP;
    }
    if (job->odd_name.ptr) {
        error_set(err, ERROR_INPUT, "%.*s '%.*s' cannot be read", STR_ARG(job->odd_name),
                  (int)(job->odd_text.len < 60 ? job->odd_text.len : 60), job->odd_text.ptr);
        return SOURCE_REJECT;
    }
    if (!read_id(job)) {
        error_set(err, ERROR_INPUT, "has no readable 'jobid'");
        return SOURCE_REJECT;
    }
    forget_start(&job->row);
    slurm_run_fill(&job->row, &use, job->arena, run);
    RUN_SET(run, origin, ORIGIN_LOG); /* the database has more of the same job */
    return source_check_texts(run, err) != 0 ? SOURCE_REJECT : SOURCE_RECORD;
}

enum source_step slurm_jobcomp_next(const struct slurm_format *format,
                                    struct source_cursor *cursor, struct run *run,
                                    struct error *err)
{
    if (!source_next_line(cursor)) {
        return SOURCE_END;
    }
    if (str_trim(cursor->record).len == 0) {
        return SOURCE_SKIP;
    }
    if (source_check_line(cursor, err) != 0) {
        return SOURCE_REJECT;
    }
    struct slurm_format utc = *format;
    struct jobcomp job = {.format = &utc, .arena = cursor->arena};
    bool recoded = false;
    utc.zone = NULL;
    slurm_row_clear(&job.row);
    const struct str line = str_trim(source_utf8(cursor->record, cursor->arena, &recoded));
    job.row.recoded = recoded;
    return fill_run(&job, line, run, err);
}

static bool contains(struct str text, const char *what)
{
    return memmem(text.ptr, text.len, what, strlen(what)) != NULL;
}

int slurm_jobcomp_recognise(struct str head)
{
    struct source_cursor cursor = {.rest = source_whole_lines(head), .next_line = 1};
    for (int i = 0; i < LINES_TO_RECOGNISE && source_next_line(&cursor); i++) {
        const struct str line = str_trim(cursor.record);
        if (line.len > 0 && line.ptr[0] == '{' && contains(line, "\"jobid\"") &&
            (contains(line, "\"@start\"") || contains(line, "\"@end\"")) &&
            contains(line, "\"total_cpus\"")) {
            return SURE;
        }
    }
    return 0;
}
