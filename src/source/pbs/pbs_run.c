/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "base/zone.h"
#include "source/common/record_text.h"
#include "source/pbs/pbs_record.h"

/*
 * From the pairs of a record to a run; docs/sources/pbs.md has the table.
 */

enum { SHOW_MAX = 60 };

#define CLOCK_SLACK_US (60 * SECOND_US) /* resources_used.walltime may differ by this */

/* What is known of one record, on its way into the run. */
struct filling {
    const struct pbs_record *record;
    struct run *run;
    struct arena *arena;
    struct hosts hosts;
    struct pbs_places vnodes; /* what it got */
    struct pbs_places asked;  /* of nodes, neednodes, nodect or select */
    int64_t host_cpus;        /* of exec_host; 0 if it does not say */
    int64_t elapsed_us;       /* 0 unless it started and ended */
};

static bool refuse_pbs_value(const char *what, struct str value, struct error *err)
{
    if (value.len > SHOW_MAX) {
        value.len = SHOW_MAX;
        while (value.len > 0 && ((unsigned char)value.ptr[value.len] & 0xc0) == 0x80) {
            value.len--;
        }
    }
    error_set(err, ERROR_INPUT, "%s '%.*s' cannot be read", what, STR_ARG(value));
    return false;
}

/* --- which, whose ------------------------------------------------------------------------- */

static size_t count_digits(struct str text)
{
    size_t i = 0;
    while (i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9') {
        i++;
    }
    return i;
}

/*
 * The index after the number: "[4]" or "-4", before a dot or the end. False if it is neither.
 */
static bool scan_index(struct str text, int64_t *task)
{
    const char *dot = str_byte(text, '.');
    if (dot) {
        text.len = (size_t)(dot - text.ptr);
    }
    if (text.len < 2 || (text.ptr[0] != '-' && text.ptr[0] != '[')) {
        return false;
    }
    bool bracket = text.ptr[0] == '[';
    if (bracket && text.ptr[text.len - 1] != ']') {
        return false;
    }
    struct str digits = {text.ptr + 1, text.len - 1 - bracket};
    return digits.len > 0 && count_digits(digits) == digits.len && scan_int(digits, task);
}

static void fill_id(struct run *run, struct str id)
{
    size_t digits = count_digits(id);
    struct str rest = {id.ptr + digits, id.len - digits};
    int64_t job = 0;
    int64_t task = 0;
    bool plain = rest.len == 0 || rest.ptr[0] == '.';
    bool array = !plain && scan_index(rest, &task);
    if (!(plain || array) || !scan_int((struct str){id.ptr, digits}, &job)) {
        RUN_SET(run, job_key, id);
        return;
    }
    RUN_SET(run, job, job);
    if (array) {
        RUN_SET(run, task, task);
        RUN_SET(run, array_job, job);
    }
}

static void fill_texts(const struct filling *f)
{
    const struct str *values = f->record->values;
    SOURCE_SET_TEXT(f->run, user, values[PBS_USER]);
    SOURCE_SET_TEXT(f->run, group, values[PBS_GROUP]);
    SOURCE_SET_TEXT(f->run, account, values[PBS_ACCOUNT]);
    SOURCE_SET_TEXT(f->run, name, values[PBS_JOBNAME]);
    SOURCE_SET_TEXT(f->run, partition, values[PBS_QUEUE]);
    SOURCE_SET_TEXT(f->run, request, f->record->request);
    if (!str_eq(values[PBS_PROJECT], STR("_pbs_project_default"))) {
        SOURCE_SET_TEXT(f->run, project, values[PBS_PROJECT]);
    }
    SOURCE_SET_TEXT(f->run, reservation, values[PBS_RESV_ID]);
    SOURCE_SET_TEXT(f->run, reservation, values[PBS_RESV_NAME]);
    struct str host = values[PBS_OWNER];
    str_cut(&host, '@');
    SOURCE_SET_TEXT(f->run, submit_host, host);
}

/* --- when --------------------------------------------------------------------------------- */

/* Seconds as an instant; -1, which is impossible, for what is no time of ours. */
static int64_t instant_of(int64_t seconds)
{
    return seconds > 0 && seconds < INSTANT_MAX / SECOND_US ? seconds * SECOND_US : -1;
}

/* The first of two keys that is there and not 0. */
static bool time_of(const struct pbs_record *record, enum pbs_key key, enum pbs_key or_key,
                    int64_t *out)
{
    if (!pbs_has(record, key) || record->numbers[key] == 0) {
        key = or_key;
    }
    if (!pbs_has(record, key) || record->numbers[key] == 0) {
        return false;
    }
    *out = instant_of(record->numbers[key]);
    return true;
}

