/* SPDX-License-Identifier: MIT */
#include "bank/submit_script.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/zone.h"
#include "support/expect.h"

enum { WORDS_MAX = 16, TEXT_MAX = 256 };

/* "cpus=4 mem=1024 ...": what a batch came to, without what it does not say. */
static void print(const struct submit_script *batch, char text[TEXT_MAX])
{
    const struct run *run = &batch->run;

    const struct {
        const char *name;
        bool has;
        int64_t value;
    } numbers[] = {
        {"jobs", batch->tasks > 1, batch->tasks},
        {"cpus", RUN_HAS(run, cpus), run->cpus},
        {"nodes", RUN_HAS(run, node_count), run->node_count},
        {"gpus", run->gpus > 0, run->gpus},
        {"mib", RUN_HAS(run, mem_bytes), run->mem_bytes >> 20},
        {"s", RUN_HAS(run, req_wall_us), run->req_wall_us / SECOND_US},
        {"unknown", batch->unknown_count > 0, (int64_t)batch->unknown_count},
        {"all-memory", batch->all_memory, 1},
    };

    const struct {
        const char *name;
        bool has;
        struct str value;
    } names[] = {
        {"account", RUN_HAS(run, account), run->account},
        {"project", RUN_HAS(run, project), run->project},
        {"partition", RUN_HAS(run, partition), run->partition},
        {"qos", RUN_HAS(run, qos), run->qos},
        {"cluster", RUN_HAS(run, cluster), run->cluster},
        {"type", RUN_HAS(run, gpu_type), run->gpu_type},
        {"others", RUN_HAS(run, resources) && run->resources.len > 0, run->resources},
    };

    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        if (numbers[i].has) {
            at += (size_t)snprintf(text + at, TEXT_MAX - at, "%s%s=%" PRId64, at ? " " : "",
                                   numbers[i].name, numbers[i].value);
        }
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (names[i].has) {
            at += (size_t)snprintf(text + at, TEXT_MAX - at, "%s%s=%.*s", at ? " " : "",
                                   names[i].name, STR_ARG(names[i].value));
        }
    }
}

struct batch_row {
    const char *words;
    enum submit_script_scheduler scheduler;
    const char *want;
};

