/* SPDX-License-Identifier: MIT */
#include "base/limit.h"
#include "base/scan.h"
#include "base/zone.h"
#include "source/common/hosts.h"
#include "source/common/record_text.h"
#include "source/lsf/lsf_record.h"

/*
 * From the fields of a JOB_FINISH record to a run, in the order of the record: lsb.acct(5).
 * Versions have added fields at the end only. Up to exitStatus all must be there; from there on
 * a record may end anywhere; behind the job's description nothing is refused any more, since
 * versions we have not seen add what they like.
 */

#define LSF_COUNT_MAX (INT64_C(1) << 40)

/* What is known of one record, on its way into the run. */
struct filling {
    struct lsf_reader *reader;
    struct run *run;
    struct hosts hosts;
    struct lsf_end end;
    int64_t slots; /* those of the list of hosts */
    int64_t submit_s, begin_s, start_s, end_s;
    int64_t maxrss_kib, rmem_kib, rswap_kib;
    struct str res_req;
    struct str status; /* jStatus as it stands */
};

/* "16*host" is 16 slots. */
static void add_host(struct filling *f, struct str entry, int64_t *slots)
{
    struct str name = entry;
    struct str digits = str_cut(&name, '*');
    int64_t count = 1;
    if (!name.ptr || name.len == 0 || !scan_int(digits, &count) || count < 0 ||
        count > LSF_COUNT_MAX) {
        name = entry;
        count = 1;
    }
    *slots = *slots > LSF_COUNT_MAX ? *slots : *slots + count;
    if (name.len > 0) {
        hosts_add(&f->hosts, name, count);
    }
}

/* A count of texts that follow; it cannot be more than there are bytes for. */
static int64_t list_length(struct lsf_reader *reader, const char *name)
{
    int64_t count = lsf_int(reader, name);
    if (count < 0 || (uint64_t)count > reader->rest.len) {
        reader->bad = reader->bad ? reader->bad : name;
        return 0;
    }
    return count;
}

/* The hosts asked for and those given. "02" is a 0 and a 2 without their blank. */
static void read_hosts(struct filling *f)
{
    struct lsf_reader *reader = f->reader;
    struct str word = lsf_word(reader, "numAskedHosts");
    int64_t asked = 0;
    int64_t given = 0;
    if (word.len > 1 && word.ptr[0] == '0') {
        reader->odd = true;
        reader->rest.len += word.len - 1;
        reader->rest.ptr -= word.len - 1;
    } else if (!scan_int(word, &asked) || asked < 0) {
        reader->bad = reader->bad ? reader->bad : "numAskedHosts";
    }
    for (int64_t i = 0; i < asked && !reader->bad; i++) {
        (void)lsf_text(reader, "askedHosts");
    }
    given = list_length(reader, "numExHosts");
    f->hosts.most = (size_t)given;
    for (int64_t i = 0; i < given && !reader->bad; i++) {
        add_host(f, lsf_text(reader, "execHosts"), &f->slots);
    }
}

/* From the job's number to its file. */
static void read_submission(struct filling *f)
{
    struct lsf_reader *reader = f->reader;
    struct run *run = f->run;
    RUN_SET(run, job, lsf_int(reader, "jobId"));
    int64_t uid = lsf_int(reader, "userId");
    if (uid >= 0) {
        RUN_SET(run, uid, uid);
    }
    (void)lsf_int(reader, "options");
    int64_t processors = lsf_int(reader, "numProcessors");
    if (processors > 0) {
        RUN_SET(run, req_cpus, processors);
    }
    f->submit_s = lsf_int(reader, "submitTime");
    f->begin_s = lsf_int(reader, "beginTime");
    (void)lsf_int(reader, "termTime");
    f->start_s = lsf_int(reader, "startTime");
    source_set_text(run, RUN_user, lsf_text(reader, "userName"));
    source_set_text(run, RUN_partition, lsf_text(reader, "queue"));
    f->res_req = lsf_text(reader, "resReq");
    (void)lsf_text(reader, "dependCond");
    (void)lsf_text(reader, "preExecCmd");
    source_set_text(run, RUN_submit_host, lsf_text(reader, "fromHost"));
    source_set_text(run, RUN_work_dir, lsf_text(reader, "cwd"));
    (void)lsf_text(reader, "inFile");
    (void)lsf_text(reader, "outFile");
    (void)lsf_text(reader, "errFile");
    (void)lsf_text(reader, "jobFile");
}

