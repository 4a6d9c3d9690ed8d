/* SPDX-License-Identifier: MIT */
#include "report/catalog.h"

const struct measure measures[] = {
    {
        .id = "jobs",
        .label = "Jobs",
        .doc = "runs that had started and ended in the period",
        .unit = UNIT_COUNT,
        .kind = MEASURE_AT_END,
        .sql = "count(*)",
        .additive = true,
    },
    {
        .id = "jobs_started",
        .label = "Started",
        .doc = "runs that started in the period",
        .unit = UNIT_COUNT,
        .kind = MEASURE_AT_START,
        .sql = "count(*)",
        .additive = true,
    },
    {
        .id = "jobs_active",
        .label = "Active",
        .doc = "runs that overlapped the period; one that took no time overlaps its instant",
        .unit = UNIT_COUNT,
        .kind = MEASURE_ACTIVE,
    },
    {
        .id = "cpu_hours",
        .label = "CPU hours",
        .doc = "allocated cpus x time within the period; runs that go on count up to now",
        .unit = UNIT_HOURS,
        .kind = MEASURE_OVERLAP,
        .sql = "cpus",
        .additive = true,
    },
    {
        .id = "wall_hours",
        .label = "Wall hours",
        .doc = "time that runs took within the period, whatever their size",
        .unit = UNIT_HOURS,
        .kind = MEASURE_OVERLAP,
        .sql = "1",
        .additive = true,
    },
    {
        .id = "wait_hours",
        .label = "Wait hours",
        .doc = "time from submission to start of the runs that started in the period",
        .unit = UNIT_HOURS,
        .kind = MEASURE_AT_START,
        .sql = "sum(greatest(start - submit, 0)) FILTER (submit IS NOT NULL)",
        .additive = true,
    },
    {
        .id = "users",
        .label = "Users",
        .doc = "different users with a run that overlapped the period; never to be summed",
        .unit = UNIT_COUNT,
        .kind = MEASURE_DISTINCT,
        .sql = "\"user\"",
    },
};

const size_t measure_count = COUNT_OF(measures);

const struct measure *measure_find(struct str id)
{
    for (size_t i = 0; i < measure_count; i++) {
        if (str_eq(id, str_of(measures[i].id))) {
            return &measures[i];
        }
    }
    return NULL;
}

/* A derived column is a field without a member: X(id, type, unit, label, doc, sql) */
#define DERIVED_FIELDS(X)                                                                      \
    X("id", TEXT, NONE, "Id", "job and array task, as stint job takes it: 4711, 4711.3",       \
      "(coalesce(job::VARCHAR, job_key) || coalesce('.' || task, '') || coalesce('+' || het, " \
      "''))")                                                                                  \
    X("wall", INT, SECONDS, "Wall", "time from start to end", "(\"end\" - start)")             \
    X("wait", INT, SECONDS, "Wait", "time from submission to start", "(start - submit)")       \
    X("cpu_hours", INT, HOURS, "CPU hours", "allocated cpus x time from start to end",         \
      "(cpus * CASE WHEN \"end\" < start THEN 0 ELSE \"end\" - start END)")                    \
    X("cpu_efficiency", INT, RATIO, "CPU eff", "cpu time used / cpu time allocated",           \
      "(cpu_used_us / nullif(cpus::DOUBLE * CASE WHEN \"end\" < start THEN 0 ELSE \"end\" - "  \
      "start END, 0))")

const struct field derived_fields[] = {
#define X(id_, type_, unit_, label_, doc_, sql_)                                               \
    {.id = id_, .label = label_, .doc = doc_, .type = FIELD_##type_, .unit = UNIT_##unit_},
    DERIVED_FIELDS(X)
#undef X
};

const size_t derived_field_count = COUNT_OF(derived_fields);

const char *column_sql(const struct field *field)
{
    static const char *const fields[RUN_FIELD_COUNT] = {
#define X(member, id, type, unit, flags, label, doc) "\"" #member "\"",
        RUN_FIELDS(X)
#undef X
    };
    static const char *const derived[COUNT_OF(derived_fields)] = {
#define X(id, type, unit, label, doc, sql) sql,
        DERIVED_FIELDS(X)
#undef X
    };
    return field->member ? fields[field - run_fields] : derived[field - derived_fields];
}

const struct field *column_find(struct str id)
{
    for (size_t i = 0; i < derived_field_count; i++) {
        if (str_eq(id, str_of(derived_fields[i].id))) {
            return &derived_fields[i];
        }
    }
    return run_field_find(id);
}

bool dimension_is(const struct field *field)
{
    return field->member && !(field->flags & FIELD_INTERNAL);
}

const struct field *dimension_find(struct str id)
{
    const struct field *field = run_field_find(id);
    return field && dimension_is(field) ? field : NULL;
}
