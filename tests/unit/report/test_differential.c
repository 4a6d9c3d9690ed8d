/* SPDX-License-Identifier: MIT */

/*
 * timeout: 600
 *
 * Random runs, random questions, and the answers worked out the slow way: run by run, bucket by
 * bucket. Equal to the last microsecond. STINT_SEED=N asks other questions.
 */
#include <stdlib.h>

#include "support/expect.h"
#include "unit/report/ask.h"

enum { RUNS = 400, QUESTIONS = 100, GROUPS_MAX = 600, USERS_MAX = 16 };

static struct runs_store store;
static struct run runs[RUNS];
static uint64_t seed = 20250310;
static uint64_t random_state;

/* --- chance -------------------------------------------------------------------------------- */

static uint64_t random_next(void) /* xorshift64* */
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(2685821657736338717);
}

static int64_t random_below(int64_t limit)
{
    return (int64_t)(random_next() >> 1) % limit;
}

static bool random_chance(int percent)
{
    return random_below(100) < percent;
}

static const char *random_of(const char *const *list, int64_t count)
{
    return list[random_below(count)];
}

/* --- runs ---------------------------------------------------------------------------------- */

static const char *const zone_names[] = {"UTC", "Europe/Oslo", "America/New_York",
                                         "Australia/Lord_Howe", "Asia/Kathmandu"};

/* Midnights around which clocks change, years begin and months end, somewhere. */
static const char *const moments[] = {
    "2023-12-31", "2024-01-01", "2024-02-29", "2024-03-10", "2024-03-31", "2024-04-07",
    "2024-06-30", "2024-10-06", "2024-10-27", "2024-11-03", "2024-12-30", "2025-01-01",
};

static struct zone *zones[COUNT_OF(zone_names)];

/* Half of them on the hour near a moment, so that edges are met exactly; the rest anywhere. */
static int64_t random_instant(void)
{
    const struct zone *zone = zones[random_below(COUNT_OF(zones))];
    int64_t moment = ask_instant(zone, random_of(moments, COUNT_OF(moments)));
    if (random_chance(50)) {
        return moment + (random_below(72) - 24) * HOUR_US;
    }
    return moment + random_below(40 * DAY_US);
}

static int64_t random_length(void)
{
    switch (random_below(6)) {
    case 0:
        return 0;
    case 1:
        return 1 + random_below(SECOND_US);
    case 2:
        return (1 + random_below(48)) * HOUR_US;
    case 3:
        return (1 + random_below(9)) * DAY_US;
    case 4:
        return random_below(120 * DAY_US);
    default:
        return random_below(2 * DAY_US);
    }
}

static struct run random_run(void)
{
    static const char *const clusters[] = {"alder", "birch"};
    static const char *const users[] = {"ann", "bob", "cyd", "dee", "eve"};
    static const char *const groups[] = {"bio", "geo", "phys"};
    static const char *const names[] = {"sim-1", "sim-2", "a_b", "50%", "x*y"};
    static const char *const classes[] = {"running", "suspended", "completed", "failed",
                                          "other"};
    struct run run = {0};
    int64_t start = random_instant();
    RUN_SET(&run, cluster, str_of(random_of(clusters, COUNT_OF(clusters))));
    if (random_chance(90)) {
        RUN_SET(&run, user, str_of(random_of(users, COUNT_OF(users))));
    }
    if (random_chance(80)) {
        RUN_SET(&run, group, str_of(random_of(groups, COUNT_OF(groups))));
    }
    if (random_chance(90)) {
        RUN_SET(&run, name, str_of(random_of(names, COUNT_OF(names))));
    }
    if (random_chance(80)) {
        RUN_SET(&run, cpus, random_chance(50) ? 1 + random_below(4) : random_below(5000));
    }
    if (random_chance(80)) {
        RUN_SET(&run, class, str_of(random_of(classes, COUNT_OF(classes))));
    }
    if (random_chance(90)) {
        RUN_SET(&run, submit, start - random_length() + (random_chance(5) ? DAY_US : 0));
    }
    if (random_chance(90)) {
        RUN_SET(&run, start, start);
    }
    if (random_chance(90)) {
        int64_t length = random_length();
        RUN_SET(&run, end, start + (random_chance(6) ? -length : length));
    }
    return run;
}

