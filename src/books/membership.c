/* SPDX-License-Identifier: MIT */
#include "books/membership.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/books_internal.h"

/*
 * Memberships are read as edges (who, in what, when) and sorted by who and when. Since nobody
 * is in two at once, the edges of one name follow each other in time, and so the way up from a
 * metagroup is a walk along the time axis that climbs wherever there is an edge.
 */

static const char *const rank_names[] = {
    [MEMBERSHIP_METAGROUP] = "metagroup",
    [MEMBERSHIP_GROUP] = "group",
    [MEMBERSHIP_ACCOUNT] = "account",
    [MEMBERSHIP_USER] = "user",
};

const char *membership_rank_name(enum membership_rank rank)
{
    return rank_names[rank];
}

struct edge {
    enum membership_rank rank;
    struct str name, metagroup;
    int64_t from, to;
    const struct kind_row *row;
};

struct edges {
    const struct kind *kind;
    struct books_rows rows;
    struct edge *edges; /* by rank, name, from */
    size_t count;
};

static enum membership_rank rank_of(struct str name)
{
    enum membership_rank rank = MEMBERSHIP_USER;
    while (rank > MEMBERSHIP_METAGROUP && !str_eq(name, str_of(rank_names[rank]))) {
        rank--;
    }
    return rank;
}

static int compare_names(enum membership_rank a_rank, struct str a, enum membership_rank b_rank,
                         struct str b)
{
    return a_rank != b_rank ? (a_rank < b_rank) - (a_rank > b_rank) : str_compare(a, b);
}

static int by_name_and_time(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    int names = compare_names(a->rank, a->name, b->rank, b->name);
    return names ? names : (a->from > b->from) - (a->from < b->from);
}

static int read_edges(struct books *books, const struct zone *zone, struct edges *out,
                      struct error *err)
{
    *out = (struct edges){.kind = kind_find(STR("member"))};
    int failed = books_list(books, out->kind, &out->rows, err);
    out->count = out->rows.count;
    out->edges = mem_alloc(out->count + 1, sizeof(*out->edges));
    for (size_t i = 0; i < out->count; i++) {
        const struct kind_row *row = &out->rows.rows[i];
        struct edge *edge = &out->edges[i];
        *edge = (struct edge){
            .rank = rank_of(kind_cell(out->kind, row, "kind")),
            .name = kind_cell(out->kind, row, "name"),
            .metagroup = kind_cell(out->kind, row, "metagroup"),
            .row = row,
        };
        kind_period(out->kind, row, zone, &edge->from, &edge->to);
    }
    qsort(out->edges, out->count, sizeof(*out->edges), by_name_and_time);
    return failed;
}

static void release_edges(struct edges *edges)
{
    free(edges->edges);
    books_rows_release(&edges->rows);
}

/*
 * The first edge of a rank and name that ends after `instant`, or the place where it would be.
 */
