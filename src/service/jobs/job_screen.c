/* SPDX-License-Identifier: MIT */
#include "service/jobs/job_screen.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/limit.h"
#include "report/queries/peer_wait.h"
#include "service/jobs/job_samples.h"
#include "view/number.h"

size_t job_column(const struct table *runs, const char *id)
{
    size_t column = 0;
    while (column < runs->column_count && strcmp(runs->columns[column].id, id) != 0) {
        column++;
    }
    assert(column < runs->column_count);
    return column;
}

bool job_has(const struct job_screen *screen, const char *id, size_t row)
{
    return table_has(screen->runs, job_column(screen->runs, id), row);
}

double job_number(const struct job_screen *screen, const char *id, size_t row)
{
    return job_has(screen, id, row)
               ? table_real(screen->runs, job_column(screen->runs, id), row)
               : 0;
}

bool job_is(const struct job_screen *screen, const char *id, size_t row, const char *text)
{
    const struct column *column = &screen->runs->columns[job_column(screen->runs, id)];
    return column->present[row] && str_eq_nocase(column->cells[row].text, str_of(text));
}

void job_say(struct job_screen *screen, const char *id, size_t row)
{
    const size_t column = job_column(screen->runs, id);
    const struct column *c = &screen->runs->columns[column];
    if (c->type == CELL_TEXT && c->present[row]) {
        buf_add(&screen->text, c->cells[row].text);
    } else {
        number_human(&screen->text, screen->runs, column, row, screen->zone);
    }
}

void job_line(struct job_screen *screen, const char *label)
{
    if (screen->text.len > 0) {
        const size_t row = table_row(screen->out);
        table_set_text(screen->out, 0, row, str_of(label));
        table_set_text(screen->out, 1, row, buf_str(&screen->text));
    }
    buf_clear(&screen->text);
}

size_t job_screen_different(const struct table *runs, const char *id)
{
    const size_t c = job_column(runs, id);
    const struct column *column = &runs->columns[c];
    size_t count = 0;
    for (size_t row = 0; row < runs->row_count; row++) {
        bool seen = false;
        for (size_t other = 0; !seen && other < row; other++) {
            seen = table_has(runs, c, row) == table_has(runs, c, other) &&
                   (!table_has(runs, c, row) ||
                    (column->type == CELL_TEXT
                         ? str_eq(column->cells[row].text, column->cells[other].text)
                         : table_wide(runs, c, row) == table_wide(runs, c, other)));
        }
        count += !seen;
        if (count > 1) {
            break; /* more is never asked for */
        }
    }
    return count;
}

/* A field, and the words before it. */
struct piece {
    const char *before, *id;
};

/* Those of the fields that are there, with commas between. */
static void say_pieces(struct job_screen *screen, size_t row, const struct piece *pieces,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (job_has(screen, pieces[i].id, row)) {
            buf_addf(&screen->text, "%s%s", screen->text.len > 0 ? ", " : "", pieces[i].before);
            job_say(screen, pieces[i].id, row);
        }
    }
}

static void say_names(struct job_screen *screen, size_t row)
{
    static const struct piece who[] = {{"", "user"},
                                       {"group ", "group"},
                                       {"account ", "account"},
                                       {"project ", "project"},
                                       {"department ", "department"}};
    static const struct piece where[] = {{"partition ", "partition"},
                                         {"QOS ", "qos"},
                                         {"reservation ", "reservation"},
                                         {"parallel environment ", "parallel_env"}};
    job_say(screen, "id", row);
    buf_addz(&screen->text, " on ");
    job_say(screen, "cluster", row);
    if (job_has(screen, "name", row)) {
        buf_addz(&screen->text, ": ");
        job_say(screen, "name", row);
    }
    job_line(screen, "Job");
    say_pieces(screen, row, who, COUNT_OF(who));
    job_line(screen, "Who");
    say_pieces(screen, row, where, COUNT_OF(where));
    if (job_has(screen, "nodes", row) || job_has(screen, "node", row)) {
        buf_addz(&screen->text, screen->text.len > 0 ? ", on " : "on ");
        job_say(screen, job_has(screen, "nodes", row) ? "nodes" : "node", row);
    }
    job_line(screen, "Where");
}

static bool has_reason(const struct job_screen *screen, size_t row)
{
    return job_has(screen, "reason", row) && !job_is(screen, "reason", row, "None");
}

/* What a scheduler says of a run that did not go wrong is why it had to wait. */
static bool is_reason_of_wait(const struct job_screen *screen, size_t row)
{
    return job_is(screen, "class", row, "completed") ||
           job_is(screen, "class", row, "pending") || job_is(screen, "class", row, "running");
}

