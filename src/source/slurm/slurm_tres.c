/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/scan.h"
#include "source/slurm/slurm_row.h"

/*
 * Trackable resources: "billing=10,cpu=2,gres/gpu:a100=1,gres/gpu=1,mem=200M,node=1". The same
 * list says what was allocated, requested, or used by a step; memory counts MiB in the first
 * two and bytes in the last. Archives have numbers for the first five. Before there were TRES
 * there was "gpu:tesla:2(IDX:0-1)".
 */

enum {
    TRES_CPU,
    TRES_MEM,
    TRES_NODE,
    TRES_BILLING,
    TRES_ENERGY,
    TRES_VMEM,
    TRES_DISK,
    TRES_COUNT,
    NOWHERE = 255,
    TYPES_MAX = 256,    /* bytes of the names of all types of a job */
    FIRST_NAMED = 1000, /* numbers from here on stand for what a site named in its settings */
};

#define RESOURCE(name, number)                                                                 \
    {                                                                                          \
        {(name), sizeof(name) - 1}, (number)                                                   \
    }

static const struct {
    struct str name;
    char number;
} resources[TRES_COUNT] = {
    [TRES_CPU] = RESOURCE("cpu", '1'),       [TRES_MEM] = RESOURCE("mem", '2'),
    [TRES_NODE] = RESOURCE("node", '4'),     [TRES_BILLING] = RESOURCE("billing", '5'),
    [TRES_ENERGY] = RESOURCE("energy", '3'), [TRES_VMEM] = RESOURCE("vmem", '7'),
    [TRES_DISK] = RESOURCE("fs/disk", '6'),
};

/* The number of the row that a resource of a list is. */
static const uint8_t targets[SLURM_LIST_COUNT][TRES_COUNT] = {
    [SLURM_LIST_ALLOC] = {SLURM_ALLOC_CPUS, SLURM_ALLOC_MEM, SLURM_ALLOC_NODES,
                          SLURM_ALLOC_BILLING, SLURM_ALLOC_ENERGY, NOWHERE, NOWHERE},
    [SLURM_LIST_WANT] = {SLURM_WANT_CPUS, SLURM_WANT_MEM, SLURM_WANT_NODES, NOWHERE, NOWHERE,
                         NOWHERE, NOWHERE},
    [SLURM_LIST_IN] = {NOWHERE, SLURM_USED_MEM, NOWHERE, NOWHERE, NOWHERE, SLURM_USED_VMEM,
                       SLURM_USED_READ},
    [SLURM_LIST_OUT] = {NOWHERE, NOWHERE, NOWHERE, NOWHERE, SLURM_USED_ENERGY, NOWHERE,
                        SLURM_USED_WRITE},
};

/* Slurm's "no value" and "infinite", of 64 bits; as signed numbers they are -2 and -1. */
static bool is_sentinel(int64_t count)
{
    return count < 0;
}

static unsigned resource_of(struct str key)
{
    for (unsigned i = 0; i < TRES_COUNT; i++) {
        if (str_eq(key, resources[i].name) ||
            (key.len == 1 && key.ptr[0] == resources[i].number)) {
            return i;
        }
    }
    return TRES_COUNT;
}

static bool has_type(const struct slurm_tres *gpus, struct str type)
{
    for (struct str rest = gpus->type; rest.len > 0;) {
        if (str_eq(str_cut(&rest, ','), type)) {
            return true;
        }
    }
    return false;
}

/* "a100", or "a100,h100" once there are two. */
static void add_type(struct slurm_tres *gpus, struct str type)
{
    if (type.len == 0 || has_type(gpus, type)) {
        return;
    }
    if (gpus->type.len == 0) {
        gpus->type = type;
        return;
    }
    if (gpus->type.len + type.len >= TYPES_MAX) {
        return; /* no machine has so many */
    }
    char *both = arena_alloc(gpus->arena, gpus->type.len + 1 + type.len);
    memcpy(both, gpus->type.ptr, gpus->type.len);
    both[gpus->type.len] = ',';
    memcpy(both + gpus->type.len + 1, type.ptr, type.len);
    gpus->type = (struct str){both, gpus->type.len + 1 + type.len};
}

static void add_count(int64_t *sum, int64_t count)
{
    if (__builtin_add_overflow(*sum, count, sum)) {
        *sum = INT64_MAX;
    }
}

