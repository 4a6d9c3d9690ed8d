/* SPDX-License-Identifier: MIT */

/*
 * The door itself: what is refused, to whom, and that nobody learns of others what is not theirs to know. The matrix is a loop
 * over the table of operations: one that nobody has given a role, or parameters to try it with here, fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "service/core/service.h"
#include "support/expect.h"
#include "support/facts_at.h"
#include "unit/report/ask.h"

enum { VALUES_MAX = 8 };

/* What all texts of the other's runs are made of, and one as long that is nowhere. */
#define OTHER  "quuxley"
#define NOBODY "quuxlor"

static struct runs_store store;
static struct zone *utc;
static struct store *opened; /* once for all: opening is what takes time */

static int64_t now(void)
{
    return INT64_C(1742472000) * SECOND_US;
}

static void fill(struct run *run, const char *who, const char *start, const char *end)
{
    RUN_SET(run, user, str_of(who));
    RUN_SET(run, group, str_of(who));
    RUN_SET(run, account, str_of(who));
    RUN_SET(run, name, str_of(who));
    RUN_SET(run, partition, str_of(who));
    RUN_SET(run, class, end ? STR("completed") : STR("running"));
    RUN_SET(run, submit, ask_instant(utc, start));
    RUN_SET(run, start, ask_instant(utc, start));
    if (end) {
        RUN_SET(run, end, ask_instant(utc, end));
    }
    RUN_SET(run, cpus, 2);
}

static void opens_a_store(void **state)
{
    (void)state;
    struct run runs[4] = {0};
    utc = ask_zone("UTC");
    fill(&runs[0], "ann", "2025-03-10T00:00", "2025-03-10T10:00");
    fill(&runs[1], OTHER, "2025-03-11T00:00", "2025-03-11T01:00");
    fill(&runs[2], OTHER, "2025-03-12T00:00", NULL);
    fill(&runs[3], "ann", "2025-03-12T00:00", NULL);
    runs_open(&store);
    runs_add(&store, runs, COUNT_OF(runs));
    facts_leave(store.facts);
    store.facts = NULL;
    struct error err = {0};
    expect_int(store_open(store.folder, FACTS_READ, &(struct store_wait){0}, &opened, &err), 0);
}

/* Calls with "name=value" words; everything that comes back, in one text. */
static int call_in(struct session *session, const struct caller *caller, const char *name,
                   const char *const *words, struct buf *said)
{
    struct request_value values[VALUES_MAX];
    struct request request = {.operation = operation_find(str_of(name)), .values = values};
    char names[VALUES_MAX][32];
    struct service service = {
        .store = store.folder, .session = session, .caller = caller, .zone = utc, .now = now};
    struct answer answer = {0};
    struct error err = {0};
    for (; request.count < VALUES_MAX && words && words[request.count]; request.count++) {
        struct str rest = str_of(words[request.count]);
        struct str before = str_cut(&rest, '=');
        (void)snprintf(names[request.count], sizeof names[0], "%.*s", STR_ARG(before));
        values[request.count] = (struct request_value){names[request.count], rest};
    }
    int failed = service_call(&service, &request, &answer, &err);
    if (answer.table.column_count > 0) {
        ask_print(&answer.table, said);
    }
    if (answer.shown.column_count > 0) {
        ask_print(&answer.shown, said);
    }
    note_lines(said, &answer.notes, NOTE_ALL);
    buf_add(said, buf_str(&answer.document));
    buf_addz(said, failed ? err.text : "");
    answer_release(&answer);
    return failed;
}

static int call(const struct caller *caller, const char *name, const char *const *words,
                struct buf *said)
{
    struct session session = {.folder = store.folder, .store = opened};
    return call_in(&session, caller, name, words, said);
}

/* --- what is asked ------------------------------------------------------------------------------- */

struct checked_row {
    const char *name;
    const char *operation;
    const char *words[VALUES_MAX];
    const char *want; /* NULL: nothing is wrong with it */
};

