/* SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "unit/source/peer.h"
#include "unit/source/slurm_reader.h"

/*
 * What a job asked for is not what it was given, and what a record does not have is not 0. In text and in JSON, of the
 * database and of the controller; with $STINT_DATA, of clusters whose database does not record GPUs.
 */

struct request_row {
    const char *name;
    const char *columns, *values; /* beside those that all have */
    const struct want *wants;
};

#define MEM_280000M "293601280000"

static const struct request_row request_rows[] = {
    {"memory for a cpu is for those asked for", "NCPUS|ReqCPUS|ReqMem|ReqTRES|AllocTRES",
     "108|100|2800Mc|cpu=100,mem=280000M,node=3|cpu=108,mem=302400M,node=3",
     WANTS({"req_mem", MEM_280000M}, {"mem", "317089382400"}, {"req_cpus", "100"},
           {"cpus", "108"})},
    {"also where they are in ReqCPUS alone", "NCPUS|ReqCPUS|ReqMem", "108|100|2800Mc",
     WANTS({"req_mem", MEM_280000M})},
    {"also where they are in ReqTRES alone", "NCPUS|ReqMem|ReqTRES",
     "108|2800Mc|cpu=100,node=3", WANTS({"req_mem", MEM_280000M}, {"req_cpus", "100"})},
    {"and for a cpu that was given where nobody says how many were asked for", "NCPUS|ReqMem",
     "100|2800Mc", WANTS({"req_mem", MEM_280000M}, {"req_cpus", NULL}, {"cpus", "100"})},
    {"memory for a node is for those asked for", "NNodes|ReqMem|ReqTRES",
     "4|140000Mn|cpu=8,mem=280000M,node=2",
     WANTS({"req_mem", MEM_280000M}, {"req_nodes", "2"})},
    {"of all that a node has nothing is known", "NCPUS|ReqMem|ReqTRES|AllocTRES",
     "1|0n|cpu=1,mem=0,node=1|cpu=1,mem=0,node=1",
     WANTS({"req_mem", NULL}, {"mem", NULL}, {"cpus", "1"})},
    {"nothing was asked for: no cpus are not 0", "NCPUS|ReqCPUS", "4|0",
     WANTS({"req_cpus", NULL}, {"cpus", "4"})},
    {"GPUs that the database does not record are not 0", "AllocTRES|ReqTRES|SubmitLine",
     "cpu=1,mem=512M,node=1|cpu=1,mem=512M,node=1|sbatch --gpus 4 job.sh",
     WANTS({"gpus", NULL}, {"req_gpus", NULL})},
    {"nor with an equals sign", "AllocTRES|SubmitLine",
     "cpu=1,node=1|sbatch --gres=gpu:a100:2 x", WANTS({"gpus", NULL}, {"req_gpus", NULL})},
    {"nor in short", "AllocTRES|ReqTRES|SubmitLine", "cpu=1,node=1|cpu=1,node=1|srun -G2 x",
     WANTS({"gpus", NULL}, {"req_gpus", NULL})},
    {"nor among others", "AllocTRES|ReqTRES|SubmitLine",
     "cpu=1,node=1|cpu=1,node=1|sbatch --gres scratch:1,gpu x",
     WANTS({"gpus", NULL}, {"req_gpus", NULL})},
    {"who asks for no GPU has 0", "AllocTRES|ReqTRES|SubmitLine",
     "cpu=1,node=1|cpu=1,node=1|sbatch --gres=scratch:1 --partition gpu --gpus 0 gpu.sh",
     WANTS({"gpus", "0"}, {"req_gpus", "0"})},
    {"who says nothing of GPUs has 0", "AllocTRES|ReqTRES", "cpu=1,node=1|cpu=1,node=1",
     WANTS({"gpus", "0"}, {"req_gpus", "0"})},
    {"GPUs that are recorded are taken", "AllocTRES|ReqTRES|SubmitLine",
     "cpu=1,gres/gpu=4,node=1|cpu=1,gres/gpu=4,node=1|sbatch --gpus 4 job.sh",
     WANTS({"gpus", "4"}, {"req_gpus", "4"})},
    {"what has no column is kept by name", "AllocTRES|ReqTRES",
     "billing=9,cpu=1,fs/disk=5,gres/gpu=2,gres/gpu:a100=2,gres/shard=3,license/matlab=1,"
     "mem=1G,node=1|cpu=1,node=1",
     WANTS({"resources", "gres/gpu:a100=2,gres/shard=3,license/matlab=1"}, {"gpus", "2"})},
    {"there was none", "AllocTRES", "cpu=1,mem=1G,node=1", WANTS({"resources", ""})},
    {"of types alone there is a sum", "AllocTRES", "cpu=1,node=1,gres/fpga:b=2,gres/fpga:a=1",
     WANTS({"resources", "gres/fpga=3,gres/fpga:a=1,gres/fpga:b=2"})},
    {"a number in place of a name says nothing", "AllocTRES", "1=4,2=1024,4=1,1001=2",
     WANTS({"resources", NULL}, {"cpus", "4"})},
    {"a licence that the accounting does not list", "AllocTRES|SubmitLine",
     "cpu=1,node=1|sbatch -L matlab:2 x", WANTS({"resources", NULL})},
    {"which another job had", "AllocTRES|SubmitLine",
     "cpu=1,license/matlab=2,node=1|sbatch --licenses=matlab:2 x",
     WANTS({"resources", "license/matlab=2"})},
    {"a GRES that the accounting does not list", "AllocTRES|SubmitLine",
     "cpu=1,node=1|sbatch --gres gpu:1,scratch:10 x", WANTS({"resources", NULL})},
    {"GPUs of ReqGRES are for a node that was asked for", "NNodes|ReqTRES|ReqGRES",
     "3|cpu=1,node=2|gpu:2", WANTS({"req_gpus", "4"})},
};

