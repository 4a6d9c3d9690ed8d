/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What an operation reads: inputs (base/input.h) that the caller offers with the request, each
 * for one of its values, which is the name of the input. An operation opens them here and never
 * a path, so that a request means the same wherever it comes from, and nobody can choose a file
 * of the process that answers.
 *
 * Which values name inputs is declared in tables: by a parameter of type PARAM_INPUT, or the
 * `input` of an action.
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

/* The caller's side. */
struct inputs {
    void *context;

    /*
     * Opens what value `index` of the request names, from its beginning; closed by the
     * operation.
     */
    int (*open)(void *context, size_t index, struct input **out, struct error *err);

    /*
     * Returns when what comes through a pipe has arrived; at once for anything else. NULL:
     * everything has.
     */
    int (*await)(void *context, size_t index, struct error *err);
};

/* Whether value `index` names an input. */
bool inputs_has(const struct request *request, size_t index);

/* For a parameter that is not repeated: its last value. */
#define INPUTS_LAST SIZE_MAX

/* Opens the input that value `nth` of a parameter names. */
int inputs_open(const struct request *request, const char *name, size_t nth, struct input **out,
                struct error *err) MUST_CHECK;

/*
 * Waits until all inputs of a parameter have arrived, so that the store is not held while a
 * pipe is slow.
 */
int inputs_await(const struct request *request, const char *name, struct error *err) MUST_CHECK;

/* Reads a whole input, plain or compressed, into `out`, which has its limit. */
int inputs_read(const struct request *request, const char *name, size_t nth, struct buf *out,
                struct error *err) MUST_CHECK;

/* The same into a spool, which it opens: any length. */
int inputs_spool(const struct request *request, const char *name, size_t nth, struct spool *out,
                 struct error *err) MUST_CHECK;
