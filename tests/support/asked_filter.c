/* SPDX-License-Identifier: MIT */
#include "support/asked_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/slow_way.h"

static bool is_id(const struct field *field, const char *id)
{
    return strcmp(field->id, id) == 0;
}

/* --- what a run has -------------------------------------------------------------------------- */

static bool has_member(const struct field *field, const struct run *run)
{
    return field->member && run_has(run, (enum run_field)(field - run_fields));
}

bool asked_text_of(const struct field *field, const struct run *run, char out[ASKED_TEXT_MAX])
{
    if (is_id(field, "id")) {
        (void)snprintf(out, ASKED_TEXT_MAX, "%" PRId64, run->job);
        return true;
    }
    const struct field *stored = is_id(field, "person") ? &run_fields[RUN_user] : field;
    if (!has_member(stored, run)) { /* nobody is in a metagroup */
        return false;
    }
    const char *member = (const char *)run + stored->offset;
    const struct str *text = (const struct str *)(const void *)member;
    (void)snprintf(out, ASKED_TEXT_MAX, "%.*s", STR_ARG(*text));
    return true;
}

/* From start to end without suspension; of runs that have both. */
static bool took(const struct run *run, wide_int *out)
{
    const int64_t time = run->end > run->start ? run->end - run->start : 0;
    const int64_t off = RUN_HAS(run, suspended_us) ? run->suspended_us : 0;
    *out = time > off ? time - off : 0;
    return RUN_HAS(run, start) && RUN_HAS(run, end);
}

bool asked_number_of(const struct field *field, const struct run *run, wide_int *out)
{
    if (is_id(field, "wall")) {
        *out = (wide_int)run->end - run->start;
        return RUN_HAS(run, start) && RUN_HAS(run, end);
    }
    if (is_id(field, "wait")) {
        *out = (wide_int)run->start - run->submit;
        return RUN_HAS(run, start) && RUN_HAS(run, submit);
    }
    if (is_id(field, "cpu_hours")) {
        const bool known = took(run, out);
        *out *= run->cpus;
        return known && RUN_HAS(run, cpus);
    }
    if (!has_member(field, run)) {
        return false;
    }
    *out = *(const int64_t *)(const void *)((const char *)run + field->offset);
    return true;
}

/* A share of a run; false: unknown. */
static bool ratio_of(const struct field *field, const struct run *run, double *out)
{
    wide_int time = 0;
    const bool timed = took(run, &time);
    double part = 0, whole = 0;
    bool known = false;
    if (is_id(field, "cpu_efficiency")) {
        known = timed && RUN_HAS(run, cpus) && RUN_HAS(run, cpu_used_us);
        part = (double)run->cpu_used_us;
        whole = (double)run->cpus * (double)time;
    } else if (is_id(field, "gpu_efficiency")) {
        known = timed && RUN_HAS(run, gpus) && RUN_HAS(run, gpu_used_us);
        part = (double)run->gpu_used_us;
        whole = (double)run->gpus * (double)time;
    } else if (is_id(field, "time_efficiency")) {
        known = timed && RUN_HAS(run, req_wall_us);
        part = (double)time;
        whole = (double)run->req_wall_us;
    } else {
        const bool one_task =
            RUN_HAS(run, mem_basis) && str_eq(run->mem_basis, STR("task-rss"));
        known = RUN_HAS(run, mem_peak_bytes) &&
                (RUN_HAS(run, mem_bytes) || RUN_HAS(run, req_mem_bytes)) &&
                !(one_task && !(RUN_HAS(run, cpus) && run->cpus == 1));
        part = (double)run->mem_peak_bytes;
        whole = (double)(RUN_HAS(run, mem_bytes) ? run->mem_bytes : run->req_mem_bytes);
    }
    *out = known && whole != 0 ? part / whole : 0;
    return known && whole != 0;
}

/* --- what an item means ---------------------------------------------------------------------- */

static bool is_in_class(const char *class, const char *end, char byte)
{
    for (; class < end; class ++) {
        if (class + 2 < end && class[1] == '-') {
            if (byte >= class[0] && byte <= class[2]) {
                return true;
            }
            class += 2;

        } else if (*class == byte) {
            return true;
        }
    }
    return false;
}

