/* SPDX-License-Identifier: MIT */
#include "books/customer.h"

#include "books/kind.h"

int customer_check_row(const struct kind *kind, const struct kind_row *row, struct error *err)
{
    static const int64_t all = INT64_C(100000000); /* 100 percent in millionths */
    const struct str tax = kind_cell(kind, row, "tax");
    return tax.ptr && kind_micro(tax) > all
               ? error_set(err, ERROR_USAGE, "tax is in percent: 0 to 100, not %.*s",
                           STR_ARG(tax))
               : 0;
}
