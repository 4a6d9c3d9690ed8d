/* SPDX-License-Identifier: MIT */
#include "report/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "record/run_id.h"
#include "report/catalog.h"
#include "report/sql/column.h"

/* What is absent, as tables print it. */
#define ABSENT "---"

/*
 * Where an item of a list ends: at a comma, but not at one among the tasks of an array
 * (4711_[1-3,7]).
 */
static struct str cut_item(struct str *rest)
{
    const struct str whole = *rest;
    bool tasks = false;
    for (size_t i = 0; i < whole.len; i++) {
        tasks = tasks ? whole.ptr[i] != ']'
                      : i > 1 && whole.ptr[i] == '[' && whole.ptr[i - 1] == '_' &&
                            whole.ptr[i - 2] >= '0' && whole.ptr[i - 2] <= '9';
        if (!tasks && whole.ptr[i] == ',') {
            *rest = (struct str){whole.ptr + i + 1, whole.len - i - 1};
            return (struct str){whole.ptr, i};
        }
    }
    *rest = (struct str){0};
    return whole;
}

/*
 * Takes the next item off a list: trimmed, its ! taken off. False at the end; empty ones are
 * passed over.
 */
static bool next_item(struct str *rest, struct str *item, bool *negative)
{
    while (rest->ptr) {
        *item = str_trim(cut_item(rest));
        *negative = item->len > 0 && item->ptr[0] == '!';
        if (*negative) {
            *item = str_trim((struct str){item->ptr + 1, item->len - 1});
        }
        if (item->len > 0) {
            return true;
        }
    }
    return false;
}

int filter_add(struct filter *filter, const struct field *field, struct str list,
               struct error *err)
{
    struct str rest = list, item;
    bool negative;
    if (!next_item(&rest, &item,
                   &negative)) { /* a script's empty variable does not mean everybody */
        return error_set(err, ERROR_USAGE,
                         "the filter on %s is empty: name a value, or leave it out", field->id);
    }
    if (!str_is_utf8(list)) {
        return error_set(err, ERROR_USAGE, "the filter on %s is not UTF-8", field->id);
    }
    if (filter->count == FILTER_MAX) {
        return error_set(err, ERROR_USAGE, "more than %d filters", FILTER_MAX);
    }
    filter->conditions[filter->count++] = (struct filter_condition){field, list};
    return 0;
}

/* What is shared by the steps of one filter_sql. */
struct builder {
    const struct zone *zone;
    int64_t now;
    struct statement *sql;
    bool of_runs;  /* rows have a list of nodes */
    unsigned rows; /* of enum filter_rows */
};

/* How values of a unit are read, and what to write when they cannot be. */
static bool scan_number(struct str text, enum unit unit, int64_t *out)
{
    switch (unit) {
    case UNIT_HOURS: /* a bare number is hours, as in reports */
        return scan_decimal(text, 6, out) ? !__builtin_mul_overflow(*out, 3600, out)
                                          : scan_duration(text, out);
    case UNIT_SECONDS:
        return scan_duration(text, out);
    case UNIT_BYTES:
        return scan_size(text, 1, out);
    case UNIT_GIB_SECONDS:
        return scan_decimal(text, 6, out);
    case UNIT_MILLIJOULES:
        return scan_decimal(text, 3, out);
    case UNIT_RATIO: /* in millionths */
        return str_ends(text, STR("%"))
                   ? scan_decimal(str_trim((struct str){text.ptr, text.len - 1}), 4, out)
                   : scan_decimal(text, 6, out);
    case UNIT_NONE:
    case UNIT_COUNT:
    case UNIT_JOULES:
    case UNIT_GIB_HOURS:
    case UNIT_INSTANT:
    case UNIT_TRUTH:
    case UNIT_SU:
    case UNIT_MONEY:
    case UNIT_COUNT_OF:
        break;
    }
    return scan_int(text, out);
}

