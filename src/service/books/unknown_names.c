/* SPDX-License-Identifier: MIT */
#include "service/books/unknown_names.h"

#include <inttypes.h>

#include "bank/ledger.h"
#include "base/limit.h"
#include "books/cluster_rule.h"
#include "report/queries/distinct_values.h"

/* Whether a rule lets runs count under this cluster. */
static int is_given_by_rule(struct books *books, struct str cluster, bool *given,
                            struct error *err)
{
    struct cluster_rules rules;
    int failed = books_cluster_rules(books, &rules, err);
    for (size_t i = 0; !failed && i < rules.count; i++) {
        *given = *given || str_eq(rules.rows[i].as, cluster);
    }
    cluster_rules_release(&rules);
    return failed;
}

static int note_name(struct facts *facts, const struct field *field, struct str name,
                     const struct kind *kind, struct answer *answer, struct error *err)
{
    struct buf nearest;
    buf_init(&nearest, LIMIT_TEXT_FIELD);
    int failed = distinct_values_nearest(facts, field, name, &nearest, err);
    if (!failed && nearest.len > 0) {
        const int64_t id = answer->table.columns[0].cells[0].integer;
        answer_note(answer, NOTE_WARNING,
                    "no run has %s '%.*s' so far; did you mean '%s'? change it with: "
                    "stint %s set %" PRId64 " --%s NAME",
                    field->id, STR_ARG(name), nearest.ptr, kind->name, id, field->id);
    } else if (!failed) {
        answer_note(answer, NOTE_WARNING, "no run has %s '%.*s' so far; it waits for the first",
                    field->id, STR_ARG(name));
    }
    buf_release(&nearest);
    return failed;
}

/* One column of the answer, if it is of the kind and names what runs have. */
static int check_column(struct facts *facts, struct books *books, const struct kind *kind,
                        size_t c, struct answer *answer, struct error *err)
{
    const struct column *column = &answer->table.columns[c];
    const size_t i = kind_column(kind, column->id);
    if (i == kind->column_count || !(kind->columns[i].flags & KIND_OF_RUNS) ||
        !table_has(&answer->table, c, 0)) {
        return 0;
    }
    const struct field *field = column_find(str_of(column->id));
    const struct str name = column->cells[0].text;
    bool known = false;
    int failed = distinct_values_has(facts, field, name, &known, err);
    if (!failed && !known && str_eq(str_of(field->id), STR("cluster"))) {
        failed = is_given_by_rule(books, name, &known, err);
    }
    return failed || known ? failed : note_name(facts, field, name, kind, answer, err);
}

/* The column of a kind that has this flag; column_count if none has. */
static size_t column_with(const struct kind *kind, enum kind_flag flag)
{
    size_t i = 0;
    while (i < kind->column_count && !(kind->columns[i].flags & flag)) {
        i++;
    }
    return i;
}

static void note_account(struct books *books, const struct kind *kind, struct str name,
                         struct answer *answer)
{
    struct ledger_accounts accounts;
    const struct ledger_account *account;
    struct error err;
    int failed = ledger_accounts_list(books, &accounts, &err);
    failed = failed ? failed : ledger_accounts_get(&accounts, name, &account, &err);
    if (failed == ERROR_MISSING) {
        answer_note(answer, NOTE_WARNING, "%s; this %s waits until it is opened", err.text,
                    kind->one);
    } else if (failed) {
        answer_note(answer, NOTE_WARNING,
                    "whether the bank has this account was not looked up: %s", err.text);
    }
    ledger_accounts_release(&accounts);
}

static void note_runs(const struct service *service, struct books *books,
                      const struct kind *kind, struct answer *answer)
{
    struct facts *facts = NULL;
    struct period span;
    struct error err;
    bool any = false;
    const int64_t patience = service->session->wait.limit_us;
    service->session->wait.limit_us =
        0; /* what was written is written: nobody waits for a note */
    int failed = session_facts(service->session, FACTS_READ, &facts, &err);
    service->session->wait.limit_us = patience;
    if (failed == ERROR_MISSING) {
        return; /* no store, no runs */
    }
    failed = failed ? failed : listing_span(facts, &span, &any, &err);
    for (size_t c = 0; !failed && any && c < answer->table.column_count; c++) {
        failed = check_column(facts, books, kind, c, answer, &err);
    }
    if (failed) {
        answer_note(answer, NOTE_WARNING, "whether runs have these names was not looked up: %s",
                    err.text);
    }
}

void unknown_names_note(const struct service *service, struct books *books,
                        const struct kind *kind, struct answer *answer)
{
    const size_t account = column_with(kind, KIND_OF_BANK);
    if (account < kind->column_count) {
        /* the first column of the answer is the number */
        note_account(books, kind, answer->table.columns[1 + account].cells[0].text, answer);
    }
    if (column_with(kind, KIND_OF_RUNS) < kind->column_count) {
        note_runs(service, books, kind, answer);
    }
}
