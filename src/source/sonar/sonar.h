/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What sonar (https://github.com/NordicHPC/sonar) writes of the processes of a node, and all
 * that speaks its format: samples, not runs. Two forms, distinguished by the first byte of the
 * file:
 *
 * - Tables, until 0.13 and beyond. A line is a process: `v=0.14.0,time=...,host=n1,user=ann,cmd=python,...`
 *   in any order, a field that has commas in quotes; until 0.6 without names, `time,host,cores,user,job,...`.
 *   Both may be in one file.
 * - JSON, "format 0", since 0.13: envelopes one after the other, {"meta": ..., "data": {"type": "sample",
 *   ...}}, one a line or over many. An envelope is all processes of a node at a moment.
 *
 * sonar leaves out what is 0 or empty. What every version of a form could tell and is not there
 * is therefore 0; of what only some versions tell, nobody knows whether it was: it is absent.
 *
 * A heartbeat (user `_sonar_`, or an envelope without jobs) is a sign of life, not a process:
 * it is passed over and reported as source_cursor.alive. sonar's other messages are refused by
 * name, each of them, so that a stream of all kinds gives its samples.
 */

#include "source/source.h"

extern const struct source_driver sonar_driver;
