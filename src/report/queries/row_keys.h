/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What rows of the present (nodes, jobs, waits) can be counted by: the words of --by, and the
 * columns k0, k1, ... of a statement that groups by them.
 */

#include <stdbool.h>
#include <stddef.h>

#include "facts/statement.h"
#include "record/unit.h"
#include "table/table.h"

struct key {
    const char *id, *label;
    struct expression sql; /* of a row that is counted */
    bool of_anybody;       /* says nothing of who a job belongs to; a QOS may be one person's */
    bool in_cluster;       /* the same name on another cluster is another thing */
};

/* The one with this id, which there is. */
const struct key *key_find(const struct key *keys, const char *id);

/*
 * Puts the key `cluster` before keys that need it; `ids` has room for one more. For an answer
 * of several clusters.
 */
void keys_by_cluster(const struct key *keys, const char **ids, size_t *count);

/* "k0, k1, " */
void keys_add(struct statement *sql, size_t count);

/* "SQL AS k0, SQL AS k1, " */
void keys_add_each(struct statement *sql, const struct key *keys, const char *const *ids,
                   size_t count);

/* ", k0 NULLS LAST, k1 NULLS LAST": behind another order. */
void keys_add_order(struct statement *sql, size_t count);

/* Names the first columns of an answer. */
void keys_name(struct table *answer, const struct key *keys, const char *const *ids,
               size_t count);

/* Names a column: a measure where it has a unit, else a dimension. */
void keys_name_column(struct table *answer, size_t column, const char *id, const char *label,
                      enum unit unit);
