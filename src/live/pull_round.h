/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One round of a pull: asks, then takes what was answered (see live.h). Inside live/ only.
 */

#include "facts/live_jobs.h"
#include "facts/session.h"
#include "live/live.h"

struct pull_round {
    struct pull *pull;
    const struct live_driver *driver;
    struct session *session; /* closed while the scheduler is asked */
    struct pull_summary *summary;

    /* inside */
    struct facts *facts;
    bool again; /* these answers are about what was missing */
    bool listed;
    bool unread; /* a record of a listing, or about what was missing, could not be read */
    int64_t listed_at;
    /* submission, start or end in what was answered in this pull; 0: none */
    int64_t newest;
    size_t listing_row; /* of the summary */
    struct live_jobs_gone *gone;
    size_t gone_count;
};

int pull_round_run(struct pull_round *round, struct error *err) MUST_CHECK;

/* Releases the answers of a round, also of one that was broken off. */
void pull_round_forget(struct pull *pull);
