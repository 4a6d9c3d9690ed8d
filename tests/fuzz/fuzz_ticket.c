/* SPDX-License-Identifier: MIT */

/* Whatever comes as the ticket of a client that has to wait before it logs in: none is good but the one that it was given. */
#include <stdint.h>
#include <stdlib.h>

#include "serve/auth/login_attempts.h"

#define KEY "a key that nobody can guess"
#define NOW INT64_C(1700000000000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct login_attempts *attempts;
    static int64_t now = NOW;
    static struct arena kept;
    static struct str given;
    struct error err;
    if (!attempts) {
        attempts = login_attempts_new();
        if (login_attempts_ticket(KEY, "192.0.2.1", NOW, &kept, &given, &err) != 0) {
            abort();
        }
        now = NOW + LOGIN_ATTEMPTS_WAIT_US;
    }
    const struct str ticket = {(const char *)data, size};
    if (login_attempts_redeem(attempts, KEY, "192.0.2.1", ticket, now) &&
        !str_eq(ticket, given)) {
        abort();
    }
    if (login_attempts_redeem(attempts, KEY, "192.0.2.2", ticket, now)) {
        abort();
    }
    return 0;
}
