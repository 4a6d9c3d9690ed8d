/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/nomad/nomad.h"

/* As a file whose name has a time, so that snapshots are opened, too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct source_options options = {.path = STR("2025-02-01T10:00:00.json"),
                                           .seen = 1740000000000000};
    return fuzz_driver_with(&nomad_driver, &options, data, size);
}
