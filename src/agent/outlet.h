/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Where looks go from a node: standard output; files by day and node as sonar's daemon writes them,
 * FOLDER/2026/11/16/0+sample-NODE.json, a line a look; a server (agent/shipping.h); or both of the latter.
 */

#include <stdbool.h>
#include <stdint.h>

#include "agent/shipping.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/stop.h"
#include "sampler/look.h"

/* Texts are borrowed. */
struct outlet_plan {
    const char *folder;            /* of files; or NULL */
    struct shipping_plan shipping; /* server NULL: none */
};

struct outlet;

int outlet_open(const struct outlet_plan *plan, struct outlet **out,
                struct error *err) MUST_CHECK;
void outlet_close(struct outlet *outlet); /* accepts NULL */

/* Looks that could not be kept until the server took them, since this was last asked. */
int64_t outlet_lost(struct outlet *outlet);

/* Writes a look, or takes care that it will be. */
int outlet_put(struct outlet *outlet, const struct look *look, struct error *err) MUST_CHECK;

/* Before a planned end: sends what waits, once. */
int outlet_finish(struct outlet *outlet, struct error *err) MUST_CHECK;

/* Lets time pass until the next look, which is used for what is left to do; false: it is to end. */
bool outlet_work(struct outlet *outlet, int64_t pause_us, const struct stop *stop);
