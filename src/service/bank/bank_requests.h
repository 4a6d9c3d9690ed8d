/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Requests for allotments, for those who decide about them and those who are told. Inside
 * service/ only.
 */

#include "bank/requests.h"
#include "service/bank/bank.h"

/* "2026-12-31": the day of an instant in the bank's calendar. */
const char *requests_day(const struct bank *bank, int64_t instant);

/*
 * stint request messages: shows who is to be told what, and with --apply sends it, once each.
 */
int requests_tell(struct bank *bank) MUST_CHECK;
