/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Answers that a connection keeps for as long as its snapshot lasts: see facts_query_kept. Inside facts/duckdb only.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "table/table.h"

/* More than one request asks for; what comes beyond is asked anew. */
/* Of so many rows at most: what is longer takes longer to copy than planning takes. */
enum { KEPT_MAX = 128, KEPT_ROWS_MAX = 4096, KEPT_TABLES_MAX = 8, KEPT_CONTENTS_MAX = 16 };

struct kept {
    struct {
        struct buf question; /* the statement and its values */
        struct table answer;
    } rows[KEPT_MAX];

    size_t count;

    /* the temporary tables that statements may join with */
    struct kept_table {
        const char *name;
        struct buf contents[KEPT_CONTENTS_MAX]; /* what it was made of, each time another */
        size_t content_count;
        /* which of these it has; KEPT_CONTENTS_MAX and more: one that was not kept */
        size_t now;
    } tables[KEPT_TABLES_MAX];

    size_t table_count;
    size_t others; /* contents that were not kept */
    bool lost;     /* there are tables besides: nothing may be kept */
};

void kept_release(struct kept *kept); /* and it is empty again */

/*
 * A temporary table is about to be made of `content`, which is taken over. True: that is what the table has already, and nothing is
 * to be done. The name is a literal of ours. Where making it fails, what is kept is to be released.
 */
bool kept_table_is(struct kept *kept, const char *name, struct buf *content);

struct facts_value;

/* Adds a value with its type and length, so that no two lists of values look the same. */
void kept_add_value(struct buf *key, const struct facts_value *value);
