/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/pbs/pbs.h"

/* Any bytes as what qstat lists: as they are, and behind the beginning of a job. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "{\n \"Jobs\":{\n  \"1.head\":{\n   \"job_state\":\"R\",\n";
    const struct source_options options = {.seen = 1};
    uint8_t *all = mem_alloc(sizeof(head) - 1 + size, 1);
    memcpy(all, head, sizeof(head) - 1);
    if (size > 0) {
        memcpy(all + sizeof(head) - 1, data, size);
    }
    (void)fuzz_driver_with(&pbs_qstat_driver, &options, all, sizeof(head) - 1 + size);
    (void)fuzz_driver_with(&pbs_history_driver, &options, all, sizeof(head) - 1 + size);
    (void)fuzz_driver_with(&pbs_history_driver, &options, data, size);
    free(all);
    return 0;
}
