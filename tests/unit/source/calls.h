/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For tests that ask the service as a user would: an operation by its name, its parameters as words.
 */

#include <stdio.h>

#include "base/zone.h"
#include "command/offer.h"
#include "service/core/service.h"
#include "support/expect.h"
#include "table/table.h"

enum { CALL_WORDS_MAX = 8 };

static inline int64_t call_now(void)
{
    return INT64_C(1742472000) * SECOND_US; /* 2025-03-20T12:00:00Z */
}

/* Runs an operation with "name=value" words, the last one NULL; what it returns. */
static inline int call_tries(const char *folder, const struct zone *zone, const char *operation,
                             const char *const *words, struct answer *answer, struct error *err)
{
    struct request_value values[CALL_WORDS_MAX];
    struct request request = {.operation = operation_find(str_of(operation)), .values = values};
    const struct caller admin = {.name = "root", CALLER_AS(ADMIN)};
    struct session session = {.folder = folder};
    struct service service = {
        .store = folder, .session = &session, .caller = &admin, .zone = zone, .now = call_now};
    char names[CALL_WORDS_MAX][32];
    for (; words[request.count]; request.count++) {
        expect_true(request.count < CALL_WORDS_MAX);
        struct str rest = str_of(words[request.count]);
        struct str name = str_cut(&rest, '=');
        (void)snprintf(names[request.count], sizeof(names[0]), "%.*s", STR_ARG(name));
        values[request.count] = (struct request_value){names[request.count], rest};
    }
    struct offer offer;
    offer_init(&offer, values, request.count, &service);
    request.inputs = &offer.inputs;
    *answer = (struct answer){0};
    int failed = service_call(&service, &request, answer, err);
    offer_release(&offer);
    return failed;
}

/* The same where it must not fail. */
static inline void call(const char *folder, const struct zone *zone, const char *operation,
                        const char *const *words, struct answer *answer)
{
    struct error err = {0};
    if (call_tries(folder, zone, operation, words, answer, &err)) {
        expect_fail("%s", err.text);
    }
}

/* A cell as a number; 0 where it is absent. */
static inline double call_cell(const struct table *table, size_t column, size_t row)
{
    if (!table_has(table, column, row)) {
        return 0;
    }
    return table->columns[column].type == CELL_REAL ? table->columns[column].cells[row].real
                                                    : (double)table_wide(table, column, row);
}

/* The column with this id; there must be one. */
static inline size_t call_column(const struct table *table, const char *id)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].id, id) == 0) {
            return i;
        }
    }
    expect_fail("there is no column %s", id);
}
