/* SPDX-License-Identifier: MIT */
#include "record/unit.h"

#include <string.h>

#include "support/expect.h"

static void every_unit_has_a_name(void **state)
{
    (void)state;
    expect_text(unit_name(UNIT_NONE), "");
    for (int a = UNIT_NONE + 1; a < UNIT_COUNT_OF; a++) {
        const char *name = unit_name((enum unit)a);
        expect_true(name && strlen(name) > 0);
        for (int b = UNIT_NONE; b < a; b++) {
            /* thousandths of a joule are printed as joules */
            expect_true(strcmp(name, unit_name((enum unit)b)) != 0 ||
                        (b == UNIT_JOULES && a == UNIT_MILLIJOULES));
        }
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_unit_has_a_name);
    return suite_run(&suite, "unit");
}
