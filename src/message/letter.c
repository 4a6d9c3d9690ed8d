/* SPDX-License-Identifier: MIT */
#include "message/letter.h"

#include "base/base64.h"
#include "base/zone.h"

enum {
    ADDRESS_MAX = 254, /* of RFC 5321 */
    SUBJECT_MAX = 512,
    WORD_MAX = 45,  /* bytes of text in an encoded word of at most 75 characters */
    LINE_MAX = 900, /* bytes of a line that is sent as it is: 998 are allowed */
    BASE64_LINE = 57
};

/* Whether it is one plain address, name@host, and nothing that could be more than that. */
static bool is_address(struct str text)
{
    const char *at = str_byte(text, '@');
    bool plain = at && at > text.ptr && at + 1 < text.ptr + text.len &&
                 text.len <= ADDRESS_MAX && text.ptr[0] != '-';
    for (size_t i = 0; plain && i < text.len; i++) {
        const char c = text.ptr[i];
        plain = c > ' ' && c < 127 && !strchr("<>()[],;:\\\"", c) &&
                (c != '@' || &text.ptr[i] == at);
    }
    return plain;
}

static bool is_plain(struct str text)
{
    size_t line = 0;
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        line = c == '\n' ? 0 : line + 1;
        if (c > 126 || (c < ' ' && c != '\n' && c != '\t') || line > LINE_MAX) {
            return false;
        }
    }
    return true;
}

/* How many bytes of the text one encoded word takes: whole characters only. */
static size_t word_length(struct str text)
{
    size_t length = text.len < WORD_MAX ? text.len : WORD_MAX;
    while (length > 1 && length < text.len &&
           ((unsigned char)text.ptr[length] & 0xC0) == 0x80) {
        length--;
    }
    return length;
}

static void add_subject(struct buf *out, struct str text, const char *end)
{
    buf_addz(out, "Subject: ");
    if (is_plain(text)) {
        buf_addf(out, "%.*s%s", STR_ARG(text), end);
        return;
    }
    while (text.len > 0) {
        const size_t length = word_length(text);
        buf_addz(out, "=?UTF-8?B?");
        base64_add(out, (struct str){text.ptr, length});
        text.ptr += length;
        text.len -= length;
        buf_addf(out, "?=%s%s", end, text.len > 0 ? " " : "");
    }
}

static void add_date(struct buf *out, int64_t now, const char *end)
{
    static const char *const weekdays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const int64_t day = now / DAY_US;
    const int second = (int)(now / SECOND_US % 86400);
    const struct civil civil = civil_of_days(day);
    buf_addf(out, "Date: %s, %d %s %04d %02d:%02d:%02d +0000%s", weekdays[civil_weekday(civil)],
             civil.day, months[civil.month - 1], civil.year, second / 3600, second / 60 % 60,
             second % 60, end);
}

static void add_encoded(struct buf *out, struct str text, const char *end)
{
    while (text.len > 0) {
        const size_t length = text.len < BASE64_LINE ? text.len : BASE64_LINE;
        base64_add(out, (struct str){text.ptr, length});
        buf_addz(out, end);
        text.ptr += length;
        text.len -= length;
    }
}

static void add_lines(struct buf *out, struct str text, const char *end)
{
    while (text.len > 0) {
        buf_add(out, str_cut(&text, '\n'));
        buf_addz(out, end);
    }
}

static int check(const struct message *message, struct str from, struct error *err)
{
    const struct str subject = message->subject;
    if (!is_address(message->to)) {
        return error_set(err, ERROR_INPUT, "'%.*s' is not a mail address",
                         STR_ARG(message->to));
    }
    if (!is_address(from)) {
        return error_set(err, ERROR_INPUT, "'from' of [mail], '%.*s', is not a mail address",
                         STR_ARG(from));
    }
    for (size_t i = 0; i < subject.len; i++) {
        if ((unsigned char)subject.ptr[i] < ' ' || subject.ptr[i] == 127) {
            return error_set(err, ERROR_INPUT,
                             "the subject of a message has a control character");
        }
    }
    return subject.len <= SUBJECT_MAX && str_is_utf8(subject) && str_is_utf8(message->body)
               ? 0
               : error_set(err, ERROR_INPUT,
                           "a message's subject has at most %d bytes, and its text is UTF-8",
                           SUBJECT_MAX);
}

int letter_write(const struct message *message, struct str from, int64_t now, const char *end,
                 struct buf *out, struct error *err)
{
    const bool plain = is_plain(message->body);
    int failed = check(message, from, err);
    if (failed) {
        return failed;
    }
    buf_addf(out, "From: %.*s%sTo: %.*s%s", STR_ARG(from), end, STR_ARG(message->to), end);
    add_subject(out, message->subject, end);
    add_date(out, now, end);
    /* so that absence notes and the like are not sent in reply */
    buf_addf(out, "Auto-Submitted: auto-generated%sMIME-Version: 1.0%s", end, end);
    buf_addf(out, "Content-Type: text/plain; charset=utf-8%s", end);
    buf_addf(out, "Content-Transfer-Encoding: %s%s%s", plain ? "7bit" : "base64", end, end);
    (plain ? add_lines : add_encoded)(out, message->body, end);
    return out->overflow ? error_set(err, ERROR_LIMIT, "a message is too long") : 0;
}
