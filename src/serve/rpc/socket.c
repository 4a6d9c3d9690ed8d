/* SPDX-License-Identifier: MIT */
#include "serve/rpc/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_NAME "socket"

enum { BACKLOG = 128 };

/* A path of a socket has 107 bytes at most; by its folder's descriptor any will do. */
static bool name_address(int folder, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    return folder >= 0 &&
           snprintf(address->sun_path, sizeof(address->sun_path),
                    "/proc/self/fd/%d/" SOCKET_NAME, folder) < (int)sizeof(address->sun_path);
}

static int open_folder(const char *folder)
{
    return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/*
 * Who may read the facts may connect, for which one must be allowed to write to the socket; by
 * their group, too.
 */
static bool open_to_readers(int folder)
{
    struct stat st;
    mode_t mode = 0600;
    if (fstatat(folder, "facts.duckdb", &st, 0) == 0) {
        const bool same_group =
            fchownat(folder, SOCKET_NAME, (uid_t)-1, st.st_gid, AT_SYMLINK_NOFOLLOW) == 0;
        mode |= same_group && st.st_mode & 0040 ? 0060 : 0;
        mode |= st.st_mode & 0004 ? 0006 : 0;
    }
    return fchmodat(folder, SOCKET_NAME, mode, 0) == 0;
}

int socket_listen(const char *folder, int *out, struct error *err)
{
    struct sockaddr_un address;
    int failed = 0;
    const int at = open_folder(folder);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (!name_address(at, &address) || fd < 0) {
        failed = error_errno(err, "cannot make a socket in '%s'", folder);
        goto out;
    }
    (void)unlinkat(at, SOCKET_NAME, 0);
    if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        !open_to_readers(at) || listen(fd, BACKLOG) != 0) {
        failed = error_errno(err, "cannot listen in '%s'", folder);
    }
out:
    if (at >= 0) {
        close(at);
    }
    if (failed && fd >= 0) {
        close(fd);
    }
    *out = failed ? -1 : fd;
    return failed;
}

void socket_unlink(const char *folder)
{
    const int at = open_folder(folder);
    if (at >= 0) {
        (void)unlinkat(at, SOCKET_NAME, 0);
        close(at);
    }
}

int socket_connect(const char *folder)
{
    struct sockaddr_un address;
    const int at = open_folder(folder);
    if (at < 0) {
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (!name_address(at, &address) ||
                    connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)) {
        close(fd);
        fd = -1;
    }
    close(at);
    return fd;
}

bool socket_peer(int fd, unsigned *uid)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return false;
    }
    *uid = peer.uid;
    return true;
}
