/* SPDX-License-Identifier: MIT */
#include "serve/pages/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/civil.h"
#include "report/catalog.h"
#include "view/number.h"

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void words_instant(struct buf *out, const struct zone *zone, int64_t instant, int64_t now)
{
    const struct civil then = zone_civil(zone, instant), today = zone_civil(zone, now);
    const int64_t days = civil_days(today.year, today.month, today.day) -
                         civil_days(then.year, then.month, then.day);
    if (days == 0 || days == 1) {
        buf_addf(out, "%s %02d:%02d", days ? "yesterday" : "today", then.hour, then.minute);
        return;
    }
    buf_addf(out, "%d %s", then.day, months[then.month - 1]);
    if (then.year != today.year) {
        buf_addf(out, " %d", then.year);
    }
    buf_addf(out, ", %02d:%02d", then.hour, then.minute);
}

void words_span(struct buf *out, int64_t us)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};

    int64_t seconds = (us < 0 ? -us : us) / SECOND_US;
    size_t first = 0;
    /* below a whole unit; the second unit is rounded down, as clocks show it */
    while (first + 1 < COUNT_OF(units) && seconds < units[first].seconds) {
        first++;
    }
    buf_addf(out, "%lld %s", (long long)(seconds / units[first].seconds), units[first].name);
    seconds %= units[first].seconds;
    if (first + 2 < COUNT_OF(units) && seconds >= units[first + 1].seconds) {
        buf_addf(out, " %lld %s", (long long)(seconds / units[first + 1].seconds),
                 units[first + 1].name);
    }
}

/* Thousands apart by commas. */
static void add_whole(struct buf *out, double amount)
{
    char digits[40];
    const int count = snprintf(digits, sizeof(digits), "%.0f", fabs(amount));
    buf_addz(out, amount < 0 && digits[0] != '0' ? "-" : "");
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            buf_addc(out, ',');
        }
        buf_addc(out, digits[i]);
    }
}

void words_amount(struct buf *out, double amount)
{
    static const struct {
        double from;
        const char *name;
    } large[] = {{1e9, "G"}, {1e6, "M"}};

    for (size_t i = 0; i < COUNT_OF(large); i++) {
        if (fabs(amount) >= large[i].from) {
            buf_addf(out, "%.3g %s", amount / large[i].from, large[i].name);
            return;
        }
    }
    if (fabs(amount) < 10 && amount != round(amount)) {
        buf_addf(out, fabs(amount) < 0.05 ? "%.2g" : "%.1f", amount);
    } else {
        add_whole(out, amount);
    }
}

void words_bytes(struct buf *out, double bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t i = 0;
    while (fabs(bytes) >= 1024 && i + 1 < COUNT_OF(names)) {
        bytes /= 1024;
        i++;
    }
    buf_addf(out, fabs(bytes) < 10 && bytes != round(bytes) ? "%.1f %s" : "%.0f %s", bytes,
             names[i]);
}

void words_cell(struct buf *out, const struct table *table, size_t column, size_t row,
                const struct zone *zone, int64_t now)
{
    const struct column *c = &table->columns[column];
    if (!c->present[row]) {
        return;
    }
    if (c->type == CELL_TEXT) {
        buf_add(out, c->names && c->names[row].ptr ? c->names[row] : c->cells[row].text);
        return;
    }
    const double value = table_real(table, column, row);
    if (c->unit == UNIT_INSTANT) {
        words_instant(out, zone, (int64_t)table_wide(table, column, row), now);
    } else if (c->unit == UNIT_SECONDS) {
        buf_addz(out, value < 0 ? "-" : "");
        words_span(out, (int64_t)value);
    } else if (c->unit == UNIT_HOURS) {
        words_amount(out, value / (double)HOUR_US);
    } else if (c->unit == UNIT_SU) {
        add_whole(out, value / 1e6);
    } else if (c->unit == UNIT_BYTES) {
        words_bytes(out, value);
    } else if (c->unit == UNIT_COUNT) {
        words_amount(out, value);
    } else {
        number_human(out, table, column, row, zone);
    }
}

