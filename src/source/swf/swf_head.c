/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/zone.h"
#include "source/common/record_text.h"
#include "source/swf/swf_row.h"

/*
 * What the comments before the rows say:
 *
 *     ; UnixStartTime: 1027839845
 *     ; TimeZoneString: Europe/Stockholm
 *     ; StartTime: Sun Jul 28 09:04:05 CEST 2002
 *     ; Queue: 1 batch, up to a day
 *     ; Partition: 2 ALL
 *
 * Times of rows count from UnixStartTime; from StartTime if that is all there is. A file
 * without either may have instants for times, which their size says. Else nobody can say when
 * its jobs ran.
 */

enum { NAMES_MOST = 1024 };

#define INSTANT_LEAST_S 100000000 /* 1973: what is less counts from somewhere */

/* "; Label: value" of one line; the null string if it is another label. */
static struct str value_of(struct str line, const char *label)
{
    line = str_trim(line);
    while (line.len > 0 && line.ptr[0] == ';') {
        line.ptr++;
        line.len--;
    }
    struct str value = str_trim(line);
    struct str name = str_trim(str_cut(&value, ':'));
    return value.ptr && str_eq_nocase(name, str_of(label)) ? str_trim(value) : (struct str){0};
}

static struct str find_value(struct str head, const char *label)
{
    while (head.ptr) {
        struct str line = str_cut(&head, '\n');
        struct str value =
            line.len > 0 && line.ptr[0] == ';' ? value_of(line, label) : (struct str){0};
        if (value.len > 0) {
            return value;
        }
    }
    return (struct str){0};
}

static struct str take_word(struct str *rest)
{
    *rest = str_trim(*rest);
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != ' ' && rest->ptr[len] != '\t') {
        len++;
    }
    struct str word = {rest->ptr, len};
    rest->ptr += len;
    rest->len -= len;
    return word;
}

/* All "; Queue: 1 name, of more words". */
static void read_names(struct str head, const char *label, struct arena *arena,
                       struct swf_names *out)
{
    out->list = arena_alloc(arena, NAMES_MOST * sizeof(*out->list));
    while (head.ptr && out->count < NAMES_MOST) {
        struct str line = str_cut(&head, '\n');
        struct str value =
            line.len > 0 && line.ptr[0] == ';' ? value_of(line, label) : (struct str){0};
        struct str rest = value;
        int64_t number = 0;
        if (value.len > 0 && scan_int(take_word(&rest), &number)) {
            bool recoded = false;
            struct str word = take_word(&rest);
            struct str name = source_utf8(str_cut(&word, ','), arena, &recoded);
            if (name.len > 0) {
                out->list[out->count++] = (struct swf_name){number, arena_copy(arena, name)};
            }
        }
    }
}

/*
 * "Sun Jul 28 09:04:05 CEST 2002": what the clock on the wall showed; the zone's letters are
 * unsure.
 */
static bool scan_start(struct str text, struct civil *out)
{
    int64_t day = 0;
    int64_t year = 0;
    int64_t clock_us = 0;
    (void)take_word(&text);
    int month = civil_month_of(take_word(&text));
    bool good = month > 0 && scan_int(take_word(&text), &day) &&
                scan_duration(take_word(&text), &clock_us) && clock_us < DAY_US;
    struct str word = take_word(&text);
    good = good && (scan_int(word, &year) || scan_int(take_word(&text), &year));
    if (!good || day < 1 || day > 31 || year < 1970 || year > 2200) {
        return false;
    }
    int seconds = (int)(clock_us / SECOND_US);
    *out = (struct civil){.year = (int)year,
                          .month = month,
                          .day = (int)day,
                          .hour = seconds / 3600,
                          .minute = seconds / 60 % 60,
                          .second = seconds % 60};
    return true;
}

/* In the zone the head names, else by its offset, else in the caller's, else UTC. */
static int64_t place(struct civil civil, struct str head, const struct source_options *options,
                     struct arena *arena)
{
    struct str name = find_value(head, "TimeZoneString");
    struct zone *zone = NULL;
    struct error ignored;
    int64_t offset_s = 0;
    if (name.len > 0 && zone_open(arena_text(arena, name), &zone, &ignored) == 0) {
        int64_t instant = zone_instant(zone, civil);
        zone_close(zone);
        return instant;
    }
    if (scan_int(find_value(head, "TimeZone"), &offset_s) && offset_s > -86400 &&
        offset_s < 86400) {
        return zone_instant(NULL, civil) - offset_s * SECOND_US;
    }
    return zone_instant(options->zone, civil);
}

/* Whether the first row's submission is an instant by itself. */
static bool has_instants(struct str head)
{
    while (head.ptr) {
        struct str line = str_cut(&head, '\n');
        struct swf_row row;
        enum swf_column bad;
        if (swf_row_read(line, &row, &bad)) {
            return row.micro[SWF_SUBMIT] >= INSTANT_LEAST_S * SECOND_US;
        }
    }
    return false;
}

static bool find_origin(struct str head, const struct source_options *options,
                        struct arena *arena, int64_t *origin)
{
    int64_t seconds = 0;
    struct civil civil;
    struct str start = find_value(head, "UnixStartTime");
    if (scan_int(start, &seconds) && seconds >= 0 && seconds < INSTANT_MAX / SECOND_US) {
        *origin = seconds * SECOND_US;
        return true;
    }
    start = find_value(head, "StartTime");
    if (start.len > 0 && scan_start(start, &civil)) {
        *origin = place(civil, head, options, arena);
        return true;
    }
    *origin = 0;
    return has_instants(head);
}

int swf_format_read(struct str head, const struct source_options *options,
                    struct swf_format **format, struct error *err)
{
    struct swf_format *out = mem_alloc(1, sizeof(*out));
    if (!find_origin(head, options, &out->arena, &out->origin)) {
        swf_format_free(out);
        return error_set(
            err, ERROR_INPUT,
            "the dates of its jobs are unknown: insert a line '; UnixStartTime: SECONDS' "
            "before the first row, with the time that its times are relative to");
    }
    read_names(head, "Queue", &out->arena, &out->queues);
    read_names(head, "Partition", &out->arena, &out->partitions);
    *format = out;
    return 0;
}

void swf_format_free(void *format)
{
    struct swf_format *held = format;
    if (held) {
        arena_release(&held->arena);
        free(held);
    }
}
