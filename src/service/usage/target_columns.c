/* SPDX-License-Identifier: MIT */
#include "service/usage/target_columns.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "books/target.h"
#include "service/books/kind_actions.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"
#include "view/number.h"

/* An answer, and the time its rows are about. */
struct part {
    const struct question *question;
    struct table *table;
    bool fits;                            /* its rows are such that targets can be about them */
    struct str filters[TARGET_FILTERS];   /* of the question */
    int columns[QUESTION_DIMENSIONS_MAX]; /* which filter a dimension is */
    int64_t *edges;
    size_t bucket_count, bucket; /* the one that was looked up last */
};

/* Answers to the same measures, and all targets. */
struct asked_targets {
    struct target_list list;
    bool *used; /* one a target */
    struct part parts[TARGETS_PARTS_MAX];
    size_t part_count;
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
static bool read_filters(struct part *part)
{
    const struct question *q = part->question;
    for (size_t i = 0; i < q->filter.count; i++) {
        const int filter = filter_of(q->filter.conditions[i].field);
        const struct str name = str_trim(q->filter.conditions[i].list);
        if (filter < 0 || part->filters[filter].ptr || !is_one_name(name)) {
            return false;
        }
        part->filters[filter] = name;
    }
    for (size_t i = 0; i < q->dimension_count; i++) {
        part->columns[i] = filter_of(q->dimensions[i]);
        if (part->columns[i] < 0) {
            return false;
        }
    }
    return true;
}

/* The time that a row is about, as far as it has passed. */
static struct period time_of(struct part *part, size_t row)
{
    const struct question *q = part->question;
    struct period time = q->period;
    const struct str label = q->bucket == BUCKET_NONE
                                 ? (struct str){0}
                                 : part->table->columns[q->dimension_count].cells[row].text;
    for (size_t i = 0; label.ptr && i < part->bucket_count; i++) {
        const size_t at =
            (part->bucket + i) % part->bucket_count; /* rows come in order of time */
        char text[BUCKET_LABEL_MAX];
        if (str_eq(label, str_of(calendar_label(part->edges[at], q->bucket, q->zone, text)))) {
            part->bucket = at;
            time.from = part->edges[at] > time.from ? part->edges[at] : time.from;
            time.to = part->edges[at + 1] < time.to ? part->edges[at + 1] : time.to;
            break;
        }
    }
    time.to = q->now < time.to ? q->now : time.to;
    return time;
}

/* False: a name that a target would be about is unknown. */
static bool question_of(struct part *part, const struct measure *measure, size_t row,
                        struct target_question *out)
{
    *out =
        (struct target_question){.measure = str_of(measure->id), .period = time_of(part, row)};
    for (size_t i = 0; i < TARGET_FILTERS; i++) {
        out->filters[i] = part->filters[i];
    }
    for (size_t i = 0; i < part->question->dimension_count; i++) {
        if (!table_has(part->table, i, row)) {
            return false;
        }
        out->filters[part->columns[i]] = part->table->columns[i].cells[row].text;
    }
    return out->period.from < out->period.to;
}

/* The targets of a row, at most TARGETS_MAX. */
static size_t find_of(struct asked_targets *targets, const struct target_question *wanted,
                      const struct target *found[TARGETS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < targets->list.count && count < TARGETS_MAX; i++) {
        if (target_is_for(&targets->list.rows[i], wanted)) {
            found[count++] = &targets->list.rows[i];
            targets->used[i] = true;
        }
    }
    return count;
}

static size_t find_targets(struct asked_targets *targets, struct part *part,
                           const struct measure *measure, size_t row,
                           const struct target *found[TARGETS_MAX], struct period *time)
{
    struct target_question wanted;
    if (!part->fits || !measure->additive || measure->real || measure_scale(measure) == 0 ||
        !question_of(part, measure, row, &wanted)) {
        return 0;
    }
    *time = wanted.period;
    return find_of(targets, &wanted, found);
}

/*
 * How many targets the rows of a measure have in any part, and what the columns are to be
 * called.
 */
static size_t most_of(struct asked_targets *targets, const struct measure *measure,
                      struct str names[TARGETS_MAX])
{
    size_t most = 0;
    for (size_t p = 0; p < targets->part_count; p++) {
        for (size_t row = 0; row < targets->parts[p].table->row_count; row++) {
            const struct target *found[TARGETS_MAX];
            struct period time;
            const size_t count =
                find_targets(targets, &targets->parts[p], measure, row, found, &time);
            for (size_t k = 0; k < count; k++) {
                const bool same = k >= most || str_eq(names[k], found[k]->name);
                names[k] = same ? found[k]->name : STR("target");
            }
            most = count > most ? count : most;
        }
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
                     arena_text(arena, names[k]), CELL_WIDE, measure->unit, COLUMN_TARGET);
        table_column(out, arena_printf(arena, "%s_of_target%s", measure->id, number),
                     arena_printf(arena, "Of %.*s", STR_ARG(names[k])), CELL_REAL, UNIT_RATIO,
                     COLUMN_BESIDE);
    }
}

