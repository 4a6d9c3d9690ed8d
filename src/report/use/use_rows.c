/* SPDX-License-Identifier: MIT */
#include "report/use/use_rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "record/run_id.h"
#include "report/use/use_timeline.h"

/* --- what accounting says ----------------------------------------------------------------- */

/* The fields that are read, by the ids of USE_FIELDS. */
#define FIELDS(X)                                                                              \
    X(run_id)                                                                                  \
    X(cluster)                                                                                 \
    X(job)                                                                                     \
    X(job_raw)                                                                                 \
    X(task)                                                                                    \
    X(start)                                                                                   \
    X(end)                                                                                     \
    X(seen)                                                                                    \
    X(suspended)                                                                               \
    X(class)                                                                                   \
    X(node_count)                                                                              \
    X(mem)                                                                                     \
    X(cpus)                                                                                    \
    X(gpus)                                                                                    \
    X(cpu_used)                                                                                \
    X(mem_peak)                                                                                \
    X(mem_basis)                                                                               \
    X(gpu_used)                                                                                \
    X(io)                                                                                      \
    X(energy)                                                                                  \
    X(het)

enum field_read {

#define X(id) READ_##id,
    FIELDS(X)
#undef X
        READ_COUNT
};

/* Where the fields are in a table. */
struct source {
    const struct table *table;
    size_t at[READ_COUNT];
};

static struct source source_of(const struct table *table)
{
    static const char *const ids[READ_COUNT] = {
#define X(id) #id,
        FIELDS(X)
#undef X
    };
    struct source source = {.table = table};
    for (size_t i = 0; i < READ_COUNT; i++) {
        source.at[i] = table_find(table, ids[i]);
        assert(source.at[i] < table->column_count);
    }
    return source;
}

static bool has(const struct source *from, enum field_read field, size_t row)
{
    return table_has(from->table, from->at[field], row);
}

/* Below 0 where it is absent. */
static double number(const struct source *from, enum field_read field, size_t row)
{
    return has(from, field, row) ? table_real(from->table, from->at[field], row) : -1;
}

static int64_t whole(const struct source *from, enum field_read field, size_t row)
{
    return has(from, field, row) ? (int64_t)table_wide(from->table, from->at[field], row) : 0;
}

static struct str text(const struct source *from, enum field_read field, size_t row)
{
    return has(from, field, row) ? from->table->columns[from->at[field]].cells[row].text
                                 : (struct str){0};
}

/*
 * The cluster as it was imported, which samples have too: the row may have the one that the run
 * counts under.
 */
static struct str own_cluster(const struct source *from, size_t row, struct arena *arena)
{
    struct run run = {0};
    return run_id_parse(text(from, READ_run_id, row), arena, &run)
               ? run.cluster
               : text(from, READ_cluster, row);
}

static struct use_span span_of(const struct source *from, size_t row, int64_t now,
                               struct arena *arena)
{
    const enum field_read job = has(from, READ_job_raw, row) ? READ_job_raw : READ_job;
    /*
     * A component of a heterogeneous job has a number of its own: that of the first is the
     * number of the job.
     */
    const bool known = job == READ_job_raw || whole(from, READ_het, row) == 0;
    struct use_span span = {
        .cluster = own_cluster(from, row, arena),
        .job = whole(from, job, row),
        .has_job = known && has(from, job, row) && has(from, READ_start, row),
        .task = whole(from, READ_task, row),
        .has_task = has(from, READ_task, row),
        .own_number = job == READ_job_raw,
        .from = whole(from, READ_start, row),
        .to = has(from, READ_end, row) ? whole(from, READ_end, row) : now,
    };
    return span;
}

/* --- what looks add up to ----------------------------------------------------------------- */

/* Sums over the nodes and cards of one run; a sum of which nothing is known is below 0. */
struct sums {
    double cpu, cpu_all, cpu_covered;
    double held, peak, memory_covered, kept;
    bool all_kept, cached;
    double read, written, read_all, written_all, io_covered;
    double busy, busy_covered, gpu_memory, gpu_memory_covered;
    enum use_basis cpu_by, memory_by, io_by;
};

static void add(double *sum, double more)
{
    if (more >= 0) {
        *sum = fmax(0, *sum) + more;
    }
}

/* The weaker basis of several nodes. */
static enum use_basis weaker(enum use_basis a, enum use_basis b)
{
    return a > b ? a : b;
}

