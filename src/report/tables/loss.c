/* SPDX-License-Identifier: MIT */
#include "report/tables/loss.h"

#include "report/sql/quantity.h"
#include "report/tables/grouped.h"

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

static const struct grouped_column columns[LOSS_COUNT] = {
    [LOSS_GIVEN] = {"job_cpu_hours", "Job CPU h", UNIT_HOURS, {"sum(" GIVEN ")"}},
    [LOSS_KNOWN] = {"cpu_told",
                    "Known CPU h",
                    UNIT_HOURS,
                    {"sum(" GIVEN ") FILTER (" TOLD ")"}},
    [LOSS_IDLE] = {"cpu_idle",
                   "Idle h",
                   UNIT_HOURS,
                   {"sum(" GIVEN " - [cpu_used_us]) FILTER (" TOLD ")"}},
    [LOSS_UNUSED] = {"cpu_unused", "Unused h", UNIT_HOURS, {UNUSED}},
    [LOSS_FAILED] = {"failed_hours", "Failed h", UNIT_HOURS, {OF_CLASS("failed")}},
    [LOSS_TIMEOUT] = {"timeout_hours", "Timeout h", UNIT_HOURS, {OF_CLASS("timeout")}},
    [LOSS_OOM] = {"oom_hours", "OOM h", UNIT_HOURS, {OF_CLASS("oom")}},
    [LOSS_CPU] = {"lost_hours",
                  "Lost h",
                  UNIT_HOURS,
                  {"CASE WHEN " UNUSED " IS NOT NULL OR " BROKEN_HOURS
                   " IS NOT NULL THEN coalesce(" UNUSED ", 0) + coalesce(" BROKEN_HOURS
                   ", 0) END"}},
    [LOSS_MEM_GIVEN] = {"mem_given",
                        "Mem GiB h",
                        UNIT_GIB_HOURS,
                        {"sum(" MEM " * " HELD ") FILTER (" MEM_KNOWN ")"}},
    [LOSS_MEM] = {"mem_unused",
                  "Mem lost",
                  UNIT_GIB_HOURS,
                  {"sum(greatest(" MEM " - " PEAK ", 0) * " HELD ") FILTER (" MEM_KNOWN ")"}},
};

int loss_ask(struct facts *facts, const struct question *question, enum loss by,
             struct table *answer, struct error *err)
{
    const struct grouped grouped = {
        .at = BOOKED_AT_END,
        .columns = columns,
        .count = LOSS_COUNT,
        .sort = (size_t)by,
    };
    return grouped_ask(facts, question, &grouped, answer, err);
}
