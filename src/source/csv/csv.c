/* SPDX-License-Identifier: MIT */
#include "source/csv/csv.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "source/common/members.h"
#include "source/common/record_text.h"
#include "source/csv/csv_map.h"

/*
 * Tables as RFC 4180 has them, with any separator, but for one thing: a record is a line, so
 * that no text may hold a line end. JSON objects one a line.
 *
 *   csv_map.c    reads the map
 *   csv_value.c  makes fields of values
 */

/* --- tables ------------------------------------------------------------------------------- */

/*
 * Takes a cell off the line; `rest` becomes null after the last one. False if a quote does not
 * end.
 */
static bool take_cell(struct str *rest, char separator, struct arena *arena, struct str *out)
{
    if (rest->len == 0 || rest->ptr[0] != '"') {
        *out = str_cut(rest, separator);
        return true;
    }
    size_t end = 1;
    bool doubled = false;
    for (; end < rest->len; end++) {
        if (rest->ptr[end] == '"') {
            if (end + 1 == rest->len || rest->ptr[end + 1] != '"') {
                break;
            }
            doubled = true;
            end++;
        }
    }
    if (end >= rest->len || (end + 1 < rest->len && rest->ptr[end + 1] != separator)) {
        return false;
    }
    struct str cell = {rest->ptr + 1, end - 1};
    struct str after = {rest->ptr + end + 1, rest->len - end - 1};
    (void)str_cut(&after, separator);
    *rest = after;
    if (doubled) {
        char *text = arena_alloc(arena, cell.len);
        size_t len = 0;
        for (size_t i = 0; i < cell.len; i++) {
            text[len++] = cell.ptr[i];
            i += cell.ptr[i] == '"';
        }
        cell = (struct str){text, len};
    }
    *out = cell;
    return true;
}

static int cut_cells(struct str line, char separator, struct arena *arena,
                     struct str cells[CSV_COLUMNS_MOST])
{
    int count = 0;
    for (struct str rest = line; rest.ptr && count < CSV_COLUMNS_MOST; count++) {
        if (!take_cell(&rest, separator, arena, &cells[count])) {
            return -1;
        }
    }
    return count;
}

static enum source_step read_table_row(const struct csv_format *format, struct str line,
                                       struct arena *arena, struct run *run, struct error *err)
{
    struct str cells[CSV_COLUMNS_MOST];
    int count = cut_cells(line, format->separator, arena, cells);
    if (count < 0) {
        error_set(err, ERROR_INPUT, "has a quote that is not closed");
        return SOURCE_REJECT;
    }
    for (size_t i = 0; i < format->rule_count; i++) {
        const struct csv_rule *rule = &format->rules[i];
        if (!rule->constant && rule->column >= (unsigned)count) {
            error_set(err, ERROR_INPUT, "has %d columns, '%.*s' is number %u", count,
                      STR_ARG(rule->text), rule->column + 1);
            return SOURCE_REJECT;
        }
        if (!csv_value_set(format, rule, rule->constant ? rule->text : cells[rule->column], run,
                           err)) {
            return SOURCE_REJECT;
        }
    }
    return SOURCE_RECORD;
}

/* --- objects ------------------------------------------------------------------------------ */

struct object {
    const struct csv_format *format;
    struct str values[CSV_RULES_MOST];
};

/* The last member of a name counts; what is null or nested is not known. */
static void keep_member(void *context, struct str name, enum member_kind kind, struct str text)
{
    struct object *object = context;
    for (size_t i = 0; i < object->format->rule_count; i++) {
        const struct csv_rule *rule = &object->format->rules[i];
        if (!rule->constant && str_eq(rule->text, name)) {
            bool known = kind != MEMBER_NULL && kind != MEMBER_NESTED;
            object->values[i] = known ? text : (struct str){0};
        }
    }
}

static enum source_step read_object(const struct csv_format *format, struct str line,
                                    struct arena *arena, struct run *run, struct error *err)
{
    struct object object = {.format = format};
    if (!members_read(str_trim(line), arena, keep_member, &object)) {
        error_set(err, ERROR_INPUT, "is no JSON object");
        return SOURCE_REJECT;
    }
    for (size_t i = 0; i < format->rule_count; i++) {
        const struct csv_rule *rule = &format->rules[i];
        if (!csv_value_set(format, rule, rule->constant ? rule->text : object.values[i], run,
                           err)) {
            return SOURCE_REJECT;
        }
    }
    return SOURCE_RECORD;
}