static const struct batch_row batch_rows[] = {
    {"-n 4 -t 2:00:00", SUBMIT_SCRIPT_SLURM, "cpus=4 s=7200"},
    {"-n4 -c2 -t90", SUBMIT_SCRIPT_SLURM, "cpus=8 s=5400"},
    {"--ntasks=4 --cpus-per-task=2 --time=1-12", SUBMIT_SCRIPT_SLURM, "cpus=8 s=129600"},
    {"-N 2 --ntasks-per-node 8 --mem 4G", SUBMIT_SCRIPT_SLURM, "cpus=16 nodes=2 mib=8192"},
    {"-N 2-4", SUBMIT_SCRIPT_SLURM, "cpus=4 nodes=4"},
    {"--mem-per-cpu=512 -n 8", SUBMIT_SCRIPT_SLURM, "cpus=8 mib=4096"},
    {"--gres=gpu:a100:2,shard:1 -N 2", SUBMIT_SCRIPT_SLURM,
     "cpus=2 nodes=2 gpus=4 type=a100 others=gres/gpu:a100=4,gres/shard=2"},
    {"-L matlab:2,abaqus", SUBMIT_SCRIPT_SLURM,
     "cpus=1 nodes=1 others=license/matlab=2,license/abaqus=1"},
    {"--licenses=matlab@srv=3 -L abaqus", SUBMIT_SCRIPT_SLURM,
     "cpus=1 nodes=1 others=license/abaqus=1"},
    {"-L matlab|abaqus", SUBMIT_SCRIPT_SLURM, "cpus=1 nodes=1 unknown=1"},
    {"-n 3 --tres-per-task=cpu:2,gres/shard:4,license/m:1,bb/x:1", SUBMIT_SCRIPT_SLURM,
     "cpus=6 unknown=1 others=gres/shard=12,license/m=3"},
    {"--gres=none", SUBMIT_SCRIPT_SLURM, "cpus=1 nodes=1"},
    {"--gres gpu", SUBMIT_SCRIPT_SLURM, "cpus=1 nodes=1 gpus=1"},
    {"-G h100:3 --mem-per-gpu 10G", SUBMIT_SCRIPT_SLURM,
     "cpus=1 nodes=1 gpus=3 mib=30720 type=h100 others=gres/gpu:h100=3"},
    {"--gpus-per-task=1 -n 4", SUBMIT_SCRIPT_SLURM, "cpus=4 gpus=4"},
    {"-N 2 --ntasks-per-node=4 --gpus-per-task=1", SUBMIT_SCRIPT_SLURM,
     "cpus=8 nodes=2 gpus=8"},
    {"-G 4 --cpus-per-gpu=8", SUBMIT_SCRIPT_SLURM, "cpus=32 nodes=1 gpus=4"},
    {"--requeue job.sh -n 5", SUBMIT_SCRIPT_SLURM, "cpus=1 nodes=1"},
    {"-n 2 -H job.sh -n 5", SUBMIT_SCRIPT_SLURM, "cpus=2"},
    {"--comment words -n 3 job.sh", SUBMIT_SCRIPT_SLURM, "cpus=3"},
    {"-cwd -pe smp 2 -V job.sh -t 1-5", SUBMIT_SCRIPT_SGE, "cpus=2"},
    {"-o out -pe smp 2 job.sh -t 1-5", SUBMIT_SCRIPT_SGE, "cpus=2"},
    {"-a 1-10%3", SUBMIT_SCRIPT_SLURM, "jobs=10 cpus=1 nodes=1"},
    {"--array=0-15:4,20", SUBMIT_SCRIPT_SLURM, "jobs=5 cpus=1 nodes=1"},
    {"-A chem -p long,short -q high -M birch", SUBMIT_SCRIPT_SLURM,
     "cpus=1 nodes=1 account=chem partition=long qos=high cluster=birch"},
    {"-J name --mail-type=ALL --mail-user me -n 2 job.sh -n 9", SUBMIT_SCRIPT_SLURM, "cpus=2"},
    {"--exclusive -N 2", SUBMIT_SCRIPT_SLURM, "nodes=2"},
    {"-n 2 -n 3", SUBMIT_SCRIPT_SLURM, "cpus=3"},
    {"--tres-per-task=cpu:4,gres/gpu:a100:1 -n 2", SUBMIT_SCRIPT_SLURM,
     "cpus=8 gpus=2 type=a100 others=gres/gpu:a100=2"},
    {"--tres-per-task gres:gpu:2,license/x:1", SUBMIT_SCRIPT_SLURM,
     "cpus=1 nodes=1 gpus=2 others=license/x=1"},
    {"--mem=0 -N 2", SUBMIT_SCRIPT_SLURM, "cpus=2 nodes=2 all-memory=1"},
    {"--mem=0 --mem=4G", SUBMIT_SCRIPT_SLURM, "cpus=1 nodes=1 mib=4096"},
    {"--mincpus=4 --frobnicate x -n 3 -Jname --nice=5 -v job.sh", SUBMIT_SCRIPT_SLURM,
     "cpus=3 unknown=2"},
    {"-frob x -pe smp 2 job.sh", SUBMIT_SCRIPT_SGE, "cpus=2 unknown=1"},
    {"-pe mpi 8 -l h_rt=2:00:00,h_vmem=4G", SUBMIT_SCRIPT_SGE, "cpus=8 mib=32768 s=7200"},
    {"-l h_rt=3600 -l gpu=2", SUBMIT_SCRIPT_SGE, "cpus=1 nodes=1 gpus=2 s=3600"},
    {"-P proj -A acct -q long.q -t 1-10:2", SUBMIT_SCRIPT_SGE,
     "jobs=5 cpus=1 nodes=1 account=acct project=proj partition=long.q"},
    {"-cwd -V -j y -o out -e err -pe smp 2-4 job.sh", SUBMIT_SCRIPT_SGE, "cpus=4"},
};

static size_t split(const char *text, struct str words[WORDS_MAX])
{
    size_t count = 0;
    for (struct str rest = str_of(text); rest.ptr; count++) {
        words[count] = str_cut(&rest, ' ');
    }
    return count;
}

