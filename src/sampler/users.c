/* SPDX-License-Identifier: MIT */
#include "sampler/users.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

enum { ENTRY_MAX = 64 << 10 }; /* bytes of one entry of the user database */

struct user {
    int64_t uid;
    struct str name;
};

void users_open(struct users *users, int root, bool is_system)
{
    *users = (struct users){.passwd = -1, .ask_system = is_system};
    if (!is_system) {
        users->passwd = openat(root, "etc/passwd", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    }
}

void users_close(struct users *users)
{
    if (users->passwd >= 0) {
        close(users->passwd);
    }
    free(users->known);
    *users = (struct users){.passwd = -1};
}

/* The entry with this number in a file of its kind; the texts are in `bytes`. */
static bool find_in_file(int passwd, uid_t uid, struct passwd *entry, char *bytes)
{
    struct passwd *found = NULL;
    int copy = dup(passwd);
    FILE *file = copy >= 0 && lseek(copy, 0, SEEK_SET) == 0 ? fdopen(copy, "re") : NULL;
    if (!file) {
        if (copy >= 0) {
            close(copy);
        }
        return false;
    }
    do {
        if (fgetpwent_r(file, entry, bytes, ENTRY_MAX, &found) != 0) {
            found = NULL;
        }
    } while (found && found->pw_uid != uid);
    (void)fclose(file);
    return found != NULL;
}

static struct str look_up(const struct users *users, int64_t uid, struct arena *arena)
{
    struct passwd entry;
    struct passwd *found = NULL;
    struct str name = {0};
    char *bytes = mem_alloc(ENTRY_MAX, 1);
    if (users->ask_system && getpwuid_r((uid_t)uid, &entry, bytes, ENTRY_MAX, &found) != 0) {
        found = NULL;
    }
    if (found ||
        (users->passwd >= 0 && find_in_file(users->passwd, (uid_t)uid, &entry, bytes))) {
        name = arena_copy(arena, str_of(entry.pw_name));
    }
    free(bytes);
    return name.len > 0 ? name : str_of(arena_printf(arena, "_user_%lld", (long long)uid));
}

struct str users_name(struct users *users, int64_t uid, struct arena *arena)
{
    for (size_t i = 0; i < users->count; i++) {
        if (users->known[i].uid == uid) {
            return users->known[i].name;
        }
    }
    users->known = mem_grow(users->known, users->count, &users->room, sizeof(*users->known));
    users->known[users->count] = (struct user){uid, look_up(users, uid, arena)};
    return users->known[users->count++].name;
}
