/* SPDX-License-Identifier: MIT */
#include "enforce/saved_limits.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/query.h"
#include "enforce/statements.h"

static const char CANNOT_READ[] = "cannot read the limits that were set";
static const char CANNOT_WRITE[] = "cannot record the limits that are set";

/* Room for one more row of a list that doubles. */
static void *grow_limits(void *rows, size_t count, size_t size)
{
    return count && (count & (count - 1)) ? rows
                                          : mem_resize(rows, count ? 2 * count : 1, size);
}

static struct enforce_value value_at(struct query *q, int column)
{
    return (struct enforce_value){
        .is = query_has_at(q, column),
        .n = query_has_at(q, column) ? query_int_at(q, column) : 0,
    };
}

static void bind_value(struct query *q, struct enforce_value value)
{
    if (value.is) {
        query_int(q, value.n);
    } else {
        query_null(q);
    }
}

/* The key of enforce_kept. */
static void bind_key(struct query *q, struct str cluster, const struct enforce_target *target,
                     enum enforce_mode mode)
{
    query_text(q, cluster);
    query_text(q, str_of(enforce_kind_name(target->kind)));
    query_text(q, target->name);
    query_text(q, target->under.ptr ? target->under : STR(""));
    query_text(q, str_of(enforce_mode_name(mode)));
}

/* Kind, name and account from `column` on. */
static struct enforce_target target_at(struct query *q, int column, struct arena *arena)
{
    const struct str under = query_view_at(q, column + 2);
    const enum enforce_kind kind = enforce_kind_of(query_view_at(q, column));
    return (struct enforce_target){
        .kind = kind < ENFORCE_KINDS ? kind : ENFORCE_ACCOUNT,
        .name = query_text_at(q, column + 1, arena),
        .under = under.len ? arena_copy(arena, under) : (struct str){0},
    };
}

static enum enforce_mode mode_at(struct query *q, int column)
{
    const struct str name = query_view_at(q, column);
    unsigned mode = 0;
    while (mode + 1 < ENFORCE_MODES && !str_eq(name, str_of(enforce_mode_name(mode)))) {
        mode++;
    }
    return mode;
}

/* --- what is kept ------------------------------------------------------------------------- */

static int compare_kept(const void *a, const void *b)
{
    const struct saved_limits *x = a, *y = b;
    const int by_target = enforce_target_compare(&x->target, &y->target);
    return by_target ? by_target : (x->mode > y->mode) - (x->mode < y->mode);
}

int saved_limits_list_read(struct books *books, struct str cluster,
                           struct saved_limits_list *out, struct error *err)
{
    *out = (struct saved_limits_list){0};
    struct query q = query_begin(books, SQL_ENFORCE_KEPT_LIST);
    query_text(&q, cluster);
    while (query_row(&q)) {
        out->rows = grow_limits(out->rows, out->count, sizeof(*out->rows));
        out->rows[out->count++] = (struct saved_limits){
            .target = target_at(&q, 0, &out->arena),
            .mode = mode_at(&q, 3),
            .before = value_at(&q, 4),
            .value = value_at(&q, 5),
            .known = query_int_at(&q, 6) != 0,
            .next = value_at(&q, 7),
            .trying = query_int_at(&q, 8) != 0,
            .at = query_int_at(&q, 9),
            .marked = query_int_at(&q, 10) != 0,
        };
    }
    if (out->count > 1) {
        qsort(out->rows, out->count, sizeof(*out->rows), compare_kept);
    }
    return query_finish(&q, CANNOT_READ, err);
}

void saved_limits_list_release(struct saved_limits_list *list)
{
    free(list->rows);
    arena_release(&list->arena);
    *list = (struct saved_limits_list){0};
}

const struct saved_limits *saved_limits_list_find(const struct saved_limits_list *list,
                                                  const struct enforce_target *target,
                                                  enum enforce_mode mode)
{
    const struct saved_limits wanted = {.target = *target, .mode = mode};
    return list->count
               ? bsearch(&wanted, list->rows, list->count, sizeof(*list->rows), compare_kept)
               : NULL;
}

bool saved_limits_is_own(const struct saved_limits *kept, struct enforce_value found)
{
    return (kept->known && enforce_value_eq(kept->value, found)) ||
           (kept->trying && enforce_value_eq(kept->next, found));
}

/* --- steps -------------------------------------------------------------------------------- */

static int add_step(struct books *books, struct str cluster,
                    const struct enforce_change *change, int64_t at, struct str who,
                    int64_t *step, struct error *err)
{
    struct query q = query_begin(books, SQL_ENFORCE_STEP_ADD);
    query_text(&q, cluster);
    query_text(&q, change->account);
    query_text(&q, str_of(enforce_kind_name(change->target.kind)));
    query_text(&q, change->target.name);
    query_text(&q, change->target.under.ptr ? change->target.under : STR(""));
    query_text(&q, str_of(enforce_mode_name(change->mode)));
    bind_value(&q, change->from);
    bind_value(&q, change->to);
    query_int(&q, at);
    query_text(&q, who);
    query_run(&q);
    int failed = query_finish(&q, CANNOT_WRITE, err);
    if (failed) {
        return failed;
    }
    q = query_begin(books, SQL_ENFORCE_LAST_ID);
    *step = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_WRITE, err);
}

