/* SPDX-License-Identifier: MIT */

/*
 * stint jobs: a row for each run. stint job: everything known of one.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/inventory.h"
#include "report/queries/listing.h"
#include "report/queries/peer_wait.h"
#include "report/queries/places.h"
#include "report/queries/wait_causes.h"
#include "report/use/use_rows.h"
#include "report/use/use_table.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/jobs/job_samples.h"
#include "service/jobs/job_screen.h"
#include "service/jobs/run_energy.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"

/* What fits a terminal of 80 columns. */
#define DEFAULT_FIELDS "id,user,name,class,cpus,start,wall"

static const char *column_name_at(size_t index)
{
    return index < RUN_FIELD_COUNT ? run_fields[index].id
           : index < RUN_FIELD_COUNT + derived_field_count
               ? derived_fields[index - RUN_FIELD_COUNT].id
               : NULL;
}

static int find_column(struct str id, const struct field **out, struct error *err)
{
    *out = column_find(id);
    return *out ? 0
                : params_unknown("field", id, column_name_at,
                                 "see them all with: stint help jobs", err);
}

static int add_field(struct listing *listing, const struct field *field, struct error *err)
{
    if (listing->field_count == COUNT_OF(listing->fields)) {
        return error_set(err, ERROR_USAGE, "more than %zu fields", COUNT_OF(listing->fields));
    }
    listing->fields[listing->field_count++] = field;
    return 0;
}

/* Every field but bookkeeping, then the derived ones. */
static void add_all_fields(struct listing *listing)
{
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (dimension_is(&run_fields[i])) {
            listing->fields[listing->field_count++] = &run_fields[i];
        }
    }
    for (size_t i = 0;
         i < derived_field_count && listing->field_count < COUNT_OF(listing->fields); i++) {
        listing->fields[listing->field_count++] = &derived_fields[i];
    }
}

static int read_fields(const struct request *request, struct listing *listing,
                       struct error *err)
{
    struct str list = request_text(request, "fields");
    if (str_eq(list, STR("all"))) {
        add_all_fields(listing);
        return 0;
    }
    for (struct str rest = list; rest.ptr;) {
        const struct field *field = NULL;
        int failed;
        (void)((failed = find_column(str_trim(str_cut(&rest, ',')), &field, err)) ||
               (failed = add_field(listing, field, err)));
        if (failed) {
            return failed;
        }
    }
    return 0;
}

static bool is_of_use(const struct field *field)
{
    return field && use_rows_resolves(str_of(field->id));
}

static bool is_of_energy(const struct field *field)
{
    return is_of_use(field) && str_starts(str_of(field->id), STR("energy"));
}

/* Whether it shows, or is sorted by, such a field. */
static bool shows(const struct listing *listing, bool (*is)(const struct field *field))
{
    bool any = is(listing->sort);
    for (size_t i = 0; !any && i < listing->field_count; i++) {
        any = is(listing->fields[i]);
    }
    return any;
}

/* The fields that were asked for, and behind them those that their use is resolved from. */
static void add_fields_of_use(struct listing *listing)
{
    for (struct str rest = STR(USE_FIELDS ",req_mem"); rest.ptr;) {
        const struct field *field = column_find(str_cut(&rest, ','));
        size_t i = 0;
        while (i < listing->field_count && listing->fields[i] != field) {
            i++;
        }
        if (i == listing->field_count && i < COUNT_OF(listing->fields)) {
            listing->fields[listing->field_count++] = field;
        }
    }
}

/* Shares of time are those of runs that have ended, as in every listing. */
static void clear_shares(struct table *runs, size_t row)
{
    static const char *const ids[] = {"wall", "cpu_efficiency", "gpu_efficiency",
                                      "time_efficiency"};
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        const size_t column = table_find(runs, ids[i]);
        if (column < runs->column_count) {
            runs->columns[column].present[row] = false;
        }
    }
}

/*
 * What each run of a table used, and its energy, where that is asked for; `seen` may be NULL.
 */
static int read_use(const struct service *service, struct facts *facts,
                    const struct table *runs, bool energy, struct use *uses,
                    struct use_energy *seen, struct error *err)
{
    const struct use_energy_question question = {.runs = runs,
                                                 .now = service->now(),
                                                 .window = {0, INT64_MAX},
                                                 .idle = run_energy_idle(service->config)};
    int failed = use_rows_read(facts, runs, service->now(), uses, err);
    if (!failed && energy) {
        failed = use_energy_read(facts, &question, uses, seen, err);
    }
    return failed;
}

