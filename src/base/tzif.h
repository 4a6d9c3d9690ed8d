/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The changes of a zone's clock, decoded from the bytes of a TZif file (RFC 8536, versions 1 to
 * 3). The bytes are not trusted.
 *
 * The rule at a file's end is spelled out for 400 years, after which the calendar, and so the
 * rule, repeats: looking up an offset is then the same search everywhere.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/posix_zone.h"
#include "base/str.h"

/* Seconds in 400 years of the Gregorian calendar. */
#define TZIF_CYCLE_S INT64_C(12622780800)

struct tzif {
    int32_t before_s; /* seconds east of UTC before the first change */
    size_t count;
    int64_t *at_s;     /* `count` changes, ascending, in seconds since 1970 UTC */
    int32_t *offset_s; /* seconds east of UTC from each on */
    bool repeats;      /* the last TZIF_CYCLE_S seconds come again for ever */
};

/* Decodes; the caller releases. ERROR_INPUT says what is wrong, without naming the file. */
int tzif_decode(struct str bytes, struct tzif *out, struct error *err) MUST_CHECK;

/* A zone of a rule alone. */
void tzif_of_rule(const struct posix_zone *rule, struct tzif *out);

void tzif_release(struct tzif *tzif); /* accepts a zeroed one */

/*
 * Index of the change in force at a moment, or SIZE_MAX before the first; not beyond the table.
 */
size_t tzif_find(const struct tzif *tzif, int64_t moment_s);
