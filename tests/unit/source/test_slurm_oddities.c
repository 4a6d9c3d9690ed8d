/* SPDX-License-Identifier: MIT */
#include "base/zone.h"
#include "unit/source/slurm_reader.h"

/*
 * Shapes of records that have broken other readers of sacct, each with what is right to do. The
 * names are those the field gives them.
 */

/* 2022-06-25T19:05:48Z */
#define SUBMIT_US (INT64_C(1656183948) * SECOND_US)

static void array_task_set_with_throttle_is_one_pending_record(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|JobName|MaxRSS|TotalCPU|ReqMem|NNodes|Timelimit|State|Elapsed|User|"
                   "Account|Cluster|ExitCode\n"
                   "123456_[9201-10000%500]|jobname||00:00:00|3Gn|1|05:00:00|PENDING|00:00:00|"
                   "user1|user1|foocluster|0:0\n");
    const struct run *run = slurm_run_at(&r, 0);
    expect_run(run, job, 123456);
    expect_run(run, array_job, 123456);
    expect_run_absent(run, task);
    expect_run(run, task_count, 800);
    expect_run_text(run, class, "pending");
    expect_run(run, req_mem_bytes, INT64_C(3) << 30);
    expect_run_absent(run, cpu_used_us);
    slurm_reading_release(&r);
}

struct id_row {
    const char *name; /* the id */
    bool good;
    int64_t task;  /* -1: none */
    int64_t count; /* -1: unknown */
    int64_t het;   /* -1: none */
};

static const struct id_row id_rows[] = {
    {"4103947", true, -1, -1, -1},
    {"4103947_100", true, 100, -1, -1},
    {"4103947_[1-3]", true, -1, 3, -1},
    {"4103947_[1,5]", true, -1, 2, -1},
    {"4103947_[9-11,13,16-20]", true, -1, 9, -1},
    {"4103947_[0-15:4%2]", true, -1, 4, -1},
    {"4103947_[1,3,5,7,...]", true, -1, -1, -1}, /* cut to SLURM_BITSTR_LEN */
    {"1000+0", true, -1, -1, 0},
    {"1000+1", true, -1, -1, 1},
    {"4103947_", false, 0, 0, 0},
    {"4103947_[", false, 0, 0, 0},
    {"4103947_[3-1]", false, 0, 0, 0},
    {"4103947_x", false, 0, 0, 0},
    {"99999999999", false, 0, 0, 0},
    {"12a", false, 0, 0, 0},
};

static void array_id_forms_are_read(void **state)
{
    const struct id_row *row = *state;
    struct slurm_reading r;
    char text[256];
    (void)snprintf(text, sizeof(text), "JobID|State|NCPUS\n%s|PENDING|1\n", row->name);
    slurm_read(&r, text);
    expect_uint(r.records, row->good);
    if (row->good) {
        const struct run *run = slurm_run_at(&r, 0);
        expect_int(RUN_HAS(run, task) ? run->task : -1, row->task);
        expect_int(RUN_HAS(run, task_count) ? run->task_count : -1, row->count);
        expect_int(RUN_HAS(run, het) ? run->het : -1, row->het);
    }
    slurm_reading_release(&r);
}

static void pipe_in_job_name_or_workdir_moves_no_column(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|JobName|User|Submit|State|WorkDir|NCPUS\n"
                   "7|crazy|name|ann|2022-06-25T19:05:48|COMPLETED|/tmp|2\n"
                   "8|plain|ann|2022-06-25T19:05:48|COMPLETED|/home/a|b|4\n"
                   "9|a|b|ann|2022-06-25T19:05:48|COMPLETED|/x|y|8\n");
    expect_run_text(slurm_run_at(&r, 0), name, "crazy|name");
    expect_run_text(slurm_run_at(&r, 0), user, "ann");
    expect_run(slurm_run_at(&r, 0), flags, RUN_FLAG_FIELDS_ODD);
    expect_run_text(slurm_run_at(&r, 1), work_dir, "/home/a|b");
    expect_run(slurm_run_at(&r, 1), req_cpus, 4);
    expect_run_text(slurm_run_at(&r, 2), name, "a|b");
    expect_run_text(slurm_run_at(&r, 2), work_dir, "/x|y");
    slurm_reading_release(&r);
}

