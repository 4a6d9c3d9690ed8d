/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include "bank/amount.h"
#include "base/limit.h"
#include "base/lockfile.h"
#include "base/mem.h"
#include "message/message.h"
#include "service/bank/bank_notices.h"

/* Used where the site has no notices.txt of its own: docs/bank.md describes the names. */
static const char built_in[] = "Subject: Service units: {{subject}}\n"
                               "\n"
                               "{{notices}}\n"
                               "What there is and who used it:\n"
                               "  stint balance\n"
                               "  stint bank statement {{account}}\n";

/* One message on its way. */
struct digest {
    struct bank *bank;
    struct str to;
    struct notice **rows; /* what it has */
    size_t count;
    struct buf lines, subject, body;
    struct arena arena;
};

static void add_day(struct buf *out, const struct bank *bank, int64_t instant)
{
    const struct civil civil = zone_civil(bank->zone, instant);
    buf_addf(out, "%04d-%02d-%02d", civil.year, civil.month, civil.day);
}

/* "chem: 90 % of 100 SU are used (92.5 SU), 7.5 SU are left until 2025-06-30" */
static void add_line(struct digest *digest, const struct notice *notice)
{
    const struct bank *bank = digest->bank;
    const struct ledger_allotment *allotment = notice->allotment;
    struct buf *out = &digest->lines;
    const struct str size =
        amount_print(&digest->arena, allotment->granted - allotment->carried);
    const struct str used =
        amount_print(&digest->arena, allotment->charged - allotment->refunded);
    const struct str left = amount_print(&digest->arena, allotment->balance);
    buf_addf(out, "%.*s: ", STR_ARG(notice->account->name));
    if (str_ends(str_of(notice->what), STR("%"))) {
        buf_addf(out, "%s of %.*s SU are used (%.*s SU), %.*s SU are left", notice->what,
                 STR_ARG(size), STR_ARG(used), STR_ARG(left));
        if (allotment->to < INSTANT_MAX) {
            buf_addz(out, " until ");
            add_day(out, bank, allotment->to - 1);
        }
    } else {
        const int64_t days = bank_day(bank, allotment->to) - bank_day(bank, bank->now);
        buf_addf(out, "the allotment of %.*s SU ends in %" PRId64 " days, its last day is ",
                 STR_ARG(size), days);
        add_day(out, bank, allotment->to - 1);
        buf_addf(out, "; %.*s SU of it are left", STR_ARG(left));
    }
    buf_addc(out, '\n');
}

static int compose(struct digest *digest)
{
    struct bank *bank = digest->bank;
    struct buf subject;
    buf_init(&subject, LIMIT_BOOKS_NAME + NOTICE_WHAT_MAX + 32);
    const struct notice *first = digest->rows[0];
    buf_addf(&subject, "%.*s: %s", STR_ARG(first->account->name), first->what);
    if (digest->count > 1) {
        buf_addf(&subject, ", and %zu more", digest->count - 1);
    }
    for (size_t i = 0; i < digest->count; i++) {
        add_line(digest, digest->rows[i]);
    }
    const struct message_value values[] = {
        {"subject", buf_str(&subject)},
        {"notices", buf_str(&digest->lines)},
        {"account", first->account->name},
        {"to", digest->to},
    };
    const int failed =
        message_fill(bank->service->config, "notices", STR(built_in), values, COUNT_OF(values),
                     &digest->subject, &digest->body, bank->err);
    buf_release(&subject);
    return failed;
}

/* All that was in a message, as sent to its address. */
static int record(const struct digest *digest)
{
    const struct bank *bank = digest->bank;
    int failed = books_begin(bank->books, bank->err);
    for (size_t i = 0; !failed && i < digest->count; i++) {
        failed = ledger_message_add(bank->books, digest->to, digest->rows[i]->allotment->id,
                                    digest->rows[i]->what, bank->now, bank->err);
        digest->rows[i]->got++;
    }
    failed = failed ? failed : books_commit(bank->books, bank->err);
    books_rollback(bank->books);
    return failed;
}

static int send(struct digest *digest)
{
    struct bank *bank = digest->bank;
    int failed = compose(digest);
    const struct message message = {digest->to, buf_str(&digest->subject),
                                    buf_str(&digest->body)};
    (void)(failed ||
           (failed = message_send(bank->service->config, &message, bank->now,
                                  bank->service->stop, bank->err)) ||
           (failed = record(digest)));
    return failed;
}

static bool is_for(const struct notice *notice, struct str to)
{
    for (size_t i = 0; i < notice->to.count; i++) {
        if (str_eq(notice->to.rows[i], to)) {
            return true;
        }
    }
    return false;
}

/* What is for this address and was not sent to it. */
static int gather(struct digest *digest, struct notices *notices)
{
    const struct bank *bank = digest->bank;
    int failed = 0;
    for (size_t i = 0; !failed && i < notices->count; i++) {
        struct notice *notice = &notices->rows[i];
        bool sent = false;
        if (notice->covered || !is_for(notice, digest->to)) {
            continue;
        }
        failed = ledger_message_sent(bank->books, digest->to, notice->allotment->id,
                                     notice->what, &sent, bank->err);
        if (sent) {
            notice->got++;
        } else {
            digest->rows[digest->count++] = notice;
        }
    }
    return failed;
}

