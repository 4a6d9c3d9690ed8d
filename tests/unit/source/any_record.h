/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For tests that read what any driver makes of a file: a run or a sample, whichever it is.
 */

#include "source/source.h"
#include "support/expect.h"

struct any_record {
    bool is_sample;
    struct run run;
    struct sample sample;
};

static inline enum source_step any_next(const struct source_driver *driver, const void *format,
                                        struct source_cursor *cursor, struct any_record *record,
                                        struct error *err)
{
    *record = (struct any_record){.is_sample = driver->next_sample != NULL};
    return record->is_sample ? driver->next_sample(format, cursor, &record->sample, err)
                             : driver->next(format, cursor, &record->run, err);
}

/* The rules that hold for every source, on cluster "c". */
static inline int any_check(struct any_record *record, struct error *err)
{
    if (record->is_sample) {
        SAMPLE_SET(&record->sample, cluster, STR("c"));
        return sample_check(&record->sample, err);
    }
    RUN_SET(&record->run, cluster, STR("c"));
    return run_check(&record->run, err);
}

/* Field `index`, NULL beyond the last; the one with an id, NULL if there is none. */
static inline const struct field *any_field(const struct any_record *record, size_t index)
{
    return record->is_sample         ? index < SAMPLE_FIELD_COUNT ? &sample_fields[index] : NULL
           : index < RUN_FIELD_COUNT ? &run_fields[index]
                                     : NULL;
}

static inline const struct field *any_find(const struct any_record *record, const char *id)
{
    return record->is_sample ? sample_field_find(str_of(id)) : run_field_find(str_of(id));
}

static inline bool any_has(const struct any_record *record, const struct field *field)
{
    return record->is_sample
               ? sample_has(&record->sample, (enum sample_field)(field - sample_fields))
               : run_has(&record->run, (enum run_field)(field - run_fields));
}

/* Where the value of a field is. */
static inline const char *any_at(const struct any_record *record, const struct field *field)
{
    return (record->is_sample ? (const char *)&record->sample : (const char *)&record->run) +
           field->offset;
}
