/* SPDX-License-Identifier: MIT */
#include "bank/price.h"

#include "bank/amount.h"
#include "record/run_resources.h"

/* --- which rate --------------------------------------------------------------------------- */

static bool fits_pattern(struct str pattern, bool has, struct str value)
{
    return !pattern.ptr || (has && str_glob(pattern, value));
}

static bool fits_clock(const struct rate *rate, int64_t start, const struct zone *zone)
{
    if (rate->first_hour < 0 && !rate->days) {
        return true;
    }
    const struct civil civil = zone_civil(zone, start);
    const int hour = civil.hour, first = rate->first_hour, last = rate->last_hour;
    const bool in_hours = first < 0      ? true
                          : first < last ? hour >= first && hour < last
                                         : hour >= first || hour < last;
    return in_hours && (!rate->days || rate->days >> civil_weekday(civil) & 1U);
}

/* What metagroup a run counts to at its start, as reports have it; NULL: none. */
static const struct membership *membership_of(const struct rate_list *rates,
                                              const struct run *run)
{
    const struct {
        enum membership_rank rank;
        bool has;
        struct str name;
    } names[] = {{MEMBERSHIP_USER, RUN_HAS(run, user), run->user},
                 {MEMBERSHIP_ACCOUNT, RUN_HAS(run, account), run->account},
                 {MEMBERSHIP_GROUP, RUN_HAS(run, group), run->group}};

    const struct membership *found = NULL;
    for (size_t i = 0; rates->by_metagroup && !found && i < COUNT_OF(names); i++) {
        found = names[i].has
                    ? membership_find(&rates->members, names[i].rank, names[i].name, run->start)
                    : NULL;
    }
    return found;
}

/* By what rates for metagroups are chosen. */
struct chooser {
    const struct rate *kept;
    const struct membership *member; /* where that is NULL */
};

static bool fits_metagroup(const struct rate *rate, const struct chooser *by)
{
    const struct str pattern = rate->patterns[RATE_METAGROUP];
    return !pattern.ptr || (by->kept ? str_eq(pattern, by->kept->patterns[RATE_METAGROUP])
                                     : rate_is_for(rate, by->member));
}

static bool fits(const struct rate *rate, const struct run *run, const struct zone *zone,
                 struct str unit)
{
    return str_eq(rate->unit, unit) && rate->period.from <= run->start &&
           run->start < rate->period.to &&
           fits_pattern(rate->patterns[RATE_CLUSTER], RUN_HAS(run, cluster), run->cluster) &&
           fits_pattern(rate->patterns[RATE_PARTITION], RUN_HAS(run, partition),
                        run->partition) &&
           fits_pattern(rate->patterns[RATE_QOS], RUN_HAS(run, qos), run->qos) &&
           fits_pattern(rate->patterns[RATE_GPU_TYPE], RUN_HAS(run, gpu_type), run->gpu_type) &&
           fits_pattern(rate->patterns[RATE_ACCOUNT], RUN_HAS(run, account), run->account) &&
           fits_pattern(rate->patterns[RATE_GROUP], RUN_HAS(run, group), run->group) &&
           fits_clock(rate, run->start, zone);
}

static const struct rate *find_rate(const struct rate_list *rates, const struct rate *kept,
                                    const struct run *run, const struct zone *zone,
                                    struct str unit)
{
    const struct chooser by = {kept, kept ? NULL : membership_of(rates, run)};
    for (size_t i = 0; i < rates->count; i++) {
        if (fits(&rates->rows[i], run, zone, unit) && fits_metagroup(&rates->rows[i], &by)) {
            return &rates->rows[i];
        }
    }
    return NULL;
}

bool price_goes_by(const struct rate_list *rates, enum run_field field)
{
    bool any = false;
    for (size_t i = 0; !any && i < rates->count; i++) {
        const struct rate *rate = &rates->rows[i];
        any = (field == RUN_partition && rate->patterns[RATE_PARTITION].ptr) ||
              (field == RUN_qos && rate->patterns[RATE_QOS].ptr) ||
              (field == RUN_gpu_type && rate->patterns[RATE_GPU_TYPE].ptr) ||
              (field == RUN_group &&
               (rate->patterns[RATE_GROUP].ptr || rate->patterns[RATE_METAGROUP].ptr)) ||
              (field == RUN_energy_mj && rate->weights[RATE_KWH] >= 0) ||
              (field == RUN_mem_bytes && rate->weights[RATE_MEM] >= 0) ||
              (field == RUN_node_count && rate->weights[RATE_NODE] >= 0) ||
              (field == RUN_billing && rate->how == RATE_RECORDED) ||
              (field == RUN_resources && rate->resource_count > 0) ||
              ((field == RUN_state || field == RUN_class) && rate->free.ptr);
    }
    return any;
}

