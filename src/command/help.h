/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Help, manual pages and shell completion: loops over the tables of operations and parameters.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "service/core/service.h"

void help_overview(struct buf *out);                                     /* stint help */
void help_operation(struct buf *out, const struct operation *operation); /* stint help NAME */
void help_manual(struct buf *out,
                 const struct operation *operation); /* man page; NULL: stint(1) itself */
int help_completion(struct buf *out, struct str shell,
                    struct error *err) MUST_CHECK; /* bash, zsh, fish */
