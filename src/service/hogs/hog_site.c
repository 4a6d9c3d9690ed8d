/* SPDX-License-Identifier: MIT */
#include "service/hogs/hog_site.h"

#include <math.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/hostlist.h"
#include "service/core/params.h"

#define GIB (1024.0 * 1024 * 1024)

/* In what is lost: microseconds, bytes x microseconds, runs, processes. */
static const struct {
    const char *name;
    double by;
} units[] = {
    [HOG_CPU_HOURS] = {"CPU h", 3600e6},       [HOG_GPU_HOURS] = {"GPU h", 3600e6},
    [HOG_GIB_HOURS] = {"GiB h", 3600e6 * GIB}, [HOG_RUNS] = {"runs", 1},
    [HOG_PROCESSES] = {"processes", 1},
};

static const char *rule_name_at(size_t index)
{
    return index < hog_rule_count ? hog_rules[index].name : NULL;
}

bool hog_site_has_share(const struct hog_rule *rule)
{
    return rule->by == HOG_BY_SHARE || rule->by == HOG_BY_MEAN;
}

static void read_numbers(const struct config_section *section, struct hog_site_rule *out)
{
    const struct config_key *keys = config_hog_keys;
    const int64_t threshold = config_number(section, &keys[CONFIG_HOG_THRESHOLD], -1);
    const int64_t time = config_number(section, &keys[CONFIG_HOG_TIME], -1);
    const int64_t sum = config_number(section, &keys[CONFIG_HOG_SUM], -1);
    const bool may_hold = !out->rule.named_only ||
                          config_text(section, &keys[CONFIG_HOG_PARTITIONS]).ptr ||
                          config_text(section, &keys[CONFIG_HOG_NODES]).ptr;
    out->enabled = config_number(section, &keys[CONFIG_HOG_ENABLED], 1) != 0 && may_hold;
    out->busy = (double)config_number(section, &keys[CONFIG_HOG_BUSY], 0) / 100;
    out->exempt = config_text(section, &keys[CONFIG_HOG_EXEMPT]);
    out->partitions = config_text(section, &keys[CONFIG_HOG_PARTITIONS]);
    out->nodes = config_text(section, &keys[CONFIG_HOG_NODES]);
    out->qos = config_text(section, &keys[CONFIG_HOG_QOS]);
    out->text = config_text(section, &keys[CONFIG_HOG_TEXT]);
    if (threshold >= 0) {
        out->rule.threshold =
            hog_site_has_share(&out->rule) ? (double)threshold / 100 : (double)threshold;
    }
    if (time >= 0) {
        out->rule.least_us = (double)time;
    }
    if (sum >= 0) {
        out->rule.least_sum = (double)sum;
    }
}

/* A section whose name is no rule's is one of the site's own, and says which it is like. */
static int add_own(const struct config_section *section, struct hog_site *out,
                   struct error *err)
{
    const struct str like = config_text(section, &config_hog_keys[CONFIG_HOG_LIKE]);
    size_t at = 0;
    int failed = params_find("rule", like.ptr ? like : section->name, rule_name_at,
                             "see them with: stint hogs --rules; one of the site's own has "
                             "'like = RULE'",
                             &at, err);
    if (!failed && out->count == HOG_SITE_MAX) {
        failed = error_set(err, ERROR_LIMIT, "there are more than %d rules", HOG_SITE_MAX);
    }
    if (!failed) {
        struct hog_site_rule *added = &out->rows[out->count++];
        *added = (struct hog_site_rule){.rule = hog_rules[at]};
        added->rule.name = section->name.ptr;
        read_numbers(section, added);
    }
    return failed;
}

int hog_site_read(const struct config *config, struct hog_site *out, struct error *err)
{
    int failed = config ? config_check_plain(config, err) : 0;
    out->count = 0;
    for (size_t i = 0; i < hog_rule_count; i++) {
        struct hog_site_rule *row = &out->rows[out->count++];
        *row = (struct hog_site_rule){.rule = hog_rules[i]};
        read_numbers(config ? config_find(config, STR("hog"), str_of(hog_rules[i].name)) : NULL,
                     row);
    }
    for (size_t i = 0; config && i < config->section_count && !failed; i++) {
        const struct config_section *section = &config->sections[i];
        if (str_eq(section->kind, STR("hog")) &&
            hog_find(section->name.ptr) == hog_rule_count) {
            failed = add_own(section, out, err);
        }
    }
    return failed;
}

