/* SPDX-License-Identifier: MIT */
#include <ftw.h>
#include <jansson.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/scan.h"
#include "unit/source/sge_reader.h"

/*
 * The driver against what others made of the same lines: Open XDMoD's and APEL's records, and
 * qacct's tables of a real cell. $STINT_DATA names the folder that has them; without it these tests
 * skip. Where we differ on purpose, the tables below say so; docs/sources/sge.md says why.
 */

enum { FILE_MAX = 1 << 20, PATH_LEN = 1024 };

/* $STINT_DATA, or the test is skipped. */
static const char *data_folder(void)
{
    const char *folder = getenv("STINT_DATA");
    if (!folder) {
        print_message("# STINT_DATA is not set: nothing to compare with\n");
        skip();
    }
    return folder;
}

static void read_data(const char *name, struct buf *out)
{
    const char *folder = data_folder();
    char path[PATH_LEN];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    struct error err = {0};
    buf_init(out, FILE_MAX);
    if (file_read(path, out, &err)) {
        expect_fail("%s", err.text);
    }
}

/* --- Open XDMoD ------------------------------------------------------------------------------- */

enum way {
    SAME_TEXT,    /* NONE and null are absent here */
    SAME_INT,     /* 0 is absent here for tasks */
    SAME_SECONDS, /* whole seconds; ours are finer */
    SAME_DECIMAL, /* seconds, or GB x seconds, with decimals */
    SAME_GIB,     /* GB with decimals; ours are bytes */
    SAME_BYTES,
    SAME_WANT_KIB, /* a requested size, in their KiB */
    NOT_KEPT,      /* a value we do not keep */
    NOT_OURS,      /* a value that is not the line's */
};

struct peer_key {
    const char *key;
    enum way way;
    int field; /* of enum run_field, or enum sge_want */
};

static const struct peer_key xdmod_keys[] = {
    {"qname", SAME_TEXT, RUN_partition},
    {"hostname", SAME_TEXT, RUN_node},
    {"groupname", SAME_TEXT, RUN_group},
    {"owner", SAME_TEXT, RUN_user},
    {"job_name", SAME_TEXT, RUN_name},
    {"job_number", SAME_INT, RUN_job},
    {"account", SAME_TEXT, RUN_account},
    {"priority", SAME_INT, RUN_priority},
    {"submission_time", SAME_SECONDS, RUN_submit},
    {"start_time", SAME_SECONDS, RUN_start},
    {"end_time", SAME_SECONDS, RUN_end},
    {"failed", SAME_TEXT, RUN_state},
    {"exit_status", SAME_INT, RUN_exit_code},
    {"ru_utime", SAME_DECIMAL, RUN_cpu_user_us},
    {"ru_stime", SAME_DECIMAL, RUN_cpu_system_us},
    {"project", SAME_TEXT, RUN_project},
    {"department", SAME_TEXT, RUN_department},
    {"granted_pe", SAME_TEXT, RUN_parallel_env},
    {"slots", SAME_INT, RUN_cpus},
    {"task_number", SAME_INT, RUN_task},
    {"cpu", SAME_DECIMAL, RUN_cpu_used_us},
    {"mem", SAME_DECIMAL, RUN_mem_integral_gib_us},
    {"io", SAME_GIB, RUN_io_bytes},
    {"category", SAME_TEXT, RUN_request},
    {"iow", SAME_DECIMAL, RUN_io_wait_us},
    {"pe_taskid", SAME_TEXT, RUN_part},
    {"maxvmem", SAME_BYTES, RUN_vmem_peak_bytes},
    {"arid", SAME_INT, RUN_reservation},
    {"resource_list_h_rt", SAME_SECONDS, RUN_req_wall_us},
    {"resource_list_slots", SAME_INT, RUN_req_cpus},
    {"resource_list_gpu", SAME_INT, RUN_req_gpus},
    {"resource_list_mem_free", SAME_WANT_KIB, SGE_WANT_MEM_FREE},
    {"resource_list_s_vmem", SAME_WANT_KIB, SGE_WANT_S_VMEM},
    {"resource_list_h_cpu", NOT_KEPT, 0},
    {"resource_list_s_cpu", NOT_KEPT, 0},
    {"resource_list_s_rt", NOT_KEPT, 0},
    {"resource_list_qname", NOT_KEPT, 0},
    {"ru_wallclock", NOT_KEPT, 0},
    {"ru_maxrss", NOT_KEPT, 0},
    {"ru_ixrss", NOT_KEPT, 0},
    {"ru_ismrss", NOT_KEPT, 0},
    {"ru_idrss", NOT_KEPT, 0},
    {"ru_isrss", NOT_KEPT, 0},
    {"ru_minflt", NOT_KEPT, 0},
    {"ru_majflt", NOT_KEPT, 0},
    {"ru_nswap", NOT_KEPT, 0},
    {"ru_inblock", NOT_KEPT, 0},
    {"ru_oublock", NOT_KEPT, 0},
    {"ru_msgsnd", NOT_KEPT, 0},
    {"ru_msgrcv", NOT_KEPT, 0},
    {"ru_nsignals", NOT_KEPT, 0},
    {"ru_nvcsw", NOT_KEPT, 0},
    {"ru_nivcsw", NOT_KEPT, 0},
    {"ar_submission_time", NOT_KEPT, 0},
    {"clustername", NOT_OURS, 0},
};

