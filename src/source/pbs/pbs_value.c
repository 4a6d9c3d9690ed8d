/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "source/pbs/pbs_record.h"

/*
 * The small languages inside of values. Each maker has its own for the same thing:
 *
 *     exec_host   n1/7+n1/6           Torque 2: a cpu each
 *                 n1/0-3,5+n2/0       Torque 4: lists of cpus
 *                 n1/0*8+n2/0*8       PBS Pro: a number that means nothing, and how many cpus
 *     exec_vnode  (n1:ncpus=8:mem=1gb+n2:ncpus=8)+(n3:ncpus=4:ngpus=1)
 *     nodes       2:ppn=8:gpus=1+node7:ppn=4#shared
 *     select      2:ncpus=8:ngpus=1:mem=4gb+1:ncpus=1
 */

#define COUNT_MAX (INT64_C(1) << 40) /* beyond it a count is no count; far below overflow */

enum { WORD_BYTES = 8 };

bool pbs_size(struct str text, int64_t *bytes)
{
    bool words = text.len > 1 && (text.ptr[text.len - 1] | 0x20) == 'w';
    text.len -= words;
    return scan_size(text, 1, bytes) &&
           (!words || !__builtin_mul_overflow(*bytes, WORD_BYTES, bytes));
}

static bool scan_count(struct str text, int64_t *out)
{
    return scan_int(text, out) && *out >= 0 && *out <= COUNT_MAX;
}

/* 4, 0-3, 0*8, 2-5*2: how many cpus that is. */
static bool count_cores(struct str item, int64_t *cpus)
{
    struct str rest = item;
    struct str range = str_cut(&rest, '*');
    int64_t times = 1;
    int64_t first = 0;
    int64_t last = 0;
    if (rest.ptr && !scan_count(rest, &times)) {
        return false;
    }
    struct str to = range;
    struct str from = str_cut(&to, '-');
    if (!scan_count(from, &first) || (to.ptr && !scan_count(to, &last))) {
        return false;
    }
    int64_t count = to.ptr ? last - first + 1 : 1;
    return count > 0 && !__builtin_mul_overflow(count, times, &count) && count <= COUNT_MAX &&
           !__builtin_add_overflow(*cpus, count, cpus) && *cpus <= COUNT_MAX;
}

static size_t count_pieces(struct str text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++) {
        count += text.ptr[i] == '+';
    }
    return count;
}

bool pbs_exec_host(struct str text, struct hosts *hosts, int64_t *cpus)
{
    bool counted = true;
    *cpus = 0;
    hosts->most = count_pieces(text);
    while (text.ptr) {
        struct str cores = str_cut(&text, '+');
        struct str host = str_cut(&cores, '/');
        if (host.len == 0) {
            return false;
        }
        const int64_t before = *cpus;
        const bool said = cores.ptr != NULL;
        while (cores.ptr) {
            if (!count_cores(str_cut(&cores, ','), cpus)) {
                return false;
            }
        }
        counted &= said;
        hosts_add(hosts, host, said ? *cpus - before : -1);
    }
    if (!counted) { /* a host alone says nothing of its cpus */
        *cpus = 0;
    }
    return true;
}

static bool is_gpu_key(struct str key)
{
    return str_eq(key, STR("ngpus")) || str_eq(key, STR("gpus")) || str_eq(key, STR("gpu")) ||
           str_eq(key, STR("ngpu"));
}

static void add_times(int64_t *sum, int64_t value, int64_t times)
{
    int64_t product = 0;
    if (__builtin_mul_overflow(value, times, &product) ||
        __builtin_add_overflow(*sum, product, sum)) {
        *sum = INT64_MAX; /* refused by run_check, or no size at all */
    }
}

/* One key=value of a chunk that is there `times` times; the cpus of one chunk go into *cpus. */
static void add_attribute(struct pbs_places *out, struct str item, int64_t times, int64_t *cpus)
{
    struct str value = item;
    struct str key = str_cut(&value, '=');
    int64_t number = 0;
    if (!value.ptr) {
        return;
    }
    if (str_eq(key, STR("ncpus")) || str_eq(key, STR("ppn")) || str_eq(key, STR("procs"))) {
        if (scan_count(value, &number)) {
            *cpus = number;
        }
    } else if (is_gpu_key(key)) {
        if (scan_count(value, &number)) {
            out->has_gpus = true;
            add_times(&out->gpus, number, times);
        }
    } else if (str_eq(key, STR("mem"))) {
        if (pbs_size(value, &number)) {
            out->has_mem = true;
            add_times(&out->mem_bytes, number, times);
        }
    } else if (value.len > 0 &&
               (str_eq(key, STR("gpu_type")) || str_eq(key, STR("gpu_model")))) {
        out->gpu_type = value;
    }
}

/* The host of a virtual node: host[1] and host[0] are two halves of one. */
static struct str host_of(struct str vnode)
{
    if (vnode.len > 2 && vnode.ptr[vnode.len - 1] == ']') {
        const char *open = memrchr(vnode.ptr, '[', vnode.len);
        if (open && open > vnode.ptr) {
            vnode.len = (size_t)(open - vnode.ptr);
        }
    }
    return vnode;
}

bool pbs_exec_vnode(struct str text, struct hosts *hosts, struct pbs_places *out)
{
    *out = (struct pbs_places){0};
    hosts->most = count_pieces(text);
    while (text.ptr) {
        struct str chunk = str_cut(&text, '+');
        if (chunk.len > 0 && chunk.ptr[0] == '(') {
            chunk.ptr++;
            chunk.len--;
        }
        if (chunk.len > 0 && chunk.ptr[chunk.len - 1] == ')') {
            chunk.len--;
        }
        struct str vnode = host_of(str_cut(&chunk, ':'));
        if (vnode.len == 0) {
            return false;
        }
        int64_t cpus = -1;
        while (chunk.ptr) {
            add_attribute(out, str_cut(&chunk, ':'), 1, &cpus);
        }
        hosts_add(hosts, vnode, cpus);
        add_times(&out->cpus, cpus > 0 ? cpus : 0, 1);
    }
    return true;
}

void pbs_chunks(struct str text, struct pbs_places *out)
{
    *out = (struct pbs_places){0};
    while (text.ptr) {
        struct str piece = str_cut(&text, '+');
        struct str rest = str_cut(&piece, '#'); /* #shared, #excl */
        int64_t times = 1;
        int64_t cpus = 1;
        struct str first = str_cut(&rest, ':');
        if (first.len == 0) {
            continue;
        }
        if (!scan_count(first, &times)) {
            times = 1; /* the name of a node, or an attribute */
            add_attribute(out, first, times, &cpus);
        }
        while (rest.ptr) {
            add_attribute(out, str_cut(&rest, ':'), times, &cpus);
        }
        add_times(&out->nodes, times, 1);
        add_times(&out->cpus, cpus, times);
    }
}
