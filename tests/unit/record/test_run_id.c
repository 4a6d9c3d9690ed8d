/* SPDX-License-Identifier: MIT */
#include "record/run_id.h"

#include "base/limit.h"
#include "support/chance.h"
#include "support/expect.h"

/* --- as it is written ------------------------------------------------------------------------- */

struct name_row {
    const char *name; /* what it shows */
    const char *id;
    struct run run;
    const char *fields; /* which of the run are there: a letter each of c j k t h a */
};

/* STR for initializers. */
#define TEXT(literal)                                                                          \
    {                                                                                          \
        .ptr = (literal), .len = sizeof(literal) - 1                                           \
    }

static const struct name_row name_rows[] = {
    {"a task of an attempt",
     "birch:336698.4@1759167225",
     {.cluster = TEXT("birch"), .job = 336698, .task = 4, .attempt = 1759167225000000},
     "cjta"},
    {"nothing but a job", "birch:7", {.cluster = TEXT("birch"), .job = 7}, "cj"},
    {"a component", "birch:7+1", {.cluster = TEXT("birch"), .job = 7, .het = 1}, "cjh"},
    {"task 0 is a task", "c:7.0", {.cluster = TEXT("c"), .job = 7}, "cjt"},
    {"an instant below a second",
     "c:7@1.000001",
     {.cluster = TEXT("c"), .job = 7, .attempt = 1000001},
     "cja"},
    {"as many decimals as there are",
     "c:7@0.25",
     {.cluster = TEXT("c"), .job = 7, .attempt = 250000},
     "cja"},
    {"the beginning of time", "c:7@0", {.cluster = TEXT("c"), .job = 7}, "cja"},
    {"the end of time",
     "c:7@9223372036854.775807",
     {.cluster = TEXT("c"), .job = 7, .attempt = INT64_MAX},
     "cja"},
    {"an attempt that is no instant",
     "c:7@-9223372036854775808",
     {.cluster = TEXT("c"), .job = 7, .attempt = INT64_MIN},
     "cja"},
    {"a job with an id of its own",
     "c:~3f2b-77",
     {.cluster = TEXT("c"), .job_key = TEXT("3f2b-77")},
     "ck"},
    {"an id and a number",
     "c:12~x",
     {.cluster = TEXT("c"), .job = 12, .job_key = TEXT("x")},
     "cjk"},
    {"an empty id", "c:~", {.cluster = TEXT("c"), .job_key = TEXT("")}, "ck"},
    {"marks in texts",
     "a.b=3A:~1=2E2=2B3=40=2F=3D=7E=25",
     {.cluster = TEXT("a.b:"), .job_key = TEXT("1.2+3@/=~%")},
     "ck"},
    {"what is not ASCII",
     "=C3=A9=00:1",
     {.cluster = {.ptr = "\xc3\xa9\0", .len = 3}, .job = 1},
     "cj"},
    {"numbers below zero",
     "c:-1.-2+-3@-4",
     {.cluster = TEXT("c"), .job = -1, .task = -2, .het = -3, .attempt = -4},
     "cjtha"},
};

static const struct {
    char letter;
    enum run_field field;
} keys[] = {{'c', RUN_cluster}, {'j', RUN_job}, {'k', RUN_job_key},
            {'t', RUN_task},    {'h', RUN_het}, {'a', RUN_attempt}};

static struct run run_of(const struct name_row *row)
{
    struct run run = row->run;
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        if (strchr(row->fields, keys[i].letter)) {
            run.has[keys[i].field / 64] |= UINT64_C(1) << keys[i].field % 64;
        }
    }
    return run;
}

/* Whether all that makes the identity is equal, absent included. */
static bool same_identity(const struct run *a, const struct run *b)
{
    bool same = true;
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const char *in_a = (const char *)a + run_fields[i].offset;
        const char *in_b = (const char *)b + run_fields[i].offset;
        if (!(run_fields[i].flags & FIELD_KEY)) {
            continue;
        }
        same = same && run_has(a, i) == run_has(b, i);
        if (run_has(a, i) && run_has(b, i)) {
            same = same && (run_fields[i].type == FIELD_TEXT
                                ? str_eq(*(const struct str *)(const void *)in_a,
                                         *(const struct str *)(const void *)in_b)
                                : memcmp(in_a, in_b, sizeof(int64_t)) == 0);
        }
    }
    return same;
}

static void expect_comes_back(const struct run *run, const char *want)
{
    struct arena arena = {0};
    struct run again = {0};
    struct buf id;
    RUN_SET(&again, task, 99); /* what was there before is not kept */
    buf_init(&id, LIMIT_SQL);
    run_id_print(run, &id);
    if (want) {
        expect_text(id.ptr, want);
    }
    if (!run_id_parse(buf_str(&id), &arena, &again) || !same_identity(run, &again)) {
        expect_fail("'%s' is read as another run", id.ptr);
    }
    buf_release(&id);
    arena_release(&arena);
}

