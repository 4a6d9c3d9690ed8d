/* SPDX-License-Identifier: MIT */

/* Nodes, GPUs and queues as they are now. */
#include <string.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "serve/pages/link.h"
#include "serve/pages/shape.h"
#include "serve/pages/words.h"

enum {
    PLACES_MAX = 64,  /* groups of nodes that have a place of their own */
    CELLS_MAX = 3000, /* cells of a page; what is beyond is counted, not drawn */
    CARDS_MAX = 64,   /* of a node */
    OUT_MAX = 100,
};

/* A state of nodes: the look of their cell, and whether they take jobs. */
static const struct node_look {
    const char *class, *look;
    bool usable;
} node_looks[] = {
    {"down", "down", false},        {"drained", "drain", false}, {"draining", "drain", false},
    {"maintenance", "resv", false}, {"reserved", "resv", false}, {"idle", "idle", true},
    {"mixed", "busy", true},        {"allocated", "busy", true},
};

static const struct node_look *look_of(struct str class)
{
    static const struct node_look unknown = {"unknown", "unk", false};
    for (size_t i = 0; i < COUNT_OF(node_looks); i++) {
        if (str_eq(class, str_of(node_looks[i].class))) {
            return &node_looks[i];
        }
    }
    return &unknown;
}

/* Nodes of one cluster that serve the same queues. */
struct place {
    struct str cluster, queues;
    struct model *model;
    double cpus, cpus_free, gpus, gpus_free;
    bool free_known;
    size_t nodes;
};

static struct place *place_of(struct place *places, size_t *count, struct str cluster,
                              struct str queues)
{
    for (size_t i = 0; i < *count; i++) {
        if (str_eq(places[i].cluster, cluster) && str_eq(places[i].queues, queues)) {
            return &places[i];
        }
    }
    if (*count == PLACES_MAX) {
        return &places[PLACES_MAX - 1];
    }
    places[*count] = (struct place){.cluster = cluster, .queues = queues};
    return &places[(*count)++];
}

static struct str page_of(const struct page_view *view, const char *column, struct str cluster,
                          struct str name)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    link_of_value(&url, view->request->prefix, cluster, column, name);
    const struct str copy = view_text(view, &url);
    buf_release(&url);
    return copy;
}

/* "long, short": commas with blanks. */
static struct str with_blanks(const struct page_view *view, struct str list)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    while (list.len > 0) {
        const struct str one = str_cut(&list, ',');
        buf_addf(&text, "%s%.*s", text.len ? ", " : "", STR_ARG(one));
    }
    const struct str copy = view_text(view, &text);
    buf_release(&text);
    return copy;
}

/* What a cell says when the pointer is on it. */
static void cell_title(const struct page_view *view, struct model *cell,
                       const struct table *table, size_t row)
{
    struct buf text;
    double used, whole, cards = 0, lasts = 0;
    buf_init(&text, LIMIT_ARGUMENT);
    buf_addf(&text, "%.*s: %.*s", STR_ARG(cell_words(table, "node", row)),
             STR_ARG(cell_words(table, "class", row)));
    if (cell_real(table, "for", row, &lasts) && lasts >= (double)(60 * SECOND_US)) {
        buf_addz(&text, " for ");
        words_span(&text, (int64_t)lasts);
    }
    if (cell_real(table, "cpus", row, &whole) && cell_real(table, "cpus_used", row, &used)) {
        buf_addf(&text, ", %.0f of %.0f cpus in use", used, whole);
    }
    if (cell_real(table, "gpus", row, &cards) && cards > 0 &&
        cell_real(table, "gpus_used", row, &used)) {
        buf_addf(&text, ", %.0f of %.0f GPUs in use", used, cards);
    }
    const struct str reason = cell_words(table, "reason", row);
    if (reason.len > 0) {
        buf_addf(&text, "; %.*s", STR_ARG(reason));
    }
    model_text(cell, "title", buf_str(&text));
    buf_release(&text);
    model_text(
        cell, "url",
        page_of(view, "node", cell_raw(table, "cluster", row), cell_raw(table, "node", row)));
    model_text(cell, "node", cell_words(table, "node", row));
}

