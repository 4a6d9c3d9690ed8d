/* SPDX-License-Identifier: MIT */

/*
 * One job: how it went and what to change first, then what it asked for, was given and used,
 * when it ran, what it did over time, what it cost, and others like it. A job of several tasks,
 * or of several clusters, is a list of them.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "serve/pages/job_parts.h"
#include "serve/pages/link.h"
#include "serve/pages/pages.h"
#include "serve/pages/run_timelines.h"
#include "serve/pages/shape.h"
#include "serve/pages/words.h"

enum { JOB_VALUES_MAX = 4, SIMILAR_MAX = 8 };

/* --- asked, given, used --- */

static const struct resource {
    const char *label, *one;
    const char *asked, *given, *share, *basis, *sampled;
    enum tone tone;
    bool judged; /* little use of it is worth a colour */
    bool counted;
} resources[] = {
    {"GPUs", "GPUs at work", "req_gpus", "gpus", "gpu_efficiency", "gpu_basis", "gpu_sampled",
     TONE_GPU, true, true},
    {"CPUs", "cpus at work", "req_cpus", "cpus", "cpu_efficiency", "cpu_basis", "cpu_sampled",
     TONE_CPU, true, true},
    {"Memory", "at most", "req_mem", "mem", "mem_efficiency", "mem_basis", "mem_sampled",
     TONE_MEMORY, false, false},
};

static struct str amount_of(const struct job_page *job, const struct resource *r, double amount)
{
    return r->counted ? job_in_words(job, words_amount, amount) : job_bytes(job, amount);
}

/* By whom it is known, and of how much of the run. */
static struct str basis_of(const struct job_page *job, const struct resource *r)
{
    const struct str basis = job_word(job, r->basis);
    const double sampled = job_number_of(job, r->sampled, -1), whole = 0.995;
    if (basis.len == 0) {
        return (struct str){0};
    }
    return sampled < 0 || sampled >= whole ? basis
                                           : view_printf(job->view, "%.*s, %.0f %% of the run",
                                                         STR_ARG(basis), 100 * sampled);
}

/* What it was given; where that is not known, what it asked for. */
static void add_resource(const struct job_page *job, struct model *panel,
                         const struct resource *r)
{
    const double asked = job_number_of(job, r->asked, -1);
    const double whole = job_number_of(job, r->given, asked),
                 share = job_number_of(job, r->share, -1);
    const bool given = job_number_of(job, r->given, -1) > 0;
    const double full = 0.95;
    if (whole <= 0) {
        return;
    }
    const struct str size = amount_of(job, r, whole);
    struct meter meter = {
        .label = str_of(r->label),
        .basis = basis_of(job, r),
        .share = share,
        .mark = -1,
        .tone = r->judged ? tone_of_use(share, r->tone) : r->tone,
        .least = STR("0"),
        .middle = amount_of(job, r, whole / 2),
        .most = view_printf(job->view, "%.*s %s", STR_ARG(size), given ? "given" : "asked")};
    if (!r->judged && share >= full) {
        meter.tone = TONE_WARN;
    }
    if (given && asked > 0 && asked < whole) {
        meter.mark = asked / whole;
        meter.marked = view_printf(job->view, "%.*s asked", STR_ARG(amount_of(job, r, asked)));
    }
    meter.value = share >= 0
                      ? view_printf(job->view, "%.*s of %.*s",
                                    STR_ARG(amount_of(job, r, share * whole)), STR_ARG(size))
                      : size;
    meter.context = share >= 0 ? view_printf(job->view, "%s, %.0f %%", r->one, 100 * share)
                               : STR("use not measured");
    shape_meter(panel, &meter);
}

static void add_time(const struct job_page *job, struct model *panel)
{
    const double limit = job_number_of(job, "time_limit", -1),
                 wall = job_number_of(job, "wall", -1);
    if (limit <= 0 || wall < 0) {
        return;
    }
    shape_meter(panel, &(struct meter){.label = STR("Time"),
                                       .basis = STR("scheduler"),
                                       .value = job_span(job, wall),
                                       .context = view_printf(job->view, "%.0f %% of the limit",
                                                              100 * wall / limit),
                                       .share = wall / limit,
                                       .mark = -1,
                                       .tone = TONE_GREY,
                                       .least = STR("0"),
                                       .middle = job_span(job, limit / 2),
                                       .most = view_printf(job->view, "%.*s asked",
                                                           STR_ARG(job_span(job, limit)))});
}

