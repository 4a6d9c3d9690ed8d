/* SPDX-License-Identifier: MIT */
#pragma once

/* A message as a mail on its way (RFC 5322, MIME): headers, an empty line, the text. */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "message/message.h"

/*
 * Writes it. Lines end with `end` ("\n" for sendmail, "\r\n" for SMTP). Text that is not ASCII,
 * or has lines that are too long for mail, is encoded (base64), so that what arrives is what
 * was written.
 */
int letter_write(const struct message *message, struct str from, int64_t now, const char *end,
                 struct buf *out, struct error *err) MUST_CHECK;
