/* SPDX-License-Identifier: MIT */
#include "base/hostlist.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/scan.h"

enum { BRACKETS_MAX = 4, DIGITS_MAX = 18, CPUS_DIGITS_MAX = 9 };

struct reader {
    struct arena *arena;
    struct hostlist *out;
    size_t room;
    int64_t cpus;               /* of each node of the item that is being read */
    char name[LIMIT_HOST_NAME]; /* what of it is written so far */
};

/*
 * A place in a name: what lies before it is written, what lies behind it is still to be read.
 */
struct place {
    size_t len;
    struct str rest;
    int brackets; /* already passed */
};

static bool is_number(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return text.len > 0 && text.len <= DIGITS_MAX;
}

/*
 * What is behind the last star; the null string where there is none, or nothing that is a
 * number.
 */
static struct str behind_star(struct str item)
{
    const char *star = item.len > 0 ? memrchr(item.ptr, '*', item.len) : NULL;
    struct str rest = {0};
    if (star) {
        rest = (struct str){star + 1, item.len - (size_t)(star - item.ptr) - 1};
    }
    return is_number(rest) ? rest : (struct str){0};
}

static void make_name_room(struct reader *r)
{
    struct hostlist_node *old = r->out->nodes;
    r->room = r->room ? 2 * r->room : 16;
    r->out->nodes = arena_alloc(r->arena, r->room * sizeof(*r->out->nodes));
    if (old) {
        memcpy(r->out->nodes, old, r->out->count * sizeof(*old));
    }
}

/* What reads as a name with cpus is no name: a list of names alone would read as another. */
static bool add_name(struct reader *r, struct str name)
{
    if (name.len == 0 || name.len > LIMIT_HOST_NAME || r->out->count == LIMIT_HOSTS ||
        behind_star(name).ptr) {
        return false;
    }
    if (r->out->count == r->room) {
        make_name_room(r);
    }
    r->out->nodes[r->out->count++] = (struct hostlist_node){name, r->cpus};
    r->out->cpus += r->cpus;
    return true;
}

static bool expand(struct reader *r, struct place at);

/* "7", "07-12": every number of it, each followed by the rest of the name. */
static bool expand_range(struct reader *r, struct place at, struct str range)
{
    struct str high = range;
    const struct str low = str_cut(&high, '-');
    int64_t first = 0, last = 0;
    if (!is_number(low) || (high.ptr && !is_number(high)) || !scan_int(low, &first) ||
        !scan_int(high.ptr ? high : low, &last) || first > last) {
        return false;
    }
    const int width = low.ptr[0] == '0' ? (int)low.len : 1;
    bool good = true;
    for (int64_t number = first; good && number <= last; number++) {
        char digits[DIGITS_MAX + 2];
        int len = snprintf(digits, sizeof(digits), "%0*" PRId64, width, number);
        struct place next = at;
        good = at.len + (size_t)len < sizeof(r->name);
        if (good) {
            memcpy(r->name + at.len, digits, (size_t)len);
            next.len += (size_t)len;
            good = expand(r, next);
        }
    }
    return good;
}

/* at.rest begins with a bracket. */
static bool expand_bracket(struct reader *r, struct place at)
{
    const char *end = str_byte(at.rest, ']');
    if (!end || at.brackets == BRACKETS_MAX) {
        return false;
    }
    const size_t inside = (size_t)(end - at.rest.ptr) - 1;
    struct str ranges = {at.rest.ptr + 1, inside};
    at.rest = (struct str){end + 1, at.rest.len - inside - 2};
    at.brackets++;
    bool good = true;
    while (good && ranges.ptr) {
        good = expand_range(r, at, str_cut(&ranges, ','));
    }
    return good;
}

/* All names that begin with what is written and go on as the rest says. */
static bool expand(struct reader *r, struct place at)
{
    const char *bracket = str_byte(at.rest, '[');
    const size_t plain = bracket ? (size_t)(bracket - at.rest.ptr) : at.rest.len;
    if (at.len + plain > sizeof(r->name) || memchr(at.rest.ptr, ']', plain)) {
        return false;
    }
    memcpy(r->name + at.len, at.rest.ptr, plain);
    at.len += plain;
    if (bracket) {
        at.rest = (struct str){bracket, at.rest.len - plain};
        return expand_bracket(r, at);
    }
    return add_name(r, arena_copy(r->arena, (struct str){r->name, at.len}));
}

/* Cuts off the text before the first comma that is in no bracket. */
static struct str cut_name(struct str *rest)
{
    bool inside = false;
    for (size_t i = 0; i < rest->len; i++) {
        const char byte = rest->ptr[i];
        inside = byte == '[' || (inside && byte != ']');
        if (byte == ',' && !inside) {
            const struct str name = {rest->ptr, i};
            *rest = (struct str){rest->ptr + i + 1, rest->len - i - 1};
            return name;
        }
    }
    const struct str name = *rest;
    *rest = (struct str){0};
    return name;
}

