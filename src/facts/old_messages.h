/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Log of messages that were sent, as earlier versions kept it in the facts: books/message_log.h
 * has what is sent now.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"

/* All of it: rule, user, what, when. */
int reported_of_facts(struct facts *facts, struct table *out, struct error *err) MUST_CHECK;
