/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Upload channel of a request over HTTP that reads inputs. The reply streams and says which
 * bytes are wanted; they arrive as further requests, each with one frame, to the address of the
 * channel, which nobody else can guess. So only plain requests and replies are needed, which
 * any proxy lets pass.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "serve/rpc/frame.h"

/* All of a server. */
struct upload_channels;

struct upload_channels *upload_channels_new(void);
/* after the last was closed; accepts NULL */
void upload_channels_free(struct upload_channels *inlets);

struct upload_channel;

/* `stop` is of the request that reads, `who` its caller; both borrowed. */
int upload_channel_open(struct upload_channels *inlets, const char *who, struct stop *stop,
                        struct upload_channel **out, struct error *err) MUST_CHECK;
void upload_channel_close(struct upload_channel *inlet); /* accepts NULL */
const char *upload_channel_id(const struct upload_channel *inlet);

/* Waits for a frame, for as long as that; *kind is 0 once the client wants no more. */
int upload_channel_receive(struct upload_channel *inlet, int64_t limit_us,
                           enum frame_kind *kind, struct buf *out,
                           struct error *err) MUST_CHECK;

/* Whether the client wants no more and waits for the result. */
bool upload_channel_was_ended(const struct upload_channel *inlet);

/*
 * Gives a frame to the inlet of that name; the empty one says that no more is wanted.
 * ERROR_MISSING: none of `who`; ERROR_CONFLICT: the last frame has not been read.
 */
int upload_channels_put(struct upload_channels *inlets, struct str id, const char *who,
                        struct str frame, struct error *err) MUST_CHECK;
