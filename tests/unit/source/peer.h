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
#include "base/hostlist.h"
#include "base/scan.h"
#include "unit/source/reader.h"

enum { PEER_FILE_MAX = 8 << 20, PEER_PATH_LEN = 1024 };

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

/* Where a file of the data lies. */
static inline void peer_path(const char *name, char path[PEER_PATH_LEN])
{
    int len = snprintf(path, PEER_PATH_LEN, "%s/%s", peer_folder(), name);
    expect_true(len > 0 && len < PEER_PATH_LEN);
}

static inline void peer_file(const char *name, struct buf *out)
{
    char path[PEER_PATH_LEN];
    peer_path(name, path);
    struct error err = {0};
    buf_init(out, PEER_FILE_MAX);
    if (file_read(path, out, &err)) {
        expect_fail("%s", err.text);
    }
}

static inline json_t *peer_json(const char *name)
{
    struct buf text;
    json_error_t where;
    peer_file(name, &text);
    json_t *json = json_loadb(text.ptr, text.len, 0, &where);
    if (!json) {
        expect_fail("%s: %s", name, where.text);
    }
    buf_release(&text);
    return json;
}

/* A member as an integer, from a number or digits; -1 for null and empty. */
static inline int64_t peer_int(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    int64_t number = -1;
    if (json_is_integer(value)) {
        return json_integer_value(value);
    }
    if (json_is_string(value) && json_string_length(value) > 0) {
        expect_true(scan_int(str_of(json_string_value(value)), &number));
    }
    return number;
}

/* A text of a run is theirs; null and empty are absent here. */
static inline void expect_peer_text(struct str got, bool has, const json_t *want)
{
    struct str text = str_of(json_is_string(want) ? json_string_value(want) : "");
    expect_int(has, text.len > 0);
    if (has) {
        expect_text_n(got.ptr, got.len, text.ptr);
    }
}

enum peer_way {
    PEER_TEXT,    /* "" and null are absent here */
    PEER_NODES,   /* a list of names; ours may have cpus beside them */
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
    bool partial; /* they tell more than we keep: other keys are passed over */
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

static inline void expect_peer_nodes(struct str got, struct str want)
{
    struct arena arena = {0};
    struct hostlist list;
    struct buf names;
    buf_init(&names, 1 << 20);
    expect_true(hostlist_read(got, &arena, &list));
    for (size_t i = 0; i < list.count; i++) {
        buf_addz(&names, i ? "," : "");
        buf_add(&names, list.nodes[i].name);
    }
    expect_text_n(want.ptr, want.len, names.ptr);
    buf_release(&names);
    arena_release(&arena);
}

static inline void expect_peer_value(const struct run *run, const struct peer_key *key,
                                     struct str want)
{
    if (key->way == PEER_NODES && str_byte(run->nodes, '*')) {
        expect_peer_nodes(run->nodes, want);
    } else if (key->way == PEER_TEXT || key->way == PEER_NODES) {
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

/*
 * Every value of their record agrees with the run, or is one of the exceptions. Returns how many keys
 * were looked at.
 */
static inline int expect_peer_record(const struct peer *peer, const struct run *run,
                                     json_t *record)
{
    const char *name = NULL;
    json_t *value = NULL;
    int looked_at = 0;
    json_object_foreach(record, name, value)
    {
        char number[64];
        const struct peer_key *key = NULL;
        for (size_t i = 0; i < peer->key_count && !key; i++) {
            key = strcmp(peer->keys[i].key, name) == 0 ? &peer->keys[i] : NULL;
        }
        if (!key && !peer->partial) {
            expect_fail("a key we know nothing of: %s", name);
        }
        looked_at += key != NULL;
        if (key && !peer_excepts(peer, run, name)) {
            expect_peer_value(run, key, peer_value_text(value, number));
        }
    }
    return looked_at;
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

/* --- programs that have read the lines of several schedulers ---------------------------------------- */

static inline json_t *peer_at(json_t *records, size_t index)
{
    void *at = json_object_iter(records);
    for (size_t i = 0; i < index && at; i++) {
        at = json_object_iter_next(records, at);
    }
    return json_is_array(records) ? json_array_get(records, index) : json_object_iter_value(at);
}

/*
 * Open XDMoD: a record for each line of input/NAME.log, in an array or an object. Returns how many
 * there are; *keys is how many of their keys were looked at.
 */
static inline int peer_xdmod(const struct peer *peer, const struct source_driver *driver,
                             const char *name, int *keys)
{
    char path[PEER_PATH_LEN];
    struct buf input;
    (void)snprintf(path, sizeof(path), "line-to-record-xdmod/shredder/%s/input/%s.log",
                   driver->name, name);
    peer_file(path, &input);
    (void)snprintf(path, sizeof(path), "line-to-record-xdmod/shredder/%s/output/%s.json",
                   driver->name, name);
    json_t *wanted = peer_json(path);
    struct str rest = buf_str(&input);
    json_t *record;
    int count = 0;
    for (*keys = 0; (record = peer_at(wanted, (size_t)count)) != NULL; count++) {
        struct reading r;
        read_first(&r, driver, str_cut(&rest, '\n'), NULL);
        expect_int(r.step, SOURCE_RECORD);
        *keys += expect_peer_record(peer, &r.run, record);
        reading_release(&r);
    }
    json_decref(wanted);
    buf_release(&input);
    return count;
}

/* What APEL says of a line in words in place of a record, and what that is here. */
struct peer_word {
    const char *part; /* of their words */
    enum source_step step;
    bool backwards; /* it ends before it starts: they refuse it, we keep it with a flag */
    int64_t cpus;   /* 0: not said */
};

struct peer_apel {
    const struct source_driver *driver;
    struct peer peer;
    const struct peer_word *words;
    size_t word_count;
    /* What is not a key against a field. */
    void (*also)(const struct run *run, const char *line, const json_t *expect);
    int records; /* counted */
};

static inline void expect_peer_word(const struct peer_apel *apel, const struct reading *r,
                                    const char *text)
{
    for (size_t i = 0; i < apel->word_count; i++) {
        const struct peer_word *word = &apel->words[i];
        if (strstr(text, word->part)) {
            expect_int(r->step, word->step);
            expect_true(!word->backwards || r->run.end < r->run.start);
            expect_true(word->cpus == 0 || r->run.cpus == word->cpus);
            return;
        }
    }
    expect_fail("a word we know nothing of: %s", text);
}

static inline void peer_apel_case(const char *line, json_t *expect, void *context)
{
    struct peer_apel *apel = context;
    struct reading r;
    read_first(&r, apel->driver, str_of(line), NULL);
    if (json_is_object(expect)) {
        expect_int(r.step, SOURCE_RECORD);
        (void)expect_peer_record(&apel->peer, &r.run, expect);
        apel->also(&r.run, line, expect);
        apel->records++;
    } else {
        expect_peer_word(apel, &r, json_string_value(expect));
    }
    reading_release(&r);
}

/* APEL: all its cases of a driver's format. Returns how many there are. */
static inline int peer_apel(struct peer_apel *apel)
{
    return peer_cases("line-to-record-apel/cases.jsonl", apel->driver->name, peer_apel_case,
                      apel);
}
