/* SPDX-License-Identifier: MIT */
#include "base/zone.h"
#include "unit/source/slurm_reader.h"

/*
 * sacct --json and slurmrestd's slurmdb: numbers and states in the guises they have had, and jobs
 * found in a document that is never held as a whole.
 */

/* One job in the manner of 22.05, and the same in that of 24.11. */
#define OLD_JOB                                                                                \
    "{\"account\":\"phys\",\"allocation_nodes\":2,\"array\":{\"job_id\":40,\"task\":null,"     \
    "\"task_id\":3},\"association\":{\"user\":\"ann\"},\"cluster\":\"tb\",\"time\":{"          \
    "\"elapsed\":"                                                                             \
    "100,\"eligible\":1700000000,\"end\":1700000200,\"start\":1700000100,\"submission\":"      \
    "1700000000,\"suspended\":0,\"system\":{\"seconds\":0,\"microseconds\":0},\"limit\":10,"   \
    "\"total\":{\"seconds\":0,\"microseconds\":0},\"user\":{\"seconds\":0,\"microseconds\":0}" \
    "},"                                                                                       \
    "\"exit_code\":{\"status\":\"SIGNALED\",\"return_code\":null,\"signal\":{\"signal_id\":9}" \
    "},"                                                                                       \
    "\"group\":\"staff\",\"het\":{\"job_id\":0,\"job_offset\":null},\"job_id\":43,\"name\":"   \
    "\"a | \\\"b\\\" } ]\",\"nodes\":\"c[1-2]\",\"partition\":\"cpu\",\"priority\":5,\"qos\":" \
    "\"normal\",\"required\":{\"CPUs\":8,\"memory\":100},\"kill_request_user\":\"root\","      \
    "\"reservation\":{\"id\":0,\"name\":0},\"state\":{\"current\":\"CANCELLED\",\"reason\":"   \
    "\"None\"},\"steps\":[{\"tres\":{\"requested\":{\"total\":[{\"type\":\"mem\",\"name\":"    \
    "null,\"count\":4096},{\"type\":\"fs\",\"name\":\"disk\",\"count\":10}]},\"consumed\":"    \
    "{\"total\":[{\"type\":\"fs\",\"name\":\"disk\",\"count\":5}]}},\"time\":{\"system\":"     \
    "{\"seconds\":1,\"microseconds\":500000},\"total\":{\"seconds\":2,\"microseconds\":0},"    \
    "\"user\":{\"seconds\":0,\"microseconds\":500000}},\"tasks\":{\"count\":2},\"step\":"      \
    "{\"id\":\"batch\"}}],\"tres\":{\"allocated\":[{\"type\":\"cpu\",\"count\":8},{\"type\":"  \
    "\"mem\",\"count\":200},{\"type\":\"energy\",\"count\":-2},{\"type\":\"gres\",\"name\":"   \
    "\"gpu:a100\",\"count\":2},{\"type\":\"gres\",\"name\":\"gpu\",\"count\":2},{\"type\":"    \
    "\"billing\",\"count\":9}],\"requested\":[{\"type\":\"cpu\",\"count\":8},{\"type\":"       \
    "\"mem\","                                                                                 \
    "\"count\":200}]},\"user\":\"ann\",\"wckey\":{\"wckey\":\"\"},\"working_directory\":\"/"   \
    "w\"}"

#define NUMBER(n) "{\"set\":true,\"infinite\":false,\"number\":" #n "}"
#define UNSET     "{\"set\":false,\"infinite\":false,\"number\":0}"

