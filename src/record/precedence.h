/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How several records of one run become one (record/run_merge.h): which of them each field is
 * taken from.
 *
 * A field that only one record has is taken from that one. Of two that have it, the record
 * whose kind of source has more weight wins: a database over a log over a listing, which is the
 * order of enum run_origin. Of equals the newer one wins: the later of two listings, of one
 * moment that in which the run had come further, else the one that was imported last.
 */

#include "record/run.h"

enum precedence {
    PRECEDENCE_IDENTITY, /* the same in both */
    PRECEDENCE_VALUE,    /* each field by itself */
    /*
     * as VALUE; but parts may have been added to it: then all of these are taken from the
     * record with more weight
     */
    PRECEDENCE_USE,
    /*
     * whether and how it ended: all of these from the record that knows most about it, whatever
     * its weight
     */
    PRECEDENCE_STANDING,
    PRECEDENCE_RECORD,  /* where the record is from: that of the one with more weight */
    PRECEDENCE_DERIVED, /* follows from the others */
};

enum precedence precedence_of(enum run_field field);

/*
 * Letters of `field_origins`, one for each field in the order of RUN_FIELDS: the digit of enum
 * run_origin, or one of these. Their order as text is that of their weights.
 *   ABSENT   no record has the field, or it is not chosen by itself
 *   PARTIAL  from a record that does not have all use (RUN_FLAG_USE_PARTIAL)
 * ASIDE and an instant follow where a listing shows the run to wait and another record has a
 * start: that start, which counts again as soon as a record shows that the run runs or is over.
 * MOMENT and an instant follow where the run had not ended as far as is known: when a listing
 * that says so was made, or when the run started or was submitted by the record that says so.
 */
#define PRECEDENCE_ABSENT  "-"
#define PRECEDENCE_PARTIAL "0"
#define PRECEDENCE_ASIDE   "~"
#define PRECEDENCE_MOMENT  "@"
