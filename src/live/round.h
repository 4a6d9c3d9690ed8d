/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One round of a pull: asks, then takes what was answered (see live.h). Inside live/ only.
 */

#include "facts/session.h"
#include "facts/snapshot.h"
#include "live/live.h"

struct round {
    struct pull *pull;
    const struct live_driver *driver;
    struct session *session; /* closed while the scheduler is asked */
    struct pull_summary *summary;

    /* inside */
    struct facts *facts;
    bool again; /* these answers are about what was missing */
    bool listed;
    int64_t listed_at;
    /* submission, start or end in what was answered in this pull; 0: there was none */
    int64_t newest;
    size_t listing_row; /* of the summary */
    struct snapshot_gone *gone;
    size_t gone_count;
};

int round_run(struct round *round, struct error *err) MUST_CHECK;

/* Releases the answers of a round, also of one that was broken off. */
void round_forget(struct pull *pull);
