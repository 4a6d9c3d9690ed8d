/* SPDX-License-Identifier: MIT */
#include "service/hogs/hog_cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "service/core/operations.h"
#include "service/jobs/sample_match.h"

/* The columns of HOG_FIELDS. */
enum {
    USER,
    ID,
    CLASS,
    MEM,
    GPUS,
    TIME_LIMIT,
    CLUSTER,
    PARTITION,
    START,
    END,
    QOS,
    NODES,
    NODE_COUNT,
    NODE,
    CPUS,
    JOB,
    JOB_RAW,
    TASK,
    REQ_CPUS,
};

enum { DAYS_MAX = 366, LABEL_MAX = 16 };

/* Of the run, that has to be seen for it to be said that something never happened. */
#define SAW_ALL 0.95

/* --- reading ------------------------------------------------------------------------------ */

static struct str text_at(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? table->columns[column].cells[row].text : STR("");
}

/* NULL: it was not listed, nor a node of it. */
static struct hog_partition *find_partition(const struct hog_world *world, struct str cluster,
                                            struct str name)
{
    for (size_t i = 0; i < world->partition_count; i++) {
        struct hog_partition *one = &world->partitions[i];
        if (str_eq(one->name, name) && str_eq(one->cluster, cluster)) {
            return one;
        }
    }
    return NULL;
}

static struct hog_partition *partition_of(struct hog_world *world, struct str cluster,
                                          struct str name)
{
    struct hog_partition *known = find_partition(world, cluster, name);
    if (known) {
        return known;
    }
    world->partitions =
        mem_resize(world->partitions, world->partition_count + 1, sizeof(*world->partitions));
    struct hog_partition *added = &world->partitions[world->partition_count++];
    *added = (struct hog_partition){.cluster = cluster, .name = name, .all_gpus = true};
    return added;
}

static double number_at(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? table_real(table, column, row) : 0;
}

/* A size of the smallest node so far; not known of one is not known of the smallest. */
static double lesser(const struct hog_partition *partition, double least, double size)
{
    return partition->cpus <= 0 ? size : fmin(least, size);
}

static void add_node(struct hog_partition *one, const struct table *nodes, size_t row)
{
    const double cpus = number_at(nodes, WASTE_NODE_CPUS, row),
                 gpus = number_at(nodes, WASTE_NODE_GPUS, row),
                 mem = number_at(nodes, WASTE_NODE_MEM, row);
    one->least_cpus = lesser(one, one->least_cpus, cpus);
    one->least_mem = lesser(one, one->least_mem, mem);
    one->least_gpus = lesser(one, one->least_gpus, gpus);
    if (gpus > 0) {
        one->cpus_per_gpu = fmax(one->cpus_per_gpu, cpus / gpus);
        one->mem_per_gpu = fmax(one->mem_per_gpu, mem / gpus);
    }
    one->cpus += cpus;
    one->nodes++;
    one->largest = fmax(one->largest, cpus);
    one->all_gpus = one->all_gpus && gpus > 0;
}

static void sum_partitions(struct hog_world *world)
{
    const struct table *nodes = &world->nodes;
    for (size_t row = 0; row < nodes->row_count; row++) {
        struct str list = text_at(nodes, WASTE_NODE_PARTITIONS, row);
        while (list.len > 0) {
            const struct str name = str_cut(&list, ',');
            if (name.len == 0) {
                continue;
            }
            add_node(partition_of(world, text_at(nodes, WASTE_NODE_CLUSTER, row), name), nodes,
                     row);
        }
    }
}

/* Sizes of a partition of which not every node is known. */
static void forget_sizes(struct hog_partition *one, double cpus)
{
    *one = (struct hog_partition){.cluster = one->cluster, .name = one->name, .cpus = cpus};
}

/*
 * A list of nodes may be of some. The partition itself says how many it has; where it was not
 * listed, a run that held more than there are shows it.
 */
