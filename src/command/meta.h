/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * --with-meta: an answer for machines with what there is to know about it: its period, zone, as
 * of when, what of it there are data of, its notes, and of each column the label, unit and
 * definition. CSV and TSV have lines that begin with # before the heading row, JSON is an
 * object of `meta` and `rows`, and JSON Lines have a first line with `meta`.
 */

#include "base/buf.h"
#include "command/render.h"

/* For one of these formats. */
void meta_write(struct buf *out, const struct answer *answer,
                const struct render_options *options);
