/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Roll-ups after an import or a pull. What was taken is safe already, so that a failure is only
 * worth a note: reports go by the runs themselves until it works.
 *
 * Their days are those of the site: of the zone that stint.conf names ([site] zone), else of
 * the one the store keeps with its roll-ups, else of the system's. --zone is not asked: on an
 * import it is the zone of times in the file, and on a report that of one reader.
 */

#include <stdint.h>

#include "service/core/service.h"

/* Opens the site's zone; the caller closes it. */
int rollup_update_zone(const struct service *service, struct facts *facts, struct zone **out,
                       struct error *err) MUST_CHECK;

/* Brings them up to date after `changed` runs were written, or notes how to. */
void rollup_update_follow(const struct service *service, int64_t changed,
                          struct answer *answer);
