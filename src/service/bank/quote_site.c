/* SPDX-License-Identifier: MIT */
#include "service/bank/quote_site.h"

#include "bank/billing.h"
#include "facts/inventory.h"

/* --- listings ----------------------------------------------------------------------------- */

int quote_site_read(struct service *service, struct str cluster, struct quote_site *out,
                    struct error *err)
{
    struct facts *facts;
    struct error found = {0};
    const int64_t now = service->now();
    *out = (struct quote_site){0};
    int failed = session_facts(service->session, FACTS_READ, &facts, &found);
    if (failed == ERROR_MISSING) {
        return 0;
    }
    if (failed) {
        *err = found;
        return failed;
    }
    (void)((failed = inventory_at(facts, INVENTORY_ITEM_PARTITION, cluster, now,
                                  &out->partitions, err)) ||
           (failed = inventory_at(facts, INVENTORY_ITEM_NODE, cluster, now, &out->nodes, err)));
    return failed;
}

void quote_site_release(struct quote_site *site)
{
    table_release(&site->partitions);
    table_release(&site->nodes);
}

/* Columns of a listing: the cluster, two instants, then the fields of the kind. */
enum { CLUSTER_C, FIELDS_C = 3 };

static bool has_number(const struct table *table, size_t row, int field, int64_t *out)
{
    const bool has = table_has(table, FIELDS_C + (size_t)field, row);
    *out = has ? table->columns[FIELDS_C + field].cells[row].integer : 0;
    return has;
}

static struct str text_at(const struct table *table, size_t row, size_t column)
{
    return table_has(table, column, row) ? table->columns[column].cells[row].text
                                         : (struct str){0};
}

/* Whether all rows are of one cluster. */
static bool is_one_cluster(const struct table *table)
{
    for (size_t i = 1; i < table->row_count; i++) {
        if (!str_eq(text_at(table, i, CLUSTER_C), text_at(table, 0, CLUSTER_C))) {
            return false;
        }
    }
    return table->row_count > 0;
}

/* The partition of a job, or the default one: its row; the number of rows: not known. */
static size_t find_partition(const struct quote_site *site, const struct run *run)
{
    const struct table *table = &site->partitions;
    size_t row = 0;
    int64_t is_default;
    while (row < table->row_count &&
           !(RUN_HAS(run, partition)
                 ? str_eq(text_at(table, row, FIELDS_C + PARTITION_partition), run->partition)
                 : has_number(table, row, PARTITION_is_default, &is_default) && is_default)) {
        row++;
    }
    return row;
}

/* --- nodes -------------------------------------------------------------------------------- */

/* The most that a node of the partition has of something. */
struct largest {
    bool known, differs;
    int64_t most;
};

static bool is_in(struct str list, struct str name)
{
    while (list.len > 0) {
        if (str_eq(str_trim(str_cut(&list, ',')), name)) {
            return true;
        }
    }
    return false;
}

static struct largest find_largest(const struct quote_site *site, struct str partition,
                                   enum node_field field)
{
    const struct table *nodes = &site->nodes;
    struct largest largest = {0};
    for (size_t i = 0; i < nodes->row_count; i++) {
        int64_t number;
        if (!is_in(text_at(nodes, i, FIELDS_C + NODE_partitions), partition) ||
            !has_number(nodes, i, (int)field, &number)) {
            continue;
        }
        largest.differs = largest.differs || (largest.known && number != largest.most);
        largest.most = number > largest.most ? number : largest.most;
        largest.known = true;
    }
    return largest;
}

/* --- what a job gets ---------------------------------------------------------------------- */

/* A job on its way through its partition. */
struct completion {
    const struct quote_site *site;
    struct submit_script *batch;
    struct answer *answer;
    size_t row; /* of its partition */
    struct str partition;
    bool differs; /* some number is of the largest of nodes that are not alike */
};

static int64_t setting(const struct completion *c, enum partition_field field)
{
    int64_t number;
    return has_number(&c->site->partitions, c->row, (int)field, &number) ? number : 0;
}

static bool take_largest(struct completion *c, enum node_field field, int64_t *out)
{
    const struct largest largest = find_largest(c->site, c->partition, field);
    c->differs = c->differs || largest.differs;
    *out = largest.most;
    return largest.known;
}

/* How many nodes it has at least: those it says, or as many as its cpus need. */
static int64_t count_nodes(struct completion *c)
{
    const struct submit_script_said *said = &c->batch->said;
    const struct run *run = &c->batch->run;
    const struct largest cpus = find_largest(c->site, c->partition, NODE_cpus);
    const int64_t each = said->cpus_per_task > 0 ? said->cpus_per_task : 1;
    int64_t wanted = 0;
    if (RUN_HAS(run, node_count)) {
        return run->node_count;
    }
    if (RUN_HAS(run, cpus)) {
        wanted = run->cpus;
    } else if (__builtin_mul_overflow(said->tasks, each, &wanted)) {
        return 1;
    }
    return cpus.known && cpus.most > 0 && wanted > 0 ? (wanted - 1) / cpus.most + 1 : 1;
}

