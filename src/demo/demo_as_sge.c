/* SPDX-License-Identifier: MIT */

/*
 * Grid Engine's accounting file, as sge_qmaster 8.1.9 writes it: 45 fields between colons, one
 * row a run, and before it one row for each slave task where the parallel environment has
 * accounting_summary FALSE. See accounting(5).
 *
 *     all.q:node07:chem:bob:relax:1234:sge:0:1700000000:1700000600:1700007800:0:0:7200:...
 */

#include "demo/demo_format.h"
#include "demo/demo_text.h"

/* `failed` of accounting(5) by outcome; a run that never started has one of several. */
static const int failed_codes[DEMO_OUTCOMES] = {
    [DEMO_CRASHED] = 100,                              /* assumedly after job */
    [DEMO_OUT_OF_MEMORY] = 100,                        /* killed by execd at h_vmem */
    [DEMO_OUT_OF_TIME] = 37,                           /* qmaster enforced h_rt limit */
    [DEMO_DELETED] = 100,       [DEMO_RESTARTED] = 25, /* rescheduling */
};

/* assumedly before job; opening input/output file; changing into working directory */
static const int never_codes[] = {1, 1, 26, 28};

static int failed_code(const struct demo_run *run)
{
    if (run->outcome == DEMO_NOT_STARTED) {
        return never_codes[run->job % 4];
    }
    /* A shell that reports the crash of its child ends by itself, with 128 + signal. */
    if (run->outcome == DEMO_CRASHED && run->job % 3 != 0) {
        return 0;
    }
    return failed_codes[run->outcome];
}

static char *field(char *at, struct str text)
{
    return demo_text_char(demo_text_str(at, text), ':');
}

static char *field_or_none(char *at, struct str text)
{
    return field(at, text.len > 0 ? text : STR("NONE"));
}

static char *field_int(char *at, int64_t value)
{
    return demo_text_char(demo_text_int(at, value), ':');
}

static char *field_micro(char *at, int64_t value)
{
    return demo_text_char(demo_text_micro(at, value), ':');
}

static char *field_real(char *at, int64_t value)
{
    return demo_text_char(demo_text_real(at, value), ':');
}

/* 4G or 1500M, as people write it. */
static char *size_mb(char *at, int64_t mb)
{
    return mb % 1024 == 0 ? demo_text_char(demo_text_int(at, mb / 1024), 'G')
                          : demo_text_char(demo_text_int(at, mb), 'M');
}

/* The request in the order sge_category.c puts it: -u -q -l -pe -P. */
static char *category(char *at, const struct demo_run *run)
{
    at = demo_text_str(demo_text_literal(at, "-u "), run->user);
    if (run->asks_queue) {
        at = demo_text_str(demo_text_literal(at, " -q "), run->queue);
    }
    at = demo_text_literal(at, " -l ");
    if (run->gpus > 0) {
        at = demo_text_int(demo_text_literal(at, "gpu="), run->gpus);
        at = demo_text_char(at, ',');
    }
    at = demo_text_int(demo_text_literal(at, "h_rt="), run->limit_s);
    at = size_mb(demo_text_literal(at, ",h_vmem="), run->limit_vmem_mb);
    if (run->parallel.len > 0) {
        at = demo_text_str(demo_text_literal(at, " -pe "), run->parallel);
        at = demo_text_int(demo_text_char(at, ' '), run->slots);
    }
    if (run->project.len > 0) {
        at = demo_text_str(demo_text_literal(at, " -P "), run->project);
    }
    return demo_text_char(at, ':');
}

/* Fields 13 to 30: ru_wallclock and what getrusage(2) says. */
static char *rusage(char *at, const struct demo_run *run, const struct demo_use *use)
{
    at = field_int(at, run->end_s - run->start_s);
    at = field_micro(at, use->user_us);
    at = field_micro(at, use->system_us);
    at = field_real(at, use->rss_kb);
    at = demo_text_literal(at, "0:0:0:0:"); /* ixrss, ismrss, idrss, isrss: Linux has none */
    at = field_int(at, use->faults);
    at = field_int(at, use->major_faults);
    at = demo_text_literal(at, "0:"); /* nswap */
    at = field_real(at, use->blocks_in);
    at = field_int(at, use->blocks_out);
    at = demo_text_literal(at, "0:0:0:"); /* msgsnd, msgrcv, nsignals */
    at = field_int(at, use->switches);
    return field_int(at, use->forced_switches);
}

/* One row: of the run itself, or of part number `number` (from 1) on its host. */
static char *row(char *at, const struct demo_run *run, const struct demo_part *part,
                 size_t number)
{
    const struct demo_use *use = part ? &part->use : &run->use;
    at = field(at, run->queue);
    at = field(at, part ? part->host : run->host);
    at = field(at, run->group);
    at = field(at, run->user);
    at = field(at, run->name);
    at = field_int(at, run->job);
    at = demo_text_literal(at, "sge:0:"); /* account, priority */
    at = field_int(at, run->submit_s);
    at = field_int(at, run->start_s);
    at = field_int(at, run->end_s);
    at = field_int(at, failed_code(run));
    at = field_int(at, run->exit_status);
    at = rusage(at, run, use);
    at = field_or_none(at, run->project);
    at = field(at, run->department);
    at = field_or_none(at, run->parallel);
    at = field_int(at, run->slots); /* the job's, in rows of slaves too */
    at = field_int(at, run->task);
    at = field_micro(at, use->user_us + use->system_us);
    at = field_micro(at, use->mem_micro_gb_s);
    at = field_micro(at, use->io_micro_gb);
    at = category(at, run);
    at = field_micro(at, use->wait_io_us);
    if (part) {
        at = demo_text_char(demo_text_int(at, (int64_t)number), '.');
        at = field(at, part->host);
    } else {
        at = demo_text_literal(at, "NONE:");
    }
    at = field_real(at, use->vmem_bytes);
    return demo_text_literal(at, "0:0\n"); /* advance reservation */
}

static char *append(char *at, const struct demo_run *run)
{
    for (size_t i = 0; run->split && i < run->part_count; i++) {
        at = row(at, run, &run->parts[i], i + 1);
    }
    return row(at, run, NULL, 0);
}

static int64_t rows(const struct demo_run *run)
{
    return 1 + (run->split ? (int64_t)run->part_count : 0);
}

const struct demo_format demo_as_sge = {
    .name = "sge",
    .file = "accounting",
    .header = "# Version: 8.1.9\n# \n# DO NOT MODIFY THIS FILE MANUALLY!\n# \n",
    .append = append,
    .rows = rows,
};