/*
 * How much a target is in the measure's small unit: rounded, and as it is. Two jobs a week are
 * 2/7 a day.
 */
struct amount {
    wide_int whole;
    double exact;
};

/* What a target is in a stretch of time; 0: it does not hold there. */
static int amount_of(const struct target *target, const struct measure *measure,
                     const struct zone *zone, struct period time, struct amount *out,
                     struct error *err)
{
    const wide_int million = 1000000;
    int64_t micro = 0;
    bool any = false;
    int failed = target_amount(target, zone, time, &micro, &any, err);
    const wide_int scaled = !failed && any ? (wide_int)micro * measure_scale(measure) : 0;
    *out = (struct amount){(scaled + million / 2) / million, (double)scaled / (double)million};
    return failed;
}

/* Where a row and the cells about its targets are. */
struct spot {
    size_t from, row, first; /* column of the measure, row, first column of the targets */
};

static int set_cells(struct asked_targets *targets, struct part *part,
                     const struct measure *measure, struct spot at, struct table *out,
                     struct error *err)
{
    const struct target *found[TARGETS_MAX];
    struct period time = {0};
    const size_t count = find_targets(targets, part, measure, at.row, found, &time);
    int failed = 0;
    for (size_t k = 0; !failed && k < count; k++) {
        struct amount amount;
        failed = amount_of(found[k], measure, part->question->zone, time, &amount, err);
        if (failed || amount.exact <= 0) {
            continue;
        }
        table_set_wide(out, at.first + 2 * k, at.row, amount.whole);
        if (table_has(part->table, at.from, at.row)) {
            table_set_real(out, at.first + 2 * k + 1, at.row,
                           table_real(part->table, at.from, at.row) / amount.exact);
        }
    }
    return failed;
}

/* The columns behind each measure: the same in all parts. */
struct columns {
    size_t counts[QUESTION_MEASURES_MAX];
    struct str names[QUESTION_MEASURES_MAX][TARGETS_MAX];
    size_t count; /* of all measures */
};

static void find_columns(struct asked_targets *targets, struct columns *out)
{
    const struct question *q = targets->parts[0].question;
    for (size_t i = 0; i < q->measure_count; i++) {
        out->counts[i] = most_of(targets, q->measures[i], out->names[i]);
        out->count += out->counts[i];
    }
}

