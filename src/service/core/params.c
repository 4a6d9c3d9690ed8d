/* SPDX-License-Identifier: MIT */
#include "service/core/params.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "report/catalog.h"
#include "report/coverage.h"
#include "report/queries/distinct_values.h"
#include "report/queries/sample_column.h"
#include "report/queries/unended.h"
#include "report/question.h"
#include "service/books/known_names.h"
#include "service/query/query_context.h"
#include "view/number.h"

const struct param period_params[] = {
    {
        .name = "from",
        .letter = 'S',
        .synonyms = "since starttime",
        .type = PARAM_TEXT,
        .value = "TIME",
        .help = PARAM_FROM_HELP "30 days ago",
    },
    {
        .name = "to",
        .letter = 'E',
        .synonyms = "until endtime",
        .type = PARAM_TEXT,
        .value = "TIME",
        .help = "end of the period; a date includes that whole day; default the end of the "
                "month, quarter or year that --from names, else now",
    },
};

const size_t period_param_count = COUNT_OF(period_params);

enum { FILTER_ROWS_MAX = 256 }; /* far more than there are fields */

/* sacct's letters, and Grid Engine's words for what others call otherwise. */
static const struct filter_name {
    const char *name;
    char letter;
    enum run_field field;
} filter_names[] = {
    {"user", 'u', RUN_user},
    {"group", 'g', RUN_group},
    {"account", 'A', RUN_account},
    {"cluster", 'M', RUN_cluster},
    {"partition", 'r', RUN_partition},
    {"queue", 0, RUN_partition},
    {"qos", 'q', RUN_qos},
    {"node", 'w', RUN_node},
    {"state", 's', RUN_state},
    {"job", 'j', RUN_job},
};

static bool has_name(const struct field *field)
{
    for (size_t i = 0; i < COUNT_OF(filter_names); i++) {
        if (str_eq(str_of(filter_names[i].name), str_of(field->id))) {
            return true;
        }
    }
    return false;
}

/*
 * All parameters that pick runs: the named ones first, then every other field of the run, then
 * what is derived. Made once: every request walks the list several times, and most of its rows
 * are found by looking at what is not there.
 */
static struct filter_list {
    struct filter_row {
        const char *name;
        char letter;
        const struct field *field;
    } rows[FILTER_ROWS_MAX];

    size_t count;
} filters;

static void add_filter(const char *name, char letter, const struct field *field)
{
    assert(filters.count < FILTER_ROWS_MAX);
    filters.rows[filters.count++] = (struct filter_row){name, letter, field};
}

static void make_filters(void)
{
    for (size_t i = 0; i < COUNT_OF(filter_names); i++) {
        add_filter(filter_names[i].name, filter_names[i].letter,
                   &run_fields[filter_names[i].field]);
    }
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (dimension_is(&run_fields[i]) && !has_name(&run_fields[i])) {
            add_filter(run_fields[i].id, 0, &run_fields[i]);
        }
    }
    for (size_t i = 0; i < derived_field_count; i++) {
        if (!column_is_of_samples(&derived_fields[i])) {
            add_filter(derived_fields[i].id, 0, &derived_fields[i]);
        }
    }
    const struct field *dimension;
    for (size_t i = 0; (dimension = dimension_at(i)) != NULL; i++) {
        if (dimension_is_of_books(dimension)) {
            add_filter(dimension->id, 0, dimension);
        }
    }
}

static const struct filter_row *filter_at(size_t index)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_filters);
    return index < filters.count ? &filters.rows[index] : NULL;
}

/* What the help calls a value of the field. */
static const char *value_name(const struct field *field)
{
    static const char *const names[UNIT_COUNT_OF] = {
        [UNIT_SECONDS] = "LENGTH", [UNIT_HOURS] = "HOURS", [UNIT_BYTES] = "SIZE",
        [UNIT_INSTANT] = "TIME",   [UNIT_RATIO] = "SHARE",
    };
    return field == &run_fields[RUN_job] ? "ID"
           : field->type == FIELD_TEXT   ? "PATTERN"
           : names[field->unit]          ? names[field->unit]
                                         : "NUMBER";
}

