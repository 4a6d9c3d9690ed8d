/* SPDX-License-Identifier: MIT */

/*
 * Random questions of `stint report` at every door and in every role, against answers that were worked out without SQL
 * (support/asked.h). Used by tests/sh/test_questions.sh.
 *
 *     questions make STORE       makes a store of random runs
 *     questions ask STORE        asks the server that has it
 *
 *   STINT_SEED=N        other runs and other questions
 *   STINT_QUESTIONS=N   how many, of all roles together
 *   STINT_QUESTION=N    only that one
 *   QUESTIONS_AT, QUESTIONS_UNIX   addresses of the server: http://..., unix:...
 *   QUESTIONS_TOKENS    tokens of admin, manager and user, with blanks between
 *   STINT               the program, for questions by the command line
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "reach/http_client.h"
#include "report/rollup/rollup.h"
#include "serve/rpc/rpc_client.h"
#include "serve/rpc/rpc_http.h"
#include "support/asked.h"
#include "support/expect.h"
#include "support/facts_at.h"
#include "support/runs.h"
#include "view/export/export.h"

enum { RUNS = 300, QUESTIONS = 300, REFUSED = 20, BY_COMMAND = 25, COMMAND_MAX = 1 << 15 };

/* Who asks, and which runs they may see: those of a login, a group or an account of theirs. */
static const struct asker {
    const char *role;
    bool all;
    const char *login, *group, *account;
} askers[] = {
    {"admin", true, NULL, NULL, NULL},
    {"manager", false, "eve", "bio", "climate"},
    {"user", false, "ann", NULL, NULL},
};

static const char *folder;
static uint64_t seed = 20250310;
static struct run runs[RUNS];
static const struct run *all[RUNS];
static struct asked_zones zones;

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    if (!value) {
        (void)fprintf(stderr, "questions: $%s is not set\n", name);
        exit(2);
    }
    return value;
}

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000;
}

static void draw_runs(void)
{
    struct chance chance;
    chance_init(&chance, seed);
    asked_zones_open(&zones);
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = asked_run(&chance, &zones, (int64_t)i + 1);
        all[i] = &runs[i];
    }
}

/* --- the store ------------------------------------------------------------------------------- */

/* Its clusters are covered at all times: what is not covered is for other tests. */
static void makes_a_store_of_random_runs(void **state)
{
    (void)state;
    static const char covered[] =
        "INSERT INTO extents VALUES (1, 'alder', 0, 9000000000000000), "
        "(1, 'birch', 0, 9000000000000000)";
    struct error err = {0};
    struct runs_store store = {0};
    if (facts_at(folder, FACTS_WRITE, &store.facts, &err) != 0) {
        expect_fail("%s", err.text);
    }
    runs_add(&store, runs, RUNS);
    if (facts_execute(store.facts, covered, (struct facts_values){0}, NULL, &err) != 0 ||
        rollup_refresh(store.facts, zones.zones[1], &err) != 0) {
        expect_fail("%s", err.text);
    }
    facts_leave(store.facts);
}

/* --- asking ---------------------------------------------------------------------------------- */

/* A question that somebody asks. */
struct asking {
    const struct asker *asker; /* NULL: nobody that the server knows */
    const char *token;
    struct http *http;
    struct asked asked;
    struct asked_word words[ASKED_WORDS_MAX];
    size_t word_count;
    struct asked_site site;
    const struct run *seen[RUNS];
    char about[128];
};

static bool is_one(bool has, struct str text, const char *name)
{
    return has && name && str_eq(text, str_of(name));
}

/* What the asker may see, worked out here. */
static void find_seen(struct asking *a)
{
    const struct asker *asker = a->asker;
    a->site = (struct asked_site){a->seen, 0, &zones, a->about};
    for (size_t i = 0; i < RUNS; i++) {
        const struct run *run = &runs[i];
        if (asker->all || is_one(RUN_HAS(run, user), run->user, asker->login) ||
            is_one(RUN_HAS(run, group), run->group, asker->group) ||
            is_one(RUN_HAS(run, account), run->account, asker->account)) {
            a->seen[a->site.count++] = run;
        }
    }
}

