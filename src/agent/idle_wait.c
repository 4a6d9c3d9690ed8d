/* SPDX-License-Identifier: MIT */
#include "agent/idle_wait.h"

#include <poll.h>
#include <signal.h>
#include <time.h>

#include "base/zone.h"

void idle_wait_prepare(void (*handler)(int number))
{
    const struct sigaction action = {.sa_handler = handler};
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &ends, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
}

bool idle_wait_for(const struct stop *stop, int64_t length_us)
{
    const int64_t until = stop_clock() + length_us;
    sigset_t none;
    sigemptyset(&none);
    for (int64_t left = length_us; left > 0 && !stop_is_set(stop);
         left = until - stop_clock()) {
        const struct timespec pause = {.tv_sec = left / SECOND_US,
                                       .tv_nsec = (long)(left % SECOND_US) * 1000};
        (void)ppoll(NULL, 0, &pause, &none);
    }
    return !stop_is_set(stop);
}

bool idle_wait_until_readable(int fd, const struct stop *stop)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    sigset_t none;
    sigemptyset(&none);
    while (!stop_is_set(stop)) {
        if (ppoll(&wanted, 1, NULL, &none) > 0) {
            return true;
        }
    }
    return false;
}