static void pipes_that_can_be_told_apart_in_two_ways_are_refused(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|JobName|User|Comment|State\n7|a|b|c|d|COMPLETED\n");
    expect_uint(r.rejects, 1);
    expect_contains(r.items[0].error, "in several");
    slurm_reading_release(&r);
}

static void newline_inside_submit_line_is_one_record(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|State|SubmitLine|Timelimit|TotalCPU\n"
                   "5|COMPLETED|srun  --interactive --pty bash -c echo hello &&\n"
                   "echo goodbye|20:00:00|00:00.042\n"
                   "6|COMPLETED|sbatch a.sh|20:00:00|00:01.000\n");
    expect_uint(r.records, 2);
    expect_run_text(slurm_run_at(&r, 0), command,
                    "srun  --interactive --pty bash -c echo hello &&\necho goodbye");
    expect_run(slurm_run_at(&r, 0), cpu_used_us, 42000);
    expect_run(slurm_run_at(&r, 1), job, 6);
    expect_uint(r.items[1].line, 4);
    slurm_reading_release(&r);
}

static void newline_inside_the_last_column_is_part_of_it(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|State|JobName\n5|COMPLETED|two\n\nlines\n6|COMPLETED|x\n\n");
    expect_uint(r.records, 2);
    expect_run_text(slurm_run_at(&r, 0), name, "two\n\nlines");
    expect_run_text(slurm_run_at(&r, 1), name, "x");
    slurm_reading_release(&r);
}

static void a_message_between_rows_costs_no_row(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r,
               "JobID|JobName|State|NCPUS\n5|a|COMPLETED|1\nsacct: error: lost the database\n"
               "6|b|COMPLETED|1\n");
    expect_uint(r.records, 2);
    expect_uint(r.rejects, 1);
    expect_contains(r.items[1].error, "does not begin with a job id");
    slurm_reading_release(&r);
}

static void start_none_of_a_job_cancelled_before_start_means_no_use(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r,
               "State|JobID|NCPUS|ReqMem|NNodes|Constraints|Submit|Eligible|Start|Elapsed|"
               "Suspended|End\n"
               "CANCELLED by 39|5|1|14947M|1|c7&x86_64&t3.xlarge&ondemand|2022-06-25T19:05:48|"
               "2022-06-25T19:07:49|None|00:00:00|00:00:00|2022-06-25T19:23:16\n"
               "RUNNING|6|8|1G|1||2022-06-25T19:05:48|Unknown|2022-06-25T19:07:49|00:10:00|"
               "00:00:00|Unknown\n");
    const struct run *run = slurm_run_at(&r, 0);
    expect_run_absent(run, start);
    expect_run_absent(run, cpus);
    expect_run(run, req_cpus, 1);
    expect_run(run, end, SUBMIT_US + 1048 * SECOND_US);
    expect_run(run, attempt, SUBMIT_US);
    const struct run *running = slurm_run_at(&r, 1);
    expect_run(running, start, SUBMIT_US + 121 * SECOND_US);
    expect_run_absent(running, end);
    expect_run_absent(running, eligible);
    expect_run(running, cpus, 8);
    slurm_reading_release(&r);
}

/* phillips of the XDMoD tests: Start is the time of the cancellation. */
static void start_at_the_cancellation_without_nodes_is_no_start(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|Submit|Start|End|Elapsed|State|NCPUS|NodeList\n"
                   "1|2016-12-31T06:30:49|2016-12-31T16:53:22|2016-12-31T16:53:22|00:00:00|"
                   "CANCELLED by 330719|8|None assigned\n");
    expect_run_absent(slurm_run_at(&r, 0), start);
    expect_run_absent(slurm_run_at(&r, 0), cpus);
    expect_run_absent(slurm_run_at(&r, 0), nodes);
    slurm_reading_release(&r);
}

struct limit_row {
    const char *name; /* the text */
    int64_t seconds;  /* -1: absent */
};

static const struct limit_row limit_rows[] = {
    {"UNLIMITED", -1},
    {"Partition_Limit", -1},
    {"INVALID", -1},
    {"NOT_SET", -1},
    {"", -1},
    {"365-00:00:00", 31536000},
    {"05:00:00", 18000},
    {"10", 600},
    {"3-13", 3 * 86400 + 13 * 3600},
    {"00:01:00", 60},
};

