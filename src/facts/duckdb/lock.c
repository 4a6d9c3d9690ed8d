/* SPDX-License-Identifier: MIT */

/*
 * The store's lock: an flock on <folder>/lock, shared for readers, exclusive for a writer. The
 * kernel lets go of it when the process dies, however it dies. Who holds it is read from
 * /proc/locks, so that nothing about a holder has to be written down and could be stale.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "facts/duckdb/facts_internal.h"

/* The process that holds an flock on the file of `fd`; 0 if /proc does not tell. */
static long find_holder(int fd)
{
    struct stat st;
    FILE *locks = fopen("/proc/locks", "re");
    long holder = 0;
    if (!locks || fstat(fd, &st) != 0) {
        goto out;
    }
    char place[64];
    snprintf(place, sizeof(place), " %02x:%02x:%llu ", major(st.st_dev), minor(st.st_dev),
             (unsigned long long)st.st_ino);
    char line[256];
    while (!holder && fgets(line, sizeof(line), locks)) {
        /* "1: FLOCK  ADVISORY  WRITE 4242 08:01:123456 0 EOF"; a waiter has "->" before FLOCK */
        char *at = strstr(line, place);
        if (!at || !strstr(line, "FLOCK") || strstr(line, "->")) {
            continue;
        }
        *at = '\0';
        char *pid = strrchr(line, ' ');
        holder = pid ? strtol(pid + 1, NULL, 10) : 0;
    }
out:
    if (locks) {
        fclose(locks);
    }
    return holder;
}

/* The command line of a process, blanks between the words. */
static void describe_process(long pid, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%ld/cmdline", pid);
    FILE *file = fopen(path, "re");
    size_t got = file ? fread(text, 1, size - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    while (got > 0 && text[got - 1] == '\0') {
        got--;
    }
    text[got] = '\0';
    for (size_t i = 0; i < got; i++) {
        if ((unsigned char)text[i] < ' ') {
            text[i] = ' ';
        }
    }
}

static int say_who(int fd, const char *folder, struct error *err)
{
    long pid = find_holder(fd);
    if (pid <= 0) {
        return error_set(
            err, ERROR_CONFLICT,
            "the store '%s' is in use by another process; try again when it has finished",
            folder);
    }
    char command[256];
    describe_process(pid, command, sizeof(command));
    return error_set(
        err, ERROR_CONFLICT,
        "the store '%s' is in use by process %ld (%s); try again when it has finished", folder,
        pid, command[0] ? command : "unknown command");
}

int facts_lock(const char *folder, enum facts_mode mode, int *lock, struct error *err)
{
    int failed = 0;
    char *path = file_join(folder, "lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 && mode == FACTS_READ) {
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (fd < 0) {
        failed = error_errno(err, "cannot open '%s'", path);
        goto out;
    }

    enum { PAUSE_MS = 50 };
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    int waited = 0;
    while (flock(fd, (mode == FACTS_READ ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
        if (errno == EINTR) {
            continue;
        }
        if (errno != EWOULDBLOCK) {
            failed = error_errno(err, "cannot lock '%s'", path);
            goto out;
        }
        if (waited >= FACTS_WAIT_MS) {
            failed = say_who(fd, folder, err);
            goto out;
        }
        nanosleep(&pause, NULL);
        waited += PAUSE_MS;
    }
    *lock = fd;
    fd = -1;
out:
    if (fd >= 0) {
        close(fd);
    }
    free(path);
    return failed;
}
