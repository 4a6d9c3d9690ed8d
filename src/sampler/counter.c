/* SPDX-License-Identifier: MIT */
#include "sampler/counter.h"

#include <stdlib.h>

#include "base/attribute.h"
#include "base/mem.h"
#include "sampler/field.h"

/* Adds a count to a sum; false if it is not one or the sum is beyond what is believed. */
static bool add_count(struct str text, int64_t *sum)
{
    int64_t count = 0;
    if (!look_count(text, &count) || *sum > LOOK_COUNT_MAX - count) {
        return false;
    }
    *sum += count;
    return true;
}

/* The word with this number, from 0; the null string if there are fewer. */
static struct str word_at(struct str line, int64_t place)
{
    struct str word = look_word(&line);
    while (place-- > 0 && word.ptr) {
        word = look_word(&line);
    }
    return word;
}

/* Of one line, the words that the places name. */
static bool add_words(struct str line, struct str places, int64_t *sum)
{
    int64_t place = 0;
    for (struct str rest = places; look_count(look_word(&rest), &place);) {
        if (!add_count(word_at(line, place), sum)) {
            return false;
        }
    }
    return true;
}

static bool read_words(struct str text, struct str key, int64_t *sum)
{
    const struct str first = look_word(&key);
    bool any = false;
    while (text.ptr) {
        struct str line = str_cut(&text, '\n');
        if (str_eq(word_at(line, 0), first)) {
            if (!add_words(line, key, sum)) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

/* "8:0 rbytes=1459200 wbytes=0", "some avg10=0.00 total=12" */
static bool read_pairs(struct str text, struct str key, int64_t *sum)
{
    struct str name = look_word(&key);
    const struct str second = look_word(&key);
    const struct str first = second.ptr ? name : second;
    name = second.ptr ? second : name;
    bool any = false;
    while (text.ptr) {
        struct str line = str_cut(&text, '\n');
        if (first.ptr && !str_eq(word_at(line, 0), first)) {
            continue;
        }
        for (struct str value; (value = look_word(&line)).ptr;) {
            const struct str own = str_cut(&value, '=');
            if (value.ptr && str_eq(own, name)) {
                if (!add_count(value, sum)) {
                    return false;
                }
                any = true;
            }
        }
    }
    return any;
}

/* "8:0 Read 4096"; a group that has done nothing yet has only "Total 0". */
static bool read_named(struct str text, struct str key, int64_t *sum)
{
    bool any = false;
    while (text.ptr) {
        struct str line = str_cut(&text, '\n');
        const struct str first = look_word(&line), name = look_word(&line);
        any = any || str_eq(first, STR("Total"));
        if (str_eq(name, key)) {
            if (!add_count(look_word(&line), sum)) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

/* Disks that are parts of others, or are made of them, would count twice. */
static bool is_whole_disk(struct str name)
{
    static const char *const patterns[] = {"sd*", "vd*", "xvd*", "hd*"};
    const bool ends_in_digit =
        name.len > 0 && name.ptr[name.len - 1] >= '0' && name.ptr[name.len - 1] <= '9';
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        if (str_glob(str_of(patterns[i]), name)) {
            return !ends_in_digit;
        }
    }
    return (str_glob(STR("nvme*n*"), name) && !str_glob(STR("nvme*p*"), name) &&
            !str_glob(STR("nvme*c*n*"), name)) ||
           (str_glob(STR("mmcblk*"), name) && !str_glob(STR("mmcblk*p*"), name));
}

/*
 * "8 0 sda 25354637 34367663 1003346126 ...": numbers of the device, its name, counters from 1.
 */
static bool read_disks(struct str text, int64_t place, int64_t *sum)
{
    bool any = false;
    while (text.ptr) {
        const struct str line = str_cut(&text, '\n');
        if (is_whole_disk(word_at(line, 2))) {
            if (!add_count(word_at(line, place + 2), sum)) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

/*
 * "device server:/export mounted on /home with fstype nfs4 ..." and lines that are of the file
 * system, among them "bytes: ...". One that is mounted at several places, as by binding, has
 * them at each, and counts once.
 */
static bool read_mounts(struct str text, int64_t place, int64_t *sum)
{
    enum { MOUNTS_MAX = 1024 };

    uint64_t *known = mem_alloc(MOUNTS_MAX, sizeof(*known)), own = 0;
    size_t count = 0;
    bool any = false, sound = true;
    while (text.ptr && sound) {
        const struct str line = str_cut(&text, '\n');
        const struct str first = word_at(line, 0);
        if (str_eq(first, STR("device"))) {
            own = str_hash(word_at(line, 1), 1);
            continue;
        }
        own = str_hash(line, own);
        if (!str_eq(first, STR("bytes:"))) {
            continue;
        }
        size_t i = 0;
        while (i < count && known[i] != own) {
            i++;
        }
        sound = i < count || add_count(word_at(line, place), sum);
        if (i == count && count < MOUNTS_MAX) {
            known[count++] = own;
        }
        any = true;
    }
    free(known);
    return any && sound;
}

/* What goes over these is counted at the card behind them, or never leaves the node. */
static bool is_link(struct str name)
{
    static const char *const others[] = {"lo",     "bond*",  "br*",   "veth*", "docker*",
                                         "virbr*", "cni*",   "tun*",  "tap*",  "vlan*",
                                         "*.*",    "dummy*", "team*", "ovs*",  "flannel*"};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        if (str_glob(str_of(others[i]), name)) {
            return false;
        }
    }
    return name.len > 0;
}

/* "  eth0: 123 4 0 ...": bytes received are the first number, those sent the ninth. */
static bool read_links(struct str text, int64_t place, int64_t *sum)
{
    bool any = false;
    while (text.ptr) {
        struct str line = str_cut(&text, '\n');
        const struct str name = str_trim(str_cut(&line, ':'));
        if (line.ptr && is_link(name)) {
            if (!add_count(word_at(line, place - 1), sum)) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

static bool read_number(const struct counter *counter, struct str text, int64_t *out)
{
    const struct str key = str_of(counter->key ? counter->key : "");
    int64_t place = 0;
    *out = 0;
    switch (counter->form) {
    case COUNTER_WHOLE:
        return look_count(str_trim(text), out);
    case COUNTER_WORDS:
        return read_words(text, key, out);
    case COUNTER_PAIRS:
        return read_pairs(text, key, out);
    case COUNTER_NAMED:
        return read_named(text, key, out);
    case COUNTER_DISKS:
        return look_count(key, &place) && read_disks(text, place, out);
    case COUNTER_MOUNTS:
        return look_count(key, &place) && read_mounts(text, place, out);
    case COUNTER_LINKS:
        return look_count(key, &place) && read_links(text, place, out);
    }
    return false;
}

bool counter_read(const struct counter *counter, struct str text, int64_t *out)
{
    int64_t number = 0;
    if (!read_number(counter, text, &number) ||
        __builtin_mul_overflow(number, counter->times, &number)) {
        return false;
    }
    *out = number / counter->by;
    return true;
}

void counter_join(const struct counter *counter, int64_t value, struct sample *sample)
{
    int64_t all = value;
    if (sample_has(sample, counter->field)) {
        const int64_t known = sample_int(sample, counter->field);
        if (counter->join == COUNTER_MOST) {
            all = value > known ? value : known;
        } else if (__builtin_add_overflow(known, value, &all)) {
            return;
        }
    }
    sample_set_int(sample, counter->field, all);
}