static const char *number_example(enum unit unit)
{
    switch (unit) {
    case UNIT_HOURS:
        return "hours like 100, a range like 10..100, or >100";
    case UNIT_SECONDS:
        return "a time like 90m, a range like 1h..2h, or >1h";
    case UNIT_BYTES:
        return "a size like 4G, a range like 4G..16G, or >4G";
    case UNIT_RATIO:
        return "a share like 50%, a range like 10%..50%, or <50%";
    case UNIT_NONE:
    case UNIT_COUNT:
    case UNIT_JOULES:
    case UNIT_MILLIJOULES:
    case UNIT_GIB_SECONDS:
    case UNIT_GIB_HOURS:
    case UNIT_INSTANT:
    case UNIT_TRUTH:
    case UNIT_SU:
    case UNIT_MONEY:
    case UNIT_COUNT_OF:
        break;
    }
    return "a number like 8, a range like 8..64, or >8";
}

/*
 * A number as typed, in the small unit of the field. An instant is a span: *upper is its end.
 */
static bool read_number(const struct builder *b, const struct field *field, struct str text,
                        int64_t *lower, int64_t *upper)
{
    text = str_trim(text);
    if (field->unit == UNIT_INSTANT) {
        struct period span;
        struct error err;
        int failed = calendar_span(text, b->zone, b->now, &span, &err);
        if (failed) {
            statement_refuse(b->sql, err.kind, "%s", err.text);
            return false;
        }
        *lower = span.from;
        *upper = span.to > span.from ? span.to - 1 : span.to;
        return true;
    }
    if (!scan_number(text, field->unit, lower)) {
        statement_refuse(b->sql, ERROR_USAGE, "cannot read '%.*s' as a value of %s: write %s",
                         STR_ARG(text), field->id, number_example(field->unit));
        return false;
    }
    *upper = *lower;
    return true;
}

static void bind_number(const struct builder *b, const struct field *field, int64_t value)
{
    const struct facts_value ratio = {.type = VALUE_REAL, .real = (double)value / 1e6};
    statement_bind(b->sql, field->unit == UNIT_RATIO ? ratio : FACTS_INT(value));
}

static void add_between(const struct builder *b, const struct field *field, int64_t low,
                        int64_t high)
{
    column_add(b->sql, field);
    statement_add(b->sql, " BETWEEN ");
    bind_number(b, field, low);
    statement_add(b->sql, " AND ");
    bind_number(b, field, high);
}

/* "8..64": both ends included, either may be left out. */
static void add_range(const struct builder *b, const struct field *field, struct str from,
                      struct str to)
{
    int64_t low = INT64_MIN, high = INT64_MAX, unused;
    if ((from.len > 0 && !read_number(b, field, from, &low, &unused)) ||
        (to.len > 0 && !read_number(b, field, to, &unused, &high))) {
        return;
    }
    if (low > high) {
        statement_refuse(b->sql, ERROR_USAGE,
                         "the range %.*s..%.*s of %s is empty: write the smaller end first",
                         STR_ARG(from), STR_ARG(to), field->id);
    }
    add_between(b, field, low, high);
}

static void add_comparison(const struct builder *b, const struct field *field, struct str text)
{
    bool less = text.ptr[0] == '<';
    bool equal = text.len > 1 && text.ptr[1] == '=';
    struct str number = {text.ptr + 1 + equal, text.len - 1 - equal};
    int64_t lower, upper;
    if (read_number(b, field, number, &lower, &upper)) {
        column_add(b->sql, field);
        statement_add(b->sql, less ? " <" : " >");
        statement_add(b->sql, equal ? "= " : " ");
        bind_number(b, field, less == equal ? upper : lower);
    }
}

