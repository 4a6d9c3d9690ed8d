/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The part of libcurl that reach/http_client.c and reach/smtp.c use, as its manual declares it.
 * The library is loaded on first use and never linked; its numbers and functions are the same
 * in all of libcurl 4 (7.49 and later), so that building stint does not need its headers.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"

enum curl_option { /* CURLOPT_... */
                   CURL_TIMEOUT_MS = 155,
                   CURL_CONNECTTIMEOUT_MS = 156,
                   CURL_NOPROGRESS = 43,
                   CURL_FOLLOWLOCATION = 52,
                   CURL_SSL_VERIFYPEER = 64,
                   CURL_UPLOAD = 46,
                   CURL_POST = 47,
                   CURL_HTTPGET = 80,
                   CURL_SSL_VERIFYHOST = 81,
                   CURL_NOSIGNAL = 99,
                   CURL_USE_SSL = 119,
                   CURL_PROTOCOLS = 181,
                   CURL_POSTFIELDSIZE_LARGE = 30120,
                   CURL_POSTFIELDS = 10015,
                   CURL_WRITEDATA = 10001,
                   CURL_URL = 10002,
                   CURL_READDATA = 10009,
                   CURL_PROXY = 10004,
                   CURL_ERRORBUFFER = 10010,
                   CURL_USERAGENT = 10018,
                   CURL_HTTPHEADER = 10023,
                   CURL_SSLCERT = 10025,
                   CURL_HEADERDATA = 10029,
                   CURL_XFERINFODATA = 10057,
                   CURL_CAINFO = 10065,
                   CURL_SSLKEY = 10087,
                   CURL_ACCEPT_ENCODING = 10102,
                   CURL_USERNAME = 10173,
                   CURL_PASSWORD = 10174,
                   CURL_MAIL_FROM = 10186,
                   CURL_MAIL_RCPT = 10187,
                   CURL_UNIX_SOCKET_PATH = 10231,
                   CURL_CONNECT_TO = 10243,
                   CURL_WRITEFUNCTION = 20011,
                   CURL_READFUNCTION = 20012,
                   CURL_HEADERFUNCTION = 20079,
                   CURL_XFERINFOFUNCTION = 20219,
};

enum { /* CURLE_..., CURLINFO_..., CURLPROTO_... and sizes */
       CURL_DONE = 0,
       CURL_NO_HOST = 6,
       CURL_NO_CONNECTION = 7,
       CURL_TIMED_OUT = 28,
       CURL_TLS_FAILED = 35,
       CURL_ABORTED = 42,
       CURL_CUT_SHORT = 18,
       CURL_NOTHING_CAME = 52,
       CURL_NO_CERTIFICATE = 58,
       CURL_NOT_TRUSTED = 60,
       CURL_NO_AUTHORITY = 77,
       CURL_RESPONSE_CODE = 0x200002,
       CURL_HTTP_AND_HTTPS = 3,
       CURL_SMTP_AND_SMTPS = 3 << 16,
       CURL_SSL_TRY = 1,
       CURL_SSL_ALWAYS = 3,
       CURL_INIT_ALL = 3,
       CURL_ERROR_MAX = 256,
};

typedef size_t curl_take_function(char *data, size_t size, size_t count, void *user);
typedef int curl_look_function(void *user, int64_t down_all, int64_t down, int64_t up_all,
                               int64_t up);

/* X(name, result, parameters): members of struct curl, looked up as curl_<name>. */
#define CURL_FUNCTIONS(X)                                                                      \
    X(global_init, int, (long flags))                                                          \
    X(easy_init, void *, (void))                                                               \
    X(easy_cleanup, void, (void *handle))                                                      \
    X(easy_setopt, int, (void *handle, enum curl_option option, ...))                          \
    X(easy_perform, int, (void *handle))                                                       \
    X(easy_getinfo, int, (void *handle, int what, ...))                                        \
    X(easy_strerror, const char *, (int code))                                                 \
    X(slist_append, void *, (void *list, const char *text))                                    \
    X(slist_free_all, void, (void *list))

struct curl {
#define X(name, result, parameters) result(*name) parameters;
    CURL_FUNCTIONS(X)
#undef X
};

/* Filled by curl_load, read-only afterwards. */
extern struct curl curl;

/* Loads the library, once. ERROR_MISSING names the package to install. */
int curl_load(struct error *err) MUST_CHECK;
