/* SPDX-License-Identifier: MIT */
#include "service/bank/beside.h"

#include "bank/amount.h"
#include "base/scan.h"
#include "config/config.h"

bool beside_read(const struct service *service, struct beside *out)
{
    const struct config_section *section =
        service->config ? config_find(service->config, STR("bank"), (struct str){0}) : NULL;
    const struct config_entry *entry =
        section ? config_entry_at(section, config_bank_keys[CONFIG_BANK_BESIDE].name) : NULL;
    struct str unit = entry ? entry->value : (struct str){0};
    const struct str amount = str_cut(&unit, ' ');
    *out = (struct beside){0};
    if (!entry || !scan_decimal(amount, 6, &out->price)) {
        return false;
    }
    out->unit = str_trim(unit);
    return true;
}

void beside_columns(const struct service *service, struct table *table, const char *const *ids,
                    struct beside *out)
{
    if (!beside_read(service, out)) {
        return;
    }
    for (; *ids && out->count < BESIDE_COLUMNS_MAX; ids++) {
        struct arena arena = {0};
        const size_t of = table_find(table, *ids);
        const char *label =
            arena_printf(&arena, "%.*s %s", STR_ARG(out->unit), table->columns[of].label);
        out->columns[out->count].of = of;
        out->columns[out->count++].column =
            table_column(table, arena_printf(&arena, "%s_beside", *ids), label, CELL_INT,
                         UNIT_MONEY, COLUMN_BESIDE);
        arena_release(&arena);
    }
}

int beside_fill(const struct beside *beside, struct table *table, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; i < beside->count; i++) {
        for (size_t row = 0; !failed && row < table->row_count; row++) {
            const size_t of = beside->columns[i].of;
            if (!table_has(table, of, row)) {
                continue;
            }
            const int64_t amount = table->columns[of].cells[row].integer;
            const int sign = amount < 0 ? -1 : 1;
            int64_t shown = 0;
            failed = amount_scale(sign * amount, beside->price, AMOUNT_ONE, &shown, err);
            if (!failed) {
                table_set_int(table, beside->columns[i].column, row, sign * shown);
            }
        }
    }
    return failed;
}
