/* SPDX-License-Identifier: MIT */

/*
 * timeout: 2400
 *
 * Random runs, random questions, and the answers worked out the slow way (support/slow_way.h). Equal to the
 * last microsecond. STINT_SEED=N asks other questions, STINT_QUESTIONS=N more of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/rollup/rollup.h"
#include "support/chance.h"
#include "support/expect.h"
#include "support/slow_way.h"
#include "unit/report/ask.h"

enum { RUNS = 300, QUESTIONS = 50, CUTS = 2, KEY_MAX = 128 };

static struct runs_store store;
static struct run runs[RUNS];
static uint64_t seed = 20250310;
static size_t question_number;
static struct chance chance;

static const char *const zone_names[] = {"UTC", "Europe/Oslo", "America/New_York",
                                         "Australia/Lord_Howe", "Asia/Kathmandu"};
static struct zone *zones[COUNT_OF(zone_names)];

static const struct zone *any_zone(void)
{
    return zones[chance_below(&chance, COUNT_OF(zones))];
}

/* --- questions ----------------------------------------------------------------------------- */

/* Filters and what they mean, in C. */
static bool is_ann_or_bob(const struct run *run)
{
    return RUN_HAS(run, user) &&
           (str_eq(run->user, STR("ann")) || str_eq(run->user, STR("bob")));
}

static bool is_not_ann(const struct run *run)
{
    return !RUN_HAS(run, user) || !str_eq(run->user, STR("ann"));
}

static bool has_small_cpus(const struct run *run)
{
    return RUN_HAS(run, cpus) && run->cpus >= 1 && run->cpus <= 3;
}

static bool has_many_cpus(const struct run *run)
{
    return RUN_HAS(run, cpus) && run->cpus > 100;
}

static bool is_named_sim(const struct run *run)
{
    return RUN_HAS(run, name) && str_starts(run->name, STR("sim"));
}

static bool is_percent(const struct run *run)
{
    return RUN_HAS(run, name) && str_eq(run->name, STR("50%"));
}

static bool is_short(const struct run *run)
{
    return RUN_HAS(run, start) && RUN_HAS(run, end) && run->end - run->start < HOUR_US;
}

static bool is_on_birch(const struct run *run)
{
    return str_eq(run->cluster, STR("birch"));
}

/* Every node of it; rows that are nodes have one. */
static bool is_on_n2(const struct run *run)
{
    struct str names[SLOW_NODES_MAX];
    bool found = RUN_HAS(run, node) && str_eq(run->node, STR("n2"));
    for (size_t left = slow_names(run, names); left > 0; left--) {
        found |= str_eq(names[left - 1], STR("n2"));
    }
    return found;
}

static bool is_not_on_n2(const struct run *run)
{
    return !is_on_n2(run);
}

static const struct known_filter {
    const char *field;
    const char *list;
    bool (*holds)(const struct run *run);
} known_filters[] = {
    {"user", "ann,bob", is_ann_or_bob}, {"user", "!ann", is_not_ann},
    {"cpus", "1..3", has_small_cpus},   {"cpus", ">100", has_many_cpus},
    {"name", "sim*", is_named_sim},     {"name", "50%", is_percent},
    {"wall", "<1h", is_short},          {"cluster", "b*", is_on_birch},
    {"node", "n2", is_on_n2},           {"node", "!n2", is_not_on_n2},
};

struct asked {
    struct question question;
    const struct known_filter *filters[2];
    size_t filter_count;
    enum bucket cells; /* the finest stretch of time it needs */
};