static int64_t int_of(const struct run *run, int field)
{
    int64_t value = 0;
    memcpy(&value, (const char *)run + run_fields[field].offset, sizeof(value));
    return value;
}

static struct str text_of(const struct run *run, int field)
{
    struct str text = {0};
    memcpy(&text, (const char *)run + run_fields[field].offset, sizeof(text));
    return text;
}

static void expect_same_number(const struct run *run, const struct peer_key *key,
                               struct str want)
{
    int64_t number = 0;
    int scale = key->way == SAME_DECIMAL ? 6 : 0;
    expect_true(key->way == SAME_GIB ? scan_size(want, INT64_C(1) << 30, &number)
                                     : scan_decimal(want, scale, &number));
    if (!run_has(run, (unsigned)key->field)) {
        expect_int(number, 0);
        return;
    }
    int64_t got = int_of(run, key->field);
    expect_int(key->way == SAME_SECONDS ? got / 1000000 : got, number);
}

static void expect_same(const struct run *run, const struct peer_key *key, struct str want)
{
    if (key->way == SAME_TEXT) {
        bool none = !want.ptr || str_eq(want, STR("NONE"));
        expect_int(run_has(run, (unsigned)key->field), !none);
        if (!none) {
            struct str got = text_of(run, key->field);
            expect_text_n(got.ptr, got.len, want.ptr);
        }
    } else if (key->way == SAME_WANT_KIB) {
        struct sge_request request;
        int64_t kib = 0;
        sge_request_parse(run->request, &request);
        expect_true(scan_int(want, &kib));
        expect_true(sge_wants(&request, (enum sge_want)key->field));
        expect_int(request.value[key->field] / 1024, kib);
    } else if (key->way != NOT_KEPT && key->way != NOT_OURS) {
        expect_same_number(run, key, want);
    }
}

static const struct peer_key *find_key(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(xdmod_keys); i++) {
        if (strcmp(xdmod_keys[i].key, name) == 0) {
            return &xdmod_keys[i];
        }
    }
    expect_fail("a key we know nothing of: %s", name);
}

static void expect_xdmod_record(struct str line, json_t *record)
{
    struct sge_reading r;
    sge_read(&r, line);
    expect_int(r.step, SOURCE_RECORD);
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(record, name, value)
    {
        char number[32];
        struct str want = {0};
        if (json_is_string(value)) {
            want = str_of(json_string_value(value));
        } else if (json_is_integer(value)) {
            (void)snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
                           json_integer_value(value));
            want = str_of(number);
        }
        expect_same(&r.run, find_key(name), want);
    }
    sge_reading_release(&r);
}

static void expect_xdmod(const char *folder, size_t records)
{
    char path[PATH_LEN];
    struct buf input;
    struct buf output;
    (void)snprintf(path, sizeof(path),
                   "line-to-record-xdmod/shredder/%s/input/accounting-logs.log", folder);
    read_data(path, &input);
    (void)snprintf(path, sizeof(path),
                   "line-to-record-xdmod/shredder/%s/output/accounting-logs.json", folder);
    read_data(path, &output);
    json_t *wanted = json_loadb(output.ptr, output.len, 0, NULL);
    expect_int((int64_t)json_array_size(wanted), (int64_t)records);
    struct str rest = buf_str(&input);
    for (size_t i = 0; i < records; i++) {
        expect_xdmod_record(str_cut(&rest, '\n'), json_array_get(wanted, i));
    }
    json_decref(wanted);
    buf_release(&input);
    buf_release(&output);
}

static void xdmod_reads_grid_engine_alike(void **state)
{
    (void)state;
    expect_xdmod("sge", 2);
}

static void xdmod_reads_univa_alike(void **state)
{
    (void)state;
    expect_xdmod("uge", 2);
}

/* --- APEL ------------------------------------------------------------------------------------- */

static int64_t get_int(const json_t *record, const char *key)
{
    return json_integer_value(json_object_get(record, key));
}