static void add_number(const struct builder *b, const struct field *field, struct str text)
{
    if (text.len > 0 && (text.ptr[0] == '<' || text.ptr[0] == '>')) {
        add_comparison(b, field, text);
        return;
    }
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] == '.' && text.ptr[i + 1] == '.') {
            add_range(b, field, (struct str){text.ptr, i},
                      (struct str){text.ptr + i + 2, text.len - i - 2});
            return;
        }
    }
    int64_t lower, upper;
    if (read_number(b, field, text, &lower, &upper)) {
        add_between(b, field, lower, upper);
    }
}

static bool is_glob(struct str pattern)
{
    bool glob = false;
    for (size_t i = 0; i < pattern.len; i++) {
        glob |= pattern.ptr[i] == '*' || pattern.ptr[i] == '?' || pattern.ptr[i] == '[';
    }
    return glob;
}

/* The first node of a run; where rows are nodes, `node` is another. */
static void add_first_node(const struct builder *b)
{
    if (b->rows & FILTER_BY_NODE) {
        statement_name(b->sql, IDENTIFIER("first_node"));
    } else {
        column_add(b->sql, &run_fields[RUN_node]);
    }
}

/*
 * Whether a text is this one or, if it has a glob in it, like it; without a field, that of the
 * first node.
 */
static void add_match(const struct builder *b, const struct field *field, struct str pattern)
{
    const bool glob = is_glob(pattern);
    statement_add(b->sql, glob ? "@glob(" : "");
    if (field) {
        column_add(b->sql, field);
    } else {
        add_first_node(b);
    }
    statement_add(b->sql, glob ? ", " : " = ");
    statement_bind(b->sql, FACTS_TEXT(pattern));
    statement_add(b->sql, glob ? ")" : "");
}

/*
 * Any node of a run. Lists of several are exploded for a glob, each once however many runs have
 * it; a name is looked for in the list as it is. A run on one node is found by its first.
 */
static void add_any_node(const struct builder *b, struct str pattern)
{
    const bool glob = is_glob(pattern);
    statement_add(b->sql, "(");
    add_match(b, NULL, pattern);
    statement_add(b->sql,
                  glob ? " OR nodes IN (SELECT nodes FROM (SELECT nodes, "
                         "@items(@hosts(nodes)) AS host FROM (SELECT DISTINCT nodes FROM runs "
                         "WHERE @differs(nodes, node))) WHERE @glob(host, "
                       : " OR (@differs(nodes, ");
    if (!glob) {
        add_first_node(b);
        statement_add(b->sql, ") AND @has_host(nodes, ");
    }
    statement_bind(b->sql, FACTS_TEXT(pattern));
    statement_add(b->sql, ")))");
}

/*
 * sacct's letters for states, and Slurm's words, as the classes that all schedulers share; what
 * has no class is a state.
 */
static const struct {
    const char *code, *word, *class;
} state_codes[] = {
    {"PD", "PENDING", "pending"},     {"R", "RUNNING", "running"},
    {"S", "SUSPENDED", "suspended"},  {"CD", "COMPLETED", "completed"},
    {"F", "FAILED", "failed"},        {"CA", "CANCELLED", "cancelled"},
    {"TO", "TIMEOUT", "timeout"},     {"OOM", "OUT_OF_MEMORY", "oom"},
    {"NF", "NODE_FAIL", "node_fail"}, {"RQ", "REQUEUED", "requeued"},
    {"BF", "BOOT_FAIL", NULL},        {"DL", "DEADLINE", NULL},
    {"PR", "PREEMPTED", NULL},        {"RS", "RESIZING", NULL},
    {"RV", "REVOKED", NULL},
};

/* Where a code or word is in the list above; its length, if nowhere. */
static size_t find_state(struct str text)
{
    size_t i = 0;
    while (i < COUNT_OF(state_codes) && !str_eq(text, str_of(state_codes[i].code)) &&
           !str_eq(text, str_of(state_codes[i].word))) {
        i++;
    }
    return i;
}