#define NEW_JOB                                                                                \
    "{\"account\":\"phys\",\"allocation_nodes\":2,\"array\":{\"job_id\":40,\"task_"            \
    "id\":" NUMBER(                                                                            \
        3) ",\"task\":\"\"},\"association\":{\"user\":\"ann\",\"id\":12},\"cluster\":"         \
           "\"tb\",\"time\":{\"elapsed\":100,\"eligible\":1700000000,\"end\":1700000200,"      \
           "\"planned\":" NUMBER(                                                              \
               2) ",\"start\":1700000100,\"submission\":1700000000,\"suspended\":0,"           \
                  "\"system\":"                                                                \
                  "{\"seconds\":0,\"microseconds\":0},\"limit\":" NUMBER(                      \
                      10) ",\"total\":{\"seconds\":0,"                                         \
                          "\"microseconds\":0},\"user\":{\"seconds\":0,\"microseconds\":0}},"  \
                          "\"exit_code\":"                                                     \
                          "{\"status\":[\"SIGNALED\"],\"return_code\":" UNSET                  \
                          ",\"signal\":{\"id\":" NUMBER(                                       \
                              9) ",\"name\":\"KILL\"}},\"group\":\"staff\",\"het\":{\"job_"    \
                                 "id\":0,\"job_offset\":" UNSET                                \
                                 "},\"job_id\":43,\"name\":\"a | \\\"b\\\" } "                 \
                                 "]\",\"nodes\":\"c[1-2]\",\"partition\":"                     \
                                 "\"cpu\",\"priority\":" NUMBER(                               \
                                     5) ",\"qos\":\"normal\",\"required\":{\"CPUs\":8,"        \
                                        "\"memory_per_cpu\":" UNSET                            \
                                        ",\"memory_per_node\":" NUMBER(                        \
                                            100) "},\"kill_request_user\":\"root\","           \
                                                 "\"reservation\":{\"id\":0,\"name\":\"\"},"   \
                                                 "\"state\":"                                  \
                                                 "{\"current\":[\"CANCELLED\"],\"reason\":"    \
                                                 "\"None\"},\"steps\":[{\"time\":{"            \
                                                 "\"end\":" NUMBER(                            \
                                                     1700000200) ",\"system\":{\"seconds\":1," \
                                                                 "\"microseconds\":500000},"   \
                                                                 "\"total\":"                  \
                                                                 "{\"seconds\":2,"             \
                                                                 "\"microseconds\":0},"        \
                                                                 "\"user\":{\"seconds\":0,"    \
                                                                 "\"microseconds\":500000}},"  \
                                                                 "\"tasks\":{\"count\":2},"    \
                                                                 "\"step\":{\"id\":\"43."      \
                                                                 "batch\",\"name\":\"batch\"}" \
                                                                 ",\"tres\":"                  \
                                                                 "{\"requested\":{\"total\":[" \
                                                                 "{\"type\":\"mem\",\"name\":" \
                                                                 "\"\",\"count\":4096},{"      \
                                                                 "\"type\":"                   \
                                                                 "\"fs\",\"name\":\"disk\","   \
                                                                 "\"count\":10}]},"            \
                                                                 "\"consumed\":{\"total\":[{"  \
                                                                 "\"type\":\"fs\","            \
                                                                 "\"name\":\"disk\","          \
                                                                 "\"count\":5}]}}}],\"tres\":" \
                                                                 "{\"allocated\":[{\"type\":"  \
                                                                 "\"cpu\",\"name\":"           \
                                                                 "\"\",\"count\":8},{"         \
                                                                 "\"type\":\"mem\",\"name\":"  \
                                                                 "\"\",\"count\":200},{"       \
                                                                 "\"type\":\"energy\","        \
                                                                 "\"name\":\"\",\"count\":-2}" \
                                                                 ",{\"type\":\"gres\","        \
                                                                 "\"name\":\"gpu:a100\","      \
                                                                 "\"count\":2},"               \
                                                                 "{\"type\":\"gres\","         \
                                                                 "\"name\":\"gpu\",\"count\":" \
                                                                 "2},{\"type\":\"billing\","   \
                                                                 "\"count\":9}],"              \
                                                                 "\"requested\":[{\"type\":"   \
                                                                 "\"cpu\",\"count\":8},{"      \
                                                                 "\"type\":\"mem\",\"count\":" \
                                                                 "200}]},"                     \
                                                                 "\"user\":\"ann\",\"wckey\":" \
                                                                 "{\"wckey\":\"\",\"flags\":[" \
                                                                 "]},\"working_directory\":"   \
                                                                 "\"/w\"}"

#define SMALL_JOB(id, state)                                                                   \
    "{\"association\":{\"user\":\"bob\"},\"job_id\":" #id                                      \
    ",\"time\":{\"submission\":1700000000,\"start\":0,\"end\":0},\"state\":{"                  \
    "\"current\":" state "}}"

