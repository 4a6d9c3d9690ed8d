/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "base/zone.h"
#include "source/sge_row.h"

/*
 * A category is the part of a submit line that matters to scheduling, options and values parted by
 * blanks:
 *
 *     -U staff -u ann -q long.q -l h_rt=3600,h_vmem=2.5G -soft -l arch=lx* -pe mpi 4-8 -P climate
 *
 * Only hard requests of the whole job are read: what follows -soft, or -scope master and slave,
 * binds nothing we compare with.
 */

enum value_kind { VALUE_TIME, VALUE_SIZE, VALUE_COUNT };

struct resource {
    struct str name;
    enum sge_want want;
    enum value_kind kind;
};

#define NAME(literal) {(literal), sizeof(literal) - 1} /* STR is no constant to the compiler */

static const struct resource resources[] = {
    {NAME("h_rt"), SGE_WANT_H_RT, VALUE_TIME},
    {NAME("s_rt"), SGE_WANT_S_RT, VALUE_TIME},
    {NAME("h_cpu"), SGE_WANT_H_CPU, VALUE_TIME},
    {NAME("s_cpu"), SGE_WANT_S_CPU, VALUE_TIME},
    {NAME("m_mem_free"), SGE_WANT_M_MEM_FREE, VALUE_SIZE},
    {NAME("mfree"), SGE_WANT_M_MEM_FREE, VALUE_SIZE},
    {NAME("h_vmem"), SGE_WANT_H_VMEM, VALUE_SIZE},
    {NAME("h_rss"), SGE_WANT_H_RSS, VALUE_SIZE},
    {NAME("s_vmem"), SGE_WANT_S_VMEM, VALUE_SIZE},
    {NAME("s_rss"), SGE_WANT_S_RSS, VALUE_SIZE},
    {NAME("mem_free"), SGE_WANT_MEM_FREE, VALUE_SIZE},
    {NAME("mf"), SGE_WANT_MEM_FREE, VALUE_SIZE},
    {NAME("virtual_free"), SGE_WANT_VIRTUAL_FREE, VALUE_SIZE},
    {NAME("vf"), SGE_WANT_VIRTUAL_FREE, VALUE_SIZE},
    {NAME("gpu"), SGE_WANT_GPUS, VALUE_COUNT},
    {NAME("gpus"), SGE_WANT_GPUS, VALUE_COUNT},
    {NAME("ngpu"), SGE_WANT_GPUS, VALUE_COUNT},
    {NAME("ngpus"), SGE_WANT_GPUS, VALUE_COUNT},
    {NAME("num_gpu"), SGE_WANT_GPUS, VALUE_COUNT},
    {NAME("num_gpus"), SGE_WANT_GPUS, VALUE_COUNT},
};

/* The multiplier a letter stands for; 0 for any other byte. */
static int64_t size_unit(char letter)
{
    switch (letter) {
    case 'k':
        return INT64_C(1000);
    case 'K':
        return INT64_C(1) << 10;
    case 'm':
        return INT64_C(1000000);
    case 'M':
        return INT64_C(1) << 20;
    case 'g':
        return INT64_C(1000000000);
    case 'G':
        return INT64_C(1) << 30;
    case 't':
        return INT64_C(1000000000000);
    case 'T':
        return INT64_C(1) << 40;
    default:
        return 0;
    }
}

bool sge_request_size(struct str text, int64_t *bytes)
{
    if (text.len == 0) {
        return false;
    }
    int64_t unit = size_unit(text.ptr[text.len - 1]);
    if (unit != 0) {
        text.len--;
    }
    /* scan_size would take letters of its own, and e as exa. */
    for (size_t i = 0; i < text.len; i++) {
        if ((text.ptr[i] < '0' || text.ptr[i] > '9') && text.ptr[i] != '.') {
            return false;
        }
    }
    return scan_size(text, unit != 0 ? unit : 1, bytes);
}

