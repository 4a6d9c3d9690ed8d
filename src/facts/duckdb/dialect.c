/* SPDX-License-Identifier: MIT */
#include "facts/dialect.h"

#include "facts/duckdb/run_id_sql.h"

static const struct dialect duckdb = {
    .engine = "DuckDB",
    .types =
        {
            [TYPE_TEXT] = "VARCHAR",
            [TYPE_INTEGER] = "BIGINT",
            [TYPE_WIDE] = "HUGEINT",
            [TYPE_REAL] = "DOUBLE",
        },
    .templates =
        {
            [DIALECT_wide] = "($1)::HUGEINT",
            [DIALECT_long] = "($1)::BIGINT",
            [DIALECT_real] = "($1)::DOUBLE",
            [DIALECT_text] = "($1)::VARCHAR",
            [DIALECT_unknown_wide] = "NULL::HUGEINT",
            [DIALECT_unknown_real] = "NULL::DOUBLE",
            [DIALECT_divide] = "(($1) // ($2))",
            /*
             * what lies below a mark is rounded down, and nothing is multiplied that could
             * outgrow 64 bits
             */
            [DIALECT_part] = "(CASE WHEN $2 = 1 THEN $1 ELSE (($1) // $2) * ($4 - $3) + (($1) "
                             "% $2 * $4) // $2 "
                             "- (($1) % $2 * $3) // $2 END)",
            [DIALECT_slot] = "(($1 - $2) // $3)",
            [DIALECT_asof] = "ASOF JOIN $1 $2 ON $3 >= $2.lower",
            [DIALECT_glob] = "($1 GLOB $2)",
            [DIALECT_begins] = "starts_with($1, $2)",
            [DIALECT_quantile] = "quantile_disc($1, $2)",
            [DIALECT_latest] = "arg_max($1, $2)",
            [DIALECT_same] = "$1 IS NOT DISTINCT FROM $2",
            [DIALECT_differs] = "$1 IS DISTINCT FROM $2",
            [DIALECT_each] = "unnest(range($1, $2))",
            [DIALECT_items] = "unnest(coalesce(string_split($1, ','), [NULL]))",
            [DIALECT_hosts] = "hostlist_expand($1)",
            [DIALECT_host_cpus] = "hostlist_cpus($1)",
            [DIALECT_has_host] = "coalesce(hostlist_has($1, $2), false)",
            [DIALECT_begin_end] = "unnest([$1, $2])",
            [DIALECT_magnitude] = "floor(log2($1))::BIGINT",
            [DIALECT_row] = "$1.rowid",
            [DIALECT_run_id] = RUN_ID_SQL("$1"),
            [DIALECT_plain] = "url_decode(replace($1, '=', '%'))",
            [DIALECT_exclude] = "EXCLUDE ($*)",
            [DIALECT_replace] = "REPLACE ($*)",
            [DIALECT_sums_of] = "sum(COLUMNS($1))",
            [DIALECT_by_name] = "BY NAME",
        },
};

const struct dialect *dialect_of_engine(void)
{
    return &duckdb;
}
