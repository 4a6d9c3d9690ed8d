/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For those who watch over the server: /health says that it is alive and answers, whatever
 * state its store is in; /ready, that it can answer and write, which a load balancer wants to
 * know. Both reveal nothing else, and anyone may ask; the store is tried once a second at most,
 * however often they do.
 */

struct health;

struct health *health_new(void);
void health_free(struct health *health); /* accepts NULL */
