/* SPDX-License-Identifier: MIT */
#include "reach/smtp.h"

#include <inttypes.h>
#include <string.h>

#include "base/attribute.h"
#include "reach/curl.h"

enum { CONNECT_MS = 10000 };

/* What is still to be sent, and whether to continue. */
struct sending {
    struct str rest;
    const struct stop *stop;
};

static size_t give(char *data, size_t size, size_t count, void *user)
{
    struct sending *sending = user;
    const size_t room = size * count;
    const size_t length = sending->rest.len < room ? sending->rest.len : room;
    if (length > 0) {
        memcpy(data, sending->rest.ptr, length);
    }
    sending->rest.ptr += length;
    sending->rest.len -= length;
    return length;
}

static size_t drop(char *data, size_t size, size_t count, void *user)
{
    (void)data;
    (void)user;
    return size * count;
}

static int look_at_stop(void *user, int64_t down_all, int64_t down, int64_t up_all, int64_t up)
{
    const struct sending *sending = user;
    (void)down_all;
    (void)down;
    (void)up_all;
    (void)up;
    return stop_is_set(sending->stop);
}

static bool set_texts(void *handle, const struct smtp_server *server, const char *from,
                      char *why)
{
    const struct {
        enum curl_option option;
        const char *text;
    } texts[] = {
        {CURL_URL, server->address},      {CURL_MAIL_FROM, from},
        {CURL_USERNAME, server->user},    {CURL_PASSWORD, server->password},
        {CURL_CAINFO, server->authority}, {CURL_ERRORBUFFER, why},
    };

    bool set = true;
    for (size_t i = 0; set && i < COUNT_OF(texts); i++) {
        set = !texts[i].text ||
              curl.easy_setopt(handle, texts[i].option, texts[i].text) == CURL_DONE;
    }
    return set;
}

static bool set_numbers(void *handle, const struct smtp_server *server)
{
    const struct {
        enum curl_option option;
        long number;
    } numbers[] = {
        {CURL_UPLOAD, 1},
        {CURL_NOSIGNAL, 1},
        {CURL_NOPROGRESS, 0},
        {CURL_SSL_VERIFYPEER, 1},
        {CURL_SSL_VERIFYHOST, 2},
        {CURL_PROTOCOLS, CURL_SMTP_AND_SMTPS},
        {CURL_USE_SSL, server->password ? CURL_SSL_ALWAYS : CURL_SSL_TRY},
        {CURL_CONNECTTIMEOUT_MS, CONNECT_MS},
        {CURL_TIMEOUT_MS, (long)((server->timeout_us + 999) / 1000)},
    };

    bool set = true;
    for (size_t i = 0; set && i < COUNT_OF(numbers); i++) {
        set = curl.easy_setopt(handle, numbers[i].option, numbers[i].number) == CURL_DONE;
    }
    return set;
}

static bool set_functions(void *handle, struct sending *sending)
{
    return curl.easy_setopt(handle, CURL_READFUNCTION, give) == CURL_DONE &&
           curl.easy_setopt(handle, CURL_READDATA, sending) == CURL_DONE &&
           curl.easy_setopt(handle, CURL_WRITEFUNCTION, drop) == CURL_DONE &&
           curl.easy_setopt(handle, CURL_XFERINFOFUNCTION, look_at_stop) == CURL_DONE &&
           curl.easy_setopt(handle, CURL_XFERINFODATA, sending) == CURL_DONE;
}

static int not_sent(const struct smtp_server *server, int code, char *why, struct error *err)
{
    if (code == CURL_ABORTED) {
        return error_set(err, ERROR_STOPPED, "interrupted while '%s' took a mail",
                         server->address);
    }
    if (code == CURL_TIMED_OUT) {
        return error_set(err, ERROR_IO, "'%s' did not take a mail within %" PRId64 " seconds",
                         server->address, server->timeout_us / 1000000);
    }
    for (char *c = why; *c; c++) {
        *c = *c < ' ' || *c > '~' ? '.' : *c;
    }
    return error_set(err, ERROR_IO, "'%s' did not take a mail: %s", server->address,
                     why[0] ? why : curl.easy_strerror(code));
}

static int send(void *handle, const struct smtp_server *server, const char *from, void *to,
                struct sending *sending, struct error *err)
{
    char why[CURL_ERROR_MAX] = "";
    if (!set_texts(handle, server, from, why) || !set_numbers(handle, server) ||
        !set_functions(handle, sending) ||
        curl.easy_setopt(handle, CURL_MAIL_RCPT, to) != CURL_DONE) {
        return error_set(err, ERROR_IO, "this libcurl cannot send mail");
    }
    const int code = curl.easy_perform(handle);
    return code == CURL_DONE ? 0 : not_sent(server, code, why, err);
}

int smtp_send(const struct smtp_server *server, const char *from, const char *to,
              struct str letter, struct error *err)
{
    struct sending sending = {.rest = letter, .stop = server->stop};
    int failed = curl_load(err);
    if (failed) {
        return failed;
    }
    void *handle = curl.easy_init();
    if (!handle) {
        return error_set(err, ERROR_IO, "libcurl cannot be initialized");
    }
    void *recipients = curl.slist_append(NULL, to);
    failed = send(handle, server, from, recipients, &sending, err);
    curl.easy_cleanup(handle);
    curl.slist_free_all(recipients);
    return failed;
}