/* "10s" as "10 s", "256M" as "256 MiB". */
static void add_edge(struct buf *out, struct str edge)
{
    static const struct {
        char letter;
        const char *unit;
    } units[] = {{'s', "s"},   {'m', "min"}, {'h', "h"},  {'d', "d"},
                 {'M', "MiB"}, {'G', "GiB"}, {'T', "TiB"}};

    const char last = edge.len > 0 ? edge.ptr[edge.len - 1] : '\0';
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        if (units[i].letter == last) {
            buf_add(out, (struct str){edge.ptr, edge.len - 1});
            buf_addf(out, " %s", units[i].unit);
            return;
        }
    }
    buf_add(out, edge);
}

void words_bin(struct buf *out, struct str bin)
{
    const struct str more = STR(" and more"), comma = STR(", ");
    const char *at = memmem(bin.ptr, bin.len, comma.ptr, comma.len);
    const bool open = str_ends(bin, more);
    if (open) {
        add_edge(out, (struct str){bin.ptr, bin.len - more.len});
        buf_add(out, more);
    } else if (bin.len > 2 && bin.ptr[0] == '[' && bin.ptr[bin.len - 1] == ')' && at) {
        const struct str low = {bin.ptr + 1, (size_t)(at - bin.ptr) - 1};
        const bool least = low.len > 0 && low.ptr[0] == '0';
        buf_addz(out, least ? "under " : "");
        if (!least) {
            add_edge(out, low);
            buf_addz(out, " to ");
        }
        at += comma.len;
        add_edge(out, (struct str){at, (size_t)(bin.ptr + bin.len - 1 - at)});
    } else {
        buf_add(out, bin);
    }
}

/* --- notes --- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * How much of the text has the form: 9 is a digit, other bytes stand for themselves; 0: it has
 * not.
 */
static size_t has_form(struct str text, const char *form)
{
    size_t i = 0;
    for (; form[i]; i++) {
        if (i == text.len ||
            (form[i] == '9' ? !is_digit(text.ptr[i]) : text.ptr[i] != form[i])) {
            return 0;
        }
    }
    return i;
}

static struct str after(struct str text, size_t length)
{
    return (struct str){text.ptr + length, text.len - length};
}

static size_t instant_length(struct str text)
{
    static const char *const zones[] = {"+99:99", "-99:99", "Z"};
    size_t length = has_form(text, "9999-99-99T99:99:99");
    length = length ? length : has_form(text, "9999-99-99 99:99:99");
    if (length == 0) { /* a day */
        length = has_form(text, "9999-99-99");
        const bool ends = length == text.len || strchr(" ,;)", text.ptr[length]);
        return ends ? length : 0;
    }
    for (size_t i = 0; length > 0 && i < COUNT_OF(zones); i++) {
        const size_t more = has_form(after(text, length), zones[i]);
        if (more > 0) {
            return length + more;
        }
    }
    return length;
}

/* "12 Nov" of the beginning of a day. */
static bool add_instant(struct buf *out, struct str text, const struct zone *zone, int64_t now)
{
    struct period span;
    struct error ignored;
    if (calendar_span(text, zone, now, &span, &ignored) != 0) {
        return false;
    }
    const struct civil then = zone_civil(zone, span.from), today = zone_civil(zone, now);
    if (then.hour != 0 || then.minute != 0 || then.second != 0) {
        words_instant(out, zone, span.from, now);
        return true;
    }
    buf_addf(out, "%d %s", then.day, months[then.month - 1]);
    if (then.year != today.year) {
        buf_addf(out, " %d", then.year);
    }
    return true;
}

/* D-HH:MM:SS or HH:MM:SS, with any number of digits for the first part. */
static size_t span_length(struct str text, int64_t *seconds)
{
    int64_t first = 0, days = 0;
    size_t i = 0;
    const size_t digits_max = 6;
    for (; i < text.len && i < digits_max && is_digit(text.ptr[i]); i++) {
        first = first * 10 + (text.ptr[i] - '0');
    }
    if (i > 0 && i < text.len && text.ptr[i] == '-' && has_form(after(text, i), "-99:99:99")) {
        days = first;
        first = (text.ptr[i + 1] - '0') * 10 + (text.ptr[i + 2] - '0');
        i += 3;
    }
    if (i < 2 || !has_form(after(text, i), ":99:99")) {
        return 0;
    }
    const char *at = text.ptr + i;
    *seconds = days * 86400 + first * 3600 + ((at[1] - '0') * 10 + (at[2] - '0')) * 60 +
               (at[4] - '0') * 10 + (at[5] - '0');
    return i + 6;
}

