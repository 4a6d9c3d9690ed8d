/* SPDX-License-Identifier: MIT */

/* What the page of a job begins with: its name, how it went, and what to change. */
#include <string.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "serve/pages/job_parts.h"
#include "serve/pages/link.h"
#include "serve/pages/shape.h"
#include "serve/pages/words.h"

double job_number_of(const struct job_page *job, const char *id, double otherwise)
{
    return cell_number(job->runs, id, job->row, otherwise);
}

struct str job_word(const struct job_page *job, const char *id)
{
    return cell_words(job->runs, id, job->row);
}

bool job_is_class(const struct job_page *job, const char *class)
{
    return str_eq(cell_raw(job->runs, "class", job->row), str_of(class));
}

/* A text of the list about it; the null string where it has no such line. */
struct str job_line_of(const struct job_page *job, const char *label)
{
    for (size_t row = 0; row < job->said->row_count; row++) {
        if (str_eq(job->said->columns[0].cells[row].text, str_of(label))) {
            return job->said->columns[1].cells[row].text;
        }
    }
    return (struct str){0};
}

struct str job_in_words(const struct job_page *job, void (*say)(struct buf *out, double),
                        double amount)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    say(&text, amount);
    const struct str copy = view_text(job->view, &text);
    buf_release(&text);
    return copy;
}

static void say_span(struct buf *out, double us)
{
    words_span(out, (int64_t)us);
}

struct str job_span(const struct job_page *job, double us)
{
    return job_in_words(job, say_span, us);
}

struct str job_bytes(const struct job_page *job, double bytes)
{
    return job_in_words(job, words_bytes, bytes);
}

struct str job_moment(const struct job_page *job, double instant)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    words_instant(&text, job->view->service->zone, (int64_t)instant, job->view->service->now());
    const struct str copy = view_text(job->view, &text);
    buf_release(&text);
    return copy;
}

struct str job_exact(const struct job_page *job, double instant)
{
    char text[INSTANT_TEXT_MAX];
    return arena_copy(job->view->arena,
                      str_of(zone_print(job->view->service->zone, (int64_t)instant, text)));
}

struct str job_link(const struct job_page *job, const char *column)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    link_of_value(&url, job->view->request->prefix, cell_raw(job->runs, "cluster", job->row),
                  column, cell_raw(job->runs, column, job->row));
    const struct str copy = view_text(job->view, &url);
    buf_release(&url);
    return copy;
}

/* --- the head --- */

void job_head(const struct job_page *job)
{
    static const char *const named[] = {"user", "group", "account", "project"};
    struct model *model = job->view->model;
    const struct str name = job_word(job, "name"),
                     class = cell_raw(job->runs, "class", job->row);
    const enum tone tone = tone_of_state(class);
    model_text(model, "job_name", name);
    model_text(model, "thing", job_word(job, "id"));
    model_text(model, "class", class);
    model_text(model, "state",
               str_eq(class, STR("pending")) ? STR("wait") : str_of(tone_name(tone)));
    model_format(model, "jobs_url", "%s/jobs", job->view->request->prefix);
    model_text(model, "cluster", job_word(job, "cluster"));
    model_text(model, "cluster_url", job_link(job, "cluster"));
    model_text(model, "partition", job_word(job, "partition"));
    model_text(model, "partition_url", job_link(job, "partition"));
    model_list(model, "owners");
    for (size_t i = 0; i < COUNT_OF(named); i++) {
        if (job_word(job, named[i]).len > 0) {
            struct model *owner = model_add(model, "owners");
            model_text(owner, "label", i > 0 ? str_of(named[i]) : (struct str){0});
            model_text(owner, "text", job_word(job, named[i]));
            model_text(owner, "url", job_link(job, named[i]));
        }
    }
}

/* --- the verdict --- */

/* What became of it, as a sentence, by its class. */
static void say_end(const struct job_page *job, struct buf *out)
{
    const double limit = job_number_of(job, "time_limit", 0),
                 wall = job_number_of(job, "wall", -1);
    const double status = job_number_of(job, "exit_code", 0),
                 by = job_number_of(job, "signal", 0);
    const bool started = job_number_of(job, "start", -1) >= 0;
    if (job_is_class(job, "completed")) {
        buf_addz(out, "It finished");
    } else if (job_is_class(job, "failed")) {
        buf_addz(out, "It failed");
        if (by > 0) {
            buf_addf(out, " by signal %.0f", by);
        } else if (status > 0) {
            buf_addf(out, " with exit status %.0f", status);
        }
    } else if (job_is_class(job, "timeout")) {
        buf_addz(out, "It reached its time limit");
        if (limit > 0) {
            buf_addz(out, " of ");
            words_span(out, (int64_t)limit);
        }
    } else if (job_is_class(job, "oom")) {
        buf_addz(out, "It ran out of memory");
        const double memory = job_number_of(job, "mem", job_number_of(job, "req_mem", 0));
        if (memory > 0) {
            buf_addz(out, ": it had ");
            words_bytes(out, memory);
        }
    } else if (job_is_class(job, "node_fail")) {
        buf_addz(out, "A node failed under it");
    } else if (job_is_class(job, "cancelled")) {
        buf_addz(out, started ? "It was cancelled" : "It was cancelled before it started");
    } else {
        buf_addf(
            out, "Its state is %.*s",
            STR_ARG(job_word(job, "state").len ? job_word(job, "state") : STR("not recorded")));
    }
    if (started && wall >= 0 && job_number_of(job, "end", -1) >= 0 &&
        !job_is_class(job, "timeout")) {
        buf_addz(out, " after ");
        words_span(out, (int64_t)wall);
    }
}