/* Runs of jobs that are named, of any time: they are few, and are resolved one by one. */
static int ask_named(const struct service *service, struct facts *facts,
                     const struct listing *listing, struct answer *answer, struct error *err)
{
    struct listing *wider = mem_alloc(1, sizeof(*wider));
    struct table runs = {0}, out = {0};
    *wider = *listing;
    add_fields_of_use(wider);
    int failed = listing_ask(facts, wider, &runs, err);
    struct use *uses = mem_alloc(runs.row_count + 1, sizeof(*uses));
    struct use_energy *seen = mem_alloc(runs.row_count + 1, sizeof(*seen));
    if (!failed) {
        failed = read_use(service, facts, &runs, shows(listing, is_of_energy), uses, seen, err);
    }
    for (size_t c = 0; !failed && c < listing->field_count; c++) {
        table_column_like(&out, &runs.columns[c]);
    }
    for (size_t row = 0; !failed && row < runs.row_count; row++) {
        use_rows_apply(&uses[row], &runs, row);
        if (uses[row].so_far) {
            clear_shares(&runs, row);
        }
        table_row(&out);
        for (size_t c = 0; c < listing->field_count; c++) {
            table_copy_cell(&runs, c, row, &out, c, row);
        }
    }
    if (!failed) {
        failed = answer_take(answer, &out, err);
    }
    free(seen);
    free(uses);
    free(wider);
    table_release(&runs);
    table_release(&out);
    return failed;
}

static int ask_listing(const struct service *service, struct facts *facts,
                       struct listing *listing, struct answer *answer, struct error *err)
{
    struct question books = {.filter = listing->filter};
    struct query_context with;
    const struct table_sink sink = {answer, answer_take};
    listing->books = &books;
    int failed = query_context_read(service, facts, &books, &with, err);
    const bool of_use = !failed && shows(listing, is_of_use);
    const enum energy_idle idle = run_energy_idle(service->config);
    const bool any_time = listing->period.from == listing->period.to;
    if (of_use && !any_time) {
        failed =
            use_table_make(facts, listing->period, listing->now,
                           shows(listing, is_of_energy) ? &idle : NULL, &books.resolved, err);
    }
    if (of_use && any_time) {
        failed = ask_named(service, facts, listing, answer, err);
    } else if (!failed) {
        failed = listing_each(facts, listing, &sink, err);
    }
    query_context_release(&with);
    listing->books = NULL;
    return failed;
}

/*
 * What a picture of runs shows: how long each ran, by its id; of one run, what it used of what
 * it had. Everything else about a run stands in the table. Of fields that were chosen it shows
 * these instead.
 */
static void choose_picture(struct table *table)
{
    const bool one = table->row_count == 1;
    for (size_t c = 0; c < table->column_count; c++) {
        struct column *column = &table->columns[c];
        const struct str id = str_of(column->id);
        if (one ? str_ends(id, STR("_efficiency")) : str_eq(id, STR("wall"))) {
            table_picture(table, c, column->label, false);
        } else if (!str_eq(id, STR("id")) && !str_eq(id, STR("cluster"))) {
            column->role = COLUMN_BESIDE;
        }
    }
}

enum { NEWEST = 50 };

/* Whether people asked for no runs in particular: then they see the newest. */
static bool wants_newest(const struct request *request, const struct listing *listing,
                         const struct answer *answer)
{
    return !answer->bare && listing->filter.count == 0 && listing->limit == 0 &&
           !listing->sort && !request_has(request, "reverse") && !question_period(request);
}

/* What was left out for length. */
static int note_left_out(struct facts *facts, const struct listing *listing, bool newest,
                         struct answer *answer, struct error *err)
{
    int64_t count = 0;
    int failed = 0;
    if (listing->limit == 0 || (int64_t)answer->row_count < listing->limit) {
        return 0;
    }
    if (newest && (failed = listing_count(facts, listing, &count, err)) == 0) {
        answer_note(answer, NOTE_MORE,
                    "the newest %d of %" PRId64
                    " runs: select others with --from, --to and filters, or raise --limit",
                    NEWEST, count);
    } else if (!failed) {
        answer_note(
            answer, NOTE_MORE,
            "the first %" PRId64
            " rows; there may be more: raise --limit, or reverse the order with --reverse",
            listing->limit);
    }
    return failed;
}

