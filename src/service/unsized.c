/* SPDX-License-Identifier: MIT */
#include "service/unsized.h"

#include "service/items.h"

enum { SHOWN = 5, PERCENT = 100 };

/* What utilization can be of, and how the books are told it. */
static const struct {
    enum measure_per per;
    const char *what, *option;
} resources[] = {{PER_CPUS, "cpus", "--cpus N"}, {PER_GPUS, "GPUs", "--cpus N --gpus N"}};

/* Columns of question_sizes. */
enum { CLUSTER, WHOLE, KNOWN, LOOKED };

/* Whether the answer leaves a measure that has to do with `per` open in some row. */
static bool is_open(const struct question *question, enum measure_per per,
                    const struct table *table)
{
    for (size_t i = 0; i < question->measure_count; i++) {
        const size_t c = table->column_count - question->measure_count + i;
        for (size_t row = 0; question->measures[i]->per == per && row < table->row_count;
             row++) {
            if (!table_has(table, c, row)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether it asks what became of the nodes, which only sightings tell. */
static bool needs_looks(const struct question *question, enum measure_per per)
{
    for (size_t i = 0; i < question->measure_count; i++) {
        if (question->measures[i]->per == per && question->measures[i]->part != SIZE_ALL) {
            return true;
        }
    }
    return false;
}

/* Whether it asks for amounts, which only clusters have, rather than for shares of them. */
static bool needs_clusters(const struct question *question)
{
    for (size_t i = 0; i < question->measure_count; i++) {
        if (measure_is_of_size(question->measures[i]) && !question->measures[i]->real) {
            return true;
        }
    }
    return false;
}

/* What the books have to say: how large clusters are, and which nodes count under which. */
struct told {
    struct capacity_list sizes;
    struct cluster_rules rules;
};

static int read_books(const struct service *service, struct told *told, struct error *err)
{
    struct items items = {0};
    if (!books_exist(service->store)) {
        return 0;
    }
    int failed = items_open(service, BOOKS_READ, &items, err);
    if (!failed) {
        (void)((failed = books_capacities(items.books, service->zone, &told->sizes, err)) ||
               (failed = books_cluster_rules(items.books, &told->rules, err)));
    }
    items_close(&items);
    return failed;
}

static struct str cluster_at(const struct table *sizes, size_t row)
{
    return sizes->columns[CLUSTER].cells[row].text;
}

/* One line for all clusters of which nothing is known. */
static void note_unknown(const struct table *sizes, size_t resource, struct answer *answer)
{
    const char *names = "";
    struct str first = {0};
    size_t count = 0;
    for (size_t row = 0; row < sizes->row_count; row++) {
        if (table_wide(sizes, KNOWN, row) > 0) {
            continue;
        }
        first = count ? first : cluster_at(sizes, row);
        if (count++ < SHOWN) {
            names = arena_printf(&answer->table.arena, "%s%s%.*s", names, count > 1 ? ", " : "",
                                 STR_ARG(cluster_at(sizes, row)));
        }
    }
    if (count > 0) {
        answer_note(answer,
                    "--- where nobody said how many %s a cluster had: %s%s; say it with: stint "
                    "capacity add %.*s %s",
                    resources[resource].what, names, count > SHOWN ? ", ..." : "",
                    STR_ARG(first), resources[resource].option);
    }
}

/* A line for each of which a part is known, or was looked at. */
static void note_parts(const struct table *sizes, size_t resource, bool looks,
                       struct answer *answer)
{
    size_t count = 0;
    for (size_t row = 0; row < sizes->row_count && count < SHOWN; row++) {
        const struct str cluster = cluster_at(sizes, row);
        const double whole = table_real(sizes, WHOLE, row),
                     known = table_real(sizes, KNOWN, row),
                     looked = table_real(sizes, LOOKED, row);
        if (known > 0 && known < whole) {
            answer_note(answer,
                        "how many %s %.*s had is known for %.1f %% of the time; tell the rest "
                        "with: stint capacity add %.*s %s",
                        resources[resource].what, STR_ARG(cluster), PERCENT * known / whole,
                        STR_ARG(cluster), resources[resource].option);
            count++;
        } else if (known > 0 && looks && looked < whole) {
            answer_note(
                answer,
                "the nodes of %.*s were looked at for %.1f %% of the time: what was down "
                "or idle in the rest is unknown",
                STR_ARG(cluster), PERCENT * looked / whole);
            count++;
        }
    }
}

static int note_resource(struct facts *facts, const struct question *question, size_t resource,
                         struct answer *answer, struct error *err)
{
    const enum measure_per per = resources[resource].per;
    struct table sizes = {0};
    int failed = question_sizes(facts, question, per, &sizes, err);
    if (!failed) {
        note_unknown(&sizes, resource, answer);
        note_parts(&sizes, resource, needs_looks(question, per), answer);
    }
    table_release(&sizes);
    return failed;
}

int unsized_note(const struct service *service, struct facts *facts,
                 const struct question *question, struct answer *answer, struct error *err)
{
    struct told told = {0};
    struct question informed = *question;
    bool open[COUNT_OF(resources)];
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        any |= open[i] = is_open(question, resources[i].per, &answer->table);
    }
    int failed = any ? read_books(service, &told, err) : 0;
    informed.capacities = &told.sizes;
    informed.rules = told.rules.count > 0 ? &told.rules : NULL;
    for (size_t i = 0; !failed && i < COUNT_OF(resources); i++) {
        failed = open[i] ? note_resource(facts, &informed, i, answer, err) : 0;
    }
    if (!failed && any && needs_clusters(question) && !question_is_of_clusters(question)) {
        answer_note(answer,
                    "what clusters had is known by cluster and time only: leave out other "
                    "dimensions and filters");
    }
    capacity_list_release(&told.sizes);
    cluster_rules_release(&told.rules);
    return failed;
}
