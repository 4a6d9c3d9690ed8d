/* SPDX-License-Identifier: MIT */

/*
 * stint doctor: why is my report empty? Looks at everything between a file and a number and
 * says what it finds, and what to do about it.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/zone.h"
#include "facts/facts.h"
#include "facts/journal.h"
#include "service/books/kind_actions.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/doctor/doctor.h"
#include "source/source.h"

/* Thresholds of concern. */
#define ROOM_LOW  (INT64_C(1) << 30) /* bytes free below which imports are in danger */
#define STALE_US  (2 * DAY_US)       /* a cluster not imported for longer */
#define FUTURE_US HOUR_US            /* a run that ended this far ahead of our clock */

enum { GAP_DAYS = 7, GAPS_SHOWN = 5 };

void doctor_add(struct doctor *doctor, enum finding finding, const char *check,
                const char *format, ...)
{
    static const char *const names[] = {
        [FINE] = "ok", [NOTICE] = "note", [TROUBLE] = "TROUBLE"};
    struct table *table = &doctor->answer->table;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    size_t row = table_row(table);
    table_set_text(table, 0, row, str_of(check));
    table_set_text(table, 1, row, str_of(names[finding]));
    table_set_text(table, 2, row, str_of(text));
    if (finding == TROUBLE) {
        doctor->answer->status = 1;
    }
}

static const char *print(const struct doctor *doctor, int64_t instant,
                         char text[INSTANT_TEXT_MAX])
{
    return params_print(doctor->service->zone, instant, text);
}

static void check_clock(struct doctor *doctor)
{
    char now[INSTANT_TEXT_MAX];
    doctor_add(doctor, FINE, "clock", "it is %s; days are those of %s (--zone)",
               print(doctor, doctor->service->now(), now), zone_name(doctor->service->zone));
}

static bool check_folder(struct doctor *doctor)
{
    const char *folder = doctor->service->store;
    struct stat st;
    if (stat(folder, &st) != 0) {
        doctor_add(doctor, TROUBLE, "store",
                   "'%s': %s; nothing has been imported there. Choose another with --store or "
                   "STINT_STORE, or begin: stint import auto --cluster NAME FILE",
                   folder, strerrordesc_np(errno));
        return false;
    }
    if (access(folder, R_OK | X_OK) != 0) {
        doctor_add(doctor, TROUBLE, "permissions", "'%s' cannot be read by user %u", folder,
                   geteuid());
        return false;
    }
    if (access(folder, W_OK) != 0) {
        doctor_add(doctor, NOTICE, "permissions",
                   "'%s' can be read but not written by user %u: reports work, imports do not",
                   folder, geteuid());
    } else {
        doctor_add(doctor, FINE, "permissions", "'%s' can be read and written", folder);
    }
    return true;
}

static void check_room(struct doctor *doctor)
{
    struct statvfs fs;
    if (statvfs(doctor->service->store, &fs) != 0) {
        doctor_add(doctor, NOTICE, "disk room", "is unknown: %s", strerrordesc_np(errno));
        return;
    }
    uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
    enum finding finding = room < (uint64_t)ROOM_LOW ? TROUBLE : FINE;
    doctor_add(doctor, finding, "disk room", "%.1f GiB free%s", (double)room / (1 << 30),
               finding == TROUBLE ? ": too little for an import to be sure of completing" : "");
}

static int64_t int_of(const struct table *table, size_t row, size_t column)
{
    return table_has(table, column, row) ? (int64_t)table_wide(table, column, row) : 0;
}

/* "3 days", in the largest unit of which there are two. */
const char *doctor_age(int64_t age_us, char text[32])
{
    static const struct {
        const char *name;
        int64_t us;
    } units[] = {
        {"day", DAY_US}, {"hour", HOUR_US}, {"minute", 60 * SECOND_US}, {"second", SECOND_US}};

    size_t unit = 0;
    while (unit + 1 < COUNT_OF(units) && age_us < 2 * units[unit].us) {
        unit++;
    }
    const int64_t count = age_us / units[unit].us;
    snprintf(text, 32, "%" PRId64 " %s%s", count, units[unit].name, count == 1 ? "" : "s");
    return text;
}