/* --- the slow way -------------------------------------------------------------------------- */

/* What the reference reckons for one group in one bucket. */
struct tally {
    wide_int jobs, started, active, cpu, wall, wait;
    int64_t cpu_known, wall_known, wait_known;
    struct str users[USERS_MAX];
    size_t user_count;
};

static void add_user(struct tally *tally, struct str user)
{
    for (size_t i = 0; i < tally->user_count; i++) {
        if (str_eq(tally->users[i], user)) {
            return;
        }
    }
    tally->users[tally->user_count++] = user;
}

/* Whether it is over, and nobody knows since when. */
static bool is_untimed(const struct run *run)
{
    return !RUN_HAS(run, end) && RUN_HAS(run, class) &&
           (str_eq(run->class, STR("completed")) || str_eq(run->class, STR("failed")));
}

/* Where a run stands: its time from start to end, and to now while it goes on. */
static int64_t last_of(const struct run *run, int64_t now)
{
    int64_t end = RUN_HAS(run, end) ? run->end : is_untimed(run) ? run->start : now;
    return end > run->start ? end : run->start;
}

static void add_active(struct tally *tally, const struct run *run, int64_t overlap)
{
    tally->active++;
    tally->wall += overlap;
    tally->wall_known += !is_untimed(run);
    if (RUN_HAS(run, cpus) && !is_untimed(run)) {
        tally->cpu += (wide_int)run->cpus * overlap;
        tally->cpu_known++;
    }
    if (RUN_HAS(run, user)) {
        add_user(tally, run->user);
    }
}

static void add_run(struct tally *tally, const struct run *run, struct period period,
                    int64_t now)
{
    if (!RUN_HAS(run, start)) {
        return;
    }
    int64_t start = run->start;
    int64_t last = last_of(run, now);
    bool starts = start >= period.from && start < period.to;
    if (starts) {
        tally->started++;
        if (RUN_HAS(run, submit)) {
            tally->wait += start > run->submit ? start - run->submit : 0;
            tally->wait_known++;
        }
    }
    if (RUN_HAS(run, end) && run->end >= period.from && run->end < period.to) {
        tally->jobs++;
    }
    if (last == start ? starts : start < period.to && last > period.from) {
        int64_t lower = start > period.from ? start : period.from;
        int64_t upper = last < period.to ? last : period.to;
        add_active(tally, run, upper - lower);
    }
}

/* A measure of a tally; false if it is unknown. */
static bool tally_value(const struct tally *tally, const char *id, wide_int *out)
{
    struct {
        const char *id;
        wide_int value;
        bool known;
    } const values[] = {
        {"jobs", tally->jobs, true},
        {"jobs_started", tally->started, true},
        {"jobs_active", tally->active, true},
        {"cpu_hours", tally->cpu, tally->active == 0 || tally->cpu_known > 0},
        {"wall_hours", tally->wall, tally->active == 0 || tally->wall_known > 0},
        {"wait_hours", tally->wait, tally->started == 0 || tally->wait_known > 0},
        {"users", (wide_int)tally->user_count, tally->active == 0 || tally->user_count > 0},
    };

    for (size_t i = 0; i < COUNT_OF(values); i++) {
        if (str_eq(str_of(values[i].id), str_of(id))) {
            *out = values[i].value;
            return values[i].known;
        }
    }
    expect_fail("the reference has no measure '%s'", id);
}

/* Whether the group has anything to say of this kind of measure. */
static bool tally_has(const struct tally *tally, enum measure_kind kind)
{
    return kind == MEASURE_AT_END     ? tally->jobs > 0
           : kind == MEASURE_AT_START ? tally->started > 0
                                      : tally->active > 0;
}

/* --- questions ----------------------------------------------------------------------------- */

/* Filters and what they mean, in C. */
static bool is_ann_or_bob(const struct run *run)
{
    return RUN_HAS(run, user) &&
           (str_eq(run->user, STR("ann")) || str_eq(run->user, STR("bob")));
}

static bool is_not_ann(const struct run *run)
{
    return !RUN_HAS(run, user) || !str_eq(run->user, STR("ann"));
}

