/* SPDX-License-Identifier: MIT */
#include "books/cluster_rule.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/books_internal.h"

static int patterns(const struct cluster_rule *rule)
{
    return (rule->node.ptr != NULL) + (rule->partition.ptr != NULL);
}

int books_cluster_rules(struct books *books, struct cluster_rules *out, struct error *err)
{
    const struct kind *kind = kind_find(STR("cluster"));
    struct books_rows rows;
    int failed = books_list(books, kind, &rows, err);
    *out = (struct cluster_rules){.arena = rows.arena}; /* whose text the rules keep */
    rows.arena = (struct arena){0};
    out->rows = mem_alloc(rows.count + 1, sizeof(*out->rows));
    for (int wanted = 2; !failed && wanted >= 0; wanted--) {
        for (size_t i = 0; i < rows.count; i++) {
            struct cluster_rule *rule = &out->rows[out->count];
            *rule = (struct cluster_rule){
                .cluster = kind_cell(kind, &rows.rows[i], "cluster"),
                .node = kind_cell(kind, &rows.rows[i], "node"),
                .partition = kind_cell(kind, &rows.rows[i], "partition"),
                .as = kind_cell(kind, &rows.rows[i], "as"),
            };
            out->count += patterns(rule) == wanted;
        }
    }
    books_rows_release(&rows);
    return failed;
}

void cluster_rules_release(struct cluster_rules *rules)
{
    free(rules->rows);
    arena_release(&rules->arena);
    *rules = (struct cluster_rules){0};
}

static bool fits(struct str pattern, struct str value)
{
    return !pattern.ptr || (value.ptr && str_glob(pattern, value));
}

bool cluster_rule_next(const struct cluster_rules *rules, struct str cluster, size_t *at,
                       struct str *name)
{
    const size_t count = rules ? rules->count : 0;
    while (*at < count) {
        const struct cluster_rule *rule = &rules->rows[(*at)++];
        if (fits(rule->cluster, cluster)) {
            *at = rule->node.ptr || rule->partition.ptr ? *at : count + 1;
            *name = rule->as;
            return true;
        }
    }
    *name = cluster;
    return (*at)++ == count;
}

struct str cluster_rule_apply(const struct cluster_rules *rules, struct str cluster,
                              struct str node, struct str partition)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct cluster_rule *rule = &rules->rows[i];
        if (fits(rule->cluster, cluster) && fits(rule->node, node) &&
            fits(rule->partition, partition)) {
            return rule->as;
        }
    }
    return cluster;
}
