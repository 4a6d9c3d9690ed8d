/* SPDX-License-Identifier: MIT */
#include "source/csv/csv_map.h"
#include "base/attribute.h"
#include "source/common/record_text.h"

/*
 * The map, a line each:
 *
 *     job = Job ID                          a column, by its title
 *     start = "Began" as %d.%m.%Y %H:%M     a time, and how it is written
 *     mem_peak = Max memory in MB           a size, a duration or energy, and its unit
 *     account := physics                    the same for all
 *     class OK = completed                  what a word of the state means
 *     absent = n/a                          a word that means "not known"
 *     separator = ;                         or the words tab, comma
 */

struct unit_word {
    enum unit unit;
    const char *word;
    int64_t factor; /* 1 of it in what we keep, or CSV_THOUSANDTHS */
};

static const struct unit_word unit_words[] = {
    {UNIT_SECONDS, "us", 1},
    {UNIT_SECONDS, "ms", 1000},
    {UNIT_SECONDS, "s", SECOND_US},
    {UNIT_SECONDS, "min", 60 * SECOND_US},
    {UNIT_SECONDS, "h", HOUR_US},
    {UNIT_SECONDS, "d", DAY_US},
    {UNIT_INSTANT, "us", 1},
    {UNIT_INSTANT, "ms", 1000},
    {UNIT_INSTANT, "s", SECOND_US},
    {UNIT_BYTES, "B", 1},
    {UNIT_BYTES, "KB", INT64_C(1) << 10},
    {UNIT_BYTES, "MB", INT64_C(1) << 20},
    {UNIT_BYTES, "GB", INT64_C(1) << 30},
    {UNIT_BYTES, "TB", INT64_C(1) << 40},
    {UNIT_BYTES, "KiB", INT64_C(1) << 10},
    {UNIT_BYTES, "MiB", INT64_C(1) << 20},
    {UNIT_BYTES, "GiB", INT64_C(1) << 30},
    {UNIT_BYTES, "TiB", INT64_C(1) << 40},
    {UNIT_COUNT, "milli", CSV_THOUSANDTHS},
    {UNIT_COUNT, "m", CSV_THOUSANDTHS},
    {UNIT_MILLIJOULES, "J", 1000},
    {UNIT_MILLIJOULES, "kJ", 1000000},
    {UNIT_MILLIJOULES, "Wh", 3600000},
    {UNIT_MILLIJOULES, "kWh", INT64_C(3600000000)},
};

/* Fields that are the driver's or the store's to set. */
static bool is_settable(enum run_field field)
{
    static const enum run_field ours[] = {RUN_cluster, RUN_attempt, RUN_part, RUN_whole,
                                          RUN_flags,   RUN_source,  RUN_file, RUN_line,
                                          RUN_batch,   RUN_digest};

    for (size_t i = 0; i < COUNT_OF(ours); i++) {
        if (ours[i] == field) {
            return false;
        }
    }
    return true;
}

static int refuse_map_line(unsigned line, const char *what, struct str text, struct error *err)
{
    return error_set(err, ERROR_USAGE, "the map's line %u: '%.*s' %s", line,
                     (int)(text.len < 60 ? text.len : 60), text.ptr ? text.ptr : "", what);
}

/* Splits at the last " word " of a text; the null string if it has none. */
static struct str cut_last(struct str *text, const char *word)
{
    size_t len = strlen(word);
    for (size_t at = text->len; at > len; at--) {
        const char *place = text->ptr + at - len;
        if (memcmp(place, word, len) == 0) {
            struct str after = {place + len, text->len - at};
            text->len = at - len;
            return str_trim(after);
        }
    }
    return (struct str){0};
}

static struct str unquote(struct str text)
{
    text = str_trim(text);
    if (text.len >= 2 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"') {
        text.ptr++;
        text.len -= 2;
    }
    return text;
}

static bool find_unit(enum unit unit, struct str word, int64_t *factor)
{
    for (size_t i = 0; i < COUNT_OF(unit_words); i++) {
        if (unit_words[i].unit == unit && str_eq_nocase(word, str_of(unit_words[i].word))) {
            *factor = unit_words[i].factor;
            return true;
        }
    }
    return false;
}

