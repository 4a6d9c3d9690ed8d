/* SPDX-License-Identifier: MIT */
#include "service/aims.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "books/target.h"
#include "service/items.h"
#include "view/number.h"

/* An answer, its targets, and the time its rows are about. */
struct aims {
    const struct question *question;
    const struct table *table;
    struct target_list list;
    bool *used;                           /* one a target */
    struct str filters[TARGET_FILTERS];   /* of the question */
    int columns[QUESTION_DIMENSIONS_MAX]; /* which filter a dimension is */
    int64_t *edges;
    size_t bucket_count, bucket; /* the one that was looked up last */
};

static int filter_of(const struct field *field)
{
    for (int i = 0; i < TARGET_FILTERS; i++) {
        if (str_eq(str_of(field->id), str_of(target_filter_ids[i]))) {
            return i;
        }
    }
    return -1;
}

/* Whether a list is one name and nothing else; a target is about one. */
static bool is_one_name(struct str list)
{
    for (size_t i = 0; i < list.len; i++) {
        for (const char *special = "*?[\\,"; *special; special++) {
            if (list.ptr[i] == *special) {
                return false;
            }
        }
    }
    return list.len > 0 && list.ptr[0] != '!' && !str_eq(list, STR("---"));
}

/* False: rows are cut in a way that no target is about. */
static bool read_filters(struct aims *aims)
{
    const struct question *q = aims->question;
    for (size_t i = 0; i < q->filter.count; i++) {
        const int filter = filter_of(q->filter.conditions[i].field);
        const struct str name = str_trim(q->filter.conditions[i].list);
        if (filter < 0 || aims->filters[filter].ptr || !is_one_name(name)) {
            return false;
        }
        aims->filters[filter] = name;
    }
    for (size_t i = 0; i < q->dimension_count; i++) {
        aims->columns[i] = filter_of(q->dimensions[i]);
        if (aims->columns[i] < 0) {
            return false;
        }
    }
    return true;
}

/* The time that a row is about, as far as it has passed. */
static struct period time_of(struct aims *aims, size_t row)
{
    const struct question *q = aims->question;
    struct period time = q->period;
    const struct str label = q->bucket == BUCKET_NONE
                                 ? (struct str){0}
                                 : aims->table->columns[q->dimension_count].cells[row].text;
    for (size_t i = 0; label.ptr && i < aims->bucket_count; i++) {
        const size_t at =
            (aims->bucket + i) % aims->bucket_count; /* rows come in order of time */
        char text[BUCKET_LABEL_MAX];
        if (str_eq(label, str_of(calendar_label(aims->edges[at], q->bucket, q->zone, text)))) {
            aims->bucket = at;
            time.from = aims->edges[at] > time.from ? aims->edges[at] : time.from;
            time.to = aims->edges[at + 1] < time.to ? aims->edges[at + 1] : time.to;
            break;
        }
    }
    time.to = q->now < time.to ? q->now : time.to;
    return time;
}

/* False: a name that a target would be about is unknown. */
static bool question_of(struct aims *aims, const struct measure *measure, size_t row,
                        struct target_question *out)
{
    *out =
        (struct target_question){.measure = str_of(measure->id), .period = time_of(aims, row)};
    for (size_t i = 0; i < TARGET_FILTERS; i++) {
        out->filters[i] = aims->filters[i];
    }
    for (size_t i = 0; i < aims->question->dimension_count; i++) {
        if (!table_has(aims->table, i, row)) {
            return false;
        }
        out->filters[aims->columns[i]] = aims->table->columns[i].cells[row].text;
    }
    return out->period.from < out->period.to;
}

/* The targets of a row, at most AIMS_MAX. */
static size_t find(struct aims *aims, const struct measure *measure, size_t row,
                   const struct target *found[AIMS_MAX], struct period *time)
{
    struct target_question wanted;
    size_t count = 0;
    if (!measure->additive || measure->real || measure_scale(measure) == 0 ||
        !question_of(aims, measure, row, &wanted)) {
        return 0;
    }
    for (size_t i = 0; i < aims->list.count && count < AIMS_MAX; i++) {
        if (target_is_for(&aims->list.rows[i], &wanted)) {
            found[count++] = &aims->list.rows[i];
            aims->used[i] = true;
        }
    }
    *time = wanted.period;
    return count;
}

/* How many targets the rows of a measure have, and what the columns are to be called. */
static size_t most_of(struct aims *aims, const struct measure *measure,
                      struct str names[AIMS_MAX])
{
    size_t most = 0;
    for (size_t row = 0; row < aims->table->row_count; row++) {
        const struct target *found[AIMS_MAX];
        struct period time;
        const size_t count = find(aims, measure, row, found, &time);
        for (size_t k = 0; k < count; k++) {
            const bool same = k >= most || str_eq(names[k], found[k]->name);
            names[k] = same ? found[k]->name : STR("target");
        }
        most = count > most ? count : most;
    }
    return most;
}

static void add_columns(const struct measure *measure, size_t count, struct str *names,
                        struct table *out)
{
    for (size_t k = 0; k < count; k++) {
        struct arena *arena = &out->arena;
        const char *number = k ? arena_printf(arena, "_%zu", k + 1) : "";
        table_column(out, arena_printf(arena, "%s_target%s", measure->id, number),
                     arena_text(arena, names[k]), CELL_WIDE, measure->unit, COLUMN_AIM);
        table_column(out, arena_printf(arena, "%s_of_target%s", measure->id, number),
                     arena_printf(arena, "Of %.*s", STR_ARG(names[k])), CELL_REAL, UNIT_RATIO,
                     COLUMN_BESIDE);
    }
}

