/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What charging remembers in the books: how far it has read the changes of runs, its rounds,
 * the zone of its days.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/zone.h"
#include "books/books.h"
#include "facts/changes.h"

/* A number by its key; 0 if the key is unknown. */
int charging_get_number(struct books *books, const char *key, int64_t *out,
                        struct error *err) MUST_CHECK;
int charging_put_number(struct books *books, const char *key, int64_t value,
                        struct error *err) MUST_CHECK;

/* How far the changes of runs were read; *read: whether they ever were. */
int charging_get_position(struct books *books, struct changes_position *out, bool *read,
                          struct error *err) MUST_CHECK;
int charging_put_position(struct books *books, const struct changes_position *position,
                          struct error *err) MUST_CHECK;

/*
 * Whether the facts have the change that was read last. Books of before there were digests have
 * none: what they say is then believed, if there are that many changes.
 */
int charging_is_known_to(struct facts *facts, const struct changes_position *position,
                         bool *known, struct error *err) MUST_CHECK;

/* The zone of the bank's days; where it has none yet, it begins with the site's. */
int charging_open_zone(struct books *books, const struct zone *site, struct zone **out,
                       struct error *err) MUST_CHECK;
