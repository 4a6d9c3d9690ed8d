/* SPDX-License-Identifier: MIT */

#include "service/access/access.h"

#include <stdio.h>

#include "base/base64.h"
#include "books/secret.h"
#include "service/access/grant.h"
#include "service/access/sodium.h"
#include "service/books/kind_actions.h"

enum { SESSION_MAX = 4096 };

/* "a,b, c" as a list of names. */
static const struct str *read_list(struct str text, struct arena *arena, size_t *count)
{
    size_t room = 1;
    for (size_t i = 0; i < text.len; i++) {
        room += text.ptr[i] == ',';
    }
    struct str *names = arena_alloc(arena, room * sizeof(*names));
    *count = 0;
    for (struct str rest = text; rest.ptr;) {
        const struct str name = str_trim(str_cut(&rest, ','));
        if (name.len > 0) {
            names[(*count)++] = arena_copy(arena, name);
        }
    }
    return names;
}

/*
 * What a row of the books allows; a role or a right that this program does not know allows
 * nothing.
 */
static void read_role(const struct kind *kind, const struct kind_row *row, struct caller *out)
{
    const struct str part = kind_cell(kind, row, "rights");
    struct error ignored;
    unsigned kept = 0;
    if (!role_find(kind_cell(kind, row, "role"), &out->role)) {
        out->role = ROLE_ANYONE;
    }
    out->rights = role_rights(out->role);
    if (part.ptr && rights_read(part, &kept, &ignored)) {
        kept = RIGHT_PUBLIC;
    }
    out->rights &= part.ptr ? kept : ~0U;
}

static void read_rights(const struct kind *kind, const struct kind_row *row,
                        struct arena *arena, struct caller *out)
{
    *out = (struct caller){
        .name = arena_text(arena, kind_cell(kind, row, "name")),
        .remote = true,
    };
    read_role(kind, row, out);
    out->logins = read_list(kind_cell(kind, row, "logins"), arena, &out->login_count);
    out->groups = read_list(kind_cell(kind, row, "groups"), arena, &out->group_count);
    out->accounts = read_list(kind_cell(kind, row, "accounts"), arena, &out->account_count);
    out->metagroups =
        read_list(kind_cell(kind, row, "metagroups"), arena, &out->metagroup_count);
}

static void give_login(struct caller *caller, struct arena *arena);
static int find_rights(struct books *books, const char *which, struct str name,
                       struct arena *arena, struct caller *out, bool *found, struct error *err);

/*
 * A token that somebody made for themselves: of what it was made for, what its owner may do by
 * now.
 */
static int owner_rights(struct books *books, struct str owner, unsigned kept,
                        struct arena *arena, struct caller *out, struct error *err)
{
    struct caller user = {.name = arena_text(arena, owner), CALLER_AS(USER)};
    const char *name = out->name;
    bool found = false;
    int failed = find_rights(books, "user", owner, arena, &user, &found, err);
    give_login(&user, arena);
    *out = user;
    out->name = name;
    out->rights &= kept;
    out->remote = true;
    return failed;
}

/* The row of a token or user by name, whose time is not over; *found if there is one. */
static int find_rights(struct books *books, const char *which, struct str name,
                       struct arena *arena, struct caller *out, bool *found, struct error *err)
{
    const struct kind *kind = kind_find(str_of(which));
    struct books_rows rows;
    int failed = books_list(books, kind, &rows, err);
    *found = false;
    for (size_t i = 0; !failed && i < rows.count; i++) {
        int64_t from, to;
        kind_period(kind, &rows.rows[i], books_kind_world(books)->zone, &from, &to);
        if (str_eq(kind_cell(kind, &rows.rows[i], "name"), name) &&
            books_kind_world(books)->now < to) {
            const struct str owner = kind_cell(kind, &rows.rows[i], "owner");
            read_rights(kind, &rows.rows[i], arena, out);
            const unsigned kept =
                kind_cell(kind, &rows.rows[i], "rights").ptr ? out->rights : ~0U;
            failed = owner.ptr ? owner_rights(books, owner, kept, arena, out, err) : 0;
            *found = !failed;
        }
    }
    books_rows_release(&rows);
    return failed;
}

/* A user without logins of their own has the one that they are called. */
static void give_login(struct caller *caller, struct arena *arena)
{
    if (caller->login_count == 0) {
        struct str *login = arena_alloc(arena, sizeof(*login));
        *login = str_of(caller->name);
        caller->logins = login;
        caller->login_count = 1;
    }
}

