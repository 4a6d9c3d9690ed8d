/* SPDX-License-Identifier: MIT */
#include "base/limit.h"
#include "base/mem.h"
#include "source/common/members.h"
#include "source/common/record_text.h"
#include "source/nomad/nomad_record.h"

#include <stdlib.h>

/*
 * Neither shape is held as a whole: here only the borders of jobs and allocations are found, by
 * counting braces outside texts, and jansson reads one of them at a time. In a snapshot a job
 * does not say which namespace it is of; that is the cursor's context, and slices end where a
 * namespace does.
 */

enum { SURE = 100, LIKELY = 90, EMPTY = 10 };

enum piece {
    PIECE_BETWEEN,   /* blanks, commas, what opens and closes lists */
    PIECE_NAMESPACE, /* "name": [ */
    PIECE_CLOSE,     /* ] after the last job of a namespace */
    PIECE_RECORD,
    PIECE_WRONG, /* something else, to the end of its line */
    PIECE_UNFINISHED,
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static enum piece take_line(struct str data, size_t *len)
{
    const char *feed = str_byte(data, '\n');
    *len = feed ? (size_t)(feed - data.ptr) + 1 : data.len;
    return PIECE_WRONG;
}

static enum piece take_record(struct str data, size_t *len)
{
    *len = members_length(data);
    return *len > 0 ? PIECE_RECORD : PIECE_UNFINISHED;
}

/* "name": [; *name is with its quotes. */
static enum piece take_namespace(struct str data, struct str *name, size_t *len)
{
    const size_t end = members_string_end(data, 0);
    const size_t colon = end ? members_blanks(data, end) : data.len;
    const size_t open = colon < data.len ? members_blanks(data, colon + 1) : data.len;
    if (open >= data.len) {
        return PIECE_UNFINISHED;
    }
    if (data.ptr[colon] != ':' || data.ptr[open] != '[') {
        return take_line(data, len);
    }
    *name = (struct str){data.ptr, end};
    *len = open + 1;
    return PIECE_NAMESPACE;
}

static enum piece take_between(struct str data, const char *marks, size_t *len)
{
    size_t i = 0;
    while (i < data.len &&
           (is_blank(data.ptr[i]) || (data.ptr[i] != '\0' && strchr(marks, data.ptr[i])))) {
        i++;
    }
    *len = i;
    return PIECE_BETWEEN;
}

/* What comes first in `data`, which is not empty; `inside` says that a namespace is open. */
static enum piece next_piece(const struct nomad_format *format, struct str data, bool inside,
                             struct str *name, size_t *len)
{
    const char first = data.ptr[0];
    if (is_blank(first) || first == ',') {
        return take_between(data, ",", len);
    }
    if (!format->snapshot) {
        return first == '{'                   ? take_record(data, len)
               : first == '[' || first == ']' ? take_between(data, ",[]", len)
                                              : take_line(data, len);
    }
    if (inside) {
        *len = 1;
        return first == '{'   ? take_record(data, len)
               : first == ']' ? PIECE_CLOSE
                              : take_line(data, len);
    }
    *len = 1;
    return first == '"'                   ? take_namespace(data, name, len)
           : first == '{' || first == '}' ? PIECE_BETWEEN
                                          : take_line(data, len);
}

static size_t nomad_cut(const void *data, struct str text, bool last)
{
    (void)last;
    const struct nomad_format *format = data;
    bool inside = false;
    size_t cut = 0;
    for (size_t at = 0; at < text.len;) {
        struct str name;
        size_t len = 0;
        const enum piece piece =
            next_piece(format, (struct str){text.ptr + at, text.len - at}, inside, &name, &len);
        if (piece == PIECE_UNFINISHED ||
            (piece == PIECE_WRONG && text.ptr[at + len - 1] != '\n')) {
            break;
        }
        inside = piece == PIECE_NAMESPACE || (inside && piece != PIECE_CLOSE);
        at += len;
        cut = inside ? cut : at;
    }
    return cut;
}

static bool nomad_skip(const void *data, uint64_t *state, struct str text, size_t *used)
{
    (void)data;
    return members_skip(state, text, false, used);
}

/* --- reading ------------------------------------------------------------------------------ */

static void advance(struct source_cursor *cursor, size_t len)
{
    cursor->record = (struct str){cursor->rest.ptr, len};
    cursor->line = cursor->next_line;
    cursor->next_line += source_count_lines(cursor->record);
    cursor->rest.ptr += len;
    cursor->rest.len -= len;
}

static enum source_step read_record(const struct nomad_format *format,
                                    struct source_cursor *cursor, struct run *run,
                                    struct error *err)
{
    json_error_t why;
    bool recoded;
    const struct str text = source_utf8(cursor->record, cursor->arena, &recoded);
    json_t *record = json_loadb(text.ptr, text.len, 0, &why);
    if (!record) {
        error_set(err, ERROR_INPUT, "is not JSON: %s", why.text);
        return SOURCE_REJECT;
    }
    const int failed = format->snapshot
                           ? nomad_snapshot_run(record, format, cursor, run, err)
                           : nomad_allocation_run(record, format, cursor, run, err);
    json_decref(record);
    return failed ? SOURCE_REJECT : SOURCE_RECORD;
}

static enum source_step open_namespace(struct source_cursor *cursor, struct str quoted,
                                       struct error *err)
{
    json_t *name = json_loadb(quoted.ptr, quoted.len, JSON_DECODE_ANY, NULL);
    cursor->context = STR("?"); /* its jobs belong to nobody, rather than to the document */
    if (!json_is_string(name) || json_string_length(name) == 0) {
        json_decref(name);
        error_set(err, ERROR_INPUT, "is not the name of a namespace");
        return SOURCE_REJECT;
    }
    cursor->context = arena_copy(
        cursor->arena, (struct str){json_string_value(name), json_string_length(name)});
    json_decref(name);
    return SOURCE_SKIP;
}

static enum source_step nomad_next(const void *data, struct source_cursor *cursor,
                                   struct run *run, struct error *err)
{
    const struct nomad_format *format = data;
    struct str name = {0};
    size_t len = 0;
    if (cursor->rest.len == 0) {
        return SOURCE_END;
    }
    const enum piece piece =
        next_piece(format, cursor->rest, cursor->context.ptr != NULL, &name, &len);
    advance(cursor, piece == PIECE_UNFINISHED ? cursor->rest.len : len);
    switch (piece) {
    case PIECE_BETWEEN:
        return SOURCE_SKIP;
    case PIECE_NAMESPACE:
        return open_namespace(cursor, name, err);
    case PIECE_CLOSE:
        cursor->context = (struct str){0};
        return SOURCE_SKIP;
    case PIECE_RECORD:
        return read_record(format, cursor, run, err);
    case PIECE_WRONG:
        error_set(err, ERROR_INPUT, "is neither a job nor a list of jobs");
        return SOURCE_REJECT;
    case PIECE_UNFINISHED:
        break;
    }
    error_set(err, ERROR_INPUT, "is JSON without an end");
    return SOURCE_REJECT;
}

/* --- what a file is ----------------------------------------------------------------------- */

static bool contains(struct str text, const char *word)
{
    return memmem(text.ptr, text.len, word, strlen(word)) != NULL;
}

/* Whether an object begins with "name": [, as snapshots do, or is empty. */
static bool is_snapshot(struct str head)
{
    const size_t brace = members_blanks(head, 0);
    if (brace == head.len || head.ptr[brace] != '{') {
        return false;
    }
    const size_t first = members_blanks(head, brace + 1);
    if (first == head.len || head.ptr[first] == '}') {
        return true;
    }
    struct str name;
    size_t len;
    return head.ptr[first] == '"' &&
           take_namespace((struct str){head.ptr + first, head.len - first}, &name, &len) ==
               PIECE_NAMESPACE;
}

/* Whether a document is nothing but namespaces without jobs. */
static bool is_empty_snapshot(struct str head)
{
    static const struct nomad_format format = {.snapshot = true};
    bool inside = false;
    struct str name;
    size_t len = 0;
    for (size_t at = 0; at < head.len; at += len) {
        const enum piece piece = next_piece(&format, (struct str){head.ptr + at, head.len - at},
                                            inside, &name, &len);
        if (piece != PIECE_BETWEEN && piece != PIECE_NAMESPACE && piece != PIECE_CLOSE) {
            return false;
        }
        inside = piece == PIECE_NAMESPACE || (inside && piece != PIECE_CLOSE);
    }
    return !inside;
}

static int nomad_recognise(struct str head)
{
    const size_t first = members_blanks(head, 0);
    if (first == head.len || (head.ptr[first] != '{' && head.ptr[first] != '[')) {
        return 0;
    }
    if (is_snapshot(head)) {
        return contains(head, "\"job_ID\"") && contains(head, "\"alloc_ID\"")      ? SURE
               : contains(head, "\"job_ID\"") && contains(head, "\"submit_time\"") ? LIKELY
               : is_empty_snapshot(head)                                           ? EMPTY
                                                                                   : 0;
    }
    return contains(head, "\"ClientStatus\"") && contains(head, "\"JobID\"") ? SURE
           : str_eq(str_trim(head), STR("[]"))                               ? EMPTY
                                                                             : 0;
}

/* What the members are called where nobody says otherwise. */
static const char *const owner_keys[OWNER_PARTS] = {
    [OWNER_LOGIN] = "owner",
    [OWNER_NAME] = "owner_name",
    [OWNER_EMAIL] = "owner_email",
};

static int nomad_open(struct str head, const struct source_options *options, void **out,
                      struct error *err)
{
    struct nomad_format *format = mem_alloc(1, sizeof(*format));
    format->zone = options->zone;
    format->seen = options->seen;
    format->snapshot = is_snapshot(head);
    for (size_t i = 0; i < OWNER_PARTS; i++) {
        format->owner_keys[i] =
            options->owner_keys[i].len > 0 ? options->owner_keys[i] : str_of(owner_keys[i]);
    }
    *out = format;
    if (!format->snapshot && format->seen == 0 &&
        !nomad_time_of_name(options->path, &format->seen)) {
        format->seen = 0;
    }
    if (format->snapshot && !nomad_time_of_name(options->path, &format->listed)) {
        free(format);
        *out = NULL;
        return error_set(err, ERROR_INPUT,
                         "the time of the snapshot '%.*s' is unknown: the file name must be "
                         "its time in UTC, such as 2025-02-01T10:00:00.json",
                         STR_ARG(options->path));
    }
    return 0;
}

static int64_t nomad_listed(const void *data, struct str tail)
{
    const struct nomad_format *format = data;
    const bool whole = !tail.ptr || str_ends(str_trim(tail), STR("}"));
    return whole ? format->listed : 0;
}

const struct source_driver nomad_driver = {
    .name = "nomad",
    .summary = "Nomad: snapshots of jobs, or allocations of its HTTP API",
    .version = 3,
    .owner_keys = owner_keys,
    .recognise = nomad_recognise,
    .open = nomad_open,
    .close = free,
    .cut = nomad_cut,
    .skip = nomad_skip,
    .next = nomad_next,
    .listed = nomad_listed,
};
