/* SPDX-License-Identifier: MIT */
#include "source/pbs/pbs.h"

#include "source/pbs/pbs_record.h"
#include "unit/source/reader.h"

/*
 * What becomes of the pairs of a record, shape by shape. Whole files are in test_fixtures.
 */

#define HEADER "03/01/2025 09:10:00;E;77.head;"
#define TIMES                                                                                  \
    "ctime=1740816000 qtime=1740816000 etime=1740816000 start=1740816600 end=1740820200 "

struct record_row {
    const char *name;
    const char *line;
    enum source_step step;
    const struct want *wants;
};

static const struct record_row record_rows[] = {
    {"a date glued to the line is not its beginning",
     "20150327:" HEADER TIMES "exec_host=n1/0 Exit_status=0", SOURCE_RECORD,
     WANTS({"job", "77"}, {"start", "1740816600000000"})},
    {"a syslog prefix is passed over", "torque: " HEADER TIMES "exec_host=n1/0 Exit_status=0",
     SOURCE_RECORD, WANTS({"job", "77"}, {"class", "completed"})},
    {"cpu time in seconds beside wall time in hours",
     HEADER TIMES "resources_used.cput=9 resources_used.walltime=01:00:00", SOURCE_RECORD,
     WANTS({"cpu_used", "9000000"}, {"flags", "0"})},
    {"wall time with one digit of seconds",
     HEADER TIMES "resources_used.cput=19:23:4 resources_used.walltime=1:00:0", SOURCE_RECORD,
     WANTS({"cpu_used", "69784000000"}, {"flags", "0"})},
    {"wall time with days", HEADER TIMES "Resource_List.walltime=10:11:12:13", SOURCE_RECORD,
     WANTS({"time_limit", "904333000000"})},
    {"a wall time far from end - start is flagged, hours stay",
     HEADER TIMES "resources_used.walltime=00:20:00", SOURCE_RECORD,
     WANTS({"flags", "32"}, {"end", "1740820200000000"})},
    {"no blank between two pairs is refused",
     HEADER "ctime=1740816000 etime=1740816000start=1740816600 end=1740820200", SOURCE_REJECT,
     NULL},
    {"a cpu each in exec_host", HEADER TIMES "exec_host=n1/7+n1/6+n2/1+n1/5", SOURCE_RECORD,
     WANTS({"cpus", "4"}, {"node_count", "2"}, {"nodes", "n1*3,n2*1"}, {"node", "n1"})},
    {"ranges in exec_host", HEADER TIMES "exec_host=n1/0-3+n2/0-1,5,11", SOURCE_RECORD,
     WANTS({"cpus", "8"}, {"node_count", "2"}, {"nodes", "n1,n2"})},
    {"multiples in exec_host", HEADER TIMES "exec_host=c1/0*13+c2/0*13", SOURCE_RECORD,
     WANTS({"cpus", "26"}, {"node_count", "2"})},
    {"different numbers of cpus are kept with the nodes",
     HEADER TIMES "exec_host=c1/0*8+c2/0*4+c1/1*2", SOURCE_RECORD,
     WANTS({"cpus", "14"}, {"node_count", "2"}, {"nodes", "c1*10,c2*4"}, {"node", "c1"})},
    {"those of exec_vnode, where there is no exec_host",
     HEADER TIMES "exec_vnode=(c1[0]:ncpus=8+c1[1]:ncpus=8)+(c2:ncpus=4)", SOURCE_RECORD,
     WANTS({"cpus", "20"}, {"nodes", "c1*16,c2*4"}, {"node", "c1"})},
    {"not where exec_vnode says other cpus",
     HEADER TIMES "exec_host=c1/0*8+c2/0*4 exec_vnode=(c1:ncpus=8)+(c2:ncpus=8)", SOURCE_RECORD,
     WANTS({"cpus", "16"}, {"nodes", "c1,c2"})},
    {"exec_host does not say the cpus of each node, and exec_vnode does",
     HEADER TIMES "exec_host=c1/0+c2/0 exec_vnode=(c1:ncpus=8+c1:ncpus=4)+(c2:ncpus=4)",
     SOURCE_RECORD, WANTS({"cpus", "16"}, {"node_count", "2"}, {"nodes", "c1*12,c2*4"})},
    {"not where the two name other nodes",
     HEADER TIMES "exec_host=c1/0+c3/0 exec_vnode=(c1:ncpus=8)+(c2:ncpus=4)", SOURCE_RECORD,
     WANTS({"cpus", "12"}, {"nodes", "c1,c3"})},
    {"not where one host does not say them",
     HEADER TIMES "exec_host=c1/0*8+c2 Resource_List.ncpus=8", SOURCE_RECORD,
     WANTS({"cpus", "8"}, {"nodes", "c1,c2"})},
    {"no cpus in exec_host: those of exec_vnode",
     HEADER TIMES
     "exec_host=[h]/0*0 exec_vnode=([h][1]:ngpus=2:ncpus=24+[h][0]:ngpus=2:ncpus=24) "
     "Resource_List.ncpus=40",
     SOURCE_RECORD,
     WANTS({"cpus", "48"}, {"req_cpus", "40"}, {"gpus", "4"}, {"node_count", "1"},
           {"nodes", "[h]"})},
    {"no cpus in exec_host and no exec_vnode: those asked for",
     HEADER TIMES "exec_host=h/0*0 Resource_List.ncpus=12", SOURCE_RECORD,
     WANTS({"cpus", "12"}, {"node", "h"})},
    {"no exec_host at all", HEADER TIMES "Resource_List.nodes=1:ppn=8", SOURCE_RECORD,
     WANTS({"cpus", "8"}, {"node_count", NULL}, {"node", NULL})},
    {"memory in kb and mb",
     HEADER TIMES
     "Resource_List.mem=1993mb resources_used.mem=15240kb resources_used.vmem=143KB",
     SOURCE_RECORD,
     WANTS({"req_mem", "2089811968"}, {"mem_peak", "15605760"}, {"vmem_peak", "146432"},
           {"mem_basis", "job-rss"})},
    {"memory with a point", HEADER TIMES "resources_used.mem=12.27M", SOURCE_RECORD,
     WANTS({"mem_peak", "12866028"})},
    {"memory in bytes and words",
     HEADER TIMES "Resource_List.vmem=143425316860b resources_used.mem=2mw", SOURCE_RECORD,
     WANTS({"req_mem", "143425316860"}, {"mem_peak", "16777216"})},
    {"memory of 0 is a job nobody looked at", HEADER TIMES "resources_used.mem=0kb",
     SOURCE_RECORD, WANTS({"mem_peak", NULL}, {"mem_basis", NULL})},
    {"memory asked for a process is for all of them",
     HEADER TIMES "Resource_List.nodes=2:ppn=4 Resource_List.pmem=2gb", SOURCE_RECORD,
     WANTS({"req_mem", "17179869184"})},
    {"exit status 271 is signal 15", HEADER TIMES "Exit_status=271", SOURCE_RECORD,
     WANTS({"exit_code", "271"}, {"signal", "15"}, {"class", "failed"}, {"state", "271"})},
    {"exit status -11 of Torque is the wall time limit", HEADER TIMES "Exit_status=-11",
     SOURCE_RECORD,
     WANTS({"class", "timeout"}, {"state", "-11"}, {"exit_code", NULL},
           {"reason", "passed its wall time limit"})},
    {"exit status -11 of PBS Pro is a rerun", HEADER TIMES "Exit_status=-11 run_count=1",
     SOURCE_RECORD, WANTS({"class", "requeued"}, {"reason", "was rerun"})},
    {"an exit status nobody told us of", HEADER TIMES "Exit_status=-99", SOURCE_RECORD,
     WANTS({"class", "other"}, {"state", "-99"})},
    {"a signal at the end of the time limit is the limit",
     HEADER TIMES "Resource_List.walltime=01:00:00 Exit_status=271", SOURCE_RECORD,
     WANTS({"class", "timeout"})},
    {"a signal at the memory limit is the limit",
     HEADER TIMES "Resource_List.mem=1gb resources_used.mem=1048576kb Exit_status=265",
     SOURCE_RECORD, WANTS({"class", "oom"})},
    {"keys that a user wrote into an account are not believed",
     HEADER "user=ann account=\"value\" user=root malicious=\"evil\" queue=long " TIMES,
     SOURCE_RECORD,
     WANTS({"user", "ann"}, {"account", "value"}, {"partition", "long"}, {"flags", "64"})},
    {"two starts that differ are refused",
     HEADER "account=\"x\" start=1740820000 y=\"\" " TIMES, SOURCE_REJECT, NULL},
    {"the same start twice is one", HEADER "start=1740816600 " TIMES, SOURCE_RECORD,
     WANTS({"start", "1740816600000000"}, {"flags", "0"})},
    {"quoted values keep their blanks", HEADER "jobname='a \"b\" c' account=\"d e\" " TIMES,
     SOURCE_RECORD, WANTS({"name", "a \"b\" c"}, {"account", "d e"})},
    {"a quote that does not end", HEADER "jobname=\"a " TIMES, SOURCE_RECORD,
     WANTS({"name", "\"a"}, {"start", "1740816600000000"})},
    {"end before start is kept and flagged",
     HEADER "ctime=1740816000 start=1740820200 end=1740816600", SOURCE_RECORD,
     WANTS({"start", "1740820200000000"}, {"end", "1740816600000000"})},
    {"an array's job", "03/01/2025 09:10:00;E;161299[389].head;" TIMES, SOURCE_RECORD,
     WANTS({"job", "161299"}, {"task", "389"}, {"array_job", "161299"})},
    {"an array's job of old", "03/01/2025 09:10:00;E;161299-389.head;" TIMES, SOURCE_RECORD,
     WANTS({"job", "161299"}, {"task", "389"})},
    {"an array as a whole is no run", "03/01/2025 09:10:00;E;161299[].head;" TIMES, SOURCE_SKIP,
     NULL},
    {"an id that is no number", "03/01/2025 09:10:00;E;X1.head;" TIMES, SOURCE_RECORD,
     WANTS({"job", NULL}, {"job_key", "X1.head"})},
    {"gpus inside of nodes", HEADER TIMES "Resource_List.nodes=2:ppn=28:gpus=2:default",
     SOURCE_RECORD, WANTS({"gpus", "4"}, {"req_gpus", "4"}, {"cpus", "56"})},
    {"gpus inside of nodect",
     HEADER TIMES
     "exec_host=n/0-27 Resource_List.nodect=1:ppn=24:gpu=4:reqmem=128849018880:gpu",
     SOURCE_RECORD, WANTS({"gpus", "4"}, {"cpus", "28"}, {"req_cpus", "24"})},
    {"gpus that were given in exec_gpus",
     HEADER TIMES "exec_gpus=n-gpu/0+n-gpu/1 Resource_List.nodes=1:ppn=2:gpus=3", SOURCE_RECORD,
     WANTS({"gpus", "2"}, {"req_gpus", "3"})},
    {"no gpus said is not none", HEADER TIMES "Resource_List.nodes=1:ppn=2", SOURCE_RECORD,
     WANTS({"gpus", NULL}, {"req_gpus", NULL})},
    {"a start record is a run that goes on",
     "03/01/2025 09:10:00;S;77.head;user=ann ctime=1740816000 start=1740816600 "
     "exec_host=n1/0*4",
     SOURCE_RECORD,
     WANTS({"class", "running"}, {"end", NULL}, {"cpus", "4"},
           {"attempt", "1740816600000000"})},
    {"a rerun is an attempt of its own",
     "03/01/2025 09:10:00;R;77.head;" TIMES "exec_host=n1/0 Exit_status=-11 run_count=1",
     SOURCE_RECORD,
     WANTS({"class", "requeued"}, {"attempt", "1740816600000000"},
           {"end", "1740820200000000"})},
    {"a rerun that says nothing", "03/01/2025 09:10:00;R;77.head;", SOURCE_SKIP, NULL},
    {"a deletion is no run", "03/01/2025 09:10:00;D;77.head;requestor=ann@n1", SOURCE_SKIP,
     NULL},
    {"an abortion is no run, even with times in it",
     "03/01/2025 09:10:00;A;77.head;" TIMES "exec_host=n1/0 Exit_status=0", SOURCE_SKIP, NULL},
    {"a phase is no run: its job's end has it all",
     "03/01/2025 09:10:00;u;77.head;" TIMES "exec_host=n1/0", SOURCE_SKIP, NULL},
    {"a letter nobody told us of is not dropped", "03/01/2025 09:10:00;J;77.head;",
     SOURCE_REJECT, NULL},
    {"never started holds nothing",
     HEADER "ctime=1740816000 exec_host=n1/0*4 Resource_List.ncpus=4", SOURCE_RECORD,
     WANTS({"start", NULL}, {"cpus", NULL}, {"node", NULL}, {"req_cpus", "4"})},
    {"queued where it does not say when it was created",
     HEADER "qtime=1740816100 start=1740816600 end=1740820200", SOURCE_RECORD,
     WANTS({"submit", "1740816100000000"}, {"eligible", NULL})},
    {"created at 0 is not said either",
     HEADER "ctime=0 qtime=1740816100 start=1740816600 end=1740820200", SOURCE_RECORD,
     WANTS({"submit", "1740816100000000"})},
    {"created before it was queued",
     HEADER "ctime=1740816000 qtime=1740816100 start=1740816600", SOURCE_RECORD,
     WANTS({"submit", "1740816000000000"})},
    {"the most cpus of several ways to ask",
     HEADER TIMES "Resource_List.select=1:ncpus=2 Resource_List.neednodes=2:ppn=4",
     SOURCE_RECORD, WANTS({"req_cpus", "8"}, {"req_nodes", "1"})},
    {"also where that is the first of them",
     HEADER TIMES "Resource_List.select=2:ncpus=4 Resource_List.neednodes=1:ppn=2",
     SOURCE_RECORD, WANTS({"req_cpus", "8"}, {"req_nodes", "2"})},
    {"cpus asked for as processes", HEADER TIMES "Resource_List.procs=6 Resource_List.ncpus=1",
     SOURCE_RECORD, WANTS({"req_cpus", "6"}, {"cpus", "6"})},
    {"a signal at the limit on cpu time is the limit",
     HEADER TIMES "Resource_List.walltime=10:00:00 Resource_List.cput=00:30:00 "
                  "resources_used.cput=00:30:00 Exit_status=271",
     SOURCE_RECORD, WANTS({"class", "timeout"})},
    {"a signal below it is not",
     HEADER TIMES "Resource_List.walltime=10:00:00 Resource_List.cput=00:30:00 "
                  "resources_used.cput=00:29:59 Exit_status=271",
     SOURCE_RECORD, WANTS({"class", "failed"})},
    {"a signal a second before the time limit is the limit",
     HEADER TIMES "Resource_List.walltime=01:00:01 Exit_status=271", SOURCE_RECORD,
     WANTS({"class", "timeout"})},
    {"a signal two seconds before it is not",
     HEADER TIMES "Resource_List.walltime=01:00:02 Exit_status=271", SOURCE_RECORD,
     WANTS({"class", "failed"})},
    {"a signal at the limit on virtual memory is the limit",
     HEADER TIMES "Resource_List.vmem=1gb resources_used.vmem=1048576kb Exit_status=265",
     SOURCE_RECORD, WANTS({"class", "oom"})},
    {"a signal below that is not",
     HEADER TIMES "Resource_List.vmem=1gb resources_used.vmem=1048575kb Exit_status=265",
     SOURCE_RECORD, WANTS({"class", "failed"})},
    {"a start of 0 is none", HEADER "ctime=1740816000 start=0 exec_host=n1/0*4", SOURCE_RECORD,
     WANTS({"start", NULL}, {"cpus", NULL})},
};

