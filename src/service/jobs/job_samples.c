/* SPDX-License-Identifier: MIT */
#include "service/jobs/job_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attribute.h"
#include "base/mem.h"
#include "base/zone.h"

/* Nodes differ where one has less than this share of another. */
#define APART 0.8

/* --- reading ------------------------------------------------------------------------------ */

int job_samples_read(struct facts *facts, const struct table *runs, size_t row, int64_t now,
                     struct job_samples *out, struct error *err)
{
    *out = (struct job_samples){0};
    int failed = use_rows_read_one(facts, runs, row, now, &out->use, &out->looks, err);
    if (!failed && job_samples_any(out)) {
        failed = use_rows_timeline(facts, runs, row, now, &out->use, &out->looks,
                                   JOB_SAMPLES_POINTS, &out->timeline, err);
    }
    return failed;
}

void job_samples_release(struct job_samples *samples)
{
    use_looks_release(&samples->looks);
    table_release(&samples->timeline);
}

bool job_samples_any(const struct job_samples *samples)
{
    return samples->looks.node_count + samples->looks.card_count > 0;
}

bool job_samples_card_memory(const struct job_samples *samples, double *used, double *size)
{
    bool known = samples->use.of[USE_GPU_MEMORY].concludes;
    *used = samples->use.of[USE_GPU_MEMORY].used;
    *size = 0;
    for (size_t i = 0; known && i < samples->looks.card_count; i++) {
        known = samples->looks.cards[i].memory >= 0 && samples->looks.cards[i].size > 0;
        *size += samples->looks.cards[i].size;
    }
    return known && *size > 0;
}

/* --- what figures are based on ------------------------------------------------------------ */

/* The resource that a field is about; USE_RESOURCES: none. */
static enum use_resource resource_of(const char *id)
{
    static const struct {
        const char *id;
        enum use_resource of;
    } fields[] = {{"cpu_used", USE_CPU}, {"mem_peak", USE_MEMORY}, {"gpu_used", USE_GPU}};

    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        if (strcmp(fields[i].id, id) == 0) {
            return fields[i].of;
        }
    }
    return USE_RESOURCES;
}

static const struct use_figure *figure_of(const struct job_samples *samples, const char *id)
{
    const enum use_resource of = resource_of(id);
    return of < USE_RESOURCES ? &samples->use.of[of] : NULL;
}

double job_samples_time(const struct job_samples *samples, const char *id)
{
    return use_time(&samples->use, resource_of(id));
}

double job_samples_at_least(const struct job_samples *samples, const char *id)
{
    const struct use_figure *figure = figure_of(samples, id);
    return figure && figure->at_least ? figure->used : -1;
}

static void say_figure(struct buf *text, const struct use_figure *figure)
{
    buf_addz(text, figure->at_least ? "at least: " : "");
    buf_addz(text, use_basis_name(figure->basis));
    buf_addz(text, figure->with_cache ? ", with file cache" : "");
    if (figure->at_least && figure->basis == USE_SCHEDULER) {
        buf_addz(text, ", its largest task");
    } else if (figure->at_least) {
        buf_addf(text, ", %.0f %% seen", floor(100 * figure->coverage + 1e-6));
    }
}

/* Where there are no samples, the scheduler is meant. */
void job_samples_say_basis(struct buf *text, const struct job_samples *samples,
                           const struct table *runs, size_t row, const char *id)
{
    const struct use_figure *figure = figure_of(samples, id);
    const bool any = job_samples_any(samples);
    if (figure && figure->basis != USE_UNKNOWN && (any || figure->at_least)) {
        say_figure(text, figure);
    } else if (!figure && any && table_has(runs, job_column(runs, id), row)) {
        const bool by_looks = samples->use.so_far && samples->use.last == samples->use.until;
        buf_addz(text, by_looks ? "samples" : use_basis_name(USE_SCHEDULER));
    }
}

/* --- lines -------------------------------------------------------------------------------- */

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

