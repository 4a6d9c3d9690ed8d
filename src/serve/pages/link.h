/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Where things lie: everything that has a name on a page is a link to the page of that name.
 * Inside serve/pages.
 */

#include "base/buf.h"
#include "base/str.h"
#include "service/core/service.h"

/*
 * Adds the address of the page about a value of a column; false if no page is about that
 * column. A node or partition is that of the cluster, if one is given.
 */
bool link_of_value(struct buf *out, const char *prefix, struct str cluster, const char *column,
                   struct str value);

/* Adds the address of a request: "/api/v1/report.csv?measure=cpu_hours&by=group". */
void link_of_request(struct buf *out, const char *base, const struct request *request);

/*
 * Adds the address of the page that answers a request, which asks only; false: none, since it
 * changes something or works with files of the machine. `base` is what all pages begin with.
 */
bool link_of_page(struct buf *out, const char *base, const struct request *request);

/* Adds the command line that asks the same: "stint report cpu_hours --by group". */
void link_command(struct buf *out, const struct request *request);

/*
 * Adds a pattern that matches this name and, where it has a comma or begins with !, what
 * differs from it in that byte.
 */
void link_pattern(struct buf *out, struct str name);