static void forget_incomplete(struct hog_world *world)
{
    const struct table *listed = &world->listed;
    const struct run_rows *rows = &world->rows;
    for (size_t row = 0; row < listed->row_count; row++) {
        struct hog_partition *one =
            partition_of(world, text_at(listed, WASTE_PARTITION_CLUSTER, row),
                         text_at(listed, WASTE_PARTITION_NAME, row));
        if (number_at(listed, WASTE_PARTITION_NODES, row) > one->nodes) {
            forget_sizes(one, number_at(listed, WASTE_PARTITION_CPUS, row));
        }
    }
    for (size_t row = 0; row < rows->table.row_count; row++) {
        struct hog_partition *one = find_partition(world, run_rows_text(rows, CLUSTER, row),
                                                   run_rows_text(rows, PARTITION, row));
        if (one && one->nodes > 0 &&
            (run_rows_number(rows, NODE_COUNT, row, 0) > one->nodes ||
             run_rows_number(rows, CPUS, row, 0) > one->cpus)) {
            forget_sizes(one, 0);
        }
    }
}

/*
 * How much of each cluster was in use, day by day. A caller who sees only some of the runs
 * cannot be told: for them rules hold always.
 */
static int read_in_use(struct service *service, struct hog_world *world, struct error *err)
{
    char from[32], to[32];
    (void)snprintf(from, sizeof(from), "@%" PRId64, world->rows.period.from / SECOND_US);
    (void)snprintf(to, sizeof(to), "@%" PRId64, world->rows.period.to / SECOND_US);
    const struct request_value values[] = {
        {"measure", STR("utilization")}, {"measure", STR("gpu_utilization")},
        {"by", STR("cluster")},          {"every", STR("day")},
        {"from", str_of(from)},          {"to", str_of(to)},
    };
    const struct request request = {
        .operation = &operation_report, .values = values, .count = COUNT_OF(values)};
    const int64_t days = (world->rows.period.to - world->rows.period.from) / DAY_US;
    return !service->caller || !caller_may(service->caller, RIGHT_ALL) || days > DAYS_MAX
               ? 0
               : operation_report.run(service, &request, &world->in_use, err);
}

int hog_world_read(struct service *service, const struct request *request, struct facts *facts,
                   struct hog_world *out, struct error *err)
{
    int failed = run_rows_ask(service, request, facts, HOG_FIELDS, &out->rows, err);
    const struct period period = out->rows.period;
    out->zone = service->zone;
    failed = failed ? failed : run_rows_use(facts, service->now(), &out->rows, err);
    if (failed || out->rows.any_time) {
        return failed;
    }
    (void)((failed = waste_pauses(facts, period, &out->pauses, err)) ||
           (failed = waste_nodes(facts, period, &out->nodes, err)) ||
           (failed = waste_partitions(facts, period, &out->listed, err)) ||
           (failed = waste_sessions(facts, period, &out->sessions, err)) ||
           (failed = waste_zombies(facts, period, &out->zombies, err)) ||
           (out->rows.table.row_count > 0 && (failed = read_in_use(service, out, err))));
    if (!failed) {
        sum_partitions(out);
        forget_incomplete(out);
    }
    return failed;
}

void hog_world_release(struct hog_world *world)
{
    run_rows_release(&world->rows);
    table_release(&world->pauses);
    table_release(&world->nodes);
    table_release(&world->listed);
    table_release(&world->sessions);
    table_release(&world->zombies);
    answer_release(&world->in_use);
    free(world->partitions);
}

/* --- what a run used ---------------------------------------------------------------------- */

/* The longest time in which none of its GPUs worked, as far as looks show it; 0: none. */
static double gpu_pause_of(const struct hog_world *world, size_t row)
{
    const struct run_rows *rows = &world->rows;
    const struct sample_match_run run = {
        .cluster = run_rows_text(rows, CLUSTER, row),
        .job = run_rows_number(rows, JOB_RAW, row, run_rows_number(rows, JOB, row, -1)),
        .task = run_rows_number(rows, TASK, row, -1),
        .own_number = run_rows_number(rows, JOB_RAW, row, -1) >= 0,
        .start = run_rows_number(rows, START, row, -1),
        .end = (double)world->rows.uses[row].until,
    };
    size_t at = 0;
    double coverage = 0;
    return sample_match_find(&world->pauses, &run, &at, &coverage) &&
                   table_has(&world->pauses, WASTE_PAUSE, at)
               ? table_real(&world->pauses, WASTE_PAUSE, at)
               : 0;
}

