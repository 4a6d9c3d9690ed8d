/* SPDX-License-Identifier: MIT */
#include "agent/read_schedule.h"

#include "support/expect.h"

enum { ANN = 11, BEN = 12, LOOKS = 24 };

/* Which looks read, as text: 'x' or '.'. `holders` has a letter a look: '-' nobody, 'a', 'b'. */
static void expect_turns(unsigned card, const char *holders, const char *want)
{
    struct read_schedule turn = {0};
    char got[LOOKS + 1] = "";
    for (size_t i = 0; holders[i] && i < LOOKS; i++) {
        const uint64_t holder = holders[i] == 'a' ? ANN : holders[i] == 'b' ? BEN : 0;
        got[i] = read_schedule_is_due(&turn, card, holder) ? 'x' : '.';
    }
    expect_text(got, want);
}

static void the_counter_is_read_at_each_fifth_look(void **state)
{
    (void)state;
    expect_turns(0, "------------", "x....x....x.");
    expect_turns(1, "------------", "x...x....x..");
    expect_turns(4, "------------", "xx....x....x");
    expect_turns(5, "------------", "x....x....x.");
}

static void and_whenever_another_job_holds_the_card(void **state)
{
    (void)state;
    expect_turns(0, "aaaaaaaaaaaa", "x....x....x.");
    expect_turns(0, "--aaabb-a", "x.x..x.xx");
    expect_turns(0, "aaaab", "x...x");
    expect_turns(0, "aabbbbbbb", "x.x....x.");
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, the_counter_is_read_at_each_fifth_look);
    SUITE_TEST(&suite, and_whenever_another_job_holds_the_card);
    return suite_run(&suite, "turn");
}