static bool has_small_cpus(const struct run *run)
{
    return RUN_HAS(run, cpus) && run->cpus >= 1 && run->cpus <= 3;
}

static bool has_many_cpus(const struct run *run)
{
    return RUN_HAS(run, cpus) && run->cpus > 100;
}

static bool is_named_sim(const struct run *run)
{
    return RUN_HAS(run, name) && str_starts(run->name, STR("sim"));
}

static bool is_percent(const struct run *run)
{
    return RUN_HAS(run, name) && str_eq(run->name, STR("50%"));
}

static bool is_short(const struct run *run)
{
    return RUN_HAS(run, start) && RUN_HAS(run, end) && run->end - run->start < HOUR_US;
}

static bool is_on_birch(const struct run *run)
{
    return str_eq(run->cluster, STR("birch"));
}

static const struct known_filter {
    const char *field;
    const char *list;
    bool (*holds)(const struct run *run);
} known_filters[] = {
    {"user", "ann,bob", is_ann_or_bob}, {"user", "!ann", is_not_ann},
    {"cpus", "1..3", has_small_cpus},   {"cpus", ">100", has_many_cpus},
    {"name", "sim*", is_named_sim},     {"name", "50%", is_percent},
    {"wall", "<1h", is_short},          {"cluster", "b*", is_on_birch},
};

struct asked {
    struct question question;
    const struct known_filter *filters[2];
    size_t filter_count;
};

static void random_measures(struct question *question)
{
    while (question->measure_count == 0) {
        for (size_t i = 0; i < measure_count; i++) {
            if (random_chance(45)) {
                question->measures[question->measure_count++] = &measures[i];
            }
        }
    }
}

static struct asked random_question(void)
{
    static const char *const dimensions[] = {"cluster", "user", "group", "name", "cpus"};
    struct asked asked = {0};
    struct question *question = &asked.question;
    int64_t from = random_instant();
    question->zone = zones[random_below(COUNT_OF(zones))];
    question->period.from = from;
    question->period.to = from + 1 + (random_chance(30) ? random_below(30) * HOUR_US : 0);
    question->bucket = (enum bucket)random_below(BUCKET_YEAR + 1);
    /* Not so many hours that the reference takes all day. */
    question->period.to += random_below((question->bucket == BUCKET_HOUR ? 20 : 400) * DAY_US);
    question->now = random_instant() + random_below(200 * DAY_US);
    random_measures(question);
    for (size_t i = 0; i < COUNT_OF(dimensions) && question->dimension_count < 2; i++) {
        if (random_chance(25)) {
            question->dimensions[question->dimension_count++] =
                dimension_find(str_of(dimensions[i]));
        }
    }
    while (asked.filter_count < COUNT_OF(asked.filters) && random_chance(40)) {
        const struct known_filter *filter =
            &known_filters[random_below(COUNT_OF(known_filters))];
        ask_where(question, filter->field, filter->list);
        asked.filters[asked.filter_count++] = filter;
    }
    return asked;
}

static bool is_wanted(const struct asked *asked, const struct run *run)
{
    for (size_t i = 0; i < asked->filter_count; i++) {
        if (!asked->filters[i]->holds(run)) {
            return false;
        }
    }
    return true;
}

/* --- comparing ----------------------------------------------------------------------------- */

static void add_key(struct buf *key, const struct run *run, const struct field *field)
{
    const char *member = (const char *)run + field->offset;
    if (!run_has(run, (enum run_field)(field - run_fields))) {
        buf_addz(key, "---");
    } else if (field->type == FIELD_TEXT) {
        buf_add(key, *(const struct str *)(const void *)member);
    } else {
        buf_addf(key, "%" PRId64, *(const int64_t *)(const void *)member);
    }
    buf_addc(key, '/');
}

/* The groups of a question in one bucket. */
struct group {
    char key[128];
    struct tally tally;
};

struct reckoning {
    struct group groups[GROUPS_MAX];
    size_t count;
};

static struct reckoning reckoning; /* too large for a stack */

