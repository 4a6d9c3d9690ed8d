/* SPDX-License-Identifier: MIT */
#include "sampler/gpu_owner.h"

#include "support/expect.h"

struct names_row {
    const char *name, *list;
    int64_t index;
    const char *uuid;
    bool want;
};

static const struct names_row names_rows[] = {
    {"one number", "2", 2, NULL, true},
    {"another number", "2", 3, NULL, false},
    {"several", "0,2", 2, NULL, true},
    {"a range", "0-3", 2, NULL, true},
    {"beyond a range", "0-3", 4, NULL, false},
    {"a UUID", "GPU-1a,GPU-2b", -1, "GPU-2b", true},
    {"a UUID of AMD", "GPU-8f3e2a1b", -1, "8f3e2a1b", true},
    {"numbers count from elsewhere where only UUIDs are believed", "0", -1, "GPU-2b", false},
    {"no list", "", 0, "GPU-2b", false},
    {"no devices", "NoDevFiles", 0, NULL, false},
};

static void a_list_names_a_card(void **state)
{
    const struct names_row *row = *state;
    expect_int(gpu_owner_names(str_of(row->list), row->index, str_of(row->uuid)), row->want);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_list_names_a_card, names_rows);
    return suite_run(&suite, "holder");
}
