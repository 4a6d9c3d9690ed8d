/* SPDX-License-Identifier: MIT */
#include "report/queries/row_keys.h"

#include <string.h>

const struct key *key_find(const struct key *keys, const char *id)
{
    while (strcmp(keys->id, id) != 0) {
        keys++;
    }
    return keys;
}

#define CLUSTER "cluster"

void keys_by_cluster(const struct key *keys, const char **ids, size_t *count)
{
    bool wanted = false, there = false;
    for (size_t i = 0; i < *count; i++) {
        wanted = wanted || key_find(keys, ids[i])->in_cluster;
        there = there || strcmp(ids[i], CLUSTER) == 0;
    }
    if (wanted && !there) {
        memmove(ids + 1, ids, *count * sizeof(*ids));
        ids[0] = CLUSTER;
        (*count)++;
    }
}

void keys_add(struct statement *sql, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        statement_add(sql, "k%zu, ", i);
    }
}

void keys_add_each(struct statement *sql, const struct key *keys, const char *const *ids,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        statement_expression(sql, key_find(keys, ids[i])->sql);
        statement_add(sql, " AS k%zu, ", i);
    }
}

void keys_add_order(struct statement *sql, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        statement_add(sql, ", k%zu NULLS LAST", i);
    }
}

void keys_name(struct table *answer, const struct key *keys, const char *const *ids,
               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct key *key = key_find(keys, ids[i]);
        keys_name_column(answer, i, key->id, key->label, UNIT_NONE);
    }
}

void keys_name_column(struct table *answer, size_t column, const char *id, const char *label,
                      enum unit unit)
{
    answer->columns[column].id = id;
    answer->columns[column].label = label;
    answer->columns[column].unit = unit;
    answer->columns[column].role = unit == UNIT_NONE ? COLUMN_DIMENSION : COLUMN_MEASURE;
}