static void add_node(struct sums *sums, const struct use_node *node, struct use *use)
{
    const double memory = use_node_memory(node);
    add(&sums->cpu, node->cpu_us);
    add(&sums->cpu_all, node->cpu_all_us);
    sums->cpu_covered += node->cpu_covered_us;
    add(&sums->held, node->memory_held);
    add(&sums->peak, memory);
    add(&sums->kept, node->memory_kept);
    sums->all_kept = sums->all_kept && node->memory_kept >= 0;
    sums->cached = sums->cached || (node->cached && node->memory_kept > node->memory_held);
    sums->memory_covered += node->memory_covered_us;
    add(&sums->read, node->read);
    add(&sums->written, node->written);
    add(&sums->read_all, node->read_all);
    add(&sums->written_all, node->written_all);
    sums->io_covered += node->io_covered_us;
    sums->cpu_by = weaker(sums->cpu_by, node->basis);
    sums->memory_by = weaker(sums->memory_by, node->memory_basis);
    sums->io_by = weaker(sums->io_by, node->io_basis);
    add(&use->cpus_peak, node->cpus_peak);
    use->node_memory_held = fmax(use->node_memory_held, node->memory_held);
    if (memory > use->node_memory) {
        use->node_memory = memory;
        use->node_memory_cached = node->cached && node->memory_kept > node->memory_held;
    }
    use->nodes++;
}

/* A card with more than a driver takes has a program on it. */
#define DRIVER_MEMORY (1024.0 * 1024 * 1024)

static void add_card(struct sums *sums, const struct use_card *card, struct use *use)
{
    add(&sums->busy, card->busy_us);
    sums->busy_covered += card->covered_us;
    add(&sums->gpu_memory, card->memory);
    sums->gpu_memory_covered += card->memory_covered_us;
    if (card->most >= 0) {
        add(&use->cards_idle, card->most > 0 || card->memory >= DRIVER_MEMORY ? 0 : 1);
    }
    use->cards++;
}

static void add_times(struct use *use, int64_t first, int64_t last, int64_t usual)
{
    use->first = use->first == 0 || first < use->first ? first : use->first;
    use->last = last > use->last ? last : use->last;
    use->interval_us = fmax(use->interval_us, (double)usual);
}

/*
 * Of a run without an end, up to when it is known to have run: the last that its scheduler or a
 * look saw of it.
 */
static void find_end(const struct source *from, size_t row, int64_t now, struct use *use)
{
    const int64_t start = whole(from, READ_start, row), seen = whole(from, READ_seen, row);
    use->so_far = !has(from, READ_end, row);
    use->until = whole(from, READ_end, row);
    if (use->so_far && str_eq(text(from, READ_class, row), STR("running"))) {
        use->until = seen > use->last ? seen : use->last;
        use->until = use->until > now ? now : use->until;
    }
    use->held_us = use->wall_us = -1;
    if (has(from, READ_start, row) && use->until > 0 && use->until >= start) {
        use->held_us = (double)(use->until - start);
        use->wall_us = fmax(0, use->held_us - fmax(0, number(from, READ_suspended, row)));
    }
}

/*
 * A covered time as a share of `places` over the whole run. Where nobody knows how many there
 * are, nothing is covered.
 */
static double share(double covered, double places, double length)
{
    return places > 0 && length > 0 ? fmin(1, covered / (places * length)) : 0;
}

/* Nodes of the run: as recorded, but not fewer than were seen. A run with one cpu has one. */
static double nodes_of(const struct source *from, size_t row, const struct use *use)
{
    const double recorded = number(from, READ_node_count, row);
    return recorded > 0                        ? fmax(recorded, (double)use->nodes)
           : number(from, READ_cpus, row) == 1 ? fmax(1, (double)use->nodes)
                                               : -1;
}

/* --- the figures -------------------------------------------------------------------------- */

static struct use_figure count_of(enum use_resource resource, double recorded, double sampled,
                                  double counted, enum use_basis by, double covered)
{
    const struct use_tellers says = {.recorded = recorded,
                                     .sampled = sampled >= 0   ? sampled
                                                : counted >= 0 ? 0
                                                               : -1,
                                     .counted = counted,
                                     .sampled_by = by,
                                     .kept = -1,
                                     .covered = covered};
    return use_resolve(resource, &says);
}

static struct use_figure memory_of(const struct source *from, size_t row,
                                   const struct sums *sums, double covered)
{
    const struct str basis = text(from, READ_mem_basis, row);
    const struct use_tellers says = {
        .recorded = number(from, READ_mem_peak, row),
        .recorded_at_least =
            use_is_lower_bound(basis.ptr, basis.len, number(from, READ_cpus, row)),
        .recorded_kept = use_is_kept(basis.ptr, basis.len),
        .sampled = sums->held,
        .sampled_by = sums->memory_by,
        .kept = sums->kept >= 0 ? sums->peak : -1,
        .all_kept = sums->all_kept,
        .cached = sums->cached,
        .covered = covered,
    };
    return use_resolve(USE_MEMORY, &says);
}

static double both(double a, double b)
{
    return a < 0 && b < 0 ? -1 : fmax(0, a) + fmax(0, b);
}

