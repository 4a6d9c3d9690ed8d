/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Bytes made smaller, for base/stream.h to read: one frame of zstd, with a checksum. Frames may
 * follow each other.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Adds the frame to `out`, initialised by the caller, whose limit holds. */
int pack_zstd(struct str bytes, struct buf *out, struct error *err) MUST_CHECK;