/* One cluster: how much, how far, how old, what is missing. */
static void check_cluster(struct doctor *doctor, const struct table *t, size_t row)
{
    enum { CLUSTER, SOURCE, FILES, RUNS, REJECTED, WAITING, FIRST, LAST, READ };
    struct str cluster = t->columns[CLUSTER].cells[row].text,
               source = t->columns[SOURCE].cells[row].text;
    char first[INSTANT_TEXT_MAX], last[INSTANT_TEXT_MAX], check[160], ago[32];
    const int64_t now = doctor->service->now(), runs = int_of(t, row, RUNS);
    snprintf(check, sizeof(check), "%.*s (%.*s)", STR_ARG(cluster), STR_ARG(source));
    const struct source_driver *driver = source_find(source);
    const bool of_runs = !driver || driver->next; /* else see doctor_check_samples */
    if (of_runs && runs == 0) {
        doctor_add(doctor, TROUBLE, check, "files were read, but they held no runs");
    } else if (of_runs) {
        doctor_add(doctor, FINE, check, "%" PRId64 " run%s from %s to %s", runs,
                   runs == 1 ? "" : "s", print(doctor, int_of(t, row, FIRST), first),
                   print(doctor, int_of(t, row, LAST), last));
    }
    const int64_t age = now - int_of(t, row, READ);
    doctor_add(doctor, age > STALE_US ? NOTICE : FINE, check,
               "last import %s ago, from %" PRId64 " file%s%s", doctor_age(age, ago),
               int_of(t, row, FILES), int_of(t, row, FILES) == 1 ? "" : "s",
               age > STALE_US ? ": reports end there; import again, or use import --follow"
                              : "");
    if (int_of(t, row, LAST) > now + FUTURE_US) {
        doctor_add(doctor, TROUBLE, check, "has runs that end %s from now: compare the clocks",
                   doctor_age(int_of(t, row, LAST) - now, ago));
    }
    if (int_of(t, row, REJECTED) > 0) {
        doctor_add(doctor, NOTICE, check,
                   "%" PRId64 " record%s could not be read: stint quarantine",
                   int_of(t, row, REJECTED), int_of(t, row, REJECTED) == 1 ? "" : "s");
    }
    if (int_of(t, row, WAITING) > 0) {
        doctor_add(doctor, NOTICE, check,
                   "%" PRId64 " part%s of parallel runs wait for their run: is a file missing?",
                   int_of(t, row, WAITING), int_of(t, row, WAITING) == 1 ? "" : "s");
    }
}

static int check_clusters(struct doctor *doctor, struct error *err)
{
    struct table table = {0};
    int failed = journal_overview(doctor->facts, &table, err);
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        check_cluster(doctor, &table, row);
    }
    if (!failed && table.row_count == 0) {
        doctor_add(doctor, TROUBLE, "imports",
                   "the store is empty: stint import auto --cluster NAME FILE");
    }
    table_release(&table);
    return failed;
}