/* The share that is busy is drawn only of a node that works: of one that is out, its state. */
static void add_node(const struct page_view *view, struct model *place,
                     const struct table *table, size_t row)
{
    const struct node_look *look = look_of(cell_raw(table, "class", row));
    struct model *cell = model_add(place, "nodes");
    double used, whole;
    const bool known = cell_real(table, "cpus", row, &whole) && whole > 0 &&
                       cell_real(table, "cpus_used", row, &used);
    const bool partly = known && str_eq(str_of(look->look), STR("busy"));
    const double share = partly ? used / whole < 1 ? used / whole : 1 : 0;
    cell_title(view, cell, table, row);
    model_text(cell, "look", str_of(look->look));
    model_flag(cell, "filled", share > 0);
    model_format(cell, "top", "%.1f", 100 * (1 - share));
    model_format(cell, "fill", "%.1f", 100 * share);
    model_text(cell, "sign",
               str_eq(str_of(look->look), STR("down"))  ? STR("×")
               : str_eq(str_of(look->look), STR("unk")) ? STR("?")
                                                        : (struct str){0});
}

static void count_in(struct place *place, const struct table *table, size_t row)
{
    double free;
    place->nodes++;
    place->cpus += cell_number(table, "cpus", row, 0);
    place->gpus += cell_number(table, "gpus", row, 0);
    place->gpus_free += cell_number(table, "gpus_free", row, 0);
    if (cell_real(table, "cpus_free", row, &free)) {
        place->cpus_free += free;
        place->free_known = true;
    }
}

static void say_place(const struct page_view *view, const struct place *place)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    words_amount(&text, place->cpus);
    buf_addz(&text, " cpus");
    model_text(place->model, "size", view_text(view, &text));
    buf_clear(&text);
    if (place->free_known) {
        words_amount(&text, place->cpus_free);
        buf_addz(&text, " free");
    }
    if (place->gpus > 0) {
        buf_addz(&text, text.len ? ", " : "");
        words_amount(&text, place->gpus_free);
        buf_addz(&text, " of ");
        words_amount(&text, place->gpus);
        buf_addz(&text, " GPUs free");
    }
    model_text(place->model, "free", view_text(view, &text));
    buf_release(&text);
}

static size_t rows_of(const struct answer *answer)
{
    return answer->table.row_count - answer->table.footer_count;
}

/* What is beyond the number of cells that a page can show is said. */
static void say_rest(struct model *panel, size_t rows)
{
    if (rows > CELLS_MAX) {
        model_format(panel, "more", "The first %d of %zu nodes; the list of nodes has all.",
                     (int)CELLS_MAX, rows);
    }
}

void shape_nodes(struct page_view *view, struct model *panel, const struct answer *answer)
{
    const struct table *table = &answer->table;
    struct place places[PLACES_MAX];
    size_t count = 0, rows = rows_of(answer);
    for (size_t row = 0; row < rows && row < CELLS_MAX; row++) {
        struct place *place = place_of(places, &count, cell_raw(table, "cluster", row),
                                       cell_raw(table, "partitions", row));
        if (!place->model) {
            place->model = model_add(panel, "places");
            model_list(place->model, "nodes");
            model_text(place->model, "cluster", place->cluster);
            model_text(place->model, "cluster_url",
                       page_of(view, "cluster", place->cluster, place->cluster));
            model_text(place->model, "queues", with_blanks(view, place->queues));
        }
        add_node(view, place->model, table, row);
        count_in(place, table, row);
    }
    for (size_t i = 0; i < count; i++) {
        say_place(view, &places[i]);
    }
    say_rest(panel, rows);
}

/* --- GPUs --- */

/*
 * Cards that are held come first, then those that a job could have; the rest is of a node that
 * takes none.
 */
static void add_cards(struct model *node, const struct table *table, size_t row)
{
    const struct node_look *look = look_of(cell_raw(table, "class", row));
    const double whole = cell_number(table, "gpus", row, 0);
    const double used = cell_number(table, "gpus_used", row, -1);
    for (int i = 0; i < (int)whole && i < CARDS_MAX; i++) {
        struct model *card = model_add(node, "cards");
        model_text(card, "look",
                   i < (int)used                             ? STR("held")
                   : str_eq(str_of(look->look), STR("down")) ? STR("x")
                   : !look->usable && used >= 0              ? STR("d")
                   : used < 0                                ? STR("u")
                                                             : STR("f"));
        model_text(card, "sign",
                   str_eq(str_of(look->look), STR("down")) && i >= (int)used ? STR("×")
                                                                             : (struct str){0});
    }
}

