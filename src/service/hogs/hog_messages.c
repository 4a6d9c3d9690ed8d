/* SPDX-License-Identifier: MIT */
#include "service/hogs/hog_messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "books/message_log.h"
#include "facts/old_messages.h"
#include "message/message.h"

enum { EVIDENCE_MAX = 5, KEY_MAX = 1024, TEXT_FILE_MAX = 64 << 10 };

/*
 * What earlier versions kept in the facts is copied into the books, from where nothing is lost.
 */
static int keep_earlier(struct hog_messages *messages, struct error *err)
{
    struct table earlier = {0};
    int failed = reported_of_facts(messages->facts, &earlier, err);
    failed = failed ? failed : books_begin(messages->books, err);
    for (size_t row = 0; !failed && row < earlier.row_count; row++) {
        const struct logged_message one = {
            earlier.columns[0].cells[row].text, earlier.columns[1].cells[row].text,
            earlier.columns[2].cells[row].text, earlier.columns[3].cells[row].integer};
        failed = logged_message_put(messages->books, &one, err);
    }
    failed = failed ? failed : books_commit(messages->books, err);
    books_rollback(messages->books);
    table_release(&earlier);
    return failed;
}

int hog_messages_open(struct hog_messages *messages, struct error *err)
{
    const struct config *config = messages->service->config;
    messages->sends = messages->apply && message_is_configured(config);
    int failed = messages->sends ? message_check(config, err) : 0;
    failed = failed
                 ? failed
                 : service_books(messages->service, messages->apply ? BOOKS_WRITE : BOOKS_READ,
                                 &messages->books, err);
    if (failed) {
        return failed;
    }
    failed = messages->apply ? keep_earlier(messages, err)
                             : reported_of_facts(messages->facts, &messages->earlier, err);
    return failed || !messages->sends ? failed
                                      : books_people(messages->books, &messages->people, err);
}

void hog_messages_close(struct hog_messages *messages)
{
    table_release(&messages->earlier);
    people_list_release(&messages->people);
}

static struct str cell(const struct table *table, size_t column, size_t row)
{
    return table->columns[column].cells[row].text;
}

/*
 * Whether the facts of an earlier version have it: looked at where nothing is sent, and so
 * nothing was copied.
 */
static bool is_among_earlier(const struct hog_messages *messages,
                             const struct logged_message *one)
{
    const struct table *earlier = &messages->earlier;
    for (size_t row = 0; row < earlier->row_count; row++) {
        if (str_eq(cell(earlier, 2, row), one->what) &&
            str_eq(cell(earlier, 1, row), one->user) &&
            str_eq(cell(earlier, 0, row), one->rule)) {
            return true;
        }
    }
    return false;
}

/* `whole` is what it is of without the cluster, as earlier versions kept it. */
static int was_reported(const struct hog_messages *messages, const struct logged_message *one,
                        struct str whole, bool *out, struct error *err)
{
    struct logged_message before = *one;
    int failed = logged_message_is_there(messages->books, one, out, err);
    before.what = whole;
    if (!failed && !*out) {
        failed = logged_message_is_there(messages->books, &before, out, err);
    }
    *out = *out || is_among_earlier(messages, &before);
    return failed;
}

static bool is_of_one_run(const struct hog_rule *rule)
{
    return rule->where == HOG_IN_RUNS && rule->by == HOG_BY_SHARE;
}

/* What a case is of: a run, or of rules that count many of them or processes, the month. */
static struct str whole_of(const struct hog_messages *messages,
                           const struct hog_site_rule *site, const struct hog_item *item,
                           char text[KEY_MAX])
{
    if (is_of_one_run(&site->rule)) {
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
    if (item->cluster.len > 0) {
        buf_addf(out, " on %.*s", STR_ARG(item->cluster));
    }
    if (item->share >= 0 && hog_site_has_share(rule)) {
        buf_addf(out, ", used %.1f %%", 100 * item->share);
    }
    if (rule->unit != HOG_RUNS) {
        buf_addz(out, ", ");
        hog_site_amount(out, rule, item->lost);
    }
    buf_addc(out, '\n');
}

/* For a command line: a number alone may be that of a run of another cluster. */
static void say_example(struct buf *out, const struct hog_item *item)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    bool plain = item->cluster.len > 0 && item->cluster.ptr[0] != '-';
    for (size_t i = 0; i < item->cluster.len; i++) {
        plain = plain && memchr(letters, item->cluster.ptr[i], sizeof(letters) - 1);
    }
    buf_add(out, item->what);
    if (plain) {
        buf_addf(out, " -M %.*s", STR_ARG(item->cluster));
    }
}

static void say_subject(struct buf *out, const struct hog_site_rule *site)
{
    buf_addf(out, "your %s and the rule %s",
             site->rule.where == HOG_IN_RUNS ? "runs" : "processes", site->rule.name);
}

