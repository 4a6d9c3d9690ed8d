/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Answers that a connection keeps for as long as its snapshot lasts: see facts_query_kept.
 * Inside facts/duckdb only.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "table/table.h"

/* More than one request asks for; what comes beyond is asked again. */
/* Of so many rows at most: what is longer takes longer to copy than planning takes. */
enum {
    QUERY_CACHE_MAX = 128,
    QUERY_CACHE_ROWS_MAX = 4096,
    QUERY_CACHE_TABLES_MAX = 8,
    QUERY_CACHE_CONTENTS_MAX = 16
};

struct query_cache {
    struct {
        struct buf question; /* the statement and its values */
        struct table answer;
    } rows[QUERY_CACHE_MAX];

    size_t count;

    /* the temporary tables that statements may join with */
    struct query_cache_table {
        const char *name;
        /* what it was made of, each time another */
        struct buf contents[QUERY_CACHE_CONTENTS_MAX];
        size_t content_count;
        /* which of these it has; QUERY_CACHE_CONTENTS_MAX and more: one that was not kept */
        size_t now;
    } tables[QUERY_CACHE_TABLES_MAX];

    size_t table_count;
    size_t others; /* contents that were not kept */
    bool lost;     /* there are tables besides: nothing may be kept */
};

void query_cache_release(struct query_cache *kept); /* and it is empty again */

/*
 * A temporary table is about to be made of `content`, which is taken over. True: that is what
 * the table has already, and nothing is to be done. The name is a literal of ours. Where making
 * it fails, what is kept is to be released.
 */
bool query_cache_table_is(struct query_cache *kept, const char *name, struct buf *content);

struct facts_value;

/* Adds a value with its type and length, so that no two lists of values look the same. */
void query_cache_add_value(struct buf *key, const struct facts_value *value);
