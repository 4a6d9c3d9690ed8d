/* SPDX-License-Identifier: MIT */

/*
 * stint measures, stint dimensions: what can be asked.
 */

#include "report/catalog.h"
#include "service/core/operations.h"

static void add_text_column(struct table *table, const char *id, const char *label)
{
    table_column(table, id, label, CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
}

static void add_definition(struct table *table)
{
    table_column(table, "definition", "Definition", CELL_TEXT, UNIT_NONE, COLUMN_PROSE);
}

static int run_measures(struct service *service, const struct request *request,
                        struct answer *answer, struct error *err)
{
    (void)service;
    (void)request;
    (void)err;
    struct table *table = &answer->table;
    add_text_column(table, "measure", "Measure");
    add_text_column(table, "unit", "Unit");
    add_text_column(table, "summed", "Summed");
    add_text_column(table, "detail", "Drill down");
    add_definition(table);
    for (size_t i = 0; i < measure_count; i++) {
        const struct measure *m = &measures[i];
        size_t row = table_row(table);
        table_set_text(table, 0, row, str_of(m->id));
        table_set_text(table, 1, row, str_of(unit_name(m->unit)));
        table_set_text(table, 2, row, str_of(m->additive ? "yes" : "no"));
        table_set_text(table, 3, row, str_of(m->detail));
        table_set_text(table, 4, row, str_of(m->doc));
    }
    answer_note(answer, NOTE_READING,
                "the rows of measures that are not additive do not add up to their total");
    return 0;
}

static int run_dimensions(struct service *service, const struct request *request,
                          struct answer *answer, struct error *err)
{
    (void)service;
    (void)request;
    (void)err;
    struct table *table = &answer->table;
    const struct field *field;
    add_text_column(table, "dimension", "Dimension");
    add_text_column(table, "unit", "Unit");
    add_definition(table);
    for (size_t i = 0; (field = dimension_at(i)) != NULL; i++) {
        size_t row = table_row(table);
        table_set_text(table, 0, row, str_of(field->id));
        table_set_text(table, 1, row, str_of(unit_name(field->unit)));
        table_set_text(table, 2, row, str_of(field->doc));
    }
    return 0;
}

const struct operation operation_measures = {
    .name = "measures",
    .summary = "list the available measures",
    .description = "Lists every measure that stint report accepts, with its unit and "
                   "definition. For additive measures the total is the sum of the rows; for "
                   "the others (distinct users, medians, peaks, ratios) it is not.",
    .examples = "stint measures # all of them\n"
                "stint measures --format csv # for a script",
    .rights = RIGHT_PUBLIC,
    .run = run_measures,
};

const struct operation operation_dimensions = {
    .name = "dimensions",
    .summary = "list the dimensions that reports can be grouped by",
    .description = "Lists every dimension that stint report accepts with --by.",
    .examples = "stint dimensions # all of them",
    .rights = RIGHT_PUBLIC,
    .run = run_dimensions,
};