static int run_jobs(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    struct listing listing = {.zone = service->zone, .now = service->now(), .ascending = true};
    struct facts *facts = NULL;
    struct str sort = request_text(request, "sort");
    int failed;
    (void)((failed = read_fields(request, &listing, err)) ||
           (failed = params_filter(service, request, &listing.filter, err)) ||
           (failed = request_number(request, "limit", 0, &listing.limit, err)) ||
           (sort.ptr && (failed = find_column(sort, &listing.sort, err))));
    /* a job asked for by its number is wanted whenever it ran */
    bool any_time = (request_has(request, "job") || request_has(request, "id")) &&
                    !request_has(request, "from") && !request_has(request, "to");
    if (!failed && !any_time) {
        failed = params_period(service, request, &listing.period, err);
    }
    listing.ascending = !request_flag(request, "reverse");
    const bool newest = !failed && wants_newest(request, &listing, answer);
    if (newest) {
        listing.limit = NEWEST;
        listing.ascending = false;
    }
    if (failed || (failed = session_facts(service->session, FACTS_READ, &facts, err)) != 0) {
        return failed;
    }
    failed = ask_listing(service, facts, &listing, answer, err);
    if (!failed && !answer->bare && !request_has(request, "fields")) {
        choose_picture(&answer->table);
    }
    if (!failed && any_time && answer->row_count == 0) {
        failed = params_check_each_job(facts, request, err);
        if (failed) {
            table_release(&answer->table); /* an error in place of an empty answer */
        }
    }
    if (!failed && !any_time) {
        failed = params_note_period(service, facts, listing.period, listing.now,
                                    &listing.filter, answer, err);
    }
    return failed ? failed : note_left_out(facts, &listing, newest, answer, err);
}

/* What the flags of the runs mean, in words. */
static void note_flags(const struct table *table, struct answer *answer)
{
    int64_t all = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        for (size_t row = 0;
             row < table->row_count && str_eq(str_of(table->columns[c].id), STR("flags"));
             row++) {
            all |= table_has(table, c, row) ? (int64_t)table_wide(table, c, row) : 0;
        }
    }
    const char *name;
    for (unsigned bit = 0; (name = run_flag_name(bit)) != NULL; bit++) {
        if (all >> bit & 1) {
            answer_note(answer, NOTE_READING, "flag %d: %s", 1 << bit, name);
        }
    }
}

/* How long others waited at the time of the last run: for those who may see them. */
static int read_others(const struct service *service, struct facts *facts,
                       const struct table *runs, struct table *out, struct error *err)
{
    const size_t row = runs->row_count - 1, submit = job_column(runs, "submit"),
                 cluster = job_column(runs, "cluster"), job = job_column(runs, "job"),
                 partition = job_column(runs, "partition");
    if (!service->caller || !caller_may(service->caller, RIGHT_ALL) ||
        !table_has(runs, submit, row) || !table_has(runs, cluster, row)) {
        return 0;
    }
    const struct peer_wait_question question = {
        .cluster = runs->columns[cluster].cells[row].text,
        .partition = table_has(runs, partition, row) ? runs->columns[partition].cells[row].text
                                                     : (struct str){0},
        .job = table_has(runs, job, row) ? (int64_t)table_wide(runs, job, row) : -1,
        .submit = (int64_t)table_wide(runs, submit, row),
    };
    return peer_wait_ask(facts, &question, out, err);
}

static int64_t number_or_none(const struct table *runs, const char *id, size_t row)
{
    const size_t column = job_column(runs, id);
    return table_has(runs, column, row) ? (int64_t)table_wide(runs, column, row) : -1;
}

/*
 * Of one that waits: what it waited for is known up to now if it was seen so in the hour before,
 * else up to then.
 */
static int64_t waited_until(const struct service *service, const struct table *runs, size_t row)
{
    const int64_t now = service->now(), seen = number_or_none(runs, "seen", row);
    return seen >= 0 && seen < now - INVENTORY_AROUND_US ? seen + 1 : now;
}

/* What the last run waited for, until it started, ended, or now. */
static int read_waits(const struct service *service, struct facts *facts,
                      const struct table *runs, struct table *out, struct error *err)
{
    const size_t row = runs->row_count - 1, cluster = job_column(runs, "cluster"),
                 key = job_column(runs, "job_key");
    const int64_t submit = number_or_none(runs, "submit", row),
                  start = number_or_none(runs, "start", row),
                  end = number_or_none(runs, "end", row);
    if (submit < 0 || !table_has(runs, cluster, row)) {
        return 0;
    }
    const struct wait_causes_run run = {
        .cluster = runs->columns[cluster].cells[row].text,
        .job_key =
            table_has(runs, key, row) ? runs->columns[key].cells[row].text : (struct str){0},
        .job = number_or_none(runs, "job", row),
        .task = number_or_none(runs, "task", row),
        .het = number_or_none(runs, "het", row),
        .submit = submit,
        .until = start >= 0 ? start
                 : end >= 0 ? end
                            : waited_until(service, runs, row),
    };
    return wait_causes_of_run(facts, &run, out, err);
}

