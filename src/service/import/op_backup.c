/* SPDX-License-Identifier: MIT */

/*
 * stint backup: copies of the store (backup/backup.h), and how to get it back from one.
 *
 * The facts are copied while this process alone may write to them, the books as they are at
 * that moment. A backup says how far the change feed and the chain of the books go in it;
 * verify and restore open what was extracted and compare.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup/backup.h"
#include "base/file.h"
#include "base/scan.h"
#include "books/chain.h"
#include "facts/changes.h"
#include "service/core/operations.h"

static const struct heading headings[] = {
    {"backup", "Backup", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"made", "Made", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    {"version", "Version", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"files", "Files", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    {"size", "Size", CELL_INT, UNIT_BYTES, COLUMN_BESIDE},
    {"added", "Added", CELL_INT, UNIT_BYTES, COLUMN_BESIDE},
};

enum { BACKUP_COLUMN, MADE_COLUMN, VERSION_COLUMN, FILES_COLUMN, SIZE_COLUMN, ADDED_COLUMN };

/*
 * What the store contained: the facts by their change feed, the books by the head of their
 * chain.
 */
struct contents {
    char facts[32 + CHANGES_DIGEST];
    char books[32 + SHA256_TEXT];
};

/* --- where -------------------------------------------------------------------------------- */

static const struct config_section *section_of(const struct service *service)
{
    return service->config ? config_find(service->config, STR("backup"), (struct str){0})
                           : NULL;
}

/*
 * The folder of the backups: --folder, or that of stint.conf, the only one that a server writes
 * to.
 */
static int find_folder(const struct service *service, const struct request *request,
                       const char **out, struct error *err)
{
    const struct config_section *section = section_of(service);
    const struct str given = request_text(request, "folder");
    const struct str named =
        section ? config_text(section, &config_backup_keys[CONFIG_BACKUP_FOLDER])
                : (struct str){0};
    if (given.ptr && service->caller->remote && !str_eq(given, named)) {
        return error_set(err, ERROR_DENIED,
                         "the process that has the store makes backups in `folder` of [backup] "
                         "in stint.conf only: set it there and leave --folder out");
    }
    *out = given.ptr ? given.ptr : named.ptr;
    if (!*out) {
        return error_set(err, ERROR_USAGE,
                         "the folder of the backups is missing: give --folder DIR, or set "
                         "`folder` of [backup] in stint.conf");
    }
    return 0;
}

static struct str backup_asked(const struct request *request)
{
    return request_text(request, "backup");
}

/* --- what is in a store ------------------------------------------------------------------- */

static int read_facts(struct facts *facts, struct contents *out, struct error *err)
{
    struct changes_position position;
    int64_t seq = 0;
    int failed = changes_latest(facts, &seq, err);
    failed = failed ? failed : changes_position(facts, seq, &position, err);
    if (!failed) {
        snprintf(out->facts, sizeof(out->facts), "%" PRId64 " %s", seq, position.digest);
    }
    return failed;
}

static int read_books(struct books *books, struct contents *out, struct error *err)
{
    struct chain_link link;
    int failed = chain_last(books, &link, err);
    if (!failed) {
        snprintf(out->books, sizeof(out->books), "%" PRId64 " %s", link.number, link.head);
    }
    return failed;
}

/* Opens what was extracted into a folder, and reads all of the books. */
static int read_extracted(const struct service *service, const char *folder,
                          struct contents *out, struct error *err)
{
    struct service at = *service;
    at.store = folder;
    struct session session = {.folder = folder};
    struct facts *facts;
    int failed = session_facts(&session, FACTS_WRITE, &facts, err);
    failed = failed ? failed : read_facts(facts, out, err);
    session_close(&session);
    if (!failed && books_exist(folder)) {
        struct books_session books_session = service_books_session(&at);
        struct books *books;
        failed = books_session_open(&books_session, BOOKS_READ, &books, err);
        failed = failed ? failed : books_verify(books, err);
        failed = failed ? failed : read_books(books, out, err);
        books_session_close(&books_session);
    }
    return failed;
}

