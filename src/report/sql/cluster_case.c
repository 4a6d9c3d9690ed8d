/* SPDX-License-Identifier: MIT */
#include "report/sql/cluster_case.h"

/* "@glob(node, ?)" after `before`, if the rule says anything of it. */
static void add_fits(struct statement *sql, struct expression before, struct str pattern,
                     struct expression after)
{
    if (pattern.ptr) {
        statement_expression(sql, before);
        statement_bind(sql, FACTS_TEXT(pattern));
        statement_expression(sql, after);
    }
}

void cluster_case_add(const struct cluster_rules *rules, enum cluster_case what,
                      struct statement *sql)
{
    static const struct expression partition_before[] = {
        [CLUSTER_CASE_RUN] = {" AND @glob(t.\"partition\", "},
        [CLUSTER_CASE_NODE] = {" AND @glob(',' || t.partitions || ',', '*,' || "},
    };
    static const struct expression partition_after[] = {
        [CLUSTER_CASE_RUN] = {")"},
        [CLUSTER_CASE_NODE] = {" || ',*')"},
    };
    const size_t count = rules ? rules->count : 0;
    statement_add(sql, count ? "CASE" : "");
    for (size_t i = 0; i < count; i++) {
        const struct cluster_rule *rule = &rules->rows[i];
        add_fits(sql, EXPRESSION(" WHEN @glob(t.cluster, "), rule->cluster, EXPRESSION(")"));
        add_fits(sql, EXPRESSION(" AND @glob(t.node, "), rule->node, EXPRESSION(")"));
        add_fits(sql, partition_before[what], rule->partition, partition_after[what]);
        add_fits(sql, EXPRESSION(" THEN "), rule->as, EXPRESSION(""));
    }
    statement_add(sql, count ? " ELSE t.cluster END" : "t.cluster");
}