static void say_verdict(const struct job_page *job, struct buf *out)
{
    const double now = (double)job->view->service->now(),
                 submit = job_number_of(job, "submit", -1);
    const struct str wait = job_line_of(job, "Waits as");
    if (job_is_class(job, "pending")) {
        buf_addz(out, "It waits");
        if (submit >= 0) {
            buf_addz(out, ", since ");
            words_span(out, (int64_t)(now - submit));
        }
        if (wait.len > 0) {
            buf_addf(out, ": %.*s", STR_ARG(wait));
        } else if (job_word(job, "reason").len > 0) {
            buf_addf(out, ". The scheduler's reason is %.*s", STR_ARG(job_word(job, "reason")));
        }
    } else if (job_is_class(job, "running") || job_is_class(job, "suspended")) {
        buf_addz(out, job_is_class(job, "running") ? "It runs" : "It is suspended");
        if (job_number_of(job, "wall", -1) >= 0) {
            buf_addz(out, "; it has run for ");
            words_span(out, (int64_t)job_number_of(job, "wall", 0));
        }
    } else {
        say_end(job, out);
    }
}

/*
 * "2 of its GPUs did nothing: ask for --gpus=2, by 49 looks": what is to be changed, and how.
 */
static void add_advice(struct model *model, const struct table *advice, size_t row)
{
    const struct str mark = STR(": ask for ");
    const struct str text = cell_words(advice, "text", row);
    const struct str request = cell_words(advice, "request", row);
    const char *at = request.len > 0 ? memmem(text.ptr, text.len, mark.ptr, mark.len) : NULL;
    struct str cause = text, rest = {0};
    if (at) {
        cause.len = (size_t)(at - text.ptr);
        rest = (struct str){at + mark.len, text.len - cause.len - mark.len};
        rest = str_starts(rest, request)
                   ? (struct str){rest.ptr + request.len, rest.len - request.len}
                   : (struct str){0};
        rest = str_starts(rest, STR(", ")) ? (struct str){rest.ptr + 2, rest.len - 2} : rest;
    }
    struct model *line = model_add(model, "advice");
    model_text(line, "cause", cause);
    model_text(line, "reason", rest);
    model_text(line, "fix", at ? request : (struct str){0});
}

/* How soon it reaches its limit, of one that runs. */
static void warn_of_limit(const struct job_page *job)
{
    const double limit = job_number_of(job, "time_limit", -1),
                 start = job_number_of(job, "start", -1);
    const double now = (double)job->view->service->now();
    const double soon = 0.1;
    if (!job_is_class(job, "running") || limit <= 0 || start < 0) {
        return;
    }
    const double left = start + limit + job_number_of(job, "suspended", 0) - now;
    if (left > 0 && left < soon * limit) {
        struct model *line = model_add(job->view->model, "advice");
        model_text(line, "cause",
                   view_printf(job->view, "It reaches its time limit in %.*s, %.*s",
                               STR_ARG(job_span(job, left)),
                               STR_ARG(job_moment(job, start + limit))));
        model_text(line, "reason", (struct str){0});
        model_text(line, "fix", (struct str){0});
    }
}

void job_verdict(const struct job_page *job, const struct table *advice)
{
    struct model *model = job->view->model;
    const enum tone tone = tone_of_state(cell_raw(job->runs, "class", job->row));
    size_t count = 0;
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    say_verdict(job, &text);
    model_list(model, "advice");
    warn_of_limit(job);
    for (size_t row = 0; row < advice->row_count; row++) {
        if (!str_eq(cell_raw(advice, "about", row), STR("wait"))) {
            add_advice(model, advice, row);
            count++;
        }
    }
    const struct model_value *first = NULL;
    struct model_value found, cause;
    if (count > 0 && tone == TONE_OK && model_find(model, STR("advice"), &found) &&
        model_find(found.rows, STR("cause"), &cause)) {
        first = &cause;
    }
    if (first) {
        buf_addf(&text, ", but %.*s", STR_ARG(first->text));
    }
    buf_addc(&text, '.');
    model_text(model, "verdict", buf_str(&text));
    model_text(model, "verdict_tone",
               str_of(tone_name(count > 0 && tone == TONE_OK ? TONE_WARN : tone)));
    buf_release(&text);
}
