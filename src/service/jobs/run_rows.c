/* SPDX-License-Identifier: MIT */
#include "service/jobs/run_rows.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/catalog.h"
#include "report/queries/listing.h"
#include "report/sql/column.h"
#include "service/core/params.h"
#include "service/query/query_context.h"

static void add_field(struct listing *listing, const struct field *field)
{
    size_t i = 0;
    while (i < listing->field_count && listing->fields[i] != field) {
        i++;
    }
    assert(field && i < COUNT_OF(listing->fields));
    listing->fields[i] = field;
    listing->field_count += i == listing->field_count;
}

int run_rows_ask(const struct service *service, const struct request *request,
                 struct facts *facts, const char *fields, struct run_rows *out,
                 struct error *err)
{
    struct listing listing = {.zone = service->zone, .now = service->now()};
    struct query_context with;
    int failed = 0;
    *out = (struct run_rows){0};
    for (struct str rest = str_of(fields); rest.ptr;) {
        add_field(&listing, column_find(str_cut(&rest, ',')));
    }
    listing.limit = RUN_ROWS_MAX;
    out->any_time = (request_has(request, "job") || request_has(request, "id")) &&
                    !request_has(request, "from") && !request_has(request, "to");
    (void)((failed = params_filter(service, request, &listing.filter, err)) ||
           (!out->any_time &&
            (failed = params_period(service, request, &listing.period, err))));
    if (failed) {
        return failed;
    }
    out->period = listing.period;
    struct question books = {.filter = listing.filter};
    listing.books = &books;
    (void)((failed = query_context_read(service, facts, &books, &with, err)) ||
           (failed = listing_ask(facts, &listing, &out->table, err)));
    query_context_release(&with);
    out->cut = out->table.row_count == RUN_ROWS_MAX;
    return failed;
}

void run_rows_release(struct run_rows *rows)
{
    table_release(&rows->table);
    free(rows->uses);
}

int run_rows_use(struct facts *facts, int64_t now, struct run_rows *rows, struct error *err)
{
    rows->uses = mem_alloc(rows->table.row_count + 1, sizeof(*rows->uses));
    return use_rows_read(facts, &rows->table, now, rows->uses, err);
}

int run_rows_note(struct service *service, struct facts *facts, const struct request *request,
                  const struct run_rows *rows, struct answer *answer, struct error *err)
{
    struct filter filter = {0};
    if (rows->cut) {
        answer_note(
            answer, NOTE_MORE,
            "only the newest %d runs were looked at: choose with --from, --to and filters",
            RUN_ROWS_MAX);
    }
    if (rows->any_time) {
        return 0;
    }
    int failed = params_filter(service, request, &filter, err);
    return failed ? failed
                  : params_note_period(service, facts, rows->period, service->now(), &filter,
                                       answer, err);
}

double run_rows_number(const struct run_rows *rows, size_t column, size_t row, double absent)
{
    return table_has(&rows->table, column, row) ? table_real(&rows->table, column, row)
                                                : absent;
}

struct str run_rows_text(const struct run_rows *rows, size_t column, size_t row)
{
    return table_has(&rows->table, column, row) ? rows->table.columns[column].cells[row].text
                                                : STR("");
}

bool run_rows_agree(const struct run_rows *rows, size_t column)
{
    for (size_t row = 1; row < rows->table.row_count; row++) {
        if (!str_eq(run_rows_text(rows, column, row), run_rows_text(rows, column, 0))) {
            return false;
        }
    }
    return true;
}
