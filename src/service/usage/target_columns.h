/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Columns of targets next to measures: the targets of the books (books/target.h) that apply to
 * the rows of an answer. Inside service/ only.
 *
 * A row is about a target when it is about the same measure and about just those runs: the
 * target's filters are what the row's dimensions and the question's filters say together. Such
 * a row gets two columns behind the measure: <measure>_target, how much was to be reached in
 * the row's time as far as it has passed, in proportion where the target is for a longer or
 * shorter time; and <measure>_of_target, the share of it that was. Where rows have several
 * targets there are more of them, numbered from 2 on.
 */

#include "report/question.h"
#include "service/core/service.h"

enum {
    TARGETS_MAX = 4, /* of a row; older ones first */
    TARGETS_PARTS_MAX = 2,
};

/* The parameter by which machine formats get targets, too. */
#define TARGETS_PARAM                                                                          \
    {                                                                                          \
        .name = "targets", .type = PARAM_FLAG,                                                 \
        .help = "add columns for targets in machine formats; tables always have them",         \
    }

/*
 * A question and the empty table its answer goes to. The whole of a part before it, where it is
 * one: then it need not be asked for if the rows of that come to it (question_sum).
 */
struct targets_part {
    const struct question *question;
    struct table *table;
    const struct targets_part *whole_of; /* or NULL */
};

/*
 * informed_ask for each part. With `targets` the columns are added, the same to all parts, so
 * that rows and their total, months and their years, stay in line: where one part has a target
 * and the other has none, that one's cells are absent. The notes get a line for each target.
 */
int targets_ask(const struct service *service, struct facts *facts,
                const struct targets_part *parts, size_t count, bool targets,
                struct answer *notes, struct error *err) MUST_CHECK;

/* What is to be reached in all of a period, also where it is not over. */
struct target_line {
    struct str name;
    wide_int amount; /* in the measure's small unit */
};

struct targets_found {
    struct target_line rows[TARGETS_MAX];
    size_t count;
    struct arena arena;
};

/*
 * The targets of the first measure of a question without dimensions, for the whole of its
 * period.
 */
int targets_find(const struct service *service, const struct question *question,
                 struct targets_found *out, struct answer *notes, struct error *err) MUST_CHECK;
void targets_found_release(struct targets_found *found);
