/* SPDX-License-Identifier: MIT */

/*
 * Opening a store, what it is made of, who may be in it at a time, and asking it things.
 */

#include "facts/facts.h"
#include "support/facts_at.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/zone.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/migrations.h"
#include "unit/ingest/own_toy.h"

static void execute(const char *sql)
{
    struct error err = {0};
    if (facts_execute(toy.facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s: %s", sql, err.text);
    }
}

/* A failed open, and its sentence. */
static struct error refuse_open(enum facts_mode mode, int kind)
{
    struct facts *facts = NULL;
    struct error err = {0};
    expect_int(facts_at(toy.store, mode, &facts, &err), kind);
    expect_true(facts == NULL);
    return err;
}

/* --- opening ---------------------------------------------------------------------------------- */

static void reading_without_a_store_says_how_to_begin(void **state)
{
    (void)state;
    struct error err = refuse_open(FACTS_READ, ERROR_MISSING);
    expect_contains(err.text, "there is no store in '");
    expect_contains(err.text, "stint import");
    struct stat st;
    expect_int(stat(toy.store, &st), -1); /* and makes none */
}

static void writing_makes_the_store_for_its_owner_alone(void **state)
{
    (void)state;
    struct stat st;
    toy_back(&toy);
    expect_int(stat(toy.store, &st), 0);
    expect_int(st.st_mode & 0777, 0700);
}

static void an_empty_store_gets_all_migrations(void **state)
{
    (void)state;
    toy_back(&toy);
    expect_int(toy_number(&toy, "SELECT count(*) FROM migrations"), (int64_t)migrations_count);
    expect_int(toy_number(&toy, "SELECT max(number) FROM migrations"), store_schema());
    int version = -1;
    bool unsettled = true;
    struct error err = {0};
    expect_int(facts_version(toy.facts, &version, &unsettled, &err), 0);
    expect_int(version, store_schema());
    assert_false(unsettled);
    for (size_t i = 0; i < migrations_count; i++) {
        expect_int(migrations[i].number, (int64_t)i + 1); /* without gaps */
    }
    /* once: another open finds nothing to do */
    toy_away(&toy);
    toy_back(&toy);
    expect_int(toy_number(&toy, "SELECT count(*) FROM migrations"), (int64_t)migrations_count);
}

/* What a kill between making the file and its schema would leave. */
static void an_empty_file_is_a_store_to_be_migrated(void **state)
{
    (void)state;
    struct store *raw = NULL;
    struct error err = {0};
    char path[128];
    expect_int(mkdir(toy.store, 0700), 0);
    snprintf(path, sizeof(path), "%s/facts.duckdb", toy.store);
    expect_int(store_open_file(path, FACTS_WRITE, &raw, &err), 0);
    store_close(raw);
    if (facts_at(toy.store, FACTS_READ, &toy.facts, &err) != 0) { /* a reader migrates, too */
        expect_fail("%s", err.text);
    }
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), 0);
}

/* The columns that came later are filled as the import would have filled them. */
static void a_store_of_the_first_schema_is_brought_up(void **state)
{
    (void)state;
    struct store *raw = NULL;
    struct error err = {0};
    char path[128];
    expect_int(mkdir(toy.store, 0700), 0);
    snprintf(path, sizeof(path), "%s/facts.duckdb", toy.store);

    static const char *const steps[] = {
        "CREATE TABLE migrations (number INTEGER, name VARCHAR, applied TIMESTAMP)",
        "INSERT INTO migrations VALUES (1, 'facts', now()::TIMESTAMP)",
        "INSERT INTO runs (job, start, \"end\", class) VALUES (1, 200, 300, 'completed'), "
        "(2, 200, 150, 'completed'), (3, NULL, 300, 'cancelled'), (4, 200, NULL, 'running'), "
        "(5, NULL, NULL, 'pending'), (6, 200, NULL, 'failed'), (7, NULL, NULL, 'failed'), "
        "(8, 200, NULL, NULL)",
        "UPDATE runs SET energy_j = 1234 WHERE job = 1",
    };

    expect_int(store_open_file(path, FACTS_WRITE, &raw, &err), 0);
    struct facts *facts = NULL;
    expect_int(facts_open(raw, FACTS_WRITE, NULL, &facts, &err), 0);
    expect_int(facts_execute(facts, migrations[0].sql, (struct facts_values){0}, NULL, &err),
               0);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        expect_int(facts_execute(facts, steps[i], (struct facts_values){0}, NULL, &err), 0);
    }
    facts_close(facts);
    store_close(raw);
    if (facts_at(toy.store, FACTS_READ, &toy.facts, &err) != 0) {
        expect_fail("%s", err.text);
    }

    static const int64_t until[] = {300, 200, 300, RUN_NOT_ENDED, RUN_NOT_ENDED, 199, -1, 199};

    for (size_t i = 0; i < COUNT_OF(until); i++) {
        char sql[96];
        snprintf(sql, sizeof(sql), "SELECT coalesce(until, -1) FROM runs WHERE job = %zu",
                 i + 1);
        expect_int(toy_number(&toy, sql), until[i]);
    }
    expect_int(toy_number(&toy, "SELECT sum(energy_mj) FROM runs"), 1234000);
    expect_int(toy_number(&toy, "SELECT count(energy_mj) FROM runs"), 1);
}

