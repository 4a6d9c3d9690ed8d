/* SPDX-License-Identifier: MIT */
#include "view/text/text.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "view/text/cell_text.h"
#include "view/text/layout.h"

#define BOLD  "\x1b[1m"
#define DIM   "\x1b[2m"
#define PLAIN "\x1b[0m"

/* Narrower than this nothing can be read; such a terminal gets lines of this width. */
enum { WIDTH_MIN = 20 };

/* What is being printed, and two pieces of memory used again for each line and cell. */
struct printer {
    struct buf *out;
    const struct table *table;
    const struct table *whole; /* whose prose goes below each row; NULL: none does */
    struct text_style style;
    struct buf line;
    struct buf cell;
};

static void printer_init(struct printer *printer, struct buf *out, const struct table *table,
                         const struct text_style *style)
{
    *printer = (struct printer){.out = out, .table = table, .style = *style};
    if (style->width > 0 && style->width < WIDTH_MIN) {
        printer->style.width = WIDTH_MIN;
    }
    buf_init(&printer->line, LIMIT_OUTPUT);
    buf_init(&printer->cell, LIMIT_OUTPUT);
}

static void printer_release(struct printer *printer)
{
    buf_release(&printer->line);
    buf_release(&printer->cell);
}

/* Adds `text`, in a look if there is colour. */
static void add_styled(struct printer *printer, struct buf *out, const char *look,
                       struct str text)
{
    if (look && printer->style.colour) {
        buf_addz(out, look);
        buf_add(out, text);
        buf_addz(out, PLAIN);
    } else {
        buf_add(out, text);
    }
}

/* Moves the line to the output, without blanks at its end. */
static void end_line(struct printer *printer, const char *look)
{
    struct str line = buf_str(&printer->line);
    while (line.len > 0 && line.ptr[line.len - 1] == ' ') {
        line.len--;
    }
    add_styled(printer, printer->out, line.len > 0 ? look : NULL, line);
    buf_addc(printer->out, '\n');
    buf_clear(&printer->line);
}

static void print_title(struct printer *printer)
{
    if (!printer->table->title || !printer->style.header) {
        return;
    }
    buf_clear(&printer->cell);
    cell_text_text(&printer->cell, str_of(printer->table->title), printer->style.ascii);
    struct str rest = buf_str(&printer->cell);
    size_t width = printer->style.width ? printer->style.width : SIZE_MAX;
    while (rest.len > 0) {
        buf_add(&printer->line, cell_text_line(&rest, width));
        end_line(printer, BOLD);
    }
    buf_addc(printer->out, '\n');
}

/* Puts printer->cell into the line as a cell of the given column. */
static void put_cell(struct printer *printer, size_t column, size_t width, const char *look)
{
    struct buf *line = &printer->line;
    struct str text = buf_str(&printer->cell);
    size_t columns = str_width(text);
    bool right = column_is_right(&printer->table->columns[column]);
    buf_fill(line, ' ', column > 0 ? LAYOUT_GAP : 0);
    if (right && columns < width) {
        buf_fill(line, ' ', width - columns);
    }
    if (columns > width) {
        size_t start = line->len;
        cell_text_cut(line, text, width, printer->style.ascii);
        columns = str_width((struct str){line->ptr + start, line->len - start});
    } else {
        add_styled(printer, line, look, text);
    }
    if (!right && columns < width) {
        buf_fill(line, ' ', width - columns);
    }
}

static void print_rule(struct printer *printer, const size_t *widths)
{
    for (size_t i = 0; i < printer->table->column_count; i++) {
        buf_clear(&printer->cell);
        for (size_t k = 0; k < widths[i]; k++) {
            buf_addz(&printer->cell, printer->style.ascii ? "-" : "\xe2\x94\x80");
        }
        put_cell(printer, i, widths[i], NULL);
    }
    end_line(printer, NULL);
}

static void print_header(struct printer *printer, const size_t *widths)
{
    const struct table *table = printer->table;
    for (size_t i = 0; i < table->column_count; i++) {
        buf_clear(&printer->cell);
        cell_text_text(&printer->cell, str_of(table->columns[i].label), printer->style.ascii);
        put_cell(printer, i, widths[i], NULL);
    }
    end_line(printer, BOLD);
    print_rule(printer, widths);
}

static void print_row(struct printer *printer, const size_t *widths, size_t row)
{
    const struct table *table = printer->table;
    for (size_t i = 0; i < table->column_count; i++) {
        buf_clear(&printer->cell);
        cell_text_cell(&printer->cell, table, i, row, &printer->style);
        put_cell(printer, i, widths[i], cell_text_is_absent(table, i, row) ? DIM : NULL);
    }
    end_line(printer, NULL);
}

