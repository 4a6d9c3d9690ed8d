/* SPDX-License-Identifier: MIT */
#include "serve/pages/shape.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "serve/pages/words.h"

const char *tone_name(enum tone tone)
{
    static const char *const names[TONES] = {
        [TONE_NONE] = "none", [TONE_OK] = "ok",    [TONE_RUN] = "run",
        [TONE_WARN] = "warn", [TONE_BAD] = "bad",  [TONE_CPU] = "1",
        [TONE_GPU] = "3",     [TONE_MEMORY] = "4", [TONE_GREY] = "q",
    };
    return names[tone];
}

enum tone tone_of_state(struct str word)
{
    static const struct {
        const char *word;
        enum tone tone;
    } words[] = {
        {"completed", TONE_OK},   {"running", TONE_RUN},      {"failed", TONE_BAD},
        {"node_fail", TONE_BAD},  {"oom", TONE_BAD},          {"timeout", TONE_WARN},
        {"pending", TONE_GREY},   {"cancelled", TONE_GREY},   {"requeued", TONE_GREY},
        {"suspended", TONE_GREY}, {"down", TONE_BAD},         {"drained", TONE_WARN},
        {"draining", TONE_WARN},  {"maintenance", TONE_WARN}, {"idle", TONE_OK},
        {"mixed", TONE_RUN},      {"allocated", TONE_RUN},
    };

    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (str_eq(word, str_of(words[i].word))) {
            return words[i].tone;
        }
    }
    return TONE_NONE;
}

enum tone tone_of_use(double share, enum tone otherwise)
{
    const double little = 0.2, half = 0.5;
    return share < 0        ? TONE_NONE
           : share < little ? TONE_BAD
           : share < half   ? TONE_WARN
                            : otherwise;
}

struct str view_text(const struct page_view *view, const struct buf *text)
{
    return arena_copy(view->arena, buf_str(text));
}

struct str view_printf(const struct page_view *view, const char *format, ...)
{
    struct buf text;
    va_list args;
    buf_init(&text, LIMIT_OUTPUT);
    va_start(args, format);
    buf_addv(&text, format, args);
    va_end(args);
    const struct str copy = view_text(view, &text);
    buf_release(&text);
    return copy;
}

/* --- cells --- */

static const struct column *column_of(const struct table *table, const char *id, size_t row)
{
    const size_t column = table_find(table, id);
    return column < table->column_count && row < table->row_count &&
                   table->columns[column].present[row]
               ? &table->columns[column]
               : NULL;
}

bool cell_real(const struct table *table, const char *id, size_t row, double *out)
{
    const struct column *column = column_of(table, id, row);
    if (!column || column->type == CELL_TEXT) {
        return false;
    }
    *out = table_real(table, (size_t)(column - table->columns), row);
    return true;
}

double cell_number(const struct table *table, const char *id, size_t row, double otherwise)
{
    double value;
    return cell_real(table, id, row, &value) ? value : otherwise;
}

struct str cell_raw(const struct table *table, const char *id, size_t row)
{
    const struct column *column = column_of(table, id, row);
    return column && column->type == CELL_TEXT ? column->cells[row].text : (struct str){0};
}

struct str cell_words(const struct table *table, const char *id, size_t row)
{
    const struct column *column = column_of(table, id, row);
    if (!column || column->type != CELL_TEXT) {
        return (struct str){0};
    }
    return column->names && column->names[row].ptr ? column->names[row]
                                                   : column->cells[row].text;
}

/* --- forms --- */

/* A part of the whole as SVG has it, without the sign: within 0 and 100. */
static void percent(struct model *model, const char *name, double share)
{
    model_format(model, name, "%.2f", 100 * fmin(1, fmax(0, share)));
}

void shape_meter(struct model *panel, const struct meter *meter)
{
    struct model *row = model_add(panel, "meters");
    const bool known = meter->share >= 0;
    const double middle = 0.15, right = 0.8;
    model_text(row, "label", meter->label);
    model_text(row, "basis", meter->basis);
    model_text(row, "value", meter->value);
    model_text(row, "context", meter->context);
    model_text(row, "url", meter->url);
    model_text(row, "tone", str_of(tone_name(meter->tone)));
    model_flag(row, "known", known);
    percent(row, "share", meter->share);
    model_flag(row, "holds", known && meter->held > 0);
    percent(row, "held", meter->held);
    model_flag(row, "has_mark", meter->mark >= 0);
    percent(row, "mark", meter->mark);
    model_text(row, "marked", meter->marked);
    model_text(row, "anchor",
               meter->mark < middle  ? STR("start")
               : meter->mark < right ? STR("middle")
                                     : STR("end"));
    model_flag(row, "axis", meter->most.len > 0);
    model_text(row, "least", meter->least);
    model_text(row, "half", meter->middle);
    model_text(row, "most", meter->most);
}