static void a_newer_store_is_refused_and_left_alone(void **state)
{
    (void)state;
    toy_back(&toy);
    execute("INSERT INTO migrations VALUES (1000, 'from the future', now()::TIMESTAMP)");
    toy_away(&toy);
    struct error err = refuse_open(FACTS_READ, ERROR_STORE);
    expect_contains(err.text, "was written by a newer stint (schema 1000, this one knows ");
    expect_contains(err.text, "install that version");
    err = refuse_open(FACTS_WRITE, ERROR_STORE);
    expect_contains(err.text, "newer stint");
}

static void a_file_that_is_no_database_is_said_to_be_none(void **state)
{
    (void)state;
    expect_int(mkdir(toy.store, 0700), 0);
    char text[20000];
    memset(text, 'x', sizeof(text));
    toy_write(&toy, "store/facts.duckdb", (struct str){text, sizeof(text)});
    struct error err = refuse_open(FACTS_READ, ERROR_STORE);
    expect_contains(err.text, "cannot open the store '");
    expect_true(strchr(err.text, '\n') == NULL);
    (void)refuse_open(FACTS_WRITE, ERROR_STORE);
}

static void a_file_in_the_place_of_the_folder_is_an_error(void **state)
{
    (void)state;
    toy_write(&toy, "store", STR("not a folder"));
    struct facts *facts = NULL;
    struct error err = {0};
    expect_true(facts_at(toy.store, FACTS_WRITE, &facts, &err) != 0);
    expect_true(facts_at(toy.store, FACTS_READ, &facts, &err) != 0);
}

/* --- the schema ------------------------------------------------------------------------------- */

/* The feed writes by position: names, order and types are those of RUN_FIELDS. */
static void the_columns_are_the_fields_of_a_run(void **state)
{
    (void)state;
    struct table table = {0};
    struct error err = {0};
    expect_int(
        facts_query(
            toy.facts,
            "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'runs' "
            "ORDER BY column_index",
            (struct facts_values){0}, &table, &err),
        0);
    expect_int((int64_t)table.row_count, RUN_FIELD_COUNT);
    for (size_t i = 0; i < table.row_count; i++) {
        struct str column = table.columns[0].cells[i].text,
                   type = table.columns[1].cells[i].text;
        expect_text_n(column.ptr, column.len, run_fields[i].member);
        expect_text_n(type.ptr, type.len,
                      run_fields[i].type == FIELD_TEXT ? "VARCHAR" : "BIGINT");
    }
    table_release(&table);
}

/* --- transactions ----------------------------------------------------------------------------- */

static void what_is_not_committed_is_gone(void **state)
{
    (void)state;
    struct error err = {0};
    expect_int(facts_begin(toy.facts, &err), 0);
    execute("INSERT INTO quarantine VALUES (1, 1, 1, 1, 'why', 'what')");
    facts_rollback(toy.facts);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 0);
    expect_int(facts_begin(toy.facts, &err), 0);
    execute("INSERT INTO quarantine VALUES (1, 1, 1, 1, 'why', 'what')");
    toy_away(&toy); /* closing rolls back */
    toy_back(&toy);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 0);
    expect_int(facts_begin(toy.facts, &err), 0);
    execute("INSERT INTO quarantine VALUES (1, 1, 1, 1, 'why', 'what')");
    expect_int(facts_commit(toy.facts, &err), 0);
    toy_away(&toy);
    toy_back(&toy);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 1);
}