/* How long others waited, where they are enough to say something. */
static void say_others(struct job_screen *screen, size_t row)
{
    enum { FEW = 5 };

    const struct table *others = screen->others;
    if (!others || others->row_count == 0 || table_wide(others, PEER_WAIT_RUNS, 0) < FEW) {
        return;
    }
    number_human(&screen->text, others, PEER_WAIT_RUNS, 0, screen->zone);
    buf_addz(&screen->text, " runs submitted");
    if (job_has(screen, "partition", row)) {
        buf_addz(&screen->text, " to ");
        job_say(screen, "partition", row);
    }
    buf_addz(&screen->text, " around then waited ");
    number_human(&screen->text, others, PEER_WAIT_MEDIAN, 0, screen->zone);
    buf_addz(&screen->text, " (median), 9 of 10 at most ");
    number_human(&screen->text, others, PEER_WAIT_MOST, 0, screen->zone);
    job_line(screen, "Others");
}

static void say_last_seen(struct job_screen *screen, size_t row)
{
    if (job_has(screen, "seen", row)) {
        buf_addz(&screen->text, screen->text.len > 0 ? "; last seen " : "last seen ");
        job_say(screen, "seen", row);
    }
    if (screen->samples && job_samples_any(screen->samples) && job_has(screen, "wall", row)) {
        buf_addz(&screen->text, screen->text.len > 0 ? "; by its samples it ran for "
                                                     : "by its samples it ran for ");
        job_say(screen, "wall", row);
        buf_addz(&screen->text, " and more");
    }
}

/* One that is suspended goes on later. */
static bool runs_still(const struct job_screen *screen, size_t row)
{
    return job_is(screen, "class", row, "running") || job_is(screen, "class", row, "suspended");
}

/* How long it has been running, and as of when that is known. */
static void say_running(struct job_screen *screen, size_t row)
{
    if (job_has(screen, "wall", row)) {
        buf_addz(&screen->text, "for ");
        job_say(screen, "wall", row);
        if (screen->samples && job_samples_any(screen->samples)) {
            buf_addz(&screen->text, " at its last sample");
        }
    }
    if (job_has(screen, "seen", row)) {
        buf_addz(&screen->text, screen->text.len > 0 ? "; last seen " : "last seen ");
        job_say(screen, "seen", row);
    }
    if (job_is(screen, "class", row, "suspended")) {
        buf_addz(&screen->text, screen->text.len > 0 ? "; suspended" : "suspended");
    }
    job_line(screen, "Running");
}

/* When it was submitted, why it waited, when it ran. */
static void say_times(struct job_screen *screen, size_t row)
{
    const bool started = job_has(screen, "start", row);
    if (job_has(screen, "submit", row)) {
        job_say(screen, "submit", row);
    }
    job_line(screen, "Submitted");
    if (job_number(screen, "eligible", row) > job_number(screen, "submit", row)) {
        job_say(screen, "eligible", row);
        buf_addz(&screen->text, ": it could not start before");
    }
    job_line(screen, "Eligible");
    if (started) {
        job_say(screen, "start", row);
        if (job_has(screen, "wait", row)) {
            buf_addz(&screen->text, ", after waiting ");
            job_say(screen, "wait", row);
        }
    } else {
        buf_addz(&screen->text, job_has(screen, "end", row) ? "never" : "not yet");
        if (job_is(screen, "class", row, "pending") && job_has(screen, "seen", row)) {
            buf_addz(&screen->text, ", last seen ");
            job_say(screen, "seen", row);
        }
    }
    if (has_reason(screen, row) && is_reason_of_wait(screen, row)) {
        buf_addz(&screen->text, ": ");
        job_say(screen, "reason", row);
    }
    job_line(screen, "Started");
    job_waits(screen, row);
    say_others(screen, row);
    if (job_has(screen, "end", row)) {
        job_say(screen, "end", row);
        if (started) {
            buf_addz(&screen->text, ", after running ");
            job_say(screen, "wall", row);
        }
    } else if (started && !runs_still(screen, row)) {
        buf_addz(&screen->text, "not recorded");
        say_last_seen(screen, row);
    }
    job_line(screen, "Ended");
    if (!job_has(screen, "end", row) && runs_still(screen, row)) {
        say_running(screen, row);
    }
}

