/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Roles by rule: [access RULE] of stint.conf gives users, and members of groups, a role, rights
 * beyond it, and what they manage. Rules only add: a user has the rights of all that apply and
 * those that the books say (stint user), and manages everything that one of them says. Groups
 * are those that the machine, a trusted proxy or a provider of log-ins reports.
 */

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "config/config.h"
#include "service/core/caller.h"

/*
 * Adds to a caller what the rules give them; `config` may be NULL. Text is the config's and the
 * arena's.
 */
void grant_apply(const struct config *config, struct str name, const struct str *groups,
                 size_t group_count, struct arena *arena, struct caller *caller);

/* Whether some rule is about the group: others need not be remembered. */
bool grant_knows(const struct config *config, struct str group);

/* Names of a list with commas or blanks between, in the arena. */
const struct str *grant_names(struct str list, struct arena *arena, size_t *count);

/* Whether the rules make sense together with their roles; ERROR_USAGE says which does not. */
int grant_check(const struct config *config, struct error *err) MUST_CHECK;

/*
 * Names of the Unix groups of a user of this machine, in the arena; none for a user it does not
 * have.
 */
const struct str *grant_unix_groups(unsigned uid, struct arena *arena, size_t *count);
