/* SPDX-License-Identifier: MIT */
#include "record/run_resources.h"

#include "support/expect.h"

struct text_row {
    const char *name, *text;
    bool valid;
};

static const struct text_row text_rows[] = {
    {"none", "", true},
    {"one", "gres/shard=2", true},
    {"several", "bb/cray=1099511627776,gres/gpu:a100=1,license/matlab@srv=1", true},
    {"a name without a slash", "shard=2", false},
    {"no number", "gres/shard", false},
    {"an empty number", "gres/shard=", false},
    {"a number below zero", "gres/shard=-2", false},
    {"a sign", "gres/shard=+2", false},
    {"a unit", "gres/shard=2G", false},
    {"more than there can be", "gres/shard=1152921504606846977", false},
    {"the same twice", "gres/shard=2,gres/shard=3", false},
    {"a comma at the end", "gres/shard=2,", false},
    {"a comma at the beginning", ",gres/shard=2", false},
};

static void a_text_is_valid_as_a_whole(void **state)
{
    const struct text_row *row = *state;
    expect_true(run_resources_valid(str_of(row->text)) == row->valid);
}

static void a_resource_is_found_by_its_whole_name(void **state)
{
    (void)state;
    const struct str text = STR("gres/fpga:x=1,gres/fpga=3,license/m=7");
    expect_int(run_resources_count(text, STR("gres/fpga")), 3);
    expect_int(run_resources_count(text, STR("gres/fpga:x")), 1);
    expect_int(run_resources_count(text, STR("license/m")), 7);
    expect_int(run_resources_count(text, STR("license/")), 0);
    expect_int(run_resources_count(STR(""), STR("license/m")), 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_text_is_valid_as_a_whole, text_rows);
    SUITE_TEST(&suite, a_resource_is_found_by_its_whole_name);
    return suite_run(&suite, "run_resources");
}
