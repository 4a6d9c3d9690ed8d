/* SPDX-License-Identifier: MIT */
#include "support/asked.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "support/asked_filter.h"
#include "support/expect.h"
#include "support/slow_way.h"

enum { KEY_MAX = 192 };

/* --- zones ----------------------------------------------------------------------------------- */

void asked_zones_open(struct asked_zones *zones)
{
    static const char *const names[ASKED_ZONES] = {"UTC",
                                                   "Europe/Oslo",
                                                   "America/New_York",
                                                   "Australia/Lord_Howe",
                                                   "Asia/Kathmandu",
                                                   "Europe/Oslo"};
    struct error err = {0};
    for (size_t i = 0; i < ASKED_ZONES; i++) {
        if (zone_open(names[i], &zones->zones[i], &err) != 0) {
            expect_fail("%s", err.text);
        }
    }
    zone_start_year(zones->zones[ASKED_ZONES - 1], 7);
}

void asked_zones_close(struct asked_zones *zones)
{
    for (size_t i = 0; i < ASKED_ZONES; i++) {
        zone_close(zones->zones[i]);
    }
}

static const struct zone *any_zone(struct chance *chance, const struct asked_site *site)
{
    return site->zones->zones[chance_below(chance, ASKED_ZONES)];
}

/* --- runs ------------------------------------------------------------------------------------ */

struct run asked_run(struct chance *chance, const struct asked_zones *zones, int64_t number)
{
    struct error err = {0};
    struct run run = chance_run(chance, zones->zones[chance_below(chance, ASKED_ZONES)]);
    RUN_SET(&run, job, number);
    RUN_SET(&run, flags, 0);
    RUN_SET(&run, source, STR("test"));
    if (run_check(&run, &err) != 0) { /* it finds anomalies, which are flags */
        expect_fail("%s", err.text);
    }
    return run;
}

/* --- drawing --------------------------------------------------------------------------------- */

static bool is_asked(const struct question *question, const struct measure *measure)
{
    bool asked = false;
    for (size_t i = 0; i < question->measure_count; i++) {
        asked |= question->measures[i] == measure;
    }
    return asked;
}

static void draw_measures(struct question *question, struct chance *chance,
                          enum asked_size size)
{
    const bool sums = chance_of(chance, 25); /* roll-ups answer for these */
    int percent = chance_of(chance, 30) ? 4 : chance_of(chance, 20) ? 100 : 30;
    percent = size == ASKED_FEW ? 4 : percent;
    if (!sums && chance_of(chance, 10)) { /* sorted by a mean over time */
        question->measures[question->measure_count++] = measure_find(STR("running_avg"));
    }
    while (question->measure_count == 0) {
        for (size_t i = 0; i < measure_count; i++) {
            if (chance_of(chance, percent) && !is_asked(question, &measures[i]) &&
                (!sums || measures[i].additive)) {
                question->measures[question->measure_count++] = &measures[i];
            }
        }
    }
}

static void add_dimension(struct asked *asked, const struct field *field)
{
    struct question *q = &asked->question;
    const enum fold fold = dimension_fold(field);
    for (size_t i = 0; i < q->dimension_count; i++) {
        if (q->dimensions[i] == field) {
            return;
        }
    }
    q->dimensions[q->dimension_count++] = field;
    asked->cells = fold == FOLD_HOUR                                     ? BUCKET_HOUR
                   : fold == FOLD_WEEKDAY && asked->cells != BUCKET_HOUR ? BUCKET_DAY
                                                                         : asked->cells;
}

static void draw_dimensions(struct asked *asked, struct chance *chance)
{
    static const char *const usual[] = {"cluster", "user",    "hour_of_day", "group",
                                        "name",    "cpus",    "size",        "weekday",
                                        "shape",   "account", "class",       "node"};
    size_t count = 0;
    asked->cells = asked->question.bucket;
    while (dimension_at(count)) {
        count++;
    }
    for (size_t left = (size_t)chance_below(chance, 4); left > 0; left--) {
        add_dimension(asked,
                      chance_of(chance, 75)
                          ? dimension_find(str_of(usual[chance_below(chance, COUNT_OF(usual))]))
                          : dimension_at((size_t)chance_below(chance, (int64_t)count)));
    }
}

