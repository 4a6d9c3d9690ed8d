/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whether a JSON document of Slurm's is whole, has the list it was asked for, and does not say
 * that it failed: an answer of slurmrestd may do so with status 200 and an empty list, which
 * would be taken for a cluster without jobs. Documents may be gigabytes; they are looked
 * through piece by piece.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

enum { SLURM_DOCUMENT_KEY = 32, SLURM_DOCUMENT_ERRORS = 4096 };

/* Zeroed it is at the beginning. */
struct slurm_document {
    size_t depth;
    bool begun, ended, in_string, escaped, key_next, in_errors, in_list, list_found, has_items;
    const char *list;             /* the list it must have, set by the caller: "jobs" */
    char key[SLURM_DOCUMENT_KEY]; /* of the uppermost object: the one read last */
    size_t key_len;
    char errors[SLURM_DOCUMENT_ERRORS]; /* the value of "errors", cut */
    size_t errors_len;
};

void slurm_document_feed(struct slurm_document *document, struct str bytes);

/*
 * After the last piece. ERROR_INPUT: not whole or without the list; ERROR_IO: it says that it
 * failed, and how.
 */
int slurm_document_end(const struct slurm_document *document, struct error *err) MUST_CHECK;