static struct tally *find_group(struct buf *key)
{
    for (size_t i = 0; i < reckoning.count; i++) {
        if (str_eq(str_of(reckoning.groups[i].key), buf_str(key))) {
            return &reckoning.groups[i].tally;
        }
    }
    expect_true(reckoning.count < GROUPS_MAX && key->len < sizeof reckoning.groups[0].key);
    struct group *group = &reckoning.groups[reckoning.count++];
    *group = (struct group){0};
    memcpy(group->key, key->ptr, key->len);
    return &group->tally;
}

static void reckon(const struct asked *asked, struct period period)
{
    const struct question *q = &asked->question;
    struct buf key;
    buf_init(&key, 1024);
    reckoning.count = 0;
    if (q->dimension_count == 0) {
        find_group(&key); /* it is there even if nothing happened */
    }
    for (size_t i = 0; i < RUNS; i++) {
        if (is_wanted(asked, &runs[i])) {
            buf_clear(&key);
            for (size_t d = 0; d < q->dimension_count; d++) {
                add_key(&key, &runs[i], q->dimensions[d]);
            }
            add_run(find_group(&key), &runs[i], period, q->now);
        }
    }
    buf_release(&key);
}

/* Whether the answer should have a row for this group. */
static bool is_shown(const struct question *q, const struct tally *tally)
{
    if (q->dimension_count == 0) {
        return true;
    }
    for (size_t i = 0; i < q->measure_count; i++) {
        wide_int value = 0;
        bool known = tally_value(tally, q->measures[i]->id, &value);
        if (q->bucket == BUCKET_NONE ? tally_has(tally, q->measures[i]->kind)
                                     : !known || value != 0) {
            return true;
        }
    }
    return false;
}

static void row_key(const struct table *table, size_t dimensions, size_t row, struct buf *key)
{
    buf_clear(key);
    for (size_t d = 0; d < dimensions; d++) {
        if (!table_has(table, d, row)) {
            buf_addz(key, "---");
        } else if (table->columns[d].type == CELL_TEXT) {
            buf_add(key, table->columns[d].cells[row].text);
        } else {
            buf_addf(key, "%" PRId64, (int64_t)table_wide(table, d, row));
        }
        buf_addc(key, '/');
    }
}

static void expect_row(const struct asked *asked, const struct table *table, size_t row,
                       const struct group *group)
{
    const struct question *q = &asked->question;
    size_t first = table->column_count - q->measure_count;
    for (size_t i = 0; i < q->measure_count; i++) {
        wide_int want = 0;
        bool known = tally_value(&group->tally, q->measures[i]->id, &want);
        if (known != table_has(table, first + i, row)) {
            expect_fail("seed %" PRIu64 ": %s of '%s' is %s", seed, q->measures[i]->id,
                        group->key, known ? "unknown but should not be" : "not unknown");
        }
        if (known && table_wide(table, first + i, row) != want) {
            expect_fail("seed %" PRIu64 ": %s of '%s' is %lld, want %lld", seed,
                        q->measures[i]->id, group->key,
                        (long long)table_wide(table, first + i, row), (long long)want);
        }
    }
}

/* The rows of one bucket, from `row` on; returns the first row after them. */
static size_t expect_bucket(const struct asked *asked, const struct table *table, size_t row,
                            const char *label)
{
    const struct question *q = &asked->question;
    size_t shown = 0;
    struct buf key;
    buf_init(&key, 1024);
    for (size_t i = 0; i < reckoning.count; i++) {
        shown += is_shown(q, &reckoning.groups[i].tally);
    }
    for (; shown > 0; shown--, row++) {
        expect_true(row < table->row_count);
        if (label) {
            struct str got = ask_text(table, "period", row);
            expect_text_n(got.ptr, got.len, label);
        }
        row_key(table, q->dimension_count, row, &key);
        size_t groups = reckoning.count;
        find_group(&key);
        if (reckoning.count != groups) {
            expect_fail("seed %" PRIu64 ": there should be no row for '%s'", seed, key.ptr);
        }
        for (size_t i = 0; i < reckoning.count; i++) {
            if (str_eq(str_of(reckoning.groups[i].key), buf_str(&key))) {
                expect_true(is_shown(q, &reckoning.groups[i].tally));
                expect_row(asked, table, row, &reckoning.groups[i]);
            }
        }
    }
    buf_release(&key);
    return row;
}

