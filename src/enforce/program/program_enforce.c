/* SPDX-License-Identifier: MIT */
#include "enforce/program/program_enforce.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/limit.h"
#include "reach/program.h"

enum { SAID_MAX = 1 << 20 };

static void put_text(struct json *json, const char *key, struct str text)
{
    json_put_key(json, key);
    if (text.ptr) {
        json_put_text(json, text);
    } else {
        json_put_null(json);
    }
}

static void put_value(struct json *json, const char *key, struct enforce_value value)
{
    json_put_key(json, key);
    if (value.is) {
        json_put_int(json, value.n);
    } else {
        json_put_null(json);
    }
}

static void put_plan(struct json *json, const struct enforce_site *site,
                     const struct enforce_change *changes, size_t count)
{
    json_begin_object(json);
    put_text(json, "cluster", site->cluster);
    put_text(json, "mode", str_of(enforce_mode_name(site->mode)));
    json_put_key(json, "steps");
    json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        json_begin_object(json);
        put_text(json, "account", changes[i].account);
        put_text(json, "kind", str_of(enforce_kind_name(changes[i].target.kind)));
        put_text(json, "name", changes[i].target.name);
        put_value(json, "from", changes[i].from);
        put_value(json, "to", changes[i].to);
        json_end_level(json);
    }
    json_end_level(json);
    json_end_level(json);
}

static int run(const struct enforce_site *site, struct str path, const struct spool *input,
               struct error *err)
{
    struct spool said = SPOOL_NONE;
    const char *words[] = {path.ptr, NULL};
    const struct program program = {
        .words = words,
        .timeout_us =
            config_number(site->section, &config_enforce_keys[CONFIG_ENFORCE_TIMEOUT], 0),
        .limit = SAID_MAX,
        .input = input,
        .stop = site->stop,
    };
    int failed = program_run(&program, &said, err);
    spool_close(&said);
    return failed;
}

static int set_all(const struct enforce_site *site, const struct enforce_change *changes,
                   size_t count, struct error *err)
{
    const struct str path = enforce_site_text(site, CONFIG_ENFORCE_PROGRAM);
    struct spool spool = SPOOL_NONE;
    struct buf text;
    if (!path.ptr) {
        return error_set(err, ERROR_INPUT,
                         "[enforce %.*s] needs 'program = ...' for the driver program",
                         STR_ARG(site->cluster));
    }
    buf_init(&text, LIMIT_OUTPUT);
    struct json json = {.out = &text};
    put_plan(&json, site, changes, count);
    buf_addc(&text, '\n');
    int failed;
    (void)((failed = spool_open(&spool, err)) ||
           (failed = spool_add(&spool, buf_str(&text), err)) ||
           (failed = spool_rewind(&spool, err)) || (failed = run(site, path, &spool, err)));
    spool_close(&spool);
    buf_release(&text);
    return failed;
}

const struct enforce_driver program_enforce_driver = {
    .name = "program",
    .modes = 1U << ENFORCE_HOLD | 1U << ENFORCE_REFUSE,
    .kinds = 1U << ENFORCE_ACCOUNT | 1U << ENFORCE_PROJECT | 1U << ENFORCE_USER,
    .set_all = set_all,
};
