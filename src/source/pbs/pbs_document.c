/* SPDX-License-Identifier: MIT */
#include "source/pbs/pbs_document.h"

#include <string.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/scan.h"
#include "source/common/members.h"

static size_t indent_of(struct str line)
{
    size_t i = 0;
    while (i < line.len && (line.ptr[i] == ' ' || line.ptr[i] == '\t')) {
        i++;
    }
    return i;
}

/* Takes "name": off the start of a trimmed line. */
static bool take_name(struct str *line, struct str *name)
{
    if (line->len < 3 || line->ptr[0] != '"') {
        return false;
    }
    const char *quote = memchr(line->ptr + 1, '"', line->len - 1);
    if (!quote) {
        return false;
    }
    size_t at = (size_t)(quote - line->ptr) + 1;
    *name = (struct str){line->ptr + 1, at - 2};
    at = members_blanks(*line, at);
    if (at >= line->len || line->ptr[at] != ':') {
        return false;
    }
    at = members_blanks(*line, at + 1);
    *line = (struct str){line->ptr + at, line->len - at};
    return true;
}

static bool opens(struct str value, char with)
{
    return value.len == 1 && value.ptr[0] == with;
}

static size_t count_digits(struct str text, size_t from)
{
    size_t i = from;
    while (i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9') {
        i++;
    }
    return i - from;
}

/* 1008.head, 1008[].head, 1008[7].head */
static bool is_job_id(struct str id)
{
    size_t at = count_digits(id, 0);
    if (at == 0) {
        return false;
    }
    if (at < id.len && id.ptr[at] == '[') {
        at++;
        at += count_digits(id, at);
        if (at >= id.len || id.ptr[at] != ']') {
            return false;
        }
        at++;
    }
    return at + 1 < id.len && id.ptr[at] == '.';
}

bool pbs_job_line(struct str line, struct str *id)
{
    struct str rest = str_trim(line);
    return take_name(&rest, id) && opens(rest, '{') && is_job_id(*id);
}

/* Where a text ends is where its line does; quotes in it are not always escaped. */
static bool read_value(struct str value, struct arena *arena, struct str *out)
{
    if (value.len > 0 && value.ptr[value.len - 1] == ',') {
        value = str_trim((struct str){value.ptr, value.len - 1});
    }
    if (value.len == 0 || value.ptr[0] != '"') {
        *out = value;
        return value.len > 0;
    }
    const bool ends = value.len > 1 && value.ptr[value.len - 1] == '"';
    *out = members_unescape((struct str){value.ptr + 1, value.len - 1 - ends}, arena);
    return ends;
}

/* What is known of an object while its lines are read. */
struct lines {
    size_t indent, inner; /* of its members, and of those of the group; 0: not known yet */
    struct str group;
};

/* Whether a line can be one of the object's, by its depth and what came before. */
static bool is_in_place(struct lines *lines, size_t indent)
{
    if (lines->indent == 0) {
        lines->indent = indent;
    }
    if (indent == lines->indent) {
        return true;
    }
    if (!lines->group.ptr) {
        return false;
    }
    if (lines->inner == 0) {
        lines->inner = indent;
    }
    return indent == lines->inner;
}

static bool closes(struct str line)
{
    return line.len <= 2 && (line.ptr[0] == '}' || line.ptr[0] == ']') &&
           (line.len == 1 || line.ptr[1] == ',');
}

static bool read_line(struct lines *lines, struct str line, struct arena *arena,
                      void (*each)(void *context, const struct pbs_member *member),
                      void *context)
{
    const size_t indent = indent_of(line);
    struct pbs_member member = {0};
    bool fine = true;
    line = str_trim(line);
    if (line.len == 0) {
        return true;
    }
    if (closes(line)) {
        if (indent == lines->indent) {
            *lines = (struct lines){.indent = indent};
        }
        return true;
    }
    if (indent <
        lines->indent) { /* what surrounds the object, where another document follows */
        return line.ptr[0] == '"' || opens(line, '{');
    }
    if (line.ptr[0] != '"' || !is_in_place(lines, indent)) {
        return false;
    }
    if (indent == lines->indent) {
        *lines = (struct lines){.indent = indent};
    }
    member.group = lines->group;
    if (!take_name(&line, &member.name) && !lines->group.ptr) {
        return false;
    }
    if (opens(line, '{') || opens(line, '[')) {
        member.text = line;
        if (indent == lines->indent) {
            lines->group = member.name;
        }
    } else {
        fine = read_value(line, arena, &member.text);
    }
    each(context, &member);
    return fine;
}