void shape_gpus(struct page_view *view, struct model *panel, const struct answer *answer)
{
    const struct table *table = &answer->table;
    struct place places[PLACES_MAX];
    size_t count = 0, rows = rows_of(answer);
    for (size_t row = 0; row < rows && row < CELLS_MAX; row++) {
        if (cell_number(table, "gpus", row, 0) <= 0) {
            continue;
        }
        struct place *place = place_of(places, &count, cell_raw(table, "cluster", row),
                                       cell_words(table, "gpu_type", row));
        if (!place->model) {
            place->model = model_add(panel, "gpus");
            model_list(place->model, "nodes");
            model_text(place->model, "model",
                       place->queues.len ? place->queues : STR("model not recorded"));
            model_text(place->model, "cluster", place->cluster);
        }
        struct model *node = model_add(place->model, "nodes");
        cell_title(view, node, table, row);
        model_list(node, "cards");
        add_cards(node, table, row);
        count_in(place, table, row);
    }
    for (size_t i = 0; i < count; i++) {
        model_text(places[i].model, "free",
                   view_printf(view, "%.0f of %.0f free", places[i].gpus_free, places[i].gpus));
    }
    say_rest(panel, rows);
}

/* --- what is free --- */

static void add_free(const struct page_view *view, struct model *panel, struct str label,
                     double free, double whole, enum tone tone, struct str url)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    words_amount(&text, free);
    const struct str value = view_text(view, &text);
    buf_clear(&text);
    buf_addz(&text, "of ");
    words_amount(&text, whole);
    shape_reading(panel, &(struct reading){.label = label,
                                           .value = value,
                                           .unit = view_text(view, &text),
                                           .url = url,
                                           .known = true,
                                           .share = whole > 0 ? 1 - free / whole : -1,
                                           .mark = -1,
                                           .tone = tone});
    buf_release(&text);
}

void shape_free(struct page_view *view, struct model *panel, const struct answer *answer)
{
    const struct table *table = &answer->table;
    struct place clusters[PLACES_MAX], models[PLACES_MAX];
    size_t cluster_count = 0, model_count = 0;
    for (size_t row = 0; row < rows_of(answer); row++) {
        const struct str cluster = cell_raw(table, "cluster", row);
        count_in(place_of(clusters, &cluster_count, cluster, (struct str){0}), table, row);
        if (cell_number(table, "gpus", row, 0) > 0) {
            count_in(
                place_of(models, &model_count, cluster, cell_words(table, "gpu_type", row)),
                table, row);
        }
    }
    for (size_t i = 0; i < cluster_count; i++) {
        if (clusters[i].free_known) {
            add_free(view, panel,
                     view_printf(view, "cpus free on %.*s", STR_ARG(clusters[i].cluster)),
                     clusters[i].cpus_free, clusters[i].cpus, TONE_CPU,
                     page_of(view, "cluster", clusters[i].cluster, clusters[i].cluster));
        }
    }
    for (size_t i = 0; i < model_count; i++) {
        const struct str name = models[i].queues.len ? models[i].queues : STR("GPUs");
        add_free(
            view, panel,
            view_printf(view, "%.*s free on %.*s", STR_ARG(name), STR_ARG(models[i].cluster)),
            models[i].gpus_free, models[i].gpus, TONE_GPU,
            page_of(view, "gpu_type", models[i].cluster, models[i].queues));
    }
}

/* --- nodes that are out --- */

static void add_out(const struct page_view *view, struct model *panel,
                    const struct table *table, size_t row)
{
    struct buf more, when;
    double lasts;
    const struct str class = cell_raw(table, "class", row);
    const struct str reason = cell_words(table, "reason", row);
    buf_init(&more, LIMIT_ARGUMENT);
    buf_init(&when, LIMIT_ARGUMENT);
    buf_add(&more, reason.len > 0 ? reason : STR("no reason is recorded"));
    buf_addf(&when, "%.*s", STR_ARG(class));
    if (cell_real(table, "for", row, &lasts)) {
        buf_addc(&when, ' ');
        words_span(&when, (int64_t)lasts);
    }
    const double cpus = cell_number(table, "cpus", row, 0);
    const double gpus = cell_number(table, "gpus", row, 0);
    buf_addf(&when, " · %.0f cpus", cpus);
    if (gpus > 0) {
        buf_addf(&when, ", %.0f GPU%s", gpus, gpus > 1 ? "s" : "");
    }
    shape_finding(
        panel, "findings",
        &(struct finding){.tone = tone_of_state(class),
                          .what = cell_words(table, "node", row),
                          .more = view_text(view, &more),
                          .when = view_text(view, &when),
                          .url = page_of(view, "node", cell_raw(table, "cluster", row),
                                         cell_raw(table, "node", row))});
    buf_release(&more);
    buf_release(&when);
}

