/* SPDX-License-Identifier: MIT */
#include "message/message.h"

#include "base/json.h"
#include "base/limit.h"
#include "message/letter.h"
#include "reach/http_client.h"
#include "reach/program.h"
#include "reach/smtp.h"

enum {
    SAID_MAX = 1 << 20,           /* bytes of what a program or webhook answers */
    LETTER_MAX = 2 * MESSAGE_MAX, /* a body that is encoded grows by a third */
};

/* --- how the site sends ------------------------------------------------------------------- */

static const struct config_section *section_of(const struct config *config, const char *kind)
{
    return config ? config_find(config, str_of(kind), (struct str){0}) : NULL;
}

bool message_is_configured(const struct config *config)
{
    return section_of(config, "mail") || section_of(config, "webhook");
}

int message_check(const struct config *config, struct error *err)
{
    return message_is_configured(config)
               ? 0
               : error_set(err, ERROR_MISSING,
                           "stint.conf does not say how to send messages: add a section [mail] "
                           "or [webhook]; see: stint config");
}

struct str message_staff(const struct config *config)
{
    const struct config_section *mail = section_of(config, "mail");
    if (mail) {
        return config_text(mail, &config_mail_keys[CONFIG_MAIL_STAFF]);
    }
    return section_of(config, "webhook") ? STR("") : (struct str){0};
}

/* --- mail --------------------------------------------------------------------------------- */

static const char *mail_text(const struct config_section *mail, enum config_mail_key key)
{
    return config_text(mail, &config_mail_keys[key]).ptr;
}

static int64_t mail_timeout(const struct config_section *mail)
{
    return config_number(mail, &config_mail_keys[CONFIG_MAIL_TIMEOUT], 0);
}

static int run_sendmail(const struct config_section *mail, const char *to, struct str letter,
                        const struct stop *stop, struct error *err)
{
    struct spool input = SPOOL_NONE, said = SPOOL_NONE;
    const char *words[] = {mail_text(mail, CONFIG_MAIL_SENDMAIL),
                           "-i",
                           "-f",
                           mail_text(mail, CONFIG_MAIL_FROM),
                           "--",
                           to,
                           NULL};
    const struct program program = {.words = words,
                                    .timeout_us = mail_timeout(mail),
                                    .limit = SAID_MAX,
                                    .input = &input,
                                    .stop = stop};
    int failed;
    (void)((failed = spool_open(&input, err)) || (failed = spool_add(&input, letter, err)) ||
           (failed = spool_rewind(&input, err)) ||
           (failed = program_run(&program, &said, err)));
    spool_close(&said);
    spool_close(&input);
    return failed;
}

static int send_by_smtp(const struct config_section *mail, const char *to, struct str letter,
                        const struct stop *stop, struct error *err)
{
    const struct smtp_server server = {
        .address = mail_text(mail, CONFIG_MAIL_SMTP),
        .user = mail_text(mail, CONFIG_MAIL_USER),
        .password = mail_text(mail, CONFIG_MAIL_PASSWORD),
        .authority = mail_text(mail, CONFIG_MAIL_CA),
        .timeout_us = mail_timeout(mail),
        .stop = stop,
    };
    return smtp_send(&server, mail_text(mail, CONFIG_MAIL_FROM), to, letter, err);
}

static int send_mail(const struct config_section *mail, const struct message *message,
                     int64_t now, const struct stop *stop, struct error *err)
{
    const bool smtp = mail_text(mail, CONFIG_MAIL_SMTP);
    struct buf letter, to;
    buf_init(&letter, LETTER_MAX);
    buf_init(&to, message->to.len);
    buf_add(&to, message->to);
    int failed = letter_write(message, config_text(mail, &config_mail_keys[CONFIG_MAIL_FROM]),
                              now, smtp ? "\r\n" : "\n", &letter, err);
    failed = failed ? failed
                    : (smtp ? send_by_smtp : run_sendmail)(mail, to.ptr, buf_str(&letter), stop,
                                                           err);
    buf_release(&to);
    buf_release(&letter);
    return failed;
}

/* --- webhook ------------------------------------------------------------------------------ */

static void put(struct json *json, const char *key, struct str text)
{
    json_put_key(json, key);
    json_put_text(json, text.ptr ? text : STR(""));
}

static int post(const struct http_server *server, struct str body, struct error *err)
{
    struct http *http = NULL;
    struct http_answer answer = {.body = SPOOL_NONE};
    int failed = http_open(server, &http, err);
    failed = failed ? failed : http_post(http, "", body, &answer, err);
    if (!failed && (answer.status < 200 || answer.status > 299)) {
        failed = error_set(err, ERROR_IO, "'%s' did not take a message: it answered status %d",
                           server->address, answer.status);
    }
    spool_close(&answer.body);
    http_close(http);
    return failed;
}

static int send_to_webhook(const struct config_section *webhook, const struct message *message,
                           const struct stop *stop, struct error *err)
{
    const char *token = config_text(webhook, &config_webhook_keys[CONFIG_WEBHOOK_TOKEN]).ptr;
    struct buf body, bearer;
    buf_init(&body, LETTER_MAX);
    buf_init(&bearer, LIMIT_CONFIG);
    buf_addf(&bearer, "Bearer %s", token ? token : "");
    const struct http_header headers[] = {
        {"Content-Type", "application/json"},
        {token ? "Authorization" : NULL, bearer.ptr},
        {NULL, NULL},
    };
    const struct http_server server = {
        .address = config_text(webhook, &config_webhook_keys[CONFIG_WEBHOOK_ADDRESS]).ptr,
        .authority = config_text(webhook, &config_webhook_keys[CONFIG_WEBHOOK_CA]).ptr,
        .headers = headers,
        .timeout_us = config_number(webhook, &config_webhook_keys[CONFIG_WEBHOOK_TIMEOUT], 0),
        .limit = SAID_MAX,
        .stop = stop,
    };
    struct json json = {.out = &body};
    json_begin_object(&json);
    put(&json, "to", message->to);
    put(&json, "subject", message->subject);
    put(&json, "text", message->body);
    json_end_level(&json);
    int failed = body.overflow ? error_set(err, ERROR_LIMIT, "a message is too long")
                               : post(&server, buf_str(&body), err);
    buf_release(&bearer);
    buf_release(&body);
    return failed;
}

int message_send(const struct config *config, const struct message *message, int64_t now,
                 const struct stop *stop, struct error *err)
{
    const struct config_section *mail = section_of(config, "mail");
    const struct config_section *webhook = section_of(config, "webhook");
    int failed = message_check(config, err);
    if (!failed && message->body.len > MESSAGE_MAX) {
        failed = error_set(err, ERROR_LIMIT, "a message of more than %d bytes", MESSAGE_MAX);
    }
    if (!failed && webhook) {
        failed = send_to_webhook(webhook, message, stop, err);
    }
    return failed || !mail ? failed : send_mail(mail, message, now, stop, err);
}