static void add_meters(const struct job_page *job, const struct answer *answer)
{
    static const struct panel given = {.title = "Asked for, given, used"};
    static const struct panel asked = {.title = "Asked for"};
    const bool started = job_number_of(job, "start", -1) >= 0;
    struct model *panel = panel_begin(job->main, started ? &given : &asked);
    if (!started) {
        for (size_t i = 0; i < COUNT_OF(resources); i++) {
            const double amount = job_number_of(job, resources[i].asked, 0);
            if (amount > 0) {
                shape_fact(panel, resources[i].label, amount_of(job, &resources[i], amount),
                           (struct str){0});
            }
        }
        const double limit = job_number_of(job, "time_limit", 0),
                     nodes = job_number_of(job, "req_nodes", 0);
        shape_fact(panel, "Nodes",
                   nodes > 0 ? job_in_words(job, words_amount, nodes) : (struct str){0},
                   (struct str){0});
        shape_fact(panel, "Time", limit > 0 ? job_span(job, limit) : (struct str){0},
                   (struct str){0});
        return;
    }
    model_text(panel, "about", STR("the full width is what it was given"));
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        add_resource(job, panel, &resources[i]);
    }
    add_time(job, panel);
    for (size_t i = 0; i < answer->notes.count; i++) {
        const struct note *note = &answer->notes.rows[i];
        if (note->kind != NOTE_LAYOUT && note->kind != NOTE_RESULT) {
            model_text(model_add(panel, "notes"), "text",
                       view_note(job->view, str_of(note->text)));
        }
    }
}

/* --- its life --- */

static void add_point(const struct job_page *job, struct model *panel, const char *label,
                      double instant)
{
    if (instant >= 0) {
        struct model *point = model_add(panel, "points");
        model_text(point, "label", str_of(label));
        model_text(point, "text", job_moment(job, instant));
        model_text(point, "exact", job_exact(job, instant));
    }
}

/* What it waited for and who waited longer, in the sentences of the list about it. */
static void add_sentences(const struct job_page *job, struct model *panel,
                          const char *const *labels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t row = 0; row < job->said->row_count; row++) {
            if (str_eq(job->said->columns[0].cells[row].text, str_of(labels[i]))) {
                shape_fact(panel, labels[i],
                           view_note(job->view, job->said->columns[1].cells[row].text),
                           (struct str){0});
            }
        }
    }
}

static void add_life(const struct job_page *job)
{
    static const struct panel life = {.title = "Its life"};
    static const char *const sentences[] = {"Eligible", "Waited",  "Expected",
                                            "Others",   "Earlier", "Component"};
    const double now = (double)job->view->service->now();
    const double submit = job_number_of(job, "submit", -1),
                 start = job_number_of(job, "start", -1);
    const double end = job_number_of(job, "end", -1),
                 limit = job_number_of(job, "time_limit", 0);
    const bool runs = job_is_class(job, "running") || job_is_class(job, "suspended");
    const bool waits = job_is_class(job, "pending");
    struct model *panel = panel_begin(job->side, &life);
    const double begun = start >= 0 ? start : end >= 0 ? end : now;
    const double over = start < 0 ? begun : end >= 0 ? end : runs ? now : start;
    const double last = runs && limit > 0 && start + limit > over ? start + limit : over;
    if (submit >= 0 && last > submit && (end >= 0 || runs || waits)) {
        const double whole = last - submit;
        model_flag(panel, "lived", true);
        model_format(panel, "waited", "%.2f", 100 * (begun - submit) / whole);
        model_format(panel, "ran", "%.2f", 100 * (over - begun) / whole);
        model_format(panel, "until", "%.2f", 100 * (over - submit) / whole);
        model_format(panel, "left", "%.2f", 100 * (last - over) / whole);
        struct buf text;
        buf_init(&text, LIMIT_ARGUMENT);
        buf_addz(&text, waits ? "waits since " : "waited ");
        words_span(&text, (int64_t)(begun - submit));
        if (start >= 0) {
            buf_addz(&text, runs ? ", runs since " : ", ran ");
            words_span(&text, (int64_t)(over - begun));
        }
        model_text(panel, "life_says", buf_str(&text));
        shape_fact(panel, start >= 0 || !waits ? "Waited" : "Waits",
                   job_span(job, begun - submit), (struct str){0});
        if (start >= 0) {
            shape_fact(panel, runs ? "Runs" : "Ran",
                       job_span(job, job_number_of(job, "wall", over - begun)),
                       (struct str){0});
        }
        buf_release(&text);
    }
    add_point(job, panel, "submitted", submit);
    add_point(job, panel, "started", start);
    add_point(job, panel, runs && limit > 0 ? "limit" : "ended",
              runs && limit > 0 ? start + limit : end);
    model_flag(panel, "lived", submit >= 0);
    if (submit >= 0 && !(last > submit && (end >= 0 || runs || waits))) {
        model_text(panel, "life_says", STR("how long it ran is not recorded"));
        model_text(panel, "waited", STR("0"));
        model_text(panel, "ran", STR("0"));
        model_text(panel, "until", STR("0"));
        model_text(panel, "left", STR("0"));
    }
    add_sentences(job, panel, sentences, COUNT_OF(sentences));
}

