/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The steps to the present schema of the facts, sql/facts/schema/NNN-name.sql; each runs in its
 * own transaction.
 */

#include "base/migration.h"

extern const struct migration migrations[];
extern const size_t migrations_count;
