/* SPDX-License-Identifier: MIT */
#include "source/nomad/nomad.h"

#include "unit/source/peer.h"

/*
 * Snapshots job by job, names that tell a time, and allocations of real clusters in $STINT_DATA. Allocations
 * shape by shape are in tests/fixtures/nomad.
 */

#define FIRST                                                                                  \
    "\"job_ID\":\"1b2c\",\"name\":\"module-1b2c\",\"owner\":\"u1@idp\",\"alloc_ID\":\"9f\","
#define RES                                                                                    \
    "\"resources\":{\"cpu_num\":4,\"cpu_MHz\":9600,\"gpu_num\":1,\"memory_MB\":8000,\"disk_"   \
    "MB\":2}"
#define SUBMIT "\"submit_time\":\"2025-02-01 10:00:00\","
#define START  "\"alloc_start\":\"2025-02-01T10:00:31.123456789Z\","
#define SEEN   "1738414800000000" /* 2025-02-01T13:00:00Z */

struct job_row {
    const char *name;
    const char *job; /* members of one */
    const struct want *wants;
};

static const struct job_row job_rows[] = {
    {"a job that runs",
     FIRST SUBMIT START RES ",\"status\":\"running\",\"alloc_end\":null,\"datacenter\":\"dc1\","
                            "\"docker_image\":\"org/img\",\"docker_command\":\"go --fast\"",
     WANTS({"job_key", "9f"}, {"attempt", "-1"}, {"job", NULL}, {"user", "u1@idp"},
           {"account", "vo.demo"}, {"partition", "dc1"}, {"name", "module-1b2c"},
           {"submit", "1738396800000000"}, {"start", "1738404031123456"}, {"end", NULL},
           {"class", "running"}, {"cpus", "4"}, {"gpus", "1"}, {"mem", "8388608000"},
           {"disk", "2097152"}, {"request", "cpu_mhz=9600"}, {"command", "org/img go --fast"},
           {"seen", SEEN}, {"flags", "0"})},
    {"a job without an allocation waits under its own name",
     "\"job_ID\":\"1b2c\",\"status\":\"queued\",\"alloc_ID\":null,\"alloc_start\":null," SUBMIT
         RES,
     WANTS({"job_key", "1b2c@vo.demo"}, {"attempt", "1738396800000000"}, {"class", "pending"},
           {"start", NULL}, {"cpus", NULL}, {"req_cpus", "4"}, {"req_mem", "8388608000"},
           {"req_gpus", "1"}, {"disk", NULL}, {"request", "cpu_mhz=9600 disk_mb=2"},
           {"name", "1b2c"})},
    {"one without any time", "\"job_ID\":\"1b2c\",\"status\":\"queued\"",
     WANTS({"attempt", "-2"}, {"submit", NULL}, {"req_cpus", NULL}, {"seen", SEEN})},
    {"an end, without digits",
     FIRST START "\"status\":\"complete\",\"alloc_end\":\"2025-02-01T11:00:00Z\"",
     WANTS({"end", "1738407600000000"}, {"class", "completed"}, {"cpus", NULL})},
    {"an end, with one",
     FIRST START "\"status\":\"failed\",\"alloc_end\":\"2025-02-01T11:00:00.5Z\","
                 "\"error_msg\":\"no such image\"",
     WANTS({"end", "1738407600500000"}, {"class", "failed"}, {"reason", "no such image"})},
    {"an end, with an offset and many digits",
     FIRST START
     "\"status\":\"complete\",\"alloc_end\":\"2025-02-01T12:00:00.1234567890123+01:00\"",
     WANTS({"end", "1738407600123456"})},
    {"an end of a task that runs again is none",
     FIRST START "\"status\":\"running\",\"alloc_end\":\"2025-02-01T11:00:00Z\"",
     WANTS({"end", NULL}, {"class", "running"})},
    {"dead, with its end",
     FIRST START "\"status\":\"dead\",\"alloc_end\":\"2025-02-01T11:00:00Z\"",
     WANTS({"end", "1738407600000000"}, {"class", "other"}, {"state", "dead"})},
    {"dead, nobody knows since when, does not run on",
     FIRST START "\"status\":\"dead\",\"alloc_end\":null",
     WANTS({"end", NULL}, {"class", "cancelled"})},
    {"down is cut off, and holds what it has", FIRST START RES ",\"status\":\"down\"",
     WANTS({"class", "running"}, {"state", "down"}, {"cpus", "4"})},
    {"starting has an allocation and no start", FIRST RES ",\"status\":\"starting\"",
     WANTS({"job_key", "9f"}, {"class", "pending"}, {"cpus", NULL}, {"req_cpus", "4"})},
    {"one that has started holds what it has, though not all of it runs yet",
     FIRST START RES ",\"status\":\"starting\"",
     WANTS({"class", "running"}, {"state", "starting"}, {"cpus", "4"}, {"req_cpus", NULL})},
    {"a state of tomorrow is kept", FIRST START "\"status\":\"paused\"",
     WANTS({"class", "other"}, {"state", "paused"})},
    {"MHz without cores are no cpus",
     FIRST START
     "\"status\":\"running\",\"resources\":{\"cpu_num\":0,\"cpu_MHz\":9600,\"gpu_num\":0}",
     WANTS({"cpus", NULL}, {"request", "cpu_mhz=9600"}, {"gpus", "0"}, {"mem", NULL})},
    {"nonsense is absent",
     FIRST
     "\"alloc_start\":\"2025-02-30T10:00:00Z\",\"submit_time\":\"yesterday\",\"status\":7,"
     "\"resources\":{\"cpu_num\":-4,\"memory_MB\":\"much\",\"gpu_num\":null}",
     WANTS({"start", NULL}, {"submit", NULL}, {"state", NULL}, {"req_cpus", NULL},
           {"req_mem", NULL}, {"req_gpus", NULL}, {"class", "other"})},
};