static void choose_measures(struct question *question)
{
    const bool sums = chance_of(&chance, 25); /* roll-ups answer for these */
    int percent = chance_of(&chance, 30) ? 4 : chance_of(&chance, 20) ? 100 : 30;
    if (!sums && chance_of(&chance, 10)) { /* sorted by a mean over time */
        question->measures[question->measure_count++] = measure_find(STR("running_avg"));
    }
    while (question->measure_count == 0) {
        for (size_t i = 0; i < measure_count; i++) {
            if (chance_of(&chance, percent) && question->measures[0] != &measures[i] &&
                (!sums || measures[i].additive)) {
                question->measures[question->measure_count++] = &measures[i];
            }
        }
    }
}

static void choose_dimensions(struct asked *asked)
{
    static const char *const dimensions[] = {"cluster", "user", "hour_of_day", "group", "name",
                                             "cpus",    "size", "weekday",     "shape", "node"};
    struct question *q = &asked->question;
    asked->cells = q->bucket;
    for (size_t i = 0; i < COUNT_OF(dimensions) && q->dimension_count < 3; i++) {
        if (chance_of(&chance, 15)) {
            const struct field *field = dimension_find(str_of(dimensions[i]));
            enum fold fold = dimension_fold(field);
            q->dimensions[q->dimension_count++] = field;
            asked->cells = fold == FOLD_HOUR                                     ? BUCKET_HOUR
                           : fold == FOLD_WEEKDAY && asked->cells != BUCKET_HOUR ? BUCKET_DAY
                                                                                 : asked->cells;
        }
    }
}

static struct asked random_question(void)
{
    struct asked asked = {0};
    struct question *q = &asked.question;
    q->zone = chance_of(&chance, 40) ? zones[1] : any_zone();
    q->bucket = chance_of(&chance, 40) ? BUCKET_NONE
                                       : (enum bucket)chance_below(&chance, BUCKET_YEAR + 1);
    choose_measures(q);
    choose_dimensions(&asked);
    /* Not so many hours that the slow way takes all day. */
    int64_t from = chance_instant(&chance, any_zone());
    int64_t longest = asked.cells == BUCKET_HOUR ? 9 : asked.cells == BUCKET_DAY ? 90 : 400;
    q->period.from = from;
    q->period.to = from + 1 + chance_below(&chance, 30) * HOUR_US +
                   (chance_of(&chance, 60) ? chance_below(&chance, longest * DAY_US) : 0);
    q->now =
        chance_of(&chance, 20)
            ? q->period.from + chance_below(&chance, q->period.to - from + DAY_US) - HOUR_US
            : chance_instant(&chance, any_zone()) + chance_below(&chance, 200 * DAY_US);
    while (asked.filter_count < COUNT_OF(asked.filters) && chance_of(&chance, 40)) {
        const struct known_filter *filter =
            &known_filters[chance_below(&chance, COUNT_OF(known_filters))];
        ask_where(q, filter->field, filter->list);
        asked.filters[asked.filter_count++] = filter;
    }
    return asked;
}

static bool is_wanted(const struct asked *asked, const struct run *run)
{
    for (size_t i = 0; i < asked->filter_count; i++) {
        const struct known_filter *filter = asked->filters[i];
        bool holds = filter->holds(run);
        for (size_t k = 0; filter->list[0] != '!' && k < asked->filter_count; k++) {
            const struct known_filter *other = asked->filters[k];
            holds = holds || (strcmp(other->field, filter->field) == 0 &&
                              other->list[0] != '!' && other->holds(run)); /* alternatives */
        }
        if (!holds) {
            return false;
        }
    }
    return true;
}

/* The same of a run on one of its nodes: a filter chooses the node, or leaves out the run. */
static bool is_wanted_on(const struct asked *asked, const struct run *run,
                         const struct run *part)
{
    bool wanted = is_wanted(asked, run);
    for (size_t i = 0; wanted && i < asked->filter_count; i++) {
        wanted = !str_eq(str_of(asked->filters[i]->field), STR("node")) ||
                 asked->filters[i]->holds(part);
    }
    return wanted;
}

