/* SPDX-License-Identifier: MIT */
#include <ftw.h>

#include "support/runs.h"
#include "unit/source/calls.h"
#include "unit/source/peer.h"
#include "unit/source/standing.h"

/*
 * Every file of $STINT_DATA before every driver: those that are accounting are known to their own
 * driver and to no other, `import auto` reads them, each of their runs started, never did or waits, and nobody takes the rest for accounting. And a
 * file of our own of each scheduler before the drivers of all others, which say whose it is.
 */

enum { HEAD_SIZE = 1 << 16, FOLDERS_OPEN = 16 };

#define XDMOD                                                                                  \
    "JobID,JobIDRaw,Cluster,Partition,QOS,Account,Group,GID,User,UID,Submit,Eligible,Start,"   \
    "End,Elapsed,ExitCode,State,NNodes,NCPUS,ReqCPUS,ReqMem,ReqTRES,AllocTRES,Timelimit,"      \
    "NodeList,JobName"
#define SIMULATOR                                                                              \
    "State,JobID,ReqCPUS,ReqMem,ReqNodes,Constraints,Submit,Eligible,Start,Elapsed,Suspended," \
    "End,ExitCode,DerivedExitCode,AllocNodes,NCPUS,MaxDiskRead,MaxDiskWrite,MaxPages,MaxRSS,"  \
    "MaxVMSize,CPUTime,UserCPU,SystemCPU,TotalCPU"
#define SONAR                                                                                  \
    "JobID,JobIDRaw,User,Account,State,Start,End,AveCPU,AveDiskRead,AveDiskWrite,AveRSS,"      \
    "AveVMSize,ElapsedRaw,ExitCode,Layout,MaxRSS,MaxVMSize,MinCPU,ReqCPUS,ReqMem,ReqNodes,"    \
    "Reservation,Submit,Suspended,SystemCPU,TimelimitRaw,UserCPU,NodeList,Partition,"          \
    "AllocTRES,Priority,JobName"
#define LIVE                                                                                   \
    "JobID,JobIDRaw,JobName,Partition,QOS,Account,User,UID,Group,Cluster,Submit,Eligible,"     \
    "Start,End,ElapsedRaw,Elapsed,Suspended,Reserved,TimelimitRaw,State,ExitCode,"             \
    "DerivedExitCode,NNodes,NCPUS,NTasks,ReqCPUS,ReqMem,ReqTRES,AllocTRES,TRESUsageInTot,"     \
    "TRESUsageInMax,TotalCPU,UserCPU,SystemCPU,CPUTimeRAW,MaxRSS,AveRSS,NodeList,Reservation," \
    "Priority,Comment,AdminComment,WorkDir,SubmitLine,Flags,Reason,AssocID,WCKey,"             \
    "ConsumedEnergyRaw,DBIndex,Container,BlockID,Constraints"

/* What importing one has to come to; else it reads something. */
#define NOTHING 0
#define SOME    (-1)
#define REFUSED (-2) /* it is of that kind, but cannot be imported: `why` */

/* A piece of the path, or, with a dot, its end; the first that fits counts. */
struct file_row {
    const char *path;
    const char *driver;
    const char *columns; /* where the file has no header */
    int records;
    const char *why;
};

