/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A store for each test of a program, called `toy`:
 *
 *     suite_test_with(&suite, "name", function, open_toy, close_toy, NULL);
 */

#include "unit/ingest/toy_store.h"

static struct toy toy;

/* The folder alone, without a store. */
static inline int make_toy(void **state)
{
    (void)state;
    toy_make(&toy);
    return 0;
}

static inline int open_toy(void **state)
{
    (void)state;
    toy_open(&toy);
    return 0;
}

static inline int close_toy(void **state)
{
    (void)state;
    toy_close(&toy);
    return 0;
}
