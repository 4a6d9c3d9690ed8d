/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Some fields of a run in few bytes, for keeping very many of them. Inside facts/ only.
 *
 * First a bit for each of the fields that the run has, then their values in the order of the
 * list: numbers in as few bytes as they need, text with its length before it. About a seventh
 * of what a struct run takes.
 */

#include <stddef.h>
#include <stdint.h>

#include "record/run.h"

enum { RUN_PACKING_FIELDS_MAX = 64 };

/* Which fields are packed, in which order. */
struct run_packing_fields {
    enum run_field fields[RUN_PACKING_FIELDS_MAX];
    size_t count;
};

/* Room that the packed fields of a run will take at most. */
size_t run_packing_room(const struct run_packing_fields *fields, const struct run *run);

/* Writes them to `to`, which has that room; returns how many bytes they took. */
size_t run_packing_write(const struct run_packing_fields *fields, const struct run *run,
                         unsigned char *to);

/* Fills `run` with nothing but the packed fields. Its text points into `packed`. */
void run_packing_read(const struct run_packing_fields *fields, const unsigned char *packed,
                      struct run *run);