static void a_name_is_written_so_and_read_as_the_same_run(void **state)
{
    const struct name_row *row = *state;
    const struct run run = run_of(row);
    expect_comes_back(&run, row->id);
}

/* --- what is no name -------------------------------------------------------------------------- */

struct wrong_row {
    const char *name;
    const char *text;
};

static const struct wrong_row wrong_rows[] = {
    {"nothing", ""},
    {"no cluster", ":7"},
    {"no colon", "birch"},
    {"no job", "birch:"},
    {"a task of no job", "birch:.4"},
    {"zeros before a number", "c:007"},
    {"a plus before a number", "c:+7"},
    {"minus zero", "c:-0"},
    {"a number too large", "c:9223372036854775808"},
    {"an instant too large", "c:7@9223372036854.775808"},
    {"zeros behind the decimals", "c:7@1.50"},
    {"no decimals", "c:7@1."},
    {"decimals finer than the clock", "c:7@1.0000001"},
    {"decimals of what is no instant", "c:7@-1.5"},
    {"a mark and no number", "c:7@"},
    {"task and component the wrong way round", "c:7+1.2"},
    {"an attempt before the task", "c:7@1.5.4"},
    {"something behind it", "c:7 "},
    {"an escape cut off", "c=2:7"},
    {"an escape in small letters", "c=2f:7"},
    {"an escape of what stands for itself", "=63:7"},
    {"a blank", "c d:7"},
};

static void what_is_not_written_so_is_no_name(void **state)
{
    const struct wrong_row *row = *state;
    struct arena arena = {0};
    struct run run = {0};
    expect_false(run_id_parse(str_of(row->text), &arena, &run));
    arena_release(&arena);
}

/* --- any run ---------------------------------------------------------------------------------- */

static int64_t any_number(struct chance *chance)
{
    static const int64_t odd[] = {0, -1, 1, 999999, 1000000, 1000001, INT64_MIN, INT64_MAX};
    return chance_of(chance, 30)
               ? odd[chance_below(chance, COUNT_OF(odd))]
               : chance_below(chance, INT64_MAX) - chance_below(chance, 1 << 30);
}

static struct str any_text(struct chance *chance, char *room, size_t most)
{
    const size_t len = 1 + (size_t)chance_below(chance, (int64_t)most);
    for (size_t i = 0; i < len; i++) {
        room[i] = (char)chance_below(chance, 256);
    }
    return (struct str){room, len};
}

static void any_identity_comes_back(void **state)
{
    (void)state;
    struct chance chance;
    chance_init(&chance, 7);
    for (int i = 0; i < 20000; i++) {
        char cluster[16], key[16];
        struct run run = {0};
        RUN_SET(&run, cluster, any_text(&chance, cluster, sizeof(cluster)));
        const bool numbered = chance_of(&chance, 60);
        if (numbered) {
            RUN_SET(&run, job, any_number(&chance));
        }
        if (!numbered || chance_of(&chance, 10)) {
            RUN_SET(&run, job_key, any_text(&chance, key, sizeof(key)));
        }
        if (chance_of(&chance, 50)) {
            RUN_SET(&run, task, any_number(&chance));
        }
        if (chance_of(&chance, 30)) {
            RUN_SET(&run, het, any_number(&chance));
        }
        if (chance_of(&chance, 80)) {
            RUN_SET(&run, attempt, any_number(&chance));
        }
        expect_comes_back(&run, NULL);
    }
}

static void a_name_is_safe_in_a_url_path_a_list_and_a_glob(void **state)
{
    (void)state;
    struct run run = {0};
    char all[255];
    for (size_t i = 0; i < sizeof(all); i++) {
        all[i] = (char)(i + 1);
    }
    RUN_SET(&run, cluster, ((struct str){all, sizeof(all)}));
    RUN_SET(&run, job_key, ((struct str){all, sizeof(all)}));
    RUN_SET(&run, attempt, -7);
    struct buf id;
    buf_init(&id, LIMIT_SQL);
    run_id_print(&run, &id);
    const size_t safe = strspn(id.ptr, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-.~:=+@");
    expect_uint(safe, id.len);
    buf_release(&id);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_name_is_written_so_and_read_as_the_same_run, name_rows);
    SUITE_ROWS(&suite, what_is_not_written_so_is_no_name, wrong_rows);
    SUITE_TEST(&suite, any_identity_comes_back);
    SUITE_TEST(&suite, a_name_is_safe_in_a_url_path_a_list_and_a_glob);
    return suite_run(&suite, "run_id");
}