/* A figure of which something follows; below 0: none. */
static double known(const struct use_figure *figure)
{
    return figure->concludes ? figure->used : -1;
}

/* What nobody saw of what was held; the figure of a scheduler is of the whole run. */
static double unseen(const struct use_figure *figure, double held)
{
    return figure->basis == USE_SCHEDULER ? 0 : fmax(0, 1 - figure->coverage) * held;
}

/*
 * A peak that a request may be judged by: one that the kernel kept. What was polled may be too
 * low.
 */
static double known_peak(const struct use *use, double nodes)
{
    const struct use_figure *memory = &use->of[USE_MEMORY];
    return memory->concludes && memory->kept
               ? fmax(memory->used, use->node_memory * fmax(1, nodes))
               : -1;
}

/*
 * What it used (report/use/use.h). What is only a lower bound, or was seen too little, is not
 * known.
 */
static void add_use(const struct hog_world *world, size_t row, struct hog_run *run)
{
    const struct use *use = &world->rows.uses[row];
    const struct use_figure *cpu = &use->of[USE_CPU], *gpu = &use->of[USE_GPU];
    const bool saw_cpus = cpu->coverage >= SAW_ALL && (double)use->nodes >= fmax(1, run->nodes);
    const bool saw_cards =
        gpu->coverage >= SAW_ALL && (double)use->cards >= run->gpus && use_saw_cards_often(use);
    run->wall = fmax(0, use->wall_us);
    run->suspended = fmax(0, use->held_us - use->wall_us);
    run->cpu_used = known(cpu);
    run->cpu_unseen = unseen(cpu, run->cpus * run->wall);
    run->gpu_used = use_saw_cards_often(use) ? known(gpu) : -1;
    run->gpu_unseen = unseen(gpu, run->gpus * use_time(use, USE_GPU));
    run->mem_peak = known_peak(use, run->nodes);
    run->cpus_peak = saw_cpus ? fmax(0, use->cpus_peak) : 0;
    run->nodes_idle = saw_cpus ? fmax(0, use->nodes_idle) : 0;
    run->gpus_unused = saw_cards ? fmax(0, use->cards_idle) : 0;
    run->gpu_pause = saw_cards && run->gpus > 0 ? gpu_pause_of(world, row) : 0;
}

static struct hog_run run_of(const struct hog_world *world, size_t row)
{
    const struct run_rows *rows = &world->rows;
    const struct str class = run_rows_text(rows, CLASS, row);
    struct hog_run run = {
        .cpus = run_rows_number(rows, CPUS, row, 0),
        .cpus_asked = run_rows_number(rows, REQ_CPUS, row, 0),
        .mem = run_rows_number(rows, MEM, row, 0),
        .gpus = run_rows_number(rows, GPUS, row, 0),
        .time_limit = run_rows_number(rows, TIME_LIMIT, row, 0),
        .nodes = run_rows_number(rows, NODE_COUNT, row, 0),
        .running = str_eq(class, STR("running")),
        .completed = str_eq(class, STR("completed")),
    };
    const struct hog_partition *one = find_partition(world, run_rows_text(rows, CLUSTER, row),
                                                     run_rows_text(rows, PARTITION, row));
    if (one) {
        run.node_cpus = one->largest;
        run.partition_cpus = one->cpus;
        run.gpu_nodes = one->all_gpus;
        run.least_cpus = one->least_cpus;
        run.least_mem = one->least_mem;
        run.least_gpus = one->least_gpus;
        run.cpus_per_gpu = one->cpus_per_gpu;
        run.mem_per_gpu = one->mem_per_gpu;
    }
    add_use(world, row, &run);
    return run;
}

/* --- whether the machine was idle --------------------------------------------------------- */

