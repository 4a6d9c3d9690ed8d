/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Values in Slurm's JSON, whatever the version; nothing but source/slurm*.c includes this.
 *
 * What changed from 21.08 to 25.11: numbers became {"set": true, "infinite": false, "number":
 * 5}, texts and states became lists, "no value" went from null and 4294967294 over -2 to
 * {"set": false}. All of these are taken, whatever the version claims to be.
 */

#include <jansson.h>

#include "source/slurm/slurm_row.h"

/*
 * 32-bit NO_VAL and INFINITE, as old versions leak them into numbers that cannot be so large.
 */
#define SLURM_NO_VAL_LEAST INT64_C(4294967294)

/* What slurmrestd calls an error up to 23.02 though it is an answer. */
enum { SLURM_NOTHING_FOUND = 9003 };

/* "time.user.seconds" in an object, or NULL. */
json_t *slurm_json_find(const json_t *object, const char *path);

/* A number that is not negative, in any of its guises; false if it is absent. */
bool slurm_json_number(const json_t *value, int64_t *out);
bool slurm_json_number_at(const json_t *object, const char *path, int64_t *out);

/*
 * The text of a string, or of a list of them with `between`; copied. False if it is empty or
 * none.
 */
bool slurm_json_text(const json_t *value, char between, struct arena *arena, struct str *out);

enum slurm_json_unit {
    SLURM_UNIT_AS_IS,
    SLURM_UNIT_SECOND,
    SLURM_UNIT_INSTANT_S,
    SLURM_UNIT_MINUTE,
    SLURM_UNIT_MIB,
    SLURM_UNIT_SMALL, /* a count: what needs 32 bits and more is a "no value" */
};

/* In our units; false if it cannot be. */
bool slurm_json_scale(enum slurm_json_unit unit, int64_t *value);

struct slurm_number_path {
    const char *path;
    enum slurm_number target;
    enum slurm_json_unit unit;
};

struct slurm_text_path {
    const char *path;
    enum slurm_text target;
};

/*
 * Reads what the paths lead to; of several paths to one target the first that leads to
 * something.
 */
void slurm_json_numbers(const json_t *object, const struct slurm_number_path *paths,
                        size_t count, struct slurm_row *row);
void slurm_json_texts(const json_t *object, const struct slurm_text_path *paths, size_t count,
                      struct arena *arena, struct slurm_row *row);

/* slurm_json_listed.c: reads a job as the controller reports it. Its number is read already. */
bool slurm_json_is_listed(const json_t *object);
bool slurm_json_listed(const json_t *object, struct arena *arena, struct slurm_row *row);