static void timelimit_words_are_no_limit(void **state)
{
    const struct limit_row *row = *state;
    struct slurm_reading r;
    char text[256];
    (void)snprintf(text, sizeof(text), "JobID|Timelimit|State\n1|%s|COMPLETED\n", row->name);
    slurm_read(&r, text);
    const struct run *run = slurm_run_at(&r, 0);
    expect_int(RUN_HAS(run, req_wall_us) ? run->req_wall_us / SECOND_US : -1, row->seconds);
    slurm_reading_release(&r);
}

struct mem_row {
    const char *name; /* the text; of a job with 4 nodes and 8 cpus */
    int64_t mib;      /* -1: absent; -2: refused */
};

static const struct mem_row mem_rows[] = {
    {"3000Mc", 8 * 3000},
    {"48000Mn", 4 * 48000},
    {"62.50Gn", 4 * 64000},
    {"0n", -1},
    {"0", -1},
    {"2147486648Mn", 8 * 3000},
    {"2252800K", 2200},
    {"100Gn", 4 * 102400},
    {"1.50T", 1572864},
    {"24000M", 24000},
    {"16?", 4 * 16},
    {"", -1},
    {"100Mcd", -2},
    {"0.07Mnz", -2},
    {"18GG", -2},
    {"20H", -2},
    {"54J", -2},
    {"-5M", -2},
};

static void reqmem_suffixes_and_invalid_texts(void **state)
{
    const struct mem_row *row = *state;
    struct slurm_reading r;
    char text[256];
    (void)snprintf(text, sizeof(text),
                   "JobID|ReqMem|State|NNodes|NCPUS\n1|%s|COMPLETED|4|8\n2|1M|COMPLETED|1|1\n",
                   row->name);
    slurm_read(&r, text);
    expect_uint(r.rejects, row->mib == -2);
    if (row->mib >= -1) {
        const struct run *run = slurm_run_at(&r, 0);
        expect_int(RUN_HAS(run, req_mem_bytes) ? run->req_mem_bytes >> 20 : -1, row->mib);
    }
    expect_run(slurm_run_at(&r, 1), req_mem_bytes, 1 << 20);
    slurm_reading_release(&r);
}

struct cpu_row {
    const char *name; /* the text */
    int64_t ms;       /* -1: refused */
};

static const struct cpu_row cpu_rows[] = {
    {"8-15:40:36", INT64_C(747636000)},
    {"01:09:18", 4158000},
    {"01:05.753", 65753},
    {"451-06:00:24", INT64_C(38988024000)},
    {"04:02.123", 242123},
    {"-16", -1},
    {"-0:00:16", -1},
    {"asdf", -1},
};

static void totalcpu_forms_and_negative_times(void **state)
{
    const struct cpu_row *row = *state;
    struct slurm_reading r;
    char text[256];
    (void)snprintf(text, sizeof(text), "JobID|TotalCPU|State\n1|%s|COMPLETED\n", row->name);
    slurm_read(&r, text);
    expect_uint(r.rejects, row->ms < 0);
    if (row->ms >= 0) {
        expect_run(slurm_run_at(&r, 0), cpu_used_us, row->ms * 1000);
    }
    slurm_reading_release(&r);
}

static void state_with_suffix_tells_the_canceller(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r,
               "JobID|State|NCPUS\n1|CANCELLED by 380693|1\n2|FOO_BAR|1\n3|COMPLETED by|1\n");
    expect_run_text(slurm_run_at(&r, 0), state, "CANCELLED");
    expect_run_text(slurm_run_at(&r, 0), class, "cancelled");
    expect_run_text(slurm_run_at(&r, 0), reason, "by 380693");
    expect_run_text(slurm_run_at(&r, 1), state, "FOO_BAR");
    expect_run_text(slurm_run_at(&r, 1), class, "other");
    expect_uint(r.rejects, 1);
    slurm_reading_release(&r);
}

