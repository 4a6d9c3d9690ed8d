/* SPDX-License-Identifier: MIT */
#include "report/queries/grouped.h"

#include <inttypes.h>

#include "report/sql/column.h"
#include "report/sql/quantity.h"

static bool has_names(const struct field *dimension)
{
    return dimension_name(dimension, 0) != NULL;
}

void grouped_add_dimension(const struct field *dimension, struct table *answer)
{
    const bool text = dimension->type == FIELD_TEXT || has_names(dimension);
    table_column(answer, dimension->id, dimension->label, text ? CELL_TEXT : CELL_INT,
                 dimension->unit, COLUMN_DIMENSION);
}

void grouped_set_dimension(const struct field *dimension, const struct table *raw,
                           size_t column, size_t row, struct table *answer, size_t to_column,
                           size_t to_row)
{
    if (!table_has(raw, column, row)) {
        return;
    }
    if (has_names(dimension)) {
        const char *name = dimension_name(dimension, (int64_t)table_wide(raw, column, row));
        table_set_text(answer, to_column, to_row, str_of(name ? name : "?"));
    } else {
        table_copy_cell(raw, column, row, answer, to_column, to_row);
    }
}

static int check_dimensions(const struct question *q, struct error *err)
{
    for (size_t i = 0; i < q->dimension_count; i++) {
        if (dimension_fold(q->dimensions[i]) != FOLD_NONE) {
            return error_set(err, ERROR_USAGE,
                             "this command counts whole runs, which have no '%s': use another "
                             "dimension, or see: stint when",
                             q->dimensions[i]->id);
        }
    }
    return 0;
}

/* By the column that is said, largest first, then by what rows are about. */
static void add_order(const struct question *q, const struct grouped *grouped,
                      struct statement *sql)
{
    const size_t dimensions = grouped->group ? 1 : q->dimension_count;
    statement_add(sql,
                  dimensions ? " GROUP BY ALL HAVING count(*) > 0 ORDER BY " : " ORDER BY ");
    if (grouped->sort < grouped->count) {
        statement_add(sql, "m%zu DESC NULLS LAST", grouped->sort);
    }
    for (size_t i = 0; i < dimensions; i++) {
        statement_add(sql, i || grouped->sort < grouped->count ? ", d%zu" : "d%zu", i);
    }
    if (q->limit > 0) {
        statement_add(sql, " LIMIT %" PRId64, q->limit);
    }
}

static void add_statement(const struct question *q, const struct grouped *grouped,
                          struct statement *sql)
{
    const struct expression instant = runs_source_instant(grouped->at);
    statement_add(sql, "SELECT ");
    if (grouped->group) {
        statement_add(sql, "@long(");
        grouped->group(grouped->context, sql);
        statement_add(sql, ") AS d0, ");
    }
    for (size_t i = 0; !grouped->group && i < q->dimension_count; i++) {
        column_add(sql, q->dimensions[i]);
        statement_add(sql, " AS d%zu, ", i);
    }
    for (size_t i = 0; i < grouped->count; i++) {
        statement_add(sql, i ? ", @wide(" : "@wide(");
        quantity_expression(sql, grouped->columns[i].sql, runs_source_by_node(q));
        statement_add(sql, ") AS m%zu", i);
    }
    statement_add(sql, " FROM ");
    runs_source_add(q, grouped->at, sql);
    statement_add(sql, " WHERE start IS NOT NULL AND ");
    statement_expression(sql, instant);
    statement_add(sql, " >= %" PRId64 " AND ", q->period.from);
    statement_expression(sql, instant);
    statement_add(sql, " < %" PRId64, q->period.to);
    filter_sql_of_runs(&q->filter, q->zone, q->now, runs_source_rows(q), sql);
    add_order(q, grouped, sql);
}

static void shape_answer(const struct question *q, const struct grouped *grouped,
                         const struct table *raw, struct table *answer)
{
    const struct grouped_column *columns = grouped->columns;
    const size_t count = grouped->count;
    const bool group = grouped->group != NULL;
    const size_t first = group ? 1 : q->dimension_count;
    if (group) {
        table_column(answer, "group", "Group", CELL_INT, UNIT_NONE, COLUMN_DIMENSION);
    }
    for (size_t i = 0; !group && i < first; i++) {
        grouped_add_dimension(q->dimensions[i], answer);
    }
    for (size_t i = 0; i < count; i++) {
        table_column(answer, columns[i].id, columns[i].label, CELL_WIDE, columns[i].unit,
                     COLUMN_MEASURE);
    }
    for (size_t row = 0; row < raw->row_count; row++) {
        table_row(answer);
        for (size_t c = 0; c < first; c++) {
            if (group) {
                table_copy_cell(raw, c, row, answer, c, row);
            } else {
                grouped_set_dimension(q->dimensions[c], raw, c, row, answer, c, row);
            }
        }
        for (size_t c = first; c < first + count; c++) {
            table_copy_cell(raw, c, row, answer, c, row);
        }
    }
}

int grouped_ask(struct facts *facts, const struct question *question,
                const struct grouped *grouped, struct table *answer, struct error *err)
{
    struct table raw = {0};
    struct statement sql;
    int failed;
    statement_init(&sql);
    add_statement(question, grouped, &sql);
    (void)((failed = check_dimensions(question, err)) ||
           (failed = runs_source_load(facts, question, err)) ||
           (failed = statement_query_kept(facts, &sql, &raw, err)));
    if (!failed) {
        shape_answer(question, grouped, &raw, answer);
    }
    table_release(&raw);
    statement_release(&sql);
    return failed;
}
