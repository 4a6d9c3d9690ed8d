/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Somebody who keeps a copy of all runs by the change feed alone (facts/changes.h), in a file of its own that
 * outlives the store's handle and whoever is killed.
 *
 *     follower_follow(facts, "/tmp/.../copy.duckdb");
 *
 * reads on from where it had come, applies what it learns to its copy, and fails the test unless the copy
 * then is what the store has, column by column.
 */

#include "facts/facts.h"

void follower_follow(struct facts *facts, const char *path);