/* The 19 numbers of lsfRusage; -1 is not known. */
static void read_usage(struct filling *f)
{
    static const char *const rest[] = {
        "ru_ixrss",    "ru_ismrss",  "ru_idrss",   "ru_isrss",   "ru_minflt", "ru_majflt",
        "ru_nswap",    "ru_inblock", "ru_oublock", "ru_ioch",    "ru_msgsnd", "ru_msgrcv",
        "ru_nsignals", "ru_nvcsw",   "ru_nivcsw",  "ru_exutime",
    };
    struct lsf_reader *reader = f->reader;
    struct run *run = f->run;
    int64_t user = lsf_micro(reader, "ru_utime");
    int64_t system = lsf_micro(reader, "ru_stime");
    int64_t used = 0;
    f->maxrss_kib = lsf_micro(reader, "ru_maxrss") / 1000000;
    for (size_t i = 0; i < COUNT_OF(rest); i++) {
        (void)lsf_micro(reader, rest[i]);
    }
    if (reader->bad) {
        return;
    }
    if (user >= 0) {
        RUN_SET(run, cpu_user_us, user);
    }
    if (system >= 0) {
        RUN_SET(run, cpu_system_us, system);
    }
    if (user >= 0 && system >= 0 && !__builtin_add_overflow(user, system, &used)) {
        RUN_SET(run, cpu_used_us, used);
    }
}

static void read_ending(struct filling *f)
{
    struct lsf_reader *reader = f->reader;
    f->status = lsf_word(reader, "jStatus");
    if (!scan_int(f->status, &f->end.status)) {
        reader->bad = reader->bad ? reader->bad : "jStatus";
    }
    (void)lsf_micro(reader, "hostFactor");
    source_set_text(f->run, RUN_name, lsf_text(reader, "jobName"));
    struct str command = lsf_text(reader, "command");
    if (command.len <= LIMIT_TEXT_FIELD) {
        source_set_text(f->run, RUN_command, command);
    }
    read_usage(f);
    (void)lsf_text(reader, "mailUser");
    source_set_text(f->run, RUN_project, lsf_text(reader, "projectName"));
    f->end.exit_status = lsf_int(reader, "exitStatus");
}

/* What LSF 5 and 6 added. */
static void read_limits(struct filling *f)
{
    struct lsf_reader *reader = f->reader;
    if (lsf_at_end(reader)) {
        return;
    }
    (void)lsf_int(reader, "maxNumProcessors");
    (void)lsf_text(reader, "loginShell");
    (void)lsf_text(reader, "timeEvent");
    int64_t index = lsf_int(reader, "idx");
    f->rmem_kib = lsf_int(reader, "maxRMem");
    f->rswap_kib = lsf_int(reader, "maxRSwap");
    if (index > 0 && !reader->bad) {
        RUN_SET(f->run, task, index);
        RUN_SET(f->run, array_job, f->run->job);
    }
    if (lsf_at_end(reader)) {
        return;
    }
    (void)lsf_text(reader, "inFileSpool");
    (void)lsf_text(reader, "commandSpool");
    source_set_text(f->run, RUN_reservation, lsf_text(reader, "rsvId"));
}

/* What LSF 7 added. */
static void read_accounting(struct filling *f)
{
    struct lsf_reader *reader = f->reader;
    if (lsf_at_end(reader)) {
        return;
    }
    source_set_text(f->run, RUN_qos, lsf_text(reader, "sla"));
    (void)lsf_int(reader, "exceptMask");
    (void)lsf_text(reader, "additionalInfo");
    f->end.exit_info = lsf_int(reader, "exitInfo");
    (void)lsf_text(reader, "warningAction");
    (void)lsf_int(reader, "warningTimePeriod");
    source_set_text(f->run, RUN_account, lsf_text(reader, "chargedSAAP"));
    if (lsf_at_end(reader)) {
        return;
    }
    (void)lsf_text(reader, "licenseProject");
    (void)lsf_text(reader, "app");
    if (lsf_at_end(reader)) {
        return;
    }
    (void)lsf_text(reader, "postExecCmd");
    (void)lsf_int(reader, "runtimeEstimation");
    (void)lsf_text(reader, "jobGroupName");
    (void)lsf_text(reader, "requeueEvalues");
    (void)lsf_int(reader, "options2");
    (void)lsf_text(reader, "resizeNotifyCmd");
    (void)lsf_int(reader, "lastResizeTime");
    (void)lsf_text(reader, "rsvId");
    (void)lsf_text(reader, "jobDescription");
}