/* Words that people have for a period: a day, week, month, quarter or year; in a fiscal calendar the year by its name. */
static bool draw_words(struct asked *asked, struct chance *chance)
{
    const struct question *q = &asked->question;
    const struct civil civil = zone_civil(q->zone, q->period.from);
    const bool fine = asked->cells == BUCKET_HOUR || asked->cells == BUCKET_DAY;
    switch (chance_below(chance, fine ? 2 : 6)) {
    case 0:
        (void)snprintf(asked->from, sizeof asked->from, "%04d-%02d-%02d", civil.year,
                       civil.month, civil.day);
        (void)snprintf(asked->to, sizeof asked->to, "%s", asked->from);
        return true;
    case 1:
        (void)snprintf(asked->from, sizeof asked->from, "%04d-W%02" PRId64, civil.year,
                       1 + chance_below(chance, 52));
        return true;
    case 2:
        (void)snprintf(asked->from, sizeof asked->from, "%04d-%02d", civil.year, civil.month);
        return true;
    case 3:
        (void)snprintf(asked->from, sizeof asked->from, "%04d-Q%d", civil.year,
                       1 + (civil.month - 1) / 3);
        return true;
    case 4:
        (void)snprintf(asked->from, sizeof asked->from,
                       zone_fiscal_month(q->zone) ? "FY%04d" : "%04d", civil.year);
        return true;
    default:
        (void)snprintf(asked->from, sizeof asked->from, "%04d-%02d", civil.year, civil.month);
        (void)snprintf(asked->to, sizeof asked->to, "%04d-%02d", civil.year + 1, 2);
        return true;
    }
}

static void draw_period(struct asked *asked, struct chance *chance,
                        const struct asked_site *site)
{
    struct question *q = &asked->question;
    struct error err = {0};
    char text[INSTANT_TEXT_MAX];
    /* Not so many hours that the slow way takes all day. */
    const int64_t from = chance_instant(chance, any_zone(chance, site));
    const int64_t longest = asked->cells == BUCKET_HOUR  ? 9
                            : asked->cells == BUCKET_DAY ? 90
                                                         : 400;
    q->period.from = from;
    q->period.to = from + 1 + chance_below(chance, 30) * HOUR_US +
                   (chance_of(chance, 60) ? chance_below(chance, longest * DAY_US) : 0);
    if (chance_of(chance, 30) && draw_words(asked, chance)) {
        if (calendar_period(str_of(asked->from), str_of(asked->to), q->zone,
                            INT64_C(1790000000) * SECOND_US, &q->period, &err) != 0) {
            expect_fail("%s", err.text);
        }
        return;
    }
    (void)snprintf(asked->from, sizeof asked->from, "%s",
                   zone_print(site->zones->zones[0], q->period.from, text));
    (void)snprintf(asked->to, sizeof asked->to, "%s",
                   zone_print(site->zones->zones[0], q->period.to, text));
}

void asked_draw(struct asked *asked, struct chance *chance, const struct asked_site *site,
                enum asked_size size)
{
    struct error err = {0};
    struct question *q = &asked->question;
    *asked = (struct asked){0};
    q->zone = chance_of(chance, 40) ? site->zones->zones[1] : any_zone(chance, site);
    q->bucket = chance_of(chance, 40) ? BUCKET_NONE
                                      : (enum bucket)chance_below(chance, BUCKET_YEAR + 1);
    draw_measures(q, chance, size);
    draw_dimensions(asked, chance);
    draw_period(asked, chance, site);
    q->now = chance_of(chance, 20)
                 ? q->period.from +
                       chance_below(chance, q->period.to - q->period.from + DAY_US) - HOUR_US
                 : chance_instant(chance, any_zone(chance, site)) +
                       chance_below(chance, 200 * DAY_US);
    while (asked->filter_count < ASKED_FILTERS_MAX && chance_of(chance, 55)) {
        struct asked_filter *filter = &asked->filters[asked->filter_count++];
        asked_filter_draw(filter, chance, site, q->zone);
        if (filter_add(&q->filter, filter->field, str_of(filter->list), &err) != 0) {
            expect_fail("%s", err.text);
        }
    }
}

