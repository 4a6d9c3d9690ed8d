/* SPDX-License-Identifier: MIT */

/*
 * stint jobs: a row for each run. stint job: everything known of one.
 */

#include <inttypes.h>

#include "report/tables/listing.h"
#include "service/informed.h"
#include "service/operations.h"
#include "service/params.h"

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

/* listing_each into the answer, with what the books say. */
static int ask_listing(const struct service *service, struct facts *facts,
                       struct listing *listing, struct answer *answer, struct error *err)
{
    struct question books = {.filter = listing->filter};
    struct informed with;
    int failed;
    listing->books = &books;
    (void)((failed = informed_read(service, &books, &with, err)) ||
           (failed =
                listing_each(facts, listing, &(struct table_sink){answer, answer_take}, err)));
    informed_release(&with);
    listing->books = NULL;
    return failed;
}

/* Of jobs asked for whenever they ran: whether each is known. */
static int check_jobs(struct facts *facts, const struct request *request, struct error *err)
{
    struct str list;
    int failed = 0;
    for (size_t k = 0; !failed && request_each(request, "job", k, &list); k++) {
        failed = params_check_jobs(facts, list, err);
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
    if (failed || (failed = session_facts(service->session, FACTS_READ, &facts, err)) != 0) {
        return failed;
    }
    failed = ask_listing(service, facts, &listing, answer, err);
    if (!failed && any_time && answer->row_count == 0) {
        failed = check_jobs(facts, request, err);
        if (failed) {
            table_release(&answer->table); /* an error in place of an empty answer */
        }
    }
    if (!failed && !any_time) {
        failed = params_note_period(service, facts, listing.period, listing.now,
                                    &listing.filter, answer, err);
    }
    if (!failed && listing.limit > 0 && (int64_t)answer->row_count == listing.limit) {
        answer_note(answer, NOTE_MORE,
                    "the first %" PRId64
                    " rows; there may be more: raise --limit, or turn the order with --reverse",
                    listing.limit);
    }
    return failed;
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
                         "no run of job '%.*s' is known%s; list what there is with: stint jobs "
                         "--from 2000 --to now",
                         STR_ARG(id), cluster.ptr ? " on that cluster" : "");
    }
    answer->as_records = answer->table.row_count <= RECORDS_MAX;
    answer_note(answer, NOTE_RESULT, "%zu run%s of job %.*s", answer->table.row_count,
                answer->table.row_count == 1 ? "" : "s", STR_ARG(id));
    note_flags(&answer->table, answer);
    return 0;
}

static const struct param jobs_params[] = {
    {
        .name = "fields",
        .letter = 'o',
        .type = PARAM_TEXT,
        .value = "FIELD[,...]",
        .name_at = column_name_at,
        .fallback = DEFAULT_FIELDS,
        .help = "columns to show, any field below; all shows everything",
    },
    {.name = "sort",
     .type = PARAM_TEXT,
     .value = "FIELD",
     .name_at = column_name_at,
     .help = "order of rows; default by start"},
    {.name = "reverse", .type = PARAM_FLAG, .help = "the other way round"},
    {.name = "limit",
     .letter = 'n',
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "at most N rows"},
};

const struct operation operation_jobs = {
    .name = "jobs",
    .summary = "list runs, a row each",
    .description = "Lists the runs that waited or ran in the period, one row each, with any "
                   "fields, filters and "
                   "order. With -j and no period, runs of any time are shown.",
    .examples = "stint jobs -u alice --from 7d # what alice ran this week\n"
                "stint jobs -s failed,timeout --fields job,user,reason,wall --sort wall # what "
                "went wrong\n"
                "stint jobs --fields all --format jsonl --from 2025 > runs.jsonl # everything",
    .role = ROLE_USER,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
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
     .help = "on this cluster only"},
};

const struct operation operation_job = {
    .name = "job",
    .summary = "everything known of one job and its runs",
    .description =
        "Shows all that is known of a job: every run of it, restarts and array tasks included. "
        "Job "
        "numbers are used again in time, and on every cluster; all that match are shown.",
    .examples =
        "stint job 4711 # all its runs\nstint job 4711.3 -M alder # one task on one cluster",
    .role = ROLE_USER,
    .params = job_params,
    .param_count = COUNT_OF(job_params),
    .run = run_job,
};
