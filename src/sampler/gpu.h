/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * GPUs and who uses them, from what nvidia-smi prints. The queries are made from the same
 * tables by which the answers are read, and columns are found by the names in the first row, so
 * that their order and whether units are printed do not matter.
 *
 * What a card does not report ("[N/A]", "[Not Supported]", "[Unknown Error]", "[Insufficient
 * Permissions]", "-" ...) is absent, not 0. With MIG that is the utilisation.
 */

#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "record/sample.h"
#include "sampler/field.h"

/* X(prefix, member, decimals, doc) */
#define GPU_FIELDS(X)                                                                          \
    X(GPU, index, 0, "its number on the node, which may change at boot")                       \
    X(GPU, failing, 0, "1: the card is lost or needs a reset; 0: it answers")                  \
    X(GPU, fan, 0, "percent of the fan's speed")                                               \
    X(GPU, performance_state, 0, "P-state + 2: the format counts from there")                  \
    X(GPU, memory, 0, "KiB of memory in use")                                                  \
    X(GPU, ce_util, 0, "percent of the time in which something ran")                           \
    X(GPU, memory_util, 0, "percent of the time in which memory was read or written")          \
    X(GPU, temperature, 0, "degrees Celsius")                                                  \
    X(GPU, power, 0, "watts")                                                                  \
    X(GPU, power_limit, 0, "watts it may take")                                                \
    X(GPU, ce_clock, 0, "MHz of the computing elements")                                       \
    X(GPU, memory_clock, 0, "MHz of the memory")

/* What a process does on one card. */
#define GPU_USE_FIELDS(X)                                                                      \
    X(GPU_USE, index, 0, "the card's number")                                                  \
    X(GPU_USE, gpu_util, 0, "percent of the card, as pmon shows it")                           \
    X(GPU_USE, gpu_memory, 0, "KiB of the card's memory")

enum gpu_field { GPU_FIELDS(LOOK_FIELD_ENUM) GPU_FIELD_COUNT };

enum gpu_use_field {
    GPU_USE_FIELDS(LOOK_FIELD_ENUM) GPU_USE_FIELD_COUNT,
    GPU_USE_pid = GPU_USE_FIELD_COUNT,
    GPU_USE_VALUE_COUNT
};

extern const struct look_field gpu_fields[GPU_FIELD_COUNT];
extern const struct look_field gpu_use_fields[GPU_USE_FIELD_COUNT];

struct gpu {
    struct look_values values;
    struct str uuid, compute_mode; /* in the arena; null: absent */
    struct sample counters;        /* what sonar has no word for */
};

struct gpu_use {
    struct look_values values;
    struct str uuid; /* of the card, in the arena */
};

/* Zeroed, the list is empty. All is in the arena. */
struct gpu_list {
    struct gpu *cards;
    size_t count;
    struct gpu_use *uses;
    size_t use_count;
    /* gpu_read_uses has read them all: a process that is not among them uses none */
    bool uses_known;
};

/* The arguments: "--query-gpu=index,uuid,..." and "--query-compute-apps=...". */
void gpu_card_query(struct buf *out);
void gpu_use_query(struct buf *out);

/*
 * What was answered to gpu_card_query, with --format=csv. A row that names no card is an error,
 * after the good rows were taken.
 */
int gpu_read_cards(struct gpu_list *list, struct str text, struct arena *arena,
                   struct error *err) MUST_CHECK;

/* The same for gpu_use_query; the cards come first, so that uses get their numbers. */
int gpu_read_uses(struct gpu_list *list, struct str text, struct arena *arena,
                  struct error *err) MUST_CHECK;

/* What `nvidia-smi pmon` prints: adds how busy the uses keep their cards. */
int gpu_read_pmon(struct gpu_list *list, struct str text, struct error *err) MUST_CHECK;