/* The question as a person would type it, for the message of a failure. */
static const char *describe(const struct question *q)
{
    static char text[8192];
    char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX], now[INSTANT_TEXT_MAX];
    struct buf buf;
    buf_init(&buf, sizeof text - 1);
    buf_addf(&buf, "seed %" PRIu64 ", question %zu: report ", seed, question_number);
    for (size_t i = 0; i < q->measure_count; i++) {
        buf_addf(&buf, "%s%s", i ? "," : "", q->measures[i]->id);
    }
    for (size_t i = 0; i < q->dimension_count; i++) {
        buf_addf(&buf, " --by %s", q->dimensions[i]->id);
    }
    buf_addf(&buf, " --every %s --from %s --to %s --zone %s, now %s", bucket_name(q->bucket),
             zone_print(q->zone, q->period.from, from), zone_print(q->zone, q->period.to, to),
             zone_name(q->zone), zone_print(q->zone, q->now, now));
    for (size_t i = 0; i < q->filter.count; i++) {
        buf_addf(&buf, " --%s %.*s", q->filter.conditions[i].field->id,
                 STR_ARG(q->filter.conditions[i].list));
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)buf.len, buf.ptr);
    buf_release(&buf);
    return text;
}

/* --- rows ---------------------------------------------------------------------------------- */

/* The runs that share their dimensions. */
struct group {
    char key[KEY_MAX]; /* each dimension with a / behind it */
    const struct run *runs[RUNS];
    size_t run_count;
};

/* The time that rows of one bucket, weekday and hour are about. */
struct stretches {
    char key[KEY_MAX]; /* weekday, hour, bucket */
    struct period *stretches;
    size_t count;
};

/* A row of the answer is one of each. */
struct rows {
    struct group *groups;
    struct slow_part *parts; /* runs on their nodes, where rows are nodes */
    size_t group_count;
    struct stretches *times;
    size_t time_count;
};

static const char *size_name(const struct run *run)
{
    static const struct {
        int64_t below;
        const char *name;
    } sizes[] = {
        {2, "1"},          {4, "2-3"},          {8, "4-7"},        {16, "8-15"},
        {32, "16-31"},     {64, "32-63"},       {128, "64-127"},   {256, "128-255"},
        {512, "256-511"},  {1024, "512-1023"},  {2048, "1k-2047"}, {4096, "2k-4095"},
        {8192, "4k-8191"}, {16384, "8k-16383"},
    };

    if (!RUN_HAS(run, cpus)) {
        return "---";
    }
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        if (run->cpus < sizes[i].below) {
            return sizes[i].name;
        }
    }
    return "16k and more";
}

static const char *shape_name(const struct run *run)
{
    if (RUN_HAS(run, node_count) && run->node_count > 1) {
        return "several nodes";
    }
    if (!RUN_HAS(run, cpus)) {
        return "---";
    }
    if (run->cpus <= 1) {
        return "serial";
    }
    return RUN_HAS(run, node_count) && run->node_count == 1 ? "one node"
                                                            : "parallel, nodes unknown";
}

static void add_run_dimension(struct buf *key, const struct field *field, const struct run *run)
{
    struct str id = str_of(field->id);
    if (str_eq(id, STR("size"))) {
        buf_addz(key, size_name(run));
    } else if (str_eq(id, STR("shape"))) {
        buf_addz(key, shape_name(run));
    } else if (!run_has(run, (enum run_field)(field - run_fields))) {
        buf_addz(key, "---");
    } else if (field->type == FIELD_TEXT) {
        buf_add(key, *(const struct str *)(const void *)((const char *)run + field->offset));
    } else {
        buf_addf(key, "%" PRId64,
                 *(const int64_t *)(const void *)((const char *)run + field->offset));
    }
    buf_addc(key, '/');
}

static bool is_folded(const struct question *q, size_t dimension)
{
    return dimension_fold(q->dimensions[dimension]) != FOLD_NONE;
}