static int by_secret(const struct service *service, const char *secret_kind, const char *kind,
                     struct str secret, struct arena *arena, struct caller *out,
                     struct error *err)
{
    char hash[SODIUM_HASH_MAX];
    struct books_session opened = service_books_session(service);
    struct books *books;
    struct str name = {0};
    bool found = false;
    int failed;
    (void)((failed = sodium_hash(secret_kind, secret, hash, err)) ||
           (failed = books_session_open(&opened, BOOKS_READ, &books, err)) ||
           (failed = secret_owner(books, secret_kind, str_of(hash), service->now(), arena,
                                  &name, err)) ||
           (name.ptr && (failed = find_rights(books, kind, name, arena, out, &found, err))));
    books_session_close(&opened);
    return failed || found ? failed
                           : error_set(err, ERROR_DENIED,
                                       "this %s is unknown or no longer valid", secret_kind);
}

int access_by_token(const struct service *service, struct str token, struct arena *arena,
                    struct caller *out, struct error *err)
{
    int failed = by_secret(service, SECRET_TOKEN, "token", token, arena, out, err);
    if (!failed) {
        out->name = arena_printf(arena, "token %s", out->name);
        out->token = true;
    }
    return failed;
}

/*
 * A session that a provider vouches for: its name, if it is still good, with the groups in it.
 */
static int by_outside(const struct service *service, struct str session, struct str groups,
                      struct arena *arena, struct caller *out, struct error *err)
{
    char hash[SODIUM_HASH_MAX];
    struct books_session opened = service_books_session(service);
    struct books *books;
    struct str name = {0};
    int failed;
    (void)((failed = sodium_hash(SECRET_SESSION, session, hash, err)) ||
           (failed = books_session_open(&opened, BOOKS_READ, &books, err)) ||
           (failed = secret_owner(books, SECRET_SESSION, str_of(hash), service->now(), arena,
                                  &name, err)));
    books_session_close(&opened);
    if (!failed && !name.ptr) {
        return error_set(err, ERROR_DENIED, "this session is unknown or no longer valid");
    }
    return failed ? failed : access_by_name(service, name, groups, arena, out, err);
}

int access_by_session(const struct service *service, struct str session, struct arena *arena,
                      struct caller *out, struct error *err)
{
    struct str rest = session, groups;
    str_cut(&rest, '.');
    if (rest.ptr && session.len < SESSION_MAX && base64_read_url(rest, arena, &groups)) {
        return by_outside(service, session, groups, arena, out, err);
    }
    int failed = by_secret(service, SECRET_SESSION, "user", session, arena, out, err);
    if (!failed) {
        give_login(out, arena);
        grant_apply(service->config, str_of(out->name), NULL, 0, arena, out);
    }
    return failed;
}

int access_by_name(const struct service *service, struct str name, struct str groups,
                   struct arena *arena, struct caller *out, struct error *err)
{
    struct books_session opened = service_books_session(service);
    struct books *books;
    bool found = false;
    int failed = books_session_open(&opened, BOOKS_READ, &books, err);
    failed = failed ? failed : find_rights(books, "user", name, arena, out, &found, err);
    books_session_close(&opened);
    if (!failed && !found) {
        *out =
            (struct caller){.name = arena_text(arena, name), CALLER_AS(USER), .remote = true};
    }
    if (!failed) {
        size_t count = 0;
        const struct str *names = grant_names(groups, arena, &count);
        grant_apply(service->config, name, names, count, arena, out);
        give_login(out, arena);
    }
    return failed;
}

void access_local(const struct config *config, unsigned uid, struct arena *arena,
                  struct caller *caller)
{
    size_t count = 0;
    const struct str *groups = grant_unix_groups(uid, arena, &count);
    grant_apply(config, str_of(caller->name), groups, count, arena, caller);
}

static void audit_login(const struct service *service, struct str name, const char *from,
                        const char *what)
{
    char who[128];
    snprintf(who, sizeof(who), "%.*s", name.len < 100 ? (int)name.len : 100, name.ptr);
    access_audit(service, who, from, what);
}

/*
 * A new session of that name: a secret, and behind a dot what is said of the groups; NULL:
 * nobody said anything.
 */
static int begin_session(struct books *books, struct str name, const struct str *groups,
                         int64_t until, struct arena *arena, struct str *session,
                         struct error *err)
{
    char secret[SODIUM_SECRET_MAX], hash[SODIUM_HASH_MAX];
    struct buf text;
    int failed = sodium_secret("", secret, err);
    if (failed) {
        return failed;
    }
    buf_init(&text, SESSION_MAX);
    buf_addz(&text, secret);
    if (groups) { /* part of what is hashed, so that nobody can change it */
        buf_addc(&text, '.');
        base64_add_url(&text, *groups);
    }
    (void)((failed = sodium_hash(SECRET_SESSION, buf_str(&text), hash, err)) ||
           (failed = secret_put(books, SECRET_SESSION, name, str_of(hash), until, err)));
    *session = arena_copy(arena, buf_str(&text));
    buf_release(&text);
    return failed;
}