void shape_finding(struct model *panel, const char *list, const struct finding *finding)
{
    struct model *row = model_add(panel, list);
    model_text(row, "tone", str_of(tone_name(finding->tone)));
    model_text(row, "what", finding->what);
    model_text(row, "more", finding->more);
    model_text(row, "when", finding->when);
    model_text(row, "url", finding->url);
    model_text(row, "act", finding->act);
    model_text(row, "act_url", finding->act_url);
}

void shape_fact(struct model *panel, const char *name, struct str text, struct str url)
{
    if (text.len > 0) {
        struct model *row = model_add(panel, "facts");
        model_text(row, "label", str_of(name));
        model_text(row, "text", text);
        model_text(row, "url", url);
    }
}

void shape_begin(struct model *panel)
{
    static const char *const lists[] = {"reads", "meters", "findings", "facts", "places",
                                        "gpus",  "queues", "points",   "says"};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        model_list(panel, lists[i]);
    }
    model_flag(panel, "lived", false);
    model_text(panel, "about", (struct str){0});
}

struct model *shape_reading(struct model *panel, const struct reading *reading)
{
    static const char *const unset[] = {"change", "way", "mood"};
    struct model *read = model_add(panel, "reads");
    model_text(read, "label", reading->label);
    model_text(read, "value", reading->value);
    model_text(read, "unit", reading->unit);
    model_text(read, "context", reading->context);
    model_text(read, "url", reading->url);
    model_flag(read, "known", reading->known);
    model_flag(read, "has_share", reading->share >= 0);
    percent(read, "share", reading->share);
    model_flag(read, "has_mark", reading->mark >= 0);
    percent(read, "mark", reading->mark);
    model_markup(read, "spark", reading->spark);
    model_text(read, "tone", str_of(tone_name(reading->tone)));
    for (size_t i = 0; i < COUNT_OF(unset); i++) {
        model_text(read, unset[i], (struct str){0});
    }
    return read;
}

/* --- use against capacity, and what is left of accounts --- */

/* Whether today lies in the days of a target; one without days always holds. */
static bool holds_today(const struct page_view *view, const struct table *targets, size_t row)
{
    const struct civil today = zone_civil(view->service->zone, view->service->now());
    const struct str day =
        view_printf(view, "%04d-%02d-%02d", today.year, today.month, today.day);
    const struct str from = cell_raw(targets, "from", row), to = cell_raw(targets, "to", row);
    return (from.len == 0 || str_compare(from, day) <= 0) &&
           (to.len == 0 || str_compare(day, to) <= 0);
}

/* The share of its capacity that a cluster is to reach, by the targets; below 0: none is set. */
static double target_of(const struct page_view *view, const struct table *targets,
                        const char *measure, struct str cluster)
{
    double share = -1;
    for (size_t row = 0; row < targets->row_count; row++) {
        if (str_eq(cell_raw(targets, "measure", row), str_of(measure)) &&
            str_eq(cell_raw(targets, "cluster", row), cluster) &&
            holds_today(view, targets, row)) {
            const char *amount = arena_text(view->arena, cell_raw(targets, "amount", row));
            share = strtod(amount, NULL);
        }
    }
    return share > 0 && share <= 1 ? share : -1;
}

/*
 * What a cluster has none of has no meter; one whose size nobody said has a meter that says so.
 */
