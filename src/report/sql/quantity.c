/* SPDX-License-Identifier: MIT */
#include "report/sql/quantity.h"

/* Around what is shared out among the nodes of a run, and how (runs_source.h). */
static const struct {
    char open, close;
    struct expression part; /* what follows the amount in @part */
} shares[] = {
    {'{', '}', {", share_of, share_low, share_high)"}},
    {'[', ']', {", cpu_share_of, cpu_share_low, cpu_share_high)"}},
};

/* Not greatest(start - since, 0): that passes over NULL, and unknown would be 0. */
#define WAITED(since)                                                                          \
    "CASE WHEN start >= " since " THEN start - " since " WHEN " since " > start THEN 0 END"

static const struct expression quantities[QUANTITY_COUNT] = {
    [QUANTITY_ONE] = {"1"},
    [QUANTITY_CPUS] = {"[cpus]"},
    [QUANTITY_GPUS] = {"{gpus}"},
    [QUANTITY_NODES] = {"{node_count}"},
    [QUANTITY_MEMORY] = {"@wide({mem_bytes})"},
    [QUANTITY_DISK] = {"@wide({disk_bytes})"},
    [QUANTITY_BILLING] = {"{billing}"},
    [QUANTITY_CPU_USED] = {"[cpu_used_us]"},
    [QUANTITY_CPU_USER] = {"[cpu_user_us]"},
    [QUANTITY_CPU_SYSTEM] = {"[cpu_system_us]"},
    [QUANTITY_CPU_BOTH] = {"@wide([cpu_user_us]) + [cpu_system_us]"},
    [QUANTITY_GPU_USED] = {"{gpu_used_us}"},
    [QUANTITY_ENERGY] = {"{energy_mj}"}, /* an hour of a run may have less than a joule */
    [QUANTITY_MEMORY_PEAK] = {"{mem_peak_bytes}"},
    [QUANTITY_MEMORY_WHOLE] = {"{" QUANTITY_SQL_MEMORY_WHOLE "}"},
    [QUANTITY_WAIT] = {WAITED("submit")},
    [QUANTITY_WAIT_ELIGIBLE] = {WAITED("eligible")},
    [QUANTITY_WALL] = {QUANTITY_SQL_WALL},
    [QUANTITY_CPU_TIME] = {"@wide([cpus]) * " QUANTITY_SQL_WALL},
    [QUANTITY_GPU_TIME] = {"@wide({gpus}) * " QUANTITY_SQL_HELD},
    [QUANTITY_MEMORY_ASKED] = {QUANTITY_SQL_MEMORY_ASKED},
    [QUANTITY_TIME_LIMIT] = {"req_wall_us"},
    [QUANTITY_SU] = {"{price_su}"},
    [QUANTITY_COST] = {"{price_cost}"},
};

/* Which of shares begins or ends at a character; their number: none. */
static size_t share_at(char c, bool *begins)
{
    size_t i = 0;
    while (i < COUNT_OF(shares) && c != shares[i].open && c != shares[i].close) {
        i++;
    }
    *begins = i < COUNT_OF(shares) && c == shares[i].open;
    return i;
}

/* How a quantity is shared out; the number of shares: it is not. */
static size_t share_of(enum quantity quantity)
{
    const char *text = quantities[quantity].text;
    bool begins = false;
    size_t share = COUNT_OF(shares);
    for (; text && *text && share == COUNT_OF(shares); text++) {
        share = share_at(*text, &begins);
    }
    return share;
}

bool quantity_is_shared(enum quantity quantity)
{
    return share_of(quantity) < COUNT_OF(shares);
}

static void add_part(struct statement *sql, size_t share, bool begins)
{
    statement_expression(sql, begins ? EXPRESSION("@part(") : shares[share].part);
}

void quantity_expression(struct statement *sql, struct expression expression, bool shared)
{
    for (const char *c = expression.text; *c; c++) {
        bool begins = false;
        const size_t share = share_at(*c, &begins);
        if (share == COUNT_OF(shares)) {
            statement_add(sql, "%c", *c);
        } else if (shared) {
            add_part(sql, share, begins);
        }
    }
}

void quantity_part(struct statement *sql, enum quantity quantity, bool begins)
{
    const size_t share = share_of(quantity);
    if (share < COUNT_OF(shares)) {
        add_part(sql, share, begins);
    }
}

void quantity_add(struct statement *sql, enum quantity quantity, bool shared)
{
    quantity_expression(sql, quantities[quantity], shared);
}

/*
 * What an aggregate looks like: q is the measure's quantity, w its whole, c the name of its
 * class in quotes, p its percentage as a share; letters stand behind a $.
 */
static const struct expression aggregates[] = {
    [AGGREGATE_RUNS] = {"count(*)"},
    [AGGREGATE_TASKS] = {"@long(count(*) + coalesce(sum(task_count - 1), 0))"},
    [AGGREGATE_CLASS] = {"count(*) FILTER (class = $c)"},
    [AGGREGATE_RATE] = {"@real(count(*) FILTER (class = $c)) / nullif(count(*), 0)"},
    [AGGREGATE_SUM] = {"sum($q)"},
    [AGGREGATE_MEAN] = {"@real(sum($q)) / count($q)"},
    [AGGREGATE_MIN] = {"min($q)"},
    [AGGREGATE_MAX] = {"max($q)"},
    [AGGREGATE_QUANTILE] = {"@quantile($q, $p)"},
    [AGGREGATE_SHARE] = {"@real(sum($q) FILTER (($q) IS NOT NULL AND ($w) IS NOT NULL)) / "
                         "nullif(sum($w) FILTER (($q) IS NOT NULL AND ($w) IS NOT NULL), 0)"},
    [AGGREGATE_KNOWN] = {"@real(coalesce(sum($w) FILTER (($q) IS NOT NULL), 0)) / "
                         "nullif(sum($w), 0)"},
};

static void add_letter(struct statement *sql, const struct measure *measure, char letter,
                       bool shared)
{
    switch (letter) {
    case 'q':
        quantity_add(sql, measure->quantity, shared);
        break;
    case 'w':
        quantity_add(sql, measure->whole, shared);
        break;
    case 'c':
        statement_literal(sql, (struct identifier){run_class_name(measure->class).ptr});
        break;
    default:
        statement_add(sql, "0.%02d", measure->percent);
        break;
    }
}

void quantity_add_aggregate(struct statement *sql, const struct measure *measure, bool shared)
{
    for (const char *c = aggregates[measure->aggregate].text; *c; c++) {
        if (*c == '$') {
            add_letter(sql, measure, *++c, shared);
        } else {
            statement_add(sql, "%c", *c);
        }
    }
}