#define DOCUMENT(jobs)                                                                         \
    "{\"meta\":{\"Slurm\":{\"release\":\"22.05.8\"},\"odd\":[\"jobs\",{\"jobs\":[1]}]},"       \
    "\"errors\":[],\n \"jobs\" : [ " jobs "\n ],\"warnings\":[{\"x\":\"]}\"}]}\n"

struct job_row {
    const char *name;
    const char *text;
};

static const struct job_row job_rows[] = {
    {"plain values of 22.05", DOCUMENT(OLD_JOB)},
    {"number objects and lists of 24.11", DOCUMENT(NEW_JOB)},
    {"the list of jobs first", "{\"jobs\":[" NEW_JOB "],\"meta\":{\"slurm\":{}}}"},
    {"a message before the document", "sacct: warning: {hello\n" DOCUMENT(OLD_JOB)},
};

static void job_says_the_same_in_every_guise(void **state)
{
    const struct job_row *row = *state;
    struct slurm_reading r;
    slurm_read(&r, row->text);
    expect_uint(r.count, 1);
    const struct run *run = slurm_run_at(&r, 0);
    expect_run(run, job, 40);
    expect_run(run, task, 3);
    expect_run(run, job_raw, 43);
    expect_run(run, attempt, 1700000000 * SECOND_US);
    expect_run(run, start, 1700000100 * SECOND_US);
    expect_run(run, end, 1700000200 * SECOND_US);
    expect_run(run, req_wall_us, 600 * SECOND_US);
    expect_run(run, signal, 9);
    expect_run(run, exit_code, 0);
    expect_run(run, cpus, 8);
    expect_run(run, node_count, 2);
    expect_run(run, gpus, 2);
    expect_run(run, billing, 9);
    expect_run(run, mem_bytes, 200 << 20);
    expect_run(run, req_mem_bytes, 200 << 20);
    expect_run(run, cpu_used_us, 2 * SECOND_US);
    expect_run(run, cpu_user_us, SECOND_US / 2);
    expect_run(run, mem_peak_bytes, 4096);
    expect_run(run, io_bytes, 15);
    expect_run(run, priority, 5);
    expect_run_text(run, mem_basis, "step-rss");
    expect_run_text(run, gpu_type, "a100");
    expect_run_text(run, name, "a | \"b\" } ]");
    expect_run_text(run, node, "c1");
    expect_run_text(run, cluster, "tb");
    expect_run_text(run, state, "CANCELLED");
    expect_run_text(run, class, "cancelled");
    expect_run_text(run, reason, "by root");
    expect_run_absent(run, energy_mj);
    expect_run_absent(run, reservation);
    expect_run_absent(run, wckey);
    slurm_reading_release(&r);
}

struct state_row {
    const char *name; /* as JSON */
    const char *state;
    const char *class;
};

static const struct state_row state_rows[] = {
    {"\"PENDING\"", "PENDING", "pending"},
    {"[\"RUNNING\",\"COMPLETING\"]", "RUNNING+COMPLETING", "running"},
    {"[\"NEVER_HEARD_OF\"]", "NEVER_HEARD_OF", "other"},
    {"[\"OUT_OF_MEMORY\"]", "OUT_OF_MEMORY", "oom"},
    {"[\"BOOT_FAIL\"]", "BOOT_FAIL", "node_fail"},
};

static void state_is_a_string_or_a_list(void **state)
{
    const struct state_row *row = *state;
    char text[1024];
    struct slurm_reading r;
    (void)snprintf(text, sizeof(text), DOCUMENT(SMALL_JOB(7, "%s")), row->name);
    slurm_read(&r, text);
    expect_run_text(slurm_run_at(&r, 0), state, row->state);
    expect_run_text(slurm_run_at(&r, 0), class, row->class);
    expect_run_absent(slurm_run_at(&r, 0), start);
    slurm_reading_release(&r);
}

#define THREE                                                                                  \
    DOCUMENT(SMALL_JOB(1, "\"FAILED\"") ",\n" OLD_JOB "\n,\n" SMALL_JOB(3, "[\"TIMEOUT\"]"))