/* What became of it, in our word and the scheduler's. */
static void say_end(struct job_screen *screen, size_t row)
{
    const struct column *class = &screen->runs->columns[job_column(screen->runs, "class")];
    if (job_has(screen, "class", row)) {
        job_say(screen, "class", row);
    }
    if (job_has(screen, "state", row) && !job_is(screen, "state", row, "0") &&
        !(class->present[row] &&
          str_eq_nocase(
              class->cells[row].text,
              screen->runs->columns[job_column(screen->runs, "state")].cells[row].text))) {
        buf_addz(&screen->text, " (");
        job_say(screen, "state", row);
        buf_addc(&screen->text, ')');
    }
    if (job_number(screen, "signal", row) != 0) {
        buf_addz(&screen->text, ", signal ");
        job_say(screen, "signal", row);
    }
    if (job_number(screen, "exit_code", row) != 0) {
        buf_addz(&screen->text, ", exit status ");
        job_say(screen, "exit_code", row);
    }
    if (has_reason(screen, row) && !is_reason_of_wait(screen, row)) {
        buf_addz(&screen->text, ": ");
        job_say(screen, "reason", row);
    }
    job_line(screen, "State");
}

/* Columns of what was asked, given and used. */
enum { CELL_WIDTH = 12, BAR_WIDTH = 8 };

/* Ends a cell that began at `start` of the line: it stands to the right. */
static void end_cell(struct job_screen *screen, size_t start)
{
    struct buf *line = &screen->text;
    const struct str cell = {line->ptr + start, line->len - start};
    const size_t width = str_width(cell);
    char text[CELL_WIDTH * 4 + 1];
    if (width >= CELL_WIDTH || cell.len >= sizeof(text)) {
        return;
    }
    memcpy(text, cell.ptr, cell.len);
    line->len = start;
    buf_fill(line, ' ', CELL_WIDTH - width);
    buf_add(line, (struct str){text, cell.len});
}

static void add_cell(struct job_screen *screen, const char *id, size_t row)
{
    const size_t start = screen->text.len;
    if (id) {
        job_say(screen, id, row);
    }
    end_cell(screen, start);
}

/* What was asked for, given and used of a resource, and the share that was used. */
struct resource {
    const char *label;
    const char *asked, *given, *used; /* fields; NULL: none */
    const char *share;
    bool over_time; /* used is a time, of which the mean number at once is shown */
};

static const struct resource resources[] = {
    {"CPUs", "req_cpus", "cpus", "cpu_used", "cpu_efficiency", true},
    {"GPUs", "req_gpus", "gpus", "gpu_used", "gpu_efficiency", true},
    {"Memory", "req_mem", "mem", "mem_peak", "mem_efficiency", false},
    {"Time", "time_limit", NULL, "wall", "time_efficiency", false},
    {"Nodes", "req_nodes", "node_count", NULL, NULL, false},
};

/* Whether there is anything to say: zero GPUs say nothing. */
static bool is_of_interest(const struct job_screen *screen, const struct resource *r,
                           size_t row)
{
    return job_number(screen, r->asked, row) > 0 ||
           (r->given && job_number(screen, r->given, row) > (r->used ? 0 : 1)) ||
           (r->used && job_number(screen, r->used, row) > 0);
}

/* How long the run had the resource. */
static double time_of(const struct job_screen *screen, const struct resource *r, size_t row)
{
    return screen->samples ? job_samples_time(screen->samples, r->used)
                           : job_number(screen, "wall", row);
}

static void add_used(struct job_screen *screen, const struct resource *r, size_t row)
{
    const size_t start = screen->text.len;
    const double least =
        r->used && screen->samples ? job_samples_at_least(screen->samples, r->used) : -1;
    const double time = r->over_time ? time_of(screen, r, row) : 0;
    const bool known = r->used && (least >= 0 || job_has(screen, r->used, row));
    if (r->used && r->over_time && known && time > 0) {
        buf_addf(&screen->text, "%.1f",
                 (least >= 0 ? least : job_number(screen, r->used, row)) / time);
        end_cell(screen, start);
    } else if (r->used && r->over_time) {
        buf_addz(&screen->text, "---");
        end_cell(screen, start);
    } else {
        add_cell(screen, r->used, row);
    }
}

/* A share as a bar, full where all was used or more. */
static void draw_bar(struct job_screen *screen, double share)
{
    share = fmin(1, fmax(0, share));
    buf_addz(&screen->text, "  ");
    for (int i = 0; i < BAR_WIDTH; i++) {
        buf_addz(&screen->text, i < lround(share * BAR_WIDTH) ? "█" : "░");
    }
}

static void add_bar(struct job_screen *screen, const struct resource *r, size_t row)
{
    if (r->share && job_has(screen, r->share, row)) {
        draw_bar(screen, job_number(screen, r->share, row));
    } else if (r->used) {
        buf_fill(&screen->text, ' ', BAR_WIDTH + 2); /* what it is based on stands behind it */
    }
}

/*
 * Where there are samples, and where it is a lower bound, each number says what it is based on.
 */