static void record_becomes_its_run(void **state)
{
    const struct record_row *row = *state;
    struct reading r;
    read_first(&r, &pbs_driver, str_of(row->line), NULL);
    expect_int(r.step, row->step);
    if (row->wants) {
        expect_wants(&r.run, row->wants);
    }
    expect_int(r.step == SOURCE_REJECT, r.err.text[0] != '\0');
    reading_release(&r);
}

/* The two records of one run have one identity, whichever comes first. */
static void start_and_end_are_the_same_run(void **state)
{
    (void)state;
    struct reading start;
    struct reading end;
    read_first(&start, &pbs_driver,
               STR("03/01/2025 08:10:00;S;77[3].head;user=ann " TIMES "exec_host=n1/0*4"),
               NULL);
    read_first(&end, &pbs_driver,
               STR("03/01/2025 09:10:00;E;77[3].head;user=ann " TIMES "exec_host=n1/0*4"),
               NULL);
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & FIELD_KEY) {
            expect_int(run_has(&start.run, i), run_has(&end.run, i));
        }
    }
    expect_int(start.run.job, end.run.job);
    expect_int(start.run.task, end.run.task);
    expect_int(start.run.attempt, end.run.attempt);
    reading_release(&start);
    reading_release(&end);
}

/* Half a line of a file that is being written may look like a record, of another start. */
static void half_a_line_is_not_believed(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct source_cursor cursor = {.rest = STR("03/01/2025 09:10:00;E;77.head;start=17408166"),
                                   .next_line = 1,
                                   .arena = &arena};
    struct run run = {0};
    struct error err = {0};
    expect_int(pbs_driver.next(NULL, &cursor, &run, &err), SOURCE_REJECT);
    expect_contains(err.text, "line end");
    arena_release(&arena);
}