bool filter_is_state(struct str text)
{
    bool class = false;
    for (enum run_class i = 0; i < CLASS_COUNT; i++) {
        class = class || str_eq(text, run_class_name(i));
    }
    return class || find_state(text) < COUNT_OF(state_codes);
}

/*
 * Rows that are nodes are those asked for; what is left out, or whole, is every run that had
 * it.
 */
static void add_text(const struct builder *b, const struct field *field, struct str pattern,
                     bool negative)
{
    const bool by_node = (b->rows & FILTER_BY_NODE) && !negative;
    if (dimension_is_spread(field) && b->of_runs && !by_node) {
        add_any_node(b, pattern);
        return;
    }
    if (field != &run_fields[RUN_state]) {
        add_match(b, field, pattern);
        return;
    }
    statement_add(b->sql, "("); /* people say the class as often as the raw state */
    add_match(b, &run_fields[RUN_state], pattern);
    statement_add(b->sql, " OR ");
    add_match(b, &run_fields[RUN_class], pattern);
    const size_t state = find_state(pattern);
    if (state < COUNT_OF(state_codes)) {
        const bool has_class = state_codes[state].class != NULL;
        statement_add(b->sql, " OR ");
        add_match(b, &run_fields[has_class ? RUN_class : RUN_state],
                  str_of(has_class ? state_codes[state].class : state_codes[state].word));
    }
    statement_add(b->sql, ")");
}

/* --- jobs --------------------------------------------------------------------------------- */

static bool take_number(struct str *rest, int64_t *out)
{
    size_t digits = 0;
    while (digits < rest->len && rest->ptr[digits] >= '0' && rest->ptr[digits] <= '9') {
        digits++;
    }
    if (!scan_int((struct str){rest->ptr, digits}, out)) {
        return false;
    }
    *rest = (struct str){rest->ptr + digits, rest->len - digits};
    return true;
}

/* Without ".host", the name of a server. */
static struct str without_server(struct str text)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        const char next = text.ptr[i + 1];
        if (text.ptr[i] == '.' &&
            ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'))) {
            return (struct str){text.ptr, i};
        }
    }
    return text;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where the digits begin that end at `end`; `end` if there are none. */
static size_t digits_before(struct str text, size_t end)
{
    while (end > 0 && is_digit(text.ptr[end - 1])) {
        end--;
    }
    return end;
}

/*
 * "train_4711_3" and "4711": the number at the end, and that before it where an underscore
 * joins them.
 */
static struct str number_at_end(struct str name)
{
    const size_t last = digits_before(name, name.len);
    size_t first = last;
    if (last < name.len && last > 0 && name.ptr[last - 1] == '_') {
        const size_t before = digits_before(name, last - 1);
        first = before < last - 1 ? before : last;
    }
    const bool apart = first == 0 || strchr("-_.", name.ptr[first - 1]);
    return apart ? (struct str){name.ptr + first, name.len - first} : (struct str){0};
}

/*
 * "train.o4711" and "train.e4711.3", as Grid Engine and PBS call them: what follows the letter.
 */
static struct str number_after_letter(struct str name)
{
    /* 4711.e01 is a job with its server */
    for (size_t i = name.len; i > 2 && !is_digit(name.ptr[0]); i--) {
        const char *at = name.ptr + i - 3;
        if (at[0] == '.' && (at[1] == 'o' || at[1] == 'e') && is_digit(at[2])) {
            return (struct str){at + 2, (size_t)(name.ptr + name.len - (at + 2))};
        }
        if (!is_digit(at[2]) && at[2] != '.') {
            break;
        }
    }
    return (struct str){0};
}

/*
 * The job in the name of a file that it wrote, which is what people have at hand; the null
 * string if it is no such name.
 */
