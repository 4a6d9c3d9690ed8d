/* SPDX-License-Identifier: MIT */
#pragma once

#include "enforce/enforce.h"

/*
 * Anything else: a program of the site, which reads the plan as JSON from its standard input
 * and exits with 0 when all of it is carried out. It is not asked: what it was given last
 * counts as what holds.
 *
 *     {"cluster": "alder", "mode": "hold", "steps": [
 *         {"account": "chem", "kind": "project", "name": "chem", "from": null, "to": 0}]}
 */
extern const struct enforce_driver program_enforce_driver;