/* * ? [abc] [a-c], byte by byte. */
static bool is_like(const char *text, const char *pattern)
{
    const char *end = NULL;
    switch (*pattern) {
    case '\0':
        return *text == '\0';
    case '*':
        return is_like(text, pattern + 1) || (*text && is_like(text + 1, pattern));
    case '?':
        return *text && is_like(text + 1, pattern + 1);
    case '[':
        end = strchr(pattern, ']');
        return end && *text && is_in_class(pattern + 1, end, *text) &&
               is_like(text + 1, end + 1);
    default:
        return *text == *pattern && is_like(text + 1, pattern + 1);
    }
}

/* sacct's letters and Slurm's words for what all schedulers have. */
static const struct {
    const char *code, *word, *class;
} states[] = {
    {"CD", "COMPLETED", "completed"}, {"F", "FAILED", "failed"},
    {"TO", "TIMEOUT", "timeout"},     {"R", "RUNNING", "running"},
    {"S", "SUSPENDED", "suspended"},  {"CA", "CANCELLED", "cancelled"},
    {"NF", "NODE_FAIL", "node_fail"},
};

static bool is_state(const struct run *run, const char *pattern)
{
    char class[ASKED_TEXT_MAX];
    if (!asked_text_of(&run_fields[RUN_class], run, class)) {
        return false;
    }
    bool found = is_like(class, pattern);
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        const bool named =
            strcmp(states[i].code, pattern) == 0 || strcmp(states[i].word, pattern) == 0;
        found |= named && strcmp(states[i].class, class) == 0;
    }
    return found;
}

