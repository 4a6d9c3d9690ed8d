/* SPDX-License-Identifier: MIT */
#include "sampler/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PAGE = 4096 };

static int read_in_place(int fd, bool at_once, struct buf *out)
{
    ssize_t got = 0;
    size_t room = 0;
    buf_clear(out);
    do {
        buf_reserve(out, PAGE);
        if (out->overflow) {
            return EFBIG;
        }
        room = out->room - out->len - 1;
        got = pread(fd, out->ptr + out->len, room, (off_t)out->len);
        out->len += got > 0 ? (size_t)got : 0;
    } while (at_once ? got == (ssize_t)room : got > 0);
    const int wrong = got < 0 ? errno : 0;
    out->ptr[out->len] = '\0';
    return wrong;
}

int open_file_read(struct open_file *kept, int folder, const char *name, bool at_once,
                   struct buf *out)
{
    if (!open_file_is_open(kept)) {
        const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0) {
            return errno;
        }
        kept->fd = fd + 1;
    }
    const int wrong = read_in_place(kept->fd - 1, at_once, out);
    if (wrong) {
        open_file_close(kept);
    }
    return wrong;
}

void open_file_close(struct open_file *kept)
{
    if (open_file_is_open(kept)) {
        close(kept->fd - 1);
    }
    kept->fd = 0;
}
