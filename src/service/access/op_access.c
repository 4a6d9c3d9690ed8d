/* SPDX-License-Identifier: MIT */

/*
 * stint token, stint user: who may ask a server. What each may do is a row of the books, as of
 * every kind; the secret is made here, shown once and kept as a hash (books/secret.h).
 */

#include <string.h>

#include "base/scan.h"
#include "books/secret.h"
#include "service/access/access.h"
#include "service/access/sodium.h"
#include "service/books/kind_actions.h"
#include "service/core/operations.h"

static struct str requested_name(const struct request *request)
{
    struct str name = {0};
    return request_each(request, "word", 0, &name) ? name : request_text(request, "name");
}

static bool is(const struct request *request, const char *action)
{
    return str_eq(request_text(request, "action"), str_of(action));
}

/* The request with another action. `values` has room for all. */
static struct request as_action(const struct request *request, const char *action,
                                struct request_value *values)
{
    for (size_t i = 0; i < request->count; i++) {
        values[i] = request->values[i];
        if (strcmp(values[i].name, "action") == 0) {
            values[i].text = str_of(action);
        }
    }
    struct request other = *request;
    other.values = values;
    return other;
}

static int put_secret(struct service *service, const char *kind, struct str name,
                      struct str hash, struct error *err)
{
    struct books *books = NULL;
    int failed = service_books(service, BOOKS_WRITE, &books, err);
    if (!failed && hash.ptr) {
        failed = secret_put(books, kind, name, hash, 0, err);
    } else if (!failed) {
        failed = secret_remove(books, kind, name, (struct str){0}, err);
        failed =
            failed ? failed : secret_remove(books, SECRET_SESSION, name, (struct str){0}, err);
    }
    return failed;
}

