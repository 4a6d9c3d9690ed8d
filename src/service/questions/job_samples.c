/* SPDX-License-Identifier: MIT */
#include "service/questions/job_samples.h"

#include <math.h>
#include <string.h>

#include "base/attribute.h"
#include "base/zone.h"
#include "report/tables/job_use.h"

/* From this share of the run on, samples count for more than what accounting says. */
#define COVERS 0.9

/* Nodes differ where one has less than this share of another. */
#define APART 0.8

/* A card that is busy less than this, with no more memory than a driver takes, was not used. */
#define IDLE        0.001
#define IDLE_MEMORY (1024.0 * 1024 * 1024)

/* --- reading --------------------------------------------------------------------------------------- */

static bool has(const struct table *runs, const char *id, size_t row)
{
    return table_has(runs, job_column(runs, id), row);
}

static int64_t number(const struct table *runs, const char *id, size_t row)
{
    return (int64_t)table_wide(runs, job_column(runs, id), row);
}

/* Which samples are the run's; false if it has not begun, or has no number. */
static bool find_question(const struct table *runs, size_t row, int64_t now,
                          struct job_use_question *out)
{
    if (!has(runs, "start", row) || !has(runs, "job", row) || !has(runs, "cluster", row)) {
        return false;
    }
    *out = (struct job_use_question){
        .cluster = runs->columns[job_column(runs, "cluster")].cells[row].text,
        .job = number(runs, has(runs, "job_raw", row) ? "job_raw" : "job", row),
        .has_task = has(runs, "task", row),
        .during = {number(runs, "start", row),
                   has(runs, "end", row) ? number(runs, "end", row) : now},
    };
    out->task = out->has_task ? number(runs, "task", row) : 0;
    return out->during.to > out->during.from;
}

/* Adds up a column over nodes; false if it is known of none. */
static bool add_up(const struct table *nodes, enum job_use_node column, double *out)
{
    bool any = false;
    *out = 0;
    for (size_t row = 0; row < nodes->row_count; row++) {
        if (table_has(nodes, column, row)) {
            *out += table_real(nodes, column, row);
            any = true;
        }
    }
    return any;
}

/* "cgroup" if all nodes say so. */
static const char *basis_of(const struct table *nodes, size_t column)
{
    bool groups = true;
    for (size_t row = 0; row < nodes->row_count; row++) {
        groups = groups && str_eq(nodes->columns[column].cells[row].text, STR("cgroup"));
    }
    return groups ? "cgroup" : "processes";
}

/* Until the last look cpu time was counted; for the rest, which no look has seen, the same rate is taken. */
static void sum_nodes(struct job_samples *samples, const struct job_use_question *q)
{
    const struct table *nodes = &samples->nodes;
    const double length = (double)(q->during.to - q->during.from);
    double last = 0, looks = 0;
    for (size_t row = 0; row < nodes->row_count; row++) {
        last = fmax(last, table_real(nodes, JOB_USE_LAST, row) - (double)q->during.from);
        looks = fmax(looks, table_real(nodes, JOB_USE_LOOKS, row));
        samples->memory_of_node = fmax(
            samples->memory_of_node,
            table_has(nodes, JOB_USE_MEMORY, row) ? table_real(nodes, JOB_USE_MEMORY, row) : 0);
    }
    samples->basis = basis_of(nodes, JOB_USE_BASIS);
    samples->memory_basis = basis_of(nodes, JOB_USE_MEM_BASIS);
    samples->seen_us = last;
    samples->coverage = fmin(1, last / length);
    samples->interval_us = looks > 0 ? last / looks : 0;
    samples->has_cpu = last > 0 && add_up(nodes, JOB_USE_CPU, &samples->cpu_us);
    samples->cpu_us = samples->has_cpu ? samples->cpu_us * length / last : 0;
    samples->has_memory = add_up(nodes, JOB_USE_MEMORY, &samples->memory);
}

static void sum_cards(struct job_samples *samples, const struct job_use_question *q)
{
    const struct table *cards = &samples->cards;
    for (size_t row = 0; row < cards->row_count; row++) {
        if (table_has(cards, JOB_USE_CARD_BUSY, row)) {
            samples->has_gpu = true;
            samples->cards_idle += table_real(cards, JOB_USE_CARD_BUSY, row) < IDLE &&
                                   table_has(cards, JOB_USE_CARD_MEMORY, row) &&
                                   table_real(cards, JOB_USE_CARD_MEMORY, row) < IDLE_MEMORY;
            samples->gpu_us += table_real(cards, JOB_USE_CARD_BUSY, row) *
                               (double)(q->during.to - q->during.from);
        }
    }
}

