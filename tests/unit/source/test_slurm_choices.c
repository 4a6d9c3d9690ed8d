/* SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "unit/source/reader.h"
#include "unit/source/slurm_reader.h"

/*
 * Where a value comes from when the column that has it does not say: what Elapsed and Suspended lead to, whether a job
 * started, and what is too large to be true.
 */

struct choice_row {
    const char *name;
    const char *columns, *values; /* beside JobID */
    const struct want *wants;
};

#define TIMES "State|Start|End|Elapsed|Suspended"
#define START "1700000000"
#define AT(s) #s "000000"

static const struct choice_row choice_rows[] = {
    /* whether it started */
    {"a job that a federation revoked ran elsewhere", "State|Start|End|Elapsed|NCPUS|NodeList",
     "REVOKED|" START "|1700000600|00:10:00|4|n1",
     WANTS({"start", NULL}, {"end", AT(1700000600)}, {"class", "cancelled"}, {"cpus", NULL})},
    {"a job that was cancelled on its node had started", "State|Start|End|NCPUS|NodeList",
     "CANCELLED by 5|" START "|" START "|4|n1",
     WANTS({"start", AT(1700000000)}, {"cpus", "4"}, {"reason", "by 5"})},
    {"no node and no time: it never started", "State|Start|End|Elapsed|NNodes|NCPUS",
     "FAILED|" START "|" START "|00:00:00|0|4",
     WANTS({"start", NULL}, {"end", AT(1700000000)}, {"cpus", NULL})},
    {"a node and no time: it failed at once", "State|Start|End|Elapsed|NNodes|NCPUS",
     "FAILED|" START "|" START "|00:00:00|1|4",
     WANTS({"start", AT(1700000000)}, {"cpus", "4"})},
    {"no node, and it took time", "State|Start|End|Elapsed|NNodes|NCPUS",
     "CANCELLED by 5|" START "|1700000001|00:00:01|0|4",
     WANTS({"start", AT(1700000000)}, {"cpus", "4"})},
    /* until when */
    {"a run that goes on is seen after what it ran", TIMES,
     "RUNNING|" START "|Unknown|00:10:00|00:00:00",
     WANTS({"seen", AT(1700000600)}, {"end", NULL}, {"flags", "4096"})},
    {"and after what it was suspended", TIMES, "RUNNING|" START "|Unknown|00:10:00|00:05:00",
     WANTS({"seen", AT(1700000900)}, {"end", NULL}, {"suspended", "300000000"})},
    {"a run that is suspended too", TIMES, "SUSPENDED|" START "|Unknown|00:10:00|00:05:00",
     WANTS({"seen", AT(1700000900)}, {"class", "suspended"})},
    {"a run that waits is not seen to run", TIMES, "PENDING|Unknown|Unknown|00:00:00|00:00:00",
     WANTS({"seen", NULL}, {"start", NULL}, {"flags", "0"})},
    {"the end that Slurm lost is after what it ran and was suspended", TIMES,
     "COMPLETED|" START "|Unknown|00:10:00|00:05:00",
     WANTS({"end", AT(1700000900)}, {"seen", NULL}, {"flags", "0"})},
    /* clocks */
    {"clocks a minute apart agree", TIMES, "COMPLETED|" START "|1700000100|00:00:40|00:00:00",
     WANTS({"flags", "0"})},
    {"clocks more than a minute apart do not", TIMES,
     "COMPLETED|" START "|1700000100|00:00:39|00:00:00", WANTS({"flags", "32"})},
    {"a minute more than there was", TIMES, "COMPLETED|" START "|1700000100|00:02:40|00:00:00",
     WANTS({"flags", "0"})},
    {"more than a minute more than there was", TIMES,
     "COMPLETED|" START "|1700000100|00:02:41|00:00:00", WANTS({"flags", "32"})},
    {"what was suspended is no difference", TIMES,
     "COMPLETED|" START "|1700000600|00:05:00|00:05:00", WANTS({"flags", "0"})},
    /* limits */
    {"the last signal", "State|ExitCode", "FAILED|0:64",
     WANTS({"signal", "64"}, {"exit_code", "0"})},
    {"no signal", "State|ExitCode", "OUT_OF_MEMORY|0:125",
     WANTS({"signal", NULL}, {"exit_code", "0"}, {"class", "oom"})},
    {"the first number that is no signal", "State|ExitCode", "FAILED|1:65",
     WANTS({"signal", NULL}, {"exit_code", "1"})},
    {"a limit of no time is none", "State|Timelimit", "COMPLETED|00:00:00",
     WANTS({"time_limit", NULL})},
    {"a limit of a minute", "State|Timelimit", "COMPLETED|00:01:00",
     WANTS({"time_limit", "60000000"})},
};

static void value_comes_from(void **state)
{
    const struct choice_row *row = *state;
    struct slurm_reading r;
    struct buf text;
    buf_init(&text, 1 << 16);
    buf_addf(&text, "JobID|%s\n7|%s\n", row->columns, row->values);
    slurm_read(&r, text.ptr);
    buf_release(&text);
    expect_wants(slurm_run_at(&r, 0), row->wants);
    slurm_reading_release(&r);
}

/* The database of this cluster does not record GPUs: only the command line says that the second component asked for some. */
static void a_component_has_its_own_part_of_the_command_line(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|State|Start|End|AllocTRES|ReqTRES|SubmitLine\n"
                   "7+0|COMPLETED|1700000000|1700000100|cpu=1,node=1|cpu=1,node=1|"
                   "sbatch -n1 : --gpus=2 : -n2 x\n"
                   "7+1|COMPLETED|1700000000|1700000100|cpu=1,node=1|cpu=1,node=1|"
                   "sbatch -n1 : --gpus=2 : -n2 x\n"
                   "7+2|COMPLETED|1700000000|1700000100|cpu=1,node=1|cpu=1,node=1|"
                   "sbatch -n1 : --gpus=2 : -n2 x\n");
    expect_run(slurm_run_at(&r, 0), gpus, 0);
    expect_run_absent(slurm_run_at(&r, 1), gpus);
    expect_run_absent(slurm_run_at(&r, 1), req_gpus);
    expect_run(slurm_run_at(&r, 2), gpus, 0);
    slurm_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, value_comes_from, choice_rows);
    SUITE_TEST(&suite, a_component_has_its_own_part_of_the_command_line);
    return suite_run(&suite, "slurm_choices");
}
