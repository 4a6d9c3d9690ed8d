/* SPDX-License-Identifier: MIT */
#include "service/questions/hog_messages.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/calendar.h"
#include "facts/reported.h"

enum { EVIDENCE_MAX = 5, KEY_MAX = 32 };

int hog_messages_open(struct hog_messages *messages, struct error *err)
{
    return reported_all(messages->facts, &messages->reported, err);
}

void hog_messages_close(struct hog_messages *messages)
{
    table_release(&messages->reported);
}

static struct str cell(const struct table *table, size_t column, size_t row)
{
    return table->columns[column].cells[row].text;
}

static bool was_reported(const struct hog_messages *messages, const char *rule, struct str user,
                         struct str what)
{
    const struct table *reported = &messages->reported;
    for (size_t row = 0; row < reported->row_count; row++) {
        if (str_eq(cell(reported, 2, row), what) && str_eq(cell(reported, 1, row), user) &&
            str_eq(cell(reported, 0, row), str_of(rule))) {
            return true;
        }
    }
    return false;
}

/* What a case is of: a run, or of rules that count many of them or processes, the month. */
static struct str key_of(const struct hog_messages *messages, const struct hog_site_rule *site,
                         const struct hog_item *item, char text[KEY_MAX])
{
    if (site->rule.where == HOG_IN_RUNS && site->rule.by == HOG_BY_SHARE) {
        return item->what;
    }
    const struct civil day =
        zone_civil(messages->service->zone, messages->period.to - SECOND_US);
    (void)snprintf(text, KEY_MAX, "%04d-%02d", day.year, day.month);
    return str_of(text);
}

static void say_when(struct buf *out, const struct zone *zone, int64_t instant)
{
    const struct civil civil = zone_civil(zone, instant);
    buf_addf(out, "%04d-%02d-%02d %02d:%02d", civil.year, civil.month, civil.day, civil.hour,
             civil.minute);
}

static void say_item(struct buf *out, const struct zone *zone, const struct hog_rule *rule,
                     const struct hog_item *item)
{
    buf_addf(out, "  %.*s", STR_ARG(item->what));
    if (item->start > 0) {
        buf_addz(out, ", started ");
        say_when(out, zone, item->start);
    }
    if (item->share >= 0 && rule->by == HOG_BY_SHARE) {
        buf_addf(out, ", used %.1f %%", 100 * item->share);
    }
    if (rule->unit != HOG_RUNS) {
        buf_addz(out, ", ");
        hog_site_amount(out, rule, item->lost);
    }
    buf_addc(out, '\n');
}

static void say_head(struct hog_messages *messages, const struct hog_site_rule *site,
                     const struct hog_case *one, size_t fresh)
{
    struct buf *out = messages->out;
    const struct zone *zone = messages->service->zone;
    const char *things = site->rule.where == HOG_IN_RUNS ? "runs" : "processes";
    buf_addf(out, "To: %.*s\nSubject: your %s and the rule %s\n\n", STR_ARG(one->user), things,
             site->rule.name);
    buf_addz(out, "From ");
    say_when(out, zone, messages->period.from);
    buf_addz(out, " to ");
    say_when(out, zone, messages->period.to);
    buf_addf(out, ", %" PRId64 " of your %s came under the rule %s:\n  ", one->runs, things,
             site->rule.name);
    hog_site_define(out, &site->rule);
    buf_addf(out, ".\n\n%s:\n",
             fresh > EVIDENCE_MAX ? "The largest that were not reported before"
                                  : "Not reported before");
}

static void say_end(struct buf *out, const struct hog_site_rule *site,
                    const struct hog_case *one, struct str example)
{
    buf_addz(out, "In all ");
    hog_site_amount(out, &site->rule, one->lost);
    buf_addf(out, ".\n\n%s\n", site->rule.remedy);
    if (site->rule.where == HOG_IN_RUNS) {
        buf_addf(out, "See for yourself: stint job %.*s\n", STR_ARG(example));
    }
    buf_addz(out, "\n");
}

int hog_messages_add(struct hog_messages *messages, const struct hog_site_rule *site,
                     const struct hog_case *one, struct error *err)
{
    char text[KEY_MAX];
    const struct hog_item *shown[EVIDENCE_MAX];
    size_t fresh = 0;
    int failed = 0;
    struct str last = {0};
    for (size_t i = 0; i < one->item_count && !failed; i++) {
        const struct str key = key_of(messages, site, &one->items[i], text);
        if (was_reported(messages, site->rule.name, one->user, key)) {
            continue;
        }
        if (fresh < EVIDENCE_MAX) {
            shown[fresh] = &one->items[i];
        }
        if (messages->apply && !(last.ptr && str_eq(last, key))) {
            failed = reported_put(messages->facts, messages->service->now(),
                                  str_of(site->rule.name), one->user, key, err);
        }
        last = key;
        fresh++;
    }
    if (fresh == 0 || failed) {
        return failed;
    }
    say_head(messages, site, one, fresh);
    for (size_t i = 0; i < fresh && i < EVIDENCE_MAX; i++) {
        say_item(messages->out, messages->service->zone, &site->rule, shown[i]);
    }
    say_end(messages->out, site, one, shown[0]->what);
    messages->count++;
    return 0;
}
