/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The metagroups that a caller manages, as stretches of time of users, accounts and groups:
 * what of the runs they may see. A metagroup has those in it with it. Dates of memberships are
 * those of the site, whatever calendar is asked for.
 */

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "record/scope.h"
#include "service/core/service.h"

/*
 * Adds them to the scope of the service's caller, in the arena. For service_call, while the
 * service has its books.
 */
int caller_scope_add(const struct service *service, struct arena *arena, struct scope *scope,
                     struct error *err) MUST_CHECK;
