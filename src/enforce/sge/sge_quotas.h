/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The resource quota sets of Grid Engine (qconf -srqs), as far as they are stint's:
 * stint_user_NAME, stint_project_NAME.
 */

#include "enforce/enforce.h"

enum { SGE_QUOTAS_NAME_MAX = 256 };

/*
 * The name of the set that holds a user or project; ERROR_INPUT if Grid Engine takes no such
 * name.
 */
int sge_quotas_name(const struct enforce_target *target, char out[SGE_QUOTAS_NAME_MAX],
                    struct error *err) MUST_CHECK;

/*
 * Adds one state for each set of stint's, with a limit of 0, or of 1 where somebody has
 * disabled it. ERROR_INPUT for an answer that is no list of sets.
 */
int sge_quotas_read(struct str text, struct enforce_states *out, struct error *err) MUST_CHECK;