/* How much was in use on a day; below 0: not known. */
static double in_use_on(const struct hog_world *world, size_t column, struct str cluster,
                        const char *label)
{
    const struct table *table = &world->in_use.table;
    const size_t clusters = table_find(table, "cluster"), days = table_find(table, "period");
    for (size_t row = 0; row < table->row_count; row++) {
        if (str_eq(text_at(table, days, row), str_of(label)) &&
            str_eq(text_at(table, clusters, row), cluster)) {
            return table_has(table, column, row) ? table_real(table, column, row) : -1;
        }
    }
    return -1;
}

/* Whether on all days of a run of which it is known less than the rule's share was in use. */
static bool was_idle(const struct hog_world *world, const struct hog_site_rule *site,
                     size_t row)
{
    const struct run_rows *rows = &world->rows;
    const struct table *table = &world->in_use.table;
    const size_t column =
        table_find(table, site->rule.unit == HOG_GPU_HOURS ? "gpu_utilization" : "utilization");
    const int64_t from = (int64_t)run_rows_number(rows, START, row, 0);
    const int64_t to = (int64_t)run_rows_number(rows, END, row, (double)rows->period.to);
    bool known = false;
    if (site->busy <= 0 || column >= table->column_count || table->row_count == 0) {
        return false;
    }
    for (int64_t at = from; at <= to && (at - from) / DAY_US < DAYS_MAX; at += DAY_US) {
        char label[LABEL_MAX];
        const struct civil day = zone_civil(world->zone, at);
        (void)snprintf(label, sizeof(label), "%04d-%02d-%02d", day.year % 10000,
                       day.month % 100, day.day % 100);
        const double share = in_use_on(world, column, run_rows_text(rows, CLUSTER, row), label);
        if (share >= site->busy) {
            return false;
        }
        known = known || share >= 0;
    }
    return known;
}

/* --- cases -------------------------------------------------------------------------------- */

static void add_item(struct hog_cases *cases, struct hog_item item)
{
    cases->items =
        mem_grow(cases->items, cases->item_count, &cases->item_room, sizeof(*cases->items));
    cases->items[cases->item_count++] = item;
}

/* Whether the site has the rule hold for a run of this partition, QOS and nodes. */
static bool holds_for(const struct run_rows *rows, const struct hog_site_rule *site, size_t row)
{
    const struct str nodes = run_rows_text(rows, NODES, row);
    return hog_site_holds(site->partitions, run_rows_text(rows, PARTITION, row)) &&
           hog_site_holds(site->qos, run_rows_text(rows, QOS, row)) &&
           hog_site_holds_on(site->nodes,
                             nodes.len > 0 ? nodes : run_rows_text(rows, NODE, row));
}

static void find_runs(const struct hog_world *world, const struct hog_site_rule *site,
                      struct hog_cases *out)
{
    const struct run_rows *rows = &world->rows;
    for (size_t row = 0; row < rows->table.row_count; row++) {
        const struct str user = run_rows_text(rows, USER, row);
        struct hog_found found = {.share = -1};
        if (!holds_for(rows, site, row)) {
            continue;
        }
        const struct hog_run run = run_of(world, row);
        if (site->rule.breaks(&site->rule, &run, &found) &&
            !hog_site_lists(site->exempt, user) && !was_idle(world, site, row)) {
            add_item(out,
                     (struct hog_item){.user = user,
                                       .cluster = run_rows_text(rows, CLUSTER, row),
                                       .what = run_rows_text(rows, ID, row),
                                       .start = (int64_t)run_rows_number(rows, START, row, 0),
                                       .share = found.share,
                                       .lost = found.lost,
                                       .held = found.held,
                                       .count = 1});
        }
    }
}

