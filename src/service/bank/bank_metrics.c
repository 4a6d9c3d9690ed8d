/* SPDX-License-Identifier: MIT */
#include "service/bank/bank_metrics.h"

#include "enforce/drift.h"
#include "service/bank/bank.h"

/* A family for each of these columns of `stint bank balance`: absent cells have no sample. */
static const struct {
    struct openmetrics_family head;
    const char *column;
} families[] = {
    {{"stint_bank_granted_su", METRIC_GAUGE, NULL,
      "SU of the allotments that hold, by account of the bank."},
     "granted"},
    {{"stint_bank_balance_su", METRIC_GAUGE, NULL, "SU that are left of them."}, "balance"},
    {{"stint_bank_held_su", METRIC_GAUGE, NULL, "SU that running jobs may still cost."},
     "held"},
    {{"stint_bank_free_su", METRIC_GAUGE, NULL, "Balance without what running jobs hold."},
     "free"},
    {{"stint_bank_will_expire_su", METRIC_GAUGE, NULL,
      "SU that are left at the next end at the rate of the last 30 days."},
     "will_expire"},
    {{"stint_bank_ends_timestamp_seconds", METRIC_GAUGE, "seconds",
      "When the next allotment ends."},
     "ends"},
    {{"stint_bank_runs_out_timestamp_seconds", METRIC_GAUGE, "seconds",
      "When what is free is used up at the rate of the last 30 days."},
     "runs_out"},
};

static const struct openmetrics_family of_drift = {
    "stint_bank_drift_su", METRIC_GAUGE, NULL,
    "What a scheduler lets an account use beyond what the bank shows, as left when limits "
    "were last applied."};

static void write_family(struct buf *out, const struct table *table,
                         const struct openmetrics_family *head, size_t column)
{
    const size_t account = table_find(table, "account"), parent = table_find(table, "parent");
    for (size_t row = 0; row < table->row_count && column < table->column_count; row++) {
        if (table_has(table, column, row) && !table_has(table, parent, row)) {
            openmetrics_begin(out, head);
            openmetrics_label(out, "account", table->columns[account].cells[row].text);
            openmetrics_real(out, (double)table->columns[column].cells[row].integer / 1e6);
        }
    }
}

static int write_drift(struct buf *out, enum openmetrics_form form, struct books *books,
                       struct error *err)
{
    struct drift_list list;
    int failed = drift_list_read(books, &list, err);
    if (!failed && list.count > 0) {
        openmetrics_family(out, form, &of_drift);
    }
    for (size_t i = 0; !failed && i < list.count; i++) {
        openmetrics_begin(out, &of_drift);
        openmetrics_label(out, "cluster", list.rows[i].cluster);
        openmetrics_label(out, "account", list.rows[i].account);
        openmetrics_real(out, (double)list.rows[i].micro / 1e6);
    }
    drift_list_release(&list);
    return failed;
}

int bank_metrics(struct service *service, enum openmetrics_form form, struct buf *out,
                 struct error *err)
{
    const struct request request = {0};
    struct answer answer = {0};
    struct bank bank = {0};
    if (!books_exist(service->store)) {
        return 0;
    }
    int failed = bank_open(service, &request, &answer, BOOKS_READ, &bank, err);
    if (!failed && bank.accounts.count > 0) {
        failed = bank_list_balances(&bank);
        for (size_t i = 0; !failed && i < COUNT_OF(families); i++) {
            openmetrics_family(out, form, &families[i].head);
            write_family(out, &answer.table, &families[i].head,
                         table_find(&answer.table, families[i].column));
        }
        failed = failed ? failed : write_drift(out, form, bank.books, err);
    }
    bank_close(&bank);
    answer_release(&answer);
    return failed;
}