/* --- what it comes to --------------------------------------------------------------------- */

#define GIB (INT64_C(1) << 30)

/* The sum of products beyond which 127 bits are not enough. */
#define WIDE_MAX ((wide_int)((~(__extension__(unsigned __int128) 0)) >> 1))

/* quantity x weight x wall / divisor hours, rounded half up. */
static int line_amount(int64_t quantity, int64_t weight, int64_t wall_us, int64_t divisor,
                       int64_t *out, struct error *err)
{
    const wide_int product = (wide_int)quantity * weight, below = (wide_int)divisor * HOUR_US;
    if (wall_us > 0 && product > (WIDE_MAX - below) / wall_us) {
        return error_set(err, ERROR_LIMIT, "the price of the run is too large to be kept");
    }
    int failed = amount_of((product * wall_us + below / 2) / below, out, err);
    return failed ? error_prepend(err, "the price of the run: ") : 0;
}

/*
 * Energy is not multiplied by time: a kilowatt-hour has as many millijoules as an hour has
 * microseconds.
 */
static int add_line(struct price *price, struct price_line line, int64_t divisor,
                    struct error *err)
{
    const int64_t wall_us = line.is_energy ? 1 : price->wall_us;
    int failed = line.recorded ? line_amount(line.quantity, line.weight, wall_us, divisor,
                                             &line.amount, err)
                               : 0;
    price->lines[price->line_count++] = line;
    return failed;
}

static int add_resources(const struct run *run, struct price *price, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < price->rate->resource_count; i++) {
        const struct rate_resource *resource = &price->rate->resources[i];
        const struct price_line line = {
            .what = resource->text,
            .may_be_none = true,
            .recorded = RUN_HAS(run, resources),
            .quantity = RUN_HAS(run, resources)
                            ? run_resources_count(run->resources, resource->name)
                            : 0,
            .weight = resource->weight};
        failed = add_line(price, line, 1, err);
    }
    return failed;
}

static int add_weights(const struct run *run, struct price *price, struct error *err)
{
    const struct {
        bool has;
        int64_t quantity, divisor;
    } amounts[RATE_WEIGHTS] = {
        [RATE_CPU] = {RUN_HAS(run, cpus), run->cpus, 1},
        [RATE_GPU] = {true, RUN_HAS(run, gpus) ? run->gpus : 0, 1},
        [RATE_MEM] = {RUN_HAS(run, mem_bytes), run->mem_bytes, GIB},
        [RATE_NODE] = {RUN_HAS(run, node_count), run->node_count, 1},
        [RATE_KWH] = {RUN_HAS(run, energy_mj), run->energy_mj, 1},
    };

    int failed = 0;
    for (unsigned i = 0; !failed && i < RATE_WEIGHTS; i++) {
        const struct price_line line = {.what = rate_weight_name(i),
                                        .may_be_none = i == RATE_GPU,
                                        .is_energy = i == RATE_KWH,
                                        .recorded = amounts[i].has,
                                        .quantity = amounts[i].quantity,
                                        .weight = price->rate->weights[i]};
        if (line.weight >= 0) {
            failed = add_line(price, line, amounts[i].divisor, err);
        }
    }
    return failed ? failed : add_resources(run, price, err);
}

/*
 * Whether what the rate goes by was recorded, or some of it. That a run had no GPUs says
 * nothing where other things are paid for, and neither does what costs nothing.
 * src/report/sql/price_sql.c says the same.
 */
static bool is_recorded(const struct price *price)
{
    bool is_paid_for = false, any = false;
    for (size_t i = 0; i < price->line_count; i++) {
        const struct price_line *line = &price->lines[i];
        is_paid_for = is_paid_for || (line->weight > 0 && !line->may_be_none);
        any = any || (line->weight > 0 && line->recorded &&
                      (!line->may_be_none || line->quantity > 0));
    }
    return any || !is_paid_for;
}

/* Which lines count, and their sum. */
static void sum_lines(struct price *price, wide_int *sum)
{
    size_t largest = 0;
    *sum = 0;
    for (size_t i = 0; i < price->line_count; i++) {
        largest = price->lines[i].amount > price->lines[largest].amount ? i : largest;
    }
    for (size_t i = 0; i < price->line_count; i++) {
        price->lines[i].counts =
            price->lines[i].recorded && (price->rate->how != RATE_MAX || i == largest);
        *sum += price->lines[i].counts ? price->lines[i].amount : 0;
    }
}