/* --- filters --------------------------------------------------------------------------------- */

/* What conditions on one field say: those of both signs in all its lists. */
struct verdict {
    bool wanted, any_wanted, unwanted;
};

static struct verdict judge(const struct asked *asked, const struct field *field,
                            const struct run *run, const struct str *node)
{
    struct verdict verdict = {0};
    for (size_t i = 0; i < asked->filter_count; i++) {
        const struct asked_filter *filter = &asked->filters[i];
        for (size_t k = 0; filter->field == field && k < filter->item_count; k++) {
            const struct asked_item *item = &filter->items[k];
            /* what is left out is every run that had the node */
            const bool holds = asked_item_holds(field, item, run, item->negative ? NULL : node);
            verdict.any_wanted |= !item->negative;
            verdict.wanted |= !item->negative && holds;
            verdict.unwanted |= item->negative && holds;
        }
    }
    return verdict;
}

static bool takes(const struct asked *asked, const struct run *run, const struct str *node)
{
    bool taken = true;
    for (size_t i = 0; taken && i < asked->filter_count; i++) {
        const struct verdict verdict = judge(asked, asked->filters[i].field, run, node);
        taken = !verdict.unwanted && (verdict.wanted || !verdict.any_wanted);
    }
    return taken;
}

bool asked_takes(const struct asked *asked, const struct run *run)
{
    return takes(asked, run, NULL);
}

bool asked_takes_cluster(const struct asked *asked, struct str cluster)
{
    struct run run = {0};
    RUN_SET(&run, cluster, cluster);
    const struct verdict verdict = judge(asked, &run_fields[RUN_cluster], &run, NULL);
    return !verdict.unwanted && (verdict.wanted || !verdict.any_wanted);
}

/* A value, not a pattern, that no run has. */
static bool is_nobodys(const struct field *field, const struct asked_item *item,
                       const struct asked_site *site)
{
    const bool job = strcmp(field->id, "job") == 0;
    bool named =
        !item->negative && (job ? item->kind == ITEM_NUMBER && item->low == item->high
                                : item->kind == ITEM_TEXT && !strpbrk(item->text, "*?["));
    for (size_t i = 0; named && i < site->count; i++) {
        named = !asked_item_holds(field, item, site->runs[i], NULL);
    }
    return named;
}

static bool names_nobody(const struct asked *asked, const struct asked_site *site)
{
    bool found = false;
    for (size_t i = 0; i < asked->filter_count; i++) {
        const struct asked_filter *filter = &asked->filters[i];
        for (size_t k = 0; k < filter->item_count; k++) {
            found |= is_nobodys(filter->field, &filter->items[k], site);
        }
    }
    return found;
}

/* --- words ----------------------------------------------------------------------------------- */

static struct asked_word *add_word(struct asked_word *words, size_t *count, const char *name)
{
    struct asked_word *word = &words[(*count)++];
    word->name = name;
    word->value[0] = '\0';
    return word;
}

static void add_id(struct asked_word *word, const char *id)
{
    const size_t used = strlen(word->value);
    (void)snprintf(word->value + used, sizeof word->value - used, "%s%s", used ? "," : "", id);
}

size_t asked_words(const struct asked *asked, struct asked_word words[ASKED_WORDS_MAX])
{
    const struct question *q = &asked->question;
    size_t count = 0;
    struct asked_word *word = add_word(words, &count, "measure");
    for (size_t i = 0; i < q->measure_count; i++) {
        add_id(word, q->measures[i]->id);
    }
    word = q->dimension_count ? add_word(words, &count, "by") : NULL;
    for (size_t i = 0; i < q->dimension_count; i++) {
        add_id(word, q->dimensions[i]->id);
    }
    if (q->bucket != BUCKET_NONE) {
        add_id(add_word(words, &count, "every"), bucket_name(q->bucket));
    }
    add_id(add_word(words, &count, "from"), asked->from);
    if (asked->to[0]) {
        add_id(add_word(words, &count, "to"), asked->to);
    }
    for (size_t i = 0; i < asked->filter_count; i++) {
        add_id(add_word(words, &count, asked->filters[i].field->id), asked->filters[i].list);
    }
    return count;
}

