/* SPDX-License-Identifier: MIT */
#include "view/web/model.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/limit.h"

struct entry {
    const char *name;
    struct model_value value;
    struct model *last; /* of a list */
    struct entry *next;
};

struct model {
    struct arena *arena;
    const struct model *outer;
    struct entry *entries;
    struct model *next; /* row of the list it is in */
};

struct model *model_new(struct arena *arena)
{
    struct model *model = arena_alloc(arena, sizeof *model);
    model->arena = arena;
    return model;
}

static struct entry *find_here(const struct model *model, struct str name)
{
    struct entry *entry = model->entries;
    while (entry && !str_eq(str_of(entry->name), name)) {
        entry = entry->next;
    }
    return entry;
}

static struct entry *entry_of(struct model *model, const char *name)
{
    struct entry *entry = find_here(model, str_of(name));
    if (!entry) {
        entry = arena_alloc(model->arena, sizeof *entry);
        entry->name = arena_text(model->arena, str_of(name));
        entry->next = model->entries;
        model->entries = entry;
    }
    return entry;
}

static void set(struct model *model, const char *name, struct model_value value)
{
    entry_of(model, name)->value = value;
}

void model_text(struct model *model, const char *name, struct str text)
{
    struct str copy = text.ptr ? arena_copy(model->arena, text) : STR("");
    set(model, name,
        (struct model_value){.kind = MODEL_TEXT, .flag = copy.len > 0, .text = copy});
}

void model_format(struct model *model, const char *name, const char *format, ...)
{
    struct buf text;
    va_list args;
    buf_init(&text, LIMIT_OUTPUT);
    va_start(args, format);
    buf_addv(&text, format, args);
    va_end(args);
    model_text(model, name, buf_str(&text));
    buf_release(&text);
}

void model_flag(struct model *model, const char *name, bool flag)
{
    set(model, name, (struct model_value){.kind = MODEL_FLAG, .flag = flag});
}

void model_markup(struct model *model, const char *name, struct str markup)
{
    set(model, name,
        (struct model_value){.kind = MODEL_MARKUP, .flag = markup.len > 0, .text = markup});
}

void model_list(struct model *model, const char *name)
{
    set(model, name, (struct model_value){.kind = MODEL_LIST});
}

struct model *model_add(struct model *model, const char *list)
{
    struct entry *entry = entry_of(model, list);
    struct model *row = model_new(model->arena);
    row->outer = model;
    if (entry->value.rows) {
        entry->last->next = row;
    } else {
        entry->value = (struct model_value){.kind = MODEL_LIST, .flag = true, .rows = row};
    }
    entry->last = row;
    return row;
}

bool model_find(const struct model *model, struct str name, struct model_value *out)
{
    for (; model; model = model->outer) {
        const struct entry *entry = find_here(model, name);
        if (entry) {
            *out = entry->value;
            return true;
        }
    }
    return false;
}

struct model *model_next(const struct model *row)
{
    return row->next;
}
