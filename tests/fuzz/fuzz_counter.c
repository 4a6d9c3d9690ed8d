/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "base/attribute.h"
#include "sampler/counter.h"
#include "sampler/field.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any bytes as each of the forms in which the kernel prints counters: a number that is read is none below 0, nor one that nobody believes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct counter forms[] = {
        {NULL, "f", COUNTER_WHOLE, NULL, SAMPLE_mem_used_bytes, 1, 1, COUNTER_SUM},
        {NULL, "f", COUNTER_WORDS, "cpu 1 2 3", SAMPLE_cpu_time_us, 10000, 1, COUNTER_SUM},
        {NULL, "f", COUNTER_PAIRS, "some total", SAMPLE_io_stall_us, 1, 1, COUNTER_MOST},
        {NULL, "f", COUNTER_PAIRS, "rbytes", SAMPLE_read_bytes, 1, 1, COUNTER_SUM},
        {NULL, "f", COUNTER_NAMED, "Read", SAMPLE_read_bytes, 1, 1, COUNTER_SUM},
        {NULL, "f", COUNTER_DISKS, "3", SAMPLE_read_bytes, 512, 1, COUNTER_SUM},
        {NULL, "f", COUNTER_LINKS, "1", SAMPLE_received_bytes, 1, 1, COUNTER_SUM},
        {NULL, "f", COUNTER_WHOLE, NULL, SAMPLE_energy_j, 1, 1000, COUNTER_WRAPS},
    };
    struct sample sample = {0};
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        int64_t value = 0;
        if (!counter_read(&forms[i], (struct str){(const char *)data, size}, &value)) {
            continue;
        }
        if (value < 0) {
            abort();
        }
        counter_join(&forms[i], value, &sample);
        if (!sample_has(&sample, forms[i].field) || sample_int(&sample, forms[i].field) < 0) {
            abort();
        }
    }
    return 0;
}
