/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a page has to show, for a template to mark up: names with values. A value is text, a
 * flag, markup that our own code has written, or a list of models. A name that an inner model
 * does not have is looked up in the one around it.
 *
 *     struct arena arena = {0};
 *     struct model *page = model_new(&arena);
 *     model_text(page, "title", STR("Groups"));
 *     for (...) {
 *         struct model *row = model_add(page, "rows");
 *         model_text(row, "name", name);
 *     }
 *
 * Everything lives in the arena; text is copied, markup is borrowed.
 */

#include <stdbool.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/str.h"

enum model_kind {
    MODEL_FLAG,
    MODEL_TEXT,
    MODEL_MARKUP, /* written as it is: only for what escaped its own values, such as chart_svg */
    MODEL_LIST,
};

struct model;

struct model_value {
    enum model_kind kind;
    bool flag;          /* what {{#if}} goes by: set, not empty */
    struct str text;    /* of text and markup */
    struct model *rows; /* of a list: the first, others by model_next */
};

struct model *model_new(struct arena *arena);

/*
 * Each sets a name of this model; one that is set again has the new value. The null string is a
 * name without a value.
 */
void model_text(struct model *model, const char *name, struct str text);
void model_format(struct model *model, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);
void model_flag(struct model *model, const char *name, bool flag);
void model_markup(struct model *model, const char *name, struct str markup);

/* Begins a list without rows, which a template may then go through. */
void model_list(struct model *model, const char *name);

/* Adds a row to a list and returns it; the list is begun if it is not there. */
struct model *model_add(struct model *model, const char *list);

/* Looks a name up, here and then outwards; false if nobody has it. */
bool model_find(const struct model *model, struct str name, struct model_value *out);
struct model *model_next(const struct model *row);
