/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Kinds of the books whose rows belong to somebody (a column with KIND_OWNER): who adds a row
 * owns it. Others do not see it, unless its KIND_SHARE column names a role that they have;
 * nobody changes what is another's, but for admins, who see all. What somebody does not see is
 * as if it did not exist. Inside service/.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "books/books.h"
#include "service/core/caller.h"

/*
 * Leaves the rows that the caller sees, or, for a change, those that are the caller's to
 * change.
 */
void owned_rows_keep(const struct caller *caller, struct books_rows *rows, bool to_change);

/*
 * Puts the caller as the owner of a row that is about to be added. Of kinds where a row needs
 * no owner, those that an admin adds have none. ERROR_USAGE: the request names an owner, which
 * is not for it to say.
 */
int owned_rows_take(const struct caller *caller, const struct kind *kind, bool adding,
                    struct str *cells, struct error *err) MUST_CHECK;
