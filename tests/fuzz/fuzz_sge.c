/* SPDX-License-Identifier: MIT */
#define FUZZ_ALSO(run) RUN_HAS(run, state)
#include "fuzz/driver.h"
#include "source/sge/sge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_driver(&sge_driver, data, size);
}