/* The last column of the whole table, broken into lines below the row. */
static void print_prose(struct printer *printer, size_t row)
{
    enum { INDENT = 4 };

    const size_t column = printer->whole->column_count - 1;
    if (cell_text_is_absent(printer->whole, column, row)) {
        return;
    }
    buf_clear(&printer->cell);
    cell_text_cell(&printer->cell, printer->whole, column, row, &printer->style);
    for (struct str rest = buf_str(&printer->cell); rest.len > 0;) {
        buf_fill(&printer->line, ' ', INDENT);
        buf_add(&printer->line, cell_text_line(&rest, printer->style.width - INDENT));
        end_line(printer, NULL);
    }
}

/*
 * Columns for the labels of a record: what the longest takes, but no more than half the line.
 */
static size_t label_width(struct printer *printer)
{
    size_t widest = 0;
    for (size_t i = 0; i < printer->table->column_count; i++) {
        buf_clear(&printer->cell);
        cell_text_text(&printer->cell, str_of(printer->table->columns[i].label),
                       printer->style.ascii);
        size_t width = str_width(buf_str(&printer->cell));
        widest = width > widest ? width : widest;
    }
    size_t half = (printer->style.width - LAYOUT_GAP) / 2;
    return printer->style.width > 0 && widest > half ? half : widest;
}

/* The label of a column, cut and filled up to `width`, and the gap after it. */
static void put_label(struct printer *printer, size_t column, size_t width)
{
    struct buf *line = &printer->line;
    bool colour = printer->style.colour;
    buf_clear(&printer->cell);
    cell_text_text(&printer->cell, str_of(printer->table->columns[column].label),
                   printer->style.ascii);
    buf_addz(line, colour ? BOLD : "");
    size_t start = line->len;
    cell_text_cut(line, buf_str(&printer->cell), width, printer->style.ascii);
    size_t columns = str_width((struct str){line->ptr + start, line->len - start});
    buf_addz(line, colour ? PLAIN : "");
    buf_fill(line, ' ', width - columns + LAYOUT_GAP);
}

/* One "Label  value" line, and as many below it as the value needs. */
static void print_field(struct printer *printer, size_t column, size_t row, size_t indent)
{
    put_label(printer, column, indent);
    buf_clear(&printer->cell);
    cell_text_cell(&printer->cell, printer->table, column, row, &printer->style);
    struct str rest = buf_str(&printer->cell);
    size_t width = printer->style.width ? printer->style.width - indent - LAYOUT_GAP : SIZE_MAX;
    buf_add(&printer->line, cell_text_line(&rest, width));
    end_line(printer, NULL);
    while (rest.len > 0) {
        buf_fill(&printer->line, ' ', indent + LAYOUT_GAP);
        buf_add(&printer->line, cell_text_line(&rest, width));
        end_line(printer, NULL);
    }
}

static void print_record(struct printer *printer, size_t row, size_t indent)
{
    bool empty = true;
    for (size_t i = 0; i < printer->table->column_count; i++) {
        if (!cell_text_is_absent(printer->table, i, row)) {
            print_field(printer, i, row, indent);
            empty = false;
        }
    }
    if (empty) {
        add_styled(printer, &printer->line, DIM, STR("---"));
        end_line(printer, NULL);
    }
}

static void print_records(struct printer *printer)
{
    size_t indent = label_width(printer);
    for (size_t row = 0; row < printer->table->row_count && !printer->out->overflow; row++) {
        if (row > 0) {
            buf_addc(printer->out, '\n');
        }
        print_record(printer, row, indent);
    }
}

static void print_rows(struct printer *printer, const size_t *widths)
{
    if (printer->style.header) {
        print_header(printer, widths);
    }
    const size_t footer = printer->table->row_count - printer->table->footer_count;
    for (size_t row = 0; row < printer->table->row_count && !printer->out->overflow; row++) {
        if (row == footer && row > 0) {
            print_rule(printer, widths);
        }
        print_row(printer, widths, row);
        if (printer->whole) {
            print_prose(printer, row);
        }
    }
}

/* Whether a column of numbers has none. */
static bool is_unknown(const struct table *table, size_t column)
{
    for (size_t row = 0; row < table->row_count; row++) {
        if (!cell_text_is_absent(table, column, row)) {
            return false;
        }
    }
    return table->columns[column].role == COLUMN_MEASURE && table->row_count > 0;
}

/*
 * A table with fewer columns, which are borrowed; and the labels of those that were left out.
 */
struct narrowed {
    struct table table;
    struct buf left;
};

static void narrowed_init(struct narrowed *narrow, const struct table *table)
{
    narrow->table = *table;
    narrow->table.columns = mem_alloc(table->column_count, sizeof(struct column));
    for (size_t i = 0; i < table->column_count; i++) {
        narrow->table.columns[i] = table->columns[i];
    }
    buf_init(&narrow->left, LIMIT_OUTPUT);
}

static void narrowed_release(struct narrowed *narrow)
{
    free(narrow->table.columns);
    buf_release(&narrow->left);
}