static int set_cells(struct aims *aims, const struct measure *measure, size_t from, size_t row,
                     size_t first, struct table *out, struct error *err)
{
    const struct target *found[AIMS_MAX];
    struct period time = {0};
    const size_t count = find(aims, measure, row, found, &time);
    int failed = 0;
    for (size_t k = 0; !failed && k < count; k++) {
        int64_t micro = 0;
        bool any = false;
        failed = target_amount(found[k], aims->question->zone, time, &micro, &any, err);
        const wide_int amount = (wide_int)micro * measure_scale(measure) / 1000000;
        if (failed || !any || amount <= 0) {
            continue;
        }
        table_set_wide(out, first + 2 * k, row, amount);
        if (table_has(aims->table, from, row)) {
            table_set_real(out, first + 2 * k + 1, row,
                           table_real(aims->table, from, row) / (double)amount);
        }
    }
    return failed;
}

/* The answer again, with room for the targets behind each measure. */
static int widen(struct aims *aims, struct table *out, struct error *err)
{
    const struct question *q = aims->question;
    const size_t before = q->dimension_count + (q->bucket != BUCKET_NONE);
    size_t counts[QUESTION_MEASURES_MAX] = {0};
    for (size_t c = 0; c < aims->table->column_count; c++) {
        table_column_like(out, &aims->table->columns[c]);
        if (c >= before && c - before < q->measure_count) {
            struct str names[AIMS_MAX];
            counts[c - before] = most_of(aims, q->measures[c - before], names);
            add_columns(q->measures[c - before], counts[c - before], names, out);
        }
    }
    int failed = 0;
    for (size_t row = 0; !failed && row < aims->table->row_count; row++) {
        size_t to = 0;
        table_row(out);
        for (size_t c = 0; !failed && c < aims->table->column_count; c++) {
            table_copy_cell(aims->table, c, row, out, to++, row);
            if (c >= before && c - before < q->measure_count && counts[c - before] > 0) {
                failed = set_cells(aims, q->measures[c - before], c, row, to, out, err);
                to += 2 * counts[c - before];
            }
        }
    }
    return failed;
}

/* "target pledge: 2,000,000.0 cpu_hours a year" */
static void note_target(const struct target *target, const struct zone *zone,
                        struct answer *notes)
{
    const struct measure *measure = measure_find(target->measure);
    struct table one = {0};
    struct buf amount;
    buf_init(&amount, LIMIT_ARGUMENT);
    table_column(&one, measure->id, measure->label, CELL_WIDE, measure->unit, COLUMN_MEASURE);
    table_row(&one);
    table_set_wide(&one, 0, 0,
                   (wide_int)target->amount_micro * measure_scale(measure) / 1000000);
    number_human(&amount, &one, 0, 0, zone);
    if (target->per != BUCKET_NONE) {
        answer_note(notes, "target %.*s: %s %s a %s", STR_ARG(target->name), amount.ptr,
                    measure->id, bucket_name(target->per));
    } else {
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        answer_note(notes, "target %.*s: %s %s from %s to %s", STR_ARG(target->name),
                    amount.ptr, measure->id, zone_print(zone, target->period.from, from),
                    zone_print(zone, target->period.to, to));
    }
    buf_release(&amount);
    table_release(&one);
}

static void note_targets(const struct aims *aims, struct answer *notes)
{
    size_t more = 0, told = 0;
    for (size_t i = 0; i < aims->list.count; i++) {
        if (aims->used[i] && told < AIMS_MAX) {
            note_target(&aims->list.rows[i], aims->question->zone, notes);
            told++;
        } else {
            more += aims->used[i];
        }
    }
    if (more > 0) {
        answer_note(notes, "%zu more targets: stint target list", more);
    }
}

static int read_targets(const struct service *service, struct aims *aims, struct error *err)
{
    struct items items = {0};
    int failed = items_open(service, BOOKS_READ, &items, err);
    if (!failed) {
        failed = books_all_targets(items.books, service->zone, &aims->list, err);
    }
    items_close(&items);
    return failed;
}

int aims_add(const struct service *service, const struct question *question,
             struct table *table, struct answer *notes, struct error *err)
{
    struct aims aims = {.question = question, .table = table};
    struct table wide = {0};
    if (!books_exist(service->store) || table->row_count == 0 || !read_filters(&aims)) {
        return 0;
    }
    int failed;
    (void)((failed = read_targets(service, &aims, err)) ||
           (failed = calendar_edges(question->period, question->bucket, question->zone,
                                    &aims.edges, &aims.bucket_count, err)));
    aims.used = mem_alloc(aims.list.count + 1, sizeof(*aims.used));
    if (!failed && aims.list.count > 0) {
        failed = widen(&aims, &wide, err);
    }
    if (!failed && wide.column_count > table->column_count) {
        table_release(table);
        *table = wide;
        wide = (struct table){0};
        note_targets(&aims, notes);
    }
    table_release(&wide);
    free(aims.used);
    free(aims.edges);
    target_list_release(&aims.list);
    return failed;
}
