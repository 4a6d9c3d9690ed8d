/* SPDX-License-Identifier: MIT */
#pragma once

/* How large clusters are, as somebody wrote it down: what utilization is a share of. */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"

struct books;
struct kind;
struct kind_row;

struct capacity {
    struct str cluster;
    struct period period; /* when it is so large; [0, INSTANT_MAX) is always */
    int64_t cpus_micro;   /* millionths */
    int64_t gpus_micro;   /* -1: nobody said */
};

struct capacity_list {
    struct capacity *rows; /* in the order they were made */
    size_t count;
    struct arena arena;
};

/* `out` is released also when it fails. */
int books_capacities(struct books *books, const struct zone *zone, struct capacity_list *out,
                     struct error *err) MUST_CHECK;
void capacity_list_release(struct capacity_list *list);

/* A size is of some cpus, and a cluster has one size at a time: for the table of kinds. */
int capacity_check_row(const struct kind *kind, const struct kind_row *row, struct error *err);
int capacity_check_all(struct books *books, struct error *err);
