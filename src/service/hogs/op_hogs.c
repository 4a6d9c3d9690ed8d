/* SPDX-License-Identifier: MIT */

/*
 * stint hogs: who holds what they do not use, by rules that a site may change.
 */

#include "base/calendar.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/hogs/hog_messages.h"

static const struct heading headings[] = {
    {"rule", "Rule", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"runs", "Runs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    {"used", "Used", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE},
    {"lost", "Lost", CELL_REAL, UNIT_NONE, COLUMN_BESIDE},
    {"unit", "", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"example", "Largest", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
};

enum out {
    OUT_RULE,
    OUT_USER,
    OUT_RUNS,
    OUT_USED,
    OUT_LOST,
    OUT_UNIT,
    OUT_EXAMPLE,
    OUT_CLUSTER
};

static const struct heading rule_headings[] = {
    {"rule", "Rule", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"enabled", "Counts", CELL_INT, UNIT_TRUTH, COLUMN_BESIDE},
    {"busy", "From", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE},
    {"only", "Only", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"exempt", "Exempt", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"definition", "Definition", CELL_TEXT, UNIT_NONE, COLUMN_PROSE},
};

static void list_rules(const struct hog_site *site, struct table *out)
{
    table_columns(out, rule_headings, COUNT_OF(rule_headings));
    for (size_t i = 0; i < site->count; i++) {
        const struct hog_site_rule *one = &site->rows[i];
        const struct str only = one->partitions.ptr ? one->partitions
                                : one->nodes.ptr    ? one->nodes
                                                    : one->qos;
        struct buf text;
        const size_t row = table_row(out);
        buf_init(&text, 4096);
        hog_site_define(&text, &one->rule);
        table_set_text(out, 0, row, str_of(one->rule.name));
        table_set_int(out, 1, row, one->enabled);
        if (one->rule.where == HOG_IN_RUNS && one->busy > 0) {
            table_set_real(out, 2, row, one->busy);
        }
        if (only.ptr) {
            table_set_text(out, 3, row, only);
        }
        if (one->exempt.ptr) {
            table_set_text(out, 4, row, one->exempt);
        }
        table_set_text(out, 5, row, buf_str(&text));
        buf_release(&text);
    }
}

static void add_case(const struct hog_site_rule *site, const struct hog_case *one,
                     struct table *out)
{
    const size_t row = table_row(out);
    table_set_text(out, OUT_RULE, row, str_of(site->rule.name));
    table_set_text(out, OUT_USER, row, one->user);
    table_set_int(out, OUT_RUNS, row, one->runs);
    if (hog_site_has_share(&site->rule) && one->share >= 0) {
        table_set_real(out, OUT_USED, row, one->share);
    }
    table_set_real(out, OUT_LOST, row, hog_site_scaled(&site->rule, one->lost));
    table_set_text(out, OUT_UNIT, row, str_of(hog_site_unit(&site->rule)));
    table_set_text(out, OUT_EXAMPLE, row, one->items[0].what);
    if (one->cluster.len > 0) {
        table_set_text(out, OUT_CLUSTER, row, one->cluster);
    }
}

/* --- the operation ------------------------------------------------------------------------ */

/* What is asked for. */
struct asked {
    struct str rule; /* null: all that count */
    int64_t limit;
    struct hog_messages *messages; /* or NULL */
};

static int apply_rule(const struct hog_world *world, const struct hog_site_rule *site,
                      const struct asked *asked, struct table *out, struct error *err)
{
    struct hog_cases cases;
    int failed = 0;
    hog_cases_find(world, site, &cases);
    for (size_t i = 0; i < cases.count && !failed; i++) {
        if (asked->limit > 0 && (int64_t)i >= asked->limit) {
            break;
        }
        add_case(site, &cases.rows[i], out);
        failed =
            asked->messages ? hog_messages_add(asked->messages, site, &cases.rows[i], err) : 0;
    }
    hog_cases_release(&cases);
    return failed;
}

static int apply_rules(const struct hog_world *world, const struct hog_site *site,
                       const struct asked *asked, struct table *out, struct error *err)
{
    int failed = 0;
    table_columns(out, headings, COUNT_OF(headings));
    for (size_t i = 0; i < site->count && !failed; i++) {
        const struct hog_site_rule *one = &site->rows[i];
        if (asked->rule.ptr ? str_eq(asked->rule, str_of(one->rule.name)) : one->enabled) {
            failed = apply_rule(world, one, asked, out, err);
        }
    }
    return failed;
}

static void note_messages(const struct hog_messages *messages, struct answer *answer)
{
    answer_note(answer, NOTE_RESULT,
                messages->sends ? "%zu messages sent; what they report is not reported again"
                : messages->apply
                    ? "%zu messages; what they report is not reported again"
                    : "%zu messages, shown only: with --apply what they report is "
                      "not reported again",
                messages->count);
    if (messages->unsent > 0) {
        answer_note(answer, NOTE_RESULT,
                    "%zu cases of people without an address were not sent: add it with stint "
                    "people, or set staff of [mail]",
                    messages->unsent);
    }
}

static int write_messages(struct service *service, const struct hog_world *world,
                          const struct hog_site *site, struct asked *asked, bool apply,
                          struct answer *answer, struct error *err)
{
    struct hog_messages messages = {.service = service,
                                    .period = world->rows.period,
                                    .out = &answer->document,
                                    .apply = apply};
    int failed = session_facts(service->session, FACTS_READ, &messages.facts, err);
    asked->messages = &messages;
    buf_init(&answer->document, 1 << 24);
    if (failed) {
        return failed;
    }
    (void)((failed = hog_messages_open(&messages, err)) ||
           (failed = apply_rules(world, site, asked, &answer->table, err)));
    if (!failed) {
        note_messages(&messages, answer);
    }
    hog_messages_close(&messages);
    return failed;
}

static int find_hogs(struct service *service, const struct request *request,
                     const struct hog_site *site, struct answer *answer, struct error *err)
{
    struct facts *facts = NULL;
    struct hog_world world = {0};
    struct asked asked = {.rule = request_text(request, "rule")};
    const bool message = request_flag(request, "message");
    int failed;
    (void)((failed = request_number(request, "limit", 0, &asked.limit, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = hog_world_read(service, request, facts, &world, err)) ||
           (failed = run_rows_note(service, facts, request, &world.rows, answer, err)) ||
           (failed = message ? write_messages(service, &world, site, &asked,
                                              request_flag(request, "apply"), answer, err)
                             : apply_rules(&world, site, &asked, &answer->table, err)));
    if (!failed && !message) {
        answer_note(answer, NOTE_READING,
                    "runs of which the use is not known break no rule; the rules: stint hogs "
                    "--rules");
    }
    hog_world_release(&world);
    return failed;
}

static const char *rule_name_at(size_t index)
{
    return index < hog_rule_count ? hog_rules[index].name : NULL;
}

static int check_request(const struct service *service, const struct request *request,
                         const struct hog_site *site, struct error *err)
{
    const struct str wanted = request_text(request, "rule");
    bool known = !wanted.ptr;
    for (size_t i = 0; i < site->count; i++) {
        known = known || str_eq(wanted, str_of(site->rows[i].rule.name));
    }
    if (!known) {
        return params_unknown("rule", wanted, rule_name_at, "see them with: stint hogs --rules",
                              err);
    }
    if (!request_flag(request, "apply")) {
        return 0;
    }
    if (!request_flag(request, "message")) {
        return error_set(err, ERROR_USAGE, "--apply goes with --message");
    }
    return service->caller && !caller_may(service->caller, RIGHT_CHORES)
               ? error_set(err, ERROR_DENIED,
                           "--apply sends messages: it needs the right chores")
               : 0;
}

static int run_hogs(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    struct hog_site site;
    int failed = hog_site_read(service->config, &site, err);
    failed = failed ? failed : check_request(service, request, &site, err);
    if (!failed && request_flag(request, "rules")) {
        list_rules(&site, &answer->table);
        return 0;
    }
    return failed ? failed : find_hogs(service, request, &site, answer, err);
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
     .help = "write the messages to these people, about what was not reported before"},
    {.name = "apply",
     .type = PARAM_FLAG,
     .help =
         "with --message: send them, where [mail] or [webhook] is set; they count as reported"},
    PARAM_LIMIT("10", "maximum number of users per rule; 0 shows all"),
};

const struct operation operation_hogs = {
    .name = "hogs",
    .summary = "find jobs that hold cpus, memory and GPUs without using them",
    .description =
        "Lists runs of the period that violate rules: idle GPUs and cpus, memory that "
        "is never used, jobs that hang, jobs without GPUs on GPU nodes, time limits "
        "that are far too long, large numbers of short jobs, jobs that are too large "
        "or too small for their partition, processes on login nodes, processes left "
        "over after their job. For each rule it shows the users with the largest "
        "losses on a cluster, the number of their runs, the share they used on average, what "
        "is lost, and the largest run, for stint job. A login of two clusters is counted on "
        "each. Values that are missing in accounting are taken from samples. Sections [hog "
        "RULE] of stint.conf change "
        "thresholds, exempt users, disable rules and add others. Runs on days on "
        "which the cluster was mostly idle do not count.",
    .examples =
        "stint hogs --from 7d # all rules, the last week\n"
        "stint hogs --rules # what counts, with this site's numbers\n"
        "stint hogs --rule idle-gpus --message --from 7d # the messages, without sending",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .from_help = PARAM_FROM_HELP "30 days ago; with -j, any time",
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_hogs,
};
