/* SPDX-License-Identifier: MIT */
#include "report/tables/grouped.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "report/sql/booked.h"

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
                             "this is about whole runs, which have no '%s': group by something "
                             "else, or see: stint when",
                             q->dimensions[i]->id);
        }
    }
    return 0;
}

static int add_statement(const struct question *q, enum grouped_at at, const char *group,
                         const struct grouped_column *columns, size_t count, const char *order,
                         struct buf *sql, struct filter_values *values, struct error *err)
{
    const char *instant = at == GROUPED_AT_END ? "\"end\"" : "start";
    buf_addz(sql, "SELECT ");
    if (group) {
        buf_addf(sql, "(%s)::BIGINT AS d0, ", group);
    }
    for (size_t i = 0; !group && i < q->dimension_count; i++) {
        buf_addf(sql, "%s AS d%zu, ", column_sql(q->dimensions[i]), i);
    }
    for (size_t i = 0; i < count; i++) {
        buf_addf(sql, "%s(%s)::HUGEINT AS m%zu", i ? ", " : "", columns[i].sql, i);
    }
    buf_addz(sql, " FROM ");
    int failed = booked_add(q, instant, sql, values, err);
    buf_addf(sql, " WHERE start IS NOT NULL AND %s >= %" PRId64 " AND %s < %" PRId64, instant,
             q->period.from, instant, q->period.to);
    failed = failed ? failed : filter_sql(&q->filter, q->zone, q->now, sql, values, err);
    buf_addf(sql, "%s ORDER BY %s",
             group || q->dimension_count ? " GROUP BY ALL HAVING count(*) > 0" : "", order);
    if (q->limit > 0) {
        buf_addf(sql, " LIMIT %" PRId64, q->limit);
    }
    return failed;
}

static void shape_answer(const struct question *q, const char *group,
                         const struct grouped_column *columns, size_t count,
                         const struct table *raw, struct table *answer)
{
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

int grouped_ask(struct facts *facts, const struct question *question, enum grouped_at at,
                const char *group, const struct grouped_column *columns, size_t count,
                const char *order, struct table *answer, struct error *err)
{
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct table raw = {0};
    struct buf sql;
    int failed;
    buf_init(&sql, LIMIT_SQL);
    (void)((failed = check_dimensions(question, err)) ||
           (failed = booked_load(facts, question, err)) ||
           (failed =
                add_statement(question, at, group, columns, count, order, &sql, values, err)) ||
           (failed =
                facts_query(facts, sql.ptr,
                            (struct facts_values){values->values, values->count}, &raw, err)));
    if (!failed) {
        shape_answer(question, group, columns, count, &raw, answer);
    }
    table_release(&raw);
    buf_release(&sql);
    free(values);
    return failed;
}
