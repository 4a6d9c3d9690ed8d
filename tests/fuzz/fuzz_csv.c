/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/csv/csv.h"

/* A map, a line "---", and a file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str input = {(const char *)data, size};
    const char *line = size > 0 ? memmem(data, size, "\n---\n", 5) : NULL;
    if (!line) {
        return fuzz_driver(&csv_driver, data, size);
    }
    size_t at = (size_t)(line - input.ptr);
    const struct source_options options = {.map = {input.ptr, at}};
    return fuzz_driver_with(&csv_driver, &options, input.ptr + at + 5, size - at - 5);
}
