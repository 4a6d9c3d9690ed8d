/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Counters in the texts that the kernel prints. What there is of them are rows of tables
 * (sampler/groups.c, sampler/ counters.c), each naming a file, where in its text the number
 * stands, and the field of the sample (record/sample.h) that it is.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "record/sample.h"

/* Where the number stands. */
enum counter_form {
    COUNTER_WHOLE, /* the text is the number; no key */
    /* key "cpu 1 2": of lines whose first word is cpu, words 1 and 2 after it, added up */
    COUNTER_WORDS,
    /*
     * key "some total": of lines whose first word is some, what follows total=; key "rbytes":
     * of all lines
     */
    COUNTER_PAIRS,
    COUNTER_NAMED, /* key "Read": of lines "8:0 Read 4096", the number */
    COUNTER_DISKS, /* /proc/diskstats: key "3" is that number of whole disks, added up */
    /*
     * /proc/PID/mountstats: key "5" is that number of the line "bytes:", of each file system
     * once, wherever it is mounted
     */
    COUNTER_MOUNTS,
    COUNTER_LINKS, /* /proc/net/dev: key "1" is that number of network cards, added up */
};

struct counter {
    const char *where; /* a controller of control groups, or NULL */
    const char *file;
    enum counter_form form;
    const char *key;
    enum sample_field field;
    int64_t times, by; /* the value is the number * times / by */

    enum {
        COUNTER_SUM,
        COUNTER_MOST,
        COUNTER_WRAPS
    } join; /* how several files, or rows, of a field go together */
};

/* The number, scaled; false if the text has none, or one beyond what is believed. */
bool counter_read(const struct counter *counter, struct str text, int64_t *out);

/* Adds a value to what the sample has of the field. */
void counter_join(const struct counter *counter, int64_t value, struct sample *sample);
