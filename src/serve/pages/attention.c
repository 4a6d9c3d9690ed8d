/* SPDX-License-Identifier: MIT */

/*
 * What needs attention now, of what the caller may see: schedulers that do not answer, nodes
 * that are out, clusters that are full, accounts that run out, requests that wait for a
 * decision, jobs that hold what they do not use.
 */
#include "serve/pages/shape.h"

#include <string.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "serve/pages/link.h"
#include "serve/pages/pages.h"
#include "serve/pages/reads.h"
#include "serve/pages/words.h"

/* How much of it: what concerns everybody, or all that staff look after. */
enum attention { ATTENTION_NOW, ATTENTION_ALL };

enum { ATTENTION_MAX = 100, PLACES_MAX = 64, HOGS_MAX = 10 };

struct attention_list {
    struct page_view *view;
    struct finding rows[ATTENTION_MAX];
    size_t count;
    size_t clusters; /* whose nodes are known */
};

static void add(struct attention_list *list, const struct finding *finding)
{
    if (list->count < ATTENTION_MAX) {
        list->rows[list->count++] = *finding;
    }
}

static struct str address(const struct page_view *view, const char *path)
{
    return view_printf(view, "%s%s", view->request->prefix, path);
}

static struct str page_of(const struct page_view *view, const char *column, struct str name)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    link_of_value(&url, view->request->prefix, (struct str){0}, column, name);
    const struct str copy = view_text(view, &url);
    buf_release(&url);
    return copy;
}

static struct str amount(const struct page_view *view, double value)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    words_amount(&text, value);
    const struct str copy = view_text(view, &text);
    buf_release(&text);
    return copy;
}

static struct str keep(const struct page_view *view, struct str text)
{
    return arena_copy(view->arena, text);
}

static size_t rows_of(const struct answer *answer)
{
    return answer->table.row_count - answer->table.footer_count;
}

/* --- clusters --- */

struct cluster_now {
    struct str name;
    double nodes, down, out, cpus, cpus_free;
};

static struct cluster_now *cluster_of(struct cluster_now *all, size_t *count, struct str name)
{
    for (size_t i = 0; i < *count; i++) {
        if (str_eq(all[i].name, name)) {
            return &all[i];
        }
    }
    if (*count == PLACES_MAX) {
        return NULL;
    }
    all[*count] = (struct cluster_now){.name = name};
    return &all[(*count)++];
}

static void find_stale(struct attention_list *list, const struct answer *answer)
{
    for (size_t i = 0; i < answer->notes.count; i++) {
        const struct note *note = &answer->notes.rows[i];
        if (note->kind == NOTE_STALE) {
            add(list, &(struct finding){
                          .tone = TONE_BAD,
                          .what = note->about ? view_printf(list->view, "%s does not report",
                                                            note->about)
                                              : STR("Data are old"),
                          .more = view_note(list->view, str_of(note->text)),
                          .url = address(list->view, "/quality"),
                      });
        }
    }
}

static void find_out(struct attention_list *list, const struct cluster_now *cluster)
{
    const double out = cluster->down + cluster->out;
    if (out > 0) {
        add(list,
            &(struct finding){
                .tone = cluster->down > 0 ? TONE_BAD : TONE_WARN,
                .what =
                    view_printf(list->view, "%.0f of %.0f nodes of %.*s %s out of service", out,
                                cluster->nodes, STR_ARG(cluster->name), out > 1 ? "are" : "is"),
                .more = cluster->down > 0 && cluster->out > 0
                            ? view_printf(list->view, "%.0f down, %.0f drained or draining",
                                          cluster->down, cluster->out)
                            : (struct str){0},
                .url = address(list->view, "/live"),
                .act = STR("Which, and why"),
                .act_url = address(list->view, "/live"),
            });
    }
}

static void find_full(struct attention_list *list, const struct cluster_now *cluster,
                      const struct answer *queue)
{
    double waits = 0;
    for (size_t row = 0; row < rows_of(queue); row++) {
        if (str_eq(cell_raw(&queue->table, "cluster", row), cluster->name)) {
            waits += cell_number(&queue->table, "jobs_pending", row, 0);
        }
    }
    if (cluster->cpus > 0 && cluster->cpus_free <= 0 && waits > 0) {
        add(list, &(struct finding){
                      .tone = TONE_WARN,
                      .what = view_printf(list->view, "%.*s is full", STR_ARG(cluster->name)),
                      .more = view_printf(list->view, "%.*s job%s wait%s",
                                          STR_ARG(amount(list->view, waits)),
                                          waits > 1 ? "s" : "", waits > 1 ? "" : "s"),
                      .url = page_of(list->view, "cluster", cluster->name)});
    }
}