static bool is_clean(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if ((unsigned char)name.ptr[i] <= ' ' || name.ptr[i] == '(') { /* "None assigned" */
            return false;
        }
    }
    return name.len > 0;
}

/* Cuts "*8" off the end of an item; false if it does not say its cpus. */
static bool cut_cpus(struct str *item, int64_t *cpus)
{
    const struct str digits = behind_star(*item);
    *cpus = 0;
    if (!digits.ptr || digits.len > CPUS_DIGITS_MAX || !scan_int(digits, cpus)) {
        return false;
    }
    item->len -= digits.len + 1;
    return true;
}

static void forget_cpus(struct hostlist *list)
{
    list->cpus = 0;
    for (size_t i = 0; i < list->count; i++) {
        list->nodes[i].cpus = 0;
    }
}

bool hostlist_read(struct str text, struct arena *arena, struct hostlist *out)
{
    struct reader reader = {.arena = arena, .out = out};
    bool good = text.len > 0, counted = true;
    *out = (struct hostlist){0};
    while (good && text.ptr) {
        struct str name = str_trim(cut_name(&text));
        counted &= cut_cpus(&name, &reader.cpus);
        good = is_clean(name) && (str_byte(name, '[') || str_byte(name, ']')
                                      ? expand(&reader, (struct place){.rest = name})
                                      : add_name(&reader, name));
    }
    if (!good) {
        *out = (struct hostlist){0};
    } else if (!counted || out->cpus > LIMIT_HOST_CPUS) {
        forget_cpus(out);
    }
    return good;
}

static int by_name(const void *a, const void *b)
{
    return str_compare(((const struct hostlist_node *)a)->name,
                       ((const struct hostlist_node *)b)->name);
}

void hostlist_sort(struct hostlist *list)
{
    struct hostlist_node *nodes = list->nodes;
    size_t kept = 0;
    if (list->count > 1) {
        qsort(nodes, list->count, sizeof(*nodes), by_name);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && str_eq(nodes[kept - 1].name, nodes[i].name)) {
            nodes[kept - 1].cpus += nodes[i].cpus;
        } else {
            nodes[kept++] = nodes[i];
        }
    }
    list->count = kept;
}

/* --- looking for one name ----------------------------------------------------------------- */

/*
 * Whether the digits could be those of a number in "7" or "07-12"; what is no range could have
 * any.
 */
static bool may_be_in(struct str range, struct str digits)
{
    struct str high = range;
    const struct str low = str_cut(&high, '-');
    int64_t first = 0, last = 0, number = 0;
    if (!is_number(low) || !scan_int(low, &first) || !scan_int(high.ptr ? high : low, &last)) {
        return true;
    }
    return scan_int(digits, &number) && number >= first && number <= last;
}

static bool may_be(struct str item, struct str name);

/* item begins with a bracket: any number of it, then the rest. */
static bool may_go_on(struct str item, struct str name)
{
    const char *end = str_byte(item, ']');
    if (!end) {
        return true; /* reading all of it says that it is no list */
    }
    const size_t inside = (size_t)(end - item.ptr) - 1;
    const struct str rest = {end + 1, item.len - inside - 2};
    bool found = false;
    for (size_t len = 1; !found && len <= name.len && len <= DIGITS_MAX + 1; len++) {
        if (name.ptr[len - 1] < '0' || name.ptr[len - 1] > '9') {
            break;
        }
        struct str ranges = {item.ptr + 1, inside};
        bool in = false;
        while (!in && ranges.ptr) {
            in = may_be_in(str_cut(&ranges, ','), (struct str){name.ptr, len});
        }
        found = in && may_be(rest, (struct str){name.ptr + len, name.len - len});
    }
    return found;
}

/* Whether an item may have the name among its own; its cpus may follow. */
static bool may_be(struct str item, struct str name)
{
    const char *bracket = str_byte(item, '[');
    const size_t plain = bracket ? (size_t)(bracket - item.ptr) : item.len;
    if (!bracket) {
        return str_starts(item, name) && (item.len == name.len || item.ptr[name.len] == '*');
    }
    const struct str before = {item.ptr, plain};
    return str_starts(name, before) &&
           may_go_on((struct str){bracket, item.len - plain},
                     (struct str){name.ptr + plain, name.len - plain});
}

bool hostlist_has(struct str text, struct str name, struct arena *arena)
{
    struct hostlist list;
    struct str rest = text;
    bool found = false;
    while (!found && rest.ptr) {
        found = may_be(str_trim(cut_name(&rest)), name);
    }
    if (!found || !hostlist_read(text, arena, &list)) {
        return false;
    }
    found = false;
    for (size_t i = 0; !found && i < list.count; i++) {
        found = str_eq(list.nodes[i].name, name);
    }
    return found;
}