static bool has_run_dimensions(const struct question *q)
{
    for (size_t i = 0; i < q->dimension_count; i++) {
        if (!is_folded(q, i)) {
            return true;
        }
    }
    return false;
}

static struct group *find_group(struct rows *rows, struct str key)
{
    for (size_t i = 0; i < rows->group_count; i++) {
        if (str_eq(str_of(rows->groups[i].key), key)) {
            return &rows->groups[i];
        }
    }
    return NULL;
}

static struct stretches *find_time(struct rows *rows, struct str key)
{
    for (size_t i = 0; i < rows->time_count; i++) {
        if (str_eq(str_of(rows->times[i].key), key)) {
            return &rows->times[i];
        }
    }
    return NULL;
}

static bool is_by_node(const struct question *q)
{
    bool found = false;
    for (size_t d = 0; d < q->dimension_count; d++) {
        found |= str_eq(str_of(q->dimensions[d]->id), STR("node"));
    }
    return found;
}

/* Adds a run, or a run on one of its nodes, to its group; all but the node is that of the whole run. */
static void add_to_group(const struct question *q, struct rows *rows, const struct run *whole,
                         const struct run *part)
{
    struct buf key;
    buf_init(&key, KEY_MAX);
    for (size_t d = 0; d < q->dimension_count; d++) {
        const bool node = str_eq(str_of(q->dimensions[d]->id), STR("node"));
        if (!is_folded(q, d)) {
            add_run_dimension(&key, q->dimensions[d], node ? part : whole);
        }
    }
    struct group *group = find_group(rows, buf_str(&key));
    if (!group) {
        group = &rows->groups[rows->group_count++];
        memcpy(group->key, key.ptr, key.len);
    }
    group->runs[group->run_count++] = part;
    buf_release(&key);
}

static void make_groups(const struct asked *asked, struct rows *rows)
{
    const struct question *q = &asked->question;
    rows->groups = mem_alloc((size_t)RUNS * SLOW_NODES_MAX + 1, sizeof(*rows->groups));
    rows->parts = mem_alloc((size_t)RUNS * SLOW_NODES_MAX, sizeof(*rows->parts));
    rows->group_count = !has_run_dimensions(q); /* it is there even if nothing happened */
    for (size_t i = 0; i < RUNS; i++) {
        struct slow_part *parts = rows->parts + i * SLOW_NODES_MAX;
        if (!is_by_node(q)) {
            if (is_wanted(asked, &runs[i])) {
                add_to_group(q, rows, &runs[i], &runs[i]);
            }
            continue;
        }
        const size_t count = slow_on_nodes(&runs[i], parts);
        for (size_t p = 0; p < count; p++) {
            if (is_wanted_on(asked, &runs[i], &parts[p].run)) {
                add_to_group(q, rows, &runs[i], &parts[p].run);
            }
        }
    }
}

static void add_stretch(const struct question *q, struct rows *rows, struct period stretch,
                        int64_t edge, const char *label)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    const struct civil civil = zone_civil(q->zone, edge);
    struct buf key;
    buf_init(&key, KEY_MAX);
    for (size_t d = 0; d < q->dimension_count; d++) {
        if (dimension_fold(q->dimensions[d]) == FOLD_WEEKDAY) {
            buf_addf(&key, "%s/", days[civil_weekday(civil)]);
        } else if (is_folded(q, d)) {
            buf_addf(&key, "%d/", civil.hour);
        }
    }
    buf_addz(&key, label);
    struct stretches *time = find_time(rows, buf_str(&key));
    if (!time) {
        rows->times = mem_resize(rows->times, rows->time_count + 1, sizeof(*rows->times));
        time = &rows->times[rows->time_count++];
        *time = (struct stretches){0};
        memcpy(time->key, key.ptr, key.len);
    }
    time->stretches = mem_resize(time->stretches, time->count + 1, sizeof(*time->stretches));
    time->stretches[time->count++] = stretch;
    buf_release(&key);
}