static void a_failed_statement_does_not_harm_the_next(void **state)
{
    (void)state;
    struct error err = {0};
    expect_int(facts_execute(toy.facts, "SELEC nonsense", (struct facts_values){0}, NULL, &err),
               ERROR_STORE);
    expect_true(strchr(err.text, '\n') == NULL);
    expect_int(facts_begin(toy.facts, &err), 0);
    expect_int(facts_execute(toy.facts, "INSERT INTO nowhere VALUES (1)",
                             (struct facts_values){0}, NULL, &err),
               ERROR_STORE);
    facts_rollback(toy.facts);
    expect_int(toy_number(&toy, "SELECT 42"), 42);
}

static void rows_in_bulk_are_part_of_the_transaction(void **state)
{
    (void)state;

    enum { ROWS = 5000 };
    struct error err = {0};
    struct facts_value *values = mem_alloc(ROWS, 6 * sizeof(*values));
    for (int64_t i = 0; i < ROWS; i++) {
        const struct facts_value row[] = {FACTS_INT(1),
                                          FACTS_INT(2),
                                          FACTS_INT(i),
                                          FACTS_INT(-i),
                                          FACTS_TEXT(STR("r\xc3\xa9"
                                                         "ason")),
                                          FACTS_BYTES(STR("\xff\0x"))};
        memcpy(&values[i * 6], row, sizeof(row));
    }
    const struct facts_values all = {values, (size_t)ROWS * 6};
    expect_int(facts_begin(toy.facts, &err), 0);
    expect_int(facts_load_rows(toy.facts, "quarantine", 6, all, &err), 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), ROWS);
    facts_rollback(toy.facts);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 0);
    expect_int(facts_begin(toy.facts, &err), 0);
    expect_int(facts_load_rows(toy.facts, "quarantine", 6, all, &err), 0);
    expect_int(facts_commit(toy.facts, &err), 0);
    toy_expect(&toy,
               "SELECT count(*), sum(line)::BIGINT, sum(byte)::BIGINT, max(reason), "
               "max(hex(record)) FROM quarantine",
               "5000|12497500|-12497500|r\xc3\xa9"
               "ason|FF0078\n");
    expect_true(facts_load_rows(toy.facts, "nowhere", 6, all, &err) != 0);
    expect_contains(err.text, "cannot fill a table");
    free(values);
}

/* --- asking ----------------------------------------------------------------------------------- */

static void answers_keep_their_types(void **state)
{
    (void)state;
    toy_expect(
        &toy,
        "SELECT 1::INTEGER, 9223372036854775807, (9223372036854775807::HUGEINT + 1) // "
        "1000000, -5::HUGEINT, 0.5::DOUBLE, "
        "'a longer text than fits', 'short', true, NULL::BIGINT, NULL::VARCHAR, '\\xFF'::BLOB",
        "1|9223372036854775807|9223372036854|-5|0.5|a longer text than "
        "fits|short|1|---|---|\xff\n");
    struct table table = {0};
    struct error err = {0};
    expect_int(facts_query(toy.facts,
                           "SELECT 1::INTEGER AS i, 1::HUGEINT AS h, 1::DOUBLE AS d, 'x' AS t",
                           (struct facts_values){0}, &table, &err),
               0);

    static const enum cell_type types[] = {CELL_INT, CELL_WIDE, CELL_REAL, CELL_TEXT};

    static const char *const names[] = {"i", "h", "d", "t"};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        expect_int(table.columns[i].type, types[i]);
        expect_text(table.columns[i].id, names[i]);
    }
    table_release(&table);
    expect_int(facts_query(toy.facts, "SELECT DATE '2024-01-01' AS day",
                           (struct facts_values){0}, &table, &err),
               ERROR_STORE);
    expect_contains(err.text, "'day'");
    table_release(&table);
}

