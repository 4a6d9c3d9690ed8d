/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "view/chart/draw.h"
#include "view/chart/markup.h"

double axis_y(struct box plot, const struct scale *scale, double value)
{
    return plot.y + plot.height * (1 - scale_at(scale, value));
}

double axis_x(struct box plot, const struct scale *scale, double value)
{
    return plot.x + plot.width * scale_at(scale, value);
}

double axis_slot(struct box plot, size_t count, size_t index)
{
    return plot.x + plot.width * ((double)index + 0.5) / (double)(count ? count : 1);
}

void axis_range(const struct chart *chart, bool stacked, double *least, double *greatest)
{
    if (!(stacked ? chart_stacked_range : chart_range)(chart, least, greatest)) {
        *least = *greatest = 0;
    }
    chart_range_to_targets(chart, least, greatest);
}

/* Room that tick labels need beside an upright axis. */
static double axis_width(struct sheet *sheet, const struct scale *scale)
{
    double widest = 0;
    for (size_t i = 0; i < scale->count; i++) {
        widest =
            fmax(widest, markup_width(words_tick(sheet, scale, scale->ticks[i]), TEXT_SIZE));
    }
    return widest;
}

static double upright_head(const struct sheet *sheet)
{
    return sheet->fluid ? AXIS_UPRIGHT_HEAD_PAGE : AXIS_UPRIGHT_HEAD;
}

double axis_wider(const struct sheet *sheet)
{
    return fmax(1, chart_width(sheet->chart) / sheet_width_least(sheet));
}

struct box axis_upright_plot(struct sheet *sheet, const struct scale *scale, double right)
{
    const double left = axis_width(sheet, scale) + 10;
    struct box plot = sheet->body;
    const double head = upright_head(sheet);
    plot.x += left;
    plot.width -= left + right;
    plot.y += head;
    plot.height -= head;
    return plot;
}

/* "CPU hours", "Wait (logarithmic)" */
static void write_label(struct sheet *sheet, double x, double y, enum anchor anchor,
                        const char *label, const struct scale *scale)
{
    if (!label) {
        return;
    }
    buf_clear(&sheet->words);
    buf_addz(&sheet->words, label);
    buf_addz(&sheet->words, scale->logarithmic ? " (logarithmic)" : "");
    pen_text(sheet, x, y, "c-label", anchor, buf_str(&sheet->words));
}

void axis_upright(struct sheet *sheet, struct box plot, const struct scale *scale,
                  const char *label)
{
    for (size_t i = 0; i < scale->count; i++) {
        double y = axis_y(plot, scale, scale->ticks[i]);
        pen_line(sheet, plot.x, y, plot.x + plot.width, y,
                 scale->ticks[i] == 0 ? "c-base" : "c-grid");
        pen_text(sheet, plot.x - 8, y + 4, "c-tick", ANCHOR_END,
                 words_tick(sheet, scale, scale->ticks[i]));
    }
    /* Above the number of a bar that reaches the uppermost tick. */
    write_label(sheet, sheet->body.x, plot.y - (upright_head(sheet) - 16), ANCHOR_START, label,
                scale);
}

/* The class of the label with that number: every second goes where it is narrow. */
static const char *tick_class(const struct sheet *sheet, size_t number)
{
    return sheet->fluid && number % 2 ? "c-tick c-minor" : "c-tick";
}

void axis_level(struct sheet *sheet, struct box plot, const struct scale *scale,
                const char *label)
{
    const double wider = axis_wider(sheet);
    double free_from = 0;
    size_t written = 0;
    for (size_t i = 0; i < scale->count; i++) {
        double x = axis_x(plot, scale, scale->ticks[i]);
        struct str text = words_tick(sheet, scale, scale->ticks[i]);
        double half = markup_width(text, TEXT_SIZE) / 2 * wider;
        if (x - half >= free_from) {
            pen_text(sheet, x, plot.y - 8, tick_class(sheet, written++), ANCHOR_MIDDLE, text);
            free_from = x + half + 8 * wider;
        }
        pen_line(sheet, x, plot.y, x, plot.y + plot.height,
                 scale->ticks[i] == 0 ? "c-base" : "c-grid");
    }
    write_label(sheet, plot.x, plot.y - 26, ANCHOR_START, label, scale);
}

