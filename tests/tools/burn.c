/* SPDX-License-Identifier: MIT */

/*
 * burn CPU_MS BYTES CHILDREN FILE: works for so long, starts so many children one after the other that each
 * work a little, touches so much memory, writes what the kernel counted of it all (microseconds of cpu time, its own and its children's) into FILE,
 * then stays until its input ends. For tests that hold an agent's numbers against the kernel's.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scan.h"

static int64_t used_us(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static void work_until(int64_t us)
{
    while (used_us(RUSAGE_SELF) < us) {
        for (volatile unsigned i = 0; i < 100000; i = i + 1) {
        }
    }
}

int main(int argc, char **argv)
{
    int64_t ms = 0, bytes = 0, children = 0;
    if (argc != 5 || !scan_int(str_of(argv[1]), &ms) || !scan_int(str_of(argv[2]), &bytes) ||
        !scan_int(str_of(argv[3]), &children)) {
        return 2;
    }
    for (int64_t i = 0; i < children; i++) {
        const pid_t child = fork();
        if (child == 0) {
            work_until(1000);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    char *memory = malloc((size_t)bytes + 1);
    memset(memory, 7, (size_t)bytes + 1);
    work_until(ms * 1000);
    FILE *file = fopen(argv[4], "w");
    if (!file ||
        fprintf(file, "%lld\n", (long long)(used_us(RUSAGE_SELF) + used_us(RUSAGE_CHILDREN))) <
            0 ||
        fclose(file) != 0) {
        return 1;
    }
    while (getchar() != EOF) {
    }
    const int status = memory[bytes] == 7 ? 0 : 1;
    free(memory);
    return status;
}
