/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What all commands about a kind of the books share: adding, changing, removing, listing,
 * importing rows of it. The kind is the one the operation is named after; everything else
 * follows from its columns. Inside service/ only.
 */

#include "service/core/service.h"

/* What can be done with every kind, for the rows of operations. */
#define ENTRY_ACTIONS(reader, writer)                                                          \
    {"add", "add one: the words that identify it, and options for the rest", writer,           \
     ACTION_CHANGES, NULL},                                                                    \
        {"set",                                                                                \
         "change one: its words or its number, and the options to change; an empty value "     \
         "deletes a value",                                                                    \
         writer, ACTION_CHANGES, NULL},                                                        \
        {"remove", "remove one: its words or its number", writer, ACTION_CHANGES, NULL},       \
        {"list", "list them; words and options select some, and may be patterns", reader, 0,   \
         NULL},                                                                                \
        {"export", "the same with every column, for --format csv, json or jsonl", reader, 0,   \
         NULL},                                                                                \
    {                                                                                          \
        "import",                                                                              \
            "read a FILE written by export (- is standard input): new entries are added, "     \
            "existing ones updated, none removed",                                             \
            writer, ACTION_CHANGES, "word"                                                     \
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
        .help = "the words that identify an entry, see above; or its number, or a file",       \
        .positional = true, .repeated = true                                                   \
    }

/* Runs one of ENTRY_ACTIONS. */
int kind_actions_run(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err) MUST_CHECK;