void axis_unrecorded(struct sheet *sheet, struct box plot)
{
    const struct chart *chart = sheet->chart;
    const double slot =
        plot.width / (double)(chart->category_count ? chart->category_count : 1);
    for (size_t c = 0, end; c < chart->category_count; c = end) {
        end = c + 1;
        if (!chart->categories[c].unrecorded) {
            continue;
        }
        while (end < chart->category_count && chart->categories[end].unrecorded) {
            end++;
        }
        buf_addz(sheet->out, "<g class=\"c-missing\"><title>");
        markup_text(sheet->out, chart->categories[c].name);
        if (end > c + 1) {
            buf_addz(sheet->out, " to ");
            markup_text(sheet->out, chart->categories[end - 1].name);
        }
        buf_addz(sheet->out, ": nothing is recorded</title>");
        pen_rect(sheet,
                 (struct box){plot.x + slot * (double)c, plot.y, slot * (double)(end - c),
                              plot.height},
                 NULL, " fill=\"url(#stint-absent)\"");
        pen_tip_end(sheet);
    }
}

/* A tick across one slot that can be read over any colour; nothing was there at zero. */
static void draw_earlier(struct sheet *sheet, struct box plot, const struct scale *scale,
                         size_t category, double value, bool upright)
{
    static const char *const classes[] = {"c-halo", "c-earlier"};
    const double slot = 1 / (double)sheet->chart->category_count, margin = 0.08;
    const double from = slot * ((double)category + margin);
    const double to = slot * ((double)category + 1 - margin);
    for (size_t i = 0; i < COUNT_OF(classes) && value != 0; i++) {
        if (upright) {
            const double y = axis_y(plot, scale, value);
            pen_line(sheet, plot.x + plot.width * from, y, plot.x + plot.width * to, y,
                     classes[i]);
        } else {
            const double x = axis_x(plot, scale, value);
            pen_line(sheet, x, plot.y + plot.height * from, x, plot.y + plot.height * to,
                     classes[i]);
        }
    }
}

/* Across the slots from first to last, which have one value. */
static void draw_target(struct sheet *sheet, struct box plot, const struct scale *scale,
                        size_t index, size_t first, size_t last, double value, bool upright)
{
    const double count = (double)sheet->chart->category_count;
    const double from = (double)first / count, to = (double)(last + 1) / count;
    if (upright) {
        const double y = axis_y(plot, scale, value);
        pen_line(sheet, plot.x + plot.width * from, y, plot.x + plot.width * to, y,
                 legend_dashes(sheet->chart, index));
        return;
    }
    const double x = axis_x(plot, scale, value);
    pen_line(sheet, x, plot.y + plot.height * from, x, plot.y + plot.height * to,
             legend_dashes(sheet->chart, index));
}

/* The last category of those from `first` on that have its value, without a gap. */
static size_t level_until(const struct chart *chart, size_t target, size_t first, double value)
{
    size_t last = first;
    double next;
    while (last + 1 < chart->category_count &&
           chart_target_at(chart, target, last + 1, &next) && next == value) {
        last++;
    }
    return last;
}

void axis_targets(struct sheet *sheet, struct box plot, const struct scale *scale, bool upright)
{
    const struct chart *chart = sheet->chart;
    for (size_t t = 0; t < chart->target_count; t++) {
        double value;
        for (size_t c = 0, last; c < chart->category_count; c = last + 1) {
            last = c;
            if (chart_target_at(chart, t, c, &value) && chart->targets[t].earlier) {
                draw_earlier(sheet, plot, scale, c, value, upright);
            } else if (chart_target_at(chart, t, c, &value)) {
                last = level_until(chart, t, c, value);
                draw_target(sheet, plot, scale, t, c, last, value, upright);
            }
        }
    }
}

/* --- names below a plot --- */

enum { NAME_MAX_HEIGHT = 110, NAME_ROOM = 120 };

/* Whether names stand level: all of them, or in so much room that they may be cut. */
static bool names_fit(const struct chart *chart, double width)
{
    double slot = width / (double)chart->category_count;
    if (slot >= NAME_ROOM) {
        return true;
    }
    for (size_t i = 0; i < chart->category_count; i++) {
        if (markup_width(chart->categories[i].name, TEXT_SIZE) > slot - 6) {
            return false;
        }
    }
    return true;
}

