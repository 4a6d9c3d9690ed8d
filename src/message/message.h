/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Messages to people: by mail, through a sendmail program or an SMTP server ([mail] of
 * stint.conf), or to a webhook ([webhook]), which gets {"to": ..., "subject": ..., "text": ...}
 * as JSON.
 *
 *     struct message message = {to, subject, body};
 *     failed = message_send(config, &message, now, stop, err);
 *
 * Where both are configured a message goes to the webhook first: when the mail fails after it,
 * and is tried again later, the webhook may see it twice, and no person does. Whether and to
 * whom something was sent before is the caller's to remember, and so is that nothing is sent
 * unless the user asked for it (--apply).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "config/config.h"

enum { MESSAGE_MAX = 1 << 20 }; /* bytes of a body, and of a template */

struct message {
    struct str to; /* one address */
    struct str subject, body;
};

/* Whether stint.conf says how to send messages. `config` may be NULL. */
bool message_is_configured(const struct config *config);

/* ERROR_MISSING saying what to set, where it does not. */
int message_check(const struct config *config, struct error *err) MUST_CHECK;

/*
 * Who gets messages that are for nobody with an address: `staff` of [mail]; without [mail],
 * nobody by name (the empty string), since a webhook takes all; the null string: nobody.
 */
struct str message_staff(const struct config *config);

/*
 * Sends one message. It was sent if this returns 0: the program, server or webhook took it
 * over. An address or subject that could be something else in a mail (line breaks, commas) is
 * ERROR_INPUT. `stop` may be NULL.
 */
int message_send(const struct config *config, const struct message *message, int64_t now,
                 const struct stop *stop, struct error *err) MUST_CHECK;

/* A template's {{name}} and what it stands for. */
struct message_value {
    const char *name;
    struct str value;
};

/*
 * The template NAME.txt of the folder `templates` of [site], or, where that is not there,
 * `otherwise`, with its values filled in. Its first line is "Subject: ...", then a blank line,
 * then the body. A name without a value is ERROR_INPUT naming file and line. `subject` and
 * `body` are the caller's, initialized.
 */
int message_fill(const struct config *config, const char *name, struct str otherwise,
                 const struct message_value *values, size_t value_count, struct buf *subject,
                 struct buf *body, struct error *err) MUST_CHECK;
