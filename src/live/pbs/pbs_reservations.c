/* SPDX-License-Identifier: MIT */

/*
 * What `pbs_rstat -f` prints:
 *
 *     Resv ID: R416808.head
 *     Reserve_Name = course
 *     Reserve_Owner = root@head
 *     reserve_state = RESV_RUNNING
 *     reserve_start = Mon Oct 06 10:00:00 2025
 *     reserve_end = Mon Oct 06 18:00:00 2025
 *     queue = R416808
 *     Resource_List.ncpus = 128
 *     resv_nodes = (n1:ncpus=64)+(n2:ncpus=64)
 *     Authorized_Users = ann@*,bob@*
 *
 * A long value goes on in the next line, behind a tab. Ids begin with R, S (standing: one that
 * comes again and again) or M (maintenance).
 */

#include <string.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/scan.h"
#include "live/pbs/pbs_live.h"
#include "source/pbs/pbs_document.h"
#include "source/pbs/pbs_record.h"

struct reservation {
    struct str id, name, state, start, end, queue, cpus, nodes, users, groups;
};

static const struct {
    const char *name;
    size_t offset;
} attributes[] = {
    {"Reserve_Name", offsetof(struct reservation, name)},
    {"reserve_state", offsetof(struct reservation, state)},
    {"reserve_start", offsetof(struct reservation, start)},
    {"reserve_end", offsetof(struct reservation, end)},
    {"queue", offsetof(struct reservation, queue)},
    {"Resource_List.ncpus", offsetof(struct reservation, cpus)},
    {"resv_nodes", offsetof(struct reservation, nodes)},
    {"Authorized_Users", offsetof(struct reservation, users)},
    {"Authorized_Groups", offsetof(struct reservation, groups)},
};

static void set_attribute(struct reservation *reservation, struct str name, struct str text)
{
    for (size_t i = 0; i < COUNT_OF(attributes); i++) {
        if (str_eq(name, str_of(attributes[i].name))) {
            memcpy((char *)reservation + attributes[i].offset, &text, sizeof(text));
        }
    }
}

/* "NAME = VALUE", with the lines that go on in it. */
static void read_attribute(struct reservation *reservation, struct str line, struct str *rest,
                           struct arena *arena)
{
    static const struct str sign = {" = ", 3};
    const char *at = memmem(line.ptr, line.len, sign.ptr, sign.len);
    struct buf value;
    if (!at) {
        return;
    }
    const struct str name = str_trim((struct str){line.ptr, (size_t)(at - line.ptr)});
    const size_t begin = (size_t)(at - line.ptr) + sign.len;
    buf_init(&value, LIMIT_TEXT_FIELD);
    buf_add(&value, str_trim((struct str){line.ptr + begin, line.len - begin}));
    while (rest->ptr && rest->len > 0 && rest->ptr[0] == '\t') {
        buf_add(&value, str_trim(str_cut(rest, '\n')));
    }
    set_attribute(reservation, name, arena_copy(arena, buf_str(&value)));
    buf_release(&value);
}

static bool is_over(struct str state)
{
    return str_eq(state, STR("RESV_FINISHED")) || str_eq(state, STR("RESV_DELETED")) ||
           str_eq(state, STR("RESV_DENIED"));
}

static void set_text(struct inventory_item *thing, unsigned field, struct str text)
{
    if (text.len > 0) {
        INVENTORY_ITEM_SET_TEXT(thing, field, text);
    }
}

static void set_time(struct inventory_item *thing, unsigned field, struct str text)
{
    int64_t at = 0;
    if (pbs_time(text, NULL, &at)) {
        INVENTORY_ITEM_SET_INT(thing, field, at);
    }
}

static struct str flags_of(const struct reservation *reservation, struct arena *arena)
{
    const char kind = reservation->id.ptr[0];
    struct str state = reservation->state;
    if (str_starts(state, STR("RESV_"))) {
        state = (struct str){state.ptr + 5, state.len - 5};
    }
    return str_of(arena_printf(arena, "%s%.*s",
                               kind == 'M'   ? "MAINT,"
                               : kind == 'S' ? "STANDING,"
                                             : "",
                               STR_ARG(state)));
}

static void put_nodes(const struct reservation *reservation, struct arena *arena,
                      struct inventory_item *thing)
{
    struct hosts hosts = {.arena = arena};
    struct pbs_places places;
    if (reservation->nodes.len > 0 && pbs_exec_vnode(reservation->nodes, &hosts, &places)) {
        set_text(thing, RESERVATION_nodes, hosts_text(&hosts, -1));
        INVENTORY_ITEM_SET_INT(thing, RESERVATION_node_count, (int64_t)hosts.count);
    }
}

static void end_reservation(const struct reservation *reservation, struct arena *arena,
                            struct inventory_item_list *out)
{
    int64_t cpus = 0;
    if (reservation->id.len == 0 || is_over(reservation->state)) {
        return;
    }
    struct inventory_item *thing = inventory_item_list_add(out);
    struct str id = reservation->id;
    INVENTORY_ITEM_SET_TEXT(thing, RESERVATION_reservation,
                            reservation->name.len > 0 && !str_eq(reservation->name, STR("NULL"))
                                ? reservation->name
                                : str_cut(&id, '.'));
    set_time(thing, RESERVATION_start, reservation->start);
    set_time(thing, RESERVATION_end, reservation->end);
    put_nodes(reservation, arena, thing);
    if (scan_int(reservation->cpus, &cpus) && cpus >= 0) {
        INVENTORY_ITEM_SET_INT(thing, RESERVATION_cpus, cpus);
    }
    set_text(thing, RESERVATION_users, reservation->users);
    set_text(thing, RESERVATION_accounts, reservation->groups);
    set_text(thing, RESERVATION_partition, reservation->queue);
    set_text(thing, RESERVATION_flags, flags_of(reservation, arena));
}

int pbs_reservations_read(struct str text, struct arena *arena,
                          struct inventory_item_list *reservations,
                          struct inventory_item_list *second, struct error *err)
{
    static const struct str begins = {"Resv ID:", 8};
    struct reservation reservation = {0};
    (void)second;
    if (str_trim(text).len > 0 && !str_starts(str_trim(text), begins)) {
        return error_set(err, ERROR_INPUT, "pbs_rstat did not print a list of reservations");
    }
    while (text.ptr) {
        const struct str line = str_cut(&text, '\n');
        if (str_starts(line, begins)) {
            end_reservation(&reservation, arena, reservations);
            reservation = (struct reservation){
                .id = str_trim((struct str){line.ptr + begins.len, line.len - begins.len})};
        } else {
            read_attribute(&reservation, line, &text, arena);
        }
    }
    end_reservation(&reservation, arena, reservations);
    return 0;
}