/* Rounded half up, as APEL does. */
static int64_t whole_seconds(int64_t us)
{
    return (us + 500000) / 1000000;
}

static void expect_apel_record(const struct sge_reading *r, const json_t *want)
{
    const struct run *run = &r->run;
    int64_t job = 0;
    expect_true(scan_int(str_of(json_string_value(json_object_get(want, "JobName"))), &job));
    expect_int(run->job, job);
    expect_field_text(r, user, json_string_value(json_object_get(want, "LocalUserID")));
    expect_field_text(r, group, json_string_value(json_object_get(want, "LocalUserGroup")));
    expect_int(whole_seconds(run->start), get_int(want, "StartTime"));
    expect_int(whole_seconds(run->end), get_int(want, "StopTime"));
    expect_int(whole_seconds(run->cpu_used_us), get_int(want, "CpuDuration"));
    expect_int(run->vmem_peak_bytes, get_int(want, "MemoryVirtual"));
    expect_int(run->cpus, get_int(want, "Processors"));
    /* Their wall time is ru_wallclock, ours end - start; where these differ, we say so. */
    int64_t wall_s = whole_seconds(run->end - run->start);
    bool agree = (run->flags & RUN_FLAG_CLOCKS_DISAGREE) == 0;
    expect_int(wall_s == get_int(want, "WallDuration"), agree);
    /* Their MemoryReal is GB x seconds called KiB; ours stays what it is. */
    expect_int((int64_t)((double)run->mem_integral_gib_us * 1048576 / 1e6),
               get_int(want, "MemoryReal"));
}

static void apel_reads_alike(void **state)
{
    (void)state;
    struct buf cases;
    read_data("line-to-record-apel/cases.jsonl", &cases);
    int compared = 0;
    for (struct str rest = buf_str(&cases); rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        json_t *item = json_loadb(line.ptr, line.len, 0, NULL);
        const char *format = json_string_value(json_object_get(item, "format"));
        if (format && strcmp(format, "sge") == 0) {
            struct sge_reading r;
            const json_t *want = json_object_get(item, "expect");
            sge_read(&r, str_of(json_string_value(json_object_get(item, "line"))));
            expect_int(r.step, SOURCE_RECORD);
            if (json_is_object(want)) {
                expect_apel_record(&r, want);
                compared++;
            }
            sge_reading_release(&r);
        }
        json_decref(item);
    }
    expect_int(compared, 5);
    buf_release(&cases);
}

/* --- qacct ------------------------------------------------------------------------------------ */

struct table_row {
    const char *name; /* of the table in qacct-all.txt */
    int field;
};

static const struct table_row table_rows[] = {
    {"qacct -o", RUN_user},          {"qacct -q", RUN_partition}, {"qacct -P", RUN_project},
    {"qacct -D", RUN_department},    {"qacct -h", RUN_node},      {"qacct -g", RUN_group},
    {"qacct -pe", RUN_parallel_env}, {"qacct -A", RUN_account},
};

struct sums {
    int64_t wall_us;
    int64_t user_us;
    int64_t system_us;
    int64_t cpu_us;
    int64_t io_bytes;
    int rows;
};

/* Over all rows, slave tasks among them: that is how qacct counts. */
static struct sums sum_where(struct str file, int field, struct str value)
{
    struct sums sums = {0};
    struct arena arena = {0};
    struct source_cursor cursor = {.rest = file, .next_line = 1, .arena = &arena};
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END;) {
        struct run run = {0};
        struct error err = {0};
        step = sge_driver.next(NULL, &cursor, &run, &err);
        struct str got = run_has(&run, (unsigned)field) ? text_of(&run, field) : STR("NONE");
        if (step == SOURCE_RECORD && str_eq(got, value)) {
            sums.wall_us += run.end - run.start;
            sums.user_us += run.cpu_user_us;
            sums.system_us += run.cpu_system_us;
            sums.cpu_us += run.cpu_used_us;
            sums.io_bytes += run.io_bytes;
            sums.rows++;
        }
        expect_true(step != SOURCE_REJECT);
    }
    arena_release(&arena);
    return sums;
}

static struct str next_word(struct str *rest)
{
    *rest = str_trim(*rest);
    struct str word = str_cut(rest, ' ');
    return word;
}

static int64_t next_thousandths(struct str *rest)
{
    int64_t value = -1;
    expect_true(scan_decimal(next_word(rest), 3, &value));
    return value;
}

/* qacct prints thousandths. */
static void expect_near(int64_t got, int64_t want)
{
    expect_true(got >= want - 1 && got <= want + 1);
}