static void find_nodes(struct attention_list *list)
{
    struct answer nodes = {0}, queue = {0};
    struct error ignored = {0}; /* who may not ask is not told */
    struct cluster_now clusters[PLACES_MAX];
    size_t count = 0;
    if (view_ask(list->view, "nodes", "by=cluster,class", &nodes, &ignored) == 0) {
        find_stale(list, &nodes);
        for (size_t row = 0; row < rows_of(&nodes); row++) {
            const struct str class = cell_raw(&nodes.table, "class", row);
            struct cluster_now *cluster =
                cluster_of(clusters, &count, cell_raw(&nodes.table, "cluster", row));
            const double number = cell_number(&nodes.table, "nodes", row, 0);
            if (!cluster) {
                break;
            }
            cluster->nodes += number;
            cluster->down += str_eq(class, STR("down")) ? number : 0;
            cluster->out +=
                str_eq(class, STR("drained")) || str_eq(class, STR("draining")) ? number : 0;
            cluster->cpus += cell_number(&nodes.table, "cpus", row, 0);
            cluster->cpus_free += cell_number(&nodes.table, "cpus_free", row, 0);
        }
        (void)!view_ask(list->view, "queue", "by=cluster", &queue, &ignored);
    }
    list->clusters = count;
    for (size_t i = 0; i < count; i++) {
        clusters[i].name = keep(list->view, clusters[i].name);
        find_out(list, &clusters[i]);
        find_full(list, &clusters[i], &queue);
    }
    answer_release(&nodes);
    answer_release(&queue);
}

static void find_gpus(struct attention_list *list)
{
    struct answer models = {0};
    struct error ignored = {0};
    if (view_ask(list->view, "nodes", "by=cluster,gpu_type&gpus=>=1", &models, &ignored) == 0) {
        for (size_t row = 0; row < rows_of(&models); row++) {
            const struct str model = cell_words(&models.table, "gpu_type", row);
            const struct str cluster = cell_words(&models.table, "cluster", row);
            const double all = cell_number(&models.table, "gpus", row, 0);
            double free;
            if (all > 0 && cell_real(&models.table, "gpus_free", row, &free) && free <= 0) {
                add(list, &(struct finding){
                              .tone = TONE_WARN,
                              .what = view_printf(list->view, "No %.*s%sGPU of %.*s is free",
                                                  STR_ARG(model), model.len ? " " : "",
                                                  STR_ARG(cluster)),
                              .more = view_printf(list->view, "of %.0f", all),
                              .url = address(list->view, "/live/gpus"),
                          });
            }
        }
    }
    answer_release(&models);
}

/* --- the bank --- */

/* Whether an account is as its parent is, which is listed too: then the parent is to look at. */
static bool follows_parent(const struct table *table, size_t row)
{
    const struct str parent = cell_raw(table, "parent", row);
    for (size_t i = 0; parent.len > 0 && i < table->row_count; i++) {
        if (str_eq(cell_raw(table, "account", i), parent)) {
            return str_eq(cell_raw(table, "state", i), cell_raw(table, "state", row));
        }
    }
    return false;
}

static void find_account(struct attention_list *list, const struct table *table, size_t row)
{
    struct page_view *view = list->view;
    const struct str account = cell_raw(table, "account", row);
    const struct str state = cell_raw(table, "state", row);
    double out = 0, ends = 0;
    const bool over = str_eq(state, STR("over")), low = str_eq(state, STR("low"));
    const bool early = cell_real(table, "runs_out", row, &out) &&
                       (!cell_real(table, "ends", row, &ends) || out < ends);
    struct buf more, url;
    if ((!over && !low && !early) || follows_parent(table, row)) {
        return;
    }
    buf_init(&more, LIMIT_ARGUMENT);
    buf_init(&url, LIMIT_ARGUMENT);
    if (early && !over) {
        buf_addz(&more, "at the rate of the last 30 days it runs out ");
        words_instant(&more, view->service->zone, (int64_t)out, view->service->now());
    } else if (over) {
        buf_addz(&more, "nothing is left for jobs");
    } else {
        words_amount(&more, cell_number(table, "free", row, 0) / 1e6);
        buf_addz(&more, " SU are free");
    }
    buf_addf(&url, "%s/bank/", view->request->prefix);
    url_encode(&url, account);
    add(list, &(struct finding){.tone = over ? TONE_BAD : TONE_WARN,
                                .what = view_printf(view,
                                                    over  ? "Account %.*s is used up"
                                                    : low ? "Account %.*s is low"
                                                          : "Account %.*s runs out early",
                                                    STR_ARG(account)),
                                .more = view_text(view, &more),
                                .url = view_text(view, &url)});
    buf_release(&more);
    buf_release(&url);
}

