/* SPDX-License-Identifier: MIT */

/*
 * Whatever is read as the name of a run is printed as it was read, byte for byte: there is one name for
 * each identity, and one identity for each name.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/limit.h"
#include "record/run_id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct run run = {0};
    struct buf printed;
    const struct str text = {(const char *)data, size};
    buf_init(&printed, LIMIT_SQL);
    if (size < LIMIT_SQL / 4 && run_id_parse(text, &arena, &run)) {
        run_id_print(&run, &printed);
        if (!str_eq(buf_str(&printed), text)) {
            abort();
        }
    }
    buf_release(&printed);
    arena_release(&arena);
    return 0;
}
