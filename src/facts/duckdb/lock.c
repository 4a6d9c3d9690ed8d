/* SPDX-License-Identifier: MIT */

/*
 * The store's lock, between processes: an flock on <folder>/lock, shared for readers, exclusive
 * for a writer. The kernel lets go of it when the process dies, however it dies. Who holds it
 * is read from /proc/locks, so that nothing about a holder has to be written down and could be
 * stale.
 *
 * Before it there is a turnstile, a record lock on the same file: readers pass it, a writer
 * that waits for them to leave bars it, so that those who come later wait behind it. It does so
 * for a second, then for two, four and so on, with a second in between: a reader that takes
 * minutes must not keep the others out, nor many that take seconds the writer.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "facts/duckdb/facts_internal.h"

/* The process that holds an flock on the file of `fd`; 0 if /proc does not say. */
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
        /*
         * "1: FLOCK ADVISORY WRITE 4242 08:01:123456 0 EOF"; a waiter has "->" before FLOCK
         */
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
        return error_set(err, ERROR_CONFLICT, "the store '%s' is in use by another process",
                         folder);
    }
    char command[256];
    describe_process(pid, command, sizeof(command));
    return error_set(err, ERROR_CONFLICT, "the store '%s' is in use by process %ld (%s)",
                     folder, pid, command[0] ? command : "unknown command");
}

/* The turnstile: a shared or exclusive record lock, or none (F_RDLCK, F_WRLCK, F_UNLCK). */
static bool turnstile(int fd, short type)
{
    struct flock turn = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &turn) == 0;
}

/* One try. ERROR_CONFLICT: somebody else has it, and nothing has been said of who. */
static int try_once(int fd, enum facts_mode mode, bool pass, struct error *err)
{
    if (pass && !turnstile(fd, F_RDLCK)) {
        return ERROR_CONFLICT;
    }
    const int got = flock(fd, (mode == FACTS_READ ? LOCK_SH : LOCK_EX) | LOCK_NB);
    const int why = errno;
    if (pass) {
        turnstile(fd, F_UNLCK);
    }
    if (got == 0) {
        return 0;
    }
    errno = why;
    return why == EWOULDBLOCK || why == EINTR ? ERROR_CONFLICT
                                              : error_errno(err, "cannot lock the store");
}

enum {
    PAUSE_US = 5000,
    PAUSE_MAX_US = 50000,
    OPEN_US = 1000000, /* how long a waiting writer leaves the turnstile open; */
    BAR_US = 1000000,  /* how long it bars it at first, and twice as long each time, */
    BAR_MAX_US = 60000000,
    LOOK_US = 1000000,    /* interval between checks whether the holder would do it */
    PATIENCE_US = 2000000 /* after that it is worth saying who has it */
};

static void say_waiting(int fd, const char *folder, const struct store_wait *wait)
{
    struct error who;
    char line[ERROR_TEXT_MAX + 32];
    if (wait->waiting) {
        say_who(fd, folder, &who);
        snprintf(line, sizeof(line), "%s; waiting for it", who.text);
        wait->waiting(wait->watcher, line);
    }
}

/* Tries until it has the lock, the wait is over or somebody ends it. */
static int wait_for(int fd, const char *folder, enum facts_mode mode,
                    const struct store_wait *wait, struct error *err)
{
    const int64_t began = stop_clock();
    int64_t pause = PAUSE_US, turn = 0, bar = BAR_US, look = 0;
    bool said = false;
    for (;;) {
        const int64_t waited = stop_clock() - began;
        if (waited - turn >= bar + OPEN_US) {
            turn = waited;
            bar = bar * 2 < BAR_MAX_US ? bar * 2 : BAR_MAX_US;
        }
        if (mode == FACTS_WRITE) { /* where another writer bars it already, that will do */
            turnstile(fd, waited - turn < bar ? F_WRLCK : F_UNLCK);
        }
        int failed = try_once(fd, mode, mode == FACTS_READ, err);
        if (failed != ERROR_CONFLICT) {
            turnstile(fd, F_UNLCK);
            return failed;
        }
        const bool looks = wait->elsewhere && waited >= look;
        look = looks ? waited + LOOK_US : look;
        if ((wait->limit_us >= 0 && waited >= wait->limit_us) ||
            (looks && wait->elsewhere(wait->watcher))) {
            turnstile(fd, F_UNLCK);
            return say_who(fd, folder, err);
        }
        if (!said && waited >= PATIENCE_US) {
            say_waiting(fd, folder, wait);
            said = true;
        }
        if (!stop_sleep(wait->stop, pause)) {
            return stop_explain(wait->stop, err);
        }
        pause = pause * 2 < PAUSE_MAX_US ? pause * 2 : PAUSE_MAX_US;
    }
}

/* Who may read the facts may wait for them. What cannot be changed stays as it is. */
static void open_to_readers(int fd, const char *folder)
{
    struct stat facts, lock;
    char *path = file_join(folder, "facts.duckdb");
    if (stat(path, &facts) == 0 && fstat(fd, &lock) == 0 &&
        (lock.st_mode & 0044) != (facts.st_mode & 0044) &&
        (lock.st_gid == facts.st_gid || fchown(fd, (uid_t)-1, facts.st_gid) == 0)) {
        (void)!fchmod(fd, 0600 | (facts.st_mode & 0044));
    }
    free(path);
}

int lock_take(const char *folder, enum facts_mode mode, const struct store_wait *wait,
              int *lock, struct error *err)
{
    char *path = file_join(folder, "lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 && mode == FACTS_READ) {
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (fd >= 0 && mode == FACTS_WRITE) {
        open_to_readers(fd, folder);
    }
    int failed = fd < 0 ? error_errno(err, "cannot open '%s'", path)
                        : wait_for(fd, folder, mode, wait, err);
    if (failed && fd >= 0) {
        close(fd);
    }
    if (!failed) {
        *lock = fd;
    }
    free(path);
    return failed;
}
