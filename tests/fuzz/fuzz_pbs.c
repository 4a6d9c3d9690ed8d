/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/pbs/pbs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_driver(&pbs_driver, data, size);
}
