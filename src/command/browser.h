/* SPDX-License-Identifier: MIT */
#pragma once

/* The browser of the user who typed a command. */

#include "base/attribute.h"
#include "base/error.h"

/*
 * Opens an address with $BROWSER, else with xdg-open, and waits until that program ends.
 * ERROR_IO: it could not.
 */
int browser_open(const char *address, struct error *err) MUST_CHECK;