/* A job that waits, and one that never began, are the same run: since it was submitted. */
static int64_t attempt_of(const struct pbs_record *record)
{
    const bool began = record->letter != PBS_WAITS && record->letter != PBS_NEVER_BEGAN;
    uint64_t hash = str_hash(began ? record->header : record->values[PBS_CTIME],
                             (uint64_t)(unsigned char)(began ? record->letter : PBS_WAITS));
    return -1 - (int64_t)(hash >> 2);
}

static void fill_times(struct filling *f, const struct zone *zone)
{
    const struct pbs_record *record = f->record;
    struct run *run = f->run;
    bool runs = record->letter == 'S' || record->letter == 's';
    int64_t at = 0;
    if (time_of(record, PBS_CTIME, PBS_QTIME, &at)) {
        RUN_SET(run, submit, at);
    }
    if (time_of(record, PBS_ETIME, PBS_ETIME, &at)) {
        RUN_SET(run, eligible, at);
    }
    if (time_of(record, PBS_START, PBS_START, &at)) {
        RUN_SET(run, start, at);
    } else if (runs) {
        RUN_SET(run, start, pbs_header_instant(record, zone));
    }
    if (!runs && record->letter != PBS_WAITS) {
        bool known = time_of(record, PBS_END, PBS_END, &at);
        RUN_SET(run, end, known ? at : pbs_header_instant(record, zone));
    }
    bool started = RUN_HAS(run, start) && run->start > 0;
    RUN_SET(run, attempt, started ? run->start : attempt_of(record));
    f->elapsed_us =
        started && RUN_HAS(run, end) && run->end > run->start ? run->end - run->start : 0;
}

/* --- what it asked for and got ------------------------------------------------------------ */

/*
 * What was asked for: of several ways to say it the one with most cpus, and of the rest the
 * first.
 */
static void read_requested(struct filling *f)
{
    static const enum pbs_key chunks[] = {PBS_LIST_SELECT, PBS_LIST_NODES, PBS_LIST_NODECT,
                                          PBS_LIST_NEEDNODES};

    for (size_t i = 0; i < COUNT_OF(chunks); i++) {
        struct pbs_places places = {0};
        struct str text = f->record->values[chunks[i]];
        /* nodect is a number of nodes, but for those who put the whole request there. */
        if (text.len == 0 || (chunks[i] == PBS_LIST_NODECT && !str_byte(text, ':'))) {
            continue;
        }
        pbs_chunks(text, &places);
        if (places.cpus > f->asked.cpus) {
            f->asked.cpus = places.cpus;
        }
        if (!f->asked.has_gpus && places.has_gpus) {
            f->asked.gpus = places.gpus;
            f->asked.has_gpus = true;
        }
        if (f->asked.nodes == 0) {
            f->asked.nodes = places.nodes;
        }
        if (!f->asked.gpu_type.ptr) {
            f->asked.gpu_type = places.gpu_type;
        }
    }
}

static bool are_same_names(const struct hosts *a, const struct hosts *b)
{
    enum { ANY = -1 }; /* cpus that nothing adds up to: names alone */

    return a->count == b->count && str_eq(hosts_text(a, ANY), hosts_text(b, ANY));
}

static bool read_places(struct filling *f, struct error *err)
{
    const struct str *values = f->record->values;
    if (values[PBS_EXEC_VNODE].len > 0 &&
        !pbs_exec_vnode(values[PBS_EXEC_VNODE], &f->hosts, &f->vnodes)) {
        return refuse_pbs_value("exec_vnode", values[PBS_EXEC_VNODE], err);
    }
    if (values[PBS_EXEC_HOST].len > 0) {
        const struct hosts vnodes = f->hosts;
        f->hosts = (struct hosts){.arena = f->arena};
        if (!pbs_exec_host(values[PBS_EXEC_HOST], &f->hosts, &f->host_cpus)) {
            return refuse_pbs_value("exec_host", values[PBS_EXEC_HOST], err);
        }
        if (f->vnodes.cpus > 0 && f->host_cpus != f->vnodes.cpus &&
            are_same_names(&vnodes, &f->hosts)) {
            f->hosts = vnodes; /* n1/0+n2/0 does not say how many cpus each has */
        }
    }
    read_requested(f);
    return true;
}

static int64_t count_of(const struct pbs_record *record, enum pbs_key key)
{
    int64_t count = 0;
    return scan_int(record->values[key], &count) && count > 0 ? count : 0;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*
 * Cpus asked for: the most that any of the ways to ask says, since Torque sets ncpus to 1 for
 * jobs that ask for nodes.
 */
static int64_t question_cpus(const struct filling *f)
{
    return larger(f->asked.cpus, larger(count_of(f->record, PBS_LIST_NCPUS),
                                        count_of(f->record, PBS_LIST_PROCS)));
}

static int64_t given_cpus(const struct filling *f)
{
    const int64_t ways[] = {
        f->vnodes.cpus,
        f->host_cpus,
        count_of(f->record, PBS_EXECUTION_SLOTS),
        count_of(f->record, PBS_USED_NCPUS),
        question_cpus(f),
    };
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        if (ways[i] > 0) {
            return ways[i];
        }
    }
    return 0;
}