/* --- the driver --------------------------------------------------------------------------- */

static enum source_step read_line(const struct csv_format *format, struct str line,
                                  struct arena *arena, struct run *run, struct error *err)
{
    bool recoded = false;
    line = source_utf8(line, arena, &recoded);
    enum source_step step = format->json ? read_object(format, line, arena, run, err)
                                         : read_table_row(format, line, arena, run, err);
    if (step == SOURCE_RECORD &&
        (!csv_value_finish(format, arena, run, err) || source_check_texts(run, err) != 0)) {
        return SOURCE_REJECT;
    }
    if (recoded) {
        run->flags |= RUN_FLAG_RECODED;
    }
    return step;
}

static enum source_step csv_next(const void *format, struct source_cursor *cursor,
                                 struct run *run, struct error *err)
{
    const struct csv_format *csv = format;
    if (!source_next_line(cursor)) {
        return SOURCE_END;
    }
    struct str line = cursor->record;
    if (str_trim(line).len == 0 || (!csv->json && cursor->line == 1)) {
        return SOURCE_SKIP; /* the first line of a table has the titles */
    }
    if (source_check_line(cursor, err) != 0) {
        return SOURCE_REJECT;
    }
    return read_line(csv, line, cursor->arena, run, err);
}

/* The one of the usual separators that the titles have most of. */
static char guess_separator(struct str titles)
{
    static const char usual[] = ",;\t|";
    char best = ',';
    size_t most = 0;
    for (size_t i = 0; i < sizeof(usual) - 1; i++) {
        size_t count = 0;
        for (size_t at = 0; at < titles.len; at++) {
            count += titles.ptr[at] == usual[i];
        }
        if (count > most) {
            most = count;
            best = usual[i];
        }
    }
    return best;
}

/* Finds the columns of the map's rules among the titles. */
static int find_columns(struct csv_format *format, struct str titles, struct error *err)
{
    struct str cells[CSV_COLUMNS_MOST];
    bool recoded = false;
    titles = source_utf8(titles, &format->arena, &recoded);
    format->separator = format->separator ? format->separator : guess_separator(titles);
    int count = cut_cells(titles, format->separator, &format->arena, cells);
    for (size_t i = 0; i < format->rule_count; i++) {
        struct csv_rule *rule = &format->rules[i];
        int column = 0;
        while (column < count && !str_eq(str_trim(cells[column]), rule->text)) {
            column++;
        }
        if (!rule->constant && column >= count) {
            return error_set(
                err, ERROR_USAGE, "the map's column '%.*s' is not among the titles: %.*s",
                STR_ARG(rule->text), (int)(titles.len < 300 ? titles.len : 300), titles.ptr);
        }
        rule->column = (unsigned)column;
    }
    return 0;
}

static void csv_close(void *format)
{
    struct csv_format *held = format;
    if (held) {
        zone_close(held->own_zone);
        arena_release(&held->arena);
        free(held);
    }
}

static int csv_open(struct str head, const struct source_options *options, void **format,
                    struct error *err)
{
    if (!options->map.ptr) {
        return error_set(
            err, ERROR_USAGE,
            "csv needs a map of columns to fields: --map FILE; see docs/sources/csv.md");
    }
    struct csv_format *out = mem_alloc(1, sizeof(*out));
    struct str mark = STR("\xef\xbb\xbf");
    struct str rest = head;
    if (str_starts(rest, mark)) {
        rest.ptr += mark.len;
        rest.len -= mark.len;
    }
    struct str titles = str_trim(str_cut(&rest, '\n'));
    out->zone = options->zone;
    out->json = titles.len > 0 && titles.ptr[0] == '{';
    int failed = csv_map_read(options->map, out, err);
    if (!failed && !out->zone) {
        failed = zone_open("UTC", &out->own_zone, err);
        out->zone = out->own_zone;
    }
    if (!failed && !out->json) {
        failed = find_columns(out, titles, err);
    }
    if (failed) {
        csv_close(out);
        return failed;
    }
    *format = out;
    return 0;
}

/* Any table could be one: it has to be said. */
static int csv_recognise(struct str head)
{
    (void)head;
    return 0;
}

const struct source_driver csv_driver = {
    .name = "csv",
    .summary =
        "any table with a header, or JSON lines, with a map of columns to fields (--map FILE)",
    .version = 2,
    .by_name = true,
    .recognise = csv_recognise,
    .open = csv_open,
    .close = csv_close,
    .next = csv_next,
};
