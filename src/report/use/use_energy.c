/* SPDX-License-Identifier: MIT */
#include "report/use/use_energy.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "report/use/use_rows.h"

static double number_of(const struct table *runs, const char *id, size_t row)
{
    const size_t column = table_find(runs, id);
    return table_has(runs, column, row) ? table_real(runs, column, row) : -1;
}

/* What a run holds on each of its nodes. */
static struct energy_held held_of(const struct table *runs, size_t row, const struct use *use,
                                  const struct use_span *span)
{
    const double nodes = fmax(1, use->nodes_held);
    const double cpus = number_of(runs, "cpus", row), memory = number_of(runs, "mem", row);
    return (struct energy_held){
        .span = *span,
        .cpus = cpus > 0 ? cpus / nodes : -1,
        .mem_bytes = memory > 0 ? memory / nodes : -1,
    };
}

/* The share of the time of so many nodes or cards that a count is of. */
static double covered(const struct energy_count *count, double places, double held_us)
{
    return places > 0 && held_us > 0 ? fmin(1, count->us / (places * held_us)) : 0;
}

/* Joules of the whole run; time that is not covered counts with the mean power of what is. */
static double scaled(const struct energy_count *count, double share)
{
    return share > 0 ? count->joules / share : 0;
}

/* Of processors and cards, of which each is covered differently and scaled up by itself. */
static struct use_figure resolve(const struct table *runs, size_t row, const struct use *use,
                                 const struct energy_seen *seen)
{
    const double recorded = number_of(runs, "energy", row);
    const bool has_cards = use->cards_held > 0;
    const double of_nodes = covered(&seen->processors, use->nodes_held, use->held_us),
                 of_cards = covered(&seen->cards, use->cards_held, use->held_us);
    const bool any = seen->processors.us > 0 || seen->cards.us > 0;
    const double share = has_cards ? fmin(of_nodes, of_cards) : of_nodes;
    const double all =
        scaled(&seen->processors, of_nodes) + (has_cards ? scaled(&seen->cards, of_cards) : 0);
    const struct use_tellers says = {
        /* Slurm records 0 where nothing measures it */
        .recorded = recorded > 0 ? recorded / USE_MILLIJOULES : -1,
        .sampled = any ? all * share : -1,
        .counted = any ? seen->processors.joules + seen->cards.joules : -1,
        .sampled_by = USE_COUNTERS,
        .kept = -1,
        .covered = share,
    };
    return use_resolve(USE_ENERGY, &says);
}

/*
 * Joules of the window, by a count that covers enough of the run; below 0: it does not. Time of
 * the window that is not covered counts with the mean power of the run, so that windows add up
 * to the whole.
 */
static double within(const struct energy_count *count, double places, double held_us,
                     double window_us)
{
    if (covered(count, places, held_us) < USE_ENOUGH) {
        return -1;
    }
    const double missing = fmax(0, places * window_us - count->window_us);
    return count->window_joules + missing * (count->joules / count->us);
}

int use_energy_read(struct facts *facts, const struct use_energy_question *question,
                    struct use *uses, struct use_energy *out, struct error *err)
{
    const struct table *runs = question->runs;
    const size_t count = runs->row_count;
    const struct period window = question->window;
    struct arena arena = {0};
    struct use_span *spans = mem_alloc(count + 1, sizeof(*spans));
    struct energy_held *held = mem_alloc(count + 1, sizeof(*held));
    struct energy_seen *seen = mem_alloc(count + 1, sizeof(*seen));
    use_rows_spans(runs, question->now, &arena, spans);
    for (size_t row = 0; row < count; row++) {
        held[row] = held_of(runs, row, &uses[row], &spans[row]);
    }
    int failed = energy_read(facts, held, count, window, question->idle, seen, err);
    for (size_t row = 0; !failed && row < count; row++) {
        const struct use *use = &uses[row];
        const double from = fmax((double)spans[row].from, (double)window.from);
        const double window_us = fmax(0, fmin((double)use->until, (double)window.to) - from);
        uses[row].of[USE_ENERGY] = resolve(runs, row, use, &seen[row]);
        out[row] = (struct use_energy){
            within(&seen[row].processors, use->nodes_held, use->held_us, window_us),
            within(&seen[row].cards, use->cards_held, use->held_us, window_us)};
    }
    free(seen);
    free(held);
    free(spans);
    arena_release(&arena);
    return failed;
}
