/* SPDX-License-Identifier: MIT */
#include "service/unsized.h"

#include "report/size.h"
#include "service/ask.h"

/* What utilization can be of, and how the books are told it. */
static const struct {
    enum measure_per per;
    const char *what, *option;
} resources[] = {{PER_CPUS, "cpus", "--cpus N"}, {PER_GPUS, "GPUs", "--cpus N --gpus N"}};

/* Whether the answer leaves a measure that is a share of `per` open in some row. */
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

static void note_clusters(const struct table *clusters, size_t resource, struct answer *answer)
{
    enum { SHOWN = 5 };

    const size_t count = clusters->row_count, shown = count < SHOWN ? count : SHOWN;
    const char *names = "";
    for (size_t row = 0; row < shown; row++) {
        names = arena_printf(&answer->table.arena, "%s%s%.*s", names, row ? ", " : "",
                             STR_ARG(clusters->columns[0].cells[row].text));
    }
    if (count > 0) {
        answer_note(answer,
                    "--- where nobody said how many %s a cluster had: %s%s; say it with: stint "
                    "capacity add %.*s %s",
                    resources[resource].what, names, count > shown ? ", ..." : "",
                    STR_ARG(clusters->columns[0].cells[0].text), resources[resource].option);
    }
}

static int note_resource(struct facts *facts, const struct question *question, size_t resource,
                         struct answer *answer, struct error *err)
{
    struct table clusters = {0};
    int failed = size_missing(facts, question, resources[resource].per, &clusters, err);
    if (!failed) {
        note_clusters(&clusters, resource, answer);
    }
    table_release(&clusters);
    return failed;
}

int unsized_note(const struct service *service, struct facts *facts,
                 const struct question *question, struct answer *answer, struct error *err)
{
    struct question asked = *question;
    struct informed with = {0};
    bool open = false;
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        open = open || is_open(question, resources[i].per, &answer->table);
    }
    int failed = open ? ask_inform(service, &asked, &with, err) : 0;
    for (size_t i = 0; open && !failed && i < COUNT_OF(resources); i++) {
        if (is_open(question, resources[i].per, &answer->table)) {
            failed = note_resource(facts, &asked, i, answer, err);
        }
    }
    ask_release(&with);
    return failed;
}
