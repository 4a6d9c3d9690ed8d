/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Energy of runs: USE_ENERGY of those that use_rows.h has read, with what samples say of it. It
 * takes two statements more, which only those run who show energy; without them USE_ENERGY is
 * what the scheduler recorded.
 *
 * Coverage is the share of node time in which the counters of processors are known, or of card
 * time in which those of GPUs are, whichever is less.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/queries/sample_energy.h"
#include "report/use/use.h"
#include "table/table.h"

/* Joules within a window, by samples that cover enough of the run; below 0: they do not. */
struct use_energy {
    double processors, cards;
};

struct use_energy_question {
    const struct table *runs; /* with USE_FIELDS and `mem` */
    int64_t now;
    struct period window;
    enum energy_idle idle;
};

/* `uses` and `out` have an element for each row. */
int use_energy_read(struct facts *facts, const struct use_energy_question *question,
                    struct use *uses, struct use_energy *out, struct error *err) MUST_CHECK;
