/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What sources report about the owners of jobs besides their login (record/owner.h): a row per
 * login and cluster.
 *
 * Of two records of the same login the one that was reported later stays, of two at once the
 * greater in the order of bytes: so the order in which they come does not matter. Telling the
 * same again changes nothing.
 */

#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "record/owner.h"

/* Takes what was reported, each login of a cluster once. Inside a transaction of the caller. */
int owners_put(struct facts *facts, const struct owner *owners, size_t count,
               struct error *err) MUST_CHECK;

/* Columns of the table below. */
enum { OWNERS_CLUSTER, OWNERS_LOGIN, OWNERS_NAME, OWNERS_EMAIL };

/* All of them, by login and cluster, into an empty table. */
int owners_list(struct facts *facts, struct table *out, struct error *err) MUST_CHECK;
