/* SPDX-License-Identifier: MIT */
#include "enforce/enforce.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"

const char *enforce_mode_name(enum enforce_mode mode)
{
    static const char *const names[ENFORCE_MODES] = {
        [ENFORCE_LIMIT] = "limit",
        [ENFORCE_HOLD] = "hold",
        [ENFORCE_REFUSE] = "refuse",
        [ENFORCE_JOBS] = "jobs",
    };
    return names[mode];
}

const char *enforce_kind_name(enum enforce_kind kind)
{
    static const char *const names[ENFORCE_KINDS] = {
        [ENFORCE_ACCOUNT] = "account", [ENFORCE_PROJECT] = "project", [ENFORCE_USER] = "user"};
    return names[kind];
}

enum enforce_kind enforce_kind_of(struct str name)
{
    unsigned kind = 0;
    while (kind < ENFORCE_KINDS && !str_eq(name, str_of(enforce_kind_name(kind)))) {
        kind++;
    }
    return kind;
}

/* --- states ------------------------------------------------------------------------------- */

int enforce_target_compare(const struct enforce_target *a, const struct enforce_target *b)
{
    const int by_kind = (a->kind > b->kind) - (a->kind < b->kind);
    const int by_name = by_kind ? by_kind : str_compare(a->name, b->name);
    return by_name ? by_name : str_compare(a->under, b->under);
}

struct enforce_state *enforce_states_add(struct enforce_states *states)
{
    const size_t count = states->count;
    if (count >= ENFORCE_STATES_MAX) {
        return NULL;
    }
    if ((count & (count - 1)) == 0) {
        states->rows = mem_resize(states->rows, count ? 2 * count : 1, sizeof(*states->rows));
    }
    states->rows[count] = (struct enforce_state){0};
    return &states->rows[states->count++];
}

static int compare_states(const void *a, const void *b)
{
    const struct enforce_state *x = a, *y = b;
    return enforce_target_compare(&x->target, &y->target);
}

void enforce_states_sort(struct enforce_states *states)
{
    if (states->count > 1) {
        qsort(states->rows, states->count, sizeof(*states->rows), compare_states);
    }
}

const struct enforce_state *enforce_states_find(const struct enforce_states *states,
                                                const struct enforce_target *target)
{
    const struct enforce_state wanted = {.target = *target};
    return states->count ? bsearch(&wanted, states->rows, states->count, sizeof(*states->rows),
                                   compare_states)
                         : NULL;
}

void enforce_states_release(struct enforce_states *states)
{
    free(states->rows);
    free(states->qos);
    arena_release(&states->arena);
    *states = (struct enforce_states){0};
}

/* --- the section of stint.conf ------------------------------------------------------------ */

struct enforce_site enforce_site_of(const struct config *config,
                                    const struct config_section *section,
                                    const struct stop *stop)
{
    const struct str mode = config_text(section, &config_enforce_keys[CONFIG_ENFORCE_MODE]);
    struct enforce_site site = {
        .cluster = section->name,
        .section = section,
        .asked = config_find(config, STR("cluster"), section->name),
        .ends_running =
            config_number(section, &config_enforce_keys[CONFIG_ENFORCE_ENDS_RUNNING], 0) != 0,
        .stop = stop,
    };
    while (site.mode + 1 < ENFORCE_MODES &&
           !str_eq(mode, str_of(enforce_mode_name(site.mode)))) {
        site.mode++;
    }
    return site;
}

struct str enforce_site_text(const struct enforce_site *site, enum config_enforce_key key)
{
    const struct str own = config_text(site->section, &config_enforce_keys[key]);
    return own.ptr || !site->asked ? own : config_text(site->asked, &config_enforce_keys[key]);
}

/* --- drivers ------------------------------------------------------------------------------ */

const struct enforce_driver *enforce_driver_find(struct str name)
{
    for (size_t i = 0; enforce_drivers[i]; i++) {
        if (str_eq(name, str_of(enforce_drivers[i]->name))) {
            return enforce_drivers[i];
        }
    }
    return NULL;
}

int enforce_driver_check(const struct enforce_driver *driver, const struct enforce_site *site,
                         struct error *err)
{
    struct buf modes;
    int failed = 0;
    if (driver->modes & 1U << site->mode) {
        return 0;
    }
    buf_init(&modes, ERROR_TEXT_MAX / 2);
    for (unsigned mode = 0; mode < ENFORCE_MODES; mode++) {
        if (driver->modes & 1U << mode) {
            buf_addf(&modes, "%s%s", modes.len ? ", " : "", enforce_mode_name(mode));
        }
    }
    failed = error_set(err, ERROR_INPUT,
                       "[enforce %.*s]: the driver %s does not have the mode %s; it has: %.*s",
                       STR_ARG(site->cluster), driver->name, enforce_mode_name(site->mode),
                       STR_ARG(buf_str(&modes)));
    buf_release(&modes);
    return failed;
}