static void elapsed_that_contradicts_start_and_end_is_flagged(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|Start|End|Elapsed|State|NodeList\n"
                   "1|2017-06-30T23:54:04|2017-06-30T23:54:05|2-23:24:40|COMPLETED|n1\n");
    const struct run *run = slurm_run_at(&r, 0);
    expect_int(run->end - run->start, SECOND_US);
    expect_run(run, flags, RUN_FLAG_CLOCKS_DISAGREE);
    slurm_reading_release(&r);
}

static void ncpus_0_with_nodes_listed_has_no_core_time(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r,
               "JobID|Partition|Submit|Eligible|Start|End|Elapsed|State|NNodes|NCPUS|ReqCPUS|"
               "ReqMem|ReqTRES|AllocTRES|Timelimit|NodeList|JobName\n"
               "5692623||2016-08-01T06:01:08|Unknown|2016-08-01T07:04:09|2016-08-01T07:04:09|"
               "00:00:00|COMPLETED|0|0|0|0n||gres/gpu=2||cpn-k16-35-01,cpn-k16-37-01|"
               "allocation\n");
    const struct run *run = slurm_run_at(&r, 0);
    expect_run(run, cpus, 0);
    expect_run(run, gpus, 2);
    expect_run(run, start, run->end);
    expect_run_absent(run, req_mem_bytes);
    expect_run_absent(run, partition);
    slurm_reading_release(&r);
}

/* NNodes is what the job had; the list is kept as it is. */
static void nnodes_that_disagrees_with_the_node_list_is_believed(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|Start|State|NNodes|AllocTRES|NodeList\n"
                   "1|2017-06-30T23:54:04|RUNNING|9|cpu=9,node=1|n[1-9]\n");
    expect_run(slurm_run_at(&r, 0), node_count, 9);
    expect_run_text(slurm_run_at(&r, 0), nodes, "n[1-9]");
    expect_run_text(slurm_run_at(&r, 0), node, "n1");
    slurm_reading_release(&r);
}

static void requeued_job_is_a_run_a_row(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(
        &r, "JobID|Submit|Start|End|State|NCPUS\n"
            "235929|2022-06-25T19:05:48|2022-06-25T19:06:00|2022-06-25T20:10:49|REQUEUED|4\n"
            "235929|2022-06-25T20:10:49|2022-06-25T20:13:00|2022-06-25T21:13:00|PREEMPTED|4\n"
            "235929|2022-06-25T21:13:00|2022-06-25T21:15:00|2022-06-25T21:50:00|COMPLETED|4\n");
    expect_uint(r.records, 3);
    expect_run_text(slurm_run_at(&r, 0), class, "requeued");
    expect_run_text(slurm_run_at(&r, 1), class, "requeued");
    expect_run_text(slurm_run_at(&r, 2), class, "completed");
    expect_run(slurm_run_at(&r, 0), attempt, SUBMIT_US);
    expect_true(slurm_run_at(&r, 1)->attempt != slurm_run_at(&r, 2)->attempt);
    slurm_reading_release(&r);
}

static void job_ids_that_wrap_are_different_runs(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(
        &r, "JobID|Submit|Start|End|State\n"
            "12728301|2017-01-01T00:00:00|2017-01-01T00:00:01|2017-01-01T01:00:00|COMPLETED\n"
            "12728301|2026-01-01T00:00:00|2026-01-01T00:00:01|Unknown|RUNNING\n");
    expect_true(slurm_run_at(&r, 0)->attempt != slurm_run_at(&r, 1)->attempt);
    slurm_reading_release(&r);
}

static void suspended_time_is_kept_and_no_contradiction(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|Start|End|Elapsed|Suspended|State\n"
                   "45|2022-06-25T19:00:00|2022-06-25T20:00:00|00:20:00|00:40:00|COMPLETED\n");
    expect_run(slurm_run_at(&r, 0), suspended_us, 2400 * SECOND_US);
    expect_run(slurm_run_at(&r, 0), flags, 0);
    slurm_reading_release(&r);
}

