/* SPDX-License-Identifier: MIT */

/*
 * stint hogs: who holds what they do not use, by rules that a site may change.
 */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advice/hog.h"
#include "base/calendar.h"
#include "base/mem.h"
#include "service/operations.h"
#include "service/params.h"
#include "service/questions/run_rows.h"

#define FIELDS "user,id,class,wall,cpus,cpu_used,mem,mem_peak,gpus,gpu_used,time_limit"

enum { USER, ID, CLASS, WALL, CPUS, CPU_USED, MEM, MEM_PEAK, GPUS, GPU_USED, TIME_LIMIT };

static const struct heading headings[] = {
    {"rule", "Rule", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"runs", "Runs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    {"used", "Used", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE},
    {"lost", "Lost", CELL_REAL, UNIT_NONE, COLUMN_BESIDE},
    {"unit", "", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"example", "Largest", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

enum out { OUT_RULE, OUT_USER, OUT_RUNS, OUT_USED, OUT_LOST, OUT_UNIT, OUT_EXAMPLE };

/* --- the rules, as the site has them ---------------------------------------------------------------- */

struct site_rule {
    struct hog_rule rule;
    struct str exempt; /* logins */
    bool enabled;
};

static void read_rule(const struct config *config, const struct hog_rule *rule,
                      struct site_rule *out)
{
    const struct config_key *keys = config_hog_keys;
    const struct config_section *section =
        config ? config_find(config, STR("hog"), str_of(rule->name)) : NULL;
    *out = (struct site_rule){.rule = *rule, .enabled = true};
    if (!section) {
        return;
    }
    const int64_t threshold = config_number(section, &keys[CONFIG_HOG_THRESHOLD], -1);
    const int64_t time = config_number(section, &keys[CONFIG_HOG_TIME], -1);
    out->enabled = config_number(section, &keys[CONFIG_HOG_ENABLED], 1) != 0;
    out->exempt = config_text(section, &keys[CONFIG_HOG_EXEMPT]);
    if (threshold >= 0) {
        out->rule.threshold = rule->by_number ? (double)threshold : (double)threshold / 100;
    }
    if (time >= 0) {
        out->rule.least_us = (double)time;
    }
}

static const char *rule_name_at(size_t index)
{
    return index < hog_rule_count ? hog_rules[index].name : NULL;
}

/* A section of a rule that does not exist is a mistake that nobody would notice. */
static int check_sections(const struct config *config, struct error *err)
{
    int failed = config ? config_check_plain(config, err) : 0;
    for (size_t i = 0; config && i < config->section_count && !failed; i++) {
        size_t at = 0;
        if (str_eq(config->sections[i].kind, STR("hog"))) {
            failed = params_find("rule", config->sections[i].name, rule_name_at,
                                 "see them with: stint hogs --rules", &at, err);
        }
    }
    return failed;
}

static bool is_exempt(struct str list, struct str user)
{
    while (list.ptr) {
        size_t length = 0;
        while (length < list.len && list.ptr[length] != ',' && list.ptr[length] != ' ') {
            length++;
        }
        if (length > 0 && str_eq((struct str){list.ptr, length}, user)) {
            return true;
        }
        list = length < list.len ? (struct str){list.ptr + length + 1, list.len - length - 1}
                                 : (struct str){0};
    }
    return false;
}

/* --- cases ------------------------------------------------------------------------------------------- */

/* What one person did against one rule. */
struct hog_case {
    struct str user;
    int64_t runs;
    double share_sum, lost, largest;
    struct str example;
};

struct cases {
    struct hog_case *rows;
    size_t count, room;
};

static struct hog_case *case_of(struct cases *cases, struct str user)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (str_eq(cases->rows[i].user, user)) {
            return &cases->rows[i];
        }
    }
    if (cases->count == cases->room) {
        cases->room = cases->room ? 2 * cases->room : 64;
        cases->rows = mem_resize(cases->rows, cases->room, sizeof(*cases->rows));
    }
    struct hog_case *added = &cases->rows[cases->count++];
    *added = (struct hog_case){.user = user};
    return added;
}

static struct hog_run run_of(const struct run_rows *rows, size_t row)
{
    const struct str class = run_rows_text(rows, CLASS, row);
    return (struct hog_run){
        .wall = run_rows_number(rows, WALL, row, 0),
        .cpus = run_rows_number(rows, CPUS, row, 0),
        .cpu_used = run_rows_number(rows, CPU_USED, row, -1),
        .mem = run_rows_number(rows, MEM, row, 0),
        .mem_peak = run_rows_number(rows, MEM_PEAK, row, -1),
        .gpus = run_rows_number(rows, GPUS, row, 0),
        .gpu_used = run_rows_number(rows, GPU_USED, row, -1),
        .time_limit = run_rows_number(rows, TIME_LIMIT, row, 0),
        .running = str_eq(class, STR("running")),
        .completed = str_eq(class, STR("completed")),
    };
}

static void find_cases(const struct run_rows *rows, const struct site_rule *site,
                       struct cases *out)
{
    for (size_t row = 0; row < rows->table.row_count; row++) {
        const struct hog_run run = run_of(rows, row);
        const struct str user = run_rows_text(rows, USER, row);
        double share = 0, lost = 0;
        if (!site->rule.breaks(&site->rule, &run, &share, &lost) ||
            is_exempt(site->exempt, user)) {
            continue;
        }
        struct hog_case *one = case_of(out, user);
        one->runs++;
        one->share_sum += share;
        one->lost += lost;
        if (one->runs == 1 || lost > one->largest) {
            one->largest = lost;
            one->example = run_rows_text(rows, ID, row);
        }
    }
}

static int by_loss(const void *left, const void *right)
{
    const struct hog_case *a = left, *b = right;
    return a->lost != b->lost ? (a->lost < b->lost) - (a->lost > b->lost)
                              : str_compare(a->user, b->user);
}

/* In what is lost: microseconds, bytes x microseconds, runs. */
static const struct {
    const char *name;
    double by;
} units[] = {
    [HOG_CPU_HOURS] = {"CPU h", 3600e6},
    [HOG_GPU_HOURS] = {"GPU h", 3600e6},
    [HOG_GIB_HOURS] = {"GiB h", 3600e6 * 1024 * 1024 * 1024},
    [HOG_RUNS] = {"runs", 1},
};

static void add_case(const struct site_rule *site, const struct hog_case *one,
                     struct table *out)
{
    const size_t row = table_row(out);
    table_set_text(out, OUT_RULE, row, str_of(site->rule.name));
    table_set_text(out, OUT_USER, row, one->user);
    table_set_int(out, OUT_RUNS, row, one->runs);
    if (!site->rule.by_number) {
        table_set_real(out, OUT_USED, row, one->share_sum / (double)one->runs);
    }
    table_set_real(out, OUT_LOST, row, round(one->lost / units[site->rule.unit].by * 10) / 10);
    table_set_text(out, OUT_UNIT, row, str_of(units[site->rule.unit].name));
    table_set_text(out, OUT_EXAMPLE, row, one->example);
}

static void apply_rule(const struct run_rows *rows, const struct site_rule *site, int64_t limit,
                       struct table *out)
{
    struct cases cases = {0};
    int64_t shown = 0;
    find_cases(rows, site, &cases);
    if (cases.count > 0) {
        qsort(cases.rows, cases.count, sizeof(*cases.rows), by_loss);
    }
    for (size_t i = 0; i < cases.count && (limit == 0 || shown < limit); i++) {
        if (!site->rule.by_number || (double)cases.rows[i].runs > site->rule.threshold) {
            add_case(site, &cases.rows[i], out);
            shown++;
        }
    }
    free(cases.rows);
}

/* --- words ------------------------------------------------------------------------------------------- */

static void say_share(struct buf *out, const struct hog_rule *rule)
{
    buf_addf(out, rule->by_number ? "%.0f" : "%.0f %%",
             rule->by_number ? rule->threshold : 100 * rule->threshold);
}

static void say_time(struct buf *out, const struct hog_rule *rule)
{
    const double seconds = rule->least_us / 1e6;
    if (seconds >= 3600) {
        buf_addf(out, "%g h", seconds / 3600);
    } else if (seconds >= 60) {
        buf_addf(out, "%g min", seconds / 60);
    } else {
        buf_addf(out, "%g s", seconds);
    }
}

/* The definition with its numbers. */
static void say_rule(struct buf *out, const struct hog_rule *rule)
{
    struct str rest = str_of(rule->definition);
    while (rest.ptr) {
        buf_add(out, str_cut(&rest, '{'));
        if (rest.ptr) {
            const struct str word = str_cut(&rest, '}');
            (str_eq(word, STR("share")) ? say_share : say_time)(out, rule);
        }
    }
}

static const struct heading rule_headings[] = {
    {"rule", "Rule", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"enabled", "Counts", CELL_INT, UNIT_TRUTH, COLUMN_BESIDE},
    {"exempt", "Exempt", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"definition", "Definition", CELL_TEXT, UNIT_NONE, COLUMN_PROSE},
};

static void list_rules(const struct service *service, struct table *out)
{
    table_columns(out, rule_headings, COUNT_OF(rule_headings));
    for (size_t i = 0; i < hog_rule_count; i++) {
        struct site_rule site;
        struct buf text;
        const size_t row = table_row(out);
        read_rule(service->config, &hog_rules[i], &site);
        buf_init(&text, 4096);
        say_rule(&text, &site.rule);
        table_set_text(out, 0, row, str_of(site.rule.name));
        table_set_int(out, 1, row, site.enabled);
        if (site.exempt.ptr) {
            table_set_text(out, 2, row, site.exempt);
        }
        table_set_text(out, 3, row, buf_str(&text));
        buf_release(&text);
    }
}

/* A message to each person who is in the list, with what they can look at themselves. Nothing is sent. */
static void write_messages(const struct service *service, const struct table *cases,
                           struct buf *out)
{
    for (size_t row = 0; row < cases->row_count; row++) {
        const struct str user = cases->columns[OUT_USER].cells[row].text;
        const struct str rule = cases->columns[OUT_RULE].cells[row].text;
        const struct str example = cases->columns[OUT_EXAMPLE].cells[row].text;
        struct site_rule site;
        read_rule(service->config, &hog_rules[hog_find(rule.ptr)], &site);
        buf_addf(out, "To: %.*s\nSubject: jobs that hold what they do not use\n\n",
                 STR_ARG(user));
        buf_addf(out, "%" PRId64 " of your runs in the period: ",
                 cases->columns[OUT_RUNS].cells[row].integer);
        say_rule(out, &site.rule);
        buf_addf(
            out,
            ".\nIn all %.1f %.*s; the largest is %.*s.\nSee for yourself: stint job %.*s\n\n",
            cases->columns[OUT_LOST].cells[row].real,
            STR_ARG(cases->columns[OUT_UNIT].cells[row].text), STR_ARG(example),
            STR_ARG(example));
    }
}

/* --- the operation ----------------------------------------------------------------------------------- */

static int find_hogs(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct facts *facts = NULL;
    struct run_rows rows = {0};
    int64_t limit = 0;
    const struct str only = request_text(request, "rule");
    int failed;
    (void)((failed = request_number(request, "limit", 0, &limit, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = run_rows_ask(service, request, facts, FIELDS, &rows, err)));
    if (!failed) {
        table_columns(&answer->table, headings, COUNT_OF(headings));
        for (size_t i = 0; i < hog_rule_count; i++) {
            struct site_rule site;
            read_rule(service->config, &hog_rules[i], &site);
            if (only.ptr ? str_eq(only, str_of(site.rule.name)) : site.enabled) {
                apply_rule(&rows, &site, limit, &answer->table);
            }
        }
        answer_note(answer, NOTE_READING,
                    "runs of which the use is not known break no rule; the rules: stint hogs "
                    "--rules");
        failed = run_rows_note(service, facts, request, &rows, answer, err);
    }
    run_rows_release(&rows);
    return failed;
}

static int run_hogs(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    size_t at = 0;
    int failed = check_sections(service->config, err);
    if (!failed && request_has(request, "rule")) {
        failed = params_find("rule", request_text(request, "rule"), rule_name_at,
                             "see them with: stint hogs --rules", &at, err);
    }
    if (failed) {
        return failed;
    }
    if (request_flag(request, "rules")) {
        list_rules(service, &answer->table);
        return 0;
    }
    failed = find_hogs(service, request, answer, err);
    if (!failed && request_flag(request, "message")) {
        buf_init(&answer->document, 1 << 24);
        write_messages(service, &answer->table, &answer->document);
    }
    return failed;
}

static const struct param params[] = {
    {.name = "rule",
     .type = PARAM_TEXT,
     .value = "NAME",
     .name_at = rule_name_at,
     .help = "this rule only, also if the site has switched it off"},
    {.name = "rules", .type = PARAM_FLAG, .help = "list the rules with their numbers"},
    {.name = "message",
     .type = PARAM_FLAG,
     .help = "write the messages to these people; nothing is sent"},
    {.name = "limit",
     .letter = 'n',
     .type = PARAM_NUMBER,
     .value = "N",
     .fallback = "10",
     .help = "how many people a rule; 0 is all"},
};

const struct operation operation_hogs = {
    .name = "hogs",
    .summary = "find jobs that hold cpus, memory and GPUs without using them",
    .description = "Rules that runs of the period break: GPUs and cpus that are held and idle, "
                   "memory that is never used, "
                   "jobs that hang, time limits that are far too long, swarms of very short "
                   "jobs. For each rule "
                   "the people who lose most by it, how many of their runs, what share they "
                   "used on average, what is "
                   "lost, and the largest run, to look at with stint job. Sections [hog RULE] "
                   "of stint.conf change "
                   "thresholds, exempt people and switch rules off.",
    .examples =
        "stint hogs --from 7d # all rules, the last week\n"
        "stint hogs --rules # what counts, with this site's numbers\n"
        "stint hogs --rule idle-gpus --message --from 7d # what one would write to them",
    .role = ROLE_USER,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_hogs,
};
