/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reads values out of untrusted text. Each function reads *all* of `text` (trailing characters
 * are an error), returns true and stores the value, or returns false and stores nothing. No
 * locale, no errno, no overflow: a number that does not fit is not a number.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

bool scan_int(struct str text, int64_t *out); /* [-+]digits */

/*
 * A decimal number times 10^scale as an exact integer, rounded half away from zero at the
 * scale: "60.05" at scale 6 is 60050000. Accepts exponents ("1.5e+06"), as some schedulers
 * print them; "nan" and "inf" are not numbers. `scale` is 0 to 18.
 */
bool scan_decimal(struct str text, int scale, int64_t *out);

/*
 * A size in bytes: "4096", "4G", "1.5t", "200M", "16 MiB", "4gb". Letters k m g t p e count
 * 1024 each, upper or lower; `plain` is the unit of a number without a letter (1, 1024, ...).
 * Rounded to a whole byte; never negative.
 */
bool scan_size(struct str text, int64_t plain, int64_t *out);

/*
 * A length of time in microseconds, in any spelling of the field: "3600", "3600.5" (seconds),
 * "90s" "15m" "15min" "2h" "7d" "4w" and sums of these ("1h30m"), "HH:MM:SS", "MM:SS",
 * "D-HH:MM:SS", "D-HH", "D-HH:MM", "D:HH:MM:SS", fractions of a second. Never negative; in the
 * forms with colons only the first number may exceed its clock ("90:00" is an hour and a half,
 * "1:90:00" nothing).
 */
bool scan_duration(struct str text, int64_t *out_us);
