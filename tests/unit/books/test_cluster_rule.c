/* SPDX-License-Identifier: MIT */
#include "books/cluster_rule.h"

#include "unit/books/some_books.h"

struct rule_row {
    const char *name, *cluster, *node, *partition, *want;
};

static const struct rule_row rule_rows[] = {
    {"no rule", "birch", "gpu01", "long", "birch"},
    {"its name alone", "alder", "n01", "long", "Alder"},
    {"a node beats the name", "alder", "gpu01", "long", "gpus"},
    {"both beat one", "alder", "gpu01", "test", "tests"},
    {"of equals the older", "alder", "gpu01", "gpu.q", "gpus"},
    {"a partition", "alder", "n01", "gpu.q", "queues"},
    {"absent fits no pattern", "alder", NULL, NULL, "Alder"},
    {"a pattern of clusters", "old-1", "n01", "long", "old"},
};

static void the_rule_with_most_patterns_holds(void **state)
{
    const struct rule_row *row = *state;
    struct some_books some;
    struct cluster_rules rules;
    struct error err = {0};
    some_open(&some, "UTC");
    some_add(&some, "cluster", "cluster=alder|as=Alder");
    some_add(&some, "cluster", "cluster=alder|node=gpu*|as=gpus");
    some_add(&some, "cluster", "cluster=alder|partition=gpu.*|as=queues");
    some_add(&some, "cluster", "cluster=alder|node=gpu*|partition=test|as=tests");
    some_add(&some, "cluster", "cluster=old-*|as=old");
    expect_int(books_cluster_rules(some.books, &rules, &err), 0);
    expect_int((int64_t)rules.count, 5);
    struct str got = cluster_rule_apply(&rules, str_of(row->cluster), str_of(row->node),
                                        str_of(row->partition));
    expect_text_n(got.ptr, got.len, row->want);
    cluster_rules_release(&rules);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, the_rule_with_most_patterns_holds, rule_rows);
    return suite_run(&suite, "cluster_rule");
}
