/* SPDX-License-Identifier: MIT */

/*
 * Sections held against the keys that they may have, and values against what their key takes.
 */

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/calendar.h"
#include "base/nearest.h"
#include "base/scan.h"
#include "base/zone.h"
#include "config/config_internal.h"

static bool is_choice(const struct config_key *key, struct str value)
{
    for (size_t i = 0; key->name_at && key->name_at(i); i++) {
        if (str_eq(str_of(key->name_at(i)), value)) {
            return true;
        }
    }
    struct str rest = str_of(key->choices);
    while (rest.ptr) {
        if (str_eq(str_cut(&rest, ' '), value)) {
            return true;
        }
    }
    return false;
}

static bool is_zone(struct str value)
{
    char name[256];
    struct zone *zone = NULL;
    struct error ignored;
    if (value.len == 0 || value.len >= sizeof(name)) {
        return false;
    }
    memcpy(name, value.ptr, value.len);
    name[value.len] = '\0';
    bool there = zone_open(name, &zone, &ignored) == 0;
    zone_close(zone);
    return there;
}

/* Whether it can be read at all: which instant it is depends on the caller's zone. */
static bool is_instant(struct str value)
{
    struct zone *utc = NULL;
    struct error ignored;
    struct period span;
    bool good =
        zone_open("UTC", &utc, &ignored) == 0 &&
        calendar_span(value, utc, INT64_C(1735689600) * SECOND_US, &span, &ignored) == 0;
    zone_close(utc);
    return good;
}

static bool is_number(struct str value)
{
    int64_t number;
    return scan_int(value, &number) && number >= 0;
}

static bool is_duration(struct str value)
{
    int64_t us;
    return scan_duration(value, &us) && us > 0;
}

/* "0.02 EUR" */
static bool is_price(struct str value)
{
    struct str unit = value;
    int64_t micro;
    const struct str amount = str_cut(&unit, ' ');
    return scan_decimal(amount, 6, &micro) && micro > 0 && str_trim(unit).len > 0;
}

static bool is_flag(struct str value)
{
    return str_eq(value, STR("yes")) || str_eq(value, STR("no"));
}

static bool is_path(struct str value)
{
    return str_starts(value, STR("/"));
}

/* Indexed by enum config_type. */
static const struct {
    bool (*is)(struct str value); /* NULL: anything */
    const char *what;
} types[] = {
    [CONFIG_TEXT] = {NULL, "text"},
    [CONFIG_NUMBER] = {is_number, "a whole number"},
    [CONFIG_PRICE] = {is_price, "an amount above zero and a unit: 0.02 EUR"},
    [CONFIG_DURATION] = {is_duration, "a length of time: 90, 90s, 5m, 2h, 7d"},
    [CONFIG_FLAG] = {is_flag, "yes or no"},
    [CONFIG_CHOICE] = {NULL, "one of these"},
    [CONFIG_ZONE] = {is_zone, "a time zone: Europe/Oslo, UTC"},
    [CONFIG_FILE] = {is_path, "an absolute path: /etc/..."},
    [CONFIG_WORDS] = {NULL, "names, separated by commas or spaces"},
    [CONFIG_INSTANT] = {is_instant, "a day or time: 2025-03-01, 2025-03-01T12:00"},
};

const char *config_type_name(const struct config_key *key, char text[CONFIG_TYPE_MAX])
{
    if (key->type != CONFIG_CHOICE || key->choices) {
        return key->choices ? key->choices : types[key->type].what;
    }
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; key->name_at(i) && len < CONFIG_TYPE_MAX; i++) {
        len += (size_t)snprintf(text + len, CONFIG_TYPE_MAX - len, "%s%s", i ? " " : "",
                                key->name_at(i));
    }
    return text;
}

static int check_value(const struct config_place *at, const struct config_key *key,
                       const struct config_entry *entry, struct error *err)
{
    char text[CONFIG_TYPE_MAX];
    if (key->type == CONFIG_CHOICE && !is_choice(key, entry->value)) {
        return config_wrong(at, err, "'%s' is one of: %s; not '%.*s'", key->name,
                            config_type_name(key, text), STR_ARG(entry->value));
    }
    if (types[key->type].is && !types[key->type].is(entry->value)) {
        return config_wrong(at, err, "'%s' is %s; not '%.*s'", key->name, types[key->type].what,
                            STR_ARG(entry->value));
    }
    return 0;
}

static int unknown_key(const struct config_place *at, struct str name,
                       const struct config_key *keys, size_t key_count, struct error *err)
{
    struct nearest nearest = nearest_to(name);
    struct buf all;
    buf_init(&all, ERROR_TEXT_MAX / 2);
    for (size_t i = 0; i < key_count; i++) {
        nearest_try(&nearest, str_of(keys[i].name));
        buf_addf(&all, "%s%s", i ? ", " : "", keys[i].name);
    }
    int failed = nearest.name.ptr
                     ? config_wrong(at, err, "there is no key '%.*s'; did you mean '%.*s'?",
                                    STR_ARG(name), STR_ARG(nearest.name))
                     : config_wrong(at, err, "there is no key '%.*s'; the keys are: %s",
                                    STR_ARG(name), all.ptr);
    buf_release(&all);
    return failed;
}

static int check_entries(struct config_place *at, const struct config_section *section,
                         const struct config_key *keys, size_t key_count, bool values,
                         struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < section->entry_count; i++) {
        const struct config_entry *entry = &section->entries[i];
        const struct config_key *key = NULL;
        at->line = entry->line;
        for (size_t k = 0; k < key_count && !key; k++) {
            key = str_eq(entry->key, str_of(keys[k].name)) ? &keys[k] : NULL;
        }
        failed = !key     ? unknown_key(at, entry->key, keys, key_count, err)
                 : values ? check_value(at, key, entry, err)
                          : 0;
    }
    return failed;
}

static struct config_place place_of(const struct config *config)
{
    return (struct config_place){.name = config->path ? config->path : "stint.conf"};
}

int config_check_keys(const struct config *config, const struct config_section *section,
                      const struct config_key *keys, size_t key_count, struct error *err)
{
    struct config_place at = place_of(config);
    return check_entries(&at, section, keys, key_count, false, err);
}

int config_check_section(const struct config *config, const struct config_section *section,
                         const struct config_key *keys, size_t key_count, struct error *err)
{
    struct config_place at = place_of(config);
    int failed = check_entries(&at, section, keys, key_count, true, err);
    if (failed) {
        return failed;
    }
    at.line = section->line;
    for (size_t k = 0; k < key_count; k++) {
        if (keys[k].required && !config_entry_of(section, str_of(keys[k].name))) {
            return config_wrong(&at, err, "this section needs '%s = ...': %s", keys[k].name,
                                keys[k].help);
        }
    }
    return 0;
}

int config_check_plain(const struct config *config, struct error *err)
{
    int failed = 0;
    for (const struct config_plain *plain = config_plain; plain->kind && !failed; plain++) {
        for (size_t i = 0; i < config->section_count && !failed; i++) {
            const struct config_section *section = &config->sections[i];
            if (str_eq(section->kind, str_of(plain->kind))) {
                failed =
                    config_check_section(config, section, plain->keys, plain->key_count, err);
            }
        }
    }
    return failed;
}