static size_t find_edge(const struct edges *edges, enum membership_rank rank, struct str name,
                        int64_t instant)
{
    size_t low = 0, high = edges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct edge *edge = &edges->edges[middle];
        int order = compare_names(edge->rank, edge->name, rank, name);
        if (order < 0 || (order == 0 && edge->to <= instant)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_edge_of(const struct edges *edges, size_t index, enum membership_rank rank,
                       struct str name)
{
    return index < edges->count && edges->edges[index].rank == rank &&
           str_eq(edges->edges[index].name, name);
}

/* --- the way up --------------------------------------------------------------------------- */

/* A stretch of time and the metagroups on the way up, innermost first. */
struct climb {
    const struct edges *edges;
    const struct edge *start;
    struct str path[MEMBERSHIP_DEPTH_MAX];
    size_t depth;
    int64_t from, to;
    struct membership_list *out; /* NULL: only looks whether it can be done */
    struct error *err;
};

static void emit(const struct climb *climb)
{
    struct membership_list *list = climb->out;
    if (!list || climb->start->rank == MEMBERSHIP_METAGROUP) {
        return;
    }
    struct str *levels = arena_alloc(&list->arena, climb->depth * sizeof(*levels));
    for (size_t i = 0; i < climb->depth; i++) {
        levels[i] = arena_copy(&list->arena, climb->path[climb->depth - 1 - i]);
    }
    if ((list->count & (list->count - 1)) == 0) { /* at powers of two there is no room left */
        list->rows =
            mem_resize(list->rows, list->count ? 2 * list->count : 1, sizeof(*list->rows));
    }
    list->rows[list->count++] = (struct membership){
        .rank = climb->start->rank,
        .name = arena_copy(&list->arena, climb->start->name),
        .metagroup = levels[climb->depth - 1],
        .top = levels[0],
        .levels = levels,
        .depth = climb->depth,
        .from = climb->from,
        .to = climb->to,
    };
}

/* "'a' in 'b' in 'a'": the circle that adding `next` to the path would close. */
static int refuse_circle(const struct climb *climb, size_t begin, struct str next)
{
    struct buf path;
    buf_init(&path, ERROR_TEXT_MAX);
    for (size_t i = begin; i < climb->depth; i++) {
        buf_addf(&path, "'%.*s' in ", STR_ARG(climb->path[i]));
    }
    buf_addf(&path, "'%.*s'", STR_ARG(next));
    int failed = error_set(climb->err, ERROR_CONFLICT,
                           "a metagroup would contain itself: %s; remove one of these "
                           "memberships, or end one before the other begins",
                           path.ptr);
    buf_release(&path);
    return failed;
}

static int check_next(const struct climb *climb, struct str next)
{
    for (size_t i = 0; i < climb->depth; i++) {
        if (str_eq(climb->path[i], next)) {
            return refuse_circle(climb, i, next);
        }
    }
    return climb->depth < MEMBERSHIP_DEPTH_MAX
               ? 0
               : error_set(climb->err, ERROR_LIMIT,
                           "metagroups would be nested more than %d deep, at '%.*s'",
                           MEMBERSHIP_DEPTH_MAX, STR_ARG(next));
}

/* From the outermost metagroup reached so far upwards, for the climb's stretch of time. */
static int climb_on(struct climb climb)
{
    const struct str top = climb.path[climb.depth - 1];
    const int64_t end = climb.to;
    int failed = 0;
    for (size_t i = find_edge(climb.edges, MEMBERSHIP_METAGROUP, top, climb.from);
         !failed && climb.from < end && is_edge_of(climb.edges, i, MEMBERSHIP_METAGROUP, top);
         i++) {
        const struct edge *up = &climb.edges->edges[i];
        if (up->from >= end) {
            break;
        }
        if (climb.from < up->from) {
            climb.to = up->from;
            emit(&climb);
            climb.from = up->from;
        }
        struct climb above = climb;
        above.to = up->to < end ? up->to : end;
        failed = check_next(&climb, up->metagroup);
        if (!failed) {
            above.path[above.depth++] = up->metagroup;
            failed = climb_on(above);
        }
        climb.from = above.to;
    }
    if (!failed && climb.from < end) {
        climb.to = end;
        emit(&climb);
    }
    return failed;
}

static int climb_from(const struct edges *edges, const struct edge *start,
                      struct membership_list *out, struct error *err)
{
    struct climb climb = {.edges = edges,
                          .start = start,
                          .from = start->from,
                          .to = start->to,
                          .out = out,
                          .err = err};
    if (start->rank == MEMBERSHIP_METAGROUP) { /* so that the circle is named from its member */
        climb.path[climb.depth++] = start->name;
        int failed = check_next(&climb, start->metagroup);
        if (failed) {
            return failed;
        }
    }
    climb.path[climb.depth++] = start->metagroup;
    return climb_on(climb);
}

/* --- outward ------------------------------------------------------------------------------ */

int books_memberships(struct books *books, const struct zone *zone, struct membership_list *out,
                      struct error *err)
{
    struct edges edges;
    *out = (struct membership_list){0};
    int failed = read_edges(books, zone, &edges, err);
    for (size_t i = 0; !failed && i < edges.count; i++) {
        if (edges.edges[i].rank != MEMBERSHIP_METAGROUP) {
            failed = climb_from(&edges, &edges.edges[i], out, err);
        }
    }
    release_edges(&edges);
    return failed;
}

void membership_list_release(struct membership_list *list)
{
    free(list->rows);
    arena_release(&list->arena);
    *list = (struct membership_list){0};
}

const struct membership *membership_find(const struct membership_list *list,
                                         enum membership_rank rank, struct str name,
                                         int64_t instant)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct membership *row = &list->rows[middle];
        int order = compare_names(row->rank, row->name, rank, name);
        if (order < 0 || (order == 0 && row->to <= instant)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct membership *row = low < list->count ? &list->rows[low] : NULL;
    return row && row->rank == rank && str_eq(row->name, name) && row->from <= instant ? row
                                                                                       : NULL;
}

/* "'chem' (from 2025-01-01 on)" */
static const char *describe(const struct kind *kind, const struct kind_row *row,
                            struct arena *arena)
{
    struct str metagroup = kind_cell(kind, row, "metagroup");
    return arena_printf(arena, "'%.*s' (%s)", STR_ARG(metagroup), kind_when(kind, row, arena));
}

static int refuse_overlap(const struct kind *kind, const struct edge *a, const struct edge *b,
                          struct error *err)
{
    struct arena arena = {0};
    const struct kind_row *older = a->row->id < b->row->id ? a->row : b->row;
    const struct kind_row *newer = a->row->id < b->row->id ? b->row : a->row;
    int failed = error_set(
        err, ERROR_CONFLICT,
        "%s '%.*s' would be in two metagroups at once: in %s, number %lld, and in %s; end one "
        "before the other begins: stint member set %lld --to DATE",
        rank_names[a->rank], STR_ARG(a->name), describe(kind, older, &arena),
        (long long)older->id, describe(kind, newer, &arena), (long long)older->id);
    arena_release(&arena);
    return failed;
}

int membership_check(struct books *books, struct error *err)
{
    struct edges edges;
    int failed = read_edges(books, books->world->kind.zone, &edges, err);
    for (size_t i = 1; !failed && i < edges.count; i++) {
        const struct edge *a = &edges.edges[i - 1], *b = &edges.edges[i];
        if (is_edge_of(&edges, i, a->rank, a->name) && b->from < a->to) {
            failed = refuse_overlap(edges.kind, a, b, err);
        }
    }
    for (size_t i = 0; !failed && i < edges.count; i++) {
        const struct edge *edge = &edges.edges[i];
        if (edge->rank == MEMBERSHIP_METAGROUP) {
            failed = books_check_reference(books, "metagroup", edge->name, err);
            if (failed) {
                error_prepend(err, "a member of '%.*s': ", STR_ARG(edge->metagroup));
            }
            failed = failed ? failed : climb_from(&edges, edge, NULL, err);
        }
    }
    release_edges(&edges);
    return failed;
}