static const struct checked_row checked_rows[] = {
    {"all is well", "report", {"measure=jobs", "by=user", "top=3"}, NULL},
    {"no such name", "report", {"measure=jobs", "b=user"}, "report has no parameter 'b'"},
    {"nearly a name", "jobs", {"usr=ann"}, "jobs has no parameter 'usr'; did you mean 'user'?"},
    {"missing", "report", {"by=user"}, "MEASURE[,...] is missing (what to measure: jobs,"},
    {"no number", "report", {"measure=jobs", "top=x"}, "--top needs a whole number, not 'x'"},
    {"below zero", "jobs", {"limit=-1"}, "--limit needs a whole number, not '-1'"},
    {"no choice", "report", {"measure=jobs", "every=minute"}, "--every cannot be 'minute'"},
    {"no action", "metagroup", {"action=eat"}, "ACTION cannot be 'eat': choose one of: add"},
    {"one of a kind", "job", {"id=1", "id=2"}, "ID is given more than once"},
    {"several of many", "report", {"measure=jobs", "measure=users"}, NULL},
};

static void requests_are_checked(void **state)
{
    const struct checked_row *row = *state;
    const struct caller admin = {.name = "root", CALLER_AS(ADMIN)};
    struct buf said;
    buf_init(&said, 1 << 20);
    int failed = call(&admin, row->operation, row->words, &said);
    expect_int(failed, row->want ? ERROR_USAGE : 0);
    if (row->want) {
        expect_contains(said.ptr, row->want);
    }
    buf_release(&said);
}

/* --- who asks ------------------------------------------------------------------------------------ */

static const struct str ann[] = {{"ann", 3}};
static const struct str other[] = {{OTHER, sizeof(OTHER) - 1}};

static const struct caller callers[] = {
    {.name = "nobody", CALLER_AS(ANYONE)},
    {.name = "ann", CALLER_AS(USER), .logins = ann, .login_count = 1},
    {.name = "ann", CALLER_AS(MANAGER), .logins = ann, .login_count = 1},
    {.name = "staff", CALLER_AS(STAFF)},
    {.name = "root", CALLER_AS(ADMIN)},
};

struct tried_row {
    const char *operation;
    const char *words[VALUES_MAX];
};