/* What is shown of a new secret, and never again. */
static void show_secret(struct answer *answer, const char *id, const char *label,
                        struct str name, const char *secret)
{
    table_release(&answer->table);
    note_release(&answer->notes);
    table_column(&answer->table, "name", "Name", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&answer->table, id, label, CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    const size_t row = table_row(&answer->table);
    table_set_text(&answer->table, 0, row, name);
    table_set_text(&answer->table, 1, row, str_of(secret));
    answer_note(answer, NOTE_RESULT,
                "the %s is shown only once: store it where only its user can read it", id);
}

/* --- tokens of one's own ------------------------------------------------------------------ */

/* "ann/laptop": of the names that people choose for themselves, each has their own. */
static struct str own_name(const struct service *service, struct str name, struct arena *arena)
{
    const char *prefix = arena_printf(arena, "%s/", service->caller->name);
    return str_starts(name, str_of(prefix))
               ? name
               : str_of(arena_printf(arena, "%s%.*s", prefix, STR_ARG(name)));
}

/*
 * The rights that a request for a token names, else all that it may have; ERROR_USAGE: it names
 * others.
 */
static int take_rights(const struct request *request, unsigned may, unsigned *out,
                       struct error *err)
{
    const struct str named = request_text(request, "rights");
    *out = may;
    int failed = named.len > 0 ? rights_read(named, out, err) : 0;
    if (!failed && (*out & ~may) != 0) {
        struct buf more;
        buf_init(&more, ERROR_TEXT_MAX);
        rights_print(&more, *out & ~may, ", ");
        failed = error_set(err, ERROR_USAGE,
                           "--rights names some of those of the role, and not: %s", more.ptr);
        buf_release(&more);
    }
    return failed;
}

/* Adds a value, or replaces the one of that name; `values` has room for it. */
static void put_value(struct request *request, struct request_value *values, const char *name,
                      struct str text)
{
    for (size_t i = 0; i < request->count; i++) {
        if (strcmp(values[i].name, name) == 0) {
            values[i].text = text;
            return;
        }
    }
    values[request->count++] = (struct request_value){name, text};
}

static void put_rights(struct request *request, struct request_value *values, unsigned rights,
                       struct arena *arena)
{
    struct buf names;
    buf_init(&names, ERROR_TEXT_MAX);
    rights_print(&names, rights, ",");
    put_value(request, values, "rights", arena_copy(arena, buf_str(&names)));
    buf_release(&names);
}

/*
 * The request of somebody who does not manage access: under a name of their own, and with their
 * own rights.
 */
static int as_own(const struct service *service, const struct request *request,
                  struct request_value *values, struct arena *arena, struct request *out,
                  struct error *err)
{
    static const char *const theirs[] = {"role", "logins", "groups", "accounts", "metagroups"};
    unsigned rights = 0;
    for (size_t i = 0; i < COUNT_OF(theirs); i++) {
        if (request_has(request, theirs[i])) {
            return error_set(err, ERROR_USAGE,
                             "--%s is not for you to say: a token of yours may do what you may",
                             theirs[i]);
        }
    }
    if (service->caller->token && is(request, "add")) {
        return error_set(err, ERROR_DENIED, "a token makes no tokens: log in to make one");
    }
    for (size_t i = 0; i < request->count; i++) {
        if ((strcmp(values[i].name, "word") == 0 || strcmp(values[i].name, "name") == 0) &&
            !is(request, "list")) {
            values[i].text = own_name(service, values[i].text, arena);
        }
    }
    if (!is(request, "add")) {
        return 0;
    }
    int failed = take_rights(request, service->caller->rights, &rights, err);
    put_value(out, values, "role", str_of(role_name(service->caller->role)));
    put_rights(out, values, rights, arena);
    return failed;
}

/*
 * The request of somebody who manages access: the rights of a new token, or of one with a new
 * role, are written down with it, so that it does not get others when a role is given more.
 */
static int as_manager(const struct request *request, struct request_value *values,
                      struct arena *arena, struct request *out, struct error *err)
{
    enum role role;
    unsigned rights = 0;
    if (!role_find(request_text(request, "role"), &role) ||
        !(is(request, "add") || is(request, "set"))) {
        return 0;
    }
    int failed = take_rights(request, role_rights(role), &rights, err);
    if (!failed) {
        put_rights(out, values, rights, arena);
    }
    return failed;
}

/* The names of rights are looked at before the books keep them. */
static int check_rights_names(const struct request *request, struct error *err)
{
    const struct str named = request_text(request, "rights");
    unsigned ignored;
    return named.len > 0 && !is(request, "list") ? rights_read(named, &ignored, err) : 0;
}

/* --- giving no more than one has ---------------------------------------------------------- */

static bool is_row(const struct kind *kind, const struct kind_row *row, struct str name)
{
    int64_t id;
    return str_eq(kind_cell(kind, row, "name"), name) || (scan_int(name, &id) && id == row->id);
}

/* The rights that a user or token has by now; 0 if there is none of that name or number. */
static int find_held(struct service *service, const struct kind *kind, struct str name,
                     unsigned *out, struct error *err)
{
    struct books *books = NULL;
    struct books_rows rows = {0};
    int failed = service_books(service, BOOKS_READ, &books, err);
    failed = failed ? failed : books_list(books, kind, &rows, err);
    *out = 0;
    for (size_t i = 0; !failed && i < rows.count; i++) {
        enum role role;
        if (is_row(kind, &rows.rows[i], name) &&
            role_find(kind_cell(kind, &rows.rows[i], "role"), &role)) {
            *out |= role_rights(role);
        }
    }
    books_rows_release(&rows);
    return failed;
}

/*
 * Those who manage access without having all rights can neither give more than they have nor
 * take over somebody who has more, by a new password for instance.
 */
static int check_giving(struct service *service, const struct request *request,
                        struct error *err)
{
    const unsigned own = service->caller->rights;
    enum role role;
    unsigned given = 0, held = 0;
    if (caller_may(service->caller, RIGHTS_ADMIN) || is(request, "list")) {
        return 0;
    }
    int failed = find_held(service, kind_find(str_of(request->operation->name)),
                           requested_name(request), &held, err);
    if (failed) {
        return failed;
    }
    given = role_find(request_text(request, "role"), &role) ? role_rights(role) : 0;
    if (((given | held) & ~own) != 0) {
        struct buf names;
        buf_init(&names, ERROR_TEXT_MAX);
        rights_print(&names, (given | held) & ~own, ", ");
        failed =
            error_set(err, ERROR_DENIED,
                      "nobody gives or changes rights that they do not have: %s", names.ptr);
        buf_release(&names);
    }
    return failed;
}

/* Tokens that somebody made for themselves end with their being a user. */
static int revoke_owned(struct service *service, struct str owner, struct error *err)
{
    const struct kind *kind = kind_find(STR("token"));
    struct books *books = NULL;
    struct books_rows rows = {0};
    int failed = service_books(service, BOOKS_WRITE, &books, err);
    failed = failed ? failed : books_list(books, kind, &rows, err);
    failed = failed ? failed : books_begin(books, err);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        if (str_eq(kind_cell(kind, &rows.rows[i], "owner"), owner)) {
            failed = books_remove(books, kind, rows.rows[i].id, err);
        }
    }
    failed = failed ? failed : books_commit(books, err);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        if (str_eq(kind_cell(kind, &rows.rows[i], "owner"), owner)) {
            failed = secret_remove(books, SECRET_TOKEN, kind_cell(kind, &rows.rows[i], "name"),
                                   (struct str){0}, err);
        }
    }
    books_rows_release(&rows);
    return failed;
}

