/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/slurm/slurm.h"

/*
 * Any bytes as jobs of sacct --json: behind the beginning of such a document, so that a mutation need not
 * find that first, and as they are.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "{\"jobs\":[{\"association\":{},\"job_id\":1,\"time\":{}}";
    const struct source_options options = {0};
    uint8_t *all = mem_alloc(sizeof(head) - 1 + size, 1);
    memcpy(all, head, sizeof(head) - 1);
    if (size > 0) {
        memcpy(all + sizeof(head) - 1, data, size);
    }
    (void)fuzz_driver(&slurm_driver, all, sizeof(head) - 1 + size);
    (void)fuzz_driver(&slurm_driver, data, size);
    uint64_t state = 0;
    size_t used = 0;
    void *format = NULL;
    struct error err;
    if (slurm_driver.open((struct str){head, sizeof(head) - 1}, &options, &format, &err) == 0) {
        (void)slurm_driver.skip(format, &state, (struct str){(const char *)data, size}, &used);
        must(used <= size);
        slurm_driver.close(format);
    }
    free(all);
    return 0;
}
