/* SPDX-License-Identifier: MIT */
#include "source/source.h"

#include <stdlib.h>
#include <string.h>

#include "source/lsf/lsf.h"
#include "source/nomad/nomad.h"
#include "source/pbs/pbs.h"
#include "source/sge/sge.h"
#include "source/slurm/slurm.h"
#include "source/sonar/sonar.h"
#include "source/swf/swf.h"
#include "support/expect.h"
#include "unit/source/sge_reader.h"

#define USUAL_HEAD                                                                             \
    "# Version: 8.1.9\n# \n# DO NOT MODIFY THIS FILE MANUALLY!\n# \n" SGE_USUAL_ROW "\n"

static void find_knows_every_driver_by_its_name(void **state)
{
    (void)state;
    size_t count = 0;
    for (; source_drivers[count]; count++) {
        const struct source_driver *driver = source_drivers[count];
        expect_true(source_find(str_of(driver->name)) == driver);
        expect_true(driver->summary && strlen(driver->summary) > 0);
        expect_true(driver->version > 0);
        expect_true(driver->recognise &&
                    (driver->next != NULL) != (driver->next_sample != NULL));
    }
    expect_true(count > 0);
}

static void find_knows_no_other_name(void **state)
{
    (void)state;
    expect_true(source_find(STR("sg")) == NULL);
    expect_true(source_find(STR("sgee")) == NULL);
    expect_true(source_find(STR("SGE")) == NULL);
    expect_true(source_find(STR("")) == NULL);
    expect_true(source_find((struct str){0}) == NULL);
}

struct head_row {
    const char *name;
    struct str head;
    const struct source_driver *driver; /* NULL: nobody's */
};

#define HEAD(literal)                                                                          \
    {                                                                                          \
        (literal), sizeof(literal) - 1                                                         \
    }