/* The answer again, with room for the targets behind each measure. */
static int widen(struct asked_targets *targets, struct part *part, struct columns *columns,
                 struct table *out, struct error *err)
{
    const struct question *q = part->question;
    const struct table *table = part->table;
    const size_t before = q->dimension_count + (q->bucket != BUCKET_NONE);
    for (size_t c = 0; c < table->column_count; c++) {
        table_column_like(out, &table->columns[c]);
        if (c >= before && c - before < q->measure_count) {
            const size_t i = c - before;
            add_columns(q->measures[i], columns->counts[i], columns->names[i], out);
        }
    }
    int failed = 0;
    for (size_t row = 0; !failed && row < table->row_count; row++) {
        size_t to = 0;
        table_row(out);
        for (size_t c = 0; !failed && c < table->column_count; c++) {
            table_copy_cell(table, c, row, out, to++, row);
            if (c >= before && c - before < q->measure_count) {
                failed = set_cells(targets, part, q->measures[c - before],
                                   (struct spot){c, row, to}, out, err);
                to += 2 * columns->counts[c - before];
            }
        }
    }
    return failed;
}

/* " (cluster alder, group physics)"; nothing where it is of all. */
static void add_whose(struct buf *out, const struct target *target)
{
    const char *before = " (";
    for (size_t i = 0; i < TARGET_FILTERS; i++) {
        if (target->filters[i].ptr) {
            buf_addf(out, "%s%s %.*s", before, target_filter_ids[i],
                     STR_ARG(target->filters[i]));
            before = ", ";
        }
    }
    buf_addz(out, out->len > 0 ? ")" : "");
}

/* "target pledge (cluster alder): 2,000,000.0 cpu_hours a year" */
static void note_target(const struct target *target, const struct zone *zone,
                        struct answer *notes)
{
    const struct measure *measure = measure_find(target->measure);
    struct table one = {0};
    struct buf amount, whose;
    buf_init(&amount, LIMIT_ARGUMENT);
    buf_init(&whose, LIMIT_ARGUMENT);
    add_whose(&whose, target);
    table_column(&one, measure->id, measure->label, CELL_WIDE, measure->unit, COLUMN_MEASURE);
    table_row(&one);
    table_set_wide(&one, 0, 0,
                   (wide_int)target->amount_micro * measure_scale(measure) / 1000000);
    number_human(&amount, &one, 0, 0, zone);
    if (target->per != BUCKET_NONE) {
        answer_note_about(notes, NOTE_TARGET, target->name, "target %.*s%s: %s %s a %s",
                          STR_ARG(target->name), whose.ptr, amount.ptr, measure->id,
                          bucket_name(target->per));
    } else {
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        answer_note_about(notes, NOTE_TARGET, target->name,
                          "target %.*s%s: %s %s from %s to %s", STR_ARG(target->name),
                          whose.ptr, amount.ptr, measure->id,
                          zone_print(zone, target->period.from, from),
                          zone_print(zone, target->period.to, to));
    }
    buf_release(&whose);
    buf_release(&amount);
    table_release(&one);
}

static void note_targets(const struct asked_targets *targets, const struct zone *zone,
                         struct answer *notes)
{
    size_t more = 0, shown = 0;
    for (size_t i = 0; i < targets->list.count; i++) {
        if (targets->used[i] && shown < TARGETS_MAX) {
            note_target(&targets->list.rows[i], zone, notes);
            shown++;
        } else {
            more += targets->used[i];
        }
    }
    if (more > 0) {
        answer_note(notes, NOTE_TARGET, "%zu more targets: stint target list", more);
    }
}

/* All targets of the books; none where there are no books. */
static int read_targets(const struct service *service, struct asked_targets *targets,
                        struct error *err)
{
    struct books *books = NULL;
    int failed = 0;
    if (books_exist(service->store)) {
        (void)((failed = service_books(service, BOOKS_READ, &books, err)) ||
               (failed = books_all_targets(books, service->zone, &targets->list, err)));
    }
    targets->used = mem_alloc(targets->list.count + 1, sizeof(*targets->used));
    return failed;
}

static void targets_release(struct asked_targets *targets)
{
    for (size_t p = 0; p < targets->part_count; p++) {
        free(targets->parts[p].edges);
    }
    free(targets->used);
    target_list_release(&targets->list);
}