/* By node, rows name the cluster as well where there are several: nodes of two may have one name. */
static void name_clusters(struct asked *asked)
{
    struct question *q = &asked->question;
    size_t node = q->dimension_count;
    for (size_t i = q->dimension_count; i-- > 0;) {
        if (strcmp(q->dimensions[i]->id, "cluster") == 0) {
            return;
        }
        node = strcmp(q->dimensions[i]->id, "node") == 0 ? i : node;
    }
    if (node == q->dimension_count || !asked_takes_cluster(asked, STR("alder")) ||
        !asked_takes_cluster(asked, STR("birch"))) {
        return;
    }
    for (size_t i = q->dimension_count++; i > node + 1; i--) {
        q->dimensions[i] = q->dimensions[i - 1];
    }
    q->dimensions[node + 1] = &run_fields[RUN_cluster];
}

/* The question of this number. Values are those of all runs: to filter by what is not theirs shows nobody more. */
static void draw_question(struct asking *a, uint64_t number)
{
    struct chance chance;
    const struct asked_site site = {all, RUNS, &zones, a->about};
    chance_init(&chance, seed * 1000003 + number);
    (void)snprintf(a->about, sizeof a->about,
                   "STINT_SEED=%" PRIu64 " STINT_QUESTION=%" PRIu64 ", as %s", seed, number,
                   a->asker ? a->asker->role : "anyone");
    asked_draw(&a->asked, &chance, &site, ASKED_FEW);
    a->word_count = asked_words(&a->asked, a->words);
    struct question *q = &a->asked.question;
    q->now = now_us();
    /* weekdays and hours come in their own order */
    q->sort = q->dimension_count > 0 && dimension_fold(q->dimensions[0]) != FOLD_NONE
                  ? q->dimensions[0]->id
                  : NULL;
    name_clusters(&a->asked);
    a->asked.uncovered = !asked_takes_cluster(&a->asked, STR("alder")) &&
                         !asked_takes_cluster(&a->asked, STR("birch"));
}

static struct request request_of(const struct asking *a,
                                 struct request_value values[ASKED_WORDS_MAX])
{
    for (size_t i = 0; i < a->word_count; i++) {
        values[i] = (struct request_value){a->words[i].name, str_of(a->words[i].value)};
    }
    return (struct request){
        .operation = operation_find(STR("report")), .values = values, .count = a->word_count};
}

/* As the command line asks: through the socket beside the store, or at an address. */
static int ask_table(const struct asking *a, const char *address, struct answer *answer,
                     struct error *err)
{
    const struct config config = {0};
    const struct caller caller = {.name = "questions", CALLER_AS(ADMIN)};
    const char *where = address ? address : folder;
    struct session session = {.folder = where};
    const struct service service = {.store = where,
                                    .session = &session,
                                    .config = &config,
                                    .zone = a->asked.question.zone,
                                    .now = now_us,
                                    .caller = &caller};
    const struct rpc_http remote = {.address = address, .token = a->token};
    struct request_value values[ASKED_WORDS_MAX];
    const struct request request = request_of(a, values);
    enum rpc_client_outcome outcome = RPC_CLIENT_ANSWERED;
    *answer = (struct answer){0};
    int failed = address ? rpc_http_ask(&remote, &service, &request, answer, err)
                         : rpc_client_ask(&service, &request, answer, &outcome, err);
    if (outcome == RPC_CLIENT_NOBODY) {
        expect_fail("nobody answers at %s", where);
    }
    return failed;
}

/* False: it was refused, rightly. */
static bool expect_table(const struct asking *a, const char *address, struct buf *csv)
{
    struct answer answer;
    struct error err = {0};
    const int failed = ask_table(a, address, &answer, &err);
    if (failed == ERROR_MISSING && asked_names_nothing(&a->asked, &a->site)) {
        answer_release(&answer);
        return false;
    }
    if (failed) {
        expect_fail("%s\nby %s: %s", asked_describe(&a->asked, &a->site),
                    address ? address : "the socket of the store", err.text);
    }
    asked_expect(&a->asked, &a->site, &answer.table);
    const struct export_style style = {.header = true, .zone = a->asked.question.zone};
    buf_clear(csv);
    export_write(csv, export_find(STR("csv")), &answer.table, &style);
    answer_release(&answer);
    return true;
}

