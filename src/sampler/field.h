/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The numbers of a sample. A process, a node and a GPU each have a list of fields (an X-macro
 * in their header) and carry their values in a struct of this kind. The names are sonar's, so
 * that writing a sample is a loop over the list.
 *
 * Absent is absent: what was not reported, could not be read or cannot be has its bit clear. A
 * zero that was reported is a zero.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/str.h"

/* One field of a list. */
struct look_field {
    const char *id; /* sonar's name for it */
    int decimals;   /* values are whole numbers of 10^-decimals */
    const char *doc;
};

enum { LOOK_VALUES_MAX = 24 };

/* Values by the enum of their list; zeroed, none is there. */
struct look_values {
    uint32_t has;
    int64_t at[LOOK_VALUES_MAX];
};

/*
 * Beyond this no count is believed: it is where a double stops being exact, and no counter gets
 * there.
 */
#define LOOK_COUNT_MAX (INT64_C(1) << 53)

static inline bool look_has(const struct look_values *values, unsigned field)
{
    return values->has >> field & 1;
}

static inline void look_set(struct look_values *values, unsigned field, int64_t value)
{
    values->has |= UINT32_C(1) << field;
    values->at[field] = value;
}

/*
 * A count: whole, not negative, below LOOK_COUNT_MAX. False and nothing stored if it is not
 * one.
 */
bool look_count(struct str text, int64_t *out);

/* Sets the field if the text is a count; else it stays absent. */
void look_set_count(struct look_values *values, unsigned field, struct str text);

/* The next word of a text, blanks and tabs between; the null string at its end. */
struct str look_word(struct str *rest);

#define LOOK_FIELD_ENUM(prefix, member, decimals, doc)  prefix##_##member,
#define LOOK_FIELD_ROW(prefix, member, decimals_, doc_) {#member, decimals_, doc_},