/* The books know people, their accounts and groups, too, and the bank has accounts of theirs. */
static void the_other_is_in_the_books(void **state)
{
    (void)state;
    static const struct tried_row rows[] = {
        {"people", {"action=add", "word=" OTHER, "name=" OTHER, "logins=" OTHER}},
        {"metagroup", {"action=add", "word=science"}},
        {"member", {"action=add", "word=science", "word=account", "word=" OTHER}},
        {"target",
         {"action=add", "word=" OTHER, "measure=jobs", "amount=1", "per=month",
          "group=" OTHER}},
        {"rate", {"action=add", "word=cpu", "cpu=1"}},
        {"bank", {"action=open", "word=" OTHER, "from=2025-03-01"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct buf said;
        buf_init(&said, 1 << 20);
        if (call(&callers[COUNT_OF(callers) - 1], rows[i].operation, rows[i].words, &said) !=
            0) {
            expect_fail("%s", said.ptr);
        }
        buf_release(&said);
    }
}

/* How each operation that tells something is asked without wishing for anybody. */
static const struct tried_row tried_rows[] = {
    {"usage", {"from=2025-03"}},
    {"summary", {"from=2025-03"}},
    {"top", {"from=2025-03"}},
    {"top", {"dimension=user", "never=true", "from=2025-02", "to=2025-02"}},
    {"top", {"dimension=person", "never=true", "from=2025-02", "to=2025-02"}},
    {"efficiency", {"from=2025-03"}},
    {"waste", {"from=2025-03"}},
    {"compare", {"from=2025-03"}},
    {"history", {NULL}},
    {"sizes", {"from=2025-03"}},
    {"when", {"from=2025-03"}},
    {"forecast", {NULL}},
    {"report", {"measure=jobs", "by=user,group,account", "from=2025-03"}},
    {"measures", {NULL}},
    {"dimensions", {NULL}},
    {"nodes", {NULL}},
    {"queue", {NULL}},
    {"waits", {"from=2025-03"}},
    {"soonest", {"cpus=2", "partition=gpu"}},
    {"reservations", {NULL}},
    {"metrics", {NULL}},
    {"jobs", {"from=2025-03", "fields=all"}},
    {"job", {"id=1"}},
    {"scale", {"from=2025-03", "user=ann"}},
    {"rightsize", {"from=2025-03"}},
    {"hogs", {"from=2025-03"}},
    {"energy", {"from=2025-03"}},
    {"samples", {"from=2025-03"}},
    {"timeline", {"from=2025-03", "of=job_cpus", "by=user"}},
    {"metagroup", {"action=list"}},
    {"member", {"action=list"}},
    {"people", {"action=list"}},
    {"cluster", {"action=list"}},
    {"name", {"action=list"}},
    {"cap", {"action=list"}},
    {"capacity", {"action=list"}},
    {"gap", {"action=list"}},
    {"target", {"action=list"}},
    {"token", {"action=list"}},
    {"view", {"action=list"}},
    {"books", {"action=history"}},
    {"balance", {NULL}},
    {"quote", {"flag=-n", "flag=4", "flag=-t", "flag=60"}},
    {"bank", {"action=balance"}},
    {"request", {"action=list"}},
    {"invoice", {"action=list"}},
    {"customer", {"action=list"}},
    {"rate", {"action=list"}},
    {"check", {NULL}},
    {"doctor", {NULL}},
    {"quarantine", {NULL}},
};

static const struct tried_row *tried(const char *operation)
{
    for (size_t i = 0; i < COUNT_OF(tried_rows); i++) {
        if (strcmp(tried_rows[i].operation, operation) == 0) {
            return &tried_rows[i];
        }
    }
    return NULL;
}

static void every_operation_names_rights(void **state)
{
    (void)state;
    for (size_t i = 0; operations[i]; i++) {
        const struct operation *operation = operations[i];
        if (operation->rights == RIGHT_UNSET) {
            expect_fail("%s needs no right", operation->name);
        }
        for (size_t a = 0; a < operation->action_count; a++) {
            if (operation->actions[a].rights == RIGHT_UNSET) {
                expect_fail("%s %s needs no right", operation->name,
                            operation->actions[a].name);
            }
        }
        if (!tried(operation->name) && !rights_change(operation->rights) &&
            strcmp(operation->name, "demo") != 0) {
            expect_fail("nobody says here how to try %s", operation->name);
        }
    }
}

/* Asks an operation, or one of its actions, in a caller's name: those who may not get nothing but a refusal. */
static void try_rights(const struct caller *caller, const struct operation *operation,
                       const struct operation_action *of)
{
    char action[64];
    const char *words[] = {action, NULL};
    const struct tried_row *row = tried(operation->name);
    const unsigned needed = of ? of->rights : operation->rights;
    struct buf said;
    (void)snprintf(action, sizeof action, "action=%s", of ? of->name : "");
    if (caller_may(caller, needed) || (!row && !of)) {
        return;
    }
    buf_init(&said, 1 << 20);
    expect_int(call(caller, operation->name, of ? words : row->words, &said), ERROR_DENIED);
    expect_contains(said.ptr, "needs the right");
    buf_release(&said);
}

static void try_all_operations(const struct caller *caller)
{
    for (size_t i = 0; operations[i]; i++) {
        const struct operation *operation = operations[i];
        for (size_t a = 0; a < operation->action_count; a++) {
            try_rights(caller, operation, &operation->actions[a]);
        }
        if (operation->action_count == 0) {
            try_rights(caller, operation, NULL);
        }
    }
}

static void roles_are_enforced(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT_OF(callers); c++) {
        try_all_operations(&callers[c]);
    }
}

/* Every operation x right: who has one right, and who has all but one, do what these rights allow and nothing else. */
static void no_right_contains_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < right_count; i++) {
        const unsigned right = right_rows[i].right;
        struct caller caller = {.name = "ann", CALLER_AS(ADMIN), .remote = true};
        caller.rights = RIGHT_PUBLIC | right;
        try_all_operations(&caller);
        caller.rights = RIGHTS_ADMIN & ~right;
        try_all_operations(&caller);
    }
}