const char *asked_describe(const struct asked *asked, const struct asked_site *site)
{
    static char text[16384];
    static struct asked_word words[ASKED_WORDS_MAX];
    const struct question *q = &asked->question;
    const size_t count = asked_words(asked, words);
    char now[INSTANT_TEXT_MAX];
    size_t used =
        (size_t)snprintf(text, sizeof text, "%s: stint report %s", site->about, words[0].value);
    for (size_t i = 1; i < count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, " --%s '%s'", words[i].name,
                                 words[i].value);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, " --zone %s", zone_name(q->zone));
    if (zone_fiscal_month(q->zone)) {
        used += (size_t)snprintf(text + used, sizeof text - used, " --year-starts %d",
                                 zone_fiscal_month(q->zone));
    }
    (void)snprintf(text + used, sizeof text - used, " # now %s",
                   zone_print(q->zone, q->now, now));
    return text;
}

/* --- rows ---------------------------------------------------------------------------------- */

/* The runs that share their dimensions. */
struct group {
    char key[KEY_MAX]; /* each dimension with a / behind it */
    const struct run **runs;
    size_t run_count, room;
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
    const struct str id = str_of(field->id);
    char text[ASKED_TEXT_MAX];
    wide_int number = 0;
    if (str_eq(id, STR("size"))) {
        buf_addz(key, size_name(run));
    } else if (str_eq(id, STR("shape"))) {
        buf_addz(key, shape_name(run));
    } else if (field->type == FIELD_TEXT) {
        buf_addz(key, asked_text_of(field, run, text) ? text : "---");
    } else if (asked_number_of(field, run, &number)) {
        buf_addf(key, "%" PRId64, (int64_t)number);
    } else {
        buf_addz(key, "---");
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
    group->runs = mem_grow(group->runs, group->run_count, &group->room, sizeof(*group->runs));
    group->runs[group->run_count++] = part;
    buf_release(&key);
}

static void make_groups(const struct asked *asked, const struct asked_site *site,
                        struct rows *rows)
{
    const struct question *q = &asked->question;
    rows->groups = mem_alloc(site->count * SLOW_NODES_MAX + 1, sizeof(*rows->groups));
    rows->parts = mem_alloc(site->count * SLOW_NODES_MAX + 1, sizeof(*rows->parts));
    rows->group_count = !has_run_dimensions(q); /* it is there even if nothing happened */
    for (size_t i = 0; i < site->count; i++) {
        struct slow_part *parts = rows->parts + i * SLOW_NODES_MAX;
        const struct run *run = site->runs[i];
        if (!is_by_node(q)) {
            if (takes(asked, run, NULL)) {
                add_to_group(q, rows, run, run);
            }
            continue;
        }
        const size_t count = slow_on_nodes(run, parts);
        for (size_t p = 0; p < count; p++) {
            const struct run *part = &parts[p].run;
            const struct str node = RUN_HAS(part, node) ? part->node : (struct str){0};
            if (takes(asked, run, &node)) {
                add_to_group(q, rows, run, part);
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
    for (size_t i = 0; i < rows->group_count; i++) {
        free(rows->groups[i].runs);
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

/* What is compared with what. */
struct comparison {
    const struct asked *asked;
    const struct asked_site *site;
    const struct table *table;
};

/* Where its measures begin. */
static size_t first_measure(const struct question *q)
{
    return q->dimension_count + (q->bucket != BUCKET_NONE);
}

static void expect_cell(const struct comparison *c, size_t row, size_t index,
                        const struct group *group, const struct stretches *time)
{
    const struct question *q = &c->asked->question;
    const struct table *table = c->table;
    const char *id = q->measures[index]->id;
    const size_t column = first_measure(q) + index;
    const bool has = table_has(table, column, row);
    const bool real = table->columns[column].type == CELL_REAL;
    const struct slow_value want =
        slow_answer(id, (struct slow_runs){group->runs, group->run_count, is_by_node(q)},
                    (struct slow_time){time->stretches, time->count, q->now});
    const double wanted = want.is_real ? want.real : (double)want.number;
    if (has != (want.known && !(c->asked->uncovered && wanted == 0))) {
        expect_fail("%s\n%s of '%s' '%s' is %s", asked_describe(c->asked, c->site), id,
                    group->key, time->key,
                    has ? "known but should not be" : "unknown but should not be");
    }
    if (has && (real ? !is_close(real_of(table, column, row), wanted)
                     : table_wide(table, column, row) != want.number)) {
        expect_fail("%s\n%s of '%s' '%s' is %.17g, want %.17g",
                    asked_describe(c->asked, c->site), id, group->key, time->key,
                    real_of(table, column, row), wanted);
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
static void expect_order(const struct comparison *c)
{
    const struct question *q = &c->asked->question;
    const struct table *table = c->table;
    const size_t first = first_measure(q);
    for (size_t row = 1; row < table->row_count; row++) {
        if (q->bucket != BUCKET_NONE &&
            !str_eq(table->columns[first - 1].cells[row].text,
                    table->columns[first - 1].cells[row - 1].text)) {
            continue;
        }
        const bool before = table_has(table, first, row - 1);
        const bool after = table_has(table, first, row);
        if (after && (!before || real_of(table, first, row) >
                                     real_of(table, first, row - 1) * (1 + 1e-12))) {
            expect_fail("%s\nrow %zu is larger than the one before",
                        asked_describe(c->asked, c->site), row);
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

static void expect_row(const struct comparison *c, struct rows *rows, size_t row)
{
    const struct question *q = &c->asked->question;
    struct buf group_key, time_key;
    buf_init(&group_key, KEY_MAX);
    buf_init(&time_key, KEY_MAX);
    print_keys(q, c->table, row, &group_key, &time_key);
    const struct group *group = find_group(rows, buf_str(&group_key));
    const struct stretches *time = find_time(rows, buf_str(&time_key));
    if (!group || !time || !is_shown(q, group, time)) {
        expect_fail("%s\nthere should be no row '%.*s' '%.*s'",
                    asked_describe(c->asked, c->site), STR_ARG(buf_str(&group_key)),
                    STR_ARG(buf_str(&time_key)));
    }
    for (size_t i = 0; i < q->measure_count; i++) {
        expect_cell(c, row, i, group, time);
    }
    buf_release(&group_key);
    buf_release(&time_key);
}

void asked_expect(const struct asked *asked, const struct asked_site *site,
                  const struct table *table)
{
    const struct question *q = &asked->question;
    const struct comparison c = {asked, site, table};
    struct rows rows = {0};
    make_groups(asked, site, &rows);
    make_times(asked, &rows);
    for (size_t row = 0; row < table->row_count; row++) {
        expect_row(&c, &rows, row);
    }
    const size_t shown = count_shown(q, &rows);
    if (table->row_count != shown) {
        expect_fail("%s\nthere are %zu rows, want %zu", asked_describe(asked, site),
                    table->row_count, shown);
    }
    if (!q->sort) {
        expect_order(&c);
    }
    release_rows(&rows);
}

/* Whether all numbers of a row are zero or unknown; means and shares aside. */
static bool is_zero(const struct question *q, const struct group *group,
                    const struct stretches *time)
{
    bool zero = true;
    for (size_t i = 0; zero && i < q->measure_count; i++) {
        const struct slow_value value =
            slow_answer(q->measures[i]->id,
                        (struct slow_runs){group->runs, group->run_count, is_by_node(q)},
                        (struct slow_time){time->stretches, time->count, q->now});
        zero = !value.known || value.is_real || value.number == 0;
    }
    return zero;
}

bool asked_names_nothing(const struct asked *asked, const struct asked_site *site)
{
    struct rows rows = {0};
    bool nothing = names_nobody(asked, site);
    make_groups(asked, site, &rows);
    make_times(asked, &rows);
    for (size_t i = 0; i < rows.group_count; i++) {
        for (size_t t = 0; nothing && t < rows.time_count; t++) {
            nothing = is_zero(&asked->question, &rows.groups[i], &rows.times[t]);
        }
    }
    release_rows(&rows);
    return nothing;
}