/*
 * What each run used in its fields (report/use/use.h); of the last one its energy, with what
 * the site says of that.
 */
static int resolve_use(const struct service *service, struct facts *facts, struct table *runs,
                       const struct run_energy_site *site, struct run_energy *energy,
                       struct error *err)
{
    const struct period whole = {0, INT64_MAX};
    const size_t last = runs->row_count - 1;
    struct use *uses = mem_alloc(runs->row_count + 1, sizeof(*uses));
    struct use_energy *seen = mem_alloc(runs->row_count + 1, sizeof(*seen));
    int failed = read_use(service, facts, runs, true, uses, seen, err);
    if (!failed && energy) {
        *energy = run_energy_of(runs, last, &uses[last], &seen[last], whole, site);
    }
    for (size_t row = 0; !failed && row < runs->row_count; row++) {
        use_rows_apply(&uses[row], runs, row);
    }
    free(seen);
    free(uses);
    return failed;
}

/* What its cluster has now. */
static int read_places(const struct service *service, struct facts *facts,
                       const struct table *runs, struct job_places *out, struct error *err)
{
    const size_t row = runs->row_count - 1, cluster = job_column(runs, "cluster");
    if (!table_has(runs, cluster, row)) {
        return 0;
    }
    const struct str name = runs->columns[cluster].cells[row].text;
    int failed = places_nodes(facts, name, service->now(), &out->nodes, err);
    return failed ? failed
                  : places_partitions(facts, name, service->now(), &out->partitions, err);
}

/* As resolve_use, with what the site says of energy. */
static int resolve_job(const struct service *service, struct facts *facts, struct table *runs,
                       struct run_energy *energy, struct error *err)
{
    struct run_energy_site site = {.grams = -1};
    *energy = (struct run_energy){.grams = -1};
    int failed = run_energy_site_read(service->config, service->zone, &site, err);
    failed = failed ? failed : resolve_use(service, facts, runs, &site, energy, err);
    run_energy_site_release(&site);
    return failed;
}

/* What is known of the last run beside its record. */
struct job_reading {
    struct job_samples samples;
    struct job_places places;
    struct run_energy energy;
    struct table others, waits;
    struct str charged;
    struct arena arena;
};

static int read_job(const struct service *service, struct facts *facts, struct table *runs,
                    struct job_reading *out, struct error *err)
{
    int failed =
        job_samples_read(facts, runs, runs->row_count - 1, service->now(), &out->samples, err);
    failed = failed ? failed : resolve_job(service, facts, runs, &out->energy, err);
    failed = failed ? failed : read_others(service, facts, runs, &out->others, err);
    failed = failed ? failed : read_waits(service, facts, runs, &out->waits, err);
    failed = failed ? failed
                    : job_charged(service, runs, runs->row_count - 1, &out->arena,
                                  &out->charged, err);
    return failed ? failed : read_places(service, facts, runs, &out->places, err);
}

static void release_reading(struct job_reading *reading)
{
    table_release(&reading->others);
    table_release(&reading->waits);
    table_release(&reading->places.nodes);
    table_release(&reading->places.partitions);
    job_samples_release(&reading->samples);
    arena_release(&reading->arena);
}

static struct job_screen screen_of(const struct service *service, const struct table *runs,
                                   const struct job_reading *reading, struct table *out)
{
    return (struct job_screen){.runs = runs,
                               .samples = &reading->samples,
                               .others = &reading->others,
                               .waits = &reading->waits,
                               .places = &reading->places,
                               .charged = reading->charged,
                               .zone = service->zone,
                               .out = out};
}

