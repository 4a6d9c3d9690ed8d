/* SPDX-License-Identifier: MIT */

/*
 * What is written is on the disk before it has its name, and the name is before anybody is told: fsync of the file, rename,
 * fsync of the folder. Calls of this program are noted here and passed on to the kernel, or fail.
 */

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/runs.h"

static char calls[64]; /* f: fsync of a file, d: of a folder, r: rename */
static char refused;   /* the call that fails */

static bool note(char call)
{
    const size_t count = strlen(calls);
    if (count + 1 < sizeof(calls)) {
        calls[count] = call;
        calls[count + 1] = '\0';
    }
    errno = EIO;
    return call != refused;
}

int fsync(int fd)
{
    struct stat st;
    const bool is_folder = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    return note(is_folder ? 'd' : 'f') ? (int)syscall(SYS_fsync, fd) : -1;
}

int rename(const char *from, const char *to)
{
    return note('r') ? (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0) : -1;
}

struct order_row {
    const char *name;
    char refused;
    const char *calls;
    const char *content; /* afterwards */
};

static const struct order_row order_rows[] = {
    {"all goes well", 0, "frd", "new"},
    {"what cannot be kept gets no name", 'f', "f", "old"},
    {"what gets no name changes nothing", 'r', "fr", "old"},
    {"a name that may be lost is an error", 'd', "frd", "new"},
};

static void a_file_is_written_in_order(void **state)
{
    const struct order_row *row = *state;
    char folder[64];
    struct error err = {0};
    struct buf content;
    suite_folder(folder, sizeof(folder), "order");
    char *path = file_join(folder, "file");
    refused = 0;
    expect_int(file_write(path, STR("old"), &err), 0);
    calls[0] = '\0';
    refused = row->refused;
    expect_int(file_write(path, STR("new"), &err) != 0, row->refused != 0);
    expect_text(calls, row->calls);
    buf_init(&content, 64);
    expect_int(file_read(path, &content, &err), 0);
    expect_text_n(content.ptr, content.len, row->content);
    buf_release(&content);
    free(path);
    runs_remove_folder(folder);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_file_is_written_in_order, order_rows);
    return suite_run(&suite, "file_order");
}
