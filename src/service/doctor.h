/* SPDX-License-Identifier: MIT */
#pragma once

/* What stint doctor finds, and the part of it that looks at the books. Inside service/ only. */

#include "service/service.h"

enum finding { FINE, NOTICE, TROUBLE };

struct doctor {
    struct service *service;
    struct answer *answer;
    struct facts *facts; /* NULL while they cannot be opened */
};

/* Adds a line; TROUBLE makes the exit status 1. */
void doctor_add(struct doctor *doctor, enum finding finding, const char *check,
                const char *format, ...) PRINTF_LIKE(4, 5);

/* Whether there are books, they can be read, name whom runs know, and tell the size of clusters. */
int doctor_check_books(struct doctor *doctor, struct error *err) MUST_CHECK;
