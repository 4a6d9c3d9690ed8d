/* SPDX-License-Identifier: MIT */
#include "service/core/caller_scope.h"

#include "books/membership.h"
#include "config/config.h"

static const enum scope_rank ranks[] = {
    [MEMBERSHIP_GROUP] = SCOPE_GROUP,
    [MEMBERSHIP_ACCOUNT] = SCOPE_ACCOUNT,
    [MEMBERSHIP_USER] = SCOPE_USER,
};

static bool is_managed(const struct caller *caller, const struct membership *member)
{
    for (size_t level = 0; level < member->depth; level++) {
        for (size_t i = 0; i < caller->metagroup_count; i++) {
            if (str_eq(member->levels[level], caller->metagroups[i])) {
                return true;
            }
        }
    }
    return false;
}

static void add_stretches(const struct caller *caller, const struct membership_list *members,
                          struct arena *arena, struct scope *scope)
{
    struct scope_stretch *stretches =
        arena_alloc(arena, (members->count + 1) * sizeof(*stretches));
    for (size_t i = 0; i < members->count; i++) {
        const struct membership *member = &members->rows[i];
        if (member->rank != MEMBERSHIP_METAGROUP) {
            stretches[scope->stretch_count++] = (struct scope_stretch){
                .rank = ranks[member->rank],
                .name = arena_copy(arena, member->name),
                .from = member->from,
                .to = member->to,
                .mine = is_managed(caller, member),
            };
        }
    }
    scope->stretches = stretches;
}

static int open_site_zone(const struct service *service, struct zone **out, struct error *err)
{
    const struct config_section *site =
        service->config ? config_find(service->config, STR("site"), (struct str){0}) : NULL;
    return zone_open(config_text(site, &config_site_keys[CONFIG_SITE_ZONE]).ptr, out, err);
}

int caller_scope_add(const struct service *service, struct arena *arena, struct scope *scope,
                     struct error *err)
{
    const struct caller *caller = service->caller;
    struct membership_list members = {0};
    struct books *books = NULL;
    struct zone *zone = NULL;
    int failed = 0;
    if (scope->all || !caller_may(caller, RIGHT_MANAGED) || caller->metagroup_count == 0) {
        return 0;
    }
    (void)((failed = open_site_zone(service, &zone, err)) ||
           (failed = service_books(service, BOOKS_READ, &books, err)) ||
           (failed = books_memberships(books, zone, &members, err)));
    if (!failed) {
        add_stretches(caller, &members, arena, scope);
    }
    membership_list_release(&members);
    zone_close(zone);
    return failed;
}