static void fill_cpus(const struct filling *f, bool started)
{
    struct run *run = f->run;
    int64_t cpus = question_cpus(f);
    if (cpus > 0) {
        RUN_SET(run, req_cpus, cpus);
    }
    if (f->asked.nodes > 0) {
        RUN_SET(run, req_nodes, f->asked.nodes);
    }
    if (count_of(f->record, PBS_LIST_NODECT) > 0) {
        RUN_SET(run, req_nodes, count_of(f->record, PBS_LIST_NODECT));
    }
    cpus = given_cpus(f);
    if (started && cpus > 0) {
        RUN_SET(run, cpus, cpus);
    }
    if (started && f->hosts.count > 0) {
        RUN_SET(run, node_count, (int64_t)f->hosts.count);
        RUN_SET(run, node, f->hosts.first);
        SOURCE_SET_TEXT(run, nodes, hosts_text(&f->hosts, cpus));
    }
}

static bool question_gpus(const struct filling *f, int64_t *gpus)
{
    static const enum pbs_key keys[] = {PBS_LIST_NGPUS, PBS_LIST_GPUS, PBS_LIST_GPU};

    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        struct str text = f->record->values[keys[i]];
        if (text.len > 0 && scan_int(text, gpus) && *gpus >= 0) {
            return true;
        }
    }
    *gpus = f->asked.gpus;
    return f->asked.has_gpus;
}

static void fill_gpus(const struct filling *f, bool started)
{
    struct run *run = f->run;
    const struct str *values = f->record->values;
    int64_t gpus = 0;
    bool known = question_gpus(f, &gpus);
    if (known) {
        RUN_SET(run, req_gpus, gpus);
    }
    if (f->vnodes.has_gpus) {
        known = true;
        gpus = f->vnodes.gpus;
    } else if (values[PBS_EXEC_GPUS].len > 0) { /* n1-gpu/0+n1-gpu/1 */
        struct str rest = values[PBS_EXEC_GPUS];
        known = true;
        for (gpus = 0; rest.ptr; gpus++) {
            str_cut(&rest, '+');
        }
    }
    if (started && known) {
        RUN_SET(run, gpus, gpus);
    }
    SOURCE_SET_TEXT(run, gpu_type, f->asked.gpu_type);
    SOURCE_SET_TEXT(run, gpu_type, values[PBS_LIST_GPU_MODEL]);
    SOURCE_SET_TEXT(run, gpu_type, values[PBS_LIST_GPU_TYPE]);
}

/* A size of the request, `times` over; false if it is not there or no size. */
static bool size_of(const struct filling *f, enum pbs_key key, int64_t times, int64_t *out)
{
    return f->record->values[key].len > 0 && pbs_size(f->record->values[key], out) &&
           !__builtin_mul_overflow(*out, times, out);
}

static void fill_memory(const struct filling *f, bool started)
{
    struct run *run = f->run;
    int64_t processes = larger(1, question_cpus(f));
    int64_t bytes = 0;
    if (size_of(f, PBS_LIST_MEM, 1, &bytes) || size_of(f, PBS_LIST_PMEM, processes, &bytes) ||
        size_of(f, PBS_LIST_VMEM, 1, &bytes) || size_of(f, PBS_LIST_PVMEM, processes, &bytes)) {
        RUN_SET(run, req_mem_bytes, bytes);
    }
    if (started && f->vnodes.has_mem && f->vnodes.mem_bytes < INT64_MAX) {
        RUN_SET(run, mem_bytes, f->vnodes.mem_bytes);
    }
}

/* --- what it used ------------------------------------------------------------------------- */

/* A size or duration that is there must be one. */
static bool read_used(const struct filling *f, enum pbs_key key, const char *name,
                      bool (*read)(struct str, int64_t *), int64_t *out, struct error *err)
{
    struct str text = f->record->values[key];
    *out = -1;
    return text.len == 0 || read(text, out) || refuse_pbs_value(name, text, err);
}

static void fill_peaks(struct run *run, int64_t mem, int64_t vmem)
{
    if (vmem > 0) {
        RUN_SET(run, vmem_peak_bytes, vmem);
    }
    /* 0 is that of a job too short to be looked at. */
    if (mem > 0) {
        RUN_SET(run, mem_peak_bytes, mem);
        RUN_SET(run, mem_basis, STR("job-rss"));
    }
}

