/* SPDX-License-Identifier: MIT */

/*
 * Loaded before a program (LD_PRELOAD): the clock that people set is as many seconds off as the file CLOCK_OFFSET says when it is read. Clocks that
 * nobody sets stay as they are. Used by tests/sh/test_agent_outages.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long offset_of(const char *path)
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
        now->tv_sec += offset_of(getenv("CLOCK_OFFSET"));
    }
    return rc;
}