/* Its row first: whose it is not has no such token. A secret without a row proves nothing. */
static int revoke(struct service *service, const struct request *request, struct answer *answer,
                  struct error *err)
{
    struct request_value values[REQUEST_VALUES_MAX];
    const struct request removing = as_action(request, "remove", values);
    int failed = kind_actions_run(service, &removing, answer, err);
    return failed ? failed
                  : put_secret(service, SECRET_TOKEN, requested_name(request), (struct str){0},
                               err);
}

static int keep_token(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    char secret[SODIUM_SECRET_MAX], hash[SODIUM_HASH_MAX];
    int failed = 0;
    if (is(request, "revoke")) {
        return revoke(service, request, answer, err);
    }
    if (is(request, "add")) { /* before the row: without the library there is no token */
        (void)((failed = sodium_secret("stint_", secret, err)) ||
               (failed = sodium_hash(SECRET_TOKEN, str_of(secret), hash, err)));
    }
    failed = failed ? failed : kind_actions_run(service, request, answer, err);
    if (!failed && is(request, "add")) {
        failed = put_secret(service, SECRET_TOKEN, requested_name(request), str_of(hash), err);
        show_secret(answer, "token", "Token", requested_name(request), secret);
    }
    return failed;
}

static int run_token(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct request_value values[REQUEST_VALUES_MAX + 2]; /* and a role and rights */
    struct arena arena = {0};
    struct request changed = *request;
    const bool manages = caller_may(service->caller, RIGHT_ACCESS);
    for (size_t i = 0; i < request->count; i++) {
        values[i] = request->values[i];
    }
    changed.values = values;
    int failed = check_rights_names(request, err);
    if (!failed && manages) {
        failed = check_giving(service, request, err);
        failed = failed ? failed : as_manager(request, values, &arena, &changed, err);
    } else if (!failed) {
        failed = as_own(service, request, values, &arena, &changed, err);
    }
    failed = failed ? failed : keep_token(service, &changed, answer, err);
    arena_release(&arena);
    return failed;
}

/* --- users -------------------------------------------------------------------------------- */

static int check_user(struct service *service, struct str name, struct error *err)
{
    struct books *books = NULL;
    struct books_rows rows = {0};
    bool found = false;
    const struct kind *kind = kind_find(STR("user"));
    int failed = service_books(service, BOOKS_READ, &books, err);
    failed = failed ? failed : books_list(books, kind, &rows, err);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        found = found || str_eq(kind_cell(kind, &rows.rows[i], "name"), name);
    }
    books_rows_release(&rows);
    return failed || found
               ? failed
               : error_set(err, ERROR_MISSING, "there is no user '%.*s'", STR_ARG(name));
}

