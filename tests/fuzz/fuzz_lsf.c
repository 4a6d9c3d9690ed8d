/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/lsf/lsf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_driver(&lsf_driver, data, size);
}