/* The length of a measure's id that the text begins with, and what people call it; 0: none. */
static size_t measure_length(struct str text, const char **label)
{
    size_t i = 0;
    bool apart = false;
    while (i < text.len && ((text.ptr[i] >= 'a' && text.ptr[i] <= 'z') || text.ptr[i] == '_' ||
                            is_digit(text.ptr[i]))) {
        apart = apart || text.ptr[i] == '_';
        i++;
    }
    /* what is one word is said as it stands */
    const struct measure *measure = apart ? measure_find((struct str){text.ptr, i}) : NULL;
    *label = measure ? measure->label : NULL;
    return measure ? i : 0;
}

/* Whether a word begins behind what is there: "mem_peak" is none within "x.mem_peak". */
static bool begins_word(const struct buf *out)
{
    return out->len == 0 || strchr(" (;\n", out->ptr[out->len - 1]);
}

static void add_clause(struct buf *out, struct str text, const struct zone *zone, int64_t now)
{
    while (text.len > 0) {
        const bool begins =
            is_digit(text.ptr[0]) &&
            (out->len == 0 || !memchr("0123456789,.:-", out->ptr[out->len - 1], 14));
        const size_t moment = begins ? instant_length(text) : 0;
        int64_t seconds = 0;
        const size_t span = begins && moment == 0 ? span_length(text, &seconds) : 0;
        const char *label = NULL;
        const size_t measure = begins_word(out) ? measure_length(text, &label) : 0;
        size_t taken = 1;
        if (measure > 0) {
            buf_addz(out, label);
            taken = measure;
        } else if (moment > 0 && add_instant(out, (struct str){text.ptr, moment}, zone, now)) {
            taken = moment;
        } else if (span > 0) {
            words_span(out, seconds * SECOND_US);
            taken = span;
        } else {
            buf_addc(out, text.ptr[0]);
        }
        text = after(text, taken);
        /* the zone is that of the site everywhere */
        const char *const name = zone_name(zone);
        const size_t length = strlen(name);
        if (moment > 0 && text.len > length + 2 && text.ptr[0] == ' ' && text.ptr[1] == '(' &&
            memcmp(text.ptr + 2, name, length) == 0 && text.ptr[length + 2] == ')') {
            text = after(text, length + 3);
        }
    }
}

/* Where a clause begins to speak to a terminal; its length: it does not. */
static size_t command_at(struct str clause)
{
    static const char *const marks[] = {": stint ", "with stint ", " --"};
    size_t first = clause.len;
    for (size_t i = 0; i < COUNT_OF(marks); i++) {
        const struct str mark = str_of(marks[i]);
        const char *at = memmem(clause.ptr, clause.len, mark.ptr, mark.len);
        /* "---" is what is not recorded */
        const bool absent =
            at && str_starts(after(clause, (size_t)(at - clause.ptr)), STR(" ---"));
        if (at && !absent && (size_t)(at - clause.ptr) < first) {
            first = (size_t)(at - clause.ptr);
        }
    }
    return first;
}

/*
 * How much of a clause is kept that tells at `command` what to type: the sentence before it, or
 * what "did you mean it?" asks. "see them all with: stint measures" says nothing else.
 */
static size_t sentence_before(struct str clause, size_t command)
{
    const struct str with = STR(" with");
    for (size_t i = command; i > 1; i--) {
        const char end = clause.ptr[i - 2];
        if (clause.ptr[i - 1] == ' ' && (end == '?' || end == '.')) {
            return i - 1;
        }
    }
    const bool bare =
        str_ends((struct str){clause.ptr, command}, with) || !memchr(clause.ptr, ' ', command);
    return clause.ptr[command] == ':' && !bare ? command : 0;
}

void words_note(struct buf *out, struct str note, const struct zone *zone, int64_t now)
{
    const struct str semicolon = STR("; ");
    size_t kept = 0;
    if (str_starts(note, STR("---: "))) {
        note = after(note, 5);
    }
    while (note.len > 0) {
        const char *at = memmem(note.ptr, note.len, semicolon.ptr, semicolon.len);
        struct str clause = note;
        clause.len = at ? (size_t)(at - note.ptr) : note.len;
        note = after(note, clause.len + (at ? semicolon.len : 0));
        const size_t command = command_at(clause);
        clause.len = command < clause.len ? sentence_before(clause, command) : clause.len;
        if (clause.len > 0) {
            buf_addz(out, kept++ > 0 ? "; " : "");
            add_clause(out, clause, zone, now);
        }
    }
}
