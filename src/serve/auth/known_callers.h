/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which caller a token or a session was lately found to be, so that a request can be put among
 * those of its caller, from whatever address, before the store is asked. It says nothing about
 * rights: an entry may be of a token that was revoked since. Any thread.
 */

#include <stdint.h>

#include "base/str.h"

struct known_callers;

struct known_callers *known_callers_new(uint64_t seed);
void known_callers_free(struct known_callers *known); /* accepts NULL */

/* `secret` is the token or session, of which a hash is kept. */
void known_callers_put(struct known_callers *known, struct str secret, struct str name);

/* A number that stands for the caller; 0: the secret is null, or was not seen lately. */
uint64_t known_callers_find(struct known_callers *known, struct str secret);