/* The password that was given, or one made by chance, which is shown. */
static int set_password(struct service *service, const struct request *request,
                        struct answer *answer, struct error *err)
{
    char secret[SODIUM_SECRET_MAX] = "", hash[SODIUM_HASH_MAX];
    const struct str given = request_text(request, "password");
    int failed = 0;
    if (given.ptr && (given.len < ACCESS_PASSWORD_MIN || given.len > ACCESS_PASSWORD_MAX)) {
        return error_set(err, ERROR_USAGE, "a password must have %d to %d bytes",
                         ACCESS_PASSWORD_MIN, ACCESS_PASSWORD_MAX);
    }
    (void)((!given.ptr && (failed = sodium_secret("", secret, err))) ||
           (failed = sodium_password(given.ptr ? given : str_of(secret), hash, err)) ||
           (failed = put_secret(service, SECRET_USER, requested_name(request), (struct str){0},
                                err)) || /* and all log-ins */
           (failed =
                put_secret(service, SECRET_USER, requested_name(request), str_of(hash), err)));
    if (!failed && !given.ptr) {
        show_secret(answer, "password", "Password", requested_name(request), secret);
    } else if (!failed) {
        answer_note(answer, NOTE_RESULT,
                    "the password is set; all earlier sessions have ended");
    }
    return failed;
}

