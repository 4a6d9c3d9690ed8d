/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the options of every command say (globals.h), else the environment, else stint.conf: the
 * one place that looks at all three.
 */

#include <stdbool.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/zone.h"
#include "command/arguments.h"
#include "command/render.h"
#include "config/config.h"

/*
 * The value of an option of every command, or its default; the null string: neither is there.
 */
struct str settings_text(const struct arguments *arguments, const char *name);

/*
 * The folder of the store: --store, else $STINT_STORE, else the user's data folder, else (for
 * root) /var/lib/stint.
 */
char *settings_store(const struct arguments *arguments);

/* Whether the answer goes to a terminal, not to a pipe or into a file. */
bool settings_to_terminal(const struct arguments *arguments);

/* How the answer is to be shown. */
struct render_options settings_render(const struct arguments *arguments);

/*
 * Reads stint.conf: --config, else $STINT_CONFIG, else that of the store, else the site's;
 * empty where none of them exists.
 */
int settings_config(const struct arguments *arguments, const char *store, struct config *config,
                    struct error *err) MUST_CHECK;

/* The calendar's zone: --zone, else the site's, else the system's. */
int settings_zone(const struct arguments *arguments, const struct config *config,
                  struct zone **out, struct error *err) MUST_CHECK;

/* The same by its name; NULL is the system's. */
int settings_open_zone(const char *name, struct zone **out, struct error *err) MUST_CHECK;

/* The month that years begin with: --year-starts, else the site's. */
int settings_year(const struct arguments *arguments, const struct config *config,
                  struct zone *zone, struct error *err) MUST_CHECK;

/* A server elsewhere: --server, else (if `usual`) $STINT_SERVER; NULL: none. */
const char *settings_server(const struct arguments *arguments, bool usual);

/*
 * $STINT_CA: the file with the certificates of who signs that of the server; NULL: those of the
 * system.
 */
const char *settings_authority(void);

/*
 * $STINT_TOKEN, else the first line of ~/.config/stint/token; NULL: none. Freed by the caller.
 */
char *settings_token(void);
