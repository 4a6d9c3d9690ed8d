/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/kept.h"

#include "facts/duckdb/facts_internal.h"

void kept_release(struct kept *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        buf_release(&kept->rows[i].question);
        table_release(&kept->rows[i].answer);
    }
    kept->count = 0;
}

/* Values with their types and lengths, so that no two lists of them look the same. */
static void add_value(struct buf *key, const struct facts_value *value)
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

static void make_key(const char *sql, struct facts_values values, struct buf *key)
{
    buf_addf(key, "%s", sql);
    for (size_t i = 0; i < values.count; i++) {
        add_value(key, &values.values[i]);
    }
}

static const struct table *find(const struct kept *kept, const struct buf *key)
{
    for (size_t i = 0; i < kept->count; i++) {
        if (str_eq(buf_str(&kept->rows[i].question), buf_str(key))) {
            return &kept->rows[i].answer;
        }
    }
    return NULL;
}

static void keep(struct kept *kept, struct buf *key, const struct table *answer)
{
    kept->rows[kept->count].question = *key;
    kept->rows[kept->count].answer = (struct table){0};
    table_copy(answer, &kept->rows[kept->count].answer);
    kept->count++;
    *key = (struct buf){0};
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
    make_key(sql, values, &key);
    const struct table *answer = key.overflow ? NULL : find(&facts->kept, &key);
    if (answer) {
        table_copy(answer, out);
    } else {
        failed = facts_query(facts, sql, values, out, err);
        if (!failed && !key.overflow && facts->kept.count < KEPT_MAX &&
            out->row_count <= KEPT_ROWS_MAX) {
            keep(&facts->kept, &key, out);
        }
    }
    buf_release(&key);
    return failed;
}
