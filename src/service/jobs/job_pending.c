/* SPDX-License-Identifier: MIT */

/*
 * Why a job waits, and whether it can start at all: rows of its advice.
 */

#include <stdio.h>
#include <stdlib.h>

#include "advice/wait.h"
#include "base/mem.h"
#include "report/queries/places.h"
#include "service/jobs/job_screen.h"

static struct str text_of(const struct job_screen *screen, const char *id, size_t row)
{
    const struct column *column = &screen->runs->columns[job_column(screen->runs, id)];
    return column->present[row] ? column->cells[row].text : (struct str){0};
}

static double amount_of(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? table_real(table, column, row) : -1;
}

static bool lists(struct str names, struct str name)
{
    while (names.len > 0) {
        if (str_eq(str_cut(&names, ','), name)) {
            return true;
        }
    }
    return false;
}

/* The nodes of a partition, in `room`, which has room for all. */
static size_t take_nodes(const struct table *nodes, struct str partition,
                         struct wait_node *room)
{
    size_t count = 0;
    for (size_t row = 0; row < nodes->row_count; row++) {
        if (table_has(nodes, PLACES_NODE_PARTITIONS, row) &&
            lists(nodes->columns[PLACES_NODE_PARTITIONS].cells[row].text, partition)) {
            room[count++] = (struct wait_node){.cpus = amount_of(nodes, PLACES_NODE_CPUS, row),
                                               .mem = amount_of(nodes, PLACES_NODE_MEM, row),
                                               .gpus = amount_of(nodes, PLACES_NODE_GPUS, row)};
        }
    }
    return count;
}

/*
 * The nodes count only if they are all of them, by the row of the partition: a list may be of
 * some.
 */
static struct wait_place place_of(const struct job_places *all, struct str partition,
                                  struct wait_node *room)
{
    const struct table *rows = &all->partitions;
    struct wait_place place = {.partition = partition, .nodes = room};
    for (size_t row = 0; row < rows->row_count; row++) {
        if (!str_eq(rows->columns[PLACES_PARTITION].cells[row].text, partition)) {
            continue;
        }
        const size_t count = take_nodes(&all->nodes, partition, room);
        const bool complete = amount_of(rows, PLACES_NODE_COUNT, row) == (double)count;
        place.node_count = complete ? count : 0;
        place.longest =
            table_has(rows, PLACES_LONGEST, row) ? table_real(rows, PLACES_LONGEST, row) : 0;
    }
    return place;
}

/* Whether none of its partitions can hold it. In a reservation other limits hold. */
static bool never_fits(const struct job_screen *screen, size_t row, const struct wait_job *job,
                       char text[WAIT_TEXT_MAX])
{
    enum { PLACES_MAX = 16 };

    struct str partitions = text_of(screen, "partition", row);
    struct wait_place places[PLACES_MAX];
    struct wait_node *rooms[PLACES_MAX];
    size_t count = 0;
    if (!screen->places || job_has(screen, "reservation", row)) {
        return false;
    }
    while (partitions.len > 0 && count < PLACES_MAX) {
        rooms[count] = mem_alloc(screen->places->nodes.row_count + 1, sizeof(**rooms));
        places[count] = place_of(screen->places, str_cut(&partitions, ','), rooms[count]);
        count++;
    }
    const bool never = partitions.len == 0 && wait_never_fits(job, places, count, text);
    for (size_t i = 0; i < count; i++) {
        free(rooms[i]);
    }
    return never;
}

double job_largest_memory(const struct job_screen *screen)
{
    double most = 0;
    for (size_t row = 0; screen->places && row < screen->places->nodes.row_count; row++) {
        const double one = amount_of(&screen->places->nodes, PLACES_NODE_MEM, row);
        if (one < 0) {
            return 0;
        }
        most = one > most ? one : most;
    }
    return most;
}

double job_longest_time(const struct job_screen *screen, size_t row)
{
    const struct str partition = text_of(screen, "partition", row);
    for (size_t at = 0; screen->places && at < screen->places->partitions.row_count; at++) {
        const struct table *rows = &screen->places->partitions;
        if (str_eq(rows->columns[PLACES_PARTITION].cells[at].text, partition) &&
            table_has(rows, PLACES_LONGEST, at)) {
            return table_real(rows, PLACES_LONGEST, at);
        }
    }
    return 0;
}

void job_pending(const struct job_screen *screen, size_t row, struct table *out)
{
    const struct wait_job job = {
        .source = text_of(screen, "source", row),
        .id = text_of(screen, "id", row),
        .state = text_of(screen, "state", row),
        .reason = text_of(screen, "reason", row),
        .nodes = job_number(screen, "req_nodes", row),
        .cpus = job_number(screen, "req_cpus", row),
        .mem = job_number(screen, "req_mem", row),
        .gpus = job_number(screen, "req_gpus", row),
        .time_limit = job_number(screen, "time_limit", row),
    };
    char said[WAIT_TEXT_MAX], fits[WAIT_TEXT_MAX] = "";
    const enum wait_verdict verdict = wait_explain(&job, said);
    const bool never = never_fits(screen, row, &job, fits);
    if (verdict == WAIT_GOES_ON && !never) {
        job_advice_row(out, JOB_ADVICE_WAIT, str_of(said));
    } else if (verdict == WAIT_HELD) {
        job_advice_row(out, JOB_ADVICE, str_of(said));
    }
    if (never || verdict == WAIT_NEVER) { /* its numbers say more than the reason */
        char text[WAIT_TEXT_MAX + 64];
        (void)snprintf(text, sizeof(text), "it cannot start as it was submitted: %s",
                       never ? fits : said);
        job_advice_row(out, JOB_ADVICE, str_of(text));
    }
}