static void leave_out(struct narrowed *narrow, size_t column)
{
    struct table *table = &narrow->table;
    const char *label = table->columns[column].label;
    if (*label) {
        buf_addf(&narrow->left, "%s%s", narrow->left.len > 0 ? ", " : "", label);
    }
    table->column_count--;
    for (size_t i = column; i < table->column_count; i++) {
        table->columns[i] = table->columns[i + 1];
    }
}

/* Numbers of which nothing is known are missed least. */
static void leave_out_unknown(struct narrowed *narrow)
{
    for (size_t i = narrow->table.column_count; i-- > 0 && narrow->table.column_count > 1;) {
        if (is_unknown(&narrow->table, i)) {
            leave_out(narrow, i);
        }
    }
}

/*
 * The columns that say what a row is about, and the first number: without them it says nothing.
 */
static size_t columns_needed(const struct table *table)
{
    size_t needed = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        needed = table->columns[i].role == COLUMN_DIMENSION ? i + 1 : needed;
    }
    return needed < table->column_count ? needed + 1 : needed;
}

static bool ends_in_prose(const struct table *table)
{
    return table->column_count > 1 &&
           table->columns[table->column_count - 1].role == COLUMN_PROSE;
}

/* Rows of columns, if they fit into the width. */
static bool print_if_fits(struct printer *printer)
{
    struct layout layout = {0};
    layout_init(&layout, printer->table, &printer->style);
    const bool fits = layout.fits && !(layout.cut && ends_in_prose(printer->table));
    if (fits) {
        print_rows(printer, layout.widths);
    }
    layout_release(&layout);
    return fits;
}

/* The same with the prose below each row, where there is some. */
static bool print_above_prose(struct printer *printer)
{
    const struct table *table = printer->table;
    if (!ends_in_prose(table)) {
        return false;
    }
    struct table others = *table;
    others.column_count--;
    printer->table = &others;
    printer->whole = table;
    const bool fits = print_if_fits(printer);
    printer->table = table;
    printer->whole = NULL;
    return fits;
}

/* A line below a table that says which columns are not in it. */
static void print_left(struct printer *printer, struct str left)
{
    buf_addz(printer->out, "\n");
    buf_clear(&printer->cell);
    buf_addf(&printer->cell, "left out: %.*s", STR_ARG(left));
    for (struct str rest = buf_str(&printer->cell); rest.len > 0;) {
        buf_add(&printer->line, cell_text_line(&rest, printer->style.width));
        end_line(printer, NULL);
    }
}

/*
 * Where a table is too wide, numbers of which nothing is known go first, then columns from the
 * last on, or of a series from the first, as long as a row still says something; what is too
 * wide even so is shown a field a line.
 */
static void print_table(struct printer *printer)
{
    const struct table *table = printer->table;
    struct narrowed narrow;
    if (print_if_fits(printer) || print_above_prose(printer)) {
        return;
    }
    narrowed_init(&narrow, table);
    leave_out_unknown(&narrow);
    printer->table = &narrow.table;
    const size_t needed = columns_needed(&narrow.table);
    bool fits = narrow.left.len > 0 && print_if_fits(printer);
    /* one row loses nothing by being shown a field a line */
    while (!fits && table->row_count > 1 && narrow.table.column_count > needed) {
        leave_out(&narrow, table->in_sequence ? needed - 1 : narrow.table.column_count - 1);
        fits = print_if_fits(printer);
    }
    if (fits) {
        print_left(printer, buf_str(&narrow.left));
    } else {
        printer->table = table;
        print_records(printer);
    }
    printer->table = table;
    narrowed_release(&narrow);
}

void text_table(struct buf *out, const struct table *table, const struct text_style *style)
{
    struct printer printer;
    printer_init(&printer, out, table, style);
    print_title(&printer);
    if (table->column_count > 0) {
        print_table(&printer);
    }
    if (table->row_count == 0 && style->header) {
        buf_addz(out, "no rows\n");
    }
    printer_release(&printer);
}

void text_record(struct buf *out, const struct table *table, size_t row,
                 const struct text_style *style)
{
    struct printer printer;
    printer_init(&printer, out, table, style);
    print_record(&printer, row, label_width(&printer));
    printer_release(&printer);
}

/* Long ones are broken; what follows the first line of one stands a little to the right. */
void text_notes(struct buf *out, struct str notes, const struct text_style *style)
{
    enum { INDENT = 2 };

    const size_t width = style->width == 0          ? SIZE_MAX
                         : style->width < WIDTH_MIN ? WIDTH_MIN
                                                    : style->width;
    struct buf text;
    buf_init(&text, LIMIT_OUTPUT);
    while (notes.len > 0) {
        buf_clear(&text);
        cell_text_text(&text, str_cut(&notes, '\n'), style->ascii);
        struct str rest = buf_str(&text);
        buf_add(out, cell_text_line(&rest, width));
        buf_addc(out, '\n');
        while (rest.len > 0) {
            buf_fill(out, ' ', INDENT);
            buf_add(out, cell_text_line(&rest, width - INDENT));
            buf_addc(out, '\n');
        }
    }
    buf_release(&text);
}
