/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What engines say differently, as words. A statement says `@wide(sum(cpus))` and the engine's
 * table says what that is:
 *
 *     {"wide", "($1)::HUGEINT"}
 *
 * $1, $2, ... are the arguments, $* all of them as they stand. An argument that holds a `?` is
 * used once and in its place, since values are bound by position. The words that exist are
 * those of DIALECT_WORDS, and an engine has a row for each.
 */

#include <stddef.h>

/* X(name, arguments, meaning); 0 arguments: any number */
#define DIALECT_WORDS(X)                                                                       \
    X(wide, 1, "an integer of 128 bits, for sums of resource x time")                          \
    X(long, 1, "an integer of 64 bits")                                                        \
    X(real, 1, "a double")                                                                     \
    X(text, 1, "a text")                                                                       \
    X(unknown_wide, 0, "an absent wide integer")                                               \
    X(unknown_real, 0, "an absent double")                                                     \
    X(divide, 2, "integers, rounded towards zero")                                             \
    X(part, 4,                                                                                 \
      "of integer $1, cut into $2 parts, those from $3 up to $4: all of them add up to it")    \
    X(slot, 3, "which stretch of width $3, counted from instant $2, instant $1 lies in")       \
    X(asof, 3, "joins table $1 as $2 on the last of its rows by which instant $3 is reached")  \
    X(glob, 2, "whether a text matches a pattern of * ? [abc] and \\")                         \
    X(begins, 2, "whether a text begins with another")                                         \
    X(quantile, 2, "the value that share $2 of all are no larger than; one of the values")     \
    X(latest, 2, "the value of $1 where $2 is largest")                                        \
    X(same, 2, "equal, or both absent")                                                        \
    X(differs, 2, "neither equal nor both absent")                                             \
    X(each, 2, "a row for each integer from $1 up to, without, $2")                            \
    X(items, 1, "a row for each item of a list with commas; an absent one for an absent list") \
    X(hosts, 1,                                                                                \
      "the names of a list of nodes (base/hostlist.h), with commas; absent if it is none")     \
    X(host_cpus, 1, "the cpus of each of these, with commas; absent if the list does not say") \
    X(has_host, 2, "whether list of nodes $1 can be read and has the name $2")                 \
    X(begin_end, 2, "two rows: $1, then $2")                                                   \
    X(magnitude, 1, "the whole part of the logarithm to base 2")                               \
    X(row, 1, "what tells one row of runs, as $1, from another")                               \
    X(run_id, 1, "the name of a run (record/run_id.h) whose cluster at import is $1")          \
    X(plain, 1, "what an escaped piece of such a name stands for")                             \
    X(exclude, 0, "after *: all columns but these")                                            \
    X(replace, 0, "after *: these in the place of columns of the same name")                   \
    X(sums_of, 1, "the sum of each column whose name matches the expression $1")               \
    X(by_name, 0, "after UNION ALL: columns are matched by name, missing ones are absent")

enum dialect_word {

#define X(name, arguments, meaning) DIALECT_##name,
    DIALECT_WORDS(X)
#undef X
        DIALECT_WORD_COUNT
};

/* Types of columns. */
enum dialect_type { TYPE_TEXT, TYPE_INTEGER, TYPE_WIDE, TYPE_REAL, DIALECT_TYPE_COUNT };

struct dialect {
    const char *engine;
    const char *types[DIALECT_TYPE_COUNT];
    const char *templates[DIALECT_WORD_COUNT];
};

/* That of the engine which is linked. */
const struct dialect *dialect_of_engine(void);
