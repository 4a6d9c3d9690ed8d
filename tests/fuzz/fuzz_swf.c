/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/swf/swf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_driver(&swf_driver, data, size);
}
