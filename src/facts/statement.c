/* SPDX-License-Identifier: MIT */
#include "facts/statement.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"

enum { ARGUMENTS_MAX = 8 };

void statement_init(struct statement *statement)
{
    *statement = (struct statement){0};
    buf_init(&statement->text, LIMIT_SQL);
    buf_init(&statement->sql, LIMIT_SQL);
}

void statement_release(struct statement *statement)
{
    buf_release(&statement->text);
    buf_release(&statement->sql);
    free(statement->values);
    *statement = (struct statement){0};
}

void statement_clear(struct statement *statement)
{
    buf_clear(&statement->text);
    buf_clear(&statement->sql);
    statement->value_count = 0;
    statement->failed = 0;
}

void statement_add(struct statement *statement, const char *format, ...)
{
    assert(!strstr(format, "%s") && !strstr(format, "%.*s"));
    va_list args;
    va_start(args, format);
    buf_addv(&statement->text, format, args);
    va_end(args);
}

static void add_quoted(struct statement *statement, struct identifier name, char quote)
{
    assert(!strchr(name.name, quote));
    buf_addc(&statement->text, quote);
    buf_addz(&statement->text, name.name);
    buf_addc(&statement->text, quote);
}

void statement_name(struct statement *statement, struct identifier name)
{
    add_quoted(statement, name, '"');
}

void statement_literal(struct statement *statement, struct identifier name)
{
    add_quoted(statement, name, '\'');
}

void statement_expression(struct statement *statement, struct expression expression)
{
    buf_addz(&statement->text, expression.text);
}

void statement_column(struct statement *statement, struct statement_column column)
{
    statement_name(statement, (struct identifier){column.name});
    buf_addc(&statement->text, ' ');
    buf_addz(&statement->text, dialect_of_engine()->types[column.type]);
}

static void keep_value(struct statement *statement, struct facts_value value)
{
    if (statement->value_count == STATEMENT_VALUES_MAX) {
        statement_refuse(statement, ERROR_USAGE, "filters name more than %d values",
                         STATEMENT_VALUES_MAX);
        return;
    }
    statement->values = mem_grow(statement->values, statement->value_count,
                                 &statement->value_room, sizeof(*statement->values));
    statement->values[statement->value_count++] = value;
}

void statement_bind(struct statement *statement, struct facts_value value)
{
    buf_addc(&statement->text, '?');
    keep_value(statement, value);
}

void statement_value(struct statement *statement, struct facts_value value)
{
    keep_value(statement, value);
}

void statement_append(struct statement *statement, const struct statement *part)
{
    buf_add(&statement->text, buf_str(&part->text));
    for (size_t i = 0; i < part->value_count; i++) {
        keep_value(statement, part->values[i]);
    }
    statement->text.overflow |= part->text.overflow;
    if (part->failed && !statement->failed) {
        statement->failed = part->failed;
        statement->error = part->error;
    }
}

void statement_refuse(struct statement *statement, enum error_kind kind, const char *format,
                      ...)
{
    if (!statement->failed) {
        va_list args;
        va_start(args, format);
        vsnprintf(statement->error.text, sizeof(statement->error.text), format, args);
        va_end(args);
        statement->error.kind = kind;
        statement->failed = kind;
    }
}

/* --- words of the dialect ----------------------------------------------------------------- */

static const struct {
    struct str name;
    size_t arguments;
} words[DIALECT_WORD_COUNT] = {

#define X(name, arguments, meaning) [DIALECT_##name] = {{#name, sizeof(#name) - 1}, arguments},
    DIALECT_WORDS(X)
#undef X
};

/* The text behind a quoted one that begins at `at`. */
static size_t skip_quoted(struct str text, size_t at)
{
    const char quote = text.ptr[at++];
    while (at < text.len && text.ptr[at] != quote) {
        at++;
    }
    return at + 1;
}

/* A word in the text: which, and what it is said of. */
struct call {
    enum dialect_word word;
    struct str all;
    struct str arguments[ARGUMENTS_MAX];
    size_t count;
    size_t end; /* behind its bracket */
};

/*
 * Cuts what stands in the bracket that opens before `at` at its own commas. False: it does not
 * close.
 */
static bool read_arguments(struct str text, size_t at, struct call *call)
{
    const size_t first = at;
    size_t begin = at, depth = 1;
    while (at < text.len && call->count < ARGUMENTS_MAX) {
        const char c = text.ptr[at];
        depth += c == '(' || c == '[';
        depth -= c == ')' || c == ']';
        if (depth == 0 || (depth == 1 && c == ',')) {
            call->arguments[call->count++] =
                str_trim((struct str){text.ptr + begin, at - begin});
            begin = at + 1;
        }
        if (depth == 0) {
            call->all = (struct str){text.ptr + first, at - first};
            call->end = at + 1;
            return true;
        }
        at = c == '\'' || c == '"' ? skip_quoted(text, at) : at + 1;
    }
    return false;
}