/* The runs of a file read in two pieces, cut after `len` bytes at most. */
static void expect_same_when_cut(struct str all, void *format, size_t len, bool *cut_at)
{
    char *copy = mem_alloc(len, 1);
    memcpy(copy, all.ptr, len);
    size_t cut = slurm_driver.cut(format, (struct str){copy, len}, false);
    free(copy);
    expect_true(cut <= len);
    struct slurm_reading first = {0}, rest = {0};
    first.items = mem_alloc(SLURM_READ_MAX, sizeof(*first.items));
    rest.items = mem_alloc(SLURM_READ_MAX, sizeof(*rest.items));
    slurm_read_all(&first, format, (struct str){all.ptr, cut});
    slurm_read_all(&rest, format, (struct str){all.ptr + cut, all.len - cut});
    expect_uint(first.rejects + rest.rejects, 0);
    expect_uint(first.records + rest.records, 6);
    cut_at[first.records] = true;
    slurm_reading_release(&first);
    slurm_reading_release(&rest);
}

/* Two documents one after the other, and a cut after every byte. */
static void cut_finds_the_borders_of_jobs(void **state)
{
    (void)state;
    static const char text[] = THREE THREE;
    const struct source_options options = {0};
    struct str all = {text, sizeof(text) - 1};
    struct error err;
    void *format = NULL;
    bool cut_at[7] = {0};
    expect_int(slurm_driver.open(all, &options, &format, &err), 0);
    for (size_t len = 1; len <= all.len; len++) {
        expect_same_when_cut(all, format, len, cut_at);
    }
    for (size_t i = 0; i < 7;
         i++) { /* after each job, but after whole documents where there are */
        expect_int(10 * (int)i + cut_at[i], 10 * (int)i + (i <= 3 || i == 6));
    }
    expect_uint(slurm_driver.cut(format, all, true), all.len);
    slurm_driver.close(format);
}

static void skip_finds_the_end_of_one_job_in_any_pieces(void **state)
{
    (void)state;
    static const char text[] = " ,\n" OLD_JOB ", {}";
    const size_t want = sizeof(text) - 1 - 4;
    const struct source_options options = {0};
    struct error err;
    void *format = NULL;
    expect_int(slurm_driver.open(STR(DOCUMENT(OLD_JOB)), &options, &format, &err), 0);
    for (size_t piece = 1; piece < sizeof(text); piece++) {
        uint64_t skip_state = 0;
        size_t at = 0;
        for (bool more = true; more;) {
            size_t len = at + piece < sizeof(text) - 1 ? piece : sizeof(text) - 1 - at;
            size_t used = 0;
            more =
                !(slurm_driver.skip)(format, &skip_state, (struct str){text + at, len}, &used);
            at += used;
            expect_true(at <= want);
        }
        expect_uint(at, want);
    }
    slurm_driver.close(format);
}

static void a_document_cut_off_gives_the_jobs_before(void **state)
{
    (void)state;
    static const char text[] = THREE;
    const struct source_options options = {0};
    struct slurm_reading r;
    slurm_read_with(&r, (struct str){text, sizeof(text) - 100}, &options);
    expect_uint(r.records, 2);
    expect_uint(r.rejects, 1);
    slurm_reading_release(&r);
}

static void a_bad_job_costs_no_other(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(
        &r,
        DOCUMENT(SMALL_JOB(1, "\"FAILED\"") ",{\"job_id\":tru},{\"job_id\":null}," SMALL_JOB(
            3, "\"FAILED\"")));
    expect_uint(r.records, 2);
    expect_uint(r.rejects, 2);
    expect_contains(r.items[1].error, "is not JSON");
    expect_contains(r.items[2].error, "job_id");
    slurm_reading_release(&r);
}

static void a_list_of_waiting_tasks_is_counted(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r,
               DOCUMENT("{\"job_id\":9,\"association\":{},\"array\":{\"job_id\":9,\"task\":"
                        "\"1-5,9%2\",\"task_id\":null},\"time\":{\"submission\":1700000000},"
                        "\"state\":{\"current\":\"PENDING\"}}"));
    expect_run(slurm_run_at(&r, 0), task_count, 6);
    expect_run_absent(slurm_run_at(&r, 0), task);
    slurm_reading_release(&r);
}