static const struct head_row head_rows[] = {
    {"a usual file", HEAD(USUAL_HEAD), &sge_driver},
    {"a header alone", HEAD("# Version: 8.1.9\n# \n"), &sge_driver},
    {"a row without an end", HEAD(SGE_USUAL_ROW), &sge_driver},
    {"a row cut off", HEAD(USUAL_HEAD "long.q:node07:chem:bob:rel"), &sge_driver},
    {"carriage returns", HEAD(SGE_USUAL_ROW "\r\n" SGE_USUAL_ROW "\r\n"), &sge_driver},
    {"one bad row among good ones", HEAD(SGE_USUAL_ROW "\nrubbish\n" SGE_USUAL_ROW "\n"),
     &sge_driver},
    {"JSON lines",
     HEAD("{\"job_number\":4,\"task_number\":0,\"start_time\":1725898198580794,\"end_time\":"
          "1725898298874079,\"owner\":\"ann\",\"slots\":1}\n"),
     &sge_driver},
    {"nothing", HEAD(""), NULL},
    {"blank lines", HEAD("\n\n\n"), NULL},
    {"comments", HEAD("# a list\n# of things\n"), NULL},
    {"text", HEAD("To be, or not to be: that is the question:\n"), NULL},
    {"a password file", HEAD("root:x:0:0:root:/root:/bin/bash\n"), NULL},
    {"bytes",
     HEAD("\x7f"
          "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0:::::::::::::::::::::::::::::::::"),
     NULL},
    {"colons alone", HEAD(":::::::::::::::::::::::::::::::::::::::::::::::::::::::\n"), NULL},
    {"PBS",
     HEAD("03/01/2025 00:10:00;E;77.head;user=ann group=chem jobname=a queue=long "
          "ctime=1740000000 "
          "start=1740000100 end=1740003700 Exit_status=0 resources_used.walltime=01:00:00\n"),
     &pbs_driver},
    {"LSF",
     HEAD("\"JOB_FINISH\" \"10.1\" 1740003700 77 1000 33816579 1 1740000000 0 0 1740000100 "
          "\"ann\" \"long\"\n"),
     &lsf_driver},
    {"sacct",
     HEAD("JobID|JobIDRaw|Cluster|Partition|Account|User|Submit|Start|End|State\n"
          "77|77|c1|long|chem|ann|2025-03-01T00:00:00|2025-03-01T00:10:00|"
          "2025-03-01T01:10:00|COMPLETED\n"),
     &slurm_driver},
    {"sacct without a header",
     HEAD("77|77|c1|long|chem|ann|2025-03-01T00:00:00|2025-03-01T00:10:00|"
          "2025-03-01T01:10:00|COMPLETED\n"),
     &slurm_driver},
    {"sacct with commas", HEAD("JobID,JobName,ReqTRES,Start\n1,a,cpu=1,1700000000\n"),
     &slurm_driver},
    {"sacct's header alone", HEAD("JobIDRaw^|^State"), &slurm_driver},
    {"sacct for people", HEAD("       JobID    JobName  State\n------- ---------- -----\n"),
     NULL},
    {"sacct as JSON",
     HEAD("{\"meta\":{},\"jobs\":[{\"association\":{},\"job_id\":1,\"time\":{"), &slurm_driver},
    {"slurmrestd without jobs", HEAD("{\"jobs\":[],\"meta\":{\"slurm\":{}}}"), &slurm_driver},
    {"squeue as JSON",
     HEAD("{\"meta\":{\"Slurm\":{}},\"jobs\":[{\"job_id\":1,\"job_state\":\"RUNNING\","
          "\"array_job_id\":0}]}"),
     &slurm_driver},
    {"the controller without jobs",
     HEAD(
         "{\"jobs\":[],\"meta\":{\"plugin\":{\"type\":\"openapi\\/slurmctld\"},\"slurm\":{}}}"),
     &slurm_driver},
    {"JSON that quotes sacct",
     HEAD("{\n  \"out\": \"7|7|2025-03-01T00:00:00|2025-03-01T00:10:00|COMPLETED\"\n}\n"),
     NULL},
    {"sreport",
     HEAD("Cluster|Name|Start|End|Idle\nc1|maint|2025-03-01T00:00:00|2025-03-01T00:10:00|7\n"),
     NULL},
    {"sacct with the state first",
     HEAD("COMPLETED|7|1|2025-03-01T00:00:00|2025-03-01T00:10:00\n"), &slurm_driver},
    {"somebody's JSON", HEAD("{\"jobs\":[{\"job_id\":1}]}"), NULL},
    {"a record of jobcomp",
     HEAD("{\"jobid\":1,\"@start\":\"2025-03-01T10:00:00\",\"total_cpus\":1}\n"),
     &slurm_driver},
    {"an index of jobcomp",
     HEAD("{\"index\":{}}\n{\"jobid\":1,\"@end\":\"2025-03-01T10:00:00\",\"total_cpus\":1}\n"),
     &slurm_driver},
    {"a table of something", HEAD("id|name|start\n1|a|2025-03-01\n"), NULL},
    {"HTCondor", HEAD("[{\"ClusterId\":1,\"Owner\":\"ann\",\"JobStatus\":4}]\n"), NULL},
    {"Nomad's allocations",
     HEAD("[{\"ID\":\"a\",\"JobID\":\"web\",\"ClientStatus\":\"running\",\"TaskStates\":{"),
     &nomad_driver},
    {"Nomad's evaluations", HEAD("[{\"ID\":\"a\",\"JobID\":\"web\",\"Status\":\"complete\"}]"),
     NULL},
    {"no allocations", HEAD("[]\n"), &nomad_driver},
    {"a snapshot of Nomad",
     HEAD("{\"ns\": [], \"vo\": [{\"job_ID\": \"1\", \"name\": \"m\", \"alloc_ID\": nu"),
     &nomad_driver},
    {"a snapshot of nothing", HEAD("{\"ns\":[],\"vo\":[]}"), &nomad_driver},
    {"an empty snapshot", HEAD("{}\n"), &nomad_driver},
    {"lists of something", HEAD("{\"ns\":[1,2],\"vo\":[]}"), NULL},
    {"SWF",
     HEAD("; Version: 2.2\n; Computer: x\n1 0 10 3600 4 -1 -1 4 3600 -1 1 1 1 1 1 -1 -1 -1\n"),
     &swf_driver},
    {"sonar",
     HEAD("v=0.13.0,time=2025-03-01T00:10:00+01:00,host=n1,cores=64,user=ann,job=77,"
          "cmd=relax\n"),
     &sonar_driver},
    {"sonar before it had names",
     HEAD("2023-03-01T00:10:00.5+00:00,n1,64,ann,77,relax,4.1,93100,0,0,0,0\n"), &sonar_driver},
    {"sonar's jobs of Slurm", HEAD("v=0.1.0,JobID=77,User=ann,Submit=2025-03-01T00:10:00Z\n"),
     &sonar_driver},
    {"a table of times", HEAD("2023-03-01T00:10:00Z,n1,64,ann,77,relax,good,bad\n"), NULL},
    {"sonar's envelope",
     HEAD("{\"meta\":{\"producer\":\"sonar\",\"version\":\"0.18.0\"},\"data\":{\"type\":"
          "\"sample\",\"attributes\":{\"time\":\"2025-03-01T"),
     &sonar_driver},
    {"sonar JSON", HEAD("{\"meta\":{\"producer\":\"sonar\"},\"data\":{\"jobs\":[]}}\n"), NULL},
    {"the reporting file",
     HEAD("1700007800:acct:long.q:node07:chem:bob:relax:1234:sge:0:1700000000:1700000600:"
          "1700007800:"
          "0:0:7200:6900.5:120.2:204800.0:0:0:0:0:5000:3:0:16.0:808:0:0:0:4500:27:NONE:"
          "defaultdepartment:NONE:1:0:7000.0:880.5:1.2:NONE:0.0:NONE:2147483648.0:0:0\n"),
     &sge_driver},
    {"the reporting file as JSON",
     HEAD("{\"time\":1725898298874079,\"type\":\"acct\",\"job_number\":4,\"start_time\":"
          "1725898198580794,\"end_time\":1725898298874079,\"owner\":\"ann\",\"slots\":1}\n"),
     NULL},
};

