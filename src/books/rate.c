/* SPDX-License-Identifier: MIT */
#include "books/rate.h"

#include <stdlib.h>

#include "base/scan.h"
#include "books/books.h"

static const int64_t ONE = 1000000;

static const char *const pattern_ids[RATE_PATTERNS] = {
    [RATE_CLUSTER] = "cluster",    [RATE_PARTITION] = "partition", [RATE_QOS] = "qos",
    [RATE_GPU_TYPE] = "gpu_type",  [RATE_ACCOUNT] = "account",     [RATE_GROUP] = "group",
    [RATE_METAGROUP] = "metagroup"};

const char *rate_weight_name(enum rate_weight weight)
{
    static const char *const names[RATE_WEIGHTS] = {[RATE_CPU] = "cpu",
                                                    [RATE_GPU] = "gpu",
                                                    [RATE_MEM] = "mem",
                                                    [RATE_NODE] = "node",
                                                    [RATE_KWH] = "kwh"};
    return names[weight];
}

/* "22-6" */
static bool read_hours(struct str text, int *first, int *last)
{
    struct str rest = text;
    int64_t a, b;
    struct str begin = str_cut(&rest, '-');
    if (!rest.ptr || !scan_int(begin, &a) || !scan_int(rest, &b) || a < 0 || a > 23 || b < 0 ||
        b > 24 || a == b) {
        return false;
    }
    *first = (int)a;
    *last = (int)b;
    return true;
}