/* --- make --------------------------------------------------------------------------------- */

static int add_facts(struct service *service, struct backup_writer *writer,
                     struct contents *contents, struct error *err)
{
    struct facts *facts;
    int failed = session_facts(service->session, FACTS_WRITE, &facts, err);
    failed = failed ? failed : read_facts(facts, contents, err);
    for (size_t i = 0; !failed && store_files[i]; i++) {
        char *path = file_join(service->store, store_files[i]);
        if (i == 0 || access(path, F_OK) == 0) {
            failed = backup_add_file(writer, store_files[i], path, service->stop, err);
        }
        free(path);
    }
    return failed;
}

static int add_books(struct service *service, const char *folder, struct backup_writer *writer,
                     struct contents *contents, struct error *err)
{
    struct books *books;
    if (!books_exist(service->store)) {
        return 0;
    }
    char *copy = file_join(folder, "books.part");
    (void)unlink(copy);
    int failed = service_books(service, BOOKS_READ, &books, err);
    failed = failed ? failed : books_begin_reading(books, err);
    if (!failed) {
        failed = read_books(books, contents, err);
        failed = failed ? failed : books_copy(books, copy, err);
        books_rollback(books);
    }
    failed =
        failed ? failed : backup_add_file(writer, books_files[0], copy, service->stop, err);
    (void)unlink(copy);
    free(copy);
    return failed;
}

static int add_config(const struct service *service, struct backup_writer *writer,
                      struct error *err)
{
    return service->config && service->config->path
               ? backup_add_file(writer, "stint.conf", service->config->path, service->stop,
                                 err)
               : 0;
}

static void add_row(struct table *table, const char *name, int64_t made, struct str version,
                    int64_t files, int64_t bytes)
{
    const size_t row = table_row(table);
    table_set_text(table, BACKUP_COLUMN, row, str_of(name));
    table_set_int(table, MADE_COLUMN, row, made);
    table_set_text(table, VERSION_COLUMN, row, version);
    table_set_int(table, FILES_COLUMN, row, files);
    table_set_int(table, SIZE_COLUMN, row, bytes);
}

static int prune(const struct service *service, const struct request *request,
                 const char *folder, struct answer *answer, struct error *err)
{
    const struct config_section *section = section_of(service);
    const struct config_key *key = &config_backup_keys[CONFIG_BACKUP_KEEP];
    int64_t keep = 0, removed = 0, freed = 0;
    int failed = request_number(request, "keep", section ? config_number(section, key, 0) : 0,
                                &keep, err);
    failed = failed || keep == 0 ? failed : backup_prune(folder, keep, &removed, &freed, err);
    if (!failed && removed > 0) {
        answer_note(answer, NOTE_RESULT,
                    "%" PRId64 " older backup%s removed; the newest %" PRId64 " stay", removed,
                    removed == 1 ? "" : "s", keep);
    }
    return failed;
}

static int make(struct service *service, const struct request *request, const char *folder,
                struct answer *answer, struct error *err)
{
    struct backup_writer *writer = NULL;
    struct backup_summary summary = {0};
    struct contents contents = {0};
    const int64_t now = service->now();
    char text[32];
    int failed = backup_begin(folder, now, &writer, err);
    if (failed) {
        return failed;
    }
    failed = add_facts(service, writer, &contents, err);
    failed = failed ? failed : add_books(service, folder, writer, &contents, err);
    failed = failed ? failed : add_config(service, writer, err);
    session_close(service->session);
    if (failed) {
        backup_abandon(writer);
        return failed;
    }
    snprintf(text, sizeof(text), "%" PRId64, now);
    backup_add_fact(writer, "made", str_of(text));
    backup_add_fact(writer, "version", STR(STINT_VERSION));
    backup_add_fact(writer, "facts", str_of(contents.facts));
    backup_add_fact(writer, "books", str_of(contents.books));
    failed = backup_end(writer, &summary, err);
    failed = failed ? failed : prune(service, request, folder, answer, err);
    if (!failed) {
        add_row(&answer->table, summary.name, now, STR(STINT_VERSION), summary.files,
                summary.bytes);
        table_set_int(&answer->table, ADDED_COLUMN, 0, summary.added);
    }
    return failed;
}