static void wide_numbers_are_exact(void **state)
{
    (void)state;
    struct table table = {0};
    struct error err = {0};
    expect_int(facts_query(toy.facts,
                           "SELECT 170141183460469231731687303715884105727::HUGEINT, "
                           "-170141183460469231731687303715884105727::HUGEINT, -1::HUGEINT",
                           (struct facts_values){0}, &table, &err),
               0);
    const wide_int most = ((((wide_int)1 << 126) - 1) << 1) + 1;
    expect_true(table_wide(&table, 0, 0) == most);
    expect_true(table_wide(&table, 1, 0) == -most);
    expect_true(table_wide(&table, 2, 0) == -1);
    table_release(&table);
}

static void large_answers_come_whole(void **state)
{
    (void)state;
    struct table table = {0};
    struct error err = {0};
    expect_int(facts_query(toy.facts,
                           "SELECT i, CASE WHEN i % 3 <> 0 THEN 'number ' || i END AS t FROM "
                           "range(10000) r(i) ORDER BY i",
                           (struct facts_values){0}, &table, &err),
               0);
    expect_int((int64_t)table.row_count, 10000);
    for (size_t i = 0; i < table.row_count; i++) {
        char want[32];
        snprintf(want, sizeof(want), "number %zu", i);
        expect_int(table.columns[0].cells[i].integer, (int64_t)i);
        expect_int(table_has(&table, 1, i), i % 3 != 0);
        if (i % 3 != 0) {
            struct str text = table.columns[1].cells[i].text;
            expect_text_n(text.ptr, text.len, want);
        }
    }
    table_release(&table);
}

static void values_are_bound_not_pasted(void **state)
{
    (void)state;
    struct table table = {0};
    struct error err = {0};
    const struct facts_value values[] = {
        FACTS_INT(INT64_MIN),
        FACTS_TEXT(STR("'; DROP TABLE runs; --")),
        FACTS_BYTES(STR("\0\xff")),
        FACTS_NULL,
        {.type = VALUE_REAL, .real = 0.25},
        FACTS_TEXT(((struct str){NULL, 0})),
    };
    expect_int(facts_query(toy.facts, "SELECT ?::BIGINT, ?, ?::BLOB, ?::BIGINT, ?::DOUBLE, ?",
                           (struct facts_values){values, COUNT_OF(values)}, &table, &err),
               0);
    expect_int(table.columns[0].cells[0].integer, INT64_MIN);
    expect_text_n(table.columns[1].cells[0].text.ptr, table.columns[1].cells[0].text.len,
                  "'; DROP TABLE runs; --");
    expect_uint(table.columns[2].cells[0].text.len, 2);
    expect_false(table_has(&table, 3, 0));
    expect_double(table.columns[4].cells[0].real, 0.25, 0);
    expect_uint(table.columns[5].cells[0].text.len, 0);
    expect_true(table_has(&table, 5, 0));
    table_release(&table);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), 0);
}

static void an_overflow_has_its_own_kind(void **state)
{
    (void)state;
    struct error err = {0};
    int64_t number;
    expect_int(facts_number(toy.facts, "SELECT 9223372036854775807::BIGINT * 2::BIGINT",
                            (struct facts_values){0}, &number, NULL, &err),
               ERROR_LIMIT);
    expect_contains(err.text, "a number grew too large");
}

static void a_number_may_be_absent(void **state)
{
    (void)state;
    struct error err = {0};
    int64_t number = 7;
    bool present = true;
    expect_int(facts_number(toy.facts, "SELECT NULL::BIGINT", (struct facts_values){0}, &number,
                            &present, &err),
               0);
    expect_false(present);
    expect_int(number, 0);
    expect_int(facts_number(toy.facts, "SELECT 1 WHERE false", (struct facts_values){0},
                            &number, &present, &err),
               0);
    expect_false(present);
    expect_int(facts_number(toy.facts, "SELECT 5::HUGEINT", (struct facts_values){0}, &number,
                            &present, &err),
               0);
    expect_true(present);
    expect_int(number, 5);
}

