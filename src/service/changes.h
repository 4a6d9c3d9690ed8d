/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whether an action of an operation changes something: what only an admin may does, and so do verbs that others may use on what
 * is theirs. What changes something is posted, with the word of a form where a browser sends it.
 */

#include "service/service.h"

bool changes_action(const struct operation_action *action);