static struct str id_in_file_name(struct str text)
{
    static const struct str ends[] = {{".out", 4}, {".err", 4}, {".log", 4}};
    const char *slash = memrchr(text.ptr, '/', text.len);
    const struct str name =
        slash ? (struct str){slash + 1, text.len - (size_t)(slash + 1 - text.ptr)} : text;
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        if (str_ends(name, ends[i])) {
            return number_at_end((struct str){name.ptr, name.len - ends[i].len});
        }
    }
    return number_after_letter(name);
}

bool filter_job_id(struct str text, struct job_id *out)
{
    *out = (struct job_id){0};
    text = str_trim(text);
    const struct str in_name = text.len > 0 ? id_in_file_name(text) : (struct str){0};
    struct str rest = in_name.len > 0 ? in_name : without_server(text);
    if (str_starts(rest, STR("slurm-"))) {
        rest = (struct str){rest.ptr + 6, rest.len - 6};
    }
    if (!take_number(&rest, &out->job)) {
        return false;
    }
    const bool bracket = str_take(&rest, '[');
    if (bracket || str_take(&rest, '.') || str_take(&rest, '_')) {
        out->has_task = true;
        if (!take_number(&rest, &out->task) || (bracket && !str_take(&rest, ']'))) {
            return false;
        }
    }
    if (str_take(&rest, '+')) {
        out->has_het = true;
        if (!take_number(&rest, &out->het)) {
            return false;
        }
    }
    return rest.len == 0;
}

/* A piece of a list of tasks, "3" or "1-9:2"; false if it is not one. */
static bool take_tasks(struct str piece, int64_t *from, int64_t *to, int64_t *step)
{
    piece = str_trim(piece);
    *step = 1;
    if (!take_number(&piece, from)) {
        return false;
    }
    *to = *from;
    return (!str_take(&piece, '-') || take_number(&piece, to)) &&
           (!str_take(&piece, ':') || (take_number(&piece, step) && *step > 0)) &&
           piece.len == 0;
}

/*
 * "4711_[1-3,7-9:2%4]", as Slurm prints tasks that wait: the job, and the list within the
 * brackets.
 */
static bool split_tasks(struct str item, int64_t *job, struct str *tasks)
{
    struct str rest = without_server(str_trim(item));
    int64_t from, to, step;
    if (!take_number(&rest, job) || !str_take(&rest, '_') || !str_take(&rest, '[') ||
        rest.len == 0 || rest.ptr[rest.len - 1] != ']') {
        return false;
    }
    *tasks = (struct str){rest.ptr, rest.len - 1};
    *tasks = str_cut(tasks, '%'); /* how many may run at once */
    bool good = tasks->len > 0;
    for (struct str list = *tasks; good && list.ptr;) {
        good = take_tasks(str_cut(&list, ','), &from, &to, &step);
    }
    return good;
}

static void add_tasks(const struct builder *b, int64_t job, struct str tasks)
{
    bool first = true;
    statement_add(b->sql, "(job = ");
    statement_bind(b->sql, FACTS_INT(job));
    while (tasks.ptr) {
        int64_t from = 0, to = 0, step = 1;
        (void)take_tasks(str_cut(&tasks, ','), &from, &to, &step);
        statement_add(b->sql, first ? " AND (task BETWEEN " : " OR task BETWEEN ");
        statement_bind(b->sql, FACTS_INT(from));
        statement_add(b->sql, " AND ");
        statement_bind(b->sql, FACTS_INT(to));
        statement_add(b->sql, " AND (task - ");
        statement_bind(b->sql, FACTS_INT(from));
        statement_add(b->sql, ") %% ");
        statement_bind(b->sql, FACTS_INT(step));
        statement_add(b->sql, " = 0");
        first = false;
    }
    statement_add(b->sql, "))");
}

/* "<100", "100..200", "..200": numbers as other fields have them. */
static bool is_job_range(struct str item)
{
    const bool number =
        item.len > 0 && (item.ptr[0] == '.' || (item.ptr[0] >= '0' && item.ptr[0] <= '9'));
    return item.len > 0 && !memchr(item.ptr, '/', item.len) &&
           (item.ptr[0] == '<' || item.ptr[0] == '>' ||
            (number && memmem(item.ptr, item.len, "..", 2)));
}