/* `name` is what follows "gres/" or stands for it: "gpu", "gpu:a100", "shard". */
static void add_gres(struct slurm_tres *gpus, struct str name, int64_t count)
{
    struct str rest = name;
    if (!str_eq(str_cut(&rest, ':'), STR("gpu"))) {
        return; /* shards and MPS shares are parts of a GPU; others are not */
    }
    gpus->any = true;
    if (rest.len == 0) {
        gpus->generic = true;
        add_count(&gpus->count, count);
        return;
    }
    add_count(&gpus->typed, count);
    if (count > 0) {
        add_type(gpus, rest);
    }
}

static void add_other(struct slurm_tres *list, struct str name, int64_t count)
{
    for (size_t i = 0; i < list->other_count; i++) {
        if (str_eq(list->others[i].name, name)) {
            add_count(&list->others[i].count, count);
            return;
        }
    }
    list->others_unknown = list->others_unknown || list->other_count == SLURM_OTHERS_MAX;
    if (!list->others_unknown) {
        list->others[list->other_count++] = (struct slurm_other){name, count};
    }
}

/*
 * A resource that no number of the row is for. All GPUs together are one; what has a name of
 * one word is nothing that a job is given.
 */
static void put_other(struct slurm_tres *list, struct str type, struct str name, int64_t count)
{
    int64_t number;
    if (name.len > 0 && !(str_eq(type, STR("gres")) && str_eq(name, STR("gpu")))) {
        add_other(list,
                  str_of(arena_printf(list->arena, "%.*s/%.*s", STR_ARG(type), STR_ARG(name))),
                  count);
    } else if (name.len == 0 && str_byte(type, '/')) {
        add_other(list, type, count);
    } else if (scan_int(type, &number) && number >= FIRST_NAMED) {
        list->others_unknown = true;
    }
}

void slurm_tres_put(enum slurm_tres_list which, struct str type, struct str name, int64_t count,
                    struct slurm_tres *gpus, struct slurm_row *row)
{
    if (is_sentinel(count)) {
        return;
    }
    unsigned resource = resource_of(type);
    uint8_t target = resource < TRES_COUNT ? targets[which][resource] : NOWHERE;
    if (which == SLURM_LIST_ALLOC && resource == TRES_COUNT) {
        put_other(gpus, type, name, count);
    }
    if (str_eq(type, STR("gres"))) {
        add_gres(gpus, name, count);
        return;
    }
    if (target == NOWHERE) {
        return;
    }
    if (resource == TRES_MEM && which <= SLURM_LIST_WANT &&
        __builtin_mul_overflow(count, INT64_C(1) << 20, &count)) {
        return;
    }
    slurm_set(row, target, count);
}

static int compare_others(const void *a, const void *b)
{
    return str_compare(((const struct slurm_other *)a)->name,
                       ((const struct slurm_other *)b)->name);
}

/* "gres/fpga" where only its types are in the list: all of them together. */
static void add_sums(struct slurm_tres *list)
{
    const size_t listed = list->other_count;
    bool counted[SLURM_OTHERS_MAX] = {0};
    for (size_t i = 0; i < listed; i++) {
        struct str type = list->others[i].name;
        const struct str name = str_cut(&type, ':');
        counted[i] =
            !type.ptr || !str_starts(name, STR("gres/")) || str_eq(name, STR("gres/gpu"));
        for (size_t k = 0; k < listed && !counted[i]; k++) {
            counted[i] = str_eq(list->others[k].name, name);
        }
    }
    for (size_t i = 0; i < listed; i++) {
        struct str name = list->others[i].name;
        name = str_cut(&name, ':');
        if (!counted[i]) {
            add_other(list, name, list->others[i].count);
        }
    }
}

/* "gres/shard=2,license/matlab=1", by name; empty where there are none. */
static struct str print_others(struct slurm_tres *list)
{
    const char *text = "";
    add_sums(list);
    if (list->other_count > 0) {
        qsort(list->others, list->other_count, sizeof(list->others[0]), compare_others);
    }
    for (size_t i = 0; i < list->other_count; i++) {
        text = arena_printf(list->arena, "%s%s%.*s=%lld", text, i > 0 ? "," : "",
                            STR_ARG(list->others[i].name), (long long)list->others[i].count);
    }
    return str_of(text);
}

void slurm_tres_end(enum slurm_tres_list which, struct slurm_tres *gpus, struct slurm_row *row)
{
    if (which > SLURM_LIST_WANT) {
        row->measured = true;
        return;
    }
    /* The list is of all that was allocated: what is not in it was not. */
    slurm_set(row, which == SLURM_LIST_ALLOC ? SLURM_ALLOC_GPUS : SLURM_WANT_GPUS,
              gpus->generic ? gpus->count : gpus->typed);
    if (gpus->type.len > 0) {
        slurm_set_text(row, which == SLURM_LIST_ALLOC ? SLURM_GPU_TYPE : SLURM_WANT_GPU_TYPE,
                       gpus->type);
    }
    if (which == SLURM_LIST_ALLOC && !gpus->others_unknown) {
        slurm_set_text(row, SLURM_RESOURCES, print_others(gpus));
    }
}