/* The header is in the zone of the site, in summer and winter. */
static void header_time_stands_for_a_missing_end(void **state)
{
    (void)state;
    struct error err;
    struct zone *zone = NULL;
    assert_int_equal(zone_open("Europe/Oslo", &zone, &err), 0);
    struct reading r;
    read_first(&r, &pbs_driver, STR("07/01/2025 14:00:00;E;77.head;start=1751367600"), zone);
    expect_field(&r, end, INT64_C(1751371200) * SECOND_US); /* 12:00 UTC */
    reading_release(&r);
    read_first(&r, &pbs_driver, STR("01/01/2025 14:00:00;S;77.head;user=ann"), zone);
    expect_field(&r, start, INT64_C(1735736400) * SECOND_US); /* 13:00 UTC */
    reading_release(&r);
    zone_close(zone);
}

struct size_row {
    const char *name;
    int64_t bytes; /* -1: no size */
};

static const struct size_row size_rows[] = {
    {"0", 0},      {"123", 123},      {"123b", 123},
    {"123B", 123}, {"1kb", 1024},     {"1Kb", 1024},
    {"1KB", 1024}, {"1k", 1024},      {"1w", 8},
    {"1kw", 8192}, {"2MW", 16777216}, {"-1", -1},
    {"", -1},      {"w", -1},         {"kb", -1},
    {"1zb", -1},   {"1.5kb", 1536},   {"9999999999999gw", -1},
};

