/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A temporary folder, and the accounting files of a demo site in it, read as a stranger would:
 * with none of the generator's own code.
 */

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scan.h"
#include "base/str.h"
#include "base/zone.h"
#include "support/expect.h"

static const int64_t now = INT64_C(1762214400) * SECOND_US; /* 2025-11-04 */

static inline int remove_entry(const char *path, const struct stat *st, int type,
                               struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static inline char *make_folder(char folder[64])
{
    suite_folder(folder, 64, "demo");
    return folder;
}

static inline void remove_folder(const char *folder)
{
    expect_int(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

enum { FIELDS = 45 };

struct row {
    int64_t job, task, submit, start, end, failed, exit, slots, gpus, cpu_us;
    bool part;
    char user[32];
};

struct rows {
    struct row *rows;
    size_t count, room;
    int64_t bytes, comments;
    size_t longest;
    uint64_t hash; /* FNV-1a of all bytes */
};

static inline int64_t number(struct str text, int scale)
{
    int64_t value = 0;
    expect_true(scan_decimal(text, scale, &value));
    return value;
}

static inline int64_t requested_gpus(struct str category)
{
    static const char key[] = " -l gpu=";
    const char *at = memmem(category.ptr, category.len, key, sizeof(key) - 1);
    return at ? at[sizeof(key) - 1] - '0' : 0;
}

static inline struct row parse(struct str line)
{
    struct str fields[FIELDS];
    size_t count = 0;
    for (struct str rest = line; rest.ptr; count++) {
        expect_true(count < FIELDS);
        fields[count] = str_cut(&rest, ':');
    }
    expect_int((int64_t)count, FIELDS);
    struct row row = {
        .job = number(fields[5], 0),
        .task = number(fields[35], 0),
        .submit = number(fields[8], 0),
        .start = number(fields[9], 0),
        .end = number(fields[10], 0),
        .failed = number(fields[11], 0),
        .exit = number(fields[12], 0),
        .slots = number(fields[34], 0),
        .gpus = requested_gpus(fields[39]),
        .cpu_us = number(fields[36], 6),
        .part = !str_eq(fields[41], STR("NONE")),
    };
    expect_int(number(fields[13], 0), row.end - row.start);
    snprintf(row.user, sizeof(row.user), "%.*s", STR_ARG(fields[3]));
    return row;
}

static inline struct rows read_rows(const char *path)
{
    struct rows all = {.hash = UINT64_C(14695981039346656037)};
    FILE *file = fopen(path, "r");
    expect_true(file != NULL);
    char *line = NULL;
    size_t room = 0;
    ssize_t length = 0;
    while ((length = getline(&line, &room, file)) > 0) {
        for (ssize_t i = 0; i < length; i++) {
            all.hash = (all.hash ^ (unsigned char)line[i]) * UINT64_C(1099511628211);
        }
        all.bytes += length;
        all.longest = (size_t)length > all.longest ? (size_t)length : all.longest;
        if (line[0] == '#') {
            expect_true(all.count == 0);
            all.comments++;
            continue;
        }
        if (all.count == all.room) {
            all.room = all.room ? 2 * all.room : 1024;
            all.rows = realloc(all.rows, all.room * sizeof(*all.rows));
            expect_true(all.rows != NULL);
        }
        all.rows[all.count++] = parse((struct str){line, (size_t)length - 1});
    }
    free(line);
    fclose(file);
    return all;
}
