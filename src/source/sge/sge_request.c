/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "base/zone.h"
#include "source/sge/sge_row.h"

/*
 * A category is the part of a submit line that matters to scheduling, options and values parted
 * by blanks:
 *
 *     -U staff -u ann -q long.q -l h_rt=3600,h_vmem=2.5G -soft -l arch=lx* -pe mpi 4-8 -P climate
 *
 * Only hard requests of the whole job are read: what follows -soft, or -scope master and slave,
 * binds nothing we compare with.
 */

enum { DIGITS_MAX = 15 };

enum value_kind { VALUE_TIME, VALUE_SIZE, VALUE_COUNT };

struct resource {
    struct str name;
    enum sge_want want;
    enum value_kind kind;
};

#define NAME(literal)                                                                          \
    {                                                                                          \
        (literal), sizeof(literal) - 1                                                         \
    } /* STR is no constant to the compiler */

/* Those most asked for come first. */
static const struct resource resources[] = {
    {NAME("h_rt"), SGE_WANT_H_RT, VALUE_TIME},
    {NAME("h_vmem"), SGE_WANT_H_VMEM, VALUE_SIZE},
    {NAME("m_mem_free"), SGE_WANT_M_MEM_FREE, VALUE_SIZE},
    {NAME("mem_free"), SGE_WANT_MEM_FREE, VALUE_SIZE},
    {NAME("gpu"), SGE_WANT_GPUS, VALUE_COUNT},
    {NAME("s_rt"), SGE_WANT_S_RT, VALUE_TIME},
    {NAME("s_vmem"), SGE_WANT_S_VMEM, VALUE_SIZE},
    {NAME("h_cpu"), SGE_WANT_H_CPU, VALUE_TIME},
    {NAME("s_cpu"), SGE_WANT_S_CPU, VALUE_TIME},
    {NAME("h_rss"), SGE_WANT_H_RSS, VALUE_SIZE},
    {NAME("s_rss"), SGE_WANT_S_RSS, VALUE_SIZE},
    {NAME("virtual_free"), SGE_WANT_VIRTUAL_FREE, VALUE_SIZE},
    {NAME("mfree"), SGE_WANT_M_MEM_FREE, VALUE_SIZE},
    {NAME("mf"), SGE_WANT_MEM_FREE, VALUE_SIZE},
    {NAME("vf"), SGE_WANT_VIRTUAL_FREE, VALUE_SIZE},
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

/*
 * The functions named take_ read something at `at`, and return where they stopped: at `end` at
 * the latest. Pieces are a few bytes long, too short for memchr to pay.
 */

/* Digits; few enough not to overflow. */
static inline const char *take_digits(const char *at, const char *end, int64_t *value)
{
    const char *stop = end - at > DIGITS_MAX ? at + DIGITS_MAX : end;
    int64_t number = 0;
    for (; at < stop; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9) {
            break;
        }
        number = number * 10 + (int64_t)digit;
    }
    *value = number;
    return at;
}

/* A size as Grid Engine writes it: k, m, g, t count 1000 each, K, M, G, T 1024. */
static bool read_size(struct str text, int64_t *bytes)
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

static bool read_value(struct str text, enum value_kind kind, int64_t *value)
{
    switch (kind) {
    case VALUE_TIME:
        return read_time(text, value);
    case VALUE_SIZE:
        return read_size(text, value);
    case VALUE_COUNT:
        return scan_int(text, value);
    }
    return false;
}

static inline bool is_separator(char byte)
{
    return byte == ',' || byte == ' ';
}

static inline const char *take_value(const char *at, const char *end)
{
    while (at < end && !is_separator(*at)) {
        at++;
    }
    return at;
}

/*
 * A value; nearly all are digits, with a letter if they are a size. INFINITY, TRUE, and what
 * else is no number, counts as 0.
 */
static inline const char *take_number(const char *at, const char *end, enum value_kind kind,
                                      int64_t *value)
{
    int64_t number = 0;
    int64_t unit = kind == VALUE_TIME ? SECOND_US : 1;
    const char *stop = take_digits(at, end, &number);
    bool digits = stop > at;
    if (kind == VALUE_SIZE && stop < end && size_unit(*stop) != 0) {
        unit = size_unit(*stop++);
    }
    if (digits && (stop == end || is_separator(*stop))) {
        if (__builtin_mul_overflow(number, unit, value)) {
            *value = 0;
        }
        return stop;
    }
    stop = take_value(at, end);
    if (!read_value((struct str){at, (size_t)(stop - at)}, kind, value)) {
        *value = 0;
    }
    return stop;
}

