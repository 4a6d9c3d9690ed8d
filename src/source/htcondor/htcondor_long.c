/* SPDX-License-Identifier: MIT */
#include "source/htcondor/htcondor_ad.h"

#include "source/common/record_text.h"

/*
 * Ads as the schedd writes them and condor_history -long prints them:
 *
 *     ClusterId = 12
 *     Owner = "ann"
 *     MemoryUsage = ((ResidentSetSize + 1023) / 1024)
 *     *** Offset = 0 ClusterId = 12 ProcId = 0 Owner = "ann" CompletionDate = 1700003600
 *
 * The line with the stars ends the ad; -long has an empty one instead. In the epoch history the
 * stars are followed by the kind of ad. And the lines with bars of APEL's scripts:
 *
 *     host#12.0#1700000000|ann|3600|3500|12|1700000000|1700003600|712944|2075028|1
 */

enum { BARS_LEAST = 10, BARS_MOST = 12 };

static bool is_stars(struct str line)
{
    return line.len >= 3 && line.ptr[0] == '*' && line.ptr[1] == '*' && line.ptr[2] == '*';
}

/* Quotes taken off; a quote inside has a backslash before it, which no other byte has. */
static struct str unquote(struct str text, struct arena *arena)
{
    text.ptr++;
    text.len -= 2;
    if (text.len == 0 || !memmem(text.ptr, text.len, "\\\"", 2)) {
        return text;
    }
    char *out = arena_alloc(arena, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\\' && i + 1 < text.len && text.ptr[i + 1] == '"') {
            i++;
        }
        out[len++] = text.ptr[i];
    }
    return (struct str){out, len};
}

