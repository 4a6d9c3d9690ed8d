/* SPDX-License-Identifier: MIT */
#include "service/caller.h"

#include <assert.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
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

static enum role role_at(const char *folder, unsigned uid)
{
    char *facts = file_join(folder, "facts.duckdb");
    const bool may_write = access(folder, W_OK) == 0 || errno == ENOENT;
    const bool may_read = access(facts, R_OK) == 0;
    free(facts);
    return uid == 0 || may_write ? ROLE_ADMIN : may_read ? ROLE_STAFF : ROLE_USER;
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