static void changes_are_counted(void **state)
{
    (void)state;
    struct error err = {0};
    int64_t changed = 0;
    expect_int(
        facts_execute(toy.facts,
                      "INSERT INTO quarantine SELECT 1, 1, i, i, '', '' FROM range(7) r(i)",
                      (struct facts_values){0}, &changed, &err),
        0);
    expect_int(changed, 7);
    expect_int(facts_execute(toy.facts, "DELETE FROM quarantine WHERE line > 2",
                             (struct facts_values){0}, &changed, &err),
               0);
    expect_int(changed, 4);
}

static void integers_can_be_joined_with(void **state)
{
    (void)state;
    struct error err = {0};
    static const char *const columns[] = {"a", "b"};
    static const int64_t rows[] = {1, 10, 2, 20, INT64_MIN, INT64_MAX};
    expect_int(facts_load_integers(toy.facts, "pairs", columns, 2, rows, 3, &err), 0);
    toy_expect(&toy, "SELECT a, b FROM pairs ORDER BY a",
               "-9223372036854775808|9223372036854775807\n1|10\n2|20\n");
    expect_int(facts_load_integers(toy.facts, "pairs", columns, 2, rows, 1, &err), 0);
    toy_expect(&toy, "SELECT a, b FROM pairs", "1|10\n");
    expect_int(facts_load_integers(toy.facts, "pairs", columns, 2, rows, 0, &err), 0);
    toy_expect(&toy, "SELECT count(*) FROM pairs", "0\n");
}

/* --- what the engine says --------------------------------------------------------------------- */

struct message_row {
    const char *name;
    duckdb_error_type engine;
    const char *message, *says;
    int kind;
    bool broken; /* nothing more is written */
};

static const struct message_row message_rows[] = {
    {"file", DUCKDB_ERROR_IO, "IO Error: Could not read", "Could not read", ERROR_IO, true},
    {"memory", DUCKDB_ERROR_OUT_OF_MEMORY,
     "failed to pin block\n\nPossible solutions:", "more memory than", ERROR_STORE, false},
    {"overflow", DUCKDB_ERROR_OUT_OF_RANGE, "whatever it says", "a number grew too large",
     ERROR_LIMIT, false},
    {"permission", DUCKDB_ERROR_PERMISSION, "whatever it says", "permission denied",
     ERROR_DENIED, false},
    {"its own mistake", DUCKDB_ERROR_INTERNAL, "INTERNAL Error: x", "INTERNAL Error: x",
     ERROR_STORE, true},
    {"several lines", DUCKDB_ERROR_PARSER, "Parser Error: syntax error\n\nLINE 1: x",
     "Parser Error: syntax error", ERROR_STORE, false},
    {"nothing", DUCKDB_ERROR_INVALID, NULL, "no reason given", ERROR_STORE, false},
};

static void errors_of_the_engine_become_sentences_by_their_kind(void **state)
{
    const struct message_row *row = *state;
    struct error err = {0};
    expect_int(facts_engine_error(toy.facts, "cannot do it", row->engine, row->message, &err),
               row->kind);
    expect_int(err.kind, row->kind);
    expect_contains(err.text, "cannot do it: ");
    expect_contains(err.text, row->says);
    expect_true(strchr(err.text, '\n') == NULL);
    expect_int(toy.facts->store->broken, row->broken);
    toy.facts->store->broken = false;
}

/* --- who may be in ---------------------------------------------------------------------------- */

/* A process of its own that opens the store, says so, and holds it until it is told to go. */
static pid_t hold(enum facts_mode mode, int *say_go)
{
    int ready[2], go[2];
    expect_int(pipe(ready), 0);
    expect_int(pipe(go), 0);
    pid_t pid = fork();
    expect_true(pid >= 0);
    if (pid == 0) {
        struct facts *facts = NULL;
        struct error err;
        char byte = facts_at(toy.store, mode, &facts, &err) == 0 ? 'y' : 'n';
        close(go[1]);
        (void)!write(ready[1], &byte, 1);
        (void)!read(go[0], &byte, 1);
        facts_leave(facts);
        _exit(0);
    }
    char byte = 0;
    close(ready[1]);
    close(go[0]);
    expect_int(read(ready[0], &byte, 1), 1);
    expect_int(byte, 'y');
    close(ready[0]);
    *say_go = go[1];
    return pid;
}

static void release(pid_t pid, int say_go)
{
    int status = 0;
    close(say_go);
    expect_int(waitpid(pid, &status, 0), pid);
    expect_int(status, 0);
}

