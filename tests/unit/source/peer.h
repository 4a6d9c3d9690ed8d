/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For the tests that compare a driver with what other programs made of the same lines. $STINT_DATA
 * names the folder that has them; without it these tests skip.
 */

#include <jansson.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/scan.h"
#include "unit/source/reader.h"

enum { PEER_FILE_MAX = 4 << 20, PEER_PATH_LEN = 1024 };

/* $STINT_DATA, or the test is skipped. */
static inline const char *peer_folder(void)
{
    const char *folder = getenv("STINT_DATA");
    if (!folder) {
        print_message("# STINT_DATA is not set: nothing to compare with\n");
        skip();
    }
    return folder;
}

static inline void peer_file(const char *name, struct buf *out)
{
    const char *folder = peer_folder();
    char path[4 * PEER_PATH_LEN];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    struct error err = {0};
    buf_init(out, PEER_FILE_MAX);
    if (file_read(path, out, &err)) {
        expect_fail("%s", err.text);
    }
}

enum peer_way {
    PEER_TEXT,    /* "" and null are absent here */
    PEER_INT,     /* 0 and null may be absent here */
    PEER_SECONDS, /* ours are microseconds */
    PEER_KIB,     /* ours are bytes */
    PEER_NOT_KEPT,
};

struct peer_key {
    const char *key;
    enum peer_way way;
    int field; /* of enum run_field */
};

/* A value in which we differ on purpose; the page of the source says why. */
struct peer_exception {
    int64_t job;
    const char *key;
};

/* What a program of others makes of records. */
struct peer {
    const struct peer_key *keys;
    size_t key_count;
    const struct peer_exception *exceptions;
    size_t exception_count;
};

static inline struct str peer_value_text(const json_t *value, char number[64])
{
    if (json_is_string(value)) {
        return (struct str){json_string_value(value), json_string_length(value)};
    }
    if (json_is_integer(value)) {
        int len = snprintf(number, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return (struct str){number, (size_t)len};
    }
    if (json_is_real(value)) {
        int len = snprintf(number, 64, "%.17g", json_real_value(value));
        return (struct str){number, (size_t)len};
    }
    return (struct str){0};
}

static inline void expect_peer_number(const struct run *run, const struct peer_key *key,
                                      struct str want)
{
    int64_t number = 0;
    int64_t got = 0;
    if (want.len > 0 && !scan_decimal(want, key->way == PEER_SECONDS ? 6 : 0, &number)) {
        expect_fail("their %s is '%.*s', no number", key->key, STR_ARG(want));
    }
    if (key->way == PEER_KIB) {
        number *= 1024;
    }
    if (run_has(run, (unsigned)key->field)) {
        memcpy(&got, (const char *)run + run_fields[key->field].offset, sizeof(got));
    }
    if (got != number) {
        expect_fail("their %s is %lld, our %s %lld", key->key, (long long)number,
                    run_fields[key->field].id, (long long)got);
    }
}

static inline void expect_peer_value(const struct run *run, const struct peer_key *key,
                                     struct str want)
{
    if (key->way == PEER_TEXT) {
        struct str got = {0};
        if (run_has(run, (unsigned)key->field)) {
            memcpy(&got, (const char *)run + run_fields[key->field].offset, sizeof(got));
        }
        if (!str_eq(got, want)) {
            expect_fail("their %s is '%.*s', our %s '%.*s'", key->key, STR_ARG(want),
                        run_fields[key->field].id, STR_ARG(got));
        }
    } else if (key->way != PEER_NOT_KEPT) {
        expect_peer_number(run, key, want);
    }
}

static inline bool peer_excepts(const struct peer *peer, const struct run *run, const char *key)
{
    for (size_t i = 0; i < peer->exception_count; i++) {
        if (peer->exceptions[i].job == run->job && strcmp(peer->exceptions[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

/* Every value of their record agrees with the run, or is one of the exceptions. */
static inline void expect_peer_record(const struct peer *peer, const struct run *run,
                                      json_t *record)
{
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(record, name, value)
    {
        char number[64];
        const struct peer_key *key = NULL;
        for (size_t i = 0; i < peer->key_count && !key; i++) {
            key = strcmp(peer->keys[i].key, name) == 0 ? &peer->keys[i] : NULL;
        }
        if (!key) {
            expect_fail("a key we know nothing of: %s", name);
        }
        if (!peer_excepts(peer, run, name)) {
            expect_peer_value(run, key, peer_value_text(value, number));
        }
    }
}

/*
 * Calls `look` with each case of this format in a file of JSON lines {format, line, expect}; returns
 * how many there were.
 */
static inline int peer_cases(const char *file, const char *format,
                             void (*look)(const char *line, json_t *expect, void *context),
                             void *context)
{
    struct buf cases;
    int count = 0;
    peer_file(file, &cases);
    for (struct str rest = buf_str(&cases); rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        json_t *item = json_loadb(line.ptr, line.len, 0, NULL);
        const char *is = json_string_value(json_object_get(item, "format"));
        if (is && strcmp(is, format) == 0) {
            look(json_string_value(json_object_get(item, "line")),
                 json_object_get(item, "expect"), context);
            count++;
        }
        json_decref(item);
    }
    buf_release(&cases);
    return count;
}