/* Cuts up the period and says of each piece which rows it belongs to. */
static void make_times(const struct asked *asked, struct rows *rows)
{
    const struct question *q = &asked->question;
    struct error err = {0};
    int64_t *edges = NULL, *cells = NULL;
    size_t edge_count = 0, cell_count = 0, bucket = 0;
    if (calendar_edges(q->period, q->bucket, q->zone, &edges, &edge_count, &err) != 0 ||
        calendar_edges(q->period, asked->cells, q->zone, &cells, &cell_count, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < cell_count; i++) {
        char label[BUCKET_LABEL_MAX] = "";
        /* BUCKET_NONE begins inside its first cell */
        while (q->bucket != BUCKET_NONE && cells[i] >= edges[bucket + 1]) {
            bucket++;
        }
        calendar_label(edges[bucket], q->bucket, q->zone, label);
        struct period stretch = {
            .from = cells[i] > q->period.from ? cells[i] : q->period.from,
            .to = cells[i + 1] < q->period.to ? cells[i + 1] : q->period.to,
        };
        add_stretch(q, rows, stretch, cells[i], label);
    }
    free(edges);
    free(cells);
}

static void release_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->time_count; i++) {
        free(rows->times[i].stretches);
    }
    free(rows->times);
    free(rows->groups);
    free(rows->parts);
}

/* --- comparing ----------------------------------------------------------------------------- */

static void print_cell(const struct table *table, size_t column, size_t row, struct buf *key)
{
    if (!table_has(table, column, row)) {
        buf_addz(key, "---");
    } else if (table->columns[column].type == CELL_TEXT) {
        buf_add(key, table->columns[column].cells[row].text);
    } else {
        buf_addf(key, "%" PRId64, (int64_t)table_wide(table, column, row));
    }
}