static void step_longer_than_its_job_changes_no_time(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r,
               "JobID|Start|End|Elapsed|State|MaxRSS\n"
               "1|2019-07-31T22:29:14|2019-08-01T02:02:39|03:33:25|COMPLETED|\n"
               "1.batch|2019-07-31T22:29:14|2019-08-01T02:03:10|03:33:56|COMPLETED|231092K\n");
    const struct run *run = slurm_run_at(&r, 0);
    expect_int(run->end - run->start, 12805 * SECOND_US);
    expect_uint(r.records, 1);
    slurm_reading_release(&r);
}

static void reqnodes_with_a_unit_is_a_count(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|ReqNodes|State\n1|0.00K|COMPLETED\n2|2K|COMPLETED\n");
    expect_run_absent(slurm_run_at(&r, 0), req_nodes);
    expect_run(slurm_run_at(&r, 1), req_nodes, 2048);
    slurm_reading_release(&r);
}

static void het_job_components_are_told_apart(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|JobIDRaw|State|MaxRSS\n"
                   "1000+0|1000|COMPLETED|\n1000+0.batch|1000.batch|COMPLETED|1M\n"
                   "1000+1|1001|COMPLETED|\n1000+1.batch|1001.batch|COMPLETED|2M\n");
    expect_uint(r.records, 2);
    expect_run(slurm_run_at(&r, 1), job, 1000);
    expect_run(slurm_run_at(&r, 1), het, 1);
    expect_run(slurm_run_at(&r, 1), job_raw, 1001);
    expect_run(slurm_run_at(&r, 1), mem_peak_bytes, 2 << 20);
    slurm_reading_release(&r);
}

static void non_utf8_job_name_is_kept(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r,
               "JobID|JobName|State\n1|\xef\xbf\xbd non-utf8|COMPLETED\n2|caf\xe9|COMPLETED\n");
    expect_run_text(slurm_run_at(&r, 0), name, "\xef\xbf\xbd non-utf8");
    expect_run_text(slurm_run_at(&r, 1), name, "caf\xc3\xa9");
    expect_run(slurm_run_at(&r, 1), flags, RUN_FLAG_RECODED);
    slurm_reading_release(&r);
}

static void utf8_user_and_job_name_are_kept(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|User|JobName|State\n1|fa\xc3\xa7"
                   "ade|sch\xc3\xb3n Stra\xc3\x9f"
                   "e|COMPLETED\n");
    expect_run_text(slurm_run_at(&r, 0), user,
                    "fa\xc3\xa7"
                    "ade");
    expect_run_text(slurm_run_at(&r, 0), name,
                    "sch\xc3\xb3n Stra\xc3\x9f"
                    "e");
    slurm_reading_release(&r);
}

struct gres_row {
    const char *name; /* the column, =, the text */
    int64_t gpus;
    const char *type; /* or NULL */
};

static const struct gres_row gres_rows[] = {
    {"AllocGRES=gpu:h100:4(IDX:0-3)", 4, "h100"},
    {"AllocGRES=gpu:h100:0(IDX:N/A)", 0, "h100"},
    {"AllocGRES=gpu:tesla:3,gpu:nvidia:1", 4, "tesla,nvidia"},
    {"AllocGRES=lustre:ddn:4,gpu:nvidia:2(IDX:0,3)", 2, "nvidia"},
    {"AllocGRES=gpu:2", 2, NULL},
    {"AllocTRES=cpu=1,gres/gpu:a100=1,gres/gpu=1", 1, "a100"},
    {"AllocTRES=cpu=1,gres/gpu=1,gres/gpu:a100=1", 1, "a100"},
    {"AllocTRES=billing=1,cpu=1,gres/gpu:p100=1,mem=125G,node=1", 1, "p100"},
    {"AllocTRES=gres/gpu:a100=2,gres/gpu:h100=1,gres/gpu=3", 3, "a100,h100"},
    {"AllocTRES=cpu=1,gres/gpu:1g.10gb=2,gres/gpu=2", 2, "1g.10gb"},
    {"AllocTRES=cpu=1,gres/shard=8", 0, NULL},
    {"AllocTRES=cpu=1,mem=1G", 0, NULL},
};

