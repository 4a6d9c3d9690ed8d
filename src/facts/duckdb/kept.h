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
enum { KEPT_MAX = 64, KEPT_ROWS_MAX = 4096 };

struct kept {
    struct {
        struct buf question; /* the statement and its values */
        struct table answer;
    } rows[KEPT_MAX];

    size_t count;
};

void kept_release(struct kept *kept); /* and it is empty again */
