/* SPDX-License-Identifier: MIT */
#include "base/spool.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/expect.h"

static void what_goes_in_comes_out(void **state)
{
    struct spool spool;
    struct error err = {0};
    struct buf text;
    char byte;
    (void)state;
    buf_init(&text, 64);
    expect_int(spool_open(&spool, &err), 0);
    expect_int(spool_add(&spool, STR("one"), &err), 0);
    expect_int(spool_add(&spool, STR(" two"), &err), 0);
    expect_uint(spool.size, 7);
    expect_int(spool_text(&spool, &text, &err), 0);
    expect_text(text.ptr, "one two");
    expect_int(spool_rewind(&spool, &err), 0);
    expect_int(read(spool.fd, &byte, 1), 1);
    expect_int(byte, 'o');
    spool_close(&spool);
    spool_close(&spool);
    buf_release(&text);
}

static void it_has_no_name(void **state)
{
    struct spool spool;
    struct error err = {0};
    struct stat st;
    (void)state;
    expect_int(spool_open(&spool, &err), 0);
    expect_int(fstat(spool.fd, &st), 0);
    expect_uint(st.st_nlink, 0);
    expect_int(st.st_mode & 077, 0);
    spool_close(&spool);
}

static void more_than_is_wanted_is_a_sentence(void **state)
{
    struct spool spool;
    struct error err = {0};
    struct buf text;
    (void)state;
    buf_init(&text, 4);
    expect_int(spool_open(&spool, &err), 0);
    expect_int(spool_add(&spool, STR("12345"), &err), 0);
    expect_int(spool_text(&spool, &text, &err), ERROR_LIMIT);
    expect_contains(err.text, "5 bytes");
    spool_close(&spool);
    buf_release(&text);
}

static void a_folder_that_is_not_there_is_passed_over(void **state)
{
    struct spool spool;
    struct error err = {0};
    (void)state;
    expect_int(setenv("TMPDIR", "/nonexistent", 1), 0);
    expect_int(spool_open(&spool, &err), 0);
    spool_close(&spool);
    expect_int(unsetenv("TMPDIR"), 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, what_goes_in_comes_out);
    SUITE_TEST(&suite, it_has_no_name);
    SUITE_TEST(&suite, more_than_is_wanted_is_a_sentence);
    SUITE_TEST(&suite, a_folder_that_is_not_there_is_passed_over);
    return suite_run(&suite, "spool");
}