static void expect_bytes(const struct asking *a, struct str got, struct str want,
                         const char *door)
{
    if (!str_eq(got, want)) {
        expect_fail("%s\nby %s:\n%.*s\nnot:\n%.*s", asked_describe(&a->asked, &a->site), door,
                    STR_ARG(got), STR_ARG(want));
    }
}

/* The status, and the body in `out`. */
static int ask_http(const struct asking *a, struct buf *out)
{
    const struct zone *zone = a->asked.question.zone;
    struct http_answer answer = {0};
    struct error err = {0};
    struct buf path;
    buf_init(&path, 1 << 16);
    buf_addf(&path, "/api/v1/report.csv?zone=");
    http_escape(&path, str_of(zone_name(zone)));
    if (zone_fiscal_month(zone)) {
        buf_addf(&path, "&year-starts=%d", zone_fiscal_month(zone));
    }
    for (size_t i = 0; i < a->word_count; i++) {
        buf_addf(&path, "&%s=", a->words[i].name);
        http_escape(&path, str_of(a->words[i].value));
    }
    buf_addc(&path, '\0');
    buf_clear(out);
    if (http_get(a->http, path.ptr, 0, &answer, &err) != 0 ||
        spool_text(&answer.body, out, &err) != 0) {
        expect_fail("%s\n%s", asked_describe(&a->asked, &a->site), err.text);
    }
    spool_close(&answer.body);
    buf_release(&path);
    return answer.status;
}

static void expect_http(const struct asking *a, int status, struct str want)
{
    struct buf got;
    buf_init(&got, 1 << 26);
    const int is = ask_http(a, &got);
    if (is != status) {
        expect_fail("%s\nover HTTP: %d, want %d: %.*s", asked_describe(&a->asked, &a->site), is,
                    status, STR_ARG(buf_str(&got)));
    }
    if (status == 200) {
        expect_bytes(a, buf_str(&got), want, "HTTP");
    }
    buf_release(&got);
}

/* The command that a failure prints is the command that is run here. */
static void expect_command(const struct asking *a, struct str want)
{
    static char command[COMMAND_MAX];
    const char *described = strstr(asked_describe(&a->asked, &a->site), "stint report") + 5;
    const size_t length = strcspn(described, "#");
    struct buf got;
    char piece[4096];
    size_t count;
    buf_init(&got, 1 << 26);
    if (a->asker->all) {
        (void)snprintf(command, sizeof command, "'%s'%.*s --store '%s' --format csv",
                       setting("STINT"), (int)length, described, folder);
    } else {
        (void)snprintf(command, sizeof command,
                       "STINT_TOKEN=%s '%s'%.*s --server '%s' --format csv", a->token,
                       setting("STINT"), (int)length, described, setting("QUESTIONS_AT"));
    }
    FILE *pipe = popen(command, "r");
    while (pipe && (count = fread(piece, 1, sizeof piece, pipe)) > 0) {
        buf_add(&got, (struct str){piece, count});
    }
    if (!pipe || pclose(pipe) != 0) {
        expect_fail("%s\nfailed: %s", asked_describe(&a->asked, &a->site), command);
    }
    expect_bytes(a, buf_str(&got), want, "the command line");
    buf_release(&got);
}

/* --- tests ----------------------------------------------------------------------------------- */