/* A request of nothing asks for nothing. */
static void put(struct sge_request *out, enum sge_want want, int64_t value)
{
    if (value > 0) {
        out->value[want] = value;
        out->has |= 1U << (unsigned)want;
    }
}

static const struct resource *find_resource(struct str name)
{
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        if (resources[i].name.len == name.len && resources[i].name.ptr[0] == name.ptr[0] &&
            memcmp(resources[i].name.ptr, name.ptr, name.len) == 0) {
            return &resources[i];
        }
    }
    return NULL;
}

static bool is_gpu_type(struct str name)
{
    return str_eq(name, STR("gpu_type")) || str_eq(name, STR("gputype")) ||
           str_eq(name, STR("gpu_model"));
}

/* What follows "name=" */
static inline const char *take_resource(const char *at, const char *end, struct str name,
                                        struct sge_request *out)
{
    const struct resource *resource = find_resource(name);
    if (resource) {
        int64_t value = 0;
        at = take_number(at, end, resource->kind, &value);
        put(out, resource->want, value);
        return at;
    }
    const char *stop = take_value(at, end);
    if (is_gpu_type(name)) {
        out->gpu_type = (struct str){at, (size_t)(stop - at)};
    }
    return stop;
}

/* "h_rt=3600,exclusive,gpu=2" */
static const char *take_resources(const char *at, const char *end, struct sge_request *out)
{
    while (at < end && *at != ' ') {
        struct str name = {at, 0};
        while (at < end && *at != '=' && !is_separator(*at)) {
            at++;
        }
        name.len = (size_t)(at - name.ptr);
        if (at < end && *at == '=') {
            at = take_resource(at + 1, end, name, out);
        }
        at += at < end && *at == ',';
    }
    return at;
}

static inline const char *take_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ') {
        at++;
    }
    return at;
}

/* A word and the blanks after it. */
static inline const char *take_word(const char *at, const char *end, struct str *word)
{
    word->ptr = at;
    while (at < end && *at != ' ') {
        at++;
    }
    word->len = (size_t)(at - word->ptr);
    return take_blanks(at, end);
}

/* The least number of slots in a range: "8", "4-8", "4-", "-8", "16,8". */
static void read_range(struct str range, struct sge_request *out)
{
    int64_t least = INT64_MAX;
    for (struct str rest = range; rest.ptr;) {
        struct str piece = str_cut(&rest, ',');
        struct str lower = str_cut(&piece, '-');
        int64_t slots = 1;
        if ((lower.len > 0 && !scan_int(lower, &slots)) || slots <= 0) {
            return;
        }
        least = slots < least ? slots : least;
    }
    if (range.len > 0) {
        put(out, SGE_WANT_SLOTS, least);
    }
}

static const char *take_environment(const char *at, const char *end, struct sge_request *out)
{
    struct str name; /* has a column of its own */
    struct str range;
    at = take_word(at, end, &name);
    at = take_word(at, end, &range);
    int64_t slots = 0;
    if (range.len > 0 &&
        take_digits(range.ptr, range.ptr + range.len, &slots) == range.ptr + range.len) {
        put(out, SGE_WANT_SLOTS, slots);
    } else {
        read_range(range, out);
    }
    return at;
}

void sge_request_parse(struct str category, struct sge_request *out)
{
    out->has = 0;
    out->gpu_type = (struct str){0};
    const char *end = category.ptr + category.len;
    const char *at = take_blanks(category.ptr, end);
    bool binding = true; /* hard, and of the whole job */
    while (at < end) {
        struct str word;
        at = take_word(at, end, &word);
        if (word.len == 2 && memcmp(word.ptr, "-l", 2) == 0) {
            struct str list = {at, 0};
            at = binding ? take_blanks(take_resources(at, end, out), end)
                         : take_word(at, end, &list);
        } else if (str_eq(word, STR("-pe"))) {
            at = take_environment(at, end, out);
        } else if (str_eq(word, STR("-soft"))) {
            binding = false;
        } else if (str_eq(word, STR("-hard"))) {
            binding = true;
        } else if (str_eq(word, STR("-scope"))) {
            at = take_word(at, end, &word);
            binding = str_eq(word, STR("global"));
        }
    }
}
