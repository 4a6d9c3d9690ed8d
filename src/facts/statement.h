/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A statement that is built: text of our own, values that are bound, names from tables.
 *
 *     struct statement s;
 *     statement_init(&s);
 *     statement_add(&s, "SELECT ");
 *     statement_name(&s, identifier_of(field));
 *     statement_add(&s, " FROM runs WHERE start < %" PRId64 " AND cluster = ", now);
 *     statement_bind(&s, FACTS_TEXT(cluster));
 *     failed = statement_query(facts, &s, &table, err);
 *     statement_release(&s);
 *
 * Adding never fails: whatever went wrong on the way (too long, too many values, a filter that
 * cannot be read) is kept, and the statement is refused when it is to run. Only literals and
 * numbers go in as text: formats are checked by the compiler, and %s is refused.
 *
 * What engines say differently is written as words (@wide(...), see dialect.h), in text and in
 * .sql files alike.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "facts/dialect.h"
#include "facts/facts.h"
#include "record/inventory_item.h"
#include "record/run.h"

enum { STATEMENT_VALUES_MAX = 4096 };

struct statement {
    struct buf text; /* with the words of dialect.h */
    struct buf sql;  /* as the engine takes it; empty until statement_finish */
    struct facts_value *values;
    size_t value_count, value_room;
    int failed; /* the first thing that went wrong, or 0 */
    struct error error;
};

void statement_init(struct statement *statement);
void statement_release(struct statement *statement);
void statement_clear(struct statement *statement); /* empties, keeps the memory */

/* Literal text with numbers in it; no %s. */
void statement_add(struct statement *statement, const char *format, ...) PRINTF_LIKE(2, 3);

/* A name of a table or a column, which only rows of our own tables have. */
struct identifier {
    const char *name;
};

/* In quotes, so that "end" and "group" are names too. */
void statement_name(struct statement *statement, struct identifier name);

static inline struct identifier identifier_of(const struct field *field)
{
    return (struct identifier){field->member};
}

static inline struct identifier identifier_of_thing(const struct inventory_item_field *field)
{
    return (struct identifier){field->member};
}

/* One that is written where it is used. */
#define IDENTIFIER(literal) ((struct identifier){"" literal ""})

/* The same as a text: 'node'. */
void statement_literal(struct statement *statement, struct identifier name);

/* A column of a table that is made: "begins BIGINT". */
struct statement_column {
    const char *name;
    enum dialect_type type;
};

void statement_column(struct statement *statement, struct statement_column column);

/* Text in a const table of ours: an expression, a condition. */
struct expression {
    const char *text;
};

#define EXPRESSION(literal) ((struct expression){"" literal ""})

void statement_expression(struct statement *statement, struct expression expression);

/* A `?` and the value for it; text is borrowed until the statement has run. */
void statement_bind(struct statement *statement, struct facts_value value);

/* A value for a `?` that the text has already. */
void statement_value(struct statement *statement, struct facts_value value);

/* Another statement in this place, with its values. */
void statement_append(struct statement *statement, const struct statement *part);

/* Refuses the statement; of several reasons the first stays. */
void statement_refuse(struct statement *statement, enum error_kind kind, const char *format,
                      ...) PRINTF_LIKE(3, 4);

/* Whether it can run: then `sql` has its text. */
int statement_finish(struct statement *statement, struct error *err) MUST_CHECK;

/*
 * Makes a temporary table for statements to join with, in place of an older one of that name:
 * rows one after the other. Gone when the connection is.
 */
int statement_load(struct facts *facts, struct identifier name,
                   const struct statement_column *columns, size_t column_count,
                   struct facts_values values, struct error *err) MUST_CHECK;

/*
 * As facts_query, facts_query_kept, facts_make_kept, facts_query_each, facts_execute and
 * facts_number; they finish it first.
 */
int statement_query(struct facts *facts, struct statement *statement, struct table *out,
                    struct error *err) MUST_CHECK;
int statement_query_kept(struct facts *facts, struct statement *statement, struct table *out,
                         struct error *err) MUST_CHECK;
int statement_make_kept(struct facts *facts, struct identifier name,
                        struct statement *statement, struct error *err) MUST_CHECK;
int statement_query_each(struct facts *facts, struct statement *statement,
                         const struct table_sink *sink, struct error *err) MUST_CHECK;
int statement_execute(struct facts *facts, struct statement *statement, int64_t *changed,
                      struct error *err) MUST_CHECK;

/* As statement_execute, and releases it. */
int statement_run(struct facts *facts, struct statement *statement,
                  struct error *err) MUST_CHECK;
int statement_number(struct facts *facts, struct statement *statement, int64_t *out,
                     bool *present, struct error *err) MUST_CHECK;
