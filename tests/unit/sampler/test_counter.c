/* SPDX-License-Identifier: MIT */
#include "sampler/counter.h"

#include "support/expect.h"

struct counter_case {
    const char *name;
    enum counter_form form;
    const char *key, *text;
    int64_t want; /* -1: there is none */
};

static const struct counter_case counter_cases[] = {
    {"a number alone", COUNTER_WHOLE, NULL, "4096\n", 4096},
    {"no limit is none", COUNTER_WHOLE, NULL, "max\n", -1},
    {"no limit of version 1 is none", COUNTER_WHOLE, NULL, "9223372036854771712\n", -1},
    {"nothing", COUNTER_WHOLE, NULL, "", -1},
    {"a line by its name", COUNTER_WORDS, "user_usec 1",
     "usage_usec 30\nuser_usec 20\nsystem_usec 10\n", 20},
    {"a name is not the start of another", COUNTER_WORDS, "file 1", "file_mapped 7\nfile 5\n",
     5},
    {"several words are added", COUNTER_WORDS, "cpu 1 2", "cpu  10 5 7 0\ncpu0 10 5 7 0\n", 15},
    {"lines of one name are added", COUNTER_WORDS, "bytes: 5",
     "\tbytes:\t1 2 3 4 50 6 7 8\n\txprt: 9\n\tbytes: 1 2 3 4 7 6 7 8\n", 57},
    {"a word that is not there", COUNTER_WORDS, "cpu 9", "cpu 1 2\n", -1},
    {"a line that is not there", COUNTER_WORDS, "anon 1", "file 1\n", -1},
    {"Lustre", COUNTER_WORDS, "read_bytes 6",
     "snapshot_time 1 secs.nsecs\nread_bytes 3 samples [bytes] 4096 1048576 2101248\n",
     2101248},
    {"pairs over all devices", COUNTER_PAIRS, "rbytes",
     "8:0 rbytes=100 wbytes=5 rios=1\n8:16 rbytes=11 wbytes=0\n", 111},
    {"pressure is that of some", COUNTER_PAIRS, "some total",
     "some avg10=0.00 avg60=0.00 avg300=0.00 total=77\nfull avg10=0.00 total=5\n", 77},
    {"no pairs", COUNTER_PAIRS, "rbytes", "", -1},
    {"version 1, by device", COUNTER_NAMED, "Read",
     "8:0 Read 4096\n8:0 Write 12\n8:16 Read 4\nTotal 4112\n", 4100},
    {"version 1, nothing yet", COUNTER_NAMED, "Read", "Total 0\n", 0},
    {"whole disks", COUNTER_DISKS, "3",
     "   8 0 sda 1 2 30 4\n   8 1 sda1 1 2 30 4\n 259 0 nvme0n1 1 2 7 4\n 259 1 nvme0n1p1 1 2 "
     "7 4\n"
     " 253 0 dm-0 1 2 37 4\n 7 0 loop0 1 2 9 4\n",
     37},
    {"no disks", COUNTER_DISKS, "3", "7 0 loop0 1 2 9 4\n", -1},
    {"network cards", COUNTER_LINKS, "9",
     "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes\n    lo: 5 1 0 0 0 0 0 0 5 1\n"
     "  eth0: 100 1 0 0 0 0 0 0 40 1\nbond0: 100 1 0 0 0 0 0 0 40 1\n  ib0:7 1 0 0 0 0 0 0 2 "
     "1\n",
     42},
    {"numbers that do not fit are none", COUNTER_WORDS, "a 1", "a 99999999999999999999\n", -1},
    {"nor do their sums", COUNTER_WORDS, "a 1", "a 9007199254740991\na 9007199254740991\n", -1},
};

static void a_number_is_found_where_the_kernel_prints_it(void **state)
{
    const struct counter_case *row = *state;
    const struct counter counter = {.form = row->form, .key = row->key, .times = 1, .by = 1};
    int64_t got = -1;
    expect_int(counter_read(&counter, str_of(row->text), &got), row->want >= 0);
    expect_int(got, row->want);
}

static void units_are_changed_and_do_not_overflow(void **state)
{
    (void)state;
    const struct counter ns = {.form = COUNTER_WHOLE, .times = 1, .by = 1000};
    const struct counter large = {.form = COUNTER_WHOLE, .times = INT64_MAX, .by = 1};
    int64_t got = 0;
    expect_true(counter_read(&ns, STR("123456\n"), &got));
    expect_int(got, 123);
    expect_false(counter_read(&large, STR("2\n"), &got));
}

static void values_of_a_field_are_added_or_the_most_counts(void **state)
{
    (void)state;
    const struct counter sum = {.field = SAMPLE_read_bytes, .join = COUNTER_SUM};
    const struct counter most = {.field = SAMPLE_temperature_c, .join = COUNTER_MOST};
    struct sample sample = {0};
    counter_join(&sum, 5, &sample);
    counter_join(&sum, 7, &sample);
    counter_join(&most, 40, &sample);
    counter_join(&most, 30, &sample);
    expect_int(sample.read_bytes, 12);
    expect_int(sample.temperature_c, 40);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_number_is_found_where_the_kernel_prints_it, counter_cases);
    SUITE_TEST(&suite, units_are_changed_and_do_not_overflow);
    SUITE_TEST(&suite, values_of_a_field_are_added_or_the_most_counts);
    return suite_run(&suite, "counter");
}
