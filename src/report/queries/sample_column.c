/* SPDX-License-Identifier: MIT */
#include "report/queries/sample_column.h"

/* X(id, type, unit, label, doc); how they are written in SQL is in report/sql/column.c. */
#define SAMPLE_DERIVED(X)                                                                      \
    X("cpu_util", INT, RATIO, "CPU",                                                           \
      "mean cpu use since the previous sample; for the first one, cpu_avg; 100% is one cpu")

const struct field sample_derived[] = {
#define X(id_, type_, unit_, label_, doc_)                                                     \
    {                                                                                          \
        .id = id_,                                                                             \
        .label = label_,                                                                       \
        .doc = doc_,                                                                           \
        .type = FIELD_##type_,                                                                 \
        .unit = UNIT_##unit_,                                                                  \
    },
    SAMPLE_DERIVED(X)
#undef X
};
const size_t sample_derived_count = COUNT_OF(sample_derived);

/* Bookkeeping comes last in the list. */
const struct field *sample_column_at(size_t index)
{
    const size_t shown = SAMPLE_file;
    return index < shown                          ? &sample_fields[index]
           : index - shown < sample_derived_count ? &sample_derived[index - shown]
                                                  : NULL;
}

const struct field *sample_column_find(struct str id)
{
    for (size_t i = 0; i < sample_derived_count; i++) {
        if (str_eq(id, str_of(sample_derived[i].id))) {
            return &sample_derived[i];
        }
    }
    return sample_field_find(id);
}

bool sample_column_is_derived(const struct field *field)
{
    return field >= sample_derived && field < sample_derived + sample_derived_count;
}

bool sample_column_is(const struct field *field)
{
    return (field >= sample_fields && field < sample_fields + SAMPLE_FIELD_COUNT) ||
           sample_column_is_derived(field);
}
