/* SPDX-License-Identifier: MIT */
#include "command/backlog.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A pipe that can be written to takes as much as this without waiting; a file takes everything.
 */
enum { STEP = PIPE_BUF, BLOCK = 1 << 20 };

static size_t step_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? BLOCK : STEP;
}

/*
 * Whether something can be written now, or, if it may `wait`, at last. A reader that is gone
 * counts: writing says so.
 */
static bool can_write(int fd, bool wait)
{
    struct pollfd one = {.fd = fd, .events = POLLOUT};
    int ready;
    do {
        ready = poll(&one, 1, wait ? -1 : 0);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* Writes from the front of `bytes`, which becomes what is left. */
static int write_some(struct str *bytes, bool wait, struct error *err)
{
    const size_t step = step_of(STDOUT_FILENO);
    while (bytes->len > 0 && can_write(STDOUT_FILENO, wait)) {
        const ssize_t put =
            write(STDOUT_FILENO, bytes->ptr, bytes->len < step ? bytes->len : step);
        if (put < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (put < 0) {
            return error_errno(err, "cannot write the answer");
        }
        bytes->ptr += put;
        bytes->len -= (size_t)put;
    }
    return 0;
}

/* What was put aside, as far as it goes; what is empty then is used again from its start. */
static int send_aside(struct backlog *backlog, bool wait, struct error *err)
{
    struct spool *spool = &backlog->spool;
    char block[16 * STEP];
    while (backlog->sent < spool->size) {
        const ssize_t got = pread(spool->fd, block, sizeof(block), (off_t)backlog->sent);
        if (got <= 0) {
            return error_errno(err, "cannot read a temporary file");
        }
        struct str rest = {block, (size_t)got};
        int failed = write_some(&rest, wait, err);
        backlog->sent += (uint64_t)got - rest.len;
        if (failed || rest.len > 0) {
            return failed;
        }
    }
    if (spool->size > 0 &&
        (ftruncate(spool->fd, 0) != 0 || lseek(spool->fd, 0, SEEK_SET) != 0)) {
        return error_errno(err, "cannot reuse a temporary file");
    }
    backlog->sent = spool->size = 0;
    return 0;
}

int backlog_add(struct backlog *backlog, struct str bytes, struct error *err)
{
    int failed = send_aside(backlog, false, err);
    if (!failed && backlog->spool.size == 0) {
        failed = write_some(&bytes, false, err);
    }
    if (failed || bytes.len == 0) {
        return failed;
    }
    failed = backlog->spool.fd < 0 ? spool_open(&backlog->spool, err) : 0;
    return failed ? failed : spool_add(&backlog->spool, bytes, err);
}

int backlog_drain(struct backlog *backlog, struct error *err)
{
    return send_aside(backlog, true, err);
}

void backlog_release(struct backlog *backlog)
{
    spool_close(&backlog->spool);
    backlog->sent = 0;
}
