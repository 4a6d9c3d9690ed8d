/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The name of a run (record/run_id.h) as an expression over the columns it is made of, for
 * listings. `cluster` is the column with the cluster of the import. To find a run by its name,
 * parse the name and compare the columns: no scan of texts.
 *
 * The engine's url_encode leaves letters, digits and _.-~ as they are and writes all else as
 * %XX.
 */

#define RUN_ID_TEXT_SQL(column) "replace(replace(url_encode(" column "), '~', '=7E'), '%', '=')"

#define RUN_ID_ATTEMPT_SQL                                                                     \
    "CASE WHEN attempt < 0 THEN attempt::VARCHAR ELSE (attempt // 1000000)::VARCHAR || "       \
    "CASE WHEN attempt % 1000000 = 0 THEN '' ELSE '.' || "                                     \
    "rtrim(lpad((attempt % 1000000)::VARCHAR, 6, '0'), '0') END END"

#define RUN_ID_SQL(cluster)                                                                    \
    "(" RUN_ID_TEXT_SQL(                                                                       \
        cluster) " || ':' || coalesce(job::VARCHAR, '') || coalesce('~' || "                   \
                 "replace(" RUN_ID_TEXT_SQL(                                                   \
                     "job_key") ", '.', '=2E'), '') || coalesce('.' || task, '') "             \
                                "|| coalesce('+' || het, '') || coalesce('@' "                 \
                                "|| " RUN_ID_ATTEMPT_SQL ", ''))"
