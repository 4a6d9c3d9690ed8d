/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Chance for the demo site: the same seed gives the same numbers on every machine, compiler and
 * C library. Integers only: libm's last bits differ between machines, and so would the files.
 *
 * The generator is xoshiro256** (Blackman and Vigna, public domain), seeded by splitmix64. Not
 * for secrets. Copying the struct copies the state.
 */

#include <stdbool.h>
#include <stdint.h>

struct demo_random {
    uint64_t s[4];
};

/* A generator of its own for each stream (cluster, people, ...) of a seed. */
void demo_random_init(struct demo_random *random, uint64_t seed, uint64_t stream);

/* 0 .. limit - 1; limit > 0. */
uint32_t demo_random_below(struct demo_random *random, uint32_t limit);

/* low .. high, both included and less than 2^32 apart. */
int64_t demo_random_between(struct demo_random *random, int64_t low, int64_t high);

/* True this many times in a thousand. */
bool demo_random_chance(struct demo_random *random, uint32_t per_mille);

/* Waiting time of a Poisson process with mean 1, times 65536. */
int64_t demo_random_wait(struct demo_random *random);

/*
 * A positive value around `typical`, bell-shaped on a logarithmic scale: half lie below it, and
 * none beyond a factor 2^(spread / 128) on either side. A spread of 256 gives a standard
 * deviation of about 1.5 times up or down, 1024 of 5 times. `typical` < 2^40, `spread` < 2048.
 */
int64_t demo_random_around(struct demo_random *random, int64_t typical, int spread);

/* A hash of two numbers, for choices that must not depend on what was drawn before. */
uint64_t demo_random_mix(uint64_t a, uint64_t b);

static inline uint64_t demo_random_next(struct demo_random *random)
{
    uint64_t *s = random->s;
    uint64_t x = s[1] * 5;
    uint64_t result = (x << 7 | x >> 57) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}