/* Pairs of a number and a text, and what each host used. */
static void skip_lists(struct lsf_reader *reader)
{
    int64_t pairs = list_length(reader, "submitEXT");
    for (int64_t i = 0; i < pairs && !reader->bad; i++) {
        (void)lsf_int(reader, "submitEXT");
        (void)lsf_text(reader, "submitEXT");
    }
    int64_t hosts = list_length(reader, "numHostRusage");
    for (int64_t i = 0; i < hosts && !reader->bad; i++) {
        if (!lsf_at_end(reader) && reader->rest.ptr[0] == '"') {
            (void)lsf_text(reader, "hostRusage");
        } else {
            (void)lsf_word(reader, "hostRusage");
        }
        for (int number = 0; number < 4; number++) {
            (void)lsf_int(reader, "hostRusage");
        }
        int64_t more = list_length(reader, "hostRusage");
        for (int64_t number = 0; number < more && !reader->bad; number++) {
            (void)lsf_word(reader, "hostRusage");
            (void)lsf_word(reader, "hostRusage");
        }
    }
}

/* What says how long it waited and ran; behind the lists, as far as we know the version. */
static void read_times(struct filling *f)
{
    struct lsf_reader *reader = f->reader;
    struct run *run = f->run;
    int64_t limit_s = lsf_int(reader, "bsubW");
    if (!reader->bad && limit_s > 0 && limit_s < INSTANT_MAX / SECOND_US) {
        RUN_SET(run, req_wall_us, limit_s * SECOND_US);
    }
    (void)lsf_int(reader, "options3");
    (void)lsf_int(reader, "avgMem");
    struct str effective = lsf_text(reader, "effectiveResReq");
    if (!reader->bad && effective.len > 0) {
        f->res_req = effective;
    }
    (void)lsf_text(reader, "srcCluster");
    (void)lsf_int(reader, "srcJobId");
    (void)lsf_text(reader, "dstCluster");
    (void)lsf_int(reader, "dstJobId");
    (void)lsf_int(reader, "forwardTime");
    (void)lsf_text(reader, "flowId");
    (void)lsf_int(reader, "acJobWaitTime");
    (void)lsf_int(reader, "totalProvisionTime");
    (void)lsf_text(reader, "outdir");
    int64_t ran_s = lsf_int(reader, "runTime");
    int64_t held_s = f->start_s > 0 && f->end_s > f->start_s ? f->end_s - f->start_s : 0;
    if (!reader->bad && ran_s > 0 && ran_s <= held_s) {
        RUN_SET(run, suspended_us, (held_s - ran_s) * SECOND_US);
    }
}

/* The slots LSF 10 lists apart from the hosts, where the latter are those of tasks. */
static void read_slots(struct filling *f)
{
    struct lsf_reader *reader = f->reader;
    (void)lsf_text(reader, "subcwd");
    int64_t networks = list_length(reader, "num_network");
    for (int64_t i = 0; i < networks && !reader->bad; i++) {
        (void)lsf_word(reader, "networkID");
        (void)lsf_int(reader, "networkWindows");
    }
    (void)lsf_text(reader, "affinity");
    for (int number = 0; number < 5; number++) {
        (void)lsf_micro(reader, "energy");
    }
    struct filling scratch = {.hosts = {.arena = reader->arena}};
    int64_t slots = 0;
    int64_t given = list_length(reader, "numAllocSlots");
    scratch.hosts.most = (size_t)given;
    for (int64_t i = 0; i < given && !reader->bad; i++) {
        add_host(&scratch, lsf_text(reader, "allocSlots"), &slots);
    }
    if (!reader->bad && slots > 0) {
        f->slots = slots;
        f->hosts = scratch.hosts;
    }
    int64_t ineligible_s = lsf_int(reader, "ineligiblePendTime");
    if (!reader->bad && ineligible_s >= 0 && f->submit_s > 0 && ineligible_s < LSF_COUNT_MAX) {
        RUN_SET(f->run, eligible, (f->submit_s + ineligible_s) * SECOND_US);
    }
}

/* --- into the run ------------------------------------------------------------------------- */

static int64_t instant_of(int64_t seconds)
{
    return seconds > 0 && seconds < INSTANT_MAX / SECOND_US ? seconds * SECOND_US : -1;
}

static void fill_times(const struct filling *f)
{
    struct run *run = f->run;
    const int64_t tell[] = {f->submit_s, f->end_s};
    if (f->submit_s != 0) {
        RUN_SET(run, submit, instant_of(f->submit_s));
    }
    if (f->begin_s > f->submit_s) {
        RUN_SET(run, eligible, instant_of(f->begin_s));
    }
    if (f->start_s != 0) {
        RUN_SET(run, start, instant_of(f->start_s));
    }
    RUN_SET(run, end, instant_of(f->end_s));
    bool started = RUN_HAS(run, start) && run->start > 0;
    uint64_t hash = str_hash((struct str){(const char *)tell, sizeof(tell)}, 0);
    RUN_SET(run, attempt, started ? run->start : -1 - (int64_t)(hash >> 2));
}

