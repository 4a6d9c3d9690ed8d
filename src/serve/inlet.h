/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a request over HTTP reads from whoever asked. Its reply streams, and says what is wanted; what is wanted comes as
 * requests of its own, each with one frame, to an inlet, which has a name that nobody else can guess. So nothing but plain requests
 * and replies is needed, and any proxy lets them pass.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "serve/frame.h"

/* All of a server. */
struct inlets;

struct inlets *inlets_new(void);
void inlets_free(struct inlets *inlets); /* after the last was closed; accepts NULL */

struct inlet;

/* `stop` is of the request that reads, `who` is whoever asked it; both borrowed. */
int inlet_open(struct inlets *inlets, const char *who, struct stop *stop, struct inlet **out,
               struct error *err) MUST_CHECK;
void inlet_close(struct inlet *inlet); /* accepts NULL */
const char *inlet_id(const struct inlet *inlet);

/* Waits for a frame, for as long as that; *kind is 0 once whoever asked wants no more. */
int inlet_receive(struct inlet *inlet, int64_t limit_us, enum frame_kind *kind, struct buf *out,
                  struct error *err) MUST_CHECK;

/* Whether whoever asked has said that it wants no more, and waits to hear how it ended. */
bool inlet_was_ended(const struct inlet *inlet);

/*
 * Gives a frame to the inlet of that name; the empty one says that no more is wanted. ERROR_MISSING: there is none of `who`;
 * ERROR_CONFLICT: the last frame has not been read.
 */
int inlets_put(struct inlets *inlets, struct str id, const char *who, struct str frame,
               struct error *err) MUST_CHECK;