/* Names of a few letters, as hours: they stand level, every so many of them. */
enum { SHORT_NAME = 26 };

static double longest_name(const struct chart *chart)
{
    double longest = 0;
    for (size_t i = 0; i < chart->category_count; i++) {
        longest = fmax(longest, markup_width(chart->categories[i].name, TEXT_SIZE));
    }
    return longest;
}

/* The sine of the angle at which names stand that do not fit level. */
static const double slope = 0.67;

double axis_categories_height(const struct chart *chart, double width)
{
    if (chart->bucket != BUCKET_NONE || chart->category_count == 0 || names_fit(chart, width)) {
        return AXIS_FOOT;
    }
    const double longest = longest_name(chart);
    return longest <= SHORT_NAME ? AXIS_FOOT : fmin(longest, NAME_MAX_HEIGHT) * slope + 26;
}

static void write_turned(struct sheet *sheet, double x, double y, struct str name)
{
    bool cut;
    struct str shown = markup_fit(name, TEXT_SIZE, NAME_MAX_HEIGHT, &cut);
    struct buf *out = sheet->out;
    if (sheet->fluid) { /* turned around a place that is given in percent */
        buf_addz(out, "<svg class=\"c-place\" x=\"");
        markup_number(out, (x - sheet->plot.x) / sheet->plot.width * 100);
        buf_addz(out, "%\">");
        x = 0;
    }
    buf_addz(out, "<text class=\"c-name\" text-anchor=\"end\" transform=\"translate(");
    markup_number(out, x + 4);
    buf_addc(out, ' ');
    markup_number(out, y + 14);
    buf_addz(out, ")rotate(-42)\">");
    if (cut) {
        buf_addz(out, "<title>");
        markup_text(out, name);
        buf_addz(out, "</title>");
    }
    markup_text(out, shown);
    buf_addz(out, cut ? "\xe2\x80\xa6</text>" : "</text>");
    buf_addz(out, sheet->fluid ? "</svg>\n" : "\n");
}

static void write_names(struct sheet *sheet, struct box plot)
{
    const struct chart *chart = sheet->chart;
    const double wider = axis_wider(sheet);
    bool level = names_fit(chart, plot.width / wider);
    double slot = plot.width / (double)chart->category_count;
    const double longest = longest_name(chart);
    const bool some = !level && longest <= SHORT_NAME;
    size_t stride = some                          ? (size_t)ceil((longest + 6) * wider / slot)
                    : level || slot >= 14 * wider ? 1
                                                  : (size_t)ceil(14 * wider / slot);
    for (size_t i = 0; i < chart->category_count; i += stride) {
        double x = axis_slot(plot, chart->category_count, i);
        double y = plot.y + plot.height;
        if (level || some) {
            pen_text_fit(sheet, (struct spot){x, y + 18, ANCHOR_MIDDLE}, "c-name",
                         chart->categories[i].name, some ? SHORT_NAME : slot - 5);
        } else {
            write_turned(sheet, x, y, chart->categories[i].name);
        }
    }
    if (chart->across.label && (level || some)) {
        pen_text(sheet, plot.x + plot.width, plot.y + plot.height + 36, "c-label", ANCHOR_END,
                 str_of(chart->across.label));
    }
}

/* --- the calendar below a plot --- */

enum word {
    WORD_NONE,
    WORD_HOUR,
    WORD_DAY,
    WORD_DAY_MONTH,
    WORD_MONTH,
    WORD_QUARTER,
    WORD_YEAR,
    WORD_MONTH_YEAR,
    WORD_DATE
};

/*
 * Which buckets have a label, what it says, and what stands below it where that changes. From
 * many labels to few: the first row that leaves room between them is taken.
 */