static void expect_table_line(struct str file, int field, struct str line)
{
    struct str key = next_word(&line);
    struct sums sums = sum_where(file, field, key);
    expect_true(sums.rows > 0);
    expect_int(sums.wall_us / 1000, next_thousandths(&line));
    expect_near(sums.user_us / 1000, next_thousandths(&line));
    expect_near(sums.system_us / 1000, next_thousandths(&line));
    expect_near(sums.cpu_us / 1000, next_thousandths(&line));
    expect_int(next_thousandths(&line), 0);
    expect_near(sums.io_bytes * 1000 / (INT64_C(1) << 30), next_thousandths(&line));
}

static void qacct_counts_alike(void **state)
{
    const struct table_row *row = *state;
    struct buf accounting;
    struct buf tables;
    read_data("sge/live-8.1.9/accounting", &accounting);
    read_data("sge/live-8.1.9/qacct-all.txt", &tables);
    char heading[64];
    (void)snprintf(heading, sizeof(heading), "### %s\n", row->name);
    const char *start = strstr(tables.ptr, heading);
    assert_non_null(start);
    struct str rest = str_of(start);
    (void)str_cut(&rest, '\n'); /* the command, the heading, the line below it */
    (void)str_cut(&rest, '\n');
    (void)str_cut(&rest, '\n');
    int lines = 0;
    for (; rest.ptr && rest.len > 0 && rest.ptr[0] != '#'; lines++) {
        expect_table_line(buf_str(&accounting), row->field, str_cut(&rest, '\n'));
    }
    expect_true(lines > 0);
    buf_release(&accounting);
    buf_release(&tables);
}

static void live_cell_is_read_whole(void **state)
{
    (void)state;
    struct buf accounting;
    read_data("sge/live-8.1.9/accounting", &accounting);
    struct arena arena = {0};
    struct source_cursor cursor = {
        .rest = buf_str(&accounting), .next_line = 1, .arena = &arena};
    int counts[4] = {0};
    int parts = 0;
    int flags = 0;
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END; counts[step]++) {
        struct run run = {0};
        struct error err = {0};
        step = sge_driver.next(NULL, &cursor, &run, &err);
        parts += RUN_HAS(&run, part);
        flags += run.flags != 0;
        if (step == SOURCE_RECORD && str_eq(run.name, STR("wall"))) {
            expect_true(str_eq(run.class, STR("timeout")));
        }
        if (step == SOURCE_RECORD && str_eq(run.name, STR("gpu"))) {
            expect_int(run.gpus, 2);
        }
    }
    arena_release(&arena);
    expect_int(counts[SOURCE_RECORD], 27);
    expect_int(counts[SOURCE_SKIP], 4);
    expect_int(counts[SOURCE_REJECT], 0);
    expect_int(parts, 3);
    expect_int(flags, 0);
    expect_int(sge_driver.recognise(buf_str(&accounting)), 100);
    buf_release(&accounting);
}

/* --- files of others -------------------------------------------------------------------------- */

enum { HEAD_SIZE = 1 << 16, FOLDERS_OPEN = 16 };

static int files_seen;

static bool is_accounting(const char *path)
{
    static const char *const ours[] = {"sge/live-8.1.9/accounting", "sge/live-8.1.9/reporting",
                                       "shredder/sge/input/", "shredder/uge/input/"};
    for (size_t i = 0; i < COUNT_OF(ours); i++) {
        if (strstr(path, ours[i])) {
            return true;
        }
    }
    return false;
}

static int look_at_file(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)walk;
    FILE *file = type == FTW_F ? fopen(path, "rb") : NULL;
    if (!file) {
        return 0;
    }
    static char head[HEAD_SIZE];
    size_t size = fread(head, 1, sizeof(head), file);
    (void)fclose(file);
    int sure = sge_driver.recognise((struct str){head, size});
    if ((sure > 0) != is_accounting(path)) {
        print_message("%s: %d\n", path, sure);
        return 1;
    }
    files_seen++;
    return 0;
}

static void no_other_file_is_recognised(void **state)
{
    (void)state;
    expect_int(nftw(data_folder(), look_at_file, FOLDERS_OPEN, FTW_PHYS), 0);
    expect_true(files_seen > 100);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, xdmod_reads_grid_engine_alike);
    SUITE_TEST(&suite, xdmod_reads_univa_alike);
    SUITE_TEST(&suite, apel_reads_alike);
    SUITE_ROWS(&suite, qacct_counts_alike, table_rows);
    SUITE_TEST(&suite, live_cell_is_read_whole);
    SUITE_TEST(&suite, no_other_file_is_recognised);
    return suite_run(&suite, "sge_conformance");
}
