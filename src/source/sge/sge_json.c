/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>

#include "source/sge/sge_row.h"

/*
 * The JSON lines of Open and Gridware Cluster Scheduler 9, sge_accounting(5):
 *
 *     {"job_number":4,"task_number":0,"start_time":1725898198580794,...,"owner":"ann",...,
 *      "usage":{"rusage":{"ru_wallclock":100,...},"usage":{"cpu":0.198,"maxrss":950272.0,...}}}
 *
 * Keys are those of the columns but for three. The measured values have moved between versions:
 * at the top, in `usage`, or one object deeper, under several names; they are looked for in all
 * of these. Times are in microseconds, which their size says. The line is written again as a
 * colon row, so that one piece of code gives the columns their meaning.
 */

enum { NUMBER_TEXT_MAX = 32 };

static json_t *get_in(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_string(value) || json_is_number(value) ? value : NULL;
}

static json_t *find_key(const json_t *record, const char *key)
{
    static const char *const folders[] = {"rusage", "usage", "eusage"};
    json_t *value = get_in(record, key);
    const json_t *usage = json_object_get(record, "usage");
    if (!value) {
        value = get_in(usage, key);
    }
    for (size_t i = 0; i < COUNT_OF(folders) && !value; i++) {
        value = get_in(json_object_get(usage, folders[i]), key);
        if (!value) {
            value = get_in(json_object_get(record, folders[i]), key);
        }
    }
    return value;
}

static json_t *find_column(const json_t *record, enum sge_column column)
{
    json_t *value = find_key(record, sge_columns[column].key);
    if (!value && column == SGE_SUBMIT_CMD) {
        value = find_key(record, "submit_cmd_line");
    } else if (!value && column == SGE_PE_TASKID) {
        value = find_key(record, "pe_task_id");
    } else if (!value && column == SGE_QDEL_INFO) {
        value = find_key(record, "deleted_by");
    }
    return value;
}

/*
 * The value as the text of a column, either borrowed or written into `number`; null if there is
 * none.
 */
static struct str column_text(const json_t *record, enum sge_column column,
                              char number[NUMBER_TEXT_MAX])
{
    const json_t *value = find_column(record, column);
    if (json_is_string(value)) {
        return (struct str){json_string_value(value), json_string_length(value)};
    }
    int len = 0;
    if (json_is_integer(value)) {
        len = snprintf(number, NUMBER_TEXT_MAX, "%" JSON_INTEGER_FORMAT,
                       json_integer_value(value));
    } else if (json_is_real(value)) {
        len = snprintf(number, NUMBER_TEXT_MAX, "%.17g", json_real_value(value));
    } else {
        return (struct str){0};
    }
    return (struct str){number, (size_t)len};
}

static void write_row(const json_t *record, struct arena *arena, struct sge_row *row)
{
    char numbers[SGE_COLUMN_COUNT][NUMBER_TEXT_MAX];
    struct str texts[SGE_COLUMN_COUNT];
    for (unsigned i = 0; i < SGE_COLUMN_COUNT; i++) {
        texts[i] = column_text(record, i, numbers[i]);
    }
    sge_row_write(texts, arena, row);
}

static int check_keys(const json_t *record, struct error *err)
{
    static const char *const needed[] = {"job_number", "owner", "start_time", "end_time",
                                         "slots"};
    if (!json_is_object(record)) {
        return error_set(err, ERROR_INPUT, "is JSON but not an object");
    }
    if (json_object_get(record, "type")) {
        return error_set(err, ERROR_INPUT,
                         "is a record of the reporting file; import the accounting file");
    }
    for (size_t i = 0; i < COUNT_OF(needed); i++) {
        if (!get_in(record, needed[i])) {
            return error_set(err, ERROR_INPUT, "is JSON without '%s'", needed[i]);
        }
    }
    return 0;
}

int sge_json_row(struct str line, struct arena *arena, struct sge_row *row, struct error *err)
{
    json_error_t where;
    json_t *record = json_loadb(line.ptr, line.len, 0, &where);
    if (!record) {
        return error_set(err, ERROR_INPUT, "is not JSON: %s at byte %d", where.text,
                         where.position);
    }
    int failed = check_keys(record, err);
    if (!failed) {
        write_row(record, arena, row);
    }
    json_decref(record);
    return failed;
}