static void say_basis(struct job_screen *screen, const struct resource *r, size_t row)
{
    const size_t start = screen->text.len;
    if (screen->samples && r->used) {
        buf_addz(&screen->text, "  ");
        job_samples_say_basis(&screen->text, screen->samples, screen->runs, row, r->used);
        if (screen->text.len == start + 2) {
            screen->text.len = start;
        }
    }
    while (screen->text.len > 0 && screen->text.ptr[screen->text.len - 1] == ' ') {
        screen->text.len--;
    }
}

/* No scheduler gives it out or records it: it comes with the cards, and samples know it. */
static void say_gpu_memory(struct job_screen *screen)
{
    double amounts[2] = {0};
    if (!screen->samples ||
        !job_samples_card_memory(screen->samples, &amounts[1], &amounts[0])) {
        return;
    }
    end_cell(screen, screen->text.len);
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        const size_t start = screen->text.len;
        job_samples_say_bytes(&screen->text, amounts[i]);
        end_cell(screen, start);
    }
    const size_t start = screen->text.len;
    buf_addf(&screen->text, "%.1f %%", 100 * amounts[1] / amounts[0]);
    end_cell(screen, start);
    draw_bar(screen, amounts[1] / amounts[0]);
    buf_addz(&screen->text, "  GPU");
    job_line(screen, "GPU memory");
}

static void say_resources(struct job_screen *screen, size_t row)
{
    static const char *const heads[] = {"asked", "given", "used", "share"};
    bool any = false;
    for (size_t i = 0; !any && i < COUNT_OF(resources); i++) {
        any = is_of_interest(screen, &resources[i], row);
    }
    for (size_t i = 0; any && i < COUNT_OF(heads); i++) {
        const size_t start = screen->text.len;
        buf_addz(&screen->text, heads[i]);
        end_cell(screen, start);
    }
    job_line(screen, "");
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        const struct resource *r = &resources[i];
        if (is_of_interest(screen, r, row)) {
            add_cell(screen, r->asked, row);
            add_cell(screen, r->given, row);
            add_used(screen, r, row);
            add_cell(screen, r->share, row);
            add_bar(screen, r, row);
            say_basis(screen, r, row);
            job_line(screen, r->label);
        }
        if (strcmp(r->label, "GPUs") == 0) {
            say_gpu_memory(screen);
        }
    }
}

/* How a run went, in short. */
static void say_briefly(struct job_screen *screen, size_t row)
{
    job_say(screen, "class", row);
    if (job_has(screen, "start", row)) {
        buf_addz(&screen->text, ", started ");
        job_say(screen, "start", row);
        buf_addz(&screen->text, ", ran ");
        job_say(screen, "wall", row);
    }
    if (job_has(screen, "node", row)) {
        buf_addz(&screen->text, " on ");
        job_say(screen, "node", row);
    }
}

/* Another component of a heterogeneous job: it ran beside it. */
static bool is_beside(const struct job_screen *screen, size_t row, size_t last)
{
    return job_has(screen, "het", row) != job_has(screen, "het", last) ||
           job_number(screen, "het", row) != job_number(screen, "het", last);
}

/* The runs before the last one: a job that was run again, and other components of it. */
static void say_earlier(struct job_screen *screen, size_t last)
{
    enum { SHOWN = 3 };

    const size_t first = last > SHOWN ? last - SHOWN : 0;
    const char *label = "Earlier";
    for (size_t row = first; row < last; row++) {
        if (is_beside(screen, row, last)) {
            job_say(screen, "id", row);
            buf_addz(&screen->text, ": ");
            say_briefly(screen, row);
            job_line(screen, "Component");
            continue;
        }
        say_briefly(screen, row);
        job_line(screen, label);
        label = "";
    }
}

void job_screen(struct job_screen *screen, const struct run_energy *energy)
{
    const struct job_samples *samples = screen->samples;
    const size_t last = screen->runs->row_count - 1;
    buf_init(&screen->text, LIMIT_OUTPUT);
    table_column(screen->out, "what", "", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(screen->out, "text", "", CELL_TEXT, UNIT_NONE, COLUMN_PROSE);
    if (job_screen_different(screen->runs, "task") > 1) {
        job_array(screen);
    } else {
        say_names(screen, last);
        say_end(screen, last);
        say_times(screen, last);
        say_resources(screen, last);
        if (samples && job_samples_any(samples)) {
            job_samples_say(screen, samples);
        }
        if (energy) {
            job_energy(screen, energy);
        }
        buf_add(&screen->text, screen->charged);
        job_line(screen, "Charged");
        job_advice(screen, last);
        say_earlier(screen, last);
    }
    buf_release(&screen->text);
}
