/* SPDX-License-Identifier: MIT */
#include "sampler/process.h"

#include "support/expect.h"

enum { TICKS = 100 };

/* A process with one file read, settled after 10000 seconds. */
struct reading {
    struct process process;
    struct arena arena;
};

static void settle(struct reading *reading)
{
    process_settle(&reading->process, TICKS, 10000 * TICKS);
}

static void read_stat(struct reading *reading, const char *text)
{
    *reading = (struct reading){0};
    process_read_stat(&reading->process, str_of(text), &reading->arena);
    settle(reading);
}

static void read_status(struct reading *reading, const char *text)
{
    *reading = (struct reading){0};
    process_read_status(&reading->process, str_of(text));
    settle(reading);
}

static void read_io(struct reading *reading, const char *text)
{
    *reading = (struct reading){0};
    process_read_io(&reading->process, str_of(text));
    settle(reading);
}

static void expect_known(const struct reading *reading, enum process_field field, int64_t want)
{
    expect_true(look_has(&reading->process.values, field));
    expect_int(reading->process.values.at[field], want);
}

static void expect_absent(const struct reading *reading, enum process_field field)
{
    expect_false(look_has(&reading->process.values, field));
}

#define TAIL " R 5 6 7 0 -1 4194304 1 2 3 4 150 50 30 20 20 0 3 0 990000 1 1\n"

/* --- the name ----------------------------------------------------------------------------------- */

struct name_row {
    const char *name;
    const char *text;
    const char *cmd; /* NULL: not known */
};

static const struct name_row name_rows[] = {
    {"plain", "1 (vim)" TAIL, "vim"},
    {"blanks", "1 (Plex Media Serv)" TAIL, "Plex Media Serv"},
    {"brackets around it", "1 ((sd-pam))" TAIL, "(sd-pam)"},
    {"a colon", "1 (tmux: server)" TAIL, "tmux: server"},
    {"cut off", "1 (gunicorn: maste)" TAIL, "gunicorn: maste"},
    {"brackets inside", "1 ((a b ) ( c d) )" TAIL, "(a b ) ( c d) "},
    {"one that looks like the rest", "1 (x) Z 9 9 9 9)" TAIL, "x) Z 9 9 9 9"},
    {"a line break", "1 (a\n) S 1)" TAIL, "a\n) S 1"},
    {"none", "1 ()" TAIL, ""},
    {"no bracket that closes", "1 (vim R 5 6", NULL},
    {"no bracket that opens", "1 vim) R 5 6", NULL},
    {"the wrong way round", "1 )vim( R 5 6", NULL},
    {"nothing", "", NULL},
};

static void the_name_ends_with_the_last_bracket(void **state)
{
    const struct name_row *row = *state;
    struct reading reading;
    read_stat(&reading, row->text);
    expect_int(reading.process.cmd.ptr != NULL, row->cmd != NULL);
    if (row->cmd) {
        expect_text_n(reading.process.cmd.ptr, reading.process.cmd.len, row->cmd);
        expect_int(reading.process.state, 'R');
        expect_known(&reading, PROCESS_ppid, 5);
    } else {
        expect_uint(reading.process.values.has, 0);
        expect_int(reading.process.state, 0);
    }
    arena_release(&reading.arena);
}

/* --- counters ----------------------------------------------------------------------------------- */

static void stat_tells_what_it_is_read_for(void **state)
{
    (void)state;
    struct reading reading;
    read_stat(&reading, "1 (x)" TAIL);
    expect_known(&reading, PROCESS_ppid, 5);
    expect_known(&reading, PROCESS_group, 6);
    expect_known(&reading, PROCESS_num_threads, 2);
    expect_known(&reading, PROCESS_cpu_time, 3); /* 250 ticks, rounded */
    expect_known(&reading, PROCESS_cpu_avg, 20); /* 200 of 10000 ticks: 2.0 % */
    expect_absent(&reading, PROCESS_resident_memory);
    expect_absent(&reading, PROCESS_pid); /* the folder's name says it */
    arena_release(&reading.arena);
}

