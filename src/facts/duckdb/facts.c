/* SPDX-License-Identifier: MIT */

/*
 * Connections to a store: who may write, and what those see who read beside a writer.
 */

#include "facts/facts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/statement.h"

/* One connection writes at a time; the others wait for it. */
static int take_turn(struct store *store, const struct stop *stop, struct error *err)
{
    enum { PAUSE_US = 5000 };

    if (store->mode != FACTS_WRITE) {
        return error_set(err, ERROR_STORE, "the store '%s' was opened for reading",
                         store->folder);
    }
    while (pthread_mutex_trylock(&store->writing) != 0) {
        if (!stop_sleep(stop, PAUSE_US)) {
            return stop_explain(stop, err);
        }
    }
    return 0;
}

/* The first that reads beside a writer gets memory for all that do; the last gives it back. */
static int count_readers(struct facts *facts, bool comes, struct error *err)
{
    struct store *store = facts->store;
    int failed = 0;
    pthread_mutex_lock(&store->guard);
    const size_t before = store->readers;
    store->readers = comes ? before + 1 : before - 1;
    if (before == 0 || store->readers == 0) {
        failed = settings_adapt(facts, err);
    }
    pthread_mutex_unlock(&store->guard);
    return failed;
}

int facts_open(struct store *store, enum facts_mode mode, const struct stop *stop,
               struct facts **out, struct error *err)
{
    *out = NULL;
    int failed = mode == FACTS_WRITE && store->broken ? store_reopen(store, stop, err) : 0;
    failed = failed || mode != FACTS_WRITE ? failed : take_turn(store, stop, err);
    if (failed) {
        return failed;
    }
    store_enter(store);
    struct facts *facts = mem_alloc(1, sizeof(*facts));
    *facts = (struct facts){
        .store = store,
        .mode = mode,
        .stop = stop,
        .snapshot = mode == FACTS_READ && store->mode == FACTS_WRITE,
    };
    if (!store->database ||
        duck.connect(store->database, &facts->connection) != DuckDBSuccess) {
        failed = error_set(err, ERROR_STORE, "cannot connect to the store '%s'", store->folder);
    }
    if (!failed && facts->snapshot) {
        failed = count_readers(facts, true, err);
    }
    if (failed) {
        facts_close(facts);
        facts = NULL;
    }
    *out = facts;
    return failed;
}

struct store *facts_store(const struct facts *facts)
{
    return facts->store;
}

/* What the writer asked for was for it alone. */
static void give_back(struct facts *facts)
{
    struct store *store = facts->store;
    struct error ignored;
    pthread_mutex_lock(&store->guard);
    const bool asked = store->grown || store->bulk;
    store->grown = store->bulk = false;
    if (asked) {
        (void)!settings_adapt(facts, &ignored);
    }
    pthread_mutex_unlock(&store->guard);
}

void facts_close(struct facts *facts)
{
    struct error ignored;
    if (!facts) {
        return;
    }
    if (facts->connection && (facts->in_transaction || facts->snapshot)) {
        facts_rollback(facts); /* also of a snapshot in which a statement failed */
    }
    if (facts->connection && facts->snapshot) {
        (void)!count_readers(facts, false, &ignored);
    }
    if (facts->connection && facts->mode == FACTS_WRITE) {
        give_back(facts);
    }
    if (facts->connection) {
        duck.disconnect(&facts->connection);
    }
    store_leave(facts->store);
    if (facts->mode == FACTS_WRITE) {
        atomic_fetch_add(&facts->store->generation, 1);
        pthread_mutex_unlock(&facts->store->writing);
    }
    query_cache_release(&facts->kept);
    free(facts);
}

static int transaction(struct facts *facts, const char *verb, bool open, struct error *err)
{
    int failed = facts_execute(facts, verb, (struct facts_values){0}, NULL, err);
    if (!failed) {
        facts->in_transaction = open;
    }
    return failed;
}

int facts_check_stop(const struct facts *facts, struct error *err)
{
    return stop_is_set(facts->stop) ? stop_explain(facts->stop, err) : 0;
}

int facts_begin(struct facts *facts, struct error *err)
{
    if (facts->store->broken) {
        return error_set(
            err, ERROR_IO,
            "nothing more is written after an error of the store until it is opened again; run "
            "the same command again");
    }
    return transaction(facts, "BEGIN TRANSACTION", true, err);
}

/*
 * There is one writer, so that only a file that cannot be written makes a commit fail; see
 * duck_error.c for what follows.
 */
int facts_commit(struct facts *facts, struct error *err)
{
    int failed = transaction(facts, "COMMIT", false, err);
    if (failed) {
        facts->store->broken = true;
    }
    atomic_fetch_add(&facts->store->generation, 1);
    return failed;
}

void facts_rollback(struct facts *facts)
{
    duck.query(facts->connection, "ROLLBACK", NULL);
    facts->in_transaction = facts->snapshot_is_open = false;
}

/*
 * A batch is committed before it is settled (append.c). Until it is, readers beside the writer
 * see the runs without it: that is the state before the batch, to the last row.
 */
static const struct {
    struct identifier table;
    struct expression batch; /* which batch a row of it came with */
} hidden[] = {
    {{"runs"}, {"batch"}},
    {{"parts"}, {"batch"}},
    {{"batches"}, {"batch"}},
    {{"extents"}, {"batch"}},
    {{"changes"}, {"coalesce(batch, -1)"}},
};

static int hide_unsettled(struct facts *facts, int64_t first, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < COUNT_OF(hidden); i++) {
        struct statement sql;
        statement_init(&sql);
        statement_add(&sql, "CREATE OR REPLACE TEMP VIEW ");
        statement_name(&sql, hidden[i].table);
        statement_add(&sql, " AS SELECT *, rowid FROM facts.main.");
        statement_name(&sql, hidden[i].table);
        statement_add(&sql, " WHERE ");
        statement_expression(&sql, hidden[i].batch);
        statement_add(&sql, " < %" PRId64, first);
        failed = statement_run(facts, &sql, err);
    }
    return failed;
}

/* The snapshot is that of the first statement that reads a table of the store. */
int snapshot_begin(struct facts *facts, struct error *err)
{
    int64_t first = 0;
    bool any = false;
    facts_rollback(facts); /* one in which a statement failed */
    query_cache_release(&facts->kept);
    facts->snapshot_is_open = true;
    int failed = facts_execute(facts, "BEGIN TRANSACTION", (struct facts_values){0}, NULL, err);
    if (!failed) {
        failed = facts_number(facts, "SELECT min(batch) FROM unsettled",
                              (struct facts_values){0}, &first, &any, err);
    }
    if (failed || !any) {
        return failed;
    }
    return facts->scope ? restrict_views(facts, facts->scope, first, err)
                        : hide_unsettled(facts, first, err);
}
