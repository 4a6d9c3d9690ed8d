/* SPDX-License-Identifier: MIT */

/*
 * Whatever is read is names within the limits, and a plain list of these names reads as the same ones.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hostlist.h"
#include "base/limit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct hostlist list, again;
    struct buf plain;
    buf_init(&plain, (size_t)LIMIT_HOSTS * (LIMIT_HOST_NAME + 1));
    if (hostlist_read((struct str){(const char *)data, size}, &arena, &list)) {
        for (size_t i = 0; i < list.count; i++) {
            buf_addz(&plain, i ? "," : "");
            buf_add(&plain, list.names[i]);
        }
        if (!hostlist_read(buf_str(&plain), &arena, &again) || again.count != list.count) {
            abort();
        }
        for (size_t i = 0; i < list.count; i++) {
            if (!str_eq(list.names[i], again.names[i])) {
                abort();
            }
        }
    }
    buf_release(&plain);
    arena_release(&arena);
    return 0;
}