static void readers_are_in_together(void **state)
{
    (void)state;
    int go = -1;
    toy_back(&toy);
    toy_away(&toy);
    pid_t reader = hold(FACTS_READ, &go);
    struct error err = {0};
    struct facts *facts = NULL;
    expect_int(facts_at(toy.store, FACTS_READ, &facts, &err), 0);
    facts_leave(facts);
    release(reader, go);
}

struct pair_row {
    const char *name;
    enum facts_mode holder, other;
};

static const struct pair_row pair_rows[] = {
    {"writer, writer", FACTS_WRITE, FACTS_WRITE},
    {"writer, reader", FACTS_WRITE, FACTS_READ},
    {"reader, writer", FACTS_READ, FACTS_WRITE},
};

/* How long somebody waits is theirs to say; here not at all. */
static void whoever_does_not_wait_is_told_who_has_it(void **state)
{
    const struct pair_row *row = *state;
    const struct store_wait wait = {.limit_us = 0};
    struct store *store = NULL;
    struct error err = {0};
    char pid[32];
    int go = -1;
    toy_back(&toy);
    toy_away(&toy);
    pid_t holder = hold(row->holder, &go);
    expect_int(store_open(toy.store, row->other, &wait, &store, &err), ERROR_CONFLICT);
    expect_true(store == NULL);
    snprintf(pid, sizeof(pid), "by process %d (", (int)holder);
    expect_contains(err.text, pid);
    expect_contains(err.text, "test_facts"); /* its command */
    release(holder, go);
    expect_int(store_open(toy.store, row->other, &wait, &store, &err), 0);
    store_close(store);
}

/* What waiting says of whom it waits for; lets that one go. */
struct patience {
    int go;
    char said[256];
};

static void let_go(void *watcher, const char *line)
{
    struct patience *patience = watcher;
    snprintf(patience->said, sizeof(patience->said), "%s", line);
    close(patience->go);
    patience->go = -1;
}

static void whoever_waits_says_for_whom_and_gets_it(void **state)
{
    (void)state;
    struct patience patience = {.go = -1};
    const struct store_wait wait = {.limit_us = -1, .waiting = let_go, .watcher = &patience};
    struct store *store = NULL;
    struct error err = {0};
    toy_back(&toy);
    toy_away(&toy);
    pid_t holder = hold(FACTS_WRITE, &patience.go);
    if (store_open(toy.store, FACTS_WRITE, &wait, &store, &err) != 0) {
        expect_fail("%s", err.text);
    }
    store_close(store);
    expect_contains(patience.said, "is in use by process ");
    expect_contains(patience.said, "; waiting for it");
    expect_int(patience.go, -1);
    expect_int(waitpid(holder, NULL, 0), holder);
}

static void a_stop_ends_the_waiting(void **state)
{
    (void)state;
    const struct stop stop = {.asked = 1};
    const struct store_wait wait = {.limit_us = -1, .stop = &stop};
    struct store *store = NULL;
    struct error err = {0};
    int go = -1;
    toy_back(&toy);
    toy_away(&toy);
    pid_t holder = hold(FACTS_WRITE, &go);
    expect_int(store_open(toy.store, FACTS_READ, &wait, &store, &err), ERROR_STOPPED);
    release(holder, go);
}

static void one_that_is_killed_leaves_no_lock(void **state)
{
    (void)state;
    int go = -1;
    toy_back(&toy);
    toy_away(&toy);
    pid_t holder = hold(FACTS_WRITE, &go);
    expect_int(kill(holder, SIGKILL), 0);
    expect_int(waitpid(holder, NULL, 0), holder);
    close(go);
    struct facts *facts = NULL;
    struct error err = {0};
    if (facts_at(toy.store, FACTS_WRITE, &facts, &err) != 0) {
        expect_fail("%s", err.text);
    }
    facts_leave(facts);
}

/* --- limits ----------------------------------------------------------------------------------- */

/* What the engine itself goes by; current_setting has what was asked for. */
#define LIMITS_IN_FORCE                                                                        \
    "SELECT memory_limit || ' ' || current_setting('threads') FROM pragma_database_size()"

