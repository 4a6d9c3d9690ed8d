/* SPDX-License-Identifier: MIT */
#include "view/plot/term_canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "view/text/cell_text.h"

/* --- text --- */

/* The text as it is shown, in a buf of the caller's. */
static void show_text(const struct sketch *sketch, struct str text, struct buf *out)
{
    buf_init(out, LIMIT_RECORD);
    cell_text_text(out, text, sketch->style.ascii);
}

/* Adds it in at most `width` columns; returns how many it took. */
static size_t add_cut(struct sketch *sketch, struct str shown, size_t width)
{
    size_t start = sketch->out->len;
    cell_text_cut(sketch->out, shown, width, sketch->style.ascii);
    return str_width((struct str){sketch->out->ptr + start, sketch->out->len - start});
}

void sketch_left(struct sketch *sketch, struct str text, size_t width)
{
    struct buf shown;
    show_text(sketch, text, &shown);
    size_t taken = add_cut(sketch, buf_str(&shown), width);
    buf_fill(sketch->out, ' ', width - taken);
    buf_release(&shown);
}

void sketch_right(struct sketch *sketch, struct str text, size_t width)
{
    struct buf shown;
    show_text(sketch, text, &shown);
    size_t columns = str_width(buf_str(&shown));
    buf_fill(sketch->out, ' ', columns < width ? width - columns : 0);
    add_cut(sketch, buf_str(&shown), width);
    buf_release(&shown);
}

void sketch_end(struct sketch *sketch)
{
    while (sketch->out->len > 0 && sketch->out->ptr[sketch->out->len - 1] == ' ') {
        sketch->out->ptr[--sketch->out->len] = '\0';
    }
    buf_addc(sketch->out, '\n');
}

size_t sketch_width(struct sketch *sketch, struct str text)
{
    struct buf shown;
    show_text(sketch, text, &shown);
    size_t width = str_width(buf_str(&shown));
    buf_release(&shown);
    return width;
}

size_t sketch_names(struct sketch *sketch, bool series, size_t most)
{
    const struct chart *chart = sketch->chart;
    size_t count = series ? chart->series_count : chart->category_count, widest = 1;
    for (size_t i = 0; i < count; i++) {
        size_t width =
            sketch_width(sketch, series ? chart->series[i].name : chart->categories[i].name);
        widest = width > widest ? width : widest;
    }
    return widest < most ? widest : most;
}

/* A minus sign is three bytes that are not ASCII. */
static struct str plain_minus(struct sketch *sketch)
{
    char *minus = sketch->style.ascii ? strstr(sketch->words.ptr, "\xe2\x88\x92") : NULL;
    if (minus) {
        minus[0] = '-';
        memmove(minus + 1, minus + 3, strlen(minus + 3) + 1);
        sketch->words.len -= 2;
    }
    return buf_str(&sketch->words);
}

struct str sketch_value(struct sketch *sketch, enum unit unit, double value)
{
    buf_clear(&sketch->words);
    scale_value(&sketch->words, unit, value);
    return plain_minus(sketch);
}

struct str sketch_tick(struct sketch *sketch, const struct scale *scale, double value)
{
    buf_clear(&sketch->words);
    scale_label(&sketch->words, scale, value);
    return plain_minus(sketch);
}

/* --- marks --- */

enum { MARKS = 8 };

static size_t mark_of(size_t series, bool others)
{
    return others ? MARKS : series % MARKS;
}

const char *sketch_fill(const struct sketch *sketch, size_t series, bool others)
{
    static const char *const blocks[] = {"█", "▒", "▚", "░", "▓", "▞", "▤", "▨", "·"};
    static const char *const letters[] = {"#", "=", "o", "-", "%", "+", "x", "*", "."};
    size_t mark = mark_of(series, others);
    return sketch->style.ascii ? letters[mark] : sketch->style.colour ? "█" : blocks[mark];
}

const char *sketch_dot(const struct sketch *sketch, size_t series, bool others)
{
    static const char *const dots[] = {"●", "■", "▲", "◆", "○", "□", "△", "◇", "·"};
    static const char *const letters[] = {"*", "o", "+", "x", "#", "@", "%", "&", "."};
    size_t mark = mark_of(series, others);
    return sketch->style.ascii ? letters[mark] : dots[mark];
}

static const char *colour_of(size_t series, bool others)
{
    static const char *const colours[] = {"34", "33", "32", "35", "36", "31", "94", "93", "37"};
    return colours[mark_of(series, others)];
}

void sketch_mark(struct sketch *sketch, const char *mark, size_t count, size_t series,
                 bool others)
{
    if (count > 0 && sketch->style.colour) {
        buf_addf(sketch->out, "\x1b[%sm", colour_of(series, others));
    }
    for (size_t i = 0; i < count; i++) {
        buf_addz(sketch->out, mark);
    }
    buf_addz(sketch->out, count > 0 && sketch->style.colour ? "\x1b[0m" : "");
}

const char *sketch_target(const struct sketch *sketch, size_t target, bool upright)
{
    static const char *const marks[2][2][CHART_TARGETS_MAX] = {
        {{"╌", "┈", "═", "~"}, {"┆", "┊", "║", "¦"}},
        {{"~", "_", "=", "^"}, {"!", ":", "]", "}"}},
    };
    return marks[sketch->style.ascii][upright][target % CHART_TARGETS_MAX];
}

