/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What all commands about a kind of the books share: adding, changing, removing, listing, importing
 * rows of it. The kind is the one the operation is named after; everything else follows from its
 * columns. Inside service/ only.
 */

#include "service/service.h"

/* What can be done with every kind, for the rows of operations. */
#define ENTRY_ACTIONS(reader)                                                                  \
    {"add", "write one down: its words, and options for the rest", ROLE_ADMIN, false, NULL},   \
        {"set",                                                                                \
         "change one: its words or its number, and options for what changes; an empty "        \
         "value takes one away",                                                               \
         ROLE_ADMIN, false, NULL},                                                             \
        {"remove", "take one out: its words or its number", ROLE_ADMIN, false, NULL},          \
        {"list", "show them; words and options pick some, and may be patterns", reader, false, \
         NULL},                                                                                \
        {"export", "the same with every column, for --format csv, json or jsonl", reader,      \
         false, NULL},                                                                         \
    {                                                                                          \
        "import",                                                                              \
            "read a FILE as export writes it (- is standard input): new ones are added, "      \
            "known ones changed, none removed",                                                \
            ROLE_ADMIN, false, "word"                                                          \
    }
#define ENTRY_ACTION_NAMES "add set remove list export import"

/* Their parameters: the action and its words. */
#define ENTRY_PARAMS(names)                                                                    \
    {.name = "action",                                                                         \
     .type = PARAM_CHOICE,                                                                     \
     .value = "ACTION",                                                                        \
     .choices = (names),                                                                       \
     .help = "what to do",                                                                     \
     .positional = true,                                                                       \
     .required = true},                                                                        \
    {                                                                                          \
        .name = "word", .type = PARAM_TEXT, .value = "WORD",                                   \
        .help = "what it is about: see above; or its number, or a file", .positional = true,   \
        .repeated = true                                                                       \
    }

/* Runs one of ENTRY_ACTIONS. */
int entries_run(struct service *service, const struct request *request, struct answer *answer,
                struct error *err) MUST_CHECK;