bool filter_param(size_t index, struct param *out)
{
    const struct filter_row *row = filter_at(index);
    if (!row) {
        return false;
    }
    *out = (struct param){
        .name = row->name,
        .letter = row->letter,
        .type = PARAM_TEXT,
        .value = value_name(row->field),
        .help = row->field == &run_fields[RUN_job] ? FILTER_JOB_FORMS : row->field->doc,
        .repeated = true,
    };
    return true;
}

/* The letter of a filter of this name. */
static char letter_of(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(filter_names); i++) {
        if (strcmp(filter_names[i].name, name) == 0) {
            return filter_names[i].letter;
        }
    }
    return 0;
}

bool sample_param(size_t index, struct param *out)
{
    const struct field *field = sample_column_at(index);
    if (!field) {
        return false;
    }
    *out = (struct param){
        .name = field->id,
        .letter = letter_of(field->id),
        .type = PARAM_TEXT,
        .value = value_name(field),
        .help = field->doc,
        .repeated = true,
    };
    return true;
}

static int add_values(const struct request *request, const char *name,
                      const struct field *field, struct filter *out, struct error *err)
{
    struct str list;
    int failed = 0;
    for (size_t k = 0; !failed && request_each(request, name, k, &list); k++) {
        failed = filter_add(out, field, list, err);
    }
    return failed;
}

int params_filter(const struct service *service, const struct request *request,
                  struct filter *out, struct error *err)
{
    const struct filter_row *row;
    int failed = 0;
    for (size_t i = 0; !failed && (row = filter_at(i)) != NULL; i++) {
        failed = add_values(request, row->name, row->field, out, err);
    }
    return failed ? failed : filter_check(out, service->zone, service->now(), err);
}

int params_filter_samples(const struct service *service, const struct request *request,
                          struct filter *out, struct error *err)
{
    const struct field *field;
    int failed = 0;
    for (size_t i = 0; !failed && (field = sample_column_at(i)) != NULL; i++) {
        failed = add_values(request, field->id, field, out, err);
    }
    return failed ? failed : filter_check(out, service->zone, service->now(), err);
}

int params_filter_by(const struct service *service, const struct request *request,
                     const struct named_filter *rows, size_t count, struct filter *out,
                     struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < count; i++) {
        failed = add_values(request, rows[i].name, &run_fields[rows[i].field], out, err);
    }
    return failed ? failed : filter_check(out, service->zone, service->now(), err);
}

int params_period(const struct service *service, const struct request *request,
                  struct period *out, struct error *err)
{
    return calendar_period(request_text(request, "from"), request_text(request, "to"),
                           service->zone, service->now(), out, err);
}

int params_unknown(const char *what, struct str text, const char *(*name_at)(size_t index),
                   const char *see, struct error *err)
{
    struct nearest nearest = nearest_to(text);
    for (size_t i = 0; name_at(i); i++) {
        nearest_try(&nearest, str_of(name_at(i)));
    }
    return nearest_refuse(&nearest, what, see, err);
}

int params_find(const char *what, struct str text, const char *(*name_at)(size_t index),
                const char *see, size_t *index, struct error *err)
{
    const char *name;
    for (size_t i = 0; (name = name_at(i)) != NULL; i++) {
        if (str_eq(text, str_of(name))) {
            *index = i;
            return 0;
        }
    }
    return params_unknown(what, text, name_at, see, err);
}

/* One more name of a list. */
static int find_next(const struct params_names *names, struct str name, size_t *index,
                     size_t *count, struct error *err)
{
    int failed = params_find(names->what, name, names->name_at, names->see, index, err);
    if (!failed && *count == names->max) {
        failed = error_set(err, ERROR_USAGE, "'%.*s' is one too many: name at most %zu",
                           STR_ARG(name), names->max);
    }
    *count += !failed;
    return failed;
}

int params_find_each(const struct params_names *names, struct str list, size_t *indexes,
                     size_t *count, struct error *err)
{
    int failed = 0;
    while (!failed && list.ptr) {
        size_t index = 0;
        failed = find_next(names, str_trim(str_cut(&list, ',')), &index, count, err);
        if (!failed) {
            indexes[*count - 1] = index;
        }
    }
    return failed;
}

