/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For test_oddities: where an odd shape of a record is to be seen, and what has to become of it there.
 *
 * An oddity is a shape that has broken somebody's reader. It is seen in a fixture of our own, in any
 * case, and in the files of $STINT_DATA it was found in, where that folder is. `key` says which entry
 * of $STINT_DATA/oddities.json it is: see oddity_key.
 */

#include "unit/source/peer.h"

/* What a record says, by field: times in seconds, flags by name, NULL is absent. */
struct owner_set {
    int record;     /* from 1, in the order of the file; refused ones count */
    const char *id; /* of the field; "refused": it was, and why contains the value */
    const char *value;
};

/* A list of these ends with an empty one, as one of told. */
struct sighting {
    const char *driver;  /* NULL: see TESTED */
    const char *file;    /* of tests/fixtures/oddities, or ODD_DATA of $STINT_DATA */
    const char *pick;    /* only lines that contain this; NULL: the whole file */
    const char *columns; /* of a file without a header, or NULL */
    const char *zone;    /* or NULL */
    int records, rejects;
    const struct owner_set *told;
};

struct oddity {
    const char *name; /* what is right, as a claim */
    uint64_t key;
    const char *later; /* the part of stint it has to wait for; NULL: it is checked */
    const struct sighting *seen;
};

#define ODD_DATA   "$STINT_DATA/"
#define ODD_SAMPLE "$sample" /* the sample of the entry itself, as the only line */

#define TOLD(...)                                                                              \
    (const struct owner_set[])                                                                 \
    {                                                                                          \
        __VA_ARGS__,                                                                           \
        {                                                                                      \
            0, NULL, NULL                                                                      \
        }                                                                                      \
    }

/* Where it is no record of a driver: the test that checks it, by its source under tests/ and its name. */
#define TESTED(source, name)                                                                   \
    {                                                                                          \
        .file = (source), .pick = (name)                                                       \
    }

#define SEEN(...)                                                                              \
    (const struct sighting[])                                                                  \
    {                                                                                          \
        __VA_ARGS__,                                                                           \
        {                                                                                      \
            .file = NULL                                                                       \
        }                                                                                      \
    }
