/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Requests for allotments. Somebody asks for an amount for an account; it is decided once:
 * approved, declined, or withdrawn by them. What is approved names the entry of the ledger that
 * was posted for it. Neither a request nor a decision is ever edited.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "books/books.h"

enum request_state {
    REQUEST_OPEN,
    REQUEST_APPROVED,
    REQUEST_DECLINED,
    REQUEST_WITHDRAWN,
    REQUEST_STATES
};

const char *request_state_name(enum request_state state);

struct bank_request {
    int64_t id;
    struct str account; /* there may be none of that name yet */
    int64_t amount;
    int64_t from, to; /* INSTANT_MAX: without an end */
    int64_t renews;   /* the allotment that it is to follow; 0: none */
    int64_t at;
    struct str who, why;

    struct bank_decision {
        enum request_state state;
        int64_t amount, entry; /* of what is approved */
        int64_t at;
        struct str who, why; /* why: the null string: not said */
    } decision;
};

struct bank_requests {
    struct bank_request *rows; /* in the order they were made */
    size_t count;
    struct arena arena;
};

/* One, or with 0 all. `out` is released also when it fails. */
int bank_requests_read(struct books *books, int64_t id, struct bank_requests *out,
                       struct error *err) MUST_CHECK;
void bank_requests_release(struct bank_requests *requests);

/*
 * Adds one, of which id and decision do not count, and sets its id. Inside a transaction of the
 * caller.
 */
int bank_request_add(struct books *books, struct bank_request *request,
                     struct error *err) MUST_CHECK;

/* Records what was decided. Inside the transaction that posts what is approved. */
int bank_request_decide(struct books *books, int64_t id, const struct bank_decision *decision,
                        struct error *err) MUST_CHECK;

/* The number of the entry with that key; 0: none. */
int bank_request_entry(struct books *books, struct str key, int64_t *out,
                       struct error *err) MUST_CHECK;