static void shape_use(struct page_view *view, struct model *panel, const struct answer *answer)
{
    static const struct {
        const char *id, *label;
        enum tone tone;
        bool always;
    } uses[] = {{"utilization", "cpus", TONE_CPU, true},
                {"gpu_utilization", "GPUs", TONE_GPU, false}};
    const struct table *table = &answer->table;
    struct answer targets = {0};
    struct error ignored = {0}; /* who may not see targets has no marks */
    (void)!view_ask(view, "target", "action=list", &targets, &ignored);
    for (size_t row = 0; row + table->footer_count < table->row_count; row++) {
        for (size_t i = 0; i < COUNT_OF(uses); i++) {
            const double share = cell_number(table, uses[i].id, row, -1);
            const double target =
                target_of(view, &targets.table, uses[i].id, cell_raw(table, "cluster", row));
            if (share < 0 && !uses[i].always) {
                continue;
            }
            shape_meter(
                panel,
                &(struct meter){.label = cell_words(table, "cluster", row),
                                .basis = str_of(uses[i].label),
                                .value = share >= 0 ? view_printf(view, "%.0f %%", 100 * share)
                                                    : STR("not known"),
                                .context =
                                    share >= 0 ? (struct str){0} : STR("its size is not known"),
                                .share = share,
                                .mark = target,
                                .marked = view_printf(view, "target %.0f %%", 100 * target),
                                .tone = uses[i].tone});
        }
    }
    answer_release(&targets);
}

/* What running jobs may still cost: the hatched part. */
static struct str held_of(const struct page_view *view, double held)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    if (held > 0) {
        words_amount(&text, floor(held));
        buf_addz(&text, " SU held by jobs");
    }
    const struct str copy = view_text(view, &text);
    buf_release(&text);
    return copy;
}

static void shape_balance(struct page_view *view, struct model *panel,
                          const struct answer *answer)
{
    const struct table *table = &answer->table;
    const size_t most = 40; /* the table has all */
    const double millionth = 1e6;
    for (size_t row = 0; row + table->footer_count < table->row_count && row < most; row++) {
        const double granted = cell_number(table, "granted", row, 0) / millionth;
        const double used = cell_number(table, "used", row, 0) / millionth;
        const double held = cell_number(table, "held", row, 0) / millionth;
        const double left = cell_number(table, "free", row, 0) / millionth;
        const struct str account = cell_raw(table, "account", row);
        struct buf free, more, url;
        double out;
        buf_init(&free, LIMIT_ARGUMENT);
        buf_init(&more, LIMIT_ARGUMENT);
        buf_init(&url, LIMIT_ARGUMENT);
        words_amount(&free, left < 0 ? left : left >= 10 ? floor(left) : left);
        buf_addz(&free, " SU free");
        const double ends = cell_number(table, "ends", row, -1);
        const bool early = cell_real(table, "runs_out", row, &out) && (ends < 0 || out < ends);
        if (early) {
            buf_addz(&more, "runs out ");
            words_instant(&more, view->service->zone, (int64_t)out, view->service->now());
        } else if (granted > 0) {
            buf_addf(&more, "%.0f %% used", 100 * used / granted);
        }
        buf_addf(&url, "%s/bank/", view->request->prefix);
        url_encode(&url, account);
        const struct str state = cell_raw(table, "state", row);
        const bool short_of = str_eq(state, STR("low")), over = str_eq(state, STR("over"));
        shape_meter(
            panel,
            &(struct meter){
                .label = account,
                .basis = held_of(view, held),
                .value = view_text(view, &free),
                .context = view_text(view, &more),
                .url = view_text(view, &url),
                .share = granted > 0 ? fmin(1, used / granted) : -1,
                .held = granted > 0 ? fmin(fmax(0, 1 - used / granted), held / granted) : 0,
                .mark = -1,
                .tone = over       ? TONE_BAD
                        : short_of ? TONE_WARN
                                   : TONE_CPU,
            });
        buf_release(&free);
        buf_release(&more);
        buf_release(&url);
    }
}

/* --- which of them --- */

static const struct {
    unsigned show;
    void (*draw)(struct page_view *view, struct model *panel, const struct answer *answer);
} shapes[] = {
    {PANEL_READS, shape_reads},   {PANEL_NODES, shape_nodes},     {PANEL_GPUS, shape_gpus},
    {PANEL_QUEUES, shape_queues}, {PANEL_OUT, shape_out},         {PANEL_FREE, shape_free},
    {PANEL_USE, shape_use},       {PANEL_BALANCE, shape_balance}, {PANEL_GANTT, shape_gantt},
};

bool shape_answer(struct page_view *view, struct model *panel, unsigned show,
                  const struct answer *answer)
{
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        if (show & shapes[i].show) {
            shapes[i].draw(view, panel, answer);
            any = true;
        }
    }
    return any;
}
