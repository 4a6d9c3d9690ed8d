/* SPDX-License-Identifier: MIT */
#include "live/nomad/nomad_api.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "reach/http_client.h"
#include "source/common/members.h"

/* Nomad adds up to a sixteenth of the wait, so that not all are woken at once. */
enum { WAIT_SHARE = 16, SAID_MAX = 200 };

const struct config_key nomad_keys[NOMAD_KEY_COUNT] = {
    [NOMAD_KEY_ADDRESS] = {.name = "address",
                           .type = CONFIG_TEXT,
                           .fallback = "http://127.0.0.1:4646",
                           .help = "address of a Nomad server or client, as in NOMAD_ADDR"},
    [NOMAD_KEY_CA] = {.name = "ca",
                      .type = CONFIG_FILE,
                      .help = "certificates to trust instead of the system's"},
    [NOMAD_KEY_CERTIFICATE] = {.name = "certificate",
                               .type = CONFIG_FILE,
                               .help = "client certificate"},
    [NOMAD_KEY_KEY] = {.name = "key", .type = CONFIG_FILE, .help = "its key"},
    [NOMAD_KEY_SERVER_NAME] = {.name = "server_name",
                               .type = CONFIG_TEXT,
                               .help = "name in the server's certificate, if it differs from "
                                       "the address: server.global.nomad"},
    [NOMAD_KEY_TOKEN_FILE] = {.name = "token_file",
                              .type = CONFIG_FILE,
                              .help = "file with the token, if Nomad uses access control"},
    [NOMAD_KEY_NAMESPACES] = {.name = "namespaces",
                              .type = CONFIG_WORDS,
                              .fallback = "*",
                              .help = "patterns of namespaces to include"},
    [NOMAD_KEY_IGNORE] = {.name = "ignore",
                          .type = CONFIG_WORDS,
                          .help = "patterns of namespaces to exclude"},
    [NOMAD_KEY_JOBS] = {.name = "jobs",
                        .type = CONFIG_WORDS,
                        .fallback = "*",
                        .help = "patterns of job names to include"},
    [NOMAD_KEY_WAIT] = {.name = "wait",
                        .type = CONFIG_DURATION,
                        .help =
                            "how long a pull waits for a change; by default it does not wait"},
    [NOMAD_KEY_OWNER] = {.name = "owner",
                         .type = CONFIG_WORDS,
                         .help = "Meta keys that hold the owner of a job, the first one "
                                 "present is used; default owner"},
    [NOMAD_KEY_OWNER_NAME] =
        {.name = "owner_name",
         .type = CONFIG_WORDS,
         .help = "Meta keys that hold the owner's full name; default owner_name"},
    [NOMAD_KEY_OWNER_EMAIL] =
        {.name = "owner_email",
         .type = CONFIG_WORDS,
         .help = "Meta keys that hold the owner's e-mail address; default owner_email"},
};

struct nomad_api {
    struct arena arena;
    struct http *http;
    struct http_server server;
    struct http_header headers[2];
};

static const char *text_or_null(struct nomad_api *api, const struct pull *pull,
                                enum nomad_key key)
{
    const struct str text = config_text(pull->section, &nomad_keys[key]);
    return text.len > 0 ? arena_text(&api->arena, text) : NULL;
}

static int read_token(struct nomad_api *api, const char *path, struct error *err)
{
    struct buf token;
    buf_init(&token, LIMIT_ARGUMENT);
    int failed = file_read(path, &token, err);
    if (!failed) {
        const struct str text = str_trim(buf_str(&token));
        bool plain = text.len > 0;
        for (size_t i = 0; i < text.len; i++) {
            plain = plain && text.ptr[i] > ' ' && text.ptr[i] < 0x7f;
        }
        api->headers[0] = (struct http_header){"X-Nomad-Token", arena_text(&api->arena, text)};
        if (!plain) {
            failed = error_set(err, ERROR_INPUT,
                               "'%s' contains no token: it must be one word on one line", path);
        }
    } else {
        error_prepend(err, "the token: ");
    }
    if (token.ptr) {
        explicit_bzero(token.ptr, token.len);
    }
    buf_release(&token);
    return failed;
}

int nomad_api_open(struct pull *pull, struct nomad_api **out, struct error *err)
{
    struct nomad_api *api = mem_alloc(1, sizeof(*api));
    const char *token = text_or_null(api, pull, NOMAD_KEY_TOKEN_FILE);
    *out = NULL;
    api->server = (struct http_server){
        .address = text_or_null(api, pull, NOMAD_KEY_ADDRESS),
        .authority = text_or_null(api, pull, NOMAD_KEY_CA),
        .certificate = text_or_null(api, pull, NOMAD_KEY_CERTIFICATE),
        .key = text_or_null(api, pull, NOMAD_KEY_KEY),
        .server_name = text_or_null(api, pull, NOMAD_KEY_SERVER_NAME),
        .headers = api->headers,
        .timeout_us = config_number(pull->section, live_key("timeout"), 0),
        .limit = live_answer_limit(pull->section, LIMIT_NOMAD_ANSWER),
        .stop = pull->stop,
    };
    int failed = token ? read_token(api, token, err) : 0;
    if (!failed) {
        failed = http_open(&api->server, &api->http, err);
    }
    if (failed) {
        nomad_api_close(api);
        return failed;
    }
    *out = api;
    return 0;
}

