/* SPDX-License-Identifier: MIT */
#include "support/follower.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/limit.h"
#include "facts/changes.h"
#include "record/run.h"
#include "support/expect.h"

enum { MOST = 1 << 24 };

static void execute(struct facts *facts, const char *sql)
{
    struct error err = {0};
    if (facts_execute(facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s: %s", sql, err.text);
    }
}

static int64_t number(struct facts *facts, const char *sql)
{
    struct error err = {0};
    int64_t value = 0;
    if (facts_number(facts, sql, (struct facts_values){0}, &value, NULL, &err) != 0) {
        expect_fail("%s: %s", sql, err.text);
    }
    return value;
}

/* What came after `since`, into `news`, as the interface gives it. False: it is gone, begin anew. */
static bool read_news(struct facts *facts, int64_t since)
{
    struct error err = {0};
    struct table news = {0};
    const int failed = changes_since(facts, since, MOST, &news, &err);
    if (failed == ERROR_MISSING) {
        table_release(&news);
        return false;
    }
    if (failed) {
        expect_fail("%s", err.text);
    }
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "CREATE OR REPLACE TEMP TABLE news AS FROM changes WHERE seq > %" PRId64,
             since);
    execute(facts, sql.ptr);
    expect_int(number(facts, "SELECT count(*) FROM news"), (int64_t)news.row_count);
    buf_release(&sql);
    table_release(&news);
    return true;
}

static void add_pair(struct buf *sql)
{
    const char *and = "";
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & FIELD_KEY) {
            buf_addf(sql, "%sn.\"%s\" IS NOT DISTINCT FROM o.\"%s\"", and, run_fields[i].member,
                     run_fields[i].member);
            and = " AND ";
        }
    }
}

/* The identities that the news are about, into `touched`. */
#define IDENTITY "cluster, job, job_key, task, het, attempt"
#define TOUCHED                                                                                \
    "CREATE OR REPLACE TEMP TABLE touched AS SELECT " IDENTITY                                 \
    " FROM news WHERE kind IN ('replaced', 'ended', 'removed') UNION SELECT " IDENTITY         \
    " FROM runs WHERE batch IN (SELECT batch FROM news WHERE kind = 'added') OR batch <= "     \
    "(SELECT max(batch) FROM news WHERE kind = 'all') OR (cluster, seen) IN (SELECT "          \
    "(cluster, "                                                                               \
    "seen) FROM news WHERE kind = 'seen')"

static void apply_news(struct facts *facts)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    execute(facts, TOUCHED);
    buf_addz(&sql,
             "DELETE FROM follower.copy AS o WHERE EXISTS (SELECT 1 FROM touched n WHERE ");
    add_pair(&sql);
    buf_addc(&sql, ')');
    execute(facts, sql.ptr);
    buf_clear(&sql);
    buf_addz(&sql,
             "INSERT INTO follower.copy FROM runs o WHERE EXISTS (SELECT 1 FROM touched n "
             "WHERE ");
    add_pair(&sql);
    buf_addc(&sql, ')');
    execute(facts, sql.ptr);
    execute(facts,
            "UPDATE follower.reader SET seq = greatest(seq, (SELECT max(seq) FROM news))");
    buf_release(&sql);
}

void follower_follow(struct facts *facts, const char *path)
{
    struct error err = {0};
    struct buf attach;
    buf_init(&attach, LIMIT_SQL);
    buf_addf(&attach, "ATTACH '%s' AS follower (READ_WRITE)", path);
    execute(facts, attach.ptr);
    buf_release(&attach);
    execute(facts, "CREATE TABLE IF NOT EXISTS follower.copy AS FROM runs LIMIT 0");
    execute(facts, "CREATE TABLE IF NOT EXISTS follower.reader AS SELECT 0::BIGINT AS seq");
    if (!read_news(facts, number(facts, "SELECT seq FROM follower.reader"))) {
        execute(facts, "DELETE FROM follower.copy");
        execute(facts, "UPDATE follower.reader SET seq = 0");
        expect_true(read_news(facts, 0));
    }
    apply_news(facts);
    expect_int(facts_grow(facts, &err), 0); /* to hold all columns of all runs side by side */
    expect_int(number(facts, "SELECT count(*) FROM (FROM follower.copy EXCEPT ALL FROM runs)"),
               0);
    expect_int(number(facts, "SELECT count(*) FROM (FROM runs EXCEPT ALL FROM follower.copy)"),
               0);
    execute(facts, "DETACH follower");
}