/* Whether the newest backup is as old as stint.conf says. */
static int is_due(const struct service *service, const char *folder, bool *due,
                  struct error *err)
{
    const struct config_section *section = section_of(service);
    const int64_t every = config_number(section, &config_backup_keys[CONFIG_BACKUP_EVERY], 0);
    struct backup_list names;
    int failed = backup_names(folder, &names, err);
    const bool any = !failed && names.count > 0;
    backup_names_release(&names);
    *due = true;
    if (failed || !any) {
        return failed == ERROR_MISSING ? 0 : failed; /* the first one makes the folder */
    }
    struct backup newest;
    int64_t made = 0;
    failed = backup_read(folder, (struct str){0}, &newest, err);
    if (!failed && scan_int(backup_fact_value(&newest, "made"), &made)) {
        *due = service->now() - made >= every;
    }
    backup_release(&newest);
    return failed == ERROR_INPUT ? 0 : failed; /* a damaged one is none */
}

/* --- list --------------------------------------------------------------------------------- */

static int add_backup(const struct backup *backup, struct answer *answer)
{
    int64_t made = 0;
    (void)scan_int(backup_fact_value(backup, "made"), &made);
    add_row(&answer->table, backup->name, made, backup_fact_value(backup, "version"),
            (int64_t)backup->file_count, backup_size(backup));
    return 0;
}

static int list(const char *folder, struct answer *answer, struct error *err)
{
    struct backup_list names;
    int failed = backup_names(folder, &names, err);
    for (size_t i = 0; !failed && i < names.count; i++) {
        struct backup backup;
        struct error problem;
        if (backup_read(folder, str_of(names.names[i]), &backup, &problem) == 0) {
            add_backup(&backup, answer);
        } else {
            answer_note(answer, NOTE_WARNING, "%s", problem.text);
            answer->status = 1;
        }
        backup_release(&backup);
    }
    backup_names_release(&names);
    return failed;
}

/* --- verify and restore ------------------------------------------------------------------- */

static void remove_extracted(const char *folder)
{
    const char *const *const groups[] = {store_files, books_files};
    for (size_t g = 0; g < COUNT_OF(groups); g++) {
        for (size_t i = 0; groups[g][i]; i++) {
            char *path = file_join(folder, groups[g][i]);
            (void)unlink(path);
            free(path);
        }
    }
    static const char *const others[] = {"lock", "stint.conf", "facts.new"};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        char *path = file_join(folder, others[i]);
        (void)unlink(path);
        free(path);
    }
    char *spilled = file_join(folder, "facts.duckdb.tmp");
    (void)rmdir(spilled);
    free(spilled);
    (void)rmdir(folder);
}

static int compare(const struct backup *backup, const char *name, const char *found,
                   struct error *err)
{
    const struct str written = backup_fact_value(backup, name);
    return written.ptr && str_eq(written, str_of(found))
               ? 0
               : error_set(err, ERROR_INPUT,
                           "the backup '%s' is damaged: its %s are not those that were written",
                           backup->name, name);
}

/*
 * Extracts a backup into a new folder, opens what is there, and compares it with what the
 * backup says.
 */
static int extract(const struct service *service, const char *from, const struct backup *backup,
                   const char *into, struct error *err)
{
    struct contents contents = {0};
    if (mkdir(into, 0700) != 0) {
        return error_errno(err, "cannot create '%s'", into);
    }
    int failed = 0;
    for (size_t i = 0; !failed && i < backup->file_count; i++) {
        char *path = file_join(into, backup->files[i].name.ptr);
        failed = backup_extract(from, &backup->files[i], path, service->stop, err);
        free(path);
    }
    failed = failed ? failed : read_extracted(service, into, &contents, err);
    failed = failed ? failed : compare(backup, "facts", contents.facts, err);
    return failed ? failed : compare(backup, "books", contents.books, err);
}