void nomad_api_close(struct nomad_api *api)
{
    if (api) {
        http_close(api->http);
        arena_release(&api->arena);
        free(api);
    }
}

/* The first words of what Nomad says, fit for a sentence. */
static struct str said(struct buf *body)
{
    struct str text = str_trim(buf_str(body));
    text.len = text.len > SAID_MAX ? SAID_MAX : text.len;
    for (size_t i = 0; i < text.len; i++) {
        char *byte = body->ptr + (text.ptr - body->ptr) + i;
        *byte = *byte < ' ' || *byte > '~' ? ' ' : *byte;
    }
    return text;
}

static int refused(const struct nomad_api *api, const char *path, int status, struct buf *body,
                   struct error *err)
{
    const char *address = api->server.address;
    const struct str why = said(body);
    if (status == 401 || status == 403) {
        return error_set(err, ERROR_DENIED,
                         "Nomad at '%s' denies access to '%s': %.*s; check token_file: its "
                         "token must be allowed to read jobs and nodes",
                         address, path, STR_ARG(why));
    }
    return error_set(err, ERROR_IO, "Nomad at '%s' answers '%s' with status %d: %.*s", address,
                     path, status, STR_ARG(why));
}

int nomad_api_ask(struct nomad_api *api, const char *path, int64_t wait_us,
                  struct nomad_answer *out, struct error *err)
{
    struct http_answer answer = {0};
    *out = (struct nomad_answer){.index = -1};
    buf_init(&out->body, LIMIT_NOMAD_ANSWER);
    const int64_t timeout =
        wait_us > 0 ? api->server.timeout_us + wait_us + wait_us / WAIT_SHARE : 0;
    int failed = http_get(api->http, path, timeout, &answer, err);
    if (failed) {
        return failed;
    }
    failed = spool_text(&answer.body, &out->body, err);
    spool_close(&answer.body);
    out->index = answer.index;
    out->found = answer.status != 404;
    if (!failed && answer.status != 200 && answer.status != 404) {
        failed = refused(api, path, answer.status, &out->body, err);
    }
    return failed;
}

json_t *nomad_api_object(const struct nomad_answer *answer, const char *path, struct error *err)
{
    json_error_t why;
    json_t *object = json_loadb(answer->body.ptr, answer->body.len, 0, &why);
    if (!json_is_object(object)) {
        error_set(err, ERROR_INPUT, "the answer of Nomad to '%s' is not a JSON object%s%s",
                  path, object ? "" : ": ", object ? "" : why.text);
        json_decref(object);
        return NULL;
    }
    return object;
}

static int no_list(const char *path, const char *why, struct error *err)
{
    return error_set(err, ERROR_INPUT,
                     "the answer of Nomad to '%s' is not a list of JSON objects%s%s", path,
                     *why ? ": " : "", why);
}

static void take_text(struct str *rest, size_t len)
{
    rest->ptr += len;
    rest->len -= len;
    *rest = str_trim(*rest);
}

int nomad_api_each(const struct nomad_answer *answer, const char *path,
                   int (*each)(void *context, json_t *object, struct str text,
                               struct error *err),
                   void *context, struct error *err)
{
    struct str rest = str_trim(buf_str(&answer->body));
    if (str_eq(rest, STR("null"))) {
        return 0; /* how Go says that there are none */
    }
    if (!str_starts(rest, STR("[")) || !str_ends(rest, STR("]"))) {
        return no_list(path, "", err);
    }
    rest.len--;
    take_text(&rest, 1);
    while (rest.len > 0) {
        const size_t len = rest.ptr[0] == '{' ? members_length(rest) : 0;
        json_error_t why = {0};
        json_t *object = len > 0 ? json_loadb(rest.ptr, len, 0, &why) : NULL;
        if (!object) {
            return no_list(path, why.text, err);
        }
        const int failed = each(context, object, (struct str){rest.ptr, len}, err);
        json_decref(object);
        if (failed) {
            return failed;
        }
        take_text(&rest, len);
        if (rest.len > 0 && rest.ptr[0] != ',') {
            return no_list(path, "", err);
        }
        if (rest.len > 0) {
            take_text(&rest, 1);
        }
    }
    return 0;
}

struct str nomad_api_text(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_string(value)
               ? (struct str){json_string_value(value), json_string_length(value)}
               : STR("");
}

int64_t nomad_api_number(const json_t *object, const char *name, int64_t otherwise)
{
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value)
                                                                    : otherwise;
}
