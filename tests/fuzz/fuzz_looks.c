/* SPDX-License-Identifier: MIT */

/*
 * A batch of an agent. After an even first byte it is packed, by whatever the next bytes say; after an odd one it is lines. What is
 * unpacked has a limit, and each look that is admitted lies in the batch and names a node.
 */
#include <stdint.h>
#include <stdlib.h>

#include "serve/daemon/sample_batch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    size_t room; /* bytes of the batch that no look was admitted for yet */
};

static int admit(void *owner, struct str node, size_t bytes, struct error *err)
{
    struct seen *seen = owner;
    (void)err;
    if (bytes == 0 || bytes > seen->room || !node.ptr || node.len > bytes) {
        abort();
    }
    seen->room -= bytes;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct buf lines;
    if (size == 0) {
        return 0;
    }
    const struct str rest = {(const char *)data + 1, size - 1};
    buf_init(&lines, SAMPLE_BATCH_MAX);
    int failed =
        data[0] % 2 ? (buf_add(&lines, rest), 0) : sample_batch_unpack(rest, &lines, &err);
    if (lines.len > SAMPLE_BATCH_MAX) {
        abort();
    }
    struct seen seen = {.room = lines.len};
    failed = failed ? failed : sample_batch_check(buf_str(&lines), admit, &seen, &err);
    if (failed && err.text[0] == '\0') {
        abort();
    }
    buf_release(&lines);
    return 0;
}