int params_keys(const struct request *request, const struct params_names *names,
                const char **keys, size_t *count, struct error *err)
{
    int failed = 0;
    for (struct str list = request_text(request, "by"); !failed && list.ptr;) {
        size_t index = 0;
        const struct str name = str_trim(str_cut(&list, ','));
        failed = find_next(names, str_eq(name, STR("queue")) ? STR("partition") : name, &index,
                           count, err);
        if (!failed) {
            keys[*count - 1] = names->name_at(index);
        }
    }
    return failed;
}

/* Whether an answer says nothing: no rows, or zeros only. */
static bool is_empty(const struct table *table)
{
    for (size_t c = 0; c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        if (column->role != COLUMN_MEASURE || column->type == CELL_REAL) {
            continue;
        }
        for (size_t row = 0; row < table->row_count; row++) {
            if (table_has(table, c, row) &&
                (column->type == CELL_TEXT || table_wide(table, c, row) != 0)) {
                return false;
            }
        }
    }
    return true;
}

/*
 * The next plain value of a condition: none that is taken away, a pattern, or the sign of
 * absence.
 */
static bool next_plain(struct str *rest, struct str *item)
{
    while (rest->ptr) {
        *item = str_trim(str_cut(rest, ','));
        bool plain = item->len > 0 && item->ptr[0] != '!' && !str_eq(*item, STR("---"));
        for (size_t i = 0; plain && i < item->len; i++) {
            plain = !strchr("*?[\\", item->ptr[i]);
        }
        if (plain) {
            return true;
        }
    }
    return false;
}

/* Says which value nobody has, and which one may have been meant. */
static int unknown_value(struct facts *facts, const struct field *field, struct str value,
                         struct error *err)
{
    struct buf nearest;
    buf_init(&nearest, LIMIT_TEXT_FIELD);
    int failed = dimension_is_of_books(field) /* which runs do not have by themselves */
                     ? 0
                     : distinct_values_nearest(facts, field, value, &nearest, err);
    if (!failed && nearest.len > 0) {
        failed = error_set(err, ERROR_MISSING, "no run has %s '%.*s'; did you mean '%s'?",
                           field->id, STR_ARG(value), nearest.ptr);
    } else if (!failed) {
        failed = error_set(err, ERROR_MISSING,
                           "no run has %s '%.*s'; list all values with: stint top %s -n 0 "
                           "--from 2000 --to now",
                           field->id, STR_ARG(value), field->id);
    }
    buf_release(&nearest);
    return failed;
}

/*
 * Whether a run has it, or the books do: a person, a metagroup, a cluster that runs are to
 * count under.
 */
static int has_value(const struct service *service, struct facts *facts,
                     const struct field *field, struct str value, bool *has, struct error *err)
{
    const bool people = dimension_joined(field) == JOINED_PEOPLE;
    struct known_names names;
    int failed = known_names_read(service, facts, field, &names, err);
    *has = known_names_has(&names, value);
    known_names_release(&names);
    if (failed || *has) {
        return failed;
    }
    if (!dimension_is_of_books(field)) {
        return distinct_values_has(facts, field, value, has, err);
    }
    *has = people; /* a login that is nobody's is its own */
    return *has ? distinct_values_has(facts, &run_fields[RUN_user], value, has, err) : 0;
}

int params_check_jobs(struct facts *facts, struct str list, struct error *err)
{
    struct str rest = list, job;
    int failed = 0;
    while (!failed && filter_next_job(&rest, &job)) {
        struct buf nearest;
        bool has = false;
        buf_init(&nearest, LIMIT_TEXT_FIELD);
        (void)((failed = distinct_values_has_job(facts, job, &has, err)) ||
               (!has && (failed = distinct_values_nearest_job(facts, job, &nearest, err))));
        if (!failed && !has) {
            failed =
                error_set(err, ERROR_MISSING,
                          nearest.len > 0 ? "there is no run of job '%.*s'; did you mean '%s'?"
                                          : "there is no run of job '%.*s'; list all runs "
                                            "with: stint jobs --from 2000 --to now%s",
                          STR_ARG(job), nearest.len > 0 ? nearest.ptr : "");
        }
        buf_release(&nearest);
    }
    return failed;
}

