/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"
#include "source/lsf/lsf.h"
#include "unit/source/peer.h"

/*
 * The driver against what Open XDMoD, APEL and a cost simulator made of the same lines. Where we
 * differ on purpose the tables below say so; docs/sources/lsf.md says why.
 */

/* --- Open XDMoD ------------------------------------------------------------------------------- */

static const struct peer_key xdmod_keys[] = {
    {"event_time", PEER_SECONDS, RUN_end},
    {"job_id", PEER_INT, RUN_job},
    {"user_id", PEER_INT, RUN_uid},
    {"num_processors", PEER_INT, RUN_req_cpus},
    {"submit_time", PEER_SECONDS, RUN_submit},
    {"start_time", PEER_SECONDS, RUN_start},
    {"user_name", PEER_TEXT, RUN_user},
    {"queue", PEER_TEXT, RUN_partition},
    {"from_host", PEER_TEXT, RUN_submit_host},
    {"cwd", PEER_TEXT, RUN_work_dir},
    {"num_ex_hosts", PEER_INT, RUN_node_count},
    {"job_name", PEER_TEXT, RUN_name},
    {"command", PEER_TEXT, RUN_command},
    {"ru_utime", PEER_SECONDS, RUN_cpu_user_us},
    {"ru_stime", PEER_SECONDS, RUN_cpu_system_us},
    {"project_name", PEER_TEXT, RUN_project},
    {"exit_status", PEER_INT, RUN_exit_code}, /* 0 in all of them */
    {"idx", PEER_INT, RUN_task},
    {"max_rmem", PEER_KIB, RUN_mem_peak_bytes},
    {"max_rswap", PEER_KIB, RUN_vmem_peak_bytes},
    {"rsv_id", PEER_TEXT, RUN_reservation},
    {"sla", PEER_TEXT, RUN_qos},
    {"charged_saap", PEER_TEXT, RUN_account},
    {"node_list", PEER_NODES, RUN_nodes},
};

/* Their record has a name for every field of the line, and more. */
static const struct peer xdmod = {
    .keys = xdmod_keys, .key_count = COUNT_OF(xdmod_keys), .partial = true};

static void xdmod_reads_alike(void **state)
{
    (void)state;
    int keys = 0;
    expect_int(peer_xdmod(&xdmod, &lsf_driver, "accounting-logs", &keys), 2);
    expect_int(keys, 2 * (int)COUNT_OF(xdmod_keys));
    expect_int(peer_xdmod(&xdmod, &lsf_driver, "utf8-multibyte-chars", &keys), 1);
    expect_int(keys, 1);
}

/* --- APEL ------------------------------------------------------------------------------------- */

static const struct peer_key apel_keys[] = {
    {"JobName", PEER_INT, RUN_job},
    {"LocalUserID", PEER_TEXT, RUN_user},
    {"LocalUserGroup", PEER_TEXT, RUN_group},
    {"WallDuration", PEER_NOT_KEPT, 0}, /* compared below */
    {"CpuDuration", PEER_NOT_KEPT, 0},
    {"StartTime", PEER_SECONDS, RUN_start},
    {"StopTime", PEER_SECONDS, RUN_end},
    {"MemoryReal", PEER_KIB, RUN_mem_peak_bytes},
    {"MemoryVirtual", PEER_KIB, RUN_vmem_peak_bytes},
    {"NodeCount", PEER_INT, RUN_node_count},
    {"Processors", PEER_INT, RUN_cpus},
};

static const struct peer_word apel_words[] = {
    {.part = "skip", .step = SOURCE_SKIP},
    {.part = "not separated", .step = SOURCE_REJECT},
    {.part = "start after end", .step = SOURCE_RECORD, .backwards = true},
    {.part = "numExHosts=1", .step = SOURCE_RECORD, .cpus = 1},
};