static void request_is_what_was_asked_for(void **state)
{
    const struct request_row *row = *state;
    struct slurm_reading r;
    struct buf text;
    buf_init(&text, 1 << 16);
    buf_addf(&text,
             "JobID|State|Submit|Start|End|%s\n"
             "7|COMPLETED|2025-03-01T08:00:00|2025-03-01T09:00:00|2025-03-01T10:00:00|%s\n",
             row->columns, row->values);
    slurm_read(&r, text.ptr);
    expect_wants(slurm_run_at(&r, 0), row->wants);
    slurm_reading_release(&r);
    buf_release(&text);
}

static void a_job_cancelled_in_its_first_second_started(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r,
               "JobID|State|Submit|Start|End|Elapsed|NNodes|TotalCPU\n"
               "7|CANCELLED by 5|2025-03-01T08:00:00|2025-03-01T09:00:00|2025-03-01T09:00:00|"
               "00:00:00|1|00:00.001\n"
               "7.batch|CANCELLED|2025-03-01T09:00:00|2025-03-01T09:00:00|"
               "2025-03-01T09:00:00|00:00:00|1|00:00.001\n"
               "8|CANCELLED by 5|2025-03-01T08:00:00|2025-03-01T09:00:00|2025-03-01T09:00:00|"
               "00:00:00|1|00:00:00\n");
    expect_run(slurm_run_at(&r, 0), start, INT64_C(1740819600000000));
    expect_run(slurm_run_at(&r, 0), end, INT64_C(1740819600000000));
    expect_run_absent(slurm_run_at(&r, 1), start);
    slurm_reading_release(&r);
}

static void a_year_that_is_too_late_is_refused_with_the_years_there_are(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|State|Submit|Start|End\n"
                   "7|COMPLETED|2025-03-01T08:00:00|2025-03-01T09:00:00|9999-12-31T00:00:00\n");
    expect_true(r.rejects == 1);
    expect_text(r.items[0].error,
                "cannot read End '9999-12-31T00:00:00': not a time of the years 1970 to 2260");
    slurm_reading_release(&r);
}

/* --- the controller ------------------------------------------------------------------------------- */

static const struct request_row listed_rows[] = {
    {"on two nodes",
     "\"tres_per_job\":\"gres/gpu:8\",\"gres_detail\":[\"gpu:h100:4(IDX:0-3)\","
     "\"gpu:h100:4(IDX:0-3)\"]",
     "RUNNING", WANTS({"gpus", "8"}, {"req_gpus", "8"}, {"gpu_type", "h100"})},
    {"without a type",
     "\"tres_per_job\":\"gpu:8\",\"gres_detail\":[\"gpu:4(IDX:0-3)\",\"gpu:4\"]", "RUNNING",
     WANTS({"gpus", "8"}, {"req_gpus", "8"}, {"gpu_type", NULL})},
    {"of two types, one of which it did not get",
     "\"tres_per_node\":\"gres/gpu:1\",\"gres_detail\":[\"gpu:h100:1(IDX:0),gpu:h200:0(IDX:)\","
     "\"gpu:h100:1(IDX:0),gpu:h200:0(IDX:)\"]",
     "RUNNING", WANTS({"gpus", "2"}, {"req_gpus", "2"}, {"gpu_type", "h100"})},
    {"for a task",
     "\"tasks\":2,\"tres_per_task\":\"gres/gpu=2\",\"gres_detail\":[\"gpu:h100:4\"]", "RUNNING",
     WANTS({"gpus", "4"}, {"req_gpus", "4"})},
    {"for a socket: nobody says how many there are",
     "\"tres_per_socket\":\"gres/gpu:2\",\"gres_detail\":[\"gpu:h100:2(IDX:0-1)\"]", "RUNNING",
     WANTS({"gpus", "2"}, {"req_gpus", NULL})},
    {"ended: what it had is no longer listed",
     "\"tres_per_job\":\"gres/gpu:4\",\"gres_detail\":[]", "COMPLETED",
     WANTS({"gpus", NULL}, {"req_gpus", "4"})},
    {"waiting", "\"tres_per_job\":\"gres/gpu:h100:1,gres/gpu:h200:1\",\"gres_detail\":[]",
     "PENDING", WANTS({"gpus", NULL}, {"req_gpus", "2"}, {"gpu_type", "h100,h200"})},
    {"none", "\"tres_per_job\":\"\",\"tres_per_node\":\"\",\"gres_detail\":[]", "RUNNING",
     WANTS({"gpus", "0"}, {"req_gpus", "0"}, {"gpu_type", NULL})},
    {"something else", "\"tres_per_job\":\"gres/scratch:4\",\"gres_detail\":[\"scratch:4\"]",
     "RUNNING", WANTS({"gpus", "0"}, {"req_gpus", "0"})},
};