static bool is_named_like(struct str name, const char *pattern)
{
    char text[ASKED_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%.*s", STR_ARG(name));
    return name.ptr && is_like(text, pattern);
}

/* Any node of the run, the first or one of its list. */
static bool is_on_node(const struct run *run, const char *pattern)
{
    struct str names[SLOW_NODES_MAX];
    bool found = RUN_HAS(run, node) && is_named_like(run->node, pattern);
    for (size_t left = slow_names(run, names); left > 0; left--) {
        found |= is_named_like(names[left - 1], pattern);
    }
    return found;
}

static bool text_holds(const struct field *field, const struct asked_item *item,
                       const struct run *run, const struct str *node)
{
    char text[ASKED_TEXT_MAX];
    if (is_id(field, "node")) {
        return node ? is_named_like(*node, item->text) : is_on_node(run, item->text);
    }
    if (is_id(field, "state")) {
        return is_state(run, item->text);
    }
    return asked_text_of(field, run, text) && is_like(text, item->text);
}

bool asked_item_holds(const struct field *field, const struct asked_item *item,
                      const struct run *run, const struct str *node)
{
    char text[ASKED_TEXT_MAX];
    wide_int number;
    double real;
    switch (item->kind) {
    case ITEM_TEXT:
        return text_holds(field, item, run, node);
    case ITEM_NUMBER:
        return asked_number_of(field, run, &number) && number >= item->low &&
               number <= item->high;
    case ITEM_RATIO:
        return ratio_of(field, run, &real) &&
               (item->below ? real < item->real : real > item->real);
    case ITEM_ABSENT:
        break;
    }
    if (field->unit == UNIT_RATIO) {
        return !ratio_of(field, run, &real);
    }
    return field->type == FIELD_TEXT ? !asked_text_of(field, run, text)
                                     : !asked_number_of(field, run, &number);
}

/* --- drawing --------------------------------------------------------------------------------- */

static const struct run *any_run(struct chance *chance, const struct asked_site *site)
{
    static const struct run none;
    return site->count ? site->runs[chance_below(chance, (int64_t)site->count)] : &none;
}

/* What has a comma would be two items, and what opens a class that never ends is nothing: any byte stands there. */
static void make_typable(char *text)
{
    for (char *at = text; *at; at++) {
        if (*at == ',' || (*at == '[' && !strchr(at, ']'))) {
            *at = '?';
        }
    }
}

static void draw_text(struct asked_item *item, struct chance *chance, const struct field *field,
                      const struct asked_site *site)
{
    char text[ASKED_TEXT_MAX] = "zed";
    item->kind = ITEM_TEXT;
    if (is_id(field, "state") && chance_of(chance, 60)) {
        const size_t which = (size_t)chance_below(chance, COUNT_OF(states));
        (void)snprintf(item->text, sizeof item->text, "%s",
                       chance_of(chance, 50) ? states[which].code : states[which].word);
        return;
    }
    if (chance_of(chance, 85)) {
        const struct field *from = is_id(field, "state") ? &run_fields[RUN_class] : field;
        (void)asked_text_of(from, any_run(chance, site), text);
    }
    make_typable(text);
    switch (chance_below(chance, 8)) {
    case 0:
        (void)snprintf(item->text, sizeof item->text, "%c*", text[0]);
        break;
    case 1:
        (void)snprintf(item->text, sizeof item->text, "?%.60s", text + 1);
        break;
    case 2:
        (void)snprintf(item->text, sizeof item->text, "[%cx]*", text[0] == '[' ? 'n' : text[0]);
        break;
    case 3:
        (void)snprintf(item->text, sizeof item->text, "*%s",
                       strchr(text, '[') ? "" : text + strlen(text) / 2);
        break;
    default:
        (void)snprintf(item->text, sizeof item->text, "%s", text);
    }
}

static void draw_ratio(struct asked_item *item, struct chance *chance)
{
    const int64_t millionths =
        chance_below(chance, 30) * 50000 + 12347; /* no run is at the edge */
    item->kind = ITEM_RATIO;
    item->below = chance_of(chance, 50);
    item->real = (double)millionths / 1e6;
    (void)snprintf(item->text, sizeof item->text,
                   chance_of(chance, 50) ? "%c%" PRId64 ".%04" PRId64 "%%"
                                         : "%c%" PRId64 ".%04" PRId64 " %%",
                   item->below ? '<' : '>', millionths / 10000, millionths % 10000);
}

/* A number as people write it in the unit, and the values it names: an instant's is a span. */
struct written {
    char text[32];
    int64_t low, high;
};

static void write_instant(struct written *out, struct chance *chance, const struct zone *zone,
                          int64_t number)
{
    const struct civil civil = zone_civil(zone, number);
    struct period span = {0};
    struct error err = {0};
    switch (chance_below(chance, 3)) {
    case 0:
        (void)snprintf(out->text, sizeof out->text, "%04d-%02d", civil.year, civil.month);
        break;
    case 1:
        (void)snprintf(out->text, sizeof out->text, "%04d-%02d-%02d", civil.year, civil.month,
                       civil.day);
        break;
    default:
        (void)snprintf(out->text, sizeof out->text, "@%" PRId64, number / SECOND_US);
    }
    if (calendar_span(str_of(out->text), zone, 0, &span, &err) != 0) {
        expect_fail("%s", err.text);
    }
    out->low = span.from;
    out->high = span.to > span.from ? span.to - 1 : span.to;
}

static void write_number(struct written *out, struct chance *chance, const struct field *field,
                         const struct zone *zone, int64_t number)
{
    const bool coarse = chance_of(chance, 50);
    switch ((int)field->unit) {
    case UNIT_INSTANT:
        write_instant(out, chance, zone, number);
        return;
    case UNIT_HOURS:
        number -= number % HOUR_US;
        (void)snprintf(out->text, sizeof out->text, "%" PRId64, number / HOUR_US);
        break;
    case UNIT_SECONDS:
        number -= coarse ? number % SECOND_US : 0;
        (void)snprintf(out->text, sizeof out->text,
                       coarse ? "%" PRId64 "s" : "%" PRId64 ".%06" PRId64, number / SECOND_US,
                       number % SECOND_US);
        break;
    case UNIT_GIB_SECONDS:
        (void)snprintf(out->text, sizeof out->text, "%" PRId64 ".%06" PRId64,
                       number / SECOND_US, number % SECOND_US);
        break;
    case UNIT_MILLIJOULES:
        (void)snprintf(out->text, sizeof out->text, "%" PRId64 ".%03" PRId64, number / 1000,
                       number % 1000);
        break;
    case UNIT_BYTES:
        number -= coarse ? number % (1 << 20) : 0;
        (void)snprintf(out->text, sizeof out->text, coarse ? "%" PRId64 "M" : "%" PRId64,
                       coarse ? number >> 20 : number);
        break;
    default:
        (void)snprintf(out->text, sizeof out->text, "%" PRId64, number);
    }
    out->low = out->high = number;
}

/* A value that some run has, or any. */
static int64_t draw_value(struct chance *chance, const struct field *field,
                          const struct asked_site *site)
{
    wide_int number = 0;
    int64_t value = chance_below(chance, 1000);
    if (chance_of(chance, 80) && asked_number_of(field, any_run(chance, site), &number)) {
        value = number > 0 ? (int64_t)number : 0;
    } else if (field->unit == UNIT_INSTANT) {
        value = INT64_C(1711843200) * SECOND_US + value * HOUR_US;
    }
    return value;
}

static void draw_number(struct asked_item *item, struct chance *chance,
                        const struct field *field, const struct asked_site *site,
                        const struct zone *zone)
{
    struct written first, last;
    write_number(&first, chance, field, zone, draw_value(chance, field, site));
    write_number(&last, chance, field, zone, draw_value(chance, field, site));
    if (first.low > last.high) {
        const struct written swapped = first;
        first = last;
        last = swapped;
    }
    item->kind = ITEM_NUMBER;
    /* The edges of each form: a, a..b, >a, >=a, <a, <=a, a.. and ..a */
    const int64_t lows[] = {first.low, first.low, first.high + 1, first.low,
                            INT64_MIN, INT64_MIN, first.low,      INT64_MIN};
    const int64_t highs[] = {first.high,    last.high,  INT64_MAX, INT64_MAX,
                             first.low - 1, first.high, INT64_MAX, first.high};
    const int64_t form = chance_below(chance, COUNT_OF(lows));
    item->low = lows[form];
    item->high = highs[form];
    switch (form) {
    case 1:
        (void)snprintf(item->text, sizeof item->text, "%.30s..%.30s", first.text, last.text);
        break;
    case 2:
    case 3:
    case 4:
    case 5:
        (void)snprintf(item->text, sizeof item->text, "%s%s%s", form < 4 ? ">" : "<",
                       form % 2 ? "=" : "", first.text);
        break;
    case 6:
        (void)snprintf(item->text, sizeof item->text, "%s..", first.text);
        break;
    case 7:
        (void)snprintf(item->text, sizeof item->text, "..%s", first.text);
        break;
    default:
        (void)snprintf(item->text, sizeof item->text, "%s", first.text);
    }
}

static void draw_item(struct asked_item *item, struct chance *chance, const struct field *field,
                      const struct asked_site *site, const struct zone *zone)
{
    *item = (struct asked_item){.negative = chance_of(chance, 25)};
    if (chance_of(chance, 10) && !is_id(field, "node") && !is_id(field, "state")) {
        item->kind = ITEM_ABSENT;
        memcpy(item->text, "---", sizeof "---");
    } else if (field->type == FIELD_TEXT) {
        draw_text(item, chance, field, site);
    } else if (field->unit == UNIT_RATIO) {
        draw_ratio(item, chance);
    } else {
        draw_number(item, chance, field, site, zone);
    }
}

/* Half of them on what people filter by; the others on anything that there is a filter for. */
static const struct field *draw_field(struct chance *chance)
{
    static const char *const usual[] = {"user",    "group", "account", "partition", "node",
                                        "cluster", "name",  "class",   "state",     "cpus",
                                        "wall",    "job",   "person",  "metagroup"};
    const struct field *field = NULL;
    if (chance_of(chance, 55)) {
        const struct str id = str_of(usual[chance_below(chance, COUNT_OF(usual))]);
        return column_find(id) ? column_find(id) : dimension_find(id);
    }
    while (!field) {
        const int64_t which =
            chance_below(chance, RUN_FIELD_COUNT + (int64_t)derived_field_count);
        field = which < RUN_FIELD_COUNT ? &run_fields[which]
                                        : &derived_fields[which - RUN_FIELD_COUNT];
        if ((field->member && !dimension_is(field)) || is_id(field, "run_id") ||
            column_is_of_samples(field)) {
            field = NULL; /* bookkeeping, names that belong to one run, what only samples say */
        }
    }
    return field;
}

void asked_filter_draw(struct asked_filter *filter, struct chance *chance,
                       const struct asked_site *site, const struct zone *zone)
{
    *filter = (struct asked_filter){.field = draw_field(chance)};
    filter->item_count = 1 + (size_t)chance_below(chance, ASKED_ITEMS_MAX);
    for (size_t i = 0; i < filter->item_count; i++) {
        struct asked_item *item = &filter->items[i];
        draw_item(item, chance, filter->field, site, zone);
        const size_t used = strlen(filter->list);
        (void)snprintf(filter->list + used, sizeof filter->list - used, "%s%s%s", i ? "," : "",
                       item->negative ? "!" : "", item->text);
    }
}
