/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/sge/sge.h"

/* Any bytes as what qstat lists: as they are, and behind the beginning of such a document. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "<job_info><job_list><JB_job_number>1</JB_job_number>";
    struct zone *utc = NULL;
    struct error err;
    must(zone_open("UTC", &utc, &err) == 0);
    const struct source_options options = {.zone = utc, .seen = 1};
    uint8_t *all = mem_alloc(sizeof(head) - 1 + size, 1);
    memcpy(all, head, sizeof(head) - 1);
    if (size > 0) {
        memcpy(all + sizeof(head) - 1, data, size);
    }
    (void)fuzz_driver_with(&sge_qstat_driver, &options, all, sizeof(head) - 1 + size);
    (void)fuzz_driver_with(&sge_qstat_driver, &options, data, size);
    free(all);
    zone_close(utc);
    return 0;
}