/* Of a run without an end nothing is known after its last look, neither whether it went on nor what it used. */
static void end_at_last_look(const struct job_samples *samples, struct job_use_question *q)
{
    int64_t last = 0;
    for (size_t row = 0; samples->goes_on && row < samples->nodes.row_count; row++) {
        const int64_t seen = (int64_t)table_wide(&samples->nodes, JOB_USE_LAST, row);
        last = seen > last ? seen : last;
    }
    q->during.to = last > q->during.from ? last : q->during.to;
}

int job_samples_read(struct facts *facts, const struct table *runs, size_t row, int64_t now,
                     struct job_samples *out, struct error *err)
{
    struct job_use_question question;
    int failed = 0;
    *out = (struct job_samples){0};
    if (!find_question(runs, row, now, &question)) {
        return 0;
    }
    (void)((failed = job_use_nodes(facts, &question, &out->nodes, err)) ||
           (failed = job_use_cards(facts, &question, &out->cards, err)) ||
           (out->nodes.row_count + out->cards.row_count > 0 &&
            (failed =
                 job_use_timeline(facts, &question, JOB_SAMPLES_POINTS, &out->timeline, err))));
    if (!failed) {
        out->goes_on = !has(runs, "end", row);
        end_at_last_look(out, &question);
        sum_nodes(out, &question);
        sum_cards(out, &question);
    }
    return failed;
}

void job_samples_release(struct job_samples *samples)
{
    table_release(&samples->nodes);
    table_release(&samples->cards);
    table_release(&samples->timeline);
}

int job_samples_profile(struct facts *facts, const struct table *runs, size_t row, int64_t now,
                        size_t points, struct table *out, struct error *err)
{
    struct job_use_question question;
    return find_question(runs, row, now, &question)
               ? job_use_timeline(facts, &question, points, out, err)
               : 0;
}

bool job_samples_card_memory(const struct job_samples *samples, double *used, double *size)
{
    const struct table *cards = &samples->cards;
    bool known = cards->row_count > 0;
    *used = *size = 0;
    for (size_t row = 0; known && row < cards->row_count; row++) {
        known = table_has(cards, JOB_USE_CARD_MEMORY, row) &&
                table_has(cards, JOB_USE_CARD_SIZE, row);
        *used += known ? table_real(cards, JOB_USE_CARD_MEMORY, row) : 0;
        *size += known ? table_real(cards, JOB_USE_CARD_SIZE, row) : 0;
    }
    return known && *size > 0;
}

/* --- in the place of accounting --------------------------------------------------------------------- */

/* The fields that samples know, and the share that follows: of what was given over time, or of an amount. */
static const struct replaced {
    const char *id, *share, *given;
    bool over_time;
} replaced[] = {
    {"cpu_used", "cpu_efficiency", "cpus", true},
    {"mem_peak", "mem_efficiency", "mem", false},
    {"gpu_used", "gpu_efficiency", "gpus", true},
};

static bool knows(const struct job_samples *samples, const char *id, double *value)
{
    const bool known[] = {samples->has_cpu, samples->has_memory, samples->has_gpu};
    const double values[] = {samples->cpu_us, samples->memory, samples->gpu_us};
    for (size_t i = 0; i < COUNT_OF(replaced); i++) {
        if (strcmp(replaced[i].id, id) == 0) {
            *value = values[i];
            return known[i];
        }
    }
    return false;
}

/* Whether the samples' number is the one to show. */
static bool takes_over(const struct job_samples *samples, const struct table *recorded,
                       size_t row, const char *id, double *value)
{
    return knows(samples, id, value) &&
           (samples->coverage >= COVERS || !has(recorded, id, row));
}

const char *job_samples_basis(const struct job_samples *samples, const struct table *recorded,
                              size_t row, const char *id)
{
    double value = 0;
    if (takes_over(samples, recorded, row, id, &value)) {
        return strcmp(id, "gpu_used") == 0   ? "GPU"
               : strcmp(id, "mem_peak") == 0 ? samples->memory_basis
                                             : samples->basis;
    }
    if (strcmp(id, "wall") == 0 && samples->goes_on && samples->seen_us > 0) {
        return samples->basis;
    }
    return has(recorded, id, row) ? "scheduler" : "";
}

static void set_number(struct table *table, const char *id, size_t row, double value)
{
    const size_t column = job_column(table, id);
    switch (table->columns[column].type) {
    case CELL_INT:
        table_set_int(table, column, row, (int64_t)llround(value));
        break;
    case CELL_WIDE:
        table_set_wide(table, column, row, (wide_int)llround(value));
        break;
    case CELL_REAL:
        table_set_real(table, column, row, value);
        break;
    case CELL_TEXT:
        break;
    }
}