static const struct calendar_rule {
    enum bucket finest, coarsest; /* buckets it is for */
    int hours; /* every so many hours of a day; 0: at midnight; -30: every 30 minutes */
    int days; /* every so many days of a month, from the first; -1: Mondays; 0: the first only */
    int months; /* every so many months of a year; 0: January only */
    int years;  /* every so many years */
    enum word label, below;
} calendar_rules[] = {
    {BUCKET_HOUR, BUCKET_HOUR, -5, 1, 1, 1, WORD_HOUR, WORD_DATE},
    {BUCKET_HOUR, BUCKET_HOUR, -10, 1, 1, 1, WORD_HOUR, WORD_DATE},
    {BUCKET_HOUR, BUCKET_HOUR, -30, 1, 1, 1, WORD_HOUR, WORD_DATE},
    {BUCKET_HOUR, BUCKET_HOUR, 1, 1, 1, 1, WORD_HOUR, WORD_DATE},
    {BUCKET_HOUR, BUCKET_HOUR, 3, 1, 1, 1, WORD_HOUR, WORD_DATE},
    {BUCKET_HOUR, BUCKET_HOUR, 6, 1, 1, 1, WORD_HOUR, WORD_DATE},
    {BUCKET_HOUR, BUCKET_HOUR, 12, 1, 1, 1, WORD_HOUR, WORD_DATE},
    {BUCKET_HOUR, BUCKET_DAY, 0, 1, 1, 1, WORD_DAY, WORD_MONTH_YEAR},
    {BUCKET_WEEK, BUCKET_WEEK, 0, 1, 1, 1, WORD_DAY_MONTH, WORD_YEAR},
    {BUCKET_HOUR, BUCKET_DAY, 0, -1, 1, 1, WORD_DAY_MONTH, WORD_YEAR},
    {BUCKET_QUARTER, BUCKET_QUARTER, 0, 0, 1, 1, WORD_QUARTER, WORD_YEAR},
    {BUCKET_HOUR, BUCKET_MONTH, 0, 0, 1, 1, WORD_MONTH, WORD_YEAR},
    {BUCKET_HOUR, BUCKET_MONTH, 0, 0, 3, 1, WORD_MONTH, WORD_YEAR},
    {BUCKET_HOUR, BUCKET_YEAR, 0, 0, 0, 1, WORD_YEAR, WORD_NONE},
    {BUCKET_HOUR, BUCKET_YEAR, 0, 0, 0, 2, WORD_YEAR, WORD_NONE},
    {BUCKET_HOUR, BUCKET_YEAR, 0, 0, 0, 5, WORD_YEAR, WORD_NONE},
    {BUCKET_HOUR, BUCKET_YEAR, 0, 0, 0, 20, WORD_YEAR, WORD_NONE},
    {BUCKET_HOUR, BUCKET_YEAR, 0, 0, 0, 100, WORD_YEAR, WORD_NONE},
};

/* Weeks do not begin with months: the first week that begins in one stands for it. */
static bool begins_month(const struct civil *start, enum bucket bucket)
{
    return bucket == BUCKET_WEEK ? start->day <= 7 : start->day == 1;
}

/*
 * Whether an hour has a label; one that begins at another minute, as moments do, only where
 * minutes have.
 */
static bool takes_hour(int hours, const struct civil *start)
{
    if (hours < 0) {
        return start->second == 0 && start->minute % -hours == 0;
    }
    return start->minute == 0 && start->second == 0 &&
           (hours ? start->hour % hours == 0 : start->hour == 0);
}

static bool rule_takes(const struct calendar_rule *rule, const struct civil *start,
                       enum bucket bucket)
{
    bool day = rule->days == 1    ? true
               : rule->days == -1 ? civil_weekday(*start) == 0
                                  : begins_month(start, bucket);
    bool month = rule->months ? (start->month - 1) % rule->months == 0 : start->month == 1;
    return takes_hour(rule->hours, start) && day && month && start->year % rule->years == 0;
}

static void add_word(struct buf *out, enum word word, const struct civil *at)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const char *month = months[(at->month + 11) % 12];
    switch (word) {
    case WORD_HOUR:
        buf_addf(out, "%02d:%02d", at->hour, at->minute);
        break;
    case WORD_DAY:
        buf_addf(out, "%d", at->day);
        break;
    case WORD_DAY_MONTH:
        buf_addf(out, "%d %s", at->day, month);
        break;
    case WORD_MONTH:
        buf_addz(out, month);
        break;
    case WORD_QUARTER:
        buf_addf(out, "Q%d", (at->month + 2) / 3);
        break;
    case WORD_YEAR:
        buf_addf(out, "%d", at->year);
        break;
    case WORD_MONTH_YEAR:
        buf_addf(out, "%s %d", month, at->year);
        break;
    case WORD_DATE:
        buf_addf(out, "%d %s %d", at->day, month, at->year);
        break;
    case WORD_NONE:
        break;
    }
}