static const struct file_row file_rows[] = {
    {"/sge/live-8.1.9/accounting", "sge", NULL, 27, NULL},
    {"/sge/live-8.1.9/reporting", "sge", NULL, 27, NULL},
    {"/shredder/sge/input/", "sge", NULL, 2, NULL},
    {"/shredder/uge/input/", "sge", NULL, 2, NULL},
    {"/pbs/pbs-2026.log", "pbs", NULL, 2, NULL},
    {"/shredder/pbs/input/", "pbs", NULL, 9, NULL},
    {"/shredder/lsf/input/accounting-logs", "lsf", NULL, 2, NULL},
    {"/shredder/lsf/input/utf8", "lsf", NULL, 1, NULL},
    {"/lsb.acct", "lsf", NULL, SOME, NULL},
    {"/nomad/autoscaler-cluster1/151be1dc", "nomad", NULL, 3, NULL},
    {"/nomad/autoscaler-cluster1/b2d5bbb6", "nomad", NULL, 2, NULL},
    {"/nomad/autoscaler-cluster1/b535e699", "nomad", NULL, 1, NULL},
    {"/nomad/broccoli/allocations.json", "nomad", NULL, 1, NULL},
    {"/swf/accasim-workload.swf", "swf", NULL, REFUSED, "UnixStartTime"},
    {"/swf/hpc2n.swf.machines", NULL, NULL, NOTHING, NULL},
    {"/swf/wagap-2013.swf.machines", NULL, NULL, NOTHING, NULL},
    {"/swf/hpc2n.swf", "swf", NULL, 3170, NULL},
    {"/swf/wagap-2013.swf", "swf", NULL, 17900, NULL},
    {"/slurm/xdmod/phillips.log", "slurm", XDMOD, 4285, NULL},
    {"/shredder/slurm/input/", "slurm", XDMOD, SOME, NULL},
    {"/cost-simulator/sacct-output.txt", "slurm", SIMULATOR, 483, NULL},
    {"/cost-simulator/array/sacct-output.txt", "slurm", SIMULATOR, 8, NULL},
    {"/cost-simulator/multi-node/sacct-output.txt", "slurm", SIMULATOR, 1, NULL},
    {"/slurm/sacct-json/", "slurm", NULL, 1, NULL},
    {"/slurm/jobcomp/", "slurm", NULL, 1, NULL},
    {"/slurm/slurm2sql/test-data3.csv", "slurm", NULL, 1, NULL},
    {"/slurm/slurm2sql/", "slurm", NULL, 2, NULL},
    {"/slurmdb-job-unfound.json", "slurm", NULL, NOTHING, NULL},
    {"/24.05/0.0.41/slurmdb-job-gpus-pending.json", "slurm", NULL, NOTHING, NULL},
    {"/slurmdb-job-", "slurm", NULL, 1, NULL},
    {"_get_job_not_found_from_db.json", "slurm", NULL, NOTHING, NULL},
    {"_from_db.json", "slurm", NULL, SOME, NULL},
    {"/slurm/live-22.05/sacct-D-steps.psv", "slurm", NULL, 48, NULL},
    {"/slurm/live-22.05/sacct-X.psv", "slurm", NULL, 46, NULL},
    {"/slurm/live-22.05/sacct-X-noconvert.psv", "slurm", LIVE, 46, NULL},
    {"/slurm/live-22.05/sacct-width.psv", "slurm", NULL, SOME, NULL},
    {"/slurm/live-22.05/states.txt", "slurm", NULL, 6, NULL},
    {"/slurm/live-22.05/sacct.fields", "slurm", NULL, NOTHING, NULL}, /* a header alone */
    {"/slurm/live-22.05/sacct.json", "slurm", NULL, 48, NULL},
    {"/slurm/live-22.05/rest-slurmdb-jobs.json", "slurm", NULL, 45, NULL},
    /* the controller's */
    {"/slurm-job-archived.json", "slurm", NULL, REFUSED, "an error instead of jobs"},
    {"/slurm-job-gpus-archived.json", "slurm", NULL, REFUSED, "an error instead of jobs"},
    {"/slurm-job-unfound.json", "slurm", NULL, REFUSED, "an error instead of jobs"},
    {"/slurm-jwt-expired-token.json", "slurm", NULL, REFUSED, "an error instead of jobs"},
    {"/slurm-jwt-invalid-token.json", "slurm", NULL, REFUSED, "an error instead of jobs"},
    {"/slurm_get_job_not_found.json", "slurm", NULL, REFUSED, "an error instead of jobs"},
    {"/slurm-job-", "slurm", NULL, 1, NULL},
    {"/slurm-jobs.json", "slurm", NULL, SOME, NULL},
    {"/slurm_get_allusers_jobs.json", "slurm", NULL, 2, NULL},
    {"/slurm_get_job.json", "slurm", NULL, 2, NULL},
    {"/slurm_get_jobs_by_name.json", "slurm", NULL, SOME, NULL},
    {"/slurm/live-22.05/squeue.json", "slurm", NULL, 47, NULL},
    {"/slurm/live-22.05/rest-slurm-jobs.json", "slurm", NULL, 47, NULL},
    {"/exporter-rivosinc/fixtures/squeue_out.json", "slurm", NULL, 2, NULL},
    {"/telegraf/gather/responses/jobs.json", "slurm", NULL, 3, NULL},
    {"/telegraf/panic/responses/jobs.json", "slurm", NULL, NOTHING, NULL},
    /* nodes, partitions and reservations */
    {"/0.0.42/slurm-reservations.json", "slurm", NULL, NOTHING, NULL},
    {"/slurm-reservations.json", "slurm", NULL, SOME, NULL},
    {"/slurm-partitions.json", "slurm", NULL, SOME, NULL},
    {"/24.05/0.0.41/slurm-nodes.json", "slurm", NULL, 100, NULL},
    {"/slurm-nodes.json", "slurm", NULL, 6, NULL},
    {"/slurm-node-unfound.json", NULL, NULL, NOTHING, NULL},
    {"/slurm-node-", "slurm", NULL, 1, NULL},
    {"/exporter-rivosinc/fixtures/sinfo_out.json", "slurm", NULL, 4, NULL},
    {"/telegraf/gather/responses/nodes.json", "slurm", NULL, 3, NULL},
    {"/telegraf/gather/responses/partitions.json", "slurm", NULL, 1, NULL},
    {"/telegraf/gather/responses/reservations.json", "slurm", NULL, NOTHING, NULL},
    {"/slurm_get_nodes.json", "slurm", NULL, 1, NULL},
    {"/slurm_get_partitions.json", "slurm", NULL, 3, NULL},
    {"/slurm_get_reservations.json", "slurm", NULL, 1, NULL},
    {"/slurm/live-22.05/sinfo.json", "slurm", NULL, 5, NULL},
    {"/slurm/live-22.05/rest-slurm-nodes.json", "slurm", NULL, 5, NULL},
    {"/slurm/live-22.05/rest-slurm-partitions.json", "slurm", NULL, 2, NULL},
    {"/slurm/live-22.05/rest-slurm-reservations.json", "slurm", NULL, 2, NULL},
    {"/slurm/live-22.05/scontrol-node", "slurm", NULL, 5, NULL},
    {"/slurm/live-22.05/scontrol-part.txt", "slurm", NULL, 2, NULL},
    {"/slurm/live-22.05/scontrol-resv.txt", "slurm", NULL, 2, NULL},
    {"/sonar/tests/testdata/sacct_output.txt", "slurm", SONAR, 122, NULL},
    {"/sonar/tests/testdata/sacct_resource.txt", "slurm", SONAR, 3, NULL},
    {"/sonar/src/testdata/sacct-output.txt", "slurm", SONAR, SOME, NULL},
    /* sonar's samples, and what else it tells */
    {"/sysinfo-a.json", "sonar", NULL, REFUSED, "only samples are read"},
    {"/sysinfo-b.json", "sonar", NULL, REFUSED, "only samples are read"},
    {"/smoketest-sysinfo-data", "sonar", NULL, REFUSED, "only samples are read"},
    {"-sysinfo.json", "sonar", NULL, REFUSED, "only samples are read"},
    {"/0+sysinfo-naic-monitor.json", "sonar", NULL, REFUSED, "type 'sysinfo'"},
    {"fmt_sysinfo.json", "sonar", NULL, REFUSED, "only samples are read"},
    {"/newfmt_slurmjobs.json", "sonar", NULL, REFUSED, "type 'jobs'"},
    {"/newfmt_cluster.json", "sonar", NULL, REFUSED, "type 'cluster'"},
    {"/oldfmt_slurmjobs.csv", "sonar", NULL, REFUSED, "a Slurm job"},
    {"/sonar/src/testdata/sacctd-output.txt", "sonar", NULL, REFUSED, "a Slurm job"},
    {"/sonar_sacct_output.txt", "sonar", NULL, REFUSED, "type 'job'"},
    {"/sonar_sinfo_output.txt", "sonar", NULL, REFUSED, "type 'cluster'"},
    {"/newfmt_samples.json", "sonar", NULL, 4, NULL},
    {"/oldfmt_samples.csv", "sonar", NULL, 68, NULL},
    {"/jobanalyzer/config/dummy-data.csv", "sonar", NULL, 2, NULL},
    {"/whitebox-read-free-csv.csv", "sonar", NULL, 2, NULL},
    {"/naicreport/load/load-smoketest.csv", "sonar", NULL, 32, NULL},
    {"/sonarlog/whitebox-tree/2023/05/31/bughunt.csv", NULL, NULL, NOTHING, NULL},
    {"/sonarlog/whitebox-tree/2023/05/28/a.csv", "sonar", NULL, 2, NULL},
    {"/sonarlog/whitebox-tree/", "sonar", NULL, 1, NULL},
    {"/sonarlog/whitebox-config", NULL, NULL, NOTHING, NULL},
    {"/sonarlog/whitebox-logclean.csv", "sonar", NULL, 7, NULL},
    {"/sonarlog/whitebox-intermingled.csv", "sonar", NULL, 3, NULL},
    {"/sonarlog/whitebox-untagged-intermingled.csv", "sonar", NULL, 2, NULL},
    {"/sonarlog/parse-data.csv", "sonar", NULL, 7, NULL},
    {"/sonarlog/parse-data1.csv", "sonar", NULL, 4, NULL},
    {"/sonarlog/parse-data2.csv", "sonar", NULL, 3, NULL},
    {"/sonarlog/parse_gpufail.csv", "sonar", NULL, 2, NULL},
    {"/sonarlog/parse_infty.csv", "sonar", NULL, 1, NULL}, /* its last line has no end */
    {"/sonarlog/bad-", "sonar", NULL, 2, NULL},
    {"/sonarlog/regress_6", "sonar", NULL, 3, NULL},
    {"/sonarlog/metadata_smoketest.csv", "sonar", NULL, 4, NULL},
    {"/sonarlog/old-old-data.csv", "sonar", NULL, 8, NULL},
    {"/sonalyze/top/simple-input.csv", "sonar", NULL, 42, NULL},
    {"/sonalyze/jobs/r630_compress_hosts", "sonar", NULL, 12, NULL},
    {"/sonalyze/jobs/select_", "sonar", NULL, 3, NULL},
    {"/sonalyze/jobs/aggregate_gpu.csv", "sonar", NULL, 1, NULL},
    {"/sonalyze/jobs/running_and_completed.csv", "sonar", NULL, 4, NULL},
    {"/skip_heartbeat.csv", "sonar", NULL, 1, NULL},
    {"/0+sample-naic-monitor.json", "sonar", NULL, 45, NULL},
    {"/sonalyze/source/select_from_to.csv", "sonar", NULL, 19, NULL},
    {"/sonalyze/load/", "sonar", NULL, 3, NULL},
    {"/sonalyze/profile/smoketest.csv", "sonar", NULL, 16, NULL},
    {"/sonalyze/profile/smoketest2.csv", "sonar", NULL, 32, NULL},
    {"/sonalyze/format/", "sonar", NULL, 1, NULL},
    {"/sonalyze/parse/parse.csv", "sonar", NULL, 1, NULL},
    {"/sonalyze/add/smoketest-sample-data1.csv", "sonar", NULL, 65, NULL},
    {"/sonalyze/add/smoketest-sample-data2.csv", "sonar", NULL, 64, NULL},
    {"/obsolete/cluster1-samples.csv", "sonar", NULL, 65, NULL},
    {"/obsolete/cluster2-samples.csv", "sonar", NULL, 64, NULL},
    {"/sonalyzed/cluster1-samples.json", "sonar", NULL, 38, NULL},
    {"/sonalyzed/cluster2-samples.json", "sonar", NULL, 38, NULL},
};

