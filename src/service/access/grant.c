/* SPDX-License-Identifier: MIT */
#include "service/access/grant.h"

#include <grp.h>
#include <pwd.h>

static bool is_break(char byte)
{
    return byte == ',' || byte == ' ' || byte == '\t';
}

/* Takes the next name off a list; false at its end. */
static bool next_name(struct str *list, struct str *name)
{
    while (list->len > 0 && is_break(*list->ptr)) {
        list->ptr++;
        list->len--;
    }
    *name = (struct str){list->ptr, 0};
    while (list->len > 0 && !is_break(*list->ptr)) {
        list->ptr++;
        list->len--;
        name->len++;
    }
    return name->len > 0;
}

static bool has_name(struct str list, struct str wanted)
{
    struct str name;
    while (next_name(&list, &name)) {
        if (str_eq(name, wanted)) {
            return true;
        }
    }
    return false;
}

static struct str text_of(const struct config_section *rule, enum config_access_key key)
{
    return config_text(rule, &config_access_keys[key]);
}

static bool is_rule(const struct config_section *section)
{
    return str_eq(section->kind, STR("access"));
}

static enum role role_of(const struct config_section *rule)
{
    enum role role;
    return role_find(text_of(rule, CONFIG_ACCESS_ROLE), &role) ? role : ROLE_USER;
}

/*
 * Those of its role and those that it names; names are checked when stint.conf is read
 * (grant_check).
 */
static unsigned rights_of(const struct config_section *rule)
{
    struct error ignored;
    unsigned more = 0;
    (void)!rights_read(text_of(rule, CONFIG_ACCESS_RIGHTS), &more, &ignored);
    return role_rights(role_of(rule)) | more;
}

static bool applies(const struct config_section *rule, struct str name,
                    const struct str *groups, size_t group_count)
{
    bool found = has_name(text_of(rule, CONFIG_ACCESS_USERS), name);
    for (size_t i = 0; !found && i < group_count; i++) {
        found = has_name(text_of(rule, CONFIG_ACCESS_GROUPS), groups[i]);
    }
    return found;
}

/* Puts the names of a list behind those that are there. */
static void append(struct str list, struct arena *arena, const struct str **names,
                   size_t *count)
{
    size_t more = 0;
    const struct str *added = grant_names(list, arena, &more);
    if (more == 0) {
        return;
    }
    struct str *all = arena_alloc(arena, (*count + more) * sizeof(*all));
    for (size_t i = 0; i < *count + more; i++) {
        all[i] = i < *count ? (*names)[i] : added[i - *count];
    }
    *names = all;
    *count += more;
}

void grant_apply(const struct config *config, struct str name, const struct str *groups,
                 size_t group_count, struct arena *arena, struct caller *caller)
{
    for (size_t i = 0; config && i < config->section_count; i++) {
        const struct config_section *rule = &config->sections[i];
        if (!is_rule(rule) || !applies(rule, name, groups, group_count)) {
            continue;
        }
        caller->rights |= rights_of(rule);
        caller->role = role_of(rule) > caller->role ? role_of(rule) : caller->role;
        append(text_of(rule, CONFIG_ACCESS_MANAGES_GROUPS), arena, &caller->groups,
               &caller->group_count);
        append(text_of(rule, CONFIG_ACCESS_MANAGES_ACCOUNTS), arena, &caller->accounts,
               &caller->account_count);
        append(text_of(rule, CONFIG_ACCESS_MANAGES_METAGROUPS), arena, &caller->metagroups,
               &caller->metagroup_count);
    }
}

bool grant_knows(const struct config *config, struct str group)
{
    for (size_t i = 0; config && i < config->section_count; i++) {
        if (is_rule(&config->sections[i]) &&
            has_name(text_of(&config->sections[i], CONFIG_ACCESS_GROUPS), group)) {
            return true;
        }
    }
    return false;
}

const struct str *grant_names(struct str list, struct arena *arena, size_t *count)
{
    struct str name, rest = list;
    *count = 0;
    while (next_name(&rest, &name)) {
        ++*count;
    }
    struct str *names = arena_alloc(arena, (*count + 1) * sizeof(*names));
    for (size_t i = 0; next_name(&list, &name); i++) {
        names[i] = arena_copy(arena, name);
    }
    return names;
}

int grant_check(const struct config *config, struct error *err)
{
    for (size_t i = 0; config && i < config->section_count; i++) {
        const struct config_section *rule = &config->sections[i];
        bool manages = false;
        if (!is_rule(rule)) {
            continue;
        }
        for (enum config_access_key key = CONFIG_ACCESS_MANAGES_GROUPS;
             key <= CONFIG_ACCESS_MANAGES_METAGROUPS; key++) {
            manages = manages || text_of(rule, key).len > 0;
        }
        if (manages &&
            (rights_of(rule) & RIGHT_TRANSFER) == 0) { /* who sees all manages to move */
            return error_set(err, ERROR_USAGE,
                             "'%s', line %u: what a rule manages is for role = manager",
                             config->path, rule->line);
        }
        unsigned ignored;
        struct error wrong;
        if (rights_read(text_of(rule, CONFIG_ACCESS_RIGHTS), &ignored, &wrong)) {
            return error_set(err, ERROR_USAGE, "'%s', line %u: %s", config->path, rule->line,
                             wrong.text);
        }
        if (!text_of(rule, CONFIG_ACCESS_USERS).len &&
            !text_of(rule, CONFIG_ACCESS_GROUPS).len) {
            return error_set(err, ERROR_USAGE,
                             "'%s', line %u: a rule needs users or groups to whom it applies",
                             config->path, rule->line);
        }
    }
    return 0;
}

const struct str *grant_unix_groups(unsigned uid, struct arena *arena, size_t *count)
{
    enum { GROUPS_MAX = 1024, ROOM = 64 << 10 };

    struct passwd entry, *found = NULL;
    gid_t gids[GROUPS_MAX];
    int known = GROUPS_MAX;
    char *room = arena_alloc(arena, ROOM);
    *count = 0;
    if (getpwuid_r((uid_t)uid, &entry, room, ROOM, &found) != 0 || !found ||
        getgrouplist(entry.pw_name, entry.pw_gid, gids, &known) < 0) {
        return NULL;
    }
    struct str *names = arena_alloc(arena, ((size_t)known + 1) * sizeof(*names));
    for (int i = 0; i < known; i++) {
        struct group group, *there = NULL;
        if (getgrgid_r(gids[i], &group, room, ROOM, &there) == 0 && there) {
            names[(*count)++] = arena_copy(arena, str_of(group.gr_name));
        }
    }
    return names;
}
