/* SPDX-License-Identifier: MIT */

/*
 * Frames from another process: the first byte chooses what the others are taken for.
 */

#include <stdlib.h>

#include "base/mem.h"
#include "serve/rpc/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_request(struct str content)
{
    struct wire_request *request = mem_alloc(1, sizeof(*request));
    struct error err;
    (void)!wire_get_request(content, request, &err);
    wire_request_release(request);
    free(request);
}

static void try_rows(struct str content)
{
    struct table rows = {0};
    struct error err;
    (void)!wire_get_rows(content, &rows, &err);
    table_release(&rows);
}

static void try_answer(struct str content)
{
    struct answer answer = {0};
    struct error err, why;
    int ended;
    (void)!wire_get_answer(content, &answer, &ended, &why, &err);
    answer_release(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const struct str content = {(const char *)data + 1, size - 1};
    switch (data[0]) {
    case FRAME_REQUEST:
        try_request(content);
        break;
    case FRAME_ROWS:
        try_rows(content);
        break;
    case FRAME_ANSWER:
        try_answer(content);
        break;
    }
    return 0;
}