int params_check_each_job(struct facts *facts, const struct request *request, struct error *err)
{
    struct str list;
    int failed = 0;
    for (size_t k = 0; !failed && request_each(request, "job", k, &list); k++) {
        failed = params_check_jobs(facts, list, err);
    }
    return failed;
}

int params_note_missing_jobs(struct facts *facts, const struct request *request,
                             struct answer *answer, struct error *err)
{
    struct str rest, job;
    int failed = 0;
    for (size_t k = 0; !failed && request_each(request, "job", k, &rest); k++) {
        while (!failed && filter_next_job(&rest, &job)) {
            bool has = true;
            failed = distinct_values_has_job(facts, job, &has, err);
            if (!failed && !has) {
                answer_note_about(answer, NOTE_COVERAGE, job, "there is no run of job '%.*s'",
                                  STR_ARG(job));
            }
        }
    }
    return failed;
}

/*
 * Fails for the name of a cluster that rules of the books give another name, all of it: no run
 * counts under the old one.
 */
static int check_renamed(const struct service *service, struct str cluster, struct error *err)
{
    struct cluster_rules rules = {0};
    struct books *books = NULL;
    struct str name = {0}, other = {0};
    size_t at = 0;
    if (!books_exist(service->store)) {
        return 0;
    }
    int failed = service_books(service, BOOKS_READ, &books, err);
    failed = failed ? failed : books_cluster_rules(books, &rules, err);
    bool renamed = !failed;
    while (!failed && cluster_rule_next(&rules, cluster, &at, &name)) {
        renamed = renamed && !str_eq(name, cluster);
        other = name;
    }
    if (renamed) {
        failed = error_set(err, ERROR_MISSING,
                           "the runs of cluster '%.*s' count under '%.*s'; ask for that: -M "
                           "%.*s (see: stint cluster list)",
                           STR_ARG(cluster), STR_ARG(other), STR_ARG(other));
    }
    cluster_rules_release(&rules);
    return failed;
}

/*
 * An empty answer to a question with filters: fails if one of them names, in a field of text, a
 * value that the store has never heard of.
 */
static int check_values(const struct service *service, struct facts *facts,
                        const struct filter *filter, struct error *err)
{
    for (size_t i = 0; i < filter->count; i++) {
        const struct field *field = filter->conditions[i].field;
        struct str rest = filter->conditions[i].list, value;
        if (field == &run_fields[RUN_job]) {
            int failed = params_check_jobs(facts, rest, err);
            if (failed) {
                return failed;
            }
        }
        while (field->type == FIELD_TEXT && next_plain(&rest, &value)) {
            bool has = field == &run_fields[RUN_state] && filter_is_state(value);
            int failed = has ? 0 : has_value(service, facts, field, value, &has, err);
            if (!failed && has && field == &run_fields[RUN_cluster]) {
                failed = check_renamed(service, value, err);
            }
            if (failed || !has) {
                return failed ? failed : unknown_value(facts, field, value, err);
            }
        }
    }
    return 0;
}

const char *params_print(const struct zone *zone, int64_t instant, char text[INSTANT_TEXT_MAX])
{
    return zone_print(zone, instant - instant % SECOND_US, text);
}

void params_note_time(const struct service *service, struct period period, int64_t now,
                      struct answer *answer)
{
    char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX], as_of[INSTANT_TEXT_MAX];
    answer->period = period;
    answer->as_of = now;
    answer_note(answer, NOTE_PERIOD, "%s to %s (%s), as of %s",
                params_print(service->zone, period.from, from),
                params_print(service->zone, period.to, to), zone_name(service->zone),
                params_print(service->zone, now, as_of));
}

/*
 * The days that data are of, where they begin after the period or end before it: "from
 * 2025-03-01", "to 2025-06-30".
 */