/* --- why it waits, while it waits --- */

static void add_queue(const struct job_page *job)
{
    static const struct panel waiting = {.title = "Its queue now",
                                         .operation = "queue",
                                         .show = PANEL_QUEUES | PANEL_NOW | PANEL_IF_ANY};
    static const struct panel soonest = {.title = "Where a job of this shape starts soonest",
                                         .operation = "soonest",
                                         .show = PANEL_TABLE | PANEL_IF_ANY | PANEL_NOTES};
    struct request_value values[5];
    struct error ignored = {0}; /* said in the panel */
    size_t count = 0;
    values[count++] = (struct request_value){"by", STR("cluster,partition")};
    values[count++] = (struct request_value){
        "cluster", view_pattern(job->view, cell_raw(job->runs, "cluster", job->row))};
    if (job_word(job, "partition").len > 0) {
        /* one that waits for several is shown in each */
        values[count++] = (struct request_value){"partition", job_word(job, "partition")};
    }
    (void)!panel_ask(job->view, job->main, &waiting, values, count, &ignored);
    count = 0;
    values[count++] = (struct request_value){
        "cpus", view_printf(job->view, "%.0f", fmax(1, job_number_of(job, "req_cpus", 1)))};
    values[count++] = (struct request_value){
        "gpus", view_printf(job->view, "%.0f", job_number_of(job, "req_gpus", 0))};
    if (job_number_of(job, "time_limit", 0) > 0) {
        values[count++] = (struct request_value){
            "time",
            view_printf(job->view, "%.0fs", job_number_of(job, "time_limit", 0) / SECOND_US)};
    }
    (void)!panel_ask(job->view, job->main, &soonest, values, count, &ignored);
}

/* --- what it cost, what is alike, what else is known --- */

/* At the rates of today; nothing where no rate is set. And what was charged. */
static void add_cost(const struct job_page *job)
{
    static const struct panel cost = {.title = "What it cost"};
    static const char *const sentences[] = {"Charged", "Energy", "Carbon"};
    struct answer answer = {0};
    struct error ignored = {0};
    struct model *panel = NULL;
    const double start = job_number_of(job, "start", -1),
                 energy = job_number_of(job, "energy", -1);
    if (start < 0) {
        return;
    }
    const struct request_value values[] = {
        {"measure", STR("su")},
        {"job", cell_raw(job->runs, "run_id", job->row)},
        {"from", job_exact(job, start)},
        {"to", job_exact(job, job_number_of(job, "end", (double)job->view->service->now()) +
                                  SECOND_US)},
    };
    const struct request request = {.operation = operation_find(STR("report")),
                                    .values = values,
                                    .count = COUNT_OF(values)};
    double su = 0;
    if (service_call(job->view->service, &request, &answer, &ignored) == 0 &&
        cell_real(&answer.table, "su", 0, &su) && su > 0) {
        panel = panel_begin(job->side, &cost);
        model_text(panel, "about", STR("by the rates of today"));
        shape_fact(panel, "Price",
                   view_printf(job->view, "%.*s SU",
                               STR_ARG(job_in_words(job, words_amount, su / 1e6))),
                   (struct str){0});
    }
    answer_release(&answer);
    if (!panel && (energy >= 0 || job_line_of(job, "Energy").len > 0 ||
                   job_line_of(job, "Charged").len > 0)) {
        panel = panel_begin(job->side, &cost);
    }
    if (panel) {
        add_sentences(job, panel, sentences, COUNT_OF(sentences));
    }
}

/* Runs of the same name by the same user, without this one. */
static void add_similar(const struct job_page *job)
{
    static const struct panel similar = {.title = "Its other runs",
                                         .operation = "jobs",
                                         .show = PANEL_TABLE | PANEL_IF_ANY,
                                         .opens = "jobs"};
    const struct str user = cell_raw(job->runs, "user", job->row);
    const struct str name = cell_raw(job->runs, "name", job->row);
    const struct str run = cell_raw(job->runs, "run_id", job->row);
    struct error ignored = {0};
    if (user.len == 0 || name.len == 0) {
        return;
    }
    const bool cards = job_number_of(job, "gpus", 0) > 0;
    const struct request_value values[] = {
        {"fields", cards ? STR("id,class,gpu_efficiency,wall,run_id")
                         : STR("id,class,cpu_efficiency,wall,run_id")},
        /* those that are over: there is something to learn from them */
        {"class", STR("completed,failed,timeout,oom,cancelled,node_fail")},
        {"user", view_pattern(job->view, user)},
        {"name", view_pattern(job->view, name)},
        {"run_id", view_printf(job->view, "!%.*s", STR_ARG(view_pattern(job->view, run)))},
        {"sort", STR("start")},
        {"reverse", STR("")},
        {"limit", view_printf(job->view, "%d", (int)SIMILAR_MAX)},
        {"from", STR("90d")},
    };
    (void)!panel_ask(job->view, job->side, &similar, values, COUNT_OF(values), &ignored);
}

