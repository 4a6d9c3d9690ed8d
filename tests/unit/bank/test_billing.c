/* SPDX-License-Identifier: MIT */
#include "bank/billing.h"

#include "support/expect.h"

/* 3 cpus, 300 MiB, 2 nodes, 4 GPUs of a model, a licence. */
static struct run a_run(void)
{
    struct run run = {0};
    RUN_SET(&run, cpus, 3);
    RUN_SET(&run, mem_bytes, INT64_C(300) << 20);
    RUN_SET(&run, node_count, 2);
    RUN_SET(&run, gpus, 4);
    RUN_SET(&run, resources, STR("gres/gpu:a100=4,gres/shard=8,license/matlab=1"));
    return run;
}

struct billing_row {
    const char *weights;
    enum billing_largest largest;
    int64_t want; /* -1: cannot be read */
};

static const struct billing_row billing_rows[] = {
    {"", BILLING_SUM, 3},
    {"CPU=1.0", BILLING_SUM, 3},
    {"CPU=1.0,Mem=0.25G", BILLING_SUM, 3},
    {"CPU=1.0,Mem=4G", BILLING_SUM, 4},
    {"Mem=0.01", BILLING_SUM, 3},
    {"Mem=0.01M,CPU=0.4", BILLING_SUM, 4},
    {"mem=2048T", BILLING_SUM, 0},
    {"CPU=1.0,GRES/gpu=8.0", BILLING_SUM, 35},
    {"CPU=1.0,GRES/gpu:a100=8.0,GRES/gpu:h100=99", BILLING_SUM, 35},
    {"CPU=1,gres/shard=0.5,License/matlab=10,Node=100", BILLING_SUM, 217},
    {"CPU=1,GRES/gpu=8,License/matlab=10", BILLING_LARGEST, 42},
    {"CPU=1,Mem=100G,GRES/gpu=8", BILLING_LARGEST, 32},
    {"CPU=1,Mem=100G,GRES/gpu=8", BILLING_AND_GRES, 61},
    {"CPU=0,Energy=3", BILLING_SUM, 0},
    {"CPU=x", BILLING_SUM, -1},
    {"CPU=1.0Q", BILLING_SUM, -1},
    {"CPU", BILLING_SUM, -1},
    {"CPU=-1", BILLING_SUM, -1},
};

static void a_job_is_billed_as_slurm_bills_it(void **state)
{
    const struct billing_row *row = *state;
    const struct run run = a_run();
    struct error err = {0};
    int64_t billing = 0;
    const int failed = billing_of(str_of(row->weights), row->largest, &run, &billing, &err);
    expect_int(failed, row->want < 0 ? ERROR_INPUT : 0);
    if (!failed) {
        expect_int(billing, row->want);
    }
}

static void what_is_not_known_is_named(void **state)
{
    (void)state;
    struct run run = a_run();
    struct error err = {0};
    int64_t billing;
    RUN_CLEAR(&run, mem_bytes);
    expect_int(billing_of(STR("CPU=1,Mem=1G"), BILLING_SUM, &run, &billing, &err),
               ERROR_MISSING);
    expect_contains(err.text, "how many Mem the job would have is not known");
    expect_int(billing_of(STR("CPU=1,Mem=0"), BILLING_SUM, &run, &billing, &err), 0);
    RUN_CLEAR(&run, cpus);
    expect_int(billing_of(STR(""), BILLING_SUM, &run, &billing, &err), ERROR_MISSING);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_job_is_billed_as_slurm_bills_it, billing_rows);
    SUITE_TEST(&suite, what_is_not_known_is_named);
    return suite_run(&suite, "billing");
}