/*
 * A number of a list: sizes have letters, cpu time of a step is a duration and not wanted here.
 */
static bool read_count(enum slurm_tres_list which, unsigned resource, struct str text,
                       int64_t *count)
{
    bool is_usage = which > SLURM_LIST_WANT;
    if (resource == TRES_CPU && is_usage) {
        *count = -1;
        return true;
    }
    if (scan_int(text, count)) {
        return true;
    }
    int64_t plain = resource == TRES_MEM && !is_usage ? INT64_C(1) << 20 : 1;
    if (!scan_size(text, plain, count)) {
        /* 18446744073709551614: energy that nobody measured */
        struct str digits = text;
        while (digits.len > 0 && digits.ptr[0] >= '0' && digits.ptr[0] <= '9') {
            digits.ptr++;
            digits.len--;
        }
        *count = -1;
        return digits.len == 0 && text.len >= 19;
    }
    if (resource == TRES_MEM && !is_usage) {
        *count = *count >> 20; /* slurm_tres_put wants MiB, as JSON has them */
    }
    return true;
}

/* "gres/gpu:a100" is {gres, gpu:a100}, "fs/disk" is one word. */
static void split_key(struct str key, struct str *type, struct str *name)
{
    *type = key;
    *name = (struct str){0};
    if (str_starts(key, STR("gres/"))) {
        *type = STR("gres");
        *name = (struct str){key.ptr + 5, key.len - 5};
    }
}

bool slurm_tres_text(struct str list, enum slurm_tres_list which, struct arena *arena,
                     struct slurm_row *row)
{
    struct slurm_tres gpus = {.arena = arena};
    while (list.ptr) {
        struct str entry = str_cut(&list, ',');
        const char *equals = str_byte(entry, '=');
        if (!equals) {
            return false;
        }
        struct str key = {entry.ptr, (size_t)(equals - entry.ptr)};
        struct str value = {equals + 1, entry.len - key.len - 1};
        struct str type, name;
        int64_t count = 0;
        split_key(key, &type, &name);
        if (!read_count(which, resource_of(type), value, &count)) {
            return false;
        }
        slurm_tres_put(which, type, name, count, &gpus, row);
    }
    slurm_tres_end(which, &gpus, row);
    return true;
}

/* Cuts one entry off; commas inside parentheses are not between entries. */
static struct str cut_entry(struct str *list)
{
    size_t depth = 0;
    size_t i = 0;
    for (; i < list->len && (depth > 0 || list->ptr[i] != ','); i++) {
        depth += list->ptr[i] == '(';
        depth -= list->ptr[i] == ')' && depth > 0;
    }
    struct str entry = {list->ptr, i};
    *list =
        i < list->len ? (struct str){list->ptr + i + 1, list->len - i - 1} : (struct str){0};
    return entry;
}

/*
 * "gpu", "gpu:2", "gpu:tesla:2(IDX:0-1)", with "gres:" or "gres/" before it in some versions,
 * and since 24.05 "gpu=2" in some places.
 */
static void read_gres(struct str entry, struct slurm_tres *gpus)
{
    const char *paren = str_byte(entry, '(');
    entry.len = paren ? (size_t)(paren - entry.ptr) : entry.len;
    if (str_starts(entry, STR("gres:")) || str_starts(entry, STR("gres/"))) {
        entry.ptr += 5;
        entry.len -= 5;
    }
    size_t at = entry.len;
    while (at > 0 && entry.ptr[at - 1] != ':' && entry.ptr[at - 1] != '=') {
        at--;
    }
    int64_t count = 1;
    if (at > 0) {
        struct str number = {entry.ptr + at, entry.len - at};
        at--;
        if (scan_size(number, 1, &count)) {
            entry.len = at;
        } else {
            count = 1;
        }
    }
    add_gres(gpus, entry, count);
}

static struct slurm_tres count_gres(struct str list, struct arena *arena)
{
    struct slurm_tres gpus = {.arena = arena};
    while (list.ptr) {
        read_gres(cut_entry(&list), &gpus);
    }
    return gpus;
}

