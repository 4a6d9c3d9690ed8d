/* SPDX-License-Identifier: MIT */
#include "unit/source/sge_reader.h"

struct want_row {
    const char *name;
    const char *category;
    enum sge_want want;
    int64_t value; /* 0: not wanted */
};

#define GIB        (INT64_C(1) << 30)
#define SECONDS(n) (INT64_C(n) * 1000000)

static const struct want_row want_rows[] = {
    {"seconds", "-l h_rt=3600", SGE_WANT_H_RT, SECONDS(3600)},
    {"a clock", "-l h_rt=24:30:15", SGE_WANT_H_RT, SECONDS(88215)},
    {"minutes and seconds", "-l h_rt=10:30", SGE_WANT_H_RT, SECONDS(630)},
    {"a clock with empty parts", "-l h_rt=1::", SGE_WANT_H_RT, SECONDS(3600)},
    {"seconds with decimals", "-l h_rt=1.5", SGE_WANT_H_RT, 1500000},
    {"too many parts", "-l h_rt=1:2:3:4", SGE_WANT_H_RT, 0},
    {"no end", "-l h_rt=INFINITY", SGE_WANT_H_RT, 0},
    {"no end, small", "-l s_rt=infinity", SGE_WANT_S_RT, 0},
    {"nothing", "-l h_rt=0", SGE_WANT_H_RT, 0},
    {"an empty value", "-l h_rt=,gpu=1", SGE_WANT_H_RT, 0},
    {"after an empty value", "-l h_rt=,gpu=1", SGE_WANT_GPUS, 1},
    {"a negative time", "-l h_rt=-5", SGE_WANT_H_RT, 0},
    {"more than a number holds", "-l h_rt=99999999999999", SGE_WANT_H_RT, 0},
    {"more digits than that", "-l h_rt=999999999999999999999999", SGE_WANT_H_RT, 0},
    {"the last wins", "-l h_rt=10,h_rt=20", SGE_WANT_H_RT, SECONDS(20)},
    {"in the middle of a list", "-l arch=x86_64,h_fsize=1G,h_rt=180300,h_stack=16M",
     SGE_WANT_H_RT, SECONDS(180300)},
    {"a longer name", "-l h_rt2=5,xh_rt=6", SGE_WANT_H_RT, 0},
    {"soft time", "-l s_rt=60", SGE_WANT_S_RT, SECONDS(60)},
    {"cpu time", "-l h_cpu=60,s_cpu=50", SGE_WANT_S_CPU, SECONDS(50)},
    {"bytes", "-l h_vmem=4096", SGE_WANT_H_VMEM, 4096},
    {"upper case counts 1024", "-l h_vmem=2G", SGE_WANT_H_VMEM, 2 * GIB},
    {"lower case counts 1000", "-l h_vmem=2g", SGE_WANT_H_VMEM, 2000000000},
    {"decimals", "-l h_vmem=1.5M", SGE_WANT_H_VMEM, 1572864},
    {"decimals, rounded", "-l s_vmem=1.024t", SGE_WANT_S_VMEM, INT64_C(1024000000000)},
    {"not kilobytes", "-l h_vmem=4KB", SGE_WANT_H_VMEM, 0},
    {"no number at all", "-l h_vmem=G", SGE_WANT_H_VMEM, 0},
    {"no exponent", "-l h_vmem=1e3", SGE_WANT_H_VMEM, 0},
    {"too much", "-l h_vmem=9999999999T", SGE_WANT_H_VMEM, 0},
    {"free memory", "-l mem_free=1.000G", SGE_WANT_MEM_FREE, GIB},
    {"free memory, short", "-l mf=1G", SGE_WANT_MEM_FREE, GIB},
    {"Univa's", "-l gpu=1,m_mem_free=1.000G", SGE_WANT_M_MEM_FREE, GIB},
    {"gpu", "-q long.q -l gpu=2", SGE_WANT_GPUS, 2},
    {"ngpus", "-l ngpus=4", SGE_WANT_GPUS, 4},
    {"num_gpu", "-l num_gpu=3", SGE_WANT_GPUS, 3},
    {"a gpu that is no number", "-l gpu=TRUE", SGE_WANT_GPUS, 0},
    {"slots", "-pe mpi 16", SGE_WANT_SLOTS, 16},
    {"a range of slots", "-pe mpi 4-8", SGE_WANT_SLOTS, 4},
    {"a range without end", "-pe mpi 4-", SGE_WANT_SLOTS, 4},
    {"a range without start", "-pe mpi -8", SGE_WANT_SLOTS, 1},
    {"ranges", "-pe mpi 16,8-10,12", SGE_WANT_SLOTS, 8},
    {"no slots", "-pe mpi", SGE_WANT_SLOTS, 0},
    {"slots that are none", "-pe mpi many", SGE_WANT_SLOTS, 0},
    {"zero slots", "-pe mpi 0", SGE_WANT_SLOTS, 0},
    {"all of it", "-U a,b -u ann -q big*,small* -l h_rt=5 -pe mpi 9 -P p -binding no 0 0 x",
     SGE_WANT_SLOTS, 9},
    {"blanks around", "  -l   h_rt=5   -pe  mpi   2  ", SGE_WANT_SLOTS, 2},
    {"a list after blanks", "  -l   h_rt=5   -pe  mpi   2  ", SGE_WANT_H_RT, SECONDS(5)},
    {"soft requests do not bind", "-soft -l h_rt=5", SGE_WANT_H_RT, 0},
    {"hard ones after soft ones do", "-soft -l h_rt=5 -hard -l h_rt=6", SGE_WANT_H_RT,
     SECONDS(6)},
    {"of the master alone", "-scope master -l gpu=1", SGE_WANT_GPUS, 0},
    {"of all", "-scope master -l gpu=1 -scope global -l gpu=2", SGE_WANT_GPUS, 2},
    {"in a name", "-q l -u -l", SGE_WANT_H_RT, 0},
    {"an unfinished list", "-l", SGE_WANT_H_RT, 0},
    {"no category", "NONE", SGE_WANT_SLOTS, 0},
    {"nothing at all", "", SGE_WANT_SLOTS, 0},
};

static void request_wants(void **state)
{
    const struct want_row *row = *state;
    struct sge_request request;
    sge_request_parse(str_of(row->category), &request);
    expect_int(sge_wants(&request, row->want), row->value != 0);
    if (row->value != 0) {
        expect_int(request.value[row->want], row->value);
    }
}

static void request_names_the_gpu(void **state)
{
    (void)state;
    struct sge_request request;
    sge_request_parse(STR("-l gpu=1,gpu_type=a100,h_rt=5"), &request);
    expect_text_n(request.gpu_type.ptr, request.gpu_type.len, "a100");
    sge_request_parse(STR("-l gpu=1"), &request);
    expect_true(request.gpu_type.ptr == NULL);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, request_wants, want_rows);
    SUITE_TEST(&suite, request_names_the_gpu);
    return suite_run(&suite, "sge_request");
}