struct absurd_row {
    const char *name;
    const char *text;
    uint32_t absent; /* bits of fields that are not to be known */
    uint32_t known;
};

#define BIT(field) (UINT32_C(1) << PROCESS_##field)

static const struct absurd_row absurd_rows[] = {
    {"children of the least number",
     "1 (x) S 2 0 0 0 -1 0 0 0 0 0 5 6 -9223372036854775808 0 0 0 1 0 5", BIT(cpu_time),
     BIT(cpu_avg) | BIT(num_threads)},
    {"children of the largest number",
     "1 (x) S 2 0 0 0 -1 0 0 0 0 0 5 6 0 9223372036854775807 0 0 1 0 5", BIT(cpu_time),
     BIT(cpu_avg)},
    {"its own time below zero", "1 (x) S 2 0 0 0 -1 0 0 0 0 0 -5 6 0 0 0 0 1 0 5",
     BIT(cpu_time) | BIT(cpu_avg), BIT(ppid)},
    {"its own time beyond what fits",
     "1 (x) S 2 0 0 0 -1 0 0 0 0 0 18446744073709551615 6 0 0 0 0 1 0 5",
     BIT(cpu_time) | BIT(cpu_avg), BIT(ppid)},
    {"the largest that is believed",
     "1 (x) S 2 0 0 0 -1 0 0 0 0 0 9007199254740991 9007199254740991 9007199254740991 "
     "9007199254740991 0 0 1 0 5",
     BIT(cpu_avg), BIT(cpu_time)},
    {"begun after the look", "1 (x) S 2 0 0 0 -1 0 0 0 0 0 5 6 0 0 0 0 1 0 1000001",
     BIT(cpu_avg), BIT(cpu_time)},
    {"begun at the look", "1 (x) S 2 0 0 0 -1 0 0 0 0 0 5 6 0 0 0 0 1 0 1000000", 0,
     BIT(cpu_time) | BIT(cpu_avg)},
    {"no thread any more", "1 (x) Z 2 0 0 0 -1 0 0 0 0 0 5 6 0 0 0 0 0 0 5", BIT(num_threads),
     BIT(cpu_time)},
    {"all that a dead one says is -1",
     "1 (x) X -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1",
     BIT(ppid) | BIT(cpu_time) | BIT(cpu_avg) | BIT(num_threads), 0},
    {"words in place of numbers", "1 (x) S two 0x1 0 0 -1 0 0 0 0 0 1e3 6.5 0 0 0 0 +1 0 5",
     BIT(ppid) | BIT(group) | BIT(cpu_time) | BIT(cpu_avg) | BIT(num_threads), 0},
    {"cut off", "1 (x) S 2 0 0 0 -1 0 0 0 0 0 5", BIT(cpu_time) | BIT(cpu_avg), BIT(ppid)},
};

static void an_absurd_counter_is_absent_and_the_others_are_not(void **state)
{
    const struct absurd_row *row = *state;
    struct reading reading;
    read_stat(&reading, row->text);
    expect_uint(reading.process.values.has & row->absent, 0);
    expect_uint(reading.process.values.has & row->known, row->known);
    arena_release(&reading.arena);
}

static void without_an_uptime_there_is_no_average(void **state)
{
    (void)state;
    struct reading reading = {0};
    process_read_stat(&reading.process, STR("1 (x)" TAIL), &reading.arena);
    process_settle(&reading.process, TICKS, -1);
    expect_absent(&reading, PROCESS_cpu_avg);
    expect_known(&reading, PROCESS_cpu_time, 3);
    arena_release(&reading.arena);
}

static void the_dead_and_the_kernels_own_are_known(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        bool dead, kernel;
    } rows[] = {
        {"1 (x) X 2 0 0 0 -1 0", true, false},
        {"1 (x) x 2 0 0 0 -1 0", true, false},
        {"1 (x) Z 2 0 0 0 -1 4227084", false, false},
        {"1 (kthreadd) S 0 0 0 0 -1 2129984", false, true},
        {"1 (ata_sff) S 2 0 0 0 -1 69238880", false, true},
        {"1 (x) S 2 0 0 0 -1", false, false},
        {"1 (x)", false, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct reading reading;
        read_stat(&reading, rows[i].text);
        expect_int(process_is_dead(&reading.process), rows[i].dead);
        expect_int(process_is_kernel(&reading.process), rows[i].kernel);
        arena_release(&reading.arena);
    }
}

