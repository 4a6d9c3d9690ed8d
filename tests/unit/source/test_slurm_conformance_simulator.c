/* SPDX-License-Identifier: MIT */
#include "unit/source/slurm_data.h"

/*
 * The driver against what hpc-cost-simulator makes of the same files.
 */

#define SIMULATOR_COLUMNS                                                                      \
    "State,JobID,ReqCPUS,ReqMem,ReqNodes,Constraints,Submit,Eligible,Start,Elapsed,Suspended," \
    "End,ExitCode,DerivedExitCode,AllocNodes,NCPUS,MaxDiskRead,MaxDiskWrite,MaxPages,MaxRSS,"  \
    "MaxVMSize,CPUTime,UserCPU,SystemCPU,TotalCPU"

enum simulator_column {
    SIM_ID = 0,
    SIM_CORES = 1,
    SIM_MEM_GB = 2,
    SIM_HOSTS = 3,
    SIM_SUBMIT = 4,
    SIM_START = 5,
    SIM_FINISH = 6,
    SIM_MAXRSS = 16,
    SIM_STIME = 22,
    SIM_UTIME = 23,
    SIM_COUNT = 24,
};

static const struct run *find_run(const struct slurm_reading *r, struct str id)
{
    int64_t job = 0, task = -1;
    struct str rest = id;
    expect_true(scan_int(str_cut(&rest, '_'), &job));
    if (rest.ptr) {
        expect_true(scan_int(rest, &task));
    }
    for (size_t i = 0; i < r->count; i++) {
        const struct run *run = &r->items[i].run;
        if (r->items[i].step == SOURCE_RECORD && run->job == job &&
            NUMBER_OF(run, task) == task) {
            return run;
        }
    }
    expect_fail("no run of %.*s", STR_ARG(id));
}

static void expect_instant(int64_t us, struct str text)
{
    char got[INSTANT_TEXT_MAX];
    struct zone *utc = NULL;
    struct error err;
    expect_int(zone_open("UTC", &utc, &err), 0);
    zone_print(utc, us, got);
    zone_close(utc);
    expect_text_n(got, text.len, text.ptr ? strndupa(text.ptr, text.len) : "");
}

static void expect_simulated(const struct slurm_reading *r, struct str line)
{
    struct str cells[SIM_COUNT];
    int64_t number = 0;
    for (size_t i = 0; i < SIM_COUNT; i++) {
        cells[i] = str_trim(str_cut(&line, ','));
    }
    const struct run *run = find_run(r, cells[SIM_ID]);
    expect_true(scan_int(cells[SIM_CORES], &number));
    expect_int(run->req_cpus, number);
    if (!RUN_HAS(run, start)) { /* cancelled while it waited: they have a start at its end */
        expect_int(RUN_HAS(run, cpus), false);
        expect_text_n(cells[SIM_START].ptr, cells[SIM_START].len,
                      strndupa(cells[SIM_FINISH].ptr, cells[SIM_FINISH].len));
        return;
    }
    expect_int(run->cpus, number);
    expect_true(scan_int(cells[SIM_HOSTS], &number));
    expect_int(run->node_count, number);
    expect_true(scan_size(cells[SIM_MEM_GB], INT64_C(1) << 30, &number));
    expect_int(run->req_mem_bytes, number);
    expect_instant(run->submit, cells[SIM_SUBMIT]);
    expect_instant(run->start, cells[SIM_START]);
    expect_instant(run->end, cells[SIM_FINISH]);
    if (cells[SIM_MAXRSS].len > 0) {
        expect_true(scan_int(cells[SIM_MAXRSS], &number));
        expect_int(RUN_HAS(run, mem_peak_bytes) ? run->mem_peak_bytes : 0, number);
    }
    if (RUN_HAS(run, cpu_used_us)) {
        expect_true(scan_duration(cells[SIM_UTIME], &number));
        expect_int(run->cpu_user_us, number);
        expect_true(scan_duration(cells[SIM_STIME], &number));
        expect_int(run->cpu_system_us, number);
    }
}

struct simulator_row {
    const char *name;
    size_t jobs;
};

static const struct simulator_row simulator_rows[] = {
    {"slurm/cost-simulator", 483},
    {"slurm/cost-simulator/array", 8},
    {"slurm/cost-simulator/multi-node", 1},
};

static void jobs_agree_with_the_cost_simulator(void **state)
{
    const struct simulator_row *row = *state;
    char name[PEER_PATH_LEN];
    struct slurm_reading r;
    struct buf expected;
    size_t jobs = 0;
    (void)snprintf(name, sizeof(name), "%s/sacct-output.txt", row->name);
    slurm_read_data(&r, name, SIMULATOR_COLUMNS, NULL);
    expect_uint(r.rejects, 0);
    (void)snprintf(name, sizeof(name), "%s/exp_jobs.csv", row->name);
    peer_file(name, &expected);
    struct str rest = buf_str(&expected);
    (void)str_cut(&rest, '\n');
    while (rest.len > 0) {
        expect_simulated(&r, str_cut(&rest, '\n'));
        jobs++;
    }
    expect_uint(jobs, row->jobs);
    buf_release(&expected);
    slurm_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, jobs_agree_with_the_cost_simulator, simulator_rows);
    return suite_run(&suite, "slurm_conformance_simulator");
}