static void gpus_of_a_cluster_that_does_not_record_them(void **state)
{
    const struct request_row *row = *state;
    struct slurm_reading r;
    struct buf text;
    buf_init(&text, 1 << 16);
    buf_addf(&text,
             "{\"jobs\":[{\"job_id\":12,\"array_job_id\":0,\"job_state\":[\"%s\"],\"submit_"
             "time\":1000,"
             "\"start_time\":1100,\"end_time\":1200,\"nodes\":\"g[1-2]\",\"cpus\":2,"
             "\"node_count\":2,\"tres_req_str\":\"cpu=2,mem=1G,node=2,billing=2\","
             "\"tres_alloc_str\":\"cpu=2,mem=1G,node=2,billing=2\",%s}]}",
             row->values, row->columns);
    slurm_read(&r, text.ptr);
    expect_wants(slurm_run_at(&r, 0), row->wants);
    slurm_reading_release(&r);
    buf_release(&text);
}

/* --- a real cluster ------------------------------------------------------------------------------- */

struct file_row {
    const char *name; /* of slurm/slurmrestd/ */
    const struct want *wants;
};

static const struct file_row file_rows[] = {
    {"24.05/0.0.41/slurm-job-gpus-multi-nodes.json",
     WANTS({"gpus", "8"}, {"req_gpus", "8"}, {"gpu_type", "h100"}, {"req_cpus", "1"})},
    {"24.05/0.0.41/slurm-job-gpus-gres.json", WANTS({"gpus", "4"}, {"req_gpus", "4"})},
    {"24.05/0.0.41/slurm-job-gpus-per-node.json", WANTS({"gpus", "2"}, {"req_gpus", "2"})},
    {"24.05/0.0.41/slurm-job-gpus-per-task.json", WANTS({"gpus", "4"}, {"req_gpus", "4"})},
    {"24.05/0.0.41/slurm-job-gpus-per-socket.json", WANTS({"gpus", "2"}, {"req_gpus", NULL})},
    {"24.05/0.0.41/slurm-job-gpus-completed.json", WANTS({"gpus", NULL}, {"req_gpus", "4"})},
    {"24.05/0.0.41/slurm-job-gpus-pending.json", WANTS({"gpus", NULL}, {"req_gpus", "4"})},
    {"24.11/0.0.42/slurm-job-gpus-multi-nodes.json",
     WANTS({"gpus", "12"}, {"req_gpus", "12"}, {"gpu_type", "h100,h200"})},
    {"24.11/0.0.42/slurm-job-gpus-per-node.json",
     WANTS({"gpus", "2"}, {"req_gpus", "2"}, {"gpu_type", "h100"})},
    {"24.11/0.0.42/slurm-job-running.json", WANTS({"gpus", "0"}, {"req_gpus", "0"})},
    {"24.05/0.0.41/slurmdb-job-gpus-completed.json",
     WANTS({"gpus", NULL}, {"req_gpus", NULL}, {"req_mem", "536870912"})},
    {"24.11/0.0.42/slurmdb-job-gpus-multi-nodes.json",
     WANTS({"gpus", NULL}, {"req_gpus", NULL}, {"req_mem", "536870912"},
           {"mem", "1073741824"})},
    {"24.11/0.0.42/slurmdb-job-gpus-multi-types.json",
     WANTS({"gpus", NULL}, {"req_gpus", NULL})},
    {"24.11/0.0.42/slurmdb-job-running.json", WANTS({"gpus", "0"}, {"req_gpus", "0"})},
    {"24.05/0.0.41/slurmdb-job-gpus-running.json", /* a stub: the database had not heard of it yet */
     WANTS({"req_cpus", NULL}, {"req_mem", NULL}, {"gpus", NULL}, {"req_gpus", NULL})},
};

static void file_has_what_it_says(void **state)
{
    const struct file_row *row = *state;
    char name[PEER_PATH_LEN];
    struct buf text;
    struct slurm_reading r;
    (void)snprintf(name, sizeof(name), "slurm/slurmrestd/%s", row->name);
    peer_file(name, &text);
    const struct source_options options = {0};
    slurm_read_with(&r, buf_str(&text), &options);
    buf_release(&text);
    expect_wants(slurm_run_at(&r, 0), row->wants);
    slurm_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, request_is_what_was_asked_for, request_rows);
    SUITE_TEST(&suite, a_job_cancelled_in_its_first_second_started);
    SUITE_TEST(&suite, a_year_that_is_too_late_is_refused_with_the_years_there_are);
    SUITE_ROWS(&suite, gpus_of_a_cluster_that_does_not_record_them, listed_rows);
    SUITE_ROWS(&suite, file_has_what_it_says, file_rows);
    return suite_run(&suite, "slurm_request");
}
