/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What stint doctor finds, and the parts of it that look at the books, at pulls, at snapshots
 * and at samples. Inside service/ only.
 */

#include "service/core/service.h"

enum finding { FINE, NOTICE, TROUBLE };

struct doctor {
    struct service *service;
    struct answer *answer;
    struct facts *facts; /* NULL while they cannot be opened */
};

/* Adds a line; TROUBLE makes the exit status 1. */
void doctor_add(struct doctor *doctor, enum finding finding, const char *check,
                const char *format, ...) PRINTF_LIKE(4, 5);

/*
 * Whether there are books, they can be read, name whom runs know, and tell the size of
 * clusters.
 */
int doctor_check_books(struct doctor *doctor, struct error *err) MUST_CHECK;

/*
 * Whether the schedulers of stint.conf, and those pulled before, were asked lately and
 * answered.
 */
int doctor_check_pulls(struct doctor *doctor, struct error *err) MUST_CHECK;

/*
 * How often snapshots were taken (facts/listings.h), whether they still are, and where some are
 * missing.
 */
int doctor_check_snapshots(struct doctor *doctor, struct error *err) MUST_CHECK;

/* How far samples of processes reach (facts/samples.h), and whether they still come. */
int doctor_check_samples(struct doctor *doctor, struct error *err) MUST_CHECK;

/* Runs that nobody saw end, and not for a while (report/queries/unended.h). */
int doctor_check_unended(struct doctor *doctor, struct error *err) MUST_CHECK;

/*
 * Whether schedulers enforce what the bank shows, where stint.conf asks for that. Lets go of
 * the facts.
 */
int doctor_check_enforce(struct doctor *doctor, struct error *err) MUST_CHECK;

/* "3 days": a length of time in the largest unit of which there are two. */
const char *doctor_age(int64_t age_us, char text[32]);
