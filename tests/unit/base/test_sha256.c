/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <string.h>

#include "support/expect.h"

static void expect_digest(struct str bytes, size_t times, size_t piece, const char *want)
{
    struct sha256 sha;
    char text[SHA256_TEXT + 1];
    sha256_begin(&sha);
    for (size_t i = 0; i < times; i++) {
        for (size_t at = 0; at < bytes.len; at += piece) {
            const size_t left = bytes.len - at;
            sha256_add(&sha, (struct str){bytes.ptr + at, left < piece ? left : piece});
        }
    }
    sha256_end(&sha, text);
    expect_text(text, want);
}

/* The examples of the standard. */
static void digests_are_those_of_the_standard(void **state)
{
    (void)state;
    expect_digest(STR(""), 1, 1,
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest(STR("abc"), 1, 3,
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_digest(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), 1, 7,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_digest(STR("aaaaaaaaaa"), 100000, 10,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, digests_are_those_of_the_standard);
    return suite_run(&suite, "sha256");
}
