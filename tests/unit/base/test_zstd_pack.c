/* SPDX-License-Identifier: MIT */
#include "base/zstd_pack.h"

#include <zstd.h>

#include "support/expect.h"

static void what_is_packed_is_what_is_unpacked_and_frames_follow_each_other(void **state)
{
    (void)state;
    struct buf packed;
    struct error err;
    char out[64];
    buf_init(&packed, 4096);
    expect_int(pack_zstd(STR("one\n"), &packed, &err), 0);
    const size_t first = packed.len;
    expect_int(pack_zstd(STR("two\n"), &packed, &err), 0);
    expect_uint(ZSTD_decompress(out, sizeof(out), packed.ptr, first), 4);
    expect_uint(ZSTD_decompress(out, sizeof(out), packed.ptr, packed.len), 8);
    expect_text_n(out, 8, "one\ntwo\n");
    buf_release(&packed);
}

static void more_than_the_room_is_refused(void **state)
{
    (void)state;
    struct buf packed;
    struct error err;
    char bytes[4096] = "";
    buf_init(&packed, 16);
    expect_int(pack_zstd((struct str){bytes, sizeof(bytes)}, &packed, &err), ERROR_LIMIT);
    buf_release(&packed);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, what_is_packed_is_what_is_unpacked_and_frames_follow_each_other);
    SUITE_TEST(&suite, more_than_the_room_is_refused);
    return suite_run(&suite, "pack");
}