static int add_lines(const struct run *run, struct price *price, struct error *err)
{
    wide_int sum;
    const struct price_line billing = {.what = "billing",
                                       .recorded = RUN_HAS(run, billing),
                                       .quantity = run->billing,
                                       .weight = AMOUNT_ONE};
    int failed = price->rate->how == RATE_RECORDED ? add_line(price, billing, 1, err)
                                                   : add_weights(run, price, err);
    if (failed) {
        return failed;
    }
    sum_lines(price, &sum);
    if (!is_recorded(price)) {
        price->outcome = PRICE_UNKNOWN;
        price->why = "what its rate goes by was not recorded";
        return 0;
    }
    (void)((failed = amount_of(sum, &price->sum, err)) ||
           (failed = amount_scale(price->sum, price->rate->factor, AMOUNT_ONE, &price->amount,
                                  err)));
    if (!failed && price->amount < price->rate->least) {
        price->amount = price->rate->least;
    }
    return failed;
}

/* --- what is not charged ------------------------------------------------------------------ */

static bool is_listed(struct str list, bool has, struct str value)
{
    for (struct str rest = list; has && rest.ptr;) {
        if (str_eq_nocase(str_trim(str_cut(&rest, ',')), value)) {
            return true;
        }
    }
    return false;
}

static const char *why_free(const struct rate *rate, const struct run *run, int64_t wall_us)
{
    return is_listed(rate->free, RUN_HAS(run, class), run->class) ||
                   is_listed(rate->free, RUN_HAS(run, state), run->state)
               ? "its rate does not charge runs that ended so"
           : wall_us < rate->under_us ? "its rate does not charge runs as short as that"
                                      : NULL;
}

/* GPUs of a model whose price is among the resources. */
static int64_t priced_gpus(const struct rate *rate, const struct run *run)
{
    int64_t count = 0;
    for (size_t i = 0; RUN_HAS(run, resources) && i < rate->resource_count; i++) {
        const struct str name = rate->resources[i].name;
        const int64_t one =
            str_starts(name, STR("gres/gpu:")) ? run_resources_count(run->resources, name) : 0;
        count = count < INT64_MAX - one ? count + one : INT64_MAX;
    }
    return count;
}

/*
 * What was not recorded, or has no price, so that nobody takes it for free.
 * src/report/sql/price_sql.c says the same.
 */
static const char *why_unknown(const struct rate *rate, const struct run *run)
{
    for (size_t i = 0; !RUN_HAS(run, resources) && i < rate->resource_count; i++) {
        if (rate->resources[i].weight > 0) {
            return rate->resources[i].not_known;
        }
    }
    return RUN_HAS(run, gpus) && rate->how != RATE_RECORDED && rate->weights[RATE_GPU] < 0 &&
                   run->gpus > priced_gpus(rate, run)
               ? "it had GPUs, for which its rate has no price"
               : NULL;
}

static int64_t wall_of(const struct run *run, int64_t until)
{
    const int64_t end = RUN_HAS(run, end) ? run->end : until;
    const int64_t wall =
        end - run->start - (RUN_HAS(run, suspended_us) ? run->suspended_us : 0);
    return wall > 0 ? wall : 0;
}

int price_of(const struct rate_list *rates, const struct run *run, int64_t until,
             const struct zone *zone, struct str unit, struct price *out, struct error *err)
{
    return price_of_kept(rates, NULL, run, until, zone, unit, out, err);
}

int price_of_kept(const struct rate_list *rates, const struct rate *kept, const struct run *run,
                  int64_t until, const struct zone *zone, struct str unit, struct price *out,
                  struct error *err)
{
    *out = (struct price){.outcome = PRICE_FREE};
    if (!RUN_HAS(run, start)) {
        out->why = "it never started";
        return 0;
    }
    out->wall_us = wall_of(run, until);
    out->rate = find_rate(rates, kept, run, zone, unit);
    if (!out->rate) {
        out->outcome = PRICE_UNKNOWN;
        out->why = "no rate fits it";
        return 0;
    }
    out->why = why_free(out->rate, run, out->wall_us);
    if (out->why) {
        return 0;
    }
    out->why = why_unknown(out->rate, run);
    if (out->why) {
        out->outcome = PRICE_UNKNOWN;
        return 0;
    }
    out->outcome = PRICE_CHARGED;
    return add_lines(run, out, err);
}