static int times(int64_t a, int64_t b, int64_t *out, struct error *err)
{
    return __builtin_mul_overflow(a, b, out)
               ? error_set(err, ERROR_LIMIT, "the job asks for more than a run can have")
               : 0;
}

/* All cpus and GPUs of its nodes. */
static int take_whole_nodes(struct completion *c, int64_t nodes, struct error *err)
{
    struct run *run = &c->batch->run;
    int64_t each = 0, cpus = 0, gpus = 0;
    int failed = 0;
    RUN_SET(run, node_count, nodes);
    if (!take_largest(c, NODE_cpus, &each)) {
        return 0;
    }
    failed = times(each, nodes, &cpus, err);
    if (!failed && take_largest(c, NODE_gpus, &each)) {
        failed = times(each, nodes, &gpus, err);
    }
    if (!failed) {
        RUN_SET(run, cpus, cpus);
        RUN_SET(run, gpus, gpus);
        c->batch->whole_nodes = false; /* it is in the price */
    }
    return failed;
}

/* Memory that the job does not say: that of its nodes, or what the partition gives. */
static int take_memory(struct completion *c, int64_t nodes, struct error *err)
{
    struct run *run = &c->batch->run;
    const int64_t per_cpu = setting(c, PARTITION_def_mem_cpu_bytes),
                  per_node = setting(c, PARTITION_def_mem_node_bytes);
    const bool says = RUN_HAS(run, mem_bytes), all = c->batch->all_memory;
    /* What nobody limits is all; but not where slurm.conf was not seen. */
    const bool unlimited =
        table_has(&c->site->partitions, FIELDS_C + PARTITION_billing_largest, c->row);
    int64_t bytes = 0, each = 0;
    int failed = 0;
    if (says) {
        return 0;
    }
    if (!all && per_cpu > 0 && RUN_HAS(run, cpus)) {
        failed = times(per_cpu, run->cpus, &bytes, err);
    } else if (!all && per_node > 0) {
        failed = times(per_node, nodes, &bytes, err);
    } else if ((all || unlimited) && take_largest(c, NODE_mem_bytes, &each)) {
        failed = times(each, nodes, &bytes, err);
        c->batch->all_memory = false;
    }
    if (!failed && bytes > 0) {
        RUN_SET(run, mem_bytes, bytes);
    }
    return failed;
}

static int take_billing(struct completion *c, struct error *err)
{
    const size_t column = FIELDS_C + PARTITION_billing_weights;
    struct run *run = &c->batch->run;
    struct error found = {0};
    int64_t billing = 0;
    if (!table_has(&c->site->partitions, column, c->row)) {
        return 0;
    }
    const int failed = billing_of(text_at(&c->site->partitions, c->row, column),
                                  (enum billing_largest)setting(c, PARTITION_billing_largest),
                                  run, &billing, &found);
    if (failed == ERROR_MISSING || failed == ERROR_INPUT) {
        answer_note(c->answer, NOTE_WARNING, "what partition %.*s bills is not known: %s",
                    STR_ARG(c->partition), found.text);
        return 0;
    }
    if (failed) {
        *err = found;
        return failed;
    }
    RUN_SET(run, billing, billing);
    return 0;
}

int quote_site_complete(const struct quote_site *site, struct submit_script *batch,
                        struct answer *answer, struct error *err)
{
    struct completion c = {.site = site, .batch = batch, .answer = answer};
    struct run *run = &batch->run;
    c.row = find_partition(site, run);
    if (c.row == site->partitions.row_count ||
        (!RUN_HAS(run, cluster) && !is_one_cluster(&site->partitions))) {
        return 0;
    }
    c.partition = text_at(&site->partitions, c.row, FIELDS_C + PARTITION_partition);
    const struct str cluster = text_at(&site->partitions, c.row, CLUSTER_C);
    const int64_t limit = setting(&c, PARTITION_default_wall_us),
                  longest = setting(&c, PARTITION_max_wall_us);
    RUN_SET(run, cluster, cluster);
    RUN_SET(run, partition, c.partition);
    if (!RUN_HAS(run, req_wall_us) && (limit > 0 || longest > 0)) {
        RUN_SET(run, req_wall_us, limit > 0 ? limit : longest);
    }
    const int64_t nodes = count_nodes(&c);
    int failed = batch->whole_nodes || setting(&c, PARTITION_whole_nodes)
                     ? take_whole_nodes(&c, nodes, err)
                     : 0;
    failed = failed ? failed : take_memory(&c, nodes, err);
    if (!failed && !RUN_HAS(run, node_count)) {
        RUN_SET(run, node_count, nodes);
    }
    failed = failed ? failed : take_billing(&c, err);
    if (!failed && c.differs) {
        answer_note(answer, NOTE_READING,
                    "nodes of partition %.*s differ: the price is that of the largest",
                    STR_ARG(c.partition));
    }
    return failed;
}