/* The first record of a snapshot of one job, taken at 13:00; its local times are those of Athens. */
static void read_job(const char *members, const char *path, struct arena *arena,
                     struct run *run, enum source_step *step)
{
    static char file[4096];
    (void)snprintf(file, sizeof(file), "{\"vo.demo\": [ {%s} ], \"b\":[]}\n", members);
    struct zone *zone = NULL;
    struct error err = {0};
    void *format = NULL;
    assert_int_equal(zone_open("EET-2", &zone, &err), 0);
    const struct source_options options = {.zone = zone, .path = str_of(path)};
    assert_int_equal(nomad_driver.open(str_of(file), &options, &format, &err), 0);
    struct source_cursor cursor = {.rest = str_of(file), .next_line = 1, .arena = arena};
    do {
        *step = nomad_driver.next(format, &cursor, run, &err);
    } while (*step == SOURCE_SKIP);
    nomad_driver.close(format);
    zone_close(zone);
}

static void job_of_a_snapshot_becomes_its_run(void **state)
{
    const struct job_row *row = *state;
    struct arena arena = {0};
    struct run run = {0};
    enum source_step step;
    read_job(row->job, "snapshots/2025-02-01T13:00:00.json", &arena, &run, &step);
    expect_int(step, SOURCE_RECORD);
    expect_wants(&run, row->wants);
    arena_release(&arena);
}

struct name_row {
    const char *name;
    int64_t listed_s; /* 0: it tells none */
};

static const struct name_row name_rows[] = {
    {"2025-02-01T13:00:00.json", 1738414800},
    {"/a/b-c/2025-02-01T13:00:00.json.gz", 1738414800},
    {"2025-02-01T13:00:00", 1738414800},
    {"2025-02-01T13-00-00Z.json", 1738414800},
    {"2025-02-01_13_00_00.json", 1738414800},
    {"2025-02-01T13:00:00.250.json", 1738414800},
    {"2025-02-01T13:00.json", 0},
    {"2025-02-01T25:00:00.json", 0},
    {"2025-02-29T13:00:00.json", 0},
    {"2025-02-01T13:00:00-copy.json", 0},
    {"snapshot.json", 0},
    {"-", 0},
    {"", 0},
};

static void name_tells_when(void **state)
{
    const struct name_row *row = *state;
    const struct source_options options = {.path = str_of(row->name)};
    struct error err = {0};
    void *format = NULL;
    int failed = nomad_driver.open(STR("{}"), &options, &format, &err);
    expect_int(failed != 0, row->listed_s == 0);
    if (failed) {
        expect_contains(err.text, "the file name must be its time in UTC");
        return;
    }
    expect_int(nomad_driver.listed(format, (struct str){0}) / SECOND_US, row->listed_s);
    expect_true(nomad_driver.listed(format, STR("]}\n")) > 0);
    expect_int(nomad_driver.listed(format, STR("]")), 0); /* not its end */
    nomad_driver.close(format);
}

/* --- owners ------------------------------------------------------------------------------------- */

