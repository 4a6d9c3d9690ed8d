/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What an operation reads: inputs (base/input.h) that whoever asks offers with the request, each for one of its values, which
 * is what the input is called. An operation opens them here and never a path, so that a request means the same wherever it
 * comes from, and nobody can choose a file of the process that answers.
 *
 * Which values are names of inputs is said by rows: a parameter of type PARAM_INPUT, or the `input` of an action.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/input.h"
#include "base/spool.h"
#include "base/stop.h"

struct request;

/* Whoever asks, as the side that offers. */
struct inputs {
    void *context;

    /* Opens what value `index` of the request names, for the operation to close; each time as it is then. */
    int (*open)(void *context, size_t index, struct input **out, struct error *err);

    /* Returns when what comes by a pipe has arrived; at once for all else. NULL: all has. */
    int (*await)(void *context, size_t index, struct error *err);
};

/* Whether value `index` names an input. */
bool inputs_has(const struct request *request, size_t index);

/* Of a parameter that is not repeated the last value counts. */
#define INPUTS_LAST SIZE_MAX

/* Opens the one that value `nth` of a parameter names. */
int inputs_open(const struct request *request, const char *name, size_t nth, struct input **out,
                struct error *err) MUST_CHECK;

/* Waits until all that values of a parameter name is there: nobody holds the store while somebody else writes. */
int inputs_await(const struct request *request, const char *name, struct error *err) MUST_CHECK;

/* All of one, plain or compressed, into `out`, which has its limit. */
int inputs_read(const struct request *request, const char *name, size_t nth, struct buf *out,
                struct error *err) MUST_CHECK;

/* The same into a spool, which is opened: of any length. */
int inputs_spool(const struct request *request, const char *name, size_t nth, struct spool *out,
                 struct error *err) MUST_CHECK;
