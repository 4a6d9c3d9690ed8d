/* SPDX-License-Identifier: MIT */
#include "service/doctor/doctor.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bank/charge.h"
#include "base/mem.h"
#include "books/capacity.h"
#include "books/cluster_rule.h"
#include "report/queries/distinct_values.h"
#include "service/books/kind_actions.h"

enum { NAMED_MAX = 3 }; /* names in one line; of the others their number */

/* The books beside the facts: each field's values are read once, when they are first wanted. */
struct inspection {
    struct doctor *doctor;
    struct books *books;
    struct cluster_rules rules;
    struct table values[RUN_FIELD_COUNT];
    struct arena arena;
    struct error *err;
};

static int by_text(const void *a, const void *b)
{
    return str_compare(((const union cell *)a)->text, ((const union cell *)b)->text);
}

static int read_values(struct inspection *in, const struct field *field, struct table **out)
{
    *out = &in->values[field - run_fields];
    return (*out)->column_count > 0
               ? 0
               : distinct_values_all(in->doctor->facts, field, *out, in->err);
}

/* Whether a run has this value, or counts under it by a rule. */
static int is_known(struct inspection *in, const struct field *field, struct str name,
                    bool *known)
{
    struct table *values = NULL;
    const union cell wanted = {.text = name};
    int failed = read_values(in, field, &values);
    *known = !failed && values->row_count > 0 &&
             bsearch(&wanted, values->columns[0].cells, values->row_count, sizeof(wanted),
                     by_text) != NULL;
    for (size_t i = 0; field == &run_fields[RUN_cluster] && i < in->rules.count; i++) {
        *known = *known || str_eq(in->rules.rows[i].as, name);
    }
    return failed;
}

/* The field whose values a cell names; NULL if it names something else. */
static const struct field *field_of(const struct kind *kind, const struct kind_row *row,
                                    size_t column)
{
    const char *id = kind->columns[column].id;
    if (kind->columns[column].flags & KIND_OF_RUNS) {
        return run_field_find(str_of(id));
    }
    return str_eq(str_of(kind->name), STR("member")) && str_eq(str_of(id), STR("name"))
               ? run_field_find(kind_cell(kind, row, "kind"))
               : NULL;
}

static int is_strange(struct inspection *in, const struct kind *kind,
                      const struct kind_row *row, bool *strange)
{
    int failed = 0;
    for (size_t i = 0; !failed && !*strange && i < kind->column_count; i++) {
        const struct field *field = row->cells[i].ptr ? field_of(kind, row, i) : NULL;
        bool known = true;
        failed = field ? is_known(in, field, row->cells[i], &known) : 0;
        *strange = !failed && !known;
    }
    return failed;
}

/* Rows of a kind that name whom no run knows: most often misspelt, so that they never count. */
static int check_names(struct inspection *in, const struct kind *kind)
{
    struct books_rows rows;
    const char *named = "";
    size_t count = 0;
    int failed = books_list(in->books, kind, &rows, in->err);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        bool strange = false;
        failed = is_strange(in, kind, &rows.rows[i], &strange);
        if (strange && count++ < NAMED_MAX) {
            struct str title = kind_title(kind, &rows.rows[i], &in->arena);
            named =
                arena_printf(&in->arena, "%s%s%.*s", named, *named ? "; " : "", STR_ARG(title));
        }
    }
    if (!failed && count > 0) {
        doctor_add(in->doctor, NOTICE, "books",
                   "%zu of stint %s list name%s what no run has: %s%s", count, kind->name,
                   count == 1 ? "s" : "", named, count > NAMED_MAX ? "; ..." : "");
    }
    books_rows_release(&rows);
    return failed;
}

static bool has_size(const struct capacity_list *sizes, struct str cluster)
{
    for (size_t i = 0; i < sizes->count; i++) {
        if (str_eq(sizes->rows[i].cluster, cluster)) {
            return true;
        }
    }
    return false;
}

