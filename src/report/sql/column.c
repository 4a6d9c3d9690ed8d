/* SPDX-License-Identifier: MIT */
#include "report/sql/column.h"

#include "report/queries/sample_column.h"
#include "report/sql/quantity.h"

/* A time of the run, absent while its end is. */
#define ENDED(time) "CASE WHEN \"end\" IS NOT NULL AND start IS NOT NULL THEN " time " END"
#define TOOK        ENDED(QUANTITY_SQL_WALL)
#define HELD        ENDED(QUANTITY_SQL_HELD)

/* What a field of use is based on where there are no samples. */
#define RECORDED(known) "CASE WHEN " known " THEN 'scheduler' END"
#define CPU_RECORDED    RECORDED("cpu_used_us IS NOT NULL")
#define GPU_RECORDED    RECORDED("gpu_used_us IS NOT NULL")
#define IO_RECORDED     RECORDED("io_bytes IS NOT NULL")
#define ENERGY_RECORDED RECORDED("energy_mj > 0")

static const struct expression derived[DERIVED_COUNT] = {
    [DERIVED_ID] = {"(" COLUMN_SQL_ID ")"},
    [DERIVED_RUN_ID] = {"(@run_id(cluster))"},
    [DERIVED_WALL] = {"(\"end\" - start)"},
    [DERIVED_WAIT] = {"(start - submit)"},
    [DERIVED_CPU_HOURS] = {"(cpus * " TOOK ")"},
    [DERIVED_CPU_EFFICIENCY] = {"(cpu_used_us / nullif(@real(cpus) * " TOOK ", 0))"},
    [DERIVED_MEM_EFFICIENCY] = {"((" QUANTITY_SQL_MEMORY_WHOLE
                                ") / nullif(@real(coalesce(mem_bytes, req_mem_bytes)), 0))"},
    [DERIVED_GPU_EFFICIENCY] = {"(gpu_used_us / nullif(@real(gpus) * " HELD ", 0))"},
    [DERIVED_TIME_EFFICIENCY] = {"(" TOOK " / nullif(@real(req_wall_us), 0))"},
    [DERIVED_CPU_BASIS] = {"(" CPU_RECORDED ")"},
    [DERIVED_GPU_BASIS] = {"(" GPU_RECORDED ")"},
    [DERIVED_IO_BASIS] = {"(" IO_RECORDED ")"},
    [DERIVED_ENERGY_BASIS] = {"(" ENERGY_RECORDED ")"},
    [DERIVED_IO_READ] = {"(@long(NULL))"},
    [DERIVED_IO_WRITTEN] = {"(@long(NULL))"},
    [DERIVED_CPU_SAMPLED] = {"(@real(NULL))"},
    [DERIVED_MEM_SAMPLED] = {"(@real(NULL))"},
    [DERIVED_GPU_SAMPLED] = {"(@real(NULL))"},
    [DERIVED_IO_SAMPLED] = {"(@real(NULL))"},
    [DERIVED_ENERGY_SAMPLED] = {"(@real(NULL))"},
    [DERIVED_METAGROUP] = {"metagroup"},
    [DERIVED_METAGROUP_TOP] = {"metagroup_top"},
    [DERIVED_PERSON] = {"person"},
    [DERIVED_SIZE] = {"(CASE WHEN cpus < 1 THEN 0 WHEN cpus < 16384 THEN @magnitude(cpus) "
                      "WHEN cpus >= 16384 THEN 14 END)"},
    [DERIVED_SHAPE] = {"(CASE WHEN node_count > 1 THEN 2 WHEN cpus > 1 THEN CASE WHEN "
                       "node_count = 1 THEN 1 ELSE 3 END WHEN cpus <= 1 THEN 0 END)"},
    /* places in the calendar, no columns of a run: see sql_build.h */
    [DERIVED_WEEKDAY] = {""},
    [DERIVED_HOUR_OF_DAY] = {""},
};

/* With the columns of use_table_beside. */
static const struct expression resolved[DERIVED_COUNT] = {
    [DERIVED_CPU_BASIS] = {"coalesce(use_cpu_by, " CPU_RECORDED ")"},
    [DERIVED_GPU_BASIS] = {"coalesce(use_gpu_by, " GPU_RECORDED ")"},
    [DERIVED_IO_BASIS] = {"coalesce(use_io_by, " IO_RECORDED ")"},
    [DERIVED_ENERGY_BASIS] = {"coalesce(use_energy_by, " ENERGY_RECORDED ")"},
    [DERIVED_IO_READ] = {"use_bytes_in"},
    [DERIVED_IO_WRITTEN] = {"use_bytes_out"},
    [DERIVED_CPU_SAMPLED] = {"use_cpu_sampled"},
    [DERIVED_MEM_SAMPLED] = {"use_mem_sampled"},
    [DERIVED_GPU_SAMPLED] = {"use_gpu_sampled"},
    [DERIVED_IO_SAMPLED] = {"use_io_sampled"},
    [DERIVED_ENERGY_SAMPLED] = {"use_energy_sampled"},
};

void column_add_resolved(struct statement *sql, const struct field *field)
{
    if (column_is_of_samples(field)) {
        statement_expression(sql, resolved[column_derived(field)]);
    } else {
        column_add(sql, field);
    }
}

void column_add(struct statement *sql, const struct field *field)
{
    if (sample_column_is_derived(field)) {
        statement_add(sql, "cpu_util"); /* as sample_listing.c calls it */
    } else if (!field->member) {
        statement_expression(sql, derived[column_derived(field)]);
    } else if (sample_column_is(field) && field->unit == UNIT_RATIO) {
        statement_add(sql, "("); /* kept in millionths, a real number everywhere else */
        statement_name(sql, identifier_of(field));
        statement_add(sql, " / 1e6)");
    } else {
        statement_name(sql, identifier_of(field));
    }
}
