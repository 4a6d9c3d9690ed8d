/* SPDX-License-Identifier: MIT */
#include "view/chart/chart_page.h"

#include "view/chart/draw.h"
#include "view/chart/markup.h"
#include "view/number.h"

/* Up to and into what is for dark screens; the looks of series follow, and then the rest. */
static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1b2026;--soft:#55606c;--rule:#dde2e8;"
    "--stripe:#f6f8fa}"
    "@media screen and "
    "(prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e8ebee;--soft:#a3adb8;"
    "--rule:#343b44;--stripe:#1b1f25}";

static const char rest_style[] =
    "}body{margin:0 auto;max-width:60rem;padding:1.5rem 1rem 3rem;background:var(--paper);"
    "color:var(--ink);font:15px/1.5 system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif}"
    "h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 1rem;overflow-wrap:anywhere}"
    "figure{margin:0 0 1.5rem}figure svg{display:block;width:100%;height:auto}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
    "th,td{padding:.35rem .7rem;text-align:left;border-bottom:1px solid var(--rule);"
    "vertical-align:top}th{border-bottom:2px solid var(--soft);white-space:nowrap}"
    "th[scope=row]{border-bottom:1px solid "
    "var(--rule);width:11rem}th[scope=row]+.n{text-align:left}"
    "tbody tr:nth-child(even){background:var(--stripe)}"
    "tfoot td{border-top:2px solid var(--soft);font-weight:600}"
    ".n{text-align:right;white-space:nowrap}.absent{color:var(--soft)}"
    "footer{margin-top:1rem;color:var(--soft);font-size:.85rem}footer p{margin:.2rem 0}"
    "@media print{:root{--paper:#fff;--ink:#000;--soft:#444;--rule:#bbb;--stripe:#fff}"
    "body{max-width:none;padding:0;font-size:10pt}tr{break-inside:avoid}"
    "figure{break-inside:avoid}thead{display:table-header-group}}";

static void write_head_row(struct buf *out, const struct table *table)
{
    buf_addz(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        buf_addz(out, column_is_right(&table->columns[i]) ? "<th scope=\"col\" class=\"n\">"
                                                          : "<th scope=\"col\">");
        markup_text(out, str_of(table->columns[i].label));
        buf_addz(out, "</th>");
    }
    buf_addz(out, "</tr></thead>\n");
}

static void write_cell(struct buf *out, const struct chart_page *page, size_t column,
                       size_t row)
{
    const struct column *c = &page->table->columns[column];
    if (!c->present[row]) {
        buf_addz(out, column_is_right(c) ? "<td class=\"n absent\">---</td>"
                                         : "<td class=\"absent\">---</td>");
        return;
    }
    buf_addz(out, column_is_right(c) ? "<td class=\"n\">" : "<td>");
    if (c->type == CELL_TEXT) {
        markup_text(out, c->cells[row].text);
    } else {
        struct buf number;
        buf_init(&number, 512);
        number_human(&number, page->table, column, row, page->zone);
        markup_text(out, buf_str(&number));
        buf_release(&number);
    }
    if (c->stars && c->stars[row]) {
        buf_addz(out, " *");
    }
    buf_addz(out, "</td>");
}

static void write_rows(struct buf *out, const struct chart_page *page, size_t from, size_t to)
{
    for (size_t row = from; row < to && !out->overflow; row++) {
        buf_addz(out, "<tr>");
        for (size_t i = 0; i < page->table->column_count; i++) {
            write_cell(out, page, i, row);
        }
        buf_addz(out, "</tr>\n");
    }
}

static void write_table(struct buf *out, const struct chart_page *page)
{
    const struct table *table = page->table;
    buf_addz(out, "<div class=\"wide\"><table>\n");
    if (page->header) {
        write_head_row(out, table);
    }
    const size_t rows = table->row_count - table->footer_count;
    buf_addz(out, "<tbody>\n");
    write_rows(out, page, 0, rows);
    buf_addz(out, "</tbody>");
    if (table->footer_count > 0) {
        buf_addz(out, "\n<tfoot>\n");
        write_rows(out, page, rows, table->row_count);
        buf_addz(out, "</tfoot>");
    }
    buf_addz(out, "</table></div>\n");
    if (table->row_count == 0) {
        buf_addz(out, "<p>no rows</p>\n");
    }
}

static void write_records(struct buf *out, const struct chart_page *page)
{
    const struct table *table = page->table;
    for (size_t row = 0; row < table->row_count && !out->overflow; row++) {
        buf_addz(out, "<table>\n<tbody>\n");
        for (size_t i = 0; i < table->column_count; i++) {
            if (table_has(table, i, row)) {
                buf_addz(out, "<tr><th scope=\"row\">");
                markup_text(out, str_of(table->columns[i].label));
                buf_addz(out, "</th>");
                write_cell(out, page, i, row);
                buf_addz(out, "</tr>\n");
            }
        }
        buf_addz(out, "</tbody>\n</table>\n");
    }
}

static void write_notes(struct buf *out, struct str notes)
{
    buf_addz(out, "<footer>\n");
    for (struct str rest = notes; rest.len > 0;) {
        struct str line = str_cut(&rest, '\n');
        if (line.len > 0) {
            buf_addz(out, "<p>");
            markup_text(out, line);
            buf_addz(out, "</p>\n");
        }
    }
    buf_addz(out, "</footer>\n");
}

void chart_page_write(struct buf *out, const struct chart_page *page)
{
    const char *title = page->title                         ? page->title
                        : page->chart && page->chart->title ? page->chart->title
                        : page->table->title                ? page->table->title
                                                            : "stint";
    buf_addz(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'\"/>\n<title>");
    markup_text(out, str_of(title));
    buf_addz(out, "</title>\n<style>");
    buf_addz(out, style);
    look_dark_styles(out);
    buf_addz(out, rest_style);
    buf_addz(out, "</style>\n</head>\n<body>\n<main>\n");
    if (page->chart) {
        buf_addz(out, "<figure>\n");
        chart_svg(out, page->chart);
        buf_addz(out, "</figure>\n");
    } else {
        buf_addz(out, "<h1>");
        markup_text(out, str_of(title));
        buf_addz(out, "</h1>\n");
    }
    if (page->records) {
        write_records(out, page);
    } else {
        write_table(out, page);
    }
    write_notes(out, page->notes);
    buf_addz(out, "</main>\n</body>\n</html>\n");
}