static const struct file_row *row_of(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(file_rows); i++) {
        if (strstr(path, file_rows[i].path)) {
            return &file_rows[i];
        }
    }
    return NULL;
}

/* --- every file ------------------------------------------------------------------------------- */

/* What nftw cannot be given. */
static struct {
    int wrong;
    int seen[COUNT_OF(file_rows)];
    int others;
} walk;

/* Every run of the file started, never did or waits. */
static void check_runs(const char *path, const struct file_row *row,
                       const struct source_driver *driver)
{
    const struct source_options options = {.columns = str_of(row->columns ? row->columns : "")};
    struct buf text;
    struct arena arena = {0};
    struct error err = {0};
    void *format = NULL;
    buf_init(&text, PEER_FILE_MAX);
    expect_int(file_read(path, &text, &err), 0);
    enum source_step step =
        !driver->open || driver->open(buf_str(&text), &options, &format, &err) == 0
            ? SOURCE_SKIP
            : SOURCE_END;
    struct source_cursor cursor = {.rest = buf_str(&text), .next_line = 1, .arena = &arena};
    while (step != SOURCE_END) {
        struct run run = {0};
        step = driver->next(format, &cursor, &run, &err);
        const char *fault =
            step == SOURCE_RECORD && !RUN_HAS(&run, part) ? standing_fault(&run) : NULL;
        if (fault) {
            print_message("%s, line %llu: %s\n", path, (unsigned long long)cursor.line, fault);
            walk.wrong++;
        }
    }
    arena_release(&arena);
    if (driver->close && format) {
        driver->close(format);
    }
    buf_release(&text);
}

