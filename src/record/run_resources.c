/* SPDX-License-Identifier: MIT */
#include "record/run_resources.h"

#include "base/scan.h"

static bool is_in(struct str text, struct str name)
{
    while (text.len > 0) {
        struct str number = str_cut(&text, ',');
        if (str_eq(str_cut(&number, '='), name)) {
            return true;
        }
    }
    return false;
}

bool run_resources_valid(struct str text)
{
    for (struct str rest = text; rest.len > 0;) {
        struct str number = str_cut(&rest, ',');
        const struct str name = str_cut(&number, '=');
        int64_t count;
        const bool ends = rest.ptr && rest.len == 0; /* a comma with nothing after it */
        if (ends || !str_byte(name, '/') || !number.ptr || number.len == 0 ||
            number.ptr[0] < '0' || number.ptr[0] > '9' || !scan_int(number, &count) ||
            count > RUN_RESOURCES_MAX || is_in(rest, name)) {
            return false;
        }
    }
    return true;
}

int64_t run_resources_count(struct str text, struct str name)
{
    int64_t count = 0;
    while (text.len > 0) {
        struct str number = str_cut(&text, ',');
        if (str_eq(str_cut(&number, '='), name) && scan_int(number, &count)) {
            return count;
        }
    }
    return 0;
}