bool slurm_tres_gres(struct str list, enum slurm_number target, struct arena *arena,
                     struct slurm_row *row)
{
    const struct slurm_tres gpus = count_gres(list, arena);
    if (!gpus.any) {
        return true;
    }
    /* Here the typed ones stand beside the others, not for them. */
    int64_t all = 0;
    if (!__builtin_add_overflow(gpus.count, gpus.typed, &all)) {
        slurm_set(row, target, all);
    }
    if (gpus.type.len > 0) {
        slurm_set_text(row, target == SLURM_GRES_GPUS ? SLURM_GPU_TYPE : SLURM_WANT_GPU_TYPE,
                       gpus.type);
    }
    return true;
}

/* "4", "h100:1"; not "0", and not the name of something else. */
static bool is_gpu_count(struct str value)
{
    const char *colon = value.len > 0 ? memrchr(value.ptr, ':', value.len) : NULL;
    struct str number =
        colon ? (struct str){colon + 1, value.len - (size_t)(colon + 1 - value.ptr)} : value;
    int64_t count = 0;
    return scan_int(number, &count) && count > 0;
}

static struct str take_word(struct str *rest)
{
    *rest = str_trim(*rest);
    return str_cut(rest, ' ');
}

/*
 * The value of an option, "--name=value" or the word after "--name"; the null string if it is
 * another one.
 */
static struct str option_value(struct str word, struct str rest, const char *name)
{
    struct str value = word;
    if (!str_eq(str_cut(&value, '='), str_of(name))) {
        return (struct str){0};
    }
    return value.ptr ? value : take_word(&rest);
}

bool slurm_tres_asks_gpus(struct str command, struct arena *arena)
{
    static const char *const counts[] = {"--gpus", "--gpus-per-node", "--gpus-per-task",
                                         "--gpus-per-socket", "-G"};
    static const char *const lists[] = {"--gres", "--tres-per-task"};

    bool asks = false;
    while (command.ptr && !asks) {
        struct str word = take_word(&command);
        for (size_t i = 0; i < COUNT_OF(counts); i++) {
            asks |= is_gpu_count(option_value(word, command, counts[i]));
        }
        for (size_t i = 0; i < COUNT_OF(lists); i++) {
            const struct slurm_tres gpus =
                count_gres(option_value(word, command, lists[i]), arena);
            asks |= gpus.count > 0 || gpus.typed > 0;
        }
        if (str_starts(word, STR("-G"))) {
            asks |= is_gpu_count((struct str){word.ptr + 2, word.len - 2});
        }
    }
    return asks;
}

/* Whether the list has the resource, or one of its types. */
static bool has_resource(struct str list, const char *kind, struct str name)
{
    while (list.len > 0) {
        struct str rest = str_cut(&list, ',');
        rest = str_cut(&rest, '=');
        const struct str found_kind = str_cut(&rest, '/');
        const struct str found = str_cut(&rest, ':');
        if (str_eq(found_kind, str_of(kind)) && str_eq(found, name)) {
            return true;
        }
    }
    return false;
}

/* "matlab:2,abaqus", "shard:a100:4": whether one of them is not in the list. */
static bool lacks_one(struct str asked, const char *kind, struct str list)
{
    while (asked.len > 0) {
        struct str rest = str_cut(&asked, ',');
        if (str_starts(rest, STR("gres:")) || str_starts(rest, STR("gres/"))) {
            rest = (struct str){rest.ptr + 5, rest.len - 5};
        }
        const char *equals = str_byte(rest, '=');
        const struct str name = str_cut(&rest, equals ? '=' : ':');
        const bool is_other = name.len > 0 && !str_eq(name, STR("gpu")) &&
                              !str_eq_nocase(name, STR("none")) && !str_byte(name, '|') &&
                              !str_eq(rest, STR("0")) && !str_ends(rest, STR(":0"));
        if (is_other && !has_resource(list, kind, name)) {
            return true;
        }
    }
    return false;
}

bool slurm_tres_lacks(struct str command, struct str list)
{
    static const struct {
        const char *option, *kind;
    } asks[] = {{"--licenses", "license"}, {"-L", "license"}, {"--gres", "gres"}};

    bool lacks = false;
    while (command.ptr && !lacks) {
        const struct str word = take_word(&command);
        for (size_t i = 0; i < COUNT_OF(asks); i++) {
            lacks |= lacks_one(option_value(word, command, asks[i].option), asks[i].kind, list);
        }
        if (str_starts(word, STR("-L")) && word.len > 2) {
            lacks |= lacks_one((struct str){word.ptr + 2, word.len - 2}, "license", list);
        }
    }
    return lacks;
}
