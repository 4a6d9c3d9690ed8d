/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Rows of a batch that may be records of the same run. Inside facts/ only.
 *
 * A hash of each row's identity is kept while the row goes by. Nearly always no two are the
 * same, and the engine need not group millions of rows to learn so; where some are, it looks at
 * these alone.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/run.h"

struct duplicate {
    uint64_t hash; /* of the identity */
    int64_t line;  /* where the record stands: the way back to the row */
};

/* The rows that one thread saw. */
struct duplicate_list {
    struct duplicate *rows;
    size_t count, room;
    struct duplicate_list *next; /* of another thread */
};

/* Notes rows whose identity is made of `keys`, of which there are `key_count`. */
void duplicate_note(struct duplicate_list *list, const struct run *runs, size_t count,
                    const enum run_field *keys, size_t key_count);

/*
 * The lines of all rows whose hash another row has, too, in no order; *count is how many. The
 * caller frees them. The lists are empty afterwards.
 */
int64_t *duplicate_lines(struct duplicate_list *lists, size_t *count);

/* Frees a chain of lists that were made with mem_alloc. */
void duplicate_free(struct duplicate_list *lists);
