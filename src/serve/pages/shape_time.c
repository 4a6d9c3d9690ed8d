/* SPDX-License-Identifier: MIT */

/* What ran somewhere, over time. */
#include <stdlib.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "base/mem.h"
#include "serve/pages/link.h"
#include "serve/pages/shape.h"
#include "serve/pages/words.h"
#include "view/chart/strip.h"

/*
 * Users with a colour of their own, in the order in which they come; the look of the others
 * follows those.
 */
enum { USERS_MAX = 7, LOOK_OTHERS = 8 };

struct users {
    struct str names[USERS_MAX];
    size_t count;
};

static size_t look_of(struct users *users, struct str user)
{
    for (size_t i = 0; i < users->count; i++) {
        if (str_eq(users->names[i], user)) {
            return i;
        }
    }
    if (users->count == USERS_MAX) {
        return LOOK_OTHERS;
    }
    users->names[users->count] = user;
    return users->count++;
}

/* "anna, train, 990001: today 10:30 for 8 h, completed" */
static struct str about(const struct page_view *view, const struct table *table, size_t row,
                        const struct gantt_bar *bar)
{
    const struct str user = cell_words(table, "user", row),
                     name = cell_words(table, "name", row);
    const struct str id = cell_words(table, "id", row), class = cell_words(table, "class", row);
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    buf_addf(&text, "%.*s, %.*s, %.*s: ", STR_ARG(user), STR_ARG(name), STR_ARG(id));
    words_instant(&text, view->service->zone, bar->from, view->service->now());
    buf_addz(&text, bar->going ? ", for " : " for ");
    words_span(&text, bar->to - bar->from);
    buf_addf(&text, bar->going ? " so far" : ", %.*s", STR_ARG(class));
    const struct str copy = view_text(view, &text);
    buf_release(&text);
    return copy;
}

static struct str page_of(const struct page_view *view, const struct table *table, size_t row)
{
    struct buf url;
    struct str copy = {0};
    buf_init(&url, LIMIT_ARGUMENT);
    if (link_of_value(&url, view->request->prefix, cell_raw(table, "cluster", row), "run_id",
                      cell_raw(table, "run_id", row))) {
        copy = view_text(view, &url);
    }
    buf_release(&url);
    return copy;
}

void shape_gantt(struct page_view *view, struct model *panel, const struct answer *answer)
{
    const struct table *table = &answer->table;
    const int64_t now = answer->as_of ? answer->as_of : view->service->now();
    struct gantt_bar *bars = mem_alloc(table->row_count + 1, sizeof *bars);
    struct users users = {0};
    struct error ignored = {0};
    struct buf out;
    struct gantt gantt = {.period = answer->period,
                          .zone = view->service->zone,
                          .bars = bars,
                          .label = "What ran, over time"};
    for (size_t row = 0; row < table->row_count; row++) {
        double start, end;
        if (!cell_real(table, "start", row, &start)) {
            continue; /* it waits */
        }
        struct gantt_bar *bar = &bars[gantt.count++];
        const struct str user = cell_words(table, "user", row);
        bar->from = (int64_t)start;
        bar->going = !cell_real(table, "end", row, &end);
        bar->to = bar->going ? now : (int64_t)end;
        bar->look = look_of(&users, user);
        bar->name = view_printf(view, "%.*s %.*s", STR_ARG(user),
                                STR_ARG(cell_words(table, "name", row)));
        bar->about = about(view, table, row, bar);
        bar->url = page_of(view, table, row);
    }
    buf_init(&out, LIMIT_OUTPUT);
    if (gantt.count > 0 && gantt_page(&out, &gantt, &ignored) == 0) {
        model_markup(panel, "picture", arena_copy(view->arena, buf_str(&out)));
    }
    buf_release(&out);
    free(bars);
}