/* The worst first: what is down, what takes no more jobs, what will not soon. */
void shape_out(struct page_view *view, struct model *panel, const struct answer *answer)
{
    static const char *const order[] = {"down", "drained", "draining"};
    const struct table *table = &answer->table;
    size_t shown = 0;
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        for (size_t row = 0; row < rows_of(answer) && shown < OUT_MAX; row++) {
            if (str_eq(cell_raw(table, "class", row), str_of(order[i]))) {
                add_out(view, panel, table, row);
                shown++;
            }
        }
    }
    if (shown < rows_of(answer)) {
        model_format(panel, "more", "%zu more are in the list of nodes.",
                     rows_of(answer) - shown);
    }
}

/* --- queues --- */

/* A number of the row of another answer that is of the same queue; `otherwise`: it has none. */
static double of_queue(const struct answer *answer, struct str cluster, struct str queue,
                       const char *id, double otherwise)
{
    for (size_t row = 0; row < rows_of(answer); row++) {
        if (str_eq(cell_raw(&answer->table, "cluster", row), cluster) &&
            str_eq(cell_raw(&answer->table, "partition", row), queue)) {
            return cell_number(&answer->table, id, row, otherwise);
        }
    }
    return otherwise;
}

/* "half under 4 min, 9 in 10 under 5 h": of those that started of late. */
static struct str waits_of(const struct page_view *view, const struct answer *waits,
                           struct str cluster, struct str queue)
{
    struct buf text;
    const double half = of_queue(waits, cluster, queue, "wait_median", -1);
    const double most = of_queue(waits, cluster, queue, "wait_p90", -1);
    buf_init(&text, LIMIT_ARGUMENT);
    if (half >= 0 && most >= 0) {
        buf_addz(&text, "half waited under ");
        words_span(&text, (int64_t)half + SECOND_US);
        buf_addz(&text, ", 9 in 10 under ");
        words_span(&text, (int64_t)most + SECOND_US);
    }
    const struct str copy = view_text(view, &text);
    buf_release(&text);
    return copy;
}

static void add_queue(const struct page_view *view, struct model *panel,
                      const struct table *table, size_t row, const struct answer *sizes,
                      const struct answer *waits)
{
    const struct str cluster = cell_raw(table, "cluster", row);
    const struct str queue = cell_raw(table, "partition", row);
    const double runs = cell_number(table, "cpus_running", row, 0);
    const double wait = cell_number(table, "cpus_pending", row, 0);
    const double jobs = cell_number(table, "jobs_pending", row, 0);
    const double size = of_queue(sizes, cluster, queue, "cpus", 0);
    const double whole = size > 0 ? size : runs + wait;
    struct model *model = model_add(panel, "queues");
    model_text(model, "name", cell_words(table, "partition", row));
    model_text(model, "cluster", cell_words(table, "cluster", row));
    model_text(model, "url", page_of(view, "partition", cluster, queue));
    const double scale =
        50; /* per cent of the bar that its size takes; what waits has as much */
    const double full = whole > 0 ? runs / whole : 0, more = whole > 0 ? wait / whole : 0;
    model_format(model, "running", "%.2f", scale * (full < 1 ? full : 1));
    model_format(model, "from", "%.2f", scale);
    model_format(model, "waiting", "%.2f", scale * (more < 1 ? more : 1));
    model_flag(model, "sized", size > 0);
    model_text(model, "says",
               jobs > 0 ? view_printf(view, "%.0f job%s wait%s", jobs, jobs > 1 ? "s" : "",
                                      jobs > 1 ? "" : "s")
                        : STR("nothing waits"));
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    if (jobs > 0) {
        buf_addz(&text, "for ");
        words_amount(&text, wait);
        buf_addf(&text, " cpu%s", wait > 1 ? "s" : "");
        const double gpus = cell_number(table, "gpus_pending", row, 0);
        if (gpus > 0) {
            buf_addf(&text, ", %.0f GPU%s", gpus, gpus > 1 ? "s" : "");
        }
    }
    model_text(model, "wants", view_text(view, &text));
    model_text(model, "waits", waits_of(view, waits, cluster, queue));
    buf_release(&text);
}

void shape_queues(struct page_view *view, struct model *panel, const struct answer *answer)
{
    struct answer sizes = {0}, waits = {0};
    struct error ignored = {0}; /* what cannot be asked is not shown */
    (void)!view_ask(view, "nodes", "by=cluster,partition", &sizes, &ignored);
    (void)!view_ask(view, "report",
                    "measure=wait_median&measure=wait_p90&by=cluster,partition&from=7d", &waits,
                    &ignored);
    for (size_t row = 0; row < rows_of(answer); row++) {
        add_queue(view, panel, &answer->table, row, &sizes, &waits);
    }
    answer_release(&sizes);
    answer_release(&waits);
}
