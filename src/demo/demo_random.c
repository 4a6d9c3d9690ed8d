/* SPDX-License-Identifier: MIT */
#include "demo/demo_random.h"

/*
 * Logarithms and powers of two are taken as if the mantissa were its own logarithm: log2(m *
 * 2^k) is about k + (m - 1). That is at most 0.09 off, never jumps and needs no table.
 */

enum { ONE = 1 << 16, LN_2 = 45426 /* ln(2) * ONE */ };

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void demo_random_init(struct demo_random *random, uint64_t seed, uint64_t stream)
{
    uint64_t state = demo_random_mix(seed, stream);
    for (int i = 0; i < 4; i++) {
        random->s[i] = splitmix(&state);
    }
}

uint64_t demo_random_mix(uint64_t a, uint64_t b)
{
    uint64_t state = a;
    uint64_t first = splitmix(&state);
    state = first ^ b;
    return splitmix(&state);
}

uint32_t demo_random_below(struct demo_random *random, uint32_t limit)
{
    return (uint32_t)((demo_random_next(random) >> 32) * limit >> 32);
}

int64_t demo_random_between(struct demo_random *random, int64_t low, int64_t high)
{
    return low + (int64_t)demo_random_below(random, (uint32_t)(high - low + 1));
}

bool demo_random_chance(struct demo_random *random, uint32_t per_mille)
{
    return demo_random_below(random, 1000) < per_mille;
}

int64_t demo_random_wait(struct demo_random *random)
{
    uint32_t u = (uint32_t)(demo_random_next(random) >> 32) | 1;
    int zeros = __builtin_clz(u);
    uint32_t mantissa = (uint32_t)((uint64_t)u << (zeros + 1)); /* the leading one is cut off */
    int64_t log2 = (int64_t)(zeros + 1) * ONE - (int64_t)(mantissa >> 16);
    return log2 * LN_2 / ONE;
}

static int64_t times_power_of_two(int64_t value, int64_t exponent)
{
    int64_t whole = exponent >= 0 ? exponent / ONE : -((-exponent + ONE - 1) / ONE);
    int64_t mantissa = ONE + (exponent - whole * ONE);
    int64_t scaled = value * mantissa / ONE;
    return whole >= 0 ? scaled << whole : scaled >> -whole;
}

int64_t demo_random_around(struct demo_random *random, int64_t typical, int spread)
{
    uint64_t bits = demo_random_next(random);
    int64_t sum = (int64_t)(bits & 0xffff) + (int64_t)(bits >> 16 & 0xffff) +
                  (int64_t)(bits >> 32 & 0xffff) + (int64_t)(bits >> 48);
    int64_t bell = sum - 2 * INT64_C(0xffff); /* -2 .. 2, times ONE, nearly normal */
    int64_t value = times_power_of_two(typical, bell * spread / 256);
    return value > 0 ? value : 1;
}
