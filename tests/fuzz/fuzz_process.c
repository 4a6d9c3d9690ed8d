/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "sampler/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Any bytes as each of the files of a process, alone and together: counts are counts, the name is a
 * piece of the text.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct arena arena = {0};
    for (unsigned files = 0; files < 8; files++) {
        struct process process = {0};
        if (files & 1) {
            process_read_stat(&process, text, &arena);
        }
        if (files & 2) {
            process_read_status(&process, text);
        }
        if (files & 4) {
            process_read_io(&process, text);
        }
        process_settle(&process, 100, (int64_t)size * 1000 - 1);
        bool holds = !process.cmd.ptr || (process.cmd.len + 2 <= size && files & 1);
        for (unsigned i = 0; i < PROCESS_VALUE_COUNT; i++) {
            holds &= !look_has(&process.values, i) || process.values.at[i] >= 0;
        }
        holds &= !(process_is_dead(&process) && !(files & 1));
        if (!holds) {
            abort();
        }
    }
    arena_release(&arena);
    return 0;
}