static void import_file(const char *path, const struct file_row *row)
{
    char file[PEER_PATH_LEN], columns[2 * PEER_PATH_LEN];
    struct answer answer;
    struct error err = {0};
    (void)snprintf(file, sizeof(file), "file=%s", path);
    (void)snprintf(columns, sizeof(columns), "columns=%s", row->columns ? row->columns : "");
    int failed = call_tries(
        "/nowhere", NULL, "import",
        (const char *[]){"source=auto", file, "dry-run=", row->columns ? columns : NULL, NULL},
        &answer, &err);
    if ((failed != 0) != (row->records == REFUSED) || (failed && !strstr(err.text, row->why))) {
        print_message("%s: %s\n", path, failed ? err.text : "was not refused");
        walk.wrong++;
    } else if (!failed) {
        int read = (int)call_cell(&answer.table, call_column(&answer.table, "read"), 0);
        if (row->records == SOME ? read == 0 : read != row->records) {
            print_message("%s: %d records\n", path, read);
            walk.wrong++;
        }
    }
    answer_release(&answer);
}

static int look_at_file(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info;
    (void)at;
    static char head[HEAD_SIZE];
    FILE *file = type == FTW_F ? fopen(path, "rb") : NULL;
    if (!file) {
        return 0;
    }
    struct str read = {head, fread(head, 1, sizeof(head), file)};
    (void)fclose(file);
    const struct file_row *row = row_of(path);
    const char *owner = row ? row->driver : NULL;
    for (size_t i = 0; source_drivers[i]; i++) {
        int sure = source_drivers[i]->recognise(read);
        if ((sure > 0) != (owner && strcmp(owner, source_drivers[i]->name) == 0)) {
            print_message("%s: %s is %d sure\n", path, source_drivers[i]->name, sure);
            walk.wrong++;
        }
    }
    if (owner) {
        import_file(path, row);
        const struct source_driver *driver = source_find(str_of(owner));
        if (driver->next) {
            check_runs(path, row, driver);
        }
        walk.seen[row - file_rows]++;
    } else {
        walk.others++;
    }
    return 0;
}

