/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What is new about allotments, for those who list it and those who send it. Inside service/
 * only.
 */

#include "service/bank/bank_people.h"

enum { NOTICE_WHAT_MAX = 32 };

struct notice {
    const struct ledger_account *account;
    const struct ledger_allotment *allotment;
    char what[NOTICE_WHAT_MAX]; /* "90 %", "30 days" */
    /*
     * a stronger one of its sort is due or was sent: it is no news, and counts as sent with
     * that one
     */
    bool covered;
    struct bank_addresses to;
    size_t got; /* how many of these have it */
};

struct notices {
    struct notice *rows;
    size_t count, room;
    struct arena arena;
};

/*
 * Sends what is new, a message to each address with all that is for it, unless it got one
 * today. What was sent is recorded message by message, so that a call which fails half way
 * repeats none.
 */
int bank_notices_send(struct bank *bank, struct notices *notices) MUST_CHECK;