static int verify(const struct service *service, const struct request *request,
                  const char *folder, struct answer *answer, struct error *err)
{
    struct backup backup;
    char *into = file_join(folder, "verify.part");
    remove_extracted(into); /* what a killed process left */
    int failed = backup_read(folder, backup_asked(request), &backup, err);
    failed = failed ? failed : extract(service, folder, &backup, into, err);
    remove_extracted(into);
    if (!failed) {
        failed = add_backup(&backup, answer);
        answer_note(answer, NOTE_RESULT,
                    "restored beside the backups, opened, and compared: facts and books are "
                    "those that were written");
    }
    backup_release(&backup);
    free(into);
    return failed;
}

/* Moves the files of a group that are in `from` into `to`. */
static int move_files(const char *const *names, const char *from, const char *to, size_t *moved,
                      struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && names[i]; i++) {
        char *source = file_join(from, names[i]), *target = file_join(to, names[i]);
        if (access(source, F_OK) == 0) {
            failed = rename(source, target) == 0
                         ? 0
                         : error_errno(err, "cannot move '%s' to '%s'", source, target);
            *moved += !failed;
        }
        free(source);
        free(target);
    }
    return failed;
}

/* Under the lock of the store: what is there goes aside, what was extracted takes its place. */
static int replace_files(const char *store, const char *extracted, const char *aside,
                         size_t *kept, struct error *err)
{
    size_t placed = 0;
    int failed = mkdir(aside, 0700) == 0 ? 0 : error_errno(err, "cannot create '%s'", aside);
    failed = failed ? failed : move_files(store_files, store, aside, kept, err);
    failed = failed ? failed : move_files(books_files, store, aside, kept, err);
    failed = failed ? failed : move_files(store_files, extracted, store, &placed, err);
    return failed ? failed : move_files(books_files, extracted, store, &placed, err);
}

static int put_in_place(const struct service *service, const char *extracted, bool replace,
                        struct answer *answer, struct error *err)
{
    char name[64];
    int lock = -1;
    size_t kept = 0;
    snprintf(name, sizeof(name), "before-restore-%" PRId64, service->now() / SECOND_US);
    char *aside = file_join(service->store, name);
    char *facts = file_join(service->store, store_files[0]);
    char *books = file_join(service->store, books_files[0]);
    const bool there = access(facts, F_OK) == 0 || access(books, F_OK) == 0;
    int failed = store_lock(service->store, &lock, err);
    if (!failed && there && !replace) {
        failed = error_set(err, ERROR_CONFLICT,
                           "there is a store in '%s' already: add --replace, which moves it "
                           "into '%s', or restore with --store into another folder",
                           service->store, aside);
    }
    failed = failed ? failed : replace_files(service->store, extracted, aside, &kept, err);
    store_unlock(lock);
    if (!failed && kept > 0) {
        answer_note(answer, NOTE_RESULT, "what was there is in '%s'", aside);
    } else if (!failed) {
        (void)rmdir(aside);
    }
    free(aside);
    free(facts);
    free(books);
    return failed;
}

static int restore(const struct service *service, const struct request *request,
                   const char *folder, struct answer *answer, struct error *err)
{
    struct backup backup;
    char *into = file_join(service->store, "restore.part");
    int failed = file_make_folder(service->store, err);
    remove_extracted(into);
    failed = failed ? failed : backup_read(folder, backup_asked(request), &backup, err);
    if (failed) {
        free(into);
        return failed;
    }
    failed = extract(service, folder, &backup, into, err);
    failed = failed
                 ? failed
                 : put_in_place(service, into, request_flag(request, "replace"), answer, err);
    remove_extracted(into);
    if (!failed) {
        failed = add_backup(&backup, answer);
        answer_note(answer, NOTE_RESULT,
                    "restored into '%s'; import the accounting files of the time since, then "
                    "see stint doctor",
                    service->store);
    }
    backup_release(&backup);
    free(into);
    return failed;
}