int access_log_in(const struct service *service, struct str name, struct str password,
                  const char *from, int64_t until, struct arena *arena, struct str *session,
                  struct error *err)
{
    struct books_session opened = service_books_session(service);
    struct books *books;
    struct caller caller;
    struct str kept = {0};
    bool known = false, same = false;
    int failed;
    (void)((failed = books_session_open(&opened, BOOKS_WRITE, &books, err)) ||
           (failed = find_rights(books, "user", name, arena, &caller, &known, err)) ||
           (failed = secret_of(books, SECRET_USER, name, arena, &kept, err)) ||
           (failed = sodium_verify(known ? kept : (struct str){0}, password, &same, err)));
    if (!failed && !same) {
        failed = error_set(err, ERROR_DENIED, "wrong name or password");
    }
    failed = failed ? failed : begin_session(books, name, NULL, until, arena, session, err);
    books_session_close(&opened);
    if (!failed) {
        audit_login(service, name, from, "logged in");
    }
    return failed;
}

int access_let_in(const struct service *service, struct str name, struct str groups,
                  const char *from, int64_t until, struct arena *arena, struct str *session,
                  struct error *err)
{
    struct books_session opened = service_books_session(service);
    struct books *books;
    int failed;
    (void)((failed = books_session_open(&opened, BOOKS_WRITE, &books, err)) ||
           (failed = begin_session(books, name, &groups, until, arena, session, err)));
    books_session_close(&opened);
    audit_login(service, name, from, failed ? "login refused" : "logged in by OpenID Connect");
    return failed;
}

int access_log_out(const struct service *service, struct str session, struct error *err)
{
    char hash[SODIUM_HASH_MAX];
    struct books_session opened = service_books_session(service);
    struct books *books;
    struct arena arena = {0};
    struct str name = {0};
    int failed;
    (void)((failed = sodium_hash(SECRET_SESSION, session, hash, err)) ||
           (failed = books_session_open(&opened, BOOKS_WRITE, &books, err)) ||
           (failed = secret_owner(books, SECRET_SESSION, str_of(hash), service->now(), &arena,
                                  &name, err)) ||
           (name.ptr &&
            (failed = secret_remove(books, SECRET_SESSION, name, str_of(hash), err))));
    books_session_close(&opened);
    arena_release(&arena);
    return failed;
}

bool access_has_password(const struct service *service, struct str name)
{
    struct books_session opened = service_books_session(service);
    struct books *books;
    struct arena arena = {0};
    struct str kept = {0};
    struct error ignored;
    int failed = books_session_open(&opened, BOOKS_READ, &books, &ignored);
    failed = failed ? failed : secret_of(books, SECRET_USER, name, &arena, &kept, &ignored);
    const bool has = !failed && kept.ptr;
    books_session_close(&opened);
    arena_release(&arena);
    return has;
}

int access_form_key(const struct service *service, char out[SODIUM_SECRET_MAX],
                    struct error *err)
{
    struct books_session opened = service_books_session(service);
    struct books *books;
    struct arena arena = {0};
    struct str kept = {0};
    int failed = books_session_open(&opened, BOOKS_WRITE, &books, err);
    failed = failed ? failed : secret_of(books, SECRET_FORMS, STR("key"), &arena, &kept, err);
    if (!failed && kept.ptr && kept.len < SODIUM_SECRET_MAX) {
        snprintf(out, SODIUM_SECRET_MAX, "%.*s", STR_ARG(kept));
    } else if (!failed) {
        failed = sodium_secret("", out, err);
        failed =
            failed ? failed : secret_put(books, SECRET_FORMS, STR("key"), str_of(out), 0, err);
    }
    books_session_close(&opened);
    arena_release(&arena);
    return failed;
}

int access_form_token(struct str session, struct arena *arena, struct str *out,
                      struct error *err)
{
    char hash[SODIUM_HASH_MAX];
    int failed = sodium_hash("form of a session", session, hash, err);
    *out = failed ? (struct str){0} : arena_copy(arena, str_of(hash));
    return failed;
}

void access_audit(const struct service *service, const char *who, const char *from,
                  const char *what)
{
    struct books_session opened = service_books_session(service);
    struct books *books;
    struct error ignored;
    if (books_session_open(&opened, BOOKS_WRITE, &books, &ignored) == 0) {
        (void)!secret_audit(books, service->now(), str_of(who), str_of(from), str_of(what),
                            &ignored);
    }
    books_session_close(&opened);
}