void sketch_targets(struct sketch *sketch, bool upright)
{
    const struct chart *chart = sketch->chart;
    for (size_t t = 0; t < chart->target_count; t++) {
        const struct str label = str_of(chart->targets[t].label);
        const size_t width = sketch_width(sketch, label), most = sketch->style.width - 2;
        buf_addf(sketch->out, "%s ", sketch_target(sketch, t, upright));
        sketch_left(sketch, label, width < most ? width : most);
        sketch_end(sketch);
    }
}

void sketch_legend(struct sketch *sketch,
                   const char *(*mark)(const struct sketch *sketch, size_t series, bool others))
{
    const struct chart *chart = sketch->chart;
    size_t column = 0;
    for (size_t i = 0; chart_names_series(chart) && i < chart->series_count; i++) {
        const struct chart_series *series = &chart->series[i];
        size_t width = sketch_width(sketch, series->name);
        width = width < 30 ? width : 30;
        if (column > 0 && column + 2 + 2 + width > sketch->style.width) {
            sketch_end(sketch);
            column = 0;
        }
        buf_addz(sketch->out, column > 0 ? "  " : "");
        column += (column > 0 ? 2U : 0U) + 2 + width;
        sketch_mark(sketch, mark(sketch, i, series->others), 1, i, series->others);
        buf_addc(sketch->out, ' ');
        sketch_left(sketch, series->name, width);
    }
    if (column > 0) {
        sketch_end(sketch);
    }
}

/* --- canvas --- */

void canvas_init(struct canvas *canvas, size_t columns, size_t rows)
{
    size_t cells = columns * rows;
    *canvas = (struct canvas){
        .columns = columns,
        .rows = rows,
        .dots = mem_alloc(cells, 1),
        .marks = mem_alloc(cells, sizeof(const char *)),
        .series = mem_alloc(cells, 1),
    };
}

void canvas_release(struct canvas *canvas)
{
    free(canvas->dots);
    free(canvas->marks);
    free(canvas->series);
    *canvas = (struct canvas){0};
}

/* The place of a share among `count`. */
static size_t place(double share, size_t count)
{
    double at = floor(share * (double)count);
    return at < 0 ? 0 : at >= (double)count ? count - 1 : (size_t)at;
}

/* Bits of a braille character: two columns of four dots (Unicode, Braille Patterns). */
static const unsigned char braille[4][2] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

static void set_dot(struct canvas *canvas, size_t x, size_t y, size_t series)
{
    size_t cell = y / 4 * canvas->columns + x / 2;
    canvas->dots[cell] |= braille[y % 4][x % 2];
    canvas->series[cell] = (unsigned char)(series % 254 + 1);
}

void canvas_dot(struct canvas *canvas, double x, double y, size_t series)
{
    set_dot(canvas, place(x, canvas->columns * 2), place(1 - y, canvas->rows * 4), series);
}

void canvas_line(struct canvas *canvas, double x1, double y1, double x2, double y2,
                 size_t series)
{
    double width = fabs(x2 - x1) * (double)canvas->columns * 2;
    double height = fabs(y2 - y1) * (double)canvas->rows * 4;
    size_t steps = (size_t)fmin(fmax(width, height), 10000) + 1;
    for (size_t i = 0; i <= steps; i++) {
        double part = (double)i / (double)steps;
        canvas_dot(canvas, x1 + part * (x2 - x1), y1 + part * (y2 - y1), series);
    }
}

void canvas_mark(struct canvas *canvas, double x, double y, const char *mark, size_t series)
{
    size_t cell = place(1 - y, canvas->rows) * canvas->columns + place(x, canvas->columns);
    canvas->marks[cell] = mark;
    canvas->series[cell] = (unsigned char)(series % 254 + 1);
}

static void print_cell(struct sketch *sketch, const struct canvas *canvas, size_t cell)
{
    char text[4] = {0};
    size_t series = canvas->series[cell] ? canvas->series[cell] - 1U : 0;
    if (canvas->marks[cell] && !canvas->dots[cell]) { /* a target goes behind a line */
        sketch_mark(sketch, canvas->marks[cell], 1, series, false);
    } else if (canvas->dots[cell]) { /* U+2800 and the bits, as UTF-8 */
        text[0] = (char)0xe2;
        text[1] = (char)(0xa0 | canvas->dots[cell] >> 6);
        text[2] = (char)(0x80 | (canvas->dots[cell] & 0x3f));
        sketch_mark(sketch, text, 1, series, false);
    } else {
        buf_addc(sketch->out, ' ');
    }
}

/* The tick that lies in a row of characters; false if there is none. */
static bool tick_of(const struct scale *scale, const struct canvas *canvas, size_t row,
                    double *out)
{
    for (size_t i = 0; i < scale->count; i++) {
        if (place(1 - scale_at(scale, scale->ticks[i]), canvas->rows) == row) {
            *out = scale->ticks[i];
            return true;
        }
    }
    return false;
}

void canvas_print(struct sketch *sketch, const struct canvas *canvas, const struct scale *scale,
                  size_t label)
{
    for (size_t row = 0; row < canvas->rows; row++) {
        double tick;
        bool ticked = tick_of(scale, canvas, row, &tick);
        struct str text = ticked ? sketch_tick(sketch, scale, tick) : STR("");
        sketch_right(sketch, text, label);
        buf_addz(sketch->out,
                 sketch->style.ascii ? (ticked ? " +" : " |") : (ticked ? " ┤" : " │"));
        for (size_t column = 0; column < canvas->columns; column++) {
            print_cell(sketch, canvas, row * canvas->columns + column);
        }
        sketch_end(sketch);
    }
}
