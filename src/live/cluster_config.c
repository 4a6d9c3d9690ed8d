/* SPDX-License-Identifier: MIT */

/*
 * The [cluster] sections of stint.conf: keys that all schedulers share, and those of each.
 */

#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "live/live.h"

static const char *driver_name(size_t index)
{
    return live_drivers[index] ? live_drivers[index]->name : NULL;
}

const struct config_key live_keys[] = {
    {.name = "scheduler",
     .type = CONFIG_CHOICE,
     .name_at = driver_name,
     .required = true,
     .help = "which scheduler it runs"},
    {.name = "zone",
     .type = CONFIG_ZONE,
     .help = "time zone of times that the scheduler reports without one; default the site's"},
    {.name = "every",
     .type = CONFIG_DURATION,
     .fallback = "60",
     .help = "interval of stint pull --every 0 and of stint serve"},
    {.name = "since",
     .type = CONFIG_INSTANT,
     .help = "start of the history that the first pull asks for; default: all"},
    {.name = "timeout",
     .type = CONFIG_DURATION,
     .fallback = "5m",
     .help = "maximum time to wait for an answer"},
    {.name = "answer_mib",
     .type = CONFIG_NUMBER,
     .fallback = "16384",
     .help = "maximum size of one answer in MiB, which is kept in a temporary file until all "
             "of it has arrived; a larger one is refused"},
};

const size_t live_key_count = COUNT_OF(live_keys);

const struct config_key *live_key(const char *name)
{
    for (size_t i = 0; i < live_key_count; i++) {
        if (strcmp(live_keys[i].name, name) == 0) {
            return &live_keys[i];
        }
    }
    return NULL;
}

uint64_t live_answer_limit(const struct config_section *section, uint64_t most)
{
    const int64_t mib = config_number(section, live_key("answer_mib"), 0);
    const uint64_t bytes = (uint64_t)(mib < 1 ? 1 : mib > 1 << 30 ? 1 << 30 : mib) << 20;
    return bytes < most ? bytes : most;
}

static bool means_nothing(const struct live_driver *driver, const struct config_key *key)
{
    return driver->no_since && key == live_key("since");
}

struct config_key *live_all_keys(const struct live_driver *driver, size_t *count)
{
    struct config_key *keys = mem_alloc(live_key_count + driver->key_count, sizeof(*keys));
    *count = 0;
    for (size_t i = 0; i < live_key_count; i++) {
        if (!means_nothing(driver, &live_keys[i])) {
            keys[(*count)++] = live_keys[i];
        }
    }
    for (size_t i = 0; i < driver->key_count; i++) {
        keys[(*count)++] = driver->keys[i];
    }
    return keys;
}

/* A wish that would come to nothing is refused, rather than passed over. */
static int refuse_since(const struct config *config, const struct config_section *section,
                        const struct live_driver *driver, struct error *err)
{
    for (size_t i = 0; driver->no_since && i < section->entry_count; i++) {
        if (str_eq(section->entries[i].key, STR("since"))) {
            return error_set(err, ERROR_INPUT,
                             "'%s' line %u: 'since' does not apply to the scheduler %s: %s",
                             config->path, section->entries[i].line, driver->name,
                             driver->no_since);
        }
    }
    return 0;
}

/*
 * Without a scheduler it is not known what the keys take. But whether any scheduler has such
 * keys is: in most cases the one that is missing is there, misspelt.
 */
static int missing_scheduler(const struct config *config, const struct config_section *section,
                             struct error *err)
{
    char names[CONFIG_TYPE_MAX];
    size_t count = live_key_count;
    for (size_t i = 0; live_drivers[i]; i++) {
        count += live_drivers[i]->key_count;
    }
    struct config_key *keys = mem_alloc(count, sizeof(*keys));
    memcpy(keys, live_keys, sizeof(live_keys));
    count = live_key_count;
    for (size_t i = 0; live_drivers[i]; i++) {
        for (size_t k = 0; k < live_drivers[i]->key_count; k++) {
            keys[count++] = live_drivers[i]->keys[k];
        }
    }
    int failed = config_check_keys(config, section, keys, count, err);
    free(keys);
    return failed ? failed
                  : error_set(err, ERROR_INPUT,
                              "'%s' line %u: this section needs 'scheduler = ...', one of: %s",
                              config->path, section->line,
                              config_type_name(live_key("scheduler"), names));
}

static int unknown_scheduler(const struct config *config, const struct config_section *section,
                             struct str name, struct error *err)
{
    char names[CONFIG_TYPE_MAX];
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; live_drivers[i]; i++) {
        nearest_try(&nearest, str_of(live_drivers[i]->name));
    }
    return error_set(
        err, ERROR_INPUT,
        "'%s' line %u: there is no scheduler '%.*s'; %s%.*s%sthe schedulers are: %s",
        config->path, section->line, STR_ARG(name), nearest.name.ptr ? "did you mean '" : "",
        STR_ARG(nearest.name), nearest.name.ptr ? "'? " : "",
        config_type_name(live_key("scheduler"), names));
}

int live_check_section(const struct config *config, const struct config_section *section,
                       const struct live_driver **driver, struct error *err)
{
    const struct str name = config_text(section, live_key("scheduler"));
    *driver = name.ptr ? live_find(name) : NULL;
    if (!*driver) {
        return name.ptr ? unknown_scheduler(config, section, name, err)
                        : missing_scheduler(config, section, err);
    }
    int failed = refuse_since(config, section, *driver, err);
    if (failed) {
        return failed;
    }
    size_t count;
    struct config_key *keys = live_all_keys(*driver, &count);
    failed = config_check_section(config, section, keys, count, err);
    free(keys);
    return failed;
}

int64_t live_slack(const struct config_section *section)
{
    const int64_t every = config_number(section, live_key("every"), 0);
    return every < 60 * SECOND_US ? 600 * SECOND_US : 10 * every;
}

int pull_since(const struct pull *pull, int64_t *out, struct error *err)
{
    const struct str since = config_text(pull->section, live_key("since"));
    struct period span;
    *out = INT64_MIN;
    if (since.len == 0) {
        return 0;
    }
    int failed = calendar_span(since, pull->zone, pull->now(), &span, err);
    if (!failed) {
        *out = span.from;
    }
    return failed ? error_prepend(err, "'since': ") : 0;
}
