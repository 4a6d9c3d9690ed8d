/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/query_cache.h"

#include <string.h>

#include "base/limit.h"
#include "facts/duckdb/facts_internal.h"

void query_cache_release(struct query_cache *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        buf_release(&kept->rows[i].question);
        table_release(&kept->rows[i].answer);
    }
    for (size_t i = 0; i < kept->table_count; i++) {
        for (size_t k = 0; k < kept->tables[i].content_count; k++) {
            buf_release(&kept->tables[i].contents[k]);
        }
        kept->tables[i] = (struct query_cache_table){0};
    }
    kept->count = kept->table_count = kept->others = 0;
    kept->lost = false;
}

/* NULL: there are too many. */
static struct query_cache_table *find_table(struct query_cache *kept, const char *name)
{
    for (size_t i = 0; i < kept->table_count; i++) {
        if (strcmp(kept->tables[i].name, name) == 0) {
            return &kept->tables[i];
        }
    }
    if (kept->table_count == QUERY_CACHE_TABLES_MAX) {
        return NULL;
    }
    struct query_cache_table *table = &kept->tables[kept->table_count++];
    *table = (struct query_cache_table){.name = name, .now = QUERY_CACHE_CONTENTS_MAX};
    return table;
}

bool query_cache_table_is(struct query_cache *kept, const char *name, struct buf *content)
{
    struct query_cache_table *table = find_table(kept, name);
    if (!table) {
        kept->lost = true;
        buf_release(content);
        return false;
    }
    const size_t before = table->now;
    size_t found = 0;
    while (found < table->content_count && !content->overflow &&
           !str_eq(buf_str(&table->contents[found]), buf_str(content))) {
        found++;
    }
    if (!content->overflow && found < table->content_count) {
        table->now = found;
    } else if (!content->overflow && found < QUERY_CACHE_CONTENTS_MAX) {
        table->contents[table->content_count++] = *content;
        table->now = found;
        *content = (struct buf){0};
    } else {
        table->now = QUERY_CACHE_CONTENTS_MAX + ++kept->others;
    }
    buf_release(content);
    return table->now == before;
}

void query_cache_add_value(struct buf *key, const struct facts_value *value)
{
    const bool is_text = value->type == VALUE_TEXT || value->type == VALUE_BYTES;
    const struct str text = is_text ? value->text : (struct str){0};
    buf_addf(key, "\n%d %zu ", (int)value->type, text.len);
    if (is_text) {
        buf_add(key, text);
    } else if (value->type == VALUE_INT) {
        buf_addf(key, "%lld", (long long)value->integer);
    } else if (value->type == VALUE_REAL) {
        buf_addf(key, "%a", value->real);
    }
}

/* A statement, its values, and what the temporary tables have that it names. */
static void make_key(const struct query_cache *kept, const char *sql,
                     struct facts_values values, struct buf *key)
{
    buf_addz(key, sql);
    for (size_t i = 0; i < values.count; i++) {
        query_cache_add_value(key, &values.values[i]);
    }
    for (size_t i = 0; i < kept->table_count; i++) {
        if (strstr(sql, kept->tables[i].name)) {
            buf_addf(key, "\n%s %zu", kept->tables[i].name, kept->tables[i].now);
        }
    }
}

static const struct table *find_cached_query(const struct query_cache *kept,
                                             const struct buf *key)
{
    for (size_t i = 0; i < kept->count; i++) {
        if (str_eq(buf_str(&kept->rows[i].question), buf_str(key))) {
            return &kept->rows[i].answer;
        }
    }
    return NULL;
}

static void keep(struct query_cache *kept, struct buf *key, const struct table *answer)
{
    kept->rows[kept->count].question = *key;
    kept->rows[kept->count].answer = (struct table){0};
    table_copy(answer, &kept->rows[kept->count].answer);
    kept->count++;
    *key = (struct buf){0};
}

int facts_make_kept(struct facts *facts, const char *name, const char *sql,
                    struct facts_values values, struct error *err)
{
    struct buf content;
    if (facts->mode == FACTS_READ) {
        buf_init(&content, LIMIT_SQL);
        buf_addz(&content, sql);
        for (size_t i = 0; i < values.count; i++) {
            query_cache_add_value(&content, &values.values[i]);
        }
        if (query_cache_table_is(&facts->kept, name, &content)) {
            return 0;
        }
    }
    int failed = facts_execute(facts, sql, values, NULL, err);
    if (failed) {
        query_cache_release(&facts->kept);
    }
    return failed;
}

int facts_query_kept(struct facts *facts, const char *sql, struct facts_values values,
                     struct table *out, struct error *err)
{
    enum { KEY_MAX = 64 << 10 };

    struct buf key;
    int failed = 0;
    if (facts->mode == FACTS_WRITE) { /* what it asked may have changed by its own doing */
        return facts_query(facts, sql, values, out, err);
    }
    buf_init(&key, KEY_MAX);
    make_key(&facts->kept, sql, values, &key);
    key.overflow = key.overflow || facts->kept.lost;
    const struct table *answer = key.overflow ? NULL : find_cached_query(&facts->kept, &key);
    if (answer) {
        table_copy(answer, out);
    } else {
        failed = facts_query(facts, sql, values, out, err);
        if (!failed && !key.overflow && facts->kept.count < QUERY_CACHE_MAX &&
            out->row_count <= QUERY_CACHE_ROWS_MAX) {
            keep(&facts->kept, &key, out);
        }
    }
    buf_release(&key);
    return failed;
}