static int add_rule(struct csv_format *format, unsigned line, struct str id, struct str source,
                    bool constant, struct error *err)
{
    const struct field *field = run_field_find(id);
    if (!field || !is_settable((enum run_field)(field - run_fields))) {
        return refuse_map_line(line, "is not a field that a map may set; see docs/fields.md",
                               id, err);
    }
    if (format->rule_count == CSV_RULES_MOST) {
        return refuse_map_line(line, "is one line too many", id, err);
    }
    struct csv_rule *rule = &format->rules[format->rule_count++];
    *rule =
        (struct csv_rule){.field = (enum run_field)(field - run_fields), .constant = constant};
    if (!constant) {
        rule->pattern = cut_last(&source, " as ");
        struct str unit = rule->pattern.ptr ? (struct str){0} : cut_last(&source, " in ");
        if (rule->pattern.ptr && field->unit != UNIT_INSTANT) {
            return refuse_map_line(line, "is not a time: 'as' is for times", id, err);
        }
        if (unit.ptr && !find_unit(field->unit, unit, &rule->unit)) {
            return refuse_map_line(line, "is not a unit of this field", unit, err);
        }
        rule->pattern =
            rule->pattern.ptr ? arena_copy(&format->arena, rule->pattern) : rule->pattern;
    }
    rule->text = arena_copy(&format->arena, unquote(source));
    return rule->text.len > 0
               ? 0
               : refuse_map_line(line, "wants a column, or := and a value", id, err);
}

/* "class OK = completed". */
static int add_word(struct csv_format *format, unsigned line, struct str word, struct str name,
                    struct error *err)
{
    if (format->word_count == CSV_WORDS_MOST) {
        return refuse_map_line(line, "is one class too many", word, err);
    }
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (str_eq(name, run_class_name((enum run_class)i))) {
            format->words[format->word_count++] =
                (struct csv_word){arena_copy(&format->arena, unquote(word)), (enum run_class)i};
            return 0;
        }
    }
    return refuse_map_line(line, "is not a class; see docs/fields.md", name, err);
}

static int set_separator(struct csv_format *format, unsigned line, struct str value,
                         struct error *err)
{
    value = unquote(value);
    if (str_eq(value, STR("tab")) || str_eq(value, STR("\\t"))) {
        format->separator = '\t';
    } else if (str_eq(value, STR("comma"))) {
        format->separator = ',';
    } else if (value.len == 1) {
        format->separator = value.ptr[0];
    } else {
        return refuse_map_line(
            line, "is not a separator: use one byte, or one of the words tab, comma", value,
            err);
    }
    return 0;
}

static int read_line(struct csv_format *format, unsigned number, struct str line,
                     struct error *err)
{
    struct str value = line;
    struct str name = str_cut(&value, '=');
    if (!value.ptr) {
        return refuse_map_line(number, "has no =", line, err);
    }
    bool constant = name.len > 0 && name.ptr[name.len - 1] == ':';
    name.len -= constant;
    name = str_trim(name);
    value = str_trim(value);
    if (str_starts(name, STR("class "))) {
        return add_word(format, number, str_trim((struct str){name.ptr + 6, name.len - 6}),
                        value, err);
    }
    if (str_eq(name, STR("separator"))) {
        return set_separator(format, number, value, err);
    }
    if (str_eq(name, STR("absent"))) {
        if (format->absent_count == CSV_WORDS_MOST) {
            return refuse_map_line(number, "is one word too many", value, err);
        }
        format->absent[format->absent_count++] = arena_copy(&format->arena, unquote(value));
        return 0;
    }
    return add_rule(format, number, name, value, constant, err);
}

int csv_map_read(struct str map, struct csv_format *format, struct error *err)
{
    bool recoded = false;
    bool job = false;
    unsigned number = 0;
    for (struct str rest = source_utf8(map, &format->arena, &recoded); rest.ptr;) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        number++;
        if (line.len == 0 || line.ptr[0] == '#') {
            continue;
        }
        int failed = read_line(format, number, line, err);
        if (failed) {
            return failed;
        }
    }
    for (size_t i = 0; i < format->rule_count; i++) {
        job |= format->rules[i].field == RUN_job || format->rules[i].field == RUN_job_key;
    }
    return job ? 0
               : error_set(err, ERROR_USAGE,
                           "the map has no column for the job: add a line 'job = ...'");
}