static void flags_are_read_as_the_scheduler_reads_them(void **state)
{
    const struct batch_row *row = *state;
    struct str words[WORDS_MAX];
    struct submit_script batch = {0};
    struct error err = {0};
    char text[TEXT_MAX];
    const size_t count = split(row->words, words);
    if (submit_script_read_words(&batch, row->scheduler, words, count, &err) != 0 ||
        submit_script_finish(&batch, &err) != 0) {
        expect_fail("%s", err.text);
    }
    print(&batch, text);
    expect_text(text, row->want);
}

struct bad_row {
    const char *words;
    enum submit_script_scheduler scheduler;
    const char *part;
};

static const struct bad_row bad_rows[] = {
    {"-n four", SUBMIT_SCRIPT_SLURM, "--ntasks: 'four' is not a number"},
    {"-n", SUBMIT_SCRIPT_SLURM, "--ntasks has no value"},
    {"-t tomorrow", SUBMIT_SCRIPT_SLURM, "is not a time limit"},
    {"--mem=lots", SUBMIT_SCRIPT_SLURM, "is not a size"},
    {"--array=9-1", SUBMIT_SCRIPT_SLURM, "is not an array"},
    {"-n 1000000001", SUBMIT_SCRIPT_SLURM, "is not a number"},
    {"--tres-per-task=cpu:x", SUBMIT_SCRIPT_SLURM, "is not such as cpu:4"},
    {"hetjob", SUBMIT_SCRIPT_SLURM, "with : between them"},
    {"-l h_rt=soon", SUBMIT_SCRIPT_SGE, "is not what that resource is measured in"},
    {"-pe mpi many", SUBMIT_SCRIPT_SGE, "is not a number"},
};

static void a_flag_that_cannot_be_read_is_named(void **state)
{
    const struct bad_row *row = *state;
    struct str words[WORDS_MAX];
    struct submit_script batch = {0};
    struct error err = {0};
    expect_int(
        submit_script_read_words(&batch, row->scheduler, words, split(row->words, words), &err),
        ERROR_USAGE);
    expect_contains(err.text, row->part);
}

static void a_script_says_the_same(void **state)
{
    (void)state;
    static const char slurm[] =
        "#!/bin/bash\n#SBATCH --ntasks=4 # tasks\n"
        "#SBATCH -t 60 --account=\"chem\"\n# SBATCH -n 9\n#SBATCHES -n 9\n"
        "srun x\n#SBATCH -n 99\n";
    static const char sge[] = "#!/bin/sh\n#$ -pe mpi 8\necho\n#$ -l h_rt=60\n";
    struct error err = {0};
    enum submit_script_scheduler scheduler;
    char text[TEXT_MAX];
    struct submit_script batch = {0};
    expect_int(submit_script_read_script(&batch, str_of(slurm), &scheduler, &err), 0);
    expect_int(submit_script_finish(&batch, &err), 0);
    expect_int(scheduler, SUBMIT_SCRIPT_SLURM);
    print(&batch, text);
    expect_text(text, "cpus=4 s=3600 account=chem");
    batch = (struct submit_script){0};
    expect_int(submit_script_read_script(&batch, str_of(sge), &scheduler, &err), 0);
    expect_int(submit_script_finish(&batch, &err), 0);
    expect_int(scheduler, SUBMIT_SCRIPT_SGE);
    print(&batch, text);
    expect_text(text, "cpus=8 s=60");
    expect_int(submit_script_read_script(&batch, STR("#!/bin/sh\necho\n"), &scheduler, &err),
               ERROR_INPUT);
    expect_contains(err.text, "no line that begins with #SBATCH or #$");
}

static void what_no_run_can_have_is_refused(void **state)
{
    (void)state;
    struct str words[WORDS_MAX];
    struct submit_script batch = {0};
    struct error err = {0};
    const size_t count = split("--mem 8000P -N 1000000000", words);
    expect_int(submit_script_read_words(&batch, SUBMIT_SCRIPT_SLURM, words, count, &err), 0);
    expect_int(submit_script_finish(&batch, &err), ERROR_LIMIT);
    expect_contains(err.text, "the memory is more than a run can have");
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, flags_are_read_as_the_scheduler_reads_them, batch_rows);
    SUITE_ROWS(&suite, a_flag_that_cannot_be_read_is_named, bad_rows);
    SUITE_TEST(&suite, a_script_says_the_same);
    SUITE_TEST(&suite, what_no_run_can_have_is_refused);
    return suite_run(&suite, "batch");
}
