/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Messages to the people of `stint hogs`: what was seen, by which rule, with evidence that they
 * can check, and what to do. A case that was reported once is not reported again. Inside
 * service/ only.
 */

#include "books/people.h"
#include "facts/facts.h"
#include "service/hogs/hog_cases.h"

struct hog_messages {
    struct service *service;
    struct facts *facts;
    struct books *books;
    struct period period;
    struct table earlier; /* reported_of_facts */
    struct buf *out;
    bool apply; /* what is written is sent, where stint.conf says how, and counts as reported */
    struct people_list people; /* their addresses, if it is sent */
    bool sends;
    size_t count, unsent;
};

/* Reads what was reported before; released by the caller, also when it fails. */
int hog_messages_open(struct hog_messages *messages, struct error *err) MUST_CHECK;
void hog_messages_close(struct hog_messages *messages);

/*
 * Writes the message of a case, unless all of it was reported. Applied, it is sent, and then
 * recorded in the books: a message that could not be sent stays to be sent, and no transaction
 * is open meanwhile. Where there is no address it goes to the staff of [mail]; without staff it
 * is counted as not sent, and stays to be reported.
 */
int hog_messages_add(struct hog_messages *messages, const struct hog_site_rule *site,
                     const struct hog_case *one, struct error *err) MUST_CHECK;