/* What a message is made of. */
struct letter {
    struct hog_messages *messages;
    const struct hog_site_rule *site;
    const struct hog_case *one;
    const struct hog_item *const *shown; /* up to EVIDENCE_MAX */
    size_t fresh;                        /* of the items, that were not reported before */
};

static void say_list(struct buf *out, const struct letter *letter)
{
    for (size_t i = 0; i < letter->fresh && i < EVIDENCE_MAX; i++) {
        say_item(out, letter->messages->service->zone, &letter->site->rule, letter->shown[i]);
    }
}

static void say_own_text(struct buf *out, const struct letter *letter)
{
    const struct hog_rule *rule = &letter->site->rule;
    const struct zone *zone = letter->messages->service->zone;
    const bool of_runs = rule->where == HOG_IN_RUNS;
    buf_addz(out, "From ");
    say_when(out, zone, letter->messages->period.from);
    buf_addz(out, " to ");
    say_when(out, zone, letter->messages->period.to);
    buf_addf(out, ", %" PRId64 " of your %s came under the rule %s:\n  ", letter->one->runs,
             of_runs ? "runs" : "processes", rule->name);
    hog_site_define(out, rule);
    buf_addf(out, ".\n\n%s:\n",
             letter->fresh > EVIDENCE_MAX ? "The largest that were not reported before"
                                          : "Not reported before");
    say_list(out, letter);
    buf_addz(out, "In all ");
    hog_site_amount(out, rule, letter->one->lost);
    buf_addf(out, ".\n\n%s\n", rule->remedy);
    if (of_runs) {
        buf_addz(out, "See for yourself: stint job ");
        say_example(out, letter->shown[0]);
        buf_addc(out, '\n');
    }
    buf_addz(out, "\n");
}

/* --- texts of the site -------------------------------------------------------------------- */

static void put_user(struct buf *out, const struct letter *letter)
{
    buf_add(out, letter->one->user);
}

static void put_rule(struct buf *out, const struct letter *letter)
{
    buf_addz(out, letter->site->rule.name);
}

static void put_definition(struct buf *out, const struct letter *letter)
{
    hog_site_define(out, &letter->site->rule);
}

static void put_runs(struct buf *out, const struct letter *letter)
{
    buf_addf(out, "%" PRId64, letter->one->runs);
}

static void put_lost(struct buf *out, const struct letter *letter)
{
    hog_site_amount(out, &letter->site->rule, letter->one->lost);
}

static void put_remedy(struct buf *out, const struct letter *letter)
{
    buf_addz(out, letter->site->rule.remedy);
}

static void put_from(struct buf *out, const struct letter *letter)
{
    say_when(out, letter->messages->service->zone, letter->messages->period.from);
}

static void put_to(struct buf *out, const struct letter *letter)
{
    say_when(out, letter->messages->service->zone, letter->messages->period.to);
}

static void put_example(struct buf *out, const struct letter *letter)
{
    if (letter->site->rule.where == HOG_IN_RUNS) {
        say_example(out, letter->shown[0]);
    } else {
        buf_add(out, letter->shown[0]->what);
    }
}

static const struct {
    const char *name;
    void (*put)(struct buf *out, const struct letter *letter);
} places[] = {
    {"user", put_user},       {"rule", put_rule}, {"definition", put_definition},
    {"runs", put_runs},       {"lost", put_lost}, {"list", say_list},
    {"remedy", put_remedy},   {"from", put_from}, {"to", put_to},
    {"example", put_example},
};

static int put_place(struct buf *out, const struct letter *letter, struct str name,
                     struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        if (str_eq(name, str_of(places[i].name))) {
            places[i].put(out, letter);
            return 0;
        }
    }
    return error_set(
        err, ERROR_USAGE,
        "'%.*s' has {%.*s}, which is not replaced by anything: see text of [hog RULE] "
        "in stint config --help",
        STR_ARG(letter->site->text), STR_ARG(name));
}

/* The length of a name in braces that `text` begins with, braces included; 0: it is not one. */
static size_t place_length(struct str text)
{
    size_t length = 1;
    while (length < text.len && text.ptr[length] >= 'a' && text.ptr[length] <= 'z') {
        length++;
    }
    return length > 1 && length < text.len && text.ptr[0] == '{' && text.ptr[length] == '}'
               ? length + 1
               : 0;
}

static int say_text_of_site(struct buf *out, const struct letter *letter, struct error *err)
{
    struct buf text;
    buf_init(&text, TEXT_FILE_MAX);
    int failed = file_read(letter->site->text.ptr, &text, err);
    struct str rest = failed ? (struct str){0} : buf_str(&text);
    while (rest.len > 0 && !failed) {
        const size_t length = place_length(rest);
        if (length > 0) {
            failed = put_place(out, letter, (struct str){rest.ptr + 1, length - 2}, err);
        } else {
            buf_addc(out, rest.ptr[0]);
        }
        const size_t taken = length > 0 ? length : 1;
        rest = (struct str){rest.ptr + taken, rest.len - taken};
    }
    buf_release(&text);
    return failed;
}