static void add_details(const struct job_page *job)
{
    static const struct panel details = {.title = "Details"};

    static const struct {
        const char *label, *id;
        bool linked;
    } fields[] = {
        {"Nodes", "nodes", false},
        {"Quality of service", "qos", true},
        {"Reservation", "reservation", true},
        {"Environment", "parallel_env", false},
        {"Command", "command", false},
        {"Work folder", "work_dir", false},
        {"Submitted from", "submit_host", false},
        {"Said by the scheduler", "state", false},
        {"Reason", "reason", false},
    };

    static const char *const sentences[] = {"GPU", "Samples", "Limited by", "Processes"};
    struct model *panel = panel_begin(job->side, &details);
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        shape_fact(panel, fields[i].label, job_word(job, fields[i].id),
                   fields[i].linked ? job_link(job, fields[i].id) : (struct str){0});
    }
    add_sentences(job, panel, sentences, COUNT_OF(sentences));
}

/* Asks for the advice about its last run; what waits or has several tasks has none. */
static void ask_advice(struct page_view *view, const struct request_value *values, size_t count,
                       struct answer *answer)
{
    struct request_value asked[JOB_VALUES_MAX + 1];
    struct error ignored = {0};
    memcpy(asked, values, count * sizeof(*values));
    asked[count++] = (struct request_value){"advice", STR("")};
    const struct request request = {
        .operation = operation_find(STR("job")), .values = asked, .count = count};
    (void)!service_call(view->service, &request, answer, &ignored);
}

/* A page of one run, in two columns. */
static void compose(struct page_view *view, const struct answer *answer,
                    const struct request_value *values, size_t count)
{
    struct answer advice = {0};
    struct job_page job = {.view = view,
                           .runs = &answer->table,
                           .said = &answer->shown,
                           .row = answer->table.row_count - 1,
                           .main = model_add(view->model, "mains"),
                           .side = model_add(view->model, "sides")};
    model_list(job.main, "panels");
    model_list(job.side, "panels");
    ask_advice(view, values, count, &advice);
    job_head(&job);
    job_verdict(&job, &advice.table);
    add_meters(&job, answer);
    if (job_is_class(&job, "pending")) {
        add_queue(&job);
    } else {
        timelines_of_run(view, job.main, &answer->table);
    }
    add_life(&job);
    add_cost(&job);
    add_similar(&job);
    add_details(&job);
    answer_release(&advice);
}

/* Of several runs, what they have in common; and all fields of each. */
static int add_everything(struct page_view *view, const struct request_value *values,
                          size_t count, bool composed, struct error *err)
{
    static const struct panel screen = {
        "At a glance", "job", "", PANEL_FIELDS | PANEL_NOTES | PANEL_WIDE, NULL, NULL,
    };
    static const struct panel fields = {
        "Every field", "job", "", PANEL_FIELDS | PANEL_WIDE, NULL, NULL,
    };
    struct request_value asked[JOB_VALUES_MAX + 1];
    const int failed = composed ? 0 : panel_ask(view, view->model, &screen, values, count, err);
    memcpy(asked, values, count * sizeof(*values));
    asked[count++] = (struct request_value){"all", STR("")};
    return failed ? failed : panel_ask(view, view->model, &fields, asked, count, err);
}

int page_job(struct page_view *view, struct error *err)
{
    struct request_value values[JOB_VALUES_MAX];
    struct answer answer = {0};
    size_t count = 0;
    const struct str id = view->thing.len > 0 ? view->thing : view_value(view, "id");
    const struct str cluster = view_value(view, "c");
    model_list(view->model, "mains");
    model_list(view->model, "sides");
    model_text(view->model, "verdict", (struct str){0});
    if (id.len == 0) {
        return error_set(err, ERROR_MISSING, "which job? Write /job/ID, or search for it");
    }
    model_text(view->model, "thing", id);
    values[count++] = (struct request_value){"id", id};
    if (cluster.len > 0) {
        values[count++] = (struct request_value){"cluster", cluster};
    }
    const struct request request = {
        .operation = operation_find(STR("job")), .values = values, .count = count};
    int failed = service_call(view->service, &request, &answer, err);
    /* of several tasks a line sums up, and none is the last */
    const bool one =
        !failed && answer.as_list && str_eq(answer.shown.columns[0].cells[0].text, STR("Job"));
    if (one) {
        compose(view, &answer, values, count);
    }
    answer_release(&answer);
    return failed ? failed : add_everything(view, values, count, one, err);
}