/* "sat,sun" */
static bool read_days(struct str text, unsigned *days)
{
    static const char *const names[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    *days = 0;
    for (struct str rest = text; rest.ptr;) {
        const struct str name = str_trim(str_cut(&rest, ','));
        size_t i = 0;
        while (i < COUNT_OF(names) && !str_eq_nocase(name, str_of(names[i]))) {
            i++;
        }
        if (i == COUNT_OF(names)) {
            return false;
        }
        *days |= 1U << i;
    }
    return true;
}

/* At most six decimals: nothing is rounded. */
static bool read_price(struct str text, int64_t *out)
{
    struct str decimals = text;
    const struct str whole = str_cut(&decimals, '.');
    return whole.len > 0 && whole.ptr[0] >= '0' && whole.ptr[0] <= '9' && decimals.len <= 6 &&
           !str_byte(text, 'e') && !str_byte(text, 'E') && scan_decimal(text, 6, out);
}

/* "gres/shard=0.5,license/matlab=2": names with a slash, and prices that are not below zero. */
static bool read_resources(struct str text, struct rate *rate)
{
    rate->resource_count = 0;
    for (struct str rest = text; rest.ptr;) {
        struct str price = str_trim(str_cut(&rest, ','));
        struct rate_resource one = {.name = str_cut(&price, '=')};
        bool is_new = true;
        for (size_t i = 0; i < rate->resource_count; i++) {
            is_new = is_new && !str_eq(rate->resources[i].name, one.name);
        }
        if (!is_new || rate->resource_count == RATE_RESOURCES || !price.ptr ||
            !str_byte(one.name, '/') || str_eq(one.name, STR("gres/gpu")) ||
            !read_price(price, &one.weight)) {
            return false;
        }
        rate->resources[rate->resource_count++] = one;
    }
    return true;
}

/* Prices of resources, and that no GPU is paid for twice. */
static int check_resources(const struct kind *kind, const struct kind_row *row,
                           struct error *err)
{
    const struct str text = kind_cell(kind, row, "resources");
    struct rate rate;
    if (!text.ptr) {
        return 0;
    }
    if (!read_resources(text, &rate)) {
        return error_set(err, ERROR_USAGE,
                         "resources cannot be '%.*s': write at most %d prices by the "
                         "scheduler's names, as gres/shard=0.5,license/matlab=2",
                         STR_ARG(text), RATE_RESOURCES);
    }
    if (str_eq(kind_cell(kind, row, "how"), STR("recorded"))) {
        return error_set(err, ERROR_USAGE,
                         "with --how recorded nothing else has a price: leave --resources out");
    }
    for (size_t i = 0; i < rate.resource_count; i++) {
        if (str_starts(rate.resources[i].name, STR("gres/gpu:")) &&
            kind_cell(kind, row, "gpu").ptr) {
            return error_set(err, ERROR_USAGE,
                             "a GPU has one price: --gpu, or %.*s among the --resources",
                             STR_ARG(rate.resources[i].name));
        }
    }
    return 0;
}

int rate_check_row(const struct kind *kind, const struct kind_row *row, struct error *err)
{
    const struct str hours = kind_cell(kind, row, "hours"), days = kind_cell(kind, row, "days");
    int first, last;
    unsigned mask;
    if (hours.ptr && !read_hours(hours, &first, &last)) {
        return error_set(err, ERROR_USAGE,
                         "hours cannot be '%.*s': write 22-6 for from 22:00 up to 6:00",
                         STR_ARG(hours));
    }
    if (days.ptr && !read_days(days, &mask)) {
        return error_set(err, ERROR_USAGE,
                         "days cannot be '%.*s': write a list of mon tue wed thu fri sat sun",
                         STR_ARG(days));
    }
    const int failed = check_resources(kind, row, err);
    if (failed) {
        return failed;
    }
    bool any = str_eq(kind_cell(kind, row, "how"), STR("recorded")) ||
               kind_cell(kind, row, "resources").ptr;
    for (unsigned i = 0; i < RATE_WEIGHTS; i++) {
        any = any || kind_cell(kind, row, rate_weight_name(i)).ptr;
    }
    return any ? 0
               : error_set(err, ERROR_USAGE,
                           "say what is paid for: --cpu, --gpu, --mem, --node, --kwh or "
                           "--resources, or --how recorded");
}

static int64_t micro_or(const struct kind *kind, const struct kind_row *row, const char *id,
                        int64_t otherwise)
{
    const struct str cell = kind_cell(kind, row, id);
    return cell.ptr ? kind_micro(cell) : otherwise;
}

static void set_resources(struct str text, struct arena *arena, struct rate *rate)
{
    if (!text.ptr || !read_resources(arena_copy(arena, text), rate)) {
        rate->resource_count = 0;
    }
    for (size_t i = 0; i < rate->resource_count; i++) {
        rate->resources[i].text = arena_copy(arena, rate->resources[i].name).ptr;
        rate->resources[i].not_known = arena_printf(
            arena, "how many %.*s it had was not recorded, for which its rate has a price",
            STR_ARG(rate->resources[i].name));
    }
}

static struct rate read_rate(const struct kind *kind, const struct kind_row *row,
                             const struct zone *zone, struct arena *arena)
{
    const struct str how = kind_cell(kind, row, "how"), unit = kind_cell(kind, row, "unit"),
                     hours = kind_cell(kind, row, "hours"), days = kind_cell(kind, row, "days");
    struct rate rate = {
        .id = row->id,
        .name = arena_copy(arena, kind_cell(kind, row, "name")),
        .unit = arena_copy(arena, unit.ptr ? unit : STR("SU")),
        .first_hour = -1,
        .last_hour = -1,
        .how = str_eq(how, STR("max"))        ? RATE_MAX
               : str_eq(how, STR("recorded")) ? RATE_RECORDED
                                              : RATE_SUM,
        .factor = micro_or(kind, row, "factor", ONE),
        .least = micro_or(kind, row, "least", 0),
        .under_us = micro_or(kind, row, "under", 0), /* millionths of a second */
    };
    const struct str free_ones = kind_cell(kind, row, "free");
    rate.free = free_ones.ptr ? arena_copy(arena, free_ones) : free_ones;
    for (unsigned i = 0; i < RATE_PATTERNS; i++) {
        const struct str pattern = kind_cell(kind, row, pattern_ids[i]);
        rate.patterns[i] = pattern.ptr ? arena_copy(arena, pattern) : pattern;
    }
    for (unsigned i = 0; i < RATE_WEIGHTS; i++) {
        rate.weights[i] = micro_or(kind, row, rate_weight_name(i), -1);
    }
    set_resources(kind_cell(kind, row, "resources"), arena, &rate);
    if (hours.ptr) {
        (void)read_hours(hours, &rate.first_hour, &rate.last_hour);
    }
    if (days.ptr) {
        (void)read_days(days, &rate.days);
    }
    kind_period(kind, row, zone, &rate.period.from, &rate.period.to);
    return rate;
}

static int narrowness(const struct rate *rate)
{
    int count = (rate->first_hour >= 0) + (rate->days != 0);
    for (size_t i = 0; i < RATE_PATTERNS; i++) {
        count += rate->patterns[i].ptr != NULL;
    }
    return count;
}

static int compare_rates(const void *a, const void *b)
{
    const struct rate *x = a, *y = b;
    const int n = narrowness(y) - narrowness(x);
    if (n) {
        return n;
    }
    return x->period.from != y->period.from ? (x->period.from < y->period.from ? 1 : -1)
           : x->id < y->id                  ? -1
                                            : 1;
}

bool rate_is_for(const struct rate *rate, const struct membership *member)
{
    const struct str pattern = rate->patterns[RATE_METAGROUP];
    bool is = !pattern.ptr;
    for (size_t i = 0; !is && member && i < member->depth; i++) {
        is = str_glob(pattern, member->levels[i]);
    }
    return is;
}

void rates_of_rows(const struct kind_row *rows, size_t count, const struct zone *zone,
                   struct rate_list *out)
{
    const struct kind *kind = kind_find(STR("rate"));
    *out = (struct rate_list){0};
    out->rows = arena_alloc(&out->arena, (count + 1) * sizeof(*out->rows));
    for (size_t i = 0; i < count; i++) {
        out->rows[out->count] = read_rate(kind, &rows[i], zone, &out->arena);
        out->by_metagroup =
            out->by_metagroup || out->rows[out->count].patterns[RATE_METAGROUP].ptr;
        out->count++;
    }
    qsort(out->rows, out->count, sizeof(*out->rows), compare_rates);
}

static int read_members(struct books *books, const struct zone *zone, struct rate_list *list,
                        struct error *err)
{
    return list->by_metagroup ? books_memberships(books, zone, &list->members, err) : 0;
}

int books_rates(struct books *books, const struct zone *zone, struct rate_list *out,
                struct error *err)
{
    struct books_rows rows;
    *out = (struct rate_list){0};
    int failed = books_list(books, kind_find(STR("rate")), &rows, err);
    if (!failed) {
        rates_of_rows(rows.rows, rows.count, zone, out);
        failed = read_members(books, zone, out, err);
    }
    books_rows_release(&rows);
    return failed;
}

int books_rates_of(struct books *books, const struct zone *zone, int64_t epoch,
                   struct rate_list *out, struct error *err)
{
    struct books_rows rows;
    *out = (struct rate_list){0};
    int failed = books_list_of(books, kind_find(STR("rate")), epoch, &rows, err);
    if (!failed) {
        rates_of_rows(rows.rows, rows.count, zone, out);
        failed = read_members(books, zone, out, err);
    }
    books_rows_release(&rows);
    return failed;
}

const struct rate *rate_list_find(const struct rate_list *list, int64_t id)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].id == id) {
            return &list->rows[i];
        }
    }
    return NULL;
}

void rate_list_release(struct rate_list *list)
{
    membership_list_release(&list->members);
    arena_release(&list->arena);
    *list = (struct rate_list){0};
}
