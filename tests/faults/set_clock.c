/* SPDX-License-Identifier: MIT */

/*
 * Loaded before a program (LD_PRELOAD): the clock that people set is as many seconds off as the file CLOCK_OFFSET says when it is read, or stands at the
 * second that the file CLOCK_AT says. Clocks that nobody sets stay as they are. Used by set_clock of
 * tests/support/sh.sh, test_agent_outages.sh and test_world.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long number_in(const char *path)
{
    long seconds = 0;
    FILE *file = path ? fopen(path, "r") : NULL;
    if (file) {
        if (fscanf(file, "%ld", &seconds) != 1) {
            seconds = 0;
        }
        (void)fclose(file);
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int rc = (int)syscall(SYS_clock_gettime, clock, now);
    if (rc == 0 && clock == CLOCK_REALTIME) {
        const long at = number_in(getenv("CLOCK_AT"));
        now->tv_sec = at ? at : now->tv_sec + number_in(getenv("CLOCK_OFFSET"));
        now->tv_nsec = at ? 0 : now->tv_nsec;
    }
    return rc;
}