static void expect_apel_times(const struct run *run, const char *line, const json_t *expect)
{
    (void)line;
    /* They round each half of the cpu time, we neither. */
    const int64_t cpu_s = peer_int(expect, "CpuDuration");
    expect_int((run->end - run->start) / SECOND_US, peer_int(expect, "WallDuration"));
    expect_true(run->cpu_used_us >= (cpu_s - 1) * SECOND_US &&
                run->cpu_used_us <= (cpu_s + 1) * SECOND_US);
}

static void apel_reads_alike(void **state)
{
    (void)state;
    struct peer_apel apel = {
        .driver = &lsf_driver,
        .peer = {.keys = apel_keys, .key_count = COUNT_OF(apel_keys)},
        .words = apel_words,
        .word_count = COUNT_OF(apel_words),
        .also = expect_apel_times,
    };
    expect_int(peer_apel(&apel), 7);
    expect_int(apel.records, 3);
}

/* --- the cost simulator ----------------------------------------------------------------------- */

enum { COLUMNS = 24 };

struct folder_row {
    const char *name;
    const char *files[2];
    int records; /* of ours */
    int rejects;
    int started; /* of our records */
    int theirs;
};

static const struct folder_row folder_rows[] = {
    {"lsf/issues/16", {"lsb.acct.issue-16"}, 1, 0, 0, 0}, /* never started: they drop it */
    {"lsf/issues/18", {"lsb.acct.issue-18"}, 1, 0, 1, 1},
    {"lsf/issues/31",
     {"lsb.acct.issue-31"},
     1,
     0,
     0,
     1}, /* start 0: they take the submission */
    {"lsf/issues/gl-9", {"lsb.acct.hostFactor-not-a-float"}, 10, 0, 10, 10},
    {"lsf/issues/gl-16", {"lsb.acct.issue-gl-16"}, 8, 0, 3, 3}, /* five never started */
    {"lsf/issues/gl-19",
     {"lsb.acct.issue-gl-19"},
     2,
     0,
     2,
     0}, /* short records: they drop them */
    {"lsf/issues/gl-22", {"lsb.acct.issue-gl-22"}, 1, 0, 1, 1},
    {"lsf/issues/gl-26",
     {"lsb.acct.issue-gl-26"},
     5,
     1,
     5,
     0}, /* the same; and one of odd bytes */
    {"lsf/not-enough-fields",
     {"lsb.acct.not-enough-fields.1", "lsb.acct.not-enough-fields.2"},
     3,
     0,
     3,
     3},
};

/* Cuts a line of CSV; the quotes around a field with commas stay away. */
static size_t cut_csv(struct str line, struct str out[COLUMNS])
{
    size_t count = 0;
    while (line.ptr && count < COLUMNS) {
        if (line.len > 0 && line.ptr[0] == '"') {
            line.ptr++;
            line.len--;
            out[count++] = str_cut(&line, '"');
            (void)str_cut(&line, ',');
        } else {
            out[count++] = str_cut(&line, ',');
        }
    }
    return count;
}

static void expect_instant(struct str text, int64_t got)
{
    struct zone *utc = NULL;
    struct error err = {0};
    struct period span;
    assert_int_equal(zone_open("UTC", &utc, &err), 0);
    expect_int(calendar_span(text, utc, 0, &span, &err), 0);
    expect_int(got, span.from);
    zone_close(utc);
}

static void expect_duration(struct str text, int64_t got)
{
    int64_t us = 0;
    expect_true(scan_duration(text, &us));
    expect_int(got, us);
}

static void expect_csv_row(const struct run *run, struct str row[COLUMNS])
{
    int64_t number = 0;
    expect_true(scan_int(row[1], &number));
    expect_int(run->cpus, number);
    expect_true(scan_int(row[3], &number));
    expect_int(run->node_count, number);
    expect_instant(row[4], run->submit);
    expect_instant(row[5], run->start);
    expect_instant(row[6], run->end);
    struct str request = str_trim(row[7]);
    expect_true(str_eq(run->request, request));
    expect_duration(row[11], run->start - run->submit);
    expect_duration(row[12], run->end - run->start - run->suspended_us);
    expect_true(scan_int(row[13], &number));
    expect_int(run->exit_code << 8 | run->signal, number);
    expect_duration(row[22], run->cpu_system_us);
    expect_duration(row[23], run->cpu_user_us);
}