/* What a role may do is what its rights say; nobody who only reads moves SU. */
static void roles_are_sets_of_rights(void **state)
{
    (void)state;
    unsigned rights;
    struct error err;
    expect_int(role_rights(ROLE_STAFF) & (RIGHT_TRANSFER | RIGHT_MONEY | RIGHT_BOOKS), 0);
    expect_int(role_rights(ROLE_AGENT), RIGHT_PUBLIC | RIGHT_SAMPLES);
    expect_int(rights_read(STR("money, all"), &rights, &err), 0);
    expect_int(rights, RIGHT_PUBLIC | RIGHT_MONEY | RIGHT_ALL);
    expect_int(rights_read(STR(",, "), &rights, &err), 0);
    expect_int(rights, RIGHT_PUBLIC);
    expect_int(rights_read(STR("all,king"), &rights, &err), ERROR_USAGE);
    expect_contains(err.text, "there is no right 'king'; rights are: own, managed, all,");
    expect_false(caller_may(&(struct caller){CALLER_AS(ADMIN)}, RIGHT_UNSET));
}

static void nobody_sees_what_is_not_theirs(void **state)
{
    const struct tried_row *row = *state;
    const struct operation *operation = operation_find(str_of(row->operation));
    for (size_t c = 0; c < COUNT_OF(callers); c++) {
        struct buf said;
        buf_init(&said, 1 << 22);
        int failed = call(&callers[c], row->operation, row->words, &said);
        if (failed && failed != ERROR_DENIED && failed != ERROR_MISSING) {
            expect_fail("%s, for %s: %s", row->operation, callers[c].name, said.ptr);
        }
        if (!caller_may(&callers[c], RIGHT_ALL) && said.ptr && strstr(said.ptr, OTHER)) {
            expect_fail("%s tells %s (%s) of another: %s", row->operation, callers[c].name,
                        role_name(callers[c].role), said.ptr);
        }
        if (caller_may(&callers[c], RIGHT_ALL) && operation == operation_find(STR("jobs"))) {
            expect_contains(said.ptr, OTHER);
        }
        if (caller_may(&callers[c], RIGHT_OWN) && operation == operation_find(STR("jobs"))) {
            expect_contains(said.ptr, "ann");
        }
        buf_release(&said);
    }
}

/* A page asks several things in one session, some of them for totals that anyone may see: each as whoever it is for. */
static void one_session_shows_each_what_is_theirs(void **state)
{
    (void)state;
    static const char *const words[] = {"from=2025", NULL};

    static const struct {
        size_t caller;
        bool sees, stays;
    } asked[] = {{3, true, true},   {1, false, false}, {3, true, true},
                 {0, false, false}, {4, true, true},   {3, true, true}};
    struct session session = {.folder = store.folder, .store = opened, .lasting = true};
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        const struct facts *before = session.facts;
        struct buf said;
        buf_init(&said, 1 << 22);
        const int failed = call_in(&session, &callers[asked[i].caller], "jobs", words, &said);
        expect_true(!failed || failed == ERROR_DENIED);
        expect_int(strstr(said.ptr, OTHER) != NULL, asked[i].sees);
        expect_int(session.facts != NULL, asked[i].stays || failed);
        expect_true(i + 1 < COUNT_OF(asked) || session.facts == before);
        buf_release(&said);
    }
    session_close(&session);
}

/* What is free and how long jobs waited in a partition is the same for everyone: its name is no secret there. */
static bool is_public(const char *operation, const char *name)
{
    return strcmp(operation, "soonest") == 0 && strcmp(name, "partition") == 0;
}