static struct ad_value value_of(struct str text, struct arena *arena)
{
    if (text.len >= 2 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"') {
        return (struct ad_value){AD_TEXT, unquote(text, arena)};
    }
    if (str_eq_nocase(text, STR("true"))) {
        return (struct ad_value){AD_TRUE, text};
    }
    if (str_eq_nocase(text, STR("false"))) {
        return (struct ad_value){AD_FALSE, text};
    }
    char first = text.len > 0 ? text.ptr[0] : '(';
    bool number =
        (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.';
    return (struct ad_value){number ? AD_NUMBER : AD_EXPRESSION, text};
}

static bool read_attribute(struct ad *ad, const struct ad_format *format, struct str line,
                           struct arena *arena)
{
    struct str value = line;
    struct str name = str_trim(str_cut(&value, '='));
    if (!value.ptr || name.len == 0) {
        return false;
    }
    ad_set(ad, format, name, value_of(str_trim(value), arena));
    return true;
}

/* "*** EPOCH ClusterId=1 ... CurrentTime=1700000000": one of ours but for the transfers. */
static void read_stars(struct ad *ad, const struct ad_format *format, struct str line,
                       struct arena *arena)
{
    struct str rest = str_trim((struct str){line.ptr + 3, line.len - 3});
    struct str words = rest;
    struct str kind = str_cut(&words, ' ');
    if (kind.len == 0 || str_byte(kind, '=') || str_eq(kind, STR("Offset")) ||
        str_eq(kind, STR("ProcId")) || str_eq(kind, STR("ClusterId")) ||
        str_eq(kind, STR("JOB"))) {
        return;
    }
    ad->epoch = true;
    ad->other = !str_eq(kind, STR("EPOCH"));
    const char *at = memmem(rest.ptr, rest.len, "CurrentTime=", 12);
    if (at && ad->values[AD_EPOCH_WRITE_DATE].kind == AD_ABSENT) {
        struct str time = {at + 12, (size_t)(rest.ptr + rest.len - at) - 12};
        ad_set(ad, format, STR("EpochWriteDate"), value_of(str_cut(&time, ' '), arena));
    }
}

enum source_step ad_next_long(const struct ad_format *format, struct source_cursor *cursor,
                              struct ad *ad, struct error *err)
{
    const char *start = cursor->rest.ptr;
    uint64_t first = cursor->next_line;
    struct str bad = {0};
    bool ended = false;
    while (!ended && source_next_line(cursor)) {
        struct str line = cursor->record;
        bool blank = str_trim(line).len == 0;
        if (is_stars(line)) {
            read_stars(ad, format, line, cursor->arena);
            ended = true;
        } else if (blank) {
            ended = true;
        } else if (!read_attribute(ad, format, line, cursor->arena) && !bad.ptr) {
            bad = line;
        }
    }
    cursor->record.len = (size_t)(cursor->record.ptr + cursor->record.len - start);
    cursor->record.ptr = start;
    cursor->line = first;
    if (ad->count == 0 && !bad.ptr) {
        return SOURCE_SKIP; /* blank lines, or stars alone */
    }
    if (!ended) {
        error_set(err, ERROR_INPUT, "ends without a line of stars or an empty line");
        return SOURCE_REJECT;
    }
    if (bad.ptr) {
        error_set(err, ERROR_INPUT, "has a line that is not an attribute: '%.*s'",
                  (int)(bad.len < 40 ? bad.len : 40), bad.ptr);
        return SOURCE_REJECT;
    }
    return SOURCE_RECORD;
}

size_t ad_cut_long(struct str data)
{
    struct str whole = source_whole_lines(data);
    if (whole.len == 0 || whole.ptr[whole.len - 1] != '\n') {
        return 0;
    }
    for (size_t end = whole.len; end > 0;) {
        const char *feed = end > 1 ? memrchr(whole.ptr, '\n', end - 1) : NULL;
        size_t begin = feed ? (size_t)(feed - whole.ptr) + 1 : 0;
        struct str line = {whole.ptr + begin, end - begin};
        if (is_stars(line) || str_trim(line).len == 0) {
            return end;
        }
        end = begin;
    }
    return 0;
}

/* --- lines with bars ---------------------------------------------------------------------- */

static const enum ad_attribute bar_attributes[] = {
    AD_GLOBAL_JOB_ID,  AD_OWNER,          AD_REMOTE_WALL_CLOCK_TIME, AD_REMOTE_USER_CPU,
    AD_REMOTE_SYS_CPU, AD_JOB_START_DATE, AD_ENTERED_CURRENT_STATUS, AD_RESIDENT_SET_SIZE_RAW,
    AD_IMAGE_SIZE_RAW, AD_REQUEST_CPUS,
};

static bool is_number(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((text.ptr[i] < '0' || text.ptr[i] > '9') && text.ptr[i] != '.') {
            return false;
        }
    }
    return text.len > 0;
}

bool ad_is_bars(struct str line)
{
    int fields = 0;
    for (struct str rest = line; rest.ptr; fields++) {
        struct str field = str_cut(&rest, '|');
        bool last = !rest.ptr && fields >= BARS_LEAST; /* the factor, or nothing after a bar */
        if (fields > 1 ? !(is_number(field) || (last && field.len == 0)) : field.len == 0) {
            return false;
        }
    }
    return fields >= BARS_LEAST && fields < BARS_MOST;
}

enum source_step ad_next_bars(const struct ad_format *format, struct source_cursor *cursor,
                              struct ad *ad, struct error *err)
{
    (void)format;
    (void)source_next_line(cursor);
    struct str line = cursor->record;
    if (str_trim(line).len == 0) {
        return SOURCE_SKIP;
    }
    if (!ad_is_bars(line)) {
        error_set(err, ERROR_INPUT,
                  "does not have ten or eleven fields with eight numbers at the end");
        return SOURCE_REJECT;
    }
    for (size_t i = 0; i < COUNT_OF(bar_attributes); i++) {
        struct str text = str_cut(&line, '|');
        ad->values[bar_attributes[i]] = (struct ad_value){i < 2 ? AD_TEXT : AD_NUMBER, text};
        ad->count++;
    }
    return SOURCE_RECORD;
}