/* Rejected records that were more than the quarantine keeps. */
static int check_quarantine(struct doctor *doctor, struct error *err)
{
    int64_t dropped = 0;
    const int failed = journal_quarantine_dropped(doctor->facts, STR(""), &dropped, err);
    if (!failed && dropped > 0) {
        doctor_add(doctor, NOTICE, "quarantine",
                   "%" PRId64
                   " record%s that could not be read %s not kept: correct the cause, "
                   "import again, then: stint quarantine --clear",
                   dropped, dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are");
    }
    return failed;
}

static int check_gaps(struct doctor *doctor, struct error *err)
{
    struct table table = {0};
    int failed = journal_gaps(doctor->facts, GAP_DAYS, &table, err);
    for (size_t row = 0; !failed && row < table.row_count && row < GAPS_SHOWN; row++) {
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        doctor_add(doctor, NOTICE, "gap",
                   "no run of %.*s ended between %s and %s: was a file left out?",
                   STR_ARG(table.columns[0].cells[row].text),
                   print(doctor, int_of(&table, row, 1), from),
                   print(doctor, int_of(&table, row, 2), to));
    }
    if (!failed && table.row_count > GAPS_SHOWN) {
        doctor_add(doctor, NOTICE, "gap", "and %zu more", table.row_count - GAPS_SHOWN);
    }
    table_release(&table);
    return failed;
}

/* Everything there is, from the first block to the last. */
static void check_deep(struct doctor *doctor)
{
    struct books *books = NULL;
    struct error found;
    size_t tables = 0;
    if (doctor->facts && facts_verify(doctor->facts, &tables, &found) != 0) {
        doctor_add(doctor, TROUBLE, "deep", "%s", found.text);
    } else if (doctor->facts) {
        doctor_add(doctor, FINE, "deep", "all %zu tables of the store can be read", tables);
    }
    if (!books_exist(doctor->service->store)) {
        return;
    }
    if (service_books(doctor->service, BOOKS_READ, &books, &found) != 0 ||
        books_verify(books, &found) != 0) {
        doctor_add(doctor, TROUBLE, "deep", "%s", found.text);
    } else {
        doctor_add(doctor, FINE, "deep", "all of the books can be read");
    }
}

/*
 * What is found in a store that opens. One that fails on the way is reported as the others are.
 */
static void check_store(struct doctor *doctor)
{
    static int (*const checks[])(struct doctor * doctor, struct error * err) = {
        check_clusters,     check_quarantine,       check_gaps,          doctor_check_unended,
        doctor_check_pulls, doctor_check_snapshots, doctor_check_samples};
    int failed = 0;
    for (size_t i = 0; !failed && i < COUNT_OF(checks); i++) {
        struct error found;
        failed = checks[i](doctor, &found);
        if (failed) {
            doctor_add(doctor, TROUBLE, "store", "%s", found.text);
        }
    }
}

/*
 * Of a server: whether its engine failed to write. Of another process it says only what
 * happened in it.
 */
static void check_written(struct doctor *doctor)
{
    struct store *store = facts_store(doctor->facts);
    const uint64_t reopened = store_reopened(store);
    if (store_is_broken(store)) {
        doctor_add(
            doctor, TROUBLE, "writing",
            "the store could not be written to, and nothing is written until it is opened "
            "again: make room on its disk");
    } else if (reopened > 0) {
        doctor_add(
            doctor, NOTICE, "writing",
            "works: the store was opened again after it could not be written to (%" PRIu64 ")",
            reopened);
    }
}

static int run_doctor(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    struct doctor doctor = {.service = service, .answer = answer};
    struct error found;
    answer->as_list = true;
    table_column(&answer->table, "check", "Check", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&answer->table, "finding", "Finding", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&answer->table, "what", "What", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    check_clock(&doctor);
    if (!check_folder(&doctor)) {
        return 0;
    }
    check_room(&doctor);
    const int opened = session_facts(service->session, FACTS_READ, &doctor.facts, &found);
    if (opened == ERROR_CONFLICT) { /* the process that holds it answers */
        *err = found;
        return opened;
    }
    if (opened) {
        doctor_add(&doctor, TROUBLE, "store", "%s", found.text);
    } else {
        doctor_add(&doctor, FINE, "store", "opens; schema %d", store_schema());
        check_written(&doctor);
        check_store(&doctor);
    }
    if (request_flag(request, "deep")) {
        check_deep(&doctor);
    }
    if (doctor_check_books(&doctor, &found) != 0) {
        doctor_add(&doctor, TROUBLE, "books", "%s", found.text);
    }
    if (doctor_check_enforce(&doctor, &found) != 0) {
        doctor_add(&doctor, TROUBLE, "enforcement", "%s", found.text);
    }
    return stop_is_set(service->stop) ? stop_explain(service->stop, err) : 0;
}

static const struct param params[] = {
    {.name = "deep",
     .type = PARAM_FLAG,
     .help = "also read all of the store and the books, to find damage; takes as long as "
             "reading the files does"},
};

const struct operation operation_doctor = {
    .name = "doctor",
    .summary = "find out why a report may be empty or wrong",
    .description = "Checks everything between an accounting file and a report: the store, "
                   "permissions, disk space, what was imported and when, gaps, rejected "
                   "records, whether the schedulers in stint.conf answered, the books, clock "
                   "and time zone. The exit status is 1 if there is a problem.",
    .examples = "stint doctor # is everything in order?\n"
                "stint doctor --deep # also read every block of the store",
    .params = params,
    .param_count = COUNT_OF(params),
    .rights = RIGHT_ALL,
    .run = run_doctor,
};