/* --- the operation ------------------------------------------------------------------------ */

static int run_backup(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    const struct str action = request_text(request, "action");
    const char *folder;
    int failed = service->config ? config_check_plain(service->config, err) : 0;
    failed = failed ? failed : find_folder(service, request, &folder, err);
    if (failed) {
        return failed;
    }
    table_columns(&answer->table, headings, COUNT_OF(headings) - !str_eq(action, STR("make")));
    if (str_eq(action, STR("make"))) {
        bool due = true;
        failed = request_flag(request, "due") ? is_due(service, folder, &due, err) : 0;
        return failed || !due ? failed : make(service, request, folder, answer, err);
    }
    if (str_eq(action, STR("list"))) {
        return list(folder, answer, err);
    }
    return str_eq(action, STR("verify")) ? verify(service, request, folder, answer, err)
                                         : restore(service, request, folder, answer, err);
}

static const struct operation_action actions[] = {
    {"make", "make a backup of facts, books and stint.conf", RIGHT_CHORES | RIGHT_ALL,
     ACTION_LOCAL | ACTION_CONFIGURED | ACTION_CHANGES, NULL},
    {"list", "list the backups", RIGHT_CHORES, ACTION_LOCAL, NULL},
    {"verify", "restore a backup beside the others, open it and compare", RIGHT_CHORES,
     ACTION_LOCAL, NULL},
    {"restore", "put the store of a backup in place",
     RIGHT_ALL | RIGHT_MONEY | RIGHT_BOOKS | RIGHT_ACCESS, ACTION_LOCAL, NULL},
};

static const struct param params[] = {
    {.name = "action",
     .type = PARAM_CHOICE,
     .value = "ACTION",
     .choices = "make list verify restore",
     .help = "what to do",
     .positional = true,
     .required = true},
    {.name = "backup",
     .type = PARAM_TEXT,
     .value = "BACKUP",
     .help = "with verify and restore: a name from the list; the newest by default",
     .positional = true},
    {.name = "folder",
     .type = PARAM_TEXT,
     .value = "DIR",
     .help = "folder of the backups; default `folder` of [backup] in stint.conf"},
    {.name = "keep",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "with make: how many backups are kept; default `keep` of [backup], else all"},
    {.name = "due",
     .type = PARAM_FLAG,
     .help = "with make: only if the newest one is older than `every` of [backup]"},
    {.name = "replace",
     .type = PARAM_FLAG,
     .help = "with restore: even if there is a store, which is moved into a folder beside"},
};

const struct operation operation_backup = {
    .name = "backup",
    .summary = "back up the store, verify backups and restore one",
    .description =
        "A backup has the facts, the books and stint.conf as they are at one moment, and can "
        "be "
        "made while a server runs. Files are stored in pieces, each once, so that the next "
        "backup takes only what has changed. A backup that was interrupted is none, and what "
        "it left is used or removed by the next.\n"
        "`verify` restores a backup beside the others, opens it, reads all of the books and "
        "compares how far the facts and the books go with what the backup says. `restore` does "
        "the same in the folder of the store (--store), and then puts it in place; a store "
        "that "
        "is there is not overwritten: with --replace it is moved into a folder of its own. "
        "Stop "
        "the server before. stint.conf is in the backup for reference, and not put in place; "
        "passwords and tokens may be in it, and the folder is readable only by its owner.\n"
        "With `every` of [backup] in stint.conf, stint serve makes backups itself.",
    .examples = "stint backup make --folder /backup/stint --keep 14 # each night, from cron\n"
                "stint backup make # with [backup] of stint.conf\n"
                "stint backup list # what there is\n"
                "stint backup verify # the newest one\n"
                "stint backup restore --store /var/lib/stint.new # into another folder\n"
                "stint backup restore 20261119T204512Z --replace # in place of what is there",
    .rights = RIGHT_CHORES,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .stoppable = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_backup,
};