/* Seconds, or hh:mm:ss of which the first parts may be missing or empty. */
static bool read_time(struct str text, int64_t *us)
{
    int64_t total = 0;
    unsigned parts = 0;
    for (struct str rest = text; rest.ptr; parts++) {
        struct str piece = str_cut(&rest, ':');
        int64_t value = 0;
        if (piece.len > 0 && (!scan_decimal(piece, 6, &value) || value < 0)) {
            return false;
        }
        if (__builtin_mul_overflow(total, INT64_C(60), &total) ||
            __builtin_add_overflow(total, value, &total)) {
            return false;
        }
    }
    *us = total;
    return text.len > 0 && parts <= 3;
}

/* A request of nothing, or without end (INFINITY), asks for nothing. */
static bool read_value(struct str text, enum value_kind kind, int64_t *value)
{
    switch (kind) {
    case VALUE_TIME:
        return read_time(text, value) && *value > 0;
    case VALUE_SIZE:
        return sge_request_size(text, value) && *value > 0;
    case VALUE_COUNT:
        return scan_int(text, value) && *value > 0;
    }
    return false;
}

static void put(struct sge_request *out, enum sge_want want, int64_t value)
{
    out->value[want] = value;
    out->has |= 1U << (unsigned)want;
}

static void read_resource(struct str name, struct str value, struct sge_request *out)
{
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        const struct resource *resource = &resources[i];
        if (resource->name.len != name.len ||
            memcmp(resource->name.ptr, name.ptr, name.len) != 0) {
            continue;
        }
        int64_t number = 0;
        if (read_value(value, resource->kind, &number)) {
            put(out, resource->want, number);
        }
        return;
    }
    if (str_eq(name, STR("gpu_type")) || str_eq(name, STR("gputype")) ||
        str_eq(name, STR("gpu_model"))) {
        out->gpu_type = value;
    }
}

/* "h_rt=3600,exclusive,gpu=2" */
static void read_resources(struct str list, struct sge_request *out)
{
    while (list.len > 0) {
        const char *comma = memchr(list.ptr, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.ptr) : list.len;
        const char *equals = memchr(list.ptr, '=', len);
        if (equals) {
            struct str name = {list.ptr, (size_t)(equals - list.ptr)};
            read_resource(name, (struct str){equals + 1, len - name.len - 1}, out);
        }
        size_t taken = comma ? len + 1 : len;
        list.ptr += taken;
        list.len -= taken;
    }
}

/* The least number of slots in a range: "8", "4-8", "4-", "-8", "16,8". */
static void read_range(struct str range, struct sge_request *out)
{
    int64_t least = 0;
    for (struct str rest = range; rest.ptr;) {
        struct str piece = str_cut(&rest, ',');
        struct str lower = str_cut(&piece, '-');
        int64_t slots = 1;
        if ((lower.len > 0 && !scan_int(lower, &slots)) || slots <= 0) {
            return;
        }
        if (least == 0 || slots < least) {
            least = slots;
        }
    }
    if (range.len > 0) {
        put(out, SGE_WANT_SLOTS, least);
    }
}

/* The next word of `rest`; empty at the end. */
static struct str next_word(struct str *rest)
{
    while (rest->len > 0 && rest->ptr[0] == ' ') {
        rest->ptr++;
        rest->len--;
    }
    const char *blank = rest->len > 0 ? memchr(rest->ptr, ' ', rest->len) : NULL;
    struct str word = {rest->ptr, blank ? (size_t)(blank - rest->ptr) : rest->len};
    rest->ptr += word.len;
    rest->len -= word.len;
    return word;
}

void sge_request_parse(struct str category, struct sge_request *out)
{
    out->has = 0;
    out->gpu_type = (struct str){0};
    struct str rest = category;
    bool binding = true; /* hard, and of the whole job */
    for (struct str word = next_word(&rest); word.len > 0; word = next_word(&rest)) {
        if (word.ptr[0] != '-') {
            continue;
        }
        if (word.len == 2 && word.ptr[1] == 'l') {
            struct str list = next_word(&rest);
            if (binding) {
                read_resources(list, out);
            }
        } else if (str_eq(word, STR("-pe"))) {
            (void)next_word(&rest);
            read_range(next_word(&rest), out);
        } else if (str_eq(word, STR("-soft"))) {
            binding = false;
        } else if (str_eq(word, STR("-hard"))) {
            binding = true;
        } else if (str_eq(word, STR("-scope"))) {
            binding = str_eq(next_word(&rest), STR("global"));
        }
    }
}