struct owner_row {
    const char *name;
    const char *keys[OWNER_PARTS];  /* NULL: the usual ones */
    const char *meta;               /* members */
    const char *parts[OWNER_PARTS]; /* the first is also the run's user; NULL: not told */
    bool told;                      /* more than the login */
};

#define META "\"owner\":\"u1@idp\",\"owner_name\":\"Ann \u00c9\",\"owner_email\":\"a@b.c\""

static const struct owner_row owner_rows[] = {
    {"all", {NULL}, META, {"u1@idp", "Ann \xc3\x89", "a@b.c"}, true},
    {"a login alone is the user's, and nothing more is told",
     {NULL},
     "\"owner\":\"u1@idp\"",
     {"u1@idp"},
     false},
    {"nobody", {NULL}, "\"title\":\"x\"", {NULL}, false},
    {"a name without a login is nobody's", {NULL}, "\"owner_name\":\"Ann\"", {NULL}, false},
    {"by keys of the site",
     {"who", "full"},
     META ",\"who\":\"ann\",\"full\":\"A. S.\"",
     {"ann", "A. S.", "a@b.c"},
     true},
    {"a key that is not there leaves it unknown", {"who"}, META, {NULL}, false},
    {"the first of several that is there",
     {"who, user owner"},
     META,
     {"u1@idp", "Ann \xc3\x89", "a@b.c"},
     true},
    {"empty ones are not there",
     {"who,owner"},
     META ",\"who\":\"  \"",
     {"u1@idp", "Ann \xc3\x89", "a@b.c"},
     true},
    {"what is no text is not there",
     {NULL},
     "\"owner\":7,\"owner_name\":[\"x\"]",
     {NULL},
     false},
    {"blanks around it go",
     {NULL},
     "\"owner\":\" u1 \",\"owner_name\":\" A \"",
     {"u1", "A"},
     true},
};

static void expect_owner(const struct owner_row *row, const char *record, const char *path)
{
    struct source_options options = {.path = str_of(path)};
    struct error err = {0};
    struct arena arena = {0};
    struct run run = {0};
    void *format = NULL;
    for (size_t i = 0; i < OWNER_PARTS; i++) {
        options.owner_keys[i] = str_of(row->keys[i]);
    }
    assert_int_equal(nomad_driver.open(str_of(record), &options, &format, &err), 0);
    struct source_cursor cursor = {.rest = str_of(record), .next_line = 1, .arena = &arena};
    enum source_step step;
    do {
        step = nomad_driver.next(format, &cursor, &run, &err);
    } while (step == SOURCE_SKIP);
    assert_int_equal(step, SOURCE_RECORD);
    expect_int(RUN_HAS(&run, user), row->parts[OWNER_LOGIN] != NULL);
    if (row->parts[OWNER_LOGIN]) {
        expect_true(str_eq(run.user, str_of(row->parts[OWNER_LOGIN])));
    }
    expect_int(cursor.owner.parts[OWNER_LOGIN].ptr != NULL, row->told);
    for (size_t i = 0; row->told && i < OWNER_PARTS; i++) {
        expect_true(str_eq(cursor.owner.parts[i], str_of(row->parts[i])));
    }
    nomad_driver.close(format);
    arena_release(&arena);
}

/* The same whether it is the Meta of an allocation's job or a job of a snapshot. */
static void owner_is_told_by_the_keys(void **state)
{
    const struct owner_row *row = *state;
    struct buf text;
    buf_init(&text, 1 << 16);
    buf_addf(
        &text,
        "{\"ID\":\"a\",\"JobID\":\"j\",\"ClientStatus\":\"running\",\"Job\":{\"Meta\":{%s}}}",
        row->meta);
    expect_owner(row, text.ptr, "allocations.json");
    buf_clear(&text);
    buf_addf(&text, "{\"vo\":[{\"job_ID\":\"j\",\"alloc_ID\":\"a\",%s}]}", row->meta);
    expect_owner(row, text.ptr, "2025-02-01T13:00:00.json");
    buf_release(&text);
}