bool filter_next_job(struct str *rest, struct str *item)
{
    bool negative;
    struct job_id id;
    struct str tasks;
    int64_t number;
    while (next_item(rest, item, &negative)) {
        if (!negative && !str_eq(*item, STR(ABSENT)) && !is_job_range(*item) &&
            (filter_job_id(*item, &id) || split_tasks(*item, &number, &tasks) ||
             !is_glob(*item))) {
            return true;
        }
    }
    return false;
}

static void add_job_id(const struct builder *b, const struct job_id *id)
{
    statement_add(b->sql, "(job = ");
    statement_bind(b->sql, FACTS_INT(id->job));
    if (id->has_task) {
        statement_add(b->sql, " AND task = ");
        statement_bind(b->sql, FACTS_INT(id->task));
    }
    if (id->has_het) {
        statement_add(b->sql, " AND het = ");
        statement_bind(b->sql, FACTS_INT(id->het));
    }
    statement_add(b->sql, ")");
}

/* A job that has a number goes by its own id, not by a name that a thousand others have. */
static void add_job_text(const struct builder *b, struct str pattern)
{
    statement_add(b->sql, "(");
    add_match(b, &run_fields[RUN_job_key], pattern);
    statement_add(b->sql, " OR (job IS NULL AND ");
    add_match(b, &run_fields[RUN_name], pattern);
    statement_add(b->sql, "))");
}

/*
 * The id of a job without a number, as a name of a run has it: between the tilde and the marks
 * that follow.
 */
static struct str escaped_key(struct str item)
{
    struct str key = item;
    size_t len = 0;
    (void)str_cut(&key, '~');
    while (len < key.len && !memchr(".+@", key.ptr[len], 3)) {
        len++;
    }
    return (struct str){key.ptr, len};
}

/* What an escaped piece of a name stands for. */
static void add_plain(const struct builder *b, struct str escaped)
{
    statement_add(b->sql, "@plain(");
    statement_bind(b->sql, FACTS_TEXT(escaped));
    statement_add(b->sql, ")");
}

/*
 * The run of a name (record/run_id.h), by the columns it is made of. What the name escapes is
 * made plain by the engine, so that bound texts are pieces of what was typed.
 */
static void add_run(const struct builder *b, const struct run *run, struct str item)
{
    struct str rest = item;
    statement_add(b->sql, b->rows & FILTER_RENAMED ? "(own_cluster = " : "(cluster = ");
    add_plain(b, str_cut(&rest, ':'));
    for (unsigned i = RUN_cluster + 1; i < RUN_FIELD_COUNT; i++) {
        const struct field *field = &run_fields[i];
        const char *member = (const char *)run + field->offset;
        if (!(field->flags & FIELD_KEY)) {
            continue;
        }
        statement_add(b->sql, " AND ");
        statement_name(b->sql, identifier_of(field));
        if (!run_has(run, i)) {
            statement_add(b->sql, " IS NULL");
        } else if (field->type == FIELD_TEXT) {
            statement_add(b->sql, " = ");
            add_plain(b, escaped_key(rest));
        } else {
            statement_add(b->sql, " = ");
            statement_bind(b->sql, FACTS_INT(*(const int64_t *)(const void *)member));
        }
    }
    statement_add(b->sql, ")");
}

static bool read_run(struct str item, struct run *run)
{
    struct arena arena = {0};
    const bool is_run = run_id_parse(item, &arena, run);
    arena_release(&arena);
    return is_run;
}

