/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a command offers to be read with its request: the files that its words name, opened with
 * the rights of who typed them, and standard input for "-". What comes by a pipe is put aside
 * as a whole before it is read (base/spool.h), and stays until the offer ends, so that the
 * request can be asked a second time.
 */

#include "service/core/service.h"

struct offer {
    const struct request_value *values;
    size_t count;
    const struct service *service; /* its stop and its progress */
    struct spool *spools;          /* one a value */
    struct inputs inputs;          /* for the request */
};

void offer_init(struct offer *offer, const struct request_value *values, size_t count,
                const struct service *service);
void offer_release(struct offer *offer); /* accepts a zeroed one */