/* The next pattern of a list; false if there is none. */
static bool next_pattern(struct str *list, struct str *pattern)
{
    while (list->len > 0) {
        size_t length = 0;
        while (length < list->len && list->ptr[length] != ',' && list->ptr[length] != ' ') {
            length++;
        }
        *pattern = (struct str){list->ptr, length};
        length += length < list->len;
        *list = (struct str){list->ptr + length, list->len - length};
        if (pattern->len > 0) {
            return true;
        }
    }
    return false;
}

bool hog_site_lists(struct str list, struct str name)
{
    struct str pattern;
    while (next_pattern(&list, &pattern)) {
        if (str_glob(pattern, name)) {
            return true;
        }
    }
    return false;
}

/* What a list says of some names. */
struct listed {
    bool any;      /* it has patterns without ! */
    bool included; /* one of which matches a name */
    bool excluded; /* a pattern with ! matches a name */
};

static struct listed look_up(struct str list, const struct hostlist_node *names, size_t count)
{
    struct listed found = {0};
    struct str pattern;
    while (next_pattern(&list, &pattern)) {
        const bool not = pattern.ptr[0] == '!';
        const struct str plain = {pattern.ptr + not, pattern.len - not };
        found.any = found.any || !not ;
        for (size_t i = 0; i < count; i++) {
            const bool matches = str_glob(plain, names[i].name);
            found.included = found.included || (matches && !not );
            found.excluded = found.excluded || (matches && not );
        }
    }
    return found;
}

bool hog_site_holds(struct str list, struct str name)
{
    const struct hostlist_node one = {.name = name};
    const struct listed found = look_up(list, &one, 1);
    return !found.excluded && (!found.any || found.included);
}

bool hog_site_holds_on(struct str list, struct str nodes)
{
    struct arena arena = {0};
    struct hostlist names = {0};
    if (!list.ptr) {
        return true;
    }
    const bool known = nodes.len > 0 && hostlist_read(nodes, &arena, &names);
    const struct listed found = look_up(list, names.nodes, known ? names.count : 0);
    arena_release(&arena);
    return !found.excluded && (!found.any || found.included);
}

/* --- words -------------------------------------------------------------------------------- */

double hog_site_scaled(const struct hog_rule *rule, double lost)
{
    return round(lost / units[rule->unit].by * 10) / 10;
}

const char *hog_site_unit(const struct hog_rule *rule)
{
    return units[rule->unit].name;
}

void hog_site_amount(struct buf *out, const struct hog_rule *rule, double lost)
{
    buf_addf(out, units[rule->unit].by > 1 ? "%.1f %s" : "%.0f %s", hog_site_scaled(rule, lost),
             units[rule->unit].name);
}

static void say_sum(struct buf *out, const struct hog_rule *rule)
{
    buf_addf(out, "%g %s", rule->least_sum, units[rule->unit].name);
}

static void say_share(struct buf *out, const struct hog_rule *rule)
{
    if (rule->by == HOG_BY_SUM) {
        buf_addf(out, "%g %s", rule->threshold, units[rule->unit].name);
    } else {
        buf_addf(out, rule->by == HOG_BY_NUMBER ? "%.0f" : "%.0f %%",
                 rule->by == HOG_BY_NUMBER ? rule->threshold : 100 * rule->threshold);
    }
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

void hog_site_define(struct buf *out, const struct hog_rule *rule)
{
    struct str rest = str_of(rule->definition);
    while (rest.ptr) {
        buf_add(out, str_cut(&rest, '{'));
        if (rest.ptr) {
            const struct str word = str_cut(&rest, '}');
            (str_eq(word, STR("share")) ? say_share
             : str_eq(word, STR("sum")) ? say_sum
                                        : say_time)(out, rule);
        }
    }
}