/* Slices end where a namespace does, wherever the bytes are cut: no job ever loses its own. */
static void cut_keeps_namespaces_whole(void **state)
{
    (void)state;
    static const char file[] = "{ \"a\" : [{\"job_ID\":\"1\",\"x\":\"]},{\\\"\"}, "
                               "{\"job_ID\":\"2\"}],\n\"b\":[],\"c\\u0041\":[\n"
                               "{\"job_ID\":\"3\"}\n]}\n";
    const struct source_options options = {.path = STR("2025-02-01T13:00:00.json")};
    struct error err = {0};
    void *format = NULL;
    assert_int_equal(nomad_driver.open(STR(file), &options, &format, &err), 0);
    for (size_t len = 0; len < sizeof(file); len++) {
        const struct str all = STR(file);
        const size_t cut = nomad_driver.cut(format, (struct str){all.ptr, len}, false);
        const struct str pieces[] = {{all.ptr, cut}, {all.ptr + cut, all.len - cut}};
        struct arena arena = {0};
        char seen[64] = "";
        for (size_t i = 0; i < COUNT_OF(pieces); i++) {
            struct source_cursor cursor = {.rest = pieces[i], .next_line = 1, .arena = &arena};
            for (enum source_step step = SOURCE_SKIP; step != SOURCE_END;) {
                struct run run = {0};
                step = nomad_driver.next(format, &cursor, &run, &err);
                assert_int_not_equal(step, SOURCE_REJECT);
                if (step == SOURCE_RECORD) {
                    (void)snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%.*s ",
                                   STR_ARG(run.job_key));
                }
            }
        }
        expect_text(seen, "1@a 2@a 3@cA ");
        arena_release(&arena);
    }
    nomad_driver.close(format);
}

static void oversize_namespace_ends_where_it_does(void **state)
{
    (void)state;
    static const char file[] = "\"a\":[{\"x\":\"]}\\\"\"},{}],\"b\":[]}";
    for (size_t split = 0; split < sizeof(file); split++) {
        const struct str all = STR(file);
        uint64_t memory = 0;
        size_t used = 0, first = 0;
        bool over = (nomad_driver.skip)(NULL, &memory, (struct str){all.ptr, split}, &first);
        if (!over) {
            over = (nomad_driver.skip)(NULL, &memory,
                                       (struct str){all.ptr + split, all.len - split}, &used);
        }
        expect_true(over);
        expect_int((int64_t)(first + used), (int64_t)strlen("\"a\":[{\"x\":\"]}\\\"\"},{}]"));
    }
}

/* --- allocations of real clusters --------------------------------------------------------------- */

struct real_row {
    const char *name;
    int records, running;
    int64_t seconds; /* of those that ended, in all; counted by hand from their task states */
};

static const struct real_row real_rows[] = {
    {"nomad/autoscaler-cluster1/151be1dc-92e7-a488-f7dc-49faaf5a4c96.json", 3, 2, 360},
    {"nomad/autoscaler-cluster1/b2d5bbb6-a61d-ee1f-a896-cbc6efe4f7fe.json", 2, 1, 360},
    {"nomad/autoscaler-cluster1/b535e699-1112-c379-c020-ebd80fdd9f09.json", 1, 0, 360},
    {"nomad/broccoli/allocations.json", 1, 1, 0},
};

static void real_allocations_are_read(void **state)
{
    const struct real_row *row = *state;
    struct buf file;
    peer_file(row->name, &file);
    const struct source_options options = {0};
    struct error err = {0};
    struct arena arena = {0};
    void *format = NULL;
    int records = 0, running = 0;
    int64_t us = 0;
    expect_int(nomad_driver.recognise(buf_str(&file)), 100);
    assert_int_equal(nomad_driver.open(buf_str(&file), &options, &format, &err), 0);
    struct source_cursor cursor = {.rest = buf_str(&file), .next_line = 1, .arena = &arena};
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END;) {
        struct run run = {0};
        step = nomad_driver.next(format, &cursor, &run, &err);
        assert_int_not_equal(step, SOURCE_REJECT);
        if (step == SOURCE_RECORD) {
            records++;
            running += str_eq(run.class, STR("running"));
            us += RUN_HAS(&run, end) ? run.end - run.start : 0;
            expect_false(RUN_HAS(&run, cpus)); /* they have MHz only */
        }
    }
    expect_int(records, row->records);
    expect_int(running, row->running);
    expect_int(us / SECOND_US, row->seconds);
    nomad_driver.close(format);
    arena_release(&arena);
    buf_release(&file);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, job_of_a_snapshot_becomes_its_run, job_rows);
    SUITE_ROWS(&suite, name_tells_when, name_rows);
    SUITE_ROWS(&suite, owner_is_told_by_the_keys, owner_rows);
    SUITE_TEST(&suite, cut_keeps_namespaces_whole);
    SUITE_TEST(&suite, oversize_namespace_ends_where_it_does);
    SUITE_ROWS(&suite, real_allocations_are_read, real_rows);
    return suite_run(&suite, "nomad");
}
