/* SPDX-License-Identifier: MIT */
#include "source/common/record_text.h"

#include "base/limit.h"

struct str source_utf8(struct str bytes, struct arena *arena, bool *recoded)
{
    *recoded = !str_is_utf8(bytes);
    if (!*recoded) {
        return bytes;
    }
    char *text = arena_alloc(arena, 2 * bytes.len);
    size_t len = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        if (byte < 0x80) {
            text[len++] = (char)byte;
        } else {
            text[len++] = (char)(0xc0 | byte >> 6);
            text[len++] = (char)(0x80 | (byte & 0x3f));
        }
    }
    return (struct str){text, len};
}

int source_check_texts(const struct run *run, struct error *err)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].type == FIELD_TEXT && run_has(run, i)) {
            struct str text;
            memcpy(&text, (const char *)run + run_fields[i].offset, sizeof(text));
            if (text.len > LIMIT_TEXT_FIELD) {
                return error_set(err, ERROR_LIMIT, "has a %s of more than %d KiB",
                                 run_fields[i].id, LIMIT_TEXT_FIELD >> 10);
            }
        }
    }
    return 0;
}

int source_check_record(struct str record, struct error *err)
{
    if (record.len > LIMIT_RECORD) {
        return error_set(err, ERROR_LIMIT, "is longer than %d KiB", LIMIT_RECORD >> 10);
    }
    return str_byte(record, '\0') ? error_set(err, ERROR_INPUT, "holds a NUL byte") : 0;
}

int source_check_line(const struct source_cursor *cursor, struct error *err)
{
    return source_line_is_whole(cursor)
               ? source_check_record(cursor->record, err)
               : error_set(err, ERROR_INPUT,
                           "has no line end: perhaps it is still being written");
}

struct str source_whole_lines(struct str head)
{
    const char *feed = head.len > 0 ? memrchr(head.ptr, '\n', head.len) : NULL;
    return feed ? (struct str){head.ptr, (size_t)(feed - head.ptr) + 1} : head;
}

bool source_recode_texts(struct run *run, struct arena *arena)
{
    bool any = false;
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].type == FIELD_TEXT && run_has(run, i)) {
            struct str text;
            bool recoded = false;
            char *at = (char *)run + run_fields[i].offset;
            memcpy(&text, at, sizeof(text));
            text = source_utf8(text, arena, &recoded);
            memcpy(at, &text, sizeof(text));
            any |= recoded;
        }
    }
    return any;
}

uint64_t source_count_lines(struct str text)
{
    uint64_t lines = 0;
    const char *end = text.ptr + text.len;
    for (const char *at = text.ptr;
         at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
        lines++;
    }
    return lines;
}