static void fill_peaks(const struct filling *f)
{
    struct run *run = f->run;
    int64_t bytes = 0;
    if (f->rswap_kib > 0 && !__builtin_mul_overflow(f->rswap_kib, 1024, &bytes)) {
        RUN_SET(run, vmem_peak_bytes, bytes);
    }
    if (f->rmem_kib > 0 && !__builtin_mul_overflow(f->rmem_kib, 1024, &bytes)) {
        RUN_SET(run, mem_peak_bytes, bytes);
        RUN_SET(run, mem_basis, STR("job-rss"));
    } else if (f->maxrss_kib > 0 && !__builtin_mul_overflow(f->maxrss_kib, 1024, &bytes)) {
        RUN_SET(run, mem_peak_bytes, bytes);
        RUN_SET(run, mem_basis, STR("process-rss"));
    }
}

/* GPUs asked for, a host: rusage[ngpus_physical=2.00]. */
static bool find_gpus(struct str request, int64_t *gpus)
{
    static const char *const names[] = {
        "ngpus_physical=", "ngpus_excl_p=", "ngpus_excl_t=", "ngpus_shared=", "ngpus="};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct str name = str_of(names[i]);
        const char *at =
            request.len > 0 ? memmem(request.ptr, request.len, name.ptr, name.len) : NULL;
        if (at) {
            struct str number = {at + name.len, 0};
            while (number.ptr + number.len < request.ptr + request.len &&
                   ((number.ptr[number.len] >= '0' && number.ptr[number.len] <= '9') ||
                    number.ptr[number.len] == '.')) {
                number.len++;
            }
            return scan_decimal(number, 0, gpus) && *gpus <= LSF_COUNT_MAX;
        }
    }
    return false;
}

static void fill_places(const struct filling *f)
{
    struct run *run = f->run;
    const bool started = RUN_HAS(run, start) && run->start > 0;
    int64_t gpus = 0;
    int64_t hosts = f->hosts.count > 0 ? (int64_t)f->hosts.count : 1;
    source_set_text(run, RUN_request, str_trim(f->res_req));
    if (find_gpus(f->res_req, &gpus) && !__builtin_mul_overflow(gpus, hosts, &gpus)) {
        RUN_SET(run, req_gpus, gpus);
        if (started) {
            RUN_SET(run, gpus, gpus);
        }
    }
    if (!started || f->hosts.count == 0) {
        return;
    }
    if (f->slots > 0) {
        RUN_SET(run, cpus, f->slots);
    }
    RUN_SET(run, node, f->hosts.first);
    RUN_SET(run, node_count, (int64_t)f->hosts.count);
    source_set_text(run, RUN_nodes, hosts_text(&f->hosts, f->slots));
}

static void fill_state(const struct filling *f)
{
    struct run *run = f->run;
    int64_t status = f->end.exit_status;
    RUN_SET(run, state,
            f->end.status == LSF_STATUS_DONE   ? STR("DONE")
            : f->end.status == LSF_STATUS_EXIT ? STR("EXIT")
                                               : f->status);
    RUN_SET(run, class, run_class_name(lsf_code_class(&f->end)));
    source_set_text(run, RUN_reason, lsf_code_reason(&f->end));
    if (status >= 0 && status <= 0xffff && RUN_HAS(run, start)) {
        if ((status & 0x7f) > 0) {
            RUN_SET(run, signal, status & 0x7f);
        } else {
            RUN_SET(run, exit_code, status >> 8);
        }
    }
}

bool lsf_run_fill(struct lsf_reader *reader, int64_t event_time, struct run *run,
                  struct error *err)
{
    struct filling f = {
        .reader = reader,
        .run = run,
        .hosts = {.arena = reader->arena},
        .end_s = event_time,
    };
    RUN_SET(run, flags, 0);
    read_submission(&f);
    read_hosts(&f);
    read_ending(&f);
    read_limits(&f);
    read_accounting(&f);
    if (reader->bad) {
        error_set(err, ERROR_INPUT, "%s is missing or invalid", reader->bad);
        return false;
    }
    fill_times(&f);
    if (!lsf_at_end(reader)) {
        skip_lists(reader);
        read_times(&f);
        read_slots(&f);
    }
    fill_peaks(&f);
    fill_places(&f);
    fill_state(&f);
    if (reader->odd) {
        run->flags |= RUN_FLAG_FIELDS_ODD;
    }
    return true;
}