static void find_accounts(struct attention_list *list)
{
    struct answer accounts = {0};
    struct error ignored = {0};
    const bool all = caller_may(list->view->service->caller, RIGHT_MANAGED);
    if (view_ask(list->view, all ? "bank" : "balance", all ? "action=balance" : "", &accounts,
                 &ignored) == 0) {
        for (size_t row = 0; row < rows_of(&accounts); row++) {
            find_account(list, &accounts.table, row);
        }
    }
    answer_release(&accounts);
}

static void find_requests(struct attention_list *list)
{
    struct answer requests = {0};
    struct error ignored = {0};
    if (caller_may(list->view->service->caller, RIGHT_MONEY | RIGHT_ALL) &&
        view_ask(list->view, "request", "action=list", &requests, &ignored) == 0) {
        for (size_t row = 0; row < rows_of(&requests); row++) {
            add(list,
                &(struct finding){
                    .tone = TONE_WARN,
                    .what = view_printf(
                        list->view, "%.*s asks for %.*s SU",
                        STR_ARG(cell_words(&requests.table, "account", row)),
                        STR_ARG(amount(list->view,
                                       cell_number(&requests.table, "amount", row, 0) / 1e6))),
                    .more = keep(list->view, cell_words(&requests.table, "why", row)),
                    .act = STR("Decide"),
                    .act_url = address(list->view, "/requests"),
                });
        }
    }
    answer_release(&requests);
}

/* --- what staff look after --- */

/* What doctor calls a problem, and what it only notes. */
static void find_problems(struct attention_list *list)
{
    struct answer checks = {0};
    struct error ignored = {0};
    if (view_ask(list->view, "doctor", "", &checks, &ignored) == 0) {
        for (size_t row = 0; row < rows_of(&checks); row++) {
            const struct str found = cell_raw(&checks.table, "finding", row);
            if (!str_eq(found, STR("ok"))) {
                add(list,
                    &(struct finding){
                        .tone = str_eq(found, STR("note")) ? TONE_GREY : TONE_BAD,
                        .what = keep(list->view, cell_words(&checks.table, "check", row)),
                        .more = view_note(list->view, cell_words(&checks.table, "what", row)),
                        .url = address(list->view, "/quality"),
                    });
            }
        }
    }
    answer_release(&checks);
}

static const struct {
    const char *rule, *says;
} rules[] = {
    {"idle-gpus", "holds GPUs that do nothing"},
    {"unused-gpus", "uses a part of the GPUs they hold"},
    {"low-gpus", "hardly uses their GPUs"},
    {"paused-gpus", "has GPUs that stopped working"},
    {"cpu-hogs", "computes on cpus beside idle GPUs"},
    {"without-gpus", "holds cpus of GPU nodes without a GPU"},
    {"idle-cpus", "holds cpus that do nothing"},
    {"serial", "holds many cpus for work of one"},
    {"idle-nodes", "holds nodes that do nothing"},
    {"unused-memory", "holds memory that is never used"},
    {"dead-weight", "has jobs that hang"},
    {"long-limits", "asks for far too much time"},
    {"short-runs", "runs very many short jobs"},
};

static void find_hogs(struct attention_list *list)
{
    struct answer hogs = {0};
    struct error ignored = {0};
    if (view_ask(list->view, "hogs", "from=7d", &hogs, &ignored) == 0) {
        for (size_t row = 0, said = 0; row < rows_of(&hogs) && said < HOGS_MAX; row++) {
            const struct str rule = cell_raw(&hogs.table, "rule", row);
            const struct str user = cell_raw(&hogs.table, "user", row);
            size_t i = 0;
            while (i < COUNT_OF(rules) && !str_eq(rule, str_of(rules[i].rule))) {
                i++;
            }
            if (i == COUNT_OF(rules) || user.len == 0) {
                continue;
            }
            said++;
            const struct str example = cell_words(&hogs.table, "example", row);
            add(list,
                &(struct finding){
                    .tone = TONE_WARN,
                    .what = view_printf(list->view, "%.*s %s", STR_ARG(user), rules[i].says),
                    .when = view_printf(
                        list->view, "%.*s %.*s lost in 7 days",
                        STR_ARG(amount(list->view, cell_number(&hogs.table, "lost", row, 0))),
                        STR_ARG(cell_words(&hogs.table, "unit", row))),
                    .url = page_of(list->view, "user", user),
                    .act = example.len > 0 ? STR("An example") : (struct str){0},
                    .act_url = example.len > 0 ? page_of(list->view, "example", example)
                                               : (struct str){0},
                });
        }
    }
    answer_release(&hogs);
}

/* --- all of it --- */

static const struct {
    void (*find)(struct attention_list *list);
    enum attention which;
    unsigned rights;
} sources[] = {
    {find_problems, ATTENTION_ALL, RIGHT_ALL}, {find_nodes, ATTENTION_NOW, RIGHT_PUBLIC},
    {find_gpus, ATTENTION_NOW, RIGHT_PUBLIC},  {find_accounts, ATTENTION_NOW, RIGHT_OWN},
    {find_requests, ATTENTION_ALL, RIGHT_ALL}, {find_hogs, ATTENTION_ALL, RIGHT_ALL},
};