static void add_job(const struct builder *b, const struct field *field, struct str item)
{
    struct job_id id;
    struct str tasks;
    int64_t number;
    struct run run = {0};
    if (read_run(item, &run)) { /* of its texts only whether they are there is looked at */
        add_run(b, &run, item);
    } else if (is_job_range(item)) {
        add_number(b, field, item);
    } else if (filter_job_id(item, &id)) {
        add_job_id(b, &id);
    } else if (split_tasks(item, &number, &tasks)) {
        add_tasks(b, number, tasks);
    } else {
        add_job_text(b, item);
    }
}

static void add_item(const struct builder *b, const struct field *field, struct str item,
                     bool negative)
{
    if (str_eq(item, STR(ABSENT))) {
        column_add(b->sql, field);
        statement_add(b->sql, " IS NULL");
    } else if (field == &run_fields[RUN_job]) {
        add_job(b, field, item);
    } else if (field->type == FIELD_TEXT) {
        add_text(b, field, item, negative);
    } else {
        add_number(b, field, item);
    }
}

/* All items of one sign on a field, as alternatives; nothing when there are none. */
static void add_alternatives(const struct filter *filter, const struct builder *b,
                             const struct field *field, bool negative)
{
    bool any = false, is_negative;
    for (size_t i = 0; i < filter->count; i++) {
        struct str rest = filter->conditions[i].list, item;
        while (filter->conditions[i].field == field && next_item(&rest, &item, &is_negative)) {
            if (is_negative == negative) {
                /* what is absent cannot be the thing that was taken away */
                statement_add(b->sql, any        ? " OR "
                                      : negative ? " AND NOT coalesce("
                                                 : " AND (");
                any = true;
                add_item(b, field, item, negative);
            }
        }
    }
    if (any) {
        statement_add(b->sql, negative ? ", false)" : ")");
    }
}

/* Whether an earlier condition is on the same field: that one has added this one's items. */
static bool is_further(const struct filter *filter, size_t index)
{
    bool further = false;
    for (size_t i = 0; i < index; i++) {
        further = further || filter->conditions[i].field == filter->conditions[index].field;
    }
    return further;
}

static void add_conditions(const struct filter *filter, struct builder b)
{
    for (size_t i = 0; i < filter->count; i++) {
        if (!is_further(filter, i)) {
            add_alternatives(filter, &b, filter->conditions[i].field, false);
            add_alternatives(filter, &b, filter->conditions[i].field, true);
        }
    }
}

void filter_sql(const struct filter *filter, const struct zone *zone, int64_t now,
                struct statement *sql)
{
    add_conditions(filter, (struct builder){.zone = zone, .now = now, .sql = sql});
}

void filter_sql_of_runs(const struct filter *filter, const struct zone *zone, int64_t now,
                        unsigned rows, struct statement *sql)
{
    add_conditions(filter, (struct builder){zone, now, sql, true, rows});
}

bool filter_has(const struct filter *filter, const struct field *field)
{
    size_t i = 0;
    while (i < filter->count && filter->conditions[i].field != field) {
        i++;
    }
    return i < filter->count;
}

struct str filter_name(const struct filter *filter, const struct field *field)
{
    struct str found = {0}, item;
    size_t count = 0;
    for (size_t i = 0; i < filter->count; i++) {
        struct str rest = filter->conditions[i].list;
        bool negative;
        while (filter->conditions[i].field == field && next_item(&rest, &item, &negative)) {
            found = negative || is_glob(item) || str_eq(item, STR(ABSENT)) ? found : item;
            count++;
        }
    }
    return count == 1 ? found : (struct str){0};
}

int filter_only(const struct filter *filter, const struct field *field, struct filter *out,
                struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < filter->count; i++) {
        if (filter->conditions[i].field == field) {
            failed = filter_add(out, field, filter->conditions[i].list, err);
        }
    }
    return failed;
}

int filter_check(const struct filter *filter, const struct zone *zone, int64_t now,
                 struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    filter_sql(filter, zone, now, &sql);
    int failed = statement_finish(&sql, err);
    statement_release(&sql);
    return failed;
}
