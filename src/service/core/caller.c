/* SPDX-License-Identifier: MIT */
#include "service/core/caller.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"

const struct right_row right_rows[] = {
    {RIGHT_OWN, "own", "see their own runs and balance, and what the site shows to all users"},
    {RIGHT_MANAGED, "managed",
     "see the runs and balances of the groups, accounts and metagroups that they manage"},
    {RIGHT_ALL, "all", "see all runs, all balances and the books"},
    {RIGHT_TRANSFER, "transfer", "transfer SU out of accounts that they manage"},
    {RIGHT_MONEY, "money", "open accounts, grant, charge, refund, set rates, issue invoices"},
    {RIGHT_BOOKS, "books", "change the books: metagroups, people, clusters, gaps, targets"},
    {RIGHT_ACCESS, "access", "manage users and tokens, and read the audit log"},
    {RIGHT_SAMPLES, "samples", "send samples of nodes, with a token of the name agent-CLUSTER"},
    {RIGHT_CHORES, "chores",
     "import, pull, roll up, thin, set limits of schedulers, send messages to users"},
};
const size_t right_count = COUNT_OF(right_rows);

static const struct role_row {
    const char *name;
    unsigned rights;
} role_rows[ROLE_COUNT_OF] = {
    [ROLE_ANYONE] = {"anyone", RIGHTS_ANYONE},
    [ROLE_USER] = {"user", RIGHTS_USER},
    [ROLE_MANAGER] = {"manager", RIGHTS_MANAGER},
    [ROLE_STAFF] = {"staff", RIGHTS_STAFF},
    [ROLE_OPERATOR] = {"operator", RIGHTS_OPERATOR},
    [ROLE_TREASURER] = {"treasurer", RIGHTS_TREASURER},
    [ROLE_AGENT] = {"agent", RIGHTS_AGENT},
    [ROLE_ADMIN] = {"admin", RIGHTS_ADMIN},
};

const char *role_name(enum role role)
{
    assert(role < ROLE_COUNT_OF);
    return role_rows[role].name;
}

unsigned role_rights(enum role role)
{
    assert(role < ROLE_COUNT_OF);
    return role_rows[role].rights;
}

bool role_find(struct str name, enum role *out)
{
    for (enum role role = ROLE_USER; role < ROLE_COUNT_OF; role++) {
        if (str_eq(name, str_of(role_rows[role].name))) {
            *out = role;
            return true;
        }
    }
    return false;
}

static unsigned right_find(struct str name)
{
    for (size_t i = 0; i < right_count; i++) {
        if (str_eq(name, str_of(right_rows[i].name))) {
            return right_rows[i].right;
        }
    }
    return RIGHT_UNSET;
}

int rights_read(struct str names, unsigned *out, struct error *err)
{
    *out = RIGHT_PUBLIC;
    for (size_t at = 0; at < names.len;) {
        const size_t begin = at;
        while (at < names.len && !strchr(", \t", names.ptr[at])) {
            at++;
        }
        const struct str name = {names.ptr + begin, at - begin};
        const unsigned right = right_find(name);
        if (name.len > 0 && right == RIGHT_UNSET) {
            struct buf known;
            buf_init(&known, ERROR_TEXT_MAX);
            rights_print(&known, ~0U, ", ");
            error_set(err, ERROR_USAGE, "there is no right '%.*s'; rights are: %s",
                      STR_ARG(name), known.ptr);
            buf_release(&known);
            return ERROR_USAGE;
        }
        *out |= right;
        at++;
    }
    return 0;
}

void rights_print(struct buf *out, unsigned rights, const char *separator)
{
    bool any = false;
    for (size_t i = 0; i < right_count; i++) {
        if (rights & right_rows[i].right) {
            buf_addf(out, "%s%s", any ? separator : "", right_rows[i].name);
            any = true;
        }
    }
}

bool rights_change(unsigned rights)
{
    return (rights & ~(unsigned)RIGHTS_SEEING) != 0;
}

bool caller_may(const struct caller *caller, unsigned rights)
{
    return rights != RIGHT_UNSET && (caller->rights & rights) == rights;
}

struct scope caller_scope(const struct caller *caller)
{
    struct scope scope = {.all = caller_may(caller, RIGHT_ALL)};
    if (caller_may(caller, RIGHT_OWN)) {
        scope.logins = caller->logins;
        scope.login_count = caller->login_count;
    }
    if (caller_may(caller, RIGHT_MANAGED)) {
        scope.groups = caller->groups;
        scope.group_count = caller->group_count;
        scope.accounts = caller->accounts;
        scope.account_count = caller->account_count;
    }
    return scope;
}

static char *name_of_uid(unsigned uid, bool *known, struct arena *arena)
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
    return name_of_uid(uid, &known, arena);
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
 * Whether the user may do to a file what `bit` says (as access() has it). Of ourselves the
 * kernel knows best; of others, who ask through a socket, the mode says. What does not exist
 * may be made.
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
    const enum role role = role_at(folder, uid);
    struct caller caller = {
        .name = name_of_uid(uid, &known, arena), .role = role, .rights = role_rights(role)};
    if (known) {
        struct str *login = arena_alloc(arena, sizeof(*login));
        *login = str_of(caller.name);
        caller.logins = login;
        caller.login_count = 1;
    }
    return caller;
}
