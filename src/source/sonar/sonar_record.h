/* SPDX-License-Identifier: MIT */
#pragma once

/* What the files of the sonar driver share. */

#include "source/source.h"

/* What `open` found out: only which of the two forms it is. */
struct sonar_format {
    bool json;
};

enum { SONAR_SURE = 100, SONAR_LIKELY = 90 };

/* Processes of one envelope; a node has fewer. */
enum { SONAR_PROCESSES_MAX = 1 << 16 };

/* --- values: sonar_value.c ---------------------------------------------------------------- */

/* A share: "93.5" percent is 935000 millionths. Never negative, nor inf or nan. */
bool sonar_percent(struct str text, int64_t *out);

/* A number of KiB as bytes, of seconds as microseconds; never negative. */
bool sonar_kib(struct str text, int64_t *out);
bool sonar_seconds(struct str text, int64_t *out);
bool sonar_count(struct str text, int64_t *out);

/* Cards by their numbers: a bit each. */
struct sonar_cards {
    uint64_t bits;
    bool known; /* else it is said to use some, and not which */
};

enum { SONAR_CARDS_MAX = 64 };

bool sonar_cards_list(struct str text, struct sonar_cards *out); /* none, unknown, "0,3" */
bool sonar_cards_bits(struct str text, struct sonar_cards *out); /* "1001": cards 0 and 3 */
void sonar_set_cards(struct sample *sample, struct sonar_cards cards, struct arena *arena);

/* Whether a version ("0.16.0-devel") is this one or later. */
bool sonar_version_from(struct str version, int major, int minor);
bool sonar_is_version(struct str text); /* digits, points, and maybe a word after them */

/* Whether it is a heartbeat. */
bool sonar_is_heartbeat(struct str user, struct str command);

/* --- tables: sonar_csv.c ------------------------------------------------------------------ */

int sonar_csv_recognise(struct str head);
enum source_step sonar_csv_next(struct source_cursor *cursor, struct sample *sample,
                                struct error *err);

/* --- JSON: sonar_json.c ------------------------------------------------------------------- */

int sonar_json_recognise(struct str head);
size_t sonar_json_cut(struct str data);
bool sonar_json_skip(uint64_t *state, struct str data, size_t *used);
enum source_step sonar_json_next(struct source_cursor *cursor, struct sample *sample,
                                 struct error *err);