static struct asking *begin(const struct asker *asker, const char *token)
{
    static char header[256];
    static struct http_header headers[2];
    struct asking *a = mem_alloc(1, sizeof(*a));
    struct error err = {0};
    *a = (struct asking){.asker = asker, .token = token};
    (void)snprintf(header, sizeof header, "Bearer %s", token ? token : "");
    headers[0] = (struct http_header){token ? "Authorization" : NULL, header};
    const struct http_server server = {
        .address = setting("QUESTIONS_AT"), .headers = headers, .limit = 1 << 26};
    if (http_open(&server, &a->http, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return a;
}

static void end(struct asking *a)
{
    http_close(a->http);
    free(a);
}

/* From and to, of those questions that a role has. */
static void range_of(size_t role, uint64_t *from, uint64_t *to)
{
    const char *count = getenv("STINT_QUESTIONS"), *only = getenv("STINT_QUESTION");
    const uint64_t all_of_them = count ? strtoull(count, NULL, 10) : QUESTIONS;
    *from = all_of_them * role / COUNT_OF(askers);
    *to = all_of_them * (role + 1) / COUNT_OF(askers);
    if (only) {
        *from = strtoull(only, NULL, 10);
        *to = *from + 1;
    }
}

/* Tables come by the socket of the store (whose caller is admin) or from elsewhere; then bytes by the other doors. */
static void answers_at_every_door_are_what_the_slow_way_gives(void **state)
{
    const struct asker *asker = *state;
    const size_t role = (size_t)(asker - askers);
    char tokens[1024];
    const char *token = tokens;
    struct buf csv;
    uint64_t number, to;
    /* where few are asked, in little time, every third goes to two doors */
    const uint64_t doors = getenv("STINT_QUESTIONS") || getenv("STINT_QUESTION") ? 1 : 3;
    (void)snprintf(tokens, sizeof tokens, "%s", setting("QUESTIONS_TOKENS"));
    char *rest = tokens;
    for (size_t i = 0; i <= role; i++) {
        token = strsep(&rest, " ");
    }
    struct asking *a = begin(asker, token);
    buf_init(&csv, 1 << 26);
    find_seen(a);
    for (range_of(role, &number, &to); number < to; number++) {
        draw_question(a, number);
        const char *address = number % 2 ? setting("QUESTIONS_UNIX") : setting("QUESTIONS_AT");
        address = asker->all && number % 3 == 0 ? NULL : address;
        const bool answered = expect_table(a, address, &csv);
        if (number % doors == 0) {
            expect_http(a, answered ? 200 : 404, buf_str(&csv));
        }
        if (answered && number % BY_COMMAND == 0) {
            expect_command(a, buf_str(&csv));
        }
    }
    buf_release(&csv);
    end(a);
}

static void nobody_learns_anything_without_a_name(void **state)
{
    (void)state;
    struct asking *a = begin(NULL, NULL);
    struct buf got;
    a->site = (struct asked_site){all, RUNS, &zones, a->about};
    buf_init(&got, 1 << 26);
    for (uint64_t number = 0; number < REFUSED; number++) {
        struct answer answer;
        struct error err = {0};
        draw_question(a, number);
        const int status = ask_http(a, &got);
        if (status != 401) {
            expect_fail("%s\nover HTTP: %d", asked_describe(&a->asked, &a->site), status);
        }
        if (ask_table(a, setting("QUESTIONS_UNIX"), &answer, &err) != ERROR_DENIED) {
            expect_fail("%s\nwas answered", asked_describe(&a->asked, &a->site));
        }
        answer_release(&answer);
    }
    buf_release(&got);
    end(a);
}

int main(int argc, char **argv)
{
    struct suite suite = {0};
    const char *given = getenv("STINT_SEED");
    if (argc != 3) {
        (void)fprintf(stderr, "usage: questions make|ask STORE\n");
        return 2;
    }
    folder = argv[2];
    seed = given ? strtoull(given, NULL, 10) : seed;
    draw_runs();
    if (strcmp(argv[1], "make") == 0) {
        SUITE_TEST(&suite, makes_a_store_of_random_runs);
    } else {
        suite_rows(&suite, "answers_at_every_door_are_what_the_slow_way_gives",
                   answers_at_every_door_are_what_the_slow_way_gives, askers, COUNT_OF(askers),
                   sizeof(askers[0]));
        SUITE_TEST(&suite, nobody_learns_anything_without_a_name);
    }
    const int status = suite_run(&suite, "questions");
    asked_zones_close(&zones);
    return status;
}
