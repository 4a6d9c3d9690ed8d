/* SPDX-License-Identifier: MIT */
#include "service/state/unknown_capacity.h"

#include "report/queries/capacity_series.h"
#include "service/query/query_context.h"

enum { SHOWN = 5, PERCENT = 100 };

/* What utilization can be of, and how the books are reported it. */
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
        const struct measure *measure = question->measures[i];
        for (size_t c = 0; measure->per == per && c < table->column_count; c++) {
            for (size_t row = 0; str_eq(str_of(table->columns[c].id), str_of(measure->id)) &&
                                 row < table->row_count;
                 row++) {
                if (!table_has(table, c, row)) {
                    return true;
                }
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
        answer_note(answer, NOTE_COVERAGE,
                    "---: the number of %s is unknown for: %s%s; define it with: stint "
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
            answer_note(answer, NOTE_COVERAGE,
                        "the number of %s of %.*s is known for %.1f %% of the time; define the "
                        "rest with: stint capacity add %.*s %s",
                        resources[resource].what, STR_ARG(cluster), PERCENT * known / whole,
                        STR_ARG(cluster), resources[resource].option);
            count++;
        } else if (known > 0 && looks && looked < whole) {
            answer_note(answer, NOTE_COVERAGE,
                        "the nodes of %.*s are recorded for %.1f %% of the time: for the rest, "
                        "down and idle hours are unknown",
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

int unknown_capacity_note(const struct service *service, struct facts *facts,
                          const struct question *question, struct answer *answer,
                          struct error *err)
{
    struct query_context with = {0};
    struct question informed = *question;
    bool open[COUNT_OF(resources)];
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        any |= open[i] = is_open(question, resources[i].per, &answer->table);
    }
    int failed = any ? query_context_read(service, facts, &informed, &with, err) : 0;
    for (size_t i = 0; !failed && i < COUNT_OF(resources); i++) {
        failed = open[i] ? note_resource(facts, &informed, i, answer, err) : 0;
    }
    if (!failed && any && needs_clusters(question) && !question_is_of_clusters(question)) {
        answer_note(answer, NOTE_COVERAGE,
                    "capacity is known only by cluster and time: leave out other dimensions "
                    "and filters");
    }
    query_context_release(&with);
    return failed;
}