/* A caller who names another gets the answer for somebody who does not exist, to the letter. */
static void another_is_as_one_who_does_not_exist(void **state)
{
    const struct tried_row *row = *state;
    const struct operation *operation = operation_find(str_of(row->operation));
    static const char *const names[] = {"user",      "group", "account",
                                        "partition", "name",  "person"};
    struct param param;
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        const char *words[VALUES_MAX] = {NULL};
        char there[64], nowhere[64];
        struct buf a, b;
        size_t count = 0, i = 0;
        while (operation_param(operation, i, &param) && strcmp(param.name, names[n]) != 0) {
            i++;
        }
        if (!operation_param(operation, i, &param) || param.type != PARAM_TEXT ||
            is_public(row->operation, names[n])) {
            continue;
        }
        for (; row->words[count]; count++) {
            words[count] = row->words[count];
        }
        (void)snprintf(there, sizeof there, "%s=" OTHER, names[n]);
        (void)snprintf(nowhere, sizeof nowhere, "%s=" NOBODY, names[n]);
        buf_init(&a, 1 << 22);
        buf_init(&b, 1 << 22);
        words[count] = there;
        int found = call(&callers[1], row->operation, words, &a);
        words[count] = nowhere;
        expect_int(call(&callers[1], row->operation, words, &b), found);
        for (char *at = a.ptr; at && (at = strstr(at, OTHER)) != NULL;) {
            memcpy(at, NOBODY, strlen(NOBODY));
        }
        expect_text(a.ptr ? a.ptr : "", b.ptr ? b.ptr : "");
        buf_release(&a);
        buf_release(&b);
    }
}

/* Runs 1 and 4 are ann's. */
static void anothers_job_is_as_one_that_does_not_exist(void **state)
{
    (void)state;
    static const char *const theirs[] = {"id=2", NULL}, *const none[] = {"id=7", NULL},
                             *const own[] = {"id=4", NULL};
    struct buf a, b;
    buf_init(&a, 1 << 20);
    buf_init(&b, 1 << 20);
    expect_int(call(&callers[1], "job", theirs, &a), ERROR_MISSING);
    expect_int(call(&callers[1], "job", none, &b), ERROR_MISSING);
    for (char *at = b.ptr; (at = strchr(at, '7')) != NULL;) {
        *at = '2';
    }
    expect_text(a.ptr, b.ptr);
    expect_int(call(&callers[1], "job", own, &a), 0);
    buf_release(&a);
    buf_release(&b);
}

static void managers_see_their_groups_and_accounts(void **state)
{
    (void)state;
    static const char *const words[] = {"from=2025-03", "fields=user", NULL};
    const struct caller of_group = {
        .name = "meg", CALLER_AS(MANAGER), .groups = other, .group_count = 1};
    const struct caller of_account = {
        .name = "meg", CALLER_AS(MANAGER), .accounts = other, .account_count = 1};
    const struct caller no_manager = {
        .name = "meg", CALLER_AS(USER), .accounts = other, .account_count = 1};
    struct buf said;
    buf_init(&said, 1 << 20);
    expect_int(call(&of_group, "jobs", words, &said), 0);
    expect_contains(said.ptr, OTHER "\n" OTHER "\n");
    expect_true(strstr(said.ptr, "ann") == NULL);
    buf_clear(&said);
    expect_int(call(&of_account, "jobs", words, &said), 0);
    expect_contains(said.ptr, OTHER "\n" OTHER "\n");
    buf_clear(&said);
    expect_int(call(&no_manager, "jobs", words, &said), 0);
    expect_true(strstr(said.ptr, OTHER) == NULL);
    buf_release(&said);
}

/* What works with files or programs of this machine is not for those elsewhere. */
static void local_operations_are_not_for_remote_callers(void **state)
{
    (void)state;
    const struct caller remote = {.name = "root", CALLER_AS(ADMIN), .remote = true};
    static const char *const check[] = {"action=check", NULL};
    static const char *const jobs[] = {"from=2025-03", NULL};
    struct buf said;
    buf_init(&said, 1 << 20);
    expect_int(call(&remote, "demo", NULL, &said), ERROR_DENIED);
    expect_int(call(&remote, "pull", NULL, &said), ERROR_DENIED);
    expect_int(call(&remote, "config", check, &said), ERROR_DENIED);
    expect_int(call(&remote, "jobs", jobs, &said), 0);
    buf_release(&said);
}

/* Through the socket of who has the store: what stint.conf names may be used, what a caller would name may not. */
static void what_stint_conf_names_is_for_callers_of_this_machine(void **state)
{
    (void)state;
    const struct caller near = {
        .name = "root", CALLER_AS(ADMIN), .remote = true, .same_host = true};
    static const char *const check[] = {"action=check", NULL};
    struct buf said;
    buf_init(&said, 1 << 20);
    expect_int(call(&near, "demo", NULL, &said), ERROR_DENIED);
    expect_int(call(&near, "config", check, &said), ERROR_DENIED);
    expect_true(call(&near, "pull", NULL, &said) != ERROR_DENIED);
    buf_release(&said);
}

