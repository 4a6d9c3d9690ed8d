/* SPDX-License-Identifier: MIT */
#include "books/cap.h"

#include "books/kind.h"

int cap_check_row(const struct kind *kind, const struct kind_row *row, struct error *err)
{
    static const int64_t all = INT64_C(100000000); /* 100 percent in millionths */
    const struct str amount = kind_cell(kind, row, "amount"),
                     share = kind_cell(kind, row, "share");
    if (!amount.ptr == !share.ptr) {
        return error_set(err, ERROR_USAGE,
                         "say how much: either --amount SU, or --share PERCENT of what is "
                         "granted to the account");
    }
    return share.ptr && kind_micro(share) > all
               ? error_set(err, ERROR_USAGE, "share is in percent: 0 to 100, not %.*s",
                           STR_ARG(share))
               : 0;
}