static void every_file_is_found_by_its_driver_alone(void **state)
{
    (void)state;
    expect_int(nftw(peer_folder(), look_at_file, FOLDERS_OPEN, FTW_PHYS), 0);
    expect_int(walk.wrong, 0);
    expect_true(walk.others > 300);
    for (size_t i = 0; i < COUNT_OF(file_rows); i++) {
        if (file_rows[i].driver && walk.seen[i] == 0) {
            expect_fail("no file is %s", file_rows[i].path);
        }
    }
}

/* --- every pair ------------------------------------------------------------------------------- */

struct own_row {
    const char *name; /* of the driver */
    const char *file; /* of tests/fixtures */
};

static const struct own_row own_rows[] = {
    {"sge", "sge/son-of-grid-engine-8.1"},
    {"sge", "sge/open-cluster-scheduler-9.jsonl"},
    {"slurm", "slurm/sacct-22.05"},
    {"slurm", "slurm/sacct-24.11.json"},
    {"nomad", "nomad/allocations.jsonl"},
    {"pbs", "pbs/pbs-professional-2022"},
    {"pbs", "pbs/torque-6"},
    {"lsf", "lsf/lsf-10.1"},
    {"htcondor", "htcondor/history"},
    {"htcondor", "htcondor/json"},
    {"htcondor", "htcondor/xml"},
    {"htcondor", "htcondor/apel"},
    {"swf", "swf/archive.swf"},
    {"sonar", "sonar/tagged.csv"},
    {"sonar", "sonar/untagged.csv"},
    {"sonar", "sonar/mixed.json"},
};

static void other_drivers_say_whose_it_is(void **state)
{
    const struct own_row *row = *state;
    char file[PEER_PATH_LEN];
    (void)snprintf(file, sizeof(file), "file=%s/%s", TEST_FIXTURES, row->file);
    for (size_t i = 0; source_drivers[i]; i++) {
        char source[64], hint[128];
        struct answer answer;
        struct error err = {0};
        bool own = strcmp(source_drivers[i]->name, row->name) == 0;
        (void)snprintf(source, sizeof(source), "source=%s", source_drivers[i]->name);
        (void)snprintf(hint, sizeof(hint), "it looks like %s: stint import %s", row->name,
                       row->name);
        int failed =
            call_tries("/nowhere", NULL, "import",
                       (const char *[]){source, file, "dry-run=", NULL}, &answer, &err);
        answer_release(&answer);
        expect_int(failed != 0, !own);
        if (failed) {
            expect_contains(err.text, hint);
        }
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_file_is_found_by_its_driver_alone);
    SUITE_ROWS(&suite, other_drivers_say_whose_it_is, own_rows);
    return suite_run(&suite, "data_files");
}