static int keep(struct books *books, struct str cluster, const struct enforce_change *change,
                int64_t at, struct error *err)
{
    struct query q = query_begin(books, SQL_ENFORCE_KEPT_BEGIN);
    bind_key(&q, cluster, &change->target, change->mode);
    bind_value(&q, change->before);
    bind_value(&q, change->to);
    query_int(&q, at);
    query_int(&q, change->marked);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

int saved_limits_begin(struct books *books, struct str cluster,
                       const struct enforce_change *change, int64_t at, struct str who,
                       int64_t *step, struct error *err)
{
    int failed;
    (void)((failed = books_begin(books, err)) ||
           (failed = keep(books, cluster, change, at, err)) ||
           (failed = add_step(books, cluster, change, at, who, step, err)) ||
           (failed = books_commit(books, err)));
    books_rollback(books);
    return failed;
}

static int add_end(struct books *books, int64_t step, const struct saved_limits_end *end,
                   struct error *err)
{
    struct query q = query_begin(books, SQL_ENFORCE_STEP_END);
    query_int(&q, step);
    query_text(&q, end->done ? STR("done") : STR("failed"));
    query_int(&q, end->asked);
    bind_value(&q, end->found);
    query_text(&q, str_of(end->why));
    query_int(&q, end->at);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

static int set_kept(struct books *books, struct str cluster,
                    const struct enforce_change *change, int64_t at, struct error *err)
{
    struct query q = query_begin(books, SQL_ENFORCE_KEPT_SET);
    bind_value(&q, change->to);
    query_int(&q, at);
    bind_key(&q, cluster, &change->target, change->mode);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

static int forget(struct books *books, struct str cluster, const struct enforce_target *target,
                  enum enforce_mode mode, struct error *err)
{
    struct query q = query_begin(books, SQL_ENFORCE_KEPT_FORGET);
    bind_key(&q, cluster, target, mode);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

int saved_limits_finish(struct books *books, struct str cluster, int64_t step,
                        const struct enforce_change *change, const struct saved_limits_end *end,
                        struct error *err)
{
    int failed;
    (void)((failed = books_begin(books, err)) || (failed = add_end(books, step, end, err)));
    if (!failed && end->done) {
        failed = end->restored ? forget(books, cluster, &change->target, change->mode, err)
                               : set_kept(books, cluster, change, end->at, err);
    }
    failed = failed ? failed : books_commit(books, err);
    books_rollback(books);
    return failed;
}

int saved_limits_forget(struct books *books, struct str cluster,
                        const struct enforce_target *target, enum enforce_mode mode,
                        struct error *err)
{
    int failed;
    (void)((failed = books_begin(books, err)) ||
           (failed = forget(books, cluster, target, mode, err)) ||
           (failed = books_commit(books, err)));
    books_rollback(books);
    return failed;
}

int saved_limits_steps_open(struct books *books, struct str cluster,
                            struct saved_limits_steps *out, struct error *err)
{
    *out = (struct saved_limits_steps){0};
    struct query q = query_begin(books, SQL_ENFORCE_STEPS_OPEN);
    query_text(&q, cluster);
    while (query_row(&q)) {
        out->rows = grow_limits(out->rows, out->count, sizeof(*out->rows));
        out->rows[out->count++] = (struct saved_limits_step){
            .id = query_int_at(&q, 0),
            .change = {.account = query_text_at(&q, 1, &out->arena),
                       .target = target_at(&q, 2, &out->arena),
                       .mode = mode_at(&q, 5),
                       .from = value_at(&q, 6),
                       .to = value_at(&q, 7)},
        };
    }
    return query_finish(&q, CANNOT_READ, err);
}

void saved_limits_steps_release(struct saved_limits_steps *steps)
{
    free(steps->rows);
    arena_release(&steps->arena);
    *steps = (struct saved_limits_steps){0};
}

/* --- liens of a cluster ------------------------------------------------------------------- */

int saved_limits_helds_read(struct books *books, struct str cluster,
                            struct saved_limits_helds *out, struct error *err)
{
    *out = (struct saved_limits_helds){0};
    struct query q = query_begin(books, SQL_ENFORCE_HELD_ON_CLUSTER);
    query_text(&q, cluster);
    while (query_row(&q)) {
        out->rows = grow_limits(out->rows, out->count, sizeof(*out->rows));
        out->rows[out->count++] =
            (struct saved_limits_held){query_int_at(&q, 0), query_int_at(&q, 1)};
    }
    return query_finish(&q, CANNOT_READ, err);
}

void saved_limits_helds_release(struct saved_limits_helds *helds)
{
    free(helds->rows);
    *helds = (struct saved_limits_helds){0};
}
