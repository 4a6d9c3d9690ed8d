/* SPDX-License-Identifier: MIT */
#include "service/core/note.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"

static struct note *add_note(struct note_list *list)
{
    list->rows = mem_grow(list->rows, list->count, &list->room, sizeof(*list->rows));
    return &list->rows[list->count++];
}

/* A note is a line, whatever was put into it. */
static char *as_line(struct arena *arena, struct str text)
{
    char *line = arena_text(arena, text);
    for (size_t i = 0; i < text.len; i++) {
        line[i] = line[i] == '\n' || line[i] == '\r' ? ' ' : line[i];
    }
    return line;
}

void note_add(struct note_list *list, enum note_kind kind, struct str about, const char *format,
              va_list args)
{
    struct buf text;
    buf_init(&text, LIMIT_OUTPUT);
    buf_addv(&text, format, args);
    *add_note(list) = (struct note){
        .kind = kind,
        .text = as_line(&list->arena, buf_str(&text)),
        .about = about.ptr ? arena_text(&list->arena, about) : NULL,
    };
    buf_release(&text);
}

void note_append(struct note_list *to, const struct note_list *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct note *note = &from->rows[i];
        *add_note(to) = (struct note){
            .kind = note->kind,
            .text = arena_text(&to->arena, str_of(note->text)),
            .about = note->about ? arena_text(&to->arena, str_of(note->about)) : NULL,
        };
    }
}

void note_lines(struct buf *out, const struct note_list *list, unsigned kinds)
{
    for (size_t i = 0; i < list->count; i++) {
        if (kinds & NOTE_BIT(list->rows[i].kind)) {
            buf_addf(out, "%s\n", list->rows[i].text);
        }
    }
}

void note_release(struct note_list *list)
{
    free(list->rows);
    arena_release(&list->arena);
    *list = (struct note_list){0};
}
