/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/mem.h"
#include "service/jobs/job_screen.h"

enum { NAMED = 8 };

/* A run and a number of it. */
struct ranked {
    double value;
    size_t row;
};

static int compare_tasks(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->row > y->row) - (x->row < y->row);
}

/* The runs that have a number, the smallest first. */
static size_t rank(const struct job_screen *screen, const char *id, struct ranked *out)
{
    size_t count = 0;
    for (size_t row = 0; row < screen->runs->row_count; row++) {
        if (job_has(screen, id, row)) {
            out[count++] = (struct ranked){job_number(screen, id, row), row};
        }
    }
    qsort(out, count, sizeof(*out), compare_tasks);
    return count;
}

/* "shortest 00:10:00 (4711.3), median 00:12:00, longest 04:00:00 (4711.17)" */
static void say_spread(struct job_screen *screen, const char *label, const char *id,
                       const char *least, const char *most, struct ranked *ranks)
{
    const size_t count = rank(screen, id, ranks);
    if (count == 0) {
        return;
    }
    buf_addf(&screen->text, "%s ", least);
    job_say(screen, id, ranks[0].row);
    buf_addz(&screen->text, " (");
    job_say(screen, "id", ranks[0].row);
    buf_addz(&screen->text, "), median ");
    job_say(screen, id, ranks[(count - 1) / 2].row);
    buf_addf(&screen->text, ", %s ", most);
    job_say(screen, id, ranks[count - 1].row);
    buf_addz(&screen->text, " (");
    job_say(screen, "id", ranks[count - 1].row);
    buf_addc(&screen->text, ')');
    job_line(screen, label);
}

/* "97 completed, 2 failed", and which did not complete. */
static void say_classes(struct job_screen *screen)
{
    const struct table *runs = screen->runs;
    const struct column *class = &runs->columns[job_column(runs, "class")];
    bool *counted = mem_alloc(runs->row_count + 1, sizeof(*counted));
    for (size_t row = 0; row < runs->row_count; row++) {
        size_t same = 0;
        for (size_t other = row; !counted[row] && other < runs->row_count; other++) {
            const bool is = class->present[row] == class->present[other] &&
                            (!class->present[row] ||
                             str_eq(class->cells[row].text, class->cells[other].text));
            counted[other] = counted[other] || (is && other > row);
            same += is;
        }
        if (!counted[row]) {
            buf_addf(&screen->text, "%s%zu ", screen->text.len > 0 ? ", " : "", same);
            job_say(screen, "class", row);
        }
    }
    job_line(screen, "State");
    free(counted);
}

/* Up to NAMED runs of the kind that `picks` says, by their ids. */
static void say_picked(struct job_screen *screen, const char *label,
                       bool (*picks)(const struct job_screen *screen, size_t row, double limit),
                       double limit)
{
    size_t found = 0;
    for (size_t row = 0; row < screen->runs->row_count; row++) {
        if (!picks(screen, row, limit)) {
            continue;
        }
        if (found++ < NAMED) {
            buf_addz(&screen->text, screen->text.len > 0 ? ", " : "");
            job_say(screen, "id", row);
        }
    }
    if (found > NAMED) {
        buf_addf(&screen->text, " and %zu more", found - NAMED);
    }
    job_line(screen, label);
}

static bool has_failed(const struct job_screen *screen, size_t row, double limit)
{
    (void)limit;
    return job_is(screen, "class", row, "failed") || job_is(screen, "class", row, "timeout") ||
           job_is(screen, "class", row, "oom") || job_is(screen, "class", row, "node_fail");
}

static bool is_long(const struct job_screen *screen, size_t row, double limit)
{
    return job_number(screen, "wall", row) > limit;
}

static bool is_large(const struct job_screen *screen, size_t row, double limit)
{
    return job_number(screen, "mem_peak", row) > limit;
}

/* Three times the median, below which nothing stands out. */
static double far_above(const struct job_screen *screen, const char *id, struct ranked *ranks)
{
    const size_t count = rank(screen, id, ranks);
    return count > 0 && ranks[(count - 1) / 2].value > 0 ? 3 * ranks[(count - 1) / 2].value
                                                         : 1e300;
}

void job_array(struct job_screen *screen)
{
    const struct table *runs = screen->runs;
    struct ranked *ranks = mem_alloc(runs->row_count + 1, sizeof(*ranks));
    if (job_has(screen, "array_job", 0)) {
        job_say(screen, "array_job", 0);
    } else {
        job_say(screen, "job", 0);
    }
    buf_addz(&screen->text, " on ");
    job_say(screen, "cluster", 0);
    if (job_has(screen, "name", 0)) {
        buf_addz(&screen->text, ": ");
        job_say(screen, "name", 0);
    }
    job_line(screen, "Array");
    job_say(screen, "user", 0);
    job_line(screen, "Who");
    buf_addf(&screen->text, "%zu", runs->row_count);
    job_line(screen, "Runs");
    say_classes(screen);
    say_spread(screen, "Wait", "wait", "shortest", "longest", ranks);
    say_spread(screen, "Time", "wall", "shortest", "longest", ranks);
    say_spread(screen, "Memory", "mem_peak", "least", "most", ranks);
    say_spread(screen, "CPU use", "cpu_efficiency", "lowest", "highest", ranks);
    say_picked(screen, "Failed", has_failed, 0);
    say_picked(screen, "Long", is_long, far_above(screen, "wall", ranks));
    say_picked(screen, "Large", is_large, far_above(screen, "mem_peak", ranks));
    free(ranks);
}
