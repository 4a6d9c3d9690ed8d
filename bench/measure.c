/* SPDX-License-Identifier: MIT */

/*
 * measure [-n TIMES] [-o FILE] COMMAND [ARGUMENT]...
 *
 * Runs a command and writes what it took, a line a run: wall milliseconds, cpu milliseconds (user
 * and system), peak memory in KiB. The command's standard output is dropped, its errors are not.
 * Ends with 1 at once if the command fails, so that no failure is mistaken for speed.
 *
 * Peak memory is that of the largest process the command ran as (getrusage); what lies in the page
 * cache is not in it, what is mapped and touched is.
 */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct cost {
    double wall_ms, cpu_ms;
    long peak_kib;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double ms_of(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

/* Runs the command once; its exit status, or 127 if there is no such command. */
static int run_once(char **command, struct cost *cost)
{
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    struct rusage usage;
    int status = 0;
    pid_t child;
    double begun = now_ms();
    int failed = posix_spawnp(&child, command[0], &files, NULL, command, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed) {
        fprintf(stderr, "measure: cannot run '%s': %s\n", command[0], strerror(failed));
        return 127;
    }
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) {
            perror("measure: wait");
            return 127;
        }
    }
    cost->wall_ms = now_ms() - begun;
    cost->cpu_ms = ms_of(usage.ru_utime) + ms_of(usage.ru_stime);
    cost->peak_kib = usage.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    long times = 1;
    FILE *out = stdout;
    int option;
    while ((option = getopt(argc, argv, "+n:o:")) != -1) {
        if (option == 'n') {
            times = strtol(optarg, NULL, 10);
        } else if (option == 'o') {
            out = fopen(optarg, "we");
        } else {
            return 2;
        }
    }
    if (!out || optind == argc) {
        fputs("usage: measure [-n TIMES] [-o FILE] COMMAND [ARGUMENT]...\n", stderr);
        return 2;
    }
    for (long i = 0; i < times; i++) {
        struct cost cost;
        int status = run_once(argv + optind, &cost);
        if (status != 0) {
            fprintf(stderr, "measure: '%s' ended with status %d\n", argv[optind], status);
            return 1;
        }
        fprintf(out, "%.3f %.3f %ld\n", cost.wall_ms, cost.cpu_ms, cost.peak_kib);
    }
    return fclose(out) == 0 ? 0 : 1;
}
