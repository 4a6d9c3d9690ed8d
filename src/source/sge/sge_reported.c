/* SPDX-License-Identifier: MIT */
#include "source/sge/sge_row.h"

/*
 * The reporting file: rows of the accounting file behind a time and a type, among others.
 *
 * Each midnight the master writes one for every job that still runs and that ran for a minute
 * at least by then. It has no exit status (-1), and holds what the job used since the row
 * before, which its start is the time of. So does the row at the job's end: it is no more than
 * the rest. What stands in both files then differs, seen with 8.1.9:
 *
 *             start            end   exit  ru_wallclock  ru_utime  cpu     maxvmem
 *   midnight  start            now   -1    0             0         since   so far
 *   midnight  midnight before  now   -1    0             0         since   so far
 *   its end   last midnight    end    0    of all of it  all       since   all
 *   accounting: start          end    0    all           all       all     all
 *
 * An attempt that was stopped to be run again after a midnight has the row of its end too,
 * without an exit status and with its failure code, where the accounting file has nothing but
 * zeros.
 *
 * Where the slave tasks of a job are in its own row (accounting_summary), its days do not even
 * add up: theirs is counted from the beginning each time, and is not in the peak of the last
 * row.
 *
 * So rows of midnights are passed over. The start of a rest follows from ru_wallclock, which
 * makes it the same run as that of the accounting file; what counts since midnight is unknown
 * rather than too little.
 */

enum {
    TIME_DIGITS = 9, /* at least, of the time a line begins with */
};

/*
 * A rest is shorter than its wall time by a minute, less what it took the job to get from the
 * master to its node.
 */
#define REST_LEAST_US INT64_C(30000000)

/* No queue has a number of ten digits for its name and stands on a host of these names. */
bool sge_reported_cut(struct str line, struct str *type, struct str *row)
{
    static const struct str types[] = {
        {"acct", 4},       {"job_log", 7},  {"new_job", 7},           {"queue", 5},
        {"host", 4},       {"sharelog", 8}, {"queue_consumable", 16}, {"host_consumable", 15},
        {"new_ar", 6},     {"ar_log", 6},   {"ar_attribute", 12},     {"ar_resource_usage", 17},
        {"ar_account", 10}};

    size_t digits = 0;
    while (digits < line.len && line.ptr[digits] >= '0' && line.ptr[digits] <= '9') {
        digits++;
    }
    if (digits < TIME_DIGITS || digits == line.len || line.ptr[digits] != ':') {
        return false;
    }
    *row = (struct str){line.ptr + digits + 1, line.len - digits - 1};
    *type = str_cut(row, ':');
    for (size_t i = 0; row->ptr && i < COUNT_OF(types); i++) {
        if (str_eq(*type, types[i])) {
            return true;
        }
    }
    return false;
}

bool sge_reported_continues(const struct sge_row *row)
{
    const struct str exit_status = sge_column(row, SGE_EXIT_STATUS);
    return str_eq(sge_column(row, SGE_FAILED), STR("0")) &&
           (str_eq(exit_status, STR("-1")) || str_eq(exit_status, STR("4294967295")));
}

/*
 * The end of an attempt that was stopped to be run again: as the accounting file has it, with
 * no time in it and no use.
 */
static void mend_requeued(struct sge_values *values)
{
    static const enum sge_count not_recorded[] = {SGE_COUNT_SUBMIT, SGE_COUNT_START,
                                                  SGE_COUNT_END, SGE_COUNT_EXIT};

    for (size_t i = 0; i < COUNT_OF(not_recorded); i++) {
        values->count[not_recorded[i]] = 0;
    }
    values->known = 0;
}

static void forget(struct sge_values *values, const enum sge_amount *amounts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values->known &= ~(1U << (unsigned)amounts[i]);
    }
}

/* The rest of a job of which a midnight has a row. */
static void mend_rest(struct sge_values *values)
{
    static const enum sge_amount since[] = {SGE_AMOUNT_CPU, SGE_AMOUNT_INTEGRAL, SGE_AMOUNT_IO,
                                            SGE_AMOUNT_IO_WAIT, SGE_AMOUNT_IO_OPS};

    static const enum sge_amount peaks[] = {SGE_AMOUNT_VMEM, SGE_AMOUNT_RSS,
                                            SGE_AMOUNT_PROCESS_RSS};

    values->count[SGE_COUNT_START] =
        sge_instant(values->count[SGE_COUNT_END]) - values->amount[SGE_AMOUNT_WALL];
    forget(values, since, COUNT_OF(since));
    if (values->count[SGE_COUNT_SLOTS] > 1) {
        forget(values, peaks, COUNT_OF(peaks)); /* of the slave tasks, perhaps */
    }
}

static bool is_rest(const struct sge_values *values)
{
    const int64_t submit = sge_instant(values->count[SGE_COUNT_SUBMIT]);
    const int64_t start = sge_instant(values->count[SGE_COUNT_START]);
    const int64_t end = sge_instant(values->count[SGE_COUNT_END]);
    const int64_t wall = values->amount[SGE_AMOUNT_WALL];
    return sge_knows(values, SGE_AMOUNT_WALL) && start > 0 && end >= start && wall < end &&
           wall - (end - start) >= REST_LEAST_US && end - wall >= submit - REST_LEAST_US;
}

bool sge_reported_mend(struct sge_values *values)
{
    const int64_t exit_status = values->count[SGE_COUNT_EXIT];
    if (exit_status == -1 || exit_status == UINT32_MAX) {
        mend_requeued(values);
        return false;
    }
    const bool rest = is_rest(values);
    if (rest) {
        mend_rest(values);
    }
    return rest;
}