/* The word whose @ stands at `at`. */
static bool read_call(struct str text, size_t at, struct call *call)
{
    size_t end = at + 1;
    while (end < text.len &&
           ((text.ptr[end] >= 'a' && text.ptr[end] <= 'z') || text.ptr[end] == '_')) {
        end++;
    }
    const struct str name = {text.ptr + at + 1, end - at - 1};
    *call = (struct call){.word = 0};
    while (call->word < DIALECT_WORD_COUNT && !str_eq(words[call->word].name, name)) {
        call->word++;
    }
    return call->word < DIALECT_WORD_COUNT && end < text.len && text.ptr[end] == '(' &&
           read_arguments(text, end + 1, call) &&
           (words[call->word].arguments == 0 || words[call->word].arguments == call->count);
}

static bool translate(struct buf *out, const struct dialect *dialect, struct str text);

static bool translate_call(struct buf *out, const struct dialect *dialect,
                           const struct call *call)
{
    bool good = true;
    for (const char *c = dialect->templates[call->word]; *c && good; c++) {
        if (*c != '$') {
            buf_addc(out, *c);
            continue;
        }
        c++;
        good = translate(out, dialect, *c == '*' ? call->all : call->arguments[*c - '1']);
    }
    return good;
}

static bool translate(struct buf *out, const struct dialect *dialect, struct str text)
{
    size_t from = 0, at = 0;
    struct call call;
    while (at < text.len) {
        if (text.ptr[at] == '\'' || text.ptr[at] == '"') {
            at = skip_quoted(text, at);
        } else if (text.ptr[at] == '@') {
            buf_add(out, (struct str){text.ptr + from, at - from});
            if (!read_call(text, at, &call) || !translate_call(out, dialect, &call)) {
                return false;
            }
            from = at = call.end;
        } else {
            at++;
        }
    }
    buf_add(out, (struct str){text.ptr + from, text.len - from});
    return true;
}

int statement_finish(struct statement *statement, struct error *err)
{
    buf_clear(&statement->sql);
    if (!statement->failed && !statement->text.overflow &&
        !translate(&statement->sql, dialect_of_engine(), buf_str(&statement->text))) {
        statement_refuse(statement, ERROR_STORE, "a statement has a word that no engine knows");
    }
    if (statement->text.overflow || statement->sql.overflow) {
        statement_refuse(statement, ERROR_LIMIT, "the query is too large");
    }
    if (statement->failed && err) {
        *err = statement->error;
    }
    return statement->failed;
}

static struct facts_values values_of(const struct statement *statement)
{
    return (struct facts_values){statement->values, statement->value_count};
}

int statement_load(struct facts *facts, struct identifier name,
                   const struct statement_column *columns, size_t column_count,
                   struct facts_values values, struct error *err)
{
    struct statement declared;
    statement_init(&declared);
    for (size_t i = 0; i < column_count; i++) {
        statement_add(&declared, i ? ", " : "");
        statement_column(&declared, columns[i]);
    }
    int failed = statement_finish(&declared, err);
    failed = failed ? failed
                    : facts_load_values(facts, name.name, declared.sql.ptr, column_count,
                                        values, err);
    statement_release(&declared);
    return failed;
}

int statement_query(struct facts *facts, struct statement *statement, struct table *out,
                    struct error *err)
{
    int failed = statement_finish(statement, err);
    return failed ? failed
                  : facts_query(facts, statement->sql.ptr, values_of(statement), out, err);
}

int statement_query_kept(struct facts *facts, struct statement *statement, struct table *out,
                         struct error *err)
{
    int failed = statement_finish(statement, err);
    return failed ? failed
                  : facts_query_kept(facts, statement->sql.ptr, values_of(statement), out, err);
}

int statement_make_kept(struct facts *facts, struct identifier name,
                        struct statement *statement, struct error *err)
{
    int failed = statement_finish(statement, err);
    return failed ? failed
                  : facts_make_kept(facts, name.name, statement->sql.ptr, values_of(statement),
                                    err);
}

int statement_query_each(struct facts *facts, struct statement *statement,
                         const struct table_sink *sink, struct error *err)
{
    int failed = statement_finish(statement, err);
    return failed
               ? failed
               : facts_query_each(facts, statement->sql.ptr, values_of(statement), sink, err);
}

int statement_execute(struct facts *facts, struct statement *statement, int64_t *changed,
                      struct error *err)
{
    int failed = statement_finish(statement, err);
    return failed
               ? failed
               : facts_execute(facts, statement->sql.ptr, values_of(statement), changed, err);
}

int statement_run(struct facts *facts, struct statement *statement, struct error *err)
{
    int failed = statement_execute(facts, statement, NULL, err);
    statement_release(statement);
    return failed;
}

int statement_number(struct facts *facts, struct statement *statement, int64_t *out,
                     bool *present, struct error *err)
{
    int failed = statement_finish(statement, err);
    return failed ? failed
                  : facts_number(facts, statement->sql.ptr, values_of(statement), out, present,
                                 err);
}