static int read_part(struct asked_targets *targets, const struct targets_part *from,
                     struct error *err)
{
    struct part *part = &targets->parts[targets->part_count++];
    const struct question *q = from->question;
    part->question = q;
    part->table = from->table;
    part->fits = from->table->row_count > 0 && read_filters(part);
    return part->fits ? calendar_edges(q->period, q->bucket, q->zone, &part->edges,
                                       &part->bucket_count, err)
                      : 0;
}

/* Adds the columns to the answers, with names as they are in the records. */
static int add_targets(const struct service *service, const struct targets_part *parts,
                       size_t count, struct answer *notes, struct error *err)
{
    struct asked_targets targets = {0};
    struct columns columns = {0};
    int failed = read_targets(service, &targets, err);
    for (size_t p = 0; !failed && targets.list.count > 0 && p < count; p++) {
        failed = read_part(&targets, &parts[p], err);
    }
    if (!failed && targets.part_count > 0) {
        find_columns(&targets, &columns);
    }
    for (size_t p = 0; !failed && columns.count > 0 && p < count; p++) {
        struct table wide = {0};
        failed = widen(&targets, &targets.parts[p], &columns, &wide, err);
        table_release(targets.parts[p].table);
        *targets.parts[p].table = wide;
    }
    if (!failed && columns.count > 0) {
        note_targets(&targets, service->zone, notes);
    }
    targets_release(&targets);
    return failed;
}

/* The answer to a part, with what the books know of it. */
static int ask_part(const struct service *service, struct facts *facts,
                    const struct targets_part *part, struct query_context *with,
                    struct error *err)
{
    const struct targets_part *rows = part->whole_of;
    struct question asked = *part->question;
    bool summed = false;
    int failed = query_context_read(service, facts, &asked, with, err);
    if (!failed && rows) {
        failed = question_sum(facts, rows->question, rows->table, part->table, &summed, err);
    }
    return failed || summed ? failed : question_ask(facts, &asked, part->table, err);
}

/*
 * Targets are reported by names as they are in the records; so those people read are put in
 * place afterwards.
 */
int targets_ask(const struct service *service, struct facts *facts,
                const struct targets_part *parts, size_t count, bool targets,
                struct answer *notes, struct error *err)
{
    struct query_context with[TARGETS_PARTS_MAX] = {0};
    int failed = 0;
    for (size_t p = 0; !failed && p < count; p++) {
        failed = ask_part(service, facts, &parts[p], &with[p], err);
    }
    if (!failed && targets) {
        failed = add_targets(service, parts, count, notes, err);
    }
    for (size_t p = 0; p < count; p++) {
        if (!failed) {
            query_context_show_names(&with[p], parts[p].table);
        }
        query_context_release(&with[p]);
    }
    return failed;
}

int targets_find(const struct service *service, const struct question *question,
                 struct targets_found *out, struct answer *notes, struct error *err)
{
    const struct measure *measure = question->measures[0];
    struct asked_targets targets = {.part_count = 1};
    struct part *part = &targets.parts[0];
    struct target_question wanted = {.measure = str_of(measure->id),
                                     .period = question->period};
    const struct target *found[TARGETS_MAX];
    part->question = question;
    int failed = read_targets(service, &targets, err);
    size_t count = 0;
    if (!failed && read_filters(part)) {
        for (size_t i = 0; i < TARGET_FILTERS; i++) {
            wanted.filters[i] = part->filters[i];
        }
        count = find_of(&targets, &wanted, found);
    }
    for (size_t k = 0; !failed && k < count; k++) {
        struct amount amount;
        failed = amount_of(found[k], measure, question->zone, question->period, &amount, err);
        if (!failed && amount.whole > 0) {
            out->rows[out->count++] =
                (struct target_line){arena_copy(&out->arena, found[k]->name), amount.whole};
        }
    }
    if (!failed && out->count > 0) {
        note_targets(&targets, service->zone, notes);
    }
    targets_release(&targets);
    return failed;
}

void targets_found_release(struct targets_found *found)
{
    arena_release(&found->arena);
    *found = (struct targets_found){0};
}