static void resolve(const struct source *from, size_t row, const struct sums *sums,
                    struct use *use)
{
    const double length = use->held_us, nodes = use->nodes_held, cards = use->cards_held,
                 io = share(sums->io_covered, nodes, length),
                 joules = number(from, READ_energy, row);
    struct use_figure *of = use->of;
    of[USE_CPU] = count_of(USE_CPU, number(from, READ_cpu_used, row), sums->cpu, sums->cpu_all,
                           sums->cpu_by, share(sums->cpu_covered, nodes, length));
    of[USE_MEMORY] = memory_of(from, row, sums, share(sums->memory_covered, nodes, length));
    of[USE_GPU] = count_of(USE_GPU, number(from, READ_gpu_used, row), sums->busy, sums->busy,
                           USE_CARDS, share(sums->busy_covered, cards, length));
    of[USE_GPU_MEMORY] = use_resolve(
        USE_GPU_MEMORY,
        &(struct use_tellers){.recorded = -1,
                              .sampled = sums->gpu_memory,
                              .sampled_by = USE_CARDS,
                              .kept = -1,
                              .covered = share(sums->gpu_memory_covered, cards, length)});
    of[USE_READ] = count_of(USE_READ, -1, sums->read, sums->read_all, sums->io_by, io);
    of[USE_WRITTEN] =
        count_of(USE_WRITTEN, -1, sums->written, sums->written_all, sums->io_by, io);
    of[USE_IO] = count_of(USE_IO, number(from, READ_io, row), both(sums->read, sums->written),
                          both(sums->read_all, sums->written_all), sums->io_by, io);
    of[USE_ENERGY] = count_of(USE_ENERGY, joules > 0 ? joules / USE_MILLIJOULES : -1, -1, -1,
                              USE_UNKNOWN, 0);
}

/*
 * The run in this row, of which nodes and cards begin at *node and *card; these are advanced.
 */
static void fold(const struct source *from, size_t row, size_t run, int64_t now,
                 const struct use_looks *looks, size_t *node, size_t *card, struct use *use)
{
    struct sums sums = {.cpu = -1,
                        .cpu_all = -1,
                        .held = -1,
                        .peak = -1,
                        .kept = -1,
                        .all_kept = true,
                        .read = -1,
                        .written = -1,
                        .read_all = -1,
                        .written_all = -1,
                        .busy = -1,
                        .gpu_memory = -1};
    *use = (struct use){.node_memory = -1,
                        .node_memory_held = -1,
                        .memory_held = -1,
                        .cards_idle = -1,
                        .nodes_idle = use_looks_idle_nodes(looks, run, *node, *card),
                        .cpus_peak = -1};
    for (; *node < looks->node_count && looks->nodes[*node].run == run; ++*node) {
        const struct use_node *one = &looks->nodes[*node];
        add_node(&sums, one, use);
        add_times(use, one->first, one->last, one->usual_us);
    }
    for (; *card < looks->card_count && looks->cards[*card].run == run; ++*card) {
        const struct use_card *one = &looks->cards[*card];
        add_card(&sums, one, use);
        add_times(use, one->first, one->last, one->usual_us);
    }
    use->memory_held = sums.held;
    use->nodes_held = nodes_of(from, row, use);
    use->cards_held = fmax(number(from, READ_gpus, row), (double)use->cards);
    find_end(from, row, now, use);
    resolve(from, row, &sums, use);
    if (use->cpus_peak >= 0) { /* where the scheduler counted more than samples saw */
        use->cpus_peak = fmax(use->cpus_peak, use_mean(use, USE_CPU));
    }
}

void use_rows_spans(const struct table *table, int64_t now, struct arena *arena,
                    struct use_span *out)
{
    const struct source from = source_of(table);
    for (size_t row = 0; row < table->row_count; row++) {
        out[row] = span_of(&from, row, now, arena);
    }
}

int use_rows_read(struct facts *facts, const struct table *table, int64_t now, struct use *out,
                  struct error *err)
{
    struct use_span *spans = mem_alloc(table->row_count + 1, sizeof(*spans));
    const struct source from = source_of(table);
    struct use_looks looks = {0};
    struct arena arena = {0};
    size_t node = 0, card = 0;
    use_rows_spans(table, now, &arena, spans);
    int failed = use_looks_read(facts, spans, table->row_count, &looks, err);
    for (size_t row = 0; !failed && row < table->row_count; row++) {
        fold(&from, row, row, now, &looks, &node, &card, &out[row]);
    }
    use_looks_release(&looks);
    arena_release(&arena);
    free(spans);
    return failed;
}

int use_rows_read_one(struct facts *facts, const struct table *table, size_t row, int64_t now,
                      struct use *out, struct use_looks *looks, struct error *err)
{
    const struct source from = source_of(table);
    struct arena arena = {0};
    size_t node = 0, card = 0;
    const struct use_span span = span_of(&from, row, now, &arena);
    int failed = use_looks_read(facts, &span, 1, looks, err);
    if (!failed) {
        fold(&from, row, 0, now, looks, &node, &card, out);
    }
    arena_release(&arena);
    return failed;
}

