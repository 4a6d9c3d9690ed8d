/* SPDX-License-Identifier: MIT */
#include "service/caller.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

const char *role_name(enum role role)
{
    static const char *const names[ROLE_COUNT_OF] = {
        [ROLE_UNSET] = "nobody",    [ROLE_ANYONE] = "anyone", [ROLE_USER] = "user",
        [ROLE_MANAGER] = "manager", [ROLE_STAFF] = "staff",   [ROLE_ADMIN] = "admin",
    };
    assert(role < ROLE_COUNT_OF);
    return names[role];
}

struct scope caller_scope(const struct caller *caller)
{
    struct scope scope = {.all = caller->role >= ROLE_STAFF};
    if (caller->role >= ROLE_USER) {
        scope.logins = caller->logins;
        scope.login_count = caller->login_count;
    }
    if (caller->role >= ROLE_MANAGER) {
        scope.groups = caller->groups;
        scope.group_count = caller->group_count;
        scope.accounts = caller->accounts;
        scope.account_count = caller->account_count;
    }
    return scope;
}

static char *name_of(unsigned uid, bool *known, struct arena *arena)
{
    char room[1024];
    struct passwd entry, *found = NULL;
    *known = getpwuid_r((uid_t)uid, &entry, room, sizeof(room), &found) == 0 && found;
    return *known ? arena_text(arena, str_of(entry.pw_name))
                  : arena_printf(arena, "uid %u", uid);
}

const char *caller_user_name(unsigned uid, struct arena *arena)
{
    bool known;
    return name_of(uid, &known, arena);
}

static bool is_in_group(unsigned uid, gid_t gid)
{
    enum { GROUPS_MAX = 1024 };

    char room[1024];
    gid_t groups[GROUPS_MAX];
    int count = GROUPS_MAX;
    struct passwd entry, *found = NULL;
    if (getpwuid_r((uid_t)uid, &entry, room, sizeof(room), &found) != 0 || !found ||
        getgrouplist(entry.pw_name, entry.pw_gid, groups, &count) < 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (groups[i] == gid) {
            return true;
        }
    }
    return false;
}

/*
 * Whether the user may do to a file what `bit` says (as access() has it). Of ourselves the kernel knows best; of others, who
 * ask through a socket, the mode says. What does not exist may be made.
 */
static bool may(const char *path, unsigned uid, unsigned bit)
{
    struct stat st;
    if (uid == getuid()) {
        return access(path, (int)bit) == 0 || (bit == W_OK && errno == ENOENT);
    }
    if (stat(path, &st) != 0) {
        return bit == W_OK && errno == ENOENT;
    }
    const unsigned shift = st.st_uid == uid ? 6 : is_in_group(uid, st.st_gid) ? 3 : 0;
    return (st.st_mode >> shift & bit) != 0;
}

static enum role role_at(const char *folder, unsigned uid)
{
    char *facts = file_join(folder, "facts.duckdb");
    const enum role role = uid == 0 || may(folder, uid, W_OK)                ? ROLE_ADMIN
                           : may(folder, uid, X_OK) && may(facts, uid, R_OK) ? ROLE_STAFF
                                                                             : ROLE_USER;
    free(facts);
    return role;
}

struct caller caller_local(const char *folder, unsigned uid, struct arena *arena)
{
    bool known;
    struct caller caller = {.name = name_of(uid, &known, arena), .role = role_at(folder, uid)};
    if (known) {
        struct str *login = arena_alloc(arena, sizeof(*login));
        *login = str_of(caller.name);
        caller.logins = login;
        caller.login_count = 1;
    }
    return caller;
}
