/* SPDX-License-Identifier: MIT */
#include "command/meta.h"

#include "base/json.h"
#include "report/catalog.h"
#include "view/export/export.h"

/* One thing that is known about an answer. */
typedef void meta_fact(void *context, const char *name, struct str value);

static void say_instant(const struct zone *zone, int64_t instant, const char *name,
                        meta_fact *fact, void *context)
{
    char text[INSTANT_TEXT_MAX];
    fact(context, name, str_of(zone_print(zone, instant - instant % SECOND_US, text)));
}

/* All facts about the answer as a whole, but its notes. */
static void each_fact(const struct answer *answer, const struct zone *zone, meta_fact *fact,
                      void *context)
{
    if (answer->period.from < answer->period.to) {
        say_instant(zone, answer->period.from, "period_from", fact, context);
        say_instant(zone, answer->period.to, "period_to", fact, context);
    }
    fact(context, "zone", str_of(zone_name(zone)));
    if (answer->as_of) {
        say_instant(zone, answer->as_of, "as_of", fact, context);
    }
    if (answer->covered.from < answer->covered.to) {
        say_instant(zone, answer->covered.from, "data_from", fact, context);
        say_instant(zone, answer->covered.to, "data_to", fact, context);
    }
}

/* What a column is, in a sentence; "" where no table says so. */
static const char *definition_of(const struct column *column)
{
    const struct measure *measure = measure_find(str_of(column->id));
    const struct field *field = column_find(str_of(column->id));
    if (measure && (column->role == COLUMN_MEASURE || !field)) {
        return measure->doc;
    }
    field = field ? field : dimension_find(str_of(column->id));
    return field ? field->doc : "";
}

static bool is_said(const struct note *note)
{
    return note->kind != NOTE_LAYOUT && note->kind != NOTE_PERIOD;
}

/* --- lines that begin with # -------------------------------------------------------------- */

static void line_fact(void *context, const char *name, struct str value)
{
    buf_addf(context, "# %s: %.*s\n", name, STR_ARG(value));
}

static void write_lines(struct buf *out, const struct answer *answer, const struct zone *zone)
{
    each_fact(answer, zone, line_fact, out);
    for (size_t i = 0; i < answer->notes.count; i++) {
        if (is_said(&answer->notes.rows[i])) {
            line_fact(out, "note", str_of(answer->notes.rows[i].text));
        }
    }
    for (size_t i = 0; i < answer->table.column_count; i++) {
        const struct column *column = &answer->table.columns[i];
        const char *unit = unit_name(column->unit), *definition = definition_of(column);
        buf_addf(out, "# column %s: %s%s%s%s%s%s\n", column->id, column->label,
                 *unit ? " (" : "", unit, *unit ? ")" : "", *definition ? "; " : "",
                 definition);
    }
}

/* --- objects ------------------------------------------------------------------------------ */

static void json_fact(void *context, const char *name, struct str value)
{
    json_put_key(context, name);
    json_put_text(context, value);
}

static void write_columns(struct json *json, const struct table *table)
{
    json_put_key(json, "columns");
    json_begin_array(json);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        json_begin_object(json);
        json_fact(json, "id", str_of(column->id));
        json_fact(json, "label", str_of(column->label));
        json_fact(json, "unit", str_of(unit_name(column->unit)));
        json_fact(json, "definition", str_of(definition_of(column)));
        json_end_level(json);
    }
    json_end_level(json);
}

static void write_object(struct json *json, const struct answer *answer,
                         const struct zone *zone)
{
    json_put_key(json, "meta");
    json_begin_object(json);
    each_fact(answer, zone, json_fact, json);
    json_put_key(json, "notes");
    json_begin_array(json);
    for (size_t i = 0; i < answer->notes.count; i++) {
        if (is_said(&answer->notes.rows[i])) {
            json_put_text(json, str_of(answer->notes.rows[i].text));
        }
    }
    json_end_level(json);
    write_columns(json, &answer->table);
    json_end_level(json);
}

void meta_write(struct buf *out, const struct answer *answer,
                const struct render_options *options)
{
    const struct export_format *format = export_find(options->format);
    const struct export_style style = {
        .header = options->header,
        .zone = options->zone,
        .defused = options->defused,
        .raw = options->raw,
    };
    const bool lines =
        str_eq(options->format, STR("csv")) || str_eq(options->format, STR("tsv"));
    const bool one = str_eq(options->format, STR("json"));
    struct json json = {.out = out};
    if (lines) {
        write_lines(out, answer, options->zone);
    } else {
        json_begin_object(&json);
        write_object(&json, answer, options->zone);
    }
    if (one) {
        json_put_key(&json, "rows");
        export_write(out, format, &answer->table, &style);
        buf_addz(out, "}\n");
        return;
    }
    if (!lines) {
        json_end_level(&json);
        buf_addc(out, '\n');
    }
    export_write(out, format, &answer->table, &style);
}
