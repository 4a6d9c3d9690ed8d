/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/htcondor/htcondor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_driver(&htcondor_driver, data, size);
}
