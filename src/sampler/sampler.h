/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Looking at a node again and again at little cost. Files that were read once stay open and are
 * read in place; of a process whose `stat` is what it was, nothing else is read again, since
 * without a tick of cpu time nothing has happened in it that counts.
 *
 *     struct sampler *watch = NULL;
 *     if (sampler_open("/", ticks, &watch, &err) == 0) {
 *         node_sample_init(&look, now);     as often as wanted
 *         sampler_look(watch, &look);
 *         node_sample_release(&look);
 *         sampler_close(watch);
 *     }
 *
 * Memory is bounded: by the processes there are, of which LIMIT_PROCESSES count, and by the
 * files that may be open; beyond those, files are opened for each look. Texts of a look live
 * until the next one of the same watch.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "sampler/node_sample.h"

struct sampler;

/*
 * Watches the node whose files are below the folder `root` (proc, sys, etc/passwd). `ticks` is
 * how many of the kernel's make a second. Fails if there is no /proc to read.
 */
int sampler_open(const char *root, int64_t ticks, struct sampler **out,
                 struct error *err) MUST_CHECK;
void sampler_close(struct sampler *watch); /* accepts NULL */

/*
 * Leaves out processes: jobs by their control groups and the node are enough where there are
 * groups.
 */
void sampler_leave_processes(struct sampler *watch);

/* Fills a look that was initialised. */
void sampler_look(struct sampler *watch, struct node_sample *look);