/* What happened to the messages. */
struct outcome {
    size_t sent, later;
};

static int send_to(struct bank *bank, struct notices *notices, struct str to,
                   struct outcome *outcome)
{
    struct digest digest = {.bank = bank, .to = to};
    int64_t last = INT64_MIN;
    digest.rows = mem_alloc(notices->count, sizeof(struct notice *));
    buf_init(&digest.lines, MESSAGE_MAX);
    buf_init(&digest.subject, LIMIT_TEXT_FIELD);
    buf_init(&digest.body, MESSAGE_MAX);
    int failed;
    (void)((failed = gather(&digest, notices)) ||
           (failed = ledger_message_last(bank->books, to, &last, bank->err)));
    const bool today = last > INT64_MIN && bank_day(bank, last) == bank_day(bank, bank->now);
    if (!failed && digest.count > 0 && today) {
        outcome->later++;
    } else if (!failed && digest.count > 0) {
        failed = send(&digest);
        outcome->sent += !failed;
    }
    buf_release(&digest.lines);
    buf_release(&digest.subject);
    buf_release(&digest.body);
    arena_release(&digest.arena);
    free(digest.rows);
    return failed;
}

/* Everybody once, in the order of the notices. */
static int send_all(struct bank *bank, struct notices *notices, struct outcome *outcome)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < notices->count; i++) {
        const struct notice *notice = &notices->rows[i];
        for (size_t k = 0; !failed && k < notice->to.count; k++) {
            bool before = false;
            for (size_t j = 0; j < i; j++) {
                before = before || is_for(&notices->rows[j], notice->to.rows[k]);
            }
            failed = before ? 0 : send_to(bank, notices, notice->to.rows[k], outcome);
        }
    }
    return failed;
}

static bool is_same_sort(const struct notice *a, const struct notice *b)
{
    return a->allotment == b->allotment &&
           str_ends(str_of(a->what), STR("%")) == str_ends(str_of(b->what), STR("%"));
}

/* How long it is known who got a message, beyond the day that it was sent on. */
#define KEPT_US (7 * DAY_US)

/* Notices that everybody has, and the weaker ones that went with them. */
static int record_finished(const struct bank *bank, const struct notices *notices)
{
    int failed = books_begin(bank->books, bank->err);
    bool finished = true; /* of the notice that covers the rows after it */
    for (size_t i = 0; !failed && i < notices->count; i++) {
        const struct notice *notice = &notices->rows[i];
        if (!notice->covered) {
            finished = notice->to.count > 0 && notice->got == notice->to.count;
        } else if (i == 0 || !is_same_sort(notice, &notices->rows[i - 1])) {
            finished = true; /* a stronger one was sent before */
        }
        if (finished) {
            failed = ledger_tell(bank->books, notice->allotment->id, notice->what, bank->now,
                                 bank->err);
        }
    }
    (void)(failed ||
           (failed = ledger_messages_prune(bank->books, bank->now - KEPT_US, bank->now,
                                           bank->err)) ||
           (failed = books_commit(bank->books, bank->err)));
    books_rollback(bank->books);
    return failed;
}

static void report_sent(const struct bank *bank, const struct notices *notices,
                        const struct outcome *outcome)
{
    if (notices->count > 0) {
        answer_note(bank->answer, NOTE_RESULT, "%zu messages were sent", outcome->sent);
    }
    if (outcome->later > 0) {
        answer_note(bank->answer, NOTE_RESULT,
                    "%zu addresses got a message today: the rest is sent tomorrow or later",
                    outcome->later);
    }
    for (size_t i = 0; i < notices->count; i++) {
        const struct notice *notice = &notices->rows[i];
        if (!notice->covered && notice->to.count == 0) {
            answer_note(
                bank->answer, NOTE_WARNING,
                "nobody of account '%.*s' has an address: add one with stint people, or "
                "'staff' to [mail] in stint.conf",
                STR_ARG(notice->account->name));
        }
    }
}

int bank_notices_send(struct bank *bank, struct notices *notices)
{
    struct outcome outcome = {0};
    struct lockfile lock = LOCKFILE_NONE;
    int failed = lockfile_take(bank->service->store, "notices", "'stint bank notices --apply'",
                               &lock, bank->err);
    if (failed) {
        return failed;
    }
    struct error why = {0};
    const int stopped = send_all(bank, notices, &outcome);
    why = *bank->err;
    failed = record_finished(bank, notices);
    lockfile_release(&lock);
    report_sent(bank, notices, &outcome);
    return stopped ? error_set(bank->err, why.kind,
                               "%zu messages were sent, then one could not be: %s; what was "
                               "not sent is sent by the next call",
                               outcome.sent, why.text)
                   : failed;
}