/* How much of it was seen, and how often. */
static void say_looks(struct job_screen *screen, const struct job_samples *samples)
{
    const struct use *use = &samples->use;
    const double nodes = job_number(screen, "node_count", screen->runs->row_count - 1);
    if (use->nodes == 0) {
        return;
    }
    buf_addf(&screen->text, "%zu ", use->nodes);
    if (nodes > (double)use->nodes) {
        buf_addf(&screen->text, "of %.0f ", nodes);
    }
    buf_addz(&screen->text, use->nodes == 1 && nodes <= 1 ? "node" : "nodes");
    if (use->interval_us > 0) {
        buf_addf(&screen->text, ", about every %.0f s", use->interval_us / (double)SECOND_US);
    }
    buf_addf(&screen->text, ", %.0f %% of its node time",
             floor(100 * use->of[USE_CPU].coverage + 1e-6));
    if (use->so_far) {
        buf_addz(&screen->text, " so far");
    }
    job_line(screen, "Samples");
}

typedef double (*node_number)(const struct use_node *node);

/* The mean number of cpus at work in the time that is covered; below 0: not known. */
static double cpus_of(const struct use_node *node)
{
    return node->cpu_us >= 0 && node->cpu_covered_us > 0 ? node->cpu_us / node->cpu_covered_us
                                                         : -1;
}

/* The nodes that have least and most of something; false if they are not far apart. */
static bool find_apart(const struct use_looks *looks, node_number number, size_t *least,
                       size_t *most)
{
    *least = *most = SIZE_MAX;
    for (size_t i = 0; i < looks->node_count; i++) {
        const double value = number(&looks->nodes[i]);
        if (value >= 0) {
            *least = *least == SIZE_MAX || value < number(&looks->nodes[*least]) ? i : *least;
            *most = *most == SIZE_MAX || value > number(&looks->nodes[*most]) ? i : *most;
        }
    }
    return *most != SIZE_MAX && *least != *most &&
           number(&looks->nodes[*least]) <= APART * number(&looks->nodes[*most]);
}

/* How many cpus worked on average and how much memory it had at most. */
static void say_node(struct job_screen *screen, const struct use_node *node)
{
    buf_add(&screen->text, node->name);
    if (cpus_of(node) >= 0) {
        buf_addf(&screen->text, ": %.1f cpus at work", cpus_of(node));
    }
    if (use_node_memory(node) >= 0) {
        buf_addz(&screen->text, ", at most ");
        job_samples_say_bytes(&screen->text, use_node_memory(node));
    }
    job_line(screen, "Node");
}

static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

static const char *height_of(double share)
{
    const double height = floor(share * COUNT_OF(heights));
    return heights[(size_t)fmin(COUNT_OF(heights) - 1, fmax(0, height))];
}

/*
 * A height for each node, in the order of their names: the highest is the one that works most.
 */
static void say_node_map(struct job_screen *screen, const struct use_looks *looks)
{
    enum { MAPPED = 512, TOGETHER = 32 };

    double most = 0;
    for (size_t i = 0; i < looks->node_count; i++) {
        most = fmax(most, cpus_of(&looks->nodes[i]));
    }
    if (most <= 0 || looks->node_count > MAPPED) {
        return;
    }
    for (size_t i = 0; i < looks->node_count; i++) {
        const double cpus = cpus_of(&looks->nodes[i]);
        buf_addz(&screen->text, i > 0 && i % TOGETHER == 0 ? " " : "");
        buf_addz(&screen->text, cpus < 0 ? "?" : height_of(cpus / most));
    }
    buf_addf(&screen->text, "  up to %.1f cpus at work", most);
    job_line(screen, "Nodes");
}

/*
 * The node that has least (sign 1) or most (-1) of a number among those not said yet; SIZE_MAX:
 * none.
 */
static size_t next_extreme(const struct use_looks *looks, node_number number, int sign,
                           const bool *said)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < looks->node_count; i++) {
        const double value = number(&looks->nodes[i]);
        if (!said[i] && value >= 0 &&
            (found == SIZE_MAX || sign * value < sign * number(&looks->nodes[found]))) {
            found = i;
        }
    }
    return found;
}

/*
 * Of many nodes those that stand out: the least and the most busy ones, and those with most and
 * least memory.
 */
static void say_extremes(struct job_screen *screen, const struct use_looks *looks)
{
    static const struct {
        node_number number;
        int sign;
    } kinds[] = {{cpus_of, 1},  {cpus_of, 1},          {cpus_of, 1},        {cpus_of, -1},
                 {cpus_of, -1}, {use_node_memory, -1}, {use_node_memory, 1}};

    bool *said = mem_alloc(looks->node_count, sizeof(*said));
    size_t count = 0;
    say_node_map(screen, looks);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const size_t at = next_extreme(looks, kinds[i].number, kinds[i].sign, said);
        if (at != SIZE_MAX) {
            said[at] = true;
            say_node(screen, &looks->nodes[at]);
            count++;
        }
    }
    buf_addf(&screen->text, "and %zu between these", looks->node_count - count);
    job_line(screen, "");
    free(said);
}

