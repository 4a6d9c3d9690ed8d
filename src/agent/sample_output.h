/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Where looks go from a node: standard output; files by day and node as sonar's daemon writes
 * them, FOLDER/2026/11/16/0+sample-NODE.json, a line a look; a server (agent/uploader.h); or
 * both of the latter.
 */

#include <stdbool.h>
#include <stdint.h>

#include "agent/uploader.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/stop.h"
#include "sampler/node_sample.h"

/* Texts are borrowed. */
struct sample_output_plan {
    const char *folder;            /* of files; or NULL */
    struct uploader_plan shipping; /* server NULL: none */
};

struct sample_output;

int sample_output_open(const struct sample_output_plan *plan, struct sample_output **out,
                       struct error *err) MUST_CHECK;
void sample_output_close(struct sample_output *outlet); /* accepts NULL */

/* Looks that could not be kept until the server took them, since this was last asked. */
int64_t sample_output_lost(struct sample_output *outlet);

/* Writes a look, or takes care that it will be. */
int sample_output_put(struct sample_output *outlet, const struct node_sample *look,
                      struct error *err) MUST_CHECK;

/* Before a planned end: sends what waits, once. */
int sample_output_finish(struct sample_output *outlet, struct error *err) MUST_CHECK;

/*
 * Lets time pass until the next look, which is used for what is left to do; false: it is to
 * end.
 */
bool sample_output_work(struct sample_output *outlet, int64_t pause_us,
                        const struct stop *stop);