/* Time and memory used, and whether a limit on these was reached. */
static bool fill_use(struct filling *f, struct pbs_end *end, struct error *err)
{
    struct run *run = f->run;
    int64_t cput, wall, mem, vmem, limit_cput;
    if (!read_used(f, PBS_USED_CPUT, "resources_used.cput", scan_duration, &cput, err) ||
        !read_used(f, PBS_USED_WALLTIME, "resources_used.walltime", scan_duration, &wall,
                   err) ||
        !read_used(f, PBS_USED_MEM, "resources_used.mem", pbs_size, &mem, err) ||
        !read_used(f, PBS_USED_VMEM, "resources_used.vmem", pbs_size, &vmem, err)) {
        return false;
    }
    if (cput >= 0) {
        RUN_SET(run, cpu_used_us, cput);
    }
    fill_peaks(run, mem, vmem);
    int64_t apart = wall - f->elapsed_us;
    if (wall >= 0 && f->elapsed_us > 0 && (apart > CLOCK_SLACK_US || -apart > CLOCK_SLACK_US)) {
        run->flags |= RUN_FLAG_CLOCKS_DISAGREE;
    }
    int64_t limit_mem = 0;
    bool over = RUN_HAS(run, req_wall_us) && larger(f->elapsed_us, wall) > 0 &&
                larger(f->elapsed_us, wall) >= run->req_wall_us - SECOND_US;
    end->over_time =
        over || (cput > 0 && scan_duration(f->record->values[PBS_LIST_CPUT], &limit_cput) &&
                 cput >= limit_cput);
    end->over_memory =
        (mem > 0 && size_of(f, PBS_LIST_MEM, 1, &limit_mem) && mem >= limit_mem) ||
        (vmem > 0 && size_of(f, PBS_LIST_VMEM, 1, &limit_mem) && vmem >= limit_mem);
    return true;
}

/* --- how it went -------------------------------------------------------------------------- */

static void fill_end(const struct filling *f, struct pbs_end *end)
{
    const struct pbs_record *record = f->record;
    struct run *run = f->run;
    if (!pbs_has(record, PBS_EXIT_STATUS)) {
        RUN_SET(run, state, STR("E"));
        RUN_SET(run, class, run_class_name(CLASS_OTHER));
        return;
    }
    end->exit_status = record->numbers[PBS_EXIT_STATUS];
    /* Only PBS Pro counts runs and names virtual nodes. */
    end->torque = !pbs_has(record, PBS_RUN_COUNT) && !pbs_has(record, PBS_EXEC_VNODE);
    RUN_SET(run, state, record->values[PBS_EXIT_STATUS]);
    RUN_SET(run, class, run_class_name(pbs_code_class(end)));
    SOURCE_SET_TEXT(run, reason, pbs_code_reason(end));
    if (end->exit_status >= 0) {
        RUN_SET(run, exit_code, end->exit_status);
    }
    if (pbs_code_signal(end->exit_status) > 0) {
        RUN_SET(run, signal, pbs_code_signal(end->exit_status));
    }
}

static void fill_state(const struct filling *f, struct pbs_end *end)
{
    switch (f->record->letter) {
    case 'E':
        fill_end(f, end);
        break;
    case PBS_WAITS:
        RUN_SET(f->run, class, run_class_name(CLASS_PENDING));
        break;
    case PBS_NEVER_BEGAN:
        RUN_SET(f->run, class, run_class_name(CLASS_CANCELLED));
        break;
    case 'R':
        RUN_SET(f->run, state, STR("R"));
        RUN_SET(f->run, class, run_class_name(CLASS_REQUEUED));
        break;
    default:
        RUN_SET(f->run, state, STR("S"));
        RUN_SET(f->run, class, run_class_name(CLASS_RUNNING));
        break;
    }
}

bool pbs_run_fill(const struct pbs_record *record, const struct zone *zone, struct arena *arena,
                  struct run *run, struct error *err)
{
    struct filling f = {
        .record = record, .run = run, .arena = arena, .hosts = {.arena = arena}};
    struct pbs_end end = {0};
    RUN_SET(run, flags, record->odd ? RUN_FLAG_FIELDS_ODD : 0);
    if (!read_places(&f, err)) {
        return false;
    }
    fill_id(run, record->id);
    fill_texts(&f);
    fill_times(&f, zone);
    const bool started = RUN_HAS(run, start) && run->start > 0;
    fill_cpus(&f, started);
    fill_gpus(&f, started);
    fill_memory(&f, started);
    int64_t limit = 0;
    if (scan_duration(record->values[PBS_LIST_WALLTIME], &limit)) {
        RUN_SET(run, req_wall_us, limit);
    }
    if (!fill_use(&f, &end, err)) {
        return false;
    }
    fill_state(&f, &end);
    return true;
}
