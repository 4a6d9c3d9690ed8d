/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A panel: one question on a page, its answer as numbers, a picture, a table or fields, and the
 * ways from there: the same as CSV, JSON and SVG, as a command, as a page to change. Inside
 * serve/pages.
 */

#include "base/attribute.h"
#include "serve/pages/page.h"
#include "view/web/model.h"

/* How an answer is shown; several together. */
enum panel_show {
    PANEL_NUMBERS = 1, /* the measures of its only row, large */
    PANEL_PICTURE = 2,
    PANEL_TABLE = 4,
    PANEL_FOLDED = 8,  /* the table, closed until somebody opens it */
    PANEL_FIELDS = 16, /* a field a line */
    PANEL_NOTES = 32,
    PANEL_IF_ANY = 64, /* not at all where the answer has no rows */
    PANEL_WIDE = 128,  /* over the whole page */
    PANEL_FITTING =
        256,         /* fields where the answer is records or a list, else picture and table */
    PANEL_NOW = 512, /* of this moment: the period of the page is not asked for */
    PANEL_ALONE = 1024, /* without the ways on: it is asked for this page only */
    PANEL_THIRD = 2048, /* of the width; without it and the next, half */
    PANEL_BROAD = 4096, /* two thirds */
    PANEL_ANYONE =
        1 << 22, /* only for callers who are not logged in: what they may see instead */
    /* forms of shape.h */
    PANEL_READS = 8192,  /* of `compare`: large numbers with their change */
    PANEL_NODES = 16384, /* of `nodes`: a cell for each, by cluster and queue */
    PANEL_GPUS = 32768,  /* of `nodes`: a cell for each GPU, by model */
    PANEL_QUEUES =
        65536, /* of `queue --by cluster,partition`: what runs and waits against what there is */
    PANEL_OUT = 131072,  /* of `nodes`: those out of use, the worst first */
    PANEL_FREE = 262144, /* of `nodes`: what is free, as large numbers */
    PANEL_USE = 1 << 20, /* of `report`, by cluster: shares of capacity, a meter each */
    PANEL_BALANCE =
        1 << 21, /* of accounts of the bank: what is used, held and free, a meter each */
    PANEL_EARLIER = 1 << 23, /* a picture by month: with what was there a year before */
    PANEL_GANTT = 524288,    /* of `jobs`: what ran, as bars over time */
};

struct panel {
    const char *title;
    const char *operation;
    /*
     * its values as a query; {} is what the page is about, and every=auto intervals that fit
     * the period. One without from= and to= has the period of the page
     */
    const char *query;
    unsigned show;
    const char *chart; /* kind of picture; NULL: what suits */
    /* page for more, with the values of this: "explore", "jobs"; NULL: none */
    const char *opens;
};

enum { VIEW_SAID_MAX = 64 };

/* A page while it is made. */
struct page_view {
    struct service *service;
    const struct page_request *request;
    struct arena *arena;
    struct model *model; /* of the whole page */
    /* the address, decoded: what stands after the page's own part of the path, and the query */
    struct str thing;
    struct str cluster; /* that it is of, where the address says so; or the null string */
    struct request_value *values;
    size_t value_count;
    const char *redirect; /* where to go instead; NULL: nowhere */
    const char *key;      /* column by which forms of the template name a row; NULL: none do */
    /* page that accounts lead to; NULL: that of the scheduler's accounts */
    const char *accounts;
    /* of a listing that is shown in parts: rows before this one, and on it; 0: all are shown */
    size_t skip, page_size;
    /*
     * the way to sort a listing by a column, and how it is sorted by it now; NULL: it cannot be
     */
    struct str (*sort_url)(const struct page_view *view, const char *id, const char **sorted);
    bool more;                         /* there are rows after this part */
    const struct chart_target *limit;  /* across the pictures (chart.h); NULL: none */
    const struct reads_beside *beside; /* of large numbers (shape.h); NULL: nothing */
    size_t answered;                   /* panels that have an answer */
    struct str said[VIEW_SAID_MAX];    /* notes that stand on the page already */
    size_t said_count;
};

/*
 * What the panel asks: its query, with what the page is about in place of {} (and its cluster,
 * if the address has one), and the period of the page where it has none. Returns how many
 * values there are.
 */
enum { PANEL_VALUES_MAX = 64 };

size_t panel_values(struct page_view *view, const struct panel *panel,
                    struct request_value values[PANEL_VALUES_MAX]);

/* Intervals of which there are enough for a line, and not too many; NULL: it is too short. */
const char *panel_bucket(struct period period);

/* The last value of that name in the address, or the null string. */
struct str view_value(const struct page_view *view, const char *name);

/* A note or an error as a page has it: see words_note. */
struct str view_note(const struct page_view *view, struct str note);

/* What matches this name in a filter. Lasts as long as the view. */
struct str view_pattern(const struct page_view *view, struct str name);

/*
 * Begins a panel without an answer, whose forms the caller fills in (shape.h): all names that a
 * template asks for are set.
 */
struct model *panel_begin(struct model *page, const struct panel *panel);

/*
 * Asks an operation for values of a query ("by=group&from=7d"); {} is what the page is about.
 */
int view_ask(struct page_view *view, const char *operation, const char *query,
             struct answer *answer, struct error *err) MUST_CHECK;

/* Adds a table that no operation answers with to list "panels". */
void panel_show(struct page_view *view, struct model *model, const struct panel *panel,
                const struct table *table);

/*
 * Asks, and adds the answer to list "panels" of `model`. On failure the panel shows the error,
 * which is also returned.
 */
int panel_add(struct page_view *view, struct model *model, const struct panel *panel,
              struct error *err) MUST_CHECK;

/*
 * The same with values instead of a query. Returns the result of the operation, so that a page
 * can have its status; the panel then says the sentence.
 */
int panel_ask(struct page_view *view, struct model *model, const struct panel *panel,
              const struct request_value *values, size_t count, struct error *err) MUST_CHECK;
