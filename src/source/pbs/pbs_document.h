/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The documents of `qstat -F json` and `pbsnodes -F json`, read by lines. PBS prints a member a
 * line, and indents it by its depth:
 *
 *     {
 *         "timestamp":1618432467,
 *         "Jobs":{
 *             "1008.head":{
 *                 "Job_Name":"relax",
 *                 "Resource_List":{
 *                     "ncpus":5
 *                 },
 *                 "comment":"Job run at Wed Apr 14 at 23:34 on (n1:ncpus=5)"
 *             }
 *         }
 *     }
 *
 * It is not always JSON: servers up to 23.06 print what users and administrators wrote as it
 * stands, so that there are quotes, backslashes and line feeds which no reader of JSON takes,
 * numbers such as 005, keys that stand there twice, and several "Jobs" where several jobs were
 * asked for. Lines and their depth hold all the same. What a line without a member has is
 * passed over, and said.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/spool.h"
#include "base/str.h"
#include "base/zone.h"

/*
 * A member of an object; of an object or list in it, whose name is the group. An element of a
 * list has no name.
 */
struct pbs_member {
    struct str group; /* the null string: of the object itself */
    struct str name;
    struct str text; /* escapes undone; of an object or list, where it begins */
};

/* Whether a line begins a job ("1008.head":{), and its id. */
bool pbs_job_line(struct str line, struct str *id);

/*
 * Calls `each` for the members of an object that begins with the first line of `record`. False
 * if there are lines that could not be read.
 */
bool pbs_members(struct str record, struct arena *arena,
                 void (*each)(void *context, const struct pbs_member *member), void *context);

/* The objects of one list of a document, which stand at one depth. */
struct pbs_entries {
    struct str rest;
    size_t indent;
};

/*
 * Finds the list of this name ("nodes"); an empty one has no entries. False if it is not there.
 */
bool pbs_entries_begin(struct pbs_entries *entries, struct str document, const char *name);
bool pbs_entries_next(struct pbs_entries *entries, struct str *name, struct str *record);

/* Checks that the document in a spool has its last line, a brace alone: ERROR_INPUT. */
int pbs_document_check(const struct spool *spool, struct error *err) MUST_CHECK;

/*
 * "Wed Apr 14 23:34:17 2021", as ctime() writes it, or seconds since 1970; `zone` NULL is UTC.
 */
bool pbs_time(struct str text, const struct zone *zone, int64_t *out);
