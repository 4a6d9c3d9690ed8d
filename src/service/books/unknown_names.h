/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Names in the books that no run has, and accounts that the bank does not have. Most are
 * misspelt; some are of what is yet to come, since the books may be written before the first
 * import. So they are reported, never refused. Inside service/ only.
 */

#include "books/books.h"
#include "service/core/service.h"

/*
 * A note below an answer whose first row is one of the kind, for each of its KIND_OF_RUNS
 * columns that has a name no run has and no rule for clusters gives, and for its KIND_OF_BANK
 * column, with the nearest. Nothing is said of runs while the store has none.
 */
void unknown_names_note(const struct service *service, struct books *books,
                        const struct kind *kind, struct answer *answer);
