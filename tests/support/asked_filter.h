/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Filters of random questions: drawn from the fields of the catalogue with values that runs have, or do not have, and what
 * they mean for a run. Inside support/asked.c only.
 */

#include "support/asked.h"

/* A filter on any field that a report takes; the zone is that of instants. */
void asked_filter_draw(struct asked_filter *filter, struct chance *chance,
                       const struct asked_site *site, const struct zone *zone);

/* The text, or the number in its small unit, that a field or derived column of a run has; false: it is absent. */
bool asked_text_of(const struct field *field, const struct run *run, char out[ASKED_TEXT_MAX]);
bool asked_number_of(const struct field *field, const struct run *run, wide_int *out);

/* Whether one item holds for a run, its sign aside. With `node`, of one of its nodes, which may be unknown (a null string). */
bool asked_item_holds(const struct field *field, const struct asked_item *item,
                      const struct run *run, const struct str *node);