/* Clusters with runs whose size nobody said. */
static int check_sizes(struct inspection *in)
{
    struct capacity_list sizes = {0};
    struct table *clusters = NULL;
    struct str first = {0};
    const char *named = "";
    size_t count = 0;
    int failed;
    (void)((failed = read_values(in, &run_fields[RUN_cluster], &clusters)) ||
           (failed = books_capacities(in->books, in->doctor->service->zone, &sizes, in->err)));
    for (size_t row = 0; !failed && row < clusters->row_count; row++) {
        struct str cluster = cluster_rule_apply(
            &in->rules, clusters->columns[0].cells[row].text, (struct str){0}, (struct str){0});
        if (!has_size(&sizes, cluster) && count++ < NAMED_MAX) {
            named = arena_printf(&in->arena, "%s%s%.*s", named, *named ? ", " : "",
                                 STR_ARG(cluster));
            first = first.ptr ? first : cluster;
        }
    }
    if (count > 0) {
        doctor_add(
            in->doctor, NOTICE, "books",
            "nobody said how large %s%s %s, so utilization is unknown: stint capacity add "
            "%.*s --cpus N",
            named, count > NAMED_MAX ? ", ..." : "", count == 1 ? "is" : "are", STR_ARG(first));
    }
    capacity_list_release(&sizes);
    return failed;
}

/*
 * Runs that were charged and that the facts lack, after they were made again or restored: until
 * they are there.
 */
static int check_missing(struct inspection *in)
{
    struct charging_comparison found;
    bool was = false;
    int failed = charging_was_restarted(in->books, &was, in->err);
    if (failed || !was) {
        return failed;
    }
    failed =
        charging_compare(in->books, in->doctor->service->session, in->doctor->service->zone,
                         in->doctor->service->now(), &found, in->err);
    if (!failed && found.missing > 0) {
        doctor_add(
            in->doctor, TROUBLE, "bank",
            "the books are ahead of the facts: %" PRId64
            " runs were charged that the facts do not have, because they were made again "
            "or restored from an older backup; import the accounting files again, then "
            "compare: stint bank check",
            found.missing);
    }
    charging_comparison_release(&found);
    return failed;
}

/*
 * Whether the bank has read changes that these facts do not have: they were made again, or are
 * an older backup.
 */
static int check_bank(struct inspection *in)
{
    bool on = false, follows = true;
    int failed = charging_is_on(in->books, &on, in->err);
    failed = failed || !on ? failed
                           : charging_follows(in->books, in->doctor->facts, &follows, in->err);
    if (!failed && !follows) {
        doctor_add(
            in->doctor, TROUBLE, "bank",
            "the books are ahead of the facts: runs were charged that these facts may not "
            "have, because they were made again or restored from an older backup; import "
            "the accounting files again, then compare: stint bank check");
    }
    return failed || !on || !follows ? failed : check_missing(in);
}

static int inspect(struct inspection *in)
{
    int failed = books_cluster_rules(in->books, &in->rules, in->err);
    for (size_t i = 0; !failed && i < kind_count; i++) {
        failed = check_names(in, &kinds[i]);
    }
    failed = failed ? failed : check_bank(in);
    return failed ? failed : check_sizes(in);
}

int doctor_check_books(struct doctor *doctor, struct error *err)
{
    struct inspection *in;
    struct books *books = NULL;
    struct error found;
    if (!books_exist(doctor->service->store)) {
        doctor_add(doctor, FINE, "books",
                   "none; no metagroups, people or sizes of clusters are written down");
        return 0;
    }
    if (service_books(doctor->service, BOOKS_READ, &books, &found) != 0) {
        doctor_add(doctor, TROUBLE, "books", "%s", found.text);
        return 0;
    }
    doctor_add(doctor, FINE, "books", "open; schema %d", books_schema());
    in = mem_alloc(1, sizeof(*in));
    *in = (struct inspection){.doctor = doctor, .books = books, .err = err};
    int failed = doctor->facts ? inspect(in) : 0;
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        table_release(&in->values[i]);
    }
    cluster_rules_release(&in->rules);
    arena_release(&in->arena);
    free(in);
    return failed;
}
