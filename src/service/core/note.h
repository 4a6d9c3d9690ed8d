/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What is said about an answer beside its numbers. A note has a kind, by which views choose, so
 * that nobody needs to read its text; a sentence; and, where there is one, the name of what it
 * is about.
 */

#include <stdarg.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"

enum note_kind {
    NOTE_PERIOD,   /* what time the answer is about, and as of when; pictures have it above */
    NOTE_MOMENT,   /* at what moment it was so */
    NOTE_EXTENT,   /* which part of the period is covered, and known gaps; about: the cluster */
    NOTE_COVERAGE, /* how much is known of what a number needs; about: the measure or cluster */
    NOTE_PARTIAL,  /* what a star means; pictures say it in their own way */
    NOTE_TARGET,   /* what was to be reached; about: the target */
    NOTE_READING,  /* what the numbers mean */
    NOTE_LAYOUT,   /* how to read answer->shown: below it, and below nothing else */
    NOTE_EMPTY,    /* why there is nothing */
    NOTE_MORE,     /* what was left out for length */
    NOTE_REJECTED, /* what could not be taken; about: the file or cluster it came from */
    NOTE_WARNING,  /* what may not be as it was meant */
    NOTE_RESULT,   /* what was done, and what to do next */
    NOTE_STALE,    /* that it is older than it should be; about: the cluster */
    NOTE_SCOPE,    /* whose runs it is about, where the caller may not see all */
    NOTE_ESTIMATE, /* what is in no number since nobody knows it, and how much it may be */
    NOTE_KINDS,
};

#define NOTE_BIT(kind) (1u << (kind))
#define NOTE_ALL       (~0u)

struct note {
    enum note_kind kind;
    const char *text;  /* a line */
    const char *about; /* or NULL */
};

/* A zeroed struct is an empty list. */
struct note_list {
    struct note *rows;
    size_t count, room;
    struct arena arena;
};

/* Adds one; `about` may be the null string. All text is copied; line breaks become blanks. */
void note_add(struct note_list *list, enum note_kind kind, struct str about, const char *format,
              va_list args) PRINTF_LIKE(4, 0);

/* Adds those of `from` to `to`. */
void note_append(struct note_list *to, const struct note_list *from);

/* Adds the texts of those kinds, a line each, in the order they were made. */
void note_lines(struct buf *out, const struct note_list *list, unsigned kinds);

void note_release(struct note_list *list);