/* 22.05 of an array that was cancelled while it waited. */
static void a_mask_of_waiting_tasks_is_counted(void **state)
{
    static const struct {
        const char *mask;
        int64_t count; /* 0: refused */
    } rows[] = {
        {"0x3E", 5}, {"0xFFFFFFFFFFFFFFFFFFFF1", 81}, {"0x2%4", 1}, {"0x", 0}, {"0x0", 0},
        {"0x3G", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 DOCUMENT("{\"job_id\":9,\"association\":{},\"array\":{\"job_id\":9,\"task\":"
                          "\"%s\",\"task_id\":null},\"time\":{\"submission\":1700000000},"
                          "\"state\":{\"current\":\"CANCELLED\"}}"),
                 rows[i].mask);
        struct slurm_reading r;
        slurm_read(&r, text);
        expect_uint(r.rejects, rows[i].count == 0);
        if (rows[i].count > 0) {
            expect_run(slurm_run_at(&r, 0), task_count, rows[i].count);
            expect_run_absent(slurm_run_at(&r, 0), task);
        }
        slurm_reading_release(&r);
    }
}

static void a_component_has_the_number_of_its_leader(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, DOCUMENT("{\"job_id\":17,\"association\":{},\"het\":{\"job_id\":16,"
                            "\"job_offset\":1},\"time\":{\"submission\":1700000000},\"state\":"
                            "{\"current\":\"PENDING\"}}"));
    expect_run(slurm_run_at(&r, 0), job, 16);
    expect_run(slurm_run_at(&r, 0), het, 1);
    expect_run(slurm_run_at(&r, 0), job_raw, 17);
    slurm_reading_release(&r);
}

struct reply_row {
    const char *name;
    const char *text;
    const char *why; /* NULL: it is an answer, of no jobs */
};

#define META "\"meta\":{\"plugin\":{\"type\":\"openapi/slurmdbd\"},\"slurm\":{}}"

static const struct reply_row reply_rows[] = {
    {"no jobs", "{\"jobs\":[]," META ",\"errors\":[]}", NULL},
    {"no jobs, and no list of errors", "{\"jobs\":[]," META "}", NULL},
    {"an error before the jobs",
     "{\"errors\":[{\"error\":\"token expired\",\"description\":\"cannot "
     "ask\"}],\"jobs\":[]," META "}",
     "an error instead of jobs: token expired: cannot ask"},
    {"an error behind them",
     "{" META ",\"jobs\":[ ],\"errors\": [ {\"description\":\"cannot ask\"} ]}",
     "an error instead of jobs: cannot ask"},
    {"an error without words", "{\"jobs\":[]," META ",\"errors\":[7]}", "does not say"},
    {"nothing found is an answer, though it comes as an error",
     "{\"jobs\":[]," META ",\"errors\":[{\"error_number\":9003,\"error\":\"nothing\"}]}", NULL},
};

/* A token that has expired must not look like a quiet day. */
static void an_error_in_place_of_jobs_is_refused(void **state)
{
    const struct reply_row *row = *state;
    const struct source_options options = {0};
    struct slurm_reading r;
    slurm_read_with(&r, str_of(row->text), &options);
    expect_int(r.failed, row->why ? ERROR_INPUT : 0);
    expect_uint(r.count, 0);
    if (row->why) {
        expect_contains(r.err.text, row->why);
    }
    slurm_reading_release(&r);
}

static void no_jobs_are_no_records(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, DOCUMENT(""));
    expect_uint(r.count, 0);
    slurm_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, job_says_the_same_in_every_guise, job_rows);
    SUITE_ROWS(&suite, state_is_a_string_or_a_list, state_rows);
    SUITE_TEST(&suite, cut_finds_the_borders_of_jobs);
    SUITE_TEST(&suite, skip_finds_the_end_of_one_job_in_any_pieces);
    SUITE_TEST(&suite, a_document_cut_off_gives_the_jobs_before);
    SUITE_TEST(&suite, a_bad_job_costs_no_other);
    SUITE_TEST(&suite, a_list_of_waiting_tasks_is_counted);
    SUITE_TEST(&suite, a_mask_of_waiting_tasks_is_counted);
    SUITE_TEST(&suite, a_component_has_the_number_of_its_leader);
    SUITE_ROWS(&suite, an_error_in_place_of_jobs_is_refused, reply_rows);
    SUITE_TEST(&suite, no_jobs_are_no_records);
    return suite_run(&suite, "slurm_json");
}