/* What our runs of a file are, and those of theirs that are about the same job and start. */
struct comparison {
    const char *expected; /* all of exp_jobs.csv */
    int records, rejects, started, matched;
};

static void find_row(struct comparison *comparison, const struct run *run)
{
    struct str rest = str_of(comparison->expected);
    (void)str_cut(&rest, '\n');
    while (rest.ptr && rest.len > 0) {
        struct str row[COLUMNS];
        struct str line = str_trim(str_cut(&rest, '\n'));
        int64_t job = 0;
        struct period submit = {0};
        struct zone *utc = NULL;
        struct error err = {0};
        if (cut_csv(line, row) < COLUMNS || !scan_int(row[0], &job) || job != run->job) {
            continue;
        }
        assert_int_equal(zone_open("UTC", &utc, &err), 0);
        expect_int(calendar_span(row[4], utc, 0, &submit, &err), 0);
        zone_close(utc);
        if (submit.from == run->submit) {
            expect_csv_row(run, row);
            comparison->matched++;
        }
    }
}

static void compare_file(struct comparison *comparison, struct str file)
{
    struct arena arena = {0};
    struct source_cursor cursor = {.rest = file, .next_line = 1, .arena = &arena};
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END;) {
        struct run run = {0};
        struct error err = {0};
        step = lsf_driver.next(NULL, &cursor, &run, &err);
        comparison->rejects += step == SOURCE_REJECT;
        if (step == SOURCE_RECORD) {
            comparison->records++;
            comparison->started += RUN_HAS(&run, start);
            if (RUN_HAS(&run, start)) {
                find_row(comparison, &run);
            }
        }
    }
    arena_release(&arena);
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static void cost_simulator_reads_alike(void **state)
{
    const struct folder_row *row = *state;
    char path[PEER_PATH_LEN];
    struct buf expected;
    struct buf file;
    (void)snprintf(path, sizeof(path), "%s/exp_jobs.csv", row->name);
    peer_file(path, &expected);
    struct comparison comparison = {.expected = expected.ptr};
    for (size_t i = 0; i < COUNT_OF(row->files) && row->files[i]; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", row->name, row->files[i]);
        peer_file(path, &file);
        compare_file(&comparison, buf_str(&file));
        buf_release(&file);
    }
    expect_int(comparison.records, row->records);
    expect_int(comparison.rejects, row->rejects);
    expect_int(comparison.started, row->started);
    expect_int(count_lines(expected.ptr), row->theirs + 1);
    expect_int(comparison.matched, row->started < row->theirs ? row->started : row->theirs);
    buf_release(&expected);
}

struct bad_row {
    const char *name;
    int records, rejects;
};

static const struct bad_row bad_rows[] = {
    {"lsf/bad-records/lsb.acct-invalid-record-type", 4, 1},
    {"lsf/bad-records/lsb.acct-missing-fields", 6, 0}, /* only what versions added last */
    {"lsf/numExHosts/lsb.acct", 3, 0},
};

static void bad_records_are_told_from_good_ones(void **state)
{
    const struct bad_row *row = *state;
    struct buf file;
    struct comparison comparison = {.expected = ""};
    peer_file(row->name, &file);
    compare_file(&comparison, buf_str(&file));
    expect_int(comparison.records, row->records);
    expect_int(comparison.rejects, row->rejects);
    buf_release(&file);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, xdmod_reads_alike);
    SUITE_TEST(&suite, apel_reads_alike);
    SUITE_ROWS(&suite, cost_simulator_reads_alike, folder_rows);
    SUITE_ROWS(&suite, bad_records_are_told_from_good_ones, bad_rows);
    return suite_run(&suite, "lsf_conformance");
}