static void add_days(const struct service *service, struct period data, struct period period,
                     struct buf *out)
{
    char text[INSTANT_TEXT_MAX];
    if (data.from > period.from) {
        buf_addf(out, "from %.10s", params_print(service->zone, data.from, text));
    }
    if (data.to < period.to) {
        buf_addf(out, "%sto %.10s", data.from > period.from ? " " : "",
                 params_print(service->zone, data.to - 1, text));
    }
}

/*
 * Which days of the period there are data of, where these are not all of it: once, or of each
 * cluster where they differ.
 */
static void note_extent(const struct service *service, const struct coverage *coverage,
                        struct period period, struct answer *answer)
{
    enum { NAMED = 4 };

    struct buf line, days, first;
    size_t partly = 0, same = 0, clusters = 0;
    buf_init(&line, LIMIT_ARGUMENT);
    buf_init(&days, LIMIT_ARGUMENT);
    buf_init(&first, LIMIT_ARGUMENT);
    for (size_t i = 0; i < coverage->count; i++) {
        const struct str name = coverage->rows[i].cluster;
        if (i > 0 && str_eq(name, coverage->rows[i - 1].cluster)) {
            continue; /* a further stretch of it: gaps have lines of their own */
        }
        clusters++;
        buf_clear(&days);
        add_days(service, coverage_span(coverage, &name), period, &days);
        if (days.len == 0) {
            continue;
        }
        if (partly++ == 0) {
            buf_add(&first, buf_str(&days));
        }
        same += str_eq(buf_str(&days), buf_str(&first));
        if (partly <= NAMED) {
            buf_addf(&line, "%s%.*s %s", partly > 1 ? ", " : "", STR_ARG(name), days.ptr);
        }
    }
    if (partly > 0 && same == clusters) {
        answer_note(answer, NOTE_EXTENT, "partly covered: there are data %s", first.ptr);
    } else if (partly > NAMED) {
        answer_note(answer, NOTE_EXTENT,
                    "partly covered: there are data of %s, and %zu more clusters", line.ptr,
                    partly - NAMED);
    } else if (partly > 0) {
        answer_note(answer, NOTE_EXTENT, "partly covered: there are data of %s", line.ptr);
    }
    buf_release(&line);
    buf_release(&days);
    buf_release(&first);
}

static void take_covers(struct answer *answer, const struct coverage *coverage)
{
    struct arena *arena = &answer->cover_names;
    struct coverage_stretch *rows = arena_alloc(arena, (coverage->count + 1) * sizeof *rows);
    for (size_t i = 0; i < coverage->count; i++) {
        rows[i] = (struct coverage_stretch){arena_copy(arena, coverage->rows[i].cluster),
                                            coverage->rows[i].period};
    }
    answer->covers = rows;
    answer->cover_count = coverage->count;
}

/* What there are data of: in the answer, and as a line where that is not all of the period. */
static int note_coverage(const struct service *service, struct facts *facts,
                         struct period period, int64_t now, const struct filter *filter,
                         struct answer *answer, struct error *err)
{
    struct coverage coverage;
    const struct period passed = {period.from, now < period.to ? now : period.to};
    int failed = query_context_coverage(service, facts, filter, now, &coverage, err);
    if (!failed) {
        answer->covered = coverage_span(&coverage, NULL);
        take_covers(answer, &coverage);
    }
    if (!failed && !answer->noteless && /* where nothing is, the answer says so */
        coverage_of(&coverage, NULL, passed) != COVERED_NOT) {
        note_extent(service, &coverage, passed, answer);
    }
    coverage_release(&coverage);
    return failed;
}

/*
 * Schedulers have different words for who pays: where rows are about one that no run has, names
 * the other.
 */
static void note_other_word(struct answer *answer)
{
    static const char *const words[][2] = {{"project", "account"}, {"account", "project"}};
    const struct table *table = &answer->table;
    for (size_t c = 0; c < table->column_count && table->row_count > 0; c++) {
        const struct column *column = &table->columns[c];
        bool any = column->role != COLUMN_DIMENSION;
        for (size_t row = 0; !any && row < table->row_count; row++) {
            any = table_has(table, c, row);
        }
        for (size_t i = 0; !any && i < COUNT_OF(words); i++) {
            if (str_eq(str_of(column->id), str_of(words[i][0]))) {
                answer_note(
                    answer, NOTE_READING,
                    "these runs have no %s: their scheduler may call it %s; try --by %s",
                    words[i][0], words[i][1], words[i][1]);
            }
        }
    }
}