/* What a row of the answer calls its group and its time. */
static void print_keys(const struct question *q, const struct table *table, size_t row,
                       struct buf *group, struct buf *time)
{
    buf_clear(group);
    buf_clear(time);
    for (size_t d = 0; d < q->dimension_count; d++) {
        struct buf *key = is_folded(q, d) ? time : group;
        print_cell(table, d, row, key);
        buf_addc(key, '/');
    }
    if (q->bucket != BUCKET_NONE) {
        print_cell(table, q->dimension_count, row, time);
    }
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static double real_of(const struct table *table, size_t column, size_t row)
{
    return table->columns[column].type == CELL_REAL ? table->columns[column].cells[row].real
                                                    : (double)table_wide(table, column, row);
}

static void expect_cell(const struct question *q, const struct table *table, size_t row,
                        size_t index, const struct group *group, const struct stretches *time)
{
    const char *id = q->measures[index]->id;
    const size_t column = table->column_count - q->measure_count + index;
    const bool has = table_has(table, column, row);
    const bool real = table->columns[column].type == CELL_REAL;
    const struct slow_value want =
        slow_answer(id, (struct slow_runs){group->runs, group->run_count, is_by_node(q)},
                    (struct slow_time){time->stretches, time->count, q->now});
    const double wanted = want.is_real ? want.real : (double)want.number;
    if (has != want.known) {
        expect_fail("%s\n%s of '%s' '%s' is %s", describe(q), id, group->key, time->key,
                    has ? "known but should not be" : "unknown but should not be");
    }
    if (has && (real ? !is_close(real_of(table, column, row), wanted)
                     : table_wide(table, column, row) != want.number)) {
        expect_fail("%s\n%s of '%s' '%s' is %.17g, want %.17g", describe(q), id, group->key,
                    time->key, real_of(table, column, row), wanted);
    }
}

/* Whether the answer should have this row. */
static bool is_shown(const struct question *q, const struct group *group,
                     const struct stretches *time)
{
    for (size_t i = 0; i < q->measure_count; i++) {
        if (slow_has(q->measures[i]->id,
                     (struct slow_runs){group->runs, group->run_count, is_by_node(q)},
                     (struct slow_time){time->stretches, time->count, q->now})) {
            return true;
        }
    }
    return !has_run_dimensions(q);
}

/* Largest first, unknown last; within a bucket, and buckets in order of time. */
static void expect_order(const struct question *q, const struct table *table)
{
    const size_t first = table->column_count - q->measure_count;
    for (size_t row = 1; row < table->row_count; row++) {
        if (q->bucket != BUCKET_NONE &&
            !str_eq(ask_text(table, "period", row), ask_text(table, "period", row - 1))) {
            continue;
        }
        bool before = table_has(table, first, row - 1);
        bool after = table_has(table, first, row);
        if (after && (!before || real_of(table, first, row) >
                                     real_of(table, first, row - 1) * (1 + 1e-12))) {
            expect_fail("%s\nrow %zu is larger than the one before", describe(q), row);
        }
    }
}

static size_t count_shown(const struct question *q, const struct rows *rows)
{
    size_t shown = 0;
    for (size_t i = 0; i < rows->group_count; i++) {
        for (size_t t = 0; t < rows->time_count; t++) {
            shown += is_shown(q, &rows->groups[i], &rows->times[t]);
        }
    }
    return shown;
}

static void expect_computed(const struct asked *asked, const struct table *table)
{
    const struct question *q = &asked->question;
    struct rows rows = {0};
    struct buf group_key, time_key;
    buf_init(&group_key, KEY_MAX);
    buf_init(&time_key, KEY_MAX);
    make_groups(asked, &rows);
    make_times(asked, &rows);
    for (size_t row = 0; row < table->row_count; row++) {
        print_keys(q, table, row, &group_key, &time_key);
        const struct group *group = find_group(&rows, buf_str(&group_key));
        const struct stretches *time = find_time(&rows, buf_str(&time_key));
        if (!group || !time || !is_shown(q, group, time)) {
            expect_fail("%s\nthere should be no row '%.*s' '%.*s'", describe(q),
                        STR_ARG(buf_str(&group_key)), STR_ARG(buf_str(&time_key)));
        }
        for (size_t i = 0; i < q->measure_count; i++) {
            expect_cell(q, table, row, i, group, time);
        }
    }
    size_t shown = count_shown(q, &rows);
    if (table->row_count != shown) {
        expect_fail("%s\nthere are %zu rows, want %zu", describe(q), table->row_count, shown);
    }
    expect_order(q, table);
    buf_release(&group_key);
    buf_release(&time_key);
    release_rows(&rows);
}

/* --- tests --------------------------------------------------------------------------------- */

static void opens_a_store_of_random_runs(void **state)
{
    (void)state;
    const char *given = getenv("STINT_SEED");
    seed = given ? strtoull(given, NULL, 10) : seed;
    chance_init(&chance, seed);
    for (size_t i = 0; i < COUNT_OF(zones); i++) {
        zones[i] = ask_zone(zone_names[i]);
    }
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = chance_run(&chance, any_zone());
    }
    runs_open(&store);
    runs_add(&store, runs, RUNS);
    struct error err = {0};
    if (rollup_refresh(store.facts, zones[1], &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static void ask_or_describe(const struct question *q, struct table *table)
{
    struct error err = {0};
    *table = (struct table){0};
    if (question_ask(store.facts, q, table, &err) != 0) {
        expect_fail("%s\n%s", describe(q), err.text);
    }
}

static void answers_are_what_the_slow_way_gives(void **state)
{
    (void)state;
    const char *given = getenv("STINT_QUESTIONS");
    const size_t count = given ? strtoull(given, NULL, 10) : QUESTIONS;
    for (question_number = 0; question_number < count; question_number++) {
        struct asked asked = random_question();
        struct table table;
        ask_or_describe(&asked.question, &table);
        expect_computed(&asked, &table);
        table_release(&table);
    }
}

/* A measure's value does not depend on what else is asked. */
static void every_measure_alone_is_what_it_is_among_all(void **state)
{
    (void)state;
    struct asked asked = random_question();
    struct question *q = &asked.question;
    q->dimension_count = 0;
    q->bucket = asked.cells = BUCKET_NONE;
    for (size_t i = 0; i < measure_count; i++) {
        struct table table;
        q->measures[0] = &measures[i];
        q->measure_count = 1;
        q->period.from = q->period.to - 1 - chance_below(&chance, 40 * DAY_US);
        ask_or_describe(q, &table);
        expect_computed(&asked, &table);
        table_release(&table);
    }
}

/* The sum of a column; unknown cells add nothing. */
static wide_int sum_of(const struct table *table, const char *id)
{
    size_t column = ask_column(table, id);
    wide_int sum = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        sum += table_has(table, column, row) ? table_wide(table, column, row) : 0;
    }
    return sum;
}

static void expect_same_sums(const struct question *q, const struct table *total)
{
    struct table parts;
    ask_or_describe(q, &parts);
    for (size_t i = 0; i < q->measure_count; i++) {
        if (!question_adds_up(q, q->measures[i])) {
            continue;
        }
        if (sum_of(total, q->measures[i]->id) != sum_of(&parts, q->measures[i]->id)) {
            expect_fail("%s\n%s does not add up", describe(q), q->measures[i]->id);
        }
    }
    table_release(&parts);
}

/* What all rows come to is a question of its own. */
static void expect_sums_of_rows(struct question *q, enum bucket bucket)
{
    struct question whole = *q;
    struct table total;
    whole.bucket = BUCKET_NONE;
    question_drop_dimensions(&whole);
    ask_or_describe(&whole, &total);
    q->bucket = bucket;
    expect_same_sums(q, &total);
    table_release(&total);
}

/*
 * By dimensions, in buckets, folded: hours add up to days, days to weeks, months and years. Ten weeks at most: the hours of
 * a year, each with every sum there is, show no more and are most of the time that this takes.
 */
static void a_total_is_the_sum_of_its_parts(void **state)
{
    (void)state;
    static const char *const cuts[] = {"user,group",       "size,shape", "weekday",
                                       "hour_of_day,user", "node",       "node,user"};
    for (size_t i = 0; i < CUTS; i++) {
        struct asked asked = random_question();
        struct question *q = &asked.question;
        struct table total;
        q->measure_count = q->dimension_count = 0;
        q->bucket = BUCKET_NONE;
        if (q->period.to - q->period.from > 70 * DAY_US) {
            q->period.to = q->period.from + 70 * DAY_US;
        }
        for (size_t m = 0; m < measure_count; m++) {
            if (measures[m].additive) {
                q->measures[q->measure_count++] = &measures[m];
            }
        }
        ask_or_describe(q, &total);
        for (enum bucket bucket = BUCKET_HOUR; bucket <= BUCKET_YEAR; bucket++) {
            q->bucket = bucket;
            expect_same_sums(q, &total);
        }
        for (size_t cut = 0; cut < COUNT_OF(cuts); cut++) {
            ask_by(q, cuts[cut]);
            expect_sums_of_rows(q, (i + cut) % 2 ? BUCKET_MONTH : BUCKET_NONE);
        }
        table_release(&total);
    }
}

static void closes_the_store(void **state)
{
    (void)state;
    runs_close(&store);
    for (size_t i = 0; i < COUNT_OF(zones); i++) {
        zone_close(zones[i]);
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store_of_random_runs);
    SUITE_TEST(&suite, answers_are_what_the_slow_way_gives);
    SUITE_TEST(&suite, every_measure_alone_is_what_it_is_among_all);
    SUITE_TEST(&suite, a_total_is_the_sum_of_its_parts);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "differential");
}
