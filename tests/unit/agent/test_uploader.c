/* SPDX-License-Identifier: MIT */
#include "agent/uploader.h"

#include "base/zone.h"
#include "support/expect.h"

static void waiting_doubles_up_to_a_quarter_of_an_hour_and_is_spread(void **state)
{
    (void)state;
    for (unsigned failures = 1; failures < 40; failures++) {
        int64_t most = 5 * SECOND_US;
        for (unsigned i = 1; i < failures && most < 900 * SECOND_US; i++) {
            most *= 2;
        }
        most = most < 900 * SECOND_US ? most : 900 * SECOND_US;
        expect_int(uploader_backoff(failures, 0), most / 2);
        for (uint64_t chance = 1; chance < 1000; chance++) {
            const int64_t wait =
                uploader_backoff(failures, chance * UINT64_C(0x9E3779B97F4A7C15));
            expect_true(wait >= most / 2 && wait <= most);
        }
    }
    expect_true(uploader_backoff(3, 1) != uploader_backoff(3, 12345678901));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, waiting_doubles_up_to_a_quarter_of_an_hour_and_is_spread);
    return suite_run(&suite, "shipping");
}