static bool is_secret_param(const char *name)
{
    static const char *const names[] = {"password", "old", "revoke-tokens"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* What the books know nothing of: their columns do not have these. */
static struct request without_password(const struct request *request,
                                       struct request_value *values)
{
    size_t count = 0;
    for (size_t i = 0; i < request->count; i++) {
        if (!is_secret_param(request->values[i].name)) {
            values[count++] = request->values[i];
        }
    }
    struct request rest = *request;
    rest.values = values;
    rest.count = count;
    return rest;
}

/*
 * People change their own password, with the one they have; those who manage access change any.
 */
static int check_changer(struct service *service, const struct request *request,
                         struct error *err)
{
    const struct caller *caller = service->caller;
    const struct str name = requested_name(request), old = request_text(request, "old");
    struct arena arena = {0};
    struct books *books = NULL;
    struct str kept = {0};
    bool same = false;
    if (caller_may(caller, RIGHT_ACCESS)) {
        return 0;
    }
    if (caller->token || !caller->name || !str_eq(name, str_of(caller->name))) {
        return error_set(err, ERROR_DENIED,
                         "users change their own password only, after they logged in");
    }
    int failed = service_books(service, BOOKS_READ, &books, err);
    failed = failed ? failed : secret_of(books, SECRET_USER, name, &arena, &kept, err);
    failed = failed ? failed : sodium_verify(kept, old.ptr ? old : STR(""), &same, err);
    arena_release(&arena);
    return failed || same ? failed
                          : error_set(err, ERROR_DENIED,
                                      "this is not the present password: give it with --old");
}

static int change_password(struct service *service, const struct request *request,
                           struct answer *answer, struct error *err)
{
    int failed = check_changer(service, request, err);
    failed = failed ? failed : check_user(service, requested_name(request), err);
    failed = failed ? failed : set_password(service, request, answer, err);
    if (!failed && request_flag(request, "revoke-tokens")) {
        failed = revoke_owned(service, requested_name(request), err);
        answer_note(answer, NOTE_RESULT, "the tokens that the user created are revoked");
    }
    return failed;
}

static int run_user(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    struct request_value values[REQUEST_VALUES_MAX];
    const struct request rest = without_password(request, values);
    int failed =
        caller_may(service->caller, RIGHT_ACCESS) ? check_giving(service, request, err) : 0;
    if (failed) {
        return failed;
    }
    if (is(request, "passwd")) {
        return change_password(service, request, answer, err);
    }
    if (is(request, "remove")) {
        failed =
            put_secret(service, SECRET_USER, requested_name(request), (struct str){0}, err);
    }
    failed = failed ? failed : kind_actions_run(service, &rest, answer, err);
    if (!failed && is(request, "remove")) {
        failed = revoke_owned(service, requested_name(request), err);
    }
    return !failed && is(request, "add") ? set_password(service, request, answer, err) : failed;
}

/* --- rows --------------------------------------------------------------------------------- */

#define SET_ACTION                                                                             \
    {                                                                                          \
        "set", "change what it may do: its name, and the options to change", RIGHT_ACCESS,     \
            ACTION_CHANGES, NULL                                                               \
    }
#define LIST_ACTION                                                                            \
    {                                                                                          \
        "list", "list them and what each may do", RIGHT_ACCESS, 0, NULL                        \
    }

static const struct operation_action token_actions[] = {
    {"add", "create one: its name and, for those who manage access, --role; it is shown once",
     RIGHT_OWN, ACTION_CHANGES, NULL},
    SET_ACTION,
    {"revoke", "revoke one immediately: its name", RIGHT_OWN, ACTION_CHANGES, NULL},
    {"list", "list them with what each may do", RIGHT_OWN, 0, NULL},
};

static const struct operation_action user_actions[] = {
    {"add",
     "add one: name and --role; a random password is shown once, unless --password sets it",
     RIGHT_ACCESS, ACTION_CHANGES, NULL},
    SET_ACTION,
    {"passwd", "set a new password and end all sessions; one's own with --old", RIGHT_OWN,
     ACTION_CHANGES, NULL},
    {"remove", "remove one: the name", RIGHT_ACCESS, ACTION_CHANGES, NULL},
    LIST_ACTION,
};

static const struct param token_params[] = {ENTRY_PARAMS("add set revoke list")};
static const struct param user_params[] = {
    ENTRY_PARAMS("add set passwd remove list"),
    {.name = "password",
     .type = PARAM_TEXT,
     .value = "TEXT",
     .help = "the password, 10 bytes or more; by default a random one is created and shown. "
             "Other users of this machine may see command lines"},
    {.name = "old",
     .type = PARAM_TEXT,
     .value = "TEXT",
     .help = "the present password, for passwd of one's own"},
    {.name = "revoke-tokens",
     .type = PARAM_FLAG,
     .help = "with passwd: also revoke the tokens that the user created"},
};

const struct operation operation_token = {
    .name = "token",
    .summary = "manage access tokens for a server",
    .description =
        "A program, or the command line on another machine, authenticates to a server (stint "
        "serve) with a token in the header 'Authorization: Bearer TOKEN'. A token has a role "
        "and, for the roles user and manager, the logins, groups, accounts and metagroups "
        "whose runs it may see; --rights gives it only some of the rights of its role. Only a "
        "hash of the token is stored; the token itself is shown "
        "once, when it "
        "is created. It expires after its last day (--to), or at once when it is revoked. "
        "Users create tokens for themselves: such a token may do what its owner may, or with "
        "--rights a part of that, is called OWNER/NAME, and only its owner and those who "
        "manage "
        "access see it.",
    .examples = "stint token add grafana --role staff --to 2026-12-31 # reads everything, "
                "changes nothing\n"
                "stint token add backup --role admin --rights books,all # dumps the books"
                "\n"
                "stint token add agent-alder --role agent # sends samples of a cluster\n"
                "stint token add lab --role manager --groups physics,optics # for two groups\n"
                "stint token revoke grafana # no longer valid",
    .rights = RIGHT_OWN,
    .actions = token_actions,
    .action_count = COUNT_OF(token_actions),
    .sets = PARAMS_KIND,
    .params = token_params,
    .param_count = COUNT_OF(token_params),
    .run = run_token,
};

const struct operation operation_user = {
    .name = "user",
    .summary = "manage the users of a server",
    .description = "A user logs in to a server (stint serve) with a name and a password; only "
                   "a hash of it (argon2id) is stored. The role defines what the user may do; "
                   "--logins, --groups, --accounts and --metagroups define whose runs the user "
                   "may see. "
                   "Without --logins, these are the runs of the login with the user's name. "
                   "Users change their own password on the page /me, or with passwd and --old.",
    .examples = "stint user add ann --role user # sees her own runs\n"
                "stint user add bob --role manager --groups physics --logins bob,bsmith # and "
                "those of a group\n"
                "stint user passwd ann # a new password",
    .rights = RIGHT_ACCESS,
    .actions = user_actions,
    .action_count = COUNT_OF(user_actions),
    .sets = PARAMS_KIND,
    .params = user_params,
    .param_count = COUNT_OF(user_params),
    .run = run_user,
};
