/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Hands one mail to an SMTP server, by libcurl (reach/curl.h). With a password the connection
 * must be encrypted; without one it is where the server offers it, and the server's certificate
 * is checked in both cases.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"

struct smtp_server {
    const char *address;         /* "smtp://host:port" or "smtps://host:port" */
    const char *user, *password; /* NULL: it does not ask for them */
    const char
        *authority;     /* file of the certificates to trust instead of the system's; or NULL */
    int64_t timeout_us; /* for all of it; 0: none */
    const struct stop *stop; /* may be NULL */
};

/*
 * `letter` is the whole mail, headers and text, its lines ended by CRLF. It was taken over if
 * this returns 0; otherwise the sentence has the server's name and, where it refused, its
 * reason.
 */
int smtp_send(const struct smtp_server *server, const char *from, const char *to,
              struct str letter, struct error *err) MUST_CHECK;
