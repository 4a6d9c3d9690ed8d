/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "bank/receipt.h"
#include "base/limit.h"

/*
 * Any bytes as a receipt. Beside what the sanitizers see: what is refused has a sentence, what is taken can be written,
 * read and written again to the same bytes, and a run can be compared with it.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void write_again(const struct receipt *receipt)
{
    struct receipt again;
    struct error err = {0};
    struct buf first, second;
    buf_init(&first, LIMIT_OUTPUT);
    buf_init(&second, LIMIT_OUTPUT);
    must(receipt_write(receipt, &first, &err) == 0);
    must(receipt_read(buf_str(&first), &again, &err) == 0);
    must(receipt_write(&again, &second, &err) == 0);
    must(str_eq(buf_str(&first), buf_str(&second)));
    receipt_release(&again);
    buf_release(&first);
    buf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct receipt receipt;
    struct error err = {0};
    struct run run = {0};
    const int failed = receipt_read((struct str){(const char *)data, size}, &receipt, &err);
    must(!failed || err.text[0] != '\0');
    if (!failed) {
        RUN_SET(&run, cluster, STR("birch"));
        RUN_SET(&run, job, 1);
        RUN_SET(&run, user, STR("bob"));
        RUN_SET(&run, account, STR("chem"));
        RUN_SET(&run, cpus, 2);
        RUN_SET(&run, start, INT64_C(1748736000) * SECOND_US);
        RUN_SET(&run, end, INT64_C(1748772000) * SECOND_US);
        RUN_SET(&run, class, STR("completed"));
        (void)!receipt_take_run(&receipt, &run, &err);
        receipt_finish(&receipt);
        write_again(&receipt);
    }
    receipt_release(&receipt);
    return 0;
}