/* A name is a name, whoever gives it: what nobody offers with the request is not read. */
static void a_file_is_read_only_if_it_is_offered(void **state)
{
    (void)state;
    static const struct caller admins[] = {
        {.name = "root", CALLER_AS(ADMIN)},
        {.name = "root", CALLER_AS(ADMIN), .remote = true},
    };
    static const char *const import[] = {"source=sge", "file=/etc/passwd", NULL};
    static const char *const map[] = {"source=csv", "file=x", "map=/etc/passwd", NULL};
    static const char *const restore[] = {"action=restore", "file=/etc/passwd", NULL};
    static const char *const entries[] = {"action=import", "word=/etc/passwd", NULL};
    for (size_t i = 0; i < COUNT_OF(admins); i++) {
        struct buf said;
        buf_init(&said, 1 << 20);
        expect_int(call(&admins[i], "import", import, &said), ERROR_USAGE);
        expect_int(call(&admins[i], "import", map, &said), ERROR_USAGE);
        expect_int(call(&admins[i], "books", restore, &said), ERROR_USAGE);
        expect_int(call(&admins[i], "gap", entries, &said), ERROR_USAGE);
        expect_true(strstr(said.ptr, "root:") == NULL);
        buf_release(&said);
    }
}

static void local_callers_are_what_their_files_say(void **state)
{
    (void)state;
    struct arena arena = {0};
    expect_int(caller_local(store.folder, 0, &arena).role, ROLE_ADMIN);
    expect_text(caller_local(store.folder, 0, &arena).name, "root");
    expect_int(caller_local("/nowhere/at/all", 4711, &arena).role, ROLE_ADMIN);

    static const struct {
        mode_t folder, facts;
        enum role role;
    } modes[] = {
        {0700, 0644, ROLE_USER},
        {0755, 0644, ROLE_STAFF},
        {0755, 0600, ROLE_USER},
        {0777, 0600, ROLE_ADMIN},
    };

    char facts[256];
    (void)snprintf(facts, sizeof facts, "%s/facts.duckdb", store.folder);
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        expect_int(chmod(store.folder, modes[i].folder), 0);
        expect_int(chmod(facts, modes[i].facts), 0);
        expect_int(caller_local(store.folder, 4711, &arena).role, modes[i].role);
    }
    expect_true(caller_scope(&(struct caller){CALLER_AS(STAFF)}).all);
    expect_false(caller_scope(&(struct caller){CALLER_AS(MANAGER)}).all);
    arena_release(&arena);
}

static void closes_the_store(void **state)
{
    (void)state;
    store_close(opened);
    zone_close(utc);
    runs_close(&store);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store);
    SUITE_ROWS(&suite, requests_are_checked, checked_rows);
    SUITE_TEST(&suite, the_other_is_in_the_books);
    SUITE_TEST(&suite, every_operation_names_rights);
    SUITE_TEST(&suite, roles_are_enforced);
    SUITE_TEST(&suite, no_right_contains_another);
    SUITE_TEST(&suite, roles_are_sets_of_rights);
    SUITE_ROWS(&suite, nobody_sees_what_is_not_theirs, tried_rows);
    SUITE_TEST(&suite, one_session_shows_each_what_is_theirs);
    SUITE_ROWS(&suite, another_is_as_one_who_does_not_exist, tried_rows);
    SUITE_TEST(&suite, anothers_job_is_as_one_that_does_not_exist);
    SUITE_TEST(&suite, managers_see_their_groups_and_accounts);
    SUITE_TEST(&suite, local_operations_are_not_for_remote_callers);
    SUITE_TEST(&suite, what_stint_conf_names_is_for_callers_of_this_machine);
    SUITE_TEST(&suite, a_file_is_read_only_if_it_is_offered);
    SUITE_TEST(&suite, local_callers_are_what_their_files_say);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "call");
}