void job_samples_apply(const struct job_samples *samples, const struct table *runs, size_t row,
                       struct table *out)
{
    const bool so_far = !has(runs, "wall", row) && samples->goes_on && samples->seen_us > 0;
    const double wall = so_far ? samples->seen_us
                        : has(runs, "wall", row)
                            ? table_real(runs, job_column(runs, "wall"), row)
                            : 0;
    table_copy(runs, out);
    if (so_far) {
        set_number(out, "wall", row, wall);
        if (has(runs, "time_limit", row) &&
            table_real(runs, job_column(runs, "time_limit"), row) > 0) {
            set_number(out, "time_efficiency", row,
                       wall / table_real(runs, job_column(runs, "time_limit"), row));
        }
    }
    for (size_t i = 0; i < COUNT_OF(replaced); i++) {
        double value = 0;
        if (!takes_over(samples, runs, row, replaced[i].id, &value)) {
            continue;
        }
        set_number(out, replaced[i].id, row, value);
        const double given = has(runs, replaced[i].given, row)
                                 ? table_real(runs, job_column(runs, replaced[i].given), row)
                                 : 0;
        const double whole = replaced[i].over_time ? given * wall : given;
        if (whole > 0) {
            set_number(out, replaced[i].share, row, value / whole);
        }
    }
}

/* --- lines ------------------------------------------------------------------------------------------- */