static void say_each_node(struct job_screen *screen, const struct job_samples *samples)
{
    enum { SHOWN = 8 };

    const struct use_looks *looks = &samples->looks;
    if (looks->node_count > SHOWN) {
        say_extremes(screen, looks);
        return;
    }
    for (size_t i = 0; i < looks->node_count; i++) {
        say_node(screen, &looks->nodes[i]);
    }
}

/* The nodes that work least and most, and each of them, where they are far apart. */
static void say_nodes(struct job_screen *screen, const struct job_samples *samples)
{
    const struct use_looks *looks = &samples->looks;
    size_t least, most;
    const bool differ = find_apart(looks, use_node_memory, &least, &most);
    if (!find_apart(looks, cpus_of, &least, &most)) {
        if (differ) {
            say_each_node(screen, samples);
        }
        return;
    }
    buf_add(&screen->text, looks->nodes[least].name);
    buf_addf(&screen->text, " worked %.0f %% of what ",
             100 * cpus_of(&looks->nodes[least]) / cpus_of(&looks->nodes[most]));
    buf_add(&screen->text, looks->nodes[most].name);
    buf_addz(&screen->text, " did");
    job_line(screen, "Imbalance");
    say_each_node(screen, samples);
}

static void say_bytes_of(struct buf *text, const struct use_figure *figure, const char *what)
{
    if (figure->used >= 0) {
        buf_addf(text, "%s%s%s ", text->len > 0 ? ", " : "", what,
                 figure->at_least ? " at least" : "");
        job_samples_say_bytes(text, figure->used);
    }
}

/* A scheduler has both together; it counts where that is more than samples saw. */
static void say_io(struct job_screen *screen, const struct job_samples *samples)
{
    const struct use_figure *of = samples->use.of;
    const enum use_basis basis = of[USE_IO].basis;
    if (basis == USE_SCHEDULER) {
        say_bytes_of(&screen->text, &of[USE_IO], "read and written");
    } else {
        say_bytes_of(&screen->text, &of[USE_READ], "read");
        say_bytes_of(&screen->text, &of[USE_WRITTEN], "written");
    }
    if (basis != USE_UNKNOWN) {
        buf_addf(&screen->text, " (%s%s)", use_basis_name(basis),
                 basis == USE_CGROUP ? ", block devices only" : "");
    }
    job_line(screen, "Disks");
}

static void say_card(struct job_screen *screen, const struct use_card *card)
{
    if (card->index.ptr) {
        buf_add(&screen->text, card->index);
        buf_addz(&screen->text, " on ");
    }
    buf_add(&screen->text, card->node);
    if (card->covered_us > 0) {
        buf_addf(&screen->text, ": busy %.0f %% of the time",
                 100 * card->busy_us / card->covered_us);
    }
    if (card->memory >= 0) {
        buf_addz(&screen->text, ", at most ");
        job_samples_say_bytes(&screen->text, card->memory);
        if (card->size >= 0) {
            buf_addz(&screen->text, " of ");
            job_samples_say_bytes(&screen->text, card->size);
        }
    }
    job_line(screen, "GPU");
}

static void say_cards(struct job_screen *screen, const struct job_samples *samples)
{
    enum { SHOWN = 8 };

    const struct use_looks *looks = &samples->looks;
    for (size_t i = 0; i < looks->card_count && i < SHOWN; i++) {
        say_card(screen, &looks->cards[i]);
    }
    if (looks->card_count > SHOWN) {
        buf_addf(&screen->text, "and %zu more: stint samples --kind gpu",
                 looks->card_count - SHOWN);
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

/*
 * A column of the timeline as eight heights; the highest is what the run was given (a field of
 * it), or its largest value.
 */
static void say_graph(struct job_screen *screen, const struct job_samples *samples,
                      const char *id, const char *given, const char *label)
{
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
        buf_addz(&screen->text, has ? height_of(share) : " ");
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