static void size_is_read(void **state)
{
    const struct size_row *row = *state;
    int64_t bytes = -1;
    bool good = pbs_size(str_of(row->name), &bytes);
    expect_int(good ? bytes : -1, row->bytes);
}

struct hosts_row {
    const char *name;
    int64_t cpus; /* -1: cannot be read */
    int64_t nodes;
};

static const struct hosts_row hosts_rows[] = {
    {"n1/0", 1, 1},
    {"n1/24", 1, 1},
    {"n1/0*24", 24, 1},
    {"n1/0-3", 4, 1},
    {"n1/0-3*2", 8, 1},
    {"n1/1,3,5-7,9,12-14+n2/4-6", 12, 2},
    {"n1", 0, 1},
    {"n1+n2/0", 0, 2},
    {"n1/0*0", 0, 1},
    {"/0", -1, 0},
    {"n1/", -1, 0},
    {"n1/a", -1, 0},
    {"n1/3-1", -1, 0},
    {"n1/0+", -1, 0},
    {"n1/0*99999999999999999", -1, 0},
    {"n1/0-9223372036854775807", -1, 0},
};

static void exec_host_is_read(void **state)
{
    const struct hosts_row *row = *state;
    struct arena arena = {0};
    struct hosts hosts = {.arena = &arena};
    int64_t cpus = 0;
    bool good = pbs_exec_host(str_of(row->name), &hosts, &cpus);
    expect_int(good ? cpus : -1, row->cpus);
    if (good) {
        expect_int((int64_t)hosts.count, row->nodes);
    }
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, record_becomes_its_run, record_rows);
    SUITE_TEST(&suite, start_and_end_are_the_same_run);
    SUITE_TEST(&suite, half_a_line_is_not_believed);
    SUITE_TEST(&suite, header_time_stands_for_a_missing_end);
    SUITE_ROWS(&suite, size_is_read, size_rows);
    SUITE_ROWS(&suite, exec_host_is_read, hosts_rows);
    return suite_run(&suite, "pbs");
}
