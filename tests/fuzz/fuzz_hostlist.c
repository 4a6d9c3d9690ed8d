/* SPDX-License-Identifier: MIT */

/*
 * Whatever is read is names within the limits, and a plain list of these names, and of their cpus where the list says
 * them, reads as the same ones.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hostlist.h"
#include "base/limit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CPUS_TEXT_MAX = 16 };

static void write_plain(const struct hostlist *list, struct buf *plain)
{
    for (size_t i = 0; i < list->count; i++) {
        buf_addz(plain, i ? "," : "");
        buf_add(plain, list->nodes[i].name);
        if (list->cpus > 0) {
            buf_addf(plain, "*%" PRId64, list->nodes[i].cpus);
        }
    }
}

static bool is_same(const struct hostlist *list, const struct hostlist *again)
{
    bool same = list->count == again->count && list->cpus == again->cpus;
    int64_t sum = 0;
    for (size_t i = 0; same && i < list->count; i++) {
        sum += list->nodes[i].cpus;
        same = str_eq(list->nodes[i].name, again->nodes[i].name) &&
               list->nodes[i].cpus == again->nodes[i].cpus && list->nodes[i].cpus >= 0;
    }
    return same && sum == list->cpus;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct hostlist list, again;
    struct buf plain;
    buf_init(&plain, (size_t)LIMIT_HOSTS * (LIMIT_HOST_NAME + CPUS_TEXT_MAX));
    if (hostlist_read((struct str){(const char *)data, size}, &arena, &list)) {
        write_plain(&list, &plain);
        if (!hostlist_read(buf_str(&plain), &arena, &again) || !is_same(&list, &again)) {
            abort();
        }
        const int64_t cpus = list.cpus;
        hostlist_sort(&list);
        if (!is_same(&list, &list) || list.cpus != cpus) {
            abort();
        }
    }
    buf_release(&plain);
    arena_release(&arena);
    return 0;
}