static void recognise_knows_whose_it_is(void **state)
{
    const struct head_row *row = *state;
    /* On the heap, so that reading past the end is seen. */
    char *copy = malloc(row->head.len > 0 ? row->head.len : 1);
    assert_non_null(copy);
    memcpy(copy, row->head.ptr, row->head.len);
    struct str head = {copy, row->head.len};
    const struct source_driver *driver = source_recognise(head);
    for (size_t i = 0; source_drivers[i]; i++) {
        int sure = source_drivers[i]->recognise(head);
        expect_true(sure >= 0 && sure <= 100);
        expect_int(sure > 0, source_drivers[i] == row->driver);
    }
    free(copy);
    expect_true(driver == row->driver);
}

static const struct table_row {
    const char *name, *head, *printed_by; /* NULL: it is none */
} table_rows[] = {
    {"sacct", "JobID           JobName  Partition\n------------ ---------- ----------\n",
     "sacct"},
    {"squeue", "             JOBID PARTITION     NAME     USER ST\n", "squeue"},
    {"qstat of Grid Engine", "job-ID  prior   name       user         state\n", "qstat"},
    {"qacct", "OWNER       WALLCLOCK         UTIME         STIME\n=====\n", "qacct"},
    {"qacct -j", "==============\nqname        all.q\nhostname     n1\n", "qacct -j"},
    {"qstat of PBS", "Job id            Name             User              Time Use S Queue\n",
     "qstat"},
    {"qstat -a", "\nhead:\n        Req'd\nJob ID          Username Queue    Jobname\n",
     "qstat -a"},
    {"bjobs", "JOBID   USER    STAT  QUEUE      FROM_HOST\n", "bjobs"},
    {"bacct", "\nAccounting information about jobs that are:\n  - submitted by all users.\n",
     "bacct"},
    {"condor_q", "\n\n-- Schedd: head : <10.0.0.1:9618>\nOWNER BATCH_NAME\n", "condor_q"},
    {"condor_history", " ID     OWNER          SUBMITTED   RUN_TIME\n", "condor_history"},
    {"another table", "JobIdentity\tName\n1\tx\n", NULL},
    {"nothing", "", NULL},
    {"further down", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nOWNER BATCH_NAME\n", NULL},
};

static void tables_for_people_are_known(void **state)
{
    const struct table_row *row = *state;
    const struct source_table *table = source_table_of(str_of(row->head));
    expect_true((table != NULL) == (row->printed_by != NULL));
    if (table && row->printed_by) {
        expect_text(table->printed_by, row->printed_by);
        expect_true(strlen(table->instead) > 0);
    }
    expect_true(source_recognise(str_of(row->head)) == NULL);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, find_knows_every_driver_by_its_name);
    SUITE_TEST(&suite, find_knows_no_other_name);
    SUITE_ROWS(&suite, recognise_knows_whose_it_is, head_rows);
    SUITE_ROWS(&suite, tables_for_people_are_known, table_rows);
    return suite_run(&suite, "registry");
}
