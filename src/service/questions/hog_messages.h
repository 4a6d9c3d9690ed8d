/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Messages to the people of `stint hogs`: what was seen, by which rule, with evidence that they can check, and what to do. A case that was
 * reported once is not reported again. Inside service/ only.
 */

#include "facts/facts.h"
#include "service/questions/hog_cases.h"

struct hog_messages {
    const struct service *service;
    struct facts *facts;
    struct period period;
    struct table reported; /* reported_all */
    struct buf *out;
    bool apply; /* what is written counts as reported */
    size_t count;
};

/* Reads what was reported before; released by the caller, also when it fails. */
int hog_messages_open(struct hog_messages *messages, struct error *err) MUST_CHECK;
void hog_messages_close(struct hog_messages *messages);

/* Writes the message of a case, unless all of it was reported. */
int hog_messages_add(struct hog_messages *messages, const struct hog_site_rule *site,
                     const struct hog_case *one, struct error *err) MUST_CHECK;