static int note_limits(void *context, const struct table *chunk, struct error *err)
{
    (void)err;
    if (chunk->row_count > 0) {
        snprintf(context, 64, "%.*s", STR_ARG(chunk->columns[0].cells[0].text));
    }
    return 0;
}

static void read_limits(struct facts *facts, char out[64])
{
    struct table table = {0};
    struct error err = {0};
    expect_int(facts_query(facts, LIMITS_IN_FORCE, (struct facts_values){0}, &table, &err), 0);
    snprintf(out, 64, "%.*s", STR_ARG(table.columns[0].cells[0].text));
    table_release(&table);
}

static void a_stream_has_little_memory_and_questions_after_it_have_all(void **state)
{
    (void)state;
    char meanwhile[64] = "", after[64] = "", again[64] = "";
    const struct table_sink sink = {meanwhile, note_limits};
    struct facts *facts = NULL;
    struct error err = {0};
    toy_back(&toy);
    toy_away(&toy);
    expect_int(facts_at(toy.store, FACTS_READ, &facts, &err), 0);
    for (int i = 0; i < 3; i++) { /* no more is taken away each time */
        expect_int(
            facts_query_each(facts, LIMITS_IN_FORCE, (struct facts_values){0}, &sink, &err), 0);
        expect_text(meanwhile, "114.4 MiB 1");
        read_limits(facts, i == 0 ? after : again);
    }
    facts_leave(facts);
    expect_contains(after, "GiB");
    expect_text(again, after);
}

#define ADD(setup, function)                                                                   \
    suite_test_with(&suite, #function, function, setup, close_toy, NULL)

int main(void)
{
    struct suite suite = {0};
    ADD(make_toy, reading_without_a_store_says_how_to_begin);
    ADD(make_toy, writing_makes_the_store_for_its_owner_alone);
    ADD(make_toy, an_empty_store_gets_all_migrations);
    ADD(make_toy, an_empty_file_is_a_store_to_be_migrated);
    ADD(make_toy, a_store_of_the_first_schema_is_brought_up);
    ADD(make_toy, a_newer_store_is_refused_and_left_alone);
    ADD(make_toy, a_file_that_is_no_database_is_said_to_be_none);
    ADD(make_toy, a_file_in_the_place_of_the_folder_is_an_error);
    ADD(open_toy, the_columns_are_the_fields_of_a_run);
    ADD(open_toy, what_is_not_committed_is_gone);
    ADD(open_toy, a_failed_statement_does_not_harm_the_next);
    ADD(open_toy, rows_in_bulk_are_part_of_the_transaction);
    ADD(open_toy, answers_keep_their_types);
    ADD(open_toy, wide_numbers_are_exact);
    ADD(open_toy, large_answers_come_whole);
    ADD(open_toy, values_are_bound_not_pasted);
    ADD(open_toy, an_overflow_has_its_own_kind);
    ADD(open_toy, a_number_may_be_absent);
    ADD(open_toy, changes_are_counted);
    ADD(open_toy, integers_can_be_joined_with);
    for (size_t i = 0; i < COUNT_OF(message_rows); i++) {
        char name[128];
        snprintf(name, sizeof(name), "errors_of_the_engine_become_sentences_by_their_kind: %s",
                 message_rows[i].name);
        suite_test_with(&suite, name, errors_of_the_engine_become_sentences_by_their_kind,
                        open_toy, close_toy, (void *)(uintptr_t)&message_rows[i]);
    }
    ADD(make_toy, a_stream_has_little_memory_and_questions_after_it_have_all);
    ADD(make_toy, readers_are_in_together);
    for (size_t i = 0; i < COUNT_OF(pair_rows); i++) {
        char name[128];
        snprintf(name, sizeof(name), "whoever_does_not_wait_is_told_who_has_it: %s",
                 pair_rows[i].name);
        suite_test_with(&suite, name, whoever_does_not_wait_is_told_who_has_it, make_toy,
                        close_toy, (void *)(uintptr_t)&pair_rows[i]);
    }
    ADD(make_toy, whoever_waits_says_for_whom_and_gets_it);
    ADD(make_toy, a_stop_ends_the_waiting);
    ADD(make_toy, one_that_is_killed_leaves_no_lock);
    return suite_run(&suite, "facts");
}