/* --- status and io ------------------------------------------------------------------------------ */

static void status_tells_memory_and_the_effective_user(void **state)
{
    (void)state;
    struct reading reading;
    read_status(&reading,
                "Name:\tRssAnon: 1 kB\nUid:\t1000\t1001\t1002\t1003\nRssAnon:\t    2092 kB\n"
                "VmData:\t    2580 kB\nVmStk:\t     136 kB\nVmStkX:\t 7 kB\n");
    expect_known(&reading, PROCESS_uid, 1001);
    expect_known(&reading, PROCESS_resident_memory, 2092);
    expect_known(&reading, PROCESS_virtual_memory, 2716);
}

static void status_without_memory_tells_none(void **state)
{
    (void)state;
    struct reading reading;
    read_status(&reading, "Name:\tkthreadd\nUid:\t0\t0\t0\t0\nThreads:\t1\n");
    expect_known(&reading, PROCESS_uid, 0);
    expect_absent(&reading, PROCESS_resident_memory);
    expect_absent(&reading, PROCESS_virtual_memory);
}

static void a_size_without_its_unit_or_half_of_one_is_absent(void **state)
{
    (void)state;
    struct reading reading;
    read_status(&reading, "Uid:\nRssAnon:\t2092\nVmData:\t2580 kB\n");
    expect_uint(reading.process.values.has, BIT(data_kib));
    read_status(&reading, "RssAnon:\t-1 kB\nVmStk:\t136 kB");
    expect_uint(reading.process.values.has, BIT(stack_kib));
    read_status(&reading, "RssAnon:\t12 MB\n");
    expect_uint(reading.process.values.has, 0);
}

static void io_is_rounded_up_and_below_zero_is_absent(void **state)
{
    (void)state;
    struct reading reading;
    read_io(&reading,
            "rchar: 9\nread_bytes: 0\nwrite_bytes: 1025\ncancelled_write_bytes: -1024\n");
    expect_known(&reading, PROCESS_data_read, 0);
    expect_known(&reading, PROCESS_data_written, 2);
    expect_absent(&reading, PROCESS_data_cancelled);
    read_io(&reading, "read_bytes: 18446744073709551615\nwrite_bytes:\n");
    expect_uint(reading.process.values.has, 0);
}

static void files_add_up_in_any_order(void **state)
{
    (void)state;
    struct reading reading = {0};
    process_read_io(&reading.process, STR("read_bytes: 4096\n"));
    process_read_status(&reading.process, STR("Uid:\t1\t2\t3\t4\n"));
    process_read_stat(&reading.process, STR("1 (x)" TAIL), &reading.arena);
    settle(&reading);
    expect_known(&reading, PROCESS_data_read, 4);
    expect_known(&reading, PROCESS_uid, 2);
    expect_known(&reading, PROCESS_cpu_time, 3);
    arena_release(&reading.arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, the_name_ends_with_the_last_bracket, name_rows);
    SUITE_TEST(&suite, stat_tells_what_it_is_read_for);
    SUITE_ROWS(&suite, an_absurd_counter_is_absent_and_the_others_are_not, absurd_rows);
    SUITE_TEST(&suite, without_an_uptime_there_is_no_average);
    SUITE_TEST(&suite, the_dead_and_the_kernels_own_are_known);
    SUITE_TEST(&suite, status_tells_memory_and_the_effective_user);
    SUITE_TEST(&suite, status_without_memory_tells_none);
    SUITE_TEST(&suite, a_size_without_its_unit_or_half_of_one_is_absent);
    SUITE_TEST(&suite, io_is_rounded_up_and_below_zero_is_absent);
    SUITE_TEST(&suite, files_add_up_in_any_order);
    return suite_run(&suite, "process");
}