/* Whether the rule has labels and leaves a gap between any two. */
static bool rule_fits(struct sheet *sheet, struct box plot, const struct calendar_rule *rule)
{
    const struct chart *chart = sheet->chart;
    const double wider = axis_wider(sheet);
    double free_from = -1e9;
    size_t count = 0;
    for (size_t i = 0; i < chart->category_count; i++) {
        const struct civil *start = &chart->categories[i].start;
        if (!rule_takes(rule, start, chart->bucket)) {
            continue;
        }
        buf_clear(&sheet->words);
        add_word(&sheet->words, rule->label, start);
        double half = markup_width(buf_str(&sheet->words), TEXT_SIZE) / 2 * wider;
        double x = axis_slot(plot, chart->category_count, i);
        if (x - half < free_from) {
            return false;
        }
        free_from = x + half + 6 * wider;
        count++;
    }
    return count > 0;
}

static void write_rule(struct sheet *sheet, struct box plot, const struct calendar_rule *rule)
{
    const struct chart *chart = sheet->chart;
    char before[32] = "";
    const double wider = axis_wider(sheet);
    double bottom = plot.y + plot.height, free_from = -1e9;
    size_t written = 0;
    for (size_t i = 0; i < chart->category_count; i++) {
        const struct civil *start = &chart->categories[i].start;
        if (!rule_takes(rule, start, chart->bucket)) {
            continue;
        }
        double x = axis_slot(plot, chart->category_count, i);
        buf_clear(&sheet->words);
        add_word(&sheet->words, rule->label, start);
        pen_line(sheet, x, bottom, x, bottom + 4, "c-base");
        pen_text(sheet, x, bottom + 18, tick_class(sheet, written++), ANCHOR_MIDDLE,
                 buf_str(&sheet->words));
        buf_clear(&sheet->words);
        add_word(&sheet->words, rule->below, start);
        double half = markup_width(buf_str(&sheet->words), TEXT_SIZE) / 2 * wider * 1.5;
        if (sheet->words.len < sizeof before && strcmp(sheet->words.ptr, before) != 0 &&
            x - half >= free_from) {
            memcpy(before, sheet->words.ptr, sheet->words.len + 1);
            pen_text(sheet, x, bottom + 34, "c-label", ANCHOR_MIDDLE, buf_str(&sheet->words));
            free_from = x + half + 8;
        }
    }
}

/*
 * Nothing of the calendar begins here, in a few hours of a day for instance: first and last by
 * name.
 */
static void write_first_and_last(struct sheet *sheet, struct box plot)
{
    const struct chart *chart = sheet->chart;
    size_t last = chart->category_count - 1;
    double y = plot.y + plot.height + 18;
    bool both = last > 0 && plot.width > 300;
    pen_text(sheet, axis_slot(plot, last + 1, 0), y, "c-tick",
             last > 0 ? ANCHOR_START : ANCHOR_MIDDLE, chart->categories[0].name);
    if (both) {
        pen_text(sheet, axis_slot(plot, last + 1, last), y, "c-tick", ANCHOR_END,
                 chart->categories[last].name);
    }
}

void axis_categories(struct sheet *sheet, struct box plot)
{
    const struct chart *chart = sheet->chart;
    if (chart->bucket == BUCKET_NONE) {
        write_names(sheet, plot);
        return;
    }
    for (size_t i = 0; i < sizeof calendar_rules / sizeof calendar_rules[0]; i++) {
        const struct calendar_rule *rule = &calendar_rules[i];
        if (chart->bucket >= rule->finest && chart->bucket <= rule->coarsest &&
            rule_fits(sheet, plot, rule)) {
            write_rule(sheet, plot, rule);
            return;
        }
    }
    write_first_and_last(sheet, plot);
}
