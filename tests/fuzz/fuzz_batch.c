/* SPDX-License-Identifier: MIT */

/* Whatever a batch script says, what is read of it is numbers that a run can have, and text that lies in the script. */
#include <stdint.h>
#include <stdlib.h>

#include "bank/submit_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool lies_in(struct str text, const uint8_t *data, size_t size)
{
    const uint8_t *first = (const uint8_t *)text.ptr;
    return first >= data && first + text.len <= data + size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct submit_script batch = {0};
    struct error err = {0};
    enum submit_script_scheduler scheduler;
    if (submit_script_read_script(&batch, (struct str){(const char *)data, size}, &scheduler,
                                  &err) != 0 ||
        submit_script_finish(&batch, &err) != 0) {
        return 0;
    }
    const struct run *run = &batch.run;
    if (batch.tasks < 1 || (RUN_HAS(run, cpus) && run->cpus < 0) || run->gpus < 0 ||
        (RUN_HAS(run, mem_bytes) && run->mem_bytes <= 0) ||
        (RUN_HAS(run, req_wall_us) && run->req_wall_us < 0) ||
        (RUN_HAS(run, account) && !lies_in(run->account, data, size)) ||
        (RUN_HAS(run, gpu_type) && !lies_in(run->gpu_type, data, size))) {
        abort();
    }
    return 0;
}