/* "30,600.0 cpu hours": of one of the last columns of unended.h, if it is known. */
static void add_hours(struct buf *line, const struct table *table, enum unended column,
                      const char *words)
{
    if (table_has(table, column, 0) && table_wide(table, column, 0) > 0) {
        buf_addz(line, line->len > 0 ? ", " : "");
        number_human(line, table, column, 0, NULL);
        buf_addf(line, " %s", words);
    }
}

/*
 * Runs that nobody saw end: they count up to when they were last seen, and here is what that
 * may leave out.
 */
static int note_unended(const struct service *service, struct facts *facts,
                        struct period period, int64_t now, const struct filter *filter,
                        struct answer *answer, struct error *err)
{
    struct question *question = mem_alloc(1, sizeof(*question));
    struct query_context with;
    struct table table = {0};
    struct buf line;
    question->period = period.from < period.to ? period : (struct period){0, INSTANT_MAX};
    question->zone = service->zone;
    question->now = now;
    question->filter = *filter;
    buf_init(&line, LIMIT_ARGUMENT);
    int failed;
    (void)((failed = query_context_read(service, facts, question, &with, err)) ||
           (failed = unended_ask(facts, question, false, &table, err)));
    const int64_t runs = failed ? 0 : (int64_t)table_wide(&table, UNENDED_RUNS, 0);
    if (runs > 0) {
        char seen[INSTANT_TEXT_MAX];
        add_hours(&line, &table, UNENDED_WALL, "wall hours");
        add_hours(&line, &table, UNENDED_CPU, "cpu hours");
        add_hours(&line, &table, UNENDED_GPU, "GPU hours");
        answer_note(
            answer, NOTE_ESTIMATE,
            "%" PRId64 " run%s no recorded end and count%s up to when last seen (%s%s)%s%s%s",
            runs, runs == 1 ? " has" : "s have", runs == 1 ? "s" : "",
            runs == 1 ? "" : "at the latest ",
            params_print(service->zone, (int64_t)table_wide(&table, UNENDED_SEEN_TO, 0), seen),
            line.len > 0 ? "; if still running, about "
            : runs == 1  ? ", by when its time limit was over"
                         : ", by when their time limits were over",
            line.len > 0 ? line.ptr : "", line.len > 0 ? " more (not included)" : "");
    }
    buf_release(&line);
    table_release(&table);
    query_context_release(&with);
    free(question);
    return failed;
}

int params_note_period(struct service *service, struct facts *facts, struct period period,
                       int64_t now, const struct filter *filter, struct answer *answer,
                       struct error *err)
{
    char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
    params_note_time(service, period, now, answer);
    note_other_word(answer);
    int failed = 0;
    (void)((failed = note_coverage(service, facts, period, now, filter, answer, err)) ||
           (failed = note_unended(service, facts, period, now, filter, answer, err)) ||
           (failed = query_context_note_gaps(service, period, answer, err)));
    if (failed || answer->row_count > 0 || !is_empty(&answer->table)) {
        return failed;
    }
    struct period span;
    bool any;
    if ((failed = listing_span(facts, &span, &any, err)) != 0) {
        return failed;
    }
    if (any && (failed = check_values(service, facts, filter, err)) != 0) {
        table_release(&answer->table); /* an error in place of an empty answer */
        return failed;
    }
    if (!any) {
        answer_note(
            answer, NOTE_EMPTY,
            "the store has no runs yet; to import some: stint import auto --cluster NAME FILE");
    } else if (span.to < period.from || span.from >= period.to) {
        answer_note(answer, NOTE_EMPTY,
                    "no runs in this period: the store has runs from %s to %s; set the period "
                    "with --from and --to",
                    params_print(service->zone, span.from, from),
                    params_print(service->zone, span.to, to));
    }
    return 0;
}
