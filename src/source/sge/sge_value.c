/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "source/sge/sge_number.h"
#include "source/sge/sge_row.h"

/*
 * The numbers of a row. Counts and times, and that the others are numbers at all, also prove
 * that the columns are where we think (see sge_align.c). What was measured may be unknown: nan,
 * less than nothing, or more than any machine can have done.
 */

enum {
    FAILED_MAX = 999,  /* largest failure code that is not plainly something else */
    SHOW_MAX = 60,     /* bytes of a bad value that are shown */
    INT_TEXT_MAX = 32, /* what is longer is no number but a row of zeros */
};

const struct sge_column_info sge_columns[SGE_COLUMN_COUNT] = {
#define X(column, key_, kind_, words_)                                                         \
    [SGE_##column] = {.key = (key_), .words = (words_), .kind = SGE_##kind_},
    SGE_COLUMNS(X)
#undef X
};

static const enum sge_column count_columns[SGE_COUNTS] = {
    [SGE_COUNT_JOB] = SGE_JOB_NUMBER,   [SGE_COUNT_SUBMIT] = SGE_SUBMISSION_TIME,
    [SGE_COUNT_START] = SGE_START_TIME, [SGE_COUNT_END] = SGE_END_TIME,
    [SGE_COUNT_FAILED] = SGE_FAILED,    [SGE_COUNT_EXIT] = SGE_EXIT_STATUS,
    [SGE_COUNT_SLOTS] = SGE_SLOTS,      [SGE_COUNT_TASK] = SGE_TASK_NUMBER,
    [SGE_COUNT_RESERVATION] = SGE_ARID,
};

/* An amount is kept as a whole number of parts, `unit` of which make the column's 1. */
struct amount_column {
    enum sge_column column;
    int64_t unit;
};

static const struct amount_column amount_columns[SGE_AMOUNTS] = {
    [SGE_AMOUNT_WALL] = {SGE_RU_WALLCLOCK, 1000000},
    [SGE_AMOUNT_USER] = {SGE_RU_UTIME, 1000000},
    [SGE_AMOUNT_SYSTEM] = {SGE_RU_STIME, 1000000},
    [SGE_AMOUNT_PROCESS_RSS] = {SGE_RU_MAXRSS, 1024},
    [SGE_AMOUNT_CPU] = {SGE_CPU, 1000000},
    [SGE_AMOUNT_INTEGRAL] = {SGE_MEM, 1000000},
    [SGE_AMOUNT_IO] = {SGE_IO, INT64_C(1) << 30},
    [SGE_AMOUNT_IO_WAIT] = {SGE_IOW, 1000000},
    [SGE_AMOUNT_VMEM] = {SGE_MAXVMEM, 1},
    [SGE_AMOUNT_RSS] = {SGE_MAXRSS, 1},
    [SGE_AMOUNT_IO_OPS] = {SGE_IOOPS, 1},
};

static bool refuse_sge_value(const struct sge_row *row, enum sge_column column,
                             const char *what, struct error *err)
{
    struct str text = sge_column(row, column);
    if (text.len > SHOW_MAX) {
        text.len = SHOW_MAX;
        while (text.len > 0 && ((unsigned char)text.ptr[text.len] & 0xc0) == 0x80) {
            text.len--;
        }
    }
    error_set(err, ERROR_INPUT, "%s '%.*s' is not %s", sge_columns[column].words, STR_ARG(text),
              what);
    return false;
}

static bool bad(const struct sge_row *row, enum sge_column column, struct error *err)
{
    static const char *const kinds[] = {
        [SGE_TEXT] = "a text",
        [SGE_COUNT] = "a whole number",
        [SGE_TIME] = "a time",
        [SGE_AMOUNT] = "a number",
    };
    return refuse_sge_value(row, column, kinds[sge_columns[column].kind], err);
}

static inline bool read_int(const struct sge_row *row, enum sge_column column, int64_t *out)
{
    if (sge_number_int(row, column, out)) {
        return true;
    }
    struct str text = sge_column(row, column);
    return text.len <= INT_TEXT_MAX && scan_int(text, out);
}

static bool read_counts(const struct sge_row *row, struct sge_values *out, struct error *err)
{
    unsigned counts = row->count > SGE_ARID ? SGE_COUNTS : SGE_COUNT_RESERVATION;
    out->count[SGE_COUNT_RESERVATION] = 0;
    for (unsigned i = 0; i < counts; i++) {
        if (!read_int(row, count_columns[i], &out->count[i])) {
            return bad(row, count_columns[i], err);
        }
    }
    if (out->count[SGE_COUNT_JOB] < 0) {
        return refuse_sge_value(row, SGE_JOB_NUMBER, "possible", err);
    }
    if (out->count[SGE_COUNT_SLOTS] < 0) {
        return refuse_sge_value(row, SGE_SLOTS, "possible", err);
    }
    if (out->count[SGE_COUNT_FAILED] < 0 || out->count[SGE_COUNT_FAILED] > FAILED_MAX) {
        return refuse_sge_value(row, SGE_FAILED, "possible", err);
    }
    return true;
}

/* Whether it is made of what numbers are made of, or says that it is none. */
static bool is_numeric(struct str text)
{
    if (str_eq(text, STR("nan")) || str_eq(text, STR("-nan")) || str_eq(text, STR("inf")) ||
        str_eq(text, STR("-inf"))) {
        return true;
    }
    bool digits = false;
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        bool digit = byte >= '0' && byte <= '9';
        bool part = byte == '.' || byte == '-' || byte == '+' || byte == 'e' || byte == 'E';
        if (!digit && !part) {
            return false;
        }
        digits |= digit;
    }
    return digits;
}

/* Reads one amount; false if it is no number. */
static inline bool read_amount(const struct sge_row *row, unsigned which,
                               struct sge_values *out)
{
    const struct amount_column *from = &amount_columns[which];
    int64_t whole = 0;
    int64_t millionths = 0;
    bool known = false;
    if (sge_number_fixed(row, from->column, &whole, &millionths)) {
        int64_t rest = (int64_t)((uint64_t)(millionths * from->unit + 500000) / 1000000);
        known = !__builtin_mul_overflow(whole, from->unit, &out->amount[which]) &&
                !__builtin_add_overflow(out->amount[which], rest, &out->amount[which]);
    } else {
        struct str text = sge_column(row, from->column);
        if (!is_numeric(text)) {
            return false;
        }
        known = scan_size(text, from->unit, &out->amount[which]);
    }
    out->known |= (unsigned)known << which;
    return true;
}

static bool read_amounts(const struct sge_row *row, struct sge_values *out, struct error *err)
{
    out->known = 0;
    for (unsigned i = 0; i < SGE_AMOUNTS; i++) {
        enum sge_column column = amount_columns[i].column;
        if ((unsigned)column >= row->count) {
            break; /* they are in the order of the columns */
        }
        /*
         * From RSS on they are the columns of some makers: in the rows of others not numbers.
         */
        if (!read_amount(row, i, out) && i < SGE_AMOUNT_RSS) {
            return bad(row, column, err);
        }
    }
    return true;
}

bool sge_value_read(const struct sge_row *row, struct sge_values *out, struct error *err)
{
    if (!read_counts(row, out, err) || !read_amounts(row, out, err)) {
        return false;
    }
    out->has_priority = read_int(row, SGE_PRIORITY, &out->priority);
    return out->has_priority || is_numeric(sge_column(row, SGE_PRIORITY)) ||
           bad(row, SGE_PRIORITY, err);
}