/* Of processes: what was used, or of those that have ended, how many there are. */
static void find_processes(const struct table *seen, const struct hog_site_rule *site,
                           struct hog_cases *out)
{
    for (size_t row = 0; row < seen->row_count; row++) {
        const struct str user = text_at(seen, WASTE_SESSION_USER, row);
        const double amount = table_has(seen, WASTE_SESSION_CPU, row)
                                  ? table_real(seen, WASTE_SESSION_CPU, row)
                                  : -1;
        const double count = table_real(seen, WASTE_SESSION_COUNT, row);
        if (amount < site->rule.least_us || hog_site_lists(site->exempt, user) ||
            !hog_site_holds(site->nodes, text_at(seen, WASTE_SESSION_NODE, row))) {
            continue;
        }
        add_item(out,
                 (struct hog_item){.user = user,
                                   .cluster = text_at(seen, WASTE_SESSION_CLUSTER, row),
                                   .what = text_at(seen, WASTE_SESSION_COMMAND, row),
                                   .share = -1,
                                   .lost = site->rule.unit == HOG_PROCESSES ? count : amount,
                                   .count = (int64_t)count});
    }
}

/* The same login on another cluster may be another person. */
static int by_login(struct str user, struct str cluster, struct str other_user,
                    struct str other_cluster)
{
    const int users = str_compare(user, other_user);
    return users ? users : str_compare(cluster, other_cluster);
}

static int by_user(const void *left, const void *right)
{
    const struct hog_item *a = left, *b = right;
    const int logins = by_login(a->user, a->cluster, b->user, b->cluster);
    return logins               ? logins
           : a->lost != b->lost ? (a->lost < b->lost) - (a->lost > b->lost)
                                : str_compare(a->what, b->what);
}

static int by_loss(const void *left, const void *right)
{
    const struct hog_case *a = left, *b = right;
    return a->lost != b->lost ? (a->lost < b->lost) - (a->lost > b->lost)
                              : by_login(a->user, a->cluster, b->user, b->cluster);
}

static bool is_enough(const struct hog_rule *rule, const struct hog_case *one)
{
    switch (rule->by) {
    case HOG_BY_NUMBER:
        return (double)one->runs > rule->threshold;
    case HOG_BY_SUM:
        return hog_site_scaled(rule, one->lost) > rule->threshold;
    case HOG_BY_MEAN:
        return one->share < rule->threshold &&
               hog_site_scaled(rule, one->held) >= rule->least_sum;
    case HOG_BY_SHARE:
        break;
    }
    return hog_site_scaled(rule, one->lost) >= rule->least_sum;
}

/* One case of the items of one login, which lie together. */
static struct hog_case case_of(const struct hog_rule *rule, const struct hog_item *items,
                               size_t count)
{
    struct hog_case one = {.user = items[0].user,
                           .cluster = items[0].cluster,
                           .items = items,
                           .item_count = count};
    for (size_t i = 0; i < count; i++) {
        one.runs += items[i].count;
        one.lost += items[i].lost;
        one.held += items[i].held;
        one.share += items[i].share;
    }
    one.share = items[0].share < 0        ? -1
                : rule->by == HOG_BY_MEAN ? 1 - one.lost / fmax(1, one.held)
                                          : one.share / (double)count;
    return one;
}

void hog_cases_find(const struct hog_world *world, const struct hog_site_rule *site,
                    struct hog_cases *out)
{
    *out = (struct hog_cases){0};
    if (site->rule.where == HOG_IN_RUNS) {
        find_runs(world, site, out);
    } else {
        find_processes(site->rule.where == HOG_IN_ZOMBIES ? &world->zombies : &world->sessions,
                       site, out);
    }
    if (out->item_count == 0) {
        return;
    }
    qsort(out->items, out->item_count, sizeof(*out->items), by_user);
    out->rows = mem_alloc(out->item_count, sizeof(*out->rows));
    for (size_t i = 0, next = 0; i < out->item_count; i = next) {
        const struct hog_item *first = &out->items[i];
        for (next = i; next < out->item_count &&
                       by_login(first->user, first->cluster, out->items[next].user,
                                out->items[next].cluster) == 0;) {
            next++;
        }
        const struct hog_case one = case_of(&site->rule, &out->items[i], next - i);
        if (is_enough(&site->rule, &one)) {
            out->rows[out->count++] = one;
        }
    }
    qsort(out->rows, out->count, sizeof(*out->rows), by_loss);
}

void hog_cases_release(struct hog_cases *cases)
{
    free(cases->rows);
    free(cases->items);
}
