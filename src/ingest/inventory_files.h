/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Files that list what a cluster had at a moment (source.h: source_things): nodes, partitions,
 * reservations. Inside ingest/ only.
 *
 * A listing is taken whole or not at all, and makes stretches of time as a look at a scheduler
 * that runs does (facts/inventory.h). So listings go in by their age: one that is not later
 * than what is known changes nothing, and importing a file again is that. No file has to be
 * remembered for it.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "base/stream.h"
#include "facts/facts.h"
#include "ingest/ingest.h"

/*
 * Imports the listing that `stream` is at the beginning of. It is of options->at; where nobody
 * says, of when the file was last written, and of now where it is not one.
 */
int inventory_files_import(struct facts *facts, const struct ingest_options *options,
                           struct stream *stream, enum inventory_item_kind kind,
                           struct ingest_summary *summary, struct error *err) MUST_CHECK;