void job_samples_say_bytes(struct buf *text, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < COUNT_OF(units)) {
        bytes /= 1024;
        unit++;
    }
    buf_addf(text, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

static void say_looks(struct job_screen *screen, const struct job_samples *samples)
{
    const size_t nodes = samples->nodes.row_count;
    if (nodes == 0) {
        return;
    }
    buf_addf(&screen->text, "%zu node%s, about every %.0f s", nodes, nodes == 1 ? "" : "s",
             samples->interval_us / (double)SECOND_US);
    if (samples->goes_on) {
        buf_addz(&screen->text, "; numbers are up to the last of them");
    } else {
        buf_addf(&screen->text, ", up to %.0f %% of the run", floor(100 * samples->coverage));
    }
    job_line(screen, "Samples");
}

/* The nodes that have least and most of something; false if they are not far apart. */
static bool find_apart(const struct table *nodes, enum job_use_node column, size_t *least,
                       size_t *most)
{
    *least = *most = SIZE_MAX;
    for (size_t row = 0; row < nodes->row_count; row++) {
        if (table_has(nodes, column, row)) {
            const double value = table_real(nodes, column, row);
            *least =
                *least == SIZE_MAX || value < table_real(nodes, column, *least) ? row : *least;
            *most = *most == SIZE_MAX || value > table_real(nodes, column, *most) ? row : *most;
        }
    }
    return *most != SIZE_MAX && *least != *most &&
           table_real(nodes, column, *least) <= APART * table_real(nodes, column, *most);
}

/* Of each node, how many cpus worked on average and how much memory it had at most. */
static void say_each_node(struct job_screen *screen, const struct job_samples *samples)
{
    enum { SHOWN = 8 };

    const struct table *nodes = &samples->nodes;
    for (size_t row = 0; row < nodes->row_count && row < SHOWN; row++) {
        buf_add(&screen->text, nodes->columns[JOB_USE_NODE].cells[row].text);
        if (table_has(nodes, JOB_USE_CPU, row) && samples->seen_us > 0) {
            buf_addf(&screen->text, ": %.1f cpus at work",
                     table_real(nodes, JOB_USE_CPU, row) / samples->seen_us);
        }
        if (table_has(nodes, JOB_USE_MEMORY, row)) {
            buf_addz(&screen->text, ", at most ");
            job_samples_say_bytes(&screen->text, table_real(nodes, JOB_USE_MEMORY, row));
        }
        job_line(screen, "Node");
    }
    if (nodes->row_count > SHOWN) {
        buf_addf(&screen->text, "and %zu more: stint samples --kind job",
                 nodes->row_count - SHOWN);
        job_line(screen, "");
    }
}

/* The nodes that work least and most, and each of them, where they are far apart. */
static void say_nodes(struct job_screen *screen, const struct job_samples *samples)
{
    const struct table *nodes = &samples->nodes;
    size_t least, most;
    const bool differ = find_apart(nodes, JOB_USE_MEMORY, &least, &most);
    if (!find_apart(nodes, JOB_USE_CPU, &least, &most)) {
        if (differ) {
            say_each_node(screen, samples);
        }
        return;
    }
    const double share =
        table_real(nodes, JOB_USE_CPU, least) / table_real(nodes, JOB_USE_CPU, most);
    buf_add(&screen->text, nodes->columns[JOB_USE_NODE].cells[least].text);
    buf_addf(&screen->text, " worked %.0f %% of what ", 100 * share);
    buf_add(&screen->text, nodes->columns[JOB_USE_NODE].cells[most].text);
    buf_addz(&screen->text, " did");
    job_line(screen, "Imbalance");
    say_each_node(screen, samples);
}

static void say_io(struct job_screen *screen, const struct job_samples *samples)
{
    double bytes = 0;
    if (add_up(&samples->nodes, JOB_USE_READ, &bytes)) {
        buf_addz(&screen->text, "read ");
        job_samples_say_bytes(&screen->text, bytes);
    }
    if (add_up(&samples->nodes, JOB_USE_WRITTEN, &bytes)) {
        buf_addz(&screen->text, screen->text.len > 0 ? ", written " : "written ");
        job_samples_say_bytes(&screen->text, bytes);
    }
    job_line(screen, "Disks");
}

static void say_card(struct job_screen *screen, const struct table *cards, size_t row)
{
    if (table_has(cards, JOB_USE_CARD_INDEX, row)) {
        buf_add(&screen->text, cards->columns[JOB_USE_CARD_INDEX].cells[row].text);
        buf_addz(&screen->text, " on ");
    }
    buf_add(&screen->text, cards->columns[JOB_USE_CARD_NODE].cells[row].text);
    if (table_has(cards, JOB_USE_CARD_BUSY, row)) {
        buf_addf(&screen->text, ": busy %.0f %% of the time",
                 100 * table_real(cards, JOB_USE_CARD_BUSY, row));
    }
    if (table_has(cards, JOB_USE_CARD_MEMORY, row)) {
        buf_addz(&screen->text, ", at most ");
        job_samples_say_bytes(&screen->text, table_real(cards, JOB_USE_CARD_MEMORY, row));
        if (table_has(cards, JOB_USE_CARD_SIZE, row)) {
            buf_addz(&screen->text, " of ");
            job_samples_say_bytes(&screen->text, table_real(cards, JOB_USE_CARD_SIZE, row));
        }
    }
    job_line(screen, "GPU");
}

static void say_cards(struct job_screen *screen, const struct job_samples *samples)
{
    enum { SHOWN = 8 };

    const struct table *cards = &samples->cards;
    for (size_t row = 0; row < cards->row_count && row < SHOWN; row++) {
        say_card(screen, cards, row);
    }
    if (cards->row_count > SHOWN) {
        buf_addf(&screen->text, "and %zu more: stint samples --kind gpu",
                 cards->row_count - SHOWN);
        job_line(screen, "");
    }
}

static double most_of(const struct table *line, size_t column)
{
    double most = 0;
    for (size_t row = 0; column < line->column_count && row < line->row_count; row++) {
        most = table_has(line, column, row) ? fmax(most, table_real(line, column, row)) : most;
    }
    return most;
}

static void say_amount(struct buf *out, enum unit unit, double value, int digits)
{
    if (unit == UNIT_BYTES) {
        job_samples_say_bytes(out, value);
    } else {
        buf_addf(out, "%.*f", digits, value);
    }
}

/* A column of the timeline as eight heights; the highest is what the run was given (a field of it), or its largest value. */
static void say_graph(struct job_screen *screen, const struct job_samples *samples,
                      const char *id, const char *given, const char *label)
{
    static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct table *line = &samples->timeline;
    const size_t column = table_find(line, id);
    const double most = most_of(line, column);
    const double had = job_number(screen, given, screen->runs->row_count - 1);
    const double top = fmax(most, had);
    if (most <= 0 || line->row_count < 3) {
        return;
    }
    for (size_t row = 0; row < line->row_count; row++) {
        const bool has = table_has(line, column, row);
        const double share = has ? fmax(0, table_real(line, column, row)) / top : 0;
        const double height = fmin(COUNT_OF(heights) - 1, floor(share * COUNT_OF(heights)));
        buf_addz(&screen->text, has ? heights[(size_t)height] : " ");
    }
    buf_addz(&screen->text, "  up to ");
    say_amount(&screen->text, line->columns[column].unit, most, 1);
    if (had > 0) {
        buf_addz(&screen->text, " of ");
        say_amount(&screen->text, line->columns[column].unit, had, 0);
    }
    job_line(screen, label);
}

void job_samples_say(struct job_screen *screen, const struct job_samples *samples)
{
    say_looks(screen, samples);
    say_nodes(screen, samples);
    say_cards(screen, samples);
    say_io(screen, samples);
    say_graph(screen, samples, "cpus_at_work", "cpus", "CPUs");
    say_graph(screen, samples, "memory", "mem", "Memory");
    say_graph(screen, samples, "gpus_at_work", "gpus", "GPUs");
}