static void gres_of_every_age_is_counted_once(void **state)
{
    const struct gres_row *row = *state;
    struct slurm_reading r;
    struct str value = str_of(row->name);
    struct str column = str_cut(&value, '=');
    char text[256];
    (void)snprintf(text, sizeof(text), "JobID|Start|State|%.*s\n1|1700000000|RUNNING|%.*s\n",
                   STR_ARG(column), STR_ARG(value));
    slurm_read(&r, text);
    const struct run *run = slurm_run_at(&r, 0);
    expect_run(run, gpus, row->gpus);
    expect_int(RUN_HAS(run, gpu_type), row->type != NULL);
    if (row->type) {
        expect_run_text(run, gpu_type, row->type);
    }
    slurm_reading_release(&r);
}

struct node_row {
    const char *name; /* the list */
    const char *first;
};

static const struct node_row node_rows[] = {
    {"d13n[03,05,07-08,16]", "d13n03"},
    {"cpn-f13-03-[01-02],cpn-f13-04-[01-02]", "cpn-f13-03-01"},
    {"a,b", "a"},
    {"n[1-2]-ib,c", "n1-ib"},
    {"host[01-10", "host01"},
    {"host[01-10[01-10]]", "host01]"},
    {"host[000000001-999999999]", "host000000001"}, /* never expanded */
};

static void hostlists_are_kept_and_never_expanded(void **state)
{
    const struct node_row *row = *state;
    struct slurm_reading r;
    char text[256];
    (void)snprintf(text, sizeof(text), "JobID|Start|State|NodeList\n1|1700000000|RUNNING|%s\n",
                   row->name);
    slurm_read(&r, text);
    expect_run_text(slurm_run_at(&r, 0), nodes, row->name);
    expect_run_text(slurm_run_at(&r, 0), node, row->first);
    slurm_reading_release(&r);
}

static void priority_that_wrapped_is_a_number(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|Priority|State\n1|4294881265|PENDING\n");
    expect_run(slurm_run_at(&r, 0), priority, INT64_C(4294881265));
    slurm_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, array_task_set_with_throttle_is_one_pending_record);
    SUITE_ROWS(&suite, array_id_forms_are_read, id_rows);
    SUITE_TEST(&suite, pipe_in_job_name_or_workdir_moves_no_column);
    SUITE_TEST(&suite, pipes_that_can_be_told_apart_in_two_ways_are_refused);
    SUITE_TEST(&suite, newline_inside_submit_line_is_one_record);
    SUITE_TEST(&suite, newline_inside_the_last_column_is_part_of_it);
    SUITE_TEST(&suite, a_message_between_rows_costs_no_row);
    SUITE_TEST(&suite, start_none_of_a_job_cancelled_before_start_means_no_use);
    SUITE_TEST(&suite, start_at_the_cancellation_without_nodes_is_no_start);
    SUITE_ROWS(&suite, timelimit_words_are_no_limit, limit_rows);
    SUITE_ROWS(&suite, reqmem_suffixes_and_invalid_texts, mem_rows);
    SUITE_ROWS(&suite, totalcpu_forms_and_negative_times, cpu_rows);
    SUITE_TEST(&suite, state_with_suffix_tells_the_canceller);
    SUITE_TEST(&suite, elapsed_that_contradicts_start_and_end_is_flagged);
    SUITE_TEST(&suite, ncpus_0_with_nodes_listed_has_no_core_time);
    SUITE_TEST(&suite, nnodes_that_disagrees_with_the_node_list_is_believed);
    SUITE_TEST(&suite, requeued_job_is_a_run_a_row);
    SUITE_TEST(&suite, job_ids_that_wrap_are_different_runs);
    SUITE_TEST(&suite, suspended_time_is_kept_and_no_contradiction);
    SUITE_TEST(&suite, step_longer_than_its_job_changes_no_time);
    SUITE_TEST(&suite, reqnodes_with_a_unit_is_a_count);
    SUITE_TEST(&suite, het_job_components_are_told_apart);
    SUITE_TEST(&suite, non_utf8_job_name_is_kept);
    SUITE_TEST(&suite, utf8_user_and_job_name_are_kept);
    SUITE_ROWS(&suite, gres_of_every_age_is_counted_once, gres_rows);
    SUITE_ROWS(&suite, hostlists_are_kept_and_never_expanded, node_rows);
    SUITE_TEST(&suite, priority_that_wrapped_is_a_number);
    return suite_run(&suite, "slurm_oddities");
}
