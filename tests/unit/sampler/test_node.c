/* SPDX-License-Identifier: MIT */
#include "sampler/node.h"

#include "base/buf.h"
#include "base/limit.h"
#include "support/expect.h"

enum { TICKS = 100 };

static void cores_count_work_and_keep_their_places(void **state)
{
    (void)state;
    struct node node = {0};
    struct arena arena = {0};
    expect_true(node_read_stat(&node,
                               STR("cpu  9 9 9 9 9 9 9\n"
                                   "cpu0 32528 189 19573 1000 2000 0 1149 0 0 0\n"
                                   "cpu2 150 0 49 7 7 0 0\n"
                                   "intr 1 2 3\nbtime 1698303295\nprocesses 1\n"),
                               TICKS, &arena));
    expect_uint(node.cpu_count, 3);
    expect_true(node.cpus[0].known);
    expect_int(node.cpus[0].seconds, 534);
    expect_false(node.cpus[1].known);
    expect_true(node.cpus[2].known);
    expect_int(node.cpus[2].seconds, 1);
    expect_true(node.has_boot);
    expect_int(node.boot, 1698303295);
    arena_release(&arena);
}

struct text_row {
    const char *name;
    const char *text;
};

static const struct text_row bad_stat_rows[] = {
    {"nothing", ""},
    {"no cores", "cpu  1 2 3 4 5 6 7\nbtime 5\n"},
    {"no boot time", "cpu0 1 2 3 4 5 6 7\n"},
    {"a boot time that is none", "cpu0 1 2 3 4 5 6 7\nbtime -5\n"},
    {"a core that is cut off", "cpu0 1 2 3 4 5 6\nbtime 5\n"},
    {"a core below zero", "cpu0 1 2 -3 4 5 6 7\nbtime 5\n"},
    {"a core beyond all", "cpu99999999 1 2 3 4 5 6 7\nbtime 5\n"},
};

static void a_stat_without_sense_is_noticed(void **state)
{
    const struct text_row *row = *state;
    struct node node = {0};
    struct arena arena = {0};
    expect_false(node_read_stat(&node, str_of(row->text), TICKS, &arena));
    for (size_t i = 0; i < node.cpu_count; i++) {
        expect_true(!node.cpus[i].known || node.cpus[i].seconds == 0);
    }
    arena_release(&arena);
}

struct memory_row {
    const char *name;
    const char *text;
    int64_t used; /* -1: absent */
};

static const struct memory_row memory_rows[] = {
    {"usual", "MemTotal:       16093776 kB\nMemFree: 1 kB\nMemAvailable:    8162068 kB\n",
     7931708},
    {"all of it is free", "MemTotal: 5 kB\nMemAvailable: 5 kB\n", 0},
    {"an old kernel does not say what is available", "MemTotal: 5 kB\nMemFree: 4 kB\n", -1},
    {"more available than there is", "MemTotal: 5 kB\nMemAvailable: 6 kB\n", -1},
    {"another unit", "MemTotal: 5 MB\nMemAvailable: 4 MB\n", -1},
    {"no number", "MemTotal: x kB\nMemAvailable: 4 kB\n", -1},
    {"nothing", "", -1},
};

static void memory_in_use_is_what_is_not_available(void **state)
{
    const struct memory_row *row = *state;
    struct node node = {0};
    expect_int(node_read_meminfo(&node, str_of(row->text)), row->used >= 0);
    expect_int(look_has(&node.values, SYSTEM_used_memory), row->used >= 0);
    expect_int(node.values.at[SYSTEM_used_memory], row->used >= 0 ? row->used : 0);
}

static void load_is_read_to_a_thousandth(void **state)
{
    (void)state;
    struct node node = {0};
    expect_true(node_read_loadavg(&node, STR("1.75 2.125 10.5 128/10340 12345\n")));
    expect_int(node.values.at[SYSTEM_load1], 1750);
    expect_int(node.values.at[SYSTEM_load5], 2125);
    expect_int(node.values.at[SYSTEM_load15], 10500);
    expect_int(node.values.at[SYSTEM_runnable_entities], 128);
    expect_int(node.values.at[SYSTEM_existing_entities], 10340);
}

static const struct text_row bad_load_rows[] = {
    {"a blank inside", "1.75 2.125 10.5 128/ 10340 12345\n"},
    {"no slash", "1.75 2.125 10.5 128 12345\n"},
    {"below zero", "-1.75 2.125 10.5 128/10340 12345\n"},
    {"too few", "1.75 2.125\n"},
    {"words", "nan inf 1 1/1 1\n"},
    {"nothing", ""},
};

static void a_load_without_sense_tells_nothing(void **state)
{
    const struct text_row *row = *state;
    struct node node = {0};
    expect_false(node_read_loadavg(&node, str_of(row->text)));
    expect_uint(node.values.has, 0);
}

static void uptime_is_in_ticks(void **state)
{
    (void)state;
    struct node node = {0};
    expect_true(node_read_uptime(&node, STR("100000.50 180000.00\n"), TICKS));
    expect_int(node.uptime_ticks, 10000050);
    node = (struct node){0};
    expect_false(node_read_uptime(&node, STR("-1 2\n"), TICKS));
    expect_false(node_read_uptime(&node, STR("99999999999999999 2\n"), TICKS));
    expect_false(node_read_uptime(&node, STR(""), TICKS));
    expect_false(node.has_uptime);
}

static void disks_keep_their_counters_as_they_are(void **state)
{
    (void)state;
    struct node node = {0};
    struct arena arena = {0};
    expect_true(node_read_diskstats(
        &node, STR("   8       0 sda 1 18446744073709551615 0\n 259 1 nvme0n1p1 7\n"), &arena));
    expect_uint(node.disk_count, 2);
    expect_text_n(node.disks[0].name.ptr, node.disks[0].name.len, "sda");
    expect_text_n(node.disks[0].stats.ptr, node.disks[0].stats.len, "1 18446744073709551615 0");
    expect_int(node.disks[1].major, 259);
    expect_int(node.disks[1].minor, 1);
    arena_release(&arena);
}

static void a_disk_without_sense_is_left_out_and_noticed(void **state)
{
    (void)state;
    struct node node = {0};
    struct arena arena = {0};
    expect_false(node_read_diskstats(&node,
                                     STR("8 0 sda 1 2\n8 x sdb 1\n8 2 sdc -1\n8 3 sdd\n"
                                         "8 4 sde 01\n8 5 sdf 1.5\n8 6 sdg 0\n"),
                                     &arena));
    expect_uint(node.disk_count, 2);
    expect_text_n(node.disks[1].name.ptr, node.disks[1].name.len, "sdg");
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, cores_count_work_and_keep_their_places);
    SUITE_ROWS(&suite, a_stat_without_sense_is_noticed, bad_stat_rows);
    SUITE_ROWS(&suite, memory_in_use_is_what_is_not_available, memory_rows);
    SUITE_TEST(&suite, load_is_read_to_a_thousandth);
    SUITE_ROWS(&suite, a_load_without_sense_tells_nothing, bad_load_rows);
    SUITE_TEST(&suite, uptime_is_in_ticks);
    SUITE_TEST(&suite, disks_keep_their_counters_as_they_are);
    SUITE_TEST(&suite, a_disk_without_sense_is_left_out_and_noticed);
    return suite_run(&suite, "node");
}
