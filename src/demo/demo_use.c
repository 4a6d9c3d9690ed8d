/* SPDX-License-Identifier: MIT */
#include "demo/demo_use.h"

/* Thousandths of slots x wall that were cpu time: the habit's, with a run's own luck. */
static int64_t draw_efficiency(const struct demo_habit *habit, enum demo_outcome outcome,
                               uint64_t bits)
{
    int64_t luck =
        (int64_t)(bits & 1023) + (int64_t)(bits >> 10 & 1023); /* 0 .. 2046, a roof */
    int64_t room = 1000 - habit->efficiency;
    int64_t width = room < habit->efficiency ? room : habit->efficiency;
    int64_t value = habit->efficiency + (luck - 1023) * width / 1100;
    if (outcome == DEMO_OUT_OF_TIME && (bits >> 20 & 3) == 0) {
        value /= 20; /* it hung */
    }
    return value;
}

static void draw_memory_use(const struct demo_request *request, const struct demo_fate *fate,
                            int64_t slots, uint64_t bits, struct demo_use *use)
{
    int64_t mb = (int64_t)request->use_mb * slots;
    int64_t kb = mb * 1024 * (800 + (int64_t)(bits & 255)) / 1000 + (int64_t)(bits >> 8 & 1023);
    if (fate->outcome == DEMO_OUT_OF_MEMORY) {
        kb = (int64_t)request->limit_mb * slots * 1024 + (int64_t)(bits >> 8 & 16383);
    } else if (fate->wall_s < 5) {
        kb = kb / 50 + 4000; /* it had not begun in earnest */
    }
    use->vmem_bytes = kb * 1024 + (int64_t)(bits >> 24 & 255) * 4096;
    use->rss_kb = kb / slots * (600 + (int64_t)(bits >> 32 & 255)) / 1000 + 1800;
}

struct demo_use demo_use_draw(const struct demo_request *request,
                              const struct demo_habit *habit, const struct demo_fate *fate,
                              int64_t slots, struct demo_random *random)
{
    struct demo_use use = {0};
    if (fate->outcome == DEMO_NOT_STARTED) {
        return use;
    }
    uint64_t bits = demo_random_next(random);
    draw_memory_use(request, fate, slots, bits, &use);
    bits = demo_random_next(random);
    int64_t efficiency = draw_efficiency(habit, fate->outcome, bits);
    int64_t start_us = 4000 + (int64_t)(bits >> 24 & 0xffff); /* of a shell, if nothing else */
    int64_t cpu_us = fate->wall_s * slots * 1000 * efficiency + (int64_t)(bits >> 44);
    int64_t system = 8 + (int64_t)(bits >> 22 & 31) + habit->io_mb; /* thousandths */
    if (cpu_us > fate->wall_s * slots * 1000000) {
        cpu_us = fate->wall_s * slots * 1000000;
    }
    use.system_us = cpu_us * system / 1000 + start_us / 3;
    use.user_us = cpu_us - cpu_us * system / 1000 + start_us;

    int64_t cpu_s = cpu_us / 1000000;
    bits = demo_random_next(random);
    int64_t average_kb = use.vmem_bytes / slots / 1024 * (500 + (int64_t)(bits & 255)) / 1000;
    use.mem_micro_gb_s = average_kb * (cpu_us / 1000) / 1024 * 1000 / 1024;
    use.io_micro_gb =
        cpu_s * habit->io_mb * 1000 * (200 + (int64_t)(bits >> 8 & 1023)) / 60000 + 34;
    use.wait_io_us = use.io_micro_gb * (int64_t)(bits >> 18 & 63);
    use.faults = 480 + use.rss_kb / 4 * slots / 3 + (int64_t)(bits >> 24 & 511);
    use.major_faults = (int64_t)(bits >> 33 & 7) * (int64_t)(bits >> 36 & 7);
    use.blocks_in = use.io_micro_gb / 4 * (int64_t)(bits >> 39 & 3) / 2;
    use.blocks_out = use.io_micro_gb / 3 + (int64_t)(bits >> 41 & 63) * 8;
    use.switches = 3 + fate->wall_s * (1 + (int64_t)(bits >> 47 & 31)) + use.io_micro_gb / 128;
    use.forced_switches = 4 + cpu_s * (1 + (int64_t)(bits >> 52 & 15)) / 4;
    return use;
}
