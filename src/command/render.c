/* SPDX-License-Identifier: MIT */
#include "command/render.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "command/meta.h"
#include "service/core/formatter.h"
#include "service/query/chart_answer.h"
#include "view/chart/chart_page.h"
#include "view/chart/png.h"
#include "view/partial_marks.h"
#include "view/plot/plot.h"
#include "view/text/text.h"

/*
 * A row as a label and its other cells in one text, which may need several lines and is never
 * cut.
 */
static void render_list(struct buf *out, const struct table *table,
                        const struct text_style *style)
{
    struct table list = {0};
    for (size_t row = 0; row < table->row_count; row++) {
        const char *label = arena_text(&list.arena, table->columns[0].cells[row].text);
        table_column(&list, "", label, CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    size_t only = table_row(&list);
    for (size_t row = 0; row < table->row_count; row++) {
        struct buf text;
        buf_init(&text, LIMIT_OUTPUT);
        for (size_t c = 1; c < table->column_count; c++) {
            buf_addz(&text, c > 1 ? ": " : "");
            buf_add(&text, table->columns[c].cells[row].text);
        }
        table_set_text(&list, row, only, buf_str(&text));
        buf_release(&text);
    }
    text_record(out, &list, only, style);
    table_release(&list);
}

/* The table as people are to see it; `room` is for a copy. */
static const struct table *for_people(const struct table *table, struct table *room)
{
    if (!partial_marks_is(table)) {
        return table;
    }
    partial_marks_table(table, room);
    return room;
}

static void add_notes(struct buf *out, const struct answer *answer, unsigned shown,
                      const struct text_style *style)
{
    struct buf lines;
    buf_init(&lines, LIMIT_OUTPUT);
    note_lines(&lines, &answer->notes, shown);
    text_notes(out, buf_str(&lines), style);
    buf_release(&lines);
}

static void render_text(struct buf *out, const struct answer *answer,
                        const struct render_options *options)
{
    struct table marked = {0};
    const struct table *table =
        for_people(answer->shown.column_count > 0 ? &answer->shown : &answer->table, &marked);
    const struct text_style style = {
        .width = options->width,
        .colour = options->colour,
        .ascii = options->ascii,
        .header = options->header,
        .zone = options->zone,
    };
    if (answer->as_list) {
        render_list(out, table, &style);
    } else if (answer->as_records && table->row_count > 0) {
        for (size_t row = 0; row < table->row_count; row++) {
            buf_addz(out, row ? "\n" : "");
            text_record(out, table, row, &style);
        }
    } else {
        text_table(out, table, &style);
    }
    if (answer->notes.count > 0 && render_shows_notes(options)) {
        buf_addc(out, '\n');
        add_notes(out, answer, ~NOTE_BIT(NOTE_LAYOUT), &style);
        add_notes(out, answer, NOTE_BIT(NOTE_LAYOUT), &style);
    }
    table_release(&marked);
}

/* Bytes are not for the terminal: there must be a file or a pipe. */
static int refuse_terminal(const struct render_options *options, const char *what,
                           struct error *err)
{
    if (options->output || !isatty(STDOUT_FILENO)) {
        return 0;
    }
    return error_set(err, ERROR_USAGE,
                     "%s cannot be written to a terminal: set a file with --output", what);
}

bool render_shows_notes(const struct render_options *options)
{
    return render_is_for_people(options->format) && options->header && !options->quiet;
}

static int choose_chart(const struct answer *answer, const struct render_options *options,
                        struct chart *chart, struct error *err)
{
    const struct chart_answer_wish wish = {
        .kind = options->chart,
        .title = options->title,
        .zone = options->zone,
        .quiet = options->quiet,
        .coarse = str_eq(options->format, STR("table")),
    };
    return chart_answer_choose(answer, &wish, chart, err);
}

static int render_svg(struct buf *out, const struct answer *answer,
                      const struct render_options *options, struct error *err)
{
    struct chart chart = {0};
    int failed = choose_chart(answer, options, &chart, err);
    if (!failed) {
        chart_svg(out, &chart);
    }
    chart_release(&chart);
    return failed;
}

static int render_png(struct buf *out, const struct answer *answer,
                      const struct render_options *options, struct error *err)
{
    struct chart chart = {0};
    struct buf svg;
    buf_init(&svg, LIMIT_OUTPUT);
    int failed = choose_chart(answer, options, &chart, err);
    if (!failed) {
        chart_svg(&svg, &chart);
        failed = png_draw(out, buf_str(&svg), chart_width(&chart), chart_height(&chart), err);
    }
    buf_release(&svg);
    chart_release(&chart);
    return failed;
}

/*
 * A page has a picture where there is something to draw; if one was wished for, there must be.
 */
static int render_html(struct buf *out, const struct answer *answer,
                       const struct render_options *options, struct error *err)
{
    struct chart chart = {0};
    struct table marked = {0};
    struct buf notes;
    bool plain = answer->as_records && !options->chart.ptr;
    /* with its totals; the screen of a job is for a terminal */
    bool arranged = answer->shown.column_count > 0 && !answer->as_records && !answer->as_list;
    buf_init(&notes, LIMIT_OUTPUT);
    note_lines(&notes, &answer->notes, options->quiet ? 0 : ~NOTE_BIT(NOTE_LAYOUT));
    int failed = plain ? 0 : choose_chart(answer, options, &chart, err);
    if (!failed || !options->chart.ptr) {
        const struct chart_page page = {
            .title = options->title,
            .chart = failed || plain ? NULL : &chart,
            .table = for_people(arranged ? &answer->shown : &answer->table, &marked),
            .notes = buf_str(&notes),
            .zone = options->zone,
            .header = options->header,
            .records = answer->as_records,
        };
        chart_page_write(out, &page);
        failed = 0;
    }
    buf_release(&notes);
    table_release(&marked);
    chart_release(&chart);
    return failed;
}

static int render_plot(struct buf *out, const struct answer *answer,
                       const struct render_options *options, struct error *err)
{
    struct chart chart = {0};
    struct render_options bare = *options;
    bare.quiet = true; /* the notes stand under the table */
    int failed = choose_chart(answer, &bare, &chart, err);
    if (!failed) {
        const struct plot_style style = {
            .width = options->width,
            .ascii = options->ascii,
            .colour = options->colour,
        };
        plot_draw(out, &chart, &style);
        buf_addc(out, '\n');
    }
    chart_release(&chart);
    return failed;
}

static int render_table(struct buf *out, const struct answer *answer,
                        const struct render_options *options, struct error *err)
{
    int failed =
        options->plot || options->chart.ptr ? render_plot(out, answer, options, err) : 0;
    if (!failed) {
        render_text(out, answer, options);
    }
    return failed;
}

/* Formats that are made for people; those for machines are view/export's. */
static const struct human_format {
    const char *name;
    int (*render)(struct buf *out, const struct answer *answer,
                  const struct render_options *options, struct error *err);
} human_formats[] = {
    {"table", render_table},
    {"html", render_html},
    {"svg", render_svg},
    {"png", render_png},
};

int render_output(const struct render_options *options, struct output *output,
                  struct error *err)
{
    const struct export_style style = {
        .header = options->header,
        .zone = options->zone,
        .defused = options->defused,
        .raw = options->raw,
    };
    return output_init(output, options->format, options->output, &style, err);
}

/* With what there is to know about it: as a whole, since that is known at the end only. */
static int render_with_meta(const struct answer *answer, const struct render_options *options,
                            struct error *err)
{
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    meta_write(&out, answer, options);
    int failed =
        out.overflow
            ? error_set(
                  err, ERROR_LIMIT,
                  "the answer is larger than %d MiB: request less, or leave out --with-meta",
                  LIMIT_OUTPUT >> 20)
            : file_write(options->output, buf_str(&out), err);
    buf_release(&out);
    return failed;
}

static int render_machine(const struct answer *answer, const struct render_options *options,
                          struct error *err)
{
    struct output output;
    if (options->with_meta) {
        return render_with_meta(answer, options, err);
    }
    int failed = render_output(options, &output, err);
    failed = failed ? failed : output_take(&output, &answer->table, err);
    if (failed) {
        output_abandon(&output);
        return failed;
    }
    return output_close(&output, err);
}

static const struct human_format *human_format(struct str format)
{
    for (size_t i = 0; i < COUNT_OF(human_formats); i++) {
        if (str_eq(format, str_of(human_formats[i].name))) {
            return &human_formats[i];
        }
    }
    return NULL;
}

/* Tables first, then what is for machines, then pictures. */
const char *render_format_name(size_t index)
{
    size_t machine = 0;
    while (formatter_name(machine)) {
        machine++;
    }
    const size_t human = index > machine ? index - machine : 0;
    return index > 0 && index <= machine     ? formatter_name(index - 1)
           : human < COUNT_OF(human_formats) ? human_formats[human].name
                                             : NULL;
}

bool render_is_for_people(struct str format)
{
    return human_format(format) != NULL;
}

int render_check(const struct render_options *options, struct error *err)
{
    bool picture = str_eq(options->format, STR("html")) ||
                   str_eq(options->format, STR("svg")) || str_eq(options->format, STR("png"));
    bool table = str_eq(options->format, STR("table"));
    if (options->plot && !table) {
        return error_set(err, ERROR_USAGE,
                         "--plot draws above a table: leave out --format %.*s",
                         STR_ARG(options->format));
    }
    if ((options->chart.ptr || options->title) && !picture && !table) {
        return error_set(err, ERROR_USAGE,
                         "--%s is for pictures: use --plot, or --format html, "
                         "svg or png",
                         options->chart.ptr ? "chart" : "title");
    }
    if (options->with_meta && !str_eq(options->format, STR("csv")) &&
        !str_eq(options->format, STR("tsv")) && !str_eq(options->format, STR("json")) &&
        !str_eq(options->format, STR("jsonl"))) {
        return error_set(err, ERROR_USAGE, "--with-meta is for csv, tsv, json and jsonl");
    }
    if (str_eq(options->format, STR("parquet"))) {
        return refuse_terminal(options, "Parquet", err);
    }
    return str_eq(options->format, STR("png")) ? refuse_terminal(options, "PNG", err) : 0;
}

int render_answer(const struct answer *answer, const struct render_options *options,
                  struct error *err)
{
    if (answer->document.ptr) {
        return file_write(options->output, buf_str(&answer->document), err);
    }
    if (answer->table.column_count == 0) {
        return 0;
    }
    const struct human_format *format = human_format(options->format);
    if (!format) {
        return render_machine(answer, options, err);
    }
    struct buf out;
    struct answer seen;
    buf_init(&out, LIMIT_OUTPUT);
    answer_seen(answer, COLUMN_FOR_PEOPLE, &seen);
    int failed = format->render(&out, &seen, options, err);
    answer_seen_release(&seen);
    if (!failed) {
        failed = out.overflow ? error_set(err, ERROR_LIMIT,
                                          "the answer is larger than %d MiB: request less, or "
                                          "use a machine format such as --format csv",
                                          LIMIT_OUTPUT >> 20)
                              : file_write(options->output, buf_str(&out), err);
    }
    buf_release(&out);
    return failed;
}
