/* SPDX-License-Identifier: MIT */
#include "report/queries/unused_hours.h"

#include "report/queries/grouped.h"
#include "report/sql/quantity.h"

#define WALL      "@wide(" QUANTITY_SQL_WALL ")"
#define HELD      "@wide(" QUANTITY_SQL_HELD ")"
#define GIVEN     "([cpus] * " WALL ")"
#define TOLD      "[cpus] IS NOT NULL AND [cpu_used_us] IS NOT NULL"
#define BROKEN    "coalesce(class IN ('failed', 'timeout', 'oom'), false)"
#define MEM       QUANTITY_SQL_MEMORY_ASKED
#define PEAK      "{" QUANTITY_SQL_MEMORY_WHOLE "}"
#define MEM_KNOWN MEM " IS NOT NULL AND " PEAK " IS NOT NULL"

/* Zero where there is none of them, unknown where there are and none records it. */
#define OF_CLASS(name)                                                                         \
    "CASE WHEN count(*) FILTER (class = '" name "') = 0 THEN 0 ELSE sum(" GIVEN                \
    ") FILTER (class = '" name "') END"
#define UNUSED                                                                                 \
    "CASE WHEN count(*) FILTER (NOT " BROKEN ") = 0 THEN 0 ELSE sum(greatest(" GIVEN           \
    " - [cpu_used_us], 0)) FILTER (" TOLD " AND NOT " BROKEN ") END"
#define BROKEN_HOURS "sum(" GIVEN ") FILTER (" BROKEN ")"

static const struct grouped_column columns[UNUSED_HOURS_COUNT] = {
    [UNUSED_HOURS_GIVEN] = {"job_cpu_hours", "Job CPU h", UNIT_HOURS, {"sum(" GIVEN ")"}},
    [UNUSED_HOURS_KNOWN] = {"cpu_told",
                            "Known CPU h",
                            UNIT_HOURS,
                            {"sum(" GIVEN ") FILTER (" TOLD ")"}},
    [UNUSED_HOURS_IDLE] = {"cpu_idle",
                           "Idle h",
                           UNIT_HOURS,
                           {"sum(" GIVEN " - [cpu_used_us]) FILTER (" TOLD ")"}},
    [UNUSED_HOURS_UNUSED] = {"cpu_unused", "Unused h", UNIT_HOURS, {UNUSED}},
    [UNUSED_HOURS_FAILED] = {"failed_hours", "Failed h", UNIT_HOURS, {OF_CLASS("failed")}},
    [UNUSED_HOURS_TIMEOUT] = {"timeout_hours", "Timeout h", UNIT_HOURS, {OF_CLASS("timeout")}},
    [UNUSED_HOURS_OOM] = {"oom_hours", "OOM h", UNIT_HOURS, {OF_CLASS("oom")}},
    [UNUSED_HOURS_CPU] = {"lost_hours",
                          "Lost h",
                          UNIT_HOURS,
                          {"CASE WHEN " UNUSED " IS NOT NULL OR " BROKEN_HOURS
                           " IS NOT NULL THEN coalesce(" UNUSED ", 0) + coalesce(" BROKEN_HOURS
                           ", 0) END"}},
    [UNUSED_HOURS_MEM_GIVEN] = {"mem_given",
                                "Mem GiB h",
                                UNIT_GIB_HOURS,
                                {"sum(" MEM " * " HELD ") FILTER (" MEM_KNOWN ")"}},
    [UNUSED_HOURS_MEM] = {"mem_unused",
                          "Mem lost",
                          UNIT_GIB_HOURS,
                          {"sum(greatest(" MEM " - " PEAK ", 0) * " HELD ") FILTER (" MEM_KNOWN
                           ")"}},
};

int unused_hours_ask(struct facts *facts, const struct question *question, enum unused_hours by,
                     struct table *answer, struct error *err)
{
    const struct grouped grouped = {
        .at = RUNS_SOURCE_AT_END,
        .columns = columns,
        .count = UNUSED_HOURS_COUNT,
        .sort = (size_t)by,
    };
    return grouped_ask(facts, question, &grouped, answer, err);
}