/* --- sending ------------------------------------------------------------------------------ */

/* The address of the person behind the login, or of the staff; the null string: none. */
static struct str address_of(const struct hog_messages *messages, const struct hog_case *one)
{
    const struct people_login *found = people_find(&messages->people, one->cluster, one->user);
    return found && found->email.len > 0 ? found->email
                                         : message_staff(messages->service->config);
}

static int send(const struct hog_messages *messages, const struct hog_site_rule *site,
                struct str to, struct str body, struct error *err)
{
    struct buf subject;
    buf_init(&subject, LIMIT_TEXT_FIELD);
    say_subject(&subject, site);
    const struct message message = {to, buf_str(&subject), body};
    int failed = message_send(messages->service->config, &message, messages->service->now(),
                              messages->service->stop, err);
    buf_release(&subject);
    return failed;
}

/* --- cases -------------------------------------------------------------------------------- */

/* What of a case was not reported before. */
struct news {
    const struct hog_item **items;
    struct logged_message *keys; /* one for each month or run */
    size_t count, key_count;
    struct arena arena;
};

static int find_news(const struct hog_messages *messages, const struct hog_site_rule *site,
                     const struct hog_case *one, struct news *out, struct error *err)
{
    char text[KEY_MAX], month[KEY_MAX];
    int failed = 0;
    *out = (struct news){.items = mem_alloc(one->item_count + 1, sizeof(*out->items)),
                         .keys = mem_alloc(one->item_count + 1, sizeof(*out->keys))};
    for (size_t i = 0; i < one->item_count && !failed; i++) {
        const struct str whole = whole_of(messages, site, &one->items[i], month);
        (void)snprintf(text, sizeof(text), "%.*s on %.*s", STR_ARG(whole),
                       STR_ARG(one->cluster));
        const struct str what = str_of(text);
        const struct logged_message key = {str_of(site->rule.name), one->user, what,
                                           messages->service->now()};
        const struct logged_message *last =
            out->key_count ? &out->keys[out->key_count - 1] : NULL;
        bool known = false;
        failed = was_reported(messages, &key, whole, &known, err);
        if (failed || known) {
            continue;
        }
        out->items[out->count++] = &one->items[i];
        if (!last || !str_eq(last->what, what)) {
            out->keys[out->key_count] = key;
            out->keys[out->key_count++].what = arena_copy(&out->arena, what);
        }
    }
    return failed;
}

static void news_release(struct news *news)
{
    free(news->items);
    free(news->keys);
    arena_release(&news->arena);
}

/* The text of the message, after what was written before; *body: without its head. */
static int write_message(struct hog_messages *messages, const struct hog_site_rule *site,
                         const struct hog_case *one, const struct news *news, struct str *body,
                         struct error *err)
{
    const struct letter letter = {messages, site, one, news->items, news->count};
    int failed = 0;
    buf_addf(messages->out, "To: %.*s\nSubject: ", STR_ARG(one->user));
    say_subject(messages->out, site);
    buf_addz(messages->out, "\n\n");
    const size_t begin = messages->out->len;
    if (site->text.ptr) {
        failed = say_text_of_site(messages->out, &letter, err);
    } else {
        say_own_text(messages->out, &letter);
    }
    *body = (struct str){messages->out->ptr + begin, messages->out->len - begin};
    return failed;
}

/*
 * After it was sent: a message takes as long as a mail server does, and nobody waits for the
 * books meanwhile.
 */
static int record(struct hog_messages *messages, const struct news *news, struct error *err)
{
    int failed = books_begin(messages->books, err);
    for (size_t i = 0; !failed && i < news->key_count; i++) {
        failed = logged_message_put(messages->books, &news->keys[i], err);
    }
    failed = failed ? failed : books_commit(messages->books, err);
    books_rollback(messages->books);
    return failed;
}

static void leave_unsent(struct hog_messages *messages, const struct hog_site_rule *site,
                         const struct hog_case *one)
{
    messages->unsent++;
    buf_addf(messages->out,
             "Not sent: the rule %s and %.*s, who has no address (stint people), and there is "
             "no staff of [mail]\n\n",
             site->rule.name, STR_ARG(one->user));
}

int hog_messages_add(struct hog_messages *messages, const struct hog_site_rule *site,
                     const struct hog_case *one, struct error *err)
{
    const struct str to = messages->sends ? address_of(messages, one) : STR("");
    struct news news;
    int failed = find_news(messages, site, one, &news, err);
    if (failed || news.count == 0) {
        goto out;
    }
    if (!to.ptr) {
        leave_unsent(messages, site, one);
        goto out;
    }
    struct str body;
    failed = write_message(messages, site, one, &news, &body, err);
    messages->count += !failed;
    failed = failed || !messages->sends ? failed : send(messages, site, to, body, err);
    if (!failed && messages->apply) {
        failed = record(messages, &news, err);
    }
out:
    news_release(&news);
    return failed;
}