/* Largest first, unknown last; buckets in order of time were seen to already. */
static void expect_order(const struct question *q, const struct table *table)
{
    size_t first = table->column_count - q->measure_count;
    for (size_t row = 1; row < table->row_count; row++) {
        if (q->bucket != BUCKET_NONE &&
            !str_eq(ask_text(table, "period", row), ask_text(table, "period", row - 1))) {
            continue;
        }
        bool before = table_has(table, first, row - 1);
        bool after = table_has(table, first, row);
        expect_true(before || !after);
        expect_true(!after ||
                    table_wide(table, first, row - 1) >= table_wide(table, first, row));
    }
}

static void expect_reckoned(const struct asked *asked, const struct table *table)
{
    const struct question *q = &asked->question;
    struct error err = {0};
    int64_t *edges = NULL;
    size_t count = 0;
    size_t row = 0;
    if (calendar_edges(q->period, q->bucket, q->zone, &edges, &count, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < count; i++) {
        char label[BUCKET_LABEL_MAX];
        struct period period = {
            .from = edges[i] > q->period.from ? edges[i] : q->period.from,
            .to = edges[i + 1] < q->period.to ? edges[i + 1] : q->period.to,
        };
        calendar_label(edges[i], q->bucket, q->zone, label);
        reckon(asked, period);
        row = expect_bucket(asked, table, row, q->bucket == BUCKET_NONE ? NULL : label);
    }
    expect_uint(row, table->row_count);
    expect_order(q, table);
    free(edges);
}

/* --- tests --------------------------------------------------------------------------------- */

static void opens_a_store_of_random_runs(void **state)
{
    (void)state;
    const char *given = getenv("STINT_SEED");
    seed = given ? strtoull(given, NULL, 10) : seed;
    random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (size_t i = 0; i < COUNT_OF(zones); i++) {
        zones[i] = ask_zone(zone_names[i]);
    }
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = random_run();
    }
    runs_open(&store);
    runs_add(&store, runs, RUNS);
}

static void answers_are_what_the_slow_way_gives(void **state)
{
    (void)state;
    for (size_t i = 0; i < QUESTIONS; i++) {
        struct asked asked = random_question();
        struct table table;
        ask(store.facts, &asked.question, &table);
        expect_reckoned(&asked, &table);
        table_release(&table);
    }
}

/* The sum of a column; unknown cells add nothing. */
static wide_int sum_of(const struct table *table, const char *id)
{
    size_t column = ask_column(table, id);
    wide_int sum = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        sum += table_has(table, column, row) ? table_wide(table, column, row) : 0;
    }
    return sum;
}

static void expect_same_sums(const struct table *total, const struct table *parts)
{
    for (size_t i = 0; i < measure_count; i++) {
        if (measures[i].additive) {
            expect_true(sum_of(total, measures[i].id) == sum_of(parts, measures[i].id));
        }
    }
}

static void a_total_is_the_sum_of_its_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        struct asked asked = random_question();
        struct question *q = &asked.question;
        struct table total, parts;
        q->measure_count = q->dimension_count = 0;
        q->bucket = BUCKET_NONE;
        for (size_t m = 0; m < measure_count; m++) {
            q->measures[q->measure_count++] = &measures[m];
        }
        ask(store.facts, q, &total);
        ask_by(q, "user,group");
        ask(store.facts, q, &parts);
        expect_same_sums(&total, &parts);
        table_release(&parts);
        for (q->bucket = BUCKET_DAY; q->bucket <= BUCKET_YEAR; q->bucket += 2) {
            ask(store.facts, q, &parts);
            expect_same_sums(&total, &parts);
            table_release(&parts);
        }
        table_release(&total);
    }
}

static void closes_the_store(void **state)
{
    (void)state;
    runs_close(&store);
    for (size_t i = 0; i < COUNT_OF(zones); i++) {
        zone_close(zones[i]);
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store_of_random_runs);
    SUITE_TEST(&suite, answers_are_what_the_slow_way_gives);
    SUITE_TEST(&suite, a_total_is_the_sum_of_its_parts);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "differential");
}
