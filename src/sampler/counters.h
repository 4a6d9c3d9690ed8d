/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a node as a whole has done since boot: cpu modes, memory, disks, network, InfiniBand,
 * NFS and Lustre, energy (RAPL), the hottest place. Files and what they say are rows of a table
 * in counters.c; paths may have * in them, since the names of links and sensors differ. What a
 * node does not have is absent, and that is no trouble.
 *
 * Files stay open; which there are is looked for again now and then, since file systems are
 * mounted and cards replaced. RAPL's counters begin again at zero after some minutes of full
 * load: the sum continues, as long as the looks are no further apart than that. What was added
 * up is lost with the process, a counter that cannot be read is missing from the sum, and in a
 * long time it may have begun again more than once: `energy_generation` differs then.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "record/sample.h"

struct counters {
    char *root; /* owned */
    struct counter_file *files;
    size_t count;
    int64_t looks;
    /*
     * what RAPL's counters had when they began again, in microjoules: of packages, of their
     * memory
     */
    int64_t energy_carried, memory_carried;
    uint64_t began;       /* tells this process from others */
    uint64_t energy_read; /* which of RAPL's counters the last look had: a sum of hashes */
    uint64_t energy_sets; /* how often these were others than before */
};

void counters_init(struct counters *counters, const char *root);
void counters_release(struct counters *counters);

/* Reads them all into *out, which has nothing but them afterwards. */
void counters_look(struct counters *counters, struct sample *out, struct buf *text);

/*
 * A row of what there is to be seen here: "InfiniBand", and whether. For `stint-agent check`.
 */
struct counters_part {
    const char *name;
    const char *missing; /* why, where it is not there */
    enum sample_field field;
};

extern const struct counters_part counters_parts[];
extern const size_t counters_part_count;

/* Why a part is not seen: it may not be read, or it is not there. Added to *out. */
void counters_why(const char *root, const struct counters_part *part, struct buf *out);