bool pbs_members(struct str record, struct arena *arena,
                 void (*each)(void *context, const struct pbs_member *member), void *context)
{
    struct lines lines = {0};
    bool fine = true;
    str_cut(&record, '\n');
    while (record.ptr) {
        fine &= read_line(&lines, str_cut(&record, '\n'), arena, each, context);
    }
    return fine;
}

bool pbs_entries_begin(struct pbs_entries *entries, struct str document, const char *name)
{
    *entries = (struct pbs_entries){0};
    while (document.ptr) {
        struct str line = str_trim(str_cut(&document, '\n')), found;
        if (take_name(&line, &found) && str_eq(found, str_of(name)) && line.len > 0 &&
            line.ptr[0] == '{') {
            if (opens(line, '{')) {
                entries->rest = document;
            }
            return true;
        }
    }
    return false;
}

/* The name of the entry that a line begins. */
static bool begins_entry(struct pbs_entries *entries, struct str line, struct str *name)
{
    const size_t indent = indent_of(line);
    struct str rest = str_trim(line);
    if (!take_name(&rest, name) || rest.len == 0 || rest.ptr[0] != '{' ||
        (entries->indent > 0 && indent != entries->indent)) {
        return false;
    }
    entries->indent = indent;
    return true;
}

bool pbs_entries_next(struct pbs_entries *entries, struct str *name, struct str *record)
{
    while (entries->rest.ptr) {
        const char *begin = entries->rest.ptr;
        const struct str line = str_cut(&entries->rest, '\n');
        if (!begins_entry(entries, line, name)) {
            continue;
        }
        const char *end = line.ptr + line.len;
        while (entries->rest.ptr) {
            struct str after = entries->rest, other;
            const struct str next = str_cut(&after, '\n');
            if (begins_entry(entries, next, &other)) {
                break;
            }
            end = next.ptr + next.len;
            entries->rest = after;
        }
        *record = (struct str){begin, (size_t)(end - begin)};
        return true;
    }
    return false;
}

int pbs_document_check(const struct spool *spool, struct error *err)
{
    char tail[4096];
    const size_t want = spool->size < sizeof(tail) ? (size_t)spool->size : sizeof(tail);
    const ssize_t got = pread(spool->fd, tail, want, (off_t)(spool->size - want));
    if (got < 0) {
        return error_errno(err, "cannot read the answer back");
    }
    size_t len = (size_t)got;
    while (len > 0 && (tail[len - 1] == '\n' || tail[len - 1] == '\r')) {
        len--;
    }
    return len > 1 && tail[len - 1] == '}' && tail[len - 2] == '\n'
               ? 0
               : error_set(err, ERROR_INPUT,
                           "printed no whole list: its last line is not a brace alone");
}

bool pbs_time(struct str text, const struct zone *zone, int64_t *out)
{
    struct str words[5], rest = str_trim(text);
    int64_t seconds = 0, day = 0, year = 0, clock = 0;
    if (scan_int(rest, &seconds)) {
        if (seconds <= 0 || seconds >= INSTANT_MAX / SECOND_US) {
            return false;
        }
        *out = seconds * SECOND_US;
        return true;
    }
    for (size_t i = 0; i < 5; i++) {
        rest = str_trim(rest);
        words[i] = str_cut(&rest, ' ');
    }
    if (rest.ptr || words[3].len != 8 || !scan_int(words[2], &day) || day < 1 || day > 31 ||
        !scan_int(words[4], &year) || year < CIVIL_FIRST_YEAR || year > CIVIL_LAST_YEAR ||
        !scan_duration(words[3], &clock) || clock > 86400 * SECOND_US) {
        return false;
    }
    const struct civil civil = {
        .year = (int)year,
        .month = civil_month_of(words[1]),
        .day = (int)day,
        .second = (int)(clock / SECOND_US),
    };
    if (civil.month == 0 || civil.day > civil_month_days(civil.year, civil.month)) {
        return false;
    }
    *out = zone_instant(zone, civil);
    return true;
}