/* One screen about the last run, or about all tasks of an array. */
static int show_screen(const struct service *service, struct facts *facts, struct str id,
                       struct answer *answer, struct error *err)
{
    const struct table *runs = &answer->table;
    struct job_reading reading = {0};
    int failed = read_job(service, facts, &answer->table, &reading, err);
    if (!failed) {
        struct job_screen screen = screen_of(service, runs, &reading, &answer->shown);
        job_screen(&screen, &reading.energy);
        answer->as_list = true;
        answer_note(answer, NOTE_LAYOUT, "all fields: stint job --all %.*s", STR_ARG(id));
        if (!job_samples_any(&reading.samples) &&
            table_has(runs, job_column(runs, "start"), runs->row_count - 1) &&
            job_screen_different(runs, "task") < 2) {
            answer_note(answer, NOTE_MORE,
                        "from accounting alone; stint-agent would add use over time, by node "
                        "and GPU");
        }
    }
    release_reading(&reading);
    return failed;
}

/*
 * For people: where several clusters have a job of this number, a row for each; else a screen
 * about it.
 */
static int show_job(const struct service *service, struct facts *facts, struct str id,
                    struct answer *answer, struct error *err)
{
    static const char *const fields[] = {"cluster", "id", "user", "name", "class", "submit"};
    const struct table *runs = &answer->table;
    struct table *out = &answer->shown;
    if (job_screen_different(runs, "cluster") < 2) {
        return show_screen(service, facts, id, answer, err);
    }
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        table_column_like(out, &runs->columns[job_column(runs, fields[i])]);
    }
    for (size_t row = 0; row < runs->row_count; row++) {
        table_row(out);
        for (size_t i = 0; i < COUNT_OF(fields); i++) {
            table_copy_cell(runs, job_column(runs, fields[i]), row, out, i, row);
        }
    }
    answer_note(answer, NOTE_MORE,
                "several clusters have a job with this number: choose one with -M CLUSTER");
    return 0;
}

static int check_one_run(const struct table *runs, const char *what, struct error *err)
{
    return job_screen_different(runs, "cluster") > 1 || job_screen_different(runs, "task") > 1
               ? error_set(err, ERROR_USAGE,
                           "%s is of one run: choose it by its task (4711_3) and -M CLUSTER",
                           what)
               : 0;
}

/* In place of the runs, how the last of them went over time. */
static int show_profile(const struct service *service, struct facts *facts, struct str id,
                        struct answer *answer, struct error *err)
{
    enum { POINTS = 240 };

    struct table profile = {0};
    struct use use;
    struct use_looks looks = {0};
    const struct table *runs = &answer->table;
    int failed = 0;
    failed = check_one_run(runs, "a profile", err);
    if (failed) {
        return failed;
    }
    failed =
        use_rows_read_one(facts, runs, runs->row_count - 1, service->now(), &use, &looks, err);
    if (!failed) {
        failed = use_rows_timeline(facts, runs, runs->row_count - 1, service->now(), &use,
                                   &looks, POINTS, &profile, err);
    }
    use_looks_release(&looks);
    if (!failed && profile.row_count == 0) {
        table_release(&profile);
        return error_set(
            err, ERROR_MISSING,
            "there are no samples of job '%.*s'; they come from stint-agent, or from "
            "sonar: stint help import",
            STR_ARG(id));
    }
    table_release(&answer->table);
    answer->table = profile;
    return failed;
}

/* In place of the runs, what to change in the next request of the last of them. */
static int show_advice(const struct service *service, struct facts *facts, struct str id,
                       struct answer *answer, struct error *err)
{
    struct table found = {0};
    struct job_reading reading = {0};
    int failed = check_one_run(&answer->table, "advice", err);
    if (!failed) {
        failed = read_job(service, facts, &answer->table, &reading, err);
    }
    if (!failed) {
        const struct job_screen screen = screen_of(service, &answer->table, &reading, NULL);
        job_advice_find(&screen, answer->table.row_count - 1, &found);
        table_release(&answer->table);
        answer->table = found;
    }
    if (!failed && answer->table.row_count == 0) {
        answer_note(answer, NOTE_EMPTY, "there is nothing to advise about job %.*s",
                    STR_ARG(id));
    }
    release_reading(&reading);
    return failed;
}