int use_rows_timeline(struct facts *facts, const struct table *table, size_t row, int64_t now,
                      const struct use *use, const struct use_looks *looks, size_t slots,
                      struct table *out, struct error *err)
{
    const struct source from = source_of(table);
    struct arena arena = {0};
    const struct use_span span = span_of(&from, row, now, &arena);
    int failed = 0;
    if (looks->node_count + looks->card_count > 0) {
        failed = use_timeline_read(facts, &span, looks, use->until, slots, out, err);
    }
    arena_release(&arena);
    return failed;
}

/* --- in the fields of a row --------------------------------------------------------------- */

static double cell(const struct table *table, const char *id, size_t row)
{
    const size_t column = table_find(table, id);
    return column < table->column_count && table_has(table, column, row)
               ? table_real(table, column, row)
               : -1;
}

/* A number below 0 makes it absent. */
static void set_cell(struct table *table, const char *id, size_t row, double value)
{
    const size_t column = table_find(table, id);
    if (column == table->column_count) {
        return;
    }
    if (value < 0) {
        table->columns[column].present[row] = false;
    } else if (table->columns[column].type == CELL_REAL) {
        table_set_real(table, column, row, value);
    } else if (table->columns[column].type == CELL_WIDE) {
        table_set_wide(table, column, row, (wide_int)llround(value));
    } else {
        table_set_int(table, column, row, (int64_t)llround(value));
    }
}

/* A resource, and the fields that are about it; NULL: none. */
static const struct applied {
    enum use_resource of;
    const char *used, *basis, *sampled;
    double unit; /* how many of the field's are one of the figure's */
} applied[] = {
    {USE_CPU, "cpu_used", "cpu_basis", "cpu_sampled", 1},
    {USE_MEMORY, "mem_peak", "mem_basis", "mem_sampled", 1},
    {USE_GPU, "gpu_used", "gpu_basis", "gpu_sampled", 1},
    {USE_READ, "io_read", NULL, NULL, 1},
    {USE_WRITTEN, "io_written", NULL, NULL, 1},
    {USE_IO, "io", "io_basis", "io_sampled", 1},
    {USE_ENERGY, "energy", "energy_basis", "energy_sampled", USE_MILLIJOULES},
};

static const char *const shares[] = {"cpu_efficiency", "mem_efficiency", "gpu_efficiency"};

static bool is_id(const char *id, struct str name)
{
    return id && str_eq(str_of(id), name);
}

bool use_rows_resolves(struct str id)
{
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(shares); i++) {
        any = any || is_id(shares[i], id);
    }
    for (size_t i = 0; i < COUNT_OF(applied); i++) {
        const struct applied *one = &applied[i];
        any = any || is_id(one->used, id) || is_id(one->basis, id) || is_id(one->sampled, id);
    }
    return any;
}

static void apply(const struct use *use, const struct applied *to, struct table *table,
                  size_t row)
{
    const struct use_shown shown = use_shown(use, to->of);
    const size_t basis = to->basis ? table_find(table, to->basis) : table->column_count;
    if (shown.used >= 0) {
        set_cell(table, to->used, row, shown.used * to->unit);
    }
    if (shown.basis && basis < table->column_count) {
        table_set_text(table, basis, row, str_of(shown.basis));
    }
    if (to->sampled) {
        set_cell(table, to->sampled, row, shown.sampled);
    }
}

/* Cpus or GPUs of the run x the time it had them. */
static double allocated(const struct use *use, enum use_resource of, const char *id,
                        const struct table *table, size_t row)
{
    return fmax(0, cell(table, id, row)) * use_time(use, of);
}

void use_rows_apply(const struct use *use, struct table *table, size_t row)
{
    const double limit = cell(table, "time_limit", row), given = cell(table, "mem", row);
    if (use->so_far && use->held_us >= 0) {
        set_cell(table, "wall", row, use->held_us);
        set_cell(table, "time_efficiency", row, limit > 0 ? use->wall_us / limit : -1);
    }
    for (size_t i = 0; i < COUNT_OF(applied); i++) {
        apply(use, &applied[i], table, row);
    }
    set_cell(table, "cpu_efficiency", row,
             use_share(&use->of[USE_CPU], allocated(use, USE_CPU, "cpus", table, row)));
    set_cell(table, "gpu_efficiency", row,
             use_share(&use->of[USE_GPU], allocated(use, USE_GPU, "gpus", table, row)));
    set_cell(table, "mem_efficiency", row,
             use_share(&use->of[USE_MEMORY], given >= 0 ? given : cell(table, "req_mem", row)));
}
