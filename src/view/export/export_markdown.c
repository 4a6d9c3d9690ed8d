/* SPDX-License-Identifier: MIT */
#include "view/export/formats.h"
#include "view/export/line_format.h"

/*
 * A table of GitHub Flavored Markdown (section 4.10 of its specification). A row is a line, so
 * line breaks become <br>; characters that would make links, emphasis, code or HTML of a job's
 * name are escaped.
 */

static bool is_word(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z');
}

/* An underscore inside a word is harmless, and names are full of them. */
static const char *replacement(char byte, char before)
{
    switch (byte) {
    case '|':
        return "\\|";
    case '\\':
        return "\\\\";
    case '`':
        return "\\`";
    case '*':
        return "\\*";
    case '~':
        return "\\~";
    case '<':
        return "\\<";
    case '>':
        return "\\>";
    case '&':
        return "\\&";
    case '[':
        return "\\[";
    case ']':
        return "\\]";
    case '_':
        return is_word(before) ? NULL : "\\_";
    case '\n':
        return "<br>";
    case '\r':
        return "";
    default:
        return NULL;
    }
}

static void markdown_text(struct buf *out, struct str text)
{
    line_format_escape(out, text, replacement);
}

static void markdown_rule(struct buf *out, const struct table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        bool right = column->type != CELL_TEXT && column->unit != UNIT_INSTANT;
        buf_addz(out, right ? "| ---: " : "| --- ");
    }
    buf_addz(out, "|\n");
}

static const struct line_format markdown_format = {
    .start = "| ",
    .between = " | ",
    .end = " |\n",
    .human = true,
    .text = markdown_text,
    .after_header = markdown_rule,
};

void markdown_begin(struct buf *out, const struct table *columns,
                    const struct export_style *style)
{
    line_format_begin(out, columns, style, &markdown_format);
}

void markdown_rows(struct buf *out, const struct table *rows, const struct export_style *style,
                   bool first)
{
    (void)first;
    line_format_rows(out, rows, style, &markdown_format);
}