static int run_job(struct service *service, const struct request *request,
                   struct answer *answer, struct error *err)
{
    enum { RECORDS_MAX = 10 };
    struct listing listing = {.zone = service->zone, .now = service->now(), .ascending = true};
    struct facts *facts = NULL;
    struct str id = request_text(request, "id"), cluster = request_text(request, "cluster");
    int failed;
    (void)((failed = filter_add(&listing.filter, &run_fields[RUN_job], id, err)) ||
           (failed = filter_check(&listing.filter, listing.zone, listing.now, err)) ||
           (cluster.ptr &&
            (failed = filter_add(&listing.filter, &run_fields[RUN_cluster], cluster, err))) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)));
    if (failed) {
        return failed;
    }
    add_all_fields(&listing);
    failed = listing_ask(facts, &listing, &answer->table, err);
    if (!failed && answer->table.row_count == 0) {
        failed = params_check_jobs(facts, id, err);
    }
    if (failed) {
        table_release(&answer->table);
        return failed;
    }
    if (answer->table.row_count == 0) {
        return error_set(err, ERROR_MISSING,
                         "there is no run of job '%.*s'%s; list all runs with: stint jobs "
                         "--from 2000 --to now",
                         STR_ARG(id), cluster.ptr ? " on that cluster" : "");
    }
    if (request_flag(request, "profile") || request_flag(request, "advice")) {
        failed = request_flag(request, "profile")
                     ? show_profile(service, facts, id, answer, err)
                     : show_advice(service, facts, id, answer, err);
        if (failed) {
            table_release(&answer->table); /* the runs were not asked for */
        }
        return failed;
    }
    answer->as_records = answer->table.row_count <= RECORDS_MAX;
    answer_note(answer, NOTE_RESULT, "%zu run%s of job %.*s", answer->table.row_count,
                answer->table.row_count == 1 ? "" : "s", STR_ARG(id));
    note_flags(&answer->table, answer);
    if (!answer->bare) {
        choose_picture(&answer->table);
    }
    if (answer->bare || request_flag(request, "all")) {
        failed = resolve_use(service, facts, &answer->table, NULL, NULL, err);
    } else {
        failed = show_job(service, facts, id, answer, err);
        answer->as_records = answer->as_list;
    }
    return failed;
}

static const struct param jobs_params[] = {
    PARAM_FIELDS(column_name_at, DEFAULT_FIELDS, "columns to show: any fields below, or all"),
    PARAM_SORT("FIELD", column_name_at, "sort rows by this field; default start"),
    PARAM_REVERSE,
    PARAM_LIMIT(NULL, "show at most N rows"),
};

const struct operation operation_jobs = {
    .name = "jobs",
    .summary = "list runs, one per row",
    .description =
        "Lists the runs that were waiting or running in the period, one per row, with any "
        "fields, filters and order. With -j and no period, runs of all times are listed. A "
        "table without a period, filters, order or --limit shows the newest 50 runs.",
    .examples = "stint jobs -u alice --from 7d # what alice ran this week\n"
                "stint jobs -s failed,timeout --fields job,user,reason,wall --sort wall # what "
                "went wrong\n"
                "stint jobs --fields all --format jsonl --from 2025 > runs.jsonl # everything",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .from_help = PARAM_FROM_HELP "30 days ago; with -j, any time",
    .params = jobs_params,
    .param_count = COUNT_OF(jobs_params),
    .run = run_jobs,
};

static const struct param job_params[] = {
    {
        .name = "id",
        .type = PARAM_TEXT,
        .value = "ID",
        .help = FILTER_JOB_FORMS,
        .positional = true,
        .required = true,
    },
    {.name = "cluster",
     .letter = 'M',
     .type = PARAM_TEXT,
     .value = "NAME",
     .help = "only on this cluster"},
    {.name = "all", .letter = 'a', .type = PARAM_FLAG, .help = "every field of every run"},
    {.name = "profile",
     .type = PARAM_FLAG,
     .help = "how its last run went over time, by samples: a table, or a picture"},
    {.name = "advice",
     .type = PARAM_FLAG,
     .help = "only what limited its last run and what to change, or why it waits: a row each"},
};

const struct operation operation_job = {
    .name = "job",
    .summary = "show how a job went and what it used",
    .description =
        "Shows one screen about a job: its owner, where and when it ran, how it ended, what it "
        "requested, was allocated and used, and what to change next time; of a job that waits, "
        "why, and whether it can start at all. For an array job it "
        "summarizes the tasks and lists unusual ones. Several clusters may have a job with the "
        "same number; they are then listed. --all and the machine formats have every field of "
        "every run, including restarts and array tasks.",
    .examples =
        "stint job 4711 # one screen about it\n"
        "stint job 4711.3 -M alder --all # every field of one task on one cluster\n"
        "stint job slurm-4711.out # as its file is called\n"
        "stint job 4711 --profile --format svg --output job.svg # cpus and memory over time",
    .rights = RIGHT_OWN,
    .params = job_params,
    .param_count = COUNT_OF(job_params),
    .run = run_job,
};
