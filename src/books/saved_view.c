/* SPDX-License-Identifier: MIT */
#include "books/saved_view.h"

int saved_view_check_row(const struct kind *kind, const struct kind_row *row, struct error *err)
{
    const struct str question = kind_cell(kind, row, "question");
    const bool path = question.len > 0 && question.ptr[0] == '/' &&
                      (question.len < 2 || (question.ptr[1] != '/' && question.ptr[1] != '\\'));
    return path ? 0
                : error_set(err, ERROR_USAGE,
                            "a question is an address below the site, "
                            "/explore/cpu_hours?by=group, not '%.*s'",
                            STR_ARG(question));
}