/*
 * Adds up to `most` findings to list "findings" of the panel, what is wrong before what may
 * become so. Returns how many there are in all; *clusters says of how many the nodes are known.
 */
static size_t attention_add(struct page_view *view, struct model *panel, enum attention which,
                            size_t most, size_t *clusters)
{
    static const enum tone order[] = {TONE_BAD, TONE_WARN, TONE_GREY};
    struct attention_list list = {.view = view};
    size_t shown = 0;
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        if (sources[i].which <= which && caller_may(view->service->caller, sources[i].rights)) {
            sources[i].find(&list);
        }
    }
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        for (size_t row = 0; row < list.count && shown < most; row++) {
            if (list.rows[row].tone == order[i]) {
                shape_finding(panel, "findings", &list.rows[row]);
                shown++;
            }
        }
    }
    *clusters = list.clusters;
    return list.count;
}

/* --- pages --- */

/* What is said where nothing was found: no more than was looked at. */
static struct str all_clear(const struct page_view *view, size_t clusters)
{
    return clusters > 0
               ? view_printf(view,
                             "Nothing needs attention: %zu cluster%s, no node is out of "
                             "service, and none is full",
                             clusters, clusters == 1 ? "" : "s")
               : STR("No scheduler is asked for its nodes and jobs: whether something is wrong "
                     "now is not known");
}

int page_attention(struct page_view *view, struct error *err)
{
    static const struct panel now = {.title = "Needs attention", .show = PANEL_WIDE};
    static const struct panel week = {
        "The last 7 days",
        "compare",
        "measure=gpu_hours,cpu_hours,jobs,success_rate,wait_median&by=none&from=7d",
        PANEL_READS | PANEL_NOTES | PANEL_WIDE,
        NULL,
        "compare"};
    static const struct panel waste = {"Hours that were lost",     "waste", "from=7d&limit=10",
                                       PANEL_TABLE | PANEL_IF_ANY, NULL,    "answer/waste"};
    static const struct panel failures = {
        "How jobs failed",
        "report",
        "measure=jobs_failed&measure=jobs_timeout&measure=jobs_oom&measure=jobs_node_fail"
        "&measure=success_rate&by=cluster&from=7d",
        PANEL_TABLE | PANEL_IF_ANY,
        NULL,
        "explore"};
    static const struct panel *const rest[] = {&week, &waste, &failures};
    if (!caller_may(view->service->caller, RIGHT_ALL)) {
        return error_set(err, ERROR_DENIED, "what needs attention is for staff");
    }
    struct model *panel = panel_begin(view->model, &now);
    size_t clusters;
    if (attention_add(view, panel, ATTENTION_ALL, ATTENTION_MAX, &clusters) == 0) {
        model_text(panel, "empty", all_clear(view, clusters));
    }
    for (size_t i = 0; i < COUNT_OF(rest); i++) {
        struct error ignored = {0}; /* said in the panel */
        (void)!panel_add(view, view->model, rest[i], &ignored);
    }
    return 0;
}

int page_overview(struct page_view *view, struct error *err)
{
    enum { SHOWN_MAX = 4 };

    const struct caller *caller = view->service->caller;
    static const struct panel status = {.title = "Now"};
    const struct reads_ask month = {
        .measures = "gpu_hours,cpu_hours,jobs,success_rate,wait_median,cpu_efficiency",
        .filter = "",
        .period = "from=30d",
        .whole = caller_may(caller, RIGHT_ALL)};
    struct error ignored = {0}; /* said in the panel */
    (void)err;
    struct model *top = panel_begin(model_add(view->model, "tops"), &status);
    size_t clusters;
    const size_t count = attention_add(view, top, ATTENTION_NOW, SHOWN_MAX, &clusters);
    const bool staff = caller_may(caller, RIGHT_ALL);
    (void)!reads_add(view, model_add(view->model, "leads"), &month, &ignored);
    model_text(view->model, "to_look_at",
               count > 0 ? view_printf(view, "%zu to look at", count) : (struct str){0});
    model_text(view->model, "clear",
               count == 0 && (clusters > 0 || staff) ? all_clear(view, clusters)
                                                     : (struct str){0});
    model_text(view->model, "attention",
               staff && count > 0 ? address(view, "/attention") : (struct str){0});
    model_text(view->model, "scope",
               staff                         ? STR("The whole site")
               : caller->role == ROLE_ANYONE ? STR("What everybody may see")
               : caller_may(caller, RIGHT_MANAGED)
                   ? STR("Your jobs, and those of what you manage")
                   : STR("Your jobs"));
    return 0;
}
